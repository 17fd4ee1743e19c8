/* step/event/locate_test.c -- events at once, at the ends, in jumps, inside a
 * step. */
#include "step/event/event_fixture.h"

/* ---- Clocks: unknowns that run ------------------------------------------- */

/* x_i' = rate_i; event i at x_i = bound_i calls `what`. */
typedef struct clocks {
    double rate[2], bound[2];
    int calls, both;
    void (*what)(struct clocks *c, const double *x, const bool *happened,
                 double *x_new);
} clocks;

static yoke_status clocks_rhs(void *self, double t, const double *x,
                              const double *u, double *xdot, yoke_err *err)
{
    const clocks *c = self;

    (void)t, (void)x, (void)u, (void)err;
    xdot[0] = c->rate[0];
    xdot[1] = c->rate[1];
    return YOKE_OK;
}

static yoke_status clocks_indicate(void *self, double t, const double *x,
                                   const double *u, double *g, yoke_err *err)
{
    const clocks *c = self;

    (void)t, (void)u, (void)err;
    for (int i = 0; i < 2; i++) g[i] = x[i] - c->bound[i];
    return YOKE_OK;
}

static yoke_status clocks_apply(void *self, double t, const double *x,
                                const double *u, const bool *happened,
                                double *x_new, yoke_err *err)
{
    clocks *c = self;

    (void)t, (void)u, (void)err;
    c->calls++;
    c->both += happened[0] && happened[1];
    c->what(c, x, happened, x_new);
    return YOKE_OK;
}

static const yoke_event_ops clocks_events = { .indicate = clocks_indicate,
                                              .apply = clocks_apply };
static const yoke_system_ops clocks_ops = { .kind = "clocks",
                                            .rhs = clocks_rhs };
static const yoke_system_info clocks_info = { .n = 2,
                                              .events = 2,
                                              .event = &clocks_events };

static void reset(clocks *c, const double *x, const bool *happened,
                  double *x_new)
{
    (void)c, (void)x;
    for (int i = 0; i < 2; i++)
        if (happened[i]) x_new[i] = 0.0;
}

static void two_events_at_once_are_applied_together(void **state)
{
    const char *name, *text;

    (void)state;
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++) {
        const yoke_stepper_options options = options_for(name, 0.06);
        clocks c = { { 0.1, 0.3 }, { 0.07, 0.21 }, 0, 0, reset };
        bench b = { 0 };
        if (is_missing(name) || strcmp(name, "stormer") == 0) continue;
        CHECK_OK(open_bench(&b, &clocks_ops, &c, &clocks_info, &options),
                 &b.err);
        window(&b, 3.0);
        assert_int_equal(c.calls, 4);
        assert_int_equal(c.both, 4);
        for (int k = 0; k < 4; k++) CHECK_NEAR(b.when[k], 0.7 * (k + 1), 1e-9);
        CHECK_NEAR(b.end[0], 0.02, 1e-9);
        CHECK_NEAR(b.end[1], 0.06, 1e-9);
        close_bench(&b);
    }
}

/* The first clock sets the second beyond its bound. */
static void push_other(clocks *c, const double *x, const bool *happened,
                       double *x_new)
{
    (void)x;
    if (happened[0]) {
        x_new[0] = 0.0;
        x_new[1] = c->bound[1] + 1.0;
    }
    if (happened[1]) x_new[1] = -1.0;
}

static void an_event_may_cause_another_at_once(void **state)
{
    const yoke_stepper_options options = options_for("radau5", 0.0);
    clocks c = { { 1.0, 0.0 }, { 0.4, 5.0 }, 0, 0, push_other };
    double right[2];
    bench b = { 0 };

    (void)state;
    CHECK_OK(open_bench(&b, &clocks_ops, &c, &clocks_info, &options), &b.err);
    window(&b, 0.5);
    assert_int_equal(c.calls, 2);
    assert_int_equal(b.jumps, 1);
    yk_wave_eval_right(b.y, b.when[0], NULL, right);
    CHECK_NEAR(b.when[0], 0.4, 1e-12);
    CHECK_NEAR(right[0], 0.0, 0.0);
    CHECK_NEAR(right[1], -1.0, 0.0);
    close_bench(&b);
}

/* Each sets the other going. */
static void exchange(clocks *c, const double *x, const bool *happened,
                     double *x_new)
{
    (void)x;
    for (int i = 0; i < 2; i++) x_new[i] = c->bound[i] + (happened[i] ? -1 : 1);
}

static void events_without_end_are_reported(void **state)
{
    const yoke_stepper_options options = options_for("rk4", 0.1);
    clocks c = { { 1.0, 0.0 }, { 0.25, 5.0 }, 0, 0, exchange };
    bench b = { 0 };

    (void)state;
    CHECK_OK(open_bench(&b, &clocks_ops, &c, &clocks_info, &options), &b.err);
    CHECK_STATUS(sweep(&b, 1.0), YOKE_RETRY, &b.err);
    assert_int_equal(c.calls, 100);
    CHECK_CONTAINS(b.err.text, "subsystem \"plant\", t = 0.25: event 1 causes "
                               "events at the same time without an end");
    close_bench(&b);
}

/* The event waits for the next window, whose waveforms begin with the jump. */
static void an_event_at_the_end_of_a_window_waits(void **state)
{
    const char *name, *text;

    (void)state;
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++) {
        const yoke_stepper_options options = options_for(name, 0.125);
        clocks c = { { 1.0, 0.0 }, { 0.5, 5.0 }, 0, 0, reset };
        double end[2], begin[2], seen;
        bench b = { 0 };
        if (is_missing(name) || strcmp(name, "stormer") == 0) continue;
        CHECK_OK(open_bench(&b, &clocks_ops, &c, &clocks_info, &options),
                 &b.err);
        window(&b, 0.5);
        assert_int_equal(c.calls, 0);
        yk_wave_eval(b.y, 0.5, NULL, end);
        CHECK_NEAR(end[0], 0.5, 1e-9);
        for (int repeat = 0; repeat < 3; repeat++)
            CHECK_OK(sweep(&b, 0.9), &b.err);
        window(&b, 0.9);
        assert_int_equal(c.calls, 4);
        yk_wave_eval_right(b.y, 0.5, NULL, begin);
        CHECK_NEAR(begin[0], 0.0, 0.0);
        yk_wave_eval_right(b.p.ops->watched(b.p.self), 0.5, NULL, &seen);
        CHECK_NEAR(seen, 0.0, 0.0);
        CHECK_NEAR(b.end[0], 0.4, 1e-9);
        assert_int_equal(b.jumps, 1);
        close_bench(&b);
    }
}

static void fixed_steps_keep_their_grid(void **state)
{
    const yoke_stepper_options options = options_for("rk4", 0.25);
    const double knot[] = { 0.0, 0.25, 0.4, 0.5, 0.75, 0.8, 1.0 };
    clocks c = { { 1.0, 0.0 }, { 0.4, 5.0 }, 0, 0, reset };
    const yk_wave *watched;
    double left, right;
    bench b = { 0 };

    (void)state;
    CHECK_OK(open_bench(&b, &clocks_ops, &c, &clocks_info, &options), &b.err);
    window(&b, 1.0);
    assert_int_equal(yk_wave_pieces(b.y), 6);
    for (int k = 0; k < 7; k++)
        CHECK_NEAR(yk_wave_knot(b.y, k), knot[k], 1e-14);
    watched = b.p.ops->watched(b.p.self);
    yk_wave_eval(watched, yk_wave_knot(b.y, 2), NULL, &left);
    yk_wave_eval_right(watched, yk_wave_knot(b.y, 2), NULL, &right);
    CHECK_NEAR(left, 0.4, 1e-14);
    CHECK_NEAR(right, 0.0, 0.0);
    close_bench(&b);
}

/* ---- When indicators are looked at --------------------------------------- */

/* x' = 1; the event adds 10 to x. */
static yoke_status line_rhs(void *self, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)err;
    xdot[0] = 1.0;
    return YOKE_OK;
}

static yoke_status line_apply(void *self, double t, const double *x,
                              const double *u, const bool *happened,
                              double *x_new, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)happened, (void)err;
    x_new[0] = x[0] + 10.0;
    return YOKE_OK;
}

static const yoke_system_ops line_ops = { .kind = "line", .rhs = line_rhs };

/* Above zero for 0.3 <= x <= 0.7 only. */
static yoke_status hill_indicate(void *self, double t, const double *x,
                                 const double *u, double *g, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    g[0] = 0.04 - (x[0] - 0.5) * (x[0] - 0.5);
    return YOKE_OK;
}

static void a_double_crossing_inside_a_step_is_seen(void **state)
{
    static const yoke_event_ops hill = { .indicate = hill_indicate,
                                         .apply = line_apply };
    static const char *const method[] = { "radau5", "trbdf2", "rk4",
                                          "implicit-euler" };
    const yoke_system_info info = { .n = 1, .events = 1, .event = &hill };

    (void)state;
    for (int i = 0; i < 4; i++) {
        const yoke_stepper_options options = options_for(method[i], 1.0);
        bench b = { 0 };
        CHECK_OK(open_bench(&b, &line_ops, NULL, &info, &options), &b.err);
        window(&b, 1.0);
        assert_int_equal(b.jumps, 1);
        CHECK_NEAR(b.when[0], 0.3, 1e-9);
        close_bench(&b);
    }
}

/* Zero at the start, then below, then zero again at x = 0.5. */
static yoke_status later_indicate(void *self, double t, const double *x,
                                  const double *u, double *g, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    g[0] = x[0] * (x[0] - 0.5);
    return YOKE_OK;
}

static void zero_at_the_start_is_no_event(void **state)
{
    static const yoke_event_ops later = { .indicate = later_indicate,
                                          .apply = line_apply };
    const yoke_system_info info = { .n = 1, .events = 1, .event = &later };
    const yoke_stepper_options options = options_for("radau5", 0.0);
    bench b = { 0 };

    (void)state;
    CHECK_OK(open_bench(&b, &line_ops, NULL, &info, &options), &b.err);
    window(&b, 1.0);
    assert_int_equal(b.jumps, 1);
    CHECK_NEAR(b.when[0], 0.5, 1e-9);
    close_bench(&b);
}

/* The indicator jumps at the breakpoint 0.4, and with the input. */
static yoke_status jumpy_indicate(void *self, double t, const double *x,
                                  const double *u, double *g, yoke_err *err)
{
    (void)self, (void)x, (void)err;
    g[0] = t < 0.4 ? -1.0 : 1.0;
    g[1] = u[0] - 0.5;
    return YOKE_OK;
}

static double jumpy_break(void *self, double t)
{
    (void)self;
    return t < 0.4 ? 0.4 : INFINITY;
}

static void indicators_may_jump(void **state)
{
    static const yoke_event_ops jumpy = { .indicate = jumpy_indicate,
                                          .apply = line_apply };
    static const yoke_system_ops ops = { .kind = "line",
                                         .rhs = line_rhs,
                                         .next_break = jumpy_break };
    const yoke_system_info info = {
        .n = 1, .m = 1, .events = 2, .event = &jumpy
    };
    const double low = 0.0, high = 1.0;
    const char *name, *text;

    (void)state;
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++) {
        const yoke_stepper_options options = options_for(name, 0.05);
        bench b = { 0 };
        if (is_missing(name) || strcmp(name, "stormer") == 0) continue;
        CHECK_OK(open_bench(&b, &ops, NULL, &info, &options), &b.err);
        CHECK_OK(yk_wave_append_constant(b.u, 0.62, &low, NULL), NULL);
        CHECK_OK(yk_wave_append_constant(b.u, 0.8, &high, NULL), NULL);
        CHECK_OK(yk_wave_append_constant(b.u, 1.0, &low, NULL), NULL);
        window(&b, 1.0);
        yk_wave_clear(b.u, 1.0); /* rises at the beginning of a window */
        CHECK_OK(yk_wave_append_constant(b.u, 2.0, &high, NULL), NULL);
        window(&b, 2.0);
        assert_int_equal(b.jumps, 3);
        CHECK_NEAR(b.when[0], 0.4, 1e-12);
        CHECK_NEAR(b.when[1], 0.62, 1e-9);
        CHECK_NEAR(b.when[2], 1.0, 1e-12);
        CHECK_NEAR(b.end[0], 32.0, 1e-9);
        close_bench(&b);
    }
}

static yoke_status bad_indicate(void *self, double t, const double *x,
                                const double *u, double *g, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    g[0] = x[0] < 0.5 ? -1.0 : NAN;
    return YOKE_OK;
}

static yoke_status bad_apply(void *self, double t, const double *x,
                             const double *u, const bool *happened,
                             double *x_new, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)happened, (void)x_new;
    (void)err;
    return YOKE_E_MODEL;
}

static void failing_callbacks_are_named(void **state)
{
    static const yoke_event_ops bad = { .indicate = bad_indicate,
                                        .apply = line_apply };
    static const yoke_event_ops worse = { .indicate = hill_indicate,
                                          .apply = bad_apply };
    static const char *const method[] = { "radau5", "rk4" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        const yoke_stepper_options options = options_for(method[i], 0.1);
        yoke_system_info info = { .n = 1, .events = 1, .event = &bad };
        bench b = { 0 };
        CHECK_OK(open_bench(&b, &line_ops, NULL, &info, &options), &b.err);
        CHECK_STATUS(sweep(&b, 1.0), YOKE_RETRY, &b.err);
        CHECK_CONTAINS(b.err.text, "indicator of event 1 is");
        close_bench(&b);
        info.event = &worse;
        CHECK_OK(open_bench(&b, &line_ops, NULL, &info, &options), &b.err);
        CHECK_STATUS(sweep(&b, 1.0), YOKE_E_MODEL, &b.err);
        CHECK_CONTAINS(b.err.text, "subsystem \"plant\", t = 0.3");
        CHECK_CONTAINS(b.err.text, "apply returned");
        close_bench(&b);
    }
}

/* Eleven hundred events one after the other in almost no time. */
enum { MANY = 1100 };

static yoke_status many_indicate(void *self, double t, const double *x,
                                 const double *u, double *g, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    for (int k = 0; k < MANY; k++) g[k] = x[0] - 0.5 - 4e-14 * k;
    return YOKE_OK;
}

static yoke_status no_change(void *self, double t, const double *x,
                             const double *u, const bool *happened,
                             double *x_new, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)happened, (void)x_new;
    (void)err;
    return YOKE_OK;
}

static void a_crowd_of_events_is_reported(void **state)
{
    static const yoke_event_ops many = { .indicate = many_indicate,
                                         .apply = no_change };
    const yoke_system_info info = { .n = 1, .events = MANY, .event = &many };
    const yoke_stepper_options options = options_for("rk4", 0.1);
    bench b = { 0 };

    (void)state;
    CHECK_OK(open_bench(&b, &line_ops, NULL, &info, &options), &b.err);
    CHECK_STATUS(sweep(&b, 1.0), YOKE_RETRY, &b.err);
    CHECK_CONTAINS(b.err.text, "subsystem \"plant\", t = 0.5");
    CHECK_CONTAINS(b.err.text, "is one of more than 1000 in no time");
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_events_at_once_are_applied_together),
        cmocka_unit_test(an_event_may_cause_another_at_once),
        cmocka_unit_test(events_without_end_are_reported),
        cmocka_unit_test(an_event_at_the_end_of_a_window_waits),
        cmocka_unit_test(fixed_steps_keep_their_grid),
        cmocka_unit_test(a_double_crossing_inside_a_step_is_seen),
        cmocka_unit_test(zero_at_the_start_is_no_event),
        cmocka_unit_test(indicators_may_jump),
        cmocka_unit_test(failing_callbacks_are_named),
        cmocka_unit_test(a_crowd_of_events_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
