/* la/newton.c -- damped Newton's method.
 *
 * What makes an increment good is the problem's to say, because no one test
 * suits all: the natural monotonicity test of Deuflhard (Newton Methods for
 * Nonlinear Problems, 2004, section 3.3) where rows have any scale, a smaller
 * residual where they are scaled, less energy where there is one.
 */
#include "la/newton.h"

#include <math.h>

static yoke_status move(yk_newton_run *run, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double lambda = 1.0;
    bool good = true;

    if (!run->move || run->size == 0.0) return YOKE_OK;
    if (run->done) return run->move(run->self, lambda, NULL, err);
    for (int k = 0; k < run->lengths; k++, lambda *= 0.5) {
        good = true;
        status = run->move(run->self, lambda, &good, err);
        if (status < 0 || (status == YOKE_OK && good)) return status;
    }
    if (status != YOKE_OK || !run->strict) return status;
    run->end = YK_NEWTON_STUCK;
    return yk_fail(err, YOKE_RETRY,
                   "Newton's method is stuck: no part of its increment leads "
                   "nearer to the solution");
}

yoke_status yk_newton_iterate(yk_newton_run *run, yoke_err *err)
{
    run->size = INFINITY;
    run->done = false;
    for (run->iterations = 1; run->iterations <= run->most; run->iterations++) {
        run->end = YK_NEWTON_FAILED;
        run->before = run->size;
        YK_TRY(run->increment(run->self, run, err));
        if (!isfinite(run->size)) {
            run->end = YK_NEWTON_UNDEFINED;
            return yk_fail(err, YOKE_RETRY, "Newton's increment is not finite");
        }
        if (run->tolerance > 0.0) run->done = run->size <= run->tolerance;
        YK_TRY(move(run, err));
        if (!run->done) continue;
        run->end = YK_NEWTON_DONE;
        return YOKE_OK;
    }
    run->iterations = run->most;
    run->end = YK_NEWTON_SLOW;
    return yk_fail(err, YOKE_RETRY,
                   "Newton's method has not converged in %d iterations",
                   run->most);
}
