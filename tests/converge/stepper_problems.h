/* Problems with exact solutions for the time stepping methods. */
#ifndef YK_TESTS_STEPPER_PROBLEMS_H
#define YK_TESTS_STEPPER_PROBLEMS_H

#include "yoke/stepper.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_UNKNOWNS = 4 };

typedef struct problem {
    const char *name;
    yoke_system_ops ops;
    yoke_system_info info;
    void (*exact)(double t, double *x);
    double (*input)(double t); /* a polynomial of degree 3 at most, or NULL */
    double end;
    bool late; /* errors count from the second half on: the multipliers have
                  lower order in the first steps */
} problem;

/* x' = -x^2, explicit right side. */
static yoke_status square_rhs(void *self, double t, const double *x,
                              const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = -x[0] * x[0];
    return YOKE_OK;
}

static void square_exact(double t, double *x)
{
    x[0] = 1.0 / (1.0 + t);
}

/* d/dt (x + x^3 / 3) + x^2 + x^4 = 0, the same solution. */
static yoke_status charge_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    const double z = x[0];

    (void)self, (void)t, (void)u, (void)err;
    if (q) q[0] = z + z * z * z / 3.0;
    if (f) f[0] = z * z + z * z * z * z;
    return YOKE_OK;
}

/* x' = lambda (x - cos t) - sin t, Prothero and Robinson. */
static yoke_status stiff_eval(void *self, double t, const double *x,
                              const double *u, double *q, double *f,
                              yoke_err *err)
{
    (void)self, (void)u, (void)err;
    if (q) q[0] = x[0];
    if (f) f[0] = 1e4 * (x[0] - cos(t)) + sin(t);
    return YOKE_OK;
}

static void stiff_exact(double t, double *x)
{
    x[0] = cos(t);
}

/* p' = v, v' = -p. */
static yoke_status oscillator_rhs(void *self, double t, const double *x,
                                  const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = x[1];
    xdot[1] = -x[0];
    return YOKE_OK;
}

static void oscillator_exact(double t, double *x)
{
    x[0] = cos(t);
    x[1] = -sin(t);
}

/* p' = v, v' = a, 0 = 2 a + 2 p: a mechanism with the mass in its own row. */
static yoke_status mechanism_eval(void *self, double t, const double *x,
                                  const double *u, double *q, double *f,
                                  yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    if (q) {
        q[0] = x[0];
        q[1] = x[1];
        q[2] = 0.0;
    }
    if (f) {
        f[0] = -x[1];
        f[1] = -x[2];
        f[2] = 2.0 * x[2] + 2.0 * x[0];
    }
    return YOKE_OK;
}

static void mechanism_exact(double t, double *x)
{
    x[0] = cos(t);
    x[1] = -sin(t);
    x[2] = -cos(t);
}

/* x' = z, 0 = z + x^2 + (z + x^2)^3: index 1. */
static yoke_status index1_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    const double g = x[1] + x[0] * x[0];

    (void)self, (void)t, (void)u, (void)err;
    if (q) {
        q[0] = x[0];
        q[1] = 0.0;
    }
    if (f) {
        f[0] = -x[1];
        f[1] = g + g * g * g;
    }
    return YOKE_OK;
}

static void index1_exact(double t, double *x)
{
    x[0] = 1.0 / (1.0 + t);
    x[1] = -x[0] * x[0];
}

static double parabola(double t)
{
    return t * t;
}

/* x' = -x + u. */
static yoke_status driven_rhs(void *self, double t, const double *x,
                              const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = -x[0] + u[0];
    return YOKE_OK;
}

static void driven_exact(double t, double *x)
{
    x[0] = t * t - 2.0 * t + 2.0 - exp(-t);
}

/* d/dt (x + u) + x = 0: the derivative of the input acts. */
static yoke_status coupled_eval(void *self, double t, const double *x,
                                const double *u, double *q, double *f,
                                yoke_err *err)
{
    (void)self, (void)t, (void)err;
    if (q) q[0] = x[0] + u[0];
    if (f) f[0] = x[0];
    return YOKE_OK;
}

static void coupled_exact(double t, double *x)
{
    x[0] = 2.0 - 2.0 * t - exp(-t);
}

/* x1' = z, x2' = -x2 + z + x1 - sin t, 0 = x1 - sin t: index 2. */
static yoke_status index2_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    (void)self, (void)u, (void)err;
    if (q) {
        q[0] = x[0];
        q[1] = x[1];
        q[2] = 0.0;
    }
    if (f) {
        f[0] = -x[2];
        f[1] = x[1] - x[2] - x[0] + sin(t);
        f[2] = x[0] - sin(t);
    }
    return YOKE_OK;
}

static void index2_exact(double t, double *x)
{
    x[0] = sin(t);
    x[1] = 0.5 * (cos(t) + sin(t));
    x[2] = cos(t);
}

/* p' = v, v' = -2 p + lambda, 0 = p - sin t: index 3. */
static yoke_status index3_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    (void)self, (void)u, (void)err;
    if (q) {
        q[0] = x[0];
        q[1] = x[1];
        q[2] = 0.0;
    }
    if (f) {
        f[0] = -x[1];
        f[1] = 2.0 * x[0] - x[2];
        f[2] = x[0] - sin(t);
    }
    return YOKE_OK;
}

static void index3_exact(double t, double *x)
{
    x[0] = sin(t);
    x[1] = cos(t);
    x[2] = sin(t);
}

static const problem square = {
    "x' = -x^2", { .kind = "test", .rhs = square_rhs },
    { .n = 1 },  square_exact,
    NULL,        1.0,
    false
};
static const problem charge = { "nonlinear charge",
                                { .kind = "test", .eval = charge_eval },
                                { .n = 1 },
                                square_exact,
                                NULL,
                                1.0,
                                false };
static const problem stiff = { "Prothero-Robinson",
                               { .kind = "test", .eval = stiff_eval },
                               { .n = 1 },
                               stiff_exact,
                               NULL,
                               1.0,
                               false };
static const problem oscillator = { "oscillator",
                                    { .kind = "test", .rhs = oscillator_rhs },
                                    { .n = 2, .positions = 1 },
                                    oscillator_exact,
                                    NULL,
                                    2.0,
                                    false };
static const problem mechanism = { "mechanism",
                                   { .kind = "test", .eval = mechanism_eval },
                                   { .n = 3, .positions = 1 },
                                   mechanism_exact,
                                   NULL,
                                   2.0,
                                   false };
static const problem index1 = {
    "index 1",  { .kind = "test", .eval = index1_eval },
    { .n = 2 }, index1_exact,
    NULL,       1.0,
    false
};
static const problem driven = { "input",
                                { .kind = "test", .rhs = driven_rhs },
                                { .n = 1, .m = 1, .flags = YOKE_AFFINE },
                                driven_exact,
                                parabola,
                                1.0,
                                false };
static const problem coupled = { "input in the charge",
                                 { .kind = "test", .eval = coupled_eval },
                                 { .n = 1, .m = 1 },
                                 coupled_exact,
                                 parabola,
                                 1.0,
                                 false };
static const problem coupled_affine = {
    "input in the charge, affine",
    { .kind = "test", .eval = coupled_eval },
    { .n = 1, .m = 1, .flags = YOKE_AFFINE },
    coupled_exact,
    parabola,
    1.0,
    false
};
static const problem index2 = { "index 2",
                                { .kind = "test", .eval = index2_eval },
                                { .n = 3, .flags = YOKE_AFFINE },
                                index2_exact,
                                NULL,
                                1.0,
                                false };
static const problem index3 = {
    "index 3",  { .kind = "test", .eval = index3_eval },
    { .n = 3 }, index3_exact,
    NULL,       1.0,
    true
};
static const problem index3_short = { "index 3, short",
                                      { .kind = "test", .eval = index3_eval },
                                      { .n = 3 },
                                      index3_exact,
                                      NULL,
                                      1e-4,
                                      true };

#endif
