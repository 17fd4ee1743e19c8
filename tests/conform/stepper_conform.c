/* One body for every method of the list: what a propagator promises. */
#include "check.h"

#include "step/steppers.h"
#include "yoke/stepper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pendulum p' = v, v' = -sin p + u with ways to misbehave. */
typedef struct pendulum {
    double fail_after; /* the callback stops */
    double nan_after;  /* the callback returns NaN */
    int breaks;
    double at[4];
    int inputs;
} pendulum;

static yoke_status pendulum_rhs(void *self, double t, const double *x,
                                const double *u, double *xdot, yoke_err *err)
{
    const pendulum *p = self;

    if (t > p->fail_after)
        return yoke_fail(err, YOKE_E_CALLBACK, "the wire is broken");
    xdot[0] = x[1];
    xdot[1] = -sin(x[0]) + (p->inputs ? u[0] : 0.0);
    if (t > p->nan_after) xdot[1] = NAN;
    return YOKE_OK;
}

static double pendulum_break(void *self, double t)
{
    const pendulum *p = self;

    for (int k = 0; k < p->breaks; k++)
        if (p->at[k] > t) return p->at[k];
    return INFINITY;
}

static const yoke_system_ops pendulum_ops = {
    .kind = "pendulum",
    .rhs = pendulum_rhs,
    .next_break = pendulum_break,
    .free = free,
};

/* ---- One propagator with its waveforms ----------------------------------- */

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

static yoke_stepper_options options_for(const char *method)
{
    yoke_stepper_options options = yoke_stepper_defaults();

    snprintf(options.method, sizeof options.method, "%s", method);
    if (yoke_stepper_is_fixed(method)) options.step = 0.02;
    options.rtol = 1e-6;
    options.atol = 1e-8;
    return options;
}

static bool is_fixed(const char *method)
{
    return options_for(method).step > 0.0;
}

static bool is_implicit(const char *method)
{
    return strncmp(method, "bdf", 3) == 0 || strstr(method, "implicit") ||
           strstr(method, "trap") || strstr(method, "radau") ||
           strstr(method, "trbdf2") || strstr(method, "genalpha");
}

/* u = 0.1 t (1 - t / 4) on [0, 4], one cubic piece. */
static yoke_status make_input(yk_wave **u, int dim, yoke_err *err)
{
    const double coef[] = { 0.0, 0.4, -0.4, 0.0 };
    yoke_status status = yk_wave_create(u, dim, err);

    if (status != YOKE_OK) return status;
    yk_wave_clear(*u, 0.0);
    return dim ? yk_wave_append(*u, 4.0, 3, coef, err) : YOKE_OK;
}

static yoke_status open_bench(bench *b, const char *method, bool warm, int m,
                              const pendulum *traits)
{
    const int watch[] = { 0, 1 };
    const double x0[] = { 1.0, 0.0 }, u0 = 0.0;
    const yoke_system_info info = { .n = 2, .m = m, .positions = 1, .x0 = x0 };
    yoke_stepper_options options = options_for(method);
    pendulum *self = malloc(sizeof *self);
    double y0[2] = { 0.0 };
    yoke_status status;

    memset(b, 0, sizeof *b);
    assert_non_null(self);
    *self = traits ? *traits : (pendulum){ INFINITY, INFINITY, 0, { 0.0 }, 0 };
    self->inputs = m;
    options.warm = warm;
    status = yoke_system_create(&b->system, "arm", &pendulum_ops, self, &info,
                                &b->err);
    if (status != YOKE_OK) return status;
    status = yk_stepper_create(&b->p, b->system, &options, 2, watch, &b->err);
    if (status != YOKE_OK) return status;
    status = make_input(&b->u, m, &b->err);
    if (status != YOKE_OK) return status;
    status = yk_wave_create(&b->y, 2, &b->err);
    if (status != YOKE_OK) return status;
    return b->p.ops->start(b->p.self, 0.0, NULL, &u0, y0, &b->err);
}

static yoke_status sweep(bench *b, double t1)
{
    return b->p.ops->sweep(b->p.self, t1, b->u, b->y, &b->err);
}

static void advance(bench *b, double t1)
{
    CHECK_OK(sweep(b, t1), &b->err);
    CHECK_OK(b->p.ops->accept(b->p.self, &b->err), &b->err);
}

static yoke_work work_of(bench *b)
{
    yoke_work work;

    b->p.ops->work(b->p.self, &work);
    return work;
}

static double distance(const yk_wave *a, const yk_wave *b)
{
    double d[2] = { 0.0 };

    CHECK_OK(yk_wave_distance(a, b, d, NULL), NULL);
    return fmax(d[0], d[1]);
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

static void for_each(void (*body)(const char *method))
{
    const char *name, *text;

    for (int i = 0; yoke_stepper_list(i, &name, &text); i++) {
        yoke_stepper_options options = yoke_stepper_defaults();
        CHECK_OK(yoke_stepper_set(&options, "method", name, NULL), NULL);
        assert_true(strlen(text) > 0);
        if (!is_missing(name)) body(name);
    }
}

/* ---- Bodies
 * ------------------------------------------------------------------ */

static void same_bits(const char *method)
{
    const double other[] = { 0.3, -0.1, 0.0, 0.0 };
    yk_wave *first = NULL, *u = NULL, *swap;
    bench b;

    CHECK_OK(open_bench(&b, method, false, 1, NULL), &b.err);
    CHECK_OK(yk_wave_create(&first, 2, NULL), NULL);
    CHECK_OK(yk_wave_create(&u, 1, NULL), NULL);
    yk_wave_clear(u, 0.0);
    CHECK_OK(yk_wave_append(u, 4.0, 3, other, NULL), NULL);
    for (int window = 1; window <= 3; window++) {
        CHECK_OK(sweep(&b, 0.5 * window), &b.err);
        CHECK_OK(yk_wave_copy(first, b.y, NULL), NULL);
        swap = b.u, b.u = u, u = swap;
        CHECK_OK(sweep(&b, 0.5 * window + 0.1), &b.err);
        assert_false(yk_wave_equal(first, b.y));
        swap = b.u, b.u = u, u = swap;
        CHECK_OK(sweep(&b, 0.5 * window), &b.err);
        if (!yk_wave_equal(first, b.y)) print_error("%s\n", method);
        assert_true(yk_wave_equal(first, b.y));
        CHECK_OK(b.p.ops->accept(b.p.self, &b.err), &b.err);
    }
    yk_wave_free(first);
    yk_wave_free(u);
    close_bench(&b);
}

static void repeated_sweeps_give_the_same_bits(void **state)
{
    (void)state;
    for_each(same_bits);
}

static void warm_agrees(const char *method)
{
    yk_wave *first = NULL;
    bench b;

    CHECK_OK(open_bench(&b, method, true, 1, NULL), &b.err);
    CHECK_OK(yk_wave_create(&first, 2, NULL), NULL);
    for (int window = 1; window <= 3; window++) {
        CHECK_OK(sweep(&b, 0.5 * window), &b.err);
        CHECK_OK(yk_wave_copy(first, b.y, NULL), NULL);
        CHECK_OK(sweep(&b, 0.5 * window), &b.err);
        CHECK_NEAR(distance(first, b.y), 0.0, is_fixed(method) ? 1e-9 : 1e-6);
        CHECK_OK(b.p.ops->accept(b.p.self, &b.err), &b.err);
    }
    yk_wave_free(first);
    close_bench(&b);
}

static void warm_sweeps_agree_to_the_tolerance(void **state)
{
    (void)state;
    for_each(warm_agrees);
}

/* The previous sweep is the guess: one evaluation per stage is left. */
static void warm_is_cheap(const char *method)
{
    bench b;

    if (!is_implicit(method)) return;
    CHECK_OK(open_bench(&b, method, true, 1, NULL), &b.err);
    advance(&b, 0.5);
    CHECK_OK(sweep(&b, 1.0), &b.err);
    const yoke_work before = work_of(&b);
    CHECK_OK(sweep(&b, 1.0), &b.err);
    const yoke_work after = work_of(&b);
    const long steps = after.steps - before.steps;
    const long stages = strcmp(method, "radau5") == 0   ? 3
                        : strcmp(method, "trbdf2") == 0 ? 2
                                                        : 1;
    if (after.residuals - before.residuals > stages * steps + 2)
        print_error("%s\n", method);
    CHECK_BETWEEN((double)(after.residuals - before.residuals), 1.0,
                  (double)(stages * steps + 2));
    CHECK_BETWEEN((double)(after.factorizations - before.factorizations), 0.0,
                  2.0);
    assert_int_equal(after.jacobians, before.jacobians);
    close_bench(&b);
}

static void a_repeated_warm_sweep_is_cheap(void **state)
{
    (void)state;
    for_each(warm_is_cheap);
}

static void continues(const char *method)
{
    double end[2], begin[2];
    yoke_work before, after;
    bench b;

    CHECK_OK(open_bench(&b, method, true, 1, NULL), &b.err);
    CHECK_STATUS(b.p.ops->accept(b.p.self, &b.err), YOKE_E_ARG, &b.err);
    advance(&b, 0.5);
    before = work_of(&b);
    yk_wave_eval(b.y, 0.5, NULL, end);
    CHECK_STATUS(sweep(&b, 0.5), YOKE_E_ARG, &b.err);
    CHECK_OK(sweep(&b, 1.0), &b.err);
    after = work_of(&b);
    yk_wave_eval_right(b.y, 0.5, NULL, begin);
    for (int i = 0; i < 2; i++) CHECK_NEAR(begin[i], end[i], 1e-12);
    assert_true(yk_wave_begin(b.y) == 0.5 && yk_wave_end(b.y) == 1.0);
    assert_true(after.sweeps == before.sweeps + 1);
    assert_true(after.steps > before.steps);
    assert_true(after.residuals > before.residuals);
    assert_true(after.seconds >= before.seconds);
    close_bench(&b);
}

static void a_window_continues_the_one_before(void **state)
{
    (void)state;
    for_each(continues);
}

static void right_answer(const char *method)
{
    yk_wave *reference = NULL;
    bench b;

    CHECK_OK(open_bench(&b, "radau5", true, 1, NULL), &b.err);
    CHECK_OK(sweep(&b, 2.0), &b.err);
    CHECK_OK(yk_wave_create(&reference, 2, NULL), NULL);
    CHECK_OK(yk_wave_copy(reference, b.y, NULL), NULL);
    close_bench(&b);
    CHECK_OK(open_bench(&b, method, true, 1, NULL), &b.err);
    CHECK_OK(sweep(&b, 2.0), &b.err);
    CHECK_NEAR(distance(reference, b.y), 0.0,
               strstr(method, "euler") || !strcmp(method, "bdf1") ? 3e-2
               : is_fixed(method)                                 ? 1e-3
                                                                  : 3e-4);
    yk_wave_free(reference);
    close_bench(&b);
}

static void all_methods_agree(void **state)
{
    (void)state;
    for_each(right_answer);
}

static bool has_knot(const yk_wave *w, double t)
{
    for (int i = 0; i <= yk_wave_pieces(w); i++)
        if (yk_wave_knot(w, i) == t) return true;
    return false;
}

static void hits_breaks(const char *method)
{
    const pendulum traits = {
        INFINITY, INFINITY, 3, { 0.31, 1.0 / 3.0, 1.0 }, 0
    };
    bench b;

    CHECK_OK(open_bench(&b, method, true, 1, &traits), &b.err);
    CHECK_NEAR(b.p.ops->next_break(b.p.self, 0.32), 1.0 / 3.0, 0.0);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(sweep(&b, 1.0), &b.err);
        assert_true(has_knot(b.y, 0.31));
        assert_true(has_knot(b.y, 1.0 / 3.0));
        assert_true(has_knot(b.p.ops->watched(b.p.self), 0.31));
        assert_true(yk_wave_end(b.y) == 1.0);
    }
    CHECK_OK(b.p.ops->accept(b.p.self, &b.err), &b.err);
    CHECK_OK(sweep(&b, 1.5), &b.err);
    close_bench(&b);
}

static void breakpoints_are_hit_exactly(void **state)
{
    (void)state;
    for_each(hits_breaks);
}

static void stops(const char *method)
{
    const pendulum traits = { 0.7, INFINITY, 0, { 0.0 }, 0 };
    bench b;

    CHECK_OK(open_bench(&b, method, true, 1, &traits), &b.err);
    CHECK_OK(sweep(&b, 0.5), &b.err);
    CHECK_STATUS(sweep(&b, 1.0), YOKE_E_CALLBACK, &b.err);
    CHECK_CONTAINS(b.err.text, "arm");
    CHECK_CONTAINS(b.err.text, "the wire is broken");
    CHECK_CONTAINS(b.err.text, "t = 0.7");
    CHECK_OK(sweep(&b, 0.5), &b.err);
    assert_int_equal(b.p.ops->sweep(b.p.self, 1.0, b.u, b.y, NULL),
                     YOKE_E_CALLBACK);
    close_bench(&b);
}

static void a_failing_callback_stops_the_sweep(void **state)
{
    (void)state;
    for_each(stops);
}

static bool all_finite(const yk_wave *w, int dim)
{
    for (int i = 0; i < yk_wave_pieces(w); i++)
        for (int k = 0; k < (yk_wave_degree(w, i) + 1) * dim; k++)
            if (!isfinite(yk_wave_coef(w, i)[k])) return false;
    return true;
}

static void survives_nan(const char *method)
{
    const pendulum traits = { INFINITY, 0.7, 0, { 0.0 }, 0 };
    bench b;

    CHECK_OK(open_bench(&b, method, true, 1, &traits), &b.err);
    CHECK_STATUS(sweep(&b, 1.0), YOKE_RETRY, &b.err);
    CHECK_CONTAINS(b.err.text, "arm");
    assert_true(all_finite(b.y, 2));
    assert_true(all_finite(b.p.ops->watched(b.p.self), 2));
    CHECK_OK(sweep(&b, 0.5), &b.err);
    assert_true(all_finite(b.y, 2));
    close_bench(&b);
}

static void has_no_step(const char *method)
{
    const pendulum traits = { INFINITY, 0.0, 0, { 0.0 }, 0 };
    bench b;

    CHECK_OK(open_bench(&b, method, true, 1, &traits), &b.err);
    CHECK_STATUS(sweep(&b, 1.0), YOKE_RETRY, &b.err);
    CHECK_CONTAINS(b.err.text, "arm");
    close_bench(&b);
}

static void nan_is_never_a_result(void **state)
{
    (void)state;
    for_each(survives_nan);
    for_each(has_no_step);
}

static void watches(const char *method)
{
    bench b;

    CHECK_OK(open_bench(&b, method, true, 1, NULL), &b.err);
    assert_int_equal(b.p.watches, 2);
    advance(&b, 0.5);
    CHECK_OK(sweep(&b, 1.0), &b.err);
    assert_true(yk_wave_equal(b.p.ops->watched(b.p.self), b.y));
    close_bench(&b);
}

static void watched_unknowns_are_those_of_y(void **state)
{
    (void)state;
    for_each(watches);
}

static void no_inputs(const char *method)
{
    bench b;

    CHECK_OK(open_bench(&b, method, true, 0, NULL), &b.err);
    assert_int_equal(b.p.m, 0);
    advance(&b, 0.5);
    CHECK_OK(b.p.ops->sweep(b.p.self, 1.0, NULL, b.y, &b.err), &b.err);
    close_bench(&b);
}

static void systems_without_inputs_work(void **state)
{
    (void)state;
    for_each(no_inputs);
}

/* ---- n = 0: outputs depend on inputs alone
 * ----------------------------------- */

static yoke_status gain_eval(void *self, double t, const double *x,
                             const double *u, double *q, double *f,
                             yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)q, (void)f, (void)err;
    return YOKE_OK;
}

static yoke_status gain_output(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)err;
    y[0] = 2.0 * u[0];
    return YOKE_OK;
}

static void amplifies(const char *method)
{
    static const yoke_system_ops ops = { .kind = "gain",
                                         .eval = gain_eval,
                                         .output = gain_output };
    const yoke_system_info info = { .n = 0, .m = 1, .p = 1 };
    yoke_stepper_options options = options_for(method);
    const double u0 = 0.0;
    double y0 = 1.0, d = 0.0, u, y;
    bench b = { 0 };

    if (strcmp(method, "stormer") == 0) return;
    CHECK_OK(yoke_system_create(&b.system, "gain", &ops, NULL, &info, &b.err),
             &b.err);
    CHECK_OK(yk_stepper_create(&b.p, b.system, &options, 0, NULL, &b.err),
             &b.err);
    CHECK_OK(make_input(&b.u, 1, &b.err), &b.err);
    CHECK_OK(yk_wave_create(&b.y, 1, &b.err), &b.err);
    CHECK_OK(b.p.ops->start(b.p.self, 0.0, NULL, &u0, &y0, &b.err), &b.err);
    CHECK_NEAR(y0, 0.0, 0.0);
    advance(&b, 0.5);
    CHECK_OK(sweep(&b, 1.0), &b.err);
    for (int k = 0; k <= 20; k++) {
        const double t = 0.5 + 0.025 * k;
        yk_wave_eval(b.u, t, NULL, &u);
        yk_wave_eval(b.y, t, NULL, &y);
        d = fmax(d, fabs(y - 2.0 * u));
    }
    CHECK_NEAR(d, 0.0, 1e-13);
    close_bench(&b);
}

static void systems_without_unknowns_work(void **state)
{
    (void)state;
    for_each(amplifies);
}

/* ---- Memory
 * -------------------------------------------------------------------- */

static yoke_status whole_life(const char *method)
{
    bench b;
    yoke_status status = open_bench(&b, method, true, 1, NULL);

    for (int k = 1; k <= 2 && status == YOKE_OK; k++) {
        status = sweep(&b, 0.1 * k);
        if (status == YOKE_OK) status = sweep(&b, 0.1 * k);
        if (status == YOKE_OK) status = b.p.ops->accept(b.p.self, &b.err);
    }
    close_bench(&b);
    return status;
}

static void leaks_nothing(const char *method)
{
    for (long n = 1;; n++) {
        fault_allocator(n);
        const yoke_status status = whole_life(method);
        const bool reached = fault_requests() >= n;
        const long left = fault_blocks();
        fault_restore();
        if (left != 0) print_error("%s, request %ld\n", method, n);
        assert_int_equal(left, 0);
        if (!reached) {
            assert_int_equal(status, YOKE_OK);
            break;
        }
        assert_int_equal(status, YOKE_E_MEMORY);
    }
}

static void failing_allocations_leak_nothing(void **state)
{
    (void)state;
    for_each(leaks_nothing);
}

static void allocates_nothing(const char *method)
{
    bench b;

    fault_allocator(0);
    CHECK_OK(open_bench(&b, method, true, 1, NULL), &b.err);
    for (int k = 1; k <= 4; k++) {
        CHECK_OK(sweep(&b, 0.5 * k), &b.err);
        advance(&b, 0.5 * k);
    }
    const long before = fault_requests();
    for (int k = 5; k <= 7; k++) {
        CHECK_OK(sweep(&b, 0.5 * k), &b.err);
        advance(&b, 0.5 * k);
    }
    if (fault_requests() != before) print_error("%s\n", method);
    assert_int_equal(fault_requests(), before);
    close_bench(&b);
    assert_int_equal(fault_blocks(), 0);
    fault_restore();
}

static void later_windows_allocate_nothing(void **state)
{
    (void)state;
    for_each(allocates_nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_sweeps_give_the_same_bits),
        cmocka_unit_test(warm_sweeps_agree_to_the_tolerance),
        cmocka_unit_test(a_repeated_warm_sweep_is_cheap),
        cmocka_unit_test(a_window_continues_the_one_before),
        cmocka_unit_test(all_methods_agree),
        cmocka_unit_test(breakpoints_are_hit_exactly),
        cmocka_unit_test(a_failing_callback_stops_the_sweep),
        cmocka_unit_test(nan_is_never_a_result),
        cmocka_unit_test(watched_unknowns_are_those_of_y),
        cmocka_unit_test(systems_without_inputs_work),
        cmocka_unit_test(systems_without_unknowns_work),
        cmocka_unit_test(failing_allocations_leak_nothing),
        cmocka_unit_test(later_windows_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
