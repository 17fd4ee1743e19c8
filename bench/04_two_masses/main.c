/* Sweeps, passes and work of the two masses against their error; beside them
 * the figures measured with preCICE. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double two_pi = 6.28318530717958647693;

/* ---- the problem --------------------------------------------------------- */

/* x' = v,  v' = -k x - c (x - other),  k = 4 pi^2,  c = 16 pi^2 */
static yoke_status mass(void *self, double t, const double *x, const double *u,
                        double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = x[1];
    xdot[1] = -two_pi * two_pi * (x[0] + 4.0 * (x[0] - u[0]));
    return YOKE_OK;
}

static void add_mass(yoke_model *model, const char *name, double x0)
{
    static const yoke_system_ops ops = { .kind = "mass", .rhs = mass };
    const double start[] = { x0, 0.0 };
    const yoke_system_info info = {
        .n = 2,
        .m = 1,
        .flags = YOKE_TIMELESS,
        .x0 = start,
        .x_name = (const char *const[]){ "x", "v" },
        .u_name = (const char *const[]){ "other" },
    };
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    bench_need(yoke_system_create(&system, name, &ops, NULL, &info, &err),
               &err);
    bench_need(yoke_model_add(model, system, NULL, &err), &err);
}

static yoke_model *two_masses(void)
{
    yoke_model *model = NULL;
    yoke_err err = { YOKE_OK, "" };

    bench_need(yoke_model_create(&model, &err), &err);
    add_mass(model, "left", 1.0);
    add_mass(model, "right", 0.0);
    yoke_graph *graph = yoke_model_graph(model);
    bench_need(yoke_graph_signal(graph, "left.other", "right.x", 1.0, &err),
               &err);
    bench_need(yoke_graph_signal(graph, "right.other", "left.x", 1.0, &err),
               &err);
    return model;
}

/* ---- one run ------------------------------------------------------------- */

typedef struct outcome {
    yoke_run_result result;
    double passes;   /* time that was swept over time simulated */
    double position; /* error at the end: both positions */
    double error;    /* the same with the velocities over 2 pi */
} outcome;

static void each_sweep(void *context, const yoke_sweep *sweep)
{
    double *swept = context;

    *swept += sweep->t1 - sweep->t0;
}

static double value_of(const yoke_run *run, const char *name)
{
    double value = NAN;
    yoke_err err = { YOKE_OK, "" };

    bench_need(yoke_run_value(run, name, &value, &err), &err);
    return value;
}

static void measure_error(const yoke_run *run, double t, outcome *out)
{
    const double slow = two_pi * t, fast = 3.0 * two_pi * t;
    const double x1 = value_of(run, "left.x"), x2 = value_of(run, "right.x");
    const double v1 = value_of(run, "left.v"), v2 = value_of(run, "right.v");
    const double drift = (v1 + v2) / two_pi + sin(slow);
    const double beat = (v1 - v2) / two_pi + 3.0 * sin(fast);

    /* In sum and difference, which are longer by sqrt(2). */
    out->position = hypot(x1 + x2 - cos(slow), x1 - x2 - cos(fast)) / sqrt(2.0);
    out->error = hypot(out->position, hypot(drift, beat) / sqrt(2.0));
}

static outcome run_once(const yoke_run_options *options)
{
    outcome out = { .passes = 0.0 };
    const yoke_watcher watcher = { .sweep = each_sweep,
                                   .context = &out.passes };
    yoke_model *model = two_masses();
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };

    bench_need(yoke_run_create(&run, model, options, &watcher, &err), &err);
    bench_need(yoke_run_advance(run, options->stop, &err), &err);
    yoke_run_summary(run, &out.result);
    measure_error(run, options->stop, &out);
    out.passes /= options->stop - options->start;
    bench_need(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
    return out;
}

/* ---- tables -------------------------------------------------------------- */

static void heading(const char *text)
{
    printf("\n%-34s %7s %6s %6s %6s %9s %8s %8s\n", text, "windows", "sweeps",
           "passes", "solves", "residuals", "error", "in x");
}

static void report(const char *name, const char *text, const outcome *o)
{
    const yoke_iterate_result *it = &o->result.iterate;
    const double residuals = (double)o->result.work.residuals;

    printf("%-34s %7d %6ld %6.2f %6ld %9.0f %8.1e %8.1e\n", text, it->windows,
           it->sweeps, o->passes, it->solves, residuals, o->error, o->position);
    bench_put(name, "windows", it->windows);
    bench_put(name, "sweeps", (double)it->sweeps);
    bench_put(name, "passes", o->passes);
    bench_put(name, "solves_per_period", (double)it->solves);
    bench_put(name, "residuals", residuals);
    bench_put(name, "error", o->error);
    bench_put(name, "position_error", o->position);
}

/* Measured with preCICE 3.4.1; the source gives no evaluations. */
typedef struct precice {
    double window, error;
    int sweeps;
} precice;

static const precice quoted[] = { { 0.1, 2.5e-6, 52 }, { 1.0, 1.8e-7, 15 } };

static void report_quoted(const precice *q)
{
    char text[64];

    snprintf(text, sizeof text, "preCICE, windows of %g", q->window);
    printf("%-34s %7.0f %6d %6.2f %6d %9s %8s %8.1e\n", text, 1.0 / q->window,
           q->sweeps, q->sweeps * q->window, 2 * q->sweeps, "?", "?", q->error);
}

static void name_window(double window, char *text, size_t room)
{
    if (window == 0.0)
        snprintf(text, room, "auto");
    else
        snprintf(text, room, "window-%g", window);
}

/* ---- equal error --------------------------------------------------------- */

enum { LADDER = 24, PER_DECADE = 4 };
static const double windows[] = { 0.0, 0.1, 0.2, 0.5, 1.0 };
enum { WINDOWS = sizeof windows / sizeof *windows };

static yoke_run_options options_of(yoke_scheme scheme, double window,
                                   double rtol)
{
    yoke_run_options o = yoke_run_defaults();

    o.second = 0.0; /* what is measured is one run */
    o.scheme = scheme;
    o.iterate.window = window;
    o.iterate.rtol = rtol;
    o.cluster = YOKE_CLUSTER_NONE; /* two solvers, as preCICE has them */
    return o;
}

/* The loosest tolerance 10^(-2 - k/4) from which on every tighter one of the
 * ladder keeps the error below the bound. */
static outcome loosest(yoke_scheme scheme, double window, double bound,
                       double *rtol)
{
    outcome best = { .error = NAN };

    *rtol = NAN;
    for (int k = LADDER; k >= 0; k--) {
        const double tolerance = pow(10.0, -2.0 - (double)k / PER_DECADE);
        const yoke_run_options o = options_of(scheme, window, tolerance);
        const outcome now = run_once(&o);
        if (!(now.error <= bound)) break;
        best = now;
        *rtol = tolerance;
    }
    return best;
}

static void equal_error(const precice *q, yoke_scheme scheme, const char *word)
{
    for (int i = 0; i < WINDOWS; i++) {
        double rtol = NAN;
        char window[32], name[64], text[64];
        const outcome o = loosest(scheme, windows[i], q->error, &rtol);
        name_window(windows[i], window, sizeof window);
        snprintf(name, sizeof name, "error-%.1e-%s%s", q->error, word, window);
        snprintf(text, sizeof text, "%s%s, rtol %.1e", word, window, rtol);
        report(name, text, &o);
    }
}

static void equal_errors(void)
{
    for (int i = 0; i < 2; i++) {
        char text[64];
        snprintf(text, sizeof text, "error at most %.1e", quoted[i].error);
        heading(text);
        report_quoted(&quoted[i]);
        equal_error(&quoted[i], YOKE_GAUSS_SEIDEL, "");
        equal_error(&quoted[i], YOKE_JACOBI, "jacobi-");
    }
}

/* ---- all tolerances, and no iteration at all ----------------------------- */

static void tolerances(void)
{
    heading("defaults but for rtol and window");
    for (int i = 0; i < WINDOWS; i++)
        for (int k = 3; k <= 8; k++) {
            char window[32], name[64];
            const yoke_run_options o =
                options_of(YOKE_GAUSS_SEIDEL, windows[i], pow(10.0, -k));
            const outcome result = run_once(&o);
            name_window(windows[i], window, sizeof window);
            snprintf(name, sizeof name, "%s-rtol-1e-%d", window, k);
            report(name, name, &result);
        }
}

/* One sweep per window, as masters without iteration do. */
static void no_iteration(void)
{
    static const char *const word[] = { "hold", "linear", "quadratic" };
    static const char *const scheme[] = { "gauss-seidel", "jacobi" };

    heading("one sweep per window");
    printf("%-34s %7d %6d %6.2f %6d %9s %8s %8.1e\n", "FMI masters", 1000, 1000,
           1.0, 2000, "?", "?", 2.8e-2);
    for (int s = 0; s < 2; s++)
        for (int order = 0; order < 3; order++) {
            char name[64];
            yoke_run_options o = options_of(
                s == 0 ? YOKE_GAUSS_SEIDEL : YOKE_JACOBI, 0.001, 1e-6);
            o.iterate.stop = YOKE_STOP_COUNT;
            o.iterate.max_sweeps = 1;
            o.iterate.extrapolate = order;
            const outcome result = run_once(&o);
            snprintf(name, sizeof name, "once-%s-%s", scheme[s], word[order]);
            report(name, name, &result);
        }
}

int main(int count, char **text)
{
    const bench_arguments arguments = bench_read_arguments(count, text);

    setvbuf(stdout, NULL, _IOLBF, 0);
    bench_open(arguments.file);
    equal_errors();
    tolerances();
    no_iteration();
    bench_close();
    return 0;
}
