/* file/computed.c -- signals that are not linear: a.u = max(0, b.y)*c.z.
 *
 * The formula is a subsystem without unknowns, whose inputs are the outputs that
 * it reads and whose only output is its value.  It is solved together with the
 * subsystem that gets the signal, so the input is the formula at every point and
 * nothing is interpolated in between; with one that gives an output if the first
 * is closed; alone if all are.
 *
 * Where a reader asks for der(a.u) (rates.c) it has the outputs y.v and y.a, too,
 * whose formulas read derivatives of what y reads.
 */
#include "file/reader.h"

#include "graph/graph.h"
#include "sys/system.h"

#include <stdio.h>
#include <string.h>

enum { LEVELS = 2 };

static const char *const tail[] = { "", ".v", ".a" };

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
    const yk_functions *f = self;
    const int n = f->formula.variables;

    (void)x, (void)err;
    if (!jac->Hu) return YOKE_OK;
    yk_functions_values(self, t, u, NULL, f->slopes);
    for (int j = 0, k = 0; j < n; j++)
        for (int i = 0; i < f->count; i++)
            if (f->reads[i * n + j]) jac->Hu[k++] = f->slopes[i * n + j];
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

/* Which value depends on which input. */
static yoke_status find_pattern(yk_functions *f, yoke_pattern **out,
                                yoke_err *err)
{
    const int inputs = f->formula.variables, room = f->count * inputs + 1;
    yoke_status status = YOKE_OK;
    int *row = NULL, *col = NULL, count = 0;

    YK_GO(YK_TAKE(&f->arena, &f->reads, room, err));
    YK_GO(YK_TAKE(&f->arena, &f->slopes, room, err));
    YK_GO(YK_INTS((size_t)room, err, &row, &col));
    yk_functions_reads(f, f->reads);
    for (int k = 0; k < f->count * inputs; k++)
        if (f->reads[k]) {
            row[count] = k / inputs;
            col[count++] = k % inputs;
        }
    YK_GO(yoke_pattern_create(out, f->count, inputs, count, row, col, err));
done:
    YK_FREE(row, col);
    return status;
}

static yoke_status create(yoke_system **out, const char *name, yk_functions *f,
                          yoke_err *err)
{
    static const char *const y_name[] = { "y", "y.v", "y.a" };
    const int inputs = f->formula.variables;
    yoke_status status = YOKE_OK;
    yoke_pattern *all = NULL;

    YK_GO(find_pattern(f, &all, err));
    const yoke_system_info info = {
        .m = inputs,
        .p = f->count,
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
    return status;
}

bool yk_file_is_smooth_formula(const yoke_system *s)
{
    const yk_functions *f = s->ops == &computed_ops ? s->self : NULL;

    return f && yk_formula_is_continuous(&f->formula, f->root[0]);
}

/* ---- derivatives ----------------------------------------------------------- */

/* How many are wanted of the formula. */
static int wanted(const yk_reader *r, const char *name)
{
    for (int i = 0; i < r->rates.count; i++) {
        const yk_file_rate *w = &r->rates.at[i];
        if (!w->input && strcmp(w->part, name) == 0)
            return w->order < LEVELS ? w->order : LEVELS;
    }
    return 0;
}

/* The variable that is the derivative of variable k of level `level` - 1. */
static yoke_status add_variable(yk_formula *f, int k, int level, int *out,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    char *name = NULL;
    int step;

    YK_GO(yk_print(&name, err, "%.*s%s",
                   (int)(strlen(f->name[k]) - strlen(tail[level - 1])),
                   f->name[k], tail[level]));
    YK_GO(yk_formula_variable(f, name, f->place[k], &step, err));
    *out = f->program.step[step].arg;
done:
    yk_free(name);
    return status;
}

/* The roots of y, y.v, ..., which read variables and their derivatives. */
static yoke_status add_rates(yk_functions *f, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *variable = NULL, first = 0;
    const size_t most = (size_t)f->count * (size_t)f->formula.variables + 1;

    YK_GO(yk_ints(&variable, most, err));
    for (int level = 1; level < f->count; level++) {
        const int end = f->formula.variables;
        for (int k = first; k < end; k++)
            YK_GO(add_variable(&f->formula, k, level, &variable[k], err));
        YK_GO(yk_formula_rate(&f->formula, f->root[level - 1], variable,
                              &f->root[level], err));
        first = end;
    }
done:
    yk_free(variable);
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

    find_name(graph, name);
    YK_TRY(yk_file_functions(r->file, 1 + wanted(r, name), &f, err));
    f->formula = a->formula;
    f->root[0] = a->root;
    a->formula = (yk_formula){ 0 };
    YK_TRY(add_rates(f, err));
    YK_TRY(add_system(r, node, name, f, err));
    for (int i = 0; i < f->formula.variables; i++) {
        snprintf(port, sizeof port, "%s.u%d", name, i + 1);
        YK_TRY(yk_file_link(graph, port, f->formula.name[i], 1.0, delay, err));
    }
    snprintf(port, sizeof port, "%s.y", name);
    YK_TRY(yoke_graph_signal(graph, input, port, 1.0, err));
    return own(graph, name, input, &f->formula, err);
}
