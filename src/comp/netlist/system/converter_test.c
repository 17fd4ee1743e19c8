/* comp/netlist/system/converter_test.c -- coils with junctions without charge,
 * transformers whose coupling is 1, and starts by .ic and uic. */
#include "check.h"

#include "yoke/file.h"

#include <math.h>
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

/* ---- Coupling 1 ---------------------------------------------------------- */

/* The charges of the coils depend on each other, and where the switch closes the
 * voltage of the diode goes with the logarithm of the time: consistent values
 * are found by steps short enough for that, and long enough not to be lost.
 * ngspice 39, reltol 1e-5, 100,000 steps: 27.0665 V. */
static void a_transformer_without_leakage_switches(void **state)
{
    static const char flyback[] =
        "flyback\nvin in 0 12\nl1 in sw 100u\nl2 0 sec 400u\nk1 l1 l2 1\n"
        "s1 sw 0 g 0 sm\nvg g 0 pulse(0 10 0 50n 50n 4u 10u)\n"
        "d1 sec out d\nc1 out 0 22u ic=0\nrl out 0 200\n"
        ".model sm sw(ron=0.05 roff=1meg vt=5 vh=0.5)\n.model d d\n"
        ".tran 1u 1m uic\n.end\n";
    static const char forward[] =
        "forward\nvdc in 0 48\nl1 in d 500u\nl2 s 0 125u\nl3 0 r 500u\n"
        "k1 l1 l2 1\nk2 l1 l3 1\nk3 l2 l3 1\ndr r in d\ns1 d 0 g 0 sm\n"
        "vg g 0 pulse(0 1 0 20n 20n 4u 10u)\nd1 s x d\nd2 0 x d\n"
        "lo x o 50u\nco o 0 47u\nro o 0 5\n.model d d\n"
        ".model sm sw(ron=10m roff=1meg vt=.5)\n.tran 0.1u 200u\n.end\n";
    (void)state;

    CHECK_NEAR(end_value(flyback, 1e-4, "v(out)"), 27.0665, 1e-3);
    CHECK_NEAR(end_value(forward, 1e-4, "v(o)"),
               end_value(forward, 1e-6, "v(o)"), 1e-3);
}

/* Steps much shorter than all time constants lose the voltage between two
 * collectors in rounding.  ngspice 39, reltol 1e-5, 40,000 steps: 0.59718 V. */
static void an_operational_amplifier_begins_at_an_ic(void **state)
{
    static const char text[] =
        "trigger\nc1 11 12 8.661p\nc2 6 7 30p\ndc out 53 dx\nde 54 out dx\n"
        "dlp 90 91 dx\ndln 92 90 dx\ndp vn vp dx\n"
        "egnd 99 0 poly(2) (vp,0) (vn,0) 0 .5 .5\n"
        "fb 7 99 poly(5) vb vc ve vlp vln 0 10.61meg -10meg 10meg 10meg "
        "-10meg\nga 6 0 11 12 188.5u\ngcm 0 6 10 99 5.961n\n"
        "iee 10 vn dc 15.16u\nhlim 90 0 vlim 1k\nq1 11 in 13 qx\n"
        "q2 12 p 14 qx\nr2 6 9 100k\nrc1 vp 11 5.305k\nrc2 vp 12 5.305k\n"
        "re1 13 10 1.836k\nre2 14 10 1.836k\nree 10 99 13.19meg\n"
        "ro1 8 out 50\nro2 7 99 100\nrp vp vn 18.16k\nvb 9 0 0\nvc vp 53 1\n"
        "ve 54 vn 1\nvlim 7 8 0\nvlp 91 0 40\nvln 0 92 40\n"
        ".model dx d(is=8e-16 rs=1)\n.model qx npn(is=8e-16 bf=93.75)\n"
        "r1 out p 10k\nrp2 p 0 10k\nrf out in 10k\ncf in 0 47n\n"
        "vp vp 0 15\nvn vn 0 -15\n.ic v(in)=0 v(out)=13\n"
        ".tran 10u 5m\n.end\n";
    (void)state;

    CHECK_NEAR(end_value(text, 1e-4, "v(in)"), 0.59718, 1e-3);
}

/* ---- Junctions without charge -------------------------------------------- */

static void coils_leave_junctions_that_block(void **state)
{
    static const char sepic[] =
        "sepic\nvin in 0 12\nl1 in sw 47u\ns1 sw 0 g 0 sm\nc1 sw x 10u\n"
        "l2 x 0 47u\nd1 x out d\nc2 out 0 22u\nrl out 0 20\n"
        "vg g 0 pulse(0 10 0 20n 20n 4u 10u)\n"
        ".model sm sw(ron=0.05 roff=10meg vt=5)\n.model d d\n"
        ".tran 0.5u 300u\n.end\n";
    static const char phase[] =
        "phase\nv1 a 0 sin(0 325 50)\nl1 a b 1m\ns1 b c g 0 sm\n"
        "vg g 0 pulse(0 1 3m 1u 1u 100u 10m)\nd1 c d d\nlx d e 10m\n"
        "r1 e 0 10\nd2 0 d d\n.model sm sw(ron=.05 roff=100k vt=.5)\n"
        ".model d d\n.tran 50u 6m\n.end\n";
    (void)state;

    CHECK_NEAR(end_value(sepic, 1e-4, "v(out)"),
               end_value(sepic, 1e-6, "v(out)"), 1e-3);
    CHECK_NEAR(end_value(phase, 1e-4, "i(lx)"), end_value(phase, 1e-6, "i(lx)"),
               1e-4);
}

/* Only coils lead to s1, s2 and x, so nothing finds consistent values where the
 * switch closes; v(d1) of before must not count in the error of the step. */
static void values_from_before_a_jump_are_not_believed(void **state)
{
    static const char text[] =
        "push-pull\nvdc in 0 12\nl1 in d1 50u\nl2 d2 in 50u\nl3 s1 0 800u\n"
        "l4 0 s2 800u\nk12 l1 l2 0.99\nk13 l1 l3 0.99\nk14 l1 l4 0.99\n"
        "k23 l2 l3 0.99\nk24 l2 l4 0.99\nk34 l3 l4 0.99\ns1 d1 0 g1 0 sm\n"
        "s2 d2 0 g2 0 sm\nvg1 g1 0 pulse(0 1 0 20n 20n 40u 100u)\n"
        "vg2 g2 0 pulse(0 1 50u 20n 20n 4u 100u)\nd1 s1 x d\nd2 s2 x d\n"
        "lo x o 200u\nco o 0 10u\nro o 0 50\n.model d d(cjo=10p)\n"
        ".model sm sw(ron=10m roff=1meg vt=.5)\n.tran 0.1u 8u\n.end\n";
    (void)state;

    CHECK_NEAR(end_value(text, 1e-4, "i(lo)"), end_value(text, 1e-6, "i(lo)"),
               5e-4);
}

/* ---- What .ic holds ------------------------------------------------------ */

static void integrals_begin_where_they_should(void **state)
{
    (void)state;

    CHECK_NEAR(end_value("idt\nb1 i 0 v=idt(1e6, 2)\nr1 i 0 1k\n"
                         ".tran 1n 1u\n.end\n",
                         1e-6, "v(i)"),
               3.0, 1e-5);
    CHECK_NEAR(end_value("charge\ni1 0 a 1k\nc1 a 0 1\n.ic v(a)=2\n"
                         ".tran 1u 1m\n.end\n",
                         1e-6, "v(a)"),
               3.0, 1e-5);
    /* A source holds b, whatever .ic says. */
    CHECK_NEAR(end_value("held\nv1 a 0 1\nr1 a b 1k\ne1 b 0 a 0 0.5\n"
                         "r2 a d 1k\nc2 d 0 1u\n.ic v(b)=3 v(d)=0\n"
                         ".tran 10u 1m\n.end\n",
                         1e-6, "v(d)"),
               1.0 - exp(-1.0), 1e-5);
}

/* From 0 Newton's method goes to and fro across the steep part of tanh.  The
 * capacitor begins at 0.1 V and so does the divider, but for out / 360. */
static void charges_of_uic_are_raised(void **state)
{
    static const char text[] =
        "follower\ne1 out 0 value={12*tanh(30*(v(p)-v(n)))}\n"
        "r1 out n 21k\nr4 n 0 10k\nc2 p 0 10n ic=0.1\nr2 p 0 10k\n"
        "g1 0 x out 0 1\nc3 x 0 1\n.tran 1u 1m uic\n.end\n";
    (void)state;

    /* The integral over ten time constants of 100 us. */
    CHECK_NEAR(end_value(text, 1e-6, "v(x)") / 3.1e-5,
               (1.0 - exp(-10.0)) / (1.0 + 3.1 / 360.0), 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_transformer_without_leakage_switches),
        cmocka_unit_test(an_operational_amplifier_begins_at_an_ic),
        cmocka_unit_test(coils_leave_junctions_that_block),
        cmocka_unit_test(values_from_before_a_jump_are_not_believed),
        cmocka_unit_test(integrals_begin_where_they_should),
        cmocka_unit_test(charges_of_uic_are_raised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
