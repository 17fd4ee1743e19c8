/* step/solve/hidden_constraints.h -- consistent values where the index is 2 or
 * more. */
#ifndef YK_HIDDEN_CONSTRAINTS_H
#define YK_HIDDEN_CONSTRAINTS_H

#include "step/method.h"

/* Writes x[n] that satisfies the equations at p->t and those hidden in them,
 * starting from p->x.  `index` is that of the system.  Unknowns of charges keep
 * their values; if these contradict the equations those that are guesses
 * (yoke_system_info) move.  YOKE_E_MODEL: there is a contradiction, which is
 * named with its size. */
yoke_status yk_hidden_values(yk_problem *p, int index, double *x,
                             yoke_err *err);

#endif
