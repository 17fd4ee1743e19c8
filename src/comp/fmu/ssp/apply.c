/* comp/fmu/ssp/apply.c -- values of the variables of FMUs.
 *
 * A binding of a system names variables by their path in it, "motor.R"; all
 * that bear the name get the value.  Bindings of an outer system win over those
 * inside, later ones over earlier ones.  A value of a connector of a system
 * goes where the connector feeds.
 */
#include "comp/fmu/ssp/ssp.h"
#include "comp/fmu/ssp/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- who gets a value -------------------------------------------------- */

static yoke_status give_variable(const yk_ssp_element *e, const char *name,
                                 yk_ssp_value *value, yoke_err *err)
{
    const yk_fmu_description *d = e->fmu->description;
    const int v = yk_fmu_find(d, name);

    if (v < 0) return YOKE_OK;
    if (!yk_fmu_may_set(&d->variable[v]))
        return yk_ssp_fail(value->file, value->line, err,
                           "\"%.100s\" of %s is computed by the FMU and cannot "
                           "be given a value",
                           name, e->path);
    e->value[v] = value;
    value->used = true;
    return YOKE_OK;
}

/* To all below `e` with this name. */
static yoke_status give(yk_ssp_element *e, const char *name,
                        yk_ssp_value *value, yoke_err *err)
{
    if (e->fmu) return give_variable(e, name, value, err);
    yk_ssp_connector *c = yk_ssp_find(e, name);
    if (c && e->what == YK_SSP_SYSTEM) {
        c->value = value;
        value->used = true;
    }
    const yk_ssp_element *first = NULL; /* that takes it */
    for (int i = 0; i < e->children.count; i++) {
        yk_ssp_element *child = e->children.item[i];
        const size_t length = strlen(child->name);
        const bool before = value->used;

        if (strncmp(name, child->name, length) != 0 || name[length] != '.')
            continue;
        value->used = false;
        YK_TRY(give(child, name + length + 1, value, err));
        if (value->used && first)
            return yk_ssp_fail(value->file, value->line, err,
                               "parameter \"%.100s\" fits %s and %s; give one "
                               "of them another name",
                               value->name, first->path, child->path);
        if (value->used) first = child;
        value->used = value->used || before;
    }
    return YOKE_OK;
}

static yoke_status apply_bindings(yk_ssp *ssp, yk_ssp_element *e, yoke_err *err)
{
    for (int i = 0; i < e->children.count; i++)
        YK_TRY(apply_bindings(ssp, e->children.item[i], err));
    for (int i = 0; i < e->bindings.count; i++) {
        const yk_ssp_binding *b = e->bindings.item[i];

        for (int k = 0; k < b->count; k++) {
            yk_ssp_value *value = &b->value[k];

            YK_TRY(give(e, value->name, value, err));
            if (!value->used)
                YK_TRY(yk_ssp_say(ssp, &ssp->warnings, err,
                                  "%s:%d: parameter \"%.100s\" fits nothing "
                                  "in %s and is passed by",
                                  value->file->path, value->line, value->name,
                                  e->path ? e->path : "the system"));
        }
    }
    return YOKE_OK;
}

/* ---- values as texts --------------------------------------------------- */

static yoke_status refuse(const yk_ssp_value *value, const yk_fmu_variable *v,
                          const char *why, yoke_err *err)
{
    return yk_ssp_fail(value->file, value->line, err,
                       "parameter \"%.100s\" = \"%.100s\" (%s) for \"%.100s\": "
                       "%s",
                       value->name, value->text, value->type, v->name, why);
}

/* The item of an enumeration of the FMU, by its name. */
static bool item_value(const yk_fmu_variable *v, const char *name, double *out)
{
    for (int i = 0; i < v->items; i++)
        if (strcmp(v->item[i].name, name) == 0) {
            *out = v->item[i].value;
            return true;
        }
    return false;
}

static const char *mapped(const yk_ssp_transformation *by, const char *text)
{
    for (int i = 0; i < by->entries; i++)
        if (strcmp(by->source[i], text) == 0) return by->target[i];
    return text;
}

/* The conversion of a value before it goes on: units, then its mapping. */
static yoke_status own_conversion(const yk_ssp_value *value,
                                  const yk_ssp_unit *to, double *factor,
                                  double *offset, yoke_err *err)
{
    const yk_ssp_unit from = yk_ssp_unit_of(value->file, value->unit);

    *factor = 1.0;
    *offset = 0.0;
    if (!value->by.any_units && value->unit && to->name) {
        const yoke_status status = yk_ssp_units(&from, to, factor, offset, err);
        if (status != YOKE_OK) {
            yk_prefix(err, "%s:%d: parameter \"%.100s\"", value->file->path,
                      value->line, value->name);
            return status;
        }
    }
    if (value->by.kind != YK_SSP_LINEAR) return YOKE_OK;
    *factor *= value->by.factor;
    *offset = value->by.factor * *offset + value->by.offset;
    return YOKE_OK;
}

static bool is_whole(const yk_fmu_variable *v)
{
    return v->type != YK_FMU_FLOAT64 && v->type != YK_FMU_FLOAT32;
}

/* One number of a list from *p on. */
static yoke_status next_number(const yk_ssp_value *value,
                               const yk_fmu_variable *v, const char **p,
                               double *out, yoke_err *err)
{
    char word[64], *end = NULL;
    const size_t length = strcspn(*p, " \t\r\n");

    snprintf(word, sizeof word, "%.*s", (int)length, *p);
    *p += length + strspn(*p + length, " \t\r\n");
    const char *text =
        value->by.kind == YK_SSP_INTEGERS || value->by.kind == YK_SSP_BOOLEANS
            ? mapped(&value->by, word)
            : word;
    if (strcmp(value->type, "Boolean") == 0) {
        if (v->type != YK_FMU_BOOLEAN)
            return refuse(value, v, "a number is expected", err);
        if (yk_ssp_is_truth(text, out)) return YOKE_OK;
        return refuse(value, v, "this is neither true nor false", err);
    }
    *out = strtod(text, &end);
    if (end == text || *end || length >= sizeof word || !isfinite(*out))
        return refuse(value, v, "this is not a number", err);
    if (strstr(value->type, "Int") && *out != floor(*out))
        return refuse(value, v, "this is not a whole number", err);
    return YOKE_OK;
}

static yoke_status put_number(const yk_ssp_value *value,
                              const yk_fmu_variable *v, double number, char *to,
                              size_t room, yoke_err *err)
{
    if (!isfinite(number)) return refuse(value, v, "it becomes too large", err);
    if (v->type == YK_FMU_BOOLEAN) {
        if (number != 0.0 && number != 1.0)
            return refuse(value, v, "this is neither true nor false", err);
        snprintf(to, room, "%s", number != 0.0 ? "true" : "false");
        return YOKE_OK;
    }
    if (is_whole(v) && number != floor(number))
        return refuse(value, v, "this is not a whole number", err);
    char text[YK_SSP_NUMBER];
    snprintf(to, room, "%s", yk_ssp_number(number, text));
    return YOKE_OK;
}

/* All numbers of a list, converted. */
static yoke_status numbers(yk_ssp *ssp, const yk_ssp_value *value,
                           const yk_fmu_variable *v, double factor,
                           double offset, const char **text, yoke_err *err)
{
    const size_t room = 26 * (strlen(value->text) / 2 + 2);
    const char *p = value->text + strspn(value->text, " \t\r\n");
    size_t used = 0;
    char *out = NULL;
    int count = 0;

    YK_TRY(YK_TAKE(&ssp->arena, &out, room, err));
    do {
        double number = 0.0;

        YK_TRY(next_number(value, v, &p, &number, err));
        if (used > 0) out[used++] = ' ';
        YK_TRY(put_number(value, v, factor * number + offset, out + used,
                          room - used, err));
        used += strlen(out + used);
        count++;
    } while (*p);
    if (count != v->count && !(v->array && count == 1))
        return refuse(value, v, "the number of values is another", err);
    *text = out;
    return YOKE_OK;
}

static yoke_status convert_text(const yk_fmu_variable *v,
                                const yk_ssp_value *value, char number[40],
                                const char **text, yoke_err *err)
{
    const char *item = mapped(&value->by, value->text);
    double found = 0.0;

    *text = value->text;
    if (v->type == YK_FMU_STRING) {
        if (strcmp(value->type, "String") == 0) return YOKE_OK;
        return refuse(value, v, "a text is expected", err);
    }
    if (!v->enumeration) return refuse(value, v, "a number is expected", err);
    if (!item_value(v, item, &found) || !isfinite(found))
        return refuse(value, v, "the enumeration of the FMU has no such item",
                      err);
    snprintf(number, 40, "%.17g", found);
    *text = number;
    return YOKE_OK;
}

yoke_status yk_ssp_convert(yk_ssp *ssp, const yk_ssp_fmu *fmu,
                           const yk_fmu_variable *v, const yk_ssp_value *value,
                           const yk_ssp_feed *feed, const char **text,
                           yoke_err *err)
{
    yk_ssp_unit unit = yk_ssp_unit_in(fmu->description, v->unit);
    const bool is_text = v->type == YK_FMU_STRING ||
                         strcmp(value->type, "String") == 0 ||
                         strcmp(value->type, "Enumeration") == 0;
    double factor = 1.0, offset = 0.0;
    char number[40];

    if (v->type == YK_FMU_BINARY || strcmp(value->type, "Binary") == 0)
        return refuse(value, v, "binary values are not supported", err);
    if (v->causality == YK_FMU_STRUCTURAL)
        return refuse(value, v,
                      "structural parameters are not supported; the FMU keeps "
                      "the sizes of its description",
                      err);
    if (is_text) {
        if (feed && (feed->factor != 1.0 || feed->offset != 0.0))
            return refuse(value, v, "only numbers can be transformed", err);
        YK_TRY(convert_text(v, value, number, text, err));
        return yk_ssp_copy(ssp, *text, text, err);
    }
    if (feed && feed->from->unit)
        unit = yk_ssp_unit_of(feed->from->file, feed->from->unit);
    else if (feed && (feed->factor != 1.0 || feed->offset != 0.0) &&
             value->unit && !value->by.any_units)
        return refuse(value, v,
                      "it goes through a connector without a unit, behind "
                      "which it is transformed; write the unit of the "
                      "connector",
                      err);
    YK_TRY(own_conversion(value, &unit, &factor, &offset, err));
    if (feed) {
        factor *= feed->factor;
        offset = feed->factor * offset + feed->offset;
    }
    return numbers(ssp, value, v, factor, offset, text, err);
}

yoke_status yk_ssp_apply(yk_ssp *ssp, yoke_err *err)
{
    return apply_bindings(ssp, ssp->root, err);
}
