/* comp/equation/front/start.c -- what Base Modelica says about the start.
 *
 * guess(x) is the start value of x; an equation guess(x) = value gives it.  A
 * parameter without a value has one from the initial equations: p = expression
 * of parameters is its value, and what else determines it makes it an unknown
 * that does not change with time.
 *
 * Reference: Modelica change proposal MCP-0031, differences, "Initialization of
 * parameters" and the sections after it.
 */
#include "comp/equation/front/translate.h"

#include <string.h>

static bool is_call(const yk_expr *e, const char *name)
{
    return e && e->kind == YK_EXPR_CALL && strcmp(e->name, name) == 0;
}

/* prioritize(value, 2) is value: a hint for the choice of start values. */
static yoke_status without_priority(yk_translator *t, yk_expr **e)
{
    if (!is_call(*e, "prioritize")) return YOKE_OK;
    if ((*e)->count != 2)
        return yk_refuse(t, (*e)->at, "prioritize has two arguments");
    *e = (*e)->child[0];
    return YOKE_OK;
}

static yoke_status add_guess(yk_translator *t, yk_equation *q)
{
    const yk_expr *x = q->left->child[0];

    if (q->left->count != 1 || x->kind != YK_EXPR_REFERENCE)
        return yk_refuse(t, q->left->at, "guess(x) needs a variable x");
    yk_symbol *s = yk_find_symbol(t, x->name);
    if (!s) return yk_unknown_name(t, x);
    YK_TRY(without_priority(t, &q->right));
    q->kind = YK_EQUATION_DONE;
    return yk_list_push(t->arena, &s->guess, q, t->err);
}

/* guess(x) = value and value = guess(x), unless it is part of more. */
static yoke_status take_guess(yk_translator *t, yk_equation *q)
{
    if (is_call(q->right, "guess") && q->left->kind == YK_EXPR_NUMBER) {
        yk_expr *value = q->left;
        q->left = q->right;
        q->right = value;
    }
    return is_call(q->left, "guess") ? add_guess(t, q) : YOKE_OK;
}

/* ---- Parameters ---------------------------------------------------------- */

static bool has_value(const yk_symbol *s)
{
    return s->binding != NULL;
}

static bool mentions(const yk_expr *e, const char *name)
{
    if (!e) return false;
    if (e->kind == YK_EXPR_REFERENCE && strcmp(e->name, name) == 0) return true;
    for (int i = 0; i < e->count; i++)
        if (mentions(e->child[i], name)) return true;
    return mentions(e->of, name);
}

static bool mentioned(const yk_branch *section, const char *name)
{
    for (int i = 0; i < section->count; i++) {
        const yk_equation *q = section->body[i];
        if (q->kind == YK_EQUATION_DONE) continue;
        if (mentions(q->left, name) || mentions(q->right, name)) return true;
        for (int b = 0; b < q->branches; b++)
            if (mentioned(&q->branch[b], name)) return true;
    }
    return false;
}

/* Numbers and parameters with values only. */
static bool is_known(yk_translator *t, const yk_expr *e)
{
    if (!e) return true;
    if (e->kind == YK_EXPR_REFERENCE) {
        const yk_symbol *s = yk_find_symbol(t, e->name);
        if (!s && strcmp(e->name, "time") == 0) return true; /* of the start */
        if (!s || s->variability < YK_PARAMETER || !has_value(s)) return false;
    }
    for (int i = 0; i < e->count; i++)
        if (!is_known(t, e->child[i])) return false;
    return e->iterators == 0 && is_known(t, e->of);
}

/* p = expression as the value of p. */
static void take_value(yk_translator *t, yk_equation *q)
{
    yk_symbol *s = q->kind == YK_EQUATION_EQUAL &&
                           q->left->kind == YK_EXPR_REFERENCE &&
                           q->left->count == 0
                       ? yk_find_symbol(t, q->left->name)
                       : NULL;

    if (!s || s->variability != YK_PARAMETER || has_value(s) ||
        !is_known(t, q->right))
        return;
    s->binding = q->right;
    s->is_final = s->is_solved = true;
    q->kind = YK_EQUATION_DONE;
}

static bool is_overridden(const yk_translator *t, const yk_symbol *s)
{
    for (int i = 0; t->options && i < t->options->parameters; i++)
        if (strcmp(t->options->parameter[i].name, s->name) == 0) return true;
    return false;
}

static void find_solved(yk_translator *t, const yk_class *model)
{
    for (int i = 0; i < t->symbol.count; i++) {
        yk_symbol *s = t->symbol.item[i];
        if (s->variability != YK_PARAMETER || has_value(s) ||
            s->shape.type != YK_TYPE_REAL || is_overridden(t, s) ||
            !(s->guess.count || yk_symbol_is_free(s) ||
              mentioned(&model->initial, s->name)))
            continue;
        s->variability = YK_DISCRETE;
        s->by_event = s->is_solved = true;
    }
}

void yk_free_starts(yk_translator *t, const yk_class *model)
{
    if (model->initial.count == 0) return;
    for (int i = 0; i < t->symbol.count; i++) {
        yk_symbol *s = t->symbol.item[i];
        if (s->by_event && mentioned(&model->initial, s->name))
            s->is_solved = true;
    }
}

yoke_status yk_eq_read_starts(yk_translator *t, const yk_class *model)
{
    bool again = true;

    for (int i = 0; i < model->guesses.count; i++)
        YK_TRY(add_guess(t, model->guesses.body[i]));
    for (int i = 0; i < model->initial.count; i++) {
        yk_equation *q = model->initial.body[i];
        if (q->kind == YK_EQUATION_EQUAL) YK_TRY(take_guess(t, q));
        if (q->kind == YK_EQUATION_CALL && is_call(q->left, "prioritize"))
            q->kind = YK_EQUATION_DONE;
    }
    while (again) { /* values may depend on one another in any order */
        again = false;
        for (int i = 0; i < model->initial.count; i++) {
            yk_equation *q = model->initial.body[i];
            if (q->kind != YK_EQUATION_EQUAL) continue;
            take_value(t, q);
            again = again || q->kind == YK_EQUATION_DONE;
        }
    }
    YK_TRY(yk_eq_start_algorithms(t, model));
    find_solved(t, model);
    return YOKE_OK;
}
