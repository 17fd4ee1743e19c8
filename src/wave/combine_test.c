/* wave/combine_test.c */
#include "wave/wave_fixture.h"

/* sum of the terms for component `to` at t, from the left */
static double sum_at(int terms, const yk_wave_term *term, int to, double t)
{
    double sum = 0.0;

    for (int i = 0; i < terms; i++)
        if (term[i].to == to)
            sum += term[i].weight * value_of(term[i].wave, term[i].from, t);
    return sum;
}

static void combination_is_exact_on_any_grids(void **state)
{
    yk_wave *dst = new_wave(3, 9.0);
    unsigned long long seed = 11;
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        const unsigned long long s = (unsigned long long)(10 * trial + 1);
        yk_wave *a = random_wave(s, 2, 1 + trial % 7, 5, 0.0, 1.0);
        yk_wave *b = random_wave(s + 1, 1, 1 + trial % 5, 7, -0.2, 1.1);
        yk_wave *c = random_wave(s + 2, 3, 4, trial % 3, 0.1, 0.9);
        const yk_wave_term term[] = { { a, 0, 1, 2.0 },
                                      { a, 1, 1, -0.5 },
                                      { b, 0, 1, 1.5 },
                                      { c, 2, 2, 1.0 },
                                      { a, 1, 2, 3.0 } };
        CHECK_OK(yk_wave_combine(dst, 0.0, 1.0, 5, term, NULL), NULL);
        CHECK_NEAR(yk_wave_begin(dst), 0.0, 0.0);
        CHECK_NEAR(yk_wave_end(dst), 1.0, 0.0);
        for (int i = 0; i < 100; i++) {
            const double t = yk_random(&seed);
            CHECK_NEAR(value_of(dst, 0, t), 0.0, 0.0);
            for (int to = 1; to < 3; to++)
                CHECK_NEAR(value_of(dst, to, t), sum_at(5, term, to, t), 1e-12);
        }
        for (int i = 1; i < a->pieces; i++) {
            const double t = yk_wave_knot(a, i);
            CHECK_NEAR(value_of(dst, 1, t), sum_at(5, term, 1, t), 1e-12);
            CHECK_NEAR(right_value_of(dst, 1, t) - value_of(dst, 1, t),
                       2.0 * (right_value_of(a, 0, t) - value_of(a, 0, t)) -
                           0.5 * (right_value_of(a, 1, t) - value_of(a, 1, t)),
                       1e-12);
        }
        yk_wave_free(a);
        yk_wave_free(b);
        yk_wave_free(c);
    }
    yk_wave_free(dst);
}

/* With more than a few terms halves are added. */
static void sums_of_many_are_exact(void **state)
{
    enum { MANY = 61 };
    yk_wave *wave[MANY], *dst = new_wave(2, 9.0);
    yk_wave_term term[2 * MANY];
    unsigned long long seed = 5;
    (void)state;
    for (int k = 0; k < MANY; k++) {
        wave[k] = random_wave(100 + (unsigned long long)k, 2, 1 + k % 9, k % 6,
                              k % 2 ? 0.0 : -0.1, 1.0);
        term[2 * k] = (yk_wave_term){ wave[k], 0, k % 3 == 0, 1.0 + k };
        term[2 * k + 1] = (yk_wave_term){ wave[k], 1, 1, -0.5 };
    }
    for (int terms = 20; terms <= 2 * MANY; terms += 17) {
        CHECK_OK(yk_wave_combine(dst, 0.0, 1.0, terms, term, NULL), NULL);
        CHECK_NEAR(yk_wave_begin(dst), 0.0, 0.0);
        CHECK_NEAR(yk_wave_end(dst), 1.0, 0.0);
        for (int i = 0; i < 200; i++) {
            const double t = yk_random(&seed);
            for (int to = 0; to < 2; to++)
                CHECK_NEAR(value_of(dst, to, t), sum_at(terms, term, to, t),
                           1e-11 * terms);
        }
    }
    for (int k = 0; k < MANY; k++) yk_wave_free(wave[k]);
    yk_wave_free(dst);
}

static void equal_grids_keep_their_bits(void **state)
{
    yk_wave *a = random_wave(3, 2, 10, 5, 0.0, 1.0);
    yk_wave *dst = new_wave(2, 0.0), *swapped = new_wave(2, 0.0);
    const yk_wave_term same[] = { { a, 0, 0, 1.0 }, { a, 1, 1, 1.0 } };
    const yk_wave_term swap[] = { { dst, 0, 1, -1.0 }, { dst, 1, 0, -1.0 } };
    (void)state;
    CHECK_OK(yk_wave_combine(dst, 0.0, 1.0, 2, same, NULL), NULL);
    assert_true(yk_wave_equal(a, dst));
    CHECK_OK(yk_wave_combine(swapped, 0.0, 1.0, 2, swap, NULL), NULL);
    for (int i = 0; i < a->pieces; i++) {
        assert_int_equal(a->degree[i], swapped->degree[i]);
        for (int k = 0; k <= a->degree[i]; k++)
            assert_true(yk_wave_coef(a, i)[2 * k] ==
                        -yk_wave_coef(swapped, i)[2 * k + 1]);
    }
    yk_wave_free(a);
    yk_wave_free(dst);
    yk_wave_free(swapped);
}

static void degree_is_the_largest_of_the_sources(void **state)
{
    const double coef[] = { 1.0, 2.0, 3.0 };
    yk_wave *a = new_wave(1, 0.0), *b = new_wave(1, 0.0);
    yk_wave *dst = new_wave(1, 0.0);
    const yk_wave_term term[] = { { a, 0, 0, 1.0 }, { b, 0, 0, 1.0 } };
    (void)state;
    yk_wave_append(a, 0.5, 2, coef, NULL);
    yk_wave_append(a, 1.0, 0, coef, NULL);
    yk_wave_append(b, 0.75, 1, coef, NULL);
    yk_wave_append(b, 1.0, 0, coef, NULL);
    CHECK_OK(yk_wave_combine(dst, 0.0, 1.0, 2, term, NULL), NULL);
    assert_int_equal(yk_wave_pieces(dst), 3);
    assert_int_equal(yk_wave_degree(dst, 0), 2);
    assert_int_equal(yk_wave_degree(dst, 1), 1);
    assert_int_equal(yk_wave_degree(dst, 2), 0);
    yk_wave_free(a);
    yk_wave_free(b);
    yk_wave_free(dst);
}

/* Two grids that differ by rounding: no slivers, and the jump stays clean. */
static void close_knots_are_one(void **state)
{
    const double zero = 0.0, one = 1.0, tiny = 1e-13;
    const double jump[] = { 0.5, 0.5 + tiny, 0.5 - tiny };
    yk_wave *a = new_wave(1, 0.0), *b = new_wave(1, 0.0);
    yk_wave *dst = new_wave(1, 0.0);
    const yk_wave_term term[] = { { a, 0, 0, 1.0 }, { b, 0, 0, -1.0 } };
    (void)state;
    for (int i = 0; i < 3; i++) {
        double most = 1.0;
        yk_wave_clear(a, 0.0);
        yk_wave_append_constant(a, 0.5, &zero, NULL);
        yk_wave_append_linear(a, 1.0, &one, &zero, NULL);
        yk_wave_clear(b, -tiny);
        yk_wave_append_constant(b, jump[i], &zero, NULL);
        yk_wave_append_linear(b, 1.0 - tiny, &one, &zero, NULL);
        yk_wave_append_constant(b, 1.0, &one, NULL); /* a sliver */
        CHECK_OK(yk_wave_combine(dst, 0.0, 1.0, 2, term, NULL), NULL);
        assert_int_equal(yk_wave_pieces(dst), 2);
        yk_wave_distance(dst, NULL, &most, NULL);
        CHECK_NEAR(most, 0.0, 0.0);
        yk_wave_distance(a, b, &most, NULL);
        CHECK_NEAR(most, 0.0, 1e-12);
    }
    yk_wave_free(a);
    yk_wave_free(b);
    yk_wave_free(dst);
}

static void interval_clips_and_extends(void **state)
{
    const double line[] = { 1.0, 2.0 }; /* 1 + 2 t */
    yk_wave *a = new_wave(1, 0.0), *dst = new_wave(1, 0.0);
    const yk_wave_term term = { a, 0, 0, 1.0 };
    (void)state;
    yk_wave_append(a, 1.0, 1, line, NULL);
    CHECK_OK(yk_wave_combine(dst, -1.0, 3.0, 1, &term, NULL), NULL);
    assert_int_equal(yk_wave_pieces(dst), 1);
    CHECK_NEAR(value_of(dst, 0, -1.0), -1.0, 1e-15);
    CHECK_NEAR(value_of(dst, 0, 3.0), 7.0, 1e-15);
    CHECK_OK(yk_wave_combine(dst, 0.25, 0.5, 1, &term, NULL), NULL);
    CHECK_NEAR(value_of(dst, 0, 0.25), 1.5, 0.0);
    CHECK_NEAR(value_of(dst, 0, 0.5), 2.0, 0.0);
    CHECK_OK(yk_wave_combine(dst, 0.0, 2.0, 0, NULL, NULL), NULL);
    assert_int_equal(yk_wave_pieces(dst), 1);
    assert_int_equal(yk_wave_degree(dst, 0), 0);
    CHECK_NEAR(value_of(dst, 0, 1.0), 0.0, 0.0);
    yk_wave_free(a);
    yk_wave_free(dst);
}

static void repeated_combination_allocates_nothing(void **state)
{
    (void)state;
    fault_allocator(0);
    yk_wave *a = random_wave(1, 3, 40, 3, 0.0, 1.0);
    yk_wave *b = random_wave(2, 3, 30, 5, 0.0, 1.0);
    yk_wave *dst = new_wave(3, 0.0), *other = new_wave(3, 0.0);
    const yk_wave_term term[] = { { a, 0, 0, 1.0 },
                                  { b, 1, 0, 1.0 },
                                  { a, 2, 2, 2.0 } };
    long before = 0;
    for (int i = 0; i < 5; i++) {
        double out[3];
        if (i == 1) before = fault_requests();
        CHECK_OK(yk_wave_combine(dst, 0.0, 1.0, 3, term, NULL), NULL);
        CHECK_OK(yk_wave_relax(dst, a, 0.7, NULL), NULL);
        CHECK_OK(yk_wave_restrict(other, dst, 0.2, 0.8, NULL), NULL);
        CHECK_OK(yk_wave_extrapolate(other, dst, 2.0, 2, 0.5, NULL), NULL);
        CHECK_OK(yk_wave_copy(other, dst, NULL), NULL);
        CHECK_OK(yk_wave_distance(a, b, out, NULL), NULL);
    }
    assert_int_equal(fault_requests(), before);
    yk_wave_free(a);
    yk_wave_free(b);
    yk_wave_free(dst);
    yk_wave_free(other);
    assert_int_equal(fault_blocks(), 0);
    fault_restore();
}

static void illegal_terms_are_refused(void **state)
{
    yk_wave *a = random_wave(1, 2, 3, 3, 0.0, 1.0);
    yk_wave *dst = random_wave(2, 2, 3, 3, 0.0, 1.0);
    yk_wave *empty = new_wave(2, 0.0), *old = new_wave(2, 0.0);
    const yk_wave_term bad[] = { { dst, 0, 0, 1.0 },
                                 { a, 2, 0, 1.0 },
                                 { a, 0, -1, 1.0 },
                                 { a, 0, 0, NAN },
                                 { empty, 0, 0, 1.0 } };
    const char *text[] = { "the result is one", "from = 2 is not between 0",
                           "to = -1 is not between 0 and 1", "weight = nan",
                           "0 pieces" };
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    yk_wave_copy(old, dst, NULL);
    for (int i = 0; i < 5; i++) {
        const yk_wave_term term[] = { { a, 0, 0, 1.0 }, bad[i] };
        CHECK_STATUS(yk_wave_combine(dst, 0.0, 1.0, 2, term, &err), YOKE_E_ARG,
                     &err);
        CHECK_CONTAINS(err.text, "term 1: ");
        CHECK_CONTAINS(err.text, text[i]);
    }
    CHECK_STATUS(yk_wave_combine(dst, 1.0, 1.0, 0, NULL, &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, "[1, 1]");
    CHECK_STATUS(yk_wave_combine(dst, 0.0, 1.0, -1, NULL, &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, "terms = -1");
    assert_true(yk_wave_equal(dst, old));
    const yk_wave_term huge[] = { { a, 0, 0, 1e308 }, { a, 0, 0, 1e308 },
                                  { a, 0, 0, 1e308 }, { a, 0, 0, 1e308 },
                                  { a, 0, 0, 1e308 }, { a, 0, 0, 1e308 } };
    CHECK_STATUS(yk_wave_combine(dst, 0.0, 1.0, 6, huge, &err), YOKE_RETRY,
                 &err);
    yk_wave_free(a);
    yk_wave_free(dst);
    yk_wave_free(empty);
    yk_wave_free(old);
}

static void restriction_is_the_same_function(void **state)
{
    yk_wave *a = random_wave(4, 2, 10, 6, 0.0, 1.0);
    yk_wave *part = new_wave(2, 0.0), *self = new_wave(2, 0.0);
    const double knot = yk_wave_knot(a, 3);
    const double ends[][2] = { { 0.0, 1.0 },
                               { 0.111, 0.777 },
                               { knot, 0.95 },
                               { 0.0, knot },
                               { knot + 0.01, knot + 0.02 } };
    (void)state;
    for (int i = 0; i < 5; i++) {
        const double t0 = ends[i][0], t1 = ends[i][1];
        CHECK_OK(yk_wave_restrict(part, a, t0, t1, NULL), NULL);
        CHECK_NEAR(yk_wave_begin(part), t0, 0.0);
        CHECK_NEAR(yk_wave_end(part), t1, 0.0);
        for (int j = 1; j < 200; j++) {
            const double t = t0 + (t1 - t0) * j / 200.0;
            CHECK_NEAR(value_of(part, 1, t), value_of(a, 1, t), 1e-13);
        }
        CHECK_NEAR(right_value_of(part, 0, t0), right_value_of(a, 0, t0),
                   1e-14);
        CHECK_NEAR(value_of(part, 0, t1), value_of(a, 0, t1), 1e-14);
        yk_wave_copy(self, a, NULL);
        CHECK_OK(yk_wave_restrict(self, self, t0, t1, NULL), NULL);
        assert_true(yk_wave_equal(self, part));
    }
    yk_wave_restrict(part, a, 0.0, 1.0, NULL);
    assert_true(yk_wave_equal(a, part));
    yk_wave_free(a);
    yk_wave_free(part);
    yk_wave_free(self);
}

static void illegal_restrictions_are_refused(void **state)
{
    const double huge[] = { 0.0, 1.7e308, -1.7e308, 1.7e308 };
    yk_wave *a = random_wave(4, 1, 10, 6, 0.0, 1.0);
    yk_wave *b = new_wave(2, 0.0), *c = new_wave(1, 0.0);
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(yk_wave_restrict(b, a, 0.0, 1.0, &err), YOKE_E_ARG, &err);
    CHECK_STATUS(yk_wave_restrict(a, c, 0.0, 1.0, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "0 pieces");
    CHECK_STATUS(yk_wave_restrict(c, a, 0.5, 1.5, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "[0.5, 1.5] is not a part of [0, 1]");
    CHECK_STATUS(yk_wave_restrict(c, a, NAN, 0.5, &err), YOKE_E_ARG, &err);
    CHECK_STATUS(yk_wave_restrict(c, a, 0.5, 0.5, &err), YOKE_E_ARG, &err);
    yk_wave_clear(a, 0.0);
    yk_wave_append(a, 1.0, 3, huge, NULL);
    CHECK_STATUS(yk_wave_restrict(c, a, 0.9, 1.0, &err), YOKE_RETRY, &err);
    assert_int_equal(yk_wave_pieces(c), 0);
    yk_wave_free(a);
    yk_wave_free(b);
    yk_wave_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combination_is_exact_on_any_grids),
        cmocka_unit_test(sums_of_many_are_exact),
        cmocka_unit_test(equal_grids_keep_their_bits),
        cmocka_unit_test(degree_is_the_largest_of_the_sources),
        cmocka_unit_test(close_knots_are_one),
        cmocka_unit_test(interval_clips_and_extends),
        cmocka_unit_test(repeated_combination_allocates_nothing),
        cmocka_unit_test(illegal_terms_are_refused),
        cmocka_unit_test(restriction_is_the_same_function),
        cmocka_unit_test(illegal_restrictions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
