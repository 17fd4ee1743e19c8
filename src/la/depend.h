/* la/depend.h -- rows of a matrix that depend on each other. */
#ifndef YK_DEPEND_H
#define YK_DEPEND_H

#include "base/base.h"

/* The first of the m rows of a (m by n, row by row) that depends on those
 * before it, -1: none.  A row depends on others if all but the part `vanishing`
 * of it is a combination of them.  weight[m]: the combination of rows that
 * vanishes; without any one of its rows the others would be independent. */
yoke_status yk_dependent_row(int m, int n, const double *a, double vanishing,
                             int *row, double *weight, yoke_err *err);

/* "a", "b" and "c": the names with a weight that counts; returns how many. */
int yk_list_weighted(char *text, size_t room, int n, const double *weight,
                     const char *const *name);

#endif
