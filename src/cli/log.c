/* cli/log.c -- what is said on standard error besides failures. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

static cli_level chosen = CLI_NOTE;

bool cli_logs(cli_level level)
{
    return level <= chosen;
}

int cli_take_log_level(int *argc, char **argv)
{
    const char *value = NULL;

    while ((value = cli_value(argc, argv, "--log-level"))) {
        const int found = cli_word(CLI_LEVELS, value);
        if (found < 0)
            return cli_usage("--log-level = \"%s\" is not one of: %s", value,
                             CLI_LEVELS);
        chosen = (cli_level)found;
    }
    return CLI_OK;
}

void cli_log(cli_level level, const char *format, ...)
{
    static const char *const prefix[] = { "",
                                          "warning: ", "note: ", "debug: " };
    va_list args;

    if (!cli_logs(level)) return;
    fprintf(stderr, "yoke: %s", prefix[level]);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void cli_log_sweep(void *context, const yoke_sweep *s)
{
    (void)context;
    cli_log(CLI_DEBUG,
            "window %d, [%.9g, %.9g], sweep %d: change %.3g, rate %.3g, "
            "estimate %.3g, %d solved%s",
            s->window, s->t0, s->t1, s->sweep, s->change, s->rate, s->estimate,
            s->solved, s->accepted ? ", accepted" : "");
}
