/* yoke/sparse.h -- the places of the entries of a sparse matrix.
 *
 * Compressed columns: the rows of column j are row[start[j]] ...
 * row[start[j+1]-1], increasing, each at most once.  Values live in a separate
 * array of start[cols] doubles in the same order.
 */
#ifndef YOKE_SPARSE_H
#define YOKE_SPARSE_H

#include "yoke/status.h"

YOKE_BEGIN_C

typedef struct yoke_pattern {
    int rows, cols;
    int *start; /* cols + 1 */
    int *row;   /* start[cols] */
} yoke_pattern;

/* A sparse matrix: places and values, both borrowed.  Without a pattern it is
 * what its place says: zero, or the identity. */
typedef struct yoke_matrix {
    const yoke_pattern *pattern;
    const double *value;
} yoke_matrix;

/* From `count` pairs (row[k], col[k]) in any order; repeated pairs count once.
 * Copies.  Free with yoke_pattern_free.
 */
YOKE_API yoke_status yoke_pattern_create(yoke_pattern **out, int rows, int cols,
                                         int count, const int *row,
                                         const int *col, yoke_err *err);

YOKE_API void yoke_pattern_free(yoke_pattern *pattern); /* accepts NULL */

/* Number of places. */
YOKE_API int yoke_pattern_count(const yoke_pattern *pattern);

/* Index of (row, col) in the value array, or -1. */
YOKE_API int yoke_pattern_find(const yoke_pattern *pattern, int row, int col);

YOKE_END_C

#endif
