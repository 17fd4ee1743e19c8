/* iter/window_test.c -- the window iteration over units with known iterates. */
#include "iter/iter_fixture.h"

#include "iter/window.h"

static rig *new_rig(int units, bool jacobi)
{
    static rig r;

    memset(&r, 0, sizeof r);
    rig_prepare(&r, units, jacobi);
    return &r;
}

static void advance(rig *r, double t)
{
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_iteration_advance(r->it, t, &err), &err);
    assert_int_equal(err.status, YOKE_OK); /* also if windows were halved */
    assert_true(yk_iteration_time(r->it) == t);
}

/* a = 1 + b / 2, b = a / 2: a = 4/3, b = 2/3. */
static rig *ring(bool jacobi)
{
    rig *r = new_rig(2, jacobi);

    r->fake[0].offset = 1.0;
    r->fake[0].gain = r->fake[1].gain = 0.5;
    return r;
}

static void sweeps_follow_the_schedule(void **state)
{
    (void)state;
    for (int jacobi = 0; jacobi < 2; jacobi++) {
        rig *r = ring(jacobi == 1);
        r->options.stop = YOKE_STOP_COUNT;
        r->options.max_sweeps = 1;
        r->y0[1] = 8.0;
        rig_create(r);
        advance(r, 0.25);
        assert_string_equal(r->order, "ab");
        CHECK_NEAR(rig_value(r, 0, 0.2), 5.0, 1e-13);
        CHECK_NEAR(rig_value(r, 1, 0.2), jacobi ? 0.0 : 2.5, 1e-13);
        rig_free(r);
    }
}

static void gauss_seidel_needs_half_the_sweeps_of_jacobi(void **state)
{
    long sweeps[2];
    (void)state;
    for (int jacobi = 0; jacobi < 2; jacobi++) {
        rig *r = ring(jacobi == 1);
        rig_create(r);
        advance(r, 0.25);
        CHECK_NEAR(rig_value(r, 0, 0.1), 4.0 / 3.0, 1e-7);
        CHECK_NEAR(rig_value(r, 1, 0.1), 2.0 / 3.0, 1e-7);
        const yoke_iterate_result *result = yk_iteration_result(r->it);
        sweeps[jacobi] = result->sweeps;
        CHECK_NEAR(result->rate, jacobi ? 0.5 : 0.25, 1e-3);
        assert_true(result->estimate <= 0.1);
        rig_free(r);
    }
    CHECK_BETWEEN((double)sweeps[1] / (double)sweeps[0], 1.5, 2.2);
}

static void the_estimate_bounds_the_error(void **state)
{
    rig *r = ring(true);
    (void)state;
    r->options.rtol = 1e-4;
    rig_create(r);
    advance(r, 0.25);
    const double tolerance = 1e-9 + 1e-4 * 4.0 / 3.0;
    const double error = fabs(rig_value(r, 0, 0.25) - 4.0 / 3.0);
    assert_true(error <= yk_iteration_result(r->it)->estimate * tolerance);
    rig_free(r);
}

static void an_acyclic_schedule_takes_one_sweep(void **state)
{
    rig *r = new_rig(3, false);
    (void)state;
    r->fake[0].wave = 1.0;
    r->fake[1].gain = r->fake[2].gain = 2.0;
    rig_source(r, 0);
    r->feed[1][0].unit = 0;
    r->feed[2][0].unit = 1;
    rig_create(r);
    advance(r, 1.0);
    assert_int_equal(yk_iteration_result(r->it)->sweeps, 4);
    assert_true(yk_iteration_result(r->it)->residual == 0.0);
    CHECK_NEAR(rig_value(r, 2, 1.0), 4.0 * sin(1.0), 1e-9);
    rig_free(r);
}

/* A source, and two units that feed each other. */
static rig *source_and_ring(bool skip)
{
    rig *r = new_rig(3, false);

    r->options.skip = skip;
    r->fake[0].wave = 1.0;
    r->fake[1].gain = r->fake[2].gain = 0.5;
    rig_source(r, 0);
    r->feed[2][0].unit = 1;
    r->feed[1][1] = (yk_feed){ 0, 0, 0, 1.0, NULL };
    r->unit[1].feeds = 2;
    return r;
}

static void units_with_the_same_inputs_are_not_solved_again(void **state)
{
    (void)state;
    for (int skip = 0; skip < 2; skip++) {
        rig *r = source_and_ring(skip == 1);
        rig_create(r);
        advance(r, 1.0);
        const yoke_iterate_result *result = yk_iteration_result(r->it);
        assert_int_equal(result->windows, 4);
        assert_int_equal(r->fake[0].sweeps,
                         skip ? result->windows : result->sweeps);
        assert_int_equal(r->fake[0].accepts, 4);
        assert_int_equal(result->solves + result->skipped, 3 * result->sweeps);
        assert_int_equal(result->solves, r->fake[0].sweeps + r->fake[1].sweeps +
                                             r->fake[2].sweeps);
        long solved = 0;
        for (int k = 0; k < r->rows; k++) solved += r->row[k].solved;
        assert_int_equal(solved, result->solves);
        rig_free(r);
    }
}

static void skipping_changes_no_bit(void **state)
{
    double value[2][2];
    (void)state;
    for (int skip = 0; skip < 2; skip++) {
        rig *r = source_and_ring(skip == 1);
        rig_create(r);
        advance(r, 1.0);
        value[skip][0] = rig_value(r, 1, 0.9);
        value[skip][1] = rig_value(r, 2, 0.9);
        rig_free(r);
    }
    assert_memory_equal(value[0], value[1], sizeof value[0]);
}

/* a = 1 - 1.5 a: the iterates move apart, a mean of old and new does not. */
static rig *overshooting(double relax)
{
    rig *r = new_rig(1, false);

    r->fake[0].offset = 1.0;
    r->fake[0].gain = -1.5;
    r->options.relax = relax;
    return r;
}

static void relaxation_takes_the_mean(void **state)
{
    rig *r = overshooting(0.25);
    (void)state;
    r->options.stop = YOKE_STOP_COUNT;
    r->options.max_sweeps = 1;
    r->y0[0] = 2.0;
    rig_create(r);
    advance(r, 0.25);
    CHECK_NEAR(rig_value(r, 0, 0.25), 0.75 * 2.0 + 0.25 * -2.0, 1e-13);
    rig_free(r);
}

static void relaxation_makes_an_iteration_converge(void **state)
{
    rig *r = overshooting(0.5);
    yoke_err err;
    (void)state;
    rig_create(r);
    advance(r, 0.5);
    CHECK_NEAR(rig_value(r, 0, 0.5), 0.4, 1e-7);
    CHECK_NEAR(yk_iteration_result(r->it)->rate, 0.25, 1e-3);
    rig_free(r);
    r = overshooting(1.0);
    rig_create(r);
    CHECK_STATUS(yk_iteration_advance(r->it, 0.5, &err), YOKE_NOT_CONVERGED,
                 &err);
    CHECK_CONTAINS(err.text, "window 1, [0, 0.25]");
    CHECK_CONTAINS(err.text, "after 60 sweeps \"a.y\" still changes by");
    CHECK_CONTAINS(err.text, "it does not contract");
    assert_int_equal(yk_iteration_result(r->it)->windows, 0);
    assert_int_equal(yk_iteration_result(r->it)->rejected, 0);
    rig_free(r);
}

/* A last change below the tolerance is never the reason that is given. */
static void failures_below_the_tolerance_have_their_reason(void **state)
{
    rig *r = overshooting(0.5);
    yoke_sweep row = {
        .sweep = 60, .change = 1e-3, .rate = 0.999, .estimate = 1.0
    };
    yoke_err err;
    (void)state;
    rig_create(r);
    advance(r, 0.5);
    for (int k = 0; k < YK_SWING; k++) r->it->swing[k] = 2e-3;
    CHECK_STATUS(yk_stop_failure(r->it, &row, 0, &err), YOKE_NOT_CONVERGED,
                 &err);
    CHECK_CONTAINS(err.text,
                   "the error left in \"a.y\" is estimated at 1 times");
    CHECK_CONTAINS(err.text, "shrink by 0.999 per sweep only");
    r->it->swing[1] = 287.0;
    CHECK_STATUS(yk_stop_failure(r->it, &row, 0, &err), YOKE_NOT_CONVERGED,
                 &err);
    CHECK_CONTAINS(err.text, "60 sweeps go back and forth: \"a.y\" changed by "
                             "287 times its tolerance");
    rig_free(r);
}

/* First change in the window that ends at t = 2. */
static double first_change(double window, int order)
{
    rig *r = new_rig(1, false);
    double change = NAN;

    r->fake[0].wave = 1.0;
    rig_source(r, 0);
    r->options.window = window;
    r->options.extrapolate = order;
    r->options.stop = YOKE_STOP_COUNT;
    r->options.max_sweeps = 1;
    rig_create(r);
    advance(r, 2.0);
    assert_int_equal(r->row[r->rows - 1].sweep, 1);
    change = r->row[r->rows - 1].change;
    rig_free(r);
    return change;
}

static void extrapolation_of_order_p_leaves_h_to_the_p_plus_1(void **state)
{
    (void)state;
    for (int p = 0; p <= 2; p++) {
        const double slope =
            log2(first_change(0.05, p) / first_change(0.025, p));
        CHECK_NEAR(slope, p + 1.0, 0.15);
    }
}

/* ---- windows ---------------------------------------------------------------
 */

static void check_ends(const rig *r, int count, const double *t1)
{
    int k = 0;

    for (int i = 0; i < r->rows; i++)
        if (r->row[i].accepted) {
            assert_true(k < count);
            CHECK_NEAR(r->row[i].t1, t1[k], 1e-14);
            assert_int_equal(r->row[i].window, k + 1);
            k++;
        }
    assert_int_equal(k, count);
}

static void windows_lie_on_a_grid_and_end_exactly(void **state)
{
    static const double whole[] = { 0.3, 0.6, 0.9, 1.0 };
    static const double parts[] = { 0.3, 0.5, 0.6, 0.9, 1.0 };
    rig *r = new_rig(1, false);
    (void)state;
    rig_source(r, 0);
    r->options.window = 0.3;
    rig_create(r);
    advance(r, 1.0);
    check_ends(r, 4, whole);
    rig_free(r);
    r = new_rig(1, false);
    rig_source(r, 0);
    r->options.window = 0.3;
    rig_create(r);
    advance(r, 0.5);
    advance(r, 0.5); /* nothing to do */
    advance(r, 1.0);
    check_ends(r, 5, parts);
    rig_free(r);
}

static void rounding_makes_no_sliver(void **state)
{
    (void)state;
    for (int n = 1; n <= 300; n += 13) {
        rig *r = new_rig(1, false);
        rig_source(r, 0);
        r->options.window = 1.0 / n;
        rig_create(r);
        advance(r, 1.0);
        assert_int_equal(yk_iteration_result(r->it)->windows, n);
        rig_free(r);
    }
}

static void a_unit_that_cannot_gets_shorter_windows(void **state)
{
    rig *r = new_rig(2, true);
    (void)state;
    r->fake[0].wave = 1.0;
    r->fake[0].gain = r->fake[1].gain = 0.1;
    r->fake[1].retry_above = 0.07;
    rig_create(r);
    advance(r, 1.0);
    const yoke_iterate_result *result = yk_iteration_result(r->it);
    assert_int_equal(result->windows, 16); /* of 1/16 each */
    assert_true(result->rejected > 0);
    for (int i = 0; i < r->rows; i++)
        if (r->row[i].accepted)
            assert_true(r->row[i].t1 - r->row[i].t0 <= 0.07);
    CHECK_NEAR(rig_value(r, 0, 1.0), sin(1.0) / 0.99, 1e-7);
    rig_free(r);
}

/* Some have been solved in a sweep that was given up, and others not: c, which
 * reads b, has not, and a has. */
static void nobody_remembers_a_sweep_that_was_given_up(void **state)
{
    rig *r = new_rig(3, false);
    (void)state;
    for (int i = 0; i < 2; i++) rig_source(r, i);
    r->feed[2][0].unit = 1;
    r->fake[1].retry_above = 0.1;
    rig_create(r);
    advance(r, 0.25);
    const int rejected = yk_iteration_result(r->it)->rejected;
    assert_true(rejected > 0);
    for (int i = 0; i < 3; i++) assert_int_equal(r->fake[i].forgets, rejected);
    assert_true(r->fake[0].sweeps > r->fake[2].sweeps);
    rig_free(r);
}

static void after_trouble_windows_grow_back_to_the_grid(void **state)
{
    rig *r = new_rig(1, false);
    static const double ends[] = { 0.125, 0.25, 0.5, 0.75, 1.0 };
    (void)state;
    rig_source(r, 0);
    r->fake[0].retry_above = 0.2;
    rig_create(r);
    advance(r, 0.125);
    r->fake[0].retry_above = 0.0;
    advance(r, 1.0);
    check_ends(r, 5, ends);
    rig_free(r);
}

static void windows_are_halved_down_to_the_least(void **state)
{
    rig *r = new_rig(2, false);
    yoke_err err;
    (void)state;
    r->fake[1].retry_above = 1e-9;
    r->options.min_window = 0.01;
    rig_create(r);
    CHECK_STATUS(yk_iteration_advance(r->it, 1.0, &err), YOKE_RETRY, &err);
    CHECK_CONTAINS(err.text, "window 1, [0, 0.00390625]");
    CHECK_CONTAINS(err.text, "\"b\": a window of 0.00390625 is too long");
    CHECK_CONTAINS(err.text, "windows were halved down to 0.00391");
    assert_int_equal(yk_iteration_result(r->it)->rejected, 6);
    assert_int_equal(r->fake[1].accepts, 0);
    assert_true(yk_iteration_time(r->it) == 0.0);
    rig_free(r);
}

/* Contracts on windows shorter than a quarter only. */
static rig *steep(yoke_limit limit)
{
    rig *r = new_rig(1, false);

    r->fake[0].offset = 1.0;
    r->fake[0].steep = -4.0;
    r->options.window = 1.0;
    r->options.limit = limit;
    return r;
}

static void the_limit_of_sweeps_fails_or_shortens(void **state)
{
    rig *r = steep(YOKE_LIMIT_FAIL);
    yoke_err err;
    (void)state;
    rig_create(r);
    CHECK_STATUS(yk_iteration_advance(r->it, 1.0, &err), YOKE_NOT_CONVERGED,
                 &err);
    assert_int_equal(r->rows, 60);
    rig_free(r);
    r = steep(YOKE_LIMIT_SHORTEN);
    rig_create(r);
    advance(r, 1.0);
    assert_true(yk_iteration_result(r->it)->rejected >= 2);
    const double length = r->row[r->rows - 1].t1 - r->row[r->rows - 1].t0;
    CHECK_NEAR(rig_value(r, 0, 1.0), 1.0 / (1.0 + 4.0 * length), 1e-6);
    rig_free(r);
    r = steep(YOKE_LIMIT_SHORTEN);
    r->options.min_window = 0.4;
    rig_create(r);
    CHECK_STATUS(yk_iteration_advance(r->it, 1.0, &err), YOKE_NOT_CONVERGED,
                 &err);
    CHECK_CONTAINS(err.text, "halved down to 0.5");
    rig_free(r);
}

static void a_fixed_number_of_sweeps_is_just_that(void **state)
{
    rig *r = ring(false);
    (void)state;
    r->options.stop = YOKE_STOP_COUNT;
    r->options.max_sweeps = 3;
    r->options.skip = false;
    rig_create(r);
    advance(r, 1.0);
    assert_int_equal(yk_iteration_result(r->it)->windows, 4);
    assert_int_equal(yk_iteration_result(r->it)->sweeps, 12);
    assert_int_equal(r->fake[0].sweeps, 12);
    rig_free(r);
}

static void an_unknown_estimate_stays_unknown(void **state)
{
    rig *r = ring(false);
    (void)state;
    r->options.stop = YOKE_STOP_COUNT;
    r->options.max_sweeps = 1;
    rig_create(r);
    advance(r, 1.0);
    assert_true(isnan(r->row[0].estimate));
    assert_true(isnan(yk_iteration_result(r->it)->estimate));
    rig_free(r);
}

static void the_change_alone_may_be_the_test(void **state)
{
    rig *r = ring(true);
    (void)state;
    r->options.stop = YOKE_STOP_CHANGE;
    rig_create(r);
    advance(r, 0.25);
    const yoke_sweep *last = &r->row[r->rows - 1];
    assert_true(last->accepted && last->change <= 1.0);
    assert_true(r->row[r->rows - 2].change > 1.0);
    assert_false(r->row[r->rows - 2].accepted);
    rig_free(r);
}

static void a_stop_keeps_the_window_and_can_be_resumed(void **state)
{
    double value = 0.0;
    (void)state;
    for (int stop = 0; stop < 2; stop++) {
        rig *r = source_and_ring(true);
        yoke_err err;
        r->stop_after = stop ? 2 : 0;
        r->fake[1].retry_above = 0.2;
        rig_create(r);
        if (stop) {
            CHECK_STATUS(yk_iteration_advance(r->it, 1.0, &err), YOKE_STOPPED,
                         &err);
            assert_string_equal(err.text, "enough");
            assert_int_equal(yk_iteration_result(r->it)->windows, 2);
            assert_int_equal(r->fake[0].accepts, 2);
            CHECK_NEAR(yk_iteration_time(r->it), 0.25, 1e-15);
        }
        advance(r, 1.0);
        if (stop) assert_true(rig_value(r, 2, 1.0) == value);
        value = rig_value(r, 2, 1.0);
        rig_free(r);
    }
}

/* ---- tolerances ------------------------------------------------------------
 */

/* A chain swept by Jacobi: c stays zero in the first sweeps. */
static void a_variable_that_is_zero_at_first_needs_no_atol(void **state)
{
    rig *r = new_rig(3, true);
    (void)state;
    r->fake[0].offset = 1.0;
    r->fake[1].gain = r->fake[2].gain = 1.0;
    r->feed[1][0].unit = 0;
    r->feed[2][0].unit = 1;
    rig_source(r, 0);
    r->options.atol = 0.0;
    rig_create(r);
    advance(r, 1.0);
    CHECK_NEAR(rig_value(r, 2, 1.0), 1.0, 1e-12);
    assert_int_equal(yk_iteration_result(r->it)->rejected, 0);
    rig_free(r);
}

static void iterates_that_overflow_ask_for_a_shorter_window(void **state)
{
    rig *r = overshooting(1.0);
    yoke_err err;
    (void)state;
    r->fake[0].gain = -1e100;
    rig_create(r);
    CHECK_STATUS(yk_iteration_advance(r->it, 1.0, &err), YOKE_RETRY, &err);
    CHECK_CONTAINS(err.text, "finite");
    rig_free(r);
}

static void a_runaway_does_not_loosen_its_own_tolerance(void **state)
{
    rig *r = overshooting(1.0);
    yoke_err err;
    (void)state;
    r->fake[0].gain = 1.0; /* a = 1 + a: grows by 1 in every sweep */
    r->options.rtol = 0.05;
    r->options.stop = YOKE_STOP_CHANGE;
    r->options.max_sweeps = 500;
    rig_create(r);
    CHECK_STATUS(yk_iteration_advance(r->it, 0.25, &err), YOKE_NOT_CONVERGED,
                 &err);
    rig_free(r);
}

static void the_end_alone_may_be_compared(void **state)
{
    rig *r = ring(true);
    (void)state;
    r->options.at_end = true;
    rig_create(r);
    advance(r, 0.5);
    CHECK_NEAR(rig_value(r, 0, 0.5), 4.0 / 3.0, 1e-7);
    rig_free(r);
}

static void strong_action_inside_a_unit_costs_sweeps(void **state)
{
    long sweeps[2];
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        rig *r = ring(true);
        for (int i = 0; i < 2; i++) {
            r->propagator[i].ops = &fake_moving_ops;
            r->fake[i].inside = strong ? 1e9 : 1e-9;
        }
        rig_create(r);
        advance(r, 0.25);
        sweeps[strong] = yk_iteration_result(r->it)->sweeps;
        rig_free(r);
    }
    assert_true(sweeps[1] > sweeps[0] + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_follow_the_schedule),
        cmocka_unit_test(gauss_seidel_needs_half_the_sweeps_of_jacobi),
        cmocka_unit_test(the_estimate_bounds_the_error),
        cmocka_unit_test(an_acyclic_schedule_takes_one_sweep),
        cmocka_unit_test(units_with_the_same_inputs_are_not_solved_again),
        cmocka_unit_test(skipping_changes_no_bit),
        cmocka_unit_test(relaxation_takes_the_mean),
        cmocka_unit_test(relaxation_makes_an_iteration_converge),
        cmocka_unit_test(failures_below_the_tolerance_have_their_reason),
        cmocka_unit_test(extrapolation_of_order_p_leaves_h_to_the_p_plus_1),
        cmocka_unit_test(windows_lie_on_a_grid_and_end_exactly),
        cmocka_unit_test(rounding_makes_no_sliver),
        cmocka_unit_test(a_unit_that_cannot_gets_shorter_windows),
        cmocka_unit_test(nobody_remembers_a_sweep_that_was_given_up),
        cmocka_unit_test(after_trouble_windows_grow_back_to_the_grid),
        cmocka_unit_test(windows_are_halved_down_to_the_least),
        cmocka_unit_test(the_limit_of_sweeps_fails_or_shortens),
        cmocka_unit_test(a_fixed_number_of_sweeps_is_just_that),
        cmocka_unit_test(an_unknown_estimate_stays_unknown),
        cmocka_unit_test(the_change_alone_may_be_the_test),
        cmocka_unit_test(a_stop_keeps_the_window_and_can_be_resumed),
        cmocka_unit_test(a_variable_that_is_zero_at_first_needs_no_atol),
        cmocka_unit_test(iterates_that_overflow_ask_for_a_shorter_window),
        cmocka_unit_test(a_runaway_does_not_loosen_its_own_tolerance),
        cmocka_unit_test(the_end_alone_may_be_compared),
        cmocka_unit_test(strong_action_inside_a_unit_costs_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
