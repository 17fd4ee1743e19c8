/* iter/resize_test.c */
#include "check.h"

#include "iter/policy.h"
#include "iter/resize.h"

#include <math.h>

/* A coupling whose guess has an error of order 3 and whose sweeps contract by
 * rate times the window; two subsystems with steps of their own. */
typedef struct coupling {
    double guess, rate;
    yk_iter_pace pace[2];
} coupling;

static double left_after(const coupling *c, double h, int sweep)
{
    return c->guess * pow(h, 3) * pow(c->rate * h, sweep - 1);
}

static int sweeps_of(const coupling *c, double h)
{
    int k = 1;

    while (k < 100 && left_after(c, h, k) > 1.0) k++;
    return k;
}

static double work_of(const coupling *c, double h)
{
    double work = 0.0;

    for (int i = 0; i < 2; i++)
        work += c->pace[i].work *
                (YK_ITER_SWEEP_STEPS + fmax(1.0, h / c->pace[i].step));
    const int sweeps = sweeps_of(c, h);
    return sweeps < 100 ? sweeps * work : INFINITY; /* it does not converge */
}

static double least_cost(const coupling *c)
{
    double best = INFINITY;

    for (double h = 1e-4; h < 100.0; h *= 1.02)
        best = fmin(best, work_of(c, h) / h);
    return best;
}

static yk_outcome outcome_of(const coupling *c, double h)
{
    yk_outcome o = { .sweeps = sweeps_of(c, h),
                     .ratio = c->rate * h,
                     .guess = 2,
                     .units = 2,
                     .pace = c->pace };

    for (int k = 0; k < YK_RECORDED_SWEEPS; k++)
        o.left[k] = left_after(c, h, k + 1);
    return o;
}

/* Work per time in the second half of a long run. */
static double cost_of_run(const coupling *c)
{
    yk_resize r;
    double t = 0.0, work = 0.0, begun = 0.0;

    yk_resize_begin(&r, 0.0, 1000.0, 0.0, 1e-9, 0.0);
    while (t < 1000.0) {
        const double t1 = yk_resize_end(&r, t, 1000.0, INFINITY);
        const yk_outcome o = outcome_of(c, t1 - t);
        if (t > 500.0 && begun == 0.0) begun = t;
        if (begun > 0.0) work += work_of(c, t1 - t);
        yk_resize_accept(&r, t, t1, &o);
        t = t1;
    }
    assert_true(t == 1000.0);
    return work / (1000.0 - begun);
}

static void the_length_with_least_work_is_found(void **state)
{
    const double guess[] = { 1e-2, 1.0, 1e3 },
                 rate[] = { 1e-3, 0.1, 1.0, 10.0 };
    const double step[] = { 0.01, 0.3, 5.0 };
    (void)state;
    for (int g = 0; g < 3; g++)
        for (int k = 0; k < 4; k++)
            for (int s = 0; s < 3; s++) {
                const coupling c = { guess[g],
                                     rate[k],
                                     { { .step = step[s], .work = 10.0 },
                                       { .step = 1.0, .work = 3.0 } } };
                const double over = cost_of_run(&c) / least_cost(&c);
                if (over > 1.5)
                    print_error("guess %g rate %g step %g: %.2f times\n",
                                guess[g], rate[k], step[s], over);
                CHECK_BETWEEN(over, 0.95, 1.5);
            }
}

/* What needs no second sweep gains by longer windows; memory does not. */
static void windows_without_a_coupling_have_so_many_steps(void **state)
{
    coupling c = { .pace = { { .step = 0.01, .work = 1.0 },
                             { .step = 0.5, .work = 1.0 } } };
    yk_resize r;
    double t = 0.0;

    (void)state;
    yk_resize_begin(&r, 0.0, 1e6, 0.0, 1e-6, 0.0);
    for (int k = 0; k < 200 && t < 1e5; k++) {
        const double t1 = yk_resize_end(&r, t, 1e6, 1e6);
        const yk_outcome o = outcome_of(&c, t1 - t);
        yk_resize_accept(&r, t, t1, &o);
        assert_true(r.length <= 0.01 * YK_ITER_MOST_STEPS * 1.0001);
        t = t1;
    }
    CHECK_NEAR(r.length, 0.01 * YK_ITER_MOST_STEPS, 1e-9);
    c.pace[0].step *= 0.1; /* and when steps become shorter */
    const double t1 = yk_resize_end(&r, t, 1e6, 1e6);
    const yk_outcome o = outcome_of(&c, t1 - t);
    yk_resize_accept(&r, t, t1, &o);
    assert_true(r.length < t1 - t);
}

static void a_length_that_fails_is_not_soon_tried_again(void **state)
{
    const coupling c = { 1e-9,
                         1e-3,
                         { { .step = 10.0, .work = 1.0 },
                           { .step = 10.0, .work = 1.0 } } };
    yk_resize r;
    double t = 0.0;
    int windows = 0, rejected = 0;
    (void)state;
    yk_resize_begin(&r, 0.0, 1000.0, 0.0, 1e-9, 0.0);
    while (t < 1000.0) { /* the longer the better, but for a limit */
        const double t1 = yk_resize_end(&r, t, 1000.0, INFINITY);
        if (t1 - t > 1.0) {
            assert_true(yk_resize_reject(&r, t, t1));
            rejected++;
            continue;
        }
        const yk_outcome o = outcome_of(&c, t1 - t);
        yk_resize_accept(&r, t, t1, &o);
        windows++;
        t = t1;
    }
    CHECK_BETWEEN(windows, 1000, 2200);
    CHECK_BETWEEN(rejected, 1, 50);
}

/* The second unit has twenty short steps at the beginning of each sweep and
 * makes an error of 0.3 whatever the length is; three sweeps are enough for any
 * window.  Windows do not end as short as they began. */
static void windows_that_only_begin_grow(void **state)
{
    yk_resize r;
    double t = 0.0;
    int windows = 0;
    (void)state;
    yk_resize_begin(&r, 0.0, 1000.0, 0.0, 1e-9, 0.0);
    for (; t < 1000.0 && windows < 1000; windows++) {
        const double t1 = yk_resize_end(&r, t, 1000.0, INFINITY);
        const yk_iter_pace pace[2] = {
            { .step = 1.0, .work = 3.0 },
            { .step = 0.3 * (t1 - t), .work = 10.0, .begin = 20.0 }
        };
        const yk_outcome o = { .sweeps = t1 - t > 0.01 ? 3 : 1,
                               .left = { t1 - t > 0.01 ? 1.3 : 0.3, 0.2, 0.1 },
                               .ratio = 0.15,
                               .guess = 2,
                               .units = 2,
                               .pace = pace };
        yk_resize_accept(&r, t, t1, &o);
        t = t1;
    }
    CHECK_BETWEEN(windows, 5, 100);
}

enum { SLOW = 20 };

/* One unit takes steps of 0.01 and is solved once more in every window, whatever its
 * length is; the others take steps of 0.2 and are solved once.  Windows that grow
 * cut fewer of these, and cost the fast one nothing. */
static void who_is_solved_again_keeps_windows_short_for_nobody(void **state)
{
    yk_iter_pace pace[SLOW + 1] = { { .step = 0.01, .work = 5.0 } };
    yk_resize r;
    double t = 0.0;
    (void)state;
    for (int i = 1; i <= SLOW; i++)
        pace[i] = (yk_iter_pace){ .step = 0.2, .work = 5.0 };
    yk_resize_begin(&r, 0.0, 1000.0, 0.0, 1e-9, 0.001);
    for (int k = 0; k < 100; k++) {
        const double t1 = yk_resize_end(&r, t, 1000.0, INFINITY);
        const yk_settled_window w = { .growth = 1.0,
                                      .units = SLOW + 1,
                                      .pace = pace };
        for (int i = 0; i <= SLOW; i++)
            pace[i].useful = 5.0 * ceil((t1 - t) / pace[i].step);
        pace[0].in_vain = pace[0].useful;
        yk_resize_settled(&r, t, t1, &w);
        t = t1;
    }
    CHECK_BETWEEN(r.length, 0.15, 0.21);
}

/* What a dear unit saves by one length or another is less than its price is known
 * to: a cheap one with longer steps need not be cut by each of its steps. */
static void evaluations_decide_where_the_work_is_the_same(void **state)
{
    yk_iter_pace pace[] = {
        { .step = 1.0, .work = 60.0, .evaluations = 3.0 },
        { .step = 2.0, .work = 3.0, .evaluations = 3.0 },
    };
    const yk_settled_window w = { .growth = 1.0, .units = 2, .pace = pace };
    yk_resize r;
    (void)state;
    yk_resize_begin(&r, 0.0, 1000.0, 0.0, 1e-9, 0.1);
    for (int k = 0; k < 20; k++) yk_resize_settled(&r, k, k + 1.0, &w);
    CHECK_NEAR(r.length, 2.0, 1e-12);
}

static const yk_outcome nothing = { .sweeps = 1 };

static void fixed_windows_lie_on_their_grid(void **state)
{
    yk_resize r;
    double t = 1.0;
    (void)state;
    yk_resize_begin(&r, 1.0, 1.0, 0.3, 1e-3, 0.0);
    const double end[] = { 1.3, 1.6, 1.9, 2.0 };
    for (int k = 0; k < 4; k++) {
        const double t1 = yk_resize_end(&r, t, 2.0, INFINITY);
        CHECK_NEAR(t1, end[k], 1e-12);
        yk_resize_accept(&r, t, t1, &nothing);
        t = t1;
    }
    assert_true(t == 2.0);
}

static void failed_windows_are_halved_and_grow_again(void **state)
{
    yk_resize r;
    (void)state;
    yk_resize_begin(&r, 0.0, 8.0, 1.0, 0.2, 0.0);
    assert_true(yk_resize_reject(&r, 0.0, 1.0));
    CHECK_NEAR(yk_resize_end(&r, 0.0, 8.0, INFINITY), 0.5, 1e-15);
    assert_true(yk_resize_reject(&r, 0.0, 0.5));
    CHECK_NEAR(yk_resize_end(&r, 0.0, 8.0, INFINITY), 0.25, 1e-15);
    assert_false(yk_resize_reject(&r, 0.0, 0.25));
    yk_resize_accept(&r, 0.0, 0.25, &nothing);
    CHECK_NEAR(yk_resize_end(&r, 0.25, 8.0, INFINITY), 0.75, 1e-15);
    yk_resize_accept(&r, 0.25, 0.75, &nothing);
    CHECK_NEAR(yk_resize_end(&r, 0.75, 8.0, INFINITY), 1.0,
               1e-15); /* the grid */
}

static void the_last_windows_are_no_slivers(void **state)
{
    yk_resize r;
    (void)state;
    yk_resize_begin(&r, 0.0, 1.0, 0.0, 1e-6, 0.0);
    r.length = 0.4;
    CHECK_NEAR(yk_resize_end(&r, 0.0, 1.0, INFINITY), 1.0 / 3.0, 1e-15);
    CHECK_NEAR(yk_resize_end(&r, 0.6, 1.0, INFINITY), 1.0, 0.0);
}

static void windows_of_whole_grains(void **state)
{
    yk_resize r;
    double t = 1.0;
    (void)state;
    yk_resize_begin(&r, 1.0, 8.0, 0.0, 1e-6, 0.0);
    yk_resize_grain(&r, 0.3);
    CHECK_NEAR(yk_resize_end(&r, 1.0, 9.0, INFINITY), 1.3, 1e-12);
    CHECK_NEAR(yk_resize_end(&r, 1.0, 9.0, 1.1), 1.1, 0.0); /* a breakpoint */
    CHECK_NEAR(yk_resize_end(&r, 1.1, 9.0, INFINITY), 1.3, 1e-12);
    r.length = 0.7;
    for (; t < 8.0; t = yk_resize_end(&r, t, 9.0, INFINITY))
        CHECK_NEAR(remainder(t - 1.0, 0.3), 0.0, 1e-9);
    yk_resize_limit(&r, 0.1);
    CHECK_NEAR(yk_resize_end(&r, 1.0, 9.0, INFINITY), 1.3, 1e-12);
    assert_true(yk_resize_reject(&r, 1.0, 1.3)); /* then shorter ones */
    CHECK_NEAR(yk_resize_end(&r, 1.0, 9.0, INFINITY), 1.15, 1e-12);
    CHECK_NEAR(yk_resize_end(&r, 1.25, 9.0, INFINITY), 1.3, 1e-12);
}

/* ---- breakpoints ----------------------------------------------------------
 */

static void windows_of_fixed_length_end_at_a_breakpoint(void **state)
{
    yk_resize r;
    (void)state;
    yk_resize_begin(&r, 0.0, 8.0, 1.0, 1e-3, 0.0);
    CHECK_NEAR(yk_resize_end(&r, 0.0, 8.0, 0.5), 0.5, 0.0);
    CHECK_NEAR(yk_resize_end(&r, 0.0, 8.0, 1.05), 1.05, 0.0); /* stretched */
    CHECK_NEAR(yk_resize_end(&r, 0.0, 8.0, 1.2), 1.0, 1e-15);
    yk_resize_break(&r, true);
    CHECK_NEAR(yk_resize_end(&r, 0.5, 8.0, INFINITY), 1.0, 1e-15);
    CHECK_NEAR(yk_resize_end(&r, 0.95, 8.0, INFINITY), 2.0, 1e-15);
    CHECK_NEAR(yk_resize_end(&r, 1.05, 8.0, INFINITY), 2.0, 1e-15);
    CHECK_NEAR(yk_resize_end(&r, 0.95, 1.4, INFINITY), 1.4, 0.0);
    CHECK_NEAR(yk_resize_end(&r, 7.5, 8.0, 9.0), 8.0, 0.0);
}

static void automatic_windows_divide_the_time_to_a_breakpoint(void **state)
{
    yk_resize r;
    double t = 0.0;
    int windows = 0;
    (void)state;
    yk_resize_begin(&r, 0.0, 100.0, 0.0, 1e-9, 0.0);
    r.length = 0.3;
    for (; t < 1.0; windows++) {
        const double t1 = yk_resize_end(&r, t, 100.0, 1.0);
        CHECK_NEAR(t1 - t, 0.25, 1e-12);
        t = t1;
    }
    CHECK_NEAR(t, 1.0, 0.0);
    assert_int_equal(windows, 4);
    CHECK_NEAR(yk_resize_end(&r, 1.0, 1.2, 1.5), 1.2, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_that_only_begin_grow),
        cmocka_unit_test(who_is_solved_again_keeps_windows_short_for_nobody),
        cmocka_unit_test(the_length_with_least_work_is_found),
        cmocka_unit_test(windows_without_a_coupling_have_so_many_steps),
        cmocka_unit_test(a_length_that_fails_is_not_soon_tried_again),
        cmocka_unit_test(evaluations_decide_where_the_work_is_the_same),
        cmocka_unit_test(fixed_windows_lie_on_their_grid),
        cmocka_unit_test(failed_windows_are_halved_and_grow_again),
        cmocka_unit_test(the_last_windows_are_no_slivers),
        cmocka_unit_test(windows_of_whole_grains),
        cmocka_unit_test(windows_of_fixed_length_end_at_a_breakpoint),
        cmocka_unit_test(automatic_windows_divide_the_time_to_a_breakpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
