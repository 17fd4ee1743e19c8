/* Sparse Cholesky on the five-point stencil: residual, reuse, refusal. */
#include "la/cholesky.h"
#include "check.h"

#include <math.h>

enum { SIDE = 30, N = SIDE * SIDE };

typedef struct grid {
    yoke_pattern *pattern;
    double *value;
} grid;

/* Lower part of the stencil with `shift` on the diagonal. */
static grid make_grid(double shift)
{
    static int row[3 * N], col[3 * N];
    grid g = { NULL, NULL };
    int count = 0;

    for (int i = 0; i < N; i++) {
        row[count] = col[count] = i, count++;
        if (i % SIDE < SIDE - 1) row[count] = i + 1, col[count++] = i;
        if (i + SIDE < N) row[count] = i + SIDE, col[count++] = i;
    }
    CHECK_OK(yoke_pattern_create(&g.pattern, N, N, count, row, col, NULL),
             NULL);
    CHECK_OK(yk_doubles(&g.value, (size_t)count, NULL), NULL);
    for (int j = 0; j < N; j++)
        for (int k = g.pattern->start[j]; k < g.pattern->start[j + 1]; k++)
            g.value[k] = g.pattern->row[k] == j ? 4.0 + shift : -1.0;
    return g;
}

static void grid_clear(grid *g)
{
    yoke_pattern_free(g->pattern);
    yk_free(g->value);
}

/* Largest |b - A x|, A symmetric from its lower part. */
static double residual(const grid *g, const double *x, const double *b)
{
    static double r[N];
    double most = 0.0;

    for (int i = 0; i < N; i++) r[i] = b[i];
    for (int j = 0; j < N; j++)
        for (int k = g->pattern->start[j]; k < g->pattern->start[j + 1]; k++) {
            const int i = g->pattern->row[k];
            r[i] -= g->value[k] * x[j];
            if (i != j) r[j] -= g->value[k] * x[i];
        }
    for (int i = 0; i < N; i++) most = fmax(most, fabs(r[i]));
    return most;
}

static void several_right_sides_are_solved(void **state)
{
    static double b[2 * N], x[2 * N];
    grid g = make_grid(0.0);
    yk_cholesky *c = NULL;

    (void)state;
    for (int i = 0; i < 2 * N; i++) b[i] = sin(i);
    CHECK_OK(yk_cholesky_create(&c, g.pattern, NULL), NULL);
    CHECK_OK(yk_cholesky_factor(c, g.value, NULL, NULL), NULL);
    CHECK_OK(yk_cholesky_solve(c, 2, b, x, NULL), NULL);
    assert_true(residual(&g, x, b) < 1e-12);
    assert_true(residual(&g, x + N, b + N) < 1e-12);
    for (int k = 0; k < g.pattern->start[N]; k++) g.value[k] *= 2.0;
    CHECK_OK(yk_cholesky_factor(c, g.value, NULL, NULL), NULL);
    CHECK_OK(yk_cholesky_solve(c, 1, b, x, NULL), NULL);
    assert_true(residual(&g, x, b) < 1e-12);
    assert_true(yk_cholesky_fill(c) > N);
    yk_cholesky_free(c);
    grid_clear(&g);
}

static void indefinite_matrices_are_refused(void **state)
{
    static double x[N];
    grid g = make_grid(-2.0);
    yk_cholesky *c = NULL;
    yoke_err err = { YOKE_OK, "" };
    int column = -1;

    (void)state;
    CHECK_OK(yk_cholesky_create(&c, g.pattern, NULL), NULL);
    assert_int_equal(yk_cholesky_factor(c, g.value, &column, &err), YOKE_RETRY);
    assert_true(column >= 0 && column < N);
    assert_int_equal(yk_cholesky_solve(c, 1, x, x, &err), YOKE_E_NUMERIC);
    yk_cholesky_free(c);
    grid_clear(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_right_sides_are_solved),
        cmocka_unit_test(indefinite_matrices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
