/* iter/correct/acceleration.h -- one way to better coupling waveforms, and the
 * list of all.
 *
 * A sweep made F(w) of the late waveforms w.  On a grid of the window
 * (iter/correct/grid.h) an acceleration finds dw from r = F(w) - w, so that
 * w + dw takes the place of F(w).  A new one is a file here, one line in
 * YK_ACCELERATIONS and one in yoke_accelerate: option, help and manual follow.
 */
#ifndef YK_ACCELERATION_H
#define YK_ACCELERATION_H

#include "iter/correct/grid.h"

/* Name of the enumerator, name of the object and of the option, text. */
#define YK_ACCELERATIONS(X)                                                    \
    X(NEWTON, newton, "corrected by the linearised sweep")                     \
    X(PRECONDITION, precondition, "the same at each instant alone")            \
    X(ANDERSON, anderson, "by differences of past sweeps")                     \
    X(AITKEN, aitken, "relaxed by a factor from the last two sweeps")

/* For the table of options: all words, all texts. */
#define YK_ACCELERATION_WORD(E, name, text) " " #name
#define YK_ACCELERATION_TEXT(E, name, text) "; " #name ": " text
#define YK_ACCELERATE_WORDS                 "auto none" YK_ACCELERATIONS(YK_ACCELERATION_WORD)
#define YK_ACCELERATE_TEXT                                                     \
    "what the next sweep takes; auto: one sweep is corrected along the steps " \
    "of the parts where they permit it, else newton, anderson or both where "  \
    "they pay; none: what the last sweep made" YK_ACCELERATIONS(               \
        YK_ACCELERATION_TEXT)

/* Calls with one `self` never overlap.  `self` is NULL without `create`. */
typedef struct yk_acceleration {
    bool answers; /* needs the linearised answers of all units, and is made
                     again when they change */
    bool history; /* dw depends on r at earlier points of the grid */
    bool after;   /* works on dw of another one, or of the plain sweep, once it
                     is known how large that is */
    bool learns;  /* from its own corrections: the first ones may grow */
    bool always;  /* it is the user's: never given up */

    /* OPTIONAL.  Room for grids of this size. */
    yoke_status (*create)(void **self, const yk_grid *grid, yoke_err *err);

    /* OPTIONAL.  A new window; vectors of another meaning or length follow;
     * the window that ends at `time` was accepted, with matrices for `step`,
     * 0: none. */
    void (*begin)(void *self);
    void (*reset)(void *self);
    void (*accept)(void *self, double time, double step);

    /* OPTIONAL.  Matrices for steps of this length, from the last sweep; the
     * one of the end of the window to grid->m.  YOKE_RETRY: there is none. */
    yoke_status (*prepare)(void *self, yk_grid *grid, double step,
                           yoke_err *err);

    /* REQUIRED.  grid->dw from grid->r; `after`: better than it is. */
    yoke_status (*apply)(void *self, yk_grid *grid, yoke_err *err);

    void (*free)(void *self); /* REQUIRED with `create`. */
} yk_acceleration;

#define YK_ACCELERATION_DECLARE(E, name, text)                                 \
    extern const yk_acceleration yk_accelerate_##name;
YK_ACCELERATIONS(YK_ACCELERATION_DECLARE)

/* precondition, with a matrix of the user. */
extern const yk_acceleration yk_accelerate_given;

/* run: {preconditioner: "row column value; ..."} as a yoke_preconditioner;
 * `text` is the context.  Entries that are not named are zero. */
yoke_status yk_precondition(void *text, double t, int n,
                            const char *const *name, double *A, yoke_err *err);

#endif
