/* comp/equation/front/shape.c -- the type and the sizes of an expression. */
#include "base/text.h"
#include "comp/equation/front/translate.h"

#include <math.h>
#include <string.h>

yoke_status yk_enter(yk_translator *t, yk_place at)
{
    if (++t->depth > YK_MOST_DEPTH)
        return yk_refuse(t, at,
                         "calls and parameters are nested more than %d "
                         "deep",
                         YK_MOST_DEPTH);
    if (++t->work > YK_MOST_WORK)
        return yk_refuse(t, at,
                         "the model is too large: more than %ld "
                         "operations when its loops are written out",
                         YK_MOST_WORK);
    return YOKE_OK;
}

bool yk_same_size(const yk_shape *a, const yk_shape *b)
{
    return a->dims == b->dims &&
           memcmp(a->size, b->size, (size_t)a->dims * sizeof *a->size) == 0;
}

const char *yk_shape_text(const yk_shape *s, char text[80])
{
    if (s->dims == 0) return "of a scalar";
    text[0] = '\0';
    for (int i = 0; i < s->dims; i++)
        yk_append(text, 80, "%s%d", i ? ", " : "[", s->size[i]);
    yk_append(text, 80, "]");
    return text;
}

yoke_status yk_whole(yk_translator *t, yk_expr *e, int *out)
{
    yk_shape shape;
    yk_value v;

    YK_TRY(yk_shape_of(t, e, &shape));
    if (shape.dims || shape.type != YK_TYPE_INTEGER)
        return yk_refuse(t, e->at, "a whole number is needed here");
    YK_TRY(yk_element(t, e, NULL, 0, &v));
    if (v.kind == YK_VALUE_AFFINE) return yk_blame(t, &v);
    if (v.kind == YK_VALUE_NODE) {
        YK_TRY(yk_blame_all(t));
        return yk_refuse(t, e->at, "this must not depend on variables");
    }
    if (fabs(v.number) > 2e9)
        return yk_refuse(t, e->at, "the number %.0f is too large", v.number);
    *out = (int)v.number;
    return YOKE_OK;
}

static yoke_status frame_meaning(yk_translator *t, const char *name,
                                 yk_meaning *out)
{
    for (int i = t->frames - 1; i >= t->base; i--) {
        if (!t->frame[i].name || strcmp(t->frame[i].name, name) != 0) continue;
        out->frame = &t->frame[i];
        break;
    }
    return YOKE_OK;
}

yoke_status yk_resolve(yk_translator *t, const yk_expr *e, yk_meaning *out)
{
    *out = (yk_meaning){ 0 };
    YK_TRY(frame_meaning(t, e->name, out));
    if (out->frame) return YOKE_OK;
    if (t->scope) t->work += t->scope->locals / 8; /* the search is linear */
    for (int i = 0; t->scope && i < t->scope->locals; i++) {
        if (strcmp(t->scope->local[i].name, e->name) != 0) continue;
        out->local = &t->scope->local[i];
        out->symbol = out->local->symbol;
        return YOKE_OK;
    }
    out->symbol = yk_find_symbol(t, e->name);
    if (out->symbol && yk_in_function(t) && !out->symbol->is_global)
        return yk_refuse(t, e->at,
                         "the function %s uses %s of the model; make "
                         "it an input",
                         t->scope->function->name, e->name);
    if (out->symbol) return YOKE_OK;
    if (strcmp(e->name, "time") != 0) return yk_unknown_name(t, e);
    out->is_time = true;
    return YOKE_OK;
}

yoke_status yk_meaning_shape(yk_translator *t, const yk_meaning *m,
                             yk_shape *out)
{
    *out = (yk_shape){ .type = YK_TYPE_REAL };
    if (m->frame) {
        out->type = m->frame->type;
    } else if (m->local) {
        *out = m->local->shape;
    } else if (m->symbol) {
        YK_TRY(yk_symbol_shape(t, m->symbol));
        *out = m->symbol->shape;
    }
    return YOKE_OK;
}

static yoke_status subscripted(yk_translator *t, yk_expr *e,
                               const yk_shape *whole, yk_shape *out)
{
    if (e->count > whole->dims)
        return yk_refuse(t, e->at, "%s has %d dimensions and %d subscripts",
                         e->name, whole->dims, e->count);
    out->type = whole->type;
    out->dims = 0;
    for (int i = 0; i < whole->dims; i++) {
        yk_shape sub = { .dims = 1, .size = { whole->size[i] } };
        if (i < e->count && e->child[i]->kind != YK_EXPR_COLON) {
            if (t->ends == YK_MOST_FRAMES)
                return yk_refuse(t, e->at, "subscripts are nested too deep");
            t->end[t->ends++] = whole->size[i];
            YK_TRY(yk_shape_of(t, e->child[i], &sub));
            t->ends--;
            if (sub.type != YK_TYPE_INTEGER || sub.dims > 1)
                return yk_refuse(t, e->child[i]->at,
                                 "a subscript of %s must be an Integer or a "
                                 "range",
                                 e->name);
        }
        if (sub.dims) out->size[out->dims++] = sub.size[0];
    }
    return YOKE_OK;
}

static yoke_status find_shape(yk_translator *t, yk_expr *e, yk_shape *out);

/* Names nothing, so far. */
static bool is_unknown(const yk_translator *t, const yk_expr *e)
{
    for (int i = t->base; i < t->frames; i++)
        if (t->frame[i].name && strcmp(t->frame[i].name, e->name) == 0)
            return false;
    for (int i = 0; t->scope && i < t->scope->locals; i++)
        if (strcmp(t->scope->local[i].name, e->name) == 0) return false;
    return yk_names_find(&t->symbols, e->name) < 0 &&
           strcmp(e->name, "time") != 0;
}

/* r.x[2] of an array r is r[:].x[2]: dimensions of the outer names that have no
 * subscript get a colon. */
static yoke_status fill_subscripts(yk_translator *t, yk_expr *e,
                                   const yk_levels *levels)
{
    yk_list list = { 0 };
    int used = 0;

    for (int k = 0; k < levels->count; k++) {
        while (used < e->count && e->behind[used] <= levels->length[k])
            YK_TRY(yk_list_push(t->arena, &list, e->child[used++], t->err));
        while (used < e->count && list.count < levels->dims[k]) {
            yk_expr *colon = NULL;
            YK_TRY(YK_TAKE(t->arena, &colon, 1, t->err));
            colon->kind = YK_EXPR_COLON;
            colon->at = e->at;
            colon->stamp = -1;
            YK_TRY(yk_list_push(t->arena, &list, colon, t->err));
        }
    }
    while (used < e->count)
        YK_TRY(yk_list_push(t->arena, &list, e->child[used++], t->err));
    e->count = list.count;
    e->child = (yk_expr **)list.item;
    e->behind = NULL;
    return YOKE_OK;
}

yoke_status yk_settle(yk_translator *t, yk_expr *e)
{
    bool found = true;

    while (found && e->kind == YK_EXPR_REFERENCE && is_unknown(t, e)) {
        found = false;
        YK_TRY(yk_eq_read_inside(t, e, &found));
        if (!found && !yk_in_function(t)) YK_TRY(yk_written_out(t, e, &found));
    }
    return YOKE_OK;
}

/* "r.a" or "r[1].a" is a member of r: what follows the name of r without its
 * subscripts, or NULL. */
static const char *member_of(const char *name, const char *record)
{
    const size_t length = strlen(record);

    if (strncmp(name, record, length) != 0) return NULL;
    name += length;
    if (*name == '[') name = strchr(name, '.');
    return name && *name == '.' ? name : NULL;
}

yoke_status yk_settle_record(yk_translator *t, yk_expr *e)
{
    const char *tail = NULL;

    if (e->kind != YK_EXPR_REFERENCE || e->count || !is_unknown(t, e))
        return YOKE_OK;
    for (int i = 0; t->scope && !tail && i < t->scope->locals; i++)
        tail = member_of(t->scope->local[i].name, e->name);
    for (int i = 0; !yk_in_function(t) && !tail && i < t->symbol.count; i++)
        tail = member_of(((yk_symbol *)t->symbol.item[i])->name, e->name);
    if (!tail) return YOKE_OK;
    return yk_arena_print(t->arena, &e->name, t->err, "%s%s", e->name, tail);
}

static yoke_status reference_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    yk_meaning m;
    yk_shape whole;

    YK_TRY(yk_settle(t, e));
    if (e->kind != YK_EXPR_REFERENCE) return find_shape(t, e, out);
    YK_TRY(yk_resolve(t, e, &m));
    if (e->behind && (m.local || m.symbol))
        YK_TRY(fill_subscripts(
            t, e, m.symbol ? &m.symbol->levels : &m.local->levels));
    YK_TRY(yk_meaning_shape(t, &m, &whole));
    return subscripted(t, e, &whole, out);
}

/* (expression)[i, j] */
static yoke_status part_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    yk_shape whole;

    YK_TRY(yk_shape_of(t, e->of, &whole));
    return subscripted(t, e, &whole, out);
}

/* (expression).name */
static yoke_status member_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    if (!e->count) {
        YK_TRY(YK_TAKE(t->arena, &e->child, 1, t->err));
        YK_TRY(yk_member(t, e->of, e->name, &e->child[0]));
        e->count = 1;
    }
    return yk_shape_of(t, e->child[0], out);
}

static yoke_status array_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    yk_shape first = { 0 }, s;

    for (int i = 0; i < e->count; i++) {
        YK_TRY(yk_shape_of(t, e->child[i], &s));
        if (i == 0) first = s;
        if (!yk_same_size(&first, &s))
            return yk_refuse(t, e->child[i]->at,
                             "the elements of this array have different sizes");
        if (s.type == YK_TYPE_REAL && first.type == YK_TYPE_INTEGER)
            first.type = YK_TYPE_REAL;
    }
    if (first.dims == YK_FLAT_LOOPS)
        return yk_refuse(t, e->at, "an array has at most %d dimensions",
                         YK_FLAT_LOOPS);
    *out = (yk_shape){ .type = first.type, .dims = first.dims + 1 };
    out->size[0] = e->count;
    memcpy(out->size + 1, first.size, (size_t)first.dims * sizeof *out->size);
    return YOKE_OK;
}

/* A scalar is a matrix of one element, a vector a column. */
static yoke_status block_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    YK_TRY(yk_shape_of(t, e, out));
    if (out->dims > 2)
        return yk_refuse(t, e->at,
                         "an array of %d dimensions in a matrix [...] is not "
                         "supported; use cat",
                         out->dims);
    for (int d = out->dims; d < 2; d++) out->size[d] = 1;
    out->dims = 2;
    return YOKE_OK;
}

static yoke_status row_shape(yk_translator *t, yk_expr *row, yk_shape *out)
{
    double columns = 0.0;

    for (int i = 0; i < row->count; i++) {
        yk_shape s;
        YK_TRY(block_shape(t, row->child[i], &s));
        if (i == 0) *out = s;
        if (s.size[0] != out->size[0] ||
            (s.type > YK_TYPE_INTEGER && s.type != out->type))
            return yk_refuse(t, row->child[i]->at,
                             "the parts of this row of a matrix differ in "
                             "their number of rows or in type");
        if (s.type == YK_TYPE_REAL) out->type = s.type;
        columns += s.size[1];
    }
    if (columns > yk_most_elements(t))
        return yk_refuse(t, row->at, "the matrix is too large");
    out->size[1] = (int)columns;
    return YOKE_OK;
}

/* [A, B; C, D] */
static yoke_status matrix_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    double rows = 0.0;

    for (int i = 0; i < e->count; i++) {
        yk_shape s;
        YK_TRY(row_shape(t, e->child[i], &s));
        if (i == 0) *out = s;
        if (s.size[1] != out->size[1])
            return yk_refuse(t, e->child[i]->at,
                             "the rows of this matrix have %d and %d columns",
                             out->size[1], s.size[1]);
        if (s.type == YK_TYPE_REAL) out->type = s.type;
        rows += s.size[0];
    }
    if (rows > yk_most_elements(t))
        return yk_refuse(t, e->at, "the matrix is too large");
    out->size[0] = (int)rows;
    return YOKE_OK;
}

yoke_status yk_block_shape(yk_translator *t, yk_expr *e, bool row,
                           yk_shape *out)
{
    return row ? row_shape(t, e, out) : block_shape(t, e, out);
}

/* {body for i in r, j in s}: the last iterator is the first dimension. */
static yoke_status comprehension_shape(yk_translator *t, yk_expr *e,
                                       yk_shape *out)
{
    yk_shape sizes = { 0 }, range, body;
    const int frames = t->frames;

    if (e->iterators > YK_FLAT_LOOPS)
        return yk_refuse(t, e->at, "more than %d iterators", YK_FLAT_LOOPS);
    for (int i = 0; i < e->iterators; i++) {
        YK_TRY(yk_shape_of(t, e->iterator[i].range, &range));
        if (range.dims != 1)
            return yk_refuse(t, e->iterator[i].at,
                             "%s needs a range or a "
                             "vector",
                             e->iterator[i].name);
        sizes.size[e->iterators - 1 - i] = range.size[0];
        YK_TRY(yk_push_frame(t, e->iterator[i].at, e->iterator[i].name));
        const yk_value one = yk_number(1.0);
        t->frame[t->frames - 1].value = one;
        t->frame[t->frames - 1].type = range.type;
        if (range.size[0])
            YK_TRY(yk_element(t, e->iterator[i].range, &one, 1,
                              &t->frame[t->frames - 1].value));
    }
    YK_TRY(yk_shape_of(t, e->child[0], &body));
    t->frames = frames;
    if (body.dims + e->iterators > YK_FLAT_LOOPS)
        return yk_refuse(t, e->at, "an array has at most %d dimensions",
                         YK_FLAT_LOOPS);
    *out = (yk_shape){ .type = body.type, .dims = body.dims + e->iterators };
    memcpy(out->size, sizes.size, sizeof sizes.size);
    memcpy(out->size + e->iterators, body.size,
           (size_t)body.dims * sizeof *body.size);
    return YOKE_OK;
}

static yoke_status range_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    yk_value end[3], length, step;
    yk_shape s;

    *out = (yk_shape){ .type = YK_TYPE_INTEGER, .dims = 1 };
    for (int i = 0; i < e->count; i++) {
        YK_TRY(yk_shape_of(t, e->child[i], &s));
        if (s.dims || s.type > YK_TYPE_INTEGER)
            return yk_refuse(t, e->child[i]->at,
                             "the bounds of a range are numbers");
        if (s.type == YK_TYPE_REAL) out->type = YK_TYPE_REAL;
        YK_TRY(yk_element(t, e->child[i], NULL, 0, &end[i]));
    }
    step = e->count == 3 ? end[1] : yk_number(1.0);
    YK_TRY(yk_operate(t, e->at, YK_OP_SUBTRACT, &end[e->count - 1], &end[0],
                      &length));
    if (length.kind != YK_VALUE_NUMBER || step.kind != YK_VALUE_NUMBER) {
        YK_TRY(yk_blame_all(t));
        return yk_refuse(t, e->at,
                         "the bounds of a range must not depend on "
                         "variables");
    }
    if (step.number == 0.0)
        return yk_refuse(t, e->at, "the step of this range is 0");
    const double count =
        floor(length.number / step.number * (1.0 + 1e-14) + 1e-12) + 1.0;
    if (count > 2e9)
        return yk_refuse(t, e->at,
                         "this range has %.0f elements; at most "
                         "2000000000 are supported",
                         count);
    out->size[0] = count > 0.0 ? (int)count : 0;
    return YOKE_OK;
}

static yoke_status if_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    yk_shape s, condition;

    for (int i = 0; i < e->count; i += 2) {
        const bool last = i == e->count - 1;
        YK_TRY(yk_shape_of(t, e->child[last ? i : i + 1], &s));
        if (i == 0) *out = s;
        if (!yk_same_size(out, &s) ||
            (out->type == YK_TYPE_BOOLEAN) != (s.type == YK_TYPE_BOOLEAN))
            return yk_refuse(t, e->at,
                             "the branches of this if have different "
                             "sizes or types");
        if (s.type == YK_TYPE_REAL) out->type = YK_TYPE_REAL;
        if (last) break;
        YK_TRY(yk_shape_of(t, e->child[i], &condition));
        if (condition.dims || condition.type != YK_TYPE_BOOLEAN)
            return yk_refuse(t, e->child[i]->at,
                             "a condition is needed here, "
                             "true or false");
    }
    return YOKE_OK;
}

static yoke_status numeric(yk_translator *t, yk_expr *e, yk_shape *out)
{
    YK_TRY(yk_shape_of(t, e, out));
    if (out->type > YK_TYPE_INTEGER)
        return yk_refuse(t, e->at, "a number is needed here, not a %s",
                         out->type == YK_TYPE_BOOLEAN
                             ? "Boolean; of a condition P it is if P then 1 "
                               "else 0"
                             : "String");
    return YOKE_OK;
}

/* a op b elementwise; `spread`: a scalar goes with every element. */
static yoke_status elementwise(yk_translator *t, yk_place at, bool spread,
                               const yk_shape *b, yk_shape *a)
{
    char left[80], right[80];

    if (a->type == YK_TYPE_INTEGER) a->type = b->type;
    if (yk_same_size(a, b) || (spread && b->dims == 0)) return YOKE_OK;
    if (spread && a->dims == 0) {
        a->dims = b->dims;
        memcpy(a->size, b->size, sizeof a->size);
        return YOKE_OK;
    }
    return yk_refuse(t, at, "the sizes of the operands differ: %s and %s",
                     yk_shape_text(a, left), yk_shape_text(b, right));
}

static yoke_status sum_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    yk_shape s;

    YK_TRY(numeric(t, e->child[0], out));
    for (int i = 1; i < e->count; i++) {
        YK_TRY(numeric(t, e->child[i], &s));
        YK_TRY(
            elementwise(t, e->at, e->op[i] == 'p' || e->op[i] == 'm', &s, out));
    }
    return YOKE_OK;
}

/* Scalar times array, or the sum over the last index of a and the first of b.
 */
static yoke_status matrix_product(yk_translator *t, yk_place at,
                                  const yk_shape *b, yk_shape *a)
{
    char left[80], right[80];

    if (a->dims == 0 || b->dims == 0) return elementwise(t, at, true, b, a);
    if (a->dims > 2 || b->dims > 2 || a->size[a->dims - 1] != b->size[0])
        return yk_refuse(t, at,
                         "the sizes of a product do not fit: %s and %s; "
                         "write .* for elementwise",
                         yk_shape_text(a, left), yk_shape_text(b, right));
    if (a->type == YK_TYPE_INTEGER) a->type = b->type;
    a->dims--;
    if (b->dims == 2) a->size[a->dims++] = b->size[1];
    return YOKE_OK;
}

static yoke_status product_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    yk_shape s;

    YK_TRY(numeric(t, e->child[0], out));
    for (int i = 1; i < e->count; i++) {
        YK_TRY(numeric(t, e->child[i], &s));
        const char op = e->op[i];
        if (op == '/' && s.dims)
            return yk_refuse(t, e->child[i]->at,
                             "division by an array; write "
                             "./ for elementwise");
        if (op == '*')
            YK_TRY(matrix_product(t, e->at, &s, out));
        else
            YK_TRY(elementwise(t, e->at, true, &s, out));
        if (op == '/' || op == 'd') out->type = YK_TYPE_REAL;
    }
    return YOKE_OK;
}

static yoke_status power_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    yk_shape s;

    YK_TRY(numeric(t, e->child[0], out));
    YK_TRY(numeric(t, e->child[1], &s));
    if (e->op[0] == '^' && (out->dims || s.dims))
        return yk_refuse(t, e->at,
                         "a power of a matrix is not supported; "
                         "write .^ for elementwise");
    YK_TRY(elementwise(t, e->at, true, &s, out));
    out->type = YK_TYPE_REAL;
    return YOKE_OK;
}

static yoke_status relation_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    yk_shape a, b;

    YK_TRY(yk_shape_of(t, e->child[0], &a));
    YK_TRY(yk_shape_of(t, e->child[1], &b));
    const bool logical = a.type == YK_TYPE_BOOLEAN;
    if (a.dims || b.dims || a.type == YK_TYPE_STRING ||
        b.type == YK_TYPE_STRING || logical != (b.type == YK_TYPE_BOOLEAN))
        return yk_refuse(t, e->at,
                         "only two numbers or two Booleans can be "
                         "compared");
    *out = (yk_shape){ .type = YK_TYPE_BOOLEAN };
    return YOKE_OK;
}

static yoke_status logical_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    for (int i = 0; i < e->count; i++) {
        YK_TRY(yk_shape_of(t, e->child[i], out));
        if (out->dims || out->type != YK_TYPE_BOOLEAN)
            return yk_refuse(t, e->child[i]->at, "a Boolean is needed here");
    }
    return YOKE_OK;
}

static yoke_status simple_shape(yk_translator *t, const yk_expr *e,
                                yk_shape *out)
{
    *out = (yk_shape){ .type = YK_TYPE_INTEGER };
    if (e->kind == YK_EXPR_NUMBER && !(e->whole && e->number < 1e15))
        out->type = YK_TYPE_REAL;
    if (e->kind == YK_EXPR_BOOLEAN) out->type = YK_TYPE_BOOLEAN;
    if (e->kind == YK_EXPR_STRING) out->type = YK_TYPE_STRING;
    if (e->kind == YK_EXPR_END && t->ends == t->end_base)
        return yk_refuse(t, e->at, "end is used outside of subscripts");
    if (e->kind == YK_EXPR_TUPLE)
        return yk_refuse(t, e->at,
                         "a list in parentheses is allowed only left of a call "
                         "of a function");
    if (e->kind == YK_EXPR_COLON)
        return yk_refuse(t, e->at, "a colon is allowed only in subscripts");
    return YOKE_OK;
}

static yoke_status find_shape(yk_translator *t, yk_expr *e, yk_shape *out)
{
    switch (e->kind) {
    case YK_EXPR_REFERENCE:
        return reference_shape(t, e, out);
    case YK_EXPR_CALL:
        return yk_is_builtin(t, e->name) ? yk_builtin_shape(t, e, out)
                                         : yk_function_shape(t, e, out);
    case YK_EXPR_ARRAY:
        return array_shape(t, e, out);
    case YK_EXPR_MATRIX:
        return matrix_shape(t, e, out);
    case YK_EXPR_PART:
        return part_shape(t, e, out);
    case YK_EXPR_MEMBER:
        return member_shape(t, e, out);
    case YK_EXPR_COMPREHENSION:
        return comprehension_shape(t, e, out);
    case YK_EXPR_RANGE:
        return range_shape(t, e, out);
    case YK_EXPR_IF:
        return if_shape(t, e, out);
    case YK_EXPR_SUM:
        return sum_shape(t, e, out);
    case YK_EXPR_PRODUCT:
        return product_shape(t, e, out);
    case YK_EXPR_POWER:
        return power_shape(t, e, out);
    case YK_EXPR_NEGATE:
        return numeric(t, e->child[0], out);
    case YK_EXPR_NOT:
    case YK_EXPR_AND:
    case YK_EXPR_OR:
        return logical_shape(t, e, out);
    case YK_EXPR_RELATION:
        return relation_shape(t, e, out);
    default:
        return simple_shape(t, e, out);
    }
}

/* Remembered in the node, unless it depends on the value of a frame or on the
 * size at which `end` stands. */
yoke_status yk_shape_of(yk_translator *t, yk_expr *e, yk_shape *out)
{
    const long stamp = yk_in_function(t) ? t->scope->stamp : 0;
    const bool runs = t->runs;
    yk_shape found = { 0 };

    if (e->stamp == stamp) {
        *out = e->shape;
        return YOKE_OK;
    }
    YK_TRY(yk_enter(t, e->at));
    t->runs = false;
    YK_TRY(find_shape(t, e, &found));
    t->depth--;
    if (!t->runs) {
        e->shape = found;
        e->stamp = stamp;
    }
    t->runs = t->runs || runs;
    *out = found;
    return YOKE_OK;
}
