/* comp/netlist/system/time_test.c -- what happens in time without a state that
 * tells: B sources that switch, and operating points that nothing holds. */
#include "check.h"

#include "yoke/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double end_value(const char *text, double rtol, const char *name)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    double v = NAN;

    CHECK_OK(yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
             &err);
    yoke_run_options options = *yoke_file_run_options(file);
    options.iterate.rtol = rtol;
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &options, NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, options.stop, &err), &err);
    CHECK_OK(yoke_run_value(run, name, &v, &err), &err);
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
    return v;
}

/* ---- B sources of time --------------------------------------------------- */

/* The integral over 10 s, as the voltage of 1 F. */
static double integral(const char *expression, double rtol)
{
    char text[500];

    snprintf(text, sizeof text,
             "integral\nb1 0 a i=%s\nc1 a 0 1 ic=0\nr1 a 0 1t\n"
             ".tran 0.1 10 uic\n.end\n",
             expression);
    return end_value(text, rtol, "v(a)");
}

static void functions_of_time_that_switch_are_integrated(void **state)
{
    const double pi = acos(-1.0);
    const double tip = 0.5 - asin(0.99) / pi; /* of each period */
    const struct {
        const char *expression;
        double exact;
    } list[] = {
        { "sin(6.283185307179586*time) > 0.99 ? 1 : 0", 10.0 * tip },
        { "u(cos(6.283185307179586*time/5)-0.9999)", 10.0 * acos(0.9999) / pi },
        { "(time-2)^2 < 1e-6 ? 50 : 0", 0.1 },
        { "time > 4.002 && time < 4.003 ? 100 : 0", 0.1 },
        { "time - 2*floor(time/2) < 0.01 ? 1 : 0", 0.05 },
        { "max(0, sin(6.283185307179586*time))", 10.0 / pi },
        { "abs(sin(0.6283185307179586*time))", 20.0 / pi },
        { "sgn(time^3-8)", 6.0 },
        { "pwl(time*time, 0,0, 8.999,0, 9,1000, 9.001,0, 200,0)", 1.0 / 6.0 },
        { "min(1, max(0, 100*(sin(time)-0.995)))", NAN },
    };
    (void)state;

    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2) {
            const double v = integral(list[k].expression, rtol);
            double exact = list[k].exact;
            if (isnan(exact)) { /* by the midpoint rule */
                const int steps = 10000000;
                exact = 0.0;
                for (int i = 0; i < steps; i++)
                    exact +=
                        fmin(1.0, fmax(0.0, 100.0 * (sin(1e-6 * (i + 0.5)) -
                                                     0.995))) *
                        1e-6;
            }
            if (!(fabs(v - exact) <= 10.0 * (rtol * fabs(exact) + 1e-6)))
                fail_msg("%s: %.10g instead of %.10g at rtol %g",
                         list[k].expression, v, exact, rtol);
        }
}

/* Near the top roundings switch many times around the instant.  Five pulses of
 * 5 V; what is left of the charge of each is as exact as their length. */
static void pulses_near_the_top_of_a_sine_end(void **state)
{
    static const char *const body[] = {
        "b1 1 0 v=sin(6.2831853k*time) > %.17g ? 5 : 0",
        "e1 1 0 value={if(sin(6.2831853k*time) > %.17g, 5, 0)}",
        "b1 0 1 i=5*u(sin(6.2831853k*time) - %.17g)\nr9 1 0 1",
        "v1 a 0 5\nr9 a 1 r='sin(6.2831853k*time) > %.17g ? 1u : 1t'\nr8 1 0 1",
    };
    static const double level[] = { 0.9, 0.9999, 0.999999, 1.0 - 1e-10 };
    (void)state;

    for (size_t i = 0; i < sizeof body / sizeof *body; i++)
        for (size_t j = 0; j < sizeof level / sizeof *level; j++) {
            char text[300];
            const double w = 6283.1853, half = acos(level[j]) / w;
            const double period = 2.0 * acos(-1.0) / w;
            double exact = 0.0;
            for (int k = 0; k < 5; k++) {
                const double top = (k + 0.25) * period;
                exact += 5.0 * (exp((top + half - 5e-3) / 1.0) -
                                exp((top - half - 5e-3) / 1.0));
            }
            int n = snprintf(text, sizeof text, "pulses\n");
            n += snprintf(text + n, sizeof text - (size_t)n, body[i], level[j]);
            snprintf(text + n, sizeof text - (size_t)n,
                     "\nr1 1 2 1k\nc1 2 0 1m\n.tran 10u 5m\n.end\n");
            CHECK_NEAR(end_value(text, 1e-6, "v(2)"), exact,
                       1e-3 * exact + 1e-8);
        }
}

/* A source that gives the voltage of a node gives the instants as well. */
static void switches_of_driven_voltages_are_integrated(void **state)
{
    const double pi = acos(-1.0);
    const struct {
        const char *source, *expression;
        double exact;
    } list[] = {
        { "sin(0 1 1)", "v(in)>0.99 ? 1 : 0", 10.0 * (0.5 - asin(0.99) / pi) },
        { "sin(0 1 1)", "v(in)>0.99999 ? 1 : 0",
          10.0 * (0.5 - asin(0.99999) / pi) },
        { "sin(0 1 1)", "max(0, v(in))", 10.0 / pi },
        { "pulse(0 1 1 10u 10u 1m 2)", "u(v(in)-0.5)", 5.0 * 1.01e-3 },
        { "pwl(0 0 5 0 5.001 2 5.002 0)", "v(in)>1 ? 1 : 0", 1e-3 },
        { "pulse(0 1 1 10u 10u 1m 2 3)", "u(v(in)-0.5)", 3.0 * 1.01e-3 },
        { "pwl(0 0 1 0 1.001 2 1.002 0 2 0) r=0", "v(in)>1 ? 1 : 0", 5e-3 },
        { "exp(0 1 1 0.1 3 0.2)", "v(in)>0.9 ? 1 : 0",
          2.0 + 0.2 * log(1.0 / 0.9) - 0.1 * log(10.0) },
        { "sffm(0 1 1 3 0.1)", "v(in)^2>1.5 ? 1 : 0", 0.0 },
    };
    (void)state;

    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "driven\nv1 in 0 %s\nb1 0 a i=%s\nc1 a 0 1 ic=0\n"
                 "r1 a 0 1t\n.tran 0.1 10 uic\n.end\n",
                 list[k].source, list[k].expression);
        const double v = end_value(text, 1e-6, "v(a)");
        if (!(fabs(v - list[k].exact) <= 1e-5))
            fail_msg("%s: %.10g instead of %.10g", list[k].expression, v,
                     list[k].exact);
    }
}

/* ---- operating points that nothing holds --------------------------------- */

/* The lower base of a unijunction transistor has a resistance that falls with
 * the charge that the emitter current stores; `square` integrates the square of
 * the voltage at the lower base. */
static const char ujt[] =
    "ujt\n.subckt ujt e b2 b1\nd1 e m dj\nvs m n 0\nrb2 b2 n 2.4k\n"
    "bb n b1 i=v(n,b1)*(1/4600 + 0.02*v(q)/(1+abs(v(q))))\n"
    "bq 0 q i=100*i(vs)\nrq q 0 1\ncq q 0 2u\n.model dj d is=1e-14 n=1.2\n"
    ".ends\nvcc vcc 0 10\nrt vcc e 10k\nct e 0 100n\nxu e b2 b1 ujt\n"
    "r2 vcc b2 100\nr1 b1 0 47\nb1 0 square i=v(b1)^2\nc1 square 0 1m\n"
    "r3 square 0 1t\n.ic v(square)=0\n.tran 10u 20m\n.end\n";

/* ngspice 39 with steps of at most 0.5 us and reltol 1e-5 oscillates with a
 * period of 1.0242 ms; its integral grows from 0.39080 V at 10 ms to 0.81409 V
 * at 20 ms.  How long the oscillation takes to start is a matter of what starts
 * it: a period more or less is 0.042 V. */
static void a_ujt_oscillator_starts(void **state)
{
    (void)state;

    for (double rtol = 1e-2; rtol > 1e-9; rtol *= 0.01) {
        const double v = end_value(ujt, rtol, "v(square)");
        if (!(fabs(v - 0.81409) < 0.09))
            fail_msg("at rtol %g the integral is %g", rtol, v);
    }
}

/* A pair: 1 mH, 1 nF, 10 kOhm against 5 kOhm negative; grows by e in 20 us. */
static void an_lc_oscillator_starts(void **state)
{
    static const char text[] =
        "lc\nl1 a 0 1m\nc1 a 0 1n\nr1 a 0 10k\nb1 a 0 i=-2e-4*tanh(v(a))\n"
        "b2 0 s i=v(a)^2\nc2 s 0 1u\nr2 s 0 1t\n.ic v(s)=0\n.tran 1u 800u\n"
        ".end\n";
    (void)state;

    for (double rtol = 1e-2; rtol > 1e-7; rtol *= 0.1)
        assert_true(end_value(text, rtol, "v(s)") > 500.0);
}

/* A stable amplifier is left alone: it stays at its point to all digits. */
static void stable_points_are_left_alone(void **state)
{
    static const char text[] =
        "amplifier\nvcc vcc 0 10\nr1 vcc b 90k\nr2 b 0 15k\nrc vcc c 4.7k\n"
        "re e 0 560\nce e 0 100u\nq1 c b e q\nc1 c o 10n\nr3 o 0 10k\n"
        ".model q npn is=1e-15 bf=300 cje=5p cjc=3p tf=1n\n.tran 20u %s\n"
        ".end\n";
    char two[2][600];
    (void)state;

    snprintf(two[0], sizeof two[0], text, "60m");
    snprintf(two[1], sizeof two[1], text, "1n");
    CHECK_NEAR(end_value(two[0], 1e-4, "v(c)"), end_value(two[1], 1e-4, "v(c)"),
               1e-9);
}

/* ---- Starts and crests --------------------------------------------------- */

/* Two nodes that a capacitor joins: of their voltages only the difference is
 * kept when .ic lets go of one of them. */
static void a_capacitor_between_nodes_keeps_its_charge(void **state)
{
    static const char text[] =
        "floating\nv1 s 0 12\nr1 s c 4.7k\nc1 c x 10n\nr2 x 0 10k\n"
        ".ic v(c)=6\n.tran 1u 147u\n.end\n";
    (void)state;

    CHECK_NEAR(end_value(text, 1e-6, "v(x)"), 60.0 / 14.7 * exp(-1.0), 1e-4);
}

/* 1 nF, 10 pF and 1 pF between inner nodes: that they keep their charges if all
 * voltages move alike is hidden by rounding, and after a corner of the source
 * v(out) was -0.97 V and b1 5 V. */
static void capacitors_between_nodes_do_not_drift_at_a_corner(void **state)
{
    static const char text[] =
        "corner\nv1 in 0 pulse(0 5 0 10n 10n 5u 10u) rser=0.1\nr1 in out 1k\n"
        "c1 out 0 1n rser=0.1\nl1 out x 10u rser=50m cpar=1p\nr2 x 0 100\n"
        "d1 out vc d\nv2 vc 0 3\nb1 bb 0 v=if(v(out)>2.5,5,0)\nr3 bb 0 1k\n"
        "e1 ee 0 value={limit(v(out),0,2)}\nr4 ee 0 1k\n"
        ".model d d(is=1e-12 n=1.2 rs=0.5 cjo=10p)\n.tran 0.1u 46u 0 "
        "10n\n.end\n";
    (void)state;

    CHECK_NEAR(end_value(text, 1e-4, "v(bb)"), 0.0, 1e-6);
    CHECK_NEAR(end_value(text, 1e-4, "v(out)"), end_value(text, 1e-6, "v(out)"),
               1e-3);
}

/* The steps are long while a diode blocks, and it conducts only at the crest of
 * the voltage of a source. */
static void a_diode_sees_the_crests_of_its_source(void **state)
{
    static const char text[] =
        "peak detector\nv1 in 0 %s\nd1 in out d\n"
        ".model d d is=1e-10 n=1.2 cjo=2p\nc1 out 0 100n\nr1 out 0 10k\n"
        ".tran 5u 429u\n.end\n";
    static const char *const source[] = { "sin(0 2 10k)", "sffm(0 2 10k 1 500)",
                                          "sin(0 2 10k 0 100)" };
    (void)state;

    for (size_t k = 0; k < sizeof source / sizeof *source; k++) {
        char whole[300];
        snprintf(whole, sizeof whole, text, source[k]);
        CHECK_NEAR(end_value(whole, 1e-4, "v(out)"),
                   end_value(whole, 1e-7, "v(out)"), 1e-3);
    }
}

/* A gate falls and its junctions close: with the Jacobian of an iterate far out
 * in the exponential nothing moved, the gate remained up, and no step was
 * possible from there. */
static void a_sample_is_held(void **state)
{
    static const char text[] =
        "sample and hold\n.model j njf vto=-3 beta=2m cgs=5p cgd=5p is=1e-15\n"
        ".model d d is=1e-14\nvin in 0 sin(0 2 1k)\n"
        "vg gc 0 pulse(-10 5 10u 0.2u 0.2u 20u 50u)\ndg g gc d\nrg g in 100k\n"
        "j1 h g in j\nch h 0 1n\ne1 o 0 h o 1e5\nro o 0 10k\n"
        ".tran 1u 0.4m\n.end\n";
    (void)state;

    CHECK_NEAR(end_value(text, 1e-4, "v(o)"), end_value(text, 1e-7, "v(o)"),
               2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_time_that_switch_are_integrated),
        cmocka_unit_test(pulses_near_the_top_of_a_sine_end),
        cmocka_unit_test(switches_of_driven_voltages_are_integrated),
        cmocka_unit_test(a_ujt_oscillator_starts),
        cmocka_unit_test(an_lc_oscillator_starts),
        cmocka_unit_test(stable_points_are_left_alone),
        cmocka_unit_test(a_capacitor_between_nodes_keeps_its_charge),
        cmocka_unit_test(capacitors_between_nodes_do_not_drift_at_a_corner),
        cmocka_unit_test(a_diode_sees_the_crests_of_its_source),
        cmocka_unit_test(a_sample_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
