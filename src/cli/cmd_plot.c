/* cli/cmd_plot.c -- yoke plot RESULT... */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 16, MOST_CURVES = 64, MOST_BY_DEFAULT = 8 };

typedef struct picture {
    int files, curves;
    yoke_table *table[MOST_FILES];
    yoke_curve curve[MOST_CURVES];
    char label[MOST_CURVES][128];
} picture;

static void add_curve(picture *p, int file, int column, const char *path)
{
    if (p->curves++ >= MOST_CURVES) return; /* refused later */
    const yoke_table *t = p->table[file];
    char *label = p->label[p->curves - 1];
    if (p->files > 1)
        snprintf(label, sizeof p->label[0], "%.60s (%.60s)", t->name[column],
                 path);
    else
        snprintf(label, sizeof p->label[0], "%.120s", t->name[column]);
    p->curve[p->curves - 1] = (yoke_curve){ t, column, label };
}

/* The next name of a list, ended by a comma that stands in no bracket, as that
 * of v(a,b) does; NULL: there is no other. */
static char *next_name(char **rest)
{
    char *name = *rest + strspn(*rest, ","), *end = name;

    for (int depth = 0; *end && (*end != ',' || depth > 0); end++)
        depth += *end == '(' || *end == '['   ? 1
                 : *end == ')' || *end == ']' ? -1
                                              : 0;
    if (end == name) return NULL;
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return name;
}

static int choose(picture *p, int file, const char *path, const char *names)
{
    const yoke_table *t = p->table[file];
    char *copy = NULL, *rest = NULL;

    if (!names) {
        for (int c = 1; c < t->cols && c <= MOST_BY_DEFAULT; c++)
            add_curve(p, file, c, path);
        return CLI_OK;
    }
    copy = malloc(strlen(names) + 1);
    if (!copy) return CLI_FAILED;
    strcpy(copy, names);
    rest = copy;
    for (char *word; (word = next_name(&rest));) {
        const int c = yoke_table_find(t, word);
        if (c < 0) {
            const int status =
                cli_usage("%s has no column \"%s\"; see yoke info", path, word);
            free(copy);
            return status;
        }
        add_curve(p, file, c, path);
    }
    free(copy);
    return CLI_OK;
}

/* result.csv -> result.png */
static void default_picture(char *out, size_t room, const char *path)
{
    const char *dot = strrchr(path, '.');
    const int length = dot ? (int)(dot - path) : (int)strlen(path);

    snprintf(out, room, "%.*s.png", length, path);
}

static int draw(picture *p, int argc, char **argv, const char *table,
                const char *names, const char *path,
                const yoke_plot_options *options)
{
    yoke_err err = { YOKE_OK, "" };

    if (argc - 1 > MOST_FILES)
        return cli_usage("plot: %d files; at most %d are permitted", argc - 1,
                         MOST_FILES);
    p->files = argc - 1;
    for (int i = 0; i < p->files; i++) {
        if (yoke_table_read(&p->table[i], argv[i + 1], table, &err) != YOKE_OK)
            return cli_fail(&err);
        const int status = choose(p, i, argv[i + 1], names);
        if (status != CLI_OK) return status;
    }
    if (p->curves > MOST_CURVES)
        return cli_usage("plot: %d curves; at most %d are permitted; choose "
                         "with -v",
                         p->curves, MOST_CURVES);
    if (yoke_plot(path, p->curves, p->curve, options, &err) != YOKE_OK)
        return cli_fail(&err);
    printf("picture: %s\n", path);
    return CLI_OK;
}

int cmd_plot(int argc, char **argv)
{
    picture p = { 0 };
    char path[1024];
    cli_take_trust(&argc, argv);
    const char *out = cli_value(&argc, argv, "-o");
    const char *names = cli_value(&argc, argv, "-v");
    const char *table = cli_value(&argc, argv, "--table");
    const char *title = cli_value(&argc, argv, "--title");
    const char *profile = cli_value(&argc, argv, "--profile");
    const char *at = cli_value(&argc, argv, "--at");
    const char *field = cli_value(&argc, argv, "--field");
    const yoke_plot_options options = {
        .title = title,
        .x_label = table && strcmp(table, "coupling") == 0 ? "window" : "time",
        .log_y = cli_flag(&argc, argv, "--log"),
    };

    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-')
            return cli_usage("plot: there is no option \"%s\"", argv[i]);
    if (argc < 2) return cli_usage("plot: name a result file");
    if ((out && !out[0]) || (names && !names[0]) || (table && !table[0]) ||
        (title && !title[0]) || (profile && !profile[0]) || (at && !at[0]))
        return cli_usage("plot: -o, -v, --table, --title, --profile and --at "
                         "need a value");
    default_picture(path, sizeof path, argv[1]);
    for (int i = 1; i < argc; i++)
        if (cli_overwrites(out ? out : path, argv[i])) return CLI_USAGE;
    if (field && out && !cli_ends_in(out, ".svg"))
        return cli_usage("plot: --field makes a picture NAME.svg, not \"%s\"",
                         out);
    if (field)
        return argc == 3 && out && field[0]
                   ? cli_plot_field(argv[1], argv[2], field, at, out)
                   : cli_usage("plot: --field needs a result, its system and "
                               "a picture: yoke plot RESULT SYSTEM --field "
                               "NAME --at TIME -o FILE.svg");
    if (profile && (argc > 2 || names || table))
        return cli_usage("plot: --profile is for one file, without -v and "
                         "--table");
    if (at && !profile)
        return cli_usage("plot: --at is for --profile and --field");
    if (profile)
        return cli_plot_profile(argv[1], profile, at, out ? out : path,
                                &options);
    const int status = draw(&p, argc, argv, table ? table : "result", names,
                            out ? out : path, &options);
    for (int i = 0; i < p.files; i++) yoke_table_free(p.table[i]);
    return status;
}
