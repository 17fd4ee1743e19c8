/* comp/netlist/system/fail_test.c -- circuits made to fail: "time step too
 * small" is never the last word.  The message names the element with its line,
 * the node, the time, the value and what was tried; and circuits that look as
 * if they had to fail, but have a solution. */
#include "check.h"

#include "yoke/netlist.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The message of what goes wrong, when it is read or when it is run; warnings
 * go before it. */
static void explain(const char *text, char *message, size_t room, double *end)
{
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };

    message[0] = '\0';
    *end = NAN;
    if (yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err) !=
        YOKE_OK) {
        snprintf(message, room, "%s", err.text);
        return;
    }
    for (int k = 0; yoke_file_warning(file, k); k++) {
        const size_t used = strlen(message);
        snprintf(message + used, room - used, "%s\n",
                 yoke_file_warning(file, k));
    }
    const yoke_run_options *o = yoke_file_run_options(file);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), o, NULL, &err), &err);
    if (yoke_run_advance(run, o->stop, &err) != YOKE_OK) {
        const size_t used = strlen(message);
        snprintf(message + used, room - used, "%s", err.text);
    } else
        CHECK_OK(yoke_run_value(run, "v(o)", end, &err), &err);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void failures_name_everything(void **state)
{
    static const struct {
        const char *text;
        const char *part[7];
    } bad[] = {
        /* two ideal sources, one of them controlled */
        { "v1 o 0 1\nv2 o 0 2\nr1 o 0 1k\n.tran 1u 1m",
          { "test.cir:3: ", "v2 closes a loop of voltage sources",
            "put a resistance in series" } },
        { "v1 o 0 1\ne2 o 0 b 0 2\nr1 o b 1k\nr2 b 0 1k\n.tran 1u 1m",
          { "no operating point",
            "tried Newton's method, the same from cell to cell, gmin stepping, "
            "source "
            "stepping",
            "singular at i(e2)", "loop of voltage sources", "test.cir:3" } },
        { "v1 o 0 1\nl1 o 0 1m\n.tran 1u 1m",
          { "test.cir:3: ", "l1", "loop of voltage sources and inductors" } },
        /* no direct current */
        { "vdd o 0 5\nm1 o g 0 0 nm\n.model nm nmos(tox=10n)\n.tran 1n 1u",
          { "test.cir:3: ", "v(g) has no path for direct current", "m1",
            ".ic v(g)=value" } },
        { "v1 o 0 1\nc1 o b 1n\nc2 b 0 1n\n.tran 1n 1u",
          { "v(b) has no path for direct current", "c1 (line 3)",
            "c2 (line 4)" } },
        /* no solution */
        { "v1 o 0 1\nr1 o b 1k\nb1 b 0 i = v(b)*v(b)+1\n.tran 1n 1u",
          { "no operating point", "source stepping", "v(b) still changes",
            "r1 (line 3)", "b1 (line 4)" } },
        /* poles in time */
        { "v1 a 0 pwl(0 0 1m 2)\nb1 o 0 v = 1/(v(a)-1)\nr1 o 0 1k\n.tran 1u 1m",
          { "t = 0.0005: test.cir:3: b1 comes to (1) / (", "step of",
            "\"v(o)\" = ", "as at a pole", "windows were halved", "b1 (line 3)",
            "r1 (line 4)" } },
        { "b1 0 o i = v(o)*v(o)\nc1 o 0 1 ic=1\nr1 o 0 1k\n.tran 10m 3 uic",
          { "t = 1.0005", "\"v(o)\" = ", "as at a pole", "c1 (line 3)" } },
        /* switching without hysteresis */
        { "b1 o 0 v = v(p) > 0 ? -1 : 1\nr1 o p 1k\nc1 p 0 1n ic=0.5\n"
          ".options reltol=1e-4\n.tran 10n 10u uic",
          { "t = 4.05", "test.cir:2: v(p) > 0 ? -1 : 1",
            "happens again and again", "sliding", "hysteresis",
            "windows were halved" } },
    };
    (void)state;

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[400], message[4000];
        double end;
        snprintf(text, sizeof text, "t\n%s\n.end\n", bad[k].text);
        explain(text, message, sizeof message, &end);
        for (int i = 0; i < 6 && bad[k].part[i]; i++)
            CHECK_CONTAINS(message, bad[k].part[i]);
    }
}

/* A loop of resistors without resistance is one of 1 mOhm, with a warning. */
static void zero_ohm_loops_have_a_solution(void **state)
{
    char message[4000];
    double end;
    (void)state;

    explain("t\nv1 a 0 1\nr1 a b 0\nr2 b o 0\nr3 o a 0\nr4 o 0 1k\n"
            ".tran 1u 1m\n.end\n",
            message, sizeof message, &end);
    CHECK_CONTAINS(message, "test.cir:3: \"r1\" has no resistance");
    CHECK_NEAR(end, 1.0 - 2e-3 / 3.0 / 1e3, 1e-9);
}

/* Unknowns without charge may jump at instants that nobody knows: a comparator
 * is left at sin = 0.3, where 1/(2 pi) (pi - asin 0.3) of the period is over;
 * in front of a resistance, and tied to a capacitor. */
static void jumps_are_stepped_over(void **state)
{
    static const char *const load[] = { "", "c1 o 0 1n\n" };
    static const double pi = 3.14159265358979323846;
    const double length = (pi - 2.0 * asin(0.3)) / (2.0 * pi) * 1e-3;
    (void)state;

    for (int k = 0; k < 2; k++) {
        char text[400];
        yoke_file *file = NULL;
        yoke_run *run = NULL;
        yoke_err err = { YOKE_OK, "" };
        double v = NAN;
        snprintf(text, sizeof text,
                 "t\nv1 a 0 sin(0 1 1k)\nb1 o 0 v = v(a) > 0.3 ? 1 : 0\n"
                 "r1 o 0 1k\n%sb2 0 s i = v(o)\nc2 s 0 1m\nr2 s 0 1g\n"
                 ".tran 1u 1m\n.print tran v(o) v(s)\n.end\n",
                 load[k]);
        CHECK_OK(
            yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
            &err);
        const yoke_run_options *o = yoke_file_run_options(file);
        CHECK_OK(yoke_run_create(&run, yoke_file_model(file), o, NULL, &err),
                 &err);
        CHECK_OK(yoke_run_advance(run, o->stop, &err), &err);
        CHECK_OK(yoke_run_value(run, "v(s)", &v, &err), &err);
        CHECK_NEAR(v, length / 1e-3, 1e-5);
        CHECK_OK(yoke_run_close(run, &err), &err);
        yoke_file_free(file);
    }
}

/* With uic charges that contradict one another flow together: 1 V and 3 V of
 * equal capacitors are 2 V, and a source that begins at once divides. */
static void charges_are_kept(void **state)
{
    char message[4000];
    double end;
    (void)state;

    explain("t\nc1 o 0 1u ic=1\nc2 o 0 1u ic=3\nr1 o 0 1k\n.tran 1u 1m uic\n"
            ".end\n",
            message, sizeof message, &end);
    CHECK_NEAR(end, 2.0 * exp(-0.5), 1e-4);
    explain("t\nv1 a 0 5\nc1 a o 1u\nc2 o 0 1u\nr1 o 0 1k\n.tran 1u 1m uic\n"
            ".end\n",
            message, sizeof message, &end);
    CHECK_NEAR(end, 2.5 * exp(-0.5), 1e-4);
    explain("t\nv1 a 0 5\nc1 a o 1u ic=1\nc2 o 0 1u ic=1\nr1 o 0 1k\n"
            ".tran 1u 1m uic\n.end\n",
            message, sizeof message, &end);
    CHECK_NEAR(end, 2.5 * exp(-0.5), 1e-4);
}

/* The current into a charge begins with a jump where a sine begins. */
static void currents_of_charges_begin(void **state)
{
    char message[4000];
    double end;
    (void)state;

    explain("t\nvin o 0 sin(2 0.5 1meg)\nvcc c 0 5\nq1 k o e qn\nr1 c k 1k\n"
            "re e 0 500\nc1 k 0 10p\n.model qn npn(cje=1p cjc=1p tf=1n)\n"
            ".tran 10n 2u\n.print tran v(o) @c1[i] @q1[ib] @q1[ic]\n.end\n",
            message, sizeof message, &end);
    assert_string_equal(message, "");
    CHECK_NEAR(end, 2.0, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_name_everything),
        cmocka_unit_test(zero_ohm_loops_have_a_solution),
        cmocka_unit_test(jumps_are_stepped_over),
        cmocka_unit_test(charges_are_kept),
        cmocka_unit_test(currents_of_charges_begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
