/* comp/equation/structure/combine.c -- derivatives that occur in combinations
 * only.
 *
 * A capacitor between two nodes gives C (u1' - u2') to two equations: neither
 * u1' nor u2' is determined, but their difference is, and that is all that is
 * needed.  As unknowns of their own, d1 and d2, they would make the index 2.
 *
 * Let d be derivatives that need unknowns and D(t, x, d) the slopes of all
 * equations by them.  If D z = 0 for a constant z, whatever t, x and d are, the
 * equations depend on combinations only: with columns P of D independent and
 * the others D_N = D_P A, A constant,
 *
 *     w = d_P + A d_N,        d/dt (x_P + A x_N) - w = 0,
 *
 * are as many unknowns and rows as there are columns in P; in the equations w
 * stands for d_P, and 0 for d_N.  Whether such z exist is found by Gauss's
 * elimination of D at several random points together; that they are more than a
 * coincidence has probability one.  So C(x) (u1' - u2') is covered as well.
 *
 * Derivatives in relations are left alone: they must have values of their own.
 * So are groups of more than MOST derivatives.
 */
#include "comp/equation/code/layout.h"
#include "comp/equation/structure/chart.h"
#include "base/parents.h"
#include "comp/equation/policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 400, SAMPLES = 3 };

typedef struct entry {
    int row, place;
    double value;
} entry;

typedef struct combiner {
    yk_model *m;
    yk_charge *charge;
    bool *candidate; /* places */
    int *parent;     /* places, then rows: union and find */
    int *number;     /* of a place or row in its group */
    entry *all;      /* slopes at all samples; row: sample * rows + row */
    int count, rows;
    size_t room;
    double *a; /* one group: rows by cols */
} combiner;

static void join(int *parent, int i, int j)
{
    const int a = yk_top(parent, i), b = yk_top(parent, j);

    parent[a > b ? a : b] = a > b ? b : a;
}

/* ---- Candidates ---------------------------------------------------------- */

static void strike(const combiner *c, const yk_templates *all)
{
    for (int i = 0; i < all->count; i++) {
        const yk_template *t = &all->at[i];
        for (int r = 0; r < t->refs; r++)
            for (int k = 0; k < t->instances; k++) {
                int counter[YK_FLAT_LOOPS];
                yk_counters(t, k, counter);
                const int e = yk_template_element(c->m, t, t->ref[r], counter);
                c->candidate[yk_order_place(
                    c->m->root[e], c->m->pool.node[t->ref[r]].order)] = false;
            }
    }
}

/* Highest derivatives with unknowns of their own. */
static int find_candidates(const combiner *c)
{
    const yk_model *m = c->m;
    int count = 0;

    for (int e = 0; e < m->elements; e++) {
        const size_t place = yk_order_place(e, m->highest[e]);
        if (m->root[e] == e && m->sign[e] != 0 && !yk_is_input(m, e) &&
            m->highest[e] > 0 && !m->dummy[place] && c->charge->needs[place])
            c->candidate[place] = true;
    }
    strike(c, &m->relation);
    strike(c, &m->action);
    strike(c, &m->initial);
    for (int e = 0; e < m->elements; e++)
        count += c->candidate[yk_order_place(e, m->highest[e])];
    return count;
}

/* ---- Slopes -------------------------------------------------------------- */

/* All values somewhere near the start, derivatives of any size. */
static void disturb(const yk_model *m, unsigned long long *seed, double *w)
{
    yk_eq_start_values(m, w);
    for (int k = 0; k < YK_ORDERS && m->segment[k]; k++) {
        for (int e = 0; e < m->elements; e++)
            if (m->root[e] == e && m->sign[e] != 0) {
                double *const v = &w[yk_slot_of(m, e, k)];
                *v += (0.2 + yk_random(seed)) * (0.1 + 0.1 * fabs(*v));
            }
        for (int e = 0; e < m->elements; e++)
            if (m->root[e] != e && m->sign[e] != 0)
                w[yk_slot_of(m, e, k)] =
                    m->sign[e] * w[yk_slot_of(m, m->root[e], k)];
    }
}

static yoke_status add_slope(combiner *c, int row, size_t place, double value,
                             yoke_err *err)
{
    YK_TRY(YK_GROW(&c->all, &c->room, c->count + 1, err));
    c->all[c->count++] = (entry){ row, (int)place, value };
    return YOKE_OK;
}

static yoke_status add_template(combiner *c, const yk_template *t, int sample,
                                const double *w, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t refs = (size_t)t->refs;
    const int places = c->m->elements * YK_ORDERS;
    double *value = NULL;
    bool any = false;

    for (int r = 0; r < t->refs; r++)
        any = any || c->m->pool.node[t->ref[r]].order > 0;
    if (!any) return YOKE_OK;
    YK_GO(yk_doubles(&value, (size_t)t->instances * refs, err));
    YK_GO(yk_evaluate(c->m, t, t->refs, t->slope, 0.3 * sample, w, value, err));
    for (int k = 0; k < t->instances; k++) {
        int counter[YK_FLAT_LOOPS];
        yk_counters(t, k, counter);
        for (int r = 0; r < t->refs; r++) {
            const int e = yk_template_element(c->m, t, t->ref[r], counter);
            const size_t place =
                yk_order_place(c->m->root[e], c->m->pool.node[t->ref[r]].order);
            if (!c->candidate[place] || c->m->sign[e] == 0) continue;
            join(c->parent, (int)place, places + t->row + k);
            YK_GO(add_slope(c, sample * c->rows + t->row + k, place,
                            c->m->sign[e] * value[(size_t)k * refs + (size_t)r],
                            err));
        }
    }
done:
    yk_free(value);
    return status;
}

static yoke_status find_slopes(combiner *c, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    unsigned long long seed = 2001;
    double *w = NULL;

    YK_GO(yk_doubles(&w, (size_t)c->m->slots, err));
    for (int s = 0; s < SAMPLES; s++) {
        disturb(c->m, &seed, w);
        for (int i = 0; i < c->m->equation.count; i++)
            YK_GO(add_template(c, &c->m->equation.at[i], s, w, err));
    }
done:
    yk_free(w);
    return status;
}

/* ---- One group ----------------------------------------------------------- */

/* Gauss and Jordan, column by column: pivot[j] is the row of column j, or -1.
 * Returns the rank. */
static int eliminate(double *a, int rows, int cols, int *pivot, bool *used)
{
    int rank = 0;

    for (int j = 0; j < cols; j++) {
        double most = 0.0;
        int best = -1;
        pivot[j] = -1;
        for (int i = 0; i < rows; i++)
            if (!used[i] && fabs(a[i * cols + j]) > most) {
                most = fabs(a[i * cols + j]);
                best = i;
            }
        if (most < YK_EQ_NO_PIVOT) continue;
        used[best] = true;
        pivot[j] = best;
        rank++;
        for (int k = cols - 1; k >= j; k--)
            a[best * cols + k] /= a[best * cols + j];
        for (int i = 0; i < rows; i++) {
            const double factor = a[i * cols + j];
            if (i == best || factor == 0.0) continue;
            for (int k = j; k < cols; k++)
                a[i * cols + k] -= factor * a[best * cols + k];
        }
    }
    return rank;
}

/* The slopes of a group, rows scaled; false if one is not a number. */
static bool load(const combiner *c, const entry *at, int count, int cols,
                 int rows)
{
    memset(c->a, 0, (size_t)rows * (size_t)cols * sizeof *c->a);
    for (int k = 0; k < count; k++) {
        if (!isfinite(at[k].value)) return false;
        c->a[c->number[c->m->elements * YK_ORDERS + at[k].row] * cols +
             c->number[at[k].place]] += at[k].value;
    }
    for (int i = 0; i < rows; i++) {
        double most = 0.0;
        for (int j = 0; j < cols; j++)
            most = fmax(most, fabs(c->a[i * cols + j]));
        for (int j = 0; j < cols && most > 0.0; j++) c->a[i * cols + j] /= most;
    }
    return true;
}

/* w for the pivots, nothing for the others. */
static yoke_status replace(combiner *c, const int *place, int cols,
                           const int *pivot, yoke_err *err)
{
    for (int j = 0; j < cols; j++) {
        if (pivot[j] >= 0) continue;
        c->charge->needs[place[j]] = false;
        c->charge->gone[place[j]] = true;
        c->charge->gones++;
        for (int p = 0; p < j; p++) {
            if (pivot[p] < 0) continue;
            const double factor = c->a[pivot[p] * cols + j];
            if (fabs(factor) < YK_EQ_NO_PIVOT) continue;
            const double whole = round(factor);
            YK_TRY(YK_GROW(&c->charge->term, &c->charge->term_room,
                           c->charge->terms + 1, err));
            c->charge->term[c->charge->terms++] = (yk_charge_term){
                place[p], place[j],
                fabs(factor - whole) < 1e-12 * fabs(whole) ? whole : factor
            };
        }
    }
    return YOKE_OK;
}

static yoke_status combine_group(combiner *c, const entry *at, int count,
                                 yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int places = c->m->elements * YK_ORDERS;
    int *place = NULL, *pivot = NULL, cols = 0, rows = 0;
    bool *used = NULL;

    YK_GO(YK_INTS((size_t)count, err, &place, &pivot));
    for (int k = 0; k < count; k++)
        c->number[at[k].place] = c->number[places + at[k].row] = -1;
    for (int k = 0; k < count; k++) {
        int *const i = &c->number[places + at[k].row];
        int *const j = &c->number[at[k].place];
        if (*i < 0) *i = rows++;
        if (*j >= 0) continue;
        place[cols] = at[k].place;
        *j = cols++;
    }
    if (cols < 2 || cols > MOST) goto done;
    YK_GO(yk_doubles(&c->a, (size_t)rows * (size_t)cols, err));
    YK_GO(YK_NEW(&used, rows, err));
    if (load(c, at, count, cols, rows) &&
        eliminate(c->a, rows, cols, pivot, used) < cols)
        YK_GO(replace(c, place, cols, pivot, err));
done:
    YK_FREE(place, pivot, used, c->a);
    c->a = NULL;
    return status;
}

/* Slopes of one group together, in the order in which they were found. */
static yoke_status combine_groups(combiner *c, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int places = c->m->elements * YK_ORDERS;
    int *first = NULL;
    entry *sorted = NULL;

    YK_GO(yk_ints(&first, (size_t)places + 2, err));
    YK_GO(YK_NEW(&sorted, c->count, err));
    for (int k = 0; k < c->count; k++)
        first[yk_top(c->parent, c->all[k].place) + 2]++;
    for (int g = 0; g < places; g++) first[g + 2] += first[g + 1];
    for (int k = 0; k < c->count; k++)
        sorted[first[yk_top(c->parent, c->all[k].place) + 1]++] = c->all[k];
    for (int g = 0; g < places; g++)
        if (first[g + 1] > first[g])
            YK_GO(combine_group(c, sorted + first[g], first[g + 1] - first[g],
                                err));
done:
    YK_FREE(first, sorted);
    return status;
}

yoke_status yk_charge_combine(yk_charge *charge, yk_model *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    combiner c = { .m = m, .charge = charge, .rows = m->equation.rows };
    const size_t places = (size_t)m->elements * YK_ORDERS;
    const size_t rows = (size_t)c.rows * SAMPLES;

    YK_GO(YK_NEW(&charge->gone, places, err));
    YK_GO(YK_NEW(&c.candidate, places, err));
    if (find_candidates(&c) < 2) goto done;
    YK_GO(YK_INTS(places + rows, err, &c.parent, &c.number));
    for (size_t i = 0; i < places + rows; i++) c.parent[i] = (int)i;
    YK_GO(find_slopes(&c, err));
    YK_GO(combine_groups(&c, err));
    if (charge->gones > 0 && m->index < 1) m->index = 1;
    m->combined = charge->gones;
done:
    YK_FREE(c.candidate, c.parent, c.number, c.all);
    return status;
}

void yk_layout_name(const yk_layout *l, const yk_model *m, int j,
                    char out[YK_NAME_SIZE])
{
    char sum[3 * YK_NAME_SIZE], name[YK_NAME_SIZE];
    size_t used = 0;
    int element, order;
    bool any = false;

    yk_slot_owner(m, l->x_slot[j], &element, &order);
    yk_element_name(m, element, order, out);
    for (int k = 0; k < l->terms; k++) {
        if (l->rate[l->term_link[k]] != j || used >= sizeof sum) continue;
        if (!any) {
            yk_element_name(m, element, order - 1, name);
            used = (size_t)snprintf(sum, sizeof sum, "%s", name);
        }
        any = true;
        const double factor = fabs(l->term_factor[k]);
        yk_slot_owner(m, l->x_slot[l->term_state[k]], &element, &order);
        yk_element_name(m, element, order, name);
        const char sign = l->term_factor[k] < 0.0 ? '-' : '+';
        used +=
            (size_t)(factor == 1.0 ? snprintf(sum + used, sizeof sum - used,
                                              " %c %s", sign, name)
                                   : snprintf(sum + used, sizeof sum - used,
                                              " %c %g*%s", sign, factor, name));
    }
    if (any) snprintf(out, YK_NAME_SIZE, "der(%.*s)", YK_NAME_SIZE - 10, sum);
}
