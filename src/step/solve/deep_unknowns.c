/* step/solve/deep_unknowns.c -- which unknowns answer to errors like 1/h or
 * 1/h^2.
 *
 * In a system of index 2 the multiplier answers to a residual of its constraint
 * like 1/h, in one of index 3 like 1/h^2, and the velocities like 1/h.  How
 * deep an unknown lies is measured: (C/h + G) x = b is solved, with b in the
 * equations without charge, for two small h, and log(x2 / x1) is its depth.
 * The point is moved a little at random, because answers may vanish at special
 * ones (a pendulum that starts horizontally), and so is the time (y = x sin t at
 * t = 0).  Where charges are of very
 * different sizes the small ones seem to be none in such steps: a capacitor of
 * 2 pF beside coils of 4 H (the ring modulator).  So what seems deep is measured
 * once more with steps that are short for every row with charge, and must be
 * deep there too.
 *
 * Errors of deep unknowns at the beginning of a step are no errors of that
 * step: a shorter one does not make them smaller, those of a multiplier even
 * larger, and they do not act on later steps.  So radau.c takes for the
 * beginning what the stages say about it, and the error of the step from x' of
 * the other unknowns.  Only the values that a segment begins with are believed,
 * until several shorter steps have had the same error.
 *
 * Rounding in a residual of size r is one of eps r / h^depth in a deep unknown.
 * That much is added to its tolerance, because no shorter step can be better;
 * a run does not begin with steps so short that it matters, and one that needs
 * them fails.
 *
 * Limits: the depth is that of the start.
 * Reference: Hairer, Lubich, Roche, The numerical solution of
 * differential-algebraic systems by Runge-Kutta methods (1989); Hairer and
 * Wanner II, section VII.4.  RADAU5 weighs the errors of index-2 and index-3
 * variables by h and h^2 instead, which leaves multipliers inaccurate; other
 * subsystems read them here.
 */
#include "step/method.h"
#include "step/policy.h"
#include "sys/system.h"

#include "base/vector.h"

#include <float.h>
#include <math.h>

enum { DEEPEST = 3, TRIALS = 3 };

/* ---- Rounding ------------------------------------------------------------ */

/* size_k += scale sum_j |A_kj| |x_j|; an x_j near zero counts as one that the
 * absolute tolerance is for, or, if `large`, as one of its nominal size. */
static void add_sizes(const yk_problem *p, const yoke_pattern *pattern,
                      const double *value, double scale, const double *x,
                      bool large, double *size)
{
    for (int j = 0; j < p->n; j++) {
        const double least =
            large ? p->facts->nominal[j] : p->atol[j] / p->options.rtol;
        const double xj = fmax(fabs(x[j]), least);
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            size[pattern->row[k]] += scale * fabs(value[k]) * xj;
    }
}

/* Rounding errors of s C x + G x + f, with signs at random. */
static void rounding_errors(const yk_problem *p, const double *C,
                            const double *G, double s, const double *x,
                            const double *f, bool large,
                            unsigned long long *seed, double *error)
{
    for (int k = 0; k < p->n; k++) error[k] = f ? fabs(f[k]) : 0.0;
    add_sizes(p, p->facts->C, C, s, x, large, error);
    add_sizes(p, p->facts->G, G, 1.0, x, large, error);
    for (int k = 0; k < p->n; k++)
        error[k] *= DBL_EPSILON * (yk_random(seed) < 0.5 ? -1.0 : 1.0);
}

/* The largest of several: in one they may cancel. */
yoke_status yk_find_noise(yk_problem *p, yk_matrix *matrix, double s,
                          const double *x, const double *f, double *scratch,
                          yoke_err *err)
{
    unsigned long long seed = 1;

    for (int i = 0; i < p->n; i++) p->noise[i] = 0.0;
    for (int trial = 0; trial < TRIALS; trial++) {
        rounding_errors(p, p->C, p->G, s, x, f, false, &seed, scratch);
        YK_TRY(yk_matrix_solve(p, matrix, scratch, err));
        for (int i = 0; i < p->n; i++)
            p->noise[i] = fmax(p->noise[i], fabs(scratch[i]));
    }
    return YOKE_OK;
}

/* Estimates are differences of noise too, several times as large.  The root
 * makes them count less and less in shorter steps. */
static double with_noise(double tolerance, double noise)
{
    const double n = YK_STEP_ROUNDING * noise;

    return tolerance + n * sqrt(1.0 + n / tolerance);
}

void yk_deepen_weights(yk_problem *p)
{
    p->blur = 0.0;
    for (int i = 0; p->deep && i < p->n; i++) {
        if (p->depth[i] <= 0) continue;
        const double wide = with_noise(p->weight[i], p->noise[i]);
        if (wide > p->blur * p->weight[i]) {
            p->blur = wide / p->weight[i];
            p->blur_in = i;
        }
        p->weight[i] = wide;
    }
}

void yk_note_blur(yk_problem *p, double h)
{
    yoke_work *const w = &p->work;

    if (!p->deep || !(p->blur > YK_PROMISE)) return;
    w->blurred += h;
    w->blur += (p->blur - w->blur) * h / w->blurred;
    w->blurred_in = p->blur_in;
}

/* ---- Depth --------------------------------------------------------------- */

typedef struct probe {
    double t;
    yoke_jacobian jac;
    yk_lu *lu;
    double *value, *coarse, *fine, *x;
} probe;

static yoke_status factor(const yk_problem *p, probe *d, double h,
                          yoke_err *err)
{
    for (int k = 0; k < yoke_pattern_count(p->both); k++) d->value[k] = 0.0;
    for (int k = 0; k < yoke_pattern_count(p->facts->C); k++)
        d->value[p->c_at[k]] += d->jac.C[k] / h;
    for (int k = 0; k < yoke_pattern_count(p->facts->G); k++)
        d->value[p->g_at[k]] += d->jac.G[k];
    return yk_lu_factor(d->lu, d->value, NULL, err);
}

static yoke_status solve(const yk_problem *p, probe *d, double h, double *x,
                         yoke_err *err)
{
    unsigned long long seed = 1;

    YK_TRY(factor(p, d, h, err));
    for (int i = 0; i < p->n; i++) {
        const double b = 0.5 + yk_random(&seed);
        x[i] = p->charge[i] ? 0.0 : b;
    }
    return yk_lu_solve(d->lu, x, err);
}

static int rounded(double depth)
{
    if (!(depth > 0.0)) return 0;
    return depth >= DEEPEST ? DEEPEST : (int)depth;
}

/* The step in which rounding is as large as the tolerance, from its effect in
 * one of length h.  Multipliers are often zero at the start. */
static yoke_status find_shortest(yk_problem *p, probe *d, double h, bool large,
                                 double *shortest, yoke_err *err)
{
    unsigned long long seed = 1;

    for (int trial = 0; trial < TRIALS; trial++) {
        rounding_errors(p, d->jac.C, d->jac.G, 1.0 / h, p->x, NULL, large,
                        &seed, d->fine);
        YK_TRY(yk_lu_solve(d->lu, d->fine, err));
        for (int i = 0; i < p->n; i++) {
            const double size = fmax(fabs(p->x[i]), p->facts->nominal[i]);
            const double tolerance = yk_tolerance_x(p, i, size);
            const double excess =
                YK_STEP_ROUNDING * fabs(d->fine[i]) / tolerance;
            if (p->depth[i] > 0)
                *shortest = fmax(*shortest, h * pow(excess, 1.0 / p->depth[i]));
        }
    }
    return YOKE_OK;
}

/* What a constraint is made of may be larger than its unknowns are at the start:
 * x = 1 - cos(t).  A run that begins with longer steps is not stuck in rounding;
 * if they are too long the error test shows it. */
static yoke_status find_steps(yk_problem *p, probe *d, double h, yoke_err *err)
{
    YK_TRY(find_shortest(p, d, h, false, &p->h_noise, err));
    return find_shortest(p, d, h, true, &p->h_begin, err);
}

/* Depth of each unknown by steps of length h, no more than it is now. */
static yoke_status bound_depths(yk_problem *p, probe *d, double h,
                                yoke_err *err)
{
    YK_TRY(solve(p, d, h, d->coarse, err));
    YK_TRY(solve(p, d, h / YK_STEP_DEPTH_REFINE, d->fine, err));
    for (int i = 0; i < p->n; i++) {
        const double ratio = fabs(d->fine[i] / d->coarse[i]);
        const int depth =
            isfinite(ratio) && ratio > 0.0
                ? rounded(round(log(ratio) / log(YK_STEP_DEPTH_REFINE)))
                : 0;
        if (depth < p->depth[i]) p->depth[i] = depth;
    }
    return YOKE_OK;
}

static void add_largest(const yoke_pattern *pattern, const double *value,
                        double *row)
{
    for (int k = 0; k < yoke_pattern_count(pattern); k++)
        row[pattern->row[k]] = fmax(row[pattern->row[k]], fabs(value[k]));
}

/* The least and the largest |C| / |G| of the rows with charge. */
static void find_times(const yk_problem *p, const probe *d, double *least,
                       double *largest)
{
    double *c = d->coarse, *g = d->fine;

    *least = INFINITY;
    *largest = 0.0;
    for (int i = 0; i < p->n; i++) c[i] = g[i] = 0.0;
    add_largest(p->facts->C, d->jac.C, c);
    add_largest(p->facts->G, d->jac.G, g);
    for (int i = 0; i < p->n; i++) {
        if (!(c[i] > 0.0 && g[i] > 0.0)) continue;
        *least = fmin(*least, c[i] / g[i]);
        *largest = fmax(*largest, c[i] / g[i]);
    }
}

static bool any_deep(const yk_problem *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->depth[i] > 0) return true;
    return false;
}

static yoke_status measure(yk_problem *p, probe *d, yoke_err *err)
{
    const yoke_system_info *f = p->facts;
    double least, largest;

    YK_TRY(yoke_system_jacobian(p->system, d->t, d->x, p->u, &d->jac, err));
    const double c = yk_largest(d->jac.C, yoke_pattern_count(f->C));
    const double g = yk_largest(d->jac.G, yoke_pattern_count(f->G));
    if (c == 0.0 || g == 0.0) return YOKE_OK;
    const double h = YK_STEP_DEPTH_STEP * c / g;
    find_times(p, d, &least, &largest);
    const double shorter = YK_STEP_DEPTH_STEP * least;
    for (int i = 0; i < p->n; i++) p->depth[i] = DEEPEST;
    YK_TRY(bound_depths(p, d, h, err));
    if (any_deep(p) && shorter < h) {
        const yoke_status status = bound_depths(p, d, shorter, err);
        if (status < 0) return status;
        YK_TRY(factor(p, d, h / YK_STEP_DEPTH_REFINE, err));
    }
    for (int i = 0; i < p->n; i++) {
        p->forgets[i] = p->depth[i] > 0 && f->C->start[i] == f->C->start[i + 1];
        p->deep = p->deep || p->depth[i] > 0;
        p->handed_on = p->handed_on || (p->depth[i] > 0 && !p->forgets[i]);
    }
    return p->deep ? find_steps(p, d, h / YK_STEP_DEPTH_REFINE, err) : YOKE_OK;
}

/* Moves the time by a part of the slowest time of the equations. */
static yoke_status move_time(yk_problem *p, probe *d, yoke_err *err)
{
    double least, largest;

    YK_TRY(yoke_system_jacobian(p->system, p->t, p->x, p->u, &d->jac, err));
    find_times(p, d, &least, &largest);
    d->t = p->t + YK_STEP_DEPTH_STEP * largest;
    return YOKE_OK;
}

/* Near the present point, or there if the system has no values near it. */
static yoke_status measure_near(yk_problem *p, probe *d, yoke_err *err)
{
    unsigned long long seed = 1;

    d->t = p->t;
    if (!p->affine) YK_TRY(move_time(p, d, err));
    for (int i = 0; i < p->n; i++) {
        const double size = fmax(fabs(p->x[i]), p->facts->nominal[i]);
        d->x[i] =
            p->x[i] + YK_STEP_DEPTH_STEP * size * (yk_random(&seed) - 0.5);
    }
    const yoke_status status = measure(p, d, err);
    if (status <= 0) return status;
    d->t = p->t;
    for (int i = 0; i < p->n; i++) d->x[i] = p->x[i];
    return measure(p, d, err);
}

yoke_status yk_find_depth(yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    probe d = { 0 };
    yoke_err why;

    p->deep = p->handed_on = false;
    p->h_noise = p->h_begin = 0.0;
    for (int i = 0; i < p->n; i++) p->depth[i] = p->forgets[i] = 0;
    if (p->algebraic == 0 || p->n == 0) return YOKE_OK;
    YK_GO(yk_jacobian_create(&d.jac, p->system, err));
    YK_GO(yk_lu_create(&d.lu, p->both, false, err));
    YK_GO(yk_doubles(&d.value, (size_t)yoke_pattern_count(p->both), err));
    YK_GO(YK_DOUBLES((size_t)p->n, err, &d.coarse, &d.fine, &d.x));
    status = measure_near(p, &d, &why);
    if (status == YOKE_RETRY) { /* nothing is known */
        for (int i = 0; i < p->n; i++) p->depth[i] = 0;
        status = YOKE_OK;
    }
    if (status != YOKE_OK && err) *err = why;
done:
    yk_free(d.jac.C);
    yk_lu_free(d.lu);
    YK_FREE(d.value, d.coarse, d.fine, d.x);
    return status;
}
