/* step/event/new_event_test.c -- an event that the sweep before did not have,
 * and one that waits while a constraint moves the unknowns. */
#include "step/event/event_fixture.h"

/* heat' = 8 on - heat; on is switched when the input falls to zero.  It is an
 * unknown, as in equation models: on = what is remembered.  Between events it
 * cannot change, and all Jacobians are constant: such models are affine there,
 * and Newton's method takes one step, which is right only if the guess has the
 * new value of it. */
typedef struct heater {
    bool on;
} heater;

static yoke_status heater_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    (void)t, (void)u, (void)err;
    if (q) {
        q[0] = x[0];
        q[1] = 0.0;
    }
    if (f) {
        f[0] = x[0] - (x[1] > 0.5 ? 8.0 : 0.0);
        f[1] = x[1] - ((heater *)self)->on;
    }
    return YOKE_OK;
}

static yoke_status heater_jacobian(void *self, double t, const double *x,
                                   const double *u, const yoke_jacobian *jac,
                                   yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)err;
    if (jac->C) jac->C[0] = 1.0;
    if (jac->G) jac->G[0] = jac->G[1] = 1.0;
    return YOKE_OK;
}

static yoke_status heater_indicate(void *self, double t, const double *x,
                                   const double *u, double *g, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)err;
    g[0] = -u[0];
    return YOKE_OK;
}

static yoke_status heater_apply(void *self, double t, const double *x,
                                const double *u, const bool *happened,
                                double *x_new, yoke_err *err)
{
    (void)t, (void)x, (void)u, (void)happened, (void)err;
    ((heater *)self)->on = true;
    x_new[1] = 1.0;
    return YOKE_OK;
}

static void heater_save(void *self, void *bytes)
{
    memcpy(bytes, self, sizeof(heater));
}

static void heater_restore(void *self, const void *bytes)
{
    memcpy(self, bytes, sizeof(heater));
}

static const yoke_event_ops events = { .indicate = heater_indicate,
                                       .apply = heater_apply };
static const yoke_system_ops ops = { .kind = "heater",
                                     .eval = heater_eval,
                                     .jacobian = heater_jacobian,
                                     .save = heater_save,
                                     .restore = heater_restore };

static yoke_pattern *diagonal(int count)
{
    const int place[] = { 0, 1 };
    yoke_pattern *out = NULL;
    yoke_err err;

    CHECK_OK(yoke_pattern_create(&out, 2, 2, count, place, place, &err), &err);
    return out;
}

/* u = a - t on [0, 2]. */
static void falling_from(yk_wave *u, double a)
{
    const double coef[] = { a, -2.0 };
    yoke_err err;

    yk_wave_clear(u, 0.0);
    CHECK_OK(yk_wave_append(u, 2.0, 1, coef, &err), &err);
}

static double exact(double t, double event)
{
    return t < event ? 0.0 : 8.0 * (1.0 - exp(event - t));
}

static void the_sweep_before_is_no_guess_after_a_new_event(void **state)
{
    const char *name, *text;
    yoke_pattern *C = diagonal(1), *G = diagonal(2);
    const yoke_system_info info = { .n = 2,
                                    .m = 1,
                                    .flags = YOKE_AFFINE,
                                    .memory_bytes = sizeof(heater),
                                    .events = 1,
                                    .event = &events,
                                    .C = C,
                                    .G = G };

    (void)state;
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++) {
        /* Falls to zero after the window, in its middle, earlier, never. */
        static const double from[] = { 3.0, 1.0, 0.5, 4.0 };
        const yoke_stepper_options options = options_for(name, 1e-3);
        heater h = { false };
        bench b = { 0 };
        if (is_missing(name) || strcmp(name, "stormer") == 0 ||
            strcmp(name, "genalpha") == 0)
            continue;
        CHECK_OK(open_bench(&b, &ops, &h, &info, &options), &b.err);
        for (int k = 0; k < 4; k++) {
            falling_from(b.u, from[k]);
            CHECK_OK(sweep(&b, 2.0), &b.err);
            for (double t = 0.05; t < 2.0; t += 0.1) {
                double x[2];
                yk_wave_eval(b.y, t, NULL, x);
                CHECK_NEAR(x[0], exact(t, from[k]), 1e-2);
            }
        }
        close_bench(&b);
    }
    yoke_pattern_free(C);
    yoke_pattern_free(G);
}

/* ---- a mass that a constraint moves --------------------------------------- */

/* x' = v, v' = u; x is counted each time that it rises to 1. */
static yoke_status counter_rhs(void *self, double t, const double *x,
                               const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = x[1];
    xdot[1] = u[0];
    return YOKE_OK;
}

static yoke_status counter_indicate(void *self, double t, const double *x,
                                    const double *u, double *g, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    g[0] = x[0] - 1.0;
    return YOKE_OK;
}

static yoke_status counter_apply(void *self, double t, const double *x,
                                 const double *u, const bool *happened,
                                 double *x_new, yoke_err *err)
{
    (void)t, (void)x, (void)u, (void)happened, (void)x_new, (void)err;
    ++*(int *)self;
    return YOKE_OK;
}

static void counter_save(void *self, void *bytes)
{
    memcpy(bytes, self, sizeof(int));
}

static void counter_restore(void *self, const void *bytes)
{
    memcpy(self, bytes, sizeof(int));
}

static void an_event_that_waits_happens_once(void **state)
{
    static const double x0[] = { 0.0, 1.0 }, zero[] = { 0.0 };
    static const yoke_event_ops event = { .indicate = counter_indicate,
                                          .apply = counter_apply };
    static const yoke_system_ops counter = { .kind = "counter",
                                             .rhs = counter_rhs,
                                             .save = counter_save,
                                             .restore = counter_restore };
    static const yoke_system_info info = { .n = 2,
                                           .m = 1,
                                           .x0 = x0,
                                           .memory_bytes = sizeof(int),
                                           .events = 1,
                                           .event = &event };
    const yoke_stepper_options options = options_for("radau5", 0.0);

    (void)state;
    for (int side = -1; side < 2; side++) {
        const int input = 0;
        const double mu = 1e-9 * side;
        int count = 0;
        bench b = { 0 };
        CHECK_OK(open_bench(&b, &counter, &count, &info, &options), &b.err);
        const yk_motion_ops *motion = b.p.ops->motion;
        CHECK_OK(motion->want(b.p.self, 0, &b.err), &b.err);
        CHECK_OK(yk_wave_append_constant(b.u, 2.0, zero, &b.err), &b.err);
        CHECK_OK(sweep(&b, 1.0), &b.err);
        assert_int_equal(count, 0); /* it waits for the next window */
        CHECK_OK(motion->kick(b.p.self, 2, 1, &input, &mu, &b.err), &b.err);
        CHECK_OK(b.p.ops->accept(b.p.self, &b.err), &b.err);
        window(&b, 2.0);
        assert_int_equal(count, 1);
        CHECK_NEAR(b.end[0], 2.0 + mu, 1e-11);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sweep_before_is_no_guess_after_a_new_event),
        cmocka_unit_test(an_event_that_waits_happens_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
