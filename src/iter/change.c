/* iter/change.c -- what a sweep changed, and what that does inside the units.
 */
#include "iter/window.h"

#include "base/tolerance.h"
#include "base/vector.h"
#include "iter/policy.h"
#include "wave/jumps.h"

#include <math.h>

/* What may be wrong with an output of this size. */
static double tolerance_of(const yk_iteration *it, int id, double size)
{
    const double counts = it->setup.weight ? it->setup.weight[id] : 1.0;

    return yk_tolerance(it->options.atol / counts, it->options.rtol, size);
}

static void at_end(const yk_wave *w, double t1, double *value)
{
    yk_wave_eval(w, t1, NULL, value);
}

/* ---- change ---------------------------------------------------------------
 */

typedef struct measured {
    const yk_iteration *it;
    const yk_unit_state *unit;
} measured;

/* What a jump of an output must exceed: its tolerance, if it is read. */
static double least_jump(void *context, int c, double size)
{
    const measured *m = context;

    return m->unit->read[c]
               ? tolerance_of(m->it, m->unit->unit->output_id[c], size)
               : INFINITY;
}

/* |y - old| of every component of a unit; kept while y is the same. */
static yoke_status unit_distance(yk_iteration *it, yk_unit_state *s,
                                 yoke_err *err)
{
    const int p = s->unit->propagator->p;

    if (s->measured != s->version) {
        measured of = { it, s };
        const yk_jump_rule rule = { .least = least_jump,
                                    .context = &of,
                                    .a = s->part[0],
                                    .b = s->part[1],
                                    .here = s->guess.a,
                                    .sum = it->between };
        bool alike = false;
        YK_TRY(yk_jumps_distance(&rule, s->y, s->old, s->change, &alike, NULL,
                                 err));
        s->jumped = !alike && yk_any_late(s);
        s->measured = s->version;
    }
    yk_copy(it->distance, s->change, p);
    it->jumped = it->jumped || s->jumped;
    return YOKE_OK;
}

/* |y - old| and |y| of every component of a unit. */
static yoke_status unit_change(yk_iteration *it, yk_unit_state *s, double t1,
                               yoke_err *err)
{
    const int p = s->unit->propagator->p;

    if (!it->options.at_end) {
        YK_TRY(yk_unit_sizes(s, err));
        yk_copy(it->size, s->size, p);
        if (!s->moved) {
            for (int k = 0; k < p; k++) it->distance[k] = 0.0;
            return YOKE_OK;
        }
        return unit_distance(it, s, err);
    }
    at_end(s->y, t1, it->size);
    at_end(s->moved ? s->old : s->y, t1, it->distance);
    for (int k = 0; k < p; k++) {
        it->distance[k] = fabs(it->size[k] - it->distance[k]);
        it->size[k] = fabs(it->size[k]);
    }
    return YOKE_OK;
}

/* The change of a variable relative to its tolerance, which grows with the
 * iterate, but not without bound: an iterate that runs away must not make its
 * changes look small.  A tolerance of zero (atol = 0 and an iterate that is
 * zero) is met by no change; it is no reason to give up. */
static double relative_change(yk_iteration *it, int v, double size, int sweep)
{
    static const double most = 1e100;

    if (sweep == 1 || it->most[v] == 0.0) it->most[v] = YK_ITER_RUNAWAY * size;
    const double tolerance =
        tolerance_of(it, it->variable[v], fmin(size, it->most[v]));
    if (it->change[v] == 0.0) return 0.0;
    const double relative = it->change[v] / tolerance;
    return relative > most && isfinite(it->change[v]) ? most : relative;
}

/* Did anybody read the variable's guess, or the last sweep's waveform? */
static bool is_late(const yk_iteration *it, int v)
{
    const int *at = &it->where[2 * it->variable[v]];

    return it->plans > 1 || it->plan[0].unit[at[0]].late[at[1]];
}

/* Has a unit had more or fewer events than in its solve before?  Where it stays
 * continuous no output shows that, but what it makes of its inputs has changed,
 * and the rates of other windows say little. */
static bool has_switched(const yk_iteration *it, int sweep)
{
    bool any = false;

    for (int i = 0; i < it->plan[0].plan.units; i++) {
        yk_unit_state *s = &it->plan[0].unit[i];
        const yk_propagator *p = s->unit->propagator;
        const double *t = NULL;
        const int now = p->ops->instants ? p->ops->instants(p->self, &t) : 0;
        any = any || (sweep > 1 && now != s->instants);
        s->instants = now;
    }
    return any;
}

yoke_status yk_measure_change(yk_iteration *it, double t1, int sweep,
                              double *change, double *late, int *worst,
                              yoke_err *err)
{
    int unit = -1;

    it->jumped = false;
    it->switched = has_switched(it, sweep);
    *change = *late = 0.0;
    *worst = -1;
    for (int v = 0; v < it->setup.variables; v++) { /* sorted by units */
        const int *at = &it->where[2 * it->variable[v]];
        if (at[0] != unit) {
            unit = at[0];
            YK_TRY(unit_change(it, &it->plan[0].unit[unit], t1, err));
        }
        const bool late_one = is_late(it, v);
        /* Nobody has read the guess of the others: they do not change yet. */
        const bool begun =
            sweep > 1 || late_one || it->options.stop != YOKE_STOP_ERROR;
        it->change[v] = begun ? it->distance[at[1]] : 0.0;
        it->relative[v] = relative_change(it, v, it->size[at[1]], sweep);
        if (late_one) *late = fmax(*late, it->relative[v]);
        if (!(it->relative[v] <= *change)) {
            *change = it->relative[v];
            *worst = v;
        }
    }
    if (isfinite(*change)) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY, "the iterates of \"%s\" are not finite",
                   it->setup.variable_name[*worst]);
}

yoke_status yk_measure_correction(yk_iteration *it, double *largest,
                                  yoke_err *err)
{
    for (int v = 0; v < it->setup.variables; v++) {
        const int *at = &it->where[2 * it->variable[v]];
        const yk_unit_state *s = &it->plan[0].unit[at[0]];
        if (!s->corrected) continue;
        YK_TRY(yk_wave_distance(s->y, s->made, it->distance, err));
        YK_TRY(yk_wave_distance(s->y, NULL, it->size, err));
        const double tolerance =
            tolerance_of(it, it->variable[v], it->size[at[1]]);
        if (it->distance[at[1]] > 0.0)
            *largest = fmax(*largest, it->distance[at[1]] / tolerance);
    }
    return YOKE_OK;
}

/* ---- what the inputs do inside a unit ------------------------------------ */

/* Largest change of the feeds that a unit has (not) seen in this sweep. */
static double feed_change(const yk_iteration *it, const yk_plan *plan,
                          const yk_unit_state *s, bool seen)
{
    double most = 0.0;

    for (int f = 0; f < s->unit->feeds; f++) {
        const yk_feed *feed = &s->unit->feed[f];
        if (feed->delayed) continue;
        const int id = plan->unit[feed->unit].output_id[feed->from];
        const bool early = s->seen[f] && it->plans == 1;
        if (early == seen && it->variable_at[id] >= 0)
            most = fmax(most, it->relative[it->variable_at[id]]);
    }
    return most;
}

/* Largest change of what a unit answers: its unknowns at the end of the window,
 * and its outputs; NAN: not known. */
static double unit_answer(const yk_iteration *it, const yk_unit_state *s)
{
    const yk_propagator *p = s->unit->propagator;
    const double tight = s->unit->tight > 0.0 ? s->unit->tight : 1.0;
    double most = tight * p->ops->moved(p->self);

    for (int k = 0; k < p->p; k++) {
        const int v = it->variable_at[s->unit->output_id[k]];
        if (v >= 0 && !s->late[k]) most = fmax(most, it->relative[v]);
    }
    return most;
}

/* The gain of earlier windows, with a margin, and more in a longer window. */
static double known_gain(const yk_iteration *it, const yk_unit_state *s)
{
    const double longer =
        fmax(1.0, it->converge.length / it->converge.known_length);

    return YK_ITER_MARGIN * s->known_gain *
           (longer <= YK_ITER_MOST_LONGER ? longer * longer : NAN);
}

/* How far the unknowns of a unit are from those that belong to the newest
 * inputs: gain times the change of inputs since it was solved.  The gain is
 * what an earlier change of inputs did to its unknowns. */
static double unit_lag(const yk_iteration *it, const yk_plan *plan,
                       yk_unit_state *s, int sweep)
{
    const yk_propagator *p = s->unit->propagator;
    const double caused = fmax(feed_change(it, plan, s, true), s->unseen);

    s->unseen = feed_change(it, plan, s, false);
    if (!p->ops->moved) return s->unseen;
    if (sweep > 1 && s->moved && caused > 0.0) {
        const double answer = unit_answer(it, s);
        const double gain = answer / fmax(caused, YK_ITER_NOISE);
        const bool coarse = it->loose_before > 1.0 || it->loose > 1.0;
        if (coarse &&
            answer < YK_ITER_COARSE * fmax(it->loose_before, it->loose)) {
            s->gain = fmax(s->gain, s->known_gain);
        } else {
            s->gain = fmax(gain, s->gain_last);
            s->gain_last = gain;
        }
    }
    if (s->unseen == 0.0) return 0.0;
    return s->unseen * (isnan(s->gain) ? known_gain(it, s) : s->gain);
}

double yk_measure_lag(yk_iteration *it, int sweep)
{
    double most = 0.0;

    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const double lag =
                unit_lag(it, &it->plan[p].plan, &it->plan[p].unit[i], sweep);
            most = yk_larger(most, lag); /* NAN stays; all are measured */
        }
    return most;
}

double yk_measure_gain(const yk_iteration *it)
{
    double gain = 0.0;

    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const yk_unit_state *s = &it->plan[p].unit[i];
            gain = yk_larger(gain, isnan(s->gain) ? s->known_gain : s->gain);
        }
    return gain;
}
