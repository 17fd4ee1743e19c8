/* io/report_json.c -- JSON as text. */
#define _POSIX_C_SOURCE 200809L
#include "io/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Length of the UTF-8 character at `p`, or 0: overlong forms, surrogates and
 * values above U+10FFFF are none. */
static size_t character(const unsigned char *p)
{
    size_t length = 0;

    if (p[0] < 0x80) return 1;
    if (p[0] >= 0xC2 && p[0] <= 0xDF) length = 2;
    if (p[0] >= 0xE0 && p[0] <= 0xEF) length = 3;
    if (p[0] >= 0xF0 && p[0] <= 0xF4) length = 4;
    for (size_t k = 1; k < length; k++)
        if ((p[k] & 0xC0) != 0x80) return 0;
    if (p[0] == 0xE0 && p[1] < 0xA0) return 0;
    if (p[0] == 0xED && p[1] > 0x9F) return 0;
    if (p[0] == 0xF0 && p[1] < 0x90) return 0;
    if (p[0] == 0xF4 && p[1] > 0x8F) return 0;
    return length;
}

static bool needs_escape(unsigned char c)
{
    return c < 0x20 || c == 0x7F || strchr("\"\\<>&", c);
}

yoke_status yk_json_text(yk_text *out, const char *text, yoke_err *err)
{
    const unsigned char *p = (const unsigned char *)text;
    char escape[8];

    YK_TRY(yk_text_put(out, "\"", err));
    while (*p) {
        const size_t length = character(p);
        if (length == 0 || needs_escape(*p)) {
            snprintf(escape, sizeof escape, "\\u%04x", length ? *p : 0xFFFDu);
            YK_TRY(yk_text_put(out, escape, err));
        } else {
            YK_TRY(yk_text_add(out, (const char *)p, length, err));
        }
        p += length ? length : 1;
    }
    return yk_text_put(out, "\"", err);
}

yoke_status yk_json_key(yk_text *out, const char *name, yoke_err *err)
{
    const char last = out->length > 0 ? out->at[out->length - 1] : '{';

    if (last != '{') YK_TRY(yk_text_put(out, ",\n", err));
    YK_TRY(yk_json_text(out, name, err));
    return yk_text_put(out, ":", err);
}

yoke_status yk_json_pair(yk_text *out, const char *name, const char *text,
                         yoke_err *err)
{
    YK_TRY(yk_json_key(out, name, err));
    return yk_json_text(out, text, err);
}

yoke_status yk_json_int(yk_text *out, const char *name, int value,
                        yoke_err *err)
{
    char number[16];

    snprintf(number, sizeof number, "%d", value);
    YK_TRY(yk_json_key(out, name, err));
    return yk_text_put(out, number, err);
}

yoke_status yk_json_real(yk_text *out, const char *name, double value,
                         yoke_err *err)
{
    char number[YK_NUMBER_SIZE] = "null";

    if (isfinite(value)) yk_number_write(number, value);
    YK_TRY(yk_json_key(out, name, err));
    return yk_text_put(out, number, err);
}

yoke_status yk_html_text(yk_text *out, const char *text, yoke_err *err)
{
    char escape[16];

    for (; *text; text++)
        if (strchr("<>&\"'", *text)) {
            snprintf(escape, sizeof escape, "&#%d;", *text);
            YK_TRY(yk_text_put(out, escape, err));
        } else {
            YK_TRY(yk_text_add(out, text, 1, err));
        }
    return YOKE_OK;
}

/* Digits of the largest value that show `digits` of the range. */
static int digits_of(int count, const double *value, int digits)
{
    double least = INFINITY, most = -INFINITY;

    for (int i = 0; i < count; i++) {
        if (!isfinite(value[i])) continue;
        least = fmin(least, value[i]);
        most = fmax(most, value[i]);
    }
    if (!(most > least)) return 12;
    const double size = fmax(fabs(least), fabs(most));
    const double extra = ceil(log10(size) - log10(most - least));
    return (int)fmin(digits + fmax(extra, 0.0), 17.0);
}

yoke_status yk_json_numbers(yk_text *out, int count, const double *value,
                            int digits, yoke_err *err)
{
    const int shown = digits_of(count, value, digits);
    char number[YK_NUMBER_SIZE];

    for (int i = 0; i < count; i++) {
        YK_TRY(yk_text_put(out, i ? "," : "[", err));
        if (!isfinite(value[i]))
            snprintf(number, sizeof number, "null");
        else if (digits >= 17)
            yk_number_write(number, value[i]);
        else
            snprintf(number, sizeof number, "%.*g", shown, value[i]);
        YK_TRY(yk_text_put(out, number, err));
    }
    return yk_text_put(out, count ? "]" : "[]", err);
}
