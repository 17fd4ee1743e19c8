/* step/tape_search.c -- has the correction brought an event into the steps of a sweep?
 *
 * What is held between events (branches, memory) stays as it is in a correction, and
 * the sweep had no event.  So the corrected steps are those of the equations as they
 * are held if none of their indicators rises in them either: they are looked for as
 * in a step that has just been tried (event/locate.c).  Where one rises, the unit is
 * solved again.
 */
#include "step/drive.h"
#include "step/tape.h"
#include "sys/call.h"

#include "base/vector.h"

/* Is there an event in the step as it is now? */
static yoke_status search_step(yk_driver *d, const yk_tape_step *s, bool *found,
                               yoke_err *err)
{
    const yk_tape_method *m = d->tape.method;
    yk_problem *p = &d->p;

    yk_tape_take(d, s);
    yk_copy(p->x, s->x0, p->n);
    m->load(d->self, (const double *const *)s->x, (const double *const *)s->q,
            (const double *const *)s->f);
    yk_copy(p->x_new, s->x[m->stages - 1], p->n);
    return yk_events_search(d, s->end, s->h, found, err);
}

/* In none of them, if there was none in those of the sweep.  What a sweep that
 * began with events, or a method that goes on from its own past, would find is not
 * known. */
yoke_status yk_tape_search(yk_driver *d, yoke_err *err)
{
    yk_tape *tape = &d->tape;
    const yk_tape_loan l = yk_tape_lend(&d->p);
    yoke_status status = YOKE_OK;
    bool found = !tape->whole || tape->method->past > 0;

    if (!found) yk_events_again(&d->events);
    if (d->memory_end) yk_system_restore(d->p.system, d->memory_end);
    for (int k = 0; k < tape->steps && !found && status == YOKE_OK; k++)
        status = search_step(d, &tape->step[k], &found, err);
    yk_tape_give_back(&d->p, &l);
    d->p.wave = NULL;
    yk_copy(d->p.x, d->x_end, d->p.n);
    if (status != YOKE_OK || !found) return status;
    return yk_fail(err, YOKE_RETRY, "there are events");
}
