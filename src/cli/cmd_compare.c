/* cli/cmd_compare.c -- yoke compare A B: differences between two results. */
#include "cli/cli.h"

#include <stdio.h>

static void print_row(const char *name, const yoke_difference *d)
{
    printf("%-24s %14.6e %14.6e %14.6e %14.9g\n", name, d->max_abs, d->max_rel,
           d->rms, d->at_time);
}

static int print_plain(const yoke_table *a, const yoke_table *b,
                       const char *b_path, yoke_err *err)
{
    printf("%-24s %14s %14s %14s %14s\n", "variable", "largest", "relative",
           "rms", "at time");
    for (int c = 1; c < a->cols; c++) {
        yoke_difference d;
        if (yoke_table_find(b, a->name[c]) < 0) {
            printf("%-24s not in %s\n", a->name[c], b_path);
            continue;
        }
        if (yoke_table_compare(a, b, a->name[c], &d, err) != YOKE_OK)
            return CLI_FAILED;
        print_row(a->name[c], &d);
    }
    return CLI_OK;
}

static void json_row(const char *name, const yoke_difference *d)
{
    printf("{\"name\": ");
    cli_json_text(name);
    printf(", \"max\": ");
    cli_json_number(d->max_abs);
    printf(", \"relative\": ");
    cli_json_number(d->max_rel);
    printf(", \"rms\": ");
    cli_json_number(d->rms);
    printf(", \"at_time\": ");
    cli_json_number(d->at_time);
    putchar('}');
}

/* The keys are those of docs/manual/json.md. */
static int print_json(const yoke_table *a, const yoke_table *b,
                      char *const *path, yoke_err *err)
{
    int count = 0;

    printf("{\"a\": ");
    cli_json_text(path[0]);
    printf(", \"b\": ");
    cli_json_text(path[1]);
    printf(",\n \"variables\": [");
    for (int c = 1; c < a->cols; c++) {
        yoke_difference d;
        if (yoke_table_find(b, a->name[c]) < 0) continue;
        if (yoke_table_compare(a, b, a->name[c], &d, err) != YOKE_OK)
            return CLI_FAILED;
        if (count++) printf(",\n  ");
        json_row(a->name[c], &d);
    }
    printf("],\n \"missing\": [");
    count = 0;
    for (int c = 1; c < a->cols; c++) {
        if (yoke_table_find(b, a->name[c]) >= 0) continue;
        if (count++) printf(", ");
        cli_json_text(a->name[c]);
    }
    puts("]}");
    return CLI_OK;
}

int cmd_compare(int argc, char **argv)
{
    const bool json = cli_flag(&argc, argv, "--json");
    yoke_err err = { YOKE_OK, "" };
    yoke_table *a = NULL, *b = NULL;
    int status = CLI_FAILED;

    if (argc != 3) return cli_usage("compare: name two result files");
    if (yoke_table_read(&a, argv[1], "result", &err) == YOKE_OK &&
        yoke_table_read(&b, argv[2], "result", &err) == YOKE_OK)
        status = json ? print_json(a, b, argv + 1, &err)
                      : print_plain(a, b, argv[2], &err);
    if (status != CLI_OK) cli_fail(&err);
    yoke_table_free(a);
    yoke_table_free(b);
    return status;
}
