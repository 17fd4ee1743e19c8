/* file/formula_break_test.c -- every instant at which a formula of time is not
 * smooth is found, in order, and nowhere else. */
#include "check.h"

#include "file/formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    yk_formula f;
    yk_breaks *breaks;
    int root;
} fixture;

static void open_formula(fixture *x, const char *text)
{
    yoke_err err = { YOKE_OK, "" };
    size_t at = 0;

    *x = (fixture){ .breaks = NULL };
    CHECK_OK(yk_formula_expression(&x->f, text, &at, &x->root, &err), &err);
    CHECK_OK(yk_formula_end(text, at, &err), &err);
    CHECK_OK(yk_breaks_create(&x->breaks, &x->f, &err), &err);
}

static void close_formula(fixture *x)
{
    yk_breaks_free(x->breaks);
    yk_formula_clear(&x->f);
}

/* The instants after `from`, as many as listed; then, up to `to`, no other. */
static void expect(const char *text, double from, double to, int count,
                   const double *at)
{
    fixture x;
    double t = from;

    open_formula(&x, text);
    for (int k = 0; k < count; k++) {
        const double next = yk_formula_next_break(x.breaks, t);
        if (isinf(at[k])) {
            assert_true(isinf(next));
            break;
        }
        if (!(fabs(next - at[k]) <= 8e-16 * fmax(fabs(at[k]), 1e-3)))
            print_error("%s: instant %d is %.17g, not %.17g\n", text, k, next,
                        at[k]);
        CHECK_NEAR(next, at[k], 8e-16 * fmax(fabs(at[k]), 1e-3));
        t = next + 4e-16 * fabs(next);
    }
    const double next = yk_formula_next_break(x.breaks, t);
    if (!(next > to)) print_error("%s: %.17g is one too many\n", text, next);
    assert_true(next > to);
    close_formula(&x);
}

#define EXPECT(text, from, to, ...)                                            \
    do {                                                                       \
        const double list[] = { __VA_ARGS__ };                                 \
        expect(text, from, to, (int)(sizeof list / sizeof list[0]), list);     \
    } while (0)

static void smooth_formulas_have_none(void **state)
{
    static const char *const text[] = {
        "3",          "time",   "sin(time)",     "time^2 + 1",
        "exp(-time)", "abs(3)", "max(2, 3)*time"
    };
    (void)state;
    for (size_t k = 0; k < sizeof text / sizeof text[0]; k++) {
        fixture x;
        open_formula(&x, text[k]);
        assert_true(isinf(yk_formula_next_break(x.breaks, 0.0)));
        close_formula(&x);
    }
}

static void linear_arguments_are_exact(void **state)
{
    (void)state;
    EXPECT("sign(time - 33) - sign(time - 38)", 0, 1e9, 33, 38);
    EXPECT("abs(3*time - 1)", 0, 1e9, 1.0 / 3);
    EXPECT("min(time, 2 - time)", 0, 1e9, 1);
    EXPECT("max(0, time - 5) + max(0, 7 - 2*time)", 0, 1e9, 3.5, 5);
    EXPECT("(time > 50) - (time >= 50.5)", 0, 1e9, 50, 50.5);
    EXPECT("pulse(time, 1e-9, 3e-9)", 0, 1e9, 1e-9, 3e-9);
    EXPECT("step(time - 0.1)", 0, 1e9, 0.1);
    EXPECT("if time < 3 then 1 else time", 0, 1e9, 3);
    EXPECT("table(time, 1, 0, 2, 5, 2, 6, 4, 1)", 0, 1e9, 1, 2, 4);
    EXPECT("sign(time)", -1, 1e9, 0);
    EXPECT("sign(time - 2)", 2, 1e9, INFINITY);
}

static void periods_go_on(void **state)
{
    (void)state;
    EXPECT("mod(time, 10) < 0.05", 0, 20.0, 0.05, 10, 10.05, 20);
    EXPECT("floor(time/0.25)", 0.1, 0.99, 0.25, 0.5, 0.75);
    EXPECT("floor(time/0.25)", 1e6, 1e6 + 0.49, 1e6 + 0.25);
    EXPECT("ceil(-2*time)", 0, 1.4, 0.5, 1);
    EXPECT("rem(time - 5, 2)", 0, 10, 1, 3, 5, 7, 9);
    EXPECT("abs(mod(time, 4) - 2)", 0.5, 7.9, 2, 4, 6);
    EXPECT("max(min(mod(time, 3), 1), 0.5)", 0, 6.2, 0.5, 1, 3, 3.5, 4, 6);
    EXPECT("sign(floor(time) - 3)", 0.5, 3.9, 1, 2, 3);
    EXPECT("div(time, 3)", 0.5, 8, 3, 6);
}

static void other_arguments_are_found(void **state)
{
    const double pi = acos(-1.0);
    (void)state;
    EXPECT("sign(sin(time))", 0, 3.9 * pi, pi, 2 * pi, 3 * pi);
    EXPECT("max(0, sin(2*pi*time))", 0, 1.9, 0.5, 1, 1.5);
    EXPECT("sign(exp(-(time - 3)) - 1)", 0, 1e9, 3);
    EXPECT("abs(time^2 - 2)", 0, 1e9, sqrt(2.0));
    EXPECT("sign((time - 1)^3)", 0, 1e9, 1);
    EXPECT("sign(sqrt(time) - 2)", 0, 1e9, 4);
    EXPECT("sign(log(time))", 0, 1e9, 1);
    EXPECT("floor(2.5*sin(pi*time/2))", 0, 1.2, 2 / pi * asin(0.4),
           2 / pi * asin(0.8), 2 - 2 / pi * asin(0.8));
    EXPECT("atan2(sin(time), cos(time))", 0.1, 6, pi);
    EXPECT("sign(sin(1e6*time))", 0, 9.4e-6, 1e-6 * pi, 2e-6 * pi);
    EXPECT("max(sin(time), 2)", 0, 1e15, INFINITY);
}

/* Pulses that a scan with any sensible step would miss. */
static void narrow_pulses_are_found(void **state)
{
    const double w = 1e-5 * sqrt(log(2.0));
    fixture x;
    (void)state;
    EXPECT("exp(-((time - 50)/1e-5)^2) > 0.5", 0, 1e9, 50 - w, 50 + w);
    open_formula(&x, "sin(time) > 1 - 1e-10");
    double t = yk_formula_next_break(x.breaks, 0.0);
    CHECK_NEAR(t, acos(1e-10 - 1) - acos(-1.0) / 2, 1e-9);
    assert_true(t < acos(-1.0) / 2);
    t = yk_formula_next_break(x.breaks, t + 1e-15);
    CHECK_NEAR(t, 1.5707963267948966 + 1.4142135e-5, 1e-9);
    close_formula(&x);
}

/* What is zero everywhere, or to rounding, does not stop anything. */
static void rounding_is_no_event(void **state)
{
    static const char *const text[] = {
        "max(sin(time), sin(time))",
        "sign(0*sin(time))",
        "sign(sin(time)^2 + cos(time)^2 - 1)",
        "abs(sin(time) - cos(time - pi/2))",
        "sign(sin(time) + cos(time) - 1.5)",
    };
    (void)state;
    for (size_t k = 0; k < sizeof text / sizeof text[0]; k++) {
        fixture x;
        double t = 0.0;
        int count = 0;
        open_formula(&x, text[k]);
        for (; t < 100.0; count++) t = yk_formula_next_break(x.breaks, t);
        if (count > 20) print_error("%s: %d\n", text[k], count);
        assert_true(count <= 20);
        close_formula(&x);
    }
}

/* A touch may be told or not, but does not multiply. */
static void a_touch_is_one_instant(void **state)
{
    static const char *const text[] = { "max(0, sin(time) - 1)",
                                        "abs((time - 2)^2)",
                                        "abs(1 - cos(time - 3))" };
    (void)state;
    for (size_t k = 0; k < sizeof text / sizeof text[0]; k++) {
        fixture x;
        int count = 0;
        open_formula(&x, text[k]);
        for (double t = 0.0; t < 6.0; count++)
            t = yk_formula_next_break(x.breaks, t);
        if (count > 10) print_error("%s: %d\n", text[k], count);
        assert_true(count <= 10);
        close_formula(&x);
    }
}

/* The same whatever was asked before. */
static void answers_do_not_depend_on_the_order(void **state)
{
    static const char text[] =
        "max(0, sin(3*time))*(mod(time, 0.7) < 0.1) + abs(cos(time) - 0.3)";
    enum { COUNT = 60 };
    double at[COUNT];
    fixture x;
    (void)state;
    open_formula(&x, text);
    for (int k = 0; k < COUNT; k++)
        at[k] = yk_formula_next_break(x.breaks, k ? at[k - 1] : 0.0);
    for (int k = COUNT - 1; k > 0; k--)
        CHECK_NEAR(yk_formula_next_break(x.breaks, 0.5 * (at[k - 1] + at[k])),
                   at[k], 1e-15 * at[k]);
    close_formula(&x);
}

/* Random sums and products of switches: between two instants the second
 * difference of what is straight vanishes, so none was missed. */
static void random_piecewise_linear(void **state)
{
    static const char *const part[] = {
        "max(0, %.3f - %.3f*time)",
        "abs(time - %.3f)*%.3f",
        "mod(time, %.3f)*%.3f",
        "min(%.3f*time, %.3f)",
        "pulse(time, %.3f, %.3f + 4)",
        "floor(%.3f*time)*%.3f",
        "(if time > %.3f then time else %.3f)",
        "table(time, 0, %.3f, 3, %.3f, 7, 1)",
    };
    enum { PARTS = sizeof part / sizeof part[0] };
    unsigned long seed = 7;
    (void)state;
    for (int run = 0; run < 200; run++) {
        char text[1000] = "0";
        fixture x;
        for (int k = 0; k < 4; k++) {
            double r[2];
            for (int j = 0; j < 2; j++) {
                seed = seed * 6364136223846793005ul + 1442695040888963407ul;
                r[j] = 0.2 + 4.0 * (double)(seed >> 40) / 16777216.0;
            }
            char one[200];
            const int which = (int)((seed >> 33) % PARTS);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(one, sizeof one, part[which], r[0], r[1]);
#pragma GCC diagnostic pop
            strncat(text, run % 3 ? " + " : " - ", 4);
            if (k == 2) strncat(text, "sign(mod(time, 2.3) - 1)*", 30);
            strncat(text, one, sizeof text - strlen(text) - 1);
        }
        open_formula(&x, text);
        assert_true(yk_formula_is_piecewise_linear(&x.f, x.root));
        for (double t = 0.0; t < 12.0;) {
            const double next = fmin(12.0, yk_formula_next_break(x.breaks, t));
            const double h = next - t;
            double v[5];
            for (int j = 0; j < 5; j++) {
                yk_formula_eval(&x.f, t + h * (0.001 + 0.2495 * j), NULL);
                v[j] = x.f.value[x.root];
            }
            for (int j = 1; j < 4; j++) {
                if (!(fabs(v[j - 1] - 2 * v[j] + v[j + 1]) < 1e-9))
                    print_error("%s on [%.9g, %.9g]\n", text, t, next);
                CHECK_NEAR(v[j - 1] - 2 * v[j] + v[j + 1], 0.0, 1e-9);
            }
            t = next + 1e-12;
        }
        close_formula(&x);
    }
}

/* A random expression of time, nested; every function occurs. */
static void invent(unsigned long *seed, int depth, char *out, size_t room)
{
    static const char *const one[] = {
        "sin(%.3f*%s)",          "cos(%s - %.3f)",     "abs(%s - %.3f)",
        "mod(%s, %.3f)",         "floor(%s*%.3f)",     "exp(-abs(%s)/%.3f)",
        "sqrt(abs(%s) + %.3f)",  "tanh(%s*%.3f)",      "min(%s, %.3f)",
        "max(%s, %.3f)",         "atan(%s*%.3f)",      "(%s)^2/%.3f",
        "ceil(%s - %.3f)",       "rem(%s, %.3f)",      "sign(%s - %.3f)",
        "log(1 + abs(%s)*%.3f)", "pulse(%s, 0, %.3f)",
    };
    enum { ONE = sizeof one / sizeof one[0] };
    char a[600], b[600];

    *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
    const double r = 0.3 + 2.0 * (double)(*seed >> 40) / 16777216.0;
    const int which = (int)((*seed >> 33) % (ONE + 4));
    if (depth == 0) {
        snprintf(out, room, which % 2 ? "time" : "(%.3f*time - 1)", r);
        return;
    }
    invent(seed, depth - 1, a, sizeof a);
    if (which < ONE) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        if (which == 0)
            snprintf(out, room, one[which], r, a);
        else
            snprintf(out, room, one[which], a, r);
#pragma GCC diagnostic pop
        return;
    }
    invent(seed, depth - 1, b, sizeof b);
    snprintf(out, room, "(%s %s %s)", a,
             which == ONE       ? "+"
             : which == ONE + 1 ? "-"
                                : "*",
             b);
}

/* The sign of any expression is the same all over the time between two
 * instants. */
static void random_signs_are_constant_between(void **state)
{
    enum { RUNS = 400 };
    unsigned long seed = 3;
    (void)state;
    for (int run = 0; run < RUNS; run++) {
        char inner[1500], text[1600];
        fixture x;
        int count = 0;
        invent(&seed, 1 + run % 4, inner, sizeof inner);
        snprintf(text, sizeof text, "sign(%s - 0.4)", inner);
        open_formula(&x, text);
        for (double t = 0.0; t < 10.0 && count < 2000; count++) {
            const double next = fmin(10.0, yk_formula_next_break(x.breaks, t));
            double first = 0.0;
            for (int j = 0; j <= 40 && next - t > 1e-9; j++) {
                yk_formula_eval(
                    &x.f, t + (next - t) * (0.0005 + 0.999 * j / 40.0), NULL);
                const double v = x.f.value[x.root];
                if (j == 0) first = v;
                if (v != first)
                    print_error("%s on [%.17g, %.17g]\n", text, t, next);
                assert_true(v == first);
            }
            t = next + 4e-16 * next;
        }
        close_formula(&x);
    }
}

static void shapes_are_told(void **state)
{
    static const struct {
        const char *text;
        bool linear;
    } list[] = {
        { "3", true },
        { "2*time - 1", true },
        { "sign(sin(time))*time", true },
        { "pulse(time, 1, 2)*(3 - time)", true },
        { "table(time, 0, 1, 2, 3)", true },
        { "time^1", true },
        { "sin(time)", false },
        { "time*time", false },
        { "max(0, sin(time))", false },
        { "1/time", false },
        { "a*time", false },
        { "a*b", true },
        { "2*a - 3*b + sign(time - 1)*time", true },
        { "2*a + sin(time)", false },
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        fixture x;
        open_formula(&x, list[k].text);
        if (yk_formula_is_piecewise_linear(&x.f, x.root) != list[k].linear)
            print_error("%s\n", list[k].text);
        assert_true(yk_formula_is_piecewise_linear(&x.f, x.root) ==
                    list[k].linear);
        close_formula(&x);
    }
}

/* Parameters are numbers once they are bound. */
static void parameters_are_bound(void **state)
{
    const double y[] = { 4.0, 0.5 };
    yk_formula f = { 0 };
    yk_breaks *breaks = NULL;
    yoke_err err;
    size_t at = 0;
    int root = 0;
    (void)state;
    CHECK_OK(yk_formula_expression(&f, "a*sign(time - a) + b*time", &at, &root,
                                   &err),
             &err);
    assert_false(yk_formula_is_piecewise_linear(&f, root));
    yk_formula_bind(&f, y);
    assert_true(yk_formula_is_piecewise_linear(&f, root));
    assert_int_equal(yk_formula_kind(&f, root), YK_KIND_TIME);
    CHECK_OK(yk_breaks_create(&breaks, &f, &err), &err);
    CHECK_NEAR(yk_formula_next_break(breaks, 0.0), 4.0, 0.0);
    yk_formula_eval(&f, 5.0, NULL);
    CHECK_NEAR(f.value[root], 6.5, 0.0);
    yk_breaks_free(breaks);
    yk_formula_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_formulas_have_none),
        cmocka_unit_test(linear_arguments_are_exact),
        cmocka_unit_test(periods_go_on),
        cmocka_unit_test(other_arguments_are_found),
        cmocka_unit_test(narrow_pulses_are_found),
        cmocka_unit_test(rounding_is_no_event),
        cmocka_unit_test(a_touch_is_one_instant),
        cmocka_unit_test(answers_do_not_depend_on_the_order),
        cmocka_unit_test(random_piecewise_linear),
        cmocka_unit_test(random_signs_are_constant_between),
        cmocka_unit_test(shapes_are_told),
        cmocka_unit_test(parameters_are_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
