/* la/krylov_test.c -- GMRES against a system with a known solution. */
#include "check.h"

#include "la/krylov.h"

#include <math.h>

enum { N = 12 };

static int products;

/* Not symmetric, not near to the identity. */
static double entry(int i, int j)
{
    return (i == j ? 3.0 : 0.0) + sin(1.0 + 7.0 * i + 3.0 * j + 0.7 * i * j);
}

static yoke_status multiply(void *self, const double *v, double *out,
                            yoke_err *err)
{
    (void)self, (void)err;
    products++;
    for (int i = 0; i < N; i++) {
        out[i] = 0.0;
        for (int j = 0; j < N; j++) out[i] += entry(i, j) * v[j];
    }
    return YOKE_OK;
}

static double solve(int most, double limit, double *x, int *count)
{
    yk_krylov *k = NULL;
    double want[N], b[N], rest = NAN;
    yoke_err err;

    for (int i = 0; i < N; i++) want[i] = cos(i);
    multiply(NULL, want, b, NULL);
    const yk_krylov_problem p = {
        .n = N, .b = b, .map = multiply, .limit = limit, .most = most
    };
    CHECK_OK(yk_krylov_create(&k, 20, &err), &err);
    products = 0;
    CHECK_OK(yk_krylov_solve(k, &p, x, count, &rest, &err), &err);
    assert_int_equal(products, *count);
    yk_krylov_free(k);
    return rest;
}

static void as_many_products_as_unknowns_solve_it(void **state)
{
    double x[N];
    int count = 0;
    (void)state;
    const double rest = solve(20, 1e-10, x, &count);
    assert_true(rest <= 1e-10 && count <= N);
    for (int i = 0; i < N; i++) CHECK_NEAR(x[i], cos(i), 1e-9);
}

/* What it says is left is what is left. */
static void the_rest_is_that_of_the_solution(void **state)
{
    double x[N], image[N], sum = 0.0;
    int count = 0;
    (void)state;
    const double rest = solve(4, 1e-10, x, &count);
    assert_int_equal(count, 4);
    multiply(NULL, x, image, NULL);
    for (int i = 0; i < N; i++) {
        double b = 0.0;
        for (int j = 0; j < N; j++) b += entry(i, j) * cos(j);
        sum += (b - image[i]) * (b - image[i]);
    }
    CHECK_NEAR(rest, sqrt(sum), 1e-10);
    assert_true(rest > 1e-3);
}

static void a_small_right_side_costs_nothing(void **state)
{
    double x[N];
    int count = 7;
    (void)state;
    solve(20, 1e3, x, &count);
    assert_int_equal(count, 0);
    for (int i = 0; i < N; i++) CHECK_NEAR(x[i], 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_products_as_unknowns_solve_it),
        cmocka_unit_test(the_rest_is_that_of_the_solution),
        cmocka_unit_test(a_small_right_side_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
