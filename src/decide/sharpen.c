/* decide/sharpen.c -- tolerances of what others amplify.
 *
 * A unit that amplifies the errors of its inputs by a gain G (step/steep.c) is off
 * by G tolerances if they are off by one.  So what feeds it, directly and through
 * others, is solved to 1 / G of the tolerance, from the start: errors that were
 * made before the gain showed do not go away.  The run begins again.
 *
 * A sum of outputs amplifies, too, if they cancel: u = sum K y is off by
 *
 *     sum |K| rtol max|y| / (atol + rtol max|u|)
 *
 * tolerances.  Both gains multiply.  Largest values are those at the ends of windows.
 *
 * docs/methods/amplification.md.
 */
#include "decide/ladder.h"

#include "base/tolerance.h"
#include "decide/policy.h"
#include "graph/graph.h"

#include <math.h>
#include <stdio.h>

/* Nodes that can reach themselves. */
static yoke_status find_looped(yk_ladder *l, yoke_err *err)
{
    const int nodes = yoke_graph_count(l->graph);
    yoke_status status = YOKE_OK;
    int *own = NULL, *loop = NULL, *size = NULL, loops = 0;

    if (l->looped) return YOKE_OK;
    YK_TRY(YK_NEW(&l->looped, nodes + 1, err));
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

/* ---- Sums that cancel -------------------------------------------------------
 */

static yoke_status make_sums(yk_ladder *l, yoke_err *err)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(l->graph, &link);
    const int nodes = yoke_graph_count(l->graph);
    yk_sums *s = &l->sums;

    s->made = true;
    YK_TRY(find_looped(l, err));
    YK_TRY(yk_ints(&s->first, (size_t)nodes + 1, err));
    for (int i = 0; i < nodes; i++)
        s->first[i + 1] =
            s->first[i] + yoke_system_facts(yoke_graph_system(l->graph, i))->m;
    YK_TRY(yk_ints(&s->terms, (size_t)s->first[nodes] + 1, err));
    for (int e = 0; e < links; e++) {
        int *terms = &s->terms[s->first[link[e].to] + link[e].input];
        s->any = ++*terms > 1 || s->any;
    }
    if (!s->any) return YOKE_OK;
    const size_t outputs = (size_t)l->units->first_out[nodes] + 1;
    YK_TRY(YK_DOUBLES((size_t)s->first[nodes] + 1, err, &s->u, &s->u_peak,
                      &s->gain));
    YK_TRY(YK_DOUBLES(outputs, err, &s->y, &s->y_peak, &s->scratch));
    return YOKE_OK;
}

void yk_sums_free(yk_sums *s)
{
    YK_FREE(s->first, s->terms, s->u, s->u_peak, s->gain, s->y, s->y_peak,
            s->scratch);
    *s = (yk_sums){ .made = false };
}

static void note_outputs(yk_ladder *l)
{
    const yk_unit_plan *p = &l->units->plan[0];
    yk_sums *s = &l->sums;

    for (int c = 0; c < p->schedule->clusters; c++) {
        const yk_wave *w = yk_iteration_iterate(l->units->iteration, 0, c);
        int cursor = 0;
        if (yk_wave_pieces(w) < 1) continue;
        yk_wave_eval(w, yk_wave_end(w), &cursor, s->scratch);
        for (int k = 0; k < p->cluster[c].outs; k++) {
            const int id = p->output_id[c][k];
            s->y[id] = s->scratch[k];
            s->y_peak[id] = fmax(s->y_peak[id], fabs(s->y[id]));
        }
    }
}

/* Of each input: the sum of weight * y over its signals, or of their sizes. */
static void add_up(const yk_ladder *l, const double *y, bool sizes, double *sum)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(l->graph, &link);
    const int *first = l->sums.first;

    for (int j = 0; j < first[yoke_graph_count(l->graph)]; j++) sum[j] = 0.0;
    for (int e = 0; e < links; e++)
        sum[first[link[e].to] + link[e].input] +=
            (sizes ? fabs(link[e].weight) : link[e].weight) *
            y[l->units->first_out[link[e].from] + link[e].output];
}

/* The end of a window. */
static void note_sums(yk_ladder *l)
{
    yk_sums *s = &l->sums;

    note_outputs(l);
    add_up(l, s->y, false, s->u);
    for (int j = 0; j < s->first[yoke_graph_count(l->graph)]; j++)
        s->u_peak[j] = fmax(s->u_peak[j], fabs(s->u[j]));
}

/* Of each input: what one rtol of its terms makes, in its tolerances. */
static void weigh_sums(yk_ladder *l)
{
    const yoke_iterate_options *o = &l->options->iterate;
    yk_sums *s = &l->sums;

    add_up(l, s->y_peak, true, s->gain);
    for (int j = 0; j < s->first[yoke_graph_count(l->graph)]; j++)
        s->gain[j] *= o->rtol / yk_tolerance(o->atol, o->rtol, s->u_peak[j]);
}

/* The input of a cluster whose terms cancel most, at least 1; none in a loop. */
static double cancelled(const yk_ladder *l, const yk_cluster *cluster,
                        const char **name)
{
    const yk_sums *s = &l->sums;
    double most = 1.0;

    for (int k = 0; s->any && k < cluster->nodes; k++) {
        const int node = cluster->node[k];
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(l->graph, node));
        for (int j = 0; j < f->m; j++) {
            const double gain = s->gain[s->first[node] + j];
            if (s->terms[s->first[node] + j] < 2 || !(gain > most)) continue;
            most = gain;
            *name = f->u_name[j];
        }
    }
    return most;
}

/* ---- What feeds whom --------------------------------------------------------
 */

static bool is_member(const yk_cluster *cluster, int node)
{
    for (int k = 0; k < cluster->nodes; k++)
        if (cluster->node[k] == node) return true;
    return false;
}

/* Marks what feeds the unit, which is no source of its own: a formula that is
 * solved with its reader sees inputs without the errors of the steps.  False:
 * nothing does whose steps have a tolerance. */
static bool mark_sources(const yk_ladder *l, const yk_cluster *cluster,
                         bool *source)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(l->graph, &link);
    bool more = true, any = false;

    for (int i = 0; i < yoke_graph_count(l->graph); i++) source[i] = false;
    for (int e = 0; e < links; e++)
        if (is_member(cluster, link[e].to) && !is_member(cluster, link[e].from))
            source[link[e].from] = true;
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

static yoke_status begin(yk_ladder *l, yoke_err *err)
{
    const size_t nodes = (size_t)yoke_graph_count(l->graph) + 1;

    if (l->sharp) return YOKE_OK;
    YK_TRY(yk_doubles(&l->sharp, nodes, err));
    for (size_t i = 0; i < nodes; i++) l->sharp[i] = 1.0;
    return YOKE_OK;
}

/* ---- Gains and tolerances ---------------------------------------------------
 */

/* What amplifies, and how much. */
typedef struct steep {
    double gain;
    const char *input; /* whose terms cancel; NULL: none */
    yoke_work work;
} steep;

/* Of a unit in a loop nothing is said: feedback decides there. */
static steep look(const yk_ladder *l, const yk_unit_plan *plan, int unit)
{
    const yk_propagator *p = &plan->propagator[unit];
    const yk_cluster *cluster = &plan->cluster[unit];
    steep s = { .input = NULL };

    for (int k = 0; k < cluster->nodes; k++)
        if (!l->looped || l->looped[cluster->node[k]]) return s;
    if (p->ops) p->ops->work(p->self, &s.work);
    s.gain =
        fmax(1.0, s.work.gain) * cancelled(l, &plan->cluster[unit], &s.input);
    return s;
}

static void tell(const yk_cluster *cluster, const steep *s, char *text,
                 size_t room)
{
    const yoke_system_info *f = yoke_system_facts(cluster->system);
    const int i = s->work.gain_in;

    if (s->work.gain * s->work.gain > s->gain)
        snprintf(text, room,
                 "\"%.80s\" of %.60s amplifies errors of its inputs %.3g "
                 "times (at t = %.6g)",
                 i < f->n ? f->x_name[i] : f->y_name[i - f->n], cluster->name,
                 s->gain, s->work.gain_time);
    else
        snprintf(text, room,
                 "the terms of input \"%.80s\" of %.60s cancel: their errors "
                 "count %.3g times",
                 s->input, cluster->name, s->gain);
}

/* The gain over what the sources are solved to, if that is too much; else 0. */
static double open_gain(const yk_ladder *l, const yk_cluster *cluster,
                        double gain, bool *source)
{
    double most = 0.0;

    if (!(gain > YK_PROMISE) || !mark_sources(l, cluster, source)) return 0.0;
    for (int i = 0; i < yoke_graph_count(l->graph); i++)
        if (source[i] && yk_ladder_has_tolerance(l, i))
            most = fmax(most, gain * (l->sharp ? l->sharp[i] : 1.0));
    return most > YK_PROMISE ? most : 0.0;
}

/* The first unit from *unit on that amplifies too much. */
static bool find_steep(const yk_ladder *l, int *unit, steep *found,
                       bool **source, yoke_err *err)
{
    const yk_unit_plan *plan = &l->units->plan[0];

    for (; *unit < plan->schedule->clusters; ++*unit) {
        *found = look(l, plan, *unit);
        if (!(found->gain > YK_PROMISE)) continue;
        if (!*source &&
            YK_NEW(source, yoke_graph_count(l->graph) + 1, err) != YOKE_OK)
            return false;
        if (open_gain(l, &plan->cluster[*unit], found->gain, *source) > 0.0)
            return true;
    }
    return false;
}

bool yk_ladder_amplified(const yk_ladder *l, char *text, size_t room)
{
    bool *source = NULL;
    int unit = 0;
    steep s;
    const bool any = find_steep(l, &unit, &s, &source, NULL);

    if (any) tell(&l->units->plan[0].cluster[unit], &s, text, room);
    yk_free(source);
    return any;
}

/* Not below the least tolerance. */
static bool lower(yk_ladder *l, double gain, const bool *source)
{
    const double rtol = l->options->iterate.rtol;
    const double least = fmin(1.0, YK_DECIDE_LEAST_SHARP / rtol);
    const double wanted = fmax(least, 1.0 / gain);
    bool any = false;

    for (int i = 0; i < yoke_graph_count(l->graph); i++) {
        if (!source[i] || !(wanted < 0.99 * l->sharp[i])) continue;
        l->sharp[i] = wanted;
        any = true;
    }
    return any;
}

static yoke_status sharpen(yk_ladder *l, const yk_cluster *cluster,
                           const steep *s, const bool *source, yoke_err *err)
{
    char what[300], text[500];

    YK_TRY(begin(l, err));
    if (!lower(l, s->gain, source)) return YOKE_OK;
    tell(cluster, s, what, sizeof what);
    snprintf(text, sizeof text,
             "%s: what feeds it is solved to a smaller tolerance, and the run "
             "begins again",
             what);
    l->again = true;
    return yk_ladder_say(l, "tolerance", l->options->start, text, err);
}

yoke_status yk_ladder_sharpen(yk_ladder *l, bool judge, bool may, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *source = NULL;
    steep s;

    if (l->options->iterate.stop != YOKE_STOP_ERROR || l->units->count > 1)
        return YOKE_OK;
    if (!l->sums.made) YK_TRY(make_sums(l, err));
    if (l->sums.any) note_sums(l);
    if (!judge) return YOKE_OK;
    if (l->sums.any) weigh_sums(l);
    if (!may || l->fixed || l->sharpened >= YK_DECIDE_MOST_SHARPENED)
        return YOKE_OK;
    for (int c = 0; find_steep(l, &c, &s, &source, err); c++)
        YK_GO(sharpen(l, &l->units->plan[0].cluster[c], &s, source, err));
    if (l->again) l->sharpened++;
done:
    yk_free(source);
    return status;
}

yoke_status yk_ladder_sharpen_all(yk_ladder *l, double part, const char *why,
                                  yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *all = NULL;

    if (l->sharpened >= YK_DECIDE_MOST_SHARPENED) return YOKE_OK;
    YK_GO(find_looped(l, err));
    YK_GO(begin(l, err));
    YK_GO(YK_NEW(&all, yoke_graph_count(l->graph) + 1, err));
    for (int i = 0; i < yoke_graph_count(l->graph); i++) all[i] = true;
    if (lower(l, 1.0 / part, all)) {
        l->again = true;
        l->sharpened++;
        YK_GO(yk_ladder_say(l, "tolerance", l->options->start, why, err));
    }
done:
    yk_free(all);
    return status;
}
