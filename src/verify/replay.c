/* verify/replay.c -- what a run would have cost with its couplings known.
 *
 * The oracle integrates every subsystem of the model once, alone but for the
 * constraints that it owns, over the whole run, with its own stepper and
 * tolerance and with the final waveforms at its inputs.  No coupling scheme can
 * do with less; work done over the work of the oracle is the overhead of the
 * coupling.  What was solved as one counts once for each of its members.
 */
#include "verify/replay.h"

#include "base/tolerance.h"
#include "model/units_point.h"
#include "step/steppers.h"
#include "wave/history.h"
#include "yoke/optional.h"

#include <math.h>
#include <string.h>

/* One subsystem alone. */
typedef struct solo {
    const yk_oracle *oracle;
    const yk_ladder *run; /* model, options, steppers */
    int base;
    yk_propagator propagator;
    bool by_windows;        /* its steps are counted per window */
    yk_wave *u, *y;         /* the whole run */
    yk_wave *part, *answer; /* one window */
} solo;

static void solo_clear(solo *s)
{
    if (s->propagator.ops) s->propagator.ops->free(s->propagator.self);
    yk_wave_free(s->u);
    yk_wave_free(s->y);
    yk_wave_free(s->part);
    yk_wave_free(s->answer);
}

/* The waveform of a delayed source over the whole run: one component. */
static yoke_status delay_wave(const yk_ladder *run,
                              const yk_cluster_source *from, double end,
                              const yk_wave_term *term, yk_wave **out,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_delay delay = yoke_graph_delay_of(run->graph, from->link);
    const double start = run->options->start;
    yk_history *history = NULL;
    double before =
        run->initial->point.y[run->units->first_out[from->node] + from->output];

    if (delay.has_past) before = delay.past;
    YK_GO(yk_wave_create(out, 1, err));
    YK_GO(yk_history_create(&history, 1, delay.time + end - start, err));
    YK_GO(yk_history_start(history, start, &before, err));
    YK_GO(yk_history_add(history, term->wave, &term->from, err));
    YK_GO(yk_history_read(history, start, end, delay.time, *out, err));
done:
    yk_history_free(history);
    return status;
}

static yoke_status combine_inputs(solo *s, double end, yk_wave_term *term,
                                  yk_wave **delayed, yoke_err *err)
{
    const yk_ladder *run = s->run;
    const yk_oracle *o = s->oracle;
    const yk_cluster *c = &o->cluster[s->base];

    for (int k = 0; k < c->sources; k++) {
        const yk_cluster_source *from = &c->source[k];
        term[k] = (yk_wave_term){
            .wave = o->wave[run->tally->alone->cluster[from->node]],
            .from = o->read[run->units->first_out[from->node] + from->output],
            .to = from->to,
            .weight = from->weight,
        };
        if (!from->delayed) continue;
        YK_TRY(delay_wave(run, from, end, &term[k], &delayed[k], err));
        term[k].wave = delayed[k];
        term[k].from = 0;
    }
    return yk_wave_combine(s->u, run->options->start, end, c->sources, term,
                           err);
}

static yoke_status make_inputs(solo *s, double end, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int sources = s->oracle->cluster[s->base].sources;
    yk_wave_term *term = NULL;
    yk_wave **delayed = NULL;

    YK_GO(YK_NEW(&term, sources, err));
    YK_GO(YK_NEW(&delayed, sources, err));
    YK_GO(combine_inputs(s, end, term, delayed, err));
done:
    for (int k = 0; delayed && k < sources; k++) yk_wave_free(delayed[k]);
    YK_FREE(delayed, term);
    return status;
}

static yoke_status solve_windows(solo *s, yoke_err *err)
{
    const yk_oracle *o = s->oracle;
    const yk_propagator *p = &s->propagator;
    double t = s->run->options->start;

    yk_wave_clear(s->y, t);
    for (int w = 0; w < o->ends; w++) {
        YK_TRY(yk_wave_restrict(s->part, s->u, t, o->end[w], err));
        YK_TRY(p->ops->sweep(p->self, o->end[w], s->part, s->answer, err));
        YK_TRY(p->ops->accept(p->self, err));
        YK_TRY(yk_wave_append_all(s->y, s->answer, err));
        t = o->end[w];
    }
    return YOKE_OK;
}

/* Those of its outputs that are kept. */
static yoke_status kept_outputs(const solo *s, double end, yk_wave *out,
                                yoke_err *err)
{
    const yk_ladder *run = s->run;
    const yk_cluster *c = &s->oracle->cluster[s->base];
    yk_wave_term *term = NULL;
    int terms = 0;

    YK_TRY(YK_NEW(&term, c->outs, err));
    for (int k = 0; k < c->outs; k++) {
        const int at =
            s->oracle->read[run->units->first_out[c->out[k][0]] + c->out[k][1]];
        if (at >= 0) term[terms++] = (yk_wave_term){ s->y, k, at, 1.0 };
    }
    const yoke_status status =
        yk_wave_combine(out, run->options->start, end, terms, term, err);
    yk_free(term);
    return status;
}

/* Largest distance of the outputs from the kept ones, over the tolerance. */
static yoke_status measure(const solo *s, double end, double *most,
                           yoke_err *err)
{
    const yoke_iterate_options *o = &s->run->options->iterate;
    const yk_wave *kept = s->oracle->wave[s->base];
    const int dim = yk_wave_dim(kept);
    yoke_status status = YOKE_OK;
    double *size = NULL, *apart = NULL;
    yk_wave *found = NULL;

    if (dim == 0) return YOKE_OK;
    YK_GO(YK_DOUBLES((size_t)dim, err, &size, &apart));
    YK_GO(yk_wave_create(&found, dim, err));
    YK_GO(kept_outputs(s, end, found, err));
    YK_GO(yk_wave_distance(kept, NULL, size, err));
    YK_GO(yk_wave_distance(found, kept, apart, err));
    for (int k = 0; k < dim; k++)
        *most = fmax(*most, apart[k] / yk_tolerance(o->atol, o->rtol, size[k]));
done:
    yk_wave_free(found);
    YK_FREE(size, apart);
    return status;
}

static yoke_status solo_create(solo *s, const yk_model_point *point,
                               yoke_err *err)
{
    yoke_stepper_options stepper;
    const yk_cluster *cluster = &s->oracle->cluster[s->base];
    const int m = cluster->ins, p = cluster->outs;
    double *y0 = NULL;

    YK_TRY(yk_ladder_stepper(s->run, cluster, true, &stepper, err));
    stepper.join = NULL; /* what was solved as one is known */
    s->by_windows = yoke_stepper_is_fixed(stepper.method) && stepper.steps > 0;
    YK_TRY(yk_stepper_create(&s->propagator, cluster->system, &stepper, 0, NULL,
                             err));
    YK_TRY(yk_wave_create(&s->u, m, err));
    YK_TRY(yk_wave_create(&s->y, p, err));
    YK_TRY(yk_wave_create(&s->part, m, err));
    YK_TRY(yk_wave_create(&s->answer, p, err));
    YK_TRY(yk_doubles(&y0, (size_t)p, err));
    const yoke_status status =
        yk_units_start(s->run->units, cluster, &s->propagator,
                       s->run->options->start, false, point, y0, err);
    yk_free(y0);
    return status;
}

static yoke_status replay_one(const yk_oracle *o, const yk_ladder *run,
                              int base, yoke_work *work, double *apart,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    solo s = { .oracle = o, .run = run, .base = base };
    const double end = o->end[o->ends - 1];
    const yk_propagator *p = &s.propagator;

    YK_GO(solo_create(&s, &run->initial->point, err));
    YK_GO(make_inputs(&s, end, err));
    YK_GO(s.by_windows ? solve_windows(&s, err)
                       : p->ops->sweep(p->self, end, s.u, s.y, err));
    p->ops->work(p->self, work);
    YK_GO(measure(&s, end, apart, err));
done:
    if (status != YOKE_OK)
        yk_prefix(err, "\"%.100s\" alone, with the waveforms of the run",
                  run->tally->base[base].name);
    solo_clear(&s);
    return status;
}

yoke_status yk_replay(const yk_oracle *o, const yk_ladder *run, yoke_work *work,
                      double *apart, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    void *memory = NULL;

    *apart = 0.0;
    YK_GO(yk_model_save(run->model, &memory, err));
    YK_GO(yk_model_rewind(run->model, err));
    YK_GO(yk_first_point_make(run->initial, run->model, run->options, err));
    for (int b = 0; b < run->tally->bases; b++)
        /* A constraint that stays apart has no steps of its own. */
        if (!yk_schedule_is_constraint(run->tally->alone, run->graph, b))
            YK_GO(replay_one(o, run, b, &work[b], apart, err));
done:
    yk_model_restore(run->model, memory);
    yk_free(memory);
    return status;
}
