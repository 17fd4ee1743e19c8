/* comp/equation/front/call.c -- functions are run symbolically where they are
 * called.
 *
 * Every element of every local variable is a value: a number or a node.  Loops
 * run with numbers; an if with a varying condition runs all branches and
 * merges their values by if-nodes.  A function of parameters is a number.
 */
#include "comp/equation/front/translate.h"

#include <string.h>

/* ---- Calls --------------------------------------------------------------- */

/* Positional arguments first, then those with names. */
yk_expr *yk_argument(const yk_expr *call, int number, const char *name)
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
    const char *name = d->type;
    yk_place at = d->type_at;

    for (int depth = 0; depth < 20; depth++) {
        const yk_class *c = NULL;
        if (yk_builtin_type(name, type)) {
            if (*type == YK_TYPE_STRING) break;
            return YOKE_OK;
        }
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
    local->levels = d->levels;
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
    YK_TRY(yk_check_assigned(t, e, &local->shape, &shape));
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
        yk_expr *given = yk_argument(e, number - 1, whole_name(d));
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

static yoke_status no_function(yk_translator *t, const yk_expr *e)
{
    const char *near = yk_nearest_function(t, e->name);

    if (near)
        return yk_refuse(t, e->at, "there is no function %s; is %s meant?",
                         e->name, near);
    return yk_refuse(
        t, e->at, "there is no function %s; define it in this file%s", e->name,
        strncmp(e->name, "Modelica.", 9) == 0
            ? ": some versions of OpenModelica leave out functions that "
              "only functions call"
            : "");
}

yoke_status yk_function(yk_translator *t, const yk_expr *e,
                        const yk_class **out)
{
    if (yk_names_find(&t->classes, e->name) < 0) return no_function(t, e);
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
        call->result[call->results++] = (yk_result){ local->shape, value };
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
    YK_TRY(yk_eq_run_statements(t, &scope->function->algorithm));
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
    if (scope.function->external)
        return yk_external_refuse(t, e, scope.function);
    if (scope.function->is_impure)
        return yk_refuse(t, e->at, "the impure function %s is not supported",
                         scope.function->name);
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
    const bool silent = t->silent;
    t->silent = true;
    t->left_out = false;
    YK_TRY(yk_call_function(t, e, &call));
    t->silent = silent;
    *out = call->result[e->result].shape;
    if (t->left_out) t->binding++; /* it is run again for its value */
    return YOKE_OK;
}
