/* comp/equation/front/algorithm.c -- algorithm sections of a model.
 *
 * A section gives values to the variables on its left sides, one statement
 * after the other.  It is run symbolically (statement.c); at its begin a
 * variable that changes at events has its value before the event, any other
 * its start value.  What comes out is
 *
 *     v = value                for a continuous variable,
 *     v = value at events      for one that changes at events only,
 *     an event with actions    for each when.
 *
 * After a when its variables are what they are: the new value at the event,
 * the held one otherwise.
 *
 * Initial algorithms give initial equations.  If what they say of parameters
 * are numbers, these are the values of the parameters.
 *
 * Reference: Modelica language specification 3.6, section 11.1.
 */
#include "comp/equation/front/translate.h"

#include <string.h>

/* ---- Left sides ---------------------------------------------------------- */

static yoke_status add_target(yk_translator *t, yk_list *list, yk_symbol *s)
{
    for (int i = 0; i < list->count; i++)
        if (list->item[i] == s) return YOKE_OK;
    return yk_list_push(t->arena, list, s, t->err);
}

/* A variable, or the members of a record. */
static yoke_status find_target(yk_translator *t, yk_list *list, yk_expr *e)
{
    yk_meaning m = { 0 };
    yk_list leaves = { 0 };

    const yk_class *record =
        e->kind == YK_EXPR_REFERENCE ? yk_eq_record_of(t, e) : NULL;
    for (int i = 0; record && i < record->declarations; i++) {
        yk_expr *member = NULL;
        YK_TRY(yk_enter(t, e->at));
        YK_TRY(yk_member(t, e, record->declaration[i]->name, &member));
        YK_TRY(find_target(t, list, member));
        t->depth--;
    }
    if (record) return YOKE_OK;
    YK_TRY(yk_leaves(t, e, &leaves));
    for (int i = 0; i < leaves.count; i++) {
        const yk_expr *x = leaves.item[i];
        YK_TRY(yk_resolve(t, x, &m));
        if (!m.symbol)
            return yk_refuse(t, x->at, "%s is not a variable of the model",
                             x->name);
        YK_TRY(add_target(t, list, m.symbol));
    }
    return YOKE_OK;
}

static yoke_status find_targets(yk_translator *t, yk_list *list,
                                const yk_branch *body, bool in_when)
{
    for (int i = 0; i < body->count; i++) {
        const yk_equation *q = body->body[i];
        const bool when = q->kind == YK_EQUATION_WHEN;
        YK_TRY(yk_enter(t, q->at));
        if (q->kind == YK_EQUATION_EQUAL && q->left->kind == YK_EXPR_TUPLE) {
            for (int k = 0; k < q->left->count; k++)
                if (q->left->child[k])
                    YK_TRY(find_target(t, list, q->left->child[k]));
        } else if (q->kind == YK_EQUATION_EQUAL) {
            YK_TRY(find_target(t, list, q->left));
        }
        for (int b = 0; b < q->branches && (in_when || !when); b++)
            YK_TRY(find_targets(t, list, &q->branch[b], in_when));
        t->depth--;
    }
    return YOKE_OK;
}

static yoke_status check_target(yk_translator *t, const yk_branch *body,
                                const yk_symbol *s)
{
    const yk_place at = body->count ? body->body[0]->at : s->at;

    if (s->variability < YK_PARAMETER && !s->is_input) return YOKE_OK;
    return yk_refuse(t, at,
                     "%s gets a value in this algorithm, but it is not a "
                     "variable",
                     s->name);
}

yoke_status yk_mark_algorithms(yk_translator *t, const yk_class *model)
{
    for (int i = 0; i < model->algorithms.count; i++) {
        const yk_branch *body = model->algorithms.item[i];
        yk_list plain = { 0 };
        YK_TRY(yk_mark_events(t, body));
        YK_TRY(find_targets(t, &plain, body, false));
        for (int k = 0; k < plain.count; k++) {
            yk_symbol *s = plain.item[k];
            YK_TRY(check_target(t, body, s));
            if (s->shape.type == YK_TYPE_REAL && s->variability < YK_DISCRETE)
                continue;
            s->by_event = s->by_algorithm = true;
        }
    }
    for (int i = 0; i < model->starters.count; i++) {
        yk_list all = { 0 };
        YK_TRY(find_targets(t, &all, model->starters.item[i], true));
        for (int k = 0; k < all.count; k++) {
            yk_symbol *s = all.item[k];
            s->is_solved = s->is_solved || s->by_event;
        }
    }
    return YOKE_OK;
}

/* ---- The scope ----------------------------------------------------------- */

typedef struct section {
    yk_scope scope;
    const yk_branch *body;
    bool *whened; /* of each value: a when gives it */
    bool dry;     /* only to find what is assigned */
} section;

static yoke_status refer(yk_translator *t, yk_symbol *s, yk_op op, int place,
                         yk_value *out)
{
    const yk_value at = yk_number(place);

    return yk_variable_node(t, s, op, &at, out);
}

/* The value of an element before the first statement. */
static yoke_status first_value(yk_translator *t, yk_symbol *s, int place,
                               yk_value *out)
{
    if (t->constant || s->variability >= YK_PARAMETER) {
        out->kind = YK_VALUE_NONE;
        return YOKE_OK;
    }
    YK_TRY(yk_symbol_variable(t, s));
    if (s->by_event && !t->initial) return refer(t, s, YK_OP_PRE, place, out);
    *out = yk_number(t->flat->variable[s->variable].start[place]);
    return YOKE_OK;
}

static yoke_status add_locals(yk_translator *t, section *c, const yk_list *list)
{
    yk_scope *scope = &c->scope;

    YK_TRY(YK_SCRATCH(t, &scope->local, list->count));
    for (int i = 0; i < list->count; i++) {
        yk_symbol *s = list->item[i];
        YK_TRY(yk_symbol_shape(t, s));
        scope->local[i] = (yk_local){ .name = s->name,
                                      .shape = s->shape,
                                      .offset = scope->values,
                                      .count = s->count,
                                      .symbol = s };
        scope->values += s->count;
    }
    scope->locals = list->count;
    scope->room = scope->values;
    YK_TRY(YK_SCRATCH(t, &scope->value, scope->values));
    YK_TRY(YK_SCRATCH(t, &scope->assigned, scope->values));
    return YK_SCRATCH(t, &c->whened, scope->values);
}

/* `known`: which elements the section gives values; others are what they are.
 */
static yoke_status set_first(yk_translator *t, section *c, const bool *known)
{
    for (int i = 0; i < c->scope.locals; i++) {
        const yk_local *l = &c->scope.local[i];
        for (int k = 0; k < l->count; k++) {
            yk_value *v = &c->scope.value[l->offset + k];
            if (known && !known[l->offset + k] && !t->constant)
                YK_TRY(refer(t, l->symbol, YK_OP_REFER, k, v));
            else
                YK_TRY(first_value(t, l->symbol, k, v));
        }
    }
    memset(c->scope.assigned, 0, (size_t)c->scope.values);
    memset(c->whened, 0, (size_t)c->scope.values);
    return YOKE_OK;
}

static yoke_status run_section(yk_translator *t, section *c, const bool *known)
{
    const yk_aside aside = yk_put_aside(t, t->constant);

    YK_TRY(set_first(t, c, known));
    t->scope = &c->scope;
    t->running = c;
    t->slots = 0;
    t->binding++;
    const yoke_status status = yk_eq_run_statements(t, c->body);
    t->running = NULL;
    t->binding++;
    yk_take_back(t, &aside);
    return status == YOKE_RETRY
               ? yk_refuse(t, c->body->body[0]->at,
                           "this algorithm cannot be written out")
               : status;
}

/* Elements of arrays that the section does not touch are found first. */
static yoke_status find_assigned(yk_translator *t, section *c, bool **known)
{
    bool arrays = false;

    for (int i = 0; i < c->scope.locals; i++)
        arrays = arrays || c->scope.local[i].count != 1;
    *known = NULL;
    if (!arrays) return YOKE_OK;
    const int nodes = t->flat->nodes, events = t->flat->events;
    c->dry = true;
    YK_TRY(run_section(t, c, NULL));
    c->dry = false;
    t->flat->nodes = nodes;
    yk_flat_drop_events(t->flat, events);
    YK_TRY(YK_SCRATCH(t, known, c->scope.values));
    for (int k = 0; k < c->scope.values; k++)
        (*known)[k] = c->scope.assigned[k] || c->whened[k];
    return YOKE_OK;
}

static yoke_status run_all(yk_translator *t, section *c, const yk_branch *body)
{
    yk_list list = { 0 };
    bool *known = NULL;

    *c = (section){ .scope = { .is_model = true }, .body = body };
    YK_TRY(find_targets(t, &list, body, true));
    YK_TRY(add_locals(t, c, &list));
    if (!t->constant) YK_TRY(find_assigned(t, c, &known));
    return run_section(t, c, known);
}

/* ---- when ---------------------------------------------------------------- */

static yoke_status keep_actions(yk_translator *t, const section *c, int line,
                                yk_flat_event *event)
{
    struct yk_flat_action *a = NULL;
    int count = 0;

    for (int k = 0; k < c->scope.values; k++) count += c->scope.assigned[k];
    YK_TRY(YK_NEW(&a, count ? count : 1, t->err));
    event->action = a;
    for (int i = 0; i < c->scope.locals; i++) {
        const yk_local *l = &c->scope.local[i];
        for (int k = 0; k < l->count; k++) {
            if (!c->scope.assigned[l->offset + k]) continue;
            *a = (struct yk_flat_action){ .variable = l->symbol->variable,
                                          .place = k,
                                          .line = line,
                                          .memory = true };
            YK_TRY(yk_to_node(t, &c->scope.value[l->offset + k], &a->value));
            a++;
        }
    }
    event->actions = count;
    return YOKE_OK;
}

/* The actions of a branch, for one condition of it; NULL: none is needed. */
static yoke_status run_branch(yk_translator *t, section *c, const yk_branch *b,
                              const yk_expr *condition, int branch)
{
    yk_flat_event event = { .kind = YK_FLAT_WHEN,
                            .clause = t->clauses,
                            .branch = branch };

    if (condition) {
        event.line = condition->at.line;
        YK_TRY(yk_condition(t, condition, 0, &event.condition));
        if (event.condition < 0)
            condition = NULL; /* it never becomes true */
        else
            YK_TRY(yk_check_time(t, condition, event.condition));
    }
    t->in_when = true;
    const yoke_status status = yk_eq_run_body(t, b);
    t->in_when = false;
    YK_TRY(status);
    if (!condition) return YOKE_OK;
    const yoke_status kept = keep_actions(t, c, event.line, &event);
    if (kept != YOKE_OK) {
        yk_free(event.action);
        return kept;
    }
    return yk_flat_add_event(t->flat, &event, t->err);
}

/* Runs it and takes its values back; notes what it assigned. */
static yoke_status try_branch(yk_translator *t, section *c, const yk_branch *b,
                              const yk_expr *condition, int branch)
{
    const yk_arena_mark mark = yk_arena_now(&t->scratch);
    const size_t count = (size_t)c->scope.values;
    yk_value *before = NULL;
    bool *assigned = NULL;

    YK_TRY(YK_SCRATCH(t, &before, count));
    YK_TRY(YK_SCRATCH(t, &assigned, count));
    memcpy(before, c->scope.value, count * sizeof *before);
    memcpy(assigned, c->scope.assigned, count);
    memset(c->scope.assigned, 0, count);
    YK_TRY(run_branch(t, c, b, condition, branch));
    for (size_t k = 0; k < count; k++)
        c->whened[k] = c->whened[k] || c->scope.assigned[k];
    memcpy(c->scope.value, before, count * sizeof *before);
    memcpy(c->scope.assigned, assigned, count);
    t->binding++;
    yk_arena_release(&t->scratch, mark);
    return YOKE_OK;
}

static yoke_status run_branches(yk_translator *t, section *c,
                                const yk_equation *q)
{
    const bool quiet = c->dry || t->initial;

    for (int b = 0; b < q->branches; b++) {
        const yk_branch *branch = &q->branch[b];
        const yk_expr *e = branch->condition;
        if (!e) return yk_refuse(t, q->at, "when has no else");
        const int conditions = e->kind == YK_EXPR_ARRAY ? e->count : 1;
        for (int i = 0; i < (quiet ? 1 : conditions); i++)
            YK_TRY(try_branch(t, c, branch,
                              quiet                      ? NULL
                              : e->kind == YK_EXPR_ARRAY ? e->child[i]
                                                         : e,
                              b));
    }
    return YOKE_OK;
}

yoke_status yk_eq_run_when(yk_translator *t, const yk_equation *q)
{
    section *c = t->running;
    bool *before = NULL;

    if (t->in_when)
        return yk_refuse(t, q->at, "a when in a when is not supported");
    if (t->scope != &c->scope)
        return yk_refuse(t, q->at, "when in a function is not supported");
    const size_t count = (size_t)c->scope.values;
    YK_TRY(YK_SCRATCH(t, &before, count));
    memcpy(before, c->whened, count);
    memset(c->whened, 0, count);
    t->clauses++;
    YK_TRY(run_branches(t, c, q));
    for (int i = 0; i < c->scope.locals; i++) {
        const yk_local *l = &c->scope.local[i];
        for (int k = 0; k < l->count; k++) {
            bool *own = &c->whened[l->offset + k];
            if (*own)
                YK_TRY(refer(t, l->symbol, YK_OP_REFER, k,
                             &c->scope.value[l->offset + k]));
            *own = *own || before[l->offset + k];
        }
    }
    t->binding++;
    return YOKE_OK;
}

/* ---- What comes out ------------------------------------------------------ */

/* v = value, solved at each event */
static yoke_status add_rule(yk_translator *t, const yk_symbol *s, int place,
                            yk_place at, const yk_value *value)
{
    yk_flat_event event = { .kind = YK_FLAT_ALWAYS,
                            .condition = -1,
                            .line = at.line,
                            .clause = ++t->clauses,
                            .actions = 1 };

    YK_TRY(YK_NEW(&event.action, 1, t->err));
    *event.action = (struct yk_flat_action){
        .variable = s->variable, .place = place, .line = at.line, .memory = true
    };
    const yoke_status status = yk_to_node(t, value, &event.action->value);
    if (status != YOKE_OK) {
        yk_free(event.action);
        return status;
    }
    return yk_flat_add_event(t->flat, &event, t->err);
}

static yoke_status add_result(yk_translator *t, const section *c,
                              const yk_local *l, int place)
{
    const yk_place at = c->body->body[0]->at;
    const yk_value *value = &c->scope.value[l->offset + place];
    yk_value left;

    if (c->whened[l->offset + place])
        return yk_refuse(t, at,
                         "%s gets values inside and outside of when in this "
                         "algorithm, which is not supported",
                         l->name);
    if (value->kind == YK_VALUE_NONE)
        return yk_refuse(t, at,
                         "%s does not always get a value in this "
                         "algorithm",
                         l->name);
    if (l->symbol->by_event && !t->initial)
        return add_rule(t, l->symbol, place, at, value);
    YK_TRY(refer(t, l->symbol, YK_OP_REFER, place, &left));
    return yk_add_equation(t, at, &left, value);
}

/* `which`: of the results those that are wanted. */
static yoke_status add_results(yk_translator *t, const section *c, bool starter)
{
    for (int i = 0; i < c->scope.locals; i++) {
        const yk_local *l = &c->scope.local[i];
        if (t->initial && !starter && !l->symbol->by_event) continue;
        if (starter && l->symbol->variability >= YK_PARAMETER) continue;
        for (int k = 0; k < l->count; k++)
            if (c->scope.assigned[l->offset + k])
                YK_TRY(add_result(t, c, l, k));
    }
    return YOKE_OK;
}

static yoke_status flatten_sections(yk_translator *t, const yk_list *list,
                                    bool starter)
{
    section c;

    for (int i = 0; i < list->count; i++) {
        const yk_branch *body = list->item[i];
        const yk_arena_mark mark = yk_arena_now(&t->scratch);
        if (body->count == 0) continue;
        t->frames = t->slots = 0;
        YK_TRY(run_all(t, &c, body));
        YK_TRY(add_results(t, &c, starter));
        yk_arena_release(&t->scratch, mark);
    }
    return YOKE_OK;
}

yoke_status yk_flatten_algorithms(yk_translator *t, const yk_class *model)
{
    return flatten_sections(t, &model->algorithms, false);
}

yoke_status yk_flatten_starters(yk_translator *t, const yk_class *model)
{
    return flatten_sections(t, &model->starters, true);
}

/* ---- Parameters ---------------------------------------------------------- */

static bool is_open_parameter(const yk_symbol *s)
{
    return s->variability == YK_PARAMETER && !s->binding;
}

/* The numbers of a parameter as an expression. */
static yoke_status bind(yk_translator *t, yk_symbol *s, const yk_value *value)
{
    yk_expr *e = NULL;

    YK_TRY(YK_TAKE(t->arena, &e, 1, t->err));
    e->kind =
        s->shape.type == YK_TYPE_BOOLEAN ? YK_EXPR_BOOLEAN : YK_EXPR_NUMBER;
    e->number = value->number;
    e->whole = s->shape.type == YK_TYPE_INTEGER;
    e->at = s->at;
    e->stamp = -1;
    s->binding = e;
    s->is_final = s->is_solved = true;
    return YOKE_OK;
}

static yoke_status bind_numbers(yk_translator *t, const section *c)
{
    for (int i = 0; i < c->scope.locals; i++) {
        const yk_local *l = &c->scope.local[i];
        const yk_value *v = &c->scope.value[l->offset];
        if (is_open_parameter(l->symbol) && l->shape.dims == 0 &&
            v->kind == YK_VALUE_NUMBER)
            YK_TRY(bind(t, l->symbol, v));
    }
    return YOKE_OK;
}

/* What depends on variables is no failure: it is solved for at the start. */
static yoke_status try_numbers(yk_translator *t, const yk_branch *body)
{
    const yk_aside aside = yk_put_aside(t, "a parameter");
    const int depth = t->depth;
    yoke_err *const err = t->err, own = { YOKE_OK, "" };
    yoke_err unused = own;
    section c;

    t->err = &unused;
    yoke_status status = run_all(t, &c, body);
    t->err = err;
    t->running = NULL;
    t->depth = depth;
    t->frames = 0;
    yk_take_back(t, &aside);
    if (status == YOKE_E_MEMORY) return yk_fail(err, status, "out of memory");
    return status == YOKE_OK ? bind_numbers(t, &c) : YOKE_OK;
}

yoke_status yk_eq_start_algorithms(yk_translator *t, const yk_class *model)
{
    for (int i = 0; i < model->starters.count; i++) {
        const yk_branch *body = model->starters.item[i];
        yk_list list = { 0 };
        bool open = false;
        YK_TRY(find_targets(t, &list, body, true));
        for (int k = 0; k < list.count; k++)
            open = open || is_open_parameter(list.item[k]);
        if (open) YK_TRY(try_numbers(t, body));
        for (int k = 0; k < list.count; k++) {
            yk_symbol *s = list.item[k];
            if (!is_open_parameter(s)) continue;
            s->variability = YK_DISCRETE;
            s->by_event = s->is_solved = true;
        }
    }
    return YOKE_OK;
}
