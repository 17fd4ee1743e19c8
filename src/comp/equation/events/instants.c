/* comp/equation/events/instants.c -- what events have to do with inputs and
 * outputs: which inputs they read, and how outputs jump.
 *
 * An output jumps with discrete variables and with what is held, at once, or
 * with states that reinit gives new values, at the end of the instant; others
 * see it differently (yoke_instant).  Which it is follows from the equations:
 * algebraic unknowns follow what they depend on.
 */
#include "comp/equation/structure/depend.h"
#include "comp/equation/events/events_rules.h"
#include "comp/equation/events/instants.h"

void yk_instants_free(yk_instants *i)
{
    YK_FREE(i->discrete, i->jump, i->reads);
}

/* ---- Inputs ---------------------------------------------------------------
 */

typedef struct reader {
    yk_instants *to;
    yk_model *m;
    const yk_layout *l;
    bool *algebraic; /* m: occurs in equations without derivatives */
} reader;

static void read_element(const reader *r, int element, unsigned char how)
{
    const int root = r->m->root[element], column = r->l->column[root];

    for (int k = 0; k < r->l->m; k++)
        if (r->l->u_slot[k] == root) r->to->reads[k] |= how;
    if (column < 0 || r->l->C->start[column] < r->l->C->start[column + 1])
        return;
    for (int k = 0; k < r->l->m; k++)
        if (r->algebraic[k]) r->to->reads[k] |= how;
}

/* Whatever an expression refers to; arrays as a whole where there are loops. */
static yoke_status read_all(const reader *r, int root, bool loops,
                            yoke_err *err)
{
    int *list = NULL, length = 0;

    YK_TRY(yk_reach(&r->m->pool, 1, &root, &list, &length, err));
    for (int i = 0; i < length; i++) {
        const yk_node *n = &r->m->pool.node[list[i]];
        if (n->op != YK_OP_REFER && n->op != YK_OP_PRE) continue;
        const unsigned char how =
            n->op == YK_OP_PRE ? YOKE_READS_BEFORE : YOKE_READS_NOW;
        const yk_flat_variable *v = &r->m->flat->variable[n->variable];
        if (v->kind >= YK_FLAT_TABLE) continue;
        const int first = r->m->base[n->variable];
        for (int k = 0; k < v->count; k++)
            if (loops || k == n->place[0]) read_element(r, first + k, how);
    }
    yk_free(list);
    return YOKE_OK;
}

static yoke_status find_reads(const reader *r, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_flat *flat = r->m->flat;
    int *before = NULL, actions = 0;

    YK_GO(yk_ints(&before, (size_t)flat->nodes, err));
    yk_import(&r->m->pool, true, before);
    YK_GO(yk_pool_status(&r->m->pool, err));
    for (int i = 0; i < flat->events; i++) {
        const yk_flat_event *e = &flat->event[i];
        actions += e->actions;
        if (e->kind != YK_FLAT_ALWAYS)
            YK_GO(read_all(r, before[e->condition], false, err));
        for (int a = 0; a < e->actions; a++)
            YK_GO(read_all(r, before[e->action[a].value], false, err));
    }
    for (int i = 0; actions > 0 && i < r->m->relation.count; i++) {
        const yk_template *t = &r->m->relation.at[i];
        if (flat->relation[i].kink || flat->relation[i].watched) continue;
        YK_GO(read_all(r, t->residual, t->loops > 0, err));
    }
done:
    yk_free(before);
    return status;
}

static void find_algebraic(const yk_layout *l, const bool *charged,
                           bool *algebraic)
{
    for (int k = 0; k < l->m; k++)
        for (int i = l->Gu->start[k]; i < l->Gu->start[k + 1]; i++)
            if (!charged[l->Gu->row[i]]) algebraic[k] = true;
}

static yoke_status make_reads(yk_instants *out, yk_model *m, const yk_layout *l,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    reader r = { .to = out, .m = m, .l = l };
    bool *charged = NULL;

    YK_GO(YK_NEW(&charged, l->n + 1, err));
    YK_GO(YK_NEW(&r.algebraic, l->m + 1, err));
    for (int k = 0; k < l->C->start[l->n]; k++) charged[l->C->row[k]] = true;
    find_algebraic(l, charged, r.algebraic);
    status = find_reads(&r, err);
done:
    YK_FREE(charged, r.algebraic);
    return status;
}

/* ---- Outputs --------------------------------------------------------------
 */

/* Something that equations depend on, not only conditions, jumps. */
static bool any_level(const yk_relations *relations)
{
    for (int k = 0; k < yk_relations_count(relations); k++) {
        yoke_event_about about = { 0 };
        yk_relations_about(relations, k, &about);
        if (!about.kink && (about.level || about.watched)) return true;
    }
    return false;
}

static unsigned char jump_of(const yk_instants *out, const yk_layout *l,
                             yk_depend *d, const bool *reset, bool level, int j)
{
    const bool algebraic = l->C->start[j] == l->C->start[j + 1];
    unsigned jump = 0;

    if (out->discrete[j] || yk_depends(d, j, out->discrete) >= 0 ||
        (algebraic && level))
        jump |= YOKE_JUMP_DISCRETE;
    if (reset[j] || yk_depends(d, j, reset) >= 0) jump |= YOKE_JUMP_STATE;
    return (unsigned char)jump;
}

static yoke_status find_jumps(yk_instants *out, const yk_layout *l,
                              const bool *reset, bool level, yoke_err *err)
{
    yk_depend *d = NULL;

    YK_TRY(yk_depend_create(&d, l, err));
    for (int j = 0; j < l->n; j++) {
        if (l->Hx->start[j] == l->Hx->start[j + 1]) continue;
        const unsigned char jump = jump_of(out, l, d, reset, level, j);
        for (int k = l->Hx->start[j]; k < l->Hx->start[j + 1]; k++)
            out->jump[l->Hx->row[k]] |= jump;
    }
    yk_depend_free(d);
    return YOKE_OK;
}

yoke_status yk_instants_create(yk_instants *out, yk_model *m,
                               const yk_layout *l, const yk_whens *events,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *reset = NULL;

    if (!events) return YOKE_OK;
    YK_GO(YK_NEW(&reset, l->n + 1, err));
    YK_GO(YK_NEW(&out->discrete, l->n + 1, err));
    YK_GO(YK_NEW(&out->jump, l->p + 1, err));
    YK_GO(YK_NEW(&out->reads, l->m + 1, err));
    for (int k = 0; k < events->count; k++)
        for (int r = 0; r < events->rule[k].action.results; r++) {
            const yk_target *to = &events->rule[k].target[r];
            (to->memory < 0 ? reset : out->discrete)[to->column] = true;
        }
    YK_GO(find_jumps(out, l, reset, any_level(events->relations), err));
    YK_GO(make_reads(out, m, l, err));
    out->facts = (yoke_event_facts){ .discrete = out->discrete,
                                     .jump = out->jump,
                                     .reads = out->reads };
    out->known = true;
done:
    yk_free(reset);
    return status;
}
