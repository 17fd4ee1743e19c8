/* la/dense_test.c -- dense factors, solutions, least squares. */
#include "check.h"

#include "base/base.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

enum { N = 5, M = 9 };

static double random_value(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

static void fill(double *a, int count, unsigned seed)
{
    for (int i = 0; i < count; i++) a[i] = random_value(&seed);
}

/* ---- factors ------------------------------------------------------------ */

static void rows_are_solved_not_columns(void **state)
{
    double a[] = { 1.0, 2.0, 0.0, 4.0 }, b[] = { 5.0, 8.0 };
    int pivot[2], row = 7;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_dense_factor(2, a, pivot, &row, &err), &err);
    assert_int_equal(row, -1);
    CHECK_OK(yk_dense_solve(2, a, pivot, 1, b, &err), &err);
    CHECK_NEAR(b[0], 1.0, 1e-15); /* x + 2 y = 5, 4 y = 8 */
    CHECK_NEAR(b[1], 2.0, 1e-15);
}

static void several_right_hand_sides_are_solved(void **state)
{
    double a[N * N], factor[N * N], x[3 * N], b[3 * N];
    int pivot[N];
    yoke_err err;
    (void)state;
    fill(a, N * N, 1);
    fill(x, 3 * N, 2);
    a[0] = 0.0; /* needs a pivot */
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++) {
            b[k * N + i] = 0.0;
            for (int j = 0; j < N; j++)
                b[k * N + i] += a[i * N + j] * x[k * N + j];
        }
    memcpy(factor, a, sizeof a);
    CHECK_OK(yk_dense_factor(N, factor, pivot, NULL, &err), &err);
    CHECK_OK(yk_dense_solve(N, factor, pivot, 3, b, &err), &err);
    for (int i = 0; i < 3 * N; i++) CHECK_NEAR(b[i], x[i], 1e-12);
}

static void a_singular_matrix_is_a_retry(void **state)
{
    /* Exactly, and up to rounding. */
    for (int k = 0; k < 2; k++) {
        double a[] = { 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0 };
        int pivot[3], row = -1;
        yoke_err err = { YOKE_OK, "" };
        if (k == 0)
            for (int j = 0; j < 3; j++) a[6 + j] = a[j];
        CHECK_STATUS(yk_dense_factor(3, a, pivot, &row, &err), YOKE_RETRY,
                     &err);
        CHECK_CONTAINS(err.text, "singular");
        CHECK_BETWEEN(row, 0, 2);
    }
    (void)state;
}

static void nothing_to_solve_is_no_failure(void **state)
{
    int row = 3;
    (void)state;
    CHECK_OK(yk_dense_factor(0, NULL, NULL, &row, NULL), NULL);
    assert_int_equal(row, -1);
    CHECK_OK(yk_dense_solve(0, NULL, NULL, 1, NULL, NULL), NULL);
}

/* ---- least squares ------------------------------------------------------ */

/* A'A x = A'b, A column by column. */
static void normal_equations(const double *a, const double *b, int n, double *x)
{
    double both[N * N];
    int pivot[N];
    yoke_err err;

    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
        for (int k = 0; k < M; k++) x[i] += a[i * M + k] * b[k];
        for (int j = 0; j < n; j++) {
            both[i * n + j] = 0.0;
            for (int k = 0; k < M; k++)
                both[i * n + j] += a[i * M + k] * a[j * M + k];
        }
    }
    CHECK_OK(yk_dense_factor(n, both, pivot, NULL, &err), &err);
    CHECK_OK(yk_dense_solve(n, both, pivot, 1, x, &err), &err);
}

static void least_squares_solves_the_normal_equations(void **state)
{
    double a[N * M], copy[N * M], b[M], x[N], expected[N];
    yoke_err err;
    (void)state;
    fill(a, N * M, 3);
    fill(b, M, 4);
    memcpy(copy, a, sizeof a);
    normal_equations(a, b, N, expected);
    CHECK_OK(yk_least_squares(M, N, copy, b, 1e-10, x, NULL, &err), &err);
    for (int i = 0; i < N; i++) CHECK_NEAR(x[i], expected[i], 1e-12);
}

/* Columns of sizes 1e-6 ... 1e6, and nearly parallel: the normal equations
 * would lose all digits. */
static void bad_scales_lose_no_digits(void **state)
{
    double a[3 * M], b[M], x[3];
    const double size[] = { 1e6, 1.0, 1e-6 };
    const double exact[] = { 2e-6, -3.0, 4e6 };
    yoke_err err;
    (void)state;
    fill(a, 3 * M, 5);
    for (int k = 0; k < M; k++) {
        a[M + k] = a[k] + 1e-5 * a[M + k];
        for (int j = 0; j < 3; j++) a[j * M + k] *= size[j];
        b[k] = 0.0;
        for (int j = 0; j < 3; j++) b[k] += a[j * M + k] * exact[j];
    }
    CHECK_OK(yk_least_squares(M, 3, a, b, 1e-10, x, NULL, &err), &err);
    for (int j = 0; j < 3; j++)
        CHECK_NEAR(x[j] / exact[j], 1.0, 1e-9); /* 1e5 times rounding */
}

/* Column 1 is column 0 doubled, column 3 the sum of 0 and 2, up to 1e-6; they
 * are left out, the rest is as if they were not there. */
static void dependent_columns_are_left_out(void **state)
{
    double a[4 * M], two[2 * M], b[M], x[4], expected[2];
    yoke_err err;
    (void)state;
    fill(a, 4 * M, 6);
    fill(b, M, 7);
    for (int k = 0; k < M; k++) {
        two[k] = a[k];
        two[M + k] = a[2 * M + k];
        a[3 * M + k] = a[k] + a[2 * M + k] + 1e-6 * a[M + k];
        a[M + k] = 2.0 * a[k];
    }
    normal_equations(two, b, 2, expected);
    CHECK_OK(yk_least_squares(M, 4, a, b, 1e-4, x, NULL, &err), &err);
    CHECK_NEAR(x[0], expected[0], 1e-12);
    CHECK_NEAR(x[2], expected[1], 1e-12);
    assert_true(x[1] == 0.0 && x[3] == 0.0);
}

static void columns_of_zeros_are_left_out(void **state)
{
    double a[2 * M] = { 0.0 }, b[M], x[2] = { 7.0, 7.0 };
    yoke_err err;
    (void)state;
    fill(b, M, 8);
    for (int k = 0; k < M; k++) a[M + k] = b[k];
    CHECK_OK(yk_least_squares(M, 2, a, b, 1e-10, x, NULL, &err), &err);
    assert_true(x[0] == 0.0);
    CHECK_NEAR(x[1], 1.0, 1e-14);
}

/* Few columns need no memory of their own. */
static void least_squares_without_memory_fails(void **state)
{
    enum { MANY = 40 };
    double a[MANY * MANY] = { 0.0 }, b[MANY] = { 0.0 }, x[MANY] = { 7.0 };
    yoke_err err;
    (void)state;
    for (int k = 0; k < MANY; k++) a[k * MANY + k] = b[k] = 1.0 + k;
    fault_allocator(1);
    CHECK_STATUS(yk_least_squares(MANY, MANY, a, b, 1e-10, x, NULL, &err),
                 YOKE_E_MEMORY, &err);
    assert_int_equal(fault_blocks(), 0);
    CHECK_OK(yk_least_squares(3, 1, a, b, 1e-10, x, NULL, &err), &err);
    fault_restore();
    CHECK_NEAR(x[0], 1.0, 1e-15);
    CHECK_OK(yk_least_squares(MANY, MANY, a, b, 1e-10, x, NULL, &err), &err);
}

/* ---- eigenvalues and singular values ------------------------------------ */

enum { SIZE = 12 };

/* |A v - lambda v| for every pair, in real arithmetic; A by columns. */
static void every_eigenvector_belongs_to_its_value(void **state)
{
    double a[SIZE * SIZE], copy[SIZE * SIZE], re[SIZE], im[SIZE];
    double v[SIZE * SIZE], rho = 0.0, largest = 0.0, trace = 0.0, sum = 0.0;
    yoke_err err;
    (void)state;
    for (unsigned seed = 1; seed < 20; seed++) {
        fill(a, SIZE * SIZE, seed);
        memcpy(copy, a, sizeof a);
        CHECK_OK(yk_eigenvectors(SIZE, copy, re, im, v, &err), &err);
        trace = sum = largest = 0.0;
        for (int k = 0; k < SIZE; k++) {
            const bool lower = im[k] < 0.0;
            const double *x = v + SIZE * (lower ? k - 1 : k), *y = x + SIZE;
            double length = 0.0;
            if (lower) assert_true(im[k - 1] == -im[k]);
            for (int i = 0; i < SIZE; i++) {
                double p = -re[k] * x[i], q = -im[k] * x[i];
                if (im[k] != 0.0) p += (lower ? -1.0 : 1.0) * im[k] * y[i];
                if (im[k] != 0.0) q -= (lower ? -1.0 : 1.0) * re[k] * y[i];
                for (int j = 0; j < SIZE; j++) {
                    p += a[j * SIZE + i] * x[j];
                    if (im[k] != 0.0)
                        q += (lower ? -1.0 : 1.0) * a[j * SIZE + i] * y[j];
                }
                CHECK_NEAR(p, 0.0, 1e-12);
                if (im[k] != 0.0) CHECK_NEAR(q, 0.0, 1e-12);
                length += x[i] * x[i] + (im[k] != 0.0 ? y[i] * y[i] : 0.0);
            }
            CHECK_NEAR(length, 1.0, 1e-12);
            sum += re[k];
            trace += a[k * SIZE + k];
            largest = fmax(largest, hypot(re[k], im[k]));
        }
        CHECK_NEAR(sum, trace, 1e-12);
        memcpy(copy, a, sizeof a);
        CHECK_OK(yk_spectral_radius(SIZE, copy, &rho, &err), &err);
        CHECK_NEAR(rho, largest, 1e-12);
    }
}

static void defective_and_periodic_matrices_have_eigenvalues(void **state)
{
    double jordan[9] = { 2, 0, 0, 1, 2, 0, 0, 1, 2 }, rho = 0.0;
    double cycle[16] = { 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 16, 0, 0, 0 };
    double nothing[4] = { 0.0 };
    yoke_err err;
    (void)state;
    CHECK_OK(yk_spectral_radius(3, jordan, &rho, &err), &err);
    CHECK_NEAR(rho, 2.0, 1e-4);
    CHECK_OK(yk_spectral_radius(4, cycle, &rho, &err), &err);
    CHECK_NEAR(rho, 2.0, 1e-13);
    CHECK_OK(yk_spectral_radius(2, nothing, &rho, &err), &err);
    CHECK_NEAR(rho, 0.0, 1e-300);
    nothing[1] = NAN;
    assert_int_equal(yk_spectral_radius(2, nothing, &rho, &err),
                     YOKE_E_NUMERIC);
}

/* a = sum of sigma u v', vectors orthonormal; also with a rank that is not full,
 * where the vectors of sigma = 0 complete the others. */
static void check_singular(int m, int n, const double *a)
{
    double sigma[SIZE], u[SIZE * SIZE], v[SIZE * SIZE];
    const int k = m < n ? m : n;
    yoke_err err;

    CHECK_OK(yk_singular_values(m, n, a, sigma, u, v, &err), &err);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = -a[i * n + j];
            for (int s = 0; s < k; s++)
                sum += sigma[s] * u[s * m + i] * v[s * n + j];
            CHECK_NEAR(sum, 0.0, 1e-13);
        }
    for (int s = 0; s < k; s++)
        for (int r = 0; r < k; r++) {
            double p = 0.0, q = 0.0;
            for (int i = 0; i < m; i++) p += u[s * m + i] * u[r * m + i];
            for (int j = 0; j < n; j++) q += v[s * n + j] * v[r * n + j];
            CHECK_NEAR(p, s == r ? 1.0 : 0.0, 1e-12);
            CHECK_NEAR(q, s == r ? 1.0 : 0.0, 1e-12);
        }
    for (int s = 0; s + 1 < k; s++) assert_true(sigma[s] >= sigma[s + 1]);
}

static void singular_vectors_make_the_matrix_again(void **state)
{
    double a[SIZE * SIZE];
    (void)state;
    fill(a, SIZE * SIZE, 5);
    check_singular(7, 7, a);
    check_singular(4, 9, a);
    check_singular(9, 4, a);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            a[i * 9 + j] = (i + 1.0) * (j - 3.0); /* rank 1 */
    check_singular(9, 9, a);
    check_singular(3, 9, a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_solved_not_columns),
        cmocka_unit_test(several_right_hand_sides_are_solved),
        cmocka_unit_test(a_singular_matrix_is_a_retry),
        cmocka_unit_test(nothing_to_solve_is_no_failure),
        cmocka_unit_test(least_squares_solves_the_normal_equations),
        cmocka_unit_test(bad_scales_lose_no_digits),
        cmocka_unit_test(dependent_columns_are_left_out),
        cmocka_unit_test(columns_of_zeros_are_left_out),
        cmocka_unit_test(least_squares_without_memory_fails),
        cmocka_unit_test(every_eigenvector_belongs_to_its_value),
        cmocka_unit_test(defective_and_periodic_matrices_have_eigenvalues),
        cmocka_unit_test(singular_vectors_make_the_matrix_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
