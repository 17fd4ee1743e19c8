/* cli/cmd_compare.c -- yoke compare A B: differences between two results; with
 * --rtol or --atol, whether they agree. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct comparison {
    const yoke_table *a, *b;
    char *const *path; /* of both */
    bool judges;       /* a tolerance was given */
    double rtol, atol;
    int count[3]; /* columns by outcome */
    int common;   /* columns of both */
    bool covered;
} comparison;

static const char *const words[] = {
    [YOKE_PASSES] = "passes", [YOKE_FAILS] = "FAILS", [YOKE_UNCLEAR] = "UNCLEAR"
};

static void count_columns(comparison *c)
{
    for (int k = 1; k < c->a->cols; k++)
        c->common += yoke_table_find(c->b, c->a->name[k]) > 0;
}

/* One column of both. */
static yoke_status look(comparison *c, const char *name, yoke_verdict *v,
                        yoke_err *err)
{
    if (!c->judges)
        return yoke_table_compare(c->a, c->b, name, &v->difference, err);
    const yoke_status status =
        yoke_table_judge(c->a, c->b, name, c->rtol, c->atol, v, err);
    if (status != YOKE_OK) return status;
    c->count[v->outcome]++;
    c->covered = v->covered;
    return YOKE_OK;
}

/* ---- as text ------------------------------------------------------------- */

static void print_row(const comparison *c, const char *name,
                      const yoke_verdict *v)
{
    const yoke_difference *d = &v->difference;

    printf("%-24s %14.6e %14.6e %14.6e %14.9g", name, d->max_abs, d->max_rel,
           d->rms, d->at_time);
    if (c->judges) printf(" %14.6e %s", v->allowed, words[v->outcome]);
    if (c->judges && v->sides > 0)
        printf(" (%d jump%s sampled on the other side)", v->sides,
               v->sides == 1 ? "" : "s");
    if (c->judges && v->outcome == YOKE_UNCLEAR)
        printf(" (straight lines between rows are off by up to %.2g)",
               v->unsure);
    putchar('\n');
}

static void print_missing(const comparison *c)
{
    for (int k = 1; k < c->a->cols; k++)
        if (yoke_table_find(c->b, c->a->name[k]) < 1)
            printf("%-24s not in %s\n", c->a->name[k], c->path[1]);
    for (int k = 1; k < c->b->cols; k++)
        if (yoke_table_find(c->a, c->b->name[k]) < 1)
            printf("%-24s not in %s\n", c->b->name[k], c->path[0]);
}

static void print_judgement(const comparison *c)
{
    const int failed = c->count[YOKE_FAILS], unclear = c->count[YOKE_UNCLEAR];

    printf("\n%d of %d variables agree within rtol %g, atol %g",
           c->count[YOKE_PASSES], c->common, c->rtol, c->atol);
    if (failed > 0) printf("; %d do%s not", failed, failed == 1 ? "es" : "");
    if (unclear > 0)
        printf("; of %d it cannot be told: the rows are too far apart.  Write "
               "both results with the same --every, or with more rows",
               unclear);
    puts(".");
    if (!c->covered)
        printf("The results cover different times, [%.9g, %.9g] and [%.9g, "
               "%.9g]: only the common part was compared, which does not "
               "pass.\n",
               c->a->value[0],
               c->a->value[(size_t)(c->a->rows - 1) * (size_t)c->a->cols],
               c->b->value[0],
               c->b->value[(size_t)(c->b->rows - 1) * (size_t)c->b->cols]);
}

static yoke_status print_plain(comparison *c, yoke_err *err)
{
    printf("%-24s %14s %14s %14s %14s", "variable", "largest", "relative",
           "rms", "at time");
    puts(c->judges ? "        allowed verdict" : "");
    for (int k = 1; k < c->a->cols; k++) {
        yoke_verdict v = { .sides = 0 };
        if (yoke_table_find(c->b, c->a->name[k]) < 1) continue;
        const yoke_status status = look(c, c->a->name[k], &v, err);
        if (status != YOKE_OK) return status;
        print_row(c, c->a->name[k], &v);
    }
    print_missing(c);
    if (c->judges) print_judgement(c);
    return YOKE_OK;
}

/* ---- as JSON ------------------------------------------------------------- */

static void json_number(const char *key, double value)
{
    printf(", \"%s\": ", key);
    cli_json_number(value);
}

static void json_row(const comparison *c, const char *name,
                     const yoke_verdict *v)
{
    static const char *const outcome[] = { [YOKE_PASSES] = "pass",
                                           [YOKE_FAILS] = "fail",
                                           [YOKE_UNCLEAR] = "unclear" };

    printf("{\"name\": ");
    cli_json_text(name);
    json_number("max", v->difference.max_abs);
    json_number("relative", v->difference.max_rel);
    json_number("rms", v->difference.rms);
    json_number("at_time", v->difference.at_time);
    if (c->judges) {
        json_number("allowed", v->allowed);
        json_number("unsure", v->unsure);
        printf(", \"sides\": %d, \"verdict\": \"%s\"", v->sides,
               outcome[v->outcome]);
    }
    putchar('}');
}

static void json_missing(const char *key, const yoke_table *a,
                         const yoke_table *b)
{
    int count = 0;

    printf(",\n \"%s\": [", key);
    for (int k = 1; k < a->cols; k++) {
        if (yoke_table_find(b, a->name[k]) >= 1) continue;
        if (count++) printf(", ");
        cli_json_text(a->name[k]);
    }
    putchar(']');
}

static bool agrees(const comparison *c)
{
    return c->count[YOKE_PASSES] == c->common && c->covered;
}

/* The keys are those of docs/manual/json.md. */
static yoke_status print_json(comparison *c, yoke_err *err)
{
    int count = 0;

    printf("{\"a\": ");
    cli_json_text(c->path[0]);
    printf(", \"b\": ");
    cli_json_text(c->path[1]);
    printf(",\n \"variables\": [");
    for (int k = 1; k < c->a->cols; k++) {
        yoke_verdict v = { .sides = 0 };
        if (yoke_table_find(c->b, c->a->name[k]) < 1) continue;
        const yoke_status status = look(c, c->a->name[k], &v, err);
        if (status != YOKE_OK) return status;
        if (count++) printf(",\n  ");
        json_row(c, c->a->name[k], &v);
    }
    putchar(']');
    json_missing("missing", c->a, c->b);
    json_missing("missing_in_a", c->b, c->a);
    if (c->judges) {
        json_number("rtol", c->rtol);
        json_number("atol", c->atol);
        printf(", \"same_times\": %s, \"agree\": %s",
               c->covered ? "true" : "false", agrees(c) ? "true" : "false");
    }
    puts("}");
    return YOKE_OK;
}

/* ---- the command --------------------------------------------------------- */

static int take_tolerance(comparison *c, int *argc, char **argv,
                          const char *name, double *out)
{
    const char *text = NULL;
    char *end = NULL;

    while ((text = cli_value(argc, argv, name))) {
        *out = strtod(text, &end);
        if (end == text || *end || !(*out >= 0.0) || isinf(*out))
            return cli_usage("compare: %s = \"%s\" is not a number from 0 on",
                             name, text);
        c->judges = true;
    }
    return CLI_OK;
}

static int compare(comparison *c, bool json)
{
    yoke_err err = { YOKE_OK, "" };

    count_columns(c);
    if (c->common == 0) {
        yoke_fail(&err, YOKE_E_ARG,
                  "%s and %s have no column in common besides \"%s\": nothing "
                  "was compared; yoke info lists their columns",
                  c->path[0], c->path[1], c->a->cols > 0 ? c->a->name[0] : "");
        return cli_fail(&err);
    }
    const yoke_status status =
        json ? print_json(c, &err) : print_plain(c, &err);
    if (status != YOKE_OK) return cli_fail(&err);
    return !c->judges || agrees(c) ? CLI_OK : CLI_FAILED;
}

int cmd_compare(int argc, char **argv)
{
    const bool json = cli_flag(&argc, argv, "--json");
    comparison c = { .covered = true };
    yoke_err err = { YOKE_OK, "" };
    yoke_table *a = NULL, *b = NULL;
    int status = take_tolerance(&c, &argc, argv, "--rtol", &c.rtol);

    if (status == CLI_OK)
        status = take_tolerance(&c, &argc, argv, "--atol", &c.atol);
    if (status != CLI_OK) return status;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-') return cli_unknown_option("compare", argv[i]);
    if (argc != 3) return cli_usage("compare: name two result files");
    if (yoke_table_read(&a, argv[1], "result", &err) == YOKE_OK &&
        yoke_table_read(&b, argv[2], "result", &err) == YOKE_OK) {
        c.a = a;
        c.b = b;
        c.path = argv + 1;
        status = compare(&c, json);
    } else {
        status = cli_fail(&err);
    }
    yoke_table_free(a);
    yoke_table_free(b);
    return status;
}
