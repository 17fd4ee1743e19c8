/* comp/equation/front/equations.c -- equations of the text become flat
 * equations.
 *
 * Loops are tried as loops first.  What answers YOKE_RETRY is tried again with
 * one of the loops it blames written out.
 */
#include "comp/equation/front/translate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct task {
    const yk_equation *q;
    int number;   /* of the iterator of a for-equation */
    int implicit; /* frames without a name, for an array equation */
} task;

typedef yoke_status (*step)(yk_translator *t, const task *task);

static yoke_status flatten_one(yk_translator *t, const task *k);

/* ---- Loops --------------------------------------------------------------- */

/* Symbolic frames get the loops 0, 1, ... of the next equation.  More than
 * there are loops: the outermost causes it. */
static yoke_status assign_slots(yk_translator *t)
{
    t->slots = 0;
    t->binding++;
    for (int i = 0; i < t->frames; i++) {
        yk_frame *f = &t->frame[i];
        if (!f->symbolic) continue;
        if (t->slots == YK_FLAT_LOOPS) {
            t->blame |= 1ull << t->slot_frame[0];
            return YOKE_RETRY;
        }
        f->slot = t->slots;
        f->value = (yk_value){ .kind = YK_VALUE_AFFINE };
        f->value.k[f->slot] = 1;
        t->slot_frame[t->slots++] = i;
    }
    return YOKE_OK;
}

typedef struct snapshot {
    yk_arena_mark mark;
    yk_scope *scope;
    int nodes, equations, events, frames, base, depth, ends, end_base;
    long scalar_equations;
    const char *constant;
    bool in_when, condition;
    int quiet;
    bool runs, varies;
    yk_value path;
} snapshot;

static snapshot look(const yk_translator *t)
{
    return (snapshot){ yk_arena_now(&t->scratch),
                       t->scope,
                       t->flat->nodes,
                       t->flat->equations,
                       t->flat->events,
                       t->frames,
                       t->base,
                       t->depth,
                       t->ends,
                       t->end_base,
                       t->equations,
                       t->constant,
                       t->in_when,
                       t->condition,
                       t->quiet,
                       t->runs,
                       t->varies,
                       t->path };
}

static void go_back(yk_translator *t, const snapshot *s)
{
    yk_arena_release(&t->scratch, s->mark);
    t->scope = s->scope;
    t->flat->nodes = s->nodes;
    t->flat->equations = s->equations;
    yk_flat_drop_events(t->flat, s->events);
    t->frames = s->frames;
    t->base = s->base;
    t->depth = s->depth;
    t->ends = s->ends;
    t->end_base = s->end_base;
    t->equations = s->scalar_equations;
    t->constant = s->constant;
    t->in_when = s->in_when;
    t->condition = s->condition;
    t->quiet = s->quiet;
    t->runs = s->runs;
    t->varies = s->varies;
    t->path = s->path;
    t->binding++;
}

/* The innermost loop to blame, or -1. */
static int blamed(const yk_translator *t)
{
    for (int i = t->frames - 1; i >= 0; i--)
        if ((t->blame >> i & 1) && t->frame[i].symbolic) return i;
    return -1;
}

static yoke_status try_step(yk_translator *t, step run, const task *k);

static yoke_status write_out(yk_translator *t, step run, const task *k, int at)
{
    yk_frame *f = &t->frame[at];

    f->symbolic = false;
    for (int i = 0; i < f->count; i++) {
        f->value = yk_number(f->first + (double)i * f->step);
        YK_TRY(yk_enter(t, k->q->at));
        YK_TRY(try_step(t, run, k));
        t->depth--;
    }
    f->symbolic = true;
    (void)assign_slots(t); /* those around go on as loops */
    t->blame = 0;
    return YOKE_OK;
}

static yoke_status try_step(yk_translator *t, step run, const task *k)
{
    const snapshot before = look(t);

    t->blame = 0;
    yoke_status status = assign_slots(t);
    if (status == YOKE_OK) status = run(t, k);
    if (status != YOKE_RETRY) return status;
    go_back(t, &before);
    const int at = blamed(t);
    if (at < 0)
        return yk_refuse(t, k->q->at,
                         "the loop of this equation cannot be "
                         "written out");
    return write_out(t, run, k, at);
}

/* ---- lhs = rhs ----------------------------------------------------------- */

yoke_status yk_add_equation(yk_translator *t, yk_place at, const yk_value *left,
                            const yk_value *right)
{
    yk_flat_equation e = { .loops = t->slots,
                           .line = at.line,
                           .column = at.column,
                           .initial = t->initial };
    double count = 1.0;

    if (left->kind == YK_VALUE_NUMBER && right->kind == YK_VALUE_NUMBER) {
        if (left->number == right->number) return YOKE_OK;
        return yk_refuse(t, at,
                         "the equation has no unknown and says "
                         "%g = %g",
                         left->number, right->number);
    }
    for (int s = 0; s < t->slots; s++) {
        const yk_frame *f = &t->frame[t->slot_frame[s]];
        e.count[s] = f->count;
        e.first[s] = f->first;
        e.step[s] = f->step;
        count *= f->count;
    }
    if (count > yk_most_elements(t) - (double)t->equations)
        return yk_refuse(t, at,
                         "%.0f equations; all together may be %d "
                         "(--max-elements)",
                         count, yk_most_elements(t));
    t->equations += (long)count;
    YK_TRY(yk_to_node(t, left, &e.left));
    YK_TRY(yk_to_node(t, right, &e.right));
    return yk_flat_add_equation(t->flat, &e, t->err);
}

static yoke_status equal_step(yk_translator *t, const task *k)
{
    yk_value at[YK_FLAT_LOOPS], left, right;

    for (int i = 0; i < k->implicit; i++)
        at[i] = t->frame[t->frames - k->implicit + i].value;
    YK_TRY(yk_element(t, k->q->left, at, k->implicit, &left));
    YK_TRY(yk_element(t, k->q->right, at, k->implicit, &right));
    return yk_add_equation(t, k->q->at, &left, &right);
}

/* A number that no Integer can be, written as such. */
static bool is_fraction(const yk_expr *e)
{
    while (e->kind == YK_EXPR_NEGATE) e = e->child[0];
    return e->kind == YK_EXPR_NUMBER && e->number != floor(e->number);
}

/* n = x: an Integer that nothing but this equation gives a value, a Real. */
static bool is_made_real(yk_translator *t, const yk_equation *q,
                         const yk_shape *right)
{
    const yk_symbol *s = q->left->kind == YK_EXPR_REFERENCE
                             ? yk_find_symbol(t, q->left->name)
                             : NULL;

    return s && right->type == YK_TYPE_REAL && !t->initial &&
           s->shape.type == YK_TYPE_INTEGER && s->variability < YK_PARAMETER &&
           !s->is_input && !s->by_event && !s->by_algorithm && !s->latch &&
           (!s->binding || s->binding == q->right);
}

static yoke_status check_sides(yk_translator *t, const yk_equation *q,
                               const yk_shape *left, const yk_shape *right)
{
    char a[80], b[80];

    if (!yk_same_size(left, right))
        return yk_refuse(t, q->at, "the sides have different sizes: %s and %s",
                         yk_shape_text(left, a), yk_shape_text(right, b));
    if ((left->type == YK_TYPE_BOOLEAN) != (right->type == YK_TYPE_BOOLEAN) ||
        left->type == YK_TYPE_STRING || right->type == YK_TYPE_STRING)
        return yk_refuse(
            t, q->at, "the sides have different types: %s and %s%s",
            yk_type_text(left->type), yk_type_text(right->type),
            left->type != YK_TYPE_BOOLEAN && right->type == YK_TYPE_BOOLEAN
                ? "; a number is if P then 1 else 0"
                : "");
    if ((left->type == YK_TYPE_INTEGER && is_fraction(q->right)) ||
        (right->type == YK_TYPE_INTEGER && is_fraction(q->left)))
        return yk_refuse(t, q->at,
                         "an Integer cannot have this value; declare "
                         "it as Real");
    if (is_made_real(t, q, right))
        return yk_refuse(t, q->at,
                         "an Integer cannot have the value of a Real; "
                         "declare it as Real, or write integer(...)");
    return YOKE_OK;
}

/* An array equation gets a loop for each dimension. */
static yoke_status flatten_equal(yk_translator *t, const yk_equation *q)
{
    yk_shape left, right;
    task k = { .q = q };
    const int frames = t->frames;

    YK_TRY(yk_shape_of(t, q->left, &left));
    YK_TRY(yk_shape_of(t, q->right, &right));
    YK_TRY(check_sides(t, q, &left, &right));
    for (int i = 0; i < left.dims; i++) {
        if (left.size[i] == 0) {
            t->frames = frames;
            return YOKE_OK;
        }
        YK_TRY(yk_push_frame(t, q->at, NULL));
        yk_frame *f = &t->frame[t->frames - 1];
        f->symbolic = true;
        f->first = f->step = 1;
        f->count = left.size[i];
    }
    k.implicit = left.dims;
    YK_TRY(try_step(t, equal_step, &k));
    t->frames = frames;
    return YOKE_OK;
}

/* (a, b) = f(x): element by element */
static yoke_status flatten_tuple(yk_translator *t, const yk_equation *q)
{
    yk_call *call = NULL;

    YK_TRY(yk_call_of_tuple(t, q, &call));
    for (int i = 0; i < q->left->count; i++) {
        yk_expr *target = q->left->child[i];
        yk_shape shape;
        yk_value *value = NULL;
        int count = 0;
        if (!target) continue;
        YK_TRY(yk_shape_of(t, target, &shape));
        YK_TRY(yk_call_function(t, q->right, &call));
        YK_TRY(check_sides(t, q, &shape, &call->result[i].shape));
        YK_TRY(yk_elements(t, target, &shape, &value, &count));
        YK_TRY(yk_call_function(t, q->right, &call));
        for (int j = 0; j < count; j++)
            YK_TRY(yk_add_equation(t, q->at, &value[j],
                                   &call->result[i].value[j]));
    }
    return YOKE_OK;
}

/* ---- for and if ---------------------------------------------------------- */

static yoke_status flatten_body(yk_translator *t, const yk_branch *body)
{
    for (int i = 0; i < body->count; i++) {
        const task k = { .q = body->body[i] };
        YK_TRY(yk_enter(t, k.q->at));
        YK_TRY(try_step(t, flatten_one, &k));
        t->depth--;
    }
    return YOKE_OK;
}

/* Equations of the model: a problem of one leaves the others as they are. */
static bool flatten_each(yk_translator *t, const yk_branch *body)
{
    for (int i = 0; i < body->count; i++) {
        const yk_branch one = { .body = body->body + i, .count = 1 };
        const snapshot before = look(t);
        const yoke_status status = flatten_body(t, &one);
        if (status != YOKE_OK) go_back(t, &before);
        if (!yk_goes_on(t, status)) return false;
    }
    return t->failed == YOKE_OK;
}

static yoke_status for_step(yk_translator *t, const task *k);

/* A range a:s:b with numbers is a loop; *found says so. */
static yoke_status push_loop(yk_translator *t, const yk_iterator *it,
                             const yk_shape *range, bool *found)
{
    const yk_value one = yk_number(1.0), two = yk_number(2.0);
    yk_value first, second;

    *found = false;
    if (it->range->kind != YK_EXPR_RANGE || range->type != YK_TYPE_INTEGER)
        return YOKE_OK;
    YK_TRY(yk_element(t, it->range, &one, 1, &first));
    YK_TRY(yk_element(t, it->range, &two, 1, &second));
    if (first.kind != YK_VALUE_NUMBER || second.kind != YK_VALUE_NUMBER) {
        YK_TRY(yk_blame_all(t));
        return yk_refuse(t, it->at, "the range of %s depends on a variable",
                         it->name);
    }
    YK_TRY(yk_push_frame(t, it->at, it->name));
    yk_frame *f = &t->frame[t->frames - 1];
    f->symbolic = true;
    f->first = (int)first.number;
    f->step = (int)(second.number - first.number);
    f->count = range->size[0];
    *found = true;
    return YOKE_OK;
}

static yoke_status next_iterator(yk_translator *t, void *self)
{
    const task *k = self;
    const task next = { .q = k->q, .number = k->number + 1 };

    return try_step(t, for_step, &next);
}

static yoke_status for_step(yk_translator *t, const task *k)
{
    const yk_equation *q = k->q;
    task copy = *k;
    yk_shape range;
    bool found;

    if (k->number == q->iterators) return flatten_body(t, q->branch);
    const yk_iterator *it = &q->iterator[k->number];
    YK_TRY(yk_shape_of(t, it->range, &range));
    if (range.dims != 1)
        return yk_refuse(t, it->at, "%s needs a range or a vector", it->name);
    if (range.size[0] == 0) return YOKE_OK;
    YK_TRY(push_loop(t, it, &range, &found));
    if (!found) return yk_iterate(t, it, 1, next_iterator, &copy);
    YK_TRY(next_iterator(t, &copy));
    t->frames--;
    return YOKE_OK;
}

static yoke_status new_if(yk_translator *t, const yk_equation *q, int first,
                          int number, bool right, yk_expr **out)
{
    yk_list list = { 0 };
    yk_expr *e = NULL;

    for (int b = first; b < q->branches; b++) {
        const yk_equation *part = q->branch[b].body[number];
        if (q->branch[b].condition)
            YK_TRY(
                yk_list_push(t->arena, &list, q->branch[b].condition, t->err));
        YK_TRY(yk_list_push(t->arena, &list, right ? part->right : part->left,
                            t->err));
    }
    YK_TRY(YK_TAKE(t->arena, &e, 1, t->err));
    e->kind = YK_EXPR_IF;
    e->at = q->at;
    e->stamp = -1;
    e->count = list.count;
    e->child = (yk_expr **)list.item;
    *out = e;
    return YOKE_OK;
}

/* The same text, for the usual left sides x, x[i] and der(x). */
static bool same_expr(const yk_expr *a, const yk_expr *b)
{
    const bool named = a->kind == YK_EXPR_REFERENCE || a->kind == YK_EXPR_CALL;

    if (a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == YK_EXPR_NUMBER) return a->number == b->number;
    if (!named || a->iterators || a->label || b->label) return false;
    for (int i = 0; i < a->count; i++)
        if (!same_expr(a->child[i], b->child[i])) return false;
    return strcmp(a->name, b->name) == 0;
}

static bool same_left(const yk_equation *q, int first, int number)
{
    for (int b = first; b < q->branches; b++)
        if (!same_expr(q->branch[first].body[number]->left,
                       q->branch[b].body[number]->left))
            return false;
    return true;
}

static yoke_status check_branches(yk_translator *t, const yk_equation *q,
                                  int first)
{
    if (q->branch[q->branches - 1].condition)
        return yk_refuse(t, q->at,
                         "an if-equation whose condition varies "
                         "needs an else with as many equations");
    for (int b = first; b < q->branches; b++) {
        if (q->branch[b].count != q->branch[first].count)
            return yk_refuse(t, q->at,
                             "the branches of this if-equation have "
                             "%d and %d equations; they need equal "
                             "numbers because the condition varies",
                             q->branch[first].count, q->branch[b].count);
        for (int i = 0; i < q->branch[b].count; i++)
            if (q->branch[b].body[i]->kind != YK_EQUATION_EQUAL ||
                q->branch[b].body[i]->left->kind == YK_EXPR_TUPLE)
                return yk_refuse(t, q->branch[b].body[i]->at,
                                 "only equations a = b are supported inside an "
                                 "if-equation whose condition varies");
    }
    return YOKE_OK;
}

static yoke_status plain_branches(yk_translator *t, yk_equation *q, int first);

/* An if-equation inside of another becomes equations with if-expressions. */
static yoke_status plain_body(yk_translator *t, yk_branch *body)
{
    yk_list list = { 0 };

    for (int i = 0; i < body->count; i++) {
        yk_equation *q = body->body[i];
        if (q->kind != YK_EQUATION_IF) {
            YK_TRY(yk_list_push(t->arena, &list, q, t->err));
            continue;
        }
        yk_equation own = *q;
        YK_TRY(yk_enter(t, q->at));
        YK_TRY(plain_branches(t, &own, 0));
        YK_TRY(check_branches(t, &own, 0));
        for (int k = 0; k < own.branch[0].count; k++) {
            yk_equation *e = NULL;
            YK_TRY(YK_TAKE(t->arena, &e, 1, t->err));
            e->at = own.branch[0].body[k]->at;
            YK_TRY(new_if(t, &own, 0, k, false, &e->left));
            if (same_left(&own, 0, k)) e->left = own.branch[0].body[k]->left;
            YK_TRY(new_if(t, &own, 0, k, true, &e->right));
            YK_TRY(yk_list_push(t->arena, &list, e, t->err));
        }
        t->depth--;
    }
    body->count = list.count;
    body->body = (yk_equation **)list.item;
    return YOKE_OK;
}

/* Is it true, or false, for ever? */
static yoke_status known_condition(yk_translator *t, yk_expr *e, bool *yes,
                                   bool *no)
{
    const int nodes = t->flat->nodes, events = t->flat->events;
    yk_shape shape;
    yk_value v;

    *yes = *no = false;
    if (!e) return YOKE_OK;
    YK_TRY(yk_shape_of(t, e, &shape));
    if (shape.dims || shape.type != YK_TYPE_BOOLEAN)
        return yk_refuse(t, e->at, "a condition is needed here");
    YK_TRY(yk_element(t, e, NULL, 0, &v));
    t->flat->nodes = nodes;
    yk_flat_drop_events(t->flat, events);
    t->binding++;
    *no = yk_is_number(&v, 0.0);
    *yes = v.kind == YK_VALUE_NUMBER && !*no;
    return YOKE_OK;
}

/* A copy of the branches from `first` on: those that never count are left out,
 * one that always does is the last, and inner if-equations are gone. */
static yoke_status plain_branches(yk_translator *t, yk_equation *q, int first)
{
    yk_branch *list = NULL;
    int count = 0;

    YK_TRY(YK_TAKE(t->arena, &list, q->branches, t->err));
    for (int b = first; b < q->branches; b++) {
        bool yes, no;
        YK_TRY(known_condition(t, q->branch[b].condition, &yes, &no));
        if (no) continue;
        list[count] = q->branch[b];
        if (yes) list[count].condition = NULL;
        YK_TRY(plain_body(t, &list[count++]));
        if (yes) break;
    }
    q->branch = list;
    q->branches = count;
    if (count == 0)
        return yk_refuse(t, q->at,
                         "no condition of this if-equation is ever "
                         "true");
    return YOKE_OK;
}

/* The condition varies: each equation becomes one with if-expressions. */
static yoke_status merge_branches(yk_translator *t, const yk_equation *whole,
                                  int from)
{
    yk_equation copy = *whole;
    const yk_equation *q = &copy;
    const int first = 0;

    YK_TRY(plain_branches(t, &copy, from));
    YK_TRY(check_branches(t, q, first));
    for (int i = 0; i < q->branch[first].count; i++) {
        yk_equation *e = NULL;
        YK_TRY(YK_TAKE(t->arena, &e, 1, t->err));
        e->at = q->branch[first].body[i]->at;
        e->left = q->branch[first].body[i]->left;
        if (!same_left(q, first, i))
            YK_TRY(new_if(t, q, first, i, false, &e->left));
        YK_TRY(new_if(t, q, first, i, true, &e->right));
        const task k = { .q = e };
        YK_TRY(try_step(t, flatten_one, &k));
    }
    return YOKE_OK;
}

static yoke_status flatten_if(yk_translator *t, const yk_equation *q)
{
    for (int b = 0; b < q->branches; b++) {
        yk_expr *condition = q->branch[b].condition;
        yk_shape shape;
        yk_value v;
        if (!condition) return flatten_body(t, &q->branch[b]);
        YK_TRY(yk_shape_of(t, condition, &shape));
        if (shape.dims || shape.type != YK_TYPE_BOOLEAN)
            return yk_refuse(t, condition->at,
                             "a condition is needed here, "
                             "true or false");
        const int nodes = t->flat->nodes, events = t->flat->events;
        t->varies = false;
        YK_TRY(yk_element(t, condition, NULL, 0, &v));
        if (yk_is_number(&v, 0.0)) continue;
        if (v.kind == YK_VALUE_NUMBER) return flatten_body(t, &q->branch[b]);
        if (!t->varies) YK_TRY(yk_blame_all(t));
        t->flat->nodes = nodes; /* the equations evaluate it again */
        yk_flat_drop_events(t->flat, events);
        t->binding++;
        return merge_branches(t, q, b);
    }
    return YOKE_OK;
}

/* ---- Others -------------------------------------------------------------- */

static yoke_status flatten_call(yk_translator *t, const yk_equation *q)
{
    const char *name = q->left->name;

    if (strcmp(name, "assert") == 0) return yk_assert(t, q->left);
    if (strcmp(name, "connect") == 0) return yk_connect(t, q);
    if (strcmp(name, "reinit") == 0)
        return yk_refuse(t, q->at, "reinit is allowed only in when-equations");
    return yk_refuse(t, q->at, "%s() as an equation is not supported", name);
}

static const yk_class *record_of(const yk_translator *t, const yk_equation *q)
{
    if (q->left->kind == YK_EXPR_TUPLE) return NULL;
    const yk_class *c = yk_eq_record_of(t, q->left);
    return c ? c : yk_eq_record_of(t, q->right);
}

/* r = s: member by member */
static yoke_status flatten_record(yk_translator *t, const yk_equation *q,
                                  const yk_class *c)
{
    for (int i = 0; i < c->declarations; i++) {
        yk_equation *e = NULL;
        YK_TRY(yk_enter(t, q->at));
        YK_TRY(yk_eq_record_equation(t, q, c, i, &e));
        const task k = { .q = e };
        YK_TRY(try_step(t, flatten_one, &k));
        t->depth--;
    }
    return YOKE_OK;
}

static yoke_status flatten_one(yk_translator *t, const task *k)
{
    const yk_equation *q = k->q;
    const task first = { .q = q };

    switch (q->kind) {
    case YK_EQUATION_DONE:
        return YOKE_OK;
    case YK_EQUATION_EQUAL:
        if (yk_is_latch(t, q)) return YOKE_OK;
        if (record_of(t, q)) return flatten_record(t, q, record_of(t, q));
        return q->left->kind == YK_EXPR_TUPLE ? flatten_tuple(t, q)
                                              : flatten_equal(t, q);
    case YK_EQUATION_FOR:
        return for_step(t, &first);
    case YK_EQUATION_IF:
        return flatten_if(t, q);
    case YK_EQUATION_WHEN:
        YK_TRY(yk_blame_all(t)); /* an event has no loops */
        return yk_flatten_when(t, q);
    default:
        return flatten_call(t, q);
    }
}

/* ---- The model ----------------------------------------------------------- */

static yoke_status new_expr(yk_translator *t, yk_ast_kind kind,
                            const yk_symbol *s, yk_expr **out)
{
    YK_TRY(YK_TAKE(t->arena, out, 1, t->err));
    (*out)->kind = kind;
    (*out)->name = s->name;
    (*out)->at = s->at;
    (*out)->stamp = -1;
    return YOKE_OK;
}

/* Real y = 2*x declares and says y = 2*x. */
static yoke_status flatten_definition(yk_translator *t, const yk_symbol *s)
{
    yk_equation q = { .kind = YK_EQUATION_EQUAL, .at = s->at };
    const task k = { .q = &q };

    YK_TRY(new_expr(t, YK_EXPR_REFERENCE, s, &q.left));
    q.right = s->latch ? s->latch : s->binding;
    return try_step(t, flatten_one, &k);
}

/* What changes only at events is constant between them. */
static yoke_status flatten_discrete(yk_translator *t, yk_symbol *s)
{
    yk_value place = yk_number(0.0), left;
    const yk_value zero = yk_number(0.0);
    const yk_equation q = { .at = s->at };

    YK_TRY(yk_symbol_shape(t, s));
    if (s->count == 0) return YOKE_OK;
    YK_TRY(assign_slots(t));
    if (s->shape.dims) {
        YK_TRY(yk_push_frame(t, s->at, NULL));
        t->frame[0].symbolic = true;
        t->frame[0].first = t->frame[0].step = 1;
        t->frame[0].count = s->count;
        YK_TRY(assign_slots(t));
        place = t->frame[0].value;
        place.number = -1.0;
    }
    YK_TRY(yk_variable_node(t, s, YK_OP_DER, &place, &left));
    YK_TRY(yk_add_equation(t, q.at, &left, &zero));
    t->frames = 0;
    return YOKE_OK;
}

static yoke_status flatten_symbol(yk_translator *t, yk_symbol *s)
{
    if (s->variability >= YK_PARAMETER || s->is_input) return YOKE_OK;
    if (s->latch) {
        YK_TRY(yk_flatten_latch(t, s));
        return flatten_discrete(t, s);
    }
    if (s->by_event && s->binding)
        return yk_refuse(t, s->at,
                         "%s has a declaration equation and gets "
                         "values in a when-equation",
                         s->name);
    if (s->by_event) return flatten_discrete(t, s);
    if (s->variability == YK_DISCRETE)
        return yk_refuse(t, s->at,
                         "the discrete variable %s gets no value in "
                         "a when-equation",
                         s->name);
    return s->binding ? flatten_definition(t, s) : YOKE_OK;
}

static yoke_status add_variable(yk_translator *t, yk_symbol *s)
{
    YK_TRY(yk_symbol_shape(t, s));
    if (s->variability >= YK_PARAMETER)
        return s->shape.type == YK_TYPE_STRING ? YOKE_OK
                                               : yk_symbol_value(t, s);
    return s->count ? yk_symbol_variable(t, s) : YOKE_OK;
}

static yoke_status add_variables(yk_translator *t)
{
    for (int i = 0; i < t->symbol.count; i++) {
        const snapshot before = look(t);
        const yoke_status status = add_variable(t, t->symbol.item[i]);
        if (status != YOKE_OK) go_back(t, &before);
        if (!yk_goes_on(t, status)) break;
    }
    return t->failed;
}

static yoke_status flatten_symbols(yk_translator *t)
{
    for (int i = 0; i < t->symbol.count; i++) {
        const snapshot before = look(t);
        const yoke_status status = flatten_symbol(t, t->symbol.item[i]);
        if (status != YOKE_OK) go_back(t, &before);
        if (!yk_goes_on(t, status)) return status;
    }
    return YOKE_OK;
}

/* A model whose parameters depend on the start of the run refuses another
 * start. */
static yoke_status guard_start(yk_translator *t)
{
    const double start = t->options ? t->options->start : 0.0;
    const double near = 1e-9 * (1.0 + fabs(start));
    yk_source source = { .path = t->source->path };
    char text[400];

    if (!t->start_used) return YOKE_OK;
    snprintf(text, sizeof text,
             "model M equation assert(not (initial() and (time < %.17g or time "
             "> %.17g)), \"parameters of the model are set to the time of the "
             "start, %g, but the run begins elsewhere; give its start where "
             "the model is read\"); end M;",
             start - near, start + near, start);
    YK_TRY(
        yk_parse(&source, t->arena, source.path, text, strlen(text), t->err));
    t->in_when = true; /* initial() is permitted */
    const yoke_status status =
        yk_assert(t, source.class_[0]->equations.body[0]->left);
    t->in_when = false;
    return status;
}

yoke_status yk_flatten(yk_translator *t, const yk_class *model)
{
    YK_TRY(yk_mark_events(t, &model->equations));
    YK_TRY(yk_mark_algorithms(t, model));
    YK_TRY(yk_mark_latches(t, model));
    yk_free_starts(t, model);
    (void)add_variables(t);
    YK_TRY(flatten_symbols(t));
    if (!flatten_each(t, &model->equations)) return t->failed;
    YK_TRY(yk_finish_connections(t));
    YK_TRY(flatten_body(t, &t->joints));
    YK_TRY(yk_flatten_algorithms(t, model));
    YK_TRY(guard_start(t));
    t->initial = true;
    YK_TRY(yk_flatten_algorithms(t, model));
    for (int i = 0; i < t->symbol.count; i++)
        if (yk_latch_starts(t->symbol.item[i]))
            YK_TRY(flatten_definition(t, t->symbol.item[i]));
    YK_TRY(flatten_body(t, &model->initial));
    YK_TRY(yk_flatten_starters(t, model));
    return yk_finish_relations(t);
}
