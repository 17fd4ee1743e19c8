/* iter/effort_test.c -- early sweeps with looser tolerances. */
#include "iter/iter_fixture.h"

/* A unit whose unknowns are its outputs, and which notes how loose it may be.
 */
enum { NOTED = 4000 };
static double noted[NOTED], next_factor;
static int notes;

static yoke_status noting_sweep(void *self, double t1, const yk_wave *u,
                                yk_wave *y, yoke_err *err)
{
    fake *f = self;
    const double before = f->last;

    assert_true(notes < NOTED);
    noted[notes++] = next_factor;
    next_factor = 1.0;
    const yoke_status status = fake_sweep(self, t1, u, y, err);
    f->inside = fabs(f->last - before) / 1e-6;
    return status;
}

static void note_factor(void *self, double factor)
{
    (void)self;
    next_factor = factor;
}

static const yk_propagator_ops noting_ops = {
    .kind = "fake",
    .start = fake_start,
    .sweep = noting_sweep,
    .accept = fake_accept,
    .moved = fake_moved,
    .loosen = note_factor,
    .work = fake_work,
    .free = fake_free,
};

/* A loop that contracts by 0.3; one unit notes. */
static void loop(rig *r, bool loosen)
{
    yoke_err err;

    memset(r, 0, sizeof *r);
    rig_prepare(r, 2, false);
    r->fake[0].offset = r->fake[0].wave = 1.0;
    r->fake[0].gain = 0.3;
    r->fake[1].gain = 1.0;
    for (int i = 0; i < 2; i++) {
        r->y0[i] = 1.0 / 0.7;
        r->propagator[i].ops = &fake_moving_ops;
        r->fake[i].inside = 1.0;
    }
    r->propagator[0].ops = &noting_ops;
    r->options.loosen = loosen;
    r->options.skip = false;
    notes = 0;
    next_factor = 1.0;
    rig_create(r);
    CHECK_OK(yk_iteration_advance(r->it, 5.0, &err), &err);
    CHECK_NEAR(rig_value(r, 0, 5.0), (1.0 + sin(5.0)) / 0.7, 1e-6);
    assert_int_equal(notes, r->rows); /* one note per sweep */
}

static void the_last_sweep_of_a_window_is_never_loose(void **state)
{
    static rig r;
    int loose = 0;
    (void)state;
    loop(&r, true);
    for (int k = 0; k < r.rows; k++) {
        if (r.row[k].accepted) CHECK_NEAR(noted[k], 1.0, 0.0);
        CHECK_BETWEEN(noted[k], 1.0, 1e3);
        if (r.row[k].window == 1) /* nothing is known yet */
            CHECK_NEAR(noted[k], 1.0, 0.0);
        if (r.row[k].sweep > 1)
            assert_true(noted[k] <= fmax(1.0, noted[k - 1]));
        loose += noted[k] > 1.0;
    }
    assert_true(loose > 10); /* of 20 windows */
    rig_free(&r);
}

static void it_can_be_switched_off(void **state)
{
    static rig r;
    (void)state;
    loop(&r, false);
    for (int k = 0; k < r.rows; k++) CHECK_NEAR(noted[k], 1.0, 0.0);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_sweep_of_a_window_is_never_loose),
        cmocka_unit_test(it_can_be_switched_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
