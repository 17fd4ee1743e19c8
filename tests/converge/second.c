/* Errors that add up or grow by the motion of the system itself
 * (docs/methods/second.md).  Each result is compared with its exact solution; the
 * same run without a second solution is off by more than ten tolerances. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char models[] =
    "model Unstable\n"
    "  output Real x(start = 1, fixed = true); parameter Real w = 3;\n"
    "equation\n  der(x) = 1.5*(x - cos(w*time)) - w*sin(w*time);\n"
    "end Unstable;\n"
    "model Osc\n"
    "  parameter Real w = 1; output Real c, s;\n"
    "  Real p(start = 1, fixed = true), v(start = 0, fixed = true);\n"
    "equation\n  der(p) = w*v; der(v) = -w*p; c = p; s = v;\nend Osc;\n"
    "model Back\n"
    "  input Real u; output Real c;\n"
    "  Real p(start = 1, fixed = true), v(start = 0, fixed = true);\n"
    "equation\n  der(p) = v + u; der(v) = -p; c = p;\nend Back;\n"
    "model Drift\n"
    "  input Real u; Real x(start = 0, fixed = true);\n"
    "  output Real y(start = 0, fixed = true);\n"
    "equation\n  der(x) = u^2 - 0.5; der(y) = x;\nend Drift;\n"
    "model Ninth\n"
    "  input Real u; output Real y;\nequation\n  y = u^9;\nend Ninth;\n"
    "model Sum\n"
    "  input Real u; output Real y(start = 0, fixed = true);\n"
    "equation\n  der(y) = u;\nend Sum;\n"
    "model Lorenz\n"
    "  Real x(start = 1, fixed = true), y(start = 1, fixed = true),\n"
    "    z(start = 1, fixed = true);\n"
    "equation\n  der(x) = 10*(y - x); der(y) = x*(28 - z) - y;\n"
    "  der(z) = x*y - 8/3*z;\nend Lorenz;\n"
    "model Steep\n"
    "  Real p(start = 0, fixed = true), v(start = 1, fixed = true);\n"
    "  Real x(start = 0, fixed = true);\n"
    "equation\n  der(p) = 4*v; der(v) = -4*p;\n"
    "  der(x) = (tanh(1e6*(p - 0.7)) - x)/0.001;\nend Steep;\n"
    "model Relay\n"
    "  Real x(start = 0, fixed = true); discrete Real on(start = 1);\n"
    "equation\n  der(x) = 3*on - 1 - x;\n"
    "  when {x > 1, x < 0.5} then on = if x > 0.75 then 0 else 1; end when;\n"
    "end Relay;\n";

/* One run, and how far it is off. */
typedef struct judged {
    double (*exact)(double t);
    const char *name; /* of the variable */
    yoke_run *run;
    double worst, size, t;
} judged;

static bool on_window(void *context, double t, const yoke_iterate_result *r)
{
    judged *j = context;
    double value = 0.0;

    (void)r;
    if (t < j->t) j->worst = j->size = 0.0; /* it begins again */
    j->t = t;
    if (yoke_run_value(j->run, j->name, &value, NULL) != YOKE_OK) return true;
    j->size = fmax(j->size, fabs(j->exact(t)));
    j->worst = fmax(j->worst, fabs(value - j->exact(t)));
    return false;
}

static yoke_file *open_text(const char *text)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    write_file("second.mo", models);
    CHECK_OK(yoke_file_parse(&file, in_scratch("second.yaml"), text,
                             strlen(text), NULL, &err),
             &err);
    return file;
}

/* Runs the text; the run is left open. */
static yoke_file *solve(const char *text, judged *j)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = open_text(text);
    const yoke_watcher watcher = { .window = j->exact ? on_window : NULL,
                                   .context = j };
    const yoke_run_options *o = yoke_file_run_options(file);

    CHECK_OK(yoke_run_create(&j->run, yoke_file_model(file), o, &watcher, &err),
             &err);
    CHECK_OK(yoke_run_advance(j->run, o->stop, &err), &err);
    return file;
}

/* In tolerances. */
static double off(const char *text, double (*exact)(double t), const char *name)
{
    judged j = { .exact = exact, .name = name };
    yoke_file *file = solve(text, &j);
    const yoke_iterate_options *o = &yoke_file_run_options(file)->iterate;
    const double result = j.worst / (o->atol + o->rtol * j.size);

    yoke_run_close(j.run, NULL);
    yoke_file_free(file);
    return result;
}

/* ---- Families -------------------------------------------------------------- */

static double unstable(double t)
{
    return cos(3.0 * t);
}

static double drift(double t)
{
    return (1.0 - cos(2.0 * t)) / 8.0;
}

/* The integral of cos^81: of cos^n, c_n = sin cos^(n-1) / n + (n - 1)/n c_(n-2). */
static double chain(double t)
{
    double sum = sin(t);

    for (int n = 3; n <= 81; n += 2)
        sum = sin(t) * pow(cos(t), n - 1) / n + (n - 1.0) / n * sum;
    return sum;
}

static double turned(double t)
{
    return cos(97.0 * t);
}

#define PART(name, kind) "  " name ": {model: second.mo, class: " kind "}\n"

static const struct {
    const char *text, *name;
    double (*exact)(double t);
    double stop;
} family[] = {
    { PART("a", "Unstable"), "a.x", unstable, 8.0 },
    { PART("o", "Osc") PART("d", "Drift") "couplings:\n  - signal: d.u = o.c\n",
      "d.y", drift, 40.0 },
    { PART("o", "Back") PART("a", "Ninth") PART("b", "Ninth")
          PART("s", "Sum") "couplings:\n  - signal: a.u = o.c\n"
                           "  - signal: b.u = a.y\n  - signal: s.u = b.y\n"
                           "  - signal: o.u = 1e-15*s.y\n",
      "s.y", chain, 100.0 },
    { "  o: {model: second.mo, class: Osc, parameters: {w: 97}}\n", "o.p",
      turned, 100.0 },
};

static const char *text_of(int k, double rtol, double second)
{
    static char out[2000];

    snprintf(out, sizeof out,
             "yoke: 1\nrun: {stop: %g, rtol: %g, second: %g}\nsubsystems:\n%s",
             family[k].stop, rtol, second, family[k].text);
    return out;
}

static void what_adds_up_is_repaired(void **state)
{
    static const double rtols[] = { 1e-3, 1e-4, 1e-6 };

    (void)state;
    for (int k = 0; k < (int)(sizeof family / sizeof *family); k++) {
        double before = 0.0;
        for (int r = 0; r < 3; r++) {
            before = fmax(before, off(text_of(k, rtols[r], 0.0),
                                      family[k].exact, family[k].name));
            const double error =
                off(text_of(k, rtols[r], 5e6), family[k].exact, family[k].name);
            if (error > 10.0)
                fail_msg("%s, rtol %g: off by %.3g tolerances", family[k].name,
                         rtols[r], error);
        }
        if (before <= 10.0)
            fail_msg("%s was never off: %.3g tolerances", family[k].name,
                     before);
    }
}

/* ---- What it says ---------------------------------------------------------- */

static bool is_told(yoke_run *run, const char *what)
{
    const char *text = NULL;

    for (int i = 0; yoke_run_uncertain(run, i, &text); i++)
        if (strstr(text, what)) return true;
    return false;
}

static yoke_second second_of(const char *text, const char *what, bool expected)
{
    judged j = { .exact = NULL };
    yoke_second s = { .made = false };
    yoke_file *file = solve(text, &j);

    const bool any = yoke_run_second(j.run, &s);
    assert_int_equal(is_told(j.run, what), expected);
    s.name = s.failed = any && s.failed[0] ? "none" : "";
    yoke_run_close(j.run, NULL);
    yoke_file_free(file);
    return s;
}

#define RUN(options) "yoke: 1\nrun: {" options "}\nsubsystems:\n"

static void chaos_is_told(void **state)
{
    (void)state;
    const yoke_second s =
        second_of(RUN("stop: 60, rtol: 1e-6, second: 1e6") PART("a", "Lorenz"),
                  "a second solution", true);
    assert_true(s.made && s.apart > 10.0);
}

static void jumps_are_no_difference(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 RUN("stop: %g, rtol: 1e-3, second: 1e6") PART("a", "Relay"),
                 50.0 + 7.0 * k);
        const yoke_second s = second_of(text, "a second solution", false);
        assert_true(s.made && s.apart <= 10.0);
    }
}

/* x goes from one side to the other in a hundredth of the run. */
static void what_lasts_for_a_short_time_counts(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 RUN("stop: %g, rtol: 1e-3, second: 1e6") PART("a", "Steep"),
                 3.4 + 0.1 * k);
        const yoke_second s = second_of(text, "a second solution", false);
        assert_true(s.made && s.apart <= 10.0);
        assert_true(s.part < 1.0);
    }
}

static void which_runs(void **state)
{
    (void)state;
    yoke_second s =
        second_of(RUN("stop: 1, second: 1e6") PART("a", "Lorenz"), "?", false);
    assert_true(s.made);
    assert_true(s.part == 1.0);
    s = second_of(RUN("stop: 1, second: 100") PART("a", "Lorenz"), "?", false);
    assert_false(s.made);
    assert_string_equal(s.failed, "none");
    s = second_of(RUN("stop: 1, spot: 0, second: 1e6") PART("a", "Lorenz"), "?",
                  false);
    assert_false(s.made);
    s = second_of(
        RUN("stop: 1, second: 1e6") "  a: {model: second.mo, class: Lorenz, "
                                    "stepper: rk4, step: 1e-3}\n",
        "?", false);
    assert_false(s.made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_adds_up_is_repaired),
        cmocka_unit_test(chaos_is_told),
        cmocka_unit_test(jumps_are_no_difference),
        cmocka_unit_test(what_lasts_for_a_short_time_counts),
        cmocka_unit_test(which_runs),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
