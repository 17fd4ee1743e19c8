/* crow_system.h -- for the tests of M. Crow and M. Ilic, The waveform
 * relaxation method for systems of differential/algebraic equations, CDC 1990.
 *
 * The linear index-2 test system (29)-(31) in the parts "a" = {x1, y} and
 * "b" = {x2}, a tap that sees the iterates at the points of a grid after every
 * sweep, and the history of a run.
 */
#ifndef YK_CROW_SYSTEM_H
#define YK_CROW_SYSTEM_H

#include "check.h"

#include <yoke/yoke.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The paper does not print them.  x1(0) = -1, x2(0) = 0.1 and 0 = x1 +
 * lambda1 x2 force lambda1 = 10; any lambda2 in [0.4897, 0.5025] gives the
 * printed Table 1. */
static const double lambda1 = 10.0, lambda2 = 0.5;

/* ---- a tap -------------------------------------------------------------- */

enum { TAP_CHANNELS = 3, TAP_POINTS = 256 };

/* Inputs u at the times n h, as they were in the last sweep. */
typedef struct tap {
    int channels;
    double h;
    double value[TAP_CHANNELS][TAP_POINTS];
} tap;

/* 0 = x - u; notes u on the way. */
static inline yoke_status tap_eval(void *self, double t, const double *x,
                                   const double *u, double *q, double *f,
                                   yoke_err *err)
{
    tap *s = self;
    const long n = lround(t / s->h);

    (void)err;
    for (int c = 0; c < s->channels; c++) {
        if (q) q[c] = 0.0;
        if (f) f[c] = x[c] - u[c];
        if (n >= 0 && n < TAP_POINTS && fabs(t - (double)n * s->h) < 1e-9)
            s->value[c][n] = u[c];
    }
    return YOKE_OK;
}

static inline yoke_stepper_options fixed_stepper(const char *method,
                                                 double step)
{
    yoke_stepper_options o = yoke_stepper_defaults();

    snprintf(o.method, sizeof o.method, "%s", method);
    o.step = step;
    return o;
}

/* Adds the subsystem "tap" with inputs u1, u2, ... fed by `source`. */
static inline void add_tap(yoke_model *model, tap *s, int channels, double h,
                           const char *const *source)
{
    static const yoke_system_ops ops = { .kind = "tap", .eval = tap_eval };
    const yoke_system_info info = { .n = channels, .m = channels };
    const yoke_stepper_options stepper = fixed_stepper("implicit-euler", h);
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    memset(s, 0, sizeof *s);
    s->channels = channels;
    s->h = h;
    CHECK_OK(yoke_system_create(&system, "tap", &ops, s, &info, &err), &err);
    CHECK_OK(yoke_model_add(model, system, &stepper, &err), &err);
    for (int c = 0; c < channels; c++) {
        char input[32];
        snprintf(input, sizeof input, "tap.u%d", c + 1);
        CHECK_OK(yoke_graph_signal(yoke_model_graph(model), input, source[c],
                                   1.0, &err),
                 &err);
    }
}

/* ---- the test system ---------------------------------------------------- */

/* x1' = -5 x1 + y + 0.1 x2,  0 = x1 + lambda1 x2;  x2 is the input. */
static inline yoke_system *part_a(double y0)
{
    const yoke_linear linear = {
        .n = 2,
        .m = 1,
        .E = (double[]){ 1.0, 0.0, 0.0, 0.0 },
        .A = (double[]){ -5.0, 1.0, 1.0, 0.0 },
        .B = (double[]){ 0.1, lambda1 },
        .x0 = (double[]){ -1.0, y0 },
        .x_name = (const char *const[]){ "x1", "y" },
        .u_name = (const char *const[]){ "x2" },
    };
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_linear_create(&system, "a", &linear, &err), &err);
    return system;
}

/* x2' = x1 - lambda2 x2;  x1 is the input. */
static inline yoke_system *part_b(void)
{
    const yoke_linear linear = {
        .n = 1,
        .m = 1,
        .A = (double[]){ -lambda2 },
        .B = (double[]){ 1.0 },
        .x0 = (double[]){ 0.1 },
        .x_name = (const char *const[]){ "x2" },
        .u_name = (const char *const[]){ "x1" },
    };
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_linear_create(&system, "b", &linear, &err), &err);
    return system;
}

static inline yoke_model *crow_model(double y0, const yoke_stepper_options *a,
                                     const yoke_stepper_options *b)
{
    yoke_model *model = NULL;
    yoke_graph *graph;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_model_create(&model, &err), &err);
    CHECK_OK(yoke_model_add(model, part_a(y0), a, &err), &err);
    CHECK_OK(yoke_model_add(model, part_b(), b, &err), &err);
    graph = yoke_model_graph(model);
    CHECK_OK(yoke_graph_signal(graph, "a.x2", "b.x2", 1.0, &err), &err);
    CHECK_OK(yoke_graph_signal(graph, "b.x1", "a.x1", 1.0, &err), &err);
    return model;
}

/* Backward Euler with step h1 for {x1, y} and h2 for {x2}. */
static inline yoke_model *euler_model(double h1, double h2)
{
    const yoke_stepper_options a = fixed_stepper("implicit-euler", h1);
    const yoke_stepper_options b = fixed_stepper("implicit-euler", h2);

    return crow_model(0.0, &a, &b);
}

/* ---- runs --------------------------------------------------------------- */

/* One window [0, length], flat start, initial values as given. */
static inline yoke_run_options one_window(double length, const char *schedule)
{
    yoke_run_options o = yoke_run_defaults();

    o.start = 0.0;
    o.stop = o.iterate.window = length;
    o.iterate.extrapolate = 0;
    o.iterate.accelerate = YOKE_ACCELERATE_NONE;
    o.iterate.min_window = 1.0; /* never shorter */
    o.given = true;
    o.schedule = schedule;
    return o;
}

enum { HISTORY = 4001, HISTORY_VARIABLES = 6 };

/* What the sweeps of the last window did; index 0 is not used. */
typedef struct history {
    int sweeps;
    double change[HISTORY]; /* largest, relative to its tolerance */
    double rate[HISTORY];
    double variable[HISTORY_VARIABLES][HISTORY]; /* its change, absolute */

    /* Largest difference of channel 0 of `tap` from limit[0 ... points]. */
    double error[HISTORY];
    const tap *tap;
    const double *limit;
    int points;
} history;

static inline double tap_error(const tap *s, int channel, int points,
                               const double *limit)
{
    double most = 0.0;

    for (int n = 0; n <= points; n++)
        most = fmax(most, fabs(s->value[channel][n] - limit[n]));
    return most;
}

static inline void note_sweep(void *context, const yoke_sweep *sweep)
{
    history *h = context;
    const int k = sweep->sweep;

    if (k >= HISTORY) fail_msg("more than %d sweeps", HISTORY - 1);
    h->sweeps = k;
    h->change[k] = sweep->change;
    h->rate[k] = sweep->rate;
    for (int v = 0; v < sweep->variables && v < HISTORY_VARIABLES; v++)
        h->variable[v][k] = sweep->variable_change[v];
    if (h->tap) h->error[k] = tap_error(h->tap, 0, h->points, h->limit);
}

/* Creates the run and advances it to its end.  *run may be looked at. */
static inline yoke_status start_run(yoke_run **run, yoke_model *model,
                                    const yoke_run_options *options, history *h,
                                    yoke_err *err)
{
    const yoke_watcher watcher = { .sweep = note_sweep, .context = h };

    CHECK_OK(yoke_run_create(run, model, options, h ? &watcher : NULL, err),
             err);
    return yoke_run_advance(*run, options->stop, err);
}

/* The same, without looking. */
static inline yoke_status run_all(yoke_model *model,
                                  const yoke_run_options *options, history *h,
                                  yoke_err *err)
{
    yoke_run *run = NULL;
    const yoke_status status = start_run(&run, model, options, h, err);

    yoke_run_close(run, NULL);
    return status;
}

static inline double value_of(const yoke_run *run, const char *name)
{
    yoke_err err = { YOKE_OK, "" };
    double value = NAN;

    CHECK_OK(yoke_run_value(run, name, &value, &err), &err);
    return value;
}

/* The limit of the sweeps in x2: backward Euler for the whole system,
 * x2_{n+1} = x2_n / (1 + h (lambda1 + lambda2)). */
static inline void euler_limit(double h, int points, double *x2)
{
    x2[0] = 0.1;
    for (int n = 0; n < points; n++)
        x2[n + 1] = x2[n] / (1.0 + h * (lambda1 + lambda2));
}

#endif
