/* graph/apart.c -- constraints that stay apart from what they join.
 *
 * Two constraints on one subsystem must be solved for their multipliers
 * together: each multiplier moves what the other one holds.  So those that
 * share a subsystem are one cluster.
 */
#include "graph/cluster.h"
#include "graph/graph.h"
#include "base/parents.h"

void yk_schedule_constraints(const yoke_schedule *schedule,
                             const yoke_graph *graph, bool *is)
{
    for (int c = 0; c < schedule->clusters; c++) is[c] = true;
    for (int i = 0; i < graph->nodes; i++)
        if (!graph->node[i].is_constraint) is[schedule->cluster[i]] = false;
}

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

bool yk_cluster_is_constraint(const yoke_graph *graph,
                              const yk_cluster *cluster)
{
    for (int k = 0; k < cluster->nodes; k++)
        if (!graph->node[cluster->node[k]].is_constraint) return false;
    return cluster->nodes > 0;
}

bool yk_constraint_joins_closed(const yoke_graph *graph, int constraint)
{
    for (int l = 0; l < graph->links; l++) {
        const yoke_link *link = &graph->link[l];
        const int other = link->to == constraint     ? link->from
                          : link->from == constraint ? link->to
                                                     : -1;
        if (other >= 0 &&
            yoke_system_facts(yoke_graph_system(graph, other))->closed)
            return true;
    }
    return false;
}

/* Cells that sleep do not tell how their outputs move. */
static bool joins_cells(const yoke_graph *graph, int constraint)
{
    for (int l = 0; l < graph->links; l++) {
        const yoke_link *link = &graph->link[l];
        if (link->from != constraint && link->to != constraint) continue;
        if (yoke_system_facts(yoke_graph_system(graph, link->to))->cells ||
            yoke_system_facts(yoke_graph_system(graph, link->from))->cells)
            return true;
    }
    return false;
}

static bool has_events(const yoke_graph *graph, int node)
{
    return yoke_system_facts(graph->node[node].system)->events > 0;
}

/* stays[i]: node i is a constraint that may stay, and joins parts that can tell
 * how their outputs move, or closed ones, which need not. */
static int find_staying(const yoke_graph *graph, bool closed_only, bool *stays)
{
    int count = 0;

    for (int i = 0; i < graph->nodes; i++) {
        stays[i] = false;
        if (!graph->node[i].may_stay || has_events(graph, i)) continue;
        stays[i] = yk_constraint_joins_closed(graph, i) ||
                   (!closed_only && !joins_cells(graph, i));
        count += stays[i];
    }
    return count;
}

/* Constraints that stay and what they join have one root. */
static void unite_neighbours(const yoke_graph *graph, const bool *stays,
                             int *parent)
{
    for (int i = 0; i < graph->nodes; i++) parent[i] = i;
    for (int l = 0; l < graph->links; l++) {
        const yoke_link *link = &graph->link[l];
        if (stays[link->from] || stays[link->to])
            parent[yk_top(parent, link->from)] = yk_top(parent, link->to);
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
static void place(yoke_schedule *s, const yoke_graph *graph, const bool *stays,
                  int *parent, int *of_root)
{
    for (int i = 0; i < graph->nodes; i++) of_root[i] = -1;
    s->stages++;
    s->stage[s->stages] = s->stage[s->stages - 1];
    for (int i = 0; i < graph->nodes; i++) {
        if (!stays[i]) continue;
        int *const cluster = &of_root[yk_top(parent, i)];
        if (*cluster < 0) {
            *cluster = s->clusters++;
            s->member[s->stage[s->stages]++] = *cluster;
        }
        s->cluster[i] = *cluster;
    }
}

yoke_status yk_schedule_part(yoke_schedule **out, const yoke_graph *graph,
                             const yoke_schedule *old, bool closed_only,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_schedule *s = NULL;
    int *parent = NULL, *of_root = NULL;
    bool *stays = NULL;

    *out = NULL;
    YK_GO(YK_NEW(&stays, graph->nodes + 1, err));
    const int staying = find_staying(graph, closed_only, stays);
    if (staying == 0 || (old->clusters < 2 && !closed_only)) goto done;
    YK_GO(YK_NEW(&s, 1, err));
    YK_GO(yk_ints(&s->cluster, (size_t)old->nodes, err));
    YK_GO(yk_ints(&s->stage, (size_t)old->stages + 2, err));
    YK_GO(
        yk_ints(&s->member, (size_t)(old->stage[old->stages] + staying), err));
    YK_GO(YK_INTS((size_t)graph->nodes, err, &parent, &of_root));
    copy_stages(s, old);
    unite_neighbours(graph, stays, parent);
    place(s, graph, stays, parent, of_root);
    *out = s;
    s = NULL;
done:
    yoke_schedule_free(s);
    YK_FREE(parent, of_root, stays);
    return status;
}

/* What is known of the clusters of a schedule, and of the nodes. */
typedef struct facts {
    bool *apart; /* of each cluster: constraints alone */
    int *stage;  /* the one in which it runs last; -1: none */
    int *holder; /* of each node: a constraint apart that holds it, or -1 */
} facts;

static void learn(const yoke_schedule *s, const yoke_graph *graph, facts *f)
{
    for (int c = 0; c < s->clusters; c++) f->apart[c] = true;
    for (int c = 0; c < s->clusters; c++) f->stage[c] = -1;
    for (int i = 0; i < graph->nodes; i++) {
        f->holder[i] = -1;
        if (!graph->node[i].is_constraint) f->apart[s->cluster[i]] = false;
    }
    for (int k = 0; k < s->stages; k++)
        for (int m = s->stage[k]; m < s->stage[k + 1]; m++)
            f->stage[s->member[m]] = k;
}

/* Constraint `own` and node `joined`, which a link joins; reads: the constraint
 * reads the node. */
static yoke_status check_pair(const yoke_schedule *s, const yoke_graph *graph,
                              facts *f, int own, int joined, bool reads,
                              yoke_err *err)
{
    const int c = s->cluster[own], of = s->cluster[joined];
    const char *name = yoke_system_name(graph->node[own].system);
    const char *other = yoke_system_name(graph->node[joined].system);

    if (!f->apart[c] || of == c) return YOKE_OK;
    if (has_events(graph, own))
        return yk_fail(err, YOKE_E_MODEL,
                       "constraint \"%s\" has relations of outputs, whose "
                       "changes are events of the subsystem it is solved "
                       "with: write \"%s + %s\" in the schedule",
                       name, other, name);
    if (reads && f->stage[of] >= f->stage[c])
        return yk_fail(err, YOKE_E_MODEL,
                       "constraint \"%s\" stands before \"%s\" or "
                       "beside it in the schedule. A constraint cannot be "
                       "solved alone: give it an owner, one of the "
                       "subsystems on which its multiplier acts, or let it "
                       "run behind all that it joins (\"a, b > joint\")",
                       name, other);
    const int rival = f->holder[joined];
    if (rival >= 0 && s->cluster[rival] != c) {
        const char *before = yoke_system_name(graph->node[rival].system);
        return yk_fail(err, YOKE_E_MODEL,
                       "constraints \"%s\" and \"%s\" both act on "
                       "\"%s\": their multipliers must be found together; "
                       "write \"%s + %s\" in the schedule",
                       before, name, other, before, name);
    }
    f->holder[joined] = own;
    return YOKE_OK;
}

yoke_status yk_schedule_check_apart(const yoke_schedule *s,
                                    const yoke_graph *graph, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    facts f = { 0 };

    YK_GO(YK_NEW(&f.apart, s->clusters + 1, err));
    YK_GO(yk_ints(&f.stage, (size_t)s->clusters + 1, err));
    YK_GO(yk_ints(&f.holder, (size_t)graph->nodes + 1, err));
    learn(s, graph, &f);
    for (int l = 0; l < graph->links; l++) {
        const yoke_link *link = &graph->link[l];
        YK_GO(check_pair(s, graph, &f, link->to, link->from, true, err));
        YK_GO(check_pair(s, graph, &f, link->from, link->to, false, err));
    }
done:
    YK_FREE(f.apart, f.stage, f.holder);
    return status;
}
