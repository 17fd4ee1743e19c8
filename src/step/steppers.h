/* step/steppers.h -- the options of steppers as a list. */
#ifndef YK_STEPPERS_H
#define YK_STEPPERS_H

#include "sys/propagator.h"
#include "yoke/stepper.h"

/* Option i, or false at the end of the list.  *unit: that of a number, "1" for
 * none, NULL for any; "" if it is no number. */
bool yk_stepper_option(int i, const char **name, const char **unit);

/* Can steps of the method be corrected when inputs turn out to be others? */
bool yk_stepper_corrects(const char *method);

/* Consistent initial values for index 1: keeps the charges q(t0, x, u0) and
 * solves the algebraic equations for the rest, starting from and overwriting
 * x[n].  A system of higher index is refused with its index. */
yoke_status yk_initial_values(yoke_system *system, double t0, const double *u0,
                              double *x, yoke_err *err);

/* A propagator for `system`, which is borrowed and must outlive it.  `watch`
 * lists the unknowns whose waveforms are kept (copied; may be NULL if `watches`
 * is 0). */
yoke_status yk_stepper_create(yk_propagator *out, yoke_system *system,
                              const yoke_stepper_options *options, int watches,
                              const int *watch, yoke_err *err);

#endif
