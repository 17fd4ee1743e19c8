/* la/lu_dense.c -- dense LU with partial pivoting for small matrices.
 *
 * Row by row storage; real, or complex as pairs.  Scaling decides about
 * singularity: in the matrix with rows scaled to one a pivot below n eps times
 * the largest entry of its column is taken as zero.  Then the matrix is factored
 * once more with rows and columns scaled, and that counts: with an unknown and its
 * second derivative over a step h there are pivots of h^2 in the first one.
 *
 * Each row knows its first and last entry, so that bands cost what bands cost; what
 * is left out is zero.  Row i is written from its first entry to its last one or
 * its diagonal, whichever is behind the other, and nowhere else.
 */
#include "la/lu_backend.h"

#include <complex.h>
#include <float.h>
#include <math.h>

/* In the matrix with rows and columns scaled a pivot below so many eps is none, as
 * in lu_klu.c; rounds of scaling. */
#define ROUNDINGS 24.0
enum { ROUNDS = 8 };

/* A complex number.  Products of the language's own look for infinities, which no
 * solution may have, at more than the price of the product. */
typedef struct pair {
    double re, im;
} pair;

typedef struct dense {
    const yoke_pattern *pattern;
    bool is_complex;
    int n;
    double *a;      /* n * n, real */
    pair *z;        /* n * n, complex */
    double *scale;  /* of the rows */
    double *column; /* largest entry of each column, rows scaled */
    double
        *by[2]; /* factors of the rows and columns of the matrix, if scaled */
    double *most[2];
    double zero; /* pivots below this, relative to the column, are zero */
    bool scaled;
    int *pivot;
    int *begin, *end;  /* entries of each row of the matrix */
    int *lowest;       /* the last row that begins at or before a column */
    int *first, *last; /* of its factors */
    double rcond;
} dense;

static void dense_free(void *self)
{
    dense *d = self;

    if (!d) return;
    YK_FREE(d->by[0], d->by[1], d->most[0], d->most[1]);
    YK_FREE(d->a, d->z, d->scale, d->column, d->pivot, d->begin, d->end,
            d->lowest, d->first, d->last, d);
}

/* Where the rows of the matrix begin and end. */
static void find_rows(dense *d)
{
    const yoke_pattern *s = d->pattern;

    for (int i = 0; i < d->n; i++) {
        d->begin[i] = d->n;
        d->end[i] = -1;
    }
    for (int j = 0; j < d->n; j++)
        for (int k = s->start[j]; k < s->start[j + 1]; k++) {
            const int i = s->row[k];
            if (d->begin[i] > j) d->begin[i] = j;
            d->end[i] = j;
        }
    for (int j = 0; j < d->n; j++) {
        d->lowest[j] = j > 0 ? d->lowest[j - 1] : 0;
        for (int i = d->lowest[j] + 1; i < d->n; i++)
            if (d->begin[i] <= j) d->lowest[j] = i;
    }
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
    YK_GO(YK_DOUBLES(n, err, &d->by[0], &d->by[1], &d->most[0], &d->most[1]));
    YK_GO(YK_INTS(n, err, &d->pivot, &d->begin, &d->end));
    YK_GO(YK_INTS(n, err, &d->lowest, &d->first, &d->last));
    find_rows(d);
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

/* ---- Numbers of both kinds ----------------------------------------------- */

/* Within a factor of sqrt 2 of |z|, and without its square root. */
static inline double size_of(pair z)
{
    return fabs(z.re) + fabs(z.im);
}

static inline pair product(pair a, pair b)
{
    return (pair){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

/* c - a b */
static inline pair less_complex(pair c, pair a, pair b)
{
    const pair ab = product(a, b);

    return (pair){ c.re - ab.re, c.im - ab.im };
}

static inline double less_real(double c, double a, double b)
{
    return c - a * b;
}

/* v / (pivot k) */
static inline double over_real(const dense *d, double v, int k)
{
    return v / d->a[k * d->n + k];
}

static inline pair over_complex(const dense *d, pair v, int k)
{
    const pair pivot = d->z[k * d->n + k];
    const double complex q = (v.re + I * v.im) / (pivot.re + I * pivot.im);

    return (pair){ creal(q), cimag(q) };
}

/* ---- Factors ------------------------------------------------------------- */

/* Rows k and p > k of a matrix change places. */
#define DEFINE_SWAP(NAME, TYPE)                                                \
    static void NAME(TYPE *a, dense *d, int k, int p)                          \
    {                                                                          \
        const int n = d->n;                                                    \
        for (int j = 0; j < n; j++) {                                          \
            const TYPE swap = a[k * n + j];                                    \
            a[k * n + j] = a[p * n + j];                                       \
            a[p * n + j] = swap;                                               \
        }                                                                      \
        const int behind = d->last[k] > k ? d->last[k] : k;                    \
        for (int j = behind + 1; j <= p; j++) a[p * n + j] = (TYPE){ 0 };      \
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

/* Row i ends where row k does, if that is behind. */
#define DEFINE_LENGTHEN(NAME, TYPE)                                            \
    static inline void NAME(TYPE *a, dense *d, int i, int k)                   \
    {                                                                          \
        if (d->last[k] <= d->last[i]) return;                                  \
        const int behind = d->last[i] > i ? d->last[i] : i;                    \
        for (int j = behind + 1; j <= d->last[k]; j++)                         \
            a[i * d->n + j] = (TYPE){ 0 };                                     \
        d->last[i] = d->last[k];                                               \
    }

/* The largest entries of rows, and of columns once rows are scaled. */
#define DEFINE_SCALE(NAME, TYPE, ABS)                                          \
    static void NAME(const TYPE *a, dense *d)                                  \
    {                                                                          \
        const int n = d->n;                                                    \
        for (int j = 0; j < n; j++) d->column[j] = 0.0;                        \
        for (int i = 0; i < n; i++) {                                          \
            const TYPE *const row = a + i * n;                                 \
            double most = 0.0;                                                 \
            for (int j = d->first[i]; j <= d->last[i]; j++)                    \
                if (ABS(row[j]) > most) most = ABS(row[j]);                    \
            d->scale[i] = most;                                                \
            for (int j = d->first[i]; j <= d->last[i] && most > 0.0; j++) {    \
                const double size = ABS(row[j]) / most;                        \
                if (size > d->column[j]) d->column[j] = size;                  \
            }                                                                  \
        }                                                                      \
    }

/* The row with the best pivot of column k, or -1. */
#define DEFINE_SEARCH(NAME, TYPE, ABS)                                         \
    static int NAME(const TYPE *a, const dense *d, int k, double *best)        \
    {                                                                          \
        int p = -1;                                                            \
        *best = 0.0;                                                           \
        for (int i = k; i <= d->lowest[k]; i++) {                              \
            if (d->scale[i] == 0.0 || d->first[i] > k) continue;               \
            const double size = ABS(a[i * d->n + k]) / d->scale[i];            \
            if (!(size > *best)) continue;                                     \
            *best = size;                                                      \
            p = i;                                                             \
        }                                                                      \
        return p;                                                              \
    }

/* One factorisation for both kinds of numbers.  Rows that begin behind column k
 * have nothing there; the others are at `lowest` or above it, since they change
 * places among themselves alone. */
#define DEFINE_FACTOR(NAME, TYPE, ABS, KIND)                                   \
    static int NAME(TYPE *a, dense *d)                                         \
    {                                                                          \
        double least = INFINITY, most = 0.0, best = 0.0;                       \
        const int n = d->n;                                                    \
        scale_##KIND(a, d);                                                    \
        for (int k = 0; k < n; k++) {                                          \
            const int p = search_##KIND(a, d, k, &best);                       \
            if (p < 0 || !(best > d->zero * d->column[k])) return k;           \
            if (best < least) least = best;                                    \
            if (best > most) most = best;                                      \
            d->pivot[k] = p;                                                   \
            if (p != k) swap_##KIND(a, d, k, p);                               \
            for (int i = k + 1; i <= d->lowest[k]; i++) {                      \
                TYPE *const row = a + i * n;                                   \
                if (d->first[i] > k || ABS(row[k]) == 0.0) continue;           \
                const TYPE factor = over_##KIND(d, row[k], k);                 \
                row[k] = factor;                                               \
                lengthen_##KIND(a, d, i, k);                                   \
                for (int j = k + 1; j <= d->last[k]; j++)                      \
                    row[j] = less_##KIND(row[j], factor, a[k * n + j]);        \
            }                                                                  \
        }                                                                      \
        d->rcond = n ? least / most : 1.0;                                     \
        return -1;                                                             \
    }

#define DEFINE_SOLVE(NAME, TYPE, KIND)                                         \
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
            const TYPE *const row = a + i * n;                                 \
            TYPE sum = b[i];                                                   \
            for (int j = d->first[i]; j < i; j++)                              \
                sum = less_##KIND(sum, row[j], b[j]);                          \
            b[i] = sum;                                                        \
        }                                                                      \
        for (int i = n - 1; i >= 0; i--) {                                     \
            const TYPE *const row = a + i * n;                                 \
            TYPE sum = b[i];                                                   \
            for (int j = i + 1; j <= d->last[i]; j++)                          \
                sum = less_##KIND(sum, row[j], b[j]);                          \
            b[i] = over_##KIND(d, sum, i);                                     \
        }                                                                      \
    }

DEFINE_SWAP(swap_real, double)
DEFINE_SWAP(swap_complex, pair)
DEFINE_LENGTHEN(lengthen_real, double)
DEFINE_LENGTHEN(lengthen_complex, pair)
DEFINE_SCALE(scale_real, double, fabs)
DEFINE_SCALE(scale_complex, pair, size_of)
DEFINE_SEARCH(search_real, double, fabs)
DEFINE_SEARCH(search_complex, pair, size_of)
DEFINE_FACTOR(factor_real, double, fabs, real)
DEFINE_FACTOR(factor_complex, pair, size_of, complex)
DEFINE_SOLVE(solve_real, double, real)
DEFINE_SOLVE(solve_complex, pair, complex)

/* The matrix in its rows. */
static void place(dense *d, const double *value)
{
    const yoke_pattern *s = d->pattern;
    const int n = d->n;

    for (int i = 0; i < n; i++) {
        const int behind = d->end[i] > i ? d->end[i] : i;
        d->first[i] = d->begin[i];
        d->last[i] = d->end[i];
        for (int j = d->begin[i]; j <= behind; j++) {
            if (d->is_complex)
                d->z[i * n + j] = (pair){ 0.0, 0.0 };
            else
                d->a[i * n + j] = 0.0;
        }
    }
    for (int j = 0; j < n; j++)
        for (int k = s->start[j]; k < s->start[j + 1]; k++) {
            const int i = s->row[k];
            const double by = d->scaled ? d->by[0][i] * d->by[1][j] : 1.0;
            if (d->is_complex)
                d->z[i * n + j] =
                    (pair){ by * value[2 * k], by * value[2 * k + 1] };
            else
                d->a[i * n + j] = by * value[k];
        }
}

static double size_at(const dense *d, const double *value, int k)
{
    return d->is_complex ? size_of((pair){ value[2 * k], value[2 * k + 1] })
                         : fabs(value[k]);
}

/* Factors that bring the largest entries of rows and columns near one (Ruiz
 * 2001). */
static void equilibrate(dense *d, const double *value)
{
    const yoke_pattern *s = d->pattern;

    for (int i = 0; i < d->n; i++) d->by[0][i] = d->by[1][i] = 1.0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < d->n; i++) d->most[0][i] = d->most[1][i] = 0.0;
        for (int j = 0; j < d->n; j++)
            for (int k = s->start[j]; k < s->start[j + 1]; k++) {
                const int i = s->row[k];
                const double size =
                    size_at(d, value, k) * d->by[0][i] * d->by[1][j];
                d->most[0][i] = fmax(d->most[0][i], size);
                d->most[1][j] = fmax(d->most[1][j], size);
            }
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < d->n; i++)
                if (d->most[side][i] > 0.0)
                    d->by[side][i] /= sqrt(d->most[side][i]);
    }
}

static int factor(dense *d, const double *value)
{
    place(d, value);
    return d->is_complex ? factor_complex(d->z, d) : factor_real(d->a, d);
}

static yoke_status dense_factor(void *self, const double *value, int *column,
                                yoke_err *err)
{
    dense *d = self;

    d->scaled = false;
    d->zero = d->n * DBL_EPSILON;
    const int at = factor(d, value);
    if (at < 0) return YOKE_OK;
    equilibrate(d, value);
    d->scaled = true;
    d->zero = fmax(d->zero, ROUNDINGS * DBL_EPSILON);
    return factor(d, value) < 0 ? YOKE_OK : singular(d, at, column, err);
}

/* Multiplies the numbers b by the factors of the rows or the columns. */
static void multiply(const dense *d, int side, double *b)
{
    const int each = d->is_complex ? 2 : 1;

    for (int i = 0; i < each * d->n; i++) b[i] *= d->by[side][i / each];
}

static yoke_status dense_solve(void *self, double *b, yoke_err *err)
{
    dense *d = self;

    (void)err;
    if (d->scaled) multiply(d, 0, b);
    if (d->is_complex)
        solve_complex(d->z, d, (pair *)(void *)b);
    else
        solve_real(d->a, d, b);
    if (d->scaled) multiply(d, 1, b);
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
