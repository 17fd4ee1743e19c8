/* sys/motion.h -- how the outputs of a system move, and what its inputs do to
 * that: y, y', y'' at one point, from the equations and not from waveforms.
 *
 * Let rows with charge be d, rows without be a.  With the matrix
 *
 *     M = ( C_d )       M x'  = -( f_d + q_t    )
 *         ( G_a ),                ( f_a,t        ),
 *
 *     M x'' = -( (f_d)' + C_d' x' )
 *              ( G_a' x'          ),       ' along (t, x) in the direction (1, x'),
 *
 *     y' = Hx x' + h_t,          y'' = Hx x'' + Hx' x'.
 *
 * The charges of a point are the state; what an input changes at once are the
 * unknowns X0 of the rows without charge, and with them the rates of the charges,
 *
 *     X0 = -M^-1 (0, Gu_a),   X1 = -M^-1 (Gu_d + G_d X0, 0),
 *     X2 = -M^-1 (G_d X1, 0),
 *
 * so that Hu + Hx X0, Hx X1 and Hx X2 are what it does to y, y' and y''.  X1 is
 * also how the state moves under an impulse of the input, X2 under the
 * derivative of one.
 *
 * Products with matrices that are differences are made by differences of the
 * equations instead, of higher order.
 *
 * Limits: M must be regular (index 1 at most, independent charges); charges do
 * not depend on the inputs that are asked for.
 */
#ifndef YK_MOTION_H
#define YK_MOTION_H

#include "yoke/system.h"

enum { YK_MOTION_LEVELS = 3 }; /* y, y', y'' */

typedef struct yk_motion yk_motion;

/* Borrows the system. */
yoke_status yk_motion_create(yk_motion **out, yoke_system *system,
                             yoke_err *err);
void yk_motion_free(yk_motion *motion); /* accepts NULL */

/* Of which output derivatives are asked for; of no other one is checked that
 * they can be told. */
void yk_motion_want(yk_motion *motion, int output);

/* Goes to the point with the charges of (t, x, u): unknowns of equations without
 * charge are solved for.  Differences in time stay within [from, to], where the
 * equations are smooth, and are about `scale` long.  YOKE_RETRY: M is singular
 * there, or the equations without charge have no solution nearby. */
typedef struct yk_motion_point {
    double t, from, to, scale;
    const double *x, *u;
    const double *q, *f; /* the equations there, if they are known; or NULL */
    const double *u_of;  /* and the inputs with which they are; NULL: with u */
    bool careful; /* look whether explicit functions of time, and the curvature
                     of the equations, play a part; where they never did they
                     are left out at other points */
} yk_motion_point;

yoke_status yk_motion_at(yk_motion *motion, const yk_motion_point *point,
                         yoke_err *err);

/* The equations may be others from now on (an event): whether time plays a part
 * is not known any more. */
void yk_motion_anew(yk_motion *motion);

/* The unknowns there; borrowed. */
const double *yk_motion_x(const yk_motion *motion);

/* y, and derivatives up to `level`: y[(level + 1) * p]. */
yoke_status yk_motion_rates(yk_motion *motion, int level, double *y,
                            yoke_err *err);

/* What the inputs input[count] do to them: a[(level + 1) * p * count], for each
 * level a matrix row by row.  What is zero but for rounding is zero. */
yoke_status yk_motion_mobility(yk_motion *motion, int level, int count,
                               const int *input, double *a, yoke_err *err);

/* The change of the unknowns by an impulse (level 1) of strength mu[count] of
 * these inputs, or by the derivative of one (level 2): adds to x[n]. */
yoke_status yk_motion_kick(yk_motion *motion, int level, int count,
                           const int *input, const double *mu, double *x,
                           yoke_err *err);

/* What errors dx[n] of the state do to y and its derivatives at once, those that
 * answer to inputs: y[(level + 1) * p]. */
yoke_status yk_motion_shake(yk_motion *motion, int level, const double *dx,
                            double *y, yoke_err *err);

/* The derivatives of y and its rates by unknown i, the charges moving with it and
 * the equations without charge solved again: y[(level + 1) * p].  For i = 0, 1,
 * ... below n, in this order.  The motion is at no point afterwards. */
yoke_status yk_motion_slope(yk_motion *motion, int level, int i, double *y,
                            yoke_err *err);

/* q and f at the point moved by dx[n], linearised. */
void yk_motion_moved(const yk_motion *motion, const double *dx, double *q,
                     double *f);

/* Evaluations of the system and factorisations so far. */
void yk_motion_work(const yk_motion *motion, long *residuals, long *jacobians,
                    long *factorizations);

#endif
