/* iter/breaks.c -- where windows should end: breakpoints of the units, and
 * jumps of what they made.
 *
 * What was extrapolated across a breakpoint is worth nothing, and a window with
 * sweeps over one inside are wasted until the iterates know of it.  So a window ends
 * at the next breakpoint, if anybody reads an output of the unit that has it.
 * Breakpoints that follow another one within a small part of a window, as those
 * of a steep edge do, are passed over: a window of their own would cost as many
 * sweeps as a long one.  With the option `breaks` off they do not end windows:
 * a converter that switches all the time, beside something slow.
 */
#include "iter/window.h"
#include "base/lengths.h"
#include "iter/policy.h"

#include <math.h>

/* Breakpoints that are looked at for one window. */
enum { MOST_BREAKS = 1000 };

static bool is_read(const yk_unit_state *s)
{
    for (int k = 0; k < s->unit->propagator->p; k++)
        if (s->read[k]) return true;
    return false;
}

/* First breakpoint after t of a unit that is read. */
static double break_after(const yk_iteration *it, double t)
{
    double next = INFINITY;

    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const yk_unit_state *s = &it->plan[p].unit[i];
            const yk_propagator *unit = s->unit->propagator;
            if (unit->ops->next_break && is_read(s))
                next = fmin(next, unit->ops->next_break(unit->self,
                                                        t + yk_rounding(t)));
        }
    return next;
}

double yk_iter_breaks_first(const yk_iteration *it, double t)
{
    return break_after(it, t);
}

double yk_iter_breaks_next(const yk_iteration *it, double t)
{
    double next = t;

    if (it->acyclic || it->options.across)
        return INFINITY; /* acyclic: one sweep is exact */
    for (int k = 0; k < MOST_BREAKS; k++) {
        next = break_after(it, next);
        if (!(next - t < YK_ITER_SLIVER * it->resize.length)) break;
    }
    return next;
}

double yk_iter_breaks_last(const yk_iteration *it, double t0, double t1)
{
    double last = -INFINITY, next = t0;

    if (it->acyclic) return last;
    for (int k = 0; k < MOST_BREAKS; k++) {
        next = break_after(it, next);
        if (next > t1 + yk_rounding(t1)) break;
        last = fmin(next, t1);
    }
    return last;
}

double yk_iter_breaks_jump(const yk_iteration *it)
{
    double last = -INFINITY;

    if (it->acyclic || it->options.extrapolate >= 0) return last;
    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const yk_unit_state *s = &it->plan[p].unit[i];
            last = fmax(last, yk_guess_jump(&it->options, s->y, s->read));
        }
    return last;
}
