/* expr/op.c -- what the list of operations says. */
#include "expr/op.h"

#include <math.h>

int yk_op_operands(yk_op op)
{
    static const int operands[] = {
#define OPERANDS(name, count, value, corner) count,
        YK_OPS(OPERANDS)
#undef OPERANDS
    };
    return operands[op];
}

yk_corner yk_op_corner(yk_op op)
{
    static const yk_corner corners[] = {
#define CORNER(name, count, value, corner) YK_##corner,
        YK_OPS(CORNER)
#undef CORNER
    };
    return corners[op];
}

const char *yk_op_text(yk_op op)
{
    static const char *const text[] = {
#define TEXT(name, count, value, corner) #value,
        YK_OPS(TEXT)
#undef TEXT
    };
    return text[op];
}

double yk_op_value(yk_op op, double a, double b, double c)
{
    switch (op) {
#define VALUE(name, count, value, corner)                                      \
    case YK_OP_##name:                                                         \
        return value;
        YK_OPS(VALUE)
#undef VALUE
    case YK_OP_COUNT:
        break;
    }
    return NAN;
}
