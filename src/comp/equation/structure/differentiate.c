/* comp/equation/structure/differentiate.c -- symbolic derivatives.
 *
 * The gradient is found backwards: with bar(root) = 1 each node adds
 *
 *     bar(child) += bar(node) d node / d child
 *
 * to its children, each node before its children.  One sweep gives the
 * derivatives by all references, in a number of nodes proportional to that of
 * the expression (Griewank and Walther, Evaluating Derivatives, 2nd ed., ch.
 * 3), however many references a sum has.
 *
 * Functions with kinks are differentiated piecewise: abs' = sign, sign' =
 * floor' = 0, of min and max the derivative of the smaller or larger one.
 */
#include "comp/equation/expr.h"

#include <math.h>

/* A branch that is not taken may have no derivative there: what is zero by a
 * choice, c ? u : 0, is chosen after the product and not multiplied with it.
 * -1: a is no such choice. */
static int chosen(yk_pool *p, int op, int a, int b)
{
    const yk_node n = p->node[a];

    if (n.op != YK_OP_IF) return -1;
    if (yk_expr_is_number(p, n.c, 0.0))
        return yk_expr_choose(p, n.a, yk_expr_binary(p, op, n.b, b), n.c);
    if (yk_expr_is_number(p, n.b, 0.0))
        return yk_expr_choose(p, n.a, n.b, yk_expr_binary(p, op, n.c, b));
    return -1;
}

static int times(yk_pool *p, int a, int b)
{
    const int choice = chosen(p, YK_OP_MULTIPLY, a, b);

    return choice >= 0 ? choice : yk_expr_binary(p, YK_OP_MULTIPLY, a, b);
}

static int plus(yk_pool *p, int a, int b)
{
    return yk_expr_binary(p, YK_OP_ADD, a, b);
}

static int minus(yk_pool *p, int a, int b)
{
    return yk_expr_binary(p, YK_OP_SUBTRACT, a, b);
}

static int over(yk_pool *p, int a, int b)
{
    const int choice = chosen(p, YK_OP_DIVIDE, a, b);

    return choice >= 0 ? choice : yk_expr_binary(p, YK_OP_DIVIDE, a, b);
}

static int opposite(yk_pool *p, int a)
{
    const yk_node n = p->node[a];

    if (n.op == YK_OP_IF &&
        (yk_expr_is_number(p, n.b, 0.0) || yk_expr_is_number(p, n.c, 0.0)))
        return yk_expr_choose(p, n.a, yk_expr_unary(p, YK_OP_NEGATE, n.b),
                              yk_expr_unary(p, YK_OP_NEGATE, n.c));
    return yk_expr_unary(p, YK_OP_NEGATE, a);
}

static int number(yk_pool *p, double v)
{
    return yk_expr_number(p, v);
}

/* bar f'(a) for the functions of one argument; `node` is f(a). */
static int chain_trigonometric(yk_pool *p, int bar, int op, int a, int node)
{
    const int one = number(p, 1.0), square = times(p, a, a);

    switch (op) {
    case YK_OP_SIN:
        return times(p, bar, yk_expr_unary(p, YK_OP_COS, a));
    case YK_OP_COS:
        return yk_expr_unary(p, YK_OP_NEGATE,
                             times(p, bar, yk_expr_unary(p, YK_OP_SIN, a)));
    case YK_OP_TAN:
        return times(p, bar, plus(p, one, times(p, node, node)));
    case YK_OP_ASIN:
        return over(p, bar,
                    yk_expr_unary(p, YK_OP_SQRT, minus(p, one, square)));
    case YK_OP_ACOS:
        return yk_expr_unary(
            p, YK_OP_NEGATE,
            over(p, bar, yk_expr_unary(p, YK_OP_SQRT, minus(p, one, square))));
    case YK_OP_ATAN:
        return over(p, bar, plus(p, one, square));
    case YK_OP_SINH:
        return times(p, bar, yk_expr_unary(p, YK_OP_COSH, a));
    case YK_OP_COSH:
        return times(p, bar, yk_expr_unary(p, YK_OP_SINH, a));
    case YK_OP_TANH:
        return times(p, bar, minus(p, one, times(p, node, node)));
    default:
        return number(p, 0.0); /* floor, ceil, sign, not */
    }
}

static int chain(yk_pool *p, int bar, int op, int a, int node)
{
    switch (op) {
    case YK_OP_NEGATE:
        return opposite(p, bar);
    case YK_OP_ABS:
        return times(p, bar, yk_expr_unary(p, YK_OP_SIGN, a));
    case YK_OP_SQRT:
        return over(p, bar, times(p, number(p, 2.0), node));
    case YK_OP_EXP:
        return times(p, bar, node);
    case YK_OP_LOG:
        return over(p, bar, a);
    case YK_OP_LOG10:
        return over(p, bar, times(p, number(p, log(10.0)), a));
    default:
        return chain_trigonometric(p, bar, op, a, node);
    }
}

/* bar times the derivatives of a^b. */
static void chain_power(yk_pool *p, int bar, int a, int b, int node, int *da,
                        int *db)
{
    const int less = minus(p, b, number(p, 1.0));

    *da = times(p, bar, times(p, b, yk_expr_binary(p, YK_OP_POWER, a, less)));
    if (!yk_expr_is_constant(p, b))
        *db = times(p, bar, times(p, node, yk_expr_unary(p, YK_OP_LOG, a)));
}

/* What node n with derivative `bar` hands to its children; zero or -1: nothing.
 */
static void hand_down(yk_pool *p, int at, int bar, int part[3])
{
    const yk_node n = p->node[at];
    const int a = n.a, b = n.b, none = number(p, 0.0);

    part[0] = part[1] = part[2] = none;
    switch (n.op) {
    case YK_OP_ADD:
        part[0] = part[1] = bar;
        return;
    case YK_OP_SUBTRACT:
        part[0] = bar;
        part[1] = opposite(p, bar);
        return;
    case YK_OP_MULTIPLY:
        part[0] = times(p, bar, b);
        part[1] = times(p, bar, a);
        return;
    case YK_OP_DIVIDE:
        part[0] = over(p, bar, b);
        part[1] = opposite(p, times(p, part[0], at));
        return;
    case YK_OP_POWER:
        chain_power(p, bar, a, b, at, &part[0], &part[1]);
        return;
    case YK_OP_IF:
        part[1] = yk_expr_choose(p, a, bar, none);
        part[2] = yk_expr_choose(p, a, none, bar);
        return;
    case YK_OP_MIN:
    case YK_OP_MAX: {
        const int first = n.op == YK_OP_MIN
                              ? yk_expr_binary(p, YK_OP_LESS, a, b)
                              : yk_expr_binary(p, YK_OP_LESS, b, a);
        part[0] = yk_expr_choose(p, first, bar, none);
        part[1] = yk_expr_choose(p, first, none, bar);
        return;
    }
    case YK_OP_ATAN2: {
        const int r = plus(p, times(p, a, a), times(p, b, b));
        part[0] = over(p, times(p, bar, b), r);
        part[1] = yk_expr_unary(p, YK_OP_NEGATE, over(p, times(p, bar, a), r));
        return;
    }
    case YK_OP_INTERPOLATE:
        part[0] = times(p, bar, yk_expr_lookup(p, YK_OP_SLOPE, n.variable, a));
        return;
    default:
        if (a >= 0 && b < 0 && n.op != YK_OP_SLOPE)
            part[0] = chain(p, bar, n.op, a, at);
    }
}

/* The place of each node of list, counted from one, in pool->mark. */
static void number_list(yk_pool *p, const int *list, int count)
{
    for (int i = 0; i < count; i++) p->mark[list[i]] = i + 1;
}

static void forget_list(yk_pool *p, const int *list, int count)
{
    for (int i = 0; i < count; i++) p->mark[list[i]] = 0;
}

static void receive(yk_pool *p, int *bar, int child, int part)
{
    if (child < 0 || !(p->node[child].on & YK_ON_VALUES)) return;
    int *own = &bar[p->mark[child] - 1];
    *own = *own < 0 ? part : plus(p, *own, part);
}

static void sweep_back(yk_pool *p, const int *list, int count, int *bar)
{
    for (int i = count - 1; i >= 0; i--) {
        int part[3];
        const int at = list[i];
        if (bar[i] < 0 || yk_expr_is_number(p, bar[i], 0.0)) continue;
        if (!(p->node[at].on & YK_ON_VALUES)) continue;
        hand_down(p, at, bar[i], part);
        receive(p, bar, p->node[at].a, part[0]);
        receive(p, bar, p->node[at].b, part[1]);
        receive(p, bar, p->node[at].c, part[2]);
    }
}

static bool is_reference(const yk_pool *p, int node)
{
    return p->node[node].op == YK_OP_REFER &&
           (p->node[node].on & YK_ON_VALUES) != 0;
}

yoke_status yk_gradient(yk_pool *pool, int root, int **refer, int **slope,
                        int *count, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *list = NULL, *bar = NULL, *r = NULL, *s = NULL, length = 0, found = 0;

    YK_TRY(yk_reach(pool, 1, &root, &list, &length, err));
    YK_GO(yk_ints(&bar, (size_t)length, err));
    for (int i = 0; i < length; i++) {
        bar[i] = -1;
        found += is_reference(pool, list[i]);
    }
    YK_GO(YK_INTS((size_t)found, err, &r, &s));
    bar[length - 1] = number(pool, 1.0); /* the root is the last */
    number_list(pool, list, length);
    sweep_back(pool, list, length, bar);
    forget_list(pool, list, length);
    *count = 0;
    for (int i = 0; i < length; i++)
        if (is_reference(pool, list[i]) && bar[i] >= 0 &&
            !yk_expr_is_number(pool, bar[i], 0.0)) {
            r[*count] = list[i];
            s[(*count)++] = bar[i];
        }
    YK_GO(yk_pool_status(pool, err));
    *refer = r;
    *slope = s;
    r = s = NULL;
done:
    YK_FREE(list, bar, r, s);
    return status;
}

/* ---- Along the motion --------------------------------------------------- */

static int rate_of_one(yk_pool *p, int at, const int *rate)
{
    const yk_node n = p->node[at];
    int part[3];

    if (n.op == YK_OP_TIME) return number(p, 1.0);
    if (is_reference(p, at))
        return yk_expr_refer(p, n.variable, n.order + 1, n.place);
    if (!(n.on & (YK_ON_VALUES | YK_ON_TIME))) return number(p, 0.0);
    hand_down(p, at, number(p, 1.0), part);
    int sum = number(p, 0.0);
    const int child[3] = { n.a, n.b, n.c };
    for (int k = 0; k < 3; k++)
        if (child[k] >= 0)
            sum = plus(p, sum, times(p, part[k], rate[p->mark[child[k]] - 1]));
    return sum;
}

yoke_status yk_time_derivative(yk_pool *pool, int root, int *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *list = NULL, *rate = NULL, length = 0;

    YK_TRY(yk_reach(pool, 1, &root, &list, &length, err));
    YK_GO(yk_ints(&rate, (size_t)length, err));
    number_list(pool, list, length);
    for (int i = 0; i < length; i++) rate[i] = rate_of_one(pool, list[i], rate);
    forget_list(pool, list, length);
    YK_GO(yk_pool_status(pool, err));
    *out = rate[length - 1];
done:
    YK_FREE(list, rate);
    return status;
}

/* ---- Replacing references ----------------------------------------------- */

static int rebuild(yk_pool *p, int at, const int *own)
{
    const yk_node n = p->node[at];
    const int a = n.a < 0 ? -1 : own[p->mark[n.a] - 1];
    const int b = n.b < 0 ? -1 : own[p->mark[n.b] - 1];

    if (n.a < 0) return at;
    if (n.op == YK_OP_INTERPOLATE || n.op == YK_OP_SLOPE)
        return yk_expr_lookup(p, n.op, n.variable, a);
    if (n.op == YK_OP_IF) return yk_expr_choose(p, a, b, own[p->mark[n.c] - 1]);
    return n.b < 0 ? yk_expr_unary(p, n.op, a) : yk_expr_binary(p, n.op, a, b);
}

yoke_status yk_replace(yk_pool *pool, int root, int count, const int *from,
                       const int *to, int *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *list = NULL, *own = NULL, length = 0;

    YK_TRY(yk_reach(pool, 1, &root, &list, &length, err));
    YK_GO(yk_ints(&own, (size_t)length, err));
    number_list(pool, list, length);
    for (int i = 0; i < length; i++) {
        own[i] = rebuild(pool, list[i], own);
        const int op = pool->node[list[i]].op;
        for (int k = 0; (op == YK_OP_REFER || op == YK_OP_HELD) && k < count;
             k++)
            if (from[k] == list[i]) own[i] = to[k];
    }
    forget_list(pool, list, length);
    YK_GO(yk_pool_status(pool, err));
    *out = own[length - 1];
done:
    YK_FREE(list, own);
    return status;
}

yoke_status yk_without(yk_pool *pool, int root, int count, const int *refer,
                       int *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *zero = NULL;

    YK_TRY(yk_ints(&zero, (size_t)count, err));
    for (int k = 0; k < count; k++) zero[k] = number(pool, 0.0);
    status = yk_replace(pool, root, count, refer, zero, out, err);
    yk_free(zero);
    return status;
}
