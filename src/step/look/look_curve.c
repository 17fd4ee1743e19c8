/* step/look/look_curve.c -- no step passes over what its unknowns and inputs do
 * in a narrow part of their range.
 *
 * After a step its unknowns have their polynomials and its inputs their
 * waveforms: every curve of the system, exp(-(300 (s - 0.6))^2), is a known
 * function of time on it.  So it is looked at as functions of time alone are
 * (look_time.c): D is what the points of the step have not seen of it, interval
 * arithmetic along the path bounds it (deviation.c), and the step is tested where
 * D is largest.
 *
 * What D does to the unknowns is proportional to h D.  The tests measure that,
 * and deviations that cannot make a twentieth of the tolerance are not tested.
 * The measure fades, so that it is taken again from time to time.
 *
 * After a rejection the step ends where D, along the same path, would be half a
 * tolerance.
 *
 * Limits: where BUDGET enclosures do not tell the largest D, the step is tested
 * where the largest is that was met.  A waveform with many pieces has no bounds
 * of its higher derivatives: there values and slopes must do.
 */
#include "step/drive.h"
#include "step/look/look.h"
#include "step/look/deviation.h"
#include "step/policy.h"

#include "wave/waveform.h"

#include <float.h>
#include <math.h>

/* ---- The path ------------------------------------------------------------ */

/* sum c[k] s^k on [-r, r] if it rises or falls there; false: it may not. */
static bool bound_rising(const double *c, int degree, double r, double out[2])
{
    double bend = 0.0, power = 1.0, left = 0.0, right = 0.0;

    for (int i = 2; i <= degree; i++) {
        power *= r;
        bend += i * fabs(c[i]) * power;
    }
    if (degree < 1 || fabs(c[1]) < bend) return false;
    for (int i = degree; i >= 0; i--) {
        left = left * -r + c[i];
        right = right * r + c[i];
    }
    out[0] = fmin(left, right);
    out[1] = fmax(left, right);
    return true;
}

/* Bounds of the Taylor coefficients of sum coef[k * n] theta^k on [a, b], in
 * theta = t / length; joined to `out`. */
static void bound_poly(const double *coef, int n, int degree, double length,
                       double a, double b, int order, double (*out)[2])
{
    const double m = 0.5 * (a + b), r = 0.5 * (b - a);
    double c[YOKE_WAVE_MAX_DEGREE + 1] = { 0.0 }, unit = 1.0, noise = 0.0;

    for (int k = 0; k <= degree; k++) {
        c[k] = coef[(size_t)k * (size_t)n];
        noise += 8.0 * DBL_EPSILON * fabs(c[k]);
    }
    for (int i = 0; i < degree; i++)
        for (int k = degree - 1; k >= i; k--) c[k] += m * c[k + 1];
    for (int k = 0; k <= order; k++, unit /= length) {
        double wide = k == 0 ? noise : 0.0, choose = 1.0, power = 1.0;
        for (int i = k + 1; i <= degree; i++) {
            choose *= (double)i / (i - k);
            power *= r;
            wide += choose * power * fabs(c[i]);
        }
        const double middle = k <= degree ? c[k] : 0.0;
        double range[2] = { middle - wide, middle + wide };
        if (k == 0 && bound_rising(c, degree, r, range)) {
            range[0] -= noise;
            range[1] += noise;
        }
        out[k][0] = fmin(out[k][0], range[0] * unit);
        out[k][1] = fmax(out[k][1], range[1] * unit);
    }
}

static void bound_input(const yk_problem *p, int j, double from, double to,
                        int order, double (*out)[2])
{
    const yk_wave *u = p->wave;
    const int first = yk_wave_piece(u, from, true, NULL);
    const int last = yk_wave_piece(u, to, false, NULL);

    for (int i = first; i <= last || i == first; i++) {
        const double length = u->knot[i + 1] - u->knot[i];
        const double a = fmax(from, u->knot[i]), b = fmin(to, u->knot[i + 1]);
        bound_poly(u->coef + u->offset[i] + j, u->dim, u->degree[i], length,
                   (a - u->knot[i]) / length,
                   (fmax(a, b) - u->knot[i]) / length, order, out);
    }
    for (int k = 2; k <= order && last > first; k++) {
        out[k][0] = -INFINITY;
        out[k][1] = INFINITY;
    }
}

void yk_look_follow(void *track, int i, double from, double to, int order,
                    double (*out)[2])
{
    const yk_problem *p = ((const yk_track *)track)->p;
    const yk_poly *x = ((const yk_track *)track)->x;

    for (int k = 0; k <= order; k++) {
        out[k][0] = INFINITY;
        out[k][1] = -INFINITY;
    }
    if (i < p->n)
        bound_poly(x->coef + i, p->n, x->degree, x->h, (from - x->t) / x->h,
                   (to - x->t) / x->h, order, out);
    else if (p->wave)
        bound_input(p, i - p->n, from, to, order, out);
    else
        bound_poly(p->u + i - p->n, p->m, 0, 1.0, 0.0, 0.0, order, out);
}

static void enclose(void *self, int i, double from, double to, int order,
                    double (*out)[2])
{
    const yk_driver *d = self;
    const yoke_curves *c = d->p.facts->curves;
    yk_track track = { &d->p, &d->look.poly };
    const yoke_path path = { yk_look_follow, &track };

    c->enclose(c->self, i, &path, from, to, order, out);
}

/* The polynomial of a method that shows none, of degree DEGREE at most, by its
 * values. */
enum { DEGREE = 5 };

yoke_status yk_look_sample(yk_driver *d, double h, yoke_err *err)
{
    const size_t n = (size_t)d->p.n;
    yk_poly *x = &d->look.poly;

    *x = (yk_poly){ d->p.t, h, DEGREE, x->coef, true };
    for (int k = 0; k <= DEGREE; k++)
        YK_TRY(d->method->dense(d->self, d->p.t + h * k / DEGREE, d->p.n,
                                d->output.all, x->coef + n * (size_t)k, err));
    for (size_t i = 0; i < n; i++) {
        double *const c = x->coef + i;
        for (int k = 1; k <= DEGREE; k++) /* divided differences */
            for (int j = DEGREE; j >= k; j--)
                c[n * (size_t)j] =
                    (c[n * (size_t)j] - c[n * (size_t)(j - 1)]) * DEGREE / k;
        for (int k = DEGREE - 1; k >= 0; k--) /* powers */
            for (int j = k; j < DEGREE; j++)
                c[n * (size_t)j] -= (double)k / DEGREE * c[n * (size_t)(j + 1)];
    }
    return YOKE_OK;
}

/* ---- One curve ----------------------------------------------------------- */

/* Does the curve nothing, or does it rise or fall through values of which the
 * points see an even course? */
static bool is_plain(yk_search *s, const yk_stages *nodes, const double all[2],
                     double floor)
{
    const double size = fmax(fabs(all[0]), fabs(all[1]));
    const double width = all[1] - all[0],
                 speck = fmax(floor, 64.0 * DBL_EPSILON * size);
    double end = 0.0, slope[2][2];

    if (!(size <= DBL_MAX)) return false;
    /* The polynomial leaves the range by no more than its width. */
    if (3.0 * width <= speck) return true;
    yk_search_interpolate(s, nodes);
    if (nodes->count < 3 || !(s->spread <= YK_LOOK_EVEN * width)) return false;
    for (int k = 0; k < nodes->count; k++) end += s->coef[k];
    if (fmin(s->coef[0], end) - all[0] <= speck &&
        all[1] - fmax(s->coef[0], end) <= speck)
        return true;
    s->enclose(s->self, s->which, s->t, s->t + s->h, 1, slope);
    return slope[1][0] >= 0.0 || slope[1][1] <= 0.0;
}

/* Finds the largest deviation of curve i on [t, t + h], if it is above `floor`;
 * false: there is none. */
static bool deviates(yk_driver *d, yk_search *s, const yk_stages *nodes, int i,
                     double h, double floor, double enough)
{
    double all[1][2];

    if (!yk_search_begin(s, enclose, d, i, d->p.t, h)) return false;
    enclose(d, i, s->t, s->t + s->h, 0, all);
    if (is_plain(s, nodes, all[0], floor)) return false;
    s->floor = floor;
    if (yk_search_sees(s, nodes) || s->undefined) return false;
    s->floor = fmax(s->floor, floor);
    s->budget = YK_LOOK_BUDGET;
    yk_search_largest(s, enough);
    return s->lower > s->floor;
}

static yoke_status test_curve(yk_driver *d, const yk_search *s, yoke_err *err)
{
    yk_step_look *k = &d->look;
    const double before = k->worst, time = k->worst_time;
    const int of = k->worst_of, tests = k->tests;
    double *const gauge = &k->gauge[s->which];

    k->worst = 0.0;
    YK_TRY(yk_look_test(d, s->where, yk_input(&d->p, s->where), err));
    k->tests = tests;
    const double effect = fmax(k->worst / k->bound, YK_LOOK_LEAST);
    const double measured = s->lower * s->h / effect;
    if (k->worst > k->bound) {
        k->by_curve = s->which + 1;
        *gauge = measured;
    } else
        *gauge = fmax(*gauge, measured);
    if (k->worst >= before) return YOKE_OK;
    k->worst = before;
    k->worst_time = time;
    k->worst_of = of;
    return YOKE_OK;
}

/* ---- The step ------------------------------------------------------------ */

yoke_status yk_look_at_curves(yk_driver *d, yoke_err *err)
{
    yk_step_look *k = &d->look;
    const yoke_curves *c = d->p.facts->curves;
    yk_search s;

    if (!c || c->count == 0) return YOKE_OK;
    if (!d->method->inside) YK_TRY(yk_look_sample(d, k->h, err));
    k->by_inputs = false;
    for (int i = 0; i < c->count && k->worst <= k->bound; i++) {
        k->gauge[i] *= YK_LOOK_FADING;
        if (deviates(d, &s, &k->stages, i, k->h,
                     YK_LOOK_SHARE * k->gauge[i] / k->h, INFINITY))
            YK_TRY(test_curve(d, &s, err));
    }
    return YOKE_OK;
}

double yk_look_curve_ends(yk_driver *d, double h)
{
    const int curve = d->look.by_curve - 1;
    yk_stages nodes;
    yk_search s;

    yk_look_stages(d, 0.0, &nodes);
    for (int i = 0; i < 40; i++) {
        h *= 0.5;
        const double enough = 0.5 * d->look.gauge[curve] / h;
        if (!deviates(d, &s, &nodes, curve, h, enough, enough)) break;
    }
    return h;
}

/* ---- Outputs ------------------------------------------------------------- */

static void enclose_output(void *self, int k, double from, double to, int order,
                           double (*out)[2])
{
    yk_track *track = self;
    const yoke_curves *c = track->p->facts->curves;
    const yoke_path path = { yk_look_follow, track };

    c->output(c->self, k, &path, from, to, order, out);
}

bool yk_output_passes(yk_track *track, const yk_stages *nodes, int k, double t,
                      double h, double *where)
{
    const yk_problem *p = track->p;
    const double floor = 0.5 * yk_tolerance_u(p, 0.0);
    double all[1][2];
    yk_search s;

    if (!yk_search_begin(&s, enclose_output, track, k, t, h)) return false;
    enclose_output(track, k, s.t, s.t + s.h, 0, all);
    if (is_plain(&s, nodes, all[0], floor)) return false;
    s.floor = floor;
    if (yk_search_sees(&s, nodes) || s.undefined) return false;
    s.floor = fmax(s.floor, floor);
    s.budget = YK_LOOK_BUDGET;
    yk_search_largest(&s, INFINITY);
    *where = s.where;
    return s.lower > s.floor;
}
