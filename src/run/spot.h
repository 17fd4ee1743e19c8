/* run/spot.h -- a run checks itself: pieces of accepted windows are solved once
 * more in another way.
 */
#ifndef YK_SPOT_H
#define YK_SPOT_H

#include "base/base.h"
#include "yoke/propagator.h"
#include "yoke/run.h"

struct yk_cluster;

/* Pieces that were solved again so far. */
typedef struct yk_spot {
    unsigned long long seed;
    bool open;      /* this run makes spot checks */
    int **place;    /* of each unit of plan 0: the component of its watched
                       waveform for each unknown */
    int units;      /* of them */
    int *first_x;   /* of each node: number of its first unknown; nodes + 1 */
    double *size_x; /* of each unknown of the model: its largest value */
    double *size_y; /* the same of each output, by id */
    struct yk_cluster *whole; /* everything as one; NULL: not made */
    void *memory; /* of all subsystems where the present window began */
    double memory_t;
    double spent; /* work, see yk_spot_window */

    int made, undecided, failed;
    double time;  /* that the pieces cover */
    double worst; /* largest difference over the tolerance */
    double worst_t;
    char worst_name[160];
    yoke_work work;
} yk_spot;

/* After the columns have their places: all unknowns are watched.  Again when
 * the units are others. */
yoke_status yk_spot_place(yoke_run *run, yoke_err *err);
void yk_spot_free(yoke_run *run);

/* The units have been started: the memory of the subsystems is that of t. */
yoke_status yk_spot_start(yoke_run *run, double t, yoke_err *err);

/* A window was accepted: perhaps solves pieces of it once more.  A difference
 * above ten tolerances is YOKE_E_NUMERIC. */
yoke_status yk_spot_window(yoke_run *run, double t0, double t1, yoke_err *err);

/* ---- one piece (run/spot_check.c) ----------------------------------------
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
yoke_status yk_spot_check(yoke_run *run, const yk_spot_piece *piece,
                          yoke_err *err);

#endif
