/* iter/correct/anderson.h -- quasi-Newton steps from the differences of past iterates.
 *
 * A fixed-point iteration w -> w + f(w) on vectors.  Differences of residuals
 * and of results are kept, also from earlier windows; the combination of them
 * that makes the residual least is taken off the next iterate (Anderson 1965;
 * in coupled problems known as the interface quasi-Newton method with least
 * squares, Degroote, Bathe, Vierendeels 2009).
 */
#ifndef YK_ANDERSON_H
#define YK_ANDERSON_H

#include "base/base.h"

/* free, reset and begin are those of a yk_acceleration. */
typedef struct yk_anderson yk_anderson;

/* Memory is taken when vectors come. */
yoke_status yk_anderson_create(yk_anderson **out, yoke_err *err);
void yk_anderson_free(void *anderson); /* accepts NULL */

/* Forgets all differences: vectors of another meaning or length follow. */
void yk_anderson_reset(void *anderson);

/* A new window: the next vector is not compared with the last one. */
void yk_anderson_begin(void *anderson);

/* w and f of length n, and the size of each entry that matters.  Writes to
 * `extra` what is to be added to w + f. */
yoke_status yk_anderson_step(yk_anderson *anderson, int n, const double *w,
                             const double *f, const double *scale,
                             double *extra, yoke_err *err);

#endif
