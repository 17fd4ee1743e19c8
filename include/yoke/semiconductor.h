/* yoke/semiconductor.h -- diodes by drift and diffusion as subsystems.
 *
 *     n' = (1/q) dJn/dx - R,   p' = -(1/q) dJp/dx - R
 *     -(eps psi')' = q (p - n + doping)
 *
 * between two ohmic contacts, on a line or on a triangle mesh, in the unknowns
 * psi, n, p at the points.  docs/methods/drift-diffusion.md has the
 * mathematics.
 */
#ifndef YOKE_SEMICONDUCTOR_H
#define YOKE_SEMICONDUCTOR_H

#include "yoke/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Doping -------------------------------------------------------------- */

typedef enum yoke_doping_kind {
    YOKE_DOPING_LAYER,    /* density between from and to */
    YOKE_DOPING_GAUSSIAN, /* density exp(-(x - at)^2 / (2 width^2)) */
    YOKE_DOPING_TABLE,    /* linear between points, 0 outside */
    YOKE_DOPING_FUNCTION  /* function(context, x) */
} yoke_doping_kind;

/* Donors less acceptors, 1/m^3; the parts of a profile add up. */
typedef struct yoke_doping {
    yoke_doping_kind kind;
    double density;  /* layer, gaussian */
    double from, to; /* layer */
    double at, width;
    int points; /* table */
    const double *x, *value;
    double (*function)(void *context, double x);
    void *context; /* borrowed */
} yoke_doping;

/* ---- Carriers ------------------------------------------------------------ */

typedef enum yoke_mobility {
    YOKE_MOBILITY_CONSTANT, /* as given */
    YOKE_MOBILITY_ARORA,    /* by the doping: Arora, Hauser, Roulston 1982 */
    YOKE_MOBILITY_MASETTI   /* by the doping: Masetti, Severi, Solmi 1983 */
} yoke_mobility;

/* Electrons or holes. */
typedef struct yoke_carrier {
    double mobility;   /* m^2/(V s); of YOKE_MOBILITY_CONSTANT */
    double saturation; /* velocity in high fields, m/s; 0: no limit */
    double exponent;   /* of Caughey and Thomas 1967, at least 1 */
    double lifetime;   /* Shockley, Read and Hall, s; 0: none (both or none) */
    double auger;      /* m^6/s; 0: none */
} yoke_carrier;

/* How the circuit sees the device. */
typedef enum yoke_diode_coupling {
    YOKE_DIODE_SOURCE,      /* input "v", outputs "i": the whole current,
                               displacement current included, and "c" = 0 */
    YOKE_DIODE_CAPACITANCE, /* the same, but "i": the mean current of the
                               carriers, and "c": the capacitance, which
                               belongs into the circuit */
    YOKE_DIODE_PORT         /* input "anode.i", output "anode.v": a port */
} yoke_diode_coupling;

/* A device in the plane: triangles with Delaunay's property and no obtuse
 * angles opposite to the boundary, so that no two boxes couple negatively. */
typedef struct yoke_diode_mesh {
    int nodes, triangles;
    const double *x, *y;      /* of the nodes, m */
    const int (*triangle)[3]; /* nodes, from 0 */
    const double *doping;     /* of the triangles, 1/m^3 */
    const int *contact;       /* of the nodes: 0 none, 1 anode, 2 cathode */
    double depth;             /* across the plane, m */
} yoke_diode_mesh;

/* SI units.  Start with yoke_diode_defaults. */
typedef struct yoke_diode {
    double length, area;
    const yoke_diode_mesh *mesh; /* instead of length, area, doping and grid;
                                    NULL: a line */
    double copies; /* equal ones in parallel: currents count for all */
    int dopings;
    const yoke_doping *doping;
    int cells;     /* of the grid, if no points are given */
    double finest; /* the least distance, at the junctions; 0: all equal */
    int points;    /* a grid of its own: from 0 to `length`, increasing */
    const double *point;
    double permittivity;    /* F/m */
    double thermal_voltage; /* kT/q, V */
    double charge;          /* of an electron, C */
    double intrinsic;       /* density, 1/m^3 */
    yoke_mobility mobility;
    yoke_carrier electrons, holes;
    yoke_diode_coupling coupling;
    double bias; /* at the start the device is in the static state of this
                    voltage; 0: thermal equilibrium */
} yoke_diode;

/* Silicon at 300 K, 200 equal cells, no recombination, one copy; length, area
 * and doping are left to the user. */
YOKE_API yoke_diode yoke_diode_defaults(void);

/* Unknowns "psi[k]" (V), "n[k]", "p[k]" (1/m^3) at the inner points; voltages
 * and currents count from the p side (anode) to the n side.  Copies `given`.
 *
 * Refused by name: doping without a junction or contacts of one kind, lengths,
 * densities, mobilities or lifetimes without meaning, grids that do not
 * increase. */
YOKE_API yoke_status yoke_diode_create(yoke_system **out, const char *name,
                                       const yoke_diode *given, yoke_err *err);

/* What follows from the settings alone. */
typedef struct yoke_diode_facts {
    int cells;          /* edges between boxes */
    double built_in;    /* potential between the contacts, V */
    double capacitance; /* of the empty device, all copies, F */
} yoke_diode_facts;

YOKE_API yoke_status yoke_diode_look(const yoke_diode *given,
                                     yoke_diode_facts *facts, yoke_err *err);

/* The static characteristic: i[k] of all copies at v[k], V.  On a line the
 * current is taken where the fewest carriers are, which loses the least to
 * rounding. */
YOKE_API yoke_status yoke_diode_sweep(const yoke_diode *given, int count,
                                      const double *v, double *i,
                                      yoke_err *err);

#ifdef __cplusplus
}
#endif

#endif
