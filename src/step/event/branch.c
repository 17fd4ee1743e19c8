/* step/event/branch.c -- what a held branch does beyond its end.
 *
 * A kink happens where its indicator is farther above zero than a part of the
 * tolerances of unknowns and inputs moves it (`band`, event.c).  That says how
 * far the solution is beyond the kink, not what the wrong branch does there:
 *
 *     der(z) = 1e5*max(0, 1 - ((u - 0.613)/1e-5)^2)
 *
 * has its whole peak within a tolerance of u, and the branch that is continued
 * beyond it would make z fall without a bound.  So where kinks are above zero
 * inside their bands, f with their other branches is compared with f as it is,
 * weighed with the matrix of the step (look.h): the error of the step if that
 * lasts.  If this, with that of the steps before, is more than a part of the
 * tolerance, the bands are zero in this step (`tight`): the kink happens where
 * it is.
 *
 * A kink may be read by others, as abs in max(0, 1 - abs(u)), and by relations.
 * Kinks that are above zero with the other branches change theirs too.  If a
 * relation is, what is held is wrong now, whatever it does.
 */
#include "step/drive.h"
#include "step/event/event.h"
#include "step/policy.h"
#include "sys/call.h"

#include "base/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

yoke_status yk_branch_create(yk_events *e, const yk_problem *p, yoke_err *err)
{
    YK_TRY(YK_NEW(&e->other, e->count, err));
    YK_TRY(yk_doubles(&e->f, (size_t)p->n + 1, err));
    if (p->facts->memory_bytes == 0) return YOKE_OK;
    return yk_alloc(&e->branches, p->facts->memory_bytes, 1, err);
}

void yk_branch_begin(yk_events *e)
{
    e->beyond = 0.0;
    for (int k = 0; e->kinks && k < e->count; k++) e->mark[k].tight = false;
}

/* Is it above zero, but no event? */
static bool is_beyond(const yk_mark *mark, double g)
{
    return mark->kink && !mark->watched && !mark->off && !mark->tight &&
           g > 0.0 && g <= mark->band;
}

void yk_branch_note(yk_events *e, double t)
{
    for (int k = 0; e->kinks && k < e->count; k++) {
        const yk_mark *mark = &e->mark[k];
        if (!is_beyond(mark, e->g[k])) continue;
        if (e->g[k] <= e->beyond * mark->band) continue;
        e->beyond = e->g[k] / mark->band;
        e->beyond_at = t;
    }
}

bool yk_branch_tighten(yk_events *e)
{
    bool any = false;

    for (int k = 0; e->kinks && k < e->count; k++) {
        yk_mark *mark = &e->mark[k];
        if (!mark->kink || mark->tight || mark->watched ||
            !yk_mark_fires(mark, e->seen[k], e->g[k]))
            continue;
        mark->tight = any = true;
    }
    return any;
}

/* Changes branches as `happened` says, until no kink is above zero; YOKE_RETRY:
 * something that jumps is. */
static yoke_status change(yk_driver *d, double t, const double *x,
                          bool *happened, yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_events *e = &d->events;
    bool more = true;

    for (int round = 0; more && round <= e->count; round++) {
        yk_copy(e->x_moved, x, p->n);
        YK_TRY(yk_system_apply(p->system, yk_time(p, t), x, yk_input(p, t),
                               happened, e->x_moved, err));
        YK_TRY(yk_system_indicate(p->system, yk_time(p, t), x, yk_input(p, t),
                                  e->g_moved, err));
        more = false;
        for (int k = 0; k < e->count; k++) {
            const yk_mark *mark = &e->mark[k];
            const bool above = e->g_moved[k] > 0.0;
            if (!mark->kink && yk_mark_fires(mark, e->seen[k], e->g_moved[k]))
                return YOKE_RETRY;
            happened[k] = mark->kink && !mark->watched && above;
            more = more || happened[k];
        }
    }
    return YOKE_OK;
}

/* f + s q at `at` with the other branches, less f + s q at x as it is, into
 * look.e. */
static yoke_status compare(yk_driver *d, double t, const double *x,
                           const double *at, yoke_err *err)
{
    yk_problem *p = &d->p;
    yk_events *e = &d->events;
    yk_step_look *k = &d->look;
    const double s = k->stages.s;

    YK_TRY(yk_eval(p, t, x, k->q, e->f, err));
    for (int i = 0; i < p->n; i++) e->f[i] += s * k->q[i];
    if (e->branches) yk_system_save(p->system, e->branches);
    memcpy(e->happened, e->other, (size_t)e->count * sizeof *e->other);
    yoke_status status = change(d, t, x, e->happened, err);
    if (status == YOKE_OK) status = yk_eval(p, t, at, k->q, k->e, err);
    if (e->branches) yk_system_restore(p->system, e->branches);
    if (status != YOKE_OK) return status;
    for (int i = 0; i < p->n; i++) k->e[i] += s * k->q[i] - e->f[i];
    return YOKE_OK;
}

/* How far the other branches are away.  The matrix is that of the held ones.  A
 * second step of Newton's iteration shows how wrong it is for the others: that of
 * a diode is 10,000 times larger before it blocks than after. */
static yoke_status weigh(yk_driver *d, double h, double t, const double *x,
                         double *size, yoke_err *err)
{
    yk_step_look *k = &d->look;
    const double noise = 64.0 * DBL_EPSILON / d->p.options.rtol;
    double second = 0.0;

    yk_look_stages(d, h, &k->stages);
    YK_TRY(compare(d, t, x, x, err));
    YK_TRY(yk_look_weigh(d, h, size, err));
    if (!(*size > noise) || *size > YK_EVENT_KINK) return YOKE_OK;
    for (int i = 0; i < d->p.n; i++) k->x[i] = x[i] - k->e[i];
    YK_TRY(compare(d, t, x, k->x, err));
    YK_TRY(yk_look_weigh(d, h, &second, err));
    *size = second < *size ? *size / (1.0 - second / *size) : INFINITY;
    return YOKE_OK;
}

yoke_status yk_branch_test(yk_driver *d, double h, double t, const double *x,
                           bool *tightened, yoke_err *err)
{
    yk_events *e = &d->events;
    double size = 0.0;

    for (int k = 0; k < e->count; k++)
        e->other[k] = is_beyond(&e->mark[k], e->g[k]);
    const yoke_status status = weigh(d, h, t, x, &size, err);
    if (status < 0) return status;
    if (status > 0) size = INFINITY; /* not defined: as much as can be */
    for (int k = 0; k < e->count; k++) {
        yk_mark *mark = &e->mark[k];
        if (!e->other[k]) continue;
        mark->spent += size;
        mark->tight = mark->spent > YK_EVENT_KINK;
        *tightened = *tightened || mark->tight;
    }
    return YOKE_OK;
}
