/* la/cholesky.h -- solves A x = b for sparse, symmetric, positive definite A.
 *
 * The pattern is analysed once (AMD, or METIS where that gives less fill);
 * factor as often as the values change.
 */
#ifndef YK_CHOLESKY_H
#define YK_CHOLESKY_H

#include "base/base.h"
#include "yoke/sparse.h"

typedef struct yk_cholesky yk_cholesky;

/* Borrows `lower`, square: the places on and below the diagonal. */
yoke_status yk_cholesky_create(yk_cholesky **out, const yoke_pattern *lower,
                               yoke_err *err);
void yk_cholesky_free(yk_cholesky *cholesky); /* accepts NULL */

/* YOKE_RETRY if the matrix is not positive definite; then *column, if not NULL,
 * is where that was found. */
yoke_status yk_cholesky_factor(yk_cholesky *cholesky, const double *value,
                               int *column, yoke_err *err);

/* x := A^-1 b for `count` columns, one after the other; x may be b. */
yoke_status yk_cholesky_solve(yk_cholesky *cholesky, int count, const double *b,
                              double *x, yoke_err *err);

/* Entries of the factor. */
double yk_cholesky_fill(const yk_cholesky *cholesky);

#endif
