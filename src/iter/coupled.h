/* iter/coupled.h -- the linear problem of a window whose units are corrected
 * along their steps, for iter/states.c and iter/coupled.c.
 *
 * The unknowns are the changes v of the late outputs.  One march through the
 * schedule makes A (r + K v) of them; v - A K v = A r is solved by GMRES.  A vector
 * holds the values of each late output at points of its pieces, in tolerances:
 * the pieces are the steps of the unit, divided where outputs follow inputs at
 * once and these have other pieces.  On those pieces the march is exact, so the
 * vector says all about the waveforms.
 */
#ifndef YK_COUPLED_H
#define YK_COUPLED_H

#include "iter/states.h"
#include "la/krylov.h"

typedef struct yk_coupled_unit {
    yk_wave *r;         /* what the inputs are now, less what was used */
    yk_wave *du;        /* change of the inputs of the last march */
    const yk_wave *by;  /* this one, or r if that is all of it */
    yk_wave *dy;        /* and of the outputs; nothing if `still` */
    yk_wave *v;         /* change of the late outputs */
    yk_wave_term *term; /* how these are combined */
    bool still;
    bool any;          /* some output is late */
    bool held;         /* it reads a unit that follows unknowns of others */
    int knots, degree; /* its pieces */
    size_t knot_room;
    double *knot;
    double *value;         /* a piece of samples */
    double *scale;         /* p: tolerance of each output */
    double *input;         /* m: how much the inputs change */
    double *unit;          /* m: tolerance of the inputs */
    double read;           /* largest r, in these */
    long compared;         /* of these versions (states.c) */
    long linearised;       /* its derivatives are those of this version */
    double change;         /* largest du, in these; NAN: not measured */
    double shift;          /* their change by the last correction, in these */
    double heard;          /* the largest since it was solved */
    double *peak;          /* p: |y| over the last accepted window */
    double moved;          /* corrections of its steps, in tolerances */
    double between;        /* and of inputs between their stages */
    double begun;          /* and where the window begins */
    yk_tape_result result; /* of the last one */
    bool again;            /* it must be solved again */
    bool fresh;            /* its equations were evaluated since */
} yk_coupled_unit;

struct yk_states {
    yk_plan_state *plan;
    double rtol, atol;
    const double *weight; /* of the outputs' errors */
    double t0, t1;
    bool begins; /* the first march of a window finds derivatives, too */
    int units;
    yk_coupled_unit *unit;
    int *order; /* of the units: those last that follow others */
    size_t samples;
    yk_krylov *krylov;
    double *b, *x, *first; /* right side, solution, product with the former */
    size_t b_room, x_room, first_room;
    double size;                /* norm of the right side */
    double least;               /* changes of inputs that are left alone */
    double begin, end, largest; /* the window in which this was the largest */
    double gain;                /* of one march, largest of this window */
    double loudest;             /* of the last windows */
};

/* Derivatives by the inputs along the steps of a unit (states.c). */
yoke_status yk_states_linearise(yk_states *st, int i, yoke_err *err);

/* A term of a combination of waveforms. */
void yk_coupled_add(yk_coupled_unit *q, int *terms, const yk_wave *wave,
                    int from, int to, double weight);

/* Solves the linear problem with the r of all units, up to `limit`; the last
 * march is that of its solution, *rest what is left of it, in tolerances. */
yoke_status yk_coupled_solve(yk_states *st, double limit, double *rest,
                             yoke_err *err);

#endif
