/* run/accelerate_test.c -- corrected coupling waveforms between subsystems with
 * steppers of their own. */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

/* Sweeps of each window, by the watcher. */
typedef struct tally {
    int windows, sweeps, most;
} tally;

static void count_sweep(void *context, const yoke_sweep *sweep)
{
    tally *t = context;

    t->sweeps++;
    if (sweep->sweep > t->most) t->most = sweep->sweep;
    t->windows += sweep->accepted;
}

/* Runs to the end.  False: it did not converge. */
static bool ran(yoke_model *model, const yoke_run_options *options, tally *t,
                const char *name, double *value)
{
    const yoke_watcher watcher = { .sweep = count_sweep, .context = t };
    yoke_run *run = NULL;
    yoke_run_result result;
    yoke_err err = { YOKE_OK, "" };

    *t = (tally){ 0 };
    CHECK_OK(yoke_run_create(&run, model, options, &watcher, &err), &err);
    const yoke_status status = yoke_run_advance(run, options->stop, &err);
    yoke_run_summary(run, &result);
    const bool good = status == YOKE_OK && !result.repaired;
    if (good) assert_true(result.converged);
    *value = good ? value_of(run, name) : NAN;
    CHECK_OK(yoke_run_close(run, &err), &err);
    return good;
}

/* ---- a loop of two linear systems --------------------------------------- */

/* x' = -x + u + s(t), y = x + d u, twice, each reading the other. */
static void forcing(void *context, double t, double *r)
{
    (void)context;
    r[0] = cos(3.0 * t);
}

static yoke_model *loop_of(double gain, double memory)
{
    const double A = -1.0, one = 1.0, half = 0.5, B = memory;
    const double d0 = sqrt(fabs(gain)), d1 = gain > 0.0 ? d0 : -d0;
    const yoke_linear first = { .n = 1,
                                .m = 1,
                                .p = 1,
                                .A = &A,
                                .B = &B,
                                .H = &one,
                                .D = &d0,
                                .source = forcing,
                                .x0 = &one };
    const yoke_linear second = { .n = 1,
                                 .m = 1,
                                 .p = 1,
                                 .A = &A,
                                 .B = &B,
                                 .H = &one,
                                 .D = &d1,
                                 .x0 = &half };
    yoke_model *model = new_model();

    add_linear(model, "a", &first, NULL);
    add_linear(model, "b", &second, NULL);
    connect(model, "a.u1", "b.y1", 1.0);
    connect(model, "b.u1", "a.y1", 1.0);
    return model;
}

/* Loops that no plain iteration solves.  A few windows at the strongest gains
 * have to be repeated. */
static void strong_loops_take_few_sweeps(void **state)
{
    static const double size[] = { 0.01, 0.1,  0.5, 0.9, 1.1,
                                   2.0,  10.0, 1e2, 1e3, 1e4 };
    (void)state;
    for (int k = 0; k < 20; k++)
        for (int jacobi = 0; jacobi < 2; jacobi++) {
            const double gain = k % 2 ? -size[k / 2] : size[k / 2];
            yoke_model *model = loop_of(gain, 1.0);
            yoke_run_options o = yoke_run_defaults();
            tally t, whole;
            double value, exact;
            o.iterate.window = 0.1;
            o.scheme = YOKE_MONOLITHIC;
            assert_true(ran(model, &o, &whole, "a.x1", &exact));
            o.scheme = jacobi ? YOKE_JACOBI : YOKE_GAUSS_SEIDEL;
            o.iterate.accelerate = YOKE_ACCELERATE_NEWTON;
            assert_true(ran(model, &o, &t, "a.x1", &value));
            CHECK_NEAR(value / exact, 1.0, 1e-5);
            if (fabs(gain) <= 10.0) {
                assert_int_equal(t.windows, 10);
                CHECK_BETWEEN(t.most, 1, 5);
                CHECK_BETWEEN(t.sweeps, 10, 40);
            } else
                CHECK_BETWEEN(t.sweeps, 10, 400);
            yoke_model_free(model);
        }
}

/* ---- never worse than the plain iteration ------------------------------- */

/* x' = -x^3 + u, y = sin x: two of them. */
static yoke_status cubic_rhs(void *self, double t, const double *x,
                             const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = -x[0] * x[0] * x[0] + 5.0 * sin(u[0]) + cos(t);
    return YOKE_OK;
}

static yoke_model *cubic_pair(void)
{
    static const yoke_system_ops ops = { .kind = "cubic", .rhs = cubic_rhs };
    static const char *const name[] = { "a", "b" };
    const double one = 1.0;
    const yoke_system_info info = { .n = 1, .m = 1, .x0 = &one };
    yoke_model *model = new_model();
    yoke_err err;

    for (int i = 0; i < 2; i++) {
        yoke_system *system = NULL;
        CHECK_OK(yoke_system_create(&system, name[i], &ops, NULL, &info, &err),
                 &err);
        add_system(model, system, NULL);
    }
    connect(model, "a.u1", "b.x1", 1.0);
    connect(model, "b.u1", "a.x1", -1.0);
    return model;
}

static yoke_model *problem(int k, const char **name)
{
    const yoke_stepper_options rk4 = stepper("rk4", 0.01);

    *name = k < 6 ? "a.x1" : "left.x";
    switch (k) {
    case 0:
        return loop_of(0.0, 0.5);
    case 1:
        return loop_of(0.0, -5.0);
    case 2:
        return loop_of(0.3, 1.0);
    case 3:
        return loop_of(-0.6, 2.0);
    case 4:
        return loop_of(0.01, 20.0);
    case 5:
        *name = "a.x1";
        return cubic_pair();
    case 6:
        return two_masses(NULL, NULL);
    default:
        return two_masses(&rk4, &rk4);
    }
}

static void acceleration_is_never_worse_than_the_plain_iteration(void **state)
{
    static const double window[] = { 0.02, 0.1, 0.3 };
    (void)state;
    for (int k = 0; k < 8; k++)
        for (int w = 0; w < 3; w++) {
            const char *name = NULL;
            yoke_model *model = problem(k, &name);
            yoke_run_options o = yoke_run_defaults();
            tally plain, fast;
            double a, b;
            o.iterate.window = window[w];
            o.iterate.extrapolate = 1;
            o.iterate.accelerate = YOKE_ACCELERATE_NONE;
            assert_true(ran(model, &o, &plain, name, &a));
            o.iterate.accelerate = YOKE_ACCELERATE_AUTO;
            assert_true(ran(model, &o, &fast, name, &b));
            assert_int_equal(plain.windows, fast.windows);
            CHECK_BETWEEN(fast.sweeps, 1, plain.sweeps + plain.windows);
            CHECK_NEAR(a / b, 1.0, 1e-5);
            yoke_model_free(model);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strong_loops_take_few_sweeps),
        cmocka_unit_test(acceleration_is_never_worse_than_the_plain_iteration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
