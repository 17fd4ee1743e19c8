/* graph/gain.c -- what running at once can give: work over critical path.
 *
 * A stage is over when its longest member is, and the next one begins then.  So a
 * sweep cannot take less than the sum over the stages of the longest member,
 * whatever the number of processors; one processor takes the sum of all.  Stages
 * are those of graph/levels.c, in which a run has them.  Before a
 * run it is not known how many steps a cluster takes: all the same, and a residual has
 * the price of graph/cost.h.
 */
#include "base/base.h"
#include "graph/cost.h"
#include "graph/levels.h"
#include "yoke/graph.h"

#include <math.h>

static double weight_of(const yoke_graph *graph, int node)
{
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(graph, node));

    return yk_cost_weight(f->n, f->G ? yoke_pattern_count(f->G) : 0);
}

/* Work over critical path, by the weights of the clusters. */
static double gain_of(const yoke_schedule *s, const double *weight)
{
    double work = 0.0, path = 0.0;

    for (int k = 0; k < s->stages; k++) {
        double longest = 0.0;
        for (int m = s->stage[k]; m < s->stage[k + 1]; m++) {
            const double price = yk_cost_apart(weight[s->member[m]]);
            work += price;
            longest = fmax(longest, price);
        }
        path += longest;
    }
    return path > 0.0 ? work / path : 1.0;
}

yoke_status yk_schedule_gain(double *gain, const yoke_schedule *s,
                             const yoke_graph *graph, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *weight = NULL;
    yoke_schedule *levels = NULL;

    YK_GO(yk_graph_levels(&levels, graph, s, err));
    YK_GO(yk_doubles(&weight, (size_t)s->clusters + 1, err));
    for (int i = 0; i < s->nodes; i++)
        weight[s->cluster[i]] += weight_of(graph, i);
    *gain = gain_of(levels ? levels : s, weight);
done:
    yk_free(weight);
    yoke_schedule_free(levels);
    return status;
}

double yoke_schedule_gain(const yoke_schedule *s, const yoke_graph *graph)
{
    double gain = NAN;

    (void)yk_schedule_gain(&gain, s, graph, NULL);
    return gain;
}
