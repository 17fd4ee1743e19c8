/* comp/equation/expr.c -- making and simplifying nodes. */
#include "comp/equation/expr.h"

#include <string.h>

enum { FIRST_BUCKETS = 256 };

/* ---- The table of nodes ------------------------------------------------- */

static unsigned long long mix(unsigned long long h, unsigned long long v)
{
    return (h ^ v) * 1099511628211ull; /* Fowler, Noll, Vo */
}

static unsigned long long hash(const yk_node *n)
{
    unsigned long long h = 14695981039346656037ull, bits;

    memcpy(&bits, &n->number, sizeof bits);
    h = mix(h, (unsigned)n->op);
    h = mix(h, (unsigned)n->a);
    h = mix(h, (unsigned)n->b);
    h = mix(h, (unsigned)n->c);
    h = mix(h, bits);
    h = mix(h, (unsigned)n->variable);
    h = mix(h, (unsigned)n->order);
    for (int k = 0; k <= YK_FLAT_LOOPS; k++) h = mix(h, (unsigned)n->place[k]);
    return h ^ (h >> 29);
}

static bool same(const yk_node *m, const yk_node *n)
{
    return m->op == n->op && m->a == n->a && m->b == n->b && m->c == n->c &&
           memcmp(&m->number, &n->number, sizeof m->number) == 0 &&
           m->variable == n->variable && m->order == n->order &&
           memcmp(m->place, n->place, sizeof m->place) == 0;
}

static void hang(yk_pool *pool, int at)
{
    const int k = (int)(hash(&pool->node[at]) % (unsigned)pool->buckets);

    pool->node[at].next = pool->bucket[k] - 1;
    pool->bucket[k] = at + 1;
}

static yoke_status more_buckets(yk_pool *pool)
{
    int *bucket = NULL;
    const int buckets = 2 * pool->buckets;

    YK_TRY(yk_ints(&bucket, (size_t)buckets, NULL));
    yk_free(pool->bucket);
    pool->bucket = bucket;
    pool->buckets = buckets;
    for (int i = 0; i < pool->nodes; i++) hang(pool, i);
    return YOKE_OK;
}

static yoke_status append(yk_pool *pool, const yk_node *node)
{
    const size_t need = (size_t)pool->nodes + 1, before = pool->mark_room;

    YK_TRY(YK_GROW(&pool->node, &pool->room, need, NULL));
    YK_TRY(YK_GROW(&pool->mark, &pool->mark_room, need, NULL));
    if (pool->mark_room > before)
        memset(pool->mark + before, 0,
               (pool->mark_room - before) * sizeof *pool->mark);
    if (pool->nodes >= pool->buckets) YK_TRY(more_buckets(pool));
    pool->node[pool->nodes++] = *node;
    hang(pool, pool->nodes - 1);
    return YOKE_OK;
}

static unsigned dependence(const yk_pool *pool, const yk_node *n)
{
    unsigned on = 0;

    if (n->a >= 0) on |= pool->node[n->a].on;
    if (n->b >= 0) on |= pool->node[n->b].on;
    if (n->c >= 0) on |= pool->node[n->c].on;
    if (n->op == YK_OP_TIME) on |= YK_ON_TIME;
    if (n->op == YK_OP_INDEX) on = YK_ON_LOOP;
    if (n->op == YK_OP_REFER || n->op == YK_OP_PRE || n->op == YK_OP_HELD) {
        if (pool->flat->variable[n->variable].kind != YK_FLAT_TABLE)
            on |= YK_ON_VALUES;
        for (int k = 1; k <= YK_FLAT_LOOPS; k++)
            if (n->place[k] != 0) on |= YK_ON_LOOP;
    }
    return on;
}

static int intern(yk_pool *pool, yk_node n)
{
    const int k = (int)(hash(&n) % (unsigned)pool->buckets);

    for (int i = pool->bucket[k] - 1; i >= 0; i = pool->node[i].next)
        if (same(&pool->node[i], &n)) return i;
    n.on = dependence(pool, &n);
    const yoke_status status = append(pool, &n);
    if (status == YOKE_OK) return pool->nodes - 1;
    pool->status = status;
    return 0;
}

static const yk_node blank = { .a = -1, .b = -1, .c = -1, .variable = -1 };

yoke_status yk_pool_create(yk_pool *pool, const yk_flat *flat, yoke_err *err)
{
    *pool = (yk_pool){ .flat = flat, .buckets = FIRST_BUCKETS };
    YK_TRY(yk_ints(&pool->bucket, FIRST_BUCKETS, err));
    yk_eq_expr_number(pool, 0.0); /* node 0, what failed calls return */
    return yk_pool_status(pool, err);
}

void yk_pool_free(yk_pool *pool)
{
    YK_FREE(pool->node, pool->bucket, pool->mark);
    *pool = (yk_pool){ 0 };
}

yoke_status yk_pool_status(const yk_pool *pool, yoke_err *err)
{
    if (pool->status == YOKE_OK) return YOKE_OK;
    return yk_fail(err, pool->status, "no memory for %d expressions",
                   pool->nodes);
}

/* ---- Nodes -------------------------------------------------------------- */

int yk_eq_expr_number(yk_pool *pool, double value)
{
    yk_node n = blank;

    n.op = YK_OP_NUMBER;
    n.number = value;
    return intern(pool, n);
}

static bool number_of(const yk_pool *pool, int node, double *value)
{
    *value = pool->node[node].number;
    return pool->node[node].op == YK_OP_NUMBER;
}

bool yk_eq_expr_is_number(const yk_pool *pool, int node, double value)
{
    double v;
    return number_of(pool, node, &v) && v == value;
}

bool yk_eq_expr_is_constant(const yk_pool *pool, int node)
{
    return (pool->node[node].on & (YK_ON_VALUES | YK_ON_TIME)) == 0;
}

static int plain(yk_pool *pool, int op, int a, int b, int c)
{
    yk_node n = blank;

    n.op = op;
    n.a = a;
    n.b = b;
    n.c = c;
    return intern(pool, n);
}

int yk_eq_expr_unary(yk_pool *pool, int op, int a)
{
    double v;

    if (number_of(pool, a, &v))
        return yk_eq_expr_number(pool, yk_op_value((yk_op)op, v, 0.0, 0.0));
    if (op == YK_OP_NEGATE && pool->node[a].op == YK_OP_NEGATE)
        return pool->node[a].a;
    return plain(pool, op, a, -1, -1);
}

/* a + b; a + (-b) = a - b holds to the last bit. */
static int add(yk_pool *pool, int a, int b)
{
    if (yk_eq_expr_is_number(pool, a, 0.0)) return b;
    if (yk_eq_expr_is_number(pool, b, 0.0)) return a;
    if (pool->node[b].op == YK_OP_NEGATE)
        return yk_eq_expr_binary(pool, YK_OP_SUBTRACT, a, pool->node[b].a);
    if (pool->node[a].op == YK_OP_NEGATE)
        return yk_eq_expr_binary(pool, YK_OP_SUBTRACT, b, pool->node[a].a);
    return a < b ? plain(pool, YK_OP_ADD, a, b, -1)
                 : plain(pool, YK_OP_ADD, b, a, -1);
}

static int subtract(yk_pool *pool, int a, int b)
{
    if (a == b) return yk_eq_expr_number(pool, 0.0);
    if (yk_eq_expr_is_number(pool, b, 0.0)) return a;
    if (yk_eq_expr_is_number(pool, a, 0.0))
        return yk_eq_expr_unary(pool, YK_OP_NEGATE, b);
    if (pool->node[b].op == YK_OP_NEGATE)
        return yk_eq_expr_binary(pool, YK_OP_ADD, a, pool->node[b].a);
    return plain(pool, YK_OP_SUBTRACT, a, b, -1);
}

static int multiply(yk_pool *pool, int a, int b)
{
    if (yk_eq_expr_is_number(pool, a, 0.0) ||
        yk_eq_expr_is_number(pool, b, 0.0))
        return yk_eq_expr_number(pool, 0.0);
    if (yk_eq_expr_is_number(pool, a, 1.0)) return b;
    if (yk_eq_expr_is_number(pool, b, 1.0)) return a;
    if (yk_eq_expr_is_number(pool, a, -1.0))
        return yk_eq_expr_unary(pool, YK_OP_NEGATE, b);
    if (yk_eq_expr_is_number(pool, b, -1.0))
        return yk_eq_expr_unary(pool, YK_OP_NEGATE, a);
    if (pool->node[a].op == YK_OP_NEGATE)
        return yk_eq_expr_unary(
            pool, YK_OP_NEGATE,
            yk_eq_expr_binary(pool, YK_OP_MULTIPLY, pool->node[a].a, b));
    if (pool->node[b].op == YK_OP_NEGATE)
        return yk_eq_expr_unary(
            pool, YK_OP_NEGATE,
            yk_eq_expr_binary(pool, YK_OP_MULTIPLY, a, pool->node[b].a));
    return a < b ? plain(pool, YK_OP_MULTIPLY, a, b, -1)
                 : plain(pool, YK_OP_MULTIPLY, b, a, -1);
}

static int divide(yk_pool *pool, int a, int b)
{
    if (yk_eq_expr_is_number(pool, b, 1.0)) return a;
    if (yk_eq_expr_is_number(pool, b, -1.0))
        return yk_eq_expr_unary(pool, YK_OP_NEGATE, a);
    if (yk_eq_expr_is_number(pool, a, 0.0)) return a;
    return plain(pool, YK_OP_DIVIDE, a, b, -1);
}

/* Small whole powers become products: faster, and exact derivatives. */
static int power(yk_pool *pool, int a, int b)
{
    if (yk_eq_expr_is_number(pool, b, 0.0)) return yk_eq_expr_number(pool, 1.0);
    if (yk_eq_expr_is_number(pool, b, 1.0)) return a;
    if (yk_eq_expr_is_number(pool, b, 2.0)) return multiply(pool, a, a);
    if (yk_eq_expr_is_number(pool, b, 3.0))
        return multiply(pool, multiply(pool, a, a), a);
    if (yk_eq_expr_is_number(pool, b, 4.0)) {
        const int square = multiply(pool, a, a);
        return multiply(pool, square, square);
    }
    if (yk_eq_expr_is_number(pool, b, 0.5))
        return yk_eq_expr_unary(pool, YK_OP_SQRT, a);
    if (yk_eq_expr_is_number(pool, b, -1.0))
        return divide(pool, yk_eq_expr_number(pool, 1.0), a);
    return plain(pool, YK_OP_POWER, a, b, -1);
}

int yk_eq_expr_binary(yk_pool *pool, int op, int a, int b)
{
    double u, v;

    if (number_of(pool, a, &u) && number_of(pool, b, &v))
        return yk_eq_expr_number(pool, yk_op_value((yk_op)op, u, v, 0.0));
    switch (op) {
    case YK_OP_ADD:
        return add(pool, a, b);
    case YK_OP_SUBTRACT:
        return subtract(pool, a, b);
    case YK_OP_MULTIPLY:
        return multiply(pool, a, b);
    case YK_OP_DIVIDE:
        return divide(pool, a, b);
    case YK_OP_POWER:
        return power(pool, a, b);
    default:
        return plain(pool, op, a, b, -1);
    }
}

int yk_eq_expr_choose(yk_pool *pool, int condition, int a, int b)
{
    double v;

    if (a == b) return a;
    if (number_of(pool, condition, &v)) return v > 0.5 ? a : b;
    return plain(pool, YK_OP_IF, condition, a, b);
}

int yk_eq_expr_refer(yk_pool *pool, int variable, int order, const int *place)
{
    const yk_flat_variable *v = &pool->flat->variable[variable];
    yk_node n = blank;
    bool loop = false;

    if (order > 0 && v->rate > 0)
        return yk_eq_expr_refer(pool, v->rate - 1, order - 1, place);
    for (int k = 1; k <= YK_FLAT_LOOPS; k++) loop = loop || place[k] != 0;
    if (v->kind == YK_FLAT_TABLE) {
        if (order > 0) return yk_eq_expr_number(pool, 0.0);
        if (!loop && place[0] >= 0 && place[0] < v->count)
            return yk_eq_expr_number(pool, v->value[place[0]]);
    }
    n.op = v->kind == YK_FLAT_HELD ? YK_OP_HELD : YK_OP_REFER;
    n.variable = variable;
    n.order = order;
    memcpy(n.place, place, sizeof n.place);
    return intern(pool, n);
}

int yk_eq_expr_lookup(yk_pool *pool, int op, int variable, int a)
{
    const yk_flat_variable *v = &pool->flat->variable[variable];
    yk_node n = blank;
    double x;

    if (number_of(pool, a, &x))
        return yk_eq_expr_number(
            pool, op == YK_OP_SLOPE
                      ? yk_slope(v->value, v->count / 2, x)
                      : yk_interpolate(v->value, v->count / 2, x));
    n.op = op;
    n.a = a;
    n.variable = variable;
    return intern(pool, n);
}

/* ---- From the flat model ------------------------------------------------ */

static int import_before(yk_pool *pool, const yk_flat_node *n)
{
    yk_node own = blank;

    if (pool->flat->variable[n->variable].kind == YK_FLAT_TABLE)
        return yk_eq_expr_refer(pool, n->variable, 0, n->place);
    own.op = YK_OP_PRE;
    own.variable = n->variable;
    memcpy(own.place, n->place, sizeof own.place);
    return intern(pool, own);
}

/* One of two branches, or the function itself while none is held. */
static int branch(yk_pool *pool, int held, int yes, int no, int free)
{
    const int low = yk_eq_expr_number(pool, 0.25);
    const int high = yk_eq_expr_number(pool, 0.75);

    return yk_eq_expr_choose(
        pool, yk_eq_expr_binary(pool, YK_OP_LESS, high, held), yes,
        yk_eq_expr_choose(pool, yk_eq_expr_binary(pool, YK_OP_LESS, held, low),
                          no, free));
}

/* The line of a table through the point c, which is held. */
static int line_at(yk_pool *pool, int variable, int c, int x, int free)
{
    const int at = yk_eq_expr_lookup(pool, YK_OP_INTERPOLATE, variable, c);
    const int slope = yk_eq_expr_lookup(pool, YK_OP_SLOPE, variable, c);
    const int off = yk_eq_expr_binary(pool, YK_OP_SUBTRACT, x, c);
    const int line =
        yk_eq_expr_binary(pool, YK_OP_ADD, at,
                          yk_eq_expr_binary(pool, YK_OP_MULTIPLY, slope, off));
    const int most = yk_eq_expr_number(pool, 0.1 * YK_FREE_PLACE);

    return yk_eq_expr_choose(pool, yk_eq_expr_binary(pool, YK_OP_LESS, c, most),
                             line, free);
}

/* HOLD of node n: what is not worth an event is what it is. */
static int import_held(yk_pool *pool, const yk_flat_node *hold, const int *map)
{
    const yk_flat_node *n = &pool->flat->node[hold->a];
    const int free = map[hold->a];

    if (hold->b < 0 || pool->flat->node[hold->b].op != YK_OP_REFER ||
        hold->place[0] == YK_WATCHED)
        return free;
    const int held = map[hold->b];
    if (n->op == YK_OP_INTERPOLATE)
        return line_at(pool, n->variable, held, map[n->a], free);
    const int other = n->op == YK_OP_ABS
                          ? yk_eq_expr_unary(pool, YK_OP_NEGATE, map[n->a])
                          : map[n->b];
    return branch(pool, held, map[n->a], other, free);
}

/* der(expression) */
static int import_rate(yk_pool *pool, int node)
{
    int rate = 0;
    const yoke_status status = yk_time_derivative(pool, node, &rate, NULL);

    if (status == YOKE_OK) return rate;
    if (pool->status == YOKE_OK) pool->status = status;
    return node;
}

static int import_one(yk_pool *pool, const yk_flat_node *n, bool before,
                      const int *map)
{
    yk_node own = blank;
    const int op = (int)n->op;

    switch (n->op) {
    case YK_OP_NUMBER:
        return yk_eq_expr_number(pool, n->number);
    case YK_OP_TIME:
        own.op = op;
        return intern(pool, own);
    case YK_OP_INDEX:
        own.op = op;
        own.variable = n->a; /* which loop: no child */
        return intern(pool, own);
    case YK_OP_PRE:
        if (before) return import_before(pool, n);
        return yk_eq_expr_refer(pool, n->variable, 0, n->place);
    case YK_OP_REFER:
        return yk_eq_expr_refer(pool, n->variable, 0, n->place);
    case YK_OP_DER:
        if (n->a >= 0) return import_rate(pool, map[n->a]);
        return yk_eq_expr_refer(pool, n->variable, 1, n->place);
    case YK_OP_HOLD:
        return import_held(pool, n, map);
    case YK_OP_INTERPOLATE:
        return yk_eq_expr_lookup(pool, op, n->variable, map[n->a]);
    case YK_OP_IF:
        return yk_eq_expr_choose(pool, map[n->a], map[n->b], map[n->c]);
    default:
        return n->b >= 0 ? yk_eq_expr_binary(pool, op, map[n->a], map[n->b])
                         : yk_eq_expr_unary(pool, op, map[n->a]);
    }
}

void yk_import(yk_pool *pool, bool before, int *map)
{
    for (int i = 0; i < pool->flat->nodes; i++)
        map[i] = import_one(pool, &pool->flat->node[i], before, map);
}

/* ---- Which nodes are needed --------------------------------------------- */

/* Depth first, a node after its children: a value is computed shortly before
 * it is used, which keeps registers few in sums of thousands of terms. */
typedef struct collected {
    int *list, count;
    int *path, depth; /* nodes entered and not left */
    int *child;       /* the next child of each to look at */
    size_t list_room, path_room, child_room;
} collected;

static yoke_status enter(yk_pool *pool, collected *out, int node, yoke_err *err)
{
    const size_t need = (size_t)out->depth + 1;

    if (node < 0 || pool->mark[node]) return YOKE_OK;
    YK_TRY(YK_GROW(&out->path, &out->path_room, need, err));
    YK_TRY(YK_GROW(&out->child, &out->child_room, need, err));
    /* Room for leaving it, so that what is marked is found again. */
    YK_TRY(
        YK_GROW(&out->list, &out->list_room, (size_t)out->count + need, err));
    pool->mark[node] = 1;
    out->path[out->depth] = node;
    out->child[out->depth++] = 0;
    return YOKE_OK;
}

static yoke_status descend(yk_pool *pool, collected *out, yoke_err *err)
{
    while (out->depth > 0) {
        const yk_node *n = &pool->node[out->path[out->depth - 1]];
        const int child[3] = { n->a, n->b, n->c };
        const int k = out->child[out->depth - 1]++;
        if (k < 3)
            YK_TRY(enter(pool, out, child[k], err));
        else
            out->list[out->count++] = out->path[--out->depth];
    }
    return YOKE_OK;
}

yoke_status yk_reach(yk_pool *pool, int count, const int *root, int **list,
                     int *length, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    collected out = { 0 };

    YK_GO(yk_pool_status(pool, err));
    for (int i = 0; i < count; i++) {
        YK_GO(enter(pool, &out, root[i], err));
        YK_GO(descend(pool, &out, err));
    }
done:
    for (int i = 0; i < out.count; i++) pool->mark[out.list[i]] = 0;
    for (int i = 0; i < out.depth; i++) pool->mark[out.path[i]] = 0;
    YK_FREE(out.path, out.child);
    if (status == YOKE_OK) {
        *list = out.list;
        *length = out.count;
    } else
        yk_free(out.list);
    return status;
}
