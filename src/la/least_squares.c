/* la/least_squares.c -- what of la/dense.h needs no LAPACK: norms, least
 * squares. */
#include "la/dense.h"

#include "base/vector.h"

#include <math.h>

double yk_max_norm(int n, const double *a)
{
    double most = 0.0;

    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += fabs(a[i * n + j]);
        most = fmax(most, sum);
    }
    return most;
}

/* Gram and Schmidt, twice, column by column; the triangular factor is not kept:
 * x follows from the orthogonal coefficients and from how each column was
 * made. */
yoke_status yk_least_squares(int m, int n, double *a, const double *b,
                             double dependent, double *x, int *rank,
                             yoke_err *err)
{
    enum { SMALL = 16 };
    double small[SMALL * SMALL] = { 0.0 }, *large = NULL;

    if (n > SMALL) YK_TRY(yk_doubles(&large, (size_t)n * (size_t)n, err));
    double *const r = large ? large : small;
    for (int j = 0; j < n; j++) {
        double *q = a + (size_t)j * (size_t)m;
        const double before = sqrt(yk_dot(m, q, q));
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < j; i++) {
                const double *p = a + (size_t)i * (size_t)m;
                if (r[i * n + i] == 0.0) continue;
                const double c = yk_dot(m, p, q);
                r[i * n + j] += c;
                for (int k = 0; k < m; k++) q[k] -= c * p[k];
            }
        const double after = sqrt(yk_dot(m, q, q));
        r[j * n + j] = after > dependent * before ? after : 0.0;
        for (int k = 0; k < m; k++)
            q[k] = r[j * n + j] > 0.0 ? q[k] / after : 0.0;
    }
    for (int j = n - 1; j >= 0; j--) {
        double sum = yk_dot(m, a + (size_t)j * (size_t)m, b);
        for (int k = j + 1; k < n; k++) sum -= r[j * n + k] * x[k];
        x[j] = r[j * n + j] > 0.0 ? sum / r[j * n + j] : 0.0;
    }
    if (rank) *rank = 0;
    for (int j = 0; rank && j < n; j++) *rank += r[j * n + j] > 0.0;
    yk_free(large);
    return YOKE_OK;
}
