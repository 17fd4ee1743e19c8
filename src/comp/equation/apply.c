/* comp/equation/apply.c -- the value of one operation.
 *
 * Folding of numbers, the interpreter and the generated C compute the same
 * expressions with the same functions of the C library, so all agree to the
 * last bit.
 */
#include "comp/equation/expr.h"

#include <math.h>

static double function_of(int op, double a)
{
    switch (op) {
    case YK_OP_SQRT:
        return sqrt(a);
    case YK_OP_EXP:
        return exp(a);
    case YK_OP_LOG:
        return log(a);
    case YK_OP_LOG10:
        return log10(a);
    case YK_OP_SIN:
        return sin(a);
    case YK_OP_COS:
        return cos(a);
    case YK_OP_TAN:
        return tan(a);
    case YK_OP_ASIN:
        return asin(a);
    case YK_OP_ACOS:
        return acos(a);
    case YK_OP_ATAN:
        return atan(a);
    case YK_OP_SINH:
        return sinh(a);
    case YK_OP_COSH:
        return cosh(a);
    case YK_OP_TANH:
        return tanh(a);
    case YK_OP_FLOOR:
        return floor(a);
    case YK_OP_CEIL:
        return ceil(a);
    default:
        return NAN;
    }
}

double yk_apply(int op, double a, double b, double c)
{
    switch (op) {
    case YK_OP_NEGATE:
        return -a;
    case YK_OP_ADD:
        return a + b;
    case YK_OP_SUBTRACT:
        return a - b;
    case YK_OP_MULTIPLY:
        return a * b;
    case YK_OP_DIVIDE:
        return a / b;
    case YK_OP_POWER:
        return pow(a, b);
    case YK_OP_LESS:
        return a < b ? 1.0 : 0.0;
    case YK_OP_LESS_EQUAL:
        return a <= b ? 1.0 : 0.0;
    case YK_OP_EQUAL:
        return a == b ? 1.0 : 0.0;
    case YK_OP_NOT:
        return a > 0.5 ? 0.0 : 1.0;
    case YK_OP_AND:
        return a > 0.5 && b > 0.5 ? 1.0 : 0.0;
    case YK_OP_OR:
        return a > 0.5 || b > 0.5 ? 1.0 : 0.0;
    case YK_OP_IF:
        return a > 0.5 ? b : c;
    case YK_OP_MIN:
        return a < b ? a : b;
    case YK_OP_MAX:
        return a > b ? a : b;
    case YK_OP_ABS:
        return fabs(a);
    case YK_OP_SIGN:
        return (double)((a > 0.0) - (a < 0.0));
    case YK_OP_ATAN2:
        return atan2(a, b);
    default:
        return function_of(op, a);
    }
}

/* The row before x; the last but one at the end. */
static int piece(const double *table, int rows, double x)
{
    int low = 0, high = rows - 1;

    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (x < table[2 * middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

double yk_slope(const double *table, int rows, double x)
{
    if (rows < 2 || x < table[0] || x > table[2 * rows - 2]) return 0.0;
    const double *r = table + 2 * piece(table, rows, x);
    return (r[3] - r[1]) / (r[2] - r[0]);
}

double yk_interpolate(const double *table, int rows, double x)
{
    if (rows < 1) return 0.0;
    if (x <= table[0]) return table[1];
    if (x >= table[2 * rows - 2]) return table[2 * rows - 1];
    const double *r = table + 2 * piece(table, rows, x);
    return r[1] + (r[3] - r[1]) / (r[2] - r[0]) * (x - r[0]);
}
