/* decide/advise.c -- which order and which owners contract best.
 *
 * A constraint may be owned by any subsystem on which its multiplier acts; the
 * owner decides between alpha and 1 / alpha.  For each choice of owners the
 * clusters are linearised once and all orders judged by the spectral radius of
 * the interface iteration.
 */
#include "graph/contract.h"
#include "decide/orders.h"
#include "decide/policy.h"
#include "model/point.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

typedef struct search {
    const yoke_graph *graph;
    const yoke_run_options *options;
    double h[2]; /* judged at the first; the second, if positive, is reported */
    yk_model_point point;
    int *owner; /* of each node: its owner in this choice, or -1 */
    int room, count;
    yoke_advice *best;
    yk_contract *contract[2]; /* of the present owners, at each h */
    yoke_schedule *schedule;  /* its clusters, in the first order */
    int fixed;                /* hidden clusters, which run first */
    int order[YK_MOST_ORDERED];
} search;

/* An order may be met again while others are exchanged. */
static bool listed(const search *s, const char *schedule)
{
    const int count = s->count < s->room ? s->count : s->room;

    for (int k = 0; k < count; k++)
        if (strcmp(s->best[k].schedule, schedule) == 0) return true;
    return false;
}

static void insert(search *s, const yoke_advice *found)
{
    int at = s->count < s->room ? s->count : s->room;

    s->count++;
    while (at > 0 && s->best[at - 1].rho > found->rho * (1.0 + 1e-12)) {
        if (at < s->room) s->best[at] = s->best[at - 1];
        at--;
    }
    if (at < s->room) s->best[at] = *found;
}

/* The radius of this order; it is kept if it is among the best. */
static yoke_status judge(void *context, const int *order, double *rho,
                         yoke_err *err)
{
    search *s = context;
    yoke_advice found = { .rho = NAN, .rho_window = NAN };
    yoke_schedule staged = *s->schedule;
    double norm = NAN;

    if (order != s->order + s->fixed)
        memcpy(s->order + s->fixed, order,
               (size_t)(staged.clusters - s->fixed) * sizeof *order);
    staged.member = s->order;
    YK_TRY(yk_contract_sweep(s->contract[0], &staged, &found.rho, &found.norm,
                             err));
    if (s->contract[1])
        YK_TRY(yk_contract_sweep(s->contract[1], &staged, &found.rho_window,
                                 &norm, err));
    *rho = found.rho;
    if (yoke_schedule_text(&staged, s->graph, -1, found.schedule,
                           sizeof found.schedule) &&
        (s->schedule->clusters <= YK_ALL_ORDERS || !listed(s, found.schedule)))
        insert(s, &found);
    return YOKE_OK;
}

/* The first order of the clusters of the present owners. */
static yoke_status first_schedule(search *s, yoke_err *err)
{
    yoke_graph copy = *s->graph; /* borrows everything but the owners */
    yoke_status status = YOKE_OK;
    yk_graph_node *node = NULL;

    YK_TRY(YK_NEW(&node, copy.nodes, err));
    for (int i = 0; i < copy.nodes; i++) {
        node[i] = s->graph->node[i];
        node[i].owner = s->owner[i];
    }
    copy.node = node;
    status = yk_schedule_create(&s->schedule, &copy, YOKE_GAUSS_SEIDEL, 0, NULL,
                                err);
    yk_free(node);
    return status;
}

static yoke_status search_orders(search *s, yoke_err *err)
{
    const int n = s->schedule->clusters;
    int at = 0;

    if (n > YK_MOST_ORDERED) return YOKE_OK;
    for (int k = 0; k < n; k++)
        if (yk_schedule_is_hidden(s->schedule, s->graph, k)) s->order[at++] = k;
    s->fixed = at;
    for (int k = 0; k < n; k++)
        if (!yk_schedule_is_hidden(s->schedule, s->graph, k))
            s->order[at++] = k;
    return yk_orders_try(n - s->fixed, s->order + s->fixed, judge, s, err);
}

/* The clusters of the present owners over a step of length h[k]. */
static yoke_status linearise(search *s, int k, yoke_err *err)
{
    YK_TRY(yk_contract_create(&s->contract[k], s->graph, s->schedule,
                              s->options->start,
                              (const double *const *)s->point.x,
                              (const double *const *)s->point.u, err));
    return yk_contract_respond(s->contract[k], s->h[k], err);
}

/* One choice of owners.  Clusters that cannot be solved are no choice; those
 * that cannot over the second step alone are reported without it. */
static yoke_status try_owners(search *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    YK_GO(first_schedule(s, err));
    YK_GO(linearise(s, 0, err));
    if (s->h[1] > 0.0) {
        const yoke_status second = linearise(s, 1, err);
        if (second > 0) {
            yk_contract_free(s->contract[1]);
            s->contract[1] = NULL;
        } else
            YK_GO(second);
    }
    YK_GO(search_orders(s, err));
done:
    for (int k = 0; k < 2; k++) {
        yk_contract_free(s->contract[k]);
        s->contract[k] = NULL;
    }
    yoke_schedule_free(s->schedule);
    s->schedule = NULL;
    return status > 0 ? YOKE_OK : status;
}

static bool acts_on(const yoke_graph *g, int constraint, int node)
{
    for (int l = 0; l < g->links; l++)
        if (g->link[l].from == constraint && g->link[l].to == node) return true;
    return false;
}

/* All owners of the constraints from number `i` on. */
static yoke_status all_owners(search *s, int i, int *tried, yoke_err *err)
{
    const yoke_graph *g = s->graph;

    while (i < g->nodes && !g->node[i].is_constraint) i++;
    if (i == g->nodes) return try_owners(s, err);
    for (int node = 0; node < g->nodes; node++) {
        if (g->node[node].is_constraint || !acts_on(g, i, node)) continue;
        if (++*tried > YK_DECIDE_MOST_OWNERS) return YOKE_OK;
        s->owner[i] = node;
        YK_TRY(all_owners(s, i + 1, tried, err));
    }
    return YOKE_OK;
}

yoke_status yoke_model_advise(yoke_model *model,
                              const yoke_run_options *options, double h,
                              double window, int room, yoke_advice *best,
                              int *count, yoke_err *err)
{
    YK_POINT;
    yoke_status status = YOKE_OK;
    search s = { .graph = yoke_model_graph(model),
                 .options = options,
                 .h = { h, window },
                 .room = room,
                 .best = best };
    int tried = 0;

    if (!(h > 0.0))
        return yk_fail(err, YOKE_E_ARG, "h = %g is not positive", h);
    YK_GO(yk_graph_complete(s.graph, err));
    YK_GO(yk_point_begin(&s.point, s.graph, options, err));
    YK_GO(yk_ints(&s.owner, (size_t)s.graph->nodes, err));
    for (int i = 0; i < s.graph->nodes; i++)
        s.owner[i] = s.graph->node[i].owner;
    YK_GO(all_owners(&s, 0, &tried, err));
    *count = s.count;
done:
    yk_free(s.owner);
    yk_point_clear(&s.point);
    return status;
}
