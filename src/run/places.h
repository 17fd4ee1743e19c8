/* run/places.h -- units of a run that are in other processes.
 *
 * A run asks where its units are to be before it makes them, and lets those that
 * are not here be made there: what it gets is a propagator like any other, and
 * the iteration sees no difference.  What stays here in any case: constraints
 * that stay apart, which ask the propagators of others, and clusters that iterate
 * inside.
 */
#ifndef YK_RUN_PLACES_H
#define YK_RUN_PLACES_H

#include "exec/exec.h"
#include "exec/gate.h"
#include "iter/units.h"
#include "yoke/run.h"
#include "yoke/stepper.h"

/* The units of one schedule; borrowed. */
typedef struct yk_place_plan {
    const yoke_graph *graph;
    const yk_unit_plan *plan;
    const bool *extra;       /* as of yk_clusters_create */
    const bool *here;        /* of each unit: it cannot be elsewhere */
    const double *price;     /* of each: of a residual (graph/cost.h) */
    const char *const *host; /* of each: where it wants to be; "": anywhere */
    bool beside; /* of a run beside another, whose places are told */
} yk_place_plan;

struct yk_checkpoint_part; /* run/checkpoint.h */

/* A run that goes on from a checkpoint; borrowed. */
typedef struct yk_places_taken {
    void *kept; /* of yk_places, when the run was saved */
    int sections;
    struct yk_checkpoint_part *section;
    yoke_model *model; /* as it was read again */
    yk_gate *gate;     /* of the run */
} yk_places_taken;

typedef struct yk_places_ops {
    /* REQUIRED.  Before anything is asked: closed parts answer from the process
     * that will have them.  host[node]: where it wants to be; "": anywhere. */
    yoke_status (*closed)(void *self, const yoke_graph *graph,
                          const char *const *host, yoke_err *err);

    /* REQUIRED.  Before the units are made: away[unit], which of them will not
     * be here.  Units that have a propagator stay where they are. */
    yoke_status (*plan)(void *self, const yk_place_plan *plan, bool *away,
                        yoke_err *err);

    /* REQUIRED.  The propagator of a unit that is away. */
    yoke_status (*make)(void *self, const yk_place_plan *plan, int unit,
                        const yoke_stepper_options *stepper, yk_propagator *out,
                        yoke_err *err);

    /* REQUIRED.  Is a process lost?  Then the message says which. */
    bool (*lost)(void *self, yoke_err *err);

    /* REQUIRED.  What was where, line by line; false at their end. */
    bool (*tell)(void *self, int line, char *text, size_t room);

    /* REQUIRED.  The run is saved: all processes copy their memory now.  Writes
     * how many sections there are, and then gives the bytes of the k-th. */
    yoke_status (*sections)(void *self, int *count, yoke_err *err);
    yoke_status (*section)(void *self, int k,
                           void (*put)(void *sink, const char *bytes,
                                       size_t length),
                           void *sink, yoke_err *err);

    /* REQUIRED.  The run goes on: processes take up the sections. */
    yoke_status (*take)(void *self, const yk_places_taken *taken,
                        yoke_err *err);
} yk_places_ops;

typedef struct yk_places {
    const yk_places_ops *ops;
    void *self;
    yk_executor executor; /* which knows how to wait for them; not owned */
    yk_gate *gate;        /* of the run, which puts it here */
    void *kept;           /* what of it is saved with the run, in the image */
    bool beside; /* of a run beside the first, in which only closed parts
                             are away: a second solution */
} yk_places;

#endif
