/* comp/equation/front/table_value.c -- the value of a table as an expression.
 *
 * Between two rows a table is a polynomial in d = u - x[i]: constant, straight
 * or cubic.  Straight lines without jumps are INTERPOLATE, whose corners are
 * known to the events; all others are a tree of decisions u < x[i].  Those of
 * jumps are events, those of cubics are not: there the slope is continuous.
 *
 * Akima, A new method of interpolation and smooth curve fitting, J. ACM 17
 * (1970) 589-602: the slope at a row is the mean of the two secants beside it,
 * weighted by how much those further out differ.
 *
 * Reference: Modelica standard library 4.0, Modelica.Blocks.Tables.
 */
#include "comp/equation/front/table_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PIECES = 20000 };

/* ---- Pieces -------------------------------------------------------------- */

typedef struct piece {
    double begin, x;       /* where it begins, and its origin */
    double coefficient[4]; /* of 1, d, d^2, d^3 */
} piece;

typedef struct pieces {
    int count;
    piece *piece;
    bool jumps, straight;
} pieces;

static double row_x(const yk_combi *b, int i)
{
    return b->value[(size_t)i * (size_t)b->columns];
}

static double row_y(const yk_combi *b, int i, int column)
{
    return b->value[(size_t)i * (size_t)b->columns + (size_t)column];
}

static double secant(const yk_combi *b, int i, int column)
{
    return (row_y(b, i + 1, column) - row_y(b, i, column)) /
           (row_x(b, i + 1) - row_x(b, i));
}

/* The secants go on beyond the ends in arithmetic progression. */
static double secant_on(const yk_combi *b, int i, int column)
{
    const int last = b->rows - 2;

    if (last < 1) return secant(b, 0, column);
    if (i < 0)
        return secant(b, 0, column) +
               i * (secant(b, 1, column) - secant(b, 0, column));
    if (i > last)
        return secant(b, last, column) +
               (i - last) *
                   (secant(b, last, column) - secant(b, last - 1, column));
    return secant(b, i, column);
}

static double slope_at(const yk_combi *b, int i, int column)
{
    double m[4], before, after;

    for (int k = 0; k < 4; k++) m[k] = secant_on(b, i - 2 + k, column);
    before = fabs(m[1] - m[0]);
    after = fabs(m[3] - m[2]);
    if (b->smooth == YK_SMOOTH_MAKIMA) {
        before += fabs(m[1] + m[0]) / 2.0;
        after += fabs(m[3] + m[2]) / 2.0;
    }
    if (before + after == 0.0) return 0.5 * (m[1] + m[2]);
    return (after * m[1] + before * m[2]) / (before + after);
}

/* Between rows i and i + 1. */
static piece between(const yk_combi *b, int i, int column)
{
    const double h = row_x(b, i + 1) - row_x(b, i), s = secant(b, i, column);
    piece p = { .begin = row_x(b, i), .x = row_x(b, i) };

    p.coefficient[0] = row_y(b, i, column);
    if (b->smooth == YK_SMOOTH_LINES) p.coefficient[1] = s;
    if (b->smooth == YK_SMOOTH_AKIMA || b->smooth == YK_SMOOTH_MAKIMA) {
        const double left = slope_at(b, i, column);
        const double right = slope_at(b, i + 1, column);
        p.coefficient[1] = left;
        p.coefficient[2] = (3.0 * s - 2.0 * left - right) / h;
        p.coefficient[3] = (left + right - 2.0 * s) / (h * h);
    }
    return p;
}

static double piece_at(const piece *p, double u)
{
    const double d = u - p->x, *c = p->coefficient;

    return c[0] + d * (c[1] + d * (c[2] + d * c[3]));
}

static double piece_slope(const piece *p, double u)
{
    const double d = u - p->x, *c = p->coefficient;

    return c[1] + d * (2.0 * c[2] + d * 3.0 * c[3]);
}

/* Beyond an end at x: constant, or straight on. */
static piece beyond(const yk_combi *b, const piece *last, double x, double y)
{
    piece p = { .begin = x, .x = x, .coefficient = { y } };

    if (b->beyond == YK_BEYOND_LINE && b->smooth != YK_SMOOTH_STEPS)
        p.coefficient[1] = piece_slope(last, x);
    return p;
}

static yoke_status make_pieces(yk_translator *t, const yk_combi *b, int column,
                               pieces *out)
{
    const int n = b->rows;

    *out = (pieces){ .straight = b->smooth == YK_SMOOTH_LINES,
                     .jumps = b->smooth == YK_SMOOTH_STEPS };
    if (n > MOST_PIECES)
        return yk_refuse(t, b->at, "the table %s has %d rows; at most %d",
                         b->name, n, MOST_PIECES);
    YK_TRY(YK_SCRATCH(t, &out->piece, n + 2));
    out->count = 1; /* the one before the first row */
    for (int i = 0; i + 1 < n; i++) {
        if (row_x(b, i + 1) == row_x(b, i))
            out->jumps = true;
        else
            out->piece[out->count++] = between(b, i, column);
    }
    const double first = row_x(b, 0), last = row_x(b, n - 1);
    const piece flat = { .begin = first,
                         .x = first,
                         .coefficient = { row_y(b, 0, column) } };
    const bool any = out->count > 1;
    out->piece[0] =
        beyond(b, any ? &out->piece[1] : &flat, first, row_y(b, 0, column));
    out->piece[0].begin = -INFINITY;
    out->piece[out->count] =
        beyond(b, any ? &out->piece[out->count - 1] : &flat, last,
               row_y(b, n - 1, column));
    out->count++;
    return YOKE_OK;
}

/* ---- Expressions --------------------------------------------------------- */

/* c0 + d (c1 + d (c2 + d c3)) */
static yoke_status polynomial(yk_translator *t, yk_place at, const piece *p,
                              const yk_value *u, yk_value *out)
{
    const yk_value x = yk_number(p->x);
    yk_value d;
    int degree = 3;

    while (degree > 0 && p->coefficient[degree] == 0.0) degree--;
    *out = yk_number(p->coefficient[degree]);
    if (degree == 0) return YOKE_OK;
    YK_TRY(yk_operate(t, at, YK_OP_SUBTRACT, u, &x, &d));
    for (int k = degree - 1; k >= 0; k--) {
        const yk_value c = yk_number(p->coefficient[k]);
        YK_TRY(yk_operate(t, at, YK_OP_MULTIPLY, out, &d, out));
        YK_TRY(yk_operate(t, at, YK_OP_ADD, &c, out, out));
    }
    return YOKE_OK;
}

/* The pieces `first` to `last`, by halves. */
static yoke_status decide(yk_translator *t, yk_place at, const pieces *p,
                          int first, int last, const yk_value *u, yk_value *out)
{
    const int half = (first + last + 1) / 2;
    yk_value less, left, right;

    if (first == last) return polynomial(t, at, &p->piece[first], u, out);
    const yk_value edge = yk_number(p->piece[half].begin);
    YK_TRY(yk_operate(t, at, YK_OP_LESS, u, &edge, &less));
    if (p->jumps || p->straight) YK_TRY(yk_eq_hold_relation(t, at, '<', &less));
    YK_TRY(yk_enter(t, at));
    YK_TRY(decide(t, at, p, first, half - 1, u, &left));
    YK_TRY(decide(t, at, p, half, last, u, &right));
    t->depth--;
    return yk_choose(t, &less, &left, &right, out);
}

static double number_at(const pieces *p, double u)
{
    int k = p->count - 1;

    while (k > 0 && u < p->piece[k].begin) k--;
    return piece_at(&p->piece[k], u);
}

/* The rows (x, column) as a table of the flat model. */
static yoke_status column_variable(yk_translator *t, yk_combi *b, int column)
{
    char name[120];
    yk_flat_variable v = { .kind = YK_FLAT_TABLE,
                           .dims = 2,
                           .size = { b->rows, 2 },
                           .count = 2 * b->rows,
                           .line = b->at.line };

    if (b->variable[column] >= 0) return YOKE_OK;
    snprintf(name, sizeof name, "%.90s column %d", b->name, column + 1);
    YK_TRY(yk_copy_text(&v.name, name, t->err));
    const yoke_status status = yk_doubles(&v.value, (size_t)v.count, t->err);
    if (status != YOKE_OK) {
        yk_free(v.name);
        return status;
    }
    for (int i = 0; i < b->rows; i++) {
        v.value[2 * i] = row_x(b, i);
        v.value[2 * i + 1] = row_y(b, i, column);
    }
    return yk_flat_add_variable(t->flat, &v, &b->variable[column], t->err);
}

/* + slope min(u - first, 0) + slope max(u - last, 0) */
static yoke_status add_ends(yk_translator *t, yk_place at, const pieces *p,
                            const yk_value *u, yk_value *out)
{
    const yk_value zero = yk_number(0.0);

    for (int k = 0; k < 2; k++) {
        const piece *end = &p->piece[k ? p->count - 1 : 0];
        const yk_value x = yk_number(end->x);
        const yk_value slope = yk_number(end->coefficient[1]);
        yk_value d;
        if (slope.number == 0.0) continue;
        YK_TRY(yk_operate(t, at, YK_OP_SUBTRACT, u, &x, &d));
        YK_TRY(yk_operate(t, at, k ? YK_OP_MAX : YK_OP_MIN, &d, &zero, &d));
        YK_TRY(yk_eq_hold_kink(t, at, &d));
        YK_TRY(yk_operate(t, at, YK_OP_MULTIPLY, &slope, &d, &d));
        YK_TRY(yk_operate(t, at, YK_OP_ADD, out, &d, out));
    }
    return YOKE_OK;
}

static yoke_status lines(yk_translator *t, yk_combi *b, yk_place at, int column,
                         const pieces *p, const yk_value *u, yk_value *out)
{
    yk_flat_node n = { .op = YK_OP_INTERPOLATE, .b = -1, .c = -1 };

    YK_TRY(column_variable(t, b, column));
    YK_TRY(yk_to_node(t, u, &n.a));
    n.variable = b->variable[column];
    *out = (yk_value){ .kind = YK_VALUE_NODE };
    YK_TRY(yk_flat_add_node(t->flat, &n, &out->node, t->err));
    YK_TRY(yk_eq_hold_kink(t, at, out));
    return add_ends(t, at, p, u, out);
}

/* u in [first, last) by periods */
static yoke_status wrap(yk_translator *t, const yk_combi *b, yk_place at,
                        const yk_value *u, yk_value *out)
{
    const double first = row_x(b, 0), last = row_x(b, b->rows - 1);
    const yk_value begin = yk_number(first), period = yk_number(last - first);
    yk_value q;

    *out = *u;
    if (!(last > first)) return YOKE_OK;
    YK_TRY(yk_operate(t, at, YK_OP_SUBTRACT, u, &begin, &q));
    YK_TRY(yk_operate(t, at, YK_OP_DIVIDE, &q, &period, &q));
    YK_TRY(yk_operate(t, at, YK_OP_FLOOR, &q, NULL, &q));
    YK_TRY(yk_eq_hold_relation(t, at, 0, &q));
    YK_TRY(yk_operate(t, at, YK_OP_MULTIPLY, &q, &period, &q));
    return yk_operate(t, at, YK_OP_SUBTRACT, u, &q, out);
}

/* The run ends beyond the table. */
static yoke_status stay_inside(yk_translator *t, const yk_combi *b, yk_place at,
                               const yk_value *u)
{
    const yk_value first = yk_number(row_x(b, 0));
    const yk_value last = yk_number(row_x(b, b->rows - 1));
    yk_flat_event event = { .kind = YK_FLAT_ASSERT,
                            .line = at.line,
                            .clause = ++t->clauses };
    const bool condition = t->condition;
    yk_value above, below;
    char text[200];

    if (t->in_when || t->initial || t->constant || yk_in_function(t))
        return YOKE_OK;
    t->condition = true;
    YK_TRY(yk_operate(t, at, YK_OP_LESS_EQUAL, &first, u, &above));
    YK_TRY(yk_eq_hold_relation(t, at, 'g', &above));
    YK_TRY(yk_operate(t, at, YK_OP_LESS_EQUAL, u, &last, &below));
    YK_TRY(yk_eq_hold_relation(t, at, 'l', &below));
    t->condition = condition;
    YK_TRY(yk_operate(t, at, YK_OP_AND, &above, &below, &above));
    YK_TRY(yk_to_node(t, &above, &event.condition));
    snprintf(text, sizeof text,
             "the table %.80s goes from %g to %g and is not to be extrapolated",
             b->name, first.number, last.number);
    YK_TRY(yk_copy_text(&event.text, text, t->err));
    return yk_flat_add_event(t->flat, &event, t->err);
}

static yoke_status column_value(yk_translator *t, yk_combi *b, yk_place at,
                                int column, const yk_value *u, yk_value *out)
{
    const yk_arena_mark mark = yk_arena_now(&t->scratch);
    yk_value x = *u;
    pieces p;

    if (b->beyond == YK_BEYOND_PERIODIC) YK_TRY(wrap(t, b, at, u, &x));
    if (b->beyond == YK_BEYOND_REFUSED && x.kind != YK_VALUE_NUMBER)
        YK_TRY(stay_inside(t, b, at, &x));
    YK_TRY(make_pieces(t, b, column, &p));
    if (x.kind == YK_VALUE_NUMBER)
        *out = yk_number(number_at(&p, x.number));
    else if (p.straight && !p.jumps && b->rows > 1)
        YK_TRY(lines(t, b, at, column, &p, &x, out));
    else
        YK_TRY(decide(t, at, &p, 0, p.count - 1, &x, out));
    yk_arena_release(&t->scratch, mark);
    return YOKE_OK;
}

yoke_status yk_combi_value(yk_translator *t, yk_combi *table, yk_place at,
                           int number, const yk_value *u, yk_value *out)
{
    if (number < 1 || number > table->chosen)
        return yk_refuse(t, at,
                         "the table %s has %d outputs; number %d is "
                         "asked for",
                         table->name, table->chosen, number);
    return column_value(t, table, at, table->choice[number - 1] - 1, u, out);
}

/* ---- Two arguments ------------------------------------------------------- */

/* The table of the first argument whose only output is the value at u2: each
 * row by its own table, then between the rows. */
static yoke_status row_value(yk_translator *t, yk_combi *b, yk_place at,
                             int row, const yk_value *u2, yk_value *out)
{
    const int n = b->columns - 1;
    yk_combi one = { .name = b->name,
                     .at = b->at,
                     .rows = n,
                     .columns = 2,
                     .smooth = b->smooth,
                     .beyond = b->beyond };

    YK_TRY(YK_SCRATCH(t, &one.value, 2 * n));
    YK_TRY(YK_SCRATCH(t, &one.variable, 2));
    one.variable[1] = -1;
    for (int k = 0; k < n; k++) {
        one.value[2 * k] = b->value[k + 1];
        one.value[2 * k + 1] =
            b->value[(size_t)(row + 1) * (size_t)b->columns + (size_t)k + 1];
    }
    return column_value(t, &one, at, 1, u2, out);
}

/* Between rows i and i + 1: straight, or the lower one. */
static yoke_status blend(yk_translator *t, const yk_combi *b, yk_place at,
                         const double *x, int i, const yk_value *u1,
                         const yk_value *row, yk_value *out)
{
    const yk_value begin = yk_number(x[i]), length = yk_number(x[i + 1] - x[i]);
    yk_value weight, step;

    *out = row[i];
    if (b->smooth == YK_SMOOTH_STEPS) return YOKE_OK;
    YK_TRY(yk_operate(t, at, YK_OP_SUBTRACT, u1, &begin, &weight));
    YK_TRY(yk_operate(t, at, YK_OP_DIVIDE, &weight, &length, &weight));
    YK_TRY(yk_operate(t, at, YK_OP_SUBTRACT, &row[i + 1], &row[i], &step));
    YK_TRY(yk_operate(t, at, YK_OP_MULTIPLY, &weight, &step, &step));
    return yk_operate(t, at, YK_OP_ADD, &row[i], &step, out);
}

yoke_status yk_combi_value2(yk_translator *t, yk_combi *b, yk_place at,
                            const yk_value *u1, const yk_value *u2,
                            yk_value *out)
{
    const int n = b->rows - 1;
    const yk_arena_mark mark = yk_arena_now(&t->scratch);
    const bool steps = b->smooth == YK_SMOOTH_STEPS;
    yk_value u = *u1, *row = NULL;
    double *x = NULL;

    YK_TRY(YK_SCRATCH(t, &row, n));
    YK_TRY(YK_SCRATCH(t, &x, n));
    for (int i = 0; i < n; i++) {
        x[i] = row_x(b, i + 1);
        YK_TRY(row_value(t, b, at, i, u2, &row[i]));
    }
    if (b->beyond == YK_BEYOND_HOLD && !steps) {
        const yk_value low = yk_number(x[0]), high = yk_number(x[n - 1]);
        YK_TRY(yk_operate(t, at, YK_OP_MAX, &u, &low, &u));
        YK_TRY(yk_eq_hold_kink(t, at, &u));
        YK_TRY(yk_operate(t, at, YK_OP_MIN, &u, &high, &u));
        YK_TRY(yk_eq_hold_kink(t, at, &u));
    }
    *out = row[n - 1];
    for (int i = n - (steps ? 1 : 2); i >= 0; i--) {
        const yk_value edge = yk_number(steps ? x[i] : x[i + 1]);
        yk_value v, less;
        if (!steps && i == n - 2) {
            YK_TRY(blend(t, b, at, x, i, &u, row, out));
            continue;
        }
        if (steps && i == 0) break;
        v = steps ? row[i - 1] : *out;
        if (!steps) YK_TRY(blend(t, b, at, x, i, &u, row, &v));
        YK_TRY(yk_operate(t, at, YK_OP_LESS, &u, &edge, &less));
        YK_TRY(yk_eq_hold_relation(t, at, '<', &less));
        YK_TRY(yk_choose(t, &less, &v, out, out));
    }
    yk_arena_release(&t->scratch, mark);
    return YOKE_OK;
}

/* ---- What is no table ---------------------------------------------------- */

static yoke_status check_kind(yk_translator *t, const yk_combi *b, bool two)
{
    static const char *const word[] = { "MonotoneContinuousDerivative1",
                                        "MonotoneContinuousDerivative2" };

    if (b->smooth == YK_SMOOTH_MONOTONE1 || b->smooth == YK_SMOOTH_MONOTONE2)
        return yk_refuse(t, b->at,
                         "the smoothness %s of the table %s is not supported; "
                         "use LinearSegments, ContinuousDerivative or "
                         "ConstantSegments",
                         word[b->smooth == YK_SMOOTH_MONOTONE2], b->name);
    const bool cubic =
        b->smooth == YK_SMOOTH_AKIMA || b->smooth == YK_SMOOTH_MAKIMA;
    if (cubic && (two || b->beyond == YK_BEYOND_PERIODIC))
        return yk_refuse(t, b->at,
                         "a continuous derivative of the table %s, which %s, "
                         "is not supported; use LinearSegments",
                         b->name,
                         two ? "has two arguments" : "goes on periodically");
    if (two &&
        (b->beyond == YK_BEYOND_PERIODIC || b->beyond == YK_BEYOND_REFUSED))
        return yk_refuse(t, b->at,
                         "the extrapolation of the table %s of two arguments "
                         "is not supported; use HoldLastPoint or "
                         "LastTwoPoints",
                         b->name);
    return YOKE_OK;
}

yoke_status yk_combi_check(yk_translator *t, const yk_combi *b, bool two)
{
    const bool cubic =
        b->smooth == YK_SMOOTH_AKIMA || b->smooth == YK_SMOOTH_MAKIMA;

    YK_TRY(check_kind(t, b, two));
    if (b->rows < (two ? 3 : 1) || b->columns < (two ? 3 : 2))
        return yk_refuse(t, b->at,
                         "the table %s has %d rows and %d columns; "
                         "it needs more",
                         b->name, b->rows, b->columns);
    for (int i = two ? 2 : 1; i < b->rows; i++)
        if (row_x(b, i) < row_x(b, i - 1) ||
            ((two || cubic) && row_x(b, i) == row_x(b, i - 1)))
            return yk_refuse(t, b->at,
                             "the first column of the table %s must increase; "
                             "row %d has %g after %g",
                             b->name, i + 1, row_x(b, i), row_x(b, i - 1));
    for (int k = 2; two && k < b->columns; k++)
        if (!(b->value[k] > b->value[k - 1]))
            return yk_refuse(t, b->at,
                             "the first row of the table %s must increase",
                             b->name);
    return YOKE_OK;
}
