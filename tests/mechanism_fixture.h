/* mechanism_fixture.h -- small mechanisms with known motions, for tests. */
#ifndef YK_MECHANISM_FIXTURE_H
#define YK_MECHANISM_FIXTURE_H

#include "check.h"
#include "comp/mechanism/masses.h"
#include "yoke/mechanism.h"
#include "yoke/run.h"

#include <math.h>

/* ---- a pendulum of 2 kg on a rod of 1 m, in x and y ---------------------- */

enum { PENDULUM_MASS = 2 };

static const double pendulum_gravity = 9.81;

static inline yoke_status pendulum_mass(void *self, const double *q, double *M,
                                        yoke_err *err)
{
    (void)self, (void)q, (void)err;
    M[0] = M[3] = PENDULUM_MASS;
    return YOKE_OK;
}

static inline yoke_status pendulum_force(void *self, double t, const double *q,
                                         const double *v, const double *u,
                                         double *phi, yoke_err *err)
{
    (void)self, (void)t, (void)q, (void)v, (void)u, (void)err;
    phi[1] = -PENDULUM_MASS * pendulum_gravity;
    return YOKE_OK;
}

static inline yoke_status pendulum_rod(void *self, double t, const double *q,
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

/* q0, v0 may be NULL: zero. */
static inline yoke_status pendulum_create(yoke_system **out, const char *name,
                                          yoke_formulation formulation,
                                          double eta, const double *q0,
                                          const double *v0, yoke_err *err)
{
    static const yoke_mechanism_ops ops = { .mass = pendulum_mass,
                                            .force = pendulum_force,
                                            .constrain = pendulum_rod };
    static const char *const q_name[] = { "x", "y" }, *const rod[] = { "rod" };
    const yoke_mechanism given = { .n = 2,
                                   .constraints = 1,
                                   .formulation = formulation,
                                   .eta = eta,
                                   .q0 = q0,
                                   .v0 = v0,
                                   .q_name = q_name,
                                   .constraint_name = rod };

    return yoke_mechanism_create(out, name, &ops, NULL, &given, err);
}

/* The pendulum "p" that starts at rest at the angle `swing` from hanging. */
static inline yoke_system *pendulum_at(yoke_formulation formulation, double eta,
                                       double swing)
{
    const double q0[] = { sin(swing), -cos(swing) };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(pendulum_create(&system, "p", formulation, eta, q0, NULL, &err),
             &err);
    return system;
}

/* Its angle, and the rate, by many small classical steps. */
static inline double pendulum_angle(double swing, double t, int steps,
                                    double *rate)
{
    const double g = pendulum_gravity, h = t / steps;
    double a = swing, w = 0.0;

    for (int i = 0; i < steps; i++) {
        const double k1 = w, l1 = -g * sin(a);
        const double k2 = w + 0.5 * h * l1, l2 = -g * sin(a + 0.5 * h * k1);
        const double k3 = w + 0.5 * h * l2, l3 = -g * sin(a + 0.5 * h * k2);
        const double k4 = w + h * l3, l4 = -g * sin(a + h * k3);
        a += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        w += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
    }
    if (rate) *rate = w;
    return a;
}

/* 2 lambda = m (w^2 + g cos a) with w^2 = 2 g (cos a - cos swing) */
static inline double pendulum_lambda(double swing, double angle)
{
    return pendulum_gravity * (3.0 * cos(angle) - 2.0 * cos(swing));
}

/* ---- a driven mass: 2 x'' = -5 x - lambda, x = sin 3t -------------------- */

static inline void driven_lead(void *context, double t, double *d)
{
    (void)context;
    d[0] = sin(3.0 * t);
    d[1] = 3.0 * cos(3.0 * t);
    d[2] = -9.0 * sin(3.0 * t);
}

/* lambda = 18 x - 5 x */
static inline double driven_lambda(double t)
{
    return 13.0 * sin(3.0 * t);
}

static inline yoke_system *driven_mass(yoke_formulation formulation, double eta)
{
    const double one = 1.0;
    const yk_masses_mass mass = { "m", 2.0, 0.0, 3.0, false };
    const yk_masses_spring spring = { -1, 0, 5.0, 0.0, 0.0 };
    const yk_masses_bar bar = { "motor", &one, 0 };
    const yk_masses given = { .masses = 1,
                              .springs = 1,
                              .bars = 1,
                              .mass = &mass,
                              .spring = &spring,
                              .bar = &bar,
                              .formulation = formulation,
                              .eta = eta,
                              .lead = driven_lead };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yk_masses_create(&system, "s", &given, &err), &err);
    return system;
}

/* ---- two oscillators held together --------------------------------------- */

/* A mass at x = 1 on a spring, with an input. */
static inline yoke_system *oscillator(const char *name, double mass, double k)
{
    const yk_masses_mass body = { "x", mass, 1.0, 0.0, true };
    const yk_masses_spring spring = { -1, 0, k, 0.0, 0.0 };
    const yk_masses given = {
        .masses = 1, .springs = 1, .mass = &body, .spring = &spring
    };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yk_masses_create(&system, name, &given, &err), &err);
    return system;
}

/* m1 = 1, k1 = 10, m2 = 3, k2 = 26: x = cos 3t, lambda = (9 m1 - k1) x = -x. */
static inline yoke_model *joined_oscillators(
    yoke_form form, double eta, const yoke_stepper_options *stepper)
{
    static const char *const output[] = { "a.x", "b.x" };
    static const double weight[] = { 1.0, -1.0 }, lambda0 = -1.0;
    const yoke_constraint joint = { .count = 1,
                                    .outputs = 2,
                                    .output = output,
                                    .weight = weight,
                                    .form = form,
                                    .eta = eta,
                                    .start = &lambda0,
                                    .owner = "a" };
    yoke_model *model = NULL;
    yoke_err err;

    CHECK_OK(yoke_model_create(&model, &err), &err);
    yoke_graph *g = yoke_model_graph(model);
    CHECK_OK(yoke_model_add(model, oscillator("a", 1.0, 10.0), stepper, &err),
             &err);
    CHECK_OK(yoke_model_add(model, oscillator("b", 3.0, 26.0), stepper, &err),
             &err);
    CHECK_OK(yoke_graph_constraint(g, "joint", &joint, &err), &err);
    CHECK_OK(yoke_graph_signal(g, "a.x.force", "joint.lambda", -1.0, &err),
             &err);
    CHECK_OK(yoke_graph_signal(g, "b.x.force", "joint.lambda", 1.0, &err),
             &err);
    return model;
}

/* ---- runs ---------------------------------------------------------------- */

/* Takes the system. */
static inline yoke_model *model_of(yoke_system *system,
                                   const yoke_stepper_options *stepper)
{
    yoke_model *model = NULL;
    yoke_err err;

    CHECK_OK(yoke_model_create(&model, &err), &err);
    CHECK_OK(yoke_model_add(model, system, stepper, &err), &err);
    return model;
}

static inline yoke_stepper_options stepper_of(const char *method, double step,
                                              double rtol, double atol)
{
    yoke_stepper_options o = yoke_stepper_defaults();
    yoke_err err;

    CHECK_OK(yoke_stepper_set(&o, "method", method, &err), &err);
    o.step = step;
    o.rtol = rtol;
    o.atol = atol;
    return o;
}

static inline double value_of(const yoke_run *run, const char *name)
{
    double value = NAN;
    yoke_err err;

    CHECK_OK(yoke_run_value(run, name, &value, &err), &err);
    return value;
}

#endif
