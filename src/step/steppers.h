/* step/steppers.h -- the options of steppers as a list. */
#ifndef YK_STEPPERS_H
#define YK_STEPPERS_H

#include "yoke/stepper.h"

/* Option i, or false at the end of the list.  *unit: that of a number, "1" for
 * none, NULL for any; "" if it is no number. */
bool yk_stepper_option(int i, const char **name, const char **unit);

/* Consistent initial values for index 1: keeps the charges q(t0, x, u0) and
 * solves the algebraic equations for the rest, starting from and overwriting
 * x[n].  A system of higher index is refused with its index. */
yoke_status yk_initial_values(yoke_system *system, double t0, const double *u0,
                              double *x, yoke_err *err);

#endif
