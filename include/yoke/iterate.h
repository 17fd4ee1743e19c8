/* yoke/iterate.h -- the iteration over a window: options, log, result.
 *
 *     extrapolate -> sweep -> (sweep ...) -> accept, or a shorter window
 *
 * Every sweep solves each subsystem again from the start of the window.  The
 * iteration ends when the estimated error of the coupling waveforms, over the
 * whole window, is below `fraction` of the tolerance  atol + rtol max|y|.
 */
#ifndef YOKE_ITERATE_H
#define YOKE_ITERATE_H

#include "yoke/status.h"

#include <stdbool.h>

YOKE_BEGIN_C

/* What is asked of a sweep before the window is accepted. */
typedef enum yoke_stop {
    YOKE_STOP_ERROR,  /* estimated error <= fraction * tolerance */
    YOKE_STOP_CHANGE, /* change since the last sweep <= tolerance */
    YOKE_STOP_COUNT   /* `max_sweeps` sweeps, no test at all */
} yoke_stop;

/* What happens when max_sweeps do not suffice. */
typedef enum yoke_limit {
    YOKE_LIMIT_FAIL,   /* the run ends with YOKE_NOT_CONVERGED */
    YOKE_LIMIT_SHORTEN /* the window is halved, down to min_window */
} yoke_limit;

/* What the next sweep takes instead of the waveforms the last one made. */
typedef enum yoke_accelerate {
    YOKE_ACCELERATE_AUTO,   /* if `stop` is by the error: newton, anderson, or
                               both, when they are worth their cost */
    YOKE_ACCELERATE_NONE,   /* the plain iteration */
    YOKE_ACCELERATE_NEWTON, /* corrected by the linearised sweep */
    YOKE_ACCELERATE_PRECONDITION, /* the same at each instant alone: the
                                     preconditioner (2.14) of Arnold, Guenther
                                   */
    YOKE_ACCELERATE_ANDERSON,     /* by differences of past sweeps */
    YOKE_ACCELERATE_AITKEN        /* relaxation with a factor found by itself */
} yoke_accelerate;

/* A(t) of the preconditioned iteration (2.12) of Arnold and Guenther (2001):
 *
 *     U = (I - A) u_new + A u_old
 *
 * is what the sweep makes of the coupling variables u_old; u_new takes their
 * place.  Writes the n by n matrix row by row, which is zero before: then it is
 * the plain iteration.  `name` are the variables, those that a sweep reads
 * before it makes new ones. */
typedef yoke_status (*yoke_preconditioner)(void *context, double t, int n,
                                           const char *const *name, double *A,
                                           yoke_err *err);

typedef struct yoke_iterate_options {
    double window;     /* length of a window; 0: chosen by work */
    double min_window; /* least length after halving, relative to `window`, or
                          to the whole run */
    double rtol, atol; /* tolerance of the coupling waveforms */
    int max_sweeps;    /* per window */
    yoke_stop stop;
    double fraction; /* of the tolerance, left to the iteration */
    bool at_end;     /* compare at the end of the window only */
    yoke_limit limit;
    double relax; /* y = (1 - relax) y_old + relax y_new */
    yoke_accelerate accelerate;
    yoke_preconditioner preconditioner; /* with accelerate = precondition; NULL:
                                           (2.14), by the linearised sweep */
    void *preconditioner_context;       /* borrowed */
    int extrapolate; /* order of the first guess, 0 ... 5; -1: the one that
                        would have been best for the last windows */
    bool loosen;     /* early sweeps are solved less accurately */
    bool skip;       /* a subsystem whose inputs are the same as in its last
                        sweep is not solved again */
    bool across;     /* windows go across breakpoints: where something switches
                        all the time beside something slow */
} yoke_iterate_options;

/* By how much the first guess of that order (-1: of the highest) may enlarge
 * errors of the window before, in the maximum norm, if both have the same
 * length: the Lipschitz constant of the extrapolation.  NAN: no such order. */
YOKE_API double yoke_extrapolation_bound(int order);

/* One row of the coupling log. */
typedef struct yoke_sweep {
    int window, sweep; /* from 1 */
    double t0, t1;
    double change;   /* largest change over all variables / its tolerance */
    double rate;     /* measured reduction per sweep; NAN: not known yet */
    double estimate; /* estimated error / tolerance; NAN: not known yet */
    int solved;      /* subsystems solved in this sweep */
    bool accepted;   /* the window ends with this sweep */
    int variables;
    const double *variable_change; /* absolute, of each coupling variable */
    const char *const *variable_name;
} yoke_sweep;

/* What the iteration did. */
typedef struct yoke_iterate_result {
    int windows, rejected; /* accepted; repeated with half the length */
    long sweeps, solves;   /* of accepted and rejected windows */
    long skipped;          /* solves saved because inputs did not change */
    double work; /* of all solves, counted: residuals times unknowns, or so */
    double path; /* the same of the longest of those that may run at once, one
                    stage after the other: the critical path */
    double rate; /* largest measured rate of the accepted windows */
    double estimate; /* largest estimated coupling error / tolerance */
    double residual; /* largest last change of what is read late / tolerance */
} yoke_iterate_result;

YOKE_END_C

#endif
