/* base/finite.h -- are a few numbers finite?  Without a call where they are. */
#ifndef YK_FINITE_H
#define YK_FINITE_H

#include "base/base.h"

/* yk_all_finite; of few numbers, as most vectors of small parts are, at once. */
static inline bool yk_few_finite(const double *v, int n, int *at)
{
    double sum = 0.0; /* 0 unless Inf or NaN */

    if (n >= 8) return yk_all_finite(v, n, at);
    for (int k = 0; k < n; k++) sum += v[k] * 0.0;
    return sum == 0.0 || yk_all_finite(v, n, at);
}

#endif
