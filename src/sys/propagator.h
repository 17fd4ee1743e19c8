/* sys/propagator.h -- solves one subsystem over one window.
 *
 *     x(t0), u on [t0, t1]   ->   x(t1), y on [t0, t1]
 *
 * The iteration knows nothing else about a subsystem.  A stepper makes a
 * propagator from a yoke_system; a co-simulation FMU is one already.
 */
#ifndef YK_PROPAGATOR_H
#define YK_PROPAGATOR_H

#include "wave/wave.h"
#include "yoke/work.h"

/* The answer of the outputs to small changes of the inputs, linearised, on a
 * grid of equal steps h, with nothing changed before its start: what the
 * iteration needs to correct the coupling waveforms between two sweeps. */
typedef struct yk_answer_ops {
    /* At time t of the last sweep, with u[m] its inputs there; u NULL: at its
     * end.  Writes z[p * m], row by row: what a change of the inputs at a point
     * of the grid does to the outputs there.  YOKE_RETRY: not possible for this
     * h. */
    yoke_status (*linearise)(void *self, double t, const double *u, double h,
                             double *z, yoke_err *err);

    /* The march over the grid: begin it; dy[p] at the next point if the inputs
     * there do not change; take du[m] at that point and go on. */
    void (*begin)(void *self);
    yoke_status (*history)(void *self, double *dy, yoke_err *err);
    void (*follow)(void *self, const double *du);
} yk_answer_ops;

/* What the correction of a sweep has done, in tolerances. */
typedef struct yk_tape_result {
    double size;    /* largest change of an unknown at a stage */
    double left;    /* what it leaves, by the contraction of Newton's method */
    double error;   /* the largest error of a step, at the corrected values */
    double between; /* change of an input between the stages of a step, less
                       what the stages tell of it, in its tolerances */
    double begun;   /* and at the beginning of the first step, which is not
                       corrected: nothing changes before */
    int steps;      /* of the sweep */
    double first;   /* length of the first one */
    bool measured;  /* `left` is not estimated: ask for it */
} yk_tape_result;

/* How much of the steps of a sweep is made anew for a correction: derivatives at the
 * end of each step; by these, what the last answer has left in the equations of the
 * stages; or these equations themselves.  After it: the search for events in the
 * steps as they are now; YOKE_RETRY: there are some, or nobody knows. */
typedef enum yk_renewal {
    YK_RENEW_SLOPES,
    YK_RENEW_MATRICES,
    YK_RENEW_EQUATIONS,
    YK_RENEW_EVENTS
} yk_renewal;

/* The steps of the last sweep, kept: they can be corrected when its inputs turn
 * out to be others by a little, linearised along these steps, with the matrices
 * that they were solved with, and without an evaluation. */
typedef struct yk_tape_ops {
    /* Sweeps from now on are kept, or no longer. */
    void (*keep)(void *self, bool on);

    /* Sweeps are kept, as far as can be known before.  OPTIONAL. */
    bool (*able)(void *self);

    /* The next sweep has inputs that are only guessed: its steps may have errors
     * up to `most` times the tolerance, which `apply` tells at the end. */
    void (*lenient)(void *self, double most);

    /* The last sweep can be corrected: nothing happened in it. */
    bool (*ready)(void *self);

    /* The corrections are exact. */
    bool (*affine)(void *self);

    /* The steps are the same for all inputs. */
    bool (*fixed)(void *self);

    /* Outputs follow the inputs at once. */
    bool (*passes)(void *self);

    /* Its outputs follow from the unknowns of the units that it reads, by their
     * `change`: when one of these is solved again it is, too.  OPTIONAL. */
    bool (*follows)(void *self);

    /* Corrections beyond a tolerance may make an event or undo one. */
    bool (*watchful)(void *self);

    /* dy: what a change du of the inputs does to the outputs.  whole: and what
     * the equations of the steps leave. */
    yoke_status (*answer)(void *self, const yk_wave *du, bool whole,
                          yk_wave *dy, yoke_err *err);

    /* Nothing changes: the answer is zero.  OPTIONAL. */
    void (*rest)(void *self);

    /* dx[n] and du[m] of the last answer at time t; false: nothing changes.
     * OPTIONAL. */
    bool (*change)(void *self, double t, double *dx, double *du);

    /* Applies the last answer, which was a whole one: u are the inputs that the
     * steps now have, y their outputs. */
    yoke_status (*apply)(void *self, const yk_wave *u, yk_wave *y,
                         yk_tape_result *result, yoke_err *err);

    /* What the last answer that was applied has left, measured, in tolerances; u are
     * the inputs since then.  Only of those whose results say `measured`. */
    yoke_status (*left)(void *self, const yk_wave *u, double *left,
                        yoke_err *err);

    /* Makes anew what `what` says, with the inputs u. */
    yoke_status (*renew)(void *self, const yk_wave *u, yk_renewal what,
                         yoke_err *err);
} yk_tape_ops;

/* Steps that cross the end of a window (docs/methods/front.md): sweeps end where
 * they are asked to, but inside the next windows may be solved already. */
typedef struct yk_front_ops {
    /* Steps of the sweeps of the next window may end behind it, up to `limit`,
     * before which nothing happens to anybody; not after its beginning: none
     * may, and what is solved beyond is given up. */
    yoke_status (*permit)(void *self, double limit, yoke_err *err);

    /* Up to where it is solved: no window may end behind it; INFINITY: not
     * beyond the accepted point. */
    double (*head)(void *self);

    /* What a window that its step crosses costs, over the cost of a step;
     * INFINITY: it does not cross windows at present. */
    double (*price)(void *self);
} yk_front_ops;

/* Events that read inputs which events of others change: between two sweeps
 * nothing contracts, and the last one must have seen the last inputs. */
typedef enum yk_reading {
    YOKE_READ_NOTHING,
    YOKE_READ_INPUTS,
    YOKE_READ_UNSURE /* so near to a jump of the input that a change of it too
                        small to matter otherwise may turn round their order */
} yk_reading;

/* A run goes on with other clusters of the same subsystems, or looks once more
 * at what it has done. */
typedef struct yk_handover_ops {
    /* Writes the unknowns of the last accepted point, as many as the system
     * has.  The memory of the system is that of this point afterwards. */
    void (*give)(void *self, double *x);

    /* OPTIONAL.  Nothing waits at the accepted point for the next sweep: no event,
     * no breakpoint.  Without it systems with events are never quiet. */
    bool (*quiet)(void *self);

    /* As `start` at values from the middle of a run: the memory of the system
     * is left as it is.  With events at a quiet point only: those whose indicators
     * are not below zero have happened. */
    yoke_status (*take)(void *self, double t0, const double *x0,
                        const double *u0, double *y0, yoke_err *err);

    /* OPTIONAL.  The same for a look at what has been done, anywhere in a window where
     * nothing happens. */
    yoke_status (*join)(void *self, double t0, const double *x0,
                        const double *u0, double *y0, yoke_err *err);

    /* OPTIONAL.  Is the unknown the multiplier or the acceleration of a system of
     * index 2 or more, as the last start found?  Its error is not tested.
     * Without it none is. */
    bool (*deep)(void *self, int unknown);
} yk_handover_ops;

/* An instant of the last sweep, and the interval around it in which nothing
 * happens: values at its ends are those from inside. */
typedef struct yk_instant_of {
    double t, from, to;
    double scale; /* times in which something changes are not shorter */
    bool careful; /* look whether time itself plays a part (sys/motion.h) */
    bool anew;    /* evaluate, whatever is known from the steps */
} yk_instant_of;

/* What a subsystem that can be opened tells about its motion, for constraints
 * between subsystems that stay apart (docs/methods/constraints.md).  Inputs are
 * those that the last sweep read; `input` lists the `count` of them that are
 * multipliers. */
typedef struct yk_motion_ops {
    /* Derivatives of this output will be asked for. */
    yoke_status (*want)(void *self, int output, yoke_err *err);

    /* At an instant of the last sweep: the outputs and their derivatives up to
     * `level`, y[(level + 1) * p], and what the inputs do to them at once,
     * a[(level + 1) * p * count]; either may be NULL. */
    yoke_status (*tell)(void *self, const yk_instant_of *at, int level,
                        int count, const int *input, double *y, double *a,
                        yoke_err *err);

    /* Moves the end of the last sweep by what an impulse of strength mu[count]
     * of these inputs does (level 1), or the derivative of one (level 2).
     * Before `accept`. */
    yoke_status (*kick)(void *self, int level, int count, const int *input,
                        const double *mu, yoke_err *err);

    /* What an error of unknown i as large as its tolerance does to the outputs
     * and their derivatives at the end of the last sweep: y[(level + 1) * p].
     * For i = 0, 1, ... below `unknowns`, in this order. */
    yoke_status (*shake)(void *self, int level, int i, double *y,
                         yoke_err *err);
    int (*unknowns)(void *self);

    /* At the instant of the last `tell`: derivatives of the outputs and their
     * rates by unknown i, for i = 0, 1, ... in this order. */
    yoke_status (*slope)(void *self, int level, int i, double *y,
                         yoke_err *err);

    /* The steps of the last sweep at whose stages the equations are known: how
     * many, and where step k ends; 0: none. */
    int (*steps)(void *self);
    double (*step_end)(void *self, int k);

    /* Where the stages of such a step are: 0 its beginning, 1 its end. */
    int (*stages)(void *self, const double **place);

    /* Everything that it tells is linear in its unknowns. */
    bool (*affine)(void *self);

    /* Sweeps from now on, until the next start, have errors of each unknown
     * below factor[i] <= 1 times its tolerance. */
    void (*tighten)(void *self, const double *factor);
} yk_motion_ops;

/* Calls on one `self` never overlap; calls on different ones may. */
typedef struct yk_propagator_ops {
    const char *kind; /* appears in reports */

    /* REQUIRED.  Go to (t0, x0) with the inputs u0 and write the outputs y0
     * there.  x0 = NULL: the subsystem's own initial values, made consistent.
     * Clears all history. */
    yoke_status (*start)(void *self, double t0, const double *x0,
                         const double *u0, double *y0, yoke_err *err);

    /* REQUIRED.  Solve from the last accepted point to t1.  May be called any
     * number of times; each call starts from that same point.  Borrows u,
     * overwrites y.  YOKE_RETRY: no solution on this window, try a shorter one.
     */
    yoke_status (*sweep)(void *self, double t1, const yk_wave *u, yk_wave *y,
                         yoke_err *err);

    /* REQUIRED.  Start from the end of the last sweep from now on. */
    yoke_status (*accept)(void *self, yoke_err *err);

    /* OPTIONAL.  A sweep over the window was given up, perhaps before this unit
     * was solved: the next one is made as if none had been since the last
     * accepted point.  Without it a unit has no memory of sweeps. */
    yoke_status (*forget)(void *self, yoke_err *err);

    /* OPTIONAL.  After `accept`: the inputs u[m] at the accepted point as the
     * accepted waveforms have them.  The last sweep may have read others that
     * were as good for its unknowns, but events at that point read these. */
    void (*arrive)(void *self, const double *u);

    /* OPTIONAL.  The watched unknowns over the last sweep; borrowed. */
    const yk_wave *(*watched)(void *self);

    /* OPTIONAL.  Times of the last sweep, its start included, its end not, at
     * which the solution is not smooth: breakpoints, events and jumps of the
     * inputs; not decreasing.  Writes where they are, borrowed until the next
     * sweep, and returns how many. */
    int (*instants)(void *self, const double **t);

    /* OPTIONAL.  First breakpoint after t, or INFINITY. */
    double (*next_break)(void *self, double t);

    /* OPTIONAL.  Largest change of the unknowns at the end of the window
     * between its last two sweeps, relative to their tolerances; NAN after a
     * single sweep.  Tells how strongly the inputs act inside; without it a
     * change of the inputs counts once. */
    double (*moved)(void *self);

    /* OPTIONAL.  What events of the last sweep read of the inputs. */
    yk_reading (*reading)(void *self);

    const yk_answer_ops *answer; /* OPTIONAL. */
    const yk_tape_ops *tape;     /* OPTIONAL. */
    const yk_motion_ops *motion; /* OPTIONAL. */
    const yk_front_ops *front;   /* OPTIONAL. */

    /* OPTIONAL.  Was the last sweep made to learn something?  Its outputs are
     * then not corrected, and no window ends with it. */
    bool (*trial)(void *self);

    /* OPTIONAL.  The length of the next window with which it makes the most of
     * its sweeps: a longer one is asked for more than it can tell, a shorter one
     * has larger errors. */
    double (*reach)(void *self);

    /* OPTIONAL.  The last sweep is about to be accepted, by all: a constraint
     * moves the ends of the subsystems that it holds together. */
    yoke_status (*settle)(void *self, yoke_err *err);

    /* OPTIONAL.  The next sweep may be less accurate: errors up to `factor` >=
     * 1 times the tolerance.  Without it every sweep is as accurate as any. */
    void (*loosen)(void *self, double factor);

    /* OPTIONAL.  Sweeps from now on end with YOKE_RETRY when they have tried
     * `steps` steps: inputs that have not converged may ask for any number.
     * LONG_MAX, as at first: no limit; nor have steps of a fixed length. */
    void (*limit)(void *self, long steps);

    /* OPTIONAL.  The time step it takes by itself at present, if the window
     * lets it; 0: not known. */
    double (*step)(void *self);

    /* OPTIONAL.  Does every sweep begin with low order and short steps, however
     * smooth the window before was?  Without it none does. */
    bool (*anew)(void *self);

    /* OPTIONAL.  Does an event happen at the accepted point, if this is the end
     * of the run?  Breakpoints of systems without events are not asked for
     * here.  Without it none does. */
    bool (*due)(void *self);

    /* OPTIONAL.  The accepted point is the end of the run: sweeps from now on,
     * until the next start, do what happens there, terminal events after all
     * others, and hold the values that it leaves. */
    void (*finish)(void *self);

    const yk_handover_ops *handover; /* OPTIONAL. */

    /* OPTIONAL.  The run was taken up by another process (yoke/checkpoint.h), at
     * an accepted point: what it has in other processes is made again.  fresh:
     * the `self` of a propagator of the same system, which lends what it
     * needs. */
    yoke_status (*again)(void *self, void *fresh, yoke_err *err);

    void (*work)(void *self, yoke_work *work); /* REQUIRED. */
    void (*free)(void *self);                  /* REQUIRED.  Accepts NULL. */
} yk_propagator_ops;

/* Inputs, outputs and watched unknowns: the dimensions of u, y, watched(). */
typedef struct yk_propagator {
    const yk_propagator_ops *ops;
    void *self;
    int m, p, watches;
    bool away; /* it is in another process: calls wait for that */
} yk_propagator;

static inline bool yk_propagator_is_deep(const yk_propagator *p, int unknown)
{
    const yk_handover_ops *h = p->ops->handover;

    return h && h->deep && h->deep(p->self, unknown);
}

#endif
