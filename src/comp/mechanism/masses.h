/* comp/mechanism/masses.h -- point masses on a line, with springs and bars. */
#ifndef YK_MASSES_H
#define YK_MASSES_H

#include "yoke/mechanism.h"

typedef struct yk_masses_mass {
    const char *name;
    double mass, x0, v0;
    bool input; /* has the input "NAME.force" */
} yk_masses_mass;

/* Force on `to`: -stiffness (x_to - x_from - rest) - damping (v_to - v_from),
 * and the opposite on `from`.  -1: the ground, at rest at 0. */
typedef struct yk_masses_spring {
    int from, to;
    double stiffness, damping, rest;
} yk_masses_spring;

/* sum weight[i] x_i = d(t). */
typedef struct yk_masses_bar {
    const char *name;
    const double *weight; /* masses */
    int drive;            /* number of d(t) in `drive`; -1: zero */
} yk_masses_bar;

typedef struct yk_masses {
    int masses, springs, bars;
    const yk_masses_mass *mass;
    const yk_masses_spring *spring;
    const yk_masses_bar *bar;
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
} yk_masses;

/* Copies `given`.  Outputs "NAME", "NAME.v", "NAME.a" of every mass. */
yoke_status yk_masses_create(yoke_system **out, const char *name,
                             const yk_masses *given, yoke_err *err);

#endif
