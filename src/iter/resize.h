/* iter/resize.h -- how long the next window is. */
#ifndef YK_RESIZE_H
#define YK_RESIZE_H

#include <stdbool.h>

enum { YK_RECORDED_SWEEPS = 8 };

/* The time step a unit takes by itself, the work of one, and how many more a
 * sweep has because it starts again. */
typedef struct yk_iter_pace {
    double step, work, begin;
    double evaluations; /* of one step: its work without their price */
    bool crosses;       /* its steps may cross the ends of windows ... */
    double crossing;    /* ... which costs so much of a step per window */
    /* Windows of one sweep: evaluations of that sweep, and beyond it, which
     * corrected values asked for; the latter over the former in the last windows,
     * kept by yk_resize_settled. */
    double useful, in_vain, vain;
    double counted; /* up to the last of these */
} yk_iter_pace;

/* What happened in an accepted window. */
typedef struct yk_outcome {
    int sweeps;
    double left[YK_RECORDED_SWEEPS]; /* error after sweep 1, 2, ..., over what
                                        was allowed */
    double ratio;                    /* of one to the next; NAN: not known */
    int guess;                       /* order of the first guess */
    int units;
    const yk_iter_pace *pace;
} yk_outcome;

/* The same of a window that took one sweep. */
typedef struct yk_settled_window {
    double growth; /* of what is below its tolerance */
    bool even;     /* all units should take the same steps */
    bool rough;    /* those before were not all settled by one sweep */
    bool held;     /* by a constraint that stays apart */
    int units;
    yk_iter_pace *pace;
} yk_settled_window;

typedef struct yk_resize {
    bool automatic;     /* the length with the least work per time */
    double start;       /* of the run: windows of fixed length lie on a grid */
    double length;      /* of the next window */
    double least, most; /* bounds */
    bool found;         /* the length has once been too long */
    double ceiling;     /* a window of this length failed; 0: none */
    int wait, pause;    /* windows until it is tried again; the next time */
    bool after_break;   /* the next window begins at a breakpoint */
    double grain;       /* see yk_resize_grain; 0: none */
} yk_resize;

/* window > 0: windows of that length, halved only when one fails; 0: chosen by
 * work.  `span` is the length of the run, `least` the least length relative to
 * the window, or to the span, `step` the shortest first step of a unit; 0: not
 * known. */
void yk_resize_begin(yk_resize *r, double start, double span, double window,
                     double least, double step);

/* Windows that are chosen by work end at multiples of this length from `start`
 * on, unless they failed, or a breakpoint is before it; 0: anywhere. */
void yk_resize_grain(yk_resize *r, double grain);

/* The end of the window that begins at t, at most `end`, which is met exactly;
 * so is `stop`, the next breakpoint (INFINITY: none). */
double yk_resize_end(const yk_resize *r, double t, double end, double stop);

/* The window [t0, t1] was accepted. */
void yk_resize_accept(yk_resize *r, double t0, double t1,
                      const yk_outcome *outcome);

void yk_resize_settled(yk_resize *r, double t0, double t1,
                       const yk_settled_window *window);

/* The next window is at most this long. */
void yk_resize_limit(yk_resize *r, double length);

/* The next window is this long, unless such a one has just failed. */
void yk_resize_want(yk_resize *r, double length);

/* Does the next window begin at a breakpoint?  Then the length is found again.
 */
void yk_resize_break(yk_resize *r, bool at_break);

/* The window [t0, t1] failed.  False: a shorter one is not permitted. */
bool yk_resize_reject(yk_resize *r, double t0, double t1);

#endif
