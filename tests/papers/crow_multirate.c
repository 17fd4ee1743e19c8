/* Crow and Ilic 1990, Theorem 4.2: parts with different steps and linear
 * interpolation between them.
 *
 * The theorem promises convergence for small enough steps.  It does not say
 * that each step may be as large as the bound for equal steps,
 * 1 / (lambda1 - lambda2) = 0.105263, and on grids that are not nested it may
 * not.  {x1, y} has step h1, {x2} step h2.  Numbers: 003.theorem42.
 */
#include "crow_system.h"

/* `sweeps` sweeps over [0, length]; returns the changes of x2. */
static const double *sweep(double h1, double h2, double length, int sweeps,
                           history *past)
{
    yoke_model *model = euler_model(h1, h2);
    yoke_run_options options = one_window(length, "a, b");
    yoke_err err = { YOKE_OK, "" };

    options.iterate.stop = YOKE_STOP_COUNT;
    options.iterate.max_sweeps = sweeps;
    CHECK_OK(run_all(model, &options, past, &err), &err);
    yoke_model_free(model);
    return past->variable[1];
}

/* Over two sweeps, from the last ones; x2 changes in the odd sweeps. */
static double double_sweep_rate(double h1, double h2, double length, int sweeps)
{
    static history past;
    const double *change = sweep(h1, h2, length, sweeps, &past);

    assert_int_equal(sweeps % 2, 1);
    return change[sweeps] / change[sweeps - 2];
}

/* ---- nested grids ------------------------------------------------------- */

typedef struct threshold {
    int m;
    double critical, below, above; /* rho at 0.98 and 1.02 of it */
} threshold;

static const threshold nested[] = {
    { 1, 0.10526315789484718, 0.9809809809819587, 1.0189810189820327 },
    { 2, 0.1395533260242576, 0.9808767413501245, 1.0190890048906933 },
    { 4, 0.16670225568403035, 0.9807925303415230, 1.0191762920027296 },
    { 8, 0.18466261594261307, 0.9807359793823964, 1.0192349337354045 },
    { 16, 0.19517586002286932, 0.9807025592597287, 1.0192695989539236 },
};

/* h1 = m h2: only the ends of the long steps reach x1, so one common period is
 * one step of x1. */
static void coarse_x1_allows_longer_steps(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        const threshold *n = &nested[i];
        const double low = 0.98 * n->critical, high = 1.02 * n->critical;
        const double below = double_sweep_rate(low, low / n->m, low, 21);
        const double above = double_sweep_rate(high, high / n->m, high, 21);
        print_message("h1 = %2d h2, critical %.6f: %.6f and %.6f\n", n->m,
                      n->critical, below, above);
        CHECK_NEAR(below, n->below, 1e-6);
        CHECK_NEAR(above, n->above, 1e-6);
    }
}

static void coarse_x2_leaves_the_bound_unchanged(void **state)
{
    const double critical = nested[0].critical;

    (void)state;
    for (int m = 2; m <= 16; m *= 2) {
        const double low = 0.98 * critical, high = 1.02 * critical;
        CHECK_NEAR(double_sweep_rate(low / m, low, low, 21), nested[0].below,
                   1e-9);
        CHECK_NEAR(double_sweep_rate(high / m, high, high, 21), nested[0].above,
                   1e-9);
    }
}

/* ---- other grids -------------------------------------------------------- */

typedef struct radius {
    double h1, h2, period, rho;
    int sweeps;
} radius;

static const radius radii[] = {
    { 0.08, 0.02, 0.08, 0.4901722414081414, 21 },
    { 0.02, 0.08, 0.08, 0.7692307692307693, 21 },
    { 0.16, 0.04, 0.16, 0.9613565066285539, 21 },
    { 0.04, 0.16, 0.16, 1.4814814814814814, 21 },
    { 0.09, 0.06, 0.18, 0.9595626354981626, 401 },
    { 0.06, 0.09, 0.18, 1.1383834046436276, 401 },
    { 0.05, 0.07, 0.35, 1.0624832648315012, 401 },
};

/* Over one common period, where the dominant eigenvalue is simple.  (The radii
 * were computed over two, where it is double: the digits of an eigenvalue
 * program end at 1e-7 there.) */
static void rates_are_the_spectral_radii(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++) {
        const radius *r = &radii[i];
        const double rate =
            double_sweep_rate(r->h1, r->h2, r->period, r->sweeps);
        print_message("h1 = %.2f, h2 = %.2f: %.8f, expected %.8f\n", r->h1,
                      r->h2, rate, r->rho);
        CHECK_NEAR(rate, r->rho, 1e-6);
    }
}

/* ---- critical pairs ----------------------------------------------------- */

typedef struct pair {
    int p, q;       /* h1 : h2 */
    double h1, rho; /* critical; rho at 0.9 of it */
} pair;

static const pair pairs[] = {
    { 5, 7, 0.046931639160583516, 0.903766192011022 },
    { 2, 3, 0.052361077600188, 0.90408407580394 },
    { 3, 2, 0.09396019318957213, 0.9038211898206073 },
    { 7, 5, 0.07665434374141782, 0.9035786941887021 },
    { 1, 4, 0.026315789473684403, 0.9045226130653329 },
    { 4, 1, 0.16670225568402905, 0.9036495384996976 },
};

static double rate_of_pair(const pair *c, double factor)
{
    const double h1 = factor * c->h1, h2 = h1 * c->q / c->p;

    return double_sweep_rate(h1, h2, h1 * c->q, 301);
}

static void critical_pairs_separate_convergence_from_divergence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const double rho = rate_of_pair(&pairs[i], 0.9);
        print_message("%d : %d at 0.9 of h1 = %.5f: %.8f, expected %.8f\n",
                      pairs[i].p, pairs[i].q, pairs[i].h1, rho, pairs[i].rho);
        CHECK_NEAR(rho, pairs[i].rho, 1e-6);
        CHECK_BETWEEN(rate_of_pair(&pairs[i], 0.98), 0.97, 0.99);
        CHECK_BETWEEN(rate_of_pair(&pairs[i], 1.02), 1.01, 1.03);
    }
}

/* ---- below the uniform bound, and divergent ----------------------------- */

/* The largest |x2| after k double sweeps over one period, 7 h1 = 5 h2. */
static double size_after(double h1, double h2, int k, tap *s)
{
    static const double zero[TAP_POINTS];
    yoke_model *model = euler_model(h1, h2);
    yoke_run_options options = one_window(7 * h1, "a, b > tap");
    yoke_err err = { YOKE_OK, "" };

    add_tap(model, s, 1, h2, (const char *const[]){ "b.x2" });
    options.iterate.stop = YOKE_STOP_COUNT;
    options.iterate.max_sweeps = 2 * k;
    CHECK_OK(run_all(model, &options, NULL, &err), &err);
    yoke_model_free(model);
    return tap_error(s, 0, 5, zero);
}

/* 0.05 and 0.07 are both below 0.105263; the sweeps diverge.  The reference
 * starts from another first guess, so that its iterates after 50, 100, 200, 400
 * double sweeps are 17.94 times as large as ours: their growth is compared. */
static void steps_below_the_uniform_bound_diverge(void **state)
{
    static const int at[] = { 50, 100, 200, 400 };
    static const double reference[] = { 470.89274317223646, 9750.703548154357,
                                        4180650.0597521877, 768527732718.487 };
    static const double tolerance[] = { 0, 1e-3, 1e-4, 1e-6 };
    double size[4];
    tap s;

    (void)state;
    for (int i = 0; i < 4; i++) {
        size[i] = size_after(0.05, 0.07, at[i], &s);
        print_message("|x2| = %.6g after %d double sweeps\n", size[i], at[i]);
        if (i == 0) continue;
        CHECK_NEAR(size[i] / size[i - 1] * reference[i - 1] / reference[i], 1.0,
                   tolerance[i]);
    }
    CHECK_BETWEEN(size[3], 1e10, 1e12);
    CHECK_NEAR(pow(size[3] / size[2], 1.0 / 200), 1.0624832648315012, 1e-6);
}

static void half_the_steps_converge(void **state)
{
    tap after_50, after_200;
    double change = 0.0;

    (void)state;
    size_after(0.025, 0.035, 50, &after_50);
    size_after(0.025, 0.035, 200, &after_200);
    for (int n = 0; n <= 5; n++)
        change =
            fmax(change, fabs(after_50.value[0][n] - after_200.value[0][n]));
    print_message("error %.3g after 50 double sweeps\n", change);
    CHECK_BETWEEN(change, 0.0, 1e-12);
}

/* What the coupling log tells to one who does not know the theory. */
static void measured_rate_warns_of_divergence(void **state)
{
    yoke_model *model = euler_model(0.05, 0.07);
    yoke_run_options options = one_window(0.35, "a, b");
    static history past;
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    options.iterate.max_sweeps = 200;
    options.iterate.rtol = 0.0; /* changes in one unit */
    CHECK_STATUS(run_all(model, &options, &past, &err), YOKE_NOT_CONVERGED,
                 &err);
    assert_int_equal(past.sweeps, 200);
    CHECK_NEAR(past.rate[200], sqrt(1.0624832648315012), 1e-4);
    yoke_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_x1_allows_longer_steps),
        cmocka_unit_test(coarse_x2_leaves_the_bound_unchanged),
        cmocka_unit_test(rates_are_the_spectral_radii),
        cmocka_unit_test(critical_pairs_separate_convergence_from_divergence),
        cmocka_unit_test(steps_below_the_uniform_bound_diverge),
        cmocka_unit_test(half_the_steps_converge),
        cmocka_unit_test(measured_rate_warns_of_divergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
