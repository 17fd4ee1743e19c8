/* fmi/dense.c -- la/dense.h without LAPACK, for the binary of FMUs.
 *
 * Eigenvalues by the QR algorithm: unitary rotations make the matrix upper
 * Hessenberg, then steps with Wilkinson's shift make it triangular, in complex
 * arithmetic.  Singular values by rotations of rows until they are orthogonal
 * (Hestenes, Jacobi).  The matrices are those of interfaces and of few unknowns.
 * Reference: Golub and Van Loan, Matrix Computations, 4th ed., 7.5 and 8.6.
 */
#include "la/dense.h"

#include "base/vector.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 60, ROUNDS = 60 };

typedef double complex number;

/* ---- eigenvalues -------------------------------------------------------- */

/* c, s with (c, s; -conj s, c) (a, b)' = (r, 0)'. */
static void rotation(number a, number b, double *c, number *s)
{
    const double length = hypot(cabs(a), cabs(b));

    *c = 1.0;
    *s = 0.0;
    if (cabs(b) == 0.0) return;
    *c = cabs(a) / length;
    *s = (cabs(a) > 0.0 ? a / cabs(a) : 1.0) * conj(b) / length;
}

/* Rows i and k of a, columns from..n. */
static void turn_rows(int n, number *a, int i, int k, int from, double c,
                      number s)
{
    for (int j = from; j < n; j++) {
        const number x = a[i * n + j], y = a[k * n + j];
        a[i * n + j] = c * x + s * y;
        a[k * n + j] = c * y - conj(s) * x;
    }
}

/* Columns i and k, rows 0..to, by the inverse. */
static void turn_columns(int n, number *a, int i, int k, int to, double c,
                         number s)
{
    for (int j = 0; j <= to; j++) {
        const number x = a[j * n + i], y = a[j * n + k];
        a[j * n + i] = c * x + conj(s) * y;
        a[j * n + k] = c * y - s * x;
    }
}

static void make_hessenberg(int n, number *a, number *q)
{
    double c;
    number s;

    for (int j = 0; j + 2 < n; j++)
        for (int i = n - 1; i > j + 1; i--) {
            rotation(a[(i - 1) * n + j], a[i * n + j], &c, &s);
            turn_rows(n, a, i - 1, i, 0, c, s);
            turn_columns(n, a, i - 1, i, n - 1, c, s);
            turn_columns(n, q, i - 1, i, n - 1, c, s);
        }
}

/* The eigenvalue of the last two rows that is nearer to the corner. */
static number wilkinson(int n, const number *a, int k)
{
    const number p = a[(k - 1) * n + k - 1], q = a[(k - 1) * n + k];
    const number r = a[k * n + k - 1], s = a[k * n + k];
    const number half = 0.5 * (p - s), root = csqrt(half * half + q * r);
    const number large =
        cabs(half + root) > cabs(half - root) ? half + root : half - root;

    return cabs(large) > 0.0 ? s - q * r / large : s;
}

/* One step of the QR algorithm on rows and columns low..high. */
static void qr_step(int n, number *a, number *q, int low, int high,
                    number shift)
{
    number x = a[low * n + low] - shift, y = a[(low + 1) * n + low];
    double c;
    number s;

    for (int k = low; k < high; k++) {
        rotation(x, y, &c, &s);
        turn_rows(n, a, k, k + 1, k > low ? k - 1 : low, c, s);
        turn_columns(n, a, k, k + 1, k + 2 < high ? k + 2 : high, c, s);
        turn_columns(n, q, k, k + 1, n - 1, c, s);
        if (k + 2 > high) break;
        x = a[(k + 1) * n + k];
        y = a[(k + 2) * n + k];
    }
}

/* a = q t q*, t upper triangular; a becomes t.  False: no convergence. */
static bool make_triangular(int n, number *a, number *q)
{
    int high = n - 1, tries = 0;

    make_hessenberg(n, a, q);
    while (high > 0) {
        int low = high;
        while (low > 0) {
            const double size =
                cabs(a[low * n + low]) + cabs(a[(low - 1) * n + low - 1]);
            number *below = &a[low * n + low - 1];
            if (cabs(*below) > DBL_EPSILON * size && cabs(*below) > DBL_MIN) {
                low--;
                continue;
            }
            *below = 0.0;
            break;
        }
        if (low == high) {
            high--;
            tries = 0;
            continue;
        }
        if (++tries > STEPS) return false;
        const number shift =
            tries % 10 == 0 ? cabs(a[high * n + high - 1]) + a[high * n + high]
                            : wilkinson(n, a, high);
        /* Rows above the block take part in the columns. */
        qr_step(n, a, q, low, high, shift);
    }
    return true;
}

static yoke_status decompose(int n, const double *real, bool by_columns,
                             number **t, number **q, yoke_err *err)
{
    if (!yk_all_finite(real, n * n, NULL))
        return yk_fail(err, YOKE_E_NUMERIC,
                       "eigenvalues of a matrix that is not finite");
    YK_TRY(YK_NEW(t, (size_t)n * (size_t)n, err));
    YK_TRY(YK_NEW(q, (size_t)n * (size_t)n, err));
    for (int i = 0; i < n; i++) {
        (*q)[i * n + i] = 1.0;
        for (int j = 0; j < n; j++)
            (*t)[i * n + j] = by_columns ? real[j * n + i] : real[i * n + j];
    }
    if (make_triangular(n, *t, *q)) return YOKE_OK;
    return yk_fail(err, YOKE_E_NUMERIC,
                   "the eigenvalues of a matrix of order %d do not converge",
                   n);
}

yoke_status yk_spectral_radius(int n, double *a, double *rho, yoke_err *err)
{
    number *t = NULL, *q = NULL;

    *rho = 0.0;
    if (n == 0) return YOKE_OK;
    const yoke_status status = decompose(n, a, false, &t, &q, err);
    for (int i = 0; status == YOKE_OK && i < n; i++)
        *rho = fmax(*rho, cabs(t[i * n + i]));
    YK_FREE(t, q);
    return status;
}

/* The vector of eigenvalue k, of length 1, its largest entry real. */
static void find_vector(int n, const number *t, const number *q, int k,
                        number *v, number *x)
{
    const number lambda = t[k * n + k];
    double length = 0.0, size = DBL_MIN;
    number largest = 1.0;

    for (int i = 0; i < n; i++) size = fmax(size, cabs(t[i * n + i]));
    for (int i = 0; i < n; i++) v[i] = i == k ? 1.0 : 0.0;
    for (int i = k - 1; i >= 0; i--) {
        number sum = 0.0, gap = t[i * n + i] - lambda;
        for (int j = i + 1; j <= k; j++) sum += t[i * n + j] * v[j];
        if (cabs(gap) < DBL_EPSILON * size) gap = DBL_EPSILON * size;
        v[i] = -sum / gap;
    }
    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
        for (int j = 0; j <= k; j++) x[i] += q[i * n + j] * v[j];
        length = hypot(length, cabs(x[i]));
    }
    for (int i = 0; i < n; i++)
        if (i == 0 || cabs(x[i]) > cabs(largest) * (1.0 + 1e-9)) largest = x[i];
    const number factor = conj(largest) / (cabs(largest) * length);
    for (int i = 0; i < n; i++) x[i] *= factor;
}

/* The partner of eigenvalue k in a pair, or -1: it is real. */
static int find_partner(int n, const number *t, int k, const bool *used)
{
    double size = 0.0, best = INFINITY;
    int partner = -1;

    for (int i = 0; i < n; i++) size = fmax(size, cabs(t[i * n + i]));
    if (fabs(cimag(t[k * n + k])) <= 1e-13 * size) return -1;
    for (int j = 0; j < n; j++) {
        const double apart = cabs(t[j * n + j] - conj(t[k * n + k]));
        if (j == k || used[j] || apart >= best) continue;
        best = apart;
        partner = j;
    }
    return best < fabs(cimag(t[k * n + k])) ? partner : -1;
}

yoke_status yk_eigenvectors(int n, double *a, double *re, double *im,
                            double *vector, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    number *t = NULL, *q = NULL, *v = NULL;
    bool *used = NULL;
    int at = 0;

    if (n == 0) return YOKE_OK;
    YK_GO(YK_NEW(&v, 2 * n, err));
    YK_GO(YK_NEW(&used, n, err));
    YK_GO(decompose(n, a, true, &t, &q, err));
    for (int k = 0; k < n; k++) {
        if (used[k]) continue;
        const int partner = find_partner(n, t, k, used);
        const int upper =
            partner >= 0 && cimag(t[k * n + k]) < 0.0 ? partner : k;
        used[k] = true;
        find_vector(n, t, q, upper, v, v + n);
        re[at] = creal(t[upper * n + upper]);
        im[at] = partner >= 0 ? fabs(cimag(t[upper * n + upper])) : 0.0;
        for (int i = 0; i < n; i++) vector[at * n + i] = creal(v[n + i]);
        at++;
        if (partner < 0) continue;
        used[partner] = true;
        re[at] = re[at - 1];
        im[at] = -im[at - 1];
        for (int i = 0; i < n; i++) vector[at * n + i] = cimag(v[n + i]);
        at++;
    }
done:
    YK_FREE(t, q, v, used);
    return status;
}

/* ---- factors ------------------------------------------------------------ */

yoke_status yk_dense_factor(int n, double *a, int *pivot, int *row,
                            yoke_err *err)
{
    const double size = yk_max_norm(n, a);

    if (row) *row = -1;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        pivot[k] = best;
        for (int j = 0; j < n && best != k; j++) {
            const double swap = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = swap;
        }
        if (!(fabs(a[k * n + k]) > 1e-14 * size)) {
            if (row) *row = k;
            return yk_fail(err, YOKE_RETRY, "the matrix is singular at row %d",
                           k);
        }
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; factor != 0.0 && j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return YOKE_OK;
}

yoke_status yk_dense_solve(int n, const double *factor, const int *pivot,
                           int count, double *b, yoke_err *err)
{
    (void)err;
    for (int c = 0; c < count; c++) {
        double *x = b + (size_t)c * (size_t)n;
        for (int k = 0; k < n; k++) {
            const double swap = x[pivot[k]];
            x[pivot[k]] = x[k];
            x[k] = swap;
            for (int j = 0; j < k; j++) x[k] -= factor[k * n + j] * x[j];
        }
        for (int k = n - 1; k >= 0; k--) {
            for (int j = k + 1; j < n; j++) x[k] -= factor[k * n + j] * x[j];
            x[k] /= factor[k * n + k];
        }
    }
    return YOKE_OK;
}

/* ---- singular values ---------------------------------------------------- */

/* Rows x and y of length n turn by the angle with cosine c and sine s. */
static void turn(int n, double *x, double *y, double c, double s)
{
    for (int j = 0; j < n; j++) {
        const double a = x[j], b = y[j];
        x[j] = c * a + s * b;
        y[j] = c * b - s * a;
    }
}

/* w := q w with orthogonal q until the k rows of w, each of `length`, are
 * orthogonal. */
static void make_orthogonal(int k, int length, double *w, double *q)
{
    bool moved = true;

    for (int round = 0; moved && round < ROUNDS; round++) {
        moved = false;
        for (int i = 0; i + 1 < k; i++)
            for (int j = i + 1; j < k; j++) {
                double *x = w + (size_t)i * (size_t)length;
                double *y = w + (size_t)j * (size_t)length;
                const double a = yk_dot(length, x, x);
                const double b = yk_dot(length, y, y);
                const double c = yk_dot(length, x, y);
                if (fabs(c) <= DBL_EPSILON * sqrt(a * b) || c == 0.0) continue;
                const double z = (a - b) / (2.0 * c);
                const double t =
                    (z >= 0.0 ? 1.0 : -1.0) / (fabs(z) + hypot(1.0, z));
                const double cosine = 1.0 / hypot(1.0, t);
                moved = true;
                turn(length, x, y, cosine, t * cosine);
                turn(k, q + (size_t)i * (size_t)k, q + (size_t)j * (size_t)k,
                     cosine, t * cosine);
            }
    }
}

/* Rows of w of length 0 become unit vectors orthogonal to those before. */
static void complete(int k, int length, double *w)
{
    for (int i = 0; i < k; i++) {
        double *x = w + (size_t)i * (size_t)length;
        for (int e = 0; yk_dot(length, x, x) < 0.25 && e < length; e++) {
            for (int j = 0; j < length; j++) x[j] = j == e ? 1.0 : 0.0;
            for (int twice = 0; twice < 2; twice++)
                for (int j = 0; j < i; j++) {
                    const double *y = w + (size_t)j * (size_t)length;
                    const double c = yk_dot(length, x, y);
                    for (int p = 0; p < length; p++) x[p] -= c * y[p];
                }
            const double size = sqrt(yk_dot(length, x, x));
            for (int j = 0; j < length; j++)
                x[j] = size > 1e-6 ? x[j] / size : 0.0;
        }
    }
}

static void swap_rows(int n, double *a, int i, int k)
{
    for (int j = 0; j < n; j++) {
        const double x = a[i * n + j];
        a[i * n + j] = a[k * n + j];
        a[k * n + j] = x;
    }
}

static void sort_rows(int k, int length, double *sigma, double *w, double *q)
{
    for (int i = 0; i < k; i++) {
        int best = i;
        for (int j = i + 1; j < k; j++)
            if (sigma[j] > sigma[best]) best = j;
        if (best == i) continue;
        const double s = sigma[i];
        sigma[i] = sigma[best];
        sigma[best] = s;
        swap_rows(length, w, i, best);
        swap_rows(k, q, i, best);
    }
}

yoke_status yk_singular_values(int m, int n, const double *a, double *sigma,
                               double *u, double *v, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int k = m < n ? m : n, length = m < n ? n : m;
    double *w = NULL, *q = NULL;

    if (k == 0) return YOKE_OK;
    YK_GO(yk_doubles(&w, (size_t)k * (size_t)length, err));
    YK_GO(yk_doubles(&q, (size_t)k * (size_t)k, err));
    for (int i = 0; i < k; i++) {
        q[i * k + i] = 1.0;
        for (int j = 0; j < length; j++)
            w[i * length + j] = m < n ? a[i * n + j] : a[j * n + i];
    }
    make_orthogonal(k, length, w, q);
    for (int i = 0; i < k; i++) {
        double *x = w + (size_t)i * (size_t)length;
        sigma[i] = sqrt(yk_dot(length, x, x));
    }
    sort_rows(k, length, sigma, w, q);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < length; j++)
            w[i * length + j] = sigma[i] > DBL_EPSILON * sigma[0]
                                    ? w[i * length + j] / sigma[i]
                                    : 0.0;
    complete(k, length, w);
    if (u) memcpy(u, m < n ? q : w, (size_t)k * (size_t)m * sizeof *u);
    if (u) memcpy(v, m < n ? w : q, (size_t)k * (size_t)n * sizeof *v);
done:
    YK_FREE(w, q);
    return status;
}
