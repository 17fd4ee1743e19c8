/* graph/apart.c -- constraints that stay apart from what they join.
 *
 * Two constraints on one subsystem must be solved for their multipliers
 * together: each multiplier moves what the other one holds.  So those that
 * share a subsystem are one cluster.
 */
#include "graph/graph.h"

bool yk_schedule_is_constraint(const yoke_schedule *s, const yoke_graph *graph,
                               int cluster)
{
    bool any = false;

    for (int i = 0; i < graph->nodes; i++) {
        if (s->cluster[i] != cluster) continue;
        if (!graph->node[i].is_constraint) return false;
        any = true;
    }
    return any;
}

/* A constraint that may stay, and joins nobody who cannot tell how its outputs
 * move: cells that sleep do not. */
static bool stays(const yoke_graph *graph, int i)
{
    if (!graph->node[i].may_stay) return false;
    for (int l = 0; l < graph->links; l++) {
        const yoke_link *link = &graph->link[l];
        const int other = link->from == i ? link->to
                          : link->to == i ? link->from
                                          : -1;
        if (other >= 0 &&
            yoke_system_facts(yoke_graph_system(graph, other))->cells)
            return false;
    }
    return true;
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Constraints that stay and what they join have one root. */
static void unite_neighbours(const yoke_graph *graph, int *parent)
{
    for (int i = 0; i < graph->nodes; i++) parent[i] = i;
    for (int l = 0; l < graph->links; l++) {
        const yoke_link *link = &graph->link[l];
        if (stays(graph, link->from) || stays(graph, link->to))
            parent[root_of(parent, link->from)] = root_of(parent, link->to);
    }
}

static void copy_stages(yoke_schedule *to, const yoke_schedule *from)
{
    to->nodes = from->nodes;
    to->clusters = from->clusters;
    to->stages = from->stages;
    to->lag_self = from->lag_self;
    for (int i = 0; i < from->nodes; i++) to->cluster[i] = from->cluster[i];
    for (int k = 0; k <= from->stages; k++) to->stage[k] = from->stage[k];
    for (int k = 0; k < from->stage[from->stages]; k++)
        to->member[k] = from->member[k];
}

/* Each root with a constraint that stays gets a cluster in a last stage. */
static void place(yoke_schedule *s, const yoke_graph *graph, int *parent,
                  int *of_root)
{
    for (int i = 0; i < graph->nodes; i++) of_root[i] = -1;
    s->stages++;
    s->stage[s->stages] = s->stage[s->stages - 1];
    for (int i = 0; i < graph->nodes; i++) {
        if (!stays(graph, i)) continue;
        int *const cluster = &of_root[root_of(parent, i)];
        if (*cluster < 0) {
            *cluster = s->clusters++;
            s->member[s->stage[s->stages]++] = *cluster;
        }
        s->cluster[i] = *cluster;
    }
}

yoke_status yk_schedule_part(yoke_schedule **out, const yoke_graph *graph,
                             const yoke_schedule *old, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_schedule *s = NULL;
    int *parent = NULL, *of_root = NULL, staying = 0;

    *out = NULL;
    for (int i = 0; i < graph->nodes; i++) staying += stays(graph, i);
    if (staying == 0 || old->clusters < 2) return YOKE_OK;
    YK_GO(YK_NEW(&s, 1, err));
    YK_GO(yk_ints(&s->cluster, (size_t)old->nodes, err));
    YK_GO(yk_ints(&s->stage, (size_t)old->stages + 2, err));
    YK_GO(
        yk_ints(&s->member, (size_t)(old->stage[old->stages] + staying), err));
    YK_GO(YK_INTS((size_t)graph->nodes, err, &parent, &of_root));
    copy_stages(s, old);
    unite_neighbours(graph, parent);
    place(s, graph, parent, of_root);
    *out = s;
    s = NULL;
done:
    yoke_schedule_free(s);
    YK_FREE(parent, of_root);
    return status;
}

/* The stage in which a cluster runs last. */
static int stage_of(const yoke_schedule *s, int cluster)
{
    int stage = -1;

    for (int k = 0; k < s->stages; k++)
        for (int m = s->stage[k]; m < s->stage[k + 1]; m++)
            if (s->member[m] == cluster) stage = k;
    return stage;
}

/* A link between a member of the cluster and another node; -1: it is not. */
static int other_end(const yoke_schedule *s, const yoke_link *link, int cluster)
{
    if (s->cluster[link->to] == cluster) return link->from;
    return s->cluster[link->from] == cluster ? link->to : -1;
}

/* Another constraint that stays apart, on the same node; NULL: none. */
static const char *rival(const yoke_graph *graph, const yoke_schedule *s,
                         int cluster, int node)
{
    for (int l = 0; l < graph->links; l++) {
        const yoke_link *link = &graph->link[l];
        const int other = link->to == node     ? link->from
                          : link->from == node ? link->to
                                               : -1;
        if (other >= 0 && s->cluster[other] != cluster &&
            yk_schedule_is_constraint(s, graph, s->cluster[other]))
            return yoke_system_name(graph->node[other].system);
    }
    return NULL;
}

yoke_status yk_schedule_check_apart(const yoke_schedule *s,
                                    const yoke_graph *graph, int cluster,
                                    yoke_err *err)
{
    int own = 0;

    while (s->cluster[own] != cluster) own++;
    const char *name = yoke_system_name(graph->node[own].system);
    for (int l = 0; l < graph->links; l++) {
        const int node = other_end(s, &graph->link[l], cluster);
        if (node < 0) continue;
        const char *joined = yoke_system_name(graph->node[node].system);
        const char *other = rival(graph, s, cluster, node);
        if (s->cluster[graph->link[l].to] == cluster &&
            stage_of(s, s->cluster[node]) >= stage_of(s, cluster))
            return yk_fail(err, YOKE_E_MODEL,
                           "constraint \"%s\" stands before \"%s\" or "
                           "beside it in the schedule. A constraint cannot be "
                           "solved alone: give it an owner, one of the "
                           "subsystems on which its multiplier acts, or let it "
                           "run behind all that it joins (\"a, b > joint\")",
                           name, joined);
        if (other)
            return yk_fail(err, YOKE_E_MODEL,
                           "constraints \"%s\" and \"%s\" both act on "
                           "\"%s\": their multipliers must be found together; "
                           "write \"%s + %s\" in the schedule",
                           name, other, joined, name, other);
    }
    return YOKE_OK;
}
