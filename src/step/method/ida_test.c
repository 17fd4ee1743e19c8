/* step/method/ida_test.c -- IDA behind jumps of its input. */
#include "check.h"

#include "step/steppers.h"
#include "yoke/stepper.h"

#include <math.h>

enum { PULSES = 100 };

static yoke_status rhs(void *self, double t, const double *x, const double *u,
                       double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = -x[0] + u[0];
    return YOKE_OK;
}

/* x' = -x + u from 0 over [0, end], u piecewise constant; the largest error at
 * the knots in tolerances. */
static double follow(int pieces, const double *until, const double *u,
                     double rtol)
{
    static const yoke_system_ops ops = { .kind = "test", .rhs = rhs };
    static const char *const name[] = { "u" };
    const double zero = 0.0;
    const yoke_system_info info = {
        .n = 1, .m = 1, .x0 = &zero, .u_name = name
    };
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yoke_system *system = NULL;
    yk_wave *input = NULL, *y = NULL;
    yoke_err err;
    double x = 0.0, at = 0.0, size = 0.0, most = 0.0, value = 0.0;

    CHECK_OK(yoke_stepper_set(&o, "method", "ida", &err), &err);
    o.rtol = rtol;
    o.atol = 1e-9;
    CHECK_OK(yoke_system_create(&system, "part", &ops, NULL, &info, &err),
             &err);
    CHECK_OK(yk_stepper_create(&p, system, &o, 0, NULL, &err), &err);
    CHECK_OK(yk_wave_create(&input, 1, &err), &err);
    CHECK_OK(yk_wave_create(&y, 1, &err), &err);
    yk_wave_clear(input, 0.0);
    for (int k = 0; k < pieces; k++)
        CHECK_OK(yk_wave_append_constant(input, until[k], &u[k], &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, &u[0], &value, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, until[pieces - 1], input, y, &err), &err);
    for (int k = 0; k < pieces; k++) {
        x = u[k] + (x - u[k]) * exp(-(until[k] - at));
        at = until[k];
        size = fmax(size, fabs(x));
        yk_wave_eval(y, at, NULL, &value);
        most = fmax(most, fabs(value - x) / (o.atol + rtol * size));
    }
    p.ops->free(p.self);
    yk_wave_free(input);
    yk_wave_free(y);
    yoke_system_free(system);
    return most;
}

/* x moves by its tolerance in less than the rounding of t. */
static void a_pulse_of_an_input_is_passed(void **state)
{
    static const double until[] = { 50.0, 50.001, 100.0 },
                        u[] = { 0.0, 1000.0, 0.0 };

    (void)state;
    for (int digits = 4; digits <= 8; digits += 2)
        CHECK_BETWEEN(follow(3, until, u, pow(10.0, -digits)), 0.0, 1.0);
}

/* Each jump is a beginning at order 1. */
static void errors_of_beginnings_do_not_add_up(void **state)
{
    double until[PULSES], u[PULSES];

    (void)state;
    for (int k = 0; k < PULSES; k++) {
        until[k] = 0.2 * (k + 1);
        u[k] = k % 2 ? 10.0 : 30.0;
    }
    for (int digits = 4; digits <= 8; digits += 2) {
        const double error = follow(PULSES, until, u, pow(10.0, -digits));
        print_message("1e-%d: %.2g tolerances\n", digits, error);
        CHECK_BETWEEN(error, 0.0, 2.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pulse_of_an_input_is_passed),
        cmocka_unit_test(errors_of_beginnings_do_not_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
