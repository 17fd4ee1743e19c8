/* io/raw_read.c -- reads ngspice raw files, binary and ASCII, real and complex.
 *
 * A file may hold several plots, one after the other; the first is read.
 * Complex variables become two columns re(x), im(x); that of the scale is
 * real.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/format.h"
#include "io/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scan {
    const char *file, *at, *end;
    int line;
    bool is_complex;
    int variables;
    long points;
    yoke_table *out;
} scan;

static yoke_status bad(const scan *s, yoke_err *err, const char *what)
{
    return yk_fail(err, YOKE_E_FILE, "%s:%d: %s; is it an ngspice raw file?",
                   s->file, s->line, what);
}

/* The next line without its end. */
static bool next_line(scan *s, const char **line, size_t *length)
{
    if (s->at >= s->end) return false;
    const char *stop = memchr(s->at, '\n', (size_t)(s->end - s->at));
    const char *last = stop ? stop : s->end;
    *line = s->at;
    *length = (size_t)(last - s->at);
    if (*length && (*line)[*length - 1] == '\r') (*length)--;
    s->at = stop ? stop + 1 : s->end;
    s->line++;
    return true;
}

/* Does the line begin so?  Then *rest is what follows, without blanks. */
static bool begins(const char *line, size_t length, const char *head,
                   const char **rest)
{
    const size_t n = strlen(head);

    if (length < n) return false;
    for (size_t k = 0; k < n; k++)
        if (tolower((unsigned char)line[k]) != head[k]) return false;
    while (n < length && *(line + n) == ' ') {
        line++;
        length--;
    }
    *rest = line + n;
    return true;
}

static long number(const char *text, const char *end)
{
    char digits[24] = "";
    size_t n = 0;

    while (text < end && isdigit((unsigned char)*text) && n < 18)
        digits[n++] = *text++;
    return n ? strtol(digits, NULL, 10) : -1;
}

/* Copies head, text, tail into a name of the table. */
static yoke_status set_name(char **out, const char *head, const char *text,
                            size_t length, const char *tail, yoke_err *err)
{
    return yk_print(out, err, "%s%.*s%s", head, (int)length, text, tail);
}

/* What the word for the kind of a variable means. */
static const char *unit_of(const char *kind, size_t length)
{
    static const char *const known[][2] = { { "time", "s" },
                                            { "frequency", "Hz" },
                                            { "voltage", "V" },
                                            { "current", "A" },
                                            { "power", "W" } };

    const char *rest = NULL;

    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strlen(known[k][0]) == length &&
            begins(kind, length, known[k][0], &rest))
            return known[k][1];
    return "";
}

/* "  1  v(out)  voltage". */
static yoke_status read_variable(scan *s, int v, yoke_err *err)
{
    const char *line = NULL;
    size_t length = 0;
    yoke_table *t = s->out;

    if (!next_line(s, &line, &length)) return bad(s, err, "variables missing");
    const char *p = line, *end = line + length;
    while (p < end && isspace((unsigned char)*p)) p++;
    while (p < end && isdigit((unsigned char)*p)) p++;
    while (p < end && isspace((unsigned char)*p)) p++;
    const char *name = p;
    while (p < end && !isspace((unsigned char)*p)) p++;
    if (p == name || p - name > 4000)
        return bad(s, err, "no name of a variable");
    const size_t n = (size_t)(p - name);
    while (p < end && isspace((unsigned char)*p)) p++;
    const char *kind = p;
    while (p < end && !isspace((unsigned char)*p)) p++;
    const char *unit = unit_of(kind, (size_t)(p - kind));
    const bool two = s->is_complex && v > 0;
    for (int k = 0; k <= two; k++)
        YK_TRY(yk_copy_text(&t->unit[two ? 2 * v - 1 + k : v], unit, err));
    if (!s->is_complex || v == 0)
        return set_name(&t->name[s->is_complex ? 0 : v], "", name, n, "", err);
    YK_TRY(set_name(&t->name[2 * v - 1], "re(", name, n, ")", err));
    return set_name(&t->name[2 * v], "im(", name, n, ")", err);
}

static yoke_status read_header(scan *s, yoke_err *err)
{
    const char *line = NULL, *rest = NULL;
    size_t length = 0;

    s->variables = -1;
    s->points = -1;
    while (next_line(s, &line, &length)) {
        const char *end = line + length;
        if (begins(line, length, "flags:", &rest)) {
            for (const char *p = rest; p + 7 <= end; p++)
                if (strncmp(p, "complex", 7) == 0) s->is_complex = true;
        } else if (begins(line, length, "no. variables:", &rest)) {
            const long n = number(rest, end);
            if (n < 1 || n > 10000000)
                return bad(s, err, "the number of variables makes no sense");
            s->variables = (int)n;
        } else if (begins(line, length, "no. points:", &rest))
            s->points = number(rest, end);
        else if (begins(line, length, "variables:", &rest))
            return s->variables > 0 && s->points >= 0
                       ? YOKE_OK
                       : bad(s, err,
                             "the number of variables or points is missing");
    }
    return bad(s, err, "the line \"Variables:\" is missing");
}

/* ---- values
 * ------------------------------------------------------------------ */

static yoke_status read_binary(scan *s, yoke_err *err)
{
    yoke_table *t = s->out;
    const size_t width =
        (size_t)s->variables * (s->is_complex ? 2 : 1) * sizeof(double);
    const size_t there = (size_t)(s->end - s->at) / width;

    if ((size_t)s->points > there) /* cut off, or still being written */
        s->points = (long)there;
    if (s->points > INT_MAX) return bad(s, err, "there are too many points");
    YK_TRY(yk_doubles(&t->value, (size_t)s->points * (size_t)t->cols + 1, err));
    for (long i = 0; i < s->points; i++, s->at += width) {
        double *row = t->value + (size_t)i * (size_t)t->cols;
        if (!s->is_complex)
            memcpy(row, s->at, width);
        else {
            memcpy(row, s->at, sizeof *row);
            memcpy(row + 1, s->at + 2 * sizeof *row, width - 2 * sizeof *row);
        }
    }
    t->rows = (int)s->points;
    return YOKE_OK;
}

/* One number of an ASCII file; commas part real from imaginary. */
static bool next_value(scan *s, double *value)
{
    char text[64];
    size_t n = 0;

    while (s->at < s->end && (isspace((unsigned char)*s->at) || *s->at == ','))
        s->at++;
    while (s->at < s->end && n < sizeof text - 1 &&
           !isspace((unsigned char)*s->at) && *s->at != ',')
        text[n++] = *s->at++;
    text[n] = '\0';
    char *end = text;
    *value = strtod(text, &end);
    return n > 0 && *end == '\0';
}

static yoke_status read_ascii(scan *s, yoke_err *err)
{
    yoke_table *t = s->out;
    const long most = (s->end - s->at) / 2 / s->variables + 1;
    double index = 0.0, unused = 0.0;

    if (s->points > most) s->points = most;
    if (s->points > INT_MAX) return bad(s, err, "there are too many points");
    YK_TRY(yk_doubles(&t->value, (size_t)s->points * (size_t)t->cols + 1, err));
    for (long i = 0; i < s->points; i++) {
        double *row = t->value + (size_t)i * (size_t)t->cols;
        if (!next_value(s, &index)) break;
        for (int v = 0; v < s->variables; v++) {
            if (!next_value(s, row++)) return bad(s, err, "a value is missing");
            if (!s->is_complex) continue;
            if (!next_value(s, v ? row++ : &unused))
                return bad(s, err, "an imaginary part is missing");
        }
        t->rows = (int)i + 1;
    }
    return YOKE_OK;
}

yoke_status yk_raw_parse(yoke_table *out, const char *file, const char *text,
                         size_t length, yoke_err *err)
{
    scan s = { .file = file, .at = text, .end = text + length, .out = out };
    const char *line = NULL, *rest = NULL;
    size_t n = 0;

    YK_TRY(read_header(&s, err));
    if ((size_t)s.variables > length)
        return bad(&s, err, "it is too short for its variables");
    out->cols = s.is_complex ? 2 * s.variables - 1 : s.variables;
    YK_TRY(YK_NEW(&out->name, out->cols, err));
    YK_TRY(YK_NEW(&out->unit, out->cols, err));
    for (int v = 0; v < s.variables; v++) YK_TRY(read_variable(&s, v, err));
    if (!next_line(&s, &line, &n)) return bad(&s, err, "there are no values");
    if (begins(line, n, "binary:", &rest)) return read_binary(&s, err);
    if (begins(line, n, "values:", &rest)) return read_ascii(&s, err);
    return bad(&s, err, "neither \"Binary:\" nor \"Values:\" follows");
}

yoke_status yk_raw_read(yoke_table *out, const char *path, const char *table,
                        yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_text text = { NULL, 0, 0 };
    YK_POINT;

    if (strcmp(table, "result") != 0)
        return yk_fail(err, YOKE_E_FILE,
                       "%s: a raw file has no table \"%s\", only \"result\"",
                       path, table);
    YK_GO(yk_text_load(&text, path, err));
    YK_GO(yk_raw_parse(out, path, text.at, text.length, err));
done:
    yk_text_clear(&text);
    return status;
}
