/* graph/ph_bounds.c -- what theory knows of Algorithm 1 before it runs.
 *
 * In terms of x: W v = ((1 - alpha) R Q + mu E) Q^-1 v =: Wx Q^-1 v, so W^-1 =
 * Q Wx^-1.  W is symmetric and J_o skew: K' = W + J_o.  The eigenvalues of
 * W^-1 J_o are those of Wx^-1 J_o Q, imaginary, the largest of modulus c.
 * Up to MOST_DENSE unknowns norms are singular values, above that the result
 * of power iterations, which are from below.
 */
#include "graph/ph_bounds.h"

#include "la/dense.h"
#include "la/lu.h"

#include <math.h>
#include <string.h>

enum { MOST_DENSE = 300, POWERS = 300 };

typedef struct work {
    int n;
    yk_sparse W, Q, C; /* Wx, Q, J_o Q of all */
    yk_sparse Z;       /* E + alpha R Q */
} work;

static void work_clear(work *k)
{
    yk_sparse_clear(&k->W);
    yk_sparse_clear(&k->Q);
    yk_sparse_clear(&k->C);
    yk_sparse_clear(&k->Z);
}

static yoke_status gather(const yk_ph_net *net, double alpha, double mu,
                          work *k, yoke_err *err)
{
    const yk_ph_sum w = { .RQ = 1.0 - alpha, .E = mu };
    const yk_ph_sum z = { .RQ = alpha, .E = 1.0 };

    k->n = net->n;
    YK_TRY(yk_ph_net_sum(net, w, 0.0, &k->W, err));
    YK_TRY(yk_ph_net_sum(net, (yk_ph_sum){ .Q = 1.0 }, 0.0, &k->Q, err));
    YK_TRY(yk_ph_net_sum(net, z, 0.0, &k->Z, err));
    return yk_ph_net_coupling(net, &k->C, err);
}

/* A factor of m, or NULL if it is singular. */
static yoke_status factor(const yk_sparse *m, yk_lu **out, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };
    yk_lu *lu = NULL;

    *out = NULL;
    YK_TRY(yk_lu_create(&lu, m->pattern, false, err));
    const yoke_status status = yk_lu_factor(lu, m->value, NULL, &why);
    if (status == YOKE_OK && yk_lu_rcond(lu) > 1e-14) {
        *out = lu;
        return YOKE_OK;
    }
    yk_lu_free(lu);
    if (status < 0 && err) *err = why;
    return status < 0 ? status : YOKE_OK;
}

/* ---- dense --------------------------------------------------------------- */

/* Row by row: a(i, j) = sum of m Q^-1 columns. */
static yoke_status over_q(const work *k, const yk_sparse *m, yk_lu *q,
                          double *a, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *x = NULL, *y = NULL;

    YK_GO(YK_DOUBLES((size_t)k->n, err, &x, &y));
    for (int j = 0; j < k->n; j++) {
        memset(x, 0, (size_t)k->n * sizeof *x);
        memset(y, 0, (size_t)k->n * sizeof *y);
        x[j] = 1.0;
        YK_GO(yk_lu_solve(q, x, err));
        yk_sparse_multiply(m, 1.0, x, y);
        for (int i = 0; i < k->n; i++) a[i * k->n + j] += y[i];
    }
done:
    YK_FREE(x, y);
    return status;
}

static yoke_status dense_norms(const work *k, yk_lu *q, yk_lu *w,
                               yk_bounds *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t n = (size_t)k->n;
    double *a = NULL, *b = NULL, *sigma = NULL;

    YK_GO(YK_DOUBLES(n * n, err, &a, &b));
    YK_GO(yk_doubles(&sigma, n, err));
    YK_GO(over_q(k, &k->C, q, a, err));
    for (size_t i = 0; i < n * n; i++) a[i] = -a[i];
    YK_GO(over_q(k, &k->W, q, a, err));
    YK_GO(yk_singular_values(k->n, k->n, a, sigma, NULL, NULL, err));
    out->norm = sigma[0];
    YK_GO(over_q(k, &k->W, q, b, err));
    YK_GO(yk_singular_values(k->n, k->n, b, sigma, NULL, NULL, err));
    out->inverse = w && sigma[n - 1] > 0.0 ? 1.0 / sigma[n - 1] : INFINITY;
    if (w) {
        memset(a, 0, n * n * sizeof *a);
        for (int j = 0; j < k->n; j++) { /* columns of Wx^-1 C */
            const yoke_pattern *p = k->C.pattern;
            for (int l = p->start[j]; l < p->start[j + 1]; l++)
                a[(size_t)j * n + (size_t)p->row[l]] = k->C.value[l];
            YK_GO(yk_lu_solve(w, a + (size_t)j * n, err));
        }
        YK_GO(yk_spectral_radius(k->n, a, &out->coupling, err));
    }
done:
    YK_FREE(a, b, sigma);
    return status;
}

/* ---- large --------------------------------------------------------------- */

typedef struct power {
    const work *k;
    yk_lu *q, *w;
    double *x, *y;
} power;

static double length(int n, const double *x)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* x := (W -+ J_o) x, through y. */
static yoke_status apply(power *p, double sign, yoke_err *err)
{
    YK_TRY(yk_lu_solve(p->q, p->x, err));
    memset(p->y, 0, (size_t)p->k->n * sizeof *p->y);
    yk_sparse_multiply(&p->k->W, 1.0, p->x, p->y);
    yk_sparse_multiply(&p->k->C, sign, p->x, p->y);
    memcpy(p->x, p->y, (size_t)p->k->n * sizeof *p->y);
    return YOKE_OK;
}

/* kind 0: |K|^2; 1: |W^-1|; 2: c^2. */
static yoke_status power_norm(power *p, int kind, double *out, yoke_err *err)
{
    const int n = p->k->n;
    unsigned long long seed = 7;
    double last = 0.0, now = 0.0;

    for (int i = 0; i < n; i++) p->x[i] = yk_random(&seed) - 0.5;
    for (int step = 0; step < POWERS; step++) {
        const double before = length(n, p->x);
        for (int i = 0; i < n && before > 0.0; i++) p->x[i] /= before;
        for (int half = 0; half < 2; half++) {
            if (kind == 0) {
                YK_TRY(apply(p, half == 0 ? -1.0 : 1.0, err));
                continue;
            }
            memset(p->y, 0, (size_t)n * sizeof *p->y);
            if (kind == 1 && half == 1) continue;
            if (kind == 2) {
                yk_sparse_multiply(&p->k->C, 1.0, p->x, p->y);
                memcpy(p->x, p->y, (size_t)n * sizeof *p->y);
                YK_TRY(yk_lu_solve(p->w, p->x, err));
            } else {
                YK_TRY(yk_lu_solve(p->w, p->x, err));
                yk_sparse_multiply(&p->k->Q, 1.0, p->x, p->y);
                memcpy(p->x, p->y, (size_t)n * sizeof *p->y);
            }
        }
        now = length(n, p->x);
        if (fabs(now - last) <= 1e-10 * now) break;
        last = now;
    }
    *out = kind == 1 ? now : sqrt(now);
    return YOKE_OK;
}

static yoke_status power_norms(const work *k, yk_lu *q, yk_lu *w,
                               yk_bounds *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    power p = { k, q, w, NULL, NULL };

    YK_GO(YK_DOUBLES((size_t)k->n, err, &p.x, &p.y));
    YK_GO(power_norm(&p, 0, &out->norm, err));
    out->inverse = INFINITY;
    if (w) {
        YK_GO(power_norm(&p, 1, &out->inverse, err));
        YK_GO(power_norm(&p, 2, &out->coupling, err));
    }
done:
    YK_FREE(p.x, p.y);
    return status;
}

/* ---- all ----------------------------------------------------------------- */

static double bound(const yk_bounds *b, double lambda)
{
    const double a = 1.0 + lambda * b->norm;

    return isinf(b->inverse)
               ? 1.0
               : sqrt(fmax(0.0, 1.0 - 4.0 * lambda / (a * a * b->inverse)));
}

yoke_status yk_bounds_find(const yk_ph_net *net, double alpha, double mu,
                           double lambda, yk_bounds *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    work k = { 0 };
    yk_lu *q = NULL, *w = NULL, *z = NULL;

    *out = (yk_bounds){ .coupling = INFINITY };
    YK_GO(gather(net, alpha, mu, &k, err));
    YK_GO(factor(&k.Q, &q, err));
    YK_GO(factor(&k.W, &w, err));
    YK_GO(factor(&k.Z, &z, err));
    if (!q) YK_GO(yk_fail(err, YOKE_E_MODEL, "Q is not invertible"));
    out->all = w != NULL;
    out->states = z != NULL;
    YK_GO(net->n <= MOST_DENSE ? dense_norms(&k, q, w, out, err)
                               : power_norms(&k, q, w, out, err));
    out->lambda = out->norm > 0.0 ? 1.0 / out->norm : 1.0;
    out->q = bound(out, lambda > 0.0 ? lambda : out->lambda);
    out->best = bound(out, out->lambda);
    out->tau = sqrt(1.0 + out->coupling * out->coupling);
    out->matrix = out->all ? sqrt((out->tau - 1.0) / (out->tau + 1.0)) : 1.0;
done:
    yk_lu_free(q);
    yk_lu_free(w);
    yk_lu_free(z);
    work_clear(&k);
    return status;
}

const char *yk_bounds_text(const yk_bounds *b, double alpha)
{
    if (b->all)
        return "condition (19), rank [mu E, (1 - alpha) R] = n, holds: z and x "
               "converge, each "
               "sweep reduces the error of z at least by q (Theorem 26 a, b)";
    if (b->states)
        return "condition (29), rank [E, alpha R] = n, holds, but not (19): x "
               "converges, without "
               "a rate (Theorem 26 b)";
    return alpha > 0.0 ? "neither (19) nor (29): only E x and R Q x converge "
                         "(Theorem 23 a, b, c)"
                       : "neither (19) nor (29): only E x converges (Theorem "
                         "23 a, b)";
}
