/* comp/equation/front/value.c -- scalars: numbers are folded, sums and
 * multiples of loop indices stay affine, everything else becomes a node. */
#include "comp/equation/expr.h"
#include "comp/equation/front/translate.h"
#include "expr/why.h"

#include <math.h>
#include <string.h>

#define LARGE 1e9 /* affine functions stay far below the end of int */

yk_value yk_number(double x)
{
    return (yk_value){ .kind = YK_VALUE_NUMBER, .number = x };
}

bool yk_is_number(const yk_value *v, double x)
{
    return v->kind == YK_VALUE_NUMBER && v->number == x;
}

static yoke_status add_node(yk_translator *t, const yk_flat_node *node,
                            int *number)
{
    if (t->flat->nodes >= YK_MOST_NODES)
        return yk_fail(t->err, YOKE_E_MODEL,
                       "%s: the equations have more than %d operations when "
                       "their loops are written out; make the loops smaller "
                       "or their subscripts affine in the loop index",
                       t->source->path, YK_MOST_NODES);
    return yk_flat_add_node(t->flat, node, number, t->err);
}

static yoke_status leaf(yk_translator *t, yk_op op, int a, double number,
                        int *node)
{
    const yk_flat_node n = {
        .op = op, .a = a, .b = -1, .c = -1, .number = number, .variable = -1
    };
    return add_node(t, &n, node);
}

static yoke_status join(yk_translator *t, yk_op op, int a, int b, int *node)
{
    const yk_flat_node n = {
        .op = op, .a = a, .b = b, .c = -1, .variable = -1
    };
    return add_node(t, &n, node);
}

/* k * index as a node */
static yoke_status index_node(yk_translator *t, int slot, int k, int *node)
{
    int factor;

    YK_TRY(leaf(t, YK_OP_INDEX, slot, 0.0, node));
    if (k == 1) return YOKE_OK;
    YK_TRY(leaf(t, YK_OP_NUMBER, -1, k, &factor));
    return join(t, YK_OP_MULTIPLY, factor, *node, node);
}

static yoke_status affine_node(yk_translator *t, const yk_value *v, int *node)
{
    int sum = -1, part;

    for (int s = 0; s < YK_FLAT_LOOPS; s++) {
        if (v->k[s] == 0) continue;
        YK_TRY(index_node(t, s, v->k[s], &part));
        if (sum < 0)
            sum = part;
        else
            YK_TRY(join(t, YK_OP_ADD, sum, part, &sum));
    }
    if (v->number != 0.0) {
        YK_TRY(leaf(t, YK_OP_NUMBER, -1, v->number, &part));
        YK_TRY(join(t, YK_OP_ADD, sum, part, &sum));
    }
    *node = sum;
    return YOKE_OK;
}

yoke_status yk_to_node(yk_translator *t, const yk_value *v, int *node)
{
    if (v->kind == YK_VALUE_NUMBER)
        return leaf(t, YK_OP_NUMBER, -1, v->number, node);
    if (v->kind == YK_VALUE_AFFINE) return affine_node(t, v, node);
    *node = v->node;
    return YOKE_OK;
}

void yk_affine_range(const yk_translator *t, const yk_value *v, double *least,
                     double *most)
{
    *least = *most = v->number;
    if (v->kind != YK_VALUE_AFFINE) return;
    for (int s = 0; s < t->slots; s++) {
        const yk_frame *f = &t->frame[t->slot_frame[s]];
        const double first = v->k[s] * (double)f->first;
        const double last =
            v->k[s] * (f->first + (f->count - 1.0) * (double)f->step);
        *least += fmin(first, last);
        *most += fmax(first, last);
    }
}

static double logical(bool x)
{
    return x ? 1.0 : 0.0;
}

static bool is_whole(const yk_value *v)
{
    return v->kind == YK_VALUE_NUMBER && v->number == floor(v->number) &&
           fabs(v->number) < LARGE;
}

/* A sum of multiples; what became a number is one. */
static bool affine_sum(const yk_value *a, const yk_value *b, double factor,
                       yk_value *out)
{
    bool runs = false;
    yk_value v = { .kind = YK_VALUE_AFFINE,
                   .number = a->number + factor * b->number };

    for (int s = 0; s < YK_FLAT_LOOPS; s++) {
        const double k = a->k[s] + factor * b->k[s];
        if (fabs(k) >= LARGE) return false;
        v.k[s] = (int)k;
        runs = runs || v.k[s] != 0;
    }
    if (fabs(v.number) >= LARGE) return false;
    if (!runs) v.kind = YK_VALUE_NUMBER;
    *out = v;
    return true;
}

static bool operate_affine(yk_op op, const yk_value *a, const yk_value *b,
                           yk_value *out)
{
    const yk_value zero = yk_number(0.0);
    const bool left = a->kind == YK_VALUE_AFFINE || is_whole(a);

    if (op == YK_OP_NEGATE && left) return affine_sum(&zero, a, -1.0, out);
    if (!b || !left || (b->kind != YK_VALUE_AFFINE && !is_whole(b)))
        return false;
    if (op == YK_OP_ADD) return affine_sum(a, b, 1.0, out);
    if (op == YK_OP_SUBTRACT) return affine_sum(a, b, -1.0, out);
    if (op != YK_OP_MULTIPLY) return false;
    if (b->kind == YK_VALUE_NUMBER) return affine_sum(&zero, a, b->number, out);
    if (a->kind == YK_VALUE_NUMBER) return affine_sum(&zero, b, a->number, out);
    return false;
}

/* Whether a relation of affine functions is decided for all rounds. */
static bool decide(const yk_translator *t, yk_op op, const yk_value *a,
                   const yk_value *b, yk_value *out)
{
    yk_value d;
    double least, most;

    if (op != YK_OP_LESS && op != YK_OP_LESS_EQUAL && op != YK_OP_EQUAL)
        return false;
    if (!operate_affine(YK_OP_SUBTRACT, a, b, &d)) return false;
    yk_affine_range(t, &d, &least, &most);
    if (op == YK_OP_LESS && (most < 0.0 || least >= 0.0))
        *out = yk_number(logical(most < 0.0));
    else if (op == YK_OP_LESS_EQUAL && (most <= 0.0 || least > 0.0))
        *out = yk_number(logical(most <= 0.0));
    else if (op == YK_OP_EQUAL &&
             (least > 0.0 || most < 0.0 || (least == 0.0 && most == 0.0)))
        *out = yk_number(logical(least == 0.0 && most == 0.0));
    else
        return false;
    return true;
}

/* Zeros and ones disappear, which keeps the pattern of a product with a sparse
 * matrix of parameters exact. */
static bool simplify(yk_op op, const yk_value *a, const yk_value *b,
                     yk_value *out)
{
    const bool b0 = yk_is_number(b, 0.0), b1 = yk_is_number(b, 1.0);

    switch (op) {
    case YK_OP_ADD:
        if (!b0 && !yk_is_number(a, 0.0)) return false;
        *out = b0 ? *a : *b;
        return true;
    case YK_OP_SUBTRACT:
        if (b0) *out = *a;
        return b0;
    case YK_OP_MULTIPLY:
        if (b0 || yk_is_number(a, 0.0))
            *out = yk_number(0.0);
        else if (b1 || yk_is_number(a, 1.0))
            *out = b1 ? *a : *b;
        else
            return false;
        return true;
    case YK_OP_DIVIDE:
        if (yk_is_number(a, 0.0)) *out = yk_number(0.0);
        if (b1) *out = *a;
        return b1 || yk_is_number(a, 0.0);
    case YK_OP_POWER:
        if (b1) *out = *a;
        if (b0) *out = yk_number(1.0);
        return b0 || b1;
    case YK_OP_AND:
    case YK_OP_OR:
        if (a->kind != YK_VALUE_NUMBER && b->kind != YK_VALUE_NUMBER)
            return false;
        /* one of them decides, or is of no account */
        if ((op == YK_OP_AND) == (yk_is_number(a, 0.0) || yk_is_number(b, 0.0)))
            *out = yk_number(logical(op == YK_OP_OR));
        else
            *out = a->kind == YK_VALUE_NUMBER ? *b : *a;
        return true;
    default:
        return false;
    }
}

static yoke_status fold_numbers(yk_translator *t, yk_place at, yk_op op,
                                const yk_value *a, const yk_value *b,
                                yk_value *out)
{
    const double x = yk_op_value(op, a->number, b ? b->number : 0.0, 0.0);

    if (!isfinite(x)) {
        char why[300];
        yk_op_blame(op, a->number, b ? b->number : 0.0, why, sizeof why);
        return b ? yk_refuse(t, at,
                             "the result of %g and %g is not a number: %s",
                             a->number, b->number, why)
                 : yk_refuse(t, at, "the function has no value at %g: %s",
                             a->number, why);
    }
    *out = yk_number(x);
    return YOKE_OK;
}

yoke_status yk_operate(yk_translator *t, yk_place at, yk_op op,
                       const yk_value *a, const yk_value *b, yk_value *out)
{
    int left, right = -1, node;

    if (op == YK_OP_DIVIDE && yk_is_number(b, 0.0))
        return yk_refuse(t, at,
                         "division by zero; the divisor has the value 0"
                         " with these parameters");
    if (a->kind == YK_VALUE_NUMBER && (!b || b->kind == YK_VALUE_NUMBER))
        return fold_numbers(t, at, op, a, b, out);
    if (operate_affine(op, a, b, out)) return YOKE_OK;
    if (b && (decide(t, op, a, b, out) || simplify(op, a, b, out)))
        return YOKE_OK;
    if (op == YK_OP_SUBTRACT && yk_is_number(a, 0.0))
        return yk_operate(t, at, YK_OP_NEGATE, b, NULL, out);
    YK_TRY(yk_to_node(t, a, &left));
    if (b) YK_TRY(yk_to_node(t, b, &right));
    YK_TRY(join(t, op, left, right, &node));
    *out = (yk_value){ .kind = YK_VALUE_NODE, .node = node };
    return YOKE_OK;
}

static bool same(const yk_value *a, const yk_value *b)
{
    return a->kind == b->kind && a->number == b->number && a->node == b->node &&
           memcmp(a->k, b->k, sizeof a->k) == 0;
}

yoke_status yk_choose(yk_translator *t, const yk_value *condition,
                      const yk_value *yes, const yk_value *no, yk_value *out)
{
    yk_flat_node n = { .op = YK_OP_IF, .variable = -1 };
    int node = 0;

    if (condition->kind == YK_VALUE_NUMBER || same(yes, no)) {
        *out = yk_is_number(condition, 0.0) ? *no : *yes;
        return YOKE_OK;
    }
    YK_TRY(yk_to_node(t, condition, &n.a));
    YK_TRY(yk_to_node(t, yes, &n.b));
    YK_TRY(yk_to_node(t, no, &n.c));
    YK_TRY(add_node(t, &n, &node));
    *out = (yk_value){ .kind = YK_VALUE_NODE, .node = node };
    return YOKE_OK;
}

yoke_status yk_combine(yk_translator *t, yk_place at, yk_op op, yk_value *value,
                       int count, yk_value *out)
{
    while (count > 1) {
        const int half = count / 2;
        for (int i = 0; i < half; i++) {
            YK_TRY(yk_operate(t, at, op, &value[2 * i], &value[2 * i + 1],
                              &value[i]));
            YK_TRY(yk_eq_hold_kink(t, at, &value[i]));
        }
        if (count % 2) value[half] = value[count - 1];
        count = half + count % 2;
    }
    *out = value[0];
    return YOKE_OK;
}
