/* comp/equation/guard.c -- watches the choice of states.
 *
 * Dummy derivatives are chosen once, at the start values.  For a pendulum
 * x^2 + y^2 = L^2 with state y the constraint gives x as long as its slope 2 x
 * is not small beside 2 y; at x = 0 the equations have a singular point, beyond
 * which an integrator may follow a wrong branch without noticing.  So the
 * constraints are asked at every evaluation: with their slopes by the unknowns
 * that were made algebraic as the matrix D, each row scaled by its largest
 * slope by any unknown, the pivots of D must not become small and the sign of
 * det D must be that of the start.  Rows that share no such unknown form groups
 * of their own.
 */
#include "comp/equation/guard.h"

#include <math.h>

/* Least pivot of a row whose largest slope is one. */
static const double least_pivot = 0.02;

enum { MOST_ROWS = 100 }; /* of a group that is watched by its determinant */

typedef struct guard_row {
    int number, instance; /* of the equation */
    int first, count;     /* of its entries */
    int group;
    char name[YK_NAME_SIZE];
} guard_row;

typedef struct guard_entry {
    int ref;     /* place in the template's list of references */
    int element; /* root */
    int column;  /* in its group's matrix; -1: a state */
} guard_entry;

typedef struct guard_group {
    int rows, columns; /* not equal: not watched */
    double sign;       /* of the determinant at the start; 0: not known */
} guard_group;

struct yk_guard {
    int rows, entries, groups, codes;
    size_t row_room, entry_room;
    guard_row *row; /* sorted by groups */
    guard_entry *entry;
    guard_group *group;
    yk_code *code; /* slopes of each equation that has a constraint */
    int *code_of;  /* of each equation, or -1 */
    double *workspace, *matrix;
};

void yk_guard_free(yk_guard *g)
{
    if (!g) return;
    for (int k = 0; g->code && k < g->codes; k++) yk_code_free(&g->code[k]);
    yk_free(g->code);
    yk_free(g->code_of);
    yk_free(g->row);
    yk_free(g->entry);
    yk_free(g->group);
    yk_free(g->workspace);
    yk_free(g->matrix);
    yk_free(g);
}

/* ---- The constraints ------------------------------------------------------
 */

static bool is_dummy(const yk_model *m, int element)
{
    return m->dummy[(size_t)element * YK_ORDERS + (size_t)m->highest[element]];
}

/* References of an instance that count: those of the highest derivative that
 * the differentiated equation determines. */
static yoke_status add_entries(yk_guard *g, const yk_model *m,
                               const yk_template *t, int instance, int c,
                               yoke_err *err)
{
    int counter[YK_FLAT_LOOPS];

    yk_counters(t, instance, counter);
    for (int r = 0; r < t->refs; r++) {
        const int e = yk_template_element(m, t, t->ref[r], counter);
        const int root = m->root[e];
        if (m->sign[e] == 0 || yk_is_input(m, root) ||
            m->pool.node[t->ref[r]].order + c != m->highest[root])
            continue;
        YK_TRY(yk_grow((void **)&g->entry, &g->entry_room,
                       (size_t)g->entries + 1, sizeof *g->entry, err));
        g->entry[g->entries++] =
            (guard_entry){ r, root, is_dummy(m, root) ? 0 : -1 };
    }
    return YOKE_OK;
}

static yoke_status add_row(yk_guard *g, const yk_model *m, int number,
                           int instance, int c, yoke_err *err)
{
    const yk_template *t = &m->equation.at[number];
    const int first = g->entries;

    YK_TRY(add_entries(g, m, t, instance, c, err));
    YK_TRY(yk_grow((void **)&g->row, &g->row_room, (size_t)g->rows + 1,
                   sizeof *g->row, err));
    guard_row *row = &g->row[g->rows++];
    *row = (guard_row){ number, instance, first, g->entries - first, 0, "" };
    yk_row_name(m, &m->equation, t->row + instance, row->name);
    return YOKE_OK;
}

static yoke_status collect(yk_guard *g, const yk_model *m, int templates,
                           const int *c, yoke_err *err)
{
    for (int i = 0; i < templates; i++) {
        const yk_template *t = &m->equation.at[i];
        for (int k = 0; k < t->instances; k++)
            if (c[t->row + k] > 0)
                YK_TRY(add_row(g, m, i, k, c[t->row + k], err));
    }
    return YOKE_OK;
}

/* ---- Groups ----------------------------------------------------------------
 */

static int top(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Insertion sort: rows come nearly in order. */
static void sort_rows(yk_guard *g)
{
    for (int i = 1; i < g->rows; i++) {
        const guard_row row = g->row[i];
        int k = i;
        for (; k > 0 && g->row[k - 1].group > row.group; k--)
            g->row[k] = g->row[k - 1];
        g->row[k] = row;
    }
}

/* Rows joined by dummies get the number of their group. */
static yoke_status join(yk_guard *g, int elements, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *parent = NULL, *seen = NULL;

    YK_GO(yk_ints(&parent, (size_t)g->rows, err));
    YK_GO(yk_ints(&seen, (size_t)elements, err)); /* row + 1 */
    for (int i = 0; i < g->rows; i++) parent[i] = i;
    for (int i = 0; i < g->rows; i++)
        for (int e = g->row[i].first; e < g->row[i].first + g->row[i].count;
             e++) {
            int *row = &seen[g->entry[e].element];
            if (g->entry[e].column < 0) continue;
            if (*row) parent[top(parent, i)] = top(parent, *row - 1);
            *row = i + 1;
        }
    for (int i = 0; i < g->rows; i++) g->row[i].group = top(parent, i);
    sort_rows(g);
done:
    yk_free(parent);
    yk_free(seen);
    return status;
}

/* Numbers the groups, and the dummies in each. */
static yoke_status number_groups(yk_guard *g, int elements, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *column = NULL, last = -1;

    YK_GO(YK_NEW(&g->group, g->rows, err));
    YK_GO(yk_ints(&column, (size_t)elements, err)); /* plus one */
    for (int i = 0; i < g->rows; i++) {
        guard_row *row = &g->row[i];
        if (row->group != last) g->groups++;
        last = row->group;
        row->group = g->groups - 1;
        guard_group *group = &g->group[row->group];
        group->rows++;
        for (int e = row->first; e < row->first + row->count; e++) {
            int *at = &column[g->entry[e].element];
            if (g->entry[e].column < 0) continue;
            if (*at == 0) *at = ++group->columns;
            g->entry[e].column = *at - 1;
        }
    }
done:
    yk_free(column);
    return status;
}

static yoke_status make_codes(yk_guard *g, yk_model *m, yoke_err *err)
{
    int registers = 1;

    YK_TRY(yk_ints(&g->code_of, (size_t)m->equation.count, err));
    for (int i = 0; i < m->equation.count; i++) g->code_of[i] = -1;
    YK_TRY(YK_NEW(&g->code, g->rows, err));
    for (int k = 0; k < g->rows; k++) {
        const int number = g->row[k].number;
        const yk_template *t = &m->equation.at[number];
        if (g->code_of[number] >= 0) continue;
        g->code_of[number] = g->codes++;
        yk_code *code = &g->code[g->code_of[number]];
        YK_TRY(yk_code_create(code, m, t, t->refs, t->slope, err));
        if (code->registers > registers) registers = code->registers;
    }
    YK_TRY(yk_doubles(&g->matrix, MOST_ROWS * MOST_ROWS, err));
    return yk_doubles(&g->workspace, (size_t)registers * YK_LANES, err);
}

yoke_status yk_guard_create(yk_guard **out, yk_model *m, int templates,
                            const int *c, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_guard *g = NULL;

    YK_TRY(YK_NEW(&g, 1, err));
    YK_GO(collect(g, m, templates, c, err));
    if (g->rows == 0) goto done;
    YK_GO(join(g, m->elements, err));
    YK_GO(number_groups(g, m->elements, err));
    YK_GO(make_codes(g, m, err));
    *out = g;
    g = NULL;
done:
    yk_guard_free(g);
    return status;
}

/* ---- At a point ------------------------------------------------------------
 */

/* One row of D, scaled by the largest slope by any unknown. */
static void load_row(yk_guard *g, const yk_model *m, const guard_row *row,
                     double t, const double *w, int n, double *out)
{
    const yk_code *code = &g->code[g->code_of[row->number]];
    double most = 0.0;

    for (int j = 0; j < n; j++) out[j] = 0.0;
    yk_code_run(code, &m->equation.at[row->number], row->instance, 1, t, w,
                g->workspace);
    for (int e = row->first; e < row->first + row->count; e++) {
        const guard_entry *entry = &g->entry[e];
        const double slope =
            g->workspace[(size_t)code->result[entry->ref] * YK_LANES];
        most = fmax(most, fabs(slope));
        if (entry->column >= 0) out[entry->column] += slope;
    }
    for (int j = 0; most > 0.0 && j < n; j++) out[j] /= most;
}

/* Gauss's elimination with row pivots: the sign of the determinant, and the
 * least pivot with its row. */
static double eliminate(double *a, int n, double *least, int *where)
{
    double sign = 1.0;

    *least = INFINITY;
    *where = 0;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
        for (int j = 0; p != k && j < n; j++) {
            const double swap = a[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = swap;
        }
        if (p != k) sign = -sign;
        const double pivot = a[k * n + k];
        if (fabs(pivot) < *least) {
            *least = fabs(pivot);
            *where = k;
        }
        if (pivot == 0.0) return 0.0;
        if (pivot < 0.0) sign = -sign;
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / pivot;
            for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return sign;
}

/* Rows of one group begin at `first`. */
static double judge(yk_guard *g, const yk_model *m, int first, double t,
                    const double *w, double *least)
{
    const int n = g->group[g->row[first].group].rows;
    int where = 0;

    for (int i = 0; i < n; i++)
        load_row(g, m, &g->row[first + i], t, w, n, g->matrix + i * n);
    return eliminate(g->matrix, n, least, &where);
}

static bool watched(const guard_group *group)
{
    return group->rows == group->columns && group->rows <= MOST_ROWS;
}

void yk_guard_anchor(yk_guard *g, const yk_model *m, double t, const double *w)
{
    for (int first = 0, k = 0; k < g->groups; first += g->group[k++].rows) {
        double least = 0.0;
        if (!watched(&g->group[k])) continue;
        const double sign = judge(g, m, first, t, w, &least);
        g->group[k].sign = least >= least_pivot ? sign : 0.0;
    }
}

yoke_status yk_guard_check(yk_guard *g, const yk_model *m, double t,
                           const double *w, yoke_err *err)
{
    for (int first = 0, k = 0; k < g->groups; first += g->group[k++].rows) {
        const double known = g->group[k].sign;
        double least = 0.0;
        if (!watched(&g->group[k]) || known == 0.0) continue;
        const double sign = judge(g, m, first, t, w, &least);
        if (least >= least_pivot && sign == known) continue;
        return yk_fail(
            err, YOKE_RETRY,
            "%s: the states that were chosen at the start to reduce "
            "the index are no longer good here; start nearer to this "
            "point or write the model in other coordinates (an "
            "angle)",
            g->row[first].name);
    }
    return YOKE_OK;
}
