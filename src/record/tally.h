/* record/tally.h -- what is counted while a run goes on, for its summary. */
#ifndef YK_TALLY_H
#define YK_TALLY_H

#include "base/base.h"
#include "yoke/run.h"

/* The windows of a run, thinned out evenly when they are many. */
enum { YK_WINDOWS_KEPT = 1024 };

typedef struct yk_window_fact {
    double length;
    double rate; /* measured in it, by three sweeps or more; NAN: not */
} yk_window_fact;

/* The work of each unit of plan 0. */
typedef struct yk_unit_work {
    yoke_work seen; /* after the last sweep */
    yoke_work last; /* of the last solve in the present window */
} yk_unit_work;

struct yk_run_plan;
struct yk_contract;

typedef struct yk_tally {
    int kept, stride, skip; /* one of `stride` windows is kept */
    yk_window_fact *fact;   /* YK_WINDOWS_KEPT */
    int units;
    yk_unit_work *unit;

    /* The attempt at a window that is going on, or failed last. */
    int sweeps; /* that came to their end */
    double t0, t1, first_change, last_change, rate;
    const double *change; /* of each variable; borrowed from the iteration */
} yk_tally;

yoke_status yk_tally_create(yoke_run *run, yoke_err *err);
void yk_tally_free(yoke_run *run);

/* The subsystems of the model: what work is counted for. */
yoke_status yk_tally_bases(yoke_run *run, yoke_err *err);

/* The units of plan 0 are new; what those of the old plan that are no more did
 * is kept. */
yoke_status yk_tally_units(yoke_run *run, yoke_err *err);
void yk_tally_archive(yoke_run *run, const struct yk_run_plan *old);

void yk_tally_start(yoke_run *run); /* the propagators have been started */
void yk_tally_sweep(yoke_run *run, const yoke_sweep *sweep);
void yk_tally_window(yoke_run *run, double t0, double t1);

/* Median of the measured rates; NAN: none was measured. */
double yk_tally_rate(const yoke_run *run);

/* Adds work b to a; a - b. */
void yk_work_add(yoke_work *a, const yoke_work *b);
yoke_work yk_work_between(const yoke_work *a, const yoke_work *b);

/* ---- prediction (decide/predict.c) ------------------------------------------ */

enum { YK_LENGTHS = 32 };

typedef struct yk_predict {
    struct yk_contract *contract;
    bool tried; /* without a contract: it cannot be made */
    int count;
    double length[YK_LENGTHS], rate[YK_LENGTHS];
} yk_predict;

/* The rate per sweep that the linearisation at the initial values predicts for
 * windows of this length; NAN where it cannot be told.  Lengths that differ by
 * less than two percent count as one.  Only memory can fail. */
yoke_status yk_predict_rate(yoke_run *run, double length, double *rate,
                            yoke_err *err);
void yk_predict_forget(yoke_run *run); /* the units are others */

/* The clusters of plan 0 linearised at the initial values, with the responses
 * over a step of this length; NULL where it cannot be told.  Only memory can
 * fail. */
yoke_status yk_predict_respond(yoke_run *run, double length,
                               struct yk_contract **contract, yoke_err *err);

/* The sweeps are those that are predicted: nothing accelerates them. */
bool yk_predict_plain(const yoke_run *run);

/* Adds to the message of a failure what is known about the coupling, if that
 * may be its cause. */
void yk_predict_blame(yoke_run *run, yoke_err *err);

#endif
