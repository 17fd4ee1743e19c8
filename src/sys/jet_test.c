/* Taylor coefficients with bounds: right at points, and wide enough. */
#include "check.h"

#include "sys/course.h"

#include <math.h>

enum { ORDER = YOKE_COURSE_ORDER };

typedef struct one {
    yk_op op;
    double (*f)(double);
    double scale, shift; /* of the argument, so that it is defined */
} one;

static double negative(double x)
{
    return -x;
}

static const one functions[] = {
    { YK_OP_NEGATE, negative, 1, 0 }, { YK_OP_ABS, fabs, 1, -5 },
    { YK_OP_SQRT, sqrt, 1, 3 },       { YK_OP_EXP, exp, 1, 0 },
    { YK_OP_LOG, log, 1, 3 },         { YK_OP_SIN, sin, 2, 1 },
    { YK_OP_COS, cos, 2, 1 },         { YK_OP_TAN, tan, 0.3, 0.1 },
    { YK_OP_ASIN, asin, 0.2, 0.1 },   { YK_OP_ACOS, acos, 0.2, 0.1 },
    { YK_OP_ATAN, atan, 1, 0.3 },     { YK_OP_SINH, sinh, 1, 0.2 },
    { YK_OP_COSH, cosh, 1, 0.2 },     { YK_OP_TANH, tanh, 1, 0.2 },
    { YK_OP_ASINH, asinh, 1, 0.2 },   { YK_OP_ACOSH, acosh, 0.4, 3 },
    { YK_OP_ATANH, atanh, 0.2, 0 },
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* The argument: scale (t + t^2 / 3) + shift. */
static double argument(const one *c, double t)
{
    return c->scale * (t + t * t / 3.0) + c->shift;
}

static int write_argument(const one *c, yk_expr_step *s)
{
    const yk_expr_step step[] = {
        { .op = YK_OP_TIME },
        { .op = YK_OP_MULTIPLY, .a = 0, .b = 0 },
        { .op = YK_OP_NUMBER, .number = 3.0 },
        { .op = YK_OP_DIVIDE, .a = 1, .b = 2 },
        { .op = YK_OP_ADD, .a = 0, .b = 3 },
        { .op = YK_OP_NUMBER, .number = c->scale },
        { .op = YK_OP_MULTIPLY, .a = 5, .b = 4 },
        { .op = YK_OP_NUMBER, .number = c->shift },
        { .op = YK_OP_ADD, .a = 6, .b = 7 },
    };

    for (int i = 0; i < 9; i++) s[i] = step[i];
    return 9;
}

static const yoke_courses *tell(yk_course_list *list, int steps,
                                const yk_expr_step *step)
{
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_courses_add(list, steps, step, &err), &err);
    return yk_courses_tell(list);
}

/* The polynomial at t with the coefficients of c there, d away. */
static double continued(double (*c)[2], double d)
{
    double sum = 0.0;

    for (int k = ORDER; k >= 0; k--) sum = sum * d + 0.5 * (c[k][0] + c[k][1]);
    return sum;
}

static void check_inside(const yoke_courses *g, double from, double to)
{
    double wide[ORDER + 1][2], at[ORDER + 1][2];

    g->enclose(g->self, 0, from, to, ORDER, wide);
    for (int i = 0; i <= 10; i++) {
        const double t = from + (to - from) * i / 10;
        g->enclose(g->self, 0, t, t, ORDER, at);
        for (int k = 0; k <= ORDER; k++) {
            const double slack = 1e-12 * (1.0 + fabs(at[k][0]));
            assert_true(at[k][1] - at[k][0] <= 1e-9 * (1 + fabs(at[k][0])));
            assert_true(wide[k][0] <= at[k][0] + slack);
            assert_true(wide[k][1] >= at[k][1] - slack);
        }
    }
}

static void functions_have_their_coefficients(void **state)
{
    (void)state;
    for (int i = 0; i < FUNCTIONS; i++) {
        const one *c = &functions[i];
        yk_course_list list = { 0 };
        yk_expr_step step[10];
        double at[ORDER + 1][2];
        const int n = write_argument(c, step);
        step[n] = (yk_expr_step){ .op = c->op, .a = n - 1, .b = -1, .c = -1 };
        const yoke_courses *g = tell(&list, n + 1, step);
        assert_non_null(g);
        for (double t = -0.4; t < 0.6; t += 0.19) {
            const double d = 0.01, size = 1.0 + fabs(c->f(argument(c, t)));
            g->enclose(g->self, 0, t, t, ORDER, at);
            CHECK_NEAR(continued(at, 0.0), c->f(argument(c, t)), 1e-14 * size);
            CHECK_NEAR(continued(at, d), c->f(argument(c, t + d)), 2e-8 * size);
            CHECK_NEAR(continued(at, 0.1 * d), c->f(argument(c, t + 0.1 * d)),
                       2e-13 * size);
            check_inside(g, t, t + 0.15);
        }
        yk_courses_clear(&list);
    }
}

/* (1 + t^2)^p for several p, and a quotient. */
static void powers_and_quotients(void **state)
{
    static const double p[] = { -3, -1,  -0.5, 0.5, 2,   3,
                                7,  2.4, 64,   65,  200, 80.5 };
    (void)state;
    for (int i = 0; i < 12; i++) {
        const yk_expr_step step[] = {
            { .op = YK_OP_TIME },
            { .op = YK_OP_MULTIPLY, .a = 0, .b = 0 },
            { .op = YK_OP_NUMBER, .number = 1.0 },
            { .op = YK_OP_ADD, .a = 1, .b = 2 },
            { .op = YK_OP_NUMBER, .number = p[i] },
            { .op = YK_OP_POWER, .a = 3, .b = 4 },
        };
        yk_course_list list = { 0 };
        double at[ORDER + 1][2];
        const yoke_courses *g = tell(&list, 6, step);
        g->enclose(g->self, 0, 0.4, 0.4, ORDER, at);
        const double d = 1e-3 / fmax(1.0, fabs(p[i]));
        const double exact = pow(1.0 + (0.4 + d) * (0.4 + d), p[i]);
        CHECK_NEAR(continued(at, d), exact, 1e-12 * fmax(exact, 1.0));
        check_inside(g, 0.3, 0.5);
        yk_courses_clear(&list);
    }
}

/* High powers of what changes its sign are known, and narrow. */
static void high_powers_of_any_sign(void **state)
{
    static const double p[] = { 65, 66, 2000, 2001, -2000 };
    (void)state;
    for (int i = 0; i < 5; i++) {
        const yk_expr_step step[] = {
            { .op = YK_OP_TIME },
            { .op = YK_OP_SIN, .a = 0 },
            { .op = YK_OP_NUMBER, .number = p[i] },
            { .op = YK_OP_POWER, .a = 1, .b = 2 },
        };
        const bool odd = fmod(p[i], 2.0) != 0.0;
        yk_course_list list = { 0 };
        double at[ORDER + 1][2];
        const yoke_courses *g = tell(&list, 4, step);
        g->enclose(g->self, 0, -2.0, 2.0, ORDER, at);
        if (p[i] < 0.0) {
            assert_true(at[0][0] == -INFINITY && at[0][1] == INFINITY);
        } else {
            CHECK_NEAR(at[0][0], odd ? -1.0 : 0.0, 1e-12);
            CHECK_NEAR(at[0][1], 1.0, 1e-12);
            for (int k = 1; k <= ORDER; k++) assert_true(at[k][1] < 1e15);
            check_inside(g, 1.5, 1.6);
            g->enclose(g->self, 0, -0.5, 0.5, ORDER, at);
            assert_true(at[0][1] < 1e-20 && at[ORDER][1] < 1e-10);
        }
        yk_courses_clear(&list);
    }
}

/* exp(-((t - 7)/w)^2) and w / cosh: nothing is lost where they overflow. */
static void narrow_ones_are_bounded_from_afar(void **state)
{
    const yk_expr_step step[] = {
        { .op = YK_OP_TIME },
        { .op = YK_OP_NUMBER, .number = 7.0 },
        { .op = YK_OP_SUBTRACT, .a = 0, .b = 1 },
        { .op = YK_OP_NUMBER, .number = 1e-6 },
        { .op = YK_OP_DIVIDE, .a = 2, .b = 3 },
        { .op = YK_OP_COSH, .a = 4, .b = -1 },
        { .op = YK_OP_DIVIDE, .a = 1, .b = 5 },
    };
    yk_course_list list = { 0 };
    double at[ORDER + 1][2];
    (void)state;
    const yoke_courses *g = tell(&list, 7, step);
    g->enclose(g->self, 0, 0.0, 100.0, ORDER, at);
    assert_true(at[0][1] >= 7.0 && at[0][1] < 7.001 && at[0][0] <= 0.0);
    g->enclose(g->self, 0, 8.0, 100.0, ORDER, at);
    assert_true(at[0][1] < 1e-300 && at[0][0] > -1e-300);
    yk_courses_clear(&list);
}

/* abs, min, tables: the hull of the branches; straight lines are no courses. */
static void branches_and_straight_lines(void **state)
{
    static const double row[] = { 0, 0, 1, 2, 3, 2 };
    yk_expr_step step[] = {
        { .op = YK_OP_TIME },
        { .op = YK_OP_INTERPOLATE, .a = 0, .arg = 3, .table = row },
        { .op = YK_OP_ABS, .a = 1, .b = -1 },
        { .op = YK_OP_MULTIPLY, .a = 2, .b = 0 },
    };
    yk_course_list list = { 0 };
    double at[ORDER + 1][2];
    (void)state;
    assert_null(tell(&list, 1, step));
    assert_null(tell(&list, 2, step));
    assert_null(tell(&list, 3, step));
    const yoke_courses *g = tell(&list, 4, step);
    assert_int_equal(g->count, 1);
    assert_int_equal(tell(&list, 4, step)->count, 1);
    g->enclose(g->self, 0, 0.5, 2.0, 2, at);
    assert_true(at[0][0] <= 0.5 && at[0][1] >= 4.0);
    assert_true(at[1][0] <= 2.0 && at[1][1] >= 4.0); /* 2t, then 2 */
    g->enclose(g->self, 0, 0.5, 0.5, 2, at);
    CHECK_NEAR(at[0][0], 0.5, 1e-14);
    CHECK_NEAR(at[1][1], 2.0, 1e-13);
    CHECK_NEAR(at[2][1], 2.0, 1e-13);
    yk_courses_clear(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_their_coefficients),
        cmocka_unit_test(powers_and_quotients),
        cmocka_unit_test(high_powers_of_any_sign),
        cmocka_unit_test(narrow_ones_are_bounded_from_afar),
        cmocka_unit_test(branches_and_straight_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
