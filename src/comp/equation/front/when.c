/* comp/equation/front/when.c -- when-equations become events.
 *
 * The event of a condition is the moment when it becomes true.  Branches of one
 * when-equation share the number of their clause: of those that happen at the
 * same instant the first one counts.
 */
#include "comp/equation/front/translate.h"

#include <string.h>

/* ---- Which variables get values ------------------------------------------ */

static yoke_status mark_target(yk_translator *t, yk_expr *e)
{
    YK_TRY(yk_settle(t, e));
    if (e->kind == YK_EXPR_PART) return mark_target(t, e->of);
    if (e->kind == YK_EXPR_ARRAY) {
        YK_TRY(yk_enter(t, e->at));
        for (int i = 0; i < e->count; i++) YK_TRY(mark_target(t, e->child[i]));
        t->depth--;
        return YOKE_OK;
    }
    if (e->kind != YK_EXPR_REFERENCE)
        return yk_refuse(t, e->at,
                         "an equation in a when-equation has the "
                         "form variable = value");
    yk_symbol *s = yk_find_symbol(t, e->name);
    if (!s) return yk_unknown_name(t, e);
    if (s->variability >= YK_PARAMETER || s->is_input)
        return yk_refuse(
            t, e->at, "%s gets a value at an event, but it is not a variable",
            e->name);
    s->by_event = true;
    return YOKE_OK;
}

static yoke_status mark_actions(yk_translator *t, const yk_branch *body)
{
    for (int i = 0; i < body->count; i++) {
        const yk_equation *q = body->body[i];
        if (q->kind == YK_EQUATION_EQUAL && q->left->kind == YK_EXPR_TUPLE) {
            for (int k = 0; k < q->left->count; k++)
                if (q->left->child[k])
                    YK_TRY(mark_target(t, q->left->child[k]));
        } else if (q->kind == YK_EQUATION_EQUAL) {
            YK_TRY(mark_target(t, q->left));
        }
        for (int b = 0; b < q->branches && q->kind != YK_EQUATION_WHEN; b++)
            YK_TRY(mark_actions(t, &q->branch[b]));
    }
    return YOKE_OK;
}

yoke_status yk_mark_events(yk_translator *t, const yk_branch *section)
{
    for (int i = 0; i < section->count; i++) {
        const yk_equation *q = section->body[i];
        for (int b = 0; b < q->branches; b++)
            if (q->kind == YK_EQUATION_WHEN)
                YK_TRY(mark_actions(t, &q->branch[b]));
            else
                YK_TRY(yk_mark_events(t, &q->branch[b]));
    }
    return YOKE_OK;
}

/* ---- Actions ------------------------------------------------------------- */

typedef struct yk_flat_action action;

typedef struct actions {
    action *action;
    size_t room;
    int count;
} actions;

static yoke_status target_symbol(yk_translator *t, const yk_expr *e,
                                 bool reinit, yk_symbol **out)
{
    yk_meaning m = { 0 };

    if (e->kind == YK_EXPR_REFERENCE) YK_TRY(yk_resolve(t, e, &m));
    if (!m.symbol || m.symbol->variability >= YK_PARAMETER ||
        m.symbol->is_input)
        return yk_refuse(t, e->at,
                         "only a variable can get a value at an "
                         "event");
    if (reinit && m.symbol->by_event)
        return yk_refuse(t, e->at,
                         "%s gets values by reinit and by equations "
                         "in when-equations",
                         e->name);
    *out = m.symbol;
    return YOKE_OK;
}

static yoke_status keep_action(yk_translator *t, actions *list, const action *a)
{
    YK_TRY(YK_GROW(&list->action, &list->room, list->count + 1, t->err));
    list->action[list->count++] = *a;
    return YOKE_OK;
}

static yoke_status add_action(yk_translator *t, actions *list, yk_expr *target,
                              yk_symbol *s, const yk_value *at,
                              const yk_value *value)
{
    yk_value place;
    action a = { .line = target->at.line, .memory = s->by_event };

    YK_TRY(yk_eq_place_of(t, target, &s->shape, at, &place));
    if (place.kind != YK_VALUE_NUMBER)
        return yk_refuse(t, target->at,
                         "the subscript of %s must be a number here", s->name);
    a.variable = s->variable;
    a.place = (int)place.number;
    YK_TRY(yk_to_node(t, value, &a.value));
    return keep_action(t, list, &a);
}

static yoke_status add_values(yk_translator *t, actions *list, yk_expr *target,
                              yk_place source, const yk_shape *from,
                              const yk_value *value, bool reinit);

/* {a, b} = value[] of an array that was written out */
static yoke_status add_leaves(yk_translator *t, actions *list, yk_expr *target,
                              yk_place source, const yk_shape *from,
                              const yk_value *value, bool reinit)
{
    const yk_shape one = { .type = from->type };
    yk_list leaves = { 0 };
    yk_shape to;
    int count = 1;

    YK_TRY(yk_shape_of(t, target, &to));
    YK_TRY(yk_leaves(t, target, &leaves));
    for (int d = 0; d < to.dims; d++) count *= to.size[d];
    if (target->kind != YK_EXPR_ARRAY || !yk_same_size(&to, from) ||
        count != leaves.count)
        return yk_refuse(t, source, "the size of the new value differs");
    for (int i = 0; i < count; i++)
        YK_TRY(add_values(t, list, leaves.item[i], source, &one, &value[i],
                          reinit));
    return YOKE_OK;
}

/* target = value[], element by element */
static yoke_status add_values(yk_translator *t, actions *list, yk_expr *target,
                              yk_place source, const yk_shape *from,
                              const yk_value *value, bool reinit)
{
    yk_shape to;
    yk_symbol *s = NULL;
    yk_value at[YK_FLAT_LOOPS];
    int count = 1;

    YK_TRY(yk_settle(t, target));
    if (target->kind != YK_EXPR_REFERENCE)
        return add_leaves(t, list, target, source, from, value, reinit);
    YK_TRY(target_symbol(t, target, reinit, &s));
    YK_TRY(yk_shape_of(t, target, &to));
    if (!yk_same_size(&to, from) ||
        (to.type == YK_TYPE_BOOLEAN) != (from->type == YK_TYPE_BOOLEAN) ||
        (to.type == YK_TYPE_INTEGER && from->type != YK_TYPE_INTEGER))
        return yk_refuse(t, source,
                         "the size or type of the new value of "
                         "%s differs",
                         s->name);
    for (int d = 0; d < to.dims; d++) count *= to.size[d];
    for (int i = 0; i < count; i++) {
        int rest = i;
        for (int d = to.dims - 1; d >= 0; d--) {
            at[d] = yk_number(rest % to.size[d] + 1.0);
            rest /= to.size[d];
        }
        YK_TRY(add_action(t, list, target, s, at, &value[i]));
    }
    return YOKE_OK;
}

static yoke_status add_actions(yk_translator *t, actions *list, yk_expr *target,
                               yk_expr *source, bool reinit)
{
    yk_shape from;
    yk_value *value;
    int count = 0;

    YK_TRY(yk_shape_of(t, source, &from));
    YK_TRY(yk_elements(t, source, &from, &value, &count));
    return add_values(t, list, target, source->at, &from, value, reinit);
}

/* (a, , b) = f(x) */
static yoke_status add_results(yk_translator *t, actions *list,
                               const yk_equation *q)
{
    yk_call *call = NULL;

    YK_TRY(yk_call_of_tuple(t, q, &call));
    for (int i = 0; i < q->left->count; i++) {
        if (!q->left->child[i]) continue;
        YK_TRY(yk_call_function(t, q->right, &call));
        YK_TRY(add_values(t, list, q->left->child[i], q->right->at,
                          &call->result[i].shape, call->result[i].value,
                          false));
    }
    return YOKE_OK;
}

static yoke_status add_body(yk_translator *t, actions *list,
                            const yk_branch *body);

typedef struct looped {
    actions *list;
    const yk_branch *body;
} looped;

static yoke_status add_round(yk_translator *t, void *self)
{
    const looped *l = self;
    return add_body(t, l->list, l->body);
}

/* ---- if in a when -------------------------------------------------------- */

static const action *find_action(const actions *list, const action *of)
{
    for (int i = list->count - 1; i >= 0; i--)
        if (list->action[i].variable == of->variable &&
            list->action[i].place == of->place)
            return &list->action[i];
    return NULL;
}

/* The value of the target before the event. */
static yoke_status old_value(yk_translator *t, const action *a, int *node)
{
    const yk_flat_node n = { .op = YK_OP_PRE,
                             .a = -1,
                             .b = -1,
                             .c = -1,
                             .variable = a->variable,
                             .place = { a->place } };

    return yk_flat_add_node(t->flat, &n, node, t->err);
}

/* condition ? yes : no, where an action without value leaves things as they
 * were. */
static yoke_status choose_node(yk_translator *t, const yk_value *condition,
                               int yes, int no, int *node)
{
    const yk_value a = { .kind = YK_VALUE_NODE, .node = yes };
    const yk_value b = { .kind = YK_VALUE_NODE, .node = no };
    yk_value v;

    YK_TRY(yk_choose(t, condition, &a, &b, &v));
    return yk_to_node(t, &v, node);
}

static yoke_status one_sided(yk_translator *t, yk_place at, const action *a)
{
    return yk_refuse(t, at,
                     "%s gets a value in one branch of this if only; give it "
                     "one in all, also in else",
                     t->flat->variable[a->variable].name);
}

static yoke_status merge_actions(yk_translator *t, yk_place at,
                                 const yk_value *condition, actions *list,
                                 const actions *yes, const actions *no)
{
    for (int side = 0; side < 2; side++) {
        const actions *own = side ? no : yes, *other = side ? yes : no;
        for (int i = 0; i < own->count; i++) {
            action a = own->action[i];
            const action *b = find_action(other, &a);
            int old = 0;
            if (side && b) continue; /* done with the other side */
            if (!b && a.memory) return one_sided(t, at, &a);
            if (!b) YK_TRY(old_value(t, &a, &old));
            const int rest = b ? b->value : old;
            YK_TRY(choose_node(t, condition, side ? rest : a.value,
                               side ? a.value : rest, &a.value));
            YK_TRY(keep_action(t, list, &a));
        }
    }
    return YOKE_OK;
}

static yoke_status add_if(yk_translator *t, actions *list, const yk_equation *q,
                          int branch)
{
    actions yes = { 0 }, no = { 0 };
    yk_shape shape;
    yk_value condition;

    if (branch == q->branches) return YOKE_OK;
    const yk_branch *b = &q->branch[branch];
    if (!b->condition) return add_body(t, list, b);
    YK_TRY(yk_shape_of(t, b->condition, &shape));
    if (shape.dims || shape.type != YK_TYPE_BOOLEAN)
        return yk_refuse(t, b->condition->at, "a condition is needed here");
    YK_TRY(yk_element(t, b->condition, NULL, 0, &condition));
    if (yk_is_number(&condition, 0.0)) return add_if(t, list, q, branch + 1);
    if (condition.kind == YK_VALUE_NUMBER) return add_body(t, list, b);
    YK_TRY(yk_enter(t, q->at));
    yoke_status status = add_body(t, &yes, b);
    if (status == YOKE_OK) status = add_if(t, &no, q, branch + 1);
    if (status == YOKE_OK)
        status = merge_actions(t, q->at, &condition, list, &yes, &no);
    YK_FREE(yes.action, no.action);
    t->depth--;
    return status;
}

static yoke_status add_statement(yk_translator *t, actions *list,
                                 const yk_equation *q)
{
    looped l = { list, q->branch };

    if (q->kind == YK_EQUATION_EQUAL)
        return q->left->kind == YK_EXPR_TUPLE
                   ? add_results(t, list, q)
                   : add_actions(t, list, q->left, q->right, false);
    if (q->kind == YK_EQUATION_FOR)
        return yk_iterate(t, q->iterator, q->iterators, add_round, &l);
    if (q->kind == YK_EQUATION_IF) return add_if(t, list, q, 0);
    if (q->kind == YK_EQUATION_CALL && strcmp(q->left->name, "reinit") == 0) {
        if (q->left->count != 2)
            return yk_refuse(t, q->at, "reinit(x, value) has two arguments");
        return add_actions(t, list, q->left->child[0], q->left->child[1], true);
    }
    if (q->kind == YK_EQUATION_CALL)
        return yk_refuse(t, q->at, "%s() in a when-equation is not supported",
                         q->left->name);
    return yk_refuse(t, q->at, "a when in a when-equation is not supported");
}

static yoke_status add_body(yk_translator *t, actions *list,
                            const yk_branch *body)
{
    for (int i = 0; i < body->count; i++) {
        YK_TRY(yk_enter(t, body->body[i]->at));
        YK_TRY(add_statement(t, list, body->body[i]));
        t->depth--;
    }
    return YOKE_OK;
}

/* ---- Events -------------------------------------------------------------- */

yoke_status yk_check_time(yk_translator *t, const yk_expr *e, int node)
{
    const yk_flat_node *all = t->flat->node, *n = &all[node];

    if (n->op == YK_OP_HOLD) n = &all[n->a];
    if ((n->op != YK_OP_LESS && n->op != YK_OP_LESS_EQUAL) ||
        all[n->a].op != YK_OP_TIME || all[n->b].op != YK_OP_NUMBER)
        return YOKE_OK;
    return yk_refuse(t, e->at,
                     "this condition becomes false as time goes "
                     "on; write time >= ...");
}

static yoke_status add_event(yk_translator *t, const yk_branch *b, int branch,
                             const yk_expr *condition, int element)
{
    yk_flat_event event = { .kind = YK_FLAT_WHEN,
                            .line = condition->at.line,
                            .clause = t->clauses,
                            .branch = branch };
    const yk_arena_mark mark = yk_arena_now(&t->scratch);
    actions list = { 0 };

    YK_TRY(yk_condition(t, condition, element, &event.condition));
    if (event.condition < 0) return YOKE_OK; /* it never becomes true */
    YK_TRY(yk_check_time(t, condition, event.condition));
    t->in_when = true;
    const yoke_status status = add_body(t, &list, b);
    if (status != YOKE_OK) {
        yk_free(list.action);
        return status;
    }
    t->in_when = false;
    yk_arena_release(&t->scratch, mark);
    event.action = list.action;
    event.actions = list.count;
    return yk_flat_add_event(t->flat, &event, t->err);
}

/* One event, or one for each element of a vector. */
static yoke_status add_events(yk_translator *t, const yk_branch *b, int branch,
                              const yk_expr *condition)
{
    int size = 0;

    YK_TRY(yk_condition_size(t, condition, &size));
    if (size == 0) return add_event(t, b, branch, condition, 0);
    for (int i = 1; i <= size; i++)
        YK_TRY(add_event(t, b, branch, condition, i));
    return YOKE_OK;
}

yoke_status yk_flatten_when(yk_translator *t, const yk_equation *q)
{
    if (t->initial)
        return yk_refuse(t, q->at,
                         "when in the initial equations is not "
                         "supported");
    t->clauses++;
    for (int b = 0; b < q->branches; b++) {
        const yk_expr *c = q->branch[b].condition;
        if (!c) return yk_refuse(t, q->at, "when has no else");
        if (c->kind != YK_EXPR_ARRAY) {
            YK_TRY(add_events(t, &q->branch[b], b, c));
            continue;
        }
        for (int i = 0; i < c->count; i++)
            YK_TRY(add_events(t, &q->branch[b], b, c->child[i]));
    }
    return YOKE_OK;
}
