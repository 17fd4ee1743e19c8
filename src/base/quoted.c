/* base/quoted.c -- names of any spelling. */
#include "base/quoted.h"
#include "base/near.h"

#include <string.h>

size_t yk_quoted_length(const char *text)
{
    if (*text != '\'') return 0;
    for (const char *p = text + 1; *p; p++) {
        if (*p != '\'') continue;
        if (p[1] != '\'') return (size_t)(p - text) + 1;
        p++;
    }
    return 0;
}

size_t yk_quoted_span(const char *text, const char *stops)
{
    size_t at = 0;

    for (bool start = true; text[at]; start = text[at++] == '.') {
        const size_t quoted = start ? yk_quoted_length(text + at) : 0;

        if (quoted > 0) at += quoted;
        if (!text[at] || strchr(stops, text[at])) break;
    }
    return at;
}

bool yk_is_path(const char *text, const char *never)
{
    for (;; text++) {
        size_t length = yk_quoted_length(text);

        if (length == 2) return false;
        if (length == 0) {
            length = strcspn(text, ".");
            if (length == 0 || strcspn(text, never) < length ||
                strcspn(text, "'") < length)
                return false;
        }
        text += length;
        if (*text != '.') return *text == '\0';
    }
}

yoke_status yk_quote(char **out, const char *name, yoke_err *err)
{
    char *p = NULL;

    if (yk_is_name(name)) return yk_copy_text(out, name, err);
    YK_TRY(yk_alloc((void **)out, 2 * strlen(name) + 3, 1, err));
    p = *out;
    *p++ = '\'';
    for (; *name; name++) {
        *p++ = *name;
        if (*name == '\'') *p++ = '\'';
    }
    *p = '\'';
    return YOKE_OK;
}

void yk_unquote(char *out, const char *text, size_t length)
{
    const char *const end = text + length;

    for (bool start = true; text < end;) {
        size_t quoted = start ? yk_quoted_length(text) : 0;

        if (quoted == 0 || quoted > (size_t)(end - text)) {
            start = *text == '.';
            *out++ = *text++;
            continue;
        }
        for (size_t i = 1; i + 1 < quoted; i++) {
            *out++ = text[i];
            if (text[i] == '\'') i++;
        }
        text += quoted;
        start = false;
    }
    *out = '\0';
}

bool yk_quoted_is(const char *text, const char *name)
{
    const size_t length = strlen(text);
    bool is = strcmp(text, name) == 0;
    char room[512], *plain = room;

    if (is || !strchr(text, '\'')) return is;
    if (length >= sizeof room &&
        yk_alloc((void **)&plain, length + 1, 1, NULL) != YOKE_OK)
        return false;
    yk_unquote(plain, text, length);
    is = strcmp(plain, name) == 0;
    if (plain != room) yk_free(plain);
    return is;
}
