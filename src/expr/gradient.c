/* expr/gradient.c -- derivatives by all variables in one pass backward.
 *
 * With bar(root) = 1 each step adds bar(step) d step / d operand to its
 * operands, each step before its operands (Griewank and Walther, Evaluating
 * Derivatives, 2nd ed., ch. 3).  Nothing flows into steps without variables.
 *
 * 0 times anything is 0: a factor of 0 beside a singular point of a function,
 * sqrt(x^2) at 0, is no reason for a slope that is none.
 */
#include "expr/program.h"
#include "expr/slopes.h"
#include "expr/table.h"

#include <math.h>
#include <string.h>

static double times(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

static double over(double a, double b)
{
    return a == 0.0 ? 0.0 : a / b;
}

/* b a^(b - 1) */
static double times_power(double b, double a, double less)
{
    return b == 0.0 ? 0.0 : b * pow(a, less);
}

static double times_log(double v, double a)
{
    return a > 0.0 ? v * log(a) : 0.0;
}

static double safe(double b)
{
    return b >= 0.0 ? b + 1e-32 : b - 1e-32;
}

#define ZERO                    0.0
#define ONE                     1.0
#define TWO                     2.0
#define LOG_OF_10               2.302585092994046
#define NEG(x)                  (-(x))
#define ADD(x, y)               ((x) + (y))
#define SUB(x, y)               ((x) - (y))
#define MUL(x, y)               times(x, y)
#define DIV(x, y)               over(x, y)
#define LESS(x, y)              ((x) < (y))
#define CHOOSE(c, x, y)         ((c) > 0.5 ? (x) : (y))
#define ABS(x)                  fabs(x)
#define SQRT(x)                 sqrt(x)
#define SIN(x)                  sin(x)
#define COS(x)                  cos(x)
#define SINH(x)                 sinh(x)
#define COSH(x)                 cosh(x)
#define SAFE(x)                 safe(x)
#define TIMES_POWER(b, a, less) times_power(b, a, less)
#define TIMES_LOG(v, a)         times_log(v, a)

/* What a step hands to the operands that depend on variables. */
static void hand_down(const yk_expr_step *step, const yk_expr_step *s, double v,
                      double bar, const double *value, double *to)
{
    const double a = value[s->a], b = value[s->b];
    const bool first = step[s->a].kind > YK_KIND_TIME;
    const bool second = step[s->b].kind > YK_KIND_TIME;

    if (yk_op_is_table(s->op)) {
        to[s->a] += times(bar, yk_table_slope(s->op, s->table, s->arg, a));
        return;
    }
    switch (s->op) {
#define SLOPES(name, da, db, dc)                                               \
    case YK_OP_##name:                                                         \
        if (first) to[s->a] += da;                                             \
        if (second && yk_op_operands(YK_OP_##name) > 1) to[s->b] += db;        \
        if (yk_op_operands(YK_OP_##name) > 2) to[s->c] += dc;                  \
        break;
        YK_SLOPES(SLOPES)
#undef SLOPES
    default:
        break;
    }
}

void yk_expr_gradient(const yk_expr_step *step, int root, const double *v,
                      int variables, double *slope, double *bar)
{
    for (int k = 0; k < variables; k++) slope[k] = 0.0;
    memset(bar, 0, sizeof *bar * ((size_t)root + 1));
    bar[root] = 1.0;
    for (int i = root; i >= 0; i--) {
        const yk_expr_step *s = &step[i];
        if (bar[i] == 0.0 || s->kind <= YK_KIND_TIME) continue;
        if (s->op == YK_OP_VARIABLE)
            slope[s->arg] += bar[i] * s->number;
        else
            hand_down(step, s, v[i], bar[i], v, bar);
    }
}
