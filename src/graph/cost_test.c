/* graph/cost_test.c -- the cost of iterating against that of solving as one. */
#include "check.h"

#include "graph/cost.h"
#include "graph/policy.h"

#include <math.h>

static void sweeps_grow_with_the_rate(void **state)
{
    (void)state;
    CHECK_NEAR(yk_cost_sweeps(0.0), 1.0, 0.0);
    CHECK_NEAR(yk_cost_sweeps(1.0 / YK_COST_GUESS), 2.0, 1e-12);
    assert_true(yk_cost_sweeps(0.3) > yk_cost_sweeps(0.05));
    assert_true(isinf(yk_cost_sweeps(1.0)) && isinf(yk_cost_sweeps(INFINITY)));
    assert_true(isnan(yk_cost_sweeps(NAN)));
    CHECK_NEAR(yk_cost_sweeps(yk_cost_rate(6.7)), 6.7, 1e-12);
}

/* The less a coupling can gain from being apart, the fewer sweeps it may take.
 */
static void limits_are_in_order(void **state)
{
    (void)state;
    assert_true(1.0 < YK_COST_CELL && YK_COST_CELL < YK_COST_PART &&
                YK_COST_PART < YK_COST_SUBSYSTEM);
}

static void measured_sweeps_are_scaled(void **state)
{
    (void)state;
    CHECK_NEAR(yk_cost_sweeps_at(3.0, 0.1, 0.01), 2.0, 1e-12);
    CHECK_NEAR(yk_cost_sweeps_at(3.0, 0.01, 0.1), 3.0, 1e-12);
    CHECK_NEAR(yk_cost_sweeps_at(3.0, INFINITY, 0.9), 3.0, 1e-12);
    CHECK_NEAR(yk_cost_sweeps_at(1.0, 0.5, 0.1), 1.0, 0.0);
}

static void one_takes_the_steps_of_the_fastest(void **state)
{
    (void)state;
    CHECK_NEAR(yk_cost_as_one(3, 100.0, 0.0, 3, 3), 300.0, 0.0);
    CHECK_NEAR(yk_cost_as_one(3, 100.0, 2.0, 3, 3), 600.0, 0.0);
    CHECK_NEAR(yk_cost_as_one(2, 100.0, 2.0, 2, 3), 300.0, 0.0);
    CHECK_NEAR(yk_cost_as_one(1, 100.0, 2.0, 1, 3), 100.0, 0.0);
    assert_true(yk_cost_is_less(300.0, 400.0, 1.2));
    assert_false(yk_cost_is_less(300.0, 350.0, 1.2));
    assert_true(yk_cost_is_less(300.0, INFINITY, 6.0));
}

static void small_parts_pay_more_apart(void **state)
{
    (void)state;
    assert_true(yk_cost_apart(2.0) > 3.0 * yk_cost_inside(2.0));
    assert_true(yk_cost_apart(1e4) < 2.0 * yk_cost_inside(1e4));
    for (double n = 1.0; n < 1e4; n *= 3.0) {
        assert_true(yk_cost_apart(n) > yk_cost_inside(n));
        assert_true(yk_cost_apart(3.0 * n) > yk_cost_apart(n));
    }
    CHECK_NEAR(yk_cost_weight(10, 28), 10.0, 0.0);
    assert_true(yk_cost_weight(10, 100) > 20.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_parts_pay_more_apart),
        cmocka_unit_test(sweeps_grow_with_the_rate),
        cmocka_unit_test(limits_are_in_order),
        cmocka_unit_test(measured_sweeps_are_scaled),
        cmocka_unit_test(one_takes_the_steps_of_the_fastest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
