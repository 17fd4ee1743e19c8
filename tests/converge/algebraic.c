/* Algebraic unknowns that bend: Newton's method of a step may end only when
 * they are found, and must not pay a whole iteration to know it. */
#include "check.h"

#include "step/steppers.h"
#include "yoke/stepper.h"

#include <math.h>
#include <stdio.h>

static const double stop = 40.0;

/* p' = r, r' = -p, z = c p^2: unknowns p, r, z; p = cos t. */
static yoke_status eval(void *self, double t, const double *x, const double *u,
                        double *q, double *f, yoke_err *err)
{
    const double c = *(const double *)self;

    (void)t, (void)u, (void)err;
    if (q) q[0] = x[0], q[1] = x[1], q[2] = 0.0;
    if (f) f[0] = -x[1], f[1] = x[0], f[2] = x[2] - c * x[0] * x[0];
    return YOKE_OK;
}

/* The largest error of z at 4000 points, in tolerances, and residuals per
 * step. */
static double error_of_z(double c, double rtol, double *cost)
{
    static const yoke_system_ops ops = { .kind = "square", .eval = eval };
    const double x0[] = { 1.0, 0.0, c }, nominal[] = { 1.0, 1.0, c };
    const yoke_system_info info = { .n = 3, .x0 = x0, .nominal = nominal };
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yoke_system *system = NULL;
    yk_wave *u = NULL, *y = NULL;
    yoke_err err = { YOKE_OK, "" };
    double y0[3], worst = 0.0;
    yoke_work work;

    CHECK_OK(yoke_system_create(&system, "square", &ops, &c, &info, &err),
             &err);
    snprintf(o.method, sizeof o.method, "radau5");
    o.span = stop;
    o.rtol = rtol;
    o.atol = 1e-3 * rtol;
    CHECK_OK(yk_stepper_create(&p, system, &o, 0, NULL, &err), &err);
    CHECK_OK(yk_wave_create(&u, 0, &err), &err);
    CHECK_OK(yk_wave_create(&y, 3, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, y0, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, stop, u, y, &err), &err);
    for (int i = 0; i <= 4000; i++) {
        double x[3];
        yk_wave_eval(y, stop * i / 4000.0, NULL, x);
        /* Against its own p: what Newton's method and the polynomial leave. */
        const double z = c * x[0] * x[0];
        worst = fmax(worst, fabs(x[2] - z) / (rtol * (fabs(z) + 0.1 * c)));
    }
    p.ops->work(p.self, &work);
    *cost = (double)work.residuals / (double)(work.steps + work.rejected);
    p.ops->free(p.self);
    yk_wave_free(u);
    yk_wave_free(y);
    yoke_system_free(system);
    return worst;
}

static void bent_rows_are_solved(void **state)
{
    static const double sizes[] = { 0.02, 1.0, 50.0 };
    (void)state;

    for (int i = 0; i < 3; i++)
        for (double rtol = 1e-4; rtol > 1e-9; rtol *= 0.01) {
            double cost = 0.0;
            const double e = error_of_z(sizes[i], rtol, &cost);
            printf("c = %g, rtol %g: %.3g tolerances, %.3g residuals\n",
                   sizes[i], rtol, e, cost);
            CHECK_BETWEEN(e, 0.0, 3.0);
            CHECK_BETWEEN(cost, 3.0, 8.5);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bent_rows_are_solved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
