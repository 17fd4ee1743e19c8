/* wave/waveform_test.c */
#include "wave/wave_fixture.h"

#include <string.h>

/* 1 + t - 2 t^2 + ... of the given degree and its derivatives. */
static double poly(double t, int degree, int order)
{
    double sum = 0.0;

    for (int k = degree; k >= order; k--) {
        double factor = 1.0 - 0.3 * k * (k % 2 ? 1 : -1);
        for (int j = 0; j < order; j++) factor *= k - j;
        sum = sum * t + factor;
    }
    return sum;
}

static void samples_reproduce_polynomials(void **state)
{
    (void)state;
    for (int degree = 0; degree <= YOKE_WAVE_MAX_DEGREE; degree++) {
        yk_wave *w = new_wave(2, 0.5);
        const double h = 0.75;
        double value[2 * (YOKE_WAVE_MAX_DEGREE + 1)];
        for (int j = 0; j <= degree; j++) {
            const double t = 0.5 + (degree ? h * j / degree : 0.0);
            value[2 * j] = poly(t, degree, 0);
            value[2 * j + 1] = -2.0 * value[2 * j];
        }
        CHECK_OK(yk_wave_append_samples(w, 0.5 + h, degree, value, NULL), NULL);
        for (double t = 0.4; t < 1.4; t += 0.06) {
            double v[2];
            yk_wave_eval(w, t, NULL, v);
            CHECK_NEAR(v[0], poly(t, degree, 0), 1e-11);
            CHECK_NEAR(v[1], -2.0 * poly(t, degree, 0), 2e-11);
        }
        yk_wave_free(w);
    }
}

static void hermite_and_linear_pieces_reproduce_polynomials(void **state)
{
    const double a = -0.5, m = 0.3, b = 1.1;
    double cubic[] = { poly(a, 3, 0), poly(a, 3, 1), poly(m, 3, 0),
                       poly(m, 3, 1) };
    const double line[] = { poly(m, 1, 0), poly(b, 1, 0) };
    yk_wave *w = new_wave(1, a);
    (void)state;
    yk_rows_from_hermite(cubic, m - a, 1);
    CHECK_OK(yk_wave_append(w, m, 3, cubic, NULL), NULL);
    CHECK_OK(yk_wave_append_linear(w, b, &line[0], &line[1], NULL), NULL);
    for (double t = a; t <= m; t += 0.1)
        CHECK_NEAR(value_of(w, 0, t), poly(t, 3, 0), 1e-14);
    for (double t = m + 0.01; t <= b; t += 0.1)
        CHECK_NEAR(value_of(w, 0, t), poly(t, 1, 0), 1e-14);
    yk_wave_free(w);
}

static void derivatives_of_every_order_are_exact(void **state)
{
    yk_wave *w = new_wave(1, 1.0);
    double value[8];
    (void)state;
    for (int j = 0; j <= 5; j++) value[j] = poly(1.0 + 0.5 * j / 5.0, 5, 0);
    CHECK_OK(yk_wave_append_samples(w, 1.5, 5, value, NULL), NULL);
    for (int order = 1; order <= 7; order++)
        for (double t = 0.9; t < 1.6; t += 0.1) {
            double v = NAN;
            yk_wave_eval_dot(w, t, order, NULL, &v);
            CHECK_NEAR(v, poly(t, 5, order), 1e-8);
        }
    yk_wave_free(w);
}

static void jumps_have_two_sides(void **state)
{
    const double one = 1.0, two = 2.0, three = 3.0;
    yk_wave *w = new_wave(1, 0.0);
    double dot = 0.0;
    (void)state;
    yk_wave_append_constant(w, 1.0, &one, NULL);
    yk_wave_append_linear(w, 2.0, &two, &three, NULL);
    assert_int_equal(yk_wave_pieces(w), 2);
    CHECK_NEAR(value_of(w, 0, 1.0), 1.0, 0.0);
    CHECK_NEAR(right_value_of(w, 0, 1.0), 2.0, 0.0);
    CHECK_NEAR(value_of(w, 0, 0.0), 1.0, 0.0);
    CHECK_NEAR(right_value_of(w, 0, 2.0), 3.0, 0.0);
    yk_wave_eval_dot(w, 1.0, 1, NULL, &dot); /* from the left */
    CHECK_NEAR(dot, 0.0, 0.0);
    CHECK_NEAR(value_of(w, 0, 3.0), 4.0, 0.0); /* end pieces continue */
    CHECK_NEAR(value_of(w, 0, -1.0), 1.0, 0.0);
    yk_wave_free(w);
}

static void end_values_are_exact(void **state)
{
    const double coef[] = { 0.1, 0.2, 0.7, 1e-9 };
    yk_wave *w = new_wave(1, 1.0 / 3.0);
    (void)state;
    yk_wave_append(w, 0.7, 3, coef, NULL);
    assert_true(value_of(w, 0, 1.0 / 3.0) == coef[0]);
    assert_true(value_of(w, 0, 0.7) == coef[3] + coef[2] + coef[1] + coef[0]);
    assert_true(yk_wave_knot(w, 1) == 0.7);
    assert_int_equal(yk_wave_degree(w, 0), 3);
    assert_memory_equal(yk_wave_coef(w, 0), coef, sizeof coef);
    yk_wave_free(w);
}

static void cursor_changes_nothing(void **state)
{
    yk_wave *w = random_wave(7, 2, 100, 4, 0.0, 10.0);
    unsigned long long seed = 3;
    int cursor = 0, right_cursor = 1000000;
    (void)state;
    for (int i = 0; i < 5000; i++) {
        double t = 12.0 * yk_random(&seed) - 1.0, v[2], u[2];
        if (i % 2) t = yk_wave_knot(w, (int)(100.99 * yk_random(&seed)));
        if (i > 4000) t = (i - 4000) * 0.01; /* increasing */
        if (i % 100 == 0) cursor = i - 2500; /* stale, any value */
        yk_wave_eval(w, t, &cursor, v);
        yk_wave_eval(w, t, NULL, u);
        assert_memory_equal(v, u, sizeof v);
        yk_wave_eval_right(w, t, &right_cursor, v);
        yk_wave_eval_right(w, t, NULL, u);
        assert_memory_equal(v, u, sizeof v);
    }
    yk_wave_free(w);
}

static void equal_means_the_same_bits(void **state)
{
    yk_wave *a = random_wave(5, 3, 9, 5, 0.0, 1.0);
    yk_wave *b = new_wave(3, 0.0), *other = new_wave(2, 0.0);
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    assert_false(yk_wave_equal(a, b));
    CHECK_OK(yk_wave_copy(b, a, &err), &err);
    CHECK_OK(yk_wave_copy(b, b, &err), &err);
    assert_true(yk_wave_equal(a, b));
    b->coef[b->offset[9] - 1] = nextafter(b->coef[b->offset[9] - 1], INFINITY);
    assert_false(yk_wave_equal(a, b));
    yk_wave_copy(b, a, NULL);
    b->knot[4] = nextafter(b->knot[4], 0.0);
    assert_false(yk_wave_equal(a, b));
    assert_false(yk_wave_equal(a, other));
    CHECK_STATUS(yk_wave_copy(other, a, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "2 and of 3");
    yk_wave_clear(a, 1.0);
    CHECK_OK(yk_wave_copy(b, a, &err), &err); /* no pieces */
    assert_true(yk_wave_equal(a, b));
    yk_wave_free(a);
    yk_wave_free(b);
    yk_wave_free(other);
}

static void illegal_pieces_are_refused(void **state)
{
    const double good[2] = { 1.0, 2.0 }, bad[2] = { 1.0, NAN };
    yk_wave *w = new_wave(1, 2.0), *none = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(yk_wave_create(&none, -1, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "dim = -1");
    assert_null(none);
    CHECK_STATUS(yk_wave_append(w, 2.0, 1, good, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "t1 = 2 is not finite and above the end 2");
    CHECK_STATUS(yk_wave_append(w, INFINITY, 1, good, &err), YOKE_E_ARG, &err);
    CHECK_STATUS(yk_wave_append(w, NAN, 1, good, &err), YOKE_E_ARG, &err);
    CHECK_STATUS(yk_wave_append(w, 3.0, 8, good, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "degree = 8 is not between 0 and 7");
    CHECK_STATUS(yk_wave_append_samples(w, 3.0, -1, good, &err), YOKE_E_ARG,
                 &err);
    CHECK_STATUS(yk_wave_append(w, 3.0, 1, bad, &err), YOKE_RETRY, &err);
    CHECK_CONTAINS(err.text, "component 0");
    CHECK_CONTAINS(err.text, "coefficient 1");
    CHECK_STATUS(yk_wave_append_linear(w, 3.0, good, bad + 1, &err), YOKE_RETRY,
                 &err);
    CHECK_STATUS(yk_wave_append_linear(w, 1.0, good, good, &err), YOKE_E_ARG,
                 &err);
    CHECK_STATUS(yk_wave_reserve(w, -1, 0, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "pieces = -1");
    CHECK_STATUS(yk_wave_reserve(w, 1, 9, &err), YOKE_E_ARG, &err);
    assert_int_equal(yk_wave_pieces(w), 0);
    CHECK_NEAR(yk_wave_end(w), 2.0, 0.0);
    CHECK_STATUS(yk_wave_append(w, 1.0, 1, good, NULL), YOKE_E_ARG, NULL);
    yk_wave_free(w);
}

static void no_components_are_enough(void **state)
{
    yk_wave *w = new_wave(0, 0.0), *v = new_wave(0, 5.0);
    (void)state;
    CHECK_OK(yk_wave_append(w, 1.0, 2, NULL, NULL), NULL);
    CHECK_OK(yk_wave_append_constant(w, 1.5, NULL, NULL), NULL);
    CHECK_OK(yk_wave_append_linear(w, 1.6, NULL, NULL, NULL), NULL);
    CHECK_OK(yk_wave_append_samples(w, 1.7, 4, NULL, NULL), NULL);
    assert_int_equal(yk_wave_pieces(w), 4);
    yk_wave_eval(w, 0.5, NULL, NULL);
    yk_wave_eval_dot(w, 0.5, 1, NULL, NULL);
    CHECK_OK(yk_wave_copy(v, w, NULL), NULL);
    assert_true(yk_wave_equal(v, w));
    CHECK_OK(yk_wave_restrict(v, w, 0.5, 1.2, NULL), NULL);
    CHECK_OK(yk_wave_relax(v, w, 0.5, NULL), NULL);
    CHECK_OK(yk_wave_distance(v, w, NULL, NULL), NULL);
    CHECK_OK(yk_wave_extrapolate(v, w, 3.0, 2, 0.0, NULL), NULL);
    CHECK_OK(yk_wave_combine(v, 0.0, 1.0, 0, NULL, NULL), NULL);
    assert_int_equal(yk_wave_pieces(v), 1);
    yk_wave_free(w);
    yk_wave_free(v);
}

static void refilling_allocates_nothing(void **state)
{
    yk_wave *w = NULL;
    (void)state;
    fault_allocator(0);
    w = random_wave(1, 4, 50, 5, 0.0, 1.0);
    const long before = fault_requests();
    for (int i = 0; i < 10; i++) fill_random(w, 1, 50, 5, i, i + 1.0);
    assert_int_equal(fault_requests(), before);
    CHECK_OK(yk_wave_reserve(w, 200, 6, NULL), NULL);
    const long reserved = fault_requests();
    yk_wave_clear(w, 0.0);
    fill_random(w, 2, 200, 6, 0.0, 1.0);
    assert_int_equal(fault_requests(), reserved);
    yk_wave_free(w);
    assert_int_equal(fault_blocks(), 0);
    fault_restore();
}

/* Everything that allocates. */
static yoke_status use_all(yoke_err *err)
{
    const double value[4] = { 1.0, 2.0, 3.0, 4.0 };
    yoke_status status = YOKE_OK;
    yk_wave *a = NULL, *b = NULL;

    YK_GO(yk_wave_create(&a, 1, err));
    YK_GO(yk_wave_create(&b, 1, err));
    for (int i = 1; i <= 20; i++)
        YK_GO(yk_wave_append(a, i, i % 4, value, err));
    YK_GO(yk_wave_copy(b, a, err));
    YK_GO(yk_wave_reserve(b, 100, 3, err));
    YK_GO(yk_wave_relax(b, a, 0.5, err));
    const yk_wave_term term = { a, 0, 0, 2.0 };
    YK_GO(yk_wave_combine(b, 0.0, 20.0, 1, &term, err));
    YK_GO(yk_wave_restrict(a, b, 0.5, 19.0, err));
    YK_GO(yk_wave_extrapolate(a, b, 25.0, 2, 0.0, err));

done:
    yk_wave_free(a);
    yk_wave_free(b);
    return status;
}

static void no_failing_allocation_leaks(void **state)
{
    yoke_status status = YOKE_E_MEMORY;
    (void)state;
    for (long n = 1; status != YOKE_OK; n++) {
        yoke_err err = { YOKE_OK, "" };
        assert_true(n < 1000);
        fault_allocator(n);
        status = use_all(&err);
        if (status != YOKE_OK) {
            CHECK_STATUS(status, YOKE_E_MEMORY, &err);
            CHECK_CONTAINS(err.text, "out of memory");
        }
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
}

/* Operation `what` on a small dst that must grow. */
static yoke_status grow(int what, yk_wave *dst, const yk_wave *src)
{
    const yk_wave_term term = { src, 1, 0, 2.0 };

    if (what == 0) return yk_wave_copy(dst, src, NULL);
    if (what == 1) return yk_wave_combine(dst, 0.0, 1.0, 1, &term, NULL);
    return yk_wave_restrict(dst, src, 0.1, 0.9, NULL);
}

static void failing_allocation_changes_nothing(void **state)
{
    yk_wave *src = random_wave(4, 2, 100, 3, 0.0, 1.0);
    yk_wave *old = random_wave(5, 2, 2, 1, 0.0, 1.0);
    (void)state;
    for (int what = 0; what < 3; what++) {
        yoke_status status = YOKE_E_MEMORY;
        for (long n = 1; status != YOKE_OK; n++) {
            yk_wave *dst = random_wave(5, 2, 2, 1, 0.0, 1.0);
            fault_allocator(n);
            status = grow(what, dst, src);
            fault_restore();
            assert_int_equal(yk_wave_equal(dst, old), status != YOKE_OK);
            assert_true(n > 3 || status != YOKE_OK);
            yk_wave_free(dst);
        }
    }
    yk_wave_free(src);
    yk_wave_free(old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_reproduce_polynomials),
        cmocka_unit_test(hermite_and_linear_pieces_reproduce_polynomials),
        cmocka_unit_test(derivatives_of_every_order_are_exact),
        cmocka_unit_test(jumps_have_two_sides),
        cmocka_unit_test(end_values_are_exact),
        cmocka_unit_test(cursor_changes_nothing),
        cmocka_unit_test(equal_means_the_same_bits),
        cmocka_unit_test(illegal_pieces_are_refused),
        cmocka_unit_test(no_components_are_enough),
        cmocka_unit_test(refilling_allocates_nothing),
        cmocka_unit_test(no_failing_allocation_leaks),
        cmocka_unit_test(failing_allocation_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
