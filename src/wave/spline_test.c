/* Splines: cubics are exact, the order is four, jumps stay. */
#include "check.h"
#include "wave/spline.h"

#include <math.h>

static yk_wave *make(int dim)
{
    yk_wave *w = NULL;

    CHECK_OK(yk_wave_create(&w, dim, NULL), NULL);
    return w;
}

/* Straight pieces between values of two functions on [0, 2]; the second part
 * of the knots is denser. */
static yk_wave *chords(int pieces, double (*f)(double), double (*g)(double))
{
    yk_wave *w = make(2);
    double t = 0.0;

    yk_wave_clear(w, 0.0);
    for (int k = 1; k <= pieces; k++) {
        const double s = (double)k / pieces, end = 2.0 * s * (1.5 - 0.5 * s);
        const double coef[] = { f(t), g(t), f(end) - f(t), g(end) - g(t) };
        CHECK_OK(yk_wave_append(w, end, 1, coef, NULL), NULL);
        t = end;
    }
    return w;
}

static double cubic(double t)
{
    return 1.0 - 2.0 * t + t * t * (3.0 - 0.7 * t);
}

static double error_of(int pieces, double (*f)(double), double (*g)(double))
{
    yk_wave *src = chords(pieces, f, g), *dst = make(2);
    yk_spline spline = { 0, NULL };
    double most = 0.0;

    CHECK_OK(yk_spline_through(&spline, dst, src, 0, NULL, NULL), NULL);
    assert_int_equal(yk_wave_pieces(dst), pieces);
    for (int k = 0; k <= 400; k++) {
        double value[2];
        const double t = 2.0 * k / 400;
        yk_wave_eval(dst, t, NULL, value);
        most = fmax(most, fmax(fabs(value[0] - f(t)), fabs(value[1] - g(t))));
    }
    yk_spline_clear(&spline);
    yk_wave_free(src);
    yk_wave_free(dst);
    return most;
}

static void cubics_are_exact(void **state)
{
    (void)state;
    for (int pieces = 3; pieces < 9; pieces++)
        assert_true(error_of(pieces, cubic, cubic) < 1e-13);
}

static double parabola(double t)
{
    return 3.0 - t * (1.0 + t);
}

static double line(double t)
{
    return 3.0 - t;
}

static void few_pieces_make_parabola_and_line(void **state)
{
    (void)state;
    assert_true(error_of(2, parabola, line) < 1e-14);
    assert_true(error_of(1, line, line) < 1e-14);
}

static void the_order_is_four(void **state)
{
    const double coarse = error_of(20, sin, exp), fine = error_of(40, sin, exp);

    (void)state;
    CHECK_BETWEEN(coarse / fine, 12.0, 20.0);
}

static void jumps_and_instants_are_kept(void **state)
{
    yk_wave *src = make(1), *dst = make(1);
    yk_spline spline = { 0, NULL };
    const double at[] = { 2.0 };
    double left, right;

    (void)state;
    yk_wave_clear(src, 0.0);
    /* 0 1 2 | kink at 2 by `at` | 1 0, then a jump to 7 at 4. */
    CHECK_OK(yk_wave_append(src, 1.0, 1, (double[]){ 0, 1 }, NULL), NULL);
    CHECK_OK(yk_wave_append(src, 2.0, 1, (double[]){ 1, 1 }, NULL), NULL);
    CHECK_OK(yk_wave_append(src, 3.0, 1, (double[]){ 2, -1 }, NULL), NULL);
    CHECK_OK(yk_wave_append(src, 4.0, 1, (double[]){ 1, -1 }, NULL), NULL);
    CHECK_OK(yk_wave_append(src, 5.0, 1, (double[]){ 7, 0 }, NULL), NULL);
    CHECK_OK(yk_spline_through(&spline, dst, src, 1, at, NULL), NULL);
    yk_wave_eval(dst, 1.5, NULL, &left);
    yk_wave_eval(dst, 2.5, NULL, &right);
    CHECK_NEAR(left, 1.5, 1e-14);
    CHECK_NEAR(right, 1.5, 1e-14);
    yk_wave_eval(dst, 4.0, NULL, &left);
    yk_wave_eval_right(dst, 4.0, NULL, &right);
    CHECK_NEAR(left, 0.0, 1e-14);
    CHECK_NEAR(right, 7.0, 1e-14);
    yk_spline_clear(&spline);
    yk_wave_free(src);
    yk_wave_free(dst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubics_are_exact),
        cmocka_unit_test(few_pieces_make_parabola_and_line),
        cmocka_unit_test(the_order_is_four),
        cmocka_unit_test(jumps_and_instants_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
