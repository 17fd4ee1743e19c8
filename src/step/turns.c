/* step/turns.c -- free oscillations, whose errors add up. */
#include "step/turns.h"

#include "step/drive.h"
#include "step/policy.h"
#include "sys/call.h"

#include <math.h>
#include <string.h>

static bool is_free(const yk_problem *p)
{
    return p->m == 0 && (!p->facts->courses || p->facts->courses->count == 0);
}

yoke_status yk_turns_create(yk_turns *t, const yk_problem *p, yoke_err *err)
{
    t->harder = t->kept_harder = 1.0;
    if (!(p->options.turns > 0.0) || !is_free(p)) return YOKE_OK;
    YK_TRY(YK_NEW(&t->turn, (size_t)p->n + 1, err));
    return YK_NEW(&t->kept, (size_t)p->n + 1, err);
}

void yk_turns_free(yk_turns *t)
{
    YK_FREE(t->turn, t->kept);
}

void yk_turns_keep(yk_driver *d)
{
    yk_turns *t = &d->turns;

    t->kept_harder = t->harder;
    if (t->turn) memcpy(t->kept, t->turn, (size_t)d->p.n * sizeof *t->turn);
}

void yk_turns_back(yk_driver *d)
{
    yk_turns *t = &d->turns;

    t->harder = t->kept_harder;
    if (t->turn) memcpy(t->turn, t->kept, (size_t)d->p.n * sizeof *t->turn);
}

void yk_turns_restart(yk_driver *d)
{
    yk_turns *t = &d->turns;

    t->harder = 1.0;
    for (int i = 0; t->turn && i < d->p.n; i++)
        t->turn[i] = (yk_turn){ .at = d->p.x[i], .time = d->p.t };
}

void yk_turns_start(yk_driver *d)
{
    d->turns.stop = d->p.options.span > 0.0 ? d->p.t + d->p.options.span : 0.0;
    yk_turns_restart(d);
}

/* Unknown i, which comes to x[i] and leaves the other way, turns there. */
static void turn_round(yk_turn *turn, double t, double x, double tolerance)
{
    const double swing = fabs(x - turn->at);
    const bool goes_on = swing > YK_STEP_TURN_SEEN * tolerance &&
                         swing >= YK_STEP_TURN_LEFT * turn->swing;

    turn->count = goes_on ? turn->count + 1 : 0;
    turn->length = t - turn->time;
    turn->at = x;
    turn->swing = swing;
    turn->time = t;
}

/* The turns up to the next breakpoint, of the unknown that has most. */
static double ahead(yk_driver *d)
{
    const double stop = fmax(d->turns.stop, d->p.end);
    const double end =
        d->p.end_break
            ? d->p.end
            : fmin(yk_system_next_break(d->p.system, d->p.end), stop);
    double most = 0.0;

    for (int i = 0; i < d->p.n; i++) {
        const yk_turn *turn = &d->turns.turn[i];
        if (turn->count < YK_STEP_TURN_FEW || !(turn->length > 0.0)) continue;
        most = fmax(most, turn->count + (end - d->p.t) / turn->length);
    }
    return most;
}

/* Not beyond what Newton's method and rounding leave. */
static double harder(const yk_problem *p, double wanted)
{
    const double most =
        fmin(1.0 / YK_STEP_KAPPA, p->options.rtol / YK_STEP_TURN_RTOL);

    return fmax(1.0, fmin(wanted, most));
}

void yk_turns_note(yk_driver *d)
{
    yk_problem *p = &d->p;
    yk_turns *turns = &d->turns;
    const int *const place = p->facts->C->start;
    bool turned = false;

    if (!turns->turn) return;
    for (int i = 0; i < p->n; i++) {
        yk_turn *turn = &turns->turn[i];
        const double by = p->x_new[i] - p->x[i];
        if (place[i] == place[i + 1] || by == 0.0) continue;
        const signed char way = by > 0.0 ? 1 : -1;
        if (turn->way && way != turn->way) {
            turn_round(turn, p->t, p->x[i], yk_tolerance_x(p, i, p->x[i]));
            turned = true;
        }
        turn->way = way;
    }
    if (turned) turns->harder = harder(p, ahead(d) / p->options.turns);
}
