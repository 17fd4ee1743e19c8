/* graph/graph_test.c -- names, ports, owners, constraints. */
#include "graph/graph_fixture.h"

#include "graph/graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void refuse_name(yoke_graph *graph, const char *name, const char *part)
{
    yoke_err err;
    const int before = yoke_graph_count(graph);

    CHECK_STATUS(yk_graph_add(graph, lag_system(name, -1.0, 1.0, 1, 0.0), &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, part);
    assert_int_equal(yoke_graph_count(graph), before);
}

static void names_that_could_not_be_addressed_are_refused(void **state)
{
    yoke_graph *graph = three_nodes();
    (void)state;
    refuse_name(graph, "a.mass", "subsystems \"a.mass\" and \"a\"");
    refuse_name(graph, ".a", "\".a\" is not a name");
    refuse_name(graph, "'a", "\"'a\" is not a name");
    refuse_name(graph, "left mass", "spaces");
    refuse_name(graph, "a+b", "\"a+b\"");
    refuse_name(graph, "a>b", "\"a>b\"");
    refuse_name(graph, "a,b", "\"a,b\"");
    refuse_name(graph, "a;b", "\"a;b\"");
    refuse_name(graph, "a*", "\"a*\"");
    refuse_name(graph, "b", "two subsystems named \"b\"");
    yk_graph_free(graph);
}

static void an_empty_name_is_refused(void **state)
{
    const double a = -1.0;
    const yoke_linear linear = { .n = 1, .A = &a };
    yoke_graph *graph = NULL;
    yoke_system *system = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_graph_create(&graph, &err), &err);
    yoke_status status = yoke_linear_create(&system, "", &linear, &err);
    if (status == YOKE_OK) status = yk_graph_add(graph, system, &err);
    assert_int_equal(status, YOKE_E_ARG);
    CHECK_CONTAINS(err.text, "empty");
    yk_graph_free(graph);
}

static void refuse_signal(yoke_graph *graph, const char *input,
                          const char *output, double weight, const char *part)
{
    yoke_err err;
    const int before = yoke_graph_links(graph, NULL);

    CHECK_STATUS(yoke_graph_signal(graph, input, output, weight, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, part);
    assert_int_equal(yoke_graph_links(graph, NULL), before);
}

static void unknown_ports_are_named_with_what_exists(void **state)
{
    yoke_graph *graph = three_nodes();
    (void)state;
    refuse_signal(graph, "c.force", "a.x1", 1.0,
                  "\"c\" has no input \"force\"; it has: u1, u2");
    refuse_signal(graph, "c.u1", "a.x2", 1.0,
                  "\"a\" has no output \"x2\"; it has: x1");
    refuse_signal(graph, "c.u1", "d.x1", 1.0,
                  "no subsystem \"d\"; there are: a, b, c");
    refuse_signal(graph, "c", "a.x1", 1.0, "form subsystem.input");
    refuse_signal(graph, "c.u1", "a.", 1.0, "form subsystem.output");
    refuse_signal(graph, ".u1", "a.x1", 1.0, "form subsystem.input");
    refuse_signal(graph, "c.u1", "a.x1", NAN, "not finite");
    refuse_signal(graph, "c.u1", "a.x1", INFINITY, "not finite");
    yk_graph_free(graph);
}

static void a_long_list_of_ports_is_cut_short(void **state)
{
    enum { N = 12 };
    double A[N * N] = { 0 };
    const yoke_linear linear = { .n = N, .A = A };
    yoke_graph *graph = three_nodes();
    yoke_system *system = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_linear_create(&system, "many", &linear, &err), &err);
    CHECK_OK(yk_graph_add(graph, system, &err), &err);
    refuse_signal(graph, "c.u1", "many.x99", 1.0, "it has: x1, x2");
    refuse_signal(graph, "c.u1", "many.x99", 1.0, "x8, ...");
    refuse_signal(graph, "many.u", "a.x1", 1.0, "it has: none");
    yk_graph_free(graph);
}

static void long_names_are_found(void **state)
{
    char name[400], address[420];
    yoke_graph *graph = three_nodes();
    yoke_schedule *schedule = NULL;
    yoke_err err;
    (void)state;
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    add_lag(graph, name, -1.0, 1);
    snprintf(address, sizeof address, "%s.u1", name);
    connect(graph, address, "a.x1", 1.0);
    assert_int_equal(yoke_graph_find(graph, name), 3);
    snprintf(address, sizeof address, "a + b + c > %s", name);
    CHECK_OK(yk_schedule_parse(&schedule, graph, address, &err), &err);
    assert_int_equal(schedule->clusters, 2);
    yoke_schedule_free(schedule);
    yk_graph_free(graph);
}

static void an_unconnected_input_is_named(void **state)
{
    yoke_graph *graph = three_nodes();
    yoke_schedule *schedule = NULL;
    yoke_err err;
    (void)state;
    add_lag(graph, "d", -1.0, 2);
    connect(graph, "d.u1", "a.x1", 1.0);
    CHECK_OK(yk_schedule_create(&schedule, graph, YOKE_JACOBI, 0, NULL, &err),
             &err);
    CHECK_STATUS(yoke_graph_check(graph, schedule, 0.0, &err), YOKE_E_MODEL,
                 &err);
    CHECK_CONTAINS(err.text, "input \"d.u2\" is not connected");
    connect(graph, "d.u2", "d.x1", 1.0);
    CHECK_OK(yoke_graph_check(graph, schedule, 0.0, &err), &err);
    yoke_schedule_free(schedule);
    yk_graph_free(graph);
}

static void a_circle_of_owners_is_refused(void **state)
{
    yoke_graph *graph = three_nodes();
    yoke_schedule *schedule = NULL;
    yoke_err err;
    (void)state;
    CHECK_STATUS(yk_graph_own(graph, "a", "a", &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "circle");
    CHECK_OK(yk_graph_own(graph, "a", "b", &err), &err);
    CHECK_OK(yk_graph_own(graph, "b", "c", &err), &err);
    CHECK_STATUS(yk_graph_own(graph, "c", "a", &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "\"c\" cannot be owned by \"a\"");
    CHECK_STATUS(yk_graph_own(graph, "c", "z", &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "\"z\"");
    CHECK_OK(yk_schedule_create(&schedule, graph, YOKE_JACOBI, 0, NULL, &err),
             &err);
    assert_int_equal(schedule->clusters, 1); /* a with b with c */
    yoke_schedule_free(schedule);
    yk_graph_free(graph);
}

/* ---- constraints --------------------------------------------------------- */

static const char *const both[] = { "a.x1", "b.x1" };
static const double unequal[] = { 2.0, -3.0, 0.5, 4.0 };

static void ramp(void *context, double t, double *d)
{
    d[0] = *(const double *)context * t;
    d[1] = 1.0;
}

static void product(void *context, double t, const double *y, double *g)
{
    (void)context;
    g[0] = y[0] * y[1] - t;
}

static yoke_constraint two_rows(void)
{
    return (yoke_constraint){
        .count = 2, .outputs = 2, .output = both, .weight = unequal
    };
}

static void a_linear_constraint_is_w_y_minus_d(void **state)
{
    double slope = 10.0, start[] = { 7.0, 8.0 };
    const double u[] = { 1.0, 2.0 };
    yoke_constraint rows = two_rows();
    yoke_graph *graph = three_nodes();
    double f[2], q[2];
    yoke_err err;
    (void)state;
    rows.offset = ramp;
    rows.context = &slope;
    rows.start = start;
    CHECK_OK(yoke_graph_constraint(graph, "tie", &rows, &err), &err);
    start[0] = 0.0; /* copied */
    yoke_system *tie = yoke_graph_system(graph, 3);
    const yoke_system_info *facts = yoke_system_facts(tie);
    assert_string_equal(facts->y_name[0], "lambda1");
    assert_string_equal(facts->y_name[1], "lambda2");
    assert_true(facts->x0[0] == 7.0 && facts->x0[1] == 8.0);
    CHECK_OK(yoke_system_eval(tie, 0.1, facts->x0, u, q, f, &err), &err);
    CHECK_NEAR(f[0], 2.0 - 6.0 - 1.0, 1e-14);
    CHECK_NEAR(f[1], 0.5 + 8.0 - 1.0, 1e-14);
    assert_true(q[0] == 0.0 && q[1] == 0.0);
    assert_int_equal(yoke_graph_links(graph, NULL), 6);
    yk_graph_free(graph);
}

static void a_function_constrains_too(void **state)
{
    const yoke_constraint row = {
        .count = 1, .outputs = 2, .output = both, .function = product
    };
    const double u[] = { 3.0, 4.0 };
    yoke_graph *graph = three_nodes();
    double f = 0.0, lambda = 0.0;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_graph_constraint(graph, "tie", &row, &err), &err);
    yoke_system *tie = yoke_graph_system(graph, 3);
    assert_string_equal(yoke_system_facts(tie)->y_name[0], "lambda");
    CHECK_OK(yoke_system_eval(tie, 2.0, &lambda, u, NULL, &f, &err), &err);
    CHECK_NEAR(f, 10.0, 1e-14);
    yk_graph_free(graph);
}

static void refuse_constraint(const char *name, const yoke_constraint *given,
                              const char *part)
{
    yoke_graph *graph = three_nodes();
    yoke_err err;

    CHECK_STATUS(yoke_graph_constraint(graph, name, given, &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, part);
    assert_int_equal(yoke_graph_count(graph), 3);
    assert_int_equal(yoke_graph_links(graph, NULL), 4);
    yk_graph_free(graph);
}

static void wrong_constraints_leave_the_graph_as_it_was(void **state)
{
    static const char *const wrong[] = { "a.x1", "b.x7" };
    yoke_constraint given = two_rows();
    (void)state;
    given.count = 0;
    refuse_constraint("tie", &given, "0 equations");
    given = two_rows();
    given.outputs = 0;
    refuse_constraint("tie", &given, "at least 1");
    given = two_rows();
    given.function = product;
    refuse_constraint("tie", &given, "either weights or a function");
    given.weight = NULL;
    given.function = NULL;
    refuse_constraint("tie", &given, "either weights or a function");
    given = two_rows();
    given.output = wrong;
    refuse_constraint("tie", &given, "no output \"x7\"");
    given = two_rows();
    given.owner = "nobody";
    refuse_constraint("tie", &given, "\"nobody\" to own it");
    given.owner = NULL;
    refuse_constraint("a", &given, "two subsystems named \"a\"");
    refuse_constraint("t ie", &given, "is not a name");
}

static void a_constraint_alone_runs_behind_what_it_joins(void **state)
{
    static const double weight[] = { 1.0, -1.0 };
    static const char *const text[] = { "tie > a > b > c", "a, b, c, tie",
                                        "a, b, c > tie" };
    const yoke_constraint row = {
        .count = 1, .outputs = 2, .output = both, .weight = weight
    };
    yoke_graph *graph = three_nodes();
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_graph_constraint(graph, "tie", &row, &err), &err);
    connect(graph, "a.u1", "tie.lambda", 1.0);
    for (int k = 0; k < 3; k++) {
        yoke_schedule *schedule = NULL;
        CHECK_OK(yk_schedule_parse(&schedule, graph, text[k], &err), &err);
        const yoke_status status = yoke_graph_check(graph, schedule, 0.0, &err);
        if (k < 2) {
            CHECK_STATUS(status, YOKE_E_MODEL, &err);
            CHECK_CONTAINS(err.text, "tie");
            CHECK_CONTAINS(err.text, "give it an owner");
        } else
            CHECK_OK(status, &err);
        yoke_schedule_free(schedule);
    }
    yk_graph_free(graph);
}

/* Two on one subsystem have their multipliers together. */
static void constraints_that_share_a_subsystem_are_one_cluster(void **state)
{
    static const double weight[] = { 1.0, -1.0 };
    const yoke_constraint row = { .count = 1,
                                  .outputs = 2,
                                  .output = both,
                                  .weight = weight,
                                  .owner = "a",
                                  .may_stay = true };
    yoke_graph *graph = three_nodes();
    yoke_schedule *schedule = NULL, *apart = NULL;
    char text[100];
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_graph_constraint(graph, "tie", &row, &err), &err);
    CHECK_OK(yoke_graph_constraint(graph, "knot", &row, &err), &err);
    connect(graph, "a.u1", "tie.lambda", 1.0);
    CHECK_OK(
        yk_schedule_create(&schedule, graph, YOKE_GAUSS_SEIDEL, 0, NULL, &err),
        &err);
    CHECK_OK(yk_schedule_part(&apart, graph, schedule, false, &err), &err);
    assert_true(yoke_schedule_text(apart, graph, -1, text, sizeof text));
    assert_string_equal(text, "a > b > c > tie + knot");
    assert_true(yk_schedule_is_constraint(apart, graph, 3));
    assert_false(yk_schedule_is_constraint(apart, graph, 0));
    yoke_schedule_free(apart);
    CHECK_OK(yk_schedule_parse(&apart, graph, "a, b, c > tie > knot", &err),
             &err);
    CHECK_STATUS(yk_schedule_check_apart(apart, graph, &err), YOKE_E_MODEL,
                 &err);
    CHECK_CONTAINS(err.text, "\"tie + knot\"");
    yoke_schedule_free(apart);
    CHECK_OK(yk_schedule_parse(&apart, graph, "a > tie + knot > b, c", &err),
             &err);
    CHECK_STATUS(yk_schedule_check_apart(apart, graph, &err), YOKE_E_MODEL,
                 &err);
    CHECK_CONTAINS(err.text, "stands before \"b\"");
    yoke_schedule_free(apart);
    CHECK_OK(yk_schedule_parse(&apart, graph, "a, b, c > tie + knot", &err),
             &err);
    CHECK_OK(yk_schedule_check_apart(apart, graph, &err), &err);
    yoke_schedule_free(apart);
    yoke_schedule_free(schedule);
    yk_graph_free(graph);
}

static void a_graph_without_subsystems_has_no_schedule(void **state)
{
    yoke_graph *graph = NULL;
    yoke_schedule *schedule = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_graph_create(&graph, &err), &err);
    for (int scheme = 0; scheme <= YOKE_MONOLITHIC; scheme++)
        CHECK_STATUS(yk_schedule_create(&schedule, graph, (yoke_scheme)scheme,
                                        0, NULL, &err),
                     YOKE_E_MODEL, &err);
    CHECK_STATUS(yk_schedule_parse(&schedule, graph, "a", &err), YOKE_E_MODEL,
                 &err);
    CHECK_STATUS(yk_graph_complete(graph, &err), YOKE_E_MODEL, &err);
    assert_null(schedule);
    yk_graph_free(graph);
    yk_graph_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_could_not_be_addressed_are_refused),
        cmocka_unit_test(an_empty_name_is_refused),
        cmocka_unit_test(unknown_ports_are_named_with_what_exists),
        cmocka_unit_test(a_long_list_of_ports_is_cut_short),
        cmocka_unit_test(long_names_are_found),
        cmocka_unit_test(an_unconnected_input_is_named),
        cmocka_unit_test(a_circle_of_owners_is_refused),
        cmocka_unit_test(a_linear_constraint_is_w_y_minus_d),
        cmocka_unit_test(a_function_constrains_too),
        cmocka_unit_test(wrong_constraints_leave_the_graph_as_it_was),
        cmocka_unit_test(a_constraint_alone_runs_behind_what_it_joins),
        cmocka_unit_test(constraints_that_share_a_subsystem_are_one_cluster),
        cmocka_unit_test(a_graph_without_subsystems_has_no_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
