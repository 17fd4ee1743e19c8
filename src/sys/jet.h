/* sys/jet.h -- interval arithmetic with Taylor coefficients.
 *
 * A jet of g on [a, b] encloses, for k = 0 ... order, g^(k)(t) / k! for all t
 * of [a, b].  Every operation is widened by some roundings, so an enclosure is
 * one of the computed values too.
 *
 * What is not smooth (abs, min, floor, a choice) has the hull of its branches:
 * right wherever g is smooth, that is between breakpoints.
 * Reference: Moore, Kearfott, Cloud, Introduction to Interval Analysis, ch. 9.
 */
#ifndef YK_JET_H
#define YK_JET_H

#include "yoke/optional.h"
#include "yoke/system.h"

typedef struct yk_span {
    double lo, hi;
} yk_span;

typedef struct yk_jet {
    yk_span c[YOKE_COURSE_ORDER + 1];
} yk_jet;

/* Operations; a, b, c are the operands. */
typedef enum yk_jet_op {
    YK_JET_NUMBER,
    YK_JET_TIME,
    YK_JET_ADD,
    YK_JET_SUB,
    YK_JET_MUL,
    YK_JET_DIV,
    YK_JET_POW,
    YK_JET_MIN,
    YK_JET_MAX,
    YK_JET_LESS, /* a < b or a <= b: they differ at an instant */
    YK_JET_AND,
    YK_JET_OR,
    YK_JET_SELECT, /* a ? b : c; more than 0.5 is true */
    YK_JET_NEG,
    YK_JET_NOT,
    YK_JET_ABS,
    YK_JET_SIGN,
    YK_JET_FLOOR,
    YK_JET_CEIL,
    YK_JET_TRUNC,
    YK_JET_ROUND,
    YK_JET_SQRT,
    YK_JET_EXP,
    YK_JET_LOG,
    YK_JET_SIN,
    YK_JET_COS,
    YK_JET_TAN,
    YK_JET_ASIN,
    YK_JET_ACOS,
    YK_JET_ATAN,
    YK_JET_SINH,
    YK_JET_COSH,
    YK_JET_TANH,
    YK_JET_ASINH,
    YK_JET_ACOSH,
    YK_JET_ATANH,
    YK_JET_TABLE, /* straight lines through points (x, y) */
    YK_JET_PATH   /* an unknown or an input (yoke_path) */
} yk_jet_op;

/* Straight lines through `rows` points, x y x y ..., constant beyond the ends
 * or straight on. */
typedef struct yk_jet_table {
    const double *point; /* borrowed */
    int rows;
    bool onward;
} yk_jet_table;

/* out = op(a, b, c), up to `order`; operands that it has not are ignored. */
void yk_jet_apply(yk_jet_op op, int order, const yk_jet *a, const yk_jet *b,
                  const yk_jet *c, yk_jet *out);
void yk_jet_look_up(const yk_jet_table *table, int order, const yk_jet *a,
                    yk_jet *out);
void yk_jet_number(double value, int order, yk_jet *out);
void yk_jet_time(double from, double to, int order, yk_jet *out);

#endif
