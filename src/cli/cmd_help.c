/* cli/cmd_help.c -- yoke help [VERB]. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static void print_steppers(void)
{
    const char *name = NULL, *text = NULL;

    puts("\nSteppers (--stepper):");
    for (int i = 0; yoke_stepper_list(i, &name, &text); i++)
        printf("  %-15s %s\n", name, text);
}

static int verb_help(const cli_verb *v)
{
    printf("yoke %s %s\n  %s\n", v->name, v->arguments, v->text);
    if (v->run == cmd_run || v->run == cmd_check) {
        puts("\nOptions [default]:");
        cli_print_options(false);
        print_steppers();
    }
    if (v->run == cmd_run)
        puts("\n  --json          print the summary as JSON\n"
             "  --quiet         print nothing but errors\n"
             "\nAliases: --stop-time --start-time --output-file --tolerance");
    if (v->run == cmd_report)
        puts(
            "\n  -o FILE         page, .html [the result's name with .html]\n"
            "  --title TEXT    [the name of the system or of the file]\n"
            "  --variables N   columns of the result, at most [200]\n"
            "  --points N      points per variable, at most [5000]\n"
            "\nyoke run with --output name.h5 --iterates true records all that "
            "a\nreport can show.");
    if (v->run == cmd_plot)
        puts(
            "\n  -o FILE         picture, .png or .svg [the result's name with "
            ".png]\n"
            "  -v NAMES        columns, separated by commas [all, at most 8]\n"
            "  --table NAME    result or coupling [result]\n"
            "  --log           logarithmic vertical axis\n"
            "  --title TEXT");
    return CLI_OK;
}

int cmd_help(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--roff") == 0) {
        cli_print_options(true);
        return CLI_OK;
    }
    for (const cli_verb *v = cli_verbs; argc > 1 && v->name; v++)
        if (strcmp(argv[1], v->name) == 0) return verb_help(v);
    if (argc > 1) return cli_usage("there is no command \"%s\"", argv[1]);
    printf("yoke %s: coupled systems by dynamic iteration\n\n"
           "usage: yoke COMMAND ...\n\n",
           yoke_version());
    for (const cli_verb *v = cli_verbs; v->name; v++)
        printf("  %-8s %-36s %s\n", v->name, v->arguments, v->text);
    puts("\nyoke help COMMAND tells its options.");
    return CLI_OK;
}
