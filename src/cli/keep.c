/* cli/keep.c -- checkpoints of a run.
 *
 * An interrupt lets a run that is saved come to the end of its window, writes a
 * checkpoint and ends; a second one ends it at once.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/keep.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By default, in seconds: a checkpoint of a small run takes a few milliseconds,
 * of 1 GB a few seconds, and a minute is what people can bear to lose. */
static const double usual = 60.0;

static int read_seconds(const char *text, double *out)
{
    static const struct {
        const char *name;
        double factor;
    } unit[] = { { "", 1.0 },     { "s", 1.0 },  { "ms", 1e-3 },
                 { "min", 60.0 }, { "m", 60.0 }, { "h", 3600.0 } };
    char *end = NULL;
    const double number = strtod(text, &end);

    while (*end == ' ') end++;
    for (size_t k = 0; end != text && k < sizeof unit / sizeof *unit; k++)
        if (strcmp(end, unit[k].name) == 0 && number >= 0.0 && number <= 1e9) {
            *out = number * unit[k].factor;
            return CLI_OK;
        }
    return cli_usage(
        "--checkpoint-every = \"%s\" is not a time; 60s, 5min, 1h, "
        "or 0 for every window",
        text);
}

static int take_options(cli_keep *k, int *argc, char **argv)
{
    const char *value = NULL, *path = NULL, *every = NULL;

    while ((value = cli_value(argc, argv, "--checkpoint"))) path = value;
    while ((value = cli_value(argc, argv, "--checkpoint-every"))) every = value;
    while ((value = cli_value(argc, argv, "--checkpoint-kill")))
        if (!k->from) k->last_one = atoi(value);
    if (every && !path)
        return cli_usage("--checkpoint-every needs --checkpoint FILE");
    k->every = usual;
    if (every && read_seconds(every, &k->every) != CLI_OK) return CLI_USAGE;
    if (!path || k->path[0]) return CLI_OK;
    if (!path[0]) return cli_usage("--checkpoint needs the name of a file");
    if (snprintf(k->path, sizeof k->path, "%s", path) >= CLI_PATH - 8)
        return cli_usage("--checkpoint: the name is too long");
    return CLI_OK;
}

/* One time in seven, so fifty times in a row never. */
int cli_keep_place(int words, const char *const *word)
{
    static const char variable[] = "YOKE_BEGUN_AGAIN";
    static const char *again[CLI_WORDS + 2] = { "yoke" };
    const char *text = getenv(variable);
    const int tries = text ? atoi(text) : 0;
    yoke_err err = { YOKE_OK, "" };
    char next[16];

    const yoke_status status = yoke_checkpoint_able(&err);
    if (status == YOKE_OK) {
        unsetenv(variable);
        return CLI_OK;
    }
    if (status != YOKE_RETRY || tries >= 50) return cli_fail(&err);
    for (int k = 0; k < words; k++) again[k + 1] = word[k];
    again[words + 1] = NULL;
    snprintf(next, sizeof next, "%d", tries + 1);
    if (setenv(variable, next, 1) == 0)
        (void)execv("/proc/self/exe", (char **)(size_t)again);
    return cli_fail(&err);
}

int cli_keep_begin(cli_keep *k, int *argc, char **argv)
{
    yoke_err err = { YOKE_OK, "" };

    for (int i = 0; i < *argc && k->words < CLI_WORDS; i++)
        k->word[k->words++] = argv[i];
    const int status = take_options(k, argc, argv);
    if (status != CLI_OK || !k->path[0] || k->from || k->later) return status;
    if (k->words == CLI_WORDS)
        return cli_usage("--checkpoint: the command line has more than %d "
                         "words",
                         CLI_WORDS - 1);
    if (cli_keep_place(k->words, k->word) != CLI_OK) return CLI_FAILED;
    return yoke_checkpoint_begin(&err) == YOKE_OK ? CLI_OK : cli_fail(&err);
}

/* Is a name of `length` the other with this end, as they are written? */
static bool is_name(const char *name, size_t length, const char *path,
                    const char *end)
{
    if (length > 2 && strncmp(name, "./", 2) == 0) name += 2, length -= 2;
    if (strncmp(path, "./", 2) == 0) path += 2;
    return length == strlen(path) + strlen(end) &&
           strncmp(name, path, strlen(path)) == 0 &&
           strncmp(name + strlen(path), end, strlen(end)) == 0;
}

/* Results have these ends, and so have the tables beside them, by whatever way
 * they are named. */
static int refuse_result(const char *path)
{
    static const char *const result[] = { ".csv", ".h5", ".raw" };

    for (size_t i = 0; i < sizeof result / sizeof *result; i++)
        if (cli_ends_in(path, result[i]))
            return cli_usage("--checkpoint %s: a name that ends in %s is that "
                             "of a result; choose another",
                             path, result[i]);
    return CLI_OK;
}

int cli_keep_check(const cli_keep *k, const char *output)
{
    yoke_err err = { YOKE_OK, "" };

    if (!k->path[0] || k->from) return CLI_OK;
    while (*output) {
        const size_t length = strcspn(output, "\n");
        if (is_name(output, length, k->path, "") ||
            is_name(output, length, k->path, ".old") ||
            is_name(output, length, k->path, ".new"))
            return cli_usage("--checkpoint %s would replace the result %.*s; "
                             "choose another name",
                             k->path, (int)length, output);
        output += length + (output[length] == '\n');
    }
    const int status = refuse_result(k->path);
    if (status != CLI_OK) return status;
    return yoke_checkpoint_check(k->path, &err) == YOKE_OK ? CLI_OK
                                                           : cli_fail(&err);
}

static bool due(void *context, double t)
{
    const cli_keep *k = context;

    return cli_interrupted() || t >= k->stop ||
           cli_clock() - k->last >= k->every;
}

/* A disk that is full stays so for many windows: that is said once, and once
 * more when checkpoints are written again. */
static void tell(cli_keep *k, bool written, const char *why)
{
    if (written && k->fails)
        cli_log(CLI_WARNING, "checkpoints are written again to %s", k->path);
    else if (!written && !k->fails)
        cli_log(CLI_WARNING,
                "%s; the run goes on, the checkpoint before is as it was, and "
                "the next ones are tried without a word",
                why);
    k->fails = !written;
}

static yoke_status save(void *context, yoke_run *run, yoke_err *err)
{
    cli_keep *k = context;
    yoke_err why = { YOKE_OK, "" };
    const yoke_status status =
        yoke_checkpoint_write(run, k->file, k->words, k->word, k->path, &why);

    k->last = cli_clock();
    k->over = status == YOKE_OK && yoke_run_time(run) >= k->stop;
    tell(k, status == YOKE_OK, why.text);
    if (status == YOKE_OK && ++k->written == k->last_one) raise(SIGKILL);
    if (!cli_interrupted()) return YOKE_OK;
    k->told = true;
    return yoke_fail(err, YOKE_STOPPED,
                     status == YOKE_OK
                         ? "stopped at t = %.9g on request; %s resume %s "
                           "goes on from there"
                         : "stopped at t = %.9g on request, and that could not "
                           "be saved; if there was a checkpoint before, %s "
                           "resume %s goes on from it",
                     yoke_run_time(run), k->program, k->path);
}

void cli_keep_run(cli_keep *k, yoke_run *run, yoke_file *file, double stop)
{
    const yoke_pause pause = { due, save, k };

    if (!k->path[0]) return;
    k->file = file;
    k->stop = stop;
    k->last = cli_clock();
    cli_interrupt_patient();
    yoke_run_pause(run, &pause);
}

/* What follows the last window is made again by who goes on. */
void cli_keep_tell(const cli_keep *k, yoke_err *err)
{
    const size_t length = strlen(err->text);

    if (err->status != YOKE_STOPPED || !k->over || k->told) return;
    snprintf(err->text + length, sizeof err->text - length,
             "; %s resume %s goes on from there", k->program, k->path);
}

bool cli_keep_waits(const cli_keep *k)
{
    return k->path[0] != '\0' && !k->over;
}
