/* file/subsystem.c -- one entry of `subsystems`: what it is made of, its
 * parameters and its stepper. */
#include "file/component.h"

#include "base/near.h"
#include "base/quoted.h"
#include "step/steppers.h"
#include "sys/system.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SUBSYSTEMS = 100000, MOST_UNKNOWNS = 1000000, MOST_KEYS = 80 };

/* ---- report -------------------------------------------------------------- */

yoke_status yk_file_report(yoke_file *file, yoke_err *err, const char *format,
                           ...)
{
    char text[YOKE_ERR_SIZE + 400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return yk_texts_add(&file->reports, text, err);
}

/* ---- stepper ------------------------------------------------------------- */

/* The key of option i in a subsystem, or false at the end of the list. */
static bool stepper_key(int i, const char **key, const char **option,
                        const char **unit)
{
    if (!yk_stepper_option(i, option, unit)) return false;
    *key = strcmp(*option, "method") == 0 ? "stepper" : *option;
    return true;
}

static yoke_status set_stepper(const yk_reader *r, const yk_yaml *node,
                               const char *option, const char *unit,
                               yoke_stepper_options *out, yoke_err *err)
{
    const char *text = NULL;
    char number[40];
    double value = 0.0;

    if (!unit || unit[0]) {
        YK_TRY(yk_file_quantity(r, node, unit, NULL, &value, err));
        snprintf(number, sizeof number, "%.17g", value);
        text = number;
    } else
        YK_TRY(yk_file_text(r, node, &text, err));
    return yk_file_place(r, node, 0, yoke_stepper_set(out, option, text, err),
                         err);
}

/* A step of the run replaces those of the subsystems: in one file only one of
 * the two can be meant. */
static yoke_status check_step(const yk_reader *r, const yk_yaml *node,
                              yoke_err *err)
{
    static const char *const own[] = { "step", "steps", "max_step" };
    const int line = r->step_line;

    for (int i = 0; line && i < 3; i++) {
        const yk_yaml *twice = yk_yaml_find(node, own[i]);
        if (twice)
            return yk_file_fail(r, twice, err,
                                "\"step\" of run in line %d replaces the steps "
                                "of all subsystems; remove it or this \"%s\"",
                                line, own[i]);
    }
    return YOKE_OK;
}

/* The option of the stepper that --set NAME.KEY=VALUE means, or NULL; a
 * parameter of that name comes first. */
static const char *set_option(const yk_yaml *node, const char *name,
                              const char **unit)
{
    const size_t length = strlen(node->key);
    const yk_yaml *parameters = yk_yaml_find(node, "parameters");
    const char *key = NULL, *option = NULL;

    if (strncmp(name, node->key, length) != 0 || name[length] != '.')
        return NULL;
    if (parameters && parameters->kind == YK_YAML_MAP &&
        yk_yaml_find(parameters, name + length + 1))
        return NULL;
    for (int i = 0; stepper_key(i, &key, &option, unit); i++)
        if (strcmp(key, name + length + 1) == 0) return option;
    return NULL;
}

/* Options of the stepper that the command line gives. */
static yoke_status set_from_command(yk_reader *r, const yk_yaml *node,
                                    yoke_stepper_options *out, yoke_err *err)
{
    for (int i = 0; i < r->settings.count; i++) {
        yk_file_value *e = &r->settings.entry[i];
        const char *unit = NULL, *option = set_option(node, e->name, &unit);
        if (!option) continue;
        double value = 0.0;
        size_t at = 0;
        char number[40];
        const char *text = e->text;
        if (!unit || unit[0]) {
            const yoke_status status =
                yk_quantity_read(e->text, NULL, unit, &value, &at, err);
            YK_TRY(yk_file_place_entry(e, at, status, err));
            snprintf(number, sizeof number, "%.17g", value);
            text = number;
        }
        YK_TRY(yk_file_place_entry(
            e, 0, yoke_stepper_set(out, option, text, err), err));
        e->used = e->of_stepper = true;
    }
    return YOKE_OK;
}

static yoke_status read_stepper(yk_reader *r, const yk_yaml *node,
                                yoke_stepper_options *out, yoke_err *err)
{
    *out = yoke_stepper_defaults();
    YK_TRY(check_step(r, node, err));
    const char *key = NULL, *option = NULL, *unit = NULL;
    for (int i = 0; stepper_key(i, &key, &option, &unit); i++) {
        const yk_yaml *value = yk_yaml_find(node, key);
        if (value) YK_TRY(set_stepper(r, value, option, unit, out, err));
    }
    return set_from_command(r, node, out, err);
}

/* ---- subsystems ---------------------------------------------------------- */

/* What a subsystem is made of: one of the keys of components, or another system
 * file. */
static const yk_component included = {
    .source = "system",
    .text = "another system file",
    .read = yk_file_include,
};

/* The table has room for the keys of every component. */
static void add_key(const char **key, int *count, const char *name)
{
    for (int i = 0; i < *count; i++)
        if (strcmp(key[i], name) == 0) return;
    assert(*count < MOST_KEYS);
    if (*count < MOST_KEYS) key[(*count)++] = name;
}

/* A key of another component says whose it is. */
static yoke_status check_foreign(const yk_reader *r, const yk_yaml *node,
                                 int count, const char *const *key,
                                 yoke_err *err)
{
    for (const yk_yaml *e = node->first; e; e = e->next) {
        bool known = false;
        for (int i = 0; i < count; i++)
            known = known || strcmp(key[i], e->key) == 0;
        for (int i = 0; !known && yk_components[i]; i++)
            for (const yk_key *k = yk_components[i]->key; k && k->name; k++)
                if (strcmp(k->name, e->key) == 0)
                    return yk_file_fail(
                        r, e, err, "\"%s\" is for a \"%s\" only%s", e->key,
                        yk_components[i]->name ? yk_components[i]->name
                                               : yk_components[i]->source,
                        strcmp(e->key, "inputs") == 0
                            ? "; inputs get their values under couplings, "
                              "\"- signal: NAME.INPUT = ...\""
                            : "");
    }
    return YOKE_OK;
}

static yoke_status check_keys(const yk_reader *r, const yk_yaml *node,
                              const yk_component *c, yoke_err *err)
{
    const char *key[MOST_KEYS];
    int count = 0;

    for (int i = 0; yk_components[i]; i++)
        add_key(key, &count, yk_components[i]->source);
    add_key(key, &count, included.source);
    add_key(key, &count, "parameters");
    const char *own = NULL, *option = NULL, *unit = NULL;
    for (int i = 0; stepper_key(i, &own, &option, &unit); i++)
        add_key(key, &count, own);
    for (const yk_key *k = c->key; k && k->name; k++)
        add_key(key, &count, k->name);
    YK_TRY(check_foreign(r, node, count, key, err));
    return yk_file_keys(r, node, count, key, err);
}

static yoke_status no_source(const yk_reader *r, const yk_yaml *node,
                             yoke_err *err)
{
    yk_fail(err, YOKE_E_FILE,
            "subsystem \"%.100s\" needs one of: model (a .mo file), "
            "system (another system file), linear (matrices), component "
            "(a part that Yoke has), netlist (a circuit), fmu, program",
            node->key);
    return yk_file_place_key(r, node, YOKE_E_FILE, err);
}

static yoke_status no_component(const yk_reader *r, const yk_yaml *given,
                                yoke_err *err)
{
    const char *name[MOST_KEYS];
    int count = 0;

    for (int i = 0; yk_components[i] && count < MOST_KEYS; i++)
        if (yk_components[i]->name) name[count++] = yk_components[i]->name;
    yk_fail(err, YOKE_E_FILE, "there is no component \"%.100s\"", given->text);
    yk_file_suggest(err, given->text, count, name);
    return yk_file_place(r, given, 0, YOKE_E_FILE, err);
}

/* Two sources contradict each other. */
static yoke_status take_source(const yk_reader *r, const yk_yaml *node,
                               const char *source, const yk_yaml **given,
                               yoke_err *err)
{
    const yk_yaml *found = yk_yaml_find(node, source);

    if (!found || found == *given) return YOKE_OK;
    if (*given)
        return yk_file_fail(r, found, err,
                            "subsystem \"%.100s\" has both \"%s\" and \"%s\"; "
                            "remove one of them",
                            node->key, (*given)->key, found->key);
    *given = found;
    return YOKE_OK;
}

/* The one key that says what the subsystem is made of. */
static yoke_status find_source(const yk_reader *r, const yk_yaml *node,
                               const yk_component **out, const yk_yaml **given,
                               yoke_err *err)
{
    const char *name = NULL;

    *given = NULL;
    if (node->kind != YK_YAML_MAP)
        return yk_file_want(r, node, YK_YAML_MAP, err);
    for (int i = 0; yk_components[i]; i++)
        YK_TRY(take_source(r, node, yk_components[i]->source, given, err));
    YK_TRY(take_source(r, node, included.source, given, err));
    if (!*given) {
        YK_TRY(check_keys(r, node, &included, err));
        return no_source(r, node, err);
    }
    if (strcmp((*given)->key, included.source) == 0) {
        *out = &included;
        return YOKE_OK;
    }
    if (strcmp((*given)->key, "component") == 0)
        YK_TRY(yk_file_text(r, *given, &name, err));
    *out = yk_component_find((*given)->key, name);
    return *out ? YOKE_OK : no_component(r, *given, err);
}

/* Names, in quotes where they must be, with dots between them. */
static bool is_subsystem_name(const char *text)
{
    char name[256];

    if (!yk_is_path(text, " +>,;*") || strcmp(text, "run") == 0) return false;
    for (size_t at = 0; text[at];) {
        const size_t length = yk_quoted_span(text + at, ".");

        if (length >= sizeof name) return false;
        snprintf(name, sizeof name, "%.*s", (int)length, text + at);
        if (name[0] != '\'' && !yk_is_name(name)) return false;
        at += length + (text[at + length] == '.');
    }
    return true;
}

static yoke_status check_name(yk_reader *r, const yk_yaml *node, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    if (++r->budget->subsystems > MOST_SUBSYSTEMS)
        status = yk_fail(err, YOKE_E_FILE,
                         "more than %d subsystems, those of included systems "
                         "included",
                         MOST_SUBSYSTEMS);
    else if (!is_subsystem_name(node->key))
        status = yk_fail(err, YOKE_E_FILE,
                         "\"%.100s\" is not a name for a subsystem: a letter "
                         "first, then letters, digits and _, and not \"run\"; "
                         "any other name needs single quotes inside of double "
                         "ones: \"'Motor 1'\"",
                         node->key);
    return yk_file_place_key(r, node, status, err);
}

/* Before anything is computed: millions of unknowns take all memory.  Those of
 * an included system were counted there. */
static yoke_status check_size(const yk_reader *r, const yk_yaml *node,
                              const yk_component *c, const yoke_system *system,
                              yoke_err *err)
{
    const int set = r->options ? r->options->most_elements : 0;
    const double most = set > 0 ? set : MOST_UNKNOWNS;

    if (c == &included) return YOKE_OK;
    r->budget->unknowns += yoke_system_facts(system)->n;
    if (r->budget->unknowns <= most) return YOKE_OK;
    return yk_file_place_key(
        r, node,
        yk_fail(err, YOKE_E_ARG,
                "with \"%s\" the system has %.0f unknowns; at most %.0f are "
                "permitted (--max-elements)",
                node->key, r->budget->unknowns, most),
        err);
}

static yoke_status make(yk_reader *r, const yk_yaml *node, const yk_yaml *given,
                        const yk_component *c, yoke_system **out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_entries parameters = { 0 };

    YK_GO(yk_file_entries(r, node->key, yk_yaml_find(node, "parameters"),
                          &parameters, err));
    YK_GO(c->read ? c->read(r, node, given, &parameters, out, err)
                  : yk_component_make(c, r, node, &parameters, out, err));
    YK_GO(check_size(r, node, c, *out, err));
    if (c != &included && !c->foreign) yk_system_parallel(*out);
    if (c->foreign) yk_system_foreign(*out);
done:
    yk_entries_clear(&parameters);
    return status;
}

/* For messages about the whole, after the text is gone. */
static yoke_status note_place(const yk_reader *r, const yk_yaml *node,
                              yk_file_part *part, yoke_err *err)
{
    if (r->wrapped) return YOKE_OK;
    part->line = node->key_line;
    part->column = node->key_column;
    return yk_copy_text(&part->file, r->path, err);
}

/* It is not to be read, or NULL.  What `added` would find is not there. */
static const yoke_file_absent *find_absent(const yk_reader *r,
                                           const yk_yaml *node,
                                           const yk_component *c)
{
    const yoke_file_options *o = r->options;
    const int number = yoke_graph_count(yoke_model_graph(r->file->model));

    if (!o || r->parent || c->added || number >= o->absents) return NULL;
    const yoke_file_absent *e = &o->absent[number];
    return e->name && strcmp(e->name, node->key) == 0 ? e : NULL;
}

/* Settings of its parameters are known, all the same. */
static yoke_status leave_out(yk_reader *r, const yk_yaml *node,
                             const yk_yaml *given, const yoke_file_absent *e,
                             yoke_system **out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_entries parameters = { 0 };

    YK_GO(yk_file_entries(r, node->key, yk_yaml_find(node, "parameters"),
                          &parameters, err));
    YK_GO(
        yk_system_absent(out, e->name, e->m, e->u_name, e->p, e->y_name, err));
    YK_GO(yk_facts_part(&r->file->facts, node->key, given->key, NULL, NULL,
                        &parameters, err));
done:
    yk_entries_clear(&parameters);
    return status;
}

/* A closed part takes its steps itself: a stepper would be left aside. */
static yoke_status check_needed(const yk_reader *r, const yk_yaml *node,
                                const yoke_system *system,
                                const yoke_stepper_options *stepper,
                                yoke_err *err)
{
    if (!yoke_system_facts(system)->closed ||
        strcmp(stepper->method, yoke_stepper_defaults().method) == 0)
        return YOKE_OK;
    yk_fail(err, YOKE_E_FILE,
            "\"%.100s\" has a solver of its own inside, stepper = \"%s\" "
            "would do nothing: leave it out",
            node->key, stepper->method);
    return yk_file_place_key(r, node, YOKE_E_FILE, err);
}

static yoke_status add_subsystem(yk_reader *r, const yk_yaml *node,
                                 const yk_yaml *given, const yk_component *c,
                                 const yoke_stepper_options *stepper,
                                 yoke_err *err)
{
    const int number = r->file->facts.parts;
    yoke_system *system = NULL;
    const yoke_file_absent *e = find_absent(r, node, c);
    const yoke_status status = e ? leave_out(r, node, given, e, &system, err)
                                 : make(r, node, given, c, &system, err);

    if (status != YOKE_OK) {
        yoke_system_free(system);
        return status;
    }
    assert(r->file->facts.parts == number + 1); /* by every `read` above */
    r->file->facts.part[number].stepper = *stepper;
    YK_TRY(check_needed(r, node, system, stepper, err));
    YK_TRY(yk_file_place_key(
        r, node, yoke_model_add(r->file->model, system, stepper, err), err));
    YK_TRY(note_place(r, node, &r->file->facts.part[number], err));
    return c->added ? c->added(r, node, err) : YOKE_OK;
}

yoke_status yk_file_subsystem(yk_reader *r, const yk_yaml *node, yoke_err *err)
{
    yoke_stepper_options stepper;
    const yk_component *c = NULL;
    const yk_yaml *given = NULL;

    YK_TRY(check_name(r, node, err));
    YK_TRY(find_source(r, node, &c, &given, err));
    YK_TRY(check_keys(r, node, c, err));
    YK_TRY(read_stepper(r, node, &stepper, err));
    return add_subsystem(r, node, given, c, &stepper, err);
}
