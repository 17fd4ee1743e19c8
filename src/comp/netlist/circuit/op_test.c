/* comp/netlist/circuit/op_test.c -- one operating point for all analyses.
 *
 * These circuits have several operating points.  Which one Newton's method
 * finds depends on how the circuit describes its variables: sources that drive
 * nodes, as in .op and .tran, or voltages that are unknowns, as in .ac.
 */
#include "comp/netlist/read/read_fixture.h"

#include "comp/netlist/circuit/circuit.h"

#include <math.h>

enum { VALUES = 60 };

static const char *const circuits[] = { "t\n"
                                        "vcc vcc 0 dc 4\n"
                                        "vin vi 0 dc 1 ac 1\n"
                                        "rin n1 vi 1k\n"
                                        ".model n nmos vto=0.7 kp=100u\n"
                                        ".model p pmos vto=-0.7 kp=50u\n"
                                        ".model q npn bf=100\n"
                                        ".model r pnp bf=50\n"
                                        "ra2 n2 vcc 6k\n"
                                        "ra3 n3 vcc 13k\n"
                                        "ra4 n4 vcc 2k\n"
                                        "ra5 n5 0 10k\n"
                                        "ra6 n6 vcc 7k\n"
                                        "rb0 n1 n6 5k\n"
                                        "rb1 n2 n1 71k\n"
                                        "rb2 n3 n6 50k\n"
                                        "rb3 n4 n5 23k\n"
                                        "rb4 n5 n6 39k\n"
                                        "rb5 n6 n5 55k\n"
                                        "rb6 n1 n4 81k\n"
                                        "q0 n2 b0 vcc r\n"
                                        "rq0 b0 n5 10k\n"
                                        "q1 n5 b1 vcc r\n"
                                        "rq1 b1 n2 10k\n"
                                        "m2 n2 n6 0 0 n l=1u w=10u\n"
                                        "q3 n6 b3 vcc r\n"
                                        "rq3 b3 n5 10k\n"
                                        "q4 n1 b4 0 q\n"
                                        "rq4 b4 n2 10k\n"
                                        "q5 n5 b5 0 q\n"
                                        "rq5 b5 n3 10k\n"
                                        "m6 n3 n6 0 0 n l=1u w=10u\n",

                                        "t\n"
                                        "vcc vcc 0 dc 3\n"
                                        "vin vi 0 dc 0 ac 1\n"
                                        "rin n1 vi 1k\n"
                                        ".model n nmos vto=0.7 kp=100u\n"
                                        ".model p pmos vto=-0.7 kp=50u\n"
                                        ".model q npn bf=100\n"
                                        ".model r pnp bf=50\n"
                                        "ra2 n2 vcc 16k\n"
                                        "ra3 n3 vcc 7k\n"
                                        "ra4 n4 vcc 11k\n"
                                        "ra5 n5 0 2k\n"
                                        "rb0 n1 n3 11k\n"
                                        "rb1 n2 n1 46k\n"
                                        "rb2 n3 n5 12k\n"
                                        "rb3 n4 n5 43k\n"
                                        "rb4 n5 n2 24k\n"
                                        "rb5 n1 n2 66k\n"
                                        "m0 n4 n1 vcc vcc p l=1u w=10u\n"
                                        "q1 n3 b1 0 q\n"
                                        "rq1 b1 n1 10k\n"
                                        "q2 n2 b2 0 q\n"
                                        "rq2 b2 n4 10k\n"
                                        "m3 n4 n2 0 0 n l=1u w=10u\n"
                                        "q4 n1 b4 vcc r\n"
                                        "rq4 b4 n3 10k\n"
                                        "q5 n1 b5 0 q\n"
                                        "rq5 b5 n5 10k\n" };

/* Without `point`: each circuit finds its own. */
static void solve(yk_netlist *net, bool all, double t, bool point,
                  double *value)
{
    yk_circuit *c = NULL;
    bool external[VALUES];
    yoke_err err = { YOKE_OK, "" };

    for (int e = 0; e < VALUES; e++) external[e] = true;
    CHECK_OK(
        yk_circuit_create(&c, net, 1e-9, 1e-6, all ? external : NULL, &err),
        &err);
    assert_true(c->variables <= VALUES && net->elements <= VALUES);
    for (int e = 0; e < net->elements; e++)
        if (net->element[e].kind == 'v') yk_circuit_want(c, e);
    memset(value, 0, VALUES * sizeof *value);
    CHECK_OK(point ? yk_circuit_point(c, t, value, NULL, &err)
                   : yk_circuit_op(c, t, value, NULL, &err),
             &err);
}

static double distance(const double *a, const double *b)
{
    double most = 0.0;

    for (int i = 0; i < VALUES; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void all_analyses_have_one_operating_point(void **state)
{
    (void)state;

    for (size_t k = 0; k < sizeof circuits / sizeof *circuits; k++) {
        double a[VALUES], b[VALUES], c[VALUES];
        yk_netlist *net = read_text(circuits[k]);

        solve(net, false, 0.0, true, a); /* .tran */
        solve(net, true, NAN, true, b);  /* .ac */
        solve(net, false, NAN, true, c); /* .op */
        CHECK_NEAR(distance(a, b), 0.0, 1e-9);
        CHECK_NEAR(distance(a, c), 0.0, 1e-9);
        yk_netlist_free(net);
    }
}

/* A latch: the first analysis is told its state, the others are not. */
static void the_first_operating_point_is_kept(void **state)
{
    double a[VALUES], b[VALUES], alone[VALUES];
    yk_netlist *net =
        read_text("t\n.model n nmos vto=1 kp=1m\nvcc vcc 0 5\n"
                  "r1 vcc a 10k\nr2 vcc b 10k\nm1 a b 0 0 n l=1u w=10u\n"
                  "m2 b a 0 0 n l=1u w=10u\n.nodeset v(a)=5 v(b)=0\n");
    (void)state;

    solve(net, false, 0.0, true, a);
    net->nodesets = 0;
    solve(net, false, NAN, false, alone);
    assert_true(distance(a, alone) > 0.01); /* or this tests nothing */
    solve(net, false, NAN, true, b);
    CHECK_NEAR(distance(a, b), 0.0, 1e-9);
    yk_netlist_free(net);
}

/* Few cells are no chain: gmin stepping comes first, as in SPICE. */
static void few_cells_are_solved_together(void **state)
{
    double value[VALUES];
    yk_op_report report = { 0, "" };
    yoke_err err = { YOKE_OK, "" };
    yk_circuit *c = NULL;
    (void)state;

    for (size_t k = 0; k < sizeof circuits / sizeof *circuits; k++) {
        yk_netlist *net = read_text(circuits[k]);
        memset(value, 0, sizeof value);
        CHECK_OK(yk_circuit_create(&c, net, 1e-9, 1e-6, NULL, &err), &err);
        CHECK_OK(yk_circuit_op(c, NAN, value, &report, &err), &err);
        assert_null(strstr(report.way, "cell"));
        yk_netlist_free(net);
    }
}

/* A source that begins elsewhere than at its direct current has two, and the
 * second one is not treated as the first. */
static void other_sources_have_another_one(void **state)
{
    double a[VALUES], b[VALUES], c[VALUES];
    yk_netlist *net = read_text("t\nv1 a 0 dc 2 pulse(0 1 1u)\nr1 a b 1k\n"
                                "d1 b 0 m\n.model m d is=1e-14\n");
    const int node = yk_net_find_node(net, "b");
    (void)state;

    solve(net, false, 0.0, true, a);
    solve(net, false, NAN, true, b);
    solve(net, true, NAN, true, c);
    CHECK_NEAR(a[node], 0.0, 1e-9);
    assert_true(b[node] > 0.6);
    CHECK_NEAR(distance(b, c), 0.0, 1e-9);
    yk_netlist_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_analyses_have_one_operating_point),
        cmocka_unit_test(the_first_operating_point_is_kept),
        cmocka_unit_test(few_cells_are_solved_together),
        cmocka_unit_test(other_sources_have_another_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
