/* wave/jumps.h -- waveforms with jumps compared.
 *
 * An event that moves by d makes a difference as large as its jump J, in a time
 * as short as d: no two iterates would ever agree, since events are located to a
 * tolerance.  What others feel of it is its integral.  So waveforms that have the
 * same jumps, not far apart, are compared between them, and a jump that has moved
 * counts as the constant difference with the same integral over the window of
 * length H, J d / H (docs/methods/events.md).
 */
#ifndef YK_WAVE_JUMPS_H
#define YK_WAVE_JUMPS_H

#include "wave/wave.h"

/* By how much component c of w jumps at inner knot i; *size: the larger of its
 * values there. */
double yk_jump_at(const yk_wave *w, int i, int c, double *size);

/* What a jump of component c between values of this size must exceed to be one;
 * INFINITY: nobody reads it. */
typedef double yk_jump_least(void *context, int c, double size);

/* Borrows everything.  Waveforms and arrays of the dimension of those that are
 * compared are room to work in. */
typedef struct yk_jump_rule {
    yk_jump_least *least;
    void *context;
    yk_wave *a, *b;
    double *here, *sum;
} yk_jump_rule;

/* The largest difference of y and old for every component, as above.  *alike:
 * they have the same jumps, or no jumps, or too many to say.  *moved: by how much
 * time one of them has moved, at most; NULL: not asked. */
yoke_status yk_jumps_distance(const yk_jump_rule *rule, const yk_wave *y,
                              const yk_wave *old, double *distance, bool *alike,
                              double *moved, yoke_err *err);

#endif
