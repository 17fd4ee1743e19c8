/* cli/cmd_verify.c -- yoke verify SYSTEM: how large is the splitting error?
 *
 *     coupled      as asked for
 *     H, H/2, H/4  the same with windows of these lengths: the observed order
 *     fine         coupled, to a hundredth of the tolerance, with short steps;
 *                  port-Hamiltonian schemes, whose grid is their own, with a
 *                  quarter of the step
 *     short steps  coupled as asked for, but with short steps
 *     monolithic   everything as one system, to the same tolerance
 *     reference    the same to a hundredth of it, by another method (radau5, or
 *                  ida where all use radau5), with short steps; if that cannot
 *                  solve it, with a quarter of the steps
 *
 * Short steps pass over nothing that is longer than a two thousandth of the
 * run, nor than the mean step of the coupled run.
 *
 * Closed parts cannot be part of a monolithic run.  With them `fine` is the
 * reference, with communication steps of half the length, and
 *
 *     other order  coupled, to the same tolerance, by the other scheme (Jacobi
 *                  for Gauss-Seidel and the other way round)
 *
 * must agree with it too.  What such parts do inside is not verified by that.
 *
 * Coupled minus monolithic is the splitting error, as far as the steppers leave
 * it to be seen: their own error is coupled minus fine, or monolithic minus
 * reference, whichever is larger.  If coupled is off the reference and short
 * steps mend it, the steppers cause it, whatever the coupling does.
 */
#include "cli/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Differences within so many tolerances are what the tolerance promises: the
 * steppers control the error of a step, which adds up over the run. */
static const double promise = 10.0;

enum { MOST_VALUES = 20000000 };

/* ---- one run ------------------------------------------------------------- */

/* Rows are taken at the times of the grid while the windows go by. */
typedef struct recorder {
    yoke_run *run;
    verify_run *out;
    double start, stop, every;
    int next;
    long asked, most; /* steps so far; 0: no limit */
} recorder;

/* Where something jumps at a time of the grid, as clocks and sawtooth waves do, two
 * runs that agree would differ by the jump, each sampled on another side of it.  So
 * all look shortly before: a part of `every`, more than events are apart in runs
 * that agree. */
static const double before = 1e-3;

static double grid_time(const recorder *r, int k)
{
    return (k + 1 < r->out->rows ? r->start + k * r->every : r->stop) -
           before * r->every;
}

static bool on_window(void *context, double t,
                      const yoke_iterate_result *so_far)
{
    recorder *r = context;

    (void)so_far;
    while (r->next < r->out->rows) {
        const double at = grid_time(r, r->next);
        if (at > t) break;
        yoke_run_at(r->run, at,
                    r->out->value + (size_t)r->next * (size_t)r->out->cols);
        r->next++;
    }
    return false;
}

/* Asked between all steps. */
static bool on_stop(void *context)
{
    recorder *r = context;

    return r->most > 0 && ++r->asked > r->most;
}

static yoke_status make_rows(recorder *r, yoke_err *err)
{
    verify_run *o = r->out;
    const double *first = NULL;
    const char *const *name = NULL;

    o->cols = yoke_run_variables(r->run, &name, &first);
    if (o->cols == 0)
        return yoke_fail(err, YOKE_E_ARG,
                         "no variable is recorded, so nothing can be compared; "
                         "choose some with --record");
    const double parts = ceil((r->stop - r->start) / r->every - 1e-9);
    if (parts * o->cols > MOST_VALUES)
        return yoke_fail(err, YOKE_E_ARG,
                         "%.3g times %d variables are too many to compare; "
                         "choose fewer with --record or --every",
                         parts, o->cols);
    o->rows = (int)parts + 1;
    o->value = calloc((size_t)o->rows * (size_t)o->cols, sizeof *o->value);
    if (!o->value) return yoke_fail(err, YOKE_E_MEMORY, "out of memory");
    memcpy(o->value, first, (size_t)o->cols * sizeof *first);
    r->next = 1;
    return YOKE_OK;
}

static double largest(const verify_run *b, int c)
{
    double size = 0.0;

    for (int r = 0; r < b->rows; r++)
        size =
            fmax(size, fabs(b->value[(size_t)r * (size_t)b->cols + (size_t)c]));
    return size;
}

static yoke_status find_sizes(const verify *v, verify_run *b, yoke_err *err)
{
    double *own = calloc((size_t)b->cols, sizeof *own);

    b->size = calloc((size_t)b->cols, sizeof *b->size);
    for (int c = 0; own && b->size && c < b->cols; c++) own[c] = largest(b, c);
    if (own && b->size)
        yoke_run_sizes(b->cols, (const char *const *)v->name, own, b->size);
    const bool made = own && b->size;
    free(own);
    if (!made) return yoke_fail(err, YOKE_E_MEMORY, "out of memory");
    return YOKE_OK;
}

/* With the overhead on request.  The names are those of the first run. */
static yoke_status run_once(verify *v, const yoke_run_options *options,
                            verify_run *out, bool replay, yoke_err *err)
{
    recorder r = { .out = out,
                   .start = options->start,
                   .stop = options->stop,
                   .every = v->every,
                   .most = v->most_steps };
    const yoke_watcher watcher = { .window = on_window,
                                   .stop = on_stop,
                                   .context = &r };
    yoke_run_options quiet = *options;
    double rate = NAN;

    quiet.output = quiet.tasks = "";
    quiet.iterates = false;
    quiet.spot = quiet.second = 0.0;
    yoke_status status =
        yoke_run_create(&r.run, v->model, &quiet, &watcher, err);
    if (status != YOKE_OK) return status;
    status = make_rows(&r, err);
    if (status == YOKE_OK && replay) status = yoke_run_keep_waves(r.run, err);
    if (status == YOKE_OK) status = yoke_run_advance(r.run, options->stop, err);
    if (status == YOKE_OK) status = yoke_run_predict(r.run, &rate, err);
    if (status == YOKE_OK && replay) {
        yoke_err why = { YOKE_OK, "" };
        if (yoke_run_replay(r.run, &v->apart, &why) != YOKE_OK)
            snprintf(v->no_replay, sizeof v->no_replay, "%s", why.text);
    }
    if (status == YOKE_OK && !v->name) status = verify_names(v, r.run, err);
    if (status == YOKE_OK) status = find_sizes(v, out, err);
    yoke_run_summary(r.run, &out->result);
    yoke_run_close(r.run, NULL);
    out->window = options->iterate.window;
    out->done = status == YOKE_OK;
    return status;
}

/* ---- the runs ------------------------------------------------------------ */

static void forget(verify_run *out)
{
    free(out->value);
    free(out->size);
    out->value = out->size = NULL;
}

static void keep_reason(verify_run *out, const yoke_err *err)
{
    snprintf(out->why, sizeof out->why, "%s", err->text);
}

static bool counted_per_window(yoke_model *model)
{
    const yoke_graph *graph = yoke_model_graph(model);

    for (int i = 0; i < yoke_graph_count(graph); i++) {
        const yoke_stepper_options *o = yoke_model_stepper(model, i);
        if (o && o->steps > 0 && yoke_stepper_is_fixed(o->method)) return true;
    }
    return false;
}

/* The least step of the fixed methods; 0: there is none. */
static double least_step(yoke_model *model, double step)
{
    for (int i = 0; i < yoke_graph_count(yoke_model_graph(model)); i++) {
        const yoke_stepper_options *o = yoke_model_stepper(model, i);
        if (!o || !yoke_stepper_is_fixed(o->method) || o->step == 0.0) continue;
        if (step == 0.0 || o->step < step) step = o->step;
    }
    return step;
}

/* The length of the series: the window, or, where it is chosen by the program,
 * the mean one, such that it divides the run. */
static double first_length(const verify *v, const yoke_run_options *options)
{
    const double span = options->stop - options->start;
    const int windows = v->run[COUPLED].result.iterate.windows;

    if (options->iterate.window > 0.0) return options->iterate.window;
    return span / (windows > 0 ? windows : 1);
}

static void run_series(verify *v, const yoke_run_options *options)
{
    yoke_run_options o = *options;
    const double length = first_length(v, options);

    if (v->sweeps > 0) {
        o.iterate.stop = YOKE_STOP_COUNT;
        o.iterate.max_sweeps = v->sweeps;
    }
    for (int k = 0; k < SERIES; k++) {
        yoke_err err = { YOKE_OK, "" };
        verify_run *out = &v->run[FIRST + k];
        o.iterate.window = length / (1 << k);
        if (run_once(v, &o, out, false, &err) != YOKE_OK)
            keep_reason(out, &err);
    }
}

static void tighten(yoke_run_options *o)
{
    o->iterate.rtol = fmax(o->iterate.rtol / 100.0, 1e-13);
    o->iterate.atol /= 100.0;
}

/* The longest step that passes over nothing; 0: steps of a fixed length, which
 * promise no tolerance, are left as they are. */
static double short_step(const verify *v, const yoke_run_options *options)
{
    static const double fewest = 2e3, most = 2e4;
    const double steps = (double)v->run[COUPLED].result.work.steps;
    const double span = options->stop - options->start;

    if (options->scheme >= YOKE_PORT_WAVES || least_step(v->model, 0.0) > 0.0 ||
        counted_per_window(v->model))
        return 0.0;
    const double step = span / fmin(fmax(steps, fewest), most);
    return options->step > 0.0 ? fmin(step, options->step) : step;
}

static void run_short(verify *v, const yoke_run_options *options)
{
    yoke_run_options o = *options;
    yoke_err err = { YOKE_OK, "" };

    o.step = v->bound;
    if (v->bound == 0.0) return;
    if (run_once(v, &o, &v->run[SHORT], false, &err) != YOKE_OK)
        keep_reason(&v->run[SHORT], &err);
}

static void run_fine(verify *v, const yoke_run_options *options)
{
    yoke_run_options o = *options;
    yoke_err err = { YOKE_OK, "" };

    tighten(&o);
    if (o.scheme >= YOKE_PORT_WAVES) o.step /= 4.0;
    if (v->bound > 0.0) o.step = v->bound;
    if (run_once(v, &o, &v->run[FINE], false, &err) != YOKE_OK)
        keep_reason(&v->run[FINE], &err);
}

/* Would radau5 be no other method? */
static bool all_radau(const verify *v)
{
    const yoke_stepper_options standard = yoke_stepper_defaults();

    for (int i = 0; i < yoke_graph_count(yoke_model_graph(v->model)); i++) {
        const yoke_stepper_options *o = yoke_model_stepper(v->model, i);
        if (strcmp(o ? o->method : standard.method, "radau5") != 0)
            return false;
    }
    return true;
}

/* A method that takes 200 times as many steps does not come to an end: it sees
 * rounding.  At a hundredth of the tolerance 10 times are usual. */
static long most_of(const verify *v)
{
    const long steps = (long)v->run[COUPLED].result.work.steps;

    return 200 * (steps > 2000 ? steps : 2000);
}

static void run_reference(verify *v, const yoke_run_options *whole)
{
    yoke_run_options o = *whole;
    verify_run *out = &v->run[REFERENCE];
    yoke_err err = { YOKE_OK, "" };
    const double step = least_step(v->model, whole->step);

    tighten(&o);
    o.step = v->bound;
    for (int k = all_radau(v) ? 0 : 1; k < 2; k++) {
        v->most_steps = k == 0 ? most_of(v) : 0;
        snprintf(o.stepper, sizeof o.stepper, k ? "radau5" : "ida");
        snprintf(v->reference, sizeof v->reference,
                 "%s at a hundredth of the tolerance", o.stepper);
        forget(out);
        if (run_once(v, &o, out, false, &err) == YOKE_OK) return;
        keep_reason(out, &err);
    }
    if (step == 0.0) return;
    memcpy(o.stepper, whole->stepper, sizeof o.stepper);
    o.step = step / 4.0;
    snprintf(v->reference, sizeof v->reference, "steps of %.4g", o.step);
    forget(out);
    if (run_once(v, &o, out, false, &err) != YOKE_OK) keep_reason(out, &err);
}

static yoke_status run_whole(verify *v, const yoke_run_options *options,
                             yoke_err *err)
{
    yoke_run_options o = *options;

    v->bound = short_step(v, options);
    o.scheme = YOKE_MONOLITHIC;
    o.schedule = o.order = "";
    const yoke_status status = run_once(v, &o, &v->run[WHOLE], false, err);
    if (status == YOKE_OK) run_reference(v, &o);
    return status;
}

/* Subsystems whose steps nobody tests. */
static void find_fixed(verify *v, const yoke_run_options *options)
{
    const yoke_graph *graph = yoke_model_graph(v->model);
    const yoke_stepper_options standard = yoke_stepper_defaults();

    if (options->scheme >= YOKE_PORT_WAVES) {
        snprintf(v->fixed, sizeof v->fixed, "those of the scheme");
        return;
    }
    for (int i = 0; i < yoke_graph_count(graph); i++) {
        const yoke_stepper_options *o = yoke_model_stepper(v->model, i);
        const char *method = options->stepper[0] ? options->stepper
                             : o                 ? o->method
                                                 : standard.method;
        const size_t used = strlen(v->fixed);

        if (!yoke_stepper_is_fixed(method)) continue;
        snprintf(v->fixed + used, sizeof v->fixed - used, "%s%.40s (%.20s)",
                 used ? ", " : "",
                 yoke_system_name(yoke_graph_system(graph, i)), method);
    }
}

/* ---- what they say ------------------------------------------------------- */

/* Column c of a against b, over the tolerance of b's size. */
static verify_distance distance(const verify *v, const verify_run *a,
                                const verify_run *b, int c)
{
    verify_distance d = { .at_row = 0 };
    double sum = 0.0;

    for (int r = 0; r < b->rows; r++) {
        const size_t at = (size_t)r * (size_t)b->cols + (size_t)c;
        const double apart = fabs(a->value[at] - b->value[at]);
        sum += apart * apart;
        if (!(apart <= d.max)) {
            d.max = apart;
            d.at_row = r;
        }
    }
    d.rms = sqrt(sum / b->rows);
    d.tolerance = v->atol + v->rtol * b->size[c];
    return d;
}

/* Largest distance of all columns; NAN if one of the runs failed. */
static double apart(const verify *v, const verify_run *a, const verify_run *b,
                    int *worst)
{
    double most = 0.0;

    if (!a->done || !b->done) return NAN;
    for (int c = 0; c < b->cols; c++) {
        const verify_distance d = distance(v, a, b, c);
        const double relative = d.max > 0.0 ? d.max / d.tolerance : 0.0;
        if (relative <= most) continue;
        most = relative;
        if (worst) *worst = c;
    }
    return most;
}

/* The order that the errors of the series show, if they show one. */
static void find_order(verify *v)
{
    const double *e = v->error + FIRST;
    bool falls = true;

    v->order = NAN;
    for (int k = 0; k + 1 < SERIES; k++) {
        v->orders[k] = log2(e[k] / e[k + 1]);
        falls = falls && v->orders[k] > 0.5;
    }
    if (isnan(e[0]) || isnan(e[1]) || isnan(e[2]))
        v->seen = ORDER_NO_RUN;
    else if (falls && !(e[SERIES - 1] <= 3.0 * v->level))
        v->seen = ORDER_SPLITTING;
    else if (falls && v->steps_per_window)
        v->seen = ORDER_ALL;
    else
        v->seen = e[0] <= fmax(1.0, 3.0 * v->level) ? ORDER_BELOW : ORDER_FLAT;
    if (v->seen == ORDER_SPLITTING || v->seen == ORDER_ALL)
        v->order = v->orders[SERIES - 2];
}

static void judge(verify *v)
{
    const verify_run *reference =
        &v->run[v->run[REFERENCE].done ? REFERENCE : WHOLE];

    for (int c = 0; c < v->cols; c++)
        v->variable[c] = distance(v, &v->run[COUPLED], &v->run[WHOLE], c);
    v->splitting = apart(v, &v->run[COUPLED], &v->run[WHOLE], &v->worst);
    for (int k = 0; k < RUNS; k++)
        v->error[k] = apart(v, &v->run[k], reference, NULL);
    v->level = apart(v, &v->run[COUPLED], &v->run[FINE], NULL);
    if (v->run[REFERENCE].done) v->level = fmax(v->level, v->error[WHOLE]);
    v->steps_per_window = counted_per_window(v->model);
    find_order(v);
    v->factor = promise;
    v->total = apart(v, &v->run[COUPLED], reference, &v->total_worst);
    v->by_steps = v->run[SHORT].done && v->error[SHORT] < 0.3 * v->total;
    v->agree = v->splitting <= promise;
    if (v->bound > 0.0 && v->run[REFERENCE].done)
        v->agree = v->agree && v->total <= promise;
    v->good = v->agree && v->run[COUPLED].result.converged;
    for (int k = 0; v->sweeps == 0 && k < SERIES; k++)
        v->good = v->good && v->run[FIRST + k].done &&
                  v->run[FIRST + k].result.converged;
}

/* ---- closed parts -------------------------------------------------------- */

static bool find_closed(verify *v)
{
    const yoke_graph *graph = yoke_model_graph(v->model);

    for (int i = 0; i < yoke_graph_count(graph); i++) {
        const yoke_system *system = yoke_graph_system(graph, i);
        const size_t used = strlen(v->parts);

        if (!yoke_system_facts(system)->closed) continue;
        snprintf(v->parts + used, sizeof v->parts - used, "%s%.60s",
                 v->closed ? ", " : "", yoke_system_name(system));
        v->closed = true;
    }
    return v->closed;
}

/* The least communication step that was given; 0: none. */
static double closed_step(const verify *v)
{
    const yoke_graph *graph = yoke_model_graph(v->model);
    double least = 0.0;

    for (int i = 0; i < yoke_graph_count(graph); i++) {
        const yoke_stepper_options *o = yoke_model_stepper(v->model, i);

        if (!yoke_system_facts(yoke_graph_system(graph, i))->closed || !o ||
            !(o->step > 0.0))
            continue;
        if (least == 0.0 || o->step < least) least = o->step;
    }
    return least;
}

static void run_fine_closed(verify *v, const yoke_run_options *options)
{
    yoke_run_options o = *options;
    verify_run *out = &v->run[FINE];
    const double step = closed_step(v);
    yoke_err err = { YOKE_OK, "" };

    tighten(&o);
    o.step = step > 0.0 ? 0.5 * step : short_step(v, options);
    v->halved = true;
    if (run_once(v, &o, out, false, &err) == YOKE_OK) return;
    /* An FMU may take steps of one length only. */
    v->halved = false;
    o.step = options->step;
    forget(out);
    if (run_once(v, &o, out, false, &err) != YOKE_OK) keep_reason(out, &err);
}

static void run_other(verify *v, const yoke_run_options *options)
{
    yoke_run_options o = *options;
    yoke_err err = { YOKE_OK, "" };

    o.scheme = o.scheme == YOKE_JACOBI ? YOKE_GAUSS_SEIDEL : YOKE_JACOBI;
    o.schedule = o.order = "";
    if (run_once(v, &o, &v->run[OTHER], false, &err) != YOKE_OK)
        keep_reason(&v->run[OTHER], &err);
}

static void judge_closed(verify *v)
{
    const verify_run *fine = &v->run[FINE];

    for (int k = 0; k < RUNS; k++)
        v->error[k] = apart(v, &v->run[k], fine, NULL);
    v->factor = promise;
    v->order = v->level = v->splitting = NAN;
    for (int k = 0; k + 1 < SERIES; k++) v->orders[k] = NAN;
    v->total = apart(v, &v->run[COUPLED], fine, &v->total_worst);
    for (int c = 0; fine->done && c < v->cols; c++)
        v->variable[c] = distance(v, &v->run[COUPLED], fine, c);
    v->steps_differ =
        apart(v, &v->run[COUPLED], &v->run[OTHER], NULL) <= promise;
    v->agree = v->total <= promise && v->error[OTHER] <= promise;
    v->good = v->agree && v->run[COUPLED].result.converged;
}

static yoke_status verify_closed(verify *v, const yoke_run_options *o,
                                 bool json, yoke_err *err)
{
    const yoke_status status = run_once(v, o, &v->run[COUPLED], false, err);

    snprintf(v->no_replay, sizeof v->no_replay, "there are closed parts");
    if (status != YOKE_OK) return status;
    run_other(v, o);
    run_fine_closed(v, o);
    judge_closed(v);
    if (json)
        verify_json(v);
    else
        verify_print_closed(v);
    return YOKE_OK;
}

static int verify_system(cli_system *system, int sweeps, bool json)
{
    yoke_run_options *o = &system->options;
    yoke_err err = { YOKE_OK, "" };
    verify v = { .model = system->model,
                 .rtol = o->iterate.rtol,
                 .atol = o->iterate.atol,
                 .start = o->start,
                 .stop = o->stop,
                 .sweeps = sweeps };

    find_fixed(&v, o);
    v.every = o->every > 0.0 ? o->every : (o->stop - o->start) / 100.0;
    if (find_closed(&v)) {
        if (verify_closed(&v, o, json, &err) != YOKE_OK) cli_fail(&err);
    } else if (run_once(&v, o, &v.run[COUPLED], true, &err) == YOKE_OK &&
               run_whole(&v, o, &err) == YOKE_OK) {
        run_short(&v, o);
        run_series(&v, o);
        run_fine(&v, o);
        judge(&v);
        if (json)
            verify_json(&v);
        else
            verify_print(&v);
    } else
        cli_fail(&err);
    verify_clear(&v);
    return v.good ? CLI_OK : CLI_FAILED;
}

int cmd_verify(int argc, char **argv)
{
    const bool json = cli_flag(&argc, argv, "--json");
    const char *count = cli_value(&argc, argv, "--sweeps");
    char *end = NULL;
    const long sweeps = count ? strtol(count, &end, 10) : 0;
    cli_system system;

    if (count && (end == count || *end || sweeps < 1 || sweeps > 1000000))
        return cli_usage("verify: --sweeps needs a number, at least 1");
    int status = cli_load(&system, &argc, argv);
    if (status == CLI_OK) status = verify_system(&system, (int)sweeps, json);
    cli_unload(&system);
    return status;
}
