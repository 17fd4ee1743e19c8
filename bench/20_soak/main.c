/* Runs of a million windows and of a hundred million steps: what the library and
 * the process hold after a tenth of them and at the end. */
#define _DEFAULT_SOURCE
#include "bench.h"

#include <malloc.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const double two_pi = 6.28318530717958647693;
static const double window = 1e-3;

/* ---- memory ---------------------------------------------------------------- */

/* Bytes that the library has at present. */
static atomic_llong held;

static void *resize(void *old, size_t bytes)
{
    const long long before = old ? (long long)malloc_usable_size(old) : 0;
    void *block = realloc(old, bytes);

    if (block) held += (long long)malloc_usable_size(block) - before;
    return block;
}

static void release(void *block)
{
    if (block) held -= (long long)malloc_usable_size(block);
    free(block);
}

/* Kilobytes of the process in memory. */
static double resident(void)
{
    long total = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (!file) return NAN;
    if (fscanf(file, "%ld %ld", &total, &pages) != 2) pages = 0;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024.0;
}

/* ---- the problem ----------------------------------------------------------- */

/* x' = v,  v' = -k x - c (x - other),  k = 4 pi^2,  c = 16 pi^2 */
static yoke_status mass(void *self, double t, const double *x, const double *u,
                        double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = x[1];
    xdot[1] = -two_pi * two_pi * (x[0] + 4.0 * (x[0] - u[0]));
    return YOKE_OK;
}

static void add_mass(yoke_model *model, const char *name, double x0,
                     const yoke_stepper_options *how)
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
    bench_need(yoke_model_add(model, system, how, &err), &err);
}

static yoke_model *two_masses(const yoke_stepper_options *how)
{
    yoke_model *model = NULL;
    yoke_err err = { YOKE_OK, "" };

    bench_need(yoke_model_create(&model, &err), &err);
    add_mass(model, "left", 1.0, how);
    add_mass(model, "right", 0.0, how);
    yoke_graph *graph = yoke_model_graph(model);
    bench_need(yoke_graph_signal(graph, "left.other", "right.x", 1.0, &err),
               &err);
    bench_need(yoke_graph_signal(graph, "right.other", "left.x", 1.0, &err),
               &err);
    return model;
}

/* ---- one run --------------------------------------------------------------- */

static void report(const char *name, const yoke_run_result *r,
                   double memory[2][2], double seconds)
{
    const double steps = (double)(r->work.steps + r->work.rejected);

    printf("%-8s %9d windows %12.0f steps  held %.0f, %.0f bytes  resident "
           "%.0f, %.0f kB  %.0f s\n",
           name, r->iterate.windows, steps, memory[0][0], memory[1][0],
           memory[0][1], memory[1][1], seconds);
    bench_put(name, "windows", r->iterate.windows);
    bench_put(name, "steps", steps);
    bench_put(name, "bytes held after a tenth", memory[0][0]);
    bench_put(name, "bytes held at the end", memory[1][0]);
    bench_put(name, "more bytes held", memory[1][0] - memory[0][0]);
    bench_put(name, "kB resident after a tenth", memory[0][1]);
    bench_put(name, "kB resident at the end", memory[1][1]);
    bench_put(name, "more kB resident", memory[1][1] - memory[0][1]);
    bench_put(name, "seconds", seconds);
}

/* So many windows of 1 ms with this method; step 0: by tolerance. */
static void soak(const char *name, const char *method, double step, int windows)
{
    yoke_stepper_options how = yoke_stepper_defaults();
    yoke_run_options options = yoke_run_defaults();
    double memory[2][2];
    yoke_run *run = NULL;
    yoke_run_result r;
    yoke_err err = { YOKE_OK, "" };

    bench_need(yoke_stepper_set(&how, "method", method, &err), &err);
    how.step = step;
    options.iterate.window = window;
    options.stop = windows * window;
    options.cluster = YOKE_CLUSTER_NONE;
    yoke_model *model = two_masses(&how);
    const double begun = bench_clock();
    bench_need(yoke_run_create(&run, model, &options, NULL, &err), &err);
    for (int part = 0; part < 2; part++) {
        const double to = (part == 0 ? 0.1 : 1.0) * options.stop;
        bench_need(yoke_run_advance(run, to, &err), &err);
        memory[part][0] = (double)held;
        memory[part][1] = resident();
    }
    yoke_run_summary(run, &r);
    report(name, &r, memory, bench_clock() - begun);
    bench_need(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

int main(int argc, char **argv)
{
    const yoke_allocator counted = { resize, release };
    const bench_arguments a = bench_read_arguments(argc, argv);
    const int share = a.quick ? 100 : 1;

    yoke_set_allocator(&counted);
    bench_open(a.file);
    soak("windows", "radau5", 0.0, 1000000 / share);
    soak("steps", "rk4", 0.002 * window, 100000 / share);
    bench_close();
    return 0;
}
