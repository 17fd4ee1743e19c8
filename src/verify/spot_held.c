/* verify/spot_held.c -- is what is held between events right?
 *
 * A piece that is solved again begins with what the run holds (values of
 * relations, states of switches) and finds events as the run does.  So this is
 * asked as well, without any memory of what happened before: are the indicators
 * of held values below zero where the piece begins?
 */
#include "verify/spot.h"

#include "sys/call.h"
#include "sys/system.h"
#include "verify/policy.h"

#include <math.h>

typedef struct point {
    yoke_system *system;
    double t;
    int n, events;
    const double *x, *tolerance, *u;
    double *moved;          /* n */
    double *g, *far, *most; /* events: there; nearby; largest differences */
} point;

/* With the unknowns moved by so many tolerances, in turns if `turns`. */
static yoke_status indicate(const point *p, double by, bool turns, double *g,
                            yoke_err *err)
{
    for (int i = 0; i < p->n; i++)
        p->moved[i] = p->x[i] + (turns && i % 2 ? -by : by) * p->tolerance[i];
    return yk_system_indicate(p->system, p->t, p->moved, p->u, g, err);
}

/* The event that should have happened by more than errors of ten tolerances
 * explain; -1: none. */
static yoke_status find(const point *p, int *wrong, yoke_err *err)
{
    YK_TRY(indicate(p, 0.0, false, p->g, err));
    for (int k = 0; k < 4; k++) {
        YK_TRY(
            indicate(p, k < 2 ? YK_PROMISE : -YK_PROMISE, k % 2, p->far, err));
        for (int e = 0; e < p->events; e++)
            p->most[e] = fmax(p->most[e], fabs(p->far[e] - p->g[e]));
    }
    for (int e = 0; e < p->events; e++) {
        yoke_event_about about;
        yk_system_about(p->system, e, &about);
        if (about.level && !about.kink && !about.watched &&
            p->g[e] > p->most[e])
            *wrong = e;
    }
    return YOKE_OK;
}

yoke_status yk_spot_held(yoke_system *system, double t, const double *x,
                         const double *tolerance, const double *u,
                         yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(system);
    point p = { system, t, f->n, f->events, x, tolerance, u, 0, 0, 0, 0 };
    yoke_event_about about;
    yoke_status status = YOKE_OK;
    int wrong = -1;

    if (f->events == 0) return YOKE_OK;
    YK_GO(yk_doubles(&p.moved, (size_t)p.n + 1, err));
    YK_GO(YK_DOUBLES((size_t)p.events, err, &p.g, &p.far, &p.most));
    if (find(&p, &wrong, NULL) != YOKE_OK || wrong < 0) goto done;
    yk_system_about(system, wrong, &about);
    status = yk_fail(err, YOKE_E_NUMERIC,
                     "spot check: subsystem \"%s\", t = %.9g: %s is held at a "
                     "value that its arguments contradict. The result is wrong "
                     "there: take a smaller step (option step: the longest "
                     "one), or a smaller rtol",
                     yoke_system_name(system), t,
                     about.text ? about.text : "what an event changes");
done:
    YK_FREE(p.moved, p.g, p.far, p.most);
    return status;
}
