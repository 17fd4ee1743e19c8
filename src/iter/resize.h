/* iter/resize.h -- how long the next window is. */
#ifndef YK_RESIZE_H
#define YK_RESIZE_H

#include <stdbool.h>

/* What windows of one length have cost. */
typedef struct yk_trial {
    double length;
    double time, work; /* sums over the windows of this trial */
} yk_trial;

typedef struct yk_resize {
    bool automatic;     /* search for the length with the least work per time */
    double start;       /* of the run: windows of fixed length lie on a grid */
    double length;      /* of the next window */
    double least, most; /* bounds */
    yk_trial trial[2];  /* the length in use, and one that may be better */
    int which;          /* of the two has the next window */
    double factor;      /* between the two */
    int lost;           /* directions in which nothing was gained */
    int rest, pause;    /* windows until the next trial; length of that pause */
} yk_resize;

/* window > 0: windows of that length, halved only when one fails; 0: chosen by
 * work.  `span` is the length of the run, `least` the least length relative to
 * the window, or to the span. */
void yk_resize_begin(yk_resize *r, double start, double span, double window,
                     double least);

/* The end of the window that begins at t, at most `end`, which is met exactly.
 */
double yk_resize_end(const yk_resize *r, double t, double end);

/* The window [t0, t1] was accepted after `work`, failed attempts included. */
void yk_resize_accept(yk_resize *r, double t0, double t1, double work);

/* The window [t0, t1] failed.  False: a shorter one is not permitted. */
bool yk_resize_reject(yk_resize *r, double t0, double t1);

#endif
