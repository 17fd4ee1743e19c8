/* comp/semiconductor/device.h -- drift and diffusion on a line of boxes.
 *
 * Unknowns, three for each inner node k: psi[k], n[k], p[k]; the voltage v is
 * that of the anode against the cathode.  The rows belong to the unknowns of
 * the same numbers: Poisson's equation, electrons, holes.
 */
#ifndef YK_SEMICONDUCTOR_DEVICE_H
#define YK_SEMICONDUCTOR_DEVICE_H

#include "base/base.h"
#include "yoke/semiconductor.h"

enum { YK_PSI, YK_ELECTRONS, YK_HOLES, YK_FIELDS };

/* Carriers of one kind. */
typedef struct yk_carrier {
    double *mobility; /* of each edge, in low field */
    double saturation, exponent, lifetime, auger;
} yk_carrier;

typedef struct yk_device {
    int cells, inner; /* inner = cells - 1 */
    double *x;        /* cells + 1 nodes */
    double *doping;   /* means over the boxes; at contacts the end values */
    double length, area, copies;
    double eps, ut, charge, ni;
    double scale; /* the largest doping: a size of densities */
    yk_carrier electrons, holes;
    bool anode_left;
    double contact[2][YK_FIELDS]; /* left, right; psi without the voltage */
    double capacitance;           /* of all copies */

    /* Places of dF/dx, YK_FIELDS rows by 3 * YK_FIELDS columns per node: of its
     * left neighbour, its own, of its right neighbour; -1 at contacts. */
    yoke_pattern *G;
    int *place;
} yk_device;

enum { YK_DEVICE_BLOCK = YK_FIELDS * 3 * YK_FIELDS };

void yk_device_clear(yk_device *d);

/* Refuses what has no meaning, by name.  `rows`, at least 3 * inner: rows and
 * columns of G, so that other equations can follow; entries (row, col) of those
 * are in `more`. */
typedef struct yk_more {
    int rows, count;
    const int *row, *col;
} yk_more;

yoke_status yk_device_create(yk_device *d, const yoke_diode *given,
                             yoke_err *err);
yoke_status yk_device_pattern(yk_device *d, const yk_more *more, yoke_err *err);

/* comp/semiconductor/check.c */
yoke_status yk_diode_check(const yoke_diode *given, yoke_err *err);

/* comp/semiconductor/doping.c: value at x from the left (side < 0) or right,
 * mean over [a, b], and the places where layers end or the sign changes. */
double yk_doping_at(const yoke_diode *given, double x, int side);
double yk_doping_mean(const yoke_diode *given, double a, double b);
yoke_status yk_doping_junctions(const yoke_diode *given, double **at,
                                int *count, yoke_err *err);

/* comp/semiconductor/grid.c: *x has *cells + 1 points. */
yoke_status yk_diode_grid(const yoke_diode *given, double **x, int *cells,
                          yoke_err *err);

/* comp/semiconductor/mobility.c: in low field, for this doping. */
double yk_mobility(yoke_mobility model, const yoke_carrier *carrier, bool holes,
                   double doping);

/* q and f of the device's rows; either may be NULL. */
void yk_device_eval(const yk_device *d, const double *x, double v, double *q,
                    double *f);

/* dF/dx in the order of G, added to zeros, and dF/dv: entries of the node
 * beside the anode, rows as in `yk_device_anode`. */
void yk_device_jacobian(const yk_device *d, const double *x, double v,
                        double *G, double *Gv);

/* First of the three rows that contain v. */
int yk_device_anode(const yk_device *d);

/* The weight of unknown k's charge in q = weight x; 0: algebraic. */
double yk_device_weight(const yk_device *d, int k);

/* Mean current of the carriers into the anode, of all copies; dx[3 * inner] and
 * *dv, which may be NULL: its derivatives. */
double yk_device_current(const yk_device *d, const double *x, double v,
                         double *dx, double *dv);

/* The same over one edge alone, 0 ... cells - 1. */
double yk_device_edge_current(const yk_device *d, const double *x, double v,
                              int edge);

/* comp/semiconductor/static.c: thermal equilibrium, and from a static state x
 * at *v to that at `to`. */
yoke_status yk_device_equilibrium(const yk_device *d, double *x, yoke_err *err);
yoke_status yk_device_move(const yk_device *d, double *x, double *v, double to,
                           yoke_err *err);

/* The edge with the fewest carriers. */
int yk_device_quiet_edge(const yk_device *d, const double *x);

#endif
