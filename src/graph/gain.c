/* graph/gain.c -- what running at once can give: work over critical path.
 *
 * A stage is over when its longest member is, and the next one begins then.  So a
 * sweep cannot take less than the sum over the stages of the longest member,
 * whatever the number of processors; one processor takes the sum of all.  Before a
 * run nobody knows how many steps a cluster takes: all the same, and a residual has
 * the price of graph/cost.h.
 */
#include "base/base.h"
#include "graph/cost.h"
#include "la/pattern.h"
#include "sys/system.h"
#include "yoke/graph.h"

#include <math.h>

static double weight_of(const yoke_graph *graph, int node)
{
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(graph, node));

    return yk_cost_weight(f->n, f->G ? yoke_pattern_count(f->G) : 0);
}

double yoke_schedule_gain(const yoke_schedule *s, const yoke_graph *graph)
{
    double work = 0.0, path = 0.0;
    double *weight = NULL;

    if (yk_doubles(&weight, (size_t)s->clusters + 1, NULL) != YOKE_OK)
        return NAN;
    for (int i = 0; i < s->nodes; i++)
        weight[s->cluster[i]] += weight_of(graph, i);
    for (int k = 0; k < s->stages; k++) {
        double longest = 0.0;
        for (int m = s->stage[k]; m < s->stage[k + 1]; m++) {
            const double price = yk_cost_apart(weight[s->member[m]]);
            work += price;
            longest = fmax(longest, price);
        }
        path += longest;
    }
    yk_free(weight);
    return path > 0.0 ? work / path : 1.0;
}
