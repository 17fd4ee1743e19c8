/* graph/cluster.c -- composes the members of each cluster of a schedule.
 *
 * A link is inner if both ends are in the cluster (and, for Picard's scheme,
 * not on the same subsystem) and it has no delay; the others come from
 * outside.
 */
#include "graph/cluster.h"
#include "sys/system.h"

#include <string.h>

/* A single member with at most this many outputs is used as it is, even if not
 * all of them are read. */
enum { FEW_OUTPUTS = 64 };

typedef struct work {
    const yoke_graph *graph;
    const yoke_schedule *schedule;
    const bool *extra;
    bool at_rest;              /* delayed links act at once */
    bool hold;                 /* multipliers of closed parts are known */
    int *first_in, *first_out; /* of each node, in a list of all */
    bool *in_open;             /* of each input: fed from outside its cluster */
    bool *out_used;            /* of each output: wanted outside its cluster */
    int *place;                /* of each node: its place in its cluster */
    int *in_at; /* of each open input: its place in its cluster */
    int *inner; /* of each cluster: number of inner links */
} work;

static void work_clear(work *w)
{
    YK_FREE(w->first_in, w->first_out, w->in_open, w->out_used, w->place,
            w->in_at, w->inner);
}

static const yoke_system_info *facts(const yoke_graph *graph, int node)
{
    return yoke_system_facts(graph->node[node].system);
}

static bool is_inner(const work *w, int l)
{
    const yoke_schedule *s = w->schedule;
    const yoke_link *link = &w->graph->link[l];
    const yoke_delay delay = yoke_graph_delay_of(w->graph, l);

    if (!w->at_rest && facts(w->graph, link->to)->closed) return false;
    if (delay.time > 0.0 && (!w->at_rest || delay.has_past)) return false;
    if (s->cluster[link->to] != s->cluster[link->from]) return false;
    return !(s->lag_self && link->to == link->from);
}

static yoke_status work_create(work *w, yoke_err *err)
{
    const yoke_graph *g = w->graph;
    const size_t nodes = (size_t)g->nodes;
    int ins = 0, outs = 0;

    YK_TRY(YK_INTS(nodes + 1, err, &w->first_in, &w->first_out));
    YK_TRY(yk_ints(&w->place, nodes, err));
    for (int i = 0; i < g->nodes; i++) {
        w->first_in[i] = ins;
        w->first_out[i] = outs;
        ins += facts(g, i)->m;
        outs += facts(g, i)->p;
    }
    w->first_in[nodes] = ins;
    w->first_out[nodes] = outs;
    YK_TRY(YK_NEW(&w->in_open, ins, err));
    YK_TRY(YK_NEW(&w->out_used, outs, err));
    YK_TRY(yk_ints(&w->in_at, (size_t)ins, err));
    YK_TRY(yk_ints(&w->inner, (size_t)w->schedule->clusters, err));
    for (int k = 0; w->extra && k < outs; k++) w->out_used[k] = w->extra[k];
    for (int l = 0; l < g->links; l++) {
        const yoke_link *link = &g->link[l];
        if (is_inner(w, l)) {
            w->inner[w->schedule->cluster[link->to]]++;
            continue;
        }
        w->in_open[w->first_in[link->to] + link->input] = true;
        w->out_used[w->first_out[link->from] + link->output] = true;
    }
    return YOKE_OK;
}

static void cluster_clear(yk_cluster *c)
{
    yoke_system_free(c->composite);
    for (int k = 0; c->held && k < c->nodes; k++) yoke_system_free(c->held[k]);
    YK_FREE(c->held, c->name, c->node, c->x_at, c->in, c->out, c->source);
    for (int k = 0; c->input && k < c->ins; k++)
        yk_free((void *)(size_t)c->input[k].from);
    YK_FREE(c->input, c->join);
}

void yk_clusters_free(yk_cluster *clusters, int count)
{
    for (int i = 0; clusters && i < count; i++) cluster_clear(&clusters[i]);
    yk_free(clusters);
}

/* "a+b+c" */
static yoke_status join_names(yk_cluster *c, const yoke_graph *g, yoke_err *err)
{
    size_t length = 1;

    for (int k = 0; k < c->nodes; k++)
        length += strlen(yoke_system_name(g->node[c->node[k]].system)) + 1;
    YK_TRY(yk_alloc((void **)&c->name, length, 1, err));
    char *end = c->name;
    for (int k = 0; k < c->nodes; k++) {
        const char *name = yoke_system_name(g->node[c->node[k]].system);
        if (k) *end++ = '+';
        memcpy(end, name, strlen(name));
        end += strlen(name);
    }
    return YOKE_OK;
}

static yoke_status place_nodes(yk_cluster *clusters, work *w, yoke_err *err)
{
    const yoke_graph *g = w->graph;
    const int count = w->schedule->clusters;

    for (int i = 0; i < g->nodes; i++)
        w->place[i] = clusters[w->schedule->cluster[i]].nodes++;
    for (int c = 0; c < count; c++) {
        YK_TRY(YK_INTS((size_t)clusters[c].nodes, err, &clusters[c].node,
                       &clusters[c].x_at));
    }
    for (int i = 0; i < g->nodes; i++) {
        yk_cluster *c = &clusters[w->schedule->cluster[i]];
        const int k = w->place[i];
        c->node[k] = i;
        c->x_at[k] = k ? c->x_at[k - 1] + facts(g, c->node[k - 1])->n : 0;
    }
    for (int c = 0; c < count; c++) YK_TRY(join_names(&clusters[c], g, err));
    return YOKE_OK;
}

/* Lists of inputs and outputs; `all` ports, or those marked. */
static yoke_status list_ports(int (**list)[2], int *count, const yk_cluster *c,
                              const int *first, const bool *marked, bool all,
                              int *at, yoke_err *err)
{
    int total = 0, k = 0;

    for (int m = 0; m < c->nodes; m++)
        for (int p = first[c->node[m]]; p < first[c->node[m] + 1]; p++)
            total += all || marked[p];
    YK_TRY(YK_NEW(list, total, err));
    for (int m = 0; m < c->nodes; m++)
        for (int p = first[c->node[m]]; p < first[c->node[m] + 1]; p++) {
            if (!all && !marked[p]) continue;
            (*list)[k][0] = c->node[m];
            (*list)[k][1] = p - first[c->node[m]];
            if (at) at[p] = k;
            k++;
        }
    *count = total;
    return YOKE_OK;
}

static bool serves_alone(const work *w, const yk_cluster *c, int cluster)
{
    const int node = c->node[0];
    int used = 0;

    if (c->nodes > 1 || w->inner[cluster] > 0) return false;
    for (int p = w->first_out[node]; p < w->first_out[node + 1]; p++)
        used += w->out_used[p];
    const int p = facts(w->graph, node)->p;
    return p <= FEW_OUTPUTS || used == p ||
           (facts(w->graph, node)->closed && !w->at_rest);
}

/* Node numbers become numbers of members. */
static yoke_status to_members(int (**out)[2], const int (*list)[2], int count,
                              const work *w, yoke_err *err)
{
    YK_TRY(YK_NEW(out, count, err));
    for (int k = 0; k < count; k++) {
        (*out)[k][0] = w->place[list[k][0]];
        (*out)[k][1] = list[k][1];
    }
    return YOKE_OK;
}

static yoke_status inner_links(yoke_link **out, int *count, const work *w,
                               int cluster, yoke_err *err)
{
    const yoke_graph *g = w->graph;
    int k = 0;

    *count = w->inner[cluster];
    YK_TRY(YK_NEW(out, *count, err));
    if (*count == 0) return YOKE_OK;
    for (int l = 0; l < g->links; l++) {
        yoke_link link = g->link[l];
        if (w->schedule->cluster[link.to] != cluster || !is_inner(w, l))
            continue;
        link.to = w->place[link.to];
        link.from = w->place[link.from];
        (*out)[k++] = link;
    }
    return YOKE_OK;
}

/* In place of a constraint: lambda' = 0, from what it is at the start. */
static yoke_status hold(yoke_system **out, const yoke_system *constraint,
                        yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(constraint);
    const yoke_linear held = { .n = f->n,
                               .m = f->m,
                               .p = f->p,
                               .x0 = f->x0,
                               .x_name = f->x_name,
                               .u_name = f->u_name,
                               .y_name = f->y_name,
                               .eq_name = f->eq_name };

    return yoke_linear_create(out, yoke_system_name(constraint), &held, err);
}

static yoke_status choose_members(yk_cluster *c, const work *w,
                                  yoke_system **member, yoke_err *err)
{
    if (w->hold) YK_TRY(YK_NEW(&c->held, c->nodes, err));
    for (int k = 0; k < c->nodes; k++) {
        const yk_graph_node *node = &w->graph->node[c->node[k]];
        member[k] = node->system;
        if (!w->hold || !node->may_stay ||
            !yk_constraint_joins_closed(w->graph, c->node[k]))
            continue;
        YK_TRY(hold(&c->held[k], node->system, err));
        member[k] = c->held[k];
    }
    return YOKE_OK;
}

static yoke_status compose(yk_cluster *c, const work *w, int cluster,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_system **member = NULL;
    yoke_link *link = NULL;
    int(*open)[2] = NULL, (*out)[2] = NULL, links = 0;

    YK_GO(YK_NEW(&member, c->nodes, err));
    YK_GO(choose_members(c, w, member, err));
    YK_GO(to_members(&open, (const int(*)[2])c->in, c->ins, w, err));
    YK_GO(to_members(&out, (const int(*)[2])c->out, c->outs, w, err));
    YK_GO(inner_links(&link, &links, w, cluster, err));
    const yoke_composition parts = {
        .members = c->nodes,
        .links = links,
        .opens = c->ins,
        .outs = c->outs,
        .member = member,
        .link = link,
        .open = (const int(*)[2])open,
        .out = (const int(*)[2])out,
    };
    YK_GO(yoke_compose(&c->composite, c->name, &parts, err));
    c->system = c->composite;
done:
    YK_FREE(member, link, open, out);
    return status;
}

/* What cannot be opened is a cluster of its own. */
static yoke_status check_closed(const yk_cluster *c, const work *w,
                                yoke_err *err)
{
    if (c->nodes < 2 || w->at_rest) return YOKE_OK;
    for (int k = 0; k < c->nodes; k++)
        if (facts(w->graph, c->node[k])->closed)
            return yk_fail(err, YOKE_E_MODEL,
                           "\"%s\" cannot be solved as one with others: it is "
                           "closed; leave it a cluster of its own",
                           yoke_system_name(w->graph->node[c->node[k]].system));
    return YOKE_OK;
}

static yoke_status build(yk_cluster *c, work *w, int cluster, yoke_err *err)
{
    const bool alone = serves_alone(w, c, cluster);

    YK_TRY(check_closed(c, w, err));
    YK_TRY(list_ports(&c->in, &c->ins, c, w->first_in, w->in_open, alone,
                      w->in_at, err));
    YK_TRY(list_ports(&c->out, &c->outs, c, w->first_out, w->out_used, alone,
                      NULL, err));
    if (!alone) return compose(c, w, cluster, err);
    c->system = w->graph->node[c->node[0]].system;
    return YOKE_OK;
}

static yoke_status place_sources(yk_cluster *clusters, const work *w,
                                 yoke_err *err)
{
    const yoke_graph *g = w->graph;
    const int *cluster = w->schedule->cluster;

    for (int l = 0; l < g->links; l++)
        if (!is_inner(w, l)) clusters[cluster[g->link[l].to]].sources++;
    for (int c = 0; c < w->schedule->clusters; c++) {
        YK_TRY(YK_NEW(&clusters[c].source, clusters[c].sources, err));
        clusters[c].sources = 0;
    }
    for (int l = 0; l < g->links; l++) {
        const yoke_link *link = &g->link[l];
        yk_cluster *c = &clusters[cluster[link->to]];
        if (is_inner(w, l)) continue;
        c->source[c->sources++] = (yk_cluster_source){
            .to = w->in_at[w->first_in[link->to] + link->input],
            .node = link->from,
            .output = link->output,
            .weight = link->weight,
            .link = l,
            .delayed = yoke_graph_delay_of(g, l).time > 0.0,
        };
    }
    return YOKE_OK;
}

yoke_status yk_cluster_one(yk_cluster **out, const yoke_graph *graph,
                           const yoke_schedule *schedule, const bool *extra,
                           int cluster, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    work w = { .graph = graph, .schedule = schedule, .extra = extra };
    yk_cluster *clusters = NULL, *one = NULL;

    YK_GO(work_create(&w, err));
    YK_GO(YK_NEW(&one, 1, err));
    YK_GO(YK_NEW(&clusters, schedule->clusters, err));
    YK_GO(place_nodes(clusters, &w, err));
    YK_GO(build(&clusters[cluster], &w, cluster, err));
    *one = clusters[cluster];
    clusters[cluster] = (yk_cluster){ 0 };
    *out = one;
    one = NULL;
done:
    yk_free(one);
    yk_clusters_free(clusters, schedule->clusters);
    work_clear(&w);
    return status;
}

static yoke_status create(yk_cluster **out, const yoke_graph *graph,
                          const yoke_schedule *schedule, const bool *extra,
                          bool at_rest, bool held, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    work w = { .graph = graph,
               .schedule = schedule,
               .extra = extra,
               .at_rest = at_rest,
               .hold = held };
    yk_cluster *clusters = NULL;
    const int count = schedule->clusters;

    YK_GO(work_create(&w, err));
    YK_GO(YK_NEW(&clusters, count, err));
    YK_GO(place_nodes(clusters, &w, err));
    for (int c = 0; c < count; c++) YK_GO(build(&clusters[c], &w, c, err));
    YK_GO(place_sources(clusters, &w, err));
    if (!at_rest) YK_GO(yk_clusters_jumps(clusters, graph, schedule, err));
    *out = clusters;
    clusters = NULL;
done:
    yk_clusters_free(clusters, count);
    work_clear(&w);
    return status;
}

yoke_status yk_clusters_create(yk_cluster **out, const yoke_graph *graph,
                               const yoke_schedule *schedule, const bool *extra,
                               yoke_err *err)
{
    return create(out, graph, schedule, extra, false, false, err);
}

yoke_status yk_cluster_whole(yk_cluster **out, const yoke_graph *graph,
                             const bool *extra, bool held, yoke_err *err)
{
    yoke_schedule *schedule = NULL;

    YK_TRY(yk_schedule_create(&schedule, graph, YOKE_MONOLITHIC, 0, NULL, err));
    const yoke_status status =
        create(out, graph, schedule, extra, true, held, err);
    yoke_schedule_free(schedule);
    return status;
}

void yk_cluster_gather(const yk_cluster *c, const yoke_graph *g,
                       const double *const *x, const double *const *u,
                       double *all)
{
    const int n = yoke_system_facts(c->system)->n;
    int at = 0, owner = 0, input = 0;

    for (int k = 0; k < c->nodes; k++) {
        const int node = c->node[k];
        const int own = yoke_system_facts(g->node[node].system)->n;
        for (int i = 0; i < own; i++) all[at++] = x[node][i];
    }
    for (int k = 0; u && at + k < n; k++)
        if (yk_composite_kept(c->system, k, &owner, &input))
            all[at + k] = u[c->node[owner]][input];
}
