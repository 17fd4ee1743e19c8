/* comp/fmu/values.c -- values of variables of an FMU, of any type. */
#include "comp/fmu/instance.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define AS(type, at, i) (((type *)(at))[i])

static void put_number(const yk_fmu_instance *f, yk_fmu_type type, void *at,
                       int i, double v)
{
    const double whole = nearbyint(v);

    switch (type) {
    case YK_FMU_FLOAT64:
        AS(double, at, i) = v;
        break;
    case YK_FMU_FLOAT32:
        AS(float, at, i) = (float)v;
        break;
    case YK_FMU_INT8:
        AS(int8_t, at, i) = (int8_t)whole;
        break;
    case YK_FMU_UINT8:
        AS(uint8_t, at, i) = (uint8_t)whole;
        break;
    case YK_FMU_INT16:
        AS(int16_t, at, i) = (int16_t)whole;
        break;
    case YK_FMU_UINT16:
        AS(uint16_t, at, i) = (uint16_t)whole;
        break;
    case YK_FMU_INT32:
        AS(int32_t, at, i) = (int32_t)whole;
        break;
    case YK_FMU_UINT32:
        AS(uint32_t, at, i) = (uint32_t)whole;
        break;
    case YK_FMU_INT64:
        AS(int64_t, at, i) = (int64_t)whole;
        break;
    case YK_FMU_UINT64:
        AS(uint64_t, at, i) = (uint64_t)whole;
        break;
    case YK_FMU_BOOLEAN:
        if (is_two(f))
            AS(int, at, i) = v > 0.5;
        else
            AS(bool, at, i) = v > 0.5;
        break;
    default:
        break;
    }
}

static double get_number(const yk_fmu_instance *f, yk_fmu_type type,
                         const void *at, int i)
{
    switch (type) {
    case YK_FMU_FLOAT64:
        return AS(const double, at, i);
    case YK_FMU_FLOAT32:
        return (double)AS(const float, at, i);
    case YK_FMU_INT8:
        return AS(const int8_t, at, i);
    case YK_FMU_UINT8:
        return AS(const uint8_t, at, i);
    case YK_FMU_INT16:
        return AS(const int16_t, at, i);
    case YK_FMU_UINT16:
        return AS(const uint16_t, at, i);
    case YK_FMU_INT32:
        return AS(const int32_t, at, i);
    case YK_FMU_UINT32:
        return AS(const uint32_t, at, i);
    case YK_FMU_INT64:
        return (double)AS(const int64_t, at, i);
    case YK_FMU_UINT64:
        return (double)AS(const uint64_t, at, i);
    case YK_FMU_BOOLEAN:
        return is_two(f) ? AS(const int, at, i) != 0 : AS(const bool, at, i);
    default:
        return NAN;
    }
}

/* The functions of FMI 2 have the names of its types. */
static void function_name(const yk_fmu_instance *f, const char *verb,
                          yk_fmu_type type, char out[40])
{
    const char *word = yk_fmu_type_name(type);

    if (is_two(f))
        word = type == YK_FMU_FLOAT64   ? "Real"
               : type == YK_FMU_BOOLEAN ? "Boolean"
               : type == YK_FMU_STRING  ? "String"
                                        : "Integer";
    snprintf(out, 40, "%s%s", verb, word);
}

/* All elements of `variables` references of one type. */
static yoke_status transfer(yk_fmu_instance *f, const char *verb,
                            yk_fmu_type type, const unsigned *reference,
                            int variables, void *values, int count,
                            yoke_err *err)
{
    char name[40];

    function_name(f, verb, type, name);
    if (is_two(f))
        CALL(f, err, name, (void *, const unsigned *, size_t, void *), f->c,
             reference, (size_t)variables, values);
    else
        CALL(f, err, name, (void *, const uint32_t *, size_t, void *, size_t),
             f->c, reference, (size_t)variables, values, (size_t)count);
    return YOKE_OK;
}

static yoke_status make_room(yk_fmu_instance *f, int count, yoke_err *err)
{
    return yk_grow(&f->block, &f->room, (size_t)count + 1, sizeof(double), err);
}

static yoke_status name_variable(const yk_fmu_instance *f, int variable,
                                 yoke_status status, yoke_err *err)
{
    if (status != YOKE_OK)
        yk_prefix(err, "variable \"%s\"", f->d->variable[variable].name);
    return status;
}

static yoke_status transfer_array(yk_fmu_instance *f, const char *verb, int i,
                                  yoke_err *err)
{
    const yk_fmu_variable *v = &f->d->variable[i];

    return name_variable(
        f, i,
        transfer(f, verb, v->type, &v->reference, 1, f->block, v->count, err),
        err);
}

/* A run of scalars of one type from signal i on. */
static int run_length(const yk_fmu_instance *f, int count,
                      const yk_fmu_signal *signal, int i)
{
    const yk_fmu_variable *first = &f->d->variable[signal[i].variable];
    int n = 0;

    if (first->array) return 0;
    while (i + n < count) {
        const yk_fmu_variable *v = &f->d->variable[signal[i + n].variable];

        if (v->array || v->type != first->type) break;
        n++;
    }
    return n;
}

yoke_status yk_fmu_references(yk_fmu_instance *f, int n,
                              const yk_fmu_signal *signal, yoke_err *err)
{
    YK_TRY(make_room(f, n, err));
    YK_TRY(YK_GROW(&f->reference, &f->reference_room, n + 1, err));
    for (int k = 0; k < n; k++)
        f->reference[k] = f->d->variable[signal[k].variable].reference;
    return YOKE_OK;
}

/* Elements of an array: those of one variable follow each other, or the others
 * keep their values. */
static yoke_status set_elements(yk_fmu_instance *f, int count,
                                const yk_fmu_signal *signal,
                                const double *value, int *done, yoke_err *err)
{
    const int i = signal[0].variable;
    const yk_fmu_variable *v = &f->d->variable[i];

    YK_TRY(make_room(f, v->count, err));
    YK_TRY(transfer_array(f, "Get", i, err));
    for (*done = 0; *done < count && signal[*done].variable == i; ++*done)
        put_number(f, v->type, f->block, signal[*done].element, value[*done]);
    return transfer_array(f, "Set", i, err);
}

yoke_status yk_fmu_set(yk_fmu_instance *f, int count,
                       const yk_fmu_signal *signal, const double *value,
                       yoke_err *err)
{
    for (int i = 0, n = 0; i < count; i += n) {
        const yk_fmu_type type = f->d->variable[signal[i].variable].type;

        n = run_length(f, count, signal, i);
        if (n == 0) {
            YK_TRY(set_elements(f, count - i, signal + i, value + i, &n, err));
            continue;
        }
        YK_TRY(yk_fmu_references(f, n, signal + i, err));
        for (int k = 0; k < n; k++)
            put_number(f, type, f->block, k, value[i + k]);
        YK_TRY(name_variable(
            f, signal[i].variable,
            transfer(f, "Set", type, f->reference, n, f->block, n, err), err));
    }
    return YOKE_OK;
}

static yoke_status get_elements(yk_fmu_instance *f, int count,
                                const yk_fmu_signal *signal, double *value,
                                int *done, yoke_err *err)
{
    const int i = signal[0].variable;
    const yk_fmu_variable *v = &f->d->variable[i];

    YK_TRY(make_room(f, v->count, err));
    YK_TRY(transfer_array(f, "Get", i, err));
    for (*done = 0; *done < count && signal[*done].variable == i; ++*done)
        value[*done] = get_number(f, v->type, f->block, signal[*done].element);
    return YOKE_OK;
}

yoke_status yk_fmu_get(yk_fmu_instance *f, int count,
                       const yk_fmu_signal *signal, double *value,
                       yoke_err *err)
{
    for (int i = 0, n = 0; i < count; i += n) {
        const yk_fmu_type type = f->d->variable[signal[i].variable].type;

        n = run_length(f, count, signal, i);
        if (n == 0) {
            YK_TRY(get_elements(f, count - i, signal + i, value + i, &n, err));
            continue;
        }
        YK_TRY(yk_fmu_references(f, n, signal + i, err));
        YK_TRY(name_variable(
            f, signal[i].variable,
            transfer(f, "Get", type, f->reference, n, f->block, n, err), err));
        for (int k = 0; k < n; k++)
            value[i + k] = get_number(f, type, f->block, k);
    }
    return YOKE_OK;
}

static yoke_status refuse_value(const yk_fmu_variable *v, const char *text,
                                yoke_err *err)
{
    return yk_fail(err, YOKE_E_ARG, "\"%s\" = \"%s\" is not a value of %s%s",
                   v->name, text, yk_fmu_type_name(v->type),
                   v->array ? " for each element" : "");
}

/* One number of the text. */
static bool read_number(const char **text, double *out)
{
    char *end = NULL;

    while (**text == ' ' || **text == ',') ++*text;
    if (strncmp(*text, "true", 4) == 0 || strncmp(*text, "false", 5) == 0) {
        *out = **text == 't';
        *text += **text == 't' ? 4 : 5;
        return true;
    }
    *out = strtod(*text, &end);
    const bool found = end != *text;
    *text = end;
    return found;
}

yoke_status yk_fmu_set_text(yk_fmu_instance *f, int variable, const char *text,
                            yoke_err *err)
{
    const yk_fmu_variable *v = &f->d->variable[variable];
    const char *at = text;
    double number = 0.0;

    if (v->type == YK_FMU_STRING) {
        YK_TRY(transfer(f, "Set", v->type, &v->reference, 1, &text, 1, err));
        return YOKE_OK;
    }
    if (v->type == YK_FMU_BINARY || v->type == YK_FMU_CLOCK)
        return yk_fail(err, YOKE_E_MODEL,
                       "\"%s\" is of type %s, which cannot "
                       "be set",
                       v->name, yk_fmu_type_name(v->type));
    YK_TRY(make_room(f, v->count, err));
    for (int i = 0; i < v->count; i++) {
        if (!read_number(&at, &number)) return refuse_value(v, text, err);
        put_number(f, v->type, f->block, i, number);
    }
    if (at[strspn(at, " ")]) return refuse_value(v, text, err);
    return transfer_array(f, "Set", variable, err);
}
