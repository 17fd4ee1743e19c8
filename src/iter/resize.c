/* iter/resize.c -- windows of fixed length, or those with the least work.
 *
 * Fixed: windows end on the grid start + k * window.  One that fails is halved;
 * the length doubles again after each success.
 *
 * Automatic: the window length with the least work per unit of time.
 * Long windows need more sweeps, short ones more restarts and guesses.  The
 * best length depends on the rate, the order of the guess and the steppers in
 * ways that are easier measured than modelled.  So the length climbs downhill
 * on the measured cost: it is multiplied by a factor as long as work per time
 * falls; when work rises the direction turns and the factor shrinks; when
 * nothing is gained either way the length rests for some windows and is tried
 * again, since the problem may have changed meanwhile.
 *
 * Work is counted (residual evaluations), not timed: the same run has the same
 * windows.
 */
#include "iter/resize.h"

#include <math.h>

enum { REST = 8 };

static const double first_factor = 2.0, least_factor = 1.15, worth = 0.03;

void yk_resize_begin(yk_resize *r, double start, double span, double window,
                     double least)
{
    const bool automatic = window == 0.0;

    *r = (yk_resize){ .automatic = automatic,
                      .start = start,
                      .length = automatic ? span / 400.0 : window,
                      .least = least * (automatic ? span : window),
                      .most = automatic ? span : window,
                      .factor = first_factor,
                      .cost = NAN };
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

static void change(yk_resize *r, double length)
{
    r->length = fmin(fmax(length * r->factor, r->least), r->most);
}

/* Back, with a smaller step; small steps rest before the next attempt. */
static void turn(yk_resize *r)
{
    const double size = sqrt(fmax(r->factor, 1.0 / r->factor));

    r->factor = r->factor > 1.0 ? 1.0 / size : size;
    if (size > least_factor) return;
    r->factor = r->factor > 1.0 ? least_factor : 1.0 / least_factor;
    r->rest = REST;
}

static void climb(yk_resize *r, double length, double cost)
{
    const double gain = (r->cost - cost) / r->cost; /* NAN the first time */

    r->cost = cost;
    if (r->rest > 0) {
        r->length = length;
        if (--r->rest > 0) return;
        r->factor = r->factor > 1.0 ? sqrt(first_factor) : 1.0 / first_factor;
        change(r, length);
        return;
    }
    if (gain < worth) turn(r); /* false for NAN */
    change(r, length);
}

void yk_resize_accept(yk_resize *r, double t0, double t1, double work)
{
    if (r->automatic)
        climb(r, t1 - t0, work / (t1 - t0));
    else
        r->length = fmin(2.0 * r->length, r->most);
}

bool yk_resize_reject(yk_resize *r, double t0, double t1)
{
    const double half = 0.5 * (t1 - t0);

    if (half < r->least || !(t0 + half > t0)) return false;
    r->length = half;
    r->factor = 1.0 / least_factor;
    r->cost = NAN;
    r->rest = 2;
    return true;
}
