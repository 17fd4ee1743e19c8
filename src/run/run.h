/* run/run.h -- the parts of a run. */
#ifndef YK_RUN_H
#define YK_RUN_H

#include "graph/cluster.h"
#include "iter/iteration.h"
#include "decide/ladder.h"
#include "model/model.h"
#include "model/names.h"
#include "model/options.h"
#include "model/point.h"
#include "run/spot.h"
#include "record/tally.h"
#include "yoke/result.h"

/* One schedule with its clusters and their propagators. */
typedef struct yk_run_plan {
    yoke_schedule *schedule;
    double weight;
    yk_cluster *cluster;         /* schedule->clusters */
    yoke_propagator *propagator; /* the same number */
    yk_unit *unit;
    yk_feed **feed;  /* of each unit */
    int **output_id; /* of each unit: number of each output component */
    int **watch;     /* of each unit: unknowns that are recorded (plan 0) */
    int *watches;
    double **y0;  /* of each unit: outputs at the start */
    int *members; /* of each unit: how many subsystems of the model */
} yk_run_plan;

/* A recorded variable: where its value is found in plan 0. */
typedef struct yk_column {
    int node;
    bool is_output; /* component of the output waveform; otherwise watched */
    int index;      /* unknown or output of the node */
    int unit, component;
} yk_column;

/* What is left of a constraint, see yoke_run_drift. */
typedef struct yk_run_drift {
    int column;
    double largest, t;
} yk_run_drift;

/* A remark of a subsystem that became true. */
typedef struct yk_run_remark {
    int node, number;
    yoke_remark remark;
} yk_run_remark;

typedef struct yk_times {
    int count;
    double *at;
    size_t room;
} yk_times;

/* A subsystem of the model with the constraints that it owns: what is solved
 * alone if nothing is clustered, and what work is counted for. */
typedef struct yk_base {
    char *name;     /* "a" or "a+joint" */
    int node;       /* the first of its nodes */
    yoke_work past; /* by clusters that are no more */
    yoke_work once; /* of the last solves of accepted windows */
    bool hidden;    /* not known: it was solved with others */
} yk_base;

/* The accepted outputs over the whole run, and the work to solve each subsystem
 * of the model once with them. */
typedef struct yk_oracle {
    yk_cluster *cluster; /* one for each subsystem; NULL: nothing is kept */
    int *read;           /* of each output id: its place in the wave, or -1 */
    int *reads;          /* of each subsystem: how many of its outputs */
    yoke_wave **wave;    /* of each: those outputs */
    yoke_wave **part;    /* one window of each */
    yoke_wave_term *term;
    yoke_work *work; /* NULL: not measured */
    double *end;     /* of each window */
    int ends;
    size_t end_room;
} yk_oracle;

struct yoke_run {
    yoke_model *model;
    yoke_graph *graph;
    yoke_run_options options;
    char *texts; /* those of the options */
    yoke_watcher watcher;

    int bases;
    yk_base *base;
    yoke_schedule *alone; /* one cluster for each of them */

    int plans;
    yk_run_plan *plan;
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

    int columns; /* recorded */
    yk_column *column;
    char **name;      /* of each */
    double *row;      /* time, then the values at the time reached */
    double *scratch;  /* one value of the widest waveform */
    double next_row;  /* number of the next row of the regular grid */
    double last_row;  /* time of the last row written */
    yk_times when;    /* rows of the present window */
    yk_times instant; /* where both sides are written */
    int crowd;        /* of them since the last row of the grid */
    double *left;     /* the left side */
    yk_run_remark *remark;
    char *rest_text; /* of a remark of run/rest.c, or NULL */
    int remarks;
    size_t remark_room;
    yoke_writer *writer;
    int result_table, log_table, work_table, iterate_table;
    double *log_row;
    bool log_split;  /* the log has the columns of a split unit */
    int coupled;     /* variables of the first units */
    int *coupled_id; /* output id of each */
    int *coupled_at; /* of each: number among the present variables, or -1 */
    int (*iterate_at)[2]; /* of each: unit and component of plan 0, or -1 */
    double *iterate_row;  /* NULL: iterates are not recorded */
    double last_flush;

    yk_tally tally;
    int drifts;
    yk_run_drift *drift;
    yk_ladder ladder;
    yk_point initial; /* values at the start, if they are known */
    bool initial_known;
    yoke_iterate_result before; /* what earlier clusters did */
    yoke_schedule *forced;      /* NULL, or what the run begins again with */
    yk_predict predict;
    double predicted_rate; /* NAN: not asked for, or not known */
    yk_oracle oracle;
    yk_spot spot;
    struct yk_passive *passive; /* NULL: no subsystem is port-Hamiltonian */

    int notes; /* name and text of each, in order */
    char **note;
    size_t note_room;
    char *repaired; /* why the coupled iteration failed; NULL: it did not */

    char uncertain[800]; /* see yoke_run_uncertain */
    double began, seconds;
    bool failed; /* the last advance did not come to its end */
    bool ready;  /* creation came to its end */
};

/* run/passive.c: the schemes for port-Hamiltonian subsystems, and the energy
 * of those in any scheme. */
yoke_status yk_passive_check(const yoke_run_options *options, yoke_err *err);

/* All members are port-Hamiltonian, and the scheme asks for it. */
bool yk_passive_wanted(const yoke_run *run, const yk_cluster *cluster);
yoke_status yk_passive_propagator(yoke_run *run, yk_run_plan *p, int c,
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

/* run/precondition.c: a yoke_preconditioner that reads entries of A from its
 * context, a text. */
yoke_status yk_precondition(void *text, double t, int n,
                            const char *const *name, double *A, yoke_err *err);

/* run/plan.c: schedules, clusters, propagators and what connects them. */
yoke_status yk_run_make_plans(yoke_run *run, yoke_err *err);
yoke_status yk_run_make_units(yoke_run *run, yoke_err *err);
void yk_run_free_plans(yoke_run *run);

/* Plan 0 anew with another schedule, which it takes, and the list of tested
 * variables; the old plan is left to the caller in *old. */
yoke_status yk_run_replan(yoke_run *run, yoke_schedule *schedule,
                          yk_run_plan *old, yoke_err *err);
void yk_run_free_plan(yk_run_plan *plan);

/* run/rest.c: a remark if nothing has moved up to t though something grows. */
yoke_status yk_run_note_rest(yoke_run *run, double t, yoke_err *err);

/* run/run.c */
yoke_status yk_run_make_iteration(yoke_run *run, yoke_err *err);
yoke_iterate_result yk_run_iterated(const yoke_run *run);
yoke_status yk_run_write_note(yoke_run *run, const char *name, const char *text,
                              yoke_err *err);

/* run/handover.c: the values of everything at the time reached, t.  Clear the
 * point also on failure. */
yoke_status yk_run_point(const yoke_run *run, double t, yk_point *point,
                         yoke_err *err);

/* The same at a time inside the last accepted window, if all unknowns are
 * watched (spot.h). */
yoke_status yk_run_point_inside(const yoke_run *run, double t, yk_point *point,
                                yoke_err *err);

/* Goes on from the time reached with the clusters of another
 * schedule, which it takes. */
yoke_status yk_run_hand_over(yoke_run *run, yoke_schedule *schedule,
                             yoke_err *err);

/* The stepper of a cluster: that of the first member that has one.  One sweep
 * only: nothing is kept for the next. */
yoke_status yk_run_stepper(const yoke_run *run, const yk_cluster *cluster,
                           bool one_sweep, yoke_stepper_options *out,
                           yoke_err *err);

/* run/start.c: values of everything at the start; starts the propagators. */
yoke_status yk_run_start(yoke_run *run, yoke_err *err);
yoke_status yk_start_unit(const yoke_run *run, const yk_cluster *cluster,
                          const yoke_propagator *propagator, double t,
                          const yk_point *point, double *y0, yoke_err *err);
yoke_status yk_start_iteration(yoke_run *run, double t, yoke_err *err);

/* The values at the start, made once. */
yoke_status yk_run_initial(yoke_run *run, yoke_err *err);

/* record/oracle.c: keeps the waveforms of an accepted window, if asked to. */
yoke_status yk_oracle_window(yoke_run *run, double t0, double t1,
                             yoke_err *err);
void yk_oracle_free(yoke_run *run);

/* record/drift.c: the largest drift of recorded constraints. */
yoke_status yk_drift_create(yoke_run *run, yoke_err *err);
void yk_drift_window(yoke_run *run);

/* The waveform of the last window that holds a column (record.c). */
const yoke_wave *yk_record_wave(const yoke_run *run, const yk_column *column);

/* record/record.c: chooses columns, writes rows and the coupling log. */
yoke_status yk_record_choose(yoke_run *run, yoke_err *err);
yoke_status yk_record_place(yoke_run *run, yoke_err *err);
yoke_status yk_record_room(yoke_run *run, yoke_err *err);
void yk_record_find_coupled(yoke_run *run);
yoke_status yk_record_open(yoke_run *run, yoke_err *err);
yoke_status yk_record_first(yoke_run *run, double t, const double *const *x,
                            const double *y, yoke_err *err);
yoke_status yk_record_window(yoke_run *run, double t0, double t1,
                             yoke_err *err);
yoke_status yk_record_sweep(yoke_run *run, const yoke_sweep *sweep,
                            yoke_err *err);
yoke_status yk_record_last(yoke_run *run, yoke_err *err);
void yk_record_free(yoke_run *run);

/* record/journal.c: what a result file says about its run: options and graph as
 * notes, iterates, the work at the end. */
yoke_status yk_journal_open(yoke_run *run, yoke_err *err);
void yk_journal_find_iterates(yoke_run *run);
yoke_status yk_journal_sweep(yoke_run *run, const yoke_sweep *sweep,
                             yoke_err *err);
yoke_status yk_journal_failure(yoke_run *run, const yoke_err *why,
                               yoke_err *err);
yoke_status yk_journal_end(yoke_run *run, yoke_err *err);
void yk_journal_free(yoke_run *run);

#endif
