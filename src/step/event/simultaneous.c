/* step/event/simultaneous.c -- events of several subsystems at one instant.
 *
 * At an instant the discrete unknowns m of all subsystems have their new values
 * at once, while the states x that events give new values get them at its end:
 * an output h has three values,
 *
 *     h(x-, m-)  before,     h(x-, m+)  while events are solved,     h(x+, m+)
 *
 * and pre(u) of an input is the first.  Where the subsystems are members of one
 * system (`joint`), events are applied to x- again and again, with the inputs
 * that the new m give, until m is what it was: with n discrete unknowns and no
 * circle that takes n rounds.  Events that the new m cause are added to the
 * others.  Then the states follow.
 *
 * Where inputs are waveforms, the value while events are solved is that from
 * the right if the output that makes it jumps with discrete unknowns, and that
 * from the left if it jumps with states.  Where it does both, or where the
 * output depends at this instant on the very subsystem that reads it, waveforms
 * do not tell it: YOKE_JOIN, the subsystems have to be solved as one.
 */
#include "step/drive.h"
#include "step/event/event.h"
#include "step/policy.h"
#include "sys/call.h"

#include "base/vector.h"

#include <math.h>
#include <string.h>

/* Inputs that events read and that others' events change. */
static unsigned reads(const yk_events *e, const yk_problem *p, int c)
{
    const yoke_input_facts *f = p->options.inputs;
    const bool known = f && e->facts && e->facts->reads && f[c].how;

    return known ? e->facts->reads[c] : 0;
}

/* At the instant itself. */
static bool is_shared(const yk_driver *d, int c)
{
    return d->events.shares &&
           (reads(&d->events, &d->p, c) & YOKE_READS_NOW) != 0;
}

/* Does such an input jump at knot i? */
static bool jumps_at(const yk_driver *d, int i)
{
    const yk_problem *p = &d->p;
    const yk_wave *u = p->wave;
    const double *left = yk_wave_coef(u, i - 1);
    const double *right = yk_wave_coef(u, i);

    for (int c = 0; c < p->m; c++) {
        double end = 0.0;
        if (!reads(&d->events, p, c)) continue;
        for (int k = 0; k <= yk_wave_degree(u, i - 1); k++)
            end += left[k * p->m + c];
        const double size = fmax(fabs(end), fabs(right[c]));
        if (fabs(end - right[c]) > YK_STEP_JUMP * yk_tolerance_u(p, size))
            return true;
    }
    return false;
}

double yk_instant_near(const yk_driver *d, double t, double least)
{
    const yk_wave *u = d->p.wave;

    if (!d->events.shares) return NAN;
    int low = 1, high = yk_wave_pieces(u);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (yk_wave_knot(u, middle) < t - least)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < yk_wave_pieces(u); low++) {
        const double at = yk_wave_knot(u, low);
        if (at > t + least) break;
        if (jumps_at(d, low)) return at;
    }
    return NAN;
}

yoke_status yk_instant_create(yk_events *e, const yk_problem *p, yoke_err *err)
{
    const size_t n = (size_t)p->n + 1, m = (size_t)p->m + 1;
    const yoke_pattern *C = p->facts->C;

    e->facts = p->facts->at_events;
    for (int c = 0; c < p->m; c++)
        if (reads(e, p, c)) e->shares = true;
    e->before = NAN;
    YK_TRY(yk_doubles(&e->x_before, n, err));
    YK_TRY(YK_DOUBLES(m, err, &e->u_before, &e->u_late));
    if (!e->facts || !e->facts->joint) return YOKE_OK;
    YK_TRY(yk_doubles(&e->x_start, n, err));
    YK_TRY(YK_NEW(&e->together, p->facts->events, err));
    YK_TRY(YK_NEW(&e->follows, n, err));
    for (int j = 0; j < p->n; j++) {
        e->follows[j] = C->start[j] == C->start[j + 1];
        e->discretes += e->facts->discrete[j];
    }
    if (p->facts->memory_bytes == 0) return YOKE_OK;
    YK_TRY(yk_alloc(&e->memory, p->facts->memory_bytes, 1, err));
    return yk_alloc(&e->memory_new, p->facts->memory_bytes, 1, err);
}

void yk_instant_free(yk_events *e)
{
    YK_FREE(e->x_before, e->u_before, e->u_late, e->x_start, e->together,
            e->follows, e->memory, e->memory_new);
}

void yk_instant_arrive(yk_driver *d)
{
    yk_events *e = &d->events;

    if (e->count == 0 || e->before == d->p.t) return;
    e->before = d->p.t;
    yk_copy(e->x_before, d->p.x, d->p.n);
    yk_copy(e->u_before, d->p.t == d->kept.t ? d->kept.u_left : d->p.u, d->p.m);
    if (d->p.begin_jump < d->p.t)
        yk_wave_eval(d->p.wave, d->p.begin_jump, &d->p.cursor, e->u_before);
}

/* Applies `happened` to x, with other members' values of p->x; e->x is new. */
static yoke_status meet(yk_driver *d, const double *x, const bool *happened,
                        const void *memory, yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_events *e = &d->events;
    const yoke_instant at = { .t = yk_time(p, p->t),
                              .x = x,
                              .x_now = p->x,
                              .x_before = e->x_before,
                              .u = yk_input(p, p->t),
                              .u_before = e->u_before,
                              .happened = happened,
                              .memory = memory };

    return yk_system_meet(p->system, &at, e->x, err);
}

/* The charges follow x, and the algebraic unknowns the charges.  How fast
 * Newton's method converges with the new branches is open. */
static yoke_status follow(yk_driver *d, yoke_err *err)
{
    yk_problem *p = &d->p;

    if (!p->affine) {
        p->stamp = p->oldest = 0;
        p->eta = INFINITY;
    }
    YK_TRY(yk_eval(p, p->t, p->x, p->q, NULL, err));
    if (yk_system_has_rhs(p->system)) return YOKE_OK;
    return yk_rejoin_solve(&d->rejoin, p, err);
}

/* ---- Joint events -------------------------------------------------------- */

/* The discrete unknown that differs most between e->x and p->x, by more than
 * errors of Newton's method may do; -1: none. */
static int unsettled(yk_driver *d, bool exactly)
{
    yk_problem *p = &d->p;
    const yk_events *e = &d->events;
    double most = 0.0;
    int at = -1;

    yk_weights(p, p->x);
    for (int j = 0; j < p->n; j++) {
        if (!e->facts->discrete[j]) continue;
        const double least =
            exactly ? 0.0 : YK_EVENT_NOISE * p->kappa * p->weight[j];
        const double change = fabs(e->x[j] - p->x[j]);
        if (!(change > least) || change / p->weight[j] <= most) continue;
        most = change / p->weight[j];
        at = j;
    }
    return at;
}

static bool memory_changed(const yk_driver *d)
{
    const yk_events *e = &d->events;

    if (!e->memory) return false;
    yk_system_save(d->p.system, e->memory_new);
    return memcmp(e->memory, e->memory_new, d->p.facts->memory_bytes) != 0;
}

/* p->x becomes (x-, m+), with what follows from it. */
static yoke_status go_between(yk_driver *d, yoke_err *err)
{
    yk_problem *p = &d->p;
    const yk_events *e = &d->events;

    for (int j = 0; j < p->n; j++)
        if (!e->follows[j])
            p->x[j] = e->facts->discrete[j] ? e->x[j] : e->x_start[j];
    return follow(d, err);
}

/* What the new values make happen; *more: something that did not yet. */
static yoke_status add_happened(yk_driver *d, bool *more, yoke_err *err)
{
    yk_events *e = &d->events;
    bool any = false;

    *more = false;
    YK_TRY(yk_events_happen(d, &any, err));
    if (!any) return YOKE_OK;
    for (int k = 0; k < e->count; k++) {
        *more = *more || (e->happened[k] && !e->together[k]);
        e->together[k] = e->together[k] || e->happened[k];
    }
    return *more ? yk_events_count(d, err) : YOKE_OK;
}

static yoke_status circle(const yk_driver *d, int j, yoke_err *err)
{
    const char *const *name = d->p.facts->x_name;
    int other = -1;

    for (int i = 0; i < d->p.n && other < 0; i++)
        if (i != j && d->events.facts->discrete[i] &&
            fabs(d->events.x[i] - d->p.x[i]) > 0.0)
            other = i;
    return yk_fail(err, YOKE_E_MODEL,
                   "subsystem \"%s\", t = %.15g: the new value of \"%s\" at "
                   "this instant depends on itself%s%s%s in a circle through "
                   "several parts, and repeating it does not settle; write "
                   "pre(...) for the value before in one of the when-equations",
                   d->p.name, d->p.t, name[j], other >= 0 ? " and \"" : "",
                   other >= 0 ? name[other] : "", other >= 0 ? "\"" : "");
}

/* States that events gave new values. */
static bool any_reset(const yk_driver *d)
{
    const yk_events *e = &d->events;

    for (int j = 0; j < d->p.n; j++)
        if (!e->follows[j] && !e->facts->discrete[j] &&
            (e->x[j] > e->x_start[j] || e->x[j] < e->x_start[j]))
            return true;
    return false;
}

static yoke_status meet_together(yk_driver *d, yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_events *e = &d->events;
    const int most = e->discretes + e->count + 2;
    bool moves = false, between = false;

    yk_copy(e->x_start, p->x, p->n);
    memcpy(e->together, e->happened, (size_t)e->count * sizeof *e->together);
    if (e->memory) yk_system_save(p->system, e->memory);
    YK_TRY(meet(d, e->x_start, e->together, NULL, err));
    moves = unsettled(d, true) >= 0 || memory_changed(d);
    for (int round = 0; moves; round++) {
        bool more = false;
        YK_TRY(go_between(d, err));
        between = true;
        YK_TRY(add_happened(d, &more, err));
        YK_TRY(meet(d, e->x_start, e->together, e->memory, err));
        const int j = unsettled(d, false);
        moves = more || j >= 0;
        if (round > most && j >= 0) return circle(d, j, err);
    }
    memcpy(e->happened, e->together, (size_t)e->count * sizeof *e->together);
    if (between && !any_reset(d)) return YOKE_OK;
    for (int j = 0; j < p->n; j++)
        if (!e->follows[j] || !between) p->x[j] = e->x[j];
    return follow(d, err);
}

/* ---- Inputs that are waveforms ------------------------------------------- */

/* Does input c jump at the present instant?  Between two windows it changes by
 * what the iteration leaves open, too. */
static bool jumps(yk_driver *d, int c)
{
    yk_problem *p = &d->p;
    const double before = d->events.u_before[c], now = yk_input(p, p->t)[c];
    const double size = fmax(fabs(before), fabs(now));
    const double least = p->t > d->kept.t ? YK_STEP_JUMP : YK_EVENT_NOISE;

    return fabs(now - before) > least * yk_tolerance_u(p, size);
}

static yoke_status join(yk_driver *d, int c, yoke_err *err)
{
    const yk_problem *p = &d->p;
    const yoke_input_facts *f = &p->options.inputs[c];

    p->options.join[c] = true;
    return yk_fail(
        err, YOKE_JOIN,
        "subsystem \"%s\", t = %.15g: an event reads the input \"%s\", and "
        "\"%s\", which it comes from, jumps at the same instant %s; solve both "
        "as one (cluster: auto, or one cluster for them), or read pre(%s)",
        p->name, p->t, p->facts->u_name[c], f->from ? f->from : "an output",
        f->circular ? "by an event that may read what this one changes"
                    : "both with discrete variables and with states that "
                      "reinit changes",
        p->facts->u_name[c]);
}

/* YOKE_JOIN: what an event reads now is not known from waveforms. */
static yoke_status check_inputs(yk_driver *d, yoke_err *err)
{
    static const unsigned both = YOKE_JUMP_DISCRETE | YOKE_JUMP_STATE;

    for (int c = 0; d->p.options.join && c < d->p.m; c++) {
        const yoke_input_facts *f = d->p.options.inputs;
        if (is_shared(d, c) && (f[c].circular || f[c].how == both) &&
            jumps(d, c))
            return join(d, c, err);
    }
    return YOKE_OK;
}

/* A jump of height J that moves by d is treated as a change of J d / H over a
 * window H, so by this much it may move unnoticed; not if the instants are one
 * anyway. */
static void note_near(yk_driver *d)
{
    const yk_problem *p = &d->p;

    d->reads = d->reads || d->events.shares;
    if (d->unsure || !d->events.shares || !isnan(p->begin_jump)) return;
    const double window = yk_wave_end(p->wave) - yk_wave_begin(p->wave);
    for (int c = 0; c < p->m && !d->unsure; c++) {
        if (!reads(&d->events, p, c)) continue;
        const double allowed = yk_tolerance_u(p, p->u_now[c]);
        const double near = yk_instant_near(
            d, p->t,
            fmin(YK_EVENT_NOISE * allowed, YK_EVENT_NEAR_MOST) * window);
        d->unsure = !isnan(near);
    }
}

bool yk_instant_hold(yk_driver *d)
{
    yk_problem *p = &d->p;
    yk_events *e = &d->events;
    const yoke_input_facts *f = p->options.inputs;
    bool any = false, more = p->begin_break;

    if (e->count == 0 || !f) return false;
    for (int k = 0; k < e->count; k++) more = more || e->mark[k].pending;
    for (int c = 0; c < p->m; c++) {
        if (!is_shared(d, c) || !jumps(d, c)) continue;
        any = any || f[c].how == YOKE_JUMP_STATE;
        more = more || f[c].how != YOKE_JUMP_STATE;
    }
    if (!any || !more) return false;
    for (int c = 0; c < p->m; c++)
        if (is_shared(d, c) && f[c].how == YOKE_JUMP_STATE)
            p->u_now[c] = e->u_before[c];
    return true;
}

void yk_instant_release(yk_driver *d)
{
    d->p.u_time = NAN;
}

/* ---- What may happen at the same instant --------------------------------- */

/* Adds to e->past[1] what the change of u or x by ten tolerances does to
 * indicators; past[0] has them as they are. */
static yoke_status add_change(yk_driver *d, const double *x, const double *u,
                              yoke_err *err)
{
    yk_events *e = &d->events;

    YK_TRY(yk_system_indicate(d->p.system, yk_time(&d->p, d->p.t), x, u,
                              e->past[2], err));
    for (int k = 0; k < e->count; k++)
        e->past[1][k] += fabs(e->past[2][k] - e->past[0][k]);
    return YOKE_OK;
}

static yoke_status find_changes(yk_driver *d, yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_events *e = &d->events;

    YK_TRY(yk_system_indicate(p->system, yk_time(p, p->t), e->x_before,
                              e->u_before, e->past[0], err));
    memset(e->past[1], 0, (size_t)e->count * sizeof *e->past[1]);
    yk_copy(e->u_late, e->u_before, p->m);
    for (int c = 0; c < p->m; c++) {
        if (!is_shared(d, c)) continue;
        e->u_late[c] += YK_EVENT_NOISE * yk_tolerance_u(p, e->u_before[c]);
        YK_TRY(add_change(d, e->x_before, e->u_late, err));
        e->u_late[c] = e->u_before[c];
    }
    yk_weights(p, e->x_before);
    for (int turns = 0; turns < 2; turns++) {
        for (int i = 0; i < p->n; i++)
            e->x[i] = e->x_before[i] +
                      (turns && i % 2 ? -YK_EVENT_NOISE : YK_EVENT_NOISE) *
                          p->weight[i];
        YK_TRY(add_change(d, e->x, e->u_before, err));
    }
    return YOKE_OK;
}

yoke_status yk_instant_leave(yk_driver *d, yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_events *e = &d->events;
    int jumping = -1;

    if (e->count == 0 || !p->options.join) return YOKE_OK;
    for (int c = 0; c < p->m && jumping < 0; c++)
        if (is_shared(d, c) && p->options.inputs[c].circular && jumps(d, c))
            jumping = c;
    if (jumping < 0) return YOKE_OK;
    YK_TRY(find_changes(d, err));
    for (int k = 0; k < e->count; k++)
        if (!e->mark[k].kink && !e->mark[k].watched && e->past[0][k] < 0.0 &&
            -e->past[0][k] <= e->past[1][k] && e->mark[k].last < p->t)
            return join(d, jumping, err);
    return YOKE_OK;
}

/* Something has happened at which inputs are read: no kinks alone. */
static bool reads_inputs(const yk_events *e)
{
    for (int k = 0; k < e->count; k++)
        if (e->happened[k] && !e->mark[k].kink && !e->mark[k].watched)
            return true;
    return false;
}

yoke_status yk_instant_meet(yk_driver *d, yoke_err *err)
{
    yk_events *e = &d->events;

    if (reads_inputs(e)) {
        YK_TRY(check_inputs(d, err));
        note_near(d);
    }
    if (e->facts && e->facts->joint) return meet_together(d, err);
    YK_TRY(meet(d, d->p.x, e->happened, NULL, err));
    yk_copy(d->p.x, e->x, d->p.n);
    return follow(d, err);
}
