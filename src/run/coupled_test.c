/* run/coupled_test.c -- loops, memory, breakpoints, links to oneself. */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

static const char *const schemes[] = { "gauss-seidel", "jacobi", "monolithic" };

static yoke_run *finished(yoke_model *model, const yoke_run_options *options)
{
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_run_create(&run, model, options, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, options->stop, &err), &err);
    return run;
}

static void close_run(yoke_run *run)
{
    yoke_err err;

    CHECK_OK(yoke_run_close(run, &err), &err);
}

/* ---- algebraic loops
 * -------------------------------------------------------------- */

/* a = g b + s, b = g a without unknowns; s' = -s. */
static yoke_model *loop_of_gains(double g)
{
    const double D[] = { g, 1.0 }, lag = -1.0, one = 1.0;
    const yoke_linear two = { .n = 0, .m = 2, .p = 1, .D = D };
    const yoke_linear single = { .n = 0, .m = 1, .p = 1, .D = D };
    const yoke_linear source = { .n = 1, .A = &lag, .x0 = &one };
    yoke_model *model = new_model();

    add_linear(model, "a", &two, NULL);
    add_linear(model, "b", &single, NULL);
    add_linear(model, "s", &source, NULL);
    connect(model, "a.u1", "b.y1", 1.0);
    connect(model, "a.u2", "s.x1", 1.0);
    connect(model, "b.u1", "a.y1", 1.0);
    return model;
}

static void a_loop_of_gains_is_solved(void **state)
{
    yoke_model *model = loop_of_gains(0.5);
    (void)state;
    for (int k = 0; k < 3; k++) {
        yoke_run_options o = yoke_run_defaults();
        yoke_run *run = NULL;
        yoke_err err;
        set(&o, "scheme", schemes[k]);
        o.iterate.window = 0.1;
        CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
        CHECK_NEAR(value_of(run, "a.y1"), 1.0 / 0.75, 1e-9); /* at the start */
        CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
        CHECK_NEAR(value_of(run, "a.y1"), exp(-1.0) / 0.75, 2e-5);
        CHECK_NEAR(value_of(run, "b.y1"), 0.5 * exp(-1.0) / 0.75, 2e-5);
        close_run(run);
    }
    yoke_model_free(model);
}

static void a_loop_that_does_not_contract_is_corrected(void **state)
{
    yoke_model *model = loop_of_gains(2.0);
    yoke_run_options o = yoke_run_defaults();
    yoke_err err;
    (void)state;
    yoke_run *repaired = finished(model, &o);
    CHECK_NEAR(value_of(repaired, "a.y1"), exp(-1.0) / -3.0, 2e-5);
    close_run(repaired);
    o.iterate.accelerate = YOKE_ACCELERATE_NONE;
    CHECK_STATUS(yoke_simulate(model, &o, NULL, &err), YOKE_NOT_CONVERGED,
                 &err);
    CHECK_CONTAINS(err.text, "does not contract");
    o.scheme = YOKE_MONOLITHIC;
    yoke_run *run = finished(model, &o);
    CHECK_NEAR(value_of(run, "a.y1"), exp(-1.0) / -3.0, 2e-5);
    close_run(run);
    yoke_model_free(model);
}

static void a_loop_without_a_solution_is_refused(void **state)
{
    yoke_model *model = loop_of_gains(1.0);
    yoke_run_options o = yoke_run_defaults();
    yoke_err err;
    (void)state;
    assert_true(yoke_simulate(model, &o, NULL, &err) != YOKE_OK);
    CHECK_CONTAINS(err.text, "initial values");
    yoke_model_free(model);
}

static void given_values_pass_through_a_contracting_loop_only(void **state)
{
    yoke_model *model = loop_of_gains(0.5);
    yoke_run_options o = yoke_run_defaults();
    yoke_run *run = NULL;
    yoke_err err;
    (void)state;
    o.given = true;
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    CHECK_NEAR(value_of(run, "a.y1"), 1.0 / 0.75, 1e-9);
    close_run(run);
    yoke_model_free(model);
    model = loop_of_gains(-1.0);
    run = NULL;
    CHECK_STATUS(yoke_run_create(&run, model, &o, NULL, &err), YOKE_E_MODEL,
                 &err);
    CHECK_CONTAINS(err.text, "in a loop");
    assert_null(run);
    yoke_model_free(model);
}

/* ---- links to oneself
 * --------------------------------------------------------------- */

/* x' = -x + u, u = 0.5 x + 0.25 z;  z' = -2 z + x. */
static yoke_model *self_fed(void)
{
    const double a = -1.0, c = -2.0, b = 1.0, one = 1.0;
    const yoke_linear x = { .n = 1, .m = 1, .A = &a, .B = &b, .x0 = &one };
    const yoke_linear z = { .n = 1, .m = 1, .A = &c, .B = &b };
    yoke_model *model = new_model();

    add_linear(model, "x", &x, NULL);
    add_linear(model, "z", &z, NULL);
    connect(model, "x.u1", "x.x1", 0.5);
    connect(model, "x.u1", "z.x1", 0.25);
    connect(model, "z.u1", "x.x1", 1.0);
    return model;
}

static void picard_lags_what_jacobi_solves_and_both_have_one_limit(void **state)
{
    static const char *const scheme[] = { "jacobi", "picard" };
    yoke_model *model = self_fed();
    double once[2], limit[2];
    double rate[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        yoke_run_options o = yoke_run_defaults();
        yoke_run_result result;
        set(&o, "scheme", scheme[k]);
        o.iterate.window = 0.5;
        o.iterate.rtol = 1e-8;
        o.iterate.accelerate = YOKE_ACCELERATE_NONE;
        yoke_run *run = finished(model, &o);
        limit[k] = value_of(run, "x.x1");
        yoke_run_summary(run, &result);
        rate[k] = result.iterate.rate;
        close_run(run);
        set(&o, "test", "count");
        o.iterate.max_sweeps = 1;
        run = finished(model, &o);
        once[k] = value_of(run, "x.x1");
        close_run(run);
    }
    CHECK_NEAR(limit[0], limit[1], 1e-6);
    assert_true(fabs(once[0] - once[1]) > 1e-3);
    assert_true(rate[1] > rate[0]);
    yoke_model_free(model);
}

/* ---- memory
 * -----------------------------------------------------------------------------
 */

typedef struct counter {
    long calls;
    int saves, restores;
} counter;

/* Not pure: only a restore before each further sweep makes sweeps agree. */
static yoke_status counting_rhs(void *self, double t, const double *x,
                                const double *u, double *xdot, yoke_err *err)
{
    counter *c = self;

    (void)t, (void)u, (void)err;
    c->calls++;
    xdot[0] = -x[0] + 1e-3 * sin((double)c->calls);
    return YOKE_OK;
}

static void save_count(void *self, void *bytes)
{
    counter *c = self;

    c->saves++;
    memcpy(bytes, &c->calls, sizeof c->calls);
}

static void restore_count(void *self, const void *bytes)
{
    counter *c = self;

    c->restores++;
    memcpy(&c->calls, bytes, sizeof c->calls);
}

static double run_counter(int sweeps, counter *c)
{
    static const yoke_system_ops ops = { .kind = "counter",
                                         .rhs = counting_rhs,
                                         .save = save_count,
                                         .restore = restore_count };
    const int none = 0;
    const double one = 1.0;
    yoke_pattern *G = NULL;
    yoke_system_info info = { .n = 1,
                              .memory_bytes = sizeof c->calls,
                              .x0 = &one };
    const yoke_stepper_options s = stepper("rk4", 0.05);
    yoke_run_options o = yoke_run_defaults();
    yoke_model *model = new_model();
    yoke_system *system = NULL;
    yoke_err err;

    memset(c, 0, sizeof *c);
    CHECK_OK(yoke_pattern_create(&G, 1, 1, 1, &none, &none, &err), &err);
    info.C = info.G = G; /* no probing */
    CHECK_OK(yoke_system_create(&system, "c", &ops, c, &info, &err), &err);
    yoke_pattern_free(G);
    add_system(model, system, &s);
    set(&o, "test", "count");
    o.iterate.max_sweeps = sweeps;
    o.iterate.window = 0.25;
    o.iterate.skip = o.given = false;
    c->calls = 0;
    yoke_run *run = finished(model, &o);
    const double value = value_of(run, "c.x1");
    close_run(run);
    yoke_model_free(model);
    return value;
}

static void memory_is_restored_before_each_sweep(void **state)
{
    counter one, four;
    (void)state;
    const double once = run_counter(1, &one);
    const double often = run_counter(4, &four);
    assert_memory_equal(&once, &often, sizeof once);
    assert_true(one.restores >= 4); /* windows times sweeps */
    assert_true(four.restores >= 4 * 4);
}

/* ---- breakpoints
 * -------------------------------------------------------------------------- */

static const double jump_at = 0.3;

static yoke_status step_rhs(void *self, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)x, (void)u, (void)err;
    xdot[0] = t < jump_at ? 0.0 : 1.0;
    return YOKE_OK;
}

static double step_break(void *self, double t)
{
    (void)self;
    return t < jump_at ? jump_at : INFINITY;
}

/* x' = step, z' = x - 0.1 w, w' = z: z and w feed each other. */
static yoke_model *stepped(const yoke_stepper_options *s)
{
    static const yoke_system_ops ops = { .kind = "step",
                                         .rhs = step_rhs,
                                         .next_break = step_break };
    const yoke_system_info info = { .n = 1 };
    const double zero = 0.0, b = 1.0;
    const yoke_linear sum = { .n = 1, .m = 1, .A = &zero, .B = &b };
    yoke_model *model = new_model();
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_system_create(&system, "x", &ops, NULL, &info, &err), &err);
    add_system(model, system, s);
    add_linear(model, "z", &sum, s);
    add_linear(model, "w", &sum, s);
    connect(model, "z.u1", "x.x1", 1.0);
    connect(model, "z.u1", "w.x1", -0.1);
    connect(model, "w.u1", "z.x1", 1.0);
    return model;
}

/* z'' + 0.1 z = step: z = (1 - cos(r tau)) / r^2, r^2 = 0.1. */
static double stepped_exact(double t)
{
    const double tau = fmax(t - jump_at, 0.0);

    return (1.0 - cos(sqrt(0.1) * tau)) / 0.1;
}

static void a_jump_inside_a_window_is_hit_exactly(void **state)
{
    static const char *const method[] = { "rk4", "radau5", "trapezoidal" };
    /* The neighbours do not know of the jump: their fixed steps cross the
     * kink that it leaves in x. */
    static const double tolerance[] = { 2e-5, 1e-6, 1e-4 };
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 3; k++) {
            const yoke_stepper_options s = stepper(method[m], 0.02);
            yoke_model *model = stepped(&s);
            yoke_run_options o = yoke_run_defaults();
            set(&o, "scheme", schemes[k]);
            o.iterate.window = 0.25; /* 0.3 is inside the second */
            o.iterate.rtol = 1e-8;
            yoke_run *run = finished(model, &o);
            CHECK_NEAR(value_of(run, "x.x1"), 0.7, 1e-9);
            CHECK_NEAR(value_of(run, "z.x1"), stepped_exact(1.0), tolerance[m]);
            close_run(run);
            yoke_model_free(model);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_of_gains_is_solved),
        cmocka_unit_test(a_loop_that_does_not_contract_is_corrected),
        cmocka_unit_test(a_loop_without_a_solution_is_refused),
        cmocka_unit_test(given_values_pass_through_a_contracting_loop_only),
        cmocka_unit_test(
            picard_lags_what_jacobi_solves_and_both_have_one_limit),
        cmocka_unit_test(memory_is_restored_before_each_sweep),
        cmocka_unit_test(a_jump_inside_a_window_is_hit_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
