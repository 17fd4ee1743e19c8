/* la/lu_klu.c -- sparse LU by KLU (Davis, Palamadai Natarajan 2010).
 *
 * The ordering (BTF and AMD) is made once.  Further matrices of the same
 * pattern are refactored with the pivots of the first; when a pivot has become
 * small (rcond below a limit) the pivots are chosen again.
 */
#include "la/lu_backend.h"

#include <float.h>
#include <math.h>
#include <suitesparse/klu.h>

typedef struct sparse {
    const yoke_pattern *pattern;
    bool is_complex;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double *row, *col, *most; /* to judge small pivots: n, n, 2n */
} sparse;

static void sparse_free(void *self)
{
    sparse *s = self;

    if (!s) return;
    if (s->numeric) {
        if (s->is_complex)
            klu_z_free_numeric(&s->numeric, &s->common);
        else
            klu_free_numeric(&s->numeric, &s->common);
    }
    if (s->symbolic) klu_free_symbolic(&s->symbolic, &s->common);
    YK_FREE(s->row, s);
}

static yoke_status klu_status(const sparse *s, const char *what, int *column,
                              yoke_err *err)
{
    const int n = s->pattern->cols;

    if (s->common.status == KLU_OUT_OF_MEMORY)
        return yk_fail(err, YOKE_E_MEMORY,
                       "out of memory in KLU (%s of %d "
                       "unknowns)",
                       what, n);
    if (s->common.status == KLU_SINGULAR) {
        if (column) *column = s->common.singular_col;
        return yk_fail(err, YOKE_RETRY,
                       "matrix of %d unknowns is singular at column %d", n,
                       s->common.singular_col);
    }
    return yk_fail(err, YOKE_E_NUMERIC, "KLU: status %d in %s of %d unknowns",
                   s->common.status, what, n);
}

static yoke_status sparse_create(void **out, const yoke_pattern *pattern,
                                 bool is_complex, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    sparse *s = NULL;

    YK_TRY(YK_NEW(&s, 1, err));
    s->pattern = pattern;
    s->is_complex = is_complex;
    klu_defaults(&s->common);
    YK_GO(yk_doubles(&s->row, 4 * (size_t)pattern->cols, err));
    s->col = s->row + pattern->cols;
    s->most = s->col + pattern->cols;
    s->symbolic =
        klu_analyze(pattern->cols, pattern->start, pattern->row, &s->common);
    if (!s->symbolic) YK_GO(klu_status(s, "ordering", NULL, err));
    *out = s;
    s = NULL;
done:
    sparse_free(s);
    return status;
}

/* With the pivots of the last factorisation.  False: choose new ones. */
static bool refactor(sparse *s, double *value)
{
    const yoke_pattern *p = s->pattern;
    int ok;

    if (!s->numeric) return false;
    if (s->is_complex) {
        ok = klu_z_refactor(p->start, p->row, value, s->symbolic, s->numeric,
                            &s->common) &&
             klu_z_rcond(s->symbolic, s->numeric, &s->common);
    } else {
        ok = klu_refactor(p->start, p->row, value, s->symbolic, s->numeric,
                          &s->common) &&
             klu_rcond(s->symbolic, s->numeric, &s->common);
    }
    return ok && s->common.status == KLU_OK && s->common.rcond > 1e-12;
}

static double size_of(const sparse *s, const double *value, int k)
{
    return s->is_complex ? hypot(value[2 * k], value[2 * k + 1])
                         : fabs(value[k]);
}

/* Factors of rows and columns that bring the largest entries near one (Ruiz
 * 2001: both divided by the square roots of their maxima, repeatedly). */
static void equilibrate(sparse *s, const double *value)
{
    const yoke_pattern *p = s->pattern;
    const int n = p->cols;
    double *r = s->row, *c = s->col, *most = s->most;

    for (int i = 0; i < n; i++) r[i] = c[i] = 1.0;
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 2 * n; i++) most[i] = 0.0;
        for (int j = 0; j < n; j++)
            for (int k = p->start[j]; k < p->start[j + 1]; k++) {
                const int i = p->row[k];
                const double size = size_of(s, value, k) * r[i] * c[j];
                most[i] = fmax(most[i], size);
                most[n + j] = fmax(most[n + j], size);
            }
        for (int i = 0; i < n; i++) {
            if (most[i] > 0.0) r[i] /= sqrt(most[i]);
            if (most[n + i] > 0.0) c[i] /= sqrt(most[n + i]);
        }
    }
}

/* The column of a pivot that is rounding error only, or -1.  Pivots are small
 * also for lack of scaling, so they are judged in the equilibrated matrix. */
static int small_pivot(sparse *s, const double *value)
{
    const klu_numeric *f = s->numeric;
    const double *u = f->Udiag, *scale = f->Rs;
    const int n = s->pattern->cols;

    if (s->common.rcond > 1e-12) return -1;
    equilibrate(s, value);
    for (int k = 0; k < n; k++) {
        const int j = s->symbolic->Q[k];
        const double pivot =
            size_of(s, u, k) * scale[k] * s->row[f->Pnum[k]] * s->col[j];
        if (!(pivot > 24.0 * DBL_EPSILON)) return j;
    }
    return -1;
}

static yoke_status sparse_factor(void *self, const double *value, int *column,
                                 yoke_err *err)
{
    sparse *s = self;
    const yoke_pattern *p = s->pattern;
    double *v = (double *)(void *)(size_t)value; /* KLU does not write to it */

    if (refactor(s, v)) return YOKE_OK;
    if (s->is_complex) {
        klu_z_free_numeric(&s->numeric, &s->common);
        s->numeric = klu_z_factor(p->start, p->row, v, s->symbolic, &s->common);
        if (s->numeric) klu_z_rcond(s->symbolic, s->numeric, &s->common);
    } else {
        klu_free_numeric(&s->numeric, &s->common);
        s->numeric = klu_factor(p->start, p->row, v, s->symbolic, &s->common);
        if (s->numeric) klu_rcond(s->symbolic, s->numeric, &s->common);
    }
    if (!s->numeric || s->common.status != KLU_OK)
        return klu_status(s, "factorisation", column, err);
    const int at = small_pivot(s, value);
    if (at < 0) return YOKE_OK;
    if (column) *column = at;
    return yk_fail(err, YOKE_RETRY,
                   "matrix of %d unknowns is singular at column %d", p->cols,
                   at);
}

static yoke_status sparse_solve(void *self, double *b, yoke_err *err)
{
    sparse *s = self;
    const int n = s->pattern->cols;
    const int ok =
        s->is_complex
            ? klu_z_solve(s->symbolic, s->numeric, n, 1, b, &s->common)
            : klu_solve(s->symbolic, s->numeric, n, 1, b, &s->common);
    return ok ? YOKE_OK : klu_status(s, "solution", NULL, err);
}

static double sparse_rcond(void *self)
{
    return ((sparse *)self)->common.rcond;
}

const yk_lu_ops yk_lu_klu_ops = {
    .create = sparse_create,
    .factor = sparse_factor,
    .solve = sparse_solve,
    .rcond = sparse_rcond,
    .free = sparse_free,
};
