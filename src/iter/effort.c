/* iter/effort.c -- which sweeps are corrected, and which may be loose. */
#include "iter/window.h"
#include "iter/policy.h"

#include <math.h>

/* The correction costs a solve per point of its grid.  Where it changes next to
 * nothing the plain iteration is as good, until that gets slow again. */
bool yk_engaged(const yk_iteration *it)
{
    return it->correct && !it->stuck &&
           (it->options.accelerate != YOKE_ACCELERATE_AUTO || !it->plain);
}

void yk_engage(yk_iteration *it, bool corrected, double change,
               double correction)
{
    if (corrected) {
        if (change < YK_ITER_ROUNDING) return; /* it says nothing */
        it->plain = correction < YK_ITER_PLAIN_FAST * change && it->insist == 0;
        return;
    }
    if (it->converge.sweeps >= 2 && it->converge.rate > YK_ITER_PLAIN_SLOW)
        it->plain = false;
    /* The last change is that before this sweep. */
    if (it->converge.count < 1 || it->loose > 1.0 ||
        change < YK_ITER_PLAIN_FAST ||
        change < YK_ITER_PLAIN_NONE * it->converge.change[0] || !it->correct ||
        !it->plain)
        return;
    it->plain = false;
    /* A slow mode that is small against others was not seen: the correction
     * stays for some windows, and what grew without it is forgotten. */
    it->insist = YK_ITER_INSIST;
    it->converge.count = 0;
}

/* How much less accurate the next sweep may be.  A sweep that will not be the
 * last must be as accurate as the one after it can use: its errors, and what
 * the iteration still leaves, act on the unknowns through the gain. */
double yk_looseness(const yk_iteration *it)
{
    const yoke_iterate_options *o = &it->options;
    double ratio = 0.0;

    if (!o->loosen || it->acyclic || o->stop != YOKE_STOP_ERROR || o->at_end)
        return 1.0;
    const double change = yk_converge_predict(&it->converge, &ratio);
    const double gain = yk_measure_gain(it);
    if (isnan(change) || isnan(gain)) return 1.0;
    const double wanted = yk_stop_allowed(it, it->converge.length);
    if (change * fmax(gain, ratio) <= wanted) return 1.0;
    const double factor =
        YK_ITER_LOOSE_PART * fmax(wanted / fmax(gain, 1e-6), ratio * change);
    const double least = fmin(
        factor, fmin(YK_ITER_LOOSE_MOST, YK_ITER_LOOSE_TIGHTEN * it->loose));
    return least < YK_ITER_LOOSE_LEAST ? 1.0 : least;
}
