/* comp/netlist/read/expr_code.c -- value and exact derivatives of expressions.
 *
 * Where a function has a corner or a jump, the derivative is the one of the
 * piece that gives the value.
 */
#include "comp/netlist/read/expr.h"

#include <math.h>
#include <string.h>

int yk_net_operands(yk_net_op op)
{
    static const int operands[] = {
#define OPERANDS(name, count) count,
        YK_NET_OPS(OPERANDS)
#undef OPERANDS
    };
    return operands[op];
}

static double sign(double x)
{
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
}

static double truth(bool holds)
{
    return holds ? 1.0 : 0.0;
}

/* ---- functions of one operand: value, *d its derivative ------------------ */

static double trigonometric(yk_net_op op, double x, double *d)
{
    double y;

    switch (op) {
    case YK_NET_OP_SIN:
        *d = cos(x);
        return sin(x);
    case YK_NET_OP_COS:
        *d = -sin(x);
        return cos(x);
    case YK_NET_OP_TAN:
        y = tan(x);
        *d = 1.0 + y * y;
        return y;
    case YK_NET_OP_ASIN:
        *d = 1.0 / sqrt(1.0 - x * x);
        return asin(x);
    case YK_NET_OP_ACOS:
        *d = -1.0 / sqrt(1.0 - x * x);
        return acos(x);
    case YK_NET_OP_ATAN:
        *d = 1.0 / (1.0 + x * x);
        return atan(x);
    case YK_NET_OP_SINH:
        *d = cosh(x);
        return sinh(x);
    case YK_NET_OP_COSH:
        *d = sinh(x);
        return cosh(x);
    case YK_NET_OP_TANH:
        y = tanh(x);
        *d = 1.0 - y * y;
        return y;
    case YK_NET_OP_ASINH:
        *d = 1.0 / sqrt(1.0 + x * x);
        return asinh(x);
    case YK_NET_OP_ACOSH:
        *d = 1.0 / sqrt(x * x - 1.0);
        return acosh(x);
    default:
        *d = 1.0 / (1.0 - x * x);
        return atanh(x);
    }
}

static double stepped(yk_net_op op, double x, double *d)
{
    *d = 0.0;
    switch (op) {
    case YK_NET_OP_NOT:
        return truth(x == 0.0);
    case YK_NET_OP_SGN:
        return sign(x);
    case YK_NET_OP_CEIL:
        return ceil(x);
    case YK_NET_OP_FLOOR:
        return floor(x);
    case YK_NET_OP_NINT:
        return nearbyint(x);
    case YK_NET_OP_INT:
        return trunc(x);
    default:
        return x < 0.0 ? 0.0 : x > 0.0 ? 1.0 : 0.5; /* STEP */
    }
}

static double unary(yk_net_op op, double x, double *d)
{
    double y;

    switch (op) {
    case YK_NET_OP_NEG:
        *d = -1.0;
        return -x;
    case YK_NET_OP_ABS:
        *d = x < 0.0 ? -1.0 : 1.0;
        return fabs(x);
    case YK_NET_OP_SQR:
        *d = 2.0 * x;
        return x * x;
    case YK_NET_OP_SQRT:
        y = sqrt(x);
        *d = 0.5 / y;
        return y;
    case YK_NET_OP_EXP:
        return *d = exp(x);
    case YK_NET_OP_LN:
        *d = 1.0 / x;
        return log(x);
    case YK_NET_OP_LOG10:
        *d = 1.0 / (x * log(10.0));
        return log10(x);
    case YK_NET_OP_STEP2:
        *d = x > 0.0 && x <= 1.0 ? 1.0 : 0.0;
        return x <= 0.0 ? 0.0 : x <= 1.0 ? x : 1.0;
    case YK_NET_OP_RAMP:
        *d = x < 0.0 ? 0.0 : 1.0;
        return x < 0.0 ? 0.0 : x;
    case YK_NET_OP_NOT:
    case YK_NET_OP_SGN:
    case YK_NET_OP_CEIL:
    case YK_NET_OP_FLOOR:
    case YK_NET_OP_NINT:
    case YK_NET_OP_INT:
    case YK_NET_OP_STEP:
        return stepped(op, x, d);
    default:
        return trigonometric(op, x, d);
    }
}

/* Number of the piece of points that holds x, by halving. */
static int find_piece(const double *point, int points, double x)
{
    int low = 0, high = points - 1;

    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (point[2 * middle] > x)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static double slope_of(const double *a)
{
    return (a[3] - a[1]) / (a[2] - a[0]);
}

static double straight(const double *point, int points, double x, double *d)
{
    const double *a = point + 2 * find_piece(point, points, x);

    *d = slope_of(a);
    return a[1] + *d * (x - a[0]);
}

/* Near a point, within a tenth of the shorter piece beside it, ngspice's table
 * is a parabola.  True if x lies there. */
static bool at_corner(const double *point, int points, int k, double x,
                      double *y, double *d)
{
    const double *c = point + 2 * k;
    const double below = k > 0 ? c[0] - c[-2] : INFINITY;
    const double above = k < points - 1 ? c[2] - c[0] : INFINITY;
    const double reach = 0.1 * fmin(below, above);
    const double rises = k > 0 ? slope_of(c - 2) : 0.0;
    const double leaves = k < points - 1 ? slope_of(c) : 0.0;
    const double in = x - c[0] + reach;

    if (in <= 0.0 || in >= 2.0 * reach) return false;
    *d = rises + (leaves - rises) * in / (2.0 * reach);
    *y = c[1] + rises * (x - c[0]) + (leaves - rises) * in * in / (4.0 * reach);
    return true;
}

static double table(const double *point, int points, double x, double *d)
{
    const int k = find_piece(point, points, x);
    double y;

    if (at_corner(point, points, k, x, &y, d) ||
        at_corner(point, points, k + 1, x, &y, d))
        return y;
    if (x > point[0] && x < point[2 * points - 2])
        return straight(point, points, x, d);
    *d = 0.0;
    return x <= point[0] ? point[1] : point[2 * points - 1];
}

/* ---- functions of two operands ------------------------------------------- */

/* |x|^y or sgn(x) |x|^y. */
static double power(bool is_signed, double x, double y, double *dx, double *dy)
{
    const double a = fabs(x), s = x < 0.0 ? -1.0 : 1.0;
    const double value = pow(a, y);

    *dx = y == 0.0 ? 0.0 : y * pow(a, y - 1.0) * (is_signed ? 1.0 : s);
    *dy = a > 0.0 ? value * log(a) : 0.0;
    if (!is_signed) return value;
    *dy *= s;
    return s * value;
}

static double plain_power(double x, double y, double *dx, double *dy)
{
    const double value = pow(x, y);

    *dx = y == 0.0 ? 0.0 : y * pow(x, y - 1.0);
    *dy = x > 0.0 ? value * log(x) : 0.0;
    return value;
}

static double quotient(double x, double y, double *dx, double *dy)
{
    *dx = 1.0 / y;
    *dy = -x / (y * y);
    return x / y;
}

/* ngspice adds this much to the divisors of B sources, so that 0/0 is 0. */
static double safe_divisor(double y)
{
    return y >= 0.0 ? y + 1e-32 : y - 1e-32;
}

static double compare(yk_net_op op, double x, double y)
{
    switch (op) {
    case YK_NET_OP_EQ:
        return truth(x == y);
    case YK_NET_OP_NE:
        return truth(x != y);
    case YK_NET_OP_LT:
        return truth(x < y);
    case YK_NET_OP_LE:
        return truth(x <= y);
    case YK_NET_OP_GT:
        return truth(x > y);
    case YK_NET_OP_GE:
        return truth(x >= y);
    case YK_NET_OP_AND:
        return truth(x != 0.0 && y != 0.0);
    case YK_NET_OP_OR:
        return truth(x != 0.0 || y != 0.0);
    default:
        return trunc(fabs(x / y)); /* INT_DIV */
    }
}

static double binary(yk_net_op op, double x, double y, double *dx, double *dy)
{
    *dx = 1.0;
    *dy = 1.0;
    switch (op) {
    case YK_NET_OP_ADD:
        return x + y;
    case YK_NET_OP_SUB:
        *dy = -1.0;
        return x - y;
    case YK_NET_OP_MUL:
        *dx = y;
        *dy = x;
        return x * y;
    case YK_NET_OP_DIV:
        return quotient(x, y, dx, dy);
    case YK_NET_OP_SAFE_DIV:
        return quotient(x, safe_divisor(y), dx, dy);
    case YK_NET_OP_MOD:
        *dy = -trunc(x / y);
        return x + y * *dy;
    case YK_NET_OP_POW:
        return plain_power(x, y, dx, dy);
    case YK_NET_OP_ABS_POW:
        return power(false, x, y, dx, dy);
    case YK_NET_OP_SIGN_POW:
        return power(true, x, y, dx, dy);
    case YK_NET_OP_MIN:
        *dx = x > y ? 0.0 : 1.0;
        *dy = 1.0 - *dx;
        return x > y ? y : x;
    case YK_NET_OP_MAX:
        *dx = x > y ? 1.0 : 0.0;
        *dy = 1.0 - *dx;
        return x > y ? x : y;
    default:
        *dx = 0.0;
        *dy = 0.0;
        return compare(op, x, y);
    }
}

/* ---- the machine --------------------------------------------------------- */

/* A slope of 0 stays 0 whatever it is multiplied with: a constant argument at
 * a singular point of a function is no reason for a slope that is none. */
static double chain(double d, double slope)
{
    return slope == 0.0 ? 0.0 : d * slope;
}

void yk_net_run(const yk_net_step *step, int steps, const double *point,
                double t, const double *var, int vars, double *stack)
{
    const size_t width = (size_t)vars + 1;
    double *above = stack, d = 0.0, e = 0.0; /* what lies on the stack */

    for (int k = 0; k < steps; k++) {
        const yk_net_step *s = &step[k];
        double *top, *a;
        switch (yk_net_operands(s->op)) {
        case 0:
            top = above;
            above += width;
            memset(top, 0, width * sizeof *top);
            top[0] = s->op == YK_NET_OP_TIME  ? t
                     : s->op == YK_NET_OP_VAR ? var[s->arg]
                                              : s->number;
            if (s->op == YK_NET_OP_VAR) top[1 + s->arg] = 1.0;
            break;
        case 1:
            top = above - width;
            if (s->op == YK_NET_OP_PWL)
                top[0] = straight(point + s->arg, (int)s->number, top[0], &d);
            else if (s->op == YK_NET_OP_TABLE)
                top[0] = table(point + s->arg, (int)s->number, top[0], &d);
            else
                top[0] = unary(s->op, top[0], &d);
            for (int i = 1; i <= vars; i++) top[i] = chain(d, top[i]);
            break;
        case 2:
            top = above - width;
            a = top - width;
            a[0] = binary(s->op, a[0], top[0], &d, &e);
            for (int i = 1; i <= vars; i++)
                a[i] = chain(d, a[i]) + chain(e, top[i]);
            above = top;
            break;
        default: /* SELECT */
            a = above - 3 * width;
            memmove(a, a + (a[0] != 0.0 ? width : 2 * width),
                    width * sizeof *a);
            above = a + width;
        }
    }
}

size_t yk_net_expr_work(const yk_net_expr *expr)
{
    return (size_t)expr->code->depth * ((size_t)expr->vars + 1);
}

void yk_net_expr_eval(const yk_net_expr *expr, double t, const double *var,
                      double *value, double *slope, double *work)
{
    const yk_net_code *code = expr->code;

    yk_net_run(code->step, code->steps, code->point, t, var, expr->vars, work);
    *value = work[0];
    memcpy(slope, work + 1, (size_t)expr->vars * sizeof *slope);
}

/* What a place of the stack depends on, each kind more than the one before. */
typedef enum kind { NUMBER, TIMED, AFFINE, CURVED } kind;

static kind most(kind a, kind b)
{
    return a > b ? a : b;
}

/* A function of a number or of time alone is of the same kind. */
static kind kind_of(yk_net_op op, kind a, kind b)
{
    const kind both = most(a, b);

    switch (op) {
    case YK_NET_OP_NEG:
    case YK_NET_OP_ADD:
    case YK_NET_OP_SUB:
        return both;
    case YK_NET_OP_MUL:
        if (a == NUMBER || b == NUMBER) return both;
        break;
    case YK_NET_OP_DIV:
    case YK_NET_OP_SAFE_DIV:
        if (b == NUMBER) return both;
        break;
    default:
        break;
    }
    return both < AFFINE ? both : CURVED;
}

bool yk_net_expr_is_affine(const yk_net_expr *expr)
{
    enum { DEEPEST = 64 };
    const yk_net_code *code = expr->code;
    kind stack[DEEPEST] = { NUMBER };
    int above = 0;

    if (code->depth > DEEPEST) return false;
    for (int i = 0; i < code->steps; i++) {
        const yk_net_op op = code->step[i].op;
        const int operands = yk_net_operands(op);
        above -= operands;
        if (operands == 0)
            stack[above] = op == YK_NET_OP_VAR    ? AFFINE
                           : op == YK_NET_OP_TIME ? TIMED
                                                  : NUMBER;
        else
            stack[above] = kind_of(op, stack[above],
                                   operands > 1 ? stack[above + 1] : NUMBER);
        if (operands > 2 && most(stack[above], stack[above + 2]) >= AFFINE)
            stack[above] = CURVED;
        above++;
    }
    return stack[0] < CURVED;
}
