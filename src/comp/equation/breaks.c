/* comp/equation/breaks.c -- times at which a model is not smooth in time.
 *
 * Conditions, abs, sign, min and max whose argument is affine in time and
 * depends on nothing else change at one known time; so does a table of time at
 * its rows.  They become breakpoints, which no step crosses.
 */
#include "comp/equation/layout.h"

#include <math.h>
#include <stdlib.h>

typedef struct finder {
    yk_layout *l;
    yk_model *m;
    size_t room;
    int *degree; /* of each node that was met: time_degree */
} finder;

static yoke_status add_break(finder *f, double t, yoke_err *err)
{
    if (!isfinite(t)) return YOKE_OK;
    YK_TRY(yk_grow((void **)&f->l->brk, &f->room, (size_t)f->l->breaks + 1,
                   sizeof *f->l->brk, err));
    f->l->brk[f->l->breaks++] = t;
    return YOKE_OK;
}

/* Depends on time and loop indices only. */
static bool timed(const yk_pool *p, int node)
{
    return (p->node[node].on & (YK_ON_VALUES | YK_ON_TIME)) == YK_ON_TIME;
}

/* Where an argument that is affine in time passes zero, for all instances.
 * Affine is checked with a third value. */
static yoke_status add_roots(finder *f, const yk_template *t, int argument,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *at[3] = { NULL, NULL, NULL };
    const double time[3] = { 0.0, 1.0, 3.0 };

    if (!timed(&f->m->pool, argument)) return YOKE_OK;
    for (int k = 0; k < 3; k++) {
        YK_GO(yk_doubles(&at[k], (size_t)t->instances, err));
        YK_GO(yk_evaluate(f->m, t, 1, &argument, time[k], f->l->w, at[k], err));
    }
    for (int i = 0; i < t->instances; i++) {
        const double slope = at[1][i] - at[0][i];
        const double guess = at[0][i] + 3.0 * slope;
        if (slope == 0.0 ||
            fabs(guess - at[2][i]) > 1e-12 * (fabs(guess) + fabs(at[0][i])))
            continue;
        YK_GO(add_break(f, -at[0][i] / slope, err));
    }
done:
    for (int k = 0; k < 3; k++) yk_free(at[k]);
    return status;
}

static yoke_status add_rows(finder *f, const yk_node *n, yoke_err *err)
{
    const yk_flat_variable *table = &f->m->flat->variable[n->variable];

    if (f->m->pool.node[n->a].op != YK_OP_TIME) return YOKE_OK;
    for (int r = 0; r < table->count / 2; r++)
        YK_TRY(add_break(f, table->value[2 * r], err));
    return YOKE_OK;
}

static yoke_status look_at(finder *f, const yk_template *t, int node,
                           yoke_err *err)
{
    yk_pool *p = &f->m->pool;
    const yk_node n = p->node[node];

    switch (n.op) {
    case YK_OP_LESS:
    case YK_OP_LESS_EQUAL:
    case YK_OP_MIN:
    case YK_OP_MAX:
        /* Exact for the common `time < number`. */
        if (p->node[n.a].op == YK_OP_TIME && p->node[n.b].op == YK_OP_NUMBER)
            return add_break(f, p->node[n.b].number, err);
        if (p->node[n.b].op == YK_OP_TIME && p->node[n.a].op == YK_OP_NUMBER)
            return add_break(f, p->node[n.a].number, err);
        return add_roots(f, t, yk_expr_binary(p, YK_OP_SUBTRACT, n.a, n.b),
                         err);
    case YK_OP_ABS:
    case YK_OP_SIGN:
        return add_roots(f, t, n.a, err);
    case YK_OP_INTERPOLATE:
        return add_rows(f, &n, err);
    default:
        return YOKE_OK;
    }
}

/* How time enters a node between the breaks: 0 not at all, 1 along a straight
 * line, 2 in another way.  The lines of a table of anything but `time` itself
 * have no breaks at its rows. */
static int time_degree(const yk_pool *p, const int *degree, int node)
{
    const yk_node *n = &p->node[node];
    const int a = n->a >= 0 ? degree[n->a] : 0;
    const int b = n->b >= 0 ? degree[n->b] : 0;
    const int c = n->c >= 0 ? degree[n->c] : 0;

    switch (n->op) {
    case YK_OP_NUMBER:
    case YK_OP_INDEX:
    case YK_OP_REFER:
    case YK_OP_DER:
    case YK_OP_PRE:
        return 0;
    case YK_OP_TIME:
        return 1;
    case YK_OP_NEGATE:
        return a;
    case YK_OP_ADD:
    case YK_OP_SUBTRACT:
        return a > b ? a : b;
    case YK_OP_MULTIPLY:
        return a + b > 2 ? 2 : a + b;
    case YK_OP_DIVIDE:
        return b == 0 ? a : 2;
    case YK_OP_IF:
        return a > 1 ? 2 : b > c ? b : c;
    case YK_OP_INTERPOLATE:
        return p->node[n->a].op == YK_OP_TIME ? 1 : a > 0 ? 2 : 0;
    case YK_OP_MIN:
    case YK_OP_MAX:
        return a > b ? a : b;
    case YK_OP_ABS:
        return a;
    case YK_OP_LESS:
    case YK_OP_LESS_EQUAL:
        return a > 1 || b > 1 ? 2 : 0;
    case YK_OP_SIGN:
        return a > 1 ? 2 : 0;
    default:
        return a > 0 || b > 0 || c > 0 ? 2 : 0;
    }
}

static yoke_status look_through(finder *f, const yk_template *t, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *list = NULL, length = 0;

    YK_TRY(yk_reach(&f->m->pool, 1, &t->residual, &list, &length, err));
    for (int i = 0; i < length; i++) {
        f->degree[list[i]] = time_degree(&f->m->pool, f->degree, list[i]);
        YK_GO(look_at(f, t, list[i], err));
    }
    if (f->degree[t->residual] > 1) f->l->timeless = false;
done:
    yk_free(list);
    return status;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Events at a given time; those with actions fire there by their indicator. */
static yoke_status add_events(finder *f, yoke_err *err)
{
    const yk_flat *flat = f->m->flat;

    YK_TRY(YK_NEW(&f->l->sample, flat->events, err));
    for (int i = 0; i < flat->events; i++) {
        const yk_flat_event *e = &flat->event[i];
        if (e->interval > 0.0) {
            f->l->sample[f->l->samples][0] = e->first;
            f->l->sample[f->l->samples++][1] = e->interval;
        }
        if (flat->node[e->left].op == YK_OP_TIME &&
            flat->node[e->right].op == YK_OP_NUMBER)
            YK_TRY(add_break(f, flat->node[e->right].number, err));
    }
    return YOKE_OK;
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

static void sort_breaks(yk_layout *l)
{
    int kept = 0;

    if (l->breaks > 1)
        qsort(l->brk, (size_t)l->breaks, sizeof *l->brk, by_size);
    for (int i = 0; i < l->breaks; i++)
        if (kept == 0 || l->brk[i] > l->brk[kept - 1])
            l->brk[kept++] = l->brk[i];
    l->breaks = kept;
}

yoke_status yk_find_breaks(yk_layout *l, yk_model *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    finder f = { .l = l, .m = m };

    l->timeless = true;
    YK_TRY(yk_ints(&f.degree, (size_t)m->pool.nodes + 1, err));
    for (int i = 0; i < m->equation.count; i++)
        YK_GO(look_through(&f, &m->equation.at[i], err));
    YK_GO(add_events(&f, err));
    sort_breaks(l);
done:
    yk_free(f.degree);
    return status;
}
