/* iter/correct/rows.h -- a sparse matrix by rows that is made again now and then,
 * without new memory if it does not grow.
 */
#ifndef YK_CORRECT_ROWS_H
#define YK_CORRECT_ROWS_H

#include "base/base.h"

/* Row i: col and value from start[i] to start[i + 1] - 1. */
typedef struct yk_rows {
    int n;
    int *start;
    int *col;
    double *value;
    size_t start_room, col_room, value_room;

    int entries; /* since yk_rows_begin, in any order */
    int *at;
    int *from;
    double *what;
    size_t at_room, from_room, what_room;
} yk_rows;

void yk_rows_clear(yk_rows *m);

/* n rows; then the entries, each place once; then the end sorts them by rows,
 * columns in the order in which they came. */
yoke_status yk_rows_begin(yk_rows *m, int n, yoke_err *err);
yoke_status yk_rows_add(yk_rows *m, int row, int col, double value,
                        yoke_err *err);
yoke_status yk_rows_end(yk_rows *m, yoke_err *err);

/* factor I, and A - I for A[n * n] row by row. */
yoke_status yk_rows_diagonal(yk_rows *m, int n, double factor, yoke_err *err);
yoke_status yk_rows_less_one(yk_rows *m, int n, const double *a, yoke_err *err);

#endif
