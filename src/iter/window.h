/* iter/window.h -- the state of the iteration, shared by the files that work on
 * one window: average.c, breaks.c, change.c, effort.c, end_events.c, stop.c,
 * window.c, iteration.c.
 */
#ifndef YK_WINDOW_H
#define YK_WINDOW_H

#include "iter/converge.h"
#include "iter/correct/correct.h"
#include "iter/iteration.h"
#include "iter/resize.h"
#include "iter/states.h"
#include "iter/sweep.h"

enum { YK_SWING = 4 };

/* Evaluations in windows, and their length. */
typedef struct yk_work_rate {
    double work, time;
} yk_work_rate;

struct yk_iteration {
    yk_iteration_setup setup;
    yoke_iterate_options options;
    int plans;
    yk_plan_state *plan;
    int *where;       /* plan, output id -> unit and component: two ints */
    int *variable;    /* output ids */
    int *variable_at; /* of each output id: its variable, or -1 */
    double *change;   /* of each variable, absolute */
    double *relative; /* the same relative to the tolerance */
    double *most;     /* largest size the tolerance of a variable may count */
    double *distance; /* of the components of one unit */
    double *size;     /* the same: largest values */
    double *between;  /* the same: changes between jumps */
    yk_wave **mix;    /* plan 0's units: averaged outputs; NULL: one plan */
    yk_wave_term *mix_term;
    yk_converge converge;
    yk_correct *correct;    /* NULL: the plain iteration */
    yk_states *states;      /* NULL: waveforms alone are corrected */
    double swing[YK_SWING]; /* changes of the last sweeps of this window */
    double settles;         /* share of the windows that it settled, smoothed */
    yk_work_rate cheap, dear; /* in those, and in the others */
    bool lenient;             /* the sweep reads guesses */
    bool even;                /* all units should take the same steps */
    bool shown;               /* this window is repeated to show that */
    double shorter;           /* this window should have this length; 0: none */
    double growth;            /* of what is below its tolerance, last window */
    double begun;             /* evaluations before its first sweep */
    int row;    /* windows that it settled since one that it did not */
    bool plain; /* not worth while at present */
    int insist; /* it stays for so many windows, whatever it does */
    int halved; /* windows from here that were given up */
    bool acyclic;
    bool jumped;   /* this sweep: jumps of late outputs appeared or went */
    bool switched; /* this sweep: a unit has had other events than before */
    bool partial; /* this sweep: some units alone were solved, after all were */
    bool stuck;   /* this window: corrections lead back to where they began */
    double loose, loose_before; /* tolerance of this sweep and the one before */
    double t, start;
    yk_resize resize;
    yk_guess_rule rule; /* of guesses for the window that is accepted */
    double late[YK_RECORDED_SWEEPS];       /* changes of this window */
    double correction[YK_RECORDED_SWEEPS]; /* and its corrections */
    yk_iter_pace *pace;                    /* of all units of all plans */
    int window; /* number of the window that is being done */
    yoke_iterate_result result;
};

/* ---- iter/breaks.c: where windows should end ---------------------------- */

/* The breakpoint after t at which a window should end; INFINITY: none. */
double yk_iter_breaks_next(const yk_iteration *it, double t);

/* The first breakpoint after t, wherever windows end. */
double yk_iter_breaks_first(const yk_iteration *it, double t);

/* The last breakpoint in (t0, t1]; -INFINITY: none. */
double yk_iter_breaks_last(const yk_iteration *it, double t0, double t1);

/* The last instant at which what the units have made, and others read, jumps,
 * if guesses are chosen by what was best; -INFINITY: none. */
double yk_iter_breaks_jump(const yk_iteration *it);

/* ---- iter/cross.c: steps that cross windows ------------------------------ */

/* Units are so few that steps may cross windows at all. */
bool yk_cross_pays(const yk_iteration *it);

/* Before a window of an advance to `end`: who may cross its end, and how far. */
yoke_status yk_cross_permit(yk_iteration *it, double end, yoke_err *err);

/* Where windows must end because a step that crosses them does; INFINITY: none
 * crosses. */
double yk_cross_head(const yk_iteration *it);

/* ---- iter/average.c: several plans ------------------------------------------ */

/* y = sum of weight times y over the plans, in all plans. */
yoke_status yk_mix_plans(yk_iteration *it, double t0, double t1, yoke_err *err);

/* ---- iter/change.c: what a sweep changed ------------------------------- */

/* Largest change over all variables, and over those that are late, relative to
 * the tolerance. */
yoke_status yk_measure_change(yk_iteration *it, double t1, int sweep,
                              double *change, double *late, int *worst,
                              yoke_err *err);

/* How far the corrected waveforms are from those the sweep made, relative to
 * the tolerance: the unit that made them lags behind by that. */
yoke_status yk_measure_correction(yk_iteration *it, double *largest,
                                  yoke_err *err);

/* How far the unknowns of the units are from those that belong to the newest
 * inputs; NAN: not known. */
double yk_measure_lag(yk_iteration *it, int sweep);

/* Largest of the measured gains, from changes of inputs to unknowns. */
double yk_measure_gain(const yk_iteration *it);

/* ---- iter/stop.c: enough, not enough, hopeless ------------------------- */

/* NAN if one of them is. */
double yk_larger(double a, double b);

/* The part of the tolerance that a window of this length may use. */
double yk_stop_allowed(const yk_iteration *it, double length);

bool yk_stop_passes(const yk_iteration *it, const yoke_sweep *row);
bool yk_stop_diverges(const yk_iteration *it);
bool yk_stop_hopeless(const yk_iteration *it);
yoke_status yk_stop_failure(const yk_iteration *it, const yoke_sweep *row,
                            int worst, yoke_err *err);

/* ---- iter/effort.c: which sweeps are corrected, which are loose --------- */

/* Is the sweep to come followed by a correction? */
bool yk_engaged(const yk_iteration *it);

/* Learns from a sweep that changed the late waveforms by `change` and, if it
 * was corrected, from the size of the correction. */
void yk_engage(yk_iteration *it, bool corrected, double change,
               double correction);

/* How much less accurate the next sweep may be. */
double yk_looseness(const yk_iteration *it);

/* ---- iter/window.c ------------------------------------------------------- */

/* YOKE_RETRY, YOKE_NOT_CONVERGED: nothing has changed, a shorter one may do. */
yoke_status yk_window_try(yk_iteration *it, double t1, yoke_err *err);

#endif
