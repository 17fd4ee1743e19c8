/* sim/tally.c -- rates, and the work of the last solve of every window.
 *
 * The last solve of a subsystem in a window is the one that counts: its inputs
 * are the final ones, all earlier ones were needed to find them.  Its work,
 * summed over the windows, is about what the subsystem would cost if its inputs
 * were known beforehand; yoke_run_replay measures that instead.
 */
#include "sim/tally.h"
#include "sim/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- work --------------------------------------------------------------- */

void yk_work_add(yoke_work *a, const yoke_work *b)
{
    a->sweeps += b->sweeps;
    a->steps += b->steps;
    a->rejected += b->rejected;
    a->residuals += b->residuals;
    a->jacobians += b->jacobians;
    a->factorizations += b->factorizations;
    a->solves += b->solves;
    a->events += b->events;
    a->seconds += b->seconds;
}

yoke_work yk_work_between(const yoke_work *a, const yoke_work *b)
{
    return (yoke_work){
        .sweeps = a->sweeps - b->sweeps,
        .steps = a->steps - b->steps,
        .rejected = a->rejected - b->rejected,
        .residuals = a->residuals - b->residuals,
        .jacobians = a->jacobians - b->jacobians,
        .factorizations = a->factorizations - b->factorizations,
        .solves = a->solves - b->solves,
        .events = a->events - b->events,
        .seconds = a->seconds - b->seconds,
    };
}

/* The mean of `sweeps` solves: of those of a sweep in which a unit runs more
 * than once, or of one that failed before. */
static void divide(yoke_work *w)
{
    const long n = w->sweeps;

    if (n < 2) return;
    w->sweeps = 1;
    w->steps /= n;
    w->rejected /= n;
    w->residuals /= n;
    w->jacobians /= n;
    w->factorizations /= n;
    w->solves /= n;
    w->events /= n;
    w->seconds /= (double)n;
}

static void work_of(const yoke_run *run, int unit, yoke_work *work)
{
    const yoke_propagator *p = &run->plan[0].propagator[unit];

    memset(work, 0, sizeof *work);
    p->ops->work(p->self, work);
}

/* ---- life and death ------------------------------------------------------ */

yoke_status yk_tally_create(yoke_run *run, yoke_err *err)
{
    yk_tally *t = &run->tally;

    t->stride = 1;
    t->units = run->plan[0].schedule->clusters;
    YK_TRY(YK_NEW(&t->fact, YK_WINDOWS_KEPT, err));
    return YK_NEW(&t->unit, t->units, err);
}

void yk_tally_free(yoke_run *run)
{
    yk_free(run->tally.fact);
    yk_free(run->tally.unit);
}

void yk_tally_start(yoke_run *run)
{
    for (int i = 0; i < run->tally.units; i++)
        work_of(run, i, &run->tally.unit[i].seen);
}

/* ---- sweeps and windows ---------------------------------------------------
 */

void yk_tally_sweep(yoke_run *run, const yoke_sweep *s)
{
    yk_tally *t = &run->tally;

    t->sweeps = s->sweep;
    t->t0 = s->t0;
    t->t1 = s->t1;
    if (s->sweep == 1) t->first_change = s->change;
    t->last_change = s->change;
    t->rate = s->sweep >= 3 ? s->rate : NAN;
    for (int i = 0; i < t->units; i++) {
        yk_unit_work *u = &t->unit[i];
        yoke_work now;
        work_of(run, i, &now);
        if (now.sweeps == u->seen.sweeps) continue;
        u->last = yk_work_between(&now, &u->seen);
        divide(&u->last);
        u->seen = now;
    }
}

/* Every other one is dropped when there is no room. */
static void thin_out(yk_tally *t)
{
    for (int k = 0; 2 * k < t->kept; k++) t->fact[k] = t->fact[2 * k];
    t->kept = (t->kept + 1) / 2;
    t->stride *= 2;
}

void yk_tally_window(yoke_run *run, double t0, double t1)
{
    yk_tally *t = &run->tally;

    for (int i = 0; i < t->units; i++)
        yk_work_add(&t->unit[i].once, &t->unit[i].last);
    t->sweeps = 0;
    if (t->skip++ % t->stride != 0) return;
    if (t->kept == YK_WINDOWS_KEPT) {
        thin_out(t);
        if ((t->skip - 1) % t->stride != 0) return;
    }
    t->fact[t->kept++] =
        (yk_window_fact){ t1 - t0, isfinite(t->rate) ? t->rate : NAN };
}

/* ---- medians --------------------------------------------------------------
 */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Orders the values. */
static double median(int count, double *value)
{
    if (count == 0) return NAN;
    qsort(value, (size_t)count, sizeof *value, ascending);
    return 0.5 * (value[(count - 1) / 2] + value[count / 2]);
}

double yk_tally_rate(const yoke_run *run)
{
    double rate[YK_WINDOWS_KEPT];
    int count = 0;

    for (int k = 0; k < run->tally.kept; k++)
        if (!isnan(run->tally.fact[k].rate))
            rate[count++] = run->tally.fact[k].rate;
    return median(count, rate);
}

/* Over the windows in which a rate was measured, so that the two medians can be
 * compared; over all if there is none. */
yoke_status yoke_run_predict(yoke_run *run, double *rate, yoke_err *err)
{
    const bool all = isnan(yk_tally_rate(run));
    double value[YK_WINDOWS_KEPT];
    int count = 0;

    for (int k = 0; k < run->tally.kept; k++) {
        const yk_window_fact *f = &run->tally.fact[k];
        if (!all && isnan(f->rate)) continue;
        YK_TRY(yk_predict_rate(run, f->length, &value[count], err));
        if (!isnan(value[count])) count++;
    }
    run->predicted_rate = *rate = median(count, value);
    return YOKE_OK;
}
