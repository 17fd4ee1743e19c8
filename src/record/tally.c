/* record/tally.c -- rates, and the work of the last solve of every window.
 *
 * The last solve of a subsystem in a window is the one that counts: its inputs
 * are the final ones, all earlier ones were needed to find them.  Its work,
 * summed over the windows, is about what the subsystem would cost if its inputs
 * were known beforehand; yoke_run_replay measures that instead.
 */
#include "record/tally.h"
#include "run/run.h"

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
    for (int k = 0; k < 2; k++) {
        a->missed[k] = fmax(a->missed[k], b->missed[k]);
        a->cells[k] += b->cells[k];
    }
    if (b->overlooked > a->overlooked) {
        a->overlooked = b->overlooked;
        a->overlooked_time = b->overlooked_time;
        a->overlooked_in = b->overlooked_in;
    }
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
        .missed = { a->missed[0], a->missed[1] },
        .overlooked = a->overlooked,
        .overlooked_time = a->overlooked_time,
        .overlooked_in = a->overlooked_in,
        .cells = { a->cells[0] - b->cells[0], a->cells[1] - b->cells[1] },
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
    for (int k = 0; k < 2; k++) w->cells[k] /= (double)n;
}

static void work_of(const yk_run_plan *plan, int unit, yoke_work *work)
{
    const yoke_propagator *p = &plan->propagator[unit];

    memset(work, 0, sizeof *work);
    if (p->ops) p->ops->work(p->self, work);
}

/* ---- subsystems of the model --------------------------------------------- */

/* A constraint that nobody owns counts for the first subsystem on which its
 * multiplier acts. */
static void place_orphans(const yoke_run *run, int *group)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(run->graph, &link);

    for (int i = 0; i < run->alone->nodes; i++) {
        const int own = run->alone->cluster[i];
        bool alone = yk_model_stepper(run->model, i) == NULL;
        for (int k = 0; k < run->alone->nodes && alone; k++)
            alone = k == i || run->alone->cluster[k] != own;
        for (int l = 0; l < links && alone; l++) {
            if (link[l].from != i || link[l].to == i) continue;
            group[own] = group[run->alone->cluster[link[l].to]];
            alone = false;
        }
    }
}

/* Groups are numbered in the order of the graph. */
static yoke_status make_alone(yoke_run *run, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_schedule *owned = NULL;
    int *group = NULL, *number = NULL;

    YK_GO(yoke_schedule_create(&run->alone, run->graph, YOKE_GAUSS_SEIDEL, 0,
                               NULL, err));
    const int count = run->alone->clusters;
    YK_GO(yk_ints(&group, (size_t)count, err));
    YK_GO(yk_ints(&number, (size_t)count, err));
    for (int c = 0; c < count; c++) {
        group[c] = c;
        number[c] = -1;
    }
    place_orphans(run, group);
    for (int c = 0, next = 0; c < count; c++) {
        if (number[group[c]] < 0) number[group[c]] = next++;
        group[c] = number[group[c]];
    }
    YK_GO(yk_schedule_merge(&owned, run->alone, group, err));
    yoke_schedule_free(run->alone);
    run->alone = owned;
done:
    yk_free(group);
    yk_free(number);
    return status;
}

/* "a+joint"; most have one node. */
static yoke_status name_base(yoke_run *run, int b, int nodes, yoke_err *err)
{
    size_t length = 1;
    char *end = NULL;

    if (nodes == 1)
        return yk_copy_text(
            &run->base[b].name,
            yoke_system_name(yoke_graph_system(run->graph, run->base[b].node)),
            err);
    for (int i = 0; i < run->alone->nodes; i++)
        if (run->alone->cluster[i] == b)
            length +=
                strlen(yoke_system_name(yoke_graph_system(run->graph, i))) + 1;
    YK_TRY(yk_alloc((void **)&run->base[b].name, length, 1, err));
    end = run->base[b].name;
    for (int i = 0; i < run->alone->nodes; i++) {
        const char *name = yoke_system_name(yoke_graph_system(run->graph, i));
        if (run->alone->cluster[i] != b) continue;
        if (end != run->base[b].name) *end++ = '+';
        memcpy(end, name, strlen(name));
        end += strlen(name);
    }
    return YOKE_OK;
}

yoke_status yk_tally_bases(yoke_run *run, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *nodes = NULL;

    YK_GO(make_alone(run, err));
    YK_GO(YK_NEW(&run->base, run->alone->clusters, err));
    run->bases = run->alone->clusters;
    YK_GO(yk_ints(&nodes, (size_t)run->bases, err));
    for (int i = run->alone->nodes - 1; i >= 0; i--) {
        run->base[run->alone->cluster[i]].node = i;
        nodes[run->alone->cluster[i]]++;
    }
    for (int b = 0; b < run->bases; b++)
        YK_GO(name_base(run, b, nodes[b], err));
done:
    yk_free(nodes);
    return status;
}

static int unit_of(const yk_run_plan *plan, const yk_base *b)
{
    return plan->schedule->cluster[b->node];
}

/* The work of the unit that holds a subsystem, as much as counts for it. */
static void add_share(const yk_run_plan *plan, const yk_base *b,
                      yoke_work *work)
{
    const int unit = unit_of(plan, b);
    yoke_work w;

    work_of(plan, unit, &w);
    w.seconds /= plan->members[unit];
    yk_work_add(work, &w);
}

bool yoke_run_work(const yoke_run *run, int i, const char **name,
                   yoke_work *work)
{
    if (i < 0 || i >= run->bases) return false;
    if (name) *name = run->base[i].name;
    *work = run->base[i].past;
    for (int p = 0; p < run->plans; p++)
        if (run->plan[p].propagator)
            add_share(&run->plan[p], &run->base[i], work);
    return true;
}

bool yoke_run_oracle(const yoke_run *run, int i, yoke_work *work)
{
    static const yoke_work nothing = { .sweeps = 0 };

    if (i < 0 || i >= run->bases) return false;
    *work = run->oracle.work      ? run->oracle.work[i]
            : run->base[i].hidden ? nothing
                                  : run->base[i].once;
    return true;
}

/* ---- life and death ------------------------------------------------------ */

yoke_status yk_tally_create(yoke_run *run, yoke_err *err)
{
    run->tally.stride = 1;
    YK_TRY(YK_NEW(&run->tally.fact, YK_WINDOWS_KEPT, err));
    return yk_tally_units(run, err);
}

yoke_status yk_tally_units(yoke_run *run, yoke_err *err)
{
    yk_tally *t = &run->tally;

    t->units = run->plan[0].schedule->clusters;
    yk_free(t->unit);
    t->unit = NULL;
    t->sweeps = 0;
    t->change = NULL;
    return YK_NEW(&t->unit, t->units, err);
}

void yk_tally_archive(yoke_run *run, const yk_run_plan *old)
{
    for (int b = 0; b < run->bases; b++)
        add_share(old, &run->base[b], &run->base[b].past);
}

void yk_tally_free(yoke_run *run)
{
    yk_free(run->tally.fact);
    yk_free(run->tally.unit);
    for (int b = 0; run->base && b < run->bases; b++)
        yk_free(run->base[b].name);
    yk_free(run->base);
    yoke_schedule_free(run->alone);
}

void yk_tally_start(yoke_run *run)
{
    for (int i = 0; i < run->tally.units; i++)
        work_of(&run->plan[0], i, &run->tally.unit[i].seen);
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
    t->change = s->variable_change;
    t->rate = s->sweep >= 3 ? s->rate : NAN;
    for (int i = 0; i < t->units; i++) {
        yk_unit_work *u = &t->unit[i];
        yoke_work now;
        work_of(&run->plan[0], i, &now);
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

    for (int b = 0; b < run->bases; b++) {
        const int unit = unit_of(&run->plan[0], &run->base[b]);
        if (run->plan[0].members[unit] > 1)
            run->base[b].hidden = true;
        else
            yk_work_add(&run->base[b].once, &t->unit[unit].last);
    }
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
