/* comp/fmu/ssp/connect.c -- connections, and what feeds an input through all
 * systems.
 *
 * A connection goes from a connector that gives to one that takes: outside of
 * an element its outputs give and its inputs take, inside of a system it is the
 * other way round.  So each connector is fed by at most one other, and going
 * back from the input of a component, through connectors of systems and entries
 * of signal dictionaries, ends at an output of a component or at a connector
 * that nothing feeds.
 */
#include "comp/fmu/ssp/ssp.h"

#include "base/near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- connections ------------------------------------------------------- */

void yk_ssp_suggest_connector(const yk_ssp_element *e, const char *name,
                              yoke_err *err)
{
    const char **list = NULL;
    const int count = e->connectors.count;

    if (YK_NEW(&list, count + 1, NULL) != YOKE_OK) return;
    for (int i = 0; i < count; i++)
        list[i] = ((const yk_ssp_connector *)e->connectors.item[i])->name;
    const char *near = yk_nearest_word(name, count, list);
    if (near) yk_suffix(err, "; is \"%.100s\" meant?", near);
    for (int i = 0; !near && i < count && i < 10; i++)
        yk_suffix(err, "%s%.60s", i == 0 ? "; it has: " : ", ", list[i]);
    yk_free(list);
}

typedef struct end {
    yk_ssp_connector *connector;
    bool inside; /* of the system: it is the system's own */
} end;

static yoke_status find_element(const yk_ssp_file *file, const yk_xml *at,
                                yk_ssp_element *system, const char *name,
                                yk_ssp_element **out, yoke_err *err)
{
    *out = name ? yk_ssp_child(system, name) : system;
    if (*out) return YOKE_OK;
    return yk_ssp_fail(file, yk_xml_line(at), err,
                       "there is no element \"%.100s\" in %s", name,
                       system->path ? system->path : "the system");
}

static yoke_status find_end(yk_ssp *ssp, const yk_ssp_file *file,
                            const yk_xml *at, yk_ssp_element *system,
                            const char *element, const char *connector,
                            end *out, yoke_err *err)
{
    const char *owner = NULL, *name = NULL;
    yk_ssp_element *e = NULL;

    YK_TRY(yk_xml_copy(&ssp->arena, at, element, &owner, err));
    YK_TRY(yk_ssp_need(ssp, file, at, connector, &name, err));
    YK_TRY(find_element(file, at, system, owner, &e, err));
    out->inside = !owner;
    out->connector = yk_ssp_find(e, name);
    if (!out->connector) {
        yk_ssp_fail(file, yk_xml_line(at), err,
                    "%s has no connector \"%.100s\"",
                    e->path ? e->path : "the system", name);
        yk_ssp_suggest_connector(e, name, err);
        return YOKE_E_FILE;
    }
    if (e->dictionary) /* all references share its entries */
        out->connector = yk_ssp_find(e->dictionary, name);
    return YOKE_OK;
}

/* What a connector of unspecified kind is, its FMU says. */
static yk_ssp_kind kind_of(const yk_ssp_connector *c)
{
    const yk_ssp_element *e = c->owner;

    if (c->kind != YK_SSP_UNSPECIFIED || !e->fmu) return c->kind;
    const int v = yk_fmu_find(e->fmu->description, c->name);
    if (v < 0) return c->kind;
    switch (e->fmu->description->variable[v].causality) {
    case YK_FMU_INPUT:
        return YK_SSP_INPUT;
    case YK_FMU_PARAMETER:
        return YK_SSP_PARAMETER;
    case YK_FMU_STRUCTURAL:
        return YK_SSP_STRUCTURAL;
    default:
        return YK_SSP_OUTPUT;
    }
}

static bool may(const end *e, bool give)
{
    const yk_ssp_kind kind = kind_of(e->connector);
    const bool takes = kind == YK_SSP_INPUT || kind == YK_SSP_PARAMETER ||
                       kind == YK_SSP_STRUCTURAL;

    if (kind == YK_SSP_INOUT || kind == YK_SSP_UNSPECIFIED) return true;
    return (takes != e->inside) != give;
}

static const char *owner_name(const yk_ssp_connector *c)
{
    return c->owner->path ? c->owner->path : "system";
}

static yoke_status join(const yk_ssp_file *file, int line, const end *from,
                        const end *to, const yk_ssp_transformation *by,
                        yoke_err *err)
{
    yk_ssp_connector *c = to->connector;

    if (from->connector == c)
        return yk_ssp_fail(file, line, err,
                           "\"%.100s\" of %s is connected with itself", c->name,
                           owner_name(c));
    if (c->from)
        return yk_ssp_fail(file, line, err,
                           "\"%.100s\" of %s has a connection in line %d "
                           "already; only one can feed it",
                           c->name, owner_name(c), c->from_line);
    c->from = from->connector;
    c->by = *by;
    c->from_file = file;
    c->from_line = line;
    return YOKE_OK;
}

/* The standard does not say whether indices count from 0 or from 1. */
static yoke_status refuse_indices(const yk_ssp_file *file, const yk_xml *at,
                                  yoke_err *err)
{
    static const char *const name[] = { "startIndices", "endIndices" };

    for (int i = 0; i < 2; i++) {
        char *text = yk_xml_text(at, name[i]);
        const bool there = text != NULL;

        yk_xml_free_text(text);
        if (there)
            return yk_ssp_fail(file, yk_xml_line(at), err,
                               "%s is not supported; connect whole arrays, or "
                               "give the elements variables of their own",
                               name[i]);
    }
    return YOKE_OK;
}

static yoke_status connect(yk_ssp *ssp, const yk_ssp_file *file,
                           const yk_xml *at, yk_ssp_element *system,
                           yoke_err *err)
{
    const int line = yk_xml_line(at);
    yk_ssp_transformation by;
    end a, b;

    YK_TRY(find_end(ssp, file, at, system, "startElement", "startConnector", &a,
                    err));
    YK_TRY(
        find_end(ssp, file, at, system, "endElement", "endConnector", &b, err));
    YK_TRY(refuse_indices(file, at, err));
    YK_TRY(yk_ssp_read_transformation(ssp, file, at, &by, err));
    if (may(&a, true) && may(&b, false))
        return join(file, line, &a, &b, &by, err);
    if (may(&b, true) && may(&a, false))
        return join(file, line, &b, &a, &by, err);
    return yk_ssp_fail(file, line, err,
                       "\"%.100s\" of %s (%s) and \"%.100s\" of %s (%s) cannot "
                       "be connected: none can feed the other",
                       a.connector->name, owner_name(a.connector),
                       yk_ssp_kind_name(a.connector->kind), b.connector->name,
                       owner_name(b.connector),
                       yk_ssp_kind_name(b.connector->kind));
}

yoke_status yk_ssp_connect(yk_ssp *ssp, const yk_ssp_file *file,
                           const yk_xml *list, yk_ssp_element *system,
                           yoke_err *err)
{
    for (const yk_xml *c = yk_xml_first(list); c; c = yk_xml_next(c))
        if (yk_xml_named(c, "Connection"))
            YK_TRY(connect(ssp, file, c, system, err));
    return YOKE_OK;
}

/* ---- variables --------------------------------------------------------- */

static bool agrees(yk_ssp_kind kind, const yk_fmu_variable *v)
{
    switch (kind) {
    case YK_SSP_INPUT:
        return v->causality == YK_FMU_INPUT;
    case YK_SSP_PARAMETER:
    case YK_SSP_STRUCTURAL:
        return v->causality == YK_FMU_PARAMETER ||
               v->causality == YK_FMU_STRUCTURAL;
    case YK_SSP_OUTPUT:
    case YK_SSP_LOCAL:
    case YK_SSP_CALCULATED:
    case YK_SSP_CONSTANT:
        return v->causality != YK_FMU_INPUT &&
               v->causality != YK_FMU_INDEPENDENT;
    default:
        return true;
    }
}

static bool is_real(const yk_fmu_variable *v)
{
    return v->type == YK_FMU_FLOAT64 || v->type == YK_FMU_FLOAT32;
}

/* Real numbers, truths, texts and all the others: whole numbers and items. */
static int family(const yk_fmu_variable *v)
{
    return is_real(v)                  ? 0
           : v->type == YK_FMU_BOOLEAN ? 1
           : v->type == YK_FMU_STRING  ? 2
           : v->type == YK_FMU_BINARY  ? 3
                                       : 4;
}

/* What the connector says that it is. */
static yoke_status check_type(const yk_ssp_connector *c,
                              const yk_fmu_variable *v, yoke_err *err)
{
    static const char *const first[] = { "Real", "Boolean", "String", "Binary",
                                         "" };
    int own = 4;

    if (!c->type || strcmp(c->type, "Clock") == 0) return YOKE_OK;
    for (int k = 0; k < 4; k++)
        if (strcmp(c->type, first[k]) == 0) own = k;
    if (strncmp(c->type, "Float", 5) == 0) own = 0;
    if (own == family(v)) return YOKE_OK;
    return yk_ssp_fail(c->file, c->line, err,
                       "connector \"%.100s\" of %s is a %s, but the variable "
                       "of the FMU a %s",
                       c->name, owner_name(c), c->type,
                       yk_fmu_type_name(v->type));
}

/* The unit of a connector is that of the variable, or nothing is certain. */
static yoke_status check_unit(const yk_ssp_connector *c,
                              const yk_fmu_variable *v, yoke_err *err)
{
    const yk_ssp_unit own = yk_ssp_unit_of(c->file, c->unit);
    const yk_ssp_unit other =
        yk_ssp_unit_in(c->owner->fmu->description, v->unit);
    double factor = 1.0, offset = 0.0;

    if (!c->unit || !v->unit) return YOKE_OK;
    if (yk_ssp_units(&own, &other, &factor, &offset, NULL) == YOKE_OK &&
        fabs(factor - 1.0) < 1e-9 && offset == 0.0)
        return YOKE_OK;
    return yk_ssp_fail(c->file, c->line, err,
                       "connector \"%.100s\" of %s is in %.50s, but the "
                       "variable of the FMU in %.50s; write the unit of the "
                       "FMU, or none",
                       c->name, owner_name(c), c->unit, v->unit);
}

yoke_status yk_ssp_variable(yk_ssp_connector *c, const yk_fmu_variable **out,
                            yoke_err *err)
{
    const yk_fmu_description *d = c->owner->fmu->description;
    const int v = c->variable >= 0 ? c->variable : yk_fmu_find(d, c->name);

    if (v < 0)
        return yk_ssp_fail(c->file, c->line, err,
                           "%s has no variable \"%.100s\", which is a "
                           "connector of %s",
                           c->owner->fmu->shown, c->name, owner_name(c));
    *out = &d->variable[v];
    if (c->variable >= 0) return YOKE_OK;
    if (!agrees(c->kind, *out))
        return yk_ssp_fail(
            c->file, c->line, err,
            "connector \"%.100s\" of %s is of the kind %s, which "
            "the variable of the FMU is not",
            c->name, owner_name(c), yk_ssp_kind_name(c->kind));
    YK_TRY(check_type(c, *out, err));
    YK_TRY(check_unit(c, *out, err));
    c->variable = v;
    return YOKE_OK;
}

/* ---- what feeds an input ----------------------------------------------- */

static yoke_status refuse_map(const yk_ssp_connector *to, yoke_err *err)
{
    return yk_ssp_fail(to->from_file, to->from_line, err,
                       "the mapping of values into \"%.100s\" of %s is not "
                       "supported for signals: a signal takes a factor and an "
                       "offset, and no such pair does the same for all values; "
                       "put the mapping into an FMU",
                       to->name, owner_name(to));
}

static double truth(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "1") == 0 ? 1.0 : 0.0;
}

/* Two values lie on a line. */
static void map_booleans(const yk_ssp_transformation *by, double *factor,
                         double *offset)
{
    double target[2] = { 0.0, 1.0 };

    for (int i = 0; i < by->entries; i++)
        target[truth(by->source[i]) != 0.0] = truth(by->target[i]);
    *factor = target[1] - target[0];
    *offset = target[0];
}

/* What a value becomes, by its number. */
static double map_number(const yk_ssp_transformation *by, double value)
{
    for (int i = 0; i < by->entries; i++)
        if (strtod(by->source[i], NULL) == value)
            return strtod(by->target[i], NULL);
    return value;
}

/* What an item of an enumeration becomes; NAN: nobody says. */
static double map_item(const yk_ssp_transformation *by, const char *name,
                       const yk_fmu_variable *to)
{
    for (int i = 0; i < by->entries; i++)
        if (strcmp(by->source[i], name) == 0) name = by->target[i];
    for (int i = 0; i < to->items; i++)
        if (strcmp(to->item[i].name, name) == 0) return to->item[i].value;
    return NAN;
}

/* Values and what becomes of them, if all lie on a line. */
typedef struct line {
    int count;
    double x, y, factor;
} line;

static bool on_line(line *l, double x, double y)
{
    if (l->count == 0) {
        l->x = x;
        l->y = y;
        l->factor = 1.0;
    } else if (l->count == 1) {
        l->factor = (y - l->y) / (x - l->x);
    }
    l->count++;
    return y == l->y + l->factor * (x - l->x);
}

/* All values that the variable can have. */
static bool map_values(const yk_ssp_transformation *by,
                       const yk_fmu_variable *from, const yk_fmu_variable *to,
                       line *l)
{
    static const double most = 1000.0;
    const bool items = by->kind == YK_SSP_ITEMS;

    if (items && (from->items == 0 || !to)) return false;
    for (int i = 0; i < from->items; i++)
        if (!on_line(l, from->item[i].value,
                     items ? map_item(by, from->item[i].name, to)
                           : map_number(by, from->item[i].value)))
            return false;
    if (from->items > 0) return true;
    if (!(from->most - from->least >= 0.0 && from->most - from->least <= most))
        return false;
    for (double value = from->least; value <= from->most; value += 1.0)
        if (!on_line(l, value, map_number(by, value))) return false;
    return true;
}

static const yk_fmu_variable *variable_of(const yk_ssp_connector *c)
{
    return c->owner->fmu && c->variable >= 0
               ? &c->owner->fmu->description->variable[c->variable]
               : NULL;
}

/* Booleans are mapped as such, and whole numbers. */
static yoke_status check_mapped(const yk_ssp_connector *to,
                                const yk_fmu_variable *from, yoke_err *err)
{
    const bool truths = to->by.kind == YK_SSP_BOOLEANS;

    if (!from || (truths ? from->type == YK_FMU_BOOLEAN
                         : from->type != YK_FMU_BOOLEAN && !is_real(from)))
        return YOKE_OK;
    return yk_ssp_fail(to->from_file, to->from_line, err,
                       "\"%.100s\" of %s is a %s, and this mapping is one of "
                       "%s",
                       to->from->name, owner_name(to->from),
                       yk_fmu_type_name(from->type),
                       truths ? "Booleans" : "whole numbers");
}

static yoke_status map(const yk_ssp_connector *to, double *factor,
                       double *offset, yoke_err *err)
{
    const yk_ssp_transformation *by = &to->by;
    const yk_fmu_variable *from = variable_of(to->from);
    line l = { 0 };

    *factor = by->kind == YK_SSP_LINEAR ? by->factor : 1.0;
    *offset = by->kind == YK_SSP_LINEAR ? by->offset : 0.0;
    if (by->kind == YK_SSP_LINEAR || by->kind == YK_SSP_AS_IT_IS)
        return YOKE_OK;
    YK_TRY(check_mapped(to, from, err));
    if (by->kind == YK_SSP_BOOLEANS) {
        map_booleans(by, factor, offset);
        return YOKE_OK;
    }
    if (by->entries == 0) return YOKE_OK;
    if (!from || !map_values(by, from, variable_of(to), &l))
        return refuse_map(to, err);
    *factor = l.factor;
    *offset = l.y - l.factor * l.x;
    return YOKE_OK;
}

static yk_ssp_unit unit_at(const yk_ssp_connector *c)
{
    const yk_ssp_element *e = c->owner;

    if (c->unit) return yk_ssp_unit_of(c->file, c->unit);
    if (e->fmu && c->variable >= 0)
        return yk_ssp_unit_in(e->fmu->description,
                              e->fmu->description->variable[c->variable].unit);
    return (yk_ssp_unit){ .name = NULL };
}

/* One connection of the chain: first the units, then the transformation. */
static yoke_status pass(const yk_ssp_connector *to, yk_ssp_unit *unit,
                        yk_ssp_feed *feed, yoke_err *err)
{
    const yk_ssp_unit next = unit_at(to);
    double factor = 1.0, offset = 0.0;

    if (!to->by.any_units && unit->name && next.name) {
        const yoke_status status =
            yk_ssp_units(unit, &next, &factor, &offset, err);
        if (status != YOKE_OK) {
            yk_suffix(err, "; correct the units, or write "
                           "suppressUnitConversion=\"true\"");
            yk_prefix(err, "%s:%d: \"%.100s\" of %s", to->from_file->path,
                      to->from_line, to->name, owner_name(to));
            return status;
        }
    }
    feed->factor *= factor;
    feed->offset = factor * feed->offset + offset;
    YK_TRY(map(to, &factor, &offset, err));
    feed->factor *= factor;
    feed->offset = factor * feed->offset + offset;
    if (next.name || to->by.any_units || to->by.kind != YK_SSP_AS_IT_IS)
        *unit = next;
    return YOKE_OK;
}

yoke_status yk_ssp_trace(yk_ssp *ssp, yk_ssp_connector *to, yk_ssp_feed *out,
                         yoke_err *err)
{
    const yk_fmu_variable *v = NULL;
    yk_list chain = { 0 };

    for (yk_ssp_connector *c = to; c->from; c = c->from) {
        for (int i = 0; i < chain.count; i++)
            if (chain.item[i] == c)
                return yk_ssp_fail(c->from_file, c->from_line, err,
                                   "\"%.100s\" of %s is connected with itself "
                                   "in a circle, without a component in it",
                                   c->name, owner_name(c));
        YK_TRY(yk_list_push(&ssp->arena, &chain, c, err));
        if (c->from->owner->fmu) YK_TRY(yk_ssp_variable(c->from, &v, err));
    }
    *out = (yk_ssp_feed){ .from = to, .factor = 1.0 };
    if (chain.count == 0) return YOKE_OK;
    out->from = ((yk_ssp_connector *)chain.item[chain.count - 1])->from;
    yk_ssp_unit unit = unit_at(out->from);
    for (int i = chain.count - 1; i >= 0; i--)
        YK_TRY(pass(chain.item[i], &unit, out, err));
    return YOKE_OK;
}
