/* decide/sharpen.c -- tolerances of what others amplify.
 *
 * A unit that amplifies the errors of its inputs by a gain G (step/steep.c) is off
 * by G tolerances if they are off by one.  So what feeds it, directly and through
 * others, is solved to 1 / G of the tolerance, from the start: errors that were
 * made before the gain showed do not go away.  The run begins again.
 *
 * docs/methods/amplification.md.
 */
#include "decide/ladder.h"

#include "decide/policy.h"
#include "graph/graph.h"

#include <math.h>
#include <stdio.h>

static double gain_of(const yk_unit_plan *plan, int unit, yoke_work *work)
{
    const yk_propagator *p = &plan->propagator[unit];

    *work = (yoke_work){ 0 };
    if (p->ops) p->ops->work(p->self, work);
    return work->gain;
}

/* Marks what feeds the unit; false: nothing does whose steps have a tolerance. */
static bool mark_sources(const yk_ladder *l, const yk_cluster *cluster,
                         bool *source)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(l->graph, &link);
    bool more = true, any = false;

    for (int i = 0; i < yoke_graph_count(l->graph); i++) source[i] = false;
    for (int e = 0; e < links; e++)
        for (int k = 0; k < cluster->nodes; k++)
            if (link[e].to == cluster->node[k]) source[link[e].from] = true;
    while (more) {
        more = false;
        for (int e = 0; e < links; e++) {
            if (!source[link[e].to] || source[link[e].from]) continue;
            source[link[e].from] = more = true;
        }
    }
    for (int i = 0; i < yoke_graph_count(l->graph); i++)
        any = any || (source[i] && yk_ladder_has_tolerance(l, i));
    return any;
}

double yk_ladder_sharp(const yk_ladder *l, int nodes, const int *node)
{
    double least = 1.0;

    for (int k = 0; l->sharp && k < nodes; k++)
        least = fmin(least, l->sharp[node[k]]);
    return least;
}

double yk_ladder_sharp_loops(const yk_ladder *l)
{
    double least = 1.0;

    for (int i = 0; l->sharp && i < yoke_graph_count(l->graph); i++)
        if (l->looped[i]) least = fmin(least, l->sharp[i]);
    return least;
}

/* Nodes that can reach themselves. */
static yoke_status find_looped(yk_ladder *l, yoke_err *err)
{
    const int nodes = yoke_graph_count(l->graph);
    yoke_status status = YOKE_OK;
    int *own = NULL, *loop = NULL, *size = NULL, loops = 0;

    YK_GO(YK_INTS((size_t)nodes + 1, err, &own, &loop, &size));
    for (int i = 0; i < nodes; i++) own[i] = i;
    const yoke_schedule each = { .nodes = nodes,
                                 .clusters = nodes,
                                 .cluster = own };
    YK_GO(yk_schedule_loops(l->graph, &each, loop, &loops, err));
    for (int i = 0; i < nodes; i++) size[loop[i]]++;
    for (int i = 0; i < nodes; i++) l->looped[i] = size[loop[i]] > 1;
done:
    YK_FREE(own, loop, size);
    return status;
}

static yoke_status begin(yk_ladder *l, yoke_err *err)
{
    const size_t nodes = (size_t)yoke_graph_count(l->graph) + 1;

    if (l->sharp) return YOKE_OK;
    YK_TRY(YK_NEW(&l->looped, nodes, err));
    YK_TRY(find_looped(l, err));
    YK_TRY(yk_doubles(&l->sharp, nodes, err));
    for (size_t i = 0; i < nodes; i++) l->sharp[i] = 1.0;
    return YOKE_OK;
}

/* "x" or "output y" of a unit, of which the gain was told. */
static const char *name_of(const yk_cluster *cluster, int which)
{
    const yoke_system_info *f = yoke_system_facts(cluster->system);

    return which < f->n ? f->x_name[which] : f->y_name[which - f->n];
}

void yk_ladder_tell_gain(const yk_cluster *cluster, const yoke_work *work,
                         char *text, size_t room)
{
    snprintf(text, room,
             "\"%.80s\" of %.60s amplifies errors of its inputs %.3g times (at "
             "t = %.6g)",
             name_of(cluster, work->gain_in), cluster->name, work->gain,
             work->gain_time);
}

double yk_ladder_open_gain(const yk_ladder *l, const yk_unit_plan *plan,
                           int unit, bool *source, yoke_work *work)
{
    const yk_cluster *cluster = &plan->cluster[unit];
    const double gain = gain_of(plan, unit, work);
    double most = 0.0;

    if (!(gain > YK_DECIDE_STEEP) || !mark_sources(l, cluster, source))
        return 0.0;
    for (int i = 0; i < yoke_graph_count(l->graph); i++) {
        if (!source[i] || !yk_ladder_has_tolerance(l, i)) continue;
        most = fmax(most, gain * (l->sharp ? l->sharp[i] : 1.0));
    }
    return most > YK_DECIDE_STEEP ? most : 0.0;
}

/* The sources get what is left of the least tolerance at the least. */
static bool sharpen(yk_ladder *l, double gain, const bool *source)
{
    const double rtol = l->options->iterate.rtol;
    const double least = fmin(1.0, YK_DECIDE_LEAST_SHARP / rtol);
    bool any = false;

    for (int i = 0; i < yoke_graph_count(l->graph); i++) {
        const double wanted = fmax(least, 1.0 / gain);
        if (!source[i] || !(wanted < 0.99 * l->sharp[i])) continue;
        l->sharp[i] = wanted;
        any = true;
    }
    return any;
}

yoke_status yk_ladder_sharpen(yk_ladder *l, yoke_err *err)
{
    const yk_unit_plan *plan = &l->units->plan[0];
    yoke_status status = YOKE_OK;
    char what[300], text[500];
    bool *source = NULL;

    if (l->options->iterate.stop != YOKE_STOP_ERROR || l->fixed ||
        l->units->count > 1 || l->sharpened >= YK_DECIDE_MOST_SHARPENED)
        return YOKE_OK;
    YK_TRY(YK_NEW(&source, yoke_graph_count(l->graph) + 1, err));
    for (int c = 0; c < plan->schedule->clusters; c++) {
        yoke_work work;
        if (yk_ladder_open_gain(l, plan, c, source, &work) == 0.0) continue;
        YK_GO(begin(l, err));
        if (!sharpen(l, work.gain, source)) continue;
        yk_ladder_tell_gain(&plan->cluster[c], &work, what, sizeof what);
        snprintf(text, sizeof text,
                 "%s: what feeds it is solved to a smaller tolerance, and the "
                 "run begins again",
                 what);
        YK_GO(yk_ladder_say(l, "tolerance", l->options->start, text, err));
        l->again = true;
    }
    if (l->again) l->sharpened++;
done:
    yk_free(source);
    return status;
}
