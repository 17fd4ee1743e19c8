/* la/lu_dense.c -- dense LU with partial pivoting for small matrices.
 *
 * Row by row storage; real, or complex as pairs.  Scaling decides about
 * singularity: in the matrix with rows scaled to one a pivot below n eps times
 * the largest entry of its column is taken as zero.
 *
 * Each row knows its first and last entry, so that bands cost what bands cost; what
 * is left out is zero.
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
    int *first, *last; /* entries of each row */
    double rcond;
} dense;

static void dense_free(void *self)
{
    dense *d = self;

    if (!d) return;
    YK_FREE(d->a, d->z, d->scale, d->column, d->pivot, d->first, d->last, d);
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
    YK_GO(YK_INTS(n, err, &d->pivot, &d->first, &d->last));
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

/* Rows k and p of a matrix change places. */
#define DEFINE_SWAP(NAME, TYPE)                                                \
    static void NAME(TYPE *a, dense *d, int k, int p)                          \
    {                                                                          \
        const int n = d->n;                                                    \
        for (int j = 0; j < n; j++) {                                          \
            const TYPE swap = a[k * n + j];                                    \
            a[k * n + j] = a[p * n + j];                                       \
            a[p * n + j] = swap;                                               \
        }                                                                      \
        swap_facts(d, k, p);                                                   \
    }

static void swap_facts(dense *d, int k, int p)
{
    const double scale = d->scale[k];
    const int first = d->first[k], last = d->last[k];

    d->scale[k] = d->scale[p];
    d->first[k] = d->first[p];
    d->last[k] = d->last[p];
    d->scale[p] = scale;
    d->first[p] = first;
    d->last[p] = last;
}

/* One factorisation for both kinds of numbers.  Row i less a multiple of row k
 * ends where the longer one does; rows that begin behind column k have nothing
 * there. */
#define DEFINE_FACTOR(NAME, TYPE, ABS, SWAP)                                   \
    static int NAME(TYPE *a, dense *d)                                         \
    {                                                                          \
        double least = INFINITY, most = 0.0;                                   \
        double *const scale = d->scale, *const column = d->column;             \
        const int n = d->n;                                                    \
        for (int j = 0; j < n; j++) column[j] = 0.0;                           \
        for (int i = 0; i < n; i++) {                                          \
            scale[i] = 0.0;                                                    \
            for (int j = d->first[i]; j <= d->last[i]; j++)                    \
                scale[i] = fmax(scale[i], ABS(a[i * n + j]));                  \
            for (int j = d->first[i]; j <= d->last[i] && scale[i] > 0.0; j++)  \
                column[j] = fmax(column[j], ABS(a[i * n + j]) / scale[i]);     \
        }                                                                      \
        for (int k = 0; k < n; k++) {                                          \
            double best = 0.0;                                                 \
            int p = -1;                                                        \
            for (int i = k; i < n; i++) {                                      \
                if (scale[i] == 0.0 || d->first[i] > k) continue;              \
                const double size = ABS(a[i * n + k]) / scale[i];              \
                if (size > best) {                                             \
                    best = size;                                               \
                    p = i;                                                     \
                }                                                              \
            }                                                                  \
            if (p < 0 || !(best > n * DBL_EPSILON * column[k])) return k;      \
            least = fmin(least, best);                                         \
            most = fmax(most, best);                                           \
            d->pivot[k] = p;                                                   \
            if (p != k) SWAP(a, d, k, p);                                      \
            for (int i = k + 1; i < n; i++) {                                  \
                if (d->first[i] > k || a[i * n + k] == 0.0) continue;          \
                const TYPE factor = a[i * n + k] / a[k * n + k];               \
                a[i * n + k] = factor;                                         \
                if (d->last[k] > d->last[i]) d->last[i] = d->last[k];          \
                for (int j = k + 1; j <= d->last[k]; j++)                      \
                    a[i * n + j] -= factor * a[k * n + j];                     \
            }                                                                  \
        }                                                                      \
        d->rcond = n ? least / most : 1.0;                                     \
        return -1;                                                             \
    }

#define DEFINE_SOLVE(NAME, TYPE)                                               \
    static void NAME(const TYPE *a, const dense *d, TYPE *b)                   \
    {                                                                          \
        const int n = d->n;                                                    \
        for (int k = 0; k < n; k++) {                                          \
            const int p = d->pivot[k];                                         \
            const TYPE swap = b[k];                                            \
            b[k] = b[p];                                                       \
            b[p] = swap;                                                       \
        }                                                                      \
        for (int i = 1; i < n; i++) {                                          \
            TYPE sum = b[i];                                                   \
            for (int j = d->first[i]; j < i; j++) sum -= a[i * n + j] * b[j];  \
            b[i] = sum;                                                        \
        }                                                                      \
        for (int i = n - 1; i >= 0; i--) {                                     \
            TYPE sum = b[i];                                                   \
            for (int j = i + 1; j <= d->last[i]; j++)                          \
                sum -= a[i * n + j] * b[j];                                    \
            b[i] = sum / a[i * n + i];                                         \
        }                                                                      \
    }

DEFINE_SWAP(swap_real, double)
DEFINE_SWAP(swap_complex, zdouble)
DEFINE_FACTOR(factor_real, double, fabs, swap_real)
DEFINE_FACTOR(factor_complex, zdouble, size_of, swap_complex)
DEFINE_SOLVE(solve_real, double)
DEFINE_SOLVE(solve_complex, zdouble)

static void place(dense *d, const double *value)
{
    const yoke_pattern *s = d->pattern;
    const int n = d->n;

    for (int i = 0; i < n; i++) {
        d->first[i] = n;
        d->last[i] = -1;
    }
    for (int j = 0; j < n; j++)
        for (int k = s->start[j]; k < s->start[j + 1]; k++) {
            const int i = s->row[k];
            if (d->first[i] > j) d->first[i] = j;
            d->last[i] = j;
            if (d->is_complex)
                d->z[i * n + j] = value[2 * k] + I * value[2 * k + 1];
            else
                d->a[i * n + j] = value[k];
        }
}

static yoke_status dense_factor(void *self, const double *value, int *column,
                                yoke_err *err)
{
    dense *d = self;
    const int n = d->n;

    if (d->is_complex)
        for (int i = 0; i < n * n; i++) d->z[i] = 0.0;
    else
        for (int i = 0; i < n * n; i++) d->a[i] = 0.0;
    place(d, value);
    const int at =
        d->is_complex ? factor_complex(d->z, d) : factor_real(d->a, d);
    return at < 0 ? YOKE_OK : singular(d, at, column, err);
}

static yoke_status dense_solve(void *self, double *b, yoke_err *err)
{
    dense *d = self;

    (void)err;
    if (d->is_complex)
        solve_complex(d->z, d, (zdouble *)(void *)b);
    else
        solve_real(d->a, d, b);
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
