/* sim/start.c -- the values of everything at the start.
 *
 * Initial values are made consistent for the coupled system as a whole: the
 * composition of all subsystems is solved once at the start time, and each
 * cluster begins at its part of that solution.
 */
#include "sim/run.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Values of all nodes at the start. */
typedef struct point {
    int nodes;
    double **x; /* of each node */
    double **u;
    double *y; /* by output id */
} point;

static void point_clear(point *p)
{
    for (int i = 0; i < p->nodes; i++) {
        if (p->x) yk_free(p->x[i]);
        if (p->u) yk_free(p->u[i]);
    }
    yk_free(p->x);
    yk_free(p->u);
    yk_free(p->y);
}

static yoke_status point_create(point *p, const yoke_run *run, yoke_err *err)
{
    p->nodes = yoke_graph_count(run->graph);
    YK_TRY(YK_NEW(&p->x, p->nodes, err));
    YK_TRY(YK_NEW(&p->u, p->nodes, err));
    for (int i = 0; i < p->nodes; i++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(run->graph, i));
        YK_TRY(yk_copy_doubles(&p->x[i], f->x0, (size_t)f->n, err));
        YK_TRY(yk_doubles(&p->u[i], (size_t)f->m, err));
    }
    return yk_doubles(&p->y, (size_t)run->first_out[p->nodes], err);
}

/* u = K y for all nodes. */
static void inputs_from_outputs(const yoke_run *run, point *p)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(run->graph, &link);

    for (int i = 0; i < p->nodes; i++) {
        const int m = yoke_system_facts(yoke_graph_system(run->graph, i))->m;
        for (int k = 0; k < m; k++) p->u[i][k] = 0.0;
    }
    for (int l = 0; l < links; l++)
        p->u[link[l].to][link[l].input] +=
            link[l].weight *
            p->y[run->first_out[link[l].from] + link[l].output];
}

static yoke_status all_outputs(const yoke_run *run, point *p, double *y,
                               yoke_err *err)
{
    for (int i = 0; i < p->nodes; i++)
        YK_TRY(yoke_system_output(yoke_graph_system(run->graph, i),
                                  run->options.start, p->x[i], p->u[i],
                                  y + run->first_out[i], err));
    return YOKE_OK;
}

/* Given values: outputs and inputs are passed on until they no longer change;
 * without a loop of feedthroughs that takes at most `nodes` passes. */
static yoke_status pass_on(const yoke_run *run, point *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *y = NULL;
    const size_t bytes = (size_t)run->first_out[p->nodes] * sizeof *y;

    YK_GO(yk_doubles(&y, (size_t)run->first_out[p->nodes], err));
    for (int pass = 0; pass < p->nodes + 100; pass++) {
        YK_GO(all_outputs(run, p, y, err));
        if (pass > 0 && memcmp(y, p->y, bytes) == 0) goto done;
        memcpy(p->y, y, bytes);
        inputs_from_outputs(run, p);
    }
    status = yk_fail(err, YOKE_E_MODEL,
                     "the outputs at the start depend on "
                     "each other in a loop; do not take initial values as "
                     "given (option `given`)");
done:
    yk_free(y);
    return status;
}

/* Consistent values by the composition of everything. */
static yoke_status solve_whole(const yoke_run *run, point *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_cluster *whole = NULL;
    bool *all = NULL;
    double *x = NULL, *y = NULL;
    const int outputs = run->first_out[p->nodes];

    YK_GO(YK_NEW(&all, outputs, err));
    for (int k = 0; k < outputs; k++) all[k] = true;
    YK_GO(yk_cluster_whole(&whole, run->graph, all, err));
    const yoke_system_info *f = yoke_system_facts(whole->system);
    YK_GO(yk_copy_doubles(&x, f->x0, (size_t)f->n, err));
    YK_GO(yk_doubles(&y, (size_t)whole->outs, err));
    YK_GO(yoke_initial_values(whole->system, run->options.start, NULL, x, err));
    YK_GO(
        yoke_system_output(whole->system, run->options.start, x, NULL, y, err));
    for (int k = 0; k < whole->nodes; k++) {
        const int node = whole->node[k];
        const int n = yoke_system_facts(yoke_graph_system(run->graph, node))->n;
        for (int i = 0; i < n; i++) p->x[node][i] = x[whole->x_at[k] + i];
    }
    for (int k = 0; k < whole->outs; k++)
        p->y[run->first_out[whole->out[k][0]] + whole->out[k][1]] = y[k];
    inputs_from_outputs(run, p);
done:
    yk_free(all);
    yk_free(x);
    yk_free(y);
    yk_clusters_free(whole, 1);
    return status;
}

static yoke_status start_cluster(const yoke_run *run, const yk_run_plan *plan,
                                 int c, const point *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_cluster *cluster = &plan->cluster[c];
    const yoke_system_info *f = yoke_system_facts(cluster->system);
    const yoke_propagator *prop = &plan->propagator[c];
    double *x = NULL, *u = NULL;
    int base = 0, owner = 0, input = 0;

    YK_GO(yk_doubles(&x, (size_t)f->n, err));
    YK_GO(yk_doubles(&u, (size_t)f->m, err));
    for (int k = 0; k < cluster->nodes; k++) {
        const int node = cluster->node[k];
        const int n = yoke_system_facts(yoke_graph_system(run->graph, node))->n;
        for (int i = 0; i < n; i++) x[base++] = p->x[node][i];
    }
    for (int k = 0; base + k < f->n; k++)
        if (yk_composite_kept(cluster->system, k, &owner, &input))
            x[base + k] = p->u[cluster->node[owner]][input];
    for (int k = 0; k < cluster->sources; k++) {
        const yk_source *s = &cluster->source[k];
        u[s->to] += s->weight * p->y[run->first_out[s->node] + s->output];
    }
    YK_GO(prop->ops->start(prop->self, run->options.start, x, u, plan->y0[c],
                           err));
done:
    yk_free(x);
    yk_free(u);
    return status;
}

static yoke_status start_iteration(yoke_run *run, yoke_err *err)
{
    const double *const **y0 = NULL;

    YK_TRY(YK_NEW(&y0, run->plans, err));
    for (int p = 0; p < run->plans; p++)
        y0[p] = (const double *const *)run->plan[p].y0;
    const yoke_status status =
        yk_iteration_start(run->iteration, run->options.start, y0, err);
    yk_free(y0);
    return status;
}

yoke_status yk_run_start(yoke_run *run, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    point p = { 0 };

    YK_GO(point_create(&p, run, err));
    if (run->options.given)
        YK_GO(pass_on(run, &p, err));
    else
        YK_GO(solve_whole(run, &p, err));
    for (int k = 0; k < run->plans; k++)
        for (int c = 0; c < run->plan[k].schedule->clusters; c++)
            YK_GO(start_cluster(run, &run->plan[k], c, &p, err));
    YK_GO(start_iteration(run, err));
    YK_GO(yk_record_first(run, run->options.start, (const double *const *)p.x,
                          p.y, err));
done:
    if (status != YOKE_OK) yk_prefix(err, "initial values");
    point_clear(&p);
    return status;
}
