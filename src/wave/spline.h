/* wave/spline.h -- smooth waveforms through the knots of others. */
#ifndef YK_SPLINE_H
#define YK_SPLINE_H

#include "base/base.h"
#include "wave/wave.h"

/* Workspace, kept between calls; zero-initialise it. */
typedef struct yk_spline {
    size_t room;
    double *work;
} yk_spline;

void yk_spline_clear(yk_spline *spline);

/* dst = the cubic spline through the values of src at its knots, between the
 * times at[0] <= at[1] <= ... (count) and jumps of src, which it keeps.  dst
 * has the dim of src. */
yoke_status yk_spline_through(yk_spline *spline, yk_wave *dst,
                              const yk_wave *src, int count, const double *at,
                              yoke_err *err);

#endif
