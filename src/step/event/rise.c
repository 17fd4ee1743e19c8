/* step/event/rise.c -- where an indicator first rises to zero in a step.
 *
 * Along the path of a step an indicator of a system that tells bounds
 * (yoke_curves) is a known function phi of time.  On a piece of the step with
 * the middle m and half the length r,
 *
 *     phi <= max of its enclosure,    phi <= phi(m) + r max |phi'|.
 *
 * A piece with such a bound below zero is done.  So is one on which phi' does
 * not change its sign: the values at its ends decide.  Others are halved, the
 * left half first, so that the first zero is found and everything before it is
 * proven to be below.  One enclosure is all that this costs where phi is far
 * from zero or rises or falls through the whole step; a visit of 2^-k of the
 * step takes about 4 k; a top that stays below zero by 2^-k as many.
 */
#include "step/event/rise.h"

#include <float.h>
#include <math.h>

typedef enum verdict { BELOW, RISES, OPEN, UNKNOWN } verdict;

/* Most pieces that wait: halvings of a step. */
enum { DEPTH = 64 };

static void bounds(yk_rise *c, double a, double b, int order, double (*out)[2])
{
    double g[2][2];

    c->curves->indicator(c->curves->self, c->k, &c->path, a, b, order, g);
    c->looks--;
    g[0][0] -= c->level;
    g[0][1] -= c->level;
    for (int k = 0; k <= order; k++) {
        out[k][0] = c->sign < 0.0 ? -g[k][1] : g[k][0];
        out[k][1] = c->sign < 0.0 ? -g[k][0] : g[k][1];
    }
}

static bool is_above(yk_rise *c, double t)
{
    double v[1][2];

    bounds(c, t, t, 0, v);
    return v[0][0] > 0.0;
}

/* OPEN: *above tells whether phi is above zero in the middle. */
static verdict judge(yk_rise *c, double a, double b, bool *above)
{
    const double m = 0.5 * (a + b), r = 0.5 * (b - a);
    double all[2][2], here[1][2];

    *above = false;
    bounds(c, a, b, 1, all);
    if (all[0][1] <= 0.0 || all[1][1] <= 0.0) return BELOW;
    if (all[1][0] >= 0.0) return is_above(c, b) ? RISES : BELOW;
    bounds(c, m, m, 0, here);
    const double noise = here[0][1] - here[0][0];
    if (!(noise <= DBL_MAX)) return UNKNOWN;
    *above = here[0][0] > 0.0;
    const double most = here[0][1] + r * fmax(all[1][1], -all[1][0]);
    /* Beyond rounding nothing is known. */
    return most <= 4.0 * noise ? BELOW : OPEN;
}

bool yk_rise_first(yk_rise *c, double from, double to, double *below,
                   double *at)
{
    const double narrow = 64.0 * DBL_EPSILON * fmax(fabs(from), fabs(to));
    double end[DEPTH] = { to }, a = from;
    bool sure = false; /* phi is above zero at end[0] */
    int depth = 1;

    while (depth > 0 && c->looks > 0) {
        const double b = end[depth - 1], m = 0.5 * (a + b);
        bool above = false;
        verdict v = judge(c, a, b, &above);
        if (v >= OPEN && (b - a <= narrow || depth == DEPTH)) v = BELOW;
        if (v == RISES || (v == BELOW && sure && depth == 1)) {
            *below = a;
            *at = b;
            return true;
        }
        if (v == UNKNOWN && depth == 1 && !sure) return false;
        if (v == BELOW) {
            a = b;
            depth--;
        } else if (above) {
            sure = true;
            depth = 1;
            end[0] = m;
        } else
            end[depth++] = m;
    }
    return false;
}
