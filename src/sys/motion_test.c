/* sys/motion_test.c -- derivatives of outputs at a point. */
#include "check.h"

#include "base/base.h"
#include "sys/motion.h"

#include <math.h>

/* A pendulum on a wire: m(q) = 1 + q^2 in q'' = a, 0 = m a + sin q + t^2 - u,
 * y = sin q, y.a = a. */
static yoke_status eval(void *self, double t, const double *x, const double *u,
                        double *q, double *f, yoke_err *err)
{
    (void)self, (void)err;
    if (q) {
        q[0] = x[0];
        q[1] = x[1];
        q[2] = 0.0;
    }
    if (!f) return YOKE_OK;
    f[0] = -x[1];
    f[1] = -x[2];
    f[2] = (1.0 + x[0] * x[0]) * x[2] + sin(x[0]) + t * t - u[0];
    return YOKE_OK;
}

static yoke_status output(void *self, double t, const double *x,
                          const double *u, double *y, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    y[0] = sin(x[0]);
    y[1] = x[2];
    return YOKE_OK;
}

static yoke_status jacobian(void *self, double t, const double *x,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    if (jac->C) jac->C[0] = jac->C[1] = 1.0;
    if (jac->G) {
        jac->G[0] = 2.0 * x[0] * x[2] + cos(x[0]); /* row 2, column 0 */
        jac->G[1] = -1.0;
        jac->G[2] = -1.0;
        jac->G[3] = 1.0 + x[0] * x[0];
    }
    if (jac->Gu) jac->Gu[0] = -1.0;
    if (jac->Hx) {
        jac->Hx[0] = cos(x[0]);
        jac->Hx[1] = 1.0;
    }
    return YOKE_OK;
}

static yoke_system *wire(bool exact)
{
    static const yoke_system_ops plain = { .kind = "wire",
                                           .eval = eval,
                                           .output = output };
    static const yoke_system_ops slopes = {
        .kind = "wire", .eval = eval, .output = output, .jacobian = jacobian
    };
    static const int c_row[] = { 0, 1 }, g_row[] = { 2, 0, 1, 2 },
                     g_col[] = { 0, 1, 2, 2 }, u_row[] = { 2 }, u_col[] = { 0 },
                     h_row[] = { 0, 1 }, h_col[] = { 0, 2 };
    yoke_pattern *C = NULL, *G = NULL, *Gu = NULL, *Hx = NULL;
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_pattern_create(&C, 3, 3, 2, c_row, c_row, &err), &err);
    CHECK_OK(yoke_pattern_create(&G, 3, 3, 4, g_row, g_col, &err), &err);
    CHECK_OK(yoke_pattern_create(&Gu, 3, 1, 1, u_row, u_col, &err), &err);
    CHECK_OK(yoke_pattern_create(&Hx, 2, 3, 2, h_row, h_col, &err), &err);
    const yoke_system_info info = {
        .n = 3, .m = 1, .p = 2, .C = C, .G = G, .Gu = Gu, .Hx = Hx
    };
    const yoke_system_info probed = { .n = 3, .m = 1, .p = 2 };
    CHECK_OK(yoke_system_create(&system, "wire", exact ? &slopes : &plain, NULL,
                                exact ? &info : &probed, &err),
             &err);
    yoke_pattern_free(C);
    yoke_pattern_free(G);
    yoke_pattern_free(Gu);
    yoke_pattern_free(Hx);
    return system;
}

/* The acceleration given is wrong: it is solved for. */
static void check_wire(bool exact, double tol)
{
    const double q = 0.7, v = -1.3, t = 0.4, u = 2.0;
    const double x[] = { q, v, 99.0 };
    const double mass = 1.0 + q * q, a = (u - sin(q) - t * t) / mass;
    const int input = 0;
    yoke_system *system = wire(exact);
    yk_motion *m = NULL;
    double y[6], answer[6];
    yoke_err err;

    CHECK_OK(yk_motion_create(&m, system, &err), &err);
    yk_motion_want(m, 0);
    for (int k = 0; k < 2; k++) { /* with and without a look at everything */
        const yk_motion_point point = { .t = t,
                                        .from = 0.0,
                                        .to = 1.0,
                                        .scale = 0.1,
                                        .x = x,
                                        .u = &u,
                                        .careful = k == 0 };
        CHECK_OK(yk_motion_at(m, &point, &err), &err);
        CHECK_NEAR(yk_motion_x(m)[2], a, 1e-12);
        CHECK_OK(yk_motion_rates(m, 2, y, &err), &err);
        CHECK_NEAR(y[0], sin(q), 1e-15);
        CHECK_NEAR(y[2], cos(q) * v, tol);
        CHECK_NEAR(y[4], cos(q) * a - sin(q) * v * v, tol);
    }
    CHECK_OK(yk_motion_mobility(m, 2, 1, &input, answer, &err), &err);
    CHECK_NEAR(answer[0], 0.0, 0.0);
    CHECK_NEAR(answer[1], 1.0 / mass, 1e-7);
    CHECK_NEAR(answer[2], 0.0, 0.0);
    CHECK_NEAR(answer[4], cos(q) / mass, 1e-7);
    yk_motion_free(m);
    yoke_system_free(system);
}

static void second_derivatives_come_from_the_equations(void **state)
{
    (void)state;
    check_wire(true, 1e-10);
    check_wire(false, 1e-9);
}

/* An impulse changes the velocity, its derivative the position. */
static void kicks_move_the_state(void **state)
{
    const double x[] = { 0.5, 0.2, 0.0 }, mu = 0.1, mass = 1.25, u = 0.0;
    const int input = 0;
    yoke_system *system = wire(true);
    yk_motion *m = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_motion_create(&m, system, &err), &err);
    const yk_motion_point point = {
        .from = -1.0, .to = 1.0, .scale = 0.1, .x = x, .u = &u
    };
    CHECK_OK(yk_motion_at(m, &point, &err), &err);
    for (int level = 1; level < 3; level++) {
        double moved[] = { 0.0, 0.0, 0.0 };
        CHECK_OK(yk_motion_kick(m, level, 1, &input, &mu, moved, &err), &err);
        CHECK_NEAR(moved[2 - level], mu / mass, 1e-12);
        if (level == 1) CHECK_NEAR(moved[0], 0.0, 0.0);
    }
    yk_motion_free(m);
    yoke_system_free(system);
}

static yoke_status loop_eval(void *self, double t, const double *x,
                             const double *u, double *q, double *f,
                             yoke_err *err)
{
    (void)self, (void)t, (void)err;
    if (q) q[0] = q[1] = x[0] - x[1]; /* a floating capacitor */
    if (f) f[0] = x[0], f[1] = x[1] - u[0];
    return YOKE_OK;
}

static void dependent_charges_are_refused(void **state)
{
    static const yoke_system_ops ops = { .kind = "loop", .eval = loop_eval };
    const yoke_system_info info = { .n = 2, .m = 1 };
    const double x[] = { 1.0, 2.0 }, u = 0.0;
    yoke_system *system = NULL;
    yk_motion *m = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_system_create(&system, "loop", &ops, NULL, &info, &err),
             &err);
    CHECK_OK(yk_motion_create(&m, system, &err), &err);
    const yk_motion_point point = { .to = 1.0, .scale = 1.0, .x = x, .u = &u };
    CHECK_STATUS(yk_motion_at(m, &point, &err), YOKE_RETRY, &err);
    CHECK_CONTAINS(err.text, "charges that depend on each other");
    yk_motion_free(m);
    yoke_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_derivatives_come_from_the_equations),
        cmocka_unit_test(kicks_move_the_state),
        cmocka_unit_test(dependent_charges_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
