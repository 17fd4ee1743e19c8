/* comp/equation/latch.c -- Booleans with an equation.
 *
 *     b = condition
 *
 * jumps where the condition changes, and a solver must not step across.  So b
 * gets a memory and two events, which happen at the start too:
 *
 *     when condition then b = true elsewhen not condition then b = false
 *
 * The condition may contain pre(b): a hysteresis.  Conditions that are no
 * combination of relations stay equations.
 */
#include "comp/equation/translate.h"

#include <string.h>

static bool is_call(const yk_expr *e, const char *name)
{
    return e->kind == YK_EXPR_CALL && strcmp(e->name, name) == 0;
}

static bool remembers(const yk_expr *e)
{
    if (is_call(e, "pre")) return true;
    for (int i = 0; i < e->count; i++)
        if (e->child[i] && remembers(e->child[i])) return true;
    return false;
}

/* A variable or time occurs. */
static bool varies(yk_translator *t, const yk_expr *e)
{
    if (e->kind == YK_EXPR_REFERENCE) {
        const yk_symbol *s = yk_find_symbol(t, e->name);
        if (s ? s->variability < YK_PARAMETER : strcmp(e->name, "time") == 0)
            return true;
    }
    for (int i = 0; i < e->count; i++)
        if (e->child[i] && varies(t, e->child[i])) return true;
    return false;
}

/* yk_indicator knows it.  == of what are no variables of type Integer or
 * Boolean may be one of Real numbers. */
static bool whole(yk_translator *t, const yk_expr *e)
{
    const yk_symbol *s =
        e->kind == YK_EXPR_REFERENCE ? yk_find_symbol(t, e->name) : NULL;

    return s ? s->shape.type != YK_TYPE_REAL
             : (e->kind == YK_EXPR_NUMBER && e->whole) ||
                   e->kind == YK_EXPR_BOOLEAN;
}

static bool known(yk_translator *t, const yk_expr *e)
{
    switch (e->kind) {
    case YK_EXPR_RELATION:
        return (e->op[0] != '=' && e->op[0] != 'n') ||
               (whole(t, e->child[0]) && whole(t, e->child[1]));
    case YK_EXPR_BOOLEAN:
        return true;
    case YK_EXPR_REFERENCE:
        return e->count == 0;
    case YK_EXPR_CALL:
        if (!is_call(e, "pre") && !is_call(e, "noEvent")) return false;
        break;
    case YK_EXPR_AND:
    case YK_EXPR_OR:
    case YK_EXPR_NOT:
    case YK_EXPR_IF:
        break;
    default:
        return false;
    }
    for (int i = 0; i < e->count; i++)
        if (!known(t, e->child[i])) return false;
    return true;
}

static void mark(yk_translator *t, yk_symbol *s, yk_expr *e)
{
    if (!s || s->shape.type != YK_TYPE_BOOLEAN || s->dims || s->is_input ||
        s->by_event || s->variability >= YK_PARAMETER)
        return;
    /* b = c is another name. */
    if (e->kind == YK_EXPR_REFERENCE || !known(t, e) || !varies(t, e)) return;
    s->latch = e;
}

void yk_mark_latches(yk_translator *t, const yk_class *model)
{
    for (int i = 0; i < t->symbol.count; i++) {
        yk_symbol *s = t->symbol.item[i];
        if (s->binding) mark(t, s, s->binding);
    }
    for (int i = 0; i < model->equations.count; i++) {
        const yk_equation *q = model->equations.body[i];
        if (q->kind != YK_EQUATION_EQUAL ||
            q->left->kind != YK_EXPR_REFERENCE || q->left->count)
            continue;
        mark(t, yk_find_symbol(t, q->left->name), q->right);
    }
    for (int i = 0; i < t->symbol.count; i++) {
        yk_symbol *s = t->symbol.item[i];
        s->by_event = s->by_event || s->latch;
    }
}

bool yk_is_latch(yk_translator *t, const yk_equation *q)
{
    const yk_symbol *s = q->left->kind == YK_EXPR_REFERENCE
                             ? yk_find_symbol(t, q->left->name)
                             : NULL;

    return s && s->latch && s->latch == q->right && !t->initial;
}

static yoke_status add_event(yk_translator *t, const yk_symbol *s, bool want)
{
    yoke_status status;
    const yk_value value = yk_number(want);
    yk_flat_event event = { .line = s->latch->at.line,
                            .clause = t->clauses,
                            .at_start = true,
                            .actions = 1 };

    YK_TRY(yk_indicator(t, s->latch, want, false, &event));
    YK_TRY(YK_NEW(&event.action, 1, t->err));
    *event.action = (struct yk_flat_action){ .variable = s->variable,
                                             .line = s->latch->at.line,
                                             .memory = true };
    status = yk_to_node(t, &value, &event.action->value);
    if (status != YOKE_OK) {
        yk_free(event.action);
        return status;
    }
    return yk_flat_add_event(t->flat, &event, t->err);
}

yoke_status yk_flatten_latch(yk_translator *t, const yk_symbol *s)
{
    t->clauses++;
    YK_TRY(add_event(t, s, true));
    return add_event(t, s, false);
}

bool yk_latch_starts(const yk_symbol *s)
{
    return s->latch && !remembers(s->latch);
}
