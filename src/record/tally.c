/* record/tally.c -- rates, and the work of the last solve of every window.
 *
 * The last solve of a subsystem in a window is the one that counts: its inputs
 * are the final ones, all earlier ones were needed to find them.  Its work,
 * summed over the windows, is about what the subsystem would cost if its inputs
 * were known in advance; yoke_run_replay measures that instead.
 */
#include "record/tally.h"

#include "model/model.h"

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
    if (b->grazes > 0) {
        a->grazed_time = b->grazed_time;
        a->grazed_event = b->grazed_event;
    }
    a->grazes += b->grazes;
    if (b->overlooked > a->overlooked) {
        a->overlooked = b->overlooked;
        a->overlooked_time = b->overlooked_time;
        a->overlooked_in = b->overlooked_in;
    }
    if (b->gain > a->gain) {
        a->gain = b->gain;
        a->gain_time = b->gain_time;
        a->gain_in = b->gain_in;
    }
}

static yoke_work difference(const yoke_work *a, const yoke_work *b)
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
        .grazes = a->grazes - b->grazes,
        .grazed_time = a->grazed_time,
        .grazed_event = a->grazed_event,
        .overlooked = a->overlooked,
        .overlooked_time = a->overlooked_time,
        .overlooked_in = a->overlooked_in,
        .gain = a->gain,
        .gain_time = a->gain_time,
        .gain_in = a->gain_in,
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

static void work_of(const yk_unit_plan *plan, int unit, yoke_work *work)
{
    const yk_propagator *p = &plan->propagator[unit];

    memset(work, 0, sizeof *work);
    if (p->ops) p->ops->work(p->self, work);
}

/* ---- subsystems of the model --------------------------------------------- */

/* A constraint without an owner counts for the first subsystem on which its
 * multiplier acts. */
static void place_orphans(const yk_tally *t, int *group)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(t->model->graph, &link);

    for (int i = 0; i < t->alone->nodes; i++) {
        const int own = t->alone->cluster[i];
        bool alone = yk_model_stepper(t->model, i) == NULL;
        for (int k = 0; k < t->alone->nodes && alone; k++)
            alone = k == i || t->alone->cluster[k] != own;
        for (int l = 0; l < links && alone; l++) {
            if (link[l].from != i || link[l].to == i) continue;
            group[own] = group[t->alone->cluster[link[l].to]];
            alone = false;
        }
    }
}

/* Does the run keep a constraint apart from what it joins? */
static bool any_apart(const yk_tally *t)
{
    const yoke_schedule *s = t->swept->plan[0].schedule;

    for (int c = 0; c < s->clusters && s->clusters > 1; c++)
        if (yk_schedule_is_constraint(s, t->model->graph, c)) return true;
    return false;
}

/* Are these only such as join closed parts? */
static bool only_closed(const yk_tally *t)
{
    const yoke_schedule *s = t->swept->plan[0].schedule;

    for (int i = 0; i < s->nodes; i++)
        if (yk_schedule_is_constraint(s, t->model->graph, s->cluster[i]) &&
            !yk_constraint_joins_closed(t->model->graph, i))
            return false;
    return true;
}

/* Groups are numbered in the order of the graph. */
static yoke_status make_alone(yk_tally *t, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_schedule *owned = NULL;
    int *group = NULL, *number = NULL;

    YK_GO(yk_schedule_create(&t->alone, t->model->graph, YOKE_GAUSS_SEIDEL, 0,
                             NULL, err));
    const int count = t->alone->clusters;
    YK_GO(YK_INTS((size_t)count, err, &group, &number));
    for (int c = 0; c < count; c++) {
        group[c] = c;
        number[c] = -1;
    }
    place_orphans(t, group);
    for (int c = 0, next = 0; c < count; c++) {
        if (number[group[c]] < 0) number[group[c]] = next++;
        group[c] = number[group[c]];
    }
    YK_GO(yk_schedule_merge(&owned, t->alone, group, err));
    yoke_schedule_free(t->alone);
    t->alone = owned;
    if (any_apart(t)) {
        yoke_schedule *apart = NULL;
        YK_GO(yk_schedule_part(&apart, t->model->graph, owned, only_closed(t),
                               err));
        if (apart) {
            yoke_schedule_free(owned);
            t->alone = apart;
        }
    }
done:
    YK_FREE(group, number);
    return status;
}

/* "a+joint"; most have one node. */
static yoke_status name_base(yk_tally *t, int b, int nodes, yoke_err *err)
{
    size_t length = 1;
    char *end = NULL;

    if (nodes == 1)
        return yk_copy_text(&t->base[b].name,
                            yoke_system_name(yoke_graph_system(
                                t->model->graph, t->base[b].node)),
                            err);
    for (int i = 0; i < t->alone->nodes; i++)
        if (t->alone->cluster[i] == b)
            length += strlen(yoke_system_name(
                          yoke_graph_system(t->model->graph, i))) +
                      1;
    YK_TRY(yk_alloc((void **)&t->base[b].name, length, 1, err));
    end = t->base[b].name;
    for (int i = 0; i < t->alone->nodes; i++) {
        const char *name =
            yoke_system_name(yoke_graph_system(t->model->graph, i));
        if (t->alone->cluster[i] != b) continue;
        if (end != t->base[b].name) *end++ = '+';
        memcpy(end, name, strlen(name));
        end += strlen(name);
    }
    return YOKE_OK;
}

yoke_status yk_tally_bases(yk_tally *t, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *nodes = NULL;

    YK_GO(make_alone(t, err));
    YK_GO(YK_NEW(&t->base, t->alone->clusters, err));
    t->bases = t->alone->clusters;
    YK_GO(yk_ints(&nodes, (size_t)t->bases, err));
    for (int i = t->alone->nodes - 1; i >= 0; i--) {
        t->base[t->alone->cluster[i]].node = i;
        nodes[t->alone->cluster[i]]++;
    }
    for (int b = 0; b < t->bases; b++) YK_GO(name_base(t, b, nodes[b], err));
done:
    yk_free(nodes);
    return status;
}

static int unit_of(const yk_unit_plan *plan, const yk_tally_base *b)
{
    return plan->schedule->cluster[b->node];
}

/* The work of the unit that holds a subsystem, as much as counts for it. */
static void add_share(const yk_unit_plan *plan, const yk_tally_base *b,
                      yoke_work *work)
{
    const int unit = unit_of(plan, b);
    yoke_work w;

    work_of(plan, unit, &w);
    w.seconds /= plan->members[unit];
    yk_work_add(work, &w);
}

bool yk_tally_work(const yk_tally *t, int i, const char **name, yoke_work *work)
{
    if (i < 0 || i >= t->bases) return false;
    if (name) *name = t->base[i].name;
    *work = t->base[i].past;
    for (int p = 0; p < t->swept->count; p++)
        if (t->swept->plan[p].propagator)
            add_share(&t->swept->plan[p], &t->base[i], work);
    return true;
}

bool yk_tally_once(const yk_tally *t, int i, yoke_work *work)
{
    static const yoke_work nothing = { .sweeps = 0 };

    if (i < 0 || i >= t->bases) return false;
    *work = t->replayed         ? t->replayed[i]
            : t->base[i].hidden ? nothing
                                : t->base[i].once;
    return true;
}

/* ---- life and death ------------------------------------------------------ */

yoke_status yk_tally_create(yk_tally *t, yoke_err *err)
{
    t->stride = 1;
    YK_TRY(YK_NEW(&t->fact, YK_WINDOWS_KEPT, err));
    return yk_tally_units(t, err);
}

yoke_status yk_tally_units(yk_tally *t, yoke_err *err)
{
    t->units = t->swept->plan[0].schedule->clusters;
    yk_free(t->unit);
    t->unit = NULL;
    t->sweeps = 0;
    t->change = NULL;
    return YK_NEW(&t->unit, t->units, err);
}

void yk_tally_archive(yk_tally *t, const yk_unit_plan *old)
{
    for (int b = 0; b < t->bases; b++)
        add_share(old, &t->base[b], &t->base[b].past);
}

void yk_tally_free(yk_tally *t)
{
    YK_FREE(t->fact, t->unit);
    for (int b = 0; t->base && b < t->bases; b++) yk_free(t->base[b].name);
    yk_free(t->base);
    yoke_schedule_free(t->alone);
    yk_free(t->replayed);
}

void yk_tally_start(yk_tally *t)
{
    for (int i = 0; i < t->units; i++)
        work_of(&t->swept->plan[0], i, &t->unit[i].seen);
}

/* ---- sweeps and windows -------------------------------------------------- */

void yk_tally_sweep(yk_tally *t, const yoke_sweep *s)
{
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
        work_of(&t->swept->plan[0], i, &now);
        if (now.sweeps == u->seen.sweeps) continue;
        u->last = difference(&now, &u->seen);
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

void yk_tally_window(yk_tally *t, double t0, double t1)
{
    for (int b = 0; b < t->bases; b++) {
        const int unit = unit_of(&t->swept->plan[0], &t->base[b]);
        if (t->swept->plan[0].members[unit] > 1)
            t->base[b].hidden = true;
        else
            yk_work_add(&t->base[b].once, &t->unit[unit].last);
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

/* ---- medians ------------------------------------------------------------- */

double yk_median(int count, double *value)
{
    if (count == 0) return NAN;
    qsort(value, (size_t)count, sizeof *value, yk_compare_doubles);
    return 0.5 * (value[(count - 1) / 2] + value[count / 2]);
}

double yk_tally_rate(const yk_tally *t)
{
    double rate[YK_WINDOWS_KEPT];
    int count = 0;

    for (int k = 0; k < t->kept; k++)
        if (!isnan(t->fact[k].rate)) rate[count++] = t->fact[k].rate;
    return yk_median(count, rate);
}
