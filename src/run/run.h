/* run/run.h -- the parts of a run. */
#ifndef YK_RUN_H
#define YK_RUN_H

#include "decide/ladder.h"
#include "decide/predict.h"
#include "iter/units.h"
#include "model/model.h"
#include "model/names.h"
#include "model/options.h"
#include "model/point.h"
#include "record/oracle.h"
#include "record/power.h"
#include "record/record.h"
#include "record/tally.h"
#include "run/second.h"
#include "verify/spot.h"
#include "yoke/checkpoint.h"
#include "yoke/result.h"

enum { YK_RUN_MACHINES = 8 };

struct yoke_run {
    yoke_model *model;
    yoke_graph *graph;
    yoke_run_options options;
    char *texts; /* those of the options */
    yoke_watcher watcher;
    yoke_pause pause;     /* between two windows */
    yk_executor executor; /* what runs at once */
    yk_gate gate;         /* between the watcher and the threads */

    yk_units units;   /* what is swept */
    yk_record record; /* what is kept */
    yk_tally tally;   /* what is counted */
    yk_oracle oracle; /* waveforms of the whole run, on request */
    yk_ladder ladder; /* what is decided */
    yk_predict predict;
    int told;         /* steps of the ladder in the result file */
    yk_spot spot;     /* what is checked */
    yk_second second; /* the whole, solved again */
    yk_power *power;  /* NULL: no subsystem is port-Hamiltonian */

    yoke_iterate_options iterate; /* those of the run, with the tolerances that
                                     loops are iterated to */
    yk_first_point initial;       /* values at the start */
    yoke_iterate_result before;   /* what earlier clusters did */
    yoke_schedule *forced;        /* NULL, or what the run begins again with */
    double predicted_rate;        /* NAN: not asked for, or not known */

    yoke_scaling scaling[YK_RUN_MACHINES]; /* see yoke_run_scaling */
    char uncertain[800];                   /* see yoke_run_uncertain */
    double began, seconds;
    bool whole;    /* no part of it was seen: it may begin again */
    bool advances; /* so it was whole, or not, before it was saved */
    bool failed;   /* the last advance did not come to its end */
    bool ready;    /* creation came to its end */
    bool finished; /* what happens at the stop time has happened */
};

/* A sweep of a unit that iterates inside. */
yoke_status yk_run_inner_sweep(void *run, const yoke_sweep *sweep,
                               yoke_err *err);

/* run/scaling.c: what runs the jobs; the note `scaling` of a recorded run. */
yoke_status yk_run_executor(yoke_run *run, yoke_err *err);
yoke_status yk_run_note_scaling(yoke_run *run, yoke_err *err);

/* run/results.c: notes on how certain the result is: the checks that were made, and
 * what is not certified. */
yoke_status yk_run_note_certainty(yoke_run *run, yoke_err *err);

/* run/closed.c: closed parts get their places, and begin at once, for the check
 * and for the first point. */
yoke_status yk_run_place_closed(yoke_run *run, yoke_err *err);
yoke_status yk_run_ask_closed(yoke_run *run, yoke_err *err);
yoke_status yk_run_closed_point(yoke_run *run, yoke_err *err);

/* run/plan.c: schedules, clusters, propagators and what connects them. */
yoke_status yk_run_make_plans(yoke_run *run, yoke_err *err);
/* job(context, unit) for all units of a plan, those at once that may be; closed_only:
 * closed parts, whose job is an exchange with a worker, and the others in order. */
yoke_status yk_run_each_unit(yoke_run *run, const yk_unit_plan *plan,
                             bool closed_only, yk_job job, void *context,
                             yoke_err *err);
/* The propagator of cluster c. */
yoke_status yk_run_make_propagator(yoke_run *run, yk_unit_plan *p, int c,
                                   yoke_err *err);
/* run/owners.c: other owners for constraints that theirs cannot solve. */
yoke_status yk_find_owners(const yoke_graph *graph,
                           const yoke_run_options *options, yoke_run *run,
                           yoke_schedule **schedule, yoke_err *err);
yoke_status yk_run_make_units(yoke_run *run, yoke_err *err);
void yk_run_free_plans(yk_units *units);

/* Plan 0 again with another schedule, which it takes, and the list of tested
 * variables; the old plan is left to the caller in *old. */
yoke_status yk_run_replan(yoke_run *run, yoke_schedule *schedule,
                          yk_unit_plan *old, yoke_err *err);
void yk_run_free_plan(yk_unit_plan *plan);

/* run/run.c */
/* An empty run that begins again gets its parts, with the clusters that it was made
 * empty for. */
yoke_status yk_run_rebuild(yoke_run *run, yoke_err *err);
yoke_status yk_run_make_iteration(yoke_run *run, yoke_err *err);
yoke_iterate_result yk_run_iterated(const yoke_run *run);

/* Has a subsystem events? */
bool yk_run_has_events(const yoke_run *run);

/* run/handover.c: goes on from the time reached with the clusters of another
 * schedule, which it takes. */
yoke_status yk_run_hand_over(yoke_run *run, yoke_schedule *schedule,
                             yoke_err *err);

/* run/checkpoint.c: can the cluster be saved, if the run is to be? */
yoke_status yk_run_check_saved(const yk_cluster *cluster,
                               const yoke_stepper_options *stepper,
                               const yoke_graph *graph, yoke_err *err);

/* run/start.c: values of everything at the start; starts the propagators. */
yoke_status yk_run_start(yoke_run *run, yoke_err *err);
yoke_status yk_start_iteration(yoke_run *run, double t, yoke_err *err);

#endif
