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
 * Functions with kinks have the derivative of the branch that gives the value.
 */
#include "comp/equation/expr.h"

#include "expr/slopes.h"

#include <math.h>

/* A branch that is not taken may have no derivative there: what is zero by a
 * choice, c ? u : 0, is chosen after the product and not multiplied with it.
 * -1: a is no such choice. */
static int chosen(yk_pool *p, int op, int a, int b)
{
    const yk_node n = p->node[a];

    if (n.op != YK_OP_IF) return -1;
    if (yk_eq_expr_is_number(p, n.c, 0.0))
        return yk_eq_expr_choose(p, n.a, yk_eq_expr_binary(p, op, n.b, b), n.c);
    if (yk_eq_expr_is_number(p, n.b, 0.0))
        return yk_eq_expr_choose(p, n.a, n.b, yk_eq_expr_binary(p, op, n.c, b));
    return -1;
}

static int times(yk_pool *p, int a, int b)
{
    const int choice = chosen(p, YK_OP_MULTIPLY, a, b);

    return choice >= 0 ? choice : yk_eq_expr_binary(p, YK_OP_MULTIPLY, a, b);
}

static int plus(yk_pool *p, int a, int b)
{
    return yk_eq_expr_binary(p, YK_OP_ADD, a, b);
}

static int minus(yk_pool *p, int a, int b)
{
    return yk_eq_expr_binary(p, YK_OP_SUBTRACT, a, b);
}

static int over(yk_pool *p, int a, int b)
{
    const int choice = chosen(p, YK_OP_DIVIDE, a, b);

    return choice >= 0 ? choice : yk_eq_expr_binary(p, YK_OP_DIVIDE, a, b);
}

static int opposite(yk_pool *p, int a)
{
    const yk_node n = p->node[a];

    if (n.op == YK_OP_IF && (yk_eq_expr_is_number(p, n.b, 0.0) ||
                             yk_eq_expr_is_number(p, n.c, 0.0)))
        return yk_eq_expr_choose(p, n.a, yk_eq_expr_unary(p, YK_OP_NEGATE, n.b),
                                 yk_eq_expr_unary(p, YK_OP_NEGATE, n.c));
    return yk_eq_expr_unary(p, YK_OP_NEGATE, a);
}

static int number(yk_pool *p, double v)
{
    return yk_eq_expr_number(p, v);
}

/* ---- One operation (expr/slopes.h) --------------------------------------- */

#define ZERO            none
#define ONE             number(p, 1.0)
#define TWO             number(p, 2.0)
#define LOG_OF_10       number(p, log(10.0))
#define NEG(x)          opposite(p, x)
#define ADD(x, y)       plus(p, x, y)
#define SUB(x, y)       minus(p, x, y)
#define MUL(x, y)       times(p, x, y)
#define DIV(x, y)       over(p, x, y)
#define LESS(x, y)      yk_eq_expr_binary(p, YK_OP_LESS, x, y)
#define CHOOSE(c, x, y) yk_eq_expr_choose(p, c, x, y)
#define ABS(x)          yk_eq_expr_unary(p, YK_OP_ABS, x)
#define SQRT(x)         yk_eq_expr_unary(p, YK_OP_SQRT, x)
#define SIN(x)          yk_eq_expr_unary(p, YK_OP_SIN, x)
#define COS(x)          yk_eq_expr_unary(p, YK_OP_COS, x)
#define SINH(x)         yk_eq_expr_unary(p, YK_OP_SINH, x)
#define COSH(x)         yk_eq_expr_unary(p, YK_OP_COSH, x)
#define SAFE(x)         (x) /* models have no such division */
#define TIMES_POWER(b, a, less)                                                \
    times(p, b, yk_eq_expr_binary(p, YK_OP_POWER, a, less))
#define TIMES_LOG(v, a) times(p, v, yk_eq_expr_unary(p, YK_OP_LOG, a))

static bool moves(const yk_pool *p, int node)
{
    return node >= 0 && !yk_eq_expr_is_constant(p, node);
}

/* What node v with derivative `bar` hands to its children; zero: nothing. */
static void hand_down(yk_pool *p, int v, int bar, int part[3])
{
    const yk_node n = p->node[v];
    const int a = n.a, b = n.b, none = number(p, 0.0);

    part[0] = part[1] = part[2] = none;
    switch (n.op) {
#define SLOPES(name, da, db, dc)                                               \
    case YK_OP_##name:                                                         \
        if (moves(p, a)) part[0] = da;                                         \
        if (moves(p, b)) part[1] = db;                                         \
        if (moves(p, n.c)) part[2] = dc;                                       \
        break;
        YK_SLOPES(SLOPES)
#undef SLOPES
    case YK_OP_INTERPOLATE:
        part[0] =
            times(p, bar, yk_eq_expr_lookup(p, YK_OP_SLOPE, n.variable, a));
        break;
    default:
        break;
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
        if (bar[i] < 0 || yk_eq_expr_is_number(p, bar[i], 0.0)) continue;
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
            !yk_eq_expr_is_number(pool, bar[i], 0.0)) {
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
        return yk_eq_expr_refer(p, n.variable, n.order + 1, n.place);
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
        return yk_eq_expr_lookup(p, n.op, n.variable, a);
    if (n.op == YK_OP_IF)
        return yk_eq_expr_choose(p, a, b, own[p->mark[n.c] - 1]);
    return n.b < 0 ? yk_eq_expr_unary(p, n.op, a)
                   : yk_eq_expr_binary(p, n.op, a, b);
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
