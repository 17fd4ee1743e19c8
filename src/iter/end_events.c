/* iter/end_events.c -- what happens at the end of the run.
 *
 * An event at the end of a window is applied at the beginning of the next one.
 * After the last window there is none, so one more is iterated, in which no unit
 * takes a step: each does what happens at its beginning and holds the values that
 * this leaves.  The sweeps, their corrections and the test of convergence are
 * those of any window; how long it is does not matter to them.
 */
#include "iter/window.h"
#include "base/lengths.h"

#include <math.h>

/* `firm`: an event, not only a breakpoint behind which nothing need be. */
static bool is_due(const yk_iteration *it, bool *firm)
{
    const double tiny = yk_rounding(it->t);
    bool any = false;

    *firm = false;
    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const yk_propagator *u = it->plan[p].unit[i].unit->propagator;
            if (u->ops->due && u->ops->due(u->self)) any = *firm = true;
            if (u->ops->finish && u->ops->next_break &&
                u->ops->next_break(u->self, it->t - tiny) <= it->t + tiny)
                any = true;
        }
    return any;
}

static double beyond(const yk_iteration *it)
{
    return it->t + fmax(1e-9 * it->setup.span, 1e-10 * fabs(it->t));
}

static void tell_end(const yk_iteration *it)
{
    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const yk_propagator *u = it->plan[p].unit[i].unit->propagator;
            if (u->ops->finish) u->ops->finish(u->self);
        }
}

yoke_status yk_iteration_finish(yk_iteration *it, bool *done, yoke_err *err)
{
    const yk_iteration_setup setup = it->setup;
    const yoke_iterate_result result = it->result;
    const double t = it->t;
    yoke_err why = { YOKE_OK, "" };
    bool firm = false;

    *done = false;
    if (!is_due(it, &firm)) return YOKE_OK;
    tell_end(it);
    it->setup.sweep = NULL;
    it->setup.accepted = NULL;
    const yoke_status status = yk_window_try(it, beyond(it), &why);
    it->setup = setup;
    it->result = result;
    it->t = t;
    *done = status == YOKE_OK;
    if (status == YOKE_OK || (status > 0 && !firm)) return YOKE_OK;
    if (status != YOKE_STOPPED)
        yk_prefix(&why, "events at the end of the run, t = %.9g", t);
    if (err) *err = why;
    return status;
}
