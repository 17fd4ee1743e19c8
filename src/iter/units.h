/* iter/units.h -- what a run sweeps: its schedules, built.
 *
 * A schedule names clusters.  Built, each cluster is a system with a propagator
 * and a place in the iteration.  Several schedules are run from the same iterate
 * and averaged; most runs have one.
 */
#ifndef YK_ITER_UNITS_H
#define YK_ITER_UNITS_H

#include "graph/cluster.h"
#include "iter/iteration.h"

/* One schedule with its clusters and their propagators. */
typedef struct yk_unit_plan {
    yoke_schedule *schedule;
    double weight;
    yk_cluster *cluster;       /* schedule->clusters */
    yk_propagator *propagator; /* the same number */
    yk_unit *unit;
    yk_feed **feed;  /* of each unit */
    int **output_id; /* of each unit: number of each output component */
    int **watch;     /* of each unit: unknowns that are recorded (plan 0) */
    int *watches;
    double **y0;  /* of each unit: outputs at the start */
    int *members; /* of each unit: how many subsystems of the model */
    bool *away;   /* of each unit: in another process; NULL: none */
    bool *held;   /* of each unit: tighter, for a collocated constraint */
} yk_unit_plan;

typedef struct yk_units {
    const yoke_graph *graph; /* borrowed */
    int count;
    yk_unit_plan *plan;
    int *first_out;  /* of each node: id of its first output; nodes + 1 */
    double *weight;  /* of each output: how much its errors count */
    bool *extra;     /* outputs that are wanted besides the coupled ones */
    bool *monitored; /* those of the convergence test among them */
    bool all_read;   /* outputs that are read inside a cluster are wanted too */
    int variables;   /* of the convergence test */
    int *variable;
    char **variable_name;
    yk_delays *delays;
    yk_iteration *iteration;
} yk_units;

/* Of the last window: all outputs of a unit, or its unknowns that are watched. */
static inline const yk_wave *yk_units_wave(const yk_units *units, int unit,
                                           bool outputs)
{
    const yk_propagator *p = &units->plan[0].propagator[unit];

    return outputs ? yk_iteration_wave(units->iteration, 0, unit)
                   : p->ops->watched(p->self);
}

#endif
