/* la/lu.c -- chooses the factorisation by the size and the places of the matrix. */
#include "la/lu_backend.h"

struct yk_lu {
    const yk_lu_ops *ops;
    void *self;
};

/* Small, or full: then there is nothing to be gained by an ordering. */
static bool is_dense(const yoke_pattern *p)
{
    const int n = p->rows;

    return n <= YK_LU_DENSE || (n <= YK_LU_FULL && p->start[n] > n * (n / 2));
}

yoke_status yk_lu_create(yk_lu **out, const yoke_pattern *pattern,
                         bool is_complex, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_lu *lu = NULL;

    if (pattern->rows != pattern->cols)
        return yk_fail(err, YOKE_E_ARG, "LU of a matrix of %d rows, %d columns",
                       pattern->rows, pattern->cols);
    YK_TRY(YK_NEW(&lu, 1, err));
    lu->ops = is_dense(pattern) ? &yk_lu_dense_ops : &yk_lu_klu_ops;
    YK_GO(lu->ops->create(&lu->self, pattern, is_complex, err));
    *out = lu;
    lu = NULL;
done:
    yk_lu_free(lu);
    return status;
}

void yk_lu_free(yk_lu *lu)
{
    if (!lu) return;
    lu->ops->free(lu->self);
    yk_free(lu);
}

yoke_status yk_lu_factor(yk_lu *lu, const double *value, int *column,
                         yoke_err *err)
{
    return lu->ops->factor(lu->self, value, column, err);
}

yoke_status yk_lu_solve(yk_lu *lu, double *b, yoke_err *err)
{
    return lu->ops->solve(lu->self, b, err);
}

double yk_lu_rcond(yk_lu *lu)
{
    return lu->ops->rcond(lu->self);
}
