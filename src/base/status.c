/* base/status.c -- messages: written once, completed on the way up. */
#include "base/base.h"
#include "yoke/version.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *yoke_status_text(yoke_status status)
{
    switch (status) {
#define CASE(name, value, text)                                                \
    case name:                                                                 \
        return text;
        YOKE_STATUS_LIST(CASE)
#undef CASE
    }
    return "unknown status";
}

const char *yoke_status_name(yoke_status status)
{
    switch (status) {
#define CASE(name, value, text)                                                \
    case name:                                                                 \
        return #name;
        YOKE_STATUS_LIST(CASE)
#undef CASE
    }
    return "unknown status";
}

yoke_status yoke_fail(yoke_err *err, yoke_status status, const char *format,
                      ...)
{
    if (err) {
        va_list args;

        err->status = status;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

void yk_prefix(yoke_err *err, const char *format, ...)
{
    char head[YOKE_ERR_SIZE];
    va_list args;

    if (!err) return;
    va_start(args, format);
    vsnprintf(head, sizeof head, format, args);
    va_end(args);

    const size_t room = sizeof err->text - 1;
    size_t length = strlen(head);
    if (length > room - 2) length = room - 2;
    size_t rest = strlen(err->text);
    if (rest > room - length - 2) rest = room - length - 2;
    memmove(err->text + length + 2, err->text, rest);
    memcpy(err->text, head, length);
    memcpy(err->text + length, ": ", 2);
    err->text[length + 2 + rest] = '\0';
}

void yk_suffix(yoke_err *err, const char *format, ...)
{
    va_list args;

    if (!err) return;
    const size_t used = strlen(err->text);
    va_start(args, format);
    vsnprintf(err->text + used, sizeof err->text - used, format, args);
    va_end(args);
}

/* Behind the place in this file, where the same mistake of another file is told
 * once. */
static const char *elsewhere(const char *message)
{
    const char *behind = strstr(message, ": ");
    const char *colon = behind ? strchr(behind + 2, ':') : NULL;

    return colon && colon[1] >= '0' && colon[1] <= '9' ? behind + 2 : message;
}

bool yk_err_gather(yoke_status *all, yoke_status status, const yoke_err *one,
                   yoke_err *err)
{
    static const char more[] = "\n(and more)";
    const size_t room = sizeof err->text - sizeof more;

    if (status == YOKE_OK) return true;
    const bool first = *all == YOKE_OK, stop = status == YOKE_E_MEMORY;
    if (first || stop) *all = status;
    if (err && (first || stop)) *err = *one;
    if (!err || first || stop) return !stop;
    if (strstr(err->text, elsewhere(one->text))) return true;
    const bool fits = strlen(err->text) + strlen(one->text) + 1 < room;
    yk_suffix(err, fits ? "\n%s" : more, one->text);
    return fits;
}

const char *yoke_version(void)
{
    return YOKE_VERSION;
}
