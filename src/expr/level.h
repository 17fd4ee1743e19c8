/* expr/level.h -- where a function of time first meets a level (for
 * expr/breaks.c). */
#ifndef YK_EXPR_LEVEL_H
#define YK_EXPR_LEVEL_H

#include "expr/breaks.h"

/* A switch and the function g that it watches. */
typedef struct yk_trigger {
    int step;            /* the switch */
    int first, count;    /* in `list`: the steps of time that g consists of */
    yk_expr_shape shape; /* of g on a piece */
    bool simple; /* g is straight, and so are those of all switches inside */
    bool nested; /* there are some */
    bool found;
    double from, to; /* g has no level in between, and one at `to` if found */
    double gap;      /* how far the next search looks first */
    int stuck;       /* searches in a row that got nowhere */
    long seen;       /* the branches inside it, as of this change */
} yk_trigger;

/* Functions of time alone, each step of them once. */
typedef struct yk_watch {
    yk_expr_program all;
    double *value, *held; /* of each step */
    yk_jet *bound;
    int *list;
    long looks; /* enclosures taken */
} yk_watch;

/* The first level of g after t and before `end`, where no level is before
 * `from`; INFINITY: none. */
double yk_level_after(yk_watch *w, yk_trigger *g, double t, double from,
                      double end);

/* The branch of the switch at t. */
double yk_level_branch(yk_watch *w, const yk_trigger *g, double t);

/* At a level of g, found at t behind a piece of this length: how far from it
 * roundings leave no doubt about the branch.  If that is too much of the piece,
 * what makes no difference to other functions of time. */
double yk_level_blur(yk_watch *w, const yk_trigger *g, double t, double piece);

/* Times that differ by less are one. */
double yk_level_rounding(double t);

#endif
