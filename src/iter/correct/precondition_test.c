/* iter/precond_test.c -- the preconditioner (2.14) along a window. */
#include "iter/iter_fixture.h"

/* y_a = 1 + sin t + g(t) y_b,  y_b = y_a,  g = middle (1 + swing sin 4 t). */
static double middle, swing;
static bool at_end_only; /* a linearisation that does not know t */
static int asked;

static double gain_at(double t)
{
    return middle * (1.0 + swing * sin(4.0 * t));
}

static yoke_status varying_sweep(void *self, double t1, const yk_wave *u,
                                 yk_wave *y, yoke_err *err)
{
    fake *f = self;
    double value[DEGREE + 1];

    for (int k = 0; k <= DEGREE; k++) {
        const double t = f->t + (t1 - f->t) * k / DEGREE;
        yk_wave_eval(u, t, NULL, &value[k]);
        if (f->letter == 'a') value[k] = 1.0 + sin(t) + gain_at(t) * value[k];
    }
    yk_wave_clear(y, f->t);
    f->end = t1;
    return yk_wave_append_samples(y, t1, DEGREE, value, err);
}

static yoke_status varying_linearise(void *self, double t, const double *u,
                                     double h, double *z, yoke_err *err)
{
    const fake *f = self;

    (void)h, (void)err;
    asked++;
    if (u) CHECK_BETWEEN(t, f->t, f->end);
    z[0] = f->letter == 'b' ? 1.0 : gain_at(u && !at_end_only ? t : f->end);
    return YOKE_OK;
}

static const yk_answer_ops varying_answer = { .linearise = varying_linearise };
static const yk_propagator_ops varying_ops = {
    .kind = "fake",
    .start = fake_start,
    .sweep = varying_sweep,
    .accept = fake_accept,
    .answer = &varying_answer,
    .work = fake_work,
    .free = fake_free,
};

static void varying_loop(rig *r, double window)
{
    memset(r, 0, sizeof *r);
    rig_prepare(r, 2, false);
    for (int i = 0; i < 2; i++) {
        r->propagator[i].ops = &varying_ops;
        r->y0[i] = 1.0 / (1.0 - gain_at(0.0));
    }
    r->options.window = window;
    r->options.accelerate = YOKE_ACCELERATE_PRECONDITION;
    asked = 0;
    rig_create(r);
}

/* Sweeps to t = 2; 0: it does not converge. */
static int sweeps_of(double window)
{
    static rig r;
    yoke_err err;

    varying_loop(&r, window);
    const yoke_status status = yk_iteration_advance(r.it, 2.0, &err);
    const int sweeps = status == YOKE_OK ? r.rows : 0;
    if (sweeps)
        CHECK_NEAR(rig_value(&r, 0, 2.0),
                   (1.0 + sin(2.0)) / (1.0 - gain_at(2.0)), 1e-6);
    rig_free(&r);
    return sweeps;
}

static void a_coupling_that_changes_along_the_window_converges_fast(
    void **state)
{
    (void)state;
    middle = -6.0, swing = 0.8;
    at_end_only = false;
    const int along = sweeps_of(0.25);
    at_end_only = true;
    const int kept = sweeps_of(0.25);
    print_message("sweeps in 8 windows: %d with A(t), %d with A(end)\n", along,
                  kept);
    CHECK_BETWEEN(along, 8, 40);
    assert_true(kept == 0 || kept > 2 * along);
}

static void what_hardly_changes_is_asked_for_once_per_window(void **state)
{
    (void)state;
    middle = -6.0, swing = 1e-3;
    at_end_only = false;
    const int sweeps = sweeps_of(0.25);
    CHECK_BETWEEN(sweeps, 8, 32);
    /* Both units, at the start once, and at the end of each window. */
    assert_int_equal(asked, 2 * (8 + 1));
}

/* g passes 1 in the second window: I - A has no inverse there. */
static void a_singular_matrix_is_named(void **state)
{
    static rig r;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    middle = 1.0, swing = 0.0;
    at_end_only = false;
    memset(&r, 0, sizeof r);
    rig_prepare(&r, 2, false);
    for (int i = 0; i < 2; i++) r.propagator[i].ops = &varying_ops;
    r.options.accelerate = YOKE_ACCELERATE_PRECONDITION;
    rig_create(&r);
    CHECK_STATUS(yk_iteration_advance(r.it, 2.0, &err), YOKE_NOT_CONVERGED,
                 &err);
    CHECK_CONTAINS(err.text, "singular");
    CHECK_CONTAINS(err.text, "b.y");
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_coupling_that_changes_along_the_window_converges_fast),
        cmocka_unit_test(what_hardly_changes_is_asked_for_once_per_window),
        cmocka_unit_test(a_singular_matrix_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
