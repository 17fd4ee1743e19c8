/* Where solutions end, every method stops and says so: no step leads over a
 * pole, alone or coupled. */
#include "check.h"

#include "step/steppers.h"
#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Poles --------------------------------------------------------------- */

/* x' = g(x), or for second-order methods x' = v, v' = g'(x) g(x); the input
 * acts with the factor 0. */
typedef struct pole {
    const char *name;
    double x0, at;
    double (*g)(double x), (*accelerate)(double x);
} pole;

static double square(double x)
{
    return x * x;
}

static double square_2(double x)
{
    return 2.0 * x * x * x;
}

static double cube(double x)
{
    return x * x * x;
}

static double cube_2(double x)
{
    return 3.0 * x * x * x * x * x;
}

static double tangent(double x)
{
    return 1.0 + x * x;
}

static double tangent_2(double x)
{
    return 2.0 * x * (1.0 + x * x);
}

static const pole poles[] = {
    { "x' = x^2", 1.0, 1.0, square, square_2 },
    { "x' = x^3", 1.0, 0.5, cube, cube_2 },
    { "x' = 1 + x^2", 0.0, 1.5707963267948966, tangent, tangent_2 },
};

static yoke_status first_order(void *self, double t, const double *x,
                               const double *u, double *xdot, yoke_err *err)
{
    const pole *p = self;

    (void)t, (void)u, (void)err;
    xdot[0] = p->g(x[0]);
    return YOKE_OK;
}

static yoke_status second_order(void *self, double t, const double *x,
                                const double *u, double *xdot, yoke_err *err)
{
    const pole *p = self;

    (void)t, (void)u, (void)err;
    xdot[0] = x[1];
    xdot[1] = p->accelerate(x[0]);
    return YOKE_OK;
}

/* The same with an input that does nothing. */
static yoke_status first_order_fed(void *self, double t, const double *x,
                                   const double *u, double *xdot, yoke_err *err)
{
    first_order(self, t, x, u, xdot, err);
    xdot[0] += 0.0 * u[0];
    return YOKE_OK;
}

static yoke_status second_order_fed(void *self, double t, const double *x,
                                    const double *u, double *xdot,
                                    yoke_err *err)
{
    second_order(self, t, x, u, xdot, err);
    xdot[1] += 0.0 * u[0];
    return YOKE_OK;
}

static yoke_system *pole_system(const pole *p, bool second, int inputs)
{
    static const yoke_system_ops ops[2][2] = {
        { { .kind = "pole", .rhs = first_order },
          { .kind = "pole", .rhs = first_order_fed } },
        { { .kind = "pole", .rhs = second_order },
          { .kind = "pole", .rhs = second_order_fed } },
    };
    static const char *const x_name[] = { "x", "v" }, *const u_name[] = { "u" };
    const double x0[] = { p->x0, p->g(p->x0) };
    const yoke_system_info info = { .n = second ? 2 : 1,
                                    .m = inputs,
                                    .positions = second,
                                    .x0 = x0,
                                    .x_name = x_name,
                                    .u_name = u_name };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_system_create(&system, "part", &ops[second][inputs],
                                (void *)p, &info, &err),
             &err);
    return system;
}

static yoke_status decay(void *self, double t, const double *x, const double *u,
                         double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = -x[0];
    return YOKE_OK;
}

static yoke_system *decaying(void)
{
    static const yoke_system_ops ops = { .kind = "decay", .rhs = decay };
    static const char *const name[] = { "s" };
    const double x0 = 1.0;
    const yoke_system_info info = { .n = 1, .x0 = &x0, .x_name = name };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_system_create(&system, "other", &ops, NULL, &info, &err),
             &err);
    return system;
}

static yoke_model *pole_model(const pole *p, const char *method, bool coupled)
{
    const bool second = strcmp(method, "stormer") == 0;
    yoke_stepper_options o = yoke_stepper_defaults();
    yoke_model *model = NULL;
    yoke_err err;

    CHECK_OK(yoke_stepper_set(&o, "method", method, &err), &err);
    if (yoke_stepper_is_fixed(method)) o.step = 0.01;
    CHECK_OK(yoke_model_create(&model, &err), &err);
    CHECK_OK(yoke_model_add(model, pole_system(p, second, coupled), &o, &err),
             &err);
    if (!coupled) return model;
    CHECK_OK(yoke_model_add(model, decaying(), NULL, &err), &err);
    CHECK_OK(yoke_graph_signal(yoke_model_graph(model), "part.u", "other.s",
                               1.0, &err),
             &err);
    return model;
}

/* Is the method in this build? */
static bool is_missing(const char *method)
{
#ifdef YOKE_HAVE_SUNDIALS
    (void)method;
    return false;
#else
    return strcmp(method, "ida") == 0;
#endif
}

static void check_pole(const pole *p, const char *method, bool coupled)
{
    yoke_model *model = pole_model(p, method, coupled);
    yoke_run_options o = yoke_run_defaults();
    yoke_run_result result;
    yoke_run *run = NULL;
    yoke_err err;

    o.stop = 2.0;
    CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
    const yoke_status status = yoke_run_advance(run, o.stop, &err);
    yoke_run_summary(run, &result);
    if (status == YOKE_OK)
        fail_msg("%s, %s, %s: no complaint", p->name, method,
                 coupled ? "coupled" : "alone");
    print_message("%s, %s, %s: t = %.4g: %s\n", p->name, method,
                  coupled ? "coupled" : "alone", result.t, err.text);
    assert_non_null(strstr(err.text, "subsystem \"part\""));
    assert_non_null(strstr(err.text, "\"x\""));
    CHECK_BETWEEN(result.t, 0.9 * p->at, 1.1 * p->at);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

static void no_method_steps_over_a_pole(void **state)
{
    const char *method = NULL;

    (void)state;
    for (int i = 0; yoke_stepper_list(i, &method, NULL); i++)
        for (int k = 0; k < 3; k++)
            for (int coupled = 0; coupled < 2; coupled++)
                if (!is_missing(method)) check_pole(&poles[k], method, coupled);
}

/* ---- Explicit methods and their stability -------------------------------- */

typedef yoke_status right_side(void *, double, const double *, const double *,
                               double *, yoke_err *);

/* x' = -100 (x - cos t) */
static yoke_status fast(void *self, double t, const double *x, const double *u,
                        double *xdot, yoke_err *err)
{
    (void)self, (void)u, (void)err;
    xdot[0] = -100.0 * (x[0] - cos(t));
    return YOKE_OK;
}

/* x'' = -100 x in units that differ much */
static yoke_status spring(void *self, double t, const double *x,
                          const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = x[1];
    xdot[1] = -100.0 * x[0];
    return YOKE_OK;
}

/* A relay: x' = -sign x slides along 0. */
static yoke_status relay(void *self, double t, const double *x, const double *u,
                         double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = x[0] > 0.0 ? -1.0 : 1.0;
    return YOKE_OK;
}

/* A fast mode that nothing excites, y = 0, beside x'' = -x. */
static yoke_status quiet(void *self, double t, const double *x, const double *u,
                         double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = x[1];
    xdot[1] = -x[0];
    xdot[2] = -1e5 * x[2];
    return YOKE_OK;
}

/* At rest: nothing but rounding is left of a fast mode. */
static yoke_status resting(void *self, double t, const double *x,
                           const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = -60.0 * (x[0] - 1.0 / 3.0);
    return YOKE_OK;
}

static yoke_status sweep(right_side *rhs, int n, const char *method,
                         double step, double end, double *x, yoke_err *err)
{
    const yoke_system_ops ops = { .kind = "test", .rhs = rhs };
    const double x0[] = { 1.0, 0.0, 0.0 };
    const int all[] = { 0, 1, 2 };
    const bool second = strcmp(method, "stormer") == 0;
    const yoke_system_info info = { .n = n, .positions = second, .x0 = x0 };
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yoke_system *system = NULL;
    yk_wave *y = NULL;
    double y0[3];

    CHECK_OK(yoke_stepper_set(&o, "method", method, err), err);
    o.step = step;
    CHECK_OK(yoke_system_create(&system, "part", &ops, NULL, &info, err), err);
    CHECK_OK(yk_stepper_create(&p, system, &o, n, all, err), err);
    CHECK_OK(yk_wave_create(&y, n, err), err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, y0, err), err);
    const yoke_status status = p.ops->sweep(p.self, end, NULL, y, err);
    if (status == YOKE_OK) yk_wave_eval(y, end, NULL, x);
    p.ops->free(p.self);
    yk_wave_free(y);
    yoke_system_free(system);
    return status;
}

static yoke_status sinking(void *self, double t, const double *x,
                           const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = -100.0 * x[0];
    return YOKE_OK;
}

/* x grows by itself, and fast: no step makes that unstable. */
static yoke_status growing(void *self, double t, const double *x,
                           const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = 100.0 * x[0];
    return YOKE_OK;
}

/* The same as `fast` in a system without an explicit right side, with a charge
 * of 1e-3 x and an algebraic copy. */
static yoke_status fast_charge(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    if (q) q[0] = 1e-3 * x[0], q[1] = 0.0;
    if (f) f[0] = 0.1 * x[1], f[1] = x[1] - x[0];
    return YOKE_OK;
}

/* h |lambda| of 0.97 and 1.25 times the bound: right, or refused. */
static void explicit_methods_know_their_bound(void **state)
{
    static const struct {
        const char *method;
        right_side *rhs;
        int n;
        double rate, stable;
    } table[] = {
        { "euler", fast, 1, 100.0, 2.0 }, { "midpoint", fast, 1, 100.0, 2.0 },
        { "heun", fast, 1, 100.0, 2.0 },  { "rk4", fast, 1, 100.0, 2.8 },
        { "rk4", spring, 2, 10.0, 2.8 },  { "stormer", spring, 2, 10.0, 2.0 },
    };
    double x[3] = { 0.0 };
    yoke_err err;

    (void)state;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const double bound = table[k].stable / table[k].rate;
        CHECK_OK(sweep(table[k].rhs, table[k].n, table[k].method, 0.97 * bound,
                       100.0 * bound, x, &err),
                 &err);
        CHECK_BETWEEN(fabs(x[0]), 0.0, 2.0);
        const double beyond[] = { 1.02, 1.25, 50.0 };
        for (int i = 0; i < 3; i++) {
            print_message("%s, %g:\n", table[k].method, beyond[i]);
            CHECK_STATUS(sweep(table[k].rhs, table[k].n, table[k].method,
                               beyond[i] * bound, 300.0 * bound, x, &err),
                         YOKE_E_NUMERIC, &err);
            print_message("%s\n", err.text);
            assert_non_null(strstr(err.text, "subsystem \"part\""));
            assert_non_null(strstr(err.text, "is stable up to"));
        }
    }
}

/* One step, or three, of 50 times the bound are refused as well. */
static void a_few_steps_suffice(void **state)
{
    static const char *const method[] = { "euler", "midpoint", "heun", "rk4" };
    double x[3] = { 0.0 };
    yoke_err err;

    (void)state;
    for (int k = 0; k < 4; k++)
        for (int steps = 1; steps <= 3; steps++)
            CHECK_STATUS(sweep(sinking, 1, method[k], 1.0, steps, x, &err),
                         YOKE_E_NUMERIC, &err);
}

static void charges_know_the_bound_too(void **state)
{
    static const char *const method[] = { "euler", "midpoint", "heun", "rk4" };
    static const double bound[] = { 0.02, 0.02, 0.02, 0.0278 };
    const yoke_system_ops ops = { .kind = "test", .eval = fast_charge };
    const double x0[] = { 1.0, 1.0 };
    const yoke_system_info info = { .n = 2, .x0 = x0 };
    const double part[] = { 0.97, 1.03, 20.0 };
    yoke_err err;

    (void)state;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++) {
            yoke_stepper_options o = yoke_stepper_defaults();
            yk_propagator p = { 0 };
            yoke_system *system = NULL;
            yk_wave *y = NULL;
            double y0[2];
            CHECK_OK(yoke_stepper_set(&o, "method", method[k], &err), &err);
            o.step = part[i] * bound[k];
            CHECK_OK(
                yoke_system_create(&system, "part", &ops, NULL, &info, &err),
                &err);
            CHECK_OK(yk_stepper_create(&p, system, &o, 0, NULL, &err), &err);
            CHECK_OK(yk_wave_create(&y, 2, &err), &err);
            CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, y0, &err), &err);
            const yoke_status status = p.ops->sweep(p.self, 2.0, NULL, y, &err);
            assert_int_equal(status, i == 0 ? YOKE_OK : YOKE_E_NUMERIC);
            p.ops->free(p.self);
            yk_wave_free(y);
            yoke_system_free(system);
        }
}

static void explicit_methods_do_not_refuse_what_is_right(void **state)
{
    static const char *const method[] = { "euler", "midpoint", "heun", "rk4" };
    double x[3] = { 0.0 };
    yoke_err err;

    (void)state;
    for (int k = 0; k < 4; k++) {
        CHECK_OK(sweep(relay, 1, method[k], 0.01, 3.0, x, &err), &err);
        CHECK_NEAR(x[0], 0.0, 0.0101);
        CHECK_OK(sweep(quiet, 3, method[k], 1e-3, 3.0, x, &err), &err);
        CHECK_NEAR(x[0], cos(3.0), 0.01);
        CHECK_OK(sweep(resting, 1, method[k], 0.02, 9.0, x, &err), &err);
        CHECK_NEAR(x[0], 1.0 / 3.0, 1e-9);
        CHECK_OK(sweep(growing, 1, method[k], 0.04, 1.0, x, &err), &err);
        CHECK_BETWEEN(x[0], 1e17, exp(100.0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_method_steps_over_a_pole),
        cmocka_unit_test(explicit_methods_know_their_bound),
        cmocka_unit_test(a_few_steps_suffice),
        cmocka_unit_test(charges_know_the_bound_too),
        cmocka_unit_test(explicit_methods_do_not_refuse_what_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
