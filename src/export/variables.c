/* export/variables.c -- the variables of an exported FMU. */
#include "export/export.h"

#include "base/names.h"
#include "base/texts.h"
#include "file/open.h"
#include "graph/graph.h"
#include "yoke/equation.h"
#include "yoke/event.h"
#include "sys/closed.h"

#include <stdio.h>
#include <string.h>

void yk_export_clear(yk_export *e)
{
    for (int i = 0; i < e->variables; i++)
        YK_FREE(e->variable[i].name, e->variable[i].inner, e->variable[i].unit,
                e->variable[i].text);
    YK_FREE(e->variable, e->system);
}

static yoke_status add(yk_export *e, yk_export_kind kind, const char *name,
                       const char *unit, double start, int node, yoke_err *err)
{
    yk_export_variable v = { .kind = kind, .start = start, .node = node };

    YK_TRY(yk_grow((void **)&e->variable, &e->room, (size_t)e->variables + 1,
                   sizeof v, err));
    e->variable[e->variables++] = v;
    yk_export_variable *at = &e->variable[e->variables - 1];
    YK_TRY(yk_copy_text(&at->name, name, err));
    YK_TRY(yk_copy_text(&at->inner, name, err));
    return yk_copy_text(&at->unit, unit, err);
}

/* ---- what cannot be carried along --------------------------------------- */

static yoke_status refuse_closed(const yk_export *e, yoke_err *err)
{
    const yoke_graph *graph = yoke_model_graph(yoke_file_model(e->file));

    for (int i = 0; i < yoke_graph_count(graph); i++) {
        const yoke_system *s = yoke_graph_system(graph, i);
        if (!yoke_system_facts(s)->closed) continue;
        return yk_fail(err, YOKE_E_MODEL,
                       "\"%.100s\" is a closed part (%s): an FMU that contains "
                       "another one cannot be exported; export what is around "
                       "it with inputs and outputs in its place",
                       yoke_system_name(s), yoke_system_kind(s));
    }
    return YOKE_OK;
}

/* ---- parameters and inputs ---------------------------------------------- */

static yoke_status add_parameters(yk_export *e, yoke_err *err)
{
    yoke_file_subsystem s;
    char name[600];

    for (int i = 0; yoke_file_subsystem_at(e->file, i, &s); i++)
        for (int k = 0; k < s.parameters; k++) {
            const yoke_file_parameter *p = &s.parameter[k];
            if (!p->has_value || p->origin == YOKE_FROM_COMMAND) continue;
            snprintf(name, sizeof name, "%s.%s", s.name, p->name);
            YK_TRY(add(e, YK_EXPORT_PARAMETER, name, NULL, p->value, -1, err));
        }
    return YOKE_OK;
}

static yoke_status add_inputs(yk_export *e, yoke_err *err)
{
    yoke_file_input in;

    for (int i = 0; yoke_file_input_at(e->file, i, &in); i++)
        YK_TRY(add(e, YK_EXPORT_INPUT, in.name, in.unit, in.start, -1, err));
    return YOKE_OK;
}

/* ---- outputs ------------------------------------------------------------ */

/* The subsystem and output that a variable of the result is; false: it is an
 * unknown. */
static bool is_output(const yoke_graph *graph, const char *name, int *node,
                      int *output)
{
    for (int i = 0; i < yoke_graph_count(graph); i++) {
        const yoke_system *s = yoke_graph_system(graph, i);
        const yoke_system_info *f = yoke_system_facts(s);
        const bool own = (f->flags & YOKE_OWN_NAMES) != 0;
        const size_t length = own ? 0 : strlen(yoke_system_name(s)) + 1;
        if (!own && (strncmp(name, yoke_system_name(s), length - 1) != 0 ||
                     name[length - 1] != '.'))
            continue;
        *node = i;
        for (int k = 0; k < f->p; k++)
            if (strcmp(name + length, f->y_name[k]) == 0) {
                *output = k;
                return true;
            }
    }
    return false;
}

static bool is_read(const yoke_graph *graph, int node, int output)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);

    for (int l = 0; l < links; l++)
        if (link[l].from == node && link[l].output == output) return true;
    return false;
}

/* Of netlists the names say it. */
static const char *unit_of(const yk_export *e, const char *name, int node)
{
    const yoke_graph *graph = yoke_model_graph(yoke_file_model(e->file));
    const char *unit = yk_file_unit_of(e->file, name);
    const char *dot = strrchr(name, '.');

    if (unit || node < 0 ||
        strcmp(yoke_system_kind(yoke_graph_system(graph, node)), "circuit") !=
            0)
        return unit;
    const char *last = dot ? dot + 1 : name;
    return strncmp(last, "v(", 2) == 0   ? "V"
           : strncmp(last, "i(", 2) == 0 ? "A"
                                         : NULL;
}

/* Does unknown k change at events only? */
static bool is_held(const yoke_system_info *f, int k)
{
    return f->at_events && f->at_events->discrete && f->at_events->discrete[k];
}

/* Does output k follow from such unknowns alone? */
static bool output_is_held(const yoke_system_info *f, int k)
{
    bool some = false;

    for (int j = 0; j < f->m; j++)
        if (yoke_pattern_find(f->Hu, k, j) >= 0) return false;
    for (int j = 0; j < f->n; j++) {
        if (yoke_pattern_find(f->Hx, k, j) < 0) continue;
        if (!is_held(f, j)) return false;
        some = true;
    }
    return some;
}

/* A variable of the result that changes at events only. */
static bool is_discrete(const yoke_graph *graph, const char *name, int node,
                        bool output, int k)
{
    if (node < 0) return false;
    const yoke_system *s = yoke_graph_system(graph, node);
    const yoke_system_info *f = yoke_system_facts(s);
    const size_t length =
        (f->flags & YOKE_OWN_NAMES) != 0 ? 0 : strlen(yoke_system_name(s)) + 1;
    if (f->events == 0) return false;
    if (output) return output_is_held(f, k);
    const int j = yk_texts_find(f->x_name, f->n, name + length);
    return j >= 0 && is_held(f, j);
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* All variables of the run.  With the section `outputs` these are the run's and
 * all are outputs; otherwise those that others read are. */
static yoke_status add_shown(yk_export *e, const yoke_run *run, yoke_err *err)
{
    const yoke_graph *graph = yoke_model_graph(yoke_file_model(e->file));
    const bool chosen = yoke_file_outputs(e->file)[0] != '\0';
    const char *const *name = NULL;
    const double *value = NULL;
    const int count = yoke_run_variables(run, &name, &value);
    const int first = e->variables;
    int outputs = 0;

    for (int i = 0; i < count; i++) {
        int node = -1, k = 0;
        const bool output = is_output(graph, name[i], &node, &k);
        const bool wanted = chosen || (output && is_read(graph, node, k));
        if (begins_with(name[i], YK_OPEN_NAME ".")) continue;
        outputs += wanted;
        YK_TRY(add(e, wanted ? YK_EXPORT_OUTPUT : YK_EXPORT_LOCAL, name[i],
                   unit_of(e, name[i], node), value[i], node, err));
        e->variable[e->variables - 1].discrete =
            is_discrete(graph, name[i], node, output, k);
    }
    for (int i = first; outputs == 0 && i < e->variables; i++)
        e->variable[i].kind = YK_EXPORT_OUTPUT;
    return YOKE_OK;
}

/* ---- what equation models say of their variables ------------------------ */

/* "left.k[2]" of subsystem "left" -> "k". */
static bool is_symbol(const char *name, const char *subsystem,
                      const char *symbol)
{
    const size_t front = strlen(subsystem), length = strlen(symbol);

    return strncmp(name, subsystem, front) == 0 && name[front] == '.' &&
           strncmp(name + front + 1, symbol, length) == 0 &&
           (name[front + 1 + length] == '\0' ||
            name[front + 1 + length] == '[');
}

static yoke_status tell_symbol(yk_export *e, const char *subsystem,
                               const yoke_equation_symbol *s, yoke_err *err)
{
    for (int i = 0; i < e->variables; i++) {
        yk_export_variable *v = &e->variable[i];
        if (v->kind == YK_EXPORT_INPUT ||
            !is_symbol(v->inner, subsystem, s->name))
            continue;
        if (!v->unit && s->unit && s->unit[0])
            YK_TRY(yk_copy_text(&v->unit, s->unit, err));
        if (!v->text && s->text && s->text[0])
            YK_TRY(yk_copy_text(&v->text, s->text, err));
    }
    return YOKE_OK;
}

/* Units and descriptions; a model that cannot be inspected has none. */
static yoke_status add_symbols(yk_export *e, yoke_err *err)
{
    yoke_file_subsystem s;

    for (int i = 0; yoke_file_subsystem_at(e->file, i, &s); i++) {
        const yoke_equation_options options = { .model = s.class_name };
        yoke_equation_facts *facts = NULL;
        yoke_status status = YOKE_OK;
        if (strcmp(s.source, "model") != 0 || !s.path ||
            yoke_equation_inspect(&facts, s.path, &options, NULL) != YOKE_OK)
            continue;
        for (int k = 0; k < facts->symbols && status == YOKE_OK; k++)
            status = tell_symbol(e, s.name, &facts->symbol[k], err);
        yoke_equation_facts_free(facts);
        YK_TRY(status);
    }
    return YOKE_OK;
}

/* A text that is there already gets its kind in front. */
static yoke_status make_names_unique(yk_export *e, yoke_err *err)
{
    yk_names names = { 0 };
    yoke_status status = YOKE_OK;

    for (int i = e->variables - 1; i >= 0 && status == YOKE_OK; i--) {
        yk_export_variable *v = &e->variable[i];
        char text[700];
        if (yk_names_find(&names, v->name) >= 0) {
            snprintf(text, sizeof text, "%s.%s",
                     v->kind == YK_EXPORT_PARAMETER ? "parameters"
                                                    : YK_OPEN_NAME,
                     v->inner);
            yk_free(v->name);
            v->name = NULL;
            status = yk_copy_text(&v->name, text, err);
        }
        if (status == YOKE_OK) status = yk_names_add(&names, v->name, i, err);
    }
    yk_names_clear(&names);
    return status;
}

yoke_status yk_export_find(yk_export *e, yoke_err *err)
{
    yoke_run *run = NULL;
    yoke_run_options options = e->run;

    YK_TRY(refuse_closed(e, err));
    options.output = options.tasks = "";
    options.iterates = false;
    YK_TRY(
        yoke_run_create(&run, yoke_file_model(e->file), &options, NULL, err));
    yoke_status status =
        add(e, YK_EXPORT_TIME, "time", "s", options.start, -1, err);
    if (status == YOKE_OK) status = add_parameters(e, err);
    if (status == YOKE_OK) status = add_inputs(e, err);
    if (status == YOKE_OK) status = add_shown(e, run, err);
    if (status == YOKE_OK) status = add_symbols(e, err);
    yoke_run_close(run, NULL);
    return status == YOKE_OK ? make_names_unique(e, err) : status;
}

/* ---- dependencies ------------------------------------------------------- */

/* Marks the subsystems that output `output` of `node` reaches. */
static void spread(const yoke_graph *graph, int node, int output, bool *reached)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);
    bool more = true;

    for (int l = 0; l < links; l++)
        if (link[l].from == node && link[l].output == output)
            reached[link[l].to] = true;
    while (more) {
        more = false;
        for (int l = 0; l < links; l++)
            if (reached[link[l].from] && !reached[link[l].to])
                more = reached[link[l].to] = true;
    }
}

bool yk_export_depends(const yk_export *e, const yk_export_variable *v, int k)
{
    enum { MOST = 1000 };
    const yoke_graph *graph = yoke_model_graph(yoke_file_model(e->file));
    bool reached[MOST] = { false };

    if (v->node < 0 || yoke_graph_count(graph) > MOST) return true;
    spread(graph, 0, k, reached); /* the inputs are the first subsystem */
    return reached[v->node];
}
