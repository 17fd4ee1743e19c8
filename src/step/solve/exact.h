/* step/solve/exact.h -- consistent values of a system, to rounding. */
#ifndef YK_EXACT_H
#define YK_EXACT_H

#include "yoke/system.h"

/* As yk_initial_values, whose limit for changes that are none is that of
 * rtol = 1e-6, for the least that rounding permits. */
yoke_status yk_initial_exact(yoke_system *system, double t0, const double *u0,
                             double *x, yoke_err *err);

/* The same where Newton's method for everything at once fails: one block of
 * equations after the other (block_triangular.c).  YOKE_RETRY: not found; the message
 * names the equations and unknowns of the block, their values and residuals. */
yoke_status yk_initial_blocks(yoke_system *system, double t0, const double *u0,
                              double *x, yoke_err *err);

#endif
