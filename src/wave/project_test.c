/* wave/project_test.c */
#include "wave/wave_fixture.h"

static const double grid[] = { 0.0, 0.15, 0.5, 0.8, 1.0 };

/* sum_{k <= degree} (k + 1) t^k */
static double poly(double t, int degree)
{
    double sum = 0.0;

    for (int k = degree; k >= 0; k--) sum = sum * t + (k + 1);
    return sum;
}

/* That polynomial on [t0, t1] in `pieces` pieces. */
static yk_wave *poly_wave(int degree, int pieces, double t0, double t1)
{
    yk_wave *w = new_wave(1, t0);

    for (int i = 0; i < pieces; i++) {
        const double a = t0 + (t1 - t0) * i / pieces;
        const double b = t0 + (t1 - t0) * (i + 1) / pieces;
        double value[YOKE_WAVE_MAX_DEGREE + 1];
        for (int j = 0; j <= degree; j++)
            value[j] = poly(degree ? a + (b - a) * j / degree : a, degree);
        CHECK_OK(yk_wave_append_samples(w, b, degree, value, NULL), NULL);
    }
    return w;
}

/* src on the grid: what relaxation leaves with omega = 0. */
static void project(yk_wave *dst, const yk_wave *src, int degree)
{
    const double zero[YOKE_WAVE_MAX_DEGREE + 1] = { 0.0 };

    yk_wave_clear(dst, grid[0]);
    for (int i = 1; i < 5; i++)
        CHECK_OK(yk_wave_append(dst, grid[i], degree, zero, NULL), NULL);
    CHECK_OK(yk_wave_relax(dst, src, 0.0, NULL), NULL);
}

static void projection_is_exact_on_its_degree(void **state)
{
    yk_wave *dst = new_wave(1, 0.0);
    (void)state;
    for (int degree = 0; degree <= YOKE_WAVE_MAX_DEGREE; degree++) {
        yk_wave *src = poly_wave(degree, 3, 0.0, 1.0);
        double out = 1.0;
        project(dst, src, degree);
        assert_int_equal(yk_wave_pieces(dst), 4);
        assert_int_equal(yk_wave_degree(dst, 2), degree);
        yk_wave_distance(dst, src, &out, NULL);
        CHECK_NEAR(out, 0.0, 1e-10);
        yk_wave_free(src);
    }
    yk_wave_free(dst);
}

static void projection_interpolates_at_the_knots(void **state)
{
    yk_wave *src = poly_wave(7, 1, 0.0, 1.0), *dst = new_wave(1, 0.0);
    (void)state;
    for (int degree = 0; degree <= 5; degree++) {
        project(dst, src, degree);
        for (int i = 0; i < 4; i++) {
            CHECK_NEAR(right_value_of(dst, 0, grid[i]), poly(grid[i], 7),
                       1e-11);
            if (degree == 0) continue;
            CHECK_NEAR(value_of(dst, 0, grid[i + 1]), poly(grid[i + 1], 7),
                       1e-11);
        }
    }
    project(dst, src, 3);
    for (int i = 1; i < 5; i++) { /* Hermite: the derivatives as well */
        double d = 0.0, e = 1.0;
        yk_wave_eval_dot(dst, grid[i], 1, NULL, &d);
        yk_wave_eval_dot(src, grid[i], 1, NULL, &e);
        CHECK_NEAR(d, e, 1e-10);
    }
    yk_wave_free(src);
    yk_wave_free(dst);
}

/* Also when the knots differ by rounding. */
static void jumps_survive_projection(void **state)
{
    const double one = 1.0, five = 5.0;
    const double at[] = { 0.5, 0.5 - 1e-16, 0.5 + 1e-16 };
    yk_wave *src = new_wave(1, 0.0), *dst = new_wave(1, 0.0);
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int degree = 0; degree <= 4; degree++) {
            yk_wave_clear(src, 0.0);
            yk_wave_append_constant(src, at[i], &one, NULL);
            yk_wave_append_constant(src, 1.0, &five, NULL);
            project(dst, src, degree);
            CHECK_NEAR(value_of(dst, 0, 0.3), 1.0, 0.0);
            CHECK_NEAR(value_of(dst, 0, 0.5), 1.0, 0.0);
            CHECK_NEAR(right_value_of(dst, 0, 0.5), 5.0, 0.0);
            CHECK_NEAR(value_of(dst, 0, 0.9), 5.0, 0.0);
        }
    yk_wave_free(src);
    yk_wave_free(dst);
}

static void relaxation_blends_on_the_first_grid(void **state)
{
    (void)state;
    for (int degree = 0; degree <= 5; degree++) {
        yk_wave *a = poly_wave(5, 4, 0.0, 1.0), *old = new_wave(1, 0.0);
        yk_wave *b = poly_wave(degree, 7, 0.0, 1.0);
        yk_wave_copy(old, a, NULL);
        CHECK_OK(yk_wave_relax(a, b, 0.3, NULL), NULL);
        assert_int_equal(yk_wave_pieces(a), 4);
        for (double t = 0.0; t <= 1.0; t += 0.02)
            CHECK_NEAR(value_of(a, 0, t),
                       0.7 * value_of(b, 0, t) + 0.3 * value_of(old, 0, t),
                       1e-11);
        yk_wave_free(a);
        yk_wave_free(b);
        yk_wave_free(old);
    }
}

static void relaxation_on_equal_grids_is_exact(void **state)
{
    yk_wave *a = random_wave(1, 3, 8, 5, 0.0, 1.0);
    yk_wave *b = random_wave(1, 3, 8, 5, 0.0, 1.0);
    yk_wave *old = random_wave(1, 3, 8, 5, 0.0, 1.0);
    (void)state;
    for (size_t k = 0; k < b->offset[8]; k++) b->coef[k] *= -2.0;
    CHECK_OK(yk_wave_relax(a, b, 1.0, NULL), NULL);
    assert_true(yk_wave_equal(a, old)); /* omega = 1 keeps a */
    CHECK_OK(yk_wave_relax(a, b, 0.5, NULL), NULL);
    for (size_t k = 0; k < a->offset[8]; k++)
        CHECK_NEAR(a->coef[k], -0.5 * old->coef[k], 0.0);
    CHECK_OK(yk_wave_relax(a, b, 0.0, NULL), NULL);
    CHECK_OK(yk_wave_relax(a, a, 0.3, NULL), NULL);
    for (size_t k = 0; k < a->offset[8]; k++)
        CHECK_NEAR(a->coef[k], b->coef[k], 0.0);
    yk_wave_free(a);
    yk_wave_free(b);
    yk_wave_free(old);
}

/* A shorter polynomial of b on a common piece is padded with zeros. */
static void relaxation_pads_lower_degrees(void **state)
{
    const double cubic[] = { 1.0, 1.0, 1.0, 1.0 }, line[] = { 2.0, 4.0 };
    yk_wave *a = new_wave(1, 0.0), *b = new_wave(1, 0.0);
    (void)state;
    yk_wave_append(a, 1.0, 3, cubic, NULL);
    yk_wave_append(b, 1.0, 1, line, NULL);
    CHECK_OK(yk_wave_relax(a, b, 0.5, NULL), NULL);
    const double want[] = { 1.5, 2.5, 0.5, 0.5 };
    assert_memory_equal(yk_wave_coef(a, 0), want, sizeof want);
    yk_wave_free(a);
    yk_wave_free(b);
}

static void extrapolation_is_exact_on_its_order(void **state)
{
    const double spans[] = { 0.0, 0.3, 1.0, -1.0 };
    yk_wave *dst = new_wave(1, 0.0);
    (void)state;
    for (int order = 0; order <= YOKE_EXTRAPOLATE_MAX; order++)
        for (int s = 0; s < 4; s++) {
            yk_wave *src = poly_wave(order, 5, 0.0, 1.0);
            CHECK_OK(yk_wave_extrapolate(dst, src, 1.75, order, spans[s], NULL),
                     NULL);
            assert_int_equal(yk_wave_pieces(dst), 1);
            assert_int_equal(yk_wave_degree(dst, 0), order);
            CHECK_NEAR(yk_wave_end(dst), 1.75, 0.0);
            for (double t = 1.0; t <= 1.75; t += 0.05)
                CHECK_NEAR(value_of(dst, 0, t), poly(t, order),
                           order <= 2 ? 1e-12 : 1e-9); /* rounding grows */
            yk_wave_free(src);
        }
    yk_wave_free(dst);
}

static void extrapolation_begins_at_the_end_value(void **state)
{
    yk_wave *src = random_wave(6, 2, 7, 7, 0.0, 1.0);
    yk_wave *dst = new_wave(2, 0.0), *self = new_wave(2, 0.0);
    (void)state;
    for (int order = 0; order <= YOKE_EXTRAPOLATE_MAX; order++) {
        CHECK_OK(yk_wave_extrapolate(dst, src, 1.5, order, 0.4, NULL), NULL);
        CHECK_NEAR(value_of(dst, 0, 1.0), value_of(src, 0, 1.0), 0.0);
        for (int j = 1; j <= order; j++) { /* passes through the samples */
            const double t = 1.0 - 0.4 * j / order;
            CHECK_NEAR(value_of(dst, 1, t), value_of(src, 1, t), 1e-13);
        }
        yk_wave_copy(self, src, NULL);
        CHECK_OK(yk_wave_extrapolate(self, self, 1.5, order, 0.4, NULL), NULL);
        assert_true(yk_wave_equal(self, dst));
    }
    yk_wave_free(src);
    yk_wave_free(dst);
    yk_wave_free(self);
}

/* Windows leave jumps at their ends: the past is the last window without its
 * left end, (T_{n-1}, T_n], whatever rounding makes of T_{n-1}. */
static void a_jump_where_the_span_begins_is_seen_from_inside(void **state)
{
    yk_wave *dst = new_wave(1, 0.0);
    (void)state;
    for (int n = 1; n < 100; n++) {
        const double t0 = 0.1 * n, t1 = 0.1 * (n + 1), t2 = 0.1 * (n + 2);
        const double before[] = { 7.0 };
        const double line[] = { 1.0, 2.0 }; /* 1 + 2 (t - t0) / (t1 - t0) */
        yk_wave *src = new_wave(1, t0 - 0.1);
        yk_wave_append(src, t0, 0, before, NULL);
        yk_wave_append(src, t1, 1, line, NULL);
        for (int order = 1; order <= YOKE_EXTRAPOLATE_MAX; order++) {
            CHECK_OK(yk_wave_extrapolate(dst, src, t2, order, t1 - t0, NULL),
                     NULL);
            CHECK_NEAR(value_of(dst, 0, t2), 5.0, 1e-8);
        }
        yk_wave_free(src);
    }
    yk_wave_free(dst);
}

/* Values 1, -1, 1, ... at the nodes are enlarged most. */
static void extrapolation_enlarges_errors_by_its_bound(void **state)
{
    static const double known[] = { 1.0, 3.0, 17.0, 111.0, 769.0, 5503.0 };
    yk_wave *src = new_wave(1, 0.0), *dst = new_wave(1, 0.0);
    (void)state;
    for (int order = 0; order <= YOKE_EXTRAPOLATE_MAX; order++) {
        CHECK_NEAR(yk_wave_extrapolate_bound(order, 1.0, 1.0), known[order],
                   1e-9);
        CHECK_NEAR(yk_wave_extrapolate_bound(order, 0.2, 0.1),
                   yk_wave_extrapolate_bound(order, 2.0, 1.0), 1e-9);
        const double part = order > 0 ? 1.0 / order : 1.0;
        yk_wave_clear(src, -0.5 * part);
        for (int k = 0; k <= order; k++) /* constant around each node */
            yk_wave_append(src, k == order ? k * part : (k + 0.5) * part, 0,
                           (double[]){ k % 2 ? -1.0 : 1.0 }, NULL);
        const double end = yk_wave_end(src), span = order > 0 ? 1.0 : 0.5;
        CHECK_OK(yk_wave_extrapolate(dst, src, end + 1.0, order, span, NULL),
                 NULL);
        CHECK_NEAR(fabs(value_of(dst, 0, end + 1.0)), known[order], 1e-8);
    }
    assert_true(isnan(yk_wave_extrapolate_bound(6, 1.0, 1.0)));
    assert_true(isnan(yk_wave_extrapolate_bound(1, 0.0, 1.0)));
    assert_true(isnan(yk_wave_extrapolate_bound(1, 1.0, NAN)));
    yk_wave_free(src);
    yk_wave_free(dst);
}

static void illegal_arguments_are_refused(void **state)
{
    yk_wave *a = random_wave(1, 1, 3, 3, 0.0, 1.0), *b = new_wave(2, 0.0);
    yk_wave *c = new_wave(1, 0.0);
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_STATUS(yk_wave_relax(a, b, 1.0, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "1 and of 2");
    CHECK_STATUS(yk_wave_relax(a, c, 1.0, &err), YOKE_E_ARG, &err);
    CHECK_STATUS(yk_wave_relax(c, a, 1.0, &err), YOKE_E_ARG, &err);
    CHECK_STATUS(yk_wave_relax(a, a, NAN, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "omega = nan");
    CHECK_STATUS(yk_wave_extrapolate(c, a, 1.0, 1, 0.0, &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, "t1 = 1 is not finite and above the end 1");
    CHECK_STATUS(yk_wave_extrapolate(c, a, 2.0, 6, 0.0, &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, "order = 6 is not between 0 and 5");
    CHECK_STATUS(yk_wave_extrapolate(c, a, 2.0, 1, NAN, &err), YOKE_E_ARG,
                 &err);
    CHECK_STATUS(yk_wave_extrapolate(c, c, 2.0, 1, 0.0, &err), YOKE_E_ARG,
                 &err);
    CHECK_STATUS(yk_wave_extrapolate(b, a, 2.0, 1, 0.0, &err), YOKE_E_ARG,
                 &err);
    yk_wave_free(a);
    yk_wave_free(b);
    yk_wave_free(c);
}

static void overflow_asks_for_another_try(void **state)
{
    const double up = 1.5e308, down = -1.5e308;
    yk_wave *a = new_wave(1, 0.0), *b = new_wave(1, 0.0);
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    yk_wave_append_constant(a, 0.5, &down, NULL);
    yk_wave_append_constant(a, 1.0, &up, NULL);
    CHECK_STATUS(yk_wave_extrapolate(b, a, 9.0, 1, 1.0, &err), YOKE_RETRY,
                 &err);
    yk_wave_clear(b, 0.0);
    yk_wave_append_constant(b, 1.0, &down, NULL);
    CHECK_STATUS(yk_wave_relax(b, a, 5.0, &err), YOKE_RETRY, &err);
    yk_wave_free(a);
    yk_wave_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_is_exact_on_its_degree),
        cmocka_unit_test(projection_interpolates_at_the_knots),
        cmocka_unit_test(jumps_survive_projection),
        cmocka_unit_test(relaxation_blends_on_the_first_grid),
        cmocka_unit_test(relaxation_on_equal_grids_is_exact),
        cmocka_unit_test(relaxation_pads_lower_degrees),
        cmocka_unit_test(extrapolation_is_exact_on_its_order),
        cmocka_unit_test(extrapolation_begins_at_the_end_value),
        cmocka_unit_test(a_jump_where_the_span_begins_is_seen_from_inside),
        cmocka_unit_test(extrapolation_enlarges_errors_by_its_bound),
        cmocka_unit_test(illegal_arguments_are_refused),
        cmocka_unit_test(overflow_asks_for_another_try),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
