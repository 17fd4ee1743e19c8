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

/* Adds to a message the nearest values that satisfy the constraints, of those
 * that move. */
void yk_mechanism_tell_nearest(int n, const double *x, const double *nearest,
                               const char *const *name, int level,
                               yoke_err *err);

/* Accelerations and multipliers (start.c):
 *
 *     [ M  G' ] [ a      ]   [ phi   ]
 *     [ G  0  ] [ lambda ] = [ -bend ]
 *
 * b[n + count] is the right side and becomes the solution. */
yoke_status yk_mechanism_accelerate(int count, int n, const double *M,
                                    const double *G, double *b, yoke_err *err);

/* The least change z (in the norm of M, which is diagonal here) of the
 * coordinates that are not `fixed` with G z = r; of rows that depend on others
 * some may be left over.  `fixed` may be NULL. */
yoke_status yk_mechanism_correct(int count, int n, const double *mass,
                                 const double *G, const bool *fixed,
                                 const double *r, double *z, yoke_err *err);

#endif
