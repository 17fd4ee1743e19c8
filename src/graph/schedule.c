/* graph/schedule.c -- which clusters run in which stage of a sweep. */
#include "graph/graph.h"

#include "base/quoted.h"
#include "base/text.h"
#include "sys/system.h"

#include <ctype.h>
#include <string.h>

void yoke_schedule_free(yoke_schedule *schedule)
{
    if (!schedule) return;
    YK_FREE(schedule->cluster, schedule->stage, schedule->member, schedule);
}

static yoke_status create_empty(yoke_schedule **out, int nodes, int members,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_schedule *s = NULL;

    if (nodes == 0)
        return yk_fail(err, YOKE_E_MODEL, "the model has no subsystem");
    YK_TRY(YK_NEW(&s, 1, err));
    s->nodes = nodes;
    YK_GO(yk_ints(&s->cluster, (size_t)nodes, err));
    YK_GO(yk_ints(&s->stage, (size_t)members + (size_t)nodes + 1, err));
    YK_GO(yk_ints(&s->member, (size_t)members + (size_t)nodes, err));
    for (int i = 0; i < nodes; i++) s->cluster[i] = -1;
    *out = s;
    s = NULL;
done:
    yoke_schedule_free(s);
    return status;
}

/* Owned nodes follow their owners into their clusters. */
static void follow_owners(yoke_schedule *s, const yoke_graph *graph)
{
    for (int i = 0; i < graph->nodes; i++) {
        int root = i;
        while (s->cluster[root] < 0 && graph->node[root].owner >= 0)
            root = graph->node[root].owner;
        s->cluster[i] = s->cluster[root];
    }
}

static yoke_status check_all_placed(const yoke_schedule *s,
                                    const yoke_graph *graph, yoke_err *err)
{
    for (int i = 0; i < graph->nodes; i++)
        if (s->cluster[i] < 0)
            return yk_fail(err, YOKE_E_ARG,
                           "the schedule does not contain \"%s\"",
                           yoke_system_name(graph->node[i].system));
    return YOKE_OK;
}

static void add_stage(yoke_schedule *s, int cluster, bool new_stage)
{
    if (new_stage || s->stages == 0) {
        s->stages++;
        s->stage[s->stages] = s->stage[s->stages - 1];
    }
    s->member[s->stage[s->stages]++] = cluster;
}

static bool is_hidden(const yoke_graph *graph, int node)
{
    return yoke_system_facts(graph->node[node].system)->flags & YOKE_HIDDEN;
}

/* It was not named, and has no owner. */
static bool stands_first(const yoke_schedule *s, const yoke_graph *graph, int i)
{
    return s->cluster[i] < 0 && graph->node[i].owner < 0 && is_hidden(graph, i);
}

/* Hidden nodes that were not named run first, before all others. */
static void place_hidden(yoke_schedule *s, const yoke_graph *graph)
{
    int count = 0;

    for (int i = 0; i < graph->nodes; i++) count += stands_first(s, graph, i);
    if (count == 0) return;
    const int members = s->stage[s->stages];
    for (int k = members - 1; k >= 0; k--) s->member[k + count] = s->member[k];
    for (int k = s->stages; k >= 0; k--) s->stage[k + 1] = s->stage[k] + count;
    s->stage[0] = 0;
    s->stages++;
    count = 0;
    for (int i = 0; i < graph->nodes; i++)
        if (stands_first(s, graph, i))
            s->member[count++] = s->cluster[i] = s->clusters++;
}

/* The nodes that are meant, each once; *out has an entry for each. */
static yoke_status find_order(int **out, const yoke_graph *graph, int count,
                              const char *const *order, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *node = NULL;
    bool *named = NULL;

    YK_GO(yk_ints(&node, (size_t)(count > 0 ? count : 0), err));
    YK_GO(YK_NEW(&named, graph->nodes, err));
    for (int k = 0; k < count; k++) {
        YK_GO(yk_graph_find_part(graph, order[k], strlen(order[k]), &node[k],
                                 err));
        if (named[node[k]])
            YK_GO(yk_fail(err, YOKE_E_ARG, "\"%s\" occurs twice", order[k]));
        named[node[k]] = true;
    }
    *out = node;
    node = NULL;
done:
    if (status != YOKE_OK) yk_prefix(err, "order");
    YK_FREE(node, named);
    return status;
}

/* Nodes that are not owned, in the order given. */
static yoke_status place_in_order(yoke_schedule *s, const yoke_graph *graph,
                                  yoke_scheme scheme, int count,
                                  const char *const *order, yoke_err *err)
{
    int *given = NULL;

    if (order) YK_TRY(find_order(&given, graph, count, order, err));
    if (scheme == YOKE_MONOLITHIC) {
        for (int i = 0; i < graph->nodes; i++) s->cluster[i] = 0;
        s->clusters = 1;
        add_stage(s, 0, true);
        yk_free(given);
        return YOKE_OK;
    }
    const int total = order ? count : graph->nodes;
    const bool split = scheme >= YOKE_PORT_WAVES;
    int passive = -1;
    for (int k = 0; k < total; k++) {
        const int i = given ? given[k] : k;
        if (graph->node[i].owner >= 0 || (!given && is_hidden(graph, i)))
            continue;
        const bool ports =
            split && yoke_system_facts(graph->node[i].system)->ports;
        s->cluster[i] = ports && passive >= 0 ? passive : s->clusters++;
        if (ports && passive >= 0) continue;
        if (ports) passive = s->cluster[i];
        add_stage(s, s->cluster[i], split || scheme == YOKE_GAUSS_SEIDEL);
    }
    place_hidden(s, graph);
    yk_free(given);
    return YOKE_OK;
}

/* Every signal between this node and others with ports has one the other way
 * with the opposite weight, and leaves from a port. */
static bool is_reciprocal(const yoke_graph *graph, int node)
{
    for (int k = 0; k < graph->links; k++) {
        const yoke_link *a = &graph->link[k];
        bool found = false;
        if ((a->to != node && a->from != node) ||
            yoke_graph_delay_of(graph, k).time > 0.0 ||
            !yoke_system_facts(graph->node[a->to].system)->ports ||
            !yoke_system_facts(graph->node[a->from].system)->ports)
            continue;
        for (int l = 0; l < graph->links && !found; l++) {
            const yoke_link *b = &graph->link[l];
            found = b->to == a->from && b->from == a->to &&
                    b->input == a->output && b->output == a->input &&
                    b->weight == -a->weight;
        }
        if (!found) return false;
    }
    return true;
}

/* Linear subsystems that have the port-Hamiltonian form without saying so, and
 * are coupled through it, take part in the schemes for that form. */
static yoke_status find_ports(const yoke_graph *graph, yoke_err *err)
{
    char why[200];
    bool changed = true;

    for (int i = 0; i < graph->nodes; i++)
        YK_TRY(yk_system_derive_ports(graph->node[i].system, 0.0, why,
                                      sizeof why, err));
    while (changed) {
        changed = false;
        for (int i = 0; i < graph->nodes; i++)
            if (graph->node[i].system->derived && !is_reciprocal(graph, i))
                changed = yk_system_forget_ports(graph->node[i].system);
    }
    return YOKE_OK;
}

yoke_status yk_schedule_create(yoke_schedule **out, const yoke_graph *graph,
                               yoke_scheme scheme, int count,
                               const char *const *order, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_schedule *s = NULL;

    if ((int)scheme < 0 || scheme > YOKE_LIONS_MERCIER)
        return yk_fail(err, YOKE_E_ARG, "scheme = %d is not between 0 and %d",
                       (int)scheme, (int)YOKE_LIONS_MERCIER);
    if (scheme >= YOKE_PORT_WAVES) YK_TRY(find_ports(graph, err));
    YK_TRY(create_empty(&s, graph->nodes, graph->nodes, err));
    s->lag_self = scheme == YOKE_PICARD;
    YK_GO(place_in_order(s, graph, scheme, count, order, err));
    follow_owners(s, graph);
    YK_GO(check_all_placed(s, graph, err));
    *out = s;
    s = NULL;
done:
    yoke_schedule_free(s);
    return status;
}

/* ---- other clusters, other order ----------------------------------------- */

yoke_status yk_schedule_merge(yoke_schedule **out, const yoke_schedule *old,
                              const int *group, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_schedule *s = NULL;
    bool *placed = NULL;

    YK_GO(create_empty(&s, old->nodes, old->stage[old->stages], err));
    YK_GO(YK_NEW(&placed, old->clusters, err));
    s->lag_self = old->lag_self;
    for (int k = 0; k < old->stages; k++) {
        bool new_stage = true;
        for (int m = old->stage[k]; m < old->stage[k + 1]; m++) {
            const int g = group[old->member[m]];
            if (placed[g]) continue;
            placed[g] = true;
            add_stage(s, g, new_stage);
            new_stage = false;
            s->clusters++;
        }
    }
    for (int i = 0; i < old->nodes; i++) s->cluster[i] = group[old->cluster[i]];
    *out = s;
    s = NULL;
done:
    yk_free(placed);
    yoke_schedule_free(s);
    return status;
}

yoke_status yk_schedule_reorder(yoke_schedule **out, const yoke_schedule *old,
                                const int *order, yoke_err *err)
{
    yoke_schedule *s = NULL;

    YK_TRY(create_empty(&s, old->nodes, old->clusters, err));
    s->lag_self = old->lag_self;
    s->clusters = old->clusters;
    for (int i = 0; i < old->nodes; i++) s->cluster[i] = old->cluster[i];
    for (int k = 0; k < old->clusters; k++) add_stage(s, order[k], true);
    *out = s;
    return YOKE_OK;
}

/* ---- loops --------------------------------------------------------------- */

/* Links between clusters that count, without a delay, by their source. */
typedef struct arrows {
    int *first; /* of each cluster: its first arrow; clusters + 1 */
    int *to;
} arrows;

/* `at_rest`: delayed links act at once, but for those that know their past. */
static bool counts(const yoke_graph *g, const bool *only, bool at_rest, int l)
{
    const yoke_delay delay = yoke_graph_delay_of(g, l);

    return (!only || only[l]) &&
           (delay.time == 0.0 || (at_rest && !delay.has_past));
}

static yoke_status list_arrows(arrows *a, const yoke_graph *g,
                               const yoke_schedule *s, const bool *only,
                               bool at_rest, yoke_err *err)
{
    YK_TRY(yk_ints(&a->first, (size_t)s->clusters + 2, err));
    YK_TRY(yk_ints(&a->to, (size_t)g->links, err));
    for (int l = 0; l < g->links; l++)
        if (counts(g, only, at_rest, l))
            a->first[s->cluster[g->link[l].from] + 2]++;
    for (int c = 0; c < s->clusters; c++) a->first[c + 2] += a->first[c + 1];
    for (int l = 0; l < g->links; l++)
        if (counts(g, only, at_rest, l))
            a->to[a->first[s->cluster[g->link[l].from] + 1]++] =
                s->cluster[g->link[l].to];
    return YOKE_OK;
}

/* Tarjan's algorithm without recursion. */
typedef struct search {
    const arrows *a;
    int *number, *low, *next; /* of each cluster; number 0: not seen */
    int *path, *stack;        /* of the search; of clusters without a loop */
    int seen, depth, held;
    int *loop, loops;
} search;

static void close_loop(search *s, int c)
{
    int member = 0;

    do {
        member = s->stack[--s->held];
        s->loop[member] = s->loops;
    } while (member != c);
    s->loops++;
}

static void visit(search *s, int c)
{
    s->path[s->depth++] = c;
    s->stack[s->held++] = c;
    s->number[c] = s->low[c] = ++s->seen;
    s->next[c] = s->a->first[c];
}

static void find_loops(search *s, int root)
{
    for (visit(s, root); s->depth > 0;) {
        const int c = s->path[s->depth - 1];
        if (s->next[c] < s->a->first[c + 1]) {
            const int to = s->a->to[s->next[c]++];
            if (s->number[to] == 0)
                visit(s, to);
            else if (s->loop[to] < 0 && s->number[to] < s->low[c])
                s->low[c] = s->number[to];
            continue;
        }
        s->depth--;
        if (s->low[c] == s->number[c])
            close_loop(s, c);
        else if (s->depth > 0 && s->low[c] < s->low[s->path[s->depth - 1]])
            s->low[s->path[s->depth - 1]] = s->low[c];
    }
}

/* Tarjan closes loops behind what they feed, so the numbers are turned round;
 * beginning with the last cluster keeps the order of the others. */
static yoke_status number_loops(const yoke_graph *graph,
                                const yoke_schedule *schedule, const bool *only,
                                bool at_rest, int *loop, int *count,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t n = (size_t)schedule->clusters;
    arrows a = { 0 };
    search s = { .a = &a, .loop = loop };

    YK_GO(list_arrows(&a, graph, schedule, only, at_rest, err));
    YK_GO(YK_INTS(n, err, &s.number, &s.low, &s.next, &s.path, &s.stack));
    for (size_t c = 0; c < n; c++) loop[c] = -1;
    for (int c = schedule->clusters - 1; c >= 0; c--)
        if (s.number[c] == 0) find_loops(&s, c);
    for (size_t c = 0; c < n; c++) loop[c] = s.loops - 1 - loop[c];
    *count = s.loops;
done:
    YK_FREE(a.first, a.to, s.number, s.low, s.next, s.path, s.stack);
    return status;
}

yoke_status yk_schedule_circles(const yoke_graph *graph,
                                const yoke_schedule *schedule, const bool *only,
                                int *loop, int *count, yoke_err *err)
{
    return number_loops(graph, schedule, only, false, loop, count, err);
}

yoke_status yk_schedule_loops(const yoke_graph *graph,
                              const yoke_schedule *schedule, int *loop,
                              int *count, yoke_err *err)
{
    return yk_schedule_circles(graph, schedule, NULL, loop, count, err);
}

yoke_status yk_graph_loops(const yoke_graph *graph, int *loop, int *count,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_schedule each = { .clusters = graph->nodes };

    YK_GO(yk_ints(&each.cluster, (size_t)graph->nodes, err));
    for (int i = 0; i < graph->nodes; i++) each.cluster[i] = i;
    YK_GO(number_loops(graph, &each, NULL, true, loop, count, err));
done:
    yk_free(each.cluster);
    return status;
}

/* ---- reading text ------------------------------------------------------- */

typedef struct reader {
    const yoke_graph *graph;
    yoke_schedule *s;
    const char *text, *p;
} reader;

static void skip_space(reader *r)
{
    while (isspace((unsigned char)*r->p)) r->p++;
}

static yoke_status read_name(reader *r, int *node, yoke_err *err)
{
    yoke_status status;

    skip_space(r);
    const size_t length = yk_quoted_span(r->p, " \t\r\n\v\f+,>");
    if (length == 0)
        return yk_fail(err, YOKE_E_ARG, "a name is missing at character %d",
                       (int)(r->p - r->text) + 1);
    status = yk_graph_find_part(r->graph, r->p, length, node, err);
    if (status != YOKE_OK) return status;
    r->p += length;
    skip_space(r);
    return YOKE_OK;
}

static const char *name_of(const reader *r, int node)
{
    return yoke_system_name(r->graph->node[node].system);
}

/* The members of a stage run at once, so none may be there twice. */
static bool in_last_stage(const yoke_schedule *s, int cluster)
{
    for (int k = s->stage[s->stages - 1]; k < s->stage[s->stages]; k++)
        if (s->member[k] == cluster) return true;
    return false;
}

/* Another visit to a known cluster must name the same members. */
static yoke_status read_cluster(reader *r, bool new_stage, yoke_err *err)
{
    int node = 0, named = 0, cluster = -1, known = 0;

    for (;;) {
        YK_TRY(read_name(r, &node, err));
        if (named == 0)
            cluster = r->s->cluster[node] >= 0 ? r->s->cluster[node]
                                               : r->s->clusters++;
        known += r->s->cluster[node] >= 0;
        if (r->s->cluster[node] >= 0 && r->s->cluster[node] != cluster)
            return yk_fail(err, YOKE_E_ARG, "\"%s\" is in two clusters",
                           name_of(r, node));
        r->s->cluster[node] = cluster;
        named++;
        if (*r->p != '+') break;
        r->p++;
    }
    int size = 0;
    for (int i = 0; i < r->graph->nodes; i++)
        size += r->s->cluster[i] == cluster;
    if (known > 0 && (known != named || size != named))
        return yk_fail(err, YOKE_E_ARG,
                       "the cluster of \"%s\" is named with other members the "
                       "second time",
                       name_of(r, node));
    if (!new_stage && in_last_stage(r->s, cluster))
        return yk_fail(err, YOKE_E_ARG, "\"%s\" occurs twice in one stage",
                       name_of(r, node));
    add_stage(r->s, cluster, new_stage);
    return YOKE_OK;
}

yoke_status yk_schedule_parse(yoke_schedule **out, const yoke_graph *graph,
                              const char *text, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    reader r = { graph, NULL, text, text };
    bool new_stage = true;

    YK_TRY(create_empty(&r.s, graph->nodes, (int)strlen(text) + 1, err));
    for (;;) {
        YK_GO(read_cluster(&r, new_stage, err));
        if (*r.p == '\0') break;
        if (*r.p != ',' && *r.p != '>')
            YK_GO(yk_fail(err, YOKE_E_ARG,
                          "\"%c\" at character %d is not one of + , >", *r.p,
                          (int)(r.p - text) + 1));
        new_stage = *r.p++ == '>';
    }
    place_hidden(r.s, graph);
    follow_owners(r.s, graph);
    YK_GO(check_all_placed(r.s, graph, err));
    *out = r.s;
    r.s = NULL;
done:
    if (status != YOKE_OK) yk_prefix(err, "schedule \"%.300s\"", text);
    yoke_schedule_free(r.s);
    return status;
}

/* ---- text ---------------------------------------------------------------- */

static bool append_cluster(const yoke_schedule *s, const yoke_graph *graph,
                           int cluster, char *text, size_t room)
{
    bool fits = true, first = true;

    for (int i = 0; i < s->nodes; i++) {
        if (s->cluster[i] != cluster) continue;
        fits = yk_append(text, room, "%s%s", first ? "" : " + ",
                         yoke_system_name(graph->node[i].system)) &&
               fits;
        first = false;
    }
    return fits;
}

bool yk_schedule_is_hidden(const yoke_schedule *s, const yoke_graph *graph,
                           int cluster)
{
    for (int i = 0; i < s->nodes; i++)
        if (s->cluster[i] == cluster && !is_hidden(graph, i)) return false;
    return true;
}

bool yoke_schedule_text(const yoke_schedule *s, const yoke_graph *graph,
                        int cluster, char *text, size_t room)
{
    bool fits = true;

    text[0] = '\0';
    if (cluster >= 0)
        return yk_schedule_is_hidden(s, graph, cluster) ||
               append_cluster(s, graph, cluster, text, room);
    for (int stage = 0; stage < s->stages; stage++) {
        bool first = true;

        for (int k = s->stage[stage]; k < s->stage[stage + 1]; k++) {
            if (yk_schedule_is_hidden(s, graph, s->member[k])) continue;
            if (text[0]) yk_append(text, room, first ? " > " : ", ");
            fits = append_cluster(s, graph, s->member[k], text, room) && fits;
            first = false;
        }
    }
    return fits;
}
