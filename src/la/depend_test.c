/* la/depend_test.c */
#include "check.h"
#include "la/depend.h"

#include <string.h>

static const char *const name[] = { "a", "b", "c", "d" };

static void smallest_dependent_set_is_found(void **state)
{
    /* d = 2 a - c; b has nothing to do with it */
    const double rows[] = { 1, 0, 1, 0, 0, 5, 0, 0, 0, 0, 3, 0, 2, 0, -1, 0 };
    double weight[4];
    char text[100];
    int row = 0;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_dependent_row(4, 4, rows, 1e-10, &row, weight, &err), &err);
    assert_int_equal(row, 3);
    CHECK_NEAR(weight[0], -2.0, 1e-14);
    CHECK_NEAR(weight[1], 0.0, 1e-14);
    CHECK_NEAR(weight[2], 1.0, 1e-14);
    CHECK_NEAR(weight[3], 1.0, 1e-14);
    assert_int_equal(yk_list_weighted(text, sizeof text, 4, weight, name), 3);
    assert_string_equal(text, "\"a\", \"c\" and \"d\"");
}

static void independent_rows_are_left_alone(void **state)
{
    const double rows[] = { 1e-9, 0, 1, 1e-3 };
    double weight[2];
    int row = 0;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_dependent_row(2, 2, rows, 1e-10, &row, weight, &err), &err);
    assert_int_equal(row, -1);
}

static void a_zero_row_depends_on_nothing_else(void **state)
{
    const double rows[] = { 1, 2, 0, 0 };
    double weight[2];
    char text[100];
    int row = 0;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_dependent_row(2, 2, rows, 1e-10, &row, weight, &err), &err);
    assert_int_equal(row, 1);
    assert_int_equal(yk_list_weighted(text, sizeof text, 2, weight, name), 1);
    assert_string_equal(text, "\"b\"");
}

static void a_long_list_is_cut(void **state)
{
    const double weight[] = { 1, 1, 1, 1 };
    char text[8];
    (void)state;
    yk_list_weighted(text, sizeof text, 4, weight, name);
    assert_int_equal(strlen(text), 7);
}

static void allocation_failures_leave_nothing(void **state)
{
    const double rows[] = { 1, 2, 2, 4 };
    double weight[2];
    yoke_status status = YOKE_E_MEMORY;
    int row = 0;
    yoke_err err;
    (void)state;
    for (int k = 1; status != YOKE_OK; k++) {
        fault_allocator(k);
        status = yk_dependent_row(2, 2, rows, 1e-10, &row, weight, &err);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
    assert_int_equal(row, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_dependent_set_is_found),
        cmocka_unit_test(independent_rows_are_left_alone),
        cmocka_unit_test(a_zero_row_depends_on_nothing_else),
        cmocka_unit_test(a_long_list_is_cut),
        cmocka_unit_test(allocation_failures_leave_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
