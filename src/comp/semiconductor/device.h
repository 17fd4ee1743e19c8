/* comp/semiconductor/device.h -- drift and diffusion between boxes.
 *
 * Unknowns, three for each inner node k: psi[k], n[k], p[k]; the voltage v is
 * that of the anode against the cathode.  The rows belong to the unknowns of
 * the same numbers: Poisson's equation, electrons, holes.
 */
#ifndef YK_SEMICONDUCTOR_DEVICE_H
#define YK_SEMICONDUCTOR_DEVICE_H

#include "base/base.h"
#include "comp/semiconductor/semiconductor.h"

enum { YK_PSI, YK_ELECTRONS, YK_HOLES, YK_FIELDS };

/* Carriers of one kind. */
typedef struct yk_carrier {
    double *mobility; /* of each edge, in low field */
    double saturation, exponent, lifetime, auger;
} yk_carrier;

/* Between nodes a and b: distance, length of the face between their boxes, and
 * how far the potential of the empty device falls from a to b, for 1 V at the
 * anode. */
typedef struct yk_edge {
    int a, b;
    double h, s, fall;
} yk_edge;

typedef struct yk_dd {
    int nodes, inner, edges;
    int *number;    /* of each node: among the inner ones, or YK_ANODE ... */
    double *volume; /* of its box: m, or m^2 on a mesh */
    double *doping; /* mean over the box; at contacts of a line the end value */
    yk_edge *edge;
    double *x;   /* of a line: its nodes; NULL on a mesh */
    double size; /* of all boxes together */
    double area; /* across: of a line the area, of a mesh the depth */
    double copies;
    double eps, ut, charge, ni;
    double scale; /* the largest doping: a size of densities */
    yk_carrier electrons, holes;
    double (*fixed)[YK_FIELDS]; /* of nodes at contacts; psi without v */
    double capacitance;         /* of all copies */
    double built_in;

    int beside, *beside_anode; /* inner nodes with an edge to the anode */
    int *beside_at;            /* of each inner node: place there, or -1 */

    /* Places of dF/dx, YK_FIELDS rows by YK_FIELDS columns: of each edge the
     * rows of a by a and by b, those of b by a and by b; then of each inner
     * node its own; -1: none. */
    yoke_pattern *G;
    int *place;
} yk_dd;

enum { YK_ANODE = -1, YK_CATHODE = -2 };
enum { YK_BLOCK = YK_FIELDS * YK_FIELDS, YK_EDGE_BLOCKS = 4 };

void yk_dd_clear(yk_dd *d);

/* Refuses what has no meaning, by name.  `rows`, at least 3 * inner: rows and
 * columns of G, so that other equations can follow; entries (row, col) of those
 * are in `more`. */
typedef struct yk_more {
    int rows, count;
    const int *row, *col;
} yk_more;

yoke_status yk_dd_create(yk_dd *d, const yk_diode *given, yoke_err *err);
yoke_status yk_dd_pattern(yk_dd *d, const yk_more *more, yoke_err *err);

/* comp/semiconductor/check.c */
yoke_status yk_diode_check(const yk_diode *given, yoke_err *err);

/* comp/semiconductor/voronoi.c: nodes, boxes and edges of a mesh. */
yoke_status yk_dd_mesh(yk_dd *d, const yk_diode *given, yoke_err *err);

/* comp/semiconductor/doping.c: value at x from the left (side < 0) or right,
 * mean over [a, b], and the places where layers end or the sign changes. */
double yk_doping_at(const yk_diode *given, double x, int side);
double yk_doping_mean(const yk_diode *given, double a, double b);
yoke_status yk_doping_junctions(const yk_diode *given, double **at, int *count,
                                yoke_err *err);

/* comp/semiconductor/grid.c: *x has *cells + 1 points. */
yoke_status yk_diode_grid(const yk_diode *given, double **x, int *cells,
                          yoke_err *err);

/* comp/semiconductor/mobility.c: in low field, for this doping. */
double yk_mobility(yk_diode_mobility model, const yk_diode_carrier *carrier,
                   bool holes, double doping);

/* q and f of the device's rows; either may be NULL. */
void yk_dd_eval(const yk_dd *d, const double *x, double v, double *q,
                double *f);

/* dF/dx in the order of G, added to zeros, and dF/dv: three rows for each of
 * the nodes `beside_anode`; either may be NULL. */
void yk_dd_jacobian(const yk_dd *d, const double *x, double v, double *G,
                    double *Gv);

/* q = weight x, one for each unknown; 0: algebraic. */
void yk_dd_weights(const yk_dd *d, double *weight);

/* Mean current of the carriers into the anode, of all copies; dx[3 * inner] and
 * *dv, which may be NULL: its derivatives. */
double yk_dd_current(const yk_dd *d, const double *x, double v, double *dx,
                     double *dv);

/* The same over one edge of a line alone. */
double yk_dd_edge_current(const yk_dd *d, const double *x, double v, int edge);

/* comp/semiconductor/static.c: thermal equilibrium, and from a static state x
 * at *v to that at `to`. */
yoke_status yk_dd_equilibrium(const yk_dd *d, double *x, yoke_err *err);
yoke_status yk_dd_move(const yk_dd *d, double *x, double *v, double to,
                       yoke_err *err);

/* The edge of a line with the fewest carriers. */
int yk_dd_quiet_edge(const yk_dd *d, const double *x);

#endif
