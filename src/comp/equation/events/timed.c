/* comp/equation/events/timed.c -- when a function of time alone is not smooth.
 *
 * Breaks are found one after the other.  From a break t0 on all functions are
 * smooth until the next one, so what is affine there (most are: time, mod(time,
 * T), their sums and multiples) crosses zero where a line does.  For the others
 * the interval ahead is cut into halves, the left one first, until an enclosure
 * of phi by interval arithmetic does not contain zero, or one of phi' does not:
 * then phi is monotone and its root is bracketed.  So no pulse is too narrow to
 * be found.
 *
 * How far ahead: twice as far each time nothing is found, as long as that takes
 * no more than MOST_LOOKS enclosures in all.
 */
#include "comp/equation/events/timed.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_LOOKS = 20000, MOST_KEPT = 4096, DOUBLINGS = 200, DEPTH = 48 };

void yk_timing_free(yk_timing *all)
{
    for (int i = 0; i < all->count; i++) yk_free(all->timed[i].step);
    yk_free(all->timed);
    yk_free(all->brk);
    yk_free(all->value);
    yk_free(all->range);
    *all = (yk_timing){ 0 };
}

yoke_status yk_timing_add(yk_timing *all, const yk_timed *t, yoke_err *err)
{
    const yoke_status status =
        yk_grow((void **)&all->timed, &all->room, (size_t)all->count + 1,
                sizeof *all->timed, err);
    if (status != YOKE_OK) {
        yk_free(t->step);
        return status;
    }
    all->timed[all->count++] = *t;
    if (t->length > all->longest) all->longest = t->length;
    return YOKE_OK;
}

yoke_status yk_timing_finish(yk_timing *all, yoke_err *err)
{
    all->begin = all->end = NAN;
    if (all->count == 0) return YOKE_OK;
    YK_TRY(yk_grow((void **)&all->brk, &all->break_room, MOST_KEPT,
                   sizeof *all->brk, err));
    YK_TRY(yk_doubles(&all->value, (size_t)all->longest, err));
    return YK_NEW(&all->range, all->longest, err);
}

/* ---- Values ---------------------------------------------------------------
 */

static double evaluate(const yk_timing *all, const yk_timed *f, double t,
                       int place)
{
    double *v = all->value;

    for (int i = 0; i <= place; i++) {
        const yk_timed_step *s = &f->step[i];
        if (s->op == YK_OP_NUMBER)
            v[i] = s->number;
        else if (s->op == YK_OP_TIME)
            v[i] = t;
        else if (s->op == YK_OP_INTERPOLATE)
            v[i] = yk_interpolate(s->table, s->rows, v[s->a]);
        else if (s->op == YK_OP_SLOPE)
            v[i] = yk_slope(s->table, s->rows, v[s->a]);
        else
            v[i] = yk_apply(s->op, v[s->a], s->b < 0 ? 0.0 : v[s->b],
                            s->c < 0 ? 0.0 : v[s->c]);
    }
    return v[place];
}

/* ---- Enclosures ------------------------------------------------------------
 */

static void set(double out[2], double least, double most)
{
    const double slack = 4.0 * DBL_EPSILON;

    if (!(least <= most)) { /* not a number, or turned round */
        least = -INFINITY;
        most = INFINITY;
    }
    out[0] = least - slack * fabs(least);
    out[1] = most + slack * fabs(most);
}

static double product(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

static void enclose_product(const double a[2], const double b[2], double out[2])
{
    const double p[4] = { product(a[0], b[0]), product(a[0], b[1]),
                          product(a[1], b[0]), product(a[1], b[1]) };

    set(out, fmin(fmin(p[0], p[1]), fmin(p[2], p[3])),
        fmax(fmax(p[0], p[1]), fmax(p[2], p[3])));
}

static void enclose_quotient(const double a[2], const double b[2],
                             double out[2])
{
    if (b[0] <= 0.0 && b[1] >= 0.0) {
        set(out, -INFINITY, INFINITY);
        return;
    }
    const double inverse[2] = { 1.0 / b[1], 1.0 / b[0] };
    enclose_product(a, inverse, out);
}

/* sin over [a, b]: is there a top pi/2 + 2 pi k in it, a bottom? */
static void enclose_sine(double a, double b, double out[2])
{
    static const double turn = 6.283185307179586;

    if (!(b - a < turn) || !(fabs(a) < 1e9)) {
        set(out, -1.0, 1.0);
        return;
    }
    const bool top =
        floor((b - 0.25 * turn) / turn) > floor((a - 0.25 * turn) / turn);
    const bool bottom =
        floor((b + 0.25 * turn) / turn) > floor((a + 0.25 * turn) / turn);
    set(out, bottom ? -1.0 : fmin(sin(a), sin(b)),
        top ? 1.0 : fmax(sin(a), sin(b)));
}

static void enclose_power(const double a[2], const double b[2], double out[2])
{
    const double n = b[0] + 4.0 * DBL_EPSILON * fabs(b[0]);

    if (a[0] > 0.0) {
        const double p[4] = { pow(a[0], b[0]), pow(a[0], b[1]), pow(a[1], b[0]),
                              pow(a[1], b[1]) };
        set(out, fmin(fmin(p[0], p[1]), fmin(p[2], p[3])),
            fmax(fmax(p[0], p[1]), fmax(p[2], p[3])));
    } else if (rint(n) > 0.0 && fabs(n - rint(n)) < 1e-12 &&
               b[1] - b[0] < 1e-12) {
        const double whole = rint(n);
        const double p = pow(a[0], whole), q = pow(a[1], whole);
        const bool even = fmod(whole, 2.0) == 0.0;
        set(out, even ? (a[1] >= 0.0 ? 0.0 : q) : p, even ? fmax(p, q) : q);
    } else
        set(out, -INFINITY, INFINITY);
}

static void enclose_table(const yk_timed_step *s, const double a[2],
                          double out[2])
{
    double least = yk_interpolate(s->table, s->rows, a[0]), most = least;
    const double end = yk_interpolate(s->table, s->rows, a[1]);

    least = fmin(least, end);
    most = fmax(most, end);
    for (int r = 0; r < s->rows; r++) {
        if (s->table[2 * r] < a[0] || s->table[2 * r] > a[1]) continue;
        least = fmin(least, s->table[2 * r + 1]);
        most = fmax(most, s->table[2 * r + 1]);
    }
    set(out, least, most);
}

/* Functions that rise. */
static bool rises(int op)
{
    return op == YK_OP_EXP || op == YK_OP_ATAN || op == YK_OP_SINH ||
           op == YK_OP_TANH || op == YK_OP_FLOOR || op == YK_OP_CEIL ||
           op == YK_OP_SIGN || op == YK_OP_ASIN || op == YK_OP_SQRT ||
           op == YK_OP_LOG || op == YK_OP_LOG10;
}

static void enclose_function(int op, const double a[2], double out[2])
{
    const double away = fmax(fabs(a[0]), fabs(a[1]));
    const double near =
        a[0] <= 0.0 && a[1] >= 0.0 ? 0.0 : fmin(fabs(a[0]), fabs(a[1]));

    if (rises(op))
        set(out, yk_apply(op, a[0], 0.0, 0.0), yk_apply(op, a[1], 0.0, 0.0));
    else if (op == YK_OP_NEGATE)
        set(out, -a[1], -a[0]);
    else if (op == YK_OP_ABS)
        set(out, near, away);
    else if (op == YK_OP_COSH)
        set(out, cosh(near), cosh(away));
    else if (op == YK_OP_ACOS)
        set(out, acos(a[1]), acos(a[0]));
    else if (op == YK_OP_SIN)
        enclose_sine(a[0], a[1], out);
    else if (op == YK_OP_COS)
        enclose_sine(a[0] + 1.5707963267948966, a[1] + 1.5707963267948966, out);
    else
        set(out, -INFINITY, INFINITY);
}

static void enclose_choice(const double c[2], const double a[2],
                           const double b[2], double out[2])
{
    const bool yes = c[1] > 0.5, no = !(c[0] > 0.5);

    set(out,
        yes && no ? fmin(a[0], b[0])
        : yes     ? a[0]
                  : b[0],
        yes && no ? fmax(a[1], b[1])
        : yes     ? a[1]
                  : b[1]);
}

static void enclose_two(int op, const double a[2], const double b[2],
                        double out[2])
{
    switch (op) {
    case YK_OP_ADD:
        set(out, a[0] + b[0], a[1] + b[1]);
        break;
    case YK_OP_SUBTRACT:
        set(out, a[0] - b[1], a[1] - b[0]);
        break;
    case YK_OP_MULTIPLY:
        enclose_product(a, b, out);
        break;
    case YK_OP_DIVIDE:
        enclose_quotient(a, b, out);
        break;
    case YK_OP_POWER:
        enclose_power(a, b, out);
        break;
    case YK_OP_MIN:
        set(out, fmin(a[0], b[0]), fmin(a[1], b[1]));
        break;
    case YK_OP_MAX:
        set(out, fmax(a[0], b[0]), fmax(a[1], b[1]));
        break;
    case YK_OP_LESS:
    case YK_OP_LESS_EQUAL:
        set(out, a[1] < b[0] ? 1.0 : 0.0, a[0] > b[1] ? 0.0 : 1.0);
        break;
    case YK_OP_AND:
        set(out, fmin(a[0], b[0]), fmin(a[1], b[1]));
        break;
    case YK_OP_OR:
        set(out, fmax(a[0], b[0]), fmax(a[1], b[1]));
        break;
    default:
        set(out, -INFINITY, INFINITY);
    }
}

/* Of all steps up to `place` over [from, to]. */
static void enclose(const yk_timing *all, const yk_timed *f, double from,
                    double to, int place)
{
    double(*r)[2] = all->range;

    for (int i = 0; i <= place; i++) {
        const yk_timed_step *s = &f->step[i];
        if (s->op == YK_OP_NUMBER) {
            r[i][0] = r[i][1] = s->number;
        } else if (s->op == YK_OP_TIME) {
            r[i][0] = from;
            r[i][1] = to;
        } else if (s->op == YK_OP_INTERPOLATE) {
            enclose_table(s, r[s->a], r[i]);
        } else if (s->op == YK_OP_NOT) {
            set(r[i], 1.0 - r[s->a][1], 1.0 - r[s->a][0]);
        } else if (s->op == YK_OP_IF) {
            enclose_choice(r[s->a], r[s->b], r[s->c], r[i]);
        } else if (s->b < 0) {
            enclose_function(s->op, r[s->a], r[i]);
        } else {
            enclose_two(s->op, r[s->a], r[s->b], r[i]);
        }
    }
}

/* ---- Roots ----------------------------------------------------------------
 */

typedef struct search {
    yk_timing *all;
    const yk_timed *f;
    double level; /* phi crosses this */
    int *looks;
} search;

static double above(const search *s, double t)
{
    return evaluate(s->all, s->f, t, s->f->value) - s->level;
}

static double bisect(const search *s, double a, double b)
{
    const bool up = above(s, b) > 0.0;

    while (b - a > 2.0 * DBL_EPSILON * fabs(b) && b - a > DBL_MIN) {
        const double m = 0.5 * (a + b);
        if (m <= a || m >= b) break;
        if ((above(s, m) > 0.0) == up)
            b = m;
        else
            a = m;
    }
    return b;
}

/* The first crossing in (a, b]; INFINITY: none; NAN: too much work. */
static double find_root(const search *s, double a, double b, int depth)
{
    const double(*r)[2] = (const double(*)[2])s->all->range;
    const yk_timed *f = s->f;

    if (++*s->looks > MOST_LOOKS) return NAN;
    enclose(s->all, f, a, b, f->rate > f->value ? f->rate : f->value);
    if (r[f->value][0] > s->level || r[f->value][1] < s->level) return INFINITY;
    const bool monotone = r[f->rate][0] > 0.0 || r[f->rate][1] < 0.0;
    if (monotone || depth == DEPTH) {
        const double begin = above(s, a), end = above(s, b);
        return (begin > 0.0) != (end > 0.0) && begin != 0.0 ? bisect(s, a, b)
                                                            : INFINITY;
    }
    const double middle = 0.5 * (a + b);
    const double first = find_root(s, a, middle, depth + 1);
    return first < INFINITY || isnan(first)
               ? first
               : find_root(s, middle, b, depth + 1);
}

/* Levels that phi may cross next, below and above its value. */
static int levels(const yk_timed *f, double phi, double out[2])
{
    int count = 0;

    if (f->kind == YK_TIMED_ROOT) {
        out[0] = 0.0;
        return 1;
    }
    if (f->kind == YK_TIMED_FLOOR) {
        out[0] = floor(phi) < phi ? floor(phi) : phi - 1.0;
        out[1] = floor(phi) + 1.0;
        return 2;
    }
    for (int r = 0; r < f->rows; r++)
        if (f->table[2 * r] < phi) out[0] = f->table[2 * r], count = 1;
    for (int r = f->rows - 1; r >= 0; r--)
        if (f->table[2 * r] > phi) out[count] = f->table[2 * r];
    return f->table[2 * f->rows - 2] > phi ? count + 1 : count;
}

/* The first crossing of f in (t, limit]. */
static double next_of(yk_timing *all, const yk_timed *f, double t, double limit,
                      int *looks)
{
    search s = { all, f, 0.0, looks };
    double level[2], first = INFINITY;

    if (!isnan(f->exact)) return f->exact > t ? f->exact : INFINITY;
    const double phi = evaluate(all, f, t, f->value);
    const double slope = evaluate(all, f, t, f->rate);
    const int count = levels(f, phi, level);
    for (int i = 0; i < count; i++) {
        double at;
        s.level = level[i];
        if (f->affine) {
            at = t + (level[i] - phi) / slope;
            if (!(at > t) || !isfinite(at)) continue;
        } else {
            at = find_root(&s, t, fmin(limit, first), 0);
            if (isnan(at)) return NAN;
        }
        first = fmin(first, at);
    }
    return first;
}

/* ---- One after the other --------------------------------------------------
 */

static double spacing(double t)
{
    return 64.0 * DBL_EPSILON * fabs(t) + 1e-290;
}

static void keep(yk_timing *all, double t)
{
    if (all->breaks == MOST_KEPT) { /* forgets the older half */
        all->begin = all->brk[MOST_KEPT / 2 - 1];
        all->breaks -= MOST_KEPT / 2;
        memmove(all->brk, all->brk + MOST_KEPT / 2,
                (size_t)all->breaks * sizeof *all->brk);
    }
    all->brk[all->breaks++] = t;
}

/* Looks from all->end on, up to `span` ahead; moves it to the next break, which
 * is kept, or to the end of the span.  False: it took too long. */
static bool look_ahead(yk_timing *all, double span, int *looks, bool *found)
{
    const double from = all->end + spacing(all->end), limit = from + span;
    double first = INFINITY;

    *found = false;
    for (int affine = 1; affine >= 0; affine--)
        for (int i = 0; i < all->count; i++) {
            const yk_timed *f = &all->timed[i];
            if ((f->affine || !isnan(f->exact)) != (affine == 1)) continue;
            const double at = next_of(all, f, from, fmin(first, limit), looks);
            if (isnan(at)) return false;
            first = fmin(first, at);
        }
    *found = first <= limit;
    all->end = fmin(first, limit);
    if (*found) keep(all, first);
    return true;
}

static bool is_simple(const yk_timing *all)
{
    for (int i = 0; i < all->count; i++)
        if (!all->timed[i].affine && isnan(all->timed[i].exact)) return false;
    return true;
}

/* The first of those kept after t, or INFINITY. */
static double kept_after(const yk_timing *all, double t)
{
    int low = 0, high = all->breaks;

    while (low < high) {
        const int middle = (low + high) / 2;
        if (all->brk[middle] > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low < all->breaks ? all->brk[low] : INFINITY;
}

/* One that is too hard is left to the search for events. */
static void give_up(yk_timing *all, double from, double limit)
{
    for (int i = 0; i < all->count; i++) {
        int looks = 0;
        yk_timed *f = &all->timed[i];
        if (isnan(next_of(all, f, from, limit, &looks))) f->exact = -INFINITY;
    }
}

/* The same for shorter and shorter spans if it takes too long. */
static bool move_on(yk_timing *all, double *span)
{
    enum { TRIES = 4 };
    bool found = false;

    for (int i = 0; i < TRIES; i++, *span /= 64.0) {
        int looks = 0;
        if (look_ahead(all, *span, &looks, &found)) return found;
    }
    give_up(all, all->end, all->end + *span);
    return false;
}

double yk_timing_next(yk_timing *all, double t)
{
    const double hint = fmax(1.0, 0.01 * fabs(t));
    double span = hint;

    if (all->count == 0) return INFINITY;
    if (!(t >= all->begin)) {
        all->begin = all->end = t - 1e4 * spacing(t);
        all->breaks = 0;
    }
    if (is_simple(all)) span = INFINITY;
    for (int i = 0; i < DOUBLINGS; i++) {
        const double next = kept_after(all, t), before = all->end;
        if (next < INFINITY) return next;
        const bool found = move_on(all, &span);
        if (all->end == INFINITY) {
            all->end = fmax(before, t);
            return INFINITY;
        }
        /* It is hard to see farther: so far there is nothing. */
        if (!found && span < hint && all->end > t) return all->end;
        if (!found) span *= 2.0;
    }
    return INFINITY;
}
