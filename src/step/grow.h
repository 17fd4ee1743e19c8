/* step/grow.h -- unknowns that grow by themselves from below their tolerance.
 *
 * An error of atol is nothing to an unknown of 1e-12, and everything if that
 * grows to 1: the exact solution is then known to a relative accuracy only.
 * Worse, implicit methods damp a growing mode in steps that are long against
 * it, and the error test passes because both values are below the tolerance.
 *
 * So where an unknown is below its atol, or shrinks where its own equation
 * makes it grow, growing modes are looked for (sys/unstable.h).  If there is
 * one, the unknowns that take part in it get an atol in proportion to their
 * present size, and the step is repeated.  They have their own again when they
 * have grown so much that rtol rules.
 */
#ifndef YK_GROW_H
#define YK_GROW_H

#include "step/method.h"

struct yk_driver;

typedef struct yk_growing {
    int *row;     /* n: the only row of this column of C, which has no other
                     entries; -1: none */
    int *c_at;    /* n: place of that entry in C */
    int *owner;   /* n: the column of such a row; -1: none */
    int *fill;    /* n: entries of G in a row */
    double *atol; /* n: as given */
    double *kept; /* n: at the accepted point */
    double *mode; /* n */
    bool *small;  /* n: below atol at the start, and not 0 */
    bool begun;   /* that is known */
    bool lowered, kept_lowered; /* some are lower than given */
    int skip, kept_skip;        /* suspicions that are not followed */
    int misses, kept_misses;    /* those that had no reason */
} yk_growing;

yoke_status yk_growing_create(yk_growing *g, const yk_problem *p,
                              yoke_err *err);
void yk_growing_free(yk_growing *g);
void yk_growing_keep(struct yk_driver *d);
void yk_growing_back(struct yk_driver *d);

/* After a step of length h that seems accurate.  *shorter: 0, or the length
 * with which it is to be repeated. */
yoke_status yk_growing_check(struct yk_driver *d, double h, double *shorter,
                             yoke_err *err);

#endif
