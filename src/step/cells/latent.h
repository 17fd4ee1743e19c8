/* step/cells/latent.h -- a large system of which only the cells in motion are
 * solved: what latent.c and its helpers share. */
#ifndef YK_LATENT_H
#define YK_LATENT_H

#include "step/drive.h"
#include "step/policy.h"
#include "sys/propagator.h"

#include <math.h>

/* A list of cells for each item. */
typedef struct yk_lists {
    int *start, *cell;
} yk_lists;

/* Everything that a sweep changes. */
typedef struct yk_latent_rest {
    double t, length; /* time, length of a slice; 0: not known */
    double until;     /* sleeping cells have been looked at up to here */
    double *x, *y;    /* unknowns and outputs */
    double *seen;     /* of each unknown: what sleeping readers know */
    double *u;        /* the same of each input */
    bool *awake;      /* cells */
    int count, *cell; /* those that are awake */
    yk_mark *mark;    /* of each event */
    void *memory;     /* of the system */
} yk_latent_rest;

/* Connected cells that are awake. */
typedef struct yk_latent_piece {
    int cells, unknowns, *unknown;
    yoke_cell_part part;
    int borders, shown;  /* watched: unknowns that sleeping cells read, then
                            those that are recorded */
    int *watch, *column; /* column: of the whole, of each that is shown */
    yk_propagator propagator;
    yk_matrix *matrix;
    yk_wave *held, *u, *y; /* held: the foreign unknowns */
    bool started; /* at the present point, or later in the same window */
    bool solved;  /* in this slice, and not yet accepted */
    bool used;    /* while pieces are formed again */
    double h;
    double spent; /* residuals of its last solve, times unknowns */
} yk_latent_piece;

typedef struct yk_latent {
    yoke_system *system;
    const yoke_system_info *facts;
    const yk_method *method;
    yoke_stepper_options options;
    int n, m, p, cells;
    double *atol, *slack; /* slack: the tolerance when last looked at */
    double begin;         /* of the run */

    /* The cells: their unknowns, the cells that read each of them, that each
     * of them reads, and that read each input; those with sources that change.
     */
    int *first, *list;
    yk_lists reader, read, taker, event;
    int restless, *restless_cell;
    int *mark, marks, *queue;

    /* The pieces of the cells that are awake. */
    yk_latent_rest now, kept;
    bool formed; /* the pieces are those of `now` */
    int pieces;
    size_t piece_room;
    yk_latent_piece **piece;
    int *owner;       /* of each cell: its piece, -1: asleep */
    int *up;          /* union-find over cells */
    int *size, *sums; /* of each root: cells, unknowns */
    int *todo;        /* pieces that are to be solved, and what that costs */
    double *price;
    size_t todo_room, price_room;

    /* The present sweep. */
    const yk_wave *u;
    double reached;  /* end of a slice that is solved and not yet accepted */
    bool open;       /* there is one */
    int slices;      /* since the last accepted point */
    int calm;        /* slices since more cells had to wake in one */
    int pause, wait; /* slices between two looks for cells at rest; to go */
    double loose, loose_next;
    bool swept;  /* since the last accepted point */
    bool marked; /* now.mark is known */
    double *instant;
    int instants;
    size_t instant_room;

    /* Waveforms of recorded unknowns and outputs. */
    int watches, *watch, *shown_at; /* shown_at: column of each unknown, -1 */
    yk_wave *watched, *constant, *joined, *still, *merged;
    double *row, *value, *d;
    yk_wave_term *term;
    size_t term_room;

    /* For the iteration between subsystems. */
    double *x_end, *u_end, *x_inside, moved;
    yk_response *response;
    yoke_work work;
} yk_latent;

static inline int yk_cell_of(const yk_latent *s, int unknown)
{
    return s->facts->cells->cell[unknown];
}

static inline yk_driver *yk_piece_driver(const yk_latent_piece *p)
{
    return p->propagator.self;
}

static inline double yk_latent_tolerance(const yk_latent *s, int unknown,
                                         double value)
{
    return s->loose * yk_tolerance(s->atol[unknown], s->options.rtol, value);
}

/* ---- cells (latent_cells.c) ---------------------------------------------- */

yoke_status yk_latent_list(yk_latent *s, yoke_err *err);
void yk_latent_unlist(yk_latent *s);

/* A queue of cells, each once; begin it, add one, add the layers of cells that
 * read them (only those that are awake, if it is said so).  These return how
 * many there are. */
void yk_latent_begin_queue(yk_latent *s);
void yk_latent_requeue(yk_latent *s, int count); /* only the first ones */
int yk_latent_enqueue(yk_latent *s, int cell, int count);
int yk_latent_add_layers(yk_latent *s, int count, int layers, bool awake);
void yk_latent_wake(yk_latent *s, int count);

/* Is the unknown read by a cell that sleeps? */
bool yk_latent_is_border(const yk_latent *s, int unknown);

/* ---- pieces (latent_pieces.c) -------------------------------------------- */

/* The groups of the awake cells; a piece whose cells are the same stays. */
yoke_status yk_latent_form(yk_latent *s, yoke_err *err);
void yk_latent_drop(yk_latent *s);

/* All that are not yet, from the beginning of the slice to t1, at once; s->todo
 * has their numbers, *count of them. */
yoke_status yk_latent_solve_pieces(yk_latent *s, double t1, int *count,
                                   yoke_err *err);
yoke_status yk_latent_accept_piece(yk_latent *s, yk_latent_piece *p,
                                   yoke_err *err);
void yk_latent_add_work(yoke_work *sum, const yk_latent_piece *p);

/* ---- who sleeps (latent_rest.c) ------------------------------------------ */

/* Cells that sleep and read something of the piece that has moved, into the
 * queue of `count`. */
int yk_latent_find_sleepers(yk_latent *s, const yk_latent_piece *p, int count);

/* Wakes those whose sources or inputs change on [now, t1]. */
void yk_latent_wake_restless(yk_latent *s, double t1);

/* Wakes those that have slept for longer than was looked ahead. */
void yk_latent_wake_overdue(yk_latent *s);

/* Cells in motion stay awake, and those around them; the others sleep if enough
 * of them can.  t1: the end of the window. */
yoke_status yk_latent_retire(yk_latent *s, double t1, yoke_err *err);

#endif
