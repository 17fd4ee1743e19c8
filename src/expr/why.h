/* expr/why.h -- words for an operation that has no value, or is about to have
 * none.
 */
#ifndef YK_EXPR_WHY_H
#define YK_EXPR_WHY_H

#include "expr/program.h"

#include <stddef.h>

/* "sqrt(-1): the root of a negative number; ...", with what to do about it where
 * that is plain.  Not of leaves. */
void yk_op_blame(yk_op op, double a, double b, char *text, size_t size);

/* By which part of its distance from where it is not defined the operation has
 * moved towards that, from the operands a, b to those of `next`: 0 if it has
 * not, or is defined everywhere, or is beyond already. */
double yk_op_nears(yk_op op, const double now[2], const double next[2]);

/* Of the values v of the steps: the first that is not finite though its operands
 * are.  False: there is none. */
bool yk_expr_blame(const yk_expr_step *step, int steps, const double *v,
                   char *text, size_t size);

/* Of the values now and next: the step that nears its end most, described at
 * `now`, if it is more than *most, which becomes that part. */
bool yk_expr_blame_edge(const yk_expr_step *step, int steps, const double *now,
                        const double *next, double *most, char *text,
                        size_t size);

#endif
