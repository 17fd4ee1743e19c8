/* run/apart_test.c -- multipliers of constraints that stay apart against closed
 * forms: one sweep per window, and as accurate as the states. */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

static yoke_run_options apart(double rtol)
{
    yoke_run_options o = yoke_run_defaults();

    set(&o, "cluster", "none");
    set(&o, "given", "true");
    o.iterate.rtol = rtol;
    o.iterate.atol = 1e-3 * rtol;
    o.stop = 4.0;
    return o;
}

static void tie(yoke_model *model, yoke_constraint *c, const char *first,
                const char *second)
{
    const char *const output[] = { first, second };
    yoke_err err;

    c->count = 1;
    c->outputs = 2;
    c->output = output;
    c->owner = "b";
    c->may_stay = true;
    CHECK_OK(yoke_graph_constraint(yoke_model_graph(model), "tie", c, &err),
             &err);
}

/* The subsystems that are solved, and whether this is told about them. */
static int solved_as(const yoke_run *run, const char *rung, bool *told)
{
    yoke_run_result r;
    yoke_ladder_step step;

    *told = false;
    for (int i = 0; yoke_run_step(run, i, &step); i++)
        *told = *told || strcmp(step.rung, rung) == 0;
    yoke_run_summary(run, &r);
    return r.subsystems;
}

/* One sweep per window but for the first ones. */
static void takes_one_sweep(yoke_run *run)
{
    yoke_run_result r;

    yoke_run_summary(run, &r);
    assert_true(r.iterate.windows > 10);
    assert_true((double)r.iterate.sweeps <= 1.2 * r.iterate.windows + 2);
}

static void done(yoke_run *run, yoke_model *model)
{
    yoke_err err;

    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

/* ---- two masses, held together ------------------------------------------- */

static void add_mass(yoke_model *model, const char *name, double mass,
                     double stiffness)
{
    static const double start[] = { 1.0, 0.0 };
    const double A[] = { 0.0, 1.0, -stiffness / mass, 0.0 };
    const double B[] = { 0.0, 1.0 / mass };
    const yoke_linear linear = { .n = 2, .m = 1, .A = A, .B = B, .x0 = start };

    add_linear(model, name, &linear, NULL);
}

/* q = cos w t, w^2 = sum k / sum m; lambda = (k - m w^2) q of either mass. */
static void masses_of_any_ratio(const char *first, const char *second,
                                const char *cluster, double mu, double rtol)
{
    static const double weight[] = { 1.0, -1.0 };
    const double k1 = 1.0, k2 = 9.0 * mu;
    const double w = sqrt((k1 + k2) / (1.0 + mu));
    const double start = k1 - w * w;
    yoke_constraint c = { .weight = weight, .start = &start };
    yoke_run_options o = apart(rtol);
    yoke_model *model = new_model();
    yoke_run *run = NULL;
    yoke_err err;

    set(&o, "cluster", cluster);
    add_mass(model, "a", 1.0, k1);
    add_mass(model, "b", mu, k2);
    tie(model, &c, first, second);
    connect(model, "a.u1", "tie.lambda", 1.0);
    connect(model, "b.u1", "tie.lambda", -1.0);
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    for (double t = 0.37; t < 4.0; t += 0.37) {
        CHECK_OK(yoke_run_advance(run, t, &err), &err);
        CHECK_NEAR(value_of(run, "a.x1"), cos(w * t), 5.0 * rtol);
        CHECK_NEAR(value_of(run, "b.x1"), cos(w * t), 5.0 * rtol);
        CHECK_NEAR(value_of(run, "tie.lambda"), (k1 - w * w) * cos(w * t),
                   5.0 * rtol * fabs(k1 - w * w));
    }
    takes_one_sweep(run);
    done(run, model);
}

static void the_mass_ratio_does_not_matter(void **state)
{
    (void)state;
    for (double mu = 1e-3; mu < 2e3; mu *= 1e3) {
        masses_of_any_ratio("a.x1", "b.x1", "none", mu, 1e-6); /* index 3 */
        masses_of_any_ratio("a.x2", "b.x2", "none", mu, 1e-6); /* index 2 */
    }
    masses_of_any_ratio("a.x1", "b.x1", "none", 1.0, 1e-4);
    masses_of_any_ratio("a.x1", "b.x1", "none", 1.0, 1e-8);
}

/* Merged only if they fail: with an owner their multipliers would be derivatives of
 * waveforms. */
static void nothing_fails_apart(void **state)
{
    (void)state;
    for (double mu = 1e-3; mu < 2e3; mu *= 1e3)
        masses_of_any_ratio("a.x1", "b.x1", "failing", mu, 1e-6);
    masses_of_any_ratio("a.x1", "b.x1", "failing", 1.0, 1e-8);
    masses_of_any_ratio("a.x2", "b.x2", "failing", 1.0, 1e-8);
}

/* ---- a pendulum, cut into its two directions ------------------------------ */

typedef struct direction {
    double gravity;
} direction;

/* x'' = -lambda x - g */
static yoke_status direction_rhs(void *self, double t, const double *x,
                                 const double *u, double *xdot, yoke_err *err)
{
    const direction *d = self;

    (void)t, (void)err;
    xdot[0] = x[1];
    xdot[1] = -u[0] * x[0] - d->gravity;
    return YOKE_OK;
}

static void add_direction(yoke_model *model, const char *name, direction *d,
                          double x)
{
    static const yoke_system_ops ops = { .kind = "direction",
                                         .rhs = direction_rhs };
    const double start[] = { x, 0.0 };
    const yoke_system_info info = { .n = 2, .m = 1, .x0 = start };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_system_create(&system, name, &ops, d, &info, &err), &err);
    add_system(model, system, NULL);
}

static void circle(void *context, double t, const double *y, double *g)
{
    (void)context, (void)t;
    g[0] = 0.5 * (y[0] * y[0] + y[1] * y[1] - 1.0);
}

static void circle_slopes(void *context, double t, const double *y,
                          double *slope)
{
    (void)context, (void)t;
    slope[0] = y[0];
    slope[1] = y[1];
}

/* From rest at (1, 0): x^2 + y^2 = 1, v^2 = -2 g y and
 * lambda = v^2 - g y = -3 g y wherever it is. */
static void pendulum_of_two_parts(const char *cluster)
{
    static const double rtol = 1e-6, g = 9.81;
    direction across = { 0.0 }, down = { g };
    yoke_constraint c = { .function = circle, .slopes = circle_slopes };
    yoke_run_options o = apart(rtol);
    yoke_model *model = new_model();
    yoke_run *run = NULL;
    yoke_err err;
    bool told = false;

    set(&o, "cluster", cluster);
    add_direction(model, "a", &across, 1.0);
    add_direction(model, "b", &down, 0.0);
    tie(model, &c, "a.x1", "b.x1");
    connect(model, "a.u1", "tie.lambda", 1.0);
    connect(model, "b.u1", "tie.lambda", 1.0);
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    for (double t = 0.11; t < 2.0; t += 0.11) {
        CHECK_OK(yoke_run_advance(run, t, &err), &err);
        const double x = value_of(run, "a.x1"), y = value_of(run, "b.x1");
        const double vx = value_of(run, "a.x2"), vy = value_of(run, "b.x2");
        CHECK_NEAR(x * x + y * y, 1.0, rtol);
        CHECK_NEAR(x * vx + y * vy, 0.0, 10.0 * rtol);
        CHECK_NEAR(vx * vx + vy * vy, -2.0 * g * y, 20.0 * g * rtol);
        CHECK_NEAR(value_of(run, "tie.lambda"), -3.0 * g * y, 20.0 * g * rtol);
    }
    takes_one_sweep(run);
    assert_int_equal(solved_as(run, "apart", &told), 3);
    assert_int_equal(told, strcmp(cluster, "auto") == 0);
    done(run, model);
}

static void a_pendulum_of_two_parts(void **state)
{
    (void)state;
    pendulum_of_two_parts("none");
    pendulum_of_two_parts("auto"); /* as one, it would cost more */
}

/* Where the program may choose, masses that are joined along a line are one system: it
 * has the same steps, and they cost less. */
static void what_costs_less_as_one_is_merged(void **state)
{
    static const double weight[] = { 1.0, -1.0 };
    yoke_constraint c = { .weight = weight };
    yoke_run_options o = apart(1e-7);
    yoke_model *model = new_model();
    yoke_run *run = NULL;
    bool told = false;
    yoke_err err;
    (void)state;

    set(&o, "cluster", "auto");
    set(&o, "given", "false");
    add_mass(model, "a", 1.0, 1.0);
    add_mass(model, "b", 2.0, 5.0);
    tie(model, &c, "a.x1", "b.x1");
    connect(model, "a.u1", "tie.lambda", 1.0);
    connect(model, "b.u1", "tie.lambda", -1.0);
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    assert_int_equal(solved_as(run, "apart", &told), 1);
    assert_false(told);
    done(run, model);
}

/* ---- a past, and none to be corrected ------------------------------------- */

/* Windows of other lengths have other steps: backward differentiation begins
 * anew in each, sweeps are repeated, and right. */
static void steps_that_begin_anew_repeat_sweeps(void **state)
{
    static const double weight[] = { 1.0, -1.0 };
    const yoke_stepper_options fixed = stepper("bdf2", 1e-3);
    const double A[] = { 0.0, 1.0, -1.0, 0.0 }, B[] = { 0.0, 1.0 };
    static const double start[] = { 1.0, 0.0 };
    const yoke_linear linear = { .n = 2, .m = 1, .A = A, .B = B, .x0 = start };
    yoke_constraint c = { .weight = weight };
    const yoke_run_options o = apart(1e-5);
    yoke_model *model = new_model();
    yoke_run_result r;
    yoke_run *run = NULL;
    yoke_err err;
    (void)state;

    add_linear(model, "a", &linear, &fixed);
    add_linear(model, "b", &linear, &fixed);
    tie(model, &c, "a.x2", "b.x2");
    connect(model, "a.u1", "tie.lambda", 1.0);
    connect(model, "b.u1", "tie.lambda", -1.0);
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
    CHECK_NEAR(value_of(run, "a.x1"), cos(1.0), 1e-5);
    CHECK_NEAR(value_of(run, "tie.lambda"), 0.0, 1e-5);
    yoke_run_summary(run, &r);
    assert_true(r.iterate.sweeps >= r.iterate.windows);
    done(run, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mass_ratio_does_not_matter),
        cmocka_unit_test(nothing_fails_apart),
        cmocka_unit_test(a_pendulum_of_two_parts),
        cmocka_unit_test(what_costs_less_as_one_is_merged),
        cmocka_unit_test(steps_that_begin_anew_repeat_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
