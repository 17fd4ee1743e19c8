/* la/lu_dense.c -- dense LU with partial pivoting for small matrices.
 *
 * Row by row storage; real, or complex as pairs.  Scaling decides about
 * singularity: in the matrix with rows scaled to one a pivot below n eps times
 * the largest entry of its column is taken as zero.
 */
#include "la/lu_backend.h"

#include <complex.h>
#include <float.h>
#include <math.h>

typedef double complex zdouble;

typedef struct dense {
    const yoke_pattern *pattern;
    bool is_complex;
    int n;
    double *a;      /* n * n, real */
    zdouble *z;     /* n * n, complex */
    double *scale;  /* of the rows */
    double *column; /* largest entry of each column, rows scaled */
    int *pivot;
    double rcond;
} dense;

static void dense_free(void *self)
{
    dense *d = self;

    if (!d) return;
    YK_FREE(d->a, d->z, d->scale, d->column, d->pivot, d);
}

static yoke_status dense_create(void **out, const yoke_pattern *pattern,
                                bool is_complex, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    dense *d = NULL;
    const size_t n = (size_t)pattern->rows;

    YK_TRY(YK_NEW(&d, 1, err));
    d->pattern = pattern;
    d->is_complex = is_complex;
    d->n = pattern->rows;
    if (is_complex)
        YK_GO(YK_NEW(&d->z, n * n, err));
    else
        YK_GO(yk_doubles(&d->a, n * n, err));
    YK_GO(YK_DOUBLES(n, err, &d->scale, &d->column));
    YK_GO(yk_ints(&d->pivot, n, err));
    *out = d;
    d = NULL;
done:
    dense_free(d);
    return status;
}

static yoke_status singular(const dense *d, int k, int *column, yoke_err *err)
{
    if (column) *column = k;
    return yk_fail(err, YOKE_RETRY,
                   "matrix of %d unknowns is singular at column %d", d->n, k);
}

/* Within a factor of sqrt 2 of |z|, and without its square root. */
static double size_of(zdouble z)
{
    return fabs(creal(z)) + fabs(cimag(z));
}

/* One factorisation for both kinds of numbers. */
#define DEFINE_FACTOR(NAME, TYPE, ABS)                                         \
    static int NAME(TYPE *a, int n, double *scale, double *column, int *pivot, \
                    double *rcond)                                             \
    {                                                                          \
        double least = INFINITY, most = 0.0;                                   \
        for (int i = 0; i < n; i++) {                                          \
            scale[i] = 0.0;                                                    \
            for (int j = 0; j < n; j++)                                        \
                scale[i] = fmax(scale[i], ABS(a[i * n + j]));                  \
        }                                                                      \
        for (int j = 0; j < n; j++) {                                          \
            column[j] = 0.0;                                                   \
            for (int i = 0; i < n; i++)                                        \
                if (scale[i] > 0.0)                                            \
                    column[j] = fmax(column[j], ABS(a[i * n + j]) / scale[i]); \
        }                                                                      \
        for (int k = 0; k < n; k++) {                                          \
            double best = 0.0;                                                 \
            int p = -1;                                                        \
            for (int i = k; i < n; i++) {                                      \
                if (scale[i] == 0.0) continue;                                 \
                const double size = ABS(a[i * n + k]) / scale[i];              \
                if (size > best) {                                             \
                    best = size;                                               \
                    p = i;                                                     \
                }                                                              \
            }                                                                  \
            if (p < 0 || !(best > n * DBL_EPSILON * column[k])) return k;      \
            least = fmin(least, best);                                         \
            most = fmax(most, best);                                           \
            pivot[k] = p;                                                      \
            if (p != k) {                                                      \
                for (int j = 0; j < n; j++) {                                  \
                    const TYPE swap = a[k * n + j];                            \
                    a[k * n + j] = a[p * n + j];                               \
                    a[p * n + j] = swap;                                       \
                }                                                              \
                const double swap = scale[k];                                  \
                scale[k] = scale[p];                                           \
                scale[p] = swap;                                               \
            }                                                                  \
            for (int i = k + 1; i < n; i++) {                                  \
                if (a[i * n + k] == 0.0) continue;                             \
                const TYPE factor = a[i * n + k] / a[k * n + k];               \
                a[i * n + k] = factor;                                         \
                for (int j = k + 1; j < n; j++)                                \
                    a[i * n + j] -= factor * a[k * n + j];                     \
            }                                                                  \
        }                                                                      \
        *rcond = n ? least / most : 1.0;                                       \
        return -1;                                                             \
    }

#define DEFINE_SOLVE(NAME, TYPE)                                               \
    static void NAME(const TYPE *a, int n, const int *pivot, TYPE *b)          \
    {                                                                          \
        for (int k = 0; k < n; k++) {                                          \
            const TYPE swap = b[k];                                            \
            b[k] = b[pivot[k]];                                                \
            b[pivot[k]] = swap;                                                \
        }                                                                      \
        for (int i = 1; i < n; i++) {                                          \
            TYPE sum = b[i];                                                   \
            for (int j = 0; j < i; j++) sum -= a[i * n + j] * b[j];            \
            b[i] = sum;                                                        \
        }                                                                      \
        for (int i = n - 1; i >= 0; i--) {                                     \
            TYPE sum = b[i];                                                   \
            for (int j = i + 1; j < n; j++) sum -= a[i * n + j] * b[j];        \
            b[i] = sum / a[i * n + i];                                         \
        }                                                                      \
    }

DEFINE_FACTOR(factor_real, double, fabs)
DEFINE_FACTOR(factor_complex, zdouble, size_of)
DEFINE_SOLVE(solve_real, double)
DEFINE_SOLVE(solve_complex, zdouble)

static yoke_status dense_factor(void *self, const double *value, int *column,
                                yoke_err *err)
{
    dense *d = self;
    const yoke_pattern *s = d->pattern;
    const int n = d->n;
    int at;

    if (d->is_complex)
        for (int i = 0; i < n * n; i++) d->z[i] = 0.0;
    else
        for (int i = 0; i < n * n; i++) d->a[i] = 0.0;
    for (int j = 0; j < n; j++)
        for (int k = s->start[j]; k < s->start[j + 1]; k++) {
            if (d->is_complex)
                d->z[s->row[k] * n + j] = value[2 * k] + I * value[2 * k + 1];
            else
                d->a[s->row[k] * n + j] = value[k];
        }
    at = d->is_complex
             ? factor_complex(d->z, n, d->scale, d->column, d->pivot, &d->rcond)
             : factor_real(d->a, n, d->scale, d->column, d->pivot, &d->rcond);
    return at < 0 ? YOKE_OK : singular(d, at, column, err);
}

static yoke_status dense_solve(void *self, double *b, yoke_err *err)
{
    dense *d = self;

    (void)err;
    if (d->is_complex)
        solve_complex(d->z, d->n, d->pivot, (zdouble *)(void *)b);
    else
        solve_real(d->a, d->n, d->pivot, b);
    return YOKE_OK;
}

static double dense_rcond(void *self)
{
    return ((dense *)self)->rcond;
}

const yk_lu_ops yk_lu_dense_ops = {
    .create = dense_create,
    .factor = dense_factor,
    .solve = dense_solve,
    .rcond = dense_rcond,
    .free = dense_free,
};
