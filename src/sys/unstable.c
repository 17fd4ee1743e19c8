/* sys/unstable.c -- growing modes of (C, G) by Arnoldi's method.
 *
 * With a real shift sigma > 0 the matrix A = (sigma C + G)^-1 C has the
 * eigenvalues theta = 1 / (sigma - mu) with the vectors of the modes; those of
 * constraints, mu = infinity, become 0.  Modes with Re mu < 0 fill the disc
 * about 1/2sigma that touches 0, growing ones lie outside it: real ones of the
 * size of sigma far to the right or to the left, pairs above and below.
 * Arnoldi's method finds what lies outside first.  Modes that are much slower
 * or faster than sigma are near 1/sigma and 0 and are not told apart, hence one
 * shift for each decade.
 *
 * A Ritz value counts if its residual moves mu by less than a hundredth of its
 * real part.  Where C and G are strongly non-normal, values outside the disc
 * may belong to no mode: then the residual stays large.  The first vector is
 * A^3 applied to random numbers (ours, seeded), which has no part in
 * constraints up to index 3.
 * Reference: Saad, Numerical Methods for Large Eigenvalue Problems, 2nd ed.,
 * sections 6.2 and 8.1.
 */
#include "sys/unstable.h"

#include "la/dense.h"
#include "la/lu.h"
#include "la/pattern.h"
#include "sys/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_VECTORS = 20, /* pairs stand out after about ten */
    FEW_VECTORS = 8,   /* of a glance */
    RESTARTS = 2
};

typedef struct finder {
    const yk_unstable_rest *r;
    yoke_pattern *both;
    int *c_at, *g_at;
    yk_lu *lu;
    double *value, *w, *mode;
    double *basis; /* MOST_VECTORS + 1 vectors, over the sizes */
    double H[(MOST_VECTORS + 1) * MOST_VECTORS]; /* column by column */
    double re[MOST_VECTORS], im[MOST_VECTORS];
    double vector[MOST_VECTORS * MOST_VECTORS];
    int most; /* vectors */
    yk_unstable_growth *out;
} finder;

static void finder_clear(finder *f)
{
    yoke_pattern_free(f->both);
    yk_lu_free(f->lu);
    YK_FREE(f->c_at, f->g_at, f->value, f->w, f->mode, f->basis);
}

static yoke_status finder_begin(finder *f, yoke_err *err)
{
    const yk_unstable_rest *r = f->r;
    const size_t n = (size_t)r->n;

    YK_TRY(yk_pattern_union(&f->both, r->C_pattern, r->G_pattern, &f->c_at,
                            &f->g_at, err));
    YK_TRY(yk_doubles(&f->value, (size_t)yoke_pattern_count(f->both) + 1, err));
    YK_TRY(yk_doubles(&f->w, n + 1, err));
    YK_TRY(yk_doubles(&f->mode, 2 * n + 1, err));
    YK_TRY(yk_doubles(&f->basis, (MOST_VECTORS + 1) * n + 1, err));
    return yk_lu_create(&f->lu, f->both, false, err);
}

static yoke_status shift(finder *f, double sigma, yoke_err *err)
{
    const yk_unstable_rest *r = f->r;

    memset(f->value, 0, (size_t)yoke_pattern_count(f->both) * sizeof *f->value);
    for (int k = 0; k < yoke_pattern_count(r->G_pattern); k++)
        f->value[f->g_at[k]] += r->G[k];
    for (int k = 0; k < yoke_pattern_count(r->C_pattern); k++)
        f->value[f->c_at[k]] += sigma * r->C[k];
    f->out->factored++;
    return yk_lu_factor(f->lu, f->value, NULL, err);
}

/* to := A from, both over the sizes; to may be from. */
static yoke_status apply(finder *f, const double *from, double *to,
                         yoke_err *err)
{
    const yk_unstable_rest *r = f->r;

    memset(f->w, 0, (size_t)r->n * sizeof *f->w);
    for (int j = 0; j < r->n; j++) {
        const double x = from[j] * r->size[j];
        for (int k = r->C_pattern->start[j]; k < r->C_pattern->start[j + 1];
             k++)
            f->w[r->C_pattern->row[k]] += r->C[k] * x;
    }
    f->out->solves++;
    YK_TRY(yk_lu_solve(f->lu, f->w, err));
    for (int i = 0; i < r->n; i++) to[i] = f->w[i] / r->size[i];
    return yk_all_finite(to, r->n, NULL)
               ? YOKE_OK
               : yk_fail(err, YOKE_RETRY, "a mode is not finite");
}

static double norm(const double *v, int n)
{
    double sum = 0.0, most = 0.0;

    for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    if (!(most > 0.0)) return 0.0;
    for (int i = 0; i < n; i++) sum += (v[i] / most) * (v[i] / most);
    return most * sqrt(sum);
}

static bool normalise(double *v, int n)
{
    const double size = norm(v, n);

    for (int i = 0; size > 0.0 && i < n; i++) v[i] /= size;
    return size > 0.0;
}

/* The basis from its first vector on; how many there are, and in *rest what
 * the next one would have. */
static yoke_status extend(finder *f, int *count, double *rest, yoke_err *err)
{
    const int n = f->r->n, most = n < f->most ? n : f->most;

    memset(f->H, 0, sizeof f->H);
    for (int k = 0; k < most; k++) {
        double *next = f->basis + (size_t)(k + 1) * (size_t)n;
        double *h = f->H + k * (MOST_VECTORS + 1);
        YK_TRY(apply(f, next - n, next, err));
        const double before = norm(next, n);
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j <= k; j++) {
                const double *v = f->basis + (size_t)j * (size_t)n;
                double dot = 0.0;
                for (int i = 0; i < n; i++) dot += v[i] * next[i];
                for (int i = 0; i < n; i++) next[i] -= dot * v[i];
                h[j] += dot;
            }
        *count = k + 1;
        *rest = h[k + 1] = norm(next, n);
        if (!(*rest > 1e-12 * before) || !normalise(next, n)) {
            *rest = 0.0;
            return YOKE_OK;
        }
    }
    return YOKE_OK;
}

/* mu of Ritz value k, and by how much its residual may move it. */
static void mode_of(const finder *f, double sigma, int count, double rest,
                    int k, double *rate, double *turn, double *doubt)
{
    const double square = f->re[k] * f->re[k] + f->im[k] * f->im[k];
    const int first = f->im[k] < 0.0 ? k - 1 : k; /* of a pair */
    const double *a = f->vector + first * count, *b = a + count;
    double size = 0.0;

    for (int i = 0; i < count; i++)
        size += a[i] * a[i] + (f->im[k] != 0.0 ? b[i] * b[i] : 0.0);
    const double last =
        hypot(a[count - 1], f->im[k] != 0.0 ? b[count - 1] : 0.0);
    *rate = sigma - f->re[k] / square;
    *turn = fabs(f->im[k]) / square;
    *doubt = rest * last / sqrt(size) / square;
}

/* The Ritz value that grows most, or -1. */
static int choose(const finder *f, double sigma, int count, double rest,
                  double *rate, double *turn, double *doubt)
{
    int best = -1;

    *rate = 0.0;
    for (int k = 0; k < count; k++) {
        double a, b, d;
        if (f->im[k] < 0.0 || (f->re[k] == 0.0 && f->im[k] == 0.0)) continue;
        mode_of(f, sigma, count, rest, k, &a, &b, &d);
        const double speed = hypot(a, b);
        /* Much slower and faster ones have their own shifts and are not
         * accurate here.  Without losses, to rounding, nothing grows. */
        if (!(speed > 0.1 * sigma && speed < 20.0 * sigma)) continue;
        if (!(a > f->r->least && a <= f->r->most) || !(a > 1e-7 * speed) ||
            !(a > *rate))
            continue;
        best = k;
        *rate = a;
        *turn = b;
        *doubt = d;
    }
    return best;
}

/* v := one part of a Ritz vector, over the sizes. */
static void ritz_vector(const finder *f, int count, const double *part,
                        double *v)
{
    const int n = f->r->n;

    memset(v, 0, (size_t)n * sizeof *v);
    for (int j = 0; j < count; j++) {
        const double *basis = f->basis + (size_t)j * (size_t)n;
        for (int i = 0; i < n; i++) v[i] += part[j] * basis[i];
    }
}

/* Is a + ib a mode with another shift too?  Rounding makes others elsewhere.
 * `work` has two vectors. */
static yoke_status confirm(finder *f, double sigma, double rate, double turn,
                           const double *a, const double *b, double *work,
                           bool *is_mode, yoke_err *err)
{
    static const double other = 1.7, alike = 0.05;
    const int n = f->r->n;
    double *x = work, *y = work + n, off = 0.0, size = 0.0;

    YK_TRY(shift(f, other * sigma, err));
    YK_TRY(apply(f, a, x, err));
    YK_TRY(apply(f, b, y, err));
    /* theta = 1 / (d - i turn) */
    const double d = other * sigma - rate, square = d * d + turn * turn;
    const double re = d / square, im = turn / square;
    for (int i = 0; i < n; i++) {
        off += pow(x[i] - re * a[i] + im * b[i], 2.0) +
               pow(y[i] - re * b[i] - im * a[i], 2.0);
        size += a[i] * a[i] + b[i] * b[i];
    }
    *is_mode = off * square <= alike * alike * size;
    return YOKE_OK;
}

static void deliver(const finder *f, const double *mode, double *v)
{
    const yk_unstable_rest *r = f->r;
    double most = 0.0;

    for (int i = 0; i < r->n; i++)
        if (fabs(mode[i]) > fabs(most)) most = mode[i];
    for (int i = 0; i < r->n; i++) v[i] = mode[i] / most * r->size[i];
}

static yoke_status begin(finder *f, bool *charged, yoke_err *err)
{
    unsigned long long seed = 7;

    for (int i = 0; i < f->r->n; i++)
        f->basis[i] = f->r->from == 0 ? 2.0 * yk_random(&seed) - 1.0
                                      : (double)(f->r->from == i + 1);
    *charged = true;
    for (int pass = 0; pass < 3 && *charged; pass++) {
        YK_TRY(apply(f, f->basis, f->basis, err));
        *charged = normalise(f->basis, f->r->n);
    }
    return YOKE_OK;
}

/* Ritz values and vectors of the basis. */
static yoke_status ritz(finder *f, int *count, double *rest, yoke_err *err)
{
    double h[MOST_VECTORS * MOST_VECTORS];

    YK_TRY(extend(f, count, rest, err));
    for (int j = 0; j < *count; j++)
        memcpy(h + j * *count, f->H + j * (MOST_VECTORS + 1),
               (size_t)*count * sizeof *h);
    return yk_eigenvectors(*count, h, f->re, f->im, f->vector, err);
}

/* Modes near one shift. */
static yoke_status look(finder *f, double sigma, double *v, yoke_err *err)
{
    const int n = f->r->n;
    double *a = f->mode, *b = a + n;
    bool charged = false, is_mode = false;

    YK_TRY(shift(f, sigma, err));
    YK_TRY(begin(f, &charged, err));
    for (int k = 0; charged && k <= RESTARTS; k++) {
        int count = 0;
        double rest = 0.0, rate, turn = 0.0, doubt = 0.0;

        YK_TRY(ritz(f, &count, &rest, err));
        const int best = choose(f, sigma, count, rest, &rate, &turn, &doubt);
        if (best < 0) return YOKE_OK;
        ritz_vector(f, count, f->vector + best * count, a);
        memset(b, 0, (size_t)n * sizeof *b);
        if (turn > 0.0)
            ritz_vector(f, count, f->vector + (best + 1) * count, b);
        if (doubt > 0.01 * rate) {
            memcpy(f->basis, a, (size_t)n * sizeof *a);
            charged = normalise(f->basis, n);
            continue;
        }
        YK_TRY(confirm(f, sigma, rate, turn, a, b, f->basis, &is_mode, err));
        if (is_mode) {
            f->out->rate = rate;
            f->out->turn = turn;
            deliver(f, a, v);
        }
        return YOKE_OK;
    }
    return YOKE_OK;
}

/* Does anything near the shift seem to grow?  Then it is looked for with more
 * vectors, and with the shifts beside. */
static yoke_status glance(finder *f, double sigma, double *v, yoke_err *err)
{
    double rest = 0.0, rate, turn, doubt;
    bool charged = false;
    int count = 0;

    f->most = FEW_VECTORS;
    YK_TRY(shift(f, sigma, err));
    YK_TRY(begin(f, &charged, err));
    if (!charged) return YOKE_OK;
    YK_TRY(ritz(f, &count, &rest, err));
    f->most = MOST_VECTORS;
    if (choose(f, sigma, count, rest, &rate, &turn, &doubt) < 0) return YOKE_OK;
    for (double s = 0.1; s < 20.0 && f->out->rate == 0.0; s *= 10.0)
        YK_TRY(look(f, s * sigma, v, err));
    return YOKE_OK;
}

yoke_status yk_unstable_find(const yk_unstable_rest *rest,
                             yk_unstable_growth *out, double *v, yoke_err *err)
{
    finder f = { .r = rest, .out = out, .most = MOST_VECTORS };
    const double factor = rest->quick ? 100.0 : 10.0;
    yoke_status status = YOKE_OK;

    *out = (yk_unstable_growth){ 0 };
    if (rest->n == 0 || !(rest->least > 0.0)) return YOKE_OK;
    YK_GO(finder_begin(&f, err));
    for (double sigma = rest->least;
         sigma <= rest->most && sigma < DBL_MAX && out->rate == 0.0;
         sigma *= factor) {
        status =
            rest->quick ? glance(&f, sigma, v, err) : look(&f, sigma, v, err);
        if (status < 0) goto done;
        status = YOKE_OK; /* singular, or a pole: the next shift sees it */
    }
done:
    finder_clear(&f);
    return status;
}

yoke_status yk_unstable_at(yoke_system *system, double t, const double *x,
                           const double *size, double least, double most,
                           yk_unstable_growth *out, double *v, yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(system);
    yoke_jacobian jac = { .C = NULL };
    yoke_status status = YOKE_OK;

    YK_GO(yk_jacobian_create(&jac, system, err));
    YK_GO(yoke_system_jacobian(system, t, x, NULL, &jac, err));
    const yk_unstable_rest rest = { .n = f->n,
                                    .C_pattern = f->C,
                                    .G_pattern = f->G,
                                    .C = jac.C,
                                    .G = jac.G,
                                    .size = size,
                                    .least = least,
                                    .most = most };
    status = yk_unstable_find(&rest, out, v, err);
done:
    yk_free(jac.C);
    return status;
}
