/* graph/constraint.c -- 0 = g(t, y) as a subsystem.
 *
 * Unknowns: the multipliers, which do not occur in g.  Inputs: the outputs that
 * g reads.  C = G = 0; only in a cluster with a subsystem on which the
 * multipliers act is there anything to solve.
 */
#include "graph/graph.h"

#include <stdio.h>

typedef struct constraint {
    int count, inputs;
    double *weight; /* NULL: function */
    void (*offset)(void *context, double t, double *d);
    void (*function)(void *context, double t, const double *y, double *g);
    void *context;
} constraint;

static void constraint_free(void *self)
{
    constraint *c = self;

    if (!c) return;
    yk_free(c->weight);
    yk_free(c);
}

static yoke_status constraint_eval(void *self, double t, const double *x,
                                   const double *u, double *q, double *f,
                                   yoke_err *err)
{
    const constraint *c = self;

    (void)x;
    (void)err;
    for (int i = 0; q && i < c->count; i++) q[i] = 0.0;
    if (!f) return YOKE_OK;
    if (c->function) {
        c->function(c->context, t, u, f);
        return YOKE_OK;
    }
    for (int i = 0; i < c->count; i++) f[i] = 0.0;
    if (c->offset) c->offset(c->context, t, f);
    for (int i = 0; i < c->count; i++) {
        double sum = 0.0;
        for (int j = 0; j < c->inputs; j++)
            sum += c->weight[i * c->inputs + j] * u[j];
        f[i] = sum - f[i];
    }
    return YOKE_OK;
}

static const yoke_system_ops constraint_ops = {
    .kind = "constraint",
    .eval = constraint_eval,
    .free = constraint_free,
};

static yoke_status check(const char *name, const yoke_constraint *given,
                         yoke_err *err)
{
    if (given->count < 1 || given->outputs < 1 || !given->output)
        return yk_fail(err, YOKE_E_ARG,
                       "constraint \"%s\" has %d equations in "
                       "%d outputs; both must be at least 1",
                       name, given->count, given->outputs);
    if (!given->weight == !given->function)
        return yk_fail(err, YOKE_E_ARG,
                       "constraint \"%s\" needs either "
                       "weights or a function",
                       name);
    return YOKE_OK;
}

static yoke_status copy(constraint **out, const yoke_constraint *given,
                        yoke_err *err)
{
    yoke_status status = YOKE_OK;
    constraint *c = NULL;

    YK_TRY(YK_NEW(&c, 1, err));
    c->count = given->count;
    c->inputs = given->outputs;
    c->offset = given->offset;
    c->function = given->function;
    c->context = given->context;
    if (given->weight)
        YK_GO(yk_copy_doubles(&c->weight, given->weight,
                              (size_t)given->count * (size_t)given->outputs,
                              err));
    *out = c;
    c = NULL;
done:
    constraint_free(c);
    return status;
}

/* "lambda" or "lambda1", "lambda2", ... */
static yoke_status multiplier_names(char ***names, char **text, int count,
                                    yoke_err *err)
{
    YK_TRY(YK_NEW(names, count, err));
    YK_TRY(yk_alloc((void **)text, (size_t)count, 24, err));
    for (int i = 0; i < count; i++) {
        (*names)[i] = *text + 24 * i;
        if (count == 1)
            snprintf((*names)[i], 24, "lambda");
        else
            snprintf((*names)[i], 24, "lambda%d", i + 1);
    }
    return YOKE_OK;
}

static yoke_status create(yoke_system **out, const char *name,
                          const yoke_constraint *given, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    constraint *c = NULL;
    yoke_pattern *none = NULL, *no_charge = NULL;
    char **names = NULL, *text = NULL;

    YK_GO(copy(&c, given, err));
    YK_GO(multiplier_names(&names, &text, given->count, err));
    YK_GO(yoke_pattern_empty(&none, given->count, given->count, err));
    YK_GO(yoke_pattern_empty(&no_charge, given->count, given->outputs, err));
    const yoke_system_info info = {
        .n = given->count,
        .m = given->outputs,
        .flags = given->weight ? YOKE_AFFINE : 0,
        .x0 = given->start,
        .x_name = (const char *const *)names,
        .u_name = given->output,
        .C = none,
        .G = none,
        .Cu = no_charge,
    };
    constraint *self = c;
    c = NULL; /* taken, also on failure */
    YK_GO(yoke_system_create(out, name, &constraint_ops, self, &info, err));
done:
    constraint_free(c);
    yoke_pattern_free(none);
    yoke_pattern_free(no_charge);
    yk_free(names);
    yk_free(text);
    return status;
}

/* Links from the outputs it reads, placed behind the graph's own; they count
 * only when the subsystem is in. */
static yoke_status prepare_links(yoke_graph *graph,
                                 const yoke_constraint *given, yoke_err *err)
{
    YK_TRY(yk_grow((void **)&graph->link, &graph->link_room,
                   (size_t)graph->links + (size_t)given->outputs,
                   sizeof *graph->link, err));
    for (int j = 0; j < given->outputs; j++) {
        yoke_link *link = &graph->link[graph->links + j];
        *link = (yoke_link){ .to = graph->nodes, .input = j, .weight = 1.0 };
        YK_TRY(yk_graph_port(graph, given->output[j], false, &link->from,
                             &link->output, err));
    }
    return YOKE_OK;
}

yoke_status yoke_graph_constraint(yoke_graph *graph, const char *name,
                                  const yoke_constraint *given, yoke_err *err)
{
    yoke_system *system = NULL;

    YK_TRY(check(name, given, err));
    YK_TRY(prepare_links(graph, given, err));
    if (given->owner && yoke_graph_find(graph, given->owner) < 0)
        return yk_fail(err, YOKE_E_ARG,
                       "constraint \"%s\": there is no "
                       "subsystem \"%s\" to own it",
                       name, given->owner);
    YK_TRY(create(&system, name, given, err));
    YK_TRY(yoke_graph_add(graph, system, err));
    graph->node[graph->nodes - 1].is_constraint = true;
    graph->links += given->outputs;
    return given->owner ? yoke_graph_own(graph, name, given->owner, err)
                        : YOKE_OK;
}
