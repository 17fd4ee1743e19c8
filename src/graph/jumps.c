/* graph/jumps.c -- how the inputs of clusters jump at events of other clusters.
 *
 * An output jumps with the events of its own subsystem, or passes on what its
 * inputs do if it depends on them at once: directly, or through algebraic
 * unknowns.  So kinds of jumps spread along links until nothing is new.
 *
 * Two clusters whose events read at one instant what the other's events change
 * form a circle.  Cluster j follows cluster i if something that jumps in i is
 * read by an event of j, or passes through j; a circle is a cycle of that.
 *
 * A link with a delay brings jumps of the past, that at the start among them if
 * the link knows what was before: given like functions of time, new at once
 * whatever made them, and in no circle.
 *
 * Limit: "at once" is asked of the patterns only, so there may be too many.
 */
#include "graph/cluster.h"

#include "sys/system.h"

#include <stdio.h>

typedef struct jumps {
    const yoke_graph *g;
    const int *cluster; /* of each node */
    int *first_out;
    unsigned char *how; /* of all outputs */
    bool *driven;       /* the same: depends on an algebraic unknown */
    bool **at_once;     /* of each node: its algebraic rows, or NULL */
} jumps;

static const yoke_system_info *info(const jumps *j, int node)
{
    return yoke_system_facts(j->g->node[node].system);
}

static void jumps_clear(jumps *j)
{
    for (int i = 0; j->at_once && i < j->g->nodes; i++) yk_free(j->at_once[i]);
    YK_FREE(j->at_once, j->first_out, j->how, j->driven);
}

static bool any_events(const yoke_graph *g)
{
    for (int i = 0; i < g->nodes; i++)
        if (yoke_system_facts(g->node[i].system)->events > 0) return true;
    return false;
}

/* Which outputs depend on unknowns without charge? */
static void find_driven(const yoke_system_info *f, bool *driven)
{
    for (int c = 0; c < f->n; c++)
        for (int k = f->Hx->start[c];
             f->C->start[c] == f->C->start[c + 1] && k < f->Hx->start[c + 1];
             k++)
            driven[f->Hx->row[k]] = true;
}

/* How the events of the subsystem itself make its outputs jump. */
static yoke_status begin(jumps *j, yoke_err *err)
{
    int outs = 0;

    YK_TRY(yk_ints(&j->first_out, (size_t)j->g->nodes + 1, err));
    YK_TRY(YK_NEW(&j->at_once, j->g->nodes, err));
    for (int i = 0; i < j->g->nodes; i++) {
        j->first_out[i] = outs;
        outs += info(j, i)->p;
    }
    j->first_out[j->g->nodes] = outs;
    YK_TRY(YK_NEW(&j->how, outs + 1, err));
    YK_TRY(YK_NEW(&j->driven, outs + 1, err));
    for (int i = 0; i < j->g->nodes; i++) {
        const yoke_system_info *f = info(j, i);
        const unsigned char *own = f->at_events ? f->at_events->jump : NULL;
        for (int k = 0; f->events > 0 && k < f->p; k++)
            j->how[j->first_out[i] + k] = own ? own[k] : YOKE_JUMP_DISCRETE;
        find_driven(f, &j->driven[j->first_out[i]]);
        YK_TRY(YK_NEW(&j->at_once[i], f->n + 1, err));
        yk_system_algebraic_rows(j->g->node[i].system, j->at_once[i]);
    }
    return YOKE_OK;
}

/* An algebraic unknown may follow the input at once. */
static bool drives(const jumps *j, int node, int input)
{
    const yoke_system_info *f = info(j, node);

    if (f->Cu->start[input] < f->Cu->start[input + 1]) return true;
    for (int k = f->Gu->start[input]; k < f->Gu->start[input + 1]; k++)
        if (j->at_once[node][f->Gu->row[k]]) return true;
    return false;
}

/* Output k jumps in this way, too; true: that is new. */
static bool add(const jumps *j, int node, int k, unsigned char how)
{
    unsigned char *out = &j->how[j->first_out[node] + k];
    const bool news = (*out | how) != *out;

    *out |= how;
    return news;
}

/* What an input that jumps in this way does to outputs; true: something new. */
static bool pass(const jumps *j, int node, int input, unsigned char how)
{
    const yoke_system_info *f = info(j, node);
    const bool *driven = &j->driven[j->first_out[node]];
    bool news = false;

    for (int k = f->Hu->start[input]; k < f->Hu->start[input + 1]; k++)
        if (add(j, node, f->Hu->row[k], how)) news = true;
    if (!drives(j, node, input)) return news;
    for (int k = 0; k < f->p; k++)
        if (driven[k] && add(j, node, k, how)) news = true;
    return news;
}

static bool passes(const jumps *j, int node, int input)
{
    const yoke_system_info *f = info(j, node);

    return f->Hu->start[input] < f->Hu->start[input + 1] ||
           drives(j, node, input);
}

static bool delayed(const jumps *j, int l)
{
    return yoke_graph_delay_of(j->g, l).time > 0.0;
}

/* How what link l carries jumps. */
static unsigned char arrives(const jumps *j, int l)
{
    const yoke_link *link = &j->g->link[l];
    const unsigned char how = j->how[j->first_out[link->from] + link->output];

    if (!delayed(j, l)) return how;
    return how || yoke_graph_delay_of(j->g, l).has_past ? YOKE_JUMP_DISCRETE
                                                        : 0;
}

static void spread(const jumps *j)
{
    for (bool news = true; news;) {
        news = false;
        for (int l = 0; l < j->g->links; l++) {
            const yoke_link *link = &j->g->link[l];
            const unsigned char how = arrives(j, l);
            if (how && pass(j, link->to, link->input, how)) news = true;
        }
    }
}

/* ---- Circles ------------------------------------------------------------- */

static bool reads(const jumps *j, int node, int input)
{
    const yoke_event_facts *f = info(j, node)->at_events;

    return f && f->reads && (f->reads[input] & YOKE_READS_NOW);
}

/* The link carries a jump on which something at its end depends at once. */
static bool carries(const jumps *j, int l)
{
    const yoke_link *link = &j->g->link[l];

    return arrives(j, l) && !delayed(j, l) &&
           (reads(j, link->to, link->input) ||
            passes(j, link->to, link->input));
}

static yoke_status find_circles(const jumps *j, const yoke_schedule *schedule,
                                yk_cluster *clusters, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *carry = NULL;
    int *loop = NULL, *members = NULL, loops = 0;

    YK_GO(YK_NEW(&carry, j->g->links + 1, err));
    YK_GO(YK_INTS((size_t)schedule->clusters, err, &loop, &members));
    for (int l = 0; l < j->g->links; l++) carry[l] = carries(j, l);
    YK_GO(yk_schedule_circles(j->g, schedule, carry, loop, &loops, err));
    for (int c = 0; c < schedule->clusters; c++) members[loop[c]]++;
    for (int c = 0; c < schedule->clusters; c++)
        clusters[c].circle = members[loop[c]] > 1 ? loop[c] : -1;
done:
    YK_FREE(carry, loop, members);
    return status;
}

/* ---- Inputs of clusters -------------------------------------------------- */

static yoke_status name_output(char **out, const jumps *j,
                               const yk_cluster_source *s, yoke_err *err)
{
    char name[160];

    snprintf(name, sizeof name, "%.70s.%.70s",
             yoke_system_name(j->g->node[s->node].system),
             info(j, s->node)->y_name[s->output]);
    return yk_copy_text(out, name, err);
}

static yoke_status tell(const jumps *j, yk_cluster *clusters, yk_cluster *c,
                        yoke_err *err)
{
    YK_TRY(YK_NEW(&c->input, c->ins + 1, err));
    YK_TRY(YK_NEW(&c->join, c->ins + 1, err));
    for (int k = 0; k < c->sources; k++) {
        const yk_cluster_source *s = &c->source[k];
        const yk_cluster *from = &clusters[j->cluster[s->node]];
        const unsigned char how = arrives(j, s->link);
        yoke_input_facts *to = &c->input[s->to];
        char *name = NULL;
        if (!how) continue;
        to->how |= how;
        if (s->delayed) continue;
        to->circular =
            to->circular || (c->circle >= 0 && from->circle == c->circle);
        if (to->from) continue;
        YK_TRY(name_output(&name, j, s, err));
        to->from = name;
    }
    return YOKE_OK;
}

yoke_status yk_clusters_jumps(yk_cluster *clusters, const yoke_graph *graph,
                              const yoke_schedule *schedule, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    jumps j = { .g = graph, .cluster = schedule->cluster };

    if (!any_events(graph) || (schedule->clusters < 2 && graph->delays == 0))
        return YOKE_OK;
    YK_GO(begin(&j, err));
    spread(&j);
    YK_GO(find_circles(&j, schedule, clusters, err));
    for (int c = 0; c < schedule->clusters; c++)
        if (yoke_system_facts(clusters[c].system)->events > 0)
            YK_GO(tell(&j, clusters, &clusters[c], err));
done:
    jumps_clear(&j);
    return status;
}
