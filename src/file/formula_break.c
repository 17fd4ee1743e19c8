/* file/formula_break.c -- the instants at which a formula of time is not
 * smooth.
 *
 * Each switch of the formula (sign, min, floor, a relation, ...) watches a
 * function g of time that must not meet a level: 0, or a whole number.  The
 * switches are taken in the order of the terms, so when one is looked at, all
 * below it are known to keep their branch up to `end`, and g is smooth there:
 *
 *     linear     the instant follows in closed form, also of the next period
 *                of mod or floor;
 *     otherwise  the stretch is halved until bounds of g or of g' say that
 *                there is no level in it, or one at most (expr/corner.c).
 *                That is a proof, not a scan: no instant is passed over,
 * however narrow the pulse, down to the roundings of g.
 *
 * The next instant of all is the next one of the formula.
 */
#include "file/formula.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BOUNDS = 20000, /* of one search; then it is continued from there */
    DEEPEST = 512        /* halvings */
};

/* The longest stretch that is looked at, in s or times t. */
static const double farthest = 1e12;

typedef struct trigger {
    int term;
    bool whole;       /* levels: the whole numbers, else 0 */
    int first, count; /* in `list`: the terms that it depends on */
    double gap;       /* where the last search ended */
} trigger;

struct yk_breaks {
    const yk_formula *formula;
    int triggers;
    size_t list_room;
    trigger *trigger;
    int *list;
    double *held, *value; /* of each term */
    yk_jet *bound;
    double from, next; /* the last answer holds in between */
};

void yk_breaks_free(yk_breaks *b)
{
    if (!b) return;
    yk_free(b->trigger);
    yk_free(b->list);
    yk_free(b->held);
    yk_free(b->value);
    yk_free(b->bound);
    yk_free(b);
}

/* ---- the function of a trigger ------------------------------------------- */

static void evaluate(yk_breaks *b, const trigger *g, double t)
{
    for (int k = g->first; k < g->first + g->count; k++) {
        const int i = b->list[k];
        b->value[i] = yk_expr_held_value(&b->formula->program.step[i], t,
                                         b->held[i], b->value);
    }
}

static double value_at(yk_breaks *b, const trigger *g, double t)
{
    const yk_expr_step *term = &b->formula->program.step[g->term];

    evaluate(b, g, t);
    return yk_expr_watched(term, b->value[term->a], b->value[term->b]);
}

static yk_jet bound_on(yk_breaks *b, const trigger *g, double lo, double hi)
{
    const yk_expr_step *term = &b->formula->program.step[g->term];

    for (int k = g->first; k < g->first + g->count; k++) {
        const int i = b->list[k];
        yk_expr_held_jet(&b->formula->program.step[i], lo, hi, b->held[i], 1,
                         b->bound, &b->bound[i]);
    }
    yk_jet out = b->bound[term->a];
    if (yk_op_corner(term->op) == YK_AT_EQUAL)
        yk_jet_apply(YK_OP_SUBTRACT, 1, &b->bound[term->a], &b->bound[term->b],
                     NULL, &out);
    return out;
}

static bool has_level(const trigger *g, yk_span r)
{
    if (isnan(r.lo) || isnan(r.hi)) return true;
    return g->whole ? ceil(r.lo) <= r.hi : r.lo <= 0.0 && r.hi >= 0.0;
}

/* The first level behind v. */
static double level_behind(const trigger *g, double v, bool rising)
{
    if (g->whole) return rising ? floor(v) + 1.0 : ceil(v) - 1.0;
    return (rising ? v < 0.0 : v > 0.0) ? 0.0 : NAN;
}

/* ---- linear functions ---------------------------------------------------- */

static double rounding_of(double t)
{
    return 4.0 * DBL_EPSILON * fabs(t);
}

/* A point of the piece that begins at t. */
static double inside(double t, double end)
{
    return isinf(end) ? t + fmax(1.0, fabs(t)) : t + 0.5 * (end - t);
}

static double find_straight(yk_breaks *b, const trigger *g, double t,
                            double end)
{
    const double other = inside(t, end);
    const double v = value_at(b, g, t);
    const double slope = (value_at(b, g, other) - v) / (other - t);
    double level = v, root = INFINITY;

    if (!isfinite(v) || !isfinite(slope) || slope == 0.0) return INFINITY;
    for (int tries = 0; tries < 3; tries++) {
        level = level_behind(g, level, slope > 0.0);
        if (isnan(level)) return INFINITY;
        root = t + (level - v) / slope;
        for (int k = 0; k < 2; k++) /* rounding */
            if (isfinite(root)) root -= (value_at(b, g, root) - level) / slope;
        if (root > t + rounding_of(t)) return root;
    }
    return INFINITY;
}

/* ---- other functions ----------------------------------------------------- */

/* The search for the first level on (t, end). */
typedef struct search {
    yk_breaks *breaks;
    trigger *g;
    double t, end, least; /* least: instants are behind it */
    int bounds;           /* taken so far */
    double reached;       /* there is none before */
} search;

/* Where g = level between a and b, at which it lies on both sides: halving, and
 * the chord (Illinois). */
static double refine(search *s, double level, double a, double b)
{
    double fa = value_at(s->breaks, s->g, a) - level;
    double fb = value_at(s->breaks, s->g, b) - level;

    for (int k = 0; k < 200; k++) {
        double m = a + 0.5 * (b - a);
        if (!(m > a && m < b)) break;
        const double chord = b - fb * (b - a) / (fb - fa);
        if (k % 3 != 2 && chord > a && chord < b) m = chord;
        const double f = value_at(s->breaks, s->g, m) - level;
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

/* The first level where g rises or falls all the way from a to b; NAN: none. */
static double on_slope(search *s, double a, double b, bool rising)
{
    const double va = value_at(s->breaks, s->g, a);
    const double vb = value_at(s->breaks, s->g, b);
    double level = va;

    if (has_level(s->g, (yk_span){ va, va }) && a > s->least) return a;
    for (;;) {
        level = level_behind(s->g, level, rising);
        if (isnan(level) || (rising ? level > vb : level < vb)) return NAN;
        const double root = level == vb ? b : refine(s, level, a, b);
        if (root > s->least) return root;
    }
}

/* Is g a level all over [a, b], to rounding?  The points have nothing to do
 * with periods. */
static bool is_flat(search *s, double a, double b)
{
    static const double at[] = { 0.0,      0.131704, 0.381966,
                                 0.618034, 0.871357, 1.0 };

    for (size_t k = 0; k < sizeof at / sizeof at[0]; k++) {
        const double t = a + at[k] * (b - a);
        const yk_span r = bound_on(s->breaks, s->g, t, t).c[0];
        s->bounds++;
        if (!has_level(s->g, r) || !(r.hi - r.lo < 0.1)) return false;
    }
    return true;
}

typedef enum verdict {
    NOTHING,  /* no level in the cell */
    FOUND,    /* the first one */
    UNDECIDED /* halve it */
} verdict;

static verdict look(search *s, double a, double b, double *root)
{
    const yk_jet g = bound_on(s->breaks, s->g, a, b);
    const double size = fmax(fabs(a), fabs(b));

    s->bounds++;
    if (!has_level(s->g, g.c[0])) return NOTHING;
    if (g.c[1].lo > 0.0 || g.c[1].hi < 0.0) {
        *root = on_slope(s, a, b, g.c[1].lo > 0.0);
        return isnan(*root) ? NOTHING : FOUND;
    }
    *root = a + 0.5 * (b - a);
    if (is_flat(s, a, b))
        return b - a <= 1e-5 * size && a > s->least ? FOUND : NOTHING;
    if (b - a > rounding_of(size) + 1e-60) return UNDECIDED;
    return a > s->least ? FOUND : NOTHING;
}

/* The first level on [a, b], NAN if there is none up to s->reached. */
static double find_on(search *s, double a, double b)
{
    double right[DEEPEST], root = NAN;
    int depth = 1;

    right[0] = b;
    s->reached = a;
    while (depth > 0 && s->bounds < MOST_BOUNDS) {
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

static double find_curved(yk_breaks *b, trigger *g, double t, double end)
{
    const double last = fmin(end, t + farthest * fmax(1.0, fabs(t)));
    search s = { b, g, t, end, t + rounding_of(t), 0, t };
    double from = t, gap = g->gap;

    if (isinf(end) && !has_level(g, bound_on(b, g, t, end).c[0]))
        return INFINITY;
    while (from < last) {
        const double to = fmin(last, from + gap);
        const double root = find_on(&s, from, to);
        if (!isnan(root)) {
            g->gap = fmax(2.0 * (root - t), rounding_of(root));
            return root;
        }
        if (s.bounds >= MOST_BOUNDS)
            return s.reached - t > 1e-9 * gap ? s.reached : to;
        from = to;
        gap *= 2.0;
    }
    return last;
}

/* ---- the formula --------------------------------------------------------- */

double yk_formula_next_break(yk_breaks *b, double t)
{
    double end = INFINITY;

    if (!b || isnan(t)) return INFINITY;
    if (t >= b->from && t < b->next) return b->next;
    for (int k = 0; k < b->triggers; k++) {
        trigger *g = &b->trigger[k];
        const yk_expr_step *term = &b->formula->program.step[g->term];
        const yk_expr_shape a = b->formula->program.step[term->a].shape;
        const yk_expr_shape other = b->formula->program.step[term->b].shape;
        if (a == YK_CURVED || other == YK_CURVED)
            end = fmin(end, find_curved(b, g, t, end));
        else if (a == YK_STRAIGHT || other == YK_STRAIGHT)
            end = fmin(end, find_straight(b, g, t, end));
        evaluate(b, g, inside(t, end));
        b->held[g->term] =
            yk_expr_branch(term, b->value[term->a], b->value[term->b]);
    }
    b->from = t;
    b->next = end;
    return end;
}

static bool is_trigger(const yk_expr_step *t)
{
    return t->kind == YK_KIND_TIME && yk_op_corner(t->op) != YK_SMOOTH;
}

static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

/* The terms that a trigger depends on, in order.  mark[i] == its term: i is in
 * the list already. */
static yoke_status collect(yk_breaks *b, trigger *g, int *mark, yoke_err *err)
{
    const yk_expr_step *term = b->formula->program.step;
    const int start[2] = { term[g->term].a, term[g->term].b };
    int end = g->first;

    for (int k = -2; k < end - g->first; k++) {
        const yk_expr_step *t = k < 0 ? NULL : &term[b->list[g->first + k]];
        const int next[3] = { k < 0 ? start[k + 2] : t->a,
                              k < 0 ? start[k + 2] : t->b,
                              k < 0 ? start[k + 2] : t->c };
        if (t && t->op <= YK_OP_VARIABLE) continue;
        YK_TRY(yk_grow((void **)&b->list, &b->list_room, (size_t)end + 3,
                       sizeof *b->list, err));
        for (int j = 0; j < 3; j++) {
            if (mark[next[j]] == g->term) continue;
            mark[next[j]] = g->term;
            b->list[end++] = next[j];
        }
    }
    g->count = end - g->first;
    qsort(b->list + g->first, (size_t)g->count, sizeof *b->list, compare);
    return YOKE_OK;
}

static yoke_status build(yk_breaks *b, int *mark, yoke_err *err)
{
    const yk_formula *f = b->formula;
    int used = 0;

    YK_TRY(YK_NEW(&b->trigger, b->triggers, err));
    YK_TRY(yk_doubles(&b->held, (size_t)f->program.steps, err));
    YK_TRY(yk_doubles(&b->value, (size_t)f->program.steps, err));
    YK_TRY(YK_NEW(&b->bound, f->program.steps, err));
    for (int i = 0, k = 0; i < f->program.steps; i++) {
        if (!is_trigger(&f->program.step[i])) continue;
        trigger *g = &b->trigger[k++];
        *g = (trigger){ .term = i,
                        .whole =
                            yk_op_corner(f->program.step[i].op) == YK_AT_WHOLE,
                        .first = used,
                        .gap = 1.0 };
        YK_TRY(collect(b, g, mark, err));
        used += g->count;
    }
    return YOKE_OK;
}

yoke_status yk_breaks_create(yk_breaks **out, const yk_formula *formula,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_breaks *b = NULL;
    int *mark = NULL, count = 0;

    *out = NULL;
    for (int i = 0; i < formula->program.steps; i++)
        count += is_trigger(&formula->program.step[i]);
    if (count == 0) return YOKE_OK;
    YK_GO(YK_NEW(&b, 1, err));
    b->formula = formula;
    b->triggers = count;
    b->from = INFINITY;
    YK_GO(yk_ints(&mark, (size_t)formula->program.steps, err));
    for (int i = 0; i < formula->program.steps; i++) mark[i] = -1;
    YK_GO(build(b, mark, err));
    *out = b;
    b = NULL;
done:
    yk_free(mark);
    yk_breaks_free(b);
    return status;
}
