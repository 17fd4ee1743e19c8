/* la/dense.c -- dense matrices by LAPACK. */
#include "la/dense.h"

#include "la/blas.h"

#include <lapacke.h>
#include <math.h>

yoke_status yk_spectral_radius(int n, double *a, double *rho, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *re = NULL, *im = NULL, *work = NULL, room = 0.0;
    int info;

    *rho = 0.0;
    if (n == 0) return YOKE_OK;
    if (!yk_all_finite(a, n * n, NULL))
        return yk_fail(err, YOKE_E_NUMERIC,
                       "eigenvalues of a matrix that is not finite");
    YK_GO(YK_DOUBLES((size_t)n, err, &re, &im));
    yk_blas_one_thread();
    info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, a, n, re, im, NULL,
                              1, NULL, 1, &room, -1);
    YK_GO(yk_doubles(&work, (size_t)room + 1, err));
    if (info == 0)
        info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, a, n, re, im,
                                  NULL, 1, NULL, 1, work, (int)room);
    if (info != 0)
        YK_GO(yk_fail(err, YOKE_E_NUMERIC,
                      "LAPACK dgeev: info = %d for a matrix of order %d", info,
                      n));
    for (int i = 0; i < n; i++) *rho = fmax(*rho, hypot(re[i], im[i]));
done:
    YK_FREE(re, im, work);
    return status;
}

yoke_status yk_eigenvectors(int n, double *a, double *re, double *im,
                            double *vector, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *work = NULL;

    if (n == 0) return YOKE_OK;
    if (!yk_all_finite(a, n * n, NULL))
        return yk_fail(err, YOKE_E_NUMERIC,
                       "eigenvalues of a matrix that is not finite");
    yk_blas_one_thread();
    YK_GO(yk_doubles(&work, 8 * (size_t)n, err));
    const int info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', n, a, n, re,
                                        im, NULL, 1, vector, n, work, 8 * n);
    if (info != 0)
        YK_GO(yk_fail(err, YOKE_E_NUMERIC,
                      "LAPACK dgeev: info = %d for a matrix of order %d", info,
                      n));
done:
    yk_free(work);
    return status;
}

/* Rows are stored one after the other, LAPACK wants columns: the factors are
 * those of the transposed matrix. */
yoke_status yk_dense_factor(int n, double *a, int *pivot, int *row,
                            yoke_err *err)
{
    if (row) *row = -1;
    if (n == 0) return YOKE_OK;
    const double size = yk_max_norm(n, a);
    yk_blas_one_thread();
    const int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivot);
    if (info < 0)
        return yk_fail(err, YOKE_E_NUMERIC, "LAPACK dgetrf: info = %d", info);
    for (int i = 0; i < n; i++) {
        if (fabs(a[i * n + i]) > 1e-14 * size) continue;
        if (row) *row = i;
        return yk_fail(err, YOKE_RETRY, "the matrix is singular at row %d", i);
    }
    return YOKE_OK;
}

yoke_status yk_dense_solve(int n, const double *factor, const int *pivot,
                           int count, double *b, yoke_err *err)
{
    if (n == 0 || count == 0) return YOKE_OK;
    const int info = LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, count,
                                         factor, n, pivot, b, n);
    if (info == 0) return YOKE_OK;
    return yk_fail(err, YOKE_E_NUMERIC, "LAPACK dgetrs: info = %d", info);
}

/* Row by row, a is its transpose for LAPACK: its left vectors are our v. */
yoke_status yk_singular_values(int m, int n, const double *a, double *sigma,
                               double *u, double *v, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int least = m < n ? m : n;
    const char job = u ? 'S' : 'N';
    double *copy = NULL, *right = NULL, *work = NULL, room = 0.0;

    if (least == 0) return YOKE_OK;
    YK_GO(yk_copy_doubles(&copy, a, (size_t)m * (size_t)n, err));
    YK_GO(yk_doubles(&right, u ? (size_t)least * (size_t)m : 1, err));
    yk_blas_one_thread();
    int info =
        LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, job, job, n, m, copy, n, sigma,
                            u ? v : right, n, right, u ? least : 1, &room, -1);
    YK_GO(yk_doubles(&work, (size_t)room + 1, err));
    if (info == 0)
        info = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, job, job, n, m, copy, n,
                                   sigma, u ? v : right, n, right,
                                   u ? least : 1, work, (int)room);
    if (info != 0)
        YK_GO(yk_fail(err, YOKE_E_NUMERIC,
                      "LAPACK dgesvd: info = %d for a matrix of %d by %d", info,
                      m, n));
    for (int k = 0; u && k < least; k++)
        for (int i = 0; i < m; i++) u[k * m + i] = right[i * least + k];
done:
    YK_FREE(copy, right, work);
    return status;
}
