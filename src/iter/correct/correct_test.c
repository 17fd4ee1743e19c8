/* iter/correct_test.c -- corrected waveforms: how many sweeps they save, and
 * that wrong ones do no lasting harm. */
#include "iter/iter_fixture.h"

#include "iter/correct/correct.h"

/* ---- units that can be linearised ---------------------------------------
 *
 *     y = offset + wave sin t + gain u
 *
 * at every instant, whatever pieces u has.  Z = lie times the gain; no history,
 * for the units have no memory.
 */
static double lie = 1.0;
static bool refuse;
static double wild; /* the history, with changing sign */

static yoke_status exact_sweep(void *self, double t1, const yk_wave *u,
                               yk_wave *y, yoke_err *err)
{
    fake *f = self;
    yk_wave *own = NULL;
    double value[DEGREE + 1];
    yk_wave_term term[] = { { NULL, 0, 0, 1.0 }, { u, 0, 0, f->gain } };

    f->sweeps++;
    for (int k = 0; k <= DEGREE; k++)
        value[k] = f->offset + f->wave * sin(f->t + (t1 - f->t) * k / DEGREE);
    CHECK_OK(yk_wave_create(&own, 1, err), err);
    yk_wave_clear(own, f->t);
    CHECK_OK(yk_wave_append_samples(own, t1, DEGREE, value, err), err);
    term[0].wave = own;
    const yoke_status status =
        yk_wave_combine(y, f->t, t1, f->m ? 2 : 1, term, err);
    yk_wave_free(own);
    f->end = t1;
    return status;
}

static yoke_status fake_linearise(void *self, double t, const double *u,
                                  double h, double *z, yoke_err *err)
{
    const fake *f = self;

    (void)t, (void)u, (void)h;
    if (refuse) return yk_fail(err, YOKE_RETRY, "not here");
    for (int j = 0; j < f->m; j++) z[j] = lie * f->gain;
    return YOKE_OK;
}

static void fake_begin(void *self)
{
    (void)self;
}

static yoke_status fake_history(void *self, double *dy, yoke_err *err)
{
    (void)self, (void)err;
    dy[0] = wild;
    wild = -wild;
    return YOKE_OK;
}

static void fake_follow(void *self, const double *du)
{
    (void)self, (void)du;
}

static const yk_answer_ops fake_answer = {
    .linearise = fake_linearise,
    .begin = fake_begin,
    .history = fake_history,
    .follow = fake_follow,
};

static const yk_propagator_ops answering_ops = {
    .kind = "fake",
    .start = fake_start,
    .sweep = exact_sweep,
    .accept = fake_accept,
    .answer = &fake_answer,
    .work = fake_work,
    .free = fake_free,
};

/* Two units in a loop of this gain; y_a = 1 + sin t + g_a y_b, y_b = g_b y_a.
 */
static void loop(rig *r, double gain, bool jacobi, yoke_accelerate way)
{
    memset(r, 0, sizeof *r);
    rig_prepare(r, 2, jacobi);
    r->fake[0].offset = r->fake[0].wave = 1.0;
    r->fake[0].gain = sqrt(fabs(gain));
    r->fake[1].gain = gain > 0.0 ? sqrt(gain) : -sqrt(-gain);
    for (int i = 0; i < 2; i++) r->propagator[i].ops = &answering_ops;
    r->y0[0] = 1.0 / (1.0 - gain);
    r->y0[1] = r->fake[1].gain * r->y0[0];
    r->options.accelerate = way;
}

static double loop_exact(const rig *r, double t)
{
    return (1.0 + sin(t)) / (1.0 - r->fake[0].gain * r->fake[1].gain);
}

/* Largest number of sweeps in a window. */
static int most_sweeps(const rig *r)
{
    int most = 0;

    for (int k = 0; k < r->rows; k++)
        if (r->row[k].sweep > most) most = r->row[k].sweep;
    return most;
}

/* Runs to t = 2; the most sweeps in a window, or 0 if it did not converge. */
static int sweeps_of(rig *r)
{
    yoke_err err;

    rig_create(r);
    const yoke_status status = yk_iteration_advance(r->it, 2.0, &err);
    if (status == YOKE_OK) {
        const double exact = loop_exact(r, 2.0);
        CHECK_NEAR(rig_value(r, 0, 2.0), exact, 1e-6 * fabs(exact) + 1e-9);
    } else
        assert_int_equal(status, YOKE_NOT_CONVERGED);
    const int most = status == YOKE_OK ? most_sweeps(r) : 0;
    rig_free(r);
    return most;
}

static const double gains[] = { 0.01, 0.1,  0.4,  0.9,   1.5,  3.0,
                                10.0, 1e2,  -0.5, -0.99, -1.2, -10.0,
                                -1e2, -1e3, 1e3,  1e4,   -1e4 };
enum { GAINS = sizeof gains / sizeof *gains };

/* Rounding costs one more sweep at the strongest gains. */
static void a_linear_loop_takes_three_sweeps(void **state)
{
    static const yoke_accelerate way[] = { YOKE_ACCELERATE_NEWTON,
                                           YOKE_ACCELERATE_PRECONDITION,
                                           YOKE_ACCELERATE_AUTO };
    static rig r;
    (void)state;
    for (int k = 0; k < GAINS; k++)
        for (int w = 0; w < 3; w++)
            for (int jacobi = 0; jacobi < 2; jacobi++) {
                loop(&r, gains[k], jacobi, way[w]);
                /* Weak loops are left to the plain iteration by auto. */
                const bool weak = w == 2 && fabs(gains[k]) <= 0.1;
                const bool strong = fabs(gains[k]) > 5e3;
                CHECK_BETWEEN(sweeps_of(&r), 1, weak ? 6 : strong ? 4 : 3);
            }
}

/* The differences of past sweeps are known on a grid only: what lies between
 * its points grows by the gain in each sweep, so stronger loops than these need
 * the linearisation.  One factor for all has no grid. */
static void without_a_linearisation_past_sweeps_do(void **state)
{
    static rig r;
    (void)state;
    for (int k = 0; k < GAINS; k++) {
        if (fabs(gains[k]) <= 1.5) {
            loop(&r, gains[k], false, YOKE_ACCELERATE_ANDERSON);
            CHECK_BETWEEN(sweeps_of(&r), 1, 3);
        }
        loop(&r, gains[k], false, YOKE_ACCELERATE_AITKEN);
        CHECK_BETWEEN(sweeps_of(&r), 1, 4);
    }
}

/* ---- harm --------------------------------------------------------------- */

/* The plain iteration converges for these; a linearisation that is wrong by any
 * factor costs sweeps, not the result.  At worst it makes an enormous step (a
 * loop taken for one of gain 1) that the plain iteration has to undo. */
static void a_lying_unit_does_not_stop_a_converging_loop(void **state)
{
    static const double lies[] = { -30.0, -3.0, -1.0, 0.0, 0.5,  0.9, 1.1,
                                   1.2,   1.45, 2.0,  5.0, 30.0, 1e3, 1e6 };
    static const double gain[] = { 0.1, 0.5, -0.5, 0.7, -0.7 };
    static rig r;
    (void)state;
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++)
        for (size_t g = 0; g < sizeof gain / sizeof *gain; g++) {
            loop(&r, gain[g], false, YOKE_ACCELERATE_NONE);
            const int plain = sweeps_of(&r);
            CHECK_BETWEEN(plain, 3, 60);
            loop(&r, gain[g], false, YOKE_ACCELERATE_AUTO);
            lie = lies[k];
            const int most = sweeps_of(&r);
            lie = 1.0;
            CHECK_BETWEEN(most, 1, plain + 12);
        }
}

/* A correction that does harm is left out in more and more windows. */
static void harm_is_remembered(void **state)
{
    static rig r;
    yoke_err err;
    long extra = 0;
    (void)state;
    for (int k = 0; k < 2; k++) {
        loop(&r, 0.5, false, k ? YOKE_ACCELERATE_NEWTON : YOKE_ACCELERATE_NONE);
        r.options.window = 0.05;
        r.rows = 0;
        lie = 30.0;
        rig_create(&r);
        CHECK_OK(yk_iteration_advance(r.it, 5.0, &err), &err);
        lie = 1.0;
        extra += (k ? 1 : -1) * yk_iteration_result(r.it)->sweeps;
        rig_free(&r);
    }
    /* 100 windows; with pauses of 1, 2, 4, ... windows about 7 are spoilt. */
    CHECK_BETWEEN((double)extra, 0.0, 20.0);
}

static void a_refused_linearisation_leaves_the_plain_iteration(void **state)
{
    static rig r;
    (void)state;
    loop(&r, 0.5, false, YOKE_ACCELERATE_NONE);
    const int plain = sweeps_of(&r);
    loop(&r, 0.5, false, YOKE_ACCELERATE_NEWTON);
    refuse = true;
    const int most = sweeps_of(&r);
    refuse = false;
    assert_int_equal(most, plain);
}

static void an_infinite_history_is_not_used(void **state)
{
    static rig r;
    (void)state;
    loop(&r, 0.5, false, YOKE_ACCELERATE_NEWTON);
    wild = INFINITY;
    const int most = sweeps_of(&r);
    wild = 0.0;
    CHECK_BETWEEN(most, 1, 60);
}

/* ---- when it is used ---------------------------------------------------- */

static void nothing_late_means_nothing_to_correct(void **state)
{
    static rig r;
    yoke_err err;
    (void)state;
    loop(&r, 0.5, false, YOKE_ACCELERATE_NEWTON);
    rig_source(&r, 0); /* b reads a, a reads nothing */
    r.y0[0] = 1.0;
    r.y0[1] = r.fake[1].gain;
    rig_create(&r);
    CHECK_OK(yk_iteration_advance(r.it, 2.0, &err), &err);
    assert_int_equal(most_sweeps(&r), 1);
    rig_free(&r);
}

/* Other tests than that of the error are for those who want the plain sweeps.
 */
static void auto_leaves_counted_sweeps_alone(void **state)
{
    static rig r[2];
    yoke_err err;
    (void)state;
    for (int k = 0; k < 2; k++) {
        loop(&r[k], 0.5, false,
             k ? YOKE_ACCELERATE_AUTO : YOKE_ACCELERATE_NONE);
        r[k].options.stop = YOKE_STOP_COUNT;
        r[k].options.max_sweeps = 4;
        rig_create(&r[k]);
        CHECK_OK(yk_iteration_advance(r[k].it, 1.0, &err), &err);
    }
    assert_int_equal(r[0].rows, r[1].rows);
    for (int i = 0; i < r[0].rows; i++)
        assert_true(r[0].row[i].change == r[1].row[i].change);
    assert_true(rig_value(&r[0], 0, 1.0) == rig_value(&r[1], 0, 1.0));
    rig_free(&r[0]);
    rig_free(&r[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_loop_takes_three_sweeps),
        cmocka_unit_test(without_a_linearisation_past_sweeps_do),
        cmocka_unit_test(a_lying_unit_does_not_stop_a_converging_loop),
        cmocka_unit_test(harm_is_remembered),
        cmocka_unit_test(a_refused_linearisation_leaves_the_plain_iteration),
        cmocka_unit_test(an_infinite_history_is_not_used),
        cmocka_unit_test(nothing_late_means_nothing_to_correct),
        cmocka_unit_test(auto_leaves_counted_sweeps_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
