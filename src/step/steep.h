/* step/steep.h -- by how much a subsystem amplifies errors of its inputs. */
#ifndef YK_STEP_STEEP_H
#define YK_STEP_STEEP_H

#include "step/method.h"

/* Something that follows the inputs at once. */
typedef struct yk_steep_row {
    int number; /* of the equation, the unknown or the output */
    int by;     /* of an unknown: the equation that gives it */
    double
        slope;   /* the largest change per relative change of what it follows */
    double when; /* the time of that */
    double sum;  /* of a rate: the integral of these over the run */
    double peak; /* largest size */
    double size; /* of a rate: largest charge */
} yk_steep_row;

/* What a step leaves for the next one. */
typedef struct yk_steep_past {
    bool known;         /* nothing has jumped since */
    double *low, *high; /* ranges of u, then of x */
    double *rate;       /* mean rates */
} yk_steep_past;

/* Rows are rates of charges, then algebraic unknowns, then outputs. */
typedef struct yk_steep {
    bool on;
    int rates, unknowns, outputs;
    int *first, *item;   /* what each row follows: inputs, m + unknowns */
    yk_steep_row *kept;  /* up to the point where sweeps begin */
    yk_steep_row *row;   /* up to the present one */
    double *direct;      /* of each item that is an input: the largest
                               derivative by it that was looked at */
    double *G, *Gu, *Hu; /* for that */
    double begin;        /* of the run */
    long windows;        /* accepted */
    double *peak;        /* largest values of u, then of x, so far */
    yk_steep_past now, before, at_point;
    double *y_at, *u_at, *x_at; /* at three times of a piece */
} yk_steep;

/* Only where something depends on inputs at once, and nothing on time. */
yoke_status yk_steep_create(yk_steep *s, const yk_problem *p, yoke_err *err);
void yk_steep_free(yk_steep *s);

/* The run begins at t. */
void yk_steep_start(yk_steep *s, double t);

/* Sweeps begin at the present point from now on; a sweep begins there; something
 * jumps. */
void yk_steep_keep(yk_steep *s, yk_problem *p);
void yk_steep_back(yk_steep *s, const yk_problem *p);
void yk_steep_jump(yk_steep *s);

/* The step from p->t to t, before it becomes the present point. */
void yk_steep_step(yk_steep *s, yk_problem *p, double t);

/* Outputs, inputs and unknowns are in y_at[3 * p], u_at[3 * m] and x_at[3 * n]: at
 * three times of a piece that ends at t. */
void yk_steep_piece(yk_steep *s, const yk_problem *p, double t);

#endif
