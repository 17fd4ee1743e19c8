/* comp/field/field.h -- magnetic fields in the plane as subsystems.
 *
 *     curl (nu curl A) + sigma dA/dt = J + curl (nu B_r),   B = curl A
 *
 * with first-order elements on triangles, planar (A = A_z, a depth) or
 * axisymmetric (the unknown is u = r A_phi), and stranded windings
 *
 *     d/dt Phi + R i = v,   Phi = X' a.
 */
#ifndef YK_FIELD_H
#define YK_FIELD_H

#include "yoke/mesh.h"
#include "yoke/system.h"

typedef enum yk_field_bh {
    YK_BH_LINEAR, /* H = B / (mu_0 mu_r) */
    YK_BH_BRAUER, /* nu = k1 exp(k2 B^2) + k3, up to dH/dB = 1/mu_0 */
    YK_BH_TABLE   /* H(B) by a monotone cubic spline; slope 1/mu_0 behind */
} yk_field_bh;

typedef struct yk_field_material {
    const char *name;
    yk_field_bh bh;
    double mu_r;              /* linear; 0: 1 */
    double brauer[3];         /* k1, k2, k3 */
    int points;               /* table, beginning with 0, 0 */
    const double (*point)[2]; /* B in T, H in A/m, both increasing */
    double remanence[2];      /* of a linear material: B_r in x and y, or in
                                 r and z */
    double sigma;             /* S/m; > 0: eddy currents */
    bool insulated;           /* planar: no net current flows in any of its
                                 regions; otherwise their ends are joined
                                 without resistance */
} yk_field_material;

/* A region carries `turns` conductors, negative: backwards.  Of a coil that
 * symmetry cuts count those in the model. */
typedef struct yk_field_winding {
    const char *name;
    int regions;
    const int *region;
    const double *turns;
    double resistance; /* of the whole winding; NAN: from sigma and fill */
    double sigma, fill;
} yk_field_winding;

/* What a winding is given. */
typedef enum yk_field_drive {
    YK_DRIVE_VOLTAGE, /* input NAME.v; unknown NAME.phi */
    YK_DRIVE_FLUX,    /* input NAME.phi: the field has no state of its own */
    YK_DRIVE_CURRENT  /* input NAME.i; unknown NAME.v */
} yk_field_drive;

/* Inductances among the outputs. */
typedef enum yk_field_extract {
    YK_EXTRACT_NONE,
    YK_EXTRACT_CHORD,  /* L = X' K(a)^-1 X with the reluctivity nu = H/B */
    YK_EXTRACT_TANGENT /* L = dPhi/di, with psi = Phi - L i */
} yk_field_extract;

typedef struct yk_field {
    const yoke_mesh *mesh;
    double unit; /* of the coordinates of the mesh, m */
    bool axisymmetric;
    double depth;    /* planar, m */
    double symmetry; /* how many copies of the model make the whole */
    int materials, windings, fixed;
    const yk_field_material *material;
    const int *material_of; /* of each region of the mesh; -1: missing */
    const yk_field_winding *winding;
    const int *fixed_line; /* lines of the mesh with A = 0; the others, and
                              outer edges without a line, are natural */
    yk_field_drive drive;
    yk_field_extract extract;
} yk_field;

/* Copies `given`, the mesh included.
 *
 * Outputs: NAME.i and NAME.phi of every winding (of those that are not inputs;
 * NAME.v if currents are given), "energy" (J); with inductances "L.NAME",
 * "L.NAME.OTHER" (the second named later in the list) and, tangent,
 * "psi.NAME".
 *
 * Without conductivity the unknowns are those of the windings alone and the
 * field is solved inside; with it the potentials are unknowns too, "a[k]", and
 * there are no inductances; if then the currents are given, the voltages are no
 * outputs.
 *
 * Refused, with the names: regions without a material and materials that
 * contradict themselves, windings without area, turns or resistance, tables
 * that do not increase, lengths that cannot be meant. */
yoke_status yk_field_create(yoke_system **out, const char *name,
                            const yk_field *given, yoke_err *err);

/* What stands for a field in the circuit:
 *     d/dt phi + R i = v,    0 = phi - L i - psi
 *
 * with L (symmetric) and psi as inputs: an inductance that was extracted from a
 * field. */
typedef struct yk_inductance {
    int windings;
    const char *const *name;
    const double *resistance;
    const double *flux; /* at the start; NULL: 0 */
    bool offset;        /* there are inputs psi.NAME */
} yk_inductance;

/* Inputs NAME.v, L.NAME, L.NAME.OTHER, psi.NAME; outputs NAME.i, NAME.phi. */
yoke_status yk_inductance_create(yoke_system **out, const char *name,
                                 const yk_inductance *given, yoke_err *err);

#endif
