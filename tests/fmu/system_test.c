/* tests/fmu/system_test.c -- systems of FMUs against exact solutions.
 *
 * Their workers are the program yoke-worker, which is built with the library.
 */
#define _GNU_SOURCE
#include "check.h"
#include "comp/fmu/engine.h"
#include "yoke/file.h"
#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ran {
    yoke_status status;
    yoke_err err;
    double value[4];
    yoke_run_result result;
} ran;

/* Runs a text to its stop time; the values of these names there. */
static ran run_text(const char *text, int count, const char *const *name)
{
    ran r = { .status = YOKE_OK };
    yoke_file *file = NULL;
    yoke_run *run = NULL;

    r.status = yoke_file_parse(&file, FMUS "/system.yaml", text, strlen(text),
                               NULL, &r.err);
    if (r.status != YOKE_OK) return r;
    const yoke_run_options *o = yoke_file_run_options(file);
    r.status = yoke_run_create(&run, yoke_file_model(file), o, NULL, &r.err);
    if (r.status == YOKE_OK) r.status = yoke_run_advance(run, o->stop, &r.err);
    for (int i = 0; i < count && r.status == YOKE_OK; i++)
        r.status = yoke_run_value(run, name[i], &r.value[i], &r.err);
    if (run) yoke_run_summary(run, &r.result);
    if (run) yoke_run_close(run, NULL);
    yoke_file_free(file);
    return r;
}

/* ---- algebraic loops --------------------------------------------------- */

static const char loop[] =
    "yoke: 1\n"
    "subsystems:\n"
    "  p: {fmu: %s.fmu, kind: %s, inputs: [u], outputs: [y], parameters: "
    "{a: -1, b: 1, c: 1, d: %g, x: 1}}\n"
    "  q: {fmu: %s.fmu, kind: %s, inputs: [u], outputs: [y], parameters: "
    "{a: -2, b: 1, c: 1, d: 1, x: 0}}\n"
    "couplings:\n"
    "  - signal: p.u = q.y\n"
    "  - signal: q.u = p.y\n"
    "run: {stop: 0.3, rtol: 1e-6}\n";

/* p: x' = -x + u, y = x + d u;  q: z' = -2 z + v, w = z + v;  u = w, v = y, so
 * y = (x + d z) / (1 - d), u = z + y. */
static void slopes(double d, const double *s, double *out)
{
    const double y = (s[0] + d * s[1]) / (1.0 - d);

    out[0] = -s[0] + s[1] + y;
    out[1] = -2.0 * s[1] + y;
}

static void solve_loop(double d, double end, double *y, double *w)
{
    enum { N = 2000 };
    const double h = end / N;
    double s[2] = { 1.0, 0.0 };

    for (int i = 0; i < N; i++) {
        double k[4][2], at[2];

        slopes(d, s, k[0]);
        for (int j = 1; j < 4; j++) {
            const double c = j < 3 ? 0.5 * h : h;

            at[0] = s[0] + c * k[j - 1][0];
            at[1] = s[1] + c * k[j - 1][1];
            slopes(d, at, k[j]);
        }
        for (int c = 0; c < 2; c++)
            s[c] +=
                h / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
    }
    *y = (s[0] + d * s[1]) / (1.0 - d);
    *w = s[1] + *y;
}

static void check_loop(const char *a, const char *b, const char *kind, double d)
{
    static const char *const name[] = { "p.y", "q.y" };
    char text[1000];
    double y, w;

    snprintf(text, sizeof text, loop, a, kind, d, b, kind);
    const ran r = run_text(text, 2, name);
    CHECK_OK(r.status, &r.err);
    solve_loop(d, 0.3, &y, &w);
    CHECK_NEAR(r.value[0], y, 3e-6 * fabs(y));
    CHECK_NEAR(r.value[1], w, 3e-6 * fabs(w));
}

/* A change of an input comes back d times as large in every sweep: 0.5 and -0.9
 * converge, -3 and 2 do not without help. */
static void algebraic_loops_converge(void **unused)
{
    (void)unused;
    check_loop("block2", "block2", "cs", 0.5);
    check_loop("cached", "block3", "cs", -0.9);
    check_loop("block3", "cached", "cs", -3.0);
    check_loop("block2", "block3", "cs", 2.0);
}

static void algebraic_loops_of_model_exchange_converge(void **unused)
{
    (void)unused;
    check_loop("block2", "block3", "me", -3.0);
}

/* ---- jumps ------------------------------------------------------------- */

/* x' = u = 1 + 0.1 sin 3 t, from 0 again whenever it has come to 0.3; z' = x. */
static const char saw[] =
    "yoke: 1\n"
    "subsystems:\n"
    "  s: {fmu: %s.fmu, kind: cs, inputs: [u], outputs: [y], parameters: "
    "{a: 0, level: 0.3}}\n"
    "  g: {linear: {E: 0, A: -1, source: \"1 + 0.1*sin(3*time)\", x: v}}\n"
    "  z: {linear: {A: 0, B: 1, x: z, u: w, x0: 0}}\n"
    "couplings:\n"
    "  - signal: s.u = g.v\n"
    "  - signal: z.w = s.y\n"
    "run: {stop: 1, rtol: 1e-6}\n";

static double risen(double t)
{
    return t + (1.0 - cos(3.0 * t)) / 30.0;
}

/* Of FMI 2 nobody tells when they happen: the values, and what another part
 * makes of them, are those of the exact instants. */
static void check_saw(const char *fmu)
{
    static const char *const name[] = { "s.y", "z.z" };
    double z = 0.5 + 1.0 / 30.0 - sin(3.0) / 90.0;
    char text[1000];

    for (int k = 1; k <= 3; k++) {
        double low = 0.0, high = 1.0;
        for (int i = 0; i < 60; i++) {
            const double t = 0.5 * (low + high);
            *(risen(t) < 0.3 * k ? &low : &high) = t;
        }
        z -= 0.3 * (1.0 - high);
    }
    snprintf(text, sizeof text, saw, fmu);
    const ran r = run_text(text, 2, name);
    CHECK_OK(r.status, &r.err);
    CHECK_NEAR(r.value[0], risen(1.0) - 0.9, 1e-6);
    CHECK_NEAR(r.value[1], z, 1e-6);
}

static void jumps_that_nobody_tells_are_located(void **unused)
{
    (void)unused;
    check_saw("block2");
    check_saw("early");
}

/* ---- signals that are held --------------------------------------------- */

static const char gears[] =
    "yoke: 1\n"
    "subsystems:\n"
    "  ramp: {fmu: early.fmu, kind: cs, inputs: [u], outputs: [y, count, "
    "positive], parameters: {a: 0, level: 0.3, mode: linear}}\n"
    "  next: {fmu: %s.fmu, kind: %s, inputs: [u, gear, on], outputs: [y], "
    "parameters: {a: 0, b: 1}}\n"
    "  one: {fmu: block2.fmu, kind: cs, inputs: [], outputs: [y], parameters: "
    "{a: 0, x: 1}}\n"
    "couplings:\n"
    "  - signal: ramp.u = one.y\n"
    "  - signal: next.gear = ramp.count\n"
    "  - signal: next.on = one.y\n"
    "  - signal: next.u = one.y\n"
    "run: {stop: 1, rtol: 1e-6}\n";

/* The ramp comes to 0.3 at 0.3, 0.6, 0.9; y' = count. */
static void held_signals_change_at_events(void **unused)
{
    static const char *const name[] = { "ramp.y", "ramp.count", "next.y" };
    static const char *const fmu[][2] = {
        { "block2", "cs" }, { "block3", "cs" }, { "early", "cs" },
        { "block2", "me" }, { "block3", "me" },
    };
    char text[1500];

    (void)unused;
    for (size_t i = 0; i < sizeof fmu / sizeof fmu[0]; i++) {
        snprintf(text, sizeof text, gears, fmu[i][0], fmu[i][1]);
        const ran r = run_text(text, 3, name);
        CHECK_OK(r.status, &r.err);
        CHECK_NEAR(r.value[0], 0.1, 2e-6);
        CHECK_NEAR(r.value[1], 3.0, 0.0);
        CHECK_NEAR(r.value[2], 1.2, 3e-6);
        assert_true(r.result.work.steps < 5000);
    }
}

/* ---- inputs and outputs ------------------------------------------------ */

static const char driven[] =
    "yoke: 1\n"
    "subsystems:\n"
    "  osc: {fmu: plain2.fmu, kind: me, inputs: [], outputs: [y], parameters: "
    "{k: 39.478417604357434, x: 1}}\n"
    "  s: {fmu: %s.fmu, kind: cs, inputs: [u], outputs: [y], parameters: "
    "{a: -1, b: 1}}\n"
    "couplings:\n"
    "  - signal: s.u = osc.y\n"
    "run: {stop: 1, rtol: 1e-6}\n";

/* x' = -x + cos w t. */
static void inputs_are_of_fourth_order(void **unused)
{
    static const char *const fmu[] = { "block2",  "block3",  "midway",
                                       "slopes2", "slopes3", "lying",
                                       "source3", "sloped" };
    static const char *const name[] = { "s.y" };
    const double w = 2.0 * acos(-1.0);
    char text[1000];

    (void)unused;
    for (size_t i = 0; i < sizeof fmu / sizeof fmu[0]; i++) {
        snprintf(text, sizeof text, driven, fmu[i]);
        const ran r = run_text(text, 1, name);
        CHECK_OK(r.status, &r.err);
        CHECK_NEAR(r.value[0], (1.0 - exp(-1.0)) / (1.0 + w * w), 2e-8);
        assert_true(r.result.work.steps < 3000);
    }
}

/* y = x + u / 2 of an FMU that takes slopes: x and the end of u are both right. */
static void slopes_of_inputs_are_given(void **unused)
{
    static const char *const name[] = { "s.y" };
    const double w = 2.0 * acos(-1.0);
    char text[1000], *at = NULL;

    (void)unused;
    snprintf(text, sizeof text, driven, "sloped");
    at = strstr(text, "b: 1}");
    assert_non_null(at);
    memmove(at + 13, at + 5, strlen(at + 5) + 1);
    memcpy(at, "b: 1, d: 0.5}", 13);
    const ran r = run_text(text, 1, name);
    CHECK_OK(r.status, &r.err);
    CHECK_NEAR(r.value[0], (1.0 - exp(-1.0)) / (1.0 + w * w) + 0.5, 1e-7);
    assert_true(r.result.work.steps < 3000);
}

static const char arrays[] =
    "yoke: 1\n"
    "subsystems:\n"
    "  p: {fmu: block3.fmu, kind: %s, inputs: [], outputs: [z], parameters: "
    "{a: 0, x: 0.5}}\n"
    "  q: {fmu: block3.fmu, kind: %s, inputs: ['w[2]', 'w[3]'], outputs: [z], "
    "parameters: "
    "{a: 0, x: 1}}\n"
    "couplings:\n"
    "  - signal: q.w[2] = p.z[1]\n"
    "  - signal: q.w[3] = 2*p.z[3]\n"
    "run: {stop: 0.1, rtol: 1e-6}\n";

static void elements_of_arrays_are_signals(void **unused)
{
    static const char *const name[] = { "q.z[1]", "q.z[2]", "q.z[3]" };
    static const char *const kind[] = { "cs", "me" };
    char text[1000];

    (void)unused;
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, arrays, kind[i], kind[i]);
        const ran r = run_text(text, 3, name);
        CHECK_OK(r.status, &r.err);
        CHECK_NEAR(r.value[0], 1.0, 1e-9);
        CHECK_NEAR(r.value[1], 2.0, 1e-9);
        CHECK_NEAR(r.value[2], 3.0, 1e-9);
    }
}

/* ---- terminals --------------------------------------------------------- */

static const char pins[] =
    "yoke: 1\n"
    "subsystems:\n"
    "  cap: {fmu: gives.fmu, kind: cs, inputs: [u], outputs: [y], parameters: "
    "{a: 0, b: 1, x: 1}}\n"
    "  res: {fmu: %s.fmu, kind: cs, inputs: [u], outputs: [y], parameters: "
    "{c: 0, d: %g}}\n"
    "couplings:\n"
    "  - connect: [%s.pin, %s.pin]\n"
    "run: {stop: 0.5, rtol: 1e-6}\n";

/* v' = i, and i = -v / 2 by the other: as a flow into it, or out of it. */
static void terminals_are_ports(void **unused)
{
    static const char *const name[] = { "cap.y" };
    char text[1000];

    (void)unused;
    for (int i = 0; i < 4; i++) {
        const bool out = i & 1, first = i & 2;

        snprintf(text, sizeof text, pins, out ? "takes_out" : "takes",
                 out ? -0.5 : 0.5, first ? "cap" : "res",
                 first ? "res" : "cap");
        const ran r = run_text(text, 1, name);
        CHECK_OK(r.status, &r.err);
        CHECK_NEAR(r.value[0], exp(-0.25), 2e-6);
    }
    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n"
             "  a: {fmu: takes.fmu, inputs: [u], outputs: [y]}\n"
             "  b: {fmu: takes.fmu, inputs: [u], outputs: [y]}\n"
             "couplings:\n  - connect: [a.pin, b.pin]\nrun: {stop: 1}\n");
    const ran r = run_text(text, 0, NULL);
    assert_int_not_equal(r.status, YOKE_OK);
    CHECK_CONTAINS(r.err.text, "takes a potential and gives a flow");
}

/* ---- without a process of its own -------------------------------------- */

static const char pair[] =
    "yoke: 1\n"
    "subsystems:\n"
    "  left: {fmu: %s.fmu, kind: %s, %s parameters: {k: 40, c: 160, x: 1}}\n"
    "  right: {fmu: %s.fmu, kind: %s, %s parameters: {k: 40, c: 160, x: 0}}\n"
    "couplings:\n"
    "  - signal: left.u = right.y\n"
    "  - signal: right.u = left.y\n"
    "run: {stop: 0.2, rtol: 1e-6}\n";

/* The same bits, by the state of the part, and by running again. */
static void isolation_changes_nothing(void **unused)
{
    static const char *const name[] = { "left.y", "right.y" };
    static const char *const fmu[][2] = { { "state2", "cs" },
                                          { "plain2", "cs" },
                                          { "plain3", "me" } };
    char text[1000];

    (void)unused;
    for (int i = 0; i < 3; i++) {
        const char *f = fmu[i][0], *k = fmu[i][1];

        snprintf(text, sizeof text, pair, f, k, "", f, k, "");
        const ran apart = run_text(text, 2, name);
        CHECK_OK(apart.status, &apart.err);
        snprintf(text, sizeof text, pair, f, k, "isolate: none,", f, k,
                 "isolate: none,");
        const ran inside = run_text(text, 2, name);
        CHECK_OK(inside.status, &inside.err);
        assert_memory_equal(apart.value, inside.value, 2 * sizeof(double));
    }
}

/* Whether the derivatives that a part tells are taken is not decided by a clock: a
 * machine that others use gives the same bits. */
static void clocks_change_nothing(void **unused)
{
    static const char text[] =
        "yoke: 1\n"
        "subsystems:\n"
        "  p: {fmu: block2.fmu, kind: me, inputs: [u], outputs: [y], "
        "parameters: {a: -1.37, b: 1.7, c: 0.77, d: -3, x: 1}}\n"
        "  q: {fmu: block3.fmu, kind: me, inputs: [u], outputs: [y], "
        "parameters: {a: -231.13, b: 1.7, c: 0.77, d: 1, x: 0}}\n"
        "couplings:\n"
        "  - signal: p.u = q.y\n"
        "  - signal: q.u = p.y\n"
        "run: {stop: 0.3, rtol: 1e-6}\n";
    static const char *const name[] = { "p.y", "q.y" };
    ran r[2];

    (void)unused;
    for (int k = 0; k < 2; k++) {
        if (k) setenv("YOKE_TEST_DAWDLE", "yes", 1);
        r[k] = run_text(text, 2, name);
        CHECK_OK(r[k].status, &r[k].err);
    }
    unsetenv("YOKE_TEST_DAWDLE");
    assert_memory_equal(r[0].value, r[1].value, 2 * sizeof(double));
}

/* ---- what is refused --------------------------------------------------- */

static void check_refused(const char *fmu, const char *more, const char *why)
{
    char text[1000];

    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n  p: {fmu: %s.fmu, inputs: []%s}\n"
             "run: {stop: 0.1}\n",
             fmu, more);
    const ran r = run_text(text, 0, NULL);
    assert_int_not_equal(r.status, YOKE_OK);
    CHECK_CONTAINS(r.err.text, why);
}

static void wrong_values_are_refused(void **unused)
{
    (void)unused;
    check_refused("block2", ", parameters: {mode: round}", "round");
    check_refused("block2", ", parameters: {aa: 1}", "no parameter \"aa\"");
    check_refused("block2", ", kind: xx", "neither cs");
    check_refused("block2", ", isolate: jail", "neither process nor none");
    check_refused("block2", ", outputs: [nothing]", "no variable \"nothing\"");
}

/* An event every nanosecond, which nobody can follow for seconds. */
static void too_many_events_end_a_run_early(void **unused)
{
    (void)unused;
    check_refused("early", ", kind: cs, parameters: {a: 0, u: 1, level: 1e-10}",
                  "in this run, too many to follow");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algebraic_loops_converge),
        cmocka_unit_test(algebraic_loops_of_model_exchange_converge),
        cmocka_unit_test(jumps_that_nobody_tells_are_located),
        cmocka_unit_test(held_signals_change_at_events),
        cmocka_unit_test(inputs_are_of_fourth_order),
        cmocka_unit_test(slopes_of_inputs_are_given),
        cmocka_unit_test(elements_of_arrays_are_signals),
        cmocka_unit_test(terminals_are_ports),
        cmocka_unit_test(isolation_changes_nothing),
        cmocka_unit_test(clocks_change_nothing),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(too_many_events_end_a_run_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
