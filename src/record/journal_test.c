/* record/journal_test.c */
#define _XOPEN_SOURCE 700
#include "run/run_fixture.h"

#ifdef YOKE_HAVE_HDF5
static const char file_name[] = "journal.h5";
#else
static const char file_name[] = "journal.csv";
#endif

static yoke_run_options small(const char *file)
{
    yoke_run_options options = yoke_run_defaults();

    options.stop = 0.2;
    options.iterate.window = 0.05;
    options.iterates = true;
    options.cluster = YOKE_CLUSTER_NONE;
    options.every = YOKE_EVERY_WINDOW;
    to_file(&options, file);
    return options;
}

static double at(const yoke_table *t, int row, const char *name)
{
    const int column = yoke_table_find(t, name);

    assert_true(column >= 0);
    return t->value[row * t->cols + column];
}

static void every_sweep_leaves_its_waveform(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    const yoke_run_options options = small("iterates.csv");
    yoke_err err;
    (void)state;

    CHECK_OK(yoke_simulate(model, &options, NULL, &err), &err);
    yoke_table *t = read_table(options.output, "iterates");
    yoke_table *log = read_table(options.output, "coupling");
    yoke_table *result = read_table(options.output, "result");
    /* 41 times; the guess of each window besides its sweeps. */
    assert_int_equal(t->rows, 41 * (log->rows + result->rows - 1));
    CHECK_NEAR(at(t, 0, "sweep"), 0.0, 0.0);
    CHECK_NEAR(at(t, 0, "left.x"), 1.0, 1e-12);
    CHECK_NEAR(at(t, 41, "sweep"), 1.0, 0.0);
    const int last = t->rows - 1, end = result->rows - 1;
    assert_true(at(t, last, "time") == options.stop);
    assert_true(at(t, last, "left.x") == at(result, end, "left.x"));
    assert_true(at(t, last, "right.x") == at(result, end, "right.x"));
    yoke_table_free(t);
    yoke_table_free(log);
    yoke_table_free(result);
    yoke_model_free(model);
}

/* The first sweep of the second window against its guess: the change that the
 * log reports is the largest difference of the two. */
static void the_guess_is_the_one_before_the_first_sweep(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    const yoke_run_options options = small("guess.csv");
    double change = 0.0;
    int row = 0;
    yoke_err err;
    (void)state;

    CHECK_OK(yoke_simulate(model, &options, NULL, &err), &err);
    yoke_table *t = read_table(options.output, "iterates");
    yoke_table *log = read_table(options.output, "coupling");
    while (at(t, row, "window") < 2.0) row++;
    for (int j = 0; j < 41; j++)
        change = fmax(change, fabs(at(t, row + j, "right.x") -
                                   at(t, row + 41 + j, "right.x")));
    row = 0;
    while (at(log, row, "window") < 2.0) row++;
    CHECK_NEAR(change, at(log, row, "right.x"), 0.01 * change);
    yoke_table_free(t);
    yoke_table_free(log);
    yoke_model_free(model);
}

static void the_work_of_every_subsystem_is_written(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    const yoke_run_options options = small(file_name);
    yoke_run *run = NULL;
    yoke_work w;
    yoke_err err;
    (void)state;

    CHECK_OK(yoke_run_create(&run, model, &options, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, 0.1, &err), &err);
    CHECK_OK(yoke_run_advance(run, 0.2, &err), &err);
    assert_true(yoke_run_work(run, 1, NULL, &w));
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_table *t = read_table(options.output, "work");
    assert_int_equal(t->rows, 2);
    CHECK_NEAR(at(t, 1, "subsystem"), 1.0, 0.0);
    CHECK_NEAR(at(t, 1, "steps"), (double)w.steps, 0.0);
    CHECK_NEAR(at(t, 1, "residuals"), (double)w.residuals, 0.0);
    CHECK_NEAR(at(t, 1, "seconds"), w.seconds, 0.0);
    yoke_table_free(t);
    yoke_model_free(model);
}

static const char *note(const yoke_notes *notes, const char *name)
{
    const char *text = yoke_notes_find(notes, name);

    assert_non_null(text);
    return text;
}

static yoke_notes *notes_of(const char *path)
{
    yoke_notes *notes = NULL;
    yoke_err err;

    CHECK_OK(yoke_notes_read(&notes, path, &err), &err);
    return notes;
}

static void the_notes_tell_the_run(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options options = small(file_name);
    yoke_run *run = NULL;
    yoke_err err;
    (void)state;

    set(&options, "rtol", "1e-7");
    set(&options, "order", "right left");
    CHECK_OK(yoke_run_create(&run, model, &options, NULL, &err), &err);
    CHECK_OK(yoke_run_note(run, "command", "yoke run", &err), &err);
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_notes *notes = notes_of(options.output);
    CHECK_CONTAINS(note(notes, "options"), "rtol\t1e-07\t1e-06\t");
    CHECK_CONTAINS(note(notes, "options"), "iterates\ttrue\tfalse\t");
    CHECK_CONTAINS(note(notes, "options"), "order\tright left\t\t");
    CHECK_CONTAINS(note(notes, "subsystems"), "left\t");
    CHECK_CONTAINS(note(notes, "subsystems"), "\t2\t1\t2\tradau5\n");
    CHECK_CONTAINS(note(notes, "signals"), "left.x\tright.other\t1\n");
    assert_string_equal(note(notes, "converged"), "yes");
    assert_string_equal(note(notes, "command"), "yoke run");
    CHECK_CONTAINS(note(notes, "clusters"), "left\n");
    CHECK_CONTAINS(note(notes, "summary"), "every window converged");
    assert_null(yoke_notes_find(notes, "error"));
    yoke_notes_free(notes);
    yoke_model_free(model);
}

/* Points, marks and ties of what is recorded, and of nothing else. */
static void profiles_of_recorded_variables_are_noted(void **state)
{
    static const double at[] = { 0.0, 1.0, 2.5 };
    static const char *const all[] = { NULL, "x", "v" };
    static const yoke_mark mark[] = { { "here", 0.5, 2.0, "x" },
                                      { "there", 1.0, 0.0, NULL },
                                      { "gone", 1.0, 0.0, "v" } };
    static const yoke_tie tie[] = { { 1.0, "other" } };
    yoke_profile p = { .name = "shape",
                       .label = "size",
                       .unit = "m",
                       .along = "s",
                       .along_unit = "mm",
                       .points = 3,
                       .at = at,
                       .variable = all,
                       .marks = 2,
                       .mark = mark,
                       .ties = 1,
                       .tie = tie };
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options options = small("profile.csv");
    yoke_err err;
    (void)state;

    yoke_graph *graph = yoke_model_graph(model);
    CHECK_OK(yoke_system_add_profile(yoke_graph_system(graph, 0), &p, &err),
             &err);
    p.marks = 3;
    CHECK_OK(yoke_system_add_profile(yoke_graph_system(graph, 1), &p, &err),
             &err);
    set(&options, "record", "left.* right.x");
    CHECK_OK(yoke_simulate(model, &options, NULL, &err), &err);
    yoke_notes *notes = notes_of(options.output);
    assert_string_equal(note(notes, "profiles"),
                        "profile\tleft.shape\tsize\tm\ts\tmm\n"
                        "point\t0\t\n"
                        "point\t1\tleft.x\n"
                        "point\t2.5\tleft.v\n"
                        "mark\there\t0.5\t2\tleft.x\n"
                        "mark\tthere\t1\t0\t\n"
                        "tie\t1\tleft.other\n");
    yoke_notes_free(notes);
    set(&options, "record", "right.x");
    CHECK_OK(yoke_simulate(model, &options, NULL, &err), &err);
    notes = notes_of(options.output);
    assert_null(yoke_notes_find(notes, "profiles"));
    yoke_notes_free(notes);
    yoke_model_free(model);
}

static void a_failed_run_leaves_its_reason(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options options = small(file_name);
    yoke_err err;
    (void)state;

    options.iterate.accelerate = YOKE_ACCELERATE_NONE;
    options.iterate.max_sweeps = 1;
    CHECK_STATUS(yoke_simulate(model, &options, NULL, &err), YOKE_NOT_CONVERGED,
                 &err);
    yoke_notes *notes = notes_of(options.output);
    assert_string_equal(note(notes, "error"), err.text);
    assert_string_equal(note(notes, "converged"), "no");
    yoke_notes_free(notes);
    yoke_model_free(model);
}

static void without_a_file_there_is_nothing_to_note(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options options = small("none.csv");
    yoke_run *run = NULL;
    yoke_err err;
    (void)state;

    options.output = "";
    CHECK_OK(yoke_run_create(&run, model, &options, NULL, &err), &err);
    CHECK_OK(yoke_run_note(run, "command", "yoke run", &err), &err);
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

static void every_allocation_may_fail(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options options = small(file_name);
    long n = 1;
    (void)state;

    options.stop = 0.05;
    options.spot = 0.0; /* those of checks: tests/fault/run_fault.c */
    for (;; n++) {
        yoke_err err = { YOKE_OK, "" };
        fault_allocator(n);
        const yoke_status status = yoke_simulate(model, &options, NULL, &err);
        const long blocks = fault_blocks();
        const bool reached = fault_requests() >= n;
        fault_restore();
        assert_int_equal(blocks, 0);
        if (!reached) {
            CHECK_OK(status, &err);
            break;
        }
        CHECK_STATUS(status, YOKE_E_MEMORY, &err);
    }
    assert_true(n > 50);
    yoke_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sweep_leaves_its_waveform),
        cmocka_unit_test(the_guess_is_the_one_before_the_first_sweep),
        cmocka_unit_test(the_work_of_every_subsystem_is_written),
        cmocka_unit_test(the_notes_tell_the_run),
        cmocka_unit_test(profiles_of_recorded_variables_are_noted),
        cmocka_unit_test(a_failed_run_leaves_its_reason),
        cmocka_unit_test(without_a_file_there_is_nothing_to_note),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
