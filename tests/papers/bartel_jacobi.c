/* tests/papers/bartel_jacobi.c -- Example 12 and Figure 1 of Bartel, Guenther,
 * Jacob and Reis (2022): block Jacobi over one window fails by its size.  From
 * the error t exp(-tau t) (1, 1) the k-th error is
 *
 *     sqrt(2) nu^k exp(-tau T) T^(k+1) / (k+1)!.
 */
#include "ph_problem.h"

#include <float.h>

enum { MOST = 440 };

static double formula(double T, int k)
{
    const double nu = 15.0, tau = 0.01;

    return exp(0.5 * log(2.0) + k * log(nu) - tau * T + (k + 1) * log(T) -
               lgamma(k + 2.0));
}

/* The errors at T after 0 ... count - 1 sweeps. */
static void errors(double T, int steps, int count, double *out)
{
    const double tau = 0.01, root = sqrt(15.0);
    ph_problem p = { 0 };
    yk_window *w = NULL;
    yk_waves *waves = NULL;
    yoke_err err = { YOKE_OK, "" };

    ph_two(&p, 15.0, tau, 1.0, 1.0);
    CHECK_OK(yk_window_create(&w, p.net, yk_rk_find("implicit-midpoint"), steps,
                              &err),
             &err);
    CHECK_OK(yk_waves_create(&waves, p.net, w, false, &err), &err);
    CHECK_OK(yk_waves_plain(waves, &err), &err);
    yk_window_place(w, 0.0, T, steps, NULL);
    CHECK_OK(yk_waves_ready(waves, &err), &err);
    for (int i = 0; i < steps; i++) {
        const double e = w->t[i] * exp(-tau * w->t[i]);
        waves->g[0][i] = root * e;
        waves->g[1][i] = -root * e;
    }
    out[0] = sqrt(2.0) * T * exp(-tau * T);
    for (int k = 1; k < count; k++) {
        CHECK_OK(yk_waves_sweep(waves, true, &err), &err);
        yk_waves_take(waves);
        out[k] = hypot(w->e1[0], w->e1[1]);
    }
    yk_waves_free(waves);
    yk_window_free(w);
    ph_clear(&p);
}

static int first_above(int count, const double *e, double limit)
{
    for (int k = 0; k < count; k++)
        if (e[k] > limit) return k;
    return -1;
}

static int last_above(int count, const double *e, double limit)
{
    int last = -1;

    for (int k = 0; k < count; k++)
        if (e[k] > limit) last = k;
    return last;
}

static int largest(int count, const double *e)
{
    int at = 0;

    for (int k = 1; k < count; k++)
        if (e[k] > e[at]) at = k;
    return at;
}

/* Left: up to 4e62 after 148 or 149 sweeps, and beyond single precision after
 * 40; the caption's 10^63.8 leaves out a factor of 0.06. */
static void long_window(void **state)
{
    static double e[MOST];

    (void)state;
    errors(10.0, 8000, MOST, e);
    const int at = largest(MOST, e);
    CHECK_BETWEEN(at, 147, 150);
    CHECK_NEAR(log10(e[at]), 62.588, 0.01);
    CHECK_NEAR(log10(formula(10.0, 148)), 62.58779, 1e-4);
    assert_int_equal(first_above(MOST, e, FLT_MAX), 40);
    CHECK_BETWEEN(last_above(MOST, e, 1e-6) + 1, 410, 425);
    for (int k = 1; k < 60; k += 7)
        CHECK_NEAR(e[k] / formula(10.0, k), 1.0, 2e-3);
}

/* Right: largest after 6 sweeps (the caption says 5), below the rounding of
 * single precision after 29. */
static void short_window(void **state)
{
    static const double first[] = { 0.7035801, 2.638425, 6.596063, 12.36762,
                                    18.55143,  23.18928, 24.84566, 23.29281 };
    double e[40];

    (void)state;
    errors(0.5, 4000, 40, e);
    for (int k = 0; k < 8; k++) CHECK_NEAR(e[k], first[k], 2e-5 * first[k]);
    assert_int_equal(largest(40, e), 6);
    assert_int_equal(last_above(40, e, (double)FLT_EPSILON) + 1, 29);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_window),
        cmocka_unit_test(short_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
