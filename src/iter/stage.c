/* iter/stage.c -- units as jobs of an executor (stage.h). */
#include "iter/stage.h"

#include <math.h>

/* The jobs of the executor are numbered; those of a stage are units. */
typedef struct numbered {
    const yk_stage *stage;
    const yk_plan_state *plan;
    int first;
} numbered;

static int unit_at(const yk_stage *s, int k)
{
    return s->unit ? s->unit[k] : k;
}

static yoke_status run_one(void *context, int index, yoke_err *err)
{
    const numbered *n = context;

    return n->stage->job(n->stage->context, unit_at(n->stage, n->first + index),
                         err);
}

/* Bytes of the waveforms that others read. */
static double sent_by(void *context, int index)
{
    const numbered *n = context;
    const yk_wave *y = n->plan->unit[unit_at(n->stage, n->first + index)].y;
    double numbers = 0.0;

    for (int i = 0; i < yk_wave_pieces(y); i++)
        numbers += 1.0 + yk_wave_dim(y) * (yk_wave_degree(y, i) + 1.0);
    return sizeof(double) * numbers;
}

/* Constraints that stay apart ask the propagators of others. */
static bool asks_others(const yk_unit_state *s)
{
    return s->unit->propagator->ops->settle != NULL;
}

static yoke_status run_some(yk_plan_state *plan, const yk_stage *stage,
                            int first, int count, yoke_err *err)
{
    numbered jobs = { stage, plan, first };
    const yk_batch batch = { .count = count,
                             .job = run_one,
                             .context = &jobs,
                             .price = plan->price,
                             .alone = plan->alone,
                             .away = plan->away,
                             .gate = plan->gate,
                             .who = stage->unit ? stage->unit + first : NULL,
                             .sends = stage->sends ? sent_by : NULL };

    for (int k = 0; k < count; k++) {
        const yk_unit_state *s = &plan->unit[unit_at(stage, first + k)];
        plan->price[k] = stage->share * s->effort +
                         (stage->exchanges ? s->unit->exchange : 0.0);
        plan->alone[k] = s->unit->alone;
        plan->away[k] = s->unit->away;
    }
    return plan->executor->ops->run(plan->executor->self, &batch, err);
}

yoke_status yk_stage_run(yk_plan_state *plan, const yk_stage *stage,
                         yoke_err *err)
{
    numbered jobs = { stage, plan, 0 };
    const yk_batch batch = { .count = stage->count,
                             .job = run_one,
                             .context = &jobs };

    if (plan->asked) return yk_batch_in_order(&batch, err);
    return run_some(plan, stage, 0, stage->count, err);
}

yoke_status yk_stage_solve(yk_plan_state *plan, const yk_stage *stage,
                           yoke_err *err)
{
    for (int from = 0, to = 0; from < stage->count; from = to) {
        to = from + 1;
        while (to < stage->count &&
               !asks_others(&plan->unit[unit_at(stage, from)]) &&
               !asks_others(&plan->unit[unit_at(stage, to)]))
            to++;
        YK_TRY(run_some(plan, stage, from, to - from, err));
    }
    return YOKE_OK;
}

double yk_stage_work(const yk_unit *unit)
{
    yoke_work done = { 0 };

    unit->propagator->ops->work(unit->propagator->self, &done);
    return unit->price * (double)done.residuals +
           unit->exchange * (double)done.sweeps;
}

void yk_stage_count(yk_plan_state *plan, int count, const int *unit)
{
    double longest = 0.0, alone = 0.0;

    for (int k = 0; k < count; k++) {
        const yk_unit_state *s = &plan->unit[unit[k]];
        plan->work += s->spent;
        if (s->unit->alone || asks_others(s))
            alone += s->spent;
        else
            longest = fmax(longest, s->spent);
    }
    plan->path += fmax(longest, alone);
}
