/* step/grow_test.c -- growth from below the tolerance, exact solutions. */
#include "check.h"

#include "step/steppers.h"
#include "yoke/stepper.h"

#include <math.h>
#include <string.h>

typedef struct problem {
    int n;
    double end, x0[3];
    void (*slope)(const double *x, double *xdot);
} problem;

typedef struct outcome {
    yoke_status status;
    yoke_err err;
    yoke_work work;
    double x[3]; /* at the end */
} outcome;

static yoke_status rhs(void *self, double t, const double *x, const double *u,
                       double *xdot, yoke_err *err)
{
    (void)t, (void)u, (void)err;
    ((const problem *)self)->slope(x, xdot);
    return YOKE_OK;
}

static outcome solve(const problem *p, const char *method, double rtol)
{
    const yoke_system_ops ops = { .kind = "test", .rhs = rhs };
    const yoke_system_info info = { .n = p->n, .x0 = p->x0 };
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator stepper = { 0 };
    yoke_system *system = NULL;
    yk_wave *y = NULL;
    outcome out = { .status = YOKE_OK };
    double x[3];

    CHECK_OK(yoke_stepper_set(&o, "method", method, &out.err), &out.err);
    o.rtol = rtol;
    o.atol = 1e-9;
    CHECK_OK(
        yoke_system_create(&system, "part", &ops, (void *)p, &info, &out.err),
        &out.err);
    CHECK_OK(yk_stepper_create(&stepper, system, &o, 0, NULL, &out.err),
             &out.err);
    CHECK_OK(yk_wave_create(&y, p->n, &out.err), &out.err);
    CHECK_OK(stepper.ops->start(stepper.self, 0.0, NULL, NULL, x, &out.err),
             &out.err);
    out.status = stepper.ops->sweep(stepper.self, p->end, NULL, y, &out.err);
    stepper.ops->work(stepper.self, &out.work);
    if (out.status == YOKE_OK) yk_wave_eval(y, p->end, NULL, out.x);
    stepper.ops->free(stepper.self);
    yk_wave_free(y);
    yoke_system_free(system);
    return out;
}

static const char *const method[] = {
    "radau5",
    "trbdf2",
    "genalpha",
#ifdef YOKE_HAVE_SUNDIALS
    "ida",
#endif
};
enum { METHODS = sizeof method / sizeof *method };

static void growth(const double *x, double *xdot)
{
    xdot[0] = x[0];
}

static void logistic(const double *x, double *xdot)
{
    xdot[0] = x[0] * (1.0 - x[0]);
}

static void saddle(const double *x, double *xdot)
{
    xdot[0] = x[1];
    xdot[1] = 4.0 * x[0];
}

/* x' = x from 1e-12, 30 s: errors of atol would be a thousand times x. */
static void growth_has_relative_accuracy(void **state)
{
    static const problem p = { 1, 30.0, { 1e-12 }, growth };
    const double exact = 1e-12 * exp(30.0);

    (void)state;
    for (int k = 0; k < METHODS; k++) {
        const outcome out = solve(&p, method[k], 1e-6);
        CHECK_OK(out.status, &out.err);
        print_message("%s: off by %.1e\n", method[k], out.x[0] / exact - 1.0);
        CHECK_NEAR(out.x[0] / exact, 1.0, 1e-4);
    }
}

static void logistic_growth_is_no_pole(void **state)
{
    static const problem p = { 1, 27.0, { 1e-12 }, logistic };
    const double exact = 1.0 / (1.0 + (1e12 - 1.0) * exp(-27.0));

    (void)state;
    for (int k = 0; k < METHODS; k++) {
        const outcome out = solve(&p, method[k], 1e-6);
        CHECK_OK(out.status, &out.err);
        CHECK_NEAR(out.x[0], exact, 1e-4);
    }
}

/* x'' = 4 x from x = 1e-12, at rest: the mode e^2t is of two unknowns. */
static void modes_of_two_unknowns_are_followed(void **state)
{
    static const problem p = { 2, 14.0, { 1e-12, 1e-13 }, saddle };
    const double exact = 1e-12 * cosh(28.0) + 0.5e-13 * sinh(28.0);

    (void)state;
    for (int k = 0; k < METHODS; k++) {
        const outcome out = solve(&p, method[k], 1e-6);
        CHECK_OK(out.status, &out.err);
        print_message("%s: off by %.1e\n", method[k], out.x[0] / exact - 1.0);
        CHECK_NEAR(out.x[0] / exact, 1.0, 1e-3);
    }
}

static void fast(const double *x, double *xdot)
{
    xdot[0] = 1e200 * x[0];
}

static void fast_small(const double *x, double *xdot)
{
    xdot[0] = 1e11 * x[0];
}

/* Steps that are long against the growth damp it; they are not taken. */
static void growth_that_overflows_is_refused(void **state)
{
    static const problem large = { 1, 1.0, { 1.0 }, fast },
                         small = { 1, 1.0, { 1e-10 }, fast_small };

    (void)state;
    for (int k = 0; k < 3; k++) {
        const outcome a = solve(&large, method[k], 1e-6),
                      b = solve(&small, method[k], 1e-6);
        CHECK_STATUS(a.status, YOKE_RETRY, &a.err);
        CHECK_CONTAINS(a.err.text, "grows");
        CHECK_STATUS(b.status, YOKE_RETRY, &b.err);
    }
}

/* Decay, and an oscillation that is slowly damped, below atol. */
static void quiet(const double *x, double *xdot)
{
    xdot[0] = -x[0];
    xdot[1] = 1e3 * x[2];
    xdot[2] = -1e3 * x[1] - x[2];
}

/* What does not grow costs nothing. */
static void what_is_below_the_tolerance_is_left_alone(void **state)
{
    static const problem p = { 3, 1e3, { 1.0, 1e-10, 1e-11 }, quiet };

    (void)state;
    for (int k = 0; k < 3; k++) {
        const outcome out = solve(&p, method[k], 1e-6);
        CHECK_OK(out.status, &out.err);
        CHECK_BETWEEN((double)out.work.steps, 1.0, 2e4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_has_relative_accuracy),
        cmocka_unit_test(logistic_growth_is_no_pole),
        cmocka_unit_test(modes_of_two_unknowns_are_followed),
        cmocka_unit_test(growth_that_overflows_is_refused),
        cmocka_unit_test(what_is_below_the_tolerance_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
