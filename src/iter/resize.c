/* iter/resize.c -- windows of fixed length, or those with the least work.
 *
 * Fixed: windows end on the grid start + k * window.  One that fails is halved;
 * the length doubles again after each success.
 *
 * Automatic: the length with the least work per unit of time.  A window of
 * length H costs k(H) sweeps; a sweep costs each subsystem H / h_i of its own
 * steps, and at least one.  The error left after k sweeps, over what is
 * allowed, e_k, was measured in the last window; with another length it becomes
 *
 *     e_k(H) = e_k (H / H_0)^(p + k),
 *
 * p being the order of the error of the first guess, and each sweep adding one
 * order more (that is so for couplings through states; where the rate does not
 * fall with H, what is measured in the next window puts it right).  So for each
 * number of sweeps there is a longest window, and the one with the least
 *
 *     k W(H) / H,      W(H) = sum of w_i (c + max(1, H / h_i))
 *
 * is taken; c stands for what a sweep costs besides its steps: restarts, the
 * waveforms, the correction; a method that begins each sweep with low order
 * and short steps has more of it.  Work is counted, not timed: the same run has
 * the same windows.
 */
#include "iter/resize.h"
#include "base/lengths.h"
#include "iter/policy.h"

#include <math.h>

/* Two lengths are one grain. */
static const double SAME_GRAIN = 1.0 + 1e-6;

void yk_resize_begin(yk_resize *r, double start, double span, double window,
                     double least, double step)
{
    const bool automatic = window == 0.0;
    const double begin =
        step > 0.0
            ? fmin(fmax(YK_ITER_FIRST * span, YK_ITER_FIRST_STEPS * step),
                   YK_ITER_LONG_FIRST * span)
            : YK_ITER_FIRST * span;

    *r = (yk_resize){ .automatic = automatic,
                      .start = start,
                      .length = automatic ? begin : window,
                      .least = least * (automatic ? span : window),
                      .most = automatic ? span : window,
                      .pause = YK_ITER_PAUSE };
}

/* The shortest window: a grain, unless such a one has failed. */
static double shortest(const yk_resize *r)
{
    const bool failed = r->ceiling > 0.0 && r->ceiling < SAME_GRAIN * r->grain;

    return failed ? r->least : fmax(r->grain, r->least);
}

void yk_resize_grain(yk_resize *r, double grain)
{
    if (!r->automatic || !(grain > 0.0)) return;
    r->grain = fmin(grain, r->most);
    r->length = fmax(r->length, r->grain);
}

/* The multiple of the grain next to t1; of less than a grain, at most the next
 * one. */
static double on_grain(const yk_resize *r, double t, double t1)
{
    const double next = floor((t - r->start) / r->grain + 1e-6) + 1.0;
    const double wanted = nearbyint((t1 - r->start) / r->grain);

    if (r->length * SAME_GRAIN < r->grain)
        return fmin(t1, r->start + next * r->grain);
    return r->start + fmax(next, wanted) * r->grain;
}

/* At most `length`, not beyond the next point of the grid or a breakpoint, and
 * no sliver beside one: a window may be longer by `stretch`. */
static double grid_end(const yk_resize *r, double t, double end, double stop)
{
    const double longer = YK_ITER_STRETCH * r->length;
    const double passed = yk_steps_inside((t - r->start) / r->most);
    double grid = r->start + (passed + 1.0) * r->most;

    if (r->after_break && grid - t < longer) grid += r->most;
    double t1 = fmin(t + r->length, grid);
    if (fabs(grid - t1) < longer && r->after_break) t1 = grid;
    if (fabs(grid - t1) < 1e-6 * r->length) t1 = grid;
    if (stop < t1 + longer) t1 = stop;
    return t1 > end - 1e-6 * r->length ? end : t1;
}

/* The rest up to the end, or to a breakpoint, is divided into equal windows
 * once it is short; a rounding error makes no window of its own. */
double yk_resize_end(const yk_resize *r, double t, double end, double stop)
{
    if (!r->automatic) return grid_end(r, t, end, stop);
    if (stop < end) end = stop;
    const double windows = (end - t) / r->length * (1.0 - 1e-6);
    const double t1 = windows > YK_ITER_REST ? t + r->length
                      : windows <= 1.0       ? end
                                             : t + (end - t) / ceil(windows);
    if (!(r->grain > 0.0) || t1 == end) return t1;
    const double grain = on_grain(r, t, t1);
    return grain > end - 1e-6 * r->grain ? end : grain;
}

static double sweep_work(const yk_outcome *o, double length)
{
    double work = 0.0;

    for (int i = 0; i < o->units; i++)
        work += o->pace[i].work * (YK_ITER_SWEEP_STEPS + o->pace[i].begin +
                                   fmax(1.0, length / o->pace[i].step));
    return work;
}

/* Error after sweep k in a window of the same length. */
static double left_after(const yk_outcome *o, int k)
{
    const int known =
        o->sweeps < YK_RECORDED_SWEEPS ? o->sweeps : YK_RECORDED_SWEEPS;
    const double ratio = isnan(o->ratio) ? YK_ITER_RATIO : fmin(o->ratio, 1.0);

    if (k <= known) return o->left[k - 1];
    return o->left[known - 1] * pow(ratio, k - known);
}

/* Windows much shorter than the shortest step of the units gain nothing. */
static double shortest_step(const yk_outcome *o)
{
    double least = INFINITY;

    for (int i = 0; i < o->units; i++) least = fmin(least, o->pace[i].step);
    return least;
}

/* The length with the least work per time, relative to this one. */
static double best_factor(const yk_outcome *o, double length)
{
    double best = 1.0, least = INFINITY;

    for (int k = 1; k <= YK_ITER_MOST_SWEEPS; k++) {
        const double left = fmax(left_after(o, k), 1e-30);
        const double factor =
            YK_ITER_SAFETY * pow(left, -1.0 / (o->guess + 1 + k));
        const double work = k * sweep_work(o, factor * length) /
                            (factor * length) *
                            (k == o->sweeps ? YK_ITER_STAY : 1.0);
        if (work < least) {
            least = work;
            best = factor;
        }
    }
    return best;
}

/* Methods that begin each sweep with short steps make a noise of their own,
 * which does not fall with the length and which the law above takes for the
 * error of the guess: windows would be cut until every sweep is a beginning.
 * One in which most steps of a unit are beginnings, and that took few sweeps,
 * is too short. */
static bool only_begins(const yk_outcome *o, double length)
{
    if (o->sweeps > YK_ITER_FEW_SWEEPS) return false;
    for (int i = 0; i < o->units; i++)
        if (o->pace[i].begin > length / o->pace[i].step) return true;
    return false;
}

void yk_resize_accept(yk_resize *r, double t0, double t1,
                      const yk_outcome *outcome)
{
    if (!r->automatic) {
        r->length = fmin(2.0 * r->length, r->most);
        return;
    }
    const double most =
        fmin(r->most, YK_ITER_MOST_STEPS * shortest_step(outcome));
    double factor = best_factor(outcome, t1 - t0);
    if (only_begins(outcome, t1 - t0)) factor = fmax(factor, YK_ITER_GROWTH);
    factor =
        fmax(fmin(factor, r->found ? YK_ITER_GROWTH : YK_ITER_FIRST_GROWTH),
             YK_ITER_CUT);
    r->found = r->found || factor < 1.0;
    if (r->wait > 0 && --r->wait == 0) r->ceiling = 0.0;
    factor = fmax(factor, fmin(1.0, YK_ITER_TOO_SHORT * shortest_step(outcome) /
                                        (t1 - t0)));
    if (factor > 1.0 / YK_ITER_KEEP && factor < YK_ITER_KEEP && t1 - t0 <= most)
        return;
    const double length = factor * (t1 - t0);
    /* A window that was cut to meet the end says nothing against its length. */
    if (t1 - t0 < YK_ITER_CUT_SHORT * r->length && factor > 1.0 / YK_ITER_KEEP)
        return;
    r->length = fmax(fmin(length, most), shortest(r));
    if (r->ceiling > 0.0)
        r->length = fmin(r->length, YK_ITER_SAFETY * r->ceiling);
}

/* Wasted evaluations of a unit, over the others, in windows that are longer by this
 * factor: the guess is worse, by the fourth power or so.  But a unit that is solved
 * once more in every window is in longer ones, too, and not more often; only
 * those that the sweeps of a window do not settle get worse and worse, and those
 * with a constraint: its multiplier is guessed, and shows in the states. */
static double vain_in(const yk_settled_window *w, const yk_iter_pace *pace,
                      double longer)
{
    const double square = longer * longer;
    const double grown = pace->vain * square * square;

    return longer > 1.0 && !w->held && pace->vain <= YK_ITER_STATES_SWEEPS - 1
               ? fmin(grown, fmax(1.0, pace->vain))
               : grown;
}

/* Lengths that are compared: 1.1 times the one before, to the longest there may be. */
enum { LENGTHS = 1000 };

/* Per time: of all units, with and without the prices of their evaluations. */
typedef struct rates {
    double work, evaluations;
} rates;

/* In windows of one sweep, `longer` by this factor than the last: steps end where
 * windows do. */
static rates settled_rates(const yk_settled_window *w, double length,
                           double longer)
{
    rates sum = { 0 };

    for (int i = 0; i < w->units; i++) {
        const yk_iter_pace *const p = &w->pace[i];
        const double windows = floor(p->step / length * (1.0 + 1e-9));
        const double steps = (p->crosses && windows >= YK_ITER_CROSS_LEAST
                                  ? 1.0 / windows + p->crossing
                                  : ceil(length / p->step * (1.0 - 1e-9))) *
                             (1.0 + vain_in(w, p, longer));
        sum.work += p->work * steps / length;
        sum.evaluations += p->evaluations * steps / length;
    }
    return sum;
}

/* The length of the next window, up to `most`, as a number of steps of the fastest:
 * the one with the least work, or with the fewest evaluations where the work is
 * about the same, because a dear unit decides nothing then. */
static double settled_steps(const yk_settled_window *w, double length,
                            double fast, double most)
{
    /* The present length, as a number of steps, if it is as good. */
    const double stay = fmax(1.0, floor(length / fast * (1.0 + 1e-9)));
    rates least = { INFINITY, INFINITY }, of[LENGTHS];
    double wanted = 1.0, same = INFINITY;

    for (int turn = 0; turn < 2; turn++) {
        int i = 0;
        for (double k = 1.0; k * fast <= most * (1.0 + 1e-9) && i < LENGTHS;
             k = fmax(k + 1.0, floor(1.1 * k)), i++) {
            if (turn == 0)
                of[i] = settled_rates(w, k * fast, k * fast / length);
            rates now = of[i];
            if (k == stay) now.work *= YK_ITER_STATES_STAY;
            if (k == stay) now.evaluations *= YK_ITER_STATES_STAY;
            if (!(turn ? now.work <= same &&
                             now.evaluations <
                                 YK_ITER_STATES_WORTH * least.evaluations
                       : now.work < YK_ITER_STATES_WORTH * least.work))
                continue;
            least = now;
            wanted = k;
        }
        same = least.work / YK_ITER_STATES_WORTH;
    }
    return wanted;
}

static void learn_vain(const yk_settled_window *w)
{
    for (int i = 0; i < w->units; i++) {
        yk_iter_pace *const p = &w->pace[i];
        const double least = fmax(p->useful, fmax(p->work, 1e-3));
        p->vain += YK_ITER_STATES_LEARN * (p->in_vain / least - p->vain);
    }
}

/* The shorter a window of one sweep is the better is its guess, but it cuts
 * steps.  So it is as many of the shortest steps as makes the least work. */
void yk_resize_settled(yk_resize *r, double t0, double t1,
                       const yk_settled_window *w)
{
    const double length = t1 - t0;
    double fast = INFINITY, slow = 0.0;

    for (int i = 0; i < w->units; i++) {
        fast = fmin(fast, w->pace[i].step);
        slow = fmax(slow, w->pace[i].step);
    }
    learn_vain(w);
    const double most =
        w->even ? fast : fmax(2.0 * slow, YK_ITER_STATES_STEPS * fast);
    double wanted = fast * settled_steps(w, length, fast, most);
    if (r->wait > 0 && --r->wait == 0) r->ceiling = 0.0;
    if (w->growth > YK_ITER_STATES_GROWTH)
        wanted =
            fmin(wanted, length * log(YK_ITER_STATES_GROWTH) / log(w->growth));
    if (w->rough) wanted = fmin(wanted, YK_ITER_GROWTH * length);
    if (wanted > YK_ITER_STATES_GROW * length)
        wanted = fast * fmax(1.0, floor(YK_ITER_STATES_GROW * length / fast));
    for (int i = 0; i < w->units; i++)
        w->pace[i].vain = fmin(vain_in(w, &w->pace[i], wanted / length), 1.0);
    r->length = fmin(fmax(wanted, shortest(r)), r->most);
    if (r->ceiling > 0.0)
        r->length = fmin(r->length, YK_ITER_SAFETY * r->ceiling);
}

void yk_resize_limit(yk_resize *r, double length)
{
    r->length = fmin(r->length, fmax(length, shortest(r)));
}

void yk_resize_want(yk_resize *r, double length)
{
    if (r->ceiling > 0.0 && r->wait > 0) length = fmin(length, r->length);
    r->length = fmin(fmax(length, shortest(r)), r->most);
}

void yk_resize_break(yk_resize *r, bool at_break)
{
    r->after_break = at_break;
    if (at_break) r->found = false;
}

bool yk_resize_reject(yk_resize *r, double t0, double t1)
{
    const double half = 0.5 * (t1 - t0);

    if (half < r->least || !(t0 + half > t0)) return false;
    r->length = half;
    r->ceiling = t1 - t0;
    r->wait = r->pause;
    if (r->pause < YK_ITER_MOST_PAUSE) r->pause *= 2;
    return true;
}
