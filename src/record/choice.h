/* record/choice.h -- the rows of `every: auto`: so many that straight lines
 * between them show the solution, at most so many as permitted.
 *
 * A row is a time and the values of all columns then.
 */
#ifndef YK_CHOICE_H
#define YK_CHOICE_H

#include "record/statistics.h"

typedef struct yk_choice yk_choice;

/* Takes a row that is chosen; in the order of time, two rows at one time are
 * both sides of a jump. */
typedef struct yk_row_sink {
    yoke_status (*write)(void *context, const double *row, yoke_err *err);
    void *context;
} yk_row_sink;

typedef struct yk_choice_options {
    int columns, most; /* most: rows in all */
    double start, stop;
    yk_row_sink sink;
} yk_choice_options;

/* start + row * every, rounded to 15 digits: 0.075, not 0.07500000000000001. */
double yk_row_time(double start, double row, double every);

yoke_status yk_choice_create(yk_choice **out, const yk_choice_options *options,
                             yoke_err *err);
void yk_choice_free(yk_choice *rows); /* accepts NULL */

/* The first row, which is written. */
yoke_status yk_choice_first(yk_choice *rows, const double *row, yoke_err *err);

/* A window.  scale[c]: a deviation of this size of column c counts as 1; 0: the
 * column does not count.  `instant` are times at which something happens, in
 * order; other jumps are found in the waveforms. */
typedef struct yk_choice_window {
    double t0, t1;
    const yk_curve *curve; /* of each column */
    const double *scale;
    int instants;
    const double *instant;
    double tiny; /* what is left of an open iteration is no jump */
} yk_choice_window;

yoke_status yk_choice_add(yk_choice *rows, const yk_choice_window *window,
                          yoke_err *err);

/* Writes the rows that wait, the last one in any case. */
yoke_status yk_choice_flush(yk_choice *rows, yoke_err *err);

/* How close lines between rows are, in units of `scale`, and since when they
 * are not as close as YK_RECORD_LINE (NAN: they are). */
void yk_choice_quality(const yk_choice *rows, double *within, double *since);

/* record/thin.c: rows of a polyline that are needed so that it stays within
 * `tol`: the farthest from a chord, then both halves.  level[]: before, INFINITY
 * at both ends and at others that must stay, else 0; afterwards the largest
 * tolerance that still needs the row, 0 where `tol` does not.  `stack` has room
 * for as many. */
typedef struct yk_polyline {
    int count, columns;
    const double *row;   /* time, then `columns` values */
    const double *scale; /* as above */
} yk_polyline;

void yk_thin(const yk_polyline *line, double tol, double *level, int *stack);

#endif
