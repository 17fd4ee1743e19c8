/* tests/converge/window_order.c -- error against window length, with a fixed
 * number of sweeps.
 *
 * Two masses, left then right (Gauss and Seidel).  In a window of length H the
 * guess of the right position has an error of H^(p+1) for extrapolation of
 * order p.  Each mass integrates its input twice, so a sweep reduces it by H^4:
 * in sweep k the left mass sees an error of H^(p+1+4(k-1)).  Its velocity gains
 * one power of H by integration and loses it over the 1/H windows to the end:
 *
 *     error at the end  ~  H^(p + 1 + 4 (k - 1)),
 *
 * until the error of the time stepping shows.
 */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

static const double stop = 0.6;

/* Energy norm of the error at the end: positions, and velocities over 2 pi. */
static double error_of(const yoke_run *run)
{
    const double c = cos(two_pi * stop), s = sin(two_pi * stop);
    const double c3 = cos(3.0 * two_pi * stop), s3 = sin(3.0 * two_pi * stop);
    const double sum = value_of(run, "left.x") + value_of(run, "right.x") - c;
    const double gap = value_of(run, "left.x") - value_of(run, "right.x") - c3;
    const double drift = value_of(run, "left.v") + value_of(run, "right.v");
    const double beat = value_of(run, "left.v") - value_of(run, "right.v");

    return sqrt(sum * sum + gap * gap + pow(drift / two_pi + s, 2.0) +
                pow(beat / two_pi + 3.0 * s3, 2.0));
}

static double error_at_end(int windows, int sweeps, int order)
{
    yoke_stepper_options s = stepper("radau5", 0.0);
    yoke_run_options o = yoke_run_defaults();
    yoke_run *run = NULL;
    yoke_err err;

    s.rtol = 1e-13;
    s.atol = 1e-14;
    yoke_model *model = two_masses(&s, &s);
    set(&o, "test", "count");
    o.stop = stop;
    o.iterate.window = stop / windows;
    o.iterate.max_sweeps = sweeps;
    o.iterate.extrapolate = order;
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, stop, &err), &err);
    const double error = error_of(run);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
    return error;
}

static void check_slope(int sweeps, int order, int coarse)
{
    const double want = order + 1 + 4 * (sweeps - 1);
    const double first = error_at_end(coarse, sweeps, order);
    const double second = error_at_end(4 * coarse, sweeps, order);
    const double slope = 0.5 * log2(first / second);

    print_message("sweeps %d, extrapolation %d: errors %.2e, %.2e, slope %.2f, "
                  "theory %g\n",
                  sweeps, order, first, second, slope, want);
    assert_true(second > 1e-12); /* the stepping does not show */
    CHECK_NEAR(slope, want, 0.75);
}

static void one_sweep_has_the_order_of_the_guess(void **state)
{
    (void)state;
    check_slope(1, 0, 96);
    check_slope(1, 1, 96);
    check_slope(1, 2, 96);
}

static void a_second_sweep_gains_four_orders(void **state)
{
    (void)state;
    check_slope(2, 0, 12);
    check_slope(2, 1, 12);
    check_slope(2, 2, 12);
}

static void a_third_sweep_gains_four_more(void **state)
{
    (void)state;
    check_slope(3, 0, 6);
    check_slope(3, 1, 6);
    check_slope(3, 2, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sweep_has_the_order_of_the_guess),
        cmocka_unit_test(a_second_sweep_gains_four_orders),
        cmocka_unit_test(a_third_sweep_gains_four_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
