/* comp/equation/read.c -- equation models as subsystems of a system file. */
#include "comp/equation/read.h"

#include "base/bytes.h"
#include "comp/equation/compile.h"

#include <string.h>

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

typedef struct user {
    yk_reader *r;
    const char *name;
} user;

static yoke_status uses_rate(void *context, const char *input, int order,
                             yoke_err *err)
{
    const user *u = context;

    return yk_file_uses_rate(u->r, u->name, input, order, err);
}

static yoke_status is_driven(void *context, const char *port,
                             const char *potential, const char *flow,
                             yoke_err *err)
{
    const user *u = context;

    return yk_file_add_terminal(u->r->file, u->name, port, potential, flow,
                                true, 1.0, err);
}

/* The derivatives that others want of this subsystem. */
static yoke_status rate_list(const yk_reader *r, const char *name,
                             yk_equation_rate **out, int *count, yoke_err *err)
{
    *count = 0;
    YK_TRY(YK_NEW(out, r->rates.count, err));
    for (int i = 0; i < r->rates.count; i++) {
        const yk_file_rate *w = &r->rates.at[i];
        if (strcmp(w->part, name) == 0)
            (*out)[(*count)++] =
                (yk_equation_rate){ w->port, w->order, w->input };
    }
    return YOKE_OK;
}

static yoke_status compile(yk_reader *r, const yk_yaml *node, const char *path,
                           const char *class, const yk_entries *parameters,
                           yoke_system **out, bool *placed, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_equation_report report = { 0 };
    yoke_parameter *list = NULL;
    yk_equation_rate *rate = NULL;
    user self = { r, node->key };
    yk_equation_rates rates = { .used = uses_rate,
                                .driven = is_driven,
                                .context = &self };
    int refused = -1;

    YK_GO(parameter_list(parameters, &list, err));
    YK_GO(rate_list(r, node->key, &rate, &rates.count, err));
    rates.rate = rate;
    const yoke_equation_options options = {
        .model = class,
        .parameters = parameters->count,
        .parameter = list,
        .refused = &refused,
        .compiler = r->options ? r->options->compiler : NULL,
        .cache = r->options ? r->options->cache : NULL,
        .scratch = r->options ? r->options->scratch : NULL,
        .most_elements = r->options ? r->options->most_elements : 0,
        .start = r->file->run.start,
    };
    status =
        yk_equation_read(out, node->key, path, &options, &rates, &report, err);
    if (refused >= 0) {
        const yk_file_value *entry = &parameters->entry[refused];
        status = yk_file_place_entry(entry, 0, status, err);
        *placed = entry->at != NULL; /* not by a setting */
    }
    if (status != YOKE_OK) goto done;
    YK_GO(report_model(r, node->key, path, &report, err));
    YK_GO(yk_facts_part(&r->file->facts, node->key, "model", path, class,
                        parameters, err));
    yk_file_part *part = &r->file->facts.part[r->file->facts.parts - 1];
    part->compiled = report.compiled;
    part->rates = true;
    if (report.code_text[0])
        YK_GO(yk_copy_text(&part->code_text, report.code_text, err));
done:
    YK_FREE(list, rate);
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
        .most_elements = r->options ? r->options->most_elements : 0,
        .start = r->file->run.start
    };
    const yoke_status status =
        yk_eq_model_units(r, node->key, path, &options, parameters, err);
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
    bool placed = false;

    YK_TRY(yk_file_text(r, given, &name, err));
    if (class) YK_TRY(yk_file_text(r, class, &class_name, err));
    if (!yk_eq_model_is_file(name))
        return yk_file_fail(
            r, given, err,
            "\"%.200s\" is not an equation model: its name ends in .mo or "
            ".bmo; "
            "another system file is included with \"system\"",
            name);
    YK_TRY(yk_file_values(parameters, err));
    YK_TRY(yk_file_input(r, &path, name, err));
    yoke_status status =
        yk_file_place(r, given, 0, yk_bytes_readable(path, err), err);
    if (status == YOKE_OK)
        status = check_units(r, node, path, class_name, parameters, err);
    if (status == YOKE_OK) {
        status =
            compile(r, node, path, class_name, parameters, out, &placed, err);
        if (!r->wrapped && !placed)
            status = yk_file_place(r, given, 0, status, err);
    }
    yk_free(path);
    return status;
}

static const yk_key keys[] = {
    { "class", YK_KEY_TEXT, false, NULL,
      "the model of the file; the only one, or the last, if left out" },
    { NULL, YK_KEY_TEXT, false, NULL, NULL },
};

const yk_component yk_component_model = {
    .source = "model",
    .text = "equations, a .mo or .bmo file",
    .key = keys,
    .read = read_model,
    .is_whole = yk_eq_model_is_file,
    .wrap = yk_eq_model_wrap,
};
