/* la/dense.h -- dense matrices: eigenvalues, norms, solving (LAPACK). */
#ifndef YK_DENSE_H
#define YK_DENSE_H

#include "base/base.h"

/* The largest modulus of the eigenvalues of a[n * n], which is overwritten. */
yoke_status yk_spectral_radius(int n, double *a, double *rho, yoke_err *err);

/* Eigenvalues re + i im and vectors of a[n * n], column by column, which is
 * overwritten.  A pair has its upper value first; its vectors are columns k
 * (real part) and k + 1 (imaginary part) of vector[n * n]. */
yoke_status yk_eigenvectors(int n, double *a, double *re, double *im,
                            double *vector, yoke_err *err);

/* Largest sum of moduli in a row, a row by row. */
double yk_max_norm(int n, const double *a);

/* a[n * n], row by row, is overwritten by its factors; pivot[n].  YOKE_RETRY:
 * it is singular, or nearly; *row, if not NULL, is where. */
yoke_status yk_dense_factor(int n, double *a, int *pivot, int *row,
                            yoke_err *err);

/* b := a^-1 b with the factors, for `count` right hand sides in a row. */
yoke_status yk_dense_solve(int n, const double *factor, const int *pivot,
                           int count, double *b, yoke_err *err);

/* Least squares: x[n] with the least |A x - b|, A of m rows and n columns,
 * column by column, overwritten.  Columns that depend on earlier ones to the
 * relative size `dependent` get x = 0; *rank, if not NULL: how many do not. */
yoke_status yk_least_squares(int m, int n, double *a, const double *b,
                             double dependent, double *x, int *rank,
                             yoke_err *err);

/* a = sum of sigma[k] u_k v_k' with sigma decreasing, a of m rows and n
 * columns, row by row.  sigma[min(m, n)]; u and v, which may both be NULL, hold
 * the vectors one after the other. */
yoke_status yk_singular_values(int m, int n, const double *a, double *sigma,
                               double *u, double *v, yoke_err *err);

#endif
