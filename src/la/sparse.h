/* la/sparse.h -- sparse matrices with values: from triplets, products. */
#ifndef YK_SPARSE_H
#define YK_SPARSE_H

#include "base/base.h"
#include "yoke/sparse.h"

/* Owned by whoever made it; zeroed it is no matrix at all. */
typedef struct yk_sparse {
    yoke_pattern *pattern;
    double *value;
} yk_sparse;

void yk_sparse_clear(yk_sparse *m);

/* What a matrix is summed up from; zeroed it is empty. */
typedef struct yk_triplets {
    int count;
    size_t row_room, col_room, value_room;
    int *row, *col;
    double *value;
} yk_triplets;

void yk_triplets_clear(yk_triplets *t);
yoke_status yk_triplets_add(yk_triplets *t, int row, int col, double value,
                            yoke_err *err);

/* factor * m with its first entry at (row, col).  `pattern` NULL: nothing. */
yoke_status yk_triplets_add_matrix(yk_triplets *t, double factor,
                                   const yoke_pattern *pattern,
                                   const double *value, int row, int col,
                                   yoke_err *err);

/* Entries at the same place are summed; zero sums stay places. */
yoke_status yk_sparse_create(yk_sparse *out, int rows, int cols,
                             const yk_triplets *t, yoke_err *err);
yoke_status yk_sparse_identity(yk_sparse *out, int n, yoke_err *err);
yoke_status yk_sparse_copy(yk_sparse *out, const yoke_pattern *pattern,
                           const double *value, yoke_err *err);

/* a b, and a' b. */
yoke_status yk_sparse_product(yk_sparse *out, const yk_sparse *a,
                              const yk_sparse *b, yoke_err *err);
yoke_status yk_sparse_product_transposed(yk_sparse *out, const yk_sparse *a,
                                         const yk_sparse *b, yoke_err *err);

/* y += factor m x. */
void yk_sparse_multiply(const yk_sparse *m, double factor, const double *x,
                        double *y);

/* Largest modulus of an entry. */
double yk_sparse_largest(const yk_sparse *m);

/* Is the symmetric matrix m + shift I positive definite?  Its Cholesky factor
 * is made in the given order, within the envelope.  Otherwise *row is where it
 * fails and *pivot what is left there; *row is -1 if it does not.  With more
 * than `room` entries in the envelope nothing is done and *row is -2. */
yoke_status yk_sparse_definite(const yk_sparse *m, double shift, double room,
                               int *row, double *pivot, yoke_err *err);

/* What rows are divided by to be compared: the largest |entry| of each; 1 where
 * that is 0 or not finite. */
void yk_row_scale(const yoke_pattern *pattern, const double *value,
                  double *scale);

#endif
