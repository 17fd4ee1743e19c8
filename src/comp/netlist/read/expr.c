/* comp/netlist/read/expr.c -- expressions of parameters and of B sources.
 *
 * One grammar with two flavours of arithmetic, because ngspice has two: that
 * of .param and {...} (numparam) and that of B sources.  They differ in pow,
 * pwr, the sign after an operator, the precedence of == and in what happens at
 * a division by zero.  Steps are written while reading (expr_emit.c).
 */
#include "comp/netlist/read/expr_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool letter(char c)
{
    return (unsigned char)c >= 128 || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '_';
}

static bool name_part(char c)
{
    return letter(c) || (c >= '0' && c <= '9') || (c && strchr(".$#@", c));
}

/* ---- names --------------------------------------------------------------- */

static yoke_status use_binding(yk_net_parser *p, const yk_net_binding *bind,
                               yk_net_operand *out, yoke_err *err)
{
    double value;

    if (yk_net_is_constant(p, &bind->value, &value))
        return yk_net_emit_number(p, value, out, err);
    *out = (yk_net_operand){ p->b->program.steps, bind->value.at };
    return YOKE_OK;
}

static yoke_status unknown_name(yk_net_parser *p, const char *name, int length,
                                yoke_err *err)
{
    char wanted[60], room[100], message[300];
    yk_net_near near = { .wanted = wanted };

    p->p = name; /* the place of the message */
    snprintf(wanted, sizeof wanted, "%.*s", length, name);
    for (const yk_net_env *env = p->env; env; env = env->parent)
        for (int i = 0; i < env->slots; i++)
            yk_net_near_try(&near, env->slot[i].name);
    const char *text = yk_net_near_text(&near, room, sizeof room);
    snprintf(message, sizeof message, "there is no parameter \"%s\"%s%s",
             wanted, text, text[0] ? "" : " (.param declares one)");
    return yk_net_expr_bad(p, err, message);
}

static yoke_status time_or_temper(yk_net_parser *p, const char *name,
                                  int length, yk_net_operand *out, bool *done,
                                  yoke_err *err)
{
    *done = true;
    if (yk_net_same_name(name, length, "temper")) {
        p->r->temper_used = p->at;
        return yk_net_emit_number(p, p->r->temper, out, err);
    }
    if (yk_net_same_name(name, length, "time")) {
        if (!p->variable)
            return yk_net_expr_bad(p, err, "time is not known here");
        p->b->uses_time = true;
        return yk_net_emit(p, (yk_expr_step){ .op = YK_OP_TIME }, out, err);
    }
    if (yk_net_same_name(name, length, "hertz"))
        return yk_net_expr_bad(p, err, "hertz is not supported");
    *done = false;
    return YOKE_OK;
}

/* Constants of nature as ngspice's; e is one in B sources only. */
static bool constant_of_nature(const yk_net_parser *p, const char *name,
                               int length, double *value)
{
    static const struct {
        const char *name;
        double value;
    } list[] = {
        { "pi", 3.14159265358979323846 }, { "boltz", 1.38064852e-23 },
        { "echarge", 1.6021766208e-19 },  { "kelvin", -273.15 },
        { "planck", 6.62607004e-34 },
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (yk_net_same_name(name, length, list[i].name)) {
            *value = list[i].value;
            return true;
        }
    if (!p->behaviour || !yk_net_same_name(name, length, "e")) return false;
    *value = 2.71828182845904523536;
    return true;
}

/* The last measure so far of that name. */
static yoke_status result_value(yk_net_parser *p, const char *name, int length,
                                yk_net_operand *out, yoke_err *err)
{
    const yk_netlist *net = p->r->net;
    int k = net->measures - 1;

    while (k >= 0 && !yk_net_same_name(name, length, net->measure[k].name)) k--;
    if (k < 0) return unknown_name(p, name, length, err);
    return yk_net_expr_var(p, (yk_net_var){ .a = k }, NULL, out, err);
}

static yoke_status name_value(yk_net_parser *p, const char *name, int length,
                              yk_net_operand *out, yoke_err *err)
{
    double value;
    bool done;

    for (int i = 0; i < p->binds; i++)
        if (yk_net_same_name(name, length, p->bind[i].name))
            return use_binding(p, &p->bind[i], out, err);
    yk_net_slot *slot = yk_net_find_slot(p->env, name, length);
    if (slot) {
        const int before = p->r->expr_depth;
        p->r->expr_depth = p->nesting + 1;
        const yoke_status status = yk_net_slot_value(p->r, slot, &value, err);
        p->r->expr_depth = before;
        YK_TRY(status);
        return yk_net_emit_number(p, value, out, err);
    }
    YK_TRY(time_or_temper(p, name, length, out, &done, err));
    if (done) return YOKE_OK;
    if (constant_of_nature(p, name, length, &value))
        return yk_net_emit_number(p, value, out, err);
    if (p->results) return result_value(p, name, length, out, err);
    return unknown_name(p, name, length, err);
}

/* ---- grammar ------------------------------------------------------------- */

static yoke_status number(yk_net_parser *p, yk_net_operand *out, yoke_err *err)
{
    int used;
    const double value = yk_net_number(p->p, (int)(p->end - p->p), &used);

    if (used == 0)
        return yk_net_expr_bad(p, err, "a number or name is missing");
    if (!p->behaviour)
        for (int i = 0; i + 3 <= used; i++)
            if (memcmp(p->p + i, "mil", 3) == 0)
                return yk_net_expr_bad(p, err,
                                       "\"mil\" is milli for ngspice in an "
                                       "expression; write 25.4u");
    p->p += used;
    if (p->p < p->end && name_part(*p->p))
        return yk_net_expr_bad(
            p, err,
            "a letter or digit follows a number; write 4.7k for "
            "4k7");
    return yk_net_emit_number(p, value, out, err);
}

static yoke_status enclosed(yk_net_parser *p, const char *close,
                            yk_net_operand *out, yoke_err *err)
{
    if (++p->nesting > YK_NET_NESTING)
        return yk_net_expr_bad(p, err, "brackets are too deep");
    YK_TRY(yk_net_expr_read(p, out, err));
    p->nesting--;
    if (yk_net_expr_take(p, close)) return YOKE_OK;
    return yk_net_expr_bad(
        p, err, close[0] == ')' ? "\")\" is missing" : "\"}\" is missing");
}

static yoke_status atom(yk_net_parser *p, yk_net_operand *out, yoke_err *err)
{
    yk_net_expr_blank(p);
    if (p->p == p->end)
        return yk_net_expr_bad(p, err, "the end comes too early");
    if (yk_net_expr_take(p, "(")) return enclosed(p, ")", out, err);
    if (yk_net_expr_take(p, "{")) {
        const bool behaviour = p->behaviour;
        p->behaviour = false;
        YK_TRY(enclosed(p, "}", out, err));
        p->behaviour = behaviour;
        return YOKE_OK;
    }
    if (!letter(*p->p)) return number(p, out, err);
    const char *name = p->p;
    while (p->p < p->end && name_part(*p->p)) p->p++;
    const int length = (int)(p->p - name);
    if (!yk_net_expr_take(p, "(")) return name_value(p, name, length, out, err);
    if (++p->nesting > YK_NET_NESTING)
        return yk_net_expr_bad(p, err, "functions are too deep");
    YK_TRY(yk_net_expr_call(p, name, length, out, err));
    p->nesting--;
    return YOKE_OK;
}

/* Signs directly before an atom. */
static yoke_status signed_atom(yk_net_parser *p, yk_net_operand *out,
                               yoke_err *err)
{
    bool negative = false;

    for (;;) {
        if (yk_net_expr_take(p, "-"))
            negative = !negative;
        else if (!yk_net_expr_take(p, "+"))
            break;
    }
    YK_TRY(atom(p, out, err));
    return negative ? yk_net_emit_unary(p, YK_OP_NEGATE, out, err) : YOKE_OK;
}

/* ^ and ** , from left to right. */
static yoke_status power_rest(yk_net_parser *p, yk_net_operand *out,
                              yoke_err *err)
{
    while (yk_net_expr_take(p, "^") || yk_net_expr_take(p, "**")) {
        yk_net_operand exponent;
        YK_TRY(signed_atom(p, &exponent, err));
        YK_TRY(yk_net_emit_binary(p, YK_NET_ABS_POWER, out, &exponent, err));
    }
    return YOKE_OK;
}

static yoke_status unary(yk_net_parser *p, bool after_operator,
                         yk_net_operand *out, yoke_err *err)
{
    if (!p->behaviour && after_operator) {
        yk_net_expr_blank(p);
        if (p->p < p->end && (*p->p == '-' || *p->p == '+')) {
            YK_TRY(signed_atom(p, out, err));
            return power_rest(p, out, err);
        }
    }
    const bool negative = yk_net_expr_take(p, "-");
    yk_net_expr_blank(p);
    const bool negated = !negative && !(p->p + 1 < p->end && p->p[1] == '=') &&
                         yk_net_expr_take(p, "!");
    if (!negative && !negated && !yk_net_expr_take(p, "+")) {
        YK_TRY(atom(p, out, err));
        return power_rest(p, out, err);
    }
    if (++p->nesting > YK_NET_NESTING)
        return yk_net_expr_bad(p, err, "signs are too many");
    YK_TRY(unary(p, after_operator, out, err));
    p->nesting--;
    if (!negative && !negated) return YOKE_OK;
    return yk_net_emit_unary(p, negative ? YK_OP_NEGATE : YK_OP_NOT, out, err);
}

typedef struct infix {
    const char *mark;
    int level, behaviour_level; /* larger binds stronger; 0: none there */
    int op;
} infix;

/* Longer marks first. */
static const infix infixes[] = {
    { "||", 1, 1, YK_OP_OR },
    { "&&", 2, 2, YK_OP_AND },
    { "==", 4, 3, YK_OP_EQUAL },
    { "!=", 4, 3, YK_NET_UNEQUAL },
    { "<>", 4, 3, YK_NET_UNEQUAL },
    { "<=", 4, 4, YK_OP_LESS_EQUAL },
    { ">=", 4, 4, YK_NET_GREATER_EQUAL },
    { "<", 4, 4, YK_OP_LESS },
    { ">", 4, 4, YK_NET_GREATER },
    { "=", 4, 0, YK_OP_EQUAL },
    { "|", 1, 1, YK_OP_OR }, /* of PSpice and LTspice */
    { "&", 2, 2, YK_OP_AND },
    { "+", 5, 5, YK_OP_ADD },
    { "-", 5, 5, YK_OP_SUBTRACT },
    { "*", 6, 6, YK_OP_MULTIPLY },
    { "/", 6, 6, YK_OP_DIVIDE },
    { "%", 6, 0, YK_NET_REMAINDER },
    { "\\", 6, 0, YK_NET_WHOLE },
};
enum { INFIXES = sizeof infixes / sizeof *infixes };

/* The operator that stands here if it binds at least so strongly. */
static const infix *next_infix(yk_net_parser *p, int least, int *level)
{
    yk_net_expr_blank(p);
    for (int i = 0; i < INFIXES; i++) {
        const infix *f = &infixes[i];
        const size_t n = strlen(f->mark);
        if ((size_t)(p->end - p->p) < n || memcmp(p->p, f->mark, n) != 0)
            continue;
        *level = p->behaviour ? f->behaviour_level : f->level;
        if (*level < least) return NULL;
        p->p += n;
        return f;
    }
    return NULL;
}

static yoke_status binary(yk_net_parser *p, int least, bool after_operator,
                          yk_net_operand *out, yoke_err *err)
{
    const infix *f;
    int level;

    YK_TRY(unary(p, after_operator, out, err));
    while ((f = next_infix(p, least, &level))) {
        yk_net_operand right;
        int op = f->op;
        YK_TRY(binary(p, level + 1, true, &right, err));
        if (op == YK_OP_DIVIDE && p->behaviour) op = YK_OP_SAFE_DIVIDE;
        YK_TRY(yk_net_emit_binary(p, op, out, &right, err));
    }
    return YOKE_OK;
}

yoke_status yk_net_expr_read(yk_net_parser *p, yk_net_operand *out,
                             yoke_err *err)
{
    yk_net_operand yes, no;

    YK_TRY(binary(p, 1, false, out, err));
    if (!yk_net_expr_take(p, "?")) return YOKE_OK;
    if (++p->nesting > YK_NET_NESTING)
        return yk_net_expr_bad(p, err, "choices are too deep");
    YK_TRY(yk_net_expr_read(p, &yes, err));
    if (!yk_net_expr_take(p, ":"))
        return yk_net_expr_bad(p, err, "\":\" is missing after \"?\"");
    YK_TRY(yk_net_expr_read(p, &no, err));
    p->nesting--;
    return yk_net_emit_select(p, out, &yes, &no, err);
}

/* ---- results ------------------------------------------------------------- */

static void free_build(yk_net_build *b)
{
    yk_expr_clear(&b->program);
    YK_FREE(b->place, b->point, b->var, b->source);
    yk_arena_clear(&b->arena);
}

/* Reads all of the text. */
static yoke_status read_all(yk_net_parser *p, yk_net_operand *out,
                            yoke_err *err)
{
    YK_TRY(yk_net_expr_read(p, out, err));
    yk_net_expr_blank(p);
    if (p->p < p->end) return yk_net_expr_bad(p, err, "something is left over");
    return YOKE_OK;
}

yoke_status yk_net_constant(yk_net_reader *r, yk_net_env *env, const char *text,
                            int length, yk_net_place at, double *value,
                            yoke_err *err)
{
    yk_net_build b = { .vars = 0 };
    yk_net_parser p = { .r = r,
                        .env = env,
                        .at = at,
                        .text = text,
                        .p = text,
                        .end = text + length,
                        .nesting = r->expr_depth,
                        .b = &b };
    yk_net_operand out;
    int used;

    *value = yk_net_number(text, length, &used);
    if (used > 0 && used == length && isfinite(*value) &&
        !memchr(text, 'i', (size_t)length))
        return YOKE_OK;
    if (r->expr_depth == 0) r->calls = 0;
    if (r->expr_depth > YK_NET_NESTING)
        return yk_net_expr_bad(&p, err,
                               "parameters depend on each other too deeply");
    yoke_status status = read_all(&p, &out, err);
    if (status == YOKE_OK) {
        yk_net_is_constant(&p, &out, value);
        if (!isfinite(*value))
            status = yk_net_expr_bad(&p, err, "the value is not finite");
    }
    free_build(&b);
    return status;
}

/* The steps that the value needs, and their points. */
static yoke_status copy_steps(yk_arena *arena, const yk_net_build *b, int root,
                              yk_net_expr *e, yoke_err *err)
{
    double *point = NULL;
    int *at = NULL;

    YK_TRY(YK_TAKE(arena, &e->step, root + 1, err));
    YK_TRY(YK_TAKE(arena, &point, b->points, err));
    YK_TRY(yk_ints(&at, (size_t)root + 1, err));
    e->steps = yk_expr_extract(b->program.step, root, at, e->step);
    yk_free(at);
    if (b->points) memcpy(point, b->point, (size_t)b->points * sizeof *point);
    for (int i = 0; i < e->steps; i++)
        if (yk_op_is_table(e->step[i].op))
            e->step[i].table = point + (int)e->step[i].number;
    return YOKE_OK;
}

/* As written, for messages. */
static yoke_status copy_text(yk_arena *arena, yk_net_expr *e,
                             const yk_net_parser *p, yoke_err *err)
{
    const int length = (int)(p->end - p->text);
    char *copy = NULL;

    YK_TRY(YK_TAKE(arena, &copy, length + 1, err));
    for (int i = 0; i < length; i++)
        copy[i] = p->text[i] == YK_NET_JOINT ? ' ' : p->text[i];
    e->text = copy;
    return YOKE_OK;
}

static yoke_status make_expr(const yk_net_parser *p, int root,
                             yk_net_expr **out, yoke_err *err)
{
    const yk_net_build *b = p->b;
    yk_arena *arena = &p->r->net->arena;
    yk_net_expr *e = NULL;

    YK_TRY(YK_TAKE(arena, &e, 1, err));
    e->vars = b->vars;
    e->uses_time = b->uses_time;
    e->at = p->at;
    YK_TRY(copy_text(arena, e, p, err));
    YK_TRY(YK_TAKE(arena, &e->var, b->vars, err));
    for (int k = 0; k < b->vars; k++) {
        e->var[k] = b->var[k];
        if (b->source[k])
            YK_TRY(yk_net_refer(p->r, p->env, b->source[k],
                                (int)strlen(b->source[k]), "vlehb",
                                &e->var[k].a, p->at, err));
    }
    YK_TRY(copy_steps(arena, b, root, e, err));
    *out = e;
    return YOKE_OK;
}

/* What is made of an expression after it was read. */
typedef struct finish {
    double factor;
    int points; /* > 0: a table of the expression */
    const double *point;
    double *value; /* NULL: a constant is an expression too */
} finish;

static yoke_status add_table(yk_net_parser *p, const finish *f,
                             yk_net_operand *result, yoke_err *err)
{
    const int first = p->b->points;

    for (int i = 0; i < 2 * f->points; i++)
        YK_TRY(yk_net_emit_point(p, f->point[i], err));
    return yk_net_emit_points(p, YK_OP_ROUNDED, first, result, err);
}

static yoke_status add_factor(yk_net_parser *p, double factor,
                              yk_net_operand *result, yoke_err *err)
{
    yk_net_operand number;

    if (factor == 1.0) return YOKE_OK;
    YK_TRY(yk_net_emit_number(p, factor, &number, err));
    return yk_net_emit_binary(p, YK_OP_MULTIPLY, result, &number, err);
}

static yoke_status behaviour(yk_net_parser *p, const finish *f,
                             yk_net_expr **out, yoke_err *err)
{
    yk_net_operand result;
    double value;

    p->r->calls = 0;
    YK_TRY(read_all(p, &result, err));
    if (f->points) YK_TRY(add_table(p, f, &result, err));
    YK_TRY(add_factor(p, f->factor, &result, err));
    const bool constant = yk_net_is_constant(p, &result, &value);
    if (constant && !isfinite(value))
        return yk_net_expr_bad(p, err, "the value is not finite");
    if (!constant || !f->value) return make_expr(p, result.at, out, err);
    *out = NULL;
    *f->value = value;
    return YOKE_OK;
}

/* `results`: of what a run has found, otherwise of the values in it. */
static yoke_status run_parser(yk_net_reader *r, yk_net_env *env,
                              const char *text, int length, yk_net_place at,
                              const finish *f, bool results, yk_net_expr **out,
                              yoke_err *err)
{
    yk_net_build b = { .vars = 0 };
    yk_net_parser p = { .r = r,
                        .env = env,
                        .at = at,
                        .text = text,
                        .p = text,
                        .end = text + length,
                        .behaviour = !results,
                        .variable = !results,
                        .results = results,
                        .b = &b };
    const yoke_status status = behaviour(&p, f, out, err);

    free_build(&b);
    return status;
}

yoke_status yk_net_behaviour(yk_net_reader *r, yk_net_env *env,
                             const char *text, int length, double factor,
                             yk_net_place at, yk_net_expr **out, double *value,
                             yoke_err *err)
{
    const finish f = { .factor = factor, .value = value };

    return run_parser(r, env, text, length, at, &f, false, out, err);
}

yoke_status yk_net_result_expr(yk_net_reader *r, yk_net_env *env,
                               const char *text, int length, yk_net_place at,
                               yk_net_expr **out, yoke_err *err)
{
    const finish f = { .factor = 1.0 };

    return run_parser(r, env, text, length, at, &f, true, out, err);
}

yoke_status yk_net_table(yk_net_reader *r, yk_net_env *env, const char *text,
                         int length, int points, const double *point,
                         double factor, yk_net_place at, yk_net_expr **out,
                         yoke_err *err)
{
    const finish f = { .factor = factor, .points = points, .point = point };

    return run_parser(r, env, text, length, at, &f, false, out, err);
}
