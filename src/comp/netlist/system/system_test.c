/* comp/netlist/system/system_test.c -- netlists as systems: runs against exact
 * solutions, whole and in parts, with and without sleeping cells. */
#include "check.h"

#include "yoke/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static yoke_file *parse(const char *text)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
             &err);
    return file;
}

/* Runs to the stop time of the netlist, or earlier. */
static yoke_run *run_to(yoke_file *file, double rtol, double t)
{
    yoke_run_options options = *yoke_file_run_options(file);
    yoke_err err = { YOKE_OK, "" };
    yoke_run *run = NULL;

    options.iterate.rtol = rtol;
    options.iterate.atol = rtol;
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &options, NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, t > 0.0 ? t : options.stop, &err), &err);
    return run;
}

static double value(const yoke_run *run, const char *name)
{
    yoke_err err = { YOKE_OK, "" };
    double v = NAN;

    CHECK_OK(yoke_run_value(run, name, &v, &err), &err);
    return v;
}

static double end_value(const char *text, double rtol, const char *name)
{
    yoke_file *file = parse(text);
    yoke_run *run = run_to(file, rtol, 0.0);
    const double v = value(run, name);

    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
    return v;
}

/* v = 1 - exp(-t / RC) after a step, i = C dv/dt. */
static void a_low_pass_is_exact(void **state)
{
    static const char text[] = "rc\nv1 in 0 pulse(0 1 0 1n 1n 1 2)\n"
                               "r1 in out 1k\nc1 out 0 1u\n"
                               ".tran 10u 2m\n.print tran v(out) i(v1)\n.end\n";
    (void)state;

    /* The ramp of 1 ns counts as a delay of half of it. */
    const double exact = 1.0 - exp(-(2e-3 - 0.5e-9) / 1e-3);
    CHECK_NEAR(end_value(text, 1e-8, "v(out)"), exact, 1e-7);
    CHECK_NEAR(end_value(text, 1e-8, "i(v1)"), -(1.0 - exact) * 1e-3, 1e-9);
}

/* Only the current of the source is unknown. */
static void driven_nodes_alone_are_a_circuit(void **state)
{
    static const char text[] =
        "d\nv1 a 0 pwl(0 0 1 1)\nr1 a 0 2\n.tran 0.1 0.5\n.end\n";
    (void)state;

    CHECK_NEAR(end_value(text, 1e-8, "i(v1)"), -0.25, 1e-9);
}

static void an_empty_netlist_is_refused(void **state)
{
    static const char text[] = "title\n.tran 1 2\n.end\n";
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    CHECK_STATUS(
        yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
        YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "test.cir:1: the netlist has no element");
    assert_null(file);
}

/* An LC tank begun with uic: v = cos(t / sqrt(LC)). */
static void a_tank_swings(void **state)
{
    static const char text[] = "lc\nl1 a 0 1m\nc1 a 0 1u\n.ic v(a)=1\n"
                               ".tran 1u 1m uic\n.end\n";
    (void)state;

    CHECK_NEAR(end_value(text, 1e-9, "v(a)"), cos(1e-3 / sqrt(1e-9)), 1e-5);
}

/* Coupled inductors with k = 1/2 and an open secondary. */
static void inductors_are_coupled(void **state)
{
    static const char text[] =
        "k\ni1 0 a sin(0 1 1k)\nl1 a 0 1m\nl2 b 0 4m\nk1 l1 l2 0.5\n"
        "r1 b 0 1g\n.tran 1u 0.5m\n.end\n";
    (void)state;

    /* M = 0.5 sqrt(4e-6) = 1 mH; v(b) = M di/dt. */
    const double w = 2.0 * 3.14159265358979323846 * 1e3;
    CHECK_NEAR(end_value(text, 1e-8, "v(b)"), 1e-3 * w * cos(w * 0.5e-3), 1e-4);
}

/* A carry through all bits of an adder, each a mirror adder of 28 transistors:
 * every iteration of Newton's method settles one gate more. */
static void deep_logic_has_an_operating_point(void **state)
{
    enum { BITS = 128 };
    static const char head[] =
        "adder\n.model n nmos vto=0.7 kp=400u lambda=0.02 gamma=0.4 phi=0.65\n"
        ".model p pmos vto=-0.7 kp=400u lambda=0.02 gamma=0.4 phi=0.65\n"
        ".subckt full a b ci s co vdd\n"
        "m1 c1 a 0 0 n\nm2 c1 b 0 0 n\nm3 cb ci c1 0 n\nm4 c2 a 0 0 n\n"
        "m5 cb b c2 0 n\nm6 c3 a vdd vdd p\nm7 c3 b vdd vdd p\n"
        "m8 cb ci c3 vdd p\nm9 c4 a vdd vdd p\nm10 cb b c4 vdd p\n"
        "m11 s1 a 0 0 n\nm12 s1 b 0 0 n\nm13 s1 ci 0 0 n\nm14 sb cb s1 0 n\n"
        "m15 s2 a 0 0 n\nm16 s3 b s2 0 n\nm17 sb ci s3 0 n\n"
        "m18 s4 a vdd vdd p\nm19 s4 b vdd vdd p\nm20 s4 ci vdd vdd p\n"
        "m21 sb cb s4 vdd p\nm22 s5 a vdd vdd p\nm23 s6 b s5 vdd p\n"
        "m24 sb ci s6 vdd p\nm25 co cb 0 0 n\nm26 co cb vdd vdd p\n"
        "m27 s sb 0 0 n\nm28 s sb vdd vdd p\ncl co 0 3f\n.ends\n"
        "vdd vdd 0 3.3\nvone one 0 3.3\nvzero zero 0 0\nvc c0 0 ";
    char *text = test_malloc(sizeof head + 64 * BITS + 200);
    (void)state;

    for (int carry = 0; carry < 2; carry++) {
        int at = sprintf(text, "%s%de-1\n", head, 33 * carry);
        for (int k = 0; k < BITS; k++)
            at += sprintf(text + at, "x%d one zero c%d s%d c%d vdd full\n", k,
                          k, k, k + 1);
        sprintf(text + at, ".tran 1n 2n\n.end\n");
        yoke_file *file = parse(text);
        yoke_run *run = run_to(file, 1e-4, 0.0);
        CHECK_NEAR(value(run, "v(c128)"), 3.3 * carry, 1e-2);
        CHECK_NEAR(value(run, "v(s127)"), 3.3 * (1 - carry), 1e-2);
        CHECK_NEAR(value(run, "v(s60)"), 3.3 * (1 - carry), 1e-2);
        CHECK_OK(yoke_run_close(run, NULL), NULL);
        yoke_file_free(file);
    }
    test_free(text);
}

/* ---- chains of inverters ------------------------------------------------- */

static char *chain(int stages, const char *hint, const char *tran)
{
    const size_t room = 2000 + 200 * (size_t)stages;
    char *text = test_malloc(room);
    int at = snprintf(
        text, room,
        "chain\n* yoke: %s\n.model n nmos vto=0.7 kp=100u lambda=0.02 "
        "gamma=0.4 cgso=2e-10 cgdo=2e-10 cj=1e-4\n.model p pmos vto=-0.7 "
        "kp=40u lambda=0.02 gamma=0.4 cgso=2e-10 cgdo=2e-10 cj=1e-4\n"
        "vdd vdd 0 3\nvin n0 0 pulse(0 3 0.1n 0.1n 0.1n 2n 1)\n",
        hint);

    for (int k = 0; k < stages; k++)
        at += snprintf(text + at, room - (size_t)at,
                       "mn%d n%d n%d 0 0 n w=2u l=1u as=4p ad=4p\n"
                       "mp%d n%d n%d vdd vdd p w=5u l=1u as=10p ad=10p\n"
                       "c%d n%d 0 2f\n",
                       k, k + 1, k, k, k + 1, k, k, k + 1);
    snprintf(text + at, room - (size_t)at, "%s\n.end\n", tran);
    return text;
}

/* Values at the middle of the chain while a pulse passes. */
static double chain_value(const char *hint, double rtol, long *residuals,
                          int stages)
{
    char *text = chain(stages, hint, ".tran 0.01n 3.18n");
    yoke_file *file = parse(text);
    yoke_run *run = run_to(file, rtol, 0.0);
    yoke_run_result r;
    const double v = value(run, "v(n20)");

    yoke_run_summary(run, &r);
    assert_true(r.converged);
    if (residuals) *residuals = r.work.residuals;
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
    test_free(text);
    return v;
}

static void sleeping_cells_change_nothing(void **state)
{
    (void)state;
    const double whole = chain_value("latent no", 1e-7, NULL, 40);

    assert_true(whole > 0.05 && whole < 2.95); /* it is in motion */
    CHECK_NEAR(chain_value("latent yes", 1e-6, NULL, 40), whole, 1e-3);
    CHECK_NEAR(chain_value("latent yes", 1e-4, NULL, 40), whole, 0.05);
}

static void sleeping_cells_cost_nothing(void **state)
{
    long few = 0, many = 0;
    (void)state;

    chain_value("latent yes", 1e-4, &few, 60);
    chain_value("latent yes", 1e-4, &many, 240);
    assert_true(few > 0 && (double)many < 1.1 * (double)few);
}

static void parts_give_the_same(void **state)
{
    long unused = 0;
    (void)state;
    const double whole = chain_value("latent no", 1e-7, &unused, 24);

    CHECK_NEAR(chain_value("partition cells", 1e-5, &unused, 24), whole, 0.02);
}

/* Rectifiers at different frequencies on a common bus: junctions begin to
 * conduct within steps. */
static void rectifiers(char *text, size_t size, const char *hint, double reltol)
{
    size_t used = (size_t)snprintf(
        text, size,
        "bank\n%s\n.model d d is=1e-9 n=1.05 rs=20m cjo=200p tt=20n\n"
        "vg g 0 24\nrg g gl 1\nlg gl bus 40u\ncb bus 0 250u\n",
        hint);

    for (int k = 0; k < 5; k++)
        used += (size_t)snprintf(
            text + used, size - used,
            "v%d s%d 0 sin(0 30 %d 0 0 %d)\nrs%d s%d a%d 0.5\nd%d a%d o%d d\n"
            "c%d o%d 0 100u\nrl%d o%d 0 200\nrc%d o%d bus 2\n",
            k, k, 400 + 170 * k, 67 * k, k, k, k, k, k, k, k, k, k, k, k, k);
    snprintf(text + used, size - used,
             ".options reltol=%g\n.tran 10u 4m\n.save v(bus) v(o0)\n.end\n",
             reltol);
}

static void junctions_switch_within_steps(void **state)
{
    static const struct {
        const char *hint;
        double reltol, factor;
    } row[] = {
        { "* yoke: latent no", 1e-3, 5.0 },
        { "* yoke: latent no", 1e-4, 5.0 },
        { "*", 1e-4, 5.0 },
        { "* yoke: partition cells", 1e-4, 5.0 },
        { "* yoke: latent no", 1e-5, 5.0 },
    };
    static char text[4096];
    (void)state;

    rectifiers(text, sizeof text, "* yoke: latent no", 1e-9);
    const double bus = end_value(text, 1e-9, "v(bus)");
    const double out = end_value(text, 1e-9, "v(o0)");
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        const double most = row[k].factor * row[k].reltol * 25.0;
        rectifiers(text, sizeof text, row[k].hint, row[k].reltol);
        CHECK_NEAR(end_value(text, row[k].reltol, "v(bus)"), bus, most);
        CHECK_NEAR(end_value(text, row[k].reltol, "v(o0)"), out, most);
    }
}

/* Newton's method is not what makes the steps short. */
static void few_steps_are_rejected(void **state)
{
    static char text[4096];
    (void)state;

    rectifiers(text, sizeof text, "* yoke: latent no", 1e-4);
    yoke_file *file = parse(text);
    yoke_run *run = run_to(file, 1e-4, 0.0);
    yoke_work work;
    assert_true(yoke_run_work(run, 0, NULL, &work));
    assert_true(work.rejected < work.steps / 2);
    assert_true(work.residuals < 5000);
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
}

/* A converter at a loose tolerance: an opening switch leaves the current of a
 * coil to a junction, and the Jacobian of a rejected step to the next one. */
static void a_converter_keeps_loose_tolerances(void **state)
{
    static const char text[] =
        "buck\n* yoke: latent no\n"
        ".model sw sw(vt=2.5 vh=0.5 ron=20m roff=1meg)\n"
        ".model d d is=1e-9 n=1.05 rs=10m cjo=500p\n"
        "vin in 0 24\nvg g 0 pulse(0 5 0 20n 20n 400n 1u)\n"
        "s1 in x g 0 sw\nrx x sn 10\ncs sn 0 1n\nd1 0 x d\n"
        "l1 x lo 10u\nrl lo out 10m\nco out 0 47u\nr1 out 0 2\n"
        ".options reltol=%g\n.tran 100n 60u\n.end\n";
    char loose[600], tight[600];
    (void)state;

    snprintf(loose, sizeof loose, text, 2e-2);
    snprintf(tight, sizeof tight, text, 1e-6);
    const double out = end_value(tight, 1e-6, "v(out)");
    CHECK_NEAR(end_value(loose, 2e-2, "v(out)"), out, 0.05 * out);
    snprintf(loose, sizeof loose, text, 1e-3);
    CHECK_NEAR(end_value(loose, 1e-3, "v(out)"), out, 5e-3 * out);
}

/* An operating point solves the equations; what the user takes may not. */
static void an_operating_point_is_certified(void **state)
{
    static const struct {
        const char *text;
        bool given;
        int sentences;
    } list[] = {
        { "rc\nv1 a 0 1\nr1 a b 1\nc1 b 0 1\n.tran 0.1 1\n.end\n", true, 0 },
        { "rc\nv1 a 0 1\nr1 a b 1\nc1 b 0 1\n.tran 0.1 1 uic\n.end\n", false,
          0 },
        { "rc\nv1 a 0 1\nr1 a b 1\nc1 b 0 1\n.tran 0.1 1 uic\n.end\n", true,
          1 },
    };
    (void)state;

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        yoke_err err = { YOKE_OK, "" };
        yoke_file *file = NULL;
        yoke_run *run = NULL;
        const char *text = NULL;
        int count = 0;
        CHECK_OK(yoke_file_parse(&file, "test.cir", list[i].text,
                                 strlen(list[i].text), NULL, &err),
                 &err);
        yoke_run_options o = *yoke_file_run_options(file);
        o.given = list[i].given;
        CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &o, NULL, &err),
                 &err);
        while (yoke_run_uncertain(run, count, &text)) count++;
        assert_int_equal(count, list[i].sentences);
        CHECK_OK(yoke_run_close(run, NULL), NULL);
        yoke_file_free(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operating_point_is_certified),
        cmocka_unit_test(a_low_pass_is_exact),
        cmocka_unit_test(driven_nodes_alone_are_a_circuit),
        cmocka_unit_test(an_empty_netlist_is_refused),
        cmocka_unit_test(a_tank_swings),
        cmocka_unit_test(inductors_are_coupled),
        cmocka_unit_test(deep_logic_has_an_operating_point),
        cmocka_unit_test(sleeping_cells_change_nothing),
        cmocka_unit_test(sleeping_cells_cost_nothing),
        cmocka_unit_test(parts_give_the_same),
        cmocka_unit_test(junctions_switch_within_steps),
        cmocka_unit_test(few_steps_are_rejected),
        cmocka_unit_test(a_converter_keeps_loose_tolerances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
