/* file/formula.c -- a formula as a list of terms, operands before operators.
 *
 * One pass forward evaluates everything, one pass backward gives the weights of
 * a linear expression.
 */
#include "file/formula_term.h"

#include <math.h>
#include <string.h>

enum { MOST_TERMS = 1000000 };

/* ---- functions ----------------------------------------------------------- */

static double sign(double x)
{
    return (x > 0.0) - (x < 0.0);
}

static double modulo(double x, double y)
{
    return x - floor(x / y) * y;
}

static double divide(double x, double y)
{
    return trunc(x / y);
}

static double remainder_of(double x, double y)
{
    return x - trunc(x / y) * y;
}

static double not_of(double x)
{
    return x == 0.0;
}

static double and_of(double x, double y)
{
    return x != 0.0 && y != 0.0;
}

static double or_of(double x, double y)
{
    return x != 0.0 || y != 0.0;
}

static double less(double x, double y)
{
    return x < y;
}

static double less_equal(double x, double y)
{
    return x <= y;
}

static double greater(double x, double y)
{
    return x > y;
}

static double greater_equal(double x, double y)
{
    return x >= y;
}

typedef struct function {
    const char *name;
    double (*one)(double x);
    double (*two)(double x, double y);
} function;

static const function functions[FUNCTIONS] = {
    [F_SIN] = { "sin", sin, NULL },
    [F_COS] = { "cos", cos, NULL },
    [F_TAN] = { "tan", tan, NULL },
    [F_ASIN] = { "asin", asin, NULL },
    [F_ACOS] = { "acos", acos, NULL },
    [F_ATAN] = { "atan", atan, NULL },
    [F_SINH] = { "sinh", sinh, NULL },
    [F_COSH] = { "cosh", cosh, NULL },
    [F_TANH] = { "tanh", tanh, NULL },
    [F_EXP] = { "exp", exp, NULL },
    [F_LOG] = { "log", log, NULL },
    [F_LOG10] = { "log10", log10, NULL },
    [F_SQRT] = { "sqrt", sqrt, NULL },
    [F_ABS] = { "abs", fabs, NULL },
    [F_SIGN] = { "sign", sign, NULL },
    [F_FLOOR] = { "floor", floor, NULL },
    [F_CEIL] = { "ceil", ceil, NULL },
    [F_ATAN2] = { "atan2", NULL, atan2 },
    [F_MIN] = { "min", NULL, fmin },
    [F_MAX] = { "max", NULL, fmax },
    [F_POW] = { "pow", NULL, pow },
    [F_MOD] = { "mod", NULL, modulo },
    [F_DIV] = { "div", NULL, divide },
    [F_REM] = { "rem", NULL, remainder_of },
    [F_NOT] = { "not", not_of, NULL },
    [F_AND] = { "and", NULL, and_of },
    [F_OR] = { "or", NULL, or_of },
    [F_LESS] = { "<", NULL, less },
    [F_LESS_EQUAL] = { "<=", NULL, less_equal },
    [F_GREATER] = { ">", NULL, greater },
    [F_GREATER_EQUAL] = { ">=", NULL, greater_equal },
};

const char *yk_formula_function(int i)
{
    return functions[i].name;
}

int yk_formula_find_function(const char *name)
{
    for (int i = 0; i < F_NAMED; i++)
        if (strcmp(functions[i].name, name) == 0) return i;
    return -1;
}

int yk_formula_arguments(int i)
{
    return functions[i].two ? 2 : 1;
}

double yk_formula_apply(yk_function i, double a, double b)
{
    return functions[i].two ? functions[i].two(a, b) : functions[i].one(a);
}

/* ---- terms --------------------------------------------------------------- */

static yk_formula_class later(yk_formula_class a, yk_formula_class b)
{
    return a > b ? a : b;
}

static yk_formula_class kind_of(const yk_formula *f, const yk_term *t)
{
    if (t->what == NUMBER) return YK_CONSTANT;
    if (t->what == TIME) return YK_TIME;
    if (t->what == VARIABLE) return YK_LINEAR;
    const yk_formula_class a = f->term[t->a].kind, b = f->term[t->b].kind;
    const yk_formula_class all = later(later(a, b), f->term[t->c].kind);

    switch (t->what) {
    case ADD:
    case SUBTRACT:
        return all;
    case NEGATE:
        return a;
    case MULTIPLY:
        if (a == YK_CONSTANT) return b;
        /* fall through */
    case DIVIDE:
        if (b == YK_CONSTANT) return a;
        /* fall through */
    default:
        return all <= YK_TIME ? all : YK_NONLINEAR;
    }
}

static yk_shape more(yk_shape a, yk_shape b)
{
    return a > b ? a : b;
}

static yk_shape shape_of_call(const yk_formula *f, const yk_term *t, yk_shape a,
                              yk_shape b)
{
    const yk_term *exponent = &f->term[t->b];

    if (more(a, b) == YK_STEADY) return YK_STEADY;
    switch (t->function) {
    case F_ABS:
    case F_MIN:
    case F_MAX:
    case F_MOD: /* a less a multiple of b */
    case F_REM:
        return more(a, b);
    case F_SIGN:
    case F_FLOOR:
    case F_CEIL:
    case F_DIV:
        return YK_STEADY;
    case F_POW:
        return exponent->what == NUMBER && exponent->number == 1.0 ? a
                                                                   : YK_CURVED;
    default:
        return t->function >= F_NAMED ? YK_STEADY : YK_CURVED;
    }
}

static yk_shape shape_of(const yk_formula *f, const yk_term *t)
{
    if (t->what == NUMBER) return YK_STEADY;
    if (t->what == TIME) return YK_STRAIGHT;
    if (t->what == VARIABLE) return YK_FOREIGN;
    const yk_shape a = f->term[t->a].shape, b = f->term[t->b].shape;
    const yk_shape all = more(more(a, b), f->term[t->c].shape);

    if (all == YK_FOREIGN) return YK_FOREIGN;
    switch (t->what) {
    case MULTIPLY:
        return a == YK_STEADY || b == YK_STEADY ? all : YK_CURVED;
    case DIVIDE:
        return b == YK_STEADY ? a : YK_CURVED;
    case APPLY:
    case APPLY_2:
        return shape_of_call(f, t, a, b);
    default:
        return all;
    }
}

static yoke_status append(yk_formula *f, yk_term term, int *out, yoke_err *err)
{
    if (f->terms >= MOST_TERMS)
        return yk_fail(err, YOKE_E_FILE, "the formula has more than %d terms",
                       MOST_TERMS);
    YK_TRY(yk_grow((void **)&f->term, &f->term_room, (size_t)f->terms + 1,
                   sizeof *f->term, err));
    YK_TRY(yk_grow((void **)&f->value, &f->value_room, (size_t)f->terms + 1,
                   sizeof *f->value, err));
    term.kind = kind_of(f, &term);
    term.shape = shape_of(f, &term);
    f->term[f->terms] = term;
    *out = f->terms++;
    return YOKE_OK;
}

yoke_status yk_formula_number(yk_formula *f, double number, int *out,
                              yoke_err *err)
{
    return append(f, (yk_term){ .what = NUMBER, .number = number }, out, err);
}

yoke_status yk_formula_time(yk_formula *f, int *out, yoke_err *err)
{
    return append(f, (yk_term){ .what = TIME }, out, err);
}

yoke_status yk_formula_operation(yk_formula *f, operation what, int a, int b,
                                 int *out, yoke_err *err)
{
    return append(f, (yk_term){ .what = what, .a = a, .b = b, .c = a }, out,
                  err);
}

yoke_status yk_formula_call(yk_formula *f, yk_function which, int a, int b,
                            int *out, yoke_err *err)
{
    const bool two = functions[which].two != NULL;
    const yk_term term = { .what = two ? APPLY_2 : APPLY,
                           .a = a,
                           .b = two ? b : a,
                           .c = a,
                           .function = which };

    return append(f, term, out, err);
}

yoke_status yk_formula_select(yk_formula *f, int a, int b, int c, int *out,
                              yoke_err *err)
{
    return append(f, (yk_term){ .what = SELECT, .a = a, .b = b, .c = c }, out,
                  err);
}

bool yk_formula_is_truth(const yk_formula *f, int term)
{
    const yk_term *t = &f->term[term];

    return (t->what == APPLY || t->what == APPLY_2) && t->function >= F_NAMED;
}

static yoke_status new_variable(yk_formula *f, const char *name, size_t place,
                                yoke_err *err)
{
    const size_t need = (size_t)f->variables + 1;
    char *copy = NULL;

    YK_TRY(
        yk_grow((void **)&f->name, &f->name_room, need, sizeof *f->name, err));
    YK_TRY(yk_grow((void **)&f->place, &f->place_room, need, sizeof *f->place,
                   err));
    YK_TRY(yk_copy_text(&copy, name, err));
    f->name[f->variables] = copy;
    f->place[f->variables++] = place;
    return yk_names_add(&f->names, copy, f->variables - 1, err);
}

yoke_status yk_formula_variable(yk_formula *f, const char *name, size_t place,
                                int *out, yoke_err *err)
{
    int number = yk_names_find(&f->names, name);

    if (number < 0) {
        number = f->variables;
        YK_TRY(new_variable(f, name, place, err));
    }
    return append(f, (yk_term){ .what = VARIABLE, .a = number }, out, err);
}

void yk_formula_clear(yk_formula *f)
{
    for (int i = 0; i < f->variables; i++) yk_free(f->name[i]);
    yk_names_clear(&f->names);
    yk_free(f->name);
    yk_free(f->place);
    yk_free(f->term);
    yk_free(f->value);
    *f = (yk_formula){ 0 };
}

/* ---- values -------------------------------------------------------------- */

static double value_of(const yk_formula *f, const yk_term *t, double time,
                       const double *y)
{
    const double a = t->what > VARIABLE ? f->value[t->a] : 0.0;
    const double b = t->what > VARIABLE ? f->value[t->b] : 0.0;

    switch (t->what) {
    case NUMBER:
        return t->number;
    case TIME:
        return time;
    case VARIABLE:
        return y ? y[t->a] : 0.0;
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return a / b;
    case NEGATE:
        return -a;
    case APPLY:
        return functions[t->function].one(a);
    case APPLY_2:
        return functions[t->function].two(a, b);
    case SELECT:
        return a != 0.0 ? b : f->value[t->c];
    }
    return NAN;
}

void yk_formula_eval(yk_formula *f, double t, const double *y)
{
    for (int i = 0; i < f->terms; i++)
        f->value[i] = value_of(f, &f->term[i], t, y);
}

void yk_formula_bind(yk_formula *f, const double *y)
{
    for (int i = 0; i < f->terms; i++) {
        yk_term *t = &f->term[i];
        if (t->what == VARIABLE) {
            t->number = y[t->a];
            t->what = NUMBER;
        }
        t->kind = kind_of(f, t);
        t->shape = shape_of(f, t);
    }
}

yk_formula_class yk_formula_kind(const yk_formula *f, int root)
{
    return f->term[root].kind;
}

/* W y + r(t): every part of it that is of time alone. */
static bool is_straight_beside(const yk_formula *f, int root)
{
    for (int i = 0; i <= root; i++)
        if (f->term[i].kind == YK_TIME && f->term[i].shape > YK_STRAIGHT)
            return false;
    return true;
}

bool yk_formula_is_piecewise_linear(const yk_formula *f, int root)
{
    const yk_term *t = &f->term[root];

    if (t->shape <= YK_STRAIGHT || !yk_formula_has_time(f)) return true;
    return t->kind == YK_LINEAR && is_straight_beside(f, root);
}

bool yk_formula_has_time(const yk_formula *f)
{
    for (int i = 0; i < f->terms; i++)
        if (f->term[i].what == TIME) return true;
    return false;
}

/* d(root) / d(term) goes from each operator to its operands; nothing flows
 * into terms that do not depend on y. */
static void spread(const yk_formula *f, const yk_term *t, double d,
                   double *weight, double *factor)
{
    switch (t->what) {
    case VARIABLE:
        weight[t->a] += d;
        break;
    case ADD:
    case SUBTRACT:
        factor[t->a] += d;
        factor[t->b] += t->what == ADD ? d : -d;
        break;
    case NEGATE:
        factor[t->a] -= d;
        break;
    case MULTIPLY:
        if (f->term[t->a].kind == YK_CONSTANT)
            factor[t->b] += d * f->value[t->a];
        else
            factor[t->a] += d * f->value[t->b];
        break;
    case DIVIDE:
        factor[t->a] += d / f->value[t->b];
        break;
    default:
        break;
    }
}

void yk_formula_weights(yk_formula *f, int root, double *weight, double *factor)
{
    yk_formula_eval(f, 0.0, NULL);
    memset(weight, 0, sizeof *weight * (size_t)f->variables);
    memset(factor, 0, sizeof *factor * (size_t)f->terms);
    factor[root] = 1.0;
    for (int i = root; i >= 0; i--)
        if (f->term[i].kind == YK_LINEAR && factor[i] != 0.0)
            spread(f, &f->term[i], factor[i], weight, factor);
}
