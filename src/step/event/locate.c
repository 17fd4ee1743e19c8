/* step/event/locate.c -- the first event inside a step.
 *
 * The indicators are looked at at points of the step (scan.c), x between its
 * ends being the polynomial of the method.  If three points in a row are below
 * zero, and the parabola through them comes near it, so is its top, up to TOPS
 * times: an indicator may rise and fall again between two points.  Between the
 * first two points where an armed indicator rises to zero,
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
 * Of systems that tell bounds of their indicators (yoke_curves) the first rise
 * in the step is known in advance (rise.c), and so are points that show it.
 *
 * Limits: without such bounds an indicator that rises and falls again between
 * two points, and is not like a parabola there, is not seen.
 * Reference: Dowell and Jarratt, BIT 11 (1971) 168; Shampine and Thompson,
 * Appl. Numer. Math. 39 (2000) 327 (event location in general).
 */
#include "step/drive.h"
#include "base/lengths.h"
#include "step/event/event.h"
#include "step/event/rise.h"
#include "step/policy.h"
#include "sys/call.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROOT_ITERATIONS = 200 };

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
    bool touch;    /* it does not, but touches zero at both (touches) */
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
        s.tol = fmax(s.tol, YK_STEP_SAME_INSTANT * d->p.options.rtol * h);
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
    YK_TRY(yk_system_indicate(p->system, yk_time(p, t), x, yk_input(p, t),
                              s->e->g, err));
    return yk_events_bands(s->d, t, x, err);
}

/* ---- Is there an event? -------------------------------------------------- */

static bool rises(const yk_events *e)
{
    for (int k = 0; k < e->count; k++)
        if (yk_mark_fires(&e->mark[k], e->seen[k], e->g[k])) return true;
    return false;
}

static void arm(const yk_events *e)
{
    for (int k = 0; k < e->count; k++)
        if (e->g[k] < -e->mark[k].band) e->seen[k] = true;
}

static void measure(const yk_events *e)
{
    for (int k = 0; k < e->count; k++)
        e->size[k] = fmax(e->size[k], fabs(e->g[k]));
}

/* Three points of one indicator. */
typedef struct arch {
    double t[3], g[3];
} arch;

/* The top of the parabola through them, if it lies between them and comes near
 * zero: no farther from it than half of what it rises. */
static bool has_top(const arch *a, double *t)
{
    const double left = a->t[1] - a->t[0], right = a->t[2] - a->t[1];
    const double up = (a->g[1] - a->g[0]) / left;
    const double down = (a->g[2] - a->g[1]) / right;
    const double bend = (down - up) / (left + right);

    if (!(bend < 0.0) || !(left > 0.0) || !(right > 0.0)) return false;
    *t = a->t[0] + 0.5 * (left - up / bend);
    if (!(*t > a->t[0]) || !(*t < a->t[2]) || *t == a->t[1]) return false;
    const double s = *t - a->t[0];
    const double top = a->g[0] + s * (up + bend * (s - left));
    return top + 0.5 * (top - fmin(a->g[0], a->g[2])) >= 0.0;
}

/* The three points around the highest of four. */
static void narrow(arch *a, double t, double g)
{
    const int at = t < a->t[1] ? 1 : 2; /* the new one comes before it */
    const bool higher = g > a->g[1];

    if ((at == 1) == higher) {
        a->t[2] = at == 1 ? a->t[1] : t;
        a->g[2] = at == 1 ? a->g[1] : g;
    } else {
        a->t[0] = at == 1 ? t : a->t[1];
        a->g[0] = at == 1 ? g : a->g[1];
    }
    if (!higher) return;
    a->t[1] = t;
    a->g[1] = g;
}

/* A top just below zero: would it reach zero if unknowns and inputs were off by
 * a tolerance?  Then it is open whether the event happens. */
static yoke_status note_graze(trial *s, int k, const arch *a, yoke_err *err)
{
    yk_problem *p = s->p;
    yk_events *e = s->e;
    const yk_mark *mark = &e->mark[k];
    const double *x = NULL, *const u = yk_input(p, a->t[1]);
    bool reaches = false;

    if (mark->kink || mark->watched || a->g[1] < -YK_EVENT_GRAZE * e->size[k])
        return YOKE_OK;
    YK_TRY(state_at(s, a->t[1], &x, err));
    memcpy(e->x_moved, x, (size_t)p->n * sizeof *x);
    for (int sign = -1; sign <= 1 && !reaches; sign += 2) {
        for (int i = 0; i < p->n; i++)
            e->x_moved[i] = x[i] + sign * yk_tolerance_u(p, x[i]);
        for (int c = 0; c < p->m; c++)
            e->u[c] = u[c] + sign * yk_tolerance_u(p, u[c]);
        YK_TRY(yk_system_indicate(p->system, yk_time(p, a->t[1]), e->x_moved,
                                  e->u, e->g, err));
        reaches = yk_mark_above(mark, e->seen[k], e->g[k]) >= 0.0;
    }
    if (!reaches) return YOKE_OK;
    p->work.grazes++;
    p->work.grazed_time = a->t[1];
    p->work.grazed_event = k;
    return YOKE_OK;
}

/* Does indicator k reach zero between the last three points? */
static yoke_status look_at_top(trial *s, int k, arch a, bool *found,
                               yoke_err *err)
{
    yk_events *e = s->e;
    double t = 0.0;

    for (int i = 0; i < YK_EVENT_TOPS && has_top(&a, &t); i++) {
        YK_TRY(indicate(s, t, err));
        measure(e);
        yk_branch_note(e, t);
        *found = rises(e);
        if (*found) {
            s->lo = t < a.t[1] ? a.t[0] : a.t[1];
            s->hi = t;
            return YOKE_OK;
        }
        narrow(&a, t, yk_mark_above(&e->mark[k], e->seen[k], e->g[k]));
    }
    return note_graze(s, k, &a, err);
}

/* The same for all of them; t: of past[0], past[1] and of g, which stays. */
static yoke_status look_at_tops(trial *s, const double t[3], bool *found,
                                yoke_err *err)
{
    yk_events *e = s->e;
    const size_t bytes = (size_t)e->count * sizeof *e->g;

    memcpy(e->past[2], e->g, bytes);
    for (int k = 0; k < e->count && !*found; k++) {
        arch a = { .t = { t[0], t[1], t[2] } };
        bool below = e->seen[k] || e->mark[k].level;
        for (int i = 0; i < 3 && below; i++) {
            a.g[i] = yk_mark_above(&e->mark[k], e->seen[k], e->past[i][k]);
            below = a.g[i] < 0.0;
        }
        if (below) YK_TRY(look_at_top(s, k, a, found, err));
    }
    if (!*found) memcpy(e->g, e->past[2], bytes);
    return YOKE_OK;
}

/* Does indicator k reach zero at t if the inputs move by a fiftieth of what
 * they are known to? */
static yoke_status reaches(trial *s, int k, double t, double sign, bool *out,
                           yoke_err *err)
{
    yk_problem *p = s->p;
    yk_events *e = s->e;
    const double *x = NULL, *const u = yk_input(p, t);

    for (int c = 0; c < p->m; c++)
        e->u[c] = u[c] + sign * YK_EVENT_REACH * yk_tolerance_u(p, u[c]);
    YK_TRY(state_at(s, t, &x, err));
    YK_TRY(
        yk_system_indicate(p->system, yk_time(p, t), x, e->u, e->past[2], err));
    *out = *out || e->past[2][k] >= 0.0;
    return YOKE_OK;
}

/* Which happen, as e->g is; or `one`, if that is no -1. */
static void note_rise(const yk_events *e, int one)
{
    for (int k = 0; k < e->count; k++)
        e->rose[k] = one < 0 ? yk_mark_fires(&e->mark[k], e->seen[k], e->g[k])
                             : k == one;
}

/* An event of the sweep before has bent the inputs at t, so that they turn back
 * there: a relay that switches its own input off.  Its indicator then just
 * reaches zero, or just does not, by the difference between a neighbour's
 * interpolated value and that of a step which ends there.  In the second case
 * the event would vanish, return in the next sweep, and so on forever. */
static yoke_status touches(trial *s, double t, bool *found, yoke_err *err)
{
    const yk_events *e = s->e;

    for (int k = 0; k < e->count && !*found && s->p->m > 0; k++) {
        if (!e->seen[k] || !yk_events_prior(e, k, t, rounding(s)) ||
            fabs(t - e->mark[k].last) <= rounding(s)) /* it has happened */
            continue;
        for (int side = -1; side <= 1; side += 2)
            YK_TRY(reaches(s, k, t, side, found, err));
        if (*found) note_rise(e, k);
    }
    if (*found) {
        s->lo = s->hi = t;
        s->touch = true;
    }
    return YOKE_OK;
}

/* ---- By bounds ----------------------------------------------------------- */

/* Where indicator k, once it has been below zero, first rises to it, a kink to
 * `band`, before `end`: the times between which it does, and one before at which
 * it is armed. */
static bool find_rise(const trial *s, yk_rise *r, double band, double end,
                      double out[3])
{
    const yk_mark *mark = &s->e->mark[r->k];
    const double t = s->p->t;
    double begin = t + yk_rounding(t);

    end -= yk_rounding(end);
    if (!(begin < end)) return false;
    out[0] = t;
    if (!mark->armed && !mark->level && !mark->kink) {
        r->sign = -1.0;
        r->level = -mark->band;
        if (!yk_rise_first(r, begin, end, &out[1], &out[0])) return false;
        begin = out[0];
    }
    r->sign = 1.0;
    r->level = mark->kink ? band : mark->armed || out[0] > t ? 0.0 : mark->band;
    return yk_rise_first(r, begin, end, &out[1], &out[2]);
}

/* Kink k rises between at[1] and at[2], and its band is known at at[2].  If that
 * does not happen: how far beyond zero it comes, about the top that follows, and
 * where it rises to its band. */
static yoke_status find_kink(trial *s, yk_rise *r, double end, double at[3],
                             bool *found, yoke_err *err)
{
    yk_events *e = s->e;
    const yk_mark *mark = &e->mark[r->k];
    double g = 0.0, t = at[2];

    YK_TRY(indicate(s, t, err));
    *found = yk_mark_fires(mark, true, e->g[r->k]);
    if (*found) return YOKE_OK;
    for (double by = at[2] - at[1]; e->g[r->k] > g && t < end; by *= 2.0) {
        g = e->g[r->k];
        yk_branch_note(e, t);
        t = fmin(t + by, end);
        YK_TRY(indicate(s, t, err));
    }
    *found = find_rise(s, r, mark->band, end, at);
    return YOKE_OK;
}

/* Points at which the first event shows that bounds of indicators find. */
static yoke_status find_rises(trial *s, yk_scan *points, yoke_err *err)
{
    const yoke_curves *curves = s->p->facts->curves;
    const yk_events *e = s->e;
    const bool sampled = s->d->method->dense;
    yk_track track = { s->p, sampled ? &s->d->look.poly : &e->poly };
    double end = s->t, at[3];

    if (!curves || !curves->indicator) return YOKE_OK;
    if (sampled && s->p->n > 0) YK_TRY(yk_look_sample(s->d, s->h, err));
    for (int k = 0; k < e->count; k++) {
        const yk_mark *mark = &e->mark[k];
        yk_rise r = { .curves = curves,
                      .path = { yk_look_follow, &track },
                      .k = k,
                      .looks = YK_EVENT_LOOKS };
        bool found = !mark->off && find_rise(s, &r, 0.0, end, at);
        if (found && mark->kink) YK_TRY(find_kink(s, &r, end, at, &found, err));
        if (!found) continue;
        end = at[2];
        points->more = 0;
        memcpy(points->besides, at, sizeof at);
    }
    return YOKE_OK;
}

/* Between s->lo and s->hi the first indicator rises. */
static yoke_status scan(trial *s, bool *found, yoke_err *err)
{
    yk_events *e = s->e;
    const size_t bytes = (size_t)e->count * sizeof *e->g;
    const bool both = s->d->method->stepping == YK_FIXED;
    yk_scan points =
        yk_scan_begin(s->p, s->t, e->fresh ? YK_EVENT_CLOSE_POINTS : 0, both);
    double t[3] = { s->p->t, s->p->t, s->p->t };

    e->banded = false;
    for (int k = 0; k < e->count; k++) {
        e->seen[k] = e->mark[k].armed;
        e->size[k] = 0.0;
    }
    YK_TRY(find_rises(s, &points, err));
    YK_TRY(indicate(s, s->p->t, err));
    memcpy(e->past[1], e->g, bytes);
    for (bool first = true; t[2] < s->t; first = false) {
        t[2] = yk_scan_next(&points);
        YK_TRY(indicate(s, t[2], err));
        measure(e);
        yk_branch_note(e, t[2]);
        if (!first) YK_TRY(look_at_tops(s, t, found, err));
        if (*found) return YOKE_OK;
        s->lo = t[1];
        s->hi = t[2];
        *found = rises(e);
        if (!*found) YK_TRY(touches(s, t[2], found, err));
        if (*found) return YOKE_OK;
        arm(e);
        memcpy(e->past[0], e->past[1], bytes);
        memcpy(e->past[1], e->g, bytes);
        t[0] = t[1];
        t[1] = t[2];
    }
    return YOKE_OK;
}

/* What branches do beyond their ends, where that was most. */
static yoke_status test_branches(trial *s, bool *tightened, yoke_err *err)
{
    const double at = s->e->beyond_at;
    const double *x = NULL;

    YK_TRY(indicate(s, at, err));
    YK_TRY(state_at(s, at, &x, err));
    return yk_branch_test(s->d, s->h, at, x, tightened, err);
}

/* The same with kinks where they are: those that happen, or whose branches do
 * too much beyond their ends in a step that stays as it is, happen at zero.
 * Their bands only tell whether they happen. */
static yoke_status scan_all(trial *s, bool *found, yoke_err *err)
{
    yk_events *e = s->e;
    bool again = true;

    while (again) {
        *found = again = s->touch = false;
        e->beyond = 0.0;
        YK_TRY(scan(s, found, err));
        if (*found && !s->touch) {
            YK_TRY(indicate(s, s->hi, err));
            note_rise(e, -1);
            again = yk_branch_tighten(e);
        }
        if (!again && e->beyond > 0.0 && (!*found || s->t < s->end))
            YK_TRY(test_branches(s, &again, err));
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
        *phi = fmax(*phi, yk_mark_above(&e->mark[k], e->seen[k], e->g[k]));
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
 * polynomial may be continued by its length.  A root just before s->hi may have
 * moved past it, by no more than the bracket is long; one just after s->lo may
 * have moved before it, since the shorter step is more accurate.  *phi: at the
 * end. */
static yoke_status follow(const trial *s, double *t, double *phi, yoke_err *err)
{
    double there = 0.0, from = s->t, to = s->t;

    YK_TRY(level(s, s->t, phi, err));
    const bool after = *phi > 0.0;
    const double behind = fmin(2.0 * s->hi - s->lo, s->end);
    const double stop = after ? s->p->t : fmin(behind, s->t + s->h);
    for (double gap = s->tol; to != stop; gap *= 4.0) {
        from = to;
        to = after ? fmax(s->t - gap, stop) : fmin(s->t + gap, stop);
        YK_TRY(level(s, to, &there, err));
        if ((there > 0.0) != after)
            return root(s, fmin(from, to), fmax(from, to), t, err);
    }
    if (!after) *t = fmin(stop, s->hi);
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

/* No shorter than the least step, and not just before the end.  A jump of the
 * inputs there is an instant of others, located as accurately as this one. */
static double placed(const trial *s, double t)
{
    const bool shared = s->p->end_jumps && s->end == s->p->end;

    if (s->end - t <=
        4.0 * s->least + 1e-12 * (s->end - s->p->t) + (shared ? s->tol : 0.0))
        return s->end;
    return fmax(t, s->p->t + s->least);
}

/* Where the polynomials of two steps that end on both sides do not agree, the
 * indicators at their ends say where it is. */
static yoke_status settle(trial *s, double t, yoke_err *err)
{
    double end[2] = { -INFINITY, INFINITY }, phi[2] = { 0.0, 0.0 }, now = 0.0;

    for (int i = 0; i < YK_EVENT_RETAKES; i++) {
        double next = t;
        if (t != s->t) YK_TRY(retake(s, t, err));
        if (t == s->end) return YOKE_OK;
        YK_TRY(follow(s, &next, &now, err));
        const bool after = now > 0.0;
        next = placed(s, next);
        end[after] = t;
        phi[after] = now;
        if (after && fmin(fabs(next - t), end[1] - end[0]) <= s->tol)
            return YOKE_OK;
        if (end[1] - end[0] < INFINITY && !(end[0] < next && next < end[1]))
            next = placed(s, between(end[0], phi[0], end[1], phi[1], false));
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

/* Rounding errors of indicator k now, if there are bounds of it. */
static double noise_of(const trial *s, int k)
{
    const yoke_curves *curves = s->p->facts->curves;
    yk_track track = { s->p, &s->e->poly };
    const yoke_path path = { yk_look_follow, &track };
    double g[1][2];

    if (!curves || !curves->indicator || (s->d->method->dense && s->p->n > 0))
        return 0.0;
    curves->indicator(curves->self, k, &path, s->t, s->t, 0, g);
    return g[0][1] - g[0][0] <= DBL_MAX ? g[0][1] - g[0][0] : 0.0;
}

/* Those that are pending are at zero as they are now. */
static yoke_status set_bands(const trial *s, yoke_err *err)
{
    yk_events *e = s->e;

    YK_TRY(indicate(s, s->t, err));
    for (int k = 0; k < e->count; k++) {
        yk_mark *mark = &e->mark[k];
        if (!mark->pending || mark->kink) continue;
        if (!mark->watched)
            mark->again = mark->level && !mark->armed ? mark->again + 1 : 0;
        mark->band = 2.0 * fmax(-e->g[k], 0.0) +
                     fmax(16.0 * DBL_EPSILON * e->size[k], noise_of(s, k));
    }
    return YOKE_OK;
}

/* Indicators at zero within the tolerance in time are pending; at least one of
 * those that were found: another may rest at its threshold. */
static yoke_status decide(const trial *s, yoke_err *err)
{
    yk_events *e = s->e;
    double highest = -INFINITY;
    int most = 0;
    bool any = false;

    e->located = s->t;
    e->gap = a_little_later(s) - s->t;
    YK_TRY(indicate(s, s->t + e->gap, err));
    for (int k = 0; k < e->count; k++) {
        yk_mark *mark = &e->mark[k];
        const double above = yk_mark_above(mark, e->seen[k], e->g[k]);
        mark->armed = e->seen[k];
        mark->pending = yk_mark_fires(mark, e->seen[k], e->g[k]);
        any = any || mark->pending;
        if (!e->rose[k] || !(above > highest)) continue;
        most = k;
        highest = above;
    }
    if (!any) e->mark[most].pending = true;
    return set_bands(s, err);
}

/* The step ends where inputs jump by events of others.  What would happen just
 * after, if they went on as before, happens there. */
static yoke_status look_behind(const trial *s, bool *found, yoke_err *err)
{
    yk_problem *p = s->p;
    yk_events *e = s->e;
    const double t = a_little_later(s), gap = t - s->t;
    const double *x = NULL;
    double *u = e->u_late;

    if (!p->end_jumps || s->t != p->end || !(gap > 0.0)) return YOKE_OK;
    memcpy(u, yk_input(p, s->t - gap), (size_t)p->m * sizeof *u);
    const double *end = yk_input(p, s->t);
    for (int c = 0; c < p->m; c++) u[c] = 2.0 * end[c] - u[c];
    YK_TRY(state_at(s, t, &x, err));
    YK_TRY(yk_system_indicate(p->system, t, x, u, e->g, err));
    for (int k = 0; k < e->count; k++) {
        yk_mark *mark = &e->mark[k];
        mark->pending = e->seen[k] && e->g[k] >= 0.0;
        *found = *found || mark->pending;
    }
    return *found ? set_bands(s, err) : YOKE_OK;
}

/* The step ends between s->lo and s->hi.  If that is where it begins there is no
 * step; unless it began with events: their effect shows later. */
static yoke_status end_there(trial *s, yoke_err *err)
{
    double t = s->end;

    if (s->touch)
        t = s->hi;
    else
        YK_TRY(root(s, s->lo, s->hi, &t, err));
    if (t <= s->p->t + s->least && !s->e->fresh) {
        s->t = s->p->t;
        s->h = 0.0;
    } else if (s->d->method->dense)
        YK_TRY(interpolated(s, placed(s, t), err));
    else
        YK_TRY(settle(s, placed(s, t), err));
    return YOKE_OK;
}

/* Is what was found up to s->hi before the end of the step?  Another event may
 * have risen before the one that the step ends at. */
static yoke_status is_earlier(trial *s, bool *earlier, yoke_err *err)
{
    const double before = s->t - 2.0 * s->tol;
    double phi = 0.0;

    if (*earlier && !s->touch && s->lo < before && before < s->hi) {
        YK_TRY(level(s, before, &phi, err));
        if (phi > 0.0) s->hi = before;
    }
    *earlier = *earlier && s->hi < s->t - s->tol && s->h > 4.0 * s->least;
    return YOKE_OK;
}

/* The first event is between s->lo and s->hi, or before: the points may have
 * been too far apart for others.  So the shorter step is looked at again, as
 * long as that finds an earlier one. */
static yoke_status end_at_first(trial *s, yoke_err *err)
{
    bool earlier = true;

    for (int i = 0; earlier && i < YK_EVENT_RETAKES; i++) {
        const double before = s->t;
        YK_TRY(end_there(s, err));
        if (s->touch || s->h == 0.0 || !(s->t < before - s->tol)) break;
        YK_TRY(scan_all(s, &earlier, err));
        YK_TRY(is_earlier(s, &earlier, err));
    }
    return YOKE_OK;
}

/* Do several happen within the accuracy of the instant? */
static yoke_status are_several(const trial *s, bool *several, yoke_err *err)
{
    const yk_events *e = s->e;
    int count = 0;

    YK_TRY(indicate(s, a_little_later(s), err));
    for (int k = 0; k < e->count; k++)
        count += yk_mark_fires(&e->mark[k], e->seen[k], e->g[k]);
    *several = count > 1;
    return YOKE_OK;
}

/* Of several events that are closer than the accuracy of an instant the first
 * one is searched for to rounding: u > 0.5 and u > 0.500001 may enclose a peak. */
static yoke_status go_there(trial *s, yoke_err *err)
{
    bool several = false;

    YK_TRY(end_at_first(s, err));
    if (!s->touch && s->h > 0.0 && s->tol > rounding(s))
        YK_TRY(are_several(s, &several, err));
    if (several) {
        s->tol = rounding(s);
        YK_TRY(scan_all(s, &several, err));
        if (several) YK_TRY(end_at_first(s, err));
    }
    return decide(s, err);
}

/* Is there one inside the step, or just behind it?  If not, what is below zero is
 * armed. */
static yoke_status search(trial *s, bool *inside, bool *found, yoke_err *err)
{
    yk_events *e = s->e;

    *inside = false;
    shape(s);
    yk_branch_begin(e);
    YK_TRY(scan_all(s, inside, err));
    *found = *inside;
    if (*inside) return YOKE_OK;
    for (int k = 0; k < e->count; k++) e->mark[k].armed = e->seen[k];
    e->fresh = false;
    return look_behind(s, found, err);
}

yoke_status yk_events_locate(yk_driver *d, double *t, double *h, bool *found,
                             yoke_err *err)
{
    trial s = describe(d, *t, *h);
    bool inside = false;

    *found = false;
    if (d->events.count == 0) return YOKE_OK;
    YK_TRY(search(&s, &inside, found, err));
    if (!inside) return YOKE_OK;
    YK_TRY(go_there(&s, err));
    *t = s.t;
    *h = s.h;
    return YOKE_OK;
}

yoke_status yk_events_search(yk_driver *d, double t, double h, bool *found,
                             yoke_err *err)
{
    trial s = describe(d, t, h);
    bool inside = false;

    YK_TRY(search(&s, &inside, found, err));
    *found = *found || d->events.beyond > 0.0;
    return YOKE_OK;
}
