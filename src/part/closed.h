/* part/closed.h -- a closed part, for the files that make it a propagator:
 * closed.c (exchanges, the way back, life), divide.c (steps that it does not choose
 * itself).
 */
#ifndef YK_PART_CLOSED_H
#define YK_PART_CLOSED_H

#include "part/policy.h"
#include "part/ticks.h"
#include "part/worker.h"

/* A sweep that the worker was asked for. */
typedef struct yk_part_asked {
    double t, look[2];
    int steps, marks;
    bool accepted;
    yk_wave *u;
    double *mark;
} yk_part_asked;

typedef struct yk_part_closed {
    yk_part_spec spec; /* its texts are in `text` */
    char **text;
    int texts;
    yk_worker worker;
    yk_part_way way;
    bool swept;             /* since the last accepted point */
    double t;               /* the accepted point */
    yk_part_facts *told;    /* to be kept up to date, or NULL */
    double t1;              /* end of the last sweep */
    yk_part_message answer; /* the last one of a sweep */
    yoke_work work;         /* of all sweeps */
    yoke_work accepted;     /* as the worker counts it, at the accepted point */
    yoke_work last_work;    /* and at the end of the last sweep */
    int steps;              /* n */
    int level;              /* n of the next window, if it depends not on it */
    double pace;            /* length of one of n steps; 0: not known */
    yk_wave *rough;         /* with n steps */
    yk_wave *tested;        /* the last sweep of the window that was, and */
    double difference;      /* what was found there; NAN: none was */
    double loose;           /* how inaccurate the next sweep may be */
    int tried;              /* n that was too small */
    double *before, *after; /* outputs at the end of the last two sweeps */
    double moved, changed;  /* outputs, inputs since the sweep before */
    double gain;            /* the last change of outputs over that of inputs */
    double moved_jump;      /* of the last two that were compared: time */
    double *atol, *distance, *size;
    yk_wave *between[2];  /* two jumps: outputs that are compared */
    double *here, *other; /* outputs, while they are compared */
    double look[2];       /* where jumps are looked for; NAN: nowhere */
    yk_part_ticks ticks;
    int marks;          /* of the sweep under way, see ticks.h */
    double *mark;       /* borrowed */
    double span;        /* of the run; 0: unknown */
    double paid, since; /* work until a time, at which it was asked for */
    int located;        /* jumps of this window, by trials */
    double *instant;
    size_t instant_room;

    /* Replay: how it began, and the accepted windows. */
    double t0;
    double *u0;
    bool forgotten; /* some windows are not there: it went by copies then */
    int windows;
    int done; /* accepted windows, however it goes back */
    size_t window_room;
    yk_part_asked *window;
    int last_steps;
    yk_wave *u, *y; /* of the last sweep, and scratch */
    yk_wave *last;  /* outputs of the last accepted window */

    yk_part_asked *log; /* if the run can be saved */
    size_t logged, log_room;
    size_t sure; /* those up to the last accepted one */
} yk_part_closed;

/* closed.c: a sweep from the accepted point with so many steps, and the marks
 * and looks of now; these become those of a sweep that was made before. */
yoke_status yk_part_sweep(yk_part_closed *c, double t1, int steps,
                          const yk_wave *u, yk_wave *y, yoke_err *err);
void yk_part_recall(yk_part_closed *c, const yk_part_asked *a);

/* closed.c: now and then a part is looked at more closely; the same window with
 * the same inputs had other answers. */
yoke_status yk_part_refuse_repeat(const yk_part_closed *c, double t1,
                                  double change, yoke_err *err);

/* divide.c: largest difference of two answers, in tolerances. */
yoke_status yk_part_compare(yk_part_closed *c, const yk_wave *y,
                            const yk_wave *other, double *out, yoke_err *err);

/* divide.c: a sweep with as many steps as it needs. */
yoke_status yk_part_sweep_divided(yk_part_closed *c, double t1,
                                  const yk_wave *u, yk_wave *y, yoke_err *err);

/* The marks of a window that begins, to t1; a trial, see ticks.h. */
yoke_status yk_part_mark_window(yk_part_closed *c, double t1, yoke_err *err);
yoke_status yk_part_try_sweep(void *context, double t1, int steps,
                              const yk_wave *u, int marks, double *mark,
                              yk_wave *y, yoke_err *err);

#endif
