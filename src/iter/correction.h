/* iter/correction.h -- the state of a correction, shared by correct.c (what is
 * corrected and when), grid.c (from waveforms to the grid and back) and
 * precond.c (matrices at instants).
 */
#ifndef YK_CORRECTION_H
#define YK_CORRECTION_H

#include "iter/anderson.h"
#include "iter/correct.h"

/* Steps of the grid: about as many as the subsystems take themselves. */
enum { YK_LEAST_STEPS = 16, YK_MOST_STEPS = 256 };

/* Parts of a window between instants with a matrix of their own. */
enum { YK_MOST_PARTS = 16 };

struct yk_correct {
    yk_plan_state *plan;
    const yoke_iterate_options *options;
    yk_interface *interface;
    bool exact;            /* M is applied to the waveforms themselves */
    bool linear, march;    /* with a linearisation; with its history */
    yk_anderson *anderson; /* NULL: without */
    int size;
    const yk_late *late; /* sorted by units */
    int *first;          /* units + 1: the first late one of each unit */
    double t0, t1;
    int steps;          /* of the grid */
    double step;        /* of the linearisation; 0: none */
    bool chosen;        /* the grid of this window */
    bool stale;         /* a new linearisation is wanted */
    bool stopped;       /* no correction in this window */
    int skip, distrust; /* windows without; the next time */
    int applied;        /* corrections in this window */
    int grown, slow;    /* those in a row that grew, or hardly shrank */
    int stuck;          /* sweeps in a row with hardly less to correct */
    double norm, rest;  /* of the last one; of F(w) - w before it */
    double omega;       /* of Aitken's method */
    double *m;          /* size by size */
    double *node;       /* M at equal distances: parts + 1 matrices */
    int parts;
    double node_time, node_step; /* of the last one; step 0: not known */
    yoke_err why;                /* there was no correction the last time */
    const char **name;           /* of the late components */
    double *counts;              /* of each: how much its errors count */
    double *a, *column;          /* the user's A, factored I - A; a vector */
    int *pivot;
    double *r, *w;          /* points of the grid by late components */
    double *dw, *smooth;    /* the same */
    double *before;         /* r of the last sweep, for Aitken's method */
    double *weight;         /* scale at every point, for Anderson's method */
    double *scale;          /* tolerance of each late component */
    double *sample, *taken; /* outputs of one unit, new and old */
    double *second, *coef;  /* of the spline */
    yoke_wave *extra;       /* the part that is interpolated */
    yoke_wave_term *term;
    double *row;               /* coefficients of a piece */
    int *cursor, extra_cursor; /* two of each unit */
};

/* ---- iter/precond.c ------------------------------------------------------ */

/* A matrix of the user takes the place of the linearisation. */
bool yk_precond_given(const yk_correct *c);

/* M of the user at the end of the window. */
yoke_status yk_precond_take_given(yk_correct *c, yoke_err *err);

/* dw = (I - A(t))^-1 r on the grid, A of the user. */
yoke_status yk_precond_solve_given(yk_correct *c, yoke_err *err);

/* M(t) = (I - A(t))^-1 of (2.14) along the window, by the last sweep. */
yoke_status yk_precond_take_along(yk_correct *c, double h, yoke_err *err);

/* dw = M(t) r on the grid. */
void yk_precond_solve_along(yk_correct *c);

/* ---- iter/grid.c -----------------------------------------------------------
 */

/* r = F(w) - w and w on the grid. */
void yk_grid_sample(yk_correct *c);

/* Into `smooth`: dw - r without the parts that are applied exactly. */
void yk_grid_subtract_exact(yk_correct *c);

/* From dw on the grid to corrected waveforms. */
yoke_status yk_grid_correct(yk_correct *c, yoke_err *err);

#endif
