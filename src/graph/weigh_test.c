/* graph/weigh_test.c -- how much errors of outputs count. */
#include "check.h"

#include "graph/graph.h"
#include "sys/system.h"

#include <stdio.h>

/* x' = u, y = H x + D u. */
static void add(yoke_graph *g, const char *name, double H, double D)
{
    const double zero = 0.0, one = 1.0;
    yoke_err err = { YOKE_OK, "" };
    yoke_system *s = NULL;
    const yoke_linear linear = {
        .n = 1, .m = 1, .p = 1, .A = &zero, .B = &one, .H = &H, .D = &D
    };

    CHECK_OK(yoke_linear_create(&s, name, &linear, &err), &err);
    CHECK_OK(yk_graph_add(g, s, &err), &err);
}

/* y = D u. */
static void add_gain(yoke_graph *g, const char *name, double D)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_system *s = NULL;
    const yoke_linear linear = { .m = 1, .p = 1, .D = &D };

    CHECK_OK(yoke_linear_create(&s, name, &linear, &err), &err);
    CHECK_OK(yk_graph_add(g, s, &err), &err);
}

static void join(yoke_graph *g, const char *to, const char *from, double weight)
{
    yoke_err err = { YOKE_OK, "" };
    char input[20], output[20];

    snprintf(input, sizeof input, "%s.u1", to);
    snprintf(output, sizeof output, "%s.y1", from);
    CHECK_OK(yoke_graph_signal(g, input, output, weight, &err), &err);
}

static yoke_graph *fresh(void)
{
    yoke_graph *g = NULL;

    CHECK_OK(yk_graph_create(&g, NULL), NULL);
    return g;
}

/* Weights of the outputs, in order; and of the unknowns. */
static void expect(yoke_graph *g, const double *output, const double *unknown)
{
    yoke_err err = { YOKE_OK, "" };
    double *weight = NULL;

    CHECK_OK(yk_graph_weigh(g, 0.0, &weight, &err), &err);
    for (int i = 0; i < yoke_graph_count(g); i++) {
        const yoke_system *s = yoke_graph_system(g, i);
        CHECK_NEAR(weight[i], output[i], 1e-12 * output[i]);
        if (yoke_system_facts(s)->n > 0)
            CHECK_NEAR(yk_system_weight(s, 0), unknown[i], 1e-12 * unknown[i]);
    }
    yk_free(weight);
}

static void a_reader_counts_what_it_reads(void **state)
{
    yoke_graph *g = fresh();
    (void)state;
    add(g, "b", 1, 0);
    add(g, "a", 1, 0);
    add(g, "c", 1, 0);
    join(g, "a", "b", -1e10);
    join(g, "c", "b", 1e3);
    expect(g, (double[]){ 1e10, 1, 1 }, (double[]){ 1e10, 1, 1 });
    yk_graph_free(g);
}

static void small_weights_do_not_count(void **state)
{
    yoke_graph *g = fresh();
    (void)state;
    add(g, "b", 1, 0);
    add(g, "a", 1, 0);
    join(g, "a", "b", 9);
    expect(g, (double[]){ 1, 1 }, (double[]){ 1, 1 });
    yk_graph_free(g);
}

/* Units that are converted and converted back. */
static void factors_multiply_along_a_chain(void **state)
{
    yoke_graph *g = fresh();
    (void)state;
    add(g, "a", 1, 0);
    add(g, "b", 1, 0);
    add_gain(g, "gain", 1e-3);
    add(g, "c", 1, 0);
    join(g, "b", "a", 1e5);
    join(g, "gain", "b", 1e4);
    join(g, "c", "gain", 1e3);
    expect(g, (double[]){ 1e9, 1e4, 1e3, 1 }, (double[]){ 1e9, 1e4, 0, 1 });
    yk_graph_free(g);
}

static void gains_of_subsystems_count(void **state)
{
    yoke_graph *g = fresh();
    (void)state;
    add(g, "a", 1, 0);
    add_gain(g, "gain", 1e6);
    add(g, "b", 1, 0);
    join(g, "gain", "a", 1);
    join(g, "b", "gain", 1);
    /* Nobody multiplies what the gain makes; it multiplies by itself. */
    expect(g, (double[]){ 1e6, 1, 1 }, (double[]){ 1e6, 0, 1 });
    yk_graph_free(g);
}

/* y = H x: the factor is that of both. */
static void the_factor_of_the_unknown_counts(void **state)
{
    yoke_graph *g = fresh();
    (void)state;
    add(g, "b", 1e-4, 0);
    add(g, "a", 1, 0);
    join(g, "a", "b", 1e6);
    expect(g, (double[]){ 1e6, 1 }, (double[]){ 1e2, 1 });
    yk_graph_free(g);
}

/* A loop whose factors multiply to 1e6 does not raise anything forever. */
static void loops_count_once(void **state)
{
    yoke_graph *g = fresh();
    (void)state;
    add(g, "source", 1, 0);
    add(g, "a", 1, 0);
    add(g, "b", 1, 0);
    add(g, "end", 1, 0);
    join(g, "a", "source", 2);
    join(g, "a", "b", 1e3);
    join(g, "b", "a", 1e3);
    join(g, "end", "b", 5e3);
    expect(g, (double[]){ 1e4, 1e3, 5e3, 1 }, (double[]){ 1e4, 1e3, 5e3, 1 });
    yk_graph_free(g);
}

/* y = 1e9 x is recorded, whoever reads it. */
static void outputs_that_magnify_count_unread(void **state)
{
    yoke_graph *g = fresh();
    (void)state;
    add(g, "a", 1e9, 0);
    add(g, "b", -200, 0);
    add(g, "c", 9, 0);
    join(g, "b", "a", 1);
    expect(g, (double[]){ 1, 1, 1 }, (double[]){ 1e9, 200, 1 });
    yk_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_counts_what_it_reads),
        cmocka_unit_test(small_weights_do_not_count),
        cmocka_unit_test(factors_multiply_along_a_chain),
        cmocka_unit_test(gains_of_subsystems_count),
        cmocka_unit_test(the_factor_of_the_unknown_counts),
        cmocka_unit_test(loops_count_once),
        cmocka_unit_test(outputs_that_magnify_count_unread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
