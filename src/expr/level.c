/* expr/level.c -- where a function of time first meets a level.
 *
 *     straight   the instant follows in closed form, also that of the next
 *                period of mod or floor;
 *     otherwise  the stretch is halved until bounds of g or of g' say that
 *                there is no level in it, or one at most.  That is a proof,
 *                not a scan: no instant is passed over, however narrow the
 *                pulse, down to the roundings of g.
 *
 * Reference: Moore, Kearfott, Cloud, Introduction to Interval Analysis,
 * chapters 5 and 8.
 */
#include "expr/level.h"

#include "expr/table.h"

#include <float.h>
#include <math.h>

enum {
    MOST_LOOKS = 20000, /* bounds of one search; then it goes on from there */
    DEEPEST = 512       /* halvings */
};

/* The longest stretch that is looked at, in s or times t. */
static const double farthest = 1e12;

/* ---- what a switch watches ------------------------------------------------
 */

static void evaluate(yk_watch *w, const yk_trigger *g, double t)
{
    for (int k = g->first; k < g->first + g->count; k++) {
        const int i = w->list[k];
        w->value[i] =
            yk_expr_held_value(&w->all.step[i], t, w->held[i], w->value);
    }
}

static double value_at(yk_watch *w, const yk_trigger *g, double t)
{
    const yk_expr_step *s = &w->all.step[g->step];

    evaluate(w, g, t);
    return yk_expr_watched(s, w->value[s->a], w->value[s->b]);
}

static yk_jet bound_on(yk_watch *w, const yk_trigger *g, double lo, double hi)
{
    const yk_expr_step *s = &w->all.step[g->step];
    yk_jet out;

    w->looks++;
    for (int k = g->first; k < g->first + g->count; k++) {
        const int i = w->list[k];
        yk_expr_held_jet(&w->all.step[i], lo, hi, w->held[i], 1, w->bound,
                         &w->bound[i]);
    }
    if (yk_op_corner(s->op) != YK_AT_EQUAL) return w->bound[s->a];
    yk_jet_apply(YK_OP_SUBTRACT, 1, &w->bound[s->a], &w->bound[s->b], NULL,
                 &out);
    return out;
}

/* ---- levels -------------------------------------------------------------- */

static double shift_of(const yk_expr_step *s)
{
    return yk_op_corner(s->op) == YK_AT_HALF ? 0.5 : 0.0;
}

/* How many points of the table lie below v. */
static int rows_below(const yk_expr_step *s, double v)
{
    return yk_table_count(s->op, s->table, s->arg, v, false);
}

/* Between which levels v lies. */
static double place_of(const yk_expr_step *s, double v)
{
    switch (yk_op_corner(s->op)) {
    case YK_AT_WHOLE:
    case YK_AT_HALF:
        return floor(v - shift_of(s));
    case YK_AT_ROWS:
        return rows_below(s, v);
    default:
        return v > 0.0;
    }
}

static bool has_level(const yk_expr_step *s, yk_span r)
{
    if (isnan(r.lo) || isnan(r.hi)) return true;
    switch (yk_op_corner(s->op)) {
    case YK_AT_WHOLE:
    case YK_AT_HALF:
        return ceil(r.lo - shift_of(s)) <= r.hi - shift_of(s);
    case YK_AT_ROWS: {
        const int first = rows_below(s, r.lo);
        return first < yk_table_levels(s->op, s->arg) &&
               yk_table_level(s->op, s->table, s->arg, first) <= r.hi;
    }
    default:
        return r.lo <= 0.0 && r.hi >= 0.0;
    }
}

/* The first level behind v; NAN: there is none. */
static double level_behind(const yk_expr_step *s, double v, bool rising)
{
    const double shift = shift_of(s);
    const int rows = yk_table_levels(s->op, s->arg);
    int row;

    switch (yk_op_corner(s->op)) {
    case YK_AT_WHOLE:
    case YK_AT_HALF:
        return rising ? floor(v - shift) + 1.0 + shift
                      : ceil(v - shift) - 1.0 + shift;
    case YK_AT_ROWS:
        row = rows_below(s, v) - (rising ? 0 : 1);
        if (rising && row < rows &&
            yk_table_level(s->op, s->table, s->arg, row) == v)
            row++;
        return row >= 0 && row < rows
                   ? yk_table_level(s->op, s->table, s->arg, row)
                   : NAN;
    default:
        return (rising ? v < 0.0 : v > 0.0) ? 0.0 : NAN;
    }
}

/* ---- straight functions ---------------------------------------------------
 */

double yk_level_rounding(double t)
{
    return 4.0 * DBL_EPSILON * fabs(t);
}

/* With its branches held g is one line, also beyond the piece. */
static double find_straight(yk_watch *w, const yk_trigger *g, double t)
{
    const yk_expr_step *s = &w->all.step[g->step];
    const double other = t + fmax(1.0, fabs(t));
    const double v = value_at(w, g, t);
    const double slope = (value_at(w, g, other) - v) / (other - t);
    double level = v, root = INFINITY;

    if (!isfinite(v) || !isfinite(slope) || slope == 0.0) return INFINITY;
    for (int tries = 0; tries < 3; tries++) {
        level = level_behind(s, level, slope > 0.0);
        if (isnan(level)) return INFINITY;
        root = t + (level - v) / slope;
        for (int k = 0; k < 2; k++) /* rounding */
            if (isfinite(root)) root -= (value_at(w, g, root) - level) / slope;
        if (root > t + yk_level_rounding(t)) return root;
    }
    return INFINITY;
}

/* ---- other functions ------------------------------------------------------
 */

/* The search for the first level of g. */
typedef struct search {
    yk_watch *w;
    const yk_trigger *g;
    const yk_expr_step *s;
    double least;   /* instants are behind it */
    double reached; /* there is none before */
    long stop;      /* w->looks, at most */
} search;

/* Where g = level between a and b, at which it lies on both sides: halving, and
 * the chord (Illinois).  The later one of two neighbours. */
static double refine(search *s, double level, double a, double b)
{
    double fa = value_at(s->w, s->g, a) - level;
    double fb = value_at(s->w, s->g, b) - level;

    for (int k = 0; k < 200; k++) {
        double m = a + 0.5 * (b - a);
        if (!(m > a && m < b)) break;
        const double chord = b - fb * (b - a) / (fb - fa);
        if (k % 3 != 2 && chord > a && chord < b) m = chord;
        const double f = value_at(s->w, s->g, m) - level;
        if (f == 0.0) return m;
        if ((f < 0.0) == (fb < 0.0)) {
            b = m;
            fb = f;
            fa *= 0.5;
        } else {
            a = m;
            fa = f;
            fb *= 0.5;
        }
    }
    return b;
}

/* From t on, in steps that double, to where g is none of its levels. */
static double off_level(search *s, double t, double step)
{
    for (int k = 0; k < 40; k++, t += step, step *= 2.0) {
        const double v = value_at(s->w, s->g, t);
        if (!has_level(s->s, (yk_span){ v, v })) break;
    }
    return t;
}

/* Does g pass a level between a and b?  Then the first instant at which it has,
 * by halving; else, also if it only touches one, NAN. */
static double passed(search *s, double a, double b)
{
    const double cell = b - a;

    a = off_level(s, a, -cell);
    b = off_level(s, b, cell);
    const double before = place_of(s->s, value_at(s->w, s->g, a));
    if (place_of(s->s, value_at(s->w, s->g, b)) == before) return NAN;
    for (;;) {
        const double m = a + 0.5 * (b - a);
        if (!(m > a && m < b)) return b > s->least ? b : NAN;
        if (place_of(s->s, value_at(s->w, s->g, m)) == before)
            a = m;
        else
            b = m;
    }
}

/* At t g is a level, to the last digit: the instant if it passes there. */
static double passed_at(search *s, double t)
{
    const double tiny = yk_level_rounding(t) + 1e-60;

    return t > s->least ? passed(s, t - tiny, t + tiny) : NAN;
}

/* The first level where g rises or falls all the way from a to b; NAN: none. */
static double on_slope(search *s, double a, double b, bool rising)
{
    const double va = value_at(s->w, s->g, a);
    const double vb = value_at(s->w, s->g, b);
    double level = va, root = NAN;

    if (has_level(s->s, (yk_span){ va, va })) root = passed_at(s, a);
    while (isnan(root)) {
        const double next = level_behind(s->s, level, rising);
        if (isnan(next) || next == level || (rising ? next > vb : next < vb))
            return NAN;
        level = next;
        root = level == vb ? passed_at(s, b) : refine(s, level, a, b);
        if (root <= s->least) root = NAN;
    }
    return root;
}

static bool is_level(search *s, double t)
{
    const yk_span r = bound_on(s->w, s->g, t, t).c[0];

    return has_level(s->s, r) && r.hi - r.lo < 0.1;
}

/* Is g a level all over [a, b], to rounding?  The points have nothing to do
 * with periods; the middle was looked at. */
static bool is_flat(search *s, double a, double b)
{
    static const double at[] = { 0.0, 0.131704, 0.381966, 0.871357, 1.0 };

    for (size_t k = 0; k < sizeof at / sizeof at[0]; k++)
        if (!is_level(s, a + at[k] * (b - a))) return false;
    return true;
}

typedef enum verdict {
    NOTHING,  /* no level in the cell */
    FOUND,    /* the first one */
    UNDECIDED /* halve it */
} verdict;

static verdict found_at(double root, double *out)
{
    *out = root;
    return isnan(root) ? NOTHING : FOUND;
}

/* Does it certainly pass a level between a and b, by more than roundings?  Then
 * there is nothing to prove.  `r` encloses it in between. */
static bool passes(search *s, double a, double b, yk_span r)
{
    const double va = value_at(s->w, s->g, a), vb = value_at(s->w, s->g, b);

    return fabs(vb - va) > 1e-6 * (r.hi - r.lo) &&
           place_of(s->s, va) != place_of(s->s, vb);
}

/* A touch is nothing: g has to pass its level. */
static verdict look(search *s, double a, double b, double *root)
{
    const yk_jet g = bound_on(s->w, s->g, a, b);
    const double size = fmax(fabs(a), fabs(b)), m = a + 0.5 * (b - a);

    if (!has_level(s->s, g.c[0])) return NOTHING;
    if (g.c[1].lo > 0.0 || g.c[1].hi < 0.0)
        return found_at(on_slope(s, a, b, g.c[1].lo > 0.0), root);
    if (b - a <= yk_level_rounding(size) + 1e-60)
        return found_at(passed(s, a, b), root);
    if (passes(s, a, b, g.c[0])) return UNDECIDED;
    const yk_span v = bound_on(s->w, s->g, m, m).c[0];
    const double far = fmax(b - m, m - a);
    if (!has_level(s->s, (yk_span){ v.lo + far * fmin(g.c[1].lo, -g.c[1].hi),
                                    v.hi + far * fmax(g.c[1].hi, -g.c[1].lo) }))
        return NOTHING; /* by the mean value theorem */
    if (!has_level(s->s, v) || !is_flat(s, a, b)) return UNDECIDED;
    return b - a <= 1e-5 * size ? found_at(passed(s, a, b), root) : NOTHING;
}

/* The first level on [a, b], NAN if there is none up to s->reached. */
static double find_on(search *s, double a, double b)
{
    double right[DEEPEST], root = NAN;
    int depth = 1;

    right[0] = b;
    s->reached = a;
    while (depth > 0 && s->w->looks < s->stop) {
        b = right[depth - 1];
        switch (look(s, s->reached, b, &root)) {
        case FOUND:
            return root;
        case NOTHING:
            s->reached = b;
            depth--;
            break;
        case UNDECIDED:
            if (depth == DEEPEST) return b;
            right[depth++] = s->reached + 0.5 * (b - s->reached);
        }
    }
    return NAN;
}

/* Where the search goes on that has looked too often: from where it has got to.
 * If that is next to nowhere, a little farther, and each time farther still: g
 * cannot be told from its level there. */
static double give_up(yk_trigger *g, const search *s, double from, double gap)
{
    const double little = gap * pow(1e3, g->stuck - 3);

    if (s->reached - from > 1e-9 * gap) {
        g->stuck = 0;
        return s->reached;
    }
    g->stuck++;
    return from + little;
}

/* Twice as far each time nothing is found. */
static double find_curved(yk_watch *w, yk_trigger *g, double t, double from,
                          double end)
{
    const double last = fmin(end, t + farthest * fmax(1.0, fabs(t)));
    search s = { w,
                 g,
                 &w->all.step[g->step],
                 t + yk_level_rounding(t),
                 from,
                 w->looks + MOST_LOOKS };
    double gap = g->gap;

    if (!(from < end)) return INFINITY;
    if (end - from > gap && !has_level(s.s, bound_on(w, g, from, end).c[0]))
        return INFINITY;
    while (from < last) {
        const double to = fmin(last, from + gap);
        const double root = find_on(&s, from, to);
        if (!isnan(root)) {
            g->gap = fmax(2.0 * (root - t), 0.125 * g->gap);
            g->stuck = 0;
            return root;
        }
        if (w->looks >= s.stop) return give_up(g, &s, from, to - from);
        from = to;
        gap *= 2.0;
    }
    return last < end ? last : INFINITY;
}

double yk_level_after(yk_watch *w, yk_trigger *g, double t, double from,
                      double end)
{
    if (g->shape == YK_STEADY) return INFINITY;
    return g->shape == YK_STRAIGHT ? find_straight(w, g, t)
                                   : find_curved(w, g, t, from, end);
}

double yk_level_branch(yk_watch *w, const yk_trigger *g, double t)
{
    const yk_expr_step *s = &w->all.step[g->step];

    evaluate(w, g, t);
    return yk_expr_branch(s, w->value[s->a], w->value[s->b]);
}

double yk_level_blur(yk_watch *w, const yk_trigger *g, double t, double piece)
{
    static const double of_piece = 0.375, unsure = 1e-9;
    const yk_expr_step *s = &w->all.step[g->step];
    const yk_jet at = bound_on(w, g, t, t);
    const double most = of_piece * piece;
    const double slope = fmax(at.c[1].lo, -at.c[1].hi);
    double by = 2.0 * (at.c[0].hi - at.c[0].lo) / slope;

    if (slope > 0.0 && by < most) return by;
    for (by = yk_level_rounding(fmax(fabs(t), piece)); by < most; by *= 2.0)
        if (!has_level(s, bound_on(w, g, t - by, t - by).c[0]) &&
            !has_level(s, bound_on(w, g, t + by, t + by).c[0]))
            return by;
    return fmin(most, unsure * fabs(t));
}
