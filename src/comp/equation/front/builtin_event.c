/* comp/equation/front/builtin_event.c -- functions that make sense at events.
 * */
#include "comp/equation/front/builtin.h"

#include <math.h>

/* edge(b) is b and not pre(b), change(v) is v <> pre(v). */
static yoke_status change_shape(YK_SHAPE_TAKES)
{
    bool memory = false;

    YK_TRY(yk_has_memory(t, e->child[0], &memory));
    if ((!t->in_when && !yk_in_model(t)) || !memory)
        return yk_refuse(t, e->at,
                         "%s() is allowed only in when-equations, and for "
                         "variables that change at events only; where a "
                         "Boolean input b becomes true is when b",
                         e->name);
    YK_TRY(yk_shape_of(t, e->child[0], out));
    if (b->op == YK_OP_AND && out->type != YK_TYPE_BOOLEAN)
        return yk_refuse(t, e->at, "edge() needs a Boolean");
    out->type = YK_TYPE_BOOLEAN;
    return YOKE_OK;
}

static yoke_status change_element(YK_ELEMENT_TAKES)
{
    const yk_value place = yk_number(0.0);
    yk_symbol *s = yk_find_symbol(t, e->child[0]->name);
    yk_value before = { 0 };

    t->varies = true;
    YK_TRY(yk_element(t, e->child[0], NULL, 0, out));
    YK_TRY(yk_variable_node(t, s, YK_OP_PRE, &place, &before));
    if (b->op == YK_OP_AND) {
        YK_TRY(yk_operate(t, e->at, YK_OP_NOT, &before, NULL, &before));
        return yk_operate(t, e->at, YK_OP_AND, out, &before, out);
    }
    YK_TRY(yk_operate(t, e->at, YK_OP_EQUAL, out, &before, out));
    return yk_operate(t, e->at, YK_OP_NOT, out, NULL, out);
}

/* What is true at one instant; `number`: of its variable, plus one. */
static yoke_status instant_node(yk_translator *t, int *number, yk_value *out)
{
    yk_flat_node n = { .op = YK_OP_REFER, .a = -1, .b = -1, .c = -1 };

    n.variable = *number - 1;
    if (n.variable < 0)
        YK_TRY(yk_flat_add_held(t->flat, 1, &n.variable, t->err));
    *number = n.variable + 1;
    t->varies = true;
    *out = (yk_value){ .kind = YK_VALUE_NODE };
    return yk_flat_add_node(t->flat, &n, &out->node, t->err);
}

static yoke_status initial_shape(YK_SHAPE_TAKES)
{
    *out = (yk_shape){ .type = YK_TYPE_BOOLEAN };
    return YOKE_OK;
}

static yoke_status terminal_shape(YK_SHAPE_TAKES)
{
    *out = (yk_shape){ .type = YK_TYPE_BOOLEAN };
    if (t->in_when) return YOKE_OK;
    return yk_refuse(t, e->at,
                     "terminal() in an equation is not supported; write when "
                     "terminal() then ... end when");
}

static yoke_status initial_element(YK_ELEMENT_TAKES)
{
    *out = yk_number(1.0);
    return t->in_when || !t->initial ? instant_node(t, &t->flat->initial, out)
                                     : YOKE_OK;
}

static yoke_status terminal_element(YK_ELEMENT_TAKES)
{
    return instant_node(t, &t->flat->terminal, out);
}

static yoke_status sample_shape(YK_SHAPE_TAKES)
{
    *out = (yk_shape){ .type = YK_TYPE_BOOLEAN };
    if (t->condition || yk_in_model(t)) return YOKE_OK;
    return yk_refuse(t, e->at,
                     "sample() is allowed only in the condition of a when and "
                     "in equations of Boolean and Integer variables");
}

static yoke_status sample_element(YK_ELEMENT_TAKES)
{
    yk_flat_node n = { .op = YK_OP_REFER, .a = -1, .b = -1, .c = -1 };
    double first = 0.0, interval = 0.0;

    YK_TRY(yk_constant(t, e->child[0], "the first instant", &first));
    YK_TRY(yk_constant(t, e->child[1], "the interval of sample", &interval));
    if (!(interval > 0.0) || !isfinite(first) || !isfinite(interval))
        return yk_refuse(t, e->child[1]->at,
                         "the interval of sample is %g; it must be above 0",
                         interval);
    if (first < 0.0) first += interval * ceil(-first / interval);
    YK_TRY(yk_flat_add_sample(t->flat, first, interval, &n.variable, t->err));
    t->varies = true;
    *out = (yk_value){ .kind = YK_VALUE_NODE };
    return yk_flat_add_node(t->flat, &n, &out->node, t->err);
}

const yk_builtin yk_event_builtins[] = {
    { "edge", 1, 1, YK_OP_AND, change_shape, change_element },
    { "change", 1, 1, YK_OP_NOT, change_shape, change_element },
    { "sample", 2, 2, YK_OP_NUMBER, sample_shape, sample_element },
    { "initial", 0, 0, YK_OP_NUMBER, initial_shape, initial_element },
    { "terminal", 0, 0, YK_OP_NUMBER, terminal_shape, terminal_element },
    { NULL, 0, 0, YK_OP_NUMBER, NULL, NULL },
};
