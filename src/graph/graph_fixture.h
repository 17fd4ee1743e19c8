/* graph/graph_fixture.h -- small systems for the tests of graphs. */
#ifndef YK_GRAPH_FIXTURE_H
#define YK_GRAPH_FIXTURE_H

#include "check.h"

#include "graph/graph.h"
#include "yoke/graph.h"

/* x' = a x + b u, y = x; m inputs, each with weight b. */
static inline yoke_system *lag_system(const char *name, double a, double b,
                                      int m, double x0)
{
    const double B[4] = { b, b, b, b };
    const yoke_linear linear = { .n = 1, .m = m, .A = &a, .B = B, .x0 = &x0 };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_linear_create(&system, name, &linear, &err), &err);
    return system;
}

static inline void add_lag(yoke_graph *graph, const char *name, double a, int m)
{
    yoke_err err;

    CHECK_OK(yk_graph_add(graph, lag_system(name, a, 1.0, m, 1.0), &err), &err);
}

static inline void connect(yoke_graph *graph, const char *input,
                           const char *output, double weight)
{
    yoke_err err;

    CHECK_OK(yoke_graph_signal(graph, input, output, weight, &err), &err);
}

/* a and b feed each other, c reads both. */
static inline yoke_graph *three_nodes(void)
{
    yoke_graph *graph = NULL;
    yoke_err err;

    CHECK_OK(yk_graph_create(&graph, &err), &err);
    add_lag(graph, "a", -1.0, 1);
    add_lag(graph, "b", -2.0, 1);
    add_lag(graph, "c", -3.0, 2);
    connect(graph, "a.u1", "b.x1", 0.5);
    connect(graph, "b.u1", "a.x1", 0.25);
    connect(graph, "c.u1", "a.x1", 1.0);
    connect(graph, "c.u2", "b.x1", 1.0);
    return graph;
}

#endif
