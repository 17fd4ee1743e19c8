/* iter/cross.c -- steps that cross windows: who may, and where windows end because
 * of them (docs/methods/front.md).
 */
#include "iter/window.h"
#include "iter/policy.h"

#include <math.h>

bool yk_cross_pays(const yk_iteration *it)
{
    return it->plan[0].plan.units <= YK_ITER_CROSS_UNITS;
}

/* Steps are kept and corrected, in windows that are chosen by work, and units are
 * few; loops that amplify want the same steps for all, and constraints ask units for
 * their state at the end of a window. */
static bool permitted(const yk_iteration *it)
{
    return it->states && it->resize.automatic && !it->options.across &&
           yk_cross_pays(it) && !it->even && it->settles > 0.5 &&
           !it->plan[0].asked &&
           yk_states_gain(it->states) < YK_ITER_CROSS_GAIN;
}

/* Something may happen at a time that is not known yet. */
static bool any_events(const yk_iteration *it)
{
    for (int i = 0; i < it->plan[0].plan.units; i++) {
        const yk_propagator *p = it->plan[0].unit[i].unit->propagator;
        if (!p->ops->tape || p->ops->tape->watchful(p->self)) return true;
    }
    return false;
}

/* How far steps may go for the loops that they are part of: what goes round grows
 * with the square of their length, or less, and an unstable mode far below all
 * tolerances, which no error shows, must not grow inside of a step. */
static double reach_of(const yk_iteration *it)
{
    const double gain = yk_states_gain(it->states);

    if (!(gain > 0.0)) return INFINITY;
    return it->t + sqrt(YK_ITER_CROSS_GAIN / gain) * it->resize.length;
}

yoke_status yk_cross_permit(yk_iteration *it, double end, yoke_err *err)
{
    const double known = it->t + yk_delays_least(it->setup.delays);
    /* Where it never pays nobody has to be prepared. */
    double limit = yk_cross_pays(it) ? it->t : -INFINITY;

    if (!it->states) return YOKE_OK;
    if (permitted(it) && !any_events(it))
        limit = fmin(fmin(end, reach_of(it)),
                     fmin(known, yk_iter_breaks_first(it, it->t)));
    for (int i = 0; i < it->plan[0].plan.units; i++) {
        const yk_propagator *p = it->plan[0].unit[i].unit->propagator;
        if (!p->ops->front) continue;
        const double rest = p->ops->front->head(p->self) - it->t;
        const bool sliver = rest < YK_ITER_CROSS_SLIVER * it->resize.length;
        YK_TRY(p->ops->front->permit(p->self, sliver ? it->t : limit, err));
    }
    return YOKE_OK;
}

double yk_cross_head(const yk_iteration *it)
{
    double head = INFINITY;

    for (int i = 0; it->states && i < it->plan[0].plan.units; i++) {
        const yk_propagator *p = it->plan[0].unit[i].unit->propagator;
        if (p->ops->front) head = fmin(head, p->ops->front->head(p->self));
    }
    return head;
}
