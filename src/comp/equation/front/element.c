/* comp/equation/front/element.c -- one element of an expression. */
#include "comp/equation/front/translate.h"

#include <stdio.h>
#include <string.h>

enum {
    LONG = 32,
    MOST_PICKED = 1000
}; /* chains with more operands become balanced trees */

yoke_status yk_push_frame(yk_translator *t, yk_place at, const char *name)
{
    if (t->frames == YK_MOST_FRAMES)
        return yk_refuse(t, at, "more than %d loops and iterators are nested",
                         YK_MOST_FRAMES);
    t->frame[t->frames++] = (yk_frame){ .name = name, .type = YK_TYPE_INTEGER };
    t->binding++;
    return YOKE_OK;
}

/* ---- References ---------------------------------------------------------- */

static yoke_status check_subscript(yk_translator *t, const yk_expr *e,
                                   int number, int size, const yk_value *sub)
{
    double least, most;

    if (sub->kind == YK_VALUE_NODE) {
        YK_TRY(yk_blame_all(t));
        if (t->picks) return YOKE_OK;
        return yk_refuse(t, e->at,
                         "a subscript of %s depends on a variable; "
                         "only parameters and loop indices are "
                         "supported here",
                         e->name);
    }
    yk_affine_range(t, sub, &least, &most);
    if (least >= 1.0 && most <= size) return YOKE_OK;
    if (sub->kind == YK_VALUE_AFFINE) return yk_blame(t, sub);
    return yk_refuse(t, e->at, "subscript %d of %s is %g; it must lie in 1:%d",
                     number + 1, e->name, sub->number, size);
}

static yoke_status subscript(yk_translator *t, yk_expr *sub, int size,
                             const yk_value *at, int *used, yk_value *out)
{
    yk_shape shape = { .dims = 1 };

    if (sub && sub->kind != YK_EXPR_COLON) {
        if (t->ends == YK_MOST_FRAMES)
            return yk_refuse(t, sub->at, "subscripts are nested too deep");
        t->end[t->ends++] = size;
        YK_TRY(yk_shape_of(t, sub, &shape));
        YK_TRY(yk_element(t, sub, shape.dims ? at + *used : NULL, shape.dims,
                          out));
        t->ends--;
    } else {
        *out = at[*used];
    }
    *used += shape.dims;
    return YOKE_OK;
}

/* The subscripts of an element of `whole` that e with its own subscripts means
 * at `at`. */
static yoke_status all_subscripts(yk_translator *t, yk_expr *e,
                                  const yk_shape *whole, const yk_value *at,
                                  yk_value *out)
{
    int used = 0;

    for (int i = 0; i < whole->dims; i++) {
        out[i] = yk_number(0.0);
        YK_TRY(subscript(t, i < e->count ? e->child[i] : NULL, whole->size[i],
                         at, &used, &out[i]));
        YK_TRY(check_subscript(t, e, i, whole->size[i], &out[i]));
    }
    return YOKE_OK;
}

/* ---- Subscripts that vary ------------------------------------------------ */

/* An element at subscripts that are numbers. */
typedef yoke_status (*getter)(yk_translator *t, yk_expr *e, const yk_value *sub,
                              int dims, yk_value *out);

/* The run ends if the subscript leaves its range. */
static yoke_status guard(yk_translator *t, const yk_expr *e, int size,
                         const yk_value *sub)
{
    yk_flat_event event = { .kind = YK_FLAT_ASSERT,
                            .line = e->at.line,
                            .clause = ++t->clauses };
    const yk_value low = yk_number(0.5), high = yk_number(size + 0.5);
    yk_value above, below;
    char text[200];

    if (t->in_when || t->initial || t->constant || yk_in_function(t))
        return YOKE_OK;
    YK_TRY(yk_operate(t, e->at, YK_OP_LESS, &low, sub, &above));
    YK_TRY(yk_operate(t, e->at, YK_OP_LESS, sub, &high, &below));
    YK_TRY(yk_operate(t, e->at, YK_OP_AND, &above, &below, &above));
    YK_TRY(yk_to_node(t, &above, &event.condition));
    snprintf(text, sizeof text, "a subscript of %.100s is not in 1:%d", e->name,
             size);
    YK_TRY(yk_copy_text(&event.text, text, t->err));
    return yk_flat_add_event(t->flat, &event, t->err);
}

/* x[i] = if i < 1.5 then x[1] elseif i < 2.5 then x[2] ... */
static yoke_status pick(yk_translator *t, yk_expr *e, const yk_shape *whole,
                        yk_value *sub, getter get, yk_value *out)
{
    int d = 0;

    while (d < whole->dims && sub[d].kind != YK_VALUE_NODE) d++;
    if (d == whole->dims) return get(t, e, sub, whole->dims, out);
    if (whole->size[d] > MOST_PICKED || whole->size[d] < 1)
        return yk_refuse(t, e->at,
                         "a subscript of %s depends on a variable and has %d "
                         "values; at most %d are supported",
                         e->name, whole->size[d], MOST_PICKED);
    const yk_value own = sub[d];
    YK_TRY(guard(t, e, whole->size[d], &own));
    for (int k = whole->size[d]; k >= 1; k--) {
        const yk_value edge = yk_number(k + 0.5);
        yk_value v, less;
        sub[d] = yk_number(k);
        YK_TRY(pick(t, e, whole, sub, get, &v));
        if (k == whole->size[d]) {
            *out = v;
            continue;
        }
        YK_TRY(yk_operate(t, e->at, YK_OP_LESS, &own, &edge, &less));
        YK_TRY(yk_choose(t, &less, &v, out, out));
    }
    sub[d] = own;
    return YOKE_OK;
}

static bool varies(const yk_value *sub, int dims)
{
    for (int d = 0; d < dims; d++)
        if (sub[d].kind == YK_VALUE_NODE) return true;
    return false;
}

static yoke_status picked_subscripts(yk_translator *t, yk_expr *e,
                                     const yk_shape *whole, const yk_value *at,
                                     yk_value *sub)
{
    const bool picks = t->picks;

    t->picks = true;
    const yoke_status status = all_subscripts(t, e, whole, at, sub);
    t->picks = picks;
    return status;
}

static yoke_status join_subscripts(yk_translator *t, yk_place at,
                                   const yk_shape *whole, yk_value *sub,
                                   yk_value *out)
{
    const yk_value one = yk_number(1.0);

    *out = yk_number(0.0);
    for (int i = 0; i < whole->dims; i++) {
        const yk_value size = yk_number(whole->size[i]);
        YK_TRY(yk_operate(t, at, YK_OP_SUBTRACT, &sub[i], &one, &sub[i]));
        YK_TRY(yk_operate(t, at, YK_OP_MULTIPLY, out, &size, out));
        YK_TRY(yk_operate(t, at, YK_OP_ADD, out, &sub[i], out));
    }
    return YOKE_OK;
}

yoke_status yk_eq_place_of(yk_translator *t, yk_expr *e, const yk_shape *whole,
                           const yk_value *at, yk_value *out)
{
    yk_value sub[YK_FLAT_LOOPS];

    YK_TRY(all_subscripts(t, e, whole, at, sub));
    return join_subscripts(t, e->at, whole, sub, out);
}

yoke_status yk_varying_place(yk_translator *t, yk_expr *e,
                             const yk_shape *whole, const yk_value *at,
                             yk_value *out)
{
    yk_value sub[YK_FLAT_LOOPS];

    YK_TRY(picked_subscripts(t, e, whole, at, sub));
    for (int i = 0; i < whole->dims; i++)
        if (sub[i].kind == YK_VALUE_NODE)
            YK_TRY(guard(t, e, whole->size[i], &sub[i]));
    return join_subscripts(t, e->at, whole, sub, out);
}

yoke_status yk_variable_node(yk_translator *t, yk_symbol *s, yk_op op,
                             const yk_value *place, yk_value *out)
{
    yk_flat_node n = { .op = op, .a = -1, .b = -1, .c = -1 };

    if (place->kind == YK_VALUE_NODE) return yk_blame_all(t);
    YK_TRY(yk_symbol_variable(t, s));
    n.variable = s->variable;
    n.place[0] = (int)place->number;
    for (int k = 0; k < YK_FLAT_LOOPS; k++) n.place[k + 1] = place->k[k];
    out->kind = YK_VALUE_NODE;
    out->number = 0.0;
    memset(out->k, 0, sizeof out->k);
    if (t->flat->nodes >= YK_MOST_NODES)
        return yk_fail(t->err, YOKE_E_MODEL,
                       "%s: the equations have more than %d operations when "
                       "their loops are written out",
                       t->source->path, YK_MOST_NODES);
    return yk_flat_add_node(t->flat, &n, &out->node, t->err);
}

static yoke_status not_constant(yk_translator *t, const yk_expr *e)
{
    return yk_refuse(t, e->at,
                     "%s varies, but the value of %s has to be known "
                     "before the start",
                     e->name, t->constant);
}

static yoke_status symbol_element(yk_translator *t, yk_expr *e, yk_symbol *s,
                                  const yk_value *at, yk_value *out)
{
    yk_value place;

    YK_TRY(yk_symbol_shape(t, s));
    YK_TRY(yk_eq_place_of(t, e, &s->shape, at, &place));
    if (s->variability < YK_PARAMETER) {
        if (t->constant) return not_constant(t, e);
        t->varies = true;
        return yk_variable_node(t, s, YK_OP_REFER, &place, out);
    }
    YK_TRY(yk_symbol_value(t, s));
    if (place.kind != YK_VALUE_NUMBER)
        return yk_variable_node(t, s, YK_OP_REFER, &place, out);
    *out = yk_number(s->value[(int)place.number]);
    return YOKE_OK;
}

static yoke_status local_element(yk_translator *t, yk_expr *e,
                                 const yk_local *local, const yk_value *at,
                                 yk_value *out)
{
    yk_value place;

    YK_TRY(yk_eq_place_of(t, e, &local->shape, at, &place));
    if (place.kind != YK_VALUE_NUMBER) return yk_blame(t, &place);
    *out = t->scope->value[local->offset + (int)place.number];
    if (out->kind == YK_VALUE_NONE)
        return yk_refuse(t, e->at, "%s is used before it has a value", e->name);
    return YOKE_OK;
}

static yoke_status time_element(yk_translator *t, const yk_expr *e,
                                yk_value *out)
{
    const yk_flat_node n = {
        .op = YK_OP_TIME, .a = -1, .b = -1, .c = -1, .variable = -1
    };

    if (t->constant && t->at_start) {
        t->start_used = true;
        *out = yk_number(t->options ? t->options->start : 0.0);
        return YOKE_OK;
    }
    if (t->constant) return not_constant(t, e);
    t->varies = true;
    *out = (yk_value){ .kind = YK_VALUE_NODE };
    return yk_flat_add_node(t->flat, &n, &out->node, t->err);
}

/* The same name with these subscripts. */
static yoke_status get_reference(yk_translator *t, yk_expr *e,
                                 const yk_value *sub, int dims, yk_value *out)
{
    yk_expr whole = *e;
    yk_meaning m;

    (void)dims;
    whole.count = 0;
    YK_TRY(yk_resolve(t, e, &m));
    return m.local ? local_element(t, &whole, m.local, sub, out)
                   : symbol_element(t, &whole, m.symbol, sub, out);
}

static yoke_status reference_element(yk_translator *t, yk_expr *e,
                                     const yk_value *at, yk_value *out)
{
    yk_value sub[YK_FLAT_LOOPS];
    yk_shape whole;
    yk_meaning m;

    YK_TRY(yk_resolve(t, e, &m));
    if (e->count && (m.local || m.symbol)) {
        YK_TRY(yk_meaning_shape(t, &m, &whole));
        YK_TRY(picked_subscripts(t, e, &whole, at, sub));
        if (varies(sub, whole.dims))
            return pick(t, e, &whole, sub, get_reference, out);
    }
    if (m.local) return local_element(t, e, m.local, at, out);
    if (m.symbol) return symbol_element(t, e, m.symbol, at, out);
    if (m.is_time) return time_element(t, e, out);
    t->runs = true;
    *out = m.frame->value;
    return YOKE_OK;
}

/* ---- Arrays -------------------------------------------------------------- */

/* Where it is known which child is meant only if the subscript is a number. */
static yoke_status fixed_subscript(yk_translator *t, yk_place at,
                                   const yk_value *sub, int count, int *out)
{
    if (sub->kind != YK_VALUE_NUMBER) {
        YK_TRY(yk_blame(t, sub));
        return yk_refuse(t, at, "a subscript depends on a variable");
    }
    if (sub->number < 1.0 || sub->number > count)
        return yk_refuse(t, at, "subscript %g must lie in 1:%d", sub->number,
                         count);
    *out = (int)sub->number - 1;
    return YOKE_OK;
}

static yoke_status array_element(yk_translator *t, yk_expr *e,
                                 const yk_value *at, int dims, yk_value *out)
{
    int i = 0;

    YK_TRY(fixed_subscript(t, e->at, &at[0], e->count, &i));
    return yk_element(t, e->child[i], dims > 1 ? at + 1 : NULL, dims - 1, out);
}

/* Which of `count` parts, one after the other along one dimension, has the
 * subscript *sub, which then counts from its beginning.  With one part it may
 * be anything. */
static yoke_status find_block(yk_translator *t, yk_expr *e, bool rows,
                              yk_value *sub, int *out)
{
    *out = 0;
    if (e->count == 1) return YOKE_OK;
    if (sub->kind != YK_VALUE_NUMBER) {
        YK_TRY(yk_blame(t, sub));
        return yk_refuse(t, e->at, "a subscript depends on a variable");
    }
    for (int i = 0; i < e->count; i++) {
        yk_shape s;
        YK_TRY(yk_block_shape(t, e->child[i], rows, &s));
        *out = i;
        if (sub->number <= s.size[!rows]) return YOKE_OK;
        sub->number -= s.size[!rows];
    }
    return yk_refuse(t, e->at, "a subscript is outside of the matrix");
}

/* [A, B; C, D] */
static yoke_status matrix_element(yk_translator *t, yk_expr *e,
                                  const yk_value *at, yk_value *out)
{
    yk_value sub[] = { at[0], at[1] };
    yk_shape s;
    int row = 0, column = 0;

    YK_TRY(find_block(t, e, true, &sub[0], &row));
    YK_TRY(find_block(t, e->child[row], false, &sub[1], &column));
    yk_expr *part = e->child[row]->child[column];
    YK_TRY(yk_shape_of(t, part, &s));
    return yk_element(t, part, s.dims ? sub : NULL, s.dims, out);
}

static yoke_status get_part(yk_translator *t, yk_expr *e, const yk_value *sub,
                            int dims, yk_value *out)
{
    return yk_element(t, e->of, sub, dims, out);
}

static yoke_status part_element(yk_translator *t, yk_expr *e,
                                const yk_value *at, yk_value *out)
{
    yk_value sub[YK_FLAT_LOOPS];
    yk_shape whole;

    YK_TRY(yk_shape_of(t, e->of, &whole));
    YK_TRY(picked_subscripts(t, e, &whole, at, sub));
    if (varies(sub, whole.dims)) return pick(t, e, &whole, sub, get_part, out);
    return yk_element(t, e->of, sub, whole.dims, out);
}

static yoke_status comprehension_element(yk_translator *t, yk_expr *e,
                                         const yk_value *at, int dims,
                                         yk_value *out)
{
    const int frames = t->frames;

    for (int i = 0; i < e->iterators; i++) {
        yk_value v;
        YK_TRY(yk_element(t, e->iterator[i].range, &at[e->iterators - 1 - i], 1,
                          &v));
        yk_shape range;
        YK_TRY(yk_shape_of(t, e->iterator[i].range, &range));
        YK_TRY(yk_push_frame(t, e->iterator[i].at, e->iterator[i].name));
        t->frame[t->frames - 1].value = v;
        t->frame[t->frames - 1].type = range.type;
    }
    YK_TRY(yk_element(t, e->child[0], at + e->iterators, dims - e->iterators,
                      out));
    t->frames = frames;
    t->binding++;
    return YOKE_OK;
}

/* first + (k - 1) * step */
static yoke_status range_element(yk_translator *t, yk_expr *e,
                                 const yk_value *at, yk_value *out)
{
    const yk_value one = yk_number(1.0);
    yk_value first, step = one;

    YK_TRY(yk_element(t, e->child[0], NULL, 0, &first));
    if (e->count == 3) YK_TRY(yk_element(t, e->child[1], NULL, 0, &step));
    YK_TRY(yk_operate(t, e->at, YK_OP_SUBTRACT, at, &one, out));
    YK_TRY(yk_operate(t, e->at, YK_OP_MULTIPLY, out, &step, out));
    return yk_operate(t, e->at, YK_OP_ADD, &first, out, out);
}

/* ---- Operators ----------------------------------------------------------- */

/* An operand of an elementwise operator: a scalar goes with all elements. */
yoke_status yk_operand(yk_translator *t, yk_expr *e, const yk_value *at,
                       yk_value *out)
{
    yk_shape s;

    YK_TRY(yk_shape_of(t, e, &s));
    return yk_element(t, e, s.dims ? at : NULL, s.dims, out);
}

static bool is_minus(char op)
{
    return op == '-' || op == 'm';
}

static bool is_divide(char op)
{
    return op == '/' || op == 'd';
}

/* A long sum as the difference of balanced sums, a long product as the quotient
 * of balanced products; the trees of the back end stay flat. */
static yoke_status long_chain(yk_translator *t, yk_expr *e, const yk_value *at,
                              bool (*inverse)(char op), yk_value *out)
{
    const bool sum = e->kind == YK_EXPR_SUM;
    const yk_arena_mark mark = yk_arena_now(&t->scratch);
    yk_value *term, part[2];

    part[0] = part[1] = yk_number(sum ? 0.0 : 1.0);
    YK_TRY(YK_SCRATCH(t, &term, e->count));
    for (int k = 0; k < 2; k++) {
        int count = 0;
        for (int i = 0; i < e->count; i++)
            if ((i > 0 && inverse(e->op[i])) == (k == 1))
                YK_TRY(yk_operand(t, e->child[i], at, &term[count++]));
        if (count)
            YK_TRY(yk_combine(t, e->at, sum ? YK_OP_ADD : YK_OP_MULTIPLY, term,
                              count, &part[k]));
    }
    yk_arena_release(&t->scratch, mark);
    return yk_operate(t, e->at, sum ? YK_OP_SUBTRACT : YK_OP_DIVIDE, &part[0],
                      &part[1], out);
}

static yoke_status sum_element(yk_translator *t, yk_expr *e, const yk_value *at,
                               yk_value *out)
{
    yk_value v;

    if (e->count > LONG) return long_chain(t, e, at, is_minus, out);
    YK_TRY(yk_operand(t, e->child[0], at, out));
    for (int i = 1; i < e->count; i++) {
        YK_TRY(yk_operand(t, e->child[i], at, &v));
        YK_TRY(yk_operate(t, e->at,
                          is_minus(e->op[i]) ? YK_OP_SUBTRACT : YK_OP_ADD, out,
                          &v, out));
    }
    return YOKE_OK;
}

static yoke_status partial_product(yk_translator *t, yk_expr *e, int last,
                                   const yk_value *at, yk_value *out);

/* The shape of the product of the children 0 to last. */
static yoke_status partial_shape(yk_translator *t, yk_expr *e, int last,
                                 yk_shape *out)
{
    yk_shape s;

    YK_TRY(yk_shape_of(t, e->child[0], out));
    for (int i = 1; i <= last; i++) {
        YK_TRY(yk_shape_of(t, e->child[i], &s));
        if (out->dims == 0) {
            *out = s;
        } else if (s.dims && e->op[i] == '*') {
            out->dims--;
            if (s.dims == 2) out->size[out->dims++] = s.size[1];
        }
    }
    return YOKE_OK;
}

/* A matrix of parameters with zeros: the rows are written out so that the
 * pattern of the equations is exact. */
static yoke_status keep_pattern(yk_translator *t, yk_expr *e, int last,
                                const yk_value *row)
{
    yk_meaning m;
    const yk_expr *matrix = e->child[0];

    if (last != 1 || matrix->kind != YK_EXPR_REFERENCE ||
        row->kind != YK_VALUE_AFFINE)
        return YOKE_OK;
    YK_TRY(yk_resolve(t, matrix, &m));
    if (!m.symbol || m.symbol->variability < YK_PARAMETER) return YOKE_OK;
    YK_TRY(yk_symbol_value(t, m.symbol));
    for (int i = 0; i < m.symbol->count; i++)
        if (m.symbol->value[i] == 0.0) return yk_blame(t, row);
    return YOKE_OK;
}

/* sum over k of a[.., k] * b[k, ..] */
static yoke_status contract(yk_translator *t, yk_expr *e, int last,
                            const yk_shape *a, const yk_shape *b,
                            const yk_value *at, yk_value *out)
{
    const int n = b->size[0];
    yk_value *term, left[2], right[2];
    const yk_arena_mark mark = yk_arena_now(&t->scratch);

    if (a->dims == 2) YK_TRY(keep_pattern(t, e, last, &at[0]));
    *out = yk_number(0.0);
    if (n == 0) return YOKE_OK;
    YK_TRY(YK_SCRATCH(t, &term, n));
    for (int k = 0; k < n; k++) {
        yk_value x, y;
        if (a->dims == 2) left[0] = at[0];
        left[a->dims - 1] = right[0] = yk_number(k + 1.0);
        if (b->dims == 2) right[1] = at[a->dims - 1];
        YK_TRY(partial_product(t, e, last - 1, left, &x));
        if (yk_is_number(&x, 0.0)) {
            term[k] = x;
            continue;
        }
        YK_TRY(yk_element(t, e->child[last], right, b->dims, &y));
        YK_TRY(yk_operate(t, e->at, YK_OP_MULTIPLY, &x, &y, &term[k]));
    }
    YK_TRY(yk_combine(t, e->at, YK_OP_ADD, term, n, out));
    yk_arena_release(&t->scratch, mark);
    return YOKE_OK;
}

static yoke_status partial_product(yk_translator *t, yk_expr *e, int last,
                                   const yk_value *at, yk_value *out)
{
    yk_shape a, b;
    yk_value v;

    if (last == 0) return yk_operand(t, e->child[0], at, out);
    YK_TRY(yk_enter(t, e->at));
    YK_TRY(partial_shape(t, e, last - 1, &a));
    YK_TRY(yk_shape_of(t, e->child[last], &b));
    if (e->op[last] == '*' && a.dims && b.dims) {
        YK_TRY(contract(t, e, last, &a, &b, at, out));
    } else {
        YK_TRY(partial_product(t, e, last - 1, at, out));
        YK_TRY(yk_operand(t, e->child[last], at, &v));
        YK_TRY(
            yk_operate(t, e->child[last]->at,
                       is_divide(e->op[last]) ? YK_OP_DIVIDE : YK_OP_MULTIPLY,
                       out, &v, out));
    }
    t->depth--;
    return YOKE_OK;
}

/* The usual case, without arrays in it, is a plain loop. */
static yoke_status product_element(yk_translator *t, yk_expr *e,
                                   const yk_value *at, yk_value *out)
{
    yk_value v;
    yk_shape s;

    for (int i = 0; i < e->count; i++) {
        YK_TRY(yk_shape_of(t, e->child[i], &s));
        if (s.dims) return partial_product(t, e, e->count - 1, at, out);
    }
    if (e->count > LONG) return long_chain(t, e, at, is_divide, out);
    YK_TRY(yk_element(t, e->child[0], NULL, 0, out));
    for (int i = 1; i < e->count; i++) {
        YK_TRY(yk_element(t, e->child[i], NULL, 0, &v));
        YK_TRY(yk_operate(t, e->child[i]->at,
                          is_divide(e->op[i]) ? YK_OP_DIVIDE : YK_OP_MULTIPLY,
                          out, &v, out));
    }
    return YOKE_OK;
}

/* Whole numbers may be known to rounding only: n >= 9 is n > 8.5. */
static yoke_status whole_relation(yk_translator *t, const yk_expr *e,
                                  const yk_value *a, const yk_value *b,
                                  yk_value *out)
{
    const yk_value half = yk_number(0.5);
    const char op = e->op[0];
    const bool swap = op == '>' || op == 'g';

    YK_TRY(
        yk_operate(t, e->at, YK_OP_SUBTRACT, swap ? a : b, swap ? b : a, out));
    if (op == '=' || op == 'n') {
        YK_TRY(yk_operate(t, e->at, YK_OP_ABS, out, NULL, out));
        YK_TRY(yk_operate(t, e->at, YK_OP_LESS, out, &half, out));
    } else {
        const yk_value least = yk_number(op == '<' || op == '>' ? 0.5 : -0.5);
        YK_TRY(yk_operate(t, e->at, YK_OP_LESS, &least, out, out));
    }
    return YOKE_OK;
}

static yoke_status relation_element(yk_translator *t, yk_expr *e, yk_value *out)
{
    yk_shape shape[2];
    yk_value a, b;
    const char op = e->op[0];
    const bool swap = op == '>' || op == 'g';

    for (int i = 0; i < 2; i++) YK_TRY(yk_shape_of(t, e->child[i], &shape[i]));
    YK_TRY(yk_element(t, e->child[0], NULL, 0, &a));
    YK_TRY(yk_element(t, e->child[1], NULL, 0, &b));
    if (shape[0].type == YK_TYPE_INTEGER && shape[1].type == YK_TYPE_INTEGER &&
        (a.kind == YK_VALUE_NODE || b.kind == YK_VALUE_NODE))
        YK_TRY(whole_relation(t, e, &a, &b, out));
    else
        YK_TRY(yk_operate(t, e->at,
                          op == '<' || op == '>'   ? YK_OP_LESS
                          : op == 'l' || op == 'g' ? YK_OP_LESS_EQUAL
                                                   : YK_OP_EQUAL,
                          swap ? &b : &a, swap ? &a : &b, out));
    if (op != '=' && op != 'n') return yk_eq_hold_relation(t, e->at, op, out);
    YK_TRY(yk_need_whole(t, e));
    if (op == 'n') YK_TRY(yk_operate(t, e->at, YK_OP_NOT, out, NULL, out));
    return YOKE_OK;
}

/* What follows an operand that decides is not looked at, so that
 * `i > 1 and x[i - 1] > 0` is legal. */
static yoke_status logical_element(yk_translator *t, yk_expr *e, yk_value *out)
{
    const bool all = e->kind == YK_EXPR_AND;
    yk_value v;

    YK_TRY(yk_element(t, e->child[0], NULL, 0, out));
    for (int i = 1; i < e->count; i++) {
        if (yk_is_number(out, all ? 0.0 : 1.0)) return YOKE_OK;
        YK_TRY(yk_element(t, e->child[i], NULL, 0, &v));
        YK_TRY(yk_operate(t, e->at, all ? YK_OP_AND : YK_OP_OR, out, &v, out));
    }
    return YOKE_OK;
}

/* A branch whose condition varies; what follows is reached if it is false. */
static yoke_status branch_element(yk_translator *t, yk_expr *e,
                                  const yk_value *condition, const yk_value *at,
                                  int dims, yk_value *out)
{
    const yk_value path = t->path;
    yk_value otherwise;

    YK_TRY(yk_operate(t, e->at, YK_OP_NOT, condition, NULL, &otherwise));
    YK_TRY(yk_narrow(t, e->at, &path, condition));
    YK_TRY(yk_element(t, e, at, dims, out));
    return yk_narrow(t, e->at, &path, &otherwise);
}

static yoke_status if_element(yk_translator *t, yk_expr *e, const yk_value *at,
                              int dims, yk_value *out)
{
    const yk_value path = t->path;
    yk_value *value = NULL;
    int count = 0;
    const yk_arena_mark mark = yk_arena_now(&t->scratch);

    YK_TRY(YK_SCRATCH(t, &value, e->count));
    while (count < e->count - 1) { /* up to a condition that is true */
        YK_TRY(yk_element(t, e->child[count], NULL, 0, &value[count]));
        if (yk_is_number(&value[count], 1.0)) break;
        if (!yk_is_number(&value[count], 0.0))
            YK_TRY(branch_element(t, e->child[count + 1], &value[count], at,
                                  dims, &value[count + 1]));
        count += 2;
    }
    YK_TRY(yk_element(t, e->child[count < e->count - 1 ? count + 1 : count], at,
                      dims, out));
    t->path = path;
    for (count -= 2; count >= 0; count -= 2)
        if (!yk_is_number(&value[count], 0.0))
            YK_TRY(yk_choose(t, &value[count], &value[count + 1], out, out));
    yk_arena_release(&t->scratch, mark);
    return YOKE_OK;
}

static yoke_status power_element(yk_translator *t, yk_expr *e,
                                 const yk_value *at, yk_value *out)
{
    yk_value v;

    YK_TRY(yk_operand(t, e->child[0], at, out));
    YK_TRY(yk_operand(t, e->child[1], at, &v));
    return yk_operate(t, e->at, YK_OP_POWER, out, &v, out);
}

static yoke_status call_element(yk_translator *t, yk_expr *e,
                                const yk_value *at, int dims, yk_value *out)
{
    yk_call *call = NULL;
    int place = 0;

    const yk_class *f = NULL;

    if (yk_is_builtin(t, e->name))
        return yk_builtin_element(t, e, at, dims, out);
    YK_TRY(yk_function(t, e, &f));
    if (f->external && dims == 0) return yk_external_element(t, e, f, out);
    YK_TRY(yk_call_function(t, e, &call));
    for (int i = 0; i < dims; i++) {
        int sub = 0;
        const int size = call->result[e->result].shape.size[i];
        YK_TRY(fixed_subscript(t, e->at, &at[i], size, &sub));
        place = place * size + sub;
    }
    *out = call->result[e->result].value[place];
    return YOKE_OK;
}

static yoke_status find_element(yk_translator *t, yk_expr *e,
                                const yk_value *at, int dims, yk_value *out)
{
    switch (e->kind) {
    case YK_EXPR_NUMBER:
    case YK_EXPR_BOOLEAN:
        *out = yk_number(e->number);
        return YOKE_OK;
    case YK_EXPR_END:
        *out = yk_number(t->end[t->ends - 1]);
        return YOKE_OK;
    case YK_EXPR_REFERENCE:
        return reference_element(t, e, at, out);
    case YK_EXPR_CALL:
        return call_element(t, e, at, dims, out);
    case YK_EXPR_ARRAY:
        return array_element(t, e, at, dims, out);
    case YK_EXPR_MATRIX:
        return matrix_element(t, e, at, out);
    case YK_EXPR_PART:
        return part_element(t, e, at, out);
    case YK_EXPR_MEMBER:
        return yk_element(t, e->child[0], at, dims, out);
    case YK_EXPR_COMPREHENSION:
        return comprehension_element(t, e, at, dims, out);
    case YK_EXPR_RANGE:
        return range_element(t, e, at, out);
    case YK_EXPR_IF:
        return if_element(t, e, at, dims, out);
    case YK_EXPR_SUM:
        return sum_element(t, e, at, out);
    case YK_EXPR_PRODUCT:
        return product_element(t, e, at, out);
    case YK_EXPR_POWER:
        return power_element(t, e, at, out);
    case YK_EXPR_NEGATE:
    case YK_EXPR_NOT:
        YK_TRY(yk_element(t, e->child[0], at, dims, out));
        return yk_operate(t, e->at,
                          e->kind == YK_EXPR_NOT ? YK_OP_NOT : YK_OP_NEGATE,
                          out, NULL, out);
    case YK_EXPR_AND:
    case YK_EXPR_OR:
        return logical_element(t, e, out);
    case YK_EXPR_RELATION:
        return relation_element(t, e, out);
    default:
        return yk_refuse(t, e->at, "this has no value here");
    }
}

/* The caller knows from yk_shape_of that e has `dims` dimensions. */
yoke_status yk_element(yk_translator *t, yk_expr *e, const yk_value *at,
                       int dims, yk_value *out)
{
    YK_TRY(yk_enter(t, e->at));
    YK_TRY(find_element(t, e, at, dims, out));
    t->depth--;
    return YOKE_OK;
}

/* ---- Whole arrays -------------------------------------------------------- */

yoke_status yk_elements(yk_translator *t, yk_expr *e, const yk_shape *shape,
                        yk_value **out, int *count)
{
    yk_value at[YK_FLAT_LOOPS];

    YK_TRY(yk_multiply_sizes(t, e->at, "this array", shape, count));
    YK_TRY(YK_SCRATCH(t, out, *count));
    for (int i = 0; i < *count; i++) {
        int rest = i;
        for (int d = shape->dims - 1; d >= 0; d--) {
            at[d] = yk_number(rest % shape->size[d] + 1.0);
            rest /= shape->size[d];
        }
        YK_TRY(yk_element(t, e, at, shape->dims, &(*out)[i]));
    }
    return YOKE_OK;
}

yoke_status yk_constant(yk_translator *t, yk_expr *e, const char *what,
                        double *out)
{
    const char *outer = t->constant;
    yk_shape shape;
    yk_value v;

    t->constant = what;
    YK_TRY(yk_shape_of(t, e, &shape));
    if (shape.dims) return yk_refuse(t, e->at, "%s must be a scalar", what);
    YK_TRY(yk_element(t, e, NULL, 0, &v));
    t->constant = outer;
    if (v.kind != YK_VALUE_NUMBER) {
        YK_TRY(yk_blame_all(t));
        return yk_refuse(t, e->at, "%s must be a number", what);
    }
    *out = v.number;
    return YOKE_OK;
}

yoke_status yk_iterate(yk_translator *t, const yk_iterator *iterator, int count,
                       yk_visit visit, void *self)
{
    yk_shape range;

    if (count == 0) return visit(t, self);
    YK_TRY(yk_shape_of(t, iterator->range, &range));
    if (range.dims != 1)
        return yk_refuse(t, iterator->at, "%s needs a range or a vector",
                         iterator->name);
    if (range.size[0] > yk_most_elements(t))
        return yk_refuse(t, iterator->at,
                         "%s runs through %d values; at most "
                         "%d are permitted (--max-elements)",
                         iterator->name, range.size[0], yk_most_elements(t));
    for (int k = 0; k < range.size[0]; k++) {
        const yk_value at = yk_number(k + 1.0);
        yk_value v;
        YK_TRY(yk_element(t, iterator->range, &at, 1, &v));
        YK_TRY(yk_push_frame(t, iterator->at, iterator->name));
        t->frame[t->frames - 1].value = v;
        t->frame[t->frames - 1].type = range.type;
        YK_TRY(yk_iterate(t, iterator + 1, count - 1, visit, self));
        t->frames--;
    }
    t->binding++;
    return YOKE_OK;
}
