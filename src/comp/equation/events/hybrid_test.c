/* comp/equation/events/hybrid_test.c -- relations, events and breakpoints of
 * equation models against exact solutions, interpreted and as native code, with
 * fixed and adaptive steps. */
#define _XOPEN_SOURCE 700
#include "comp/equation/events/hybrid_fixture.h"

/* ---- Relations ----------------------------------------------------------- */

static void relations_are_watched_one_by_one(void **state)
{
    static const item list[] = {
        { X0 C0 "equation der(c) = 1; der(y) = if c > 3.3 and c < 3.31 then "
                "100 else 0;",
          10, 1.0, 1e-8 },
        { X0 C0 "equation der(c) = 1; der(y) = if c < 1 or c > 9.25 then 1 "
                "else 0;",
          10, 1.75, 0 },
        { X0 C0 "Boolean a, b, d; equation der(c) = 1; a = c > 1; b = a and c "
                "< 2.5; d = not b; der(y) = if d then 1 else 0;",
          3, 1.5, 0 },
        { X0 C0 "equation der(c) = 1; if c > 1 and not c > 2 then der(y) = 3; "
                "else der(y) = 0; end if;",
          3, 3.0, 0 },
        { X0 "Real c(start = 0.5, fixed = true); equation der(c) = -1; der(y) "
             "= floor(c);",
          3.5, -6.0, 0 },
        { X0 "Real c(start = 0.5, fixed = true); equation der(c) = 1; der(y) "
             "= ceil(c);",
          3, 7.5, 0 },
        { X0 "Real c(start = -1, fixed = true); equation der(c) = 1; der(y) = "
             "sign(c);",
          3, 1.0, 0 },
        { X0 C0 "equation der(c) = 1; der(y) = div(c, 2) + integer(c/3);", 6,
          9.0, 0 },
        { X0 "parameter Integer n = 5; Real x[n](each start = 0, each fixed = "
             "true), c(start = 0, fixed = true); equation der(c) = 1; for i in "
             "n:-1:1 loop der(x[i]) = if c > i and c < i + 0.5 then 1 else 0; "
             "end for; der(y) = if sum(x) > 1.25 then 1 else 0;",
          10, 6.75, 1e-8 },
        /* no event */
        { X0 C0 "equation der(c) = 1; der(y) = noEvent(if c > 1 then 1 else "
                "1) + smooth(0, if c > 2 then 1 else 1);",
          3, 6.0, 0 },
        /* what follows decides at the start */
        { X0 "Boolean moving; equation moving = y > 0; der(y) = if moving then "
             "0.5 else 1;",
          2, 1.0, 0 },
        { X0 "Real c(start = 1, fixed = true); equation der(c) = -1; der(y) = "
             "if c >= 1 then 5 else 1;",
          2, 2.0, 0 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

static void relations_of_time_have_exact_instants(void **state)
{
    const item list[] = {
        { X0 "Boolean on; equation on = time > 50 and time < 50.5; der(y) = "
             "if on then 100 else 0;",
          95, 50.0, 0 },
        { X0 "equation der(y) = if mod(time, 10) < 0.05 then 100 else 0;", 95,
          50.0, 0 },
        { X0 "parameter Real T = 0.3, d = 0.01; equation der(y) = if mod(time "
             "- 0.1, T) < d then 1 else 0;",
          30, 1.0, 0 },
        { X0 "equation der(y) = floor(time) + ceil(time/2) + integer(time/3);",
          6, 15.0 + 2 * (1 + 2 + 3) + 3.0, 0 },
        { X0 "equation der(y) = noEvent(if mod(time, 1) < 0.25 then 1 else 0);",
          10, 2.5, 0 },
        { X0 "equation der(y) = abs(mod(time, 2) - 1) + max(0, 1 - abs(time - "
             "50)*10);",
          100, 50.0 + 0.1, 0 },
        { X0 "parameter Real tab[3, 2] = {{0, 0}, {1, 2}, {2, 1}}; equation "
             "der(y) = interpolate(tab, time - 3);",
          10, 7.5, 0 },
        { X0 "parameter Real tab[2, 2] = {{0, 3}, {1, 5}}; equation der(y) = "
             "interpolate(tab, 2 - mod(time, 4));",
          8, 2 * (5.0 + 4.0 + 2 * 3.0), 0 },
        { X0 "equation der(y) = if time^2 > 2 then 1 else 0;", 3, 3 - sqrt(2.0),
          0 },
        { X0 "equation der(y) = if sin(time) > 0.999 then 1 else 0;", 100,
          32 * acos(0.999), 1e-9 },
        { X0 "equation der(y) = if exp(-1e4*(time - 50)^2) > 0.5 then 100 else "
             "0;",
          100, 2 * sqrt(log(2.0)), 1e-9 },
        { X0 "equation der(y) = if sin(time) + sin(1.7*time) > 1.99 then 1 "
             "else 0;",
          1, 0.0, 0 },
        { X0 "parameter Real pi = 3.141592653589793; equation der(y) = "
             "sign(cos(pi*time));",
          2.75, 0.25, 1e-9 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

/* ---- The event iteration ------------------------------------------------- */

static void conditions_see_the_values_of_the_instant(void **state)
{
    static const item list[] = {
        { COUNT "Integer a(start = 0), b(start = 0), c(start = 0); equation "
                "when b > 1 then c = b + 1; end when; when a > 0 then b = a + "
                "1; end when; when time >= 1 then a = 1; end when; when c > 2 "
                "then n = a + 10*b + 100*c; end when;",
          2, 321.0, 0 },
        { COUNT "Boolean z(start = true); Integer k(start = 0); equation when "
                "k > 2 and z then n = 1; end when; when k > 2 then z = false; "
                "end when; when sample(1, 1) then k = pre(k) + 1; end when;",
          5, 0.0, 0 },
        { COUNT "equation when time >= 1 then n = pre(n) + 1; elsewhen {time "
                ">= 1, time >= 2} then n = pre(n) + 10; end when;",
          3, 11.0, 0 },
        { COUNT "equation when {initial(), time >= 1} then n = pre(n) + 1; end "
                "when;",
          3, 2.0, 0 },
        { X0 "Boolean s, r, q(start = false); equation s = mod(time, 2) < 0.1; "
             "r = mod(time - 1, 2) < 0.1; q = s or (pre(q) and not r); der(y) "
             "= if q then 1 else 0;",
          9.5, 5.0, 0 },
        { "output Real y = n; Integer n(start = 0); Boolean s; equation s = "
          "sin(time) > 0; n = pre(n) + (if edge(s) then 1 else 0) + (if "
          "change(s) then 10 else 0);",
          100, 16 + 10 * 32.0 - 10 * 1.0 + 10.0, 0 },
        { X0 "discrete Real d(start = 0); Boolean b = time > 1; equation d = "
             "if b then 2 else 1; der(y) = d;",
          3, 5.0, 0 },
        { X0 "Boolean b(start = false); equation b = y > 1 or (pre(b) and y > "
             "0.5); der(y) = if b then -1 else 1;",
          2, 1.0, 0 },
        { COUNT "Real x(start = 0, fixed = true); equation der(x) = 1; when "
                "sample(0, 1) and x > 2.5 then n = pre(n) + 1; end when;",
          6.5, 4.0, 0 },
        { COUNT "Real x(start = 0, fixed = true); equation der(x) = 1; when x "
                "> 0 then n = pre(n) + 1; end when; when x >= 0 then n = 100; "
                "end when;",
          2, 1.0, 0 },
        { COUNT "Real x(start = -1, fixed = true); discrete Real d(start = "
                "-1); equation der(x) = 0; when time >= 0.5 then d = 0; end "
                "when; when d*x < 0 then n = pre(n) + 1; end when;",
          1, 0.0, 0 },
        { COUNT "Real x(start = 0, fixed = true), v(start = 1, fixed = true); "
                "equation der(x) = v; der(v) = -x; when der(x) < 0 then n = "
                "pre(n) + 1; end when;",
          20, 3.0, 0 },
        { X0
          "Integer n(start = 0); equation when sample(0.1, 0.1) then n = "
          "pre(n) + 1; end when; der(y) = if n == 40 or n >= 50 then 10 else "
          "0;",
          6.05, 1.0 + 10.5, 0 },
        { COUNT "Boolean tick; equation tick = sample(0.5, 1); when tick then "
                "n = pre(n) + 1; end when;",
          4.2, 4.0, 0 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

static void closed_loops_stay_consistent(void **state)
{
    static const item list[] = {
        /* an ideal diode */
        { X0 "Real s, u, i; Boolean off; equation off = s < 0; u = if off then "
             "s else 0; i = if off then 0 else s; sin(time) = u + i; der(y) = "
             "i;",
          6.283185307179586, 2.0, 1e-4 },
        /* the branch that is not taken has no value */
        { X0 "Real c(start = 1, fixed = true); equation der(c) = -1; der(y) = "
             "noEvent(if c > 0 then 1 - sqrt(c) else 1 - sqrt(-c) - 0*log(1 - "
             "c));",
          2, 2.0 / 3.0, 1e-4 },
        { COUNT "Real x(start = 0, fixed = true); equation der(x) = 1; when "
                "x*(10 - x) > 24.999 then n = pre(n) + 1; end when;",
          10, 1.0, 0 },
        { COUNT "Real h(start = 1, fixed = true), v(start = 0, fixed = true); "
                "Boolean contact; equation der(h) = v; der(v) = -9.81; contact "
                "= h < 0; when contact then reinit(v, -0.8*pre(v)); n = pre(n) "
                "+ 1; end when;",
          3, 6.0, 0 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

/* ---- What comes to no end ------------------------------------------------ */

static void endless_events_are_told(void **state)
{
    static const struct {
        const char *text, *part;
    } list[] = {
        { "model M output Real y(start = 1, fixed = true);\nequation\n"
          "  der(y) = if y > 0 then -1 else 1; end M;",
          "m.mo:3: y > 0: happens again" },
        { "model M output Real y(start = 1, fixed = true); Real x(start = 0, "
          "fixed = true);\nequation der(x) = 0.3 - y;\n"
          "  der(y) = (if y > 0 then -1 else 1) + 0.5*sin(x); end M;",
          "m.mo:3: y > 0" },
        { "model M output Real y; Boolean b(start = false);\nequation\n"
          "  b = not pre(b); y = if b then 1 else 0; end M;",
          "m.mo:3: the event iteration at t = 0 does not end" },
        { "model M output Real y(start = 0, fixed = true); Real z;\nequation\n"
          "  z = if z > 0 then -1 else 1; der(y) = z; end M;",
          "m.mo:3: z > 0" },
        { "model M Real h(start = 1, fixed = true), v(start = 0, fixed = "
          "true); output Real y = h;\nequation der(h) = v; der(v) = -9.81;\n"
          "  when h < 0 then reinit(v, -0.5*pre(v)); end when; end M;",
          "m.mo:3: h < 0" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int method = 0; method < FIXED; method++) {
            yoke_system *s = read_with(list[i].text, NULL);
            yoke_err err = { YOKE_OK, "" };
            double y = 0.0;
            assert_true(solve(s, method, 1e-6, 3, 3.0, &y, &err) != YOKE_OK);
            CHECK_CONTAINS(err.text, list[i].part);
            yoke_system_free(s);
        }
}

/* ---- Tolerances ---------------------------------------------------------- */

/* Events at instants that the tolerance decides about. */
static void a_thousandth_of_the_tolerance_tells(void **state)
{
    const double w = 2.0943951023931953; /* x = 1/2 at pi/6 + ... */
    static const item m = {
        "output Real y(start = 0, fixed = true); Real x(start = 0, fixed = "
        "true), v(start = 1, fixed = true); equation der(x) = v; der(v) = -x; "
        "der(y) = if x > 0.5 then v^2 else 0;",
        6.283185307179586, 0.0, 0
    };
    char text[1000];
    (void)state;

    snprintf(text, sizeof text, "model M %s end M;", m.text);
    yoke_system *s = read_with(text, NULL);
    item own = m;
    /* integral of cos^2 over [pi/6, 5 pi/6] */
    own.value = 0.5 * w - 0.25 * sqrt(3.0);
    for (int method = 0; method < FIXED; method++) {
        const double coarse = error_of(s, &own, method, 1e-6);
        const double fine = error_of(s, &own, method, 1e-9);
        assert_true(coarse < 1e-4 && fine < 1e-7);
    }
    yoke_system_free(s);
}

#define RAMP C0 COUNT "equation der(c) = 1; "
#define BALL                                                                   \
    "Real h(start = 1, fixed = true), v(start = 0, fixed = true); " COUNT      \
    "equation der(h) = v; der(v) = -2; "
#define COUNTS " then n = pre(n) + 1; end when;"

static void values_before_are_compared(void **state)
{
    static const item list[] = {
        { RAMP "when c > 0.5 and pre(c) < 0.5" COUNTS, 1, 1, 0 },
        { RAMP "when c > 0.5 and pre(c) <= 0.5" COUNTS, 1, 1, 0 },
        { RAMP "when c >= 0.5 and not pre(c) >= 0.5" COUNTS, 1, 1, 0 },
        { RAMP "when c > 0.5 and pre(c) < 0.25" COUNTS, 1, 0, 0 },
        { RAMP "when pre(c) > 0.5" COUNTS, 1, 1, 0 },
        { RAMP "when sample(0.25, 0.25) and pre(c) < 0.6" COUNTS, 1, 2, 0 },
        { RAMP "when initial() and pre(c) < 0.5" COUNTS, 1, 1, 0 },
        /* the first of two branches */
        { RAMP "when c > 0.5 and pre(c) < 0.5 then n = pre(n) + 1; elsewhen c "
               "> 0.5 then n = 100; end when;",
          1, 1, 0 },
        /* what follows from c, and jumps from 0.5 to 1.5 */
        { C0 COUNT "Real a; equation der(c) = 1; a = 2*c; when a > 1 and "
                   "pre(a) < 1" COUNTS,
          1, 1, 0 },
        { C0 COUNT "Real a; discrete Real m(start = 0); equation der(c) = 1; "
                   "a = c + m; when c > 0.5 then m = 1; end when; when a > "
                   "1.2 and pre(a) < 1.2" COUNTS,
          0.6, 1, 0 },
        /* reinit, and then pre(v) = v, come before the next look */
        { BALL "when h < 0 and pre(v) < 0 then reinit(v, -pre(v)); n = pre(n) "
               "+ 1; end when;",
          6, 3, 0 },
        { BALL
          "when h < 0 then reinit(v, -pre(v)); end when; when v > 0" COUNTS,
          6, 3, 0 },
        { BALL "when h < 0 then reinit(v, -pre(v)); end when; when v > 0 and "
               "pre(v) < 0" COUNTS,
          6, 0, 0 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

#define MODE                                                                   \
    C0 "output Real y = s; Integer s(start = 1); discrete Real T(start = "     \
       "0); "

/* Relations of what an instant changes are those of its next round, also where
 * they become false: a timer that has just been set has not run out. */
static void relations_follow_what_an_instant_changes(void **state)
{
    static const item list[] = {
        { MODE "equation der(c) = 1; when pre(s) == 1 and c > 1 then s = 3; "
               "elsewhen pre(s) == 3 and time > pre(T) then s = 5; end when; "
               "when s == 3 then T = time + 1; end when;",
          1.5, 3, 0 },
        { MODE "equation der(c) = 1; when pre(s) == 1 and c > 1 then s = 3; "
               "elsewhen pre(s) == 3 and time > pre(T) then s = 5; end when; "
               "when s == 3 then T = time + 1; end when;",
          2.5, 5, 0 },
        { MODE "equation der(c) = 1; when c > 1 then s = 3; T = 2; elsewhen "
               "pre(s) == 3 and c > T then s = 5; end when;",
          1.5, 3, 0 },
        { MODE "equation der(c) = 1; when c > 1 then s = 3; T = 2; elsewhen "
               "pre(s) == 3 and c > T then s = 5; end when;",
          2.5, 5, 0 },
        /* what reinit has given */
        { MODE "equation der(c) = 1; when c > 1 then reinit(c, -5); s = 3; T "
               "= 1; elsewhen pre(s) == 3 and c > 0.5 then s = 5; end when;",
          3, 3, 0 },
        { MODE "equation der(c) = 1; when c > 1 then reinit(c, -5); s = 3; T "
               "= 1; elsewhen pre(s) == 3 and c > 0.5 then s = 5; end when;",
          6.75, 5, 0 },
        /* one that becomes true in the instant is an event once */
        { C0 COUNT "discrete Real T(start = 9); equation der(c) = 1; when c > "
                   "1 then T = 0.5; end when; when c > pre(T)" COUNTS,
          2, 1, 0 },
        { C0 COUNT "discrete Real T(start = 0.5); equation der(c) = 1; when c "
                   "> pre(T) then T = pre(T) + 0.5; n = pre(n) + 1; end when;",
          2.25, 4, 0 },
        /* several steps of it at one instant */
        { C0 COUNT "discrete Real T(start = 0.5); equation der(c) = 1; when c "
                   "> pre(T) or change(T) and T < 1.9 then T = pre(T) + 0.5; n "
                   "= pre(n) + 1; end when;",
          0.75, 1, 0 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

static void failing_memory_leaks_nothing(void **state)
{
    static const char text[] =
        "model M output Real y(start = 0, fixed = true); Real x[3]; Boolean b; "
        "Integer n(start = 0); equation for i in 1:3 loop der(x[i]) = if x[i] "
        "> i and time < 2 then 1 else mod(time, 2); end for; b = sin(time) > "
        "0.5 or pre(b); der(y) = if b then 1 else floor(x[1]); when {b, "
        "sample(0, 1), initial()} then n = pre(n) + 1; end when; end M;";
    (void)state;

    parse_leaks_nothing(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_are_watched_one_by_one),
        cmocka_unit_test(relations_of_time_have_exact_instants),
        cmocka_unit_test(conditions_see_the_values_of_the_instant),
        cmocka_unit_test(values_before_are_compared),
        cmocka_unit_test(relations_follow_what_an_instant_changes),
        cmocka_unit_test(closed_loops_stay_consistent),
        cmocka_unit_test(endless_events_are_told),
        cmocka_unit_test(a_thousandth_of_the_tolerance_tells),
        cmocka_unit_test(failing_memory_leaks_nothing),
    };
    if (!mkdtemp(cache)) return 1;
    return cmocka_run_group_tests(tests, NULL, remove_cache);
}
