/* iter/constraint/collocated.h -- multipliers of parts that tell nothing, for
 * collocated.c and collocated_probe.c. */
#ifndef YK_ITER_COLLOCATED_H
#define YK_ITER_COLLOCATED_H

#include "iter/constraint/collocate.h"
#include "iter/constraint/constraint.h"

enum { YK_PROBE_SAMPLES = 25 };

/* Multipliers whose answer is being measured: one after the other is raised by
 * `delta` over the whole window. */
typedef struct yk_probe {
    int at; /* the multiplier that is raised; -1: none */
    int tried;
    double delta;
    yk_wave *base;  /* the multipliers without it */
    double *before; /* SAMPLES by n: the equations with them */
    double *after;
} yk_probe;

typedef struct yk_collocated {
    yk_constraint_common of;
    const yoke_graph *graph;
    double rtol, atol, span;
    int n, inputs; /* multipliers; what the equations read */
    yk_wave *one;
    int parts;
    const yk_propagator **part; /* what is read */

    double t, t1; /* accepted point; end of the last sweep */
    bool started; /* the first window was accepted */
    bool swept, trial;
    int sweeps;
    double moved[2]; /* the last two corrections, in tolerances */
    double refused;  /* the last coefficient before pieces were halved */

    yk_collocation grid;
    double *knot, *value, *read, *rest, *matrix;
    int *pivot, size;
    bool factored;
    size_t knot_room, value_room, read_room, rest_room, matrix_room, pivot_room;
    double length; /* of pieces to come; 0: not known */
    double tail;   /* the last coefficient, the largest, in tolerances */

    yk_step_response *z; /* n by n */
    bool known;          /* z is */
    bool stale;          /* z is to be measured again */
    double since, until; /* the window in which it was */
    double window;       /* length of the last one */
    yk_probe probe;

    double *u, *g, *D, *gap, *most, *scale;
} yk_collocated;

/* The equations at time t of a sweep (from the right), and the sizes of their
 * terms, which are raised; size may be NULL. */
yoke_status yk_collocated_equations(yk_collocated *c, const yk_wave *u,
                                    double t, bool right, double *g,
                                    double *size, yoke_err *err);

/* ---- collocated_probe.c -------------------------------------------------- */

yoke_status yk_probe_create(yk_probe *p, int n, yoke_err *err);
void yk_probe_clear(yk_probe *p);

/* Begins, or goes on with what the last sweep tells; y becomes the multipliers
 * of the next sweep if another one is needed: then *more. */
yoke_status yk_probe_begin(yk_collocated *c, const yk_wave *u, yk_wave *y,
                           yoke_err *err);
yoke_status yk_probe_go_on(yk_collocated *c, const yk_wave *u, yk_wave *y,
                           bool *more, yoke_err *err);

#endif
