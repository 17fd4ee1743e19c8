/* comp/equation/condition.c -- conditions become indicators of events.
 *
 * A condition c gets a function g that is continuous where c is made of
 * relations of continuous expressions:
 *
 *     a > b        g = a - b              c and d    min(g_c, g_d)
 *     n == m       1/2 - |n - m|          c or d     max(g_c, g_d)
 *     b            b - 1/2                not c      -g_c
 *
 * (n, m whole numbers, b a Boolean with memory); a Boolean with an equation
 * stands for that equation.  g >= 0 where c holds, and g crosses zero upwards
 * where it begins to hold.
 */
#include "comp/equation/translate.h"

#include <math.h>
#include <string.h>

enum { MOST_NESTED = 100 };

/* Less than any difference of numbers that are not equal. */
static const double least = 1e-300;

typedef struct request {
    bool exact; /* g >= 0 if and only if the condition holds */
    int depth;
} request;

static yoke_status indicator(yk_translator *t, const yk_expr *e, bool want,
                             request r, yk_value *out);

static yoke_status unsupported(yk_translator *t, const yk_expr *e)
{
    if (e->kind == YK_EXPR_CALL)
        return yk_refuse(t, e->at,
                         "%s() in the condition of an event is not supported; "
                         "write a relation such as x > 0 or time >= 1",
                         e->name);
    return yk_refuse(t, e->at,
                     "this condition of an event is not supported; write "
                     "relations such as x > 0 or time >= 1, joined by and, or, "
                     "not");
}

/* |a - b| - 1/2 of whole numbers */
static yoke_status differs(yk_translator *t, yk_place at, const yk_value *a,
                           const yk_value *b, yk_value *out)
{
    const yk_value half = yk_number(0.5);

    YK_TRY(yk_operate(t, at, YK_OP_SUBTRACT, a, b, out));
    YK_TRY(yk_operate(t, at, YK_OP_ABS, out, NULL, out));
    return yk_operate(t, at, YK_OP_SUBTRACT, out, &half, out);
}

static yoke_status sides(yk_translator *t, const yk_expr *e, yk_value side[2],
                         bool *whole)
{
    *whole = true;
    for (int i = 0; i < 2; i++) {
        yk_shape shape;
        YK_TRY(yk_shape_of(t, e->child[i], &shape));
        if (shape.dims || shape.type == YK_TYPE_STRING)
            return yk_refuse(t, e->child[i]->at, "a number is needed here");
        if (shape.type == YK_TYPE_REAL) *whole = false;
        YK_TRY(yk_element(t, e->child[i], NULL, 0, &side[i]));
    }
    return YOKE_OK;
}

static yoke_status relation(yk_translator *t, const yk_expr *e, bool want,
                            request r, yk_value *out)
{
    const yk_value tiny = yk_number(least);
    const char op = e->op[0];
    const bool equality = op == '=' || op == 'n';
    /* Turned round to get the other truth, and so that left > right. */
    const bool swap = (op == '<' || op == 'l') == want;
    const bool strict = (op == '<' || op == '>') == want;
    yk_value side[2];
    bool whole;

    YK_TRY(sides(t, e, side, &whole));
    if (equality && !whole)
        return yk_refuse(t, e->at,
                         "== and <> of Real numbers make no event; write a "
                         "relation with <, <=, > or >=");
    if (equality) {
        YK_TRY(differs(t, e->at, &side[0], &side[1], out));
        if ((op == '=') != want) return YOKE_OK;
        return yk_operate(t, e->at, YK_OP_NEGATE, out, NULL, out);
    }
    YK_TRY(
        yk_operate(t, e->at, YK_OP_SUBTRACT, &side[swap], &side[!swap], out));
    if (!r.exact || !strict || out->kind == YK_VALUE_NUMBER) return YOKE_OK;
    return yk_operate(t, e->at, YK_OP_SUBTRACT, out, &tiny, out);
}

static yoke_status joined(yk_translator *t, const yk_expr *e, bool want,
                          request r, yk_value *out)
{
    const bool all = (e->kind == YK_EXPR_AND) == want;

    for (int i = 0; i < e->count; i++) {
        yk_value v;
        YK_TRY(indicator(t, e->child[i], want, r, i ? &v : out));
        if (i)
            YK_TRY(yk_operate(t, e->at, all ? YK_OP_MIN : YK_OP_MAX, out, &v,
                              out));
    }
    return YOKE_OK;
}

/* ---- Boolean variables -----------------------------------------------------
 */

static yk_expr *defined_by(const yk_branch *section, const char *name)
{
    for (int i = 0; i < section->count; i++) {
        const yk_equation *q = section->body[i];
        if (q->kind != YK_EQUATION_EQUAL) continue;
        for (int k = 0; k < 2; k++) {
            const yk_expr *side = k ? q->right : q->left;
            if (side->kind == YK_EXPR_REFERENCE && side->count == 0 &&
                strcmp(side->name, name) == 0)
                return k ? q->left : q->right;
        }
    }
    return NULL;
}

/* b - 1/2 of a number or node */
static yoke_status above_half(yk_translator *t, yk_place at, bool want,
                              const yk_value *b, yk_value *out)
{
    const yk_value half = yk_number(0.5);

    return want ? yk_operate(t, at, YK_OP_SUBTRACT, b, &half, out)
                : yk_operate(t, at, YK_OP_SUBTRACT, &half, b, out);
}

static yoke_status variable(yk_translator *t, const yk_expr *e, bool want,
                            request r, yk_value *out)
{
    yk_meaning m;
    yk_value b;

    YK_TRY(yk_resolve(t, e, &m));
    if (m.symbol && m.symbol->variability < YK_PARAMETER &&
        (m.symbol->latch || !m.symbol->by_event) && !m.symbol->is_input) {
        yk_expr *by = m.symbol->latch ? m.symbol->latch
                      : m.symbol->binding
                          ? m.symbol->binding
                          : defined_by(&t->model->equations, e->name);
        if (!by || m.symbol->dims)
            return yk_refuse(t, e->at,
                             "the condition %s of an event has no equation "
                             "%s = ... of its own",
                             e->name, e->name);
        return indicator(t, by, want, r, out);
    }
    YK_TRY(yk_element(t, (yk_expr *)e, NULL, 0, &b));
    return above_half(t, e->at, want, &b, out);
}

yoke_status yk_has_memory(yk_translator *t, const yk_expr *e, bool *out)
{
    yk_meaning m = { 0 };

    if (e->kind == YK_EXPR_REFERENCE) YK_TRY(yk_resolve(t, e, &m));
    if (!m.symbol || e->count || m.symbol->dims)
        return yk_refuse(t, e->at, "a scalar variable is needed here");
    *out = m.symbol->by_event;
    return YOKE_OK;
}

/* ---- Calls -----------------------------------------------------------------
 */

/* if c then a else b: c and a, or not c and b */
static yoke_status choice(yk_translator *t, const yk_expr *e, int first,
                          bool want, request r, yk_value *out)
{
    yk_value g[4];

    if (first == e->count - 1)
        return indicator(t, e->child[first], want, r, out);
    if (++r.depth > MOST_NESTED) return unsupported(t, e);
    YK_TRY(indicator(t, e->child[first], true, r, &g[0]));
    YK_TRY(indicator(t, e->child[first + 1], want, r, &g[1]));
    YK_TRY(indicator(t, e->child[first], false, r, &g[2]));
    YK_TRY(choice(t, e, first + 2, want, r, &g[3]));
    YK_TRY(yk_operate(t, e->at, YK_OP_MIN, &g[0], &g[1], &g[0]));
    YK_TRY(yk_operate(t, e->at, YK_OP_MIN, &g[2], &g[3], &g[2]));
    return yk_operate(t, e->at, YK_OP_MAX, &g[0], &g[2], out);
}

static yoke_status call(yk_translator *t, const yk_expr *e, bool want,
                        request r, yk_value *out)
{
    yk_shape shape;

    if (strcmp(e->name, "initial") == 0 && e->count == 0) {
        *out = yk_number(want ? -1.0 : 1.0);
        return YOKE_OK;
    }
    if (e->count == 1 && strcmp(e->name, "noEvent") == 0)
        return indicator(t, e->child[0], want, r, out);
    if (e->count == 1 && strcmp(e->name, "pre") == 0) {
        yk_value b;
        YK_TRY(yk_shape_of(t, (yk_expr *)e, &shape));
        YK_TRY(yk_element(t, (yk_expr *)e, NULL, 0, &b));
        return above_half(t, e->at, want, &b, out);
    }
    if (strcmp(e->name, "sample") == 0 || strcmp(e->name, "edge") == 0 ||
        strcmp(e->name, "change") == 0)
        return yk_refuse(t, e->at,
                         "%s() stands alone in the condition of a when, in a "
                         "list {a, b}, or joined by `and`",
                         e->name);
    return unsupported(t, e);
}

static yoke_status indicator(yk_translator *t, const yk_expr *e, bool want,
                             request r, yk_value *out)
{
    yk_shape shape;

    YK_TRY(yk_enter(t, e->at));
    t->depth--;
    t->work += 500; /* definitions are written out: b = c and c, c = ... */
    if (++r.depth > MOST_NESTED)
        return yk_refuse(t, e->at,
                         "this condition is defined by itself, or nested more "
                         "than %d deep",
                         MOST_NESTED);
    if (e->kind == YK_EXPR_REFERENCE || e->kind == YK_EXPR_RELATION) {
        YK_TRY(yk_shape_of(t, (yk_expr *)e, &shape));
        if (shape.dims || shape.type != YK_TYPE_BOOLEAN)
            return yk_refuse(t, e->at, "a condition is needed here");
    }
    switch (e->kind) {
    case YK_EXPR_RELATION:
        return relation(t, e, want, r, out);
    case YK_EXPR_AND:
    case YK_EXPR_OR:
        return joined(t, e, want, r, out);
    case YK_EXPR_NOT:
        return indicator(t, e->child[0], !want, r, out);
    case YK_EXPR_BOOLEAN:
        *out = yk_number((e->number > 0.5) == want ? 1.0 : -1.0);
        return YOKE_OK;
    case YK_EXPR_REFERENCE:
        return variable(t, e, want, r, out);
    case YK_EXPR_IF:
        return choice(t, e, 0, want, r, out);
    case YK_EXPR_CALL:
        return call(t, e, want, r, out);
    default:
        return unsupported(t, e);
    }
}

/* A relation stays as it is, so that time >= number gives a breakpoint. */
static bool is_plain(const yk_expr *e)
{
    return e->kind == YK_EXPR_RELATION && e->op[0] != '=' && e->op[0] != 'n';
}

static yoke_status both_sides(yk_translator *t, const yk_expr *e, bool want,
                              request r, yk_value *left, yk_value *right)
{
    yk_value side[2];
    bool whole;

    *right = yk_number(0.0);
    if (!want || r.exact || !is_plain(e)) return indicator(t, e, want, r, left);
    const bool swap = e->op[0] == '<' || e->op[0] == 'l';
    YK_TRY(sides(t, e, side, &whole));
    *left = side[swap];
    *right = side[!swap];
    return YOKE_OK;
}

yoke_status yk_indicator(yk_translator *t, const yk_expr *e, bool want,
                         bool exact, yk_flat_event *event)
{
    const request r = { .exact = exact };
    const bool in_when = t->in_when;
    yk_value left, right;

    t->in_when = true; /* pre(x) is the value, as nothing happens now */
    YK_TRY(both_sides(t, e, want, r, &left, &right));
    t->in_when = in_when;
    if (left.kind == YK_VALUE_NUMBER && right.kind == YK_VALUE_NUMBER)
        return yk_refuse(t, e->at, "this condition never changes");
    YK_TRY(yk_to_node(t, &left, &event->left));
    return yk_to_node(t, &right, &event->right);
}

/* when time <= 1 holds before and never begins to hold. */
yoke_status yk_check_condition(yk_translator *t, const yk_expr *e,
                               const yk_flat_event *event)
{
    const yk_flat_node *node = t->flat->node;

    if (node[event->left].op == YK_OP_NUMBER &&
        node[event->right].op == YK_OP_TIME)
        return yk_refuse(t, e->at,
                         "this condition becomes false as time goes "
                         "on; write time >= ...");
    return YOKE_OK;
}

/* ---- sample(first, interval) -----------------------------------------------
 */

/* time crosses first + interval max(0, floor((time - first)/interval + 1/2)),
 * the next or last instant. */
static yoke_status nearest_instant(yk_translator *t, yk_place at,
                                   const yk_value *time, double first,
                                   double interval, yk_value *out)
{
    const yk_value begin = yk_number(first), period = yk_number(interval);
    const yk_value half = yk_number(0.5), zero = yk_number(0.0);

    YK_TRY(yk_operate(t, at, YK_OP_SUBTRACT, time, &begin, out));
    YK_TRY(yk_operate(t, at, YK_OP_DIVIDE, out, &period, out));
    YK_TRY(yk_operate(t, at, YK_OP_ADD, out, &half, out));
    YK_TRY(yk_operate(t, at, YK_OP_FLOOR, out, NULL, out));
    YK_TRY(yk_operate(t, at, YK_OP_MAX, out, &zero, out));
    YK_TRY(yk_operate(t, at, YK_OP_MULTIPLY, out, &period, out));
    return yk_operate(t, at, YK_OP_ADD, &begin, out, out);
}

yoke_status yk_sample(yk_translator *t, const yk_expr *e, yk_flat_event *event)
{
    const yk_flat_node n = {
        .op = YK_OP_TIME, .a = -1, .b = -1, .c = -1, .variable = -1
    };
    yk_value time = { .kind = YK_VALUE_NODE }, instant;
    double first = 0.0, interval = 0.0;

    if (e->count != 2)
        return yk_refuse(t, e->at,
                         "sample(first, interval) has two arguments; clocks "
                         "are not supported");
    YK_TRY(yk_constant(t, e->child[0], "the first instant", &first));
    YK_TRY(yk_constant(t, e->child[1], "the interval of sample", &interval));
    if (!(interval > 0.0) || !isfinite(first) || !isfinite(interval))
        return yk_refuse(t, e->child[1]->at,
                         "the interval of sample is %g; it must be above 0",
                         interval);
    if (first < 0.0) first += interval * ceil(-first / interval);
    event->first = first;
    event->interval = interval;
    event->at_start = true;
    YK_TRY(yk_flat_add_node(t->flat, &n, &time.node, t->err));
    YK_TRY(nearest_instant(t, e->at, &time, first, interval, &instant));
    YK_TRY(yk_to_node(t, &time, &event->left));
    return yk_to_node(t, &instant, &event->right);
}

/* ---- assert ----------------------------------------------------------------
 */

static const yk_expr *argument(const yk_expr *call, int number,
                               const char *name)
{
    for (int i = 0; i < call->count; i++)
        if (call->label && call->label[i] ? strcmp(call->label[i], name) == 0
                                          : i == number)
            return call->child[i];
    return NULL;
}

/* The literal parts of the text; values in it appear as "...". */
static yoke_status copy_message(yk_translator *t, const yk_expr *e, char **out)
{
    char text[400] = "";
    size_t used = 0;
    const int parts = e->kind == YK_EXPR_SUM ? e->count : 1;

    for (int i = 0; i < parts && used < sizeof text - 1; i++) {
        const yk_expr *part = parts > 1 ? e->child[i] : e;
        const char *word = part->kind == YK_EXPR_STRING ? part->name : "...";
        const size_t room = sizeof text - 1 - used, size = strlen(word);
        memcpy(text + used, word, size < room ? size : room);
        used += size < room ? size : room;
    }
    return yk_copy_text(out, text, t->err);
}

static yoke_status fail_later(yk_translator *t, const yk_expr *condition,
                              const yk_expr *message, bool warning)
{
    yk_flat_event event = { .line = condition->at.line,
                            .clause = ++t->clauses,
                            .at_start = true,
                            .warning = warning };

    YK_TRY(yk_blame_all(t)); /* an event has no loops */
    YK_TRY(yk_indicator(t, condition, false, true, &event));
    YK_TRY(copy_message(t, message, &event.text));
    return yk_flat_add_event(t->flat, &event, t->err);
}

static yoke_status note_warning(yk_translator *t, const yk_expr *call,
                                const yk_expr *message, bool now)
{
    yoke_status status;
    char *text = NULL;

    YK_TRY(copy_message(t, message, &text));
    status = yk_flat_note(
        t->flat, t->err, "%s:%d: warning%s: %.200s", t->source->path,
        call->at.line, now ? "" : ", not checked while the model runs", text);
    yk_free(text);
    return status;
}

/* A condition that no event can watch costs the warning, not the model. */
static yoke_status warn_later(yk_translator *t, const yk_expr *call,
                              const yk_expr *condition, const yk_expr *message)
{
    const int nodes = t->flat->nodes;
    const yoke_status status = fail_later(t, condition, message, true);

    if (status != YOKE_E_MODEL) return status;
    t->flat->nodes = nodes;
    if (t->err) *t->err = (yoke_err){ YOKE_OK, "" };
    return note_warning(t, call, message, false);
}

static yoke_status is_warning(yk_translator *t, const yk_expr *level, bool *out)
{
    const char *name =
        level && level->kind == YK_EXPR_REFERENCE ? level->name : "";

    *out = strcmp(name, "AssertionLevel.warning") == 0;
    if (level && !*out && strcmp(name, "AssertionLevel.error") != 0)
        return yk_refuse(t, level->at,
                         "the level of assert is AssertionLevel.error or "
                         "AssertionLevel.warning");
    return YOKE_OK;
}

yoke_status yk_assert(yk_translator *t, const yk_expr *e)
{
    yk_expr *condition = (yk_expr *)argument(e, 0, "condition");
    const yk_expr *message = argument(e, 1, "message");
    const int nodes = t->flat->nodes;
    yk_shape shape;
    yk_value v;
    bool warning = false;

    if (!condition || !message)
        return yk_refuse(t, e->at, "assert needs a condition and a text");
    YK_TRY(is_warning(t, argument(e, 2, "level"), &warning));
    YK_TRY(yk_shape_of(t, condition, &shape));
    if (shape.dims || shape.type != YK_TYPE_BOOLEAN)
        return yk_refuse(t, e->at, "assert needs a condition");
    t->varies = false;
    YK_TRY(yk_element(t, condition, NULL, 0, &v));
    if (yk_is_number(&v, 1.0)) return YOKE_OK;
    if (v.kind != YK_VALUE_NUMBER) {
        if (!t->varies) YK_TRY(yk_blame_all(t));
        t->flat->nodes = nodes; /* evaluated again below */
        t->binding++;
        return warning ? warn_later(t, e, condition, message)
                       : fail_later(t, condition, message, false);
    }
    if (warning) return note_warning(t, e, message, true);
    return yk_refuse(t, e->at, "assertion failed: %.200s",
                     message->kind == YK_EXPR_STRING ? message->name : "");
}
