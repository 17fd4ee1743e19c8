/* comp/equation/events/rectifier_test.c -- rectifiers cut from their source, with
 * diodes in the forms in which people write them. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include <math.h>

/* ---- The exact solution --------------------------------------------------- */

static const double on = 1e-2, off = 1e-6, inner = 0.1;

static double diode(double v)
{
    return v > 0.0 ? v / on : v * off;
}

/* The current that a source with a resistance drives into what takes i(v). */
static double current(double (*take)(double v, double vc), double source,
                      double vc)
{
    double low = -20.0, high = 20.0; /* v = source - R i(v), which increases */

    for (int k = 0; k < 60; k++) {
        const double v = 0.5 * (low + high);
        if (v + inner * take(v, vc) > source)
            high = v;
        else
            low = v;
    }
    return (source - 0.5 * (low + high)) / inner;
}

static double one_diode(double v, double vc)
{
    return diode(v - vc);
}

/* The rails lie symmetrically. */
static double four_diodes(double v, double vc)
{
    return diode(0.5 * (v - vc)) - diode(0.5 * (-v - vc));
}

/* C vc' = what flows into the capacitor. */
static double rate(bool bridge, double t, double vc)
{
    const double source = 10.0 * sin(314.0 * t);
    const double i = current(bridge ? four_diodes : one_diode, source, vc);
    const double v = source - inner * i;
    const double into =
        bridge ? diode(0.5 * (v - vc)) + diode(0.5 * (-v - vc)) : i;

    return (into - vc / 100.0) / 1e-3;
}

static double exact(bool bridge)
{
    enum { STEPS = 20000 };
    const double h = 0.03 / STEPS;
    double x = 0.0;

    for (int k = 0; k < STEPS; k++) {
        const double t = k * h;
        const double a = rate(bridge, t, x);
        const double b = rate(bridge, t + 0.5 * h, x + 0.5 * h * a);
        const double c = rate(bridge, t + 0.5 * h, x + 0.5 * h * b);
        const double d = rate(bridge, t + h, x + h * c);
        x += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
    }
    return x;
}

/* ---- The models ----------------------------------------------------------- */

#define HEAD(name)                                                             \
    "model " name "\n"                                                         \
    "  input Real v;\n"                                                        \
    "  output Real i;\n"                                                       \
    "  parameter Real on = 1e-2, off = 1e-6;\n"                                \
    "  Real vc(start = 0, fixed = true);\n"

/* Both branches of a diode with the voltage u. */
#define BY_IF(u) "if " u " > 0 then (" u ")/on else (" u ")*off"

#define LOAD(i)                                                                \
    "  1e-3*der(vc) = " i " - vc/100;\n"                                       \
    "end M;\n"

static const char by_if[] = HEAD("M") "equation\n"
                                      "  i = " BY_IF("v - vc") ";\n" LOAD("i");

static const char without_event[] =
    HEAD("M") "equation\n"
              "  i = noEvent(" BY_IF("v - vc") ");\n" LOAD("i");

static const char by_max[] =
    HEAD("M") "equation\n"
              "  i = max(v - vc, 0)/on + min(v - vc, 0)*off;\n" LOAD("i");

static const char by_function[] =
    "function f input Real u; input Real on; input Real off; output Real i;\n"
    "algorithm if u > 0 then i := u/on; else i := u*off; end if; end f;\n" HEAD(
        "M") "equation\n"
             "  i = f(v - vc, on, off);\n" LOAD("i");

/* As in the standard library: voltage and current along a curve. */
#define CURVE(kind)                                                            \
    HEAD("M")                                                                  \
    "  Real s;\n"                                                              \
    "equation\n"                                                               \
    "  v - vc = s*" kind "(if s < 0 then 1 else on);\n"                        \
    "  i = s*" kind "(if s < 0 then off else 1);\n" LOAD("i")

static const char by_curve[] = CURVE("");
static const char by_quiet_curve[] = CURVE("noEvent");

#define BRIDGE(kind)                                                           \
    HEAD("M")                                                                  \
    "  Real p, n, a, b, c, d;\n"                                               \
    "equation\n"                                                               \
    "  a = " kind "(" BY_IF(                                                   \
        "v/2 - p") ");\n"                                                      \
                   "  b = " kind "(" BY_IF(                                    \
                       "-v/2 - p") ");\n"                                      \
                                   "  c = " kind "(" BY_IF(                    \
                                       "n - v/2") ");\n"                       \
                                                  "  d = " kind "(" BY_IF(     \
                                                      "n + v/2") ");\n"        \
                                                                 "  vc = p - " \
                                                                 "n;\n"        \
                                                                 "  a + b = "  \
                                                                 "c + d;\n"    \
                                                                 "  i = a - "  \
                                                                 "c;\n" LOAD(  \
                                                                     "a + b")

static const char bridge[] = BRIDGE("");
static const char quiet_bridge[] = BRIDGE("noEvent");

static const char bridge_by_curves[] =
    HEAD("M") "  Real p, n, s[4], j[4];\n"
              "equation\n"
              "  for k in 1:4 loop\n"
              "    j[k] = s[k]*(if s[k] < 0 then off else 1);\n"
              "  end for;\n"
              "  v/2 - p = s[1]*(if s[1] < 0 then 1 else on);\n"
              "  -v/2 - p = s[2]*(if s[2] < 0 then 1 else on);\n"
              "  n - v/2 = s[3]*(if s[3] < 0 then 1 else on);\n"
              "  n + v/2 = s[4]*(if s[4] < 0 then 1 else on);\n"
              "  vc = p - n;\n"
              "  j[1] + j[2] = j[3] + j[4];\n"
              "  i = j[1] - j[3];\n" LOAD("j[1] + j[2]");

static double end_of(const char *model)
{
    static const char source[] = "model S\n"
                                 "  input Real i;\n"
                                 "  output Real v;\n"
                                 "equation\n"
                                 "  v = 10*sin(314*time) - 0.1*i;\n"
                                 "end S;\n";
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    write_file("source.mo", source);
    write_file("load.mo", model);
    write_file("rectifier.yoke",
               "yoke: 1\n"
               "run: {stop: 30 ms, rtol: 1e-7, atol: 1e-7}\n"
               "subsystems: {a: {model: source.mo}, b: {model: load.mo}}\n"
               "couplings: [signal: a.i = b.i; b.v = a.v]\n");
    CHECK_OK(yoke_file_read(&file, in_scratch("rectifier.yoke"), NULL, &err),
             &err);
    yoke_run *run = run_file(file);
    const double value = value_of(run, "b.vc");
    yoke_run_close(run, NULL);
    yoke_file_free(file);
    return value;
}

static void one_diode_in_every_form(void **state)
{
    static const char *const form[] = { by_if,    without_event,
                                        by_max,   by_function,
                                        by_curve, by_quiet_curve };
    const double value = exact(false);
    (void)state;

    for (size_t k = 0; k < sizeof form / sizeof *form; k++)
        CHECK_NEAR(end_of(form[k]), value, 2e-6);
}

static void bridges_in_every_form(void **state)
{
    static const char *const form[] = { bridge, quiet_bridge,
                                        bridge_by_curves };
    const double value = exact(true);
    (void)state;

    for (size_t k = 0; k < sizeof form / sizeof *form; k++)
        CHECK_NEAR(end_of(form[k]), value, 2e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_diode_in_every_form),
        cmocka_unit_test(bridges_in_every_form),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
