/* yoke/mechanism.h -- constrained mechanical systems and wires as subsystems.
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

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Mechanisms ---------------------------------------------------------- */

/* How the inner constraints are solved.  Unknowns are q, v, a, lambda (and mu)
 * with  q' = v,  v' = a,  0 = M a - phi + G' lambda  and
 *
 *   position     0 = gamma                                        index 3
 *   velocity     0 = gamma'                                       index 2
 *   stabilised   0 = gamma'' + 2 eta gamma' + eta^2 gamma         index 1
 *   ggl          q' = v - G' mu, 0 = gamma', 0 = gamma            index 2
 */
typedef enum yoke_formulation {
    YOKE_POSITION,
    YOKE_VELOCITY,
    YOKE_STABILISED,
    YOKE_GGL
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
    const double *q0;          /* n; NULL: zero */
    const double *v0;          /* the same */
    const char *const *q_name; /* n */
    const char *const *u_name; /* m */
    const char *const *constraint_name; /* constraints */
    const char *const *y_name;          /* outputs */
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

/* ---- Point masses on a line ---------------------------------------------- */

typedef struct yoke_mass {
    const char *name;
    double mass, x0, v0;
    bool input; /* has the input "NAME.force" */
} yoke_mass;

/* Force on `to`: -stiffness (x_to - x_from - rest) - damping (v_to - v_from),
 * and the opposite on `from`.  -1: the ground, at rest at 0. */
typedef struct yoke_spring {
    int from, to;
    double stiffness, damping, rest;
} yoke_spring;

/* sum weight[i] x_i = d(t). */
typedef struct yoke_bar {
    const char *name;
    const double *weight; /* masses */
    int drive;            /* number of d(t) in `drive`; -1: zero */
} yoke_bar;

typedef struct yoke_masses {
    int masses, springs, bars;
    const yoke_mass *mass;
    const yoke_spring *spring;
    const yoke_bar *bar;
    yoke_formulation formulation;
    double eta, start;

    /* May be NULL.  Forces on the masses, force[masses]; and of the drives k
     * d, d', d'' in drive[3 * k ...].  The contexts are borrowed. */
    void (*act)(void *context, double t, double *force);
    void (*lead)(void *context, double t, double *drive);
    void *act_context, *lead_context;
} yoke_masses;

/* Copies `given`.  Outputs "NAME", "NAME.v", "NAME.a" of every mass. */
YOKE_API yoke_status yoke_masses_create(yoke_system **out, const char *name,
                                        const yoke_masses *given,
                                        yoke_err *err);

/* ---- Wires --------------------------------------------------------------- */

/* Euler-Bernoulli beams under tension between the same two supports, pinned,
 *
 *   rho w_tt + damping rho w_t = -EI w_xxxx + T w_xx + droppers + contacts,
 *
 * by second differences on `nodes` inner points, w_xxxx by two of them.  w is
 * the deviation from the static shape, upwards. */
typedef struct yoke_wire {
    const char *name;
    double density; /* rho, kg/m */
    double bending; /* EI, N m^2 */
    double tension; /* T, N */
    double damping; /* 1/s */
} yoke_wire;

/* A spring between two wires at x = at, which need not be a node. */
typedef struct yoke_dropper {
    int from, to; /* wires */
    double at, stiffness;
} yoke_dropper;

/* A force on a wire, spread over |x - xp(t)| < 3 width by the quintic B-spline
 * B5((x - xp)/width)/width, with xp = x0 + speed t.  Input "NAME.force"; output
 * "NAME", the displacement averaged with the same weights, with ".v" and ".a",
 * which contain what the motion of xp adds. */
typedef struct yoke_contact {
    const char *name;
    int wire;
    double x0, speed, width;
} yoke_contact;

typedef struct yoke_wires {
    double span;
    int nodes; /* of each wire, without the supports */
    int wires, droppers, contacts;
    const yoke_wire *wire;
    const yoke_dropper *dropper;
    const yoke_contact *contact;
} yoke_wires;

/* Copies `given`.  Unknowns "WIRE[k]" and "WIRE[k].v", k from 1; an explicit
 * right side.  C and G are constant; the rows and columns of contacts depend on
 * time if they move, so the system is YOKE_LINEAR, and YOKE_AFFINE only if none
 * moves. */
YOKE_API yoke_status yoke_wires_create(yoke_system **out, const char *name,
                                       const yoke_wires *given, yoke_err *err);

#ifdef __cplusplus
}
#endif

#endif
