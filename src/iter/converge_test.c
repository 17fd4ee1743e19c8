/* iter/converge_test.c -- estimates against sequences whose limit is known. */
#include "check.h"

#include "iter/converge.h"

#include <math.h>

static yk_converge fresh(void)
{
    yk_converge c;

    yk_converge_reset(&c);
    yk_converge_begin(&c, 1.0);
    return c;
}

/* A window of changes first, first * r, ... */
static void geometric_window(yk_converge *c, double first, double r, int sweeps)
{
    yk_converge_begin(c, 1.0);
    for (int k = 0; k < sweeps; k++)
        yk_converge_add(c, first * pow(r, k), false);
    yk_converge_accept(c);
}

static void nothing_is_known_after_one_change(void **state)
{
    yk_converge c = fresh();
    (void)state;
    yk_converge_add(&c, 1e-9, false);
    assert_true(isnan(c.estimate));
    assert_true(isnan(c.rate));
    yk_converge_add(&c, 0.5, false);
    assert_true(isnan(c.estimate));
}

static void a_fixed_point_has_no_error(void **state)
{
    yk_converge c = fresh();
    (void)state;
    yk_converge_add(&c, 0.0, true);
    assert_true(c.estimate == 0.0);
}

static void two_tiny_changes_end_the_first_window(void **state)
{
    yk_converge c = fresh();
    (void)state;
    yk_converge_add(&c, 4e-4, false);
    yk_converge_add(&c, 2e-4, false);
    CHECK_NEAR(c.estimate, 6e-4, 1e-18);
}

static void geometric_sequences_are_estimated_exactly(void **state)
{
    (void)state;
    for (double r = 0.01; r < 0.99; r += 0.07) {
        yk_converge c = fresh();
        for (int k = 0; k < 8; k++) {
            const double change = 3e12 * pow(r, k);
            yk_converge_add(&c, change, false);
            if (k < 2) continue;
            CHECK_NEAR(c.rate, r, 1e-12);
            CHECK_NEAR(c.estimate / (change * r / (1.0 - r)), 1.0, 1e-10);
        }
    }
}

/* In index 2 a variable moves only in every other sweep. */
static void zeros_in_between_are_not_convergence(void **state)
{
    const double r = 0.25;
    yk_converge c = fresh();
    (void)state;
    yk_converge_add(&c, 1.0, false);
    yk_converge_add(&c, 0.0, false);
    assert_false(c.estimate <= 0.1);
    for (int k = 1; k < 8; k++) {
        const double left = pow(r, k + 1) / (1.0 - r);
        yk_converge_add(&c, pow(r, k), false);
        CHECK_BETWEEN(c.estimate, left * (1.0 - 1e-12), 1.1 * left);
        yk_converge_add(&c, 0.0, false);
        CHECK_BETWEEN(c.estimate, left * (1.0 - 1e-12), 1.1 * left);
    }
}

static void growth_is_not_the_end_and_decay_is_trusted_late(void **state)
{
    enum { N = 14 };
    double change[N], left = 0.0;
    yk_converge c = fresh();
    (void)state;
    for (int k = 0; k < N; k++)
        change[k] = k < 5 ? pow(10.0, k) : 1e4 * pow(0.1, k - 4);
    for (int k = 0; k < N; k++) left += change[k];
    for (int k = 0; k < N; k++) {
        yk_converge_add(&c, change[k], false);
        left -= change[k];
        if (k >= 2 && k <= 4) assert_true(c.estimate == INFINITY);
        if (k > 4) assert_true(c.estimate >= left * (1.0 - 1e-9));
    }
    assert_true(isfinite(c.estimate));
    CHECK_NEAR(c.rate, 0.1, 1e-12);
}

static void one_sweep_suffices_only_with_history(void **state)
{
    yk_converge c = fresh();
    (void)state;
    geometric_window(&c, 1.0, 0.1, 4);
    yk_converge_begin(&c, 1.0);
    yk_converge_add(&c, 1e-4, false);
    /* At least what the same rate would leave. */
    CHECK_BETWEEN(c.estimate, 1e-4 * 0.1 / 0.9, 1e-4);
    assert_true(isnan(c.rate)); /* nothing was measured */
    yk_converge_reset(&c);
    yk_converge_begin(&c, 1.0);
    yk_converge_add(&c, 1e-4, false);
    assert_true(isnan(c.estimate));
}

static void every_tenth_window_measures_again(void **state)
{
    yk_converge c = fresh();
    (void)state;
    geometric_window(&c, 1.0, 0.1, 4);
    for (int round = 0; round < 3; round++) {
        for (int k = 1; k <= 9; k++) {
            yk_converge_begin(&c, 1.0);
            yk_converge_add(&c, 1e-4, false);
            assert_true(!isnan(c.estimate));
            yk_converge_accept(&c);
        }
        yk_converge_begin(&c, 1.0);
        yk_converge_add(&c, 1e-4, false);
        assert_true(isnan(c.estimate));
        yk_converge_add(&c, 1e-5, false);
        assert_true(!isnan(c.estimate));
        yk_converge_accept(&c);
    }
}

static void history_of_growth_forbids_single_sweeps(void **state)
{
    yk_converge c = fresh();
    (void)state;
    yk_converge_add(&c, 1.0, false);
    yk_converge_add(&c, 1e3, false);
    yk_converge_add(&c, 0.5, false);
    yk_converge_add(&c, 0.25, false);
    yk_converge_accept(&c);
    yk_converge_begin(&c, 1.0);
    yk_converge_add(&c, 1e-3, false);
    assert_true(c.estimate >= 1.0); /* it may grow a thousandfold again */
}

static void a_second_sweep_corrects_an_optimistic_history(void **state)
{
    yk_converge c = fresh();
    (void)state;
    geometric_window(&c, 1.0, 0.01, 4);
    yk_converge_begin(&c, 1.0);
    yk_converge_add(&c, 1.0, false);
    yk_converge_add(&c, 0.5, false);
    assert_true(c.estimate >= 0.5 * (1.0 - 1e-12)); /* 0.25 + 0.125 + ... */
}

static void rounding_is_not_a_rate(void **state)
{
    yk_converge c = fresh();
    (void)state;
    geometric_window(&c, 1.0, 0.01, 4);
    const double known = c.known_rate2, step = c.known_step;
    yk_converge_begin(&c, 1.0);
    yk_converge_add(&c, 1.0, false);
    yk_converge_add(&c, 1e-2, false);
    yk_converge_add(&c, 1e-4, false);
    yk_converge_add(&c, 1e-10, false);
    for (int k = 0; k < 4; k++) {
        yk_converge_add(&c, k % 2 ? 3e-10 : 2e-10, false);
        CHECK_BETWEEN(c.estimate, 0.0, 1e-9);
    }
    yk_converge_accept(&c);
    assert_true(c.known_rate2 <= known * (1.0 + 1e-9));
    assert_true(c.known_step <= step * (1.0 + 1e-9));
}

static void add_all(yk_converge *c, const double *change, int count)
{
    for (int k = 0; k < count; k++) yk_converge_add(c, change[k], false);
}

/* Fast contraction, then the noise of step choice: the error left is what a
 * sweep makes of the noise, and the rate for later windows is the clean one. */
static void noise_of_steppers_is_not_slowness(void **state)
{
    static const double change[] = { 1e3, 15.0, 0.5, 0.4, 0.45 };
    yk_converge c = fresh();
    (void)state;

    add_all(&c, change, 4);
    assert_false(c.noise);
    yk_converge_add(&c, change[4], false);
    assert_true(c.noise);
    CHECK_BETWEEN(c.estimate, 0.0, 0.03);
    yk_converge_accept(&c);
    CHECK_NEAR(c.known_rate2, 0.4 / 15.0, 1e-12);
}

/* Without contraction before, or with changes that go on falling slowly, or
 * large ones, nothing is noise. */
static void slowness_is_not_noise(void **state)
{
    static const double row[3][5] = { { 3.0, 2.5, 1.9, 1.5, 1.6 },
                                      { 1e3, 10.0, 1.0, 0.9, 0.81 },
                                      { 1e6, 1e3, 5.0, 4.0, 4.5 } };
    (void)state;

    for (int i = 0; i < 3; i++) {
        yk_converge c = fresh();
        add_all(&c, row[i], 5);
        assert_false(c.noise);
        assert_false(c.estimate < 0.5);
    }
}

/* Corrections that are left out: the next sweep contracts by 0.9. */
static void rates_of_corrected_sweeps_are_not_those_of_others(void **state)
{
    yk_converge c = fresh();

    (void)state;
    yk_converge_begin(&c, 1.0);
    c.corrected = true;
    for (int k = 0; k < 4; k++) yk_converge_add(&c, pow(0.01, k), false);
    yk_converge_accept(&c);
    yk_converge_begin(&c, 1.0);
    c.corrected = true;
    yk_converge_add(&c, 5.0, false);
    assert_true(c.estimate < 1.0);
    yk_converge_begin(&c, 1.0);
    yk_converge_add(&c, 5.0, false);
    assert_true(isnan(c.estimate));
    yk_converge_add(&c, 4.5, false);
    assert_true(isnan(c.estimate));
    yk_converge_add(&c, 4.05, false);
    assert_true(c.estimate > 30.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_after_one_change),
        cmocka_unit_test(a_fixed_point_has_no_error),
        cmocka_unit_test(two_tiny_changes_end_the_first_window),
        cmocka_unit_test(geometric_sequences_are_estimated_exactly),
        cmocka_unit_test(zeros_in_between_are_not_convergence),
        cmocka_unit_test(growth_is_not_the_end_and_decay_is_trusted_late),
        cmocka_unit_test(one_sweep_suffices_only_with_history),
        cmocka_unit_test(every_tenth_window_measures_again),
        cmocka_unit_test(history_of_growth_forbids_single_sweeps),
        cmocka_unit_test(a_second_sweep_corrects_an_optimistic_history),
        cmocka_unit_test(rounding_is_not_a_rate),
        cmocka_unit_test(noise_of_steppers_is_not_slowness),
        cmocka_unit_test(slowness_is_not_noise),
        cmocka_unit_test(rates_of_corrected_sweeps_are_not_those_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
