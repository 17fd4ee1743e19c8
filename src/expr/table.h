/* expr/table.h -- tables: rows (x, y), x y x y ..., of growing x. */
#ifndef YK_EXPR_TABLE_H
#define YK_EXPR_TABLE_H

#include "expr/op.h"

/* Straight lines, constant beyond the ends.  The generated code of equation
 * models contains the same functions. */
double yk_interpolate(const double *table, int rows, double x);
double yk_slope(const double *table, int rows, double x);

/* Of any of the tables. */
double yk_table_value(yk_op op, const double *table, int rows, double x);
double yk_table_slope(yk_op op, const double *table, int rows, double x);

/* The row before x; the first and the last but one at the ends. */
int yk_table_piece(const double *table, int rows, double x);

/* Where a table bends: at its rows; if its corners are rounded (ROUNDED), where
 * each rounding begins and ends.  In increasing order. */
int yk_table_levels(yk_op op, int rows);
double yk_table_level(yk_op op, const double *table, int rows, int k);

/* How many of them are below x, or, with `at`, not above. */
int yk_table_count(yk_op op, const double *table, int rows, double x, bool at);

#endif
