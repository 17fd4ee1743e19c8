/* la/newton_test.c */
#include "check.h"

#include "la/newton.h"

#include <math.h>

/* One equation, f(x) = 0. */
typedef struct scalar {
    double (*f)(double x);
    double (*slope)(double x);
    double x, base, dx;
    int moves;
} scalar;

static yoke_status increment(void *self, yk_newton_run *run, yoke_err *err)
{
    scalar *s = self;

    (void)err;
    s->base = s->x;
    s->dx = -s->f(s->x) / s->slope(s->x);
    run->size = fabs(s->dx);
    return YOKE_OK;
}

/* Nearer means a smaller residual. */
static yoke_status move(void *self, double lambda, bool *good, yoke_err *err)
{
    scalar *s = self;

    (void)err;
    s->moves++;
    s->x = s->base + lambda * s->dx;
    if (good) *good = fabs(s->f(s->x)) < fabs(s->f(s->base));
    return YOKE_OK;
}

static yoke_status solve(scalar *s, yk_newton_run *run, yoke_err *err)
{
    run->self = s;
    run->increment = increment;
    run->move = move;
    return yk_newton_iterate(run, err);
}

static double atan_slope(double x)
{
    return 1.0 / (1.0 + x * x);
}

static double square(double x)
{
    return x * x + 1.0;
}

static double square_slope(double x)
{
    return 2.0 * x;
}

/* Without damping Newton's method runs away from 3. */
static void damping_reaches_the_solution(void **state)
{
    yk_newton_run run = { .most = 40, .lengths = 10, .tolerance = 1e-10 };
    scalar s = { .f = atan, .slope = atan_slope, .x = 3.0 };

    (void)state;
    assert_int_equal(solve(&s, &run, NULL), YOKE_OK);
    assert_int_equal(run.end, YK_NEWTON_DONE);
    CHECK_NEAR(s.x, 0.0, 1e-15);
    assert_true(run.iterations < 10 && run.size <= 1e-10);
    assert_true(run.before > 1e-10);

    run.lengths = 1;
    s.x = 3.0;
    assert_int_equal(solve(&s, &run, NULL), YOKE_RETRY);
    assert_int_not_equal(run.end, YK_NEWTON_DONE);
}

static void where_there_is_none_it_says_why(void **state)
{
    yk_newton_run run = { .most = 20, .lengths = 4, .tolerance = 1e-10 };
    scalar s = { .f = square, .slope = square_slope, .x = 1e-3 };
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    assert_int_equal(solve(&s, &run, &err), YOKE_RETRY);
    assert_int_equal(run.end, YK_NEWTON_SLOW);
    assert_int_equal(run.iterations, 20);
    CHECK_CONTAINS(err.text, "has not converged in 20 iterations");

    run.strict = true;
    s.x = 1e-3;
    assert_int_equal(solve(&s, &run, &err), YOKE_RETRY);
    assert_int_equal(run.end, YK_NEWTON_STUCK);
    CHECK_CONTAINS(err.text, "stuck");

    s.x = 0.0;
    assert_int_equal(solve(&s, &run, &err), YOKE_RETRY);
    assert_int_equal(run.end, YK_NEWTON_UNDEFINED);
}

/* The last increment is not asked about. */
static void a_small_increment_is_taken(void **state)
{
    yk_newton_run run = { .most = 1, .lengths = 9, .tolerance = INFINITY };
    scalar s = { .f = square, .slope = square_slope, .x = 1.0 };

    (void)state;
    assert_int_equal(solve(&s, &run, NULL), YOKE_OK);
    assert_int_equal(s.moves, 1);
    CHECK_NEAR(s.x, 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damping_reaches_the_solution),
        cmocka_unit_test(where_there_is_none_it_says_why),
        cmocka_unit_test(a_small_increment_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
