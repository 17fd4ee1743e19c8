/* cli/analyses.c -- .op, .dc and .ac of a netlist: printed, or written beside
 * the result of the run. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static yoke_status write_table(const char *path, const yoke_table *t,
                               yoke_err *err)
{
    yoke_writer *writer = NULL;
    int id = -1;

    yoke_status status = yoke_writer_create(&writer, path, err);
    if (status != YOKE_OK) return status;
    status = yoke_writer_table(writer, "result", t->cols,
                               (const char *const *)t->name, NULL, &id, err);
    for (int i = 0; status == YOKE_OK && i < t->rows; i++)
        status = yoke_writer_row(writer, id,
                                 t->value + (size_t)i * (size_t)t->cols, err);
    const yoke_status closed =
        yoke_writer_close(writer, status == YOKE_OK ? err : NULL);
    return status == YOKE_OK ? closed : status;
}

static void print_point(const yoke_table *t)
{
    puts("Operating point:");
    for (int k = 1; k < t->cols; k++)
        printf("  %-24s % .10g\n", t->name[k], t->value[k]);
}

static int one(yoke_file *file, int i, const yoke_analysis *a,
               const char *output, bool quiet)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_table *t = NULL;
    char path[1100];

    if (yoke_file_analyse(file, i, &t, &err) != YOKE_OK) return cli_fail(&err);
    int status = CLI_OK;
    if (!quiet && strcmp(a->kind, "op") == 0) print_point(t);
    if (output[0]) {
        name_result(output, a->kind, path, sizeof path);
        if (write_table(path, t, &err) != YOKE_OK)
            status = cli_fail(&err);
        else if (!quiet)
            printf("%s: %d %s, result: %s\n", a->kind, t->rows,
                   t->rows == 1 ? "point" : "points", path);
    } else if (!quiet && strcmp(a->kind, "op") != 0)
        printf("%s: %d points; --output name.csv or name.raw writes them\n",
               a->kind, t->rows);
    yoke_table_free(t);
    return status;
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

int cli_analyses(yoke_file *file, const char *output, bool quiet)
{
    yoke_analysis a;
    int status = CLI_OK;

    for (int i = 0; status == CLI_OK && yoke_file_analysis_at(file, i, &a); i++)
        status = one(file, i, &a, output, quiet);
    return status;
}
