/* Work and time of coupled runs over the work of the oracle (oracle.h). */
#include "bench.h"
#include "oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EARLY = 5 }; /* windows in which waveforms find their sizes */

/* A coupled run, whose windows are watched. */
typedef struct coupled {
    const problem *problem;
    yoke_run *run;
    yoke_run_result result;
    int windows;
    long early, settled; /* allocations until window EARLY, until 3/4 of all */
    long last;           /* until the last window: the end looks for rest */
    double setup, seconds;
    double error; /* at the ends of the windows, over the tolerance */
} coupled;

static bool each_window(void *context, double t, const yoke_iterate_result *r)
{
    coupled *c = context;

    (void)r;
    if (++c->windows == EARLY) c->early = bench_allocations();
    if (t <= 0.75 * c->problem->stop) c->settled = bench_allocations();
    c->last = bench_allocations();
    return false;
}

static yoke_run_options options_of(const problem *p)
{
    yoke_run_options o = yoke_run_defaults();

    o.stop = p->stop;
    o.scheme = p->scheme;
    o.iterate.window = p->window;
    o.iterate.rtol = p->rtol;
    o.iterate.atol = p->atol;
    o.record = p->record;
    o.spot = 0.0; /* checks are counted apart, and allocate */
    o.order = p->order;
    o.cluster = YOKE_CLUSTER_NONE; /* what iterating costs */
    return o;
}

static void name_of(const problem *p, const yoke_link *link, char *text,
                    size_t room)
{
    const yoke_system *s =
        yoke_graph_system(yoke_model_graph(p->model), link->from);

    snprintf(text, room, "%s.%s", yoke_system_name(s),
             yoke_system_facts(s)->y_name[link->output]);
}

/* Only outputs that are recorded; the others are inside a cluster. */
static void compare(coupled *c, const oracle *o, double t)
{
    const problem *p = c->problem;
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(yoke_model_graph(p->model), &link);

    for (int l = 0; l < links; l++) {
        char name[128];
        double value = 0.0;
        name_of(p, &link[l], name, sizeof name);
        if (yoke_run_value(c->run, name, &value, NULL) == YOKE_OK)
            c->error = fmax(c->error, oracle_error(o, p, l, t, value));
    }
}

/* Compares only if an oracle is given; otherwise nothing but the run. */
static void advance(coupled *c, const oracle *o)
{
    const problem *p = c->problem;
    yoke_err err = { YOKE_OK, "" };

    if (!o) {
        bench_need(yoke_run_advance(c->run, p->stop, &err), &err);
        return;
    }
    for (double t = p->window; t < p->stop * (1 + 1e-9); t += p->window) {
        bench_need(yoke_run_advance(c->run, t, &err), &err);
        compare(c, o, t);
    }
}

static coupled coupled_run(const problem *p, const oracle *o)
{
    const yoke_run_options options = options_of(p);
    yoke_err err = { YOKE_OK, "" };
    coupled c = { .problem = p };
    const yoke_watcher watcher = { .window = each_window, .context = &c };
    const double begin = bench_clock();

    bench_need(yoke_run_create(&c.run, p->model, &options, &watcher, &err),
               &err);
    c.setup = bench_clock() - begin;
    advance(&c, o);
    c.seconds = bench_clock() - begin - c.setup;
    c.early = c.last - c.early;
    c.settled = c.last - c.settled;
    yoke_run_summary(c.run, &c.result);
    bench_need(yoke_run_close(c.run, &err), &err);
    c.run = NULL;
    return c;
}

/* ---- table --------------------------------------------------------------- */

typedef struct row {
    double setup, seconds, oracle_seconds, stepper_seconds;
    double cell_work; /* residuals times unknowns of a subsystem */
} row;

static void heading(void)
{
    printf("%-24s %5s %5s %6s %6s %6s %6s %6s  %6s %6s  %8s %8s %5s %4s %4s\n",
           "", "wins", "swps", "skip", "res", "LU", "solve", "time", "error",
           "replay", "setup s", "run s", "step%", "new", "late");
}

static double ratio(long a, long b)
{
    return b ? (double)a / (double)b : 0.0;
}

static void write_counts(const problem *p, const coupled *c, const oracle *o)
{
    const yoke_work *w = &c->result.work;
    const yoke_iterate_result *it = &c->result.iterate;

    bench_put(p->name, "windows", it->windows);
    bench_put(p->name, "sweeps_per_window", ratio(it->sweeps, it->windows));
    bench_put(p->name, "skipped", (double)it->skipped);
    bench_put(p->name, "residuals", (double)w->residuals);
    bench_put(p->name, "oracle_residuals", (double)o->work.residuals);
    bench_put(p->name, "residual_overhead",
              ratio(w->residuals, o->work.residuals));
    bench_put(p->name, "factorization_overhead",
              ratio(w->factorizations, o->work.factorizations));
    bench_put(p->name, "solve_overhead", ratio(w->solves, o->work.solves));
    bench_put(p->name, "step_overhead", ratio(w->steps, o->work.steps));
    bench_put(p->name, "error", c->error);
    bench_put(p->name, "replay_distance", o->apart);
    bench_put(p->name, "estimated_overhead",
              (double)w->residuals / o->estimate);
    bench_put(p->name, "allocations_after_window_5", (double)c->early);
    bench_put(p->name, "allocations_last_quarter", (double)c->settled);
}

static void write_row(const problem *p, const coupled *c, const oracle *o,
                      const row *r)
{
    const yoke_work *w = &c->result.work;
    const yoke_iterate_result *it = &c->result.iterate;
    const double share = r->stepper_seconds / r->seconds;

    write_counts(p, c, o);
    bench_put(p->name, "time_overhead", r->seconds / r->oracle_seconds);
    bench_put(p->name, "setup_seconds", r->setup);
    bench_put(p->name, "run_seconds", r->seconds);
    bench_put(p->name, "oracle_seconds", r->oracle_seconds);
    bench_put(p->name, "stepper_share", share);
    printf("%-24s %5d %5.2f %6ld %6.2f %6.2f %6.2f %6.2f  %6.2f %6.2f  "
           "%8.4f %8.4f %5.0f %4ld %4ld\n",
           p->name, it->windows, ratio(it->sweeps, it->windows), it->skipped,
           ratio(w->residuals, o->work.residuals),
           ratio(w->factorizations, o->work.factorizations),
           ratio(w->solves, o->work.solves), r->seconds / r->oracle_seconds,
           c->error, o->apart, r->setup, r->seconds, 100.0 * share, c->early,
           c->settled);
}

/* Counts from the first run, times from the fastest. */
static row measure(problem p, int repeats)
{
    oracle o;
    row r = { INFINITY, INFINITY, INFINITY, 0.0, 0.0 };

    const yoke_run_options options = options_of(&p);

    oracle_create(&o, &p);
    oracle_run(&o, &p, &options);
    const coupled first = coupled_run(&p, &o);
    r.oracle_seconds = o.work.seconds;
    for (int i = 0; i < repeats; i++) {
        const coupled now = coupled_run(&p, NULL);
        r.setup = fmin(r.setup, now.setup);
        if (now.seconds < r.seconds) {
            r.seconds = now.seconds;
            r.stepper_seconds = now.result.work.seconds;
        }
        oracle_run(&o, &p, &options);
        r.oracle_seconds = fmin(r.oracle_seconds, o.work.seconds);
    }
    r.cell_work = (double)first.result.work.residuals * p.unknowns / p.groups;
    write_row(&p, &first, &o, &r);
    oracle_free(&o);
    problem_free(&p);
    return r;
}

/* ---- growth with the number of cells ------------------------------------- */

static void growth(int blocks, int repeats, bool quick)
{
    double n[4], setup[4], seconds[4], work[4];
    const int most = quick ? 1000 : 10000;
    char name[64];
    int count = 0;

    for (int cells = 10; cells <= most; cells *= 10) {
        if (cells < blocks) continue;
        const row r = measure(rc_chain(cells, blocks, 0.05), repeats);
        if (cells < 100) continue;
        n[count] = cells;
        setup[count] = r.setup;
        seconds[count] = r.seconds;
        work[count++] = r.cell_work;
    }
    snprintf(name, sizeof name, "rc-chain-M-%d", blocks);
    bench_put(name, "work_exponent", bench_slope(count, n, work));
    bench_put(name, "time_exponent", bench_slope(count, n, seconds));
    bench_put(name, "setup_exponent", bench_slope(count, n, setup));
    printf("M = %d, N >= 100: exponent of time %.2f, of setup %.2f, of "
           "counted work %.2f\n",
           blocks, bench_slope(count, n, seconds), bench_slope(count, n, setup),
           bench_slope(count, n, work));
}

/* Setting up a run: the number of blocks grows, ten cells in each. */
static void growth_of_setup(yoke_scheme scheme, const char *name, bool quick)
{
    double blocks[4], seconds[4];
    int count = 0;

    for (int m = 100; m <= (quick ? 400 : 6400); m *= 4) {
        yoke_err err = { YOKE_OK, "" };
        problem p = rc_chain(10 * m, m, 0.05);
        yoke_run_options options = options_of(&p);
        yoke_run *run = NULL;
        const double begin = bench_clock();
        options.scheme = scheme;
        options.record = "b0.first";
        bench_need(yoke_run_create(&run, p.model, &options, NULL, &err), &err);
        blocks[count] = m;
        seconds[count++] = bench_clock() - begin;
        bench_need(yoke_run_close(run, &err), &err);
        problem_free(&p);
    }
    bench_put(name, "seconds_for_most_blocks", seconds[count - 1]);
    bench_put(name, "time_exponent", bench_slope(count, blocks, seconds));
    printf("%s: %.3f s for %.0f blocks, exponent in M %.2f\n", name,
           seconds[count - 1], blocks[count - 1],
           bench_slope(count, blocks, seconds));
}

/* The same chain with longer and shorter windows. */
static void windows(int repeats)
{
    static const double h[] = { 0.2, 0.1, 0.025, 0.0125 };

    for (int i = 0; i < 4; i++) {
        problem p = rc_chain(1000, 10, h[i]);
        snprintf(p.name, sizeof p.name, "rc-chain-H-%g", h[i]);
        measure(p, repeats);
    }
}

int main(int count, char **text)
{
    const bench_arguments arguments = bench_read_arguments(count, text);
    const int repeats = arguments.quick ? 1 : 3;

    bench_count();
    setvbuf(stdout, NULL, _IOLBF, 0);
    bench_open(arguments.file);
    puts("work and time over those of the oracle; errors over the tolerance");
    heading();
    for (double h = 0.0125; h < 0.11; h *= 2.0)
        measure(two_masses(h), 10 * repeats);
    for (double h = 0.25; h < 2.1; h *= 2.0)
        measure(wang_hou_modnak(h), 10 * repeats);
    growth(2, repeats, arguments.quick);
    growth(10, repeats, arguments.quick);
    growth(100, repeats, arguments.quick);
    windows(repeats);
    measure(rc_cascade(100, 10, 0.05), repeats);
    growth_of_setup(YOKE_GAUSS_SEIDEL, "setup-gauss-seidel", arguments.quick);
    growth_of_setup(YOKE_MONOLITHIC, "setup-monolithic", arguments.quick);
    bench_close();
    return 0;
}
