/* run/run.c -- a run: built from a model, advanced in windows, closed. */
#include "base/text.h"
#include "exec/tasks.h"
#include "base/image.h"
#include "iter/correct/acceleration.h"
#include "decide/passive.h"
#include "run/places.h"
#include "run/run.h"
#include "sys/system.h"
#include "verify/rest.h"
#include "sys/closed.h"
#include "yoke/optional.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Steps of the ladder that the result file does not have yet. */
static yoke_status tell_steps(yoke_run *run, yoke_err *err)
{
    for (; run->record.writer && run->told < run->ladder.steps; run->told++) {
        const yoke_ladder_step *s = &run->ladder.step[run->told];
        char name[32], text[1200];
        snprintf(name, sizeof name, "ladder %d", run->told + 1);
        snprintf(text, sizeof text, "%s\t%.9g\t%s", s->rung, s->t, s->text);
        YK_TRY(yk_record_write_note(&run->record, name, text, err));
    }
    return YOKE_OK;
}

static yoke_status log_sweep(yoke_run *run, const yoke_sweep *sweep,
                             yoke_err *err)
{
    double predicted = NAN;

    if (!run->record.writer) return YOKE_OK;
    YK_TRY(
        yk_predict_rate(&run->predict, sweep->t1 - sweep->t0, &predicted, err));
    return yk_record_sweep(&run->record, sweep, predicted, err);
}

static yoke_status show_sweep(yoke_run *run, const yoke_sweep *sweep,
                              yoke_err *err)
{
    yoke_sweep row = *sweep;

    row.window += run->before.windows;
    if (run->watcher.sweep) run->watcher.sweep(run->watcher.context, &row);
    YK_TRY(log_sweep(run, &row, err));
    if (run->watcher.stop && run->watcher.stop(run->watcher.context))
        return yk_fail(err, YOKE_STOPPED, "stopped at t = %.9g on request",
                       sweep->t0);
    return YOKE_OK;
}

/* Of a unit that iterates inside: if it is the only one its sweeps are those of
 * the run. */
yoke_status yk_run_inner_sweep(void *context, const yoke_sweep *sweep,
                               yoke_err *err)
{
    yoke_run *run = context;

    return yk_split_alone(&run->units) ? show_sweep(run, sweep, err) : YOKE_OK;
}

static yoke_status on_sweep(void *context, const yoke_sweep *sweep,
                            yoke_err *err)
{
    yoke_run *run = context;

    yk_tally_sweep(&run->tally, sweep);
    return yk_split_alone(&run->units) ? YOKE_OK : show_sweep(run, sweep, err);
}

/* Spot checks, and whether errors are amplified: at the end of the run, or where a
 * check fails, which may be the reason. */
static yoke_status check_window(yoke_run *run, double t0, double t1,
                                yoke_err *err)
{
    const yoke_status checked = yk_spot_window(&run->spot, t0, t1, err);
    const bool judge = checked == YOKE_E_NUMERIC || t1 >= run->options.stop;

    if (checked != YOKE_OK && checked != YOKE_E_NUMERIC) return checked;
    YK_TRY(yk_ladder_sharpen(&run->ladder, judge, run->whole, err));
    return run->ladder.again ? YOKE_OK : checked;
}

typedef struct span {
    yoke_run *run;
    double t0, t1;
} span;

static yoke_status record_window(void *context, int index, yoke_err *err)
{
    const span *s = context;

    (void)index;
    return yk_record_window(&s->run->record, s->t0, s->t1, err);
}

static yoke_status on_accepted(void *context, double t0, double t1,
                               yoke_err *err)
{
    yoke_run *run = context;
    span at = { run, t0, t1 };
    const yoke_iterate_result so_far = yk_run_iterated(run);

    yk_tally_window(&run->tally, t0, t1);
    yk_drift_window(&run->record);
    yk_power_window(run->power, run->initial.point.x, t1);
    YK_TRY(yk_oracle_window(&run->oracle, t0, t1, err));
    YK_TRY(yk_executor_help(&run->executor, record_window, &at, err));
    YK_TRY(yk_journal_window(&run->record, t1, err));
    YK_TRY(yk_second_window(run, t1, err));
    YK_TRY(check_window(run, t0, t1, err));
    if (run->watcher.window &&
        run->watcher.window(run->watcher.context, t1, &so_far))
        return yk_fail(err, YOKE_STOPPED, "stopped at t = %.9g on request", t1);
    YK_TRY(yk_ladder_window(&run->ladder, t1, err));
    YK_TRY(tell_steps(run, err));
    return run->ladder.pending || run->ladder.again ? YOKE_STOPPED : YOKE_OK;
}

/* Nothing is decided that is not carried out yet. */
static bool on_between(void *context)
{
    yoke_run *run = context;

    return run->pause.due && !run->ladder.pending && !run->ladder.again &&
           run->pause.due(run->pause.context,
                          yk_iteration_time(run->units.iteration));
}

static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

/* The sweeps inside of the only unit are those that count. */
static void count_inside(const yoke_run *run, yoke_iterate_result *r)
{
    const yk_propagator *p = yk_split_alone(&run->units);

    if (!p) return;
    const yoke_iterate_result *done = &yk_split_done(p)->done;
    r->sweeps = done->sweeps;
    r->solves = done->solves;
    r->rate = done->rate;
    r->work = done->work;
    r->path = done->path;
    r->estimate = fmax(r->estimate, done->estimate);
    r->residual = fmax(r->residual, done->residual);
}

yoke_iterate_result yk_run_iterated(const yoke_run *run)
{
    const yoke_iterate_result *a = &run->before;
    yoke_iterate_result b;

    if (!run->units.iteration) return *a;
    b = *yk_iteration_result(run->units.iteration);
    b.windows += a->windows;
    b.rejected += a->rejected;
    b.sweeps += a->sweeps;
    b.solves += a->solves;
    b.skipped += a->skipped;
    b.work += a->work;
    b.path += a->path;
    b.rate = fmax(a->rate, b.rate);
    b.estimate = larger(a->estimate, b.estimate);
    b.residual = fmax(a->residual, b.residual);
    count_inside(run, &b);
    return b;
}

/* The longest step of parts that take steps of one length. */
static double find_grain(const yoke_run *run)
{
    double grain = 0.0;

    for (int i = 0; i < yoke_graph_count(run->graph); i++) {
        const yk_closed *c =
            yoke_system_facts(yoke_graph_system(run->graph, i))->closed;

        if (c && c->grain)
            grain =
                fmax(grain, c->grain(c->self, yk_model_stepper(run->model, i)));
    }
    return grain;
}

yoke_status yk_run_make_iteration(yoke_run *run, yoke_err *err)
{
    const double sharp = yk_ladder_sharp_loops(&run->ladder);
    yk_plan *plan = NULL;

    run->iterate = run->options.iterate;
    run->iterate.rtol *= sharp;
    run->iterate.atol *= sharp;
    YK_TRY(YK_NEW(&plan, run->units.count, err));
    for (int p = 0; p < run->units.count; p++)
        plan[p] = (yk_plan){
            .units = run->units.plan[p].schedule->clusters,
            .unit = run->units.plan[p].unit,
            .schedule = run->units.plan[p].schedule,
            .weight = run->units.plan[p].weight,
        };
    const yk_iteration_setup setup = {
        .plans = run->units.count,
        .plan = plan,
        .outputs = run->units.first_out[yoke_graph_count(run->graph)],
        .weight = run->units.weight,
        .variables = run->units.variables,
        .variable = run->units.variable,
        .variable_name = (const char *const *)run->units.variable_name,
        .options = &run->iterate,
        .span = run->options.stop - run->options.start,
        .grain = find_grain(run),
        .delays = run->units.delays,
        .executor = run->executor,
        .gate = &run->gate,
        .sweep = on_sweep,
        .accepted = on_accepted,
        .between = on_between,
        .context = run,
    };
    yk_tasks_plan(&run->executor);
    const yoke_status status =
        yk_iteration_create(&run->units.iteration, &setup, err);
    yk_free(plan);
    return status;
}

/* Everything that `build` makes. */
static void free_parts(yoke_run *run)
{
    yk_iteration_free(run->units.iteration);
    yk_delays_free(run->units.delays);
    yk_predict_forget(&run->predict);
    yk_oracle_free(&run->oracle);
    yk_spot_free(&run->spot);
    yk_second_free(&run->second);
    yk_power_free(run->power);
    yk_record_free(&run->record);
    yk_run_free_plans(&run->units);
    yk_ladder_free_units(&run->ladder);
    yk_tally_free(&run->tally);
    yk_point_clear(&run->initial.point);
}

static void run_free(yoke_run *run)
{
    if (!run) return;
    free_parts(run);
    for (int k = 0; k < 2 * run->record.notes; k++)
        yk_free(run->record.note[k]);
    yk_free(run->record.note);
    if (!run->options.places) yk_executor_free(&run->executor);
    yk_ladder_free(&run->ladder);
    yoke_schedule_free(run->forced);
    YK_FREE(run->texts, run);
}

/* What a result file says at the end. */
static yoke_status write_end(yoke_run *run, yoke_err *err)
{
    yoke_run_result r;
    double predicted = NAN;

    if (!run->record.writer || !run->ready) return YOKE_OK;
    YK_TRY(yoke_run_predict(run, &predicted, err));
    yoke_run_summary(run, &r);
    YK_TRY(yk_run_note_scaling(run, err));
    YK_TRY(yk_run_note_certainty(run, err));
    return yk_journal_end(&run->record, &r, err);
}

yoke_status yoke_run_close(yoke_run *run, yoke_err *err)
{
    YK_POINT;

    if (!run) return YOKE_OK;
    yoke_status status = write_end(run, err);
    const yoke_status closed =
        yk_writer_close(run->record.writer, status == YOKE_OK ? err : NULL);
    run_free(run);
    return status == YOKE_OK ? closed : status;
}

/* Record, tally, prediction and ladder see what they need of the run. */
static void introduce(yoke_run *run)
{
    yk_record *r = &run->record;
    yk_predict *p = &run->predict;
    yk_ladder *l = &run->ladder;
    yk_spot *s = &run->spot;

    run->units.graph = run->graph;
    run->tally.model = r->model = l->model = p->model = run->model;
    r->graph = l->graph = p->graph = run->graph;
    r->options = l->options = p->options = &run->options;
    run->tally.swept = p->units = r->units = l->units = &run->units;
    r->tally = l->tally = p->tally = &run->tally;
    r->sink = run->watcher.sink;
    l->initial = p->initial = &run->initial;
    l->predict = p;
    l->watcher = &run->watcher;
    s->model = run->model;
    s->graph = run->graph;
    s->options = &run->options;
    s->units = &run->units;
    s->tally = &run->tally;
    s->ladder = l;
}

static yoke_status open_record(yoke_run *run, yoke_err *err)
{
    yk_record *r = &run->record;

    YK_TRY(yk_record_open(r, yk_split_alone(&run->units) != NULL, err));
    if (!r->writer) return YOKE_OK;
    if (yk_image_on()) /* can its files be cut? */
        YK_TRY(yk_writer_sync(r->writer, err));
    YK_TRY(yk_journal_open(r, err));
    return tell_steps(run, err);
}

static yoke_status build(yoke_run *run, yoke_err *err)
{
    run->predicted_rate = NAN;
    for (int i = 0; i < yoke_graph_count(run->graph); i++)
        yk_system_reset(yoke_graph_system(run->graph, i));
    yk_model_aside(run->model, true);
    const yoke_status planned = yk_run_make_plans(run, err);
    yk_model_aside(run->model, false);
    YK_TRY(planned);
    YK_TRY(yk_record_place(&run->record, err));
    YK_TRY(yk_spot_place(&run->spot, err));
    YK_TRY(yk_run_make_units(run, err));
    YK_TRY(yk_run_make_iteration(run, err));
    YK_TRY(yk_tally_create(&run->tally, err));
    YK_TRY(yk_drift_create(&run->record, err));
    YK_TRY(yk_passive_check(&run->options, run->graph, err));
    YK_TRY(yk_power_create(&run->power, &run->record, err));
    YK_TRY(open_record(run, err));
    YK_TRY(yk_run_start(run, err));
    YK_TRY(yk_journal_together(&run->record, err));
    YK_TRY(yk_spot_start(&run->spot, run->options.start, err));
    yk_tally_start(&run->tally);
    YK_TRY(yk_ladder_units(&run->ladder, err));
    yk_second_begin(run);
    run->ready = true;
    return YOKE_OK;
}

/* Windows are as long as the longest step that is the only one of a part. */
static void respect_closed(yoke_run *run)
{
    yoke_run_options *o = &run->options;
    double multiple = 0.0;

    for (int i = 0; i < yoke_graph_count(run->graph); i++) {
        const yk_closed *c =
            yoke_system_facts(yoke_graph_system(run->graph, i))->closed;

        if (c && c->multiple)
            multiple =
                fmax(multiple,
                     c->multiple(c->self, yk_model_stepper(run->model, i)));
    }
    if (o->iterate.window == 0.0) o->iterate.window = multiple;
}

bool yoke_run_closed(const yoke_run *run, int i, char *text, size_t room)
{
    char doubt[300];

    for (int k = 0; k < yoke_graph_count(run->graph); k++)
        if (yk_system_tell(yoke_graph_system(run->graph, k), text, doubt,
                           room < sizeof doubt ? room : sizeof doubt) &&
            i-- == 0)
            return true;
    return false;
}

static yoke_status join_constraints(yoke_run *run, const yoke_err *why,
                                    yoke_err *err);

/* Constraints that were to stay apart may turn out not to be able to. */
static yoke_status build_somehow(yoke_run *run, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };
    const yoke_status status = build(run, &why);

    if (status == YOKE_E_MODEL && yk_ladder_may_join(&run->ladder))
        return join_constraints(run, &why, err);
    if (status != YOKE_OK && err) *err = why;
    return status;
}

yoke_status yoke_run_create(yoke_run **out, yoke_model *model,
                            const yoke_run_options *options,
                            const yoke_watcher *watcher, yoke_err *err)
{
    YK_POINT;
    yoke_status status = YOKE_OK;
    yoke_run *run = NULL;

    YK_TRY(yk_run_check(options, err));
    YK_TRY(yk_passive_check(options, NULL, err));
    YK_TRY(YK_NEW(&run, 1, err));
    run->began = run->record.last_flush = yk_clock();
    run->model = model;
    run->graph = yoke_model_graph(model);
    run->options = *options;
    if (watcher) run->watcher = *watcher;
    YK_GO(yk_run_keep(&run->options, &run->texts, err));
    yk_gate_open(&run->gate, run->watcher.stop, run->watcher.context);
    YK_GO(yk_run_executor(run, err));
    if (run->options.preconditioner[0]) {
        run->options.iterate.preconditioner = yk_precondition;
        run->options.iterate.preconditioner_context =
            (void *)(size_t)run->options.preconditioner;
    }
    respect_closed(run);
    introduce(run);
    yk_ladder_open(&run->ladder);
    YK_GO(build_somehow(run, err));
    run->seconds = yk_clock() - run->began;
    *out = run;
    return YOKE_OK;
done:
    yoke_run_close(run, NULL);
    return status;
}

/* ---- other clusters -------------------------------------------------------
 */

/* An empty run with the same options. */
static void make_empty(yoke_run *run, yoke_schedule *schedule)
{
    const yoke_run old = *run;

    yk_writer_close(run->record.writer, NULL);
    free_parts(run);
    *run = (yoke_run){ .model = old.model,
                       .graph = old.graph,
                       .options = old.options,
                       .texts = old.texts,
                       .watcher = old.watcher,
                       .pause = old.pause,
                       .executor = old.executor,
                       .record = { .notes = old.record.notes,
                                   .note = old.record.note,
                                   .note_room = old.record.note_room,
                                   .last_flush = old.record.last_flush },
                       .ladder = old.ladder,
                       .whole = old.whole,
                       .advances = old.advances,
                       .second = { .part = old.second.part,
                                   .before = old.second.before },
                       .forced = schedule,
                       .began = old.began,
                       .seconds = old.seconds };
    yk_gate_open(&run->gate, run->watcher.stop, run->watcher.context);
    introduce(run);
    yk_ladder_reset(&run->ladder);
    if (!schedule) yk_ladder_open(&run->ladder);
}

yoke_status yk_run_rebuild(yoke_run *run, yoke_err *err)
{
    const bool waves = run->units.all_read;

    YK_TRY(build(run, err));
    if (waves) YK_TRY(yoke_run_keep_waves(run, err));
    for (int k = 0; k < run->record.notes; k++)
        YK_TRY(yk_record_write_note(&run->record, run->record.note[2 * k],
                                    run->record.note[2 * k + 1], err));
    return YOKE_OK;
}

/* The run begins again: after a failure events may be pending.  It is saved while it
 * is empty, because its result files lose what a checkpoint before would go on
 * behind. */
static yoke_status begin_again(yoke_run *run, yoke_schedule *schedule,
                               yoke_err *err)
{
    const bool waves = run->oracle.wave != NULL;

    make_empty(run, schedule);
    run->units.all_read = waves;
    if (run->pause.save) YK_TRY(run->pause.save(run->pause.context, run, err));
    return yk_run_rebuild(run, err);
}

/* A constraint cannot stay apart, and that is not required: the run begins again with
 * it and all that it joins as one. */
static yoke_status join_constraints(yoke_run *run, const yoke_err *why,
                                    yoke_err *err)
{
    char text[600];

    run->ladder.joined = true;
    snprintf(text, sizeof text,
             "constraints are solved as one with what they join, because they "
             "cannot stay apart: %.400s",
             why->text);
    YK_TRY(
        yk_ladder_say(&run->ladder, "cluster", run->options.start, text, err));
    return begin_again(run, NULL, err);
}

bool yk_run_has_events(const yoke_run *run)
{
    for (int i = 0; i < yoke_graph_count(run->graph); i++)
        if (yoke_system_facts(yoke_graph_system(run->graph, i))->events > 0)
            return true;
    return false;
}

static yoke_status climb(yoke_run *run, yoke_err *err)
{
    yoke_schedule *schedule = NULL;

    if (run->ladder.again) return begin_again(run, NULL, err);
    if (yk_iteration_time(run->units.iteration) > run->options.start)
        yk_spot_keep(&run->spot);
    YK_TRY(yk_ladder_take(&run->ladder, &schedule, err));
    YK_TRY(run->ladder.failed && yk_run_has_events(run)
               ? begin_again(run, schedule, err)
               : yk_run_hand_over(run, schedule, err));
    YK_TRY(tell_steps(run, err));
    return run->ladder.repaired
               ? yk_record_write_note(&run->record, "repaired",
                                      run->ladder.repaired, err)
               : YOKE_OK;
}

/* What happens at the stop time itself, once. */
static yoke_status finish(yoke_run *run, yoke_err *err)
{
    bool done = false;

    if (run->finished) return YOKE_OK;
    YK_TRY(yk_iteration_finish(run->units.iteration, &done, err));
    run->finished = true;
    return done ? yk_record_beyond(&run->record, err) : YOKE_OK;
}

/* The first failure is the one that is reported. */
static void tell_both(yoke_run *run, yoke_err *why)
{
    yoke_err both = { why->status, "" };

    if (!run->ladder.repaired) return;
    snprintf(both.text, sizeof both.text, "%.900s", run->ladder.repaired);
    yk_suffix(&both, "; %s: %.400s",
              run->ready && run->units.plan[0].schedule->clusters > 1
                  ? "with other clusters"
                  : "as one system",
              why->text);
    *why = both;
}

/* A process that is lost goes before what came of it, or of the signal with which
 * its end was told. */
static void tell_lost(const yoke_run *run, yoke_status *status, yoke_err *why)
{
    const yk_places *places = run->options.places;

    if (!places || *status == YOKE_OK || !places->ops->lost(places->self, why))
        return;
    *status = why->status;
    yk_prefix(why, "t = %.9g", yk_iteration_time(run->units.iteration));
}

bool yoke_run_place(const yoke_run *run, int line, char *text, size_t room)
{
    const yk_places *places = run->options.places;

    return places && places->ops->tell(places->self, line, text, room);
}

/* Between two windows, or before what happens at the stop time. */
static bool pauses(yoke_run *run, double end)
{
    if (!run->pause.save) return false;
    if (yk_iteration_time(run->units.iteration) < end) return true;
    return end == run->options.stop && !run->finished && on_between(run);
}

/* At the first point constraints that were to stay apart were refused. */
static bool must_join(const yoke_run *run, yoke_status status)
{
    return status == YOKE_E_MODEL && yk_ladder_may_join(&run->ladder) &&
           yk_iteration_time(run->units.iteration) == run->options.start;
}

static yoke_status advance(yoke_run *run, double end, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;

    for (;;) {
        status = yk_iteration_advance(run->units.iteration, end, &why);
        const bool there = yk_iteration_time(run->units.iteration) >= end;
        if (status == YOKE_OK && pauses(run, end))
            status = run->pause.save(run->pause.context, run, &why);
        if (status == YOKE_OK && !there) continue;
        if (status == YOKE_OK && end == run->options.stop)
            status = finish(run, &why);
        if (status == YOKE_OK && end == run->options.stop)
            status = yk_second_judge(run, &why);
        if (status == YOKE_OK && !run->ladder.again) return status;
        tell_lost(run, &status, &why);
        if (must_join(run, status)) {
            const yoke_err first = why;
            status = join_constraints(run, &first, &why);
            if (status == YOKE_OK) continue;
        }
        if (status == YOKE_RETRY || status == YOKE_NOT_CONVERGED ||
            status == YOKE_JOIN) {
            if (status != YOKE_JOIN) yk_predict_blame(&run->predict, &why);
            const yoke_status asked =
                yk_ladder_failed(&run->ladder, status, &why, err);
            if (asked != YOKE_OK) return asked;
        }
        if (!run->ladder.pending && !run->ladder.again) break;
        status = climb(run, &why);
        if (status != YOKE_OK) break;
    }
    if (status != YOKE_STOPPED) tell_both(run, &why);
    if (err) *err = why;
    return status;
}

yoke_status yoke_run_advance(yoke_run *run, double t, yoke_err *err)
{
    YK_POINT;
    const double begin = yk_clock();
    const double end = fmin(t, run->options.stop);
    yoke_status status = YOKE_OK;

    if (!run->ready) return yk_fail(err, YOKE_E_ARG, "the run has failed");
    if (isnan(t) || end < yk_iteration_time(run->units.iteration))
        return yk_fail(err, YOKE_E_ARG, "t = %g is before the time reached, %g",
                       t, yk_iteration_time(run->units.iteration));
    if (!run->advances) /* else it goes on in another process */
        run->whole =
            end == run->options.stop &&
            yk_iteration_time(run->units.iteration) == run->options.start;
    run->advances = true;
    status = advance(run, end, err);
    run->advances = false;
    if (status == YOKE_OK && end == run->options.stop)
        status = yk_rest_note(&run->record, &run->initial, end, err);
    run->failed = status != YOKE_OK;
    if (run->ready && (status != YOKE_OK || end == run->options.stop)) {
        const yoke_status written =
            yk_record_last(&run->record, status == YOKE_OK ? err : NULL);
        if (status == YOKE_OK)
            status = written;
        else
            yk_journal_failure(&run->record, err, NULL);
    }
    run->seconds += yk_clock() - begin;
    return status;
}

/* ---- reports ------------------------------------------------------------ */

static const char nothing_done[] = "No window was completed.";

/* Measured against predicted, as far as they are known. */
static void write_rates(const yoke_run *run, const yoke_run_result *r,
                        char *text, size_t room)
{
    char predicted[64] = "";

    if (!isnan(r->rate_predicted))
        snprintf(predicted, sizeof predicted, ", predicted %.3g%s",
                 r->rate_predicted,
                 yk_predict_plain(&run->predict) ? ""
                                                 : " without acceleration");
    if (isnan(r->rate_median))
        snprintf(text, room, "no rate measured%s", predicted);
    else
        snprintf(text, room, "measured rate %.3g (at most %.3g)%s",
                 r->rate_median, r->iterate.rate, predicted);
}

static void write_text(const yoke_run *run, yoke_run_result *r)
{
    const yoke_iterate_result *it = &r->iterate;
    const yoke_iterate_options *o = &run->options.iterate;
    const double mean = it->windows ? (double)it->sweeps / it->windows : 0.0;
    char error[80] = "is not known", rates[160], energy[500];

    if (it->windows == 0) {
        snprintf(r->text, sizeof r->text, "%s", nothing_done);
        return;
    }
    if (!isnan(it->estimate))
        snprintf(error, sizeof error,
                 "is estimated at %.2g of the tolerance or less", it->estimate);
    write_rates(run, r, rates, sizeof rates);
    snprintf(r->text, sizeof r->text,
             "%d %s, %d windows (%d repeated), %.2f sweeps per window, %s. The "
             "coupling error %s (rtol %.1e, atol %.1e): %s.",
             r->subsystems, r->subsystems == 1 ? "subsystem" : "subsystems",
             it->windows, it->rejected, mean, rates, error, o->rtol, o->atol,
             r->converged  ? "every window converged"
             : run->failed ? "the run ended before its stop time"
                           : "NOT every window converged");
    yk_power_text(run->power, energy, sizeof energy);
    yk_append(r->text, sizeof r->text, "%s", energy);
    if (run->record.remarks > 0)
        yk_append(r->text, sizeof r->text, "%s%s",
                  run->record.remarks == 1 ? " There is a warning: "
                                           : " There are warnings, the first: ",
                  run->record.remark[0].remark.text);
    if (run->ladder.repaired)
        yk_append(r->text, sizeof r->text, "%s%s",
                  yk_split_alone(&run->units) != NULL
                      ? " Everything was iterated by port waves, because the "
                        "coupled iteration failed: "
                  : run->units.plan[0].schedule->clusters == 1
                      ? " Everything was solved as one system, because the "
                        "coupled iteration failed: "
                      : " Subsystems were merged, because the coupled "
                        "iteration failed: ",
                  run->ladder.repaired);
    else if (run->ladder.steps > 0)
        yk_append(r->text, sizeof r->text, "%s%s", " ",
                  run->ladder.step[run->ladder.steps - 1].text);
}

static void summarise_inside(const yoke_run *run, yoke_run_result *r)
{
    const yk_propagator *p = yk_split_alone(&run->units);

    if (!p) return;
    r->subsystems = run->units.plan[0].cluster[0].nodes;
    const double rate = yk_split_done(p)->done.rate;
    r->rate_median = rate > 0.0 ? rate : NAN;
    r->rate_predicted = yk_split_planned(p)->q;
}

bool yoke_run_power(const yoke_run *run, yoke_power *out)
{
    return yk_power_result(run->power, out);
}

void yoke_run_summary(const yoke_run *run, yoke_run_result *r)
{
    YK_POINT;
    yoke_work work;

    memset(r, 0, sizeof *r);
    r->repaired = run->ladder.repaired;
    r->steps = run->ladder.steps;
    r->rate_median = r->rate_predicted = r->overhead = NAN;
    if (!run->ready) {
        r->t = run->options.start;
        snprintf(r->text, sizeof r->text, "%s", nothing_done);
        return;
    }
    r->iterate = yk_run_iterated(run);
    r->t = yk_iteration_time(run->units.iteration);
    for (int p = 0; p < run->units.count; p++)
        r->subsystems += run->units.plan[p].schedule->clusters;
    for (int i = 0; yoke_run_work(run, i, NULL, &work); i++)
        yk_work_add(&r->work, &work);
    r->converged = !run->failed && r->iterate.windows > 0;
    if (run->options.iterate.stop == YOKE_STOP_CHANGE)
        r->converged = r->converged && r->iterate.residual <= 1.0;
    else
        r->converged = r->converged && r->iterate.estimate <= 1.0;
    bool known = true;
    for (int i = 0; yoke_run_oracle(run, i, &work); i++) {
        yk_work_add(&r->oracle, &work);
        known = known && (run->tally.replayed || !run->tally.base[i].hidden);
    }
    r->replayed = run->tally.replayed != NULL;
    r->overhead = known && r->oracle.residuals > 0
                      ? (double)r->work.residuals / (double)r->oracle.residuals
                      : NAN;
    r->rate_median = yk_tally_rate(&run->tally);
    r->rate_predicted = run->predicted_rate;
    r->seconds = run->seconds;
    r->jobs = run->executor.ops->jobs(run->executor.self);
    r->variables = run->record.columns;
    r->remarks = run->record.remarks;
    summarise_inside(run, r);
    write_text(run, r);
}

yoke_status yoke_simulate(yoke_model *model, const yoke_run_options *options,
                          yoke_run_result *result, yoke_err *err)
{
    yoke_run *run = NULL;

    if (result) {
        memset(result, 0, sizeof *result);
        result->t = options->start;
        snprintf(result->text, sizeof result->text, "%s", nothing_done);
    }
    YK_TRY(yoke_run_create(&run, model, options, NULL, err));
    yoke_status status = yoke_run_advance(run, options->stop, err);
    if (result) yoke_run_summary(run, result);
    const yoke_status closed =
        yoke_run_close(run, status == YOKE_OK ? err : NULL);
    return status == YOKE_OK ? closed : status;
}
