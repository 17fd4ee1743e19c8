/* step/deep.h -- which unknowns of a propagator promise less. */
#ifndef YK_STEP_DEEP_H
#define YK_STEP_DEEP_H

#include "sys/propagator.h"

/* Is it the multiplier or the acceleration of a system of index 2 or more, as
 * an adaptive stepper found (depth.c)?  Its error is not tested. */
bool yk_drive_is_deep(const yk_propagator *p, int unknown);

#endif
