/* decide/many.c -- a loop of many units: iterate it, or solve it as one?
 *
 * With few units pairs are compared (decide/ladder.c).  With many it is all or
 * nothing, and what a unit costs besides its residuals counts: a step of a small
 * unit apart costs several times what its share of a large step does.  So
 * residuals have prices (graph/cost.h), by unknowns and entries, which are the
 * same in every run.
 *
 * Units begin with short steps and short windows, all of them alike.  What they
 * will take later is not seen then: where their Jacobians say that they move at
 * different rates, the fastest must have found its own step before anything is
 * decided, and as long as windows grow, steps that they cut count as the part
 * that fits into them.  That costs some short windows; parts of one rate do not
 * wait.
 */
#include "decide/ladder.h"

#include "decide/policy.h"
#include "graph/cost.h"

#include <math.h>

static double weight_of(const yk_ladder *l, int c)
{
    const yoke_system_info *f =
        yoke_system_facts(l->units->plan[0].cluster[c].system);

    return yk_cost_weight(f->n, f->G ? yoke_pattern_count(f->G) : 0);
}

static double step_of(const yk_ladder *l, int c)
{
    const yk_propagator *p = &l->units->plan[0].propagator[c];

    return p->ops->step ? p->ops->step(p->self) : 0.0;
}

/* Has the fastest unit found its own step, which fits several times into the
 * window? */
static bool has_settled(const yk_ladder *l, int which, double length)
{
    for (int k = l->first[which]; k < l->first[which + 1]; k++) {
        const double step = step_of(l, l->member[k]);
        if (step > 0.0 && YK_DECIDE_OWN_STEPS * step < length) return true;
    }
    return false;
}

/* The part of its steps that a unit would take in such a window if that did not
 * cut them: what is left of them when windows have grown. */
static double uncut(const yk_ladder *l, int c, double length)
{
    const double own = (double)l->tally->unit[c].last.steps * step_of(l, c);

    return own > length ? length / own : 1.0;
}

double yk_ladder_many(const yk_ladder *l, int which, double length)
{
    const bool young = !l->alike && l->windows < YK_DECIDE_WAIT;
    const bool grows = !l->alike && length > YK_DECIDE_GROWING * l->length;
    /* Windows of one sweep begin with the steps of the fastest. */
    const bool settles = !l->alike && yk_iteration_settles(l->units->iteration);
    double now = 0.0, share = 0.0, busiest = 0.0;

    if (young && !has_settled(l, which, length)) return 0.0;
    for (int k = l->first[which]; k < l->first[which + 1]; k++) {
        const int c = l->member[k];
        const double weight = weight_of(l, c);
        const double part = grows || settles ? uncut(l, c, length) : 1.0;
        now += part * l->done[c] * yk_cost_apart(weight);
        share += yk_cost_inside(weight);
        busiest = fmax(busiest, l->one[c]);
    }
    const double one = busiest * fmax(l->crowd, 1.0) * share *
                       (grows ? YK_DECIDE_SAVE_GROWING : 1.0);
    return one > 0.0 ? now / one : 0.0;
}
