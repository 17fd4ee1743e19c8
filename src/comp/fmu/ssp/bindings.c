/* comp/fmu/ssp/bindings.c -- parameter sets (.ssv) and mappings (.ssm).
 *
 * Names of a set get the prefix of the binding.  With a mapping only the
 * parameters it lists are applied, under their new names; without one all, and
 * what fits nothing is passed by.
 */
#include "comp/fmu/ssp/ssp.h"

#include <stdio.h>
#include <string.h>

/* ---- a set ------------------------------------------------------------- */

static const char *const types[] = {
    "Real",    "Float64", "Float32",     "Integer", "Int8",  "UInt8",
    "Int16",   "UInt16",  "Int32",       "UInt32",  "Int64", "UInt64",
    "Boolean", "String",  "Enumeration", "Binary",
};

enum { TYPES = sizeof types / sizeof types[0] };

/* <Value value="..."/> of texts, several of which are an array. */
static yoke_status read_values(yk_ssp *ssp, const yk_ssp_file *file,
                               const yk_xml *at, yk_ssp_value *out,
                               yoke_err *err)
{
    const yk_xml *first = yk_xml_child(at, "Value");

    YK_TRY(yk_xml_copy(&ssp->arena, at, "value", &out->text, err));
    if (out->text) return YOKE_OK;
    if (first && yk_xml_next(first))
        return yk_ssp_fail(file, out->line, err,
                           "parameter \"%.100s\": arrays of texts are not "
                           "supported",
                           out->name);
    return yk_ssp_need(ssp, file, first ? first : at, "value", &out->text, err);
}

static yoke_status join(yk_ssp *ssp, const char *head, const char *tail,
                        const char **out, yoke_err *err)
{
    return yk_arena_print(&ssp->arena, out, err, "%s%s", head, tail);
}

static yoke_status read_parameter(yk_ssp *ssp, const yk_ssp_file *file,
                                  const yk_xml *at, const char *prefix,
                                  yk_ssp_value *out, yoke_err *err)
{
    const char *name = NULL;

    *out = (yk_ssp_value){ .file = file,
                           .line = yk_xml_line(at),
                           .by = { .factor = 1.0 } };
    YK_TRY(yk_ssp_need(ssp, file, at, "name", &name, err));
    YK_TRY(join(ssp, prefix, name, &out->name, err));
    for (const yk_xml *t = yk_xml_first(at); t; t = yk_xml_next(t))
        for (int k = 0; k < TYPES; k++)
            if (yk_xml_named(t, types[k])) {
                if (out->type)
                    return yk_ssp_fail(file, yk_xml_line(t), err,
                                       "parameter \"%.100s\" has two values",
                                       name);
                out->type = types[k];
                YK_TRY(yk_xml_copy(&ssp->arena, t, "unit", &out->unit, err));
                YK_TRY(read_values(ssp, file, t, out, err));
            }
    if (out->type) return YOKE_OK;
    return yk_ssp_fail(file, out->line, err,
                       "parameter \"%.100s\" has no type and value", name);
}

static yoke_status check_version(yk_ssp *ssp, const yk_ssp_file *file,
                                 const yk_xml *at, yoke_err *err)
{
    const char *version = NULL;

    YK_TRY(yk_ssp_need(ssp, file, at, "version", &version, err));
    if ((version[0] == '1' || version[0] == '2') && version[1] == '.')
        return YOKE_OK;
    return yk_ssp_fail(file, yk_xml_line(at), err,
                       "version \"%.50s\"; Yoke reads 1.0 and 2.0", version);
}

static int count_children(const yk_xml *at, const char *name)
{
    int count = 0;

    for (const yk_xml *c = yk_xml_first(at); c; c = yk_xml_next(c))
        count += yk_xml_named(c, name);
    return count;
}

static yk_ssp_value *find_value(const yk_ssp_binding *b, const char *name)
{
    const int at = yk_ssp_number_of(b->at, name);

    return at < 0 ? NULL : &b->value[at];
}

static yoke_status read_set(yk_ssp *ssp, const yk_ssp_file *file,
                            const yk_xml *set, const char *prefix,
                            yk_ssp_binding *out, yoke_err *err)
{
    const yk_xml *list = yk_xml_child(set, "Parameters");

    YK_TRY(check_version(ssp, file, set, err));
    YK_TRY(yk_ssp_once(file, set, err));
    YK_TRY(YK_TAKE(&ssp->arena, &out->value,
                   count_children(list, "Parameter") + 1, err));
    for (const yk_xml *p = yk_xml_first(list); p; p = yk_xml_next(p)) {
        yk_ssp_value *v = &out->value[out->count];

        if (!yk_xml_named(p, "Parameter")) continue;
        YK_TRY(read_parameter(ssp, file, p, prefix, v, err));
        if (find_value(out, v->name))
            return yk_ssp_fail(file, v->line, err,
                               "there are two parameters named \"%.100s\"",
                               v->name);
        YK_TRY(yk_ssp_index(ssp, &out->at, v->name, out->count, err));
        out->count++;
    }
    return YOKE_OK;
}

/* ---- a mapping --------------------------------------------------------- */

static yoke_status map_entry(yk_ssp *ssp, const yk_ssp_file *file,
                             const yk_xml *at, const yk_ssp_binding *set,
                             yk_ssp_binding *out, yoke_err *err)
{
    const char *source = NULL, *target = NULL;
    yk_ssp_value *to = &out->value[out->count];

    YK_TRY(yk_ssp_need(ssp, file, at, "source", &source, err));
    YK_TRY(yk_ssp_need(ssp, file, at, "target", &target, err));
    yk_ssp_value *from = find_value(set, source);
    if (!from)
        return yk_ssp_say(ssp, &ssp->warnings, err,
                          "%s:%d: the parameter \"%.100s\" that is mapped is "
                          "not in the set; with a prefix its name begins "
                          "with that",
                          file->path, yk_xml_line(at), source);
    if (find_value(out, target))
        return yk_ssp_fail(file, yk_xml_line(at), err,
                           "two parameters are mapped to \"%.100s\"", target);
    *to = *from;
    to->name = target;
    from->used = true; /* for it: it is mapped */
    YK_TRY(yk_ssp_read_transformation(ssp, file, at, &to->by, err));
    YK_TRY(yk_ssp_index(ssp, &out->at, target, out->count, err));
    out->count++;
    return YOKE_OK;
}

/* What the mapping leaves out, once for all. */
static yoke_status tell_left(yk_ssp *ssp, const yk_ssp_binding *set,
                             yoke_err *err)
{
    const yk_ssp_value *first = NULL;
    int count = 0;

    for (int i = set->count - 1; i >= 0; i--)
        if (!set->value[i].used) {
            first = &set->value[i];
            count++;
        }
    if (count == 0) return YOKE_OK;
    return yk_ssp_say(ssp, &ssp->warnings, err,
                      "%s:%d: parameter \"%.100s\"%s not in the mapping of "
                      "its set and passed by",
                      first->file->path, first->line, first->name,
                      count == 1 ? " is" : " and others are");
}

static yoke_status map_set(yk_ssp *ssp, const yk_ssp_file *file,
                           const yk_xml *mapping, yk_ssp_binding *binding,
                           yoke_err *err)
{
    const yk_ssp_binding set = *binding;

    YK_TRY(check_version(ssp, file, mapping, err));
    *binding = (yk_ssp_binding){ 0 };
    YK_TRY(YK_TAKE(&ssp->arena, &binding->value,
                   count_children(mapping, "MappingEntry") + 1, err));
    for (const yk_xml *m = yk_xml_first(mapping); m; m = yk_xml_next(m))
        if (yk_xml_named(m, "MappingEntry"))
            YK_TRY(map_entry(ssp, file, m, &set, binding, err));
    return tell_left(ssp, &set, err);
}

/* ---- bindings ---------------------------------------------------------- */

/* The content of a binding: inside of `at`, or in a file of its own.  Units of
 * what is inside are defined there. */
static yoke_status find_content(yk_ssp *ssp, const yk_ssp_file *file,
                                const yk_xml *at, const yk_xml *inside,
                                const yk_ssp_element *e, const char *name,
                                const char *type, const yk_ssp_file **where,
                                const yk_xml **out, yoke_err *err)
{
    const int line = yk_xml_line(at);
    const char *given = NULL, *source = NULL, *base = NULL;
    yk_ssp_file *own = NULL;

    YK_TRY(yk_xml_copy(&ssp->arena, at, "type", &given, err));
    YK_TRY(yk_xml_copy(&ssp->arena, at, "source", &source, err));
    YK_TRY(yk_xml_copy(&ssp->arena, at, "sourceBase", &base, err));
    if (given && strcmp(given, type) != 0)
        return yk_ssp_fail(file, line, err,
                           "parameters of the type %.100s are not supported; "
                           "write %s",
                           given, type);
    const bool in_fmu = base && strcmp(base, "component") == 0;
    if (base && !in_fmu && strcmp(base, "SSD") != 0)
        return yk_ssp_fail(file, line, err,
                           "sourceBase=\"%.100s\" is neither SSD nor component",
                           base);
    if (source && inside)
        return yk_ssp_fail(file, line, err,
                           "there are a source (\"%.100s\") and a %s inside; "
                           "write one of both",
                           source, name);
    if (source && in_fmu && !e->fmu)
        return yk_ssp_fail(file, line, err,
                           "sourceBase=\"component\" is for a component that "
                           "is an FMU");
    if (source) {
        YK_TRY(yk_ssp_open_file(ssp, file, in_fmu ? e->fmu : NULL, line, source,
                                &own, err));
        *out = yk_xml_root(own->document);
    } else {
        YK_TRY(YK_TAKE(&ssp->arena, &own, 1, err));
        *own = (yk_ssp_file){ .path = file->path };
        *out = inside;
        YK_TRY(yk_ssp_read_units(ssp, own, inside, err));
    }
    *where = own;
    if (yk_xml_named(*out, name)) return YOKE_OK;
    return yk_ssp_fail(file, line, err, "there is no %s here%s%.100s", name,
                       source ? ", in " : "", source ? source : "");
}

static yoke_status read_binding(yk_ssp *ssp, const yk_ssp_file *file,
                                const yk_xml *at, yk_ssp_element *e,
                                yoke_err *err)
{
    const yk_xml *values = yk_xml_child(at, "ParameterValues");
    const yk_xml *mapping = yk_xml_child(at, "ParameterMapping");
    const yk_xml *content = NULL;
    const yk_ssp_file *where = NULL;
    const char *prefix = "";
    yk_ssp_binding *b = NULL;

    YK_TRY(yk_ssp_once(file, at, err));
    YK_TRY(YK_TAKE(&ssp->arena, &b, 1, err));
    YK_TRY(yk_xml_copy(&ssp->arena, at, "prefix", &prefix, err));
    YK_TRY(find_content(ssp, file, at, yk_xml_first(values), e, "ParameterSet",
                        "application/x-ssp-parameter-set", &where, &content,
                        err));
    YK_TRY(read_set(ssp, where, content, prefix, b, err));
    if (mapping) {
        YK_TRY(find_content(
            ssp, file, mapping, yk_xml_first(mapping), e, "ParameterMapping",
            "application/x-ssp-parameter-mapping", &where, &content, err));
        YK_TRY(map_set(ssp, where, content, b, err));
    }
    return yk_list_push(&ssp->arena, &e->bindings, b, err);
}

yoke_status yk_ssp_read_bindings(yk_ssp *ssp, const yk_ssp_file *file,
                                 const yk_xml *list, yk_ssp_element *e,
                                 yoke_err *err)
{
    for (const yk_xml *b = yk_xml_first(list); b; b = yk_xml_next(b))
        if (yk_xml_named(b, "ParameterBinding"))
            YK_TRY(read_binding(ssp, file, b, e, err));
    return YOKE_OK;
}
