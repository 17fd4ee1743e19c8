/* run/handover.c -- a run goes on with other clusters of the same subsystems.
 *
 * At the end of an accepted window the units tell the values of everything
 * (model/units_point.c), from which the new clusters begin.  Clusters that stay as they are keep their propagators, with all they know.
 * Results so far stay as well.
 */
#include "run/run.h"
#include "model/units_point.h"

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
            old->propagator[k] = (yk_propagator){ NULL, NULL, 0, 0, 0, false };
        }
    return YOKE_OK;
}

static yoke_status start_units(yoke_run *run, const bool *kept, double t,
                               const yk_model_point *p, yoke_err *err)
{
    yk_unit_plan *plan = &run->units.plan[0];

    for (int c = 0; c < plan->schedule->clusters; c++) {
        const yk_cluster *cluster = &plan->cluster[c];
        if (!kept[c])
            YK_TRY(yk_units_start(&run->units, cluster, &plan->propagator[c], t,
                                  true, p, plan->y0[c], err));
        for (int k = 0; kept[c] && k < cluster->outs; k++)
            plan->y0[c][k] = p->y[plan->output_id[c][k]];
    }
    return yk_start_iteration(run, t, err);
}

static yoke_status go_on(yoke_run *run, yk_unit_plan *old, double t,
                         const yk_model_point *p, yoke_err *err)
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
    YK_GO(yk_spot_place(&run->spot, err));
    YK_GO(yk_power_place(run->power, err));
    YK_GO(yk_run_make_units(run, err));
    YK_GO(yk_record_room(&run->record, err));
    yk_record_find_coupled(&run->record);
    yk_journal_find_iterates(&run->record);
    YK_GO(yk_run_make_iteration(run, err));
    YK_GO(yk_tally_units(&run->tally, err));
    YK_GO(start_units(run, kept, t, p, err));
    YK_GO(yk_spot_start(&run->spot, t, err));
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
    yk_model_point p = { 0 };

    run->ready = false; /* until all is done */
    status = yk_units_point(&run->units, run->graph, NULL, t, &p, err);
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
    YK_GO(yk_journal_together(&run->record, err));
    run->ready = true;
done:
    if (status != YOKE_OK) yk_prefix(err, "other clusters at t = %.9g", t);
    yk_run_free_plan(&old);
    yk_point_clear(&p);
    return status;
}
