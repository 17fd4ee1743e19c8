/* expr/program.c -- steps: what they depend on, values, enclosures. */
#include "expr/program.h"

#include "expr/table.h"

#include <math.h>

void yk_expr_clear(yk_expr_program *p)
{
    yk_free(p->step);
    *p = (yk_expr_program){ 0 };
}

/* ---- kinds --------------------------------------------------------------- */

#define LATER(a, b) ((a) > (b) ? (a) : (b))

static yk_expr_kind kind_of(yk_op op, yk_expr_kind a, yk_expr_kind b,
                            yk_expr_kind c)
{
    const yk_expr_kind all = LATER(LATER(a, b), c);

    switch (op) {
    case YK_OP_ADD:
    case YK_OP_SUBTRACT:
    case YK_OP_NEGATE:
        return all;
    case YK_OP_MULTIPLY:
        if (a == YK_KIND_NUMBER) return b;
        if (b == YK_KIND_NUMBER) return a;
        break;
    case YK_OP_DIVIDE:
    case YK_OP_SAFE_DIVIDE:
        if (b == YK_KIND_NUMBER) return a;
        break;
    default:
        break;
    }
    return all <= YK_KIND_TIME ? all : YK_KIND_NONLINEAR;
}

/* Of what depends on time and on no variable. */
static yk_expr_shape shape_of(const yk_expr_step *step, const yk_expr_step *s,
                              yk_expr_shape all)
{
    const yk_expr_step *a = &step[s->a], *b = &step[s->b];

    switch (s->op) {
    case YK_OP_ADD:
    case YK_OP_SUBTRACT:
    case YK_OP_NEGATE:
    case YK_OP_IF:
    case YK_OP_ABS:
    case YK_OP_MIN:
    case YK_OP_MAX:
    case YK_OP_INTERPOLATE:
    case YK_OP_LINES:
        return all;
    case YK_OP_MULTIPLY:
        return a->shape == YK_STEADY || b->shape == YK_STEADY ? all : YK_CURVED;
    case YK_OP_DIVIDE:
    case YK_OP_SAFE_DIVIDE:
        return b->shape == YK_STEADY ? a->shape : YK_CURVED;
    case YK_OP_POWER:
        return b->op == YK_OP_NUMBER && b->number == 1.0 ? a->shape : YK_CURVED;
    case YK_OP_SIGN:
    case YK_OP_FLOOR:
    case YK_OP_CEIL:
    case YK_OP_TRUNC:
    case YK_OP_ROUND:
    case YK_OP_SLOPE:
        return YK_STEADY;
    default:
        return yk_op_is_truth(s->op) ? YK_STEADY : YK_CURVED;
    }
}

void yk_expr_classify(yk_expr_step *step, int i)
{
    yk_expr_step *s = &step[i];
    const int operands = yk_op_operands(s->op);

    if (operands < 1) s->a = 0;
    if (operands < 2) s->b = s->a;
    if (operands < 3) s->c = s->a;
    const yk_expr_step *a = &step[s->a], *b = &step[s->b], *c = &step[s->c];
    if (operands == 0) {
        s->kind = s->op == YK_OP_NUMBER ? YK_KIND_NUMBER
                  : s->op == YK_OP_TIME ? YK_KIND_TIME
                                        : YK_KIND_LINEAR;
        s->shape = s->op == YK_OP_NUMBER ? YK_STEADY
                   : s->op == YK_OP_TIME ? YK_STRAIGHT
                                         : YK_FOREIGN;
        return;
    }
    const yk_expr_shape all = LATER(LATER(a->shape, b->shape), c->shape);
    s->kind = kind_of(s->op, a->kind, b->kind, c->kind);
    s->shape =
        all == YK_FOREIGN || all == YK_STEADY ? all : shape_of(step, s, all);
}

yoke_status yk_expr_append(yk_expr_program *p, yk_expr_step step, int *out,
                           yoke_err *err)
{
    YK_TRY(YK_GROW(&p->step, &p->room, p->steps + 1, err));
    p->step[p->steps] = step;
    yk_expr_classify(p->step, p->steps);
    *out = p->steps++;
    return YOKE_OK;
}

int yk_expr_extract(const yk_expr_step *step, int root, int *at,
                    yk_expr_step *out)
{
    int count = 0;

    for (int i = 0; i <= root; i++) at[i] = i == root;
    for (int i = root; i >= 0; i--)
        if (at[i] && yk_op_operands(step[i].op) > 0)
            at[step[i].a] = at[step[i].b] = at[step[i].c] = 1;
    for (int i = 0; i <= root; i++) {
        if (!at[i]) continue;
        at[i] = count;
        out[count] = step[i];
        if (yk_op_operands(step[i].op) > 0) {
            out[count].a = at[step[i].a];
            out[count].b = at[step[i].b];
            out[count].c = at[step[i].c];
        }
        count++;
    }
    return count;
}

/* ---- values -------------------------------------------------------------- */

static double leaf(const yk_expr_step *s, double t, const double *y)
{
    if (s->op == YK_OP_NUMBER) return s->number;
    if (s->op == YK_OP_TIME) return t;
    return y ? s->number * y[s->arg] : 0.0;
}

void yk_expr_values(const yk_expr_step *step, int steps, double t,
                    const double *y, double *v)
{
    for (int i = 0; i < steps; i++) {
        const yk_expr_step *s = &step[i];
        if (s->op <= YK_OP_VARIABLE) {
            v[i] = leaf(s, t, y);
            continue;
        }
        const double a = v[s->a], b = v[s->b], c = v[s->c];
        if (yk_op_is_table(s->op)) {
            v[i] = yk_table_value(s->op, s->table, s->arg, a);
            continue;
        }
        switch (s->op) { /* yk_op_value without a call */
#define VALUE(name, operands, value, corner)                                   \
    case YK_OP_##name:                                                         \
        v[i] = value;                                                          \
        break;
            YK_OPS(VALUE)
#undef VALUE
        default:
            v[i] = NAN;
        }
    }
}

/* ---- enclosures ---------------------------------------------------------- */

static void follow(const yk_expr_step *s, double from, double to, int order,
                   yk_expr_path *path, void *self, yk_jet *out)
{
    path(self, s->arg, from, to, order, out);
    if (s->number == 1.0) return;
    for (int k = 0; k <= order; k++) {
        const yk_span r = out->c[k];
        out->c[k] = s->number < 0.0
                        ? (yk_span){ s->number * r.hi, s->number * r.lo }
                        : (yk_span){ s->number * r.lo, s->number * r.hi };
    }
}

void yk_expr_enclose(const yk_expr_step *step, int steps, double from,
                     double to, int order, yk_expr_path *path, void *self,
                     bool all, yk_jet *jet)
{
    for (int i = 0; i < steps; i++) {
        const yk_expr_step *s = &step[i];
        if (s->kind == YK_KIND_NUMBER && !all) continue;
        if (s->op == YK_OP_NUMBER)
            yk_jet_number(s->number, order, &jet[i]);
        else if (s->op == YK_OP_TIME)
            yk_jet_time(from, to, order, &jet[i]);
        else if (s->op == YK_OP_VARIABLE)
            follow(s, from, to, order, path, self, &jet[i]);
        else if (yk_op_is_table(s->op))
            yk_jet_look_up(s->op, s->table, s->arg, order, &jet[s->a], &jet[i]);
        else
            yk_jet_apply(s->op, order, &jet[s->a], &jet[s->b], &jet[s->c],
                         &jet[i]);
    }
}
