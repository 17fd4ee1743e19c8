/* step/answer_test.c -- what the iteration asks of a propagator beside solving:
 * its linearised answer, and sweeps with looser tolerances. */
#include "check.h"

#include "step/steppers.h"
#include "yoke/compose.h"
#include "sys/propagator.h"
#include "yoke/stepper.h"
#include "yoke/system.h"

#include <math.h>

static yk_propagator driven(yoke_system *system, const char *method)
{
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p;
    const double zero = 0.0;
    double y = 0.0;
    yoke_err err;

    CHECK_OK(yoke_stepper_set(&o, "method", method, &err), &err);
    o.step = 0.01;
    CHECK_OK(yk_stepper_create(&p, system, &o, 0, NULL, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, &zero, &y, &err), &err);
    return p;
}

/* One sweep to t = 1 with u = 0; the output there. */
static double sweep(const yk_propagator *p)
{
    const double zero = 0.0;
    yk_wave *u = NULL, *y = NULL;
    double value = NAN;
    yoke_err err;

    CHECK_OK(yk_wave_create(&u, 1, &err), &err);
    CHECK_OK(yk_wave_create(&y, 1, &err), &err);
    yk_wave_clear(u, 0.0);
    CHECK_OK(yk_wave_append_constant(u, 1.0, &zero, &err), &err);
    CHECK_OK(p->ops->sweep(p->self, 1.0, u, y, &err), &err);
    yk_wave_eval(y, 1.0, NULL, &value);
    yk_wave_free(u);
    yk_wave_free(y);
    return value;
}

static yoke_work work_of(const yk_propagator *p)
{
    yoke_work work = { 0 };

    p->ops->work(p->self, &work);
    return work;
}

/* ---- the answer --------------------------------------------------------- */

/* x' = -2 x + 3 u, y = x + 5 u: two points of the march by hand. */
static void the_answer_is_that_of_the_system(void **state)
{
    const double A = -2.0, B = 3.0, one = 1.0, D = 5.0, h = 0.1, c = 1.5 / h;
    const yoke_linear matrices = {
        .n = 1, .m = 1, .p = 1, .A = &A, .B = &B, .H = &one, .D = &D
    };
    yoke_system *system = NULL;
    double z = 0.0, dy = 7.0;
    const double du = 0.5;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_linear_create(&system, "s", &matrices, &err), &err);
    const yk_propagator p = driven(system, "radau5");
    const yk_answer_ops *answer = p.ops->answer;
    const yoke_work before = work_of(&p);
    CHECK_OK(answer->linearise(p.self, 0.0, NULL, h, &z, &err), &err);
    CHECK_NEAR(z, 5.0 + 3.0 / (c + 2.0), 1e-13);
    for (int twice = 0; twice < 2; twice++) {
        answer->begin(p.self);
        CHECK_OK(answer->history(p.self, &dy, &err), &err);
        CHECK_NEAR(dy, 0.0, 0.0);
        answer->follow(p.self, &du);
        const double x = 3.0 * du / (c + 2.0); /* at the first point */
        CHECK_OK(answer->history(p.self, &dy, &err), &err);
        CHECK_NEAR(dy, 4.0 / 3.0 * c * x / (c + 2.0), 1e-13);
    }
    const yoke_work after = work_of(&p);
    assert_int_equal(after.factorizations - before.factorizations, 1);
    assert_int_equal(after.solves - before.solves, 1 + 4);
    p.ops->free(p.self);
    yoke_system_free(system);
}

/* x' = -x^2 + u from 1: x(1) = 1/2, where the derivative is -1. */
static yoke_status square_rhs(void *self, double t, const double *x,
                              const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = -x[0] * x[0] + u[0];
    return YOKE_OK;
}

static void it_is_taken_at_the_end_of_the_last_sweep(void **state)
{
    static const char *const method[] = { "radau5", "trapezoidal", "rk4",
                                          "bdf2" };
    static const yoke_system_ops ops = { .kind = "square", .rhs = square_rhs };
    const double one = 1.0;
    const yoke_system_info info = { .n = 1, .m = 1, .x0 = &one };
    (void)state;
    for (int k = 0; k < 4; k++) {
        yoke_system *system = NULL;
        double z = 0.0;
        yoke_err err;
        CHECK_OK(yoke_system_create(&system, "s", &ops, NULL, &info, &err),
                 &err);
        const yk_propagator p = driven(system, method[k]);
        CHECK_NEAR(sweep(&p), 0.5, 1e-3);
        CHECK_OK(p.ops->answer->linearise(p.self, 0.0, NULL, 0.15, &z, &err),
                 &err);
        CHECK_NEAR(z, 1.0 / (10.0 + 1.0), 1e-5);
        p.ops->free(p.self);
        yoke_system_free(system);
    }
}

/* ---- looser tolerances -------------------------------------------------- */

/* x' = cos(20 t) + u. */
static yoke_status wave_rhs(void *self, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)x, (void)err;
    xdot[0] = cos(20.0 * t) - 5.0 * x[0] + u[0];
    return YOKE_OK;
}

static double wave_exact(void)
{
    const double r = 20.0 * 20.0 + 25.0;
    return (5.0 * cos(20.0) + 20.0 * sin(20.0)) / r - 5.0 / r * exp(-5.0);
}

/* Steps and error of three sweeps, the second of them loosened. */
static void loosened(const char *method, double factor, long steps[3],
                     double error[3])
{
    static const yoke_system_ops ops = { .kind = "wave", .rhs = wave_rhs };
    const yoke_system_info info = { .n = 1, .m = 1 };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_system_create(&system, "s", &ops, NULL, &info, &err), &err);
    const yk_propagator p = driven(system, method);
    for (int k = 0; k < 3; k++) {
        const long before = work_of(&p).steps;
        if (k == 1) p.ops->loosen(p.self, factor);
        error[k] = fabs(sweep(&p) - wave_exact());
        steps[k] = work_of(&p).steps - before;
    }
    p.ops->free(p.self);
    yoke_system_free(system);
}

static void a_loosened_sweep_takes_fewer_steps_once(void **state)
{
    static const char *const method[] = { "radau5", "trbdf2" };
    (void)state;
    for (int k = 0; k < 2; k++) {
        long steps[3];
        double error[3];
        loosened(method[k], 1000.0, steps, error);
        assert_true(2 * steps[1] < steps[0]);
        assert_true(error[1] < 1e-2);
        CHECK_NEAR((double)steps[2], (double)steps[0], 0.2 * (double)steps[0]);
        CHECK_BETWEEN(error[2], 0.0, 10.0 * error[0] + 1e-9);
    }
}

static void fixed_steps_are_not_loosened(void **state)
{
    long steps[3];
    double error[3];
    (void)state;
    loosened("trapezoidal", 1000.0, steps, error);
    assert_true(steps[0] == steps[1] && steps[1] == steps[2]);
    CHECK_NEAR(error[1], error[0], 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_that_of_the_system),
        cmocka_unit_test(it_is_taken_at_the_end_of_the_last_sweep),
        cmocka_unit_test(a_loosened_sweep_takes_fewer_steps_once),
        cmocka_unit_test(fixed_steps_are_not_loosened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
