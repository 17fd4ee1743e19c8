/* expr/jet.c -- interval arithmetic with Taylor coefficients.
 *
 * y = f(a(t)) satisfies a differential equation in t, whose Taylor coefficients
 * give those of y one after the other: for y = exp(a), y' = a' y, so k y_k is
 * the sum of j a_j y_(k-j), j = 1 ... k.
 */
#include "expr/jet.h"

#include <float.h>
#include <math.h>

static const double pi = 3.14159265358979323846;
static const yk_span everything = { -INFINITY, INFINITY };

/* ---- Intervals ----------------------------------------------------------- */

/* Beyond the largest number everything above it is meant. */
static yk_span widen(double lo, double hi)
{
    static const double roundings = 4.0 * DBL_EPSILON;

    if (!(lo <= hi)) return everything;
    if (lo > DBL_MAX) lo = DBL_MAX;
    if (hi < -DBL_MAX) hi = -DBL_MAX;
    return (yk_span){ lo - roundings * fabs(lo), hi + roundings * fabs(hi) };
}

static bool is_zero(yk_span a)
{
    return a.lo == 0.0 && a.hi == 0.0;
}

static yk_span add(yk_span a, yk_span b)
{
    if (is_zero(a)) return b;
    if (is_zero(b)) return a;
    return widen(a.lo + b.lo, a.hi + b.hi);
}

static yk_span minus(yk_span a)
{
    return (yk_span){ -a.hi, -a.lo };
}

static yk_span sub(yk_span a, yk_span b)
{
    if (is_zero(b)) return a;
    return widen(a.lo - b.hi, a.hi - b.lo);
}

/* What is unbounded is so at single points. */
static double times(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static yk_span mul(yk_span a, yk_span b)
{
    if (is_zero(a) || is_zero(b)) return (yk_span){ 0.0, 0.0 };
    const double p = times(a.lo, b.lo), q = times(a.lo, b.hi);
    const double r = times(a.hi, b.lo), s = times(a.hi, b.hi);
    return widen(least(least(p, q), least(r, s)), most(most(p, q), most(r, s)));
}

static yk_span scale(double factor, yk_span a)
{
    if (factor == 1.0 || is_zero(a)) return a;
    if (factor == -1.0) return minus(a);
    return factor > 0.0 ? widen(factor * a.lo, factor * a.hi)
                        : widen(factor * a.hi, factor * a.lo);
}

static yk_span over(yk_span a, yk_span b)
{
    if (is_zero(a)) return a;
    if (b.lo <= 0.0 && b.hi >= 0.0) return everything;
    return mul(a, widen(1.0 / b.hi, 1.0 / b.lo));
}

static yk_span hull(yk_span a, yk_span b)
{
    return (yk_span){ least(a.lo, b.lo), most(a.hi, b.hi) };
}

static bool has_zero(yk_span a)
{
    return a.lo <= 0.0 && a.hi >= 0.0;
}

static yk_span square(yk_span a)
{
    const double p = a.lo * a.lo, q = a.hi * a.hi;

    return has_zero(a) ? widen(0.0, most(p, q))
                       : widen(least(p, q), most(p, q));
}

static yk_span rising(double (*f)(double), yk_span a)
{
    return widen(f(a.lo), f(a.hi));
}

static yk_span clip(yk_span a, double lo, double hi)
{
    return (yk_span){ fmin(fmax(a.lo, lo), hi), fmax(fmin(a.hi, hi), lo) };
}

/* Is there a point where + 2 pi k in it, or almost? */
static bool meets(yk_span a, double where)
{
    const double almost =
        1e-9 + 8.0 * DBL_EPSILON * most(fabs(a.lo), fabs(a.hi));
    const double k = ceil((a.lo - almost - where) / (2.0 * pi));

    return where + 2.0 * pi * k <= a.hi + almost;
}

static yk_span sine(yk_span a)
{
    const double far = most(fabs(a.lo), fabs(a.hi));
    const double noise = 4.0 * DBL_EPSILON * far;

    if (!(a.hi - a.lo < 2.0 * pi) || !(far < 1e12))
        return (yk_span){ -1.0, 1.0 };
    const double p = sin(a.lo), q = a.hi == a.lo ? p : sin(a.hi);
    if (a.hi == a.lo) return clip((yk_span){ p - noise, p + noise }, -1.0, 1.0);
    const yk_span s = { meets(a, -0.5 * pi) ? -1.0 : least(p, q) - noise,
                        meets(a, 0.5 * pi) ? 1.0 : most(p, q) + noise };
    return clip(s, -1.0, 1.0);
}

static yk_span cosine(yk_span a)
{
    return sine(add(a, (yk_span){ 0.5 * pi, 0.5 * pi }));
}

static yk_span even(double (*f)(double), yk_span a)
{
    const double p = f(a.lo), q = f(a.hi);

    return widen(has_zero(a) ? f(0.0) : least(p, q), most(p, q));
}

/* ---- Jets ---------------------------------------------------------------- */

void yk_jet_number(double value, int order, yk_jet *out)
{
    for (int k = 0; k <= order; k++) out->c[k] = (yk_span){ 0.0, 0.0 };
    out->c[0] = (yk_span){ value, value };
}

void yk_jet_time(double from, double to, int order, yk_jet *out)
{
    yk_jet_number(0.0, order, out);
    out->c[0] = (yk_span){ from, to };
    if (order > 0) out->c[1] = (yk_span){ 1.0, 1.0 };
}

static void held(yk_span value, int order, yk_jet *out)
{
    yk_jet_number(0.0, order, out);
    out->c[0] = value;
}

static void scaled(int order, double factor, const yk_jet *a, yk_jet *out)
{
    for (int k = 0; k <= order; k++) out->c[k] = scale(factor, a->c[k]);
}

static bool is_constant(int order, const yk_jet *a)
{
    for (int k = 1; k <= order; k++)
        if (!is_zero(a->c[k])) return false;
    return true;
}

static void product(int order, const yk_jet *a, const yk_jet *b, yk_jet *out)
{
    if (is_constant(order, a)) {
        for (int k = 0; k <= order; k++) out->c[k] = mul(a->c[0], b->c[k]);
        return;
    }
    if (is_constant(order, b)) {
        for (int k = 0; k <= order; k++) out->c[k] = mul(b->c[0], a->c[k]);
        return;
    }
    for (int k = 0; k <= order; k++) {
        yk_span sum = mul(a->c[0], b->c[k]);
        for (int j = 1; j <= k; j++) sum = add(sum, mul(a->c[j], b->c[k - j]));
        out->c[k] = sum;
    }
}

static void squared(int order, const yk_jet *a, yk_jet *out)
{
    out->c[0] = square(a->c[0]);
    for (int k = 1; k <= order; k++) {
        yk_span sum = { 0.0, 0.0 };
        for (int j = 0; 2 * j < k; j++)
            sum = add(sum, mul(a->c[j], a->c[k - j]));
        sum = scale(2.0, sum);
        out->c[k] = k % 2 ? sum : add(sum, square(a->c[k / 2]));
    }
}

static void quotient(int order, const yk_jet *a, const yk_jet *b, yk_jet *out)
{
    if (is_constant(order, b)) {
        for (int k = 0; k <= order; k++) out->c[k] = over(a->c[k], b->c[0]);
        return;
    }
    for (int k = 0; k <= order; k++) {
        yk_span top = a->c[k];
        for (int j = 0; j < k; j++) top = sub(top, mul(out->c[j], b->c[k - j]));
        out->c[k] = over(top, b->c[0]);
    }
}

/* k y_k = sum of j a_j z_(k-j): y' = a' z. */
static yk_span chained(int k, const yk_jet *a, const yk_jet *z)
{
    yk_span sum = { 0.0, 0.0 };

    for (int j = 1; j <= k; j++)
        if (!is_zero(a->c[j]))
            sum = add(sum, mul(scale((double)j, a->c[j]), z->c[k - j]));
    return scale(1.0 / k, sum);
}

/* The coefficients behind the first of y with d y' = a'. */
static void slanted(int order, const yk_jet *a, const yk_jet *d, yk_jet *out)
{
    for (int k = 1; k <= order; k++) {
        yk_span sum = scale((double)k, a->c[k]);
        for (int j = 1; j < k; j++)
            sum = sub(sum, mul(scale((double)j, out->c[j]), d->c[k - j]));
        out->c[k] = over(scale(1.0 / k, sum), d->c[0]);
    }
}

static void exponential(int order, const yk_jet *a, yk_jet *out)
{
    out->c[0] = rising(exp, a->c[0]);
    for (int k = 1; k <= order; k++) out->c[k] = chained(k, a, out);
}

static void logarithm(int order, const yk_jet *a, yk_jet *out)
{
    out->c[0] = rising(log, clip(a->c[0], 0.0, INFINITY));
    slanted(order, a, a, out);
}

/* Both of a pair with s' = a' c, c' = sign a' s. */
static void pair(int order, double sign, const yk_jet *a, yk_jet *s, yk_jet *c)
{
    for (int k = 1; k <= order; k++) {
        s->c[k] = chained(k, a, c);
        c->c[k] = scale(sign, chained(k, a, s));
    }
}

static void circle(int order, const yk_jet *a, yk_jet *s, yk_jet *c)
{
    s->c[0] = sine(a->c[0]);
    c->c[0] = cosine(a->c[0]);
    pair(order, -1.0, a, s, c);
}

static void hyperbola(int order, const yk_jet *a, yk_jet *s, yk_jet *c)
{
    s->c[0] = rising(sinh, a->c[0]);
    c->c[0] = even(cosh, a->c[0]);
    pair(order, 1.0, a, s, c);
}

static void root(int order, const yk_jet *a, yk_jet *out)
{
    out->c[0] = rising(sqrt, clip(a->c[0], 0.0, INFINITY));
    for (int k = 1; k <= order; k++) {
        yk_span sum = a->c[k];
        for (int j = 1; j < k; j++)
            sum = sub(sum, mul(out->c[j], out->c[k - j]));
        out->c[k] = over(sum, scale(2.0, out->c[0]));
    }
}

/* y' = a' w, w = 1 - y^2. */
static void hyperbolic_tangent(int order, const yk_jet *a, yk_jet *out)
{
    yk_jet w;

    out->c[0] = rising(tanh, a->c[0]);
    for (int k = 1; k <= order; k++) {
        squared(k - 1, out, &w);
        for (int j = 0; j < k; j++) w.c[j] = minus(w.c[j]);
        w.c[0] = clip(add((yk_span){ 1.0, 1.0 }, w.c[0]), 0.0, 1.0);
        out->c[k] = chained(k, a, &w);
    }
}

/* one + sign a^2, or its root. */
static void around_one(int order, double one, double sign, bool rooted,
                       const yk_jet *a, yk_jet *out)
{
    yk_jet d;

    squared(order, a, &d);
    for (int k = 0; k <= order; k++) d.c[k] = scale(sign, d.c[k]);
    d.c[0] = add((yk_span){ one, one }, d.c[0]);
    if (rooted)
        root(order, &d, out);
    else
        *out = d;
}

/* Inverse functions: d y' = a'. */
static void inverse(yk_op op, int order, const yk_jet *a, yk_jet *out)
{
    yk_jet d;

    switch (op) {
    case YK_OP_ATAN:
        out->c[0] = rising(atan, a->c[0]);
        around_one(order, 1.0, 1.0, false, a, &d);
        break;
    case YK_OP_ATANH:
        out->c[0] = rising(atanh, clip(a->c[0], -1.0, 1.0));
        around_one(order, 1.0, -1.0, false, a, &d);
        break;
    case YK_OP_ASINH:
        out->c[0] = rising(asinh, a->c[0]);
        around_one(order, 1.0, 1.0, true, a, &d);
        break;
    case YK_OP_ACOSH:
        out->c[0] = rising(acosh, clip(a->c[0], 1.0, INFINITY));
        around_one(order, -1.0, 1.0, true, a, &d);
        break;
    default:
        out->c[0] = rising(asin, clip(a->c[0], -1.0, 1.0));
        around_one(order, 1.0, -1.0, true, a, &d);
        break;
    }
    slanted(order, a, &d, out);
    if (op != YK_OP_ACOS) return;
    for (int k = 0; k <= order; k++) out->c[k] = minus(out->c[k]);
    out->c[0] = add((yk_span){ 0.5 * pi, 0.5 * pi }, out->c[0]);
}

/* x^n of all x in a; of those that are not negative if n is not whole. */
static yk_span powers(yk_span a, double n)
{
    const bool whole = n == floor(n), odd = whole && fmod(n, 2.0) != 0.0;

    if (n == 0.0) return (yk_span){ 1.0, 1.0 };
    if (!whole) a = clip(a, 0.0, INFINITY);
    if (n < 0.0 && whole && has_zero(a)) return everything;
    const double p = pow(a.lo, n), q = pow(a.hi, n);
    return widen(has_zero(a) && !odd && n > 0.0 ? 0.0 : least(p, q),
                 most(p, q));
}

/* f(a(t)), of whose f the Taylor coefficients are f[0 ... order]. */
static void composed(int order, const yk_span *f, const yk_jet *a, yk_jet *out)
{
    yk_jet up = *a; /* (a(t) - a)^j, from t^j on */

    up.c[0] = (yk_span){ 0.0, 0.0 };
    out->c[0] = f[0];
    for (int k = 1; k <= order; k++) out->c[k] = mul(f[1], up.c[k]);
    for (int j = 2; j <= order; j++) {
        for (int k = order; k >= j; k--) {
            yk_span sum = { 0.0, 0.0 };
            for (int i = 1; i <= k - j + 1; i++)
                sum = add(sum, mul(a->c[i], up.c[k - i]));
            up.c[k] = j == 2 && k == 2 ? square(a->c[1]) : sum;
            out->c[k] = add(out->c[k], mul(f[j], up.c[k]));
        }
    }
}

static void constant_power(int order, const yk_jet *a, double n, yk_jet *out)
{
    yk_span f[YK_JET_ORDER + 1];
    double choose = 1.0;

    for (int j = 0; j <= order; j++) {
        f[j] = choose == 0.0 ? (yk_span){ 0.0, 0.0 }
                             : scale(choose, powers(a->c[0], n - j));
        choose *= (n - j) / (j + 1);
    }
    composed(order, f, a, out);
}

static void power(int order, const yk_jet *a, const yk_jet *b, yk_jet *out)
{
    yk_jet log_of, up;

    if (b->c[0].lo == b->c[0].hi && is_constant(order, b)) {
        if (b->c[0].lo == 2.0)
            squared(order, a, out);
        else
            constant_power(order, a, b->c[0].lo, out);
        return;
    }
    logarithm(order, a, &log_of);
    product(order, b, &log_of, &up);
    exponential(order, &up, out);
}

static yk_span angle_of(yk_span y, yk_span x)
{
    const double p = atan2(y.lo, x.lo), q = atan2(y.lo, x.hi);
    const double r = atan2(y.hi, x.lo), s = atan2(y.hi, x.hi);

    /* The box has the origin or the cut in it, or touches them. */
    if (has_zero(y) && x.lo <= 0.0) return (yk_span){ -pi, pi };
    return widen(least(least(p, q), least(r, s)), most(most(p, q), most(r, s)));
}

/* The angle z of (x, y): (x^2 + y^2) z' = x y' - y x'. */
static void angle(int order, const yk_jet *y, const yk_jet *x, yk_jet *out)
{
    yk_jet d, e;

    squared(order, x, &d);
    squared(order, y, &e);
    out->c[0] = angle_of(y->c[0], x->c[0]);
    for (int k = 1; k <= order; k++) {
        yk_span sum = { 0.0, 0.0 };
        d.c[k - 1] = add(d.c[k - 1], e.c[k - 1]);
        for (int j = 1; j <= k; j++) {
            sum = add(sum, mul(x->c[k - j], scale((double)j, y->c[j])));
            sum = sub(sum, mul(y->c[k - j], scale((double)j, x->c[j])));
        }
        for (int j = 1; j < k; j++)
            sum = sub(sum, mul(scale((double)j, out->c[j]), d.c[k - j]));
        out->c[k] = over(scale(1.0 / k, sum), d.c[0]);
    }
}

/* ---- Branches ------------------------------------------------------------ */

static void both(int order, const yk_jet *a, const yk_jet *b, yk_jet *out)
{
    for (int k = 0; k <= order; k++) out->c[k] = hull(a->c[k], b->c[k]);
}

static void absolute(int order, const yk_jet *a, yk_jet *out)
{
    yk_jet other;

    for (int k = 0; k <= order; k++) other.c[k] = minus(a->c[k]);
    if (a->c[0].lo >= 0.0) {
        *out = *a;
    } else if (a->c[0].hi <= 0.0) {
        *out = other;
    } else {
        both(order, a, &other, out);
        out->c[0].lo = 0.0;
    }
}

static void smaller(int order, const yk_jet *a, const yk_jet *b, yk_jet *out)
{
    if (a->c[0].hi < b->c[0].lo) {
        *out = *a;
    } else if (b->c[0].hi < a->c[0].lo) {
        *out = *b;
    } else {
        both(order, a, b, out);
        out->c[0].hi = least(a->c[0].hi, b->c[0].hi);
    }
}

static void larger(int order, const yk_jet *a, const yk_jet *b, yk_jet *out)
{
    if (a->c[0].lo > b->c[0].hi) {
        *out = *a;
    } else if (b->c[0].lo > a->c[0].hi) {
        *out = *b;
    } else {
        both(order, a, b, out);
        out->c[0].lo = most(a->c[0].lo, b->c[0].lo);
    }
}

static double sign_of(double a)
{
    return (a > 0.0) - (a < 0.0);
}

/* Of constant pieces. */
static yk_span stepped(yk_op op, yk_span a, yk_span b)
{
    switch (op) {
    case YK_OP_LESS:
    case YK_OP_LESS_EQUAL: /* they differ at an instant */
        return (yk_span){ a.hi < b.lo, !(a.lo > b.hi) };
    case YK_OP_EQUAL:
        return (yk_span){ a.lo == b.hi && a.hi == b.lo,
                          a.lo <= b.hi && b.lo <= a.hi };
    case YK_OP_AND:
        return (yk_span){ a.lo > 0.5 && b.lo > 0.5, a.hi > 0.5 && b.hi > 0.5 };
    case YK_OP_OR:
        return (yk_span){ a.lo > 0.5 || b.lo > 0.5, a.hi > 0.5 || b.hi > 0.5 };
    case YK_OP_NOT:
        return (yk_span){ !(a.hi > 0.5), !(a.lo > 0.5) };
    case YK_OP_SIGN:
        return (yk_span){ sign_of(a.lo), sign_of(a.hi) };
    case YK_OP_FLOOR:
        return (yk_span){ floor(a.lo), floor(a.hi) };
    case YK_OP_CEIL:
        return (yk_span){ ceil(a.lo), ceil(a.hi) };
    case YK_OP_TRUNC:
        return (yk_span){ trunc(a.lo), trunc(a.hi) };
    case YK_OP_ROUND:
        return (yk_span){ nearbyint(a.lo), nearbyint(a.hi) };
    default:
        return everything;
    }
}

static void select_one(int order, const yk_jet *a, const yk_jet *b,
                       const yk_jet *c, yk_jet *out)
{
    if (a->c[0].lo > 0.5)
        *out = *b;
    else if (!(a->c[0].hi > 0.5))
        *out = *c;
    else
        both(order, b, c, out);
}

/* sgn(a) |a|^b */
static void signed_power(int order, const yk_jet *a, const yk_jet *b,
                         yk_jet *out)
{
    yk_jet size, up, sign;

    absolute(order, a, &size);
    power(order, &size, b, &up);
    held(stepped(YK_OP_SIGN, a->c[0], a->c[0]), order, &sign);
    product(order, &sign, &up, out);
}

/* ---- Tables -------------------------------------------------------------- */

/* The line through points i and i + 1, over a, which lies in it. */
static void line(const double *p, yk_span a, yk_span *value, double *slope)
{
    const double rise = (p[3] - p[1]) / (p[2] - p[0]);

    *slope = rise;
    *value =
        widen(least(p[1] + rise * (a.lo - p[0]), p[1] + rise * (a.hi - p[0])),
              most(p[1] + rise * (a.lo - p[0]), p[1] + rise * (a.hi - p[0])));
}

static double end_of(bool onward, double there, double beyond)
{
    return onward ? beyond : there;
}

void yk_jet_look_up(yk_op op, const double *p, int rows, int order,
                    const yk_jet *a, yk_jet *out)
{
    const bool onward = op == YK_OP_LINES;
    const double first = p[0], last = p[2 * rows - 2];
    const yk_span low = { p[1], p[1] };
    const yk_span high = { p[2 * rows - 1], p[2 * rows - 1] };
    yk_span value = { INFINITY, -INFINITY }, slope = value, one;
    double rise;

    if (!yk_jet_knows(op)) {
        for (int k = 0; k <= order; k++) out->c[k] = everything;
        return;
    }
    if (!onward && (a->c[0].lo < first || a->c[0].hi > last)) {
        if (a->c[0].lo < first) value = hull(value, low);
        if (a->c[0].hi > last) value = hull(value, high);
        slope = (yk_span){ 0.0, 0.0 };
    }
    for (int i = 0; i + 1 < rows; i++) {
        const double from = end_of(i == 0 && onward, p[2 * i], -INFINITY);
        const double to =
            end_of(i + 2 == rows && onward, p[2 * i + 2], INFINITY);
        const yk_span in = { most(a->c[0].lo, from), least(a->c[0].hi, to) };
        if (!(in.lo <= in.hi) || !(p[2 * i + 2] > p[2 * i])) continue;
        line(p + 2 * i, in, &one, &rise);
        value = hull(value, one);
        slope = hull(slope, (yk_span){ rise, rise });
    }
    out->c[0] = widen(value.lo, value.hi);
    for (int k = 1; k <= order; k++) out->c[k] = mul(slope, a->c[k]);
}

void yk_jet_held_table(yk_op op, const double *p, int rows, double branch,
                       int order, const yk_jet *a, yk_jet *out)
{
    const bool before = branch<1.0, behind = branch> rows - 1.0;
    const bool onward = op == YK_OP_LINES;
    int piece = before ? 0 : behind ? rows - 2 : (int)branch - 1;

    if (!yk_jet_knows(op)) {
        yk_jet_look_up(op, p, rows, order, a, out);
    } else if (rows < 2 || ((before || behind) && !onward)) {
        yk_jet_number(before ? p[1] : p[2 * rows - 1], order, out);
    } else {
        double rise;
        line(p + 2 * piece, a->c[0], &out->c[0], &rise);
        for (int k = 1; k <= order; k++) out->c[k] = scale(rise, a->c[k]);
    }
}

/* ---- One operation ------------------------------------------------------- */

static void trigonometric(yk_op op, int order, const yk_jet *a, yk_jet *out)
{
    yk_jet s, c;

    if (order == 0 && op == YK_OP_SIN) {
        out->c[0] = sine(a->c[0]);
        return;
    }
    if (order == 0 && op == YK_OP_COS) {
        out->c[0] = cosine(a->c[0]);
        return;
    }
    if (op == YK_OP_SINH || op == YK_OP_COSH)
        hyperbola(order, a, &s, &c);
    else
        circle(order, a, &s, &c);
    if (op == YK_OP_SIN || op == YK_OP_SINH)
        *out = s;
    else if (op == YK_OP_TAN)
        quotient(order, &s, &c, out);
    else
        *out = c;
    if (op == YK_OP_TAN && !has_zero(c.c[0])) /* no pole: it rises */
        out->c[0] = rising(tan, a->c[0]);
}

static void apply_one(yk_op op, int order, const yk_jet *a, yk_jet *out)
{
    switch (op) {
    case YK_OP_NEGATE:
        scaled(order, -1.0, a, out);
        break;
    case YK_OP_ABS:
        absolute(order, a, out);
        break;
    case YK_OP_SQRT:
        root(order, a, out);
        break;
    case YK_OP_EXP:
        exponential(order, a, out);
        break;
    case YK_OP_LOG:
        logarithm(order, a, out);
        break;
    case YK_OP_LOG10:
        logarithm(order, a, out);
        scaled(order, 1.0 / log(10.0), out, out);
        break;
    case YK_OP_TANH:
        hyperbolic_tangent(order, a, out);
        break;
    case YK_OP_SIN:
    case YK_OP_COS:
    case YK_OP_TAN:
    case YK_OP_SINH:
    case YK_OP_COSH:
        trigonometric(op, order, a, out);
        break;
    case YK_OP_ASIN:
    case YK_OP_ACOS:
    case YK_OP_ATAN:
    case YK_OP_ASINH:
    case YK_OP_ACOSH:
    case YK_OP_ATANH:
        inverse(op, order, a, out);
        break;
    default:
        held(stepped(op, a->c[0], a->c[0]), order, out);
    }
}

void yk_jet_apply(yk_op op, int order, const yk_jet *a, const yk_jet *b,
                  const yk_jet *c, yk_jet *out)
{
    switch (op) {
    case YK_OP_ADD:
        for (int k = 0; k <= order; k++) out->c[k] = add(a->c[k], b->c[k]);
        break;
    case YK_OP_SUBTRACT:
        for (int k = 0; k <= order; k++) out->c[k] = sub(a->c[k], b->c[k]);
        break;
    case YK_OP_MULTIPLY:
        if (a == b)
            squared(order, a, out);
        else
            product(order, a, b, out);
        break;
    case YK_OP_DIVIDE:
    case YK_OP_SAFE_DIVIDE:
        quotient(order, a, b, out);
        break;
    case YK_OP_POWER:
        power(order, a, b, out);
        break;
    case YK_OP_SIGN_POWER:
        signed_power(order, a, b, out);
        break;
    case YK_OP_ATAN2:
        angle(order, a, b, out);
        break;
    case YK_OP_MIN:
        smaller(order, a, b, out);
        break;
    case YK_OP_MAX:
        larger(order, a, b, out);
        break;
    case YK_OP_LESS:
    case YK_OP_LESS_EQUAL:
    case YK_OP_EQUAL:
    case YK_OP_AND:
    case YK_OP_OR:
        held(stepped(op, a->c[0], b->c[0]), order, out);
        break;
    case YK_OP_IF:
        select_one(order, a, b, c, out);
        break;
    default:
        apply_one(op, order, a, out);
    }
}

bool yk_jet_knows(yk_op op)
{
    return op != YK_OP_ROUNDED && op != YK_OP_SLOPE && op != YK_OP_HOLD &&
           (op <= YK_OP_VARIABLE || yk_op_operands(op) > 0);
}

void yk_jet_held(yk_op op, double branch, int order, const yk_jet *a,
                 const yk_jet *b, const yk_jet *c, yk_jet *out)
{
    switch (op) {
    case YK_OP_ABS:
        scaled(order, branch, a, out);
        break;
    case YK_OP_MIN:
    case YK_OP_MAX:
        *out = branch != 0.0 ? *a : *b;
        break;
    case YK_OP_ATAN2:
    case YK_OP_SIGN_POWER:
        yk_jet_apply(op, order, a, b, c, out);
        break;
    default:
        if (yk_op_corner(op) == YK_SMOOTH)
            yk_jet_apply(op, order, a, b, c, out);
        else
            yk_jet_number(branch, order, out);
    }
}
