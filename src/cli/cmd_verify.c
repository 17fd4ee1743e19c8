/* cli/cmd_verify.c -- yoke verify SYSTEM: how large is the splitting error?
 *
 * Three runs to the same tolerance: coupled, coupled with windows of half the
 * length, monolithic.  The first two differ by the error that the windows
 * leave, the first and the last by all that the coupling adds.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct outcome {
    yoke_table *table;
    yoke_run_result result;
} outcome;

/* A file in the folder for temporary ones, removed by the caller. */
static bool temporary(char *path, size_t room)
{
    const char *folder = getenv("TMPDIR");
    const int wrote =
        snprintf(path, room, "%s/yoke-verify-%ld.csv",
                 folder && folder[0] ? folder : "/tmp", (long)getpid());

    return wrote > 0 && (size_t)wrote < room;
}

/* The table of a run, read back from its file. */
static yoke_status run_once(yoke_model *model, yoke_run_options options,
                            outcome *out, yoke_err *err)
{
    char log[sizeof options.output + 16];

    if (!temporary(options.output, sizeof options.output))
        return yoke_fail(err, YOKE_E_FILE, "TMPDIR is too long");
    yoke_status status = yoke_simulate(model, &options, &out->result, err);
    if (status == YOKE_OK)
        status = yoke_table_read(&out->table, options.output, "result", err);
    remove(options.output);
    static const char *const other[] = { "coupling", "work", "notes",
                                         "iterates" };
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        snprintf(log, sizeof log, "%.*s.%s.csv",
                 (int)strlen(options.output) - 4, options.output, other[k]);
        remove(log);
    }
    return status;
}

/* Largest difference of all columns, relative to the tolerance of each. */
static double distance(const yoke_table *a, const yoke_table *b,
                       const yoke_iterate_options *o, const char **worst)
{
    double most = 0.0;

    for (int c = 1; c < a->cols; c++) {
        yoke_difference d;
        if (yoke_table_compare(a, b, a->name[c], &d, NULL) != YOKE_OK) continue;
        const double size = d.max_rel > 0.0 ? d.max_abs / d.max_rel : 0.0;
        const double relative = d.max_abs / (o->atol + o->rtol * size);
        if (relative <= most) continue;
        most = relative;
        *worst = a->name[c];
    }
    return most;
}

static void print_row(const char *what, const outcome *o)
{
    printf("%-24s %8d %8ld %10ld %10ld %10.3f\n", what,
           o->result.iterate.windows, o->result.iterate.sweeps,
           o->result.work.residuals, o->result.work.factorizations,
           o->result.seconds);
}

static void print_verdict(const outcome *o, const yoke_iterate_options *options)
{
    const char *worst[2] = { "", "" };
    const double windows = distance(o[0].table, o[1].table, options, &worst[0]);
    const double whole = distance(o[0].table, o[2].table, options, &worst[1]);

    printf("%-24s %8s %8s %10s %10s %10s\n", "run", "windows", "sweeps",
           "residuals", "factored", "seconds");
    print_row("coupled", &o[0]);
    print_row("coupled, half windows", &o[1]);
    print_row("monolithic", &o[2]);
    printf("\nlargest differences in units of the tolerance (rtol %.1e, atol "
           "%.1e):\n"
           "  coupled against half windows  %10.3g  (%s)\n"
           "  coupled against monolithic    %10.3g  (%s)\n",
           options->rtol, options->atol, windows, worst[0], whole, worst[1]);
    printf("The results agree %s ten tolerances, the integration errors of the "
           "subsystems' own\nsteppers included.\n",
           whole <= 10.0 ? "within" : "only beyond");
}

static int verify(cli_system *system)
{
    yoke_run_options options = system->options;
    outcome o[3] = { { 0 } };
    yoke_err err = { YOKE_OK, "" };
    int status = CLI_FAILED;

    if (options.every == 0.0)
        options.every = (options.stop - options.start) / 100.0;
    if (options.iterate.window == 0.0)
        options.iterate.window = (options.stop - options.start) / 100.0;
    if (run_once(system->model, options, &o[0], &err) != YOKE_OK) goto done;
    options.iterate.window /= 2.0;
    if (run_once(system->model, options, &o[1], &err) != YOKE_OK) goto done;
    options.iterate.window *= 2.0;
    options.scheme = YOKE_MONOLITHIC;
    options.schedule[0] = options.order[0] = '\0';
    if (run_once(system->model, options, &o[2], &err) != YOKE_OK) goto done;
    print_verdict(o, &options.iterate);
    status =
        o[0].result.converged && o[1].result.converged ? CLI_OK : CLI_FAILED;
done:
    if (err.status != YOKE_OK) cli_fail(&err);
    for (int k = 0; k < 3; k++) yoke_table_free(o[k].table);
    return status;
}

int cmd_verify(int argc, char **argv)
{
    cli_system system;
    int status = cli_load(&system, &argc, argv);

    if (status == CLI_OK) status = verify(&system);
    cli_unload(&system);
    return status;
}
