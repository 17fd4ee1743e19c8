/* iter/window.c -- one window: guess, sweep until the iterates agree, accept.
 */
#include "iter/window.h"
#include "iter/policy.h"
#include "iter/stage.h"

#include <math.h>

/* What is done with each unit of a plan by itself. */
typedef struct passing {
    const yk_iteration *it;
    yk_plan_state *plan;
    double since; /* what the units have made is smooth from there on */
    double t1;
} passing;

static yoke_status accept_unit(void *context, int i, yoke_err *err);

static yoke_status each(yk_iteration *it, int p, yk_job job, passing *a,
                        yoke_err *err)
{
    const yk_stage all = { .count = it->plan[p].plan.units,
                           .job = job,
                           .context = a,
                           .share = YK_ITER_STAGE_WAVES,
                           .exchanges = job == accept_unit };

    return yk_stage_run(&it->plan[p], &all, err);
}

static yoke_status guess_unit(void *context, int i, yoke_err *err)
{
    const passing *a = context;
    yk_unit_state *s = &a->plan->unit[i];

    s->solved = s->moved = s->corrected = false;
    s->version++;
    s->unseen = 0.0;
    s->steps = 0;
    s->gain = s->gain_last = NAN;
    return yk_guess_make(&s->guess, &a->it->options, s->y, a->t1, err);
}

static yoke_status guess(yk_iteration *it, double t1, yoke_err *err)
{
    for (int p = 0; p < it->plans; p++)
        YK_TRY(each(it, p, guess_unit,
                    &(passing){ it, &it->plan[p], -INFINITY, t1 }, err));
    return YOKE_OK;
}

static yk_sweep_setup sweep_setup(const yk_iteration *it, double t1)
{
    return (yk_sweep_setup){
        .options = &it->options,
        .t0 = it->t,
        .t1 = t1,
        .loose = it->loose,
        .lenient = it->lenient,
        .final = it->acyclic,
        .halved = it->halved,
        .may_skip =
            it->options.skip && it->options.relax == 1.0 && it->plans == 1,
    };
}

/* Units that a sweep has solved, and left alone. */
typedef struct counted {
    int solved, skipped;
} counted;

static yoke_status sweep_all(yk_iteration *it, double t1, int *solved,
                             int *skipped, yoke_err *err)
{
    const yk_sweep_setup setup = sweep_setup(it, t1);

    for (int p = 0; p < it->plans; p++)
        YK_TRY(yk_sweep_run(&it->plan[p], &setup, solved, skipped, err));
    return yk_mix_plans(it, it->t, t1, err);
}

static bool is_again(const void *states, int unit)
{
    return yk_states_again(states, unit);
}

/* The units whose steps do not serve at the corrected values, once more. */
static yoke_status sweep_again(yk_iteration *it, double t1, int *solved,
                               yoke_err *err)
{
    const yk_sweep_setup setup = sweep_setup(it, t1);

    return yk_sweep_some(&it->plan[0], &setup, is_again, it->states, solved,
                         err);
}

/* One sweep, or the units `again` once more. */
static yoke_status do_sweep(yk_iteration *it, double t1, bool again,
                            counted *done, yoke_err *err)
{
    const yoke_status status =
        again ? sweep_again(it, t1, &done->solved, err)
              : sweep_all(it, t1, &done->solved, &done->skipped, err);

    it->result.sweeps++;
    it->result.solves += done->solved;
    it->result.skipped += done->skipped;
    it->result.work = it->result.path = 0.0;
    for (int p = 0; p < it->plans; p++) {
        it->result.work += it->plan[p].work;
        it->result.path += it->plan[p].path;
    }
    if (status == YOKE_STOPPED)
        yk_prefix(err, "stopped at t = %.9g on request", it->t);
    return status;
}

static yoke_status tell(yk_iteration *it, const yoke_sweep *row, yoke_err *err)
{
    return it->setup.sweep ? it->setup.sweep(it->setup.context, row, err)
                           : YOKE_OK;
}

static yoke_sweep make_row(const yk_iteration *it, double t1, int sweep,
                           int solved, double change)
{
    return (yoke_sweep){
        .window = it->window,
        .sweep = sweep,
        .t0 = it->t,
        .t1 = t1,
        .change = change,
        .rate = NAN,
        .solved = solved,
        .variables = it->setup.variables,
        .variable_change = it->change,
        .variable_name = it->setup.variable_name,
    };
}

/* Has a unit made its sweep to learn something? */
static bool any_trial(const yk_iteration *it)
{
    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const yk_propagator *unit = it->plan[p].unit[i].unit->propagator;
            if (unit->ops->trial && unit->ops->trial(unit->self)) return true;
        }
    return false;
}

/* Such a sweep says nothing about how far the iterates are. */
static yoke_status judge_trial(yk_iteration *it, double t1, int sweep,
                               const counted *done, yoke_sweep *row, int *worst,
                               yoke_err *err)
{
    double change = 0.0, late = 0.0;

    YK_TRY(yk_measure_change(it, t1, sweep, &change, &late, worst, err));
    (void)yk_measure_lag(it, sweep);
    *row = make_row(it, t1, sweep, done->solved, change);
    row->rate = it->converge.rate;
    row->estimate = NAN;
    return tell(it, row, err);
}

/* What a sweep has changed, its correction, and its row of the log. */
static yoke_status judge_sweep(yk_iteration *it, double t1, int sweep,
                               const counted *done, yoke_sweep *row, int *worst,
                               yoke_err *err)
{
    double change = 0.0, late = 0.0, correction = 0.0;
    bool corrected = false;

    if (any_trial(it)) return judge_trial(it, t1, sweep, done, row, worst, err);
    if (yk_engaged(it)) YK_TRY(yk_correct_apply(it->correct, &corrected, err));
    YK_TRY(yk_measure_change(it, t1, sweep, &change, &late, worst, err));
    const double lag = it->acyclic ? 0.0 : yk_measure_lag(it, sweep);
    if (corrected) YK_TRY(yk_measure_correction(it, &correction, err));
    yk_engage(it, corrected, late, correction);
    it->stuck = it->stuck || (corrected && change == 0.0 && correction > 0.0);
    it->swing[sweep % YK_SWING] = change;
    if (sweep <= YK_RECORDED_SWEEPS) {
        it->late[sweep - 1] = late;
        it->correction[sweep - 1] = correction;
    }
    it->converge.corrected = it->converge.corrected || corrected;
    it->converge.switched = it->converge.switched || it->switched;
    /* Where units had to be solved again something new has happened, and their
     * inputs have changed since. */
    if ((it->jumped || it->partial) && !it->acyclic)
        yk_converge_jump(&it->converge, late);
    else
        yk_converge_add(&it->converge, late,
                        it->acyclic || (change == 0.0 && !it->options.at_end));
    it->partial = false;
    *row = make_row(it, t1, sweep, done->solved, change);
    row->rate = it->converge.rate;
    row->estimate =
        yk_larger(yk_larger(it->converge.estimate, lag), correction);
    row->accepted = yk_stop_passes(it, row);
    return tell(it, row, err);
}

/* Work is counted, so that the same run has the same windows. */
static void note_pace(yk_iter_pace *pace, const yk_unit_state *s,
                      const yoke_work *done, double length)
{
    const yk_propagator *p = s->unit->propagator;
    const double steps = (double)(done->steps > 0 ? done->steps : 1);
    const double work = (double)(done->residuals + done->solves) / steps;
    const double step = p->ops->step ? p->ops->step(p->self) : 0.0;
    const bool anew = p->ops->anew && p->ops->anew(p->self);
    const double begin =
        anew && step > 0.0 ? fmax(0.0, (double)s->steps - length / step) : 0.0;
    pace->step = step > 0.0 ? step : length;
    pace->work = fmax(work, 1.0);
    pace->begin = begin;
    pace->crosses = false;
    if (!p->ops->front) return;
    pace->crossing = p->ops->front->price(p->self);
    pace->crosses = isfinite(pace->crossing);
}

static double price_of(const yk_unit *unit)
{
    return unit->relative > 0.0 ? unit->relative : 1.0;
}

/* Evaluations of a unit so far, with its price. */
static double evaluations_of(const yk_unit *unit)
{
    yoke_work done = { 0 };

    unit->propagator->ops->work(unit->propagator->self, &done);
    return price_of(unit) * (double)done.residuals;
}

/* A window begins, its first sweep has been made, or the rest of it: what it took
 * since the last of these instants.  Returns all evaluations so far. */
typedef enum instant { BEGUN, SWEPT, ENDED } instant;

static double note_evaluations(yk_iteration *it, instant which)
{
    double sum = 0.0;

    for (int i = 0; i < it->plan[0].plan.units; i++) {
        yk_iter_pace *const p = &it->pace[i];
        const double now = evaluations_of(it->plan[0].unit[i].unit);
        if (which == SWEPT) p->useful = now - p->counted;
        if (which == ENDED) p->in_vain = now - p->counted;
        p->counted = now;
        sum += now;
    }
    return sum;
}

/* The same for windows of one sweep. */
static void resize_settled(yk_iteration *it, double t0, double t1)
{
    const yk_plan_state *plan = &it->plan[0];
    yk_settled_window w = { .growth = it->growth,
                            .even = it->even,
                            .rough = it->row < YK_ITER_STATES_ROW,
                            .units = plan->plan.units,
                            .pace = it->pace };

    for (int i = 0; i < plan->plan.units; i++) {
        const yk_propagator *p = plan->unit[i].unit->propagator;
        const yk_tape_ops *tape = p->ops->tape;
        yoke_work done = { 0 };
        if (tape && tape->follows && tape->follows(p->self)) w.held = true;
        p->ops->work(p->self, &done);
        note_pace(&it->pace[i], &plan->unit[i], &done, t1 - t0);
        it->pace[i].crosses = it->pace[i].crosses && yk_cross_pays(it);
        it->pace[i].evaluations =
            (double)done.residuals / (double)(done.steps > 0 ? done.steps : 1);
        it->pace[i].work =
            price_of(plan->unit[i].unit) * it->pace[i].evaluations;
    }
    yk_resize_settled(&it->resize, t0, t1, &w);
}

/* The window is accepted: how long will the next one be? */
static void resize(yk_iteration *it, double t0, double t1)
{
    const double gain = it->acyclic ? 0.0 : yk_measure_gain(it);
    const double share = yk_stop_allowed(it, t1 - t0);
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
            yoke_work done = { 0 };
            s->unit->propagator->ops->work(s->unit->propagator->self, &done);
            note_pace(&it->pace[o.units++], s, &done, t1 - t0);
            const int order = yk_guess_order(&s->guess, &it->options);
            if (yk_any_late(s) && order < o.guess) o.guess = order;
        }
    yk_resize_accept(&it->resize, t0, t1, &o);
}

/* Adds a window; those before it count for less and less. */
static void add_work(yk_work_rate *rate, double keep, double work, double time)
{
    rate->work = keep * rate->work + work;
    rate->time = keep * rate->time + time;
}

/* Windows of many sweeps are as long as a model of their work wants them.  It knows
 * nothing of what sweeps cost that read far guesses, across events above all: if
 * windows of one sweep were much cheaper, shorter ones lead back to them. */
static void choose_length(yk_iteration *it, double t0, double t1)
{
    const bool settled = it->converge.sweeps == 0;

    if (!it->states || !it->resize.automatic) {
        resize(it, t0, t1);
        return;
    }
    it->row = settled ? it->row + 1 : 0;
    add_work(settled ? &it->cheap : &it->dear,
             settled ? YK_ITER_STATES_CHEAP : YK_ITER_STATES_DEAR,
             note_evaluations(it, ENDED) - it->begun, t1 - t0);
    if (settled || it->settles > 0.5) {
        resize_settled(it, t0, t1);
        return;
    }
    resize(it, t0, t1);
    if (it->dear.work * it->cheap.time >
        YK_ITER_STATES_DEARER * it->cheap.work * it->dear.time)
        yk_resize_limit(&it->resize, 0.5 * (t1 - t0));
}

/* Units that know how long a window should be: as long as few sweeps will do. */
static void limit_length(yk_iteration *it)
{
    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const yk_propagator *unit = it->plan[p].unit[i].unit->propagator;
            if (!unit->ops->reach || !it->resize.automatic) continue;
            const double length = unit->ops->reach(unit->self);
            if (it->converge.sweeps <= YK_ITER_REACH_SWEEPS)
                yk_resize_want(&it->resize, length);
            else
                yk_resize_limit(&it->resize, length);
        }
}

/* The waves of a unit change places: what one needed the others will need. */
static yoke_status make_room(yk_unit_state *s, yoke_err *err)
{
    yk_wave *const y[] = { s->y, s->old, s->accepted, s->made };
    yk_wave *const u[] = { s->u, s->u_last };
    int pieces = 0, inputs = 0;

    if (yk_wave_pieces(s->y) <= s->room[0] &&
        yk_wave_pieces(s->u_last) <= s->room[1])
        return YOKE_OK;
    for (int k = 0; k < 4; k++)
        if (yk_wave_pieces(y[k]) > pieces) pieces = yk_wave_pieces(y[k]);
    for (int k = 0; k < 2; k++)
        if (yk_wave_pieces(u[k]) > inputs) inputs = yk_wave_pieces(u[k]);
    for (int k = 0; k < 4; k++)
        YK_TRY(yk_wave_reserve(y[k], 2 * pieces, yk_wave_degree(s->y, 0), err));
    for (int k = 0; k < 2 && inputs > 0; k++)
        YK_TRY(yk_wave_reserve(u[k], 2 * inputs, yk_wave_degree(s->u_last, 0),
                               err));
    s->room[0] = 2 * pieces;
    s->room[1] = 2 * inputs;
    return YOKE_OK;
}

static const yk_wave *find_output(const void *context, int output,
                                  int *component)
{
    const yk_iteration *it = context;
    const int *at = &it->where[2 * output]; /* of plan 0 */

    *component = at[1];
    return it->plan[0].unit[at[0]].accepted;
}

/* Component c of a waveform where it ends. */
static double end_value(const yk_wave *w, int c)
{
    const int last = yk_wave_pieces(w) - 1, dim = yk_wave_dim(w);
    const double *coef = yk_wave_coef(w, last);
    double sum = 0.0;

    for (int k = 0; k <= yk_wave_degree(w, last); k++) sum += coef[k * dim + c];
    return sum;
}

/* Tells a unit its inputs at the end of the accepted window: it may have been
 * solved before the others were. */
static void tell_inputs(const yk_plan_state *plan, yk_unit_state *s)
{
    const yk_propagator *p = s->unit->propagator;

    if (!p->ops->arrive || p->m == 0) return;
    for (int k = 0; k < p->m; k++) s->u_end[k] = 0.0;
    for (int f = 0; f < s->unit->feeds; f++) {
        const yk_feed *feed = &s->unit->feed[f];
        if (feed->delayed) return;
        s->u_end[feed->to] +=
            feed->weight *
            end_value(plan->unit[feed->unit].accepted, feed->from);
    }
    p->ops->arrive(p->self, s->u_end);
}

/* Constraints move the ends of what they join. */
static yoke_status settle(yk_iteration *it, yoke_err *err)
{
    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            const yk_propagator *unit = it->plan[p].unit[i].unit->propagator;
            if (unit->ops->settle) YK_TRY(unit->ops->settle(unit->self, err));
        }
    return YOKE_OK;
}

static yoke_status accept_unit(void *context, int i, yoke_err *err)
{
    const passing *a = context;
    yk_unit_state *s = &a->plan->unit[i];
    const yk_propagator *p = s->unit->propagator;
    yk_wave *w = s->accepted;

    YK_TRY(make_room(s, err));
    if (!isnan(s->gain)) s->known_gain = s->gain;
    if (s->steps > 0) s->density = (double)s->steps / (a->t1 - a->it->t);
    YK_TRY(yk_guess_learn(&s->guess, &a->it->options, &a->it->rule, s->y,
                          s->late, a->since, err));
    YK_TRY(p->ops->accept(p->self, err));
    s->accepted = s->y;
    s->y = w;
    s->version++;
    return YOKE_OK;
}

static yoke_status accept(yk_iteration *it, double t1, const yoke_sweep *row,
                          yoke_err *err)
{
    const double t0 = it->t, at_break = yk_iter_breaks_last(it, t0, t1);
    const double since = fmax(at_break, yk_iter_breaks_jump(it));

    it->shown = false;
    YK_TRY(settle(it, err));
    yk_guess_weigh(&it->rule, t0, t1, it->plan[0].unit[0].guess.length);
    for (int p = 0; p < it->plans; p++)
        YK_TRY(each(it, p, accept_unit,
                    &(passing){ it, &it->plan[p], since, t1 }, err));
    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++)
            tell_inputs(&it->plan[p], &it->plan[p].unit[i]);
    YK_TRY(yk_delays_keep(it->setup.delays, find_output, it, err));
    yk_converge_accept(&it->converge);
    if (since == t1) yk_converge_surprise(&it->converge);
    yk_resize_break(&it->resize, at_break == t1);
    if (it->correct) yk_correct_accept(it->correct, it->converge.rate);
    it->insist -= it->insist > 0;
    it->halved = 0;
    it->result.windows++;
    if (isfinite(row->rate)) it->result.rate = fmax(it->result.rate, row->rate);
    it->result.estimate = yk_larger(it->result.estimate, row->estimate);
    if (!it->acyclic) /* else the change is only that of the guess */
        it->result.residual =
            fmax(it->result.residual, it->options.stop == YOKE_STOP_ERROR
                                          ? it->converge.change[0]
                                          : row->change);
    it->t = t1;
    choose_length(it, t0, t1);
    limit_length(it);
    return it->setup.accepted
               ? it->setup.accepted(it->setup.context, t0, t1, err)
               : YOKE_OK;
}

/* The window is to be repeated with this length, because the units of a loop that
 * amplifies had different steps; 0: it is not.  Where units start again each has first
 * steps of its own, which say nothing: the same window, once more, shows what a single
 * step is like. */
static double wanted_length(const yk_iteration *it, double t1,
                            const yk_settled *out)
{
    const bool begins = it->t == it->start || it->resize.after_break;

    if (!(out->shorter > 0.0) || !begins) return out->shorter;
    if (!it->resize.automatic) return 0.0;
    return it->even || it->shown ? out->shorter : t1 - it->t;
}

/* Corrects the units after a sweep, solves those again whose steps do not serve
 * at the corrected values, and so on.  *settled: the window is accepted.  If not
 * the iteration goes on after sweep *sweep. */
static yoke_status settle_window(yk_iteration *it, double t1, int *sweep,
                                 counted *done, bool *settled, yoke_err *err)
{
    const double allowed = fmax(yk_stop_allowed(it, t1 - it->t),
                                YK_ITER_STATES_SHARE * it->options.fraction);
    const int most = it->options.max_sweeps < YK_ITER_STATES_SWEEPS
                         ? it->options.max_sweeps
                         : YK_ITER_STATES_SWEEPS;
    yk_settled out;

    *settled = false;
    note_evaluations(it, SWEPT);
    for (;; ++*sweep) {
        double change = 0.0, late = 0.0;
        int worst = -1;
        YK_TRY(yk_states_settle(it->states, it->t, t1, allowed, &out, err));
        if (!out.possible) break;
        it->shorter = wanted_length(it, t1, &out);
        it->even = out.even;
        if (it->shorter > 0.0 && !it->resize.automatic) break;
        if (it->shorter > 0.0) it->shown = it->shorter == t1 - it->t;
        if (it->shorter > 0.0)
            return yk_fail(err, YOKE_RETRY,
                           "the coupling amplifies errors, and the units need "
                           "steps of different lengths, so that no correction "
                           "fits both: solve them as one (cluster: auto)");
        YK_TRY(yk_measure_change(it, t1, *sweep, &change, &late, &worst, err));
        yoke_sweep row = make_row(it, t1, *sweep, done->solved, change);
        row.estimate = out.left;
        row.accepted = out.again == 0 && out.left <= allowed;
        YK_TRY(tell(it, &row, err));
        *settled = row.accepted;
        if (*settled) {
            YK_TRY(yk_states_growth(it->states, &it->growth, err));
            return accept(it, t1, &row, err);
        }
        if (*sweep >= most) break;
        *done = (counted){ 0 };
        it->lenient = it->even && it->resize.automatic;
        const yoke_status swept = do_sweep(it, t1, true, done, err);
        it->lenient = false;
        it->partial = true;
        YK_TRY(swept);
    }
    return YOKE_OK;
}

/* The first sweep of a window, and what follows if one is enough. */
static yoke_status begin_window(yk_iteration *it, double t1, int *sweep,
                                counted *done, bool *settled, yoke_err *err)
{
    *settled = false;
    it->loose_before = 1.0;
    it->loose = INFINITY;
    it->loose =
        it->states || it->options.max_sweeps == 1 ? 1.0 : yk_looseness(it);
    it->begun = it->states ? note_evaluations(it, BEGUN) : 0.0;
    it->lenient = it->states && it->even && it->resize.automatic;
    const yoke_status swept = do_sweep(it, t1, false, done, err);
    it->lenient = false;
    if (swept != YOKE_OK) return swept;
    if (!it->states) return YOKE_OK;
    const yoke_status status = settle_window(it, t1, sweep, done, settled, err);
    if (*sweep == 1 && it->even) it->loose = YK_ITER_STATES_LENIENT;
    it->settles += YK_ITER_STATES_SMOOTH * (*settled - it->settles);
    return status;
}

yoke_status yk_window_try(yk_iteration *it, double t1, yoke_err *err)
{
    yoke_sweep row;
    counted done = { 0 };
    int worst = -1, k = 1, most = it->options.max_sweeps;
    bool settled = false;

    it->shorter = 0.0;
    it->partial = it->stuck = false;
    YK_TRY(yk_delays_read(it->setup.delays, it->t, t1, err));
    YK_TRY(guess(it, t1, err));
    yk_converge_begin(&it->converge, t1 - it->t);
    if (it->correct) yk_correct_begin(it->correct, it->t, t1);
    YK_TRY(begin_window(it, t1, &k, &done, &settled, err));
    if (settled) return YOKE_OK;
    for (;;) {
        YK_TRY(judge_sweep(it, t1, k, &done, &row, &worst, err));
        if (row.accepted) return accept(it, t1, &row, err);
        most += any_trial(it); /* they are not counted */
        if (yk_stop_diverges(it) || ++k > most) break;
        it->loose_before = it->loose;
        it->loose = k < most ? yk_looseness(it) : 1.0;
        done = (counted){ 0 };
        YK_TRY(do_sweep(it, t1, false, &done, err));
    }
    return yk_stop_failure(it, &row, worst, err);
}
