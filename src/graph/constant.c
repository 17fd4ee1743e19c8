/* graph/constant.c -- constant terms of signals, u = K y + c.
 *
 * With one subsystem more whose only output is 1, c is a column of K: the
 * coupling stays a linear combination of outputs for everything that sweeps,
 * composes, starts and verifies.  The subsystem has no unknowns and no inputs,
 * so it is solved once per window, before all others.
 */
#include "graph/graph.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>

static yoke_status one(void *self, double t, const double *x, const double *u,
                       double *y, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)err;
    y[0] = 1.0;
    return YOKE_OK;
}

static const yoke_system_ops constant_ops = { .kind = "constant",
                                              .eval = yk_no_equations,
                                              .output = one };

/* A name not yet taken. */
static void find_name(const yoke_graph *graph, char name[32])
{
    snprintf(name, 32, "constant");
    for (int i = 2; yoke_graph_find(graph, name) >= 0; i++)
        snprintf(name, 32, "constant_%d", i);
}

static yoke_status add_constant(yoke_graph *graph, yoke_err *err)
{
    static const char *const output[] = { "one" };
    const yoke_system_info info = {
        .p = 1,
        .flags = YOKE_AFFINE | YOKE_TIMELESS | YOKE_HIDDEN | YOKE_PARALLEL,
        .y_name = output,
    };
    yoke_system *system = NULL;
    char name[32];

    find_name(graph, name);
    YK_TRY(yoke_system_create(&system, name, &constant_ops, NULL, &info, err));
    YK_TRY(yk_graph_add(graph, system, err));
    graph->constant = graph->nodes;
    return YOKE_OK;
}

yoke_status yoke_graph_constant(yoke_graph *graph, const char *input,
                                double value, yoke_err *err)
{
    char output[40];
    int node = 0, port = 0;

    if (!isfinite(value))
        return yk_fail(err, YOKE_E_ARG,
                       "signal %s = %g: the constant is not finite", input,
                       value);
    YK_TRY(yk_graph_port(graph, input, true, &node, &port, err));
    if (graph->constant == 0) YK_TRY(add_constant(graph, err));
    snprintf(output, sizeof output, "%s.one",
             yoke_system_name(graph->node[graph->constant - 1].system));
    return yoke_graph_signal(graph, input, output, value, err);
}
