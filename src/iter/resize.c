/* iter/resize.c -- the window length with the least work per unit of time.
 *
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

void yk_resize_begin(yk_resize *r, double first, double least, double most)
{
    *r = (yk_resize){ .length = fmin(fmax(first, least), most),
                      .least = least,
                      .most = most,
                      .factor = first_factor,
                      .cost = NAN };
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

void yk_resize_accept(yk_resize *r, double length, double work)
{
    const double cost = work / length;
    const double gain = (r->cost - cost) / r->cost; /* NAN the first time */

    r->cost = cost;
    if (r->rest > 0) {
        r->length = fmin(fmax(length, r->least), r->most);
        if (--r->rest > 0) return;
        r->factor = r->factor > 1.0 ? sqrt(first_factor) : 1.0 / first_factor;
        change(r, length);
        return;
    }
    if (gain < worth) turn(r); /* false for NAN */
    change(r, length);
}

void yk_resize_reject(yk_resize *r, double length)
{
    r->length = fmax(0.5 * length, r->least);
    r->factor = 1.0 / least_factor;
    r->cost = NAN;
    r->rest = 2;
}

double yk_resize_end(const yk_resize *r, double t, double end)
{
    const double windows = ceil((end - t) / r->length * (1.0 - 1e-9));

    return windows <= 1.0 ? end : t + fmin(r->length, (end - t) / windows);
}
