/* family/reference_test.c -- the judge's own solutions against closed forms. */
#include "check.h"

#include "family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double cosine(void *self, double t)
{
    return cos(*(const double *)self * t);
}

static double half_waves(void *self, double u)
{
    (void)self;
    return fmax(0.0, u);
}

static double step(void *self, double t)
{
    return t < *(const double *)self ? 0.0 : 1.0;
}

static void integrals_over_kinks_are_exact(void **state)
{
    double w = 1.0;
    wave *u = wave_of(cosine, &w, 0.0, 100.0, 1.0);
    wave *g = wave_map(u, half_waves, NULL, 4);
    wave *x = wave_integral(g, 1.0, 0.0);
    (void)state;
    CHECK_NEAR(wave_at(x, pi / 2.0), 1.0, 1e-13);
    CHECK_NEAR(wave_at(x, 20.0 * pi), 20.0, 1e-12);
    CHECK_NEAR(wave_at(x, 100.0), 31.493634358890244, 1e-12);
    wave_free(u);
    wave_free(g);
    wave_free(x);
}

static void filters_follow_jumps(void **state)
{
    double at = 0.3141, tau;
    (void)state;
    for (tau = 1e-5; tau < 20.0; tau *= 10.0) {
        wave *u = wave_of(step, &at, 0.0, 1.0, 0.1);
        wave *x = wave_filter(u, tau, 0.5);
        const double before = 0.5 * exp(-at / tau);
        CHECK_NEAR(wave_at(x, at - 1e-9), before, 1e-9 / tau + 1e-12);
        CHECK_NEAR(wave_at(x, at + tau),
                   at + tau > 1.0 ? wave_at(x, 1.0)
                                  : 1.0 + (before - 1.0) * exp(-1.0),
                   1e-9);
        CHECK_NEAR(wave_at(x, 1.0),
                   1.0 + (before - 1.0) * exp(-(1.0 - at) / tau), 1e-11);
        wave_free(u);
        wave_free(x);
    }
}

static void rotate(void *self, double t, const double *x, double *xdot)
{
    (void)self, (void)t;
    xdot[0] = 7.0 * x[1] - 0.1 * x[0];
    xdot[1] = -7.0 * x[0] - 0.1 * x[1];
}

static void equations_and_exponentials_agree(void **state)
{
    const double A[4] = { -0.1, 7.0, -7.0, -0.1 }, b[2] = { 0.0, 0.0 };
    const double x0[2] = { 1.0, 0.0 };
    double y[2] = { 1.0, 0.0 };
    wave *x[2] = { NULL, NULL };
    (void)state;
    assert_true(wave_ode(rotate, NULL, 2, x0, 0.0, 10.0, 1.0, NULL, 0, x));
    wave_linear_step(2, A, b, 10.0, y);
    CHECK_NEAR(y[0], exp(-1.0) * cos(70.0), 1e-13);
    CHECK_NEAR(wave_at(x[0], 10.0), y[0], 1e-13);
    CHECK_NEAR(wave_at(x[1], 10.0), -exp(-1.0) * sin(70.0), 1e-13);
    wave_free(x[0]);
    wave_free(x[1]);
}

static void crossings_are_counted_by_direction(void **state)
{
    double w = 1.0, at[40], near = 0.0;
    wave *u = wave_of(cosine, &w, 0.0, 100.0, 1.0);
    (void)state;
    assert_int_equal(wave_crossings(u, 0.0, -1, at, 40, &near), 16);
    CHECK_NEAR(at[0], pi / 2.0, 1e-12);
    CHECK_NEAR(at[15], pi / 2.0 + 30.0 * pi, 1e-12);
    assert_int_equal(wave_crossings(u, 0.0, 0, at, 40, NULL), 32);
    CHECK_BETWEEN(near, 0.8, 1.0);
    wave_free(u);
}

static void jumps_are_found(void **state)
{
    const double time[] = { 0.25, 0.5 }, value[] = { 0.0, 1.0, 0.5 };
    wave *u = wave_pieces(time, value, 3, 0.0, 1.0);
    double at[4], place = 0.3141;
    (void)state;
    assert_int_equal(wave_jumps(u, 1e-9, at, 4), 2);
    CHECK_NEAR(at[0], 0.25, 0.0);
    CHECK_NEAR(wave_at(u, 0.26), 1.0, 0.0);
    wave_free(u);
    u = wave_of(step, &place, 0.0, 1.0, 0.1);
    assert_int_equal(wave_jumps(u, 1e-9, at, 4), 1);
    CHECK_NEAR(at[0], place, 1e-8);
    CHECK_NEAR(wave_most(u, 1.0), 1.0, 1e-12); /* the series there swings */
    assert_int_equal(wave_crossings(u, -0.05, 0, at, 4, NULL), 0);
    assert_int_equal(wave_crossings(u, 0.5, 1, at, 4, NULL), 1);
    CHECK_NEAR(at[0], place, 1e-9);
    wave_free(u);
}

/* Every class can be drawn, the same twice, and has readings. */
static void a_seed_is_a_system(void **state)
{
    (void)state;
    for (const family_class *k = family_classes; k->name; k++) {
        family_case a, b;
        text first = { NULL, 0, 0 }, second = { NULL, 0, 0 };
        assert_ptr_equal(family_make(5, 7, k->name, &a), k);
        assert_ptr_equal(family_make(5, 7, k->name, &b), k);
        case_write(&a, 1e-6, "", &first);
        case_write(&b, 1e-6, "", &second);
        assert_string_equal(first.bytes, second.bytes);
        assert_true(a.readings > 0);
        for (int i = 0; i < a.readings; i++)
            CHECK_NEAR(wave_at(a.reading[i].exact, a.stop),
                       wave_at(b.reading[i].exact, a.stop), 0.0);
        text_free(&first);
        text_free(&second);
        case_free(&a);
        case_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals_over_kinks_are_exact),
        cmocka_unit_test(filters_follow_jumps),
        cmocka_unit_test(equations_and_exponentials_agree),
        cmocka_unit_test(crossings_are_counted_by_direction),
        cmocka_unit_test(jumps_are_found),
        cmocka_unit_test(a_seed_is_a_system),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
