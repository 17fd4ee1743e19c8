/* Tests of expr/hold.h: branches that are held between events. */
#include "expr/hold.h"
#include "expr/table.h"

#include "check.h"

#include <math.h>

static const double table[] = { 0.0, 1.0, 1.0, 3.0, 2.0, 0.0 };

typedef struct fixture {
    yk_expr_program program;
    yk_arena arena;
    yk_held *held;
    double y[32], v[64];
} fixture;

static int put(fixture *f, yk_op op, int a, int b, int c)
{
    int at = -1;
    const yk_expr_step step = { .op = op,
                                .a = a,
                                .b = b,
                                .c = c,
                                .arg = yk_op_is_table(op) ? 3 : 0,
                                .table = table };

    assert_int_equal(yk_expr_append(&f->program, step, &at, NULL), YOKE_OK);
    return at;
}

static int number(fixture *f, double value)
{
    int at = -1;
    const yk_expr_step step = { .op = YK_OP_NUMBER, .number = value };

    assert_int_equal(yk_expr_append(&f->program, step, &at, NULL), YOKE_OK);
    return at;
}

static int variable(fixture *f, int which)
{
    int at = -1;
    const yk_expr_step step = { .op = YK_OP_VARIABLE,
                                .arg = which,
                                .number = 1.0 };

    assert_int_equal(yk_expr_append(&f->program, step, &at, NULL), YOKE_OK);
    return at;
}

static void make(fixture *f, bool kinks)
{
    static const bool open[] = { true, true };

    assert_int_equal(yk_held_make(&f->held, &f->arena, f->program.steps,
                                  f->program.step, 2, open, kinks, NULL),
                     YOKE_OK);
}

static void clear(fixture *f)
{
    yk_expr_clear(&f->program);
    yk_arena_clear(&f->arena);
}

static double held_value(fixture *f, double x)
{
    f->y[0] = x;
    yk_expr_values(f->held->step, f->held->steps, 0.0, f->y, f->v);
    return f->v[f->held->steps - 1];
}

/* What belongs to x is held from now on. */
static void settle(fixture *f, double x)
{
    for (int round = 0; round <= f->held->holds; round++)
        for (int k = 0; k < f->held->holds; k++) {
            held_value(f, x);
            yk_held_set(f->held, k,
                        yk_hold_value(&f->held->hold[k],
                                      yk_held_argument(f->held, k, f->v)),
                        f->y);
        }
}

static double value(fixture *f, double x)
{
    const double y[2] = { x, 0.0 };
    double v[64];

    yk_expr_values(f->program.step, f->program.steps, 0.0, y, v);
    return v[f->program.steps - 1];
}

/* ---- values --------------------------------------------------------------- */

static void a_held_operation_has_its_value_where_the_branch_fits(void **state)
{
    static const yk_op op[] = {
        YK_OP_ABS,   YK_OP_SIGN,  YK_OP_FLOOR, YK_OP_CEIL,
        YK_OP_TRUNC, YK_OP_ROUND, YK_OP_LINES, YK_OP_INTERPOLATE,
        YK_OP_MIN,   YK_OP_MAX,   YK_OP_LESS,  YK_OP_LESS_EQUAL
    };

    (void)state;
    for (size_t i = 0; i < sizeof op / sizeof *op; i++) {
        fixture f = { 0 };
        const int x = variable(&f, 0), half = number(&f, 0.5);
        put(&f, op[i], x, yk_op_operands(op[i]) > 1 ? half : 0, 0);
        make(&f, true);
        assert_non_null(f.held);
        for (double at = -2.65; at < 3.0; at += 0.1) {
            settle(&f, at);
            CHECK_NEAR(held_value(&f, at), value(&f, at), 0.0);
        }
        clear(&f);
    }
}

static void a_branch_is_continued_beyond_its_end(void **state)
{
    fixture f = { 0 };
    const int x = variable(&f, 0);

    (void)state;
    put(&f, YK_OP_ABS, x, 0, 0);
    make(&f, true);
    settle(&f, 1.0);
    CHECK_NEAR(held_value(&f, -0.25), -0.25, 0.0);
    CHECK_NEAR(yk_hold_above(&f.held->hold[0], -0.25, 1.0), 0.25, 0.0);
    assert_true(yk_hold_above(&f.held->hold[0], 0.25, 1.0) < 0.0);
    clear(&f);
}

static void the_next_branch_follows_from_the_last(void **state)
{
    const yk_hold whole = { .op = YK_OP_FLOOR };
    const yk_hold less = { .op = YK_OP_LESS };
    const yk_hold piece = {
        .op = YK_OP_INTERPOLATE, .kink = true, .rows = 3, .table = table
    };

    (void)state;
    /* At the end up to rounding, from either side. */
    CHECK_NEAR(yk_hold_change(&whole, 3.0 - 1e-15, 2.0), 3.0, 0.0);
    CHECK_NEAR(yk_hold_change(&whole, 2.0, 2.0), 1.0, 0.0);
    CHECK_NEAR(yk_hold_change(&less, 0.0, 1.0), 0.0, 0.0);
    CHECK_NEAR(yk_hold_change(&piece, 1.0 - 1e-15, 0.5), 1.5, 0.0);
    CHECK_NEAR(yk_hold_change(&piece, 1.0, 1.5), 0.5, 0.0);
}

/* ---- what is held --------------------------------------------------------- */

/* x > 0 ? a : b */
static void choose(fixture *f, int a, int b, int x)
{
    const int zero = number(f, 0.0);

    put(f, YK_OP_IF, put(f, YK_OP_LESS, zero, x, 0), a, b);
}

static void a_continuous_choice_is_a_kink(void **state)
{
    fixture f = { 0 };
    const int x = variable(&f, 0), zero = number(&f, 0.0);

    (void)state;
    choose(&f, put(&f, YK_OP_MULTIPLY, x, x, 0), zero, x);
    make(&f, true);
    assert_int_equal(f.held->holds, 1);
    assert_true(f.held->hold[0].kink);
    clear(&f);
}

static void a_choice_that_jumps_is_none(void **state)
{
    fixture f = { 0 };
    const int x = variable(&f, 0), one = number(&f, 1e-3);

    (void)state;
    choose(&f, put(&f, YK_OP_MULTIPLY, x, x, 0), one, x);
    make(&f, true);
    assert_int_equal(f.held->holds, 1);
    assert_false(f.held->hold[0].kink);
    assert_int_equal(f.held->kinks, 0);
    clear(&f);
}

static void a_kink_under_a_root_is_watched(void **state)
{
    fixture f = { 0 };
    const int x = variable(&f, 0), zero = number(&f, 0.0);

    (void)state;
    put(&f, YK_OP_SQRT, put(&f, YK_OP_MAX, x, zero, 0), 0, 0);
    make(&f, true);
    assert_int_equal(f.held->holds, 1);
    assert_true(f.held->hold[0].watched);
    settle(&f, 1.0);
    CHECK_NEAR(held_value(&f, -1.0), 0.0, 0.0);
    clear(&f);
}

static void a_power_of_an_absolute_value_is_smooth(void **state)
{
    (void)state;
    for (double exponent = 1.0; exponent < 5.0; exponent += 2.0) {
        fixture f = { 0 };
        const int x = variable(&f, 0), b = number(&f, exponent);
        put(&f, YK_OP_POWER, put(&f, YK_OP_ABS, x, 0, 0), b, 0);
        make(&f, true);
        assert_int_equal(f.held ? f.held->holds : 0, exponent < 2.0);
        clear(&f);
    }
}

static void without_kinks_only_jumps_are_held(void **state)
{
    fixture f = { 0 };
    const int x = variable(&f, 0);
    const int bend = put(&f, YK_OP_ABS, x, 0, 0);

    (void)state;
    put(&f, YK_OP_ADD, bend, put(&f, YK_OP_SIGN, x, 0, 0), 0);
    make(&f, false);
    assert_int_equal(f.held->holds, 2);
    assert_int_equal(f.held->kinks, 0);
    clear(&f);
}

static void what_depends_on_time_alone_is_not_held(void **state)
{
    fixture f = { 0 };
    const int t = put(&f, YK_OP_TIME, 0, 0, 0);

    (void)state;
    put(&f, YK_OP_ADD, variable(&f, 0), put(&f, YK_OP_ABS, t, 0, 0), 0);
    make(&f, true);
    assert_null(f.held);
    clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_operation_has_its_value_where_the_branch_fits),
        cmocka_unit_test(a_branch_is_continued_beyond_its_end),
        cmocka_unit_test(the_next_branch_follows_from_the_last),
        cmocka_unit_test(a_continuous_choice_is_a_kink),
        cmocka_unit_test(a_choice_that_jumps_is_none),
        cmocka_unit_test(a_kink_under_a_root_is_watched),
        cmocka_unit_test(a_power_of_an_absolute_value_is_smooth),
        cmocka_unit_test(without_kinks_only_jumps_are_held),
        cmocka_unit_test(what_depends_on_time_alone_is_not_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
