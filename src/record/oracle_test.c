/* record/oracle_test.c -- the summary of a run: rates, the work of the oracle,
 * a replay, and what is said when a coupling diverges. */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

static yoke_run *started(yoke_model *model, const yoke_run_options *options,
                         bool keep)
{
    yoke_run *run = NULL;
    yoke_err err;

    CHECK_OK(yoke_run_create(&run, model, options, NULL, &err), &err);
    if (keep) CHECK_OK(yoke_run_keep_waves(run, &err), &err);
    return run;
}

static yoke_run_result replayed(yoke_run *run, double stop, double *apart)
{
    yoke_run_result r;
    yoke_err err;

    CHECK_OK(yoke_run_advance(run, stop, &err), &err);
    CHECK_OK(yoke_run_replay(run, apart, &err), &err);
    yoke_run_summary(run, &r);
    assert_true(r.replayed);
    return r;
}

static yoke_run_options with_window(double window)
{
    yoke_run_options o = yoke_run_defaults();

    o.iterate.window = window;
    o.iterate.rtol = o.iterate.atol = 1e-6;
    o.iterate.accelerate = YOKE_ACCELERATE_NONE;
    return o;
}

static void close_run(yoke_run *run, yoke_model *model)
{
    yoke_err err;

    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

/* ---- replay -------------------------------------------------------------- */

/* x' = -x: nothing to couple. */
static void one_system_in_one_window_is_its_own_oracle(void **state)
{
    const double lag = -1.0, one = 1.0;
    const yoke_linear single = { .n = 1, .A = &lag, .x0 = &one };
    yoke_model *model = new_model();
    const yoke_run_options o = with_window(1.0);
    double apart = NAN;
    (void)state;

    add_linear(model, "x", &single, NULL);
    yoke_run *run = started(model, &o, true);
    const yoke_run_result r = replayed(run, 1.0, &apart);
    assert_true(r.work.residuals > 0);
    assert_int_equal(r.work.residuals, r.oracle.residuals);
    assert_int_equal(r.work.steps, r.oracle.steps);
    CHECK_NEAR(r.overhead, 1.0, 0.0);
    CHECK_NEAR(apart, 0.0, 0.0);
    close_run(run, model);
}

/* What is solved as one counts for each of its members, and the oracle solves
 * them one by one. */
static void members_of_one_system_have_oracles_of_their_own(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options o = with_window(1.0);
    double apart = NAN;
    yoke_work left, right, once;
    (void)state;

    o.scheme = YOKE_MONOLITHIC;
    yoke_run *run = started(model, &o, true);
    yoke_run_result r = { .overhead = 0.0 };
    yoke_run_summary(run, &r);
    assert_true(isnan(r.overhead));
    r = replayed(run, 1.0, &apart);
    assert_int_equal(r.subsystems, 1);
    assert_true(yoke_run_work(run, 0, NULL, &left));
    assert_true(yoke_run_work(run, 1, NULL, &right));
    assert_int_equal(left.residuals, right.residuals);
    assert_int_equal(r.work.residuals, 2 * left.residuals);
    assert_true(yoke_run_oracle(run, 0, &once));
    assert_true(once.residuals > 0);
    CHECK_BETWEEN(r.overhead, 1.0, 1.5);
    CHECK_BETWEEN(apart, 0.0, 20.0);
    close_run(run, model);
}

static void a_replay_gives_the_same_solution_for_less_work(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    const yoke_run_options o = with_window(0.05);
    yoke_run_result before;
    yoke_work sum = { 0 }, w;
    yoke_err err;
    double apart = NAN;
    (void)state;

    yoke_run *run = started(model, &o, true);
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
    yoke_run_summary(run, &before);
    assert_false(before.replayed);
    /* The last sweep of every window, of two subsystems. */
    assert_int_equal(before.oracle.sweeps, 2 * before.iterate.windows);
    assert_true(before.overhead > 1.0);
    const yoke_run_result r = replayed(run, 1.0, &apart);
    for (int i = 0; yoke_run_oracle(run, i, &w); i++) sum.steps += w.steps;
    assert_int_equal(sum.steps, r.oracle.steps);
    assert_int_equal(r.oracle.sweeps, 2); /* each once */
    CHECK_BETWEEN(r.overhead, 2.0, 8.0);
    assert_true(apart < 2.0); /* tolerances */
    /* The run is as it was. */
    CHECK_NEAR(value_of(run, "left.x"), exact_left(1.0), 1e-4);
    assert_int_equal(r.work.residuals, before.work.residuals);
    close_run(run, model);
}

static void steps_per_window_are_replayed_by_windows(void **state)
{
    yoke_stepper_options rk4 = stepper("rk4", 0.0);
    double apart = NAN;
    (void)state;

    rk4.steps = 4;
    yoke_model *model = two_masses(&rk4, &rk4);
    const yoke_run_options o = with_window(0.1);
    yoke_run *run = started(model, &o, true);
    const yoke_run_result r = replayed(run, 1.0, &apart);
    assert_int_equal(r.oracle.steps, 2 * 10 * 4);
    assert_true(apart < 1.0);
    close_run(run, model);
}

static void waveforms_are_kept_from_the_first_window_on(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    const yoke_run_options o = with_window(0.1);
    yoke_err err;
    (void)state;

    yoke_run *run = started(model, &o, false);
    CHECK_OK(yoke_run_advance(run, 0.1, &err), &err);
    CHECK_STATUS(yoke_run_keep_waves(run, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "ask for it before");
    CHECK_STATUS(yoke_run_replay(run, NULL, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "yoke_run_keep_waves");
    close_run(run, model);
}

/* ---- memory -------------------------------------------------------------- */

static yoke_status counting_rhs(void *self, double t, const double *x,
                                const double *u, double *xdot, yoke_err *err)
{
    long *calls = self;

    (void)t, (void)u, (void)err;
    ++*calls;
    xdot[0] = -x[0] + 1e-3 * sin((double)*calls);
    return YOKE_OK;
}

static void save_count(void *self, void *bytes)
{
    memcpy(bytes, self, sizeof(long));
}

static void restore_count(void *self, const void *bytes)
{
    memcpy(self, bytes, sizeof(long));
}

/* The subsystem is not pure: only if its memory is that of the first start do
 * two runs, and the replay, agree to the last bit. */
static void every_run_begins_with_the_same_memory(void **state)
{
    static const yoke_system_ops ops = { .kind = "counter",
                                         .rhs = counting_rhs,
                                         .save = save_count,
                                         .restore = restore_count };
    const double one = 1.0;
    const yoke_system_info info = { .n = 1,
                                    .memory_bytes = sizeof(long),
                                    .x0 = &one };
    const yoke_stepper_options s = stepper("rk4", 0.05);
    const yoke_run_options o = with_window(1.0);
    yoke_model *model = new_model();
    yoke_system *system = NULL;
    double value[2], apart = NAN;
    long calls = 0;
    yoke_err err;
    (void)state;

    CHECK_OK(yoke_system_create(&system, "c", &ops, &calls, &info, &err), &err);
    add_system(model, system, &s);
    for (int k = 0; k < 2; k++) {
        yoke_run *run = started(model, &o, true);
        replayed(run, 1.0, &apart);
        value[k] = value_of(run, "c.x1");
        CHECK_NEAR(apart, 0.0, 0.0);
        CHECK_OK(yoke_run_close(run, &err), &err);
    }
    assert_memory_equal(&value[0], &value[1], sizeof value[0]);
    yoke_model_free(model);
}

/* ---- rates --------------------------------------------------------------- */

/* x' = -x in both, z = g b.z in a, z = x + g a.z in b: a sweep multiplies the
 * error of z by g^2 whatever the window. */
static yoke_model *algebraic_loop(double g)
{
    const double E[] = { 1, 0, 0, 0 }, A[] = { -1, 0, 0, -1 };
    const double B[] = { 0, g }, x0[] = { 1, 0 };
    const char *const name[] = { "x", "z" }, *const input[] = { "u" };
    const yoke_linear part = { .n = 2,
                               .m = 1,
                               .E = E,
                               .A = A,
                               .B = B,
                               .x0 = x0,
                               .x_name = name,
                               .u_name = input };
    const double Ab[] = { -1, 0, 1, -1 };
    yoke_linear other = part;
    yoke_model *model = new_model();

    other.A = Ab;
    add_linear(model, "a", &part, NULL);
    add_linear(model, "b", &other, NULL);
    connect(model, "a.u", "b.z", 1.0);
    connect(model, "b.u", "a.z", 1.0);
    return model;
}

static void measured_and_predicted_rates_agree_where_theory_is_exact(
    void **state)
{
    yoke_model *model = algebraic_loop(0.6);
    const yoke_run_options o = with_window(0.1);
    yoke_run_result r;
    double rate = NAN;
    yoke_err err;
    (void)state;

    yoke_run *run = started(model, &o, false);
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
    yoke_run_summary(run, &r);
    assert_true(isnan(r.rate_predicted)); /* not asked for yet */
    CHECK_OK(yoke_run_predict(run, &rate, &err), &err);
    yoke_run_summary(run, &r);
    CHECK_NEAR(rate, 0.36, 1e-9);
    CHECK_NEAR(r.rate_predicted, 0.36, 1e-9);
    CHECK_NEAR(r.rate_median, 0.36, 1e-3);
    CHECK_CONTAINS(r.text, "predicted 0.36. The");
    close_run(run, model);
}

static void with_relaxation_no_rate_is_predicted(void **state)
{
    yoke_model *model = algebraic_loop(0.6);
    yoke_run_options o = with_window(0.1);
    double rate = 0.0;
    yoke_err err;
    (void)state;

    o.iterate.relax = 0.9;
    yoke_run *run = started(model, &o, false);
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
    CHECK_OK(yoke_run_predict(run, &rate, &err), &err);
    assert_true(isnan(rate));
    close_run(run, model);
}

static void a_divergent_coupling_is_named_with_its_rate(void **state)
{
    yoke_model *model = algebraic_loop(1.5);
    const yoke_run_options o = with_window(0.1);
    yoke_err err;
    (void)state;

    yoke_run *run = started(model, &o, false);
    const yoke_status status = yoke_run_advance(run, 1.0, &err);
    assert_int_not_equal(status, YOKE_OK);
    CHECK_CONTAINS(err.text, "the coupling diverges (predicted rate 2.25");
    CHECK_CONTAINS(err.text, "the changes grew from");
    close_run(run, model);
}

static void the_log_has_the_predicted_rate_of_every_window(void **state)
{
    yoke_model *model = algebraic_loop(0.6);
    yoke_run_options o = with_window(0.1);
    (void)state;

    to_file(&o, "rates.csv");
    yoke_err err;
    CHECK_OK(yoke_simulate(model, &o, NULL, &err), &err);
    yoke_table *log = read_table(in_scratch("rates.csv"), "coupling");
    const int column = yoke_table_find(log, "predicted");
    assert_true(column > 0 && log->rows > 10);
    for (int k = 0; k < log->rows; k++)
        CHECK_NEAR(log->value[k * log->cols + column], 0.36, 1e-9);
    yoke_table_free(log);
    yoke_model_free(model);
}

/* ---- values inside a window ---------------------------------------------- */

typedef struct middle {
    yoke_run *run;
    double worst;
} middle;

static bool look_inside(void *context, double t,
                        const yoke_iterate_result *so_far)
{
    middle *m = context;
    double value[4];

    (void)so_far;
    yoke_run_at(m->run, t - 0.037, value);
    m->worst = fmax(m->worst, fabs(value[0] - exact_left(t - 0.037)));
    return false;
}

static void variables_are_known_inside_the_last_window(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options o = with_window(0.1);
    middle m = { NULL, 0.0 };
    const yoke_watcher watcher = { .window = look_inside, .context = &m };
    yoke_err err;
    (void)state;

    o.record = "left.x";
    CHECK_OK(yoke_run_create(&m.run, model, &o, &watcher, &err), &err);
    CHECK_OK(yoke_run_advance(m.run, 1.0, &err), &err);
    assert_true(m.worst > 0.0 && m.worst < 2e-5);
    close_run(m.run, model);
}

/* ---- faults -------------------------------------------------------------- */

static yoke_status everything(yoke_model *model, const yoke_run_options *o,
                              yoke_err *err)
{
    yoke_run *run = NULL;
    double rate = NAN;
    yoke_status status = yoke_run_create(&run, model, o, NULL, err);

    if (status == YOKE_OK) status = yoke_run_keep_waves(run, err);
    if (status == YOKE_OK) status = yoke_run_advance(run, 0.2, err);
    if (status == YOKE_OK) status = yoke_run_predict(run, &rate, err);
    if (status == YOKE_OK) status = yoke_run_replay(run, NULL, err);
    yoke_run_close(run, NULL);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    yoke_model *model = two_masses(NULL, NULL);
    yoke_run_options o = with_window(0.1);
    yoke_status status = YOKE_E_MEMORY;
    long n = 0;
    (void)state;

    o.spot = 0.0; /* those of checks: tests/fault/run_fault.c */
    while (status != YOKE_OK) {
        yoke_err err = { YOKE_OK, "" };
        fault_allocator(++n);
        status = everything(model, &o, &err);
        assert_int_equal(fault_blocks(), 0);
        const bool reached = fault_requests() >= n;
        fault_restore();
        assert_true(status == (reached ? YOKE_E_MEMORY : YOKE_OK));
    }
    assert_true(n > 100);
    yoke_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_system_in_one_window_is_its_own_oracle),
        cmocka_unit_test(members_of_one_system_have_oracles_of_their_own),
        cmocka_unit_test(a_replay_gives_the_same_solution_for_less_work),
        cmocka_unit_test(steps_per_window_are_replayed_by_windows),
        cmocka_unit_test(waveforms_are_kept_from_the_first_window_on),
        cmocka_unit_test(every_run_begins_with_the_same_memory),
        cmocka_unit_test(
            measured_and_predicted_rates_agree_where_theory_is_exact),
        cmocka_unit_test(with_relaxation_no_rate_is_predicted),
        cmocka_unit_test(a_divergent_coupling_is_named_with_its_rate),
        cmocka_unit_test(the_log_has_the_predicted_rate_of_every_window),
        cmocka_unit_test(variables_are_known_inside_the_last_window),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
