/* comp/equation/events.c -- when-equations as state events.
 *
 * Conditions and actions are interpreted, also beside native code: they are few
 * and are asked a few times per step.
 *
 * An action gives a new charge, so its target must be an unknown under d/dt:
 * the algebraic unknowns follow from the charges, and a value given to one of
 * them would be lost.  Elements that are aliases pass the value on to their
 * root.
 */
#include "comp/equation/events.h"

typedef struct target {
    int column; /* of x */
    double sign;
} target;

typedef struct event {
    yk_code indicator, action; /* one result; one per target */
    target *target;
} event;

struct yk_whens {
    int count;
    event *event;
    double *workspace;
};

/* What is computed at an event is computed once: no loops. */
static const yk_template once = { .rounds = 1, .instances = 1 };

void yk_whens_free(yk_whens *all)
{
    if (!all) return;
    for (int k = 0; all->event && k < all->count; k++) {
        yk_code_free(&all->event[k].indicator);
        yk_code_free(&all->event[k].action);
        yk_free(all->event[k].target);
    }
    yk_free(all->event);
    yk_free(all->workspace);
    yk_free(all);
}

int yk_whens_count(const yk_whens *all)
{
    return all ? all->count : 0;
}

/* ---- Values -------------------------------------------------------------- */

static double result(const yk_whens *all, const yk_code *code, int r)
{
    return all->workspace[(size_t)code->result[r] * YK_LANES];
}

void yk_whens_indicate(const yk_whens *all, double t, const double *w,
                       double *g)
{
    for (int k = 0; k < all->count; k++) {
        const yk_code *code = &all->event[k].indicator;
        yk_code_run(code, &once, 0, 1, t, w, all->workspace);
        g[k] = result(all, code, 0);
    }
}

void yk_whens_apply(const yk_whens *all, double t, const double *w,
                    const bool *happened, double *x_new)
{
    for (int k = 0; k < all->count; k++) {
        const event *e = &all->event[k];
        if (!happened[k]) continue;
        yk_code_run(&e->action, &once, 0, 1, t, w, all->workspace);
        for (int r = 0; r < e->action.results; r++)
            x_new[e->target[r].column] =
                e->target[r].sign * result(all, &e->action, r);
    }
}

/* ---- What is refused ----------------------------------------------------- */

/* Why an element cannot get a new value, or NULL. */
static const char *obstacle(const yk_model *m, int element)
{
    const int root = m->root[element];

    if (m->sign[element] == 0) return "is constant";
    if (yk_is_input(m, root)) return "is an input";
    if (m->highest[root] == 0) return "is algebraic";
    if (m->dummy[(size_t)root * YK_ORDERS + 1])
        return "was made algebraic to reduce the index";
    return NULL;
}

static yoke_status find_target(target *out, const yk_model *m,
                               const yk_layout *l, int line, int element,
                               yoke_err *err)
{
    const char *why = obstacle(m, element);
    char name[YK_NAME_SIZE];

    if (why) {
        yk_element_name(m, element, 0, name);
        return yk_fail(err, YOKE_E_MODEL,
                       "%s:%d: reinit needs a state, but %s %s", m->flat->file,
                       line, name, why);
    }
    out->column = l->column[m->root[element]];
    out->sign = m->sign[element];
    return YOKE_OK;
}

/* Derivatives under d/dt have no value of their own. */
static yoke_status check_reference(const yk_model *m, const yk_layout *l,
                                   int line, int node, yoke_err *err)
{
    const yk_node *n = &m->pool.node[node];
    char name[YK_NAME_SIZE];

    if (n->op != YK_OP_REFER || n->order == 0) return YOKE_OK;
    const int element = m->base[n->variable] + n->place[0];
    const int root = m->root[element], owner = m->owner[root];
    const int slot = m->segment[n->order][owner] + root - m->base[owner];
    if (m->sign[element] == 0 || l->column[slot] >= 0) return YOKE_OK;
    yk_element_name(m, element, n->order, name);
    return yk_fail(err, YOKE_E_MODEL,
                   "%s:%d: %s in a when-equation; introduce a variable for it "
                   "with an equation of its own",
                   m->flat->file, line, name);
}

/* ---- Construction -------------------------------------------------------- */

static yoke_status make_code(yk_code *code, yk_model *m, const yk_layout *l,
                             int line, int count, const int *root,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *list = NULL, length = 0;

    YK_TRY(yk_reach(&m->pool, count, root, &list, &length, err));
    for (int i = 0; i < length; i++)
        YK_GO(check_reference(m, l, line, list[i], err));
    YK_GO(yk_code_create(code, m, &once, count, root, err));
done:
    yk_free(list);
    return status;
}

static yoke_status make_actions(event *e, yk_model *m, const yk_layout *l,
                                const yk_flat_event *flat, const int *map,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *root = NULL;

    YK_GO(yk_ints(&root, (size_t)flat->actions, err));
    YK_GO(YK_NEW(&e->target, flat->actions, err));
    for (int r = 0; r < flat->actions; r++) {
        const struct yk_flat_action *a = &flat->action[r];
        root[r] = map[a->value];
        YK_GO(find_target(&e->target[r], m, l, flat->line,
                          m->base[a->variable] + a->place, err));
    }
    YK_GO(make_code(&e->action, m, l, flat->line, flat->actions, root, err));
done:
    yk_free(root);
    return status;
}

static yoke_status make_event(event *e, yk_model *m, const yk_layout *l,
                              const yk_flat_event *flat, const int *map,
                              yoke_err *err)
{
    const int indicator = yk_expr_binary(&m->pool, YK_OP_SUBTRACT,
                                         map[flat->left], map[flat->right]);

    YK_TRY(make_code(&e->indicator, m, l, flat->line, 1, &indicator, err));
    return make_actions(e, m, l, flat, map, err);
}

static yoke_status make_workspace(yk_whens *all, yoke_err *err)
{
    int registers = 1;

    for (int k = 0; k < all->count; k++) {
        const event *e = &all->event[k];
        if (e->indicator.registers > registers)
            registers = e->indicator.registers;
        if (e->action.registers > registers) registers = e->action.registers;
    }
    return yk_doubles(&all->workspace, (size_t)registers * YK_LANES, err);
}

yoke_status yk_whens_create(yk_whens **out, yk_model *m, const yk_layout *l,
                            yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_flat *flat = m->flat;
    yk_whens *all = NULL;
    int *map = NULL, count = 0;

    for (int i = 0; i < flat->events; i++) count += flat->event[i].actions > 0;
    if (count == 0) return YOKE_OK;
    YK_GO(YK_NEW(&all, 1, err));
    YK_GO(YK_NEW(&all->event, count, err));
    YK_GO(yk_ints(&map, (size_t)flat->nodes, err));
    yk_import(&m->pool, map); /* finds the nodes that are there already */
    YK_GO(yk_pool_status(&m->pool, err));
    for (int i = 0; i < flat->events; i++)
        if (flat->event[i].actions > 0)
            YK_GO(make_event(&all->event[all->count++], m, l, &flat->event[i],
                             map, err));
    YK_GO(make_workspace(all, err));
    *out = all;
    all = NULL;
done:
    yk_free(map);
    yk_whens_free(all);
    return status;
}
