/* file/component.c -- subsystems that are components of Yoke.
 *
 *     catenary: {component: wires, span: 20 m, nodes: 499, ...}
 *
 * A component has a name, keys of its own and a reader; comp/components.c is
 * the list of all.
 */
#include "file/component.h"

#include "yoke/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_library(const char *name)
{
    const size_t length = strlen(name);

    return length > 3 && strcmp(name + length - 3, ".so") == 0;
}

const yk_component *yk_component_find(const char *source, const char *name)
{
    if (name && strcmp(source, "component") == 0 && is_library(name))
        name = YK_PLUGIN_NAME;
    for (int i = 0; yk_components[i]; i++) {
        const yk_component *c = yk_components[i];
        if (strcmp(c->source, source) == 0 &&
            (!c->name || (name && strcmp(c->name, name) == 0)))
            return c;
    }
    return NULL;
}

const yk_component *yk_component_of_file(const char *path)
{
    for (int i = 0; yk_components[i]; i++)
        if (yk_components[i]->is_whole && yk_components[i]->is_whole(path))
            return yk_components[i];
    return NULL;
}

/* "number in V", "map, needed". */
static void key_words(const yk_key *key, char *text, size_t room)
{
    static const char *const word[YK_KEY_KINDS] = {
        [YK_KEY_NUMBER] = "number", [YK_KEY_COUNT] = "whole number",
        [YK_KEY_TEXT] = "text",     [YK_KEY_NAMES] = "names",
        [YK_KEY_FILE] = "file",     [YK_KEY_FORMULA] = "formula",
        [YK_KEY_MATRIX] = "matrix", [YK_KEY_LIST] = "list",
        [YK_KEY_MAP] = "map",
    };
    const bool has_unit = key->unit && strcmp(key->unit, "1") != 0;

    snprintf(text, room, "%s%s%s%s", word[key->kind], has_unit ? " in " : "",
             has_unit ? key->unit : "", key->needed ? ", needed" : "");
}

bool yoke_component_at(int i, yoke_component_info *out)
{
    int count = 0;

    while (yk_components[count] && count < i) count++;
    if (i < 0 || !yk_components[count]) return false;
    const yk_component *c = yk_components[count];
    *out = (yoke_component_info){ c->source, c->name, c->text };
    return true;
}

bool yoke_component_key_at(int i, int k, yoke_component_key *out)
{
    yoke_component_info info;

    if (!yoke_component_at(i, &info) || k < 0 || !yk_components[i]->key)
        return false;
    const yk_key *key = yk_components[i]->key;
    for (int j = 0; key->name && j < k; j++) key++;
    if (!key->name) return false;
    *out = (yoke_component_key){ .name = key->name, .text = key->text };
    key_words(key, out->kind, sizeof out->kind);
    return true;
}

/* A key that is there has the shape that the table says; what is missing its
 * reader misses. */
static yoke_status check_shapes(const yk_reader *r, const yk_component *c,
                                const yk_yaml *node, yoke_err *err)
{
    for (const yk_key *k = c->key; k && k->name; k++) {
        const yk_yaml *value = yk_yaml_find(node, k->name);
        if (!value || yk_yaml_is_empty(value)) continue;
        if (k->kind == YK_KEY_MAP)
            YK_TRY(yk_file_want(r, value, YK_YAML_MAP, err));
        if (k->kind == YK_KEY_LIST)
            YK_TRY(yk_file_want(r, value, YK_YAML_LIST, err));
    }
    return YOKE_OK;
}

/* ---- settings of the command line that are keys, not parameters ---------- */

static bool has_key(const yk_component *c, const char *name)
{
    for (const yk_key *k = c->key; k && k->name; k++)
        if (strcmp(k->name, name) == 0) return true;
    return false;
}

/* The map of the subsystem with some of its texts replaced. */
typedef struct replaced {
    yk_yaml map, *entry; /* room for those of the file and of the settings */
} replaced;

static void put_text(replaced *to, const yk_file_value *setting)
{
    yk_yaml *e = NULL;

    for (int i = 0; i < to->map.count; i++)
        if (strcmp(to->entry[i].key, setting->name) == 0) e = &to->entry[i];
    if (!e) {
        e = &to->entry[to->map.count++];
        *e = (yk_yaml){ .line = to->map.line, .column = to->map.column };
    }
    e->kind = YK_YAML_TEXT;
    e->key = setting->name;
    e->text = setting->text;
    e->plain = true;
    e->count = 0;
    e->first = NULL;
}

/* Takes out of `parameters` what are keys of the component, into the map. */
static yoke_status replace_keys(const yk_component *c, const yk_yaml *node,
                                yk_entries *parameters, replaced *to,
                                yk_entries *taken, yoke_err *err)
{
    int kept = 0;

    to->map = *node;
    YK_TRY(YK_NEW(&to->entry, node->count + parameters->count, err));
    YK_TRY(YK_NEW(&taken->entry, parameters->count + 1, err));
    to->map.count = 0;
    for (const yk_yaml *e = node->first; e; e = e->next)
        to->entry[to->map.count++] = *e;
    for (int i = 0; i < parameters->count; i++) {
        const yk_file_value e = parameters->entry[i];
        const bool key = e.added && has_key(c, e.name);
        if (key) {
            taken->entry[taken->count++] = e;
            put_text(to, &e);
        } else {
            parameters->entry[kept++] = e;
        }
    }
    parameters->count = kept;
    for (int i = 0; i < to->map.count; i++)
        to->entry[i].next = i + 1 < to->map.count ? &to->entry[i + 1] : NULL;
    to->map.first = to->map.count > 0 ? to->entry : NULL;
    return YOKE_OK;
}

static yoke_status read_component(yk_reader *r, const yk_component *c,
                                  const yk_yaml *node, yk_entries *parameters,
                                  yoke_system **out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_entries taken = { 0 };
    replaced to = { .entry = NULL };

    YK_GO(replace_keys(c, node, parameters, &to, &taken, err));
    YK_GO(yk_file_no_added(parameters, err));
    YK_GO(yk_file_values(parameters, err));
    const yk_unit_scope scope = { &parameters->names, parameters->value };
    YK_GO(check_shapes(r, c, &to.map, err));
    YK_GO(c->make(r, &to.map, &scope, out, err));
done:
    yk_entries_clear(&taken);
    yk_free(to.entry);
    return status;
}

yoke_status yk_component_make(const yk_component *c, yk_reader *r,
                              const yk_yaml *node, yk_entries *parameters,
                              yoke_system **out, yoke_err *err)
{
    YK_TRY(read_component(r, c, node, parameters, out, err));
    const yoke_system_info *f = yoke_system_facts(*out);
    YK_TRY(yk_file_report(r->file, err,
                          "%s: %s: %d unknowns, %d inputs, %d outputs",
                          node->key, c->text, f->n, f->m, f->p));
    return yk_facts_part(&r->file->facts, node->key, "component", NULL, c->name,
                         parameters, err);
}

/* ---- for readers --------------------------------------------------------- */

yoke_status yk_file_setting(const yk_reader *r, const yk_yaml *map,
                            const char *key, const char *unit,
                            const yk_unit_scope *scope, double preset,
                            double *value, yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(map, key);

    *value = preset;
    if (node) return yk_file_quantity(r, node, unit, scope, value, err);
    if (!isnan(preset)) return YOKE_OK;
    return yk_file_fail(r, map, err, "\"%s\" is missing%s%.100s%s", key,
                        map->key ? " in \"" : "", map->key ? map->key : "",
                        map->key ? "\"" : "");
}

yoke_status yk_file_truth(const yk_reader *r, const yk_yaml *map,
                          const char *key, bool *value, yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(map, key);
    const char *text = NULL;

    if (!node) return YOKE_OK;
    YK_TRY(yk_file_text(r, node, &text, err));
    *value = strcmp(text, "true") == 0;
    if (*value || strcmp(text, "false") == 0) return YOKE_OK;
    return yk_file_fail(r, node, err, "%s: true or false, not \"%.50s\"", key,
                        text);
}

yoke_status yk_file_need(const yk_reader *r, const yk_yaml *map,
                         const char *key, yk_yaml_kind kind,
                         const yk_yaml **value, yoke_err *err)
{
    *value = yk_yaml_find(map, key);
    if (*value) return yk_file_want(r, *value, kind, err);
    return yk_file_fail(r, map, err, "\"%s\" is missing%s%.100s%s", key,
                        map->key ? " in \"" : "", map->key ? map->key : "",
                        map->key ? "\"" : "");
}

/* The first variable of the formulas that is no parameter, or -1. */
static int find_stranger(const yk_formula *formula, const yk_unit_scope *scope)
{
    for (int i = 0; i < formula->variables; i++)
        if (yk_names_find(scope->names, formula->name[i]) < 0) return i;
    return -1;
}

yoke_status yk_file_function(const yk_reader *r, const yk_yaml *node,
                             const yk_unit_scope *scope, const char *what,
                             const char *unit, yk_functions *f, int i,
                             yoke_err *err)
{
    char number[40] = "0";
    const char *text = number;
    double value = 0.0;
    size_t at = 0;

    if (node) YK_TRY(yk_file_text(r, node, &text, err));
    if (node && !strstr(text, "time")) {
        YK_TRY(yk_file_quantity(r, node, unit, scope, &value, err));
        snprintf(number, sizeof number, "%.17g", value);
        text = number;
    }
    yoke_status status =
        yk_formula_expression(&f->formula, text, &at, &f->root[i], err);
    if (status == YOKE_OK) status = yk_formula_end(text, at, err);
    const int stranger =
        status == YOKE_OK ? find_stranger(&f->formula, scope) : -1;
    if (stranger >= 0) {
        at = f->formula.place[stranger];
        status = yk_fail(err, YOKE_E_FILE,
                         "\"%.100s\" in %s is neither a number nor the time "
                         "nor a parameter; forces of motion are springs",
                         f->formula.name[stranger], what);
    }
    return node ? yk_file_place(r, node, at, status, err) : status;
}

yoke_status yk_file_bind(yk_functions *f, const yk_unit_scope *scope,
                         yoke_err *err)
{
    const yk_formula *formula = &f->formula;

    YK_TRY(yk_doubles(&f->y, (size_t)formula->variables + 1, err));
    for (int i = 0; i < formula->variables; i++)
        f->y[i] = scope->value[yk_names_find(scope->names, formula->name[i])];
    YK_TRY(yk_doubles(&f->rate, 2 * (size_t)formula->program.steps + 1, err));
    return yk_functions_close(f, err);
}

static yoke_status no_entry(const yk_reader *r, const yk_yaml *map,
                            const yk_yaml *name, yoke_err *err)
{
    const char **list = NULL;
    int count = 0;

    YK_TRY(YK_NEW(&list, map->count, err));
    for (const yk_yaml *e = map->first; e; e = e->next) list[count++] = e->key;
    yk_fail(err, YOKE_E_FILE, "there is no \"%.100s\" in \"%s\"", name->text,
            map->key);
    yk_file_suggest(err, name->text, count, list);
    yk_free(list);
    return yk_file_place(r, name, 0, YOKE_E_FILE, err);
}

yoke_status yk_file_entry(const yk_reader *r, const yk_yaml *map,
                          const yk_yaml *name, int *which, yoke_err *err)
{
    YK_TRY(yk_file_want(r, name, YK_YAML_TEXT, err));
    *which = 0;
    for (const yk_yaml *e = map->first; e; e = e->next, ++*which)
        if (strcmp(e->key, name->text) == 0) return YOKE_OK;
    return no_entry(r, map, name, err);
}
