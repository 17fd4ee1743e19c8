/* la/arnoldi.h -- the largest eigenvalue of a matrix that is known by products
 * only. */
#ifndef YK_ARNOLDI_H
#define YK_ARNOLDI_H

#include "base/base.h"

/* out = A v, n values each. */
typedef void yk_product(void *context, const double *v, double *out);

/* *rho: modulus of the largest eigenvalue of A.  *rest, if not NULL: |A x - lambda x|
 * for the vector x of length one that was found with it, so that lambda belongs
 * to a matrix that differs from A by no more.  It ends when that is below tol *
 * rho, or when rho has changed by less in the last round. */
yoke_status yk_arnoldi_radius(int n, yk_product *product, void *context,
                              double tol, double *rho, double *rest,
                              yoke_err *err);

#endif
