/* step/drive.h -- the propagator made of a method, for its files. */
#ifndef YK_DRIVE_H
#define YK_DRIVE_H

#include "step/control.h"
#include "step/dense.h"
#include "step/event/event.h"
#include "step/front.h"
#include "step/grow.h"
#include "step/solve/initial.h"
#include "step/look/look.h"
#include "step/method.h"
#include "step/steep.h"
#include "step/tape.h"
#include "step/turns.h"
#include "sys/propagator.h"
#include "sys/response.h"
#include "wave/spline.h"

/* h |lambda| of an explicit method: the logarithm of its mean over the last
 * steps that told it. */
typedef struct yk_step_pace {
    double mean;
    int count; /* such steps, up to those that make the mean */
    int leaps; /* steps in a row far beyond what is stable */
    int quiet; /* steps that are not looked at early: a look found nothing */
} yk_step_pace;

/* Where sweeps start: the state of everything that a sweep changes. */
typedef struct yk_step_point {
    double t;
    double *x, *q, *f, *u;
    bool f_known;   /* f is that of x */
    double *u_left; /* inputs there, as all others know them */
    yk_poly poly;
    yk_control control;
    double eta, h_last, h_stuck;
    yk_step_pace pace;
    double taken, modes_at;
    long stamps;  /* Jacobians from this number on belong to the window */
    void *memory; /* of the system */
} yk_step_point;

/* The equal parts that fixed steps divide a segment into.  An event inside ends
 * the segment but not the division: the next one goes on with it. */
typedef struct yk_division {
    double begin, end, count;
    double next; /* end of the next step, in steps */
    bool open;
} yk_division;

/* The memory of the system behind each instant of the last sweep, for a
 * constraint that asks what was in between; before the first it is that of the
 * accepted point. */
typedef struct yk_step_memories {
    int count;
    double *begin;
    char *bytes; /* facts->memory_bytes each */
    size_t begin_room, bytes_room;
} yk_step_memories;

typedef struct yk_driver {
    yk_problem p;
    const yk_method *method;
    void *self;
    yk_control control;
    yk_step_output output;
    yk_rejoin rejoin;
    yk_events events;
    yk_step_look look;
    yk_growing grow;
    yk_steep steep;
    yk_turns turns;
    yk_tape tape;
    yk_front front;
    yk_division division;
    yk_step_point kept;
    yk_step_pace pace;
    double h_last;
    double first_step; /* at the start; 0: not known */
    int stuck;         /* steps in a row rejected with the same error */
    double stuck_h;    /* the first of them */
    double stuck_last, stuck_error; /* the last of them */
    bool leapt;       /* the last segment ended with a leap (advance.c) */
    bool behind_leap; /* no step since the last leap */
    bool leaps;       /* there was one in this sweep */
    double *jump;     /* n: of the last attempt that was rejected */
    double jump_time; /* where it began */
    double leap_time; /* of the last leap */
    int leap_count;   /* leaps in a row without progress */
    double longest;   /* step of this sweep, of a method that chooses its own */
    double jump_h;    /* the first one that was rejected from there */
    yk_wave *watched, *trace, *previous;
    int grid; /* knot of `previous` not after the present time */
    int knot; /* knot of the inputs not after the present time */
    bool started, swept, smooth;
    bool there;             /* it is at the point kept, as that was kept */
    bool finishes;          /* it is at the end of the run */
    bool failed;            /* the last sweep did */
    bool unstable;          /* a sweep was: steps too long for the method */
    double taken, modes_at; /* steps of an explicit method so far, and when it
                           looks for modes of which there is little */
    double *x_end;    /* unknowns at the end of the last sweep of this window */
    double moved;     /* their change since the sweep before; NAN: none */
    void *memory_end; /* of the system, at the end of the last sweep */
    yk_response *response;    /* NULL: not yet asked for */
    double *x_inside;         /* unknowns inside the last sweep */
    struct yk_motion *motion; /* NULL: not yet asked for (motion.c) */
    double *x_motion, *u_motion, *x_kicked;
    yk_step_memories memories;
    long motion_work[3];
    const yk_wave *inputs; /* that the last sweep read; borrowed */
    double loose;          /* errors of this sweep may be larger by this */
    double loose_next;     /* the same of the next one */
    bool same_tolerance;   /* as in the sweep before */
    long tries, limit;     /* steps tried in this sweep, and at most */
    double kappa;          /* Newton's tolerance of an accurate sweep */
    yk_spline spline;      /* for outputs that are splines */
    yk_wave *chords;       /* what the spline goes through */
    double *instant;       /* of this sweep: where the solution may jump */
    int instants;
    size_t instant_room;
    bool reads;    /* an event read what others' events change */
    bool unsure;   /* it was very near to a jump of that */
    yoke_err last; /* why the last attempt failed */
} yk_driver;

/* The linearised answer to changes of inputs (answer.c). */
extern const yk_answer_ops yk_drive_answer;

/* What a constraint asks (motion.c). */
extern const yk_motion_ops yk_drive_motion;

/* Something has happened at the present time of a sweep: the memory of the
 * system is kept, if a constraint will ask for it (motion.c). */
yoke_status yk_motion_remember(yk_driver *d, yoke_err *err);

/* Size of the coefficients of one polynomial; a copy of one (drive.c). */
size_t yk_driver_poly_size(const yk_driver *d);
void yk_driver_copy_poly(const yk_driver *d, yk_poly *to, const yk_poly *from);

/* One sweep from the point kept to t1 (drive.c). */
yoke_status yk_driver_sweep(yk_driver *d, double t1, const yk_wave *u,
                            yk_wave *y, yoke_err *err);

/* Sweeps begin at its end from now on. */
void yk_driver_accept(yk_driver *d);

/* Steps from p->begin to p->end or to the first event; `window` is the length
 * of the whole window.  Appends to y (advance.c). */
yoke_status yk_advance(yk_driver *d, double window, yk_wave *y, yoke_err *err);

/* One step of the method; its result is finite (advance.c). */
yoke_status yk_try_step(yk_driver *d, double t, double h, double *error,
                        yoke_err *err);

#endif
