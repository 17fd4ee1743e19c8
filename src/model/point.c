/* model/point.c -- the values of everything at the start.
 *
 * Initial values are made consistent for the coupled system as a whole: the
 * composition of all subsystems is solved once at the start time, and each
 * subsystem begins at its part of that solution.
 */
#include "model/point.h"

#include "model/model.h"
#include "graph/cluster.h"
#include "model/initial.h"
#include "step/steppers.h"
#include "yoke/stepper.h"

#include <string.h>

void yk_point_clear(yk_model_point *p)
{
    for (int i = 0; i < p->nodes; i++) {
        if (p->x) yk_free(p->x[i]);
        if (p->u) yk_free(p->u[i]);
    }
    YK_FREE(p->x, p->u, p->y, p->first_out);
    *p = (yk_model_point){ .graph = NULL };
}

yoke_status yk_point_room(yk_model_point *p, const yoke_graph *graph,
                          yoke_err *err)
{
    *p = (yk_model_point){ .graph = graph };
    p->nodes = yoke_graph_count(p->graph);
    YK_TRY(YK_NEW(&p->x, p->nodes, err));
    YK_TRY(YK_NEW(&p->u, p->nodes, err));
    YK_TRY(yk_ints(&p->first_out, (size_t)p->nodes + 1, err));
    for (int i = 0; i < p->nodes; i++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(p->graph, i));
        YK_TRY(yk_copy_doubles(&p->x[i], f->x0, (size_t)f->n, err));
        YK_TRY(yk_doubles(&p->u[i], (size_t)f->m, err));
        p->first_out[i + 1] = p->first_out[i] + f->p;
    }
    return yk_doubles(&p->y, (size_t)p->first_out[p->nodes], err);
}

double yk_point_source(const yk_model_point *p, int l)
{
    const yoke_delay delay = yoke_graph_delay_of(p->graph, l);
    const yoke_link *link = &p->graph->link[l];

    return delay.has_past ? delay.past
                          : p->y[p->first_out[link->from] + link->output];
}

/* u = K y for all nodes. */
static void inputs_from_outputs(yk_model_point *p)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(p->graph, &link);

    for (int i = 0; i < p->nodes; i++) {
        const int m = yoke_system_facts(yoke_graph_system(p->graph, i))->m;
        for (int k = 0; k < m; k++) p->u[i][k] = 0.0;
    }
    for (int l = 0; l < links; l++)
        p->u[link[l].to][link[l].input] +=
            link[l].weight * yk_point_source(p, l);
}

static yoke_status all_outputs(yk_model_point *p, double t, double *y,
                               yoke_err *err)
{
    for (int i = 0; i < p->nodes; i++)
        YK_TRY(yoke_system_output(yoke_graph_system(p->graph, i), t, p->x[i],
                                  p->u[i], y + p->first_out[i], err));
    return YOKE_OK;
}

/* Given values: outputs and inputs are passed on until they no longer change;
 * without a loop of feedthroughs that takes at most `nodes` passes. */
static yoke_status pass_on(yk_model_point *p, double t, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *y = NULL;
    const size_t bytes = (size_t)p->first_out[p->nodes] * sizeof *y;

    YK_GO(yk_doubles(&y, (size_t)p->first_out[p->nodes], err));
    for (int pass = 0; pass < p->nodes + 100; pass++) {
        YK_GO(all_outputs(p, t, y, err));
        if (pass > 0 && memcmp(y, p->y, bytes) == 0) goto done;
        memcpy(p->y, y, bytes);
        inputs_from_outputs(p);
    }
    status = yk_fail(err, YOKE_E_MODEL,
                     "the outputs at the start depend on "
                     "each other in a loop; do not take initial values as "
                     "given (option `given`)");
done:
    yk_free(y);
    return status;
}

/* Given values, and initial equations that hold with them.  Outputs that depend
 * on inputs at once may change with the latter. */
static yoke_status take_given(yk_model_point *p, double t, yoke_err *err)
{
    enum { ROUNDS = 50 };
    bool moved = true;

    YK_TRY(pass_on(p, t, err));
    for (int i = 0; i < ROUNDS && moved; i++) {
        YK_TRY(yk_point_required(p, t, &moved, err));
        if (moved) YK_TRY(pass_on(p, t, err));
    }
    if (!moved) return YOKE_OK;
    return yk_fail(err, YOKE_E_MODEL,
                   "initial equations and outputs at the start depend on each "
                   "other in a loop; do not take initial values as given "
                   "(option `given`)");
}

yoke_status yk_point_take(yk_model_point *p, const yk_cluster *whole, double t,
                          const double *x, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *y = NULL, *u = NULL;

    YK_GO(yk_doubles(&y, (size_t)whole->outs, err));
    YK_GO(yk_doubles(&u, (size_t)whole->ins, err));
    for (int k = 0; k < whole->sources; k++)
        u[whole->source[k].to] +=
            whole->source[k].weight *
            yoke_graph_delay_of(p->graph, whole->source[k].link).past;
    YK_GO(yoke_system_output(whole->system, t, x, u, y, err));
    for (int k = 0; k < whole->nodes; k++) {
        const int node = whole->node[k];
        const int n = yoke_system_facts(yoke_graph_system(p->graph, node))->n;
        for (int i = 0; i < n; i++) p->x[node][i] = x[whole->x_at[k] + i];
    }
    for (int k = 0; k < whole->outs; k++)
        p->y[p->first_out[whole->out[k][0]] + whole->out[k][1]] = y[k];
    inputs_from_outputs(p);
done:
    YK_FREE(y, u);
    return status;
}

/* Consistent values by the composition of everything.  held: but for multipliers
 * of constraints that join closed parts. */
static yoke_status solve_composed(yk_model_point *p, double t, bool known,
                                  bool held, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_cluster *whole = NULL;
    bool *all = NULL;
    double *x = NULL, *u = NULL;
    const int outputs = p->first_out[p->nodes];

    YK_GO(YK_NEW(&all, outputs, err));
    for (int k = 0; k < outputs; k++) all[k] = true;
    YK_GO(yk_cluster_whole(&whole, p->graph, all, held, err));
    const yoke_system_info *f = yoke_system_facts(whole->system);
    YK_GO(yk_copy_doubles(&x, f->x0, (size_t)f->n, err));
    YK_GO(yk_doubles(&u, (size_t)whole->ins, err));
    for (int k = 0; k < whole->sources; k++)
        u[whole->source[k].to] +=
            whole->source[k].weight *
            yoke_graph_delay_of(p->graph, whole->source[k].link).past;
    yk_cluster_gather(whole, p->graph, (const double *const *)p->x,
                      known ? (const double *const *)p->u : NULL, x);
    YK_GO(yk_initial_values(whole->system, t, u, x, err));
    YK_GO(yk_point_take(p, whole, t, x, err));
done:
    YK_FREE(all, x, u);
    yk_clusters_free(whole, 1);
    return status;
}

/* What multipliers do to closed parts is not known, unless these follow them at
 * once: then they are found in the first window. */
static yoke_status solve_whole(yk_model_point *p, double t, bool known,
                               yoke_err *err)
{
    bool closed = false;
    yoke_err why = { YOKE_OK, "" };

    for (int i = 0; i < p->nodes; i++)
        closed = closed || (p->graph->node[i].may_stay &&
                            yk_constraint_joins_closed(p->graph, i));
    if (!closed) return solve_composed(p, t, known, false, err);
    if (solve_composed(p, t, known, false, &why) == YOKE_OK) return YOKE_OK;
    return solve_composed(p, t, known, true, err);
}

yoke_status yk_point_consistent(yk_model_point *p, double t, yoke_err *err)
{
    return solve_whole(p, t, true, err);
}

/* The values at t.  Initial values are made consistent for the coupled system
 * as a whole (index 1), or taken as `given`. */
static yoke_status create(yk_model_point *p, const yoke_graph *graph, double t,
                          bool given, yoke_err *err)
{
    bool known = false;

    YK_TRY(yk_point_room(p, graph, err));
    if (!given) YK_TRY(yk_point_initial(p, t, &known, err));
    YK_TRY(given ? take_given(p, t, err) : solve_whole(p, t, known, err));
    for (int i = 0; i < p->nodes; i++)
        if (graph->node[i].is_constraint)
            YK_TRY(yk_constraint_start(yoke_graph_system(graph, i), t, p->u[i],
                                       given, err));
    return YOKE_OK;
}

yoke_status yk_point_begin(yk_model_point *p, const yoke_graph *graph,
                           const yoke_run_options *options, yoke_err *err)
{
    YK_TRY(create(p, graph, options->start, options->given, err));
    return options->start_from == YOKE_FROM_REST
               ? yk_point_steady(p, options->start, err)
               : YOKE_OK;
}

yoke_status yk_first_point_make(yk_first_point *initial, yoke_model *model,
                                const yoke_run_options *options, yoke_err *err)
{
    if (initial->known) return YOKE_OK;
    yk_point_clear(&initial->point); /* what an attempt that failed left */
    YK_TRY(yk_model_rewind(model, err));
    YK_TRY(yk_point_begin(&initial->point, model->graph, options, err));
    initial->known = true;
    return YOKE_OK;
}
