/* expr/jet.h -- interval arithmetic with Taylor coefficients.
 *
 * A jet of g on [a, b] encloses, for k = 0 ... order, g^(k)(t) / k! for all t
 * of [a, b].  Every operation is widened by some roundings, so an enclosure is
 * one of the computed values too.
 *
 * What is not smooth (abs, min, floor, a choice) has the hull of its branches:
 * right wherever g is smooth, that is between breakpoints.
 * Reference: Moore, Kearfott, Cloud, Introduction to Interval Analysis, ch. 9.
 */
#ifndef YK_EXPR_JET_H
#define YK_EXPR_JET_H

#include "expr/op.h"

enum { YK_JET_ORDER = 4 }; /* the highest coefficient */

typedef struct yk_span {
    double lo, hi;
} yk_span;

typedef struct yk_jet {
    yk_span c[YK_JET_ORDER + 1];
} yk_jet;

/* Are enclosures of it known?  Otherwise they are everything. */
bool yk_jet_knows(yk_op op);

/* out = op(a, b, c), up to `order`; operands that it has not are ignored.  Not
 * of leaves and tables. */
void yk_jet_apply(yk_op op, int order, const yk_jet *a, const yk_jet *b,
                  const yk_jet *c, yk_jet *out);
void yk_jet_number(double value, int order, yk_jet *out);
void yk_jet_time(double from, double to, int order, yk_jet *out);

/* A table of these rows at a (expr/table.h). */
void yk_jet_look_up(yk_op op, const double *table, int rows, int order,
                    const yk_jet *a, yk_jet *out);

/* On a piece of time on which the operation keeps its `branch`
 * (yk_expr_branch): abs is a line, floor a number. */
void yk_jet_held(yk_op op, double branch, int order, const yk_jet *a,
                 const yk_jet *b, const yk_jet *c, yk_jet *out);
void yk_jet_held_table(yk_op op, const double *table, int rows, double branch,
                       int order, const yk_jet *a, yk_jet *out);

#endif
