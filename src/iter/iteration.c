/* iter/iteration.c -- the iteration from the start to the end: windows, and
 * shorter ones where one fails.
 */
#include "graph/levels.h"
#include "iter/policy.h"
#include "iter/window.h"

#include <math.h>
#include <string.h>

/* ---- life and death ----------------------------------------------------- */

static void unit_clear(yk_unit_state *s)
{
    yk_wave_free(s->y);
    yk_wave_free(s->old);
    yk_wave_free(s->u);
    yk_wave_free(s->u_last);
    YK_FREE(s->u_end, s->size, s->change);
    yk_wave_free(s->accepted);
    yk_wave_free(s->made);
    for (int k = 0; k < 2; k++) yk_wave_free(s->part[k]);
    YK_FREE(s->term, s->seen, s->late, s->read);
    yk_guess_free(&s->guess);
}

static void plan_clear(yk_plan_state *p)
{
    for (int i = 0; p->unit && i < p->plan.units; i++) unit_clear(&p->unit[i]);
    yoke_schedule_free(p->levels);
    YK_FREE(p->unit, p->job, p->stage, p->price, p->alone, p->away);
}

void yk_iteration_free(yk_iteration *it)
{
    if (!it) return;
    yk_correct_free(it->correct);
    yk_states_free(it->states);
    for (int i = 0; it->mix && i < it->plan[0].plan.units; i++)
        yk_wave_free(it->mix[i]);
    for (int p = 0; it->plan && p < it->plans; p++) plan_clear(&it->plan[p]);
    YK_FREE(it->mix, it->mix_term, it->plan, it->where, it->pace, it->variable,
            it->variable_at, it->relative, it->most, it->change, it->distance,
            it->size, it->between, it);
}

static yoke_status unit_create(yk_unit_state *s, const yk_unit *unit,
                               yoke_err *err)
{
    const int m = unit->propagator->m, p = unit->propagator->p;

    s->unit = unit;
    s->effort = YK_ITER_FIRST_RESIDUALS * unit->price + unit->exchange;
    YK_TRY(yk_wave_create(&s->y, p, err));
    YK_TRY(yk_wave_create(&s->old, p, err));
    YK_TRY(yk_wave_create(&s->accepted, p, err));
    YK_TRY(yk_wave_create(&s->made, p, err));
    for (int k = 0; k < 2; k++) YK_TRY(yk_wave_create(&s->part[k], p, err));
    YK_TRY(yk_wave_create(&s->u, m, err));
    YK_TRY(yk_wave_create(&s->u_last, m, err));
    YK_TRY(yk_doubles(&s->u_end, (size_t)m + 1, err));
    YK_TRY(YK_DOUBLES((size_t)p + 1, err, &s->size, &s->change));
    YK_TRY(YK_NEW(&s->seen, unit->feeds, err));
    YK_TRY(YK_NEW(&s->late, p, err));
    YK_TRY(YK_NEW(&s->read, p, err));
    YK_TRY(yk_guess_create(&s->guess, p, err));
    return YK_NEW(&s->term, unit->feeds, err);
}

/* Units that do not read each other run at once; a constraint that stays apart
 * asks others. */
static yoke_status find_levels(yk_plan_state *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_level_links links = { 0 };
    bool *barrier = NULL;
    size_t feeds = 0;

    for (int i = 0; i < p->plan.units; i++)
        feeds += (size_t)p->plan.unit[i].feeds;
    YK_GO(YK_NEW(&links.link, feeds, err));
    YK_GO(YK_NEW(&barrier, p->plan.units, err));
    for (int i = 0; i < p->plan.units; i++) {
        const yk_unit *unit = &p->plan.unit[i];
        barrier[i] = unit->propagator->ops->settle != NULL;
        for (int k = 0; k < unit->feeds; k++) {
            if (unit->feed[k].delayed) continue;
            links.link[links.count][0] = unit->feed[k].unit;
            links.link[links.count++][1] = i;
        }
    }
    links.barrier = barrier;
    YK_GO(yk_schedule_levels(&p->levels, p->plan.schedule, &links, err));
    if (p->levels) p->plan.schedule = p->levels;
done:
    YK_FREE(links.link, barrier);
    return status;
}

static yoke_status plan_create(yk_iteration *it, int index, int *most_outputs,
                               yoke_err *err)
{
    yk_plan_state *p = &it->plan[index];
    const yoke_schedule *s = it->setup.plan[index].schedule;

    p->plan = it->setup.plan[index];
    YK_TRY(find_levels(p, err));
    YK_TRY(YK_NEW(&p->unit, p->plan.units, err));
    YK_TRY(yk_ints(&p->job, (size_t)s->stage[s->stages], err));
    YK_TRY(yk_ints(&p->stage, (size_t)p->plan.units, err));
    YK_TRY(yk_doubles(&p->price, (size_t)p->plan.units, err));
    YK_TRY(YK_NEW(&p->alone, p->plan.units, err));
    YK_TRY(YK_NEW(&p->away, p->plan.units, err));
    p->executor = &it->setup.executor;
    p->gate = it->setup.gate;
    for (int i = 0; i < p->plan.units; i++) {
        const yk_unit *unit = &p->plan.unit[i];
        YK_TRY(unit_create(&p->unit[i], unit, err));
        if (unit->propagator->ops->settle) p->asked = true;
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
        YK_TRY(yk_wave_create(&it->mix[i], first->unit[i].propagator->p, err));
    return YOKE_OK;
}

/* Multipliers of constraints that stay apart contract by themselves. */
static bool any_constraint(const yk_iteration *it)
{
    for (int i = 0; i < it->plan[0].plan.units; i++)
        if (it->plan[0].unit[i].unit->propagator->ops->settle) return true;
    return false;
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
    YK_TRY(YK_DOUBLES((size_t)s->variables, err, &it->change, &it->relative,
                      &it->most));
    YK_TRY(
        YK_DOUBLES((size_t)most, err, &it->distance, &it->size, &it->between));
    YK_TRY(mix_create(it, most, err));
    YK_TRY(YK_NEW(&it->pace, units, err));
    if (!accelerated(it)) return YOKE_OK;
    /* Sweeps with multipliers contract well by themselves. */
    if (it->options.accelerate != YOKE_ACCELERATE_AUTO || !any_constraint(it))
        YK_TRY(
            yk_correct_create(&it->correct, &it->plan[0], &it->options, err));
    yk_correct_names(it->correct, s, it->variable_at);
    if (it->options.accelerate != YOKE_ACCELERATE_AUTO) return YOKE_OK;
    return yk_states_create(&it->states, &it->plan[0], s, err);
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
            const yk_propagator *unit = it->plan[p].unit[i].unit->propagator;
            const double step =
                unit->ops->step ? unit->ops->step(unit->self) : 0.0;
            /* A unit that knows its window begins with no shorter one. */
            if (unit->ops->reach && step > 0.0) return step;
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
    yk_resize_grain(&it->resize, it->setup.grain);
    it->window = 0;
    it->settles = 1.0;
    it->row = YK_ITER_STATES_ROW;
    memset(&it->result, 0, sizeof it->result);
    yk_converge_reset(&it->converge);
    for (int p = 0; p < it->plans; p++)
        for (int i = 0; i < it->plan[p].plan.units; i++) {
            yk_wave *w = it->plan[p].unit[i].accepted;
            it->plan[p].unit[i].known_gain = NAN;
            YK_TRY(yk_guess_start(&it->plan[p].unit[i].guess, t0,
                                  it->resize.length, y0[p][i], err));
            yk_wave_clear(w, t0 - it->resize.length);
            YK_TRY(yk_wave_append_constant(w, t0, y0[p][i], err));
        }
    return YOKE_OK;
}

/* ---- windows to the end ------------------------------------------------- */

static yoke_status shorten(yk_iteration *it, double t1, yoke_status status,
                           yoke_err *err)
{
    const bool allowed = status == YOKE_RETRY || it->resize.automatic ||
                         it->options.limit == YOKE_LIMIT_SHORTEN;

    if (allowed && yk_stop_hopeless(it)) {
        yk_suffix(
            err, " (%d of %d windows had to be repeated with half the length)",
            it->result.rejected, it->result.rejected + it->result.windows);
        return YOKE_NOT_CONVERGED;
    }
    if (allowed && yk_resize_reject(&it->resize, it->t, t1)) {
        it->result.rejected++;
        it->halved++;
        return YOKE_OK;
    }
    if (allowed) /* a part that fails gets no farther in shorter windows */
        yk_suffix(err, " (windows were halved down to %.3g%s)", t1 - it->t,
                  status == YOKE_NOT_CONVERGED
                      ? "; the option min_window permits shorter ones"
                      : "");
    return status;
}

void yk_iteration_execute(yk_iteration *it, yk_executor executor)
{
    it->setup.executor = executor;
}

yoke_status yk_iteration_advance(yk_iteration *it, double end, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" }; /* a repeated window is not a failure */
    yoke_err longer = why; /* why longer ones from there were given up */

    while (it->t < end) {
        const double t0 = it->t;
        const double known = t0 + yk_delays_least(it->setup.delays);
        YK_TRY(yk_cross_permit(it, end, err));
        const double stop = fmin(yk_iter_breaks_next(it, t0), known);
        const double t1 =
            yk_resize_end(&it->resize, t0, end, fmin(stop, yk_cross_head(it)));
        it->window = it->result.windows + 1;
        yoke_status status = yk_window_try(it, t1, &why);
        if (status == YOKE_RETRY && it->resize.automatic &&
            it->shorter >= it->resize.least) {
            it->resize.length = it->shorter;
            continue;
        }
        if (status == YOKE_NOT_CONVERGED) longer = why;
        if (it->t > t0) longer.text[0] = '\0';
        if (status == YOKE_RETRY || status == YOKE_NOT_CONVERGED)
            status = shorten(it, t1, status, &why);
        if (status == YOKE_OK && it->t > t0 && it->t < end &&
            it->setup.between && it->setup.between(it->setup.context))
            return YOKE_OK;
        if (status == YOKE_OK) continue;
        /* A part that comes no farther may do so for what the loop gives it. */
        if (status == YOKE_E_MODEL && longer.text[0])
            yk_suffix(&why, "; longer windows from there were given up: %s",
                      longer.text);
        if (status != YOKE_STOPPED)
            yk_prefix(&why, "window %d, [%.9g, %.9g]", it->window, t0, t1);
        if (err) *err = why;
        return status;
    }
    return YOKE_OK;
}

const yk_wave *yk_iteration_wave(const yk_iteration *it, int plan, int unit)
{
    return it->plan[plan].unit[unit].accepted;
}

const yk_wave *yk_iteration_iterate(const yk_iteration *it, int plan, int unit)
{
    return it->plan[plan].unit[unit].y;
}

const yk_wave *yk_iteration_before(const yk_iteration *it, int plan, int unit)
{
    const yk_unit_state *s = &it->plan[plan].unit[unit];

    return s->moved ? s->old : s->y;
}

bool yk_iteration_settles(const yk_iteration *it)
{
    return it->states && it->settles > 0.5;
}

double yk_iteration_time(const yk_iteration *it)
{
    return it->t;
}

const yoke_iterate_result *yk_iteration_result(const yk_iteration *it)
{
    return &it->result;
}
