/* comp/equation/events/kink_test.c -- max, min, abs and tables: the branch that counts
 * is held between events, and the solution is exact on both sides. */
#define _XOPEN_SOURCE 700
#include "comp/equation/events/hybrid_fixture.h"
#include "sys/call.h"

/* c rises from zero along a straight line, as a state. */
#define RISES C0 "equation der(c) = 1; "

static void kinks_are_located(void **state)
{
    static const item list[] = {
        { X0 RISES "der(y) = max(c, 2);", 5, 4 + 10.5, 0 },
        { X0 RISES "der(y) = min(2, c);", 5, 2 + 6, 0 },
        { X0 RISES "der(y) = abs(c - 1.3);", 5, 0.845 + 6.845, 0 },
        { X0 RISES "der(y) = max(min(abs(c - 3), 2), 0.5);", 10,
          2 + 1.875 + 0.5 + 1.875 + 10, 0 },
        { X0 RISES "der(y) = max({c, 2*c - 1, 3*c - 4, 1.5});", 5,
          1.25 * 1.5 + (9 - 1.5625 - 1.75) + (37.5 - 20 - 13.5 + 12), 0 },
        { X0 "Real c(start = 3, fixed = true); equation der(c) = -max(-1, "
             "min(1, 5*c)); der(y) = 1;",
          2, 2, 0 },
        { X0 "parameter Integer n = 5; Real c[n](each start = 0, each fixed = "
             "true); equation for i in 1:n loop der(c[i]) = abs(y - i); end "
             "for; der(y) = 1;",
          6, 6, 0 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

/* Several corners in one step, both ends, upwards and downwards, and one that
 * turns inside the table. */
static void corners_of_tables_are_located(void **state)
{
#define TABLE                                                                  \
    "parameter Real T[:, 2] = [0, 0; 1, 1; 1.01, 0; 1.02, 2; 1.03, -1; 5, 0; " \
    "6, 3]; "
    static const double whole = 0.5 + 0.005 + 0.01 + 0.005 - 1.985 + 1.5;
    const item list[] = {
        { TABLE X0 RISES "der(y) = interpolate(T, c);", 10, whole + 12, 0 },
        { TABLE X0 "Real c(start = 10, fixed = true); equation der(c) = -1; "
                   "der(y) = interpolate(T, c);",
          12, whole + 12, 0 },
        { TABLE X0 "Real c(start = -1, fixed = true), v(start = 4, fixed = "
                   "true); equation der(c) = v; der(v) = -1; der(y) = "
                   "v*interpolate(T, c);",
          8, 0, 1e-6 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

static void a_start_at_the_kink_goes_on_where_it_goes(void **state)
{
    static const item list[] = {
        { X0 RISES "der(y) = max(0, c);", 3, 4.5, 0 },
        { X0 RISES "der(y) = max(c, 0);", 3, 4.5, 0 },
        { X0 RISES "der(y) = min(0, c);", 3, 0, 0 },
        { X0 RISES "der(y) = abs(-c);", 3, 4.5, 0 },
        { "parameter Real T[:, 2] = [-1, 1; 0, 0; 1, 1]; " X0 RISES
          "der(y) = interpolate(T, -c) + interpolate(T, c);",
          2, 1 + 2, 0 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

/* A relation with a kink in it: the tent may be narrow. */
static void narrow_tents_are_found(void **state)
{
    static const item list[] = {
        { X0 RISES "der(y) = if abs(c - 3) < 1e-5 then 1e5 else 0;", 10, 2,
          1e-6 },
        { COUNT "Real s(start = 0, fixed = true), v(start = 1, fixed = true); "
                "equation der(s) = v; der(v) = -s; when abs(s - 0.3) < 1e-3 "
                "then n = pre(n) + 1; end when;",
          50, 16, 0 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

/* What is held has no value beyond its threshold: steps end before. */
static void branches_that_end_are_left_in_time(void **state)
{
#define FALLS "Real s(start = 1, fixed = true); equation der(s) = -1; "
    static const item list[] = {
        { X0 FALLS "der(y) = if s > 0 then sqrt(s) else 0;", 3, 2.0 / 3.0,
          1e-6 },
        { X0 FALLS "der(y) = if s > 0 then s*log(s) else 0;", 3, -0.25, 1e-6 },
        { "Real z; " X0 FALLS "z = if s > 0 then s^1.5 else 0; der(y) = z;", 3,
          0.4, 1e-6 },
        { X0 RISES "der(y) = if c < 1 then asin(c) else 0;", 2.5,
          0.57079632679489662, 1e-6 },
        { X0 FALLS "der(y) = sqrt(max(s, 0));", 3, 2.0 / 3.0, 1e-5 },
        { X0 FALLS "der(y) = 1/max(s, 0.5);", 3, 0.69314718055994531 + 5,
          1e-5 },
    };
    (void)state;

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[1000];
        snprintf(text, sizeof text, "model M %s end M;", list[i].text);
        yoke_system *s = read_with(text, NULL);
        for (int k = 0; k < METHODS; k++) {
            const double tol = k == FIXED ? 0.05 : list[i].tol;
            CHECK_NEAR(error_of(s, &list[i], k, 1e-6), 0.0, tol);
        }
        yoke_system_free(s);
    }
}

/* ---- What must not make events --------------------------------------------
 */

static long events_of(const char *text, double end, double rtol, double *y)
{
    yoke_stepper_options o = yoke_stepper_defaults();
    yoke_system *s = read_with(text, NULL);
    yk_propagator p = { 0 };
    yk_wave *in = NULL, *out = NULL;
    yoke_work work;
    double all[8];
    yoke_err err;

    o.rtol = rtol;
    o.atol = 0.01 * rtol;
    CHECK_OK(yk_stepper_create(&p, s, &o, 0, NULL, &err), &err);
    CHECK_OK(yk_wave_create(&in, p.m, &err), &err);
    CHECK_OK(yk_wave_create(&out, p.p, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, all, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, end, in, out, &err), &err);
    yk_wave_eval(out, end, NULL, all);
    *y = all[0];
    p.ops->work(p.self, &work);
    p.ops->free(p.self);
    yk_wave_free(in);
    yk_wave_free(out);
    yoke_system_free(s);
    return work.events;
}

/* Along a kink nothing happens: at rest, tied, settling, grazing. */
static void what_rests_at_a_kink_simply_runs(void **state)
{
    static const struct {
        const char *text;
        double end, value;
        long events;
    } list[] = {
        { X0 "equation der(y) = -abs(y);", 10, 0, 0 },
        { "output Real y(start = 1, fixed = true); equation der(y) = -abs(y);",
          10, 4.5399929762484854e-05, 0 },
        { X0 "Real a(start = 3, fixed = true), b(start = 3, fixed = true); "
             "equation der(a) = 0; der(b) = 0; der(y) = max(a, b);",
          10, 30, 0 },
        { X0 "Real a(start = 1, fixed = true), b(start = 1, fixed = true); "
             "equation der(a) = -a; der(b) = -0.1*b*10; der(y) = max(a, b);",
          10, 0.99995460007023752, 2 },
        { X0 "Real a(start = 0, fixed = true), b(start = 1, fixed = true), "
             "c(start = 0, fixed = true); equation der(a) = b; der(b) = -a; "
             "der(c) = cos(time); der(y) = max(a, c);",
          20, 0.59191793818362, 20 },
        { X0 "Real r(start = 0, fixed = true), s(start = 1, fixed = true); "
             "equation der(r) = 1; der(s) = 2*(r - 1); der(y) = abs(s);",
          3, 3, 2 },
    };
    (void)state;

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (double rtol = 1e-4; rtol > 1e-9; rtol *= 0.01) {
            char text[1000];
            double y = NAN;
            snprintf(text, sizeof text, "model M %s end M;", list[i].text);
            const long events = events_of(text, list[i].end, rtol, &y);
            if (events > list[i].events)
                fail_msg("%s: %ld events", text, events);
            CHECK_NEAR(y, list[i].value, 2.0 * rtol * (1.0 + fabs(y)));
        }
}

static int events_in(const char *text)
{
    char model[1000];

    snprintf(model, sizeof model, "%s", text);
    yoke_system *s = read_with(model, NULL);
    const int events = yoke_system_facts(s)->events;
    yoke_system_free(s);
    return events;
}

static void what_is_no_event_stays_as_it_is(void **state)
{
    (void)state;
    assert_int_equal(events_in("model M " X0 RISES
                               "der(y) = smooth(1, if c > 0 then c^2 else 0) + "
                               "noEvent(smooth(2, max(c, 1)^3)); end M;"),
                     0);
    /* nothing is held, but steps end there */
    assert_int_equal(events_in("model M " X0 RISES
                               "der(y) = noEvent(abs(c)) + smooth(0, "
                               "max(c, 1)); end M;"),
                     2);
    assert_int_equal(
        events_in("model M " X0 "equation der(y) = max(0, sin(time)); end M;"),
        0);
    assert_int_equal(events_in("model M Real x[200](each start = 1); equation "
                               "for i in 1:200 loop der(x[i]) = -abs(x[i]); "
                               "end for; end M;"),
                     0);
    /* der(c) is no unknown */
    assert_int_equal(
        events_in("model M " X0 RISES "der(y) = abs(der(c)); end M;"), 0);
    /* the same kink twice is one */
    assert_int_equal(events_in("model M " X0 RISES
                               "der(y) = abs(c - 1) + 2*abs(c - 1); end M;"),
                     1);
}

/* Relations and kinks in functions: steps end there. */
static void functions_are_watched(void **state)
{
#define STEP                                                                   \
    "function f input Real x; output Real z; algorithm z := if x > 0.5 then "  \
    "1 else 0; end f; "
#define SPIKE                                                                  \
    "function f input Real x; output Real z; algorithm z := if abs(x - 3) < "  \
    "1e-4 then 1e4 else 0; end f; "
#define GUARD                                                                  \
    "function f input Real x; output Real z; algorithm if x < 2 then z := "    \
    "sqrt(2 - x); else z := 0; end if; end f; "
    static const struct {
        const char *function, *text;
        double end, value, tol;
        int events;
    } list[] = {
        { STEP, X0 RISES "der(y) = f(c);", 5, 4.5, 1e-5, 1 },
        { SPIKE, X0 RISES "der(y) = f(c);", 10, 2, 1e-4, 2 },
        { GUARD, X0 RISES "der(y) = f(c);", 5, 1.885618083164127, 1e-4, 1 },
        { STEP,
          X0 "Real x(start = 1, fixed = true); equation der(x) = -x; "
             "der(y) = f(x);",
          5, 0.69314718055994531, 1e-5, 1 },
    };
    (void)state;

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[1000];
        double y = NAN;
        snprintf(text, sizeof text, "%smodel M %s end M;", list[i].function,
                 list[i].text);
        assert_int_equal(events_in(text), list[i].events);
        (void)events_of(text, list[i].end, 1e-6, &y);
        CHECK_NEAR(y, list[i].value, list[i].tol);
    }
}

static void kinks_have_names(void **state)
{
    yoke_system *s =
        read_with("model M parameter Real T[:, 2] = [0, 0; 1, 1]; " X0 RISES
                  "der(y) = max(c, 2) + abs(c - 1) + interpolate(T, c); end M;",
                  NULL);
    static const char *const text[] = { "m.mo:1: max(c, 2)",
                                        "m.mo:1: abs(c - 1)",
                                        "m.mo:1: interpolate(T, c)" };
    (void)state;

    for (int k = 0; k < 3; k++) {
        yoke_event_about about;
        yk_system_about(s, k, &about);
        assert_string_equal(about.text, text[k]);
        assert_true(about.kink && about.level);
    }
    yoke_system_free(s);
}

static void failing_memory_leaks_nothing(void **state)
{
    static const char text[] =
        "model M parameter Real T[:, 2] = [0, 0; 1, 1]; Real x[3]; output Real "
        "y; equation for i in 1:3 loop der(x[i]) = abs(x[i] - i); end for; y = "
        "interpolate(T, max(x)) + min(x[1], x[2]); end M;";
    (void)state;

    parse_leaks_nothing(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinks_are_located),
        cmocka_unit_test(corners_of_tables_are_located),
        cmocka_unit_test(a_start_at_the_kink_goes_on_where_it_goes),
        cmocka_unit_test(narrow_tents_are_found),
        cmocka_unit_test(branches_that_end_are_left_in_time),
        cmocka_unit_test(what_rests_at_a_kink_simply_runs),
        cmocka_unit_test(what_is_no_event_stays_as_it_is),
        cmocka_unit_test(functions_are_watched),
        cmocka_unit_test(kinks_have_names),
        cmocka_unit_test(failing_memory_leaks_nothing),
    };
    if (!mkdtemp(cache)) return 1;
    return cmocka_run_group_tests(tests, NULL, remove_cache);
}
