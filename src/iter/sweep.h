/* iter/sweep.h -- the waveforms of the units and one sweep over them. */
#ifndef YK_SWEEP_H
#define YK_SWEEP_H

#include "iter/extrapolate.h"
#include "iter/iteration.h"

/* A unit with its waveforms over the window. */
typedef struct yk_unit_state {
    const yk_unit *unit;
    yk_wave *y;   /* newest iterate of the outputs */
    long version; /* how many y there were: what is known of one holds for it */
    double *size; /* p: largest |y| (yk_unit_sizes) ... */
    long sized;   /* ... of this version */
    double *change;     /* p: largest |y - old| (change.c) ... */
    long measured;      /* ... of this version */
    bool jumped;        /* and have jumps moved far, or come and gone? */
    yk_wave *old;       /* the one before the sweep, if `moved` */
    yk_wave *u;         /* inputs of the solve to come */
    yk_wave *u_last;    /* inputs of the last solve */
    yk_wave *accepted;  /* outputs over the last accepted window */
    yk_wave *made;      /* if `corrected`: outputs as the sweep made them */
    int room[2];        /* pieces that all of y and all of u have room for */
    bool corrected;     /* y is not what the last solve made */
    double *u_end;      /* inputs at the end of the accepted window */
    yk_wave_term *term; /* how u is made of the y of all units */
    bool solved;        /* in this window: y and u_last belong together */
    double loose;       /* the factor by which that solve was loosened, or 1 */
    bool moved;         /* solved in this sweep */
    bool *seen;         /* of each feed: solved earlier in the same sweep */
    bool *late;         /* of each output: some unit reads the guess of it */
    bool *read;         /* of each output: some unit reads it */
    yk_guess guess;
    yk_wave *part[2];  /* y and old between two jumps */
    double unseen;     /* largest change of feeds after its last solve */
    double gain;       /* what a change of feeds does to the unknowns, in the
                           last two sweeps of this window; NAN: not measured */
    double gain_last;  /* the same, in the last sweep alone */
    double known_gain; /* the same from earlier windows */
    int instants;      /* of its last solve in this window */
    long steps;        /* of its first solve in this window; 0: none yet */
    double density;    /* steps per time in accepted windows; 0: not known */
    long most_steps;   /* of the solve to come */
    double spent;      /* of the last solve, counted (iter/stage.h) */
    double effort;     /* the same, or a guess before the first */
} yk_unit_state;

typedef struct yk_plan_state {
    yk_plan plan;
    yk_unit_state *unit;
    yoke_schedule *levels; /* what plan.schedule is then, or NULL */
    int *job;              /* units of the stage that are to be solved */
    int *stage;            /* of each unit: the last one it runs in */
    bool twice;            /* some unit runs in several stages */
    bool asked;            /* some unit asks others */

    const yk_executor *executor;
    yk_gate *gate; /* or NULL */
    double *price; /* of the jobs of a stage ... */
    bool *alone;   /* ... which of them are ... */
    bool *away;    /* ... and which wait for another process */
    double work;   /* of all solves, counted (iter/stage.h) */
    double path;   /* of the longest of each stage: no executor is faster */
} yk_plan_state;

/* One sweep of one plan to t1.  Adds the numbers of solved and skipped units.
 */
typedef struct yk_sweep_setup {
    const yoke_iterate_options *options;
    double t0, t1;
    bool may_skip;
    double loose; /* errors of this sweep may be larger by this factor */
    bool lenient; /* late inputs are guesses: steps are judged later */
    bool final;   /* the inputs are what they will be: no limit of steps */
    int halved;   /* so many longer windows were given up */
} yk_sweep_setup;

yoke_status yk_sweep_run(yk_plan_state *plan, const yk_sweep_setup *setup,
                         int *solved, int *skipped, yoke_err *err);

/* Solves some units again, stage by stage, with what their inputs are now. */
yoke_status yk_sweep_some(yk_plan_state *plan, const yk_sweep_setup *setup,
                          bool (*wanted)(const void *context, int unit),
                          const void *context, int *solved, yoke_err *err);

/* Marks the feeds of each unit that are solved earlier in a sweep than it, and
 * the outputs that somebody reads earlier: they are late.  Returns true if none
 * is: then one sweep is exact. */
bool yk_sweep_order(yk_plan_state *plan);

/* Does some unit read the guess of one of its outputs? */
bool yk_any_late(const yk_unit_state *s);

/* Makes s->size that of the present y. */
yoke_status yk_unit_sizes(yk_unit_state *s, yoke_err *err);

#endif
