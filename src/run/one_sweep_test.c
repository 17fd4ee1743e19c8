/* run/one_sweep_test.c -- windows that take one sweep: accurate, and no dearer
 * than they say. */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

typedef struct outcome {
    yoke_run_result r;
    double residuals;
} outcome;

static yoke_run_options apart(double rtol)
{
    yoke_run_options o = yoke_run_defaults();

    set(&o, "cluster", "none");
    o.iterate.rtol = rtol;
    o.iterate.atol = rtol;
    return o;
}

static yoke_run *finished(yoke_model *model, const yoke_run_options *o,
                          double stop, outcome *out)
{
    yoke_run *run = NULL;
    yoke_work work;
    yoke_err err;

    CHECK_OK(yoke_run_create(&run, model, o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, stop, &err), &err);
    yoke_run_summary(run, &out->r);
    out->residuals = 0.0;
    for (int i = 0; yoke_run_work(run, i, NULL, &work); i++)
        out->residuals += (double)work.residuals;
    return run;
}

static void done(yoke_run *run, yoke_model *model)
{
    yoke_err err;

    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

/* Two masses: one sweep, the error of the steppers, and about the work of one
 * system, which has the same steps. */
static void two_masses_take_one_sweep(void **state)
{
    for (double rtol = 1e-4; rtol > 1e-9; rtol *= 0.01) {
        const yoke_run_options o = apart(rtol);
        yoke_run_options one = o;
        outcome a, b;
        (void)state;
        yoke_model *model = two_masses(NULL, NULL);
        yoke_run *run = finished(model, &o, 1.0, &a);
        assert_true((double)a.r.iterate.sweeps <= 1.1 * a.r.iterate.windows);
        assert_true(a.r.iterate.windows > 20);
        CHECK_NEAR(value_of(run, "left.x"), exact_left(1.0), 20.0 * rtol);
        CHECK_NEAR(value_of(run, "right.x"), exact_right(1.0), 20.0 * rtol);
        done(run, model);
        set(&one, "scheme", "monolithic");
        set(&one, "cluster", "auto");
        model = two_masses(NULL, NULL);
        run = finished(model, &one, 1.0, &b);
        assert_true(a.residuals < 2.0 * 1.25 * b.residuals);
        done(run, model);
    }
}

/* a = g b + s, b = -g a without memory, s' = -s: a = s / (1 + g^2).  A sweep
 * amplifies by g^2. */
static void loops_that_amplify_are_solved(void **state)
{
    static const double gain[] = { 0.3, 3.0, 30.0, 100.0 };
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double D[] = { gain[k], 1.0 }, back = -gain[k];
        const double lag = -1.0, one = 1.0;
        const yoke_linear two = { .n = 0, .m = 2, .p = 1, .D = D };
        const yoke_linear single = { .n = 0, .m = 1, .p = 1, .D = &back };
        const yoke_linear source = { .n = 1, .A = &lag, .x0 = &one };
        const yoke_run_options o = apart(1e-8);
        yoke_model *model = new_model();
        outcome out;
        add_linear(model, "a", &two, NULL);
        add_linear(model, "b", &single, NULL);
        add_linear(model, "s", &source, NULL);
        connect(model, "a.u1", "b.y1", 1.0);
        connect(model, "a.u2", "s.x1", 1.0);
        connect(model, "b.u1", "a.y1", 1.0);
        yoke_run *run = finished(model, &o, 1.0, &out);
        const double exact = exp(-1.0) / (1.0 + gain[k] * gain[k]);
        CHECK_NEAR(value_of(run, "a.y1"), exact, 3e-8);
        CHECK_NEAR(value_of(run, "b.y1"), back * exact, 3e-8 * (1 + gain[k]));
        assert_true((double)out.r.iterate.sweeps <=
                    1.3 * out.r.iterate.windows + 5);
        done(run, model);
    }
}

/* a' = 3 q a and p' = a q, q' = -a p: a grows, decays to nothing, and with it
 * the effect of its input.  Derivatives by the input from one end of a window
 * would say that a wrong q does nothing. */
static yoke_status a_rhs(void *self, double t, const double *x, const double *u,
                         double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = 3.0 * u[0] * x[0];
    return YOKE_OK;
}

static yoke_status b_rhs(void *self, double t, const double *x, const double *u,
                         double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = -u[0] * x[1];
    xdot[1] = u[0] * x[0];
    return YOKE_OK;
}

static void an_input_that_loses_its_effect(void **state)
{
    static const yoke_system_ops a_ops = { .kind = "a", .rhs = a_rhs };
    static const yoke_system_ops b_ops = { .kind = "b", .rhs = b_rhs };
    static const double start[] = { 1.0, 0.0 };
    static const double window[] = { 0.0, 5.0, 20.0 };
    const yoke_system_info one = { .n = 1, .m = 1, .x0 = start };
    const yoke_system_info two = { .n = 2, .m = 1, .x0 = start };
    (void)state;
    for (int k = 0; k < 3; k++) {
        yoke_run_options o = apart(1e-6);
        yoke_model *model = new_model();
        yoke_system *system = NULL;
        outcome out;
        yoke_err err;
        o.iterate.atol = 1e-9;
        o.iterate.window = window[k];
        o.stop = 20.0;
        CHECK_OK(yoke_system_create(&system, "a", &a_ops, NULL, &one, &err),
                 &err);
        add_system(model, system, NULL);
        CHECK_OK(yoke_system_create(&system, "b", &b_ops, NULL, &two, &err),
                 &err);
        add_system(model, system, NULL);
        connect(model, "a.u1", "b.x1", 1.0);
        connect(model, "b.u1", "a.x1", 1.0);
        yoke_run *run = finished(model, &o, 20.0, &out);
        /* 3 p = a - 1 all along; a ends at 0 */
        CHECK_NEAR(value_of(run, "b.x2"), -1.0 / 3.0, 3e-6);
        CHECK_NEAR(value_of(run, "b.x1"), -sqrt(8.0) / 3.0, 3e-6);
        done(run, model);
    }
}

/* An oscillator and two parts that it hardly moves: they cross its windows, and
 * everything is as accurate as in one system. */
static yoke_model *slow_parts(void)
{
    static const double A[] = { 0.0, 1.0, -1.0, 0.0 }, B[] = { 0.0, 1.0 };
    static const double start[] = { 1.0, 0.0 }, rest = 0.0;
    static const double slow = -0.02, weak = 1e-12, D[] = { 1.0, 0.0 };
    const yoke_linear fast = {
        .n = 2, .m = 1, .p = 1, .A = A, .B = B, .H = D, .x0 = start
    };
    const yoke_linear part = {
        .n = 1, .m = 1, .p = 1, .A = &slow, .B = &weak, .H = D, .x0 = &rest
    };
    yoke_model *model = new_model();

    add_linear(model, "a", &fast, NULL);
    add_linear(model, "b", &part, NULL);
    add_linear(model, "c", &part, NULL);
    connect(model, "a.u1", "b.y1", 1e-3);
    connect(model, "b.u1", "a.y1", 1.0);
    connect(model, "b.u1", "c.y1", 1.0);
    connect(model, "c.u1", "b.y1", 1.0);
    return model;
}

static void slow_parts_cross_windows(void **state)
{
    static const char *const name[] = { "a.x1", "a.x2", "b.x1", "c.x1" };
    yoke_run_options o = apart(1e-6), one = apart(1e-10);
    double found[4];
    yoke_work work;
    outcome out;
    (void)state;
    o.stop = one.stop = 200.0;
    yoke_model *model = slow_parts();
    yoke_run *run = finished(model, &o, 200.0, &out);
    for (int k = 0; k < 4; k++) found[k] = value_of(run, name[k]);
    assert_true(yoke_run_work(run, 2, NULL, &work));
    assert_true(2 * work.steps < out.r.iterate.windows);
    done(run, model);
    set(&one, "scheme", "monolithic");
    set(&one, "cluster", "auto");
    model = slow_parts();
    run = finished(model, &one, 200.0, &out);
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(found[k], value_of(run, name[k]), 1e-4);
    done(run, model);
}

/* Who asks for another correction gets that. */
static void other_accelerations_are_as_they_were(void **state)
{
    yoke_run_options o = apart(1e-6);
    yoke_model *model = two_masses(NULL, NULL);
    outcome out;
    (void)state;
    set(&o, "accelerate", "newton");
    yoke_run *run = finished(model, &o, 1.0, &out);
    assert_true(out.r.iterate.sweeps >= 2 * out.r.iterate.windows - 2);
    done(run, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_masses_take_one_sweep),
        cmocka_unit_test(loops_that_amplify_are_solved),
        cmocka_unit_test(slow_parts_cross_windows),
        cmocka_unit_test(an_input_that_loses_its_effect),
        cmocka_unit_test(other_accelerations_are_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
