/* file/parameter.c -- parameters of a subsystem: those of the file, then
 * those of the command line, which replace them. */
#include "file/reader.h"

#include "base/near.h"
#include "step/steppers.h"

#include <stdio.h>
#include <string.h>

void yk_entries_clear(yk_entries *entries)
{
    for (int i = 0; i < entries->count; i++) yk_free(entries->entry[i].name);
    YK_FREE(entries->entry, entries->value);
    yk_names_clear(&entries->names);
    *entries = (yk_entries){ 0 };
}

yoke_status yk_entries_add(yk_entries *entries, char *name,
                           const yk_file_value *entry, yoke_err *err)
{
    const yoke_status status =
        YK_GROW(&entries->entry, &entries->room, entries->count + 1, err);

    if (status != YOKE_OK) {
        yk_free(name);
        return status;
    }
    entries->entry[entries->count] = *entry;
    entries->entry[entries->count++].name = name;
    return YOKE_OK;
}

/* ---- from the file ------------------------------------------------------- */

/* "k" and 2 give "k[2]", "k[2]" and 3 give "k[2,3]". */
static yoke_status element_name(char **out, const char *name, int number,
                                yoke_err *err)
{
    const int length = (int)strlen(name);
    const bool nested = length > 0 && name[length - 1] == ']';

    return yk_print(out, err, "%.*s%s%d]", nested ? length - 1 : length, name,
                    nested ? "," : "[", number);
}

static yoke_status add_node(yk_reader *r, const char *name, const yk_yaml *node,
                            yk_entries *out, yoke_err *err);

static yoke_status add_list(yk_reader *r, const char *name, const yk_yaml *list,
                            yk_entries *out, yoke_err *err)
{
    int number = 1;

    for (const yk_yaml *e = list->first; e; e = e->next, number++) {
        char *element = NULL;
        YK_TRY(element_name(&element, name, number, err));
        const yoke_status status = add_node(r, element, e, out, err);
        yk_free(element);
        YK_TRY(status);
    }
    return YOKE_OK;
}

/* A list gives the elements of an array. */
static yoke_status add_node(yk_reader *r, const char *name, const yk_yaml *node,
                            yk_entries *out, yoke_err *err)
{
    yk_file_value entry = { .path = r->path, .at = node };
    char *copy = NULL;

    if (node->kind == YK_YAML_LIST) return add_list(r, name, node, out, err);
    YK_TRY(yk_file_text(r, node, &entry.text, err));
    YK_TRY(yk_copy_text(&copy, name, err));
    return yk_entries_add(out, copy, &entry, err);
}

/* ---- from the command line ----------------------------------------------- */

/* "left.m" with the subsystem "left" is "m"; NULL: of another one. */
static const char *own_name(const char *setting, const char *subsystem)
{
    const size_t length = strlen(subsystem);

    if (strncmp(setting, subsystem, length) != 0 || setting[length] != '.')
        return NULL;
    return setting + length + 1;
}

static yk_file_value *find_entry(yk_entries *entries, const char *name)
{
    for (int i = 0; i < entries->count; i++)
        if (strcmp(entries->entry[i].name, name) == 0)
            return &entries->entry[i];
    return NULL;
}

static yoke_status apply_setting(yk_entries *out, const yk_file_value *setting,
                                 const char *name, yoke_err *err)
{
    yk_file_value *old = find_entry(out, name);
    char *copy = NULL;

    if (old) {
        old->text = setting->text;
        old->setting = setting->setting;
        old->path = setting->path;
        old->at = setting->at;
        return YOKE_OK;
    }
    YK_TRY(yk_copy_text(&copy, name, err));
    YK_TRY(yk_entries_add(out, copy, setting, err));
    out->entry[out->count - 1].added = true;
    return YOKE_OK;
}

static yoke_status add_map(yk_reader *r, const yk_yaml *map, yk_entries *out,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;

    YK_TRY(yk_file_want(r, map, YK_YAML_MAP, err));
    for (const yk_yaml *e = map->first; e; e = e->next) {
        yoke_err one = { YOKE_OK, "" };
        const yoke_status now = add_node(r, e->key, e, out, &one);
        if (!yk_err_gather(&status, now, &one, err)) break;
    }
    return status;
}

yoke_status yk_file_entries(yk_reader *r, const char *subsystem,
                            const yk_yaml *map, yk_entries *out, yoke_err *err)
{
    if (map && !yk_yaml_is_empty(map)) YK_TRY(add_map(r, map, out, err));
    for (int i = 0; i < r->settings.count; i++) {
        yk_file_value *setting = &r->settings.entry[i];
        const char *name = own_name(setting->name, subsystem);
        if (!name || setting->of_stepper) continue;
        setting->used = true;
        YK_TRY(apply_setting(out, setting, name, err));
    }
    return YOKE_OK;
}

/* ---- values -------------------------------------------------------------- */

/* --set left.steper=euler: an option of the stepper may have been meant. */
static void suggest_option(const yk_file_value *e, yoke_err *err)
{
    enum { MOST = 32 };
    const char *list[MOST], *option = NULL, *unit = NULL;
    int count = 0;

    for (int i = 0; count < MOST && yk_stepper_option(i, &option, &unit); i++)
        list[count++] = strcmp(option, "method") == 0 ? "stepper" : option;
    const char *near = yk_nearest_word(e->name, count, list);
    if (near)
        yk_suffix(err, "; did you mean \"%s\", an option of the stepper?",
                  near);
}

static yoke_status read_value(const yk_file_value *e,
                              const yk_unit_scope *scope, double *value,
                              yoke_err *err)
{
    size_t at = 0;

    if (strcmp(e->text, "true") == 0 || strcmp(e->text, "false") == 0) {
        *value = e->text[0] == 't' ? 1.0 : 0.0;
        return YOKE_OK;
    }
    const yoke_status status =
        yk_quantity_read(e->text, scope, NULL, value, &at, err);
    if (status != YOKE_OK && e->added) suggest_option(e, err);
    return yk_file_place_entry(e, at, status, err);
}

/* In order, so that a parameter may use those before it. */
yoke_status yk_file_values(yk_entries *entries, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    YK_TRY(yk_doubles(&entries->value, (size_t)entries->count, err));
    const yk_unit_scope scope = { &entries->names, entries->value };
    for (int i = 0; i < entries->count; i++) {
        const yk_file_value *e = &entries->entry[i];
        yoke_err one = { YOKE_OK, "" };
        const yoke_status now = read_value(e, &scope, &entries->value[i], &one);
        YK_TRY(yk_names_add(&entries->names, e->name, i, err));
        if (!yk_err_gather(&status, now, &one, err)) break;
    }
    return status;
}

/* A setting cannot add a parameter that the file does not have. */
yoke_status yk_file_no_added(const yk_entries *entries, yoke_err *err)
{
    const char **known_name = NULL;
    const yk_file_value *added = NULL;
    int count = 0;

    YK_TRY(YK_NEW(&known_name, entries->count, err));
    for (int i = 0; i < entries->count; i++) {
        if (!entries->entry[i].added)
            known_name[count++] = entries->entry[i].name;
        else if (!added)
            added = &entries->entry[i];
    }
    if (added) {
        yk_fail(err, YOKE_E_FILE, "there is no parameter \"%.100s\"",
                added->name);
        yk_file_suggest(err, added->name, count, known_name);
        yk_suffix(err, "; yoke info lists all");
        yk_file_place_entry(added, 0, YOKE_E_FILE, err);
    }
    yk_free(known_name);
    return added ? YOKE_E_FILE : YOKE_OK;
}
