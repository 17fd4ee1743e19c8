/* record/tally.h -- what is counted while a run goes on, for its summary. */
#ifndef YK_TALLY_H
#define YK_TALLY_H

#include "base/base.h"
#include "iter/units.h"
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

/* A subsystem of the model with the constraints that it owns: what is solved
 * alone if nothing is clustered, and what work is counted for. */
typedef struct yk_tally_base {
    char *name;     /* "a" or "a+joint" */
    int node;       /* the first of its nodes */
    yoke_work past; /* by clusters that are no more */
    yoke_work once; /* of the last solves of accepted windows */
    bool hidden;    /* not known: it was solved with others */
} yk_tally_base;

typedef struct yk_tally {
    const yoke_model *model; /* borrowed, as the next */
    const yk_units *swept;
    int bases;
    yk_tally_base *base;
    yoke_schedule *alone; /* one cluster for each of them */
    yoke_work *replayed;  /* of each, solved alone again (oracle.h), or
                             NULL */

    int kept, stride, skip; /* one of `stride` windows is kept */
    yk_window_fact *fact;   /* YK_WINDOWS_KEPT */
    int units;
    yk_unit_work *unit;

    /* The attempt at a window that is going on, or failed last. */
    int sweeps; /* that came to their end */
    double t0, t1, first_change, last_change, rate;
    const double *change; /* of each variable; borrowed from the iteration */
} yk_tally;

yoke_status yk_tally_create(yk_tally *t, yoke_err *err);
void yk_tally_free(yk_tally *t);

/* The subsystems of the model: what work is counted for. */
yoke_status yk_tally_bases(yk_tally *t, yoke_err *err);

/* The units of plan 0 are new; what those of the old plan that are no more did
 * is kept. */
yoke_status yk_tally_units(yk_tally *t, yoke_err *err);
void yk_tally_archive(yk_tally *t, const yk_unit_plan *old);

void yk_tally_start(yk_tally *t); /* the propagators have been started */
void yk_tally_sweep(yk_tally *t, const yoke_sweep *sweep);
void yk_tally_window(yk_tally *t, double t0, double t1);

/* Median of the measured rates; NAN: none was measured. */
double yk_tally_rate(const yk_tally *t);

/* Adds work b to a. */
void yk_work_add(yoke_work *a, const yoke_work *b);

/* The work of subsystem i so far, or false after the last. */
bool yk_tally_work(const yk_tally *t, int i, const char **name,
                   yoke_work *work);

/* The work to solve subsystem i once with known inputs: measured, or that of
 * the last solves; nothing where it was solved with others. */
bool yk_tally_once(const yk_tally *t, int i, yoke_work *work);

/* Orders the values; NAN: there is none. */
double yk_median(int count, double *value);

#endif
