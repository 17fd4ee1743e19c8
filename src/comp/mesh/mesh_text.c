/* comp/mesh/mesh_text.c -- words and numbers of a mesh file. */
#include "comp/mesh/mesh.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 };

yoke_status yk_mesh_refuse(const yk_mesh_reader *r, yoke_err *err,
                           const char *format, ...)
{
    char text[600];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return yk_fail(err, YOKE_E_FILE, "%.300s:%d: %s", r->path, r->at_line,
                   text);
}

static void skip_space(yk_mesh_reader *r)
{
    for (; r->at < r->end && isspace((unsigned char)*r->at); r->at++)
        if (*r->at == '\n') r->at_line++;
}

size_t yk_mesh_peek(yk_mesh_reader *r, const char **word)
{
    size_t length = 0;

    skip_space(r);
    *word = r->at;
    while (r->at + length < r->end && !isspace((unsigned char)r->at[length]))
        length++;
    return length;
}

/* Takes the next word as text that ends with zero. */
static yoke_status take(yk_mesh_reader *r, const char *what, char text[WORD],
                        yoke_err *err)
{
    const char *word = NULL;
    const size_t length = yk_mesh_peek(r, &word);

    if (length == 0)
        return yk_mesh_refuse(r, err, "the file ends where %s is expected",
                              what);
    if (length >= WORD)
        return yk_mesh_refuse(r, err, "\"%.40s...\" is no %s", word, what);
    memcpy(text, word, length);
    text[length] = '\0';
    r->at += length;
    return YOKE_OK;
}

yoke_status yk_mesh_expect(yk_mesh_reader *r, const char *word, yoke_err *err)
{
    char text[WORD];

    YK_TRY(take(r, word, text, err));
    if (strcmp(text, word) == 0) return YOKE_OK;
    return yk_mesh_refuse(r, err, "\"%s\" where \"%s\" is expected", text,
                          word);
}

yoke_status yk_mesh_int(yk_mesh_reader *r, const char *what, int *value,
                        yoke_err *err)
{
    char text[WORD], *end = NULL;

    YK_TRY(take(r, what, text, err));
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (*end || end == text || errno || number > INT_MAX || number < -INT_MAX)
        return yk_mesh_refuse(r, err,
                              "\"%s\" is not a whole number; %s is expected "
                              "(binary files are not read: save as ASCII)",
                              text, what);
    *value = (int)number;
    return YOKE_OK;
}

yoke_status yk_mesh_count(yk_mesh_reader *r, const char *what, int bytes,
                          int *value, yoke_err *err)
{
    YK_TRY(yk_mesh_int(r, what, value, err));
    if (*value >= 0 && *value <= (r->end - r->at) / bytes + 1) return YOKE_OK;
    return yk_mesh_refuse(r, err,
                          "%s is %d, which the rest of the file has "
                          "no room for",
                          what, *value);
}

yoke_status yk_mesh_double(yk_mesh_reader *r, const char *what, double *value,
                           yoke_err *err)
{
    char text[WORD], *end = NULL;

    YK_TRY(take(r, what, text, err));
    *value = strtod(text, &end);
    if (*end || end == text || !isfinite(*value))
        return yk_mesh_refuse(r, err, "\"%s\" is not a number; %s is expected",
                              text, what);
    return YOKE_OK;
}

yoke_status yk_mesh_quoted(yk_mesh_reader *r, char **name, yoke_err *err)
{
    enum { MOST = 200 };
    const char *word = NULL, *close;

    if (yk_mesh_peek(r, &word) == 0 || *word != '"')
        return yk_mesh_refuse(r, err,
                              "the name of a physical group in quotes is "
                              "expected");
    close = memchr(word + 1, '"', (size_t)(r->end - word - 1));
    if (!close || close - word > MOST ||
        memchr(word, '\n', (size_t)(close - word)))
        return yk_mesh_refuse(r, err,
                              "the name of a physical group does not "
                              "end, or has more than %d characters",
                              MOST - 1);
    const size_t length = (size_t)(close - word) - 1;
    for (size_t k = 0; k < length; k++)
        if (iscntrl((unsigned char)word[1 + k]))
            return yk_mesh_refuse(r, err,
                                  "the name of a physical group has a "
                                  "control character");
    YK_TRY(yk_print(name, err, "%.*s", (int)length, word + 1));
    r->at = close + 1;
    return YOKE_OK;
}
