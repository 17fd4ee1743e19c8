/* la/cholesky.c -- sparse Cholesky factorisation by CHOLMOD (Chen, Davis,
 * Hager, Rajamanickam 2008).
 *
 * CHOLMOD takes the supernodal method where the factor is dense enough and the
 * simplicial one otherwise; symbolic analysis and workspace are kept.
 */
#include "la/cholesky.h"

#include "la/blas.h"

#include <string.h>
#include <suitesparse/cholmod.h>

struct yk_cholesky {
    const yoke_pattern *pattern;
    cholmod_common common;
    cholmod_factor *factor;
    cholmod_dense *x, *y, *e; /* workspace of solutions */
    bool is_factored;
};

void yk_cholesky_free(yk_cholesky *c)
{
    if (!c) return;
    cholmod_free_factor(&c->factor, &c->common);
    cholmod_free_dense(&c->x, &c->common);
    cholmod_free_dense(&c->y, &c->common);
    cholmod_free_dense(&c->e, &c->common);
    cholmod_finish(&c->common);
    yk_free(c);
}

/* The matrix in the form of CHOLMOD, which does not write to it. */
static cholmod_sparse wrap(const yoke_pattern *p, const double *value)
{
    return (cholmod_sparse){
        .nrow = (size_t)p->rows,
        .ncol = (size_t)p->cols,
        .nzmax = (size_t)p->start[p->cols],
        .p = p->start,
        .i = p->row,
        .x = (void *)(size_t)value,
        .stype = -1,
        .itype = CHOLMOD_INT,
        .xtype = value ? CHOLMOD_REAL : CHOLMOD_PATTERN,
        .dtype = CHOLMOD_DOUBLE,
        .sorted = 1,
        .packed = 1,
    };
}

static yoke_status refuse(const yk_cholesky *c, const char *what, yoke_err *err)
{
    if (c->common.status == CHOLMOD_OUT_OF_MEMORY)
        return yk_fail(err, YOKE_E_MEMORY,
                       "out of memory in CHOLMOD (%s of %d unknowns)", what,
                       c->pattern->cols);
    return yk_fail(err, YOKE_E_NUMERIC,
                   "CHOLMOD: status %d in %s of %d unknowns", c->common.status,
                   what, c->pattern->cols);
}

yoke_status yk_cholesky_create(yk_cholesky **out, const yoke_pattern *lower,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_cholesky *c = NULL;
    cholmod_sparse a = wrap(lower, NULL);

    YK_TRY(YK_NEW(&c, 1, err));
    c->pattern = lower;
    yk_blas_one_thread();
    cholmod_start(&c->common);
    c->common.print = 0;
    c->common.error_handler = NULL;
    c->factor = cholmod_analyze(&a, &c->common);
    if (!c->factor) YK_GO(refuse(c, "ordering", err));
    *out = c;
    c = NULL;
done:
    yk_cholesky_free(c);
    return status;
}

yoke_status yk_cholesky_factor(yk_cholesky *c, const double *value, int *column,
                               yoke_err *err)
{
    cholmod_sparse a = wrap(c->pattern, value);

    c->is_factored = false;
    if (!cholmod_factorize(&a, c->factor, &c->common))
        return refuse(c, "factorisation", err);
    if (c->common.status == CHOLMOD_NOT_POSDEF ||
        c->factor->minor < c->factor->n) {
        const int *order = c->factor->Perm;
        const int at = order ? order[c->factor->minor] : (int)c->factor->minor;
        if (column) *column = at;
        return yk_fail(err, YOKE_RETRY,
                       "matrix of %d unknowns is not positive definite at "
                       "column %d",
                       c->pattern->cols, at);
    }
    c->is_factored = true;
    return YOKE_OK;
}

yoke_status yk_cholesky_solve(yk_cholesky *c, int count, const double *b,
                              double *x, yoke_err *err)
{
    const size_t n = (size_t)c->pattern->cols;
    cholmod_dense right = {
        .nrow = n,
        .ncol = (size_t)count,
        .nzmax = n * (size_t)count,
        .d = n,
        .x = (void *)(size_t)b,
        .xtype = CHOLMOD_REAL,
        .dtype = CHOLMOD_DOUBLE,
    };

    if (!c->is_factored)
        return yk_fail(err, YOKE_E_NUMERIC, "the matrix is not factored");
    if (!cholmod_solve2(CHOLMOD_A, c->factor, &right, NULL, &c->x, NULL, &c->y,
                        &c->e, &c->common))
        return refuse(c, "solution", err);
    memcpy(x, c->x->x, n * (size_t)count * sizeof *x);
    return YOKE_OK;
}

double yk_cholesky_fill(const yk_cholesky *c)
{
    return c->common.lnz;
}
