/* graph/cost.c -- the cost of iterating against that of solving as one. */
#include "graph/cost.h"

#include "graph/policy.h"

#include <math.h>

double yk_cost_sweeps(double rate)
{
    if (rate >= 1.0) return INFINITY;
    return rate > 0.0 ? 1.0 + log(YK_COST_GUESS) / -log(rate)
                      : 1.0 + 0.0 * rate;
}

double yk_cost_rate(double sweeps)
{
    return exp(-log(YK_COST_GUESS) / (sweeps - 1.0));
}

/* Between rates of which a prediction can be trusted. */
static double trusted(double rate)
{
    return fmin(fmax(rate, YK_COST_FAST), YK_COST_SLOW);
}

double yk_cost_sweeps_at(double now, double rate, double other)
{
    return 1.0 +
           (now - 1.0) * fmin(1.0, log(trusted(rate)) / log(trusted(other)));
}

double yk_cost_as_one(int members, double busiest, double crowd, int units,
                      int all)
{
    const double k = units < 2 || !(crowd > 1.0)
                         ? 1.0
                         : 1.0 + (crowd - 1.0) * (units - 1) / (all - 1);

    return members * busiest * k;
}

double yk_cost_weight(int unknowns, int entries)
{
    return fmax(unknowns, entries / YK_COST_ENTRIES);
}

double yk_cost_apart(double weight)
{
    return YK_COST_APART * (weight + YK_COST_OWN);
}

double yk_cost_inside(double weight)
{
    return weight + YK_COST_MEMBER;
}

double yk_cost_relative(double weight)
{
    return fmax(1.0, weight / YK_COST_OWN);
}

bool yk_cost_is_less(double one, double apart, double doubt)
{
    return one * doubt < apart;
}
