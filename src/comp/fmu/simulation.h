/* comp/fmu/simulation.h -- a co-simulation FMU in a worker. */
#ifndef YK_FMU_SIMULATION_H
#define YK_FMU_SIMULATION_H

#include "comp/fmu/copy.h"
#include "comp/fmu/engine.h"
#include "comp/fmu/trace.h"
#include "yoke/work.h"

typedef struct yk_fmu_simulation {
    yk_fmu_engine e;
    yk_fmu_some smooth, held; /* inputs; held: change at events only */
    yk_fmu_some sloped;       /* outputs of which it tells slopes */
    bool direct;              /* outputs may follow inputs at once */
    double t, t1;             /* accepted; end of the last sweep */
    double at, at1;           /* where it is there: beyond, after a mark */
    int steps; /* pairs of steps per window, if no step is given */
    double *y; /* outputs at t, at t1 */
    double *y_end;
    double *events;          /* values of held inputs at t */
    double next_event, next; /* that it has told, at t and now */
    double *now;             /* inputs at an event */
    double *u, *u1;          /* inputs at t, at t1 */
    yk_fmu_trace trace;
    yoke_work work;
    double span;  /* of the run; 0: not known */
    int lately;   /* events of this sweep, one after the other */
    double since; /* the first of them */

    /* Jumps that it does not tell (scout.c). */
    double look_from, look_to; /* where they are looked for; NAN: nowhere */
    double *scout, *shared;    /* 6 p; p, shared with copies */
    double *size;              /* p: largest outputs of this sweep */
    int copies;                /* sent ahead in this sweep */
    int marks;                 /* of the sweep, see yk_part_engine; borrowed */
    const double *mark;
    double end; /* of the window */

    /* Of the sweep that is under way. */
    const yk_wave *wave;
    int knot, cursor, jump;
    double from, to; /* of the step under way */
    bool strayed;    /* inputs were asked for at another time */
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

/* Of a window, from a to b: the inputs and the step; and with all that belongs
 * to it, a point of the outputs at its end too; outputs as they are now. */
yoke_status yk_fmu_step_inputs(yk_fmu_simulation *s, double a, double b,
                               yoke_err *err);
yoke_status yk_fmu_step_once(yk_fmu_simulation *s, double a, double b,
                             yoke_err *err);
yoke_status yk_fmu_add_point(yk_fmu_simulation *s, double t, bool after,
                             yoke_err *err);

/* Outputs bend at t, where the FMU is. */
yoke_status yk_fmu_bend(yk_fmu_simulation *s, double t, yoke_err *err);

/* Over an instant in [a, b], with the inputs of b. */
yoke_status yk_fmu_step_over(yk_fmu_simulation *s, double a, double b,
                             yoke_err *err);

/* scout.c: how far outputs are from those of the last point, in tolerances. */
yoke_status yk_fmu_moved(yk_fmu_simulation *s, double *out, yoke_err *err);

/* scout.c: the last smooth run of the trace ends at t, as it is: outputs jump
 * there.  The step with jumps located. */
yoke_status yk_fmu_end_run(yk_fmu_simulation *s, double t, yoke_err *err);
yoke_status yk_fmu_step_looking(yk_fmu_simulation *s, double a, double b,
                                yoke_err *err);
yoke_status yk_fmu_scout_create(yk_fmu_simulation *s, yoke_err *err);
void yk_fmu_scout_clear(yk_fmu_simulation *s);

/* direct.c: do outputs follow inputs at once?  Before the initialisation ends,
 * and before the first sweep, to t1. */
void yk_fmu_try_direct(yk_fmu_simulation *s, const double *u0);
void yk_fmu_try_steps(yk_fmu_simulation *s, double t1, const yk_wave *u);

/* For such messages: the step of its default experiment, or "". (idle.c) */
void yk_fmu_default_step(const yk_fmu_simulation *s, char *text, size_t room);

/* After a sweep to t1: does the FMU do nothing because its steps are too short?
 * (idle.c) */
yoke_status yk_fmu_check_idle(yk_fmu_simulation *s, double t1, yoke_err *err);

#endif
