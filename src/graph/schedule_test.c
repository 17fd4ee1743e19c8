/* graph/schedule_test.c -- schedules, the clusters they make, the check. */
#include "graph/graph_fixture.h"

#include "graph/cluster.h"

#include <stdio.h>
#include <string.h>

/* "0 1|2": members of the stages. */
static void check_stages(const yoke_schedule *s, const char *want)
{
    char text[200] = "";

    for (int stage = 0; stage < s->stages; stage++)
        for (int k = s->stage[stage]; k < s->stage[stage + 1]; k++) {
            const size_t used = strlen(text);
            const char *mark = stage > 0 && k == s->stage[stage] ? "|" : " ";
            snprintf(text + used, sizeof text - used, "%s%d", used ? mark : "",
                     s->member[k]);
        }
    assert_string_equal(text, want);
}

static yoke_schedule *by_scheme(const yoke_graph *graph, yoke_scheme scheme,
                                int count, const char *const *order)
{
    yoke_schedule *s = NULL;
    yoke_err err;

    CHECK_OK(yk_schedule_create(&s, graph, scheme, count, order, &err), &err);
    return s;
}

static yoke_schedule *by_text(const yoke_graph *graph, const char *text)
{
    yoke_schedule *s = NULL;
    yoke_err err;

    CHECK_OK(yk_schedule_parse(&s, graph, text, &err), &err);
    return s;
}

static void schemes_differ_in_their_stages(void **state)
{
    static const char *const order[] = { "c", "a", "b" };
    yoke_graph *graph = three_nodes();
    yoke_schedule *s = by_scheme(graph, YOKE_JACOBI, 0, NULL);
    (void)state;
    check_stages(s, "0 1 2");
    assert_false(s->lag_self);
    yoke_schedule_free(s);
    s = by_scheme(graph, YOKE_PICARD, 0, NULL);
    check_stages(s, "0 1 2");
    assert_true(s->lag_self);
    yoke_schedule_free(s);
    s = by_scheme(graph, YOKE_GAUSS_SEIDEL, 3, order);
    check_stages(s, "0|1|2");
    assert_int_equal(s->cluster[2], 0); /* c first */
    assert_int_equal(s->cluster[0], 1);
    assert_int_equal(s->cluster[1], 2);
    yoke_schedule_free(s);
    s = by_scheme(graph, YOKE_MONOLITHIC, 0, NULL);
    check_stages(s, "0");
    assert_int_equal(s->clusters, 1);
    yoke_schedule_free(s);
    yk_graph_free(graph);
}

static void owned_nodes_may_be_left_out_of_an_order(void **state)
{
    static const char *const order[] = { "c", "b" };
    yoke_graph *graph = three_nodes();
    yoke_err err;
    (void)state;
    CHECK_OK(yk_graph_own(graph, "a", "b", &err), &err);
    yoke_schedule *s = by_scheme(graph, YOKE_GAUSS_SEIDEL, 2, order);
    check_stages(s, "0|1");
    assert_int_equal(s->cluster[0], s->cluster[1]);
    yoke_schedule_free(s);
    yk_graph_free(graph);
}

static void refuse_order(yoke_scheme scheme, int count,
                         const char *const *order, const char *part)
{
    yoke_graph *graph = three_nodes();
    yoke_schedule *s = NULL;
    yoke_err err;

    CHECK_STATUS(yk_schedule_create(&s, graph, scheme, count, order, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, part);
    assert_null(s);
    yk_graph_free(graph);
}

static void wrong_orders_are_refused(void **state)
{
    static const char *const twice[] = { "a", "b", "a", "c" };
    static const char *const unknown[] = { "a", "b", "d" };
    (void)state;
    refuse_order(YOKE_JACOBI, 4, twice, "order: \"a\" occurs twice");
    refuse_order(YOKE_JACOBI, 3, unknown, "no subsystem \"d\"");
    refuse_order(YOKE_JACOBI, 3, unknown, "there are: a, b, c");
    refuse_order(YOKE_MONOLITHIC, 3, unknown, "no subsystem \"d\"");
    refuse_order(YOKE_GAUSS_SEIDEL, 2, twice, "does not contain \"c\"");
    refuse_order((yoke_scheme)6, 0, NULL, "scheme = 6");
    refuse_order((yoke_scheme)-1, 0, NULL, "between 0 and 5");
}

static void text_says_stages_clusters_and_members(void **state)
{
    yoke_graph *graph = three_nodes();
    yoke_schedule *s = by_text(graph, "a+c,b");
    (void)state;
    check_stages(s, "0 1");
    assert_int_equal(s->cluster[0], s->cluster[2]);
    yoke_schedule_free(s);
    s = by_text(graph, " c > a\t>\nb ");
    check_stages(s, "0|1|2");
    yoke_schedule_free(s);
    yk_graph_free(graph);
}

static void a_cluster_may_run_twice_in_a_sweep(void **state)
{
    yoke_graph *graph = three_nodes();
    yoke_schedule *s = by_text(graph, "a > b + c > a");
    (void)state;
    check_stages(s, "0|1|0");
    yoke_schedule_free(s);
    yk_graph_free(graph);
}

static void refuse_text(const char *text, const char *part)
{
    yoke_graph *graph = three_nodes();
    yoke_schedule *s = NULL;
    yoke_err err;

    CHECK_STATUS(yk_schedule_parse(&s, graph, text, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, part);
    CHECK_CONTAINS(err.text, "schedule \"");
    assert_null(s);
    yk_graph_free(graph);
}

static void errors_of_syntax_have_their_place(void **state)
{
    (void)state;
    refuse_text("", "missing at character 1");
    refuse_text("   ", "missing at character 4");
    refuse_text("> a", "missing at character 1");
    refuse_text("a > b >", "missing at character 8");
    refuse_text("a >> b", "missing at character 4");
    refuse_text("a , , b", "missing at character 5");
    refuse_text("a + > b", "missing at character 5");
    refuse_text("+ a", "missing at character 1");
    refuse_text("a b c", "\"b\" at character 3 is not one of + , >");
    refuse_text("a > d", "no subsystem \"d\"; there are: a, b, c");
    refuse_text("a;b", "no subsystem \"a;b\"");
    refuse_text("a > b", "does not contain \"c\"");
    refuse_text("a + b > b + c", "other members the second time");
}

static void errors_of_meaning_are_named(void **state)
{
    (void)state;
    refuse_text("a + b > c > a", "other members the second time");
    refuse_text("a > b > c > a + b", "\"b\" is in two clusters");
    refuse_text("a + a > b > c", "other members");
    refuse_text("a, b, a > c", "\"a\" occurs twice in one stage");
    refuse_text("a > b, b > c", "\"b\" occurs twice in one stage");
}

static void text_overrides_an_owner(void **state)
{
    yoke_graph *graph = three_nodes();
    yoke_err err;
    (void)state;
    CHECK_OK(yk_graph_own(graph, "a", "b", &err), &err);
    yoke_schedule *s = by_text(graph, "c > b > c");
    assert_int_equal(s->cluster[0], s->cluster[1]);
    check_stages(s, "0|1|0");
    yoke_schedule_free(s);
    s = by_text(graph, "a + c > b");
    assert_int_equal(s->cluster[0], s->cluster[2]);
    yoke_schedule_free(s);
    yk_graph_free(graph);
}

/* ---- clusters ------------------------------------------------------------ */

/* Both systems have the same values everywhere we look. */
static void check_equal(yoke_system *a, yoke_system *b)
{
    const yoke_system_info *f = yoke_system_facts(a);
    const double x[] = { 0.3, -1.2, 2.5, 0.7 }, u[] = { 1.1, -0.4, 0.9 };
    double qa[4], qb[4], fa[4], fb[4], ya[4], yb[4];
    yoke_err err;

    assert_int_equal(f->n, yoke_system_facts(b)->n);
    assert_int_equal(f->m, yoke_system_facts(b)->m);
    assert_int_equal(f->p, yoke_system_facts(b)->p);
    CHECK_OK(yoke_system_eval(a, 0.5, x, u, qa, fa, &err), &err);
    CHECK_OK(yoke_system_eval(b, 0.5, x, u, qb, fb, &err), &err);
    CHECK_OK(yoke_system_output(a, 0.5, x, u, ya, &err), &err);
    CHECK_OK(yoke_system_output(b, 0.5, x, u, yb, &err), &err);
    for (int i = 0; i < f->n; i++) {
        CHECK_NEAR(qa[i], qb[i], 0.0);
        CHECK_NEAR(fa[i], fb[i], 1e-15);
    }
    for (int i = 0; i < f->p; i++) CHECK_NEAR(ya[i], yb[i], 0.0);
}

static void a_cluster_is_the_composition_of_its_members(void **state)
{
    yoke_graph *graph = three_nodes();
    yoke_schedule *s = by_text(graph, "a + b > c");
    yoke_system *members[] = { yoke_graph_system(graph, 0),
                               yoke_graph_system(graph, 1) };
    const yoke_link link[] = { { 0, 0, 1, 0, 0.5 }, { 1, 0, 0, 0, 0.25 } };
    const yoke_composition parts = {
        .members = 2, .links = 2, .member = members, .link = link
    };
    yk_cluster *clusters = NULL;
    yoke_system *by_hand = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_clusters_create(&clusters, graph, s, NULL, &err), &err);
    CHECK_OK(yoke_compose(&by_hand, "hand", &parts, &err), &err);
    assert_string_equal(clusters[0].name, "a+b");
    check_equal(clusters[0].system, by_hand);
    assert_int_equal(clusters[0].sources, 0);
    assert_int_equal(clusters[1].sources, 2);
    assert_ptr_equal(clusters[1].system, yoke_graph_system(graph, 2));
    yoke_system_free(by_hand);
    yk_clusters_free(clusters, s->clusters);
    yoke_schedule_free(s);
    yk_graph_free(graph);
}

/* a feeds itself and b; b feeds a. */
static yoke_graph *self_fed(void)
{
    yoke_graph *graph = NULL;
    yoke_err err;

    CHECK_OK(yk_graph_create(&graph, &err), &err);
    add_lag(graph, "a", -1.0, 1);
    add_lag(graph, "b", -2.0, 1);
    connect(graph, "a.u1", "a.x1", 0.125);
    connect(graph, "a.u1", "b.x1", 0.5);
    connect(graph, "b.u1", "a.x1", 0.25);
    return graph;
}

static void only_picard_takes_a_link_to_oneself_from_outside(void **state)
{
    yoke_graph *graph = self_fed();
    yoke_schedule *jacobi = by_scheme(graph, YOKE_JACOBI, 0, NULL);
    yoke_schedule *picard = by_scheme(graph, YOKE_PICARD, 0, NULL);
    yk_cluster *solved = NULL, *lagged = NULL;
    const double x = 2.0, u = 3.0;
    double f = 0.0;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_clusters_create(&solved, graph, jacobi, NULL, &err), &err);
    CHECK_OK(yk_clusters_create(&lagged, graph, picard, NULL, &err), &err);
    assert_int_equal(solved[0].sources, 1);
    assert_int_equal(lagged[0].sources, 2);
    CHECK_OK(yoke_system_eval(solved[0].system, 0.0, &x, &u, NULL, &f, &err),
             &err);
    CHECK_NEAR(f, x - 0.125 * x - u, 1e-15);
    CHECK_OK(yoke_system_eval(lagged[0].system, 0.0, &x, &u, NULL, &f, &err),
             &err);
    CHECK_NEAR(f, x - u, 1e-15);
    yk_clusters_free(solved, 2);
    yk_clusters_free(lagged, 2);
    yoke_schedule_free(jacobi);
    yoke_schedule_free(picard);
    yk_graph_free(graph);
}

/* ---- the check ----------------------------------------------------------- */

/* 0 = A x + B u: "p" reads z only, "q" reads w only; each has the equation of
 * the other. */
static yoke_graph *crossed(double own)
{
    static const char *const name[] = { "p", "q" };
    static const char *const x_name[] = { "w", "z" };
    const double E = 0.0, A = own, B = 1.0;
    yoke_graph *graph = NULL;
    yoke_err err;

    CHECK_OK(yk_graph_create(&graph, &err), &err);
    for (int i = 0; i < 2; i++) {
        yoke_system *system = NULL;
        const yoke_linear linear = {
            .n = 1, .m = 1, .E = &E, .A = &A, .B = &B, .x_name = x_name + i
        };
        CHECK_OK(yoke_linear_create(&system, name[i], &linear, &err), &err);
        CHECK_OK(yk_graph_add(graph, system, &err), &err);
    }
    connect(graph, "p.u1", "q.z", 1.0);
    connect(graph, "q.u1", "p.w", 1.0);
    return graph;
}

static void a_solvable_pairing_is_offered(void **state)
{
    yoke_graph *graph = crossed(0.0);
    yoke_schedule *s = by_scheme(graph, YOKE_JACOBI, 0, NULL);
    yoke_err err;
    (void)state;
    CHECK_STATUS(yoke_graph_check(graph, s, 0.0, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "A solvable pairing would be p: w by q.");
    CHECK_CONTAINS(err.text, "q: z by p.");
    yoke_schedule_free(s);
    s = by_scheme(graph, YOKE_MONOLITHIC, 0, NULL);
    CHECK_OK(yoke_graph_check(graph, s, 0.0, &err), &err);
    yoke_schedule_free(s);
    yk_graph_free(graph);
}

static void a_model_that_is_not_solvable_at_all_is_called_so(void **state)
{
    yoke_graph *graph = crossed(0.0);
    const double E = 0.0, A[] = { 0.0 }, B[] = { 1.0 };
    const yoke_linear linear = { .n = 1, .m = 1, .E = &E, .A = A, .B = B };
    yoke_system *system = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_linear_create(&system, "lost", &linear, &err), &err);
    CHECK_OK(yk_graph_add(graph, system, &err), &err);
    connect(graph, "lost.u1", "p.w", 1.0);
    yoke_schedule *s = by_scheme(graph, YOKE_JACOBI, 0, NULL);
    CHECK_STATUS(yoke_graph_check(graph, s, 0.0, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "as a whole is not solvable either: 1 of 3");
    yoke_schedule_free(s);
    yk_graph_free(graph);
}

static void a_schedule_of_another_graph_is_refused(void **state)
{
    yoke_graph *graph = three_nodes();
    yoke_schedule *s = by_scheme(graph, YOKE_JACOBI, 0, NULL);
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_graph_check(graph, s, 0.0, &err), &err);
    add_lag(graph, "late", -1.0, 0);
    CHECK_STATUS(yoke_graph_check(graph, s, 0.0, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "3 subsystems, the graph has 4");
    yoke_schedule_free(s);
    yk_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_differ_in_their_stages),
        cmocka_unit_test(owned_nodes_may_be_left_out_of_an_order),
        cmocka_unit_test(wrong_orders_are_refused),
        cmocka_unit_test(text_says_stages_clusters_and_members),
        cmocka_unit_test(a_cluster_may_run_twice_in_a_sweep),
        cmocka_unit_test(errors_of_syntax_have_their_place),
        cmocka_unit_test(errors_of_meaning_are_named),
        cmocka_unit_test(text_overrides_an_owner),
        cmocka_unit_test(a_cluster_is_the_composition_of_its_members),
        cmocka_unit_test(only_picard_takes_a_link_to_oneself_from_outside),
        cmocka_unit_test(a_solvable_pairing_is_offered),
        cmocka_unit_test(a_model_that_is_not_solvable_at_all_is_called_so),
        cmocka_unit_test(a_schedule_of_another_graph_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
