/* comp/mechanism/multibody.h -- the parts of a multibody system.
 *
 * Joints and springs are between two bodies a and b; what they need and give is
 * in the six local coordinates (x, y, angle) of a, then of b.  The ground has
 * local coordinates too, all zero, which nobody reads or writes.
 */
#ifndef YK_MULTIBODY_H
#define YK_MULTIBODY_H

#include "comp/mechanism/places.h"
#include "comp/mechanism/plane.h"
#include "comp/mechanism/project.h"
#include "yoke/mechanism.h"

enum { YK_LOCAL = 6, YK_BODY_LEVELS = 3 }; /* an output: value, .v, .a */

/* What the rows of a joint hold. */
typedef enum yk_multibody_row_kind {
    YK_ROW_X, /* the points together, x and y */
    YK_ROW_Y,
    YK_ROW_ACROSS, /* distance of b from an axis through a */
    YK_ROW_ANGLE   /* of b against a */
} yk_multibody_row_kind;

typedef struct yk_multibody_row {
    yk_multibody_row_kind kind;
    int joint;
    yk_plane_point a, b;
    double normal[2]; /* of the axis, length one */
    double offset;    /* angle that is kept */
    int drive;        /* -1: none */
} yk_multibody_row;

/* One row at a point of phase space, as in yoke_motion with
 * bend = v' H v + d/dt rate;  H the second derivatives of the value, K the
 * derivative of v' H v by the coordinates. */
typedef struct yk_multibody_row_at {
    double value, rate, bend;
    double G[YK_LOCAL], H[YK_LOCAL][YK_LOCAL], K[YK_LOCAL];
} yk_multibody_row_at;

/* A spring: force Q, its derivatives, and the elastic energy with its gradient.
 */
typedef struct yk_multibody_pull {
    double Q[YK_LOCAL], Kq[YK_LOCAL][YK_LOCAL], Kv[YK_LOCAL][YK_LOCAL];
    double energy, slope[YK_LOCAL];
} yk_multibody_pull;

enum { YK_BLOCK_C, YK_BLOCK_G, YK_BLOCK_GU, YK_BLOCK_HX, YK_BLOCKS };

typedef struct yk_multibody {
    int bodies, points, struts, torsions, loads;
    int rows, drives, inputs, watched;
    int n, all, p;         /* coordinates, unknowns, outputs */
    yk_plane_point *point; /* their names are in `names` */
    yk_plane_strut *strut;
    yk_plane_torsion *torsion;
    yk_plane_load *load;
    int *input; /* of each load: its first input, or -1 */
    yk_multibody_row *row;
    double *mass; /* of each coordinate */
    double *acts, *leads;
    double gravity[2];
    yoke_formulation formulation;
    double eta;
    void (*act)(void *context, double t, double *load);
    void (*lead)(void *context, double t, double *drive);
    void *act_context, *lead_context;
    double (*next_break)(void *context, double t);
    char *names;
    yk_multibody_places places[YK_BLOCKS];
    yk_projector projector; /* of the formulation projected */
} yk_multibody;

/* A point in the plane: its arm p from the centre of its body, turned by 90
 * degrees n = dp/dangle, its place and its velocity. */
typedef struct yk_arm {
    double p[2], n[2], r[2], w[2];
} yk_arm;

void yk_arm_at(const yk_plane_point *point, const double *q, const double *v,
               yk_arm *out);

static inline double yk_plane_dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/* The local coordinate i of two bodies among those of all, or -1. */
static inline int yk_coordinate(int a, int b, int i)
{
    const int body = i < 3 ? a : b;

    return body < 0 ? -1 : 3 * body + i % 3;
}

void yk_gather(int a, int b, const double *z, double local[YK_LOCAL]);

/* multibody_joint.c.  s->leads are the drives at the time wanted. */
void yk_row_evaluate(const yk_multibody *s, int k, const double *q,
                     const double *v, yk_multibody_row_at *out);
/* True where G and H may have entries. */
bool yk_row_has(yk_multibody_row_kind kind, int i);
bool yk_row_bends(yk_multibody_row_kind kind, int i, int j);
double yk_row_along(const double G[YK_LOCAL], const double z[YK_LOCAL]);

/* multibody_force.c.  YOKE_RETRY: the spring has no length and no direction. */
yoke_status yk_strut_evaluate(const yk_multibody *s, int k, const double *q,
                              const double *v, yk_multibody_pull *out,
                              yoke_err *err);
void yk_torsion_evaluate(const yk_multibody *s, int k, const double *q,
                         const double *v, yk_multibody_pull *out);
/* phi += all forces. */
yoke_status yk_forces(yk_multibody *s, double t, const double *q,
                      const double *v, const double *u, double *phi,
                      yoke_err *err);
/* Force and torque of load k, from u or s->acts. */
void yk_load_value(const yk_multibody *s, int k, const double *u,
                   double value[2]);

/* multibody_write.c: derivatives and outputs. */
yoke_status yk_multibody_write(yk_multibody *s, double t, const double *x,
                               const double *u, yoke_err *err);
yoke_status yk_multibody_output(void *self, double t, const double *x,
                                const double *u, double *y, yoke_err *err);

/* multibody_start.c: x[all] has positions and velocities of the start (NAN: to
 * be found) and gets all the rest. */
yoke_status yk_multibody_start(yk_multibody *s, const yk_plane *given,
                               const char *const *row_name, double *x,
                               yoke_err *err);

void yk_multibody_drives(yk_multibody *s, double t);

#endif
