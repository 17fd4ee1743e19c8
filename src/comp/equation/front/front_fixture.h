/* comp/equation/front/front_fixture.h -- reads models from strings and
 * evaluates what came out. */
#ifndef YK_FRONT_FIXTURE_H
#define YK_FRONT_FIXTURE_H

#include "check.h"

#include "comp/equation/front/front.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline yk_flat *read_with(const char *text,
                                 const yoke_equation_options *options)
{
    yk_flat *flat = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(
        yk_equation_front(&flat, "m.mo", text, strlen(text), options, &err),
        &err);
    return flat;
}

static inline yk_flat *read_model(const char *text)
{
    return read_with(text, NULL);
}

static inline int variable_of(const yk_flat *f, const char *name)
{
    for (int i = 0; i < f->variables; i++)
        if (strcmp(f->variable[i].name, name) == 0) return i;
    fail_msg("there is no variable %s", name);
    return -1;
}

/* Where the model is evaluated: variable v has the value 10 v + 1 + place at
 * element `place`, its derivative is 1000 and its value before 500 more. */
typedef struct point {
    double time;
    int index[YK_FLAT_LOOPS];
} point;

static inline int element_of(const yk_flat_node *n, const point *p)
{
    int place = n->place[0];

    for (int k = 0; k < YK_FLAT_LOOPS; k++)
        place += n->place[k + 1] * p->index[k];
    return place;
}

static inline double sample_value(const yk_flat *f, int variable, int place)
{
    const yk_flat_variable *v = &f->variable[variable];

    assert_in_range(place, 0, v->count - 1);
    return v->value ? v->value[place] : 10.0 * variable + 1.0 + place;
}

static inline double evaluate(const yk_flat *f, int node, const point *p);

static inline double evaluate_function(yk_op op, double a)
{
    switch (op) {
    case YK_OP_ABS:
        return fabs(a);
    case YK_OP_SIGN:
        return (a > 0.0) - (a < 0.0);
    case YK_OP_SQRT:
        return sqrt(a);
    case YK_OP_EXP:
        return exp(a);
    case YK_OP_LOG:
        return log(a);
    case YK_OP_LOG10:
        return log10(a);
    case YK_OP_SIN:
        return sin(a);
    case YK_OP_COS:
        return cos(a);
    case YK_OP_TAN:
        return tan(a);
    case YK_OP_ASIN:
        return asin(a);
    case YK_OP_ACOS:
        return acos(a);
    case YK_OP_ATAN:
        return atan(a);
    case YK_OP_SINH:
        return sinh(a);
    case YK_OP_COSH:
        return cosh(a);
    case YK_OP_TANH:
        return tanh(a);
    case YK_OP_FLOOR:
        return floor(a);
    case YK_OP_CEIL:
        return ceil(a);
    default:
        fail_msg("operation %d", (int)op);
        return 0.0;
    }
}

static inline double evaluate_operator(yk_op op, double a, double b)
{
    switch (op) {
    case YK_OP_NEGATE:
        return -a;
    case YK_OP_ADD:
        return a + b;
    case YK_OP_SUBTRACT:
        return a - b;
    case YK_OP_MULTIPLY:
        return a * b;
    case YK_OP_DIVIDE:
        return a / b;
    case YK_OP_POWER:
        return pow(a, b);
    case YK_OP_LESS:
        return a < b;
    case YK_OP_LESS_EQUAL:
        return a <= b;
    case YK_OP_EQUAL:
        return a == b;
    case YK_OP_NOT:
        return a == 0.0;
    case YK_OP_AND:
        return a != 0.0 && b != 0.0;
    case YK_OP_OR:
        return a != 0.0 || b != 0.0;
    case YK_OP_MIN:
        return fmin(a, b);
    case YK_OP_MAX:
        return fmax(a, b);
    case YK_OP_ATAN2:
        return atan2(a, b);
    default:
        return evaluate_function(op, a);
    }
}

static inline double evaluate(const yk_flat *f, int node, const point *p)
{
    const yk_flat_node *n = &f->node[node];

    switch (n->op) {
    case YK_OP_NUMBER:
        return n->number;
    case YK_OP_TIME:
        return p->time;
    case YK_OP_INDEX:
        return p->index[n->a];
    case YK_OP_REFER:
        for (int i = 0; i < f->relations; i++) /* what is held is right */
            if (f->node[f->relation[i].refer].variable == n->variable)
                return evaluate(f, f->relation[i].node, p);
        return sample_value(f, n->variable, element_of(n, p));
    case YK_OP_HOLD:
        return evaluate(f, n->a, p);
    case YK_OP_DER:
        return 1000.0 + sample_value(f, n->variable, element_of(n, p));
    case YK_OP_PRE:
        return 500.0 + sample_value(f, n->variable, element_of(n, p));
    case YK_OP_IF:
        return evaluate(f, evaluate(f, n->a, p) != 0.0 ? n->b : n->c, p);
    default:
        return evaluate_operator(n->op, evaluate(f, n->a, p),
                                 n->b < 0 ? 0.0 : evaluate(f, n->b, p));
    }
}

static inline double right_at(const yk_flat *f, int equation, double time)
{
    const point p = { .time = time };
    return evaluate(f, f->equation[equation].right, &p);
}

/* The value of `expression` of a model whose other text is `declarations`. */
static inline double value_of(const char *declarations, const char *expression,
                              double time)
{
    char text[4000];
    double value;

    snprintf(text, sizeof text,
             "model M Real result; %s equation result = %s;"
             " end M;",
             declarations, expression);
    yk_flat *f = read_model(text);
    assert_int_equal(f->equations, 1);
    value = right_at(f, 0, time);
    yk_flat_free(f);
    return value;
}

/* The text is refused with a message that has both parts. */
static inline void refuses(const char *text, const char *place,
                           const char *part)
{
    yk_flat *flat = NULL;
    yoke_err err = { YOKE_OK, "" };
    const yoke_status status =
        yk_equation_front(&flat, "m.mo", text, strlen(text), NULL, &err);

    if (status >= 0) fail_msg("accepted: %s", text);
    assert_null(flat);
    CHECK_CONTAINS(err.text, place);
    CHECK_CONTAINS(err.text, part);
    assert_int_equal(
        yk_equation_front(&flat, "m.mo", text, strlen(text), NULL, NULL),
        status);
}

#endif
