/* comp/equation/events/breaks.c -- times at which a model is not smooth in
 * time.
 *
 * Relations, abs, sign, min, max, floor and tables of what depends on time and
 * nothing else are found in the equations and in the relations that events
 * watch; expr/breaks.c tells when they change.  What is held between events stands
 * here for what it is the value of: mod(time, 10) < 0.05 depends on time only.
 */
#include "comp/equation/events/courses.h"

#include <math.h>

typedef struct finder {
    yk_layout *l;
    yk_model *m;
    int *plain;  /* of each relation, without what is held */
    int *bent;   /* of the kinks before a relation, but with what jumps held */
    int *held;   /* what the equations read of them */
    int bends;   /* how many */
    bool *seen;  /* nodes without loops that were added */
    int *degree; /* time_degree of the nodes that were met */
    int nodes;   /* room of both */
    int *root;   /* of each equation, without what is held */
} finder;

/* Depends on time and loop indices only. */
static bool timed(const yk_pool *p, int node)
{
    return (p->node[node].on & (YK_ON_VALUES | YK_ON_TIME)) == YK_ON_TIME;
}

/* How time enters a node between the breaks: 0 not at all, 1 along a straight
 * line, 2 in another way.  What depends on time alone has breaks where it is
 * not smooth. */
static int time_degree(const yk_pool *p, const int *degree, int node)
{
    const yk_node *n = &p->node[node];
    const int a = n->a >= 0 ? degree[n->a] : 0;
    const int b = n->b >= 0 ? degree[n->b] : 0;
    const int c = n->c >= 0 ? degree[n->c] : 0;
    const int most = a > b ? a : b;

    switch (n->op) {
    case YK_OP_TIME:
        return 1;
    case YK_OP_NEGATE:
    case YK_OP_ABS:
    case YK_OP_ADD:
    case YK_OP_SUBTRACT:
    case YK_OP_MIN:
    case YK_OP_MAX:
        return most;
    case YK_OP_MULTIPLY:
        return a + b > 2 ? 2 : a + b;
    case YK_OP_DIVIDE:
        return b == 0 ? a : 2;
    case YK_OP_IF:
        return a > 1 ? 2 : b > c ? b : c;
    case YK_OP_INTERPOLATE:
        return timed(p, n->a) ? a : a > 0 ? 2 : 0;
    case YK_OP_LESS:
    case YK_OP_LESS_EQUAL:
    case YK_OP_SIGN:
        return timed(p, node) || most < 2 ? 0 : 2;
    case YK_OP_FLOOR:
    case YK_OP_CEIL:
        return timed(p, node) ? 0 : a > 0 ? 2 : 0;
    default:
        return a > 0 || b > 0 || c > 0 ? 2 : 0;
    }
}

static yoke_status find_degree(finder *f, int root, yoke_err *err)
{
    int *list = NULL, length = 0;

    YK_TRY(yk_reach(&f->m->pool, 1, &root, &list, &length, err));
    for (int i = 0; i < length; i++)
        f->degree[list[i]] = time_degree(&f->m->pool, f->degree, list[i]);
    if (f->degree[root] > 1) f->l->timeless = false;
    yk_free(list);
    return YOKE_OK;
}

static bool holds(const yk_pool *p, const int *list, int length)
{
    for (int i = 0; i < length; i++)
        if (p->node[list[i]].op == YK_OP_HELD) return true;
    return false;
}

/* root without what is held, or with another expression for some of it. */
static yoke_status without(finder *f, int root, int count, const int *from,
                           const int *to, int *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *list = NULL, length = 0;

    *out = root;
    YK_TRY(yk_reach(&f->m->pool, 1, &root, &list, &length, err));
    if (holds(&f->m->pool, list, length))
        status = yk_replace(&f->m->pool, root, count, from, to, out, err);
    yk_free(list);
    return status;
}

static yoke_status released(finder *f, int root, int relations, int *out,
                            yoke_err *err)
{
    return without(f, root, relations, f->m->relation_held, f->plain, out, err);
}

/* Bounds of what relation i compares.  An inner relation or whole number is held
 * there as in the indicator itself, and jumps at its own event: bounds of
 * mod(x, 1) where x is whole would be 0 and 1.  Kinks are what they are. */
static yoke_status watch(finder *f, int i, yoke_err *err)
{
    const yk_model *m = f->m;
    const yk_template *t = &m->relation.at[i];
    int compared = -1, plain = -1;

    YK_TRY(released(f, t->residual, i, &plain, err));
    YK_TRY(without(f, t->residual, f->bends, f->held, f->bent, &compared, err));
    YK_TRY(yk_watch(f->l, f->m, t, timed(&m->pool, plain) ? plain : compared,
                    err));
    if (!m->flat->relation[i].kink) return YOKE_OK;
    YK_TRY(without(f, m->relation_plain[i], f->bends, f->held, f->bent,
                   &f->bent[f->bends], err));
    f->held[f->bends++] = m->relation_held[i];
    return YOKE_OK;
}

static yoke_status look_at_all(finder *f, yoke_err *err)
{
    const yk_model *m = f->m;

    for (int i = 0; i < m->relation.count; i++) /* inner ones come first */
        YK_TRY(released(f, m->relation_plain[i], i, &f->plain[i], err));
    for (int i = 0; i < m->relation.count; i++)
        YK_TRY(yk_find_switches(f->l, f->m, &m->relation.at[i], f->plain[i],
                                f->nodes, f->seen, err));
    for (int i = 0; i < m->relation.count; i++) YK_TRY(watch(f, i, err));
    for (int i = 0; i < m->equation.count; i++) {
        YK_TRY(find_degree(f, m->equation.at[i].residual, err));
        YK_TRY(released(f, m->equation.at[i].residual, m->relation.count,
                        &f->root[i], err));
        YK_TRY(yk_find_switches(f->l, f->m, &m->equation.at[i], f->root[i],
                                f->nodes, f->seen, err));
    }
    return YOKE_OK;
}

static yoke_status find_functions(finder *f, yoke_err *err)
{
    const yk_templates *all = &f->m->equation;

    if (!f->l->timeless) {
        YK_TRY(yk_known_unknowns(f->m, all->count, f->root, err));
        for (int i = 0; i < all->count; i++)
            YK_TRY(yk_find_courses(f->l, f->m, &all->at[i], f->root[i], err));
    }
    if (f->l->affine) return YOKE_OK;
    return yk_find_curves(f->l, f->m, all->count, f->root, err);
}

/* first + k interval is computed as in the indicator of the event, so that it
 * is exactly zero there. */
double yk_next_sample(const yk_layout *l, double t)
{
    double next = INFINITY;

    for (int i = 0; i < l->samples; i++) {
        const double first = l->sample[i][0], interval = l->sample[i][1];
        double k = fmax(floor((t - first) / interval) - 1.0, 0.0);
        while (first + k * interval <= t) k += 1.0;
        next = fmin(next, first + k * interval);
    }
    return next;
}

yoke_status yk_find_breaks(yk_layout *l, yk_model *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_flat *flat = m->flat;
    finder f = { .l = l, .m = m, .nodes = m->pool.nodes };

    l->timeless = true;
    YK_GO(YK_INTS((size_t)m->relation.count, err, &f.plain, &f.bent, &f.held));
    YK_GO(YK_NEW(&f.seen, f.nodes, err));
    YK_GO(yk_ints(&f.degree, (size_t)f.nodes, err));
    YK_GO(yk_ints(&f.root, (size_t)m->equation.count + 1, err));
    YK_GO(yk_ints(&l->watch, (size_t)m->relation.rows + 1, err));
    YK_GO(look_at_all(&f, err));
    YK_GO(find_functions(&f, err));
    YK_GO(YK_NEW(&l->sample, flat->samples, err));
    for (int i = 0; i < flat->samples; i++) {
        l->sample[i][0] = flat->sample[i].first;
        l->sample[i][1] = flat->sample[i].interval;
    }
    l->samples = flat->samples;
done:
    YK_FREE(f.plain, f.bent, f.held, f.seen, f.degree, f.root);
    return status;
}
