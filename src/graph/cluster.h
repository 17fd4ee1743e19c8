/* graph/cluster.h -- the clusters of a schedule as systems of their own. */
#ifndef YK_CLUSTER_H
#define YK_CLUSTER_H

#include "graph/graph.h"
#include "yoke/event.h"

/* input `to` of the cluster += weight * output (node, output). */
typedef struct yk_cluster_source {
    int to, node, output;
    double weight;
    int link;     /* of the graph */
    bool delayed; /* see yoke_graph_delay */
} yk_cluster_source;

typedef struct yk_cluster {
    yoke_system *system;    /* composite, or the only member itself */
    yoke_system *composite; /* owned; NULL if the system is the member's */
    yoke_system **held;     /* in place of constraints, owned; NULL: none */
    char *name;             /* "a" or "a+b" */
    int nodes, sources, ins, outs;
    int *node;                 /* members, in the order of the graph */
    int *x_at;                 /* where the unknowns of each member begin */
    int (*in)[2];              /* inputs: node, input */
    int (*out)[2];             /* outputs: node, output */
    yk_cluster_source *source; /* what feeds the inputs from outside */

    /* Of clusters with events beside others (jumps.c), else NULL: what is known
     * of the inputs, and which of them ask to be solved together with what
     * feeds them.  circle: clusters with the same number, not -1, read each
     * other at one instant. */
    yoke_input_facts *input;
    bool *join;
    int circle;
} yk_cluster;

/* The clusters of `schedule`.  Outputs of a cluster are those that links from
 * outside read and those marked in `extra` (may be NULL), which has an entry
 * for each output of each node in order. */
yoke_status yk_clusters_create(yk_cluster **out, const yoke_graph *graph,
                               const yoke_schedule *schedule, const bool *extra,
                               yoke_err *err);
/* One of them: an array of one, without sources and what is known of jumps. */
yoke_status yk_cluster_one(yk_cluster **out, const yoke_graph *graph,
                           const yoke_schedule *schedule, const bool *extra,
                           int cluster, yoke_err *err);
/* Fills in the last three of each. */
yoke_status yk_clusters_jumps(yk_cluster *clusters, const yoke_graph *graph,
                              const yoke_schedule *schedule, yoke_err *err);
void yk_clusters_free(yk_cluster *clusters, int count); /* accepts NULL */

/* Everything as one cluster, whatever the schedule, at an instant of rest:
 * delayed links act at once, but for those that know their past; these are the
 * only sources.  held: multipliers of constraints that join closed parts keep
 * the values that they have at the start. */
yoke_status yk_cluster_whole(yk_cluster **out, const yoke_graph *graph,
                             const bool *extra, bool held, yoke_err *err);

/* The unknowns of a cluster: x of its nodes, and the inputs u of its nodes that
 * it keeps as unknowns; u = NULL: those are left as they are. */
void yk_cluster_gather(const yk_cluster *cluster, const yoke_graph *graph,
                       const double *const *x, const double *const *u,
                       double *all);

/* Are all its members constraints? */
bool yk_cluster_is_constraint(const yoke_graph *graph,
                              const yk_cluster *cluster);

#endif
