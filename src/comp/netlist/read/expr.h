/* comp/netlist/read/expr.h -- code of behavioural expressions.
 *
 * Postfix code for a stack machine.  Each place of the stack holds a value and
 * its derivatives by the variables of the expression, so one pass gives the
 * value and all slopes (forward mode).
 */
#ifndef YK_NETLIST_EXPR_H
#define YK_NETLIST_EXPR_H

#include "comp/netlist/netlist.h"

/* Name, number of operands. */
#define YK_NET_OPS(X)                                                          \
    X(NUMBER, 0)                                                               \
    X(VAR, 0)                                                                  \
    X(TIME, 0)                                                                 \
    X(NEG, 1)                                                                  \
    X(NOT, 1)                                                                  \
    X(ADD, 2)                                                                  \
    X(SUB, 2)                                                                  \
    X(MUL, 2)                                                                  \
    X(DIV, 2)                                                                  \
    X(SAFE_DIV, 2) /* of B sources: the divisor is at least 1e-32 */           \
    X(MOD, 2)                                                                  \
    X(INT_DIV, 2)                                                              \
    X(POW, 2)                                                                  \
    X(ABS_POW, 2)  /* |a|^b */                                                 \
    X(SIGN_POW, 2) /* sgn(a) |a|^b */                                          \
    X(EQ, 2)                                                                   \
    X(NE, 2)                                                                   \
    X(LT, 2)                                                                   \
    X(LE, 2)                                                                   \
    X(GT, 2)                                                                   \
    X(GE, 2)                                                                   \
    X(AND, 2)                                                                  \
    X(OR, 2)                                                                   \
    X(SELECT, 3)                                                               \
    X(ABS, 1)                                                                  \
    X(SGN, 1)                                                                  \
    X(SQRT, 1)                                                                 \
    X(SQR, 1)                                                                  \
    X(EXP, 1)                                                                  \
    X(LN, 1)                                                                   \
    X(LOG10, 1)                                                                \
    X(SIN, 1)                                                                  \
    X(COS, 1)                                                                  \
    X(TAN, 1)                                                                  \
    X(ASIN, 1)                                                                 \
    X(ACOS, 1)                                                                 \
    X(ATAN, 1)                                                                 \
    X(SINH, 1)                                                                 \
    X(COSH, 1)                                                                 \
    X(TANH, 1)                                                                 \
    X(ASINH, 1)                                                                \
    X(ACOSH, 1)                                                                \
    X(ATANH, 1)                                                                \
    X(MIN, 2)                                                                  \
    X(MAX, 2)                                                                  \
    X(CEIL, 1)                                                                 \
    X(FLOOR, 1)                                                                \
    X(NINT, 1)                                                                 \
    X(INT, 1)                                                                  \
    X(STEP, 1)  /* u: 0, 1/2 at 0, 1 */                                        \
    X(STEP2, 1) /* u2: 0 below 0, 1 above 1, linear between */                 \
    X(RAMP, 1)                                                                 \
    X(PWL, 1)   /* points; straight on beyond the ends */                      \
    X(TABLE, 1) /* constant beyond the ends, corners rounded */

typedef enum yk_net_op {
#define YK_NET_OP_ENUM(name, operands) YK_NET_OP_##name,
    YK_NET_OPS(YK_NET_OP_ENUM)
#undef YK_NET_OP_ENUM
} yk_net_op;

typedef struct yk_net_step {
    yk_net_op op;
    int arg;       /* VAR: which; PWL, TABLE: first number among `point` */
    double number; /* NUMBER: itself; PWL, TABLE: number of points */
} yk_net_step;

struct yk_net_code {
    int steps, depth;
    yk_net_step *step;
    double *point; /* x0 y0 x1 y1 ... of all pwl */
};

int yk_net_operands(yk_net_op op);

/* stack has depth * (1 + vars) numbers; the result is at its beginning. */
void yk_net_run(const yk_net_step *step, int steps, const double *point,
                double t, const double *var, int vars, double *stack);

#endif
