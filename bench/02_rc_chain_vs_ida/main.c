/* An RC line of 100 000 cells: Yoke's steppers against IDA called directly. */
#include "bench.h"
#include "direct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double stop = 1.0;
enum { OUTPUTS = 10, REPEATS = 3, PART = 1000 };

/* One way of running the line. */
typedef struct variant {
    const char *name;
    const char *method; /* NULL: IDA directly */
    unsigned flags;
    bool parts;  /* blocks of PART cells composed to one system */
    int windows; /* output times; errors are measured there */
} variant;

static const variant variants[] = {
    { "direct-ida", NULL, 0, false, OUTPUTS },
    { "radau5-affine", "radau5", YOKE_AFFINE, false, OUTPUTS },
    { "radau5", "radau5", 0, false, OUTPUTS },
    { "radau5-affine-in-parts", "radau5", YOKE_AFFINE, true, OUTPUTS },
    { "trbdf2-affine", "trbdf2", YOKE_AFFINE, false, OUTPUTS },
    { "trbdf2", "trbdf2", 0, false, OUTPUTS },
    { "ida", "ida", 0, false, OUTPUTS },
    { "ida-one-window", "ida", 0, false, 1 },
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static bool available(const variant *v)
{
    const char *name = NULL, *text = NULL;

    if (!v->method) return true;
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++)
        if (strcmp(name, v->method) == 0) return !strstr(text, "not in this");
    return false;
}

/* ---- Yoke ---------------------------------------------------------------- */

static void add_block(yoke_model *model, const rc_line *line, int first, int n,
                      const char *name, const variant *v)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_stepper_options stepper = yoke_stepper_defaults();
    double *start = bench_new((size_t)n, sizeof *start);
    yoke_system *system = NULL;

    for (int k = 0; k < n; k++) start[k] = line_exact(line, first + k, 0.0);
    bench_need(chain_system(&system, name, line_block(line, first, n), v->flags,
                            start, &err),
               &err);
    snprintf(stepper.method, sizeof stepper.method, "%s", v->method);
    bench_need(yoke_model_add(model, system, &stepper, &err), &err);
    free(start);
}

static void join(yoke_graph *graph, int left, int right)
{
    yoke_err err = { YOKE_OK, "" };
    char input[64], output[64];

    snprintf(input, sizeof input, "p%d.left", right);
    snprintf(output, sizeof output, "p%d.last", left);
    bench_need(yoke_graph_signal(graph, input, output, 1.0, &err), &err);
    snprintf(input, sizeof input, "p%d.right", left);
    snprintf(output, sizeof output, "p%d.first", right);
    bench_need(yoke_graph_signal(graph, input, output, 1.0, &err), &err);
}

static yoke_model *make_model(const rc_line *line, const variant *v)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_model *model = NULL;
    const int n = v->parts ? PART : line->n;

    bench_need(yoke_model_create(&model, &err), &err);
    for (int i = 0; i * n < line->n; i++) {
        char name[32];
        snprintf(name, sizeof name, "p%d", i);
        add_block(model, line, i * n, n, name, v);
        if (i) join(yoke_model_graph(model), i - 1, i);
    }
    return model;
}

/* The recorded names are "p<part>.x<number>". */
static int cell_of(const char *name, int cells)
{
    int part = 0, number = 0;

    if (sscanf(name, "p%d.x%d", &part, &number) != 2) return -1;
    return part * cells + number - 1;
}

static void sample_run(const yoke_run *run, int cells, double t, sampler *s)
{
    const char *const *name = NULL;
    const double *value = NULL;
    const int count = yoke_run_variables(run, &name, &value);

    for (int i = 0; i < count; i++) {
        const int k = cell_of(name[i], cells);
        if (k % SAMPLE_EVERY == SAMPLE_FIRST) sample(s, k, t, value[i]);
    }
}

static yoke_run_options options_of(const variant *v, double rtol, double atol)
{
    yoke_run_options o = yoke_run_defaults();

    o.second = 0.0; /* what is measured is one run */
    o.stop = stop;
    o.scheme = YOKE_MONOLITHIC;
    o.iterate.rtol = rtol;
    o.iterate.atol = atol;
    o.iterate.window = stop / v->windows;
    o.record = "*500";
    return o;
}

static void take_counts(const yoke_run *run, outcome *out)
{
    yoke_run_result r;

    yoke_run_summary(run, &r);
    out->seconds = r.seconds;
    out->steps = r.work.steps;
    out->residuals = r.work.residuals;
    out->jacobians = r.work.jacobians;
    out->factorizations = r.work.factorizations;
    out->solves = r.work.solves;
}

static void yoke_side(const rc_line *line, const variant *v, double rtol,
                      double atol, outcome *out)
{
    const yoke_run_options options = options_of(v, rtol, atol);
    yoke_err err = { YOKE_OK, "" };
    sampler errors = { .line = line };
    yoke_model *model = make_model(line, v);
    yoke_run *run = NULL;

    bench_need(yoke_run_create(&run, model, &options, NULL, &err), &err);
    take_counts(run, out);
    out->setup = out->seconds;
    for (int i = 1; i <= v->windows; i++) {
        const double t = stop * i / v->windows;
        bench_need(yoke_run_advance(run, t, &err), &err);
        sample_run(run, v->parts ? PART : line->n, t, &errors);
    }
    take_counts(run, out);
    out->error = sqrt(errors.sum / errors.count);
    out->worst = errors.worst;
    bench_need(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

/* ---- Table --------------------------------------------------------------- */

/* The fastest of several runs; counts and errors are the same in all. */
static void run_once(const rc_line *line, const variant *v, double rtol,
                     double atol, outcome *best)
{
    outcome now = { 0 };

    if (v->method)
        yoke_side(line, v, rtol, atol, &now);
    else
        direct_run(line, rtol, atol, stop, OUTPUTS, &now);
    if (best->seconds == 0.0 || now.seconds < best->seconds) *best = now;
}

static void report(const variant *v, const char *suffix, double rtol,
                   const outcome *o, const outcome *ida)
{
    char name[96];

    printf("%-24s %7ld %9ld %6ld %7ld %8.3f %8.3f %7.2f  %9.2e %9.2e\n",
           v->name, o->steps, o->residuals, o->factorizations, o->solves,
           o->setup, o->seconds, o->seconds / ida->seconds, o->error, o->worst);
    snprintf(name, sizeof name, "%s%s-rtol-%.0e", v->name, suffix, rtol);
    bench_put(name, "steps", (double)o->steps);
    bench_put(name, "residuals", (double)o->residuals);
    bench_put(name, "factorizations", (double)o->factorizations);
    bench_put(name, "solves", (double)o->solves);
    bench_put(name, "rms_error", o->error);
    bench_put(name, "max_error", o->worst);
    bench_put(name, "setup_seconds", o->setup);
    bench_put(name, "seconds", o->seconds);
    bench_put(name, "time_over_direct_ida", o->seconds / ida->seconds);
}

/* Time at equal error: log-log interpolation between tolerances; NAN outside
 * what was measured. */
static double time_at(const outcome *o, int count, double error)
{
    for (int i = 0; i + 1 < count && o[i + 1].error > 0.0; i++) {
        const double a = log(o[i].error), b = log(o[i + 1].error);
        const double s = (log(error) - a) / (b - a);
        if (s >= 0.0 && s <= 1.0)
            return exp(log(o[i].seconds) * (1.0 - s) +
                       log(o[i + 1].seconds) * s);
    }
    return NAN;
}

static const double rtols[] = { 1e-4, 1e-6, 1e-8 };
static const double atols[] = { 1e-7, 1e-9, 1e-11 };
enum { TOLERANCES = sizeof rtols / sizeof *rtols };

typedef struct table {
    int tolerances;
    outcome outcome[VARIANTS][TOLERANCES];
} table;

/* How often a variant runs.  The slow ones once; at the tightest tolerance,
 * which serves the comparison at equal error, only what takes a few seconds. */
static int repeats_of(const variant *v, int tolerance, bool quick)
{
    const bool fast = !v->method || strcmp(v->method, "radau5") == 0;

    if (!available(v)) return 0;
    if (tolerance == 2) return fast;
    return quick || !(fast || v->flags || v->windows == 1) ? 1 : REPEATS;
}

/* The variants take turns, so that a disturbance does not hit one of them. */
static void run_tolerance(const rc_line *line, table *t, int i, bool quick)
{
    printf("\nrtol %.0e, atol %.0e, %d cells\n", rtols[i], atols[i], line->n);
    printf("%-24s %7s %9s %6s %7s %8s %8s %7s  %9s %9s\n", "", "steps",
           "residuals", "LU", "solves", "setup s", "total s", "/ IDA",
           "rms error", "max error");
    for (int turn = 0; turn < REPEATS; turn++)
        for (int v = 0; v < VARIANTS; v++)
            if (turn < repeats_of(&variants[v], i, quick))
                run_once(line, &variants[v], rtols[i], atols[i],
                         &t->outcome[v][i]);
    for (int v = 0; v < VARIANTS; v++)
        if (repeats_of(&variants[v], i, quick) > 0)
            report(&variants[v], "", rtols[i], &t->outcome[v][i],
                   &t->outcome[0][i]);
}

/* Without the constant voltage every mode crosses zero somewhere: the cells
 * there are held to atol instead of rtol |v|, and weigh most in the norm. */
static void run_crossing(rc_line line, bool quick)
{
    outcome best[VARIANTS] = { { 0 } };

    line.offset = 0.0;
    puts("\nrtol 1e-06, atol 1e-09, voltages cross zero");
    for (int turn = 0; turn < (quick ? 1 : 2); turn++)
        for (int v = 0; v < VARIANTS; v++)
            if (repeats_of(&variants[v], 2, quick) > 0)
                run_once(&line, &variants[v], rtols[1], atols[1], &best[v]);
    for (int v = 0; v < VARIANTS; v++)
        if (repeats_of(&variants[v], 2, quick) > 0)
            report(&variants[v], "-crossing", rtols[1], &best[v], &best[0]);
}

static void equal_error(const table *t)
{
    static const double errors[] = { 1e-6, 1e-7 };

    printf("\ntotal seconds at equal rms error\n%-24s %9.0e %9.0e\n", "",
           errors[0], errors[1]);
    for (int v = 0; v < VARIANTS; v++) {
        if (repeats_of(&variants[v], 2, false) == 0) continue;
        printf("%-24s", variants[v].name);
        for (int e = 0; e < 2; e++) {
            const double s = time_at(t->outcome[v], t->tolerances, errors[e]);
            char quantity[64];
            printf(isnan(s) ? "         -" : " %9.3f", s);
            snprintf(quantity, sizeof quantity, "seconds_at_error_%.0e",
                     errors[e]);
            if (!isnan(s)) bench_put(variants[v].name, quantity, s);
        }
        puts("");
    }
}

int main(int count, char **text)
{
    const bench_arguments arguments = bench_read_arguments(count, text);
    const rc_line line = line_create(arguments.quick ? 5000 : 100000);
    table t = { .tolerances = arguments.quick ? 2 : TOLERANCES };

    setvbuf(stdout, NULL, _IOLBF, 0);
    bench_open(arguments.file);
    for (int i = 0; i < t.tolerances; i++)
        run_tolerance(&line, &t, i, arguments.quick);
    run_crossing(line, arguments.quick);
    if (!arguments.quick) equal_error(&t);
    bench_close();
    return 0;
}
