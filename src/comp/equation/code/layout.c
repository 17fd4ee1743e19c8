/* comp/equation/code/layout.c -- numbers the unknowns and rows, places the
 * entries.
 *
 * Unknowns stand in the order of their slots: variables as declared, then the
 * derivatives that are unknowns.  The rows of a template are consecutive, so a
 * generated loop writes f in order; where an entry of the Jacobian belongs in
 * the compressed columns is an affine function of the loop counters in regular
 * models and a table otherwise.
 */
#include "comp/equation/code/layout.h"

#include "comp/equation/structure/chart.h"
#include "la/pattern.h"
#include "la/sparse.h"

#include <string.h>

void yk_layout_free(yk_layout *l)
{
    for (int i = 0; i < l->blocks; i++) {
        for (int k = 0; k < l->block[i].entries; k++)
            YK_FREE(l->block[i].entry[k].at, l->block[i].entry[k].sign);
        yk_free(l->block[i].entry);
    }
    yk_free(l->block);
    yoke_pattern *pattern[] = { l->C, l->G, l->Cu, l->Gu, l->Hx, l->Hu };
    for (int k = 0; k < 6; k++) yoke_pattern_free(pattern[k]);
    void *all[] = { l->column,    l->x_slot,    l->u_slot,     l->fill_to,
                    l->fill_from, l->fill_sign, l->w,          l->state,
                    l->rate,      l->charged,   l->alone,      l->C_value,
                    l->Cu_value,  l->Hx_value,  l->Hu_value,   l->y_constant,
                    l->J,         l->y_element, l->sample,     l->y_place,
                    l->y_sign,    l->term_link, l->term_state, l->term_factor };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) yk_free(all[k]);
    yk_breaks_free(l->breaks);
    yk_courses_clear(&l->courses);
    yk_courses_clear(&l->bent);
    yk_courses_clear(&l->watched);
    yk_free(l->watch);
    *l = (yk_layout){ 0 };
}

static bool is_unknown(const yk_model *m, int e)
{
    return m->root[e] == e && m->sign[e] != 0 && !yk_is_input(m, e);
}

/* Its derivatives may be unknowns. */
static bool is_free_input(const yk_model *m, int e)
{
    return m->root[e] == e && m->sign[e] != 0 && yk_is_input(m, e);
}

/* ---- Unknowns ----------------------------------------------------------- */

static bool has_column(const yk_model *m, const yk_charge *charge, int e,
                       int order)
{
    if (is_free_input(m, e))
        return order > 0 && charge->needs[yk_order_place(e, order)];
    if (!is_unknown(m, e) || order > m->highest[e]) return false;
    return order == 0 || m->dummy[yk_order_place(e, order)] ||
           charge->needs[yk_order_place(e, order)];
}

static yoke_status number_unknowns(yk_layout *l, const yk_model *m,
                                   const yk_charge *charge, yoke_err *err)
{
    YK_TRY(YK_INTS((size_t)m->slots, err, &l->column, &l->x_slot));
    YK_TRY(yk_ints(&l->u_slot, (size_t)m->elements, err));
    for (int s = 0; s < m->slots; s++) l->column[s] = -1;
    for (int k = 0; k < YK_ORDERS && m->segment[k]; k++)
        for (int e = 0; e < m->elements; e++)
            if (has_column(m, charge, e, k)) {
                const int slot = yk_slot_of(m, e, k);
                l->x_slot[l->n] = slot;
                l->column[slot] = l->n++;
            }
    for (int e = 0; e < m->elements; e++)
        if (yk_is_input(m, e)) l->u_slot[l->m++] = e;
    return YOKE_OK;
}

void yk_layout_output(const yk_layout *l, const double *x, const double *u,
                      double *y)
{
    memcpy(y, l->y_constant, (size_t)l->p * sizeof *y);
    yk_pattern_multiply(l->Hx, l->Hx_value, 1.0, x, y);
    if (u) yk_pattern_multiply(l->Hu, l->Hu_value, 1.0, u, y);
}

void yk_layout_copy(double *to, const double *from, const yoke_pattern *pattern)
{
    if (to) memcpy(to, from, (size_t)yoke_pattern_count(pattern) * sizeof *to);
}

void yk_layout_fill(const yk_layout *l, double *w)
{
    for (int k = 0; k < l->fills; k++)
        w[l->fill_to[k]] = l->fill_sign[k] * w[l->fill_from[k]];
}

int yk_layout_input(const yk_layout *l, int element)
{
    int low = 0, high = l->m - 1;

    while (low < high) {
        const int middle = (low + high) / 2;
        if (l->u_slot[middle] < element)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What else is under d/dt in the links. */
static yoke_status make_terms(yk_layout *l, const yk_model *m,
                              const yk_charge *charge, yoke_err *err)
{
    const size_t count = (size_t)charge->terms;

    YK_TRY(YK_INTS(count, err, &l->term_link, &l->term_state));
    YK_TRY(yk_doubles(&l->term_factor, count, err));
    for (; l->terms < charge->terms; l->terms++) {
        const yk_charge_term *t = &charge->term[l->terms];
        const int rate =
            l->column[yk_slot_of(m, t->into / YK_ORDERS, t->into % YK_ORDERS)];
        while (l->rate[l->term_link[l->terms]] != rate)
            l->term_link[l->terms]++;
        l->term_state[l->terms] = l->column[yk_slot_of(
            m, t->from / YK_ORDERS, t->from % YK_ORDERS - 1)];
        l->term_factor[l->terms] = t->factor;
    }
    return YOKE_OK;
}

/* d/dt x - d = 0 for derivatives that are unknowns, of inputs too. */
static yoke_status make_links(yk_layout *l, const yk_model *m,
                              const yk_charge *charge, yoke_err *err)
{
    YK_TRY(YK_INTS((size_t)l->n, err, &l->state, &l->rate));
    YK_TRY(YK_NEW(&l->charged, (size_t)m->elements * YK_ORDERS, err));
    YK_TRY(YK_NEW(&l->alone, m->elements, err));
    for (int e = 0; e < m->elements; e++) l->alone[e] = charge->alone[e];
    for (int e = 0; e < m->elements; e++) {
        for (int k = 1; is_free_input(m, e) && k < YK_ORDERS; k++) {
            if (!charge->needs[yk_order_place(e, k)]) break;
            l->state[l->links] = k == 1 ? l->n + yk_layout_input(l, e)
                                        : l->column[yk_slot_of(m, e, k - 1)];
            l->rate[l->links++] = l->column[yk_slot_of(m, e, k)];
        }
        for (int k = 1; k <= m->highest[e]; k++) {
            if (!is_unknown(m, e) || m->dummy[yk_order_place(e, k)]) continue;
            if (charge->needs[yk_order_place(e, k)]) {
                l->state[l->links] = l->column[yk_slot_of(m, e, k - 1)];
                l->rate[l->links++] = l->column[yk_slot_of(m, e, k)];
            } else if (!charge->gone[yk_order_place(e, k)])
                l->charged[yk_order_place(e, k)] = true;
        }
    }
    return make_terms(l, m, charge, err);
}

/* d/dt (T z) - T w = 0 for combinations of unknowns. */
static yoke_status place_charts(yk_layout *l, const yk_model *m, yoke_err *err)
{
    int row = l->rows + l->links;

    for (int k = 0; m->charts && k < m->charts->count; k++) {
        yk_chart *c = &m->charts->chart[k];
        const size_t n = (size_t)c->cols;
        const size_t places = n * (n - (size_t)c->rows);
        YK_TRY(YK_INTS(n, err, &c->state, &c->rate));
        YK_TRY(YK_INTS(places, err, &c->c_at, &c->g_at));
        c->first = row;
        row += c->cols - c->rows;
        for (int j = 0; j < c->cols; j++) {
            c->state[j] = l->column[yk_slot_of(m, c->element[j], c->order[j])];
            c->rate[j] =
                l->column[yk_slot_of(m, c->element[j], c->order[j] + 1)];
        }
    }
    l->combinations = row - l->rows - l->links;
    return YOKE_OK;
}

/* Where the T of all charts stand in C and G. */
static void find_charts(const yk_layout *l, const yk_model *m)
{
    for (int k = 0; m->charts && k < m->charts->count; k++) {
        yk_chart *c = &m->charts->chart[k];
        for (int i = 0; i < c->cols - c->rows; i++)
            for (int j = 0; j < c->cols; j++) {
                const int at = i * c->cols + j;
                c->c_at[at] =
                    yoke_pattern_find(l->C, c->first + i, c->state[j]);
                c->g_at[at] = yoke_pattern_find(l->G, c->first + i, c->rate[j]);
            }
    }
}

static yoke_status make_fills(yk_layout *l, const yk_model *m, yoke_err *err)
{
    int count = 0;

    for (int e = 0; e < m->elements; e++)
        count += m->sign[e] != 0 && m->root[e] != e;
    int orders = 0;
    while (orders < YK_ORDERS && m->segment[orders]) orders++;
    const size_t most = (size_t)count * (size_t)orders;
    YK_TRY(YK_INTS(most, err, &l->fill_to, &l->fill_from));
    YK_TRY(yk_doubles(&l->fill_sign, most, err));
    for (int k = 0; k < orders; k++)
        for (int e = 0; e < m->elements; e++)
            if (m->sign[e] != 0 && m->root[e] != e) {
                l->fill_to[l->fills] = yk_slot_of(m, e, k);
                l->fill_from[l->fills] = yk_slot_of(m, m->root[e], k);
                l->fill_sign[l->fills++] = m->sign[e];
            }
    return YOKE_OK;
}

/* ---- Sparse matrices from triplets -------------------------------------- */

static yoke_status compress(const yk_triplets *t, int rows, int cols,
                            yoke_pattern **pattern, double **value,
                            yoke_err *err)
{
    yk_sparse m = { NULL, NULL };

    YK_TRY(yk_sparse_create(&m, rows, cols, t, err));
    *pattern = m.pattern;
    *value = m.value;
    return YOKE_OK;
}

/* ---- Charges ------------------------------------------------------------ */

static yoke_status charge_template(yk_layout *l, yk_model *m,
                                   const yk_template *t, int r, yk_triplets *c,
                                   yk_triplets *cu, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int order = m->pool.node[t->ref[r]].order;
    double *factor = NULL;

    YK_TRY(yk_doubles(&factor, (size_t)t->instances, err));
    YK_GO(yk_evaluate(m, t, 1, &t->slope[r], 0.0, l->w, factor, err));
    for (int k = 0; k < t->instances; k++) {
        int counter[YK_FLAT_LOOPS];
        yk_counters(t, k, counter);
        const int e = yk_template_element(m, t, t->ref[r], counter),
                  root = m->root[e];
        const double value = m->sign[e] * factor[k];
        if (m->sign[e] == 0) continue;
        if (yk_is_input(m, root))
            YK_GO(yk_triplets_add(cu, t->row + k, root, value, err));
        else
            YK_GO(yk_triplets_add(c, t->row + k,
                                  l->column[yk_slot_of(m, root, order - 1)],
                                  value, err));
    }
done:
    yk_free(factor);
    return status;
}

/* Inputs stand in the triplets by element; give them their numbers. */
static void number_inputs(const yk_layout *l, yk_triplets *t)
{
    for (int k = 0; k < t->count; k++)
        t->col[k] = yk_layout_input(l, t->col[k]);
}

static yoke_status make_charges(yk_layout *l, yk_model *m,
                                const yk_charge *charge, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_triplets c = { 0 }, cu = { 0 };

    for (int i = 0; i < m->equation.count; i++) {
        const yk_template *t = &m->equation.at[i];
        for (int r = 0; r < t->refs; r++)
            if (charge->ref[charge->start[i] + r])
                YK_GO(charge_template(l, m, t, r, &c, &cu, err));
    }
    for (int k = 0; k < l->links; k++)
        if (l->state[k] < l->n)
            YK_GO(yk_triplets_add(&c, l->rows + k, l->state[k], 1.0, err));
        else
            YK_GO(yk_triplets_add(&cu, l->rows + k,
                                  l->u_slot[l->state[k] - l->n], 1.0, err));
    for (int k = 0; k < l->terms; k++)
        YK_GO(yk_triplets_add(&c, l->rows + l->term_link[k], l->term_state[k],
                              l->term_factor[k], err));
    for (int k = 0; m->charts && k < m->charts->count; k++) {
        const yk_chart *chart = &m->charts->chart[k];
        for (int i = 0; i < chart->cols - chart->rows; i++)
            for (int j = 0; j < chart->cols; j++)
                YK_GO(yk_triplets_add(&c, chart->first + i, chart->state[j],
                                      0.0, err));
    }
    number_inputs(l, &cu);
    YK_GO(compress(&c, l->n, l->n, &l->C, &l->C_value, err));
    YK_GO(compress(&cu, l->n, l->m, &l->Cu, &l->Cu_value, err));
done:
    yk_triplets_clear(&c);
    yk_triplets_clear(&cu);
    return status;
}

/* ---- Derivatives of f --------------------------------------------------- */

/* Every non-charge reference of every template, as places (row, column of x or
 * n + input), in the order of the templates. */
typedef struct places {
    int *row, *col; /* col = -1: a constant, nothing */
    signed char *sign;
    int count;
} places;

static void places_free(places *p)
{
    YK_FREE(p->row, p->col, p->sign);
}

static void list_reference(const yk_layout *l, const yk_model *m,
                           const int *input, const yk_template *t, int r,
                           places *p)
{
    const int order = m->pool.node[t->ref[r]].order;

    for (int k = 0; k < t->instances; k++) {
        int counter[YK_FLAT_LOOPS];
        yk_counters(t, k, counter);
        const int e = yk_template_element(m, t, t->ref[r], counter),
                  root = m->root[e];
        p->row[p->count] = t->row + k;
        p->sign[p->count] = m->sign[e];
        p->col[p->count++] = m->sign[e] == 0 ? -1
                             : yk_is_input(m, root) && order == 0
                                 ? l->n + input[root]
                                 : l->column[yk_slot_of(m, root, order)];
    }
}

static yoke_status list_places(const yk_layout *l, const yk_model *m,
                               const yk_charge *charge, places *p,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *input = NULL;
    size_t most = 0;

    for (int i = 0; i < m->equation.count; i++)
        most += (size_t)m->equation.at[i].instances *
                (size_t)m->equation.at[i].refs;
    YK_GO(YK_INTS(most, err, &p->row, &p->col));
    YK_GO(YK_NEW(&p->sign, most, err));
    YK_GO(yk_ints(&input, (size_t)m->elements, err));
    for (int k = 0; k < l->m; k++) input[l->u_slot[k]] = k;
    for (int i = 0; i < m->equation.count; i++)
        for (int r = 0; r < m->equation.at[i].refs; r++)
            if (!charge->ref[charge->start[i] + r])
                list_reference(l, m, input, &m->equation.at[i], r, p);
done:
    yk_free(input);
    return status;
}

static size_t chart_places(const yk_model *m)
{
    size_t count = 0;

    for (int k = 0; m->charts && k < m->charts->count; k++) {
        const yk_chart *c = &m->charts->chart[k];
        count += (size_t)(c->cols - c->rows) * (size_t)c->cols;
    }
    return count;
}

/* The patterns of G and Gu; the links have -1 at their rates. */
static yoke_status make_patterns(yk_layout *l, const yk_model *m,
                                 const places *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *row = NULL, *col = NULL, count = 0, count_u = 0;
    const size_t most = (size_t)p->count + (size_t)l->links + chart_places(m);

    YK_GO(YK_INTS(most, err, &row, &col));
    for (int k = 0; k < p->count; k++)
        if (p->col[k] >= 0 && p->col[k] < l->n) {
            row[count] = p->row[k];
            col[count++] = p->col[k];
        }
    for (int k = 0; k < l->links; k++) {
        row[count] = l->rows + k;
        col[count++] = l->rate[k];
    }
    for (int k = 0; m->charts && k < m->charts->count; k++) {
        const yk_chart *c = &m->charts->chart[k];
        for (int i = 0; i < c->cols - c->rows; i++)
            for (int j = 0; j < c->cols; j++) {
                row[count] = c->first + i;
                col[count++] = c->rate[j];
            }
    }
    YK_GO(yoke_pattern_create(&l->G, l->n, l->n, count, row, col, err));
    for (int k = 0; k < p->count; k++)
        if (p->col[k] >= l->n) {
            row[count_u] = p->row[k];
            col[count_u++] = p->col[k] - l->n;
        }
    YK_GO(yoke_pattern_create(&l->Gu, l->n, l->m, count_u, row, col, err));
    l->g_count = yoke_pattern_count(l->G);
    l->gu_count = yoke_pattern_count(l->Gu);
    YK_GO(yk_doubles(&l->J, (size_t)(l->g_count + l->gu_count) + 1, err));
    for (int k = 0; k < l->links; k++)
        l->J[yoke_pattern_find(l->G, l->rows + k, l->rate[k])] = -1.0;
done:
    YK_FREE(row, col);
    return status;
}

static int find_place(const yk_layout *l, int row, int col)
{
    if (col < 0) return l->g_count + l->gu_count;
    return col < l->n ? yoke_pattern_find(l->G, row, col)
                      : l->g_count + yoke_pattern_find(l->Gu, row, col - l->n);
}

/* Is `at` an affine function of the counters? */
static void find_strides(const yk_template *t, yk_entry *e)
{
    int weight = 1;

    e->affine = t->list == NULL;
    e->first = e->at[0];
    for (int l = t->loops - 1; l >= 0; l--) {
        e->stride[l] = t->count[l] > 1 ? e->at[weight] - e->at[0] : 0;
        weight *= t->count[l];
    }
    for (int k = 0; k < t->instances && e->affine; k++) {
        int counter[YK_FLAT_LOOPS], expected = e->first;
        yk_counters(t, k, counter);
        for (int l = 0; l < t->loops; l++)
            expected += e->stride[l] * counter[l];
        e->affine = expected == e->at[k];
    }
}

static yoke_status make_entry(yk_layout *l, const places *p, int start,
                              const int *hits, const yk_template *t, int node,
                              yk_entry *e, yoke_err *err)
{
    const int last = l->g_count + l->gu_count;
    bool negative = false;

    *e = (yk_entry){ .node = node, .alone = true };
    YK_TRY(yk_ints(&e->at, (size_t)t->instances, err));
    for (int k = 0; k < t->instances; k++) {
        e->at[k] = find_place(l, p->row[start + k], p->col[start + k]);
        negative = negative || p->sign[start + k] < 0;
        if (e->at[k] == last)
            l->trash = true;
        else if (hits[e->at[k]] > 1)
            e->alone = false;
    }
    find_strides(t, e);
    if (!negative) return YOKE_OK;
    YK_TRY(yk_doubles(&e->sign, (size_t)t->instances, err));
    for (int k = 0; k < t->instances; k++) e->sign[k] = p->sign[start + k];
    return YOKE_OK;
}

/* Entries that do not change are computed once. */
static yoke_status constant_entry(yk_layout *l, yk_model *m, const places *p,
                                  int start, const yk_template *t, int node,
                                  yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *value = NULL;

    YK_TRY(yk_doubles(&value, (size_t)t->instances, err));
    YK_GO(yk_evaluate(m, t, 1, &node, 0.0, l->w, value, err));
    for (int k = 0; k < t->instances; k++)
        if (p->col[start + k] >= 0)
            l->J[find_place(l, p->row[start + k], p->col[start + k])] +=
                p->sign[start + k] * value[k];
done:
    yk_free(value);
    return status;
}

static bool all_constant(const places *p, int start, int count)
{
    for (int k = 0; k < count; k++)
        if (p->col[start + k] >= 0) return false;
    return true;
}

static yoke_status make_block(yk_layout *l, yk_model *m, const bool *charged,
                              const places *p, int *start, const int *hits,
                              const yk_template *t, yk_block *b, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *gone = NULL, count = 0;

    YK_TRY(yk_ints(&gone, (size_t)t->refs, err));
    b->t = *t;
    b->t.ref = b->t.slope = NULL;
    b->t.refs = 0;
    YK_GO(YK_NEW(&b->entry, t->refs, err));
    for (int r = 0; r < t->refs; r++) {
        const int from = *start, node = t->slope[r];
        if (charged[r]) {
            gone[count++] = t->ref[r];
            continue;
        }
        *start += t->instances;
        if (all_constant(p, from, t->instances)) continue;
        if (yk_eq_expr_is_constant(&m->pool, node))
            YK_GO(constant_entry(l, m, p, from, t, node, err));
        else
            YK_GO(make_entry(l, p, from, hits, t, node, &b->entry[b->entries++],
                             err));
    }
    if (count > 0)
        YK_GO(yk_without(&m->pool, t->residual, count, gone, &b->t.residual,
                         err));
    l->affine = l->affine && b->entries == 0;
done:
    yk_free(gone);
    return status;
}

static yoke_status make_blocks(yk_layout *l, yk_model *m,
                               const yk_charge *charge, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    places p = { 0 };
    int *hits = NULL, start = 0;

    YK_GO(list_places(l, m, charge, &p, err));
    YK_GO(make_patterns(l, m, &p, err));
    YK_GO(yk_ints(&hits, (size_t)(l->g_count + l->gu_count) + 1, err));
    for (int k = 0; k < p.count; k++) hits[find_place(l, p.row[k], p.col[k])]++;
    YK_GO(YK_NEW(&l->block, m->equation.count, err));
    l->affine = true;
    for (int i = 0; i < m->equation.count; i++) {
        l->blocks = i + 1;
        YK_GO(make_block(l, m, charge->ref + charge->start[i], &p, &start, hits,
                         &m->equation.at[i], &l->block[i], err));
    }
done:
    places_free(&p);
    yk_free(hits);
    return status;
}

/* ---- Outputs ------------------------------------------------------------ */

static yoke_status list_outputs(yk_layout *l, const yk_model *m, yoke_err *err)
{
    const yk_flat *flat = m->flat;
    bool declared = false;

    YK_TRY(yk_ints(&l->y_element, (size_t)m->elements, err));
    for (int v = 0; v < flat->variables; v++)
        declared = declared || (flat->variable[v].is_output &&
                                flat->variable[v].kind == YK_FLAT_UNKNOWN);
    for (int e = 0; e < m->elements; e++) {
        const yk_flat_variable *v = &flat->variable[m->owner[e]];
        if (v->kind == YK_FLAT_UNKNOWN && (!declared || v->is_output))
            l->y_element[l->p++] = e;
    }
    return YOKE_OK;
}

static yoke_status make_outputs(yk_layout *l, const yk_model *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_triplets hx = { 0 }, hu = { 0 };

    YK_GO(list_outputs(l, m, err));
    YK_GO(yk_doubles(&l->y_constant, (size_t)l->p, err));
    YK_GO(yk_ints(&l->y_place, (size_t)l->p, err));
    YK_GO(YK_NEW(&l->y_sign, l->p, err));
    for (int k = 0; k < l->p; k++) {
        const int e = l->y_element[k], root = m->root[e];
        l->y_sign[k] = m->sign[e];
        l->y_place[k] = m->sign[e] == 0        ? -1
                        : yk_is_input(m, root) ? l->n + yk_layout_input(l, root)
                                               : l->column[root];
        if (m->sign[e] == 0)
            l->y_constant[k] = m->value[e];
        else if (yk_is_input(m, root))
            YK_GO(yk_triplets_add(&hu, k, root, m->sign[e], err));
        else
            YK_GO(yk_triplets_add(&hx, k, l->column[root], m->sign[e], err));
    }
    number_inputs(l, &hu);
    YK_GO(compress(&hx, l->p, l->n, &l->Hx, &l->Hx_value, err));
    YK_GO(compress(&hu, l->p, l->m, &l->Hu, &l->Hu_value, err));
done:
    yk_triplets_clear(&hx);
    yk_triplets_clear(&hu);
    return status;
}

yoke_status yk_layout_create(yk_layout *l, yk_model *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_charge charge = { 0 };

    *l = (yk_layout){ .rows = m->equation.rows, .slots = m->slots };
    YK_GO(yk_charge_create(&charge, m, err));
    YK_GO(yk_doubles(&l->w, (size_t)m->slots, err));
    yk_eq_start_values(m, l->w);
    YK_GO(number_unknowns(l, m, &charge, err));
    YK_GO(make_links(l, m, &charge, err));
    YK_GO(place_charts(l, m, err));
    if (l->rows + l->links + l->combinations != l->n)
        YK_GO(yk_fail(err, YOKE_E_MODEL,
                      "%s: %d equations for %d unknowns after reduction",
                      m->flat->file, l->rows + l->links + l->combinations,
                      l->n));
    YK_GO(make_fills(l, m, err));
    YK_GO(make_charges(l, m, &charge, err));
    YK_GO(make_blocks(l, m, &charge, err));
    find_charts(l, m);
    YK_GO(make_outputs(l, m, err));
    YK_GO(yk_find_breaks(l, m, err));
done:
    yk_charge_free(&charge);
    if (status != YOKE_OK) yk_layout_free(l);
    return status;
}
