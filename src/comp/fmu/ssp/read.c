/* comp/fmu/ssp/read.c -- a system structure description as a tree of elements. */
#include "comp/fmu/ssp/ssp.h"

#include "base/quoted.h"
#include "comp/fmu/ssp/policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- help -------------------------------------------------------------- */

static const char *const kinds[] = {
    [YK_SSP_INPUT] = "input",
    [YK_SSP_OUTPUT] = "output",
    [YK_SSP_PARAMETER] = "parameter",
    [YK_SSP_STRUCTURAL] = "structuralParameter",
    [YK_SSP_CALCULATED] = "calculatedParameter",
    [YK_SSP_CONSTANT] = "constant",
    [YK_SSP_LOCAL] = "local",
    [YK_SSP_INOUT] = "inout",
    [YK_SSP_UNSPECIFIED] = "unspecified",
};

const char *yk_ssp_kind_name(yk_ssp_kind kind)
{
    return kinds[kind];
}

yk_ssp_connector *yk_ssp_find(const yk_ssp_element *e, const char *name)
{
    const int at = yk_ssp_number_of(e->connector_at, name);

    return at < 0 ? NULL : e->connectors.item[at];
}

yk_ssp_element *yk_ssp_child(const yk_ssp_element *e, const char *name)
{
    const int at = yk_ssp_number_of(e->child_at, name);

    return at < 0 ? NULL : e->children.item[at];
}

/* The path of an element is that of its system, a dot, and its name, in quotes
 * where it must be; the root has none. */
static yoke_status make_path(yk_ssp *ssp, yk_ssp_element *e, yoke_err *err)
{
    const char *head = e->parent && e->parent->path ? e->parent->path : "";
    char *name = NULL;

    if (!e->parent) return YOKE_OK;
    if (strlen(head) + strlen(e->name) > YK_SSP_LONGEST_NAME)
        return yk_ssp_fail(
            e->file, e->line, err,
            "the name \"%.50s...\" is too long; names with those "
            "of their systems have at most %d bytes",
            e->name, YK_SSP_LONGEST_NAME);
    /* `run` alone means the options of a run. */
    const bool taken = !head[0] && strcmp(e->name, "run") == 0;
    YK_TRY(taken ? yk_copy_text(&name, "'run'", err)
                 : yk_quote(&name, e->name, err));
    const yoke_status status = yk_arena_print(
        &ssp->arena, &e->path, err, "%s%s%s", head, head[0] ? "." : "", name);
    yk_free(name);
    return status;
}

/* ---- units and transformations ----------------------------------------- */

static yoke_status read_base(yk_ssp *ssp, const yk_ssp_file *file,
                             const yk_xml *base, yk_fmu_unit *out,
                             yoke_err *err)
{
    static const char *const power[] = { "kg", "m",   "s",  "A",
                                         "K",  "mol", "cd", "rad" };
    double number = 0.0;

    out->known = base != NULL;
    YK_TRY(
        yk_ssp_read_number(ssp, file, base, "factor", 1.0, &out->factor, err));
    YK_TRY(
        yk_ssp_read_number(ssp, file, base, "offset", 0.0, &out->offset, err));
    for (int i = 0; i < 8; i++) {
        YK_TRY(
            yk_ssp_read_number(ssp, file, base, power[i], 0.0, &number, err));
        if (number != floor(number) || fabs(number) > 1000.0)
            return yk_ssp_fail(file, yk_xml_line(base), err,
                               "unit \"%.100s\": the exponent %g of %s is no "
                               "whole number",
                               out->name, number, power[i]);
        out->power[i] = (int)number;
    }
    return YOKE_OK;
}

/* The same again is no mistake. */
static yoke_status check_twice(const yk_ssp_file *file, const yk_xml *at,
                               const yk_fmu_unit *u, yoke_err *err)
{
    for (int i = 0; i < file->units; i++) {
        const yk_fmu_unit *o = &file->unit[i];
        if (strcmp(o->name, u->name) != 0) continue;
        if (o->known == u->known && o->factor == u->factor &&
            o->offset == u->offset &&
            memcmp(o->power, u->power, sizeof u->power) == 0)
            continue;
        return yk_ssp_fail(file, yk_xml_line(at), err,
                           "unit \"%.100s\" is defined twice, in different "
                           "ways",
                           u->name);
    }
    return YOKE_OK;
}

yoke_status yk_ssp_read_units(yk_ssp *ssp, yk_ssp_file *file,
                              const yk_xml *root, yoke_err *err)
{
    const yk_xml *list = yk_xml_child(root, "Units");
    int count = 0;

    for (const yk_xml *u = yk_xml_first(list); u; u = yk_xml_next(u)) count++;
    if (file->unit) return YOKE_OK; /* they are read with the file */
    YK_TRY(YK_TAKE(&ssp->arena, &file->unit, count + 1, err));
    for (const yk_xml *u = yk_xml_first(list); u; u = yk_xml_next(u)) {
        yk_fmu_unit *out = &file->unit[file->units];

        if (!yk_xml_named(u, "Unit")) continue;
        YK_TRY(yk_ssp_need(ssp, file, u, "name", &out->name, err));
        YK_TRY(read_base(ssp, file, yk_xml_child(u, "BaseUnit"), out, err));
        if (!isfinite(out->factor) || out->factor == 0.0 ||
            !isfinite(out->offset))
            return yk_ssp_fail(file, yk_xml_line(u), err,
                               "unit \"%.100s\" has the factor %g and the "
                               "offset %g",
                               out->name, out->factor, out->offset);
        YK_TRY(check_twice(file, u, out, err));
        file->units++;
    }
    return YOKE_OK;
}

/* true is 1. */
static bool is_same(const yk_ssp_transformation *by, const char *a,
                    const char *b)
{
    double x = 0.0, y = 0.0;

    if (by->kind == YK_SSP_BOOLEANS && yk_ssp_is_truth(a, &x) &&
        yk_ssp_is_truth(b, &y))
        return x == y;
    return strcmp(a, b) == 0;
}

static yoke_status read_map(yk_ssp *ssp, const yk_ssp_file *file,
                            const yk_xml *at, yk_ssp_transformation *out,
                            yoke_err *err)
{
    int count = 0;

    for (const yk_xml *m = yk_xml_first(at); m; m = yk_xml_next(m)) count++;
    YK_TRY(YK_TAKE(&ssp->arena, &out->source, count + 1, err));
    YK_TRY(YK_TAKE(&ssp->arena, &out->target, count + 1, err));
    for (const yk_xml *m = yk_xml_first(at); m; m = yk_xml_next(m)) {
        const int k = out->entries;

        if (!yk_xml_named(m, "MapEntry")) continue;
        YK_TRY(yk_ssp_need(ssp, file, m, "source", &out->source[k], err));
        YK_TRY(yk_ssp_need(ssp, file, m, "target", &out->target[k], err));
        for (int i = 0; i < k; i++)
            if (is_same(out, out->source[i], out->source[k]))
                return yk_ssp_fail(file, yk_xml_line(m), err,
                                   "\"%.100s\" is mapped twice",
                                   out->source[k]);
        out->entries++;
    }
    return yk_ssp_check_entries(file, yk_xml_line(at), out, err);
}

yoke_status yk_ssp_read_transformation(yk_ssp *ssp, const yk_ssp_file *file,
                                       const yk_xml *at,
                                       yk_ssp_transformation *out,
                                       yoke_err *err)
{
    static const char *const names[] = {
        [YK_SSP_LINEAR] = "LinearTransformation",
        [YK_SSP_BOOLEANS] = "BooleanMappingTransformation",
        [YK_SSP_INTEGERS] = "IntegerMappingTransformation",
        [YK_SSP_ITEMS] = "EnumerationMappingTransformation",
    };

    *out = (yk_ssp_transformation){ .factor = 1.0 };
    YK_TRY(yk_ssp_read_truth(ssp, file, at, "suppressUnitConversion",
                             &out->any_units, err));
    for (const yk_xml *c = yk_xml_first(at); c; c = yk_xml_next(c)) {
        YK_TRY(yk_ssp_check_transformation(file, c, err));
        for (int k = YK_SSP_LINEAR; k <= YK_SSP_ITEMS; k++) {
            if (!yk_xml_named(c, names[k])) continue;
            if (out->kind != YK_SSP_AS_IT_IS)
                return yk_ssp_fail(file, yk_xml_line(c), err,
                                   "two transformations of one value");
            out->kind = (yk_ssp_transformation_kind)k;
            if (k != YK_SSP_LINEAR) {
                YK_TRY(read_map(ssp, file, c, out, err));
                continue;
            }
            YK_TRY(yk_ssp_read_number(ssp, file, c, "factor", 1.0, &out->factor,
                                      err));
            YK_TRY(yk_ssp_read_number(ssp, file, c, "offset", 0.0, &out->offset,
                                      err));
        }
    }
    return YOKE_OK;
}

/* ---- connectors -------------------------------------------------------- */

static const char *const types[] = {
    "Real",    "Float64", "Float32",     "Integer", "Int8",  "UInt8",
    "Int16",   "UInt16",  "Int32",       "UInt32",  "Int64", "UInt64",
    "Boolean", "String",  "Enumeration", "Binary",  "Clock",
};

enum { TYPES = sizeof types / sizeof types[0] };

static yoke_status read_kind(yk_ssp *ssp, const yk_ssp_file *file,
                             const yk_xml *at, yk_ssp_kind *out, yoke_err *err)
{
    const char *text = NULL;

    YK_TRY(yk_xml_copy(&ssp->arena, at, "kind", &text, err));
    *out = YK_SSP_UNSPECIFIED;
    if (!text) return YOKE_OK;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(text, kinds[k]) == 0) {
            *out = (yk_ssp_kind)k;
            return YOKE_OK;
        }
    return yk_ssp_fail(file, yk_xml_line(at), err,
                       "kind=\"%.100s\" is not a kind of connector", text);
}

static yoke_status read_connector(yk_ssp *ssp, const yk_ssp_file *file,
                                  const yk_xml *at, yk_ssp_element *e,
                                  yoke_err *err)
{
    yk_ssp_connector *c = NULL;

    YK_TRY(YK_TAKE(&ssp->arena, &c, 1, err));
    *c = (yk_ssp_connector){
        .owner = e, .file = file, .line = yk_xml_line(at), .variable = -1
    };
    YK_TRY(yk_ssp_need(ssp, file, at, "name", &c->name, err));
    if (yk_ssp_find(e, c->name))
        return yk_ssp_fail(file, c->line, err,
                           "%s has two connectors named \"%.100s\"",
                           e->path ? e->path : "the system", c->name);
    YK_TRY(read_kind(ssp, file, at, &c->kind, err));
    for (const yk_xml *t = yk_xml_first(at); t; t = yk_xml_next(t))
        for (int k = 0; k < TYPES; k++)
            if (yk_xml_named(t, types[k]) && !c->type) {
                c->type = types[k];
                YK_TRY(yk_xml_copy(&ssp->arena, t, "unit", &c->unit, err));
            }
    if (e->what == YK_SSP_DICTIONARY) c->kind = YK_SSP_INOUT;
    YK_TRY(
        yk_ssp_index(ssp, &e->connector_at, c->name, e->connectors.count, err));
    return yk_list_push(&ssp->arena, &e->connectors, c, err);
}

static yoke_status read_connectors(yk_ssp *ssp, const yk_ssp_file *file,
                                   const yk_xml *list, const char *name,
                                   yk_ssp_element *e, yoke_err *err)
{
    for (const yk_xml *c = yk_xml_first(list); c; c = yk_xml_next(c))
        if (yk_xml_named(c, name)) YK_TRY(read_connector(ssp, file, c, e, err));
    return YOKE_OK;
}

/* ---- signal dictionaries ----------------------------------------------- */

/* A dictionary is in the SSD, or a file of its own. */
static yoke_status read_dictionary(yk_ssp *ssp, const yk_ssp_file *file,
                                   const yk_xml *at, yk_ssp_element *system,
                                   yoke_err *err)
{
    const yk_xml *inside = yk_xml_child(at, "SignalDictionary");
    const char *source = NULL;
    yk_ssp_element *e = NULL;
    yk_ssp_file *own = NULL;

    YK_TRY(YK_TAKE(&ssp->arena, &e, 1, err));
    *e = (yk_ssp_element){ .what = YK_SSP_DICTIONARY,
                           .parent = system,
                           .file = file,
                           .line = yk_xml_line(at) };
    YK_TRY(yk_ssp_need(ssp, file, at, "name", &e->name, err));
    for (int i = 0; i < system->dictionaries.count; i++)
        if (strcmp(((yk_ssp_element *)system->dictionaries.item[i])->name,
                   e->name) == 0)
            return yk_ssp_fail(file, e->line, err,
                               "there are two signal dictionaries named "
                               "\"%.100s\"",
                               e->name);
    YK_TRY(make_path(ssp, e, err));
    YK_TRY(yk_xml_copy(&ssp->arena, at, "source", &source, err));
    if (source) {
        YK_TRY(yk_ssp_open_file(ssp, file, NULL, e->line, source, &own, err));
        inside = yk_xml_root(own->document);
    } else {
        YK_TRY(YK_TAKE(&ssp->arena, &own, 1, err));
        *own = (yk_ssp_file){ .path = file->path };
    }
    if (!yk_xml_named(inside, "SignalDictionary"))
        return yk_ssp_fail(file, e->line, err,
                           "\"%.100s\" is not a signal dictionary",
                           source ? source : e->name);
    YK_TRY(yk_ssp_read_units(ssp, own, inside, err));
    YK_TRY(read_connectors(ssp, own, inside, "DictionaryEntry", e, err));
    return yk_list_push(&ssp->arena, &system->dictionaries, e, err);
}

/* The dictionary of this name in the system or the nearest one around it. */
static const yk_ssp_element *find_dictionary(const yk_ssp_element *system,
                                             const char *name)
{
    for (; system; system = system->parent)
        for (int i = 0; i < system->dictionaries.count; i++) {
            const yk_ssp_element *d = system->dictionaries.item[i];
            if (strcmp(d->name, name) == 0) return d;
        }
    return NULL;
}

static yoke_status read_reference(yk_ssp *ssp, const yk_ssp_file *file,
                                  const yk_xml *at, yk_ssp_element *e,
                                  yoke_err *err)
{
    const char *name = NULL;

    YK_TRY(yk_ssp_need(ssp, file, at, "dictionary", &name, err));
    e->dictionary = find_dictionary(e->parent, name);
    if (!e->dictionary)
        return yk_ssp_fail(file, e->line, err,
                           "there is no signal dictionary \"%.100s\"", name);
    for (int i = 0; i < e->connectors.count; i++) {
        const yk_ssp_connector *c = e->connectors.item[i];
        const yk_ssp_connector *entry = yk_ssp_find(e->dictionary, c->name);

        if (!entry)
            return yk_ssp_fail(file, c->line, err,
                               "the signal dictionary \"%.100s\" has no entry "
                               "\"%.100s\"",
                               name, c->name);
        if (c->unit && entry->unit && strcmp(c->unit, entry->unit) != 0)
            return yk_ssp_fail(file, c->line, err,
                               "\"%.100s\" is in %.50s here and in %.50s in "
                               "the signal dictionary; write the same unit",
                               c->name, c->unit, entry->unit);
    }
    return YOKE_OK;
}

/* ---- elements ---------------------------------------------------------- */

static yoke_status read_system(yk_ssp *ssp, const yk_ssp_file *file,
                               const yk_xml *at, yk_ssp_element *e,
                               yoke_err *err);

/* Options of Yoke in its own annotation, which other tools pass by. */
static yoke_status read_options(yk_ssp *ssp, const yk_ssp_file *file,
                                const yk_xml *at, yk_list *out, yoke_err *err)
{
    const yk_xml *list = yk_xml_child(at, "Annotations");

    for (const yk_xml *a = yk_xml_first(list); a; a = yk_xml_next(a)) {
        char *type = yk_xml_text(a, "type");
        const bool ours = type && strcmp(type, YK_SSP_ANNOTATION) == 0;

        yk_xml_free_text(type);
        for (const yk_xml *o = yk_xml_first(a); ours && o; o = yk_xml_next(o)) {
            const char *name = NULL, *value = NULL;

            YK_TRY(yk_ssp_need(ssp, file, o, "name", &name, err));
            YK_TRY(yk_ssp_need(ssp, file, o, "value", &value, err));
            YK_TRY(yk_list_push(&ssp->arena, out, (void *)(size_t)name, err));
            YK_TRY(yk_list_push(&ssp->arena, out, (void *)(size_t)value, err));
        }
    }
    return YOKE_OK;
}

static yoke_status read_content(yk_ssp *ssp, const yk_ssp_file *file,
                                const yk_xml *at, yk_ssp_element *e,
                                yoke_err *err)
{
    YK_TRY(yk_ssp_once(file, at, err));
    YK_TRY(read_connectors(ssp, file, yk_xml_child(at, "Connectors"),
                           "Connector", e, err));
    if (e->what == YK_SSP_SYSTEM)
        YK_TRY(read_system(ssp, file, at, e, err));
    else if (e->what == YK_SSP_COMPONENT) {
        YK_TRY(read_options(ssp, file, at, &e->options, err));
        YK_TRY(yk_ssp_source(ssp, at, e, err));
    } else
        YK_TRY(read_reference(ssp, file, at, e, err));
    return yk_ssp_read_bindings(ssp, file,
                                yk_xml_child(at, "ParameterBindings"), e, err);
}

static yoke_status read_element(yk_ssp *ssp, const yk_ssp_file *file,
                                const yk_xml *at, yk_ssp_element *system,
                                yoke_err *err)
{
    const bool is_system = yk_xml_named(at, "System");
    const bool is_reference = yk_xml_named(at, "SignalDictionaryReference");
    yk_ssp_element *e = NULL;

    if (!is_system && !is_reference && !yk_xml_named(at, "Component"))
        return YOKE_OK;
    if (++ssp->elements > YK_SSP_MOST_ELEMENTS)
        return yk_ssp_fail(file, yk_xml_line(at), err,
                           "more than %d elements, those of nested systems "
                           "included",
                           YK_SSP_MOST_ELEMENTS);
    YK_TRY(YK_TAKE(&ssp->arena, &e, 1, err));
    *e = (yk_ssp_element){ .what = is_system      ? YK_SSP_SYSTEM
                                   : is_reference ? YK_SSP_DICTIONARY
                                                  : YK_SSP_COMPONENT,
                           .parent = system,
                           .file = file,
                           .line = yk_xml_line(at) };
    YK_TRY(yk_ssp_need(ssp, file, at, "name", &e->name, err));
    if (!e->name[0])
        return yk_ssp_fail(file, e->line, err, "an element without a name");
    if (yk_ssp_child(system, e->name))
        return yk_ssp_fail(file, e->line, err,
                           "there are two elements named \"%.100s\" in %s",
                           e->name, system->path ? system->path : "the system");
    if (is_system) e->xml = at;
    YK_TRY(make_path(ssp, e, err));
    YK_TRY(yk_ssp_index(ssp, &system->child_at, e->name, system->children.count,
                        err));
    YK_TRY(yk_list_push(&ssp->arena, &system->children, e, err));
    return read_content(ssp, file, at, e, err);
}

static yoke_status read_system(yk_ssp *ssp, const yk_ssp_file *file,
                               const yk_xml *at, yk_ssp_element *e,
                               yoke_err *err)
{
    const yk_xml *dictionaries = yk_xml_child(at, "SignalDictionaries");
    const yk_xml *elements = yk_xml_child(at, "Elements");
    int depth = 0;

    for (const yk_ssp_element *p = e; p; p = p->parent) depth++;
    if (depth > YK_SSP_DEEPEST)
        return yk_ssp_fail(file, yk_xml_line(at), err,
                           "systems are nested more than %d deep",
                           YK_SSP_DEEPEST);
    for (const yk_xml *d = yk_xml_first(dictionaries); d; d = yk_xml_next(d))
        if (yk_xml_named(d, "SignalDictionary"))
            YK_TRY(read_dictionary(ssp, file, d, e, err));
    for (const yk_xml *c = yk_xml_first(elements); c; c = yk_xml_next(c))
        YK_TRY(read_element(ssp, file, c, e, err));
    return yk_ssp_connect(ssp, file, yk_xml_child(at, "Connections"), e, err);
}

/* ---- the whole --------------------------------------------------------- */

static yoke_status read_version(yk_ssp *ssp, const yk_ssp_file *file,
                                const yk_xml *root, int *out, yoke_err *err)
{
    const char *version = NULL;

    if (!yk_xml_named(root, "SystemStructureDescription"))
        return yk_ssp_fail(file, yk_xml_line(root), err,
                           "this is not a system structure description");
    YK_TRY(yk_ssp_need(ssp, file, root, "version", &version, err));
    *out = version[0] - '0';
    if ((*out == 1 || *out == 2) && version[1] == '.') return YOKE_OK;
    return yk_ssp_fail(file, yk_xml_line(root), err,
                       "SSP version \"%.50s\"; Yoke reads 1.0 and 2.0",
                       version);
}

static yoke_status read_experiment(yk_ssp *ssp, const yk_ssp_file *file,
                                   const yk_xml *root, yoke_err *err)
{
    const yk_xml *at = yk_xml_child(root, "DefaultExperiment");

    YK_TRY(
        yk_ssp_read_number(ssp, file, at, "startTime", NAN, &ssp->start, err));
    YK_TRY(yk_ssp_read_number(ssp, file, at, "stopTime", NAN, &ssp->stop, err));
    return read_options(ssp, file, at, &ssp->options, err);
}

/* A component that refers to a description is its system; its own connectors
 * must be there. */
static yoke_status check_interface(const yk_ssp_element *outside,
                                   const yk_ssp_element *inside, yoke_err *err)
{
    for (int i = 0; i < outside->connectors.count; i++) {
        const yk_ssp_connector *c = outside->connectors.item[i];

        if (yk_ssp_find(inside, c->name)) continue;
        yk_ssp_fail(c->file, c->line, err,
                    "the system that \"%s\" refers to has no connector "
                    "\"%.100s\"",
                    outside->path, c->name);
        yk_ssp_suggest_connector(inside, c->name, err);
        return YOKE_E_FILE;
    }
    return YOKE_OK;
}

yoke_status yk_ssp_read_inside(yk_ssp *ssp, const yk_ssp_file *file,
                               const yk_xml *system, yk_ssp_element *e,
                               yoke_err *err)
{
    const yk_ssp_element outside = *e;

    for (const yk_ssp_element *p = e->parent; p; p = p->parent)
        if (p->xml == system)
            return yk_ssp_fail(e->file, e->line, err,
                               "\"%s\" refers to the system that it is in",
                               e->path);
    e->what = YK_SSP_SYSTEM;
    e->file = file;
    e->xml = system;
    e->connectors = (yk_list){ 0 };
    e->connector_at = NULL;
    YK_TRY(read_content(ssp, file, system, e, err));
    return check_interface(&outside, e, err);
}

yoke_status yk_ssp_read(yk_ssp *ssp, const yk_ssp_file *file,
                        yk_ssp_element *into, yoke_err *err)
{
    const yk_xml *root = yk_xml_root(file->document);
    const yk_xml *system = yk_xml_child(root, "System");
    yk_ssp_element *e = ssp->root;
    int version = 0;

    YK_TRY(read_version(ssp, file, root, &version, err));
    if (!system)
        return yk_ssp_fail(file, yk_xml_line(root), err, "there is no system");
    YK_TRY(yk_ssp_once(file, root, err));
    for (const yk_xml *o = yk_xml_next(system); o; o = yk_xml_next(o))
        if (yk_xml_named(o, "System"))
            return yk_ssp_fail(file, yk_xml_line(o), err,
                               "there is a second system, beside that in line "
                               "%d; put both into one",
                               yk_xml_line(system));
    if (into) return yk_ssp_read_inside(ssp, file, system, into, err);
    ssp->version = version;
    YK_TRY(yk_xml_copy(&ssp->arena, root, "name", &ssp->name, err));
    YK_TRY(yk_xml_copy(&ssp->arena, system, "name", &e->name, err));
    YK_TRY(read_experiment(ssp, file, root, err));
    e->what = YK_SSP_SYSTEM;
    e->file = file;
    e->xml = system;
    return read_content(ssp, file, system, e, err);
}
