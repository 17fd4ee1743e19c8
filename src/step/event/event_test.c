/* step/event/event_test.c -- a ball that bounces, a relay with memory. */
#include "step/event/event_fixture.h"

/* ---- A ball -------------------------------------------------------------- */

static const double gravity = 9.81;

/* h' = v, v' = -g; at h = 0, v becomes -bounce v. */
static yoke_status ball_rhs(void *self, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    xdot[0] = x[1];
    xdot[1] = -gravity;
    return YOKE_OK;
}

static yoke_status ball_indicate(void *self, double t, const double *x,
                                 const double *u, double *g, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    g[0] = -x[0];
    return YOKE_OK;
}

static yoke_status ball_apply(void *self, double t, const double *x,
                              const double *u, const bool *happened,
                              double *x_new, yoke_err *err)
{
    const double *bounce = self;

    (void)t, (void)u, (void)err;
    assert_true(happened[0]);
    x_new[1] = -*bounce * x[1];
    return YOKE_OK;
}

static const yoke_event_ops ball_events = { .indicate = ball_indicate,
                                            .apply = ball_apply };
static const yoke_system_ops ball_ops = { .kind = "ball", .rhs = ball_rhs };
static const double ball_x0[] = { 1.0, 0.0, 0.0 };
static const yoke_system_info ball_info = {
    .n = 2, .positions = 1, .x0 = ball_x0, .events = 1, .event = &ball_events
};

/* The time of bounce k = 0, 1, ... */
static double bounce_time(double bounce, int k)
{
    const double first = sqrt(2.0 / gravity);
    double t = first, flight = 2.0 * first;

    for (int j = 0; j < k; j++) t += flight *= bounce;
    return t;
}

static bool first_order(const char *method)
{
    return strcmp(method, "euler") == 0 || strcmp(method, "bdf1") == 0 ||
           strcmp(method, "implicit-euler") == 0;
}

static void check_ball(bench *b, double bounce, int count, double tol)
{
    double x[2];

    assert_int_equal(b->jumps, count);
    for (int k = 0; k < count; k++)
        CHECK_NEAR(b->when[k], bounce_time(bounce, k), tol);
    yk_wave_eval(b->y, b->t, NULL, x);
    CHECK_NEAR(gravity * x[0] + 0.5 * x[1] * x[1],
               gravity * pow(bounce, 2.0 * count), 20.0 * tol);
}

static void a_ball_bounces_with_every_method(void **state)
{
    const char *name, *text;

    (void)state;
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++) {
        const double step = first_order(name) ? 1e-4 : 0.01;
        const yoke_stepper_options options = options_for(name, step);
        double bounce = 0.8;
        bench b = { 0 };
        if (is_missing(name)) continue;
        CHECK_OK(open_bench(&b, &ball_ops, &bounce, &ball_info, &options),
                 &b.err);
        for (int k = 1; k <= 6; k++) window(&b, 0.5 * k);
        check_ball(&b, bounce, 6,
                   first_order(name)          ? 5e-3
                   : strcmp(name, "ida") == 0 ? 1e-4
                                              : 1e-9);
        close_bench(&b);
    }
}

/* 0.9: bounce 40 is at 8.4, the accumulation point at 8.58. */
static void many_bounces_keep_their_times(void **state)
{
    static const char *const method[] = { "radau5", "rk4", "trbdf2" };

    (void)state;
    for (int i = 0; i < 3; i++) {
        const yoke_stepper_options options = options_for(method[i], 0.01);
        double bounce = 0.9;
        bench b = { 0 };
        CHECK_OK(open_bench(&b, &ball_ops, &bounce, &ball_info, &options),
                 &b.err);
        window(&b, 8.0);
        assert_true(b.jumps > 20);
        check_ball(&b, bounce, b.jumps, 1e-9);
        close_bench(&b);
    }
}

static void bounces_that_accumulate_are_reported(void **state)
{
    static const char *const method[] = { "radau5", "rk4", "trbdf2" };

    (void)state;
    for (int i = 0; i < 3; i++) {
        const yoke_stepper_options options = options_for(method[i], 0.01);
        double bounce = 0.5;
        bench b = { 0 };
        CHECK_OK(open_bench(&b, &ball_ops, &bounce, &ball_info, &options),
                 &b.err);
        CHECK_STATUS(sweep(&b, 2.0), YOKE_RETRY, &b.err);
        CHECK_CONTAINS(b.err.text, "subsystem \"plant\", t = 1.354");
        CHECK_CONTAINS(b.err.text, "event 1 happens again and again");
        close_bench(&b);
    }
}

/* The energy z, 0 = z - v^2/2 - g h, is an algebraic unknown. */
static yoke_status energy_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    if (q) q[0] = x[0], q[1] = x[1], q[2] = 0.0;
    if (f) {
        f[0] = -x[1];
        f[1] = gravity;
        f[2] = x[2] - 0.5 * x[1] * x[1] - gravity * x[0];
    }
    return YOKE_OK;
}

static void algebraic_unknowns_jump_with_the_others(void **state)
{
    static const yoke_system_ops ops = { .kind = "ball", .eval = energy_eval };
    const char *name, *text;

    (void)state;
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++) {
        const yoke_stepper_options options = options_for(name, 1e-3);
        yoke_system_info info = ball_info;
        double bounce = 0.8, left[3], right[3];
        bench b = { 0 };
        if (is_missing(name)) continue;
        info.n = 3;
        CHECK_OK(open_bench(&b, &ops, &bounce, &info, &options), &b.err);
        window(&b, 0.6);
        assert_int_equal(b.jumps, 1);
        yk_wave_eval(b.y, b.when[0], NULL, left);
        yk_wave_eval_right(b.y, b.when[0], NULL, right);
        CHECK_NEAR(right[0], left[0], 1e-12);
        CHECK_NEAR(right[1], -bounce * left[1], 1e-12);
        CHECK_NEAR(left[2], gravity * left[0] + 0.5 * left[1] * left[1], 1e-4);
        CHECK_NEAR(right[2], gravity * right[0] + 0.5 * right[1] * right[1],
                   1e-8);
        close_bench(&b);
    }
}

/* ---- A relay with memory ------------------------------------------------- */

/* x' = 1 or -1; it turns at 1 + width and at 1 - width. */
typedef struct relay {
    double width;
    bool down;
    int calls;     /* of apply */
    bool together; /* both events in one call */
} relay;

static yoke_status relay_rhs(void *self, double t, const double *x,
                             const double *u, double *xdot, yoke_err *err)
{
    (void)t, (void)x, (void)u, (void)err;
    xdot[0] = ((relay *)self)->down ? -1.0 : 1.0;
    return YOKE_OK;
}

static yoke_status relay_indicate(void *self, double t, const double *x,
                                  const double *u, double *g, yoke_err *err)
{
    const double width = ((relay *)self)->width;

    (void)t, (void)u, (void)err;
    g[0] = x[0] - (1.0 + width);
    g[1] = 1.0 - width - x[0];
    return YOKE_OK;
}

static yoke_status relay_apply(void *self, double t, const double *x,
                               const double *u, const bool *happened,
                               double *x_new, yoke_err *err)
{
    relay *r = self;

    (void)t, (void)x, (void)u, (void)x_new, (void)err;
    r->calls++;
    r->together = happened[0] && happened[1];
    r->down = happened[0];
    return YOKE_OK;
}

static void relay_save(void *self, void *bytes)
{
    memcpy(bytes, &((relay *)self)->down, sizeof(bool));
}

static void relay_restore(void *self, const void *bytes)
{
    memcpy(&((relay *)self)->down, bytes, sizeof(bool));
}

static const yoke_event_ops relay_events = { .indicate = relay_indicate,
                                             .apply = relay_apply };
static const yoke_system_ops relay_ops = { .kind = "relay",
                                           .rhs = relay_rhs,
                                           .save = relay_save,
                                           .restore = relay_restore };
static const double one = 1.0;
static const yoke_system_info relay_info = { .n = 1,
                                             .x0 = &one,
                                             .memory_bytes = sizeof(bool),
                                             .events = 2,
                                             .event = &relay_events };

/* Turns at 0.25, 0.75, 1.25, ... */
static double relay_exact(double t)
{
    const double phase = fmod(t + 0.25, 1.0);

    return 1.0 + (phase < 0.5 ? phase - 0.25 : 0.75 - phase);
}

static void a_relay_turns_at_its_bounds(void **state)
{
    static const char *const method[] = {
        "radau5", "trbdf2",         "ida",     "rk4", "bdf3",
        "euler",  "implicit-euler", "genalpha"
    };

    (void)state;
    for (int i = 0; i < 8; i++) {
        const yoke_stepper_options options = options_for(method[i], 0.04);
        relay r = { .width = 0.25 };
        bench b = { 0 };
        if (is_missing(method[i])) continue;
        CHECK_OK(open_bench(&b, &relay_ops, &r, &relay_info, &options), &b.err);
        CHECK_OK(yoke_conform(b.system, 0.0, NULL, NULL, &b.err), &b.err);
        for (int k = 1; k <= 9; k++) {
            const int calls = r.calls;
            CHECK_OK(sweep(&b, 0.7 * k), &b.err);
            const int events = r.calls - calls;
            for (int repeat = 0; repeat < 3; repeat++) {
                CHECK_OK(sweep(&b, 0.7 * k), &b.err);
                assert_int_equal(r.calls - calls, (repeat + 2) * events);
            }
            for (double t = 0.7 * k - 0.7; t < 0.7 * k; t += 0.011) {
                double x;
                yk_wave_eval(b.y, t, NULL, &x);
                CHECK_NEAR(x, relay_exact(t), 1e-6);
            }
            window(&b, 0.7 * k);
        }
        close_bench(&b);
    }
}

/* Without `warm` repeated sweeps have the same bits. */
static void repeated_sweeps_are_the_same(void **state)
{
    static const char *const method[] = { "radau5", "trbdf2", "ida",
                                          "rk4",    "bdf4",   "genalpha" };

    (void)state;
    for (int i = 0; i < 6; i++) {
        yoke_stepper_options options = options_for(method[i], 0.03);
        relay r = { .width = 0.25 };
        yk_wave *first = NULL;
        bench b = { 0 };
        if (is_missing(method[i])) continue;
        options.warm = false;
        CHECK_OK(open_bench(&b, &relay_ops, &r, &relay_info, &options), &b.err);
        CHECK_OK(yk_wave_create(&first, 1, &b.err), &b.err);
        for (int k = 1; k <= 4; k++) {
            CHECK_OK(sweep(&b, 0.7 * k), &b.err);
            CHECK_OK(yk_wave_copy(first, b.y, &b.err), &b.err);
            window(&b, 0.7 * k);
            assert_true(yk_wave_equal(first, b.y));
        }
        yk_wave_free(first);
        close_bench(&b);
    }
}

static void chattering_is_reported(void **state)
{
    static const char *const method[] = { "radau5", "rk4", "implicit-euler",
                                          "ida" };

    (void)state;
    for (int i = 0; i < 4; i++) {
        const yoke_stepper_options options = options_for(method[i], 0.04);
        const double x0 = 0.5;
        yoke_system_info info = relay_info;
        relay r = { .width = 1e-14 };
        bench b = { 0 };
        if (is_missing(method[i])) continue;
        info.x0 = &x0;
        CHECK_OK(open_bench(&b, &relay_ops, &r, &info, &options), &b.err);
        CHECK_STATUS(sweep(&b, 1.0), YOKE_RETRY, &b.err);
        CHECK_CONTAINS(b.err.text, "subsystem \"plant\", t = 0.5");
        CHECK_CONTAINS(b.err.text, ": event ");
        CHECK_CONTAINS(b.err.text, "again and again");
        close_bench(&b);
    }
}

/* ---- Memory -------------------------------------------------------------- */

static yoke_status bounce_once(bench *b, const char *method, double *bounce)
{
    const yoke_stepper_options options = options_for(method, 0.02);
    yoke_status status = open_bench(b, &ball_ops, bounce, &ball_info, &options);

    for (int k = 1; k <= 2 && status == YOKE_OK; k++) {
        status = sweep(b, 0.6 * k);
        if (status == YOKE_OK) status = b->p.ops->accept(b->p.self, &b->err);
    }
    return status;
}

static void failing_allocations_leak_nothing(void **state)
{
    static const char *const method[] = { "radau5", "bdf3", "rk4", "ida" };

    (void)state;
    for (int i = 0; i < 4; i++) {
        yoke_status status = YOKE_E_MEMORY;
        if (is_missing(method[i])) continue;
        for (long n = 1; status != YOKE_OK; n++) {
            double bounce = 0.8;
            bench b = { 0 };
            fault_allocator(n);
            status = bounce_once(&b, method[i], &bounce);
            assert_true(status == YOKE_OK || status == YOKE_E_MEMORY);
            close_bench(&b);
            assert_int_equal(fault_blocks(), 0);
            fault_restore();
        }
    }
}

/* The relay is periodic: windows of one period are alike. */
static void later_windows_allocate_nothing(void **state)
{
    const char *name, *text;

    (void)state;
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++) {
        const yoke_stepper_options options = options_for(name, 0.04);
        relay r = { .width = 0.25 };
        bench b = { 0 };
        if (is_missing(name) || strcmp(name, "stormer") == 0) continue;
        fault_allocator(0);
        CHECK_OK(open_bench(&b, &relay_ops, &r, &relay_info, &options), &b.err);
        CHECK_OK(yk_wave_reserve(b.y, 1000, 5, &b.err), &b.err);
        for (int k = 1; k <= 12; k++) {
            CHECK_OK(sweep(&b, 1.0 * k), &b.err);
            window(&b, 1.0 * k);
        }
        const long before = fault_requests();
        for (int k = 13; k <= 16; k++) {
            CHECK_OK(sweep(&b, 1.0 * k), &b.err);
            window(&b, 1.0 * k);
        }
        if (fault_requests() != before) print_error("%s\n", name);
        assert_int_equal(fault_requests(), before);
        close_bench(&b);
        fault_restore();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces_with_every_method),
        cmocka_unit_test(many_bounces_keep_their_times),
        cmocka_unit_test(bounces_that_accumulate_are_reported),
        cmocka_unit_test(algebraic_unknowns_jump_with_the_others),
        cmocka_unit_test(a_relay_turns_at_its_bounds),
        cmocka_unit_test(repeated_sweeps_are_the_same),
        cmocka_unit_test(chattering_is_reported),
        cmocka_unit_test(failing_allocations_leak_nothing),
        cmocka_unit_test(later_windows_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
