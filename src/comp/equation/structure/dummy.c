/* comp/equation/structure/dummy.c -- which derivatives become algebraic
 * unknowns.
 *
 * Equation i has been differentiated c(i) times, and unknown j occurs with
 * derivatives up to d(j).  With H the matrix of d g_i / d x_j^(s(i,j)), places
 * s(i,j) = d(j) - c(i), at the start values:
 *
 *     round 1   rows with c >= 1, all unknowns: as many columns as rows are
 *               chosen so that they form a regular matrix; their derivatives of
 *               order d become dummies
 *     round k   rows with c >= k, columns chosen in round k - 1: the
 *               derivatives of order d - k + 1
 *
 * (Mattsson and Soederlind, SIAM J. Sci. Comput. 14 (1993) 677).  The columns
 * are those of the pivots of Gauss's elimination with complete pivoting, so the
 * choice is well conditioned where it is made.  Columns with larger d go first:
 * positions before velocities, which makes both rounds of a mechanical
 * constraint choose the same coordinate.
 *
 * Each connected component is treated on its own.  If H is constant there, the
 * choice is good forever; otherwise see chart_make.c.
 */
#include "comp/equation/structure/chart.h"
#include "comp/equation/structure/reduce.h"
#include "base/parents.h"
#include "comp/equation/policy.h"

#include <math.h>
#include <string.h>

typedef struct chooser {
    yk_model *m;
    const int *c;
    yk_chart_place *entry; /* places of H in rows with c >= 1 */
    int entries;
    size_t room;
    int *parent; /* components: rows, then elements */
    int *number; /* of each row and element within its component */
} chooser;

/* ---- The matrix H ------------------------------------------------------- */

static yoke_status add_entry(chooser *h, yk_chart_place place, yoke_err *err)
{
    YK_TRY(YK_GROW(&h->entry, &h->room, h->entries + 1, err));
    if (!isfinite(place.value)) place.value = 0.0;
    h->entry[h->entries++] = place;
    return YOKE_OK;
}

static yoke_status add_template(chooser *h, int number, const double *w,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_template t = h->m->equation.at[number];
    const size_t refs = (size_t)t.refs;
    double *value = NULL;
    bool any = false;

    for (int k = 0; k < t.instances; k++) any = any || h->c[t.row + k] > 0;
    if (!any) return YOKE_OK;
    YK_TRY(yk_doubles(&value, (size_t)t.instances * refs, err));
    YK_GO(yk_evaluate(h->m, &t, t.refs, t.slope, 0.0, w, value, err));
    for (int k = 0; k < t.instances; k++) {
        int counter[YK_FLAT_LOOPS];
        const int row = t.row + k;
        if (h->c[row] == 0) continue;
        yk_counters(&t, k, counter);
        for (int r = 0; r < t.refs; r++) {
            const int e = yk_template_element(h->m, &t, t.ref[r], counter);
            const int root = h->m->root[e], sign = h->m->sign[e];
            if (sign == 0 || yk_is_input(h->m, root)) continue;
            if (h->m->pool.node[t.ref[r]].order + h->c[row] !=
                h->m->highest[root])
                continue;
            YK_GO(add_entry(
                h,
                (yk_chart_place){
                    .row = row,
                    .element = root,
                    .value = sign * value[(size_t)k * refs + (size_t)r],
                    .constant = yk_eq_expr_is_constant(&h->m->pool, t.slope[r]),
                    .number = number,
                    .instance = k,
                    .ref = r,
                    .sign = sign },
                err));
        }
    }
done:
    yk_free(value);
    return status;
}

/* ---- Components --------------------------------------------------------- */

static int by_component_order(const chooser *h, const yk_chart_place *a,
                              const yk_chart_place *b)
{
    const int x = h->parent[a->row], y = h->parent[b->row];
    return (x > y) - (x < y);
}

/* Entries of one component together: a stable counting sort. */
static yoke_status sort_by_component(chooser *h, int rows, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *start = NULL;
    yk_chart_place *sorted = NULL;
    const int nodes = rows + h->m->elements;

    YK_GO(yk_ints(&start, (size_t)nodes + 1, err));
    YK_GO(YK_NEW(&sorted, h->entries, err));
    for (int k = 0; k < h->entries; k++)
        start[h->parent[h->entry[k].row] + 1]++;
    for (int i = 0; i < nodes; i++) start[i + 1] += start[i];
    for (int k = 0; k < h->entries; k++)
        sorted[start[h->parent[h->entry[k].row]]++] = h->entry[k];
    memcpy(h->entry, sorted, (size_t)h->entries * sizeof *sorted);
done:
    YK_FREE(start, sorted);
    return status;
}

static yoke_status find_components(chooser *h, int rows, yoke_err *err)
{
    const int nodes = rows + h->m->elements;

    YK_TRY(YK_INTS((size_t)nodes, err, &h->parent, &h->number));
    for (int i = 0; i < nodes; i++) h->parent[i] = i;
    for (int k = 0; k < h->entries; k++) {
        const int a = yk_top(h->parent, h->entry[k].row);
        const int b = yk_top(h->parent, rows + h->entry[k].element);
        if (a != b) h->parent[a > b ? a : b] = a < b ? a : b;
    }
    for (int i = 0; i < nodes; i++) h->parent[i] = yk_top(h->parent, i);
    return sort_by_component(h, rows, err);
}

/* ---- One component ------------------------------------------------------ */

typedef struct dense {
    int rows, cols;
    int *row, *element; /* which they are */
    double *a, *work;   /* rows by cols */
    bool *used;         /* rows that have a pivot */
    int *chosen;        /* columns: last round in which it was chosen */
} dense;

static void dense_free(dense *d)
{
    YK_FREE(d->row, d->element, d->a, d->work, d->used, d->chosen);
}

static void number_component(chooser *h, const yk_chart_place *entry, int count,
                             int rows, dense *d)
{
    for (int k = 0; k < count; k++) {
        h->number[entry[k].row] = -1;
        h->number[rows + entry[k].element] = -1;
    }
    for (int k = 0; k < count; k++) {
        int *i = &h->number[entry[k].row];
        int *j = &h->number[rows + entry[k].element];
        if (*i < 0) {
            d->row[d->rows] = entry[k].row;
            *i = d->rows++;
        }
        if (*j < 0) {
            d->element[d->cols] = entry[k].element;
            *j = d->cols++;
        }
    }
}

static yoke_status dense_create(chooser *h, const yk_chart_place *entry,
                                int count, int rows, dense *d, yoke_err *err)
{
    char name[YK_NAME_SIZE];

    *d = (dense){ 0 };
    YK_TRY(YK_INTS((size_t)count, err, &d->row, &d->element));
    number_component(h, entry, count, rows, d);
    if ((double)d->rows * d->cols > 5e7) {
        yk_eq_row_name(h->m, &h->m->equation, d->row[0], name);
        return yk_fail(err, YOKE_E_MODEL,
                       "%s and others: %d connected constraints, too many for "
                       "the reduction of the index",
                       name, d->rows);
    }
    const size_t size = (size_t)d->rows * (size_t)d->cols;
    YK_TRY(YK_DOUBLES(size, err, &d->a, &d->work));
    YK_TRY(YK_NEW(&d->used, d->rows, err));
    YK_TRY(yk_ints(&d->chosen, (size_t)d->cols, err));
    for (int k = 0; k < count; k++)
        d->a[(size_t)h->number[entry[k].row] * (size_t)d->cols +
             (size_t)h->number[rows + entry[k].element]] += entry[k].value;
    return YOKE_OK;
}

static double *at(dense *d, int i, int j)
{
    return &d->work[(size_t)i * (size_t)d->cols + (size_t)j];
}

/* Rows of the round, scaled to largest entry one. */
static int load_rows(const chooser *h, dense *d, int round)
{
    int wanted = 0;

    memcpy(d->work, d->a, (size_t)d->rows * (size_t)d->cols * sizeof *d->work);
    for (int i = 0; i < d->rows; i++) {
        double most = 0.0;
        d->used[i] = h->c[d->row[i]] < round;
        if (!d->used[i]) wanted++;
        for (int j = 0; j < d->cols; j++) most = fmax(most, fabs(*at(d, i, j)));
        if (most > 0.0)
            for (int j = 0; j < d->cols; j++) *at(d, i, j) /= most;
    }
    return wanted;
}

/* The largest pivot in columns of order `order` that are candidates. */
static double best_pivot(const chooser *h, dense *d, int round, int order,
                         int *pi, int *pj)
{
    double best = 0.0;

    for (int i = 0; i < d->rows; i++) {
        if (d->used[i]) continue;
        for (int j = 0; j < d->cols; j++) {
            const double v = fabs(*at(d, i, j));
            if (d->chosen[j] != round - 1 ||
                h->m->highest[d->element[j]] != order || v <= best)
                continue;
            best = v;
            *pi = i;
            *pj = j;
        }
        if (d->rows > YK_EQ_ALL_PIVOTS && best > YK_EQ_ENOUGH) break;
    }
    return best;
}

static void eliminate(dense *d, int pi, int pj)
{
    for (int i = 0; i < d->rows; i++) {
        if (d->used[i] || i == pi || *at(d, i, pj) == 0.0) continue;
        const double factor = *at(d, i, pj) / *at(d, pi, pj);
        for (int j = 0; j < d->cols; j++)
            *at(d, i, j) -= factor * *at(d, pi, j);
        *at(d, i, pj) = 0.0;
    }
    d->used[pi] = true;
}

/* Columns of one round get chosen = round; false if the rank is too small. */
static bool choose_round(const chooser *h, dense *d, int round)
{
    int wanted = load_rows(h, d, round);

    for (int order = YK_ORDERS - 1; order >= round && wanted > 0; order--)
        while (wanted > 0) {
            int i = -1, j = -1;
            if (best_pivot(h, d, round, order, &i, &j) < YK_EQ_NO_PIVOT) break;
            d->chosen[j] = round;
            eliminate(d, i, j);
            wanted--;
        }
    return wanted == 0;
}

static bool choose_rounds(const chooser *h, dense *d)
{
    int most = 0;

    for (int i = 0; i < d->rows; i++)
        if (h->c[d->row[i]] > most) most = h->c[d->row[i]];
    memset(d->chosen, 0, (size_t)d->cols * sizeof *d->chosen);
    for (int round = 1; round <= most; round++)
        if (!choose_round(h, d, round)) return false;
    return true;
}

/* Singular at the start values (all zero, say): decide by structure. */
static void randomise(const chooser *h, const yk_chart_place *entry, int count,
                      int rows, dense *d)
{
    unsigned long long seed = 1993;

    for (int k = 0; k < count; k++)
        d->a[(size_t)h->number[entry[k].row] * (size_t)d->cols +
             (size_t)h->number[rows + entry[k].element]] =
            0.5 + yk_random(&seed);
}

/* One choice for all times; false if the constraints depend on each other. */
static bool choose_for_good(chooser *h, const yk_chart_place *entry, int count,
                            int rows, dense *d)
{
    if (!choose_rounds(h, d)) {
        randomise(h, entry, count, rows, d);
        if (!choose_rounds(h, d)) return false;
    }
    for (int j = 0; j < d->cols; j++)
        for (int k = 0; k < d->chosen[j]; k++) {
            const int e = d->element[j], order = h->m->highest[e] - k;
            h->m->dummy[(size_t)e * YK_ORDERS + (size_t)order] = true;
            h->m->dummies++;
        }
    return true;
}

static yoke_status choose_component(chooser *h, const yk_chart_place *entry,
                                    int count, int rows, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    dense d;
    bool constant = true, regular = false;
    char name[YK_NAME_SIZE];

    for (int k = 0; k < count; k++) constant = constant && entry[k].constant;
    YK_GO(dense_create(h, entry, count, rows, &d, err));
    const yk_chart_component p = {
        d.rows,    d.cols,           count, d.row, d.element,
        h->number, h->number + rows, entry
    };
    if (constant)
        regular = choose_for_good(h, entry, count, rows, &d);
    else
        YK_GO(yk_charts_add(h->m, &p, h->c, &regular, err));
    if (regular) goto done;
    yk_eq_row_name(h->m, &h->m->equation, d.row[0], name);
    status =
        yk_fail(err, YOKE_E_MODEL,
                "%s and others: these constraints depend on each other", name);
done:
    dense_free(&d);
    return status;
}

yoke_status yk_choose_dummies(yk_model *m, int templates, const int *c,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    chooser h = { .m = m, .c = c };
    double *w = NULL;
    const int rows = m->equation.at[templates - 1].row +
                     m->equation.at[templates - 1].instances;

    YK_GO(yk_doubles(&w, (size_t)m->slots, err));
    yk_eq_start_values(m, w);
    for (int i = 0; i < templates; i++) YK_GO(add_template(&h, i, w, err));
    YK_GO(find_components(&h, rows, err));
    for (int k = 0, next; k < h.entries; k = next) {
        next = k + 1;
        while (next < h.entries &&
               by_component_order(&h, &h.entry[k], &h.entry[next]) == 0)
            next++;
        YK_GO(choose_component(&h, h.entry + k, next - k, rows, err));
    }
    YK_GO(yk_charts_finish(m, err));
done:
    YK_FREE(w, h.entry, h.parent, h.number);
    return status;
}
