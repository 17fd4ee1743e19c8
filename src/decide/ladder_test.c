/* decide/ladder_test.c -- what a run decides by itself, and that its results do
 * not depend on it. */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

/* ---- runs -----------------------------------------------------------------
 */

static yoke_run *begun(yoke_model *model, const yoke_run_options *o,
                       const yoke_watcher *watcher)
{
    yoke_run *run = NULL;
    yoke_err err;

    CHECK_OK(yoke_run_create(&run, model, o, watcher, &err), &err);
    return run;
}

static yoke_run_result ended(yoke_run *run, double stop)
{
    yoke_run_result r;
    yoke_err err;

    CHECK_OK(yoke_run_advance(run, stop, &err), &err);
    yoke_run_summary(run, &r);
    assert_true(r.converged);
    return r;
}

static void close_run(yoke_run *run, yoke_model *model)
{
    yoke_err err;

    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

/* The first step of this rung, or one without a text. */
static yoke_ladder_step step_of(const yoke_run *run, const char *rung)
{
    yoke_ladder_step s;

    for (int i = 0; yoke_run_step(run, i, &s); i++)
        if (strcmp(s.rung, rung) == 0) return s;
    return (yoke_ladder_step){ "", 0.0, "" };
}

/* ---- before the run -------------------------------------------------------
 */

/* x' = -x + u, y = x + d u. */
static void add_stage(yoke_model *model, const char *name, double d)
{
    const double lag = -1.0, one = 1.0;
    const yoke_linear stage = { .n = 1,
                                .m = 1,
                                .p = 1,
                                .A = &lag,
                                .B = &one,
                                .H = &one,
                                .D = &d,
                                .x0 = &one };

    add_linear(model, name, &stage, NULL);
}

static yoke_model *ring(const char *const *name, double d)
{
    yoke_model *model = new_model();

    for (int k = 0; k < 3; k++) add_stage(model, name[k], d);
    connect(model, "b.u1", "a.y1", 1.0);
    connect(model, "c.u1", "b.y1", 1.0);
    connect(model, "a.u1", "c.y1", 1.0);
    return model;
}

/* One sweep along the ring contracts by d^3, against it by d^(3/2). */
static void the_better_order_is_taken(void **state)
{
    static const char *const backwards[] = { "c", "b", "a" };
    static const char *const along[] = { "a", "b", "c" };
    yoke_run_options o = yoke_run_defaults();
    double value[2] = { 0.0, 1.0 };
    (void)state;

    o.stop = 0.1;
    for (int k = 0; k < 2; k++) {
        yoke_model *model = ring(k ? along : backwards, 0.4);
        yoke_run *run = begun(model, &o, NULL);
        const char *const *name = NULL;
        if (k)
            assert_string_equal(step_of(run, "order").text, "");
        else
            CHECK_CONTAINS(step_of(run, "order").text,
                           "in the order of the file");
        yoke_run_variables(run, &name, NULL);
        assert_string_equal(name[0], k ? "a.x1" : "c.x1"); /* as in the model */
        ended(run, o.stop);
        value[k] = value_of(run, "a.y1");
        close_run(run, model);
    }
    CHECK_NEAR(value[0], value[1], 1e-6);
}

/* Who is read goes first: then one sweep is enough. */
static void a_chain_runs_from_its_source(void **state)
{
    static const char *const backwards[] = { "c", "b", "a" };
    const double lag = -1.0, one = 1.0;
    const yoke_linear source = { .n = 1, .A = &lag, .x0 = &one };
    yoke_run_options o = yoke_run_defaults();
    yoke_model *model = new_model();
    (void)state;

    for (int k = 0; k < 3; k++) add_stage(model, backwards[k], 0.4);
    add_linear(model, "s", &source, NULL);
    connect(model, "b.u1", "a.y1", 1.0);
    connect(model, "c.u1", "b.y1", 1.0);
    connect(model, "a.u1", "s.x1", 1.0);
    yoke_run *run = begun(model, &o, NULL);
    CHECK_CONTAINS(step_of(run, "order").text, "order s > a > b > c");
    const yoke_run_result r = ended(run, 1.0);
    assert_int_equal(r.iterate.sweeps, r.iterate.windows);
    assert_int_equal(r.subsystems, 4);
    close_run(run, model);
}

static void an_order_that_is_given_is_kept(void **state)
{
    static const char *const name[] = { "a", "b", "c" };
    yoke_run_options o = yoke_run_defaults();
    yoke_model *model = ring(name, 0.4);
    (void)state;

    o.order = "c b a";
    yoke_run *run = begun(model, &o, NULL);
    assert_string_equal(step_of(run, "order").text, "");
    close_run(run, model);
}

/* a = 3 b + s, b = 3 a: |S| = 9 however short the window. */
static yoke_model *strong_loop_of(const char *method)
{
    const double D[] = { 3.0, 1.0 }, lag = -1.0, one = 1.0;
    const yoke_linear two = { .n = 0, .m = 2, .p = 1, .D = D };
    const yoke_linear single = { .n = 0, .m = 1, .p = 1, .D = D };
    const yoke_linear source = { .n = 1, .A = &lag, .x0 = &one };
    yoke_stepper_options stepper = yoke_stepper_defaults();
    yoke_model *model = new_model();

    snprintf(stepper.method, sizeof stepper.method, "%s", method);
    add_linear(model, "a", &two, &stepper);
    add_linear(model, "b", &single, &stepper);
    add_linear(model, "s", &source, NULL);
    connect(model, "a.u1", "b.y1", 1.0);
    connect(model, "a.u2", "s.x1", 1.0);
    connect(model, "b.u1", "a.y1", 1.0);
    return model;
}

static yoke_model *strong_loop(void)
{
    return strong_loop_of("radau5");
}

static void only_what_is_too_strong_is_solved_as_one(void **state)
{
    const yoke_run_options o = yoke_run_defaults();
    yoke_model *model = strong_loop_of("genalpha");
    yoke_run *run = begun(model, &o, NULL);
    const yoke_ladder_step s = step_of(run, "cluster");
    (void)state;

    CHECK_CONTAINS(s.text, "a and b are merged into one system");
    CHECK_CONTAINS(s.text, "by 9 over a step of 0.01");
    CHECK_NEAR(s.t, 0.0, 0.0);
    const yoke_run_result r = ended(run, 1.0);
    assert_int_equal(r.subsystems, 2);
    CHECK_NEAR(value_of(run, "a.y1"), exp(-1.0) / -8.0, 1e-6);
    close_run(run, model);
}

static void who_wants_no_clusters_gets_none(void **state)
{
    yoke_run_options o = yoke_run_defaults();
    yoke_model *model = strong_loop();
    (void)state;

    o.cluster = YOKE_CLUSTER_NONE;
    o.iterate.window = 0.1;
    yoke_run *run = begun(model, &o, NULL);
    const yoke_run_result r = ended(run, 1.0);
    assert_int_equal(r.subsystems, 3);
    assert_int_equal(r.steps, 0);
    CHECK_NEAR(value_of(run, "a.y1"), exp(-1.0) / -8.0, 1e-5);
    close_run(run, model);
}

/* `failing` leaves alone what converges, and makes one of what does not. */
static void only_failures_become_clusters(void **state)
{
    yoke_run_options o = yoke_run_defaults();
    (void)state;

    o.cluster = YOKE_CLUSTER_FAILING;
    o.iterate.window = 0.1;
    yoke_model *model = strong_loop();
    yoke_run *run = begun(model, &o, NULL);
    yoke_run_result r = ended(run, 1.0);
    assert_int_equal(r.subsystems, 3);
    assert_int_equal(r.steps, 0);
    close_run(run, model);

    model = strong_loop_of("genalpha"); /* steps that cannot be corrected */
    o.iterate.max_sweeps = 2;
    run = begun(model, &o, NULL);
    r = ended(run, 1.0);
    assert_int_equal(r.subsystems, 2);
    assert_non_null(r.repaired);
    CHECK_NEAR(value_of(run, "a.y1"), exp(-1.0) / -8.0, 1e-5);
    close_run(run, model);
}

/* Two masses held together by their velocities: the multiplier is the force
 * between them. */
static yoke_model *joined(void)
{
    static const double A[] = { 0.0, 1.0, -4.0, 0.0 }, B[] = { 0.0, 1.0 };
    static const double C[] = { 0.0, 1.0 },
                        start[2][2] = { { 1.0, 0.0 }, { 0.0, 0.0 } };
    static const char *const output[] = { "one.y1", "two.y1" };
    static const double weight[] = { 1.0, -1.0 };
    const yoke_constraint c = { .count = 1,
                                .outputs = 2,
                                .output = output,
                                .weight = weight,
                                .owner = "two" };
    yoke_model *model = new_model();
    yoke_err err;

    for (int k = 0; k < 2; k++) {
        const yoke_linear mass = {
            .n = 2, .m = 1, .p = 1, .A = A, .B = B, .H = C, .x0 = start[k]
        };
        add_linear(model, k ? "two" : "one", &mass, NULL);
    }
    CHECK_OK(yoke_graph_constraint(yoke_model_graph(model), "rod", &c, &err),
             &err);
    connect(model, "one.u1", "rod.lambda", 1.0);
    connect(model, "two.u1", "rod.lambda", -1.0);
    return model;
}

/* x1 + x2 swings, x1 - x2 = 1 stays: 2 lambda = 4 (x1 - x2). */
static void what_needs_derivatives_is_solved_as_one(void **state)
{
    yoke_run_options o = yoke_run_defaults();
    yoke_model *model = joined();
    (void)state;

    o.given = true;
    o.iterate.rtol = 1e-8;
    o.iterate.atol = 1e-10;
    yoke_run *run = begun(model, &o, NULL);
    const yoke_ladder_step s = step_of(run, "monolithic");
    CHECK_CONTAINS(s.text, "one and two+rod are merged into one system");
    CHECK_CONTAINS(s.text, "rod.lambda depends on the derivative of one.y1");
    ended(run, 1.0);
    CHECK_NEAR(value_of(run, "rod.lambda"), 2.0, 2e-7);
    CHECK_NEAR(value_of(run, "one.x1"), 0.5 * cos(2.0) + 0.5, 1e-7);
    close_run(run, model);
}

/* Different fixed steps cannot become one. */
static void steps_that_were_chosen_are_kept(void **state)
{
    const yoke_stepper_options fine = stepper("trapezoidal", 1e-3);
    const yoke_stepper_options coarse = stepper("trapezoidal", 2e-3);
    yoke_run_options o = yoke_run_defaults();
    yoke_model *model = two_masses(&fine, &coarse);
    (void)state;

    o.iterate.window = 0.05;
    yoke_run *run = begun(model, &o, NULL);
    const yoke_run_result r = ended(run, 1.0);
    assert_int_equal(r.subsystems, 2);
    assert_int_equal(r.iterate.sweeps, r.iterate.windows);
    close_run(run, model);
}

/* ---- while it goes on -----------------------------------------------------
 */

typedef struct watch {
    yoke_run *run;
    double last, worst;
    int windows;
} watch;

static bool each_window(void *context, double t, const yoke_iterate_result *r)
{
    watch *w = context;
    double value[16];
    const char *const *name = NULL;
    const int count = yoke_run_variables(w->run, &name, NULL);

    assert_true(count <= 16);
    assert_int_equal(r->windows, ++w->windows);
    for (int k = 1; k <= 10; k++) {
        const double at = w->last + (t - w->last) * k / 10.0;
        yoke_run_at(w->run, at, value);
        for (int v = 0; v < count; v++) {
            if (strcmp(name[v], "left.x") == 0)
                w->worst = fmax(w->worst, fabs(value[v] - exact_left(at)));
            if (strcmp(name[v], "right.x") == 0)
                w->worst = fmax(w->worst, fabs(value[v] - exact_right(at)));
        }
    }
    w->last = t;
    return false;
}

/* Both masses take the same steps: as one they cost what each costs alone. */
static void what_costs_less_as_one_becomes_one(void **state)
{
    watch w = { .worst = 0.0 };
    const yoke_watcher watcher = { .window = each_window, .context = &w };
    yoke_run_options o = yoke_run_defaults();
    const yoke_stepper_options g = stepper("genalpha", 0.0);
    yoke_model *model = two_masses(&g, &g);
    yoke_work a, b;
    yoke_err err;
    (void)state;

    o.stop = 2.0;
    o.iterate.window = 0.05;
    w.run = begun(model, &o, &watcher);
    CHECK_OK(yoke_run_keep_waves(w.run, &err), &err);
    yoke_run_result r = ended(w.run, o.stop);
    const yoke_ladder_step s = step_of(w.run, "monolithic");
    CHECK_CONTAINS(s.text, "left and right are merged into one system");
    CHECK_BETWEEN(s.t, 0.05, 0.5);
    assert_int_equal(r.subsystems, 1);
    assert_int_equal(r.iterate.windows, 40);
    assert_int_equal(w.windows, 40);
    CHECK_BETWEEN(w.worst, 0.0, 2e-5);
    assert_true(isnan(r.overhead)); /* not known without a replay */
    CHECK_OK(yoke_run_replay(w.run, NULL, &err), &err);
    yoke_run_summary(w.run, &r);
    CHECK_BETWEEN(r.overhead, 1.0, 2.0);
    assert_true(yoke_run_work(w.run, 0, NULL, &a));
    assert_true(yoke_run_work(w.run, 1, NULL, &b));
    assert_int_equal(a.residuals + b.residuals, r.work.residuals);
    close_run(w.run, model);
}

/* Small parts cost many times what they cost as one.  A short run stays as it is;
 * of a long one the first windows tell what it will come to. */
static void few_parts_are_judged_by_what_they_will_cost(void **state)
{
    const yoke_stepper_options g = stepper("radau5", 0.0);
    static const double stop[] = { 1.0, 40.0 };
    (void)state;

    for (int k = 0; k < 2; k++) {
        yoke_run_options o = yoke_run_defaults();
        yoke_model *model = two_masses(&g, &g);
        o.stop = stop[k];
        yoke_run *run = begun(model, &o, NULL);
        const yoke_run_result r = ended(run, o.stop);
        assert_int_equal(r.subsystems, k == 0 ? 2 : 1);
        if (k == 1) CHECK_BETWEEN(step_of(run, "monolithic").t, 0.1, 4.0);
        CHECK_NEAR(value_of(run, "left.x"), exact_left(o.stop), 1e-3);
        close_run(run, model);
    }
}

/* Windows are numbered on, and variables that are no longer exchanged have no
 * change. */
static void the_log_goes_on(void **state)
{
    yoke_run_options o = yoke_run_defaults();
    const yoke_stepper_options g = stepper("genalpha", 0.0);
    yoke_model *model = two_masses(&g, &g);
    (void)state;

    o.iterate.window = 0.05;
    o.iterates = true;
    to_file(&o, "log.csv");
    yoke_run *run = begun(model, &o, NULL);
    ended(run, 1.0);
    close_run(run, model);
    yoke_table *log = read_table(o.output, "coupling");
    yoke_table *iterates = read_table(o.output, "iterates");
    const int change = yoke_table_find(log, "left.x"), end = log->rows - 1;
    assert_true(change > 0);
    for (int k = 1; k < log->rows; k++) {
        const double step =
            log->value[k * log->cols] - log->value[(k - 1) * log->cols];
        assert_true(step == 0.0 || step == 1.0);
    }
    CHECK_NEAR(log->value[end * log->cols], 20.0, 0.0);
    assert_true(log->value[change] >= 0.0);
    assert_true(isnan(log->value[end * log->cols + change]));
    assert_true(iterates->rows > 41 * 20);
    yoke_table_free(log);
    yoke_table_free(iterates);
}

/* ---- failures in the middle -----------------------------------------------
 */

/* y = k u with k = 0.001 until t = 0.5, then 3. */
static yoke_status gain_output(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    (void)self, (void)x, (void)err;
    y[0] = (t <= 0.5 ? 1e-3 : 3.0) * u[0];
    return YOKE_OK;
}

static double gain_break(void *self, double t)
{
    (void)self;
    return t < 0.5 ? 0.5 : INFINITY;
}

static yoke_status quiet_indicate(void *self, double t, const double *x,
                                  const double *u, double *g, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)err;
    g[0] = -1.0;
    return YOKE_OK;
}

static yoke_status quiet_apply(void *self, double t, const double *x,
                               const double *u, const bool *happened,
                               double *x_new, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)happened, (void)x_new;
    return yoke_fail(err, YOKE_E_MODEL, "there is no event");
}

/* a = 3 b + s, b = k a. */
static yoke_model *late_loop(bool events)
{
    static const yoke_system_ops ops = { .kind = "gain",
                                         .output = gain_output,
                                         .next_break = gain_break };
    static const yoke_event_ops event = { .indicate = quiet_indicate,
                                          .apply = quiet_apply };
    const double D[] = { 3.0, 1.0 }, lag = -1.0, one = 1.0;
    const yoke_linear two = { .n = 0, .m = 2, .p = 1, .D = D };
    const yoke_linear source = { .n = 1, .A = &lag, .x0 = &one };
    const yoke_system_info info = { .m = 1,
                                    .p = 1,
                                    .events = events ? 1 : 0,
                                    .event = events ? &event : NULL };
    yoke_stepper_options stepper = yoke_stepper_defaults();
    yoke_model *model = new_model();
    yoke_system *system = NULL;
    yoke_err err;

    strcpy(stepper.method, "genalpha"); /* its steps cannot be corrected */
    add_linear(model, "a", &two, &stepper);
    CHECK_OK(yoke_system_create(&system, "b", &ops, NULL, &info, &err), &err);
    add_system(model, system, &stepper);
    add_linear(model, "s", &source, NULL);
    connect(model, "a.u1", "b.y1", 1.0);
    connect(model, "a.u2", "s.x1", 1.0);
    connect(model, "b.u1", "a.y1", 1.0);
    return model;
}

static double late_exact(double t)
{
    return exp(-t) / (1.0 - 3.0 * (t <= 0.5 ? 1e-3 : 3.0));
}

/* With a schedule nothing is foreseen; two sweeps do not suffice for a gain of
 * 9.  The windows before are kept, unless there are events: then the run begins
 * again. */
static void a_failure_is_no_new_beginning(void **state)
{
    (void)state;
    for (int events = 0; events < 2; events++) {
        yoke_run_options o = yoke_run_defaults();
        yoke_model *model = late_loop(events == 1);
        o.schedule = "s > a > b";
        o.iterate.window = 0.1;
        o.iterate.max_sweeps = 3;
        o.iterate.rtol = 1e-4;
        o.iterate.loosen = false;
        o.every = YOKE_EVERY_WINDOW;
        to_file(&o, "late.csv");
        yoke_run *run = begun(model, &o, NULL);
        const yoke_run_result r = ended(run, 1.0);
        const yoke_ladder_step s = step_of(run, "cluster");
        CHECK_CONTAINS(s.text, "a and b are merged into one system");
        CHECK_NEAR(s.t, 0.5, 1e-12);
        assert_int_equal(r.subsystems, 2);
        assert_int_equal(r.iterate.windows, 10);
        assert_non_null(r.repaired);
        close_run(run, model);
        yoke_table *t = read_table(o.output, "result");
        const int y = yoke_table_find(t, "a.y1");
        assert_int_equal(t->rows, 11);
        for (int k = 0; k < t->rows; k++) {
            const double at = t->value[k * t->cols];
            CHECK_NEAR(at, 0.1 * k, 1e-12);
            if (fabs(at - 0.5) < 1e-9) continue; /* either side */
            CHECK_NEAR(t->value[k * t->cols + y], late_exact(at), 2e-4);
        }
        yoke_table_free(t);
    }
}

/* y = u^2 / 10 */
static yoke_status square_output(void *self, double t, const double *x,
                                 const double *u, double *y, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)err;
    y[0] = 0.1 * u[0] * u[0];
    return YOKE_OK;
}

/* a = a^2 / 10 + s with s = 2.4: a is 4 or 6.  The input of a is fed from
 * inside and from outside the cluster a + b, whose unknown it is. */
static void an_input_is_handed_over_once(void **state)
{
    static const yoke_system_ops ops = { .kind = "square",
                                         .output = square_output };
    const double none = 0.0, one = 1.0, start = 2.4;
    const yoke_linear same = { .n = 0, .m = 1, .p = 1, .D = &one };
    const yoke_linear source = { .n = 1, .A = &none, .x0 = &start };
    const yoke_system_info info = { .m = 1, .p = 1 };
    yoke_run_options o = yoke_run_defaults();
    yoke_model *model = new_model();
    yoke_system *system = NULL;
    yoke_err err;
    (void)state;

    add_linear(model, "a", &same, NULL);
    CHECK_OK(yoke_system_create(&system, "b", &ops, NULL, &info, &err), &err);
    add_system(model, system, NULL);
    add_linear(model, "s", &source, NULL);
    connect(model, "a.u1", "b.y1", 1.0);
    connect(model, "a.u1", "s.x1", 1.0);
    connect(model, "b.u1", "a.y1", 1.0);
    o.schedule = "s > a + b";
    yoke_run *run = begun(model, &o, NULL);
    CHECK_OK(yoke_run_keep_waves(run, &err), &err); /* other outputs */
    ended(run, 1.0);
    CHECK_NEAR(value_of(run, "a.y1"), 4.0, 1e-5);
    close_run(run, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_better_order_is_taken),
        cmocka_unit_test(a_chain_runs_from_its_source),
        cmocka_unit_test(an_order_that_is_given_is_kept),
        cmocka_unit_test(only_what_is_too_strong_is_solved_as_one),
        cmocka_unit_test(who_wants_no_clusters_gets_none),
        cmocka_unit_test(only_failures_become_clusters),
        cmocka_unit_test(what_needs_derivatives_is_solved_as_one),
        cmocka_unit_test(steps_that_were_chosen_are_kept),
        cmocka_unit_test(what_costs_less_as_one_becomes_one),
        cmocka_unit_test(few_parts_are_judged_by_what_they_will_cost),
        cmocka_unit_test(the_log_goes_on),
        cmocka_unit_test(a_failure_is_no_new_beginning),
        cmocka_unit_test(an_input_is_handed_over_once),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
