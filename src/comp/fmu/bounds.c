/* comp/fmu/bounds.c -- start values, bounds and nominal values of variables.
 *
 * What is no value of the type of its variable is refused, also where a run has
 * no use for it: an author who wrote "1,5" meant something.
 */
#define _GNU_SOURCE
#include "comp/fmu/kinds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n";

/* Largest values of the integer types, and what the least are below zero. */
static const struct {
    unsigned long long most, least;
} range[YK_FMU_TYPES] = {
    [YK_FMU_INT8] = { 0x7f, 0x80 },
    [YK_FMU_UINT8] = { 0xff, 0 },
    [YK_FMU_INT16] = { 0x7fff, 0x8000 },
    [YK_FMU_UINT16] = { 0xffff, 0 },
    [YK_FMU_INT32] = { 0x7fffffff, 0x80000000 },
    [YK_FMU_UINT32] = { 0xffffffff, 0 },
    [YK_FMU_INT64] = { 0x7fffffffffffffff, 0x8000000000000000 },
    [YK_FMU_UINT64] = { 0xffffffffffffffff, 0 },
};

static bool is_whole(yk_fmu_type type, const char *text, double *out)
{
    const bool minus = *text == '-';
    char *end = NULL;

    text += minus || *text == '+';
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    const unsigned long long size = strtoull(text, &end, 10);
    *out = minus ? -(double)size : (double)size;
    return !end[strspn(end, blanks)] && errno == 0 &&
           size <= (minus ? range[type].least : range[type].most);
}

static bool is_value(yk_fmu_type type, const char *text, double *out)
{
    if (type == YK_FMU_BOOLEAN) {
        const bool yes = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;

        *out = yes;
        return yes || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
    }
    if (range[type].most > 0) return is_whole(type, text, out);
    return yk_xml_is_number(text, out) &&
           !(type == YK_FMU_FLOAT32 && isfinite(*out) &&
             fabs(*out) > 3.4028235677973366e38);
}

bool yk_fmu_fits(yk_fmu_type type, double value)
{
    if (type == YK_FMU_FLOAT32) return fabs(value) <= 3.4028235677973366e38;
    if (range[type].most == 0) return true;
    return value == floor(value) && value >= -(double)range[type].least &&
           value <= (double)range[type].most;
}

static bool has_numbers(yk_fmu_type type)
{
    return type != YK_FMU_STRING && type != YK_FMU_BINARY &&
           type != YK_FMU_CLOCK;
}

static yoke_status refuse(const yk_fmu_description *d, int line,
                          const yk_fmu_variable *v, const char *name,
                          const char *text, yoke_err *err)
{
    char what[80] = "a number";

    if (v->type == YK_FMU_BOOLEAN) snprintf(what, sizeof what, "true or false");
    if (range[v->type].most > 0)
        snprintf(what, sizeof what, "a whole number from %s%llu to %llu",
                 range[v->type].least > 0 ? "-" : "", range[v->type].least,
                 range[v->type].most);
    return yk_fail(err, YOKE_E_FILE,
                   "%s:%d: %s=\"%.100s\" of \"%.100s\" is not %s", d->path,
                   line, name, text, v->name, what);
}

yoke_status yk_fmu_read_bound(yk_fmu_description *d, const yk_xml *at,
                              const char *name, const yk_fmu_variable *v,
                              double *out, yoke_err *err)
{
    const bool real = v->type == YK_FMU_FLOAT64 || v->type == YK_FMU_FLOAT32;
    const char *text = NULL;

    if (!real && (!has_numbers(v->type) || out == &v->nominal)) return YOKE_OK;
    YK_TRY(yk_xml_copy(d->arena, at, name, &text, err));
    if (!text || is_value(v->type, text + strspn(text, blanks), out))
        return YOKE_OK;
    return refuse(d, yk_xml_line(at), v, name, text, err);
}

/* One value, or the next of those of an array. */
static yoke_status check_value(yk_fmu_description *d, yk_fmu_variable *v,
                               const char *text, yoke_err *err)
{
    double value = 0.0;
    int item = 0;

    if (!is_value(v->type, text, &value))
        return refuse(d, v->line, v, "start", text, err);
    while (item < v->items && v->item[item].value != value) item++;
    if (v->items > 0 && item == v->items)
        return yk_fail(err, YOKE_E_FILE,
                       "%s:%d: start=\"%.100s\" of \"%.100s\" is none of the "
                       "values of its enumeration",
                       d->path, v->line, text, v->name);
    if (value < v->least || value > v->most) v->outside = true;
    return YOKE_OK;
}

yoke_status yk_fmu_check_start(yk_fmu_description *d, yk_fmu_variable *v,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    char *copy = NULL, *rest = NULL;
    int count = 0;

    if (!v->start || !has_numbers(v->type)) return YOKE_OK;
    YK_TRY(yk_copy_text(&copy, v->start, err));
    for (char *word = strtok_r(copy, blanks, &rest); word;
         word = strtok_r(NULL, blanks, &rest)) {
        if (++count > 1 && !v->array) break;
        YK_GO(check_value(d, v, word, err));
    }
    if (v->array && count != v->count && count != 1)
        status = yk_fail(err, YOKE_E_FILE,
                         "%s:%d: start of \"%.100s\" has %d values, the array "
                         "%d",
                         d->path, v->line, v->name, count, v->count);
    if (!v->array && count != 1)
        status = refuse(d, v->line, v, "start", v->start, err);
done:
    yk_free(copy);
    return status;
}
