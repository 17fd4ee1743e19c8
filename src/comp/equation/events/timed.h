/* comp/equation/events/timed.h -- when a function of time alone is not smooth.
 *
 * Each watched function phi(t) has a break where it crosses zero (a relation,
 * abs, min, max), a whole number (floor) or the first entry of a row of a table
 * (interpolate).  Between breaks of all of them all are smooth.
 */
#ifndef YK_TIMED_H
#define YK_TIMED_H

#include "comp/equation/code/model.h"

typedef enum yk_timed_kind {
    YK_TIMED_ROOT,
    YK_TIMED_FLOOR,
    YK_TIMED_ROWS
} yk_timed_kind;

/* One operation of phi: a, b, c are earlier ones.  A loop index or an element
 * of a table is a number here. */
typedef struct yk_timed_step {
    int op, a, b, c;
    double number;
    const double *table; /* of INTERPOLATE and SLOPE; borrowed */
    int rows;
} yk_timed_step;

typedef struct yk_timed {
    yk_timed_kind kind;
    int length, rate;    /* steps; the place of phi' among them */
    int value;           /* the place of phi */
    bool affine;         /* between the breaks of what it is made of */
    double exact;        /* its only root; NAN: it must be found */
    const double *table; /* ROWS */
    int rows;
    yk_timed_step *step;
} yk_timed;

/* All of them, and the breaks found so far: those in (begin, end]. */
typedef struct yk_timing {
    int count, longest;
    size_t room;
    yk_timed *timed;
    double begin, end;
    int breaks;
    size_t break_room;
    double *brk;
    double *value; /* workspace */
    double (*range)[2];
} yk_timing;

void yk_timing_free(yk_timing *all);
/* Takes t->step, also on failure. */
yoke_status yk_timing_add(yk_timing *all, const yk_timed *t, yoke_err *err);
/* Once all are there. */
yoke_status yk_timing_finish(yk_timing *all, yoke_err *err);

/* The first break after t, or INFINITY.  Where the search would take too long,
 * a time before it that is none. */
double yk_timing_next(yk_timing *all, double t);

#endif
