/* run/start.c -- starts every propagator at its part of the initial point. */
#include "run/run.h"
#include "model/units_point.h"

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

typedef struct starting {
    yoke_run *run;
    yk_unit_plan *plan;
} starting;

static yoke_status start_unit(void *context, int c, yoke_err *err)
{
    const starting *s = context;

    return yk_units_start(&s->run->units, &s->plan->cluster[c],
                          &s->plan->propagator[c], s->run->options.start, false,
                          &s->run->initial.point, s->plan->y0[c], err);
}

yoke_status yk_run_start(yoke_run *run, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const double t = run->options.start;
    const yk_model_point *p = &run->initial.point;

    yk_model_aside(run->model, true);
    status = yk_first_point_make(&run->initial, run->model, &run->options, err);
    yk_model_aside(run->model, false);
    YK_GO(status);
    YK_GO(yk_model_rewind(run->model, err));
    YK_GO(
        yk_delays_start(run->units.delays, t, run->units.first_out, p->y, err));
    for (int k = 0; k < run->units.count; k++)
        YK_GO(yk_run_each_unit(run, &run->units.plan[k], false, start_unit,
                               &(starting){ run, &run->units.plan[k] }, err));
    YK_GO(yk_start_iteration(run, t, err));
    YK_GO(yk_record_first(&run->record, t, (const double *const *)p->x, p->y,
                          err));
done:
    if (status != YOKE_OK) yk_prefix(err, "initial values");
    return status;
}
