/* iter/change.c -- what a sweep changed, and what that does inside the units.
 */
#include "iter/window.h"

#include "base/tolerance.h"
#include "base/vector.h"
#include "iter/policy.h"

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

/* ---- jumps ----------------------------------------------------------------
 *
 * An event that moves by a little makes a difference as large as the jump, in a
 * time as short as it has moved: no two iterates would ever agree, since events
 * are located to a tolerance.  What others feel of it is its integral.  If both
 * iterates have the same jumps, not far apart, they are compared between them,
 * and a jump that has moved counts as the constant change with the same
 * integral over the window.
 */
enum { MOST_JUMPS = 64 };

/* Jumps of outputs that are read, by more than their tolerance; -1: too many.
 */
static int find_jumps(const yk_iteration *it, const yk_unit_state *s,
                      const yk_wave *w, double *t)
{
    int count = 0;

    for (int i = 1; i < yk_wave_pieces(w); i++)
        for (int c = 0; c < s->unit->propagator->p; c++) {
            double size = 0.0;
            const double jump = s->read[c] ? yk_jump_at(w, i, c, &size) : 0.0;
            if (!(jump > tolerance_of(it, s->unit->output_id[c], size)))
                continue;
            if (count == MOST_JUMPS) return -1;
            t[count++] = yk_wave_knot(w, i);
            break;
        }
    return count;
}

/* Raises it->between to the distance of y and old on [a, b]. */
static yoke_status raise_between(yk_iteration *it, yk_unit_state *s, double a,
                                 double b, double *room, yoke_err *err)
{
    YK_TRY(yk_wave_restrict(s->part[0], s->y, a, b, err));
    YK_TRY(yk_wave_restrict(s->part[1], s->old, a, b, err));
    YK_TRY(yk_wave_distance(s->part[0], s->part[1], room, err));
    for (int c = 0; c < s->unit->propagator->p; c++)
        it->between[c] = fmax(it->between[c], room[c]);
    return YOKE_OK;
}

/* Adds what jumps that moved from `old` to `now` count. */
static void add_moved(yk_iteration *it, const yk_unit_state *s, double old,
                      double now)
{
    const double length = yk_wave_end(s->y) - yk_wave_begin(s->y);
    double size = 0.0;

    for (int i = 1; i < yk_wave_pieces(s->y); i++)
        for (int c = 0; c < s->unit->propagator->p; c++)
            if (yk_wave_knot(s->y, i) == now)
                it->between[c] +=
                    yk_jump_at(s->y, i, c, &size) * fabs(now - old) / length;
}

static yoke_status compare_between_jumps(yk_iteration *it, yk_unit_state *s,
                                         yoke_err *err)
{
    const double t0 = yk_wave_begin(s->y), t1 = yk_wave_end(s->y);
    const int p = s->unit->propagator->p;
    double now[MOST_JUMPS], old[MOST_JUMPS], begin = t0;
    double *const room = s->guess.a;
    const int count = find_jumps(it, s, s->y, now);

    const int before = find_jumps(it, s, s->old, old);

    if (count != before) it->jumped = it->jumped || yk_any_late(s);
    if (count <= 0 || count != before) return YOKE_OK;
    for (int i = 0; i < count; i++)
        if (fabs(now[i] - old[i]) > YK_ITER_JUMP_FAR * (t1 - t0)) {
            it->jumped = it->jumped || yk_any_late(s);
            return YOKE_OK;
        }
    for (int c = 0; c < p; c++) it->between[c] = 0.0;
    for (int i = 0; i <= count; i++) {
        const double end = i < count ? fmin(now[i], old[i]) : t1;
        if (end - begin > 1e-9 * (t1 - t0))
            YK_TRY(raise_between(it, s, begin, end, room, err));
        if (i < count) begin = fmax(now[i], old[i]);
    }
    for (int i = 0; i < count; i++) add_moved(it, s, old[i], now[i]);
    for (int c = 0; c < p; c++)
        it->distance[c] = fmin(it->distance[c], it->between[c]);
    return YOKE_OK;
}

/* ---- change ---------------------------------------------------------------
 */

/* |y - old| of every component of a unit; kept while y is the same. */
static yoke_status unit_distance(yk_iteration *it, yk_unit_state *s,
                                 yoke_err *err)
{
    const int p = s->unit->propagator->p;

    if (s->measured != s->version) {
        const bool jumped = it->jumped;
        it->jumped = false;
        YK_TRY(yk_wave_distance(s->y, s->old, it->distance, err));
        YK_TRY(compare_between_jumps(it, s, err));
        yk_copy(s->change, it->distance, p);
        s->jumped = it->jumped;
        it->jumped = jumped;
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
