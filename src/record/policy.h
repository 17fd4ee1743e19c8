/* record/policy.h -- the numbers that decide which rows are written.
 *
 * They change what is seen of a solution, never the solution.
 */
#ifndef YK_RECORD_POLICY_H
#define YK_RECORD_POLICY_H

#include "base/policy.h"

/* Straight lines between rows stay this close to the solution (part of the
 * range that the variable has had so far).  A picture of 540 pixels does not
 * show half a thousandth; halved, there are 1.4 times as many rows. */
YK_POLICY(YK_RECORD_LINE, 1e-3);

/* Of it what is left to the first choice, in a window; the second, among its
 * rows, has the rest.  Equal parts give the fewest rows of 0.25, 0.5, 0.75. */
YK_POLICY(YK_RECORD_FIRST, 0.5);

/* Equal parts of the run at whose ends there is always a row: two pixels of a
 * picture each, and two results have these times in common. */
YK_POLICY_INT(YK_RECORD_PARTS, 500);

/* Of the rows that are left for bends and peaks, the part that may be used at
 * any time; the others become free evenly over the run.  A start that takes
 * whatever it can get leaves as much for the rest. */
YK_POLICY(YK_RECORD_AT_ONCE, 0.5);

/* When there are too many rows, lines may be this much farther away. */
YK_POLICY(YK_RECORD_COARSER, 1.4);

#endif
