/* Section 5 of Arnold and Guenther (2001): pantograph and catenary.
 *
 * The numbers are those of an independent implementation of the same model in
 * another language; errors (rms and max, relative to the mean contact force)
 * agree within 2 %, factors of growth and contraction within 1 %.  The table
 * below follows the paper's statements.
 *
 * The rows that are quick run always; `pantograph all` runs every row.
 */
#include "pantograph_problem.h"

static const double within = 0.02;
static bool all_rows;

/* lambda of the monolithic runs on the grid of 5e-5 s. */
static double *reference, *same_step;

static double *contact_force(const variant *v)
{
    outcome o = { 0 };

    attempt(v, &o);
    CHECK_OK(o.status, &o.err);
    double *lambda = column(&o, "contact.lambda");
    assert_int_equal(o.table->rows,
                     (int)lround((v->stop > 0.0 ? v->stop : end_time) /
                                 (v->every > 0.0 ? v->every : tau)) +
                         1);
    yoke_table_free(o.table);
    return lambda;
}

static double *monolithic(double step)
{
    const variant v = { .monolithic = true, .step = step, .mult = 1 };

    return contact_force(&v);
}

static int set_up(void **state)
{
    (void)state;
    reference = monolithic(1e-5);
    same_step = monolithic(tau);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(reference);
    free(same_step);
    return 0;
}

static void check_error(const double *lambda, const double *against, double rms,
                        double max)
{
    const error e = error_of(lambda, against, GRID + 1);

    CHECK_NEAR(e.rms, rms, within * rms);
    CHECK_NEAR(e.max, max, within * max);
}

/* ---- the monolithic reference -------------------------------------------- */

static void samples(const double *lambda, const double value[11], double tol)
{
    for (int i = 0; i <= 10; i++)
        CHECK_NEAR(lambda[i * GRID / 10], value[i], tol);
}

static void contact_force_at_eleven_times(void **state)
{
    static const double with_1e5[] = { 0.0,     24.1946, 68.2177, 142.08,
                                       105.251, 166.823, 196.2,   129.751,
                                       193.765, 174.116, 157.862 };
    (void)state;
    samples(reference, with_1e5, 1e-3);
}

static void order_is_two_and_the_size_is_that_of_the_paper(void **state)
{
    (void)state;
    double *half = monolithic(2.5e-5);
    check_error(same_step, reference, 6.26367e-4, 7.23326e-3);
    const error fine = error_of(half, reference, GRID + 1);
    /* Against a reference with the step 1e-5, second order gives (25 - 1) /
     * (6.25 - 1) = 4.6 instead of 4. */
    CHECK_BETWEEN(error_of(same_step, reference, GRID + 1).rms / fine.rms, 4.0,
                  5.0);
    free(half);
}

static void truth_with_a_step_of_2_5_us(void **state)
{
    static const double truth[] = { 0.0,     24.1946, 68.2177, 142.08,
                                    105.251, 166.824, 196.201, 129.752,
                                    193.766, 174.12,  157.864 };
    (void)state;
    if (!all_rows) skip();
    double *lambda = monolithic(2.5e-6), *half = monolithic(2.5e-5);
    samples(lambda, truth, 1e-3);
    check_error(same_step, lambda, 6.5073e-4, 7.51305e-3);
    check_error(half, lambda, 1.67799e-4, 1.99971e-3);
    check_error(reference, lambda, 2.50173e-5, 2.80662e-4);
    free(lambda);
    free(half);
}

/* Beyond it lambda would pass 1e6 within 0.1 s; the run ends before. */
static void stable_up_to_66_us(void **state)
{
    const variant inside = {
        .monolithic = true, .step = 6.59e-5, .mult = 1, .stop = 0.1
    };
    const variant outside = {
        .monolithic = true, .step = 6.62e-5, .mult = 1, .stop = 0.1
    };
    outcome o = { 0 };
    double most = 0.0;
    (void)state;

    attempt(&inside, &o);
    CHECK_OK(o.status, &o.err);
    double *lambda = column(&o, "contact.lambda");
    for (int i = 0; i < o.table->rows; i++) most = fmax(most, fabs(lambda[i]));
    CHECK_BETWEEN(most, 1.0, 220.0);
    free(lambda);
    yoke_table_free(o.table);
    attempt(&outside, &o);
    CHECK_STATUS(o.status, YOKE_E_NUMERIC, &o.err);
    CHECK_CONTAINS(o.err.text,
                   "stormer is stable up to 2; take a step of 6.6e-05");
    yoke_table_free(o.table);
}

/* ---- H = tau: which order is stable -------------------------------------- */

/* Without a preconditioner an error of lambda is multiplied by alpha^k in each
 * window, whatever its length. */
static void check_growth(double step, int sweeps, double growth)
{
    const variant whole = {
        .monolithic = true, .step = step, .mult = 1, .stop = 0.05, .every = step
    };
    const variant v = { .catenary_first = true,
                        .step = step,
                        .mult = 1,
                        .sweeps = sweeps,
                        .accelerate = YOKE_ACCELERATE_NONE,
                        .stop = 8.0 * step,
                        .every = step };
    double *exact = contact_force(&whole), *lambda = contact_force(&v);

    for (int n = 4; n < 8; n++)
        CHECK_NEAR(
            fabs((lambda[n + 1] - exact[n + 1]) / (lambda[n] - exact[n])),
            growth, 0.01 * growth);
    free(exact);
    free(lambda);
}

static void catenary_first_grows_by_alpha_to_the_k_per_window(void **state)
{
    (void)state;
    check_growth(5e-5, 1, 30.6505);
    check_growth(5e-5, 2, 937.903);
    check_growth(1e-5, 1, 31.2485);
    check_growth(1e-5, 2, 976.427);
}

/* Windows as long as a step.  Errors against the monolithic run with the same
 * step: what the splitting adds. */
static const struct stable {
    bool catenary_first;
    const char *dense; /* of the pantograph */
    yoke_accelerate accelerate;
    int sweeps;
    double rms, max;
} stable[] = {
    { false, "natural", YOKE_ACCELERATE_NONE, 1, 9.72638e-5, 8.9058e-4 },
    { false, "stages", YOKE_ACCELERATE_NONE, 1, 9.75624e-6, 8.33636e-5 },
    { false, "natural", YOKE_ACCELERATE_NONE, 2, 6.45078e-6, 5.55452e-5 },
    { false, "natural", YOKE_ACCELERATE_PRECONDITION, 1, 2.96565e-6,
      2.31957e-5 },
};

static double *windows_of_one_step(const struct stable *s)
{
    const variant v = { .catenary_first = s->catenary_first,
                        .dense = s->dense,
                        .step = tau,
                        .mult = 1,
                        .sweeps = s->sweeps,
                        .accelerate = s->accelerate };

    return contact_force(&v);
}

static void pantograph_first_is_stable_with_windows_of_one_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof stable / sizeof *stable; i++) {
        double *lambda = windows_of_one_step(&stable[i]);
        check_error(lambda, same_step, stable[i].rms, stable[i].max);
        free(lambda);
    }
}

/* (4.7) makes the catenary first exact: nothing but rounding is left, because
 * its matrix belongs to the instant.  The reference has 3e-12. */
static void catenary_first_with_the_preconditioner_is_monolithic(void **state)
{
    (void)state;
    for (int k = 1; k <= 2; k++) {
        const struct stable row = {
            true, "natural", YOKE_ACCELERATE_PRECONDITION, k, 0.0, 0.0
        };
        double *lambda = windows_of_one_step(&row);
        const error e = error_of(lambda, same_step, GRID + 1);
        print_message("k = %d: %.2e\n", k, e.rms);
        CHECK_BETWEEN(e.rms, 0.0, 4e-12);
        check_error(lambda, reference, 6.26367e-4, 7.23326e-3);
        free(lambda);
    }
}

/* The same order with windows of 20 steps, the pantograph taking one of them,
 * until the error is small: alpha = 31 and the default correction.  The
 * catenary reads the force at every step of its own, the force is one
 * polynomial in the whole window: corrections must be so too. */
static void catenary_first_converges_with_the_default_correction(void **state)
{
    const variant v = { .catenary_first = true,
                        .method = "rk4",
                        .step = tau,
                        .mult = 20,
                        .stop = 0.05 };
    yoke_model *model = make_model(&v);
    yoke_run_options o = options_of(&v, "");
    const yoke_run_options defaults = yoke_run_defaults();
    yoke_run *run = NULL;
    yoke_run_result result;
    double force = 0.0;
    yoke_err err;
    (void)state;
    o.iterate = defaults.iterate;
    o.iterate.window = 20.0 * tau;
    o.iterate.rtol = 1e-5;
    o.iterate.atol = 1e-7;
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, o.stop, &err), &err);
    yoke_run_summary(run, &result);
    CHECK_OK(yoke_run_value(run, "contact.lambda", &force, &err), &err);
    print_message("%ld sweeps in %d windows\n", result.iterate.sweeps,
                  result.iterate.windows);
    assert_null(result.repaired);
    assert_int_equal(result.iterate.windows, 50);
    CHECK_BETWEEN((double)result.iterate.sweeps, 100, 200);
    CHECK_NEAR(force, reference[1000], 0.02 * reference[1000]);
    yoke_run_close(run, NULL);
    yoke_model_free(model);
}

/* ---- multirate ----------------------------------------------------------- */

/* The pantograph with steps of `mult` tau, as long as the windows; `stages` is
 * the two-step dense output of Stoermer's method, `natural` the one that is
 * linear between the accelerations at both ends. */
static const struct row {
    const char *method, *dense;
    int mult, sweeps, extrapolate;
    bool quick;
    double rms, max;
    bool precondition;
} rows[] = {
    { "stormer", "stages", 10, 1, 0, true, 1.28682e-3, 1.61065e-2, false },
    { "stormer", "stages", 10, 2, 0, true, 1.35429e-3, 1.68591e-2, false },
    { "stormer", "stages", 10, 3, 0, false, 1.35194e-3, 1.68328e-2, false },
    { "stormer", "stages", 20, 1, 0, true, 3.22792e-3, 4.1502e-2, false },
    { "stormer", "stages", 20, 2, 0, true, 3.35572e-3, 4.10819e-2, false },
    { "stormer", "stages", 20, 3, 0, false, 3.35086e-3, 4.10984e-2, false },
    { "stormer", "stages", 100, 1, 0, false, 4.18608e-2, 3.37963e-1, false },
    { "stormer", "stages", 100, 2, 0, false, 4.21518e-2, 2.9583e-1, false },
    { "stormer", "stages", 100, 3, 0, false, 4.21157e-2, 2.97672e-1, false },
    { "stormer", "natural", 10, 1, 0, true, 3.29899e-3, 3.10252e-2, false },
    { "stormer", "natural", 10, 2, 0, false, 5.19577e-4, 6.09998e-3, false },
    { "stormer", "natural", 10, 3, 0, false, 5.55099e-4, 6.40949e-3, false },
    { "stormer", "natural", 20, 1, 0, false, 6.58416e-3, 6.01191e-2, false },
    { "stormer", "natural", 20, 2, 0, true, 6.99943e-4, 5.38023e-3, false },
    { "stormer", "natural", 20, 3, 0, false, 6.42566e-4, 5.54507e-3, false },
    { "stormer", "natural", 100, 1, 0, false, 3.74652e-2, 2.33348e-1, false },
    { "stormer", "natural", 100, 2, 0, false, 1.82906e-2, 1.51213e-1, false },
    { "stormer", "natural", 100, 3, 0, false, 1.63736e-2, 1.29117e-1, false },
    { "rk4", "stages", 10, 1, 0, false, 6.13955e-3, 3.1837e-2, false },
    { "rk4", "stages", 10, 2, 0, false, 6.48404e-4, 7.64914e-3, false },
    { "rk4", "stages", 10, 3, 0, false, 6.26814e-4, 7.35119e-3, false },
    { "rk4", "stages", 20, 1, 0, true, 1.24115e-2, 6.26395e-2, false },
    { "rk4", "stages", 20, 2, 0, true, 8.20997e-4, 8.75155e-3, false },
    { "rk4", "stages", 20, 3, 0, true, 6.26514e-4, 7.59482e-3, false },
    { "rk4", "stages", 100, 1, 0, true, 6.53426e-2, 3.61725e-1, false },
    { "rk4", "stages", 100, 2, 0, true, 9.60652e-3, 4.11663e-2, false },
    { "rk4", "stages", 100, 3, 0, true, 6.15311e-3, 4.92479e-2, false },
    { "rk4", "stages", 20, 1, 1, false, 3.3405e-3, 3.82206e-2, false },
    { "rk4", "stages", 100, 1, 1, false, 4.02583e-2, 2.80334e-1, false },
    { "rk4", "stages", 20, 1, 0, true, 1.27169e-2, 6.10781e-2, true },
    { "rk4", "stages", 20, 2, 0, true, 6.41859e-4, 7.94706e-3, true },
    { "rk4", "stages", 100, 2, 0, true, 8.07271e-3, 4.18417e-2, true },
};

static void multirate_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        if (!r->quick && !all_rows) continue;
        const variant v = { .method = r->method,
                            .dense = r->dense,
                            .step = tau,
                            .mult = r->mult,
                            .sweeps = r->sweeps,
                            .extrapolate = r->extrapolate,
                            .accelerate = r->precondition
                                              ? YOKE_ACCELERATE_PRECONDITION
                                              : YOKE_ACCELERATE_NONE };
        double *lambda = contact_force(&v);
        print_message("%s %s %d tau, k = %d\n", r->method, r->dense, r->mult,
                      r->sweeps);
        check_error(lambda, reference, r->rms, r->max);
        free(lambda);
    }
}

/* ---- contraction in one window ------------------------------------------- */

enum { SWEEPS = 5 };

static void note_change(void *context, const yoke_sweep *s)
{
    double *change = context;

    if (fabs(s->t1 - 0.2) > 1e-9) return;
    for (int i = 0; i < s->variables; i++)
        if (strcmp(s->variable_name[i], "contact.lambda") == 0)
            change[s->sweep] = s->variable_change[i];
}

static void iterates_contract_by_alpha_and_order_of_the_window(void **state)
{
    static const struct {
        int mult;
        const char *method;
        double ratio[3]; /* of the third, fourth and fifth change */
    } row[] = {
        { 1, "stormer", { 0.0321363, 0.0321363, 0.0321363 } },
        { 10, "rk4", { 0.0375561, 0.0371102, 0.0367319 } },
        { 20, "rk4", { 0.0461304, 0.0443916, 0.0430472 } },
        { 100, "rk4", { 0.105807, 0.0921734, 0.0821661 } },
    };
    (void)state;
    for (int i = all_rows ? 0 : 2; i < 4; i++) {
        double change[SWEEPS + 1] = { 0.0 };
        const yoke_watcher watcher = { .sweep = note_change,
                                       .context = change };
        const variant v = { .method = row[i].method,
                            .dense = row[i].mult > 1 ? "stages" : "natural",
                            .step = tau,
                            .mult = row[i].mult,
                            .sweeps = SWEEPS,
                            .accelerate = YOKE_ACCELERATE_NONE,
                            .stop = 0.2 };
        outcome o = { .watcher = &watcher };
        attempt(&v, &o);
        assert_int_equal(o.status, YOKE_OK);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(change[k + 3] / change[k + 2], row[i].ratio[k],
                       0.01 * row[i].ratio[k]);
        yoke_table_free(o.table);
    }
}

/* ---- alpha before the run ------------------------------------------------ */

static void check_alpha(bool catenary_first, double alpha)
{
    const variant v = {
        .catenary_first = catenary_first, .step = tau, .mult = 1, .sweeps = 1
    };
    yoke_model *model = make_model(&v);
    const yoke_run_options options = options_of(&v, "");
    yoke_contraction c = { .h = 1e-11 };
    yoke_err err;

    CHECK_OK(yoke_model_contraction(model, &options, 1, &c, &err), &err);
    CHECK_NEAR(c.rho, alpha, 1e-4 * alpha);
    yoke_model_free(model);
}

static void alpha_is_the_ratio_of_the_effective_masses(void **state)
{
    (void)state;
    check_alpha(true, 3.44 / 0.11);
    check_alpha(false, 0.11 / 3.44);
}

/* Without an argument what takes seconds; `long`: the rest; `all`: everything,
 * with all rows. */
int main(int count, char **argument)
{
    const char *which = count > 1 ? argument[1] : "";
    const struct CMUnitTest quick[] = {
        cmocka_unit_test(contact_force_at_eleven_times),
        cmocka_unit_test(order_is_two_and_the_size_is_that_of_the_paper),
        cmocka_unit_test(truth_with_a_step_of_2_5_us),
        cmocka_unit_test(stable_up_to_66_us),
        cmocka_unit_test(catenary_first_grows_by_alpha_to_the_k_per_window),
        cmocka_unit_test(catenary_first_converges_with_the_default_correction),
        cmocka_unit_test(iterates_contract_by_alpha_and_order_of_the_window),
        cmocka_unit_test(alpha_is_the_ratio_of_the_effective_masses),
    };
    const struct CMUnitTest longer[] = {
        cmocka_unit_test(pantograph_first_is_stable_with_windows_of_one_step),
        cmocka_unit_test(catenary_first_with_the_preconditioner_is_monolithic),
        cmocka_unit_test(multirate_errors),
    };
    int failed = 0;

    all_rows = strcmp(which, "all") == 0;
    if (strcmp(which, "long") != 0)
        failed += cmocka_run_group_tests(quick, set_up, tear_down);
    if (strcmp(which, "") != 0)
        failed += cmocka_run_group_tests(longer, set_up, tear_down);
    return failed;
}
