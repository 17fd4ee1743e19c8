/* sys/solvable.h -- is C/h + G regular, and what is the index of (C, G)? */
#ifndef YK_SOLVABLE_H
#define YK_SOLVABLE_H

#include "base/base.h"
#include "yoke/check.h"

/* The index of the pencil s C + G at (t, x, u): 0 if C is regular, 1, 2, ...;
 * -1 if the pencil is singular. */
yoke_status yk_index(yoke_system *system, double t, const double *x,
                     const double *u, int *index, yoke_err *err);

/* sys/index.c: the same for two square matrices of the same size. */
typedef struct yk_pencil {
    const yoke_pattern *C_pattern, *G_pattern;
    const double *C, *G;
    const double *size; /* typical size of each unknown */
    double noise;       /* error of an entry relative to the largest term of
                           its row; 0: relative to itself, a few roundings */
} yk_pencil;

typedef struct yk_pencil_facts {
    int index;    /* -1: singular */
    int equation; /* singular: a row that depends on the others */
    int unknown;  /* singular: a column that nothing determines */
} yk_pencil_facts;

yoke_status yk_pencil_index(const yk_pencil *pencil, yk_pencil_facts *facts,
                            yoke_err *err);

#endif
