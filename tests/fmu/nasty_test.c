/* tests/fmu/nasty_test.c -- co-simulation FMUs that act at instants of their own,
 * tell old outputs, or do not repeat themselves, in a loop with
 *
 *     x' = 10 (y - x),  z' = y,   x(0) = 1, z(0) = 0,  u = x
 *
 * and no step given: the exact answer, or a message that names the part.
 */
#define _GNU_SOURCE
#include "check.h"
#include "yoke/file.h"
#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct ran {
    yoke_status status;
    yoke_err err;
    double x, z;
} ran;

static const double rtol = 1e-5;

static ran run_text(const char *text, double stop)
{
    ran r = { .status = YOKE_OK };
    yoke_file *file = NULL;
    yoke_run *run = NULL;

    r.status = yoke_file_parse(&file, FMUS "/nasty.yaml", text, strlen(text),
                               NULL, &r.err);
    if (r.status != YOKE_OK) return r;
    const yoke_run_options *o = yoke_file_run_options(file);
    r.status = yoke_run_create(&run, yoke_file_model(file), o, NULL, &r.err);
    if (r.status == YOKE_OK) r.status = yoke_run_advance(run, stop, &r.err);
    if (r.status == YOKE_OK)
        r.status = yoke_run_value(run, "q.x", &r.x, &r.err);
    if (r.status == YOKE_OK)
        r.status = yoke_run_value(run, "q.z", &r.z, &r.err);
    if (run) yoke_run_close(run, NULL);
    yoke_file_free(file);
    return r;
}

static ran run(const char *fmu, const char *parameters, const char *output,
               const char *more, double stop)
{
    char text[1000];

    snprintf(text, sizeof text,
             "yoke: 1\nsubsystems:\n"
             "  p: {fmu: %s.fmu, parameters: {%s}%s}\n"
             "  q: {linear: {x: [x, z], A: [[-10, 0], [0, 0]], "
             "B: [[10], [1]], u: [f], x0: [1, 0]}}\n"
             "couplings:\n  - signal: q.f = p.%s\n  - signal: p.u = q.x\n"
             "run: {stop: %g, rtol: %g}\n",
             fmu, parameters, more, output, stop, rtol);
    return run_text(text, stop);
}

static void expect(const ran *r, double x, double z)
{
    CHECK_OK(r->status, &r->err);
    CHECK_NEAR(r->x, x, 10.0 * rtol * fmax(1.0, fabs(x)));
    CHECK_NEAR(r->z, z, 10.0 * rtol * fmax(1.0, fabs(z)));
}

static void expect_refusal(const ran *r, const char *word)
{
    if (r->status == YOKE_OK || !strstr(r->err.text, word) ||
        !strstr(r->err.text, "\"p\""))
        print_error("%d: %s\n", (int)r->status, r->err.text);
    assert_true(r->status != YOKE_OK);
    assert_non_null(strstr(r->err.text, word));
    assert_non_null(strstr(r->err.text, "\"p\""));
}

/* ---- a period of its own -------------------------------------------------- */

/* y = g x at 0, h, ..., held. */
static void sampled(double g, double h, double stop, double *x, double *z)
{
    *x = 1.0;
    *z = 0.0;
    for (int k = 0; k * h < stop - 1e-12; k++) {
        const double y = g * *x, length = fmin(h, stop - k * h);

        *z += y * length;
        *x = y + (*x - y) * exp(-10.0 * length);
    }
}

static void check_sampled(const char *fmu, const char *more, double h,
                          double stop)
{
    char parameters[100];
    double x = 0.0, z = 0.0;

    snprintf(parameters, sizeof parameters, "mode: 0, g: -2, h: %.17g", h);
    sampled(-2.0, h, stop, &x, &z);
    const ran r = run(fmu, parameters, "y", more, stop);
    expect(&r, x, z);
}

static void inputs_that_are_sampled(void **unused)
{
    (void)unused;
    check_sampled("nasty", "", 0.01, 1.0);
    check_sampled("nasty", "", 0.1, 1.0);
    check_sampled("nasty", "", 1.0 / 60.0, 1.0);
    check_sampled("nasty_direct", "", 0.0123456789, 1.0);
}

/* The same, and it cannot be copied. */
static void sampled_and_run_from_the_start(void **unused)
{
    (void)unused;
    check_sampled("nasty", ", replay: true", 0.01, 0.2);
    check_sampled("nasty_threads", "", 0.02, 0.1);
    check_sampled("nasty", ", isolate: none", 0.01, 0.2);
}

/* It acts in the first step that begins behind the instant. */
static void sampled_where_a_step_begins(void **unused)
{
    static const double h[] = { 0.1, 0.137, 0.0123456789 };

    (void)unused;
    for (int k = 0; k < 3; k++) {
        char values[100];
        double x = 0.0, z = 0.0;

        snprintf(values, sizeof values, "mode: 14, g: -2, h: %.17g", h[k]);
        sampled(-2.0, h[k], 1.0, &x, &z);
        const ran r = run("nasty", values, "y", "", 1.0);
        expect(&r, x, z);
    }
}

static void euler_steps_of_its_own(void **unused)
{
    const double e = exp(-0.1);
    double x = 1.0, y = 0.0, z = 0.0;

    (void)unused;
    for (int k = 0; k < 100; k++) {
        z += 0.01 * y;
        x = y + (x - y) * e;
        y += 0.1 * (2.0 * x - y);
    }
    const ran r = run("nasty", "mode: 1, g: 2", "y", "", 1.0);
    expect(&r, x, z);
}

/* Inputs of an event are those of its instant, and no step passes over it. */
static void sampled_in_event_mode(void **unused)
{
    static const char *const fmu[] = { "sampler", "sampler_early" };
    double x = 0.0, z = 0.0;

    (void)unused;
    sampled(-2.0, 0.01, 1.0, &x, &z);
    for (int k = 0; k < 2; k++) {
        const ran r = run(fmu[k], "g: -2, h: 0.01", "y", "", 1.0);
        expect(&r, x, z);
    }
}

/* ---- several parts at one instant ----------------------------------------- */

/* y = g u at d, d + h, ..., u the output of the one before, the first of x and
 * `back` times the output of the last. */
typedef struct sampler {
    int mode;
    double g, h, d, y;
    int n;
} sampler;

/* Each sees what those before it give at the same instant; a loop is solved. */
static void act(sampler *p, int count, double t, double x, double back)
{
    for (int round = 0; round < 60; round++)
        for (int i = 0; i < count; i++) {
            const double u = i > 0 ? p[i - 1].y : x + back * p[count - 1].y;

            if (p[i].d + p[i].n * p[i].h <= t + 1e-9) p[i].y = p[i].g * u;
        }
    for (int i = 0; i < count; i++)
        if (p[i].d + p[i].n * p[i].h <= t + 1e-9) p[i].n++;
}

static void check_samplers(int count, sampler *p, double back)
{
    const double stop = 0.3;
    double x = 1.0, z = 0.0, t = 0.0;
    char text[2000];
    size_t at = 0;

    at += (size_t)snprintf(text, sizeof text, "yoke: 1\nsubsystems:\n");
    for (int i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "  p%d: {fmu: nasty.fmu, parameters: {mode: "
                               "%d, g: %g, h: %.17g, d: %g}}\n",
                               i, p[i].mode, p[i].g, p[i].h, p[i].d);
    at += (size_t)snprintf(
        text + at, sizeof text - at,
        "  q: {linear: {x: [x, z], A: [[-10, 0], [0, 0]], "
        "B: [[10], [1]], u: [f], x0: [1, 0]}}\ncouplings:\n"
        "  - signal: q.f = p%d.y\n  - signal: p0.u = q.x + %g * p%d.y\n",
        count - 1, back, count - 1);
    for (int i = 1; i < count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "  - signal: p%d.u = p%d.y\n", i, i - 1);
    snprintf(text + at, sizeof text - at, "run: {stop: %g, rtol: %g}\n", stop,
             rtol);
    while (t < stop - 1e-9) {
        double next = stop;
        act(p, count, t, x, back);
        for (int i = 0; i < count; i++)
            next = fmin(next, p[i].d + p[i].n * p[i].h);
        const double y = p[count - 1].y;
        z += y * (next - t);
        x = y + (x - y) * exp(-10.0 * (next - t));
        t = next;
    }
    const ran r = run_text(text, stop);
    expect(&r, x, z);
}

static void one_sees_what_the_other_gives(void **unused)
{
    (void)unused;
    check_samplers(
        2, (sampler[]){ { 0, 1, 0.01, 0, 0, 0 }, { 0, -2, 0.01, 0, 0, 0 } },
        0.0);
    check_samplers(
        2, (sampler[]){ { 14, 1, 0.01, 0, 0, 0 }, { 0, -2, 0.01, 0, 0, 0 } },
        0.0);
    check_samplers(2,
                   (sampler[]){ { 0, 1, 0.0123456789, 0, 0, 0 },
                                { 0, -2, 0.0123456789, 0, 0, 0 } },
                   0.0);
}

static void three_and_two_periods(void **unused)
{
    (void)unused;
    check_samplers(3,
                   (sampler[]){ { 0, 1, 0.01, 0, 0, 0 },
                                { 0, -2, 0.01, 0, 0, 0 },
                                { 0, 1.5, 0.01, 0, 0, 0 } },
                   0.0);
    check_samplers(
        2, (sampler[]){ { 0, 1, 0.02, 0, 0, 0 }, { 0, -2, 0.01, 0, 0, 0 } },
        0.0);
    check_samplers(
        2, (sampler[]){ { 0, 1, 0.01, 0, 0, 0 }, { 0, -2, 0.02, 0, 0, 0 } },
        0.0);
    check_samplers(2,
                   (sampler[]){ { 0, 1, 0.01, 0.0031, 0, 0 },
                                { 0, -2, 0.01, 0.0031, 0, 0 } },
                   0.0);
    check_samplers(
        2, (sampler[]){ { 0, 1, 0.01, 0, 0, 0 }, { 0, -2, 0.01, 0.003, 0, 0 } },
        0.0);
}

/* Each reads the other: p0 = x + 0.3 p1, p1 = -2 p0. */
static void a_loop_of_samplers(void **unused)
{
    (void)unused;
    check_samplers(
        2, (sampler[]){ { 0, 1, 0.02, 0, 0, 0 }, { 0, -2, 0.02, 0, 0, 0 } },
        0.3);
}

/* The steps that are spent are those of a loop, and the message says so. */
static void a_loop_of_samplers_that_grows(void **unused)
{
    const ran r = run_text(
        "yoke: 1\nsubsystems:\n"
        "  p: {fmu: nasty.fmu, parameters: {mode: 0, g: -1.5, h: 0.1}}\n"
        "  r: {fmu: nasty.fmu, parameters: {mode: 0, g: -1.5, h: 0.1}}\n"
        "  q: {linear: {x: [x], A: [[-10]], B: [[10]], u: [f], x0: [1]}}\n"
        "couplings:\n  - signal: r.u = p.y\n  - signal: p.u = r.y + q.x\n"
        "  - signal: q.f = p.y\nrun: {stop: 1, rtol: 1e-5}\n",
        1.0);

    (void)unused;
    assert_int_not_equal(r.status, YOKE_OK);
    CHECK_CONTAINS(r.err.text, "comes no farther than t = 0.09");
    CHECK_CONTAINS(r.err.text, "it does not contract");
}

/* ---- jumps ---------------------------------------------------------------- */

static void jump_of_what_cannot_be_copied(void **unused)
{
    const double rest = 0.5 - 0.2321;
    const double x = 1.0 - exp(-10.0 * rest) + exp(-5.0);

    (void)unused;
    const ran r =
        run("nasty", "mode: 16, g: 0, h: 0.2321", "y", ", replay: true", 0.5);
    expect(&r, x, rest);
    const ran s =
        run("nasty_threads", "mode: 16, g: 0, h: 0.2321", "y", "", 0.5);
    expect(&s, x, rest);
}

static void instants_that_are_too_many(void **unused)
{
    const ran r = run("nasty", "mode: 3, g: -2, h: 2e-5", "y", "", 1.0);

    (void)unused;
    expect_refusal(&r, "comes no farther than t =");
}

/* Nor does it tell that outputs bend, at h. */
static void outputs_that_bend(void **unused)
{
    const double h = 0.4321, e = exp(-10.0 * h), r = 1.0 - h;
    const double at = 0.1 + (0.9 - h) * e; /* x' = 10 (|t - h| - x) */
    const double x = r - 0.1 + (at + 0.1) * exp(-10.0 * r);

    (void)unused;
    const ran a = run("nasty", "mode: 17, h: 0.4321", "y", "", 1.0);
    expect(&a, x, 0.5 * (h * h + r * r));
}

/* ---- outputs -------------------------------------------------------------- */

static void outputs_of_the_last_step(void **unused)
{
    (void)unused;
    const ran r = run("nasty", "mode: 2, g: 0.5", "y", "", 1.0);
    expect(&r, exp(-5.0), 0.1 * (1.0 - exp(-5.0)));
}

/* 0.1 p' = x - p, y = p + d x: x and z at 1. */
static void lag(double d, double *x, double *z)
{
    enum { STEPS = 2000 };
    double p = 0.0;
    const double h = 1.0 / STEPS;

    *x = 1.0;
    *z = 0.0;
    for (int i = 0; i < STEPS; i++) { /* exp(A h) by its series */
        double sum[3] = { p, *x, *z };
        double term[3] = { p, *x, *z };
        for (int k = 1; k <= 6; k++) {
            const double y = term[0] + d * term[1];
            const double next[3] = { 10.0 * (term[1] - term[0]),
                                     10.0 * (y - term[1]), y };
            for (int c = 0; c < 3; c++) {
                term[c] = next[c] * h / k;
                sum[c] += term[c];
            }
        }
        p = sum[0];
        *x = sum[1];
        *z = sum[2];
    }
}

static void check_lag(const char *fmu, const char *parameters, double d)
{
    double x = 0.0, z = 0.0;

    lag(d, &x, &z);
    const ran r = run(fmu, parameters, "y", "", 1.0);
    expect(&r, x, z);
}

static void what_the_description_says_wrongly(void **unused)
{
    (void)unused;
    check_lag("nasty_silent", "mode: 11, d: 0.5", 0.5); /* depends on nothing */
    check_lag("nasty_huge", "mode: 9", 0.0);
    check_lag("nasty_small", "mode: 9", 0.0);
    check_lag("nasty_start", "mode: 9", 0.0);
}

static void steps_that_are_discarded(void **unused)
{
    (void)unused;
    check_lag("nasty", "mode: 7, h: 0.001", 0.0); /* long ones */
    const ran r = run("nasty", "mode: 6", "y", "", 1.0);
    expect_refusal(&r, "discard");
}

/* y = 1 - exp(-10 t), x' = 10 (x - y): every error grows with exp(10 t), which no test
 * of a window sees. */
static void errors_that_grow(void **unused)
{
    const double e = exp(-10.0);
    const ran r = run_text(
        "yoke: 1\nsubsystems:\n"
        "  p: {fmu: nasty.fmu, parameters: {mode: 7, h: 1, u: 1}, inputs: []}\n"
        "  q: {linear: {x: [x, z], A: [[10, 0], [0, 0]], B: [[-10], [1]], "
        "u: [f], x0: [0.5, 0]}}\n"
        "couplings:\n  - signal: q.f = p.y\nrun: {stop: 1, rtol: 1e-5, "
        "second: 5e6}\n",
        1.0);

    (void)unused;
    expect(&r, 1.0 - 0.5 * e, 0.9 + 0.1 * e);
}

/* k counts 0.35 h, 1.35 h, ...; nobody tells when. */
static void count_every(double h)
{
    double x = 1.0, z = 0.0, t = 0.0;
    char text[40];

    for (int k = 0; t < 1.0; k++) {
        const double to = fmin((k + 0.35) * h, 1.0);

        z += k * (to - t);
        x = k + (x - k) * exp(-10.0 * (to - t));
        t = to;
    }
    snprintf(text, sizeof text, "mode: 9, h: %.17g", h);
    const ran r = run("nasty", text, "k", "", 1.0);
    expect(&r, x, z);
}

/* Wherever in a step that is. */
static void integers_that_change(void **unused)
{
    (void)unused;
    count_every(0.05);
    for (int i = 0; i < 4; i++) count_every(0.7 + 0.002 * i);
}

/* It acts where its input is above 3, and not where a mean of it is. */
static void thresholds_of_inputs(void **unused)
{
    const ran r = run_text(
        "yoke: 1\nsubsystems:\n"
        "  p: {fmu: nasty.fmu, parameters: {mode: 18, h: 3}}\n"
        "  q: {linear: {x: [x, z], A: [[0, 0], [0, 0]], B: [[1], [2]], "
        "u: [f], x0: [0, 0]}}\n"
        "couplings:\n  - signal: q.f = p.y\n  - signal: p.u = 4*sin(time)\n"
        "run: {stop: 2, rtol: 1e-7}\n",
        2.0);
    const double x = 2.0 - asin(0.75);

    (void)unused;
    CHECK_OK(r.status, &r.err);
    CHECK_NEAR(r.x, x, 1e-6);
    CHECK_NEAR(r.z, 2.0 * x, 1e-6);
}

static void outputs_that_are_no_numbers(void **unused)
{
    const ran r = run("nasty", "mode: 5", "y", "", 1.0);

    (void)unused;
    expect_refusal(&r, "is nan");
}

static void outputs_that_follow_the_clock(void **unused)
{
    const ran r = run("nasty", "mode: 4, g: 0.5", "y", "", 1.0);

    (void)unused;
    expect_refusal(&r, "gives other answers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_that_are_sampled),
        cmocka_unit_test(sampled_and_run_from_the_start),
        cmocka_unit_test(sampled_where_a_step_begins),
        cmocka_unit_test(euler_steps_of_its_own),
        cmocka_unit_test(sampled_in_event_mode),
        cmocka_unit_test(one_sees_what_the_other_gives),
        cmocka_unit_test(three_and_two_periods),
        cmocka_unit_test(a_loop_of_samplers),
        cmocka_unit_test(a_loop_of_samplers_that_grows),
        cmocka_unit_test(jump_of_what_cannot_be_copied),
        cmocka_unit_test(instants_that_are_too_many),
        cmocka_unit_test(outputs_that_bend),
        cmocka_unit_test(outputs_of_the_last_step),
        cmocka_unit_test(what_the_description_says_wrongly),
        cmocka_unit_test(steps_that_are_discarded),
        cmocka_unit_test(errors_that_grow),
        cmocka_unit_test(integers_that_change),
        cmocka_unit_test(thresholds_of_inputs),
        cmocka_unit_test(outputs_that_are_no_numbers),
        cmocka_unit_test(outputs_that_follow_the_clock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
