/* file/computed.c -- signals that are not linear: a.u = max(0, b.y)*c.z.
 *
 * The formula is a subsystem without unknowns, whose inputs are the outputs that
 * it reads and whose only output is its value.  It is solved together with the
 * subsystem that gets the signal, so the input is the formula at every point and
 * nothing is interpolated in between; with one that gives an output if the first
 * is closed; alone if all are.
 */
#include "file/reader.h"

#include "graph/graph.h"
#include "sys/system.h"

#include <stdio.h>

/* ---- the subsystem --------------------------------------------------------- */

static yoke_status output(void *self, double t, const double *x,
                          const double *u, double *y, yoke_err *err)
{
    (void)x, (void)err;
    yk_functions_values(self, t, u, y, NULL);
    return YOKE_OK;
}

static yoke_status jacobian(void *self, double t, const double *x,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err)
{
    (void)x, (void)err;
    if (jac->Hu) yk_functions_values(self, t, u, NULL, jac->Hu);
    return YOKE_OK;
}

static const yoke_system_ops computed_ops = {
    .kind = "formula",
    .eval = yk_no_equations,
    .output = output,
    .jacobian = jacobian,
    .next_break = yk_functions_next_break,
    .save = yk_functions_save,
    .restore = yk_functions_restore,
};

static const yoke_help_ops computed_help = { .explain = yk_functions_explain };

static yoke_status create(yoke_system **out, const char *name, yk_functions *f,
                          yoke_err *err)
{
    static const char *const y_name[] = { "y" };
    const int inputs = f->formula.variables;
    yoke_status status = YOKE_OK;
    yoke_pattern *all = NULL;
    int *row = NULL, *col = NULL;

    YK_GO(YK_INTS((size_t)inputs + 1, err, &row, &col));
    for (int i = 0; i < inputs; i++) col[i] = i;
    YK_GO(yoke_pattern_create(&all, 1, inputs, inputs, row, col, err));
    const yoke_system_info info = {
        .m = inputs,
        .p = 1,
        .flags =
            YOKE_HIDDEN | YOKE_PARALLEL | (f->straight ? YOKE_TIMELESS : 0u),
        .y_name = y_name,
        .Hu = all,
        .help = &computed_help,
        .events = f->holds,
        .event = f->holds > 0 ? &yk_functions_events : NULL,
        .memory_bytes = f->events.memory_bytes,
    };
    YK_GO(yoke_system_create(out, name, &computed_ops, f, &info, err));
    YK_GO(yk_functions_told(out, f, NULL, err));
done:
    yoke_pattern_free(all);
    YK_FREE(row, col);
    return status;
}

/* ---- its place in the graph ------------------------------------------------ */

/* A name that nobody has. */
static void find_name(const yoke_graph *graph, char name[32])
{
    int i = 1;

    do snprintf(name, 32, "formula_%d", i++);
    while (yoke_graph_find(graph, name) >= 0);
}

/* The subsystem of "subsystem.port", if it may be solved with others. */
static bool may_own(const yoke_graph *graph, const char *port, char part[300])
{
    snprintf(part, 300, "%.*s", (int)yk_graph_split(graph, port), port);
    const int node = yoke_graph_find(graph, part);
    return node >= 0 &&
           !yoke_system_facts(yoke_graph_system(graph, node))->closed;
}

static yoke_status own(yoke_graph *graph, const char *name, const char *input,
                       const yk_formula *f, yoke_err *err)
{
    char part[300];
    bool found = may_own(graph, input, part);

    for (int i = 0; i < f->variables && !found; i++)
        found = may_own(graph, f->name[i], part);
    return found ? yk_graph_own(graph, name, part, err) : YOKE_OK;
}

static yoke_status add_system(const yk_reader *r, const yk_yaml *node,
                              const char *name, yk_functions *f, yoke_err *err)
{
    yoke_system *system = NULL;

    YK_TRY(yk_functions_close(f, err));
    YK_TRY(yk_file_hold(r, node, f, true, err));
    YK_TRY(create(&system, name, f, err));
    return yoke_model_add(r->file->model, system, NULL, err);
}

yoke_status yk_file_computed(const yk_reader *r, const yk_yaml *node,
                             const char *input, yk_assignment *a,
                             const yoke_delay *delay, yoke_err *err)
{
    yoke_graph *graph = yoke_model_graph(r->file->model);
    yk_functions *f = NULL;
    char name[32], port[50];

    YK_TRY(yk_file_functions(r->file, 1, &f, err));
    f->formula = a->formula;
    f->root[0] = a->root;
    a->formula = (yk_formula){ 0 };
    find_name(graph, name);
    YK_TRY(add_system(r, node, name, f, err));
    for (int i = 0; i < f->formula.variables; i++) {
        snprintf(port, sizeof port, "%s.u%d", name, i + 1);
        YK_TRY(yk_file_link(graph, port, f->formula.name[i], 1.0, delay, err));
    }
    snprintf(port, sizeof port, "%s.y", name);
    YK_TRY(yoke_graph_signal(graph, input, port, 1.0, err));
    return own(graph, name, input, &f->formula, err);
}
