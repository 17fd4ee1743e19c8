/* iter/converge.h -- how far the iterates still are from their limit. */
#ifndef YK_CONVERGE_H
#define YK_CONVERGE_H

#include <stdbool.h>

/* Changes of the last sweeps, all relative to the tolerance. */
typedef struct yk_converge {
    int sweeps;         /* in this window */
    int count;          /* of them that can be compared: since the last in which
                           jumps appeared or went */
    bool jumped;        /* there was such a one in this window */
    bool switched;      /* there was one with other events than before */
    double change[4];   /* newest first */
    double rate;        /* per sweep; NAN: not known */
    double estimate;    /* of the remaining error; NAN: not known */
    double length;      /* of the window */
    double clean;       /* rate over two sweeps above the noise of steppers */
    bool noise;         /* the changes are small and fall no more */
    double first;       /* second change over the first, in this window */
    double step;        /* largest change[k+1] / change[k] in this window */
    double known_rate2; /* from earlier windows: per two sweeps; NAN: none */
    double known_step, known_first, known_length;
    double known_change; /* of the first sweep in the last window */
    double begun;        /* the same in this window */
    bool corrected; /* a sweep of this window was, by iter/correct/correct.c */
    bool known_corrected; /* so were those that the known rates are of */
    int unmeasured;       /* windows since the rate was last measured */
} yk_converge;

void yk_converge_reset(yk_converge *c);                /* forgets everything */
void yk_converge_begin(yk_converge *c, double length); /* a new window */

/* After a sweep with this largest change.  `fixed_point`: the sweep changed
 * nothing at all. */
void yk_converge_add(yk_converge *c, double change, bool fixed_point);

/* The change that the next sweep will find, from what is known; NAN: not known.
 * *ratio: what the one after it will find, relative to that. */
double yk_converge_predict(const yk_converge *c, double *ratio);

/* The window is accepted: what was measured is used in the next ones. */
void yk_converge_accept(yk_converge *c);

/* Instead of yk_converge_add: since the sweep before jumps have appeared or gone.
 * What earlier windows and sweeps tell does not hold. */
void yk_converge_jump(yk_converge *c, double change);

/* What follows is unlike what was: how much the next first sweep will change is
 * not known. */
void yk_converge_surprise(yk_converge *c);

#endif
