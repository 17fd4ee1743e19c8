/* comp/mechanism/plane.h -- rigid bodies in the plane, with joints and springs. */
#ifndef YK_PLANE_H
#define YK_PLANE_H

#include "yoke/mechanism.h"

/* Coordinates of a body are its centre of mass and its angle; the mass matrix
 * is diagonal and constant.  Angles count against the clock, in rad. */
typedef struct yk_plane_body {
    const char *name;
    double mass, inertia; /* about the centre of mass */
    double x, y, angle;   /* at the start */
    double vx, vy, omega; /* NAN: follows from those given and the joints, with
                             the least kinetic energy */
} yk_plane_body;

/* A point of a body, in coordinates of the body, or of the ground (body -1). */
typedef struct yk_plane_point {
    const char *name;
    int body;
    double x, y;
    bool watched; /* has outputs; not for the ground */
} yk_plane_point;

typedef enum yk_plane_joint_kind {
    YK_REVOLUTE,      /* the points stay together */
    YK_TRANSLATIONAL, /* b stays on an axis through a, its angle is kept */
    YK_SLIDING,       /* b stays on an axis through a and turns freely */
    YK_WELD,          /* the points stay together, the angle is kept */
    YK_MOTOR          /* the angle of the body of b against that of a is d(t) */
} yk_plane_joint_kind;

typedef struct yk_plane_joint {
    const char *name;
    yk_plane_joint_kind kind;
    int a, b;       /* points of two bodies, or of a body and the ground */
    double axis[2]; /* in coordinates of the body of a; any length */
    double angle;   /* of b against a; NAN: that of the start */
    int drive;      /* of a motor: number of d(t) */
} yk_plane_joint;

/* Force -stiffness (l - length) - damping l' along the line between two points,
 * l their distance. */
typedef struct yk_plane_strut {
    int a, b;
    double stiffness, damping, length;
} yk_plane_strut;

/* Torque on body b: -stiffness (angle_b - angle_a - angle) - damping (its
 * rate), the opposite on a.  -1: the ground. */
typedef struct yk_plane_torsion {
    int a, b;
    double stiffness, damping, angle;
} yk_plane_torsion;

/* A force at a point, in the directions of the plane, or a torque on the body
 * of the point; an input, or given as a function of time. */
typedef struct yk_plane_load {
    int point;
    bool torque, input;
} yk_plane_load;

typedef struct yk_plane {
    int bodies, points, joints, struts, torsions, loads;
    const yk_plane_body *body;
    const yk_plane_point *point;
    const yk_plane_joint *joint;
    const yk_plane_strut *strut;
    const yk_plane_torsion *torsion;
    const yk_plane_load *load;
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
} yk_plane;

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
yoke_status yk_plane_create(yoke_system **out, const char *name,
                            const yk_plane *given, yoke_err *err);

#endif
