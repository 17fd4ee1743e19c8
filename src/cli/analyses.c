/* cli/analyses.c -- .op, .dc and .ac of a netlist: printed, or written beside
 * the result of the run. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_stream(const char *output)
{
    return strncmp(output, "/dev/fd/", 8) == 0;
}

/* "out.csv" becomes "out.dc.csv"; of several results the first. */
static void name_result(const char *output, const char *kind, char *path,
                        size_t room)
{
    const size_t length = strcspn(output, "\n");
    size_t dot = length;

    while (dot > 0 && output[dot - 1] != '.' && output[dot - 1] != '/') dot--;
    if (dot == 0 || output[dot - 1] != '.') dot = length + 1;
    snprintf(path, room, "%.*s.%s%.*s", (int)(dot - 1), output, kind,
             (int)(length - (dot - 1)), output + dot - 1);
}

/* Standard output takes one table: the run's, else that of the only sweep, else the
 * point's.  The others are told as without a file. */
static int choose_streamed(const yoke_file *file, int *chosen)
{
    yoke_analysis a;
    int sweeps = 0;

    *chosen = -1;
    if (yoke_file_has_run(file)) return CLI_OK;
    for (int i = 0; yoke_file_analysis_at(file, i, &a); i++) {
        const bool sweep = strcmp(a.kind, "op") != 0;
        sweeps += sweep;
        if (sweep || sweeps == 0) *chosen = i;
    }
    return sweeps <= 1 ? CLI_OK
                       : cli_usage("standard output takes one table, and there "
                                   "are %d; --output name.csv writes a file "
                                   "for each",
                                   sweeps);
}

static void print_point(const yoke_table *t)
{
    puts("Operating point:");
    for (int k = 1; k < t->cols; k++)
        printf("  %-24s % .10g\n", t->name[k], t->value[k]);
}

/* The table goes to `tables`, or is freed. */
static int keep(cli_tables *tables, yoke_table *t, const char *kind)
{
    if (!tables) {
        yoke_table_free(t);
        return CLI_OK;
    }
    if (tables->count == CLI_MOST_TABLES) {
        yoke_table_free(t);
        return cli_usage("more than %d analyses in one netlist with --json",
                         CLI_MOST_TABLES);
    }
    tables->kind[tables->count] = kind;
    tables->table[tables->count++] = t;
    return CLI_OK;
}

static int one(yoke_file *file, int i, const yoke_analysis *a,
               const char *output, bool quiet, cli_tables *tables)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_table *t = NULL;
    char path[1100];

    if (yoke_file_analyse(file, i, &t, &err) != YOKE_OK) {
        if (tables)
            snprintf(tables->error, sizeof tables->error, "%s", err.text);
        return cli_fail(&err);
    }
    int status = CLI_OK;
    if (!quiet && strcmp(a->kind, "op") == 0) print_point(t);
    if (output[0]) {
        if (is_stream(output))
            snprintf(path, sizeof path, "%s", output);
        else
            name_result(output, a->kind, path, sizeof path);
        if (yoke_table_write(t, path, &err) != YOKE_OK)
            status = cli_fail(&err);
        else if (!quiet)
            printf("%s: %d %s, result: %s\n", a->kind, t->rows,
                   t->rows == 1 ? "point" : "points",
                   is_stream(path) ? "standard output" : path);
    } else if (!quiet && strcmp(a->kind, "op") != 0)
        printf("%s: %d points; --output name.csv or name.raw writes them\n",
               a->kind, t->rows);
    const int kept = keep(tables, t, a->kind);
    return status == CLI_OK ? kept : status;
}

void cli_print_measures(const yoke_file *file, bool quiet)
{
    yoke_measured m;

    for (int i = 0; yoke_file_measured(file, i, &m); i++) {
        if (i == 0 && !quiet) puts("\nMeasures:");
        if (m.text[0]) cli_log(CLI_WARNING, "%s", m.text);
        if (quiet) continue;
        if (isfinite(m.value))
            printf("  %-24s % .10g\n", m.name, m.value);
        else
            printf("  %-24s failed\n", m.name);
    }
}

void cli_json_measures(const yoke_file *file)
{
    yoke_measured m;
    int i = 0;

    for (; yoke_file_measured(file, i, &m); i++) {
        printf(i ? ", " : ",\n \"measures\": {");
        cli_json_text(m.name);
        printf(": ");
        cli_json_number(m.value);
    }
    if (i) putchar('}');
}

static void json_row(const double *value, int count)
{
    for (int k = 0; k < count; k++) {
        printf(k ? ", " : "[");
        cli_json_number(value[k]);
    }
    putchar(']');
}

static void json_table(const char *kind, const yoke_table *t)
{
    const int first = strcmp(kind, "op") == 0; /* its scale means nothing */

    printf("{\"kind\": \"%s\", \"columns\": [", kind);
    for (int k = first; k < t->cols; k++) {
        if (k > first) printf(", ");
        cli_json_text(t->name[k]);
    }
    printf("],\n  \"rows\": [");
    for (int i = 0; i < t->rows; i++) {
        if (i) printf(",\n   ");
        json_row(t->value + (size_t)i * (size_t)t->cols + first,
                 t->cols - first);
    }
    printf("]}");
}

void cli_json_tables(const cli_tables *tables)
{
    for (int k = 0; k < tables->count; k++) {
        printf(k ? ",\n " : ",\n \"analyses\": [");
        json_table(tables->kind[k], tables->table[k]);
    }
    if (tables->count) putchar(']');
}

void cli_json_analyses(const yoke_file *file, const cli_tables *tables)
{
    printf("{\"converged\": %s,\n \"error\": ",
           tables->error[0] ? "false" : "true");
    if (tables->error[0])
        cli_json_text(tables->error);
    else
        printf("null");
    cli_json_tables(tables);
    cli_json_measures(file);
    puts("}");
}

void cli_tables_free(cli_tables *tables)
{
    for (int k = 0; k < tables->count; k++) yoke_table_free(tables->table[k]);
    tables->count = 0;
}

int cli_analyses(yoke_file *file, const char *output, bool quiet,
                 cli_tables *tables)
{
    const bool stream = is_stream(output);
    yoke_analysis a;
    int status = CLI_OK, chosen = -1;

    if (stream) status = choose_streamed(file, &chosen);
    for (int i = 0; status == CLI_OK && yoke_file_analysis_at(file, i, &a); i++)
        status = one(file, i, &a, stream && i != chosen ? "" : output, quiet,
                     tables);
    return status;
}
