/* comp/equation/policy.h -- numbers that decide in equation models. */
#ifndef YK_EQUATION_POLICY_H
#define YK_EQUATION_POLICY_H

#include "base/policy.h"

/* Where an equation has a value but no slope (sqrt at 0), how far beside it the
 * slope is taken, relative to the value and at least to 1.  The slope of sqrt
 * is then 500: an error of 1e-9 in its argument moves it by less than 1e-6, and
 * the matrix stays regular.  A tank that begins empty, h' = 1 - sqrt(h), takes
 * 176 steps with 1e-4, 1e-6 and 1e-8, and 1041, 1028 and 1060 residuals. */
YK_POLICY(YK_EQ_BESIDE, 1e-6);

/* A pivot below this part of the largest entry of its row or column is none.
 * Slopes are exact up to rounding, and elimination in the few hundred equations
 * that are connected subtracts sums of them: rounding is below 1e-12. */
YK_POLICY(YK_EQ_NO_PIVOT, 1e-10);

/* A constant pivot of at least this part of its row is taken for all times,
 * although slopes that change may offer a larger one now: it loses four digits at
 * most, and the others may vanish. */
YK_POLICY(YK_EQ_SURE_PIVOT, 1e-4);

/* With more rows than ALL the search for the largest pivot, rows times columns
 * for each, ends with the first row whose pivot is ENOUGH: three digits. */
YK_POLICY_INT(YK_EQ_ALL_PIVOTS, 200);
YK_POLICY(YK_EQ_ENOUGH, 1e-3);

/* Relative: what may be left of an equation, or lie between a value that is
 * fixed and the one that equations give, as in steps (YK_STEP_HIDDEN_LEFT). */
YK_POLICY(YK_EQ_CONSISTENT, 1e-8);

/* Rows of a result that a model's experiment(Interval) may ask for.  A third of
 * the standard library's examples ask for more, up to 720,000 of hundreds of
 * variables: files of gigabytes, and minutes of writing for seconds of a run.
 * 5000 rows are more than a picture shows. */
YK_POLICY(YK_EQ_ROWS, 5000.0);

#endif
