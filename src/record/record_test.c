/* record/record_test.c -- when rows of the result are written. */
#define _XOPEN_SOURCE 700
#include "run/run_fixture.h"

static yoke_table *simulate(yoke_model *model, yoke_run_options *options,
                            const char *every, yoke_run_result *result)
{
    yoke_err err;

    set(options, "every", every);
    to_file(options, "rows.csv");
    CHECK_OK(yoke_simulate(model, options, result, &err), &err);
    return read_table(options->output, "result");
}

static double at(const yoke_table *t, int row, const char *name)
{
    const int column = yoke_table_find(t, name);

    assert_true(column >= 0);
    return t->value[row * t->cols + column];
}

/* The first row at this time; -1: none. */
static int row_at(const yoke_table *t, double time)
{
    for (int i = 0; i < t->rows; i++)
        if (fabs(at(t, i, "time") - time) < 1e-10) return i;
    return -1;
}

static void check_order(const yoke_table *t)
{
    for (int i = 1; i < t->rows; i++)
        assert_true(at(t, i, "time") >= at(t, i - 1, "time"));
}

/* ---- smooth -------------------------------------------------------------- */

/* At the ends of five hundred parts, and where the masses turn. */
static void without_a_grid_there_are_five_hundred_parts(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options options = yoke_run_defaults();
    (void)state;

    options.stop = 0.7;
    yoke_table *t = simulate(model, &options, "auto", NULL);
    CHECK_BETWEEN(t->rows, 501, 700);
    for (int i = 0; i <= 500; i++) assert_true(row_at(t, 0.7 * i / 500.0) >= 0);
    for (int i = 0; i < t->rows; i++) {
        const double time = at(t, i, "time");
        CHECK_NEAR(at(t, i, "left.x"), exact_left(time), 1e-5);
        CHECK_NEAR(at(t, i, "right.x"), exact_right(time), 1e-5);
    }
    assert_true(at(t, t->rows - 1, "time") == 0.7);
    yoke_table_free(t);
    yoke_model_free(model);
}

static void rows_cost_no_work(void **state)
{
    static const char *const every[] = { "window", "auto", "step", "1e-4" };
    long residuals[4];
    double end[4];
    (void)state;

    for (int k = 0; k < 4; k++) {
        yoke_model *model = two_masses(NULL, NULL);
        yoke_run_options options = yoke_run_defaults();
        yoke_run_result result;
        yoke_table *t = simulate(model, &options, every[k], &result);
        residuals[k] = result.work.residuals;
        end[k] = at(t, t->rows - 1, "left.x");
        assert_true(at(t, t->rows - 1, "time") == 1.0);
        check_order(t);
        yoke_table_free(t);
        yoke_model_free(model);
    }
    for (int k = 1; k < 4; k++) {
        assert_int_equal(residuals[k], residuals[0]);
        assert_true(end[k] == end[0]);
    }
}

/* Windows of 0.1: steps of 0.025 on the left, of 0.02 on the right. */
static void rows_may_be_the_steps_of_all_subsystems(void **state)
{
    static const double want[] = { 0.0,  0.02,  0.025, 0.04, 0.05,
                                   0.06, 0.075, 0.08,  0.1 };
    const yoke_stepper_options left = stepper("rk4", 0.025);
    const yoke_stepper_options right = stepper("trapezoidal", 0.02);
    yoke_model *model = two_masses(&left, &right);
    yoke_run_options options = yoke_run_defaults();
    (void)state;

    options.stop = 0.2;
    options.iterate.window = 0.1;
    yoke_table *t = simulate(model, &options, "step", NULL);
    assert_int_equal(t->rows, 17);
    for (int i = 0; i < 17; i++)
        CHECK_NEAR(at(t, i, "time"), i < 8 ? want[i] : want[i - 8] + 0.1,
                   1e-12);
    yoke_table_free(t);
    yoke_model_free(model);
}

/* ---- jumps --------------------------------------------------------------- */

/* A ball: x' = v, v' = -2; below the ground it turns: v becomes -v / 2.  From
 * x = 1 it arrives at t = 1 with v = -2, rises with v = 1. */
static yoke_status ball_rhs(void *self, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = x[1];
    xdot[1] = -2.0;
    return YOKE_OK;
}

static yoke_status ball_indicate(void *self, double t, const double *x,
                                 const double *u, double *g, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    g[0] = -x[0];
    return YOKE_OK;
}

static yoke_status ball_apply(void *self, double t, const double *x,
                              const double *u, const bool *happened,
                              double *x_new, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    if (happened[0]) x_new[1] = -0.5 * x[1];
    return YOKE_OK;
}

/* z' = v - z follows it. */
static yoke_model *ball_model(const char *method)
{
    static const yoke_system_ops ops = { .kind = "ball", .rhs = ball_rhs };
    static const yoke_event_ops event = { .indicate = ball_indicate,
                                          .apply = ball_apply };
    static const char *const name[] = { "x", "v" };
    static const double start[] = { 1.0, 0.0 };
    const yoke_system_info info = {
        .n = 2, .events = 1, .event = &event, .x0 = start, .x_name = name
    };
    const yoke_linear follower = {
        .n = 1, .m = 1, .A = (double[]){ -1.0 }, .B = (double[]){ 1.0 }
    };
    const yoke_stepper_options options = stepper(method, 0.01);
    yoke_model *model = new_model();
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_system_create(&system, "ball", &ops, NULL, &info, &err),
             &err);
    add_system(model, system, &options);
    add_linear(model, "shadow", &follower, &options);
    connect(model, "shadow.u1", "ball.v", 1.0);
    return model;
}

/* `stop` and `window` decide whether a row of the grid, and an end of a window,
 * lie at the event or not. */
static void check_ball(const char *method, const char *every, double stop,
                       double window)
{
    yoke_model *model = ball_model(method);
    yoke_run_options options = yoke_run_defaults();
    int pairs = 0;

    options.stop = stop;
    options.iterate.window = window;
    yoke_table *t = simulate(model, &options, every, NULL);
    check_order(t);
    const int row = row_at(t, 1.0);
    assert_true(row > 0);
    assert_true(at(t, row, "time") == at(t, row + 1, "time"));
    CHECK_NEAR(at(t, row, "ball.v"), -2.0, 1e-5);
    CHECK_NEAR(at(t, row + 1, "ball.v"), 1.0, 1e-5);
    CHECK_NEAR(at(t, row, "ball.x"), 0.0, 1e-8);
    CHECK_NEAR(at(t, row + 1, "ball.x"), 0.0, 1e-8);
    CHECK_NEAR(at(t, row, "shadow.x1"), at(t, row + 1, "shadow.x1"), 1e-8);
    for (int i = 1; i < t->rows; i++)
        pairs += at(t, i, "time") == at(t, i - 1, "time");
    assert_int_equal(pairs, 1); /* nothing else jumps before t = 2 */
    yoke_table_free(t);
    yoke_model_free(model);
}

static void both_sides_of_an_event_are_written(void **state)
{
    static const char *const method[] = { "radau5", "rk4", "bdf2" };
    (void)state;

    for (int k = 0; k < 3; k++) {
        check_ball(method[k], "auto", 1.9, 0.0);
        check_ball(method[k], "auto", 1.5, 0.3);
        check_ball(method[k], "auto", 1.25, 0.25);
        check_ball(method[k], "step", 1.9, 0.4);
    }
}

static double break_at(void *self, double t)
{
    const double length = *(const double *)self;
    double k = floor(t / length);

    while (length * k <= t) k += 1.0;
    return k > 1050.0 ? INFINITY : length * k;
}

static yoke_status source_rhs(void *self, double t, const double *x,
                              const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)err;
    xdot[0] = 1.0;
    return YOKE_OK;
}

/* Nothing bends there. */
static void breakpoints_on_a_straight_line_need_no_rows(void **state)
{
    static const yoke_system_ops ops = { .kind = "source",
                                         .rhs = source_rhs,
                                         .next_break = break_at };
    const yoke_system_info info = { .n = 1 };
    double length = 1e-5; /* 200 in each of five parts, then no more */
    yoke_run_options options = yoke_run_defaults();
    yoke_model *model = new_model();
    yoke_system *system = NULL;
    yoke_err err;
    (void)state;

    CHECK_OK(yoke_system_create(&system, "source", &ops, &length, &info, &err),
             &err);
    add_system(model, system, NULL);
    yoke_table *t = simulate(model, &options, "auto", NULL);
    check_order(t);
    assert_int_equal(t->rows, 501);
    for (int i = 0; i < t->rows; i++)
        CHECK_NEAR(at(t, i, "source.x1"), at(t, i, "time"), 1e-12);
    yoke_table_free(t);
    yoke_model_free(model);
}

/* From x = 1 the ball falls for a second and rises to 1/4; the extremes lie
 * between rows that are far apart. */
static void statistics_are_those_of_the_solution(void **state)
{
    static const char *const every[] = { "auto", "0.35", "window" };
    (void)state;

    for (int k = 0; k < 3; k++) {
        yoke_model *model = ball_model("radau5");
        yoke_run_options options = yoke_run_defaults();
        options.stop = 1.75;
        yoke_table_free(simulate(model, &options, every[k], NULL));
        yoke_table *t = read_table(options.output, "statistics");
        assert_int_equal(t->rows, 3); /* x, v, z */
        CHECK_NEAR(at(t, 0, "column"), 1.0, 0.0);
        CHECK_NEAR(at(t, 0, "least"), 0.0, 1e-6);
        CHECK_NEAR(at(t, 0, "time_of_least"), 1.0, 1e-6);
        CHECK_NEAR(at(t, 0, "most"), 1.0, 1e-6);
        CHECK_NEAR(at(t, 1, "least"), -2.0, 1e-5);
        CHECK_NEAR(at(t, 1, "most"), 1.0, 1e-5);
        CHECK_NEAR(at(t, 1, "time_of_most"), 1.0, 1e-6);
        /* x = 1 - t^2, then s - s^2: 2/3 + 0.75^2/2 - 0.75^3/3 */
        CHECK_NEAR(at(t, 0, "mean"), (2.0 / 3.0 + 0.28125 - 0.140625) / 1.75,
                   1e-6);
        /* v^2 = 4 t^2, then (1 - 2 s)^2: (1 + 0.5^3) / 6 */
        CHECK_NEAR(at(t, 1, "rms"), sqrt((4.0 / 3.0 + 1.125 / 6.0) / 1.75),
                   1e-5);
        yoke_table_free(t);
        yoke_model_free(model);
    }
}

static void words_and_numbers_are_told_apart(void **state)
{
    yoke_run_options options = yoke_run_defaults();
    char text[64];
    yoke_option_text option;
    int i = 0;
    yoke_err err;
    (void)state;

    while (yoke_run_list(i, &option) && strcmp(option.name, "every") != 0) i++;
    assert_string_equal(option.preset, "auto");
    set(&options, "every", "step");
    assert_true(options.every == YOKE_EVERY_STEP);
    assert_string_equal(yoke_run_get(&options, i, text), "step");
    set(&options, "every", "0.25");
    assert_string_equal(yoke_run_get(&options, i, text), "0.25");
    CHECK_STATUS(yoke_run_set(&options, "every", "-1", &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "between 0");
    CHECK_STATUS(yoke_run_set(&options, "every", "row", &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, "not one of: auto window step");
    assert_true(options.every == 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_grid_there_are_five_hundred_parts),
        cmocka_unit_test(rows_cost_no_work),
        cmocka_unit_test(rows_may_be_the_steps_of_all_subsystems),
        cmocka_unit_test(both_sides_of_an_event_are_written),
        cmocka_unit_test(breakpoints_on_a_straight_line_need_no_rows),
        cmocka_unit_test(statistics_are_those_of_the_solution),
        cmocka_unit_test(words_and_numbers_are_told_apart),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
