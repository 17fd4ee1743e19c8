/* comp/program/policy.h -- limits of what a program may answer. */
#ifndef YK_PROGRAM_POLICY_H
#define YK_PROGRAM_POLICY_H

#include "base/policy.h"

/* Longest line of an answer, in bytes.  A number has at most 25 characters, so
 * this is room for 40,000 outputs; what is longer is not the protocol. */
YK_POLICY_INT(YK_PROGRAM_LINE, 1 << 20);

/* Points of one answer.  A window has some tens of steps of the fastest part,
 * 4096 where the steps are doubled to the end; a million is a program that has
 * lost its way. */
YK_POLICY_INT(YK_PROGRAM_POINTS, 1000000);

/* The last point is at the end of the window if it is no farther from it than
 * this part of the window: a program may have computed t0 + n h. */
YK_POLICY(YK_PROGRAM_NEAR, 1e-9);

#endif
