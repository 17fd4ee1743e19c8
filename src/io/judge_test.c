/* io/judge_test.c */
#include "yoke/result.h"

#include "check.h"

#include <math.h>

enum { MOST = 400 };

static yoke_table table_of(int rows, double *value)
{
    static char time[] = "time", x[] = "x", none[] = "";
    static char *name[] = { time, x }, *unit[] = { none, none };
    return (yoke_table){ rows, 2, name, unit, value };
}

static yoke_verdict judged(const yoke_table *a, const yoke_table *b,
                           double rtol)
{
    yoke_verdict v, w;
    yoke_err err;

    CHECK_OK(yoke_table_judge(a, b, "x", rtol, 0.0, &v, &err), &err);
    CHECK_OK(yoke_table_judge(b, a, "x", rtol, 0.0, &w, &err), &err);
    assert_int_equal(v.outcome, w.outcome);
    return v;
}

static void the_tolerance_decides(void **state)
{
    double va[] = { 0, 0, 1, 2, 2, 4 }, vb[] = { 0, 0, 1, 2.01, 2, 4 };
    const yoke_table a = table_of(3, va), b = table_of(3, vb);
    (void)state;
    assert_int_equal(judged(&a, &b, 0.003).outcome, YOKE_PASSES);
    const yoke_verdict v = judged(&a, &b, 0.002);
    assert_int_equal(v.outcome, YOKE_FAILS);
    CHECK_NEAR(v.difference.at_time, 1.0, 0.0);
    CHECK_NEAR(v.difference.max_abs, 0.01, 1e-15);
    CHECK_NEAR(v.allowed, 0.008, 1e-15);
    assert_int_equal(judged(&a, &a, 0.0).outcome, YOKE_PASSES);
}

static void either_side_of_a_jump_will_do(void **state)
{
    double left[] = { 0, 0, 1, 0, 2, 0, 3, 5, 4, 5 };
    double right[] = { 0, 0, 1, 0, 2, 5, 3, 5, 4, 5 };
    double both[] = { 0, 0, 1, 0, 2, 0, 2, 5, 3, 5, 4, 5 };
    double late[] = { 0, 0, 1, 0, 2, 0, 3, 0, 4, 5 };
    double spike[] = { 0, 0, 1, 0, 2, 7, 3, 5, 4, 5 };
    double larger[] = { 0, 0, 1, 0, 2, 0, 2, 6, 3, 5, 4, 5 };
    const yoke_table l = table_of(5, left), r = table_of(5, right),
                     b = table_of(6, both), late_one = table_of(5, late),
                     s = table_of(5, spike), g = table_of(6, larger);
    (void)state;
    assert_int_equal(judged(&l, &r, 1e-6).outcome, YOKE_PASSES);
    assert_int_equal(judged(&l, &r, 1e-6).sides, 1);
    assert_int_equal(judged(&l, &b, 1e-6).outcome, YOKE_PASSES);
    assert_int_equal(judged(&r, &b, 1e-6).outcome, YOKE_PASSES);
    assert_int_equal(judged(&r, &late_one, 1e-6).outcome, YOKE_FAILS);
    assert_int_equal(judged(&l, &s, 1e-6).outcome, YOKE_FAILS);
    assert_int_equal(judged(&b, &g, 1e-6).outcome, YOKE_FAILS);
}

static void a_slope_is_no_jump(void **state)
{
    double va[] = { 0, 1, 1, 2, 2, 3, 3, 4, 4, 5 };
    double vb[] = { 0, 1, 1, 2, 2, 3.0002, 3, 4, 4, 5 };
    double vc[] = { 0, 0, 1, 0, 2, 0.3, 3, 1, 4, 1 };
    double vd[] = { 0, 0, 1, 0, 2, 0.7, 3, 1, 4, 1 };
    const yoke_table a = table_of(5, va), b = table_of(5, vb),
                     c = table_of(5, vc), d = table_of(5, vd);
    (void)state;
    assert_int_equal(judged(&a, &b, 1e-5).outcome, YOKE_FAILS);
    assert_int_equal(judged(&c, &d, 1e-5).outcome, YOKE_FAILS);
}

static void fill_sine(double *value, int rows, double factor)
{
    for (int k = 0; k < rows; k++) {
        value[2 * k] = 6.0 * k / (rows - 1);
        value[2 * k + 1] = factor * sin(value[2 * k]);
    }
}

static void a_coarse_grid_is_not_blamed(void **state)
{
    double va[2 * MOST], vb[2 * MOST], vc[2 * MOST];
    const yoke_table a = table_of(40, va), b = table_of(201, vb),
                     c = table_of(201, vc);
    (void)state;
    fill_sine(va, 40, 1.0);
    fill_sine(vb, 201, 1.0);
    fill_sine(vc, 201, 1.02);
    /* Lines are off by 0.003. */
    assert_int_equal(judged(&a, &b, 5e-3).outcome, YOKE_PASSES);
    assert_int_equal(judged(&a, &b, 1e-4).outcome, YOKE_UNCLEAR);
    assert_int_equal(judged(&a, &c, 1e-4).outcome, YOKE_FAILS);
    assert_true(judged(&a, &b, 1e-4).unsure > 0.0025);
}

static void a_peak_between_rows_of_one_is_seen(void **state)
{
    double va[] = { 0, 0, 1, 0, 2, 0, 3, 0 };
    double vb[] = { 0, 0, 1, 0, 1.5, 1, 2, 0, 3, 0 };
    const yoke_table a = table_of(4, va), b = table_of(5, vb);
    (void)state;
    assert_int_equal(judged(&a, &b, 1e-3).outcome, YOKE_FAILS);
}

static void jumps_are_at_one_time(void **state)
{
    double early[] = { 0, 0, 0.5, 0, 0.5, 1, 1, 1 };
    double late[] = { 0, 0, 0.5, 0, 0.52, 0, 0.52, 1, 1, 1 };
    double close[] = { 0, 0, 0.50005, 0, 0.50005, 1, 1, 1 };
    double slope[] = { 0, 0, 0.5, 0, 0.52, 1, 1, 1 };
    double pulse[] = { 0, 0, 0.5, 0, 0.5, 1, 0.52, 1, 0.52, 0, 1, 0 };
    double outside[] = { 0, 0, 0.5, 0, 0.52, 0, 1, 0 };
    double none[] = { 0, 0, 0.5, 0, 0.51, 0, 0.52, 0, 1, 0 };
    const yoke_table e = table_of(4, early), l = table_of(5, late),
                     c = table_of(4, close), s = table_of(4, slope),
                     p = table_of(6, pulse), o = table_of(4, outside),
                     n = table_of(5, none);
    (void)state;
    assert_int_equal(judged(&e, &l, 1e-4).outcome, YOKE_FAILS);
    CHECK_NEAR(judged(&e, &l, 1e-4).difference.at_time, 0.51, 1e-15);
    assert_int_equal(judged(&e, &l, 0.03).outcome, YOKE_PASSES);
    assert_int_equal(judged(&e, &c, 1e-4).outcome, YOKE_PASSES);
    assert_int_equal(judged(&e, &c, 1e-5).outcome, YOKE_FAILS);
    /* The row at 0.5 may be the side before the jump. */
    assert_int_equal(judged(&e, &s, 1e-4).outcome, YOKE_PASSES);
    /* Rows that show the sides outside the pulse do not tell whether it is. */
    assert_int_equal(judged(&p, &o, 1e-4).outcome, YOKE_UNCLEAR);
    assert_int_equal(judged(&p, &n, 1e-4).outcome, YOKE_FAILS);
}

static void what_is_no_number_fails(void **state)
{
    double va[] = { 0, 1, 1, NAN, 2, 3 }, vb[] = { 0, 1, 1, 2, 2, 9 };
    const yoke_table a = table_of(3, va), b = table_of(3, vb);
    yoke_verdict v;
    yoke_err err;
    (void)state;
    assert_int_equal(judged(&a, &b, 10.0).outcome, YOKE_FAILS);
    assert_int_equal(judged(&a, &a, 10.0).outcome, YOKE_FAILS);
    assert_true(isnan(judged(&a, &b, 10.0).difference.max_abs));
    CHECK_STATUS(yoke_table_judge(&b, &b, "x", -1.0, 0.0, &v, &err), YOKE_E_ARG,
                 &err);
    CHECK_STATUS(yoke_table_judge(&b, &b, "x", 0.0, NAN, &v, &err), YOKE_E_ARG,
                 &err);
}

static void other_ends_are_told(void **state)
{
    double va[] = { 0, 1, 1, 2, 2, 3 }, vb[] = { 0, 1, 1, 2 };
    const yoke_table a = table_of(3, va), b = table_of(2, vb);
    (void)state;
    assert_int_equal(judged(&a, &b, 1e-6).outcome, YOKE_PASSES);
    assert_false(judged(&a, &b, 1e-6).covered);
    assert_true(judged(&a, &a, 1e-6).covered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tolerance_decides),
        cmocka_unit_test(either_side_of_a_jump_will_do),
        cmocka_unit_test(a_slope_is_no_jump),
        cmocka_unit_test(a_coarse_grid_is_not_blamed),
        cmocka_unit_test(a_peak_between_rows_of_one_is_seen),
        cmocka_unit_test(jumps_are_at_one_time),
        cmocka_unit_test(what_is_no_number_fails),
        cmocka_unit_test(other_ends_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
