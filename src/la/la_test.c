/* la/la_test.c */
#include "check.h"

#include "la/lu.h"
#include "la/pattern.h"

#include <math.h>
#include <stdlib.h>

/* Tridiagonal n by n; complex values if asked. */
static yoke_pattern *tridiagonal(int n)
{
    yoke_pattern *p = NULL;
    int *row = calloc((size_t)(3 * n), sizeof *row);
    int *col = calloc((size_t)(3 * n), sizeof *col);
    int count = 0;
    for (int i = n - 1; i >= 0; i--)
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < n) {
                row[count] = i;
                col[count++] = j;
            }
    assert_int_equal(yoke_pattern_create(&p, n, n, count, row, col, NULL), 0);
    free(row);
    free(col);
    return p;
}

static void patterns_are_sorted_and_found(void **state)
{
    const int row[] = { 2, 0, 2, 1 }, col[] = { 1, 0, 1, 1 };
    yoke_pattern *p = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_pattern_create(&p, 3, 2, 4, row, col, &err), &err);
    assert_int_equal(yoke_pattern_count(p), 3);
    assert_int_equal(yoke_pattern_find(p, 2, 1), 2);
    assert_int_equal(yoke_pattern_find(p, 0, 1), -1);
    CHECK_OK(yk_pattern_check(p, "P", 3, 2, &err), &err);
    CHECK_STATUS(yk_pattern_check(p, "P", 2, 2, &err), YOKE_E_ARG, &err);
    yoke_pattern_free(p);
    p = NULL;
    CHECK_STATUS(yoke_pattern_create(&p, 2, 2, 4, row, col, &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, "(2, 1)");
    assert_null(p);
}

static void union_tells_the_places(void **state)
{
    const int ra[] = { 0, 1 }, ca[] = { 0, 1 }, rb[] = { 1, 1 },
              cb[] = { 0, 1 };
    yoke_pattern *a = NULL, *b = NULL, *u = NULL;
    int *a_at = NULL, *b_at = NULL;
    (void)state;
    yoke_pattern_create(&a, 2, 2, 2, ra, ca, NULL);
    yoke_pattern_create(&b, 2, 2, 2, rb, cb, NULL);
    CHECK_OK(yk_pattern_union(&u, a, b, &a_at, &b_at, NULL), NULL);
    assert_int_equal(yoke_pattern_count(u), 3);
    assert_int_equal(a_at[1], 2);
    assert_int_equal(b_at[0], 1);
    assert_int_equal(b_at[1], 2);
    yk_free(a_at);
    yk_free(b_at);
    yoke_pattern_free(a);
    yoke_pattern_free(b);
    yoke_pattern_free(u);
}

static yoke_pattern *full(int n)
{
    yoke_pattern *p = NULL;
    int *row = NULL, *col = NULL;

    CHECK_OK(YK_INTS((size_t)n * (size_t)n, NULL, &row, &col), NULL);
    for (int k = 0; k < n * n; k++) {
        row[k] = k % n;
        col[k] = k / n;
    }
    CHECK_OK(yoke_pattern_create(&p, n, n, n * n, row, col, NULL), NULL);
    YK_FREE(row, col);
    return p;
}

/* Takes the pattern. */
static void lu_solves(yoke_pattern *p, double diagonal, bool is_complex)
{
    const int n = p->rows;
    yk_lu *lu = NULL;
    yoke_err err;
    const int w = is_complex ? 2 : 1;
    const int count = yoke_pattern_count(p);
    double *value = calloc((size_t)(count * w), sizeof *value);
    double *b = calloc((size_t)(n * w), sizeof *b);

    for (int trial = 0; trial < 3; trial++) { /* the later ones refactor */
        for (int j = 0; j < n; j++)
            for (int k = p->start[j]; k < p->start[j + 1]; k++) {
                value[w * k] = p->row[k] == j ? diagonal + trial : -1.0;
                if (is_complex) value[2 * k + 1] = p->row[k] == j ? 1.0 : 0.5;
            }
        for (int i = 0; i < n * w; i++) b[i] = 0.0;
        for (int j = 0; j < n; j++) /* b = A (1, 2, ...) */
            for (int k = p->start[j]; k < p->start[j + 1]; k++)
                for (int c = 0; c < w; c++)
                    b[w * p->row[k] + c] += value[w * k + c] * (j + 1);
        if (!lu) CHECK_OK(yk_lu_create(&lu, p, is_complex, &err), &err);
        CHECK_OK(yk_lu_factor(lu, value, NULL, &err), &err);
        CHECK_OK(yk_lu_solve(lu, b, &err), &err);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(b[w * i], i + 1.0, 1e-11 * n);
            if (is_complex) CHECK_NEAR(b[w * i + 1], 0.0, 1e-11 * n);
        }
        assert_true(yk_lu_rcond(lu) > 1e-3);
    }
    yk_lu_free(lu);
    free(value);
    free(b);
    yoke_pattern_free(p);
}

static void small_and_large_systems_are_solved(void **state)
{
    (void)state;
    lu_solves(tridiagonal(5), 3.0, false);
    lu_solves(tridiagonal(5), 3.0, true);
    lu_solves(tridiagonal(200), 3.0, false);
    lu_solves(tridiagonal(200), 3.0, true);
    lu_solves(full(300), 300.0, false);
    lu_solves(full(100), 100.0, true);
}

static void singular_matrices_are_named(void **state)
{
    const int sizes[] = { 4, 60 };
    (void)state;
    for (int s = 0; s < 2; s++) {
        yoke_pattern *p = NULL;
        yk_lu *lu = NULL;
        yoke_err err;
        int column = -2;
        const int n = sizes[s];
        double *value = calloc((size_t)n, sizeof *value);
        yk_pattern_identity(&p, n, NULL);
        for (int i = 0; i < n; i++) value[i] = i == 2 ? 0.0 : 1.0;
        CHECK_OK(yk_lu_create(&lu, p, false, &err), &err);
        CHECK_STATUS(yk_lu_factor(lu, value, &column, &err), YOKE_RETRY, &err);
        assert_int_equal(column, 2);
        CHECK_CONTAINS(err.text, "singular");
        yk_lu_free(lu);
        yoke_pattern_free(p);
        free(value);
    }
}

/* Tridiagonal, row sums zero: singular, but only up to rounding errors; with
 * one corner changed regular, in any units of rows and columns. */
static void scaling_does_not_hide_singular_matrices(void **state)
{
    const int sizes[] = { 5, 60 };
    (void)state;
    for (int s = 0; s < 4; s++) {
        const int n = sizes[s % 2];
        const bool regular = s >= 2;
        yoke_pattern *p = tridiagonal(n);
        double *value = calloc((size_t)(3 * n), sizeof *value);
        yk_lu *lu = NULL;
        yoke_err err;
        int column = -1;
        for (int j = 0; j < n; j++)
            for (int k = p->start[j]; k < p->start[j + 1]; k++) {
                const int i = p->row[k];
                const double c = 0.1 * (i + j + 1); /* between i and j */
                const double d = 0.1 * (2 * j) + 0.1 * (2 * j + 2);
                value[k] = i != j       ? -c
                           : j == 0     ? 0.2
                           : j == n - 1 ? 0.1 * (2 * j)
                                        : d;
                if (regular && i == 0 && j == 0) value[k] = 1.0;
                value[k] *= pow(10.0, (i * 7) % 13 - 6 + (j * 5) % 9 - 4);
            }
        CHECK_OK(yk_lu_create(&lu, p, false, &err), &err);
        CHECK_STATUS(yk_lu_factor(lu, value, &column, &err),
                     regular ? YOKE_OK : YOKE_RETRY, &err);
        if (!regular) CHECK_BETWEEN(column, 0, n - 1);
        yk_lu_free(lu);
        yoke_pattern_free(p);
        free(value);
    }
}

static void matching_finds_the_deficiency(void **state)
{
    const int row[] = { 0, 1, 0 }, col[] = { 0, 0, 2 };
    yoke_pattern *p = NULL;
    int match[3], matched = 0;
    (void)state;
    yoke_pattern_create(&p, 3, 3, 3, row, col, NULL);
    CHECK_OK(yk_pattern_match(p, match, &matched, NULL), NULL);
    assert_int_equal(matched, 2);
    assert_int_equal(match[0], 1);
    assert_int_equal(match[1], -1);
    assert_int_equal(match[2], 0);
    yoke_pattern_free(p);
}

static void colours_share_no_row(void **state)
{
    yoke_pattern *p = tridiagonal(50);
    int colour[50], colours = 0;
    (void)state;
    CHECK_OK(yk_pattern_colour(p, colour, &colours, NULL), NULL);
    assert_int_equal(colours, 3);
    for (int j = 0; j < 48; j++) {
        assert_int_not_equal(colour[j], colour[j + 1]);
        assert_int_not_equal(colour[j], colour[j + 2]);
    }
    yoke_pattern_free(p);
}

/* As of an FMU that declares nothing; this took minutes. */
static void full_patterns_are_coloured(void **state)
{
    enum { N = 2500 };
    static int colour[N];
    yoke_pattern *p = full(N);
    int colours = 0;
    (void)state;
    for (int k = 0; k < 8; k++) {
        CHECK_OK(yk_pattern_colour(p, colour, &colours, NULL), NULL);
        assert_int_equal(colours, N);
    }
    yoke_pattern_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_sorted_and_found),
        cmocka_unit_test(union_tells_the_places),
        cmocka_unit_test(small_and_large_systems_are_solved),
        cmocka_unit_test(singular_matrices_are_named),
        cmocka_unit_test(scaling_does_not_hide_singular_matrices),
        cmocka_unit_test(matching_finds_the_deficiency),
        cmocka_unit_test(colours_share_no_row),
        cmocka_unit_test(full_patterns_are_coloured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
