/* file/computed_test.c -- formulas of outputs in signals and constraints, with
 * kinks and relays, against exact solutions. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include "file/reader.h"

#include <math.h>

#define OSCILLATOR                                                             \
    "  b: {linear: {A: [[0, 1], [-1, 0]], x: [x, v], x0: [1, 0]}}\n"

static const double pi = 3.14159265358979323846;

static const char *const ways[][2] = {
    { NULL, NULL },        { "scheme", "jacobi" },   { "scheme", "monolithic" },
    { "cluster", "none" }, { "accelerate", "none" },
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static yoke_run *run_way(yoke_file *file, const char *const way[2])
{
    yoke_run_options o = *yoke_file_run_options(file);
    yoke_err err = { YOKE_OK, "" };
    yoke_run *run = NULL;

    if (way[0]) CHECK_OK(yoke_run_set(&o, way[0], way[1], &err), &err);
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &o, NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, o.stop, &err), &err);
    return run;
}

static long events_of(const yoke_run *run)
{
    yoke_run_result r;

    yoke_run_summary(run, &r);
    return r.work.events;
}

static void finish(yoke_run *run, yoke_file *file)
{
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* ---- signals ---------------------------------------------------------------- */

/* b.x = cos t: z' = sign(cos t) is a triangle, w' = 2 |cos t| + t. */
static void signals_may_jump_and_bend(void **state)
{
    static const char text[] =
        "yoke: 1\nrun: {stop: 20, rtol: 1e-8}\nsubsystems:\n" OSCILLATOR
        "  a: {linear: {A: 0, B: 1, u: u, x: z}}\n"
        "  c: {linear: {A: 0, B: 1, u: u, x: w}}\n"
        "couplings:\n- signal: a.u = sign(b.x)\n"
        "- signal: c.u = 2*abs(b.x) + time\n";
    const double halves = floor((20.0 + pi / 2.0) / pi);
    const double area =
        2.0 * halves + (fmod(halves, 2.0) > 0.0 ? -sin(20.0) : sin(20.0));

    (void)state;
    for (int k = 0; k < WAYS; k++) {
        yoke_file *file = parse(text);
        yoke_run *run = run_way(file, ways[k]);
        CHECK_NEAR(value_of(run, "a.z"), asin(sin(20.0)), 2e-6);
        CHECK_NEAR(value_of(run, "c.w"), 2.0 * area + 200.0, 2e-5);
        if (events_of(run) < 6) fail_msg("%ld events", events_of(run));
        finish(run, file);
    }
}

/* x'' = -|x|: a cosine up to pi / 2, then a hyperbolic sine. */
static void a_subsystem_may_drive_itself(void **state)
{
    static const char text[] =
        "yoke: 1\nrun: {stop: 4, rtol: 1e-8}\nsubsystems:\n"
        "  b: {linear: {A: [[0, 1], [0, 0]], B: [[0], [1]], x: [x, v], u: u, "
        "x0: [1, 0]}}\n"
        "couplings:\n- signal: b.u = -abs(b.x)\n";

    (void)state;
    for (int k = 0; k < WAYS; k++) {
        yoke_file *file = parse(text);
        yoke_run *run = run_way(file, ways[k]);
        CHECK_NEAR(value_of(run, "b.x"), -sinh(4.0 - pi / 2.0), 1e-5);
        assert_true(events_of(run) >= 1);
        finish(run, file);
    }
}

/* Two subsystems that drive each other by products: x' = x y, y' = -x y with
 * x + y = 3: x = 3 / (1 + 2 exp(-3 t)) from x = 1. */
static void products_of_outputs(void **state)
{
    static const char text[] =
        "yoke: 1\nrun: {stop: 1, rtol: 1e-8}\nsubsystems:\n"
        "  a: {linear: {A: 0, B: 1, x: x, u: u, x0: [1]}}\n"
        "  b: {linear: {A: 0, B: 1, x: y, u: u, x0: [2]}}\n"
        "couplings:\n- signal: [a.u = a.x*b.y, b.u = -a.x*b.y]\n";

    (void)state;
    for (int k = 0; k < WAYS; k++) {
        yoke_file *file = parse(text);
        yoke_run *run = run_way(file, ways[k]);
        CHECK_NEAR(value_of(run, "a.x"), 3.0 / (1.0 + 2.0 * exp(-3.0)), 1e-6);
        finish(run, file);
    }
}

/* z' = (t - 1)^2 for t > 1: the output is late, the time is not. */
static void delays_hold_for_the_outputs(void **state)
{
    static const char text[] =
        "yoke: 1\nrun: {stop: 3, rtol: 1e-8}\nsubsystems:\n"
        "  a: {linear: {A: 0, source: 1, x: x}}\n"
        "  b: {linear: {A: 0, B: 1, x: z, u: u}}\n"
        "couplings:\n- {signal: \"b.u = max(a.x, 0)*(time - 1)\", delay: 1, "
        "past: -1}\n";
    yoke_file *file = parse(text);
    yoke_run *run = run_file(file);

    (void)state;
    CHECK_NEAR(value_of(run, "b.z"), 8.0 / 3.0, 1e-6);
    finish(run, file);
}

/* No output at all: z' = sin t, w' = 1 for t > 0.7. */
static void signals_may_be_functions_of_time(void **state)
{
    static const char text[] =
        "yoke: 1\nrun: {stop: 3, rtol: 1e-8}\nsubsystems:\n"
        "  a: {linear: {A: 0, B: 1, x: z, u: u}}\n"
        "  b: {linear: {A: 0, B: 1, x: w, u: u}}\n"
        "couplings:\n- signal: a.u = sin(time); b.u = step(time - 0.7)\n";

    (void)state;
    for (int k = 0; k < WAYS; k++) {
        yoke_file *file = parse(text);
        yoke_run *run = run_way(file, ways[k]);
        CHECK_NEAR(value_of(run, "a.z"), 1.0 - cos(3.0), 1e-7);
        CHECK_NEAR(value_of(run, "b.w"), 2.3, 1e-9);
        finish(run, file);
    }
}

static void included_systems_have_them(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;

    (void)state;
    write_file("relay.yoke",
               "yoke: 1\nsubsystems:\n" OSCILLATOR
               "  a: {linear: {A: 0, B: 1, u: u, x: z}}\n"
               "couplings:\n- signal: a.u = if b.x > 0.5 then 1 else 0\n");
    write_file("around.yoke", "yoke: 1\nrun: {stop: 6, rtol: 1e-8}\n"
                              "subsystems:\n  s: {system: relay.yoke}\n");
    CHECK_OK(yoke_file_read(&file, in_scratch("around.yoke"), NULL, &err),
             &err);
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "s.a.z"), pi / 3.0 + 6.0 - 5.0 * pi / 3.0, 1e-6);
    assert_int_equal(events_of(run), 2);
    finish(run, file);
}

static void mistakes_in_formulas_are_refused(void **state)
{
#define HEAD                                                                   \
    "yoke: 1\nrun: {stop: 1}\nsubsystems:\n" OSCILLATOR                        \
    "  a: {linear: {A: 0, B: 1, u: u}}\ncouplings:\n"
    (void)state;
    refused(HEAD "- signal: a.u = abs(b.q)", "f:7:11: ", "no output \"q\"");
    refused(HEAD "- signal: a.u = abs(k)", "f:7:11: ", "form");
    refused(HEAD "- signal: a.u = abs(b.x, 1)", "f:7:", "one argument");
}

/* ---- constraints ------------------------------------------------------------ */

/* y = x + l follows d(t), a function of b.x = cos t: x' = -2 x + d from 0. */
static void follow(const char *function, double exact, long events)
{
    for (int k = 0; k < WAYS; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "yoke: 1\nrun: {stop: 6, rtol: 1e-8}\nsubsystems:\n" OSCILLATOR
                 "  a: {linear: {A: -1, B: 1, H: 1, D: 1, u: u, x: x, y: y}}\n"
                 "couplings:\n- constraint: {name: c, equation: \"a.y = %s\", "
                 "multiplier: l, enters: [a.u = l]}\n",
                 function);
        yoke_file *file = parse(text);
        yoke_run *run = run_way(file, ways[k]);
        CHECK_NEAR(value_of(run, "a.x"), exact, 1e-6);
        if (events_of(run) < events) fail_msg("%ld events", events_of(run));
        finish(run, file);
    }
}

/* x at t = to, driven by 1 or by cos t from x at t = from on. */
static double driven(double x, double from, double to)
{
    return 0.5 + (x - 0.5) * exp(-2.0 * (to - from));
}

static double by_cosine(double x, double from, double to)
{
    const double now = (2.0 * cos(from) + sin(from)) / 5.0;

    return (2.0 * cos(to) + sin(to)) / 5.0 +
           (x - now) * exp(-2.0 * (to - from));
}

static void constraints_may_jump_and_bend(void **state)
{
    const double on = 0.5 * pi, off = 1.5 * pi;
    const double relay = driven(0.0, 0.0, on) * exp(-2.0 * (off - on));
    const double kink = by_cosine(0.0, 0.0, on) * exp(-2.0 * (off - on));

    (void)state;
    follow("if b.x > 0 then 1 else 0", driven(relay, off, 6.0), 2);
    follow("max(b.x, 0)", by_cosine(kink, off, 6.0), 2);
}

/* A schedule cannot let it stay apart: nobody would see its events. */
static void relations_keep_a_constraint_with_its_owner(void **state)
{
    static const char text[] =
        "yoke: 1\nrun: {stop: 1, schedule: \"a, b > c\"}\n"
        "subsystems:\n" OSCILLATOR
        "  a: {linear: {A: -1, B: 1, H: 1, D: 1, u: u, x: x, y: y}}\n"
        "couplings:\n- constraint: {name: c, equation: \"a.y = %s\", "
        "multiplier: l, enters: [a.u = l]}\n";
    yoke_err err = { YOKE_OK, "" };
    char now[600];

    (void)state;
    for (int k = 0; k < 2; k++) {
        yoke_run *run = NULL;
        snprintf(now, sizeof now, text, k ? "b.x^2" : "abs(b.x)");
        yoke_file *file = parse(now);
        const yoke_status status =
            yoke_run_create(&run, yoke_file_model(file),
                            yoke_file_run_options(file), NULL, &err);
        if (k == 0) {
            CHECK_STATUS(status, YOKE_E_MODEL, &err);
            CHECK_CONTAINS(err.text, "+ c\" in the schedule");
        } else
            CHECK_OK(status, &err);
        finish(run, file);
    }
}

/* ---- native code ------------------------------------------------------------ */

static void read_one(yk_functions *f, const char *text)
{
    yoke_err err = { YOKE_OK, "" };
    size_t at = 0;

    f->count = 1;
    CHECK_OK(yk_ints(&f->root, 1, &err), &err);
    CHECK_OK(yk_formula_expression(&f->formula, text, &at, &f->root[0], &err),
             &err);
    CHECK_OK(yk_functions_close(f, &err), &err);
}

/* Values and slopes are those of the list, with and without held branches. */
static void native_code_gives_the_same_bits(void **state)
{
    static const char text[] =
        "sin(a.x)*exp(-b.y^2) + max(a.x, b.y)*tanh(time) - "
        "(if a.x*b.y > 0.1 then a.x/(2 + b.y) else sqrt(1 + b.y^2))";
    const yk_native_options how = { .compiler = "cc" };
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    for (int events = 0; events < 2; events++) {
        yk_functions *f[2] = { NULL, NULL };
        for (int k = 0; k < 2; k++) {
            CHECK_OK(YK_NEW(&f[k], 1, &err), &err);
            read_one(f[k], text);
            CHECK_OK(yk_functions_hold(f[k], events > 0, text, k ? &how : NULL,
                                       1e12, &err),
                     &err);
            assert_int_equal(f[k]->holds > 0, events);
        }
        if (!f[1]->compiled) {
            yk_functions_free(f[0]);
            yk_functions_free(f[1]);
            skip(); /* no compiler */
        }
        for (int i = 0; i < 100; i++) {
            const double y[2] = { sin(0.3 * i), cos(0.7 * i) };
            double g[2], slope[2][2];
            for (int k = 0; k < 2; k++)
                yk_functions_values(f[k], 0.1 * i, y, &g[k], slope[k]);
            CHECK_NEAR(g[0], g[1], 0.0);
            CHECK_NEAR(slope[0][0], slope[1][0], 0.0);
            CHECK_NEAR(slope[0][1], slope[1][1], 0.0);
        }
        yk_functions_free(f[0]);
        yk_functions_free(f[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_may_jump_and_bend),
        cmocka_unit_test(a_subsystem_may_drive_itself),
        cmocka_unit_test(products_of_outputs),
        cmocka_unit_test(delays_hold_for_the_outputs),
        cmocka_unit_test(signals_may_be_functions_of_time),
        cmocka_unit_test(included_systems_have_them),
        cmocka_unit_test(mistakes_in_formulas_are_refused),
        cmocka_unit_test(constraints_may_jump_and_bend),
        cmocka_unit_test(relations_keep_a_constraint_with_its_owner),
        cmocka_unit_test(native_code_gives_the_same_bits),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
