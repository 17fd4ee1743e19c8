/* iter/resize_test.c */
#include "check.h"

#include "iter/resize.h"

#include <math.h>

/* A model of work: k sweeps grow with the window, restarts cost. */
static double work_of(double h, double rate)
{
    return 20.0 * (3.0 + rate * h * h) + 50.0 * h * (1.0 + h);
}

static double least_cost(double rate)
{
    double best = INFINITY;

    for (double h = 1e-3; h < 100.0; h *= 1.02)
        best = fmin(best, work_of(h, rate) / h);
    return best;
}

static void the_length_with_least_work_is_found(void **state)
{
    const double rate[] = { 0.01, 1.0, 100.0, 1e4 };
    (void)state;
    for (int k = 0; k < 4; k++) {
        yk_resize r;
        double t = 0.0, work = 0.0;
        yk_resize_begin(&r, 0.0, 1000.0, 0.0, 1e-9);
        while (t < 1000.0) {
            const double t1 = yk_resize_end(&r, t, 1000.0);
            const double w = work_of(t1 - t, rate[k]);
            if (t > 500.0) work += w; /* after the first search */
            yk_resize_accept(&r, t, t1, w);
            t = t1;
        }
        CHECK_BETWEEN(work / 500.0, 0.97 * least_cost(rate[k]),
                      1.2 * least_cost(rate[k]));
    }
}

/* Over an oscillation the work varies ninefold, between neighbouring lengths
 * by a few per cent. */
static void work_that_follows_the_solution_does_not_mislead(void **state)
{
    yk_resize r;
    double t = 0.0, work = 0.0, least = 0.0;
    (void)state;
    yk_resize_begin(&r, 0.0, 1000.0, 0.0, 1e-9);
    while (t < 1000.0) {
        const double t1 = yk_resize_end(&r, t, 1000.0);
        const double now = 1.0 + 0.8 * sin(0.2 * (t + t1));
        const double w = now * work_of(t1 - t, 100.0);
        if (t > 500.0) {
            work += w;
            least += now * (t1 - t) * least_cost(100.0);
        }
        yk_resize_accept(&r, t, t1, w);
        t = t1;
    }
    CHECK_BETWEEN(work / least, 0.97, 1.2);
}

static void an_attempt_that_fails_is_not_soon_repeated(void **state)
{
    yk_resize r;
    double t = 0.0;
    int windows = 0, rejected = 0;
    (void)state;
    yk_resize_begin(&r, 0.0, 1000.0, 0.0, 1e-9);
    while (t < 1000.0) { /* the longer the better, but for a limit */
        const double t1 = yk_resize_end(&r, t, 1000.0);
        if (t1 - t > 1.0) {
            assert_true(yk_resize_reject(&r, t, t1));
            rejected++;
            continue;
        }
        yk_resize_accept(&r, t, t1, 1.0);
        windows++;
        t = t1;
    }
    CHECK_BETWEEN(windows, 1000, 2200);
    CHECK_BETWEEN(rejected, 1, 80);
}

static void fixed_windows_lie_on_their_grid(void **state)
{
    yk_resize r;
    double t = 1.0;
    (void)state;
    yk_resize_begin(&r, 1.0, 1.0, 0.3, 1e-3);
    const double end[] = { 1.3, 1.6, 1.9, 2.0 };
    for (int k = 0; k < 4; k++) {
        const double t1 = yk_resize_end(&r, t, 2.0);
        CHECK_NEAR(t1, end[k], 1e-12);
        yk_resize_accept(&r, t, t1, 1.0);
        t = t1;
    }
    assert_true(t == 2.0);
}

static void failed_windows_are_halved_and_grow_again(void **state)
{
    yk_resize r;
    (void)state;
    yk_resize_begin(&r, 0.0, 8.0, 1.0, 0.2);
    assert_true(yk_resize_reject(&r, 0.0, 1.0));
    CHECK_NEAR(yk_resize_end(&r, 0.0, 8.0), 0.5, 1e-15);
    assert_true(yk_resize_reject(&r, 0.0, 0.5));
    CHECK_NEAR(yk_resize_end(&r, 0.0, 8.0), 0.25, 1e-15);
    assert_false(yk_resize_reject(&r, 0.0, 0.25));
    yk_resize_accept(&r, 0.0, 0.25, 1.0);
    CHECK_NEAR(yk_resize_end(&r, 0.25, 8.0), 0.75, 1e-15);
    yk_resize_accept(&r, 0.25, 0.75, 1.0);
    CHECK_NEAR(yk_resize_end(&r, 0.75, 8.0), 1.0, 1e-15); /* the grid */
}

static void the_last_windows_are_no_slivers(void **state)
{
    yk_resize r;
    (void)state;
    yk_resize_begin(&r, 0.0, 1.0, 0.0, 1e-6);
    r.length = 0.4;
    CHECK_NEAR(yk_resize_end(&r, 0.0, 1.0), 1.0 / 3.0, 1e-15);
    CHECK_NEAR(yk_resize_end(&r, 0.6, 1.0), 1.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_length_with_least_work_is_found),
        cmocka_unit_test(work_that_follows_the_solution_does_not_mislead),
        cmocka_unit_test(an_attempt_that_fails_is_not_soon_repeated),
        cmocka_unit_test(fixed_windows_lie_on_their_grid),
        cmocka_unit_test(failed_windows_are_halved_and_grow_again),
        cmocka_unit_test(the_last_windows_are_no_slivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
