/* run/results.c -- what a run tells: values, names, work, remarks, drifts, checks. */
#include "decide/passive.h"
#include "run/run.h"

#include "base/text.h"
#include "decide/contraction_along.h"
#include "model/units_point.h"
#include "verify/replay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const yk_record *yk_run_record(const yoke_run *run)
{
    return &run->record;
}

int yoke_run_variables(const yoke_run *run, const char *const **name,
                       const double **value)
{
    if (name) *name = (const char *const *)run->record.name;
    if (value) *value = run->record.row + 1;
    return run->record.columns;
}

const char *yoke_run_unit(const yoke_run *run, int k)
{
    return k >= 0 && k < run->record.columns ? yk_record_unit(&run->record, k)
                                             : "";
}

yoke_status yoke_run_value(const yoke_run *run, const char *name, double *value,
                           yoke_err *err)
{
    for (int k = 0; k < run->record.columns; k++)
        if (strcmp(run->record.name[k], name) == 0) {
            *value = run->record.row[k + 1];
            return YOKE_OK;
        }
    return yk_fail(err, YOKE_E_ARG,
                   "\"%s\" is not one of the %d recorded "
                   "variables",
                   name, run->record.columns);
}

void yoke_run_at(yoke_run *run, double t, double *value)
{
    yk_record_at(&run->record, t, value);
}

void yoke_run_slopes(const yoke_run *run, double *value)
{
    yk_record_slopes(&run->record, yk_iteration_time(run->units.iteration),
                     value);
}

double yoke_run_instant(const yoke_run *run, double t)
{
    const yk_unit_plan *plan = &run->units.plan[0];
    double first = INFINITY;

    for (int c = 0; c < plan->schedule->clusters; c++) {
        const yk_propagator *p = &plan->propagator[c];
        const double *at = NULL;
        const int count = p->ops->instants ? p->ops->instants(p->self, &at) : 0;
        for (int k = 0; k < count; k++)
            if (at[k] > t) first = fmin(first, at[k]);
    }
    return first;
}

double yoke_run_time(const yoke_run *run)
{
    return run->ready ? yk_iteration_time(run->units.iteration)
                      : run->options.start;
}

/* Samples for a second solution were spread over the run as it was. */
void yoke_run_prolong(yoke_run *run, double stop)
{
    if (!(stop > run->options.stop)) return;
    run->options.stop = stop;
    yk_second_prolong(&run->second);
}

yoke_status yoke_run_note(yoke_run *run, const char *name, const char *text,
                          yoke_err *err)
{
    YK_POINT;

    return yk_record_note(&run->record, name, text, err);
}

yoke_status yoke_run_describe(const yoke_run *run, const yoke_sink *to,
                              yoke_err *err)
{
    YK_POINT;

    if (!run->ready || !to->note)
        return yk_fail(err, YOKE_E_ARG,
                       "the run has failed, or nobody takes "
                       "its notes");
    return yk_journal_describe(&run->record, to, err);
}

bool yoke_run_remark(const yoke_run *run, int i, const char **subsystem,
                     yoke_remark *remark)
{
    const yk_record *r = &run->record;

    if (i < 0 || i >= r->remarks) return false;
    *subsystem =
        yoke_system_name(yoke_graph_system(run->graph, r->remark[i].node));
    *remark = r->remark[i].remark;
    return true;
}

bool yoke_run_step(const yoke_run *run, int i, yoke_ladder_step *step)
{
    if (i < 0 || i >= run->ladder.steps) return false;
    *step = run->ladder.step[i];
    return true;
}

bool yoke_run_drift(const yoke_run *run, int i, const char **name,
                    double *largest, double *t)
{
    const yk_record *r = &run->record;

    if (i < 0 || i >= r->drifts) return false;
    if (name) *name = r->name[r->drift[i].column];
    if (largest) *largest = r->drift[i].largest;
    if (t) *t = r->drift[i].t;
    return true;
}

bool yoke_run_work(const yoke_run *run, int i, const char **name,
                   yoke_work *work)
{
    return yk_tally_work(&run->tally, i, name, work);
}

bool yoke_run_oracle(const yoke_run *run, int i, yoke_work *work)
{
    return yk_tally_once(&run->tally, i, work);
}

/* Over the windows in which a rate was measured, so that the two medians can be
 * compared; over all if there is none. */
yoke_status yoke_run_predict(yoke_run *run, double *rate, yoke_err *err)
{
    YK_POINT;
    const yk_tally *t = &run->tally;
    const bool all = isnan(yk_tally_rate(t));
    double value[YK_WINDOWS_KEPT];
    int count = 0;

    for (int k = 0; k < t->kept; k++) {
        const yk_window_fact *f = &t->fact[k];
        if (!all && isnan(f->rate)) continue;
        YK_TRY(yk_predict_rate(&run->predict, f->length, &value[count], err));
        if (!isnan(value[count])) count++;
    }
    run->predicted_rate = *rate = yk_median(count, value);
    return YOKE_OK;
}

bool yoke_run_uncertain(yoke_run *run, int i, const char **text)
{
    YK_POINT;
    const size_t room = sizeof run->uncertain;

    *text = run->uncertain;
    if (!run->ready || i < 0) return false;
    if (yk_second_uncertain(run, run->uncertain, room) && i-- == 0) return true;
    return yk_spot_uncertain(&run->spot, i, run->uncertain, room);
}

static yoke_status note_uncertain(yoke_run *run, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_text all = { NULL, 0, 0 };
    const char *text = NULL;

    for (int i = 0; yoke_run_uncertain(run, i, &text); i++) {
        YK_GO(yk_text_put(&all, text, err));
        YK_GO(yk_text_put(&all, "\n", err));
    }
    if (all.length > 0)
        YK_GO(yk_record_write_note(&run->record, "not_certified", all.at, err));
done:
    yk_text_clear(&all);
    return status;
}

yoke_status yk_run_note_certainty(yoke_run *run, yoke_err *err)
{
    yoke_second second;
    yoke_spot spot;
    char text[600];

    if (yoke_run_spot(run, &spot)) {
        snprintf(text, sizeof text, "%d\t%.2g\t%.300s\t%.6g", spot.made,
                 spot.largest, spot.largest > 0.0 ? spot.name : "", spot.t);
        YK_TRY(yk_record_write_note(&run->record, "spot_checks", text, err));
    }
    if (yoke_run_second(run, &second)) {
        if (second.made)
            snprintf(text, sizeof text, "%.2g\t%.300s\t%.6g", second.apart,
                     second.name, second.t);
        else
            snprintf(text, sizeof text, "none\t%.500s", second.failed);
        YK_TRY(
            yk_record_write_note(&run->record, "second_solution", text, err));
    }
    return note_uncertain(run, err);
}

bool yoke_run_second(const yoke_run *run, yoke_second *out)
{
    const yk_second *s = &run->second;

    *out = (yoke_second){
        .made = s->made,
        .apart = s->apart,
        .t = s->when,
        .name = s->made && s->apart > 0.0 ? run->record.name[s->column] : "",
        .failed = s->failed,
        .part = s->part,
    };
    return s->made || s->failed[0];
}

bool yoke_run_rows(const yoke_run *run, double *within, double *since)
{
    if (!run->record.rows) return false;
    yk_choice_quality(run->record.rows, within, since);
    return true;
}

/* "a.p.x.v" and "a.q.y.v": velocities (.v) and accelerations (.a) of one
 * subsystem. */
static bool alike(const char *a, const char *b)
{
    const size_t head = strcspn(a, "."), na = strlen(a), nb = strlen(b);

    if (na < 2 || nb < 2 || a[na - 2] != '.' || !strchr("va", a[na - 1]))
        return false;
    return strcmp(a + na - 2, b + nb - 2) == 0 && strcspn(b, ".") == head &&
           strncmp(a, b, head) == 0;
}

void yoke_run_sizes(int columns, const char *const *name, const double *largest,
                    double *size)
{
    for (int c = 0; c < columns; c++) {
        size[c] = largest[c];
        for (int k = 0; k < columns; k++)
            if (largest[k] > size[c] && alike(name[c], name[k]))
                size[c] = largest[k];
    }
}

bool yoke_run_spot(const yoke_run *run, yoke_spot *out)
{
    const yk_spot *s = &run->spot;

    *out = (yoke_spot){
        .made = s->made,
        .undecided = s->undecided,
        .failed = s->failed,
        .time = s->time,
        .largest = s->worst,
        .t = s->worst_t,
        .name = s->worst_name,
        .work = s->work,
    };
    return s->open;
}

yoke_status yoke_run_stepper(yoke_model *model, const yoke_run_options *options,
                             const yoke_schedule *schedule, int i,
                             yoke_stepper_options *out, yoke_err *err)
{
    YK_POINT;

    if (yk_passive_stepper(model->graph, options, i, out)) return YOKE_OK;
    return yk_model_find_stepper(model, options, schedule, i, out, err);
}

double yoke_extrapolation_bound(int order)
{
    return yk_wave_extrapolate_bound(order == -1 ? YOKE_EXTRAPOLATE_MAX : order,
                                     1.0, 1.0);
}

/* ---- the oracle ---------------------------------------------------------- */

/* Do the units offer everything that one subsystem reads of another? */
static bool all_offered(const yoke_run *run)
{
    for (int b = 0; b < run->tally.bases; b++) {
        const int unit =
            run->units.plan[0].schedule->cluster[run->tally.base[b].node];
        if (run->units.plan[0].members[unit] > 1) return false;
    }
    return true;
}

/* The same clusters with more outputs. */
static yoke_status offer_all(yoke_run *run, yoke_err *err)
{
    const yoke_schedule *s = run->units.plan[0].schedule;
    yoke_schedule *same = NULL;
    yoke_status status = YOKE_OK;
    int *group = NULL;

    YK_TRY(yk_ints(&group, (size_t)s->clusters, err));
    for (int c = 0; c < s->clusters; c++) group[c] = c;
    status = yk_schedule_merge(&same, s, group, err);
    yk_free(group);
    return status == YOKE_OK ? yk_run_hand_over(run, same, err) : status;
}

yoke_status yoke_run_keep_waves(yoke_run *run, yoke_err *err)
{
    if (!run->ready) return yk_fail(err, YOKE_E_ARG, "the run has failed");
    if (yk_run_iterated(run).windows > 0)
        return yk_fail(err, YOKE_E_ARG,
                       "the waveforms of a run are kept from its first window "
                       "on; ask for it before");
    if (run->oracle.wave) return YOKE_OK;
    run->units.all_read = true;
    if (!all_offered(run)) YK_TRY(offer_all(run, err));
    run->oracle.tally = &run->tally;
    return yk_oracle_keep(&run->oracle, run->options.start, err);
}

yoke_status yoke_run_replay(yoke_run *run, double *apart, yoke_err *err)
{
    YK_POINT;
    yoke_work *work = NULL;
    double most = 0.0;

    if (!run->oracle.wave || run->oracle.ends == 0)
        return yk_fail(
            err, YOKE_E_ARG,
            "there are no waveforms to replay: call yoke_run_keep_waves "
            "before the first window");
    YK_TRY(YK_NEW(&work, run->tally.bases, err));
    const yoke_status status =
        yk_replay(&run->oracle, &run->ladder, work, &most, err);
    if (status != YOKE_OK) {
        yk_free(work);
        return status;
    }
    yk_free(run->tally.replayed);
    run->tally.replayed = work;
    if (apart) *apart = most;
    return YOKE_OK;
}

/* ---- the contraction along the solution ------------------------------------
 */

/* Goes on to t - h and to t. */
static yoke_status visit(yoke_run *run, yk_along *a, double h, yoke_along *out,
                         yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_model_point before = { 0 }, p = { 0 };

    if (out->t - h > yk_iteration_time(run->units.iteration) + 1e-6 * h)
        YK_GO(yoke_run_advance(run, out->t - h, err));
    YK_GO(yk_units_point(&run->units, run->graph, NULL,
                         yk_iteration_time(run->units.iteration), &before,
                         err));
    YK_GO(yoke_run_advance(run, out->t, err));
    YK_GO(yk_units_point(&run->units, run->graph, NULL, out->t, &p, err));
    YK_GO(yk_along_look(a, h, &before, &p, out, err));
done:
    yk_point_clear(&before);
    yk_point_clear(&p);
    return status;
}

/* Asked after each step. */
static bool count_down(void *left)
{
    return --*(long *)left < 0;
}

yoke_status yoke_model_along(yoke_model *model, const yoke_run_options *options,
                             double h, long most, int count, yoke_along *out,
                             yoke_err *err)
{
    YK_POINT;
    const yoke_watcher watcher = { .stop = count_down, .context = &most };
    yoke_status status = YOKE_OK;
    yoke_graph *graph = yoke_model_graph(model);
    yoke_run_options o = *options;
    yoke_run *run = NULL;
    yk_along a = { .schedule = NULL };
    double last = options->start;

    for (int k = 0; k < count; k++) {
        out[k].rho = out[k].rho_short = NAN;
        out[k].first[0] = out[k].first[1] = NAN;
        out[k].answer[0] = out[k].answer[1] = NAN;
        if (!(h > 0.0) || !(out[k].t - last >= 0.999 * h))
            return yk_fail(err, YOKE_E_ARG,
                           "t[%d] = %g is not a step of %g behind %g", k,
                           out[k].t, h, last);
        last = out[k].t;
    }
    o.scheme = YOKE_MONOLITHIC;
    o.order = o.schedule = o.output = o.tasks = "";
    o.cluster = YOKE_CLUSTER_NONE;
    o.spot = 0.0;
    YK_GO(yk_graph_complete(graph, err));
    YK_GO(yk_along_open(&a, graph, options, err));
    YK_GO(yoke_run_create(&run, model, &o, most > 0 ? &watcher : NULL, err));
    for (int k = 0; k < count; k++) YK_GO(visit(run, &a, h, &out[k], err));
done:
    if (status == YOKE_STOPPED && most < 0) status = YOKE_OK;
    yoke_run_close(run, NULL);
    yk_along_free(&a);
    return status;
}
