/* graph/levels.h -- what may run at once without changing what anybody reads. */
#ifndef YK_GRAPH_LEVELS_H
#define YK_GRAPH_LEVELS_H

#include "graph/graph.h"

/* Which clusters read each other in a sweep. */
typedef struct yk_level_links {
    int count;
    int (*link)[2];      /* a pair of clusters, in any order, any number of
                            times */
    const bool *barrier; /* of each cluster: all others come either before or
                            behind it; NULL: none is one */
} yk_level_links;

/* The same iteration with the clusters of a level in one stage.  *out: NULL if
 * the schedule has no more stages than levels, or members of one stage that are
 * linked. */
yoke_status yk_schedule_levels(yoke_schedule **out, const yoke_schedule *old,
                               const yk_level_links *links, yoke_err *err);

/* The same for the clusters of a graph, constraints that stay apart being
 * barriers. */
yoke_status yk_graph_levels(yoke_schedule **out, const yoke_graph *graph,
                            const yoke_schedule *old, yoke_err *err);

/* graph/gain.c: yoke_schedule_gain, which tells why it has no answer. */
yoke_status yk_schedule_gain(double *gain, const yoke_schedule *schedule,
                             const yoke_graph *graph, yoke_err *err);

#endif
