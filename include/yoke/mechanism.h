/* yoke/mechanism.h -- constrained mechanical systems as subsystems.
 *
 *     M(q) q'' = phi(t, q, q', u) - G(t, q)' lambda,   0 = gamma(t, q)
 *
 * Where an output is a function of the positions, its velocity and acceleration
 * are outputs too, under its name and ".v", ".a": "head", "head.v", "head.a".
 * A coupling constraint that is written at velocity or acceleration level
 * (yoke_constraint.form) reads them.
 */
#ifndef YOKE_MECHANISM_H
#define YOKE_MECHANISM_H

#include "yoke/system.h"

YOKE_BEGIN_C

/* How the inner constraints are solved.  Unknowns are q, v, a, lambda (and mu)
 * with  q' = v,  v' = a,  0 = M a - phi + G' lambda  and
 *
 *   position     0 = gamma                                        index 3
 *   velocity     0 = gamma'                                       index 2
 *   stabilised   0 = gamma'' + 2 eta gamma' + eta^2 gamma         index 1
 *   ggl          q' = v - G' mu, 0 = gamma', 0 = gamma            index 2
 *   projected    as stabilised; after every time step q and v are moved to the
 *                nearest (in the norm of M) with gamma = gamma' = 0
 */
typedef enum yoke_formulation {
    YOKE_POSITION,
    YOKE_VELOCITY,
    YOKE_STABILISED,
    YOKE_GGL,
    YOKE_PROJECTED
} yoke_formulation;

/* Functions c(t, q) of the positions, with what their derivatives need:
 *
 *     c' = G v + rate,   c'' = G a + bend
 *
 * value[k], rate[k] = dc/dt with q held, bend[k] = (d/dt G) v + d/dt rate,
 * G k by n, row by row; all come zeroed. */
typedef struct yoke_motion {
    double *value, *G, *rate, *bend;
} yoke_motion;

/* Pure callbacks; status as in yoke_system_ops. */
typedef struct yoke_mechanism_ops {
    /* REQUIRED.  M[n * n], symmetric, comes zeroed. */
    yoke_status (*mass)(void *self, const double *q, double *M, yoke_err *err);

    /* REQUIRED.  phi[n], comes zeroed. */
    yoke_status (*force)(void *self, double t, const double *q, const double *v,
                         const double *u, double *phi, yoke_err *err);

    /* REQUIRED if there are constraints: gamma. */
    yoke_status (*constrain)(void *self, double t, const double *q,
                             const double *v, const yoke_motion *gamma,
                             yoke_err *err);

    /* OPTIONAL; default: the outputs are the coordinates. */
    yoke_status (*observe)(void *self, double t, const double *q,
                           const double *v, const yoke_motion *y,
                           yoke_err *err);

    void (*free)(void *self); /* OPTIONAL.  Accepts NULL. */

    /* OPTIONAL; default none.  Breakpoints, as in yoke_system_ops. */
    double (*next_break)(void *self, double t);
} yoke_mechanism_ops;

typedef struct yoke_mechanism {
    int n;           /* coordinates */
    int m;           /* inputs */
    int constraints; /* inner ones */
    int outputs;     /* functions of `observe`; 0 without it */
    bool affine;     /* M and all G are constant, phi affine in q, v, u: the
                        Jacobians are computed once, exactly */
    yoke_formulation formulation;
    double eta;                /* of the stabilised formulation, 1/s */
    double start;              /* time at which q0 and v0 must be consistent */
    double assemble;           /* constraints that q0 and v0 miss by no more are
                                  corrected with the least motion in the norm of
                                  M; 0: refused, with the nearest values */
    const double *q0;          /* n; NULL: zero */
    const double *v0;          /* the same */
    const char *const *q_name; /* n */
    const char *const *u_name; /* m */
    const char *const *constraint_name; /* constraints */
    const char *const *y_name;          /* outputs */
    bool straight; /* all that depends on t is linear in it between the
                      breakpoints */

    /* Units for results and pictures: "m", "rad"; NULL, or an entry that is
     * NULL: none is known.  Those of velocities, accelerations and multipliers
     * follow. */
    const char *const *q_unit;          /* n */
    const char *const *constraint_unit; /* constraints */
    const char *const *y_unit;          /* outputs */
} yoke_mechanism;

/* Takes `self`, also on failure; borrows `ops`; copies `given`.
 *
 * Checked at (start, q0, v0), each refused with the names of the smallest set
 * of coordinates or constraints that shows it: a mass matrix that is not
 * positive definite; constraints that depend on each other (redundant), or that
 * contradict each other; positions and velocities that do not satisfy the
 * constraints.
 *
 * Outputs: those of `observe` (or q) with ".v" and ".a", then for each
 * constraint gamma and gamma' as "drift.NAME", "drift.NAME.v". */
YOKE_API yoke_status yoke_mechanism_create(yoke_system **out, const char *name,
                                           const yoke_mechanism_ops *ops,
                                           void *self,
                                           const yoke_mechanism *given,
                                           yoke_err *err);

YOKE_END_C

#endif
