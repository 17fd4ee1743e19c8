/* iter/iteration.h -- the window iteration over propagators.
 *
 * The iteration sees units that can be solved over a window, what feeds their
 * inputs, and schedules.  It sees no stepper and no front end.
 */
#ifndef YK_ITERATION_H
#define YK_ITERATION_H

#include "base/base.h"
#include "exec/exec.h"
#include "iter/delay.h"
#include "yoke/graph.h"
#include "yoke/iterate.h"
#include "sys/propagator.h"

/* Input `to` += weight * component `from` of the output of `unit`, or of
 * `delayed`, if that is not NULL: a waveform of the delays. */
typedef struct yk_feed {
    int unit, from, to;
    double weight;
    const yk_wave *delayed;
} yk_feed;

/* A cluster with its propagator.  Everything is borrowed. */
typedef struct yk_unit {
    const char *name;
    const yk_propagator *propagator;
    int feeds;
    const yk_feed *feed;
    const int *output_id; /* of each component: a number common to all plans */
    double price;         /* of one residual (graph/cost.h); 0: not known */
    double exchange;      /* of a sweep besides: that of a closed part */
    bool alone;      /* not at once with others that are: code of the user */
    bool away;       /* in another process: its jobs wait for that */
    double relative; /* price, relative to others; 0: 1 */
    double tight;    /* its own tolerances over those of the run; 0: 1 */
} yk_unit;

/* One schedule with its units.  The results of several plans are averaged with
 * their weights, which sum to 1. */
typedef struct yk_plan {
    int units;
    const yk_unit *unit;
    const yoke_schedule *schedule; /* clusters are the units */
    double weight;
} yk_plan;

typedef struct yk_iteration yk_iteration;

typedef struct yk_iteration_setup {
    int plans;
    const yk_plan *plan;  /* copied; what they point to is borrowed */
    int outputs;          /* number of output ids */
    const double *weight; /* of each: how much its errors count, at least 1;
                             borrowed; NULL: 1 */
    int variables;        /* tested for convergence */
    const int *variable;  /* output id of each */
    const char *const *variable_name;
    const yoke_iterate_options *options; /* window 0: chosen by work */
    double span;                         /* length of the whole run */
    double grain; /* windows are multiples of it where they can be; 0: any */
    yk_delays *delays; /* borrowed; NULL: none */
    yk_executor executor;
    yk_gate *gate; /* that of the steppers; borrowed; NULL: none */

    /* After every sweep; after every accepted window [t0, t1]. */
    yoke_status (*sweep)(void *context, const yoke_sweep *sweep, yoke_err *err);
    yoke_status (*accepted)(void *context, double t0, double t1, yoke_err *err);
    /* After that: true ends the advance there, with YOKE_OK; NULL: never. */
    bool (*between)(void *context);
    void *context;
} yk_iteration_setup;

yoke_status yk_iteration_create(yk_iteration **out,
                                const yk_iteration_setup *setup, yoke_err *err);
void yk_iteration_free(yk_iteration *iteration); /* accepts NULL */

/* The units have been started at t0; y0[plan][unit] are their outputs there. */
yoke_status yk_iteration_start(yk_iteration *iteration, double t0,
                               const double *const *const *y0, yoke_err *err);

/* Units are run by another executor from now on. */
void yk_iteration_execute(yk_iteration *iteration, yk_executor executor);

/* Windows until t1, the last ends there exactly, or until `between` says so. */
yoke_status yk_iteration_advance(yk_iteration *iteration, double t1,
                                 yoke_err *err);

/* The time reached is the end of the run: what happens there happens.  *done:
 * something did, and the waveforms of the last window hold the values after it;
 * the time and the result stay as they are. */
yoke_status yk_iteration_finish(yk_iteration *iteration, bool *done,
                                yoke_err *err);

/* Output waveform of a unit over the last accepted window; borrowed. */
const yk_wave *yk_iteration_wave(const yk_iteration *iteration, int plan,
                                 int unit);

/* For the `sweep` callback: a unit's outputs over the window that is being
 * done, newest iterate, and the one before the last sweep; borrowed. */
const yk_wave *yk_iteration_iterate(const yk_iteration *iteration, int plan,
                                    int unit);
const yk_wave *yk_iteration_before(const yk_iteration *iteration, int plan,
                                   int unit);

/* Most windows take one sweep at present (iter/states.h). */
bool yk_iteration_settles(const yk_iteration *iteration);

double yk_iteration_time(const yk_iteration *iteration);
const yoke_iterate_result *yk_iteration_result(const yk_iteration *iteration);

#endif
