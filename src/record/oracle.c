/* record/oracle.c -- the accepted waveforms of a whole run.
 *
 * The oracle (verify/replay.c) solves each subsystem again, alone, with these
 * at its inputs.  They are kept window by window.
 */
#include "record/oracle.h"

#include "model/model.h"

void yk_oracle_free(yk_oracle *o)
{
    if (!o->tally) return;
    for (int b = 0; b < o->tally->bases; b++) {
        if (o->wave) yk_wave_free(o->wave[b]);
        if (o->part) yk_wave_free(o->part[b]);
    }
    yk_clusters_free(o->cluster, o->tally->bases);
    YK_FREE(o->part, o->term, o->read, o->reads, o->wave, o->end);
}

/* The outputs that one subsystem reads of another get a place in its wave. */
static yoke_status place_reads(yk_oracle *o, yoke_err *err)
{
    const int outputs = o->tally->swept->first_out[o->tally->alone->nodes];
    int most = 1;

    YK_TRY(yk_ints(&o->read, (size_t)outputs, err));
    YK_TRY(yk_ints(&o->reads, (size_t)o->tally->bases, err));
    for (int k = 0; k < outputs; k++) o->read[k] = -1;
    for (int b = 0; b < o->tally->bases; b++)
        for (int k = 0; k < o->cluster[b].sources; k++) {
            const yk_cluster_source *s = &o->cluster[b].source[k];
            const int from = o->tally->alone->cluster[s->node];
            int *at = &o->read[o->tally->swept->first_out[s->node] + s->output];
            if (*at < 0) *at = o->reads[from]++;
            if (o->reads[from] > most) most = o->reads[from];
        }
    return YK_NEW(&o->term, most, err);
}

yoke_status yk_oracle_keep(yk_oracle *o, double start, yoke_err *err)
{
    YK_TRY(yk_clusters_create(&o->cluster, o->tally->model->graph,
                              o->tally->alone, NULL, err));
    YK_TRY(place_reads(o, err));
    YK_TRY(YK_NEW(&o->wave, o->tally->bases, err));
    YK_TRY(YK_NEW(&o->part, o->tally->bases, err));
    for (int b = 0; b < o->tally->bases; b++) {
        YK_TRY(yk_wave_create(&o->wave[b], o->reads[b], err));
        YK_TRY(yk_wave_create(&o->part[b], o->reads[b], err));
        yk_wave_clear(o->wave[b], start);
    }
    return YOKE_OK;
}

/* The kept outputs of one subsystem over the last window: parts of the waves of
 * its unit. */
static yoke_status take_part(yk_oracle *o, int b, double t0, double t1,
                             yoke_err *err)
{
    const yk_unit_plan *plan = &o->tally->swept->plan[0];
    const int unit = plan->schedule->cluster[o->tally->base[b].node];
    int terms = 0;

    for (int k = 0; k < plan->cluster[unit].outs; k++) {
        const int id = plan->output_id[unit][k];
        if (o->read[id] < 0 ||
            o->tally->alone->cluster[plan->cluster[unit].out[k][0]] != b)
            continue;
        o->term[terms++] = (yk_wave_term){
            .wave = yk_iteration_wave(o->tally->swept->iteration, 0, unit),
            .from = k,
            .to = o->read[id],
            .weight = 1.0,
        };
    }
    return yk_wave_combine(o->part[b], t0, t1, terms, o->term, err);
}

yoke_status yk_oracle_window(yk_oracle *o, double t0, double t1, yoke_err *err)
{
    if (!o->wave) return YOKE_OK;
    for (int b = 0; b < o->tally->bases; b++) {
        if (o->reads[b] == 0) continue;
        YK_TRY(take_part(o, b, t0, t1, err));
        YK_TRY(yk_wave_append_all(o->wave[b], o->part[b], err));
    }
    YK_TRY(YK_GROW(&o->end, &o->end_room, o->ends + 1, err));
    o->end[o->ends++] = t1;
    return YOKE_OK;
}
