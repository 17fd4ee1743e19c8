/* iter/extrapolate_test.c -- the choice of the first guess. */
#include "check.h"

#include "base/base.h"
#include "iter/extrapolate.h"

#include <math.h>

static const yoke_iterate_options automatic = { .rtol = 1e-6,
                                                .atol = 1e-9,
                                                .extrapolate = -1 };

/* Appends f on [t0, t1] as pieces of degree 6. */
static void fill(yk_wave *w, double t0, double t1, int pieces,
                 double (*f)(double t))
{
    yoke_err err;

    yk_wave_clear(w, t0);
    for (int i = 0; i < pieces; i++) {
        const double a = t0 + i * (t1 - t0) / pieces;
        const double b =
            i + 1 == pieces ? t1 : t0 + (i + 1) * (t1 - t0) / pieces;
        double value[7];
        for (int k = 0; k <= 6; k++) value[k] = f(a + k * (b - a) / 6.0);
        CHECK_OK(yk_wave_append_samples(w, b, 6, value, &err), &err);
    }
}

typedef struct windows {
    yk_guess guess;
    yk_wave *now, *made;
    double t, length;
    double error; /* of the last guess, at the end of its window */
} windows;

static void windows_start(windows *w, double t0, double length, double value)
{
    yoke_err err;

    *w = (windows){ .t = t0, .length = length };
    CHECK_OK(yk_guess_create(&w->guess, 1, &err), &err);
    CHECK_OK(yk_guess_start(&w->guess, t0, length, &value, &err), &err);
    CHECK_OK(yk_wave_create(&w->now, 1, &err), &err);
    CHECK_OK(yk_wave_create(&w->made, 1, &err), &err);
}

static void windows_free(windows *w)
{
    yk_guess_free(&w->guess);
    yk_wave_free(w->now);
    yk_wave_free(w->made);
}

/* One window: guess, then learn what it turned out to be. */
static void window(windows *w, const yoke_iterate_options *o,
                   double (*f)(double t))
{
    const bool marked = true;
    const double t1 = w->t + w->length;
    double guessed = 0.0;
    yoke_err err;

    CHECK_OK(yk_guess_make(&w->guess, o, w->made, t1, &err), &err);
    CHECK_NEAR(yk_wave_begin(w->made), w->t, 0.0);
    CHECK_NEAR(yk_wave_end(w->made), t1, 0.0);
    yk_wave_eval(w->made, t1, NULL, &guessed);
    w->error = fabs(guessed - f(t1));
    fill(w->now, w->t, t1, 3, f);
    CHECK_OK(
        yk_guess_learn(&w->guess, o, NULL, w->now, &marked, -INFINITY, &err),
        &err);
    w->t = t1;
}

/* ---- polynomials -------------------------------------------------------- */

static int degree;
static double noise;

/* Of the given degree, with a little roughness that high orders amplify. */
static double polynomial(double t)
{
    double value = 0.0;

    for (int k = degree; k >= 0; k--) value = value * t + 1.0 + k;
    return value + noise * sin(1e4 * t);
}

static void a_polynomial_is_guessed_exactly(void **state)
{
    (void)state;
    for (degree = 0, noise = 0.0; degree <= YOKE_EXTRAPOLATE_MAX; degree++) {
        windows w;
        windows_start(&w, 0.0, 0.125, polynomial(0.0));
        for (int k = 0; k < 7; k++) window(&w, &automatic, polynomial);
        CHECK_BETWEEN(yk_guess_order(&w.guess, &automatic), degree,
                      YOKE_EXTRAPOLATE_MAX);
        window(&w, &automatic, polynomial);
        CHECK_NEAR(w.error, 0.0, 1e-9 * polynomial(w.t));
        windows_free(&w);
    }
}

static void a_rough_polynomial_gets_its_own_order(void **state)
{
    (void)state;
    for (degree = 0, noise = 1e-7; degree <= 4; degree++) {
        windows w;
        windows_start(&w, 0.0, 0.125, polynomial(0.0));
        for (int k = 0; k < 12; k++) window(&w, &automatic, polynomial);
        assert_int_equal(yk_guess_order(&w.guess, &automatic), degree);
        windows_free(&w);
    }
}

/* ---- jumps -------------------------------------------------------------- */

static double jump_at;

/* A parabola, then another constant. */
static double jumping(double t)
{
    return t < jump_at ? 1.0 + t + 3.0 * t * t : -5.0;
}

static void after_a_jump_the_guess_is_constant(void **state)
{
    windows w;
    (void)state;
    jump_at = 1.06; /* inside a window */
    windows_start(&w, 0.0, 0.125, 1.0);
    for (int k = 0; k < 8; k++) window(&w, &automatic, jumping);
    CHECK_BETWEEN(yk_guess_order(&w.guess, &automatic), 2, 5);
    CHECK_NEAR(w.error, 0.0, 1e-9);
    window(&w, &automatic, jumping); /* it jumps here */
    assert_true(w.error > 1.0);
    window(&w, &automatic, jumping); /* nothing is known of the new shape */
    assert_int_equal(yk_guess_order(&w.guess, &automatic), 0);
    window(&w, &automatic, jumping);
    CHECK_NEAR(w.error, 0.0, 1e-12);
    windows_free(&w);
}

/* ---- options ------------------------------------------------------------ */

static void a_given_order_is_kept(void **state)
{
    (void)state;
    for (int order = 0; order <= YOKE_EXTRAPOLATE_MAX; order++) {
        yoke_iterate_options o = automatic;
        windows w;
        o.extrapolate = order;
        degree = order;
        noise = 0.0;
        windows_start(&w, 0.0, 0.25, polynomial(0.0));
        for (int k = 0; k < 3; k++) {
            window(&w, &o, polynomial);
            assert_int_equal(yk_guess_order(&w.guess, &o), order);
        }
        CHECK_NEAR(w.error, 0.0, 1e-9 * polynomial(w.t));
        degree = order + 1; /* is beyond it */
        window(&w, &o, polynomial);
        assert_true(w.error > 1e-3);
        windows_free(&w);
    }
}

/* Only what others read early is judged. */
static void components_that_are_not_marked_do_not_count(void **state)
{
    const double zero[2] = { 0.0, 0.0 };
    const bool marked[2] = { true, false };
    yk_guess guess = { 0 };
    yk_wave *now = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_guess_create(&guess, 2, &err), &err);
    CHECK_OK(yk_guess_start(&guess, 0.0, 1.0, zero, &err), &err);
    CHECK_OK(yk_wave_create(&now, 2, &err), &err);
    for (int k = 0; k < 6; k++) { /* a parabola beside a sawtooth */
        const double coef[] = { 1.0 * k * k,        0.0, 2.0 * k,
                                k % 2 ? 9.0 : -9.0, 1.0, 0.0 };
        yk_wave_clear(now, k);
        CHECK_OK(yk_wave_append(now, k + 1.0, 2, coef, &err), &err);
        CHECK_OK(yk_guess_learn(&guess, &automatic, NULL, now, marked,
                                -INFINITY, &err),
                 &err);
    }
    CHECK_BETWEEN(yk_guess_order(&guess, &automatic), 2, 5);
    yk_wave_free(now);
    yk_guess_free(&guess);
}

/* The past is that of the last windows, however many there were. */
static void windows_of_other_lengths_are_fine(void **state)
{
    static const double length[] = { 0.1, 0.4, 0.05, 0.2, 0.2, 0.01, 0.3 };
    windows w;
    (void)state;
    degree = 2;
    noise = 0.0;
    windows_start(&w, 0.0, 0.1, polynomial(0.0));
    for (int k = 0; k < 28; k++) {
        w.length = length[k % 7];
        window(&w, &automatic, polynomial);
        if (k > 2) CHECK_NEAR(w.error, 0.0, 1e-6 * polynomial(w.t));
        CHECK_BETWEEN(yk_wave_pieces(w.guess.past), 1, 400);
    }
    windows_free(&w);
}

/* ---- breaks ---------------------------------------------------------------
 */

/* t^2, and from `broken_at` on by 3 lower and with another slope. */
static double broken_at;

static double broken(double t)
{
    return t <= broken_at ? t * t : t * t + 5.0 * (t - broken_at) - 3.0;
}

static void learn(windows *w, double length, double since)
{
    const bool marked = true;
    const double t1 = w->t + length;
    yoke_err err;

    CHECK_OK(yk_guess_learn(&w->guess, &automatic, NULL, w->now, &marked, since,
                            &err),
             &err);
    w->t = t1;
}

static void behind_a_break_the_past_begins_anew(void **state)
{
    windows w;
    double value = 0.0;
    yoke_err err;
    (void)state;
    broken_at = 1.0;
    windows_start(&w, 0.0, 0.25, 0.0);
    for (int k = 0; k < 3; k++) window(&w, &automatic, broken);
    fill(w.now, 0.75, 1.0, 3, broken);
    learn(&w, 0.25, 1.0);
    assert_int_equal(yk_guess_order(&w.guess, &automatic), 0);
    CHECK_OK(yk_guess_make(&w.guess, &automatic, w.made, 1.25, &err), &err);
    yk_wave_eval(w.made, 1.25, NULL, &value);
    CHECK_NEAR(value, 1.0, 0.0);
    broken_at = 0.0; /* the branch behind it */
    fill(w.now, 1.0, 1.25, 3, broken);
    learn(&w, 0.25, -INFINITY);
    assert_true(yk_guess_order(&w.guess, &automatic) >= 2); /* as before */
    CHECK_OK(yk_guess_make(&w.guess, &automatic, w.made, 1.5, &err), &err);
    yk_wave_eval(w.made, 1.5, NULL, &value);
    CHECK_NEAR(value, broken(1.5), 1e-9);
    windows_free(&w);
}

static void a_jump_inside_a_window_is_found_and_cut_off(void **state)
{
    const bool marked = true, not_marked = false;
    windows w;
    double coef[3], value = 0.0;
    yoke_err err;
    (void)state;
    broken_at = 10.0;
    windows_start(&w, 0.0, 0.25, 0.0);
    for (int k = 0; k < 4; k++) window(&w, &automatic, broken);
    yk_wave_clear(w.now, 1.0);
    for (int k = 0; k < 3; k++) /* t^2 with a jump at 1.1 */
        coef[k] = k == 0 ? 1.0 : k == 1 ? 0.2 : 0.01;
    CHECK_OK(yk_wave_append(w.now, 1.1, 2, coef, &err), &err);
    coef[0] = 1.21 - 3.0, coef[1] = 2.2 * 0.15, coef[2] = 0.15 * 0.15;
    CHECK_OK(yk_wave_append(w.now, 1.25, 2, coef, &err), &err);
    CHECK_NEAR(yk_guess_jump(&automatic, w.now, &marked), 1.1, 1e-15);
    assert_true(isinf(yk_guess_jump(&automatic, w.now, &not_marked)));
    learn(&w, 0.25, 1.1);
    CHECK_OK(yk_guess_make(&w.guess, &automatic, w.made, 1.4, &err), &err);
    yk_wave_eval(w.made, 1.4, NULL, &value);
    CHECK_NEAR(value, 1.4 * 1.4 - 3.0, 1e-9);
    windows_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_polynomial_is_guessed_exactly),
        cmocka_unit_test(a_rough_polynomial_gets_its_own_order),
        cmocka_unit_test(after_a_jump_the_guess_is_constant),
        cmocka_unit_test(a_given_order_is_kept),
        cmocka_unit_test(components_that_are_not_marked_do_not_count),
        cmocka_unit_test(windows_of_other_lengths_are_fine),
        cmocka_unit_test(behind_a_break_the_past_begins_anew),
        cmocka_unit_test(a_jump_inside_a_window_is_found_and_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
