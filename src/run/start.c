/* run/start.c -- starts every propagator at its part of the initial point. */
#include "run/run.h"
#include "sys/system.h"

yoke_status yk_start_unit(const yoke_run *run, const yk_cluster *cluster,
                          const yoke_propagator *propagator, double t,
                          const yk_point *p, double *y0, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_system_info *f = yoke_system_facts(cluster->system);
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
        u[s->to] +=
            s->weight * (s->delayed
                             ? yk_delays_value(run->units.delays, s->link, t)
                             : p->y[run->units.first_out[s->node] + s->output]);
    }
    YK_GO(t > run->options.start
              ? propagator->ops->handover->take(propagator->self, t, x, u, y0,
                                                err)
              : propagator->ops->start(propagator->self, t, x, u, y0, err));
done:
    yk_free(x);
    yk_free(u);
    return status;
}

yoke_status yk_start_iteration(yoke_run *run, double t, yoke_err *err)
{
    const double *const **y0 = NULL;

    YK_TRY(YK_NEW(&y0, run->units.count, err));
    for (int p = 0; p < run->units.count; p++)
        y0[p] = (const double *const *)run->units.plan[p].y0;
    const yoke_status status =
        yk_iteration_start(run->units.iteration, t, y0, err);
    yk_free(y0);
    return status;
}

yoke_status yk_run_start(yoke_run *run, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const double t = run->options.start;
    const yk_point *p = &run->initial.point;

    YK_GO(yk_initial_make(&run->initial, run->model, &run->options, err));
    YK_GO(yk_model_rewind(run->model, err));
    YK_GO(
        yk_delays_start(run->units.delays, t, run->units.first_out, p->y, err));
    for (int k = 0; k < run->units.count; k++)
        for (int c = 0; c < run->units.plan[k].schedule->clusters; c++)
            YK_GO(yk_start_unit(run, &run->units.plan[k].cluster[c],
                                &run->units.plan[k].propagator[c], t, p,
                                run->units.plan[k].y0[c], err));
    YK_GO(yk_start_iteration(run, t, err));
    YK_GO(yk_record_first(&run->record, t, (const double *const *)p->x, p->y,
                          err));
done:
    if (status != YOKE_OK) yk_prefix(err, "initial values");
    return status;
}
