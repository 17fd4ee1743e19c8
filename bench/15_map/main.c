/* bench/15_map/main.c -- iterated, as one, automatic and the oracle over a map of
 * sizes, rates, strengths and shapes. */
#include "problem.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What one way to solve a problem cost. */
typedef struct side {
    bool done;
    double residuals, seconds, error;
    double sweeps; /* per window */
    int left;      /* systems at the end */
} side;

enum { ITERATED, WHOLE, AUTOMATIC, SIDES };

static const char *const side_name[] = { "iterated", "monolithic",
                                         "automatic" };

static double processor(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static yoke_run_options options_of(const map_problem *p, int which)
{
    yoke_run_options o = yoke_run_defaults();

    o.stop = p->stop;
    o.iterate.rtol = 1e-6;
    o.iterate.atol = 1e-8;
    o.spot = 0.0;
    if (which == ITERATED) o.cluster = YOKE_CLUSTER_NONE;
    if (which == WHOLE) o.scheme = YOKE_MONOLITHIC;
    return o;
}

/* Largest difference of the unknowns at the end, in tolerances. */
static double distance(yoke_run *run, int count, const double *exact)
{
    const char *const *name = NULL;
    const double *value = NULL;
    double most = 0.0;

    if (yoke_run_variables(run, &name, &value) != count) return NAN;
    for (int k = 0; k < count; k++)
        most = fmax(most,
                    fabs(value[k] - exact[k]) / (1e-8 + 1e-6 * fabs(exact[k])));
    return most;
}

static double *reference(const map_problem *p, yoke_model *model, int *count)
{
    yoke_run_options o = options_of(p, WHOLE);
    const char *const *name = NULL;
    const double *value = NULL;
    yoke_run *run = NULL;
    yoke_err err;

    o.iterate.rtol = 1e-9;
    o.iterate.atol = 1e-11;
    bench_need(yoke_run_create(&run, model, &o, NULL, &err), &err);
    bench_need(yoke_run_advance(run, o.stop, &err), &err);
    *count = yoke_run_variables(run, &name, &value);
    double *copy = bench_new((size_t)*count, sizeof *copy);
    memcpy(copy, value, (size_t)*count * sizeof *copy);
    bench_need(yoke_run_close(run, &err), &err);
    return copy;
}

/* A run that fails is told and leaves the row empty. */
static void measure(const map_problem *p, yoke_model *model, int which,
                    int count, const double *exact, side *s, side *oracle)
{
    const yoke_run_options o = options_of(p, which);
    yoke_run_result r = { .t = 0.0 };
    yoke_run *run = NULL;
    yoke_err err;
    double began = processor();

    bench_need(yoke_run_create(&run, model, &o, NULL, &err), &err);
    if (oracle) bench_need(yoke_run_keep_waves(run, &err), &err);
    const yoke_status status = yoke_run_advance(run, o.stop, &err);
    s->seconds = processor() - began;
    yoke_run_summary(run, &r);
    s->done = status == YOKE_OK;
    if (!s->done) printf("    %s failed: %.200s\n", side_name[which], err.text);
    s->residuals = (double)r.work.residuals;
    s->sweeps = (double)r.iterate.sweeps / fmax(1, r.iterate.windows);
    s->left = r.subsystems;
    s->error = distance(run, count, exact);
    began = processor();
    if (oracle && s->done && yoke_run_replay(run, NULL, &err) == YOKE_OK) {
        yoke_run_summary(run, &r);
        *oracle = (side){ .done = true,
                          .residuals = (double)r.oracle.residuals,
                          .seconds = processor() - began };
    }
    bench_need(yoke_run_close(run, &err), &err);
}

static void put(const char *name, const char *way, const char *what,
                double value)
{
    char text[60];

    snprintf(text, sizeof text, "%s-%s", way, what);
    bench_put(name, text, value);
}

static void tell(const char *name, const side *s, const side *oracle)
{
    const side *best = s[WHOLE].done && (!s[ITERATED].done ||
                                         s[WHOLE].seconds < s[ITERATED].seconds)
                           ? &s[WHOLE]
                           : &s[ITERATED];

    printf("%-26s", name);
    for (int k = 0; k < SIDES; k++) {
        printf(" | %9.0f %7.3f %5.1f", s[k].residuals, s[k].seconds,
               s[k].error);
        if (!s[k].done) continue;
        put(name, side_name[k], "residuals", s[k].residuals);
        put(name, side_name[k], "seconds", s[k].seconds);
        put(name, side_name[k], "error", s[k].error);
    }
    if (oracle->done) {
        put(name, "oracle", "residuals", oracle->residuals);
        put(name, "oracle", "seconds", oracle->seconds);
    }
    printf(" | %9.0f %7.3f | %4.1f %4d | %5.2f\n", oracle->residuals,
           oracle->seconds, s[ITERATED].sweeps, s[AUTOMATIC].left,
           s[AUTOMATIC].seconds / best->seconds);
    bench_put(name, "automatic-over-best",
              s[AUTOMATIC].seconds / best->seconds);
}

/* Cells that were asked for by name; none: all. */
static char *const *asked;
static int asked_count;

static bool is_asked(const char *name)
{
    for (int i = 0; i < asked_count; i++)
        if (strcmp(asked[i], name) == 0) return true;
    return asked_count == 0;
}

static void run_case(const map_problem *p, const char *strength)
{
    side s[SIDES] = { { .done = false } }, oracle = { .done = false };
    int count = 0;
    char name[60];

    snprintf(name, sizeof name, "%s-%d-%s-%g-%s", map_shape_name(p->shape),
             p->parts, p->half ? "half" : "one", p->ratio, strength);
    if (!is_asked(name)) return;
    yoke_model *model = map_model(p);
    double *exact = reference(p, model, &count);
    for (int k = 0; k < SIDES; k++)
        measure(p, model, k, count, exact, &s[k],
                k == ITERATED ? &oracle : NULL);
    tell(name, s, &oracle);
    fflush(stdout);
    free(exact);
    yoke_model_free(model);
}

/* About 100 periods of the fast parts, one or more of the slow ones if that is
 * less. */
static double stop_of(double ratio)
{
    return ratio <= 10.0 ? 10.0 : 600.0 / ratio;
}

int main(int count, char **text)
{
    static const struct {
        const char *name;
        double c;
    } strength[] = { { "weak", 0.02 }, { "medium", 0.3 }, { "strong", 3.0 } };
    int files = 1;

    while (files + 1 < count && text[files][0] == '-') files++;
    const bench_arguments a =
        bench_read_arguments(files < count ? files + 1 : count, text);
    asked = text + files + 1;
    asked_count = count - files - 1 > 0 ? count - files - 1 : 0;
    bench_open(a.file);
    printf("%-26s | %-23s | %-23s | %-23s | %-17s | %s\n", "case", "iterated",
           "monolithic", "automatic", "oracle",
           "sweeps, left | automatic over best");
    printf("%-26s", "");
    for (int k = 0; k < SIDES; k++)
        printf(" | %9s %7s %5s", "residuals", "s", "error");
    printf(" | %9s %7s |\n", "residuals", "s");
    for (int parts = 2; parts <= (a.quick ? 32 : 512); parts *= 4)
        for (int half = 0; half < 2; half++)
            for (double ratio = 1.0; ratio <= 1000.0;
                 ratio *= a.quick ? 100.0 : 10.0)
                for (int c = a.quick; c < 3 - a.quick; c++)
                    for (int shape = 0; shape < 3 - a.quick; shape++) {
                        const map_problem p = { .parts = parts,
                                                .half = half,
                                                .ratio = ratio,
                                                .c = strength[c].c,
                                                .shape = (map_shape)shape,
                                                .unknowns = a.quick ? 4 : 0,
                                                .stop = stop_of(ratio) };
                        run_case(&p, strength[c].name);
                    }
    bench_close();
    return 0;
}
