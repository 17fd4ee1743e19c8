/* file/subsystem.c -- one entry of `subsystems`: what it is made of, its
 * parameters and its stepper. */
#include "file/reader.h"

#include "comp/netlist/system/lines.h"
#include "file/near.h"
#include "yoke/equation.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SUBSYSTEMS = 100000, MOST_UNKNOWNS = 1000000 };

/* ---- report -------------------------------------------------------------- */

yoke_status yk_file_report(yoke_file *file, yoke_err *err, const char *format,
                           ...)
{
    char text[YOKE_ERR_SIZE + 400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    YK_TRY(yk_grow((void **)&file->report, &file->report_room,
                   (size_t)file->reports + 1, sizeof *file->report, err));
    YK_TRY(yk_copy_text(&file->report[file->reports], text, err));
    file->reports++;
    return YOKE_OK;
}

/* ---- stepper ------------------------------------------------------------- */

/* Key in the file, option of the stepper; numbers may have units. */
static const struct {
    const char *key, *option;
    const char *unit; /* of a number; NULL: any; "": it is no number */
} steppers[] = {
    { "stepper", "method", "" },
    { "step", "step", "s" },
    { "steps", "steps", "1" },
    { "rtol", "rtol", "1" },
    { "atol", "atol", NULL },
    { "min_step", "min_step", "s" },
    { "max_step", "max_step", "s" },
    { "newton", "newton", "1" },
    { "max_newton", "max_newton", "1" },
    { "dense", "dense", "" },
    { "given", "given", "" },
    { "warm", "warm", "" },
    { "latent", "latent", "" },
};

enum { STEPPERS = sizeof steppers / sizeof steppers[0] };

static yoke_status set_stepper(const yk_reader *r, const yk_yaml *node,
                               int which, yoke_stepper_options *out,
                               yoke_err *err)
{
    const char *text = NULL;
    char number[40];
    double value = 0.0;

    const char *unit = steppers[which].unit;

    if (!unit || unit[0]) {
        YK_TRY(yk_file_quantity(r, node, unit, NULL, &value, err));
        snprintf(number, sizeof number, "%.17g", value);
        text = number;
    } else
        YK_TRY(yk_file_text(r, node, &text, err));
    const yoke_status status =
        yoke_stepper_set(out, steppers[which].option, text, err);
    return yk_file_place(r, node, 0, status, err);
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

static yoke_status read_stepper(const yk_reader *r, const yk_yaml *node,
                                yoke_stepper_options *out, yoke_err *err)
{
    *out = yoke_stepper_defaults();
    YK_TRY(check_step(r, node, err));
    for (int i = 0; i < STEPPERS; i++) {
        const yk_yaml *value = yk_yaml_find(node, steppers[i].key);
        if (value) YK_TRY(set_stepper(r, value, i, out, err));
    }
    return YOKE_OK;
}

/* ---- equation models ----------------------------------------------------- */

static bool ends_in(const char *text, const char *tail)
{
    const size_t length = strlen(text), end = strlen(tail);

    return length > end && strcmp(text + length - end, tail) == 0;
}

static yoke_status report_model(yk_reader *r, const char *name,
                                const char *path, const yoke_equation_report *p,
                                yoke_err *err)
{
    return yk_file_report(
        r->file, err,
        "%s: %.300s: %d equations, %d aliases eliminated, index %d%s, %d "
        "states, %s%s%s",
        name, path, p->equations, p->eliminated, p->index,
        p->differentiated ? " reduced" : "", p->states,
        !p->compiled ? "interpreted"
        : p->cached  ? "compiled before"
                     : "compiled",
        p->text[0] ? ". " : "", p->text);
}

static yoke_status parameter_list(const yk_entries *entries,
                                  yoke_parameter **out, yoke_err *err)
{
    YK_TRY(YK_NEW(out, entries->count, err));
    for (int i = 0; i < entries->count; i++)
        (*out)[i] =
            (yoke_parameter){ entries->entry[i].name, entries->value[i] };
    return YOKE_OK;
}

/* A parameter that the model does not have may come from the command line. */
static yoke_status blame_setting(const yk_entries *entries, yoke_status status,
                                 yoke_err *err)
{
    static const char no_parameter[] = "there is no parameter ";
    const char *text =
        status == YOKE_E_ARG && err ? strstr(err->text, no_parameter) : NULL;

    if (!text) return status;
    text += strlen(no_parameter);
    const size_t length = strcspn(text, "; ");
    for (int i = 0; i < entries->count; i++) {
        const yk_entry *e = &entries->entry[i];
        if (e->setting && strlen(e->name) == length &&
            strncmp(e->name, text, length) == 0)
            return yk_file_place_entry(e, 0, status, err);
    }
    return status;
}

static yoke_status compile(yk_reader *r, const yk_yaml *node, const char *path,
                           const char *class, const yk_entries *parameters,
                           yoke_system **out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_equation_report report = { 0 };
    yoke_parameter *list = NULL;

    YK_GO(parameter_list(parameters, &list, err));
    const yoke_equation_options options = {
        .model = class,
        .parameters = parameters->count,
        .parameter = list,
        .compiler = r->options ? r->options->compiler : NULL,
        .cache = r->options ? r->options->cache : NULL,
        .scratch = r->options ? r->options->scratch : NULL,
        .most_elements = r->options ? r->options->most_elements : 0,
    };
    status = yoke_equation_read(out, node->key, path, &options, &report, err);
    YK_GO(blame_setting(parameters, status, err));
    YK_GO(report_model(r, node->key, path, &report, err));
    YK_GO(yk_facts_part(&r->file->facts, node->key, "model", path, class,
                        parameters, err));
    yk_part *part = &r->file->facts.part[r->file->facts.parts - 1];
    part->compiled = report.compiled;
    if (report.code_text[0])
        YK_GO(yk_copy_text(&part->code_text, report.code_text, err));
done:
    yk_free(list);
    return status;
}

static yoke_status check_units(yk_reader *r, const yk_yaml *node,
                               const char *path, const char *class,
                               const yk_entries *parameters, yoke_err *err)
{
    yoke_parameter *list = NULL;

    YK_TRY(parameter_list(parameters, &list, err));
    const yoke_equation_options options = {
        .model = class,
        .parameters = parameters->count,
        .parameter = list,
        .most_elements = r->options ? r->options->most_elements : 0
    };
    const yoke_status status =
        yk_file_model_units(r, node->key, path, &options, parameters, err);
    yk_free(list);
    return status;
}

static yoke_status read_model(yk_reader *r, const yk_yaml *node,
                              const yk_yaml *given, yk_entries *parameters,
                              yoke_system **out, yoke_err *err)
{
    const yk_yaml *class = yk_yaml_find(node, "class");
    const char *name = NULL, *class_name = NULL;
    char *path = NULL;

    YK_TRY(yk_file_text(r, given, &name, err));
    if (class) YK_TRY(yk_file_text(r, class, &class_name, err));
    if (!ends_in(name, ".mo"))
        return yk_file_fail(r, given, err,
                            "\"%.200s\" is no equation model: its name ends "
                            "in .mo; another system file is included with "
                            "\"system\"",
                            name);
    YK_TRY(yk_file_values(parameters, err));
    YK_TRY(yk_file_input(r, &path, name, err));
    yoke_status status =
        yk_file_place(r, given, 0, yk_file_is_readable(path, err), err);
    if (status == YOKE_OK)
        status = check_units(r, node, path, class_name, parameters, err);
    if (status == YOKE_OK)
        status = yk_file_place(
            r, given, 0,
            compile(r, node, path, class_name, parameters, out, err), err);
    yk_free(path);
    return status;
}

/* ---- subsystems ---------------------------------------------------------- */

/* What a subsystem is made of; one of these keys is needed. */
static const struct {
    const char *key;
    yoke_status (*read)(yk_reader *r, const yk_yaml *node, const yk_yaml *given,
                        yk_entries *parameters, yoke_system **out,
                        yoke_err *err);
} sources[] = {
    { "model", read_model },
    { "system", yk_file_include },
    { "linear", yk_file_linear },
    { "component", yk_file_component },
    { "netlist", yk_file_netlist_part },
};

enum { SOURCES = sizeof sources / sizeof sources[0] };

static yoke_status check_keys(const yk_reader *r, const yk_yaml *node,
                              yoke_err *err)
{
    enum { MOST_KEYS = 24 }; /* of a component */
    const char *key[SOURCES + STEPPERS + 2 + 2 * MOST_KEYS];
    const char *const *own = NULL;
    int count = 0;

    for (int i = 0; i < SOURCES; i++) key[count++] = sources[i].key;
    key[count++] = "class";
    key[count++] = "parameters";
    for (int i = 0; i < STEPPERS; i++) key[count++] = steppers[i].key;
    const int owns =
        yk_file_component_keys(yk_yaml_find(node, "component"), &own);
    for (int i = 0; i < owns && i < MOST_KEYS; i++) key[count++] = own[i];
    if (yk_yaml_find(node, "netlist"))
        for (int i = 0; yk_file_netlist_keys[i] && i < MOST_KEYS; i++)
            key[count++] = yk_file_netlist_keys[i];
    return yk_file_keys(r, node, count, key, err);
}

/* The one key that says what the subsystem is made of. */
static yoke_status find_source(const yk_reader *r, const yk_yaml *node,
                               int *which, yoke_err *err)
{
    *which = -1;
    for (int i = 0; i < SOURCES; i++) {
        const yk_yaml *found = yk_yaml_find(node, sources[i].key);
        if (!found) continue;
        if (*which >= 0)
            return yk_file_fail(r, found, err,
                                "subsystem \"%.100s\" has both \"%s\" and "
                                "\"%s\"; one of them is right",
                                node->key, sources[*which].key, found->key);
        *which = i;
    }
    if (*which < 0) {
        yk_fail(err, YOKE_E_FILE,
                "subsystem \"%.100s\" needs one of: model (a .mo file), "
                "system (another system file), linear (matrices), component "
                "(a part that Yoke has), netlist (a circuit)",
                node->key);
        return yk_file_place_key(r, node, YOKE_E_FILE, err);
    }
    const yk_yaml *class = yk_yaml_find(node, "class");
    if (class && strcmp(sources[*which].key, "model") != 0)
        return yk_file_fail(r, class, err, "\"class\" is for a \"model\" only");
    return YOKE_OK;
}

static yoke_status check_name(yk_reader *r, const yk_yaml *node, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    if (++r->budget->subsystems > MOST_SUBSYSTEMS)
        status = yk_fail(err, YOKE_E_FILE,
                         "more than %d subsystems, those of included systems "
                         "included",
                         MOST_SUBSYSTEMS);
    else if (!yk_is_name(node->key) || strcmp(node->key, "run") == 0)
        status = yk_fail(err, YOKE_E_FILE,
                         "\"%.100s\" is no name for a subsystem: a letter "
                         "first, then letters, digits and _, and not \"run\"",
                         node->key);
    return yk_file_place_key(r, node, status, err);
}

/* The lines of a netlist are signals from it to itself. */
static yoke_status add_lines(yk_reader *r, const yk_yaml *node, yoke_err *err)
{
    const yk_circuit *circuit = r->lines;

    r->lines = NULL;
    if (!circuit) return YOKE_OK;
    return yk_file_place_key(r, node,
                             yk_lines_connect(yoke_model_graph(r->file->model),
                                              circuit, NULL, node->key, false,
                                              err),
                             err);
}

/* Before anything is computed: millions of unknowns take all memory.  Those of
 * an included system were counted there. */
static yoke_status check_size(const yk_reader *r, const yk_yaml *node,
                              int which, const yoke_system *system,
                              yoke_err *err)
{
    const int set = r->options ? r->options->most_elements : 0;
    const double most = set > 0 ? set : MOST_UNKNOWNS;

    if (strcmp(sources[which].key, "system") == 0) return YOKE_OK;
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

static yoke_status add_subsystem(yk_reader *r, const yk_yaml *node, int which,
                                 const yoke_stepper_options *stepper,
                                 yoke_err *err)
{
    const yk_yaml *given = yk_yaml_find(node, sources[which].key);
    const int number = r->file->facts.parts;
    yoke_system *system = NULL;
    yk_entries parameters = { 0 };
    yoke_status status = yk_file_entries(
        r, node->key, yk_yaml_find(node, "parameters"), &parameters, err);

    if (status == YOKE_OK)
        status = sources[which].read(r, node, given, &parameters, &system, err);
    if (status == YOKE_OK) status = check_size(r, node, which, system, err);
    yk_entries_clear(&parameters);
    if (status != YOKE_OK) {
        yoke_system_free(system);
        return status;
    }
    assert(r->file->facts.parts == number + 1); /* by every `read` above */
    r->file->facts.part[number].stepper = *stepper;
    YK_TRY(yk_file_place_key(
        r, node, yoke_model_add(r->file->model, system, stepper, err), err));
    return add_lines(r, node, err);
}

yoke_status yk_file_subsystem(yk_reader *r, const yk_yaml *node, yoke_err *err)
{
    yoke_stepper_options stepper;
    int which = 0;

    YK_TRY(check_name(r, node, err));
    YK_TRY(check_keys(r, node, err));
    YK_TRY(find_source(r, node, &which, err));
    YK_TRY(read_stepper(r, node, &stepper, err));
    return add_subsystem(r, node, which, &stepper, err);
}
