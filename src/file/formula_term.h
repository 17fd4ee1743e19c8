/* file/formula_term.h -- the terms of a formula (file/formula*.c only). */
#ifndef YK_FORMULA_TERM_H
#define YK_FORMULA_TERM_H

#include "expr/program.h"
#include "file/formula.h"

typedef enum operation {
    NUMBER,
    TIME,
    VARIABLE, /* a: its number */
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    NEGATE,
    APPLY,   /* a function of one argument */
    APPLY_2, /* of two */
    SELECT   /* a != 0 ? b : c */
} operation;

typedef enum yk_function {
    F_SIN,
    F_COS,
    F_TAN,
    F_ASIN,
    F_ACOS,
    F_ATAN,
    F_SINH,
    F_COSH,
    F_TANH,
    F_EXP,
    F_LOG,
    F_LOG10,
    F_SQRT,
    F_ABS,
    F_SIGN,
    F_FLOOR,
    F_CEIL,
    F_ATAN2,
    F_MIN,
    F_MAX,
    F_POW,
    F_MOD,
    F_DIV,
    F_REM,
    F_NAMED, /* those before have names, those behind are operators */
    F_NOT = F_NAMED,
    F_AND,
    F_OR,
    F_LESS,
    F_LESS_EQUAL,
    F_GREATER,
    F_GREATER_EQUAL,
    FUNCTIONS
} yk_function;

typedef yk_expr_shape yk_shape;

struct yk_term {
    operation what;
    yk_formula_class kind;
    yk_shape shape;
    int a, b, c; /* operands; those that it has not are the first */
    double number;
    yk_function function;
};

/* Name of a function, one that has this name (-1: none), how many arguments it
 * has, its value. */
const char *yk_formula_function(int i);
int yk_formula_find_function(const char *name);
int yk_formula_arguments(int i);
double yk_formula_apply(yk_function i, double a, double b);

/* Is its value that of a relation, 0 or 1? */
bool yk_formula_is_truth(const yk_formula *formula, int term);

/* New terms; *out: their numbers. */
yoke_status yk_formula_number(yk_formula *formula, double number, int *out,
                              yoke_err *err);
yoke_status yk_formula_time(yk_formula *formula, int *out, yoke_err *err);
yoke_status yk_formula_variable(yk_formula *formula, const char *name,
                                size_t place, int *out, yoke_err *err);
yoke_status yk_formula_operation(yk_formula *formula, operation what, int a,
                                 int b, int *out, yoke_err *err);
yoke_status yk_formula_call(yk_formula *formula, yk_function which, int a,
                            int b, int *out, yoke_err *err);
yoke_status yk_formula_select(yk_formula *formula, int a, int b, int c,
                              int *out, yoke_err *err);

/* ---- pieces (file/formula_piece.c) ----------------------------------------
 *
 * On a piece of time no switch of a formula changes its branch; `held` says
 * which it is: the value of sign, floor, ceil, div and of relations, the
 * quotient of mod and rem, the sign of abs, 1 or 0 as min or max is its first
 * operand or not. */

/* [lo, hi]; empty: lo > hi. */
typedef struct yk_range {
    double lo, hi;
} yk_range;

/* Ranges of a value and of its derivative. */
typedef struct yk_bound {
    yk_range v, d;
} yk_bound;

bool yk_formula_is_switch(const yk_term *term);
double yk_formula_branch(const yk_term *term, double a, double b);

/* Of one term on its piece, from its operands. */
double yk_formula_held_value(const yk_formula *formula, int i, double t,
                             double held, const double *value);
yk_bound yk_formula_held_bound(const yk_formula *formula, int i, yk_range t,
                               double held, const yk_bound *bound);

yk_range yk_range_subtract(yk_range a, yk_range b);
yk_bound yk_bound_subtract(const yk_bound *a, const yk_bound *b);
yk_bound yk_bound_divide(const yk_bound *a, const yk_bound *b);

#endif
