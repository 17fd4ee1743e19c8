/* model/initial.h -- the initial equations of all subsystems together. */
#ifndef YK_MODEL_INITIAL_H
#define YK_MODEL_INITIAL_H

#include "model/point.h"

/* Unknowns, inputs and outputs of `p`, which come as the subsystems have them
 * alone, become those that satisfy the initial equations with what is coupled
 * to them.  What no initial equation depends on is left as it was; *any: there
 * are initial equations. */
yoke_status yk_point_initial(yk_model_point *p, double t, bool *any,
                             yoke_err *err);

/* The same for the subsystems that have initial equations, with the outputs of
 * the others as they are.  *moved: an unknown got another value. */
yoke_status yk_point_required(yk_model_point *p, double t, bool *moved,
                              yoke_err *err);

#endif
