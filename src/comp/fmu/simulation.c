/* comp/fmu/simulation.c -- co-simulation FMUs as engines.
 *
 * How a window is divided into steps is in steps.c.  Whether the FMU can go back
 * is not believed but tried, in a copy of the process: save, step, restore, step
 * must give the same bits.
 */
#define _GNU_SOURCE
#include "comp/fmu/simulation.h"

#include "comp/closed/subsystem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds that a probe may take in its copy. */
enum { PATIENCE = 60 };

/* Signals of the states and their derivatives, where the structure has them. */
static yoke_status find_states(yk_fmu_simulation *s, yoke_err *err)
{
    const yk_fmu_description *d = s->e.description;
    const char **x = NULL, **slope = NULL;
    int bad = -1;
    yoke_status status;

    YK_GO(YK_NEW(&x, d->derivatives + 1, err));
    YK_GO(YK_NEW(&slope, d->derivatives + 1, err));
    for (int i = 0; i < d->derivatives; i++) {
        const yk_fmu_variable *v = &d->variable[d->derivative[i].variable];

        slope[i] = v->name;
        x[i] = d->variable[v->state].name;
    }
    YK_GO(yk_fmu_choose(d, d->derivatives, x, &s->states, &bad, err));
    YK_GO(yk_fmu_choose(d, d->derivatives, slope, &s->slopes, &bad, err));
    YK_GO(yk_doubles(&s->x, 3 * (size_t)s->states.count + 1, err));
done:
    YK_FREE(x, slope);
    return status;
}

/* ---- going back -------------------------------------------------------- */

typedef struct trial {
    yk_fmu_simulation *s;
    double t1;
    const yk_wave *u;
    yk_wave *y;
} trial;

/* In a copy of the process, so nothing that happens here is seen. */
static int repeats_itself(void *context)
{
    const trial *try = context;
    yk_fmu_simulation *s = try->s;
    yk_wave *first = NULL;
    void *state = NULL;
    bool same = false;

    if (yk_wave_create(&first, s->e.output.count, NULL) == YOKE_OK &&
        yk_fmu_save(s->e.instance, &state, NULL) == YOKE_OK &&
        yk_fmu_run_steps(s, try->t1, try->u, first, NULL) == YOKE_OK &&
        yk_fmu_restore(s->e.instance, state, NULL) == YOKE_OK &&
        yk_fmu_run_steps(s, try->t1, try->u, try->y, NULL) == YOKE_OK)
        same = yk_wave_equal(first, try->y);
    return same;
}

static void try_state(yk_fmu_simulation *s, double t1, const yk_wave *u,
                      yk_wave *y)
{
    trial try = { s, t1, u, y };

    s->tried = true;
    if (!yk_fmu_can_copy()) return;
    s->goes_back = yk_fmu_ask_copy(repeats_itself, &try, PATIENCE);
}

/* ---- the propagator ---------------------------------------------------- */

static yoke_status simulation_start(void *self, double t0, const double *x0,
                                    const double *u0, double *y0, yoke_err *err)
{
    yk_fmu_simulation *s = self;
    yk_fmu_event happened = { .again = true };

    (void)x0;
    YK_TRY(yk_fmu_enter(s->e.instance, s->e.tolerance, t0, s->e.stop, err));
    YK_TRY(yk_fmu_set(s->e.instance, s->e.input.count, s->e.input.signal, u0,
                      err));
    yk_fmu_try_direct(s, u0);
    YK_TRY(yk_fmu_leave(s->e.instance, err));
    s->next_event = INFINITY;
    if (s->e.description->simulation.event_mode) {
        while (happened.again)
            YK_TRY(yk_fmu_update(s->e.instance, &happened, err));
        s->next_event = happened.next;
        YK_TRY(yk_fmu_time_mode(s->e.instance, err));
    }
    YK_TRY(yk_fmu_get(s->e.instance, s->e.output.count, s->e.output.signal,
                      s->y, err));
    memcpy(y0, s->y, (size_t)s->e.output.count * sizeof *y0);
    for (int k = 0; k < s->held.count; k++) s->events[k] = u0[s->held.at[k]];
    memcpy(s->u, u0, (size_t)s->e.input.count * sizeof *s->u);
    s->t = s->t1 = s->at = t0;
    return YOKE_OK;
}

/* ---- a saved state ------------------------------------------------------- */

/* Outputs, and states where it tells them, as they are now. */
static yoke_status look(yk_fmu_simulation *s, double *out, yoke_err *err)
{
    const int p = s->e.output.count, n = s->states.count;

    YK_TRY(yk_fmu_get(s->e.instance, p, s->e.output.signal, out, err));
    if (n > 0 && yk_fmu_get(s->e.instance, n, s->states.signal, out + p,
                            NULL) != YOKE_OK)
        memset(out + p, 0, (size_t)n * sizeof *out);
    return YOKE_OK;
}

static yoke_status distrust(const yk_fmu_simulation *s, const char *what,
                            yoke_err *err)
{
    return yk_fail(err, YOKE_E_CALLBACK,
                   "the FMU %s at t = %.9g, although it did at the start: "
                   "the state that it saves is not all of it, and what was "
                   "computed so far may be wrong; with `replay: true` it is "
                   "not asked for its state",
                   what, s->t);
}

static yoke_status save(yk_fmu_simulation *s, yoke_err *err)
{
    YK_TRY(yk_fmu_save(s->e.instance, &s->state, err));
    return look(s, s->kept, err);
}

/* What can be seen of the state must be what it was, in every bit. */
static yoke_status restore(yk_fmu_simulation *s, yoke_err *err)
{
    const size_t seen = (size_t)(s->e.output.count + s->states.count);

    YK_TRY(yk_fmu_restore(s->e.instance, s->state, err));
    YK_TRY(look(s, s->kept + seen, err));
    if (memcmp(s->kept, s->kept + seen, seen * sizeof *s->kept) == 0)
        return YOKE_OK;
    return distrust(s, "does not come back to what it saved", err);
}

static yoke_status sweep_again(yk_fmu_simulation *s, double t1,
                               const yk_wave *u, const yk_wave *y,
                               yoke_err *err)
{
    YK_TRY(restore(s, err));
    memcpy(s->held.value, s->events, (size_t)s->held.count * sizeof *s->events);
    YK_TRY(yk_fmu_run_steps(s, t1, u, s->second, err));
    if (yk_wave_equal(s->second, y)) return YOKE_OK;
    return distrust(s, "does not repeat its steps from a state that it saved",
                    err);
}

/* Outputs stay as they are until the next step or input. */
static yoke_status read_twice(yk_fmu_simulation *s, yoke_err *err)
{
    const int p = s->e.output.count;
    double *const first = s->scout, *const second = first + p;

    YK_TRY(yk_fmu_get(s->e.instance, p, s->e.output.signal, first, err));
    YK_TRY(yk_fmu_get(s->e.instance, p, s->e.output.signal, second, err));
    for (int c = 0; c < p; c++)
        if (memcmp(&first[c], &second[c], sizeof *first) != 0)
            return yk_fail(err, YOKE_E_CALLBACK,
                           "output \"%.100s\" of the FMU is %.17g and then "
                           "%.17g, without a step between: it cannot be "
                           "iterated; `outputs` may leave it out",
                           s->e.output.name[c], first[c], second[c]);
    return YOKE_OK;
}

static yoke_status simulation_sweep(void *self, double t1, const yk_wave *u,
                                    yk_wave *y, yoke_err *err)
{
    yk_fmu_simulation *s = self;
    /* Now and then it is looked at more closely. */
    const bool due = s->windows == 0 || yk_part_is_due(s->windows);
    const bool twice = s->goes_back && s->fresh && due && s->windows > 0;

    s->work.sweeps++;
    s->fresh = false;
    if (s->goes_back) YK_TRY(s->state ? restore(s, err) : save(s, err));
    memcpy(s->held.value, s->events, (size_t)s->held.count * sizeof *s->events);
    YK_TRY(yk_fmu_run_steps(s, t1, u, y, err));
    if (due) YK_TRY(read_twice(s, err));
    if (due) YK_TRY(yk_fmu_check_idle(s, t1, err));
    return twice ? sweep_again(s, t1, u, y, err) : YOKE_OK;
}

static yoke_status simulation_accept(void *self, yoke_err *err)
{
    yk_fmu_simulation *s = self;

    s->t = s->t1;
    s->at = s->at1;
    s->next_event = s->next;
    memcpy(s->u, s->u1, (size_t)s->e.input.count * sizeof *s->u);
    memcpy(s->y, s->y_end, (size_t)s->e.output.count * sizeof *s->y);
    memcpy(s->events, s->held.value, (size_t)s->held.count * sizeof *s->events);
    s->fresh = true;
    s->windows++;
    return s->goes_back ? save(s, err) : YOKE_OK;
}

static int simulation_instants(void *self, const double **t)
{
    const yk_fmu_simulation *s = self;

    *t = s->trace.breaks;
    return s->trace.broken;
}

static double simulation_step(void *self)
{
    const yk_fmu_simulation *s = self;

    return s->e.step > 0.0 ? s->e.step : (s->t1 - s->t) / s->steps;
}

static void simulation_work(void *self, yoke_work *work)
{
    const yk_fmu_simulation *s = self;

    *work = s->work;
}

static void simulation_free(void *self)
{
    yk_fmu_simulation *s = self;

    if (!s) return;
    if (s->e.instance) yk_fmu_forget(s->e.instance, &s->state);
    yk_fmu_scout_clear(s);
    yk_fmu_engine_close(&s->e);
    yk_fmu_some_clear(&s->smooth);
    yk_fmu_some_clear(&s->held);
    yk_fmu_some_clear(&s->sloped);
    yk_trace_clear(&s->trace);
    yk_wave_free(s->second);
    YK_FREE(s->y, s->y_end, s->kept, s->events, s->now, s->u, s->u1, s->mean,
            s->first, s->scratch, s->slope, s->x, s);
}

static const yk_propagator_ops simulation_ops = {
    .kind = "co-simulation FMU",
    .start = simulation_start,
    .sweep = simulation_sweep,
    .accept = simulation_accept,
    .instants = simulation_instants,
    .step = simulation_step,
    .work = simulation_work,
    .free = simulation_free,
};

static void divide(void *self, int steps)
{
    yk_fmu_simulation *s = self;

    s->steps = steps > 0 ? steps : 1;
}

static void look_for_jumps(void *self, double from, double to)
{
    yk_fmu_simulation *s = self;

    s->look_from = from;
    s->look_to = to;
}

static void mark(void *self, int marks, const double *at)
{
    yk_fmu_simulation *s = self;

    s->marks = marks;
    s->mark = at;
}

static bool back(void *self, double t1, const yk_wave *u, yk_wave *y)
{
    yk_fmu_simulation *s = self;

    if (!s->e.replay) yk_fmu_try_steps(s, t1, u);
    if (!s->tried && s->e.description->simulation.state && !s->e.replay)
        try_state(s, t1, u, y);
    return s->goes_back;
}

static yoke_status make_scratch(yk_fmu_simulation *s, yoke_err *err)
{
    const size_t m = (size_t)s->e.input.count + 1;
    const size_t p = (size_t)s->e.output.count + 1;
    const yk_fmu_description *d = s->e.description;
    /* With a held input slopes are those of the held value, which FMI 3 lets us
     * replace by the value at the end of the step, and FMI 2 does not. */
    const bool slopes =
        d->simulation.slopes > 0 && (d->version == 3 || s->e.input.count == 0);

    YK_TRY(YK_DOUBLES(m, err, &s->mean, &s->first, &s->scratch, &s->slope));
    YK_TRY(YK_DOUBLES(m, err, &s->events, &s->u, &s->u1, &s->now));
    YK_TRY(YK_DOUBLES(p, err, &s->y, &s->y_end));
    YK_TRY(yk_fmu_some_choose(d, &s->e.input, false, false, &s->smooth, err));
    YK_TRY(yk_fmu_some_choose(d, &s->e.input, true, false, &s->held, err));
    if (slopes)
        YK_TRY(
            yk_fmu_some_choose(d, &s->e.output, false, true, &s->sloped, err));
    return yk_trace_create(&s->trace, s->e.output.count, err);
}

yoke_status yk_fmu_make_simulation(const yk_part_spec *spec,
                                   yk_part_engine *out, yoke_err *err)
{
    yk_fmu_simulation *s = NULL;
    yoke_status status;

    YK_TRY(YK_NEW(&s, 1, err));
    s->steps = 1;
    s->look_from = s->look_to = NAN;
    s->span = yk_closed_number(spec, "span", 0.0);
    YK_GO(yk_fmu_engine_open(&s->e, spec, false, err));
    YK_GO(make_scratch(s, err));
    YK_GO(find_states(s, err));
    YK_GO(yk_fmu_scout_create(s, err));
    YK_GO(yk_wave_create(&s->second, spec->p, err));
    YK_GO(
        yk_doubles(&s->kept, 2 * (size_t)(spec->p + s->states.count) + 1, err));
    *out = (yk_part_engine){
        .propagator = { .ops = &simulation_ops,
                        .self = s,
                        .m = spec->m,
                        .p = spec->p },
        .goes_back = back,
        .divide = s->e.step > 0.0 ? NULL : divide,
        .look = look_for_jumps,
        .mark = mark,
    };
    return YOKE_OK;
done:
    simulation_free(s);
    return status;
}
