/* comp/equation/events/algebra_find.c -- which algebraic unknowns are solved for
 * at an instant.
 *
 * The pattern of the equations with the charges kept has the places of C in rows
 * with charge and those of G in the others.  Rows whose only charge is that of an
 * input, d/dt u - d = 0, determine derivatives: their blocks stay as they are.  A
 * block moves if a row of it reads a discrete variable, something held, an
 * input, or an unknown of a block that moves.
 */
#include "comp/equation/events/algebra_parts.h"
#include "la/pattern.h"

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
        const yk_template *t = &s->m->relation.at[i];
        if (!flat->relation[i].watched)
            YK_GO(
                read_all(s->m, s->l, t->residual, t->loops > 0, s->read, err));
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
            yk_row_name(m, &m->equation, a->row[i], name);
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
    YK_GO(read_all(m, a->layout, t->residual, t->loops > 0, read, err));
    for (int j = 0; j < a->layout->n; j++)
        *out = *out || (read[j] && a->jumps[j]);
done:
    yk_free(read);
    return status;
}
