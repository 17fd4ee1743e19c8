/* step/event/event.c -- state events: what is remembered, and what happens.
 *
 * An event happens when its indicator g is at zero or above after it has been
 * below.  That it has been below is remembered ("armed") until it happens, so
 * an indicator that stays at zero after its event does not happen again.
 *
 * An event ends a segment (locate.c finds it) and is applied at the beginning
 * of the next one, as are those of a jump of the inputs or of the equations at
 * that time.  At the end of a window it waits for the next window, whose
 * waveforms begin with the new values.
 *
 * The indicator of something held, such as the value of a relation (`level`),
 * is an event above zero whether it is armed or not: what is held is wrong
 * there.  After the event it is at zero to rounding, on either side; the band
 * allows for that.  Algebraic unknowns are known to Newton's tolerance only,
 * and may bring it back over zero at once: that is no event if it is no more
 * than such errors do.
 *
 * A kink is continuous: the branch that is held may be followed a little beyond
 * its end.  Its event happens where the indicator is farther above zero than a
 * change of the unknowns and inputs by KINK tolerances moves it (`band`).  So
 * what rests at a kink, or moves along it, makes no events, and one that
 * happened must come back by twice as much.  As far as the band is due to
 * absolute tolerances it is no more than rtol of what the indicator has been:
 * whatever they are, a signal is not overlooked as a whole.
 *
 * What comes to no end is reported: more than MOST_APPLIED calls of apply at
 * one time, an event that returns MOST_CLOSE times within `close_by` of its
 * time, or more than MOST_CROWD events within `crowd_by`; and MOST_AGAIN events
 * in a row of one indicator that was never below zero in between: on both sides
 * the solution moves towards zero, it slides.
 */
#include "step/event/event.h"

#include "base/lengths.h"
#include "step/drive.h"
#include "step/policy.h"
#include "sys/call.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WAYS = 8 };

void yk_events_free(yk_events *e)
{
    YK_FREE(e->mark, e->kept, e->poly.coef, e->seen, e->rose, e->happened, e->g,
            e->size);
    for (int i = 0; i < 3; i++) yk_free(e->past[i]);
    YK_FREE(e->x, e->u, e->all);
    yk_instant_free(e);
    YK_FREE(e->g_moved, e->x_moved, e->u_moved, e->other, e->f, e->branches);
    YK_FREE(e->made.event, e->prior.event);
}

/* Are some of them kinks, all of them functions of time? */
static void find_kinds(yk_events *e, const yk_problem *p)
{
    e->kinks = false;
    e->timed = true;
    for (int k = 0; k < p->facts->events; k++) {
        yoke_event_about about;
        yk_system_about(p->system, k, &about);
        e->kinks = e->kinks || about.kink;
        e->timed = e->timed && about.timed;
    }
}

yoke_status yk_events_create(yk_events *e, const yk_problem *p, size_t coefs,
                             yoke_err *err)
{
    const size_t n = (size_t)p->n + 1, count = (size_t)p->facts->events;

    e->instant = e->located = NAN;
    if (count == 0) return YOKE_OK;
    YK_TRY(YK_NEW(&e->mark, count, err));
    YK_TRY(YK_NEW(&e->kept, count, err));
    if (coefs > 0) YK_TRY(yk_doubles(&e->poly.coef, coefs, err));
    YK_TRY(YK_NEW(&e->seen, count, err));
    YK_TRY(YK_NEW(&e->rose, count, err));
    YK_TRY(YK_NEW(&e->happened, count, err));
    YK_TRY(YK_DOUBLES(count, err, &e->g, &e->size));
    for (int i = 0; i < 3; i++) YK_TRY(yk_doubles(&e->past[i], count, err));
    YK_TRY(yk_doubles(&e->x, n, err));
    YK_TRY(yk_doubles(&e->u, (size_t)p->m + 1, err));
    YK_TRY(yk_ints(&e->all, n, err));
    for (int i = 0; i < p->n; i++) e->all[i] = i;
    e->count = p->facts->events;
    YK_TRY(yk_instant_create(e, p, err));
    YK_TRY(yk_doubles(&e->x_moved, n, err));
    find_kinds(e, p);
    if (!e->kinks) return YOKE_OK;
    YK_TRY(yk_doubles(&e->g_moved, count, err));
    YK_TRY(yk_branch_create(e, p, err));
    return yk_doubles(&e->u_moved, (size_t)p->m + 1, err);
}

/* ---- Kinks --------------------------------------------------------------- */

/* Unknowns and inputs moved by a part of their tolerances, or of their own
 * sizes alone.  Signs by the bits of their numbers: of any two there is a way
 * in which they move against one another, up to 2^(WAYS - 1) of them. */
static void move(yk_driver *d, const double *x, const double *u, int way,
                 bool own)
{
    const yk_problem *p = &d->p;
    const double rtol = p->options.rtol;
    const int bit = way ? 1 << (way - 1) : 0;

    for (int i = 0; i < p->n; i++) {
        const double by =
            YK_EVENT_KINK * yk_tolerance(own ? 0.0 : p->atol[i], rtol, x[i]);
        d->events.x_moved[i] = x[i] + (i & bit ? -by : by);
    }
    for (int i = 0; i < p->m; i++) {
        const double by = YK_EVENT_KINK *
                          yk_tolerance(own ? 0.0 : p->options.atol, rtol, u[i]);
        d->events.u_moved[i] = u[i] + ((p->n + i) & bit ? -by : by);
    }
}

/* How much that changes the indicators, into the bands. */
static yoke_status measure(yk_driver *d, double t, const double *x, bool own,
                           yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_events *e = &d->events;
    const double rtol = p->options.rtol;

    for (int way = 0; way < WAYS && 1 << way < 2 * (p->n + p->m); way++) {
        move(d, x, yk_input(p, t), way, own);
        YK_TRY(yk_system_indicate(p->system, yk_time(p, t), e->x_moved,
                                  e->u_moved, e->g_moved, err));
        for (int k = 0; k < e->count; k++) {
            yk_mark *mark = &e->mark[k];
            double by = fabs(e->g_moved[k] - e->g[k]);
            if (!own) by = fmin(by, rtol * mark->most);
            if (mark->kink && by < INFINITY) mark->band = fmax(mark->band, by);
        }
    }
    return YOKE_OK;
}

yoke_status yk_events_bands(yk_driver *d, double t, const double *x,
                            yoke_err *err)
{
    yk_events *e = &d->events;
    bool any = false;

    for (int k = 0; e->kinks && k < e->count; k++) {
        e->mark[k].most = fmax(e->mark[k].most, fabs(e->g[k]));
        any = any || (e->mark[k].kink && e->g[k] > 0.0);
    }
    if (!any || e->banded) return YOKE_OK;
    for (int k = 0; k < e->count; k++)
        if (e->mark[k].kink) e->mark[k].band = 0.0;
    YK_TRY(measure(d, t, x, true, err));
    YK_TRY(measure(d, t, x, false, err));
    e->banded = true;
    return YOKE_OK;
}

/* g at the present point. */
static yoke_status indicate(yk_driver *d, yoke_err *err)
{
    yk_problem *p = &d->p;

    return yk_system_indicate(p->system, yk_time(p, p->t), p->x,
                              yk_input(p, p->t), d->events.g, err);
}

yoke_status yk_events_start(yk_driver *d, yoke_err *err)
{
    yk_events *e = &d->events;

    bool changed = false;

    if (e->count == 0) return YOKE_OK;
    YK_TRY(yk_system_settle(d->p.system, yk_time(&d->p, d->p.t), d->p.x,
                            yk_input(&d->p, d->p.t), e->x, &changed, err));
    if (changed) {
        memcpy(d->p.x, e->x, (size_t)d->p.n * sizeof *e->x);
        YK_TRY(yk_eval(&d->p, d->p.t, d->p.x, d->p.q, NULL, err));
    }
    YK_TRY(indicate(d, err));
    YK_TRY(yk_system_begin(d->p.system, yk_time(&d->p, d->p.t), d->p.x,
                           yk_input(&d->p, d->p.t), e->happened, err));
    for (int k = 0; k < e->count; k++) {
        yoke_event_about about;
        yk_system_about(d->p.system, k, &about);
        e->mark[k] = (yk_mark){ .armed = e->g[k] < 0.0,
                                .pending = e->happened[k] ||
                                           (about.level && e->g[k] >= 0.0),
                                .level = about.level,
                                .kink = about.kink,
                                .watched = about.watched,
                                .terminal = about.terminal,
                                .last = -INFINITY,
                                .ahead = -INFINITY };
    }
    e->crowd = (yk_crowd){ .begin = -INFINITY };
    e->lately = (yk_crowd){ .count = 0 };
    return YOKE_OK;
}

void yk_events_keep(yk_events *e)
{
    if (e->count == 0) return;
    memcpy(e->kept, e->mark, (size_t)e->count * sizeof *e->mark);
    e->kept_crowd = e->crowd;
    e->kept_lately = e->lately;
    e->made.count = 0;
}

void yk_events_back(yk_events *e)
{
    if (e->count == 0) return;
    const yk_event_list before = e->prior;
    e->prior = e->made;
    e->made = before;
    e->made.count = 0;
    yk_events_again(e);
    e->crowd = e->kept_crowd;
    e->lately = e->kept_lately;
    e->instant = e->before = NAN;
    e->fresh = e->jumped = false;
}

void yk_events_again(yk_events *e)
{
    memcpy(e->mark, e->kept, (size_t)e->count * sizeof *e->mark);
}

/* The first event of the list that is not before t. */
static int find_event(const yk_event_list *l, double t)
{
    int low = 0, high = l->count;

    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (l->event[middle].t < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool yk_events_prior(const yk_events *e, int k, double t, double tiny)
{
    const yk_event_list *const l = &e->prior;

    for (int i = find_event(l, t - tiny); i < l->count; i++) {
        if (l->event[i].t > t + tiny) return false;
        if (l->event[i].k == k) return true;
    }
    return false;
}

/* The unknowns of the accepted point a little later, on the polynomial of the
 * last step. */
static void go_on(yk_driver *d, double t)
{
    const yk_poly *poly = &d->kept.poly;
    const double theta = (t - poly->t) / poly->h;
    const int n = d->p.n;

    memcpy(d->events.x, d->kept.x, (size_t)n * sizeof *d->events.x);
    if (!poly->valid || !poly->coef) return;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = poly->degree; k >= 0; k--)
            sum = sum * theta + poly->coef[(size_t)k * (size_t)n + (size_t)i];
        d->events.x[i] = sum;
    }
}

bool yk_events_near(yk_driver *d)
{
    yk_events *e = &d->events;
    const double t = d->kept.t + yk_rounding(d->kept.t);

    go_on(d, t);
    if (yk_system_indicate(d->p.system, t, e->x, d->kept.u, e->g, NULL) !=
        YOKE_OK)
        return true;
    for (int k = 0; k < e->count; k++) {
        const yk_mark *mark = &e->kept[k];
        if (mark->pending || yk_mark_fires(mark, mark->armed, e->g[k]))
            return true;
    }
    return false;
}

bool yk_events_wait(yk_driver *d)
{
    yk_events *e = &d->events;
    const double t = d->kept.t + yk_rounding(d->kept.t);
    bool any = false;

    go_on(d, t);
    const bool known = yk_system_indicate(d->p.system, t, e->x, d->kept.u, e->g,
                                          NULL) == YOKE_OK;
    for (int k = 0; k < e->count; k++) {
        yk_mark *mark = &e->kept[k];
        if (known && !mark->kink && yk_mark_fires(mark, mark->armed, e->g[k]))
            mark->pending = true;
        any = any || mark->pending || mark->terminal;
    }
    return any;
}

bool yk_events_end(yk_events *e)
{
    bool any = false;

    for (int k = 0; k < e->count; k++) {
        e->mark[k].pending = e->mark[k].terminal;
        any = any || e->mark[k].terminal;
    }
    e->before = NAN; /* what was new is old now */
    return any;
}

void yk_events_shifted(yk_driver *d)
{
    yk_problem *p = &d->p;
    yk_events *e = &d->events;
    bool any = false;

    for (int k = 0; k < e->count; k++)
        any = any || (e->mark[k].pending && !e->mark[k].kink);
    if (!any || yk_system_indicate(p->system, yk_time(p, p->t), p->x, p->u,
                                   e->g, NULL) != YOKE_OK)
        return;
    for (int k = 0; k < e->count; k++)
        if (e->mark[k].pending && !e->mark[k].kink)
            e->mark[k].band = 2.0 * fabs(e->g[k]);
}

/* How much errors of Newton's method may change indicator k; the unknowns are
 * moved by ten times its tolerance, all in one direction and in turns. */
static yoke_status noise(yk_driver *d, int k, double *out, yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_events *e = &d->events;
    double *g = e->past[0];

    *out = 0.0;
    yk_weights(p, p->x);
    for (int turns = 0; turns < 2; turns++) {
        for (int i = 0; i < p->n; i++) {
            const double by = YK_EVENT_NOISE * p->kappa * p->weight[i];
            e->x[i] = p->x[i] + (turns && i % 2 ? -by : by);
        }
        YK_TRY(yk_system_indicate(p->system, yk_time(p, p->t), e->x,
                                  yk_input(p, p->t), g, err));
        *out = fmax(*out, 4.0 * fabs(g[k] - e->g[k]));
    }
    return YOKE_OK;
}

/* Does event k happen now, by a jump?  One that is held and has happened at
 * this time already does not if errors alone explain it. */
static yoke_status jumped(yk_driver *d, int k, bool *out, yoke_err *err)
{
    yk_events *e = &d->events;
    yk_mark *mark = &e->mark[k];
    double least = 0.0;

    *out = yk_mark_fires(mark, mark->armed, e->g[k]);
    if (!*out || !mark->level || mark->last != d->p.t || mark->pending)
        return YOKE_OK;
    YK_TRY(noise(d, k, &least, err));
    if (e->g[k] > least) return YOKE_OK;
    mark->band = 2.0 * e->g[k];
    *out = mark->armed = false;
    return YOKE_OK;
}

/* e->past[1]: the indicators after the present point has moved on as it did so
 * far, by what the instant may be too early.  *known false: they are not. */
static yoke_status look_later(yk_driver *d, bool *known, yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_events *e = &d->events;
    const yk_poly *poly = &p->poly;
    const double t = fmin(p->t + e->gap, p->end);

    *known = e->instant == p->t && e->located == p->t && t > p->t;
    if (*known && p->n > 0)
        *known = poly->valid && poly->coef && poly->h > 0.0 &&
                 fabs(poly->t + poly->h - p->t) <= yk_rounding(p->t);
    if (!*known) return YOKE_OK;
    const double theta = (t - poly->t) / poly->h;
    for (int i = 0; i < p->n; i++) {
        double by = 0.0, power = theta;
        for (int k = 1; k <= poly->degree; k++, power *= theta)
            by += (power - 1.0) *
                  poly->coef[(size_t)k * (size_t)p->n + (size_t)i];
        e->x_moved[i] = p->x[i] + by;
    }
    return yk_system_indicate(p->system, yk_time(p, t), e->x_moved,
                              yk_input(p, t), e->past[1], err);
}

/* The same if what is held is to be right just after the instant: mod(x, 1) of
 * a rising x is 0 after its jump, and not a little below. */
static bool happens_later(yk_events *e, int k, double t, bool now)
{
    yk_mark *mark = &e->mark[k];
    const double next = e->past[1][k];

    if (mark->pending || !mark->level || mark->kink || mark->watched)
        return now;
    if (now && next < 0.0) {
        mark->band = 2.0 * e->g[k];
        mark->armed = false;
        return false;
    }
    if (now || mark->ahead == t || !(next > fmax(mark->band, 0.0))) return now;
    mark->ahead = t;
    return true;
}

yoke_status yk_events_happen(yk_driver *d, bool *any, yoke_err *err)
{
    yk_events *e = &d->events;
    bool later = false;

    *any = false;
    YK_TRY(look_later(d, &later, err));
    YK_TRY(indicate(d, err));
    e->banded = false;
    yk_branch_begin(e);
    YK_TRY(yk_events_bands(d, d->p.t, d->p.x, err));
    for (int k = 0; k < e->count; k++) {
        yk_mark *mark = &e->mark[k];
        bool now = false;
        YK_TRY(jumped(d, k, &now, err));
        if (later) now = happens_later(e, k, d->p.t, now);
        e->happened[k] = mark->pending || now;
        if (now && !mark->pending && !mark->kink && !mark->watched) {
            mark->again = mark->armed ? 0 : mark->again + 1;
            mark->band = 16.0 * DBL_EPSILON * fabs(e->g[k]);
        }
        if (e->happened[k]) {
            mark->armed = mark->pending = false;
            mark->spent = 0.0;
        } else if (e->g[k] < -mark->band)
            mark->armed = true;
        *any = *any || e->happened[k];
    }
    return YOKE_OK;
}

static yoke_status endless(const yk_driver *d, int k, const char *how,
                           yoke_err *err)
{
    yoke_event_about about;

    yk_system_about(d->p.system, k, &about);
    if (about.text)
        return yk_fail(err, YOKE_RETRY, "subsystem \"%s\", t = %.15g: %s: %s",
                       d->p.name, d->p.t, about.text, how);
    return yk_fail(err, YOKE_RETRY, "subsystem \"%s\", t = %.15g: event %d %s",
                   d->p.name, d->p.t, k + 1, how);
}

static const char slides[] =
    "happens again and again without a pause: on both sides of this threshold "
    "the solution moves towards it (sliding, chattering); give the relation a "
    "hysteresis, or the motion along the threshold a mode of its own";

/* What only ends steps is forgotten if it ends almost each of them, as a kink:
 * the error test must do.  Where something jumps, that is sliding too. */
static bool watch(yk_mark *mark, long steps)
{
    mark->again =
        steps - mark->steps < YK_EVENT_FEW_STEPS ? mark->again + 1 : 0;
    mark->steps = steps;
    mark->off = mark->kink && mark->again > YK_EVENT_MOST_KINKS;
    return mark->again <= YK_EVENT_MOST_JUMPS;
}

/* At this rate the run would not come to its end. */
static yoke_status count_all(yk_driver *d, int last, yoke_err *err)
{
    yk_crowd *lately = &d->events.lately;
    const double span = d->p.options.span;
    char how[300];

    if (lately->count == 0) lately->begin = d->p.t;
    if (++lately->count <= YK_EVENT_LATELY) return YOKE_OK;
    const double each = (d->p.t - lately->begin) / YK_EVENT_LATELY;
    *lately = (yk_crowd){ .begin = d->p.t, .count = 1 };
    if (!(span > YK_EVENT_IN_ALL * each)) return YOKE_OK;
    snprintf(how, sizeof how,
             "is one of %d, one every %.3g s on average: that would be %.2g in "
             "this run, too many to follow; model what they do on average, or "
             "stop earlier",
             YK_EVENT_LATELY, each, span / each);
    endless(d, last, how, err);
    if (err) err->status = YOKE_E_MODEL;
    return YOKE_E_MODEL;
}

static yoke_status note_event(yk_events *e, double t, int k, yoke_err *err)
{
    yk_event_list *const l = &e->made;

    YK_TRY(YK_GROW(&l->event, &l->room, l->count + 1, err));
    l->event[l->count++] = (yk_past_event){ t, k };
    return YOKE_OK;
}

/* Events that return at almost the same time, and those of all kinds. */
static yoke_status count_later(yk_driver *d, yoke_err *err)
{
    yk_events *e = &d->events;
    const double t = d->p.t, size = fabs(t);
    const double tiny = 64.0 * DBL_EPSILON * (d->p.end - d->p.begin);
    int last = 0;

    for (int k = 0; k < e->count; k++) {
        yk_mark *mark = &e->mark[k];
        if (!e->happened[k]) continue;
        if (t > mark->last)
            mark->close = t - mark->last <= YK_EVENT_CLOSE_BY * size + tiny
                              ? mark->close + 1
                              : 0;
        mark->last = t;
        YK_TRY(note_event(e, t, k, err));
        if (mark->watched) {
            if (watch(mark, d->p.work.steps)) continue;
            return endless(d, k, slides, err);
        }
        if (mark->close >= YK_EVENT_MOST_CLOSE ||
            mark->again >= YK_EVENT_MOST_AGAIN)
            return endless(d, k, slides, err);
        last = k;
    }
    if (t - e->crowd.begin > YK_EVENT_CROWD_BY * size + tiny)
        e->crowd = (yk_crowd){ .begin = t };
    if (++e->crowd.count > YK_EVENT_MOST_CROWD)
        return endless(d, last, "is one of more than 1000 in no time", err);
    return count_all(d, last, err);
}

yoke_status yk_events_count(yk_driver *d, yoke_err *err)
{
    yk_events *e = &d->events;
    int first = 0;

    while (!e->happened[first]) first++;
    if (d->p.t != e->instant) {
        e->applied = 0;
        d->p.work.events++;
    }
    e->instant = d->p.t;
    if (++e->applied > YK_EVENT_MOST_APPLIED)
        return endless(d, first,
                       "causes events at the same time without an end", err);
    return count_later(d, err);
}

yoke_status yk_events_apply(yk_driver *d, bool *applied, yoke_err *err)
{
    yk_events *e = &d->events;

    *applied = e->fresh = false;
    while (e->count > 0) {
        bool any = false;
        YK_TRY(yk_events_happen(d, &any, err));
        if (!any) return YOKE_OK;
        YK_TRY(yk_events_count(d, err));
        YK_TRY(yk_instant_meet(d, err));
        *applied = e->fresh = e->jumped = true;
    }
    return YOKE_OK;
}
