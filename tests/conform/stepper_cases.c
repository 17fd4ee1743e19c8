/* Jumps, initial values, dense output, refusals: single cases of steppers. */
#include "check.h"

#include "step/steppers.h"
#include "yoke/compose.h"
#include "yoke/stepper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    yoke_system *system;
    yk_propagator p;
    yk_wave *u, *y;
    yoke_err err;
} bench;

static void close_bench(bench *b)
{
    if (b->p.self) b->p.ops->free(b->p.self);
    yk_wave_free(b->u);
    yk_wave_free(b->y);
    yoke_system_free(b->system);
    memset(b, 0, sizeof *b);
}

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

static yoke_stepper_options options_for(const char *method, double step)
{
    yoke_stepper_options options = yoke_stepper_defaults();

    snprintf(options.method, sizeof options.method, "%s", method);
    options.step = step;
    return options;
}

static yoke_status open_bench(bench *b, const yoke_system_ops *ops, void *self,
                              const yoke_system_info *info,
                              const yoke_stepper_options *options,
                              const double *u0)
{
    double y0[8];
    yoke_status status =
        yoke_system_create(&b->system, "part", ops, self, info, &b->err);

    if (status != YOKE_OK) return status;
    status = yk_stepper_create(&b->p, b->system, options, 0, NULL, &b->err);
    if (status != YOKE_OK) return status;
    CHECK_OK(yk_wave_create(&b->u, info->m, &b->err), &b->err);
    CHECK_OK(yk_wave_create(&b->y, b->p.p, &b->err), &b->err);
    yk_wave_clear(b->u, 0.0);
    return b->p.ops->start(b->p.self, 0.0, NULL, u0, y0, &b->err);
}

static void sweep(bench *b, double t1)
{
    CHECK_OK(b->p.ops->sweep(b->p.self, t1, b->u, b->y, &b->err), &b->err);
}

static void accept(bench *b)
{
    CHECK_OK(b->p.ops->accept(b->p.self, &b->err), &b->err);
}

static yoke_work work_of(bench *b)
{
    yoke_work work;

    b->p.ops->work(b->p.self, &work);
    return work;
}

/* ---- Jumps of the input
 * ------------------------------------------------------ */

/* x' = z - x, 0 = z - u. */
static yoke_status follower_eval(void *self, double t, const double *x,
                                 const double *u, double *q, double *f,
                                 yoke_err *err)
{
    (void)self, (void)t, (void)err;
    if (q) q[0] = x[0], q[1] = 0.0;
    if (f) f[0] = x[0] - x[1], f[1] = x[1] - u[0];
    return YOKE_OK;
}

static const yoke_system_ops follower_ops = { .kind = "follower",
                                              .eval = follower_eval };
static const yoke_system_info follower_info = { .n = 2, .m = 1 };

static void check_follower(bench *b, double jump, double tol)
{
    double left[2], right[2], end[2];

    yk_wave_eval(b->y, jump, NULL, left);
    yk_wave_eval_right(b->y, jump, NULL, right);
    yk_wave_eval(b->y, 1.0, NULL, end);
    CHECK_NEAR(left[1], 1.0, tol);
    CHECK_NEAR(right[1], 3.0, tol);
    CHECK_NEAR(left[0], 1.0 - exp(-jump), tol);
    CHECK_NEAR(right[0], left[0], tol);
    const double at = 1.0 - exp(-jump);
    CHECK_NEAR(end[0], 3.0 + (at - 3.0) * exp(jump - 1.0), tol);
}

static void adaptive_methods_stop_at_a_jump_of_the_input(void **state)
{
    static const char *const method[] = { "radau5", "trbdf2", "ida",
                                          "genalpha" };
    const double u0 = 1.0, before = 1.0, after = 3.0, jump = 0.37;

    (void)state;
    for (int k = 0; k < 4; k++) {
        const yoke_stepper_options options = options_for(method[k], 0.0);
        bench b = { 0 };
        if (is_missing(method[k])) continue;
        CHECK_OK(
            open_bench(&b, &follower_ops, NULL, &follower_info, &options, &u0),
            &b.err);
        CHECK_OK(yk_wave_append_constant(b.u, jump, &before, NULL), NULL);
        CHECK_OK(yk_wave_append_constant(b.u, 1.0, &after, NULL), NULL);
        for (int repeat = 0; repeat < 2; repeat++) {
            sweep(&b, 1.0);
            check_follower(&b, jump, 1e-4);
        }
        close_bench(&b);
    }
}

/* At the beginning of a window the algebraic unknowns follow the new input. */
static void algebraic_unknowns_jump_with_the_input(void **state)
{
    const char *name, *text;
    const double u0 = 1.0, after = 3.0;

    (void)state;
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++) {
        const yoke_stepper_options options =
            options_for(name, strcmp(name, "ida") ? 0.01 : 0.0);
        double right[2];
        bench b = { 0 };
        if (strcmp(name, "stormer") == 0 || is_missing(name)) continue;
        CHECK_OK(
            open_bench(&b, &follower_ops, NULL, &follower_info, &options, &u0),
            &b.err);
        CHECK_OK(yk_wave_append_constant(b.u, 0.5, &u0, NULL), NULL);
        sweep(&b, 0.5);
        accept(&b);
        yk_wave_clear(b.u, 0.5);
        CHECK_OK(yk_wave_append_constant(b.u, 1.0, &after, NULL), NULL);
        sweep(&b, 1.0);
        yk_wave_eval_right(b.y, 0.5, NULL, right);
        CHECK_NEAR(right[1], 3.0, 1e-9);
        CHECK_NEAR(right[0], 1.0 - exp(-0.5), 1e-2);
        close_bench(&b);
    }
}

/* A capacitor between two resistors: q = (x1 - x2, x2 - x1); the sum of both
 * equations is algebraic though every row has charge. */
static yoke_status floating_eval(void *self, double t, const double *x,
                                 const double *u, double *q, double *f,
                                 yoke_err *err)
{
    (void)self, (void)t, (void)err;
    if (q) q[0] = x[0] - x[1], q[1] = x[1] - x[0];
    if (f) f[0] = x[0] - u[0], f[1] = x[1];
    return YOKE_OK;
}

static const yoke_system_ops floating_ops = { .kind = "floating",
                                              .eval = floating_eval };

static void dependent_charges_jump_too(void **state)
{
    static const char *const method[] = { "radau5", "trbdf2", "ida",
                                          "implicit-euler", "bdf2" };
    const double u0 = 3.0, after = 5.0, x0[] = { 1.0, 0.0 };
    const yoke_system_info info = { .n = 2, .m = 1, .x0 = x0 };

    (void)state;
    for (int k = 0; k < 5; k++) {
        const yoke_stepper_options options =
            options_for(method[k], k > 2 ? 1e-3 : 0.0);
        double left[2], right[2];
        bench b = { 0 };
        if (is_missing(method[k])) continue;
        CHECK_OK(open_bench(&b, &floating_ops, NULL, &info, &options, &u0),
                 &b.err);
        CHECK_OK(yk_wave_append_constant(b.u, 0.5, &u0, NULL), NULL);
        sweep(&b, 0.5);
        accept(&b);
        yk_wave_eval(b.y, 0.5, NULL, left);
        yk_wave_clear(b.u, 0.5);
        CHECK_OK(yk_wave_append_constant(b.u, 1.0, &after, NULL), NULL);
        sweep(&b, 1.0);
        yk_wave_eval_right(b.y, 0.5, NULL, right);
        /* (x1 - x2)' = (u - (x1 - x2)) / 2 */
        const double charge = 3.0 - 2.0 * exp(-0.25);
        CHECK_NEAR(left[0] - left[1], charge, 1e-3);
        CHECK_NEAR(right[0] - right[1], charge, 1e-3);
        CHECK_NEAR(right[0] + right[1], 5.0, 1e-6);
        close_bench(&b);
    }
}

/* ---- Breakpoints of the equations
 * --------------------------------------------- */

/* x' = 0 before t = 1/2, 1 after; which side t = 1/2 belongs to is up to the
 * model. */
static yoke_status switch_rhs(void *self, double t, const double *x,
                              const double *u, double *xdot, yoke_err *err)
{
    const bool closed = *(const bool *)self;

    (void)x, (void)u, (void)err;
    xdot[0] = (closed ? t < 0.5 : t <= 0.5) ? 0.0 : 1.0;
    return YOKE_OK;
}

static double switch_break(void *self, double t)
{
    (void)self;
    return t < 0.5 ? 0.5 : INFINITY;
}

static void both_sides_of_a_breakpoint_are_seen(void **state)
{
    static const yoke_system_ops ops = { .kind = "switch",
                                         .rhs = switch_rhs,
                                         .next_break = switch_break };
    const yoke_system_info info = { .n = 1 };
    const char *name, *text;

    (void)state;
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++) {
        if (strcmp(name, "stormer") == 0 || is_missing(name)) continue;
        for (int windows = 1; windows <= 2; windows++) {
            bool closed = windows == 1;
            const yoke_stepper_options options =
                options_for(name, strcmp(name, "ida") ? 0.05 : 0.0);
            bench b = { 0 };
            double x = 0.0;
            CHECK_OK(open_bench(&b, &ops, &closed, &info, &options, NULL),
                     &b.err);
            for (int k = 1; k <= windows; k++) {
                sweep(&b, (double)k / windows);
                accept(&b);
            }
            yk_wave_eval(b.y, 1.0, NULL, &x);
            if (fabs(x - 0.5) > 1e-9) print_error("%s\n", name);
            CHECK_NEAR(x, 0.5, 1e-9);
            close_bench(&b);
        }
    }
}

/* ---- Outputs
 * ------------------------------------------------------------------ */

/* x' = 1, y = x + u. */
static yoke_status ramp_rhs(void *self, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)err;
    xdot[0] = 1.0;
    return YOKE_OK;
}

static yoke_status ramp_output(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    y[0] = x[0] + u[0];
    return YOKE_OK;
}

static const yoke_system_ops ramp_ops = { .kind = "ramp",
                                          .rhs = ramp_rhs,
                                          .output = ramp_output };
static const yoke_system_info ramp_info = { .n = 1, .m = 1, .p = 1 };

static void feedthrough_follows_the_knots_of_the_input(void **state)
{
    const double u0 = 0.0, one = 1.0, minus = -2.0;
    const char *name, *text;

    (void)state;
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++) {
        const yoke_stepper_options options =
            options_for(name, strcmp(name, "ida") ? 0.25 : 0.0);
        bench b = { 0 };
        if (strcmp(name, "stormer") == 0 || is_missing(name)) continue;
        CHECK_OK(open_bench(&b, &ramp_ops, NULL, &ramp_info, &options, &u0),
                 &b.err);
        CHECK_OK(yk_wave_append_linear(b.u, 0.3, &u0, &one, NULL), NULL);
        CHECK_OK(yk_wave_append_linear(b.u, 0.6, &one, &minus, NULL), NULL);
        CHECK_OK(yk_wave_append_linear(b.u, 1.0, &one, &minus, NULL), NULL);
        sweep(&b, 1.0);
        for (int k = 1; k < 100; k++) {
            const double t = 0.01 * k;
            double u, y;
            yk_wave_eval_right(b.u, t, NULL, &u);
            yk_wave_eval_right(b.y, t, NULL, &y);
            CHECK_NEAR(y, t + u, 1e-9);
        }
        close_bench(&b);
    }
}

static void dense_output_can_be_chosen(void **state)
{
    static const char *const dense[] = { "constant", "linear", "cubic" };
    static const int degree[] = { 0, 1, 3 };
    const double u0 = 0.0;

    (void)state;
    for (int k = 0; k < 3; k++) {
        yoke_stepper_options options = options_for("radau5", 0.0);
        double value, at;
        bench b = { 0 };
        CHECK_OK(yoke_stepper_set(&options, "dense", dense[k], &b.err), &b.err);
        CHECK_OK(open_bench(&b, &ramp_ops, NULL, &ramp_info, &options, &u0),
                 &b.err);
        CHECK_OK(yk_wave_append_constant(b.u, 1.0, &u0, NULL), NULL);
        sweep(&b, 1.0);
        assert_int_equal(yk_wave_degree(b.y, 0), degree[k]);
        const double a = yk_wave_knot(b.y, 1), e = yk_wave_knot(b.y, 2);
        yk_wave_eval(b.y, 0.5 * (a + e), NULL, &value);
        at = k == 0 ? a : 0.5 * (a + e);
        CHECK_NEAR(value, at, 1e-9);
        close_bench(&b);
    }
}

/* ---- Initial values
 * ------------------------------------------------------------ */

static yoke_status initial(const yoke_system_ops *ops, int n, const double *u0,
                           double *x, yoke_err *err)
{
    const yoke_system_info info = { .n = n, .m = u0 ? 1 : 0 };
    yoke_system *system = NULL;

    CHECK_OK(yoke_system_create(&system, "part", ops, NULL, &info, err), err);
    const yoke_status status = yk_initial_values(system, 0.0, u0, x, err);
    yoke_system_free(system);
    return status;
}

/* x' = z, 0 = z + 1e-12 (exp(40 z) - 1) - u - x: a diode. */
static yoke_status diode_eval(void *self, double t, const double *x,
                              const double *u, double *q, double *f,
                              yoke_err *err)
{
    (void)self, (void)t, (void)err;
    if (q) q[0] = x[0], q[1] = 0.0;
    if (f) {
        f[0] = -x[1];
        f[1] = x[1] + 1e-12 * (exp(40.0 * x[1]) - 1.0) - u[0] - x[0];
    }
    return YOKE_OK;
}

/* Rows of C depend on each other, columns do not: q = (x, -x). */
static yoke_status branch_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    (void)self, (void)t, (void)err;
    if (q) q[0] = x[0], q[1] = -x[0];
    if (f) f[0] = x[0] - x[1], f[1] = 2.0 * x[1] - u[0];
    return YOKE_OK;
}

static yoke_status index2_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    (void)self, (void)u, (void)err;
    if (q) q[0] = x[0], q[1] = 0.0;
    if (f) f[0] = -x[1], f[1] = x[0] - sin(t);
    return YOKE_OK;
}

static const yoke_system_ops diode_ops = { .kind = "diode",
                                           .eval = diode_eval };
static const yoke_system_ops branch_ops = { .kind = "branch",
                                            .eval = branch_eval };
static const yoke_system_ops index2_ops = { .kind = "index2",
                                            .eval = index2_eval };

static void initial_values_keep_the_charges(void **state)
{
    const double u0 = 3.0;
    yoke_err err = { 0 };

    (void)state;
    double x[2] = { 0.5, 0.0 };
    CHECK_OK(initial(&follower_ops, 2, &u0, x, &err), &err);
    CHECK_NEAR(x[0], 0.5, 1e-12);
    CHECK_NEAR(x[1], 3.0, 1e-12);

    double d[2] = { 0.5, 0.0 }; /* far from the solution */
    CHECK_OK(initial(&diode_ops, 2, &u0, d, &err), &err);
    CHECK_NEAR(d[0], 0.5, 1e-12);
    CHECK_NEAR(d[1] + 1e-12 * (exp(40.0 * d[1]) - 1.0), 3.5, 1e-7);

    double c[2] = { 1.0, 0.0 };
    CHECK_OK(initial(&floating_ops, 2, &u0, c, &err), &err);
    CHECK_NEAR(c[0] - c[1], 1.0, 1e-8);
    CHECK_NEAR(c[0] + c[1], 3.0, 1e-8);

    double e[2] = { 0.5, 0.0 };
    CHECK_OK(initial(&branch_ops, 2, &u0, e, &err), &err);
    CHECK_NEAR(e[0], 0.5, 1e-8);
    CHECK_NEAR(e[1], 2.5, 1e-8);
}

/* 0 = z^2 + 1 has no solution; 0 = 0 determines nothing. */
static yoke_status unsolvable_eval(void *self, double t, const double *x,
                                   const double *u, double *q, double *f,
                                   yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    if (q) q[0] = x[0], q[1] = 0.0;
    if (f) f[0] = x[0], f[1] = x[1] * x[1] + 1.0;
    return YOKE_OK;
}

static yoke_status undetermined_eval(void *self, double t, const double *x,
                                     const double *u, double *q, double *f,
                                     yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    if (q) q[0] = x[0], q[1] = 0.0;
    if (f) f[0] = x[0] + x[1], f[1] = 0.0;
    return YOKE_OK;
}

static void impossible_initial_values_are_refused(void **state)
{
    static const yoke_system_ops unsolvable = { .kind = "test",
                                                .eval = unsolvable_eval };
    static const yoke_system_ops undetermined = { .kind = "test",
                                                  .eval = undetermined_eval };
    double x[2] = { 1.0, 0.3 };
    yoke_err err = { 0 };

    (void)state;
    CHECK_STATUS(initial(&unsolvable, 2, NULL, x, &err), YOKE_E_NUMERIC, &err);
    CHECK_CONTAINS(err.text, "part");
    CHECK_STATUS(initial(&undetermined, 2, NULL, x, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "do not determine");
    assert_true(x[0] == 1.0 && x[1] == 0.3);
}

static void consistent_initial_values_are_not_touched(void **state)
{
    const double u0 = 0.1 + 0.2;
    double x[2] = { 1.0 / 3.0, 0.1 + 0.2 };
    yoke_err err = { 0 };

    (void)state;
    CHECK_OK(initial(&follower_ops, 2, &u0, x, &err), &err);
    assert_true(x[0] == 1.0 / 3.0 && x[1] == 0.1 + 0.2);
}

/* x' = z, x = sin t: z = cos t is hidden. */
static void hidden_constraints_hold_at_the_start(void **state)
{
    const yoke_system_info info = { .n = 2 };
    double x[2] = { 0.0, 0.0 }, bad[2] = { 0.5, 0.0 };
    yoke_err err = { 0 };
    yoke_stepper_options options = options_for("radau5", 0.0);
    bench b = { 0 };

    (void)state;
    CHECK_OK(initial(&index2_ops, 2, NULL, x, &err), &err);
    CHECK_NEAR(x[0], 0.0, 0.0);
    CHECK_NEAR(x[1], 1.0, 1e-9);
    CHECK_STATUS(initial(&index2_ops, 2, NULL, bad, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "\"part\"");
    CHECK_CONTAINS(err.text, "\"equation 2\" is left with 0.5");
    assert_true(bad[0] == 0.5 && bad[1] == 0.0);
    options.given = true;
    CHECK_OK(open_bench(&b, &index2_ops, NULL, &info, &options, NULL), &b.err);
    close_bench(&b);
}

/* ---- Refusals
 * ------------------------------------------------------------------ */

static void explicit_methods_refuse_higher_index(void **state)
{
    static const char *const method[] = { "euler", "midpoint", "heun", "rk4" };
    const yoke_system_info info = { .n = 2 };

    (void)state;
    for (int k = 0; k < 4; k++) {
        yoke_stepper_options options = options_for(method[k], 0.1);
        bench b = { 0 };
        options.given = true;
        CHECK_OK(open_bench(&b, &index2_ops, NULL, &info, &options, NULL),
                 &b.err);
        CHECK_STATUS(b.p.ops->sweep(b.p.self, 1.0, b.u, b.y, &b.err),
                     YOKE_E_MODEL, &b.err);
        CHECK_CONTAINS(b.err.text, method[k]);
        CHECK_CONTAINS(b.err.text, "part");
        CHECK_CONTAINS(b.err.text, "implicit");
        close_bench(&b);
    }
}

static void unsuitable_options_are_refused(void **state)
{
    const yoke_system_info info = { .n = 2, .m = 1 };
    const double u0 = 0.0;
    yoke_stepper_options options = options_for("stormer", 0.1);
    bench b = { 0 };

    (void)state;
    CHECK_STATUS(open_bench(&b, &follower_ops, NULL, &info, &options, &u0),
                 YOKE_E_ARG, &b.err);
    CHECK_CONTAINS(b.err.text, "positions");
    close_bench(&b);
    options = options_for("rk4", 0.0);
    CHECK_STATUS(open_bench(&b, &follower_ops, NULL, &info, &options, &u0),
                 YOKE_E_ARG, &b.err);
    CHECK_CONTAINS(b.err.text, "step");
    close_bench(&b);
    if (is_missing("ida")) {
        options = options_for("ida", 0.0);
        CHECK_STATUS(open_bench(&b, &follower_ops, NULL, &info, &options, &u0),
                     YOKE_E_MISSING, &b.err);
        close_bench(&b);
    }
    options = options_for("magic", 0.1);
    CHECK_STATUS(open_bench(&b, &follower_ops, NULL, &info, &options, &u0),
                 YOKE_E_ARG, &b.err);
    close_bench(&b);
    CHECK_STATUS(yoke_stepper_set(&options, "rtol", "2", &b.err), YOKE_E_ARG,
                 &b.err);
    CHECK_STATUS(yoke_stepper_set(&options, "method", "bdf7", &b.err),
                 YOKE_E_ARG, &b.err);
    CHECK_OK(yoke_stepper_set(&options, "method", "bdf6", &b.err), &b.err);
}

static void illegal_arguments_are_refused(void **state)
{
    const yoke_stepper_options options = options_for("radau5", 0.0);
    const double u0 = 1.0;
    const int watch = 2;
    double y0[2];
    yk_wave *other = NULL;
    yk_propagator p = { 0 };
    bench b = { 0 };

    (void)state;
    CHECK_OK(open_bench(&b, &follower_ops, NULL, &follower_info, &options, &u0),
             &b.err);
    CHECK_OK(yk_wave_create(&other, 3, NULL), NULL);
    const yk_propagator_ops *ops = b.p.ops;
    CHECK_STATUS(ops->sweep(b.p.self, 1.0, b.u, b.y, &b.err), YOKE_E_ARG,
                 &b.err);
    CHECK_STATUS(ops->sweep(b.p.self, 1.0, NULL, b.y, &b.err), YOKE_E_ARG,
                 &b.err);
    CHECK_OK(yk_wave_append_constant(b.u, 1.0, &u0, NULL), NULL);
    CHECK_STATUS(ops->sweep(b.p.self, 2.0, b.u, b.y, &b.err), YOKE_E_ARG,
                 &b.err);
    CHECK_CONTAINS(b.err.text, "cover");
    CHECK_STATUS(ops->sweep(b.p.self, 1.0, b.u, other, &b.err), YOKE_E_ARG,
                 &b.err);
    CHECK_STATUS(ops->sweep(b.p.self, 0.0, b.u, b.y, &b.err), YOKE_E_ARG,
                 &b.err);
    CHECK_STATUS(ops->start(b.p.self, 0.0, NULL, NULL, y0, &b.err), YOKE_E_ARG,
                 &b.err);
    CHECK_STATUS(yk_stepper_create(&p, b.system, &options, 1, &watch, &b.err),
                 YOKE_E_ARG, &b.err);
    CHECK_CONTAINS(b.err.text, "watched unknown 2");
    CHECK_OK(yk_stepper_create(&p, b.system, &options, 0, NULL, &b.err),
             &b.err);
    CHECK_STATUS(ops->sweep(p.self, 1.0, b.u, b.y, &b.err), YOKE_E_ARG, &b.err);
    CHECK_CONTAINS(b.err.text, "not started");
    ops->free(p.self);
    yk_wave_free(other);
    close_bench(&b);
}

/* x' = 1e308. */
static yoke_status huge_rhs(void *self, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)err;
    xdot[0] = 1e308;
    return YOKE_OK;
}

static void overflow_is_no_result(void **state)
{
    static const char *const method[] = { "euler", "rk4", "implicit-euler",
                                          "bdf3" };
    static const yoke_system_ops ops = { .kind = "huge", .rhs = huge_rhs };
    const yoke_system_info info = { .n = 1 };

    (void)state;
    for (int k = 0; k < 4; k++) {
        yoke_stepper_options options = options_for(method[k], 100.0);
        bench b = { 0 };
        CHECK_OK(open_bench(&b, &ops, NULL, &info, &options, NULL), &b.err);
        CHECK_STATUS(b.p.ops->sweep(b.p.self, 200.0, b.u, b.y, &b.err),
                     YOKE_RETRY, &b.err);
        CHECK_CONTAINS(b.err.text, "part");
        assert_int_equal(yk_wave_pieces(b.y), 0);
        close_bench(&b);
        options.step = 1e-300;
        CHECK_OK(open_bench(&b, &ops, NULL, &info, &options, NULL), &b.err);
        CHECK_STATUS(b.p.ops->sweep(b.p.self, 1.0, b.u, b.y, &b.err),
                     YOKE_E_ARG, &b.err);
        close_bench(&b);
    }
}

/* Second-order systems that are none. */
static yoke_status slider_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    const int kind = *(const int *)self;

    (void)t, (void)err;
    if (q) {
        q[0] = x[0], q[1] = x[1] + (kind == 0 ? u[0] : 0.0);
        q[2] = kind == 1 ? x[2] : 0.0;
    }
    if (f) {
        f[0] = -x[1], f[1] = -x[2];
        f[2] = kind == 2 ? x[0] : x[0] + x[2] - 0.0 * u[0];
    }
    return YOKE_OK;
}

static void stormer_refuses_what_is_not_of_second_order(void **state)
{
    static const yoke_system_ops ops = { .kind = "slider",
                                         .eval = slider_eval };
    static const char *const reason[] = { "inputs", "x3", "index 1" };
    const yoke_system_info info = { .n = 3, .m = 1, .positions = 1 };
    yoke_stepper_options options = options_for("stormer", 0.1);
    const double u0 = 0.0;

    (void)state;
    options.given = true;
    for (int kind = 0; kind < 3; kind++) {
        bench b = { 0 };
        yoke_status status = open_bench(&b, &ops, &kind, &info, &options, &u0);
        if (kind == 2) {
            CHECK_OK(status, &b.err);
            CHECK_OK(yk_wave_append_constant(b.u, 1.0, &u0, NULL), NULL);
            status = b.p.ops->sweep(b.p.self, 1.0, b.u, b.y, &b.err);
        }
        assert_int_equal(status, kind == 2 ? YOKE_E_MODEL : YOKE_E_ARG);
        CHECK_CONTAINS(b.err.text, reason[kind]);
        close_bench(&b);
    }
}

/* ---- Work, history, memory
 * ------------------------------------------------------ */

static void affine_systems_are_factored_once(void **state)
{
    const double E[] = { 1, 0, 0, 0 }, A[] = { -1, 1, 1, -2 }, B[] = { 0, 1 };
    const yoke_linear linear = { .n = 2, .m = 1, .E = E, .A = A, .B = B };
    const yoke_stepper_options options = options_for("implicit-euler", 0.1);
    const double u0 = 0.0, u1 = 5.0;
    double y0[2];
    bench b = { 0 };

    (void)state;
    CHECK_OK(yoke_linear_create(&b.system, "linear", &linear, &b.err), &b.err);
    CHECK_OK(yk_stepper_create(&b.p, b.system, &options, 0, NULL, &b.err),
             &b.err);
    CHECK_OK(yk_wave_create(&b.u, 1, &b.err), &b.err);
    CHECK_OK(yk_wave_create(&b.y, 2, &b.err), &b.err);
    yk_wave_clear(b.u, 0.0);
    CHECK_OK(yk_wave_append_linear(b.u, 5.0, &u0, &u1, NULL), NULL);
    CHECK_OK(b.p.ops->start(b.p.self, 0.0, NULL, &u0, y0, &b.err), &b.err);
    sweep(&b, 1.0);
    const yoke_work before = work_of(&b);
    for (int k = 1; k <= 5; k++) {
        sweep(&b, k);
        accept(&b);
    }
    const yoke_work after = work_of(&b);
    assert_int_equal(after.steps - before.steps, 50);
    assert_int_equal(after.residuals - before.residuals, 50);
    assert_int_equal(after.solves - before.solves, 50);
    assert_int_equal(after.factorizations, before.factorizations);
    assert_int_equal(after.jacobians, 1);
    close_bench(&b);
}

static void bdf_keeps_its_history_over_windows(void **state)
{
    const double u0 = 1.0;
    const char *const method[] = { "bdf2", "bdf3", "bdf6" };

    (void)state;
    for (int k = 0; k < 3; k++) {
        const yoke_stepper_options options = options_for(method[k], 0.02);
        double once[2], often[2];
        bench b = { 0 };
        for (int windows = 1; windows <= 5; windows += 4) {
            CHECK_OK(open_bench(&b, &follower_ops, NULL, &follower_info,
                                &options, &u0),
                     &b.err);
            CHECK_OK(yk_wave_append_constant(b.u, 1.0, &u0, NULL), NULL);
            for (int i = 1; i <= windows; i++) {
                sweep(&b, (double)i / windows);
                sweep(&b, (double)i / windows);
                accept(&b);
            }
            yk_wave_eval(b.y, 1.0, NULL, windows == 1 ? once : often);
            close_bench(&b);
        }
        CHECK_NEAR(once[0], often[0], 1e-11);
    }
}

/* A counter that only restore changes. */
static yoke_status memory_rhs(void *self, double t, const double *x,
                              const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)err;
    xdot[0] = 1.0;
    return YOKE_OK;
}

static void memory_save(void *self, void *bytes)
{
    memcpy(bytes, self, sizeof(int));
}

static void memory_restore(void *self, const void *bytes)
{
    int *count = self;

    memcpy(&count[0], bytes, sizeof(int));
    count[1]++;
}

static void memory_is_restored_before_each_sweep(void **state)
{
    static const yoke_system_ops ops = { .kind = "memory",
                                         .rhs = memory_rhs,
                                         .save = memory_save,
                                         .restore = memory_restore };
    const yoke_system_info info = { .n = 1, .memory_bytes = sizeof(int) };
    const yoke_stepper_options options = options_for("implicit-euler", 0.1);
    int memory[2] = { 7, 0 };
    bench b = { 0 };

    (void)state;
    CHECK_OK(open_bench(&b, &ops, memory, &info, &options, NULL), &b.err);
    memory[0] = 8; /* another user of the same system */
    sweep(&b, 1.0);
    assert_int_equal(memory[0], 7);
    const int once = memory[1];
    sweep(&b, 1.0);
    assert_true(memory[1] > once);
    assert_int_equal(memory[0], 7);
    memory[0] = 9;
    accept(&b);
    sweep(&b, 2.0);
    assert_int_equal(memory[0], 7);
    close_bench(&b);
}

/* ---- A large sparse system
 * -------------------------------------------------------- */

enum { CELLS = 2000 };

/* x_i' = x_{i-1} - 2 x_i + x_{i+1}, ends held at zero; y = middle. */
static yoke_status heat_eval(void *self, double t, const double *x,
                             const double *u, double *q, double *f,
                             yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    for (int i = 0; i < CELLS; i++) {
        if (q) q[i] = x[i];
        if (f)
            f[i] = 2.0 * x[i] - (i > 0 ? x[i - 1] : 0.0) -
                   (i < CELLS - 1 ? x[i + 1] : 0.0);
    }
    return YOKE_OK;
}

static yoke_status heat_output(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    y[0] = x[CELLS / 2];
    return YOKE_OK;
}

static void large_sparse_systems_are_solved(void **state)
{
    static const yoke_system_ops ops = { .kind = "heat",
                                         .eval = heat_eval,
                                         .output = heat_output };
    static const char *const method[] = { "radau5", "trbdf2", "genalpha", "ida",
                                          "bdf3" };
    static double x0[CELLS];
    const double angle = 3.14159265358979323846 * 3 / (CELLS + 1);
    const double rate = 2.0 - 2.0 * cos(angle);
    yoke_system_info info = { .n = CELLS, .p = 1, .x0 = x0 };

    (void)state;
    for (int i = 0; i < CELLS; i++) x0[i] = sin(angle * (i + 1));
    for (int k = 0; k < 5; k++) {
        yoke_stepper_options options = options_for(method[k], 0.0);
        bench b = { 0 };
        double y = 0.0;
        if (is_missing(method[k])) continue;
        if (k == 4) options.step = 1e3;
        CHECK_OK(open_bench(&b, &ops, NULL, &info, &options, NULL), &b.err);
        sweep(&b, 1e4);
        yk_wave_eval(b.y, 1e4, NULL, &y);
        CHECK_NEAR(y, x0[CELLS / 2] * exp(-rate * 1e4), 1e-4);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adaptive_methods_stop_at_a_jump_of_the_input),
        cmocka_unit_test(algebraic_unknowns_jump_with_the_input),
        cmocka_unit_test(dependent_charges_jump_too),
        cmocka_unit_test(both_sides_of_a_breakpoint_are_seen),
        cmocka_unit_test(feedthrough_follows_the_knots_of_the_input),
        cmocka_unit_test(dense_output_can_be_chosen),
        cmocka_unit_test(initial_values_keep_the_charges),
        cmocka_unit_test(consistent_initial_values_are_not_touched),
        cmocka_unit_test(hidden_constraints_hold_at_the_start),
        cmocka_unit_test(explicit_methods_refuse_higher_index),
        cmocka_unit_test(unsuitable_options_are_refused),
        cmocka_unit_test(impossible_initial_values_are_refused),
        cmocka_unit_test(illegal_arguments_are_refused),
        cmocka_unit_test(overflow_is_no_result),
        cmocka_unit_test(stormer_refuses_what_is_not_of_second_order),
        cmocka_unit_test(affine_systems_are_factored_once),
        cmocka_unit_test(bdf_keeps_its_history_over_windows),
        cmocka_unit_test(memory_is_restored_before_each_sweep),
        cmocka_unit_test(large_sparse_systems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
