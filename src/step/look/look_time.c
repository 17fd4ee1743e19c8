/* step/look/look_time.c -- no step passes over what time alone does.
 *
 * The courses of a system are functions g(t) that are known beforehand.  A step
 * sees g at its points; I is the polynomial through these values.  D = g - I is
 * what it has not seen.  On a piece of the step with the middle m and half the
 * length r, Taylor's formula bounds it,
 *
 *     |D| <= sum_k |D_k(m)| r^k + r^4 max |g^(4)| / 4!,    k = 0 ... 3,
 *
 * where interval arithmetic gives the last term; so does the enclosure of g
 * less the range of I, and the mean value theorem.  Pieces are halved, the one
 * with the largest bound first, until the largest |D| is known within SURE: of
 * a pulse that is narrower than the step by 2^k that takes 2 k pieces, of a
 * thousand pulses no more.  So no pulse is too narrow to be found.
 *
 * Where g is resolved there is nothing to do: D is less than what the
 * polynomial leaves over at the step's own points, which its estimate sees.
 * Then one enclosure of the whole step is all that this costs.  Otherwise the
 * step is tested where D is largest, as for inputs (look.c).
 *
 * If that is too much, the step and those that follow end where D may be no
 * more than what would be half a tolerance: e is proportional to h D.
 */
#include "step/drive.h"
#include "step/look/look.h"

#include <float.h>
#include <math.h>

/* Enclosures for one course in one step.  A pulse of 1e-12 of the step takes
 * 80; where they do not suffice, the bound that was reached counts. */
enum { MOST_PIECES = 400 };

/* The largest deviation is known up to this factor. */
static const double sure = 2.0;

/* Deviations that cannot matter, as a part of the tolerance of g: it may be
 * multiplied by something large. */
static const double speck = 1e-6;

/* Steps for which a pulse is remembered. */
enum { ALERT = 32 };

typedef struct piece {
    double a, b, bound; /* parts of the step; of |D| */
} piece;

typedef struct search {
    const yoke_courses *courses;
    int course;
    double t, h;
    int count; /* points */
    double theta[YK_STAGES], coef[YK_STAGES];
    double spread; /* what the points see of the first term left out */
    double part;   /* of g that does not matter */
    double floor;  /* deviations up to this do not matter */
    double lower, where, upper;
    int pieces;
    piece heap[MOST_PIECES + 2];
} search;

static double largest(const double v[2])
{
    return fmax(fabs(v[0]), fabs(v[1]));
}

static void enclose(const search *s, double from, double to, int order,
                    double (*out)[2])
{
    s->courses->enclose(s->courses->self, s->course, from, to, order, out);
}

/* Values near the rounding of g, or far below its tolerance, are no matter. */
static void note_value(search *s, const double v[2])
{
    const double size = largest(v);

    if (size <= DBL_MAX)
        s->floor = fmax(s->floor, fmax(4.0 * (v[1] - v[0]), s->part * size));
}

static double value_at(search *s, double theta)
{
    double v[1][2];

    enclose(s, s->t + theta * s->h, s->t + theta * s->h, 0, v);
    note_value(s, v[0]);
    return 0.5 * (v[0][0] + v[0][1]);
}

/* ---- The polynomial ------------------------------------------------------ */

/* Newton's divided differences of g, then powers of theta. */
static void interpolate(search *s)
{
    double d[YK_STAGES] = { 0.0 };
    const int n = s->count;

    for (int i = 0; i < n; i++) d[i] = value_at(s, s->theta[i]);
    for (int k = 1; k < n; k++)
        for (int i = n - 1; i >= k; i--)
            d[i] = (d[i] - d[i - 1]) / (s->theta[i] - s->theta[i - k]);
    for (int k = 0; k < n; k++) s->coef[k] = 0.0;
    for (int i = n - 1; i >= 0; i--) {
        for (int k = n - 1; k > 0; k--)
            s->coef[k] = s->coef[k - 1] - s->theta[i] * s->coef[k];
        s->coef[0] = d[i] - s->theta[i] * s->coef[0];
    }
    s->spread = fabs(d[n - 1]);
    for (int i = 1; i < n; i++) s->spread *= s->theta[i];
}

/* Taylor coefficients of I at theta = m. */
static void shifted(const search *s, double m, double out[4])
{
    for (int k = 0; k < 4; k++) out[k] = k < s->count ? s->coef[k] : 0.0;
    for (int i = 0; i < 3; i++)
        for (int k = 2; k >= i; k--) out[k] += m * out[k + 1];
}

/* Largest product of the distances to the points. */
static double widest(const search *s)
{
    double most = 0.0;

    for (int j = 1; j < 12; j++) {
        double product = 1.0;
        for (int i = 0; i < s->count; i++)
            product *= fabs(j / 12.0 - s->theta[i]);
        most = fmax(most, product);
    }
    return 1.3 * most; /* between these places */
}

/* ---- Pieces -------------------------------------------------------------- */

static double bound_of(search *s, double a, double b)
{
    const double m = 0.5 * (a + b), r = 0.5 * (b - a), h = s->h;
    const double at = s->t + m * h;
    double point[4][2], all[5][2], line[4], taylor = 0.0;
    double power = 1.0, scale = 1.0;

    enclose(s, at, at, 3, point);
    enclose(s, s->t + a * h, s->t + b * h, 4, all);
    shifted(s, m, line);
    const double here = fabs(0.5 * (point[0][0] + point[0][1]) - line[0]);
    note_value(s, point[0]);
    if (here > s->lower) {
        s->lower = here;
        s->where = at;
    }
    for (int k = 0; k < 4; k++, power *= r, scale *= h) {
        taylor += power * fmax(fabs(point[k][0] * scale - line[k]),
                               fabs(point[k][1] * scale - line[k]));
    }
    taylor += power * scale * largest(all[4]);
    const double tilt =
        fabs(line[1]) + 2.0 * r * fabs(line[2]) + 3.0 * r * r * fabs(line[3]);
    const double bent =
        r * (fabs(line[1]) + r * (fabs(line[2]) + r * fabs(line[3])));
    const double plain =
        fmax(fabs(all[0][0] - line[0]), fabs(all[0][1] - line[0])) + bent;
    const double mean = here + r * (h * largest(all[1]) + tilt);
    double bound = plain;
    if (taylor < bound) bound = taylor;
    if (mean < bound) bound = mean;
    return isnan(bound) ? INFINITY : bound;
}

static void push(search *s, double a, double b)
{
    const piece p = { a, b, bound_of(s, a, b) };
    int at = s->pieces++;

    while (at > 0 && s->heap[(at - 1) / 2].bound < p.bound) {
        s->heap[at] = s->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->heap[at] = p;
}

static piece pop(search *s)
{
    const piece top = s->heap[0], last = s->heap[--s->pieces];
    int at = 0;

    for (;;) {
        int child = 2 * at + 1;
        if (child >= s->pieces) break;
        if (child + 1 < s->pieces &&
            s->heap[child + 1].bound > s->heap[child].bound)
            child++;
        if (s->heap[child].bound <= last.bound) break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = last;
    return top;
}

/* s->lower <= max |D|, reached at s->where, <= s->upper; no nearer than that if
 * it is above `enough`. */
static void find_largest(search *s, double enough)
{
    const double narrow =
        64.0 * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t + s->h)) / s->h;

    s->lower = s->upper = 0.0;
    s->where = s->t + 0.5 * s->h;
    s->pieces = 0;
    push(s, 0.0, 1.0);
    for (int looks = 0; s->pieces > 0; looks += 2) {
        s->upper = s->heap[0].bound;
        if (s->upper <= fmax(sure * s->lower, s->floor)) break;
        if (s->lower > enough || looks >= MOST_PIECES) break;
        const piece p = pop(s);
        if (p.b - p.a <= narrow) continue; /* no room for anything */
        const double middle = 0.5 * (p.a + p.b);
        push(s, p.a, middle);
        push(s, middle, p.b);
    }
    if (s->pieces == 0) s->upper = s->lower;
}

/* ---- One course over one step -------------------------------------------- */

/* What two points see of a bend: those of the ends. */
static double bend(const search *s)
{
    double v[3][2], w[3][2];

    enclose(s, s->t, s->t, 2, v);
    enclose(s, s->t + s->h, s->t + s->h, 2, w);
    const double most = s->h * s->h * fmax(largest(v[2]), largest(w[2]));
    return most <= DBL_MAX ? most : 0.0; /* not known */
}

/* The polynomial of the course, and whether its points see all of it. */
static bool sees(search *s, const yk_problem *p, const yk_stages *nodes,
                 int course, double t, double h)
{
    double all[5][2];

    s->courses = p->facts->courses;
    s->course = course;
    /* At the ends of a segment branches change. */
    s->t = t + 16.0 * DBL_EPSILON * fabs(t);
    s->h = t + h - 16.0 * DBL_EPSILON * fabs(t + h) - s->t;
    s->count = nodes->count;
    s->floor = 0.0;
    s->lower = s->upper = 0.0;
    if (!(s->h > 0.0)) return true;
    for (int i = 0; i < nodes->count; i++) s->theta[i] = nodes->theta[i];
    enclose(s, s->t, s->t + s->h, s->count, all);
    s->part = speck * p->options.rtol + 64.0 * DBL_EPSILON;
    if (all[0][0] == all[0][1]) return true;
    interpolate(s);
    if (s->count == 2) s->spread = bend(s);
    double bound = widest(s) * largest(all[s->count]);
    for (int i = 0; i < s->count; i++) bound *= s->h;
    return bound <= fmax(s->spread, s->floor);
}

/* ---- The step ------------------------------------------------------------ */

/* Deviations so small that they cannot be told from none, or a step so short
 * that nobody would tell. */
static bool is_idle(const search *s, const yk_problem *p)
{
    return s->upper <= s->floor ||
           (s->upper > sure * s->lower && s->h < 1e-12 * p->options.span);
}

static yoke_status test_course(yk_driver *d, search *s, yoke_err *err)
{
    yk_look *k = &d->look;
    const double before = k->worst, time = k->worst_time;
    const int of = k->worst_of;

    k->worst = 0.0;
    YK_TRY(yk_look_test(d, s->where, yk_input(&d->p, s->where), err));
    /* Where the bound is not reached, it counts. */
    if (s->upper > sure * s->lower)
        k->worst = s->lower > 0.0 ? fmin(k->worst * s->upper / s->lower,
                                         1e3 * fmax(k->bound, k->worst))
                                  : 2.0 * k->bound;
    if (k->worst > k->bound) {
        k->now.course = s->course + 1;
        k->now.alert = ALERT;
        k->now.reach = s->lower * s->h * k->bound / k->worst;
        k->by_course = true;
    }
    if (k->worst >= before) return YOKE_OK;
    k->worst = before;
    k->worst_time = time;
    k->worst_of = of;
    return YOKE_OK;
}

yoke_status yk_look_at_time(yk_driver *d, yoke_err *err)
{
    yk_look *k = &d->look;
    const yk_problem *p = &d->p;
    const int count = p->facts->courses ? p->facts->courses->count : 0;
    search s;

    k->by_inputs = false;
    for (int i = 0; i < count && k->worst <= k->bound; i++) {
        if (sees(&s, p, &k->stages, i, p->t, k->h)) continue;
        find_largest(&s, INFINITY);
        if (is_idle(&s, p)) continue;
        YK_TRY(test_course(d, &s, err));
    }
    return YOKE_OK;
}

/* ---- Outputs and fixed steps ---------------------------------------------- */

bool yk_course_passes(const yk_problem *p, const yk_stages *nodes, int course,
                      double t, double h, double *where)
{
    search s;

    if (sees(&s, p, nodes, course, t, h)) return false;
    find_largest(&s, INFINITY);
    *where = s.where;
    return !is_idle(&s, p);
}

/* May fixed steps of length h in [from, to] deviate by more than a hundredth of
 * what the course does there? */
static bool may_miss(const yk_driver *d, int course, double from, double to,
                     double h)
{
    static const double missable = 0.01;
    double all[5][2];
    search s = { .courses = d->p.facts->courses,
                 .course = course,
                 .count = d->look.stages.count };

    for (int i = 0; i < s.count; i++) s.theta[i] = d->look.stages.theta[i];
    enclose(&s, from, to, s.count, all);
    return !(widest(&s) * pow(h, s.count) * largest(all[s.count]) <=
             missable * (all[0][1] - all[0][0]));
}

yoke_status yk_look_at_fixed_time(yk_driver *d, double t, double h, int steps,
                                  yoke_err *err)
{
    const yk_problem *p = &d->p;
    const int count = p->facts->courses ? p->facts->courses->count : 0;
    const double from = fmax(p->begin, t - steps * h);
    const int taken = (int)ceil((t - from) / h - 1e-6);

    for (int i = 0; i < count; i++) {
        double most = 0.0, where = 0.0, begin = 0.0;
        search s;
        if (!may_miss(d, i, from, t, h)) continue;
        for (int k = 0; k < taken; k++) {
            const double at = fmax(from, t - (k + 1) * h);
            if (sees(&s, p, &d->look.stages, i, at, h)) continue;
            find_largest(&s, INFINITY);
            if (s.lower <= most) continue;
            most = s.lower;
            where = s.where;
            begin = at;
        }
        if (most > 0.0) YK_TRY(yk_look_test_fixed(d, begin, h, where, err));
    }
    return YOKE_OK;
}

void yk_look_before(yk_driver *d, double *h)
{
    const yk_watch *w = &d->look.now;
    const yk_problem *p = &d->p;
    yk_stages nodes;
    search s;

    if (w->alert == 0) return;
    yk_look_stages(d, 0.0, &nodes);
    for (int i = 0; i < 40; i++, *h *= 0.5) {
        const double enough = 0.5 * w->reach / *h;
        if (sees(&s, p, &nodes, w->course - 1, p->t, *h)) return;
        s.floor = fmax(s.floor, enough);
        find_largest(&s, enough);
        if (s.upper <= s.floor) return;
    }
}
