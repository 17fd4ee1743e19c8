/* run/ask.c -- what a run tells: values, names, work, remarks, drifts. */
#include "run/run.h"

#include <math.h>
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

yoke_status yoke_run_note(yoke_run *run, const char *name, const char *text,
                          yoke_err *err)
{
    return yk_record_note(&run->record, name, text, err);
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
