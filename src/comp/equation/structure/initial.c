/* comp/equation/structure/initial.c -- values at the start that satisfy the
 * equations.
 *
 * Unknowns are x and, if initial equations are given, the derivatives p under
 * d/dt; equations are
 *
 *     f(0, x, u) + C p = 0      (without initial equations: rows without
 * charge) initial equations x_j = start_j             for as many unknowns as
 * are left over.
 *
 * Which unknowns keep their start values is a matter of structure.  The columns
 * are offered to the matching in order of preference, algebraic ones first;
 * those that find no equation are kept.  Because sets of columns that can be
 * matched form a matroid this greedy choice is best (Edmonds and Fulkerson
 * 1965).  First states are preferred, the well-conditioned choice; if that
 * changes a value declared fixed, the fixed ones are.
 *
 * The rest is Newton's method with halved steps.
 */
#include "comp/equation/code/subsystem.h"

#include "comp/equation/structure/chart.h"
#include "comp/equation/events/events.h"
#include "la/lu.h"
#include "la/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 60, HALVINGS = 12 };

/* An entry of the matrix: value `from` of one source goes to (row, col). */
typedef struct entry {
    int row, col;
    int source, from; /* 0: J, 1: C, 2: initial equations */
    double sign;
} entry;

typedef struct problem {
    yk_subsystem *s;
    int n, p;      /* unknowns x and p */
    int rows;      /* equations */
    int *p_slot;   /* slot of each p */
    int *row_of_f; /* of each row of f, or -1 */
    entry *entry;
    int entries;
    size_t room;
    double *z, *start, *size; /* n + p */
    double *w, *f, *J, *slopes;
    bool *state, *fixed; /* n */
    int initial_row;     /* of the first initial equation */
    int slope_count;

    int *pick; /* n + p: number among the solved ones, or -1 */
    yoke_pattern *pattern;
    int *place; /* of each entry, or -1 */
    double *value, *r, *step, *scale, *trial;
} problem;

static void problem_free(problem *p)
{
    void *all[] = { p->p_slot, p->row_of_f, p->entry, p->z,     p->start,
                    p->size,   p->w,        p->f,     p->J,     p->slopes,
                    p->state,  p->fixed,    p->pick,  p->place, p->value,
                    p->r,      p->step,     p->scale, p->trial };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) yk_free(all[k]);
    yoke_pattern_free(p->pattern);
}

/* ---- What there is ------------------------------------------------------ */

static int slot_of(const yk_model *m, int element, int order)
{
    const int v = m->owner[element];
    return m->segment[order][v] + element - m->base[v];
}

static yoke_status add_entry(problem *p, entry e, yoke_err *err)
{
    YK_TRY(yk_grow((void **)&p->entry, &p->room, (size_t)p->entries + 1,
                   sizeof *p->entry, err));
    p->entry[p->entries++] = e;
    return YOKE_OK;
}

/* Derivatives under d/dt: their slots, and the state below each. */
static yoke_status list_charged(problem *p, int *of_state, yoke_err *err)
{
    const yk_model *m = &p->s->model;
    const yk_layout *l = &p->s->layout;

    YK_TRY(yk_ints(&p->p_slot, (size_t)p->n, err));
    for (int e = 0; e < m->elements; e++)
        for (int k = 1; k <= m->highest[e]; k++)
            if (l->charged[(size_t)e * YK_ORDERS + (size_t)k]) {
                const int below = l->column[slot_of(m, e, k - 1)];
                p->state[below] = true;
                if (m->initial.count == 0) continue;
                of_state[below] = p->p;
                p->p_slot[p->p++] = slot_of(m, e, k);
            }
    for (int k = 0; k < l->links; k++) p->state[l->state[k]] = true;
    for (int k = 0; m->charts && k < m->charts->count; k++) {
        const yk_chart *c = &m->charts->chart[k];
        for (int j = 0; j < c->cols; j++)
            if (c->kept[j]) p->state[c->state[j]] = true;
    }
    return YOKE_OK;
}

static yoke_status list_rows(problem *p, yoke_err *err)
{
    const yk_layout *l = &p->s->layout;
    const bool all = p->s->model.initial.count > 0;

    YK_TRY(yk_ints(&p->row_of_f, (size_t)l->n, err));
    const yoke_pattern *charge[2] = { l->C, l->Cu };
    for (int c = 0; c < 2 && !all; c++)
        for (int k = 0; k < charge[c]->start[charge[c]->cols]; k++)
            p->row_of_f[charge[c]->row[k]] = -1;
    for (int i = 0; i < l->n; i++)
        if (i >= l->rows)
            p->row_of_f[i] = -1; /* links tell p, no more */
        else if (p->row_of_f[i] == 0)
            p->row_of_f[i] = p->rows++;
    p->initial_row = p->rows;
    p->rows += p->s->model.initial.rows;
    return YOKE_OK;
}

static yoke_status list_matrix(problem *p, const yoke_pattern *a, int source,
                               const int *column, yoke_err *err)
{
    for (int j = 0; j < a->cols; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            const int row = p->row_of_f[a->row[k]];
            const int col = column ? column[j] : j;
            if (row < 0 || col < 0) continue;
            YK_TRY(add_entry(p, (entry){ row, col, source, k, 1.0 }, err));
        }
    return YOKE_OK;
}

/* The unknown a reference of an initial equation means, or -1: it is known. */
static int unknown_of(const problem *p, int element, int order,
                      const int *of_state)
{
    const yk_model *m = &p->s->model;
    const int root = m->root[element];

    if (m->sign[element] == 0 || yk_is_input(m, root)) return -1;
    const int column = p->s->layout.column[slot_of(m, root, order)];
    if (column >= 0 || order == 0) return column;
    const int below = p->s->layout.column[slot_of(m, root, order - 1)];
    return below < 0 || of_state[below] < 0 ? -1 : p->n + of_state[below];
}

/* What is no unknown is a constant or an input. */
static yoke_status check_known(const problem *p, const yk_template *t,
                               int element, yoke_err *err)
{
    const yk_model *m = &p->s->model;
    char name[YK_NAME_SIZE];

    if (m->sign[element] == 0 || yk_is_input(m, m->root[element]))
        return YOKE_OK;
    yk_element_name(m, element, 1, name);
    return yk_fail(err, YOKE_E_MODEL,
                   "%s:%d: %s in an initial equation, but no equation of the "
                   "model has this derivative",
                   m->flat->file, t->line, name);
}

static yoke_status list_initial(problem *p, const int *of_state, yoke_err *err)
{
    const yk_model *m = &p->s->model;

    for (int i = 0; i < m->initial.count; i++) {
        const yk_template *t = &m->initial.at[i];
        for (int k = 0; k < t->instances; k++)
            for (int r = 0; r < t->refs; r++) {
                int counter[YK_FLAT_LOOPS];
                yk_counters(t, k, counter);
                const int e = yk_template_element(m, t, t->ref[r], counter);
                const int col =
                    unknown_of(p, e, m->pool.node[t->ref[r]].order, of_state);
                const int from = p->slope_count++;
                if (col < 0) {
                    YK_TRY(check_known(p, t, e, err));
                    continue;
                }
                YK_TRY(add_entry(p,
                                 (entry){ p->initial_row + t->row + k, col, 2,
                                          from, m->sign[e] },
                                 err));
            }
    }
    return YOKE_OK;
}

static yoke_status find_start(problem *p, yoke_err *err)
{
    const yk_model *m = &p->s->model;
    const yk_layout *l = &p->s->layout;
    const size_t size = (size_t)p->n + (size_t)p->p;

    YK_TRY(yk_doubles(&p->z, size, err));
    YK_TRY(yk_doubles(&p->start, size, err));
    YK_TRY(yk_doubles(&p->size, size, err));
    for (size_t j = 0; j < size; j++) p->size[j] = 1.0;
    for (int j = 0; j < p->n; j++) {
        const int e = l->x_slot[j];
        if (e >= m->elements) continue; /* a derivative: starts at zero */
        const yk_flat_variable *v = &m->flat->variable[m->owner[e]];
        p->start[j] = m->start[e];
        p->fixed[j] = m->fixed[e];
        if (v->nominal && fabs(v->nominal[e - m->base[m->owner[e]]]) > 0.0)
            p->size[j] = fabs(v->nominal[e - m->base[m->owner[e]]]);
    }
    return YOKE_OK;
}

static yoke_status problem_create(problem *p, yk_subsystem *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_layout *l = &s->layout;
    const size_t n = (size_t)l->n;
    int *of_state = NULL;

    *p = (problem){ .s = s, .n = l->n };
    YK_GO(yk_ints(&of_state, n, err));
    for (int j = 0; j < l->n; j++) of_state[j] = -1;
    YK_GO(YK_NEW(&p->state, n, err));
    YK_GO(YK_NEW(&p->fixed, n, err));
    YK_GO(list_charged(p, of_state, err));
    YK_GO(list_rows(p, err));
    YK_GO(list_matrix(p, l->G, 0, NULL, err));
    if (p->p > 0) {
        for (int j = 0; j < l->n; j++)
            if (of_state[j] >= 0) of_state[j] += l->n;
        YK_GO(list_matrix(p, l->C, 1, of_state, err));
        for (int j = 0; j < l->n; j++)
            if (of_state[j] >= 0) of_state[j] -= l->n;
    }
    YK_GO(list_initial(p, of_state, err));
    YK_GO(find_start(p, err));
    YK_GO(yk_copy_doubles(&p->w, l->w, (size_t)l->slots, err));
    YK_GO(yk_doubles(&p->f, n, err));
    YK_GO(yk_doubles(&p->J, (size_t)l->g_count + (size_t)l->gu_count + 1, err));
    YK_GO(yk_doubles(&p->slopes, (size_t)p->slope_count, err));
    YK_GO(yk_ints(&p->pick, n + (size_t)p->p, err));
done:
    yk_free(of_state);
    return status;
}

/* ---- Which unknowns are solved for -------------------------------------- */

typedef struct matcher {
    yoke_pattern *pattern; /* all entries: rows by n + p */
    int *match;            /* column of each row, or -1 */
    int *seen, stamp;
    int *stack, *next;
    int matched;
} matcher;

static void matcher_free(matcher *a)
{
    yoke_pattern_free(a->pattern);
    yk_free(a->match);
    yk_free(a->seen);
    yk_free(a->stack);
    yk_free(a->next);
}

static yoke_status matcher_create(matcher *a, const problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int cols = p->n + p->p;
    int *row = NULL, *col = NULL;

    *a = (matcher){ 0 };
    YK_GO(yk_ints(&row, (size_t)p->entries, err));
    YK_GO(yk_ints(&col, (size_t)p->entries, err));
    for (int k = 0; k < p->entries; k++) {
        row[k] = p->entry[k].row;
        col[k] = p->entry[k].col;
    }
    YK_GO(yoke_pattern_create(&a->pattern, p->rows, cols, p->entries, row, col,
                              err));
    YK_GO(yk_ints(&a->match, (size_t)p->rows, err));
    YK_GO(yk_ints(&a->seen, (size_t)p->rows, err));
    YK_GO(yk_ints(&a->stack, (size_t)cols, err));
    YK_GO(yk_ints(&a->next, (size_t)cols, err));
    for (int i = 0; i < p->rows; i++) a->match[i] = -1;
done:
    yk_free(row);
    yk_free(col);
    return status;
}

/* The place of an unmatched row of column j, or -1.  Looking for one before
 * going deeper keeps chains of equations linear. */
static int free_row(const matcher *a, int j)
{
    for (int k = a->pattern->start[j]; k < a->pattern->start[j + 1]; k++)
        if (a->match[a->pattern->row[k]] < 0) return k;
    return -1;
}

static void enter(matcher *a, int *depth, int j)
{
    a->stack[*depth] = j;
    a->next[(*depth)++] = a->pattern->start[j];
}

/* An augmenting path from column j, by depth first search. */
static bool augment(matcher *a, int j)
{
    const yoke_pattern *g = a->pattern;
    int depth = 0;

    a->stamp++;
    enter(a, &depth, j);
    while (depth > 0) {
        const int c = a->stack[depth - 1];
        const int open =
            a->next[depth - 1] == g->start[c] ? free_row(a, c) : -1;
        if (open >= 0) {
            a->next[depth - 1] = open + 1;
            /* Every column on the path takes the row it looked at last. */
            while (depth-- > 0)
                a->match[g->row[a->next[depth] - 1]] = a->stack[depth];
            return true;
        }
        if (a->next[depth - 1] >= g->start[c + 1]) {
            depth--;
            continue;
        }
        const int row = g->row[a->next[depth - 1]++];
        if (a->seen[row] == a->stamp) continue;
        a->seen[row] = a->stamp;
        enter(a, &depth, a->match[row]); /* no row of c was open */
    }
    return false;
}

/* 0: solved for if at all possible ... 4: rather kept. */
static int reluctance(const problem *p, int j, bool respect_fixed)
{
    if (j >= p->n) return 0;
    return (p->state[j] ? 2 : 1) + (respect_fixed && p->fixed[j] ? 2 : 0);
}

static yoke_status too_many(const problem *p, const matcher *a, yoke_err *err)
{
    const yk_model *m = &p->s->model;
    char name[YK_NAME_SIZE];
    int row = 0;

    while (a->match[row] >= 0) row++;
    if (row >= p->initial_row)
        yk_row_name(m, &m->initial, row - p->initial_row, name);
    else
        snprintf(name, sizeof name, "%s", m->flat->file);
    return yk_fail(err, YOKE_E_MODEL,
                   "%s: the initial equations ask for more than the %d "
                   "unknowns can satisfy",
                   name, p->n);
}

/* Columns that find an equation are numbered in `pick`; the others keep their
 * start values. */
static yoke_status choose(problem *p, bool respect_fixed, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    matcher a;
    int picked = 0;

    YK_GO(matcher_create(&a, p, err));
    for (int round = 0; round <= 4; round++)
        for (int j = 0; j < p->n + p->p && a.matched < p->rows; j++)
            if (reluctance(p, j, respect_fixed) == round)
                a.matched += augment(&a, j);
    if (a.matched < p->rows) YK_GO(too_many(p, &a, err));
    for (int j = 0; j < p->n + p->p; j++) p->pick[j] = -1;
    for (int i = 0; i < p->rows; i++) p->pick[a.match[i]] = 0;
    for (int j = 0; j < p->n + p->p; j++)
        if (p->pick[j] == 0) p->pick[j] = picked++;
done:
    matcher_free(&a);
    return status;
}

/* ---- Newton ------------------------------------------------------------- */

static yoke_status make_matrix(problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *row = NULL, *col = NULL, count = 0;

    yoke_pattern_free(p->pattern);
    p->pattern = NULL;
    yk_free(p->place);
    p->place = NULL;
    yk_free(p->value);
    p->value = NULL;
    YK_GO(yk_ints(&row, (size_t)p->entries, err));
    YK_GO(yk_ints(&col, (size_t)p->entries, err));
    YK_GO(yk_ints(&p->place, (size_t)p->entries, err));
    for (int k = 0; k < p->entries; k++)
        if (p->pick[p->entry[k].col] >= 0) {
            row[count] = p->entry[k].row;
            col[count++] = p->pick[p->entry[k].col];
        }
    YK_GO(yoke_pattern_create(&p->pattern, p->rows, p->rows, count, row, col,
                              err));
    for (int k = 0; k < p->entries; k++) {
        const entry *e = &p->entry[k];
        p->place[k] =
            p->pick[e->col] < 0
                ? -1
                : yoke_pattern_find(p->pattern, e->row, p->pick[e->col]);
    }
    YK_GO(yk_doubles(&p->value, (size_t)yoke_pattern_count(p->pattern), err));
done:
    yk_free(row);
    yk_free(col);
    return status;
}

/* All values from z; inputs at their start values, their slopes zero. */
static void set_values(problem *p, const double *z)
{
    const yk_layout *l = &p->s->layout;

    for (int j = 0; j < p->n; j++) p->w[l->x_slot[j]] = z[j];
    for (int k = 0; k < p->p; k++) p->w[p->p_slot[k]] = z[p->n + k];
    for (int k = 0; k < l->fills; k++)
        p->w[l->fill_to[k]] = l->fill_sign[k] * p->w[l->fill_from[k]];
}

static yoke_status initial_residuals(problem *p, yoke_err *err)
{
    yk_model *m = &p->s->model;

    for (int i = 0; i < m->initial.count; i++) {
        const yk_template *t = &m->initial.at[i];
        YK_TRY(yk_evaluate(m, t, 1, &t->residual, 0.0, p->w,
                           p->r + p->initial_row + t->row, err));
    }
    return YOKE_OK;
}

static yoke_status residual(problem *p, const double *z, yoke_err *err)
{
    const yk_layout *l = &p->s->layout;

    set_values(p, z);
    yk_subsystem_f(p->s, 0.0, p->w, p->f);
    for (int i = 0; i < l->rows; i++)
        if (p->row_of_f[i] >= 0) p->r[p->row_of_f[i]] = p->f[i];
    for (int k = 0; k < p->entries; k++)
        if (p->entry[k].source == 1)
            p->r[p->entry[k].row] +=
                l->C_value[p->entry[k].from] * z[p->entry[k].col];
    return initial_residuals(p, err);
}

/* For w as the last residual left it. */
static yoke_status matrix(problem *p, yoke_err *err)
{
    yk_model *m = &p->s->model;
    int at = 0;

    yk_subsystem_j(p->s, 0.0, p->w, p->J);
    for (int i = 0; i < m->initial.count; i++) {
        const yk_template *t = &m->initial.at[i];
        YK_TRY(yk_evaluate(m, t, t->refs, t->slope, 0.0, p->w, p->slopes + at,
                           err));
        at += t->instances * t->refs;
    }
    memset(p->value, 0,
           (size_t)yoke_pattern_count(p->pattern) * sizeof *p->value);
    const double *source[3] = { p->J, p->s->layout.C_value, p->slopes };
    for (int k = 0; k < p->entries; k++)
        if (p->place[k] >= 0)
            p->value[p->place[k]] +=
                p->entry[k].sign * source[p->entry[k].source][p->entry[k].from];
    return YOKE_OK;
}

/* Rows are compared after division by their largest entry. */
static void find_scale(problem *p)
{
    const yoke_pattern *a = p->pattern;

    for (int i = 0; i < p->rows; i++) p->scale[i] = 0.0;
    for (int k = 0; k < a->start[a->cols]; k++)
        p->scale[a->row[k]] = fmax(p->scale[a->row[k]], fabs(p->value[k]));
    for (int i = 0; i < p->rows; i++)
        if (!(p->scale[i] > 0.0) || !isfinite(p->scale[i])) p->scale[i] = 1.0;
}

static double norm(const problem *p)
{
    double most = 0.0;

    for (int i = 0; i < p->rows; i++) {
        const double v = fabs(p->r[i]) / p->scale[i];
        if (!(v <= most)) most = v; /* keeps NaN */
    }
    return most;
}

/* z += lambda step, with the longest lambda = 1, 1/2, ... that lowers the
 * residual; *change is the size of the change. */
static yoke_status advance(problem *p, double *change, yoke_err *err)
{
    const double before = norm(p);
    double lambda = 1.0;

    for (int h = 0; h < HALVINGS; h++, lambda *= 0.5) {
        *change = 0.0;
        for (int j = 0; j < p->n + p->p; j++) {
            const double d =
                p->pick[j] < 0 ? 0.0 : lambda * p->step[p->pick[j]];
            p->trial[j] = p->z[j] - d;
            *change = fmax(*change, fabs(d) / (p->size[j] + fabs(p->z[j])));
        }
        YK_TRY(residual(p, p->trial, err));
        const double now = norm(p);
        if (now < before || now < 1e-12) break;
    }
    if (!isfinite(norm(p)))
        return yk_fail(err, YOKE_RETRY, "equations are not defined there");
    memcpy(p->z, p->trial, ((size_t)p->n + (size_t)p->p) * sizeof *p->z);
    return YOKE_OK;
}

static yoke_status iterate(problem *p, yk_lu *lu, yoke_err *err)
{
    double change = INFINITY;

    YK_TRY(residual(p, p->z, err));
    for (int k = 0; k < ITERATIONS; k++) {
        YK_TRY(matrix(p, err));
        find_scale(p);
        if (norm(p) < 1e-14 || change < 1e-12) return YOKE_OK;
        YK_TRY(yk_lu_factor(lu, p->value, NULL, err));
        memcpy(p->step, p->r, (size_t)p->rows * sizeof *p->r);
        YK_TRY(yk_lu_solve(lu, p->step, err));
        YK_TRY(advance(p, &change, err));
    }
    if (norm(p) < 1e-9) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY, "Newton's method did not converge");
}

/* Where nothing is said about an unknown the search begins at zero, and a
 * product such as m der(v) has no slope there. */
static void leave_zero(problem *p)
{
    memcpy(p->z, p->start, ((size_t)p->n + (size_t)p->p) * sizeof *p->z);
    for (int j = 0; j < p->n + p->p; j++)
        if (p->pick[j] >= 0 && p->z[j] == 0.0) p->z[j] = p->size[j];
}

static yoke_status newton(problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_lu *lu = NULL;

    YK_GO(make_matrix(p, err));
    YK_GO(yk_lu_create(&lu, p->pattern, false, err));
    memcpy(p->z, p->start, ((size_t)p->n + (size_t)p->p) * sizeof *p->z);
    status = iterate(p, lu, err);
    if (status == YOKE_RETRY) {
        leave_zero(p);
        status = iterate(p, lu, err);
    }
done:
    yk_lu_free(lu);
    return status;
}

/* ---- Attempts ----------------------------------------------------------- */

static yoke_status check_fixed(const problem *p, yoke_err *err)
{
    char name[YK_NAME_SIZE];

    for (int j = 0; j < p->n; j++) {
        if (!p->fixed[j] || fabs(p->z[j] - p->start[j]) <=
                                1e-8 * (p->size[j] + fabs(p->start[j])))
            continue;
        yk_element_name(&p->s->model, p->s->layout.x_slot[j], 0, name);
        return yk_fail(err, YOKE_E_MODEL,
                       "%s: the equations give %s = %g at the start, where "
                       "%g is fixed",
                       p->s->model.flat->file, name, p->z[j], p->start[j]);
    }
    return YOKE_OK;
}

static yoke_status attempt(problem *p, bool respect_fixed, yoke_err *err)
{
    YK_TRY(choose(p, respect_fixed, err));
    YK_TRY(newton(p, err));
    return check_fixed(p, err);
}

static yoke_status solve(problem *p, yoke_err *err)
{
    const size_t rows = (size_t)p->rows;

    if (!p->r) {
        YK_TRY(yk_doubles(&p->r, rows, err));
        YK_TRY(yk_doubles(&p->step, rows, err));
        YK_TRY(yk_doubles(&p->scale, rows, err));
        YK_TRY(yk_doubles(&p->trial, (size_t)p->n + (size_t)p->p, err));
    }
    const yoke_status status = attempt(p, false, err);
    if (status == YOKE_OK || status == YOKE_E_MEMORY) return status;
    return attempt(p, true, err);
}

/* Relations are held while the rest is solved for; then they change. */
static yoke_status solve_all(problem *p, yoke_err *err)
{
    enum { ROUNDS = 30 };
    const yk_relations *relations = yk_whens_relations(p->s->events);
    yoke_status status = YOKE_OK;

    set_values(p, p->z);
    yk_relations_settle(relations, 0.0, p->w);
    for (int i = 0; i < ROUNDS && p->rows > 0; i++) {
        status = solve(p, err);
        if (status != YOKE_OK) return status;
        set_values(p, p->z);
        if (!yk_relations_settle(relations, 0.0, p->w)) return YOKE_OK;
    }
    return YOKE_OK;
}

yoke_status yk_initial_values(yk_subsystem *s, double *x, char *note,
                              size_t note_size, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    problem p;
    yoke_err own = { .status = YOKE_OK };

    note[0] = '\0';
    YK_GO(problem_create(&p, s, err));
    memcpy(p.z, p.start, (size_t)p.n * sizeof *p.z);
    status = solve_all(&p, &own);
    if (status == YOKE_RETRY && s->model.initial.count == 0) {
        snprintf(note, note_size,
                 " The algebraic start values are left as given: %.200s.",
                 own.text);
        memcpy(p.z, p.start, (size_t)p.n * sizeof *p.z);
        status = YOKE_OK;
    }
    if (status != YOKE_OK) {
        status =
            yk_fail(err, status < 0 ? status : YOKE_E_MODEL,
                    "%s: initial values: %s", s->model.flat->file, own.text);
        goto done;
    }
    memcpy(x, p.z, (size_t)p.n * sizeof *x);
    set_values(&p, p.z);
    yk_relations_settle(yk_whens_relations(s->events), 0.0, p.w);
    memcpy(s->w + s->model.held, p.w + s->model.held,
           (size_t)(s->model.fixed_slots - s->model.held) * sizeof *s->w);
done:
    problem_free(&p);
    return status;
}
