/* la/dense.h -- eigenvalues and norms of dense matrices (LAPACK). */
#ifndef YK_DENSE_H
#define YK_DENSE_H

#include "base/base.h"

/* The largest modulus of the eigenvalues of a[n * n], which is overwritten. */
yoke_status yk_spectral_radius(int n, double *a, double *rho, yoke_err *err);

/* Largest sum of moduli in a row, a row by row. */
double yk_max_norm(int n, const double *a);

#endif
