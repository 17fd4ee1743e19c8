/* wave/history_test.c */
#include "wave/history.h"
#include "wave/wave_fixture.h"

static const double tau = 0.3;

/* Two components on [t0, t1] in `pieces` pieces: t^2 and 1 + t, the second with
 * a jump of `jump` at the first knot. */
static yk_wave *window(double t0, double t1, int pieces, double jump)
{
    yk_wave *w = new_wave(2, t0);

    for (int i = 0; i < pieces; i++) {
        double value[6];
        const double a = t0 + (t1 - t0) * i / pieces;
        const double b = t0 + (t1 - t0) * (i + 1) / pieces;
        for (int j = 0; j < 3; j++) {
            const double t = a + (b - a) * j / 2.0;
            value[2 * j] = t * t;
            value[2 * j + 1] = 1.0 + t + (i > 0 ? jump : 0.0);
        }
        CHECK_OK(yk_wave_append_samples(w, b, 2, value, NULL), NULL);
    }
    return w;
}

static yk_history *begin(double t, double value)
{
    yk_history *h = NULL;

    CHECK_OK(yk_history_create(&h, 1, tau, NULL), NULL);
    CHECK_OK(yk_history_start(h, t, &value, NULL), NULL);
    return h;
}

static void before_the_start_it_is_constant(void **state)
{
    yk_history *h = begin(1.0, 5.0);
    yk_wave *out = new_wave(1, 0.0);
    double y = 0.0;

    (void)state;
    CHECK_OK(yk_history_read(h, 1.0, 1.0 + tau, tau, out, NULL), NULL);
    CHECK_NEAR(yk_wave_begin(out), 1.0, 0.0);
    CHECK_NEAR(yk_wave_end(out), 1.0 + tau, 0.0);
    for (int k = 0; k <= 10; k++) {
        yk_wave_eval(out, 1.0 + tau * k / 10.0, NULL, &y);
        CHECK_NEAR(y, 5.0, 0.0);
    }
    yk_wave_free(out);
    yk_history_free(h);
}

/* Many windows, each of which forgets, are read as one function. */
static void what_was_added_comes_back_later(void **state)
{
    static const int first = 0;
    yk_history *h = begin(0.0, 0.0);
    yk_wave *out = new_wave(1, 0.0);
    const double step = 0.07;

    (void)state;
    for (int k = 0; k < 200; k++) {
        const double t0 = k * step, t1 = (k + 1) * step;
        yk_wave *w = window(t0, t1, 9, 0.0);
        CHECK_OK(yk_history_read(h, t0, t1, tau, out, NULL), NULL);
        for (int j = 0; j <= 20; j++) {
            const double t = t0 + (t1 - t0) * j / 20.0;
            const double past = t > tau ? t - tau : 0.0;
            double y = 0.0;
            yk_wave_eval(out, t, NULL, &y);
            CHECK_NEAR(y, past * past, 1e-13 * (1.0 + past * past));
        }
        CHECK_OK(yk_history_add(h, w, &first, NULL), NULL);
        yk_wave_free(w);
    }
    yk_wave_free(out);
    yk_history_free(h);
}

static void a_jump_travels_with_its_knot(void **state)
{
    static const int second = 1;
    yk_history *h = begin(0.0, 1.0);
    yk_wave *w = window(0.0, 0.2, 2, 3.0), *out = new_wave(1, 0.0);
    double left = 0.0, right = 0.0;

    (void)state;
    CHECK_OK(yk_history_add(h, w, &second, NULL), NULL);
    CHECK_OK(yk_history_read(h, tau, tau + 0.2, tau, out, NULL), NULL);
    CHECK_NEAR(yk_wave_pieces(out), 2, 0.0);
    yk_wave_eval(out, yk_wave_knot(out, 1), NULL, &left);
    yk_wave_eval_right(out, yk_wave_knot(out, 1), NULL, &right);
    CHECK_NEAR(yk_wave_knot(out, 1), tau + 0.1, 1e-15);
    CHECK_NEAR(left, 1.1, 1e-14);
    CHECK_NEAR(right, 4.1, 1e-14);
    yk_history_value(h, 0.05, &left);
    CHECK_NEAR(left, 1.05, 1e-14);
    yk_wave_free(w);
    yk_wave_free(out);
    yk_history_free(h);
}

/* Rounding of t - delay makes no slivers and leaves the ends exact. */
static void rounding_makes_no_pieces(void **state)
{
    static const int first = 0;
    yk_history *h = begin(0.0, 0.0);
    yk_wave *out = new_wave(1, 0.0);
    double t = 0.0;

    (void)state;
    for (int k = 0; k < 1000; k++) {
        const double t1 = t + tau;
        yk_wave *w = window(t, t1, 3, 0.0);
        CHECK_OK(yk_history_read(h, t, t1, tau, out, NULL), NULL);
        if (k > 0) CHECK_NEAR(yk_wave_pieces(out), 3, 0.0);
        CHECK_NEAR(yk_wave_end(out), t1, 0.0);
        CHECK_OK(yk_history_add(h, w, &first, NULL), NULL);
        yk_wave_free(w);
        t = t1;
    }
    yk_wave_free(out);
    yk_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_start_it_is_constant),
        cmocka_unit_test(what_was_added_comes_back_later),
        cmocka_unit_test(a_jump_travels_with_its_knot),
        cmocka_unit_test(rounding_makes_no_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
