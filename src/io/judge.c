/* io/judge.c -- do two tables agree within a tolerance?
 *
 * Every time at which one of them has a row is a place.  Where only one has a
 * row there, the other is taken on the straight line between its rows.  That
 * line is off by about
 *
 *     (s - t0) (t1 - s) |f[., ., .]|,
 *
 * the second divided difference being the smaller one of the two with this
 * piece in them: beside a jump one of them is as large as the jump although the
 * piece is smooth.  A difference that this error explains neither passes nor
 * fails: it cannot be told.
 *
 * Two rows at one time are the sides of a jump.  If only one table has both,
 * the other may have either.  If both have one row there, one may have taken
 * the left side and the other the right: both must then come from the same
 * value and go on to the same one, each must belong to one of them, and what is
 * between must be a jump, not a slope.
 *
 * So no row tells when a jump was: between a place with a jump and the next one
 * the middle is judged too, unless they are closer than the tolerance permits,
 * as a fraction of the time that the tables cover.
 */
#include "yoke/result.h"

#include "base/base.h"
#include "io/entry.h"
#include "io/policy.h"

#include <math.h>

typedef struct series {
    const yoke_table *table;
    int column, next; /* next: the first row that is not passed */
} series;

/* Rows first..last at a place; last < first: it lies before row `first`. */
typedef struct rows {
    int first, last;
} rows;

/* All rows at one time. */
typedef struct place {
    double t;
    rows a, b;
} place;

typedef struct judging {
    series a, b;
    double same; /* times closer than this are one */
    double near; /* jumps closer than this are at one time */
    double allowed, squares;
    int places;
    bool failed, unclear;
    yoke_verdict *out;
} judging;

static double time_of(const series *s, int row)
{
    return yk_entry(s->table, row, 0);
}

static double value_of(const series *s, int row)
{
    return yk_entry(s->table, row, s->column);
}

static bool has_row(rows r)
{
    return r.last >= r.first;
}

static bool is_single(rows r)
{
    return r.last == r.first;
}

static bool has_pair(rows r)
{
    return r.last > r.first;
}

/* There is a piece that ends in row k. */
static bool within(const series *s, int k)
{
    return k > 0 && k < s->table->rows;
}

/* ---- between rows -------------------------------------------------------- */

static double on_line(const series *s, int k, double t)
{
    return yk_between_rows(s->table, k, s->column, t);
}

/* |f[k-1, k, k+1]|, or INFINITY where there is none. */
static double bend(const series *s, int k)
{
    if (k < 1 || k + 1 >= s->table->rows) return INFINITY;
    const double h0 = time_of(s, k) - time_of(s, k - 1);
    const double h1 = time_of(s, k + 1) - time_of(s, k);
    if (!(h0 > 0.0 && h1 > 0.0)) return INFINITY;
    return fabs((value_of(s, k + 1) - value_of(s, k)) / h1 -
                (value_of(s, k) - value_of(s, k - 1)) / h0) /
           (h0 + h1);
}

/* What the line between rows k-1 and k may be off by at t. */
static double line_error(const series *s, int k, double t)
{
    const double least = fmin(bend(s, k - 1), bend(s, k));

    if (isinf(least)) return fabs(value_of(s, k) - value_of(s, k - 1));
    return YK_JUDGE_LINE * (t - time_of(s, k - 1)) * (time_of(s, k) - t) *
           least;
}

/* ---- jumps --------------------------------------------------------------- */

/* The value at row k by the line through the two rows on one side of it, and
 * how well that is known; way is -1 or 1. */
static double limit_at(const series *s, int k, int way, double *slack)
{
    const int near = k + way, far = k + 2 * way;
    const double v = value_of(s, near);

    *slack = 0.0;
    if (far < 0 || far >= s->table->rows || time_of(s, far) == time_of(s, near))
        return v;
    const double slope =
        (v - value_of(s, far)) / (time_of(s, near) - time_of(s, far));
    const double move = slope * (time_of(s, k) - time_of(s, near));
    *slack = fabs(move);
    return v + move;
}

/* Row i of a and row j of b, at one time: the two sides of one jump? */
static bool are_sides(const judging *g, int i, int j)
{
    const double tol = g->allowed;
    double slack[4];

    if (i < 1 || j < 1 || i + 1 >= g->a.table->rows ||
        j + 1 >= g->b.table->rows)
        return false;
    const double left_a = limit_at(&g->a, i, -1, &slack[0]);
    const double left_b = limit_at(&g->b, j, -1, &slack[1]);
    const double right_a = limit_at(&g->a, i, 1, &slack[2]);
    const double right_b = limit_at(&g->b, j, 1, &slack[3]);
    const double left = tol + fmax(slack[0], slack[1]);
    const double right = tol + fmax(slack[2], slack[3]);
    const double a = value_of(&g->a, i), b = value_of(&g->b, j);
    if (!(fabs(left_a - left_b) <= left && fabs(right_a - right_b) <= right))
        return false;
    if (fabs(left_a - right_a) <= YK_JUDGE_JUMP * (left + right)) return false;
    return (fabs(a - left_a) <= left && fabs(b - right_b) <= right) ||
           (fabs(a - right_a) <= right && fabs(b - left_b) <= left);
}

/* ---- one place ----------------------------------------------------------- */

/* The difference where both have rows. */
static double apart(judging *g, rows a, rows b)
{
    const double left =
        fabs(value_of(&g->a, a.first) - value_of(&g->b, b.first));
    const double right =
        fabs(value_of(&g->a, a.last) - value_of(&g->b, b.last));

    if (has_pair(a) && has_pair(b)) return left <= right ? right : left;
    if (!has_pair(a) && !has_pair(b)) {
        if (left <= g->allowed || !are_sides(g, a.first, b.first)) return left;
        g->out->sides++;
        return 0.0;
    }
    if (isnan(left) || isnan(right)) return NAN;
    if (fmax(left, right) > g->allowed) g->out->sides++;
    return fmin(left, right);
}

/* That of rows of one from the line of the other. */
static double from_line(judging *g, const series *s, rows r, double line)
{
    const double left = fabs(value_of(s, r.first) - line);
    const double right = fabs(value_of(s, r.last) - line);

    if (isnan(left) || isnan(right)) return NAN;
    if (fmin(left, right) <= g->allowed && fmax(left, right) > g->allowed)
        g->out->sides++;
    return fmin(left, right);
}

/* The largest difference is kept; one that fails before one that does not. */
static void add_place(judging *g, double t, double d, double unsure)
{
    const bool beyond = !(d <= g->allowed), fails = !(d <= g->allowed + unsure);
    yoke_difference *most = &g->out->difference;

    g->squares += d * d;
    g->out->unsure = fmax(g->out->unsure, unsure);
    if (g->places++ == 0) most->at_time = t;
    g->unclear = g->unclear || beyond;
    if (g->failed && !fails) return;
    if (isnan(most->max_abs)) return;
    if (d <= most->max_abs && g->failed == fails) return;
    most->max_abs = d;
    most->at_time = t;
    g->failed = g->failed || fails;
}

static rows rows_at(series *s, double t, double same)
{
    rows r = { s->next, s->next - 1 };

    while (s->next < s->table->rows && time_of(s, s->next) <= t + same)
        r.last = s->next++;
    return r;
}

static void judge_place(judging *g, const place *p)
{
    const rows a = p->a, b = p->b;

    if (has_row(a) && has_row(b)) {
        add_place(g, p->t, apart(g, a, b), 0.0);
    } else if (has_row(a)) {
        if (!within(&g->b, b.first)) return;
        add_place(g, p->t,
                  from_line(g, &g->a, a, on_line(&g->b, b.first, p->t)),
                  line_error(&g->b, b.first, p->t));
    } else {
        if (!within(&g->a, a.first)) return;
        add_place(g, p->t,
                  from_line(g, &g->b, b, on_line(&g->a, a.first, p->t)),
                  line_error(&g->a, a.first, p->t));
    }
}

/* ---- between places ------------------------------------------------------ */

static bool jumps(const judging *g, const series *s, rows r)
{
    return has_pair(r) &&
           !(fabs(value_of(s, r.first) - value_of(s, r.last)) <= g->allowed);
}

/* What s may be at t, in its piece before row k: its line, or, if the other
 * table jumps at one end where s has one side, all between the ends.  With such
 * ends on both sides s says nothing. */
static void range_at(const series *s, int k, double t, int open,
                     double range[2])
{
    const double v0 = value_of(s, k - 1), v1 = value_of(s, k);

    range[0] = range[1] = on_line(s, k, t);
    if (open == 0) return;
    range[0] = fmin(v0, v1);
    range[1] = fmax(v0, v1);
}

static void judge_middle(judging *g, const place *p, const place *q)
{
    const double t = p->t + 0.5 * (q->t - p->t);
    const bool ap = jumps(g, &g->a, p->a), aq = jumps(g, &g->a, q->a);
    const bool bp = jumps(g, &g->b, p->b), bq = jumps(g, &g->b, q->b);
    const int i = q->a.first, j = q->b.first;
    double a[2], b[2], unsure = 0.0;

    if (!(ap || aq || bp || bq) || q->t - p->t <= g->near) return;
    if (!within(&g->a, i) || !within(&g->b, j)) return;
    const int open_a = (bp && is_single(p->a)) + (bq && is_single(q->a));
    const int open_b = (ap && is_single(p->b)) + (aq && is_single(q->b));
    range_at(&g->a, i, t, open_a, a);
    range_at(&g->b, j, t, open_b, b);
    if (!(has_row(p->a) && has_row(p->b) && has_row(q->a) && has_row(q->b)))
        unsure = line_error(&g->a, i, t) + line_error(&g->b, j, t);
    const double d = fmax(0.0, fmax(a[0] - b[1], b[0] - a[1]));
    if (open_a == 2 || open_b == 2) unsure += d;
    add_place(g, t, d, unsure);
}

static double largest(const series *s)
{
    double most = 0.0;

    for (int k = 0; k < s->table->rows; k++)
        most = fmax(most, fabs(value_of(s, k)));
    return most;
}

static double last_time(const series *s)
{
    return time_of(s, s->table->rows - 1);
}

static void judge_places(judging *g)
{
    place before = { 0.0, { 0, -1 }, { 0, -1 } };

    while (g->a.next < g->a.table->rows && g->b.next < g->b.table->rows) {
        place p = { .t = fmin(time_of(&g->a, g->a.next),
                              time_of(&g->b, g->b.next)) };
        p.a = rows_at(&g->a, p.t, g->same);
        p.b = rows_at(&g->b, p.t, g->same);
        judge_place(g, &p);
        judge_middle(g, &before, &p);
        before = p;
    }
}

yoke_status yoke_table_judge(const yoke_table *a, const yoke_table *b,
                             const char *name, double rtol, double atol,
                             yoke_verdict *out, yoke_err *err)
{
    yoke_difference plain;
    yoke_verdict v = { .outcome = YOKE_PASSES };

    /* Refuses columns that are missing, and times that go back. */
    YK_TRY(yoke_table_compare(a, b, name, &plain, err));
    if (!(rtol >= 0.0) || !(atol >= 0.0))
        return yk_fail(err, YOKE_E_ARG,
                       "tolerances are 0 or more, not rtol = %g, atol = %g",
                       rtol, atol);
    judging g = { .a = { a, yoke_table_find(a, name), 0 },
                  .b = { b, yoke_table_find(b, name), 0 },
                  .out = &v };
    const double size = fmax(largest(&g.a), largest(&g.b));
    const double reach = fmax(fmax(fabs(time_of(&g.a, 0)), last_time(&g.a)),
                              fmax(fabs(time_of(&g.b, 0)), last_time(&g.b)));
    const double span = last_time(&g.a) - time_of(&g.a, 0);
    g.same = YK_JUDGE_TIME * reach;
    v.allowed = g.allowed = atol + rtol * size;
    g.near = fmax(g.same, span * (size > 0.0 ? g.allowed / size : 0.0));
    judge_places(&g);
    v.difference.rms = sqrt(g.squares / fmax(g.places, 1));
    if (v.difference.max_abs != 0.0)
        v.difference.max_rel = v.difference.max_abs / size;
    v.outcome = g.failed ? YOKE_FAILS : g.unclear ? YOKE_UNCLEAR : YOKE_PASSES;
    v.covered = fabs(time_of(&g.a, 0) - time_of(&g.b, 0)) <= g.same &&
                fabs(last_time(&g.a) - last_time(&g.b)) <= g.same;
    *out = v;
    return YOKE_OK;
}
