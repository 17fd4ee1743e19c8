/* la/arnoldi.c -- the largest eigenvalue by Arnoldi's method.
 *
 * An orthonormal basis Q of v, A v, ..., A^(m-1) v gives A Q = Q H + h q e_m'
 * with a small H.  For H s = lambda s and x = Q s
 *
 *     |A x - lambda x| = h |s_m|,
 *
 * which is the test.  It is made with a quarter of a basis, with half of it, where the
 * quarter must have said the same (a remainder may be small before the largest lambda
 * is seen), and with all of it: eigenvalues of H cost m^3.  Until it holds, or another
 * basis changes nothing, the method begins again with the vectors x of the largest lambda.  The first v is random, so that it contains every
 * eigenvector.
 *
 * Limits: where A is far from normal a small remainder does not mean that
 * lambda is near an eigenvalue of A itself.
 */
#include "la/arnoldi.h"
#include "base/vector.h"

#include "la/dense.h"

#include <math.h>
#include <string.h>

/* Vectors of a basis, bases, and largest eigenvalues that the next one begins
 * with. */
enum { BASIS = 40, BASES = 12, KEPT = 6 };

typedef struct krylov {
    int n, size; /* of the basis; at most BASIS */
    double *q;   /* size + 1 vectors */
    double *h;   /* column by column, BASIS + 1 rows */
    double *small, *re, *im, *vector;
    bool closed; /* A maps the basis into itself */
} krylov;

static void krylov_clear(krylov *k)
{
    YK_FREE(k->q, k->h, k->small, k->re, k->im, k->vector);
}

static yoke_status krylov_make(krylov *k, int n, yoke_err *err)
{
    k->n = n;
    YK_TRY(yk_doubles(&k->q, (size_t)n * (BASIS + 1), err));
    YK_TRY(YK_DOUBLES((BASIS + 1) * BASIS, err, &k->h, &k->small, &k->vector));
    return YK_DOUBLES(BASIS, err, &k->re, &k->im);
}

static double *vector_of(const krylov *k, int j)
{
    return k->q + (size_t)j * (size_t)k->n;
}

/* Gram and Schmidt, twice: once leaves what rounding makes parallel. */
static void orthogonalise(const krylov *k, int j, double *h)
{
    double *w = vector_of(k, j + 1);

    for (int round = 0; round < 2; round++)
        for (int i = 0; i <= j; i++) {
            const double *q = vector_of(k, i);
            const double part = yk_dot(k->n, q, w);
            h[i] += part;
            for (int l = 0; l < k->n; l++) w[l] -= part * q[l];
        }
}

/* From vector 0, which is not zero. */
static void begin_basis(krylov *k)
{
    double *v = vector_of(k, 0);
    const double length = sqrt(yk_dot(k->n, v, v));

    for (int i = 0; i < k->n; i++) v[i] /= length;
    memset(k->h, 0, sizeof *k->h * (BASIS + 1) * BASIS);
    k->closed = false;
    k->size = 0;
}

static void grow_basis(krylov *k, int size, yk_product *product, void *context)
{
    const int most = k->n < size ? k->n : size;

    for (; k->size < most && !k->closed; k->size++) {
        double *w = vector_of(k, k->size + 1);
        double *h = k->h + (size_t)k->size * (BASIS + 1);
        product(context, vector_of(k, k->size), w);
        const double before = sqrt(yk_dot(k->n, w, w));
        orthogonalise(k, k->size, h);
        const double rest = sqrt(yk_dot(k->n, w, w));
        h[k->size + 1] = rest;
        k->closed = !(rest > 1e-14 * before) || k->size + 1 == k->n;
        for (int i = 0; i < k->n && !k->closed; i++) w[i] /= rest;
    }
}

static double modulus(const krylov *k, int i)
{
    return hypot(k->re[i], k->im[i]);
}

static yoke_status solve_small(krylov *k, yoke_err *err)
{
    const int m = k->size;

    for (int j = 0; j < m; j++)
        memcpy(k->small + j * m, k->h + j * (BASIS + 1),
               (size_t)m * sizeof *k->h);
    return yk_eigenvectors(m, k->small, k->re, k->im, k->vector, err);
}

/* Column and imaginary column of the vector of eigenvalue i. */
static void columns_of(const krylov *k, int i, const double **re,
                       const double **im)
{
    const int pair = k->im[i] < 0.0 ? i - 1 : i;

    *re = k->vector + pair * k->size;
    *im = k->im[i] != 0.0 ? k->vector + (pair + 1) * k->size : NULL;
}

static double remainder_of(const krylov *k, int i)
{
    const int last = k->size - 1;
    const double *re, *im;

    if (k->closed) return 0.0;
    columns_of(k, i, &re, &im);
    return k->h[last * (BASIS + 1) + last + 1] *
           hypot(re[last], im ? im[last] : 0.0);
}

/* Vector 0 of the next basis: the sum of those of the largest eigenvalues,
 * which are set to 0. */
static void begin_again(krylov *k, double *next)
{
    memset(next, 0, (size_t)k->n * sizeof *next);
    for (int c = 0; c < KEPT && c < k->size; c++) {
        const double *re, *im;
        int best = 0;
        for (int i = 1; i < k->size; i++)
            if (modulus(k, i) > modulus(k, best)) best = i;
        columns_of(k, best, &re, &im);
        for (int j = 0; j < k->size; j++) {
            const double *q = vector_of(k, j);
            const double part = re[j] + (im ? im[j] : 0.0);
            for (int l = 0; l < k->n; l++) next[l] += part * q[l];
        }
        k->re[best] = k->im[best] = 0.0;
    }
    memcpy(k->q, next, (size_t)k->n * sizeof *next);
}

/* The largest eigenvalue that the basis shows, and what remains of it. */
static yoke_status look(krylov *k, double *rho, double *remains, yoke_err *err)
{
    int best = 0;

    YK_TRY(solve_small(k, err));
    for (int i = 1; i < k->size; i++)
        if (modulus(k, i) > modulus(k, best)) best = i;
    *rho = modulus(k, best);
    *remains = remainder_of(k, best);
    return YOKE_OK;
}

/* With a new basis; *found: the test holds. */
static yoke_status try_basis(krylov *k, yk_product *product, void *context,
                             double tol, double *rho, double *remains,
                             bool *found, yoke_err *err)
{
    bool before = false;

    *found = false;
    begin_basis(k);
    for (int size = BASIS / 4; size <= BASIS && !*found; size *= 2) {
        const double last = *rho;
        grow_basis(k, size, product, context);
        YK_TRY(look(k, rho, remains, err));
        const bool holds = !(*remains > tol * *rho);
        *found = holds && (k->closed || size == BASIS ||
                           (before && fabs(*rho - last) <= tol * *rho));
        before = holds;
    }
    return YOKE_OK;
}

yoke_status yk_arnoldi_radius(int n, yk_product *product, void *context,
                              double tol, double *rho, double *rest,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    unsigned long long seed = 1;
    krylov k = { .q = NULL };
    double remains = 0.0, *next = NULL;

    *rho = 0.0;
    YK_GO(krylov_make(&k, n, err));
    YK_GO(yk_doubles(&next, (size_t)n, err));
    for (int i = 0; i < n; i++) k.q[i] = 0.5 + yk_random(&seed);
    for (int round = 0; n > 0 && round < BASES; round++) {
        const double last = *rho;
        bool found = false;
        YK_GO(try_basis(&k, product, context, tol, rho, &remains, &found, err));
        if (found || fabs(*rho - last) <= tol * *rho) break;
        begin_again(&k, next);
        if (!(yk_dot(n, k.q, k.q) > 0.0)) break;
    }
    if (rest) *rest = remains;
done:
    krylov_clear(&k);
    yk_free(next);
    return status;
}
