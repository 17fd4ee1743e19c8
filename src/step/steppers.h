/* step/steppers.h -- the options of steppers as a list. */
#ifndef YK_STEPPERS_H
#define YK_STEPPERS_H

#include "yoke/stepper.h"

/* Option i, or false at the end of the list.  *unit: that of a number, "1" for
 * none, NULL for any; "" if it is no number. */
bool yk_stepper_option(int i, const char **name, const char **unit);

#endif
