/* run/refuse_test.c -- what a run refuses, and how it fails. */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

static yoke_run_options plain(void)
{
    yoke_run_options options = yoke_run_defaults();

    options.iterate.window = 0.05;
    return options;
}

/* The run is refused and the message has this part. */
static void refuse(yoke_model *model, const yoke_run_options *options,
                   yoke_status status, const char *part)
{
    yoke_run *run = NULL;
    yoke_err err;

    CHECK_STATUS(yoke_run_create(&run, model, options, NULL, &err), status,
                 &err);
    CHECK_CONTAINS(err.text, part);
    assert_null(run);
}

/* ---- options
 * ------------------------------------------------------------------ */

static void refuse_set(const char *name, const char *value)
{
    const yoke_run_options before = yoke_run_defaults();
    yoke_run_options options = before;
    yoke_err err;

    CHECK_STATUS(yoke_run_set(&options, name, value, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, name);
    CHECK_CONTAINS(err.text, value);
    assert_true(options.iterate.rtol == before.iterate.rtol);
}

static void every_option_has_a_range_and_keeps_it(void **state)
{
    yoke_option_text o;
    char value[64];
    yoke_err err;
    int numbers = 0, words = 0;
    (void)state;
    for (int i = 0; yoke_run_list(i, &o); i++) {
        yoke_run_options options = yoke_run_defaults();
        if (o.preset[0])
            CHECK_OK(yoke_run_set(&options, o.name, o.preset, &err), &err);
        if (o.words) {
            refuse_set(o.name, "nonsense");
            words++;
        } else if (o.least != 0.0 || o.most != 0.0) {
            snprintf(value, sizeof value, "%g", 2.0 * o.most);
            if (o.most < 1e299) refuse_set(o.name, value);
            refuse_set(o.name, "-1e+301");
            refuse_set(o.name, "twelve");
            refuse_set(o.name, "1x");
            numbers++;
        }
    }
    assert_true(numbers >= 9 && words >= 3);
    refuse_set("at_end", "maybe");
    refuse_set("max_sweeps", "2.5");
}

static void unknown_options_are_named_with_a_guess(void **state)
{
    yoke_run_options options = yoke_run_defaults();
    yoke_err err;
    (void)state;
    CHECK_STATUS(yoke_run_set(&options, "max_sweep", "3", &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, "\"max_sweep\"; did you mean \"max_sweeps\"?");
}

static void numbers_in_the_struct_are_checked_too(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options o = plain();
    (void)state;
    o.iterate.relax = 2.0;
    refuse(model, &o, YOKE_E_ARG, "relax = 2 is not between 0.01 and 1.99");
    o = plain();
    o.iterate.max_sweeps = 0;
    refuse(model, &o, YOKE_E_ARG, "max_sweeps = 0 is not between 1 and 1e+06");
    o = plain();
    o.iterate.window = NAN;
    refuse(model, &o, YOKE_E_ARG, "window = nan");
    o = plain();
    o.stop = INFINITY;
    refuse(model, &o, YOKE_E_ARG, "stop = inf");
    o = plain();
    o.iterate.extrapolate = 6;
    refuse(model, &o, YOKE_E_ARG, "extrapolate = 6 is not between -1 and 5");
    o = plain();
    o.scheme = (yoke_scheme)9;
    refuse(model, &o, YOKE_E_ARG, "scheme = 9 is not one of: gauss-seidel");
    o = plain();
    o.iterate.stop = (yoke_stop)-1;
    refuse(model, &o, YOKE_E_ARG, "test = -1 is not one of");
    yoke_model_free(model);
}

static void options_that_contradict_each_other_are_refused(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options o = plain();
    (void)state;
    o.start = o.stop;
    refuse(model, &o, YOKE_E_ARG, "stop = 1 is not after start = 1");
    o = plain();
    o.iterate.rtol = o.iterate.atol = 0.0;
    refuse(model, &o, YOKE_E_ARG, "rtol and atol are both 0");
    o = plain();
    o.every = 1e-300;
    refuse(model, &o, YOKE_E_ARG, "every = 1e-300 divides [0, 1]");
    o = plain();
    o.iterate.window = 1e-12;
    refuse(model, &o, YOKE_E_ARG, "window = 1e-12 divides");
    o = plain();
    set(&o, "stepper", "rk4");
    refuse(model, &o, YOKE_E_ARG, "stepper = \"rk4\" is for the monolithic");
    o.scheme = YOKE_MONOLITHIC;
    set(&o, "stepper", "rk5");
    refuse(model, &o, YOKE_E_ARG, "rk5");
    yoke_model_free(model);
}

static void schedules_and_orders_are_checked(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options o = plain();
    (void)state;
    set(&o, "order", "left middle");
    refuse(model, &o, YOKE_E_ARG, "\"middle\"; there are: left, right");
    o = plain();
    set(&o, "schedule", "left >");
    refuse(model, &o, YOKE_E_ARG, "a name is missing");
    set(&o, "schedule", "0.5 * left > right; 0.4 * right > left");
    refuse(model, &o, YOKE_E_ARG, "weights sum to 0.9");
    set(&o, "schedule", "half * left > right");
    refuse(model, &o, YOKE_E_ARG, "no number before \"*\"");
    set(&o, "schedule", "left > right;");
    refuse(model, &o, YOKE_E_ARG, "a name is missing");
    yoke_model_free(model);
}

static void patterns_must_fit_something(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options o = plain();
    (void)state;
    set(&o, "record", "left.x middle.*");
    refuse(model, &o, YOKE_E_ARG, "record: \"middle.*\" fits no variable");
    o = plain();
    set(&o, "monitor", "left.v right.y");
    refuse(model, &o, YOKE_E_ARG, "monitor: \"right.y\" fits no output");
    yoke_model_free(model);
}

static void patterns_choose_by_stars(void **state)
{
    static const char *const pattern[] = {
        "left.*", "*.x", "*", "*f*x", "right.v  left.x", "**.v"
    };
    static const int count[] = { 2, 2, 4, 1, 2, 2 };
    yoke_model *model = two_masses(NULL, NULL);
    (void)state;
    for (int k = 0; k < 6; k++) {
        yoke_run_options o = plain();
        yoke_run *run = NULL;
        yoke_err err;
        set(&o, "record", pattern[k]);
        CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
        assert_int_equal(yoke_run_variables(run, NULL, NULL), count[k]);
        CHECK_OK(yoke_run_close(run, &err), &err);
    }
    yoke_model_free(model);
}

static void a_monitored_output_takes_part_in_the_test(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options o = plain();
    yoke_table *t = NULL;
    yoke_err err;
    (void)state;
    o.stop = 0.2;
    set(&o, "monitor", "*.v");
    to_file(&o, "monitor.csv");
    CHECK_OK(yoke_simulate(model, &o, NULL, &err), &err);
    t = read_table(in_scratch("monitor.csv"), "coupling");
    assert_true(yoke_table_find(t, "left.v") >= 0);
    assert_true(yoke_table_find(t, "right.v") >= 0);
    yoke_table_free(t);
    yoke_model_free(model);
}

static void files_that_cannot_be_written_end_it_early(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options o = plain();
    (void)state;
    to_file(&o, "no/such/folder/result.csv");
    refuse(model, &o, YOKE_E_FILE, "no/such/folder/result.csv");
    to_file(&o, "result.txt");
    refuse(model, &o, YOKE_E_FILE, ".csv, .h5 or .raw");
    yoke_model_free(model);
}

static void an_unfinished_model_is_refused(void **state)
{
    yoke_model *model = new_model();
    yoke_run_options o = plain();
    yoke_system *system = NULL;
    yoke_err err;
    (void)state;
    refuse(model, &o, YOKE_E_MODEL, "no subsystem");
    CHECK_OK(mass_create(&system, "alone", 1.0, &err), &err);
    add_system(model, system, NULL);
    refuse(model, &o, YOKE_E_MODEL, "\"alone.other\" is not connected");
    yoke_model_free(model);
}

static void long_names_are_kept_whole(void **state)
{
    char name[700], dotted[710];
    const double a = -1.0, x0 = 1.0;
    const yoke_linear linear = { .n = 1, .A = &a, .x0 = &x0 };
    yoke_model *model = new_model();
    yoke_run_options o = plain();
    yoke_run *run = NULL;
    yoke_err err;
    (void)state;
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    snprintf(dotted, sizeof dotted, "%s.x1", name);
    add_linear(model, name, &linear, NULL);
    set(&o, "record", "*n.x1");
    set(&o, "monitor", "n*.x1");
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
    CHECK_NEAR(value_of(run, dotted), exp(-1.0), 1e-5);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

/* ---- failing callbacks
 * ---------------------------------------------------------- */

typedef struct trouble {
    double after; /* time from which on it fails */
    yoke_status status;
} trouble;

static yoke_status bad_rhs(void *self, double t, const double *x,
                           const double *u, double *xdot, yoke_err *err)
{
    const trouble *bad = self;

    xdot[0] = -x[0] + 0.1 * u[0];
    xdot[1] = x[0];
    if (t <= bad->after) return YOKE_OK;
    if (bad->status < 0)
        return yoke_fail(err, bad->status, "the valve is stuck");
    xdot[1] = NAN;
    return YOKE_OK;
}

/* A good lag "one" and a bad one "two" that feed each other. */
static yoke_model *bad_model(trouble *bad)
{
    static const yoke_system_ops ops = { .kind = "valve", .rhs = bad_rhs };
    static const char *const x_name[] = { "flow", "level" };
    const yoke_system_info info = { .n = 2, .m = 1, .x_name = x_name };
    const double a = -1.0, b = 0.1, x0 = 1.0;
    const yoke_linear linear = { .n = 1, .m = 1, .A = &a, .B = &b, .x0 = &x0 };
    yoke_model *model = new_model();
    yoke_system *system = NULL;
    yoke_err err;

    add_linear(model, "one", &linear, NULL);
    CHECK_OK(yoke_system_create(&system, "two", &ops, bad, &info, &err), &err);
    add_system(model, system, NULL);
    connect(model, "one.u1", "two.flow", 1.0);
    connect(model, "two.u1", "one.x1", 1.0);
    return model;
}

/* Fails after 0.33; the six windows before are on disk. */
static void check_trouble(trouble *bad, yoke_status status, const char *part)
{
    yoke_model *model = bad_model(bad);
    yoke_run_options o = plain();
    yoke_run_result result;
    yoke_err err;

    to_file(&o, "trouble.csv");
    o.every = YOKE_EVERY_WINDOW;
    CHECK_STATUS(yoke_simulate(model, &o, &result, &err), status, &err);
    CHECK_CONTAINS(err.text, "window ");
    CHECK_CONTAINS(err.text, "\"two\"");
    CHECK_CONTAINS(err.text, "t = 0.3");
    CHECK_CONTAINS(err.text, part);
    assert_false(result.converged);
    CHECK_BETWEEN(result.t, 0.3 - 1e-12, 0.33 + 1e-6);
    yoke_table *t = read_table(in_scratch("trouble.csv"), "result");
    assert_true(t->rows >= 7);
    CHECK_NEAR(t->value[6 * t->cols], 0.3, 1e-12);
    CHECK_NEAR(t->value[(t->rows - 1) * t->cols], result.t, 1e-15);
    yoke_table_free(t);
    yoke_model_free(model);
}

static void a_callback_that_turns_to_nan_is_named(void **state)
{
    trouble bad = { 0.33, YOKE_OK };
    (void)state;
    check_trouble(&bad, YOKE_RETRY, "\"equation 2\" is");
}

static void a_callback_that_fails_ends_the_run(void **state)
{
    trouble bad = { 0.33, YOKE_E_CALLBACK };
    (void)state;
    check_trouble(&bad, YOKE_E_CALLBACK, "the valve is stuck");
}

static void a_callback_that_fails_at_the_start_refuses_the_run(void **state)
{
    trouble bad = { 1.0, YOKE_OK };
    yoke_model *model = bad_model(&bad);
    yoke_run_options o = plain();
    yoke_run *run = NULL;
    yoke_err err;
    (void)state;
    bad.after = -1.0;
    bad.status = YOKE_E_CALLBACK;
    yoke_status status = yoke_run_create(&run, model, &o, NULL, &err);
    if (status == YOKE_OK) {
        status = yoke_run_advance(run, 1.0, &err);
        yoke_run_close(run, NULL);
    }
    assert_int_equal(status, YOKE_E_CALLBACK);
    CHECK_CONTAINS(err.text, "\"two\"");
    yoke_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_has_a_range_and_keeps_it),
        cmocka_unit_test(unknown_options_are_named_with_a_guess),
        cmocka_unit_test(numbers_in_the_struct_are_checked_too),
        cmocka_unit_test(options_that_contradict_each_other_are_refused),
        cmocka_unit_test(schedules_and_orders_are_checked),
        cmocka_unit_test(patterns_must_fit_something),
        cmocka_unit_test(patterns_choose_by_stars),
        cmocka_unit_test(a_monitored_output_takes_part_in_the_test),
        cmocka_unit_test(files_that_cannot_be_written_end_it_early),
        cmocka_unit_test(an_unfinished_model_is_refused),
        cmocka_unit_test(long_names_are_kept_whole),
        cmocka_unit_test(a_callback_that_turns_to_nan_is_named),
        cmocka_unit_test(a_callback_that_fails_ends_the_run),
        cmocka_unit_test(a_callback_that_fails_at_the_start_refuses_the_run),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
