/* expr/corner.c -- operations on a piece of time on which they keep their
 * branch. */
#include "expr/program.h"

#include "expr/table.h"

double yk_expr_branch(const yk_expr_step *s, double a, double b)
{
    if (yk_op_is_table(s->op))
        return yk_table_count(s->op, s->table, s->arg, a, true);
    switch (s->op) {
    case YK_OP_ABS:
    case YK_OP_SIGN_POWER:
        return a < 0.0 ? -1.0 : 1.0;
    case YK_OP_MIN:
        return a < b;
    case YK_OP_MAX:
        return a > b;
    default:
        return yk_op_value(s->op, a, b, 0.0);
    }
}

double yk_expr_watched(const yk_expr_step *s, double a, double b)
{
    return yk_op_corner(s->op) == YK_AT_EQUAL ? a - b : a;
}

static double held_table(const yk_expr_step *s, double branch, double a)
{
    const double *p = s->table;
    const int rows = s->arg;
    const bool before = branch<1.0, behind = branch> rows - 1.0;

    if (s->op == YK_OP_ROUNDED || s->op == YK_OP_SLOPE)
        return yk_table_value(s->op, p, rows, a);
    if (rows < 2 || ((before || behind) && s->op == YK_OP_INTERPOLATE))
        return before ? p[1] : p[2 * rows - 1];
    p += 2 * (before ? 0 : behind ? rows - 2 : (int)branch - 1);
    return p[1] + (p[3] - p[1]) / (p[2] - p[0]) * (a - p[0]);
}

double yk_expr_held_value(const yk_expr_step *s, double t, double branch,
                          const double *v)
{
    double out = 0.0;

    if (s->op <= YK_OP_VARIABLE) {
        yk_expr_values(s, 1, t, NULL, &out);
        return out;
    }
    const double a = v[s->a], b = v[s->b];
    if (yk_op_is_table(s->op)) return held_table(s, branch, a);
    switch (s->op) {
    case YK_OP_ABS:
        return branch * a;
    case YK_OP_MIN:
    case YK_OP_MAX:
        return branch != 0.0 ? a : b;
    case YK_OP_ATAN2:
    case YK_OP_SIGN_POWER:
        return yk_op_value(s->op, a, b, 0.0);
    default:
        if (yk_op_corner(s->op) != YK_SMOOTH) return branch;
        return yk_op_value(s->op, a, b, v[s->c]);
    }
}

void yk_expr_held_jet(const yk_expr_step *s, double from, double to,
                      double branch, int order, const yk_jet *jet, yk_jet *out)
{
    if (s->op == YK_OP_NUMBER)
        yk_jet_number(s->number, order, out);
    else if (s->op == YK_OP_TIME)
        yk_jet_time(from, to, order, out);
    else if (yk_op_is_table(s->op))
        yk_jet_held_table(s->op, s->table, s->arg, branch, order, &jet[s->a],
                          out);
    else
        yk_jet_held(s->op, branch, order, &jet[s->a], &jet[s->b], &jet[s->c],
                    out);
}
