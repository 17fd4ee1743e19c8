/* la/lti.c -- the stages of linear systems, factored once. */
#include "la/lti.h"

#include <complex.h>
#include <math.h>
#include <string.h>

const char yk_rk_names[] = "implicit-midpoint implicit-euler radau3";

/* Radau IIA of order 3: A = [5/12 -1/12; 3/4 1/4]. */
static const yk_rk methods[] = {
    { "implicit-midpoint", 1, 2, { 0.5 }, { 1.0 }, { { 2.0 } } },
    { "implicit-euler", 1, 1, { 1.0 }, { 1.0 }, { { 1.0 } } },
    { "radau3",
      2,
      3,
      { 1.0 / 3.0, 1.0 },
      { 0.75, 0.25 },
      { { 1.5, 0.5 }, { -4.5, 2.5 } } },
};

const yk_rk *yk_rk_find(const char *name)
{
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        if (strcmp(methods[k].name, name) == 0) return &methods[k];
    return NULL;
}

/* b'D and 1 - b'D 1. */
static double gains(const yk_rk *rk, double *gain)
{
    double keep = 1.0;

    for (int j = 0; j < rk->stages; j++) {
        gain[j] = 0.0;
        for (int i = 0; i < rk->stages; i++) gain[j] += rk->b[i] * rk->D[i][j];
        keep -= gain[j];
    }
    return keep;
}

/* The least eigenvalue of the Hermitian part of S, of order 1 or 2. */
static double least(int s, double complex S[YK_RK_STAGES][YK_RK_STAGES])
{
    const double a = creal(S[0][0]);

    if (s == 1) return a;
    const double d = creal(S[1][1]);
    const double complex m = 0.5 * (S[0][1] + conj(S[1][0]));
    return 0.5 * (a + d) - sqrt(0.25 * (a - d) * (a - d) + creal(m * conj(m)));
}

/* Stage derivatives of stages that grow like z^n are T(z) X / h; the infimum of
 * the weighted form over all sequences is that of the symbol over |z| =
 * exp(omega h). */
double yk_rk_monotone(const yk_rk *rk, double omega_h)
{
    enum { ANGLES = 180 };
    double gain[YK_RK_STAGES], w[YK_RK_STAGES], low = INFINITY;
    const double keep = gains(rk, gain);

    for (int i = 0; i < rk->stages; i++)
        w[i] = sqrt(rk->b[i]) * exp(-omega_h * rk->c[i]);
    for (int k = 0; k <= ANGLES; k++) {
        const double complex z =
            cexp(omega_h + I * acos(-1.0) * (double)k / ANGLES);
        double complex S[YK_RK_STAGES][YK_RK_STAGES] = { { 0.0 } };
        if (cabs(z - keep) < 1e-12) continue; /* the limit from beside */
        for (int i = 0; i < rk->stages; i++) {
            double row = 0.0;
            for (int j = 0; j < rk->stages; j++) row += rk->D[i][j];
            for (int j = 0; j < rk->stages; j++)
                S[i][j] =
                    w[i] / w[j] * (rk->D[i][j] - row * gain[j] / (z - keep));
        }
        low = fmin(low, least(rk->stages, S));
    }
    return low;
}

double yk_rk_omega(const yk_rk *rk, double mu, double h)
{
    double a = mu * h, b = a;

    if (mu == 0.0) return 0.0;
    if (rk->stages == 1 && rk->c[0] == 0.5) /* (2/h) tanh(omega h / 2) = mu */
        return a < 2.0 ? 2.0 * atanh(0.5 * a) / h : INFINITY;
    if (rk->stages == 1) /* (1 - exp(-omega h)) / h = mu */
        return a < 1.0 ? -log1p(-a) / h : INFINITY;
    while (yk_rk_monotone(rk, b) < mu * h) {
        a = b;
        b *= 1.3;
        if (b > 5.0 || b > 20.0 * mu * h) return INFINITY;
    }
    for (int k = 0; k < 40 && b - a > 1e-9 * b; k++) {
        const double m = 0.5 * (a + b);
        if (yk_rk_monotone(rk, m) < mu * h)
            a = m;
        else
            b = m;
    }
    return b / h;
}

/* ---- the solver ---------------------------------------------------------- */

void yk_lti_free(yk_lti *l)
{
    if (!l) return;
    yk_lu_free(l->lu);
    yk_sparse_clear(&l->E);
    yk_sparse_clear(&l->A);
    yk_sparse_clear(&l->M);
    YK_FREE(l->sum, l);
}

/* The coefficients for step h; a fitted method has those of exp(-omega t) x. */
static void set_coefficients(yk_lti *l, double h)
{
    const yk_rk *rk = l->rk;
    const double x = l->omega * h;

    l->keep = gains(rk, l->gain) * exp(x);
    for (int i = 0; i < rk->stages; i++) {
        l->old[i] = 0.0;
        l->gain[i] *= exp(x * (1.0 - rk->c[i]));
        for (int j = 0; j < rk->stages; j++) {
            l->d[i][j] = (rk->D[i][j] * exp(x * (rk->c[i] - rk->c[j])) +
                          (i == j ? x : 0.0)) /
                         h;
            l->old[i] += rk->D[i][j] * exp(x * rk->c[i]) / h;
        }
    }
}

static yoke_status assemble(yk_lti *l, yk_sparse *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };
    const int s = l->rk->stages;

    for (int i = 0; i < s; i++) {
        YK_GO(yk_triplets_add_matrix(&t, -1.0, l->A.pattern, l->A.value,
                                     i * l->n, i * l->n, err));
        for (int j = 0; j < s; j++)
            YK_GO(yk_triplets_add_matrix(&t, l->d[i][j], l->E.pattern,
                                         l->E.value, i * l->n, j * l->n, err));
    }
    YK_GO(yk_sparse_create(out, s * l->n, s * l->n, &t, err));
done:
    yk_triplets_clear(&t);
    return status;
}

yoke_status yk_lti_create(yk_lti **out, const yk_rk *rk, double omega,
                          const yk_sparse *E, const yk_sparse *A, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_lti *l = NULL;

    YK_GO(YK_NEW(&l, 1, err));
    l->rk = rk;
    l->omega = omega;
    l->n = E->pattern->rows;
    YK_GO(yk_sparse_copy(&l->E, E->pattern, E->value, err));
    YK_GO(yk_sparse_copy(&l->A, A->pattern, A->value, err));
    YK_GO(yk_doubles(&l->sum, (size_t)l->n + 1, err));
    set_coefficients(l, 1.0);
    YK_GO(assemble(l, &l->M, err));
    YK_GO(yk_lu_create(&l->lu, l->M.pattern, false, err));
    *out = l;
    return YOKE_OK;
done:
    yk_lti_free(l);
    return status;
}

yoke_status yk_lti_step_size(yk_lti *l, double h, int *column, yoke_err *err)
{
    yk_sparse new = { NULL, NULL };

    if (l->h == h) return YOKE_OK;
    set_coefficients(l, h);
    YK_TRY(assemble(l, &new, err));
    memcpy(l->M.value, new.value,
           (size_t)yoke_pattern_count(new.pattern) * sizeof *new.value);
    yk_sparse_clear(&new);
    l->h = 0.0;
    YK_TRY(yk_lu_factor(l->lu, l->M.value, column, err));
    l->factorizations++;
    l->h = h;
    return YOKE_OK;
}

yoke_status yk_lti_step(yk_lti *l, double *e, double *f, yoke_err *err)
{
    const int n = l->n, s = l->rk->stages;

    for (int i = 0; i < s; i++)
        for (int k = 0; k < n; k++) f[i * n + k] += l->old[i] * e[k];
    YK_TRY(yk_lu_solve(l->lu, f, err));
    l->solves++;
    for (int k = 0; k < n; k++) {
        e[k] *= l->keep;
        l->sum[k] = 0.0;
    }
    for (int i = 0; i < s; i++)
        if (l->gain[i] != 0.0)
            for (int k = 0; k < n; k++) l->sum[k] += l->gain[i] * f[i * n + k];
    yk_sparse_multiply(&l->E, 1.0, l->sum, e);
    return YOKE_OK;
}
