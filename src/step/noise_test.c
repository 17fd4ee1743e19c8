/* step/noise_test.c -- equations that repeat to six digits only.
 *
 *     x' = -x z,    0 = z - x^2,    x(0) = 1,    x = 1 / sqrt(1 + 2 t),
 *
 * with noise in the second one, as of a solver inside.  The increments of
 * Newton's method end at the noise, half a tolerance, which is more than kappa
 * and more than rounding (YK_STEP_ROUNDING_KAPPA).
 */
#include "check.h"

#include "step/steppers.h"
#include "yoke/stepper.h"

#include <math.h>

static yoke_status eval(void *self, double t, const double *x, const double *u,
                        double *q, double *f, yoke_err *err)
{
    const double noise = *(const double *)self;

    (void)t, (void)u, (void)err;
    if (q) q[0] = x[0], q[1] = 0.0;
    if (f) {
        f[0] = x[0] * x[1];
        f[1] = x[1] - x[0] * x[0] + noise * sin(1e12 * x[1]);
    }
    return YOKE_OK;
}

static yoke_status jacobian(void *self, double t, const double *x,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    jac->C[0] = 1.0;
    jac->G[0] = x[1];
    jac->G[1] = -2.0 * x[0];
    jac->G[2] = x[0];
    jac->G[3] = 1.0;
    return YOKE_OK;
}

/* The error at t = 2, in tolerances. */
static double off(const char *method, double noise)
{
    static const int C_start[] = { 0, 1, 1 }, C_row[] = { 0 };
    static const int G_start[] = { 0, 2, 4 }, G_row[] = { 0, 1, 0, 1 };
    const yoke_pattern C = { 2, 2, (int *)C_start, (int *)C_row };
    const yoke_pattern G = { 2, 2, (int *)G_start, (int *)G_row };
    const yoke_system_ops ops = { .kind = "test",
                                  .eval = eval,
                                  .jacobian = jacobian };
    const double x0[] = { 1.0, 1.0 };
    const yoke_system_info info = { .n = 2, .x0 = x0, .C = &C, .G = &G };
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yoke_system *system = NULL;
    yk_wave *y = NULL;
    yoke_err err;
    double x[2];

    CHECK_OK(yoke_stepper_set(&o, "method", method, &err), &err);
    o.rtol = o.atol = 1e-6;
    o.given = true;
    CHECK_OK(yoke_system_create(&system, "part", &ops, &noise, &info, &err),
             &err);
    CHECK_OK(yk_stepper_create(&p, system, &o, 0, NULL, &err), &err);
    CHECK_OK(yk_wave_create(&y, 2, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, x, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, 2.0, NULL, y, &err), &err);
    yk_wave_eval(y, 2.0, NULL, x);
    p.ops->free(p.self);
    yk_wave_free(y);
    yoke_system_free(system);
    return fabs(x[0] - 1.0 / sqrt(5.0)) / (2.0 * o.rtol);
}

static void increments_may_end_at_noise(void **state)
{
    static const char *const method[] = { "trbdf2", "genalpha" };

    (void)state;
    for (int m = 0; m < 2; m++) {
        const double error = off(method[m], 1e-6);
        print_message("%s: %.2g\n", method[m], error);
        CHECK_BETWEEN(error, 0.0, 10.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(increments_may_end_at_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
