/* base/tolerance.h -- what counts as small: the one definition.
 *
 *     atol + rtol |x|            what may be wrong with a value x
 *     max_i |v_i| / weight_i     the size of v in units of what may be wrong
 */
#ifndef YK_TOLERANCE_H
#define YK_TOLERANCE_H

#include <math.h>

static inline double yk_tolerance(double atol, double rtol, double x)
{
    return atol + rtol * fabs(x);
}

/* NaN if one of them is.  *at, if not NULL: where; untouched if all are 0. */
static inline double yk_weighted_max(int n, const double *v,
                                     const double *weight, int *at)
{
    double most = 0.0;

    for (int i = 0; i < n; i++) {
        const double size = fabs(v[i]) / weight[i];
        if (size <= most) continue;
        most = size;
        if (at) *at = i;
        if (isnan(size)) break;
    }
    return most;
}

#endif
