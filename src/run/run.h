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
#include "record/record.h"
#include "record/tally.h"
#include "verify/spot.h"
#include "yoke/result.h"

struct yoke_run {
    yoke_model *model;
    yoke_graph *graph;
    yoke_run_options options;
    char *texts; /* those of the options */
    yoke_watcher watcher;

    yk_units units;   /* what is swept */
    yk_record record; /* what is kept */
    yk_tally tally;   /* what is counted */
    yk_oracle oracle; /* waveforms of the whole run, on request */
    yk_ladder ladder; /* what is decided */
    yk_predict predict;
    int told;                   /* steps of the ladder in the result file */
    yk_spot spot;               /* what is checked */
    struct yk_passive *passive; /* NULL: no subsystem is port-Hamiltonian */

    yk_initial initial;         /* values at the start */
    yoke_iterate_result before; /* what earlier clusters did */
    yoke_schedule *forced;      /* NULL, or what the run begins again with */
    double predicted_rate;      /* NAN: not asked for, or not known */

    char uncertain[800]; /* see yoke_run_uncertain */
    double began, seconds;
    bool failed;   /* the last advance did not come to its end */
    bool ready;    /* creation came to its end */
    bool finished; /* what happens at the stop time has happened */
};

/* run/passive.c: the schemes for port-Hamiltonian subsystems, and the energy
 * of those in any scheme. */
yoke_status yk_passive_check(const yoke_run_options *options, yoke_err *err);

/* All members are port-Hamiltonian, and the scheme asks for it. */
bool yk_passive_wanted(const yoke_run *run, const yk_cluster *cluster);

/* The method and the step of a node that a split scheme solves (rtol 0: without
 * error control); false for others. */
bool yk_passive_stepper(const yoke_graph *graph, const yoke_run_options *o,
                        int node, yoke_stepper_options *out);
yoke_status yk_passive_propagator(yoke_run *run, yk_unit_plan *p, int c,
                                  yoke_err *err);

/* After a failure: may these nodes, marked, be iterated by port waves instead
 * of being solved as one?  All are port-Hamiltonian, or linear with that form,
 * and have the same implicit method of low order with the same fixed step. */
bool yk_passive_may(const yoke_run *run, const bool *marked);

/* The unit that is split inside and the only one; -1: there is none. */
int yk_passive_unit(const yoke_run *run);

/* After the plans are made: what the energy needs; every window. */
yoke_status yk_passive_open(yoke_run *run, yoke_err *err);
yoke_status yk_passive_place(yoke_run *run, yoke_err *err); /* other units */
void yk_passive_free(yoke_run *run);
yoke_status yk_passive_window(yoke_run *run, double t0, double t1,
                              yoke_err *err);
void yk_passive_counts(const yoke_run *run, yoke_iterate_result *result);
void yk_passive_summary(const yoke_run *run, yoke_run_result *result);
void yk_passive_text(const yoke_run *run, char *text, size_t room);

/* run/plan.c: schedules, clusters, propagators and what connects them. */
yoke_status yk_run_make_plans(yoke_run *run, yoke_err *err);
yoke_status yk_run_make_units(yoke_run *run, yoke_err *err);
void yk_run_free_plans(yk_units *units);

/* Plan 0 anew with another schedule, which it takes, and the list of tested
 * variables; the old plan is left to the caller in *old. */
yoke_status yk_run_replan(yoke_run *run, yoke_schedule *schedule,
                          yk_unit_plan *old, yoke_err *err);
void yk_run_free_plan(yk_unit_plan *plan);

/* run/run.c */
yoke_status yk_run_make_iteration(yoke_run *run, yoke_err *err);
yoke_iterate_result yk_run_iterated(const yoke_run *run);
yoke_status yk_run_log_sweep(yoke_run *run, const yoke_sweep *sweep,
                             yoke_err *err);

/* run/handover.c: goes on from the time reached with the clusters of another
 * schedule, which it takes. */
yoke_status yk_run_hand_over(yoke_run *run, yoke_schedule *schedule,
                             yoke_err *err);

/* run/start.c: values of everything at the start; starts the propagators. */
yoke_status yk_run_start(yoke_run *run, yoke_err *err);
yoke_status yk_start_iteration(yoke_run *run, double t, yoke_err *err);

#endif
