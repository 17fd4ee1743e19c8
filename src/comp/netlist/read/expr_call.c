/* comp/netlist/read/expr_call.c -- functions and variables of expressions.
 *
 * An argument of a .func is written once, however often its name stands in the
 * body.
 */
#include "comp/netlist/read/expr_parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CALLS = 20000, MOST_VARS = 1000 };

/* ---- variables ----------------------------------------------------------- */

yoke_status yk_net_expr_var(yk_net_parser *p, yk_net_var var,
                            const char *source, yk_net_operand *out,
                            yoke_err *err)
{
    yk_net_build *b = p->b;
    int k = 0;

    while (k < b->vars &&
           !(source ? b->source[k] && strcmp(b->source[k], source) == 0
                    : !b->source[k] && b->var[k].a == var.a &&
                          b->var[k].b == var.b))
        k++;
    if (k == b->vars) {
        if (k >= MOST_VARS)
            return yk_net_expr_bad(p, err,
                                   "more than 1000 voltages and currents");
        YK_TRY(YK_GROW(&b->var, &b->var_room, k + 1, err));
        YK_TRY(YK_GROW(&b->source, &b->source_room, k + 1, err));
        YK_TRY(YK_GROW(&b->place, &b->place_room, k + 1, err));
        b->var[k] = var;
        b->source[k] = source;
        b->place[k] = -1;
        b->vars++;
    }
    *out = (yk_net_operand){ b->program.steps, b->place[k] };
    if (out->at >= 0) return YOKE_OK; /* the same step again */
    YK_TRY(yk_net_emit(
        p, (yk_expr_step){ .op = YK_OP_VARIABLE, .arg = k, .number = 1.0 }, out,
        err));
    b->place[k] = out->at;
    return YOKE_OK;
}

/* A name of a node or source up to a comma or bracket. */
static yoke_status reference(yk_net_parser *p, const char **name, int *length,
                             yoke_err *err)
{
    yk_net_expr_blank(p);
    *name = p->p;
    while (p->p < p->end && *p->p != ',' && *p->p != ')' && *p->p != '(')
        p->p++;
    const char *last = p->p;
    while (last > *name && isspace((unsigned char)last[-1])) last--;
    *length = (int)(last - *name);
    if (*length == 0)
        return yk_net_expr_bad(p, err, "a name of a node or source is missing");
    return YOKE_OK;
}

static yoke_status voltage(yk_net_parser *p, yk_net_operand *out, yoke_err *err)
{
    yk_net_var var = { false, 0, 0 };
    const char *name;
    int length;

    YK_TRY(reference(p, &name, &length, err));
    YK_TRY(yk_net_node(p->r, p->env, name, length, p->at, &var.a, err));
    if (yk_net_expr_take(p, ",")) {
        YK_TRY(reference(p, &name, &length, err));
        YK_TRY(yk_net_node(p->r, p->env, name, length, p->at, &var.b, err));
    }
    if (!yk_net_expr_take(p, ")"))
        return yk_net_expr_bad(p, err, "\")\" is missing after v(...");
    if (var.a == var.b) return yk_net_emit_number(p, 0.0, out, err);
    return yk_net_expr_var(p, var, NULL, out, err);
}

static yoke_status current(yk_net_parser *p, yk_net_operand *out, yoke_err *err)
{
    const char *name, *copy;
    int length;

    YK_TRY(reference(p, &name, &length, err));
    if (!yk_net_expr_take(p, ")"))
        return yk_net_expr_bad(p, err, "\")\" is missing after i(...");
    YK_TRY(yk_net_copy(&p->b->arena, &copy, name, length, err));
    return yk_net_expr_var(p, (yk_net_var){ true, 0, 0 }, copy, out, err);
}

/* ---- functions ----------------------------------------------------------- */

typedef struct builtin {
    const char *name;
    int args;
    int op, behaviour; /* in parameters, in B sources */
} builtin;

#define SAME(name, args, op)                                                   \
    {                                                                          \
        name, args, op, op                                                     \
    }
static const builtin builtins[] = {
    SAME("abs", 1, YK_OP_ABS),
    SAME("acos", 1, YK_OP_ACOS),
    SAME("acosh", 1, YK_OP_ACOSH),
    SAME("arccos", 1, YK_OP_ACOS),
    SAME("arcsin", 1, YK_OP_ASIN),
    SAME("arctan", 1, YK_OP_ATAN),
    SAME("asin", 1, YK_OP_ASIN),
    SAME("asinh", 1, YK_OP_ASINH),
    SAME("atan", 1, YK_OP_ATAN),
    SAME("atanh", 1, YK_OP_ATANH),
    SAME("buf", 1, YK_NET_HIGH),
    SAME("ceil", 1, YK_OP_CEIL),
    SAME("cos", 1, YK_OP_COS),
    SAME("cosh", 1, YK_OP_COSH),
    SAME("exp", 1, YK_OP_EXP),
    SAME("floor", 1, YK_OP_FLOOR),
    SAME("if", 3, YK_OP_IF),
    SAME("int", 1, YK_OP_TRUNC),
    SAME("inv", 1, YK_NET_LOW),
    SAME("ln", 1, YK_OP_LOG),
    SAME("log", 1, YK_OP_LOG),
    SAME("log10", 1, YK_OP_LOG10),
    SAME("max", 2, YK_OP_MAX),
    SAME("min", 2, YK_OP_MIN),
    SAME("nint", 1, YK_OP_ROUND),
    { "pow", 2, YK_OP_POWER, YK_NET_ABS_POWER },
    { "pwr", 2, YK_NET_ABS_POWER, YK_OP_SIGN_POWER },
    SAME("pwrs", 2, YK_OP_SIGN_POWER),
    SAME("round", 1, YK_OP_ROUND),
    SAME("sgn", 1, YK_OP_SIGN),
    SAME("sin", 1, YK_OP_SIN),
    SAME("sinh", 1, YK_OP_SINH),
    SAME("sqr", 1, YK_NET_SQUARE),
    SAME("sqrt", 1, YK_OP_SQRT),
    SAME("stp", 1, YK_NET_ABOVE_0),
    SAME("tan", 1, YK_OP_TAN),
    SAME("tanh", 1, YK_OP_TANH),
    SAME("ternary_fcn", 3, YK_OP_IF),
    SAME("u", 1, YK_NET_STEP),
    SAME("u2", 1, YK_NET_STEP_2),
    SAME("uramp", 1, YK_NET_RAMP),
};

/* Functions that are known and not taken, with the reason. */
static const char *const refused[][2] = {
    { "agauss", "gives random numbers, which are not supported" },
    { "gauss", "gives random numbers, which are not supported" },
    { "unif", "gives random numbers, which are not supported" },
    { "aunif", "gives random numbers, which are not supported" },
    { "ddt", "is not supported; use the current of a capacitor" },
    { "idt", "is not supported; use the voltage of a capacitor" },
    { "sdt", "is not supported; use the voltage of a capacitor" },
};

static yoke_status separate(yk_net_parser *p, int args, int k, yoke_err *err)
{
    if (k + 1 == args)
        return yk_net_expr_take(p, ")")
                   ? YOKE_OK
                   : yk_net_expr_bad(p, err,
                                     "\")\" is missing after the last "
                                     "argument");
    return yk_net_expr_take(p, ",")
               ? YOKE_OK
               : yk_net_expr_bad(p, err, "an argument is missing");
}

static yoke_status call_builtin(yk_net_parser *p, const builtin *f,
                                yk_net_operand *out, yoke_err *err)
{
    yk_net_operand arg[3];

    for (int k = 0; k < f->args; k++) {
        YK_TRY(yk_net_expr_read(p, &arg[k], err));
        YK_TRY(separate(p, f->args, k, err));
    }
    *out = arg[0];
    const int op = p->behaviour ? f->behaviour : f->op;
    if (f->args == 1) return yk_net_emit_unary(p, op, out, err);
    if (f->args == 2) return yk_net_emit_binary(p, op, out, &arg[1], err);
    return yk_net_emit_select(p, out, &arg[1], &arg[2], err);
}

/* pwl(x, x0, y0, x1, y1, ...), straight on beyond its ends; table() of PSpice and
 * LTspice: constant there. */
static yoke_status call_pwl(yk_net_parser *p, yk_op op, yk_net_operand *out,
                            yoke_err *err)
{
    const int first = p->b->points;
    yk_net_operand number;
    double value;

    YK_TRY(yk_net_expr_read(p, out, err));
    while (yk_net_expr_take(p, ",")) {
        YK_TRY(yk_net_expr_read(p, &number, err));
        if (!yk_net_is_constant(p, &number, &value))
            return yk_net_expr_bad(p, err,
                                   "a point of the table is not a constant");
        yk_net_drop(p, &number);
        YK_TRY(yk_net_emit_point(p, value, err));
    }
    if (!yk_net_expr_take(p, ")"))
        return yk_net_expr_bad(p, err, "\")\" is missing after the points");
    return yk_net_emit_points(p, op, first, out, err);
}

/* A .func: arguments are read, and the body is read with their names bound to
 * them. */
static yoke_status call_func(yk_net_parser *p, const yk_net_func *f,
                             yk_net_operand *out, yoke_err *err)
{
    yk_net_build *b = p->b;
    yk_net_binding *bind = NULL;

    if (++p->r->calls > MOST_CALLS)
        return yk_net_expr_bad(p, err, "too many calls of functions");
    YK_TRY(YK_TAKE(&b->arena, &bind, f->args + 1, err));
    for (int k = 0; k < f->args; k++) {
        yk_net_operand value;
        YK_TRY(yk_net_expr_read(p, &value, err));
        YK_TRY(separate(p, f->args, k, err));
        bind[k] = (yk_net_binding){ f->arg[k], value };
    }
    if (f->args == 0 && !yk_net_expr_take(p, ")"))
        return yk_net_expr_bad(p, err, "\")\" is missing");
    yk_net_parser body = *p;
    body.at = f->at;
    body.text = body.p = f->text;
    body.end = f->text + f->length;
    body.bind = bind;
    body.binds = f->args;
    body.nesting++;
    if (body.nesting > YK_NET_NESTING)
        return yk_net_expr_bad(p, err, "functions call each other too deeply");
    YK_TRY(yk_net_expr_read(&body, out, err));
    yk_net_expr_blank(&body);
    if (body.p < body.end)
        return yk_net_expr_bad(&body, err, "something is left over");
    return YOKE_OK;
}

/* limit(x, a, b) of PSpice and LTspice: the middle one of the three.  That of
 * ngspice, limit(x, a), is a random number. */
static yoke_status call_limit(yk_net_parser *p, yk_net_operand *out,
                              yoke_err *err)
{
    yk_net_operand a, b;

    YK_TRY(yk_net_expr_read(p, out, err));
    YK_TRY(separate(p, 3, 0, err));
    YK_TRY(yk_net_expr_read(p, &a, err));
    if (yk_net_expr_take(p, ")"))
        return yk_net_expr_bad(p, err,
                               "limit() with two arguments is a random number "
                               "in ngspice and not supported; with three it "
                               "is the middle one");
    YK_TRY(separate(p, 3, 1, err));
    YK_TRY(yk_net_expr_read(p, &b, err));
    YK_TRY(separate(p, 3, 2, err));
    return yk_net_emit_middle(p, out, &a, &b, err);
}

static yoke_status unknown_function(yk_net_parser *p, const char *name,
                                    int length, yoke_err *err)
{
    char wanted[60], room[100], message[300];
    yk_net_near near = { .wanted = wanted };

    p->p = name; /* the place of the message */
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (yk_net_same_name(name, length, refused[i][0])) {
            snprintf(message, sizeof message, "%s() %s", refused[i][0],
                     refused[i][1]);
            return yk_net_expr_bad(p, err, message);
        }
    snprintf(wanted, sizeof wanted, "%.*s", length, name);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        yk_net_near_try(&near, builtins[i].name);
    snprintf(message, sizeof message, "there is no function \"%s\"%s", wanted,
             yk_net_near_text(&near, room, sizeof room));
    return yk_net_expr_bad(p, err, message);
}

yoke_status yk_net_expr_call(yk_net_parser *p, const char *name, int length,
                             yk_net_operand *out, yoke_err *err)
{
    const yk_net_func *f = yk_net_find_func(p->env, name, length);

    if (f) return call_func(p, f, out, err);
    if (p->variable && yk_net_same_name(name, length, "v"))
        return voltage(p, out, err);
    if (p->variable && yk_net_same_name(name, length, "i"))
        return current(p, out, err);
    if (yk_net_same_name(name, length, "v") ||
        yk_net_same_name(name, length, "i"))
        return yk_net_expr_bad(p, err,
                               "voltages and currents are not known here");
    if (yk_net_same_name(name, length, "pwl"))
        return call_pwl(p, YK_OP_LINES, out, err);
    if (yk_net_same_name(name, length, "table") ||
        yk_net_same_name(name, length, "tbl"))
        return call_pwl(p, YK_OP_INTERPOLATE, out, err);
    if (yk_net_same_name(name, length, "limit")) return call_limit(p, out, err);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (yk_net_same_name(name, length, builtins[i].name))
            return call_builtin(p, &builtins[i], out, err);
    return unknown_function(p, name, length, err);
}
