/* cli/main.c -- the list of verbs. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const cli_verb cli_verbs[] = {
    { "run", "SYSTEM [options]", "simulate, write results, print a summary",
      cmd_run },
    { "resume", "CHECKPOINT [--stop T] [--jobs N]",
      "go on with a run that was stopped or killed", cmd_resume },
    { "check", "SYSTEM [options]",
      "before a run: solvability, index, contraction, the best order",
      cmd_check },
    { "verify", "SYSTEM [options]",
      "compare a coupled run with a monolithic one and with halved windows",
      cmd_verify },
    { "sweep", "SYSTEM --vary NAME=VALUES ...",
      "many runs over parameters: a table and a picture of measures",
      cmd_sweep },
    { "plot", "RESULT... [-o PICTURE] [-v NAMES]",
      "a picture (.png, .svg) of columns of result files", cmd_plot },
    { "report", "RESULT [-o PAGE]",
      "a page (.html) with everything a result file holds", cmd_report },
    { "compare", "A B [--rtol R]",
      "largest differences between two results; do they agree?", cmd_compare },
    { "info", "FILE [options]",
      "what is in a result, a system file or an equation model", cmd_info },
    { "export", "SYSTEM -o FILE [options]",
      "pack a system as an FMU (.fmu) for other programs", cmd_export },
    { "example", "[NAME [DIR]]",
      "list the examples, or write one into a folder", cmd_example },
    { "help", "[COMMAND]", "this list, or the options of a command", cmd_help },
    { "version", "", "print the version", cmd_version },
    { NULL, NULL, NULL, NULL },
};

int cli_fail(const yoke_err *err)
{
    fprintf(stderr, "yoke: %s\n", err->text);
    return CLI_FAILED;
}

bool cli_ends_in(const char *text, const char *tail)
{
    const size_t length = strlen(text), end = strlen(tail);

    return length > end && strcmp(text + length - end, tail) == 0;
}

bool cli_overwrites(const char *out, const char *in)
{
    struct stat a, b;

    if (stat(out, &a) != 0 || stat(in, &b) != 0 || !S_ISREG(a.st_mode) ||
        a.st_dev != b.st_dev || a.st_ino != b.st_ino)
        return false;
    cli_usage("%s would overwrite %s, which is read; choose another name", out,
              in);
    return true;
}

int cli_usage(const char *format, ...)
{
    va_list args;

    fputs("yoke: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return CLI_USAGE;
}

int cmd_version(int argc, char **argv)
{
    (void)argc, (void)argv;
    printf("yoke %s\n", yoke_version());
    return CLI_OK;
}

int cli_unknown_verb(const char *name)
{
    cli_near near = { .wanted = name };

    for (const cli_verb *v = cli_verbs; v->name; v++)
        cli_near_try(&near, v->name);
    if (near.best)
        return cli_usage("there is no command \"%s\"; did you mean \"%s\"?",
                         name, near.best);
    if (strchr(name, '.') || strchr(name, '/'))
        return cli_usage("there is no command \"%s\"; did you mean yoke run "
                         "%s?",
                         name, name);
    if (name[0] == '-')
        return cli_usage("\"%s\" stands before the command; options stand "
                         "behind it: yoke run SYSTEM %s ...",
                         name, name);
    return cli_usage("there is no command \"%s\"; see yoke help", name);
}

static int run_verb(int argc, char **argv)
{
    if (argc < 2) {
        cmd_help(0, NULL);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return cmd_help(0, NULL);
    if (strcmp(argv[1], "--version") == 0) return cmd_version(0, NULL);
    cli_remember(argc, argv);
    for (const cli_verb *v = cli_verbs; v->name; v++) {
        if (strcmp(argv[1], v->name) != 0) continue;
        for (int i = 2; i < argc; i++)
            if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
                return cmd_help(i + 1 < argc ? 3 : 2,
                                (char *[]){ argv[0], argv[1], argv[i + 1] });
        return v->run(argc - 1, argv + 1);
    }
    return cli_unknown_verb(argv[1]);
}

int cli_main(int argc, char **argv)
{
    cli_signals();
    return cli_finish(run_verb(argc, argv));
}
