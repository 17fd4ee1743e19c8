/* The pantograph benchmark: what the coupled run saves. */
#include "bench.h"
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAME_NODES = 200 };

/* A monolithic run is given up after so many times that of the coupled one. */
enum { GIVE_UP = 40 };

typedef struct table {
    double stop;
    int repeats;
} table;

static void heading(const char *title)
{
    printf("\n%s\n%-26s %9s %9s %8s %8s %7s %6s %8s %8s\n", title, "", "rms",
           "max", "windows", "sweeps", "p.evals", "p.LU", "overhead", "cpu s");
}

static void print_row(const char *name, const outcome *o)
{
    if (!o->finished) {
        printf("%-26s given up after %.1f s, at t = %.3g\n", name, o->busy,
               o->result.t);
        return;
    }
    printf("%-26s %9.2e %9.2e %8d %8ld %7ld %6ld %8.2f %8.2f\n", name, o->rms,
           o->max, o->result.iterate.windows, o->result.iterate.sweeps,
           o->calls, o->pantograph.factorizations, o->overhead, o->busy);
}

static void write_row(const char *name, const outcome *o)
{
    bench_put(name, "rms_error", o->rms);
    bench_put(name, "max_error", o->max);
    bench_put(name, "windows", o->result.iterate.windows);
    bench_put(name, "sweeps_per_window",
              (double)o->result.iterate.sweeps / o->result.iterate.windows);
    bench_put(name, "pantograph_evaluations", (double)o->calls);
    bench_put(name, "pantograph_factorizations",
              (double)o->pantograph.factorizations);
    bench_put(name, "residuals", (double)o->result.work.residuals);
    bench_put(name, "seconds", o->seconds);
    bench_put(name, "cpu_seconds", o->busy);
    if (!isnan(o->overhead)) bench_put(name, "overhead", o->overhead);
}

static outcome run_row(const table *t, const way *w, const force *reference)
{
    const outcome o =
        measure(w, t->stop, reference, !w->monolithic, t->repeats, 0.0);

    print_row(w->name, &o);
    write_row(w->name, &o);
    return o;
}

/* How often `more` does what `less` does once. */
static void put_gains(const char *name, const char *against,
                      const outcome *less, const outcome *more)
{
    char quantity[96];
    const double work = (double)more->calls / (double)less->calls;
    const double seconds = more->busy / less->busy;

    snprintf(quantity, sizeof quantity, "pantograph_gain_over_%s", against);
    bench_put(name, quantity, work);
    snprintf(quantity, sizeof quantity, "time_gain_over_%s", against);
    bench_put(name, quantity, seconds);
    printf("%s: %.1f times fewer evaluations of the pantograph than %s, %.1f "
           "times faster\n",
           name, work, against, seconds);
}

/* ---- two masses ---------------------------------------------------------- */

/* The first is the reference method of the paper; the last two are coupled. */
static const way plain[] = {
    { .name = "monolithic-stormer",
      .monolithic = true,
      .method = "stormer",
      .step = 5e-5,
      .rtol = 1e-6,
      .atol = 1e-9,
      .window = 0.05,
      .extrapolate = -1 },
    { .name = "monolithic-radau5",
      .monolithic = true,
      .method = "radau5",
      .rtol = 5e-4,
      .atol = 5e-7,
      .window = 0.05,
      .extrapolate = -1 },
    { .name = "one-sweep",
      .method = "stormer",
      .step = 5e-4,
      .rtol = 1e-6,
      .atol = 1e-9,
      .window = 5e-4,
      .sweeps = 1,
      .extrapolate = 3 },
    { .name = "by-tolerance",
      .method = "stormer",
      .step = 5e-4,
      .rtol = 1e-2,
      .atol = 1e-4,
      .extrapolate = -1 },
};
enum { PLAIN = sizeof plain / sizeof *plain };

static void two_masses(const table *t, double fine, int many)
{
    way truth = plain[0];
    outcome o[PLAIN];

    truth.step = fine;
    outcome reference = measure(&truth, t->stop, NULL, false, 1, 0.0);
    heading("pantograph of two masses, errors of the contact force over its "
            "mean");
    for (int i = 0; i < many; i++)
        o[i] = run_row(t, &plain[i], &reference.force);
    for (int i = 2; i < many; i++) {
        put_gains(plain[i].name, plain[0].name, &o[i], &o[0]);
        put_gains(plain[i].name, plain[1].name, &o[i], &o[1]);
        bench_put(plain[i].name, "error_over_monolithic", o[i].rms / o[0].rms);
    }
    for (int i = 0; i < many; i++) outcome_free(&o[i]);
    outcome_free(&reference);
}

/* ---- an expensive pantograph --------------------------------------------- */

/* Solved as a whole, by each method with ever smaller steps until it is as
 * accurate as the coupled run. */
static const struct opponent {
    const char *method;
    bool adaptive;   /* values are tolerances, else steps */
    double value[5]; /* until 0 */
} opponents[] = {
    { "radau5", true, { 1e-2, 3e-3, 1e-3, 3e-4 } },
    { "trapezoidal", false, { 2e-4, 1e-4, 5e-5, 2.5e-5 } },
    { "bdf2", false, { 2e-4, 1e-4, 5e-5, 2.5e-5 } },
    { "ida", true, { 1e-2, 3e-3 } },
};
enum { OPPONENTS = sizeof opponents / sizeof *opponents };

static way monolithic(const char *method, bool adaptive, double value)
{
    return (way){ .name = method,
                  .nodes = FRAME_NODES,
                  .monolithic = true,
                  .method = method,
                  .step = adaptive ? 0.0 : value,
                  .rtol = adaptive ? value : 1e-3,
                  .atol = adaptive ? 1e-3 * value : 1e-6,
                  .window = 0.05,
                  .extrapolate = -1 };
}

/* The cheapest run that is accurate enough; not finished: none is. */
static outcome as_accurate(const table *t, const struct opponent *p,
                           double error, const force *reference, double limit)
{
    for (int k = 0;; k++) {
        const way w = monolithic(p->method, p->adaptive, p->value[k]);
        char name[64];
        outcome o = measure(&w, t->stop, reference, false, 1, limit);
        snprintf(name, sizeof name, "elastic-%s-%g", p->method, p->value[k]);
        print_row(name, &o);
        if (o.finished) write_row(name, &o);
        const bool enough = o.finished && o.rms <= error;
        if (enough || !o.finished || p->value[k + 1] == 0.0) {
            o.finished = enough;
            return o;
        }
        outcome_free(&o);
    }
}

static void elastic(const table *t, double fine, int many)
{
    static const way coupled = { .name = "elastic-coupled",
                                 .nodes = FRAME_NODES,
                                 .method = "trapezoidal",
                                 .step = 5e-4,
                                 .rtol = 1e-3,
                                 .atol = 1e-6,
                                 .window = 5e-4,
                                 .sweeps = 1,
                                 .extrapolate = 3 };
    const way truth = { .name = "reference",
                        .nodes = FRAME_NODES,
                        .method = "trapezoidal",
                        .step = 5.0 * fine,
                        .fine = fine,
                        .rtol = 1e-3,
                        .atol = 1e-6,
                        .window = 5.0 * fine,
                        .sweeps = 2,
                        .extrapolate = 3 };
    outcome reference = measure(&truth, t->stop, NULL, false, 1, 0.0);
    double least = INFINITY, seconds = INFINITY;
    const char *best = "none";

    heading("pantograph with an elastic frame of 200 nodes");
    outcome o = run_row(t, &coupled, &reference.force);
    for (int i = 0; i < many; i++) {
        outcome m = as_accurate(t, &opponents[i], o.rms, &reference.force,
                                GIVE_UP * o.busy);
        if (m.finished && m.busy < seconds) {
            seconds = m.busy;
            best = opponents[i].method;
            least = (double)m.calls;
            bench_put("elastic-coupled", "factorization_gain",
                      (double)m.pantograph.factorizations /
                          (double)o.pantograph.factorizations);
        }
        outcome_free(&m);
    }
    bench_put("elastic-coupled", "pantograph_gain", least / (double)o.calls);
    bench_put("elastic-coupled", "time_gain", seconds / o.busy);
    printf("the best as a whole is %s: %.1f times the time of the coupled run, "
           "%.1f times its evaluations of the pantograph\n",
           best, seconds / o.busy, least / (double)o.calls);
    outcome_free(&o);
    outcome_free(&reference);
}

int main(int count, char **text)
{
    const bench_arguments arguments = bench_read_arguments(count, text);
    const bool quick = arguments.quick;
    const table plain_runs = { 0.5, quick ? 1 : 3 };
    const table elastic_runs = { quick ? 0.1 : 0.2, quick ? 1 : 3 };

    setvbuf(stdout, NULL, _IOLBF, 0);
    bench_open(arguments.file);
    two_masses(&plain_runs, quick ? 1e-5 : 2.5e-6, quick ? PLAIN - 1 : PLAIN);
    elastic(&elastic_runs, quick ? 2e-5 : 1e-5, quick ? 1 : OPPONENTS);
    bench_close();
    return 0;
}
