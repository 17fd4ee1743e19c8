/* model/names.c -- variables by their names: "subsystem.port" and patterns. */
#include "model/names.h"

#include "base/quoted.h"

#include <stdio.h>
#include <string.h>

yoke_status yk_dotted_name(char **out, const yoke_system *system,
                           const char *port, yoke_err *err)
{
    const char *head = yoke_system_name(system);

    if (yoke_system_facts(system)->flags & YOKE_OWN_NAMES)
        return yk_copy_text(out, port, err);

    return yk_print(out, err, "%s.%s", head, port);
}

const char *yk_next_word(const char *list, size_t *length)
{
    size_t at = 0;
    int depth = 0;

    list += strspn(list, " ,");
    for (;; at++) {
        at += yk_quoted_span(list + at, " ,([)]");
        if (!list[at] || list[at] == ' ' || (list[at] == ',' && depth <= 0))
            break;
        if (strchr("([", list[at])) depth++;
        if (strchr(")]", list[at])) depth--;
    }
    *length = at;
    return at ? list : NULL;
}

bool yk_glob(const char *p, size_t length, const char *text)
{
    const char *const end = p + length, *star = NULL, *again = NULL;

    while (*text) {
        if (p < end && *p == '*') {
            star = p++;
            again = text;
        } else if (p < end && *p == *text) {
            p++;
            text++;
        } else if (star) {
            p = star + 1;
            text = ++again;
        } else
            return false;
    }
    while (p < end && *p == '*') p++;
    return p == end;
}

/* Quotes of the pattern may, or may not, be part of the text. */
static bool glob(const char *p, size_t length, const char *text)
{
    char plain[512];

    if (yk_glob(p, length, text)) return true;
    if (length >= sizeof plain || !memchr(p, '\'', length)) return false;
    yk_unquote(plain, p, length);
    return yk_glob(plain, strlen(plain), text);
}

bool yk_listed(const char *list, const char *name)
{
    size_t length = 0;

    for (const char *p = list; (p = yk_next_word(p, &length)); p += length)
        if (length == strlen(name) && strncmp(p, name, length) == 0)
            return true;
    return false;
}

bool yk_glob_any(const char *patterns, const char *text)
{
    size_t length = 0;

    for (const char *p = patterns; (p = yk_next_word(p, &length)); p += length)
        if (glob(p, length, text)) return true;
    return false;
}

yoke_status yk_check_patterns(const char *patterns, int count,
                              char *const *name, const char *option,
                              const char *what, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    size_t length = 0;

    for (const char *p = patterns; (p = yk_next_word(p, &length));
         p += length) {
        yoke_err one = { YOKE_OK, "" };
        bool fits = false;
        for (int k = 0; k < count && !fits; k++)
            fits = glob(p, length, name[k]);
        if (fits) continue;
        yk_fail(&one, YOKE_E_ARG, "%s: \"%.*s\" fits no %s", option,
                (int)length, p, what);
        if (!yk_err_gather(&status, YOKE_E_ARG, &one, err)) break;
    }
    return status;
}
