/* part/jumps.h -- two waveforms with jumps compared. */
#ifndef YK_PART_JUMPS_H
#define YK_PART_JUMPS_H

#include "base/base.h"
#include "wave/wave.h"

typedef struct yk_part_jumps {
    int p;
    double *here, *sum; /* p each */
    yk_wave *a, *b;     /* pieces of both */
} yk_part_jumps;

yoke_status yk_part_jumps_create(yk_part_jumps *j, int p, yoke_err *err);
void yk_part_jumps_clear(yk_part_jumps *j);

/* distance[p]: largest difference of every component; where both have the same
 * jumps at nearly the same times, between them.  A jump is more than
 * atol + rtol |y|. */
yoke_status yk_part_distance(yk_part_jumps *j, const yk_wave *y,
                             const yk_wave *other, const double *atol,
                             double rtol, double *distance, yoke_err *err);

/* From where to where y and other differ by more than that, in pieces of
 * `other` and with one more on both sides; NAN: nowhere. */
void yk_part_odd(yk_part_jumps *j, const yk_wave *y, const yk_wave *other,
                 const double *atol, double rtol, double odd[2]);

#endif
