/* comp/fmu/exchange.c -- model exchange FMUs, with a stepper of ours.
 *
 * x' = f(t, x, u) and y = h(t, x, u) come from the FMU.  Its event indicators z
 * switch at zero in both directions; here an indicator must rise to zero, so
 * with s the sign of z after the last event
 *
 *     g = - s z,
 *
 * which is below zero as long as what the FMU holds belongs to the solution.
 * Time events are breakpoints.  Inputs that change at events only are held: that
 * one of them is another than the held one is an event too.  Discrete states live
 * inside the FMU and go forward only, so the engine goes back by itself only
 * where there are none.
 */
#define _GNU_SOURCE
#include "comp/fmu/exchange.h"
#include "comp/fmu/copy.h"
#include "step/steppers.h"
#include "yoke/event.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the FMU as a system ----------------------------------------------- */

yoke_status yk_fmu_exchange_point(yk_fmu_exchange *s, double t, const double *x,
                                  const double *u, yoke_err *err)
{
    const yk_fmu_some *smooth = &s->smooth;

    YK_TRY(yk_fmu_set_point(s->e.instance, t, s->n, x, err));
    for (int k = 0; k < smooth->count; k++) smooth->value[k] = u[smooth->at[k]];
    return yk_fmu_set(s->e.instance, smooth->count, smooth->signal,
                      smooth->value, err);
}

static yoke_status exchange_rhs(void *self, double t, const double *x,
                                const double *u, double *xdot, yoke_err *err)
{
    yk_fmu_exchange *s = self;

    YK_TRY(yk_fmu_exchange_point(s, t, x, u, err));
    return yk_fmu_slopes(s->e.instance, s->n, xdot, err);
}

static yoke_status exchange_output(void *self, double t, const double *x,
                                   const double *u, double *y, yoke_err *err)
{
    yk_fmu_exchange *s = self;

    YK_TRY(yk_fmu_exchange_point(s, t, x, u, err));
    return yk_fmu_get(s->e.instance, s->e.output.count, s->e.output.signal, y,
                      err);
}

static double exchange_next_break(void *self, double t)
{
    const yk_fmu_exchange *s = self;

    return s->next > t ? s->next : INFINITY;
}

/* The value that held input k is given for u: a whole number, if it is one. */
static double held_value(const yk_fmu_exchange *s, int k, const double *u)
{
    const yk_fmu_variable *v =
        &s->e.description->variable[s->held.signal[k].variable];
    const double value = u[s->held.at[k]];

    if (v->type == YK_FMU_FLOAT64 || v->type == YK_FMU_FLOAT32) return value;
    if (v->type == YK_FMU_BOOLEAN) return value > 0.5;
    return nearbyint(value);
}

static yoke_status give_held(yk_fmu_exchange *s, const double *u, yoke_err *err)
{
    for (int k = 0; k < s->held.count; k++)
        s->held.value[k] = held_value(s, k, u);
    return yk_fmu_set(s->e.instance, s->held.count, s->held.signal,
                      s->held.value, err);
}

static yoke_status exchange_indicate(void *self, double t, const double *x,
                                     const double *u, double *g, yoke_err *err)
{
    yk_fmu_exchange *s = self;
    const int count = s->e.description->indicators;

    YK_TRY(yk_fmu_exchange_point(s, t, x, u, err));
    YK_TRY(yk_fmu_indicate(s->e.instance, count, s->z, err));
    for (int k = 0; k < count; k++) {
        g[k] = -s->sign[k] * s->z[k];
        /* z = 0 belongs to the negative side. */
        if (s->sign[k] < 0.0 && s->z[k] == 0.0) g[k] = -DBL_MIN;
    }
    g[count] = t >= s->next ? 1.0 : -1.0;
    if (s->held.count > 0) g[count + 1] = -1.0;
    for (int k = 0; k < s->held.count; k++)
        if (held_value(s, k, u) != s->held.value[k]) g[count + 1] = 1.0;
    return YOKE_OK;
}

/* Event iteration at the point that is set; new states, signs, next time.  A
 * next event that is due already is one more of them. */
static yoke_status iterate_events(yk_fmu_exchange *s, double t, yoke_err *err)
{
    yk_fmu_event event = { .again = true };

    for (int k = 0; event.again || event.next <= t; k++) {
        if (k > 1000 && !event.again)
            return yk_fail(err, YOKE_E_NUMERIC,
                           "the events of the FMU do not come to an end: at t "
                           "= %.9g it wants the next one at %.9g",
                           t, event.next);
        if (k > 1000)
            return yk_fail(err, YOKE_E_NUMERIC,
                           "the events of the FMU do not come to an end");
        YK_TRY(yk_fmu_update(s->e.instance, &event, err));
    }
    s->next = event.next;
    YK_TRY(yk_fmu_time_mode(s->e.instance, err));
    YK_TRY(yk_fmu_get_states(s->e.instance, s->n, s->x, err));
    const int count = s->e.description->indicators;
    YK_TRY(yk_fmu_indicate(s->e.instance, count, s->z, err));
    for (int k = 0; k < count; k++) s->sign[k] = s->z[k] > 0.0 ? 1.0 : -1.0;
    return YOKE_OK;
}

static yoke_status exchange_apply(void *self, double t, const double *x,
                                  const double *u, const bool *happened,
                                  double *x_new, yoke_err *err)
{
    yk_fmu_exchange *s = self;

    (void)happened;
    YK_TRY(yk_fmu_exchange_point(s, t, x, u, err));
    YK_TRY(yk_fmu_event_mode(s->e.instance, err));
    YK_TRY(give_held(s, u, err));
    YK_TRY(iterate_events(s, t, err));
    memcpy(x_new, s->x, (size_t)s->n * sizeof *x_new);
    return YOKE_OK;
}

static void exchange_about(void *self, int k, yoke_event_about *out)
{
    (void)self, (void)k;
    out->level = true;
}

/* After a step: the FMU is told, and may want an event. */
static yoke_status exchange_step(void *self, double t, double *x,
                                 double missed[2], yoke_err *err)
{
    yk_fmu_exchange *s = self;
    bool event = false;

    (void)missed;
    YK_TRY(yk_fmu_set_point(s->e.instance, t, s->n, x, err));
    YK_TRY(yk_fmu_completed(s->e.instance, &event, err));
    if (!event) return YOKE_OK;
    YK_TRY(yk_fmu_event_mode(s->e.instance, err));
    YK_TRY(iterate_events(s, t, err));
    memcpy(x, s->x, (size_t)s->n * sizeof *x);
    return YOKE_OK;
}

static const yoke_system_ops system_ops = { .kind = "model exchange FMU",
                                            .rhs = exchange_rhs,
                                            .output = exchange_output,
                                            .next_break = exchange_next_break };
/* The same with derivatives that the FMU tells. */
static const yoke_system_ops told_ops = { .kind = "model exchange FMU",
                                          .rhs = exchange_rhs,
                                          .output = exchange_output,
                                          .jacobian = yk_fmu_exchange_jacobian,
                                          .next_break = exchange_next_break };
static const yoke_event_ops event_ops = { .indicate = exchange_indicate,
                                          .apply = exchange_apply,
                                          .about = exchange_about };
static const yoke_help_ops help_ops = { .project = exchange_step };

/* ---- start ------------------------------------------------------------- */

static yoke_status make_system(yk_fmu_exchange *s, yoke_err *err)
{
    const yoke_system_info info = {
        .n = s->n,
        .m = s->e.input.count,
        .p = s->e.output.count,
        .x0 = s->x,
        .nominal = s->nominal,
        .x_name = s->state_name,
        .u_name = s->e.input.name,
        .y_name = s->e.output.name,
        .events = s->events,
        .event = &event_ops,
        .C = s->jacobian.C,
        .G = s->jacobian.G,
        .Cu = s->jacobian.Cu,
        .Gu = s->jacobian.Gu,
        .Hx = s->jacobian.Hx,
        .Hu = s->jacobian.Hu,
        .help = s->e.description->exchange.completed_step ? &help_ops : NULL,
    };

    YK_TRY(yoke_system_create(&s->system, s->e.name,
                              s->jacobian.told ? &told_ops : &system_ops, s,
                              &info, err));
    return yk_stepper_create(&s->inner, s->system, &s->stepper, 0, NULL, err);
}

static yoke_status exchange_start(void *self, double t0, const double *x0,
                                  const double *u0, double *y0, yoke_err *err)
{
    yk_fmu_exchange *s = self;

    (void)x0;
    YK_TRY(yk_fmu_engine_start(&s->e, t0, u0, err));
    YK_TRY(iterate_events(s, t0, err));
    YK_TRY(yk_fmu_nominals(s->e.instance, s->n, s->nominal, err));
    for (int i = 0; i < s->n; i++)
        if (!(s->nominal[i] > 0.0)) s->nominal[i] = 1.0;
    for (int k = 0; k < s->held.count; k++)
        s->held.value[k] = held_value(s, k, u0);
    YK_TRY(yk_fmu_exchange_verify(s, t0, u0, err));
    yk_fmu_exchange_weigh(s, t0, u0);
    YK_TRY(make_system(s, err));
    return s->inner.ops->start(s->inner.self, t0, s->x, u0, y0, err);
}

/* ---- the propagator ---------------------------------------------------- */

static yoke_status exchange_sweep(void *self, double t1, const yk_wave *u,
                                  yk_wave *y, yoke_err *err)
{
    yk_fmu_exchange *s = self;

    return s->inner.ops->sweep(s->inner.self, t1, u, y, err);
}

static yoke_status exchange_accept(void *self, yoke_err *err)
{
    yk_fmu_exchange *s = self;

    return s->inner.ops->accept(s->inner.self, err);
}

static int exchange_instants(void *self, const double **t)
{
    yk_fmu_exchange *s = self;

    return s->inner.ops->instants ? s->inner.ops->instants(s->inner.self, t)
                                  : 0;
}

static double exchange_own_step(void *self)
{
    yk_fmu_exchange *s = self;

    return s->inner.ops && s->inner.ops->step
               ? s->inner.ops->step(s->inner.self)
               : 0.0;
}

static void exchange_work(void *self, yoke_work *work)
{
    yk_fmu_exchange *s = self;

    *work = (yoke_work){ 0 };
    if (s->inner.ops) s->inner.ops->work(s->inner.self, work);
}

static void exchange_free(void *self)
{
    yk_fmu_exchange *s = self;

    if (!s) return;
    if (s->inner.ops) s->inner.ops->free(s->inner.self);
    yoke_system_free(s->system);
    yk_fmu_engine_close(&s->e);
    yk_fmu_some_clear(&s->smooth);
    yk_fmu_some_clear(&s->held);
    yk_fmu_exchange_clear(s);
    YK_FREE(s->x, s->nominal, s->z, s->sign, s->state_name, s);
}

static const yk_propagator_ops exchange_ops = {
    .kind = "model exchange FMU",
    .start = exchange_start,
    .sweep = exchange_sweep,
    .accept = exchange_accept,
    .instants = exchange_instants,
    .step = exchange_own_step,
    .work = exchange_work,
    .free = exchange_free,
};

/* ---- life -------------------------------------------------------------- */

static yoke_status read_stepper(yk_fmu_exchange *s, const yk_part_spec *spec,
                                yoke_err *err)
{
    const char *span = yk_part_setting(spec, "span");

    s->stepper = yoke_stepper_defaults();
    if (span) s->stepper.span = strtod(span, NULL);
    for (int i = 0; i < spec->settings; i++)
        if (strncmp(spec->key[i], "stepper:", 8) == 0)
            YK_TRY(yoke_stepper_set(&s->stepper, spec->key[i] + 8,
                                    spec->value[i], err));
    return YOKE_OK;
}

static yoke_status name_states(yk_fmu_exchange *s, yoke_err *err)
{
    const yk_fmu_description *d = s->e.description;

    for (int i = 0; i < d->derivatives; i++) {
        const yk_fmu_variable *v = &d->variable[d->derivative[i].variable];

        s->n += v->count;
    }
    YK_TRY(YK_NEW(&s->state_name, s->n + 1, err));
    for (int i = 0, k = 0; i < d->derivatives; i++) {
        const yk_fmu_variable *v = &d->variable[d->derivative[i].variable];

        for (int j = 0; j < v->count; j++)
            YK_TRY(yk_fmu_name_signal(d, &d->variable[v->state], j,
                                      &s->state_name[k++], err));
    }
    return YOKE_OK;
}

/* ---- going back -------------------------------------------------------- */

/* In a copy of the process: two sweeps give the same bits. */
typedef struct trial {
    yk_fmu_exchange *s;
    double t1;
    const yk_wave *u;
    yk_wave *y;
} trial;

static int repeats_itself(void *context)
{
    const trial *try = context;
    yk_wave *first = NULL;

    return yk_wave_create(&first, try->s->e.output.count, NULL) == YOKE_OK &&
           exchange_sweep(try->s, try->t1, try->u, first, NULL) == YOKE_OK &&
           exchange_sweep(try->s, try->t1, try->u, try->y, NULL) == YOKE_OK &&
           yk_wave_equal(first, try->y);
}

/* Without events and without being told of steps the FMU is a function of time,
 * states and inputs, and the stepper goes back by itself; that is tried. */
static bool exchange_back(void *self, double t1, const yk_wave *u, yk_wave *y)
{
    enum { PATIENCE = 60 };
    yk_fmu_exchange *s = self;
    const yk_fmu_description *d = s->e.description;
    trial try = { s, t1, u, y };

    if (d->indicators > 0 || s->held.count > 0 || isfinite(s->next) ||
        d->exchange.completed_step)
        return false;
    return yk_fmu_ask_copy(repeats_itself, &try, PATIENCE) != 0;
}

yoke_status yk_fmu_make_exchange(const yk_part_spec *spec, yk_part_engine *out,
                                 yoke_err *err)
{
    yk_fmu_exchange *s = NULL;
    yoke_status status;

    YK_TRY(YK_NEW(&s, 1, err));
    YK_GO(yk_fmu_engine_open(&s->e, spec, true, err));
    YK_GO(read_stepper(s, spec, err));
    YK_GO(name_states(s, err));
    YK_GO(yk_fmu_some_choose(s->e.description, &s->e.input, false, false,
                             &s->smooth, err));
    YK_GO(yk_fmu_some_choose(s->e.description, &s->e.input, true, false,
                             &s->held, err));
    YK_GO(yk_fmu_exchange_places(s, err));
    s->events = s->e.description->indicators + 1 + (s->held.count > 0);
    s->next = INFINITY;
    YK_GO(YK_DOUBLES((size_t)s->n + 1, err, &s->x, &s->nominal));
    YK_GO(YK_DOUBLES((size_t)s->events, err, &s->z, &s->sign));
    *out = (yk_part_engine){ .propagator = { .ops = &exchange_ops,
                                             .self = s,
                                             .m = spec->m,
                                             .p = spec->p },
                             .goes_back = exchange_back };
    return YOKE_OK;
done:
    exchange_free(s);
    return status;
}
