/* comp/netlist/read/expr_program.c -- expressions as programs.
 *
 * Truth is what is not zero in netlists, and more than 0.5 in programs; other
 * operations that programs have not are made of several.
 */
#include "comp/netlist/read/expr_program.h"

#include <math.h>

int yk_net_put(yk_net_writer *w, yk_op op, int a, int b, int c)
{
    const yk_expr_step s = { .op = op, .a = a, .b = b, .c = c, .number = 1.0 };
    int out = 0;

    if (w->status == YOKE_OK)
        w->status = yk_expr_append(&w->all, s, &out, w->err);
    return out;
}

int yk_net_put_number(yk_net_writer *w, double value)
{
    const int at = yk_net_put(w, YK_OP_NUMBER, -1, -1, -1);

    if (w->status == YOKE_OK) w->all.step[at].number = value;
    return at;
}

int yk_net_put_lines(yk_net_writer *w, yk_op op, int a, const double *point,
                     int rows)
{
    const int at = yk_net_put(w, op, a, -1, -1);

    if (w->status != YOKE_OK) return at;
    w->all.step[at].table = point;
    w->all.step[at].arg = rows;
    return at;
}

static int one(yk_net_writer *w, yk_op op, int a)
{
    return yk_net_put(w, op, a, -1, -1);
}

static int two(yk_net_writer *w, yk_op op, int a, int b)
{
    return yk_net_put(w, op, a, b, -1);
}

static const struct {
    yk_net_op op;
    yk_op is;
} same[] = {
    { YK_NET_OP_NEG, YK_OP_NEGATE },   { YK_NET_OP_ADD, YK_OP_ADD },
    { YK_NET_OP_SUB, YK_OP_SUBTRACT }, { YK_NET_OP_MUL, YK_OP_MULTIPLY },
    { YK_NET_OP_DIV, YK_OP_DIVIDE },   { YK_NET_OP_SAFE_DIV, YK_OP_DIVIDE },
    { YK_NET_OP_POW, YK_OP_POWER },    { YK_NET_OP_ABS, YK_OP_ABS },
    { YK_NET_OP_SGN, YK_OP_SIGN },     { YK_NET_OP_SQRT, YK_OP_SQRT },
    { YK_NET_OP_EXP, YK_OP_EXP },      { YK_NET_OP_LN, YK_OP_LOG },
    { YK_NET_OP_SIN, YK_OP_SIN },      { YK_NET_OP_COS, YK_OP_COS },
    { YK_NET_OP_TAN, YK_OP_TAN },      { YK_NET_OP_ASIN, YK_OP_ASIN },
    { YK_NET_OP_ACOS, YK_OP_ACOS },    { YK_NET_OP_ATAN, YK_OP_ATAN },
    { YK_NET_OP_SINH, YK_OP_SINH },    { YK_NET_OP_COSH, YK_OP_COSH },
    { YK_NET_OP_TANH, YK_OP_TANH },    { YK_NET_OP_ASINH, YK_OP_ASINH },
    { YK_NET_OP_ACOSH, YK_OP_ACOSH },  { YK_NET_OP_ATANH, YK_OP_ATANH },
    { YK_NET_OP_MIN, YK_OP_MIN },      { YK_NET_OP_MAX, YK_OP_MAX },
    { YK_NET_OP_CEIL, YK_OP_CEIL },    { YK_NET_OP_FLOOR, YK_OP_FLOOR },
    { YK_NET_OP_INT, YK_OP_TRUNC },    { YK_NET_OP_NINT, YK_OP_ROUND },
    { YK_NET_OP_LT, YK_OP_LESS },      { YK_NET_OP_LE, YK_OP_LESS_EQUAL },
    { YK_NET_OP_EQ, YK_OP_EQUAL },     { YK_NET_OP_LOG10, YK_OP_LOG10 },
};

static int truth(yk_net_writer *w, int a)
{
    if (w->status == YOKE_OK && yk_op_is_truth(w->all.step[a].op)) return a;
    return two(w, YK_OP_LESS, yk_net_put_number(w, 0.0), one(w, YK_OP_ABS, a));
}

static int remainder_of(yk_net_writer *w, int a, int b)
{
    const int whole = one(w, YK_OP_TRUNC, two(w, YK_OP_DIVIDE, a, b));

    return two(w, YK_OP_SUBTRACT, a, two(w, YK_OP_MULTIPLY, b, whole));
}

/* |a|^b, with the sign of a or without.  Whole powers may need neither. */
static int put_power(yk_net_writer *w, bool sign, int a, int b)
{
    const bool is_number =
        w->status == YOKE_OK && w->all.step[b].op == YK_OP_NUMBER;

    if (is_number && fmod(w->all.step[b].number, 2.0) == (sign ? 1.0 : 0.0))
        return two(w, YK_OP_POWER, a, b);
    return sign ? two(w, YK_OP_SIGN_POWER, a, b)
                : two(w, YK_OP_POWER, one(w, YK_OP_ABS, a), b);
}

static int put_made(yk_net_writer *w, const yk_net_step *s, const int *a)
{
    switch (s->op) {
    case YK_NET_OP_SQR:
        return two(w, YK_OP_MULTIPLY, a[0], a[0]);
    case YK_NET_OP_GT:
        return two(w, YK_OP_LESS, a[1], a[0]);
    case YK_NET_OP_GE:
        return two(w, YK_OP_LESS_EQUAL, a[1], a[0]);
    case YK_NET_OP_NE:
        return one(w, YK_OP_NOT, two(w, YK_OP_EQUAL, a[0], a[1]));
    case YK_NET_OP_INT_DIV:
        return one(w, YK_OP_TRUNC,
                   one(w, YK_OP_ABS, two(w, YK_OP_DIVIDE, a[0], a[1])));
    case YK_NET_OP_NOT:
        return one(w, YK_OP_NOT, truth(w, a[0]));
    case YK_NET_OP_AND:
        return two(w, YK_OP_AND, truth(w, a[0]), truth(w, a[1]));
    case YK_NET_OP_OR:
        return two(w, YK_OP_OR, truth(w, a[0]), truth(w, a[1]));
    case YK_NET_OP_SELECT:
        return yk_net_put(w, YK_OP_IF, truth(w, a[0]), a[1], a[2]);
    case YK_NET_OP_STEP:
        return two(w, YK_OP_LESS, yk_net_put_number(w, 0.0), a[0]);
    case YK_NET_OP_STEP2:
        return two(w, YK_OP_MIN, yk_net_put_number(w, 1.0),
                   two(w, YK_OP_MAX, yk_net_put_number(w, 0.0), a[0]));
    case YK_NET_OP_RAMP:
        return two(w, YK_OP_MAX, yk_net_put_number(w, 0.0), a[0]);
    case YK_NET_OP_MOD:
        return remainder_of(w, a[0], a[1]);
    case YK_NET_OP_ABS_POW:
    case YK_NET_OP_SIGN_POW:
        return put_power(w, s->op == YK_NET_OP_SIGN_POW, a[0], a[1]);
    default:
        for (size_t i = 0; i < sizeof same / sizeof *same; i++)
            if (same[i].op == s->op)
                return yk_net_put(w, same[i].is, a[0],
                                  yk_net_operands(s->op) == 2 ? a[1] : -1, -1);
        return 0;
    }
}

int yk_net_put_expr(yk_net_writer *w, const yk_net_expr *expr,
                    int (*variable)(yk_net_writer *w, void *self, int k),
                    void *self)
{
    const yk_net_code *code = expr->code;
    int *stack = NULL, top = 0;

    if (w->status == YOKE_OK)
        w->status = yk_ints(&stack, (size_t)code->depth + 3, w->err);
    for (int k = 0; w->status == YOKE_OK && k < code->steps; k++) {
        const yk_net_step *s = &code->step[k];
        int *a = stack + (top -= yk_net_operands(s->op));
        top++;
        if (s->op == YK_NET_OP_NUMBER)
            *a = yk_net_put_number(w, s->number);
        else if (s->op == YK_NET_OP_TIME)
            *a = yk_net_put(w, YK_OP_TIME, -1, -1, -1);
        else if (s->op == YK_NET_OP_VAR)
            *a = variable ? variable(w, self, s->arg)
                          : yk_net_put(w, YK_OP_VARIABLE, -1, -1, -1);
        else if (s->op == YK_NET_OP_PWL || s->op == YK_NET_OP_TABLE)
            *a = yk_net_put_lines(
                w, s->op == YK_NET_OP_PWL ? YK_OP_LINES : YK_OP_ROUNDED, *a,
                code->point + s->arg, (int)s->number);
        else
            *a = put_made(w, s, a);
    }
    const int root = stack ? stack[0] : 0;
    yk_free(stack);
    return root;
}
