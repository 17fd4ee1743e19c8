/* la/lu.h -- solves A x = b for square A, real or complex, sparse or small
 * dense.
 *
 * The pattern is analysed once; factor as often as the values change.  Up to
 * YK_LU_DENSE unknowns a dense LU with partial pivoting is used, also up to
 * YK_LU_FULL if more than half of the places are there; otherwise KLU.
 */
#ifndef YK_LU_H
#define YK_LU_H

#include "base/base.h"
#include "yoke/sparse.h"

enum { YK_LU_DENSE = 24, YK_LU_FULL = 5000 };

typedef struct yk_lu yk_lu;

/* Borrows `pattern`, square.  complex: values and vectors are pairs (re, im).
 */
yoke_status yk_lu_create(yk_lu **out, const yoke_pattern *pattern,
                         bool is_complex, yoke_err *err);
void yk_lu_free(yk_lu *lu); /* accepts NULL */

/* YOKE_RETRY if the matrix is singular to working precision; then *column, if
 * not NULL, is the column where it was found. */
yoke_status yk_lu_factor(yk_lu *lu, const double *value, int *column,
                         yoke_err *err);

/* b := A^-1 b. */
yoke_status yk_lu_solve(yk_lu *lu, double *b, yoke_err *err);

/* A cheap estimate of 1 / condition number of the last factored matrix. */
double yk_lu_rcond(yk_lu *lu);

#endif
