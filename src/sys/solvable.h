/* sys/solvable.h -- is C/h + G regular, and what is the index of (C, G)? */
#ifndef YK_SOLVABLE_H
#define YK_SOLVABLE_H

#include "yoke/check.h"

/* The index of the pencil s C + G at (t, x, u): 0 if C is regular, 1, 2, ...;
 * -1 if the pencil is singular. */
yoke_status yk_index(yoke_system *system, double t, const double *x,
                     const double *u, int *index, yoke_err *err);

#endif
