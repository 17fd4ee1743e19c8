/* run/run_test.c -- complete runs against exact solutions. */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

static yoke_run_options short_run(double stop)
{
    yoke_run_options options = yoke_run_defaults();

    options.stop = stop;
    options.iterate.window = 0.05;
    return options;
}

/* Runs to the end and checks both positions there. */
static yoke_run_result run_masses(yoke_model *model,
                                  const yoke_run_options *options, double tol)
{
    yoke_run_result result;
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_run_create(&run, model, options, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, options->stop, &err), &err);
    assert_int_equal(err.status, YOKE_OK);
    CHECK_NEAR(value_of(run, "left.x"), exact_left(options->stop), tol);
    CHECK_NEAR(value_of(run, "right.x"), exact_right(options->stop), tol);
    yoke_run_summary(run, &result);
    assert_true(result.t == options->stop);
    CHECK_OK(yoke_run_close(run, &err), &err);
    return result;
}

static void every_scheme_finds_the_solution(void **state)
{
    static const char *const scheme[] = { "gauss-seidel", "jacobi", "picard",
                                          "monolithic" };
    yoke_model *model = two_masses(NULL, NULL);
    (void)state;
    for (int k = 0; k < 4; k++) {
        yoke_run_options options = short_run(0.63);
        set(&options, "scheme", scheme[k]);
        options.cluster = YOKE_CLUSTER_NONE;
        options.iterate.rtol = 1e-7;
        const yoke_run_result r = run_masses(model, &options, 2e-6);
        assert_true(r.converged);
        assert_int_equal(r.subsystems, k == 3 ? 1 : 2);
        assert_int_equal(r.iterate.windows, 13);
        if (k == 3) assert_int_equal(r.iterate.sweeps, 13);
        CHECK_CONTAINS(r.text, "every window converged");
    }
    yoke_model_free(model);
}

static void schedules_from_text_find_it_too(void **state)
{
    static const char *const text[] = {
        "right > left", "left, right", "left + right", "left > right > left",
        "0.5 * left > right; 0.5 * right > left"
    };
    yoke_model *model = two_masses(NULL, NULL);
    (void)state;
    for (int k = 0; k < 5; k++) {
        yoke_run_options options = short_run(0.63);
        set(&options, "schedule", text[k]);
        options.iterate.rtol = 1e-7;
        assert_true(run_masses(model, &options, 2e-6).converged);
    }
    yoke_model_free(model);
}

static void steppers_may_be_mixed(void **state)
{
    static const char *const method[][2] = { { "radau5", "rk4" },
                                             { "trapezoidal", "bdf3" },
                                             { "trbdf2", "stormer" },
                                             { "midpoint", "heun" },
                                             { "implicit-euler", "rk4" } };
    static const double tolerance[] = { 1e-5, 2e-3, 2e-3, 2e-3, 0.2 };
    (void)state;
    for (int k = 0; k < 5; k++) {
        yoke_run_options options = short_run(0.5);
        const yoke_stepper_options left = stepper(method[k][0], 1e-3);
        const yoke_stepper_options right = stepper(method[k][1], 1e-3);
        yoke_model *model = two_masses(&left, &right);
        assert_true(run_masses(model, &options, tolerance[k]).converged);
        yoke_model_free(model);
    }
}

/* Work is listed as the subsystems were added, whatever their order. */
static void the_order_of_subsystems_is_obeyed(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options options = short_run(0.2);
    yoke_schedule *schedule = NULL;
    yoke_run *run = NULL;
    const char *name = NULL;
    yoke_work work;
    yoke_err err;
    (void)state;
    set(&options, "order", " right  left ");
    CHECK_OK(
        yoke_run_schedule(&schedule, yoke_model_graph(model), &options, &err),
        &err);
    assert_int_equal(schedule->cluster[0], 1);
    assert_int_equal(schedule->cluster[1], 0);
    assert_int_equal(schedule->member[0], 0);
    yoke_schedule_free(schedule);
    CHECK_OK(yoke_run_create(&run, model, &options, NULL, &err), &err);
    assert_true(yoke_run_work(run, 0, &name, &work));
    assert_string_equal(name, "left");
    assert_true(yoke_run_work(run, 1, &name, &work));
    assert_string_equal(name, "right");
    assert_false(yoke_run_work(run, 2, &name, &work));
    assert_false(yoke_run_work(run, -1, &name, &work));
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

static void the_same_run_gives_the_same_bits(void **state)
{
    static const char *const file[] = { "one.csv", "two.csv" };
    yoke_table *table[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        yoke_model *model = two_masses(NULL, NULL);
        yoke_run_options options = short_run(0.4);
        yoke_err err;
        to_file(&options, file[k]);
        options.every = 0.013;
        CHECK_OK(yoke_simulate(model, &options, NULL, &err), &err);
        yoke_model_free(model);
        table[k] = read_table(in_scratch(file[k]), "result");
    }
    assert_int_equal(table[0]->rows, table[1]->rows);
    assert_memory_equal(table[0]->value, table[1]->value,
                        sizeof(double) * (size_t)table[0]->rows *
                            (size_t)table[0]->cols);
    yoke_table_free(table[0]);
    yoke_table_free(table[1]);
}

static void a_run_in_steps_is_the_same_run(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    const yoke_run_options options = short_run(0.4);
    double value[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        yoke_run *run = NULL;
        yoke_err err;
        CHECK_OK(yoke_run_create(&run, model, &options, NULL, &err), &err);
        for (int i = 1; k && i < 8; i++)
            CHECK_OK(yoke_run_advance(run, 0.05 * i, &err), &err);
        CHECK_OK(yoke_run_advance(run, INFINITY, &err), &err);
        value[k] = value_of(run, "right.v");
        CHECK_STATUS(yoke_run_advance(run, 0.1, &err), YOKE_E_ARG, &err);
        CHECK_CONTAINS(err.text, "t = 0.1 is before the time reached, 0.4");
        CHECK_STATUS(yoke_run_advance(run, NAN, &err), YOKE_E_ARG, &err);
        CHECK_OK(yoke_run_close(run, &err), &err);
    }
    CHECK_NEAR(value[0], value[1], 1e-9);
    yoke_model_free(model);
}

/* ---- results
 * ----------------------------------------------------------------- */

static void rows_lie_on_their_grid(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options options = short_run(0.57);
    yoke_err err;
    (void)state;
    to_file(&options, "grid.csv");
    options.every = 0.01; /* 57 * 0.01 < 0.57 in doubles */
    set(&options, "record", "left.x right.*");
    CHECK_OK(yoke_simulate(model, &options, NULL, &err), &err);
    yoke_table *t = read_table(in_scratch("grid.csv"), "result");
    assert_int_equal(t->rows, 58);
    assert_int_equal(t->cols, 4);
    for (int i = 0; i < t->rows; i++) {
        CHECK_NEAR(t->value[4 * i], 0.01 * i, 1e-12);
        CHECK_NEAR(t->value[4 * i + 1], exact_left(0.01 * i), 2e-5);
    }
    assert_true(t->value[4 * 57] == 0.57);
    yoke_table_free(t);
    t = read_table(in_scratch("grid.csv"), "coupling");
    assert_true(yoke_table_find(t, "left.x") > 0);
    assert_true(t->rows >= 12);
    yoke_table_free(t);
    yoke_model_free(model);
}

static void rows_may_be_the_ends_of_windows(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options options = short_run(0.12);
    yoke_err err;
    (void)state;
    to_file(&options, "ends.csv");
    set(&options, "every", "window");
    CHECK_OK(yoke_simulate(model, &options, NULL, &err), &err);
    yoke_table *t = read_table(in_scratch("ends.csv"), "result");
    assert_int_equal(t->rows, 4);
    assert_int_equal(t->cols, 5);
    assert_true(t->value[0] == 0.0);
    assert_true(t->value[3 * 5] == 0.12);
    yoke_table_free(t);
    yoke_model_free(model);
}

static bool stop_at_three(void *context, double t,
                          const yoke_iterate_result *so_far)
{
    *(double *)context = t;
    return so_far->windows == 3;
}

static void a_watcher_stops_the_run_and_results_are_on_disk(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options options = short_run(1.0);
    double seen = 0.0;
    const yoke_watcher watcher = { .window = stop_at_three, .context = &seen };
    yoke_run_result result;
    yoke_run *run = NULL;
    yoke_err err;
    (void)state;
    to_file(&options, "stopped.csv");
    options.every = YOKE_EVERY_WINDOW;
    CHECK_OK(yoke_run_create(&run, model, &options, &watcher, &err), &err);
    CHECK_STATUS(yoke_run_advance(run, 1.0, &err), YOKE_STOPPED, &err);
    CHECK_CONTAINS(err.text, "stopped at t = 0.15");
    yoke_table *t = read_table(in_scratch("stopped.csv"), "result");
    assert_int_equal(t->rows, 4); /* before the run is closed */
    assert_true(t->value[3 * t->cols] == seen);
    yoke_table_free(t);
    yoke_run_summary(run, &result);
    assert_false(result.converged);
    CHECK_CONTAINS(result.text, "ended before its stop time");
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err); /* and goes on */
    yoke_run_summary(run, &result);
    assert_true(result.converged);
    CHECK_NEAR(value_of(run, "left.x"), 1.0, 1e-5);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

/* A sink that counts, and fails after so many rows. */
typedef struct counter {
    int begun, tables, rows, cols, most;
    double sum;
} counter;

static yoke_status count_begin(void *context, yoke_err *err)
{
    counter *c = context;

    (void)err;
    *c = (counter){ .begun = c->begun + 1, .most = c->most };
    return YOKE_OK;
}

static yoke_status count_table(void *context, const char *table, int cols,
                               const char *const *name, const char *const *unit,
                               yoke_err *err)
{
    counter *c = context;

    (void)unit, (void)err;
    if (c->tables++ > 0) return YOKE_OK;
    assert_string_equal(table, "result");
    assert_string_equal(name[0], "time");
    c->cols = cols;
    return YOKE_OK;
}

static yoke_status count_rows(void *context, int table, int rows,
                              const double *value, yoke_err *err)
{
    counter *c = context;

    if (table != 0) return YOKE_OK;
    c->rows += rows;
    for (int k = 0; k < rows * c->cols; k++) c->sum += value[k];
    return c->rows > c->most ? yoke_fail(err, YOKE_E_MEMORY, "no more room")
                             : YOKE_OK;
}

static void a_sink_gets_what_the_file_gets(void **state)
{
    for (int k = 0; k < 3; k++) { /* with a file, without, and full */
        yoke_model *model = two_masses(NULL, NULL);
        yoke_run_options options = short_run(1.0);
        counter c = { .most = k == 2 ? 5 : 1000 };
        const yoke_sink sink = { count_begin, count_table, count_rows, NULL,
                                 &c };
        const yoke_watcher watcher = { .sink = &sink };
        static double sum;
        yoke_run *run = NULL;
        yoke_err err;
        (void)state;
        if (k == 0) to_file(&options, "sink.csv");
        CHECK_OK(yoke_run_create(&run, model, &options, &watcher, &err), &err);
        const yoke_status status = yoke_run_advance(run, 1.0, &err);
        assert_int_equal(c.begun, 1);
        if (k == 2) {
            CHECK_STATUS(status, YOKE_E_MEMORY, &err);
            CHECK_CONTAINS(err.text, "no more room");
            yoke_run_close(run, NULL);
        } else {
            CHECK_OK(status, &err);
            CHECK_OK(yoke_run_close(run, &err), &err);
        }
        if (k == 0) {
            yoke_table *t = read_table(in_scratch("sink.csv"), "result");
            assert_int_equal(t->rows, c.rows);
            sum = 0.0;
            for (int i = 0; i < t->rows * t->cols; i++) sum += t->value[i];
            yoke_table_free(t);
        }
        if (k < 2) assert_true(c.sum == sum);
        yoke_model_free(model);
    }
}

static bool stop_when_counted(void *context)
{
    return --*(int *)context == 0;
}

/* One window is the whole run; fixed, adaptive and free steps. */
static void a_watcher_stops_inside_a_sweep(void **state)
{
    static const char *const method[] = { "rk4", "radau5", "ida" };
    (void)state;
    for (int k = 0; k < 3; k++) {
        const yoke_stepper_options with = stepper(method[k], 1e-3);
        yoke_model *model = two_masses(&with, &with);
        yoke_run_options options = short_run(1.0);
        int left = 20;
        const yoke_watcher watcher = { .stop = stop_when_counted,
                                       .context = &left };
        yoke_run_result result;
        yoke_run *run = NULL;
        yoke_err err = { YOKE_OK, "" };
        to_file(&options, "inside.csv");
        set(&options, "scheme", "monolithic");
        options.iterate.window = 1.0;
        options.iterate.rtol = 1e-7;
        const yoke_status made =
            yoke_run_create(&run, model, &options, &watcher, &err);
        if (made == YOKE_E_MISSING) { /* no IDA in this build */
            yoke_model_free(model);
            continue;
        }
        CHECK_OK(made, &err);
        CHECK_STATUS(yoke_run_advance(run, 1.0, &err), YOKE_STOPPED, &err);
        assert_int_equal(left, 0); /* nobody asked again */
        CHECK_CONTAINS(err.text, "stopped at t = 0 on request");
        CHECK_CONTAINS(err.text, "its steps had come to t = ");
        yoke_run_summary(run, &result);
        assert_false(result.converged);
        assert_true(result.t == 0.0 && result.iterate.rejected == 0);
        assert_int_equal(result.work.steps, 2 * 19); /* of both members */
        yoke_table *t = read_table(in_scratch("inside.csv"), "result");
        assert_int_equal(t->rows, 1);
        yoke_table_free(t);
        CHECK_OK(yoke_run_advance(run, 1.0, &err), &err); /* and goes on */
        CHECK_NEAR(value_of(run, "left.x"), 1.0, 1e-4);
        CHECK_OK(yoke_run_close(run, &err), &err);
        yoke_model_free(model);
    }
}

static void few_sweeps_are_not_called_converged(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options options = short_run(0.5);
    yoke_run_result result;
    yoke_err err;
    (void)state;
    set(&options, "test", "count");
    options.iterate.max_sweeps = 1;
    CHECK_OK(yoke_simulate(model, &options, &result, &err), &err);
    assert_false(result.converged);
    CHECK_CONTAINS(result.text, "NOT every window converged");
    options.iterate.max_sweeps = 3;
    options.iterate.rtol = 1e-12;
    CHECK_OK(yoke_simulate(model, &options, &result, &err), &err);
    assert_true(result.iterate.estimate > 1.0);
    assert_false(result.converged);
    options.iterate.max_sweeps = 8;
    options.iterate.rtol = 1e-6;
    CHECK_OK(yoke_simulate(model, &options, &result, &err), &err);
    assert_true(result.converged);
    yoke_model_free(model);
}

static void too_few_sweeps_fail_with_a_result(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options options = short_run(0.5);
    yoke_run_result result;
    yoke_err err;
    (void)state;
    to_file(&options, "few.csv");
    options.iterate.accelerate = YOKE_ACCELERATE_NONE;
    options.iterate.max_sweeps = 2;
    CHECK_STATUS(yoke_simulate(model, &options, &result, &err),
                 YOKE_NOT_CONVERGED, &err);
    CHECK_CONTAINS(err.text, "window 1, [0, 0.05]: after 2 sweeps");
    assert_false(result.converged);
    assert_true(result.t == 0.0);
    CHECK_CONTAINS(result.text, "No window was completed");
    yoke_table *t = read_table(in_scratch("few.csv"), "result");
    assert_int_equal(t->rows, 1);
    yoke_table_free(t);
    options.stop = -1.0;
    CHECK_STATUS(yoke_simulate(model, &options, &result, &err), YOKE_E_ARG,
                 &err);
    assert_false(result.converged); /* filled on failure too */
    yoke_model_free(model);
}

static void values_are_found_by_name_only(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    const yoke_run_options options = short_run(0.5);
    const char *const *name = NULL;
    const double *value = NULL;
    double unused = 7.0;
    yoke_run *run = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_run_create(&run, model, &options, NULL, &err), &err);
    CHECK_STATUS(yoke_run_value(run, "left.y", &unused, &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, "\"left.y\" is not one of the 4 recorded");
    assert_true(unused == 7.0);
    assert_int_equal(yoke_run_variables(run, &name, &value), 4);
    assert_string_equal(name[3], "right.v");
    assert_true(value[0] == 1.0);
    CHECK_OK(yoke_run_close(run, &err), &err);
    CHECK_OK(yoke_run_close(NULL, &err), &err);
    yoke_model_free(model);
}

/* ---- allocation
 * ---------------------------------------------------------------- */

/* The steppers keep up to 16 factorisations; and adaptive ones may
 * outgrow what they have; by then all has been seen. */
enum { SETTLED = 140 };

typedef struct tally {
    long settled, last;
    int windows;
} tally;

static bool count_requests(void *context, double t,
                           const yoke_iterate_result *so_far)
{
    tally *c = context;

    (void)t;
    c->windows = so_far->windows;
    if (so_far->windows == SETTLED) c->settled = fault_requests();
    c->last = fault_requests();
    return false;
}

static void check_no_allocation(const char *method, const char *scheme)
{
    yoke_run_options options = short_run(8.0);
    tally count = { 0, 0, 0 };
    const yoke_watcher watcher = { .window = count_requests,
                                   .context = &count };
    yoke_run *run = NULL;
    yoke_err err;

    fault_allocator(0);
    const yoke_stepper_options s = stepper(method, 5e-3);
    yoke_model *model = two_masses(&s, &s);
    set(&options, "scheme", scheme);
    to_file(&options, "count.csv");
    options.every = 0.02;
    options.spot = 0.0; /* a check makes a propagator of its own */
    CHECK_OK(yoke_run_create(&run, model, &options, &watcher, &err), &err);
    CHECK_OK(yoke_run_advance(run, 8.0, &err), &err);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
    assert_int_equal(count.windows, 160);
    if (count.last != count.settled)
        print_error("%s, %s: %ld allocations in 20 windows\n", method, scheme,
                    count.last - count.settled);
    assert_int_equal(fault_blocks(), 0);
    assert_int_equal(count.last, count.settled);
    fault_restore();
}

static void settled_windows_allocate_nothing(void **state)
{
    static const char *const method[] = { "rk4", "trapezoidal", "bdf3",
                                          "radau5", "trbdf2" };
    (void)state;
    for (int k = 0; k < 5; k++) {
        check_no_allocation(method[k], "gauss-seidel");
        check_no_allocation(method[k], "jacobi");
        check_no_allocation(method[k], "monolithic");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme_finds_the_solution),
        cmocka_unit_test(schedules_from_text_find_it_too),
        cmocka_unit_test(steppers_may_be_mixed),
        cmocka_unit_test(the_order_of_subsystems_is_obeyed),
        cmocka_unit_test(the_same_run_gives_the_same_bits),
        cmocka_unit_test(a_run_in_steps_is_the_same_run),
        cmocka_unit_test(rows_lie_on_their_grid),
        cmocka_unit_test(rows_may_be_the_ends_of_windows),
        cmocka_unit_test(a_watcher_stops_the_run_and_results_are_on_disk),
        cmocka_unit_test(a_sink_gets_what_the_file_gets),
        cmocka_unit_test(a_watcher_stops_inside_a_sweep),
        cmocka_unit_test(few_sweeps_are_not_called_converged),
        cmocka_unit_test(too_few_sweeps_fail_with_a_result),
        cmocka_unit_test(values_are_found_by_name_only),
        cmocka_unit_test(settled_windows_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
