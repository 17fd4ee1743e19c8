/* la/newton.h -- damped Newton's method for F(x) = 0, wherever it may begin far
 * from the solution: operating points, static states, initial values.
 *
 *     dx = -J(x)^-1 F(x),   x := x + lambda dx,   lambda = 1, 1/2, 1/4, ...
 *
 * A problem finds increments, measures them and moves x; the method decides how
 * far, when it is done and when it gives up.  Nothing is allocated here.
 * docs/methods/newton.md.
 */
#ifndef YK_LA_NEWTON_H
#define YK_LA_NEWTON_H

#include "base/base.h"

/* Why the iteration ended. */
typedef enum yk_newton_end {
    YK_NEWTON_DONE,
    YK_NEWTON_SLOW,      /* `most` iterations were not enough */
    YK_NEWTON_UNDEFINED, /* an increment is not finite */
    YK_NEWTON_STUCK,     /* no length of an increment is good */
    YK_NEWTON_FAILED     /* the problem failed: its status and message */
} yk_newton_end;

typedef struct yk_newton_run yk_newton_run;

struct yk_newton_run {
    void *self;

    /* REQUIRED.  Finds the increment at x; sets `size`, in any unit, and `done`
     * if x is the solution after this increment.  Without `move` it moves x
     * too, with limits of its own. */
    yoke_status (*increment)(void *self, yk_newton_run *run, yoke_err *err);

    /* x becomes lambda times the increment farther than it was when that was
     * found.  *good, true before: false asks for a shorter one, as does
     * YOKE_RETRY.  good NULL: it is the last increment, and nobody asks. */
    yoke_status (*move)(void *self, double lambda, bool *good, yoke_err *err);

    int most;         /* iterations */
    int lengths;      /* of an increment to try, at least 1 */
    bool strict;      /* no good length: stuck; otherwise the shortest is taken
                         and the iteration goes on */
    double tolerance; /* on the size of the last increment; 0: see `done` */

    /* Results. */
    int iterations;      /* increments found */
    double size, before; /* of the last increment, of the one before it */
    bool done;
    yk_newton_end end;
};

/* YOKE_RETRY if it does not converge; the message is the caller's to better. */
yoke_status yk_newton_iterate(yk_newton_run *run, yoke_err *err);

#endif
