/* comp/netlist/read/expr_parse.h -- what the readers of expressions share. */
#ifndef YK_NETLIST_EXPR_PARSE_H
#define YK_NETLIST_EXPR_PARSE_H

#include "comp/netlist/read/expr.h"
#include "comp/netlist/read/read.h"

enum {
    YK_NET_NESTING = 1000
}; /* brackets, functions, parameters of
      parameters */

/* What was just read: its code begins at `start`. */
typedef struct yk_net_operand {
    int start, depth;
    bool constant;
    double value; /* of a constant */
} yk_net_operand;

/* An argument of a function. */
typedef struct yk_net_binding {
    const char *name;
    yk_net_operand value;
    yk_net_step *step; /* its code, moved away */
    int steps;
} yk_net_binding;

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

/* The code; one for an expression and the functions it calls. */
typedef struct yk_net_build {
    yk_arena arena;
    yk_net_step *step;
    size_t room, point_room, var_room;
    int steps, points, vars;
    double *point;
    yk_net_var *var;
    const char **source; /* names of currents, NULL for voltages */
    size_t source_room;
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

/* ---- code (expr_emit.c) -------------------------------------------------- */

/* Each appends to the code; the operands are the last ones in it.  An operator
 * of constants becomes its result. */
yoke_status yk_net_emit(yk_net_parser *p, yk_net_step step, yoke_err *err);
yoke_status yk_net_emit_number(yk_net_parser *p, double value,
                               yk_net_operand *out, yoke_err *err);
yoke_status yk_net_emit_unary(yk_net_parser *p, yk_net_op op, yk_net_operand *a,
                              yoke_err *err);
yoke_status yk_net_emit_binary(yk_net_parser *p, yk_net_op op,
                               yk_net_operand *a, const yk_net_operand *b,
                               yoke_err *err);
yoke_status yk_net_emit_select(yk_net_parser *p, yk_net_operand *a,
                               const yk_net_operand *b, const yk_net_operand *c,
                               yoke_err *err);

/* PWL or TABLE of *a with the points that were added since there were
 * `first` numbers. */
yoke_status yk_net_emit_point(yk_net_parser *p, double value, yoke_err *err);
yoke_status yk_net_emit_points(yk_net_parser *p, yk_net_op op, int first,
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
