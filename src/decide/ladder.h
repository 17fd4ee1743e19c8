/* decide/ladder.h -- what a run does when its coupling is too strong: another
 * order, corrected sweeps, clusters, shorter windows, one system. */
#ifndef YK_LADDER_H
#define YK_LADDER_H

#include "decide/predict.h"
#include "yoke/run.h"

/* Inputs that are sums of several outputs, at the ends of windows. */
typedef struct yk_sums {
    bool made, any;     /* there are some */
    int *first;         /* of each node: its first input; nodes + 1 */
    int *terms;         /* of each input */
    double *u, *u_peak; /* values of inputs, and the largest */
    double *gain;       /* of their terms' errors; at the end */
    double *y, *y_peak; /* the same of outputs, by their ids */
    double *scratch;
} yk_sums;

typedef struct yk_ladder {
    yoke_model *model; /* borrowed, as the next six */
    const yoke_graph *graph;
    const yoke_run_options *options;
    yk_units *units;
    const yk_tally *tally;
    yk_first_point *initial;
    yk_predict *predict;
    const yoke_watcher *watcher; /* stops steppers on request */

    int steps;
    yoke_ladder_step *step; /* texts are owned */
    size_t step_room;

    bool before;   /* order and clusters may be chosen */
    bool alike;    /* all clusters move at about the same rate at the start, or
                      rates do not differ by what small clusters cost apart */
    bool failures; /* clusters may be made when the iteration fails */
    bool robust;   /* new clusters are solved by radau5 */
    bool apart;    /* constraints stay apart by choice */
    bool joined;   /* they cannot: they are one with what they join */
    bool fixed;    /* clusters stay as they begin: a closed part cannot be
                      handed over */
    int handovers;

    /* Measured in the last window. */
    int block;    /* windows of one sweep since the last judgement, */
    double since; /* and when the first of them began */
    int windows, rejected;
    double length;  /* of the window before */
    bool shortened; /* has been told */
    int *loop;      /* of each unit of plan 0 */
    int loops;
    int *first, *member; /* the units of each loop: loops + 1, units */
    int *costly;         /* of each loop: blocks in a row that cost too much */
    double *done, *one;  /* of each unit: residuals; those of the last solves */
    double *mean_done, *mean_one; /* the same, of the last windows */
    long *accepted;               /* residuals at the last accepted window */
    double crowd; /* residuals of all units as one, over those of the
                           busiest; 0: not measured */

    bool pending;       /* other clusters from the end of this window on */
    bool failed;        /* because the iteration failed */
    int *group;         /* of each unit: its new cluster */
    int *trial, *joins; /* room for one that is looked at */
    int groups;
    yk_sums sums;
    double *sharp;  /* of each node: part of the tolerance that it is solved to;
                       NULL: all of it, everywhere */
    bool *looped;   /* of each node: it is part of a loop; with `sharp` */
    int sharpened;  /* how often */
    bool again;     /* the run begins again because of it */
    char *repaired; /* why the coupled iteration failed; NULL: it did not */
} yk_ladder;

/* Which rungs the options leave open. */
void yk_ladder_open(yk_ladder *l);
void yk_ladder_free(yk_ladder *l);
void yk_ladder_reset(yk_ladder *l); /* keeps the list of steps */

/* Before the clusters are made: order and clusters of plan 0's schedule, by
 * what is known at the initial values. */
yoke_status yk_ladder_before(yk_ladder *l, yoke_err *err);

/* decide/stay.c: constraints that are better off apart leave their owners. */
yoke_status yk_ladder_stay(yk_ladder *l, yoke_err *err);

/* May a constraint of the schedule that stays apart become one with what it joins,
 * because it cannot be solved apart? */
bool yk_ladder_may_join(const yk_ladder *l);

/* The units of plan 0 are new. */
yoke_status yk_ladder_units(yk_ladder *l, yoke_err *err);
void yk_ladder_free_units(yk_ladder *l);

/* A window has been accepted: is another clustering worth while?  Then
 * `pending` is set. */
yoke_status yk_ladder_window(yk_ladder *l, double t1, yoke_err *err);

/* The iteration failed.  Sets `pending` if something is left to try. */
yoke_status yk_ladder_failed(yk_ladder *l, yoke_status failed,
                             const yoke_err *why, yoke_err *err);

/* Of a loop of many units (decide/many.c): the best choice of what is solved as
 * one, by the last window, of this length. */
typedef struct yk_many {
    double ratio; /* work of iterating over that of the choice; 0: it is too
                     early to tell */
    double limit; /* units with at most so many residuals in a window, in the
                     mean, are one; 0: all are */
    bool two;     /* and so are the others */
} yk_many;

void yk_ladder_many(const yk_ladder *l, int which, double length,
                    yk_many *best);

/* Work of iterating a loop of few units over that of one system, by prices; 0: it
 * will have cost too little to matter.  After a window that ends at t. */
double yk_ladder_priced(const yk_ladder *l, int which, double length, double t);

/* The units of these as groups, each named by its first unit; `limit` is not 0. */
void yk_ladder_teams(const yk_ladder *l, int which, const yk_many *many,
                     int *group);

/* decide/sharpen.c: a window has been accepted.  judge: does a unit amplify errors
 * of its inputs by more than their tolerances permit?  Then, if the run may begin
 * again, what feeds it gets smaller ones, and `again` is set. */
yoke_status yk_ladder_sharpen(yk_ladder *l, bool judge, bool may,
                              yoke_err *err);
/* Everything is solved to this part of the tolerance, for a reason that is reported; `again`
 * is set if that changes anything. */
yoke_status yk_ladder_sharpen_all(yk_ladder *l, double part, const char *why,
                                  yoke_err *err);
void yk_sums_free(yk_sums *s);

/* Does one still?  What, as a clause. */
bool yk_ladder_amplified(const yk_ladder *l, char *text, size_t room);

/* The smallest part of the tolerance of these nodes, and of all in loops. */
double yk_ladder_sharp(const yk_ladder *l, int nodes, const int *node);
double yk_ladder_sharp_loops(const yk_ladder *l);

/* Are the steps of the node, which may be a closed part, tested with the tolerance
 * of the run?  And has it unknowns, so that another tolerance may be chosen?
 * (decide/stepper.c) */
bool yk_ladder_is_tested(const yk_ladder *l, int node);
bool yk_ladder_has_tolerance(const yk_ladder *l, int node);

/* The pending clusters as a schedule. */
yoke_status yk_ladder_take(yk_ladder *l, yoke_schedule **out, yoke_err *err);

/* Adds a step to the list. */
yoke_status yk_ladder_say(yk_ladder *l, const char *rung, double t,
                          const char *text, yoke_err *err);

/* The stepper of a cluster (decide/stepper.c).  One sweep only: nothing is kept
 * for the next. */
yoke_status yk_ladder_stepper(const yk_ladder *l, const yk_cluster *cluster,
                              bool one_sweep, yoke_stepper_options *out,
                              yoke_err *err);

/* The same of the cluster of a schedule that node i is in, before a run. */
yoke_status yk_model_find_stepper(const yoke_model *model,
                                  const yoke_run_options *options,
                                  const yoke_schedule *schedule, int i,
                                  yoke_stepper_options *out, yoke_err *err);

/* ---- shared with decide/first_schedule.c, which has yk_ladder_before -----------------
 */

/* More clusters are not looked at one by one. */
enum { YK_MOST_MERGED = 12 };

struct yk_contract;

/* The members of a group: "a, b and c". */
void yk_ladder_names(const yk_ladder *l, const yoke_schedule *schedule,
                     const int *group, int g, char *text, size_t room);

/* Numbers groups, which have numbers of clusters, from 0 in the order in which
 * they run. */
yoke_status yk_ladder_number(const yoke_schedule *schedule, int *group,
                             int *groups, yoke_err *err);

/* May one stepper solve two groups?  All choose their steps, or all have the
 * same one. */
bool yk_ladder_alike(const yk_ladder *l, const yoke_schedule *schedule,
                     const int *group, int a, int b);

/* The radius of a sweep over the groups; INFINITY: one of them is singular. */
yoke_status yk_ladder_radius(struct yk_contract *contract,
                             const yoke_schedule *schedule, const int *group,
                             double *rho, yoke_err *err);

/* Merges the two groups, each named by its first cluster, that are linked, may
 * be solved by one stepper, and leave the least radius; of one loop if `loop`
 * is given. */
yoke_status yk_ladder_pair(const yk_ladder *l, struct yk_contract *contract,
                           const yoke_schedule *schedule, const int *loop,
                           int which, int *group, double *rho, bool *found,
                           yoke_err *err);

#endif
