/* step/front_test.c -- steps that cross windows: as good as those that do not,
 * fewer, and given up when their inputs turn out to be others. */
#include "check.h"

#include "step/steppers.h"
#include "sys/propagator.h"
#include "yoke/compose.h"
#include "yoke/stepper.h"
#include "yoke/system.h"

#include <math.h>

static yoke_status rhs(void *self, double t, const double *x, const double *u,
                       double *xdot, yoke_err *err)
{
    const double *cubic = self;

    (void)t, (void)err;
    xdot[0] = -0.1 * x[0] - *cubic * x[0] * x[0] * x[0] + u[0];
    return YOKE_OK;
}

static double none = 0.0, some = 0.1;
static const double tolerance = 1e-6;

typedef struct rig {
    yoke_system *system;
    yk_propagator p;
    yk_wave *u, *y;
    double t;
} rig;

static rig begin(double *cubic)
{
    static const yoke_system_ops ops = { .kind = "cubic", .rhs = rhs };
    const double one = 1.0, rate = -0.1;
    const yoke_system_info info = { .n = 1, .m = 1, .x0 = &one };
    const yoke_linear linear = {
        .n = 1, .m = 1, .p = 1, .A = &rate, .B = &one, .H = &one, .x0 = &one
    };
    yoke_stepper_options o = yoke_stepper_defaults();
    rig r = { 0 };
    double u0 = 0.0, y0 = 0.0;
    yoke_err err;

    if (*cubic == 0.0)
        CHECK_OK(yoke_linear_create(&r.system, "s", &linear, &err), &err);
    else
        CHECK_OK(yoke_system_create(&r.system, "s", &ops, cubic, &info, &err),
                 &err);
    CHECK_OK(yoke_stepper_set(&o, "method", "radau5", &err), &err);
    o.rtol = o.atol = tolerance;
    CHECK_OK(yk_stepper_create(&r.p, r.system, &o, 0, NULL, &err), &err);
    CHECK_OK(r.p.ops->start(r.p.self, 0.0, NULL, &u0, &y0, &err), &err);
    r.p.ops->tape->keep(r.p.self, true);
    CHECK_OK(yk_wave_create(&r.u, 1, &err), &err);
    CHECK_OK(yk_wave_create(&r.y, 1, &err), &err);
    return r;
}

static void end(rig *r)
{
    r->p.ops->free(r->p.self);
    yoke_system_free(r->system);
    yk_wave_free(r->u);
    yk_wave_free(r->y);
}

/* An input that begins to rise, with a kink, at t = from. */
static double input(double t, double from)
{
    return 0.01 * sin(0.1 * t) + (t > from ? 0.5 * (t - from) : 0.0);
}

static double value(const yk_wave *w, double t)
{
    double out = NAN;

    yk_wave_eval(w, t, NULL, &out);
    return out;
}

/* One window of given length with the true inputs, or to the head if that comes
 * before; limit: how far steps may go. */
static void window(rig *r, double length, double from, double limit)
{
    double t1 = r->t + length;
    yoke_err err;

    CHECK_OK(r->p.ops->front->permit(r->p.self, limit, &err), &err);
    t1 = fmin(t1, r->p.ops->front->head(r->p.self));
    yk_wave_clear(r->u, r->t);
    for (int k = 0; k < 4; k++) {
        double at[4];
        const double a = r->t + (t1 - r->t) * k / 4.0,
                     b = r->t + (t1 - r->t) * (k + 1) / 4.0;
        for (int i = 0; i < 4; i++) at[i] = input(a + (b - a) * i / 3.0, from);
        CHECK_OK(yk_wave_append_samples(r->u, b, 3, at, &err), &err);
    }
    CHECK_OK(r->p.ops->sweep(r->p.self, t1, r->u, r->y, &err), &err);
    CHECK_NEAR(yk_wave_begin(r->y), r->t, 0.0);
    CHECK_NEAR(yk_wave_end(r->y), t1, 0.0);
    CHECK_OK(r->p.ops->accept(r->p.self, &err), &err);
    r->t = t1;
}

static long residuals(const rig *r)
{
    yoke_work work = { 0 };

    r->p.ops->work(r->p.self, &work);
    return work.residuals;
}

/* Goes to t = 20 in windows of 0.125; the largest error of the outputs against a
 * propagator that takes one window, and what both have cost. */
static double run(double *cubic, double from, bool cross, long *cost)
{
    rig r = begin(cubic), whole = begin(cubic);
    double most = 0.0;

    while (whole.t < 20.0) window(&whole, 0.05, from, whole.t);
    const double at_end = value(whole.y, 20.0);
    end(&whole);
    while (r.t < 20.0 - 1e-9) {
        const double before = r.t > 0.0 ? value(r.y, r.t) : 1.0;
        window(&r, fmin(0.125, 20.0 - r.t), from, cross ? 20.0 : r.t);
        double now = 0.0;
        yk_wave_eval_right(r.y, yk_wave_begin(r.y), NULL, &now);
        most = fmax(most, fabs(now - before)); /* no jump between windows */
    }
    most = fmax(most, fabs(value(r.y, 20.0) - at_end));
    *cost = residuals(&r);
    end(&r);
    return most;
}

static void slow_inputs_are_crossed(void **state)
{
    double *const kind[] = { &none, &some };
    const double fewer[] = { 2.0, 1.25 };

    (void)state;
    for (int k = 0; k < 2; k++) {
        long apart = 0, crossing = 0;
        CHECK_BETWEEN(run(kind[k], INFINITY, false, &apart), 0.0,
                      3.0 * tolerance);
        CHECK_BETWEEN(run(kind[k], INFINITY, true, &crossing), 0.0,
                      3.0 * tolerance);
        CHECK_BETWEEN(fewer[k] * (double)crossing, 0.0, (double)apart);
    }
}

static void what_comes_otherwise_is_solved_again(void **state)
{
    double *const kind[] = { &none, &some };

    (void)state;
    for (int k = 0; k < 2; k++) {
        long apart = 0, crossing = 0;
        CHECK_BETWEEN(run(kind[k], 7.3, false, &apart), 0.0, 10.0 * tolerance);
        CHECK_BETWEEN(run(kind[k], 7.3, true, &crossing), 0.0,
                      10.0 * tolerance);
        CHECK_BETWEEN((double)crossing, 0.0, (double)apart);
    }
}

/* In the middle of a step the state is that of the accepted time, and the point is
 * there when no step may cross any more. */
static void the_state_is_that_of_the_accepted_time(void **state)
{
    rig r = begin(&none);
    yoke_err err;
    double x = 0.0;
    bool crossed = false;

    (void)state;
    while (r.t < 12.0 && !crossed) {
        window(&r, 0.25, INFINITY, 20.0);
        const double head = r.p.ops->front->head(r.p.self);
        crossed = isfinite(head) && head > r.t + 0.3 && r.t > 2.0;
    }
    assert_true(crossed);
    r.p.ops->handover->give(r.p.self, &x);
    CHECK_NEAR(x, value(r.y, r.t), 0.1 * tolerance);
    CHECK_OK(r.p.ops->front->permit(r.p.self, r.t, &err), &err);
    assert_true(isinf(r.p.ops->front->head(r.p.self)));
    double landed = 0.0;
    r.p.ops->handover->give(r.p.self, &landed);
    CHECK_NEAR(landed, x, tolerance);
    end(&r);
}

static void no_step_ends_behind_the_limit(void **state)
{
    rig r = begin(&none);

    (void)state;
    while (r.t < 9.9) {
        window(&r, fmin(0.25, 10.0 - r.t), INFINITY, 10.0);
        const double head = r.p.ops->front->head(r.p.self);
        assert_true(isinf(head) || head <= 10.0);
    }
    end(&r);
}

/* A sweep to t1 with inputs that nobody will have. */
static void sweep_in_vain(rig *r, double t1)
{
    const double wild[] = { 3.0, -2.0, 5.0, 0.5 };
    yoke_err err;

    yk_wave_clear(r->u, r->t);
    CHECK_OK(yk_wave_append_samples(r->u, t1, 3, wild, &err), &err);
    CHECK_OK(r->p.ops->sweep(r->p.self, t1, r->u, r->y, &err), &err);
}

/* Of two units one is solved in a sweep that is given up: both go on alike, to the
 * bit, whether a step of them crosses the window or not. */
static void a_sweep_that_was_given_up_is_forgotten(void **state)
{
    double *const kind[] = { &none, &some };

    (void)state;
    for (int k = 0; k < 4; k++) {
        const double limit = k < 2 ? 20.0 : 0.0;
        rig one = begin(kind[k % 2]), two = begin(kind[k % 2]);
        yoke_err err;
        for (int i = 0; i < 60; i++) {
            if (i % 7 == 6) {
                sweep_in_vain(&one, one.t + 0.05);
                CHECK_OK(one.p.ops->forget(one.p.self, &err), &err);
                CHECK_OK(two.p.ops->forget(two.p.self, &err), &err);
            }
            window(&one, 0.125, 7.3, fmax(limit, one.t));
            window(&two, 0.125, 7.3, fmax(limit, two.t));
            assert_true(one.t == two.t);
            assert_true(value(one.y, one.t) == value(two.y, two.t));
        }
        end(&one);
        end(&two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_inputs_are_crossed),
        cmocka_unit_test(what_comes_otherwise_is_solved_again),
        cmocka_unit_test(the_state_is_that_of_the_accepted_time),
        cmocka_unit_test(no_step_ends_behind_the_limit),
        cmocka_unit_test(a_sweep_that_was_given_up_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
