/* record/statistics.h -- least, most, mean and rms of every column, over the
 * whole solution. */
#ifndef YK_STATISTICS_H
#define YK_STATISTICS_H

#include "wave/wave.h"

/* Where a column is found in a window. */
typedef struct yk_curve {
    const yk_wave *wave;
    int component;
} yk_curve;

/* Of one column so far. */
typedef struct yk_statistics {
    double least, least_at, most, most_at;
    double area, square; /* integrals of x and of x^2 */
} yk_statistics;

/* One value, at t. */
void yk_statistics_value(yk_statistics *s, double t, double x);

/* The polynomials on [t0, t1]. */
void yk_statistics_window(yk_statistics *s, const yk_curve *curve, double t0,
                          double t1);

#endif
