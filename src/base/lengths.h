/* base/lengths.h -- times and lengths that are one but for rounding. */
#ifndef YK_BASE_LENGTHS_H
#define YK_BASE_LENGTHS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* What a time that was reached by several sums and products may be off by: 16
 * units in its last place, or in that of a larger number among them. */
static inline double yk_rounding(double t)
{
    return 16.0 * DBL_EPSILON * fabs(t);
}

static inline double yk_rounding_beside(double t, double other)
{
    return yk_rounding(fmax(fabs(t), fabs(other)));
}

/* Lengths are differences: of times that are 300,000 times as large they differ
 * by so much.  What was made for steps of one length serves those of the other.
 */
static inline bool yk_same_length(double a, double b)
{
    return fabs(a - b) <= 1e-9 * a;
}

/* How many steps there are in a ratio of lengths, at least or at most.  A rest
 * of a millionth is none: it is rounding, or the user wrote six digits. */
static inline double yk_whole_steps(double ratio)
{
    return ceil(ratio - 1e-6);
}

static inline double yk_steps_inside(double ratio)
{
    return floor(ratio + 1e-6);
}

#endif
