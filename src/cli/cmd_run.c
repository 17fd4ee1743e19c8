/* cli/cmd_run.c -- yoke run PROBLEM. */
#define _POSIX_C_SOURCE 200112L
#include "cli/cli.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

typedef struct progress {
    double start, stop, began, shown;
    bool visible;
} progress;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw(progress *p, double t, const yoke_iterate_result *r)
{
    enum { WIDTH = 30 };
    const double part = (t - p->start) / (p->stop - p->start);
    const double spent = now() - p->began;
    const int full = (int)(part * WIDTH);

    fprintf(stderr, "\r[");
    for (int i = 0; i < WIDTH; i++) fputc(i < full ? '#' : '.', stderr);
    fprintf(stderr,
            "] t = %.4g  %d windows  %.1f sweeps  rate %.2g  %.0f s left   ", t,
            r->windows, (double)r->sweeps / r->windows, r->rate,
            part > 0.0 ? spent * (1.0 - part) / part : 0.0);
    fflush(stderr);
}

static bool on_stop(void *context)
{
    (void)context;
    return interrupted != 0;
}

static bool on_window(void *context, double t, const yoke_iterate_result *r)
{
    progress *p = context;
    const double time = now();

    if (p->visible && (time - p->shown > 0.1 || t >= p->stop)) {
        p->shown = time;
        draw(p, t, r);
        if (t >= p->stop) fputc('\n', stderr);
    }
    return interrupted != 0;
}

static void print_work(const yoke_run *run)
{
    const char *name = NULL;
    yoke_work w;

    printf("\n%-20s %10s %10s %10s %10s %10s\n", "subsystem", "steps",
           "rejected", "residuals", "factored", "seconds");
    for (int i = 0; i < 12 && yoke_run_work(run, i, &name, &w); i++)
        printf("%-20.20s %10ld %10ld %10ld %10ld %10.3f\n", name, w.steps,
               w.rejected, w.residuals, w.factorizations, w.seconds);
}

static void print_final(const yoke_run *run, double t)
{
    const char *const *name = NULL;
    const double *value = NULL;
    const int count = yoke_run_variables(run, &name, &value);

    printf("\nAt t = %.9g:\n", t);
    for (int k = 0; k < count && k < 12; k++)
        printf("  %-24s % .10g\n", name[k], value[k]);
    if (count > 12) printf("  ... and %d more\n", count - 12);
}

static void print_summary(const yoke_run *run, const yoke_run_options *options)
{
    yoke_run_result r;

    yoke_run_summary(run, &r);
    puts(r.text);
    print_final(run, r.t);
    print_work(run);
    if (options->output[0]) printf("\nresult: %s\n", options->output);
}

static void print_json(const yoke_run *run)
{
    const char *const *name = NULL;
    const double *value = NULL;
    const int count = yoke_run_variables(run, &name, &value);
    const char *cluster = NULL;
    yoke_run_result r;
    yoke_work w;

    yoke_run_summary(run, &r);
    printf("{\"converged\": %s, \"time\": ", r.converged ? "true" : "false");
    cli_json_number(r.t);
    printf(", \"windows\": %d, \"sweeps\": %ld, \"rejected\": %d, "
           "\"skipped\": %ld, \"rate\": ",
           r.iterate.windows, r.iterate.sweeps, r.iterate.rejected,
           r.iterate.skipped);
    cli_json_number(r.iterate.rate);
    printf(", \"coupling_estimate\": ");
    cli_json_number(r.iterate.estimate);
    printf(", \"coupling_residual\": ");
    cli_json_number(r.iterate.residual);
    printf(", \"seconds\": %.6f,\n \"final\": {", r.seconds);
    for (int k = 0; k < count; k++) {
        if (k) printf(", ");
        cli_json_text(name[k]);
        printf(": ");
        cli_json_number(value[k]);
    }
    printf("},\n \"work\": {");
    for (int i = 0; yoke_run_work(run, i, &cluster, &w); i++) {
        if (i) printf(", ");
        cli_json_text(cluster);
        printf(": {\"sweeps\": %ld, \"steps\": %ld, \"rejected\": %ld, "
               "\"residuals\": %ld, \"jacobians\": %ld, "
               "\"factorizations\": %ld, \"solves\": %ld}",
               w.sweeps, w.steps, w.rejected, w.residuals, w.jacobians,
               w.factorizations, w.solves);
    }
    puts("}}");
}

static int execute(const char *name, yoke_model *model,
                   const yoke_run_options *options, bool json, bool quiet)
{
    progress p = { options->start, options->stop, now(), 0.0,
                   !json && !quiet && isatty(STDERR_FILENO) };
    const yoke_watcher watcher = { .window = on_window,
                                   .stop = on_stop,
                                   .context = &p };
    yoke_err err = { YOKE_OK, "" };
    yoke_run *run = NULL;
    yoke_run_result r = { .converged = false };

    if (yoke_run_create(&run, model, options, &watcher, &err) != YOKE_OK)
        return cli_fail(&err);
    yoke_status status = cli_note_run(run, name, &err);
    if (status == YOKE_OK) status = yoke_run_advance(run, options->stop, &err);
    if (status == YOKE_OK) status = cli_note_rate(run, model, options, &err);
    if (status != YOKE_OK) {
        if (p.visible) fputc('\n', stderr);
        cli_fail(&err);
    }
    yoke_run_summary(run, &r);
    if (json)
        print_json(run);
    else if (!quiet)
        print_summary(run, options);
    yoke_err close_err = { YOKE_OK, "" };
    if (yoke_run_close(run, &close_err) != YOKE_OK) {
        cli_fail(&close_err);
        return CLI_FAILED;
    }
    return status == YOKE_OK && r.converged ? CLI_OK : CLI_FAILED;
}

static void catch_interrupt(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int cmd_run(int argc, char **argv)
{
    const bool json = cli_flag(&argc, argv, "--json");
    const bool quiet = cli_flag(&argc, argv, "--quiet");
    cli_system system;
    int status = cli_load(&system, &argc, argv);

    if (status == CLI_OK) {
        catch_interrupt();
        status =
            execute(system.name, system.model, &system.options, json, quiet);
    }
    cli_unload(&system);
    return status;
}
