/* expr/op.h -- the operations of expressions: one list for all languages.
 *
 * Equation models, netlists and formulas of system files have grammars of their
 * own; what they write down are these operations.  Each has a name, a number of
 * operands, its value as an expression of C in the operands a, b, c, which is
 * the text of generated code too, and the values at which it is not smooth.
 * Derivatives are in expr/slopes.h, enclosures in expr/jet.c.
 *
 * Truth is 1, and more than 0.5 is true: a Boolean unknown is an unknown like
 * others, which a solver may know to rounding only.
 *
 * What a language has and the list has not is written with several: a > b as
 * b < a, mod(a, b) as a - floor(a / b) b, |a|^b as a power of an absolute
 * value.
 */
#ifndef YK_EXPR_OP_H
#define YK_EXPR_OP_H

#include <stdbool.h>

/* clang-format off */
#define YK_OPS(X)                                                              \
    X(NUMBER, 0, NAN, SMOOTH)                                                  \
    X(TIME, 0, NAN, SMOOTH)                                                    \
    X(VARIABLE, 0, NAN, SMOOTH)                                                \
    /* Leaves of equation models: a loop index, an element of a variable, */   \
    /* its derivative, its value before an event, one held between events */   \
    X(INDEX, 0, NAN, SMOOTH)                                                   \
    X(REFER, 0, NAN, SMOOTH)                                                   \
    X(DER, 0, NAN, SMOOTH)                                                     \
    X(PRE, 0, NAN, SMOOTH)                                                     \
    X(HELD, 0, NAN, SMOOTH)                                                    \
    X(NEGATE, 1, -a, SMOOTH)                                                   \
    X(ADD, 2, a + b, SMOOTH)                                                   \
    X(SUBTRACT, 2, a - b, SMOOTH)                                              \
    X(MULTIPLY, 2, a * b, SMOOTH)                                              \
    X(DIVIDE, 2, a / b, SMOOTH)                                                \
    X(POWER, 2, pow(a, b), SMOOTH)                                             \
    X(LESS, 2, a < b ? 1.0 : 0.0, AT_EQUAL)                                    \
    X(LESS_EQUAL, 2, a <= b ? 1.0 : 0.0, AT_EQUAL)                             \
    X(EQUAL, 2, a == b ? 1.0 : 0.0, AT_EQUAL)                                  \
    X(NOT, 1, a > 0.5 ? 0.0 : 1.0, SMOOTH)                                     \
    X(AND, 2, a > 0.5 && b > 0.5 ? 1.0 : 0.0, SMOOTH)                          \
    X(OR, 2, a > 0.5 || b > 0.5 ? 1.0 : 0.0, SMOOTH)                           \
    X(IF, 3, a > 0.5 ? b : c, SMOOTH)                                          \
    X(MIN, 2, a < b ? a : b, AT_EQUAL)                                         \
    X(MAX, 2, a > b ? a : b, AT_EQUAL)                                         \
    X(ABS, 1, fabs(a), AT_ZERO)                                                \
    X(SIGN, 1, (double)((a > 0.0) - (a < 0.0)), AT_ZERO)                       \
    X(SQRT, 1, sqrt(a), SMOOTH)                                                \
    X(EXP, 1, exp(a), SMOOTH)                                                  \
    X(LOG, 1, log(a), SMOOTH)                                                  \
    X(LOG10, 1, log10(a), SMOOTH)                                              \
    X(SIN, 1, sin(a), SMOOTH)                                                  \
    X(COS, 1, cos(a), SMOOTH)                                                  \
    X(TAN, 1, tan(a), SMOOTH)                                                  \
    X(ASIN, 1, asin(a), SMOOTH)                                                \
    X(ACOS, 1, acos(a), SMOOTH)                                                \
    X(ATAN, 1, atan(a), SMOOTH)                                                \
    X(ATAN2, 2, atan2(a, b), AT_ZERO) /* it jumps where a = 0 > b */           \
    X(SINH, 1, sinh(a), SMOOTH)                                                \
    X(COSH, 1, cosh(a), SMOOTH)                                                \
    X(TANH, 1, tanh(a), SMOOTH)                                                \
    X(ASINH, 1, asinh(a), SMOOTH)                                              \
    X(ACOSH, 1, acosh(a), SMOOTH)                                              \
    X(ATANH, 1, atanh(a), SMOOTH)                                              \
    X(FLOOR, 1, floor(a), AT_WHOLE)                                            \
    X(CEIL, 1, ceil(a), AT_WHOLE)                                              \
    X(TRUNC, 1, trunc(a), AT_WHOLE)                                            \
    X(ROUND, 1, nearbyint(a), AT_HALF)                                         \
    /* Of ngspice: the divisor is at least 1e-32; sgn(a) |a|^b */              \
    X(SAFE_DIVIDE, 2, a / (b >= 0.0 ? b + 1e-32 : b - 1e-32), SMOOTH)          \
    X(SIGN_POWER, 2, a < 0.0 ? -pow(-a, b) : pow(a, b), AT_ZERO)               \
    /* Tables (expr/table.h): straight lines, constant or straight on beyond   \
     * the ends; the slope of the first; rounded corners */                    \
    X(INTERPOLATE, 1, NAN, AT_ROWS)                                            \
    X(LINES, 1, NAN, AT_ROWS)                                                  \
    X(SLOPE, 1, NAN, AT_ROWS)                                                  \
    X(ROUNDED, 1, NAN, AT_ROWS)                                                \
    /* Of equation models before their events are made: a as it was at the    \
     * last event, or the branch b of it */                                    \
    X(HOLD, 2, NAN, SMOOTH)
/* clang-format on */

typedef enum yk_op {
#define YK_OP_ENUM(name, operands, value, corner) YK_OP_##name,
    YK_OPS(YK_OP_ENUM)
#undef YK_OP_ENUM
        YK_OP_COUNT
} yk_op;

/* Where an operation is not smooth. */
typedef enum yk_corner {
    YK_SMOOTH,   /* nowhere */
    YK_AT_ZERO,  /* a passes 0 */
    YK_AT_EQUAL, /* a - b passes 0 */
    YK_AT_WHOLE, /* a passes a whole number */
    YK_AT_HALF,  /* a + 1/2 passes a whole number */
    YK_AT_ROWS   /* a passes the x of a row of its table */
} yk_corner;

int yk_op_operands(yk_op op);
yk_corner yk_op_corner(yk_op op);
const char *yk_op_text(yk_op op); /* its value in C, of a, b, c */

/* Not of leaves and tables; operands that it has not are ignored. */
double yk_op_value(yk_op op, double a, double b, double c);

static inline bool yk_op_is_table(yk_op op)
{
    return op >= YK_OP_INTERPOLATE && op <= YK_OP_ROUNDED;
}

/* A function that may do all it does in a small part of its range; quotients
 * and powers depend on their operands. */
static inline bool yk_op_bends(yk_op op)
{
    return (op >= YK_OP_SQRT && op <= YK_OP_ATANH) || yk_op_is_table(op);
}

/* Is its value 0 or 1? */
static inline bool yk_op_is_truth(yk_op op)
{
    return op >= YK_OP_LESS && op <= YK_OP_OR;
}

#endif
