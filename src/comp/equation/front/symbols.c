/* comp/equation/front/symbols.c -- the components of a model become symbols;
 * their sizes, their values and their place in the flat model are found when
 * they are asked for, so parameters may depend on one another in any order. */
#include "comp/equation/front/translate.h"
#include "base/near.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS_DEPTH = 20 };

/* What a declaration means after its type's own declarations. */
typedef struct meaning {
    yk_type type;
    const yk_class *class_; /* connector or record, or NULL */
    const yk_class *object; /* external object, or NULL */
    yk_list dims;
    yk_levels levels;
    yk_layer *layer;
    yk_declaration prefix;
} meaning;

/* Enumerations of the language itself. */
static const struct {
    const char *name;
    int count;
    const char *literal[5];
} enumerations[] = {
    { "StateSelect", 5, { "never", "avoid", "default", "prefer", "always" } },
    { "AssertionLevel", 2, { "warning", "error" } },
};
enum { ENUMERATIONS = sizeof enumerations / sizeof *enumerations };

/* In the order of yk_type. */
static const char *const type_names[] = { "Real", "Integer", "Boolean",
                                          "String" };

const char *yk_type_text(yk_type type)
{
    return type_names[type];
}

bool yk_builtin_type(const char *name, yk_type *type)
{
    for (int i = 0; i < 4; i++) {
        if (strcmp(name, type_names[i]) != 0) continue;
        *type = (yk_type)i;
        return true;
    }
    for (int i = 0; i < ENUMERATIONS; i++) {
        if (strcmp(name, enumerations[i].name) != 0) continue;
        *type = YK_TYPE_INTEGER;
        return true;
    }
    return false;
}

/* A quantity of the standard library, under its older and its newer name. */
static bool is_quantity(const char *name)
{
    return strncmp(name, "Modelica.SIunits.", 17) == 0 ||
           strncmp(name, "Modelica.Units.", 15) == 0;
}

yoke_status yk_find_class(yk_translator *t, const char *name, yk_place at,
                          const yk_class **out)
{
    const int number = yk_names_find(&t->classes, name);

    if (number < 0) {
        const char *near = yk_nearest_word(name, 4, type_names);
        if (!near) near = yk_nearest(&t->classes, name);
        if (strcmp(name, "double") == 0 || strcmp(name, "float") == 0)
            near = "Real";
        if (near)
            return yk_refuse(t, at, "%s is not defined; %s is", name, near);
        return yk_refuse(t, at,
                         is_quantity(name)
                             ? "%s is a type of the standard library, which is "
                               "not read; write Real NAME(unit = \"...\")"
                             : "%s is not defined in this file; define it or "
                               "export the model as flat Modelica",
                         name);
    }
    *out = t->source->class_[number];
    return YOKE_OK;
}

static yoke_status add_layer(yk_translator *t, yk_layer **end,
                             const yk_modifier *modifier)
{
    yk_layer *layer = NULL;

    YK_TRY(YK_TAKE(t->arena, &layer, 1, t->err));
    layer->modifier = modifier;
    while (*end) end = &(*end)->next;
    *end = layer;
    return YOKE_OK;
}

static void add_prefix(yk_declaration *to, const yk_declaration *from)
{
    to->is_flow = to->is_flow || from->is_flow;
    to->is_input = to->is_input || from->is_input;
    to->is_output = to->is_output || from->is_output;
    to->is_final = to->is_final || from->is_final;
    if (to->variability == YK_CONTINUOUS) to->variability = from->variability;
}

/* One step of `type A = B`, into m and d. */
static yoke_status follow_alias(yk_translator *t, const yk_declaration *alias,
                                meaning *m)
{
    for (int i = 0; i < alias->dims; i++)
        YK_TRY(yk_list_push(t->arena, &m->dims, alias->dim[i], t->err));
    YK_TRY(add_layer(t, &m->layer, alias->modifier));
    add_prefix(&m->prefix, alias);
    return YOKE_OK;
}

static yoke_status find_type(yk_translator *t, const yk_declaration *d,
                             meaning *m)
{
    const yk_class *c = NULL;
    const char *name = d->type;
    yk_place at = d->type_at;

    for (int depth = 0; !yk_builtin_type(name, &m->type); depth++) {
        YK_TRY(yk_find_class(t, name, at, &c));
        if (c->kind == YK_CLASS_CONNECTOR || c->kind == YK_CLASS_RECORD) {
            m->class_ = c;
            return YOKE_OK;
        }
        if (c->kind == YK_CLASS_ENUMERATION) {
            m->type = YK_TYPE_INTEGER;
            return YOKE_OK;
        }
        if (c->kind == YK_CLASS_OBJECT) {
            m->type = YK_TYPE_STRING; /* a parameter that is no number */
            m->object = c;
            return YOKE_OK;
        }
        if (c->kind != YK_CLASS_TYPE)
            return yk_refuse(t, d->type_at,
                             "%s is not a type; a component that is itself a "
                             "model is not supported: " YK_FLAT_ADVICE,
                             c->name);
        if (depth > MEMBERS_DEPTH)
            return yk_refuse(t, d->type_at, "the type %s is defined by itself",
                             d->type);
        YK_TRY(follow_alias(t, c->alias, m));
        name = c->alias->type;
        at = c->alias->type_at;
    }
    return YOKE_OK;
}

static yoke_status check_modifiers(yk_translator *t, const yk_modifier *m)
{
    static const char *const known[] = {
        "start",    "fixed",       "nominal",     "unit",      "min", "max",
        "quantity", "displayUnit", "stateSelect", "unbounded", NULL
    };

    for (int i = 0; i < m->count; i++) {
        int k = 0;
        while (known[k] && strcmp(known[k], m->inner[i]->name) != 0) k++;
        if (!known[k])
            return yk_refuse(t, m->inner[i]->at,
                             "there is no attribute %s; "
                             "start, fixed, nominal and "
                             "unit are used",
                             m->inner[i]->name);
        if (m->inner[i]->count)
            return yk_refuse(t, m->inner[i]->at,
                             "the attribute %s has no attributes itself",
                             m->inner[i]->name);
    }
    return YOKE_OK;
}

static const yk_modifier *attribute(const yk_symbol *s, const char *name)
{
    for (const yk_layer *l = s->layer; l; l = l->next)
        for (int i = 0; i < l->modifier->count; i++)
            if (strcmp(l->modifier->inner[i]->name, name) == 0 &&
                l->modifier->inner[i]->value)
                return l->modifier->inner[i];
    return NULL;
}

bool yk_symbol_is_free(const yk_symbol *s)
{
    const yk_modifier *m = attribute(s, "fixed");

    return m && m->value->kind == YK_EXPR_BOOLEAN && m->value->number == 0.0;
}

static yoke_status check_symbol(yk_translator *t, const yk_symbol *s)
{
    const bool known = s->variability >= YK_PARAMETER;

    for (const yk_layer *l = s->layer; l; l = l->next)
        YK_TRY(check_modifiers(t, l->modifier));
    if (strcmp(s->name, "time") == 0)
        return yk_refuse(t, s->at, "time is the time and cannot be declared");
    if (s->shape.type == YK_TYPE_STRING && !known)
        return yk_refuse(t, s->at, "the String variable %s is not supported",
                         s->name);
    if (s->is_input && known)
        return yk_refuse(t, s->at, "%s is an input and a parameter", s->name);
    if (s->is_input && s->binding)
        return yk_refuse(t, s->binding->at,
                         "the input %s has a value of its own; remove the "
                         "value or the word input",
                         s->name);
    if (s->is_flow && known)
        return yk_refuse(t, s->at, "%s is a flow and a parameter", s->name);
    if (s->dims > YK_FLAT_LOOPS)
        return yk_refuse(t, s->at,
                         "%s has %d dimensions; at most %d are "
                         "supported",
                         s->name, s->dims, YK_FLAT_LOOPS);
    return YOKE_OK;
}

static yoke_status add_symbol(yk_translator *t, const char *name,
                              const yk_declaration *d, const meaning *m,
                              bool global)
{
    yk_symbol *s = NULL;

    YK_TRY(YK_TAKE(t->arena, &s, 1, t->err));
    s->name = name;
    s->text = d->text;
    s->at = d->at;
    s->variability = m->prefix.variability;
    s->is_input = m->prefix.is_input;
    s->is_output = m->prefix.is_output;
    s->is_flow = m->prefix.is_flow;
    s->is_final = m->prefix.is_final;
    s->is_global = global;
    s->dims = m->dims.count;
    s->dim = (yk_expr **)m->dims.item;
    s->levels = m->levels;
    s->layer = m->layer;
    s->shape.type = m->type;
    s->object = m->object;
    s->variable = -1;
    if (m->object && s->variability < YK_PARAMETER)
        s->variability = YK_PARAMETER;
    for (const yk_layer *l = m->layer; l && !s->binding; l = l->next)
        s->binding = l->modifier->value;
    YK_TRY(check_symbol(t, s));
    const int other = yk_names_find(&t->symbols, name);
    if (other >= 0)
        return yk_refuse(t, s->at, "%s is declared already in line %d", name,
                         ((yk_symbol *)t->symbol.item[other])->at.line);
    YK_TRY(yk_names_add(&t->symbols, name, t->symbol.count, t->err));
    return yk_list_push(t->arena, &t->symbol, s, t->err);
}

yoke_status yk_dotted(yk_translator *t, const char *head, const char *tail,
                      const char **out)
{
    return yk_arena_print(t->arena, out, t->err, "%s.%s", head, tail);
}

static yoke_status declare(yk_translator *t, const yk_declaration *d,
                           const char *name, meaning *m, bool global,
                           int depth);

void yk_add_level(yk_levels *levels, const char *name, int dims)
{
    if (levels->count == YK_MOST_LEVELS) return;
    levels->length[levels->count] = (int)strlen(name);
    levels->dims[levels->count++] = dims;
}

/* Modifications that the component makes to this member. */
static yoke_status member_layers(yk_translator *t, const yk_layer *outer,
                                 const char *member, yk_layer **out)
{
    for (const yk_layer *l = outer; l; l = l->next) {
        for (int i = 0; i < l->modifier->count; i++)
            if (strcmp(l->modifier->inner[i]->name, member) == 0)
                YK_TRY(add_layer(t, out, l->modifier->inner[i]));
        if (!l->modifier->value) continue;
        yk_modifier *part = NULL; /* r = value: r.a = value.a */
        YK_TRY(YK_TAKE(t->arena, &part, 1, t->err));
        part->name = member;
        part->at = l->modifier->at;
        YK_TRY(yk_member(t, l->modifier->value, member, &part->value));
        YK_TRY(add_layer(t, out, part));
    }
    return YOKE_OK;
}

static bool has_member(const yk_class *c, const char *name)
{
    for (int i = 0; i < c->declarations; i++)
        if (strcmp(c->declaration[i]->name, name) == 0) return true;
    return false;
}

static yoke_status check_members(yk_translator *t, const char *name,
                                 const meaning *m)
{
    for (const yk_layer *l = m->layer; l; l = l->next) {
        if (l->modifier->value && m->class_->kind != YK_CLASS_RECORD)
            return yk_refuse(t, l->modifier->at,
                             "a value for all of %s is not supported; give its "
                             "members values",
                             name);
        for (int i = 0; i < l->modifier->count; i++)
            if (!has_member(m->class_, l->modifier->inner[i]->name))
                return yk_refuse(t, l->modifier->inner[i]->at,
                                 "%s has no member %s", m->class_->name,
                                 l->modifier->inner[i]->name);
    }
    return YOKE_OK;
}

static yoke_status add_instance(yk_translator *t, const char *name,
                                const yk_class *c)
{
    yk_instance *instance = NULL;

    YK_TRY(YK_TAKE(t->arena, &instance, 1, t->err));
    *instance = (yk_instance){ name, c };
    YK_TRY(yk_names_add(&t->instances, name, t->instance.count, t->err));
    return yk_list_push(t->arena, &t->instance, instance, t->err);
}

static yoke_status declare_members(yk_translator *t, const yk_declaration *d,
                                   const char *name, const meaning *outer,
                                   bool global, int depth)
{
    const yk_class *c = outer->class_;

    if (depth > MEMBERS_DEPTH)
        return yk_refuse(t, d->at, "%s contains itself", c->name);
    YK_TRY(check_members(t, name, outer));
    YK_TRY(add_instance(t, name, c));
    for (int i = 0; i < c->declarations; i++) {
        const yk_declaration *member = c->declaration[i];
        const char *full = NULL;
        meaning m = { .prefix = *member };
        if (t->symbol.count > YK_MOST_ELEMENTS / 100)
            return yk_refuse(t, d->at, "%s has too many members", name);
        add_prefix(&m.prefix, &outer->prefix);
        YK_TRY(yk_dotted(t, name, member->name, &full));
        YK_TRY(member_layers(t, outer->layer, member->name, &m.layer));
        for (int k = 0; k < outer->dims.count; k++)
            YK_TRY(
                yk_list_push(t->arena, &m.dims, outer->dims.item[k], t->err));
        m.levels = outer->levels;
        yk_add_level(&m.levels, name, outer->dims.count);
        YK_TRY(declare(t, member, full, &m, global, depth + 1));
    }
    return YOKE_OK;
}

static yoke_status declare(yk_translator *t, const yk_declaration *d,
                           const char *name, meaning *m, bool global, int depth)
{
    for (int i = 0; i < d->dims; i++)
        YK_TRY(yk_list_push(t->arena, &m->dims, d->dim[i], t->err));
    YK_TRY(add_layer(t, &m->layer, d->modifier));
    YK_TRY(find_type(t, d, m));
    if (m->class_) return declare_members(t, d, name, m, global, depth);
    return add_symbol(t, name, d, m, global);
}

/* E.a of an enumeration E is a whole number from 1 on. */
static yoke_status declare_literal(yk_translator *t, yk_place at,
                                   const char *of, const char *literal,
                                   int number)
{
    yk_declaration *d = NULL;
    yk_expr *value = NULL;
    const char *name = NULL;
    meaning m = { .type = YK_TYPE_INTEGER };

    YK_TRY(YK_TAKE(t->arena, &d, 1, t->err));
    YK_TRY(YK_TAKE(t->arena, &d->modifier, 1, t->err));
    YK_TRY(YK_TAKE(t->arena, &value, 1, t->err));
    value->kind = YK_EXPR_NUMBER;
    value->at = d->at = d->modifier->at = at;
    value->number = number + 1.0;
    value->whole = true;
    value->stamp = -1;
    d->variability = m.prefix.variability = YK_CONSTANT;
    d->modifier->value = value;
    YK_TRY(yk_dotted(t, of, literal, &name));
    YK_TRY(add_layer(t, &m.layer, d->modifier));
    return add_symbol(t, name, d, &m, true);
}

static yoke_status declare_literals(yk_translator *t)
{
    for (int i = 0; i < t->source->classes; i++) {
        const yk_class *c = t->source->class_[i];
        if (c->kind != YK_CLASS_ENUMERATION) continue;
        for (int k = 0; k < c->literals.count; k++) {
            const char *literal = c->literals.item[k];
            YK_TRY(declare_literal(t, c->at, c->path, literal, k));
            if (yk_names_find(&t->classes, c->name) == i &&
                strcmp(c->name, c->path) != 0)
                YK_TRY(declare_literal(t, c->at, c->name, literal, k));
        }
    }
    for (int i = 0; i < ENUMERATIONS; i++) {
        if (yk_names_find(&t->classes, enumerations[i].name) >= 0) continue;
        for (int k = 0; k < enumerations[i].count; k++)
            YK_TRY(declare_literal(t, (yk_place){ 0, 0 }, enumerations[i].name,
                                   enumerations[i].literal[k], k));
    }
    return YOKE_OK;
}

/* P.Q.c is also Q.c; `full` begins with the package. */
static yoke_status add_other_names(yk_translator *t, const char *package,
                                   const char *full, int number)
{
    const char *end = full + strlen(package);

    for (const char *p = full; p && p < end; p = strchr(p, '.')) {
        if (*p == '.') p++;
        if (p < end && yk_names_find(&t->symbols, p) < 0)
            YK_TRY(yk_names_add(&t->symbols, p, number, t->err));
    }
    return YOKE_OK;
}

/* A constant of a package has its name, if that is free, and its name with the
 * packages around it. */
static yoke_status declare_constant(yk_translator *t, const yk_declaration *d)
{
    const int first = t->symbol.count;
    const char *name = d->name;
    meaning m = { .prefix = *d };

    if (yk_names_find(&t->symbols, name) >= 0 ||
        yk_names_find(&t->instances, name) >= 0)
        YK_TRY(yk_dotted(t, d->package, d->name, &name));
    YK_TRY(declare(t, d, name, &m, true, 0));
    for (int i = first; i < t->symbol.count; i++) {
        const yk_symbol *s = t->symbol.item[i];
        const char *full = s->name;
        if (name == d->name) YK_TRY(yk_dotted(t, d->package, s->name, &full));
        YK_TRY(add_other_names(t, d->package, full, i));
    }
    return YOKE_OK;
}

yoke_status yk_declare_all(yk_translator *t, const yk_class *model)
{
    bool missed = false;

    YK_TRY(declare_literals(t));
    for (int i = 0; i < t->source->constants; i++)
        YK_TRY(declare_constant(t, t->source->constant[i]));
    for (int i = 0; i < model->declarations; i++) {
        const yk_declaration *d = model->declaration[i];
        meaning m = { .prefix = *d };
        if (!yk_goes_on(t, declare(t, d, d->name, &m, false, 0))) break;
        /* What is not declared would be missed everywhere. */
        missed = missed || (!yk_find_symbol(t, d->name) &&
                            yk_names_find(&t->instances, d->name) < 0 &&
                            t->failed != YOKE_OK);
    }
    return missed ? t->failed : YOKE_OK;
}

yk_symbol *yk_find_symbol(yk_translator *t, const char *name)
{
    const int number = yk_names_find(&t->symbols, name);
    return number < 0 ? NULL : t->symbol.item[number];
}

yoke_status yk_unknown_name(yk_translator *t, const yk_expr *e)
{
    const int instance = yk_names_find(&t->instances, e->name);

    if (instance >= 0)
        return yk_refuse(t, e->at,
                         "%s is used as a whole, which is not "
                         "supported; name one of its members",
                         e->name);
    const char *near = yk_nearest(&t->symbols, e->name);
    if (near && e->name[0] == 'd' && strcmp(e->name + 1, near) == 0)
        return yk_refuse(t, e->at,
                         "%s is not declared; the derivative of %s is der(%s)",
                         e->name, near, near);
    if (near)
        return yk_refuse(t, e->at, "%s is not declared; %s is", e->name, near);
    if (strcmp(e->name, "t") == 0)
        return yk_refuse(t, e->at,
                         "t is not declared; the time is called time");
    if (strcmp(e->name, "pi") == 0)
        return yk_refuse(t, e->at,
                         "pi is not declared; declare it, \"constant Real pi "
                         "= 4*atan(1);\"");
    return yk_refuse(t, e->at,
                     "%s is not declared; declare it, \"parameter Real %s = "
                     "1;\" or \"Real %s;\"",
                     e->name, e->name, e->name);
}

int yk_most_elements(const yk_translator *t)
{
    const int set = t->options ? t->options->most_elements : 0;

    return set > 0 && set < YK_MOST_ELEMENTS ? set
           : set > 0                         ? YK_MOST_ELEMENTS
                                             : YK_USUAL_ELEMENTS;
}

/* ---- Sizes --------------------------------------------------------------- */

yoke_status yk_multiply_sizes(yk_translator *t, yk_place at, const char *name,
                              const yk_shape *shape, int *count)
{
    double all = 1.0;

    for (int i = 0; i < shape->dims; i++) all *= shape->size[i];
    if (all > yk_most_elements(t) - (double)t->elements)
        return yk_refuse(t, at,
                         "%s has %.0f elements; all arrays together may "
                         "have %d (--max-elements)",
                         name, all, yk_most_elements(t));
    *count = (int)all;
    return YOKE_OK;
}

/* The enumeration that a dimension names, or NULL. */
static const yk_class *enumeration(const yk_translator *t, const yk_expr *dim)
{
    const int number = dim->kind == YK_EXPR_REFERENCE
                           ? yk_names_find(&t->classes, dim->name)
                           : -1;

    if (number < 0) return NULL;
    const yk_class *c = t->source->class_[number];
    return c->kind == YK_CLASS_ENUMERATION ? c : NULL;
}

static yoke_status find_sizes(yk_translator *t, yk_symbol *s)
{
    yk_shape bound = { 0 };
    const bool known = s->binding != NULL;

    s->shape.dims = s->dims;
    for (int i = 0; i < s->dims; i++) {
        const yk_class *e = enumeration(t, s->dim[i]);
        if (e) {
            s->shape.size[i] = e->literals.count;
        } else if (s->dim[i]->kind == YK_EXPR_COLON) {
            if (!known)
                return yk_refuse(t, s->dim[i]->at,
                                 "the size of %s is not "
                                 "known; give it a number or "
                                 "%s a value",
                                 s->name, s->name);
            YK_TRY(yk_shape_of(t, s->binding, &bound));
            if (bound.dims != s->dims)
                return yk_refuse(t, s->binding->at,
                                 "%s has %d dimensions, its value has %d",
                                 s->name, s->dims, bound.dims);
            s->shape.size[i] = bound.size[i];
        } else {
            YK_TRY(yk_whole(t, s->dim[i], &s->shape.size[i]));
            if (s->shape.size[i] < 0)
                return yk_refuse(t, s->dim[i]->at,
                                 "the size %d of %s is "
                                 "negative",
                                 s->shape.size[i], s->name);
        }
    }
    YK_TRY(yk_multiply_sizes(t, s->at, s->name, &s->shape, &s->count));
    t->elements += s->count;
    return YOKE_OK;
}

static yoke_status cycle(yk_translator *t, const yk_symbol *s)
{
    return yk_refuse(t, s->at,
                     "%s depends on itself; break the cycle with a "
                     "number",
                     s->name);
}

yoke_status yk_symbol_shape(yk_translator *t, yk_symbol *s)
{
    if (s->shaped == YK_DONE) return YOKE_OK;
    if (s->shaped == YK_AT_WORK) return cycle(t, s);
    YK_TRY(yk_enter(t, s->at));
    const yk_aside aside = yk_put_aside(t, s->name);
    s->shaped = YK_AT_WORK;
    const yoke_status status = find_sizes(t, s);
    s->shaped = status == YOKE_OK ? YK_DONE : YK_NOT_YET;
    yk_take_back(t, &aside);
    t->depth--;
    return status;
}

/* ---- Values -------------------------------------------------------------- */

static yoke_status check_value(yk_translator *t, const yk_symbol *s,
                               yk_place at, double x)
{
    if (s->shape.type == YK_TYPE_INTEGER && (x != floor(x) || fabs(x) > 1e15))
        return yk_refuse(t, at, "%s is an Integer and gets the value %g",
                         s->name, x);
    if (s->shape.type == YK_TYPE_BOOLEAN && x != 0.0 && x != 1.0)
        return yk_refuse(t, at, "%s is a Boolean and gets the value %g",
                         s->name, x);
    return YOKE_OK;
}

static const char *said(const yk_shape *shape)
{
    return shape->type == YK_TYPE_STRING    ? "a text (leave out the quotes)"
           : shape->type == YK_TYPE_BOOLEAN ? "true or false"
                                            : "a number";
}

/* All elements of `e` as numbers; a scalar is repeated if `spread`. */
static yoke_status constants(yk_translator *t, const yk_symbol *s, yk_expr *e,
                             bool spread, double *out)
{
    yk_shape shape;
    yk_value *value = NULL;
    int count = 0;

    YK_TRY(yk_shape_of(t, e, &shape));
    if ((shape.type == YK_TYPE_BOOLEAN) != (s->shape.type == YK_TYPE_BOOLEAN) ||
        shape.type == YK_TYPE_STRING)
        return yk_refuse(t, e->at,
                         "the value of %s has the wrong type: %s is expected, "
                         "found %s",
                         s->name, type_names[s->shape.type], said(&shape));
    if (!(spread && shape.dims == 0) && !yk_same_size(&shape, &s->shape)) {
        char a[80], b[80];
        return yk_refuse(t, e->at, "%s has the size %s, its value %s", s->name,
                         yk_shape_text(&s->shape, a), yk_shape_text(&shape, b));
    }
    const yk_arena_mark mark = yk_arena_now(&t->scratch);
    YK_TRY(yk_elements(t, e, &shape, &value, &count));
    for (int i = 0; i < s->count; i++) {
        const yk_value *v = &value[shape.dims ? i : 0];
        if (v->kind != YK_VALUE_NUMBER)
            return yk_refuse(t, e->at, "the value of %s is not a number",
                             s->name);
        YK_TRY(check_value(t, s, e->at, v->number));
        out[i] = v->number;
    }
    yk_arena_release(&t->scratch, mark);
    return YOKE_OK;
}

static yoke_status find_value(yk_translator *t, yk_symbol *s)
{
    YK_TRY(yk_symbol_shape(t, s));
    if (s->shape.type == YK_TYPE_STRING)
        return yk_refuse(t, s->at, "the String %s cannot be used in equations",
                         s->name);
    const yk_modifier *fixed = attribute(s, "fixed");
    if (fixed && !s->is_solved &&
        !(fixed->value->kind == YK_EXPR_BOOLEAN && fixed->value->number == 1.0))
        return yk_refuse(t, fixed->at,
                         "fixed for the parameter %s is not "
                         "supported; give it a value",
                         s->name);
    YK_TRY(YK_TAKE(t->arena, &s->value, s->count, t->err));
    const bool replaced = s->override.count && s->shape.dims == 0;
    if (s->binding && !replaced)
        YK_TRY(constants(t, s, s->binding, s->binding->kind != YK_EXPR_ARRAY,
                         s->value));
    else if (!replaced && s->override.count < s->count)
        return yk_refuse(t, s->at,
                         "the parameter %s has no value; give it one "
                         "here or in the system file",
                         s->name);
    return yk_apply_overrides(t, s);
}

yoke_status yk_symbol_value(yk_translator *t, yk_symbol *s)
{
    if (s->valued == YK_DONE) return YOKE_OK;
    if (s->valued == YK_AT_WORK) return cycle(t, s);
    YK_TRY(yk_enter(t, s->at));
    const yk_aside aside = yk_put_aside(t, s->name);
    const bool at_start = t->at_start;
    s->valued = YK_AT_WORK;
    t->at_start = s->is_solved;
    const yoke_status status = find_value(t, s);
    t->at_start = at_start;
    s->valued = status == YOKE_OK ? YK_DONE : YK_NOT_YET;
    yk_take_back(t, &aside);
    t->depth--;
    return status;
}

/* ---- The flat model ------------------------------------------------------ */

/* Modelica's syntax of units, roughly: letters, digits and . / - ( ) */
static yoke_status check_unit(yk_translator *t, const yk_expr *e)
{
    int depth = 0;

    for (const char *c = e->name; *c; c++) {
        if (*c == '(') depth++;
        if (*c == ')') depth--;
        const bool letter = (*c >= 'a' && *c <= 'z') ||
                            (*c >= 'A' && *c <= 'Z') ||
                            (*c >= '0' && *c <= '9') || strchr("./-()%'", *c);
        if (!letter || depth < 0)
            return yk_refuse(
                t, e->at, "\"%.40s\" is not a unit; write it like \"kg.m/s2\"",
                e->name);
    }
    return depth ? yk_refuse(t, e->at, "\"%.40s\" lacks a )", e->name)
                 : YOKE_OK;
}

const char *yk_symbol_unit(const yk_symbol *s)
{
    const yk_modifier *m = attribute(s, "unit");

    return m && m->value->kind == YK_EXPR_STRING ? m->value->name : NULL;
}

static yoke_status copy_unit(yk_translator *t, const yk_symbol *s, char **out)
{
    const yk_modifier *m = attribute(s, "unit");

    if (!m) return YOKE_OK;
    if (m->value->kind != YK_EXPR_STRING)
        return yk_refuse(t, m->value->at,
                         "the unit of %s is not a string; write it in quotes, "
                         "unit = \"m\"",
                         s->name);
    YK_TRY(check_unit(t, m->value));
    return yk_copy_text(out, m->value->name, t->err);
}

static yoke_status numbers(yk_translator *t, const yk_symbol *s,
                           const char *name, double **out)
{
    const yk_modifier *m = attribute(s, name);

    if (!m) return YOKE_OK;
    YK_TRY(yk_doubles(out, (size_t)s->count, t->err));
    return constants(t, s, m->value, true, *out);
}

static yoke_status fixed_flags(yk_translator *t, const yk_symbol *s, bool **out)
{
    yk_symbol flags = *s;
    double *value = NULL;

    flags.shape.type = YK_TYPE_BOOLEAN;
    const yoke_status status = numbers(t, &flags, "fixed", &value);
    if (status == YOKE_OK && (value || s->by_event)) {
        const yoke_status room = YK_NEW(out, s->count, t->err);
        if (room != YOKE_OK) {
            yk_free(value);
            return room;
        }
        for (int i = 0; i < s->count; i++)
            (*out)[i] = !s->by_algorithm &&
                        (value ? value[i] != 0.0
                               : !yk_latch_starts(s) && !s->is_solved);
    }
    yk_free(value);
    return status;
}

static yoke_status check_nominal(yk_translator *t, const yk_symbol *s,
                                 const double *nominal)
{
    for (int i = 0; nominal && i < s->count; i++)
        if (!(fabs(nominal[i]) > 0.0))
            return yk_refuse(t, attribute(s, "nominal")->value->at,
                             "the nominal value of %s is 0", s->name);
    return YOKE_OK;
}

/* Hints that change no equation: they only have to be numbers. */
static yoke_status check_bounds(yk_translator *t, const yk_symbol *s)
{
    static const char *const names[] = { "min", "max" };
    yk_shape shape;

    for (int i = 0; i < 2; i++) {
        const yk_modifier *m = attribute(s, names[i]);
        if (m) YK_TRY(yk_shape_of(t, m->value, &shape));
    }
    return YOKE_OK;
}

/* guess(x) = value or guess(x[2]) = value */
static yoke_status apply_guess(yk_translator *t, const yk_symbol *s,
                               const yk_equation *q, double *start)
{
    yk_expr *x = q->left->child[0];
    yk_symbol part = *s;
    yk_value at[YK_FLAT_LOOPS], place;
    double *value = NULL;

    YK_TRY(yk_shape_of(t, x, &part.shape));
    part.count = 1;
    for (int d = 0; d < part.shape.dims; d++) part.count *= part.shape.size[d];
    YK_TRY(YK_SCRATCH(t, &value, part.count));
    YK_TRY(constants(t, &part, q->right, true, value));
    for (int i = 0; i < part.count; i++) {
        int rest = i;
        for (int d = part.shape.dims - 1; d >= 0; d--) {
            at[d] = yk_number(rest % part.shape.size[d] + 1.0);
            rest /= part.shape.size[d];
        }
        YK_TRY(yk_eq_place_of(t, x, &s->shape, at, &place));
        start[(int)place.number] = value[i];
    }
    return YOKE_OK;
}

static yoke_status fill_attributes(yk_translator *t, const yk_symbol *s,
                                   yk_flat_variable *v)
{
    YK_TRY(yk_copy_text(&v->name, s->name, t->err));
    YK_TRY(copy_unit(t, s, &v->unit));
    if (v->kind == YK_FLAT_TABLE)
        return yk_copy_doubles(&v->value, s->value, (size_t)s->count, t->err);
    YK_TRY(numbers(t, s, "start", &v->start));
    if (!v->start) YK_TRY(yk_doubles(&v->start, (size_t)s->count, t->err));
    for (int i = 0; i < s->guess.count; i++)
        YK_TRY(apply_guess(t, s, s->guess.item[i], v->start));
    YK_TRY(numbers(t, s, "nominal", &v->nominal));
    YK_TRY(check_nominal(t, s, v->nominal));
    YK_TRY(check_bounds(t, s));
    return fixed_flags(t, s, &v->fixed);
}

static void drop(yk_flat_variable *v)
{
    YK_FREE(v->name, v->unit, v->start, v->nominal, v->fixed, v->value);
}

yoke_status yk_symbol_variable(yk_translator *t, yk_symbol *s)
{
    const bool known = s->variability >= YK_PARAMETER;
    yk_flat_variable v = { .is_output = s->is_output,
                           .is_flow = s->is_flow,
                           .line = s->at.line };

    if (s->variable >= 0) return YOKE_OK;
    YK_TRY(yk_symbol_shape(t, s));
    if (known) YK_TRY(yk_symbol_value(t, s));
    v.kind = known         ? YK_FLAT_TABLE
             : s->is_input ? YK_FLAT_INPUT
                           : YK_FLAT_UNKNOWN;
    v.dims = s->shape.dims;
    memcpy(v.size, s->shape.size, sizeof v.size);
    v.count = s->count;
    const yk_aside aside = yk_put_aside(t, s->name);
    const yoke_status status = fill_attributes(t, s, &v);
    yk_take_back(t, &aside);
    if (status != YOKE_OK) {
        drop(&v);
        return status;
    }
    return yk_flat_add_variable(t->flat, &v, &s->variable, t->err);
}
