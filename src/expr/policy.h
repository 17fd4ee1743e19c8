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

#endif
