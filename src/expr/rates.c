/* expr/rates.c -- derivatives of expressions by time.
 *
 * Each step carries (v, v', v''), from its operands by the rules for sums,
 * products and quotients and, for a function g,
 *
 *     g(a)' = g' a',   g(a)'' = g'' a'^2 + g' a''.
 *
 * Constraints that are driven, such as x = sin(time), need them.
 */
#include "expr/program.h"
#include "expr/table.h"

#include <math.h>

typedef struct rate {
    double v, d, dd;
} rate;

static rate product(rate a, rate b)
{
    return (rate){ a.v * b.v, a.d * b.v + a.v * b.d,
                   a.dd * b.v + 2.0 * a.d * b.d + a.v * b.dd };
}

/* q = a / b from a = q b. */
static rate quotient(rate a, rate b)
{
    const double v = a.v / b.v, d = (a.d - v * b.d) / b.v;

    return (rate){ v, d, (a.dd - 2.0 * d * b.d - v * b.dd) / b.v };
}

static rate chain(double v, double first, double second, rate a)
{
    return (rate){ v, first * a.d, second * a.d * a.d + first * a.dd };
}

/* g'' of y = g(x) with g' = d. */
static double second_of(yk_op op, double x, double y, double d)
{
    switch (op) {
    case YK_OP_SIN:
    case YK_OP_COS:
        return -y;
    case YK_OP_SINH:
    case YK_OP_COSH:
    case YK_OP_EXP:
        return y;
    case YK_OP_TAN:
        return 2.0 * y * d;
    case YK_OP_TANH:
        return -2.0 * y * d;
    case YK_OP_ASIN:
    case YK_OP_ACOS:
        return x * d / (1.0 - x * x);
    case YK_OP_ATAN:
        return -2.0 * x * d * d;
    case YK_OP_ASINH:
        return -x * d / (1.0 + x * x);
    case YK_OP_ACOSH:
        return -x * d / (x * x - 1.0);
    case YK_OP_ATANH:
        return 2.0 * x * d * d;
    case YK_OP_LOG:
    case YK_OP_LOG10:
        return -d / x;
    case YK_OP_SQRT:
        return -0.5 * d / x;
    default:
        return 0.0;
    }
}

/* g' by the one list of derivatives. */
static rate apply(const yk_expr_step *s, rate a)
{
    yk_expr_step step[2] = { { .op = YK_OP_VARIABLE, .number = 1.0 }, *s };
    double v[2] = { a.v, 0.0 }, d = 0.0, bar[2];

    step[1].a = step[1].b = step[1].c = 0;
    yk_expr_classify(step, 0);
    yk_expr_classify(step, 1);
    v[1] = yk_op_is_table(s->op) ? yk_table_value(s->op, s->table, s->arg, a.v)
                                 : yk_op_value(s->op, a.v, a.v, a.v);
    yk_expr_gradient(step, 1, v, 1, &d, bar);
    return chain(v[1], d, second_of(s->op, a.v, v[1], d), a);
}

static rate power(rate a, rate b)
{
    if (b.d == 0.0 && b.dd == 0.0) {
        const double first = b.v, second = b.v * (b.v - 1.0);
        return chain(pow(a.v, b.v),
                     first != 0.0 ? first * pow(a.v, b.v - 1.0) : 0.0,
                     second != 0.0 ? second * pow(a.v, b.v - 2.0) : 0.0, a);
    }
    const rate log_a = { log(a.v), a.d / a.v,
                         a.dd / a.v - a.d * a.d / (a.v * a.v) };
    const rate up = product(b, log_a);
    const double v = exp(up.v);
    return chain(v, v, v, up);
}

static rate signed_power(rate a, rate b)
{
    const double side = a.v < 0.0 ? -1.0 : 1.0;
    const rate size = { side * a.v, side * a.d, side * a.dd };
    const rate up = power(size, b);

    return (rate){ side * up.v, side * up.d, side * up.dd };
}

static rate angle(rate y, rate x)
{
    const double r = x.v * x.v + y.v * y.v;
    const double d = (x.v * y.d - y.v * x.d) / r;
    const double dd =
        (x.v * y.dd - y.v * x.dd) / r - 2.0 * d * (x.v * x.d + y.v * y.d) / r;

    return (rate){ atan2(y.v, x.v), d, dd };
}

static rate of_step(const yk_expr_step *s, rate a, rate b, rate c)
{
    switch (s->op) {
    case YK_OP_ADD:
        return (rate){ a.v + b.v, a.d + b.d, a.dd + b.dd };
    case YK_OP_SUBTRACT:
        return (rate){ a.v - b.v, a.d - b.d, a.dd - b.dd };
    case YK_OP_MULTIPLY:
        return product(a, b);
    case YK_OP_DIVIDE:
    case YK_OP_SAFE_DIVIDE:
        return quotient(a, b);
    case YK_OP_NEGATE:
        return (rate){ -a.v, -a.d, -a.dd };
    case YK_OP_IF:
        return a.v > 0.5 ? b : c;
    case YK_OP_MIN:
        return a.v < b.v ? a : b;
    case YK_OP_MAX:
        return a.v > b.v ? a : b;
    case YK_OP_POWER:
        return power(a, b);
    case YK_OP_SIGN_POWER:
        return signed_power(a, b);
    case YK_OP_ATAN2:
        return angle(a, b);
    default:
        if (yk_op_operands(s->op) == 1) return apply(s, a);
        return (rate){ yk_op_value(s->op, a.v, b.v, c.v), 0.0, 0.0 };
    }
}

void yk_expr_rates(const yk_expr_step *step, int steps, double t,
                   const double *y, double *v, double *out)
{
    yk_expr_motion(step, steps, t, y, NULL, v, out);
}

void yk_expr_motion(const yk_expr_step *step, int steps, double t,
                    const double *y, const double *rate_of_y, double *v,
                    double *out)
{
    for (int i = 0; i < steps; i++) {
        const yk_expr_step *s = &step[i];
        rate r = { 0.0, 0.0, 0.0 };
        if (s->op <= YK_OP_VARIABLE) {
            yk_expr_values(s, 1, t, y, &r.v);
            r.d = s->op == YK_OP_TIME ? 1.0 : 0.0;
            if (s->op == YK_OP_VARIABLE && rate_of_y)
                yk_expr_values(s, 1, t, rate_of_y, &r.d);
        } else {
            const int k[3] = { s->a, s->b, s->c };
            rate o[3];
            for (int j = 0; j < 3; j++)
                o[j] = (rate){ v[k[j]], out[2 * k[j]], out[2 * k[j] + 1] };
            r = of_step(s, o[0], o[1], o[2]);
        }
        v[i] = r.v;
        out[2 * i] = r.d;
        out[2 * i + 1] = r.dd;
    }
}
