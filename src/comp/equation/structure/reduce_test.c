/* comp/equation/structure/reduce_test.c -- structural index and dummy
 * derivatives. */
#define _XOPEN_SOURCE 700
#include "comp/equation/compile_fixture.h"

#include <unistd.h>

static int square(fixture *f, int a)
{
    return mul(f, a, a);
}

/* A pendulum by positions: der(x) = vx, m der(vx) = -F x, x^2 + y^2 = L^2. */
static fixture pendulum(double x0, double y0)
{
    fixture f = fixture_create();
    const int x = unknown(&f, "x", 0, 2, x0), y = unknown(&f, "y", 0, 3, y0);
    const int vx = unknown(&f, "vx", 0, 4, 0.0);
    const int vy = unknown(&f, "vy", 0, 5, 0.0),
              F = unknown(&f, "F", 0, 6, 0.0);

    equation(&f, der(&f, x), ref(&f, vx), 10);
    equation(&f, der(&f, y), ref(&f, vy), 11);
    equation(&f, mul(&f, num(&f, 2.0), der(&f, vx)),
             op1(&f, YK_OP_NEGATE, mul(&f, ref(&f, F), ref(&f, x))), 12);
    equation(&f, mul(&f, num(&f, 2.0), der(&f, vy)),
             sub(&f, op1(&f, YK_OP_NEGATE, mul(&f, ref(&f, F), ref(&f, y))),
                 num(&f, 2.0 * 9.81)),
             13);
    equation(&f, add(&f, square(&f, ref(&f, x)), square(&f, ref(&f, y))),
             num(&f, 1.0), 14);
    return f;
}

static void a_pendulum_by_positions_runs(void **state)
{
    fixture f = pendulum(0.6, -0.8);
    yoke_equation_report report;
    yoke_system *s = both(&f, &report);
    const int n = yoke_system_facts(s)->n;
    double *x = calloc((size_t)n, sizeof *x);
    (void)state;

    assert_int_equal(report.index, 3);
    assert_int_equal(report.states, 2);
    assert_int_equal(report.differentiated, 4);
    assert_int_equal(report.dummies, 4);
    CHECK_CONTAINS(report.text, "Structural index 3");
    CHECK_CONTAINS(report.text, "model.mo:14 (2 times)");
    CHECK_CONTAINS(report.text, "States: none. States chosen again");
    for (int k = 1; k <= 4; k++) {
        integrate(s, 0.5 * k, 1e-9, x);
        const double px = x[0], py = x[1], vx = x[2], vy = x[3];
        CHECK_NEAR(px * px + py * py, 1.0, 1e-10);
        CHECK_NEAR(px * vx + py * vy, 0.0, 1e-9);
        CHECK_NEAR(0.5 * (vx * vx + vy * vy) + 9.81 * py, -0.8 * 9.81, 1e-6);
    }
    yoke_solvability facts;
    CHECK_OK(
        yoke_solvable(s, 0.0, yoke_system_facts(s)->x0, NULL, &facts, NULL),
        NULL);
    assert_int_equal(facts.index, 1);
    free(x);
    yoke_system_free(s);
    yk_flat_free(f.flat);
}

/* The start values decide: of x and y the one that can be solved for changes.
 */
static void start_values_are_kept_where_possible(void **state)
{
    static const double start[][2] = { { 1.1, 0.0 }, { 0.0, -1.1 } };
    yoke_equation_report report;
    (void)state;

    for (int k = 0; k < 2; k++) {
        fixture f = pendulum(start[k][0], start[k][1]);
        yoke_system *s = both(&f, &report);
        const double *x0 = yoke_system_facts(s)->x0;
        CHECK_NEAR(x0[k], start[k][k] > 0.0 ? 1.0 : -1.0, 1e-12);
        CHECK_NEAR(x0[1 - k], 0.0, 1e-14);
        yoke_system_free(s);
        yk_flat_free(f.flat);
    }
    /* What is fixed stays, though it could be solved for. */
    fixture f = pendulum(0.8, -0.1);
    fix(&f, 0);
    yoke_system *s = both(&f, &report);
    CHECK_NEAR(yoke_system_facts(s)->x0[0], 0.8, 1e-14);
    CHECK_NEAR(yoke_system_facts(s)->x0[1], -0.6, 1e-12);
    yoke_system_free(s);
    yk_flat_free(f.flat);

    f = pendulum(0.0, 0.0); /* singular there: decided by structure */
    yoke_system_free(compiled(&f, NULL, &report));
    assert_int_equal(report.states, 2);
    yk_flat_free(f.flat);
}

/* Capacitors at voltage sources, as loops: C der(v[i]) = c[i], v[i] = i sin t.
 */
static void index_two_in_loops(void **state)
{
    fixture f = fixture_create();
    yoke_equation_report report;
    const int v = unknown(&f, "v", 6, 2, 0.0), c = unknown(&f, "c", 6, 3, 0.0);
    double x[32];
    (void)state;

    loop(&f, mul(&f, num(&f, 0.5), der_el(&f, v, 0, 1)), el(&f, c, 0, 1), 6, 0,
         5);
    loop(&f, el(&f, v, 0, 1),
         mul(&f, loop_index(&f, 0), op1(&f, YK_OP_SIN, now(&f))), 5, 1, 6);
    equation(&f, el(&f, c, 0, 0), sub(&f, num(&f, 1.0), el(&f, v, 0, 0)), 7);
    yoke_system *s = both(&f, &report);
    assert_int_equal(report.index, 2);
    assert_int_equal(report.differentiated, 5);
    assert_int_equal(report.states, 1);
    integrate(s, 1.0, 1e-9, x);
    CHECK_NEAR(x[find_x(s, "v[4]")], 3.0 * sin(1.0), 1e-9);
    CHECK_NEAR(x[find_x(s, "c[4]")], 1.5 * cos(1.0), 1e-9);
    CHECK_NEAR(x[find_x(s, "v[1]")], 1.0 - exp(-2.0), 1e-7);
    yoke_system_free(s);
    yk_flat_free(f.flat);
}

/* v = u, c = der(v): the derivative of the input is a charge; again it is an
 * unknown, and that below it. */
static void inputs_are_differentiated(void **state)
{
    fixture f = fixture_create();
    yoke_equation_report report;
    int u = variable(&f, "u", YK_FLAT_INPUT, 0, 1, 0.0);
    int v = unknown(&f, "v", 0, 2, 0.0), c = unknown(&f, "c", 0, 3, 0.0);
    (void)state;

    equation(&f, add(&f, ref(&f, v), num(&f, 1.0)), ref(&f, u), 5);
    equation(&f, ref(&f, c), der(&f, v), 6);
    yoke_system_free(both(&f, &report));
    assert_int_equal(report.index, 2);
    yk_flat_free(f.flat);

    f = fixture_create();
    u = variable(&f, "u", YK_FLAT_INPUT, 0, 1, 0.0);
    v = unknown(&f, "v", 0, 2, 0.0);
    c = unknown(&f, "c", 0, 3, 0.0);
    const int d = unknown(&f, "d", 0, 4, 0.0);
    equation(&f, add(&f, ref(&f, v), num(&f, 1.0)), ref(&f, u), 5);
    equation(&f, ref(&f, c), der(&f, v), 6);
    equation(&f, ref(&f, d), der(&f, c), 7);
    yoke_system *s = both(&f, &report);
    assert_true(find_x(s, "der(u)") >= 0 && find_x(s, "der(der(u))") >= 0);
    yoke_system_free(s);
    yk_flat_free(f.flat);
}

/* Two masses tied together: x2 = 2 x1 at position level, forces by lambda. */
static void a_linear_constraint_of_index_three(void **state)
{
    fixture f = fixture_create();
    yoke_equation_report report;
    const int x1 = unknown(&f, "x1", 0, 2, 0.5),
              x2 = unknown(&f, "x2", 0, 2, 1);
    const int v1 = unknown(&f, "v1", 0, 3, 0.0),
              v2 = unknown(&f, "v2", 0, 3, 0);
    const int l = unknown(&f, "lambda", 0, 4, 0.0);
    double x[32];
    (void)state;

    equation(&f, der(&f, x1), ref(&f, v1), 5);
    equation(&f, der(&f, x2), ref(&f, v2), 6);
    equation(&f, der(&f, v1),
             sub(&f, mul(&f, num(&f, 2.0), ref(&f, l)), ref(&f, x1)), 7);
    equation(&f, der(&f, v2), op1(&f, YK_OP_NEGATE, ref(&f, l)), 8);
    equation(&f, ref(&f, x2), mul(&f, num(&f, 2.0), ref(&f, x1)), 9);
    yoke_system *s = both(&f, &report);
    assert_int_equal(report.index, 3);
    assert_true(yoke_system_facts(s)->flags & YOKE_AFFINE);
    integrate(s, 1.0, 1e-9, x); /* x1'' (1 + 4) = -x1 */
    CHECK_NEAR(x[0], 0.5 * cos(1.0 / sqrt(5.0)), 1e-8);
    CHECK_NEAR(x[1], cos(1.0 / sqrt(5.0)), 1e-8);
    yoke_system_free(s);
    yk_flat_free(f.flat);
}

static fixture leaning(void)
{
    return pendulum(0.6, -0.8);
}

static void failing_memory_leaks_nothing(void **state)
{
    (void)state;
    compile_leaks_nothing(leaning, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_by_positions_runs),
        cmocka_unit_test(start_values_are_kept_where_possible),
        cmocka_unit_test(index_two_in_loops),
        cmocka_unit_test(inputs_are_differentiated),
        cmocka_unit_test(a_linear_constraint_of_index_three),
        cmocka_unit_test(failing_memory_leaks_nothing),
    };
    if (!mkdtemp(cache)) return 1;
    return cmocka_run_group_tests(tests, NULL, remove_cache);
}
