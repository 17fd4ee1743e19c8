/* comp/netlist/read/expr_emit.c -- writes the steps of expressions.
 *
 * Operations of numbers become numbers at once, and what was written for them
 * is forgotten, so no tree is needed.  Operations that the list of expr/op.h
 * has not are written with several.
 */
#include "comp/netlist/read/expr_parse.h"

#include "expr/table.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 100000, /* of one expression */
    MOST_WORK = 2000000  /* steps written, those folded included */
};
static const double most_work = 4e9; /* of a netlist */

/* ---- text ---------------------------------------------------------------- */

yoke_status yk_net_expr_bad(const yk_net_parser *p, yoke_err *err,
                            const char *what)
{
    const int from = (int)(p->p - p->text);

    return yk_net_fail(err, YOKE_E_ARG, yk_net_at(p->r, p->at, p->p),
                       "expression \"%.*s\": %s at letter %d",
                       (int)(p->end - p->text > 120 ? 120 : p->end - p->text),
                       p->text, what, from + 1);
}

void yk_net_expr_blank(yk_net_parser *p)
{
    while (p->p < p->end && isspace((unsigned char)*p->p)) p->p++;
}

bool yk_net_expr_take(yk_net_parser *p, const char *mark)
{
    const size_t n = strlen(mark);

    yk_net_expr_blank(p);
    if ((size_t)(p->end - p->p) < n || memcmp(p->p, mark, n) != 0) return false;
    p->p += n;
    return true;
}

bool yk_net_same_name(const char *name, int length, const char *text)
{
    return strlen(text) == (size_t)length &&
           memcmp(name, text, (size_t)length) == 0;
}

/* ---- steps --------------------------------------------------------------- */

yoke_status yk_net_emit(yk_net_parser *p, yk_expr_step step,
                        yk_net_operand *out, yoke_err *err)
{
    yk_net_build *b = p->b;

    if (b->program.steps >= MOST_STEPS || ++b->work > MOST_WORK)
        return yk_net_expr_bad(
            p, err,
            "it grows too long (do functions call each other "
            "again and again?)");
    if (++p->r->work > most_work)
        return yk_net_expr_bad(p, err,
                               "the expressions of all instances "
                               "together are too much work");
    out->start = b->program.steps;
    return yk_expr_append(&b->program, step, &out->at, err);
}

yoke_status yk_net_emit_number(yk_net_parser *p, double value,
                               yk_net_operand *out, yoke_err *err)
{
    const yk_expr_step step = { .op = YK_OP_NUMBER, .number = value };

    return yk_net_emit(p, step, out, err);
}

bool yk_net_is_constant(const yk_net_parser *p, const yk_net_operand *a,
                        double *value)
{
    const yk_expr_step *s = &p->b->program.step[a->at];

    *value = s->number;
    return s->op == YK_OP_NUMBER;
}

void yk_net_drop(yk_net_parser *p, const yk_net_operand *a)
{
    yk_net_build *b = p->b;

    b->program.steps = a->start;
    for (int k = 0; k < b->vars; k++)
        if (b->place[k] >= a->start) b->place[k] = -1;
}

/* One step, or the number that it is. */
static yoke_status put(yk_net_parser *p, yk_op op, int a, int b, int c, int *at,
                       yoke_err *err)
{
    const yk_expr_step *s = p->b->program.step;
    const int last = yk_op_operands(op) - 1, own[3] = { a, b, c };
    yk_net_operand out;
    bool constant = true;

    for (int k = 0; k <= last; k++)
        constant = constant && s[own[k]].op == YK_OP_NUMBER;
    if (constant)
        YK_TRY(yk_net_emit_number(p,
                                  yk_op_value(op, s[a].number,
                                              last > 0 ? s[b].number : 0.0,
                                              last > 1 ? s[c].number : 0.0),
                                  &out, err));
    else
        YK_TRY(yk_net_emit(
            p, (yk_expr_step){ .op = op, .a = a, .b = b, .c = c }, &out, err));
    *at = out.at;
    return YOKE_OK;
}

/* Not 0: 1; of ngspice, while more than 0.5 is true in the list. */
static yoke_status truth(yk_net_parser *p, int a, int *at, yoke_err *err)
{
    yk_net_operand zero;

    *at = a;
    if (yk_op_is_truth(p->b->program.step[a].op)) return YOKE_OK;
    YK_TRY(yk_net_emit_number(p, 0.0, &zero, err));
    YK_TRY(put(p, YK_OP_EQUAL, a, zero.at, 0, at, err));
    return put(p, YK_OP_NOT, *at, 0, 0, at, err);
}

/* A number alone, without what it was made of. */
static yoke_status fold(yk_net_parser *p, yk_net_operand *a, int at,
                        yoke_err *err)
{
    double value;

    a->at = at;
    if (!yk_net_is_constant(p, a, &value)) return YOKE_OK;
    yk_net_drop(p, a);
    return yk_net_emit_number(p, value, a, err);
}

static yoke_status put_unary(yk_net_parser *p, int op, int a, int *at,
                             yoke_err *err)
{
    yk_net_operand zero, one;

    switch (op) {
    case YK_OP_NOT:
        YK_TRY(truth(p, a, at, err));
        return put(p, YK_OP_NOT, *at, 0, 0, at, err);
    case YK_NET_SQUARE:
        return put(p, YK_OP_MULTIPLY, a, a, 0, at, err);
    case YK_NET_STEP:
        YK_TRY(yk_net_emit_number(p, 0.5, &one, err));
        YK_TRY(put(p, YK_OP_SIGN, a, 0, 0, at, err));
        YK_TRY(put(p, YK_OP_MULTIPLY, one.at, *at, 0, at, err));
        return put(p, YK_OP_ADD, one.at, *at, 0, at, err);
    case YK_NET_STEP_2:
        YK_TRY(yk_net_emit_number(p, 0.0, &zero, err));
        YK_TRY(yk_net_emit_number(p, 1.0, &one, err));
        YK_TRY(put(p, YK_OP_MAX, a, zero.at, 0, at, err));
        return put(p, YK_OP_MIN, one.at, *at, 0, at, err);
    case YK_NET_RAMP:
        YK_TRY(yk_net_emit_number(p, 0.0, &zero, err));
        return put(p, YK_OP_MAX, zero.at, a, 0, at, err);
    case YK_NET_ABOVE_0:
        YK_TRY(yk_net_emit_number(p, 0.0, &zero, err));
        return put(p, YK_OP_LESS, zero.at, a, 0, at, err);
    case YK_NET_HIGH:
        YK_TRY(yk_net_emit_number(p, 0.5, &one, err));
        return put(p, YK_OP_LESS, one.at, a, 0, at, err);
    case YK_NET_LOW:
        YK_TRY(yk_net_emit_number(p, 0.5, &one, err));
        return put(p, YK_OP_LESS_EQUAL, a, one.at, 0, at, err);
    default:
        return put(p, (yk_op)op, a, 0, 0, at, err);
    }
}

yoke_status yk_net_emit_unary(yk_net_parser *p, int op, yk_net_operand *a,
                              yoke_err *err)
{
    int at = 0;

    YK_TRY(put_unary(p, op, a->at, &at, err));
    return fold(p, a, at, err);
}

yoke_status yk_net_emit_middle(yk_net_parser *p, yk_net_operand *x,
                               const yk_net_operand *a, const yk_net_operand *b,
                               yoke_err *err)
{
    int low = 0, high = 0, at = 0;

    YK_TRY(put(p, YK_OP_MIN, a->at, b->at, 0, &low, err));
    YK_TRY(put(p, YK_OP_MAX, a->at, b->at, 0, &high, err));
    YK_TRY(put(p, YK_OP_MAX, x->at, low, 0, &at, err));
    YK_TRY(put(p, YK_OP_MIN, at, high, 0, &at, err));
    return fold(p, x, at, err);
}

/* a - b trunc(a / b), or trunc(|a / b|). */
static yoke_status put_whole(yk_net_parser *p, int op, int a, int b, int *at,
                             yoke_err *err)
{
    YK_TRY(put(p, YK_OP_DIVIDE, a, b, 0, at, err));
    if (op == YK_NET_WHOLE) YK_TRY(put(p, YK_OP_ABS, *at, 0, 0, at, err));
    YK_TRY(put(p, YK_OP_TRUNC, *at, 0, 0, at, err));
    if (op == YK_NET_WHOLE) return YOKE_OK;
    YK_TRY(put(p, YK_OP_MULTIPLY, b, *at, 0, at, err));
    return put(p, YK_OP_SUBTRACT, a, *at, 0, at, err);
}

/* An even power does without the absolute value. */
static yoke_status put_power(yk_net_parser *p, int a, int b, int *at,
                             yoke_err *err)
{
    const yk_expr_step *s = &p->b->program.step[b];
    const bool even = s->op == YK_OP_NUMBER && fmod(s->number, 2.0) == 0.0;

    if (!even) YK_TRY(put(p, YK_OP_ABS, a, 0, 0, &a, err));
    return put(p, YK_OP_POWER, a, b, 0, at, err);
}

/* min and max of equal operands are the first and the second one here, in the
 * list the second. */
static yoke_status put_binary(yk_net_parser *p, int op, int a, int b, int *at,
                              yoke_err *err)
{
    switch (op) {
    case YK_OP_MIN:
        return put(p, YK_OP_MIN, b, a, 0, at, err);
    case YK_OP_AND:
    case YK_OP_OR:
        YK_TRY(truth(p, a, &a, err));
        YK_TRY(truth(p, b, &b, err));
        return put(p, (yk_op)op, a, b, 0, at, err);
    case YK_NET_GREATER:
        return put(p, YK_OP_LESS, b, a, 0, at, err);
    case YK_NET_GREATER_EQUAL:
        return put(p, YK_OP_LESS_EQUAL, b, a, 0, at, err);
    case YK_NET_UNEQUAL:
        YK_TRY(put(p, YK_OP_EQUAL, a, b, 0, at, err));
        return put(p, YK_OP_NOT, *at, 0, 0, at, err);
    case YK_NET_REMAINDER:
    case YK_NET_WHOLE:
        return put_whole(p, op, a, b, at, err);
    case YK_NET_ABS_POWER:
        return put_power(p, a, b, at, err);
    default:
        return put(p, (yk_op)op, a, b, 0, at, err);
    }
}

yoke_status yk_net_emit_binary(yk_net_parser *p, int op, yk_net_operand *a,
                               const yk_net_operand *b, yoke_err *err)
{
    int at = 0;

    YK_TRY(put_binary(p, op, a->at, b->at, &at, err));
    return fold(p, a, at, err);
}

yoke_status yk_net_emit_select(yk_net_parser *p, yk_net_operand *a,
                               const yk_net_operand *b, const yk_net_operand *c,
                               yoke_err *err)
{
    int at = 0;

    YK_TRY(truth(p, a->at, &at, err));
    YK_TRY(put(p, YK_OP_IF, at, b->at, c->at, &at, err));
    return fold(p, a, at, err);
}

/* ---- tables -------------------------------------------------------------- */

yoke_status yk_net_emit_point(yk_net_parser *p, double value, yoke_err *err)
{
    yk_net_build *b = p->b;

    YK_TRY(YK_GROW(&b->point, &b->point_room, b->points + 1, err));
    b->point[b->points++] = value;
    return YOKE_OK;
}

static yoke_status check_points(yk_net_parser *p, int first, yoke_err *err)
{
    const yk_net_build *b = p->b;
    const int count = b->points - first;

    if (count < 4 || count % 2)
        return yk_net_expr_bad(p, err, "pwl needs two points x, y or more");
    for (int i = first + 2; i < b->points; i += 2)
        if (!(b->point[i] > b->point[i - 2]))
            return yk_net_expr_bad(p, err, "the points of pwl do not grow");
    return YOKE_OK;
}

yoke_status yk_net_emit_points(yk_net_parser *p, yk_op op, int first,
                               yk_net_operand *a, yoke_err *err)
{
    const int rows = (p->b->points - first) / 2;
    const int start = a->start;
    double x;

    YK_TRY(check_points(p, first, err));
    if (yk_net_is_constant(p, a, &x)) {
        yk_net_drop(p, a);
        return yk_net_emit_number(
            p, yk_table_value(op, p->b->point + first, rows, x), a, err);
    }
    const yk_expr_step step = {
        .op = op, .a = a->at, .arg = rows, .number = first
    };
    YK_TRY(yk_net_emit(p, step, a, err));
    a->start = start;
    return YOKE_OK;
}

/* ---- values -------------------------------------------------------------- */

size_t yk_net_expr_work(const yk_net_expr *expr)
{
    return 2 * (size_t)expr->steps;
}

void yk_net_expr_eval(const yk_net_expr *expr, double t, const double *var,
                      double *value, double *slope, double *work)
{
    yk_expr_values(expr->step, expr->steps, t, var, work);
    *value = work[expr->steps - 1];
    if (slope)
        yk_expr_gradient(expr->step, expr->steps - 1, work, expr->vars, slope,
                         work + expr->steps);
}

bool yk_net_expr_is_affine(const yk_net_expr *expr)
{
    return expr->step[expr->steps - 1].kind < YK_KIND_NONLINEAR;
}
