/* Errors that a reader amplifies (docs/methods/amplification.md): followers that are
 * steep in their input, answers within a narrow range, sums that cancel.  Each is
 * compared with its exact solution; before, they were off by up to two thousand
 * tolerances at exit status 0. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char models[] =
    "model Osc\n"
    "  parameter Real w = 1; output Real y;\n"
    "  Real p(start = 1, fixed = true), v(start = 0, fixed = true);\n"
    "equation\n  der(p) = w*v; der(v) = -w*p; y = p;\nend Osc;\n"
    "model Mass\n"
    "  input Real u; parameter Real x0 = 0;\n"
    "  output Real y(start = x0, fixed = true);\n"
    "  Real v(start = 0, fixed = true);\n"
    "equation\n  der(y) = v; der(v) = u - 2*y;\nend Mass;\n"
    "model Copy\n"
    "  input Real u; output Real y;\n"
    "equation\n  y = u;\nend Copy;\n"
    "model Follow\n"
    "  input Real u; parameter Real k = 20;\n"
    "  output Real x(start = 0, fixed = true);\n"
    "equation\n  der(x) = exp(k*(u - 1));\nend Follow;\n"
    "model Bump\n"
    "  input Real u; parameter Real k = 100; output Real y;\n"
    "equation\n  y = exp(-(k*(u - 0.613))^2);\nend Bump;\n"
    "model Sum\n"
    "  input Real u; output Real x(start = 0, fixed = true);\n"
    "equation\n  der(x) = u;\nend Sum;\n"
    "model Less\n"
    "  input Real a; input Real b; output Real y;\n"
    "  Real x(start = 0, fixed = true);\n"
    "equation\n  y = a - b; der(x) = y;\nend Less;\n";

static const char *format(const char *text, ...)
    __attribute__((format(printf, 1, 2)));

static const char *format(const char *text, ...)
{
    static char out[2000];
    va_list list;

    va_start(list, text);
    vsnprintf(out, sizeof out, text, list);
    va_end(list);
    return out;
}

/* What a run looks like at each accepted window's end, and how it ended. */
typedef struct judged {
    double (*exact)(double t, const double *given);
    const double *given;
    const char *name; /* of the variable */
    yoke_run *run;
    double worst, size; /* largest error, and value */
    double t;
    int restarts;
} judged;

static bool on_window(void *context, double t, const yoke_iterate_result *r)
{
    judged *j = context;
    const char *const *name = NULL;
    const double *value = NULL;
    const int count = yoke_run_variables(j->run, &name, &value);

    (void)r;
    if (t < j->t) {
        j->restarts++;
        j->worst = j->size = 0.0;
    }
    j->t = t;
    for (int k = 0; k < count; k++) {
        if (strcmp(name[k], j->name) != 0) continue;
        const double exact = j->exact(t, j->given);
        j->size = fmax(j->size, fabs(exact));
        j->worst = fmax(j->worst, fabs(value[k] - exact));
    }
    return false;
}

static yoke_file *open_text(const char *text)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    write_file("amplified.mo", models);
    CHECK_OK(yoke_file_parse(&file, in_scratch("amplified.yaml"), text,
                             strlen(text), NULL, &err),
             &err);
    return file;
}

/* Solves the text and returns the error of the variable in tolerances. */
static double off(const char *text, judged *j)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = open_text(text);
    const yoke_watcher watcher = { .window = on_window, .context = j };
    const yoke_run_options *o = yoke_file_run_options(file);

    j->t = j->worst = j->size = 0.0;
    j->restarts = 0;
    CHECK_OK(yoke_run_create(&j->run, yoke_file_model(file), o, &watcher, &err),
             &err);
    CHECK_OK(yoke_run_advance(j->run, o->stop, &err), &err);
    CHECK_OK(yoke_run_close(j->run, &err), &err);
    assert_true(j->size > 0.0);
    const double result =
        j->worst / (o->iterate.atol + o->iterate.rtol * j->size);
    yoke_file_free(file);
    return result;
}

#define PART(name, kind) "  " name ": {model: amplified.mo, class: " kind "}\n"
#define GIVEN(name, kind, given)                                               \
    "  " name ": {model: amplified.mo, class: " kind ", parameters: {" given   \
    "}}\n"
#define HEAD                                                                   \
    "yoke: 1\nrun: {stop: %g, rtol: %g, cluster: %s, second: "                 \
    "0}\nsubsystems:\n"

static const double rtols[] = { 1e-4, 1e-6, 1e-8 };
static const char *const clusters[] = { "auto", "none" };

/* ---- Followers ------------------------------------------------------------ */

/* The integral of exp(k (y(s) - 1)) up to t, by Gauss's rule with five points on
 * `parts` pieces. */
static double integral(double (*y)(double s), double k, double t, int parts)
{
    static const double at[] = { 0.0, 0.5384693101056831, 0.9061798459386640 };
    static const double weight[] = { 0.5688888888888889, 0.4786286704993665,
                                     0.2369268850561891 };
    const double h = t / parts;
    double sum = 0.0;

    for (int i = 0; i < parts; i++)
        for (int g = -2; g <= 2; g++) {
            const double place = g < 0 ? -at[-g] : at[g];
            const double s = h * (i + 0.5 + 0.5 * place);
            sum += 0.5 * h * weight[abs(g)] * exp(k * (y(s) - 1.0));
        }
    return sum;
}

static double follower(double t, const double *k)
{
    return integral(cos, *k, t, 6000);
}

static void steep_followers(void **state)
{
    static const double ks[] = { 20.0, 200.0, 3000.0 };

    (void)state;
    for (int c = 0; c < 12 * 3; c++) {
        const double k = ks[c % 3], rtol = rtols[c / 3 % 3];
        const bool chain = c / 18 > 0;
        judged j = { .exact = follower, .given = &k, .name = "a.x" };
        const double error = off(
            format(HEAD GIVEN("a", "Follow", "k: %g") PART("o", "Osc")
                       PART("c", "Copy") "couplings:\n  - signal: a.u = %s\n"
                                         "  - signal: c.u = o.y\n",
                   40.0, rtol, clusters[c / 9 % 2], k, chain ? "c.y" : "o.y"),
            &j);
        if (error > 10.0)
            fail_msg("k %g, rtol %g, %s: off by %.3g tolerances", k, rtol,
                     clusters[c / 9 % 2], error);
        if (k > 100.0) assert_true(j.restarts > 0);
    }
}

/* ---- Narrow answers ------------------------------------------------------- */

static double bump(double t, const double *k)
{
    return exp(-pow(*k * (cos(t) - 0.613), 2.0));
}

static void narrow_answers(void **state)
{
    static const double ks[] = { 30.0, 300.0, 3000.0 };

    (void)state;
    for (int c = 0; c < 18; c++) {
        const double k = ks[c % 3], rtol = rtols[c / 3 % 3];
        judged j = { .exact = bump, .given = &k, .name = "b.y" };
        const double error = off(
            format("yoke: 1\nrun: {stop: 12, rtol: %g, cluster: %s, second: 0, "
                   "window: 13 ms}\nsubsystems:\n" GIVEN("b", "Bump", "k: %g")
                       PART("o", "Osc") "couplings:\n  - signal: b.u = o.y\n",
                   rtol, clusters[c / 9], k),
            &j);
        if (error > 10.0)
            fail_msg("k %g, rtol %g: off by %.3g tolerances", k, rtol, error);
    }
}

/* ---- Sums that cancel ----------------------------------------------------- */

static double difference(double t, const double *w)
{
    return sin(t) - sin(*w * t) / *w;
}

static void sums_that_cancel(void **state)
{
    const double w = 1.0001;

    (void)state;
    for (int c = 0; c < 12; c++) {
        const bool inside = c / 6 > 0;
        judged j = { .exact = difference, .given = &w, .name = "s.x" };
        const double error =
            off(format(HEAD PART("a", "Osc")
                           GIVEN("b", "Osc", "w: %.6f") "%s"
                                                        "couplings:\n%s",
                       20.0, rtols[c % 3], clusters[c / 3 % 2], w,
                       inside ? PART("s", "Less") : PART("s", "Sum"),
                       inside ? "  - signal: s.a = a.y\n  - signal: s.b = b.y\n"
                              : "  - signal: s.u = a.y - b.y\n"),
                &j);
        if (error > 10.0)
            fail_msg("rtol %g, %s: off by %.3g tolerances", rtols[c % 3],
                     inside ? "inside" : "by a signal", error);
    }
}

/* ---- What feeds it is a loop ---------------------------------------------- */

/* The first of two masses. */
static double mass(double t)
{
    return 0.5 * (cos(t) + cos(sqrt(3.0) * t));
}

static double behind_a_loop(double t, const double *k)
{
    return integral(mass, *k, t, 3000);
}

static void a_follower_of_a_loop(void **state)
{
    const double k = 300.0;

    (void)state;
    for (int c = 0; c < 6; c++) {
        judged j = { .exact = behind_a_loop, .given = &k, .name = "a.x" };
        const double error =
            off(format(HEAD GIVEN("m", "Mass", "x0: 1") PART("n", "Mass")
                           GIVEN("a", "Follow",
                                 "k: %g") "couplings:\n  - signal: m.u = n.y\n"
                                          "  - signal: n.u = m.y\n"
                                          "  - signal: a.u = m.y\n",
                       12.0, rtols[c % 3], clusters[c / 3], k),
                &j);
        if (error > 10.0)
            fail_msg("rtol %g, %s: off by %.3g tolerances", rtols[c % 3],
                     clusters[c / 3], error);
        assert_true(j.restarts > 0);
    }
}

/* ---- What cannot be repaired is told -------------------------------------- */

static bool told(yoke_run *run, const char *what)
{
    const char *text = NULL;

    for (int i = 0; yoke_run_uncertain(run, i, &text); i++)
        if (strstr(text, what)) return true;
    return false;
}

static void too_steep_is_told(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_run *run = NULL;

    (void)state;
    yoke_file *file = open_text(
        format(HEAD GIVEN("a", "Follow", "k: 1e6")
                   PART("o", "Osc") "couplings:\n  - signal: a.u = o.y\n",
               7.0, 1e-8, "auto"));
    const yoke_run_options *o = yoke_file_run_options(file);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, 7.0, &err), &err);
    assert_true(told(run, "\"x\" of a amplifies errors of its inputs"));
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_file_free(file);
}

static bool sharpened(const yoke_run *run)
{
    yoke_ladder_step step;

    for (int i = 0; yoke_run_step(run, i, &step); i++)
        if (strcmp(step.rung, "tolerance") == 0) return true;
    return false;
}

/* Who has seen a part of the run is not surprised by another one. */
static void a_run_in_pieces_does_not_begin_again(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_run *run = NULL;

    (void)state;
    yoke_file *file = open_text(
        format(HEAD GIVEN("a", "Follow", "k: 200")
                   PART("o", "Osc") "couplings:\n  - signal: a.u = o.y\n",
               7.0, 1e-6, "auto"));
    const yoke_run_options *o = yoke_file_run_options(file);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, 3.0, &err), &err);
    CHECK_OK(yoke_run_advance(run, 7.0, &err), &err);
    assert_false(sharpened(run));
    assert_true(told(run, "amplifies errors of its inputs"));
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_file_free(file);
}

/* ---- Measures of a run that begins again ---------------------------------- */

typedef struct measuring {
    yoke_file *file;
    yoke_run *run;
    yoke_err err;
} measuring;

static bool measure_window(void *context, double t,
                           const yoke_iterate_result *r)
{
    measuring *m = context;

    (void)t;
    (void)r;
    return yoke_file_measure_window(m->file, m->run, &m->err) != YOKE_OK;
}

static void measures_are_those_of_the_last_run(void **state)
{
    measuring m = { .run = NULL };
    yoke_measured mean;
    const yoke_watcher watcher = { .window = measure_window, .context = &m };
    const double k = 300.0;
    double exact = 0.0;

    (void)state;
    m.file = open_text(
        format(HEAD GIVEN("a", "Follow", "k: %g")
                   PART("o", "Osc") "couplings:\n  - signal: a.u = o.y\n"
                                    "measure:\n  middle: mean(a.x)\n",
               7.0, 1e-5, "auto", k));
    CHECK_OK(yoke_run_create(&m.run, yoke_file_model(m.file),
                             yoke_file_run_options(m.file), &watcher, &m.err),
             &m.err);
    CHECK_OK(yoke_file_measure_begin(m.file, m.run, &m.err), &m.err);
    CHECK_OK(yoke_run_advance(m.run, 7.0, &m.err), &m.err);
    CHECK_OK(yoke_file_measure(m.file, &m.err), &m.err);
    assert_true(yoke_file_measured(m.file, 0, &mean));
    for (int i = 0; i < 400; i++)
        exact += follower(7.0 * (i + 0.5) / 400, &k) / 400.0;
    CHECK_NEAR(mean.value, exact, 1e-3 * exact);
    assert_true(sharpened(m.run));
    CHECK_OK(yoke_run_close(m.run, &m.err), &m.err);
    yoke_file_free(m.file);
}

/* ---- Outputs that magnify small unknowns --------------------------------- */

static double lagging(double t, const double *given)
{
    (void)given;
    return (cos(3.0 * t) + 3.0 * sin(3.0 * t) - exp(-t)) / 10.0;
}

/* y = 1e9 x with x below its atol: errors of steps must be seen in y. */
static void magnified_unknowns(void **state)
{
    (void)state;
    for (int c = 0; c < 6; c++) {
        const double rtol = rtols[c % 3];
        judged j = { .exact = lagging, .name = "b.y1" };
        const double error = off(
            format("yoke: 1\nrun: {stop: 5, rtol: %g, cluster: %s, second: 0}\n"
                   "subsystems:\n"
                   "  a: {linear: {A: [[0,1],[-9,0]], H: [[1,0]], "
                   "x0: [1,0]}}\n"
                   "  b: {linear: {A: -1, B: 1e-9, H: 1e9, x0: 0}}\n"
                   "couplings:\n  - signal: b.u1 = a.y1\n",
                   rtol, clusters[c / 3]),
            &j);
        if (error > 10.0)
            fail_msg("rtol %g, %s: off by %.3g tolerances", rtol,
                     clusters[c / 3], error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(magnified_unknowns),
        cmocka_unit_test(steep_followers),
        cmocka_unit_test(narrow_answers),
        cmocka_unit_test(sums_that_cancel),
        cmocka_unit_test(a_follower_of_a_loop),
        cmocka_unit_test(too_steep_is_told),
        cmocka_unit_test(a_run_in_pieces_does_not_begin_again),
        cmocka_unit_test(measures_are_those_of_the_last_run),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
