/* expr/why.c -- words for an operation that has no value. */
#include "base/text.h"
#include "expr/why.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Its letters as far as the bracket, of texts such as "sqrt(a)". */
static void write_operation(yk_op op, double a, double b, char *text,
                            size_t size)
{
    const char *c = yk_op_text(op);
    const int letters = (int)strcspn(c, "(");

    if (op == YK_OP_POWER || op == YK_OP_SIGN_POWER)
        snprintf(text, size, "(%g)^(%g)", a, b);
    else if (op == YK_OP_DIVIDE || op == YK_OP_SAFE_DIVIDE)
        snprintf(text, size, "(%g) / (%g)", a, b);
    else if (op == YK_OP_MULTIPLY || op == YK_OP_ADD || op == YK_OP_SUBTRACT)
        snprintf(text, size, "(%g) %c (%g)", a, c[2], b);
    else if (yk_op_operands(op) == 1 && strchr(c, '('))
        snprintf(text, size, "%.*s(%g)", letters, c, a);
    else if (yk_op_operands(op) == 2 && strchr(c, '('))
        snprintf(text, size, "%.*s(%g, %g)", letters, c, a, b);
    else
        snprintf(text, size, "an operation with %g", a);
}

/* What is wrong, and what to do about it; "" where that is not plain. */
static const char *remedy(yk_op op, double a, double b)
{
    switch (op) {
    case YK_OP_SQRT:
        if (a > 0.0)
            return ", and the root of a negative number is next; bound it, "
                   "sqrt(max(x, 0)), or begin elsewhere";
        return ": the root of a negative number; bound it, sqrt(max(x, 0)), or "
               "begin elsewhere";
    case YK_OP_DIVIDE:
    case YK_OP_SAFE_DIVIDE:
        return ": a division by zero; keep the divisor away from 0, or begin "
               "elsewhere";
    case YK_OP_LOG:
    case YK_OP_LOG10:
        return ": a logarithm has a positive argument; bound it, log(max(x, "
               "1e-30)), or begin elsewhere";
    case YK_OP_ASIN:
    case YK_OP_ACOS:
    case YK_OP_ATANH:
        return ": its argument is between -1 and 1; bound it, min(1, max(-1, "
               "x)), or begin elsewhere";
    case YK_OP_ACOSH:
        return ": its argument is 1 or more; bound it, max(1, x), or begin "
               "elsewhere";
    case YK_OP_POWER:
        if (a == 0.0 || b < 0.0)
            return ": a division by zero; keep the base away from 0, or begin "
                   "elsewhere";
        if (isinf(pow(a, b))) return ": too large for a number";
        return ": a power that is no whole number, of a negative number; bound "
               "it, max(x, 0)^p, or begin elsewhere";
    case YK_OP_EXP:
    case YK_OP_SINH:
    case YK_OP_COSH:
        return ": too large for a number; bound the exponent, exp(min(x, 100))";
    default:
        return "";
    }
}

void yk_op_blame(yk_op op, double a, double b, char *text, size_t size)
{
    write_operation(op, a, b, text, size);
    yk_append(text, size, "%s", remedy(op, a, b));
}

/* How far the operands are from where there is no value, 0 or less: beyond.  Not
 * finite: there is one everywhere.  now: on which side of 0 a divisor is. */
static double room(yk_op op, const double now[2], double a, double b)
{
    switch (op) {
    case YK_OP_SQRT:
    case YK_OP_LOG:
    case YK_OP_LOG10:
        return a;
    case YK_OP_DIVIDE:
    case YK_OP_SAFE_DIVIDE:
        return copysign(1.0, now[1]) * b;
    case YK_OP_ASIN:
    case YK_OP_ACOS:
    case YK_OP_ATANH:
        return 1.0 - fabs(a);
    case YK_OP_ACOSH:
        return a - 1.0;
    case YK_OP_POWER:
        if (b == floor(b) && b >= 0.0) return INFINITY;
        return b == floor(b) ? copysign(1.0, now[0]) * a : a;
    default:
        return INFINITY;
    }
}

double yk_op_nears(yk_op op, const double now[2], const double next[2])
{
    const double here = room(op, now, now[0], now[1]);
    const double there = room(op, now, next[0], next[1]);

    if (!(here > 0.0) || !isfinite(here) || !isfinite(there)) return 0.0;
    return there < here ? (here - there) / here : 0.0;
}

bool yk_expr_blame(const yk_expr_step *step, int steps, const double *v,
                   char *text, size_t size)
{
    for (int i = 0; i < steps; i++) {
        const yk_expr_step *s = &step[i];
        if (yk_op_operands(s->op) == 0 || isfinite(v[i]) ||
            !isfinite(v[s->a]) || !isfinite(v[s->b]) || !isfinite(v[s->c]))
            continue;
        yk_op_blame(s->op, v[s->a], v[s->b], text, size);
        return true;
    }
    return false;
}

bool yk_expr_blame_edge(const yk_expr_step *step, int steps, const double *now,
                        const double *next, double *most, char *text,
                        size_t size)
{
    bool found = false;

    for (int i = 0; i < steps; i++) {
        const yk_expr_step *s = &step[i];
        if (yk_op_operands(s->op) == 0) continue;
        const double part =
            yk_op_nears(s->op, (double[]){ now[s->a], now[s->b] },
                        (double[]){ next[s->a], next[s->b] });
        if (!(part > *most)) continue;
        *most = part;
        found = true;
        yk_op_blame(s->op, now[s->a], now[s->b], text, size);
    }
    return found;
}
