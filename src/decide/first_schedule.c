/* decide/first_schedule.c -- rungs of the ladder that are decided before a run,
 * at the initial values.
 *
 * Accuracy.  A waveform between two subsystems is accurate to the tolerance,
 * its derivative to the tolerance over the step.  An unknown that answers to an
 * input the more, the shorter the step is, depends on such derivatives: a
 * multiplier of index 2 or 3.  The multiplier of a constraint on accelerations
 * depends on what those are between the steps of others.  So a subsystem with
 * such an unknown is solved as one with those that feed the input.
 *
 * Order.  Every loop comes behind those that feed it; within loops the order is
 * taken that makes the radius of a sweep clearly less than the order of the
 * file does, on short steps and on long ones.  With many clusters it is one in
 * which few outputs are read before they are made (graph/late.c).
 *
 * Colours.  Of few clusters an order by colours (graph/colours.c) is taken if its
 * critical path is shorter by far and its sweeps are as good, by radius and norm:
 * in chains and rings every second part, then the others, and each half runs at
 * once (graph/levels.c).  Gauss and Seidel's iteration has the same radius in all
 * consistent orders (Young, 1954), so this costs nothing on one processor, and is
 * done whatever their number: the result must not depend on that.
 *
 * Strength.  Where the radius on short steps is 1 or more no window is short
 * enough for the sweeps alone, and each needs its correction; where an
 * iteration over a hundredth of the run would take too many sweeps
 * (graph/cost.h), only very many windows are.  Then pairs are merged, each time
 * the one that leaves the least radius, until it is not.  Not where all steppers
 * can correct their steps: one sweep is enough then, whatever its radius.
 */
#include "graph/contract.h"
#include "graph/graph.h"
#include "decide/orders.h"
#include "decide/ladder.h"
#include "decide/policy.h"
#include "graph/cost.h"
#include "graph/levels.h"
#include "graph/policy.h"
#include "step/steppers.h"
#include "yoke/optional.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double span_of(const yk_ladder *l)
{
    return l->options->stop - l->options->start;
}

static yoke_status linearise(yk_ladder *l, yk_contract **out, yoke_err *err)
{
    return yk_contract_create(out, l->graph, l->units->plan[0].schedule,
                              l->options->start,
                              (const double *const *)l->initial->point.x,
                              (const double *const *)l->initial->point.u, err);
}

/* Few enough to look at orders and pairs. */
static bool small(const yk_ladder *l)
{
    const yoke_link *link = NULL;

    return l->units->plan[0].schedule->clusters <= YK_MOST_MERGED &&
           yoke_graph_links(l->graph, &link) <= YK_GRAPH_MOST_SIGNALS;
}

static void replace(yk_ladder *l, yoke_schedule *schedule)
{
    yoke_schedule_free(l->units->plan[0].schedule);
    l->units->plan[0].schedule = schedule;
}

/* The groups become the clusters; `why` of each group: reason[its first]. */
static yoke_status merge(yk_ladder *l, int *group, const char *const *reason,
                         yoke_err *err)
{
    const yoke_schedule *s = l->units->plan[0].schedule;
    yoke_schedule *merged = NULL;
    char names[400], text[1100];
    int groups = 0;

    YK_TRY(yk_ladder_number(s, group, &groups, err));
    for (int g = 0; g < groups; g++) {
        int members = 0;
        const char *why = "";
        for (int c = 0; c < s->clusters; c++) {
            if (group[c] != g) continue;
            members++;
            if (!why[0] && reason[c]) why = reason[c];
        }
        if (members < 2) continue;
        yk_ladder_names(l, s, group, g, names, sizeof names);
        snprintf(text, sizeof text, "%s are merged into one system: %s", names,
                 why);
        YK_TRY(yk_ladder_say(l, groups == 1 ? "monolithic" : "cluster",
                             l->options->start, text, err));
    }
    YK_TRY(yk_schedule_merge(&merged, s, group, err));
    replace(l, merged);
    return YOKE_OK;
}

/* ---- accuracy ------------------------------------------------------------ */

typedef struct accuracy {
    yk_ladder *ladder;
    yk_contract *contract;
    int *group;
    char (*reason)[300];
    const char **told; /* those that are not empty */
    bool found;
} accuracy;

static const char *output_name(const yk_ladder *l, const yk_cluster_source *s,
                               char *text, size_t room)
{
    const yoke_system *from = yoke_graph_system(l->graph, s->node);

    snprintf(text, room, "%.60s.%.60s", yoke_system_name(from),
             yoke_system_facts(from)->y_name[s->output]);
    return text;
}

/* Cluster c and the one that feeds it by source s. */
static void join(accuracy *a, int c, const yk_cluster_source *s,
                 const char *unknown, bool derivative)
{
    const yoke_schedule *schedule = a->ladder->units->plan[0].schedule;
    const int from = schedule->cluster[s->node];
    char source[130];

    if (s->delayed || a->group[from] == a->group[c] ||
        !yk_ladder_alike(a->ladder, schedule, a->group, a->group[c],
                         a->group[from]))
        return;
    const int old = a->group[from];
    for (int k = 0; k < schedule->clusters; k++)
        if (a->group[k] == old) a->group[k] = a->group[c];
    a->found = true;
    if (a->reason[c][0]) return;
    output_name(a->ladder, s, source, sizeof source);
    snprintf(a->reason[c], sizeof a->reason[c],
             derivative ? "%.120s depends on the derivative of %s, which an "
                          "iteration knows less accurately than its values"
                        : "%.120s depends on %s between the steps, where an "
                          "iteration knows it less accurately",
             unknown, source);
    a->told[c] = a->reason[c];
}

/* The first multiplier of a constraint. */
static void multiplier_name(const yk_ladder *l, int node, char *text,
                            size_t room)
{
    const yoke_system *s = yoke_graph_system(l->graph, node);

    snprintf(text, room, "the multiplier %.50s.%.50s", yoke_system_name(s),
             yoke_system_facts(s)->x_name[0]);
}

/* The multiplier of a constraint that reads others. */
static void by_constraint(accuracy *a, int c, const yk_cluster *cluster)
{
    for (int k = 0; k < cluster->sources; k++) {
        const int node = cluster->in[cluster->source[k].to][0];
        char name[130];
        if (!a->ladder->graph->node[node].is_constraint) continue;
        multiplier_name(a->ladder, node, name, sizeof name);
        join(a, c, &cluster->source[k], name, false);
    }
}

static void name_unknown(const accuracy *a, const yk_cluster *cluster,
                         int input, int unknown, char *text, size_t room)
{
    const int node = cluster->in[input][0];

    if (a->ladder->graph->node[node].is_constraint)
        multiplier_name(a->ladder, node, text, room);
    else
        snprintf(text, room, "%.50s%s%.50s",
                 cluster->nodes == 1 ? cluster->name : "",
                 cluster->nodes == 1 ? "." : "",
                 yoke_system_facts(cluster->system)->x_name[unknown]);
}

static yoke_status by_derivative(accuracy *a, int c, const yk_cluster *cluster,
                                 yoke_err *err)
{
    const double h = YK_DECIDE_SHORT_STEP * span_of(a->ladder);
    int input = -1, unknown = -1;

    for (;;) {
        char name[130];
        const yoke_status status =
            yk_contract_deep(a->contract, c, h, input, &input, &unknown, err);
        if (status == YOKE_RETRY) return YOKE_OK;
        YK_TRY(status);
        if (input < 0) return YOKE_OK;
        name_unknown(a, cluster, input, unknown, name, sizeof name);
        for (int k = 0; k < cluster->sources; k++)
            if (cluster->source[k].to == input)
                join(a, c, &cluster->source[k], name, true);
    }
}

/* Once; more may be found among the clusters that come out. */
static yoke_status look(accuracy *a, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int clusters = a->ladder->units->plan[0].schedule->clusters;

    a->found = false;
    YK_GO(linearise(a->ladder, &a->contract, err));
    a->ladder->alike = yk_contract_alike(a->contract, YK_DECIDE_ALIKE) ||
                       yk_contract_price(a->contract) > YK_DECIDE_SAVE;
    YK_GO(yk_ints(&a->group, (size_t)clusters, err));
    YK_GO(YK_NEW(&a->reason, clusters, err));
    YK_GO(YK_NEW(&a->told, clusters, err));
    for (int c = 0; c < clusters; c++) a->group[c] = c;
    for (int c = 0; c < clusters; c++) {
        const yk_cluster *cluster = &yk_contract_clusters(a->contract)[c];
        if (cluster->sources == 0 ||
            yk_cluster_is_constraint(a->ladder->graph, cluster))
            continue;
        YK_GO(by_derivative(a, c, cluster, err));
        by_constraint(a, c, cluster);
    }
    if (a->found) {
        yk_contract_free(a->contract); /* borrows the schedule */
        a->contract = NULL;
        YK_GO(merge(a->ladder, a->group, a->told, err));
    }
done:
    yk_contract_free(a->contract);
    YK_FREE(a->group, a->reason, a->told);
    *a = (accuracy){ .ladder = a->ladder,
                     .found = a->found && status == YOKE_OK };
    return status;
}

/* ---- order --------------------------------------------------------------- */

typedef struct ordering {
    yk_contract *brief, *lengthy;
    int clusters;
    int own[YK_MOST_MERGED]; /* each cluster is a group */
    int best[YK_MOST_MERGED];
    double least;
} ordering;

/* The larger of the two radii. */
static yoke_status judge(void *context, const int *order, double *value,
                         yoke_err *err)
{
    ordering *o = context;
    double other = 0.0;

    YK_TRY(
        yk_contract_merged(o->brief, o->own, o->clusters, order, value, err));
    YK_TRY(yk_contract_merged(o->lengthy, o->own, o->clusters, order, &other,
                              err));
    *value = fmax(*value, other);
    if (!(*value < o->least * (1.0 - YK_DECIDE_SAME_RADIUS))) return YOKE_OK;
    o->least = *value;
    memcpy(o->best, order, (size_t)o->clusters * sizeof *order);
    return YOKE_OK;
}

/* Every loop behind those that feed it, otherwise as it is. */
static void by_loops(int clusters, const int *loop, int loops, int *order)
{
    int old[YK_MOST_MERGED], next = 0;

    memcpy(old, order, (size_t)clusters * sizeof *order);
    for (int l = 0; l < loops; l++)
        for (int k = 0; k < clusters; k++)
            if (loop[old[k]] == l) order[next++] = old[k];
}

static yoke_status take_order(yk_ladder *l, const int *order, double now,
                              double least, yoke_err *err)
{
    yoke_schedule *ordered = NULL;
    char names[500], why[160], text[800];

    YK_TRY(
        yk_schedule_reorder(&ordered, l->units->plan[0].schedule, order, err));
    replace(l, ordered);
    yoke_schedule_text(ordered, l->graph, -1, names, sizeof names);
    if (now > YK_DECIDE_WEAK && least < YK_DECIDE_BETTER_ORDER * now)
        snprintf(why, sizeof why,
                 "a sweep multiplies errors by %.3g instead of %.3g in the "
                 "order of the file",
                 least, now);
    else
        snprintf(why, sizeof why,
                 "then every subsystem comes after those that it reads and "
                 "that do not read it");
    snprintf(text, sizeof text, "order %s: %s", names, why);
    return yk_ladder_say(l, "order", l->options->start, text, err);
}

static yoke_status find_order(yk_ladder *l, ordering *o, int *order,
                              double *now, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_schedule *s = l->units->plan[0].schedule;
    int *loop = NULL, loops = 0;

    YK_GO(yk_ints(&loop, (size_t)s->clusters, err));
    YK_GO(yk_schedule_loops(l->graph, s, loop, &loops, err));
    for (int k = 0; k < s->clusters; k++) order[k] = k;
    by_loops(s->clusters, loop, loops, order);
    YK_GO(judge(o, order, now, err));
    if (*now > YK_DECIDE_WEAK && loops < s->clusters) {
        YK_GO(yk_orders_try(s->clusters, order, judge, o, err));
        if (o->least < YK_DECIDE_BETTER_ORDER * *now) {
            memcpy(order, o->best, (size_t)s->clusters * sizeof *order);
            by_loops(s->clusters, loop, loops, order);
        } else
            for (int k = 0; k < s->clusters; k++) order[k] = k;
        by_loops(s->clusters, loop, loops, order);
    }
done:
    yk_free(loop);
    return status;
}

static yoke_status respond(yk_ladder *l, ordering *o, yoke_err *err)
{
    for (int k = 0; k < o->clusters; k++) o->own[k] = k;
    o->least = INFINITY;
    YK_TRY(linearise(l, &o->brief, err));
    YK_TRY(linearise(l, &o->lengthy, err));
    YK_TRY(
        yk_contract_respond(o->brief, YK_DECIDE_SHORT_STEP * span_of(l), err));
    return yk_contract_respond(o->lengthy, YK_DECIDE_LONG_STEP * span_of(l),
                               err);
}

static yoke_status choose_order(yk_ladder *l, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int clusters = l->units->plan[0].schedule->clusters;
    ordering o = { .clusters = clusters };
    int order[YK_MOST_MERGED];
    double now = NAN;
    bool other = false;

    YK_GO(respond(l, &o, err));
    YK_GO(find_order(l, &o, order, &now, err));
    for (int k = 0; k < clusters; k++) other = other || order[k] != k;
    if (!other) goto done;
    yk_contract_free(o.brief); /* borrow the schedule */
    yk_contract_free(o.lengthy);
    o.brief = o.lengthy = NULL;
    YK_GO(take_order(l, order, now, o.least, err));
done:
    yk_contract_free(o.brief);
    yk_contract_free(o.lengthy);
    return status;
}

/* ---- colours ------------------------------------------------------------- */

/* Work over critical path of the clusters in this order; 0 if more is late than
 * `most`. */
static yoke_status gain_of(const yk_ladder *l, const int *order, int most,
                           double *gain, yoke_err *err)
{
    const yoke_schedule *s = l->units->plan[0].schedule;
    yoke_schedule *ordered = NULL;
    int late = 0;

    *gain = 0.0;
    YK_TRY(yk_schedule_count_late(l->graph, s, order, &late, err));
    if (late > most) return YOKE_OK;
    YK_TRY(yk_schedule_reorder(&ordered, s, order, err));
    const yoke_status status = yk_schedule_gain(gain, ordered, l->graph, err);
    yoke_schedule_free(ordered);
    return status;
}

/* An order that leaves clearly more to be done at once than the one that is
 * there, and not more late components: of three, the one that leaves most. */
static yoke_status find_colours(const yk_ladder *l, int *order, bool *found,
                                double *gain, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_schedule *s = l->units->plan[0].schedule;
    const size_t size = (size_t)s->clusters;
    int now = 0, late = 0, *next = NULL;

    *found = false;
    YK_TRY(yk_schedule_gain(gain, s, l->graph, err));
    *gain *= YK_DECIDE_COLOURS;
    YK_GO(yk_ints(&next, size, err));
    for (int way = 0; way < 3; way++) {
        double here = 0.0;
        if (way == 0)
            YK_GO(yk_schedule_few_late(l->graph, s, next, &now, &late, err));
        else
            YK_GO(yk_schedule_colours(l->graph, s, way == 2, next, err));
        YK_GO(gain_of(l, next, now, &here, err));
        if (!(here > *gain || (here == *gain && !*found))) continue;
        memcpy(order, next, size * sizeof *order);
        *gain = here;
        *found = true;
    }
done:
    yk_free(next);
    return status;
}

static yoke_status take_colours(yk_ladder *l, const int *order, double gain,
                                yoke_err *err)
{
    yoke_schedule *ordered = NULL;
    char text[200];

    YK_TRY(
        yk_schedule_reorder(&ordered, l->units->plan[0].schedule, order, err));
    replace(l, ordered);
    snprintf(text, sizeof text,
             "another order than that of the file: sweeps are as good, and the "
             "work of one is %.3g times its critical path",
             gain);
    return yk_ladder_say(l, "order", l->options->start, text, err);
}

/* Every cluster is a stage, and there are no constraints, which may have to run
 * behind all that they join. */
static bool one_by_one(const yk_ladder *l)
{
    const yoke_schedule *s = l->units->plan[0].schedule;

    for (int i = 0; i < l->graph->nodes; i++)
        if (l->graph->node[i].is_constraint) return false;
    return s->stages == s->clusters && s->stage[s->stages] == s->clusters;
}

/* The larger radius and norm of a sweep on short steps and on long ones. */
static yoke_status judge_schedule(ordering *o, const yoke_schedule *s,
                                  double *radius, double *norm, yoke_err *err)
{
    double rho[2], size[2];

    YK_TRY(yk_contract_sweep(o->brief, s, &rho[0], &size[0], err));
    YK_TRY(yk_contract_sweep(o->lengthy, s, &rho[1], &size[1], err));
    *radius = fmax(rho[0], rho[1]);
    *norm = fmax(size[0], size[1]);
    return YOKE_OK;
}

/* Sweeps are as good: the radius is not larger, or so small that it does not
 * matter, and neither is the norm by more than two late neighbours instead of one
 * make of it.  (In a chain along which signals run, every second order has the
 * radius of the order of the chain, and takes half its length in sweeps.) */
static yoke_status as_good(yk_ladder *l, const int *order, bool *good,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_schedule *s = l->units->plan[0].schedule;
    yoke_schedule *ordered = NULL;
    ordering o = { .clusters = s->clusters };
    double now[2], then[2];

    YK_GO(yk_schedule_reorder(&ordered, s, order, err));
    YK_GO(respond(l, &o, err));
    YK_GO(judge_schedule(&o, s, &now[0], &now[1], err));
    YK_GO(judge_schedule(&o, ordered, &then[0], &then[1], err));
    *good = (then[0] <= YK_DECIDE_WEAK ||
             then[0] <= now[0] * (1.0 + YK_DECIDE_SAME_RADIUS)) &&
            then[1] <= YK_DECIDE_COLOUR_NORM * now[1];
done:
    yk_contract_free(o.brief);
    yk_contract_free(o.lengthy);
    yoke_schedule_free(ordered);
    return status;
}

static yoke_status colour_few(yk_ladder *l, yoke_err *err)
{
    int order[YK_MOST_MERGED];
    double gain = 1.0;
    bool found = false;

    if (!one_by_one(l)) return YOKE_OK;
    YK_TRY(find_colours(l, order, &found, &gain, err));
    if (found) YK_TRY(as_good(l, order, &found, err));
    return found ? take_colours(l, order, gain, err) : YOKE_OK;
}

/* Radii of many clusters are not compared; the order with few late components
 * is. */
static yoke_status order_many(yk_ladder *l, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_schedule *s = l->units->plan[0].schedule;
    yoke_schedule *ordered = NULL;
    int *order = NULL, now = 0, late = 0;
    char text[200];

    YK_GO(yk_ints(&order, (size_t)s->clusters, err));
    YK_GO(yk_schedule_few_late(l->graph, s, order, &now, &late, err));
    if (!(late < YK_DECIDE_FEWER_LATE * now)) goto done;
    YK_GO(yk_schedule_reorder(&ordered, s, order, err));
    replace(l, ordered);
    snprintf(text, sizeof text,
             "another order than that of the file: %d instead of %d coupling "
             "variables are read before they are made",
             late, now);
    YK_GO(yk_ladder_say(l, "order", l->options->start, text, err));
done:
    yk_free(order);
    return status;
}

/* The order is left open, and there are many clusters, each its own stage. */
static bool may_order_many(const yk_ladder *l)
{
    const yoke_run_options *o = l->options;
    const yoke_schedule *s = l->units->plan[0].schedule;

    return o->scheme == YOKE_GAUSS_SEIDEL && !o->order[0] && !o->schedule[0] &&
           o->iterate.relax == 1.0 && !s->lag_self &&
           s->clusters > YK_MOST_MERGED && s->stages == s->clusters &&
           s->stage[s->stages] == s->clusters;
}

/* ---- strength ------------------------------------------------------------ */

/* Until an iteration over a step of length h would take fewer sweeps than the
 * limit; *rho: the radius that is left. */
static yoke_status merge_strong(yk_ladder *l, double h, double limit,
                                double *rho, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_schedule *s = l->units->plan[0].schedule;
    int group[YK_MOST_MERGED];
    const char *reason[YK_MOST_MERGED];
    yk_contract *contract = NULL;
    char why[200];
    bool found = false, merged = false;

    YK_GO(linearise(l, &contract, err));
    YK_GO(yk_contract_respond(contract, h, err));
    for (int c = 0; c < s->clusters; c++) group[c] = c;
    YK_GO(yk_ladder_radius(contract, s, group, rho, err));
    snprintf(why, sizeof why,
             "otherwise a sweep would multiply errors by %.3g over a step of "
             "%.2g%s",
             *rho, h, isfinite(limit) ? "" : ", and over any shorter one");
    while (yk_cost_sweeps(*rho) >= limit) {
        YK_GO(yk_ladder_pair(l, contract, s, NULL, 0, group, rho, &found, err));
        if (!found) break;
        merged = true;
    }
    yk_contract_free(contract); /* borrows the schedule */
    contract = NULL;
    for (int c = 0; c < s->clusters; c++) reason[c] = why;
    if (merged) YK_GO(merge(l, group, reason, err));
done:
    yk_contract_free(contract);
    return status;
}

static yoke_status tell_acceleration(yk_ladder *l, double rho, yoke_err *err)
{
    char text[200];

    if (!(rho > YK_DECIDE_WEAK) || !isfinite(rho)) return YOKE_OK;
    snprintf(text, sizeof text,
             "sweeps are corrected by the linearised sweep: without this, each "
             "would multiply errors by %.3g, however short the window",
             rho);
    return yk_ladder_say(l, "acceleration", l->options->start, text, err);
}

/* All subsystems have steppers whose steps can be corrected: then one sweep is
 * enough, however strong the coupling is (docs/methods/states.md). */
static bool corrected(const yk_ladder *l)
{
    for (int i = 0; i < l->units->plan[0].schedule->nodes; i++) {
        const yoke_stepper_options *o = yk_model_stepper(l->model, i);
        if (o && !yk_stepper_corrects(o->method)) return false;
    }
    return true;
}

/* ---- all ----------------------------------------------------------------- */

static yoke_status decide(yk_ladder *l, yoke_err *err)
{
    accuracy a = { .ladder = l, .found = true };
    double rho = 0.0;

    YK_TRY(yk_first_point_make(l->initial, l->model, l->options, err));
    YK_TRY(yk_ladder_stay(l, err));
    while (a.found && l->units->plan[0].schedule->clusters > 1)
        YK_TRY(look(&a, err));
    if (l->units->plan[0].schedule->clusters < 2 || l->apart || !small(l))
        return YOKE_OK;
    if (l->options->scheme == YOKE_GAUSS_SEIDEL && !l->options->order[0]) {
        YK_TRY(choose_order(l, err));
        YK_TRY(colour_few(l, err));
    }
    if (corrected(l)) return YOKE_OK;
    YK_TRY(merge_strong(l, YK_DECIDE_LONG_STEP * span_of(l), YK_COST_SUBSYSTEM,
                        &rho, err));
    if (l->units->plan[0].schedule->clusters < 2) return YOKE_OK;
    YK_TRY(merge_strong(l, YK_DECIDE_SHORT_STEP * span_of(l), INFINITY, &rho,
                        err));
    return l->units->plan[0].schedule->clusters > 1
               ? tell_acceleration(l, rho, err)
               : YOKE_OK;
}

/* ---- constraints that cannot stay apart ---------------------------------- */

bool yk_ladder_may_join(const yk_ladder *l)
{
    const yoke_schedule *s = l->units->plan ? l->units->plan[0].schedule : NULL;

    if (l->joined || l->fixed || l->units->count != 1 || !s ||
        l->options->cluster == YOKE_CLUSTER_NONE)
        return false;
    for (int c = 0; c < s->clusters; c++)
        if (yk_schedule_is_constraint(s, l->graph, c)) return true;
    return false;
}

/* Each with all that it joins. */
static yoke_status join_constraints(yk_ladder *l, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_schedule *s = l->units->plan[0].schedule;
    static const char why[] = "a constraint between them cannot stay apart";
    const char **reason = NULL;
    int *group = NULL;

    YK_GO(yk_ints(&group, (size_t)s->clusters, err));
    YK_GO(YK_NEW(&reason, s->clusters, err));
    for (int c = 0; c < s->clusters; c++) group[c] = c;
    for (int c = 0; c < s->clusters; c++) reason[c] = why;
    for (int k = 0; k < l->graph->links; k++) {
        const yoke_link *link = &l->graph->link[k];
        const int from = group[s->cluster[link->from]];
        const int to = group[s->cluster[link->to]];
        if (!l->graph->node[link->from].may_stay &&
            !l->graph->node[link->to].may_stay)
            continue;
        for (int c = 0; c < s->clusters; c++)
            if (group[c] == from) group[c] = to;
    }
    YK_GO(merge(l, group, reason, err));
done:
    YK_FREE(group, reason);
    return status;
}

/* Parts that stay apart by the user's wish, in an order that is left open. */
static bool may_colour(const yk_ladder *l)
{
    const yoke_run_options *o = l->options;

    return o->cluster != YOKE_CLUSTER_AUTO && o->scheme == YOKE_GAUSS_SEIDEL &&
           !o->order[0] && !o->schedule[0] && o->iterate.relax == 1.0 &&
           !l->fixed && small(l) && one_by_one(l);
}

static yoke_status colour_apart(yk_ladder *l, yoke_err *err)
{
    int order[YK_MOST_MERGED];
    double gain = 1.0;
    bool found = false;

    YK_TRY(find_colours(l, order, &found, &gain, err));
    if (!found) return YOKE_OK;
    YK_TRY(yk_first_point_make(l->initial, l->model, l->options, err));
    return colour_few(l, err);
}

/* What cannot be found out is left as it is: the start of the run says why. */
yoke_status yk_ladder_before(yk_ladder *l, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };

    if (l->units->plan[0].schedule->clusters < 2) return YOKE_OK;
    if (l->joined && !l->before) YK_TRY(join_constraints(l, err));
    yoke_status status = l->before       ? decide(l, &why)
                         : may_colour(l) ? colour_apart(l, &why)
                                         : YOKE_OK;
    if (status != YOKE_E_MEMORY && may_order_many(l))
        status = order_many(l, &why);
    if (status != YOKE_E_MEMORY) return YOKE_OK;
    if (err) *err = why;
    return status;
}
