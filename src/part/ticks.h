/* part/ticks.h -- instants at which outputs of a closed part jump, found by
 * trials.
 *
 * A *mark* is an interval [lo, hi] in which the part acts: a sweep passes it in
 * steps of its own, with the inputs of hi and a break of the waveform at lo.
 */
#ifndef YK_PART_TICKS_H
#define YK_PART_TICKS_H

#include "base/base.h"
#include "wave/wave.h"

/* A sweep from the accepted point to t1 that is not taken.  mark: lo, hi, lo,
 * hi, ..., borrowed. */
typedef yoke_status yk_part_trial(void *context, double t1, int steps,
                                  const yk_wave *u, int marks, double *mark,
                                  yk_wave *y, yoke_err *err);

typedef struct yk_part_ticks {
    double at, period; /* one instant, time to the next; 0: none are known */
    double width;      /* how far an instant may be off */
    int sought;        /* without success, how often */
    int marks;         /* of the window */
    double *mark;
    size_t room;
    double *value, *other; /* p, m at least */
    yk_wave *u, *y;        /* of trials */
    const double *atol;    /* p, borrowed; with rtol: what is a jump */
    double rtol;
    yk_part_trial *trial;
    void *context;
} yk_part_ticks;

/* The fields behind y are the caller's. */
yoke_status yk_part_ticks_create(yk_part_ticks *k, int m, int p, yoke_err *err);
void yk_part_ticks_clear(yk_part_ticks *k);

/* Does the part act at equidistant instants?  u: the inputs of the window, from
 * the accepted point on; no trial goes beyond `last`. */
yoke_status yk_part_ticks_seek(yk_part_ticks *k, const yk_wave *u, double last,
                               bool *found, yoke_err *err);

/* The first jump of the outputs in [range[0], range[1]], in trials of the
 * window of u with so many steps: one more mark. */
yoke_status yk_part_ticks_locate(yk_part_ticks *k, const yk_wave *u, int steps,
                                 const double range[2], bool *found,
                                 yoke_err *err);

/* The marks of a window become those of the instants in it, and of one at its
 * end, which the part passes too, unless `last` is the end of the run. */
yoke_status yk_part_ticks_mark(yk_part_ticks *k, double t0, double t1,
                               double last, yoke_err *err);

#endif
