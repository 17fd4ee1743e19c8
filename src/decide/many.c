/* decide/many.c -- a loop of many units: which of them are solved as one?
 *
 * With few units pairs are compared (decide/ladder.c).  With many, units of about
 * the same pace are, and what a unit costs besides its residuals counts: a step of a
 * small unit apart costs many times what its share of a large step does.  So
 * residuals have prices (graph/cost.h), by unknowns and entries, which are the
 * same in every run.
 *
 * Three choices are weighed against the iteration: one system, with the steps of the
 * fastest; the slow units as one and the others apart; and two systems, of slow and
 * of fast ones.  Slow is what evaluates little in a window, in the mean of some
 * windows; what is little is tried in powers of two.  Neighbours of a fast unit have to
 * follow it, and are found in this way, but not at once.
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

/* With what members of a cluster cost besides their unknowns. */
static double weight_of(const yk_ladder *l, int c)
{
    const yk_unit_plan *p = &l->units->plan[0];
    const yoke_system_info *f = yoke_system_facts(p->cluster[c].system);
    const int others = p->members[c] > 1 ? p->members[c] - 1 : 0;

    return yk_cost_weight(f->n, f->G ? yoke_pattern_count(f->G) : 0) +
           others * yk_cost_inside(0.0);
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

/* Some units as one, which stays apart from the others. */
typedef struct team {
    double weight;  /* of all, with what a member costs besides */
    double busiest; /* residuals of a solve */
    double sweeps;  /* most solves of one */
    double apart;   /* work as it is now */
    int units;
} team;

static void join(const yk_ladder *l, int c, team *t)
{
    const double weight = weight_of(l, c), one = l->mean_one[c];

    t->weight += yk_cost_inside(weight);
    t->busiest = fmax(t->busiest, one);
    if (one > 0.0) t->sweeps = fmax(t->sweeps, l->mean_done[c] / one);
    t->apart += l->mean_done[c] * yk_cost_apart(weight);
    t->units++;
}

/* What a team costs as one, in `sweeps` solves. */
static double as_team(const team *t)
{
    return t->sweeps * t->busiest * yk_cost_apart(t->weight);
}

static bool is_slow(const yk_ladder *l, int c, double limit)
{
    return l->mean_one[c] <= limit;
}

/* The best limit between slow and fast. */
static void try_limits(const yk_ladder *l, int which, yk_many *best)
{
    double least = INFINITY, most = 0.0;

    for (int k = l->first[which]; k < l->first[which + 1]; k++) {
        least = fmin(least, l->mean_one[l->member[k]]);
        most = fmax(most, l->mean_one[l->member[k]]);
    }
    if (!(least > 0.0)) return;
    for (double limit = sqrt(YK_DECIDE_PACE) * least; limit < most;
         limit *= YK_DECIDE_PACE) {
        team slow = { .weight = 0.0 }, fast = slow;
        for (int k = l->first[which]; k < l->first[which + 1]; k++)
            join(l, l->member[k],
                 is_slow(l, l->member[k], limit) ? &slow : &fast);
        const double other = YK_DECIDE_TEAM * as_team(&fast);
        const bool two = fast.units > 1 && other < fast.apart;
        const double cost =
            YK_DECIDE_TEAM * as_team(&slow) + (two ? other : fast.apart);
        const double now = slow.apart + fast.apart;
        if (slow.units > 1 && now > best->ratio * cost)
            *best = (yk_many){ now / cost, limit, two };
    }
}

void yk_ladder_many(const yk_ladder *l, int which, double length, yk_many *best)
{
    const bool young = !l->alike && l->windows < YK_DECIDE_WAIT;
    const bool grows = !l->alike && length > YK_DECIDE_GROWING * l->length;
    /* Windows of one sweep begin with the steps of the fastest. */
    const bool settles = !l->alike && yk_iteration_settles(l->units->iteration);
    double now = 0.0, share = 0.0, busiest = 0.0;

    *best = (yk_many){ 0.0, 0.0, false };
    if (young && !has_settled(l, which, length)) return;
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
    if (one > 0.0) best->ratio = now / one;
    if (l->alike) return;
    yk_many teams = { 0.0, 0.0, false };
    try_limits(l, which, &teams);
    if (!(teams.ratio > best->ratio)) return;
    *best = teams;
    if (grows || l->windows < YK_DECIDE_PACED) best->ratio = 0.0; /* wait */
}

double yk_ladder_priced(const yk_ladder *l, int which, double length, double t)
{
    double paid = 0.0, now = 0.0, share = 0.0, busiest = 0.0;

    for (int k = l->first[which]; k < l->first[which + 1]; k++) {
        const int c = l->member[k];
        const double weight = weight_of(l, c);
        paid += (double)l->accepted[c] * yk_cost_apart(weight);
        now += l->done[c] * yk_cost_apart(weight);
        share += yk_cost_inside(weight);
        busiest = fmax(busiest, l->one[c]);
    }
    const double one = busiest * fmax(l->crowd, 1.0) * share;
    const double start = l->options->start, stop = l->options->stop;
    const bool told = t - start > YK_DECIDE_PROLOGUE * (stop - start) &&
                      !(length > YK_DECIDE_GROWING * l->length) &&
                      paid > YK_DECIDE_TASTE * YK_DECIDE_MATTERS;
    const double rest = now * (stop - t) / (t - l->since);
    const bool matters =
        paid > YK_DECIDE_MATTERS || (told && paid + rest > YK_DECIDE_MATTERS);
    return matters && one > 0.0 ? now / one : 0.0;
}

void yk_ladder_teams(const yk_ladder *l, int which, const yk_many *many,
                     int *group)
{
    int slow = -1, fast = -1;

    for (int k = l->first[which]; k < l->first[which + 1]; k++) {
        const int c = l->member[k];
        const bool slowly = is_slow(l, c, many->limit);
        int *const first = slowly ? &slow : &fast;
        if (!slowly && !many->two) continue;
        if (*first < 0) *first = c;
        group[c] = *first;
    }
}
