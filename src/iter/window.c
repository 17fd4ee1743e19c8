/* iter/window.c -- one window: guess, sweep until the iterates agree, accept.
 */
#include "iter/converge.h"
#include "iter/correct.h"
#include "iter/iteration.h"
#include "iter/resize.h"
#include "iter/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct yk_iteration {
    yk_iteration_setup setup;
    yoke_iterate_options options;
    int plans;
    yk_plan_state *plan;
    int *where;       /* plan, output id -> unit and component: two ints */
    int *variable;    /* output ids */
    int *variable_at; /* of each output id: its variable, or -1 */
    double *change;   /* of each variable, absolute */
    double *relative; /* the same relative to the tolerance */
    double *most;     /* largest size the tolerance of a variable may count */
    double *distance; /* of the components of one unit */
    double *size;     /* the same: largest values */
    yoke_wave **mix;  /* plan 0's units: averaged outputs; NULL: one plan */
    yoke_wave_term *mix_term;
    yk_converge converge;
    yk_correct *correct; /* NULL: the plain iteration */
    bool plain;          /* not worth while at present */
    bool acyclic;
    double loose, loose_before; /* tolerance of this sweep and the one before */
    double t, start;
    yk_resize resize;
    double late[YK_RECORDED_SWEEPS];       /* changes of this window */
    double correction[YK_RECORDED_SWEEPS]; /* and its corrections */
    yk_pace *pace;                         /* of all units of all plans */
    int window; /* number of the window that is being done */
    yoke_iterate_result result;
};

/* ---- life and death ----------------------------------------------------- */

static void unit_clear(yk_unit_state *s)
{
    yoke_wave_free(s->y);
    yoke_wave_free(s->old);
    yoke_wave_free(s->u);
    yoke_wave_free(s->u_last);
    yoke_wave_free(s->accepted);
    yoke_wave_free(s->made);
    yk_free(s->term);
    yk_free(s->seen);
    yk_free(s->late);
    yk_guess_free(&s->guess);
}

static void plan_clear(yk_plan_state *p)
{
    for (int i = 0; p->unit && i < p->plan.units; i++) unit_clear(&p->unit[i]);
    yk_free(p->unit);
    yk_free(p->job);
    yk_free(p->stage);
}

void yk_iteration_free(yk_iteration *it)
{
    if (!it) return;
    yk_correct_free(it->correct);
    for (int i = 0; it->mix && i < it->plan[0].plan.units; i++)
        yoke_wave_free(it->mix[i]);
    for (int p = 0; it->plan && p < it->plans; p++) plan_clear(&it->plan[p]);
    yk_free(it->mix);
    yk_free(it->mix_term);
    yk_free(it->plan);
    yk_free(it->where);
    yk_free(it->pace);
    yk_free(it->variable);
    yk_free(it->variable_at);
    yk_free(it->relative);
    yk_free(it->most);
    yk_free(it->change);
    yk_free(it->distance);
    yk_free(it->size);
    yk_free(it);
}

static yoke_status unit_create(yk_unit_state *s, const yk_unit *unit,
                               yoke_err *err)
{
    const int m = unit->propagator->m, p = unit->propagator->p;

    s->unit = unit;
    YK_TRY(yoke_wave_create(&s->y, p, err));
    YK_TRY(yoke_wave_create(&s->old, p, err));
    YK_TRY(yoke_wave_create(&s->accepted, p, err));
    YK_TRY(yoke_wave_create(&s->made, p, err));
    YK_TRY(yoke_wave_create(&s->u, m, err));
    YK_TRY(yoke_wave_create(&s->u_last, m, err));
    YK_TRY(YK_NEW(&s->seen, unit->feeds, err));
    YK_TRY(YK_NEW(&s->late, p, err));
    YK_TRY(yk_guess_create(&s->guess, p, err));
    return YK_NEW(&s->term, unit->feeds, err);
}

static yoke_status plan_create(yk_iteration *it, int index, int *most_outputs,
                               yoke_err *err)
{
    yk_plan_state *p = &it->plan[index];
    const yoke_schedule *s = it->setup.plan[index].schedule;

    p->plan = it->setup.plan[index];
    YK_TRY(YK_NEW(&p->unit, p->plan.units, err));
    YK_TRY(yk_ints(&p->job, (size_t)s->stage[s->stages], err));
    YK_TRY(yk_ints(&p->stage, (size_t)p->plan.units, err));
    for (int i = 0; i < p->plan.units; i++) {
        const yk_unit *unit = &p->plan.unit[i];
        YK_TRY(unit_create(&p->unit[i], unit, err));
        for (int k = 0; k < unit->propagator->p; k++) {
            int *at = &it->where[2 * (index * it->setup.outputs +
                                      unit->output_id[k])];
            at[0] = i;
            at[1] = k;
        }
        if (unit->propagator->p > *most_outputs)
            *most_outputs = unit->propagator->p;
    }
    return YOKE_OK;
}

static yoke_status mix_create(yk_iteration *it, int most_outputs, yoke_err *err)
{
    const yk_plan *first = &it->plan[0].plan;

    if (it->plans == 1) return YOKE_OK;
    YK_TRY(YK_NEW(&it->mix, it->setup.outputs ? first->units : 1, err));
    YK_TRY(
        YK_NEW(&it->mix_term, (size_t)most_outputs * (size_t)it->plans, err));
    for (int i = 0; i < first->units; i++)
        YK_TRY(
            yoke_wave_create(&it->mix[i], first->unit[i].propagator->p, err));
    return YOKE_OK;
}

/* Acceleration is for one plan without relaxation. */
static bool accelerated(const yk_iteration *it)
{
    const yoke_iterate_options *o = &it->options;

    if (it->plans != 1 || o->relax != 1.0 || it->acyclic) return false;
    if (o->accelerate == YOKE_ACCELERATE_AUTO)
        return o->stop == YOKE_STOP_ERROR;
    return o->accelerate != YOKE_ACCELERATE_NONE;
}

static yoke_status build(yk_iteration *it, yoke_err *err)
{
    const yk_iteration_setup *s = &it->setup;
    const size_t places = 2 * (size_t)s->plans * (size_t)s->outputs;
    int most = 0, units = 0;

    YK_TRY(YK_NEW(&it->plan, s->plans, err));
    it->plans = s->plans;
    YK_TRY(yk_ints(&it->where, places, err));
    for (size_t k = 0; k < places; k++) it->where[k] = -1;
    it->acyclic = it->options.relax == 1.0 && s->plans == 1;
    for (int p = 0; p < s->plans; p++) {
        units += s->plan[p].units;
        YK_TRY(plan_create(it, p, &most, err));
        if (!yk_sweep_order(&it->plan[p])) it->acyclic = false;
    }
    YK_TRY(yk_copy_ints(&it->variable, s->variable, (size_t)s->variables, err));
    YK_TRY(yk_ints(&it->variable_at, (size_t)s->outputs, err));
    for (int k = 0; k < s->outputs; k++) it->variable_at[k] = -1;
    for (int v = 0; v < s->variables; v++) it->variable_at[s->variable[v]] = v;
    YK_TRY(yk_doubles(&it->change, (size_t)s->variables, err));
    YK_TRY(yk_doubles(&it->relative, (size_t)s->variables, err));
    YK_TRY(yk_doubles(&it->most, (size_t)s->variables, err));
    YK_TRY(yk_doubles(&it->distance, (size_t)most, err));
    YK_TRY(yk_doubles(&it->size, (size_t)most, err));
    YK_TRY(mix_create(it, most, err));
    YK_TRY(YK_NEW(&it->pace, units, err));
    if (!accelerated(it)) return YOKE_OK;
    YK_TRY(yk_correct_create(&it->correct, &it->plan[0], &it->options, err));
    yk_correct_names(it->correct, s);
    return YOKE_OK;
}

yoke_status yk_iteration_create(yk_iteration **out,
                                const yk_iteration_setup *setup, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_iteration *it = NULL;

    YK_TRY(YK_NEW(&it, 1, err));
    it->setup = *setup;
    it->options = *setup->options;
    YK_GO(build(it, err));
    *out = it;
    it = NULL;
done:
    yk_iteration_free(it);
    return status;
}

/* Shortest step that a unit would begin with; 0: none is known. */
static double shortest_step(const yk_iteration *it)
{
    double least = INFINITY;

    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const yoke_propagator *unit = it->plan[p].unit[i].unit->propagator;
            const double step =
                unit->ops->step ? unit->ops->step(unit->self) : 0.0;
            if (step > 0.0) least = fmin(least, step);
        }
    return isfinite(least) ? least : 0.0;
}

yoke_status yk_iteration_start(yk_iteration *it, double t0,
                               const double *const *const *y0, yoke_err *err)
{
    it->t = it->start = t0;
    yk_resize_begin(&it->resize, t0, it->setup.span, it->options.window,
                    it->options.min_window, shortest_step(it));
    it->window = 0;
    memset(&it->result, 0, sizeof it->result);
    yk_converge_reset(&it->converge);
    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            yoke_wave *w = it->plan[p].unit[i].accepted;
            it->plan[p].unit[i].known_gain = NAN;
            YK_TRY(yk_guess_start(&it->plan[p].unit[i].guess, t0,
                                  it->resize.length, y0[p][i], err));
            yoke_wave_clear(w, t0 - it->resize.length);
            YK_TRY(yoke_wave_append_constant(w, t0, y0[p][i], err));
        }
    return YOKE_OK;
}

/* ---- change ------------------------------------------------------------- */

static void at_end(const yoke_wave *w, double t1, double *value)
{
    yoke_wave_eval(w, t1, NULL, value);
}

/* |y - old| and |y| of every component of a unit. */
static yoke_status unit_change(yk_iteration *it, const yk_unit_state *s,
                               double t1, yoke_err *err)
{
    const int p = s->unit->propagator->p;

    if (!it->options.at_end) {
        YK_TRY(yoke_wave_distance(s->y, NULL, YOKE_NORM_MAX, it->size, err));
        if (!s->moved) {
            for (int k = 0; k < p; k++) it->distance[k] = 0.0;
            return YOKE_OK;
        }
        return yoke_wave_distance(s->y, s->old, YOKE_NORM_MAX, it->distance,
                                  err);
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

    if (sweep == 1 || it->most[v] == 0.0) it->most[v] = 10.0 * size;
    const double tolerance =
        it->options.atol + it->options.rtol * fmin(size, it->most[v]);
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

/* Largest change over all variables, and over those that are late, relative to
 * the tolerance. */
static yoke_status measure(yk_iteration *it, double t1, int sweep,
                           double *change, double *late, int *worst,
                           yoke_err *err)
{
    int unit = -1;

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

/* How far the corrected waveforms are from those the sweep made, relative to
 * the tolerance: the unit that made them lags behind by that. */
static yoke_status largest_correction(yk_iteration *it, double t1,
                                      double *largest, yoke_err *err)
{
    for (int v = 0; v < it->setup.variables; v++) {
        const int *at = &it->where[2 * it->variable[v]];
        const yk_unit_state *s = &it->plan[0].unit[at[0]];
        if (!s->corrected) continue;
        YK_TRY(yoke_wave_distance(s->y, s->made, YOKE_NORM_MAX, it->distance,
                                  err));
        YK_TRY(yoke_wave_distance(s->y, NULL, YOKE_NORM_MAX, it->size, err));
        const double tolerance =
            it->options.atol + it->options.rtol * it->size[at[1]];
        if (it->distance[at[1]] > 0.0)
            *largest = fmax(*largest, it->distance[at[1]] / tolerance);
    }
    (void)t1;
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
        const int id = plan->unit[feed->unit].output_id[feed->from];
        const bool early = s->seen[f] && it->plans == 1;
        if (early == seen && it->variable_at[id] >= 0)
            most = fmax(most, it->relative[it->variable_at[id]]);
    }
    return most;
}

/* Changes below this part of the tolerance are those of the steppers, not of
 * the coupling: they must not be divided by. */
static const double noise = 0.01;

/* Largest change of what a unit answers: its unknowns at the end of the window,
 * and its outputs; NAN: not known. */
static double unit_answer(const yk_iteration *it, const yk_unit_state *s)
{
    const yoke_propagator *p = s->unit->propagator;
    double most = p->ops->moved(p->self);

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

    return 2.0 * s->known_gain * (longer <= 5.0 ? longer * longer : NAN);
}

/* How far the unknowns of a unit are from those that belong to the newest
 * inputs: gain times the change of inputs since it was solved.  The gain is
 * what an earlier change of inputs did to its unknowns. */
static double unit_lag(const yk_iteration *it, const yk_plan *plan,
                       yk_unit_state *s, int sweep)
{
    const yoke_propagator *p = s->unit->propagator;
    const double caused = fmax(feed_change(it, plan, s, true), s->unseen);

    s->unseen = feed_change(it, plan, s, false);
    if (!p->ops->moved) return s->unseen;
    if (sweep > 1 && s->moved && caused > 0.0) {
        const double answer = unit_answer(it, s);
        const double gain = answer / fmax(caused, noise);
        const bool coarse = it->loose_before > 1.0 || it->loose > 1.0;
        if (coarse && answer < 4.0 * fmax(it->loose_before, it->loose)) {
            s->gain = fmax(s->gain, s->known_gain);
        } else {
            s->gain = fmax(gain, s->gain_last);
            s->gain_last = gain;
        }
    }
    if (s->unseen == 0.0) return 0.0;
    return s->unseen * (isnan(s->gain) ? known_gain(it, s) : s->gain);
}

static double largest_lag(yk_iteration *it, int sweep)
{
    double most = 0.0;

    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const double lag =
                unit_lag(it, &it->plan[p].plan, &it->plan[p].unit[i], sweep);
            if (!(lag <= most)) most = lag; /* NAN stays */
            if (isnan(most)) return most;
        }
    return most;
}

/* ---- several plans ------------------------------------------------------ */

/* Every plan offers the outputs that are read, tested or recorded; others, of a
 * subsystem that is a cluster by itself in some plan only, may be missing in
 * another plan.  Nobody reads them and they are not averaged. */
static bool in_all_plans(const yk_iteration *it, int id)
{
    for (int p = 0; p < it->plans; p++)
        if (it->where[2 * (p * it->setup.outputs + id)] < 0) return false;
    return true;
}

static yoke_status mix_unit(yk_iteration *it, int index, double t0, double t1,
                            yoke_err *err)
{
    const yk_unit *unit = it->plan[0].unit[index].unit;
    int terms = 0;

    for (int k = 0; k < unit->propagator->p; k++)
        for (int p = 0; p < it->plans; p++) {
            const int id = unit->output_id[k];
            if (!in_all_plans(it, id)) break;
            const int *at = &it->where[2 * (p * it->setup.outputs + id)];
            it->mix_term[terms++] = (yoke_wave_term){
                .wave = it->plan[p].unit[at[0]].y,
                .from = at[1],
                .to = k,
                .weight = it->plan[p].plan.weight,
            };
        }
    return yoke_wave_combine(it->mix[index], t0, t1, terms, it->mix_term, err);
}

/* Takes the averaged outputs, component by component, from plan 0. */
static yoke_status take_mixed(yk_iteration *it, int plan, int index, double t0,
                              double t1, yoke_err *err)
{
    yk_unit_state *s = &it->plan[plan].unit[index];
    int terms = 0;

    for (int k = 0; k < s->unit->propagator->p; k++) {
        if (!in_all_plans(it, s->unit->output_id[k])) continue;
        const int *at = &it->where[2 * s->unit->output_id[k]];
        it->mix_term[terms++] = (yoke_wave_term){
            .wave = it->plan[0].unit[at[0]].y,
            .from = at[1],
            .to = k,
            .weight = 1.0,
        };
    }
    return yoke_wave_combine(s->y, t0, t1, terms, it->mix_term, err);
}

/* y = sum of weight times y over the plans, in all plans. */
static yoke_status mix_plans(yk_iteration *it, double t0, double t1,
                             yoke_err *err)
{
    if (it->plans == 1) return YOKE_OK;
    for (int i = 0; i < it->plan[0].plan.units; i++)
        YK_TRY(mix_unit(it, i, t0, t1, err));
    for (int i = 0; i < it->plan[0].plan.units; i++) {
        yoke_wave *w = it->plan[0].unit[i].y;
        it->plan[0].unit[i].y = it->mix[i];
        it->mix[i] = w;
    }
    for (int p = 1; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++)
            YK_TRY(take_mixed(it, p, i, t0, t1, err));
    return YOKE_OK;
}

/* ---- one window --------------------------------------------------------- */

static yoke_status guess(yk_iteration *it, double t1, yoke_err *err)
{
    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            yk_unit_state *s = &it->plan[p].unit[i];
            s->solved = s->moved = s->corrected = false;
            s->unseen = 0.0;
            s->gain = s->gain_last = NAN;
            YK_TRY(yk_guess_make(&s->guess, &it->options, s->y, t1, err));
        }
    return YOKE_OK;
}

static yoke_status sweep_all(yk_iteration *it, double t1, int *solved,
                             int *skipped, yoke_err *err)
{
    const yk_sweep_setup setup = {
        .options = &it->options,
        .executor = &it->setup.executor,
        .t0 = it->t,
        .t1 = t1,
        .loose = it->loose,
        .may_skip =
            it->options.skip && it->options.relax == 1.0 && it->plans == 1,
    };

    for (int p = 0; p < it->plans; p++)
        YK_TRY(yk_sweep_run(&it->plan[p], &setup, solved, skipped, err));
    return mix_plans(it, it->t, t1, err);
}

/* The part of the tolerance that a window may use: errors of many short windows
 * add up. */
static double allowed(const yk_iteration *it, double length)
{
    static const double windows = 30.0, least = 0.01;
    const double share = windows * length / it->setup.span;

    return it->options.fraction * (share < 1.0 ? fmax(share, least) : 1.0);
}

static bool passes(const yk_iteration *it, const yoke_sweep *row)
{
    if (it->options.stop == YOKE_STOP_COUNT)
        return row->sweep >= it->options.max_sweeps;
    if (it->loose > 1.0) return false;
    if (it->acyclic) return true;
    if (it->options.stop == YOKE_STOP_CHANGE) return row->change <= 1.0;
    /* Noise of the steppers does not get smaller by more sweeps. */
    return row->estimate <= (it->converge.noise
                                 ? it->options.fraction
                                 : allowed(it, row->t1 - row->t0));
}

static yoke_status not_converged(const yk_iteration *it, const yoke_sweep *row,
                                 int worst, yoke_err *err)
{
    char rate[64] = "";

    if (!isnan(row->rate))
        snprintf(rate, sizeof rate, ", measured rate %.3g per sweep",
                 row->rate);
    return yk_fail(
        err, YOKE_NOT_CONVERGED,
        "after %d %s \"%.300s\" still changes by %.3g (%.3g times its "
        "tolerance)%s; %s",
        row->sweep, row->sweep == 1 ? "sweep" : "sweeps",
        worst >= 0 ? it->setup.variable_name[worst] : "nothing",
        worst >= 0 ? it->change[worst] : 0.0, row->change, rate,
        row->rate >= 1.0 ? "it does not contract: try another order or owner, "
                           "shorter windows, or one cluster"
                         : "try more sweeps or shorter windows");
}

/* NAN if one of them is. */
static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

/* The correction costs a solve per point of its grid.  Where it changes next to
 * nothing the plain iteration is as good, until that gets slow again. */
static bool engaged(const yk_iteration *it)
{
    return it->correct &&
           (it->options.accelerate != YOKE_ACCELERATE_AUTO || !it->plain);
}

static void engage(yk_iteration *it, bool corrected, double change,
                   double correction)
{
    static const double fast = 0.01, slow = 0.04;

    if (corrected)
        it->plain = correction < fast * change;
    else if (it->converge.sweeps >= 2 && it->converge.rate > slow)
        it->plain = false;
}

/* One sweep and its row of the log. */
static yoke_status one_sweep(yk_iteration *it, double t1, int sweep,
                             yoke_sweep *row, int *worst, yoke_err *err)
{
    int solved = 0, skipped = 0;
    double change = 0.0, late = 0.0, correction = 0.0;
    bool corrected = false;

    const yoke_status status = sweep_all(it, t1, &solved, &skipped, err);
    it->result.sweeps++;
    it->result.solves += solved;
    it->result.skipped += skipped;
    if (status != YOKE_OK) return status;
    if (engaged(it)) YK_TRY(yk_correct_apply(it->correct, &corrected, err));
    YK_TRY(measure(it, t1, sweep, &change, &late, worst, err));
    const double lag = it->acyclic ? 0.0 : largest_lag(it, sweep);
    if (corrected) YK_TRY(largest_correction(it, t1, &correction, err));
    engage(it, corrected, late, correction);
    if (sweep <= YK_RECORDED_SWEEPS) {
        it->late[sweep - 1] = late;
        it->correction[sweep - 1] = correction;
    }
    yk_converge_add(&it->converge, late,
                    it->acyclic || (change == 0.0 && !it->options.at_end));
    *row = (yoke_sweep){
        .window = it->window,
        .sweep = sweep,
        .t0 = it->t,
        .t1 = t1,
        .change = change,
        .rate = it->converge.rate,
        .estimate = larger(larger(it->converge.estimate, lag), correction),
        .solved = solved,
        .variables = it->setup.variables,
        .variable_change = it->change,
        .variable_name = it->setup.variable_name,
    };
    row->accepted = passes(it, row);
    return it->setup.sweep ? it->setup.sweep(it->setup.context, row, err)
                           : YOKE_OK;
}

/* Work is counted, so that the same run has the same windows. */
static void note_pace(yk_pace *pace, const yk_unit *unit, double length)
{
    const yoke_propagator *p = unit->propagator;
    yoke_work done = { 0 };

    p->ops->work(p->self, &done);
    const double steps = (double)(done.steps > 0 ? done.steps : 1);
    const double work = (double)(done.residuals + done.solves) / steps;
    const double step = p->ops->step ? p->ops->step(p->self) : 0.0;
    *pace = (yk_pace){ step > 0.0 ? step : length, fmax(work, 1.0) };
}

static double largest_gain(const yk_iteration *it)
{
    double gain = 0.0;

    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const yk_unit_state *s = &it->plan[p].unit[i];
            gain = larger(gain, isnan(s->gain) ? s->known_gain : s->gain);
        }
    return gain;
}

static bool any_late(const yk_unit_state *s)
{
    for (int k = 0; k < s->unit->propagator->p; k++)
        if (s->late[k]) return true;
    return false;
}

/* The window is accepted: how long will the next one be? */
static void resize(yk_iteration *it, double t0, double t1)
{
    const double gain = it->acyclic ? 0.0 : largest_gain(it);
    const double share = allowed(it, t1 - t0);
    yk_outcome o = { .sweeps = it->converge.sweeps,
                     .ratio = it->converge.first,
                     .guess = YOKE_EXTRAPOLATE_MAX,
                     .pace = it->pace };

    if (o.sweeps < 2) o.ratio = it->converge.known_first;
    for (int k = 0; k < o.sweeps && k < YK_RECORDED_SWEEPS; k++)
        o.left[k] = fmax(it->late[k] * fmax(isnan(gain) ? 1.0 : gain, 1e-9),
                         it->correction[k]) /
                    share;
    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const yk_unit_state *s = &it->plan[p].unit[i];
            note_pace(&it->pace[o.units++], s->unit, t1 - t0);
            const int order = yk_guess_order(&s->guess, &it->options);
            if (any_late(s) && order < o.guess) o.guess = order;
        }
    yk_resize_accept(&it->resize, t0, t1, &o);
}

/* The waves of a unit change places: what one needed the others will need. */
static yoke_status make_room(yk_unit_state *s, yoke_err *err)
{
    yoke_wave *const y[] = { s->y, s->old, s->accepted, s->made };
    yoke_wave *const u[] = { s->u, s->u_last };
    int pieces = 0, inputs = 0;

    for (int k = 0; k < 4; k++)
        if (yoke_wave_pieces(y[k]) > pieces) pieces = yoke_wave_pieces(y[k]);
    for (int k = 0; k < 2; k++)
        if (yoke_wave_pieces(u[k]) > inputs) inputs = yoke_wave_pieces(u[k]);
    for (int k = 0; k < 4; k++)
        YK_TRY(yoke_wave_reserve(y[k], 2 * pieces, yoke_wave_degree(s->y, 0),
                                 err));
    for (int k = 0; k < 2 && inputs > 0; k++)
        YK_TRY(yoke_wave_reserve(u[k], 2 * inputs,
                                 yoke_wave_degree(s->u_last, 0), err));
    return YOKE_OK;
}

static yoke_status accept(yk_iteration *it, double t1, const yoke_sweep *row,
                          yoke_err *err)
{
    const double t0 = it->t;

    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            yk_unit_state *s = &it->plan[p].unit[i];
            yoke_wave *w = s->accepted;
            YK_TRY(make_room(s, err));
            if (!isnan(s->gain)) s->known_gain = s->gain;
            YK_TRY(yk_guess_learn(&s->guess, &it->options, s->y, s->late, err));
            YK_TRY(s->unit->propagator->ops->accept(s->unit->propagator->self,
                                                    err));
            s->accepted = s->y;
            s->y = w;
        }
    yk_converge_accept(&it->converge);
    if (it->correct) yk_correct_accept(it->correct, it->converge.rate);
    it->result.windows++;
    if (isfinite(row->rate)) it->result.rate = fmax(it->result.rate, row->rate);
    it->result.estimate = larger(it->result.estimate, row->estimate);
    if (!it->acyclic) /* else the change is only that of the guess */
        it->result.residual =
            fmax(it->result.residual, it->options.stop == YOKE_STOP_ERROR
                                          ? it->converge.change[0]
                                          : row->change);
    it->t = t1;
    resize(it, t0, t1);
    return it->setup.accepted
               ? it->setup.accepted(it->setup.context, t0, t1, err)
               : YOKE_OK;
}

/* How much less accurate the next sweep may be.  A sweep that will not be the
 * last must be as accurate as the one after it can use: its errors, and what
 * the iteration still leaves, act on the unknowns through the gain. */
static double looseness(const yk_iteration *it)
{
    static const double most = 1e3, part = 0.3, tighten = 0.1;
    const yoke_iterate_options *o = &it->options;
    double ratio = 0.0;

    if (!o->loosen || it->acyclic || o->stop != YOKE_STOP_ERROR || o->at_end)
        return 1.0;
    const double change = yk_converge_predict(&it->converge, &ratio);
    const double gain = largest_gain(it);
    if (isnan(change) || isnan(gain)) return 1.0;
    const double wanted = allowed(it, it->converge.length);
    if (change * fmax(gain, ratio) <= wanted) return 1.0;
    const double factor =
        part * fmax(wanted / fmax(gain, 1e-6), ratio * change);
    const double least = fmin(factor, fmin(most, tighten * it->loose));
    return least < 2.0 ? 1.0 : least;
}

/* Growth alone is not divergence (converge.c); but where another way may be
 * taken, growth in two sweeps after one another, or by many orders, is reason
 * enough not to wait for the limit of sweeps. */
static bool diverges(const yk_iteration *it)
{
    static const double clearly = 3.0, enormous = 1e12;
    const double *d = it->converge.change;

    if (it->options.accelerate != YOKE_ACCELERATE_AUTO ||
        it->options.stop != YOKE_STOP_ERROR || it->acyclic)
        return false;
    if (it->converge.sweeps >= 2 && d[0] > enormous && d[0] > d[1]) return true;
    return it->converge.sweeps >= 3 && d[0] > clearly * d[1] && d[1] > d[2] &&
           d[0] > 1.0;
}

/* YOKE_RETRY, YOKE_NOT_CONVERGED: nothing has changed, a shorter one may do. */
static yoke_status try_window(yk_iteration *it, double t1, yoke_err *err)
{
    yoke_sweep row;
    int worst = -1;

    YK_TRY(guess(it, t1, err));
    yk_converge_begin(&it->converge, t1 - it->t);
    if (it->correct) yk_correct_begin(it->correct, it->t, t1);
    it->loose = INFINITY;
    for (int k = 1; k <= it->options.max_sweeps; k++) {
        it->loose_before = k > 1 ? it->loose : 1.0;
        it->loose = k < it->options.max_sweeps ? looseness(it) : 1.0;
        YK_TRY(one_sweep(it, t1, k, &row, &worst, err));
        if (row.accepted) return accept(it, t1, &row, err);
        if (diverges(it)) break;
    }
    return not_converged(it, &row, worst, err);
}

/* ---- windows to the end ------------------------------------------------- */

/* Most windows fail at first: somebody who may choose another way should. */
static bool hopeless(const yk_iteration *it)
{
    enum { MANY = 30 };

    return it->options.accelerate == YOKE_ACCELERATE_AUTO &&
           it->options.stop == YOKE_STOP_ERROR && it->plans == 1 &&
           it->plan[0].plan.units > 1 && it->result.rejected >= MANY &&
           2 * it->result.rejected > it->result.windows;
}

static yoke_status shorten(yk_iteration *it, double t1, yoke_status status,
                           yoke_err *err)
{
    const bool allowed = status == YOKE_RETRY || it->resize.automatic ||
                         it->options.limit == YOKE_LIMIT_SHORTEN;

    if (allowed && hopeless(it)) {
        yk_suffix(err,
                  " (%d of %d windows had to be begun again with half the "
                  "length)",
                  it->result.rejected,
                  it->result.rejected + it->result.windows);
        return YOKE_NOT_CONVERGED;
    }
    if (allowed && yk_resize_reject(&it->resize, it->t, t1)) {
        it->result.rejected++;
        return YOKE_OK;
    }
    if (allowed)
        yk_suffix(err, " (windows were halved down to %.3g)", t1 - it->t);
    return status;
}

yoke_status yk_iteration_advance(yk_iteration *it, double end, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" }; /* a window begun again is no failure */

    while (it->t < end) {
        const double t0 = it->t, t1 = yk_resize_end(&it->resize, t0, end);
        it->window = it->result.windows + 1;
        yoke_status status = try_window(it, t1, &why);
        if (status == YOKE_RETRY || status == YOKE_NOT_CONVERGED)
            status = shorten(it, t1, status, &why);
        if (status == YOKE_OK) continue;
        if (status != YOKE_STOPPED)
            yk_prefix(&why, "window %d, [%.9g, %.9g]", it->window, t0, t1);
        if (err) *err = why;
        return status;
    }
    return YOKE_OK;
}

const yoke_wave *yk_iteration_wave(const yk_iteration *it, int plan, int unit)
{
    return it->plan[plan].unit[unit].accepted;
}

const yoke_wave *yk_iteration_iterate(const yk_iteration *it, int plan,
                                      int unit)
{
    return it->plan[plan].unit[unit].y;
}

const yoke_wave *yk_iteration_before(const yk_iteration *it, int plan, int unit)
{
    const yk_unit_state *s = &it->plan[plan].unit[unit];

    return s->moved ? s->old : s->y;
}

double yk_iteration_time(const yk_iteration *it)
{
    return it->t;
}

const yoke_iterate_result *yk_iteration_result(const yk_iteration *it)
{
    return &it->result;
}
