/* decide/repair_test.c -- a loop that nothing makes converge is solved as one
 * system, and the run says so. */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

/* s' = -s, a = g b + s, b = g a:  a = s / (1 - g^2). */
static const double gain = 3.0;

static double exact(double t)
{
    return exp(-t) / (1.0 - gain * gain);
}

static yoke_model *loop(void)
{
    const double D[] = { gain, 1.0 }, lag = -1.0, one = 1.0;
    const yoke_linear two = { .n = 0, .m = 2, .p = 1, .D = D };
    const yoke_linear single = { .n = 0, .m = 1, .p = 1, .D = D };
    const yoke_linear source = { .n = 1, .A = &lag, .x0 = &one };
    yoke_stepper_options stepper = yoke_stepper_defaults();
    yoke_model *model = new_model();

    strcpy(stepper.method, "genalpha"); /* its steps cannot be corrected */
    add_linear(model, "a", &two, &stepper);
    add_linear(model, "b", &single, &stepper);
    add_linear(model, "s", &source, NULL);
    connect(model, "a.u1", "b.y1", 1.0);
    connect(model, "a.u2", "s.x1", 1.0);
    connect(model, "b.u1", "a.y1", 1.0);
    return model;
}

/* The loop diverges by itself, and a single correction cannot be told to be
 * right: with two sweeps no window is accepted.  With a schedule nothing is
 * clustered before. */
static yoke_run_options too_few(void)
{
    yoke_run_options o = yoke_run_defaults();

    o.schedule = "a > b > s";
    o.iterate.window = 0.1;
    o.iterate.max_sweeps = 2;
    return o;
}

/* s feeds the loop, but is no part of it. */
static void a_loop_that_fails_is_solved_as_one(void **state)
{
    yoke_model *model = loop();
    yoke_run_options o = too_few();
    yoke_run *run = NULL;
    yoke_run_result r;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    yoke_run_summary(run, &r);
    assert_null(r.repaired);
    CHECK_OK(yoke_run_advance(run, 0.5, &err), &err);
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
    yoke_run_summary(run, &r);
    assert_true(r.converged);
    assert_int_equal(r.subsystems, 2);
    assert_non_null(r.repaired);
    CHECK_CONTAINS(r.repaired, "window 1, [0, 0.1]");
    CHECK_CONTAINS(r.repaired, "after 2 sweeps");
    CHECK_CONTAINS(r.text, "merged, because");
    assert_int_equal(r.steps, 1);
    CHECK_NEAR(r.t, 1.0, 0.0);
    CHECK_NEAR(value_of(run, "a.y1"), exact(1.0), 1e-7);
    CHECK_NEAR(value_of(run, "b.y1"), gain * exact(1.0), 3e-7);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

/* Whoever asks for a certain iteration gets that, or an error. */
static void only_auto_with_the_error_test_is_repaired(void **state)
{
    static const char *const set_to[][2] = {
        { "accelerate", "none" },     { "accelerate", "newton" },
        { "accelerate", "anderson" }, { "accelerate", "aitken" },
        { "test", "change" },         { "cluster", "none" },
    };
    yoke_model *model = loop();
    (void)state;
    for (size_t k = 0; k < sizeof set_to / sizeof *set_to; k++) {
        yoke_run_options o = too_few();
        yoke_run_result r;
        yoke_err err;
        set(&o, set_to[k][0], set_to[k][1]);
        CHECK_STATUS(yoke_simulate(model, &o, &r, &err), YOKE_NOT_CONVERGED,
                     &err);
        CHECK_CONTAINS(err.text, "after 2 sweeps");
        assert_false(r.converged);
    }
    yoke_model_free(model);
}

/* x' = u, and no value beyond t = 0.5, as one system or as several. */
static yoke_status ending_rhs(void *self, double t, const double *x,
                              const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)x;
    xdot[0] = u[0];
    return t <= 0.5 ? YOKE_OK
                    : yoke_fail(err, YOKE_RETRY, "there is nothing beyond 0.5");
}

static void what_cannot_be_solved_as_one_either_fails_with_both(void **state)
{
    static const yoke_system_ops ops = { .kind = "ending", .rhs = ending_rhs };
    const double one = 1.0;
    const yoke_system_info info = { .n = 1, .m = 1, .x0 = &one };
    yoke_model *model = loop();
    yoke_run_options o = yoke_run_defaults();
    yoke_system *system = NULL;
    yoke_run_result r;
    yoke_err err;
    (void)state;
    o.stop = 2.0;
    CHECK_OK(yoke_system_create(&system, "x", &ops, NULL, &info, &err), &err);
    add_system(model, system, NULL);
    connect(model, "x.u1", "a.y1", 1.0);
    assert_true(yoke_simulate(model, &o, &r, &err) != YOKE_OK);
    CHECK_CONTAINS(err.text, "as one system");
    CHECK_CONTAINS(err.text, "nothing beyond 0.5");
    CHECK_BETWEEN(r.t, 0.4, 0.5);
    assert_false(r.converged);
    yoke_model_free(model);
}

/* ---- result files ------------------------------------------------------- */

static int rows_seen;

static bool count_window(void *context, double t,
                         const yoke_iterate_result *so_far)
{
    (void)context, (void)t, (void)so_far;
    rows_seen++;
    return false;
}

/* From the start to the end, without a gap. */
static void check_rows(const char *path)
{
    yoke_table *table = read_table(path, "result");
    const int y = yoke_table_find(table, "a.y1");
    double last = -1.0;

    assert_true(y > 0);
    assert_true(table->rows > 5);
    for (int k = 0; k < table->rows; k++) {
        const double *row = table->value + k * table->cols;
        assert_true(row[0] > last);
        CHECK_NEAR(row[y], exact(row[0]), 1e-6);
        last = row[0];
    }
    CHECK_NEAR(table->value[0], 0.0, 0.0);
    CHECK_NEAR(last, 1.0, 0.0);
    yoke_table_free(table);
}

static void run_to_files(const char *files)
{
    const yoke_watcher watcher = { .window = count_window };
    yoke_model *model = loop();
    yoke_run_options o = too_few();
    yoke_run *run = NULL;
    yoke_run_result r;
    yoke_err err;

    rows_seen = 0;
    o.output = files;
    CHECK_OK(yoke_run_create(&run, model, &o, &watcher, &err), &err);
    CHECK_OK(yoke_run_note(run, "command", "yoke run loop", &err), &err);
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
    yoke_run_summary(run, &r);
    assert_non_null(r.repaired);
    CHECK_OK(yoke_run_close(run, &err), &err);
    assert_true(rows_seen > 5);
    yoke_model_free(model);
}

static void all_result_files_go_on(void **state)
{
    char files[700];
    (void)state;
    snprintf(files, sizeof files, "%s\n%s", in_scratch("one.csv"),
             in_scratch("two.csv"));
    run_to_files(files);
    check_rows(in_scratch("one.csv"));
    check_rows(in_scratch("two.csv"));
}

#ifdef YOKE_HAVE_HDF5
static void notes_are_kept_and_the_reason_is_one(void **state)
{
    yoke_notes *notes = NULL;
    char files[700];
    yoke_err err;
    (void)state;
    snprintf(files, sizeof files, "%s\n%s", in_scratch("both.h5"),
             in_scratch("both.csv"));
    run_to_files(files);
    check_rows(in_scratch("both.h5"));
    check_rows(in_scratch("both.csv"));
    CHECK_OK(yoke_notes_read(&notes, in_scratch("both.h5"), &err), &err);
    assert_string_equal(yoke_notes_find(notes, "command"), "yoke run loop");
    assert_non_null(yoke_notes_find(notes, "repaired"));
    CHECK_CONTAINS(yoke_notes_find(notes, "repaired"), "after 2 sweeps");
    assert_string_equal(yoke_notes_find(notes, "converged"), "yes");
    CHECK_CONTAINS(yoke_notes_find(notes, "summary"), "merged");
    CHECK_CONTAINS(yoke_notes_find(notes, "ladder 1"),
                   "cluster\t0\ta and b are merged into one system");
    assert_null(yoke_notes_find(notes, "error"));
    yoke_notes_free(notes);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_that_fails_is_solved_as_one),
        cmocka_unit_test(only_auto_with_the_error_test_is_repaired),
        cmocka_unit_test(what_cannot_be_solved_as_one_either_fails_with_both),
        cmocka_unit_test(all_result_files_go_on),
#ifdef YOKE_HAVE_HDF5
        cmocka_unit_test(notes_are_kept_and_the_reason_is_one),
#endif
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
