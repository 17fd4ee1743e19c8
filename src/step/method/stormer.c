/* step/method/stormer.c -- Stoermer's method (leapfrog, velocity Verlet), fixed
 * steps.
 *
 * For second-order systems: positions r, their velocities v, further unknowns z
 * algebraic.  With h' the step before,
 *
 *     v*        = v_{n-1/2} + h'/2 a_{n-1}
 *     a_n, z_n  from the equations at (t_n, r_n, v*)
 *     v_{n+1/2} = v_{n-1/2} + (h' + h)/2 a_n
 *     r_{n+1}   = r_n + h v_{n+1/2}
 *
 * Order 2, also if the accelerations depend on the velocities; symplectic and
 * reversible if they do not.  Stable for h omega <= 2.  The first step, and the
 * first one after a break, has h' = 0 and v_{n-1/2} = v_n.  Elsewhere the
 * velocity at t_n is v_{n-1/2} + h'/2 a_n.
 *
 * One evaluation per step, and one more where a window begins: there a_n and
 * z_n are computed again with the inputs of the window.
 *
 * Between the ends: r quadratic, v the integral of a, a and z linear from their
 * values at t_n to those at t_{n+1}.  With `dense: stages` nothing is evaluated
 * at t_{n+1}: a and z go on from the last two evaluations,
 *
 *     a(theta) = a_n + theta (h/h') (a_n - a_{n-1}).
 *
 * With `dense: linear` everything is linear and the velocities are v*,
 * so that only a and z depend on the inputs at t_{n+1}: what preconditioners
 * of the coupling assume (Arnold, Guenther, (4.7)).
 *
 * The accelerations are the derivatives of the velocities in C x' + f = 0,
 * solved together with the algebraic unknowns (slopes.c), or come from the
 * explicit right side.  q must not depend on t and u.
 * References: Hairer, Lubich, Wanner, Geometric Numerical Integration, chapter
 * I; Arnold, Guenther, BIT 41 (2001) 1-25, section 5.
 */
#include "step/method.h"
#include "step/policy.h"
#include "step/solve/slopes.h"
#include "sys/call.h"

#include "base/vector.h"

#include <math.h>
#include <string.h>

/* What the steps before left behind. */
typedef struct past {
    bool known;
    double t, h;   /* where the last step ended, and its length */
    double *half;  /* n: velocities half a step before t, at velocities */
    double *xdot;  /* n: accelerations where the last step began */
    double *x;     /* n: unknowns where the last step began */
    double *x_end; /* n: and where it ended */
} past;

typedef struct stormer {
    yk_problem *p;
    int k;
    const int (*pair)[2]; /* position, velocity */
    bool classical;       /* the system has an explicit right side */
    bool stages;          /* nothing is evaluated at the end of a step */
    bool predicted;       /* velocities are v* */
    bool *is_fast;        /* n: neither position nor velocity */
    yk_slopes slopes;
    past now, kept;
    double ready;            /* time at which xdot is known, or NAN */
    double t_new;            /* end of the trial step */
    double *xdot, *xdot_new; /* at the present and at the trial point */
    double *half_new;
} stormer;

static void past_free(past *p)
{
    YK_FREE(p->half, p->xdot, p->x, p->x_end);
}

static void stormer_free(void *self)
{
    stormer *s = self;

    if (!s) return;
    yk_slopes_free(&s->slopes);
    past_free(&s->now);
    past_free(&s->kept);
    YK_FREE(s->is_fast, s->xdot, s->xdot_new, s->half_new, s);
}

static yoke_status refuse(const yk_problem *p, const bool *is_fast,
                          yoke_err *err)
{
    const int k = p->facts->positions;

    if (k <= 0)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\": stormer is for second-order systems "
                       "and needs to know which unknowns are positions and "
                       "velocities; this one has n = %d, positions = %d",
                       p->name, p->n, k);
    if (p->charge_input)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\": stormer does not allow inputs under "
                       "d/dt",
                       p->name);
    for (int j = 0; j < p->n; j++) {
        const bool under = p->facts->C->start[j + 1] > p->facts->C->start[j];
        if (under == is_fast[j])
            return yk_fail(err, YOKE_E_ARG,
                           "subsystem \"%s\": with stormer the unknowns under "
                           "d/dt must be the %d positions and velocities; "
                           "\"%s\" is %s",
                           p->name, 2 * k, p->facts->x_name[j],
                           under ? "another" : "not under d/dt");
    }
    return YOKE_OK;
}

static yoke_status past_create(past *p, int n, yoke_err *err)
{
    YK_TRY(YK_DOUBLES((size_t)n + 1, err, &p->half, &p->xdot, &p->x));
    return yk_doubles(&p->x_end, (size_t)n + 1, err);
}

static yoke_status stormer_create(void **out, const yk_method *method,
                                  yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    stormer *s = NULL;

    (void)method;
    YK_TRY(YK_NEW(&s, 1, err));
    s->p = p;
    s->k = p->facts->positions;
    s->pair = p->facts->position;
    s->ready = NAN;
    s->stages = p->options.dense == YOKE_DENSE_STAGES;
    s->predicted = p->options.dense == YOKE_DENSE_LINEAR;
    s->classical = yk_system_has_rhs(p->system) && p->n == 2 * s->k;
    YK_GO(YK_NEW(&s->is_fast, p->n + 1, err));
    for (int j = 0; j < p->n; j++) s->is_fast[j] = true;
    for (int i = 0; i < s->k; i++)
        s->is_fast[s->pair[i][0]] = s->is_fast[s->pair[i][1]] = false;
    YK_GO(refuse(p, s->is_fast, err));
    if (!s->classical) YK_GO(yk_slopes_create(&s->slopes, p, err));
    YK_GO(YK_DOUBLES((size_t)p->n + 1, err, &s->xdot, &s->xdot_new,
                     &s->half_new));
    YK_GO(past_create(&s->now, p->n, err));
    YK_GO(past_create(&s->kept, p->n, err));
    *out = s;
    s = NULL;
done:
    stormer_free(s);
    return status;
}

/* xdot, and the algebraic unknowns in x. */
static yoke_status slope(stormer *s, double t, double *x, double *xdot,
                         yoke_err *err)
{
    yk_problem *p = s->p;

    if (!s->classical) {
        const yoke_status status =
            yk_slopes_solve(&s->slopes, p, t, NULL, x, xdot, err);
        if (status <= 0 || !p->singular) return status;
        return yk_fail(err, YOKE_E_MODEL,
                       "subsystem \"%s\", t = %g: stormer needs index 1, but "
                       "the accelerations are not determined; use an implicit "
                       "method",
                       p->name, t);
    }
    p->work.residuals++;
    return yk_system_rhs(p->system, yk_time(p, t), x, yk_input(p, t), xdot,
                         err);
}

/* Positions and velocities are still those at the end of the last step. */
static bool goes_on(const stormer *s, bool smooth)
{
    static const double tiny = 1e-12;
    const yk_problem *p = s->p;

    if (!s->now.known || s->now.t != p->t || p->begin_break) return false;
    if (p->facts->events > 0 && !smooth) return false;
    for (int j = 0; j < p->n; j++) {
        const double size = fabs(p->x[j]) + p->facts->nominal[j];
        if (!s->is_fast[j] && fabs(p->x[j] - s->now.x_end[j]) > tiny * size)
            return false;
    }
    return true;
}

static void forget(stormer *s)
{
    past *const now = &s->now;

    now->known = true;
    now->h = 0.0;
    for (int i = 0; i < s->k; i++)
        now->half[s->pair[i][1]] = s->p->x[s->pair[i][1]];
}

/* Accelerations and algebraic unknowns at the present point, and its
 * velocities with them. */
static yoke_status evaluate(stormer *s, yoke_err *err)
{
    yk_problem *p = s->p;
    const past *last = &s->now;

    if (s->ready == p->t) return YOKE_OK;
    for (int i = 0; last->h > 0.0 && i < s->k; i++) {
        const int v = s->pair[i][1];
        p->x[v] = last->half[v] + 0.5 * last->h * last->xdot[v];
    }
    YK_TRY(slope(s, p->t, p->x, s->xdot, err));
    for (int i = 0; last->h > 0.0 && !s->predicted && i < s->k; i++) {
        const int v = s->pair[i][1];
        p->x[v] = last->half[v] + 0.5 * last->h * s->xdot[v];
    }
    s->ready = p->t;
    return YOKE_OK;
}

static yoke_status charges(const stormer *s, double t, const double *x,
                           double *q, yoke_err *err)
{
    if (!s->classical)
        return yk_slopes_charges(&s->slopes, s->p->n, x, q)
                   ? YOKE_OK
                   : yk_eval(s->p, t, x, q, NULL, err);
    memcpy(q, x, (size_t)s->p->n * sizeof *x);
    return YOKE_OK;
}

static yoke_status stormer_begin(void *self, bool smooth, yoke_err *err)
{
    stormer *s = self;
    yk_problem *p = s->p;

    if (!goes_on(s, smooth)) forget(s);
    s->ready = NAN;
    YK_TRY(evaluate(s, err));
    return charges(s, p->t, p->x, p->q, err);
}

/* What the last two evaluations give for the end of the step. */
static void go_on(stormer *s, double h)
{
    const yk_problem *p = s->p;
    const past *last = &s->now;
    const double w = last->h > 0.0 ? h / last->h : 0.0;

    for (int j = 0; j < p->n; j++) {
        s->xdot_new[j] = s->xdot[j] + w * (s->xdot[j] - last->xdot[j]);
        if (s->is_fast[j]) p->x_new[j] = p->x[j] + w * (p->x[j] - last->x[j]);
    }
}

/* h omega as the last two evaluations tell it: omega^2 is the change of the
 * accelerations over that of the positions. */
static void tell_rate(stormer *s, double h)
{
    yk_problem *p = s->p;
    double moved = 0.0, bent = 0.0, along = 0.0;

    p->rate = p->growth = 0.0;
    if (!(s->now.h > 0.0)) return;
    for (int i = 0; i < s->k; i++) {
        const int r = s->pair[i][0], v = s->pair[i][1];
        const double size = yk_size_x(p, r, p->x[r]);
        const double turn = (s->xdot[v] - s->now.xdot[v]) / size;
        const double way = (p->x[r] - s->now.x[r]) / size;
        const double bend = fabs(turn);
        moved = fmax(moved, fabs(way));
        along += turn * way;
        if (bend <= bent) continue;
        bent = bend;
        p->rate_of = r;
    }
    if (!(moved > YK_STEP_VISIBLE)) return;
    p->rate = h * sqrt(bent / moved);
    if (along < 0.0) p->growth = INFINITY; /* if it is beyond the bound */
}

static yoke_status stormer_step(void *self, double t, double h, double *error,
                                double *t_reached, yoke_err *err)
{
    stormer *s = self;
    yk_problem *p = s->p;
    double *const x = p->x_new, *const half = s->half_new;

    (void)error, (void)t_reached;
    s->t_new = t;
    YK_TRY(evaluate(s, err));
    tell_rate(s, h);
    memcpy(x, p->x, (size_t)p->n * sizeof *x);
    memcpy(s->xdot_new, s->xdot, (size_t)p->n * sizeof *x);
    for (int i = 0; i < s->k; i++) {
        const int r = s->pair[i][0], v = s->pair[i][1];
        half[v] = s->now.half[v] + 0.5 * (s->now.h + h) * s->xdot[v];
        x[r] += h * half[v];
        x[v] = half[v] + 0.5 * h * s->xdot[v];
    }
    if (s->stages)
        go_on(s, h);
    else
        YK_TRY(slope(s, t, x, s->xdot_new, err));
    for (int i = 0; !s->predicted && i < s->k; i++) {
        const int v = s->pair[i][1];
        x[v] = half[v] + 0.5 * h * s->xdot_new[v];
    }
    return charges(s, t, x, p->q_new, err);
}

static void stormer_shape(void *self, double h)
{
    const stormer *s = self;
    yk_problem *p = s->p;
    const size_t n = (size_t)p->n;
    double *const c0 = p->poly.coef, *const c1 = c0 + n, *const c2 = c1 + n;

    for (size_t j = 0; j < n; j++) {
        c0[j] = p->x[j];
        c1[j] = p->x_new[j] - p->x[j];
        c2[j] = 0.0;
    }
    for (int i = 0; i < s->k; i++) {
        const int r = s->pair[i][0], v = s->pair[i][1];
        c2[r] = c1[r] - h * p->x[v];
        c1[r] = h * p->x[v];
        c2[v] = c1[v] - h * s->xdot[v];
        c1[v] = h * s->xdot[v];
    }
    p->poly.t = p->t;
    p->poly.h = h;
    p->poly.degree = 2;
    p->poly.valid = true;
}

static void stormer_commit(void *self)
{
    stormer *s = self;
    const yk_problem *p = s->p;
    const size_t bytes = (size_t)p->n * sizeof(double);
    past *const last = &s->now;

    last->t = s->t_new;
    last->h = p->poly.h;
    for (int i = 0; p->facts->help->project && !s->predicted && i < s->k; i++) {
        const int v = s->pair[i][1]; /* moved with the velocity */
        s->half_new[v] = p->x_new[v] - 0.5 * last->h * s->xdot_new[v];
    }
    yk_swap(&last->half, &s->half_new);
    memcpy(last->xdot, s->xdot, bytes);
    memcpy(last->x, p->x, bytes);
    memcpy(last->x_end, p->x_new, bytes);
    yk_swap(&s->xdot, &s->xdot_new);
    s->ready = s->stages ? NAN : last->t;
}

static void past_copy(past *to, const past *from, int n)
{
    const size_t bytes = (size_t)n * sizeof(double);

    to->known = from->known;
    to->t = from->t;
    to->h = from->h;
    memcpy(to->half, from->half, bytes);
    memcpy(to->xdot, from->xdot, bytes);
    memcpy(to->x, from->x, bytes);
    memcpy(to->x_end, from->x_end, bytes);
}

static void stormer_keep(void *self)
{
    stormer *s = self;

    past_copy(&s->kept, &s->now, s->p->n);
}

static void stormer_back(void *self)
{
    stormer *s = self;

    past_copy(&s->now, &s->kept, s->p->n);
}

const yk_method yk_stormer = {
    .name = "stormer",
    .text = "leapfrog for positions and velocities, order 2, fixed step",
    .stepping = YK_FIXED,
    .order = 2,
    .degree = 2,
    .stable = 2.0,
    .rejoins = true,
    .stages = true,
    .create = stormer_create,
    .begin = stormer_begin,
    .step = stormer_step,
    .shape = stormer_shape,
    .commit = stormer_commit,
    .keep = stormer_keep,
    .back = stormer_back,
    .free = stormer_free,
};
