/* comp/netlist/read/expr_program.h -- expressions as programs (expr/program.h),
 * for what looks at them as functions of time. */
#ifndef YK_NETLIST_EXPR_PROGRAM_H
#define YK_NETLIST_EXPR_PROGRAM_H

#include "comp/netlist/read/expr.h"
#include "expr/program.h"

/* Remembers the first failure; places are valid all the same. */
typedef struct yk_net_writer {
    yk_expr_program all;
    yoke_status status;
    yoke_err *err;
} yk_net_writer;

/* Each gives the place of the new step. */
int yk_net_put(yk_net_writer *w, yk_op op, int a, int b, int c);
int yk_net_put_number(yk_net_writer *w, double value);
int yk_net_put_lines(yk_net_writer *w, yk_op op, int a, const double *point,
                     int rows);

/* `variable` puts variable k of the expression; NULL: as it is. */
int yk_net_put_expr(yk_net_writer *w, const yk_net_expr *expr,
                    int (*variable)(yk_net_writer *w, void *self, int k),
                    void *self);

#endif
