/* tests/converge/strong_coupling.c -- random strongly coupled problems with
 * known solutions, any order of the subsystems, any owner, alpha from 0.01 to
 * 10,000, with the default options: every run comes to its end, its errors are
 * not more than ten times those of the monolithic run or the tolerance, and a
 * window takes four sweeps on average.  bench/05_strong_coupling has 1,000 of
 * them.
 */
#include "../../bench/05_strong_coupling/measure.h"
#include "check.h"

enum { SEED = 20, CASES = 6 };

static problem drawn; /* large */

static void check_family(family which)
{
    long windows = 0, sweeps = 0;
    int bad = 0;

    for (int k = 0; k < CASES; k++) {
        const unsigned long number = (unsigned long)(k * FAMILIES + (int)which);
        problem_draw(&drawn, SEED, number);
        const yoke_run_options options = measure_options(&drawn);
        const outcome whole = measure_whole(&drawn, &options);
        const verdict v = measure(&drawn, &options, &whole, false);
        windows += v.coupled.result.iterate.windows;
        sweeps += v.coupled.result.iterate.sweeps;
        if (!v.failed && !v.unknown && !v.wrong) continue;
        bad++;
        print_error("--seed %d --case %lu: %s, alpha %.3g, %s: errors %.3g and "
                    "%.3g, monolithic %.3g and %.3g%s %s%s%s\n",
                    SEED, number, family_name[which], drawn.alpha,
                    drawn.schedule, v.coupled.error[OF_STATES],
                    v.coupled.error[OF_OTHERS], v.whole.error[OF_STATES],
                    v.whole.error[OF_OTHERS], v.wrong ? ", wrong" : "",
                    v.coupled.text, v.unknown ? "; monolithic: " : "",
                    v.unknown ? v.whole.text : "");
    }
    assert_int_equal(bad, 0);
    CHECK_BETWEEN((double)sweeps / (double)windows, 1.0, 4.0);
}

static void states_by_signals(void **state)
{
    (void)state;
    check_family(STATES);
}

static void loops_with_feedthrough(void **state)
{
    (void)state;
    check_family(LOOP);
}

static void circuits_of_index_2(void **state)
{
    (void)state;
    check_family(CIRCUIT);
}

static void mechanisms_by_velocities(void **state)
{
    (void)state;
    check_family(VELOCITY);
}

static void mechanisms_by_positions(void **state)
{
    (void)state;
    check_family(POSITION);
}

static void mechanisms_stabilised(void **state)
{
    (void)state;
    check_family(STABILISED);
}

static verdict judged_with(unsigned long seed, unsigned long number,
                           const char *cluster)
{
    yoke_err err;

    problem_draw(&drawn, seed, number);
    yoke_run_options options = measure_options(&drawn);
    CHECK_OK(yoke_run_set(&options, "cluster", cluster, &err), &err);
    const outcome whole = measure_whole(&drawn, &options);
    const verdict v = measure(&drawn, &options, &whole, false);
    if (v.failed) print_error("%s\n", v.coupled.text);
    assert_false(v.failed || v.unknown || v.wrong);
    return v;
}

static verdict judged(unsigned long number)
{
    return judged_with(2, number, "auto");
}

/* Some parts become one and then all: inputs that are unknowns of a cluster and
 * are fed from outside as well must be handed over as they are. */
static void clusters_grow_in_the_middle(void **state)
{
    (void)state;
    const verdict v = judged(282);
    assert_true(v.coupled.result.steps >= 2);
}

/* Six parts, a sweep of which amplifies: they stay apart and take one sweep. */
static void strong_loops_stay_apart(void **state)
{
    (void)state;
    const verdict v = judged(25);
    assert_true(v.coupled.result.subsystems > 1);
    assert_true(v.coupled.result.iterate.sweeps <
                2 * v.coupled.result.iterate.windows);
}

/* Eight parts in a tree of joints, the multipliers of which are waveforms: no step
 * of a rounding error is taken where the inputs of a repeated sweep bend. */
static void multipliers_of_a_tree_are_smooth(void **state)
{
    (void)state;
    (void)judged_with(9107, 75, "none");
}

/* A loop that amplifies, and a first window much too long for it: what cannot be
 * corrected in it is not tried at any price (300,000 solves, and vectors of 90,000
 * numbers). */
static void hopeless_windows_end_early(void **state)
{
    (void)state;
    const verdict v = judged_with(9201, 37, "none");
    assert_true(v.coupled.result.work.solves < 220000);
}

/* The spectral radius that the generator aims at is the one that the library
 * finds for the plain sweep. */
static void alpha_is_the_predicted_radius(void **state)
{
    (void)state;
    for (unsigned long number = 0; number < 60; number++) {
        yoke_contraction c = { .h = 1e-7 };
        yoke_model *model = NULL;
        yoke_err err;
        problem_draw(&drawn, SEED, number);
        if (drawn.family == STATES || drawn.nonlinear) continue;
        const yoke_run_options options = measure_options(&drawn);
        CHECK_OK(problem_model(&model, &drawn, &err), &err);
        CHECK_OK(yoke_model_contraction(model, &options, 1, &c, &err), &err);
        CHECK_BETWEEN(c.rho / drawn.alpha, 0.95, 1.05);
        yoke_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alpha_is_the_predicted_radius),
        cmocka_unit_test(states_by_signals),
        cmocka_unit_test(loops_with_feedthrough),
        cmocka_unit_test(circuits_of_index_2),
        cmocka_unit_test(mechanisms_by_velocities),
        cmocka_unit_test(mechanisms_by_positions),
        cmocka_unit_test(mechanisms_stabilised),
        cmocka_unit_test(clusters_grow_in_the_middle),
        cmocka_unit_test(strong_loops_stay_apart),
        cmocka_unit_test(multipliers_of_a_tree_are_smooth),
        cmocka_unit_test(hopeless_windows_end_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
