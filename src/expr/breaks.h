/* expr/breaks.h -- the instants at which functions of time switch.
 *
 * sign, abs, min, max, floor, relations, tables: whatever is not smooth at
 * certain values of its operand.  Between two instants every function added is
 * smooth in time.
 */
#ifndef YK_EXPR_BREAKS_H
#define YK_EXPR_BREAKS_H

#include "expr/program.h"

typedef struct yk_breaks yk_breaks;

/* Adds what depends on time alone among these steps; copies, but for the rows
 * of tables.  *breaks NULL: makes it, unless nothing switches. */
yoke_status yk_breaks_add(yk_breaks **breaks, int steps,
                          const yk_expr_step *step, yoke_err *err);
void yk_breaks_free(yk_breaks *breaks); /* accepts NULL */

/* The first instant after t that is not behind `until`, or INFINITY; `breaks`
 * may be NULL.  Where the search would take too long, an instant at which
 * nothing happens.  Does not allocate. */
double yk_breaks_after(yk_breaks *breaks, double t, double until);

/* Where functions are to be evaluated that are meant at t: next to an instant
 * roundings of what a switch watches may still, or already, show its other
 * branch; then a little farther from it.  For times of the stretch that
 * yk_breaks_after searched last, up to `t`; `breaks` may be NULL. */
double yk_breaks_beside(const yk_breaks *breaks, double t);

/* Enclosures taken so far. */
long yk_breaks_looks(const yk_breaks *breaks);

#endif
