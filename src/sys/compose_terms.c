/* sys/compose_terms.c -- the Jacobians of a composite as sums of terms.
 *
 * Every entry of the six Jacobians is a sum of terms  weight * a * b  with a, b
 * entries of the members' Jacobians: by the chain rule, for example, G_ij =
 * Gu_i K_ij Hx_j.  The lists are made once.
 */
#include "sys/compose.h"

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

yoke_status yk_composite_terms(composite *c, yoke_err *err)
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
