/* expr/policy.h -- numbers that decide how expressions are evaluated. */
#ifndef YK_EXPR_POLICY_H
#define YK_EXPR_POLICY_H

#include "base/policy.h"

/* Expressions are compiled if that saves as much time as it takes.  Seconds that
 * code saves per operation: the list takes 1.7 ns, code 0.3 ns (20 B sources of
 * 300 operations, 58,000 residuals: 0.50 s of 1.07). */
YK_POLICY(YK_EXPR_SAVED, 1.4e-9);

/* Seconds that a compiler takes, for anything and per byte of text: 6,200 bytes
 * 0.04 s, 57,000 bytes 0.36 s.  Objects that are in the cache cost nothing, but
 * nobody can rely on that. */
YK_POLICY(YK_EXPR_COMPILER, 0.04);
YK_POLICY(YK_EXPR_COMPILER_BYTE, 6e-6);

/* Kinks of a model or circuit that are held (events).  An event costs about as
 * much as ten steps.  In a loop over cells, or a maximum of many, kinks follow
 * one another within a step, and each is a small part of the whole: the error
 * test sees to those. */
YK_POLICY_INT(YK_EXPR_KINKS, 100);

/* x and y of c ? x : y are equal where the condition changes if they differ by
 * less than this part of their size at all points tried: rounding is 1e-16 per
 * operation.  What differs by more is a jump, however small. */
YK_POLICY(YK_EXPR_EQUAL, 1e-9);

#endif
