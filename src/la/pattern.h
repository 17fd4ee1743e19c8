/* la/pattern.h -- sparse patterns: union, rows, products, matching. */
#ifndef YK_PATTERN_H
#define YK_PATTERN_H

#include "base/base.h"
#include "yoke/sparse.h"

/* Every place. */
yoke_status yk_pattern_full(yoke_pattern **out, int rows, int cols,
                            yoke_err *err);

/* No place at all. */
yoke_status yk_pattern_empty(yoke_pattern **out, int rows, int cols,
                             yoke_err *err);

/* The diagonal of an n by n matrix. */
yoke_status yk_pattern_identity(yoke_pattern **out, int n, yoke_err *err);

yoke_status yk_pattern_copy(yoke_pattern **out, const yoke_pattern *from,
                            yoke_err *err);
yoke_status yk_pattern_transpose(yoke_pattern **out, const yoke_pattern *from,
                                 yoke_err *err);

/* Union of a and b (same size).  a_at[k] (may be NULL) is the place in the
 * union of entry k of a; likewise b_at.  These arrays belong to the caller. */
yoke_status yk_pattern_union(yoke_pattern **out, const yoke_pattern *a,
                             const yoke_pattern *b, int **a_at, int **b_at,
                             yoke_err *err);

/* Refuses what is not a pattern of rows by cols, naming it `what`. */
yoke_status yk_pattern_check(const yoke_pattern *pattern, const char *what,
                             int rows, int cols, yoke_err *err);

/* Largest matching (BTF, Duff's algorithm): column j of the pattern is matched
 * with row match[j], or -1.  match has cols entries.  Writes the number of
 * matched columns. */
yoke_status yk_pattern_match(const yoke_pattern *pattern, int *match,
                             int *matched, yoke_err *err);

/* Block triangular form of a square pattern (BTF): block k has the rows
 * row[first[k]] ... and the columns col[first[k]] ..., and depends on the
 * columns of the blocks before it only.  row and col have n entries, first n +
 * 1.  *matched < n: there is none. */
yoke_status yk_pattern_blocks(const yoke_pattern *pattern, int *row, int *col,
                              int *first, int *blocks, int *matched,
                              yoke_err *err);

/* y += a times column j of A. */
void yk_pattern_add_column(const yoke_pattern *pattern, const double *value,
                           int j, double a, double *y);

/* y += a A x, and y += a A' x. */
void yk_pattern_multiply(const yoke_pattern *pattern, const double *value,
                         double a, const double *x, double *y);
void yk_pattern_multiply_transposed(const yoke_pattern *pattern,
                                    const double *value, double a,
                                    const double *x, double *y);

/* Columns coloured so that columns of one colour share no row: colour[cols].
 * Writes the number of colours. */
yoke_status yk_pattern_colour(const yoke_pattern *pattern, int *colour,
                              int *colours, yoke_err *err);

#endif
