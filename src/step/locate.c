/* step/locate.c -- the first event inside a step.
 *
 * The indicators are looked at at POINTS points of the step, x between its ends
 * being the polynomial of the method.  Between the first two of them where an
 * armed indicator rises to zero,
 *
 *     phi(t) = max over the armed k of g_k(t, x(t), u(t))
 *
 * changes its sign.  Its root is bracketed (regula falsi of Illinois, every
 * third time bisection).  Then the step is taken again with its end there, and
 * the root of phi along the new, shorter step is followed: at its end x is a
 * value of the method and not of the interpolation, so the instant has the
 * accuracy of the method.  This converges fast, since the new polynomial is
 * exact at the point of interest; at most RETAKES times.  A method that chooses
 * its own steps is not asked again: there the interpolated x is taken.
 *
 * The first step after an event is looked at more closely near its beginning: a
 * ball may have left the ground and be back long before the first point.
 *
 * Limits: an indicator that rises and falls again between two points is not
 * seen.
 * Reference: Dowell and Jarratt, BIT 11 (1971) 168; Shampine and Thompson,
 * Appl. Numer. Math. 39 (2000) 327 (event location in general).
 */
#include "step/drive.h"
#include "step/event.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { POINTS = 5, CLOSE_POINTS = 25, ROOT_ITERATIONS = 200, RETAKES = 6 };

/* Times closer than this part of the step, times rtol, are one for methods that
 * control their error. */
static const double part_of_tolerance = 1e-3;

/* The step looked at, from p->t. */
typedef struct trial {
    yk_driver *d;
    yk_problem *p;
    yk_events *e;
    double t, h;   /* its end and length */
    double end;    /* its end when it was tried first */
    double tol;    /* times that agree to this are equal */
    double least;  /* shortest step */
    double lo, hi; /* where phi changes its sign */
} trial;

static double rounding(const trial *s)
{
    return 4.0 * DBL_EPSILON * fmax(fabs(s->p->t), s->h);
}

static trial describe(yk_driver *d, double t, double h)
{
    trial s = { .d = d, .p = &d->p, .e = &d->events, .t = t, .h = h, .end = t };

    s.tol = rounding(&s);
    s.least = 4.0 * s.tol;
    if (d->method->stepping != YK_FIXED)
        s.tol = fmax(s.tol, part_of_tolerance * d->p.options.rtol * h);
    return s;
}

/* The polynomial of the step; that of the step before stays in p->poly. */
static void shape(const trial *s)
{
    const yk_poly before = s->p->poly;

    if (!s->d->method->shape) return;
    s->p->poly = s->e->poly;
    s->d->method->shape(s->d->self, s->h);
    s->e->poly = s->p->poly;
    s->p->poly = before;
}

static yoke_status state_at(const trial *s, double t, const double **x,
                            yoke_err *err)
{
    const yk_method *method = s->d->method;

    *x = s->e->x;
    if (t <= s->p->t)
        *x = s->p->x;
    else if (t == s->t)
        *x = s->p->x_new;
    else if (method->dense)
        return method->dense(s->d->self, t, s->p->n, s->e->all, s->e->x, err);
    else
        yk_poly_eval(&s->e->poly, s->p->n, t, s->e->x);
    return YOKE_OK;
}

static yoke_status indicate(const trial *s, double t, yoke_err *err)
{
    yk_problem *p = s->p;
    const double *x = NULL;

    YK_TRY(state_at(s, t, &x, err));
    return yoke_system_indicate(p->system, yk_time(p, t), x, yk_input(p, t),
                                s->e->g, err);
}

/* ---- Is there an event? -------------------------------------------------- */

static bool rises(const yk_events *e)
{
    for (int k = 0; k < e->count; k++)
        if (e->seen[k] && e->g[k] >= 0.0) return true;
    return false;
}

static void arm(const yk_events *e)
{
    for (int k = 0; k < e->count; k++)
        if (e->g[k] < -e->mark[k].band) e->seen[k] = true;
}

/* Points of the step, in increasing order; `close` of them near its beginning.
 */
static double point(int j, int close)
{
    if (j < close) return ldexp(1.0, -2 * (close + 1 - j));
    return (double)(j - close + 1) / POINTS;
}

/* Between s->lo and s->hi the first indicator rises. */
static yoke_status scan(trial *s, bool *found, yoke_err *err)
{
    yk_events *e = s->e;
    const int close = e->fresh ? CLOSE_POINTS : 0;

    for (int k = 0; k < e->count; k++) {
        e->seen[k] = e->mark[k].armed;
        e->size[k] = 0.0;
    }
    s->hi = s->p->t;
    for (int j = 0; j < close + POINTS; j++) {
        const double theta = point(j, close);
        s->lo = s->hi;
        s->hi = theta == 1.0 ? s->t : s->p->t + theta * (s->t - s->p->t);
        YK_TRY(indicate(s, s->hi, err));
        for (int k = 0; k < e->count; k++)
            e->size[k] = fmax(e->size[k], fabs(e->g[k]));
        *found = rises(e);
        if (*found) return YOKE_OK;
        arm(e);
    }
    return YOKE_OK;
}

/* ---- When? --------------------------------------------------------------- */

static yoke_status level(const trial *s, double t, double *phi, yoke_err *err)
{
    const yk_events *e = s->e;

    YK_TRY(indicate(s, t, err));
    *phi = -INFINITY;
    for (int k = 0; k < e->count; k++)
        if (e->seen[k]) *phi = fmax(*phi, e->g[k]);
    return YOKE_OK;
}

static double between(double a, double fa, double b, double fb, bool halve)
{
    return halve ? 0.5 * (a + b) : a + (b - a) * (fa / (fa - fb));
}

/* phi(a) < 0 <= phi(b); *t is the end b of the last bracket, where phi is above
 * zero: an indicator -phi is then below. */
static yoke_status root(const trial *s, double a, double b, double *t,
                        yoke_err *err)
{
    const double tol = rounding(s);
    double fa = 0.0, fb = 0.0, fc = 0.0;
    int side = 0;

    YK_TRY(level(s, a, &fa, err));
    YK_TRY(level(s, b, &fb, err));
    for (int i = 1; i < ROOT_ITERATIONS && b - a > tol; i++) {
        const double guess = between(a, fa, b, fb, i % 3 == 0);
        const double c = fmin(fmax(guess, a + 0.5 * tol), b - 0.5 * tol);
        YK_TRY(level(s, c, &fc, err));
        if (fc > 0.0) {
            b = c;
            fb = fc;
            if (side > 0) fa *= 0.5;
            side = 1;
        } else {
            a = c;
            fa = fc;
            if (side < 0) fb *= 0.5;
            side = -1;
        }
    }
    *t = b;
    return YOKE_OK;
}

/* The root of phi along the step just taken that is next to its end; the
 * polynomial may be continued by its length.  *after: phi is above zero at the
 * end. */
static yoke_status follow(const trial *s, double *t, bool *after, yoke_err *err)
{
    double phi = 0.0, from = s->t, to = s->t;

    YK_TRY(level(s, s->t, &phi, err));
    *after = phi > 0.0;
    const double stop = *after ? s->lo : fmin(s->hi, s->t + s->h);
    for (double gap = s->tol; to != stop; gap *= 4.0) {
        from = to;
        to = *after ? fmax(s->t - gap, stop) : fmin(s->t + gap, stop);
        YK_TRY(level(s, to, &phi, err));
        if ((phi > 0.0) != *after)
            return root(s, fmin(from, to), fmax(from, to), t, err);
    }
    if (!*after) *t = stop;
    return YOKE_OK;
}

/* ---- The step that ends there -------------------------------------------- */

static yoke_status interpolated(trial *s, double t, yoke_err *err)
{
    yk_problem *p = s->p;

    if (t != s->t)
        YK_TRY(
            s->d->method->dense(s->d->self, t, p->n, s->e->all, p->x_new, err));
    s->t = t;
    s->h = t - p->t;
    return yk_eval(p, t, p->x_new, p->q_new, NULL, err);
}

static yoke_status retake(trial *s, double t, yoke_err *err)
{
    double error = 0.0;

    s->t = t;
    s->h = t - s->p->t;
    s->p->work.rejected++;
    YK_TRY(yk_try_step(s->d, s->t, s->h, &error, err));
    shape(s);
    if (error <= 1.0) return YOKE_OK;
    return yk_fail(
        err, YOKE_RETRY,
        "the error of a step to an event is %.3g times the tolerance", error);
}

/* No shorter than the least step, and not just before the end. */
static double placed(const trial *s, double t)
{
    if (s->end - t <= 4.0 * s->least + 1e-12 * (s->end - s->p->t))
        return s->end;
    return fmax(t, s->p->t + s->least);
}

static yoke_status settle(trial *s, double t, yoke_err *err)
{
    for (int i = 0; i < RETAKES; i++) {
        double next = t;
        bool after = false;
        if (t != s->t) YK_TRY(retake(s, t, err));
        if (t == s->end) return YOKE_OK;
        YK_TRY(follow(s, &next, &after, err));
        next = placed(s, next);
        if (after && fabs(next - t) <= s->tol) return YOKE_OK;
        t = next;
    }
    return YOKE_OK;
}

/* Events until then are at the same time.  A polynomial is not continued for
 * more than its length. */
static double a_little_later(const trial *s)
{
    const double gap = fmax(s->tol, 16.0 * rounding(s));

    if (s->d->method->dense) return fmin(s->t + gap, s->end);
    return s->t + fmin(gap, s->e->poly.h);
}

/* Indicators at zero within the tolerance in time are pending; at least one. */
static yoke_status decide(const trial *s, yoke_err *err)
{
    yk_events *e = s->e;
    int most = -1;
    bool any = false;

    YK_TRY(indicate(s, a_little_later(s), err));
    for (int k = 0; k < e->count; k++) {
        yk_mark *mark = &e->mark[k];
        mark->armed = e->seen[k];
        mark->pending = e->seen[k] && e->g[k] >= 0.0;
        any = any || mark->pending;
        if (e->seen[k] && (most < 0 || e->g[k] > e->g[most])) most = k;
    }
    if (!any) e->mark[most].pending = true;
    YK_TRY(indicate(s, s->t, err));
    for (int k = 0; k < e->count; k++)
        if (e->mark[k].pending)
            e->mark[k].band =
                2.0 * fmax(-e->g[k], 0.0) + 16.0 * DBL_EPSILON * e->size[k];
    return YOKE_OK;
}

/* The first event is between s->lo and s->hi.  If that is where the step begins
 * there is no step; unless it began with events: their effect shows later. */
static yoke_status go_there(trial *s, yoke_err *err)
{
    double t = s->end;

    YK_TRY(root(s, s->lo, s->hi, &t, err));
    if (t <= s->p->t + s->least && !s->e->fresh) {
        s->t = s->p->t;
        s->h = 0.0;
    } else if (s->d->method->dense)
        YK_TRY(interpolated(s, placed(s, t), err));
    else
        YK_TRY(settle(s, placed(s, t), err));
    return decide(s, err);
}

yoke_status yk_events_locate(yk_driver *d, double *t, double *h, bool *found,
                             yoke_err *err)
{
    yk_events *e = &d->events;
    trial s = describe(d, *t, *h);
    bool inside = false;

    *found = false;
    if (e->count == 0) return YOKE_OK;
    shape(&s);
    YK_TRY(scan(&s, &inside, err));
    if (inside) {
        YK_TRY(go_there(&s, err));
        *t = s.t;
        *h = s.h;
    } else {
        for (int k = 0; k < e->count; k++) e->mark[k].armed = e->seen[k];
        e->fresh = false;
    }
    *found = inside;
    return YOKE_OK;
}
