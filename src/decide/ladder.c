/* decide/ladder.c -- rungs that are decided while a run goes on, and the list
 * of all that were taken.
 *
 * After every accepted window the work of iterating a loop in it is compared
 * with what its units would cost as one system (graph/cost.h).  Not all of a
 * loop need be solved as one: pairs are merged one after the other, each time
 * the pair that leaves the least radius of the sweep over a step as long as the
 * window, and what costs least of all these is taken, if it costs clearly less
 * than the iteration does now.
 *
 * If the iteration fails, the loop of the variable that changed most is solved
 * as one, from the last accepted window on, and if that fails all.
 */
#include "decide/ladder.h"
#include "decide/passive.h"

#include "base/text.h"
#include "base/tolerance.h"
#include "decide/policy.h"
#include "graph/contract.h"
#include "graph/cost.h"
#include "graph/graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* More units are not looked at in pairs. */
enum { MOST_PAIRED = 10 };

/* ---- what was decided ---------------------------------------------------- */

yoke_status yk_ladder_say(yk_ladder *l, const char *rung, double t,
                          const char *text, yoke_err *err)
{
    char *copy = NULL;

    YK_TRY(YK_GROW(&l->step, &l->step_room, l->steps + 1, err));
    YK_TRY(yk_copy_text(&copy, text, err));
    l->step[l->steps++] = (yoke_ladder_step){ rung, t, copy };
    return YOKE_OK;
}

/* ---- life and death ------------------------------------------------------ */

/* Parts that cannot be opened stay apart, and clusters of the others are made
 * before a run only; `open`: two or more that are linked. */
static bool any_closed(const yk_ladder *l, bool *open)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(l->graph, &link);
    bool any = false;

    *open = false;
#define CLOSED(i) yoke_system_facts(yoke_graph_system(l->graph, i))->closed
    for (int i = 0; i < yoke_graph_count(l->graph); i++) any = any || CLOSED(i);
    for (int k = 0; k < links; k++)
        *open = *open || (link[k].from != link[k].to && !CLOSED(link[k].from) &&
                          !CLOSED(link[k].to));
#undef CLOSED
    return any;
}

void yk_ladder_open(yk_ladder *l)
{
    const yoke_run_options *o = l->options;
    bool open = false;

    l->failures = o->iterate.accelerate == YOKE_ACCELERATE_AUTO &&
                  o->iterate.stop == YOKE_STOP_ERROR &&
                  o->cluster != YOKE_CLUSTER_NONE && !strchr(o->schedule, ';');
    l->before = l->failures && o->cluster == YOKE_CLUSTER_AUTO &&
                o->iterate.relax == 1.0 && !o->schedule[0] &&
                (o->scheme == YOKE_GAUSS_SEIDEL || o->scheme == YOKE_JACOBI);
    l->fixed = any_closed(l, &open);
    if (!l->fixed) return;
    l->failures = false;
    l->before = l->before && open;
}

void yk_ladder_free_units(yk_ladder *l)
{
    YK_FREE(l->loop, l->first, l->member, l->done, l->one, l->mean_done,
            l->mean_one, l->accepted, l->group, l->trial, l->joins, l->costly);
    l->loop = l->group = l->first = l->member = l->costly = NULL;
    l->trial = l->joins = NULL;
    l->done = l->one = l->mean_done = l->mean_one = NULL;
    l->accepted = NULL;
}

void yk_ladder_free(yk_ladder *l)
{
    for (int i = 0; i < l->steps; i++) yk_free((void *)(size_t)l->step[i].text);
    yk_sums_free(&l->sums);
    YK_FREE(l->step, l->repaired, l->sharp, l->looped);
}

void yk_ladder_reset(yk_ladder *l)
{
    l->loop = l->group = NULL; /* freed with the other parts */
    l->first = l->member = l->trial = l->joins = l->costly = NULL;
    l->done = l->one = l->mean_done = l->mean_one = NULL;
    l->accepted = NULL;
    l->before = l->pending = l->apart = l->again = false;
    yk_sums_free(&l->sums);
}

static yoke_status list_loops(yk_ladder *l, yoke_err *err)
{
    const int units = l->units->plan[0].schedule->clusters;

    YK_TRY(yk_schedule_loops(l->graph, l->units->plan[0].schedule, l->loop,
                             &l->loops, err));
    YK_TRY(yk_ints(&l->first, (size_t)l->loops + 2, err));
    YK_TRY(yk_ints(&l->member, (size_t)units, err));
    YK_TRY(yk_ints(&l->costly, (size_t)l->loops + 1, err));
    for (int c = 0; c < units; c++) l->first[l->loop[c] + 2]++;
    for (int k = 0; k < l->loops; k++) l->first[k + 2] += l->first[k + 1];
    for (int c = 0; c < units; c++) l->member[l->first[l->loop[c] + 1]++] = c;
    return YOKE_OK;
}

yoke_status yk_ladder_units(yk_ladder *l, yoke_err *err)
{
    const size_t units = (size_t)l->units->plan[0].schedule->clusters;

    yk_ladder_free_units(l);
    l->windows = l->rejected = l->block = 0;
    YK_TRY(YK_INTS(units, err, &l->loop, &l->group, &l->trial, &l->joins));
    YK_TRY(YK_DOUBLES(units, err, &l->done, &l->one));
    YK_TRY(YK_DOUBLES(units, err, &l->mean_done, &l->mean_one));
    YK_TRY(YK_NEW(&l->accepted, units, err));
    for (size_t i = 0; i < units; i++)
        l->accepted[i] = l->tally->unit[i].seen.residuals;
    return list_loops(l, err);
}

/* ---- words --------------------------------------------------------------- */

void yk_ladder_names(const yk_ladder *l, const yoke_schedule *schedule,
                     const int *group, int g, char *text, size_t room)
{
    int left = 0;

    for (int b = 0; b < l->tally->bases; b++)
        left += group[schedule->cluster[l->tally->base[b].node]] == g;
    text[0] = '\0';
    for (int b = 0; b < l->tally->bases; b++) {
        if (group[schedule->cluster[l->tally->base[b].node]] != g) continue;
        yk_append(text, room, "%s%s", l->tally->base[b].name,
                  left > 2    ? ", "
                  : left == 2 ? " and "
                              : "");
        left--;
    }
}

/* ---- groups -------------------------------------------------------------- */

yoke_status yk_ladder_number(const yoke_schedule *s, int *group, int *groups,
                             yoke_err *err)
{
    int *number = NULL;

    YK_TRY(yk_ints(&number, (size_t)s->clusters, err));
    for (int c = 0; c < s->clusters; c++) number[c] = -1;
    *groups = 0;
    for (int m = 0; m < s->stage[s->stages]; m++) {
        int *of = &number[group[s->member[m]]];
        if (*of < 0) *of = (*groups)++;
    }
    for (int c = 0; c < s->clusters; c++) group[c] = number[group[c]];
    yk_free(number);
    return YOKE_OK;
}

static bool linked(const yk_ladder *l, const yoke_schedule *s, const int *group,
                   int a, int b)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(l->graph, &link);

    for (int k = 0; k < links; k++) {
        const int from = group[s->cluster[link[k].from]];
        const int to = group[s->cluster[link[k].to]];
        if (yoke_graph_delay_of(l->graph, k).time > 0.0) continue;
        if ((from == a && to == b) || (from == b && to == a)) return true;
    }
    return false;
}

static void unite(int clusters, int *group, int a, int b)
{
    for (int c = 0; c < clusters; c++)
        if (group[c] == b) group[c] = a;
}

/* The groups in the order in which they run. */
static int running(const yoke_schedule *s, const int *group, int *order)
{
    int count = 0;

    for (int m = 0; m < s->stage[s->stages]; m++) {
        const int g = group[s->member[m]];
        bool listed = false;
        for (int k = 0; k < count; k++) listed = listed || order[k] == g;
        if (!listed) order[count++] = g;
    }
    return count;
}

yoke_status yk_ladder_radius(yk_contract *contract, const yoke_schedule *s,
                             const int *group, double *rho, yoke_err *err)
{
    int order[YK_MOST_MERGED];
    const int groups = running(s, group, order);

    const yoke_status status =
        yk_contract_merged(contract, group, groups, order, rho, err);
    if (status == YOKE_RETRY) *rho = INFINITY;
    return status == YOKE_RETRY ? YOKE_OK : status;
}

yoke_status yk_ladder_pair(const yk_ladder *l, yk_contract *contract,
                           const yoke_schedule *s, const int *loop, int which,
                           int *group, double *rho, bool *found, yoke_err *err)
{
    int trial[YK_MOST_MERGED], best[YK_MOST_MERGED];

    *found = false;
    for (int a = 0; a < s->clusters; a++)
        for (int b = a + 1; b < s->clusters; b++) {
            double value = INFINITY;
            if (group[a] == group[b] || (loop && loop[a] != which) ||
                (loop && loop[b] != which) || group[a] != a || group[b] != b ||
                !linked(l, s, group, a, b) ||
                !yk_ladder_alike(l, s, group, a, b))
                continue;
            memcpy(trial, group, (size_t)s->clusters * sizeof *group);
            unite(s->clusters, trial, a, b);
            YK_TRY(yk_ladder_radius(contract, s, trial, &value, err));
            if (*found && !(value < *rho)) continue;
            *found = true;
            *rho = value;
            memcpy(best, trial, sizeof best);
        }
    if (*found) memcpy(group, best, (size_t)s->clusters * sizeof *group);
    return YOKE_OK;
}

/* ---- while the run goes on ------------------------------------------------
 */

/* Residuals of a sweep of one loop if the group of each unit takes the steps of
 * its fastest member. */
static double group_cost(const yk_ladder *l, int which, const int *group, int g)
{
    const int *members = l->units->plan[0].members;
    double most = 0.0;
    int count = 0, units = 0;

    for (int k = l->first[which]; k < l->first[which + 1]; k++) {
        const int c = l->member[k];
        if (group[c] != g) continue;
        most = fmax(most, l->one[c]);
        count += members[c];
        units++;
    }
    return yk_cost_as_one(count, most, l->crowd, units,
                          l->first[which + 1] - l->first[which]);
}

/* Groups are named by one of their units. */
static double sweep_cost(const yk_ladder *l, int which, const int *group)
{
    double sum = 0.0;

    for (int k = l->first[which]; k < l->first[which + 1]; k++)
        if (group[l->member[k]] == l->member[k])
            sum += group_cost(l, which, group, l->member[k]);
    return sum;
}

static int groups_of(const yk_ladder *l, int which, const int *group)
{
    int count = 0;

    for (int c = 0; c < l->units->plan[0].schedule->clusters; c++)
        count += l->loop[c] == which && group[c] == c;
    return count;
}

/* All units of a loop as one.  *may: one stepper may solve them. */
static void unite_loop(const yk_ladder *l, int which, int *group, bool *may)
{
    const yoke_schedule *s = l->units->plan[0].schedule;
    const int one = group[l->member[l->first[which]]];

    for (int c = 0; c < s->clusters; c++) l->joins[c] = 0;
    for (int k = l->first[which]; k < l->first[which + 1]; k++)
        l->joins[group[l->member[k]]] = 1;
    for (int c = 0; c < s->clusters; c++)
        if (l->joins[group[c]]) group[c] = one;
    if (may) *may = yk_ladder_alike(l, s, group, one, one);
}

typedef struct choice {
    double now, cost; /* residuals: iterated as at present; with `group` */
    int *group;
} choice;

static void consider(const yk_ladder *l, int which, const int *group,
                     double sweeps, choice *c)
{
    const double cost = sweeps * sweep_cost(l, which, group);

    if (!(cost < c->cost)) return;
    c->cost = cost;
    memcpy(c->group, group,
           (size_t)l->units->plan[0].schedule->clusters * sizeof *group);
}

/* Looking at all pairs costs eigenvalues: windows 3, 6, 12, 24, ... */
static bool now_and_then(int windows)
{
    const int k = windows / YK_DECIDE_LOOK;

    return k > 0 && windows % YK_DECIDE_LOOK == 0 && (k & (k - 1)) == 0;
}

/* From single units to one system, strongest pairs first. */
static yoke_status pairs(yk_ladder *l, int which, double length, double sweeps,
                         int *group, choice *c, yoke_err *err)
{
    const yoke_schedule *s = l->units->plan[0].schedule;
    yk_contract *contract = NULL;
    double rho = INFINITY, other = INFINITY;
    bool found = true;

    if (s->clusters > MOST_PAIRED || !now_and_then(l->windows)) return YOKE_OK;
    YK_TRY(yk_predict_respond(l->predict, length, &contract, err));
    if (!contract) return YOKE_OK;
    YK_TRY(yk_ladder_radius(contract, s, group, &rho, err));
    while (groups_of(l, which, group) > 2) {
        YK_TRY(yk_ladder_pair(l, contract, s, l->loop, which, group, &other,
                              &found, err));
        if (!found) break;
        consider(l, which, group, yk_cost_sweeps_at(sweeps, rho, other), c);
    }
    return YOKE_OK;
}

static yoke_status choose(yk_ladder *l, int which, double length, choice *c,
                          yoke_err *err)
{
    const yk_unit_plan *p = &l->units->plan[0];
    const int clusters = p->schedule->clusters;
    yoke_status status = YOKE_OK;
    double once = 0.0;
    int *const group = l->trial;
    bool may = false;

    c->now = 0.0;
    c->cost = INFINITY;
    for (int k = 0; k < clusters; k++) {
        group[k] = k;
        if (l->loop[k] != which) continue;
        c->now += p->members[k] * l->done[k];
        once += p->members[k] * l->one[k];
    }
    if (once > 0.0 && c->now > once)
        status = pairs(l, which, length, c->now / once, group, c, err);
    for (int k = 0; k < clusters; k++) group[k] = k;
    if (status == YOKE_OK) unite_loop(l, which, group, &may);
    if (status == YOKE_OK && may) consider(l, which, group, 1.0, c);
    return status;
}

static bool has_events(const yk_cluster *c)
{
    return yoke_system_facts(c->system)->events > 0;
}

/* May the units of a loop restart where the run is?  Not while something waits
 * to happen in one of them. */
static bool is_quiet(const yk_ladder *l, int which)
{
    const yk_unit_plan *plan = &l->units->plan[0];

    for (int k = l->first[which]; k < l->first[which + 1]; k++) {
        const int c = l->member[k];
        const yk_propagator *p = &plan->propagator[c];
        if (!has_events(&plan->cluster[c])) continue;
        if (!p->ops->handover || !p->ops->handover->quiet ||
            !p->ops->handover->quiet(p->self))
            return false;
    }
    return true;
}

/* After a failure: port-Hamiltonian subsystems can be iterated all the same. */
static yoke_status may_be_waves(const yk_ladder *l, int g, bool *waves,
                                yoke_err *err)
{
    const yoke_schedule *s = l->units->plan[0].schedule;
    int *node = NULL, count = 0;

    *waves = false;
    if (!l->robust) return YOKE_OK;
    YK_TRY(yk_ints(&node, (size_t)s->nodes + 1, err));
    for (int i = 0; i < s->nodes; i++)
        if (l->group[s->cluster[i]] == g) node[count++] = i;
    *waves = yk_passive_may(l->model, l->options, count, node);
    yk_free(node);
    return YOKE_OK;
}

/* Has the group two units? */
static bool is_merged(const yk_ladder *l, int g)
{
    const int clusters = l->units->plan[0].schedule->clusters;
    int members = 0;

    for (int c = 0; c < clusters && members < 2; c++)
        members += l->group[c] == g;
    return members > 1;
}

/* Numbers the groups and says what was made one, and why. */
static yoke_status settle(yk_ladder *l, double t, const char *why,
                          yoke_err *err)
{
    const yk_unit_plan *p = &l->units->plan[0];
    char names[400], text[1100];

    YK_TRY(yk_ladder_number(p->schedule, l->group, &l->groups, err));
    for (int g = 0; g < l->groups; g++) {
        if (!is_merged(l, g)) continue;
        yk_ladder_names(l, p->schedule, l->group, g, names, sizeof names);
        bool waves = false;
        YK_TRY(may_be_waves(l, g, &waves, err));
        snprintf(text, sizeof text, "%s are %s%s", names,
                 waves ? "iterated by port waves, which converge without "
                         "conditions"
                       : "merged into one system",
                 why);
        YK_TRY(yk_ladder_say(l,
                             waves            ? "waves"
                             : l->groups == 1 ? "monolithic"
                                              : "cluster",
                             t, text, err));
    }
    l->pending = true;
    l->failed = false;
    l->handovers++;
    return YOKE_OK;
}

/* May one stepper solve each of the groups? */
static bool may_all(const yk_ladder *l)
{
    const yoke_schedule *s = l->units->plan[0].schedule;

    for (int c = 0, last = -1; c < s->clusters; c++) {
        const int g = l->group[c];
        if (g == c || g == last) continue;
        if (!yk_ladder_alike(l, s, l->group, g, g)) return false;
        last = g;
    }
    return true;
}

/* All of the loop, or those of about the same pace. */
static yoke_status judge_many(yk_ladder *l, int which, double t0, double t1,
                              double doubt, yoke_err *err)
{
    yk_many best;
    char why[200];
    bool may = true;

    yk_ladder_many(l, which, t1 - t0, &best);
    if (!yk_cost_is_less(1.0, best.ratio, doubt)) {
        l->costly[which] = 0;
        return YOKE_OK;
    }
    /* A window that was swept twice says little of those that follow. */
    if (++l->costly[which] < YK_DECIDE_AGREE && !l->alike &&
        yk_iteration_settles(l->units->iteration))
        return YOKE_OK;
    if (!is_quiet(l, which)) return YOKE_OK;
    for (int c = 0; c < l->tally->units; c++) l->group[c] = c;
    if (best.limit > 0.0) {
        yk_ladder_teams(l, which, &best, l->group);
        may = may_all(l);
    } else
        unite_loop(l, which, l->group, &may);
    if (!may) return YOKE_OK;
    snprintf(why, sizeof why,
             ": iterating %s takes %.2g times the work predicted for %s",
             best.limit > 0.0 ? "the loop" : "them", best.ratio,
             best.limit == 0.0 ? "one system"
             : best.two        ? "two systems, of slow and of fast ones"
                               : "the slow ones as one");
    return settle(l, t1, why, err);
}

/* Few units that have cost much: by prices; also those that prices have made, which
 * may cost more than was predicted. */
static yoke_status judge_price(yk_ladder *l, int which, double t0, double t1,
                               double doubt, yoke_err *err)
{
    const double ratio = yk_ladder_priced(l, which, t1 - t0, t1);
    char why[200];
    bool may = false;

    if (!yk_cost_is_less(1.0, ratio, doubt) || !is_quiet(l, which))
        return YOKE_OK;
    for (int c = 0; c < l->tally->units; c++) l->group[c] = c;
    unite_loop(l, which, l->group, &may);
    if (!may) return YOKE_OK;
    snprintf(why, sizeof why,
             ": iterating them takes %.2g times the work predicted for one "
             "system, with what small steps cost besides residuals",
             ratio);
    return settle(l, t1, why, err);
}

/* Windows of one sweep are short, and a single one says little: many of them
 * are judged together.  Many units have a judgement of their own, after the first
 * windows. */
static bool by_blocks(const yk_ladder *l)
{
    return l->tally->units <= MOST_PAIRED &&
           yk_iteration_settles(l->units->iteration);
}

static yoke_status judge_loop(yk_ladder *l, int which, double t0, double t1,
                              yoke_err *err)
{
    const double doubt =
        l->windows == 1 ? YK_DECIDE_SAVE_FIRST : YK_DECIDE_SAVE;
    choice c = { .group = l->group };
    char why[200];

    if (l->tally->units > MOST_PAIRED)
        return judge_many(l, which, t0, t1, doubt, err);
    YK_TRY(choose(l, which, t1 - t0, &c, err));
    if (!yk_cost_is_less(c.cost, c.now, doubt)) {
        l->costly[which] = 0;
        return judge_price(l, which, t0, t1, doubt, err);
    }
    if (++l->costly[which] < YK_DECIDE_AGREE && by_blocks(l)) return YOKE_OK;
    if (!is_quiet(l, which)) return YOKE_OK;
    snprintf(why, sizeof why,
             ": iterating them takes %.2g times the residuals predicted for "
             "one system",
             c.now / c.cost);
    return settle(l, t1, why, err);
}

static void count_window(yk_ladder *l)
{
    const bool settles = by_blocks(l);
    const bool first = !settles || l->block == 0;

    l->windows++;
    if (first) l->since = l->tally->t0;
    l->block = settles ? (l->block + 1) % YK_DECIDE_BLOCK : 0;
    for (int i = 0; i < l->tally->units; i++) {
        const yk_unit_work *u = &l->tally->unit[i];
        const long now = u->seen.residuals;
        l->done[i] =
            (first ? 0.0 : l->done[i]) + (double)(now - l->accepted[i]);
        l->one[i] = (first ? 0.0 : l->one[i]) + (double)u->last.residuals;
        l->accepted[i] = now;
        l->mean_done[i] += YK_DECIDE_NEWEST * (l->done[i] - l->mean_done[i]);
        l->mean_one[i] += YK_DECIDE_NEWEST * (l->one[i] - l->mean_one[i]);
    }
}

enum { BINS = 128 };

/* Spreads the residuals of a unit's last solve over the bins of the window and
 * keeps what is most in each. */
static void add_pace(const yk_wave *w, double residuals, double t0, double t1,
                     double most[BINS])
{
    const int pieces = yk_wave_pieces(w);
    const double per = BINS / (t1 - t0);
    double pace[BINS] = { 0.0 };

    for (int k = 0; k < pieces; k++) {
        const double a = (yk_wave_knot(w, k) - t0) * per;
        const double b = (yk_wave_knot(w, k + 1) - t0) * per;
        const double share = residuals / pieces / (b - a);
        const int last = (int)fmin(ceil(b), BINS);
        for (int i = (int)fmax(a, 0.0); i < last && b > a; i++)
            pace[i] += share * (fmin(b, i + 1) - fmax(a, i));
    }
    for (int i = 0; i < BINS; i++) most[i] = fmax(most[i], pace[i]);
}

/* The factor k of all units, in the window just accepted. */
static void count_crowd(yk_ladder *l, double t0, double t1)
{
    double most[BINS] = { 0.0 }, busiest = 0.0, sum = 0.0;

    for (int c = 0; c < l->tally->units; c++) {
        const double one = (double)l->tally->unit[c].last.residuals;
        const yk_wave *w = yk_iteration_iterate(l->units->iteration, 0, c);
        busiest = fmax(busiest, one);
        if (yk_wave_pieces(w) > 0) add_pace(w, one, t0, t1, most);
    }
    for (int i = 0; i < BINS; i++) sum += most[i];
    if (!(busiest > 0.0)) return;
    l->crowd = fmax(1.0, sum / busiest);
}

static yoke_status tell_shorter(yk_ladder *l, double t1, yoke_err *err)
{
    const int rejected = yk_iteration_result(l->units->iteration)->rejected;
    char text[200];

    if (rejected == l->rejected) return YOKE_OK;
    l->rejected = rejected;
    if (l->shortened) return YOKE_OK;
    l->shortened = true;
    snprintf(text, sizeof text,
             "a window did not converge and was repeated with half the length, "
             "down to %.3g",
             t1 - l->tally->t0);
    return yk_ladder_say(l, "window", l->tally->t0, text, err);
}

yoke_status yk_ladder_window(yk_ladder *l, double t1, yoke_err *err)
{
    const double t0 = l->tally->t0;

    count_window(l);
    if (l->before && !l->fixed) count_crowd(l, t0, t1);
    YK_TRY(tell_shorter(l, t1, err));
    if (!l->before || l->fixed || l->apart || l->block > 0 ||
        l->handovers >= YK_DECIDE_MOST_CHANGES || t1 >= l->options->stop)
        return YOKE_OK;
    for (int which = 0; which < l->loops && !l->pending; which++)
        if (l->first[which + 1] - l->first[which] > 1)
            YK_TRY(judge_loop(l, which, t0, t1, err));
    l->length = t1 - t0;
    return YOKE_OK;
}

/* ---- a failure ------------------------------------------------------------
 */

/* The loop whose variable changed most, relative to its tolerance; -1: it
 * cannot be told. */
static yoke_status worst_loop(const yk_ladder *l, int *which, yoke_err *err)
{
    const yoke_iterate_options *o = &l->options->iterate;
    const yk_unit_plan *p = &l->units->plan[0];
    double most = 0.0;
    int v = 0;

    *which = -1;
    for (int c = 0; l->tally->change && c < p->schedule->clusters; c++) {
        double *size = NULL;
        const yk_wave *w = yk_iteration_iterate(l->units->iteration, 0, c);
        YK_TRY(yk_doubles(&size, (size_t)p->cluster[c].outs, err));
        if (yk_wave_pieces(w) > 0 && p->cluster[c].outs > 0)
            yk_wave_distance(w, NULL, size, NULL);
        for (int k = 0; k < p->cluster[c].outs; k++) {
            if (v >= l->units->variables ||
                l->units->variable[v] != p->output_id[c][k])
                continue;
            const double change =
                l->tally->change[v++] / yk_tolerance(o->atol, o->rtol, size[k]);
            if (!(change > most)) continue;
            most = change;
            *which = l->loop[c];
        }
        yk_free(size);
    }
    return YOKE_OK;
}

static bool nothing_united(int clusters, const int *group)
{
    for (int c = 0; c < clusters; c++)
        if (group[c] != c) return false;
    return true;
}

/* Events at one instant that waveforms do not tell of: the units that asked
 * become one with those that feed them, and with all of their circle. */
static yoke_status join_asked(yk_ladder *l, const yoke_err *why, yoke_err *err)
{
    const yk_unit_plan *p = &l->units->plan[0];
    const yoke_schedule *s = p->schedule;
    char text[900];

    for (int c = 0; c < s->clusters; c++) l->group[c] = c;
    for (int c = 0; c < s->clusters; c++)
        for (int k = 0; p->cluster[c].join && k < p->cluster[c].sources; k++) {
            const yk_cluster_source *from = &p->cluster[c].source[k];
            if (!p->cluster[c].join[from->to]) continue;
            unite(s->clusters, l->group, l->group[c],
                  l->group[s->cluster[from->node]]);
            for (int o = 0; o < s->clusters; o++)
                if (p->cluster[c].circle >= 0 &&
                    p->cluster[o].circle == p->cluster[c].circle)
                    unite(s->clusters, l->group, l->group[c], l->group[o]);
        }
    if (nothing_united(s->clusters, l->group)) /* a constraint asked */
        for (int c = 0; c < s->clusters; c++) l->group[c] = 0;
    snprintf(text, sizeof text, ", because of events at one instant: %.800s",
             why->text);
    return settle(l, yk_iteration_time(l->units->iteration), text, err);
}

static yoke_status after_failure(yk_ladder *l, yoke_status failed,
                                 const yoke_err *why, yoke_err *err)
{
    const int clusters = l->units->plan[0].schedule->clusters;
    int which = -1, groups = 0;
    char text[700];

    if (!l->failures || clusters < 2) return YOKE_OK;
    if (failed == YOKE_JOIN) return join_asked(l, why, err);
    YK_TRY(worst_loop(l, &which, err));
    for (int c = 0; c < clusters; c++) l->group[c] = c;
    if (which >= 0) unite_loop(l, which, l->group, NULL);
    for (int c = 0; c < clusters; c++) groups += l->group[c] == c;
    if (groups == clusters || l->robust)
        for (int c = 0; c < clusters; c++) l->group[c] = 0;
    l->robust = true;
    if (!l->repaired) YK_TRY(yk_copy_text(&l->repaired, why->text, err));
    snprintf(text, sizeof text,
             ", because the coupled iteration failed: %.600s", why->text);
    return settle(l, yk_iteration_time(l->units->iteration), text, err);
}

yoke_status yk_ladder_failed(yk_ladder *l, yoke_status failed,
                             const yoke_err *why, yoke_err *err)
{
    YK_TRY(after_failure(l, failed, why, err));
    l->failed = true;
    return YOKE_OK;
}

yoke_status yk_ladder_take(yk_ladder *l, yoke_schedule **out, yoke_err *err)
{
    l->pending = false;
    return yk_schedule_merge(out, l->units->plan[0].schedule, l->group, err);
}
