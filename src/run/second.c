/* run/second.c -- a run that was cheap is solved a second time.
 *
 * Tests of steps, windows and pieces are local.  What a system makes of the errors
 * that they permit is its own property: they grow with exp(t) where it is unstable,
 * add up over a thousand periods, and an integral of an integral multiplies them
 * by the square of the time.  Nothing inside a step shows that.  So the whole is
 * solved once more to a tenth of the tolerance, as one system if it can be, and
 * both solutions are compared at times spread over the run.  The difference is
 * the error of the first one, to a few percent.
 *
 * If it is more than YK_SECOND_LIMIT tolerances the run begins again with a tolerance that
 * is smaller by as much, and is judged again.  What cannot be cured is reported.
 *
 * A second solution costs 1.6 times the first.  It is made where the first has
 * cost too little to notice (option second).  docs/methods/second.md.
 */
#include "run/second.h"

#include "base/tolerance.h"
#include "decide/policy.h"
#include "graph/cost.h"
#include "run/places.h"
#include "run/policy.h"
#include "run/run.h"
#include "sys/call.h"
#include "sys/closed.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Samples ---------------------------------------------------------------
 */

/* The k-th of those that are spread over time, such that no multiple of a period of
 * the model is likely to be met; the last is the stop time. */
static double spread_time(const yoke_run *run, int k)
{
    const yk_second *s = &run->second;
    const double start = run->options.start;

    if (k + 1 >= s->times) return run->options.stop;
    return start + (run->options.stop - start) * ((k + 0.618034) / s->times);
}

static yoke_status sample(yoke_run *run, double t, bool between, int columns,
                          yk_samples *out, yoke_err *err)
{
    const size_t row = (size_t)out->rows, width = (size_t)columns;

    YK_TRY(YK_GROW(&out->time, &out->time_room, row + 1, err));
    YK_TRY(YK_GROW(&out->between, &out->between_room, row + 1, err));
    YK_TRY(YK_GROW(&out->value, &out->value_room, (row + 1) * width, err));
    out->time[row] = t;
    out->between[row] = between;
    yoke_run_at(run, t, out->value + row * width);
    out->rows++;
    return YOKE_OK;
}

static void free_samples(yk_samples *s)
{
    YK_FREE(s->time, s->value, s->between);
    *s = (yk_samples){ .rows = 0 };
}

static double last_time(const yk_samples *s)
{
    return s->rows > 0 ? s->time[s->rows - 1] : -INFINITY;
}

/* Every other one in the middle of a step goes. */
static void halve(yk_second *s)
{
    const size_t width = (size_t)s->columns;
    yk_samples *f = &s->first;
    int rows = 0;

    s->each *= 2;
    s->between = 0;
    for (int i = 0, k = 0; i < f->rows; i++) {
        if (f->between[i] && k++ % 2) continue;
        s->between += f->between[i];
        f->time[rows] = f->time[i];
        f->between[rows] = f->between[i];
        memmove(f->value + (size_t)rows * width, f->value + (size_t)i * width,
                width * sizeof *f->value);
        rows++;
    }
    f->rows = rows;
}

/* Those that are spread over time, up to t. */
static yoke_status sample_spread(yoke_run *run, double t, yoke_err *err)
{
    yk_second *s = &run->second;

    for (; s->spread < s->times; s->spread++) {
        const double at = spread_time(run, s->spread);
        if (at > t) return YOKE_OK;
        YK_TRY(sample(run, at, false, s->columns, &s->first, err));
    }
    return YOKE_OK;
}

/* One in the middle of a step, unless an instant may move as far. */
static yoke_status sample_step(yoke_run *run, double from, double to,
                               yoke_err *err)
{
    yk_second *s = &run->second;
    const double t = 0.5 * (from + to), far = 2.0 * s->beside;

    if (to - from < 2.0 * far || s->met++ % s->each) return YOKE_OK;
    YK_TRY(sample_spread(run, t, err));
    if (t - last_time(&s->first) < far || spread_time(run, s->spread) - t < far)
        return YOKE_OK;
    YK_TRY(sample(run, t, true, s->columns, &s->first, err));
    if (++s->between >= YK_SECOND_BETWEEN) halve(s);
    return YOKE_OK;
}

yoke_status yk_second_window(yoke_run *run, double t, yoke_err *err)
{
    yk_second *s = &run->second;

    if (s->times == 0) return YOKE_OK;
    YK_TRY(yk_record_steps(&run->record, &s->step, err));
    for (int k = 1; k < s->step.count; k++)
        YK_TRY(sample_step(run, s->step.at[k - 1], s->step.at[k], err));
    return sample_spread(run, t, err);
}

/* ---- Which runs ------------------------------------------------------------
 */

static bool has_closed(const yoke_run *run)
{
    for (int i = 0; i < yoke_graph_count(run->graph); i++)
        if (yoke_system_facts(yoke_graph_system(run->graph, i))->closed)
            return true;
    return false;
}

/* Has a part not repeated a window?  Then the first solution is wrong, too. */
static bool has_unlike(const yoke_run *run)
{
    for (int i = 0; i < yoke_graph_count(run->graph); i++) {
        const yk_closed *c =
            yoke_system_facts(yoke_graph_system(run->graph, i))->closed;
        if (c && c->unlike && c->unlike(c->self)) return true;
    }
    return false;
}

/* The promise is that of the tolerance of the run, so all must have it. */
static bool is_promised(const yoke_run *run)
{
    const yoke_run_options *o = &run->options;

    if (o->iterate.stop != YOKE_STOP_ERROR || o->iterate.at_end ||
        (o->given && !o->solved) || o->scheme >= YOKE_PORT_WAVES ||
        run->units.count != 1)
        return false;
    for (int i = 0; i < yoke_graph_count(run->graph); i++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(run->graph, i));
        if ((f->closed || f->n > 0) && !yk_ladder_is_tested(&run->ladder, i))
            return false;
    }
    return true;
}

/* A closed part counts what was asked of it. */
static double cost_of_closed(const yoke_work *w)
{
    return YK_SECOND_EXCHANGE * (double)(w->sweeps + w->rejected) +
           YK_SECOND_CALL * fmax((double)w->steps, (double)w->residuals);
}

/* Residuals, each worth as many unknowns as its unit has. */
static double cost_of(const yoke_run *run)
{
    const yk_unit_plan *plan = &run->units.plan[0];
    double sum = 0.0;
    yoke_work work;

    for (int c = 0; c < plan->schedule->clusters; c++) {
        const yoke_system_info *f = yoke_system_facts(plan->cluster[c].system);
        if (!yoke_run_work(run, c, NULL, &work)) break;
        sum += f->closed ? cost_of_closed(&work)
                         : (double)work.residuals *
                               yk_cost_weight(f->n, yoke_pattern_count(f->G));
    }
    return sum;
}

/* Seconds in which closed parts were busy. */
static double closed_seconds(const yoke_run *run)
{
    const yk_unit_plan *plan = &run->units.plan[0];
    double sum = 0.0;
    yoke_work work;

    for (int c = 0; c < plan->schedule->clusters; c++)
        if (yoke_system_facts(plan->cluster[c].system)->closed &&
            yoke_run_work(run, c, NULL, &work))
            sum += work.seconds;
    return sum;
}

void yk_second_begin(yoke_run *run)
{
    yk_second *s = &run->second;
    const double part = s->part, before = s->before;
    const double span = run->options.stop - run->options.start;

    yk_second_free(s);
    *s = (yk_second){ .part = part > 0.0 ? part : 1.0,
                      .before = before,
                      .closed = has_closed(run),
                      .each = 1 };
    if (!(run->options.second > 0.0) || !(run->options.spot > 0.0) ||
        run->record.columns == 0 || run->record.columns > YK_SECOND_COLUMNS ||
        !is_promised(run))
        return;
    s->times = YK_SECOND_TIMES;
    s->columns = run->record.columns;
    s->around = yk_run_has_events(run) || s->closed ? 3 : 1;
    s->beside = s->around > 1
                    ? fmin(YK_PROMISE * run->options.iterate.rtol, 0.1) * span /
                          s->times
                    : 0.0;
}

void yk_second_free(yk_second *s)
{
    free_samples(&s->first);
    yk_free(s->step.at);
    s->step = (yk_record_times){ .count = 0 };
    s->times = 0;
}

void yk_second_prolong(yk_second *s)
{
    if (s->times == 0) return;
    yk_second_free(s);
    snprintf(s->failed, sizeof s->failed,
             "none: the run goes on beyond the stop time that it began with");
}

/* ---- The second solution ---------------------------------------------------
 */

typedef struct sampler {
    yoke_run *run;         /* the second one */
    const yoke_run *first; /* which says when */
    yk_samples *out;
    long asked, most; /* so many steps are enough */
    double most_cost; /* of closed parts, as cost_of counts */
    double until;     /* and so much time, if parts are closed */
    yoke_status status;
} sampler;

/* Of the samples of the first run, each taken on both sides, too. */
static double second_time(const yoke_run *first, int row)
{
    const yk_second *s = &first->second;
    const int k = row / s->around, side = row % s->around - s->around / 2;
    const double t = s->first.time[k] + side * s->beside;

    return fmin(fmax(t, first->options.start), first->options.stop);
}

static int second_rows(const yk_second *s)
{
    return s->first.rows * s->around;
}

static bool on_window(void *context, double t,
                      const yoke_iterate_result *so_far)
{
    sampler *s = context;
    const yk_second *of = &s->first->second;

    (void)so_far;
    while (s->status == YOKE_OK && s->out->rows < second_rows(of)) {
        const double at = second_time(s->first, s->out->rows);
        if (at > t) break;
        s->status = sample(s->run, at, false, of->columns, s->out, NULL);
    }
    return s->status != YOKE_OK ||
           (of->closed && cost_of(s->run) > s->most_cost);
}

/* How often it asks while it waits for a closed part depends on the clock. */
static bool on_stop(void *context)
{
    sampler *s = context;
    const yoke_watcher *w = &s->first->watcher;

    if (w->stop && w->stop(w->context)) return true;
    return s->first->second.closed ? yk_clock() > s->until
                                   : ++s->asked > s->most;
}

/* So many times those of the first run, or as many as cost what a second
 * solution may: one that needs far more has found what the first passed over. */
static long most_steps(const yoke_run *run)
{
    const double cost = cost_of(run);
    double steps = 0.0;
    yoke_work work;

    for (int c = 0; yoke_run_work(run, c, NULL, &work); c++)
        steps += (double)(work.steps + work.rejected);
    const double times = cost > 0.0 ? run->options.second / cost : 0.0;
    return (long)fmin(steps * fmax(YK_SECOND_STEPS, times), 1e9);
}

/* Everything as one, or as in the first run. */
static yoke_status solve(const yoke_run *run, bool as_one, yk_samples *out,
                         yoke_err *err)
{
    sampler s = { .first = run, .out = out, .most = 1000, .until = INFINITY };
    const yoke_watcher watcher = { .window = on_window,
                                   .stop = on_stop,
                                   .context = &s };
    yoke_run_options o = run->options;
    yoke_run_result r;
    yk_places beside;

    s.most += most_steps(run);
    if (run->second.closed) {
        s.most_cost = YK_SECOND_TWICE * YK_SECOND_STEPS *
                      (100.0 * YK_SECOND_EXCHANGE + cost_of(run));
        s.until = yk_clock() + YK_SECOND_STEPS * YK_SECOND_SLOW *
                                   (1.0 + closed_seconds(run));
    }
    o.output = o.tasks = "";
    o.iterates = false;
    o.spot = o.second = 0.0;
    o.jobs = 1;
    if (o.places) {
        beside = *o.places;
        beside.beside = true;
        o.places = run->second.closed ? &beside : NULL;
    }
    o.iterate.rtol = fmax(YK_SECOND_PART * run->second.part * o.iterate.rtol,
                          YK_DECIDE_LEAST_RTOL);
    o.iterate.atol *= YK_SECOND_PART * run->second.part;
    if (as_one) {
        o.scheme = YOKE_MONOLITHIC;
        o.schedule = o.order = "";
    }
    out->rows = 0;
    YK_TRY(yoke_run_create(&s.run, run->model, &o, &watcher, err));
    yoke_status status = yoke_run_advance(s.run, o.stop, err);
    yoke_run_summary(s.run, &r);
    if (s.status == YOKE_E_MEMORY)
        status = yk_fail(err, s.status, "out of memory");
    if (status == YOKE_OK &&
        (!r.converged || out->rows < second_rows(&run->second)))
        status = yk_fail(err, YOKE_NOT_CONVERGED, "it did not converge");
    yoke_run_close(s.run, NULL);
    return status;
}

/* What systems remember belongs to the first run, `bytes` of each, one after the
 * other; and so does where they answer. */
static void exchange(const yoke_run *run, char *bytes,
                     const yk_elsewhere **where, bool back)
{
    for (int i = 0; i < yoke_graph_count(run->graph); i++) {
        yoke_system *system = yoke_graph_system(run->graph, i);
        const size_t room = yoke_system_facts(system)->memory_bytes;
        if (back)
            yk_system_put_elsewhere(system, where[i]);
        else
            where[i] = system->elsewhere;
        if (room == 0) continue;
        if (back)
            yk_system_restore(system, bytes);
        else
            yk_system_save(system, bytes);
        bytes += (room + 15) / 16 * 16;
    }
}

static yoke_status solve_as_can_be(const yoke_run *run, yk_samples *out,
                                   yoke_err *err)
{
    yoke_status status = YOKE_E_MODEL;

    if (!run->second.closed) status = solve(run, true, out, err);
    if (status != YOKE_OK && status != YOKE_STOPPED && status != YOKE_E_MEMORY)
        status = solve(run, false, out, err);
    return status;
}

static yoke_status solve_beside(yoke_run *run, yk_samples *out, yoke_err *err)
{
    const int nodes = yoke_graph_count(run->graph);
    const yk_elsewhere **where = NULL;
    char *memory = NULL;
    size_t room = 16;
    yoke_status status = YOKE_OK;

    for (int i = 0; i < nodes; i++)
        room +=
            16 +
            yoke_system_facts(yoke_graph_system(run->graph, i))->memory_bytes;
    YK_GO(yk_alloc((void **)&memory, room, 1, err));
    YK_GO(YK_NEW(&where, nodes + 1, err));
    exchange(run, memory, where, false);
    yk_model_aside(run->model, true);
    status = solve_as_can_be(run, out, err);
    yk_model_aside(run->model, false);
    exchange(run, memory, where, true);
done:
    YK_FREE(memory, where);
    return status;
}

/* ---- What it says ----------------------------------------------------------
 */

static double at(const yk_second *s, const yk_samples *of, int row, int c)
{
    return of->value[(size_t)row * (size_t)s->columns + (size_t)c];
}

/* Sizes of the variables; those of the first where the second has no end. */
static void measure(const yoke_run *run, const yk_samples *second, double *own,
                    double *size)
{
    const yk_second *s = &run->second;
    const bool part = second->rows < second_rows(s);

    for (int c = 0; c < s->columns; c++) {
        own[c] = 0.0;
        for (int row = 0; row < second->rows; row++)
            own[c] = fmax(own[c], fabs(at(s, second, row, c)));
        for (int row = 0; part && row < s->first.rows; row++)
            own[c] = fmax(own[c], fabs(at(s, &s->first, row, c)));
    }
    yoke_run_sizes(s->columns, (const char *const *)run->record.name, own,
                   size);
}

/* How far the first solution is off at time k.  Where the second one jumps next to
 * it one cannot say on which side it is. */
static double distance(const yk_second *s, const yk_samples *second, int k,
                       int c, double size)
{
    const int row = k * s->around + s->around / 2;
    const double value = at(s, &s->first, k, c);
    double low = at(s, second, row, c), high = low;

    for (int i = k * s->around; i < (k + 1) * s->around; i++) {
        low = fmin(low, at(s, second, i, c));
        high = fmax(high, at(s, second, i, c));
    }
    if (!(high - low > YK_SECOND_JUMP * size))
        return fabs(value - at(s, second, row, c));
    return fmax(0.0, fmax(low - value, value - high));
}

static yoke_status compare(yoke_run *run, const yk_samples *second,
                           yoke_err *err)
{
    const yoke_iterate_options *o = &run->options.iterate;
    yk_second *s = &run->second;
    double *own = NULL, *size = NULL;
    yoke_status status = YOKE_OK;

    YK_GO(YK_DOUBLES((size_t)s->columns, err, &own, &size));
    measure(run, second, own, size);
    s->apart = 0.0;
    for (int k = 0; k < second->rows / s->around; k++)
        for (int c = 0; c < s->columns; c++) {
            const double apart = distance(s, second, k, c, size[c]) /
                                 yk_tolerance(o->atol, o->rtol, size[c]);
            if (apart <= s->apart) continue;
            s->apart = apart;
            s->column = c;
            s->when = s->first.time[k];
        }
    s->made = second->rows == second_rows(s) || s->apart > YK_SECOND_LIMIT;
done:
    YK_FREE(own, size);
    return status;
}

/* Of the tolerance, that a run which begins again may be asked for at once. */
static double least_part(const yk_second *s)
{
    return s->closed ? YK_SECOND_PART : YK_SECOND_LEAST;
}

/* The run begins again with a tolerance that is smaller by what is missing.  What
 * is inside closed parts may not follow it, so no smaller one is asked of them than
 * the second solution had, and none if the last one was in vain. */
static yoke_status repair(yoke_run *run, yoke_err *err)
{
    yk_second *s = &run->second;
    const double part = s->part * fmax(YK_SECOND_AIM / s->apart, least_part(s));
    char text[500];

    if (s->closed && s->before > 0.0 && s->apart > 0.5 * s->before)
        return YOKE_OK;
    snprintf(text, sizeof text,
             "errors add up to %.3g tolerances of \"%.80s\" at t = %.6g, as a "
             "second solution shows: everything is solved to %.2g of the "
             "tolerance, and the run begins again",
             s->apart, run->record.name[s->column], s->when, part);
    YK_TRY(yk_ladder_sharpen_all(&run->ladder, part, text, err));
    if (!run->ladder.again) return YOKE_OK;
    s->part = part;
    s->before = s->apart;
    return YOKE_OK;
}

/* A run that is not compared passes, unless the one before was so far off that this
 * one is expected to be, too. */
static yoke_status uncompared(const yk_second *s, yoke_err *err)
{
    if (!(s->before * least_part(s) > YK_SECOND_LIMIT)) return YOKE_OK;
    return yk_fail(err, YOKE_NOT_CONVERGED,
                   "errors add up to %.3g tolerances, and with %.2g of the "
                   "tolerance nobody knows how far the solution is off: second "
                   "solution: %s",
                   s->before, s->part, s->failed);
}

static bool is_too_dear(yoke_run *run)
{
    yk_second *s = &run->second;
    const double cost = s->part * cost_of(run), seconds = closed_seconds(run);

    if (cost > run->options.second)
        snprintf(
            s->failed, sizeof s->failed,
            "none: it would cost more (%.2g) than the option second permits "
            "(%.2g)",
            cost, run->options.second);
    else if (seconds > YK_SECOND_SECONDS * run->options.second)
        snprintf(s->failed, sizeof s->failed,
                 "none: closed parts were busy for %.2g s, the option second "
                 "permits %.2g s",
                 seconds, YK_SECOND_SECONDS * run->options.second);
    return s->failed[0];
}

yoke_status yk_second_judge(yoke_run *run, yoke_err *err)
{
    yk_second *s = &run->second;
    yk_samples second = { .rows = 0 };
    yoke_err why = { YOKE_OK, "" };

    if (s->times == 0 || !run->whole || s->spread < s->times) return YOKE_OK;
    if (is_too_dear(run)) return uncompared(s, err);
    yoke_status status = solve_beside(run, &second, &why);
    if (status == YOKE_E_MEMORY) {
        yk_fail(err, status, "%s, in the second solution", why.text);
    } else if (status != YOKE_OK && run->watcher.stop &&
               run->watcher.stop(run->watcher.context)) {
        yk_fail(err, YOKE_STOPPED,
                "stopped on request while the run, which had come to its end, "
                "was solved a second time to judge its errors");
    } else if (status != YOKE_OK && has_unlike(run)) {
        yk_fail(err, status,
                "a second solution shows what the first did not: %s", why.text);
    } else if (status == YOKE_OK || status == YOKE_STOPPED) {
        /* As far as it came: what differs there does so in any case. */
        status = compare(run, &second, err);
        if (!s->made)
            snprintf(s->failed, sizeof s->failed,
                     "none: it takes too many steps");
    } else {
        snprintf(s->failed, sizeof s->failed, "none: %.280s", why.text);
        status = YOKE_OK;
    }
    free_samples(&second);
    if (status == YOKE_OK && !s->made) status = uncompared(s, err);
    if (status == YOKE_OK && s->made && s->apart > YK_SECOND_LIMIT)
        status = repair(run, err);
    return status;
}

bool yk_second_uncertain(const yoke_run *run, char *text, size_t room)
{
    const yk_second *s = &run->second;

    if (!s->made && s->before > 0.0 && s->failed[0]) {
        snprintf(text, room,
                 "the run that began again was %.3g tolerances off; this one, "
                 "to %.2g of the tolerance, was not compared (second "
                 "solution: %.200s)",
                 s->before, s->part, s->failed);
        return true;
    }
    if (!s->made || !(s->apart > YK_PROMISE)) return false;
    snprintf(text, room,
             "a second solution, to a tenth of the tolerance, differs by %.3g "
             "tolerances (\"%.80s\" at t = %.6g): %s",
             s->apart, run->record.name[s->column], s->when,
             s->closed ? "a smaller tolerance does not mend it, perhaps "
                         "because of solvers inside of parts"
                       : "the system amplifies errors more than a smaller "
                         "tolerance could mend");
    return true;
}
