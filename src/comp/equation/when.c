/* comp/equation/when.c -- when-equations become events.
 *
 * A condition is a relation of two continuous expressions, or a list of them;
 * its event is the moment when it becomes true.  elsewhen is an event of its
 * own: that its condition comes second matters only if both happen at the same
 * instant.
 */
#include "comp/equation/translate.h"

#include <string.h>

/* ---- Which variables get values ------------------------------------------ */

static yoke_status mark_target(yk_translator *t, const yk_expr *e)
{
    if (e->kind != YK_EXPR_REFERENCE)
        return yk_refuse(t, e->at,
                         "an equation in a when-equation has the "
                         "form variable = value");
    yk_symbol *s = yk_find_symbol(t, e->name);
    if (!s) return yk_unknown_name(t, e);
    if (s->variability >= YK_PARAMETER || s->is_input)
        return yk_refuse(t, e->at,
                         "%s gets a value at an event, but it is no "
                         "variable",
                         e->name);
    s->by_event = true;
    return YOKE_OK;
}

static yoke_status mark_when(yk_translator *t, const yk_equation *q)
{
    for (int b = 0; b < q->branches; b++)
        for (int i = 0; i < q->branch[b].count; i++) {
            const yk_equation *action = q->branch[b].body[i];
            if (action->kind == YK_EQUATION_EQUAL)
                YK_TRY(mark_target(t, action->left));
        }
    return YOKE_OK;
}

yoke_status yk_mark_events(yk_translator *t, const yk_branch *section)
{
    for (int i = 0; i < section->count; i++) {
        const yk_equation *q = section->body[i];
        if (q->kind == YK_EQUATION_WHEN) {
            YK_TRY(mark_when(t, q));
            continue;
        }
        for (int b = 0; b < q->branches; b++)
            YK_TRY(yk_mark_events(t, &q->branch[b]));
    }
    return YOKE_OK;
}

/* ---- Actions ------------------------------------------------------------- */

typedef struct actions {
    struct yk_flat_action *action;
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

static yoke_status add_action(yk_translator *t, actions *list, yk_expr *target,
                              yk_symbol *s, const yk_value *at,
                              const yk_value *value)
{
    yk_value place;

    YK_TRY(yk_place_of(t, target, &s->shape, at, &place));
    YK_TRY(yk_grow((void **)&list->action, &list->room, (size_t)list->count + 1,
                   sizeof *list->action, t->err));
    struct yk_flat_action *a = &list->action[list->count];
    a->variable = s->variable;
    a->place = (int)place.number;
    YK_TRY(yk_to_node(t, value, &a->value));
    list->count++;
    return YOKE_OK;
}

/* target = value, element by element */
static yoke_status add_actions(yk_translator *t, actions *list, yk_expr *target,
                               yk_expr *source, bool reinit)
{
    yk_shape to, from;
    yk_symbol *s = NULL;
    yk_value *value, at[YK_FLAT_LOOPS];
    int count = 0;

    YK_TRY(target_symbol(t, target, reinit, &s));
    YK_TRY(yk_shape_of(t, target, &to));
    YK_TRY(yk_shape_of(t, source, &from));
    if (!yk_same_size(&to, &from) ||
        (to.type == YK_TYPE_BOOLEAN) != (from.type == YK_TYPE_BOOLEAN))
        return yk_refuse(t, source->at,
                         "the size or type of the new value of "
                         "%s differs",
                         s->name);
    YK_TRY(yk_elements(t, source, &from, &value, &count));
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

static yoke_status add_statement(yk_translator *t, actions *list,
                                 const yk_equation *q)
{
    if (q->kind == YK_EQUATION_EQUAL)
        return add_actions(t, list, q->left, q->right, false);
    if (q->kind == YK_EQUATION_CALL && strcmp(q->left->name, "reinit") == 0) {
        if (q->left->count != 2)
            return yk_refuse(t, q->at, "reinit(x, value) has two arguments");
        return add_actions(t, list, q->left->child[0], q->left->child[1], true);
    }
    if (q->kind == YK_EQUATION_CALL)
        return yk_refuse(t, q->at, "%s() in a when-equation is not supported",
                         q->left->name);
    return yk_refuse(t, q->at,
                     "%s in a when-equation is not supported; write "
                     "the actions one by one",
                     q->kind == YK_EQUATION_FOR  ? "for"
                     : q->kind == YK_EQUATION_IF ? "if"
                                                 : "when");
}

/* ---- Conditions ---------------------------------------------------------- */

/* left - right becomes positive at the event. */
static yoke_status add_relation(yk_translator *t, const yk_expr *e,
                                yk_flat_event *event)
{
    yk_value side[2];
    yk_shape shape;

    if (e->kind != YK_EXPR_RELATION || e->op[0] == '=' || e->op[0] == 'n')
        return yk_refuse(t, e->at,
                         "this condition of a when-equation is not "
                         "supported; write a relation such as x > 0 "
                         "or time >= 1");
    for (int i = 0; i < 2; i++) {
        YK_TRY(yk_shape_of(t, e->child[i], &shape));
        YK_TRY(yk_element(t, e->child[i], NULL, 0, &side[i]));
    }
    if (shape.type > YK_TYPE_INTEGER)
        return yk_refuse(t, e->at, "a relation of numbers is needed here");
    if (side[0].kind == YK_VALUE_NUMBER && side[1].kind == YK_VALUE_NUMBER)
        return yk_refuse(t, e->at, "this condition never changes");
    const bool swap = e->op[0] == '<' || e->op[0] == 'l';
    YK_TRY(yk_to_node(t, &side[swap ? 1 : 0], &event->left));
    return yk_to_node(t, &side[swap ? 0 : 1], &event->right);
}

/* when time <= 1 would be true before; only its end is an instant. */
static bool is_time(const yk_flat *flat, int node)
{
    return flat->node[node].op == YK_OP_TIME;
}

static yoke_status check_time(yk_translator *t, const yk_expr *e,
                              const yk_flat_event *event)
{
    if (is_time(t->flat, event->right))
        return yk_refuse(t, e->at,
                         "this condition becomes false as time goes "
                         "on; write time >= ...");
    if (is_time(t->flat, event->left) &&
        t->flat->node[event->right].op != YK_OP_NUMBER)
        return yk_refuse(t, e->at,
                         "the time of an event must be a number; "
                         "write a relation of variables otherwise");
    return YOKE_OK;
}

static yoke_status fill_event(yk_translator *t, const yk_expr *condition,
                              const yk_branch *b, yk_flat_event *event)
{
    actions list = { 0 };
    yoke_status status = add_relation(t, condition, event);

    if (status == YOKE_OK) status = check_time(t, condition, event);
    for (int i = 0; status == YOKE_OK && i < b->count; i++)
        status = add_statement(t, &list, b->body[i]);
    event->action = list.action;
    event->actions = list.count;
    return status;
}

static yoke_status add_event(yk_translator *t, const yk_expr *condition,
                             const yk_branch *b)
{
    yk_flat_event event = { .line = condition->at.line };
    const yk_arena_mark mark = yk_arena_now(&t->scratch);
    const yoke_status status = fill_event(t, condition, b, &event);

    if (status != YOKE_OK) {
        yk_free(event.action);
        return status;
    }
    yk_arena_release(&t->scratch, mark);
    return yk_flat_add_event(t->flat, &event, t->err);
}

yoke_status yk_flatten_when(yk_translator *t, const yk_equation *q)
{
    if (t->initial)
        return yk_refuse(t, q->at,
                         "when in the initial equations is not "
                         "supported");
    t->in_when = true;
    for (int b = 0; b < q->branches; b++) {
        const yk_expr *c = q->branch[b].condition;
        if (!c) return yk_refuse(t, q->at, "when has no else");
        if (c->kind != YK_EXPR_ARRAY) {
            YK_TRY(add_event(t, c, &q->branch[b]));
            continue;
        }
        for (int i = 0; i < c->count; i++)
            YK_TRY(add_event(t, c->child[i], &q->branch[b]));
    }
    t->in_when = false;
    return YOKE_OK;
}
