/* graph/weigh.c -- how much an error of an output counts for those who read it.
 *
 * A reader sees weight times the error, so an output that a coupling multiplies
 * by 1e10 must be accurate to 1e-10 of what else would do.  The weight of an
 * output is
 *
 *     max(1, |K| w)     over its links, K the factor of the link,
 *
 * w the largest weight of an output of the reader or of the loop to which it
 * belongs, 1 if that is the loop of the output itself or the link has a delay:
 * weights multiply along chains, not round loops, whose gain is no product of
 * factors.  Of a reader whose outputs are D u alone, |D| times the
 * weights.  The weight of an unknown is that of the outputs that it enters,
 * times its factor in them where that is constant.  A multiplier is what its
 * constraint makes of the unknowns that it reads, which count by themselves: it
 * keeps its tolerance.
 *
 * An output is recorded, whoever reads it.  So of y = 1e9 x an error of x counts
 * 1e9 times: where x is below its atol no step would see an error of y.  Of an
 * output that is not linear the factor is the smaller one of two points, the
 * start values and others a tenth away.  No nominal value is known of outputs:
 * that of the unknown, if it is below 1, says how small it is already.
 */
#include "graph/graph.h"
#include "sys/system.h"

#include <math.h>
#include <string.h>

/* A result that is off by ten tolerances is wrong; weights below that are left
 * to the margin that steps have, since every change of a tolerance is one of
 * the steps. */
static const double least = 10.0;

/* Of the size of an unknown: how far the second point is away. */
static const double apart = 0.1;

typedef struct weigher {
    const yoke_graph *graph;
    double t;
    int *first;     /* of each node: its first output; nodes + 1 */
    int *loop;      /* of each node */
    int *into;      /* of each node: its first link in `link`; nodes + 1 */
    int *link;      /* by the nodes that they feed */
    int *order;     /* the nodes, fed ones before those that feed them */
    double *weight; /* of each output */
    double *most;   /* of each loop of several nodes */
    double *hx, *hu, *u, *x;
    double *near; /* another point, and the factors there */
} weigher;

static void weigher_clear(weigher *w)
{
    YK_FREE(w->first, w->loop, w->into, w->link, w->order, w->most, w->hx,
            w->hu, w->u, w->x, w->near);
}

static const yoke_system_info *facts(const weigher *w, int node)
{
    return yoke_system_facts(w->graph->node[node].system);
}

/* Sorts 0 ... count - 1 by key, of `keys` values; first has keys + 1 places. */
static void sort(const int *key, int count, int keys, int *first, int *out)
{
    memset(first, 0, ((size_t)keys + 1) * sizeof *first);
    for (int i = 0; i < count; i++) first[key[i] + 1]++;
    for (int k = 0; k < keys; k++) first[k + 1] += first[k];
    for (int i = 0; i < count; i++) out[first[key[i]]++] = i;
    for (int k = keys; k > 0; k--) first[k] = first[k - 1];
    first[0] = 0;
}

static yoke_status sort_all(weigher *w, yoke_err *err)
{
    const yoke_graph *g = w->graph;
    const size_t most = (size_t)(g->nodes > g->links ? g->nodes : g->links) + 1;
    yoke_status status = YOKE_OK;
    int *key = NULL, loops = 0;

    YK_TRY(yk_ints(&key, most, err));
    YK_GO(yk_ints(&w->loop, most, err));
    YK_GO(yk_ints(&w->into, (size_t)g->nodes + 2, err));
    YK_GO(YK_INTS(most, err, &w->link, &w->order));
    YK_GO(yk_doubles(&w->most, most, err));
    for (int i = 0; i < g->nodes; i++) key[i] = i;
    const yoke_schedule each = { .nodes = g->nodes,
                                 .clusters = g->nodes,
                                 .cluster = key };
    YK_GO(yk_schedule_loops(g, &each, w->loop, &loops, err));
    for (int i = 0; i < g->nodes; i++) key[i] = loops - 1 - w->loop[i];
    sort(key, g->nodes, loops, w->into, w->order);
    for (int l = 0; l < g->links; l++) key[l] = g->link[l].to;
    sort(key, g->links, g->nodes, w->into, w->link);
done:
    yk_free(key);
    return status;
}

static yoke_status make_room(weigher *w, yoke_err *err)
{
    size_t hx = 1, hu = 1, inputs = 1, unknowns = 1;

    YK_TRY(yk_ints(&w->first, (size_t)w->graph->nodes + 1, err));
    for (int i = 0; i < w->graph->nodes; i++) {
        const yoke_system_info *f = facts(w, i);
        w->first[i + 1] = w->first[i] + f->p;
        hx += (size_t)yoke_pattern_count(f->Hx);
        hu += (size_t)yoke_pattern_count(f->Hu);
        inputs += (size_t)f->m;
        unknowns += (size_t)f->n;
    }
    YK_TRY(yk_doubles(&w->hx, hx, err));
    YK_TRY(yk_doubles(&w->hu, hu, err));
    YK_TRY(yk_doubles(&w->u, inputs, err));
    YK_TRY(yk_doubles(&w->near, unknowns + hx, err));
    return yk_doubles(&w->x, unknowns, err);
}

/* Hx and Hu of a system with constant matrices; of others, ones. */
static void read_factors(weigher *w, int node)
{
    const yoke_system_info *f = facts(w, node);
    const int hx = yoke_pattern_count(f->Hx), hu = yoke_pattern_count(f->Hu);
    const yoke_jacobian want = { .Hx = w->hx, .Hu = w->hu };
    yoke_err ignored;
    bool known = false;

    memset(w->hx, 0, (size_t)hx * sizeof *w->hx);
    memset(w->hu, 0, (size_t)hu * sizeof *w->hu);
    if (f->flags & YOKE_AFFINE)
        known = yoke_system_jacobian(w->graph->node[node].system, w->t, f->x0,
                                     w->u, &want, &ignored) == YOKE_OK;
    for (int k = 0; k < hx; k++) w->hx[k] = known ? fabs(w->hx[k]) : 1.0;
    for (int k = 0; k < hu; k++) w->hu[k] = known ? fabs(w->hu[k]) : 1.0;
}

/* What an error of input j of the node does to its outputs and to those of its
 * loop, by their weights. */
static double behind(weigher *w, int node, int j)
{
    const yoke_system_info *f = facts(w, node);
    const double *weight = w->weight + w->first[node];
    double most = w->most[w->loop[node]];

    for (int k = 0; f->n > 0 && k < f->p; k++) most = fmax(most, weight[k]);
    for (int e = f->Hu->start[j]; e < f->Hu->start[j + 1]; e++)
        most = fmax(most, w->hu[e] * weight[f->Hu->row[e]]);
    return most;
}

/* The links into a node from its own loop, or from others, raise the weights
 * of what they read. */
static void weigh_sources(weigher *w, int node, bool own)
{
    const yoke_graph *g = w->graph;

    if (!own) read_factors(w, node);
    for (int k = w->into[node]; k < w->into[node + 1]; k++) {
        const int l = w->link[k];
        const yoke_link *link = &g->link[l];
        const bool on = w->loop[link->from] < w->loop[node] &&
                        yoke_graph_delay_of(g, l).time == 0.0;
        if (on == own) continue;
        const double factor =
            fabs(link->weight) * (on ? behind(w, node, link->input) : 1.0);
        double *to = &w->weight[w->first[link->from] + link->output];
        if (isfinite(factor)) *to = fmax(*to, factor);
    }
}

/* The largest weight of a loop of several. */
static void weigh_loop(weigher *w, int node, bool several)
{
    double *most = &w->most[w->loop[node]];

    for (int k = w->first[node]; several && k < w->first[node + 1]; k++)
        *most = fmax(*most, w->weight[k]);
    *most = fmax(*most, 1.0);
}

/* |Hx| at the start values; where it is not constant, at most that. */
static bool read_outputs(weigher *w, int node)
{
    yoke_system *system = w->graph->node[node].system;
    const yoke_system_info *f = facts(w, node);
    const int count = yoke_pattern_count(f->Hx);
    double *const x = w->near, *const other = x + f->n;
    const yoke_jacobian here = { .Hx = w->hx }, there = { .Hx = other };
    yoke_err ignored;

    if (count == 0 || system->differenced) return false;
    memset(w->hx, 0, (size_t)count * sizeof *w->hx);
    if (yoke_system_jacobian(system, w->t, f->x0, w->u, &here, &ignored))
        return false;
    if (f->flags & YOKE_AFFINE) return true;
    memset(other, 0, (size_t)count * sizeof *other);
    for (int i = 0; i < f->n; i++)
        x[i] = f->x0[i] + apart * fmax(fabs(f->x0[i]), f->nominal[i]);
    if (yoke_system_jacobian(system, w->t, x, w->u, &there, &ignored))
        return false;
    for (int e = 0; e < count; e++)
        w->hx[e] = fmin(fabs(w->hx[e]), fabs(other[e]));
    return true;
}

/* Outputs that are not multiplied: what the system itself makes of unknowns, less
 * what that counts inside. */
static bool weigh_recorded(weigher *w, int node)
{
    const yoke_system_info *f = facts(w, node);
    const double *own = w->graph->node[node].system->own;
    bool any = false;

    if (w->graph->node[node].is_constraint || !read_outputs(w, node))
        return false;
    for (int i = 0; i < f->n; i++) {
        const double size = fmin(1.0, f->nominal[i]) / (own ? own[i] : 1.0);
        for (int e = f->Hx->start[i]; e < f->Hx->start[i + 1]; e++) {
            const double factor = fabs(w->hx[e]) * size;
            if (!(factor >= least) || !isfinite(factor)) continue;
            w->x[i] = fmax(w->x[i], factor);
            any = true;
        }
    }
    return any;
}

/* Of the unknowns, from the outputs. */
static yoke_status weigh_unknowns(weigher *w, int node, yoke_err *err)
{
    const yoke_system_info *f = facts(w, node);
    const double *weight = w->weight + w->first[node];
    bool any = false;

    for (int k = 0; !w->graph->node[node].is_constraint && k < f->p; k++)
        any = any || weight[k] > 1.0;
    for (int i = 0; i < f->n; i++) w->x[i] = 1.0;
    const bool recorded = weigh_recorded(w, node);
    if (any) read_factors(w, node);
    for (int i = 0; any && i < f->n; i++)
        for (int e = f->Hx->start[i]; e < f->Hx->start[i + 1]; e++)
            if (weight[f->Hx->row[e]] > 1.0)
                w->x[i] = fmax(w->x[i], w->hx[e] * weight[f->Hx->row[e]]);
    return yk_system_weigh(w->graph->node[node].system,
                           any || recorded ? w->x : NULL, err);
}

static yoke_status weigh(weigher *w, yoke_err *err)
{
    const int nodes = w->graph->nodes;

    for (int k = 0; k < w->first[nodes]; k++) w->weight[k] = 1.0;
    YK_TRY(sort_all(w, err));
    for (int i = 0, end = 0; i < nodes; i = end) {
        const int loop = w->loop[w->order[i]];
        while (end < nodes && w->loop[w->order[end]] == loop) end++;
        for (int k = i; k < end; k++) weigh_sources(w, w->order[k], true);
        for (int k = i; k < end; k++) weigh_loop(w, w->order[k], end - i > 1);
        for (int k = i; k < end; k++) weigh_sources(w, w->order[k], false);
    }
    for (int k = 0; k < w->first[nodes]; k++)
        if (w->weight[k] < least) w->weight[k] = 1.0;
    for (int i = 0; i < nodes; i++) YK_TRY(weigh_unknowns(w, i, err));
    return YOKE_OK;
}

yoke_status yk_graph_weigh(const yoke_graph *graph, double t, double **weight,
                           yoke_err *err)
{
    weigher w = { .graph = graph, .t = t };
    yoke_status status = make_room(&w, err);

    if (status == YOKE_OK)
        status = yk_doubles(weight, (size_t)w.first[graph->nodes] + 1, err);
    w.weight = *weight;
    if (status == YOKE_OK) status = weigh(&w, err);
    weigher_clear(&w);
    return status;
}
