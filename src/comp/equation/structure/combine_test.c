/* comp/equation/structure/combine_test.c -- derivatives that occur in
 * combinations only. */
#define _XOPEN_SOURCE 700
#include "comp/equation/compile_fixture.h"

#include "yoke/equation.h"

#include <unistd.h>

static yoke_system *read_text(const char *text, yoke_equation_report *report)
{
    const yoke_equation_options options = { .compiler = "", .cache = cache };
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_equation_parse(&system, "m", "m.mo", text, strlen(text),
                                 &options, report, &err),
             &err);
    return system;
}

/* w = u1 - u2 decays with C (R1 + R2) = 5 s. */
static void a_capacitor_between_two_nodes_is_one_state(void **state)
{
    yoke_equation_report report;
    yoke_system *s = read_text("model M Real u1(start = 2, fixed = true), u2;"
                               " equation u1/2 + der(u1) - der(u2) = 0;"
                               " u2/3 - der(u1) + der(u2) = 0; end M;",
                               &report);
    double x[8] = { 0.0 };
    (void)state;

    assert_int_equal(report.index, 1);
    assert_int_equal(report.states, 1);
    CHECK_NEAR(yoke_system_facts(s)->x0[1], -3.0, 1e-12);
    integrate(s, 2.0, 1e-9, x);
    CHECK_NEAR(x[0], 2.0 * exp(-2.0 / 5.0), 1e-7);
    CHECK_NEAR(x[1], -3.0 * exp(-2.0 / 5.0), 1e-7);
    yoke_system_free(s);
}

/* C(u) (u1' - u2'): the slopes vary, their quotient does not. */
static void a_varying_capacitance_is_one_state(void **state)
{
    yoke_equation_report report;
    yoke_system *s =
        read_text("model M Real u1(start = 2, fixed = true), u2; equation"
                  " u1/2 + (1 + u1^2)*(der(u1) - der(u2)) = 0;"
                  " u2/3 - (1 + u1^2)*(der(u1) - der(u2)) = 0; end M;",
                  &report);
    double x[8] = { 0.0 };
    (void)state;

    assert_int_equal(report.index, 1);
    assert_int_equal(report.states, 1);
    integrate(s, 1.0, 1e-9, x);
    /* (1 + u^2) 2.5 u' = -u/2: ln u + u^2/2 falls by t/5 */
    CHECK_NEAR(log(x[0]) + 0.5 * x[0] * x[0], log(2.0) + 2.0 - 0.2, 1e-7);
    CHECK_NEAR(x[1], -1.5 * x[0], 1e-9);
    yoke_system_free(s);
}

static void independent_combinations_are_two_states(void **state)
{
    yoke_equation_report report;
    yoke_system *s = read_text("model M Real a(start = 1, fixed = true),"
                               " b(start = 3, fixed = true); equation"
                               " der(a) - der(b) = -(a - b);"
                               " der(a) + der(b) = -2*(a + b); end M;",
                               &report);
    double x[8] = { 0.0 };
    (void)state;

    assert_int_equal(report.states, 2);
    integrate(s, 1.0, 1e-9, x);
    CHECK_NEAR(x[0] - x[1], -2.0 * exp(-1.0), 1e-7);
    CHECK_NEAR(x[0] + x[1], 4.0 * exp(-2.0), 1e-7);
    yoke_system_free(s);
}

enum { MOST_NODES = 9, LENGTH = 4000 };

/* Nodes with resistors to ground and capacitors between some of them, in one
 * piece: one state less than nodes, and the currents to ground sum to zero. */
static void write_net(unsigned long long *random, int nodes, double *r,
                      char *text)
{
    double c[MOST_NODES][MOST_NODES] = { { 0.0 } };
    size_t n =
        (size_t)snprintf(text, LENGTH, "model M Real u[%d]; equation ", nodes);

    for (int i = 0; i < nodes; i++) {
        r[i] = exp(4.0 * yk_random(random) - 2.0);
        for (int k = 0; k < i; k++)
            if (k == i - 1 || yk_random(random) < 0.3)
                c[i][k] = c[k][i] = exp(6.0 * yk_random(random) - 3.0);
    }
    for (int i = 0; i < nodes; i++) {
        n += (size_t)snprintf(text + n, LENGTH - n, "u[%d]/%.17g", i + 1, r[i]);
        for (int k = 0; k < nodes; k++)
            if (c[i][k] > 0.0)
                n += (size_t)snprintf(text + n, LENGTH - n,
                                      " + %.17g*(der(u[%d]) - der(u[%d]))",
                                      c[i][k], i + 1, k + 1);
        n += (size_t)snprintf(text + n, LENGTH - n, " = 0; ");
    }
    snprintf(text + n, LENGTH - n, "initial equation u[1] - u[2] = 1; end M;");
}

static void random_nets_have_one_state_less_than_nodes(void **state)
{
    static char text[LENGTH];
    unsigned long long random = 17;
    (void)state;

    for (int trial = 0; trial < 30; trial++) {
        const int nodes = 2 + trial % (MOST_NODES - 1);
        double r[MOST_NODES], x[64] = { 0.0 }, sum = 0.0, size = 0.0;
        yoke_equation_report report;
        write_net(&random, nodes, r, text);
        yoke_system *s = read_text(text, &report);
        assert_int_equal(report.index, 1);
        assert_int_equal(report.states, nodes - 1);
        integrate(s, 0.3, 1e-7, x);
        for (int i = 0; i < nodes; i++) {
            sum += x[i] / r[i];
            size += fabs(x[i] / r[i]);
        }
        CHECK_NEAR(sum, 0.0, 1e-9 * (1.0 + size));
        yoke_system_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_capacitor_between_two_nodes_is_one_state),
        cmocka_unit_test(a_varying_capacitance_is_one_state),
        cmocka_unit_test(independent_combinations_are_two_states),
        cmocka_unit_test(random_nets_have_one_state_less_than_nodes),
    };
    if (!mkdtemp(cache)) return 1;
    return cmocka_run_group_tests(tests, NULL, remove_cache);
}
