/* step/event/domain_end.c -- events beyond which the equations are not
 * defined.
 *
 *     der(x) = if s > 0 then sqrt(s) else 0
 *
 * is not defined beyond s = 0 as long as the relation is held, so no step ends
 * there and nothing crosses zero.  When a step fails the unknowns are continued
 * along their last slope: if an indicator rises to zero on the way, the next
 * step ends just before, and where that is no step any more the event happens
 * at the present time.
 */
#include "step/drive.h"
#include "step/event/event.h"
#include "step/policy.h"
#include "sys/call.h"

#include <math.h>

enum { HALVINGS = 40 };

/* The unknowns at t, after the present time. */
static const double *continued(yk_driver *d, double t)
{
    const yk_problem *p = &d->p;
    const double before = p->t - 0.5 * p->poly.h;
    double *x = d->events.x;

    if (t <= p->t || !p->poly.valid || !(before < p->t)) return p->x;
    yk_poly_eval(&p->poly, p->n, before, x);
    for (int i = 0; i < p->n; i++)
        x[i] = p->x[i] + (p->x[i] - x[i]) * ((t - p->t) / (p->t - before));
    return x;
}

/* Kinks count without their bands: beyond zero nothing may be defined. */
static bool rises(const yk_mark *mark, double g)
{
    if (mark->watched) return false;
    return mark->kink ? g > 0.0 : yk_mark_fires(mark, mark->armed, g);
}

static yoke_status look(yk_driver *d, double t, bool *any, yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_events *e = &d->events;

    YK_TRY(yk_system_indicate(p->system, yk_time(p, t), continued(d, t),
                              yk_input(p, t), e->g, err));
    *any = false;
    for (int k = 0; k < e->count; k++)
        *any = *any || rises(&e->mark[k], e->g[k]);
    return YOKE_OK;
}

/* The first point up to `end` at which something happens; INFINITY: none. */
static yoke_status find(yk_driver *d, double end, double *t, yoke_err *err)
{
    double low = d->p.t, high = low;
    bool any = false;

    *t = INFINITY;
    YK_TRY(look(d, low, &any, err));
    if (!any) {
        high = end;
        YK_TRY(look(d, high, &any, err));
    }
    if (!any) return YOKE_OK;
    for (int i = 0; i < HALVINGS && high > low; i++) {
        const double middle = 0.5 * (low + high);
        YK_TRY(look(d, middle, &any, err));
        if (any)
            high = middle;
        else
            low = middle;
    }
    *t = high;
    return YOKE_OK;
}

static yoke_status happen_now(yk_driver *d, double t, yoke_err *err)
{
    yk_events *e = &d->events;
    bool any = false;

    YK_TRY(look(d, t, &any, err));
    for (int k = 0; k < e->count; k++)
        e->mark[k].pending = e->mark[k].pending || rises(&e->mark[k], e->g[k]);
    YK_TRY(look(d, d->p.t, &any, err));
    for (int k = 0; k < e->count; k++) {
        yk_mark *mark = &e->mark[k];
        if (!mark->pending) continue;
        mark->again =
            mark->level && !mark->kink && !mark->armed ? mark->again + 1 : 0;
        mark->band = fmax(mark->band, 2.0 * fmax(-e->g[k], 0.0));
    }
    return YOKE_OK;
}

yoke_status yk_events_ahead(yk_driver *d, double end, double least, double *h,
                            bool *now, yoke_err *err)
{
    double t = INFINITY;

    *now = false;
    if (d->events.count == 0) return YOKE_OK;
    YK_TRY(find(d, end, &t, err));
    if (t == INFINITY) return YOKE_OK;
    const double rest = t - d->p.t;
    if (rest > 2.0 * least) {
        *h = fmin(*h, (1.0 - YK_EVENT_AHEAD_CLOSE) * rest);
        return YOKE_OK;
    }
    *now = true;
    return happen_now(d, t, err);
}
