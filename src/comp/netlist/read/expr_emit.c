/* comp/netlist/read/expr_emit.c -- writes the code of expressions.
 *
 * The code of an operand lies in one piece at the end, so two numbers and an
 * operator are replaced by their result at once and no tree is needed.
 */
#include "comp/netlist/read/expr_parse.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 100000, /* of one expression */
    MOST_WORK = 2000000  /* steps written, those folded included */
};
static const double most_work = 4e9; /* of a netlist */

/* ---- text ---------------------------------------------------------------- */

yoke_status yk_net_expr_bad(const yk_net_parser *p, yoke_err *err,
                            const char *what)
{
    const int from = (int)(p->p - p->text);

    return yk_net_fail(err, YOKE_E_ARG, p->at,
                       "expression \"%.*s\": %s at letter %d",
                       (int)(p->end - p->text > 120 ? 120 : p->end - p->text),
                       p->text, what, from + 1);
}

void yk_net_expr_blank(yk_net_parser *p)
{
    while (p->p < p->end && isspace((unsigned char)*p->p)) p->p++;
}

bool yk_net_expr_take(yk_net_parser *p, const char *mark)
{
    const size_t n = strlen(mark);

    yk_net_expr_blank(p);
    if ((size_t)(p->end - p->p) < n || memcmp(p->p, mark, n) != 0) return false;
    p->p += n;
    return true;
}

bool yk_net_same_name(const char *name, int length, const char *text)
{
    return strlen(text) == (size_t)length &&
           memcmp(name, text, (size_t)length) == 0;
}

/* ---- code ---------------------------------------------------------------- */

yoke_status yk_net_emit(yk_net_parser *p, yk_net_step step, yoke_err *err)
{
    yk_net_build *b = p->b;

    if (b->steps >= MOST_STEPS || ++b->work > MOST_WORK)
        return yk_net_expr_bad(
            p, err,
            "it grows too long (do functions call each other "
            "again and again?)");
    if (++p->r->work > most_work)
        return yk_net_expr_bad(p, err,
                               "the expressions of all instances "
                               "together are too much work");
    if ((size_t)b->steps == b->room)
        YK_TRY(yk_grow((void **)&b->step, &b->room, (size_t)b->steps + 1,
                       sizeof *b->step, err));
    b->step[b->steps++] = step;
    return YOKE_OK;
}

yoke_status yk_net_emit_number(yk_net_parser *p, double value,
                               yk_net_operand *out, yoke_err *err)
{
    *out = (yk_net_operand){ p->b->steps, 1, true, value };
    return yk_net_emit(p, (yk_net_step){ YK_NET_OP_NUMBER, 0, value }, err);
}

/* A constant yk_net_operand becomes one number. */
static yoke_status fold(yk_net_parser *p, yk_net_operand *a, yoke_err *err)
{
    yk_net_build *b = p->b;
    double stack[8];

    if (!a->constant || b->steps - a->start < 2) return YOKE_OK;
    yk_net_run(b->step + a->start, b->steps - a->start, b->point, 0.0, NULL, 0,
               stack);
    b->steps = a->start;
    return yk_net_emit_number(p, stack[0], a, err);
}

yoke_status yk_net_emit_unary(yk_net_parser *p, yk_net_op op, yk_net_operand *a,
                              yoke_err *err)
{
    YK_TRY(yk_net_emit(p, (yk_net_step){ op, 0, 0.0 }, err));
    return fold(p, a, err);
}

yoke_status yk_net_emit_binary(yk_net_parser *p, yk_net_op op,
                               yk_net_operand *a, const yk_net_operand *b,
                               yoke_err *err)
{
    YK_TRY(yk_net_emit(p, (yk_net_step){ op, 0, 0.0 }, err));
    a->constant = a->constant && b->constant;
    if (b->depth + 1 > a->depth) a->depth = b->depth + 1;
    return fold(p, a, err);
}

yoke_status yk_net_emit_select(yk_net_parser *p, yk_net_operand *a,
                               const yk_net_operand *b, const yk_net_operand *c,
                               yoke_err *err)
{
    YK_TRY(yk_net_emit(p, (yk_net_step){ YK_NET_OP_SELECT, 0, 0.0 }, err));
    a->constant = a->constant && b->constant && c->constant;
    if (b->depth + 1 > a->depth) a->depth = b->depth + 1;
    if (c->depth + 2 > a->depth) a->depth = c->depth + 2;
    return fold(p, a, err);
}

/* ---- tables ---------------------------------------------------------------
 */

yoke_status yk_net_emit_point(yk_net_parser *p, double value, yoke_err *err)
{
    yk_net_build *b = p->b;

    YK_TRY(yk_grow((void **)&b->point, &b->point_room, (size_t)b->points + 1,
                   sizeof *b->point, err));
    b->point[b->points++] = value;
    return YOKE_OK;
}

static yoke_status check_points(yk_net_parser *p, int first, yoke_err *err)
{
    const yk_net_build *b = p->b;
    const int count = b->points - first;

    if (count < 4 || count % 2)
        return yk_net_expr_bad(p, err, "pwl needs two points x, y or more");
    for (int i = first + 2; i < b->points; i += 2)
        if (!(b->point[i] > b->point[i - 2]))
            return yk_net_expr_bad(p, err, "the points of pwl do not grow");
    return YOKE_OK;
}

yoke_status yk_net_emit_points(yk_net_parser *p, yk_net_op op, int first,
                               yk_net_operand *a, yoke_err *err)
{
    YK_TRY(check_points(p, first, err));
    const yk_net_step step = { op, first, (p->b->points - first) / 2 };
    YK_TRY(yk_net_emit(p, step, err));
    return fold(p, a, err);
}
