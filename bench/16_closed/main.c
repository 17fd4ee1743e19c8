/* bench/16_closed/main.c -- what it costs that a part is closed: the two-mass
 * oscillator as equations, as FMUs in the process of yoke, in processes of their
 * own with state, by copies, and by running again. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct side {
    const char *name, *part; /* the subsystem without its start values */
    const char *last;        /* where they go */
    const char *in, *out;
} side;

/* k = 4 pi^2, c = 16 pi^2, m = 1. */
#define SPRINGS "k: 39.478417604357434, c: 157.91367041742973, "

static const side sides[] = {
    { "open",
      "{linear: {x: [x, v], u: [other], A: [[0, 1], [-197.39208802178717, 0]], "
      "B: [[0], [157.91367041742973]], x0: [",
      ", 0]}}", "other", "x" },
    { "me-none",
      "{fmu: plain2.fmu, kind: me, isolate: none, parameters: {" //
      SPRINGS "x: ",
      "}}", "u", "y" },
    { "me-fork", "{fmu: plain2.fmu, kind: me, parameters: {" SPRINGS "x: ",
      "}}", "u", "y" },
    { "cs-none",
      "{fmu: state2.fmu, kind: cs, isolate: none, parameters: {" //
      SPRINGS "x: ",
      "}}", "u", "y" },
    { "cs-state", "{fmu: state2.fmu, kind: cs, parameters: {" SPRINGS "x: ",
      "}}", "u", "y" },
    { "cs-fork", "{fmu: plain2.fmu, kind: cs, parameters: {" SPRINGS "x: ",
      "}}", "u", "y" },
    { "cs-replay",
      "{fmu: plain2.fmu, kind: cs, replay: true, parameters: {" //
      SPRINGS "x: ",
      "}}", "u", "y" },
};

static void write_system(const side *s, char *text, size_t room)
{
    snprintf(text, room,
             "yoke: 1\nsubsystems:\n  left: %s1%s\n  right: %s0%s\n"
             "couplings:\n  - signal: left.%s = right.%s\n"
             "  - signal: right.%s = left.%s\n"
             "run: {stop: 1, rtol: 1e-6, cluster: none, spot: 0}\n",
             s->part, s->last, s->part, s->last, s->in, s->out, s->in, s->out);
}

/* x = (cos 2 pi t +- cos 6 pi t) / 2, at t = 1 as at the start. */
static double error_of(yoke_run *run, const side *s)
{
    yoke_err err = { YOKE_OK, "" };
    char name[40];
    double left = NAN, right = NAN;

    snprintf(name, sizeof name, "left.%s", s->out);
    bench_need(yoke_run_value(run, name, &left, &err), &err);
    snprintf(name, sizeof name, "right.%s", s->out);
    bench_need(yoke_run_value(run, name, &right, &err), &err);
    return fmax(fabs(left - 1.0), fabs(right));
}

static void measure(const side *s)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_run_result result;
    char text[2000];

    write_system(s, text, sizeof text);
    bench_need(yoke_file_parse(&file, FMUS "/bench.yaml", text, strlen(text),
                               NULL, &err),
               &err);
    const yoke_run_options *o = yoke_file_run_options(file);
    bench_need(yoke_run_create(&run, yoke_file_model(file), o, NULL, &err),
               &err);
    const double begun = bench_clock();
    bench_need(yoke_run_advance(run, o->stop, &err), &err);
    const double seconds = bench_clock() - begun;
    yoke_run_summary(run, &result);
    bench_put(s->name, "error", error_of(run, s));
    bench_put(s->name, "windows", result.iterate.windows);
    bench_put(s->name, "sweeps", (double)result.iterate.sweeps);
    bench_put(s->name, "steps", (double)result.work.steps);
    bench_put(s->name, "overhead", result.overhead);
    bench_put(s->name, "seconds", seconds);
    bench_put(s->name, "milliseconds_per_solve",
              1e3 * seconds / (double)result.iterate.solves);
    bench_need(yoke_run_close(run, &err), &err);
    yoke_file_free(file);
}

int main(int argc, char **argv)
{
    const bench_arguments a = bench_read_arguments(argc, argv);

    bench_open(a.file);
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
        measure(&sides[i]);
    bench_close();
    return 0;
}
