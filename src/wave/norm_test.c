/* wave/norm_test.c */
#include "wave/wave_fixture.h"

/* The largest |a - b| of component c on a fine grid. */
static double scan(const yk_wave *a, const yk_wave *b, int c, double t0,
                   double t1)
{
    const int n = 40000;
    double most = 0.0;

    for (int i = 0; i <= n; i++) {
        const double t = t0 + (t1 - t0) * i / n;
        const double left = value_of(a, c, t) - (b ? value_of(b, c, t) : 0.0);
        most = fmax(most, fabs(left));
    }
    return most;
}

static void maximum_of_cubics_is_exact(void **state)
{
    (void)state;
    for (unsigned long long seed = 1; seed <= 20; seed++) {
        yk_wave *a = random_wave(seed, 2, 3, 3, 0.0, 1.0);
        yk_wave *b = random_wave(seed + 50, 2, 4, 3, 0.0, 1.0);
        double out[2];
        CHECK_OK(yk_wave_distance(a, b, out, NULL), NULL);
        for (int c = 0; c < 2; c++) {
            const double true_max = scan(a, b, c, 0.0, 1.0);
            CHECK_BETWEEN(out[c], true_max * (1.0 - 1e-12),
                          true_max * (1.0 + 1e-3));
        }
        yk_wave_free(a);
        yk_wave_free(b);
    }
}

static void maximum_of_high_degrees_is_close(void **state)
{
    (void)state;
    for (unsigned long long seed = 1; seed <= 20; seed++) {
        yk_wave *a = random_wave(seed, 1, 2, 7, 0.0, 1.0);
        yk_wave *b = random_wave(seed + 50, 1, 1, 7, 0.0, 1.0);
        double out = 0.0;
        CHECK_OK(yk_wave_distance(a, b, &out, NULL), NULL);
        const double true_max = scan(a, b, 0, 0.0, 1.0);
        CHECK_BETWEEN(out, 0.99 * true_max, true_max * (1.0 + 1e-3));
        yk_wave_free(a);
        yk_wave_free(b);
    }
}

/* T_7 oscillates most of all: every extremum has height 1. */
static void maximum_of_chebyshev_is_close(void **state)
{
    yk_wave *a = new_wave(1, 0.0);
    double value[8], out = 0.0;
    (void)state;
    for (int j = 0; j <= 7; j++) {
        const double x = 2.0 * j / 7.0 - 1.0;
        value[j] = x * (x * x * (x * x * (64.0 * x * x - 112.0) + 56.0) - 7.0) -
                   0.5 * (1.0 + x);
    }
    yk_wave_append_samples(a, 1.0, 7, value, NULL);
    CHECK_OK(yk_wave_distance(a, NULL, &out, NULL), NULL);
    const double true_max = scan(a, NULL, 0, 0.0, 1.0);
    CHECK_BETWEEN(out, 0.97 * true_max, true_max * (1.0 + 1e-6));
    yk_wave_free(a);
}

static void inner_extrema_and_both_sides_are_seen(void **state)
{
    const double bump[] = { 0.0, 4.0, -4.0 }; /* 1 at the middle */
    const double fall[] = { 5.0, -5.0 };
    const double wiggle[] = { 0.0, 1.0, -3.0, 2.0 }; /* s (1-s) (1-2s) */
    yk_wave *a = new_wave(1, 0.0);
    double out = 0.0;
    (void)state;
    yk_wave_append(a, 1.0, 2, bump, NULL);
    yk_wave_distance(a, NULL, &out, NULL);
    CHECK_NEAR(out, 1.0, 1e-15);
    yk_wave_append(a, 2.0, 1, fall, NULL); /* 5 only from the right */
    yk_wave_distance(a, NULL, &out, NULL);
    CHECK_NEAR(out, 5.0, 0.0);
    yk_wave_clear(a, 0.0);
    yk_wave_append(a, 1.0, 3, wiggle, NULL);
    yk_wave_distance(a, NULL, &out, NULL);
    CHECK_NEAR(out, sqrt(3.0) / 18.0, 1e-15);
    yk_wave_free(a);
}

/* What a piece of higher degree before it had is not looked at. */
static void a_piece_is_seen_by_itself(void **state)
{
    const double cubic[] = { 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -7.0, 0.5 };
    const double bump[] = { 0.0, 0.0, 40.0, 0.0, -40.0, 0.0 };
    yk_wave *a = new_wave(2, 0.0);
    double out[2] = { 0.0 };
    (void)state;
    yk_wave_append(a, 1.0, 3, cubic, NULL);
    yk_wave_append(a, 2.0, 2, bump, NULL);
    yk_wave_distance(a, NULL, out, NULL);
    CHECK_NEAR(out[0], 10.0, 1e-14);
    CHECK_NEAR(out[1], 0.5, 0.0);
    yk_wave_free(a);
}

static void many_components_are_all_measured(void **state)
{
    yk_wave *a = random_wave(1, 64, 5, 4, 0.0, 1.0);
    yk_wave *b = random_wave(2, 64, 6, 4, 0.0, 1.0);
    yk_wave *one = new_wave(1, 0.0);
    (void)state;
    double out[64], back[64], alone = 0.0;
    yk_wave_distance(a, b, out, NULL);
    yk_wave_distance(b, a, back, NULL);
    for (int c = 0; c < 64; c++) {
        const yk_wave_term term[] = { { a, c, 0, 1.0 }, { b, c, 0, -1.0 } };
        yk_wave_combine(one, 0.0, 1.0, 2, term, NULL);
        yk_wave_distance(one, NULL, &alone, NULL);
        CHECK_NEAR(out[c], alone, 1e-14);
        CHECK_NEAR(out[c], back[c], 0.0);
    }
    yk_wave_free(a);
    yk_wave_free(b);
    yk_wave_free(one);
}

/* Single pieces are compared without a union of grids; what is largest at an end is
 * exact for any degree. */
static void single_pieces_are_measured_alike(void **state)
{
    const double rise[] = { 0.1, 0.2, 0.0, 0.3, 1.0, 0.5 };
    yk_wave *apart = new_wave(1, 0.0), *one = new_wave(1, 0.0);
    double out = 0.0, alone = 0.0;
    (void)state;
    for (unsigned long long seed = 1; seed < 40; seed++) {
        yk_wave *a = random_wave(seed, 1, 1, 5, 0.0, 1.0);
        yk_wave *b = random_wave(seed + 50, 1, 1, 3, 0.0, 1.0);
        const yk_wave_term term[] = { { a, 0, 0, 1.0 }, { b, 0, 0, -1.0 } };
        yk_wave_combine(apart, 0.0, 1.0, 2, term, NULL);
        yk_wave_distance(apart, NULL, &alone, NULL);
        yk_wave_distance(a, b, &out, NULL);
        CHECK_NEAR(out, alone, 0.0);
        CHECK_BETWEEN(out, 0.86 * scan(a, b, 0, 0.0, 1.0),
                      scan(a, b, 0, 0.0, 1.0) * (1.0 + 1e-9));
        yk_wave_free(a);
        yk_wave_free(b);
    }
    yk_wave_append(one, 1.0, 5, rise, NULL);
    yk_wave_distance(one, NULL, &out, NULL);
    CHECK_NEAR(out, 2.1, 1e-15);
    yk_wave_free(apart);
    yk_wave_free(one);
}

static void only_the_common_window_counts(void **state)
{
    const double one = 1.0, two = 2.0, nine = 9.0;
    yk_wave *a = new_wave(1, 0.0), *b = new_wave(1, 1.0);
    yoke_err err = { YOKE_OK, "" };
    double out = 0.0;
    (void)state;
    yk_wave_append_constant(a, 1.0, &nine, NULL);
    yk_wave_append_constant(a, 2.0, &one, NULL);
    yk_wave_append_constant(b, 2.0, &two, NULL);
    yk_wave_append_constant(b, 3.0, &nine, NULL);
    yk_wave_distance(a, b, &out, NULL);
    CHECK_NEAR(out, 1.0, 0.0);
    yk_wave_clear(b, 2.0);
    yk_wave_append_constant(b, 3.0, &nine, NULL);
    CHECK_STATUS(yk_wave_distance(a, b, &out, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "[0, 2] and [2, 3]");
    yk_wave_free(a);
    yk_wave_free(b);
}

static void illegal_norms_are_refused(void **state)
{
    yk_wave *a = random_wave(1, 2, 3, 3, 0.0, 1.0);
    yk_wave *b = random_wave(1, 3, 3, 3, 0.0, 1.0), *empty = new_wave(2, 0.0);
    double out[3] = { 7.0, 7.0, 7.0 };
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(yk_wave_distance(a, b, out, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "2 and of 3");
    CHECK_STATUS(yk_wave_distance(a, empty, out, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "waveform b has 0 pieces");
    CHECK_STATUS(yk_wave_distance(empty, NULL, out, &err), YOKE_E_ARG, &err);
    for (int c = 0; c < 3; c++) CHECK_NEAR(out[c], 7.0, 0.0);
    yk_wave_free(a);
    yk_wave_free(b);
    yk_wave_free(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maximum_of_cubics_is_exact),
        cmocka_unit_test(maximum_of_high_degrees_is_close),
        cmocka_unit_test(maximum_of_chebyshev_is_close),
        cmocka_unit_test(inner_extrema_and_both_sides_are_seen),
        cmocka_unit_test(a_piece_is_seen_by_itself),
        cmocka_unit_test(many_components_are_all_measured),
        cmocka_unit_test(single_pieces_are_measured_alike),
        cmocka_unit_test(only_the_common_window_counts),
        cmocka_unit_test(illegal_norms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
