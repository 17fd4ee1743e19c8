/* graph/colours.c -- an order by colours: clusters of one colour do not read each
 * other.
 *
 * Loop by loop of the coupling, each behind those that feed it.  Within a loop the
 * clusters are visited in breadth from its first one, and each gets the lowest
 * colour that none of its neighbours has: two colours where two are enough (chains,
 * trees, grids, rings of even length), at most one more than the most neighbours of
 * a cluster otherwise.
 */
#include "graph/graph.h"

typedef struct painter {
    const yoke_schedule *schedule;
    int *loop, *first, *other; /* of each cluster: its neighbours in its loop */
    int *colour, *queue, *used;
} painter;

/* Neighbours of one loop, each as often as there are links. */
static yoke_status list_neighbours(painter *p, const yoke_graph *g,
                                   yoke_err *err)
{
    const yoke_schedule *s = p->schedule;

    YK_TRY(yk_ints(&p->first, (size_t)s->clusters + 2, err));
    YK_TRY(yk_ints(&p->other, 2 * (size_t)g->links, err));
    for (int pass = 0; pass < 2; pass++) {
        for (int l = 0; l < g->links; l++) {
            const int from = s->cluster[g->link[l].from];
            const int to = s->cluster[g->link[l].to];
            if (from == to || p->loop[from] != p->loop[to] ||
                yoke_graph_delay_of(g, l).time > 0.0)
                continue;
            if (pass == 0) {
                p->first[from + 2]++;
                p->first[to + 2]++;
            } else {
                p->other[p->first[from + 1]++] = to;
                p->other[p->first[to + 1]++] = from;
            }
        }
        for (int c = 0; pass == 0 && c < s->clusters; c++)
            p->first[c + 2] += p->first[c + 1];
    }
    return YOKE_OK;
}

/* The lowest colour that no neighbour has; used[k] == c + 1: one has k. */
static void paint(painter *p, int c)
{
    for (int j = p->first[c]; j < p->first[c + 1]; j++)
        if (p->colour[p->other[j]] >= 0)
            p->used[p->colour[p->other[j]]] = c + 1;
    p->colour[c] = 0;
    while (p->used[p->colour[c]] == c + 1) p->colour[c]++;
}

/* In breadth from cluster c; `queue` has room for all. */
static void paint_from(painter *p, int c, bool *seen)
{
    int count = 0;

    p->queue[count++] = c;
    seen[c] = true;
    for (int k = 0; k < count; k++) {
        const int at = p->queue[k];
        paint(p, at);
        for (int j = p->first[at]; j < p->first[at + 1]; j++) {
            if (seen[p->other[j]]) continue;
            seen[p->other[j]] = true;
            p->queue[count++] = p->other[j];
        }
    }
}

/* A stable sort of clusters by a key of each. */
static void sort_by(int clusters, const int *key, int keys, int *count,
                    const int *from, int *to)
{
    for (int k = 0; k <= keys; k++) count[k] = 0;
    for (int k = 0; k < clusters; k++) count[key[from[k]] + 1]++;
    for (int k = 0; k < keys; k++) count[k + 1] += count[k];
    for (int k = 0; k < clusters; k++) to[count[key[from[k]]]++] = from[k];
}

/* By loop and then by colour, or by falling colour. */
static void sort_clusters(painter *p, int loops, bool turned, int *order)
{
    const yoke_schedule *s = p->schedule;
    int most = 0;

    for (int c = 0; c < s->clusters; c++)
        if (p->colour[c] > most) most = p->colour[c];
    for (int c = 0; turned && c < s->clusters; c++)
        p->colour[c] = most - p->colour[c];
    sort_by(s->clusters, p->colour, most + 1, p->used, s->member, p->queue);
    sort_by(s->clusters, p->loop, loops, p->used, p->queue, order);
}

yoke_status yk_schedule_colours(const yoke_graph *graph,
                                const yoke_schedule *schedule, bool turned,
                                int *order, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    painter p = { .schedule = schedule };
    const size_t n = (size_t)schedule->clusters;
    bool *seen = NULL;
    int loops = 0;

    YK_GO(YK_INTS(n + 2, err, &p.loop, &p.colour, &p.queue, &p.used));
    YK_GO(YK_NEW(&seen, n, err));
    YK_GO(yk_schedule_loops(graph, schedule, p.loop, &loops, err));
    YK_GO(list_neighbours(&p, graph, err));
    for (size_t c = 0; c < n; c++) p.colour[c] = -1;
    for (size_t k = 0; k < n; k++)
        if (!seen[schedule->member[k]])
            paint_from(&p, schedule->member[k], seen);
    sort_clusters(&p, loops, turned, order);
done:
    YK_FREE(p.loop, p.first, p.other, p.colour, p.queue, p.used, seen);
    return status;
}
