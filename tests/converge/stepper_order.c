/* Observed orders of the time stepping methods. */
#include "check.h"

#include "step/steppers.h"
#include "stepper_problems.h"

#include <stdio.h>
#include <string.h>

/* Not compiled in: the list has it, nothing else. */
static bool is_missing(const char *method)
{
#ifdef YOKE_HAVE_SUNDIALS
    (void)method;
    return false;
#else
    return strcmp(method, "ida") == 0;
#endif
}

/* Set LOUD to see every number. */
static bool loud(void)
{
    return getenv("LOUD") != NULL;
}

/* The input over the whole interval as one cubic piece. */
static yk_wave *input_wave(const problem *pb)
{
    yk_wave *w = NULL;
    double value[4];

    CHECK_OK(yk_wave_create(&w, pb->info.m, NULL), NULL);
    yk_wave_clear(w, 0.0);
    if (pb->input) {
        for (int k = 0; k < 4; k++) value[k] = pb->input(pb->end * k / 3.0);
        CHECK_OK(yk_wave_append_samples(w, pb->end, 3, value, NULL), NULL);
    }
    return w;
}

static double worst(const problem *pb, double t, const double *x)
{
    double exact[MAX_UNKNOWNS], most = 0.0;

    pb->exact(t, exact);
    for (int i = 0; i < pb->info.n; i++)
        most = fmax(most, fabs(x[i] - exact[i]));
    return most;
}

/* Largest error over [0, end], at the grid and at 7 points of each piece. */
static double wave_error(const problem *pb, const yk_wave *y, bool between)
{
    double most = 0.0, x[MAX_UNKNOWNS];

    for (int i = 0; i < yk_wave_pieces(y); i++) {
        const double a = yk_wave_knot(y, i), b = yk_wave_knot(y, i + 1);
        for (int k = between ? 1 : 8; k <= 8; k++) {
            const double t = a + (b - a) * k / 8;
            yk_wave_eval(y, t, NULL, x);
            most = fmax(most, worst(pb, t, x));
        }
    }
    return most;
}

/* Integrates in `windows` windows; the error at the grid points, or between
 * them. */
static double solve(const problem *pb, const yoke_stepper_options *options,
                    int windows, bool between, yoke_work *work)
{
    yoke_err err = { 0 };
    yoke_system *system = NULL;
    yk_propagator p = { 0 };
    yk_wave *u = input_wave(pb), *y = NULL;
    yoke_system_info info = pb->info;
    double x0[MAX_UNKNOWNS], y0[MAX_UNKNOWNS], error = 0.0;
    const double u0 = pb->input ? pb->input(0.0) : 0.0;

    pb->exact(0.0, x0);
    info.x0 = x0;
    CHECK_OK(yoke_system_create(&system, pb->name, &pb->ops, NULL, &info, &err),
             &err);
    CHECK_OK(yk_stepper_create(&p, system, options, 0, NULL, &err), &err);
    CHECK_OK(yk_wave_create(&y, p.p, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, x0, &u0, y0, &err), &err);
    for (int k = 1; k <= windows; k++) {
        CHECK_OK(p.ops->sweep(p.self, pb->end * k / windows, u, y, &err), &err);
        if (!pb->late || 2 * k > windows)
            error = fmax(error, wave_error(pb, y, between));
        CHECK_OK(p.ops->accept(p.self, &err), &err);
    }
    if (work) p.ops->work(p.self, work);
    p.ops->free(p.self);
    yk_wave_free(y);
    yk_wave_free(u);
    yoke_system_free(system);
    return error;
}

static double fixed_error(const problem *pb, const char *method, int steps,
                          bool between)
{
    yoke_stepper_options options = yoke_stepper_defaults();

    snprintf(options.method, sizeof options.method, "%s", method);
    options.step = pb->end / steps;
    options.given = true;
    return solve(pb, &options, 2, between, NULL);
}

/* log2 of the ratio of the errors with `steps` and 2 `steps` steps. */
static double observed(const problem *pb, const char *method, int steps,
                       bool between)
{
    const double coarse = fixed_error(pb, method, steps, between);
    const double fine = fixed_error(pb, method, 2 * steps, between);

    if (loud())
        printf("%-16s %-20s %s %9.2e %9.2e  order %.2f\n", method, pb->name,
               between ? "between" : "grid   ", coarse, fine,
               log2(coarse / fine));
    return log2(coarse / fine);
}

typedef struct expectation {
    const problem *pb;
    const char *method;
    int steps;
    double order;
} expectation;

/* Margins: a tenth of the order, at least 0.2, below; 0.6 above. */
static void check_orders(const expectation *e, int count, bool between)
{
    for (int k = 0; k < count; k++) {
        const double order =
            observed(e[k].pb, e[k].method, e[k].steps, between);
        const double least = e[k].order - fmax(0.2, 0.1 * e[k].order);
        if (!(order >= least && order <= e[k].order + 0.6))
            print_error("%s on %s\n", e[k].method, e[k].pb->name);
        CHECK_BETWEEN(order, least, e[k].order + 0.6);
    }
}

#define CHECK_ORDERS(list, between)                                            \
    check_orders((list), (int)(sizeof(list) / sizeof *(list)), (between))

static void one_step_methods_reach_their_order(void **state)
{
    static const expectation list[] = {
        { &square, "euler", 40, 1 },
        { &square, "midpoint", 40, 2 },
        { &square, "heun", 40, 2 },
        { &square, "rk4", 20, 4 },
        { &square, "implicit-euler", 40, 1 },
        { &square, "trapezoidal", 40, 2 },
        { &charge, "euler", 40, 1 },
        { &charge, "midpoint", 40, 2 },
        { &charge, "heun", 40, 2 },
        { &charge, "rk4", 20, 4 },
        { &charge, "implicit-euler", 40, 1 },
        { &charge, "trapezoidal", 40, 2 },
        { &oscillator, "euler", 400, 1 },
        { &oscillator, "midpoint", 40, 2 },
        { &oscillator, "heun", 40, 2 },
        { &oscillator, "rk4", 40, 4 },
        { &oscillator, "implicit-euler", 400, 1 },
        { &oscillator, "trapezoidal", 40, 2 },
        { &mechanism, "midpoint", 40, 2 },
        { &mechanism, "rk4", 40, 4 },
    };
    (void)state;
    CHECK_ORDERS(list, false);
}

static void inputs_are_read_at_the_stages(void **state)
{
    static const expectation list[] = {
        { &driven, "euler", 40, 1 },
        { &driven, "midpoint", 40, 2 },
        { &driven, "heun", 40, 2 },
        { &driven, "rk4", 20, 4 },
        { &driven, "implicit-euler", 40, 1 },
        { &driven, "trapezoidal", 40, 2 },
        { &coupled, "euler", 40, 1 },
        { &coupled, "midpoint", 40, 2 },
        { &coupled, "heun", 40, 2 },
        { &coupled, "rk4", 20, 4 },
        { &coupled, "implicit-euler", 40, 1 },
        { &coupled, "trapezoidal", 40, 2 },
        { &coupled_affine, "midpoint", 40, 2 },
        { &coupled_affine, "trapezoidal", 40, 2 },
    };
    (void)state;
    CHECK_ORDERS(list, false);
}

static void index_1_keeps_the_order(void **state)
{
    static const expectation list[] = {
        { &index1, "euler", 80, 1 },          { &index1, "midpoint", 40, 2 },
        { &index1, "heun", 40, 2 },           { &index1, "rk4", 20, 4 },
        { &index1, "implicit-euler", 80, 1 }, { &index1, "trapezoidal", 40, 2 },
    };
    (void)state;
    CHECK_ORDERS(list, false);
    CHECK_ORDERS(list, true);
}

static void stormer_has_order_2(void **state)
{
    static const expectation list[] = {
        { &oscillator, "stormer", 40, 2 },
        { &mechanism, "stormer", 40, 2 },
    };
    (void)state;
    CHECK_ORDERS(list, false);
    CHECK_ORDERS(list, true);
}

static void bdf_reaches_its_order(void **state)
{
    static const expectation list[] = {
        { &square, "bdf1", 80, 1 },     { &square, "bdf2", 80, 2 },
        { &square, "bdf3", 80, 3 },     { &square, "bdf4", 40, 4 },
        { &square, "bdf5", 40, 5 },     { &square, "bdf6", 40, 6 },
        { &charge, "bdf2", 80, 2 },     { &charge, "bdf3", 80, 3 },
        { &charge, "bdf4", 80, 4 },     { &oscillator, "bdf3", 80, 3 },
        { &oscillator, "bdf4", 80, 4 }, { &oscillator, "bdf5", 80, 5 },
        { &coupled, "bdf2", 40, 2 },    { &coupled, "bdf4", 40, 4 },
        { &index1, "bdf2", 80, 2 },     { &index1, "bdf3", 80, 3 },
        { &index1, "bdf4", 80, 4 },     { &index2, "bdf1", 80, 1 },
        { &index2, "bdf2", 40, 2 },     { &index2, "bdf3", 40, 3 },
        { &index2, "bdf4", 40, 4 },     { &index3, "bdf1", 80, 1 },
        { &index3, "bdf2", 40, 2 },     { &index3, "bdf3", 40, 3 },
    };
    (void)state;
    CHECK_ORDERS(list, false);
}

/* The first steps of BDF are cubic between their ends: order 4. */
static void bdf_reaches_its_order_between_the_steps(void **state)
{
    static const expectation list[] = {
        { &square, "bdf1", 80, 1 }, { &square, "bdf2", 80, 2 },
        { &square, "bdf3", 80, 3 }, { &square, "bdf4", 80, 4 },
        { &index1, "bdf2", 80, 2 }, { &index1, "bdf3", 80, 3 },
        { &index2, "bdf2", 40, 2 }, { &index2, "bdf3", 40, 3 },
        { &index3, "bdf2", 40, 2 }, { &index3, "bdf3", 40, 3 },
    };
    (void)state;
    CHECK_ORDERS(list, true);
}

/* Order 2 and more is not lost to stiffness; implicit Euler is damped by it. */
static void stiffness_does_not_hurt(void **state)
{
    static const char *const method[] = { "implicit-euler", "trapezoidal",
                                          "bdf1",           "bdf2",
                                          "bdf3",           "bdf4",
                                          "bdf5",           "bdf6" };
    static const double most[] = { 3e-6, 1e-5, 3e-6, 1e-7,
                                   1e-8, 1e-8, 1e-8, 1e-8 };
    (void)state;
    for (int k = 0; k < 8; k++) {
        const double error = fixed_error(&stiff, method[k], 40, false);
        if (loud()) printf("%-16s stiff %9.2e\n", method[k], error);
        CHECK_BETWEEN(error, 0.0, most[k]);
    }
}

static double adaptive_error(const problem *pb, const char *method, double tol,
                             bool between, yoke_work *work)
{
    yoke_stepper_options options = yoke_stepper_defaults();

    snprintf(options.method, sizeof options.method, "%s", method);
    options.rtol = options.atol = tol;
    options.given = true;
    return solve(pb, &options, 2, between, work);
}

/* The error stays below `most` tol^power, and more accuracy costs more steps.
 * Control of the error per step of order k + 1 gives power k / (k + 1); radau5
 * and trbdf2, whose estimates are of lower order than they, do better. */
static void check_tolerances(const problem *pb, const char *method,
                             double finest, double most, double power,
                             bool between)
{
    long steps = 0;

    if (is_missing(method)) return;
    for (double tol = 1e-3; tol >= finest * 0.99; tol *= 0.1) {
        yoke_work work = { 0 };
        const double error = adaptive_error(pb, method, tol, between, &work);
        if (loud())
            printf("%-8s %-20s %s tol %.0e error %9.2e ratio %7.3f steps %ld "
                   "rejected %ld residuals %ld jac %ld lu %ld\n",
                   method, pb->name, between ? "between" : "grid", tol, error,
                   error / tol, work.steps, work.rejected, work.residuals,
                   work.jacobians, work.factorizations);
        if (error > most * pow(tol, power))
            print_error("%s on %s\n", method, pb->name);
        CHECK_BETWEEN(error, 0.0, most * pow(tol, power));
        assert_true(work.steps >= steps);
        steps = work.steps;
    }
}

static void adaptive_errors_follow_the_tolerance(void **state)
{
    static const problem *const list[] = { &square, &charge,  &oscillator,
                                           &stiff,  &index1,  &mechanism,
                                           &driven, &coupled, &coupled_affine,
                                           &index2 };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const bool hard = list[k] == &index2;
        check_tolerances(list[k], "radau5", 1e-9, hard ? 500.0 : 20.0, 1.0,
                         false);
        if (hard) continue;
        check_tolerances(list[k], "radau5", 1e-9, 2.0, 1.0, true);
        check_tolerances(list[k], "trbdf2", 1e-7, 2.0, 1.0, false);
        check_tolerances(list[k], "trbdf2", 1e-7, 2.0, 1.0, true);
        check_tolerances(list[k], "genalpha", 1e-7, 1.0, 2.0 / 3.0, false);
        check_tolerances(list[k], "ida", 1e-8, 100.0, 1.0, true);
    }
}

/* Multipliers of index 3 have rounding errors eps / h^2, which must not count
 * as failure of Newton's method. */
static void rounding_does_not_stop_index_3(void **state)
{
    (void)state;
    CHECK_BETWEEN(fixed_error(&index3, "bdf2", 20000, false), 0.0, 1e-4);
    CHECK_BETWEEN(fixed_error(&index3, "bdf3", 20000, false), 0.0, 1e-4);
    CHECK_BETWEEN(fixed_error(&index3_short, "bdf2", 100, false), 0.0, 1e-2);
    CHECK_BETWEEN(fixed_error(&index3_short, "bdf1", 1000, false), 0.0, 1e-2);
    CHECK_BETWEEN(fixed_error(&index3_short, "bdf3", 1000, false), 0.0, 1e-2);
}

/* Robertson's reaction as a DAE, to t = 4e7: steps grow by twelve orders. */
static yoke_status robertson_eval(void *self, double t, const double *x,
                                  const double *u, double *q, double *f,
                                  yoke_err *err)
{
    const double r1 = 0.04 * x[0], r2 = 1e4 * x[1] * x[2],
                 r3 = 3e7 * x[1] * x[1];

    (void)self, (void)t, (void)u, (void)err;
    if (q) q[0] = x[0], q[1] = x[1], q[2] = 0.0;
    if (f) f[0] = r1 - r2, f[1] = r2 - r1 + r3, f[2] = x[0] + x[1] + x[2] - 1.0;
    return YOKE_OK;
}

static void stiff_reactions_are_followed_over_all_scales(void **state)
{
    static const yoke_system_ops ops = { .kind = "test",
                                         .eval = robertson_eval };
    static const char *const method[] = { "radau5", "trbdf2", "ida",
                                          "genalpha" };
    const double x0[] = { 1.0, 0.0, 0.0 }, size[] = { 1.0, 1e-5, 1.0 };
    const yoke_system_info info = { .n = 3, .x0 = x0, .nominal = size };

    (void)state;
    for (int k = 0; k < 4; k++) {
        yoke_stepper_options options = yoke_stepper_defaults();
        yoke_system *system = NULL;
        yk_propagator p = { 0 };
        yk_wave *y = NULL;
        yoke_err err = { 0 };
        double end[3];
        if (is_missing(method[k])) continue;
        snprintf(options.method, sizeof options.method, "%s", method[k]);
        options.atol = 1e-10;
        CHECK_OK(
            yoke_system_create(&system, "reaction", &ops, NULL, &info, &err),
            &err);
        CHECK_OK(yk_stepper_create(&p, system, &options, 0, NULL, &err), &err);
        CHECK_OK(yk_wave_create(&y, 3, &err), &err);
        CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, end, &err), &err);
        CHECK_OK(p.ops->sweep(p.self, 4e7, NULL, y, &err), &err);
        yk_wave_eval(y, 4e7, NULL, end);
        CHECK_NEAR(end[0] / 5.20307e-5, 1.0, 3e-3);
        CHECK_NEAR(end[1] / 2.081336e-10, 1.0, 3e-3);
        p.ops->free(p.self);
        yk_wave_free(y);
        yoke_system_free(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_methods_reach_their_order),
        cmocka_unit_test(inputs_are_read_at_the_stages),
        cmocka_unit_test(index_1_keeps_the_order),
        cmocka_unit_test(stormer_has_order_2),
        cmocka_unit_test(bdf_reaches_its_order),
        cmocka_unit_test(bdf_reaches_its_order_between_the_steps),
        cmocka_unit_test(stiffness_does_not_hurt),
        cmocka_unit_test(rounding_does_not_stop_index_3),
        cmocka_unit_test(adaptive_errors_follow_the_tolerance),
        cmocka_unit_test(stiff_reactions_are_followed_over_all_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
