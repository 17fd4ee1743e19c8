/* iter/constraint/unit.h -- constraints as a unit, for unit.c, pieces.c,
 * shock.c and correct.c. */
#ifndef YK_ITER_CONSTRAINT_UNIT_H
#define YK_ITER_CONSTRAINT_UNIT_H

#include "iter/constraint/node.h"

enum {
    YK_MULTIPLIER_DEGREE = 5,
    YK_MULTIPLIER_POINTS = YK_MULTIPLIER_DEGREE + 1,
    YK_MULTIPLIER_PIECES = 4096
};

/* A polynomial with the multipliers of a stretch of time. */
typedef struct yk_multiplier_piece {
    bool cut;  /* something happens where it begins */
    int first; /* of its points that is its own: those before it continue the
                  piece behind */
    int from;  /* points before it follow from the others */
    double inner[2]; /* of three points along steps the first two, */
    double place[YK_MULTIPLIER_POINTS]; /* of all points: 0 begin, 1 end */
} yk_multiplier_piece;

typedef struct yk_delayed yk_delayed; /* bends.c */

typedef struct yk_multipliers {
    yk_constraint_common of;
    yk_constraint_node node;
    double rtol, atol;
    int n;        /* multipliers */
    double t, t1; /* accepted point; end of the last sweep */

    /* The pieces of the last sweep, and of each POINTS by n values: those that
     * were made, those that the units have read, what a correction changes, and
     * what equations that were evaluated again ask for besides; then the
     * coefficients of the polynomials, of powers of the place. */
    int pieces;
    double *knot;
    yk_multiplier_piece *piece;
    double *value, *read, *change, *pending, *poly, *change_poly;
    size_t knot_room, piece_room, value_room, read_room, change_room,
        pending_room, poly_room, change_poly_room;

    double *last;       /* the polynomial behind the accepted point ... */
    double last_length; /* ... and how long it is; 0: none */
    double *most, *ever, *tail, *lambda, *u;
    double length;   /* of the pieces to come; 0: not known */
    double rest;     /* of the pieces of the last sweep, the largest */
    double *reached; /* what the constraint reads at the accepted point */
    bool happened;   /* something, in the window that is accepted */
    bool swept;
    bool events;         /* the units have some */
    int sweeps;          /* of this window */
    double moved[2];     /* in the last two, relative */
    bool tight;          /* the units have tolerances for the multipliers */
    bool on;             /* the units keep their steps */
    bool along;          /* pieces are steps of one of them, */
    bool grouped;        /* some steps each */
    double *dx, *du;     /* room for the change of a part */
    bool linear;         /* slopes do not change */
    yk_delayed *delayed; /* waveforms that units read with a delay */
    int delayed_count;
    size_t delayed_room;
    int slopes; /* known: at the end of a window (1), at its begin (2) */
} yk_multipliers;

/* ---- pieces.c ------------------------------------------------------------ */

/* The pieces of a sweep to t1: along the steps of a unit, or equal ones. */
yoke_status yk_multipliers_divide(yk_multipliers *c, double t1, yoke_err *err);

/* Cuts them where something happens, and takes their values; pieces on which the
 * polynomial has not settled are halved. */
yoke_status yk_multipliers_sample(yk_multipliers *c, const yk_wave *u,
                                  yoke_err *err);

/* The values of the same pieces once more: those that the points have now less
 * value[] become pending[]. */
yoke_status yk_multipliers_renew(yk_multipliers *c, const yk_wave *u,
                                 yoke_err *err);

/* Multipliers that follow from the unknowns at the instant, and those that the
 * units have read. */
yoke_status yk_multipliers_at(yk_multipliers *c, const yk_wave *u,
                              const yk_instant_of *at, double *lambda,
                              double *read, yoke_err *err);

/* poly[] of piece k from its value[]; the points that continue the pieces before are
 * made from these, and from `last` behind the accepted point; NULL: that is zero. */
void yk_multipliers_shape(const yk_multipliers *c, int k, double *value,
                          const double *last, double *poly);

/* y := the polynomials. */
yoke_status yk_multipliers_append(const yk_multipliers *c, const double *poly,
                                  yk_wave *y, yoke_err *err);

/* The instants between which nothing happens around piece k. */
void yk_multipliers_smooth(const yk_multipliers *c, int k, yk_instant_of *at);

/* ---- bends.c ------------------------------------------------------------- */

yoke_status yk_bends_bind(yk_multipliers *c, int units, const yk_unit *all,
                          yoke_err *err);
void yk_bends_clear(yk_multipliers *c);

/* The first instant of the present window after t at which a delayed signal jumps
 * or bends; INFINITY: none. */
double yk_bends_next(const yk_multipliers *c, double t);

/* The window is accepted. */
void yk_bends_accept(yk_multipliers *c);

/* ---- shock.c -------------------------------------------------------------- */

/* Something has happened in the window that is about to be accepted: refuses it
 * if a multiplier would be an impulse. */
yoke_status yk_multipliers_shocks(yk_multipliers *c, yoke_err *err);

/* ---- correct.c ----------------------------------------------------------- */

extern const yk_tape_ops yk_multipliers_tape;

/* The waveform of value[], watched ones and the end. */
yoke_status yk_multipliers_write(yk_multipliers *c, const double *poly,
                                 yk_wave *y, yoke_err *err);

#endif
