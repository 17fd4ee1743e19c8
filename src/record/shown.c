/* record/shown.c -- the columns of the result file.
 *
 * They are the columns of the record, unless there are aliases among them: an
 * alias is a factor times a column of the record, which need not be shown
 * itself, or a constant.
 */
#include "base/near.h"
#include "record/record.h"

#include "model/names.h"
#include "yoke/optional.h"

#include <string.h>
#include <stdio.h>

static int find_column(const yk_record *r, int node, int index)
{
    for (int k = 0; k < r->columns; k++)
        if (r->column[k].node == node && !r->column[k].is_output &&
            r->column[k].index == index)
            return k;
    return -1;
}

/* It may be an output at the same time. */
static bool is_shown(const yk_record *r, const char *name)
{
    for (int k = 0; k < r->shows; k++)
        if (strcmp(r->shown[k].name, name) == 0) return true;
    return false;
}

static bool wanted(const yk_record *r, const char *name)
{
    const char *list = r->options->record;

    if (yk_listed(list, name)) return true;
    return r->options->aliases && (!list[0] || yk_glob_any(list, name));
}

/* Takes `name`. */
static void show(yk_record *r, char *name, const char *unit, int column,
                 double factor)
{
    r->shown[r->shows++] = (yk_record_shown){ name, unit, column, factor };
}

/* The column that has an unknown; it is made if there is none, and then not
 * shown. */
static yoke_status column_of(yk_record *r, int node, int index, int *out,
                             yoke_err *err)
{
    const yoke_system *s = yoke_graph_system(r->graph, node);

    *out = find_column(r, node, index);
    if (*out >= 0) return YOKE_OK;
    YK_TRY(yk_dotted_name(&r->name[r->columns], s,
                          yoke_system_facts(s)->x_name[index], err));
    *out = r->columns;
    r->column[r->columns++] =
        (yk_record_column){ .node = node, .index = index };
    return YOKE_OK;
}

static yoke_status show_aliases(yk_record *r, int node, yoke_err *err)
{
    const yoke_system *s = yoke_graph_system(r->graph, node);
    const yoke_aliases *a = yoke_system_facts(s)->aliases;

    for (int k = 0; a && k < a->count; k++) {
        char *name = NULL;
        int column = -1;
        YK_TRY(yk_dotted_name(&name, s, a->name[k], err));
        if (!wanted(r, name) || is_shown(r, name)) {
            yk_free(name);
            continue;
        }
        const yoke_status status =
            a->unknown[k] < 0 ? YOKE_OK
                              : column_of(r, node, a->unknown[k], &column, err);
        if (status != YOKE_OK) {
            yk_free(name);
            return status;
        }
        show(r, name, a->unit[k] ? a->unit[k] : "", column, a->factor[k]);
    }
    return YOKE_OK;
}

int yk_shown_most(const yk_record *r)
{
    int most = 0;

    for (int i = 0; i < yoke_graph_count(r->graph); i++) {
        const yoke_aliases *a =
            yoke_system_facts(yoke_graph_system(r->graph, i))->aliases;
        most += a ? a->count : 0;
    }
    return most;
}

yoke_status yk_shown_choose(yk_record *r, yoke_err *err)
{
    const int own = r->columns;

    YK_TRY(YK_NEW(&r->shown, own + yk_shown_most(r), err));
    for (int k = 0; k < own; k++) {
        char *name = NULL;
        YK_TRY(yk_copy_text(&name, r->name[k], err));
        show(r, name, yk_record_unit(r, k), k, 1.0);
    }
    for (int i = 0; i < yoke_graph_count(r->graph); i++)
        YK_TRY(show_aliases(r, i, err));
    return YK_NEW(&r->shown_row, r->shows + 1, err);
}

static void try_names(const char *word, const yoke_system *s, int count,
                      const char *const *name, char best[100], int *distance)
{
    char full[200];

    for (int k = 0; k < count; k++) {
        snprintf(full, sizeof full, "%s.%s", yoke_system_name(s), name[k]);
        const int d = yk_word_distance(word, full);
        if (d >= *distance || strlen(full) >= 100) continue;
        *distance = d;
        memcpy(best, full, strlen(full) + 1);
    }
}

/* The variable whose name is nearest, if there is one that is near. */
static void suggest(const yk_record *r, yoke_err *err)
{
    const char *word = r->options->record;
    int distance = 3;
    char best[100] = "";

    if (strlen(word) > 60 || strpbrk(word, " *?,")) return;
    for (int i = 0; i < yoke_graph_count(r->graph); i++) {
        const yoke_system *s = yoke_graph_system(r->graph, i);
        const yoke_system_info *f = yoke_system_facts(s);
        try_names(word, s, f->n, f->x_name, best, &distance);
        try_names(word, s, f->p, f->y_name, best, &distance);
    }
    if (best[0]) yk_suffix(err, "; did you mean \"%s\"?", best);
}

yoke_status yk_shown_check(const yk_record *r, yoke_err *err)
{
    char **name = NULL;

    YK_TRY(YK_NEW(&name, r->shows, err));
    for (int k = 0; k < r->shows; k++) name[k] = r->shown[k].name;
    const yoke_status status = yk_check_patterns(
        r->options->record, r->shows, name, "record", "variable", err);
    yk_free(name);
    if (status == YOKE_E_ARG) suggest(r, err);
    return status;
}

const double *yk_shown_row(yk_record *r, const double *row)
{
    r->shown_row[0] = row[0];
    for (int k = 0; k < r->shows; k++) {
        const yk_record_shown *s = &r->shown[k];
        r->shown_row[k + 1] =
            s->column < 0 ? s->factor : s->factor * row[s->column + 1];
    }
    return r->shown_row;
}

yk_statistics yk_shown_statistics(const yk_record *r, int k, double span)
{
    const yk_record_shown *s = &r->shown[k];
    const double t = r->options->start, c = s->factor;

    if (s->column < 0)
        return (yk_statistics){ c, t, c, t, c * span, c * c * span };
    yk_statistics from = r->statistics[s->column], out = from;
    if (c < 0.0) {
        out = (yk_statistics){ from.most,     from.most_at, from.least,
                               from.least_at, from.area,    from.square };
    }
    out.least *= c;
    out.most *= c;
    out.area *= c;
    out.square *= c * c;
    return out;
}

void yk_shown_free(yk_record *r)
{
    for (int k = 0; k < r->shows; k++) yk_free(r->shown[k].name);
    YK_FREE(r->shown, r->shown_row);
}
