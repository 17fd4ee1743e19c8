/* cli/cmd_plot.c -- yoke plot RESULT... */
#include "cli/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_curve(cli_picture *p, int file, int column, const char *path)
{
    if (p->curves++ >= CLI_PLOT_CURVES) return; /* refused later */
    const yoke_table *t = p->table[file];
    char *label = p->label[p->curves - 1];
    if (p->files > 1)
        snprintf(label, sizeof p->label[0], "%.60s (%.60s)", t->name[column],
                 path);
    else
        snprintf(label, sizeof p->label[0], "%.120s", t->name[column]);
    p->curve[p->curves - 1] =
        (yoke_curve){ .table = t, .column = column, .label = label };
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

/* `*` stands for any text, `?` for one letter. */
static bool matches(const char *pattern, const char *name)
{
    for (; *pattern; pattern++, name++) {
        if (*pattern == '*') {
            for (;; name++) {
                if (matches(pattern + 1, name)) return true;
                if (!*name) return false;
            }
        }
        if (!*name || (*pattern != '?' && *pattern != *name)) return false;
    }
    return !*name;
}

static bool is_shown(const cli_picture *p, const yoke_table *t, int column)
{
    for (int i = 0; i < p->curves && i < CLI_PLOT_CURVES; i++)
        if (p->curve[i].table == t && p->curve[i].column == column) return true;
    return false;
}

static int choose_named(cli_picture *p, int file, const char *path,
                        const char *word)
{
    const yoke_table *t = p->table[file];
    const int exact = yoke_table_find(t, word);
    bool any = exact >= 0;

    if (exact >= 0) add_curve(p, file, exact, path);
    for (int c = 1; exact < 0 && c < t->cols; c++) {
        if (!matches(word, t->name[c])) continue;
        any = true;
        if (!is_shown(p, t, c)) add_curve(p, file, c, path);
    }
    if (any) return CLI_OK;
    cli_near near = { .wanted = word };
    for (int c = 1; c < t->cols; c++) cli_near_try(&near, t->name[c]);
    if (near.best)
        return cli_usage("%s has no column \"%s\"; did you mean \"%s\"?", path,
                         word, near.best);
    return strpbrk(word, "*?")
               ? cli_usage("%s has no column that fits \"%s\"; see yoke info",
                           path, word)
               : cli_usage("%s has no column \"%s\"; see yoke info", path,
                           word);
}

static int choose(cli_picture *p, int file, const char *path, const char *names)
{
    int column[CLI_PLOT_CURVES], status = CLI_OK;

    if (!names) {
        const int count = cli_plot_usual(p, file, path, column);
        for (int k = 0; k < count; k++) add_curve(p, file, column[k], path);
        if (count < p->table[file]->cols - 1)
            printf("%s: %d of %d variables; -v NAMES chooses others\n", path,
                   count, p->table[file]->cols - 1);
        return CLI_OK;
    }
    char *copy = malloc(strlen(names) + 1);
    if (!copy) return CLI_FAILED;
    strcpy(copy, names);
    char *rest = copy;
    for (char *word; status == CLI_OK && (word = next_name(&rest));)
        status = choose_named(p, file, path, word);
    free(copy);
    return status;
}

/* The x axis of each curve. */
static int choose_x(cli_picture *p, const char *x, char **path)
{
    for (int i = 0; i < p->curves; i++) {
        yoke_curve *c = &p->curve[i];
        const int column = yoke_table_find(c->table, x);
        int file = 0;
        while (p->table[file] != c->table) file++;
        if (column < 0)
            return cli_usage("%s has no column \"%s\" for --x; see yoke info",
                             path[file], x);
        c->x_column = column;
    }
    return CLI_OK;
}

/* result.csv -> result.png */
static void default_picture(char *out, size_t room, const char *path)
{
    const char *dot = strrchr(path, '.');
    const int length = dot ? (int)(dot - path) : (int)strlen(path);

    snprintf(out, room, "%.*s.png", length, path);
}

/* --from and --to. */
static int take_range(int *argc, char **argv, cli_picture *p)
{
    static const char *const name[] = { "--from", "--to" };
    double *const to[] = { &p->from, &p->to };
    const char *text[2];

    for (int k = 0; k < 2; k++) text[k] = cli_value(argc, argv, name[k]);
    if (!text[0] && !text[1]) return CLI_OK;
    p->from = -INFINITY;
    p->to = INFINITY;
    for (int k = 0; k < 2; k++) {
        if (text[k] && !cli_seconds(text[k], to[k]))
            return cli_usage("plot: %s needs a time, 0.1 or 100ms, not \"%s\"",
                             name[k], text[k]);
    }
    if (p->from < p->to) return CLI_OK;
    return cli_usage("plot: --from %g is not before --to %g", p->from, p->to);
}

/* Moves a row along the line to the next one, to the time t. */
static void move_row(double *row, const double *next, int cols, double t)
{
    const double part = (t - row[0]) / (next[0] - row[0]);

    for (int k = 1; k < cols; k++) row[k] += part * (next[k] - row[k]);
    row[0] = t;
}

/* Keeps a part of the time, with the lines that lead into it and out of it. */
static int cut_rows(yoke_table *t, const cli_picture *p, const char *path)
{
    const size_t cols = (size_t)t->cols;
    double *const all = t->value;
    int first = 0, last = t->rows - 1;

    if (p->from == p->to) return CLI_OK;
    if (!(all[0] < p->to && all[(size_t)last * cols] > p->from))
        return cli_usage("%s has nothing from %g to %g: it is from %g to %g",
                         path, p->from, p->to, all[0],
                         all[(size_t)last * cols]);
    while (first < last && all[(size_t)(first + 1) * cols] <= p->from) first++;
    while (last > first && all[(size_t)(last - 1) * cols] >= p->to) last--;
    double *const begin = all + (size_t)first * cols;
    double *const end = all + (size_t)last * cols;
    if (end[0] > p->to) { /* towards the row before, which stays */
        double *const before = end - cols;
        move_row(end, before, t->cols, p->to);
    }
    if (begin[0] < p->from && last > first)
        move_row(begin, begin + cols, t->cols, p->from);
    t->rows = last - first + 1;
    memmove(all, begin, (size_t)t->rows * cols * sizeof *all);
    return CLI_OK;
}

/* The name of the system, where all results are of the same; else "". */
static void find_title(cli_picture *p, char **path)
{
    for (int i = 0; i < p->files; i++) {
        yoke_notes *notes = NULL;
        const char *system = NULL;
        if (yoke_notes_read(&notes, path[i], NULL) == YOKE_OK)
            system = yoke_notes_find(notes, "system");
        if (i == 0 && system)
            snprintf(p->title, sizeof p->title, "%.100s", system);
        else if (!system || strncmp(p->title, system, 100) != 0)
            p->title[0] = '\0';
        yoke_notes_free(notes);
    }
}

static int check_content(const yoke_table *t, const char *path)
{
    yoke_err err = { YOKE_E_FILE, "" };

    if (t->rows > 0 && t->cols > 1) return CLI_OK;
    snprintf(err.text, sizeof err.text,
             "%.300s has %s; there is nothing to draw", path,
             t->rows ? "no column besides the first" : "no rows");
    return cli_fail(&err);
}

static int draw(cli_picture *p, int argc, char **argv, const char *table,
                const char *names, const char *x, const char *path,
                const yoke_plot_options *options)
{
    yoke_err err = { YOKE_OK, "" };
    int status = CLI_OK;

    if (argc - 1 > CLI_PLOT_FILES)
        return cli_usage("plot: %d files; at most %d are permitted", argc - 1,
                         CLI_PLOT_FILES);
    p->files = argc - 1;
    for (int i = 0; status == CLI_OK && i < p->files; i++) {
        if (yoke_table_read(&p->table[i], argv[i + 1], table, &err) != YOKE_OK)
            return cli_fail(&err);
        status = check_content(p->table[i], argv[i + 1]);
        if (status == CLI_OK) status = cut_rows(p->table[i], p, argv[i + 1]);
        if (status == CLI_OK) status = choose(p, i, argv[i + 1], names);
    }
    if (status != CLI_OK) return status;
    if (p->curves > CLI_PLOT_CURVES)
        return cli_usage("plot: %d curves; at most %d are permitted; choose "
                         "with -v",
                         p->curves, CLI_PLOT_CURVES);
    if (x) status = choose_x(p, x, argv + 1);
    if (status != CLI_OK) return status;
    cli_plot_drop_empty(p);
    cli_plot_panels(p);
    yoke_plot_options all = *options;
    find_title(p, argv + 1);
    if (!all.title && p->title[0]) all.title = p->title;
    if (yoke_plot(path, p->curves, p->curve, &all, &err) != YOKE_OK)
        return cli_fail(&err);
    printf("picture: %s\n", path);
    return CLI_OK;
}

int cmd_plot(int argc, char **argv)
{
    cli_picture p = { 0 };
    char path[1024];
    cli_take_trust(&argc, argv);
    const char *out = cli_value(&argc, argv, "-o");
    const char *names = cli_value(&argc, argv, "-v");
    const char *table = cli_value(&argc, argv, "--table");
    const char *title = cli_value(&argc, argv, "--title");
    const char *profile = cli_value(&argc, argv, "--profile");
    const char *at = cli_value(&argc, argv, "--at");
    const char *field = cli_value(&argc, argv, "--field");
    const char *x = cli_value(&argc, argv, "--x");
    const int range = take_range(&argc, argv, &p);
    yoke_plot_options options = {
        .title = title,
        .log_y = cli_flag(&argc, argv, "--log"),
    };

    if (range != CLI_OK) return range;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-') return cli_unknown_option("plot", argv[i]);
    if (argc < 2) return cli_usage("plot: name a result file");
    if ((out && !out[0]) || (names && !names[0]) || (table && !table[0]) ||
        (title && !title[0]) || (profile && !profile[0]) || (at && !at[0]) ||
        (x && !x[0]))
        return cli_usage("plot: -o, -v, --x, --table, --title, --profile and "
                         "--at need a value");
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
    if (table && strcmp(table, "coupling") == 0 && !names) {
        names = "change,estimate,rate"; /* how every window converged */
        options.log_y = true;
        if (!x) x = "t1";
    }
    const int status = draw(&p, argc, argv, table ? table : "result", names, x,
                            out ? out : path, &options);
    for (int i = 0; i < p.files; i++) yoke_table_free(p.table[i]);
    return status;
}
