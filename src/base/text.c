/* base/text.c -- see text.h. */
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

bool yk_append(char *text, size_t room, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;

    if (used >= room) return false;
    va_start(args, format);
    const int more = vsnprintf(text + used, room - used, format, args);
    va_end(args);
    return more >= 0 && (size_t)more < room - used;
}

bool yk_ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);

    return length > size && strcmp(text + length - size, end) == 0;
}

void yk_xml_write(FILE *out, const char *text)
{
    static const char sign[] = "<>&\"";
    static const char *const name[] = { "lt", "gt", "amp", "quot" };

    for (; *text; text++) {
        const char *special = strchr(sign, *text);
        if (special)
            fprintf(out, "&%s;", name[special - sign]);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

static yoke_status make_room(yk_text *text, size_t more, yoke_err *err)
{
    return YK_GROW(&text->at, &text->room, text->length + more + 1, err);
}

yoke_status yk_text_add(yk_text *text, const char *from, size_t length,
                        yoke_err *err)
{
    YK_TRY(make_room(text, length, err));
    memcpy(text->at + text->length, from, length);
    text->length += length;
    text->at[text->length] = '\0';
    return YOKE_OK;
}

yoke_status yk_text_put(yk_text *text, const char *from, yoke_err *err)
{
    return yk_text_add(text, from, strlen(from), err);
}

yoke_status yk_text_print(yk_text *text, yoke_err *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) return yk_fail(err, YOKE_E_ARG, "a text cannot be printed");
    YK_TRY(make_room(text, (size_t)length, err));
    va_start(args, format);
    vsnprintf(text->at + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
    return YOKE_OK;
}

void yk_text_clear(yk_text *text)
{
    yk_free(text->at);
    *text = (yk_text){ NULL, 0, 0 };
}
