/* graph/levels.c -- what may run at once without changing what anybody reads.
 *
 * In a schedule of one cluster after the other a cluster must wait only for those
 * before it that it reads or that read it.  Its level is one more than the
 * highest of theirs, and clusters of one level run at once.  Each reads what it
 * read before: the values of this sweep from those that were before it, of the
 * last one from those behind it.  So the iteration is the same, sweep by sweep,
 * and only the critical path is shorter.
 *
 * A chain in its own order stays what it is; every second part and then the
 * others (graph/late.c) has two levels, whatever its length.
 *
 * A stage two members of which are linked is an iteration of Jacobi's kind:
 * schedules with one are left alone.
 */
#include "graph/levels.h"

#include <string.h>

typedef struct neighbours {
    int *first, *other; /* of each cluster: those linked with it */
    int *last;          /* of each: the level of its last visit; 0: none */
    int *level;         /* of each visit */
    int *stage;         /* of each cluster: that of its last visit, plus 1 */
} neighbours;

static yoke_status list_links(neighbours *n, const yoke_schedule *s,
                              const yk_level_links *l, yoke_err *err)
{
    const size_t clusters = (size_t)s->clusters;

    YK_TRY(YK_INTS(clusters + 2, err, &n->first, &n->last, &n->stage));
    YK_TRY(yk_ints(&n->other, 2 * (size_t)l->count, err));
    YK_TRY(yk_ints(&n->level, (size_t)s->stage[s->stages], err));
    for (int k = 0; k < l->count; k++) {
        n->first[l->link[k][0] + 2]++;
        n->first[l->link[k][1] + 2]++;
    }
    for (size_t c = 0; c < clusters; c++) n->first[c + 2] += n->first[c + 1];
    for (int k = 0; k < l->count; k++)
        for (int side = 0; side < 2; side++)
            n->other[n->first[l->link[k][side] + 1]++] = l->link[k][1 - side];
    return YOKE_OK;
}

/* Are two members of one stage linked? */
static bool is_jacobi(neighbours *n, const yoke_schedule *s)
{
    for (int t = 0; t < s->stages; t++) {
        for (int k = s->stage[t]; k < s->stage[t + 1]; k++)
            n->stage[s->member[k]] = t + 1;
        for (int k = s->stage[t]; k < s->stage[t + 1]; k++) {
            const int c = s->member[k];
            for (int j = n->first[c]; j < n->first[c + 1]; j++)
                if (n->other[j] != c && n->stage[n->other[j]] == t + 1)
                    return true;
        }
    }
    return false;
}

/* The number of levels. */
static int find_levels(neighbours *n, const yoke_schedule *s,
                       const bool *barrier)
{
    int floor = 0, top = 0;

    for (int k = 0; k < s->stage[s->stages]; k++) {
        const int c = s->member[k];
        int level = floor > n->last[c] ? floor : n->last[c];
        for (int j = n->first[c]; j < n->first[c + 1]; j++)
            if (n->last[n->other[j]] > level) level = n->last[n->other[j]];
        if (barrier && barrier[c]) level = top;
        n->level[k] = n->last[c] = ++level;
        if (barrier && barrier[c]) floor = level;
        if (level > top) top = level;
    }
    return top;
}

/* The visits by their levels, those of one level as they were. */
static yoke_status pack(yoke_schedule **out, const yoke_schedule *old,
                        const neighbours *n, int levels, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int visits = old->stage[old->stages];
    yoke_schedule *s = NULL;

    YK_GO(YK_NEW(&s, 1, err));
    *s = (yoke_schedule){ .nodes = old->nodes,
                          .clusters = old->clusters,
                          .stages = levels,
                          .lag_self = old->lag_self };
    YK_GO(yk_ints(&s->cluster, (size_t)old->nodes, err));
    YK_GO(yk_ints(&s->stage, (size_t)levels + 2, err));
    YK_GO(yk_ints(&s->member, (size_t)visits, err));
    if (old->cluster)
        memcpy(s->cluster, old->cluster,
               (size_t)old->nodes * sizeof *s->cluster);
    for (int k = 0; k < visits; k++) s->stage[n->level[k]]++;
    for (int l = 0; l < levels; l++) s->stage[l + 1] += s->stage[l];
    for (int k = 0; k < visits; k++)
        s->member[s->stage[n->level[k] - 1]++] = old->member[k];
    for (int l = levels; l > 0; l--) s->stage[l] = s->stage[l - 1];
    s->stage[0] = 0;
    *out = s;
    s = NULL;
done:
    yoke_schedule_free(s);
    return status;
}

yoke_status yk_schedule_levels(yoke_schedule **out, const yoke_schedule *old,
                               const yk_level_links *links, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    neighbours n = { 0 };

    *out = NULL;
    YK_GO(list_links(&n, old, links, err));
    if (is_jacobi(&n, old)) goto done;
    const int levels = find_levels(&n, old, links->barrier);
    if (levels < old->stages) YK_GO(pack(out, old, &n, levels, err));
done:
    YK_FREE(n.first, n.other, n.last, n.level, n.stage);
    return status;
}

yoke_status yk_graph_levels(yoke_schedule **out, const yoke_graph *g,
                            const yoke_schedule *old, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_level_links links = { 0 };
    bool *barrier = NULL;

    *out = NULL;
    YK_GO(YK_NEW(&links.link, g->links, err));
    YK_GO(YK_NEW(&barrier, old->clusters, err));
    for (int l = 0; l < g->links; l++) {
        const int from = old->cluster[g->link[l].from];
        const int to = old->cluster[g->link[l].to];
        if (from == to || yoke_graph_delay_of(g, l).time > 0.0) continue;
        links.link[links.count][0] = from;
        links.link[links.count++][1] = to;
    }
    yk_schedule_constraints(old, g, barrier);
    links.barrier = barrier;
    YK_GO(yk_schedule_levels(out, old, &links, err));
done:
    YK_FREE(links.link, barrier);
    return status;
}
