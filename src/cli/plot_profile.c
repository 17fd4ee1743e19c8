/* cli/plot_profile.c -- yoke plot RESULT --profile NAME: the values along a
 * coordinate at some times. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TIMES = 16, TIMES = 5 };

typedef struct sight {
    yoke_table *result;
    yoke_notes *notes;
    yoke_profiles *profiles;
    const yoke_profile *profile;
    int times, rows[MOST_TIMES];
    char label[MOST_TIMES][40];
    yoke_table shape; /* coordinate, then a column for each time */
    double *value;
} sight;

static double time_of(const sight *s, int row)
{
    return s->result->value[(size_t)row * (size_t)s->result->cols];
}

static int nearest_row(const sight *s, double t)
{
    int best = 0;

    for (int i = 1; i < s->result->rows; i++)
        if (fabs(time_of(s, i) - t) <= fabs(time_of(s, best) - t)) best = i;
    return best;
}

static void add_time(sight *s, double t)
{
    const int row = nearest_row(s, t);

    s->rows[s->times] = row;
    snprintf(s->label[s->times], sizeof s->label[0], "t = %.6g",
             time_of(s, row));
    s->times++;
}

static int choose_times(sight *s, const char *at)
{
    const int rows = s->result->rows;
    const double begin = time_of(s, 0), end = time_of(s, rows - 1);

    for (int k = 0; !at && k < TIMES; k++)
        add_time(s, begin + (end - begin) * k / (TIMES - 1));
    while (at && *at) {
        char *rest = NULL;
        const double t = strtod(at, &rest);
        if (rest == at || (*rest && *rest != ',') || !(t >= begin && t <= end))
            return cli_usage("plot: --at needs times between %g and %g, "
                             "separated by commas",
                             begin, end);
        if (s->times == MOST_TIMES)
            return cli_usage("plot: --at takes at most %d times", MOST_TIMES);
        add_time(s, t);
        at = *rest ? rest + 1 : rest;
    }
    return CLI_OK;
}

static int find_profile(sight *s, const char *name, const char *path)
{
    char known[400] = "";
    size_t used = 0;

    for (int i = 0; i < s->profiles->count; i++) {
        const yoke_profile *p = &s->profiles->profile[i];
        if (strcmp(p->name, name) == 0) s->profile = p;
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                     i ? ", " : "; there are: ", p->name);
    }
    if (s->profile) return CLI_OK;
    return cli_usage("%s has no profile \"%s\"%s", path, name, known);
}

/* Points whose column is not in the result are left out. */
static void fill(sight *s)
{
    const yoke_profile *p = s->profile;
    const int cols = 1 + s->times;

    s->shape = (yoke_table){ .cols = cols, .value = s->value };
    for (int i = 0; i < p->points; i++) {
        const int c =
            p->variable[i] ? yoke_table_find(s->result, p->variable[i]) : 0;
        double *row = s->value + s->shape.rows * cols;
        if (c < 0) continue;
        row[0] = p->at[i];
        for (int k = 0; k < s->times; k++)
            row[k + 1] =
                p->variable[i]
                    ? s->result
                          ->value[(size_t)s->rows[k] * (size_t)s->result->cols +
                                  (size_t)c]
                    : 0.0;
        s->shape.rows++;
    }
}

static int paint(sight *s, const char *out, const yoke_plot_options *given)
{
    const yoke_profile *p = s->profile;
    yoke_plot_options options = *given;
    yoke_curve curve[MOST_TIMES];
    yoke_err err = { YOKE_OK, "" };
    char x_label[100], y_label[100];

    snprintf(x_label, sizeof x_label,
             p->along_unit[0] ? "%.40s [%.40s]" : "%.40s%.40s", p->along,
             p->along_unit);
    snprintf(y_label, sizeof y_label,
             p->unit[0] ? "%.40s [%.40s]" : "%.40s%.40s", p->label, p->unit);
    options.x_label = x_label;
    options.y_label = y_label;
    if (!options.title) options.title = p->name;
    for (int k = 0; k < s->times; k++)
        curve[k] = (yoke_curve){ .table = &s->shape,
                                 .column = k + 1,
                                 .label = s->label[k] };
    if (yoke_plot(out, s->times, curve, &options, &err) != YOKE_OK)
        return cli_fail(&err);
    printf("picture: %s\n", out);
    return CLI_OK;
}

static int draw(sight *s, const char *path, const char *name, const char *at,
                const char *out, const yoke_plot_options *options)
{
    yoke_err err = { YOKE_OK, "" };

    if (yoke_table_read(&s->result, path, "result", &err) != YOKE_OK ||
        yoke_notes_read(&s->notes, path, &err) != YOKE_OK ||
        yoke_profiles_read(&s->profiles, s->notes, &err) != YOKE_OK)
        return cli_fail(&err);
    int status = find_profile(s, name, path);
    if (status != CLI_OK) return status;
    if (s->result->rows == 0) return cli_usage("%s has no rows", path);
    status = choose_times(s, at);
    if (status != CLI_OK) return status;
    s->value = malloc((size_t)s->profile->points * (size_t)(1 + s->times) *
                      sizeof *s->value);
    if (!s->value) return CLI_FAILED;
    fill(s);
    return paint(s, out, options);
}

int cli_plot_profile(const char *path, const char *name, const char *at,
                     const char *out, const yoke_plot_options *options)
{
    sight s = { 0 };
    const int status = draw(&s, path, name, at, out, options);

    free(s.value);
    yoke_profiles_free(s.profiles);
    yoke_notes_free(s.notes);
    yoke_table_free(s.result);
    return status;
}
