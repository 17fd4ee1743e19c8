/* verify/spot.h -- a run checks itself: pieces of accepted windows are solved
 * again in another way. */
#ifndef YK_SPOT_H
#define YK_SPOT_H

#include "decide/ladder.h"

/* Pieces that were solved again so far. */
typedef struct yk_spot {
    yoke_model *model; /* borrowed, as the next five */
    const yoke_graph *graph;
    const yoke_run_options *options;
    const yk_units *units;
    const yk_tally *tally;
    const yk_ladder *ladder; /* which stepper a cluster has */

    unsigned long long seed;
    bool open;      /* this run makes spot checks */
    int **place;    /* of each unit of plan 0: the component of its watched
                       waveform for each unknown */
    int places;     /* of them */
    int *first_x;   /* of each node: number of its first unknown; nodes + 1 */
    double *size_x; /* of each unknown of the model: its largest value */
    double *size_y; /* the same of each output, by id */
    yk_cluster *whole; /* everything as one; NULL: not made */
    void *memory;      /* of all subsystems where the present window began */
    double memory_t;
    double spent; /* work, see yk_spot_window */

    int made, undecided, failed;
    double time;  /* that the pieces cover */
    double worst; /* largest difference over the tolerance */
    double worst_t;
    char worst_name[160];
    yoke_work work;
    char derived[300], blurred[300]; /* of units that are no more (certify.c) */
} yk_spot;

/* After the columns have their places: all unknowns are watched.  Again when
 * the units are others. */
yoke_status yk_spot_place(yk_spot *s, yoke_err *err);
void yk_spot_free(yk_spot *s);

/* The units have been started: the memory of the subsystems is that of t. */
yoke_status yk_spot_start(yk_spot *s, double t, yoke_err *err);

/* A window was accepted: perhaps solves pieces of it again.  A difference
 * above ten tolerances is YOKE_E_NUMERIC. */
yoke_status yk_spot_window(yk_spot *s, double t0, double t1, yoke_err *err);

/* ---- one piece (verify/spot_check.c) ----------------------------------------
 */

typedef struct yk_spot_piece {
    double begin, end;
    int unit; /* of plan 0; -1: everything as one */
    int step; /* the unit one of whose steps ends where it does; -1: none */
    double max_step;
    long limit;         /* steps */
    const void *memory; /* of all subsystems at the beginning; may be NULL */
} yk_spot_piece;

/* Solves it, compares, and if the difference is above ten tolerances, twice
 * more.  Adds to the counts.  YOKE_E_NUMERIC: the run is wrong there. */
yoke_status yk_spot_check(yk_spot *s, const yk_spot_piece *piece,
                          yoke_err *err);

/* ---- what status 0 does not say (verify/certify.c) ----------------------- */

/* The units become others in the middle of a run: what is not certified of those
 * that there are is reported at the end. */
void yk_spot_keep(yk_spot *s);

/* Writes the i-th sentence, or false after the last. */
bool yk_spot_uncertain(const yk_spot *s, int i, char *text, size_t room);

/* Is what the system holds between events right at x and u?  YOKE_E_NUMERIC, if
 * errors of ten tolerances do not explain that it is not (spot_held.c). */
yoke_status yk_spot_held(yoke_system *system, double t, const double *x,
                         const double *tolerance, const double *u,
                         yoke_err *err);

#endif
