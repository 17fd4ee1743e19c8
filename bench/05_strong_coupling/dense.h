/* dense.h -- small matrices, row by row. */
#ifndef DENSE_H
#define DENSE_H

#include <stdbool.h>

enum { DENSE_MOST = 64 };

/* Inverse of a[n * n]; false if it is singular. */
bool dense_inverse(int n, const double *a, double *inverse);

/* Largest row sum. */
double dense_norm(int rows, int cols, const double *a);

/* Spectral radius: |a^k|^(1/k) for k = 2^14. */
double dense_radius(int n, const double *a);

#endif
