/* file/open_test.c -- inputs of a whole system, set while it runs. */
#include "check.h"

#include "base/base.h"
#include "yoke/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIECES = 36 };

/* x' = -x + u and, read by another one, z' = -2 z + x. */
static const char chain[] = "yoke: 1\n"
                            "run: {stop: 2, rtol: 1e-8, atol: 1e-10%s}\n"
                            "inputs: {u: {start: 1}}\n"
                            "subsystems:\n"
                            "  a: {linear: {A: -1, B: 1, x: x, u: u}}\n"
                            "  b: {linear: {A: -2, B: 1, x: z, u: w}}\n"
                            "couplings:\n"
                            "  - signal: a.u = inputs.u + 0*b.z\n"
                            "  - signal: b.w = a.x\n";

typedef struct open {
    yoke_file *file;
    yoke_run *run;
    double t;
} open;

static void begin(open *o, const char *text, const char *more)
{
    char whole[2000];
    yoke_err err;

    *o = (open){ .t = 0.0 };
    snprintf(whole, sizeof whole, text, more);
    CHECK_OK(yoke_file_parse(&o->file, "open.yaml", whole, strlen(whole), NULL,
                             &err),
             &err);
    CHECK_OK(yoke_run_create(&o->run, yoke_file_model(o->file),
                             yoke_file_run_options(o->file), NULL, &err),
             &err);
}

static void end(open *o)
{
    CHECK_OK(yoke_run_close(o->run, NULL), NULL);
    yoke_file_free(o->file);
}

static double value(const open *o, const char *name)
{
    double out = NAN;
    yoke_err err;

    CHECK_OK(yoke_run_value(o->run, name, &out, &err), &err);
    return out;
}

static void go(open *o, double t)
{
    yoke_err err;

    CHECK_OK(yoke_run_advance(o->run, t, &err), &err);
    o->t = t;
}

static double next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

/* Solutions of x' = -x + c0 + c1 s + c2 s^2 + c3 s^3: the particular polynomial
 * has p_j + (j + 1) p_(j+1) = c_j.  And of z' = -2 z + x. */
static void exact(double *x, double *z, const double c[4], double h)
{
    double p[5] = { 0.0 }, q[5] = { 0.0 }, at = 0.0, also = 0.0;

    for (int j = 3; j >= 0; j--) p[j] = c[j] - (j + 1) * p[j + 1];
    for (int j = 3; j >= 0; j--) q[j] = (p[j] - (j + 1) * q[j + 1]) / 2.0;
    const double free = *x - p[0];         /* of exp(-s) */
    const double other = *z - q[0] - free; /* of exp(-2 s) */
    for (int j = 3; j >= 0; j--) {
        at = at * h + p[j];
        also = also * h + q[j];
    }
    *x = at + free * exp(-h);
    *z = also + free * exp(-h) + other * exp(-2.0 * h);
}

/* Jumps at every step, with derivatives up to `order`. */
static void follow(const char *more, int order)
{
    open o;
    double x = 0.0, z = 0.0;
    unsigned seed = 7;
    yoke_err err;

    begin(&o, chain, more);
    for (int k = 0; k < PIECES; k++) {
        const double h = k % 3 == 0 ? 0.08 : 0.035;
        double d[4] = { 0.0 }, c[4];
        for (int j = 0; j <= order; j++) d[j] = 3.0 * next(&seed);
        for (int j = 0; j < 4; j++)
            c[j] = d[j] / (j < 2 ? 1.0 : j < 3 ? 2. : 6.);
        CHECK_OK(yoke_file_set_input(o.file, 0, o.t, order + 1, d, &err), &err);
        go(&o, o.t + h);
        exact(&x, &z, c, h);
        CHECK_NEAR(value(&o, "a.x"), x, 2e-7);
        CHECK_NEAR(value(&o, "b.z"), z, 2e-7);
    }
    end(&o);
}

static void inputs_are_followed_by_subsystems_apart(void **state)
{
    (void)state;
    for (int order = 0; order < 4; order++) follow(", cluster: none", order);
}

static void inputs_are_followed_by_one_system(void **state)
{
    (void)state;
    for (int order = 0; order < 4; order++)
        follow(", scheme: monolithic", order);
    follow("", 1);
}

/* Windows and steps go on where an input does. */
static void what_goes_on_is_no_break(void **state)
{
    open o;
    yoke_run_result many, one;
    yoke_err err;
    (void)state;
    begin(&o, chain, ", cluster: none");
    go(&o, 2.0);
    yoke_run_summary(o.run, &one);
    end(&o);
    begin(&o, chain, ", cluster: none");
    for (int k = 1; k <= 10; k++) {
        const double same = 1.0;
        CHECK_OK(yoke_file_set_input(o.file, 0, o.t, 1, &same, &err), &err);
        go(&o, 0.2 * k);
    }
    yoke_run_summary(o.run, &many);
    assert_true(many.work.steps < 2 * one.work.steps + 20);
    end(&o);
}

/* A counter of threshold crossings: the input jumps over it. */
static const char counter[] = "yoke: 1\n"
                              "run: {stop: 3, rtol: 1e-7%s}\n"
                              "inputs: {u: 0}\n"
                              "subsystems:\n"
                              "  c: {model: counter.mo}\n"
                              "couplings:\n"
                              "  - signal: c.u = inputs.u\n";

static const char model[] = "model Counter\n"
                            "  input Real u;\n"
                            "  discrete Real n(start = 0, fixed = true);\n"
                            "  output Real y;\n"
                            "equation\n"
                            "  when u > 0.5 then n = pre(n) + 1; end when;\n"
                            "  y = n;\n"
                            "end Counter;\n";

static void jumps_of_inputs_make_events(void **state)
{
    open o;
    yoke_err err;
    int up = 0;
    FILE *f = fopen("counter.mo", "w");
    (void)state;
    assert_non_null(f);
    fputs(model, f);
    fclose(f);
    begin(&o, counter, "");
    for (int k = 0; k < 20; k++) {
        const double u = k % 4 == 1 ? 1.0 : 0.0;
        CHECK_OK(yoke_file_set_input(o.file, 0, o.t, 1, &u, &err), &err);
        go(&o, o.t + 0.1);
        up += k % 4 == 1;
        CHECK_NEAR(value(&o, "c.n"), up, 0.0);
    }
    end(&o);
    remove("counter.mo");
}

static void mistakes_are_refused(void **state)
{
    const double one[5] = { 1.0 }, bad = NAN;
    yoke_file_input in;
    open o;
    yoke_err err;
    (void)state;
    begin(&o, chain, "");
    assert_true(yoke_file_input_at(o.file, 0, &in));
    assert_string_equal(in.name, "u");
    CHECK_NEAR(in.start, 1.0, 0.0);
    assert_false(yoke_file_input_at(o.file, 1, &in));
    go(&o, 0.5);
    assert_int_equal(yoke_file_set_input(o.file, 1, 0.5, 1, one, &err),
                     YOKE_E_ARG);
    assert_int_equal(yoke_file_set_input(o.file, 0, 0.5, 5, one, &err),
                     YOKE_E_ARG);
    assert_int_equal(yoke_file_set_input(o.file, 0, 0.5, 1, &bad, &err),
                     YOKE_E_ARG);
    CHECK_OK(yoke_file_set_input(o.file, 0, 0.5, 1, one, &err), &err);
    assert_int_equal(yoke_file_set_input(o.file, 0, 0.4, 1, one, &err),
                     YOKE_E_ARG);
    CHECK_CONTAINS(err.text, "is before 0.5");
    end(&o);
}

/* Beyond the stop time of the file, and slopes where it stands. */
static void a_run_can_be_prolonged(void **state)
{
    open o;
    double slope[8] = { 0.0 };
    (void)state;
    begin(&o, chain, ", cluster: none");
    yoke_run_prolong(o.run, 10.0);
    go(&o, 5.0);
    CHECK_NEAR(yoke_run_time(o.run), 5.0, 0.0);
    CHECK_NEAR(value(&o, "a.x"), 1.0 - exp(-5.0), 1e-7);
    yoke_run_slopes(o.run, slope);
    CHECK_NEAR(slope[1], exp(-5.0), 1e-4); /* after inputs.u */
    end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_followed_by_subsystems_apart),
        cmocka_unit_test(inputs_are_followed_by_one_system),
        cmocka_unit_test(what_goes_on_is_no_break),
        cmocka_unit_test(jumps_of_inputs_make_events),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(a_run_can_be_prolonged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
