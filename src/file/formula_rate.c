/* file/formula_rate.c -- derivatives of formulas by time.
 *
 * Each term carries (v, v', v''), from its operands by the rules for sums,
 * products and quotients and, for a function g,
 *
 *     g(a)' = g' a',   g(a)'' = g'' a'^2 + g' a''.
 *
 * Constraints that are driven, such as x = sin(time), need them.  abs, min,
 * max, mod and rem have the derivatives of the branch that they take, sign,
 * floor, ceil, div and relations have none.
 */
#include "file/formula_term.h"

#include <math.h>

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
static jet apply(yk_function which, jet a)
{
    const double x = a.v, one = 1.0 - x * x;

    if (which == F_SIN) return chain(sin(x), cos(x), -sin(x), a);
    if (which == F_COS) return chain(cos(x), -sin(x), -cos(x), a);
    if (which == F_SINH) return chain(sinh(x), cosh(x), sinh(x), a);
    if (which == F_COSH) return chain(cosh(x), sinh(x), cosh(x), a);
    if (which == F_EXP) return chain(exp(x), exp(x), exp(x), a);
    if (which == F_LOG) return chain(log(x), 1.0 / x, -1.0 / (x * x), a);
    if (which == F_LOG10)
        return chain(log10(x), 1.0 / (x * log(10.0)),
                     -1.0 / (x * x * log(10.0)), a);
    if (which == F_SQRT)
        return chain(sqrt(x), 0.5 / sqrt(x), -0.25 / (x * sqrt(x)), a);
    if (which == F_TAN) {
        const double t = tan(x), s = 1.0 + t * t;
        return chain(t, s, 2.0 * t * s, a);
    }
    if (which == F_TANH) {
        const double t = tanh(x), s = 1.0 - t * t;
        return chain(t, s, -2.0 * t * s, a);
    }
    if (which == F_ASIN)
        return chain(asin(x), 1.0 / sqrt(one), x / (one * sqrt(one)), a);
    if (which == F_ACOS)
        return chain(acos(x), -1.0 / sqrt(one), -x / (one * sqrt(one)), a);
    if (which == F_ATAN) {
        const double s = 1.0 + x * x;
        return chain(atan(x), 1.0 / s, -2.0 * x / (s * s), a);
    }
    if (which == F_ABS) return chain(fabs(x), x < 0.0 ? -1.0 : 1.0, 0.0, a);
    return (jet){ yk_formula_apply(which, x, 0.0), 0.0, 0.0 };
}

static jet power(jet a, jet b)
{
    if (b.d == 0.0 && b.dd == 0.0) {
        const double first = b.v, second = b.v * (b.v - 1.0);
        return chain(pow(a.v, b.v),
                     first != 0.0 ? first * pow(a.v, b.v - 1.0) : 0.0,
                     second != 0.0 ? second * pow(a.v, b.v - 2.0) : 0.0, a);
    }
    return apply(F_EXP, product(b, apply(F_LOG, a)));
}

static jet angle(jet y, jet x)
{
    const double r = x.v * x.v + y.v * y.v;
    const double d = (x.v * y.d - y.v * x.d) / r;
    const double dd =
        (x.v * y.dd - y.v * x.dd) / r - 2.0 * d * (x.v * x.d + y.v * y.d) / r;

    return (jet){ atan2(y.v, x.v), d, dd };
}

/* a - quotient b, with the quotient held. */
static jet rest(double quotient, jet a, jet b)
{
    return (jet){ a.v - quotient * b.v, a.d - quotient * b.d,
                  a.dd - quotient * b.dd };
}

static jet apply_2(yk_function which, jet a, jet b)
{
    switch (which) {
    case F_POW:
        return power(a, b);
    case F_ATAN2:
        return angle(a, b);
    case F_MIN:
        return a.v < b.v ? a : b;
    case F_MAX:
        return a.v > b.v ? a : b;
    case F_MOD:
        return rest(floor(a.v / b.v), a, b);
    case F_REM:
        return rest(trunc(a.v / b.v), a, b);
    default:
        return (jet){ yk_formula_apply(which, a.v, b.v), 0.0, 0.0 };
    }
}

static jet of_operation(const yk_term *t, jet a, jet b, jet c)
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
    case SELECT:
        return a.v != 0.0 ? b : c;
    case APPLY:
        return apply(t->function, a);
    default:
        return apply_2(t->function, a, b);
    }
}

static jet known(const yk_formula *f, const double *rate, int i)
{
    return (jet){ f->value[i], rate[2 * i], rate[2 * i + 1] };
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
        else
            j = of_operation(term, known(f, rate, term->a),
                             known(f, rate, term->b), known(f, rate, term->c));
        f->value[i] = j.v;
        rate[2 * i] = j.d;
        rate[2 * i + 1] = j.dd;
    }
}
