/* comp/netlist/system/branch_test.c -- B sources that switch or bend where
 * voltages say so, against exact solutions. */
#include "check.h"

#include "yoke/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double end_of(const char *text, double rtol)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    double v = NAN;

    CHECK_OK(yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
             &err);
    yoke_run_options options = *yoke_file_run_options(file);
    options.iterate.rtol = rtol;
    options.iterate.atol = 1e-3 * rtol;
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &options, NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, options.stop, &err), &err);
    CHECK_OK(yoke_run_value(run, "v(x)", &v, &err), &err);
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
    return v;
}

/* The integral of a function of v(a) and time over 3 s, as the voltage of 1 F;
 * v(a) = 2 - 2 exp(-t). */
static double rise(const char *expression, double rtol)
{
    char text[600];

    snprintf(text, sizeof text,
             "rise\nv1 s 0 2\nr1 s a 1\nc1 a 0 1 ic=0\nb1 0 x i=%s\n"
             "c2 x 0 1 ic=0\n.tran 0.01 3 uic\n.end\n",
             expression);
    return end_of(text, rtol);
}

/* The same over 20 s with v(a) = cos(t). */
static double swing(const char *expression, double rtol)
{
    char text[600];

    snprintf(text, sizeof text,
             "swing\nl1 a 0 1 ic=0\nc1 a 0 1 ic=1\nb1 0 x i=%s\n"
             "c2 x 0 1 ic=0\n.tran 0.01 20 uic\n.end\n",
             expression);
    return end_of(text, rtol);
}

/* uic begins with a step of 1e-8 of the run, whatever the tolerance. */
static void check(const char *expression, double v, double exact, double rtol,
                  double most)
{
    if (!(fabs(v - exact) <= most * rtol * fmax(1.0, fabs(exact)) + 2e-7))
        fail_msg("%s: %.10g instead of %.10g at rtol %g", expression, v, exact,
                 rtol);
}

static void jumps_of_a_rising_voltage_are_located(void **state)
{
    const double half = log(4.0 / 3.0), one = log(2.0);
    const struct {
        const char *expression;
        double exact;
    } list[] = {
        { "u(v(a)-1)", 3.0 - one },
        { "v(a)>0.5 ? 3 : -1", -half + 3.0 * (3.0 - half) },
        { "v(a)>=0.5 && v(a)<1 ? 1 : 0", one - half },
        { "sgn(v(a)-1)", 3.0 - 2.0 * one },
        { "floor(2*v(a))", (3.0 - half) + (3.0 - one) + (3.0 - log(4.0)) },
        { "ceil(v(a))", 3.0 + (3.0 - one) },
        { "int(v(a)*2)", (3.0 - half) + (3.0 - one) + (3.0 - log(4.0)) },
        { "nint(v(a))", (3.0 - half) + (3.0 - log(4.0)) },
        { "v(a)>time/3*1.9 ? 0 : 1", 0.0 },
    };
    (void)state;

    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2)
            check(list[k].expression, rise(list[k].expression, rtol),
                  list[k].exact, rtol, 1.0);
}

/* Kinks of one sign add up where steps cross them. */
static void kinks_of_an_oscillation_are_located(void **state)
{
    const double whole = 12.0 + sin(20.0 - 6.0 * pi); /* of |cos| */
    const double above = 0.5 * (whole + sin(20.0));
    const struct {
        const char *expression;
        double exact;
    } list[] = {
        { "abs(v(a))", whole },
        { "max(v(a),0)", above },
        { "uramp(v(a))", above },
        { "-min(v(a),0)", whole - above },
        { "v(a)>0 ? v(a) : 0", above },
        { "pwl(v(a), -1,-1, 0,0, 1,3)", sin(20.0) + 2.0 * above },
        { "v(a)>0 ? sqrt(v(a))^2 : 0", above },
    };
    (void)state;

    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2)
            check(list[k].expression, swing(list[k].expression, rtol),
                  list[k].exact, rtol, 3.0);
}

/* The tip of the cosine lasts 1/222 of a period; where it is passed the voltage
 * moves so slowly that tolerances grow 71 times. */
static void a_short_tip_is_not_stepped_over(void **state)
{
    const double width = acos(0.9999);
    (void)state;

    for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2)
        check("v(a)>0.9999 ? 100 : 0", swing("v(a)>0.9999 ? 100 : 0", rtol),
              700.0 * width, rtol, 300.0);
}

/* x' = 1 up to 1/2, then 2 - 2 x: the source reads what it charges. */
static void a_source_may_switch_itself(void **state)
{
    static const char bends[] =
        "b\nb1 0 x i=v(x)>0.5 ? 1-2*(v(x)-0.5) : 1\nc1 x 0 1 ic=0\n"
        ".tran 0.01 3 uic\n.end\n";
    static const char jumps[] =
        "b\nb1 0 x i=u(v(x)-0.5)*2+1\nc1 x 0 1 ic=0\n.tran 0.01 3 uic\n.end\n";
    (void)state;

    for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2) {
        check(bends, end_of(bends, rtol), 1.0 - 0.5 * exp(-5.0), rtol, 2.0);
        check(jumps, end_of(jumps, rtol), 8.0, rtol, 1.0);
    }
}

/* A chain of comparators, each in a cell of its own; v(x) is how long the last
 * one is up. */
static double chain(const char *latent, double rtol)
{
    enum { CELLS = 20 };
    char text[8000];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "chain\n* yoke: latent %s\nv1 o0 0 pulse(0 1 10u 1u 1u 100u 300u)\n",
        latent);

    for (int k = 1; k <= CELLS; k++)
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "r%d o%d a%d 1k\nc%d a%d 0 1n\nb%d 0 o%d i=v(a%d)>0.5 ? 10m : 0\n"
            "ro%d o%d 0 100\nco%d o%d 0 100p\n",
            k, k - 1, k, k, k, k, k, k, k, k, k, k);
    snprintf(text + used, sizeof text - used,
             "bx 0 x i=1e-5*u(v(o%d)-0.5)\ncx x 0 1n ic=0\nrx x 0 1g\n"
             ".tran 1u 250u\n.end\n",
             CELLS);
    return end_of(text, rtol);
}

/* Sleeping cells wake for what others switch. */
static void cells_may_sleep_between_events(void **state)
{
    (void)state;
    for (double rtol = 1e-4; rtol > 1e-7; rtol *= 1e-2) {
        const double v = chain("yes", rtol);
        CHECK_BETWEEN(v, 0.9, 1.1);
        CHECK_NEAR(v, chain("no", rtol), 3.0 * rtol);
    }
}

/* A diode of straight lines whose voltage rests at its kink. */
static void a_voltage_may_rest_at_a_kink(void **state)
{
    static const char text[] =
        "rest\nv1 in 0 pulse(0 1 1 1m 1m 1)\nr1 in a 1\n"
        "b1 a x i=v(a,x)>0 ? 100*v(a,x) : 0\nc1 x 0 1 ic=0\n"
        ".tran 0.1 20 uic\n.end\n";
    const double tau = 1.01;
    (void)state;

    for (double rtol = 1e-4; rtol > 1e-7; rtol *= 1e-1)
        CHECK_BETWEEN(end_of(text, rtol), 1.0 - exp(-1.001 / tau) - 2e-3,
                      1.0 - exp(-1.001 / tau) + 2e-3);
}

/* i = C(v) v' and v = L(i) i', as in ngspice: 1 A or 1 V for 3 s. */
static void capacitances_are_slopes_of_charges(void **state)
{
    static const struct {
        const char *elements;
        double exact;
    } list[] = {
        { "i1 0 x 1\nc1 x 0 c={1+0.5*v(x)} ic=0\n", 2.0 },
        { "i1 0 x 1\nc1 x 0 c={1-0.5*v(0,x)} ic=0\n", 2.0 },
        { "i1 0 x 1\nc1 0 x c={1+0.5*v(x)} ic=0\n", 2.0 },
        { "i1 0 x 1\nc1 x 0 c={v(x)>1 ? 3 : 1} ic=0\n", 1.0 + 2.0 / 3.0 },
        { "i1 0 x 1\nc1 x 0 c={1+abs(v(x)-1)} ic=0\n", 2.0 },
        { "i1 0 x 1\nc1 x 0 c={1+0.5*v(x)} m=2 ic=0\n", 1.162277660168379 },
        { "r1 x 0 1e12\nc1 x 0 c={1+0.5*v(x)} ic=1\n", 1.0 },
        { "v1 a 0 1\nl1 a 0 l={1+0.5*i(l1)} ic=0\nb1 x 0 v=i(l1)\nr1 x 0 1\n",
          2.0 },
    };
    char text[400];
    (void)state;

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        snprintf(text, sizeof text, "slope\n%s.tran 0.01 3 uic\n.end\n",
                 list[i].elements);
        check(list[i].elements, end_of(text, 1e-6), list[i].exact, 1e-6, 10.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacitances_are_slopes_of_charges),
        cmocka_unit_test(jumps_of_a_rising_voltage_are_located),
        cmocka_unit_test(kinks_of_an_oscillation_are_located),
        cmocka_unit_test(a_short_tip_is_not_stepped_over),
        cmocka_unit_test(a_source_may_switch_itself),
        cmocka_unit_test(cells_may_sleep_between_events),
        cmocka_unit_test(a_voltage_may_rest_at_a_kink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
