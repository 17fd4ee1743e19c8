/* cli/cmd_report.c -- yoke report RESULT [-o PAGE], and the notes a run leaves
 * for it. */
#define _POSIX_C_SOURCE 200112L
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_PICTURES = 32 };

static char command[2048];

void cli_remember(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    size_t used = 0;

    for (int i = 0; i < argc && used < sizeof command; i++) {
        const char *word = i == 0 && slash ? slash + 1 : argv[i];
        const char *quote =
            word[0] == '\0' || strpbrk(word, " \t\n*?;&|<>()$\"\\") ? "'" : "";
        const int n = snprintf(command + used, sizeof command - used,
                               "%s%s%s%s", i ? " " : "", quote, word, quote);
        used += n > 0 ? (size_t)n : sizeof command;
    }
}

yoke_status cli_note_run(yoke_run *run, const char *system, yoke_err *err)
{
    char date[64];
    struct tm calendar;
    const time_t now = time(NULL);

    yoke_status status = yoke_run_note(run, "command", command, err);
    if (status == YOKE_OK && system)
        status = yoke_run_note(run, "system", system, err);
    if (status == YOKE_OK && gmtime_r(&now, &calendar) &&
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &calendar) > 0)
        status = yoke_run_note(run, "date", date, err);
    return status;
}

/* A whole number from `least`; the text may be NULL: 0. */
static bool read_count(const char *text, int least, int *out)
{
    char *end = NULL;

    *out = 0;
    if (!text) return true;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < least || value > INT_MAX)
        return false;
    *out = (int)value;
    return true;
}

/* result.h5 -> result.html */
static void default_page(char *out, size_t room, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    const int length = dot ? (int)(dot - path) : (int)strlen(path);

    snprintf(out, room, "%.*s.html", length, path);
}

int cmd_report(int argc, char **argv)
{
    char path[1024];
    yoke_err err = { YOKE_OK, "" };
    yoke_report_options options = { .title = NULL };
    const char *picture[MOST_PICTURES];
    const char *out = cli_value(&argc, argv, "-o");
    const char *variables = cli_value(&argc, argv, "--variables");
    const char *points = cli_value(&argc, argv, "--points");

    options.title = cli_value(&argc, argv, "--title");
    options.picture = picture;
    for (const char *file; (file = cli_value(&argc, argv, "--picture"));) {
        if (!file[0] || options.pictures == MOST_PICTURES)
            return cli_usage("report: --picture needs a file; at most %d",
                             MOST_PICTURES);
        picture[options.pictures++] = file;
    }
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-') return cli_unknown_option("report", argv[i]);
    if (argc != 2) return cli_usage("report: name one result file");
    if ((out && !out[0]) || (options.title && !options.title[0]))
        return cli_usage("report: -o and --title need a value");
    if (!read_count(variables, 1, &options.variables))
        return cli_usage("report: --variables needs a number, at least 1");
    if (!read_count(points, 10, &options.points))
        return cli_usage("report: --points needs a number, at least 10");
    default_page(path, sizeof path, argv[1]);
    if (!out) out = path;
    if (cli_overwrites(out, argv[1])) return CLI_USAGE;
    for (int i = 0; i < options.pictures; i++)
        if (cli_overwrites(out, picture[i])) return CLI_USAGE;
    if (yoke_report_write(argv[1], out, &options, &err) != YOKE_OK)
        return cli_fail(&err);
    printf("report: %s\n", out);
    return CLI_OK;
}
