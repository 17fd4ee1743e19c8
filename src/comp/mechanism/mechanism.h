/* comp/mechanism/mechanism.h -- the parts of a mechanism. */
#ifndef YK_MECHANISM_H
#define YK_MECHANISM_H

#include "base/base.h"
#include "yoke/mechanism.h"

/* Refuses a mass matrix that is not symmetric and positive definite (check.c).
 */
yoke_status yk_mechanism_check_mass(int n, const double *M,
                                    const char *const *name, yoke_err *err);

/* Refuses constraints that depend on each other.  G is `count` by n, gamma
 * their values. */
yoke_status yk_mechanism_check_rank(int count, int n, const double *G,
                                    const double *gamma,
                                    const char *const *name, yoke_err *err);

/* Refuses a value that is not zero.  x are the positions or velocities. */
yoke_status yk_mechanism_check_zero(int count, int n, const double *G,
                                    const double *x, const double *value,
                                    const char *const *name, const char *what,
                                    yoke_err *err);

#endif
