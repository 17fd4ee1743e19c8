/* Crow and Ilic 1990, Table 1: the first iterates of the index-2 test system,
 * and the variables that change only in every other sweep.
 *
 * Numbers: 003.table1, 003.limit.x2, 003.every_other_iteration.
 */
#include "crow_system.h"

enum { STEPS = 5, SWEEPS = 4 };

static const double step = 0.01, length = 0.05;

/* Rows t = 0 ... 0.05, columns k = 1 ... 4: as printed. */
static const double printed_x1[STEPS + 1][SWEEPS] = {
    { -1, -1, -1, -1 },
    { -1, -0.896, -0.896, -0.906 },
    { -1, -0.792, -0.792, -0.823 },
    { -1, -0.688, -0.688, -0.75 },
    { -1, -0.585, -0.585, -0.688 },
    { -1, -0.483, -0.483, -0.637 },
};
static const double printed_x2[STEPS + 1][SWEEPS] = {
    { 0.1, 0.1, 0.1, 0.1 },         { 0.089, 0.089, 0.091, 0.091 },
    { 0.079, 0.079, 0.082, 0.082 }, { 0.069, 0.068, 0.075, 0.075 },
    { 0.058, 0.058, 0.069, 0.069 }, { 0.048, 0.048, 0.064, 0.064 },
};

/* The same recomputed to all digits (003.table1), k = 1, 2 and 4; x1 at k = 3
 * is that at k = 2, x2 at k = 2 and 4 that at k = 1 and 3. */
static const double x1_k2[] = { -1.0,
                                -0.8955223880597017,
                                -0.7915645652335341,
                                -0.6881239455060042,
                                -0.5851979557273674,
                                -0.4827840355496194 };
static const double x1_k4[] = { -1.0,
                                -0.9059181703423183,
                                -0.8226484714616568,
                                -0.7500856486677178,
                                -0.6881252269601802,
                                -0.6366635058758392 };
static const double x2_k1[] = { 0.1,
                                0.08955223880597017,
                                0.07915645652335342,
                                0.06881239455060043,
                                0.058519795572736746,
                                0.04827840355496194 };
static const double x2_k3[] = { 0.1,
                                0.09059181703423183,
                                0.08226484714616568,
                                0.07500856486677178,
                                0.06881252269601802,
                                0.06366635058758392 };
static const double y_k1 = -5.01;
static const double y_k2[] = { 0.0,
                               5.961194029850714,
                               6.430043810796748,
                               6.896561005767909,
                               7.3607572196695665,
                               7.822643999671208 };
static const double y_k4[] = { 0.0,
                               4.8695329323531595,
                               4.205501046043247,
                               3.4983531795686362,
                               2.748534783683254,
                               1.9564879439961325 };

/* The iterates after exactly `sweeps` sweeps: channels x2, x1, y. */
static void iterate_exactly(int sweeps, tap *s)
{
    yoke_model *model = euler_model(step, step);
    yoke_run_options options = one_window(length, "a, b > tap");
    yoke_err err = { YOKE_OK, "" };

    add_tap(model, s, 3, step, (const char *const[]){ "b.x2", "a.x1", "a.y" });
    options.iterate.stop = YOKE_STOP_COUNT;
    options.iterate.max_sweeps = sweeps;
    CHECK_OK(run_all(model, &options, NULL, &err), &err);
    yoke_model_free(model);
}

static double expected_x1(int n, int k)
{
    if (k == 1) return -1.0;
    return k == 4 ? x1_k4[n] : x1_k2[n];
}

static double expected_y(int n, int k)
{
    if (n == 0) return 0.0;
    if (k == 1) return y_k1;
    return k == 4 ? y_k4[n] : y_k2[n];
}

static void every_iterate_of_table_1_is_reproduced(void **state)
{
    tap s;

    (void)state;
    for (int k = 1; k <= SWEEPS; k++) {
        iterate_exactly(k, &s);
        for (int n = 0; n <= STEPS; n++) {
            CHECK_NEAR(s.value[0][n], k < 3 ? x2_k1[n] : x2_k3[n], 1e-12);
            CHECK_NEAR(s.value[1][n], expected_x1(n, k), 1e-12);
            /* y contains x1' = (x1_n - x1_{n-1}) / h. */
            CHECK_NEAR(s.value[2][n], expected_y(n, k), 1e-10);
        }
    }
}

/* x1: all 24 cells.  x2: five cells are cut off instead of rounded (the paper
 * prints 0.069 and 0.068 for the same number, t = 0.03, k = 1 and 2). */
static void printed_cells_are_rounded_but_for_five_cut_off(void **state)
{
    tap s;
    int rounded_x1 = 0, rounded_x2 = 0, cut_x2 = 0;

    (void)state;
    for (int k = 1; k <= SWEEPS; k++) {
        iterate_exactly(k, &s);
        for (int n = 0; n <= STEPS; n++) {
            const double x1 = 1e3 * s.value[1][n], x2 = 1e3 * s.value[0][n];
            const long cell_x1 = lround(1e3 * printed_x1[n][k - 1]);
            const long cell_x2 = lround(1e3 * printed_x2[n][k - 1]);
            rounded_x1 += lround(x1) == cell_x1;
            if (lround(x2) == cell_x2)
                rounded_x2++;
            else
                cut_x2 += (long)floor(x2) == cell_x2;
        }
    }
    assert_int_equal(rounded_x1, 24);
    assert_int_equal(rounded_x2, 19);
    assert_int_equal(cut_x2, 5);
}

static void sweeps_converge_to_the_whole_system(void **state)
{
    static const double limit[] = { 0.1,
                                    0.0904977375565611,
                                    0.08189840502856208,
                                    0.07411620364575754,
                                    0.06707348746222401,
                                    0.06069998865359639 }; /* 003.limit.x2 */
    tap s;

    (void)state;
    iterate_exactly(40, &s);
    for (int n = 0; n <= STEPS; n++) {
        CHECK_NEAR(s.value[0][n], limit[n], 1e-12);
        CHECK_NEAR(s.value[1][n], -lambda1 * limit[n], 1e-12);
    }
}

/* Changes of x1 and x2 in nine sweeps. */
static void nine_sweeps(const char *schedule, bool warm, history *h)
{
    yoke_stepper_options stepper = fixed_stepper("implicit-euler", step);
    yoke_run_options options = one_window(length, schedule);
    yoke_model *model;
    yoke_err err = { YOKE_OK, "" };

    stepper.warm = warm;
    model = crow_model(0.0, &stepper, &stepper);
    options.iterate.stop = YOKE_STOP_COUNT;
    options.iterate.max_sweeps = 9;
    CHECK_OK(run_all(model, &options, h, &err), &err);
    yoke_model_free(model);
}

/* 003.every_other_iteration */
static const double moves[] = { 0.5172159644503806, 0.1538794703262198,
                                0.03566707258965429, 0.007090826998951472,
                                0.0012691519602985313 };

static void jacobi_changes_each_variable_in_every_other_sweep(void **state)
{
    static history h;

    (void)state;
    for (int warm = 0; warm < 2; warm++) {
        nine_sweeps("a, b", warm != 0, &h);
        for (int k = 1; k <= 9; k++) {
            const bool odd = k % 2 == 1;
            const int turn = (k - 1) / 2;
            CHECK_NEAR(h.variable[0][k], odd ? 0.0 : moves[turn],
                       odd ? 0.0 : 1e-12); /* exactly 0 in odd sweeps */
            CHECK_NEAR(h.variable[1][k], odd ? 0.1 * moves[turn] : 0.0,
                       odd ? 1e-13 : 0.0);
        }
    }
}

static void gauss_seidel_changes_both_in_every_sweep(void **state)
{
    static history h;

    (void)state;
    nine_sweeps("a > b", true, &h);
    CHECK_NEAR(h.variable[0][1], 0.0, 0.0); /* x2 is flat before sweep 1 */
    for (int k = 1; k <= 5; k++) {
        CHECK_NEAR(h.variable[0][k + 1], moves[k - 1], 1e-12);
        CHECK_NEAR(h.variable[1][k], 0.1 * moves[k - 1], 1e-13);
    }
}

/* The default test over ten windows: the second and later ones know a rate from
 * before and would be free to stop after one sweep. */
static void default_test_does_not_stop_in_a_quiet_sweep(void **state)
{
    static const char *const schedule[] = { "a, b", "a > b" };
    double limit[51];

    (void)state;
    euler_limit(step, 50, limit);
    for (int s = 0; s < 2; s++) {
        yoke_model *model = euler_model(step, step);
        yoke_run_options options = one_window(length, schedule[s]);
        yoke_run *run = NULL;
        yoke_run_result result;
        yoke_err err = { YOKE_OK, "" };

        options.stop = 0.5;
        CHECK_OK(start_run(&run, model, &options, NULL, &err), &err);
        yoke_run_summary(run, &result);
        assert_true(result.converged);
        assert_int_equal(result.iterate.windows, 10);
        CHECK_NEAR(value_of(run, "b.x2"), limit[50], 1e-6 * 0.1);
        CHECK_NEAR(value_of(run, "a.x1"), -lambda1 * limit[50], 1e-6);
        yoke_run_close(run, NULL);
        yoke_model_free(model);
    }
}

/* Sweeps until the error of x2 is below 1e-10. */
static int sweeps_needed(const char *schedule, history *h)
{
    yoke_model *model = euler_model(step, step);
    yoke_run_options options = one_window(length, schedule);
    tap s;
    double limit[STEPS + 1];
    int k = 1;
    yoke_err err = { YOKE_OK, "" };

    euler_limit(step, STEPS, limit);
    add_tap(model, &s, 1, step, (const char *const[]){ "b.x2" });
    *h = (history){ .tap = &s, .limit = limit, .points = STEPS };
    options.iterate.stop = YOKE_STOP_COUNT;
    options.iterate.max_sweeps = 40;
    CHECK_OK(run_all(model, &options, h, &err), &err);
    yoke_model_free(model);
    while (h->error[k] >= 1e-10) k++;
    return k;
}

/* Sweep 2k - 1 of Jacobi is sweep k of Gauss-Seidel. */
static void gauss_seidel_needs_half_the_sweeps(void **state)
{
    static history jacobi, seidel;
    const int many = sweeps_needed("a, b > tap", &jacobi);
    const int few = sweeps_needed("a > b > tap", &seidel);

    (void)state;
    print_message("1e-10: Jacobi %d sweeps, Gauss-Seidel %d\n", many, few);
    assert_int_equal(many, 2 * few - 1);
    for (int k = 1; k <= 10; k++)
        CHECK_NEAR(jacobi.error[2 * k - 1], seidel.error[k], 1e-15);
}

/* The default test, told to reach the limit to ten digits. */
static void default_test_reaches_the_limit(void **state)
{
    static const char *const schedule[] = { "a, b > tap", "a > b > tap" };
    static history h;
    double limit[STEPS + 1];
    int sweeps[2];

    (void)state;
    euler_limit(step, STEPS, limit);
    for (int i = 0; i < 2; i++) {
        yoke_model *model = euler_model(step, step);
        yoke_run_options options = one_window(length, schedule[i]);
        tap s;
        yoke_err err = { YOKE_OK, "" };

        add_tap(model, &s, 1, step, (const char *const[]){ "b.x2" });
        h = (history){ .tap = &s, .limit = limit, .points = STEPS };
        options.iterate.rtol = 1e-10;
        options.iterate.atol = 1e-12;
        CHECK_OK(run_all(model, &options, &h, &err), &err);
        sweeps[i] = h.sweeps;
        CHECK_BETWEEN(h.error[h.sweeps], 0.0, 1e-11);
        yoke_model_free(model);
    }
    print_message("rtol 1e-10: Jacobi %d sweeps, Gauss-Seidel %d\n", sweeps[0],
                  sweeps[1]);
    CHECK_BETWEEN(sweeps[0], 1.6 * sweeps[1], 2.0 * sweeps[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_iterate_of_table_1_is_reproduced),
        cmocka_unit_test(printed_cells_are_rounded_but_for_five_cut_off),
        cmocka_unit_test(sweeps_converge_to_the_whole_system),
        cmocka_unit_test(jacobi_changes_each_variable_in_every_other_sweep),
        cmocka_unit_test(gauss_seidel_changes_both_in_every_sweep),
        cmocka_unit_test(default_test_does_not_stop_in_a_quiet_sweep),
        cmocka_unit_test(gauss_seidel_needs_half_the_sweeps),
        cmocka_unit_test(default_test_reaches_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
