/* io/policy.h -- numbers that decide about tables. */
#ifndef YK_IO_POLICY_H
#define YK_IO_POLICY_H

#include "base/policy.h"

/* Times of two tables closer than this, relative to the largest of them, are
 * one: sums of 10^4 steps differ by 1e-12 in the last digits. */
YK_POLICY(YK_JUDGE_TIME, 1e-12);

/* The error of a straight line between two rows is the second difference times
 * this: the second derivative in the piece is that of its neighbours up to a
 * factor of two on grids that show the curve at all (8 points per period or
 * more). */
YK_POLICY(YK_JUDGE_LINE, 2.0);

/* Values on the two sides of a row are those of a jump if they differ by this
 * many times what the slopes beside it move in one row: 2 would be told from
 * noise just so. */
YK_POLICY(YK_JUDGE_JUMP, 4.0);

#endif
