/* comp/equation/guard.h -- are the states chosen by the reduction still good?
 */
#ifndef YK_GUARD_H
#define YK_GUARD_H

#include "comp/equation/interpret.h"

/* The constraints of a reduced model, in independent groups. */
typedef struct yk_guard yk_guard;

/* c[rows] says how often each scalar equation of the first `templates` was
 * differentiated; the dummies have been chosen.  *out stays NULL if there is
 * nothing to guard. */
yoke_status yk_guard_create(yk_guard **out, yk_model *model, int templates,
                            const int *c, yoke_err *err);
void yk_guard_free(yk_guard *guard); /* accepts NULL */

/* The branch at the start: w are the consistent initial values. */
void yk_guard_anchor(yk_guard *guard, const yk_model *model, double t,
                     const double *w);

/* YOKE_RETRY where the constraints hardly determine what was made algebraic, or
 * do so on another branch than at the start. */
yoke_status yk_guard_check(yk_guard *guard, const yk_model *model, double t,
                           const double *w, yoke_err *err);

#endif
