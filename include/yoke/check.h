/* yoke/check.h -- is a subsystem what it claims to be?  Is it solvable? */
#ifndef YOKE_CHECK_H
#define YOKE_CHECK_H

#include "yoke/system.h"

YOKE_BEGIN_C

/* Conformance of a user's subsystem around (t, x, u), at a few seeded random
 * points near it: Jacobians and patterns against differences, purity (same
 * arguments, same result), save and restore, indicators and what events do to
 * the unknowns and the memory, YOKE_AFFINE and YOKE_LINEAR as claimed, rhs
 * against eval.  x = NULL: the initial values; u = NULL: zero.  The first
 * violation is YOKE_E_MODEL with the entry, both values and their difference.
 */
YOKE_API yoke_status yoke_conform(yoke_system *system, double t,
                                  const double *x, const double *u,
                                  yoke_err *err);

/* What is known of C/h + G at (t, x, u) for h -> 0. */
typedef struct yoke_solvability {
    bool solvable;
    int structural_rank;      /* of the pattern of C and G together */
    int differential;         /* unknowns that occur under d/dt */
    int algebraic;            /* the others */
    int index;                /* 0 ODE, 1, 2, ...; -1 if not solvable */
    char text[YOKE_ERR_SIZE]; /* if not solvable: names the equation and
                                 variable that are missing */
} yoke_solvability;

YOKE_API yoke_status yoke_solvable(yoke_system *system, double t,
                                   const double *x, const double *u,
                                   yoke_solvability *out, yoke_err *err);

YOKE_END_C

#endif
