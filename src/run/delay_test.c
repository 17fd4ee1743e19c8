/* run/delay_test.c -- signals with a delay, in system files and as the lines of
 * netlists, against exact solutions; and what is refused. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

static double end_value(const char *text, const char *name)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    double v = NAN;

    write_file("system.yaml", text);
    CHECK_OK(yoke_file_read(&file, in_scratch("system.yaml"), NULL, &err),
             &err);
    yoke_run *run = run_file(file);
    CHECK_OK(yoke_run_value(run, name, &v, &err), &err);
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
    return v;
}

#define HEAD(scheme)                                                           \
    "yoke: 1\nrun: {stop: 5, rtol: 1e-9, atol: 1e-11, scheme: " scheme "}\n"
#define FEEDBACK                                                               \
    "subsystems:\n"                                                            \
    "  a: {linear: {A: 0, B: -1, H: 1, x: x, u: u, y: x, x0: 1}}\n"            \
    "couplings:\n"

/* x' = -x(t - 1), x = 1 up to t = 0: the sum of (-1)^k (t - k + 1)^k / k! over
 * all k with t > k - 1. */
static double by_steps(double t)
{
    double sum = 0.0, factorial = 1.0;

    for (int k = 0; t - (k - 1) > 0.0; k++) {
        if (k > 0) factorial *= k;
        sum += (k % 2 ? -1.0 : 1.0) * pow(t - (k - 1), k) / factorial;
    }
    return sum;
}

static void a_delayed_feedback_is_solved(void **state)
{
    (void)state;
    const double exact = by_steps(5.0);

    CHECK_NEAR(exact, 19.0 / 120.0, 1e-14);
    CHECK_NEAR(end_value(HEAD("gauss-seidel") FEEDBACK
                         "  - {signal: a.u = a.x, delay: 1 s, past: 1}\n",
                         "a.x"),
               exact, 1e-9);
    CHECK_NEAR(end_value(HEAD("monolithic") FEEDBACK
                         "  - {signal: a.u = a.x, delay: 1 s}\n",
                         "a.x"),
               exact, 1e-9);
}

/* The past 0 is another problem: x stays 1 until t = 1, so that it is the
 * solution above one delay later. */
static void the_past_counts(void **state)
{
    (void)state;
    CHECK_NEAR(end_value(HEAD("gauss-seidel") FEEDBACK
                         "  - {signal: a.u = a.x, delay: 1 s, past: 0}\n",
                         "a.x"),
               by_steps(4.0), 1e-9);
}

/* Two delays of the same output, the longer a multiple of no window. */
static void outputs_are_read_late(void **state)
{
    (void)state;
    const char *const text = HEAD(
        "gauss-seidel") "subsystems:\n"
                        "  src: {linear: {x: [s, c], A: [[0, 2], [-2, 0]], "
                        "x0: [0, 1]}}\n"
                        "  out: {linear: {D: [[1, 3]], u: [u, v], y: y}}\n"
                        "couplings:\n"
                        "  - {signal: out.u = src.s, delay: 250 ms}\n"
                        "  - {signal: out.v = 2*src.c, delay: 0.71, past: 1}\n";

    CHECK_NEAR(end_value(text, "out.y"),
               sin(2.0 * 4.75) + 6.0 * cos(2.0 * 4.29), 1e-7);
}

/* With a loop that has no delay beside one that has: apart and as one. */
static void delays_stand_beside_loops(void **state)
{
#define MIXED                                                                  \
    "subsystems:\n"                                                            \
    "  a: {linear: {A: -1, B: [[1, 1]], H: 1, x: x, u: [u, w], y: x, x0: "     \
    "1}}\n"                                                                    \
    "  b: {linear: {A: -2, B: 1, H: 1, x: x, u: u, y: x, x0: 0}}\n"            \
    "couplings:\n"                                                             \
    "  - signal: a.u = -3*b.x\n"                                               \
    "  - signal: b.u = 2*a.x\n"                                                \
    "  - {signal: a.w = -b.x, delay: 0.4}\n"
    const double apart = end_value(HEAD("gauss-seidel") MIXED, "a.x");
    const double whole = end_value(HEAD("monolithic") MIXED, "a.x");

    (void)state;
    assert_true(fabs(whole) > 1e-4);
    CHECK_NEAR(apart, whole, 1e-8);
}

/* Windows end at the shortest delay and take one sweep.  What is replayed with
 * the waveforms of the run is the same. */
static void no_window_is_iterated(void **state)
{
    yoke_file *file = parse(HEAD("gauss-seidel") FEEDBACK
                            "  - {signal: a.u = a.x, delay: 1 s}\n");
    yoke_run *run = NULL;
    yoke_run_result result;
    yoke_err err = { YOKE_OK, "" };
    double apart = NAN;

    (void)state;
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file),
                             yoke_file_run_options(file), NULL, &err),
             &err);
    CHECK_OK(yoke_run_keep_waves(run, &err), &err);
    CHECK_OK(yoke_run_advance(run, 5.0, &err), &err);
    CHECK_OK(yoke_run_replay(run, &apart, &err), &err);
    assert_true(apart < 1.0);
    yoke_run_summary(run, &result);
    assert_true(result.iterate.windows >= 5);
    assert_int_equal(result.iterate.sweeps, result.iterate.windows);
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
}

/* ---- lines ----------------------------------------------------------------
 */

enum { Z0 = 50, RS = 20, RL = 200 };
static const double td = 2e-9, rise = 0.5e-9;

static double ramp(double t)
{
    return t <= 0.0 ? 0.0 : t < rise ? t / rise : 1.0;
}

/* The ladder of reflections at the end of the line. */
static double far_end(double t)
{
    const double gs = (RS - Z0) / (double)(RS + Z0);
    const double gl = (RL - Z0) / (double)(RL + Z0);
    double sum = 0.0, size = Z0 / (double)(Z0 + RS) * (1.0 + gl);

    for (double at = td; at < t; at += 2.0 * td, size *= gs * gl)
        sum += size * ramp(t - at);
    return sum;
}

#define SOURCE "v1 in 0 pulse(0 1 0 0.5n 0.5n 1 2)\nrs in a 20\n"
#define LINE   "t1 a 0 b 0 z0=50 td=2n\nrl b 0 200\n"

static double line_value(const char *text, double rtol, double t,
                         const char *name)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    double v = NAN;

    CHECK_OK(yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
             &err);
    yoke_run_options options = *yoke_file_run_options(file);
    options.iterate.rtol = options.iterate.atol = rtol;
    options.stop = t;
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &options, NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, t, &err), &err);
    CHECK_OK(yoke_run_value(run, name, &v, &err), &err);
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
    return v;
}

static void reflections_are_those_of_the_ladder(void **state)
{
    static const char *const text[] = {
        "whole\n" SOURCE LINE ".tran 0.1n 40n\n.end\n",
        "cells\n" SOURCE LINE "* yoke: partition cells\n.tran 0.1n 40n\n.end\n",
    };
    static const double at[] = { 1.9e-9, 2.3e-9, 6.2e-9, 10.45e-9, 31e-9 };

    (void)state;
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 5; j++)
            CHECK_NEAR(line_value(text[k], 1e-7, at[j], "v(b)"), far_end(at[j]),
                       1e-6);
}

/* A charged line into a resistance: steps, each a jump that has travelled. */
static void jumps_travel(void **state)
{
    static const char text[] = "charged\nt1 a 0 b 0 z0=50 td=2n ic=3,0,3,0\n"
                               "r1 a 0 20\nr2 b 0 1meg\n.tran 0.1n 40n uic\n"
                               ".end\n";
    const double gb = (1e6 - 50.0) / (1e6 + 50.0);
    double wave = 3.0; /* that arrives at a */

    (void)state;
    for (int k = 0; k < 6; k++) {
        const double t = (4.0 * k + 1.0) * 1e-9;
        const double v = wave * 20.0 / 70.0;
        CHECK_NEAR(line_value(text, 1e-7, t, "v(a)"), v, 1e-6);
        /* what leaves a is 2 v - wave, and comes back */
        wave = gb * (2.0 * v - wave);
    }
}

static void a_line_is_in_a_subsystem(void **state)
{
    (void)state;
    write_file("drive.cir", "drive\n" SOURCE ".end\n");
    write_file("line.cir", "line\n" LINE ".end\n");
    CHECK_NEAR(
        end_value("yoke: 1\nrun: {stop: 11.3e-9, rtol: 1e-8, atol: 1e-10}\n"
                  "subsystems:\n"
                  "  src: {netlist: drive.cir, ports: [a]}\n"
                  "  line: {netlist: line.cir, ports: [a], outputs: [v(b)]}\n"
                  "couplings: [connect: [src.a, line.a]]\n",
                  "line.v(b)"),
        far_end(11.3e-9), 1e-6);
}

/* At rest a lossy line is its resistance, and what leaks. */
static void lossy_lines_are_resistances_at_rest(void **state)
{
    static const char text[] = "rest\nv1 in 0 1\nrs in a 10\no1 a 0 b 0 m\n"
                               "rl b 0 100\n.model m ltra r=20 l=250n c=100p "
                               "len=0.5\n.tran 0.1n 5n\n.end\n";

    (void)state;
    CHECK_NEAR(line_value(text, 1e-6, 5e-9, "v(b)"), 100.0 / 120.0, 1e-9);
}

/* ---- what is refused ------------------------------------------------------
 */

static void bad_delays_are_refused(void **state)
{
    (void)state;
    refused(HEAD("gauss-seidel") FEEDBACK "  - {signal: a.u = a.x, delay: 0}\n",
            "f:6:", "is not more than 0");
    refused(HEAD("gauss-seidel") FEEDBACK
            "  - {signal: a.u = a.x, delay: -1 s}\n",
            "f:6:", "is not more than 0");
    refused(HEAD("gauss-seidel") FEEDBACK "  - {signal: a.u = a.x, past: 1}\n",
            "f:6:", "for a signal with a \"delay\"");
    refused(HEAD("gauss-seidel") FEEDBACK "  - {delay: 1}\n",
            "f:6:", "is for a signal");
    refused(HEAD("gauss-seidel") FEEDBACK
            "  - {signal: a.u = a.x, delay: word}\n",
            "f:6:", "word");
    refused(HEAD("gauss-seidel") FEEDBACK
            "  - {constraint: {equation: a.x = 0}, delay: 1}\n",
            "f:6:", "exactly one of the keys");
}

static void too_short_delays_are_refused(void **state)
{
    static const char text[] =
        "short\n" SOURCE "t1 a 0 b 0 z0=50 td=1e-30\nrl b 0 200\n"
        ".tran 1n 40n\n.end\n";
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    yoke_run *run = NULL;

    (void)state;
    CHECK_OK(yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
             &err);
    assert_int_equal(yoke_run_create(&run, yoke_file_model(file),
                                     yoke_file_run_options(file), NULL, &err),
                     YOKE_E_ARG);
    CHECK_CONTAINS(err.text, "1e-30 s of the signal to \"circuit.wave1(t1)\"");
    yoke_file_free(file);
}

static void an_included_system_has_no_delay(void **state)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    write_file("inner.yaml", HEAD("gauss-seidel") FEEDBACK
               "  - {signal: a.u = a.x, delay: 1 s}\n");
    write_file("outer.yaml", "yoke: 1\nsubsystems:\n"
                             "  s: {system: inner.yaml}\n");
    assert_true(yoke_file_read(&file, in_scratch("outer.yaml"), NULL, &err) <
                0);
    CHECK_CONTAINS(err.text, "\"a.u\" is a signal with a delay");
}

/* ---- Events that read the past ------------------------------------------- */

#define SAMPLERS                                                               \
    "model First output Real y; discrete Real d(start = 0);\n"                 \
    "equation when sample(0, 0.1) then d = time; end when; y = d; end "        \
    "First;\n"                                                                 \
    "model Then input Real u, w; output Real y; discrete Real d(start = 0);\n" \
    "equation when sample(0, 0.1) then d = u + 10*pre(w); end when;\n"         \
    "y = d; end Then;\n"                                                       \
    "model Sum input Real u; output Real x(start = 0);\n"                      \
    "equation der(x) = u; end Sum;\n"

/* k*0.1 and (k - 1)*0.1 + 0.1 differ by rounding and are one instant: u has the
 * value after the jump of the past, (k - 1)/10, and pre(w) that before it,
 * (k - 2)/10.  Over 3.05 the integrals are 4.205 and 3.92. */
static void a_sampler_reads_a_delayed_sampler(void **state)
{
    static const char *const scheme[] = { "gauss-seidel", "monolithic",
                                          "jacobi, cluster: none" };
    char text[1000];

    (void)state;
    write_file("samplers.mo", SAMPLERS);
    for (size_t k = 0; k < sizeof scheme / sizeof *scheme; k++) {
        snprintf(text, sizeof text,
                 "yoke: 1\nrun: {stop: 3.05, scheme: %s}\nsubsystems:\n"
                 "  a: {model: samplers.mo, class: First}\n"
                 "  b: {model: samplers.mo, class: Then}\n"
                 "  c: {model: samplers.mo, class: Sum}\ncouplings:\n"
                 "  - {signal: [b.u = a.y, b.w = a.y], delay: 0.1, past: 0}\n"
                 "  - signal: c.u = b.y\n",
                 scheme[k]);
        CHECK_NEAR(end_value(text, "c.x"), 4.205 + 39.2, 1e-9);
    }
}

/* What was before the start ends with a jump that arrives when the event
 * happens, through a part without unknowns. */
static void a_sampler_reads_the_start_of_the_past(void **state)
{
    (void)state;
    write_file("samplers.mo", SAMPLERS);
    CHECK_NEAR(
        end_value(
            "yoke: 1\nrun: {stop: 0.35}\nsubsystems:\n"
            "  a: {linear: {A: 0, x0: 1, x: x}}\n"
            "  p: {linear: {D: 2, u: u, y: y}}\n"
            "  b: {model: samplers.mo, class: Then}\ncouplings:\n"
            "  - {signal: p.u = a.x, delay: 0.3000000000000001, past: 0}\n"
            "  - signal: [b.u = p.y, b.w = p.y]\n",
            "b.y"),
        2.0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delayed_feedback_is_solved),
        cmocka_unit_test(the_past_counts),
        cmocka_unit_test(outputs_are_read_late),
        cmocka_unit_test(delays_stand_beside_loops),
        cmocka_unit_test(no_window_is_iterated),
        cmocka_unit_test(reflections_are_those_of_the_ladder),
        cmocka_unit_test(jumps_travel),
        cmocka_unit_test(a_line_is_in_a_subsystem),
        cmocka_unit_test(lossy_lines_are_resistances_at_rest),
        cmocka_unit_test(bad_delays_are_refused),
        cmocka_unit_test(too_short_delays_are_refused),
        cmocka_unit_test(an_included_system_has_no_delay),
        cmocka_unit_test(a_sampler_reads_a_delayed_sampler),
        cmocka_unit_test(a_sampler_reads_the_start_of_the_past),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
