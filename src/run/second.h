/* run/second.h -- a run that was cheap is solved a second time. */
#ifndef YK_RUN_SECOND_H
#define YK_RUN_SECOND_H

#include "record/record.h"

/* Values of all recorded variables at times of a run, in their order. */
typedef struct yk_samples {
    int rows;
    double *time, *value; /* rows, rows * columns */
    bool *between;        /* in the middle of a step; else spread over time */
    size_t time_room, value_room, between_room;
} yk_samples;

typedef struct yk_second {
    int times, columns;   /* 0: there will be no second solution */
    int around;           /* samples at a time: 1, or 3 if there are events */
    double beside;        /* between these */
    yk_samples first;     /* one at each time */
    yk_record_times step; /* ends of those of a window */
    int spread, between;  /* samples of either kind */
    long met, each;       /* steps so far; one of so many is sampled */
    bool made;
    double apart; /* of the two solutions, in tolerances */
    int column;   /* of which variable */
    double when;
    char failed[300]; /* why there is none; empty: there is */
    double part;   /* of the tolerance of the run that this one is solved to */
    double before; /* `apart` of the run before this one; 0: none */
    bool closed;   /* there are closed parts */
} yk_second;

/* A run is built; a window up to t is accepted; its end. */
void yk_second_begin(yoke_run *run);
yoke_status yk_second_window(yoke_run *run, double t, yoke_err *err);
void yk_second_free(yk_second *s);

/* The run gets a later stop time. */
void yk_second_prolong(yk_second *s);

/* The run has come to its stop time.  Solves it a second time if that is cheap.  If
 * the two differ, and something can be done, run->ladder.again is set. */
yoke_status yk_second_judge(yoke_run *run, yoke_err *err);

/* What is left, as a sentence. */
bool yk_second_uncertain(const yoke_run *run, char *text, size_t room);

#endif
