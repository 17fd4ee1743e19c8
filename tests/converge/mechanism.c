/* Mechanisms against exact solutions: formulations of constraints,
 * half-explicit methods, driven constraints, constraints between two
 * mechanisms.
 */
#include "check.h"
#include "yoke/mechanism.h"
#include "yoke/run.h"

#include <math.h>
#include <string.h>

static const double gravity = 9.81, swing = 1.0; /* rad, at the start */

/* ---- a pendulum ---------------------------------------------------------- */

static yoke_status pendulum_mass(void *self, const double *q, double *M,
                                 yoke_err *err)
{
    (void)self, (void)q, (void)err;
    M[0] = M[3] = 2.0;
    return YOKE_OK;
}

static yoke_status pendulum_force(void *self, double t, const double *q,
                                  const double *v, const double *u, double *phi,
                                  yoke_err *err)
{
    (void)self, (void)t, (void)q, (void)v, (void)u, (void)err;
    phi[1] = -2.0 * gravity;
    return YOKE_OK;
}

static yoke_status pendulum_rod(void *self, double t, const double *q,
                                const double *v, const yoke_motion *c,
                                yoke_err *err)
{
    (void)self, (void)t, (void)err;
    c->value[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    c->G[0] = 2.0 * q[0];
    c->G[1] = 2.0 * q[1];
    c->bend[0] = 2.0 * (v[0] * v[0] + v[1] * v[1]);
    return YOKE_OK;
}

static yoke_system *pendulum(yoke_formulation formulation)
{
    static const yoke_mechanism_ops ops = { .mass = pendulum_mass,
                                            .force = pendulum_force,
                                            .constrain = pendulum_rod };
    static const char *const q_name[] = { "x", "y" }, *const rod[] = { "rod" };
    const double q0[] = { sin(swing), -cos(swing) };
    const yoke_mechanism given = { .n = 2,
                                   .constraints = 1,
                                   .formulation = formulation,
                                   .eta = 20.0,
                                   .q0 = q0,
                                   .q_name = q_name,
                                   .constraint_name = rod };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_mechanism_create(&system, "p", &ops, NULL, &given, &err),
             &err);
    return system;
}

/* Angle at time t by many small classical steps. */
static double angle(double t)
{
    const int steps = 20000;
    const double h = t / steps;
    double a = swing, w = 0.0;

    for (int i = 0; i < steps; i++) {
        const double k1 = w, l1 = -gravity * sin(a);
        const double k2 = w + 0.5 * h * l1,
                     l2 = -gravity * sin(a + 0.5 * h * k1);
        const double k3 = w + 0.5 * h * l2,
                     l3 = -gravity * sin(a + 0.5 * h * k2);
        const double k4 = w + h * l3, l4 = -gravity * sin(a + h * k3);
        a += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        w += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    return a;
}

static yoke_stepper_options stepper_of(const char *method, double step)
{
    yoke_stepper_options o = yoke_stepper_defaults();
    yoke_err err;

    CHECK_OK(yoke_stepper_set(&o, "method", method, &err), &err);
    o.step = step;
    o.rtol = 1e-8;
    o.atol = 1e-10;
    return o;
}

static yoke_run *run_to(yoke_model *model, double stop, double window,
                        bool given)
{
    yoke_run_options o = yoke_run_defaults();
    yoke_run *run = NULL;
    yoke_err err;

    o.stop = stop;
    o.iterate.window = window;
    o.given = given;
    o.iterate.rtol = 1e-8;
    o.iterate.atol = 1e-10;
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(run, stop, &err), &err);
    return run;
}

static double value_of(const yoke_run *run, const char *name)
{
    double value = NAN;
    yoke_err err;

    CHECK_OK(yoke_run_value(run, name, &value, &err), &err);
    return value;
}

typedef struct result {
    double error; /* of the position at t = 1 */
    double drift, drift_v;
    double lambda;
} result;

static result swing_with(yoke_formulation formulation, const char *method,
                         double step)
{
    const yoke_stepper_options stepper = stepper_of(method, step);
    yoke_model *model = NULL;
    yoke_err err;

    CHECK_OK(yoke_model_create(&model, &err), &err);
    CHECK_OK(yoke_model_add(model, pendulum(formulation), &stepper, &err),
             &err);
    yoke_run *run = run_to(model, 1.0, 0.25, formulation != YOKE_STABILISED);
    const double a = angle(1.0);
    const result r = {
        .error =
            hypot(value_of(run, "p.x") - sin(a), value_of(run, "p.y") + cos(a)),
        .drift = fabs(value_of(run, "p.drift.rod")),
        .drift_v = fabs(value_of(run, "p.drift.rod.v")),
        .lambda = value_of(run, "p.lambda.rod"),
    };
    yoke_run_close(run, NULL);
    yoke_model_free(model);
    return r;
}

/* 2 lambda = m (w^2 + g cos a) with w^2 = 2 g (cos a - cos swing) */
static double exact_lambda(void)
{
    const double a = angle(1.0);

    return gravity * (3.0 * cos(a) - 2.0 * cos(swing));
}

static void every_formulation_swings_the_same_way(void **state)
{
    static const struct {
        yoke_formulation formulation;
        const char *method;
        double step, error, drift, drift_v, lambda;
    } row[] = {
        { YOKE_STABILISED, "radau5", 0.0, 1e-6, 1e-7, 1e-6, 1e-5 },
        { YOKE_STABILISED, "rk4", 1e-3, 1e-8, 1e-8, 1e-7, 1e-6 },
        { YOKE_STABILISED, "bdf2", 5e-4, 1e-4, 1e-5, 1e-4, 1e-3 },
        { YOKE_STABILISED, "stormer", 1e-3, 1e-4, 1e-4, 1e-3, 1e-3 },
        { YOKE_VELOCITY, "bdf2", 5e-4, 1e-4, 1e-3, 1e-9, 1e-2 },
        { YOKE_POSITION, "bdf2", 5e-4, 1e-4, 1e-9, 1e-2, 1e-2 },
        { YOKE_GGL, "bdf2", 5e-4, 1e-4, 1e-9, 1e-9, 1e-2 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const result r =
            swing_with(row[i].formulation, row[i].method, row[i].step);
        print_message("%d %s: error %.2g drift %.2g %.2g lambda %.2g\n",
                      (int)row[i].formulation, row[i].method, r.error, r.drift,
                      r.drift_v, r.lambda - exact_lambda());
        CHECK_BETWEEN(r.error, 0.0, row[i].error);
        CHECK_BETWEEN(r.drift, 0.0, row[i].drift);
        CHECK_BETWEEN(r.drift_v, 0.0, row[i].drift_v);
        CHECK_NEAR(r.lambda, exact_lambda(), row[i].lambda);
    }
}

static void half_explicit_methods_keep_their_order(void **state)
{
    (void)state;
    const double two = swing_with(YOKE_STABILISED, "stormer", 4e-3).error /
                       swing_with(YOKE_STABILISED, "stormer", 2e-3).error;
    const double four = swing_with(YOKE_STABILISED, "rk4", 0.01).error /
                        swing_with(YOKE_STABILISED, "rk4", 0.005).error;
    CHECK_BETWEEN(two, 3.7, 4.3);
    CHECK_BETWEEN(four, 13.0, 19.0);
}

/* ---- a driven mass ------------------------------------------------------- */

static void drive(void *context, double t, double *d)
{
    (void)context;
    d[0] = sin(3.0 * t);
    d[1] = 3.0 * cos(3.0 * t);
    d[2] = -9.0 * sin(3.0 * t);
}

/* 2 x'' = -5 x - lambda, x = sin 3t:  lambda = 18 x - 5 x. */
static void driven_constraint(void **state)
{
    const double one = 1.0;
    const yoke_mass mass = { "m", 2.0, 0.0, 3.0, false };
    const yoke_spring spring = { -1, 0, 5.0, 0.0, 0.0 };
    const yoke_bar bar = { "motor", &one, 0 };
    const yoke_masses given = { .masses = 1,
                                .springs = 1,
                                .bars = 1,
                                .mass = &mass,
                                .spring = &spring,
                                .bar = &bar,
                                .formulation = YOKE_STABILISED,
                                .eta = 10.0,
                                .lead = drive };
    const yoke_stepper_options stepper = stepper_of("rk4", 1e-3);
    yoke_system *system = NULL;
    yoke_model *model = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_masses_create(&system, "s", &given, &err), &err);
    CHECK_OK(yoke_model_create(&model, &err), &err);
    CHECK_OK(yoke_model_add(model, system, &stepper, &err), &err);
    yoke_run *run = run_to(model, 1.0, 0.5, false);
    CHECK_NEAR(value_of(run, "s.m"), sin(3.0), 1e-9);
    CHECK_NEAR(value_of(run, "s.m.a"), -9.0 * sin(3.0), 1e-7);
    CHECK_NEAR(value_of(run, "s.lambda.motor"), 13.0 * sin(3.0), 1e-6);
    yoke_run_close(run, NULL);
    yoke_model_free(model);
}

/* ---- two mechanisms and a constraint between them ------------------------ */

static yoke_system *oscillator(const char *name, double mass, double k)
{
    const yoke_mass body = { "x", mass, 1.0, 0.0, true };
    const yoke_spring spring = { -1, 0, k, 0.0, 0.0 };
    const yoke_masses given = {
        .masses = 1, .springs = 1, .mass = &body, .spring = &spring
    };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_masses_create(&system, name, &given, &err), &err);
    return system;
}

/* m1 = 1, m2 = 3, held together: x = cos(w t), w^2 = (k1 + k2) / 4. */
static void check_form(yoke_form form, const char *method, double step,
                       double position, double force)
{
    static const char *const output[] = { "a.x", "b.x" };
    static const double weight[] = { 1.0, -1.0 };
    const double lambda0 = -1.0; /* at the start: w^2 - k1 */
    const yoke_constraint joint = { .count = 1,
                                    .outputs = 2,
                                    .output = output,
                                    .weight = weight,
                                    .form = form,
                                    .eta = 20.0,
                                    .start = &lambda0,
                                    .owner = "a" };
    const yoke_stepper_options stepper = stepper_of(method, step);
    const double w = sqrt(0.25 * (10.0 + 26.0)), k1 = 10.0, m1 = 1.0;
    yoke_model *model = NULL;
    yoke_err err;

    CHECK_OK(yoke_model_create(&model, &err), &err);
    yoke_graph *g = yoke_model_graph(model);
    CHECK_OK(yoke_model_add(model, oscillator("a", m1, k1), &stepper, &err),
             &err);
    CHECK_OK(yoke_model_add(model, oscillator("b", 3.0, 26.0), &stepper, &err),
             &err);
    CHECK_OK(yoke_graph_constraint(g, "joint", &joint, &err), &err);
    CHECK_OK(yoke_graph_signal(g, "a.x.force", "joint.lambda", -1.0, &err),
             &err);
    CHECK_OK(yoke_graph_signal(g, "b.x.force", "joint.lambda", 1.0, &err),
             &err);
    yoke_run *run = run_to(model, 1.0, 0.02, form != YOKE_FORM_STABILISED);
    CHECK_NEAR(value_of(run, "a.x"), cos(w), position);
    CHECK_NEAR(value_of(run, "b.x"), cos(w), position);
    CHECK_NEAR(value_of(run, "joint.lambda"), (m1 * w * w - k1) * cos(w),
               force);
    yoke_run_close(run, NULL);
    yoke_model_free(model);
}

static void forms_of_a_constraint_agree(void **state)
{
    (void)state;
    check_form(YOKE_FORM_STABILISED, "radau5", 0.0, 1e-5, 1e-3);
    check_form(YOKE_FORM_STABILISED, "rk4", 1e-3, 1e-5, 1e-3);
    check_form(YOKE_FORM_STABILISED, "stormer", 1e-3, 1e-4, 1e-2);
    check_form(YOKE_FORM_VELOCITY, "bdf2", 1e-3, 1e-3, 0.1);
    check_form(YOKE_FORM_POSITION, "bdf2", 1e-3, 1e-3, 0.1);
}

/* ---- dense output -------------------------------------------------------- */

static void dense_output_of_stages_is_for_two_methods(void **state)
{
    yoke_stepper_options stepper = stepper_of("radau5", 0.0);
    yoke_propagator p;
    yoke_system *system = oscillator("a", 1.0, 10.0);
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_stepper_set(&stepper, "dense", "stages", &err), &err);
    CHECK_STATUS(yoke_stepper_create(&p, system, &stepper, 0, NULL, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "method radau5 has no dense output \"stages\"");
    yoke_system_free(system);
}

/* Largest error of the acceleration of x = cos(w t) between the points: h^2 if
 * it is linear there (Stoermer), h^3 if quadratic (rk4). */
static double worst_inside(const char *method, const char *dense, double h)
{
    static const int watch[] = { 2 }; /* x.a */
    yoke_stepper_options stepper = stepper_of(method, h);
    yoke_system *system = oscillator("a", 1.0, 10.0);
    yoke_propagator p;
    yoke_wave *u = NULL, *y = NULL;
    const double zero = 0.0, w = sqrt(10.0);
    double y0[3], worst = 0.0;
    yoke_err err;

    CHECK_OK(yoke_stepper_set(&stepper, "dense", dense, &err), &err);
    CHECK_OK(yoke_stepper_create(&p, system, &stepper, 1, watch, &err), &err);
    CHECK_OK(yoke_wave_create(&u, 1, &err), &err);
    CHECK_OK(yoke_wave_create(&y, 3, &err), &err);
    yoke_wave_clear(u, 0.0);
    CHECK_OK(yoke_wave_append_constant(u, 1.0, &zero, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, &zero, y0, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, 1.0, u, y, &err), &err);
    for (int k = 300; k <= 1000; k++) {
        double a = 0.0;
        yoke_wave_eval(p.ops->watched(p.self), 1e-3 * k, NULL, &a);
        worst = fmax(worst, fabs(a + 10.0 * cos(w * 1e-3 * k)));
    }
    p.ops->free(p.self);
    yoke_wave_free(u);
    yoke_wave_free(y);
    yoke_system_free(system);
    return worst;
}

static void accelerations_between_the_points_have_their_order(void **state)
{
    (void)state;
    CHECK_BETWEEN(worst_inside("stormer", "stages", 0.02) /
                      worst_inside("stormer", "stages", 0.01),
                  3.4, 4.6);
    CHECK_BETWEEN(worst_inside("stormer", "natural", 0.02) /
                      worst_inside("stormer", "natural", 0.01),
                  3.4, 4.6);
    CHECK_BETWEEN(worst_inside("rk4", "stages", 0.02) /
                      worst_inside("rk4", "stages", 0.01),
                  6.5, 9.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_formulation_swings_the_same_way),
        cmocka_unit_test(half_explicit_methods_keep_their_order),
        cmocka_unit_test(driven_constraint),
        cmocka_unit_test(forms_of_a_constraint_agree),
        cmocka_unit_test(dense_output_of_stages_is_for_two_methods),
        cmocka_unit_test(accelerations_between_the_points_have_their_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
