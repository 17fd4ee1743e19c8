/* expr/held_branches.c -- an expression with its branches held.
 *
 * Steps with corners read a new variable instead of the relation that they
 * hold.  Kinks under a root, a logarithm or a divisor are only watched, because
 * their branches cannot be continued; so are those of functions that have no
 * branches, such as sgn(a) |a|^b.
 *
 * b < a ? x : y is a kink and no jump if x = y wherever a = b, as in
 * v > 0 ? v : 0.  Where a - b is linear this is tried at points with a = b:
 * functions made of the operations that differ at all differ almost everywhere.
 */
#include "expr/hold.h"
#include "expr/policy.h"
#include "expr/table.h"

#include <math.h>

enum { POINTS = 8, FRAGILE = 1, BENDS = 2, USED = 4 };

/* Most holds of one operation: trunc is a relation and two whole numbers. */
enum { MOST_HOLDS = 5 };

typedef struct maker {
    yk_arena *arena;
    const yk_expr_step *in;
    int steps, variables;
    bool *open;         /* of each step: it depends on an open variable */
    bool *weak;         /* ... and is not defined everywhere */
    unsigned char *use; /* how it is used */
    bool *bends;        /* a relation that only chooses between equal values */
    int *at;            /* of each step: its step in the new program */
    double *y, *v, *w, *bar;
    bool kinks;
    yk_expr_program out;
    yk_held *held;
    yoke_err *err;
} maker;

/* ---- what steps depend on ------------------------------------------------- */

/* Is the function not defined, or not finite, for all values of operand k? */
static bool is_fragile(const yk_expr_step *step, const yk_expr_step *s, int k)
{
    switch (s->op) {
    case YK_OP_SQRT:
    case YK_OP_LOG:
    case YK_OP_LOG10:
    case YK_OP_ASIN:
    case YK_OP_ACOS:
    case YK_OP_ACOSH:
    case YK_OP_ATANH:
        return true;
    case YK_OP_DIVIDE:
    case YK_OP_SAFE_DIVIDE:
        return k == 1;
    case YK_OP_POWER: {
        const yk_expr_step *b = &step[s->b];
        return k == 0 && !(b->op == YK_OP_NUMBER && b->number > 0.0 &&
                           fmod(b->number, 1.0) == 0.0);
    }
    default:
        return false;
    }
}

static void find_open(maker *m, const bool *variable)
{
    for (int i = 0; i < m->steps; i++) {
        const yk_expr_step *s = &m->in[i];
        const int operand[3] = { s->a, s->b, s->c };
        if (s->op == YK_OP_VARIABLE) m->open[i] = variable[s->arg];
        for (int k = 0; k < yk_op_operands(s->op); k++) {
            const int j = operand[k];
            m->open[i] = m->open[i] || m->open[j];
            m->weak[i] = m->weak[i] || m->weak[j] ||
                         (m->open[j] && is_fragile(m->in, s, k));
        }
    }
}

/* |a|^b and sgn(a) |a|^b have two continuous derivatives. */
static bool is_smooth_power(const yk_expr_step *step, const yk_expr_step *s)
{
    const yk_expr_step *b = &step[s->b];

    return (s->op == YK_OP_POWER || s->op == YK_OP_SIGN_POWER) &&
           b->op == YK_OP_NUMBER && b->number > 2.0;
}

static void find_uses(maker *m)
{
    m->use[m->steps - 1] = USED | BENDS;
    for (int i = m->steps - 1; i >= 0; i--) {
        const yk_expr_step *s = &m->in[i];
        const int operand[3] = { s->a, s->b, s->c };
        if (!m->use[i]) continue;
        const int bends = is_smooth_power(m->in, s) ? 0 : BENDS;
        for (int k = 0; k < yk_op_operands(s->op); k++)
            m->use[operand[k]] |=
                (unsigned char)(USED | bends | (m->use[i] & FRAGILE) |
                                (is_fragile(m->in, s, k) ? FRAGILE : 0));
    }
}

/* ---- jumps that are none -------------------------------------------------- */

/* Numbers that have nothing to do with any formula. */
static double draw(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

/* The variable that a - b depends on most, of steps linear in all; -1: none. */
static int pivot_of(maker *m, const yk_expr_step *r, double *weight)
{
    int best = -1;

    if (m->in[r->a].kind > YK_KIND_LINEAR || m->in[r->b].kind > YK_KIND_LINEAR)
        return -1;
    yk_expr_values(m->in, m->steps, 0.0, m->y, m->v);
    *weight = 0.0;
    for (int k = 0; k < 2; k++) {
        yk_expr_gradient(m->in, k ? r->b : r->a, m->v, m->variables,
                         m->w + k * m->variables, m->bar);
    }
    for (int k = 0; k < m->variables; k++) {
        const double by = m->w[k] - m->w[m->variables + k];
        if (fabs(by) > fabs(*weight)) {
            *weight = by;
            best = k;
        }
    }
    return best;
}

/* Is x = y of `choice` wherever a = b of the relation? */
static bool is_continuous(maker *m, const yk_expr_step *r,
                          const yk_expr_step *choice)
{
    double weight = 0.0, gap = 0.0, size = 0.0;
    const int pivot = pivot_of(m, r, &weight);
    unsigned seed = 1;

    for (int k = 0; pivot >= 0 && k < POINTS; k++) {
        const double t = draw(&seed) + 1.0;
        for (int j = 0; j < m->variables; j++) m->y[j] = draw(&seed);
        for (int on = 0; on < 2; on++) { /* off it, for the size; on it */
            yk_expr_values(m->in, m->steps, t, m->y, m->v);
            const double x = m->v[choice->b], y = m->v[choice->c];
            if (on) gap = fmax(gap, fabs(x - y));
            if (!isfinite(x) || !isfinite(y)) return false;
            size = fmax(size, fmax(fabs(x), fabs(y)));
            m->y[pivot] -= (m->v[r->a] - m->v[r->b]) / weight;
        }
    }
    return pivot >= 0 && gap <= YK_EXPR_EQUAL * size;
}

static bool is_relation(yk_op op)
{
    return op == YK_OP_LESS || op == YK_OP_LESS_EQUAL;
}

/* Relations that are the conditions of continuous choices and nothing else. */
static void find_bends(maker *m)
{
    for (int i = 0; i < m->steps; i++)
        m->bends[i] = is_relation(m->in[i].op) && m->open[i];
    for (int i = 0; i < m->steps; i++) {
        const yk_expr_step *s = &m->in[i];
        const int operand[3] = { s->a, s->b, s->c };
        for (int k = 0; k < yk_op_operands(s->op); k++) {
            const int j = operand[k];
            if (m->bends[j])
                m->bends[j] = s->op == YK_OP_IF && k == 0 &&
                              is_continuous(m, &m->in[j], s);
        }
    }
}

/* ---- the new program ------------------------------------------------------ */

static yoke_status put(maker *m, yk_expr_step step, int *at)
{
    return yk_expr_append(&m->out, step, at, m->err);
}

static yoke_status put_variable(maker *m, int *at)
{
    return put(m,
               (yk_expr_step){ .op = YK_OP_VARIABLE,
                               .arg = m->held->variables++,
                               .number = 1.0 },
               at);
}

/* A branch that is held; *at: the step that reads it, unless it is watched. */
static yoke_status hold(maker *m, yk_hold h, int *at)
{
    yk_held *held = m->held;

    held->kinks += h.kink || h.watched;
    h.variable = h.watched ? -1 : held->variables;
    held->hold[held->holds++] = h;
    return h.watched ? YOKE_OK : put_variable(m, at);
}

static yoke_status put_three(maker *m, yk_op op, int a, int b, int c, int *at)
{
    return put(m, (yk_expr_step){ .op = op, .a = a, .b = b, .c = c }, at);
}

/* floor(sign a + by), sign 1 or -1, with its sign: two ends of one value. */
static yoke_status put_floor(maker *m, int a, bool up, double by, int *at)
{
    const yk_hold h = { .op = YK_OP_FLOOR,
                        .side = -1,
                        .plus = up ? a : -1,
                        .minus = up ? -1 : a,
                        .by = by };
    yk_held *held = m->held;

    YK_TRY(hold(m, h, at));
    held->hold[held->holds] = held->hold[held->holds - 1];
    held->hold[held->holds++].side = 1;
    return up ? YOKE_OK : put_three(m, YK_OP_NEGATE, *at, 0, 0, at);
}

static yoke_status put_whole(maker *m, yk_op op, int a, int *at)
{
    const yk_hold sign = { .op = YK_OP_LESS_EQUAL, .plus = a, .minus = -1 };
    int is_up = 0, floor = 0, ceil = 0;

    if (op == YK_OP_FLOOR) return put_floor(m, a, true, 0.0, at);
    if (op == YK_OP_CEIL) return put_floor(m, a, false, 0.0, at);
    if (op == YK_OP_ROUND) return put_floor(m, a, true, 0.5, at);
    YK_TRY(hold(m, sign, &is_up));
    YK_TRY(put_floor(m, a, true, 0.0, &floor));
    YK_TRY(put_floor(m, a, false, 0.0, &ceil));
    return put_three(m, YK_OP_IF, is_up, floor, ceil, at);
}

static yoke_status put_sign(maker *m, int a, int *at)
{
    const yk_hold above = { .op = YK_OP_LESS, .plus = a, .minus = -1 };
    const yk_hold below = { .op = YK_OP_LESS, .plus = -1, .minus = a };
    int up = 0, down = 0;

    YK_TRY(hold(m, above, &up));
    YK_TRY(hold(m, below, &down));
    return put_three(m, YK_OP_SUBTRACT, up, down, 0, at);
}

/* min, max, abs: the first branch or the second. */
static yoke_status put_kink(maker *m, yk_op op, int a, int b, int *at)
{
    const yk_hold h = { .op = YK_OP_LESS_EQUAL,
                        .kink = true,
                        .plus = op == YK_OP_MIN ? b : a,
                        .minus = op == YK_OP_MIN   ? a
                                 : op == YK_OP_MAX ? b
                                                   : -1 };
    int first = 0, other = b;

    YK_TRY(hold(m, h, &first));
    if (op == YK_OP_ABS) YK_TRY(put_three(m, YK_OP_NEGATE, a, 0, 0, &other));
    return put_three(m, YK_OP_IF, first, a, other, at);
}

/* y0 + slope (a - x0) of the piece. */
static yoke_status put_lines(maker *m, const yk_expr_step *s, int a, int *at)
{
    const yk_hold h = { .op = YK_OP_INTERPOLATE,
                        .kink = true,
                        .extends = s->op == YK_OP_LINES,
                        .plus = a,
                        .minus = -1,
                        .rows = s->arg,
                        .table = s->table };
    int y0 = 0, slope = 0, x0 = 0;

    YK_TRY(hold(m, h, &y0));
    YK_TRY(put_variable(m, &slope));
    YK_TRY(put_variable(m, &x0));
    YK_TRY(put_three(m, YK_OP_SUBTRACT, a, x0, 0, at));
    YK_TRY(put_three(m, YK_OP_MULTIPLY, slope, *at, 0, at));
    return put_three(m, YK_OP_ADD, y0, *at, 0, at);
}

/* The step stays, and steps of time end where it bends. */
static yoke_status watch(maker *m, yk_expr_step s, int *at)
{
    const bool two = yk_op_corner(s.op) == YK_AT_EQUAL;
    const yk_hold h = { .op = YK_OP_LESS_EQUAL,
                        .kink = true,
                        .watched = true,
                        .plus = s.a,
                        .minus = two ? s.b : -1 };

    if (m->kinks) YK_TRY(hold(m, h, at));
    return put(m, s, at);
}

static yoke_status put_relation(maker *m, int i, const yk_expr_step *s, int *at)
{
    const yk_hold h = {
        .op = s->op, .kink = m->bends[i], .plus = s->b, .minus = s->a
    };
    bool weak = false;

    for (int j = i + 1; m->bends[i] && j < m->steps; j++) {
        const yk_expr_step *c = &m->in[j];
        if (c->op == YK_OP_IF && c->a == i)
            weak = weak || m->weak[c->b] || m->weak[c->c];
    }
    if (m->bends[i] && !m->kinks) return put(m, *s, at);
    return weak ? watch(m, *s, at) : hold(m, h, at);
}

/* One step; its operands are places of the new program already. */
static yoke_status put_step(maker *m, int i, const yk_expr_step *s, int *at)
{
    const bool fragile = m->use[i] & FRAGILE;

    if (!m->open[i] || !m->use[i] || yk_op_operands(s->op) == 0)
        return put(m, *s, at);
    switch (s->op) {
    case YK_OP_LESS:
    case YK_OP_LESS_EQUAL:
        return put_relation(m, i, s, at);
    case YK_OP_SIGN:
        return put_sign(m, s->a, at);
    case YK_OP_FLOOR:
    case YK_OP_CEIL:
    case YK_OP_TRUNC:
    case YK_OP_ROUND:
        return put_whole(m, s->op, s->a, at);
    case YK_OP_MIN:
    case YK_OP_MAX:
    case YK_OP_ABS:
        if (!(m->use[i] & BENDS)) return put(m, *s, at);
        if (fragile) return watch(m, *s, at);
        return m->kinks ? put_kink(m, s->op, s->a, s->b, at) : put(m, *s, at);
    case YK_OP_INTERPOLATE:
    case YK_OP_LINES:
        if (fragile || !m->kinks) return put(m, *s, at);
        return put_lines(m, s, s->a, at);
    case YK_OP_SIGN_POWER:
        return is_smooth_power(m->in, &m->in[i]) ? put(m, *s, at)
                                                 : watch(m, *s, at);
    default:
        return put(m, *s, at);
    }
}

static yoke_status write(maker *m)
{
    for (int i = 0; i < m->steps; i++) {
        yk_expr_step s = m->in[i];
        if (yk_op_operands(s.op) > 0) {
            s.a = m->at[s.a];
            s.b = m->at[s.b];
            s.c = m->at[s.c];
        }
        YK_TRY(put_step(m, i, &s, &m->at[i]));
    }
    return YOKE_OK;
}

static int count_corners(const maker *m)
{
    int count = 0;

    for (int i = 0; i < m->steps; i++)
        count += m->open[i] && yk_op_corner(m->in[i].op) != YK_SMOOTH;
    return count;
}

static yoke_status make_room(maker *m)
{
    const int n = m->steps;

    YK_TRY(YK_NEW(&m->open, n, m->err));
    YK_TRY(YK_NEW(&m->weak, n, m->err));
    YK_TRY(YK_NEW(&m->use, n, m->err));
    YK_TRY(YK_NEW(&m->bends, n, m->err));
    YK_TRY(yk_ints(&m->at, (size_t)n, m->err));
    YK_TRY(YK_DOUBLES((size_t)n, m->err, &m->v, &m->bar));
    YK_TRY(yk_doubles(&m->y, (size_t)m->variables + 1, m->err));
    return yk_doubles(&m->w, 2 * (size_t)m->variables + 1, m->err);
}

static yoke_status fill(maker *m, const bool *variable, yk_held **out)
{
    yk_held *held = NULL;
    yoke_err *err = m->err;

    YK_TRY(make_room(m));
    find_open(m, variable);
    const int corners = count_corners(m);
    if (corners == 0) return YOKE_OK;
    find_uses(m);
    find_bends(m);
    YK_TRY(YK_TAKE(m->arena, &held, 1, err));
    YK_TRY(YK_TAKE(m->arena, &held->hold, MOST_HOLDS * corners, err));
    held->variables = m->variables;
    m->held = held;
    YK_TRY(write(m));
    YK_TRY(YK_TAKE(m->arena, &held->step, m->out.steps, err));
    for (int i = 0; i < m->out.steps; i++) held->step[i] = m->out.step[i];
    held->steps = m->out.steps;
    if (held->holds > 0) *out = held;
    return YOKE_OK;
}

yoke_status yk_held_make(yk_held **out, yk_arena *arena, int steps,
                         const yk_expr_step *step, int variables,
                         const bool *open, bool kinks, yoke_err *err)
{
    maker m = { .arena = arena,
                .in = step,
                .steps = steps,
                .variables = variables,
                .kinks = kinks,
                .err = err };

    *out = NULL;
    const yoke_status status = fill(&m, open, out);
    yk_expr_clear(&m.out);
    YK_FREE(m.open, m.weak, m.use, m.bends, m.at, m.v, m.bar, m.y, m.w);
    return status;
}

/* ---- values --------------------------------------------------------------- */

double yk_held_argument(const yk_held *held, int k, const double *value)
{
    const yk_hold *h = &held->hold[k];

    return (h->plus >= 0 ? value[h->plus] : 0.0) -
           (h->minus >= 0 ? value[h->minus] : 0.0) + h->by;
}

static void set_line(const yk_hold *h, double place, double *y)
{
    const double *p = h->table;
    const int last = h->rows - 1;
    const bool before = place<p[0], behind = place> p[2 * last];
    const double *row =
        p + 2 * (last > 0 ? yk_table_piece(p, h->rows, place) : 0);
    const bool flat = last == 0 || ((before || behind) && !h->extends);

    if (flat && behind) row = p + 2 * last;
    y[0] = row[1];
    y[1] = flat ? 0.0 : (row[3] - row[1]) / (row[2] - row[0]);
    y[2] = row[0];
}

void yk_held_set(const yk_held *held, int k, double value, double *y)
{
    const yk_hold *h = &held->hold[k];

    if (h->variable < 0) return;
    if (h->op == YK_OP_INTERPOLATE)
        set_line(h, value, y + h->variable);
    else
        y[h->variable] = value;
}
