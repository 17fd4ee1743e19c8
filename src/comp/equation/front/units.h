/* comp/equation/front/units.h -- the units that a model declares. */
#ifndef YK_EQUATION_UNITS_H
#define YK_EQUATION_UNITS_H

#include "yoke/equation.h"

/* Tells every symbol of the model that has a unit; `varies`: it is no parameter
 * or constant.  A model that is not understood tells what it can. */
typedef void (*yk_tell_unit)(void *self, const char *name, const char *unit,
                             bool varies);
yoke_status yk_equation_units(const char *path,
                              const yoke_equation_options *options,
                              yk_tell_unit tell, void *self, yoke_err *err);

#endif
