/* iter/resize.c -- windows of fixed length, or those with the least work.
 *
 * Fixed: windows end on the grid start + k * window.  One that fails is halved;
 * the length doubles again after each success.
 *
 * Automatic: the window length with the least work per unit of time.
 * Long windows need more sweeps, short ones more restarts and guesses.  The
 * best length depends on the rate, the order of the guess and the steppers in
 * ways that are easier measured than modelled.
 *
 * Work per time also follows the solution: over one oscillation it may vary
 * more than between a window and one of twice the length.  So two lengths are
 * compared over the same stretch of time, in turns, that one being next which
 * has covered less.  After n turns each the difference of the sums has settled
 * as 1/sqrt(n); when it exceeds its share of `doubt`, or after TURNS, the
 * better length stays and the next one, twice or half as long, is tried against
 * it.  The first length is a millionth of the run, since a window that is much
 * too long costs more than all the short ones; at first the steps are larger.
 * When nothing is gained either way the length rests for some windows and is
 * tried again, since the problem may have changed meanwhile.
 *
 * Work is counted, not timed: the same run has the same windows.
 */
#include "iter/resize.h"

#include <math.h>

enum { TURNS = 8, LEAST_PAUSE = 8, MOST_PAUSE = 64 };

static const double doubt = 0.3, worth = 0.03;
static const double first = 1e-6, growth = 4.0; /* first length over the run */

void yk_resize_begin(yk_resize *r, double start, double span, double window,
                     double least)
{
    const bool automatic = window == 0.0;
    const double length = automatic ? first * span : window;

    *r = (yk_resize){ .automatic = automatic,
                      .start = start,
                      .length = length,
                      .least = least * (automatic ? span : window),
                      .most = automatic ? span : window,
                      .trial = { { length, 0, 0 }, { length * growth, 0, 0 } },
                      .factor = growth,
                      .pause = LEAST_PAUSE };
}

/* At most `length`, not beyond the next point of the grid, no sliver. */
static double grid_end(const yk_resize *r, double t, double end)
{
    const double passed = floor((t - r->start) / r->most + 1e-6);
    const double grid = r->start + (passed + 1.0) * r->most;
    double t1 = fmin(t + r->length, grid);

    if (fabs(grid - t1) < 1e-6 * r->length) t1 = grid;
    return t1 > end - 1e-6 * r->length ? end : t1;
}

/* The rest up to the end is divided into equal windows. */
double yk_resize_end(const yk_resize *r, double t, double end)
{
    if (!r->automatic) return grid_end(r, t, end);
    const double windows = ceil((end - t) / r->length * (1.0 - 1e-9));
    return windows <= 1.0 ? end : t + (end - t) / windows;
}

static void choose(yk_resize *r, int which)
{
    r->which = which;
    r->length = r->trial[which].length;
}

/* The other direction, in steps of 2 from now on. */
static void turn(yk_resize *r)
{
    r->lost++;
    r->factor = r->factor > 1.0 ? 0.5 : 2.0;
}

static void lengthen_pause(yk_resize *r)
{
    r->pause = 2 * r->pause < MOST_PAUSE ? 2 * r->pause : MOST_PAUSE;
}

/* The next length in a direction that has not lost yet, or a pause. */
static void try_next(yk_resize *r)
{
    for (; r->lost < 2; turn(r)) {
        const double wish = r->factor * r->trial[0].length;
        const double length = fmin(fmax(wish, r->least), r->most);
        if (length == r->trial[0].length) continue;
        r->trial[1] = (yk_trial){ .length = length };
        choose(r, 1);
        return;
    }
    choose(r, 0);
    r->rest = r->pause;
    lengthen_pause(r);
}

static void decide(yk_resize *r, bool better)
{
    if (better) {
        r->trial[0] = r->trial[1];
        r->lost = 0;
        r->pause = LEAST_PAUSE;
    } else {
        turn(r);
    }
    try_next(r);
}

static void compare(yk_resize *r)
{
    const yk_trial *a = &r->trial[0], *b = &r->trial[1];
    const double turns = fmin(a->time, b->time) / fmax(a->length, b->length);

    if (turns > 0.0) {
        const double gain = 1.0 - (b->work / b->time) / (a->work / a->time);
        const double clear = doubt / sqrt(turns);
        if (fabs(gain) > clear || turns > TURNS) {
            decide(r, gain > worth);
            return;
        }
    }
    choose(r, a->time > b->time);
}

/* Windows that were cut, to end where the run does, say nothing. */
static void search(yk_resize *r, double length, double work)
{
    yk_trial *now = &r->trial[r->which];

    if (r->rest > 0) {
        if (--r->rest > 0) return;
        r->trial[0].time = r->trial[0].work = 0.0;
        r->lost = 0;
        try_next(r);
        return;
    }
    if (length < 0.7 * now->length) return;
    now->time += length;
    now->work += work;
    compare(r);
}

void yk_resize_accept(yk_resize *r, double t0, double t1, double work)
{
    if (r->automatic)
        search(r, t1 - t0, work);
    else
        r->length = fmin(2.0 * r->length, r->most);
}

bool yk_resize_reject(yk_resize *r, double t0, double t1)
{
    const double half = 0.5 * (t1 - t0);

    if (half < r->least || !(t0 + half > t0)) return false;
    if (r->which == 1) lengthen_pause(r); /* it was an attempt that failed */
    r->trial[0] = (yk_trial){ .length = half };
    choose(r, 0);
    r->rest = r->pause;
    return true;
}
