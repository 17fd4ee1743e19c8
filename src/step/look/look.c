/* step/look/look.c -- the error of a step between its points.
 *
 * A step knows its inputs only at the points it uses, and formulas of time too.
 * Let X be its polynomial, I the polynomial through u at these points, F that
 * through its values of f (0 on algebraic rows), Q that through its charges.
 * The step would be the same if u were I.  So its error is that of a smooth
 * problem, which the estimate of the method is good for, plus the answer to
 * what it has not seen,
 *
 *     d/dt (C delta) + G delta = -g,    g(s) = f(s, X(s), u(s)) - F(s).
 *
 * One evaluation gives g at s.  It is weighed with the matrix that the step has
 * factored anyway,
 *
 *     e(s) = (sigma C + G)^-1 ( g(s) + sigma (q(s, X(s), u(s)) - Q(s)) ),
 *
 * sigma = gamma/h for radau5.  For slow unknowns that is h/gamma g, for stiff
 * ones X(s) less the value that follows u(s), for algebraic ones a Newton step
 * at s: one formula for all three.  Where the points have seen u it is at most
 * 0.37 of the estimate of radau5, so such steps are not rejected.
 *
 * The points s are chosen in the values of u, not in time (look_points.c):
 * where u deviates most from I; where an input, or the sum or difference of
 * two, is beyond what was seen; and values of u far from all that were seen, up
 * to TESTS in one step.  A system whose matrices are constant needs the first
 * ones only, and no evaluation.
 *
 * After a surprise the step ends where the points see u (`resolved`), and so do
 * the next ones for a while.
 *
 * Time alone has no knots to look at: there the points of the method are at
 * most 1/110 of the run apart.  Nor have unknowns that run through new values
 * without an error that would tell: there the step is at most 1/64 of the run,
 * and is tested at two points if it is longer than 1/128.  So is the first step
 * after something that was not smooth, which has no estimate of its polynomial,
 * and one that is more than twice as long as the last.
 *
 * Limits: an f that tells no curves (look_curve.c) and answers to less than 1/16
 * of the range of u may pass unseen in a step at rest; a pulse in time that is
 * mixed with unknowns must last for 1/100 of the run then (time alone:
 * look_time.c).
 */
#include "step/drive.h"
#include "step/look/look.h"
#include "step/policy.h"

#include "base/vector.h"
#include "wave/waveform.h"

#include <math.h>
#include <string.h>

/* Pairs are looked at among so many inputs, those that deviate most. */
enum { PAIRED = 4 };

/* The distance of a point that was tested: less than that of one whose values
 * were seen elsewhere, as those of an input at rest until it bends. */
static const double TESTED = -1.0;

/* The peaks of (theta - c1)(theta - c2)(theta - 1), c1, c2 of radau5. */
static const double peak[] = { 0.36, 0.86 };
enum { PEAKS = 2 };

void yk_look_free(yk_step_look *k)
{
    YK_FREE(k->kept_low, k->kept_high, k->least, k->most, k->kept_least,
            k->kept_most, k->slope, k->ending, k->poly.coef, k->x, k->q, k->f,
            k->e, k->Cu, k->Gu, k->gauge, k->kept_gauge);
    YK_FREE(k->rate, k->charge);
    yk_matrix_free(k->matrix);
    yk_points_free(&k->points);
}

static size_t curves_of(const yk_problem *p)
{
    return p->facts->curves ? (size_t)p->facts->curves->count : 0;
}

yoke_status yk_look_create(yk_step_look *k, const yk_problem *p,
                           const yk_method *method, size_t coefs, yoke_err *err)
{
    const size_t n = (size_t)p->n + 1, m = (size_t)p->m + 1;
    double **const of_n[] = { &k->least,     &k->most, &k->kept_least,
                              &k->kept_most, &k->x,    &k->q,
                              &k->f,         &k->e };
    double **const of_m[] = { &k->kept_low, &k->kept_high, &k->slope,
                              &k->ending };

    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        YK_TRY(yk_doubles(of_n[i], n, err));
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        YK_TRY(yk_doubles(of_m[i], m, err));
    YK_TRY(yk_doubles(&k->poly.coef, coefs > 0 ? coefs + 1 : 6 * n, err));
    YK_TRY(YK_DOUBLES(curves_of(p) + 1, err, &k->gauge, &k->kept_gauge));
    YK_TRY(
        yk_doubles(&k->Cu, (size_t)yoke_pattern_count(p->facts->Cu) + 1, err));
    YK_TRY(
        yk_doubles(&k->Gu, (size_t)yoke_pattern_count(p->facts->Gu) + 1, err));
    if (!method->inside) {
        yk_problem alone = *p;
        alone.options.warm = false; /* its steps have all lengths: keep one */
        YK_TRY(yk_matrix_create(&k->matrix, &alone, false, err));
    }
    YK_TRY(YK_NEW(&k->rate, n, err));
    YK_TRY(YK_NEW(&k->charge, n, err));
    memcpy(k->charge, p->charge, (size_t)p->n * sizeof *k->charge);
    YK_TRY(yk_find_rates(p, k->charge, k->rate, err));
    return yk_points_create(&k->points, p, err);
}

/* ---- The accepted point -------------------------------------------------- */

static void meet(yk_step_look *k, int n, const double *x)
{
    for (int i = 0; i < n; i++) {
        k->least[i] = fmin(k->least[i], x[i]);
        k->most[i] = fmax(k->most[i], x[i]);
    }
}

void yk_look_start(yk_driver *d)
{
    yk_step_look *k = &d->look;
    const yk_problem *p = &d->p;

    k->now = (yk_look_watch){ .awake = 0 };
    k->sloped = k->swept = k->known = false;
    memset(k->gauge, 0, curves_of(p) * sizeof *k->gauge);
    yk_copy(k->points.low, p->u, p->m);
    yk_copy(k->points.high, p->u, p->m);
    yk_copy(k->least, p->x, p->n);
    yk_copy(k->most, p->x, p->n);
}

void yk_look_keep(yk_driver *d)
{
    yk_step_look *k = &d->look;
    const yk_problem *p = &d->p;

    k->kept = k->now;
    yk_copy(k->kept_low, k->points.low, p->m);
    yk_copy(k->kept_high, k->points.high, p->m);
    yk_copy(k->kept_least, k->least, p->n);
    yk_copy(k->kept_most, k->most, p->n);
    yk_copy(k->kept_gauge, k->gauge, (int)curves_of(p));
    if (k->swept) yk_copy(k->slope, k->ending, p->m);
    k->sloped = k->swept;
}

void yk_look_back(yk_driver *d)
{
    yk_step_look *k = &d->look;
    const yk_problem *p = &d->p;

    k->now = k->kept;
    yk_copy(k->points.low, k->kept_low, p->m);
    yk_copy(k->points.high, k->kept_high, p->m);
    yk_copy(k->least, k->kept_least, p->n);
    yk_copy(k->most, k->kept_most, p->n);
    yk_copy(k->gauge, k->kept_gauge, (int)curves_of(p));
}

/* Time enters in other ways than breakpoints and straight lines. */
static bool is_timed(const yk_problem *p)
{
    return !(p->facts->flags & YOKE_TIMELESS);
}

/* ---- Which points -------------------------------------------------------- */

static bool done(const yk_step_look *k)
{
    return k->worst > k->bound || k->tests >= k->limit;
}

static yoke_status test_candidate(yk_driver *d, int i, yoke_err *err)
{
    yk_points *c = &d->look.points;
    const int m = d->p.m;
    const double *const u = c->u + (size_t)i * (size_t)m;

    YK_TRY(yk_look_test(d, c->time[i], u, err));
    yk_points_see(c, m, u);
    c->near[i] = TESTED;
    return YOKE_OK;
}

/* 1: where each input deviates most from what the points saw. */
static yoke_status test_deviations(yk_driver *d, yoke_err *err)
{
    const yk_points *c = &d->look.points;
    const yk_problem *p = &d->p;

    for (int j = 0; j < p->m && !done(&d->look); j++) {
        const double size = fmax(fabs(c->low[j]), fabs(c->high[j]));
        /* Two points see no curvature; the past of their method does. */
        const double tolerance = d->look.stages.count > 2
                                     ? yk_tolerance_u(p, size)
                                     : YK_LOOK_ROUGH * yk_points_width(c, j);
        if (!(c->most[j] > tolerance)) continue;
        if (c->near[c->where[j]] == TESTED) continue; /* for another input */
        YK_TRY(test_candidate(d, c->where[j], err));
    }
    return YOKE_OK;
}

static yoke_status test_extreme(yk_driver *d, const yk_direction *a,
                                yoke_err *err)
{
    const yk_points *c = &d->look.points;
    const int at = yk_points_extreme(c, d->p.m, a, d->p.options.rtol);

    return at < 0 || done(&d->look) ? YOKE_OK : test_candidate(d, at, err);
}

/* The inputs with the largest deviations, at most PAIRED. */
static int most_deviating(const yk_driver *d, int *list)
{
    const yk_points *c = &d->look.points;
    int count = 0;

    for (int j = 0; j < d->p.m; j++) {
        const double width = yk_points_width(c, j);
        int at = count;
        if (!(width > 0.0)) continue;
        const double size = c->most[j] / width;
        while (at > 0 &&
               size > c->most[list[at - 1]] / yk_points_width(c, list[at - 1]))
            at--;
        if (at >= PAIRED) continue;
        if (count < PAIRED) count++;
        for (int i = count - 1; i > at; i--) list[i] = list[i - 1];
        list[at] = j;
    }
    return count;
}

/* 2: least and largest inputs, sums and differences. */
static yoke_status test_extremes(yk_driver *d, yoke_err *err)
{
    int list[PAIRED] = { 0 };
    const int pairs = most_deviating(d, list);

    for (int j = 0; j < d->p.m && !done(&d->look); j++)
        for (int s = -1; s <= 1; s += 2)
            YK_TRY(test_extreme(d, &(yk_direction){ 1, { j }, { s } }, err));
    for (int i = 0; i < pairs; i++)
        for (int j = 0; j < i && !done(&d->look); j++)
            for (int s = 0; s < 4; s++) {
                const yk_direction a = { 2,
                                         { list[i], list[j] },
                                         { s & 1 ? -1 : 1, s & 2 ? -1 : 1 } };
                YK_TRY(test_extreme(d, &a, err));
            }
    return YOKE_OK;
}

/* 3: values that nothing has seen. */
static yoke_status test_new_values(yk_driver *d, yoke_err *err)
{
    while (!done(&d->look)) {
        const int at = yk_points_farthest(&d->look.points, YK_LOOK_NEW_VALUE);
        if (at < 0) break;
        YK_TRY(test_candidate(d, at, err));
    }
    return YOKE_OK;
}

static yoke_status test_inputs(yk_driver *d, yoke_err *err)
{
    yk_step_look *k = &d->look;
    yk_problem *p = &d->p;
    yk_points *c = &k->points;

    k->by_inputs = p->affine; /* time is looked at by itself */
    if (yk_points_calm(c, p, &k->stages, p->t, k->h)) return YOKE_OK;
    YK_TRY(yk_points_collect(c, p, &k->stages, p->t, k->h, true, err));
    if (c->count == 0) return YOKE_OK;
    for (int i = 0; i < k->stages.count; i++)
        yk_points_see(c, p->m, c->node + i * p->m);
    YK_TRY(test_deviations(d, err));
    if (p->affine) return YOKE_OK;
    YK_TRY(test_extremes(d, err));
    return test_new_values(d, err);
}

/* ---- Without knots ------------------------------------------------------- */

/* The step takes an unknown through values that are new, while nothing tells
 * how long it may be. */
static bool runs(const yk_step_look *k, const yk_problem *p, double error)
{
    if (error > YK_LOOK_EASY) return false;
    for (int i = 0; i < p->n; i++) {
        const double move = fabs(p->x_new[i] - p->x[i]);
        const double low = fmin(k->least[i], p->x_new[i]);
        const double high = fmax(k->most[i], p->x_new[i]);
        const double size = fmax(fabs(p->x[i]), fabs(p->x_new[i]));
        if (move > 10.0 * yk_tolerance_x(p, i, size) &&
            move > YK_LOOK_LONGEST * (high - low))
            return true;
    }
    return false;
}

/* Does the polynomial begin in another direction than the last one ended?  The
 * estimate is one of smooth solutions; a diode that opens inside the step bends
 * it at once. */
static bool turns(const yk_driver *d)
{
    const yk_problem *p = &d->p;
    const yk_poly *new = &d->look.poly, *old = &p->poly;

    if (!old->valid || !d->method->inside) return false;
    for (int i = 0; i < p->n; i++) {
        double slope = 0.0;
        for (int k = 1; k <= old->degree; k++)
            slope += k * old->coef[(size_t)k * (size_t)p->n + (size_t)i];
        const double turn = fabs(new->coef[p->n + i] - slope *new->h / old->h);
        const double size = fmax(fabs(p->x[i]), fabs(p->x_new[i]));
        if (turn > YK_LOOK_TURNED * yk_tolerance_x(p, i, size)) return true;
    }
    return false;
}

static bool wants_peaks(const yk_driver *d, double h)
{
    const yk_step_look *k = &d->look;
    const yk_problem *p = &d->p;

    if (k->first)
        return k->now.easy < YK_LOOK_OFTEN || k->now.easy % YK_LOOK_OFTEN == 0;
    if (!p->affine && turns(d)) return true;
    if (!(p->options.span > 0.0) ||
        h <= 0.5 * YK_LOOK_LONGEST * p->options.span)
        return false;
    return k->now.runs || (!p->affine && h > YK_LOOK_GROWTH * k->now.h);
}

static yoke_status test_peaks(yk_driver *d, yoke_err *err)
{
    yk_step_look *k = &d->look;
    yk_problem *p = &d->p;

    k->by_inputs = false;
    for (int i = 0; i < PEAKS && !done(k); i++) {
        const double t = p->t + peak[i] * k->h;
        YK_TRY(yk_look_test(d, t, yk_input(p, t), err));
    }
    if (k->worst > YK_LOOK_EASY) k->now.easy = -1;
    k->tests = 0;
    return YOKE_OK;
}

/* ---- The step ------------------------------------------------------------ */

/* Methods that can reject a step. */
static bool looks(const yk_driver *d)
{
    return d->method->inside || d->method->defect;
}

static void shape(yk_driver *d, double h)
{
    yk_problem *p = &d->p;
    const yk_poly before = p->poly;

    p->poly = d->look.poly;
    d->method->shape(d->self, h);
    d->look.poly = p->poly;
    p->poly = before;
}

static void begin(yk_step_look *k, double h, int limit, double bound)
{
    k->h = h;
    k->tests = 0;
    k->limit = limit;
    k->worst = 0.0;
    k->bound = bound;
    k->points.deviation = 0.0;
    k->by_course = false;
    k->by_curve = 0;
}

yoke_status yk_look_step(yk_driver *d, double h, double error, double *missed,
                         yoke_err *err)
{
    yk_step_look *k = &d->look;
    yk_problem *p = &d->p;

    *missed = 0.0;
    if (!looks(d) || p->n == 0) return YOKE_OK;
    begin(k, h, YK_LOOK_TESTS, d->loose);
    k->now.runs = !p->affine && runs(k, p, error);
    yk_look_stages(d, h, &k->stages);
    if (d->method->inside) shape(d, h);
    k->shaped = d->method->inside != NULL;
    YK_TRY(yk_look_at_time(d, err));
    if (k->worst <= k->bound) YK_TRY(yk_look_at_curves(d, err));
    if (k->worst <= k->bound && wants_peaks(d, h)) YK_TRY(test_peaks(d, err));
    if (k->worst <= k->bound && p->m > 0 && p->wave)
        YK_TRY(test_inputs(d, err));
    *missed = k->worst / d->loose;
    if (*missed > 1.0)
        yk_fail(err, YOKE_RETRY,
                "at t = %.9g, inside the step, \"%s\" is off by %.3g times the "
                "tolerance",
                k->worst_time, p->facts->x_name[k->worst_of], *missed);
    return YOKE_OK;
}

/* Unknown j through all points of the method but the beginning. */
static void drop_beginning(yk_problem *p, const yk_stages *s, int j)
{
    const double *const theta = s->theta + 1;
    double *const c = p->poly.coef + j;
    const size_t n = (size_t)p->n;
    const bool bent = s->count > 3;
    double v[3] = { 0.0 };

    for (int i = 0; i < s->count - 1; i++)
        for (int k = p->poly.degree; k >= 0; k--)
            v[i] = v[i] * theta[i] + c[(size_t)k * n];
    const double a = (v[1] - v[0]) / (theta[1] - theta[0]);
    const double b = bent ? (v[2] - v[1]) / (theta[2] - theta[1]) : a;
    const double bend = bent ? (b - a) / (theta[2] - theta[0]) : 0.0;
    for (int k = 3; k <= p->poly.degree; k++) c[(size_t)k * n] = 0.0;
    c[0] = v[0] - theta[0] * (a - bend * theta[1]);
    c[n] = a - bend * (theta[0] + theta[1]);
    c[2 * n] = bend;
}

bool yk_look_mend(yk_driver *d)
{
    bool mended = false;
    yk_stages s;

    if (!d->look.first || !d->method->inside || d->p.facts->help->project)
        return false;
    d->method->inside(d->self, 0.0, &s);
    if (s.count < 3 || d->p.poly.degree < 2) return false;
    for (int j = 0; j < d->p.n; j++) {
        if (!yk_look_is_stale(d, j)) continue;
        drop_beginning(&d->p, &s, j);
        mended = true;
    }
    return mended;
}

static yoke_status look_at_fixed_inputs(yk_driver *d, double h, yoke_err *err)
{
    yk_step_look *k = &d->look;
    yk_problem *p = &d->p;

    YK_TRY(yk_points_collect(&k->points, p, &k->stages, p->t, h, true, err));
    if (k->points.count == 0 || k->points.deviation <= YK_LOOK_MISSABLE)
        return YOKE_OK;
    for (int i = 0; i < k->stages.count; i++)
        yk_points_see(&k->points, p->m, k->points.node + i * p->m);
    YK_TRY(test_deviations(d, err));
    if (!p->affine) YK_TRY(test_extremes(d, err));
    return p->affine ? YOKE_OK : test_new_values(d, err);
}

yoke_status yk_look_fixed(yk_driver *d, double t, double h, yoke_err *err)
{
    yk_step_look *k = &d->look;
    yk_problem *p = &d->p;
    const bool inputs = p->m > 0 && p->wave;

    if ((!inputs && !p->facts->courses) || p->n == 0) return YOKE_OK;
    if (k->turn++ % YK_LOOK_TURN) return YOKE_OK;
    begin(k, h, YK_LOOK_TESTS, INFINITY);
    k->by_inputs = false;
    yk_look_stages(d, h, &k->stages);
    if (d->method->shape) shape(d, h);
    if (inputs) YK_TRY(look_at_fixed_inputs(d, h, err));
    YK_TRY(yk_look_at_fixed_time(d, t, h, YK_LOOK_TURN, err));
    if (k->worst <= p->work.overlooked) return YOKE_OK;
    p->work.overlooked = k->worst;
    p->work.overlooked_time = k->worst_time;
    p->work.overlooked_in = k->worst_of;
    return YOKE_OK;
}

/* The longest of h, h/2, ... over which the points see the inputs. */
static yoke_status resolved(yk_driver *d, double h, double *most, yoke_err *err)
{
    yk_step_look *k = &d->look;
    yk_problem *p = &d->p;
    yk_stages nodes;

    yk_look_stages(d, 0.0, &nodes);
    for (int i = 0; i < 40; i++) {
        YK_TRY(yk_points_collect(&k->points, p, &nodes, p->t, h, false, err));
        if (k->points.deviation <= YK_LOOK_ROUGH) break;
        h *= 0.5;
    }
    *most = h;
    return YOKE_OK;
}

/* The longest step of which time hides nothing between the points. */
static double timed_limit(const yk_driver *d)
{
    yk_stages nodes;
    double gap = 0.0;

    yk_look_stages(d, 0.0, &nodes);
    for (int i = 1; i < nodes.count; i++)
        gap = fmax(gap, nodes.theta[i] - nodes.theta[i - 1]);
    return gap > 0.0 ? YK_LOOK_UNSEEN * d->p.options.span / gap : INFINITY;
}

double yk_look_longest(const yk_driver *d)
{
    const yk_problem *p = &d->p;
    double most = INFINITY;

    if (!looks(d) || !(p->options.span > 0.0)) return INFINITY;
    if (is_timed(p)) most = timed_limit(d);
    if (d->look.now.runs) most = fmin(most, YK_LOOK_LONGEST * p->options.span);
    return most;
}

yoke_status yk_look_limit(yk_driver *d, double h, double *most, yoke_err *err)
{
    const yk_step_look *k = &d->look;
    const yk_problem *p = &d->p;

    *most = h;
    if (!looks(d)) return YOKE_OK;
    *most = fmin(*most, yk_look_longest(d));
    if (k->now.alert > 0) {
        *most = fmin(*most, p->end - p->t);
        yk_look_before(d, most);
    }
    if (p->m == 0 || !p->wave) return YOKE_OK;
    *most = fmin(*most, yk_points_reach(p->wave, p->t, YK_LOOK_PIECES));
    if (k->now.awake == 0) return YOKE_OK;
    return resolved(d, fmin(*most, p->end - p->t), most, err);
}

yoke_status yk_look_shorter(yk_driver *d, double h, double missed, double *next,
                            yoke_err *err)
{
    yk_look_watch *w = &d->look.now;
    const double power = -1.0 / (d->method->order + 1);

    if (d->look.by_course) {
        *next = 0.5 * h;
        yk_look_before(d, next);
        return YOKE_OK;
    }
    if (d->look.by_curve > 0) {
        *next = yk_look_curve_ends(d, h);
        return YOKE_OK;
    }
    if (d->look.points.deviation > YK_LOOK_ROUGH) {
        w->awake = YK_LOOK_ALERT;
        return resolved(d, 0.5 * h, next, err);
    }
    *next = h * fmax(0.2, fmin(0.9, 0.9 * pow(missed, power)));
    return YOKE_OK;
}

/* A step cut short by the end of its segment tells nothing against a longer
 * one. */
void yk_look_accept(yk_driver *d, double t, double h)
{
    yk_step_look *k = &d->look;
    yk_look_watch *w = &k->now;

    meet(k, d->p.n, d->p.x_new);
    if (k->first) w->easy++;
    k->first = false;
    if (w->alert > 0) w->alert--;
    w->h = t == d->p.end ? fmax(w->h, h) : h;
    if (w->awake > 0) w->awake--;
}

/* ---- Sweeps and segments ------------------------------------------------- */

/* Does a window begin with another slope of the inputs than the last had at its
 * end?  By more than the kinks that drive.c divides segments at. */
static bool kinked(yk_driver *d, double h)
{
    yk_step_look *k = &d->look;
    const yk_problem *p = &d->p;
    const yk_wave *u = p->wave;
    double *const slope = k->points.here;

    if (!k->sloped) return false;
    yk_piece_dot(u, yk_wave_piece(u, p->t, true, NULL), p->t, 1, slope);
    for (int j = 0; j < p->m; j++) {
        const double size =
            fmax(fabs(k->points.low[j]), fabs(k->points.high[j]));
        const double tolerance = yk_tolerance_u(p, size);
        if (fabs(slope[j] - k->slope[j]) * h > YK_STEP_KINK * tolerance)
            return true;
    }
    return false;
}

void yk_look_sweep(yk_driver *d, double t1)
{
    yk_step_look *k = &d->look;
    const yk_problem *p = &d->p;

    if (p->m == 0 || !p->wave) return;
    yk_points_range(&k->points, p->wave, p->t, t1);
    yk_piece_dot(p->wave, yk_wave_piece(p->wave, t1, false, NULL), t1, 1,
                 k->ending);
    k->swept = true;
}

void yk_look_segment(yk_driver *d)
{
    yk_step_look *k = &d->look;
    const yk_problem *p = &d->p;
    const double h = fmin(d->control.h, p->end - p->begin);

    k->first = !p->poly.valid || p->t != d->kept.t ||
               (p->m > 0 && p->wave && kinked(d, h));
    if (k->first) k->now.h = 0.0;
}
