/* comp/equation/structure/initial.c -- the equations of the initial values:
 * which there are, and their values.
 */
#include "comp/equation/structure/initial.h"

#include "base/texts.h"
#include "comp/equation/policy.h"
#include "comp/equation/structure/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void yk_eq_initial_free(yk_eq_initial *p)
{
    if (!p) return;
    for (int i = 0; p->code && i < p->s->model.initial.count; i++) {
        yk_eq_code_free(&p->code[i].residual);
        yk_eq_code_free(&p->code[i].slope);
    }
    yk_texts_free(p->z_name, p->n + p->p);
    yk_texts_free(p->row_name, p->all_rows);
    YK_FREE(p->p_slot, p->row_of_f, p->of_z.at, p->of_u.at, p->start, p->size,
            p->f, p->J, p->slopes, p->state, p->fixed, p->workspace, p->code,
            p->file, p->system, p->ruled, p->before, p->row_of, p->row_at,
            p->only, p->all);
    yk_free(p);
}

/* ---- What there is ------------------------------------------------------ */

static yoke_status add_entry(yk_eq_entries *all, yk_eq_entry e, yoke_err *err)
{
    YK_TRY(YK_GROW(&all->at, &all->room, all->count + 1, err));
    all->at[all->count++] = e;
    return YOKE_OK;
}

/* Derivatives under d/dt: their slots, and the state below each. */
static yoke_status list_charged(yk_eq_initial *p, int *of_state, yoke_err *err)
{
    const yk_model *m = &p->s->model;
    const yk_layout *l = &p->s->layout;

    YK_TRY(yk_ints(&p->p_slot, (size_t)p->n, err));
    for (int e = 0; e < m->elements; e++)
        for (int k = 1; k <= m->highest[e]; k++)
            if (l->charged[(size_t)e * YK_ORDERS + (size_t)k]) {
                const int below = l->column[yk_slot_of(m, e, k - 1)];
                p->state[below] = true;
                if (m->initial.count == 0) continue;
                of_state[below] = p->p;
                p->p_slot[p->p++] = yk_slot_of(m, e, k);
            }
    for (int k = 0; k < l->links; k++)
        if (l->state[k] < l->n) p->state[l->state[k]] = true;
    for (int k = 0; k < l->terms; k++) p->state[l->term_state[k]] = true;
    for (int k = 0; m->charts && k < m->charts->count; k++) {
        const yk_chart *c = &m->charts->chart[k];
        for (int j = 0; j < c->cols; j++)
            if (c->kept[j]) p->state[c->state[j]] = true;
    }
    return YOKE_OK;
}

static yoke_status list_rows(yk_eq_initial *p, yoke_err *err)
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

/* first: number of the first value of `a` in its source. */
static yoke_status list_matrix(const yk_eq_initial *p, const yoke_pattern *a,
                               yk_eq_source source, int first,
                               const int *column, yk_eq_entries *out,
                               yoke_err *err)
{
    for (int j = 0; j < a->cols; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            const int row = p->row_of_f[a->row[k]];
            const int col = column ? column[j] : j;
            if (row < 0 || col < 0) continue;
            YK_TRY(add_entry(
                out, (yk_eq_entry){ row, col, source, first + k, 1.0 }, err));
        }
    return YOKE_OK;
}

/* What a reference of an initial equation means: an unknown, or an input, by
 * number; both -1: it is known. */
typedef struct meaning {
    int z, u;
} meaning;

static int input_number(const yk_layout *l, int slot)
{
    for (int k = 0; k < l->m; k++)
        if (l->u_slot[k] == slot) return k;
    return -1;
}

static meaning meaning_of(const yk_eq_initial *p, int element, int order,
                          const int *of_state)
{
    const yk_model *m = &p->s->model;
    const yk_layout *l = &p->s->layout;
    const int root = m->root[element];

    if (m->sign[element] == 0) return (meaning){ -1, -1 };
    if (yk_is_input(m, root) && order == 0)
        return (meaning){ -1, input_number(l, root) };
    const int column = l->column[yk_slot_of(m, root, order)];
    if (column >= 0 || order == 0) return (meaning){ column, -1 };
    const int below = l->column[yk_slot_of(m, root, order - 1)];
    return (meaning){ below < 0 || of_state[below] < 0 ? -1
                                                       : p->n + of_state[below],
                      -1 };
}

/* What is neither unknown nor input is a constant. */
static yoke_status check_known(const yk_eq_initial *p, const yk_template *t,
                               int element, yoke_err *err)
{
    const yk_model *m = &p->s->model;
    char name[YK_NAME_SIZE];

    if (m->sign[element] == 0) return YOKE_OK;
    yk_element_name(m, element, 1, name);
    if (yk_is_input(m, m->root[element]))
        return yk_fail(err, YOKE_E_MODEL,
                       "%s:%d: %s in an initial equation: how fast an input "
                       "changes is not known at the start",
                       m->flat->file, t->line, name);
    return yk_fail(err, YOKE_E_MODEL,
                   "%s:%d: %s in an initial equation, but no equation of the "
                   "model has this derivative",
                   m->flat->file, t->line, name);
}

/* A derivative that an initial equation asks for, in an equation with the rate
 * of an input. */
static yoke_status check_rates(const yk_eq_initial *p, const yk_template *t,
                               int z, yoke_err *err)
{
    const yoke_pattern *cu = p->s->layout.Cu;
    const yk_model *m = &p->s->model;

    for (int j = 0; z >= p->n && j < cu->cols; j++)
        for (int k = cu->start[j]; k < cu->start[j + 1]; k++)
            for (int i = 0; i < p->of_z.count; i++) {
                const yk_eq_entry *e = &p->of_z.at[i];
                char name[YK_NAME_SIZE];
                if (e->source != YK_FROM_C || e->col != z ||
                    e->row != p->row_of_f[cu->row[k]])
                    continue;
                yk_element_name(m, p->s->layout.u_slot[j], 1, name);
                return yk_fail(err, YOKE_E_MODEL,
                               "%s:%d: this initial equation has a derivative "
                               "that depends on %s; how fast an input changes "
                               "is not known at the start",
                               m->flat->file, t->line, name);
            }
    return YOKE_OK;
}

static yoke_status list_reference(yk_eq_initial *p, const yk_template *t, int k,
                                  int r, const int *of_state, yoke_err *err)
{
    const yk_model *m = &p->s->model;
    const int order = m->pool.node[t->ref[r]].order, from = p->slope_count++;
    int counter[YK_FLAT_LOOPS];

    yk_counters(t, k, counter);
    const int e = yk_template_element(m, t, t->ref[r], counter);
    const meaning is = meaning_of(p, e, order, of_state);
    const int row = p->initial_row + t->row + k;
    const double sign = m->sign[e];
    if (is.z < 0 && is.u < 0) return check_known(p, t, e, err);
    YK_TRY(check_rates(p, t, is.z, err));
    return add_entry(is.z >= 0 ? &p->of_z : &p->of_u,
                     (yk_eq_entry){ row, is.z >= 0 ? is.z : is.u,
                                    YK_FROM_INITIAL, from, sign },
                     err);
}

static yoke_status list_initial(yk_eq_initial *p, const int *of_state,
                                yoke_err *err)
{
    const yk_model *m = &p->s->model;

    for (int i = 0; i < m->initial.count; i++) {
        const yk_template *t = &m->initial.at[i];
        for (int k = 0; k < t->instances; k++)
            for (int r = 0; r < t->refs; r++)
                YK_TRY(list_reference(p, t, k, r, of_state, err));
    }
    return YOKE_OK;
}

static yoke_status make_codes(yk_eq_initial *p, yoke_err *err)
{
    yk_model *m = &p->s->model;
    int registers = 1;

    YK_TRY(YK_NEW(&p->code, m->initial.count, err));
    for (int i = 0; i < m->initial.count; i++) {
        const yk_template *t = &m->initial.at[i];
        yk_eq_start_code *c = &p->code[i];
        YK_TRY(yk_eq_code_create(&c->residual, m, t, 1, &t->residual, err));
        YK_TRY(yk_eq_code_create(&c->slope, m, t, t->refs, t->slope, err));
        if (c->residual.registers > registers)
            registers = c->residual.registers;
        if (c->slope.registers > registers) registers = c->slope.registers;
    }
    return yk_doubles(&p->workspace, (size_t)registers * YK_LANES, err);
}

static yoke_status find_start(yk_eq_initial *p, yoke_err *err)
{
    const yk_model *m = &p->s->model;
    const yk_layout *l = &p->s->layout;
    const size_t size = (size_t)p->n + (size_t)p->p;

    YK_TRY(YK_DOUBLES(size, err, &p->start, &p->size));
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

static yoke_status list_all(yk_eq_initial *p, int *of_state, yoke_err *err)
{
    const yk_layout *l = &p->s->layout;

    for (int j = 0; j < l->n; j++) of_state[j] = -1;
    YK_TRY(list_charged(p, of_state, err));
    YK_TRY(list_rows(p, err));
    YK_TRY(list_matrix(p, l->G, YK_FROM_J, 0, NULL, &p->of_z, err));
    YK_TRY(list_matrix(p, l->Gu, YK_FROM_J, l->g_count, NULL, &p->of_u, err));
    if (p->p > 0) {
        for (int j = 0; j < l->n; j++)
            if (of_state[j] >= 0) of_state[j] += l->n;
        YK_TRY(list_matrix(p, l->C, YK_FROM_C, 0, of_state, &p->of_z, err));
        for (int j = 0; j < l->n; j++)
            if (of_state[j] >= 0) of_state[j] -= l->n;
    }
    return list_initial(p, of_state, err);
}

/* only[row]: the entry of the one unknown of an initial equation; col < 0: it
 * has others. */
static void find_only(const yk_eq_initial *p, yk_eq_entry *only)
{
    for (int i = 0; i < p->rows; i++) only[i].col = -2;
    for (int k = 0; k < p->of_z.count; k++) {
        const yk_eq_entry *e = &p->of_z.at[k];
        const bool first = only[e->row].col == -2;
        only[e->row] = *e;
        if (!first || e->row < p->initial_row || e->col >= p->n)
            only[e->row].col = -1;
    }
    for (int k = 0; k < p->of_u.count; k++) only[p->of_u.at[k].row].col = -1;
}

/* Entries of spare equations go, and the others move up. */
static void renumber(const yk_eq_initial *p, yk_eq_entries *all)
{
    int kept = 0;

    for (int k = 0; k < all->count; k++) {
        yk_eq_entry e = all->at[k];
        e.row = p->row_of[e.row];
        if (e.row >= 0) all->at[kept++] = e;
    }
    all->count = kept;
}

static yoke_status take_spare(yk_eq_initial *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *spare = NULL;

    p->all_rows = p->rows;
    YK_GO(YK_NEW(&spare, p->rows, err));
    YK_GO(YK_INTS((size_t)p->rows, err, &p->row_of, &p->row_at));
    YK_GO(YK_NEW(&p->only, p->rows, err));
    find_only(p, p->only);
    YK_GO(yk_doubles(&p->all, (size_t)p->rows, err));
    if (p->s->model.initial.count > 0)
        YK_GO(yk_eq_initial_spare(p, spare, err));
    p->rows = 0;
    for (int i = 0; i < p->all_rows; i++) {
        const bool solved = !spare[i] || i < p->initial_row;
        p->row_of[i] = solved ? p->rows : -1;
        if (solved) p->row_at[p->rows++] = i;
    }
    renumber(p, &p->of_z);
    renumber(p, &p->of_u);
done:
    yk_free(spare);
    return status;
}

/* ---- Names -------------------------------------------------------------- */

static yoke_status name_z(yk_eq_initial *p, yoke_err *err)
{
    const yk_model *m = &p->s->model;
    char name[YK_NAME_SIZE];

    YK_TRY(YK_NEW(&p->z_name, p->n + p->p, err));
    for (int j = 0; j < p->n + p->p; j++) {
        if (j < p->n) {
            yk_layout_name(&p->s->layout, m, j, name);
        } else {
            int element, order;
            yk_slot_owner(m, p->p_slot[j - p->n], &element, &order);
            yk_element_name(m, element, order, name);
        }
        YK_TRY(yk_copy_text(&p->z_name[j], name, err));
    }
    return YOKE_OK;
}

static yoke_status name_rows(yk_eq_initial *p, yoke_err *err)
{
    yk_model *m = &p->s->model;
    char name[YK_NAME_SIZE], text[YK_NAME_SIZE + 32];

    YK_TRY(YK_NEW(&p->row_name, p->all_rows, err));
    YK_TRY(yk_number_twins(&m->equation, err));
    YK_TRY(yk_number_twins(&m->initial, err));
    for (int i = 0; i < p->s->layout.rows; i++) {
        if (p->row_of_f[i] < 0) continue;
        yk_eq_row_name(m, &m->equation, i, name);
        YK_TRY(yk_copy_text(&p->row_name[p->row_of_f[i]], name, err));
    }
    for (int i = p->initial_row; i < p->all_rows; i++) {
        yk_eq_row_name(m, &m->initial, i - p->initial_row, name);
        snprintf(text, sizeof text, "initial equation %s", name);
        YK_TRY(yk_copy_text(&p->row_name[i], text, err));
    }
    return YOKE_OK;
}

/* ---- Values ------------------------------------------------------------- */

const char *yk_eq_initial_row_name(const yk_eq_initial *p, int row)
{
    return p->row_name[p->row_at[row]];
}

void yk_eq_initial_set(const yk_eq_initial *p, const double *z, const double *u)
{
    double *w = p->s->w;

    for (int k = 0; k < p->p; k++) w[p->p_slot[k]] = z[p->n + k];
    yk_eq_initial_set_x(p, z, u);
}

void yk_eq_initial_set_x(const yk_eq_initial *p, const double *x,
                         const double *u)
{
    const yk_layout *l = &p->s->layout;
    double *w = p->s->w;

    for (int j = 0; j < p->n; j++) w[l->x_slot[j]] = x[j];
    for (int k = 0; u && k < l->m; k++) w[l->u_slot[k]] = u[k];
    yk_layout_fill(l, w);
}

/* out[k * results + r] of all instances k. */
static void run(const yk_eq_initial *p, const yk_code *code,
                const yk_template *t, double time, double *out)
{
    const size_t results = (size_t)code->results;

    for (int k = 0; k < t->instances; k += YK_LANES) {
        const int left = t->instances - k;
        const int some = left < YK_LANES ? left : YK_LANES;
        yk_eq_code_run(code, t, k, some, time, p->s->w, p->workspace);
        for (size_t r = 0; r < results; r++)
            for (int i = 0; i < some; i++)
                out[(size_t)(k + i) * results + r] =
                    p->workspace[(size_t)code->result[r] * YK_LANES +
                                 (size_t)i];
    }
}

void yk_eq_initial_residual(yk_eq_initial *p, double t, const double *z,
                            double *r)
{
    const yk_model *m = &p->s->model;
    const yk_layout *l = &p->s->layout;

    yk_subsystem_f(p->s, t, p->s->w, p->f);
    for (int i = 0; i < l->rows; i++)
        if (p->row_of_f[i] >= 0) p->all[p->row_of_f[i]] = p->f[i];
    for (int i = 0; i < m->initial.count; i++)
        run(p, &p->code[i].residual, &m->initial.at[i], t,
            p->all + p->initial_row + m->initial.at[i].row);
    for (int i = 0; i < p->all_rows; i++)
        if (p->row_of[i] >= 0) r[p->row_of[i]] = p->all[i];
    for (int k = 0; k < p->of_z.count; k++) {
        const yk_eq_entry *e = &p->of_z.at[k];
        if (e->source == YK_FROM_C)
            r[e->row] += l->C_value[e->from] * z[e->col];
    }
}

void yk_eq_initial_slopes(yk_eq_initial *p, double t)
{
    const yk_model *m = &p->s->model;
    int at = 0;

    yk_subsystem_j(p->s, t, p->s->w, p->J);
    for (int i = 0; i < m->initial.count; i++) {
        const yk_template *one = &m->initial.at[i];
        if (one->refs > 0) run(p, &p->code[i].slope, one, t, p->slopes + at);
        at += one->instances * one->refs;
    }
}

void yk_eq_initial_add(const yk_eq_initial *p, const yk_eq_entries *entries,
                       const int *place, double *value)
{
    const double *source[3] = { p->J, p->s->layout.C_value, p->slopes };

    for (int k = 0; k < entries->count; k++) {
        const yk_eq_entry *e = &entries->at[k];
        if (place[k] >= 0)
            value[place[k]] += e->sign * source[e->source][e->from];
    }
}

/* y = -1 as an initial equation is the best guess of y there is, whether it is
 * solved in the end or not. */
static void guess_from_equations(yk_eq_initial *p)
{
    const yk_model *m = &p->s->model;
    int at = 0;

    if (m->initial.count == 0) return;
    yk_eq_initial_set(p, p->start, NULL);
    yk_eq_initial_slopes(p, 0.0);
    for (int i = 0; i < m->initial.count; i++) {
        const yk_template *one = &m->initial.at[i];
        double *const r = p->all + p->initial_row + one->row;
        run(p, &p->code[i].residual, one, 0.0, r);
        for (int k = 0; k < one->instances; k++, at += one->refs) {
            const yk_eq_entry *e = &p->only[p->initial_row + one->row + k];
            if (e->col < 0 || p->fixed[e->col]) continue;
            const double step = r[k] / (e->sign * p->slopes[e->from]);
            if (isfinite(step) &&
                yk_eq_expr_is_constant(&m->pool, one->slope[e->from - at]))
                p->start[e->col] -= step;
        }
    }
}

/* What an equation may be left with: rounding of its terms. */
static double allowance(const yk_template *t, const double *slope)
{
    double most = 0.0;

    for (int r = 0; r < t->refs; r++) most = fmax(most, fabs(slope[r]));
    return YK_EQ_CONSISTENT * (most > 0.0 ? most : 1.0);
}

yoke_status yk_eq_initial_check_spare(yk_eq_initial *p, double t, yoke_err *err)
{
    const yk_model *m = &p->s->model;
    int at = 0;

    if (p->rows == p->all_rows) return YOKE_OK;
    yk_eq_initial_slopes(p, t);
    for (int i = 0; i < m->initial.count; i++) {
        const yk_template *one = &m->initial.at[i];
        double *const r = p->all + p->initial_row + one->row;
        run(p, &p->code[i].residual, one, t, r);
        for (int k = 0; k < one->instances; k++, at += one->refs) {
            const int row = p->initial_row + one->row + k;
            if (p->row_of[row] >= 0 ||
                fabs(r[k]) <= allowance(one, p->slopes + at))
                continue;
            return yk_fail(err, YOKE_E_MODEL,
                           "%s contradicts the others: left side minus right "
                           "side is %.4g there (it may be left out: the other "
                           "equations determine all unknowns)",
                           p->row_name[row], r[k]);
        }
    }
    return YOKE_OK;
}

yoke_status yk_eq_initial_check_fixed(const yk_eq_initial *p, const double *z,
                                      yoke_err *err)
{
    for (int j = 0; j < p->n; j++) {
        if (!p->fixed[j] || p->ruled[j] ||
            fabs(z[j] - p->start[j]) <=
                YK_EQ_CONSISTENT * (p->size[j] + fabs(p->start[j])))
            continue;
        return yk_fail(err, YOKE_RETRY,
                       "the equations give %s = %g at the start, where "
                       "%g is fixed",
                       p->z_name[j], z[j], p->start[j]);
    }
    return YOKE_OK;
}

yoke_status yk_eq_initial_create(yk_eq_initial **out, yk_subsystem *s,
                                 const char *name, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_layout *l = &s->layout;
    const size_t n = (size_t)l->n;
    int *of_state = NULL;
    yk_eq_initial *p = NULL;

    YK_GO(YK_NEW(&p, 1, err));
    p->s = s;
    p->n = l->n;
    YK_GO(yk_copy_text(&p->file, s->model.flat->file, err));
    YK_GO(yk_copy_text(&p->system, name ? name : "unnamed", err));
    YK_GO(yk_ints(&of_state, n, err));
    YK_GO(YK_NEW(&p->state, n, err));
    YK_GO(YK_NEW(&p->fixed, n, err));
    YK_GO(YK_NEW(&p->ruled, n, err));
    YK_GO(yk_doubles(&p->before, n, err));
    YK_GO(list_all(p, of_state, err));
    YK_GO(take_spare(p, err));
    YK_GO(find_start(p, err));
    YK_GO(make_codes(p, err));
    YK_GO(yk_doubles(&p->f, n, err));
    YK_GO(yk_doubles(&p->J, (size_t)l->g_count + (size_t)l->gu_count + 1, err));
    YK_GO(yk_doubles(&p->slopes, (size_t)p->slope_count, err));
    YK_GO(name_z(p, err));
    YK_GO(name_rows(p, err));
    guess_from_equations(p);
    *out = p;
    p = NULL;
done:
    yk_free(of_state);
    yk_eq_initial_free(p);
    return status;
}
