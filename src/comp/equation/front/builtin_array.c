/* comp/equation/front/builtin_array.c -- functions that make and change arrays.
 *
 * Reference: Modelica language specification 3.6, section 10.3; constsize: Base
 * Modelica, change proposal MCP-0031.
 */
#include "comp/equation/front/builtin.h"

#include <string.h>

static yoke_status add_size(yk_translator *t, yk_expr *e, yk_shape *out)
{
    int size = 0;

    YK_TRY(yk_whole(t, e, &size));
    if (size < 0) return yk_refuse(t, e->at, "the size %d is negative", size);
    out->size[out->dims++] = size;
    return YOKE_OK;
}

/* zeros(n, ..), ones(n, ..), fill(x, n, ..) */
static yoke_status fill_shape(YK_SHAPE_TAKES)
{
    const int first = b->name[0] == 'f';

    *out = (yk_shape){ .type = YK_TYPE_INTEGER };
    if (first) {
        YK_TRY(yk_shape_of(t, e->child[0], out));
        if (out->dims)
            return yk_refuse(t, e->at, "fill with an array is not supported");
    }
    for (int i = first; i < e->count; i++)
        YK_TRY(add_size(t, e->child[i], out));
    return YOKE_OK;
}

static yoke_status fill_element(YK_ELEMENT_TAKES)
{
    if (b->name[0] == 'f') return yk_element(t, e->child[0], NULL, 0, out);
    *out = yk_number(b->name[0] == 'o' ? 1.0 : 0.0);
    return YOKE_OK;
}

static yoke_status identity_shape(YK_SHAPE_TAKES)
{
    *out = (yk_shape){ .type = YK_TYPE_INTEGER };
    if (b->name[0] == 'i') {
        YK_TRY(add_size(t, e->child[0], out));
    } else {
        YK_TRY(yk_need_number(t, e->child[0], out));
        if (out->dims != 1)
            return yk_refuse(t, e->at, "diagonal needs a vector");
    }
    out->dims = 2;
    out->size[1] = out->size[0];
    return YOKE_OK;
}

/* identity(n) and diagonal(v): where i = j is not decided, rows are written
 * out. */
static yoke_status identity_element(YK_ELEMENT_TAKES)
{
    yk_value same;

    YK_TRY(yk_operate(t, e->at, YK_OP_EQUAL, &at[0], &at[1], &same));
    if (same.kind != YK_VALUE_NUMBER) return yk_blame_all(t);
    *out = same;
    if (same.number == 0.0 || b->name[0] == 'i') return YOKE_OK;
    return yk_element(t, e->child[0], at, 1, out);
}

static yoke_status linspace_shape(YK_SHAPE_TAKES)
{
    yk_shape s;

    for (int i = 0; i < 2; i++) {
        YK_TRY(yk_need_number(t, e->child[i], &s));
        if (s.dims) return yk_refuse(t, e->at, "linspace needs scalars");
    }
    *out = (yk_shape){ .type = YK_TYPE_REAL };
    YK_TRY(add_size(t, e->child[2], out));
    if (out->size[0] < 2)
        return yk_refuse(t, e->child[2]->at, "linspace needs two points");
    return YOKE_OK;
}

/* a + (b - a) (i - 1) / (n - 1) */
static yoke_status linspace_element(YK_ELEMENT_TAKES)
{
    const yk_value one = yk_number(1.0);
    yk_value first, last, rise, n;
    int size = 0;

    YK_TRY(yk_whole(t, e->child[2], &size));
    n = yk_number(size - 1.0);
    YK_TRY(yk_element(t, e->child[0], NULL, 0, &first));
    YK_TRY(yk_element(t, e->child[1], NULL, 0, &last));
    YK_TRY(yk_operate(t, e->at, YK_OP_SUBTRACT, &last, &first, &rise));
    YK_TRY(yk_operate(t, e->at, YK_OP_SUBTRACT, at, &one, out));
    YK_TRY(yk_operate(t, e->at, YK_OP_MULTIPLY, &rise, out, out));
    YK_TRY(yk_operate(t, e->at, YK_OP_DIVIDE, out, &n, out));
    return yk_operate(t, e->at, YK_OP_ADD, &first, out, out);
}

static yoke_status transpose_shape(YK_SHAPE_TAKES)
{
    YK_TRY(yk_shape_of(t, e->child[0], out));
    if (out->dims != 2) return yk_refuse(t, e->at, "transpose needs a matrix");
    const int rows = out->size[0];
    out->size[0] = out->size[1];
    out->size[1] = rows;
    return YOKE_OK;
}

static yoke_status transpose_element(YK_ELEMENT_TAKES)
{
    const yk_value swapped[] = { at[1], at[0] };

    return yk_element(t, e->child[0], swapped, dims, out);
}

static yoke_status cross_shape(YK_SHAPE_TAKES)
{
    yk_shape s;

    for (int i = 0; i < 2; i++) {
        YK_TRY(yk_need_number(t, e->child[i], &s));
        if (s.dims != 1 || s.size[0] != 3)
            return yk_refuse(t, e->child[i]->at, "cross needs vectors of 3");
        if (i == 0) *out = s;
    }
    if (s.type == YK_TYPE_REAL) out->type = s.type;
    return YOKE_OK;
}

static yoke_status cross_element(YK_ELEMENT_TAKES)
{
    yk_value part[2];

    if (at->kind != YK_VALUE_NUMBER) return yk_blame(t, at);
    const int i = (int)at->number - 1;
    for (int k = 0; k < 2; k++) {
        const yk_value p = yk_number((i + 1 + k) % 3 + 1.0);
        const yk_value q = yk_number((i + 2 - k) % 3 + 1.0);
        yk_value x, y;
        YK_TRY(yk_element(t, e->child[0], &p, 1, &x));
        YK_TRY(yk_element(t, e->child[1], &q, 1, &y));
        YK_TRY(yk_operate(t, e->at, YK_OP_MULTIPLY, &x, &y, &part[k]));
    }
    return yk_operate(t, e->at, YK_OP_SUBTRACT, &part[0], &part[1], out);
}

static yoke_status size_shape(YK_SHAPE_TAKES)
{
    yk_shape s;

    YK_TRY(yk_settle_record(t, e->child[0]));
    YK_TRY(yk_shape_of(t, e->child[0], &s));
    *out = (yk_shape){ .type = YK_TYPE_INTEGER };
    if (e->count == 2 || b->name[0] == 'n') return YOKE_OK;
    out->dims = 1;
    out->size[0] = s.dims;
    return YOKE_OK;
}

/* size(A), size(A, i), ndims(A) */
static yoke_status size_element(YK_ELEMENT_TAKES)
{
    yk_shape s;
    yk_value v;

    YK_TRY(yk_settle_record(t, e->child[0]));
    YK_TRY(yk_shape_of(t, e->child[0], &s));
    *out = yk_number(s.dims);
    if (b->name[0] == 'n') return YOKE_OK;
    if (dims)
        v = at[0];
    else
        YK_TRY(yk_element(t, e->child[1], NULL, 0, &v));
    if (v.kind != YK_VALUE_NUMBER) {
        YK_TRY(yk_blame_all(t));
        return yk_refuse(t, e->at, "the number of the dimension must be known");
    }
    if (!(v.number >= 1.0 && v.number <= s.dims))
        return yk_refuse(t, e->at, "dimension %g of %d dimensions", v.number,
                         s.dims);
    *out = yk_number(s.size[(int)v.number - 1]);
    return YOKE_OK;
}

static yoke_status cat_shape(YK_SHAPE_TAKES)
{
    int along = 0;

    YK_TRY(yk_whole(t, e->child[0], &along));
    YK_TRY(yk_shape_of(t, e->child[1], out));
    if (along < 1 || along > out->dims)
        return yk_refuse(t, e->at, "cat along dimension %d of %d", along,
                         out->dims);
    double total = out->size[along - 1];
    for (int i = 2; i < e->count; i++) {
        yk_shape s;
        YK_TRY(yk_shape_of(t, e->child[i], &s));
        if (s.dims != out->dims)
            return yk_refuse(t, e->child[i]->at,
                             "cat needs arrays of equal "
                             "dimensions");
        for (int d = 0; d < s.dims; d++)
            if (d != along - 1 && s.size[d] != out->size[d])
                return yk_refuse(t, e->child[i]->at, "cat needs equal sizes");
        if (s.type == YK_TYPE_REAL) out->type = YK_TYPE_REAL;
        total += s.size[along - 1];
    }
    if (total > 2e9) return yk_refuse(t, e->at, "the array is too large");
    out->size[along - 1] = (int)total;
    return YOKE_OK;
}

static yoke_status cat_element(YK_ELEMENT_TAKES)
{
    yk_value sub[YK_FLAT_LOOPS];
    int along = 0;

    YK_TRY(yk_whole(t, e->child[0], &along));
    memcpy(sub, at, (size_t)dims * sizeof *at);
    if (at[along - 1].kind != YK_VALUE_NUMBER)
        return yk_blame(t, &at[along - 1]);
    for (int i = 1; i < e->count; i++) {
        yk_shape s;
        YK_TRY(yk_shape_of(t, e->child[i], &s));
        if (sub[along - 1].number <= s.size[along - 1])
            return yk_element(t, e->child[i], sub, dims, out);
        sub[along - 1].number -= s.size[along - 1];
    }
    return yk_refuse(t, e->at, "subscript %g is outside of the array",
                     at[along - 1].number);
}

static yoke_status scalar_shape(YK_SHAPE_TAKES)
{
    YK_TRY(yk_shape_of(t, e->child[0], out));
    for (int i = 0; i < out->dims; i++)
        if (out->size[i] != 1)
            return yk_refuse(t, e->at, "scalar needs an array of one element");
    out->dims = 0;
    return YOKE_OK;
}

static yoke_status scalar_element(YK_ELEMENT_TAKES)
{
    yk_value one[YK_FLAT_LOOPS];
    yk_shape s;

    for (int i = 0; i < YK_FLAT_LOOPS; i++) one[i] = yk_number(1.0);
    YK_TRY(yk_shape_of(t, e->child[0], &s));
    return yk_element(t, e->child[0], one, s.dims, out);
}

/* vector(A), matrix(A) and promote(A, n): the same elements with other
 * dimensions, which have the size 1. */
static yoke_status reshaped(YK_SHAPE_TAKES)
{
    yk_shape s;
    int dims = b->name[0] == 'v' ? 1 : 2;

    YK_TRY(yk_shape_of(t, e->child[0], &s));
    if (b->name[0] == 'p') YK_TRY(yk_whole(t, e->child[1], &dims));
    if (dims < 1 || dims > YK_FLAT_LOOPS ||
        (b->name[0] == 'p' && dims < s.dims))
        return yk_refuse(t, e->at, "%s to %d dimensions is not possible",
                         b->name, dims);
    *out = (yk_shape){ .type = s.type, .dims = dims };
    for (int d = 0; d < YK_FLAT_LOOPS; d++) out->size[d] = 1;
    for (int d = 0, to = 0; d < s.dims; d++) {
        if (b->name[0] == 'v' && s.size[d] == 1) continue;
        if (to >= dims && s.size[d] != 1)
            return yk_refuse(t, e->at, "%s of this array is not possible",
                             b->name);
        if (to < dims) out->size[to++] = s.size[d];
    }
    return YOKE_OK;
}

static yoke_status reshaped_element(YK_ELEMENT_TAKES)
{
    yk_value sub[YK_FLAT_LOOPS];
    yk_shape s;

    YK_TRY(yk_shape_of(t, e->child[0], &s));
    for (int d = 0, from = 0; d < s.dims; d++) {
        const bool single = b->name[0] == 'v' && s.size[d] == 1;
        sub[d] = single || from >= dims ? yk_number(1.0) : at[from++];
    }
    return yk_element(t, e->child[0], sub, s.dims, out);
}

static yoke_status skew_shape(YK_SHAPE_TAKES)
{
    YK_TRY(yk_need_number(t, e->child[0], out));
    if (out->dims != 1 || out->size[0] != 3)
        return yk_refuse(t, e->at, "skew needs a vector of 3");
    out->dims = 2;
    out->size[1] = 3;
    return YOKE_OK;
}

/* skew(x) y = cross(x, y) */
static yoke_status skew_element(YK_ELEMENT_TAKES)
{
    for (int d = 0; d < 2; d++)
        if (at[d].kind != YK_VALUE_NUMBER) return yk_blame(t, &at[d]);
    const int i = (int)at[0].number, j = (int)at[1].number;
    *out = yk_number(0.0);
    if (i == j) return YOKE_OK;
    const yk_value k = yk_number(6.0 - i - j);
    YK_TRY(yk_element(t, e->child[0], &k, 1, out));
    if ((j - i + 3) % 3 == 2) return YOKE_OK;
    return yk_operate(t, e->at, YK_OP_NEGATE, out, NULL, out);
}

static yoke_status symmetric_shape(YK_SHAPE_TAKES)
{
    YK_TRY(yk_need_number(t, e->child[0], out));
    if (out->dims != 2 || out->size[0] != out->size[1])
        return yk_refuse(t, e->at, "symmetric needs a square matrix");
    return YOKE_OK;
}

/* The part above the diagonal counts. */
static yoke_status symmetric_element(YK_ELEMENT_TAKES)
{
    for (int d = 0; d < 2; d++)
        if (at[d].kind != YK_VALUE_NUMBER) return yk_blame(t, &at[d]);
    const bool upper = at[0].number <= at[1].number;
    const yk_value sub[] = { at[!upper], at[upper] };
    return yk_element(t, e->child[0], sub, dims, out);
}

static yoke_status outer_shape(YK_SHAPE_TAKES)
{
    yk_shape s;

    YK_TRY(yk_need_number(t, e->child[0], out));
    YK_TRY(yk_need_number(t, e->child[1], &s));
    if (out->dims != 1 || s.dims != 1)
        return yk_refuse(t, e->at, "outerProduct needs two vectors");
    if (s.type == YK_TYPE_REAL) out->type = s.type;
    out->dims = 2;
    out->size[1] = s.size[0];
    return YOKE_OK;
}

static yoke_status outer_element(YK_ELEMENT_TAKES)
{
    yk_value v;

    YK_TRY(yk_element(t, e->child[0], &at[0], 1, out));
    YK_TRY(yk_element(t, e->child[1], &at[1], 1, &v));
    return yk_operate(t, e->at, YK_OP_MULTIPLY, out, &v, out);
}

/* constsize(A, n, m) or constsize(A, {n, m}): A, if it has these sizes */
static yoke_status constsize_shape(YK_SHAPE_TAKES)
{
    yk_shape list;
    yk_value *value = NULL;
    int count = 0;

    YK_TRY(yk_shape_of(t, e->child[0], out));
    for (int i = 1, d = 0; i < e->count; i++) {
        YK_TRY(yk_shape_of(t, e->child[i], &list));
        YK_TRY(yk_elements(t, e->child[i], &list, &value, &count));
        for (int k = 0; k < count; k++, d++)
            if (d >= out->dims || !yk_is_number(&value[k], out->size[d]))
                return yk_refuse(t, e->child[i]->at,
                                 "the array has not this size");
    }
    return YOKE_OK;
}

static yoke_status constsize_element(YK_ELEMENT_TAKES)
{
    return yk_element(t, e->child[0], at, dims, out);
}

/* ---- The list ------------------------------------------------------------ */

const yk_builtin yk_array_builtins[] = {
    { "zeros", 1, YK_FLAT_LOOPS, YK_OP_NUMBER, fill_shape, fill_element },
    { "ones", 1, YK_FLAT_LOOPS, YK_OP_NUMBER, fill_shape, fill_element },
    { "fill", 2, YK_FLAT_LOOPS + 1, YK_OP_NUMBER, fill_shape, fill_element },
    { "identity", 1, 1, YK_OP_NUMBER, identity_shape, identity_element },
    { "diagonal", 1, 1, YK_OP_NUMBER, identity_shape, identity_element },
    { "linspace", 3, 3, YK_OP_NUMBER, linspace_shape, linspace_element },
    { "transpose", 1, 1, YK_OP_NUMBER, transpose_shape, transpose_element },
    { "cross", 2, 2, YK_OP_NUMBER, cross_shape, cross_element },
    { "size", 1, 2, YK_OP_NUMBER, size_shape, size_element },
    { "ndims", 1, 1, YK_OP_NUMBER, size_shape, size_element },
    { "cat", 2, 1000, YK_OP_NUMBER, cat_shape, cat_element },
    { "scalar", 1, 1, YK_OP_NUMBER, scalar_shape, scalar_element },
    { "vector", 1, 1, YK_OP_NUMBER, reshaped, reshaped_element },
    { "matrix", 1, 1, YK_OP_NUMBER, reshaped, reshaped_element },
    { "promote", 2, 2, YK_OP_NUMBER, reshaped, reshaped_element },
    { "skew", 1, 1, YK_OP_NUMBER, skew_shape, skew_element },
    { "symmetric", 1, 1, YK_OP_NUMBER, symmetric_shape, symmetric_element },
    { "outerProduct", 2, 2, YK_OP_NUMBER, outer_shape, outer_element },
    { "constsize", 2, 5, YK_OP_NUMBER, constsize_shape, constsize_element },
    { NULL, 0, 0, YK_OP_NUMBER, NULL, NULL },
};
