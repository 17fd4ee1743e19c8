/* model/units_point.c -- from the units of an iteration to the values of
 * everything at one time, and back.
 *
 * Every unit tells its unknowns.  Those of a cluster are the unknowns of its
 * members and inputs that it keeps as unknowns; together with the waveforms
 * between the units they are x, u and y of every subsystem, from which other
 * clusters can begin.
 */
#include "model/units_point.h"

#include "graph/cluster.h"
#include "sys/system.h"

/* The unknowns of one unit at t, from its watched waveform. */
static yoke_status read_watched(const yk_units *units, int unit,
                                const int *place, double t, int n, double *x,
                                yoke_err *err)
{
    const yk_propagator *from = &units->plan[0].propagator[unit];
    double *value = NULL;

    if (n == 0) return YOKE_OK;
    YK_TRY(yk_doubles(&value, (size_t)from->watches, err));
    yk_wave_eval_right(from->ops->watched(from->self), t, NULL, value);
    for (int i = 0; i < n; i++) x[i] = value[place[i]];
    yk_free(value);
    return YOKE_OK;
}

/* Unknowns and outputs of one unit, at the time reached, or inside the last
 * window where the `place` of its unknowns is known. */
static yoke_status read_unit(const yk_units *units, int unit, const int *place,
                             double t, yk_model_point *p, bool **known,
                             yoke_err *err)
{
    const yk_cluster *c = &units->plan[0].cluster[unit];
    const yk_propagator *from = &units->plan[0].propagator[unit];
    const int n = yoke_system_facts(c->system)->n;
    yoke_status status = YOKE_OK;
    double *x = NULL, *y = NULL;
    int base = 0, owner = 0, input = 0;

    YK_GO(yk_doubles(&x, (size_t)n, err));
    YK_GO(yk_doubles(&y, (size_t)c->outs, err));
    if (place)
        YK_GO(read_watched(units, unit, place, t, n, x, err));
    else if (from->ops->handover) /* a closed part has no unknowns here */
        from->ops->handover->give(from->self, x);
    for (int k = 0; k < c->nodes; k++) {
        const int node = c->node[k];
        const int own = yoke_system_facts(yoke_graph_system(p->graph, node))->n;
        for (int i = 0; i < own; i++) p->x[node][i] = x[base++];
    }
    for (int k = 0; base + k < n; k++) {
        if (!yk_composite_kept(c->system, k, &owner, &input)) continue;
        p->u[c->node[owner]][input] = x[base + k];
        known[c->node[owner]][input] = true;
    }
    yk_wave_eval(yk_iteration_wave(units->iteration, 0, unit), t, NULL, y);
    for (int k = 0; k < c->outs; k++)
        p->y[p->first_out[c->out[k][0]] + c->out[k][1]] = y[k];
done:
    YK_FREE(x, y);
    return status;
}

/* Outputs that are in no waveform. */
static yoke_status inner_outputs(double t, const bool *waved, yk_model_point *p,
                                 yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *y = NULL;

    YK_GO(yk_doubles(&y, (size_t)p->first_out[p->nodes], err));
    for (int i = 0; i < p->nodes; i++)
        YK_GO(yoke_system_output(yoke_graph_system(p->graph, i), t, p->x[i],
                                 p->u[i], y + p->first_out[i], err));
    for (int k = 0; k < p->first_out[p->nodes]; k++)
        if (!waved[k]) p->y[k] = y[k];
done:
    yk_free(y);
    return status;
}

/* Inputs that are not unknowns of a cluster come from waveforms and from
 * outputs of members that depend on no input. */
static void other_inputs(const yk_units *units, double t, bool **known,
                         yk_model_point *p)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(p->graph, &link);

    for (int l = 0; l < links; l++)
        if (!known[link[l].to][link[l].input])
            p->u[link[l].to][link[l].input] = 0.0;
    for (int l = 0; l < links; l++)
        if (!known[link[l].to][link[l].input])
            p->u[link[l].to][link[l].input] +=
                link[l].weight *
                (yoke_graph_delay_of(p->graph, l).time > 0.0
                     ? yk_delays_value(units->delays, l, t)
                     : p->y[p->first_out[link[l].from] + link[l].output]);
}

yoke_status yk_units_point(const yk_units *units, const yoke_graph *graph,
                           int *const *place, double t, yk_model_point *p,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_unit_plan *plan = &units->plan[0];
    bool **known = NULL, *waved = NULL;

    YK_GO(yk_point_room(p, graph, err));
    YK_GO(YK_NEW(&known, p->nodes, err));
    for (int i = 0; i < p->nodes; i++)
        YK_GO(YK_NEW(&known[i],
                     yoke_system_facts(yoke_graph_system(graph, i))->m + 1,
                     err));
    YK_GO(YK_NEW(&waved, p->first_out[p->nodes] + 1, err));
    for (int c = 0; c < plan->schedule->clusters; c++) {
        YK_GO(read_unit(units, c, place ? place[c] : NULL, t, p, known, err));
        for (int k = 0; k < plan->cluster[c].outs; k++)
            waved[plan->output_id[c][k]] = true;
    }
    YK_GO(inner_outputs(t, waved, p, err));
    other_inputs(units, t, known, p);
    YK_GO(inner_outputs(t, waved, p, err));
done:
    for (int i = 0; known && i < p->nodes; i++) yk_free(known[i]);
    YK_FREE(known, waved);
    return status;
}

yoke_status yk_units_start(const yk_units *units, const yk_cluster *cluster,
                           const yk_propagator *propagator, double t,
                           bool later, const yk_model_point *p, double *y0,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_system_info *f = yoke_system_facts(cluster->system);
    double *x = NULL, *u = NULL;

    YK_GO(yk_doubles(&x, (size_t)f->n, err));
    YK_GO(yk_doubles(&u, (size_t)f->m, err));
    yk_cluster_gather(cluster, p->graph, (const double *const *)p->x,
                      (const double *const *)p->u, x);
    for (int k = 0; k < cluster->sources; k++) {
        const yk_cluster_source *s = &cluster->source[k];
        u[s->to] += s->weight *
                    (s->delayed ? yk_delays_value(units->delays, s->link, t)
                                : p->y[units->first_out[s->node] + s->output]);
    }
    YK_GO(later ? propagator->ops->handover->take(propagator->self, t, x, u, y0,
                                                  err)
                : propagator->ops->start(propagator->self, t, x, u, y0, err));
done:
    YK_FREE(x, u);
    return status;
}
