/* expr/breaks_test.c -- every instant at which functions of time switch is
 * found, no other is, and it takes no more enclosures than it did. */
#include "check.h"

#include "expr/breaks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions in postfix: `0.9 t sin <` is 0.9 < sin(time) -------------- */

static const struct {
    const char *word;
    yk_op op;
} words[] = {
    { "t", YK_OP_TIME },          { "+", YK_OP_ADD },
    { "-", YK_OP_SUBTRACT },      { "*", YK_OP_MULTIPLY },
    { "/", YK_OP_DIVIDE },        { "^", YK_OP_POWER },
    { "<", YK_OP_LESS },          { "<=", YK_OP_LESS_EQUAL },
    { "not", YK_OP_NOT },         { "and", YK_OP_AND },
    { "or", YK_OP_OR },           { "if", YK_OP_IF },
    { "min", YK_OP_MIN },         { "max", YK_OP_MAX },
    { "abs", YK_OP_ABS },         { "sign", YK_OP_SIGN },
    { "floor", YK_OP_FLOOR },     { "round", YK_OP_ROUND },
    { "trunc", YK_OP_TRUNC },     { "sin", YK_OP_SIN },
    { "cos", YK_OP_COS },         { "tan", YK_OP_TAN },
    { "exp", YK_OP_EXP },         { "sqrt", YK_OP_SQRT },
    { "table", YK_OP_LINES },     { "v", YK_OP_VARIABLE },
    { "rounded", YK_OP_ROUNDED },
};

static const double rows[] = { 1.0, 0.0, 4.0, 1.0, 9.0, 0.0 };

typedef struct fixture {
    yk_expr_program p;
    yk_breaks *breaks;
    double value[100];
} fixture;

static void put(fixture *x, const char *word, int *stack, int *top)
{
    yk_expr_step s = { .op = YK_OP_NUMBER, .number = 1.0 };
    int operands, at = 0;
    yoke_err err;

    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(words[k].word, word) == 0) s.op = words[k].op;
    if (s.op == YK_OP_NUMBER) s.number = strtod(word, NULL);
    if (s.op == YK_OP_LINES || s.op == YK_OP_ROUNDED) {
        s.table = rows;
        s.arg = 3;
    }
    operands = yk_op_operands(s.op);
    *top -= operands;
    if (operands > 0) s.a = stack[*top];
    if (operands > 1) s.b = stack[*top + 1];
    if (operands > 2) s.c = stack[*top + 2];
    CHECK_OK(yk_expr_append(&x->p, s, &at, &err), &err);
    stack[(*top)++] = at;
}

static void open_function(fixture *x, const char *text)
{
    int stack[20] = { 0 }, top = 0;
    yoke_err err;

    *x = (fixture){ .breaks = NULL };
    for (const char *p = text; *p; p += strspn(p, " ")) {
        char word[20];
        const int length = (int)strcspn(p, " ");
        snprintf(word, sizeof word, "%.*s", length, p);
        put(x, word, stack, &top);
        p += length;
    }
    assert_int_equal(top, 1);
    assert_true(x->p.steps <= 100);
    CHECK_OK(yk_breaks_add(&x->breaks, x->p.steps, x->p.step, &err), &err);
}

static void close_function(fixture *x)
{
    yk_breaks_free(x->breaks);
    yk_expr_clear(&x->p);
}

static double value_at(fixture *x, double t)
{
    yk_expr_values(x->p.step, x->p.steps, t, NULL, x->value);
    return x->value[x->p.steps - 1];
}

/* ---- all instants, and the work ------------------------------------------ */

/* A relation or floor: constant between two instants. */
static void check_piece(fixture *x, const char *text, double from, double to)
{
    const double first = value_at(x, from + 0.003 * (to - from));

    for (int k = 1; k < 50 && to - from > 1e-12 * fabs(to); k++) {
        const double t = from + (to - from) * (0.003 + 0.994 * k / 50.0);
        if (value_at(x, t) != first)
            fail_msg("%s changes in (%.17g, %.17g), at %.17g", text, from, to,
                     t);
    }
}

/* Text, end, instants up to there, and the most enclosures for them. */
static const struct nasty {
    const char *text;
    double end;
    int instants;
    long looks;
} nasty[] = {
    { "0.9 6.28e3 t * sin <", 0.1, 200, 1680 },
    { "t t 1e-3 / floor 1e-3 * - 1e-6 <", 0.0995, 199, 0 },
    { "0.5 0 1e8 t 0.5 - 2 ^ * - exp <", 10.0, 2, 50 },
    { "1e6 t <", 2e6, 1, 0 },
    { "1.5 t sin t cos + <", 100.0, 0, 310 },
    { "1 1e-10 - t sin <", 100.0, 32, 850 },
    { "0.5 t 2 ^ sin <", 20.0, 128, 1120 },
    { "0.3 0 t - exp 20 t * sin * <", 50.0, 8, 90 },
    { "t 2 - 2 ^ 1e-8 <", 10.0, 2, 56 },
    { "t cos 3 t * sin abs <", 30.0, 55, 660 },
    { "2.5 t sin * floor", 30.0, 47, 157 },
    { "0.999 1000 t * sin 0 t - exp * <", 10.0, 0, 42 },
    { "t t 0.01 / floor 0.01 * - 5 * 7 t * sin 3 t * cos t sin * + <", 5.0, 510,
      600 },
    { "0.49999 t 1 t 2 ^ + / <", 100.0, 2, 86 },
    { "3 t tan <", 30.0, 20, 3200 },
    /* one that never switches beside one that often does */
    { "1.5 t sin t cos + < t 1e-3 / floor +", 0.9995, 999, 1100 },
};

/* `looks` of the search, and one for what rounding does at each instant. */
static void nasty_functions_cost_little(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof nasty / sizeof *nasty; k++) {
        const struct nasty *n = &nasty[k];
        fixture x;
        int count = 0;
        double t = 0.0;

        open_function(&x, n->text);
        for (;;) {
            const double next = yk_breaks_after(x.breaks, t, n->end);
            check_piece(&x, n->text, t, fmin(next, n->end));
            if (!(next < n->end)) break;
            assert_true(next > t);
            t = next;
            count++;
        }
        if (count != n->instants ||
            yk_breaks_looks(x.breaks) > n->looks + n->instants)
            fail_msg("%s: %d instants, %ld enclosures", n->text, count,
                     yk_breaks_looks(x.breaks));
        close_function(&x);
    }
}

/* ---- exact instants -------------------------------------------------------
 */

static void expect(const char *text, double until, int count, const double *at)
{
    fixture x;
    double t = 0.0;

    open_function(&x, text);
    for (int k = 0; k < count; k++) {
        t = yk_breaks_after(x.breaks, t, until);
        CHECK_NEAR(t, at[k], 1e-15 * fabs(at[k]));
    }
    t = yk_breaks_after(x.breaks, t, until);
    if (!isinf(t)) fail_msg("%s: %.17g is one too many", text, t);
    close_function(&x);
}

#define EXPECT(text, until, ...)                                               \
    do {                                                                       \
        const double list[] = { __VA_ARGS__ };                                 \
        expect(text, until, (int)(sizeof list / sizeof list[0]), list);        \
    } while (0)

static void levels_of_every_kind(void **state)
{
    (void)state;
    EXPECT("t 3 - sign", 10.0, 3.0);
    EXPECT("t 4 * round", 0.7, 0.125, 0.375, 0.625);
    EXPECT("5 2 t * - trunc", 3.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0);
    EXPECT("t sqrt floor", 10.0, 1.0, 4.0, 9.0);
    EXPECT("t table", 10.0, 1.0, 4.0, 9.0);
    EXPECT("t 2 ^ table", 10.0, 1.0, 2.0, 3.0);
    EXPECT("10 t - table", 10.0, 1.0, 6.0, 9.0);
    EXPECT("t rounded", 10.0, 0.7, 1.3, 3.7, 4.3, 8.5, 9.5);
    EXPECT("t 2 - abs 1 - abs", 10.0, 1.0, 2.0, 3.0);
    EXPECT("t 1 < t 2 < and not t 3 if", 10.0, 1.0, 2.0);
    EXPECT("t floor 2.5 min", 3.5, 1.0, 2.0, 3.0);
}

/* What touches its level, or rests there, does not switch. */
static void touches_are_no_instants(void **state)
{
    (void)state;
    expect("t 2 - 2 ^ 0 <", 10.0, 0, NULL);
    expect("1 0 t 2 - 2 ^ - exp <", 10.0, 0, NULL);
    expect("0 t sin 1 - <", 30.0, 0, NULL);
    EXPECT("t 3 - 0 max abs", 10.0, 3.0);
    expect("t sin 2 ^ t cos 2 ^ + 1 - sign", 1000.0, 0, NULL);
}

/* Nor is the branch at a touch in the middle of a piece that of the piece. */
static void a_touch_in_the_middle_hides_nothing(void **state)
{
    const double up = asin(0.4), pi = acos(-1.0);
    (void)state;

    EXPECT("t sin t sin trunc - 0.4 <", pi, up, pi - up);
}

/* What depends on variables is no matter of time. */
static void variables_are_left_out(void **state)
{
    fixture x;
    (void)state;

    open_function(&x, "v t * 0.5 <");
    assert_null(x.breaks);
    close_function(&x);
    EXPECT("v t 2 < *", 10.0, 2.0);
}

/* Several functions, with parts in common. */
static void functions_are_added(void **state)
{
    const double at[] = { 1.0, 2.0, 2.5, 3.0 };
    fixture x, y;
    yoke_err err;
    double t = 0.0;
    (void)state;

    open_function(&x, "t floor 2.5 min");
    open_function(&y, "t 2.5 < t floor *");
    CHECK_OK(yk_breaks_add(&x.breaks, y.p.steps, y.p.step, &err), &err);
    for (int k = 0; k < 4; k++) {
        t = yk_breaks_after(x.breaks, t, 3.0);
        CHECK_NEAR(t, at[k], 0.0);
    }
    assert_true(isinf(yk_breaks_after(x.breaks, t, 3.0)));
    close_function(&y);
    close_function(&x);
}

/* ---- asking ---------------------------------------------------------------
 */

/* Forward, back, far away, with any `until`: the same instants. */
static void answers_do_not_depend_on_questions(void **state)
{
    enum { COUNT = 3000 };
    static double at[COUNT];
    unsigned long seed = 5;
    fixture x;
    (void)state;

    open_function(&x, "0.5 7 t * sin < t t 0.3 / floor 0.3 * - 0.1 < +");
    for (int k = 0; k < COUNT; k++)
        at[k] = yk_breaks_after(x.breaks, k ? at[k - 1] : 0.0, INFINITY);
    close_function(&x);
    open_function(&x, "0.5 7 t * sin < t t 0.3 / floor 0.3 * - 0.1 < +");
    for (int k = 0; k < 2000; k++) {
        seed = seed * 6364136223846793005ul + 1442695040888963407ul;
        const int i = 1 + (int)((seed >> 33) % (COUNT - 1));
        const double t = 0.4 * at[i - 1] + 0.6 * at[i];
        if (k % 3 == 0)
            assert_true(isinf(yk_breaks_after(x.breaks, t, 0.5 * (t + at[i]))));
        CHECK_NEAR(yk_breaks_after(x.breaks, t, at[COUNT - 1] + 1.0), at[i],
                   1e-15 * at[i]);
    }
    close_function(&x);
}

/* Drivers ask a rounding before an instant whether they stand at it. */
static void an_instant_just_ahead_hides_no_other(void **state)
{
    fixture x;
    (void)state;

    open_function(&x, "t floor t 10.8 < *");
    CHECK_NEAR(yk_breaks_after(x.breaks, -1e-20, INFINITY), 0.0, 0.0);
    CHECK_NEAR(yk_breaks_after(x.breaks, 9.5, INFINITY), 10.0, 0.0);
    CHECK_NEAR(yk_breaks_after(x.breaks, 10.0, INFINITY), 10.8, 0.0);
    close_function(&x);
}

static void asking_does_not_allocate(void **state)
{
    fixture x;
    (void)state;

    open_function(&x, "t sin t cos floor max 0.3 <");
    fault_allocator(0);
    for (double t = 0.0; t < 100.0;) t = yk_breaks_after(x.breaks, t, 1000.0);
    assert_int_equal(fault_requests(), 0);
    fault_restore();
    close_function(&x);
}

/* Bounds tell nothing beside a pole; instants near it are found all the same.
 */
static void poles_are_passed(void **state)
{
    const double first = asin(0.5), pi = acos(-1.0);
    fixture x;
    double t = 0.0;
    int count = 0;
    (void)state;

    open_function(&x, "2 1 t sin / <");
    while (t < 0.99 * first && count++ < 10)
        t = yk_breaks_after(x.breaks, t, 3.0);
    CHECK_NEAR(t, first, 1e-15);
    CHECK_NEAR(yk_breaks_after(x.breaks, t, 3.0), pi - first, 1e-15);
    close_function(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nasty_functions_cost_little),
        cmocka_unit_test(levels_of_every_kind),
        cmocka_unit_test(touches_are_no_instants),
        cmocka_unit_test(a_touch_in_the_middle_hides_nothing),
        cmocka_unit_test(variables_are_left_out),
        cmocka_unit_test(functions_are_added),
        cmocka_unit_test(answers_do_not_depend_on_questions),
        cmocka_unit_test(an_instant_just_ahead_hides_no_other),
        cmocka_unit_test(asking_does_not_allocate),
        cmocka_unit_test(poles_are_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
