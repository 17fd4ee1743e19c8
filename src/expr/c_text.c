/* expr/c_text.c -- writes generated C. */
#include "expr/c_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void yk_c_text_free(yk_c_text *source)
{
    YK_FREE(source->text, source->number);
    *source = (yk_c_text){ 0 };
}

static void put(yk_c_text *s, const char *text, size_t length)
{
    if (s->status != YOKE_OK) return;
    s->status =
        yk_grow((void **)&s->text, &s->room, s->length + length + 1, 1, NULL);
    if (s->status != YOKE_OK) return;
    memcpy(s->text + s->length, text, length);
    s->length += length;
    s->text[s->length] = '\0';
}

void yk_c_put_text(yk_c_text *s, const char *more)
{
    put(s, more, strlen(more));
}

void yk_c_put(yk_c_text *s, const char *format, ...)
{
    char line[512];
    va_list list;

    va_start(list, format);
    const int n = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (n < 0) return;
    put(s, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

void yk_c_put_number(yk_c_text *s, double v)
{
    if (s->status != YOKE_OK) return;
    s->status = YK_GROW(&s->number, &s->number_room, s->numbers + 1, NULL);
    if (s->status != YOKE_OK) return;
    yk_c_put(s, "n[%d]", s->numbers);
    s->number[s->numbers++] = v;
}

void yk_c_put_form(yk_c_text *s, yk_op op,
                   void (*operand)(void *self, yk_c_text *text, int k),
                   void *self)
{
    bool inside = false; /* a word */

    for (const char *text = yk_op_text(op); *text; text++) {
        const bool word = isalnum((unsigned char)*text);
        if (word && !inside && !isalnum((unsigned char)text[1]) &&
            *text >= 'a' && *text <= 'c')
            operand(self, s, *text - 'a');
        else
            yk_c_put(s, "%c", *text);
        inside = word;
    }
}

static const char *const prelude =
    "/* Generated; do not edit. */\n"
    "double pow(double, double), exp(double), log(double), log10(double);\n"
    "double sin(double), cos(double), tan(double), asin(double);\n"
    "double acos(double), atan(double), atan2(double, double);\n"
    "double sinh(double), cosh(double), tanh(double);\n"
    "double asinh(double), acosh(double), atanh(double);\n"
    "double floor(double), ceil(double), trunc(double), nearbyint(double);\n"
    "#define fabs __builtin_fabs\n"
    "#define sqrt __builtin_sqrt\n"
    "static inline int piece(const double *table, int rows, double x)\n"
    "{\n"
    "    int low = 0, high = rows - 1;\n"
    "    while (high - low > 1) {\n"
    "        const int middle = (low + high) / 2;\n"
    "        if (x < table[2 * middle]) high = middle; else low = middle;\n"
    "    }\n"
    "    return low;\n"
    "}\n"
    "static inline double slope(const double *table, int rows, double x)\n"
    "{\n"
    "    if (rows < 2 || x < table[0] || x > table[2 * rows - 2]) return 0.0;\n"
    "    const double *r = table + 2 * piece(table, rows, x);\n"
    "    return (r[3] - r[1]) / (r[2] - r[0]);\n"
    "}\n";

static const char *const prelude_end =
    "static inline double look(const double *table, int rows, double x)\n"
    "{\n"
    "    if (rows < 1) return 0.0;\n"
    "    if (x <= table[0]) return table[1];\n"
    "    if (x >= table[2 * rows - 2]) return table[2 * rows - 1];\n"
    "    const double *r = table + 2 * piece(table, rows, x);\n"
    "    return r[1] + (r[3] - r[1]) / (r[2] - r[0]) * (x - r[0]);\n"
    "}\n";

void yk_c_put_prelude(yk_c_text *s)
{
    yk_c_put_text(s, prelude);
    yk_c_put_text(s, prelude_end);
}
