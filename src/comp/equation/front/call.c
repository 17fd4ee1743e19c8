/* comp/equation/front/call.c -- functions are run symbolically where they are
 * called.
 *
 * Every element of every local variable is a value: a number or a node.  Loops
 * run with numbers; an if with a varying condition runs all branches and
 * merges their values by if-nodes.  A function of parameters is a number.
 */
#include "comp/equation/front/translate.h"

#include <string.h>

static yoke_status run(yk_translator *t, const yk_branch *body);

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
        return yk_refuse(t, e->at, "%s is not a variable of the function",
                         e->name);
    *local = m.local;
    return yk_shape_of(t, e, shape);
}

static yoke_status check_sizes(yk_translator *t, const yk_expr *e,
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

static yoke_status store(yk_translator *t, yk_expr *e, const yk_local *local,
                         const yk_shape *shape, const yk_value *value)
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
        YK_TRY(yk_place_of(t, e, &local->shape, at, &place));
        if (place.kind != YK_VALUE_NUMBER) return yk_blame(t, &place);
        t->scope->value[local->offset + (int)place.number] = value[i];
    }
    t->binding++;
    return YOKE_OK;
}

static yoke_status assign_record(yk_translator *t, const yk_equation *q,
                                 const yk_class *c);

static yoke_status assign(yk_translator *t, const yk_equation *q)
{
    const yk_class *record =
        q->left->kind == YK_EXPR_REFERENCE ? yk_record_of(t, q->left) : NULL;

    const yk_local *local = NULL;
    yk_shape to, from;
    yk_value *value = NULL;
    int count = 0;
    const yk_arena_mark mark = yk_arena_now(&t->scratch);

    if (record) return assign_record(t, q, record);
    YK_TRY(target_of(t, q->left, &local, &to));
    YK_TRY(yk_shape_of(t, q->right, &from));
    YK_TRY(check_sizes(t, q->left, &to, &from));
    YK_TRY(yk_elements(t, q->right, &from, &value, &count));
    YK_TRY(store(t, q->left, local, &to, value));
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
        YK_TRY(yk_record_equation(t, q, c, i, &part[i]));
        if (yk_record_of(t, part[i]->left))
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
        YK_TRY(check_sizes(t, part[i]->left, &to, &from));
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
        const yk_local *local = NULL;
        yk_shape to;
        if (!left->child[i]) continue;
        YK_TRY(target_of(t, left->child[i], &local, &to));
        YK_TRY(check_sizes(t, left->child[i], &to, &call->result[i].shape));
        YK_TRY(store(t, left->child[i], local, &to, call->result[i].value));
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

static yoke_status run_if(yk_translator *t, const yk_equation *q, int branch)
{
    yk_value condition, *before, *yes;
    yk_shape shape;

    if (branch == q->branches) return YOKE_OK;
    const yk_branch *b = &q->branch[branch];
    if (!b->condition) return run(t, b);
    YK_TRY(yk_enter(t, q->at));
    YK_TRY(yk_shape_of(t, b->condition, &shape));
    if (shape.dims || shape.type != YK_TYPE_BOOLEAN)
        return yk_refuse(t, b->condition->at, "a condition is needed here");
    YK_TRY(yk_element(t, b->condition, NULL, 0, &condition));
    if (yk_is_number(&condition, 0.0)) {
        YK_TRY(run_if(t, q, branch + 1));
    } else if (condition.kind == YK_VALUE_NUMBER) {
        YK_TRY(run(t, b));
    } else {
        const yk_arena_mark mark = yk_arena_now(&t->scratch);
        const size_t bytes = (size_t)t->scope->values * sizeof *before;
        YK_TRY(copy_values(t, &before));
        YK_TRY(run(t, b));
        YK_TRY(copy_values(t, &yes));
        memcpy(t->scope->value, before, bytes);
        t->binding++;
        YK_TRY(run_if(t, q, branch + 1));
        YK_TRY(merge(t, &condition, yes));
        yk_arena_release(&t->scratch, mark);
    }
    t->depth--;
    return YOKE_OK;
}

static yoke_status run_body(yk_translator *t, void *self)
{
    return run(t, self);
}

static yoke_status run_assert(yk_translator *t, const yk_expr *call)
{
    yk_value v;
    yk_shape shape;

    if (call->count < 2)
        return yk_refuse(t, call->at, "assert needs a condition and a text");
    YK_TRY(yk_shape_of(t, call->child[0], &shape));
    YK_TRY(yk_element(t, call->child[0], NULL, 0, &v));
    if (yk_is_number(&v, 1.0)) return YOKE_OK;
    if (v.kind == YK_VALUE_NUMBER)
        return yk_refuse(
            t, call->at, "assertion failed: %.200s",
            call->child[1]->kind == YK_EXPR_STRING ? call->child[1]->name : "");
    return yk_refuse(t, call->at,
                     "assert with a condition that varies is not "
                     "supported");
}

static yoke_status run_one(yk_translator *t, const yk_equation *q)
{
    switch (q->kind) {
    case YK_EQUATION_EQUAL:
        return q->left->kind == YK_EXPR_TUPLE ? assign_tuple(t, q)
                                              : assign(t, q);
    case YK_EQUATION_FOR:
        return yk_iterate(t, q->iterator, q->iterators, run_body, q->branch);
    case YK_EQUATION_IF:
        return run_if(t, q, 0);
    case YK_EQUATION_CALL:
        if (strcmp(q->left->name, "assert") == 0) return run_assert(t, q->left);
        return yk_refuse(t, q->at, "%s() as a statement is not supported",
                         q->left->name);
    default:
        return yk_refuse(t, q->at, "when in a function is not supported");
    }
}

static yoke_status run(yk_translator *t, const yk_branch *body)
{
    for (int i = 0; i < body->count; i++) {
        YK_TRY(yk_enter(t, body->body[i]->at));
        YK_TRY(run_one(t, body->body[i]));
        t->depth--;
    }
    return YOKE_OK;
}

/* ---- Calls --------------------------------------------------------------- */

/* Positional arguments first, then those with names. */
static yk_expr *argument_of(const yk_expr *call, int number, const char *name)
{
    if (number < call->count && !(call->label && call->label[number]))
        return call->child[number];
    for (int i = 0; call->label && i < call->count; i++)
        if (call->label[i] && strcmp(call->label[i], name) == 0)
            return call->child[i];
    return NULL;
}

static yoke_status local_type(yk_translator *t, const yk_declaration *d,
                              yk_type *type)
{
    static const char *const names[] = { "Real", "Integer", "Boolean" };
    const char *name = d->type;
    yk_place at = d->type_at;

    for (int depth = 0; depth < 20; depth++) {
        const yk_class *c = NULL;
        for (int i = 0; i < 3; i++) {
            if (strcmp(names[i], name) != 0) continue;
            *type = (yk_type)i;
            return YOKE_OK;
        }
        if (strcmp(name, "String") == 0) break;
        YK_TRY(yk_find_class(t, name, at, &c));
        if (c->kind == YK_CLASS_ENUMERATION) {
            *type = YK_TYPE_INTEGER;
            return YOKE_OK;
        }
        if (c->kind != YK_CLASS_TYPE || c->alias->dims) break;
        name = c->alias->type;
        at = c->alias->type_at;
    }
    return yk_refuse(t, d->type_at,
                     "%s %s in a function is not supported; use "
                     "Real, Integer or Boolean",
                     d->type, d->name);
}

static yoke_status local_shape(yk_translator *t, const yk_declaration *d,
                               const yk_shape *given, yk_shape *out)
{
    *out = (yk_shape){ 0 };
    YK_TRY(local_type(t, d, &out->type));
    if (d->dims > YK_FLAT_LOOPS)
        return yk_refuse(t, d->at, "%s has more than %d dimensions", d->name,
                         YK_FLAT_LOOPS);
    out->dims = d->dims;
    if (given && given->dims != d->dims)
        return yk_refuse(t, d->at, "%s has %d dimensions, its argument %d",
                         d->name, d->dims, given->dims);
    for (int i = 0; i < d->dims; i++) {
        if (d->dim[i]->kind != YK_EXPR_COLON) {
            YK_TRY(yk_whole(t, d->dim[i], &out->size[i]));
            if (out->size[i] < 0)
                return yk_refuse(t, d->dim[i]->at, "a negative size");
        } else if (given) {
            out->size[i] = given->size[i];
        } else {
            return yk_refuse(t, d->dim[i]->at, "the size of %s is not known",
                             d->name);
        }
    }
    return YOKE_OK;
}

static yoke_status make_room(yk_translator *t, yk_scope *scope, int need)
{
    yk_value *larger = NULL;

    if (need <= scope->room) return YOKE_OK;
    scope->room = need < 8 ? 16 : 2 * need;
    YK_TRY(YK_SCRATCH(t, &larger, scope->room));
    if (scope->values)
        memcpy(larger, scope->value, (size_t)scope->values * sizeof *larger);
    scope->value = larger;
    return YOKE_OK;
}

static yoke_status add_local(yk_translator *t, yk_scope *scope,
                             const yk_declaration *d, const yk_shape *given)
{
    yk_local *local = &scope->local[scope->locals];

    YK_TRY(local_shape(t, d, given, &local->shape));
    YK_TRY(yk_multiply_sizes(t, d->at, d->name, &local->shape, &local->count));
    local->name = d->name;
    local->offset = scope->values;
    YK_TRY(make_room(t, scope, scope->values + local->count));
    scope->values += local->count;
    scope->locals++;
    return YOKE_OK;
}

/* An argument is evaluated outside of the function, a default inside. */
static yoke_status add_value(yk_translator *t, yk_scope *inside,
                             const yk_declaration *d, yk_expr *e, bool outside)
{
    yk_shape shape;
    yk_value *value = NULL;
    int count = 0;
    yk_scope *const scope = t->scope;
    const int base = t->base, end_base = t->end_base;

    YK_TRY(local_type(t, d, &shape.type));
    if (!outside) {
        t->scope = inside;
        t->base = t->frames;
    }
    YK_TRY(yk_shape_of(t, e, &shape));
    YK_TRY(yk_elements(t, e, &shape, &value, &count));
    t->scope = inside; /* sizes may depend on earlier arguments */
    t->base = t->frames;
    t->end_base = t->ends;
    YK_TRY(add_local(t, inside, d, &shape));
    t->scope = scope;
    t->base = base;
    t->end_base = end_base;
    const yk_local *local = &inside->local[inside->locals - 1];
    YK_TRY(check_sizes(t, e, &local->shape, &shape));
    memcpy(inside->value + local->offset, value, (size_t)count * sizeof *value);
    return YOKE_OK;
}

/* The name as it was declared: of the record, if it was one. */
static const char *whole_name(const yk_declaration *d)
{
    return d->whole ? d->whole : d->name;
}

/* The first of the members of a record, or no record. */
static bool begins(const yk_class *f, int i)
{
    return i == 0 || strcmp(whole_name(f->declaration[i]),
                            whole_name(f->declaration[i - 1])) != 0;
}

static yoke_status check_labels(yk_translator *t, const yk_expr *e,
                                const yk_class *f)
{
    int inputs = 0;

    for (int i = 0; i < f->declarations; i++)
        inputs += f->declaration[i]->is_input && begins(f, i);
    if (e->count > inputs)
        return yk_refuse(t, e->at, "%s has %d inputs, found %d", f->name,
                         inputs, e->count);
    if (e->iterators)
        return yk_refuse(t, e->at,
                         "an iterator in a call of %s is not "
                         "supported",
                         f->name);
    for (int i = 0; e->label && i < e->count; i++) {
        bool found = e->label[i] == NULL;
        for (int k = 0; k < f->declarations && !found; k++)
            found = f->declaration[k]->is_input &&
                    strcmp(whole_name(f->declaration[k]), e->label[i]) == 0;
        if (!found)
            return yk_refuse(t, e->at, "%s has no input %s", f->name,
                             e->label[i]);
    }
    return YOKE_OK;
}

static yoke_status fill_inputs(yk_translator *t, yk_expr *e, yk_scope *inside)
{
    const yk_class *f = inside->function;
    int number = 0;

    YK_TRY(check_labels(t, e, f));
    for (int i = 0; i < f->declarations; i++) {
        const yk_declaration *d = f->declaration[i];
        if (!d->is_input) continue;
        if (begins(f, i)) number++;
        yk_expr *given = argument_of(e, number - 1, whole_name(d));
        if (given && d->member) YK_TRY(yk_member(t, given, d->member, &given));
        yk_expr *value = given ? given : d->modifier->value;
        if (!value)
            return yk_refuse(t, e->at, "%s lacks the argument %s", f->name,
                             d->name);
        YK_TRY(add_value(t, inside, d, value, given != NULL));
    }
    return YOKE_OK;
}

static yoke_status fill_locals(yk_translator *t, yk_scope *inside)
{
    const yk_class *f = inside->function;

    for (int i = 0; i < f->declarations; i++) {
        const yk_declaration *d = f->declaration[i];
        if (d->is_input) continue;
        if (d->modifier->value)
            YK_TRY(add_value(t, inside, d, d->modifier->value, false));
        else
            YK_TRY(add_local(t, inside, d, NULL));
    }
    return YOKE_OK;
}

yoke_status yk_function(yk_translator *t, const yk_expr *e,
                        const yk_class **out)
{
    if (yk_names_find(&t->classes, e->name) < 0)
        return yk_refuse(t, e->at,
                         "there is no function %s; define it in this "
                         "file",
                         e->name);
    YK_TRY(yk_find_class(t, e->name, e->at, out));
    if ((*out)->kind != YK_CLASS_FUNCTION)
        return yk_refuse(
            t, e->at, "%s is not a function; %s cannot be called", e->name,
            (*out)->kind == YK_CLASS_RECORD ? "the constructor of a record"
                                            : "it");
    YK_TRY(yk_without_records(t, *out, out));
    for (const yk_scope *s = t->scope; s; s = s->outer)
        if (s->function == *out)
            return yk_refuse(t, e->at,
                             "%s calls itself; recursion is not "
                             "supported",
                             e->name);
    return YOKE_OK;
}

static const yk_local *find_local(const yk_scope *s, const char *name)
{
    for (int i = 0; i < s->locals; i++)
        if (strcmp(s->local[i].name, name) == 0) return &s->local[i];
    return NULL;
}

/* Results live until their place is needed: one block with all of them. */
static yoke_status keep_results(yk_translator *t, const yk_expr *e,
                                const yk_scope *scope, yk_call **out)
{
    yk_call *call = &t->call[t->next_call];
    const yk_class *f = scope->function;
    int results = 0, values = 0;

    for (int i = 0; i < f->declarations; i++) {
        if (!f->declaration[i]->is_output) continue;
        results++;
        values += find_local(scope, f->declaration[i]->name)->count;
    }
    if (results == 0) return yk_refuse(t, e->at, "%s has no output", f->name);
    t->next_call = (t->next_call + 1) % YK_CALLS;
    yk_free(call->result);
    *call = (yk_call){ .expr = e, .binding = t->binding };
    YK_TRY(yk_alloc((void **)&call->result, 1,
                    (size_t)results * sizeof *call->result +
                        (size_t)values * sizeof(yk_value),
                    t->err));
    yk_value *value = (yk_value *)(void *)(call->result + results);
    for (int i = 0; i < f->declarations; i++) {
        if (!f->declaration[i]->is_output) continue;
        const yk_local *local = find_local(scope, f->declaration[i]->name);
        call->result[call->results++] =
            (yk_result){ local->shape, local->count, value };
        for (int k = 0; k < local->count; k++) {
            *value = scope->value[local->offset + k];
            if (value++->kind == YK_VALUE_NONE)
                return yk_refuse(t, e->at,
                                 "%s does not always set its output "
                                 "%s",
                                 f->name, local->name);
        }
    }
    *out = call;
    return YOKE_OK;
}

static yoke_status run_function(yk_translator *t, yk_scope *scope)
{
    yk_scope *const outer = t->scope;
    const int base = t->base, end_base = t->end_base;
    const bool in_when = t->in_when;

    scope->outer = outer;
    t->scope = scope;
    t->base = t->frames;
    t->end_base = t->ends;
    t->in_when = false;
    YK_TRY(fill_locals(t, scope));
    YK_TRY(run(t, &scope->function->algorithm));
    t->scope = outer;
    t->base = base;
    t->end_base = end_base;
    t->in_when = in_when;
    return YOKE_OK;
}

yoke_status yk_call_function(yk_translator *t, yk_expr *e, yk_call **out)
{
    yk_scope scope = { .stamp = ++t->stamp };

    for (int i = 0; i < YK_CALLS; i++) {
        *out = &t->call[i];
        if ((*out)->expr == e && (*out)->binding == t->binding &&
            (*out)->result)
            return YOKE_OK;
    }
    t->binding++; /* what is remembered belongs to another scope */
    YK_TRY(yk_enter(t, e->at));
    YK_TRY(yk_function(t, e, &scope.function));
    const yk_arena_mark mark = yk_arena_now(&t->scratch);
    YK_TRY(YK_SCRATCH(t, &scope.local, scope.function->declarations));
    scope.outer = t->scope;
    YK_TRY(fill_inputs(t, e, &scope));
    YK_TRY(run_function(t, &scope));
    YK_TRY(keep_results(t, e, &scope, out));
    yk_arena_release(&t->scratch, mark);
    t->depth--;
    return YOKE_OK;
}

yoke_status yk_function_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    yk_call *call = NULL;
    const yk_class *f = NULL;

    YK_TRY(yk_function(t, e, &f));
    for (int i = 0, number = 0; i < f->declarations; i++) {
        const yk_declaration *d = f->declaration[i];
        if (!d->is_output || number++ < e->result) continue;
        if (d->whole && !e->of)
            return yk_refuse(t, e->at,
                             "the result of %s is a record, which is not "
                             "supported here",
                             e->name);
        if (d->dims) break;
        *out = (yk_shape){ 0 }; /* a scalar: no need to run it now */
        return local_type(t, d, &out->type);
    }
    YK_TRY(yk_call_function(t, e, &call));
    *out = call->result[e->result].shape;
    return YOKE_OK;
}
