/* cli/cmd_resume.c -- yoke resume CHECKPOINT: the command of the run once more,
 * from there. */
#define _XOPEN_SOURCE 700
#include "cli/keep.h"
#include "cli/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options of this command that replace those of the run, behind them. */
static char *const replaced[] = { "--stop", "--jobs", "--checkpoint-every" };

typedef struct command {
    int argc;
    char *argv[CLI_WORDS + 8];
} command;

static int add(command *c, const char *word)
{
    if (c->argc >= CLI_WORDS + 6)
        return cli_usage("resume: too many words on the command line");
    c->argv[c->argc++] = (char *)(size_t)word;
    c->argv[c->argc] = NULL;
    return CLI_OK;
}

/* --watch has a number or none. */
static int add_watch(command *c, int *argc, char **argv)
{
    static char word[32];
    cli_watch w = { .on = false };
    int status = cli_watch_take(&w, argc, argv);

    if (status != CLI_OK || !w.on) return status;
    snprintf(word, sizeof word, "--watch=%d", w.port);
    status = add(c, word);
    return status == CLI_OK && w.stay ? add(c, "--stay") : status;
}

/* The words of the run, and then those of this command. */
static int make_command(command *c, const yoke_checkpoint *from, int *argc,
                        char **argv)
{
    const char *word = NULL;
    int status = CLI_OK;

    for (int i = 0; status == CLI_OK && (word = yoke_checkpoint_word(from, i));
         i++)
        status = add(c, word);
    for (size_t k = 0; k < sizeof replaced / sizeof *replaced; k++)
        while (status == CLI_OK &&
               (word = cli_value(argc, argv, replaced[k]))) {
            status = add(c, replaced[k]);
            if (status == CLI_OK) status = add(c, word);
        }
    if (status == CLI_OK) status = add_watch(c, argc, argv);
    for (const char *const *flag =
             (const char *const[]){ "--quiet", "--json", NULL };
         status == CLI_OK && *flag; flag++)
        if (cli_flag(argc, argv, *flag)) status = add(c, *flag);
    if (status == CLI_OK && *argc > 2)
        return argv[2][0] == '-'
                   ? cli_unknown_option("resume", argv[2])
                   : cli_usage("resume: unexpected argument \"%s\"", argv[2]);
    return status;
}

/* Names in the command are seen from the folder it was given in. */
static int go_there(const yoke_checkpoint *from)
{
    const char *folder = yoke_checkpoint_folder(from);
    char here[CLI_PATH];

    if (!folder || !folder[0]) return CLI_OK;
    if (!getcwd(here, sizeof here) || strcmp(here, folder) != 0)
        cli_log(CLI_NOTE, "the run goes on in %s, where it was started",
                folder);
    if (chdir(folder) == 0) return CLI_OK;
    perror("yoke: resume");
    return cli_usage("resume: the run was started in %s, which no longer "
                     "exists",
                     folder);
}

/* A file that is no checkpoint: which command was meant?  NULL: who knows. */
static const char *meant(const char *path)
{
    static const char *const result[] = { ".csv", ".h5", ".raw" };

    if (cli_names_system(path))
        return "is a system file, not a checkpoint; yoke run runs it, and "
               "yoke run with --checkpoint FILE writes a checkpoint for "
               "yoke resume FILE";
    for (size_t k = 0; k < sizeof result / sizeof *result; k++)
        if (cli_ends_in(path, result[k]))
            return "is a result, not a checkpoint; yoke run with --checkpoint "
                   "FILE writes a checkpoint for yoke resume FILE";
    return NULL;
}

static int refuse(const char *path, const yoke_err *err)
{
    const char *text = access(path, R_OK) == 0 ? meant(path) : NULL;

    return text ? cli_usage("resume: %s %s", path, text) : cli_fail(err);
}

static int resume(const char *path, int *argc, char **argv)
{
    static cli_keep keep;
    static command c;
    yoke_err err = { YOKE_OK, "" };

    if (!realpath(path, keep.path))
        if (snprintf(keep.path, sizeof keep.path, "%s", path) >= CLI_PATH - 8)
            return cli_usage("resume: the name is too long");
    if (yoke_checkpoint_open(&keep.from, keep.path, &err) != YOKE_OK)
        return refuse(path, &err);
    if (yoke_checkpoint_remark(keep.from))
        cli_log(CLI_WARNING, "%s", yoke_checkpoint_remark(keep.from));
    int status = make_command(&c, keep.from, argc, argv);
    if (status == CLI_OK) status = go_there(keep.from);
    if (status == CLI_OK) {
        const char *folder = yoke_checkpoint_folder(keep.from);
        cli_tell_processes(c.argc, c.argv, folder && folder[0] ? folder : ".");
        status = cli_run_words(c.argc, c.argv, &keep);
    }
    yoke_checkpoint_free(keep.from);
    return status;
}

int cmd_resume(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-')
        return cli_usage("resume: name the checkpoint; yoke run --checkpoint "
                         "FILE writes one");
    if (argc >= CLI_WORDS) return cli_usage("resume: too many words");
    const int status = cli_keep_place(argc, (const char *const *)argv);
    return status == CLI_OK ? resume(argv[1], &argc, argv) : status;
}
