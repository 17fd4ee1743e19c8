/* run/handover.c -- a run goes on with other clusters of the same subsystems.
 *
 * At the end of an accepted window every unit tells its unknowns.  Those of a
 * cluster are the unknowns of its members and inputs that it keeps as unknowns;
 * together with the waveforms between the units they are the values of
 * everything, x, u and y of every subsystem, from which the new clusters begin.
 * Clusters that stay as they are keep their propagators, with all they know.
 * Results so far stay as well.
 */
#include "run/run.h"
#include "sys/system.h"

#include <math.h>
#include <string.h>

/* ---- the values of everything --------------------------------------------
 */

static yoke_status make_room(yk_point *p, const yoke_run *run, bool ***known,
                             yoke_err *err)
{
    p->graph = run->graph;
    p->nodes = yoke_graph_count(run->graph);
    YK_TRY(YK_NEW(&p->x, p->nodes, err));
    YK_TRY(YK_NEW(&p->u, p->nodes, err));
    YK_TRY(YK_NEW(known, p->nodes, err));
    for (int i = 0; i < p->nodes; i++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(run->graph, i));
        YK_TRY(yk_doubles(&p->x[i], (size_t)f->n, err));
        YK_TRY(yk_doubles(&p->u[i], (size_t)f->m, err));
        YK_TRY(YK_NEW(&(*known)[i], f->m + 1, err));
    }
    YK_TRY(yk_copy_ints(&p->first_out, run->units.first_out,
                        (size_t)p->nodes + 1, err));
    return yk_doubles(&p->y, (size_t)p->first_out[p->nodes], err);
}

/* The unknowns of one unit at t, from its watched waveform. */
static yoke_status read_watched(const yoke_run *run, int unit, double t, int n,
                                double *x, yoke_err *err)
{
    const yoke_propagator *from = &run->units.plan[0].propagator[unit];
    double *value = NULL;

    if (n == 0) return YOKE_OK;
    YK_TRY(yk_doubles(&value, (size_t)from->watches, err));
    yoke_wave_eval_right(from->ops->watched(from->self), t, NULL, value);
    for (int i = 0; i < n; i++) x[i] = value[run->spot.place[unit][i]];
    yk_free(value);
    return YOKE_OK;
}

/* Unknowns and outputs of one unit, at the time reached or `inside` the last
 * window. */
static yoke_status read_unit(const yoke_run *run, int unit, double t,
                             bool inside, yk_point *p, bool **known,
                             yoke_err *err)
{
    const yk_cluster *c = &run->units.plan[0].cluster[unit];
    const yoke_propagator *from = &run->units.plan[0].propagator[unit];
    const int n = yoke_system_facts(c->system)->n;
    yoke_status status = YOKE_OK;
    double *x = NULL, *y = NULL;
    int base = 0, owner = 0, input = 0;

    YK_GO(yk_doubles(&x, (size_t)n, err));
    YK_GO(yk_doubles(&y, (size_t)c->outs, err));
    if (inside)
        YK_GO(read_watched(run, unit, t, n, x, err));
    else
        from->ops->handover->give(from->self, x);
    for (int k = 0; k < c->nodes; k++) {
        const int node = c->node[k];
        const int own =
            yoke_system_facts(yoke_graph_system(run->graph, node))->n;
        for (int i = 0; i < own; i++) p->x[node][i] = x[base++];
    }
    for (int k = 0; base + k < n; k++) {
        if (!yk_composite_kept(c->system, k, &owner, &input)) continue;
        p->u[c->node[owner]][input] = x[base + k];
        known[c->node[owner]][input] = true;
    }
    yoke_wave_eval(yk_iteration_wave(run->units.iteration, 0, unit), t, NULL,
                   y);
    for (int k = 0; k < c->outs; k++)
        p->y[p->first_out[c->out[k][0]] + c->out[k][1]] = y[k];
done:
    yk_free(x);
    yk_free(y);
    return status;
}

/* Outputs that are in no waveform. */
static yoke_status inner_outputs(const yoke_run *run, double t,
                                 const bool *waved, yk_point *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *y = NULL;

    YK_GO(yk_doubles(&y, (size_t)p->first_out[p->nodes], err));
    for (int i = 0; i < p->nodes; i++)
        YK_GO(yoke_system_output(yoke_graph_system(run->graph, i), t, p->x[i],
                                 p->u[i], y + p->first_out[i], err));
    for (int k = 0; k < p->first_out[p->nodes]; k++)
        if (!waved[k]) p->y[k] = y[k];
done:
    yk_free(y);
    return status;
}

/* Inputs that are not unknowns of a cluster come from waveforms and from
 * outputs of members that depend on no input. */
static void other_inputs(const yoke_run *run, double t, bool **known,
                         yk_point *p)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(run->graph, &link);

    for (int l = 0; l < links; l++)
        if (!known[link[l].to][link[l].input])
            p->u[link[l].to][link[l].input] = 0.0;
    for (int l = 0; l < links; l++)
        if (!known[link[l].to][link[l].input])
            p->u[link[l].to][link[l].input] +=
                link[l].weight *
                (yoke_graph_delay_of(run->graph, l).time > 0.0
                     ? yk_delays_value(run->units.delays, l, t)
                     : p->y[p->first_out[link[l].from] + link[l].output]);
}

static yoke_status make_point(const yoke_run *run, double t, bool inside,
                              yk_point *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_unit_plan *plan = &run->units.plan[0];
    bool **known = NULL, *waved = NULL;

    YK_GO(make_room(p, run, &known, err));
    YK_GO(YK_NEW(&waved, p->first_out[p->nodes] + 1, err));
    for (int c = 0; c < plan->schedule->clusters; c++) {
        YK_GO(read_unit(run, c, t, inside, p, known, err));
        for (int k = 0; k < plan->cluster[c].outs; k++)
            waved[plan->output_id[c][k]] = true;
    }
    YK_GO(inner_outputs(run, t, waved, p, err));
    other_inputs(run, t, known, p);
    YK_GO(inner_outputs(run, t, waved, p, err));
done:
    for (int i = 0; known && i < p->nodes; i++) yk_free(known[i]);
    yk_free(known);
    yk_free(waved);
    return status;
}

yoke_status yk_run_point(const yoke_run *run, double t, yk_point *p,
                         yoke_err *err)
{
    return make_point(run, t, false, p, err);
}

yoke_status yk_run_point_inside(const yoke_run *run, double t, yk_point *p,
                                yoke_err *err)
{
    return make_point(run, t, true, p, err);
}

/* ---- clusters that stay ---------------------------------------------------
 */

static bool same_cluster(const yk_cluster *a, const yk_cluster *b)
{
    if (a->nodes != b->nodes || a->ins != b->ins || a->outs != b->outs)
        return false;
    for (int k = 0; k < a->nodes; k++)
        if (a->node[k] != b->node[k]) return false;
    for (int k = 0; k < a->outs; k++)
        if (a->out[k][0] != b->out[k][0] || a->out[k][1] != b->out[k][1])
            return false;
    return true;
}

/* The propagator was made for the old cluster's system, so that is kept too. */
static yoke_status keep_propagators(yk_unit_plan *new, yk_unit_plan *old,
                                    yoke_err *err)
{
    YK_TRY(YK_NEW(&new->propagator, new->schedule->clusters, err));
    for (int i = 0; i < new->schedule->clusters; i++)
        for (int k = 0; k < old->schedule->clusters; k++) {
            if (!old->propagator[k].ops ||
                !same_cluster(&new->cluster[i], &old->cluster[k]))
                continue;
            const yk_cluster made = new->cluster[i];
            new->cluster[i] = old->cluster[k];
            old->cluster[k] = made;
            new->propagator[i] = old->propagator[k];
            old->propagator[k] = (yoke_propagator){ NULL, NULL, 0, 0, 0 };
        }
    return YOKE_OK;
}

static yoke_status start_units(yoke_run *run, const bool *kept, double t,
                               const yk_point *p, yoke_err *err)
{
    yk_unit_plan *plan = &run->units.plan[0];

    for (int c = 0; c < plan->schedule->clusters; c++) {
        const yk_cluster *cluster = &plan->cluster[c];
        if (!kept[c])
            YK_TRY(yk_start_unit(run, cluster, &plan->propagator[c], t, p,
                                 plan->y0[c], err));
        for (int k = 0; kept[c] && k < cluster->outs; k++)
            plan->y0[c][k] = p->y[plan->output_id[c][k]];
    }
    return yk_start_iteration(run, t, err);
}

static yoke_status go_on(yoke_run *run, yk_unit_plan *old, double t,
                         const yk_point *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_unit_plan *plan = &run->units.plan[0];
    bool *kept = NULL;

    YK_GO(keep_propagators(plan, old, err));
    YK_GO(YK_NEW(&kept, plan->schedule->clusters, err));
    for (int c = 0; c < plan->schedule->clusters; c++)
        kept[c] = plan->propagator[c].ops != NULL;
    yk_tally_archive(&run->tally, old);
    YK_GO(yk_record_place(&run->record, err));
    YK_GO(yk_spot_place(run, err));
    YK_GO(yk_passive_place(run, err));
    YK_GO(yk_run_make_units(run, err));
    YK_GO(yk_record_room(&run->record, err));
    yk_record_find_coupled(&run->record);
    yk_journal_find_iterates(&run->record);
    YK_GO(yk_run_make_iteration(run, err));
    YK_GO(yk_tally_units(&run->tally, err));
    YK_GO(start_units(run, kept, t, p, err));
    YK_GO(yk_spot_start(run, t, err));
    yk_tally_start(&run->tally);
    YK_GO(yk_ladder_units(&run->ladder, err));
done:
    yk_free(kept);
    return status;
}

yoke_status yk_run_hand_over(yoke_run *run, yoke_schedule *schedule,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const double t = yk_iteration_time(run->units.iteration);
    yk_unit_plan old = { 0 };
    yk_point p = { 0 };

    run->ready = false; /* until all is done */
    status = yk_run_point(run, t, &p, err);
    if (status != YOKE_OK) {
        yoke_schedule_free(schedule);
        goto done;
    }
    run->before = yk_run_iterated(run);
    yk_iteration_free(run->units.iteration);
    run->units.iteration = NULL;
    yk_predict_forget(&run->predict);
    YK_GO(yk_run_replan(run, schedule, &old, err));
    YK_GO(go_on(run, &old, t, &p, err));
    run->ready = true;
done:
    if (status != YOKE_OK) yk_prefix(err, "other clusters at t = %.9g", t);
    yk_run_free_plan(&old);
    yk_point_clear(&p);
    return status;
}
