/* comp/equation/events/algebra_test.c -- algebraic variables at an instant,
 * against exact solutions.
 *
 * y^3 + y = 2, 10, 30 has the solutions 1, 2, 3. */
#define _XOPEN_SOURCE 700
#include "comp/equation/events/hybrid_fixture.h"

#define ROOT "Real r(start = 1); "
#define M0   "discrete Real m(start = 0, fixed = true); "
#define D0   "output discrete Real y(start = -1, fixed = true); "

static void actions_see_what_is_solved_for(void **state)
{
    static const item list[] = {
        /* one when for both */
        { C0 ROOT M0 D0 "equation der(c) = 1; r^3 + r = 2 + 8*m; when c >= 0.5 "
                        "then m = 1; y = r; end when;",
          1, 2.0, 0 },
        /* two, in any order */
        { C0 ROOT M0 D0 "equation der(c) = 1; r^3 + r = 2 + 8*m; when c >= 0.5 "
                        "then y = r; end when; when time >= 0.5 then m = 1; "
                        "end when;",
          1, 2.0, 0 },
        /* a state */
        { C0 ROOT M0 X0 "equation der(c) = 1; der(y) = 0; r^3 + r = 2 + 8*m; "
                        "when c >= 0.5 then m = 1; reinit(y, r); end when;",
          1, 2.0, 0 },
        /* a linear loop, and the values before it */
        { C0 M0 D0 "Real a, b; equation der(c) = 1; a + b = 2 + 4*m; a - b = "
                   "(1 + m)*c; when c >= 0.5 then m = 2; end when; when m > 1 "
                   "then y = 100*a + pre(a); end when;",
          1, 575.0 + 1.25, 0 },
        /* a relation of time, and one of a state, in the equation */
        { C0 ROOT D0 "equation der(c) = 1; r^3 + r = if time < 0.5 then 2 else "
                     "10; when time >= 0.5 then y = r; end when;",
          1, 2.0, 0 },
        { C0 ROOT D0 "equation der(c) = 1; r^3 + r = if c < 0.5 then 2 else "
                     "10; when c >= 0.5 then y = r; end when;",
          1, 2.0, 0 },
        /* elsewhen: the first counts */
        { C0 ROOT M0 D0 "equation der(c) = 1; r^3 + r = 2 + 8*m; when c >= 0.5 "
                        "then m = 1; elsewhen c >= 0.75 then m = 3.5; end "
                        "when; when {c >= 0.5, c >= 0.75} then y = 10*pre(y) + "
                        "r; end when;",
          1, -80.0 + 3.0, 0 },
        /* counters that sample */
        { ROOT M0 D0 "equation r^3 + r = 2 + 8*m; when sample(0.25, 0.5) then "
                     "m = if pre(m) > 2 then 0 elseif pre(m) > 0 then 3.5 "
                     "else 1; y = pre(y) + r; end when;",
          2, -1.0 + 2.0 + 3.0 + 1.0 + 2.0, 0 },
        /* the start */
        { ROOT M0 D0 "equation r^3 + r = 2 + 8*m; when initial() then m = 1; y "
                     "= r; end when;",
          1, 2.0, 0 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

static void chains_see_the_values_of_their_round(void **state)
{
    static const item list[] = {
        /* with pre(m) a round later: y is that of the first, then the second */
        { C0 ROOT M0 D0 "discrete Real d(start = 0, fixed = true), a(start = "
                        "0, fixed = true), b(start = 0, fixed = true); "
                        "equation der(c) = 1; r^3 + r = 2 + 8*m + 4*d; when c "
                        ">= 0.5 then m = 1; a = r; end when; when pre(m) > "
                        "0.5 then d = 5; b = r; end when; when c >= 0.75 then "
                        "y = 10*a + b; end when;",
          1, 23.0, 0 },
        /* what reinit has given, and what follows from it */
        { "Real c(start = 0, fixed = true), r(start = 1); " M0 D0
          "equation der(c) = 1; r^3 + r = 2 + 4*(c - 0.5); when c >= 0.5 then "
          "reinit(c, 2.5); m = c; end when; when pre(m) > 0.2 then y = 10*c + "
          "r; end when;",
          0.9, 27.0, 0 },
        /* a derivative in an action, and its value after the instant */
        { C0 M0 D0 "Real v(start = 0, fixed = true); equation der(c) = 1; "
                   "der(v) = 3*m + 4; when c >= 0.5 then m = 2; y = der(v) + "
                   "100*pre(m); end when;",
          0.9, 10.0, 0 },
        /* a vector of conditions */
        { "output Real y = n; Integer n(start = 0); Boolean b[3]; equation "
          "for i in 1:3 loop b[i] = time > 0.2*i; end for; when b then n = "
          "pre(n) + 1; elsewhen not b[1] then n = 100; end when;",
          0.9, 3.0, 0 },
        /* a relation of what is solved for, at the same instant */
        { C0 ROOT M0 D0 "equation der(c) = 1; r^3 + r = 2 + 8*m; when c >= 0.5 "
                        "then m = 1; end when; when r > 1.5 then y = pre(m) + "
                        "10*m; end when;",
          1, 10.0, 0 },
        { C0 M0 D0 "Real r; equation der(c) = 1; r = 1 + m; when c >= 0.5 then "
                   "m = 1; end when; when r > 1.5 then y = pre(m) + 10*m; end "
                   "when;",
          1, 10.0, 0 },
        /* a branch that such a relation chooses */
        { C0 ROOT M0 D0 "Real s(start = 1); equation der(c) = 1; r^3 + r = 2 + "
                        "8*m; s^3 + s = if r > 1.5 then 30 else 2; when c >= "
                        "0.5 then m = 1; y = s; end when;",
          1, 3.0, 0 },
        /* a kink, and a whole number */
        { C0 ROOT M0 D0
          "Real s(start = 1); equation der(c) = 1; r^3 + r = 2 + "
          "8*m; s^3 + s = max(2, 30*r - 30) + floor(r + 0.5) - 2; "
          "when c >= 0.5 then m = 1; y = s; end when;",
          1, 3.0, 0 },
        /* it counts once each time */
        { C0 ROOT M0 "output Real y = n; Integer n(start = 0); equation der(c) "
                     "= 1; r^3 + r = 2 + 8*m; when sample(0.25, 0.25) then m = "
                     "1 - pre(m); end when; when r > 1.5 then n = pre(n) + 1; "
                     "end when;",
          2.1, 4.0, 0 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

/* An event that sets back what it watches. */
static void a_sawtooth_goes_on(void **state)
{
    static const item list[] = {
        { C0 "output Real y; Integer k(start = 0); equation der(c) = 3.3; y = "
             "c - k; when y > 1 then k = pre(k) + 1; end when;",
          1, 0.3, 0 },
        { C0 "output Real y; Integer k(start = 0); equation der(c) = 3.3; y^3 "
             "+ y = 2*(c - k); when y > 1 then k = pre(k) + 1; end when;",
          1, 0.48553671169414225, 1e-6 },
        { C0 COUNT "Real r; Integer k(start = 0); equation der(c) = 3.3; r = c "
                   "- k; when r > 1 then k = pre(k) + 1; end when; when r < "
                   "0.1 then n = pre(n) + 1; end when;",
          1, 3.0, 0 },
        { "Real c(start = 1, fixed = true); output Real y; discrete Real "
          "k(start = 0, fixed = true); equation der(c) = -y; y = c + k; when "
          "y < 0.7 then k = pre(k) + 0.3; end when;",
          1, 0.7507743704093786, 1e-5 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

/* The tension of a rope of length 1 jumps with the weight: lambda = v^2 - g y,
 * where y = -1/2 and v^2 = g before. */
static void a_multiplier_is_solved_for(void **state)
{
    static const item list[] = {
        { "Real px(start = 1, fixed = true), py(start = 0), vx, vy(start = 0, "
          "fixed = true), f; discrete Real g(start = 10, fixed = true); " D0
          "equation der(px) = vx; der(py) = vy; der(vx) = -f*px; der(vy) = "
          "-f*py - g; px^2 + py^2 = 1; when py <= -0.5 then g = 2*pre(g); y = "
          "f; end when;",
          0.6, 20.0, 1e-4 },
    };
    (void)state;
    check_all(list, sizeof list / sizeof *list);
}

static void refuse_run(const char *text, const char *part)
{
    yoke_system *s = read_with(text, NULL);
    yoke_err err = { YOKE_OK, "" };
    double y = 0.0;

    CHECK_STATUS(solve(s, 0, 1e-6, 1, 1.0, &y, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, part);
    yoke_system_free(s);
}

static void what_has_no_solution_is_named(void **state)
{
    static const char none[] =
        "model M " C0 ROOT M0 D0 "equation der(c) = 1;\n  r^2 = 1 - 2*m;\n  "
        "when c >= 0.5 then\n m = 1; y = r; end when; end M;";
    static const char circle[] =
        "model M " C0 ROOT D0 "equation der(c) = 1;\n  r^3 + r = 4 + 2*y;\n  "
        "when c >= 0.5 then y = 3*r; end when; end M;";
    (void)state;
    refuse_run(none, "m.mo:3: at the event at t = 0.5 a condition or action "
                     "reads algebraic variables that have no new values");
    refuse_run(none, "searched from r = 1, where the residuals are \"m.mo:2\"");
    refuse_run(circle, "m.mo:3: the new values of this equation, or of others");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actions_see_what_is_solved_for),
        cmocka_unit_test(chains_see_the_values_of_their_round),
        cmocka_unit_test(a_sawtooth_goes_on),
        cmocka_unit_test(a_multiplier_is_solved_for),
        cmocka_unit_test(what_has_no_solution_is_named),
    };
    if (!mkdtemp(cache)) return 1;
    return cmocka_run_group_tests(tests, NULL, remove_cache);
}
