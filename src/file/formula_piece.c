/* file/formula_piece.c -- terms of a formula on a piece of time on which no
 * switch changes its branch: values, and bounds of values and derivatives.
 *
 * Bounds are those of interval arithmetic, from operand to operator, each
 * widened by some roundings.  A bound that cannot be told is everything.
 */
#include "file/formula_term.h"

#include <float.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

bool yk_formula_is_switch(const yk_term *t)
{
    if (t->what != APPLY && t->what != APPLY_2) return false;
    switch (t->function) {
    case F_ABS:
    case F_SIGN:
    case F_FLOOR:
    case F_CEIL:
    case F_ATAN2:
    case F_MIN:
    case F_MAX:
    case F_MOD:
    case F_DIV:
    case F_REM:
    case F_LESS:
    case F_LESS_EQUAL:
    case F_GREATER:
    case F_GREATER_EQUAL:
        return true;
    default:
        return false;
    }
}

double yk_formula_branch(const yk_term *t, double a, double b)
{
    switch (t->function) {
    case F_ABS:
        return a < 0.0 ? -1.0 : 1.0;
    case F_MIN:
        return a < b;
    case F_MAX:
        return a > b;
    case F_MOD:
        return floor(a / b);
    case F_REM:
        return trunc(a / b);
    default:
        return yk_formula_apply(t->function, a, b);
    }
}

/* ---- values -------------------------------------------------------------- */

static double of_switch(const yk_term *t, double a, double b, double held)
{
    switch (t->function) {
    case F_ABS:
        return held * a;
    case F_MIN:
    case F_MAX:
        return held != 0.0 ? a : b;
    case F_MOD:
    case F_REM:
        return a - held * b;
    case F_ATAN2:
        return atan2(a, b);
    default:
        return held;
    }
}

double yk_formula_held_value(const yk_formula *f, int i, double time,
                             double held, const double *value)
{
    const yk_term *t = &f->term[i];
    const double a = t->what > VARIABLE ? value[t->a] : 0.0;
    const double b = t->what > VARIABLE ? value[t->b] : 0.0;

    switch (t->what) {
    case NUMBER:
        return t->number;
    case TIME:
        return time;
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
    case APPLY_2:
        return yk_formula_is_switch(t) ? of_switch(t, a, b, held)
                                       : yk_formula_apply(t->function, a, b);
    case SELECT:
        return a != 0.0 ? b : value[t->c];
    default:
        return NAN;
    }
}

/* ---- ranges -------------------------------------------------------------- */

static const yk_range everything = { -INFINITY, INFINITY };
static const yk_range zero = { 0.0, 0.0 };

static bool is_point(yk_range a)
{
    return a.lo == a.hi;
}

static yk_range widen(double lo, double hi)
{
    static const double roundings = 4.0 * DBL_EPSILON;

    if (isnan(lo) || isnan(hi)) return everything;
    return (yk_range){ lo - roundings * fabs(lo), hi + roundings * fabs(hi) };
}

static yk_range add(yk_range a, yk_range b)
{
    return widen(a.lo + b.lo, a.hi + b.hi);
}

yk_range yk_range_subtract(yk_range a, yk_range b)
{
    return widen(a.lo - b.hi, a.hi - b.lo);
}

/* 0 times anything is 0 here: what is unbounded is so at single points. */
static double times(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

static yk_range multiply(yk_range a, yk_range b)
{
    const double p = times(a.lo, b.lo), q = times(a.lo, b.hi);
    const double r = times(a.hi, b.lo), s = times(a.hi, b.hi);

    return widen(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

static yk_range scale(double factor, yk_range a)
{
    return multiply((yk_range){ factor, factor }, a);
}

static yk_range divide(yk_range a, yk_range b)
{
    if (b.lo <= 0.0 && b.hi >= 0.0) return everything;
    return multiply(a, widen(1.0 / b.hi, 1.0 / b.lo));
}

/* x^n of a whole number n >= 0. */
static yk_range whole_power(yk_range a, double n)
{
    const double lo = pow(a.lo, n), hi = pow(a.hi, n);

    if (n == 0.0) return (yk_range){ 1.0, 1.0 };
    if (fmod(n, 2.0) != 0.0) return widen(lo, hi);
    if (a.lo <= 0.0 && a.hi >= 0.0) return widen(0.0, fmax(lo, hi));
    return widen(fmin(lo, hi), fmax(lo, hi));
}

/* Is there a point where + 2 pi k in it, or almost? */
static bool meets(yk_range a, double where)
{
    const double almost = 1e-9 + 8.0 * DBL_EPSILON * fabs(a.lo);
    const double k = ceil((a.lo - almost - where) / (2.0 * pi));

    return where + 2.0 * pi * k <= a.hi + almost;
}

static yk_range sine(yk_range a)
{
    if (!(a.hi - a.lo < 2.0 * pi) || !(fabs(a.lo) < 1e9))
        return (yk_range){ -1.0, 1.0 };
    const double p = sin(a.lo), q = sin(a.hi);
    const double noise = 4.0 * DBL_EPSILON * fmax(fabs(a.lo), fabs(a.hi));
    return (yk_range){
        meets(a, -0.5 * pi) ? -1.0 : fmin(p, q) - noise,
        meets(a, 0.5 * pi) ? 1.0 : fmax(p, q) + noise,
    };
}

static yk_range cosine(yk_range a)
{
    return sine(add(a, (yk_range){ 0.5 * pi, 0.5 * pi }));
}

static yk_range tangent(yk_range a)
{
    if (!(a.hi - a.lo < pi) || !(fabs(a.lo) < 1e9)) return everything;
    if (meets(a, 0.5 * pi) || meets(a, -0.5 * pi)) return everything;
    return widen(tan(a.lo), tan(a.hi));
}

static yk_range clip(yk_range a, double lo, double hi)
{
    return (yk_range){ fmin(fmax(a.lo, lo), hi), fmax(fmin(a.hi, hi), lo) };
}

static yk_range rising(double (*f)(double), yk_range a)
{
    return widen(f(a.lo), f(a.hi));
}

static yk_range even(double (*f)(double), yk_range a)
{
    const double p = f(a.lo), q = f(a.hi);
    const bool both = a.lo <= 0.0 && a.hi >= 0.0;

    return widen(both ? f(0.0) : fmin(p, q), fmax(p, q));
}

/* ---- functions ----------------------------------------------------------- */

static yk_bound chain(yk_range value, yk_range slope, yk_range d)
{
    return (yk_bound){ value, multiply(slope, d) };
}

static yk_range one_plus(double factor, yk_range square)
{
    return add((yk_range){ 1.0, 1.0 }, scale(factor, square));
}

static yk_bound logarithm(yk_range a, double per, yk_range d)
{
    const yk_range x = clip(a, 0.0, INFINITY);

    return chain(widen(per * log(x.lo), per * log(x.hi)),
                 scale(per, widen(1.0 / x.hi, 1.0 / x.lo)), d);
}

static yk_bound root(yk_range a, yk_range d)
{
    const yk_range r = rising(sqrt, clip(a, 0.0, INFINITY));

    return chain(r, widen(0.5 / r.hi, 0.5 / fmax(r.lo, 0.0)), d);
}

/* asin (sign 1) and acos (-1). */
static yk_bound arc(double sign, yk_range a, yk_range d)
{
    const yk_range x = clip(a, -1.0, 1.0);
    const yk_range c =
        rising(sqrt, clip(one_plus(-1.0, whole_power(x, 2.0)), 0.0, 1.0));
    const yk_range slope = { 1.0 / c.hi, 1.0 / fmax(c.lo, 0.0) };

    return chain(sign > 0.0 ? rising(asin, x) : widen(acos(x.hi), acos(x.lo)),
                 scale(sign, slope), d);
}

static yk_bound of_one(yk_function which, const yk_bound *x)
{
    const yk_range a = x->v, d = x->d;
    yk_range r;

    switch (which) {
    case F_SIN:
        return chain(sine(a), cosine(a), d);
    case F_COS:
        return chain(cosine(a), scale(-1.0, sine(a)), d);
    case F_TAN:
        r = tangent(a);
        return chain(r, one_plus(1.0, whole_power(r, 2.0)), d);
    case F_ASIN:
    case F_ACOS:
        return arc(which == F_ASIN ? 1.0 : -1.0, a, d);
    case F_ATAN:
        return chain(
            rising(atan, a),
            divide((yk_range){ 1.0, 1.0 }, one_plus(1.0, whole_power(a, 2.0))),
            d);
    case F_SINH:
        return chain(rising(sinh, a), even(cosh, a), d);
    case F_COSH:
        return chain(even(cosh, a), rising(sinh, a), d);
    case F_TANH:
        r = rising(tanh, a);
        return chain(r, clip(one_plus(-1.0, whole_power(r, 2.0)), 0.0, 1.0), d);
    case F_EXP:
        return chain(rising(exp, a), rising(exp, a), d);
    case F_LOG:
        return logarithm(a, 1.0, d);
    case F_LOG10:
        return logarithm(a, 1.0 / log(10.0), d);
    case F_SQRT:
        return root(a, d);
    default:
        return (yk_bound){ everything, everything };
    }
}

static yk_bound product(const yk_bound *a, const yk_bound *b)
{
    return (yk_bound){ multiply(a->v, b->v),
                       add(multiply(a->d, b->v), multiply(a->v, b->d)) };
}

yk_bound yk_bound_divide(const yk_bound *a, const yk_bound *b)
{
    const yk_range v = divide(a->v, b->v);
    const yk_range top = yk_range_subtract(a->d, multiply(v, b->d));

    return (yk_bound){ v, divide(top, b->v) };
}

yk_bound yk_bound_subtract(const yk_bound *a, const yk_bound *b)
{
    return (yk_bound){ yk_range_subtract(a->v, b->v),
                       yk_range_subtract(a->d, b->d) };
}

static yk_bound power(const yk_bound *a, const yk_bound *b)
{
    const double n = b->v.lo;

    if (is_point(b->v) && n == floor(n) && fabs(n) < 1000.0) {
        const yk_range one = { 1.0, 1.0 };
        const double m = fabs(n);
        const yk_bound up = {
            whole_power(a->v, m),
            m > 0.0 ? multiply(scale(m, whole_power(a->v, m - 1.0)), a->d)
                    : zero
        };
        const yk_bound unit = { one, zero };
        return n >= 0.0 ? up : yk_bound_divide(&unit, &up);
    }
    const yk_bound log_a = of_one(F_LOG, a);
    const yk_bound exponent = product(b, &log_a);
    return of_one(F_EXP, &exponent);
}

/* y does not change its sign on the piece. */
static yk_bound angle(const yk_bound *y, const yk_bound *x)
{
    const yk_range r = add(whole_power(x->v, 2.0), whole_power(y->v, 2.0));
    const yk_range top =
        yk_range_subtract(multiply(x->v, y->d), multiply(y->v, x->d));
    const double p = atan2(y->v.lo, x->v.lo), q = atan2(y->v.lo, x->v.hi);
    const double s = atan2(y->v.hi, x->v.lo), u = atan2(y->v.hi, x->v.hi);
    yk_range v =
        widen(fmin(fmin(p, q), fmin(s, u)), fmax(fmax(p, q), fmax(s, u)));

    if (!(r.lo > 0.0) || (y->v.lo <= 0.0 && y->v.hi >= 0.0))
        v = (yk_range){ -pi, pi };
    return (yk_bound){ v, divide(top, r) };
}

static yk_bound constant(double value)
{
    return (yk_bound){ { value, value }, zero };
}

static yk_bound switched(const yk_term *t, const yk_bound *a, const yk_bound *b,
                         double held)
{
    const yk_bound factor = constant(held);
    yk_bound part;

    switch (t->function) {
    case F_ABS:
        return product(&factor, a);
    case F_MIN:
    case F_MAX:
        return held != 0.0 ? *a : *b;
    case F_MOD:
    case F_REM:
        part = product(&factor, b);
        return yk_bound_subtract(a, &part);
    case F_ATAN2:
        return angle(a, b);
    default:
        return factor;
    }
}

static yk_bound applied(const yk_term *t, const yk_bound *a, const yk_bound *b,
                        double held)
{
    if (yk_formula_is_switch(t)) return switched(t, a, b, held);
    if (t->function == F_POW) return power(a, b);
    if (t->function >= F_NAMED) /* of constants: and, or, not */
        return constant(yk_formula_apply(t->function, a->v.lo, b->v.lo));
    return of_one(t->function, a);
}

yk_bound yk_formula_held_bound(const yk_formula *f, int i, yk_range time,
                               double held, const yk_bound *bound)
{
    const yk_term *t = &f->term[i];
    const yk_bound *a = &bound[t->a], *b = &bound[t->b];

    switch (t->what) {
    case NUMBER:
        return constant(t->number);
    case TIME:
        return (yk_bound){ time, { 1.0, 1.0 } };
    case ADD:
        return (yk_bound){ add(a->v, b->v), add(a->d, b->d) };
    case SUBTRACT:
        return yk_bound_subtract(a, b);
    case MULTIPLY:
        return product(a, b);
    case DIVIDE:
        return yk_bound_divide(a, b);
    case NEGATE:
        return (yk_bound){ scale(-1.0, a->v), scale(-1.0, a->d) };
    case APPLY:
    case APPLY_2:
        return applied(t, a, b, held);
    case SELECT:
        return a->v.lo != 0.0 ? *b : bound[t->c];
    default:
        return (yk_bound){ everything, everything };
    }
}
