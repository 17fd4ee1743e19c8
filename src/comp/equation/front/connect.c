/* comp/equation/front/connect.c -- connect equations.
 *
 * All connectors that are joined, directly or through others, form a set: its
 * potentials are equal and its flows sum to zero.
 */
#include "comp/equation/front/translate.h"

#include <stdio.h>
#include <string.h>

yoke_status yk_connect(yk_translator *t, const yk_equation *q)
{
    for (int i = 0; i < 2; i++) {
        const yk_expr *e = q->left->child[i];
        if (e->kind != YK_EXPR_REFERENCE || e->count)
            return yk_refuse(t, e->at,
                             "connect needs the names of two "
                             "connectors without subscripts");
        if (yk_names_find(&t->instances, e->name) < 0 &&
            !yk_find_symbol(t, e->name))
            return yk_unknown_name(t, e);
    }
    YK_TRY(yk_blame_all(t));
    if (t->initial)
        return yk_refuse(t, q->at,
                         "connect in the initial equations is not "
                         "supported");
    return yk_list_push(t->arena, &t->connection, (void *)q, t->err);
}

static const yk_class *class_of(const yk_translator *t, const char *name)
{
    const int number = yk_names_find(&t->instances, name);
    return number < 0 ? NULL
                      : ((yk_instance *)t->instance.item[number])->class_;
}

static yoke_status new_expr(yk_translator *t, yk_ast_kind kind, yk_place at,
                            yk_expr **out)
{
    YK_TRY(YK_TAKE(t->arena, out, 1, t->err));
    (*out)->kind = kind;
    (*out)->at = at;
    (*out)->stamp = -1;
    return YOKE_OK;
}

/* name.member, or name alone for a signal. */
static yoke_status member(yk_translator *t, yk_place at, const char *name,
                          const char *part, yk_expr **out)
{
    const char *text = NULL;

    YK_TRY(yk_arena_print(t->arena, &text, t->err, "%s%s%s", name,
                          *part ? "." : "", part));
    YK_TRY(new_expr(t, YK_EXPR_REFERENCE, at, out));
    (*out)->name = text;
    return YOKE_OK;
}

static yoke_status add_joint(yk_translator *t, yk_list *joints, yk_place at,
                             yk_expr *left, yk_expr *right)
{
    yk_equation *q = NULL;

    YK_TRY(YK_TAKE(t->arena, &q, 1, t->err));
    q->kind = YK_EQUATION_EQUAL;
    q->at = at;
    q->left = left;
    q->right = right;
    return yk_list_push(t->arena, joints, q, t->err);
}

/* Its flow is settled inside: the port is not open to others. */
static void settle_flow(yk_translator *t, const char *name)
{
    yk_symbol *s = yk_find_symbol(t, name);

    if (!s) return;
    s->is_flow = false;
    if (s->variable >= 0) t->flat->variable[s->variable].is_flow = false;
}

/* first = -(others) */
static yoke_status join_flows(yk_translator *t, yk_list *joints, yk_place at,
                              const yk_list *set, const char *part)
{
    yk_expr *first, *rest, *sum, *minus;

    YK_TRY(member(t, at, set->item[0], part, &first));
    YK_TRY(new_expr(t, YK_EXPR_SUM, at, &sum));
    YK_TRY(YK_TAKE(t->arena, &sum->child, set->count, t->err));
    YK_TRY(YK_TAKE(t->arena, &sum->op, set->count, t->err));
    for (int i = 1; i < set->count; i++) {
        YK_TRY(member(t, at, set->item[i], part, &rest));
        sum->op[sum->count] = '+';
        sum->child[sum->count++] = rest;
    }
    YK_TRY(new_expr(t, YK_EXPR_NEGATE, at, &minus));
    YK_TRY(YK_TAKE(t->arena, &minus->child, 1, t->err));
    minus->count = 1;
    minus->child[0] = sum;
    settle_flow(t, first->name);
    for (int i = 0; i < sum->count; i++) settle_flow(t, sum->child[i]->name);
    return add_joint(t, joints, at, first, minus);
}

static yoke_status join_member(yk_translator *t, yk_list *joints, yk_place at,
                               const yk_list *set, const char *part, bool flow)
{
    if (flow) return join_flows(t, joints, at, set, part);
    for (int i = 1; i < set->count; i++) {
        yk_expr *a, *b;
        YK_TRY(member(t, at, set->item[i - 1], part, &a));
        YK_TRY(member(t, at, set->item[i], part, &b));
        YK_TRY(add_joint(t, joints, at, a, b));
    }
    return YOKE_OK;
}

static yoke_status join_set(yk_translator *t, yk_list *joints, yk_place at,
                            const yk_list *set)
{
    const yk_class *c = class_of(t, set->item[0]);

    for (int i = 1; i < set->count; i++)
        if (class_of(t, set->item[i]) != c)
            return yk_refuse(t, at,
                             "%s and %s are connected and of different "
                             "types",
                             (char *)set->item[0], (char *)set->item[i]);
    if (!c) return join_member(t, joints, at, set, "", false);
    for (int i = 0; i < c->declarations; i++) {
        const yk_declaration *d = c->declaration[i];
        yk_expr *e;
        YK_TRY(member(t, at, set->item[0], d->name, &e));
        yk_symbol *s = yk_find_symbol(t, e->name);
        if (!s)
            return yk_refuse(t, at,
                             "connectors inside of connectors cannot be "
                             "connected");
        if (s->variability >= YK_PARAMETER) continue;
        YK_TRY(join_member(t, joints, at, set, d->name, s->is_flow));
    }
    return YOKE_OK;
}

/* ---- Sets ---------------------------------------------------------------- */

typedef struct sets {
    yk_names names;
    yk_list name;
    int *parent;
} sets;

static int root(sets *s, int i)
{
    while (s->parent[i] != i) i = s->parent[i] = s->parent[s->parent[i]];
    return i;
}

static yoke_status number_of(yk_translator *t, sets *s, const char *name,
                             int *out)
{
    *out = yk_names_find(&s->names, name);
    if (*out >= 0) return YOKE_OK;
    *out = s->name.count;
    s->parent[*out] = *out;
    YK_TRY(yk_names_add(&s->names, name, *out, t->err));
    return yk_list_push(t->arena, &s->name, (void *)name, t->err);
}

static yoke_status unite(yk_translator *t, sets *s)
{
    YK_TRY(YK_TAKE(t->arena, &s->parent, 2 * t->connection.count, t->err));
    for (int i = 0; i < t->connection.count; i++) {
        const yk_equation *q = t->connection.item[i];
        int a = 0, b = 0;
        YK_TRY(number_of(t, s, q->left->child[0]->name, &a));
        YK_TRY(number_of(t, s, q->left->child[1]->name, &b));
        s->parent[root(s, b)] = root(s, a);
    }
    return YOKE_OK;
}

static yoke_status make_joints(yk_translator *t, sets *s, yk_list *joints)
{
    yk_list *member_of = NULL;
    const yk_equation *first = t->connection.item[0];

    YK_TRY(unite(t, s));
    YK_TRY(YK_TAKE(t->arena, &member_of, s->name.count, t->err));
    for (int i = 0; i < s->name.count; i++)
        YK_TRY(yk_list_push(t->arena, &member_of[root(s, i)], s->name.item[i],
                            t->err));
    for (int i = 0; i < s->name.count; i++)
        if (member_of[i].count > 1)
            YK_TRY(join_set(t, joints, first->at, &member_of[i]));
    return YOKE_OK;
}

yoke_status yk_finish_connections(yk_translator *t)
{
    sets s = { 0 };
    yk_list joints = { 0 };

    if (t->connection.count == 0) return YOKE_OK;
    const yoke_status status = make_joints(t, &s, &joints);
    yk_names_clear(&s.names);
    t->joints.count = joints.count;
    t->joints.body = (yk_equation **)joints.item;
    return status;
}
