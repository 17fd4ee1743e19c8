/* comp/equation/expr.h -- expressions as a graph without repetitions.
 *
 * Equal expressions are one node (hash consing), so common subexpressions of an
 * equation and of all its derivatives are computed once.  Children have smaller
 * numbers than their parents: every pass is a sweep over an array.
 *
 * Making a node simplifies it (0 + a, 1 a, numbers with numbers) with the same
 * functions the interpreter calls (expr/op.h).  Failing memory is remembered in the pool;
 * the numbers returned are valid all the same.  Ask yk_pool_status at the end.
 */
#ifndef YK_EXPR_H
#define YK_EXPR_H

#include "comp/equation/flat.h"
#include "expr/table.h"

/* What a node depends on. */
enum { YK_ON_VALUES = 1u, YK_ON_TIME = 2u, YK_ON_LOOP = 4u };

typedef struct yk_node {
    int op, a, b, c;
    double number;
    int variable, order; /* REFER: the derivative of this order */
    int place[YK_FLAT_LOOPS + 1];
    unsigned on;
    int next; /* in its bucket */
} yk_node;

typedef struct yk_pool {
    const yk_flat *flat; /* borrowed */
    yk_node *node;
    int nodes;
    size_t room;
    int *bucket, buckets;
    int *mark; /* room; zero between calls */
    size_t mark_room;
    yoke_status status;
} yk_pool;

yoke_status yk_pool_create(yk_pool *pool, const yk_flat *flat, yoke_err *err);
void yk_pool_free(yk_pool *pool);
yoke_status yk_pool_status(const yk_pool *pool, yoke_err *err);

int yk_eq_expr_number(yk_pool *pool, double value);
int yk_eq_expr_unary(yk_pool *pool, int op, int a);
int yk_eq_expr_binary(yk_pool *pool, int op, int a, int b);
int yk_eq_expr_choose(yk_pool *pool, int condition, int a, int b);
int yk_eq_expr_refer(yk_pool *pool, int variable, int order, const int *place);
int yk_eq_expr_lookup(yk_pool *pool, int op, int variable, int a);

bool yk_eq_expr_is_number(const yk_pool *pool, int node, double value);
/* Neither unknowns, nor inputs, nor time; loop indices may occur. */
bool yk_eq_expr_is_constant(const yk_pool *pool, int node);

/* All nodes of the flat model; map[flat->nodes].  PRE stays if `before`, for
 * the actions of events; elsewhere it is the value. */
void yk_import(yk_pool *pool, bool before, int *map);

/* The nodes that `count` roots consist of, each after its children. */
yoke_status yk_reach(yk_pool *pool, int count, const int *root, int **list,
                     int *length, yoke_err *err);

/* ---- differentiate.c --------------------------------------------------- */

/* References to unknowns and inputs in `root`, and the derivative by each;
 * both lists have *count entries and belong to the caller. */
yoke_status yk_gradient(yk_pool *pool, int root, int **refer, int **slope,
                        int *count, yoke_err *err);
/* d/dt of `root` along the motion. */
yoke_status yk_time_derivative(yk_pool *pool, int root, int *out,
                               yoke_err *err);
/* `root` with the leaves from[] replaced by to[]. */
yoke_status yk_replace(yk_pool *pool, int root, int count, const int *from,
                       const int *to, int *out, yoke_err *err);
/* `root` with the given references replaced by zero. */
yoke_status yk_without(yk_pool *pool, int root, int count, const int *refer,
                       int *out, yoke_err *err);

#endif
