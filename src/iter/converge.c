/* iter/converge.c -- estimates the error left after a sweep.
 *
 * With changes c_k = |y^k - y^{k-1}| the error after sweep k is at most
 * c_{k+1} + c_{k+2} + ...  In couplings of index 2 some variables change only
 * in every other sweep (Crow and Ilic 1990), so ratios of neighbouring changes
 * say nothing; the ratio over two sweeps r = c_k / c_{k-2} does:
 *
 *     error_k  <=  (r c_{k-1} + r c_k) (1 + r + r^2 + ...)
 *               =  r (c_{k-1} + c_k) / (1 - r).
 *
 * With three changes r is measured, unless the last ratio alone tells that it
 * has become much slower; with four the larger of two ratios is taken.  Before
 * that r comes from earlier windows, doubled: after two sweeps it is corrected
 * by the square of how much slower the first reduction is here than it was
 * there; after a single sweep the unknown c_{k+1} comes from the largest
 * neighbouring ratio seen there.  In a longer window both are taken as slower.
 * Rates of corrected sweeps are not those of sweeps without correction.
 * At least every tenth window, or every fortieth if the rate is small, is
 * iterated far enough to measure again.
 *
 * Steppers that choose their steps make a noise of about a tolerance: a sweep
 * with other steps gives other errors.  A window that has contracted well, and
 * whose changes of that size begin to grow again, has reached it; what is left
 * of the coupling error is what a sweep makes of the noise, by the rate seen
 * before it was reached.  A slow mode does not pass for noise: its changes fall
 * slowly, but they fall.
 *
 * Changes a millionth of the tolerance in size are rounding: their ratios say
 * nothing, and the error is taken as their sum.
 *
 * Rates of earlier windows hold for what is like them.  A first change that is
 * much larger than theirs, or a jump that a sweep makes and the one before did
 * not have (a switch), is something new: then only what is measured in this
 * window counts, from the sweep on in which the jumps stay.  An event that the
 * sweep before did not have (a saturation) makes another system of a part; after
 * it rates of earlier windows are not taken for smaller than SWITCHED.
 *
 * Growth alone is not divergence: on many points a convergent iteration may
 * first grow by orders of magnitude (non-normal operators).  Then r > 1 and the
 * estimate is infinite, but nothing is given up before the limit of sweeps.
 */
#include "iter/converge.h"
#include "iter/policy.h"

#include <math.h>

void yk_converge_reset(yk_converge *c)
{
    *c = (yk_converge){
        .rate = NAN,
        .estimate = NAN,
        .known_rate2 = NAN,
        .known_step = NAN,
        .known_change = NAN,
    };
}

void yk_converge_begin(yk_converge *c, double length)
{
    c->length = length;
    c->sweeps = c->count = 0;
    c->step = 0.0;
    c->noise = c->corrected = c->jumped = c->switched = false;
    c->rate = c->estimate = NAN;
    c->clean = NAN;
}

void yk_converge_jump(yk_converge *c, double change)
{
    c->jumped = true;
    c->count = 0;
    if (c->sweeps++ == 0) c->begun = change;
    c->rate = NAN;
    c->estimate = INFINITY;
}

static double ratio_of(double a, double b)
{
    if (b > 0.0) return a / b;
    return a > 0.0 ? INFINITY : 0.0;
}

/* How much slower a sweep may contract in a window that is longer than the one
 * the rates are known from: quadratically, at most, in couplings that contract
 * better the shorter the window is.  NAN: much longer. */
static double slower_by(const yk_converge *c)
{
    const double longer = fmax(1.0, c->length / c->known_length);

    return longer <= YK_ITER_MOST_LONGER ? longer * longer : NAN;
}

/* This many windows may rely on what earlier ones have measured. */
static int most_unmeasured(const yk_converge *c)
{
    return c->known_rate2 < YK_ITER_FAST ? YK_ITER_MEASURE_FAST
                                         : YK_ITER_MEASURE_EVERY;
}

/* Rates of corrected sweeps say nothing about one that was not: corrections
 * that did harm are left out for some windows. */
static bool unknown(const yk_converge *c)
{
    return isnan(c->known_rate2) || (c->known_corrected && !c->corrected);
}

/* The window begins like those from which the rates are known.  A change that
 * is much larger than theirs comes from something new, a switch, a saturation,
 * a part that wakes, for which other rates may hold.  After one sweep nothing
 * of this window confirms them: then the change itself must be small.  The two
 * numbers were chosen, not derived. */
static bool is_usual(const yk_converge *c)
{
    const double usual =
        c->count < 2 || isnan(c->known_change) ? 0.0 : c->known_change;

    return c->begun <= fmax(YK_ITER_USUAL, YK_ITER_UNUSUAL * usual);
}

/* The reduction over two sweeps as far as it can be known now. */
static double rate_over_two(const yk_converge *c)
{
    const double *d = c->change;

    if (c->count >= 4) return fmax(ratio_of(d[0], d[2]), ratio_of(d[1], d[3]));
    if (c->count == 3) {
        const double both = ratio_of(d[0], d[2]), last = ratio_of(d[0], d[1]);
        return d[1] == 0.0 || last * last <= YK_ITER_UNLIKE * both ? both : NAN;
    }
    if (c->jumped) return c->count == 2 ? ratio_of(d[0], d[1]) : NAN;
    if (unknown(c) || c->unmeasured + 1 >= most_unmeasured(c) || !is_usual(c))
        return NAN;
    if (c->count == 2) {
        const double slower =
            fmax(1.0, ratio_of(ratio_of(d[0], d[1]), c->known_first));
        const double r = YK_ITER_MARGIN * c->known_rate2 * slower * slower;
        return c->switched ? fmax(r, YK_ITER_SWITCHED) : r;
    }
    const double s = slower_by(c);
    return YK_ITER_MARGIN * c->known_rate2 * s * s;
}

/* Changes far below the tolerance that do not fall any more are the noise of
 * the steppers. */
static bool stagnates(const yk_converge *c)
{
    for (int k = 0; k < 4; k++)
        if (c->count < 4 || c->change[k] > YK_ITER_NOISE) return false;
    return true;
}

static bool is_noise(const yk_converge *c)
{
    return c->count >= 4 && c->change[0] <= YK_ITER_STEPPERS &&
           c->change[1] <= YK_ITER_STEPPERS && c->change[0] > c->change[1];
}

/* The rate over two sweeps above the noise, in this window or in others. */
static double clean_rate(const yk_converge *c)
{
    const double s = slower_by(c);

    if (!isnan(c->clean)) return c->clean;
    return unknown(c) ? NAN : YK_ITER_MARGIN * c->known_rate2 * s * s;
}

/* The slowest that is seen in the window, from above the noise: where the newer
 * change is noise the rate is smaller than this. */
static void note_clean(yk_converge *c)
{
    if (c->count < 3 || !(c->change[2] > YK_ITER_STEPPERS)) return;
    c->clean = fmax(c->clean, ratio_of(c->change[0], c->change[2]));
}

static double estimate(const yk_converge *c, double r)
{
    const double *d = c->change;

    if (isnan(r)) {
        /* No rate yet.  Two changes far below the tolerance end it. */
        return c->count >= 2 && d[0] + d[1] < YK_ITER_NOTHING ? d[0] + d[1]
                                                              : NAN;
    }
    if (r >= 1.0) return INFINITY;
    const double next =
        c->count >= 2 ? r * d[1]
                      : YK_ITER_MARGIN * c->known_step * slower_by(c) * d[0];
    return (next + r * d[0]) / (1.0 - r);
}

void yk_converge_add(yk_converge *c, double change, bool fixed_point)
{
    const double both = change + c->change[0];
    const bool rounding = c->count >= 2 && both < YK_ITER_ROUNDING;

    if (c->count >= 1 && !rounding &&
        (c->step == 0.0 || c->change[0] > YK_ITER_STEPPERS))
        c->step = fmax(c->step, ratio_of(change, c->change[0]));
    for (int k = 3; k > 0; k--) c->change[k] = c->change[k - 1];
    c->change[0] = change;
    c->count++;
    c->sweeps++;
    if (c->sweeps == 1) c->begun = change;
    if (c->count == 2) c->first = ratio_of(change, c->change[1]);
    if (rounding) {
        c->estimate = fixed_point ? 0.0 : both;
        return;
    }
    note_clean(c);
    double r = rate_over_two(c);
    c->noise = is_noise(c) && clean_rate(c) <= YK_ITER_WELL;
    if (c->noise) r = clean_rate(c);
    if (r > 0.5 && stagnates(c)) {
        c->noise = true;
        c->rate = sqrt(r);
        c->estimate = fixed_point ? 0.0 : both;
        return;
    }
    c->rate = c->count > 1 ? sqrt(r) : NAN; /* one sweep measures nothing */
    c->estimate = fixed_point ? 0.0 : estimate(c, r);
}

double yk_converge_predict(const yk_converge *c, double *ratio)
{
    const double seen =
        c->sweeps >= 2 ? ratio_of(c->change[0], c->change[1]) : c->known_first;

    *ratio = seen;
    if (isnan(c->known_rate2)) return NAN;
    if (isnan(slower_by(c))) return NAN;
    return c->sweeps == 0 ? c->known_change : seen * c->change[0];
}

void yk_converge_accept(yk_converge *c)
{
    const bool measured = c->count >= 3 && isfinite(c->rate);

    /* Noise is measured only where nothing better is known. */
    if (measured && (!isnan(c->clean) || isnan(c->known_rate2))) {
        c->known_rate2 = isnan(c->clean) ? c->rate * c->rate : c->clean;
        c->known_step = c->step;
        c->known_first = c->first;
        c->known_length = c->length;
        c->known_corrected = c->corrected;
    } else if (c->sweeps == 2 && !isnan(c->known_rate2))
        c->known_step = fmax(c->known_step, c->step);
    c->known_change = c->begun;
    c->unmeasured++;
    if (c->sweeps >= 3 || c->unmeasured >= most_unmeasured(c))
        c->unmeasured = 0;
}

void yk_converge_surprise(yk_converge *c)
{
    c->known_change = NAN;
}
