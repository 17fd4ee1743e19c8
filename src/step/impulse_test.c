/* step/impulse_test.c -- multipliers behind a jump of their constraint.
 *
 * A mass of 1 kg at a spring of 1 N/m with the velocity prescribed,
 *
 *     x' = v,    v' = -x + lambda,    0 = v - g(t),    lambda = g' + x.
 *
 * Where g jumps lambda is an impulse at that instant and nothing else.
 */
#include "check.h"

#include "step/steppers.h"
#include "yoke/stepper.h"

#include <math.h>

typedef struct drive {
    double height; /* of the jump of g at t = 1 */
    double omega;  /* and sin(omega t) */
} drive;

static double speed(const drive *d, double t)
{
    return sin(d->omega * t) + (t > 1.0 ? d->height : 0.0);
}

static double force(const drive *d, double t)
{
    const double x =
        (1.0 - cos(d->omega * t)) / d->omega + d->height * fmax(0.0, t - 1.0);

    return d->omega * cos(d->omega * t) + x;
}

static yoke_status eval(void *self, double t, const double *x, const double *u,
                        double *q, double *f, yoke_err *err)
{
    (void)u, (void)err;
    if (q) q[0] = x[0], q[1] = x[1], q[2] = 0.0;
    if (f) {
        f[0] = -x[1];
        f[1] = x[0] - x[2];
        f[2] = x[1] - speed(self, t);
    }
    return YOKE_OK;
}

static double next_break(void *self, double t)
{
    (void)self;
    return t < 1.0 ? 1.0 : INFINITY;
}

/* The largest error of lambda behind the jump, from 1e-9 s on, in tolerances.
 */
static double worst(const drive *d, const char *method, double rtol)
{
    const yoke_system_ops ops = { .kind = "test",
                                  .eval = eval,
                                  .next_break = next_break };
    const double x0[] = { 0.0, 0.0, d->omega };
    const yoke_system_info info = { .n = 3, .x0 = x0 };
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yoke_system *system = NULL;
    yk_wave *y = NULL;
    yoke_err err;
    double x[3], most = 0.0;

    CHECK_OK(yoke_stepper_set(&o, "method", method, &err), &err);
    o.rtol = rtol;
    o.atol = 1e-9;
    o.given = true;
    CHECK_OK(yoke_system_create(&system, "part", &ops, (void *)d, &info, &err),
             &err);
    CHECK_OK(yk_stepper_create(&p, system, &o, 0, NULL, &err), &err);
    CHECK_OK(yk_wave_create(&y, 3, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, x, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, 2.0, NULL, y, &err), &err);
    for (double after = 1e-9; after < 1.0; after *= 1.1) {
        const double t = 1.0 + after, exact = force(d, t);
        yk_wave_eval(y, t, NULL, x);
        most = fmax(most, fabs(x[2] - exact) / (o.atol + rtol * 4.0));
    }
    p.ops->free(p.self);
    yk_wave_free(y);
    yoke_system_free(system);
    return most;
}

static void multipliers_forget_an_impulse(void **state)
{
    static const drive list[] = { { 1.0, 1e-3 }, { 1.0, 3.0 }, { -20.0, 3.0 } };
    static const char *const method[] = { "radau5", "genalpha", "trbdf2" };

    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int m = 0; m < 3; m++)
            for (int digits = 4; digits <= 6; digits += 2) {
                const double error =
                    worst(&list[k], method[m], pow(10.0, -digits));
                print_message("%s, 1e-%d, %g: %.2g\n", method[m], digits,
                              list[k].height, error);
                CHECK_BETWEEN(error, 0.0, 10.0);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers_forget_an_impulse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
