/* graph/graph.h -- nodes and links of a graph. */
#ifndef YK_GRAPH_H
#define YK_GRAPH_H

#include "base/base.h"
#include "base/names.h"
#include "yoke/graph.h"

typedef struct yk_graph_node {
    yoke_system *system;
    int owner;          /* node it is clustered with, or -1 */
    bool may_stay;      /* a constraint without a named owner: it may also
                           be a cluster of its own */
    bool is_constraint; /* cannot be solved alone */
} yk_graph_node;

struct yoke_graph {
    int nodes, links, delays;
    bool dotted;  /* some node has a dot in its name */
    int constant; /* node whose output is 1, plus 1; 0: there is none */
    size_t node_room, link_room, delay_room;
    yk_graph_node *node;
    yoke_link *link;
    yoke_delay *delay; /* of the first `delays` links; the others have none */
    yk_names names;    /* of the nodes */
};

yoke_status yk_graph_create(yoke_graph **out, yoke_err *err);
void yk_graph_free(yoke_graph *graph); /* accepts NULL */

/* Adds a subsystem under its own name.  Takes it, also on failure. */
yoke_status yk_graph_add(yoke_graph *graph, yoke_system *system, yoke_err *err);

/* `name` is solved together with `owner`, in every schedule that does not say
 * otherwise.  A circle of owners is refused. */
yoke_status yk_graph_own(yoke_graph *graph, const char *name, const char *owner,
                         yoke_err *err);

/* `order`: names of subsystems, each once (those owned by another may be left
 * out); NULL: the order in which they were added. */
yoke_status yk_schedule_create(yoke_schedule **out, const yoke_graph *graph,
                               yoke_scheme scheme, int count,
                               const char *const *order, yoke_err *err);

/* From text: ">" between stages, "," between clusters that run at once, "+"
 * between the members of a cluster: "plant + joint, filter > controller". */
yoke_status yk_schedule_parse(yoke_schedule **out, const yoke_graph *graph,
                              const char *text, yoke_err *err);

/* The schedule with the clusters merged that have the same group, groups being
 * numbered from 0 in the order in which their first members run; a group runs
 * in the stage of its first member, once. */
yoke_status yk_schedule_merge(yoke_schedule **out, const yoke_schedule *old,
                              const int *group, yoke_err *err);

/* Constraints without named owners leave the clusters of their owners:
 * those that share a subsystem become one cluster, and all of these run at once,
 * behind all others.  closed_only: those that join closed parts, which cannot own
 * them.  *out: NULL if there is none. */
yoke_status yk_schedule_part(yoke_schedule **out, const yoke_graph *graph,
                             const yoke_schedule *old, bool closed_only,
                             yoke_err *err);

/* Does it read a closed part, or act on one? */
bool yk_constraint_joins_closed(const yoke_graph *graph, int constraint);

/* Are all members of a cluster constraints? */
bool yk_schedule_is_constraint(const yoke_schedule *schedule,
                               const yoke_graph *graph, int cluster);

/* The same of all clusters: is[c]. */
void yk_schedule_constraints(const yoke_schedule *schedule,
                             const yoke_graph *graph, bool *is);

/* Refuses clusters of constraints alone that do not run behind all that they
 * join, or leave out a constraint on one of these. */
yoke_status yk_schedule_check_apart(const yoke_schedule *schedule,
                                    const yoke_graph *graph, yoke_err *err);

/* The same clusters one after the other, in this order. */
yoke_status yk_schedule_reorder(yoke_schedule **out, const yoke_schedule *old,
                                const int *order, yoke_err *err);

/* An order of the clusters, each of which is one stage, in which few outputs are
 * read before they are made: *late; *now in the order of the schedule. */
yoke_status yk_schedule_few_late(const yoke_graph *graph,
                                 const yoke_schedule *schedule, int *order,
                                 int *now, int *late, yoke_err *err);

/* Outputs that are read before they are made, in this order. */
yoke_status yk_schedule_count_late(const yoke_graph *graph,
                                   const yoke_schedule *schedule,
                                   const int *order, int *count, yoke_err *err);

/* An order of the clusters, each of which is one stage, by colours (colours.c);
 * turned: the last colour first. */
yoke_status yk_schedule_colours(const yoke_graph *graph,
                                const yoke_schedule *schedule, bool turned,
                                int *order, yoke_err *err);

/* Is the cluster made of hidden nodes only?  Then it runs before all others. */
bool yk_schedule_is_hidden(const yoke_schedule *s, const yoke_graph *graph,
                           int cluster);

/* Loops of the coupling: clusters that can reach each other through links have
 * the same number, numbers are in an order in which every loop comes after
 * those that feed it, and among these in the order of the clusters.  `loop` has
 * an entry for each cluster; *count: how many loops. */
yoke_status yk_schedule_loops(const yoke_graph *graph,
                              const yoke_schedule *schedule, int *loop,
                              int *count, yoke_err *err);

/* The same of the links marked in `only`. */
yoke_status yk_schedule_circles(const yoke_graph *graph,
                                const yoke_schedule *schedule, const bool *only,
                                int *loop, int *count, yoke_err *err);

/* The same of the nodes at an instant of rest: delayed links act at once, but
 * for those that know their past. */
yoke_status yk_graph_loops(const yoke_graph *graph, int *loop, int *count,
                           yoke_err *err);

/* How much an error of each output counts, in the order of nodes and outputs,
 * at least 1: *weight, the caller's to free.  The systems learn how much their
 * unknowns count (weigh.c). */
yoke_status yk_graph_weigh(const yoke_graph *graph, double t, double **weight,
                           yoke_err *err);

/* Refuses a graph with an input that nothing feeds. */
yoke_status yk_graph_complete(const yoke_graph *graph, yoke_err *err);

/* The node whose name is text[0 .. length); says what there is otherwise. */
yoke_status yk_graph_find_part(const yoke_graph *graph, const char *text,
                               size_t length, int *node, yoke_err *err);

/* Bytes of "node.port" that are the node: no two nodes can be meant. */
size_t yk_graph_split(const yoke_graph *graph, const char *address);

/* Splits "node.port" and finds the node and its input or output. */
yoke_status yk_graph_port(const yoke_graph *graph, const char *address,
                          bool input, int *node, int *port, yoke_err *err);

/* The form that a constraint is solved in (constraint.c). */
yoke_form yk_constraint_form(const yoke_system *constraint);

/* What is left of a constraint at one level, 0: positions, 1: velocities, with
 * the inputs u: residual[n], and size[n] of its terms.  False if its form does
 * not read them. */
bool yk_constraint_residual(const yoke_system *constraint, double t,
                            const double *u, int level, double *residual,
                            double *size);

/* Refuses inputs u at the start that do not satisfy a constraint: positions and
 * velocities where its form reads them.  What the solution of the start finds
 * by itself is not asked: positions in the form position, unless `given`.  In
 * the form stabilised `given` says that errors are meant and die out. */
yoke_status yk_constraint_start(const yoke_system *constraint, double t,
                                const double *u, bool given, yoke_err *err);

/* The inputs of a constraint at time t and their derivatives up to `level`:
 * u[l * stride + j].  Times in which something changes are not shorter than
 * `scale`. */
typedef struct yk_constraint_motion {
    double t, scale;
    int level;
    const double *u;
    int stride;
} yk_constraint_motion;

/* The residual of a constraint and its derivatives along such a motion:
 * g[l * g_stride + i], and D = dg/du, rows D_stride apart (constraint_rates.c).
 */
yoke_status yk_constraint_rates(const yoke_system *constraint,
                                const yk_constraint_motion *motion, double *g,
                                int g_stride, double *D, int D_stride,
                                yoke_err *err);

/* Is it linear in what it reads? */
bool yk_constraint_is_linear(const yoke_system *constraint);

/* u[source->to] += what the source is at the initial values, with inputs zero
 * (solve_check.c). */
struct yk_cluster_source;
yoke_status yk_graph_add_source(const yoke_graph *graph,
                                const struct yk_cluster_source *source,
                                double t, double *u, yoke_err *err);
/* All of a cluster: u[] is zero before. */
struct yk_cluster;
yoke_status yk_graph_inputs_at(const yoke_graph *graph,
                               const struct yk_cluster *cluster, double t,
                               double *u, yoke_err *err);

/* The first cluster that cannot be solved for its own unknowns, or -1. */
yoke_status yk_graph_unsolvable(const yoke_graph *graph,
                                const yoke_schedule *schedule, double t,
                                int *cluster, yoke_err *err);

/* Refuses constraints that no multiplier can hold, that are redundant or that
 * contradict each other (constraint_check.c). */
yoke_status yk_constraints_check(const yoke_graph *graph, double t,
                                 yoke_err *err);

#endif
