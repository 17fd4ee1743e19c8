/* la/dense.c -- dense matrices by LAPACK. */
#include "la/dense.h"

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
    YK_GO(yk_doubles(&re, (size_t)n, err));
    YK_GO(yk_doubles(&im, (size_t)n, err));
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
    yk_free(re);
    yk_free(im);
    yk_free(work);
    return status;
}

double yk_max_norm(int n, const double *a)
{
    double most = 0.0;

    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += fabs(a[i * n + j]);
        most = fmax(most, sum);
    }
    return most;
}
