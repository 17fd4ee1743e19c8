/* comp/equation/front/record.c -- records as a whole are their members.
 *
 *     r = s      ->  r.a = s.a, r.b = s.b
 *     R(1, 2)    ->  members 1 and 2
 *     f(x)       ->  a function with a record as its result has one result for
 *                    each member
 *
 * Names with dots are names, so a member of something that has a name needs no
 * more than a longer name.
 */
#include "comp/equation/front/translate.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NESTED = 20 };

static yoke_status copy_expr(yk_translator *t, const yk_expr *e, yk_expr **out)
{
    YK_TRY(YK_TAKE(t->arena, out, 1, t->err));
    **out = *e;
    (*out)->stamp = -1;
    return YOKE_OK;
}

static const yk_class *class_named(const yk_translator *t, const char *name,
                                   yk_class_kind kind)
{
    const int number = yk_names_find(&t->classes, name);

    if (number < 0) return NULL;
    const yk_class *c = t->source->class_[number];
    return c->kind == kind ? c : NULL;
}

/* Through `type A = R`. */
static const yk_class *record_type(const yk_translator *t, const char *type)
{
    for (int depth = 0; depth < MOST_NESTED; depth++) {
        const yk_class *c = class_named(t, type, YK_CLASS_RECORD);
        if (c) return c;
        c = class_named(t, type, YK_CLASS_TYPE);
        if (!c) return NULL;
        type = c->alias->type;
    }
    return NULL;
}

static const yk_declaration *first_output(const yk_class *f)
{
    for (int i = 0; i < f->declarations; i++)
        if (f->declaration[i]->is_output) return f->declaration[i];
    return NULL;
}

/* ---- What is a record ---------------------------------------------------- */

static const yk_class *local_record(const yk_translator *t, const char *name)
{
    const yk_class *f =
        yk_in_function(t)
            ? class_named(t, t->scope->function->path, YK_CLASS_FUNCTION)
            : NULL;

    for (int i = 0; f && i < f->declarations; i++)
        if (strcmp(f->declaration[i]->name, name) == 0)
            return record_type(t, f->declaration[i]->type);
    return NULL;
}

static const yk_class *instance_record(const yk_translator *t, const char *name)
{
    const int number = yk_names_find(&t->instances, name);
    const yk_class *c =
        number < 0 ? NULL : ((yk_instance *)t->instance.item[number])->class_;

    return c && c->kind == YK_CLASS_RECORD ? c : NULL;
}

const yk_class *yk_eq_record_of(const yk_translator *t, const yk_expr *e)
{
    if (e->kind == YK_EXPR_REFERENCE) {
        const yk_class *c = local_record(t, e->name);
        return c || yk_in_function(t) ? c : instance_record(t, e->name);
    }
    if (e->kind == YK_EXPR_IF) return yk_eq_record_of(t, e->child[1]);
    if (e->kind != YK_EXPR_CALL || e->of) return NULL;
    const yk_class *f = class_named(t, e->name, YK_CLASS_FUNCTION);
    if (!f) return class_named(t, e->name, YK_CLASS_RECORD);
    const yk_declaration *d = first_output(f);
    return d ? record_type(t, d->type) : NULL;
}

/* ---- Members ------------------------------------------------------------- */

/* R(1, b = 2) */
static yoke_status constructed(yk_translator *t, const yk_expr *e,
                               const yk_class *c, const char *member,
                               yk_expr **out)
{
    for (int i = 0; i < c->declarations; i++) {
        const yk_declaration *d = c->declaration[i];
        if (strcmp(d->name, member) != 0) continue;
        *out = d->modifier->value;
        for (int k = 0; k < e->count; k++)
            if (e->label && e->label[k] ? strcmp(e->label[k], member) == 0
                                        : k == i)
                *out = e->child[k];
        if (*out) return YOKE_OK;
        return yk_refuse(t, e->at, "%s lacks a value for %s", e->name, member);
    }
    return yk_refuse(t, e->at, "%s has no member %s", c->name, member);
}

/* The number of the result that holds the member. */
static yoke_status computed(yk_translator *t, const yk_expr *e,
                            const char *member, yk_expr **out)
{
    const yk_class *f = NULL;
    int number = 0;

    YK_TRY(yk_function(t, e, &f));
    YK_TRY(copy_expr(t, e, out));
    for (int i = 0; i < f->declarations; i++) {
        const yk_declaration *d = f->declaration[i];
        if (!d->is_output) continue;
        if (d->member && strcmp(d->member, member) == 0) {
            (*out)->result = number;
            (*out)->of = (yk_expr *)e; /* no record as a whole */
            return YOKE_OK;
        }
        number++;
    }
    return yk_refuse(t, e->at, "the result of %s has no member %s", e->name,
                     member);
}

/* {a, b}.x = {a.x, b.x}, (if c then a else b).x = if c then a.x else b.x */
static yoke_status of_elements(yk_translator *t, const yk_expr *e,
                               const char *member, yk_expr **out)
{
    YK_TRY(copy_expr(t, e, out));
    YK_TRY(YK_TAKE(t->arena, &(*out)->child, e->count, t->err));
    for (int i = 0; i < e->count; i++) {
        (*out)->child[i] = e->child[i];
        if (e->kind != YK_EXPR_IF || i % 2 || i == e->count - 1)
            YK_TRY(yk_member(t, e->child[i], member, &(*out)->child[i]));
    }
    return YOKE_OK;
}

/* (a)[i].x = (a.x)[i], (a.r).x */
static yoke_status of_part(yk_translator *t, const yk_expr *e,
                           const char *member, yk_expr **out)
{
    yk_expr *inner = NULL;

    YK_TRY(copy_expr(t, e, out));
    if (e->kind == YK_EXPR_PART)
        return yk_member(t, e->of, member, &(*out)->of);
    YK_TRY(yk_member(t, e->of, e->name, &inner));
    return yk_member(t, inner, member, out);
}

yoke_status yk_member(yk_translator *t, yk_expr *e, const char *member,
                      yk_expr **out)
{
    const char *dot = strchr(member, '.');
    const yk_class *c;

    switch (e->kind) {
    case YK_EXPR_REFERENCE:
        YK_TRY(copy_expr(t, e, out));
        return yk_dotted(t, e->name, member, &(*out)->name);
    case YK_EXPR_CALL:
        c = class_named(t, e->name, YK_CLASS_RECORD);
        if (!c) return computed(t, e, member, out);
        if (!dot) return constructed(t, e, c, member, out);
        {
            const char *head = NULL;
            yk_expr *outer = NULL;
            YK_TRY(yk_arena_print(t->arena, &head, t->err, "%.*s",
                                  (int)(dot - member), member));
            YK_TRY(constructed(t, e, c, head, &outer));
            return yk_member(t, outer, dot + 1, out);
        }
    case YK_EXPR_IF:
    case YK_EXPR_ARRAY:
    case YK_EXPR_COMPREHENSION:
        return of_elements(t, e, member, out);
    case YK_EXPR_PART:
    case YK_EXPR_MEMBER:
        return of_part(t, e, member, out);
    default:
        return yk_refuse(t, e->at,
                         "this is used as a record, which is not supported; "
                         "give the members values");
    }
}

/* ---- Equations ----------------------------------------------------------- */

yoke_status yk_eq_record_equation(yk_translator *t, const yk_equation *q,
                                  const yk_class *c, int number,
                                  yk_equation **out)
{
    const char *member = c->declaration[number]->name;

    YK_TRY(YK_TAKE(t->arena, out, 1, t->err));
    **out = *q;
    YK_TRY(yk_member(t, q->left, member, &(*out)->left));
    return yk_member(t, q->right, member, &(*out)->right);
}

/* ---- Functions ----------------------------------------------------------- */

typedef struct part {
    const yk_declaration *of; /* the component of the function */
    const char *member;       /* path in it, "" at first */
    yk_modifier *modifier;
    int depth;
    int dims; /* of the arrays of records around it */
    yk_expr **dim;
    yk_levels levels; /* the same, by name */
} part;

static yoke_status add_parts(yk_translator *t, yk_list *list,
                             const yk_declaration *d, const part *p);

/* The modifier of a member: from the declaration of the whole, or its own. */
static yoke_status part_modifier(yk_translator *t, const yk_modifier *outer,
                                 const yk_declaration *member,
                                 yk_modifier **out)
{
    *out = member->modifier;
    for (int i = 0; i < outer->count; i++)
        if (strcmp(outer->inner[i]->name, member->name) == 0)
            *out = outer->inner[i];
    if (!outer->value) return YOKE_OK;
    YK_TRY(YK_TAKE(t->arena, out, 1, t->err));
    **out = *member->modifier;
    return yk_member(t, outer->value, member->name, &(*out)->value);
}

/* The dimensions around a part and its own. */
static yoke_status all_dims(yk_translator *t, const part *p,
                            const yk_declaration *d, yk_list *out)
{
    for (int k = 0; k < p->dims; k++)
        YK_TRY(yk_list_push(t->arena, out, p->dim[k], t->err));
    for (int k = 0; k < d->dims; k++)
        YK_TRY(yk_list_push(t->arena, out, d->dim[k], t->err));
    return YOKE_OK;
}

static yoke_status add_members(yk_translator *t, yk_list *list,
                               const yk_class *c, const yk_declaration *d,
                               const part *p)
{
    for (int i = 0; i < c->declarations; i++) {
        const yk_declaration *m = c->declaration[i];
        part inner = { .of = p->of, .depth = p->depth + 1 };
        const char *name = p->of->name;
        yk_list dims = { 0 };
        YK_TRY(part_modifier(t, p->modifier, m, &inner.modifier));
        inner.member = m->name;
        if (*p->member) YK_TRY(yk_dotted(t, p->member, m->name, &inner.member));
        YK_TRY(all_dims(t, p, d, &dims));
        if (*p->member) YK_TRY(yk_dotted(t, name, p->member, &name));
        inner.levels = p->levels;
        yk_add_level(&inner.levels, name, dims.count);
        inner.dims = dims.count;
        inner.dim = (yk_expr **)dims.item;
        YK_TRY(add_parts(t, list, m, &inner));
    }
    return YOKE_OK;
}

static yoke_status add_parts(yk_translator *t, yk_list *list,
                             const yk_declaration *d, const part *p)
{
    const yk_class *c = record_type(t, d->type);
    yk_declaration *own = NULL;

    if (p->depth > MOST_NESTED)
        return yk_refuse(t, d->at, "%s contains itself", d->type);
    if (c) return add_members(t, list, c, d, p);
    YK_TRY(YK_TAKE(t->arena, &own, 1, t->err));
    *own = *d;
    if (p->dims) {
        yk_list dims = { 0 };
        YK_TRY(all_dims(t, p, d, &dims));
        own->dims = dims.count;
        own->dim = (yk_expr **)dims.item;
    }
    own->is_input = p->of->is_input;
    own->is_output = p->of->is_output;
    own->variability = p->of->variability;
    own->modifier = p->modifier;
    if (*p->member) {
        own->whole = p->of->name;
        own->member = p->member;
        own->levels = p->levels;
        YK_TRY(yk_dotted(t, p->of->name, p->member, &own->name));
    }
    return yk_list_push(t->arena, list, own, t->err);
}

static bool has_records(const yk_translator *t, const yk_class *f)
{
    for (int i = 0; i < f->declarations; i++)
        if (record_type(t, f->declaration[i]->type)) return true;
    return false;
}

yoke_status yk_without_records(yk_translator *t, const yk_class *f,
                               const yk_class **out)
{
    yk_list list = { 0 };
    yk_class *own = NULL;
    const int known = yk_names_find(&t->expanded, f->path);

    *out = f;
    if (known >= 0) *out = t->expansion.item[known];
    if (known >= 0 || !has_records(t, f)) return YOKE_OK;
    YK_TRY(YK_TAKE(t->arena, &own, 1, t->err));
    *own = *f;
    /* Known from now on: its own members may call it. */
    YK_TRY(yk_names_add(&t->expanded, f->path, t->expansion.count, t->err));
    YK_TRY(yk_list_push(t->arena, &t->expansion, own, t->err));
    for (int i = 0; i < f->declarations; i++) {
        const yk_declaration *d = f->declaration[i];
        const part p = { d, "", d->modifier, .depth = 0 };
        YK_TRY(add_parts(t, &list, d, &p));
    }
    own->declarations = list.count;
    own->declaration = (yk_declaration **)list.item;
    *out = own;
    return YOKE_OK;
}
