/* comp/equation/front/builtin.c -- the functions of the language.
 *
 * Reference: Modelica language specification 3.6, sections 3.7 and 10.3;
 * `interpolate` is ours.
 */
#include "comp/equation/front/builtin.h"

#include "base/near.h"
#include "base/texts.h"
#include "expr/table.h"

#include <math.h>
#include <string.h>

/* ---- Elementwise functions ----------------------------------------------- */

yoke_status yk_need_number(yk_translator *t, yk_expr *e, yk_shape *out)
{
    YK_TRY(yk_shape_of(t, e, out));
    if (out->type > YK_TYPE_INTEGER)
        return yk_refuse(t, e->at, "a number is needed here");
    return YOKE_OK;
}

static yoke_status map_shape(YK_SHAPE_TAKES)
{
    YK_TRY(yk_need_number(t, e->child[0], out));
    for (int i = 1; i < e->count; i++) {
        yk_shape s;
        YK_TRY(yk_need_number(t, e->child[i], &s));
        if (s.type == YK_TYPE_REAL) out->type = s.type;
        if (out->dims && s.dims && !yk_same_size(out, &s))
            return yk_refuse(t, e->at, "the arguments of %s differ in size",
                             e->name);
        if (s.dims) {
            out->dims = s.dims;
            memcpy(out->size, s.size, sizeof s.size);
        }
    }
    if (b->op == YK_OP_SIGN || strcmp(b->name, "integer") == 0)
        out->type = YK_TYPE_INTEGER;
    else if (b->op != YK_OP_ABS && b->op != YK_OP_MIN && b->op != YK_OP_MAX &&
             b->op != YK_OP_DIVIDE)
        out->type = YK_TYPE_REAL;
    return YOKE_OK;
}

/* floor(x), and ceil(x) = -floor(-x), held between events */
static yoke_status round_off(yk_translator *t, yk_place at, yk_op op,
                             const yk_value *x, yk_value *out)
{
    if (op == YK_OP_FLOOR) {
        YK_TRY(yk_operate(t, at, YK_OP_FLOOR, x, NULL, out));
        return yk_eq_hold_relation(t, at, 0, out);
    }
    YK_TRY(yk_operate(t, at, YK_OP_NEGATE, x, NULL, out));
    YK_TRY(yk_operate(t, at, YK_OP_FLOOR, out, NULL, out));
    YK_TRY(yk_eq_hold_relation(t, at, 0, out));
    return yk_operate(t, at, YK_OP_NEGATE, out, NULL, out);
}

/* x < 0, held between events */
static yoke_status is_negative(yk_translator *t, yk_place at, const yk_value *x,
                               yk_value *out)
{
    const yk_value zero = yk_number(0.0);

    YK_TRY(yk_operate(t, at, YK_OP_LESS, x, &zero, out));
    return yk_eq_hold_relation(t, at, '<', out);
}

/* sign(x) = (x > 0) - (x < 0) */
static yoke_status sign_of(yk_translator *t, yk_place at, yk_value *x)
{
    const yk_value zero = yk_number(0.0);
    yk_value above, below;

    if (x->kind == YK_VALUE_NUMBER)
        return yk_operate(t, at, YK_OP_SIGN, x, NULL, x);
    YK_TRY(yk_operate(t, at, YK_OP_LESS, &zero, x, &above));
    YK_TRY(yk_eq_hold_relation(t, at, '>', &above));
    YK_TRY(is_negative(t, at, x, &below));
    return yk_operate(t, at, YK_OP_SUBTRACT, &above, &below, x);
}

static yoke_status map_element(YK_ELEMENT_TAKES)
{
    yk_value v;

    YK_TRY(yk_operand(t, e->child[0], at, out));
    if (b->op == YK_OP_SIGN) return sign_of(t, e->at, out);
    if (b->op == YK_OP_FLOOR || b->op == YK_OP_CEIL)
        return round_off(t, e->at, b->op, out, out);
    if (e->count == 1) {
        YK_TRY(yk_operate(t, e->at, b->op, out, NULL, out));
        return yk_eq_hold_kink(t, e->at, out);
    }
    YK_TRY(yk_operand(t, e->child[1], at, &v));
    YK_TRY(yk_operate(t, e->at, b->op, out, &v, out));
    return yk_eq_hold_kink(t, e->at, out);
}

/* a / b without its fraction, towards zero or downwards */
static yoke_status quotient(yk_translator *t, yk_place at, bool to_zero,
                            const yk_value *a, const yk_value *b, yk_value *out)
{
    yk_value ratio, up, down, negative;

    YK_TRY(yk_operate(t, at, YK_OP_DIVIDE, a, b, &ratio));
    YK_TRY(round_off(t, at, YK_OP_FLOOR, &ratio, &down));
    *out = down;
    if (!to_zero) return YOKE_OK;
    YK_TRY(round_off(t, at, YK_OP_CEIL, &ratio, &up));
    YK_TRY(is_negative(t, at, &ratio, &negative));
    return yk_choose(t, &negative, &up, &down, out);
}

/* div, mod and rem */
static yoke_status divide_element(YK_ELEMENT_TAKES)
{
    yk_value x, y, q;

    YK_TRY(yk_operand(t, e->child[0], at, &x));
    YK_TRY(yk_operand(t, e->child[1], at, &y));
    YK_TRY(quotient(t, e->at, b->name[0] != 'm', &x, &y, &q));
    *out = q;
    if (b->name[0] == 'd') return YOKE_OK;
    YK_TRY(yk_operate(t, e->at, YK_OP_MULTIPLY, &q, &y, &q));
    return yk_operate(t, e->at, YK_OP_SUBTRACT, &x, &q, out);
}

/* semiLinear(x, p, n): p x for x >= 0, n x otherwise */
static yoke_status semilinear_element(YK_ELEMENT_TAKES)
{
    yk_value x, slope[2], negative;

    YK_TRY(yk_operand(t, e->child[0], at, &x));
    for (int i = 0; i < 2; i++)
        YK_TRY(yk_operand(t, e->child[i + 1], at, &slope[i]));
    YK_TRY(is_negative(t, e->at, &x, &negative));
    YK_TRY(yk_choose(t, &negative, &slope[1], &slope[0], out));
    return yk_operate(t, e->at, YK_OP_MULTIPLY, out, &x, out);
}

/* noEvent(x), smooth(p, x), homotopy(actual, simplified): the value itself */
static yk_expr *passed(const yk_expr *e)
{
    if (e->name[0] == 's') return e->child[1];
    for (int i = 0; e->label && i < e->count; i++)
        if (e->label[i] && strcmp(e->label[i], "actual") == 0)
            return e->child[i];
    return e->child[0];
}

static yoke_status pass_shape(YK_SHAPE_TAKES)
{
    return yk_shape_of(t, passed(e), out);
}

static yoke_status pass_element(YK_ELEMENT_TAKES)
{
    const int quiet = t->quiet;
    yk_value order = yk_number(0.0);

    if (e->name[0] == 's') YK_TRY(yk_element(t, e->child[0], at, 0, &order));
    if (strcmp(e->name, "noEvent") == 0 || e->name[0] == 's')
        t->quiet |= YK_QUIET;
    if (order.kind == YK_VALUE_NUMBER && order.number > 0.0)
        t->quiet |= YK_EVEN;
    YK_TRY(yk_element(t, passed(e), at, dims, out));
    t->quiet = quiet;
    return YOKE_OK;
}

/* ---- der and pre --------------------------------------------------------- */

/* pre({a, b}) as {pre(a), pre(b)} */
static yoke_status hand_in(yk_translator *t, const yk_expr *call,
                           const yk_expr *x, yk_expr **out)
{
    YK_TRY(YK_TAKE(t->arena, out, 1, t->err));
    **out = x->kind == YK_EXPR_REFERENCE ? *call : *x;
    if ((*out)->kind == YK_EXPR_PART)
        return hand_in(t, call, x->of, &(*out)->of);
    YK_TRY(YK_TAKE(t->arena, &(*out)->child,
                   x->kind == YK_EXPR_REFERENCE ? 1 : x->count, t->err));
    if (x->kind == YK_EXPR_REFERENCE) {
        (*out)->child[0] = (yk_expr *)x;
        return YOKE_OK;
    }
    for (int i = 0; i < x->count; i++)
        YK_TRY(hand_in(t, call, x->child[i], &(*out)->child[i]));
    return YOKE_OK;
}

static yoke_status variable_shape(YK_SHAPE_TAKES)
{
    yk_meaning m;
    yk_expr *x = e->child[0], *each = NULL;

    const bool named = x->kind == YK_EXPR_REFERENCE;
    YK_TRY(yk_settle(t, x));
    if (named && x->kind != YK_EXPR_REFERENCE) { /* it was written out */
        YK_TRY(hand_in(t, e, x, &each));
        *e = *each;
        return yk_shape_of(t, e, out);
    }
    if (x->kind != YK_EXPR_REFERENCE && b->op == YK_OP_DER) {
        YK_TRY(yk_need_number(t, x, out));
        out->type = YK_TYPE_REAL;
        return YOKE_OK;
    }
    if (x->kind != YK_EXPR_REFERENCE)
        return yk_refuse(t, x->at,
                         "%s of an expression is not supported; "
                         "introduce a variable for it",
                         e->name);
    YK_TRY(yk_resolve(t, x, &m));
    if (!m.symbol)
        return yk_refuse(t, x->at, "%s(%s): %s is not a variable of the model",
                         e->name, x->name, x->name);
    if (b->op == YK_OP_PRE && !t->in_when && !m.symbol->by_event &&
        m.symbol->variability < YK_PARAMETER)
        return yk_refuse(t, e->at,
                         "pre(%s) outside a when-equation: %s does not change "
                         "at events only, so it has no value before; write %s",
                         x->name, x->name, x->name);
    YK_TRY(yk_shape_of(t, x, out));
    if (b->op == YK_OP_DER && out->type != YK_TYPE_REAL &&
        m.symbol->variability < YK_PARAMETER)
        return yk_refuse(t, e->at, "der(%s): %s is not Real", x->name, x->name);
    if (b->op == YK_OP_DER && m.symbol->by_event && !m.symbol->by_algorithm)
        return yk_refuse(t, e->at,
                         "der(%s), but %s gets its value in a when-equation; a "
                         "state is set there by reinit(%s, VALUE)",
                         x->name, x->name, x->name);
    return YOKE_OK;
}

/* Inputs have no derivative that we know, and a derivative has no second one.
 */
static yoke_status check_rate(yk_translator *t, yk_place at, int node)
{
    const yk_flat_node n = t->flat->node[node];
    const int child[3] = { n.a, n.b, n.c };
    const bool leaf = n.op == YK_OP_REFER || n.op == YK_OP_PRE ||
                      (n.op == YK_OP_DER && n.a < 0);

    if (n.op == YK_OP_DER)
        return yk_refuse(t, at,
                         "der of a derivative is not supported; introduce a "
                         "variable for the inner one");
    if (leaf && t->flat->variable[n.variable].kind == YK_FLAT_INPUT)
        return yk_refuse(t, at,
                         "der(%s) of an input is not supported; declare its "
                         "derivative as an input too",
                         t->flat->variable[n.variable].name);
    if (leaf || n.op == YK_OP_INDEX) return YOKE_OK;
    YK_TRY(yk_enter(t, at));
    for (int k = 0; k < 3; k++)
        if (child[k] >= 0) YK_TRY(check_rate(t, at, child[k]));
    t->depth--;
    return YOKE_OK;
}

/* der(x*y): a node DER with an expression, which is differentiated when the
 * structure of the model is made (expr.c). */
static yoke_status rate_element(yk_translator *t, yk_expr *e,
                                const yk_value *at, int dims, yk_value *out)
{
    yk_flat_node n = {
        .op = YK_OP_DER, .a = -1, .b = -1, .c = -1, .variable = -1
    };
    yk_value v;

    YK_TRY(yk_element(t, e->child[0], at, dims, &v));
    *out = yk_number(0.0);
    if (v.kind != YK_VALUE_NODE) return YOKE_OK;
    YK_TRY(check_rate(t, e->at, v.node));
    n.a = v.node;
    *out = (yk_value){ .kind = YK_VALUE_NODE };
    return yk_flat_add_node(t->flat, &n, &out->node, t->err);
}

static yoke_status variable_element(YK_ELEMENT_TAKES)
{
    yk_meaning m;
    yk_value place;
    yk_expr *x = e->child[0];

    if (x->kind != YK_EXPR_REFERENCE) return rate_element(t, e, at, dims, out);
    YK_TRY(yk_resolve(t, x, &m));
    if (m.symbol->variability >= YK_PARAMETER) {
        *out = yk_number(0.0);
        return b->op == YK_OP_DER ? YOKE_OK : yk_element(t, x, at, dims, out);
    }
    if (t->constant)
        return yk_refuse(t, e->at,
                         "%s(%s) varies, but the value of %s has to "
                         "be known before the start",
                         e->name, x->name, t->constant);
    t->varies = true;
    YK_TRY(yk_eq_place_of(t, x, &m.symbol->shape, at, &place));
    if (b->op == YK_OP_PRE && t->initial && m.local &&
        place.kind == YK_VALUE_NUMBER) { /* what it begins with */
        YK_TRY(yk_symbol_variable(t, m.symbol));
        *out = yk_number(
            t->flat->variable[m.symbol->variable].start[(int)place.number]);
        return YOKE_OK;
    }
    /* The event iteration ends with pre(v) = v, and so it is until the next. */
    return yk_variable_node(t, m.symbol,
                            b->op == YK_OP_PRE && !t->in_when &&
                                    (t->initial || !yk_in_model(t))
                                ? YK_OP_REFER
                                : b->op,
                            &place, out);
}

/* guess(x): the start value of x */
static yoke_status guess_symbol(yk_translator *t, const yk_expr *e,
                                yk_symbol **out)
{
    yk_meaning m = { 0 };
    const yk_expr *x = e->child[0];

    if (x->kind == YK_EXPR_REFERENCE) YK_TRY(yk_resolve(t, x, &m));
    if (!m.symbol || m.symbol->variability >= YK_PARAMETER)
        return yk_refuse(t, x->at, "guess(x) needs a variable x");
    *out = m.symbol;
    return YOKE_OK;
}

static yoke_status guess_shape(YK_SHAPE_TAKES)
{
    yk_symbol *s = NULL;

    YK_TRY(guess_symbol(t, e, &s));
    return yk_shape_of(t, e->child[0], out);
}

static yoke_status guess_element(YK_ELEMENT_TAKES)
{
    yk_symbol *s = NULL;
    yk_value place;

    YK_TRY(guess_symbol(t, e, &s));
    YK_TRY(yk_symbol_variable(t, s));
    YK_TRY(yk_eq_place_of(t, e->child[0], &s->shape, at, &place));
    if (place.kind != YK_VALUE_NUMBER) return yk_blame(t, &place);
    *out = yk_number(t->flat->variable[s->variable].start[(int)place.number]);
    return YOKE_OK;
}

static yoke_status whole_shape(YK_SHAPE_TAKES)
{
    YK_TRY(yk_shape_of(t, e->child[0], out));
    if (out->type != YK_TYPE_INTEGER)
        return yk_refuse(t, e->at, "Integer() needs a value of an enumeration");
    return YOKE_OK;
}

static yoke_status equal_shape(YK_SHAPE_TAKES)
{
    YK_TRY(map_shape(t, b, e, out));
    if (out->dims)
        return yk_refuse(t, e->at, "realParameterEqual needs two scalars");
    out->type = YK_TYPE_BOOLEAN;
    return YOKE_OK;
}

/* ---- Reductions ---------------------------------------------------------- */

typedef struct gather {
    yk_expr *body;
    yk_value *value;
    size_t room;
    int count;
} gather;

static yoke_status gather_one(yk_translator *t, void *self)
{
    gather *g = self;

    YK_TRY(YK_GROW(&g->value, &g->room, g->count + 1, t->err));
    YK_TRY(yk_element(t, g->body, NULL, 0, &g->value[g->count]));
    g->count++;
    return YOKE_OK;
}

/* The largest of Booleans is whether one is true, the least whether all are. */
static yoke_status reduce(yk_translator *t, const yk_builtin *b, yk_expr *e,
                          yk_value *value, int count, bool logical,
                          yk_value *out)
{
    const yk_op op = !logical             ? b->op
                     : b->op == YK_OP_MAX ? YK_OP_OR
                                          : YK_OP_AND;

    if (count > 0) return yk_combine(t, e->at, op, value, count, out);
    if (b->op == YK_OP_MIN || b->op == YK_OP_MAX)
        return yk_refuse(t, e->at, "%s of no elements", e->name);
    *out = yk_number(b->op == YK_OP_MULTIPLY ? 1.0 : 0.0);
    return YOKE_OK;
}

static yoke_status reduce_element(YK_ELEMENT_TAKES)
{
    yk_shape s;
    yk_value *value = NULL;
    int count = 0;
    const yk_arena_mark mark = yk_arena_now(&t->scratch);

    if (e->count == 2) return map_element(t, b, e, at, dims, out);
    if (e->iterators) {
        gather g = { .body = e->child[0] };
        yoke_status status =
            yk_iterate(t, e->iterator, e->iterators, gather_one, &g);
        if (status == YOKE_OK)
            status = reduce(t, b, e, g.value, g.count, false, out);
        yk_free(g.value);
        return status;
    }
    YK_TRY(yk_shape_of(t, e->child[0], &s));
    YK_TRY(yk_elements(t, e->child[0], &s, &value, &count));
    YK_TRY(reduce(t, b, e, value, count, s.type == YK_TYPE_BOOLEAN, out));
    yk_arena_release(&t->scratch, mark);
    return YOKE_OK;
}

static yoke_status iterated_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    const int frames = t->frames;

    for (int i = 0; i < e->iterators; i++) {
        const yk_value one = yk_number(1.0);
        yk_shape range;
        yk_value v = one;
        YK_TRY(yk_shape_of(t, e->iterator[i].range, &range));
        if (range.dims == 1 && range.size[0])
            YK_TRY(yk_element(t, e->iterator[i].range, &one, 1, &v));
        YK_TRY(yk_push_frame(t, e->iterator[i].at, e->iterator[i].name));
        t->frame[t->frames - 1].value = v;
        t->frame[t->frames - 1].type = range.type;
    }
    YK_TRY(yk_need_number(t, e->child[0], out));
    t->frames = frames;
    if (out->dims)
        return yk_refuse(t, e->at,
                         "%s over arrays is not supported; the body "
                         "must be a scalar",
                         e->name);
    return YOKE_OK;
}

static yoke_status reduce_shape(YK_SHAPE_TAKES)
{
    if (e->count == 2) return map_shape(t, b, e, out);
    if (e->iterators) return iterated_shape(t, e, out);
    YK_TRY(yk_shape_of(t, e->child[0], out));
    if (out->type != YK_TYPE_BOOLEAN ||
        (b->op != YK_OP_MIN && b->op != YK_OP_MAX))
        YK_TRY(yk_need_number(t, e->child[0], out));
    out->dims = 0;
    return YOKE_OK;
}

/* Vectors.length(v) = sqrt(v*v) of the standard library */
static yoke_status length_shape(YK_SHAPE_TAKES)
{
    YK_TRY(yk_need_number(t, e->child[0], out));
    if (out->dims != 1) return yk_refuse(t, e->at, "length needs a vector");
    *out = (yk_shape){ .type = YK_TYPE_REAL };
    return YOKE_OK;
}

static yoke_status length_element(YK_ELEMENT_TAKES)
{
    const yk_arena_mark mark = yk_arena_now(&t->scratch);
    yk_value *value = NULL;
    yk_shape s;
    int count = 0;

    YK_TRY(yk_shape_of(t, e->child[0], &s));
    YK_TRY(yk_elements(t, e->child[0], &s, &value, &count));
    for (int i = 0; i < count; i++)
        YK_TRY(yk_operate(t, e->at, YK_OP_MULTIPLY, &value[i], &value[i],
                          &value[i]));
    *out = yk_number(0.0);
    if (count) YK_TRY(yk_combine(t, e->at, YK_OP_ADD, value, count, out));
    yk_arena_release(&t->scratch, mark);
    return yk_operate(t, e->at, YK_OP_SQRT, out, NULL, out);
}

/* ---- Tables -------------------------------------------------------------- */

static yoke_status check_table(yk_translator *t, const yk_expr *e,
                               const yk_symbol *s)
{
    if (s->shape.dims != 2 || s->shape.size[1] != 2 || s->shape.size[0] < 2)
        return yk_refuse(t, e->at,
                         "the table %s must have the size [n, 2], "
                         "n >= 2",
                         s->name);
    for (int i = 1; i < s->shape.size[0]; i++)
        if (!(s->value[2 * i] > s->value[2 * i - 2]))
            return yk_refuse(t, e->at,
                             "the first column of %s must increase; "
                             "row %d has %g after %g",
                             s->name, i + 1, s->value[2 * i],
                             s->value[2 * i - 2]);
    return YOKE_OK;
}

static yoke_status table_symbol(yk_translator *t, const yk_expr *e,
                                yk_symbol **out)
{
    const yk_expr *table = e->child[0];
    yk_meaning m = { 0 };

    if (table->kind == YK_EXPR_REFERENCE && table->count == 0)
        YK_TRY(yk_resolve(t, table, &m));
    if (!m.symbol || m.symbol->variability < YK_PARAMETER)
        return yk_refuse(t, table->at,
                         "the table of interpolate must be a "
                         "parameter matrix");
    YK_TRY(yk_symbol_value(t, m.symbol));
    t->work += m.symbol->count / 8;
    YK_TRY(check_table(t, table, m.symbol));
    *out = m.symbol;
    return YOKE_OK;
}

static yoke_status table_shape(YK_SHAPE_TAKES)
{
    yk_symbol *s = NULL;

    YK_TRY(table_symbol(t, e, &s));
    YK_TRY(yk_need_number(t, e->child[1], out));
    out->type = YK_TYPE_REAL;
    return YOKE_OK;
}

static yoke_status table_element(YK_ELEMENT_TAKES)
{
    yk_flat_node n = { .op = YK_OP_INTERPOLATE, .b = -1, .c = -1 };
    yk_symbol *s = NULL;
    yk_value x;

    YK_TRY(table_symbol(t, e, &s));
    YK_TRY(yk_element(t, e->child[1], at, dims, &x));
    if (x.kind == YK_VALUE_NUMBER) {
        *out = yk_number(yk_interpolate(s->value, s->shape.size[0], x.number));
        return YOKE_OK;
    }
    YK_TRY(yk_symbol_variable(t, s));
    YK_TRY(yk_to_node(t, &x, &n.a));
    n.variable = s->variable;
    *out = (yk_value){ .kind = YK_VALUE_NODE };
    YK_TRY(yk_flat_add_node(t->flat, &n, &out->node, t->err));
    return yk_eq_hold_kink(t, e->at, out);
}

/* ---- The list ------------------------------------------------------------ */

#define MAP1(name, op)                                                         \
    {                                                                          \
        name, 1, 1, op, map_shape, map_element                                 \
    }

static const yk_builtin builtins[] = {
    MAP1("sin", YK_OP_SIN),
    MAP1("cos", YK_OP_COS),
    MAP1("tan", YK_OP_TAN),
    MAP1("asin", YK_OP_ASIN),
    MAP1("acos", YK_OP_ACOS),
    MAP1("atan", YK_OP_ATAN),
    MAP1("sinh", YK_OP_SINH),
    MAP1("cosh", YK_OP_COSH),
    MAP1("tanh", YK_OP_TANH),
    MAP1("exp", YK_OP_EXP),
    MAP1("log", YK_OP_LOG),
    MAP1("log10", YK_OP_LOG10),
    MAP1("sqrt", YK_OP_SQRT),
    MAP1("abs", YK_OP_ABS),
    MAP1("sign", YK_OP_SIGN),
    MAP1("floor", YK_OP_FLOOR),
    MAP1("ceil", YK_OP_CEIL),
    MAP1("integer", YK_OP_FLOOR),
    { "atan2", 2, 2, YK_OP_ATAN2, map_shape, map_element },
    { "div", 2, 2, YK_OP_DIVIDE, map_shape, divide_element },
    { "mod", 2, 2, YK_OP_DIVIDE, map_shape, divide_element },
    { "rem", 2, 2, YK_OP_DIVIDE, map_shape, divide_element },
    { "semiLinear", 3, 3, YK_OP_MULTIPLY, map_shape, semilinear_element },
    { "noEvent", 1, 1, YK_OP_NUMBER, pass_shape, pass_element },
    { "smooth", 2, 2, YK_OP_NUMBER, pass_shape, pass_element },
    { "homotopy", 2, 2, YK_OP_NUMBER, pass_shape, pass_element },
    { "der", 1, 1, YK_OP_DER, variable_shape, variable_element },
    { "pre", 1, 1, YK_OP_PRE, variable_shape, variable_element },
    { "sum", 1, 1, YK_OP_ADD, reduce_shape, reduce_element },
    { "product", 1, 1, YK_OP_MULTIPLY, reduce_shape, reduce_element },
    { "min", 1, 2, YK_OP_MIN, reduce_shape, reduce_element },
    { "max", 1, 2, YK_OP_MAX, reduce_shape, reduce_element },
    { "interpolate", 2, 2, YK_OP_NUMBER, table_shape, table_element },
    { "guess", 1, 1, YK_OP_NUMBER, guess_shape, guess_element },
    { "Integer", 1, 1, YK_OP_NUMBER, whole_shape, pass_element },
    { "realParameterEqual", 2, 2, YK_OP_EQUAL, equal_shape, map_element },
    { "pure", 1, 1, YK_OP_NUMBER, pass_shape, pass_element },
    { "Vectors.length", 1, 1, YK_OP_NUMBER, length_shape, length_element },
    { NULL, 0, 0, YK_OP_NUMBER, NULL, NULL },
};

/* Refused by name. */
static const char *const refused[] = {
    "delay",       "spatialDistribution",
    "reinit",      "assert",
    "terminate",   "cardinality",
    "inStream",    "actualStream",
    "String",      "getInstanceName",
    "Clock",       "previous",
    "hold",        "subSample",
    "superSample", "shiftSample",
    "backSample",  "noClock",
    "firstTick",   "interval",
    "rooted",      "isRoot",
    "activeState", "ticksInState",
    "timeInState", "connect",
    "prioritize",
};

static const yk_builtin *find_in(const yk_builtin *list, const char *name)
{
    for (; list->name; list++)
        if (list->name[0] == name[0] && strcmp(list->name, name) == 0)
            return list;
    return NULL;
}

/* Functions of the standard library that tools do not write down because they
 * are those of the language. */
static const char *plain(const char *name)
{
    static const char library[] = "Modelica.Math.";

    return strncmp(name, library, sizeof library - 1) == 0
               ? name + sizeof library - 1
               : name;
}

static const yk_builtin *find(const char *full)
{
    const char *name = plain(full);
    const yk_builtin *b = find_in(builtins, name);

    if (!b) b = find_in(yk_event_builtins, name);
    return b ? b : find_in(yk_array_builtins, name);
}

static bool is_refused(const char *name)
{
    return yk_texts_find(refused, sizeof refused / sizeof *refused, name) >= 0;
}

bool yk_is_builtin(const yk_translator *t, const char *name)
{
    return yk_names_find(&t->classes, name) < 0 &&
           (find(name) || is_refused(name));
}

static void prefer(const char *word, const char *name, int *least,
                   const char **best)
{
    const int d = yk_word_distance(word, name);

    if (d > *least || d >= (int)strlen(name)) return;
    *best = word;
    *least = d - 1;
}

const char *yk_nearest_function(const yk_translator *t, const char *name)
{
    static const yk_builtin *const list[] = { builtins, yk_event_builtins,
                                              yk_array_builtins };
    int least = strlen(name) < 4 ? 1 : 2;
    const char *best = NULL;

    for (int i = 0; i < t->source->classes; i++)
        if (t->source->class_[i]->kind == YK_CLASS_FUNCTION)
            prefer(t->source->class_[i]->path, name, &least, &best);
    for (int k = 0; k < 3; k++)
        for (const yk_builtin *b = list[k]; b->name; b++)
            prefer(b->name, name, &least, &best);
    return best;
}

static yoke_status check_arguments(yk_translator *t, const yk_builtin *b,
                                   const yk_expr *e)
{
    if (!b)
        return yk_refuse(t, e->at, "%s() %s", e->name,
                         t->condition ? "in the condition of an event is not "
                                        "supported"
                                      : "is not supported here");
    if (b->least == b->most && e->count != b->least)
        return yk_refuse(t, e->at, "%s has %d argument%s, found %d", b->name,
                         b->least, b->least == 1 ? "" : "s", e->count);
    if (e->count < b->least || e->count > b->most)
        return yk_refuse(t, e->at, "%s has %d to %d arguments, found %d",
                         b->name, b->least, b->most, e->count);
    if (e->iterators && (b->shape != reduce_shape || e->count != 1))
        return yk_refuse(t, e->at, "an iterator in %s is not supported",
                         b->name);
    if (e->label && strcmp(b->name, "homotopy") != 0)
        return yk_refuse(t, e->at, "%s has no named arguments", b->name);
    return YOKE_OK;
}

yoke_status yk_builtin_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    const yk_builtin *b = find(e->name);

    YK_TRY(check_arguments(t, b, e));
    return b->shape(t, b, e, out);
}

yoke_status yk_builtin_element(yk_translator *t, yk_expr *e, const yk_value *at,
                               int dims, yk_value *out)
{
    const yk_builtin *b = find(e->name);

    return b->element(t, b, e, at, dims, out);
}
