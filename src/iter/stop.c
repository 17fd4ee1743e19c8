/* iter/stop.c -- is a window done, does it diverge, is it worth going on? */
#include "iter/stop.h"
#include "iter/policy.h"
#include "iter/window.h"

#include <math.h>
#include <stdio.h>

double yk_larger(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

/* The part of the tolerance that a window may use: errors of many short windows
 * add up. */
double yk_stop_allowed(const yk_iteration *it, double length)
{
    const double share = YK_ITER_WINDOWS * length / it->setup.span;

    return it->options.fraction *
           (share < 1.0 ? fmax(share, YK_ITER_LEAST_SHARE) : 1.0);
}

static bool any_unseen(const yk_unit_state *s)
{
    for (int f = 0; f < s->unit->feeds; f++)
        if (!s->seen[f] && !s->unit->feed[f].delayed) return true;
    return false;
}

/* Must a unit be solved again whose events read inputs that others' events
 * change?  If these have changed since, by the tolerance or more: rates of
 * earlier windows tell nothing about what it will make of them.  If they came
 * near to one another in time, and it has not seen the last of them: that ends,
 * for inputs become equal sooner or later; if not a few sweeps will do. */
static bool must_read(const yk_iteration *it, int sweep)
{
    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const yk_unit_state *s = &it->plan[p].unit[i];
            const yk_propagator *unit = s->unit->propagator;
            const yk_reading reading = unit->ops->reading
                                           ? unit->ops->reading(unit->self)
                                           : YOKE_READ_NOTHING;
            if (reading != YOKE_READ_NOTHING && s->unseen > 1.0) return true;
            if (reading == YOKE_READ_UNSURE && sweep < YK_ITER_UNSURE_SWEEPS &&
                s->moved && any_unseen(s))
                return true;
        }
    return false;
}

bool yk_stop_enough(yoke_stop stop, int max_sweeps, const yoke_sweep *row,
                    double allowed)
{
    if (stop == YOKE_STOP_COUNT) return row->sweep >= max_sweeps;
    return stop == YOKE_STOP_CHANGE ? row->change <= 1.0
                                    : row->estimate <= allowed;
}

bool yk_stop_passes(const yk_iteration *it, const yoke_sweep *row)
{
    const yoke_iterate_options *o = &it->options;
    /* Noise of the steppers does not get smaller by more sweeps. */
    const double allowed = it->converge.noise
                               ? o->fraction
                               : yk_stop_allowed(it, row->t1 - row->t0);

    if (o->stop != YOKE_STOP_COUNT) {
        if (it->loose > 1.0) return false;
        if (it->acyclic) return true;
        if (must_read(it, row->sweep)) return false;
    }
    return yk_stop_enough(o->stop, o->max_sweeps, row, allowed);
}

/* The last change is below the tolerance, and yet the window does not end. */
static yoke_status fail_below(const yk_iteration *it, const yoke_sweep *row,
                              const char *name, yoke_err *err)
{
    double most = 0.0;

    for (int k = 0; k < YK_SWING && row->sweep >= YK_SWING; k++)
        most = fmax(most, it->swing[k]);
    if (most > 10.0 * row->change)
        return yk_fail(err, YOKE_NOT_CONVERGED,
                       "%d sweeps go back and forth: \"%.300s\" changed by "
                       "%.3g times its tolerance in one of the last ones and "
                       "by %.3g in the last, as where a switch or a limit "
                       "depends on what it switches; solve the parts as one "
                       "cluster, or give the switch a hysteresis",
                       row->sweep, name, most, row->change);
    return yk_fail(err, YOKE_NOT_CONVERGED,
                   "after %d %s the error left in \"%.300s\" is estimated at "
                   "%.3g times its tolerance: the last change was %.3g times "
                   "it, but changes shrink by %.3g per sweep only; try shorter "
                   "windows, or one cluster",
                   row->sweep, row->sweep == 1 ? "sweep" : "sweeps", name,
                   row->estimate, row->change, row->rate);
}

yoke_status yk_stop_failure(const yk_iteration *it, const yoke_sweep *row,
                            int worst, yoke_err *err)
{
    const char *why = yk_correct_why_not(it->correct);
    char rate[64] = "";

    if (row->change < it->options.fraction && worst >= 0)
        return fail_below(it, row, it->setup.variable_name[worst], err);
    if (!isnan(row->rate))
        snprintf(rate, sizeof rate, ", measured rate %.3g per sweep",
                 row->rate);
    return yk_fail(
        err, YOKE_NOT_CONVERGED,
        "after %d %s \"%.300s\" still changes by %.3g (%.3g times its "
        "tolerance)%s; %s%s%.500s",
        row->sweep, row->sweep == 1 ? "sweep" : "sweeps",
        worst >= 0 ? it->setup.variable_name[worst] : "nothing",
        worst >= 0 ? it->change[worst] : 0.0, row->change, rate,
        row->rate >= 1.0 ? "it does not contract: try another order or owner, "
                           "shorter windows, or one cluster (cluster: auto)"
                         : "try more sweeps or shorter windows",
        why[0] ? "; it could not be corrected: " : "", why);
}

/* Growth alone is not divergence (converge.c); but where another way may be
 * taken, growth in two sweeps after one another, or by many orders, is reason
 * enough not to wait for the limit of sweeps. */
bool yk_stop_diverges(const yk_iteration *it)
{
    const double *d = it->converge.change;

    if (it->options.accelerate != YOKE_ACCELERATE_AUTO ||
        it->options.stop != YOKE_STOP_ERROR || it->acyclic)
        return false;
    if (it->converge.count >= 2 && d[0] > YK_ITER_ENORMOUS && d[0] > d[1])
        return true;
    return it->converge.count >= 3 && d[0] > YK_ITER_GROWS * d[1] &&
           d[1] > d[2] && d[0] > 1.0;
}

/* Most windows fail at first: somebody who may choose another way should. */
bool yk_stop_hopeless(const yk_iteration *it)
{
    return it->options.accelerate == YOKE_ACCELERATE_AUTO &&
           it->options.stop == YOKE_STOP_ERROR && it->plans == 1 &&
           it->plan[0].plan.units > 1 &&
           it->result.rejected >= YK_ITER_MANY_REJECTED &&
           2 * it->result.rejected > it->result.windows;
}
