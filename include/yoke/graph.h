/* yoke/graph.h -- subsystems, what couples them, and in which order they run.
 *
 * A signal sets an input to a linear combination of outputs, u = K y + c.  A
 * constraint 0 = g(t, y) is a small subsystem of its own: unknown lambda,
 * inputs y, outputs lambda.  Alone it is not solvable for lambda: it is
 * clustered with a neighbour, its owner, or stays apart and asks the subsystems
 * that it joins how they move.  A cluster is solved as one subsystem.
 *
 * Ports are addressed as "subsystem.port".  Names of subsystems may be paths,
 * "drive.motor"; what is not made of letters, digits and _ stands between single
 * quotes: "'Motor 1'.speed", in which a quote is written twice.
 */
#ifndef YOKE_GRAPH_H
#define YOKE_GRAPH_H

#include "yoke/compose.h"
#include "yoke/system.h"

YOKE_BEGIN_C

typedef struct yoke_graph yoke_graph;

/* input += weight * output. */
YOKE_API yoke_status yoke_graph_signal(yoke_graph *graph, const char *input,
                                       const char *output, double weight,
                                       yoke_err *err);

/* input += value.  The graph gets a subsystem "constant" for it, once, whose
 * only output is 1. */
YOKE_API yoke_status yoke_graph_constant(yoke_graph *graph, const char *input,
                                         double value, yoke_err *err);

/* input(t) += weight * output(t - delay), delay > 0.  Before the start the
 * output was *past, or, if that is NULL, what it is at the start.  Windows are
 * not longer than the shortest delay, so that such a signal needs no
 * iteration. */
YOKE_API yoke_status yoke_graph_delay(yoke_graph *graph, const char *input,
                                      const char *output, double weight,
                                      double delay, const double *past,
                                      yoke_err *err);

/* At which level a constraint g between positions is solved; g' and g'' are
 * made from the velocities and accelerations of the outputs that it reads,
 * which must be outputs too, under their names and ".v", ".a"
 * (yoke/mechanism.h). */
typedef enum yoke_form {
    YOKE_FORM_POSITION,   /* 0 = g: as it stands */
    YOKE_FORM_VELOCITY,   /* 0 = g' */
    YOKE_FORM_STABILISED, /* 0 = g'' + 2 eta g' + eta^2 g */
    YOKE_FORM_DAMPED      /* 0 = g' + eta g */
} yoke_form;

/* 0 = g(t, y), `count` equations with as many multipliers, which are outputs of
 * the new subsystem.  Where they act is said by signals:
 * yoke_graph_signal(g, "body.force", "joint.lambda", -1). */
typedef struct yoke_constraint {
    int count;
    int outputs;               /* how many outputs enter */
    const char *const *output; /* "subsystem.output" */

    /* Linear: g = W y - d(t).  W is count by outputs, row by row; `offset`,
     * which may be NULL, writes d[count], and for other forms than position,
     * or if `rates` is set, also d'[count] and d''[count] behind it. */
    const double *weight;
    void (*offset)(void *context, double t, double *d);
    bool rates;

    /* Or any function, in the form position: writes g[count].  One of weight
     * and function. */
    void (*function)(void *context, double t, const double *y, double *g);
    void *context; /* borrowed */

    /* Of a function: writes its derivatives by the outputs, count by outputs,
     * row by row; NULL: differences.  `reads`, as large: false where an equation
     * does not contain an output; NULL: each may contain all. */
    void (*slopes)(void *context, double t, const double *y, double *slope);
    const bool *reads;

    yoke_form form;
    double eta;          /* 1/s; of the stabilised form more than 0, of the form
                   velocity 0 or more: errors of g die out like exp(-eta t) */
    const double *start; /* initial multipliers, count; NULL: zero */
    const char *owner;   /* subsystem it is clustered with; NULL: none yet */
    bool may_stay; /* the owner is a suggestion: with cluster = none, and where
                      the program finds it better, the constraint stays apart
                      from all that it joins and is iterated */

    /* Names of the multipliers, count, each another; NULL: "lambda", or
     * "lambda1", "lambda2", ... if count > 1. */
    const char *const *multiplier;

    /* Breakpoints of d or g, as in yoke_system_ops; NULL: none.  `straight`:
     * d is linear in t between them. */
    double (*next_break)(void *context, double t);
    bool straight;
} yoke_constraint;

YOKE_API yoke_status yoke_graph_constraint(yoke_graph *graph, const char *name,
                                           const yoke_constraint *constraint,
                                           yoke_err *err);

YOKE_API int yoke_graph_count(const yoke_graph *graph);
YOKE_API yoke_system *yoke_graph_system(const yoke_graph *graph, int i);
YOKE_API int yoke_graph_find(const yoke_graph *graph, const char *name);

/* All links, sorted as they were added; borrowed. */
YOKE_API int yoke_graph_links(const yoke_graph *graph, const yoke_link **link);

/* The delay of link l. */
typedef struct yoke_delay {
    double time; /* 0: none */
    bool has_past;
    double past; /* if has_past: the output before the start */
} yoke_delay;

YOKE_API yoke_delay yoke_graph_delay_of(const yoke_graph *graph, int l);

/* ---- Schedules ---------------------------------------------------------- */

typedef enum yoke_scheme {
    YOKE_GAUSS_SEIDEL, /* one cluster after the other, newest waveforms */
    YOKE_JACOBI,       /* all at once, waveforms of the last sweep */
    YOKE_PICARD,       /* as Jacobi, and inputs that a subsystem feeds back to
                          itself are taken from the last sweep too */
    YOKE_MONOLITHIC,   /* everything is one cluster */
    YOKE_PORT_WAVES,   /* the port-Hamiltonian subsystems are one cluster, which
                          is iterated inside by the port-wave exchange; the
                          others as Gauss-Seidel */
    YOKE_LIONS_MERCIER /* the same, by Algorithm 1 of Bartel and others */
} yoke_scheme;

/* What happens in a sweep.  Stage s runs the clusters member[stage[s]] ...
 * member[stage[s+1]-1] at once; a cluster may occur in several stages.
 *
 * As text ">" is between stages, "," between clusters that run at once, "+"
 * between the members of a cluster: "plant + joint, filter > controller". */
typedef struct yoke_schedule {
    int nodes, clusters, stages;
    int *cluster; /* of each subsystem */
    int *stage;   /* stages + 1 */
    int *member;  /* stage[stages] */
    bool lag_self;
} yoke_schedule;

/* The text of a schedule, or of one of its clusters (-1: of all).  False:
 * it was cut. */
YOKE_API bool yoke_schedule_text(const yoke_schedule *schedule,
                                 const yoke_graph *graph, int cluster,
                                 char *text, size_t room);
YOKE_API void yoke_schedule_free(yoke_schedule *schedule); /* accepts NULL */

/* How many times faster a sweep is with any number of processors than with one,
 * if every cluster takes as many steps as the others: the work of all of them
 * over that of the longest of each stage.  What a run counted is in the summary
 * of the run.  NAN: out of memory. */
YOKE_API double yoke_schedule_gain(const yoke_schedule *schedule,
                                   const yoke_graph *graph);

/* Every input connected, every cluster solvable at (t, initial values): first
 * by structure, then by numbers.  YOKE_E_MODEL names the unknown and equation
 * that are missing and, where there is one, the pairing of equations with
 * unknowns that would be solvable. */
YOKE_API yoke_status yoke_graph_check(const yoke_graph *graph,
                                      const yoke_schedule *schedule, double t,
                                      yoke_err *err);

YOKE_END_C

#endif
