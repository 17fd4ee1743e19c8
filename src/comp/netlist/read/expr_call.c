/* comp/netlist/read/expr_call.c -- functions and variables of expressions.
 *
 * An argument of a .func is a piece of code that is copied wherever its name
 * stands in the body.
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
        YK_TRY(yk_grow((void **)&b->var, &b->var_room, (size_t)k + 1,
                       sizeof *b->var, err));
        YK_TRY(yk_grow((void **)&b->source, &b->source_room, (size_t)k + 1,
                       sizeof *b->source, err));
        b->var[k] = var;
        b->source[k] = source;
        b->vars++;
    }
    *out = (yk_net_operand){ .start = b->steps, .depth = 1 };
    return yk_net_emit(p, (yk_net_step){ YK_NET_OP_VAR, k, 0.0 }, err);
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
    yk_net_op op, behaviour; /* in parameters, in B sources */
} builtin;

#define SAME(name, args, op)                                                   \
    {                                                                          \
        name, args, YK_NET_OP_##op, YK_NET_OP_##op                             \
    }
static const builtin builtins[] = {
    SAME("abs", 1, ABS),
    SAME("acos", 1, ACOS),
    SAME("acosh", 1, ACOSH),
    SAME("arctan", 1, ATAN),
    SAME("asin", 1, ASIN),
    SAME("asinh", 1, ASINH),
    SAME("atan", 1, ATAN),
    SAME("atanh", 1, ATANH),
    SAME("ceil", 1, CEIL),
    SAME("cos", 1, COS),
    SAME("cosh", 1, COSH),
    SAME("exp", 1, EXP),
    SAME("floor", 1, FLOOR),
    SAME("if", 3, SELECT),
    SAME("int", 1, INT),
    SAME("ln", 1, LN),
    SAME("log", 1, LN),
    SAME("log10", 1, LOG10),
    SAME("max", 2, MAX),
    SAME("min", 2, MIN),
    SAME("nint", 1, NINT),
    { "pow", 2, YK_NET_OP_POW, YK_NET_OP_ABS_POW },
    { "pwr", 2, YK_NET_OP_ABS_POW, YK_NET_OP_SIGN_POW },
    SAME("sgn", 1, SGN),
    SAME("sin", 1, SIN),
    SAME("sinh", 1, SINH),
    SAME("sqr", 1, SQR),
    SAME("sqrt", 1, SQRT),
    SAME("tan", 1, TAN),
    SAME("tanh", 1, TANH),
    SAME("ternary_fcn", 3, SELECT),
    SAME("u", 1, STEP),
    SAME("u2", 1, STEP2),
    SAME("uramp", 1, RAMP),
};

/* Functions that are known and not taken, with the reason. */
static const char *const refused[][2] = {
    { "agauss", "gives random numbers, which are not supported" },
    { "gauss", "gives random numbers, which are not supported" },
    { "unif", "gives random numbers, which are not supported" },
    { "aunif", "gives random numbers, which are not supported" },
    { "limit", "is a random number in ngspice and not supported; write "
               "min(max(x, low), high)" },
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
    const yk_net_op op = p->behaviour ? f->behaviour : f->op;
    if (f->args == 1) return yk_net_emit_unary(p, op, out, err);
    if (f->args == 2) return yk_net_emit_binary(p, op, out, &arg[1], err);
    return yk_net_emit_select(p, out, &arg[1], &arg[2], err);
}

/* pwl(x, x0, y0, x1, y1, ...) */
static yoke_status call_pwl(yk_net_parser *p, yk_net_operand *out,
                            yoke_err *err)
{
    const int first = p->b->points;
    yk_net_operand number;

    YK_TRY(yk_net_expr_read(p, out, err));
    while (yk_net_expr_take(p, ",")) {
        YK_TRY(yk_net_expr_read(p, &number, err));
        if (!number.constant)
            return yk_net_expr_bad(p, err, "a point of pwl is not a constant");
        p->b->steps = number.start;
        YK_TRY(yk_net_emit_point(p, number.value, err));
    }
    if (!yk_net_expr_take(p, ")"))
        return yk_net_expr_bad(p, err, "\")\" is missing after pwl(...");
    return yk_net_emit_points(p, YK_NET_OP_PWL, first, out, err);
}

/* A .func: arguments are read, their code is set aside, and the body is read
 * with their names bound to it. */
static yoke_status call_func(yk_net_parser *p, const yk_net_func *f,
                             yk_net_operand *out, yoke_err *err)
{
    yk_net_build *b = p->b;
    yk_net_binding *bind = NULL;
    const int begin = b->steps;

    if (++p->r->calls > MOST_CALLS)
        return yk_net_expr_bad(p, err, "too many calls of functions");
    YK_TRY(YK_TAKE(&b->arena, &bind, f->args + 1, err));
    for (int k = 0; k < f->args; k++) {
        yk_net_operand value;
        YK_TRY(yk_net_expr_read(p, &value, err));
        YK_TRY(separate(p, f->args, k, err));
        bind[k] = (yk_net_binding){ .name = f->arg[k],
                                    .value = value,
                                    .steps = b->steps - value.start };
        YK_TRY(YK_TAKE(&b->arena, &bind[k].step, bind[k].steps, err));
        memcpy(bind[k].step, b->step + value.start,
               (size_t)bind[k].steps * sizeof *b->step);
        b->steps = begin;
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

static yoke_status unknown_function(yk_net_parser *p, const char *name,
                                    int length, yoke_err *err)
{
    char wanted[60], room[100], message[300];
    yk_net_near near = { .wanted = wanted };

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
    if (yk_net_same_name(name, length, "pwl")) return call_pwl(p, out, err);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (yk_net_same_name(name, length, builtins[i].name))
            return call_builtin(p, &builtins[i], out, err);
    return unknown_function(p, name, length, err);
}
