#include "measure.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double grid = 5e-5;
static const double long_run = 2.0; /* s: is not repeated for its time */

/* Seconds of the processor: others may use the machine as well. */
static double busy(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

typedef struct sampler {
    yoke_run *run;
    force *to;
    int next;
    double deadline;
} sampler;

static bool each_window(void *context, double t, const yoke_iterate_result *r)
{
    sampler *s = context;

    (void)r;
    for (; s->next < s->to->points && s->next * grid <= t * (1.0 + 1e-12);
         s->next++)
        yoke_run_at(s->run, fmin(s->next * grid, t), &s->to->value[s->next]);
    return s->next < s->to->points && busy() > s->deadline;
}

static void compare(outcome *o, const force *reference)
{
    double mean = 0.0, sum = 0.0;

    o->rms = o->max = NAN;
    if (!reference || !o->finished) return;
    for (int i = 0; i < reference->points; i++)
        mean += fabs(reference->value[i]) / reference->points;
    o->max = 0.0;
    for (int i = 0; i < reference->points; i++) {
        const double e = fabs(o->force.value[i] - reference->value[i]) / mean;
        sum += e * e;
        if (!(e <= o->max)) o->max = e;
    }
    o->rms = sqrt(sum / reference->points);
}

static void replay(outcome *o, yoke_run *run, const counter *count)
{
    yoke_err err = { YOKE_OK, "" };
    const long before = count->calls;

    bench_need(yoke_run_replay(run, NULL, &err), &err);
    o->calls_alone = count->calls - before;
    yoke_run_summary(run, &o->result);
    o->overhead = o->result.overhead;
}

static void find_work(outcome *o, const yoke_run *run)
{
    const char *name = NULL;

    for (int i = 0; yoke_run_work(run, i, &name, &o->pantograph); i++)
        if (strcmp(name, "pantograph") == 0) return;
    yoke_run_work(run, 0, &name, &o->pantograph);
}

static double initial(const yoke_run *run)
{
    const char *const *name = NULL;
    const double *value = NULL;

    yoke_run_variables(run, &name, &value);
    return value[0];
}

static void once(const way *w, double stop, bool with_replay, double limit,
                 outcome *o)
{
    const yoke_run_options options = problem_options(w, stop);
    counter count = { 0 };
    yoke_model *model = problem_model(w, &count);
    sampler s = { .to = &o->force };
    const yoke_watcher watcher = { .window = each_window, .context = &s };
    yoke_err err = { YOKE_OK, "" };
    const double begin = bench_clock(), begin_busy = busy();

    s.deadline = limit > 0.0 ? begin_busy + limit : INFINITY;
    bench_need(yoke_run_create(&s.run, model, &options, &watcher, &err), &err);
    if (with_replay) bench_need(yoke_run_keep_waves(s.run, &err), &err);
    o->calls_set_up = count.calls;
    o->force.value[s.next++] = initial(s.run);
    const yoke_status status = yoke_run_advance(s.run, stop, &err);
    o->finished = status == YOKE_OK;
    if (status != YOKE_STOPPED) bench_need(status, &err);
    o->seconds = fmin(o->seconds, bench_clock() - begin);
    o->busy = fmin(o->busy, busy() - begin_busy);
    o->calls = count.calls - o->calls_set_up;
    yoke_run_summary(s.run, &o->result);
    find_work(o, s.run);
    if (with_replay) replay(o, s.run, &count);
    bench_need(yoke_run_close(s.run, &err), &err);
    yoke_model_free(model);
}

outcome measure(const way *w, double stop, const force *reference,
                bool with_replay, int repeats, double limit)
{
    outcome o = { .seconds = INFINITY, .busy = INFINITY, .overhead = NAN };

    o.force.points = (int)lround(stop / grid) + 1;
    o.force.value = bench_new((size_t)o.force.points, sizeof *o.force.value);
    for (int k = 0; k < repeats && (k == 0 || o.busy < long_run); k++)
        once(w, stop, with_replay && k == 0, limit, &o);
    compare(&o, reference);
    return o;
}

void outcome_free(outcome *o)
{
    free(o->force.value);
}
