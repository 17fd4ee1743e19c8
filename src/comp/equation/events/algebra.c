/* comp/equation/events/algebra.c -- algebraic unknowns at an instant are solved
 * for.
 *
 * Which ones: the pattern of the equations with the charges kept has the places
 * of C in rows with charge and those of G in the others.  Rows whose only charge
 * is that of an input, d/dt u - d = 0, determine derivatives: their blocks stay as
 * they are.  A block moves if a row of it reads a discrete variable, something
 * held, an input, or an unknown of a block that moves.
 *
 * How: Newton's method for all of them at once, from their values before; where
 * that fails, one block after the other, as initial values.
 */
#include "comp/equation/events/algebra.h"

#include "base/tolerance.h"
#include "comp/equation/code/subsystem.h"
#include "la/lu.h"
#include "la/newton.h"
#include "la/pattern.h"
#include "la/sparse.h"
#include "step/solve/exact.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 30, HALVINGS = 10 };

struct yk_algebra {
    const yk_layout *layout; /* borrowed */
    int count;               /* unknowns, and equations */
    int *row, *col;          /* of the layout, one block after the other */
    bool *kept;              /* count: the row has a charge */
    bool *jumps;             /* n: solved for, not only with inputs */
    char **row_name, **col_name;

    yoke_pattern *pattern; /* count by count */
    int *from;             /* of each entry: in G, or in C */
    yk_lu *lu;
    double *value, *r, *step, *scale, *charge, *old;
    double *begin;     /* values at the begin */
    double *f, *J, *x; /* of the whole model */

    /* What the solution depends on, as it was when it was found. */
    int slots, *slot;
    double *last;

    /* While it is solved. */
    struct yk_subsystem *s;
    double t, *w;
    double left, change;
};

void yk_algebra_free(yk_algebra *a)
{
    if (!a) return;
    for (int i = 0; i < a->count; i++) {
        if (a->row_name) yk_free(a->row_name[i]);
        if (a->col_name) yk_free(a->col_name[i]);
    }
    yk_lu_free(a->lu);
    yoke_pattern_free(a->pattern);
    YK_FREE(a->row, a->col, a->kept, a->jumps, a->row_name, a->col_name,
            a->from, a->value, a->r, a->step, a->scale, a->charge, a->old,
            a->begin, a->f, a->J, a->x, a->slot, a->last);
    yk_free(a);
}

/* ---- Values -------------------------------------------------------------- */

static int slot_of(const yk_algebra *a, int i)
{
    return a->layout->x_slot[a->col[i]];
}

void yk_algebra_accept(yk_algebra *a, const double *w)
{
    for (int k = 0; k < a->slots; k++) a->last[k] = w[a->slot[k]];
}

static bool has_changed(const yk_algebra *a, const double *w)
{
    for (int k = 0; k < a->slots; k++)
        if (memcmp(&a->last[k], &w[a->slot[k]], sizeof *w) != 0) return true;
    return false;
}

void yk_algebra_copy(const yk_algebra *a, const double *from, double *to)
{
    for (int i = 0; i < a->count; i++) to[slot_of(a, i)] = from[slot_of(a, i)];
    yk_layout_fill(a->layout, to);
}

void yk_algebra_move(const yk_algebra *a, const double *w, const double *w0,
                     int way, double *to)
{
    static const double part = 1e-9; /* Newton's method ends at 1e-12 */

    memcpy(to, w, (size_t)a->layout->slots * sizeof *to);
    for (int i = 0; i < a->count; i++) {
        const int k = slot_of(a, i);
        const double by = part * fmax(fabs(w[k]), fabs(w0[k]));
        to[k] += way && i % 2 ? -by : by;
    }
    yk_layout_fill(a->layout, to);
}

void yk_algebra_write(const yk_algebra *a, const double *w, double *x)
{
    const yoke_pattern *C = a->layout->C;

    for (int i = 0; i < a->count; i++)
        if (C->start[a->col[i]] == C->start[a->col[i] + 1])
            x[a->col[i]] = w[slot_of(a, i)];
}

/* ---- The equations ------------------------------------------------------- */

static void charges(const yk_algebra *a, double *q)
{
    const yoke_pattern *C = a->layout->C;
    double *x = a->x;

    memset(x, 0, (size_t)a->layout->n * sizeof *x);
    for (int j = 0; j < a->layout->n; j++)
        for (int k = C->start[j]; k < C->start[j + 1]; k++)
            x[C->row[k]] += a->layout->C_value[k] * a->w[a->layout->x_slot[j]];
    for (int i = 0; i < a->count; i++) q[i] = a->kept[i] ? x[a->row[i]] : 0.0;
}

static void residual(const yk_algebra *a)
{
    charges(a, a->r);
    yk_subsystem_f(a->s, a->t, a->w, a->f);
    for (int i = 0; i < a->count; i++)
        a->r[i] = a->kept[i] ? a->r[i] - a->charge[i] : a->f[a->row[i]];
}

static void matrix(const yk_algebra *a, double *value)
{
    const yoke_pattern *p = a->pattern;

    yk_subsystem_j(a->s, a->t, a->w, a->J);
    for (int k = 0; k < p->start[p->cols]; k++)
        value[k] = a->kept[p->row[k]] ? a->layout->C_value[a->from[k]]
                                      : a->J[a->from[k]];
}

static double norm(const yk_algebra *a)
{
    return yk_weighted_max(a->count, a->r, a->scale, NULL);
}

/* ---- All at once --------------------------------------------------------- */

static yoke_status increment(void *self, yk_newton_run *run, yoke_err *err)
{
    yk_algebra *a = self;

    matrix(a, a->value);
    yk_row_scale(a->pattern, a->value, a->scale);
    a->left = norm(a);
    run->done = a->change < 1e-12 || a->left == 0.0;
    run->size = a->left == 0.0 ? 0.0 : 1.0;
    if (a->left == 0.0) return YOKE_OK;
    YK_TRY(yk_lu_factor(a->lu, a->value, NULL, err));
    memcpy(a->step, a->r, (size_t)a->count * sizeof *a->r);
    for (int i = 0; i < a->count; i++) a->old[i] = a->w[slot_of(a, i)];
    return yk_lu_solve(a->lu, a->step, err);
}

/* Good is what lowers the residual, or moves nothing any more. */
static yoke_status move(void *self, double lambda, bool *good, yoke_err *err)
{
    yk_algebra *a = self;

    a->change = 0.0;
    for (int i = 0; i < a->count; i++) {
        const double d = lambda * a->step[i], now = a->old[i] - d;
        const double size =
            fmax(fmax(fabs(now), fabs(a->old[i])), fabs(a->begin[i]));
        a->w[slot_of(a, i)] = now;
        if (size > 0.0) a->change = fmax(a->change, fabs(d) / size);
    }
    yk_layout_fill(a->layout, a->w);
    residual(a);
    const double now = norm(a);
    if (!isfinite(now))
        return yk_fail(err, YOKE_RETRY, "the equations have no value there");
    if (good) *good = now < a->left || a->change < 1e-12;
    return YOKE_OK;
}

static yoke_status at_once(yk_algebra *a, yoke_err *err)
{
    yk_newton_run run = { a, increment, move, .most = ITERATIONS,
                          .lengths = HALVINGS };

    a->change = INFINITY;
    residual(a);
    return yk_newton_iterate(&run, err);
}

/* ---- One block after the other ------------------------------------------- */

static void set(const yk_algebra *a, const double *z)
{
    for (int i = 0; i < a->count; i++) a->w[slot_of(a, i)] = z[i];
    yk_layout_fill(a->layout, a->w);
}

static yoke_status eval(void *self, double t, const double *z, const double *u,
                        double *q, double *f, yoke_err *err)
{
    const yk_algebra *a = self;

    (void)t, (void)u, (void)err;
    if (q) memset(q, 0, (size_t)a->count * sizeof *q);
    if (!f) return YOKE_OK;
    set(a, z);
    residual(a);
    memcpy(f, a->r, (size_t)a->count * sizeof *f);
    return YOKE_OK;
}

static yoke_status jacobian(void *self, double t, const double *z,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err)
{
    const yk_algebra *a = self;

    (void)t, (void)u, (void)err;
    set(a, z);
    if (jac->G) matrix(a, jac->G);
    return YOKE_OK;
}

static const yoke_system_ops ops = {
    .kind = "equations at an event",
    .eval = eval,
    .jacobian = jacobian,
};

static yoke_status by_blocks(yk_algebra *a, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_system *equations = NULL;
    double *z = NULL;
    const yoke_system_info info = {
        .n = a->count,
        .x0 = a->begin,
        .x_name = (const char *const *)a->col_name,
        .eq_name = (const char *const *)a->row_name,
        .G = a->pattern,
    };

    YK_GO(yk_copy_doubles(&z, a->begin, (size_t)a->count, err));
    YK_GO(yoke_system_create(&equations, "event", &ops, a, &info, err));
    YK_GO(yk_initial_blocks(equations, a->t, NULL, z, err));
    set(a, z);
done:
    yoke_system_free(equations);
    yk_free(z);
    return status;
}

yoke_status yk_algebra_solve(yk_algebra *a, struct yk_subsystem *s, double t,
                             double *w, bool anyway, bool *solved,
                             yoke_err *err)
{
    *solved = anyway || has_changed(a, w);
    if (!*solved) return YOKE_OK;
    a->s = s;
    a->t = t;
    a->w = w;
    charges(a, a->charge);
    for (int i = 0; i < a->count; i++) a->begin[i] = w[slot_of(a, i)];
    yoke_status status = at_once(a, NULL);
    if (status > 0) {
        set(a, a->begin);
        status = by_blocks(a, err);
        if (status != YOKE_OK) set(a, a->begin);
    }
    if (status == YOKE_OK) yk_algebra_accept(a, w);
    return status;
}

/* ==== Which unknowns ====================================================== */

typedef struct finder {
    yk_model *m;
    const yk_layout *l;
    const bool *memory;
    bool *charged, *rate; /* rows: with a charge; with one of inputs only */
    bool *held, *driven;  /* rows: read what is held; read inputs */
    bool *read;           /* columns: that events read */
    bool *bent;           /* variables: held, and nothing jumps */
    yoke_pattern *pattern, *by_row;
    int *row, *col, *first, blocks;
    int *block_of;       /* of each column */
    bool *jumps, *moves; /* blocks: with discrete variables; with inputs too */
    bool *needed;        /* blocks */
} finder;

static void finder_free(finder *s)
{
    yoke_pattern_free(s->pattern);
    yoke_pattern_free(s->by_row);
    YK_FREE(s->charged, s->rate, s->held, s->driven, s->read, s->bent, s->row,
            s->col, s->first, s->block_of, s->jumps, s->moves, s->needed);
}

/* ---- What events read ---------------------------------------------------- */

/* Marks the columns that an expression reads; arrays as a whole in loops. */
static void read_node(const yk_model *m, const yk_layout *l, const yk_node *n,
                      bool loops, bool *read)
{
    if (n->op != YK_OP_REFER ||
        m->flat->variable[n->variable].kind != YK_FLAT_UNKNOWN)
        return;
    const yk_flat_variable *v = &m->flat->variable[n->variable];
    for (int k = 0; k < v->count; k++) {
        if (!loops && k != n->place[0]) continue;
        const int root = m->root[m->base[n->variable] + k];
        const int owner = m->owner[root];
        if (m->segment[n->order][owner] < 0) continue;
        const int slot = m->segment[n->order][owner] + root - m->base[owner];
        const int column = l->column[slot];
        if (column >= 0) read[column] = true;
    }
}

static yoke_status read_all(yk_model *m, const yk_layout *l, int root,
                            bool loops, bool *read, yoke_err *err)
{
    int *list = NULL, length = 0;

    YK_TRY(yk_reach(&m->pool, 1, &root, &list, &length, err));
    for (int i = 0; i < length; i++)
        read_node(m, l, &m->pool.node[list[i]], loops, read);
    yk_free(list);
    return YOKE_OK;
}

yoke_status yk_columns_read(yk_model *m, const yk_layout *l,
                            const yk_template *t, bool *read, yoke_err *err)
{
    return read_all(m, l, t->residual, t->loops > 0, read, err);
}

static yoke_status find_read(finder *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_flat *flat = s->m->flat;
    int *before = NULL;

    YK_GO(yk_ints(&before, (size_t)flat->nodes, err));
    yk_import(&s->m->pool, true, before);
    YK_GO(yk_pool_status(&s->m->pool, err));
    for (int i = 0; i < flat->events; i++) {
        const yk_flat_event *e = &flat->event[i];
        if (e->kind != YK_FLAT_ALWAYS)
            YK_GO(read_all(s->m, s->l, before[e->condition], false, s->read,
                           err));
        for (int a = 0; a < e->actions; a++)
            YK_GO(read_all(s->m, s->l, before[e->action[a].value], false,
                           s->read, err));
    }
    for (int i = 0; i < s->m->relation.count; i++) {
        if (!flat->relation[i].watched)
            YK_GO(yk_columns_read(s->m, s->l, &s->m->relation.at[i], s->read,
                                  err));
    }
done:
    yk_free(before);
    return status;
}

/* ---- Rows ---------------------------------------------------------------- */

/* Branches of something continuous are held, but do not jump. */
static yoke_status find_bent(finder *s, yoke_err *err)
{
    const yk_flat *flat = s->m->flat;

    YK_TRY(YK_NEW(&s->bent, flat->variables + 1, err));
    for (int i = 0; i < flat->relations; i++)
        s->bent[flat->node[flat->relation[i].refer].variable] =
            flat->relation[i].kink && !flat->relation[i].jumps;
    return YOKE_OK;
}

static yoke_status find_held(finder *s, yoke_err *err)
{
    for (int i = 0; i < s->l->blocks; i++) {
        const yk_template *t = &s->l->block[i].t;
        int *list = NULL, length = 0;
        bool any = false;
        YK_TRY(yk_reach(&s->m->pool, 1, &t->residual, &list, &length, err));
        for (int k = 0; k < length && !any; k++) {
            const yk_node *n = &s->m->pool.node[list[k]];
            any = n->op == YK_OP_HELD && !s->bent[n->variable];
        }
        yk_free(list);
        for (int k = 0; any && k < t->instances; k++)
            s->held[t->row + k] = true;
    }
    return YOKE_OK;
}

static yoke_status make_pattern(finder *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_pattern *C = s->l->C, *G = s->l->G;
    const size_t room =
        (size_t)yoke_pattern_count(C) + (size_t)yoke_pattern_count(G) + 1;
    int *row = NULL, *col = NULL, count = 0;

    YK_GO(YK_INTS(room, err, &row, &col));
    for (int j = 0; j < s->l->n; j++) {
        for (int k = C->start[j]; k < C->start[j + 1]; k++, count++) {
            row[count] = C->row[k];
            col[count] = j;
        }
        for (int k = G->start[j]; k < G->start[j + 1]; k++) {
            if (s->charged[G->row[k]] && !s->rate[G->row[k]]) continue;
            row[count] = G->row[k];
            col[count++] = j;
        }
    }
    YK_GO(yoke_pattern_create(&s->pattern, s->l->n, s->l->n, count, row, col,
                              err));
    YK_GO(yk_pattern_transpose(&s->by_row, s->pattern, err));
done:
    YK_FREE(row, col);
    return status;
}

static yoke_status find_rows(finder *s, yoke_err *err)
{
    const yk_layout *l = s->l;

    for (int k = 0; k < yoke_pattern_count(l->C); k++)
        s->charged[l->C->row[k]] = true;
    for (int k = 0; k < yoke_pattern_count(l->Cu); k++)
        if (!s->charged[l->Cu->row[k]]) s->rate[l->Cu->row[k]] = true;
    for (int i = 0; i < l->n; i++) s->charged[i] = s->charged[i] || s->rate[i];
    for (int k = 0; k < yoke_pattern_count(l->Gu); k++)
        s->driven[l->Gu->row[k]] = true;
    YK_TRY(find_bent(s, err));
    YK_TRY(find_held(s, err));
    return make_pattern(s, err);
}

/* ---- Blocks -------------------------------------------------------------- */

static bool is_frozen(const finder *s, int b)
{
    for (int k = s->first[b]; k < s->first[b + 1]; k++)
        if (s->rate[s->row[k]] || s->memory[s->col[k]]) return true;
    return false;
}

static void find_moves(finder *s, int b)
{
    if (is_frozen(s, b)) return;
    for (int k = s->first[b]; k < s->first[b + 1]; k++) {
        const int i = s->row[k];
        s->jumps[b] = s->jumps[b] || (!s->charged[i] && s->held[i]);
        s->moves[b] = s->moves[b] || (!s->charged[i] && s->driven[i]);
        for (int e = s->by_row->start[i]; e < s->by_row->start[i + 1]; e++) {
            const int c = s->by_row->row[e], from = s->block_of[c];
            s->jumps[b] = s->jumps[b] || s->memory[c] || s->jumps[from];
            s->moves[b] = s->moves[b] || s->moves[from];
        }
    }
    s->moves[b] = s->moves[b] || s->jumps[b];
}

/* What later blocks need is known when a block is asked. */
static void find_needed(finder *s, int b)
{
    for (int k = s->first[b]; k < s->first[b + 1]; k++)
        s->needed[b] = s->needed[b] || s->read[s->col[k]];
    if (!s->needed[b] || !s->moves[b]) return;
    for (int k = s->first[b]; k < s->first[b + 1]; k++)
        for (int e = s->by_row->start[s->row[k]];
             e < s->by_row->start[s->row[k] + 1]; e++)
            s->needed[s->block_of[s->by_row->row[e]]] = true;
}

static yoke_status find_blocks(finder *s, bool *whole, yoke_err *err)
{
    int matched = 0;

    YK_TRY(yk_pattern_blocks(s->pattern, s->row, s->col, s->first, &s->blocks,
                             &matched, err));
    *whole = matched == s->l->n;
    if (!*whole) return YOKE_OK;
    for (int b = 0; b < s->blocks; b++)
        for (int k = s->first[b]; k < s->first[b + 1]; k++)
            s->block_of[s->col[k]] = b;
    for (int b = 0; b < s->blocks; b++) find_moves(s, b);
    for (int b = s->blocks - 1; b >= 0; b--) find_needed(s, b);
    return YOKE_OK;
}

/* ---- The system ---------------------------------------------------------- */

static yoke_status name_all(yk_algebra *a, const yk_model *m, yoke_err *err)
{
    char name[YK_NAME_SIZE];

    YK_TRY(YK_NEW(&a->row_name, a->count, err));
    YK_TRY(YK_NEW(&a->col_name, a->count, err));
    for (int i = 0; i < a->count; i++) {
        yk_layout_name(a->layout, m, a->col[i], name);
        YK_TRY(yk_copy_text(&a->col_name[i], name, err));
        if (a->row[i] < a->layout->rows)
            yk_eq_row_name(m, &m->equation, a->row[i], name);
        YK_TRY(yk_copy_text(&a->row_name[i], name, err));
    }
    return YOKE_OK;
}

static yoke_status make_matrix(yk_algebra *a, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_layout *l = a->layout;
    int *at_row = NULL, *row = NULL, *col = NULL, count = 0;

    YK_GO(yk_ints(&at_row, (size_t)l->n, err));
    YK_GO(YK_INTS((size_t)(yoke_pattern_count(l->C) + l->g_count) + 1, err,
                  &row, &col));
    for (int i = 0; i < a->count; i++) at_row[a->row[i]] = i + 1;
    for (int c = 0; c < a->count; c++)
        for (int kept = 0; kept < 2; kept++) {
            const yoke_pattern *p = kept ? l->C : l->G;
            for (int k = p->start[a->col[c]]; k < p->start[a->col[c] + 1];
                 k++) {
                const int i = at_row[p->row[k]] - 1;
                if (i < 0 || a->kept[i] != kept) continue;
                row[count] = i;
                col[count++] = c;
            }
        }
    YK_GO(yoke_pattern_create(&a->pattern, a->count, a->count, count, row, col,
                              err));
    YK_GO(yk_ints(&a->from, (size_t)count, err));
    for (int c = 0; c < a->count; c++)
        for (int k = a->pattern->start[c]; k < a->pattern->start[c + 1]; k++) {
            const int i = a->pattern->row[k];
            a->from[k] = yoke_pattern_find(a->kept[i] ? l->C : l->G, a->row[i],
                                           a->col[c]);
        }
    YK_GO(yk_lu_create(&a->lu, a->pattern, false, err));
    YK_GO(yk_doubles(&a->value, (size_t)count, err));
done:
    YK_FREE(at_row, row, col);
    return status;
}

/* Discrete variables in the rows, what is held, and inputs. */
static yoke_status find_slots(yk_algebra *a, const finder *s, yoke_err *err)
{
    const yk_layout *l = a->layout;
    const int held = s->m->fixed_slots - s->m->held;
    yoke_status status = YOKE_OK;
    bool *ours = NULL;

    YK_GO(YK_NEW(&ours, l->n + 1, err));
    YK_GO(yk_ints(&a->slot, (size_t)(l->n + l->m + held) + 1, err));
    YK_GO(yk_doubles(&a->last, (size_t)(l->n + l->m + held) + 1, err));
    for (int i = 0; i < a->count; i++) ours[a->row[i]] = true;
    for (int j = 0; j < l->n; j++) {
        bool any = false;
        for (int k = l->G->start[j]; k < l->G->start[j + 1]; k++)
            any = any || ours[l->G->row[k]];
        if (any && s->memory[j]) a->slot[a->slots++] = l->x_slot[j];
    }
    for (int k = 0; k < l->m; k++) a->slot[a->slots++] = l->u_slot[k];
    for (int k = 0; k < held; k++) a->slot[a->slots++] = s->m->held + k;
done:
    yk_free(ours);
    return status;
}

static yoke_status make_algebra(yk_algebra **out, const finder *s,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t n = (size_t)s->l->n + 1;
    const size_t places = (size_t)s->l->g_count + (size_t)s->l->gu_count + 1;
    yk_algebra *a = NULL;

    YK_GO(YK_NEW(&a, 1, err));
    a->layout = s->l;
    YK_GO(YK_INTS(n, err, &a->row, &a->col));
    YK_GO(YK_NEW(&a->kept, n, err));
    YK_GO(YK_NEW(&a->jumps, n, err));
    for (int b = 0; b < s->blocks; b++)
        for (int k = s->first[b];
             k < s->first[b + 1] && s->moves[b] && s->needed[b]; k++) {
            a->row[a->count] = s->row[k];
            a->kept[a->count] = s->charged[s->row[k]];
            a->jumps[s->col[k]] = s->jumps[b];
            a->col[a->count++] = s->col[k];
        }
    if (a->count == 0) goto done;
    YK_GO(name_all(a, s->m, err));
    YK_GO(make_matrix(a, err));
    YK_GO(find_slots(a, s, err));
    YK_GO(YK_DOUBLES((size_t)a->count, err, &a->r, &a->step, &a->scale,
                     &a->charge, &a->old, &a->begin));
    YK_GO(YK_DOUBLES(n, err, &a->f, &a->x));
    YK_GO(yk_doubles(&a->J, places, err));
    *out = a;
    a = NULL;
done:
    yk_algebra_free(a);
    return status;
}

yoke_status yk_algebra_create(yk_algebra **out, yk_model *m, const yk_layout *l,
                              const bool *memory, bool *whole, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    finder s = { .m = m, .l = l, .memory = memory };
    const size_t n = (size_t)l->n + 2;

    *whole = true;
    if (l->n == 0) return YOKE_OK;
    YK_GO(YK_NEW(&s.charged, n, err));
    YK_GO(YK_NEW(&s.rate, n, err));
    YK_GO(YK_NEW(&s.held, n, err));
    YK_GO(YK_NEW(&s.driven, n, err));
    YK_GO(YK_NEW(&s.read, n, err));
    YK_GO(YK_NEW(&s.jumps, n, err));
    YK_GO(YK_NEW(&s.moves, n, err));
    YK_GO(YK_NEW(&s.needed, n, err));
    YK_GO(YK_INTS(n, err, &s.row, &s.col, &s.first, &s.block_of));
    YK_GO(find_read(&s, err));
    YK_GO(find_rows(&s, err));
    YK_GO(find_blocks(&s, whole, err));
    if (*whole) YK_GO(make_algebra(out, &s, err));
done:
    finder_free(&s);
    return status;
}

yoke_status yk_algebra_reads(const yk_algebra *a, yk_model *m,
                             const yk_template *t, bool *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *read = NULL;

    *out = false;
    if (!a) return YOKE_OK;
    YK_GO(YK_NEW(&read, a->layout->n + 1, err));
    YK_GO(yk_columns_read(m, a->layout, t, read, err));
    for (int j = 0; j < a->layout->n; j++)
        *out = *out || (read[j] && a->jumps[j]);
done:
    yk_free(read);
    return status;
}
