/* sys/compose.c -- several subsystems and their inner links as one subsystem.
 *
 *     d/dt q_i(t, x_i, u_i) + f_i(t, x_i, u_i) = 0,     u_i = v_i + sum K_ij
 * y_j
 *
 * with open inputs v.  Where the sources of an input do not depend on inputs
 * themselves (no entry in their rows of Hu) u_i is substituted and the chain
 * rule gives, for example, G_ij = Gu_i K_ij Hx_j.  Otherwise the input is kept
 * as an unknown w with the equation 0 = w - v - sum K y: algebraic loops become
 * equations like any other.
 *
 * Every entry of the six Jacobians is a sum of terms  weight * a * b  with a, b
 * entries of the members' Jacobians.  The lists of terms are made once.
 */
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ONE = -1 }; /* a factor 1 in a term */

typedef struct term {
    int target, a, b; /* place in the result; places in the members' values */
    double weight;
} term;

typedef struct term_list {
    int count;
    size_t row_room, col_room, room;
    int *row, *col; /* of each term */
    term *term;
} term_list;

typedef struct member {
    yoke_system *system;
    int x, u, y;                     /* where its vectors begin */
    int C, G, Cu, Gu, Hx, Hu;        /* where its Jacobians begin in `value` */
    yoke_pattern *hx_rows, *hu_rows; /* transposed: the columns of each row */
    bool outputs_early; /* some output without feedthrough feeds the inside */
    bool wanted;        /* some output is one of the whole */
    bool feedthrough;   /* some output depends on an input */
    size_t memory;      /* where its bytes begin */
} member;

typedef struct composite {
    int members, links, opens, kept;
    int n, base, m_all, p_all; /* base: unknowns of members; all inputs and
                                  outputs of members */
    int outs;
    int (*out)[2]; /* member, output */
    member *member;
    yoke_link *link; /* sorted by the input they feed */
    int *link_start; /* of each input, m_all + 1 */
    int *open_at;    /* of each input of the members: place in v, or -1 */
    int *kept_at;    /* of each input: place among the kept ones, or -1 */
    double *u, *y;   /* of all members */
    double *value;   /* all Jacobians of all members */
    bool has_rhs;
    term_list C, G, Cu, Gu, Hx, Hu;
    yoke_pattern *pC, *pG, *pCu, *pGu, *pHx, *pHu;
} composite;

static void term_list_clear(term_list *list)
{
    yk_free(list->row);
    yk_free(list->col);
    yk_free(list->term);
}

static void composite_free(void *self)
{
    composite *c = self;

    if (!c) return;
    term_list_clear(&c->C);
    term_list_clear(&c->G);
    term_list_clear(&c->Cu);
    term_list_clear(&c->Gu);
    term_list_clear(&c->Hx);
    term_list_clear(&c->Hu);
    yoke_pattern_free(c->pC);
    yoke_pattern_free(c->pG);
    yoke_pattern_free(c->pCu);
    yoke_pattern_free(c->pGu);
    yoke_pattern_free(c->pHx);
    yoke_pattern_free(c->pHu);
    for (int i = 0; c->member && i < c->members; i++) {
        yoke_pattern_free(c->member[i].hx_rows);
        yoke_pattern_free(c->member[i].hu_rows);
    }
    yk_free(c->member);
    yk_free(c->link);
    yk_free(c->link_start);
    yk_free(c->out);
    yk_free(c->open_at);
    yk_free(c->kept_at);
    yk_free(c->u);
    yk_free(c->y);
    yk_free(c->value);
    yk_free(c);
}

/* ---- evaluation --------------------------------------------------------- */

/* All inputs of all members into c->u.  Outputs that do not depend on inputs
 * are computed on the way, with whatever c->u holds for the others. */
static yoke_status gather_inputs(composite *c, double t, const double *x,
                                 const double *v, yoke_err *err)
{
    for (int k = 0; k < c->m_all; k++) {
        if (c->kept_at[k] >= 0)
            c->u[k] = x[c->base + c->kept_at[k]];
        else
            c->u[k] = c->open_at[k] >= 0 ? v[c->open_at[k]] : 0.0;
    }
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        if (m->outputs_early)
            YK_TRY(yk_system_output_raw(m->system, t, x + m->x, c->u + m->u,
                                        c->y + m->y, err));
    }
    for (int l = 0; l < c->links; l++) {
        const yoke_link *link = &c->link[l];
        const int k = c->member[link->to].u + link->input;
        if (c->kept_at[k] < 0)
            c->u[k] +=
                link->weight * c->y[c->member[link->from].y + link->output];
    }
    return YOKE_OK;
}

/* 0 = w - v - sum K y for the kept inputs. */
static yoke_status kept_residual(composite *c, double t, const double *x,
                                 const double *v, double *f, yoke_err *err)
{
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        if (m->feedthrough || !m->outputs_early)
            YK_TRY(yoke_system_output(m->system, t, x + m->x, c->u + m->u,
                                      c->y + m->y, err));
    }
    for (int k = 0; k < c->m_all; k++)
        if (c->kept_at[k] >= 0)
            f[c->base + c->kept_at[k]] =
                c->u[k] - (c->open_at[k] >= 0 ? v[c->open_at[k]] : 0.0);
    for (int l = 0; l < c->links; l++) {
        const yoke_link *link = &c->link[l];
        const int k = c->kept_at[c->member[link->to].u + link->input];
        if (k >= 0)
            f[c->base + k] -=
                link->weight * c->y[c->member[link->from].y + link->output];
    }
    return YOKE_OK;
}

static yoke_status composite_eval(void *self, double t, const double *x,
                                  const double *v, double *q, double *f,
                                  yoke_err *err)
{
    composite *c = self;

    YK_TRY(gather_inputs(c, t, x, v, err));
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        YK_TRY(yoke_system_eval(m->system, t, x + m->x, c->u + m->u,
                                q ? q + m->x : NULL, f ? f + m->x : NULL, err));
    }
    for (int k = c->base; q && k < c->n; k++) q[k] = 0.0;
    return f && c->kept ? kept_residual(c, t, x, v, f, err) : YOKE_OK;
}

static yoke_status composite_rhs(void *self, double t, const double *x,
                                 const double *v, double *xdot, yoke_err *err)
{
    composite *c = self;

    YK_TRY(gather_inputs(c, t, x, v, err));
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        YK_TRY(yoke_system_rhs(m->system, t, x + m->x, c->u + m->u, xdot + m->x,
                               err));
    }
    return YOKE_OK;
}

static yoke_status composite_output(void *self, double t, const double *x,
                                    const double *v, double *y, yoke_err *err)
{
    composite *c = self;

    YK_TRY(gather_inputs(c, t, x, v, err));
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        if (m->wanted)
            YK_TRY(yoke_system_output(m->system, t, x + m->x, c->u + m->u,
                                      c->y + m->y, err));
    }
    for (int k = 0; k < c->outs; k++)
        y[k] = c->y[c->member[c->out[k][0]].y + c->out[k][1]];
    return YOKE_OK;
}

static yoke_status member_jacobians(composite *c, double t, const double *x,
                                    yoke_err *err)
{
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        const yoke_jacobian jac = {
            c->value + m->C,  c->value + m->G,  c->value + m->Cu,
            c->value + m->Gu, c->value + m->Hx, c->value + m->Hu,
        };
        YK_TRY(yoke_system_jacobian(m->system, t, x + m->x, c->u + m->u, &jac,
                                    err));
    }
    return YOKE_OK;
}

static void sum_terms(const composite *c, const term_list *list, double *out)
{
    for (int k = 0; out && k < list->count; k++) {
        const term *s = &list->term[k];
        double value = s->weight;
        if (s->a != ONE) value *= c->value[s->a];
        if (s->b != ONE) value *= c->value[s->b];
        out[s->target] += value;
    }
}

static yoke_status composite_jacobian(void *self, double t, const double *x,
                                      const double *v, const yoke_jacobian *jac,
                                      yoke_err *err)
{
    composite *c = self;

    YK_TRY(gather_inputs(c, t, x, v, err));
    YK_TRY(member_jacobians(c, t, x, err));
    sum_terms(c, &c->C, jac->C);
    sum_terms(c, &c->G, jac->G);
    sum_terms(c, &c->Cu, jac->Cu);
    sum_terms(c, &c->Gu, jac->Gu);
    sum_terms(c, &c->Hx, jac->Hx);
    sum_terms(c, &c->Hu, jac->Hu);
    return YOKE_OK;
}

static double composite_next_break(void *self, double t)
{
    const composite *c = self;
    double next = INFINITY;

    for (int i = 0; i < c->members; i++)
        next = fmin(next, yoke_system_next_break(c->member[i].system, t));
    return next;
}

static void composite_save(void *self, void *bytes)
{
    const composite *c = self;

    for (int i = 0; i < c->members; i++)
        yoke_system_save(c->member[i].system,
                         (char *)bytes + c->member[i].memory);
}

static void composite_restore(void *self, const void *bytes)
{
    const composite *c = self;

    for (int i = 0; i < c->members; i++)
        yoke_system_restore(c->member[i].system,
                            (const char *)bytes + c->member[i].memory);
}

#define COMMON_OPS                                                             \
    .kind = "composite", .eval = composite_eval, .output = composite_output,   \
    .jacobian = composite_jacobian, .next_break = composite_next_break,        \
    .save = composite_save, .restore = composite_restore,                      \
    .free = composite_free

static const yoke_system_ops composite_ops = { COMMON_OPS };
static const yoke_system_ops composite_ode_ops = { COMMON_OPS,
                                                   .rhs = composite_rhs };

/* ---- the lists of terms ------------------------------------------------- */

static yoke_status add_term(term_list *list, int row, int col, int a, int b,
                            double weight, yoke_err *err)
{
    const size_t need = (size_t)list->count + 1;

    YK_TRY(
        yk_grow((void **)&list->row, &list->row_room, need, sizeof(int), err));
    YK_TRY(
        yk_grow((void **)&list->col, &list->col_room, need, sizeof(int), err));
    YK_TRY(yk_grow((void **)&list->term, &list->room, need, sizeof(term), err));
    list->row[list->count] = row;
    list->col[list->count] = col;
    list->term[list->count] = (term){ 0, a, b, weight };
    list->count++;
    return YOKE_OK;
}

/* weight * a * (row `output` of Hx of `from`), in row `row` of list. */
static yoke_status add_output_row(const composite *c, term_list *list, int row,
                                  int from, int output, int a, double weight,
                                  yoke_err *err)
{
    const member *m = &c->member[from];
    const yoke_pattern *rows = m->hx_rows;

    for (int l = rows->start[output]; l < rows->start[output + 1]; l++) {
        const int j = rows->row[l];
        const int k = yoke_pattern_find(m->system->info.Hx, output, j);
        YK_TRY(add_term(list, row, m->x + j, a, m->Hx + k, weight, err));
    }
    return YOKE_OK;
}

/* The derivative a of something by input k of a member, carried on to what the
 * input is made of: unknowns (into by_x) and open inputs (into by_v). */
static yoke_status add_input(const composite *c, term_list *by_x,
                             term_list *by_v, int row, int to, int input, int a,
                             double weight, yoke_err *err)
{
    const int k = c->member[to].u + input;

    if (c->kept_at[k] >= 0)
        return add_term(by_x, row, c->base + c->kept_at[k], a, ONE, weight,
                        err);
    if (c->open_at[k] >= 0)
        YK_TRY(add_term(by_v, row, c->open_at[k], a, ONE, weight, err));
    for (int l = c->link_start[k]; l < c->link_start[k + 1]; l++)
        YK_TRY(add_output_row(c, by_x, row, c->link[l].from, c->link[l].output,
                              a, weight * c->link[l].weight, err));
    return YOKE_OK;
}

/* A block of a member: its own matrix by x, and its matrix by u carried on. */
static yoke_status add_block(const composite *c, int i, int row0,
                             const yoke_pattern *state, int state_at,
                             const yoke_pattern *input, int input_at,
                             term_list *by_x, term_list *by_v, yoke_err *err)
{
    for (int j = 0; j < state->cols; j++)
        for (int k = state->start[j]; k < state->start[j + 1]; k++)
            YK_TRY(add_term(by_x, row0 + state->row[k], c->member[i].x + j,
                            state_at + k, ONE, 1.0, err));
    for (int j = 0; j < input->cols; j++)
        for (int k = input->start[j]; k < input->start[j + 1]; k++)
            YK_TRY(add_input(c, by_x, by_v, row0 + input->row[k], i, j,
                             input_at + k, 1.0, err));
    return YOKE_OK;
}

/* The equation 0 = w - v - sum K y of one kept input. */
static yoke_status add_kept(composite *c, int k, yoke_err *err)
{
    const int row = c->base + c->kept_at[k];

    YK_TRY(add_term(&c->G, row, row, ONE, ONE, 1.0, err));
    if (c->open_at[k] >= 0)
        YK_TRY(add_term(&c->Gu, row, c->open_at[k], ONE, ONE, -1.0, err));
    for (int l = c->link_start[k]; l < c->link_start[k + 1]; l++) {
        const yoke_link *link = &c->link[l];
        const member *from = &c->member[link->from];
        const yoke_pattern *rows = from->hu_rows;
        YK_TRY(add_output_row(c, &c->G, row, link->from, link->output, ONE,
                              -link->weight, err));
        for (int e = rows->start[link->output];
             e < rows->start[link->output + 1]; e++) {
            const int j = rows->row[e];
            const int at =
                yoke_pattern_find(from->system->info.Hu, link->output, j);
            YK_TRY(add_input(c, &c->G, &c->Gu, row, link->from, j,
                             from->Hu + at, -link->weight, err));
        }
    }
    return YOKE_OK;
}

/* Row k of Hx and Hu. */
static yoke_status add_out(composite *c, int k, yoke_err *err)
{
    const int i = c->out[k][0], output = c->out[k][1];
    const member *m = &c->member[i];
    const yoke_pattern *rows = m->hu_rows;

    YK_TRY(add_output_row(c, &c->Hx, k, i, output, ONE, 1.0, err));
    for (int e = rows->start[output]; e < rows->start[output + 1]; e++) {
        const int j = rows->row[e];
        const int at = yoke_pattern_find(m->system->info.Hu, output, j);
        YK_TRY(add_input(c, &c->Hx, &c->Hu, k, i, j, m->Hu + at, 1.0, err));
    }
    return YOKE_OK;
}

static yoke_status settle(term_list *list, yoke_pattern **pattern, int rows,
                          int cols, yoke_err *err)
{
    YK_TRY(yoke_pattern_create(pattern, rows, cols, list->count, list->row,
                               list->col, err));
    for (int k = 0; k < list->count; k++)
        list->term[k].target =
            yoke_pattern_find(*pattern, list->row[k], list->col[k]);
    return YOKE_OK;
}

static yoke_status make_terms(composite *c, yoke_err *err)
{
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        const yoke_system_info *f = &m->system->info;
        YK_TRY(add_block(c, i, m->x, f->C, m->C, f->Cu, m->Cu, &c->C, &c->Cu,
                         err));
        YK_TRY(add_block(c, i, m->x, f->G, m->G, f->Gu, m->Gu, &c->G, &c->Gu,
                         err));
    }
    for (int k = 0; k < c->outs; k++) YK_TRY(add_out(c, k, err));
    for (int k = 0; k < c->m_all; k++)
        if (c->kept_at[k] >= 0) YK_TRY(add_kept(c, k, err));
    YK_TRY(settle(&c->C, &c->pC, c->n, c->n, err));
    YK_TRY(settle(&c->G, &c->pG, c->n, c->n, err));
    YK_TRY(settle(&c->Cu, &c->pCu, c->n, c->opens, err));
    YK_TRY(settle(&c->Gu, &c->pGu, c->n, c->opens, err));
    YK_TRY(settle(&c->Hx, &c->pHx, c->outs, c->n, err));
    return settle(&c->Hu, &c->pHu, c->outs, c->opens, err);
}

/* ---- building ----------------------------------------------------------- */

static void place_members(composite *c, yoke_system *const *system,
                          size_t *memory, int *values)
{
    *memory = 0;
    *values = 0;
    c->has_rhs = true;
    for (int i = 0; i < c->members; i++) {
        member *m = &c->member[i];
        const yoke_system_info *f = &system[i]->info;
        m->system = system[i];
        m->x = c->base;
        m->u = c->m_all;
        m->y = c->p_all;
        m->memory = *memory;
        m->feedthrough = yoke_pattern_count(f->Hu) > 0;
        c->base += f->n;
        c->m_all += f->m;
        c->p_all += f->p;
        *memory += f->memory_bytes;
        int *const at[6] = { &m->C, &m->G, &m->Cu, &m->Gu, &m->Hx, &m->Hu };
        const yoke_pattern *const p[6] = { f->C,  f->G,  f->Cu,
                                           f->Gu, f->Hx, f->Hu };
        for (int k = 0; k < 6; k++) {
            *at[k] = *values;
            *values += yoke_pattern_count(p[k]);
        }
        if (!yoke_system_has_rhs(system[i])) c->has_rhs = false;
    }
}

static yoke_status check_link(const composite *c, const yoke_link *link,
                              yoke_err *err)
{
    if (link->to < 0 || link->to >= c->members || link->from < 0 ||
        link->from >= c->members)
        return yk_fail(err, YOKE_E_ARG,
                       "link from member %d to member %d of "
                       "%d",
                       link->from, link->to, c->members);
    const yoke_system *to = c->member[link->to].system;
    const yoke_system *from = c->member[link->from].system;
    if (link->input < 0 || link->input >= to->info.m)
        return yk_fail(err, YOKE_E_ARG,
                       "link to input %d of \"%s\", which has "
                       "%d",
                       link->input, to->name, to->info.m);
    if (link->output < 0 || link->output >= from->info.p)
        return yk_fail(err, YOKE_E_ARG,
                       "link from output %d of \"%s\", which "
                       "has %d",
                       link->output, from->name, from->info.p);
    if (!isfinite(link->weight))
        return yk_fail(err, YOKE_E_ARG,
                       "link from \"%s\" to \"%s\" has the "
                       "weight %g",
                       from->name, to->name, link->weight);
    return YOKE_OK;
}

static yoke_status sort_links(composite *c, int links, const yoke_link *link,
                              yoke_err *err)
{
    int *start = NULL;

    YK_TRY(YK_NEW(&c->link, links, err));
    YK_TRY(yk_ints(&c->link_start, (size_t)c->m_all + 1, err));
    start = c->link_start;
    for (int l = 0; l < links; l++) {
        YK_TRY(check_link(c, &link[l], err));
        start[c->member[link[l].to].u + link[l].input + 1]++;
    }
    for (int k = 0; k < c->m_all; k++) start[k + 1] += start[k];
    for (int l = 0; l < links; l++)
        c->link[start[c->member[link[l].to].u + link[l].input]++] = link[l];
    for (int k = c->m_all; k > 0; k--) start[k] = start[k - 1];
    start[0] = 0;
    return YOKE_OK;
}

static yoke_status place_opens(composite *c, const int (*open)[2],
                               yoke_err *err)
{
    for (int k = 0; k < c->opens; k++) {
        const int i = open[k][0], input = open[k][1];
        if (i < 0 || i >= c->members || input < 0 ||
            input >= c->member[i].system->info.m)
            return yk_fail(err, YOKE_E_ARG,
                           "open input %d of member %d does "
                           "not exist",
                           input, i);
        if (c->open_at[c->member[i].u + input] >= 0)
            return yk_fail(err, YOKE_E_ARG, "input \"%s.%s\" is open twice",
                           c->member[i].system->name,
                           c->member[i].system->info.u_name[input]);
        c->open_at[c->member[i].u + input] = k;
    }
    return YOKE_OK;
}

/* An input fed by an output with feedthrough is kept as an unknown. */
static void choose_kept(composite *c)
{
    for (int l = 0; l < c->links; l++) {
        const yoke_link *link = &c->link[l];
        const int k = c->member[link->to].u + link->input;
        member *from = &c->member[link->from];
        if (from->hu_rows->start[link->output] ==
            from->hu_rows->start[link->output + 1])
            from->outputs_early = true;
        else if (c->kept_at[k] < 0)
            c->kept_at[k] = c->kept++;
    }
}

static yoke_status check_inputs(const composite *c, yoke_err *err)
{
    for (int i = 0; i < c->members; i++)
        for (int k = 0; k < c->member[i].system->info.m; k++) {
            const int at = c->member[i].u + k;
            if (c->open_at[at] < 0 &&
                c->link_start[at] == c->link_start[at + 1])
                return yk_fail(err, YOKE_E_MODEL,
                               "input \"%s.%s\" is not "
                               "connected",
                               c->member[i].system->name,
                               c->member[i].system->info.u_name[k]);
        }
    return YOKE_OK;
}

static yoke_status place_outs(composite *c, int outs, const int (*out)[2],
                              yoke_err *err)
{
    c->outs = out ? outs : c->p_all;
    YK_TRY(YK_NEW(&c->out, c->outs, err));
    if (!out)
        for (int i = 0, k = 0; i < c->members; i++)
            for (int j = 0; j < c->member[i].system->info.p; j++, k++) {
                c->out[k][0] = i;
                c->out[k][1] = j;
            }
    for (int k = 0; out && k < outs; k++) {
        const int i = out[k][0], output = out[k][1];
        if (i < 0 || i >= c->members || output < 0 ||
            output >= c->member[i].system->info.p)
            return yk_fail(err, YOKE_E_ARG,
                           "output %d of member %d does not exist", output, i);
        c->out[k][0] = i;
        c->out[k][1] = output;
    }
    for (int k = 0; k < c->outs; k++) c->member[c->out[k][0]].wanted = true;
    return YOKE_OK;
}

static yoke_status build(composite *c, const yoke_composition *parts,
                         size_t *memory, yoke_err *err)
{
    int values = 0;

    c->members = parts->members;
    c->links = parts->links;
    c->opens = parts->opens;
    YK_TRY(YK_NEW(&c->member, c->members, err));
    place_members(c, parts->member, memory, &values);
    YK_TRY(sort_links(c, parts->links, parts->link, err));
    for (int i = 0; i < c->members; i++) {
        const yoke_system_info *f = &c->member[i].system->info;
        YK_TRY(yk_pattern_transpose(&c->member[i].hx_rows, f->Hx, err));
        YK_TRY(yk_pattern_transpose(&c->member[i].hu_rows, f->Hu, err));
    }
    YK_TRY(yk_ints(&c->open_at, (size_t)c->m_all, err));
    YK_TRY(yk_ints(&c->kept_at, (size_t)c->m_all, err));
    for (int k = 0; k < c->m_all; k++) c->open_at[k] = c->kept_at[k] = -1;
    YK_TRY(place_opens(c, parts->open, err));
    YK_TRY(place_outs(c, parts->outs, parts->out, err));
    YK_TRY(check_inputs(c, err));
    choose_kept(c);
    c->n = c->base + c->kept;
    if (c->kept) c->has_rhs = false;
    YK_TRY(yk_doubles(&c->u, (size_t)c->m_all, err));
    YK_TRY(yk_doubles(&c->y, (size_t)c->p_all, err));
    YK_TRY(yk_doubles(&c->value, (size_t)values, err));
    return make_terms(c, err);
}

/* Writes "member.name" one after the other. */
typedef struct name_writer {
    char *text;
    size_t used;
} name_writer;

static const char *write_name(name_writer *w, const char *owner,
                              const char *name)
{
    char *start = w->text + w->used;
    const size_t room = strlen(owner) + strlen(name) + 2;

    snprintf(start, room, "%s.%s", owner, name);
    w->used += room;
    return start;
}

static size_t names_size(const composite *c)
{
    size_t size = 1;

    for (int i = 0; i < c->members; i++) {
        const yoke_system_info *f = &c->member[i].system->info;
        const size_t own = strlen(c->member[i].system->name) + 2;
        for (int k = 0; k < f->n; k++)
            size += strlen(f->x_name[k]) + strlen(f->eq_name[k]) + 2 * own;
        for (int k = 0; k < f->m; k++) size += 3 * (strlen(f->u_name[k]) + own);
    }
    for (int k = 0; k < c->outs; k++) {
        const yoke_system *from = c->member[c->out[k][0]].system;
        size += strlen(from->name) + 2;
        size += strlen(from->info.y_name[c->out[k][1]]);
    }
    return size;
}

typedef struct facts {
    const char **x, **u, **y, **eq;
    name_writer names;
    double *x0, *nominal;
} facts;

static void facts_clear(facts *f)
{
    yk_free(f->x);
    yk_free(f->u);
    yk_free(f->y);
    yk_free(f->eq);
    yk_free(f->names.text);
    yk_free(f->x0);
    yk_free(f->nominal);
}

static void write_member(const composite *c, const member *m, facts *out)
{
    const yoke_system_info *f = &m->system->info;
    const char *name = m->system->name;

    for (int k = 0; k < f->n; k++) {
        out->x[m->x + k] = write_name(&out->names, name, f->x_name[k]);
        out->eq[m->x + k] = write_name(&out->names, name, f->eq_name[k]);
        out->x0[m->x + k] = f->x0[k];
        out->nominal[m->x + k] = f->nominal[k];
    }
    for (int k = 0; k < f->m; k++) {
        const int open = c->open_at[m->u + k], kept = c->kept_at[m->u + k];
        if (open >= 0)
            out->u[open] = write_name(&out->names, name, f->u_name[k]);
        if (kept < 0) continue;
        out->x[c->base + kept] = write_name(&out->names, name, f->u_name[k]);
        out->eq[c->base + kept] = write_name(&out->names, name, f->u_name[k]);
        out->nominal[c->base + kept] = 1.0;
    }
}

static yoke_status write_facts(const composite *c, facts *out, yoke_err *err)
{
    YK_TRY(YK_NEW(&out->x, c->n, err));
    YK_TRY(YK_NEW(&out->eq, c->n, err));
    YK_TRY(YK_NEW(&out->u, c->opens, err));
    YK_TRY(YK_NEW(&out->y, c->outs, err));
    YK_TRY(yk_alloc((void **)&out->names.text, names_size(c), 1, err));
    YK_TRY(yk_doubles(&out->x0, (size_t)c->n, err));
    YK_TRY(yk_doubles(&out->nominal, (size_t)c->n, err));
    for (int i = 0; i < c->members; i++) write_member(c, &c->member[i], out);
    for (int k = 0; k < c->outs; k++) {
        const yoke_system *from = c->member[c->out[k][0]].system;
        out->y[k] = write_name(&out->names, from->name,
                               from->info.y_name[c->out[k][1]]);
    }
    return YOKE_OK;
}

static unsigned common_flags(const composite *c)
{
    unsigned flags = YOKE_AFFINE;

    for (int i = 0; i < c->members; i++)
        flags &= c->member[i].system->info.flags;
    return flags;
}

static yoke_status finish(yoke_system **out, const char *name, composite *c,
                          size_t memory, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    facts f = { 0 };
    bool taken = false;

    YK_GO(write_facts(c, &f, err));
    const yoke_system_info info = {
        .n = c->n,
        .m = c->opens,
        .p = c->outs,
        .flags = common_flags(c),
        .positions = c->members ? c->member[0].system->info.positions : 0,
        .memory_bytes = memory,
        .x0 = f.x0,
        .nominal = f.nominal,
        .x_name = f.x,
        .u_name = f.u,
        .y_name = f.y,
        .eq_name = f.eq,
        .C = c->pC,
        .G = c->pG,
        .Cu = c->pCu,
        .Gu = c->pGu,
        .Hx = c->pHx,
        .Hu = c->pHu,
    };
    taken = true;
    YK_GO(yoke_system_create(out, name,
                             c->has_rhs ? &composite_ode_ops : &composite_ops,
                             c, &info, err));
done:
    if (!taken) composite_free(c);
    facts_clear(&f);
    return status;
}

yoke_status yoke_compose(yoke_system **out, const char *name,
                         const yoke_composition *parts, yoke_err *err)
{
    composite *c = NULL;
    size_t memory = 0;

    if (parts->members < 1 || parts->links < 0 || parts->opens < 0)
        return yk_fail(err, YOKE_E_ARG,
                       "composite \"%s\" of %d members, %d links, %d inputs",
                       name, parts->members, parts->links, parts->opens);
    YK_TRY(YK_NEW(&c, 1, err));
    const yoke_status status = build(c, parts, &memory, err);
    if (status != YOKE_OK) {
        yk_prefix(err, "composite \"%s\"", name);
        composite_free(c);
        return status;
    }
    return finish(out, name, c, memory, err);
}
