/* la/arnoldi_test.c */
#include "check.h"

#include "la/arnoldi.h"
#include "la/dense.h"

#include <math.h>

enum { N = 400 };

typedef struct matrix {
    int n;
    double a[N * N];
} matrix;

static void multiply(void *context, const double *v, double *out)
{
    const matrix *m = context;

    for (int i = 0; i < m->n; i++) {
        out[i] = 0.0;
        for (int j = 0; j < m->n; j++) out[i] += m->a[i * m->n + j] * v[j];
    }
}

static void random_matrices_have_the_radius_of_lapack(void **state)
{
    static matrix m, copy;
    unsigned long long seed = 3;
    (void)state;
    for (m.n = 1; m.n <= 120; m.n = 2 * m.n + 1) {
        double exact = 0.0, rho = 0.0, rest = 0.0;
        yoke_err err;
        for (int k = 0; k < m.n * m.n; k++) m.a[k] = yk_random(&seed) - 0.4;
        copy = m;
        CHECK_OK(yk_spectral_radius(m.n, copy.a, &exact, &err), &err);
        CHECK_OK(yk_arnoldi_radius(m.n, multiply, &m, 1e-8, &rho, &rest, &err),
                 &err);
        CHECK_NEAR(rho, exact, 1e-6 * exact);
        CHECK_BETWEEN(rest, 0.0, 1e-8 * rho);
    }
}

/* Eigenvalues 2 c cos(2 pi k / n): the largest are close to one another. */
static void a_ring_has_its_radius_to_three_digits(void **state)
{
    static matrix m = { .n = N };
    double rho = 0.0;
    yoke_err err;
    (void)state;
    for (int i = 0; i < N; i++)
        m.a[i * N + (i + 1) % N] = m.a[i * N + (i + N - 1) % N] = 0.3;
    CHECK_OK(yk_arnoldi_radius(N, multiply, &m, 1e-3, &rho, NULL, &err), &err);
    CHECK_NEAR(rho, 0.6, 6e-4);
}

/* A pair lambda, conj(lambda), and its opposite: nothing settles by powers. */
static void pairs_are_found(void **state)
{
    static matrix m = { .n = 60 };
    double rho = 0.0;
    yoke_err err;
    (void)state;
    for (int i = 0; i < 60; i++) m.a[i * 60 + i] = 0.01 * i;
    m.a[0] = m.a[61] = 0.0;
    m.a[1] = 0.9;
    m.a[60] = -0.9;
    CHECK_OK(yk_arnoldi_radius(60, multiply, &m, 1e-6, &rho, NULL, &err), &err);
    CHECK_NEAR(rho, 0.9, 1e-5);
}

static void nothing_and_zero_have_radius_zero(void **state)
{
    static matrix m = { .n = 50 };
    double rho = 1.0;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_arnoldi_radius(50, multiply, &m, 1e-6, &rho, NULL, &err), &err);
    CHECK_NEAR(rho, 0.0, 0.0);
    m.n = 0;
    CHECK_OK(yk_arnoldi_radius(0, multiply, &m, 1e-6, &rho, NULL, &err), &err);
    CHECK_NEAR(rho, 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_have_the_radius_of_lapack),
        cmocka_unit_test(a_ring_has_its_radius_to_three_digits),
        cmocka_unit_test(pairs_are_found),
        cmocka_unit_test(nothing_and_zero_have_radius_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
