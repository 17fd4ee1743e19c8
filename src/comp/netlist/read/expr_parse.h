/* comp/netlist/read/expr_parse.h -- what the readers of expressions share. */
#ifndef YK_NETLIST_EXPR_PARSE_H
#define YK_NETLIST_EXPR_PARSE_H

#include "comp/netlist/netlist.h"
#include "comp/netlist/read/read.h"

enum {
    YK_NET_NESTING = 1000
}; /* brackets, functions, parameters of
      parameters */

/* What was just read: its steps begin at `start`, step `at` is its value. */
typedef struct yk_net_operand {
    int start, at;
} yk_net_operand;

/* An argument of a function. */
typedef struct yk_net_binding {
    const char *name;
    yk_net_operand value;
} yk_net_binding;

/* What the list of operations has not, or has with other operands. */
enum {
    YK_NET_GREATER = YK_OP_COUNT,
    YK_NET_GREATER_EQUAL,
    YK_NET_UNEQUAL,
    YK_NET_REMAINDER,
    YK_NET_WHOLE,     /* the whole part of |a / b| */
    YK_NET_ABS_POWER, /* |a|^b */
    YK_NET_SQUARE,
    YK_NET_STEP,   /* u: 0, 1/2 at 0, 1 */
    YK_NET_STEP_2, /* u2: 0 below 0, 1 above 1, linear between */
    YK_NET_RAMP,
    YK_NET_ABOVE_0, /* stp: 0, 1 above 0 */
    YK_NET_HIGH,    /* buf: 0, 1 above 1/2 */
    YK_NET_LOW      /* inv: 1 - buf */
};

typedef struct yk_net_parser {
    yk_net_reader *r;
    yk_net_env *env;
    yk_net_place at;
    const char *text, *p, *end;
    bool behaviour; /* flavour of arithmetic */
    bool variable;  /* v(), i() and time may stand here */
    bool results;   /* results of .measure may */
    int nesting;
    const yk_net_binding *bind;
    int binds;
    struct yk_net_build *b;
} yk_net_parser;

/* The steps; of an expression and the functions it calls. */
typedef struct yk_net_build {
    yk_arena arena;
    yk_expr_program program; /* tables: `number` is their first point */
    size_t point_room, var_room, place_room;
    int points, vars;
    double *point;
    yk_net_var *var;
    const char **source; /* names of currents, NULL for voltages */
    size_t source_room;
    int *place; /* the step of each variable, or -1 */
    bool uses_time;
    long work;
} yk_net_build;

/* ---- text (expr_emit.c) -------------------------------------------------- */

/* A message with the expression and the place in it. */
yoke_status yk_net_expr_bad(const yk_net_parser *p, yoke_err *err,
                            const char *what);
void yk_net_expr_blank(yk_net_parser *p);
bool yk_net_expr_take(yk_net_parser *p, const char *mark);
bool yk_net_same_name(const char *name, int length, const char *text);

/* ---- steps (expr_emit.c) ------------------------------------------------- */

yoke_status yk_net_emit(yk_net_parser *p, yk_expr_step step,
                        yk_net_operand *out, yoke_err *err);
yoke_status yk_net_emit_number(yk_net_parser *p, double value,
                               yk_net_operand *out, yoke_err *err);

/* *a becomes op(*a, *b), the operands being the last ones read; an operation of
 * yk_op or of those above. */
yoke_status yk_net_emit_unary(yk_net_parser *p, int op, yk_net_operand *a,
                              yoke_err *err);
yoke_status yk_net_emit_binary(yk_net_parser *p, int op, yk_net_operand *a,
                               const yk_net_operand *b, yoke_err *err);
yoke_status yk_net_emit_select(yk_net_parser *p, yk_net_operand *a,
                               const yk_net_operand *b, const yk_net_operand *c,
                               yoke_err *err);

/* *x becomes the middle one of *x, *a, *b. */
yoke_status yk_net_emit_middle(yk_net_parser *p, yk_net_operand *x,
                               const yk_net_operand *a, const yk_net_operand *b,
                               yoke_err *err);

/* Is it a number? */
bool yk_net_is_constant(const yk_net_parser *p, const yk_net_operand *a,
                        double *value);
/* Forgets the steps of a number. */
void yk_net_drop(yk_net_parser *p, const yk_net_operand *a);

/* LINES or ROUNDED of *a with the points that were added since there were
 * `first` numbers. */
yoke_status yk_net_emit_point(yk_net_parser *p, double value, yoke_err *err);
yoke_status yk_net_emit_points(yk_net_parser *p, yk_op op, int first,
                               yk_net_operand *a, yoke_err *err);

/* A variable; `source`: the name of the element whose current it is. */
yoke_status yk_net_expr_var(yk_net_parser *p, yk_net_var var,
                            const char *source, yk_net_operand *out,
                            yoke_err *err);

/* ---- calls (expr_call.c) ------------------------------------------------- */

/* name(...), the opening bracket already read. */
yoke_status yk_net_expr_call(yk_net_parser *p, const char *name, int length,
                             yk_net_operand *out, yoke_err *err);

/* A whole expression with its choices a ? b : c (expr.c). */
yoke_status yk_net_expr_read(yk_net_parser *p, yk_net_operand *out,
                             yoke_err *err);

#endif
