/* sim/formula_term.h -- the terms of a formula (sim/formula*.c only). */
#ifndef YK_FORMULA_TERM_H
#define YK_FORMULA_TERM_H

#include "sim/formula.h"

typedef enum operation {
    NUMBER,
    TIME,
    VARIABLE, /* a: its number */
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    NEGATE,
    APPLY,  /* a function of one argument */
    APPLY_2 /* of two */
} operation;

struct yk_term {
    operation what;
    yk_formula_class kind;
    int a, b;
    double number;
    int function;
};

/* Name of a function. */
const char *yk_formula_function(int i);

#endif
