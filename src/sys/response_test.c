/* sys/response_test.c -- the linearised answer of a system. */
#include "check.h"

#include "base/base.h"
#include "sys/response.h"
#include "yoke/compose.h"

#include <math.h>

static yoke_system *linear(const yoke_linear *matrices)
{
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_linear_create(&system, "s", matrices, &err), &err);
    return system;
}

/* Linearised at the origin and factored for the step h. */
static yk_response *prepared(yoke_system *system, double h)
{
    const double zero[4] = { 0.0 };
    yk_response *r = NULL;
    yoke_err err;

    CHECK_OK(yk_response_create(&r, system, &err), &err);
    CHECK_OK(yk_response_linearise(r, 0.0, zero, zero, &err), &err);
    CHECK_OK(yk_response_factor(r, 1.5 / h, &err), &err);
    return r;
}

/* One point of the march: dy of the inputs du there. */
static void go(yk_response *r, int p, int m, const double *du, double *dy)
{
    const double *z = yk_response_matrix(r);
    yoke_err err;

    CHECK_OK(yk_response_history(r, dy, &err), &err);
    for (int o = 0; o < p; o++)
        for (int j = 0; j < m; j++) dy[o] += z[o * m + j] * du[j];
    yk_response_follow(r, du);
}

/* ---- accuracy ----------------------------------------------------------- */

/* x' = a x + b u from x = 0: error at t = 1 for the input t^power. */
static double error_of(int power, int steps)
{
    const double a = -2.0, b = 3.0, h = 1.0 / steps;
    const yoke_linear matrices = { .n = 1, .m = 1, .A = &a, .B = &b };
    const double e = exp(a);
    const double exact[] = { b * (e - 1.0) / a, b * (e - 1.0 - a) / (a * a),
                             2.0 * b * (e - 1.0 - a - a * a / 2.0) /
                                 (a * a * a) };
    yoke_system *system = linear(&matrices);
    yk_response *r = prepared(system, h);
    double dy = 0.0;

    CHECK_NEAR(yk_response_matrix(r)[0], b / (1.5 / h - a), 1e-15);
    yk_response_begin(r);
    for (int k = 1; k <= steps; k++) {
        const double du = pow(k * h, power);
        go(r, 1, 1, &du, &dy);
    }
    yk_response_free(r);
    yoke_system_free(system);
    return fabs(dy - exact[power]);
}

/* Inputs that begin at zero, as corrections do, have order 2; one that jumps at
 * the start has order 1, for the point before the start is not its own. */
static void the_order_is_two_for_inputs_that_begin_at_zero(void **state)
{
    static const double order[] = { 1.0, 2.0, 2.0 };
    (void)state;
    for (int power = 0; power < 3; power++)
        for (int steps = 64; steps <= 256; steps *= 2) {
            const double slope =
                log2(error_of(power, steps) / error_of(power, 2 * steps));
            CHECK_NEAR(slope, order[power], 0.1);
        }
}

/* ---- Z ------------------------------------------------------------------ */

/* x' = -x + z, 0 = z - 2 x - u:  x' = x + u, z = 2 x + u. */
static void index_one_has_its_feedthrough(void **state)
{
    const double E[] = { 1.0, 0.0, 0.0, 0.0 };
    const double A[] = { -1.0, 1.0, -2.0, 1.0 }, B[] = { 0.0, -1.0 };
    const yoke_linear matrices = { .n = 2, .m = 1, .E = E, .A = A, .B = B };
    yoke_system *system = linear(&matrices);
    (void)state;
    for (double h = 1e-6; h < 0.5; h *= 10.0) {
        const double c = 1.5 / h;
        yk_response *r = prepared(system, h);
        const double *z = yk_response_matrix(r);
        CHECK_NEAR(z[0], 1.0 / (c - 1.0), 1e-12);
        CHECK_NEAR(z[1], 1.0 + 2.0 / (c - 1.0), 1e-12);
        yk_response_free(r);
    }
    yoke_system_free(system);
}

/* The formula of the header, of what is zero at 0 and before. */
static double slope(const double *u, int n, double h)
{
    const double u1 = n >= 1 ? u[n - 1] : 0.0, u2 = n >= 2 ? u[n - 2] : 0.0;

    return (1.5 * u[n] - 2.0 * u1 + 0.5 * u2) / h;
}

/* x' = z, 0 = x - u:  z is the derivative of the input. */
static void index_two_differentiates(void **state)
{
    enum { STEPS = 20 };
    const double E[] = { 1.0, 0.0, 0.0, 0.0 };
    const double A[] = { 0.0, 1.0, 1.0, 0.0 }, B[] = { 0.0, -1.0 };
    const yoke_linear matrices = { .n = 2, .m = 1, .E = E, .A = A, .B = B };
    const double h = 0.05;
    yoke_system *system = linear(&matrices);
    yk_response *r = prepared(system, h);
    double u[STEPS + 1] = { 0.0 }, dy[2];
    (void)state;
    CHECK_NEAR(yk_response_matrix(r)[0], 1.0, 1e-13);
    CHECK_NEAR(yk_response_matrix(r)[1], 1.5 / h, 1e-11);
    yk_response_begin(r);
    for (int k = 1; k <= STEPS; k++) {
        u[k] = sin(3.0 * k * h);
        go(r, 2, 1, &u[k], dy);
        CHECK_NEAR(dy[0], u[k], 1e-13);
        CHECK_NEAR(dy[1], slope(u, k, h), 1e-11);
    }
    yk_response_free(r);
    yoke_system_free(system);
}

/* x' = v, v' = z, 0 = x - u:  z is the second derivative. */
static void index_three_differentiates_twice(void **state)
{
    enum { STEPS = 20 };
    const double E[] = { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0 };
    const double A[] = { 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0 };
    const double B[] = { 0.0, 0.0, -1.0 };
    const yoke_linear matrices = { .n = 3, .m = 1, .E = E, .A = A, .B = B };
    const double h = 0.05;
    yoke_system *system = linear(&matrices);
    yk_response *r = prepared(system, h);
    double u[STEPS + 1] = { 0.0 }, v[STEPS + 1] = { 0.0 }, dy[3];
    (void)state;
    CHECK_NEAR(yk_response_matrix(r)[2], 2.25 / (h * h), 1e-9);
    for (int twice = 0; twice < 2; twice++) { /* a march restarts */
        yk_response_begin(r);
        for (int k = 1; k <= STEPS; k++) {
            u[k] = k * h * sin(3.0 * k * h);
            v[k] = slope(u, k, h);
            go(r, 3, 1, &u[k], dy);
            CHECK_NEAR(dy[0], u[k], 1e-12);
            CHECK_NEAR(dy[1], v[k], 1e-10);
            CHECK_NEAR(dy[2], slope(v, k, h), 1e-8);
        }
    }
    yk_response_free(r);
    yoke_system_free(system);
}

/* d/dt (x + 3 u1) = -2 x + u2,  y = x + 5 u1. */
static void inputs_in_the_charges_count(void **state)
{
    const double E = 1.0, A = -2.0, F[] = { 3.0, 0.0 }, B[] = { 0.0, 1.0 };
    const double H = 1.0, D[] = { 5.0, 0.0 }, h = 0.1, c = 1.5 / h;
    const yoke_linear matrices = { .n = 1,
                                   .m = 2,
                                   .p = 1,
                                   .E = &E,
                                   .A = &A,
                                   .F = F,
                                   .B = B,
                                   .H = &H,
                                   .D = D };
    yoke_system *system = linear(&matrices);
    yk_response *r = prepared(system, h);
    const double du[] = { 0.7, 0.0 };
    double dy = 0.0, x = 0.0, q = 0.0, q_before = 0.0;
    (void)state;
    CHECK_NEAR(yk_response_matrix(r)[0], 5.0 - 3.0 * c / (c + 2.0), 1e-13);
    CHECK_NEAR(yk_response_matrix(r)[1], 1.0 / (c + 2.0), 1e-13);
    yk_response_begin(r);
    for (int k = 1; k <= 10; k++) {
        /* (3/2 q_n - 2 q + 1/2 q_before) / h = -2 x,  q_n = x + 3 u */
        x = (c * (4.0 * q - q_before) / 3.0 - c * 3.0 * du[0]) / (c + 2.0);
        q_before = q;
        q = x + 3.0 * du[0];
        go(r, 1, 2, du, &dy);
        CHECK_NEAR(dy, x + 5.0 * du[0], 1e-13);
    }
    yk_response_free(r);
    yoke_system_free(system);
}

static void a_system_without_unknowns_is_its_feedthrough(void **state)
{
    const double D[] = { 2.0, -3.0, 0.0, 4.0 };
    const yoke_linear matrices = { .n = 0, .m = 2, .p = 2, .D = D };
    yoke_system *system = linear(&matrices);
    yk_response *r = prepared(system, 0.1);
    const double du[] = { 1.0, 1.0 };
    double dy[2];
    (void)state;
    for (int k = 0; k < 4; k++) CHECK_NEAR(yk_response_matrix(r)[k], D[k], 0.0);
    yk_response_begin(r);
    for (int k = 0; k < 3; k++) {
        go(r, 2, 2, du, dy);
        CHECK_NEAR(dy[0], -1.0, 0.0);
        CHECK_NEAR(dy[1], 4.0, 0.0);
    }
    yk_response_free(r);
    yoke_system_free(system);
}

/* ---- the point ---------------------------------------------------------- */

/* x' = -x^2 + u */
static yoke_status square_rhs(void *self, double t, const double *x,
                              const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = -x[0] * x[0] + u[0];
    return YOKE_OK;
}

static void a_nonlinear_system_is_taken_at_its_point(void **state)
{
    static const yoke_system_ops ops = { .kind = "square", .rhs = square_rhs };
    const yoke_system_info info = { .n = 1, .m = 1 };
    yoke_system *system = NULL;
    yk_response *r = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_system_create(&system, "s", &ops, NULL, &info, &err), &err);
    CHECK_OK(yk_response_create(&r, system, &err), &err);
    for (double x = 1.0; x < 4.0; x += 1.0) {
        const double zero = 0.0;
        CHECK_OK(yk_response_linearise(r, 0.0, &x, &zero, &err), &err);
        CHECK_OK(yk_response_factor(r, 10.0, &err), &err);
        CHECK_NEAR(yk_response_matrix(r)[0], 1.0 / (10.0 + 2.0 * x), 1e-8);
    }
    yk_response_free(r);
    yoke_system_free(system);
}

/* x' = x: c - 1 = 0. */
static void a_singular_step_is_a_retry(void **state)
{
    const double one = 1.0;
    const yoke_linear matrices = { .n = 1, .m = 1, .A = &one, .B = &one };
    yoke_system *system = linear(&matrices);
    yk_response *r = prepared(system, 0.1);
    yoke_err err;
    (void)state;
    CHECK_STATUS(yk_response_factor(r, 1.0, &err), YOKE_RETRY, &err);
    CHECK_OK(yk_response_factor(r, 3.0, &err), &err);
    CHECK_NEAR(yk_response_matrix(r)[0], 0.5, 1e-15);
    yk_response_free(r);
    yoke_system_free(system);
}

static void every_allocation_may_fail(void **state)
{
    const double one = 1.0;
    const yoke_linear matrices = { .n = 1, .m = 1, .A = &one, .B = &one };
    yoke_system *system = linear(&matrices);
    yoke_status status = YOKE_E_MEMORY;
    (void)state;
    for (long k = 1; status != YOKE_OK; k++) {
        yk_response *r = NULL;
        yoke_err err;
        fault_allocator(k);
        status = yk_response_create(&r, system, &err);
        if (status != YOKE_OK) {
            assert_int_equal(status, YOKE_E_MEMORY);
            assert_null(r);
            assert_int_equal(fault_blocks(), 0);
        }
        yk_response_free(r);
        fault_restore();
        assert_true(k < 100);
    }
    yoke_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_two_for_inputs_that_begin_at_zero),
        cmocka_unit_test(index_one_has_its_feedthrough),
        cmocka_unit_test(index_two_differentiates),
        cmocka_unit_test(index_three_differentiates_twice),
        cmocka_unit_test(inputs_in_the_charges_count),
        cmocka_unit_test(a_system_without_unknowns_is_its_feedthrough),
        cmocka_unit_test(a_nonlinear_system_is_taken_at_its_point),
        cmocka_unit_test(a_singular_step_is_a_retry),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
