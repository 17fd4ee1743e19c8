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
#include "iter/units.h"
#include "yoke/stepper.h"

/* The units of one schedule; borrowed. */
typedef struct yk_place_plan {
    const yoke_graph *graph;
    const yk_unit_plan *plan;
    const bool *extra;       /* as of yk_clusters_create */
    const bool *here;        /* of each unit: it cannot be elsewhere */
    const double *price;     /* of each: of a residual (graph/cost.h) */
    const char *const *host; /* of each: where it wants to be; "": anywhere */
} yk_place_plan;

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
} yk_places_ops;

typedef struct yk_places {
    const yk_places_ops *ops;
    void *self;
    yk_executor executor; /* which knows how to wait for them; not owned */
    yk_gate *gate;        /* of the run, which puts it here */
} yk_places;

#endif
