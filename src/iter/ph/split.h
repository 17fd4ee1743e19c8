/* iter/ph/split.h -- coupled port-Hamiltonian systems as one propagator.
 *
 * Inside, each window is iterated block by block (iter/ph/scheme.h) on a uniform grid; outside it is a subsystem like any other.
 */
#ifndef YK_PH_SPLIT_H
#define YK_PH_SPLIT_H

#include "iter/ph/mercier.h"
#include "iter/units.h"

typedef enum yk_split_way {
    YK_SPLIT_AUTO,  /* waves; with GMRES if q > 0.5 */
    YK_SPLIT_PLAIN, /* waves, as they are */
    YK_SPLIT_GMRES,
    YK_SPLIT_DIRECT /* condensed ports */
} yk_split_way;

typedef struct yk_split_options {
    bool mercier; /* Algorithm 1 instead of port waves */
    yk_split_way way;
    bool ordered;
    const yk_rk *rk;
    double step, window; /* window 0: by the guaranteed sweeps */
    double mu, omega;    /* 0: chosen */
    double alpha, lambda;
    double rtol, atol, fraction;
    int max_sweeps;
    yoke_stop test;
    double start, stop;
} yk_split_options;

/* What is known before the run. */
typedef struct yk_split_plan {
    int blocks, pairs, n, steps; /* steps of a window */
    double h, window;
    yk_guarantee promise; /* of the port waves */
    yk_bounds bounds;     /* of Algorithm 1 */
    double q;             /* of what is done */
    double sweeps;        /* guaranteed, per window */
    bool gmres, mercier, direct;
} yk_split_plan;

/* What a run did so far. */
typedef struct yk_split_sums {
    yoke_iterate_result done; /* estimate: the largest bound */
    int worst;                /* most sweeps of a window */
    double promised;          /* most sweeps of a window, by its first change */
    yk_balance energy;
} yk_split_sums;

typedef struct yk_split_setup {
    const yoke_graph *graph;
    const yk_cluster *cluster;
    int watches;
    const int *watch; /* unknowns, numbered over all blocks */
    yk_split_options options;
    yoke_status (*report)(void *context, const yoke_sweep *sweep,
                          yoke_err *err); /* every sweep; may be NULL */
    void *context;
    const yk_executor *executor; /* for the blocks; borrowed; may be NULL */
} yk_split_setup;

/* What would be done: refuses illegal options with the permitted range. */
yoke_status yk_split_foresee(const yk_ph_net *net, const yk_split_options *o,
                             yk_split_plan *out, yoke_err *err);

yoke_status yk_split_create(yk_propagator *out, const yk_split_setup *setup,
                            yoke_err *err);

/* Of a propagator made here. */
const yk_split_plan *yk_split_planned(const yk_propagator *p);
const yk_split_sums *yk_split_done(const yk_propagator *p);
bool yk_split_is(const yk_propagator *p);

/* The propagator of a run that has one such unit and nothing else, so that its
 * windows and sweeps are those of the run; NULL: there are others. */
const yk_propagator *yk_split_alone(const yk_units *units);

#endif
