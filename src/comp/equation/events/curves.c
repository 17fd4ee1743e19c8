/* comp/equation/events/curves.c -- what bends sharply in the equations.
 *
 * An equation is a sum of terms, with constant factors.  Those with functions
 * that may do all they do in a small part of their range (exp, tanh, tables,
 * quotients, powers) are what steppers look at along the path of a step
 * (yoke_curves), all of an equation as one: tanh(1000 u) - tanh(1000 u - 1)
 * answers where both differ, exp(-u^2) exp(-v^2) where both do.
 */
#include "comp/equation/events/courses.h"

#include "comp/equation/code/subsystem.h"
#include "comp/equation/events/events.h"

#include <math.h>

/* Many of them, cells of a field, are small parts of the whole and cost too
 * much: then none is looked at. */
enum { MOST_CURVES = 100 };

/* Operations of a curve, for which unknowns are inserted; how deep. */
enum { MOST_STEPS = 200, ROUNDS = 4 };

static bool moves(const yk_pool *p, int node)
{
    return p->node[node].on & (YK_ON_VALUES | YK_ON_TIME);
}

static bool is_low_power(const yk_pool *p, const yk_node *n)
{
    const yk_node *e = &p->node[n->b];

    return e->op == YK_OP_NUMBER && e->number == floor(e->number) &&
           e->number >= 0.0 && e->number <= 3.0;
}

/* May bend within a small part of the range of its arguments. */
static bool is_sharp(const yk_pool *p, const yk_node *n)
{
    switch (n->op) {
    case YK_OP_DIVIDE:
        return p->node[n->b].on & YK_ON_VALUES;
    case YK_OP_POWER:
        return !is_low_power(p, n);
    default:
        return yk_op_bends((yk_op)n->op);
    }
}

/* A sum, or one with a constant factor; otherwise a term of one. */
static bool is_sum(const yk_pool *p, const yk_node *n)
{
    switch (n->op) {
    case YK_OP_ADD:
    case YK_OP_SUBTRACT:
    case YK_OP_NEGATE:
        return true;
    case YK_OP_MULTIPLY:
        return !moves(p, n->a) || !moves(p, n->b);
    case YK_OP_DIVIDE:
        return !moves(p, n->b);
    default:
        return false;
    }
}

/* sharp[i]: the i-th node of the list is, or something in it; marks[node] is i
 * + 1. */
static void find_sharp(const yk_pool *p, const int *list, int length,
                       bool *sharp)
{
    for (int i = 0; i < length; i++) {
        const yk_node *n = &p->node[list[i]];
        const int child[3] = { n->a, n->b, n->c };
        if (!(n->on & YK_ON_VALUES)) continue;
        sharp[i] = is_sharp(p, n);
        for (int k = 0; k < 3; k++)
            if (child[k] >= 0)
                sharp[i] = sharp[i] || sharp[p->mark[child[k]] - 1];
    }
}

/* Node n of a sum without its terms that are not sharp; -1: nothing is. */
static int sharp_part(yk_pool *p, int node, const int *part)
{
    const yk_node n = p->node[node];
    const int a = n.a < 0 ? -1 : part[p->mark[n.a] - 1];
    const int b = n.b < 0 ? -1 : part[p->mark[n.b] - 1];

    if (!is_sum(p, &n)) return node;
    if (n.op == YK_OP_MULTIPLY || n.op == YK_OP_DIVIDE)
        return yk_eq_expr_binary(p, n.op, a < 0 ? n.a : a, b < 0 ? n.b : b);
    if (n.op == YK_OP_NEGATE) return yk_eq_expr_unary(p, n.op, a);
    if (b < 0) return a;
    if (a >= 0) return yk_eq_expr_binary(p, n.op, a, b);
    return n.op == YK_OP_ADD ? b : yk_eq_expr_unary(p, YK_OP_NEGATE, b);
}

static yoke_status reduce(yk_pool *p, int root, int *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *list = NULL, *part = NULL, length = 0;
    bool *sharp = NULL;

    *out = -1;
    YK_TRY(yk_reach(p, 1, &root, &list, &length, err));
    YK_GO(YK_NEW(&sharp, length, err));
    YK_GO(yk_ints(&part, (size_t)length, err));
    for (int i = 0; i < length; i++) p->mark[list[i]] = i + 1;
    find_sharp(p, list, length, sharp);
    for (int i = 0; i < length; i++)
        part[i] = sharp[i] ? sharp_part(p, list[i], part) : -1;
    for (int i = 0; i < length; i++) p->mark[list[i]] = 0;
    *out = part[length - 1];
    status = yk_pool_status(p, err);
done:
    YK_FREE(list, part, sharp);
    return status;
}

/* ---- Unknowns that are given by others ------------------------------------ */

/* w = u^2 between the points of a step is not what the polynomial of w is: what
 * is written for w is better. */
typedef struct given {
    int count;
    int *from, *to;
} given;

static yoke_status collect(yk_model *m, int count, const int *root, given *g,
                           yoke_err *err)
{
    YK_TRY(YK_INTS((size_t)count + 1, err, &g->from, &g->to));
    for (int i = 0; i < count; i++) {
        int *list = NULL, length = 0, *to = &g->to[g->count];
        if (m->equation.at[i].instances != 1) continue;
        if (!yk_gives(m, root[i], &g->from[g->count], to)) continue;
        YK_TRY(yk_reach(&m->pool, 1, to, &list, &length, err));
        yk_free(list);
        if (length <= MOST_STEPS) g->count++;
    }
    return YOKE_OK;
}

static yoke_status insert(yk_pool *p, const given *g, int *root, yoke_err *err)
{
    for (int round = 0; round < ROUNDS; round++) {
        int *list = NULL, length = 0, next = *root;
        YK_TRY(yk_replace(p, *root, g->count, g->from, g->to, &next, err));
        if (next == *root) break;
        YK_TRY(yk_reach(p, 1, &next, &list, &length, err));
        yk_free(list);
        if (length > MOST_STEPS) break;
        *root = next;
    }
    return YOKE_OK;
}

/* ---- All equations -------------------------------------------------------- */

static yoke_status add_curve(yk_layout *l, yk_model *m, const yk_template *t,
                             int root, yoke_err *err)
{
    const bool loop = m->pool.node[root].on & YK_ON_LOOP;
    const int count = loop ? t->instances : 1;

    for (int k = 0; k < count && l->bent.count <= MOST_CURVES; k++)
        YK_TRY(yk_add_course(&l->bent, l, m, t, k, root, err));
    return YOKE_OK;
}

yoke_status yk_find_curves(yk_layout *l, yk_model *m, int count,
                           const int *root, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    given g = { 0 };

    YK_GO(collect(m, count, root, &g, err));
    for (int i = 0; i < count && l->bent.count <= MOST_CURVES; i++) {
        const yk_template *t = &m->equation.at[i];
        int curve = -1;
        if (!(m->pool.node[root[i]].on & YK_ON_VALUES)) continue;
        YK_GO(reduce(&m->pool, root[i], &curve, err));
        if (curve < 0) continue;
        YK_GO(insert(&m->pool, &g, &curve, err));
        YK_GO(add_curve(l, m, t, curve, err));
    }
    if (l->bent.count > MOST_CURVES) yk_courses_clear(&l->bent);
done:
    YK_FREE(g.from, g.to);
    return status;
}

/* ---- For steppers -------------------------------------------------------- */

/* The path with what is held behind the unknowns and the inputs. */
typedef struct view {
    const yk_subsystem *s;
    const yoke_path *path;
} view;

static void follow(void *self, int i, double from, double to, int order,
                   double (*out)[2])
{
    const view *v = self;
    const yk_layout *l = &v->s->layout;

    if (i < l->n + l->m) {
        v->path->enclose(v->path->self, i, from, to, order, out);
        return;
    }
    for (int k = 0; k <= order; k++) out[k][0] = out[k][1] = 0.0;
    out[0][0] = out[0][1] = v->s->w[i - l->n - l->m];
}

static void bent(void *self, int i, const yoke_path *path, double from,
                 double to, int order, double (*out)[2])
{
    yk_subsystem *s = self;
    view v = { s, path };
    const yoke_path with = { follow, &v };

    yk_curve_enclose(&s->layout.bent, i, &with, from, to, order, out);
}

static void indicator(void *self, int k, const yoke_path *path, double from,
                      double to, int order, double (*out)[2])
{
    yk_subsystem *s = self;
    const yk_layout *l = &s->layout;
    const yk_relations *relations = yk_whens_relations(s->events);
    const int scalar = k < yk_relations_count(relations)
                           ? yk_relations_scalar(relations, k)
                           : -1;
    const int place = scalar >= 0 ? l->watch[scalar] : -1;
    view v = { s, path };
    const yoke_path with = { follow, &v };

    if (place < 0) {
        for (int j = 0; j <= order; j++) {
            out[j][0] = -INFINITY;
            out[j][1] = INFINITY;
        }
        return;
    }
    yk_curve_enclose(&s->layout.watched, place, &with, from, to, order, out);
    yk_relations_enclose(relations, k, s->w, order, out);
}

/* y = +-x, +-u or a constant. */
static void output(void *self, int k, const yoke_path *path, double from,
                   double to, int order, double (*out)[2])
{
    const yk_layout *l = &((const yk_subsystem *)self)->layout;
    const int place = l->y_place[k];
    const double sign = l->y_sign[k];
    double value[YOKE_COURSE_ORDER + 1][2] = { { 0.0 } };

    if (place >= 0)
        path->enclose(path->self, place, from, to, order, value);
    else
        value[0][0] = value[0][1] = l->y_constant[k];
    for (int j = 0; j <= order; j++) {
        out[j][0] = sign < 0.0 ? -value[j][1] : value[j][0];
        out[j][1] = sign < 0.0 ? -value[j][0] : value[j][1];
    }
}

const yoke_curves *yk_curves_tell(yk_subsystem *s)
{
    s->layout.curves = (yoke_curves){ .count = s->layout.bent.count,
                                      .enclose = bent,
                                      .output = output,
                                      .self = s,
                                      .indicator = indicator };
    return &s->layout.curves;
}
