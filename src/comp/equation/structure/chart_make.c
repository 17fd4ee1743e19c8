/* comp/equation/structure/chart_make.c -- which unknowns can be states at all
 * times, and between which ones there is a choice.
 *
 * In round k the rows are the equations with c >= k and the columns the
 * derivatives x_j^(d(j) - k), as in dummy.c, but a round may choose among all
 * of its columns: with T_k so that [H_k; T_k] is regular for each k the index
 * is one.  Per round,
 *
 *     1. rows whose slopes are all constant are eliminated, by Gauss and Jordan
 *        with larger d first: x_P = -B x_R with constant B, and the derivatives
 *        of x_P are dummies at all times;
 *     2. so is, as long as there is one, a column whose only slope in the rows
 *        that are left is constant, together with its row: y = x^2 gives y;
 *     3. connected groups of the rows and columns that are left get a chart
 *        each; a column in no row is a state.
 *
 * Limit: groups of more than MOST_COLUMNS columns, for which T would be large,
 * are refused: a choice made once may go bad unseen.
 */
#include "comp/equation/structure/chart.h"
#include "base/parents.h"
#include "comp/equation/policy.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 500 };

typedef struct maker {
    yk_model *m;
    const yk_chart_component *p;
    const int *c;
    int round, component;
    double *start;      /* rows by cols: H at the start values */
    bool *start_varies; /* not constant */
    double *a;          /* of the round */
    bool *varies;
    bool *done;     /* rows */
    int *pivot_row; /* columns: row that determines it at all times, or -1 */
    bool *solved;   /* columns: by step 1 */
    int *group;     /* rows, then columns: union and find */
    double *work;
} maker;

static void maker_free(maker *k)
{
    YK_FREE(k->start, k->start_varies, k->a, k->varies, k->done, k->pivot_row,
            k->solved, k->group, k->work);
}

static size_t at(const maker *k, int i, int j)
{
    return (size_t)i * (size_t)k->p->cols + (size_t)j;
}

static int highest(const maker *k, int j)
{
    return k->m->highest[k->p->element[j]];
}

static yoke_status maker_create(maker *k, yk_model *m,
                                const yk_chart_component *p, const int *c,
                                yoke_err *err)
{
    const size_t size = (size_t)p->rows * (size_t)p->cols;

    *k = (maker){ .m = m, .p = p, .c = c };
    k->component = m->charts ? m->charts->components : 0;
    YK_TRY(yk_doubles(&k->start, size, err));
    YK_TRY(YK_NEW(&k->start_varies, size, err));
    YK_TRY(yk_doubles(&k->a, size, err));
    YK_TRY(YK_NEW(&k->varies, size, err));
    YK_TRY(YK_NEW(&k->done, p->rows, err));
    YK_TRY(yk_ints(&k->pivot_row, (size_t)p->cols, err));
    YK_TRY(YK_NEW(&k->solved, p->cols, err));
    YK_TRY(yk_ints(&k->group, (size_t)p->rows + (size_t)p->cols, err));
    YK_TRY(yk_doubles(&k->work, size, err));
    for (int e = 0; e < p->count; e++) {
        const yk_chart_place *place = &p->entry[e];
        const size_t where =
            at(k, p->row_number[place->row], p->col_number[place->element]);
        k->start[where] += place->value;
        k->start_varies[where] = k->start_varies[where] || !place->constant;
    }
    return YOKE_OK;
}

static double largest(const maker *k, int i)
{
    double most = 0.0;

    for (int j = 0; j < k->p->cols; j++)
        most = fmax(most, fabs(k->a[at(k, i, j)]));
    return most;
}

static bool is_constant(const maker *k, int i)
{
    for (int j = 0; j < k->p->cols; j++)
        if (k->varies[at(k, i, j)]) return false;
    return true;
}

static bool occurs(const maker *k, int i, int j)
{
    return k->varies[at(k, i, j)] || k->a[at(k, i, j)] != 0.0;
}

static void begin_round(maker *k, int round)
{
    const size_t size = (size_t)k->p->rows * (size_t)k->p->cols;

    k->round = round;
    memcpy(k->a, k->start, size * sizeof *k->a);
    memcpy(k->varies, k->start_varies, size * sizeof *k->varies);
    for (int i = 0; i < k->p->rows; i++)
        k->done[i] = k->c[k->p->row[i]] < round;
    for (int j = 0; j < k->p->cols; j++) {
        k->pivot_row[j] = -1;
        k->solved[j] = false;
    }
}

/* ---- Step 1: constant rows ----------------------------------------------- */

/* Row i of a minus a multiple of the row of pivot column q.  Differences that
 * are rounding errors are zero. */
static void take_away(maker *k, int i, int q)
{
    const int p = k->pivot_row[q];
    const double factor = k->a[at(k, i, q)] / k->a[at(k, p, q)];
    const bool varies = k->varies[at(k, i, q)];

    for (int j = 0; j < k->p->cols; j++) {
        const double part = factor * k->a[at(k, p, j)];
        double *v = &k->a[at(k, i, j)];
        if (j == q || k->a[at(k, p, j)] == 0.0) continue;
        if (varies) k->varies[at(k, i, j)] = true;
        *v = fabs(*v - part) <= 1e-14 * fabs(part) ? 0.0 : *v - part;
    }
    k->a[at(k, i, q)] = 0.0;
    k->varies[at(k, i, q)] = false;
}

/* The largest pivot of constant rows in columns of some order. */
static double best_constant(const maker *k, int order, const bool *constant,
                            int *pi, int *pj)
{
    double best = 0.0;

    for (int i = 0; i < k->p->rows; i++) {
        if (k->done[i] || !constant[i]) continue;
        const double most = largest(k, i);
        for (int j = 0; j < k->p->cols; j++) {
            const double v = most > 0.0 ? fabs(k->a[at(k, i, j)]) / most : 0.0;
            if (k->pivot_row[j] >= 0 || highest(k, j) != order || v <= best)
                continue;
            best = v;
            *pi = i;
            *pj = j;
        }
        if (k->p->rows > YK_EQ_ALL_PIVOTS && best > YK_EQ_ENOUGH) break;
    }
    return best;
}

static bool eliminate_constant(maker *k, yoke_err *err, yoke_status *status)
{
    bool *constant = NULL;
    int wanted = 0;

    *status = YK_NEW(&constant, k->p->rows, err);
    if (*status != YOKE_OK) return false;
    for (int i = 0; i < k->p->rows; i++) {
        constant[i] = !k->done[i] && is_constant(k, i);
        wanted += constant[i];
    }
    for (int order = YK_ORDERS - 1; order >= k->round && wanted > 0; order--)
        while (wanted > 0) {
            int p = -1, q = -1;
            if (best_constant(k, order, constant, &p, &q) < YK_EQ_NO_PIVOT)
                break;
            k->pivot_row[q] = p;
            k->solved[q] = k->done[p] = true;
            for (int i = 0; i < k->p->rows; i++)
                if (i != p && occurs(k, i, q)) take_away(k, i, q);
            wanted--;
        }
    yk_free(constant);
    return wanted == 0;
}

/* ---- Step 2: columns with one constant slope ----------------------------- */

static bool only_in(const maker *k, int i, int j)
{
    for (int r = 0; r < k->p->rows; r++)
        if (r != i && !k->done[r] && occurs(k, r, j)) return false;
    return true;
}

/* A column that row i can determine at all times, or -1. */
static int lone_column(const maker *k, int i)
{
    const double least = YK_EQ_SURE_PIVOT * largest(k, i);
    int best = -1;

    for (int j = 0; j < k->p->cols; j++) {
        const double v = fabs(k->a[at(k, i, j)]);
        if (k->pivot_row[j] >= 0 || k->varies[at(k, i, j)] || v == 0.0 ||
            v < least || !only_in(k, i, j))
            continue;
        if (best < 0 || highest(k, j) > highest(k, best) ||
            (highest(k, j) == highest(k, best) &&
             v > fabs(k->a[at(k, i, best)])))
            best = j;
    }
    return best;
}

static void take_lone_columns(maker *k)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < k->p->rows; i++) {
            const int j = k->done[i] ? -1 : lone_column(k, i);
            if (j < 0) continue;
            k->pivot_row[j] = i;
            k->done[i] = more = true;
        }
    }
}

/* ---- Step 3: groups ------------------------------------------------------ */

static void find_groups(maker *k)
{
    const int nodes = k->p->rows + k->p->cols;

    for (int i = 0; i < nodes; i++) k->group[i] = i;
    for (int i = 0; i < k->p->rows; i++)
        for (int j = 0; j < k->p->cols && !k->done[i]; j++) {
            if (k->pivot_row[j] >= 0 || !occurs(k, i, j)) continue;
            const int a = yk_top(k->group, i),
                      b = yk_top(k->group, k->p->rows + j);
            if (a != b) k->group[a > b ? a : b] = a < b ? a : b;
        }
    for (int i = 0; i < nodes; i++) k->group[i] = yk_top(k->group, i);
}

static void make_dummy(const maker *k, int j)
{
    const int e = k->p->element[j], order = highest(k, j) - k->round + 1;

    k->m->dummy[(size_t)e * YK_ORDERS + (size_t)order] = true;
}

/* Columns of a group that its rows determine, by complete pivoting of work; the
 * others are kept.  False if the rank is too small. */
static bool pivots(double *work, int rows, int cols, bool *kept)
{
    for (int j = 0; j < cols; j++) kept[j] = true;
    for (int step = 0; step < rows; step++) {
        double best = 0.0;
        int p = step, q = 0;
        for (int i = step; i < rows; i++)
            for (int j = 0; j < cols; j++) {
                const double v = fabs(work[i * cols + j]);
                if (!kept[j] || !(v > best)) continue;
                best = v;
                p = i;
                q = j;
            }
        if (best < YK_EQ_NO_PIVOT) return false;
        kept[q] = false;
        for (int j = 0; j < cols; j++) {
            const double swap = work[p * cols + j];
            work[p * cols + j] = work[step * cols + j];
            work[step * cols + j] = swap;
        }
        for (int i = step + 1; i < rows; i++) {
            const double factor = work[i * cols + q] / work[step * cols + q];
            for (int j = 0; j < cols; j++)
                work[i * cols + j] -= factor * work[step * cols + j];
        }
    }
    return true;
}

/* H of a group at the start values, rows scaled; or random numbers. */
static void fill_group(maker *k, int group, bool random)
{
    unsigned long long seed = 1993;
    double *out = k->work;

    for (int i = 0; i < k->p->rows; i++) {
        if (k->done[i] || k->group[i] != group) continue;
        const double most = largest(k, i);
        for (int j = 0; j < k->p->cols; j++) {
            if (k->group[k->p->rows + j] != group) continue;
            const double v = k->a[at(k, i, j)];
            *out++ = !occurs(k, i, j) ? 0.0
                     : random         ? 0.5 + yk_random(&seed)
                     : most > 0.0     ? v / most
                                      : 0.0;
        }
    }
}

static bool choose_kept(maker *k, int group, int rows, int cols, bool *kept)
{
    if (rows > cols) return false;
    fill_group(k, group, false);
    if (pivots(k->work, rows, cols, kept)) return true;
    fill_group(k, group, true);
    return pivots(k->work, rows, cols, kept);
}

/* ---- Charts -------------------------------------------------------------- */

static yoke_status add_term(yk_chart *c, yk_chart_term term, yoke_err *err)
{
    YK_TRY(YK_GROW(&c->term, &c->term_room, c->terms + 1, err));
    c->term[c->terms++] = term;
    return YOKE_OK;
}

/* What a place contributes to the group: to its own column or, if that is
 * solved for, to those it is replaced by. */
static yoke_status add_place(const maker *k, yk_chart *c,
                             const yk_chart_place *place, const int *column,
                             yoke_err *err)
{
    const int j = k->p->col_number[place->element];

    if (column[j] >= 0)
        return add_term(
            c, (yk_chart_term){ place->ref, column[j], place->sign }, err);
    if (!k->solved[j]) return YOKE_OK;
    const int p = k->pivot_row[j];
    for (int q = 0; q < k->p->cols; q++) {
        const double factor = k->a[at(k, p, q)] / k->a[at(k, p, j)];
        if (q == j || column[q] < 0 || factor == 0.0) continue;
        YK_TRY(add_term(
            c, (yk_chart_term){ place->ref, column[q], -place->sign * factor },
            err));
    }
    return YOKE_OK;
}

static yoke_status add_row(const maker *k, yk_chart *c, int i,
                           const int *column, yoke_err *err)
{
    yk_chart_row *row = &c->row[c->rows++];

    row->first = c->terms;
    for (int e = 0; e < k->p->count; e++) {
        const yk_chart_place *place = &k->p->entry[e];
        if (place->row != k->p->row[i]) continue;
        row->number = place->number;
        row->instance = place->instance;
        YK_TRY(add_place(k, c, place, column, err));
    }
    row->count = c->terms - row->first;
    return YOKE_OK;
}

static void add_column(const maker *k, yk_chart *c, int j)
{
    const yk_model *m = k->m;
    const int e = k->p->element[j], v = m->owner[e];
    const yk_flat_variable *variable = &m->flat->variable[v];
    const double size =
        variable->nominal ? fabs(variable->nominal[e - m->base[v]]) : 1.0;

    c->element[c->cols] = e;
    c->order[c->cols] = highest(k, j) - k->round;
    c->size[c->cols++] = size > 0.0 ? size : 1.0;
}

static yoke_status add_chart(maker *k, yk_chart **out, yoke_err *err)
{
    yk_charts **all = &k->m->charts;

    if (!*all) YK_TRY(YK_NEW(all, 1, err));
    YK_TRY(
        YK_GROW(&(*all)->chart, &(*all)->room, (size_t)(*all)->count + 1, err));
    *out = &(*all)->chart[(*all)->count++];
    **out = (yk_chart){ .component = k->component };
    (*all)->components = k->component + 1;
    return YOKE_OK;
}

/* Takes *kept. */
static yoke_status make_chart(maker *k, int group, int rows, int cols,
                              bool **kept, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_chart *c = NULL;
    int *column = NULL, first = -1;
    double logs = 0.0;

    YK_GO(add_chart(k, &c, err));
    c->kept = *kept;
    *kept = NULL;
    YK_GO(yk_ints(&column, (size_t)k->p->cols, err));
    YK_GO(YK_INTS((size_t)cols, err, &c->element, &c->order));
    YK_GO(yk_doubles(&c->size, (size_t)cols, err));
    YK_GO(YK_NEW(&c->row, rows, err));
    for (int j = 0; j < k->p->cols; j++) {
        column[j] = -1;
        if (k->group[k->p->rows + j] != group) continue;
        column[j] = c->cols;
        add_column(k, c, j);
        make_dummy(k, j);
    }
    for (int i = 0; i < k->p->rows; i++) {
        if (k->done[i] || k->group[i] != group) continue;
        if (first < 0) first = i;
        YK_GO(add_row(k, c, i, column, err));
    }
    for (int j = 0; j < cols; j++) logs += log(c->size[j]);
    c->mean = exp(logs / cols);
    yk_eq_row_name(k->m, &k->m->equation, k->p->row[first], c->name);
    k->m->charts->combinations += cols - rows;
done:
    yk_free(column);
    return status;
}

/* The choice at the start values, for good. */
static void keep_choice(const maker *k, int group, const bool *kept)
{
    int at_column = 0;

    for (int j = 0; j < k->p->cols; j++)
        if (k->group[k->p->rows + j] == group && !kept[at_column++])
            make_dummy(k, j);
}

static yoke_status too_many(const maker *k, int group, int cols, yoke_err *err)
{
    char name[YK_NAME_SIZE];

    yk_eq_row_name(k->m, &k->m->equation, k->p->row[group], name);
    return yk_fail(err, YOKE_E_MODEL,
                   "%s and others: nonlinear constraints join %d unknowns; "
                   "states can be chosen among at most %d: cut the model into "
                   "subsystems, or use angles instead of positions",
                   name, cols, MOST_COLUMNS);
}

static yoke_status make_group(maker *k, int group, bool *regular, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *kept = NULL;
    int rows = 0, cols = 0;

    for (int i = 0; i < k->p->rows; i++)
        rows += !k->done[i] && k->group[i] == group;
    for (int j = 0; j < k->p->cols; j++)
        cols += k->group[k->p->rows + j] == group;
    YK_GO(YK_NEW(&kept, cols, err));
    *regular = choose_kept(k, group, rows, cols, kept);
    if (!*regular) goto done;
    if (rows != cols && cols > MOST_COLUMNS)
        YK_GO(too_many(k, group, cols, err));
    if (rows == cols)
        keep_choice(k, group, kept);
    else
        YK_GO(make_chart(k, group, rows, cols, &kept, err));
done:
    yk_free(kept);
    return status;
}

static yoke_status make_round(maker *k, int round, bool *regular, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    begin_round(k, round);
    *regular = eliminate_constant(k, err, &status);
    if (status != YOKE_OK || !*regular) return status;
    take_lone_columns(k);
    for (int j = 0; j < k->p->cols; j++)
        if (k->pivot_row[j] >= 0) make_dummy(k, j);
    find_groups(k);
    for (int i = 0; i < k->p->rows && *regular; i++) {
        if (k->c[k->p->row[i]] >= round) k->m->dummies++;
        if (!k->done[i] && k->group[i] == i)
            YK_TRY(make_group(k, i, regular, err));
    }
    return YOKE_OK;
}

yoke_status yk_charts_add(yk_model *m, const yk_chart_component *p,
                          const int *c, bool *regular, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    maker k;
    int most = 0;

    YK_GO(maker_create(&k, m, p, c, err));
    *regular = true;
    for (int i = 0; i < p->rows; i++)
        if (c[p->row[i]] > most) most = c[p->row[i]];
    for (int round = 1; round <= most && *regular; round++)
        YK_GO(make_round(&k, round, regular, err));
done:
    maker_free(&k);
    return status;
}
