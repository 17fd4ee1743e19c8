/* sim/oracle.c -- what a run would have cost with its couplings known.
 *
 * The oracle integrates every subsystem once, alone, over the whole run, with
 * its own stepper and tolerance and with the final waveforms at its inputs.  No
 * coupling scheme can do with less; work done over the work of the oracle is
 * the overhead of the coupling.
 *
 * The waveforms are those that the run accepted, kept window by window.
 */
#include "sim/run.h"

#include <math.h>
#include <string.h>

void yk_oracle_free(yoke_run *run)
{
    yk_oracle *o = &run->oracle;

    for (int i = 0; o->wave && i < run->tally.units; i++)
        yoke_wave_free(o->wave[i]);
    yk_free(o->wave);
    yk_free(o->work);
    yk_free(o->end);
}

yoke_status yoke_run_keep_waves(yoke_run *run, yoke_err *err)
{
    yk_oracle *o = &run->oracle;

    if (yk_iteration_result(run->iteration)->windows > 0)
        return yk_fail(err, YOKE_E_ARG,
                       "the waveforms of a run are kept from its first window "
                       "on; ask for it before");
    if (o->wave) return YOKE_OK;
    YK_TRY(YK_NEW(&o->wave, run->tally.units, err));
    for (int i = 0; i < run->tally.units; i++) {
        YK_TRY(
            yoke_wave_create(&o->wave[i], run->plan[0].propagator[i].p, err));
        yoke_wave_clear(o->wave[i], run->options.start);
    }
    return YOKE_OK;
}

yoke_status yk_oracle_window(yoke_run *run, double t1, yoke_err *err)
{
    yk_oracle *o = &run->oracle;

    if (!o->wave) return YOKE_OK;
    for (int i = 0; i < run->tally.units; i++) {
        const yoke_wave *w = yk_iteration_wave(run->iteration, 0, i);
        for (int k = 0; k < yoke_wave_pieces(w); k++)
            YK_TRY(yoke_wave_append(o->wave[i], yoke_wave_knot(w, k + 1),
                                    yoke_wave_degree(w, k),
                                    yoke_wave_coef(w, k), err));
    }
    YK_TRY(yk_grow((void **)&o->end, &o->end_room, (size_t)o->ends + 1,
                   sizeof *o->end, err));
    o->end[o->ends++] = t1;
    return YOKE_OK;
}

/* ---- replay ---------------------------------------------------------------
 */

/* One subsystem alone. */
typedef struct solo {
    yoke_run *run;
    int unit;
    yoke_propagator propagator;
    bool by_windows;          /* its steps are counted per window */
    yoke_wave *u, *y;         /* the whole run */
    yoke_wave *part, *answer; /* one window */
} solo;

static void solo_clear(solo *s)
{
    if (s->propagator.ops) s->propagator.ops->free(s->propagator.self);
    yoke_wave_free(s->u);
    yoke_wave_free(s->y);
    yoke_wave_free(s->part);
    yoke_wave_free(s->answer);
}

static yoke_status make_inputs(solo *s, double end, yoke_err *err)
{
    const yk_unit *unit = &s->run->plan[0].unit[s->unit];
    yoke_wave_term *term = NULL;

    YK_TRY(YK_NEW(&term, unit->feeds, err));
    for (int k = 0; k < unit->feeds; k++)
        term[k] = (yoke_wave_term){
            .wave = s->run->oracle.wave[unit->feed[k].unit],
            .from = unit->feed[k].from,
            .to = unit->feed[k].to,
            .weight = unit->feed[k].weight,
        };
    const yoke_status status = yoke_wave_combine(s->u, s->run->options.start,
                                                 end, unit->feeds, term, err);
    yk_free(term);
    return status;
}

static yoke_status solve_windows(solo *s, yoke_err *err)
{
    const yk_oracle *o = &s->run->oracle;
    const yoke_propagator *p = &s->propagator;
    double t = s->run->options.start;

    yoke_wave_clear(s->y, t);
    for (int w = 0; w < o->ends; w++) {
        YK_TRY(yoke_wave_restrict(s->part, s->u, t, o->end[w], err));
        YK_TRY(p->ops->sweep(p->self, o->end[w], s->part, s->answer, err));
        YK_TRY(p->ops->accept(p->self, err));
        for (int k = 0; k < yoke_wave_pieces(s->answer); k++)
            YK_TRY(yoke_wave_append(s->y, yoke_wave_knot(s->answer, k + 1),
                                    yoke_wave_degree(s->answer, k),
                                    yoke_wave_coef(s->answer, k), err));
        t = o->end[w];
    }
    return YOKE_OK;
}

/* Largest distance of the outputs from the kept ones, over the tolerance. */
static yoke_status measure(const solo *s, double *most, yoke_err *err)
{
    const yoke_iterate_options *o = &s->run->options.iterate;
    const yoke_wave *kept = s->run->oracle.wave[s->unit];
    const int dim = yoke_wave_dim(s->y);
    yoke_status status = YOKE_OK;
    double *size = NULL, *apart = NULL;

    YK_GO(yk_doubles(&size, (size_t)dim, err));
    YK_GO(yk_doubles(&apart, (size_t)dim, err));
    YK_GO(yoke_wave_distance(kept, NULL, YOKE_NORM_MAX, size, err));
    YK_GO(yoke_wave_distance(s->y, kept, YOKE_NORM_MAX, apart, err));
    for (int k = 0; k < dim; k++)
        *most = fmax(*most, apart[k] / (o->atol + o->rtol * size[k]));
done:
    yk_free(size);
    yk_free(apart);
    return status;
}

static yoke_status solo_create(solo *s, const yk_point *point, yoke_err *err)
{
    yoke_stepper_options stepper;
    const yk_run_plan *plan = &s->run->plan[0];
    const yk_cluster *cluster = &plan->cluster[s->unit];
    const int m = plan->propagator[s->unit].m, p = plan->propagator[s->unit].p;
    double *y0 = NULL;

    YK_TRY(yk_run_stepper(s->run, cluster, true, &stepper, err));
    s->by_windows = yoke_stepper_is_fixed(stepper.method) && stepper.steps > 0;
    YK_TRY(yoke_stepper_create(&s->propagator, cluster->system, &stepper, 0,
                               NULL, err));
    YK_TRY(yoke_wave_create(&s->u, m, err));
    YK_TRY(yoke_wave_create(&s->y, p, err));
    YK_TRY(yoke_wave_create(&s->part, m, err));
    YK_TRY(yoke_wave_create(&s->answer, p, err));
    YK_TRY(yk_doubles(&y0, (size_t)p, err));
    const yoke_status status =
        yk_start_unit(s->run, cluster, &s->propagator, point, y0, err);
    yk_free(y0);
    return status;
}

static yoke_status replay_unit(yoke_run *run, int unit, const yk_point *point,
                               double end, yoke_work *work, double *apart,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    solo s = { .run = run, .unit = unit };
    const yoke_propagator *p = &s.propagator;

    YK_GO(solo_create(&s, point, err));
    YK_GO(make_inputs(&s, end, err));
    YK_GO(s.by_windows ? solve_windows(&s, err)
                       : p->ops->sweep(p->self, end, s.u, s.y, err));
    p->ops->work(p->self, work);
    YK_GO(measure(&s, apart, err));
done:
    if (status != YOKE_OK)
        yk_prefix(err, "\"%.100s\" alone, with the waveforms of the run",
                  run->plan[0].cluster[unit].name);
    solo_clear(&s);
    return status;
}

yoke_status yoke_run_replay(yoke_run *run, double *apart, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_oracle *o = &run->oracle;
    yk_point point = { 0 };
    void *memory = NULL;
    yoke_work *work = NULL;
    double most = 0.0;

    if (!o->wave || o->ends == 0)
        return yk_fail(
            err, YOKE_E_ARG,
            "there are no waveforms to replay: call yoke_run_keep_waves "
            "before the first window");
    YK_GO(yk_model_save(run->model, &memory, err));
    YK_GO(yk_model_rewind(run->model, err));
    YK_GO(YK_NEW(&work, run->tally.units, err));
    YK_GO(yk_point_create(&point, run->graph, run->options.start,
                          run->options.given, err));
    for (int i = 0; i < run->tally.units; i++)
        YK_GO(replay_unit(run, i, &point, o->end[o->ends - 1], &work[i], &most,
                          err));
    yk_free(o->work);
    o->work = work;
    work = NULL;
    if (apart) *apart = most;
done:
    yk_model_restore(run->model, memory);
    yk_free(memory);
    yk_free(work);
    yk_point_clear(&point);
    return status;
}

bool yoke_run_oracle(const yoke_run *run, int i, yoke_work *work)
{
    if (i < 0 || i >= run->tally.units) return false;
    *work = run->oracle.work ? run->oracle.work[i] : run->tally.unit[i].once;
    return true;
}
