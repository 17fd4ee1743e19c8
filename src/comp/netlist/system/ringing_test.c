/* comp/netlist/system/ringing_test.c -- free oscillations, whose errors add up
 * over hundreds of turns, stay within what a tolerance promises. */
#include "check.h"

#include "yoke/file.h"
#include "yoke/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct want {
    const char *name;
    double value, size; /* at the end; the largest of the run */
} want;

/* The largest distance at the end, in tolerances; the work of the circuit. */
static double off(const char *text, int count, const want *list,
                  yoke_work *work)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    double most = 0.0;

    CHECK_OK(yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
             &err);
    const yoke_run_options *o = yoke_file_run_options(file);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, o->stop, &err), &err);
    for (int k = 0; k < count; k++) {
        double v = NAN;
        CHECK_OK(yoke_run_value(run, list[k].name, &v, &err), &err);
        most =
            fmax(most, fabs(v - list[k].value) /
                           (o->iterate.atol + o->iterate.rtol * list[k].size));
    }
    if (work) assert_true(yoke_run_work(run, 0, NULL, work));
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
    return most;
}

/* Junction capacitance, 400 turns.  Yoke at rtol 1e-10; ngspice 39 with steps
 * of 4 ps: -26.7944 V, 0.0572858 A. */
static void a_coil_rings_with_a_junction(void **state)
{
    static const want end[] = { { "v(b)", -26.793427765, 46.0 },
                                { "i(l1)", 0.057293050, 0.54 } };
    (void)state;

    const double most = off("ring\nv1 a 0 pulse(0 -24 100n 50n 50n 1 2)\n"
                            "l1 a b 0.25u\nd1 b 0 dm\n"
                            ".model dm d(is=1e-12 rs=10m cjo=200p)\n"
                            ".tran 5n 5u\n.end\n",
                            2, end, NULL);
    if (!(most <= 10.0)) fail_msg("off by %.3g tolerances", most);
}

/* One tolerance of vin moves the end by 280; Yoke at rtol 1e-9. */
static void a_leakage_rings_with_a_junction(void **state)
{
    static const want end[] = { { "v(s)", -57.169238, 66.0 },
                                { "i(l2)", 0.0150862, 0.42 } };
    (void)state;

    const double most =
        off("flyback\nvin in 0 48\nl1 in sw 100u\nl2 0 s 25u\nk1 l1 l2 0.995\n"
            "s1 sw 0 g 0 swm\nrsn sw sn 100\ncsn sn 0 1n\nd1 s out dm\n"
            "c1 out 0 100u\nrl out 0 5\nvg g 0 pulse(0 5 1u 50n 50n 4u 10u)\n"
            ".model swm sw(vt=2.5 vh=0.1 ron=50m roff=1meg)\n"
            ".model dm d(is=1e-12 rs=10m cjo=200p)\n.tran 100n 5u\n.end\n",
            2, end, NULL);
    if (!(most <= 20.0)) fail_msg("off by %.3g tolerances", most);
}

/* v = cos(w t), 2013 turns. */
static void a_tank_keeps_its_phase(void **state)
{
    const double end = cos(200e-6 / sqrt(1e-15));
    const want list[] = { { "v(a)", end, 1.0 } };
    (void)state;

    const double most = off("tank\nl1 a 0 1u ic=0\nc1 a 0 1n ic=1\n"
                            ".tran 1u 200u uic\n.end\n",
                            1, list, NULL);
    if (!(most <= 10.0)) fail_msg("off by %.3g tolerances", most);
}

/* With trbdf2 it takes 98,878 residuals. */
static void a_junction_without_charge_is_the_limit(void **state)
{
    static const want end[] = { { "v(out)", 4.2908446, 7.5 },
                                { "i(l1)", 0.664304, 4.7 } };
    yoke_work work = { .residuals = 0 };
    (void)state;

    const double most = off("buck\nvin in 0 12\ns1 in sw g 0 swm\nd1 0 sw dm\n"
                            "l1 sw out 100u\nc1 out 0 100u\nrl out 0 5\n"
                            "vg g 0 pulse(0 5 0 50n 50n 4u 10u)\n"
                            ".model swm sw(vt=2.5 vh=0.1 ron=50m roff=1meg)\n"
                            ".model dm d(is=1e-12 rs=10m)\n.tran 1u 2m\n.end\n",
                            2, end, &work);
    if (!(most <= 1.0)) fail_msg("off by %.3g tolerances", most);
    if (work.residuals > 66000) fail_msg("%ld residuals", work.residuals);
}

/* A regulator with a transistor whose source follows the supply and a zener
 * diode: the derivative of the supply's ramp is an unknown, of which nothing must
 * make short steps.  Yoke at rtol 1e-7. */
static void a_supply_ramps_at_a_gate(void **state)
{
    static const want end[] = { { "v(g)", 5.1428636, 5.5 },
                                { "v(out)", 3.52388938, 3.53 } };
    yoke_work work;
    (void)state;

    const double most =
        off("regulator\n.model p pmos(vto=-0.8 kp=30u lambda=0.05 tox=20n "
            "cgso=0.3n cgdo=0.3n)\n.model z d(bv=2.5 ibv=1m is=1e-14)\n"
            "vin in 0 pwl(0 5 1m 5 1.01m 6)\nrz in ref 2.2k\ndz 0 ref z\n"
            "m1 out g in in p w=20m l=1u\ne1 g0 0 fb ref 1000\nrg g0 g 1k\n"
            "r1 out fb 10k\nr2 fb 0 25k\nco out 0 1u\n"
            "il out 0 pulse(1m 50m 0.5m 1u 1u 0.2m 2m)\n.tran 1u 1.5m\n.end\n",
            2, end, &work);
    if (!(most <= 10.0)) fail_msg("off by %.3g tolerances", most);
    assert_true(work.steps < 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coil_rings_with_a_junction),
        cmocka_unit_test(a_leakage_rings_with_a_junction),
        cmocka_unit_test(a_tank_keeps_its_phase),
        cmocka_unit_test(a_junction_without_charge_is_the_limit),
        cmocka_unit_test(a_supply_ramps_at_a_gate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
