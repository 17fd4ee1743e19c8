/* yoke/mechanism.h -- constrained mechanical systems, rigid bodies and wires as
 * subsystems.
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
    double eta, start, assemble; /* as of yoke_mechanism */

    /* May be NULL.  Forces on the masses, force[masses]; and of the drives k
     * d, d', d'' in drive[3 * k ...].  The contexts are borrowed. */
    void (*act)(void *context, double t, double *force);
    void (*lead)(void *context, double t, double *drive);
    void *act_context, *lead_context;

    /* Breakpoints of `act` and `lead`, asked with either context, as in
     * yoke_system_ops; NULL: none.  `straight`: both are linear in t between
     * them. */
    double (*next_break)(void *context, double t);
    bool straight;
} yoke_masses;

/* Copies `given`.  Outputs "NAME", "NAME.v", "NAME.a" of every mass. */
YOKE_API yoke_status yoke_masses_create(yoke_system **out, const char *name,
                                        const yoke_masses *given,
                                        yoke_err *err);

/* ---- Rigid bodies in the plane ------------------------------------------- */

/* Coordinates of a body are its centre of mass and its angle; the mass matrix
 * is diagonal and constant.  Angles count against the clock, in rad. */
typedef struct yoke_body {
    const char *name;
    double mass, inertia; /* about the centre of mass */
    double x, y, angle;   /* at the start */
    double vx, vy, omega; /* NAN: follows from those given and the joints, with
                             the least kinetic energy */
} yoke_body;

/* A point of a body, in coordinates of the body, or of the ground (body -1). */
typedef struct yoke_point {
    const char *name;
    int body;
    double x, y;
    bool watched; /* has outputs; not for the ground */
} yoke_point;

typedef enum yoke_joint_kind {
    YOKE_REVOLUTE,      /* the points stay together */
    YOKE_TRANSLATIONAL, /* b stays on an axis through a, its angle is kept */
    YOKE_SLIDING,       /* b stays on an axis through a and turns freely */
    YOKE_WELD,          /* the points stay together, the angle is kept */
    YOKE_MOTOR /* the angle of the body of b against that of a is d(t) */
} yoke_joint_kind;

typedef struct yoke_joint {
    const char *name;
    yoke_joint_kind kind;
    int a, b;       /* points of two bodies, or of a body and the ground */
    double axis[2]; /* in coordinates of the body of a; any length */
    double angle;   /* of b against a; NAN: that of the start */
    int drive;      /* of a motor: number of d(t) */
} yoke_joint;

/* Force -stiffness (l - length) - damping l' along the line between two points,
 * l their distance. */
typedef struct yoke_strut {
    int a, b;
    double stiffness, damping, length;
} yoke_strut;

/* Torque on body b: -stiffness (angle_b - angle_a - angle) - damping (its
 * rate), the opposite on a.  -1: the ground. */
typedef struct yoke_torsion {
    int a, b;
    double stiffness, damping, angle;
} yoke_torsion;

/* A force at a point, in the directions of the plane, or a torque on the body
 * of the point; an input, or given as a function of time. */
typedef struct yoke_load {
    int point;
    bool torque, input;
} yoke_load;

typedef struct yoke_multibody {
    int bodies, points, joints, struts, torsions, loads;
    const yoke_body *body;
    const yoke_point *point;
    const yoke_joint *joint;
    const yoke_strut *strut;
    const yoke_torsion *torsion;
    const yoke_load *load;
    double gravity[2];
    yoke_formulation formulation;
    double eta, start;
    double assemble; /* m: positions at the start that are wrong by no more are
                        corrected; 0: refused */

    /* May be NULL.  Of load k that is no input fx and fy, or the torque, in
     * load[2 * k ...]; of drive k d, d', d'' in drive[3 * k ...].  The contexts
     * are borrowed. */
    void (*act)(void *context, double t, double *load);
    void (*lead)(void *context, double t, double *drive);
    void *act_context, *lead_context;

    /* Breakpoints of `act` and `lead`, asked with either context, as in
     * yoke_system_ops; NULL: none.  `straight`: both are linear in t between
     * them. */
    double (*next_break)(void *context, double t);
    bool straight;
} yoke_multibody;

/* Copies `given`.  Exact, sparse Jacobians.
 *
 * Unknowns "BODY.x", "BODY.y", "BODY.angle", with ".v" and ".a", and a
 * multiplier of each row of a joint.
 * Inputs "POINT.fx", "POINT.fy", "BODY.torque".
 * Outputs: those coordinates, "POINT.x", "POINT.y", each with ".v" and ".a";
 * what a joint does to b: "JOINT.fx", "JOINT.fy" (revolute, weld),
 * "JOINT.force" across the axis, "JOINT.torque" (translational, weld, motor);
 * "energy.kinetic", "energy.potential", "energy.total"; and "drift.ROW",
 * "drift.ROW.v" with the rows "JOINT.x", "JOINT.y", "JOINT.across",
 * "JOINT.angle".
 *
 * Refused, with the names of those involved and of no others: masses that are
 * not positive, joints that follow from others or contradict them, points of
 * joints that are apart at the start (with the distance), velocities that the
 * joints do not allow. */
YOKE_API yoke_status yoke_multibody_create(yoke_system **out, const char *name,
                                           const yoke_multibody *given,
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
