/* sim/formula_rate.c -- derivatives of formulas by time.
 *
 * Each term carries (v, v', v''), from its operands by the rules for sums,
 * products and quotients and, for a function g,
 *
 *     g(a)' = g' a',   g(a)'' = g'' a'^2 + g' a''.
 *
 * Constraints that are driven, such as x = sin(time), need them.  abs, min and
 * max have the derivatives of the branch that they take, sign has none.
 */
#include "sim/formula_term.h"

#include <math.h>
#include <string.h>

typedef struct jet {
    double v, d, dd;
} jet;

static jet product(jet a, jet b)
{
    return (jet){ a.v * b.v, a.d * b.v + a.v * b.d,
                  a.dd * b.v + 2.0 * a.d * b.d + a.v * b.dd };
}

/* q = a / b from a = q b. */
static jet quotient(jet a, jet b)
{
    const double v = a.v / b.v, d = (a.d - v * b.d) / b.v;

    return (jet){ v, d, (a.dd - 2.0 * d * b.d - v * b.dd) / b.v };
}

static jet chain(double v, double first, double second, jet a)
{
    return (jet){ v, first * a.d, second * a.d * a.d + first * a.dd };
}

/* g, g' and g'' at a. */
static jet apply(const char *name, jet a)
{
    const double x = a.v, one = 1.0 - x * x;

    if (strcmp(name, "sin") == 0) return chain(sin(x), cos(x), -sin(x), a);
    if (strcmp(name, "cos") == 0) return chain(cos(x), -sin(x), -cos(x), a);
    if (strcmp(name, "sinh") == 0) return chain(sinh(x), cosh(x), sinh(x), a);
    if (strcmp(name, "cosh") == 0) return chain(cosh(x), sinh(x), cosh(x), a);
    if (strcmp(name, "exp") == 0) return chain(exp(x), exp(x), exp(x), a);
    if (strcmp(name, "log") == 0)
        return chain(log(x), 1.0 / x, -1.0 / (x * x), a);
    if (strcmp(name, "log10") == 0)
        return chain(log10(x), 1.0 / (x * log(10.0)),
                     -1.0 / (x * x * log(10.0)), a);
    if (strcmp(name, "sqrt") == 0)
        return chain(sqrt(x), 0.5 / sqrt(x), -0.25 / (x * sqrt(x)), a);
    if (strcmp(name, "tan") == 0) {
        const double t = tan(x), s = 1.0 + t * t;
        return chain(t, s, 2.0 * t * s, a);
    }
    if (strcmp(name, "tanh") == 0) {
        const double t = tanh(x), s = 1.0 - t * t;
        return chain(t, s, -2.0 * t * s, a);
    }
    if (strcmp(name, "asin") == 0)
        return chain(asin(x), 1.0 / sqrt(one), x / (one * sqrt(one)), a);
    if (strcmp(name, "acos") == 0)
        return chain(acos(x), -1.0 / sqrt(one), -x / (one * sqrt(one)), a);
    if (strcmp(name, "atan") == 0) {
        const double s = 1.0 + x * x;
        return chain(atan(x), 1.0 / s, -2.0 * x / (s * s), a);
    }
    if (strcmp(name, "abs") == 0)
        return chain(fabs(x), x < 0.0 ? -1.0 : 1.0, 0.0, a);
    return (jet){ (x > 0.0) - (x < 0.0), 0.0, 0.0 }; /* sign */
}

static jet power(jet a, jet b)
{
    if (b.d == 0.0 && b.dd == 0.0) {
        const double first = b.v, second = b.v * (b.v - 1.0);
        return chain(pow(a.v, b.v),
                     first != 0.0 ? first * pow(a.v, b.v - 1.0) : 0.0,
                     second != 0.0 ? second * pow(a.v, b.v - 2.0) : 0.0, a);
    }
    return apply("exp", product(b, apply("log", a)));
}

static jet angle(jet y, jet x)
{
    const double r = x.v * x.v + y.v * y.v;
    const double d = (x.v * y.d - y.v * x.d) / r;
    const double dd =
        (x.v * y.dd - y.v * x.dd) / r - 2.0 * d * (x.v * x.d + y.v * y.d) / r;

    return (jet){ atan2(y.v, x.v), d, dd };
}

static jet apply_2(const char *name, jet a, jet b)
{
    if (strcmp(name, "pow") == 0) return power(a, b);
    if (strcmp(name, "atan2") == 0) return angle(a, b);
    if (strcmp(name, "min") == 0) return a.v < b.v ? a : b;
    return a.v > b.v ? a : b;
}

static jet of_operation(const yk_term *t, jet a, jet b)
{
    switch (t->what) {
    case ADD:
        return (jet){ a.v + b.v, a.d + b.d, a.dd + b.dd };
    case SUBTRACT:
        return (jet){ a.v - b.v, a.d - b.d, a.dd - b.dd };
    case MULTIPLY:
        return product(a, b);
    case DIVIDE:
        return quotient(a, b);
    case NEGATE:
        return (jet){ -a.v, -a.d, -a.dd };
    case APPLY:
        return apply(yk_formula_function(t->function), a);
    default:
        return apply_2(yk_formula_function(t->function), a, b);
    }
}

void yk_formula_rates(yk_formula *f, double t, const double *y, double *rate)
{
    for (int i = 0; i < f->terms; i++) {
        const yk_term *term = &f->term[i];
        jet j = { 0 };
        if (term->what == NUMBER)
            j.v = term->number;
        else if (term->what == TIME)
            j = (jet){ t, 1.0, 0.0 };
        else if (term->what == VARIABLE)
            j.v = y ? y[term->a] : 0.0;
        else {
            const int a = term->a, b = term->b;
            const jet of_a = { f->value[a], rate[2 * a], rate[2 * a + 1] };
            const jet of_b = { f->value[b], rate[2 * b], rate[2 * b + 1] };
            j = of_operation(term, of_a, of_b);
        }
        f->value[i] = j.v;
        rate[2 * i] = j.d;
        rate[2 * i + 1] = j.dd;
    }
}
