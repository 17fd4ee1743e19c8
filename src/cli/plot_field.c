/* cli/plot_field.c -- yoke plot RESULT --field NAME: a magnetic field at one
 * time, from the currents of its windings in the result. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WINDINGS = 64 };

/* The row nearest to a time. */
static int row_at(const yoke_table *t, double at)
{
    int best = 0;

    for (int k = 1; k < t->rows; k++)
        if (fabs(t->value[(size_t)k * (size_t)t->cols] - at) <=
            fabs(t->value[(size_t)best * (size_t)t->cols] - at))
            best = k;
    return best;
}

/* The current of each winding, "NAME.winding.i"; inputs are "winding.v". */
static int find_currents(const yoke_table *t, int row, const char *name,
                         const yoke_system_info *f, double *current)
{
    for (int j = 0; j < f->m && j < MOST_WINDINGS; j++) {
        char column[300];
        const char *dot = strrchr(f->u_name[j], '.');
        const int length = dot ? (int)(dot - f->u_name[j]) : 0;
        snprintf(column, sizeof column, "%.100s.%.*s.i", name,
                 length < 180 ? length : 180, f->u_name[j]);
        const int c = yoke_table_find(t, column);
        if (c < 0)
            return cli_usage("plot: the result has no column \"%s\"", column);
        current[j] = t->value[(size_t)row * (size_t)t->cols + (size_t)c];
    }
    return CLI_OK;
}

static int draw(const yoke_table *t, yoke_model *model, const char *name,
                const char *at, const char *out)
{
    yoke_graph *graph = yoke_model_graph(model);
    const int node = yoke_graph_find(graph, name);
    double current[MOST_WINDINGS] = { 0.0 };
    yoke_err err = { YOKE_OK, "" };
    char title[200], *end = NULL;
    const double time = at ? strtod(at, &end) : INFINITY;

    if (at && (end == at || *end))
        return cli_usage("plot: --at needs one time for --field");
    if (node < 0)
        return cli_usage("plot: the system has no subsystem \"%s\"", name);
    yoke_system *system = yoke_graph_system(graph, node);
    if (t->rows < 1) return cli_usage("plot: the result is empty");
    const int row = at ? row_at(t, time) : t->rows - 1;
    const int status =
        find_currents(t, row, name, yoke_system_facts(system), current);
    if (status != CLI_OK) return status;
    snprintf(title, sizeof title, "%.100s, t = %.6g", name,
             t->value[(size_t)row * (size_t)t->cols]);
    if (yoke_field_draw(system, current, title, out, &err) != YOKE_OK)
        return cli_fail(&err);
    printf("picture: %s\n", out);
    return CLI_OK;
}

int cli_plot_field(const char *path, char *system, const char *name,
                   const char *at, const char *out)
{
    char verb[] = "plot";
    char *words[] = { verb, system, NULL };
    int count = 2;
    yoke_err err = { YOKE_OK, "" };
    yoke_table *t = NULL;
    cli_system s = { .name = NULL };

    if (yoke_table_read(&t, path, "result", &err) != YOKE_OK)
        return cli_fail(&err);
    int status = cli_load(&s, &count, words);
    if (status == CLI_OK) status = draw(t, s.model, name, at, out);
    cli_unload(&s);
    yoke_table_free(t);
    return status;
}
