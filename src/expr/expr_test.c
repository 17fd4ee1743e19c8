/* The list of operations: values, derivatives, rates and enclosures agree. */
#include "check.h"

#include "expr/program.h"
#include "expr/table.h"

#include <math.h>

enum { MOST = 16 };

static const double rows[] = { -1.0, 0.5, 0.25, 2.0, 1.0, -1.0, 3.0, 0.0 };

/* Operands at which the operation is smooth and defined: scale (t + t^2 / 3)
 * + shift for t in [0, 1/2]. */
static double scale_of(yk_op op)
{
    switch (op) {
    case YK_OP_ASIN:
    case YK_OP_ACOS:
    case YK_OP_ATANH:
    case YK_OP_TAN:
        return 0.3;
    default:
        return yk_op_is_table(op) ? 0.2 : 0.7;
    }
}

static double shift_of(yk_op op)
{
    if (op == YK_OP_ACOSH) return 1.5;
    return yk_op_corner(op) == YK_SMOOTH ? 0.2 : 0.55;
}

/* Steps of op(a, b, c) with operands that move with time, or of variables. */
static int write(yk_expr_program *p, yk_op op, bool time)
{
    yoke_err err = { YOKE_OK, "" };
    int at[3], k, t = 0, square, root = 0;

    p->steps = 0;
    for (int i = 0; i < 3; i++) {
        if (!time) {
            const yk_expr_step y = { .op = YK_OP_VARIABLE,
                                     .arg = i,
                                     .number = 1.0 };
            CHECK_OK(yk_expr_append(p, y, &at[i], &err), &err);
            continue;
        }
        const double scale = i == 0 ? scale_of(op) : 0.3 * i;
        const double shift = i == 0 ? shift_of(op) : 1.0 + i;
        CHECK_OK(
            yk_expr_append(p, (yk_expr_step){ .op = YK_OP_TIME }, &t, &err),
            &err);
        CHECK_OK(yk_expr_append(
                     p, (yk_expr_step){ .op = YK_OP_MULTIPLY, .a = t, .b = t },
                     &square, &err),
                 &err);
        CHECK_OK(yk_expr_append(
                     p,
                     (yk_expr_step){ .op = YK_OP_NUMBER, .number = 1.0 / 3.0 },
                     &k, &err),
                 &err);
        CHECK_OK(
            yk_expr_append(
                p, (yk_expr_step){ .op = YK_OP_MULTIPLY, .a = square, .b = k },
                &square, &err),
            &err);
        CHECK_OK(yk_expr_append(
                     p, (yk_expr_step){ .op = YK_OP_ADD, .a = t, .b = square },
                     &t, &err),
                 &err);
        CHECK_OK(yk_expr_append(
                     p, (yk_expr_step){ .op = YK_OP_NUMBER, .number = scale },
                     &k, &err),
                 &err);
        CHECK_OK(yk_expr_append(
                     p, (yk_expr_step){ .op = YK_OP_MULTIPLY, .a = t, .b = k },
                     &t, &err),
                 &err);
        CHECK_OK(yk_expr_append(
                     p, (yk_expr_step){ .op = YK_OP_NUMBER, .number = shift },
                     &k, &err),
                 &err);
        CHECK_OK(
            yk_expr_append(p, (yk_expr_step){ .op = YK_OP_ADD, .a = t, .b = k },
                           &at[i], &err),
            &err);
    }
    const yk_expr_step last = {
        .op = op, .a = at[0], .b = at[1], .c = at[2], .arg = 4, .table = rows
    };
    CHECK_OK(yk_expr_append(p, last, &root, &err), &err);
    return root;
}

static bool has_value(yk_op op)
{
    return yk_op_operands(op) > 0 && op != YK_OP_HOLD;
}

static double at_time(const yk_expr_program *p, int root, double t, double *v)
{
    yk_expr_values(p->step, p->steps, t, NULL, v);
    return v[root];
}

/* The error of the differences is about h^2 = 1e-10. */
static void gradients_are_those_of_differences(void **state)
{
    (void)state;
    yk_expr_program p = { 0 };
    double v[MOST], bar[MOST], slope[3];

    for (int op = 0; op < YK_OP_COUNT; op++) {
        if (!has_value((yk_op)op)) continue;
        const int root = write(&p, (yk_op)op, false);
        double y[3] = { shift_of((yk_op)op), 1.3, 0.7 };
        yk_expr_values(p.step, p.steps, 0.0, y, v);
        yk_expr_gradient(p.step, root, v, 3, slope, bar);
        for (int k = 0; k < 3; k++) {
            const double h = 1e-5, here = y[k];
            y[k] = here + h;
            yk_expr_values(p.step, p.steps, 0.0, y, v);
            const double up = v[root];
            y[k] = here - h;
            yk_expr_values(p.step, p.steps, 0.0, y, v);
            y[k] = here;
            CHECK_NEAR(slope[k], (up - v[root]) / (2.0 * h), 1e-8);
        }
    }
    yk_expr_clear(&p);
}

static void rates_are_those_of_differences(void **state)
{
    (void)state;
    yk_expr_program p = { 0 };
    double v[64], rate[128];

    for (int op = 0; op < YK_OP_COUNT; op++) {
        if (!has_value((yk_op)op)) continue;
        const int root = write(&p, (yk_op)op, true);
        const double t = 0.21, h = 1e-3;
        const double low = at_time(&p, root, t - h, v);
        const double high = at_time(&p, root, t + h, v);
        const double here = at_time(&p, root, t, v);
        yk_expr_rates(p.step, p.steps, t, NULL, v, rate);
        CHECK_NEAR(v[root], here, 1e-14);
        CHECK_NEAR(rate[2 * root], (high - low) / (2.0 * h), 2e-5);
        CHECK_NEAR(rate[2 * root + 1], (high - 2.0 * here + low) / (h * h),
                   1e-3);
    }
    yk_expr_clear(&p);
}

/* Over an interval and at points inside, value and two derivatives; the same
 * with branches held. */
static void enclosures_hold_values_and_rates(void **state)
{
    (void)state;
    yk_expr_program p = { 0 };
    double v[64], rate[128];
    yk_jet jet[64], point[64], held;

    for (int op = 0; op < YK_OP_COUNT; op++) {
        if (!has_value((yk_op)op)) continue;
        const int root = write(&p, (yk_op)op, true);
        yk_expr_enclose(p.step, p.steps, 0.1, 0.15, 2, NULL, NULL, true, jet);
        for (int k = 0; k <= 10; k++) {
            const double t = 0.1 + 0.005 * k;
            yk_expr_rates(p.step, p.steps, t, NULL, v, rate);
            const double c[3] = { v[root], rate[2 * root],
                                  0.5 * rate[2 * root + 1] };
            for (int j = 0; j < 3; j++) {
                assert_true(jet[root].c[j].lo <= c[j] + 1e-12 * fabs(c[j]));
                assert_true(jet[root].c[j].hi >= c[j] - 1e-12 * fabs(c[j]));
            }
            if (!yk_jet_knows((yk_op)op)) continue;
            yk_expr_enclose(p.step, p.steps, t, t, 2, NULL, NULL, true, point);
            const yk_expr_step *s = &p.step[root];
            const double branch = yk_expr_branch(s, v[s->a], v[s->b]);
            CHECK_NEAR(yk_expr_held_value(s, t, branch, v), c[0], 1e-14);
            yk_expr_held_jet(s, t, t, branch, 2, point, &held);
            for (int j = 0; j < 3; j++) {
                CHECK_NEAR(point[root].c[j].lo, c[j], 1e-9);
                CHECK_NEAR(point[root].c[j].hi, c[j], 1e-9);
                CHECK_NEAR(held.c[j].lo, c[j], 1e-9);
                CHECK_NEAR(held.c[j].hi, c[j], 1e-9);
            }
        }
    }
    yk_expr_clear(&p);
}

static void angles_near_the_cut_may_be_all(void **state)
{
    (void)state;
    const yk_jet up = { { { 0.1, 0.2 } } }, around = { { { -0.1, 0.2 } } };
    const yk_jet left = { { { -2.0, -1.0 } } }, right = { { { 1.0, 2.0 } } };
    yk_jet out;

    yk_jet_apply(YK_OP_ATAN2, 0, &up, &left, NULL, &out);
    assert_true(out.c[0].lo > 2.9 && out.c[0].hi < 3.1);
    yk_jet_apply(YK_OP_ATAN2, 0, &around, &left, NULL, &out);
    assert_true(out.c[0].lo < -3.1 && out.c[0].hi > 3.1);
    yk_jet_apply(YK_OP_ATAN2, 0, &around, &right, NULL, &out);
    CHECK_NEAR(out.c[0].lo, atan2(-0.1, 1.0), 1e-14);
    CHECK_NEAR(out.c[0].hi, atan2(0.2, 1.0), 1e-14);
}

static void a_branch_is_kept_beyond_its_corner(void **state)
{
    (void)state;
    const double v[] = { -3.0, 2.0 };
    const yk_expr_step size = { .op = YK_OP_ABS };
    const yk_expr_step least = { .op = YK_OP_MIN, .a = 0, .b = 1 };
    const yk_expr_step whole = { .op = YK_OP_FLOOR };
    const yk_expr_step table = { .op = YK_OP_INTERPOLATE,
                                 .arg = 4,
                                 .table = rows };

    CHECK_NEAR(yk_expr_held_value(&size, 0.0, 1.0, v), -3.0, 0.0);
    CHECK_NEAR(yk_expr_held_value(&least, 0.0, 0.0, v), 2.0, 0.0);
    CHECK_NEAR(yk_expr_held_value(&whole, 0.0, 7.0, v), 7.0, 0.0);
    CHECK_NEAR(yk_expr_branch(&table, 0.5, 0.0), 2.0, 0.0);
    /* The line through (0.25, 2) and (1, -1). */
    CHECK_NEAR(yk_expr_held_value(&table, 0.0, 2.0, v), 15.0, 1e-14);
    CHECK_NEAR(yk_expr_held_value(&table, 0.0, 0.0, v), 0.5, 0.0);
}

static void kinds_and_shapes_are_found(void **state)
{
    (void)state;
    yk_expr_step s[] = {
        { .op = YK_OP_TIME },
        { .op = YK_OP_NUMBER, .number = 2.0 },
        { .op = YK_OP_VARIABLE, .number = 1.0 },
        { .op = YK_OP_MULTIPLY, .a = 0, .b = 1 }, /* 3 */
        { .op = YK_OP_MULTIPLY, .a = 1, .b = 2 },
        { .op = YK_OP_ADD, .a = 3, .b = 4 }, /* 5 */
        { .op = YK_OP_MULTIPLY, .a = 0, .b = 2 },
        { .op = YK_OP_SIN, .a = 3 }, /* 7 */
        { .op = YK_OP_FLOOR, .a = 3 },
        { .op = YK_OP_ABS, .a = 3 }, /* 9 */
    };
    static const yk_expr_kind kind[] = {
        YK_KIND_TIME,   YK_KIND_NUMBER, YK_KIND_LINEAR,    YK_KIND_TIME,
        YK_KIND_LINEAR, YK_KIND_LINEAR, YK_KIND_NONLINEAR, YK_KIND_TIME,
        YK_KIND_TIME,   YK_KIND_TIME,
    };
    static const yk_expr_shape shape[] = {
        YK_STRAIGHT, YK_STEADY,  YK_FOREIGN, YK_STRAIGHT, YK_FOREIGN,
        YK_FOREIGN,  YK_FOREIGN, YK_CURVED,  YK_STEADY,   YK_STRAIGHT,
    };

    for (int i = 0; i < 10; i++) {
        yk_expr_classify(s, i);
        assert_true(s[i].kind == kind[i]);
        assert_true(s[i].shape == shape[i]);
    }
}

/* A factor of 0 beside an infinite slope, and a kink where the value is that
 * of its first branch. */
static void slopes_at_singular_points_are_finite(void **state)
{
    (void)state;
    const double y[] = { 0.0 };
    double v[MOST], bar[MOST], slope;
    yk_expr_step s[] = {
        { .op = YK_OP_VARIABLE, .number = 1.0 },
        { .op = YK_OP_MULTIPLY, .a = 0, .b = 0 },
        { .op = YK_OP_SQRT, .a = 1 },
        { .op = YK_OP_ABS, .a = 0 },
    };

    for (int i = 0; i < 4; i++) yk_expr_classify(s, i);
    yk_expr_values(s, 4, 0.0, y, v);
    yk_expr_gradient(s, 2, v, 1, &slope, bar);
    CHECK_NEAR(slope, 0.0, 0.0);
    yk_expr_gradient(s, 3, v, 1, &slope, bar);
    CHECK_NEAR(slope, 1.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_differences),
        cmocka_unit_test(rates_are_those_of_differences),
        cmocka_unit_test(enclosures_hold_values_and_rates),
        cmocka_unit_test(angles_near_the_cut_may_be_all),
        cmocka_unit_test(a_branch_is_kept_beyond_its_corner),
        cmocka_unit_test(kinds_and_shapes_are_found),
        cmocka_unit_test(slopes_at_singular_points_are_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
