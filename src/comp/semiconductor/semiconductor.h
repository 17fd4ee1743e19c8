/* comp/semiconductor/semiconductor.h -- diodes by drift and diffusion as subsystems.
 *
 *     n' = (1/q) dJn/dx - R,   p' = -(1/q) dJp/dx - R
 *     -(eps psi')' = q (p - n + doping)
 *
 * between two ohmic contacts, on a line or on a triangle mesh, in the unknowns
 * psi, n, p at the points.  docs/methods/drift-diffusion.md has the
 * mathematics.
 */
#ifndef YK_SEMICONDUCTOR_H
#define YK_SEMICONDUCTOR_H

#include "yoke/system.h"

/* ---- Doping -------------------------------------------------------------- */

typedef enum yk_diode_doping_kind {
    YK_DOPING_LAYER,    /* density between from and to */
    YK_DOPING_GAUSSIAN, /* density exp(-(x - at)^2 / (2 width^2)) */
    YK_DOPING_TABLE,    /* linear between points, 0 outside */
    YK_DOPING_FUNCTION  /* function(context, x) */
} yk_diode_doping_kind;

/* Donors less acceptors, 1/m^3; the parts of a profile add up. */
typedef struct yk_diode_doping {
    yk_diode_doping_kind kind;
    double density;  /* layer, gaussian */
    double from, to; /* layer */
    double at, width;
    int points; /* table */
    const double *x, *value;
    double (*function)(void *context, double x);
    void *context; /* borrowed */
} yk_diode_doping;

/* ---- Carriers ------------------------------------------------------------ */

typedef enum yk_diode_mobility {
    YK_MOBILITY_CONSTANT, /* as given */
    YK_MOBILITY_ARORA,    /* by the doping: Arora, Hauser, Roulston 1982 */
    YK_MOBILITY_MASETTI   /* by the doping: Masetti, Severi, Solmi 1983 */
} yk_diode_mobility;

/* Electrons or holes. */
typedef struct yk_diode_carrier {
    double mobility;   /* m^2/(V s); of YK_MOBILITY_CONSTANT */
    double saturation; /* velocity in high fields, m/s; 0: no limit */
    double exponent;   /* of Caughey and Thomas 1967, at least 1 */
    double lifetime;   /* Shockley, Read and Hall, s; 0: none (both or none) */
    double auger;      /* m^6/s; 0: none */
} yk_diode_carrier;

/* How the circuit sees the device. */
typedef enum yk_diode_coupling {
    YK_DIODE_SOURCE,      /* input "v", outputs "i": the whole current,
                               displacement current included, and "c" = 0 */
    YK_DIODE_CAPACITANCE, /* the same, but "i": the mean current of the
                               carriers, and "c": the capacitance, which
                               belongs into the circuit */
    YK_DIODE_PORT         /* input "anode.i", output "anode.v": a port */
} yk_diode_coupling;

/* A device in the plane: triangles with Delaunay's property and no obtuse
 * angles opposite to the boundary, so that no two boxes couple negatively. */
typedef struct yk_diode_mesh {
    int nodes, triangles;
    const double *x, *y;      /* of the nodes, m */
    const int (*triangle)[3]; /* nodes, from 0 */
    const double *doping;     /* of the triangles, 1/m^3 */
    const int *contact;       /* of the nodes: 0 none, 1 anode, 2 cathode */
    double depth;             /* across the plane, m */
} yk_diode_mesh;

/* SI units.  Start with yk_diode_defaults. */
typedef struct yk_diode {
    double length, area;
    const yk_diode_mesh *mesh; /* instead of length, area, doping and grid;
                                    NULL: a line */
    double copies; /* equal ones in parallel: currents count for all */
    int dopings;
    const yk_diode_doping *doping;
    int cells;     /* of the grid, if no points are given */
    double finest; /* the least distance, at the junctions; 0: all equal */
    int points;    /* a grid of its own: from 0 to `length`, increasing */
    const double *point;
    double permittivity;    /* F/m */
    double thermal_voltage; /* kT/q, V */
    double charge;          /* of an electron, C */
    double intrinsic;       /* density, 1/m^3 */
    yk_diode_mobility mobility;
    yk_diode_carrier electrons, holes;
    yk_diode_coupling coupling;
    double bias; /* at the start the device is in the static state of this
                    voltage; 0: thermal equilibrium */
} yk_diode;

/* Silicon at 300 K, 200 equal cells, no recombination, one copy; length, area
 * and doping are left to the user. */
yk_diode yk_diode_defaults(void);

/* Unknowns "psi[k]" (V), "n[k]", "p[k]" (1/m^3) at the inner points; voltages
 * and currents count from the p side (anode) to the n side.  Copies `given`.
 *
 * Refused by name: doping without a junction or contacts of one kind, lengths,
 * densities, mobilities or lifetimes without meaning, grids that do not
 * increase. */
yoke_status yk_diode_create(yoke_system **out, const char *name,
                            const yk_diode *given, yoke_err *err);

/* What follows from the settings alone. */
typedef struct yk_diode_facts {
    int cells;          /* edges between boxes */
    double built_in;    /* potential between the contacts, V */
    double capacitance; /* of the empty device, all copies, F */
} yk_diode_facts;

yoke_status yk_diode_look(const yk_diode *given, yk_diode_facts *facts,
                          yoke_err *err);

/* The static characteristic: i[k] of all copies at v[k], V.  On a line the
 * current is taken where the fewest carriers are, which loses the least to
 * rounding. */
yoke_status yk_diode_sweep(const yk_diode *given, int count, const double *v,
                           double *i, yoke_err *err);

#endif
