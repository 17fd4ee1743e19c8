/* comp/equation/events/latch.c -- variables with an equation that change at
 * events.
 *
 *     b = x > 0 and not c        n = pre(n) + (if edge(b) then 1 else 0)
 *
 * Booleans, whole numbers and discrete Real variables whose equation is made of
 * relations and of other such variables jump, and a solver must not step
 * across.  So each keeps its value between events, and its equation is solved
 * at each event, together with the when-equations.  Equations that depend on
 * anything else stay equations.
 */
#include "comp/equation/front/translate.h"

#include <string.h>

static bool is_call(const yk_expr *e, const char *name)
{
    return e->kind == YK_EXPR_CALL && strcmp(e->name, name) == 0;
}

static bool remembers(const yk_expr *e)
{
    static const char *const name[] = { "pre", "edge", "change", "initial",
                                        "sample" };

    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (is_call(e, name[i])) return true;
    for (int i = 0; i < e->count; i++)
        if (e->child[i] && remembers(e->child[i])) return true;
    return e->kind == YK_EXPR_PART && remembers(e->of);
}

/* A variable or time occurs. */
static bool varies(yk_translator *t, const yk_expr *e)
{
    if (e->kind == YK_EXPR_REFERENCE) {
        const yk_symbol *s = yk_find_symbol(t, e->name);
        if (s ? s->variability < YK_PARAMETER : strcmp(e->name, "time") == 0)
            return true;
    }
    if (is_call(e, "sample")) return true;
    for (int i = 0; i < e->count; i++)
        if (e->child[i] && varies(t, e->child[i])) return true;
    return e->kind == YK_EXPR_PART && varies(t, e->of);
}

/* Surely a whole number or a Boolean: == of anything else may be one of Real
 * numbers, and no event. */
static bool whole(yk_translator *t, const yk_expr *e)
{
    const yk_symbol *s = NULL;

    switch (e->kind) {
    case YK_EXPR_REFERENCE:
        s = yk_find_symbol(t, e->name);
        return s && s->shape.type != YK_TYPE_REAL;
    case YK_EXPR_NUMBER:
        return e->whole;
    case YK_EXPR_BOOLEAN:
        return true;
    case YK_EXPR_CALL:
        if (is_call(e, "integer") || is_call(e, "Integer")) return true;
        if (!is_call(e, "pre")) return false;
        break;
    case YK_EXPR_PART:
        return whole(t, e->of);
    case YK_EXPR_ARRAY:
    case YK_EXPR_SUM:
    case YK_EXPR_NEGATE:
        break;
    default:
        return false;
    }
    for (int i = 0; i < e->count; i++)
        if (!whole(t, e->child[i])) return false;
    return true;
}

static bool is_known_call(const yk_expr *e)
{
    static const char *const name[] = { "pre",  "noEvent", "edge",   "change",
                                        "sign", "initial", "sample", "abs",
                                        "min",  "max",     "div",    "mod",
                                        "rem",  "Integer" };

    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (is_call(e, name[i])) return e->iterators == 0;
    return false;
}

/* Changes at events only. */
static bool known(yk_translator *t, const yk_expr *e)
{
    const yk_symbol *s = NULL;

    switch (e->kind) {
    case YK_EXPR_RELATION:
        return (e->op[0] != '=' && e->op[0] != 'n') ||
               (whole(t, e->child[0]) && whole(t, e->child[1]));
    case YK_EXPR_BOOLEAN:
    case YK_EXPR_NUMBER:
        return true;
    case YK_EXPR_REFERENCE:
        s = yk_find_symbol(t, e->name);
        return s && e->count == 0 &&
               (s->variability >= YK_DISCRETE || s->by_event ||
                s->shape.type == YK_TYPE_BOOLEAN || s->latch);
    case YK_EXPR_CALL:
        if (is_call(e, "integer") || is_call(e, "size")) return true;
        if (is_call(e, "pre") || is_call(e, "sample")) return true;
        if (!is_known_call(e)) return false;
        break;
    case YK_EXPR_PART:
        if (!known(t, e->of)) return false;
        break;
    case YK_EXPR_ARRAY:
    case YK_EXPR_AND:
    case YK_EXPR_OR:
    case YK_EXPR_NOT:
    case YK_EXPR_IF:
    case YK_EXPR_SUM:
    case YK_EXPR_PRODUCT:
    case YK_EXPR_NEGATE:
        break;
    default:
        return false;
    }
    for (int i = 0; i < e->count; i++)
        if (!known(t, e->child[i])) return false;
    return true;
}

/* Has no equation of its own yet that changes it at events. */
static bool is_free(const yk_symbol *s)
{
    return !s || (!s->by_event && !s->latch);
}

static bool is_plain(const yk_expr *e)
{
    return e && e->kind == YK_EXPR_REFERENCE && e->count == 0;
}

/* True: it is one, and was not yet. */
static bool mark(yk_translator *t, yk_symbol *s, yk_expr *e)
{
    if (!s || s->dims || s->is_input || s->by_event || s->latch ||
        s->variability >= YK_PARAMETER ||
        (s->shape.type == YK_TYPE_REAL && s->variability < YK_DISCRETE))
        return false;
    /* b = c is another name, unless somebody asks what b was before. */
    if (e->kind == YK_EXPR_REFERENCE &&
        (!s->is_asked || is_free(yk_find_symbol(t, e->name))))
        return false;
    if (!known(t, e) || !varies(t, e)) return false;
    s->latch = e;
    return true;
}

static bool mark_some(yk_translator *t, const yk_class *model)
{
    bool any = false;

    for (int i = 0; i < t->symbol.count; i++) {
        yk_symbol *s = t->symbol.item[i];
        if (s->binding && mark(t, s, s->binding)) any = true;
    }
    for (int i = 0; i < model->equations.count; i++) {
        const yk_equation *q = model->equations.body[i];
        if (q->kind != YK_EQUATION_EQUAL ||
            q->left->kind != YK_EXPR_REFERENCE || q->left->count)
            continue;
        if (mark(t, yk_find_symbol(t, q->left->name), q->right)) any = true;
        const yk_symbol *left = yk_find_symbol(t, q->left->name);
        if (is_plain(q->right) && left && left->latch != q->right &&
            mark(t, yk_find_symbol(t, q->right->name), q->left))
            any = true;
    }
    return any;
}

/* ---- Other names --------------------------------------------------------- */

static bool asks(const yk_expr *e)
{
    return (is_call(e, "pre") || is_call(e, "edge") || is_call(e, "change")) &&
           e->count == 1 && is_plain(e->child[0]);
}

/* An algorithm runs at events, and what it reads must have its new value there:
 * `all` whole numbers and Booleans in it are asked for. */
static void find_asked(yk_translator *t, const yk_expr *e, bool all)
{
    if (!e) return;
    if (asks(e) || (all && is_plain(e))) {
        yk_symbol *s =
            yk_find_symbol(t, is_plain(e) ? e->name : e->child[0]->name);
        if (s && (asks(e) || s->shape.type != YK_TYPE_REAL)) s->is_asked = true;
    }
    for (int i = 0; i < e->count; i++) find_asked(t, e->child[i], all);
    find_asked(t, e->of, all);
}

static void find_asked_in(yk_translator *t, const yk_branch *body, bool all)
{
    for (int i = 0; i < body->count; i++) {
        const yk_equation *q = body->body[i];
        find_asked(t, q->left, all);
        find_asked(t, q->right, all);
        for (int b = 0; b < q->branches; b++) {
            find_asked(t, q->branch[b].condition, all);
            find_asked_in(t, &q->branch[b], all);
        }
    }
}

/* One that is asked for is asked for under its other names too, until one that
 * gets its values at events. */
static bool ask_on(yk_translator *t, const char *a, const yk_expr *b)
{
    const yk_symbol *s = yk_find_symbol(t, a);
    yk_symbol *other = is_plain(b) ? yk_find_symbol(t, b->name) : NULL;

    if (!s || !other || !s->is_asked || s->by_event || other->is_asked)
        return false;
    other->is_asked = true;
    return true;
}

static bool ask_once(yk_translator *t, const yk_class *model)
{
    bool any = false;

    for (int i = 0; i < t->symbol.count; i++) {
        const yk_symbol *s = t->symbol.item[i];
        if (s->is_asked && s->binding && ask_on(t, s->name, s->binding))
            any = true;
    }
    for (int i = 0; i < model->equations.count; i++) {
        const yk_equation *q = model->equations.body[i];
        if (q->kind != YK_EQUATION_EQUAL || !is_plain(q->left) ||
            !is_plain(q->right))
            continue;
        if (ask_on(t, q->left->name, q->right)) any = true;
        if (ask_on(t, q->right->name, q->left)) any = true;
    }
    return any;
}

static void find_all_asked(yk_translator *t, const yk_class *model)
{
    for (int i = 0; i < t->symbol.count; i++)
        find_asked(t, ((yk_symbol *)t->symbol.item[i])->binding, false);
    find_asked_in(t, &model->equations, false);
    for (int i = 0; i < model->algorithms.count; i++)
        find_asked_in(t, model->algorithms.item[i], true);
    while (ask_once(t, model)) {
    }
}

/* ---- Names of arrays that a tool has written out ------------------------- */

/* A name inside of iterators may be one of them. */
static yoke_status settle(yk_translator *t, yk_expr *e, bool inside)
{
    if (!e) return YOKE_OK;
    inside = inside || e->iterators > 0;
    if (e->kind == YK_EXPR_REFERENCE && (!inside || strchr(e->name, '[')))
        YK_TRY(yk_settle(t, e));
    YK_TRY(yk_enter(t, e->at));
    for (int i = 0; i < e->count; i++) YK_TRY(settle(t, e->child[i], inside));
    if (e->kind == YK_EXPR_PART) YK_TRY(settle(t, e->of, inside));
    t->depth--;
    return YOKE_OK;
}

static yoke_status settle_all(yk_translator *t, const yk_class *model)
{
    for (int i = 0; i < model->equations.count; i++) {
        const yk_equation *q = model->equations.body[i];
        if (q->kind != YK_EQUATION_EQUAL) continue;
        YK_TRY(settle(t, q->left, false));
        YK_TRY(settle(t, q->right, false));
    }
    return YOKE_OK;
}

yoke_status yk_mark_latches(yk_translator *t, const yk_class *model)
{
    YK_TRY(settle_all(t, model));
    find_all_asked(t, model);
    while (mark_some(t, model)) {
    }
    for (int i = 0; i < t->symbol.count; i++) {
        yk_symbol *s = t->symbol.item[i];
        s->by_event = s->by_event || s->latch;
    }
    return YOKE_OK;
}

bool yk_is_latch(yk_translator *t, const yk_equation *q)
{
    const yk_symbol *s = q->left->kind == YK_EXPR_REFERENCE
                             ? yk_find_symbol(t, q->left->name)
                             : NULL;

    const yk_symbol *r =
        is_plain(q->right) ? yk_find_symbol(t, q->right->name) : NULL;

    if (t->initial) return false;
    return (s && s->latch && s->latch == q->right) ||
           (r && r->latch && r->latch == q->left);
}

static yoke_status right_side(yk_translator *t, const yk_symbol *s, int *node)
{
    yk_shape shape;
    yk_value v;

    t->in_when = t->condition = true;
    YK_TRY(yk_shape_of(t, s->latch, &shape));
    if (shape.dims ||
        (shape.type == YK_TYPE_BOOLEAN) != (s->shape.type == YK_TYPE_BOOLEAN) ||
        (s->shape.type == YK_TYPE_INTEGER && shape.type != YK_TYPE_INTEGER))
        return yk_refuse(t, s->latch->at, "the sides have different types");
    YK_TRY(yk_element(t, s->latch, NULL, 0, &v));
    t->in_when = t->condition = false;
    return yk_to_node(t, &v, node);
}

yoke_status yk_flatten_latch(yk_translator *t, const yk_symbol *s)
{
    yk_flat_event event = { .kind = YK_FLAT_ALWAYS,
                            .condition = -1,
                            .line = s->latch->at.line,
                            .clause = ++t->clauses,
                            .actions = 1 };
    int value = 0;

    YK_TRY(right_side(t, s, &value));
    YK_TRY(YK_NEW(&event.action, 1, t->err));
    *event.action = (struct yk_flat_action){ .variable = s->variable,
                                             .value = value,
                                             .line = s->latch->at.line,
                                             .memory = true };
    return yk_flat_add_event(t->flat, &event, t->err);
}

bool yk_latch_starts(const yk_symbol *s)
{
    return s->latch && !remembers(s->latch);
}
