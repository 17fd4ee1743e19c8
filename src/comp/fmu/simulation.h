/* comp/fmu/simulation.h -- a co-simulation FMU in a worker. */
#ifndef YK_FMU_SIMULATION_H
#define YK_FMU_SIMULATION_H

#include "comp/fmu/engine.h"
#include "comp/fmu/trace.h"
#include "yoke/work.h"

typedef struct yk_fmu_simulation {
    yk_fmu_engine e;
    yk_fmu_some smooth, held; /* inputs; held: change at events only */
    yk_fmu_some sloped;       /* outputs of which it tells slopes */
    bool direct;              /* outputs may follow inputs at once */
    double t, t1;             /* accepted; end of the last sweep */
    int steps; /* pairs of steps per window, if no step is given */
    double *y; /* outputs at t, at t1 */
    double *y_end;
    double *events; /* values of held inputs at t */
    yk_fmu_trace trace;
    yoke_work work;
    double span;  /* of the run; 0: not known */
    int lately;   /* events of this sweep, one after the other */
    double since; /* the first of them */

    /* Of the sweep that is under way. */
    const yk_wave *wave;
    int knot, cursor;
    double *mean, *first, *scratch, *slope; /* m each */

    /* Steps that do nothing. */
    yk_fmu_signals states, slopes; /* where the FMU tells them */
    double *x;                     /* before, slope, after */
    int looks;

    bool goes_back, tried;
    void *state;     /* at t */
    double *kept;    /* outputs and states with it; those of now */
    int windows;     /* accepted */
    bool fresh;      /* no sweep of this window was made */
    yk_wave *second; /* the same sweep once more */
} yk_fmu_simulation;

/* The window from s->t to t1 in steps; the outputs become y. */
yoke_status yk_fmu_run_steps(yk_fmu_simulation *s, double t1, const yk_wave *u,
                             yk_wave *y, yoke_err *err);

/* After a sweep to t1: does the FMU do nothing because its steps are too short?
 * (idle.c) */
yoke_status yk_fmu_check_idle(yk_fmu_simulation *s, double t1, yoke_err *err);

#endif
