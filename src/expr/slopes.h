/* expr/slopes.h -- derivatives of the operations, one list for numbers and for
 * expressions.
 *
 * X(name, to a, to b, to c): what an operation with value v hands to each of
 * its operands of the derivative `bar` of a result by it, bar dv/da and so on.
 * Who uses the list says what ADD, MUL, COS, ... are: expr/gradient.c computes,
 * comp/equation/structure/differentiate.c makes new expressions.
 *
 * Where an operation has a corner or a jump, the derivative is that of the
 * branch which gives the value.  Operations that are not here hand down
 * nothing: they are constant between their corners.  Tables hand down their
 * slope.
 */
#ifndef YK_EXPR_SLOPES_H
#define YK_EXPR_SLOPES_H

/* clang-format off */
#define YK_SLOPES(X)                                                           \
    X(NEGATE, NEG(bar), ZERO, ZERO)                                            \
    X(ADD, bar, bar, ZERO)                                                     \
    X(SUBTRACT, bar, NEG(bar), ZERO)                                           \
    X(MULTIPLY, MUL(bar, b), MUL(bar, a), ZERO)                                \
    X(DIVIDE, DIV(bar, b), NEG(MUL(DIV(bar, b), v)), ZERO)                     \
    X(POWER, MUL(bar, TIMES_POWER(b, a, SUB(b, ONE))), MUL(bar, TIMES_LOG(v, a)), ZERO) \
    X(IF, ZERO, CHOOSE(a, bar, ZERO), CHOOSE(a, ZERO, bar))                    \
    X(MIN, CHOOSE(LESS(a, b), bar, ZERO), CHOOSE(LESS(a, b), ZERO, bar), ZERO) \
    X(MAX, CHOOSE(LESS(b, a), bar, ZERO), CHOOSE(LESS(b, a), ZERO, bar), ZERO) \
    X(ABS, CHOOSE(LESS(a, ZERO), NEG(bar), bar), ZERO, ZERO)                   \
    X(SQRT, DIV(bar, MUL(TWO, v)), ZERO, ZERO)                                 \
    X(EXP, MUL(bar, v), ZERO, ZERO)                                            \
    X(LOG, DIV(bar, a), ZERO, ZERO)                                            \
    X(LOG10, DIV(bar, MUL(LOG_OF_10, a)), ZERO, ZERO)                          \
    X(SIN, MUL(bar, COS(a)), ZERO, ZERO)                                       \
    X(COS, NEG(MUL(bar, SIN(a))), ZERO, ZERO)                                  \
    X(TAN, MUL(bar, ADD(ONE, MUL(v, v))), ZERO, ZERO)                          \
    X(ASIN, DIV(bar, SQRT(SUB(ONE, MUL(a, a)))), ZERO, ZERO)                   \
    X(ACOS, NEG(DIV(bar, SQRT(SUB(ONE, MUL(a, a))))), ZERO, ZERO)              \
    X(ATAN, DIV(bar, ADD(ONE, MUL(a, a))), ZERO, ZERO)                         \
    X(ATAN2, DIV(MUL(bar, b), ADD(MUL(a, a), MUL(b, b))),                      \
      NEG(DIV(MUL(bar, a), ADD(MUL(a, a), MUL(b, b)))), ZERO)                  \
    X(SINH, MUL(bar, COSH(a)), ZERO, ZERO)                                     \
    X(COSH, MUL(bar, SINH(a)), ZERO, ZERO)                                     \
    X(TANH, MUL(bar, SUB(ONE, MUL(v, v))), ZERO, ZERO)                         \
    X(ASINH, DIV(bar, SQRT(ADD(ONE, MUL(a, a)))), ZERO, ZERO)                  \
    X(ACOSH, DIV(bar, SQRT(SUB(MUL(a, a), ONE))), ZERO, ZERO)                  \
    X(ATANH, DIV(bar, SUB(ONE, MUL(a, a))), ZERO, ZERO)                        \
    X(SAFE_DIVIDE, DIV(bar, SAFE(b)), NEG(MUL(DIV(bar, SAFE(b)), v)), ZERO)    \
    X(SIGN_POWER, MUL(bar, TIMES_POWER(b, ABS(a), SUB(b, ONE))),               \
      MUL(bar, TIMES_LOG(v, ABS(a))), ZERO)
/* clang-format on */

#endif
