/* comp/equation/front/statement.c -- statements are run symbolically.
 *
 * Every element of every variable has a value: a number or a node.  Loops run
 * with numbers; an if with a varying condition runs all branches and merges
 * their values by if-nodes.
 *
 * break and return under a varying condition are exits: the values there are
 * kept, what follows is run for the way that goes on, and where the ways meet
 *
 *     v = if c1 then (v at exit 1) elseif c2 then (v at exit 2) ... else v
 *
 * So counters stay numbers on the way that goes on.  A while-loop ends when its
 * condition is known to be false; one that depends on variables alone has no
 * known end.
 */
#include "comp/equation/front/translate.h"

#include <string.h>

enum {
    MOST_ROUNDS = 100000,
    MOST_OPEN_ROUNDS = 300,
    MOST_EXITS = 3000,
    MOST_PLACES = 1000 /* that a subscript which varies may choose from */
};

/* ---- Assignments --------------------------------------------------------- */

static yoke_status target_of(yk_translator *t, yk_expr *e,
                             const yk_local **local, yk_shape *shape)
{
    yk_meaning m;

    if (e->kind != YK_EXPR_REFERENCE)
        return yk_refuse(t, e->at,
                         "a value can be assigned to a variable "
                         "only");
    YK_TRY(yk_resolve(t, e, &m));
    if (!m.local)
        return yk_refuse(t, e->at, "%s is not a variable of the %s", e->name,
                         yk_in_model(t) ? "model" : "function");
    *local = m.local;
    return yk_shape_of(t, e, shape);
}

yoke_status yk_check_assigned(yk_translator *t, const yk_expr *e,
                              const yk_shape *to, const yk_shape *from)
{
    char a[80], b[80];

    if (!yk_same_size(to, from))
        return yk_refuse(t, e->at, "%s has the size %s, its value %s",
                         e->name ? e->name : "this", yk_shape_text(to, a),
                         yk_shape_text(from, b));
    if ((to->type == YK_TYPE_BOOLEAN) != (from->type == YK_TYPE_BOOLEAN) ||
        (to->type == YK_TYPE_INTEGER && from->type == YK_TYPE_REAL))
        return yk_refuse(t, e->at, "%s and its value have different types",
                         e->name ? e->name : "this");
    return YOKE_OK;
}

/* Element `number` of the scope gets the value, if c holds. */
static yoke_status set(yk_translator *t, int number, const yk_value *c,
                       const yk_value *value)
{
    yk_value *own = &t->scope->value[number];

    if (t->scope->assigned) t->scope->assigned[number] = true;
    if (!c) {
        *own = *value;
        return YOKE_OK;
    }
    if (own->kind == YK_VALUE_NONE) return YOKE_OK; /* not set on every way */
    return yk_choose(t, c, value, own, own);
}

/* x[place] := value where the place varies: all elements may get it. */
static yoke_status set_one_of(yk_translator *t, yk_place at, const int *number,
                              int count, const yk_value *place,
                              const yk_value *value)
{
    const yk_value half = yk_number(0.5);

    if (count > MOST_PLACES)
        return yk_refuse(t, at,
                         "a subscript on the left side depends on a variable "
                         "and has %d values; at most %d are supported",
                         count, MOST_PLACES);
    for (int k = 0; k < count; k++) {
        const yk_value own = yk_number(k);
        yk_value c;
        YK_TRY(yk_operate(t, at, YK_OP_SUBTRACT, place, &own, &c));
        YK_TRY(yk_operate(t, at, YK_OP_ABS, &c, NULL, &c));
        YK_TRY(yk_operate(t, at, YK_OP_LESS, &c, &half, &c));
        YK_TRY(set(t, number[k], &c, value));
    }
    return YOKE_OK;
}

/* The elements of e, number[] of the scope, get the values. */
static yoke_status store_at(yk_translator *t, yk_expr *e, const yk_shape *whole,
                            const int *number, int all, const yk_shape *shape,
                            const yk_value *value)
{
    yk_value at[YK_FLAT_LOOPS], place;
    int count = 1;

    for (int d = 0; d < shape->dims; d++) count *= shape->size[d];
    for (int i = 0; i < count; i++) {
        int rest = i;
        for (int d = shape->dims - 1; d >= 0; d--) {
            at[d] = yk_number(rest % shape->size[d] + 1.0);
            rest /= shape->size[d];
        }
        YK_TRY(yk_varying_place(t, e, whole, at, &place));
        if (place.kind == YK_VALUE_AFFINE) return yk_blame(t, &place);
        if (place.kind == YK_VALUE_NODE)
            YK_TRY(set_one_of(t, e->at, number, all, &place, &value[i]));
        else
            YK_TRY(set(t, number[(int)place.number], NULL, &value[i]));
    }
    t->binding++;
    return YOKE_OK;
}

static yoke_status store(yk_translator *t, yk_expr *e, const yk_local *local,
                         const yk_shape *shape, const yk_value *value)
{
    int *number = NULL;

    YK_TRY(YK_SCRATCH(t, &number, local->count));
    for (int k = 0; k < local->count; k++) number[k] = local->offset + k;
    return store_at(t, e, &local->shape, number, local->count, shape, value);
}

/* The same for an array that was written out, or a part of it. */
static yoke_status store_leaves(yk_translator *t, yk_expr *e,
                                const yk_shape *shape, const yk_value *value)
{
    yk_expr *array = e->kind == YK_EXPR_PART ? e->of : e;
    yk_list leaves = { 0 };
    yk_shape whole;
    int *number = NULL;

    YK_TRY(yk_shape_of(t, array, &whole));
    YK_TRY(yk_leaves(t, array, &leaves));
    YK_TRY(YK_SCRATCH(t, &number, leaves.count));
    for (int k = 0; k < leaves.count; k++) {
        const yk_local *local = NULL;
        yk_shape one;
        YK_TRY(target_of(t, leaves.item[k], &local, &one));
        number[k] = local->offset;
    }
    if (e->kind == YK_EXPR_PART)
        return store_at(t, e, &whole, number, leaves.count, shape, value);
    for (int k = 0; k < leaves.count; k++)
        YK_TRY(set(t, number[k], NULL, &value[k]));
    t->binding++;
    return YOKE_OK;
}

/* A variable gets values of the shape `from`. */
static yoke_status store_any(yk_translator *t, yk_expr *e, const yk_shape *from,
                             const yk_value *value)
{
    const yk_local *local = NULL;
    yk_shape to;

    YK_TRY(yk_settle(t, e));
    if (e->kind == YK_EXPR_ARRAY || e->kind == YK_EXPR_PART) {
        YK_TRY(yk_shape_of(t, e, &to));
        YK_TRY(yk_check_assigned(t, e, &to, from));
        return store_leaves(t, e, &to, value);
    }
    YK_TRY(target_of(t, e, &local, &to));
    YK_TRY(yk_check_assigned(t, e, &to, from));
    return store(t, e, local, &to, value);
}

static yoke_status assign_record(yk_translator *t, const yk_equation *q,
                                 const yk_class *c);

static yoke_status assign(yk_translator *t, const yk_equation *q)
{
    const yk_class *record =
        q->left->kind == YK_EXPR_REFERENCE ? yk_eq_record_of(t, q->left) : NULL;

    yk_shape from;
    yk_value *value = NULL;
    int count = 0;
    const yk_arena_mark mark = yk_arena_now(&t->scratch);

    if (record) return assign_record(t, q, record);
    YK_TRY(yk_shape_of(t, q->right, &from));
    YK_TRY(yk_elements(t, q->right, &from, &value, &count));
    YK_TRY(store_any(t, q->left, &from, value));
    yk_arena_release(&t->scratch, mark);
    return YOKE_OK;
}

/* r := s: all values first, since s may contain r. */
static yoke_status assign_record(yk_translator *t, const yk_equation *q,
                                 const yk_class *c)
{
    yk_value **value = NULL;
    yk_equation **part = NULL;

    YK_TRY(YK_SCRATCH(t, &value, c->declarations));
    YK_TRY(YK_SCRATCH(t, &part, c->declarations));
    for (int i = 0; i < c->declarations; i++) {
        yk_shape from;
        int count = 0;
        YK_TRY(yk_eq_record_equation(t, q, c, i, &part[i]));
        if (yk_eq_record_of(t, part[i]->left))
            return yk_refuse(t, q->at,
                             "a record inside of a record is assigned as a "
                             "whole; assign its members");
        YK_TRY(yk_shape_of(t, part[i]->right, &from));
        YK_TRY(yk_elements(t, part[i]->right, &from, &value[i], &count));
    }
    for (int i = 0; i < c->declarations; i++) {
        const yk_local *local = NULL;
        yk_shape to, from;
        YK_TRY(target_of(t, part[i]->left, &local, &to));
        YK_TRY(yk_shape_of(t, part[i]->right, &from));
        YK_TRY(yk_check_assigned(t, part[i]->left, &to, &from));
        YK_TRY(store(t, part[i]->left, local, &to, value[i]));
    }
    return YOKE_OK;
}

yoke_status yk_call_of_tuple(yk_translator *t, const yk_equation *q,
                             yk_call **out)
{
    if (q->right->kind != YK_EXPR_CALL || yk_is_builtin(t, q->right->name))
        return yk_refuse(t, q->right->at,
                         "a call of a function is needed here");
    YK_TRY(yk_call_function(t, q->right, out));
    if (q->left->count > (*out)->results)
        return yk_refuse(t, q->left->at, "%s has %d results", q->right->name,
                         (*out)->results);
    return YOKE_OK;
}

/* (a, , b) := f(x) */
static yoke_status assign_tuple(yk_translator *t, const yk_equation *q)
{
    yk_call *call = NULL;
    const yk_expr *left = q->left;

    YK_TRY(yk_call_of_tuple(t, q, &call));
    for (int i = 0; i < left->count; i++) {
        if (!left->child[i]) continue;
        YK_TRY(store_any(t, left->child[i], &call->result[i].shape,
                         call->result[i].value));
    }
    return YOKE_OK;
}

/* ---- Statements ---------------------------------------------------------- */

static yoke_status copy_values(yk_translator *t, yk_value **out)
{
    t->work += t->scope->values / 4;
    YK_TRY(YK_SCRATCH(t, out, t->scope->values));
    memcpy(*out, t->scope->value, (size_t)t->scope->values * sizeof **out);
    return YOKE_OK;
}

static yoke_status merge(yk_translator *t, const yk_value *condition,
                         const yk_value *yes)
{
    for (int i = 0; i < t->scope->values; i++) {
        yk_value *no = &t->scope->value[i];
        if (yes[i].kind == YK_VALUE_NONE || no->kind == YK_VALUE_NONE)
            no->kind = YK_VALUE_NONE; /* not set on every way */
        else
            YK_TRY(yk_choose(t, condition, &yes[i], no, no));
    }
    t->binding++;
    return YOKE_OK;
}

/* ---- break and return ---------------------------------------------------- */

/* A way on which a loop, or the whole, is left: the condition, if none before
 * it held, and the values there. */
struct yk_exit {
    bool is_return;
    yk_value condition;
    yk_value *value;
};

static yoke_status add_exit(yk_translator *t, yk_place at, bool is_return,
                            const yk_value *condition)
{
    yk_scope *s = t->scope;
    struct yk_exit *larger = NULL;

    if (s->exits >= MOST_EXITS)
        return yk_refuse(t, at,
                         "break and return depend on variables in more than %d "
                         "places; use loops with constant bounds",
                         MOST_EXITS);
    if (s->exits >= s->exit_room) {
        const int room = s->exit_room ? 2 * s->exit_room : 8;
        YK_TRY(YK_SCRATCH(t, &larger, room));
        if (s->exits)
            memcpy(larger, s->exit, (size_t)s->exits * sizeof *larger);
        s->exit = larger;
        s->exit_room = room;
    }
    struct yk_exit *own = &s->exit[s->exits];
    *own = (struct yk_exit){ is_return, *condition, NULL };
    YK_TRY(copy_values(t, &own->value));
    s->exits++;
    return YOKE_OK;
}

/* The exits from number `from` on are only taken if c holds. */
static yoke_status restrict_exits(yk_translator *t, yk_place at, int from,
                                  const yk_value *c)
{
    for (int i = from; i < t->scope->exits; i++) {
        yk_value *own = &t->scope->exit[i].condition;
        YK_TRY(yk_operate(t, at, YK_OP_AND, c, own, own));
    }
    return YOKE_OK;
}

/* The values where all ways from exit `from` on meet again: those that break,
 * or all at the end. */
static yoke_status join_exits(yk_translator *t, yk_place at, int from, bool all)
{
    yk_scope *s = t->scope;

    for (int i = s->exits - 1; i >= from; i--) {
        const struct yk_exit *e = &s->exit[i];
        if (e->is_return && !all) continue;
        if (s->dead)
            memcpy(s->value, e->value, (size_t)s->values * sizeof *s->value);
        else
            YK_TRY(merge(t, &e->condition, e->value));
        s->dead = false;
    }
    t->binding++;
    if (all) {
        s->exits = from;
        return YOKE_OK;
    }
    yk_value gone = yk_number(0.0), on;
    int kept = from;
    for (int i = from; i < s->exits; i++) {
        struct yk_exit e = s->exit[i];
        if (!e.is_return) {
            YK_TRY(yk_operate(t, at, YK_OP_OR, &gone, &e.condition, &gone));
            continue;
        }
        YK_TRY(yk_operate(t, at, YK_OP_NOT, &gone, NULL, &on));
        YK_TRY(yk_operate(t, at, YK_OP_AND, &on, &e.condition, &e.condition));
        s->exit[kept++] = e;
    }
    s->exits = kept;
    return YOKE_OK;
}

/* ---- if, for, while ------------------------------------------------------ */

static yoke_status run_list(yk_translator *t, const yk_branch *body);
static yoke_status run_if(yk_translator *t, const yk_equation *q, int branch);

yoke_status yk_narrow(yk_translator *t, yk_place at, const yk_value *path,
                      const yk_value *c)
{
    t->path = *c;
    return path->kind == YK_VALUE_NONE
               ? YOKE_OK
               : yk_operate(t, at, YK_OP_AND, path, c, &t->path);
}

static yoke_status run_both(yk_translator *t, const yk_equation *q, int branch,
                            const yk_value *condition)
{
    const yk_arena_mark mark = yk_arena_now(&t->scratch);
    const size_t bytes = (size_t)t->scope->values * sizeof(yk_value);
    const int exits = t->scope->exits;
    yk_value *before = NULL, *yes = NULL, otherwise;

    const yk_value path = t->path;

    YK_TRY(yk_operate(t, q->at, YK_OP_NOT, condition, NULL, &otherwise));
    YK_TRY(copy_values(t, &before));
    YK_TRY(yk_narrow(t, q->at, &path, condition));
    YK_TRY(run_list(t, &q->branch[branch]));
    YK_TRY(restrict_exits(t, q->at, exits, condition));
    YK_TRY(copy_values(t, &yes));
    const bool dead = t->scope->dead;
    const int middle = t->scope->exits;
    memcpy(t->scope->value, before, bytes);
    t->scope->dead = false;
    t->binding++;
    YK_TRY(yk_narrow(t, q->at, &path, &otherwise));
    YK_TRY(run_if(t, q, branch + 1));
    t->path = path;
    YK_TRY(restrict_exits(t, q->at, middle, &otherwise));
    if (t->scope->dead && !dead)
        memcpy(t->scope->value, yes, bytes);
    else if (!t->scope->dead && !dead)
        YK_TRY(merge(t, condition, yes));
    t->scope->dead = t->scope->dead && dead;
    t->binding++;
    if (t->scope->exits == exits) yk_arena_release(&t->scratch, mark);
    return YOKE_OK;
}

static yoke_status find_condition(yk_translator *t, yk_expr *e, yk_value *out)
{
    yk_shape shape;

    YK_TRY(yk_shape_of(t, e, &shape));
    if (shape.dims || shape.type != YK_TYPE_BOOLEAN)
        return yk_refuse(t, e->at, "a condition is needed here");
    return yk_element(t, e, NULL, 0, out);
}

static yoke_status run_if(yk_translator *t, const yk_equation *q, int branch)
{
    yk_value condition;

    if (branch == q->branches) return YOKE_OK;
    const yk_branch *b = &q->branch[branch];
    if (!b->condition) return run_list(t, b);
    YK_TRY(yk_enter(t, q->at));
    YK_TRY(find_condition(t, b->condition, &condition));
    if (yk_is_number(&condition, 0.0))
        YK_TRY(run_if(t, q, branch + 1));
    else if (condition.kind == YK_VALUE_NUMBER)
        YK_TRY(run_list(t, b));
    else
        YK_TRY(run_both(t, q, branch, &condition));
    t->depth--;
    return YOKE_OK;
}

static yoke_status run_round(yk_translator *t, void *self)
{
    return t->scope->dead ? YOKE_OK : run_list(t, self);
}

static yoke_status run_for(yk_translator *t, const yk_equation *q)
{
    const int exits = t->scope->exits;

    YK_TRY(yk_iterate(t, q->iterator, q->iterators, run_round, q->branch));
    return join_exits(t, q->at, exits, false);
}

static yoke_status endless(yk_translator *t, const yk_equation *q, int rounds,
                           bool open)
{
    return yk_refuse(t, q->at,
                     "this while-loop has not ended after %d rounds%s; bound "
                     "it by a counter, or use for with constant bounds",
                     rounds,
                     open ? " because its end depends on variables" : "");
}

/* A condition that varies is a break; those that go on know that it holds. */
static yoke_status run_while(yk_translator *t, const yk_equation *q)
{
    const int exits = t->scope->exits;
    int open = 0;
    yk_value c;

    for (int rounds = 0; !t->scope->dead; rounds++) {
        YK_TRY(find_condition(t, q->branch->condition, &c));
        if (yk_is_number(&c, 0.0)) break;
        if (c.kind != YK_VALUE_NUMBER) {
            YK_TRY(yk_operate(t, q->at, YK_OP_NOT, &c, NULL, &c));
            YK_TRY(add_exit(t, q->at, false, &c));
            open++;
        }
        if (open > MOST_OPEN_ROUNDS || rounds > MOST_ROUNDS)
            return endless(t, q, rounds, open > 0);
        YK_TRY(yk_enter(t, q->at));
        YK_TRY(run_list(t, q->branch));
        t->depth--;
    }
    return join_exits(t, q->at, exits, false);
}

/* ---- Others -------------------------------------------------------------- */

/* Is this statement not reached, or does v hold? */
static yoke_status unless_left(yk_translator *t, yk_place at, yk_value *v)
{
    yk_value away;

    for (const yk_scope *s = t->scope; s && !s->is_model; s = s->outer)
        for (int i = 0; i < s->exits; i++)
            YK_TRY(yk_operate(t, at, YK_OP_OR, v, &s->exit[i].condition, v));
    if (t->path.kind == YK_VALUE_NONE) return YOKE_OK;
    YK_TRY(yk_operate(t, at, YK_OP_NOT, &t->path, NULL, &away));
    return yk_operate(t, at, YK_OP_OR, v, &away, v);
}

static bool is_conditional(const yk_translator *t)
{
    bool yes = t->path.kind != YK_VALUE_NONE;

    for (const yk_scope *s = t->scope; s && !s->is_model; s = s->outer)
        yes = yes || s->exits > 0;
    return yes;
}

static bool is_there(const yk_flat *flat, const yk_flat_event *event)
{
    for (int i = 0; i < flat->events; i++)
        if (flat->event[i].kind == YK_FLAT_ASSERT &&
            flat->event[i].line == event->line &&
            flat->event[i].condition == event->condition)
            return true;
    return false;
}

/* An assertion of a function about values that vary is one of the model. */
static yoke_status assert_later(yk_translator *t, const yk_expr *call,
                                yk_value v, bool warning)
{
    yk_flat_event event = { .kind = YK_FLAT_ASSERT,
                            .line = call->at.line,
                            .warning = warning,
                            .of_function = true };

    if (t->in_when || t->initial || t->constant) return YOKE_OK;
    t->left_out = t->silent;
    if (t->silent) return YOKE_OK;
    YK_TRY(yk_blame_all(t)); /* an event has no loops */
    YK_TRY(unless_left(t, call->at, &v));
    if (v.kind == YK_VALUE_NUMBER && v.number != 0.0) return YOKE_OK;
    YK_TRY(yk_to_node(t, &v, &event.condition));
    YK_TRY(yk_eq_hold_all(t, call->at, event.condition, &event.condition));
    if (is_there(t->flat, &event)) return YOKE_OK;
    event.clause = ++t->clauses;
    YK_TRY(yk_copy_message(t, call->child[1], &event.text));
    return yk_flat_add_event(t->flat, &event, t->err);
}

static yoke_status run_assert(yk_translator *t, const yk_expr *call)
{
    yk_value v;
    yk_shape shape;
    bool warning = false;

    if (yk_in_model(t)) return yk_assert(t, call);
    if (call->count < 2)
        return yk_refuse(t, call->at, "assert needs a condition and a text");
    YK_TRY(yk_shape_of(t, call->child[0], &shape));
    YK_TRY(yk_element(t, call->child[0], NULL, 0, &v));
    if (yk_is_number(&v, 1.0)) return YOKE_OK;
    YK_TRY(yk_is_warning(t, call, &warning));
    if (v.kind == YK_VALUE_NUMBER && !warning && !is_conditional(t))
        return yk_refuse(
            t, call->at, "assertion failed: %.200s",
            call->child[1]->kind == YK_EXPR_STRING ? call->child[1]->name : "");
    return assert_later(t, call, v, warning);
}

static yoke_status run_one(yk_translator *t, const yk_equation *q)
{
    const yk_value one = yk_number(1.0);

    switch (q->kind) {
    case YK_EQUATION_EQUAL:
        return q->left->kind == YK_EXPR_TUPLE ? assign_tuple(t, q)
                                              : assign(t, q);
    case YK_EQUATION_FOR:
        return run_for(t, q);
    case YK_EQUATION_IF:
        return run_if(t, q, 0);
    case YK_EQUATION_WHILE:
        return run_while(t, q);
    case YK_EQUATION_BREAK:
    case YK_EQUATION_RETURN:
        YK_TRY(add_exit(t, q->at, q->kind == YK_EQUATION_RETURN, &one));
        t->scope->dead = true;
        return YOKE_OK;
    case YK_EQUATION_CALL:
        if (strcmp(q->left->name, "assert") == 0) return run_assert(t, q->left);
        return yk_refuse(t, q->at, "%s() as a statement is not supported",
                         q->left->name);
    case YK_EQUATION_WHEN:
        if (yk_in_model(t)) return yk_eq_run_when(t, q);
        return yk_refuse(t, q->at, "when in a function is not supported");
    default:
        return YOKE_OK;
    }
}

static yoke_status run_list(yk_translator *t, const yk_branch *body)
{
    for (int i = 0; i < body->count && !t->scope->dead; i++) {
        YK_TRY(yk_enter(t, body->body[i]->at));
        YK_TRY(run_one(t, body->body[i]));
        t->depth--;
    }
    return YOKE_OK;
}

yoke_status yk_eq_run_body(yk_translator *t, const yk_branch *body)
{
    return run_list(t, body);
}

yoke_status yk_eq_run_statements(yk_translator *t, const yk_branch *body)
{
    const yk_place at =
        body->count ? body->body[0]->at : (yk_place){ .line = 0 };

    t->scope->exits = 0;
    t->scope->dead = false;
    YK_TRY(run_list(t, body));
    return join_exits(t, at, 0, true);
}
