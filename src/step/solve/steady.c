/* step/solve/steady.c -- equilibria by pseudo-transient continuation.
 *
 * Implicit Euler steps of  d/dt q(x) + f(x) = 0  with time and inputs held, one
 * Newton step each:
 *
 *     (C/h + G) dx = -f(x),   x := x + dx.
 *
 * While h is short x follows the motion of the system towards its rest; as h
 * grows the step becomes Newton's for f(x) = 0.  How good a step is tells the
 * increment that the same matrix finds after it,
 *
 *     theta = |(C/h + G)^-1 ((q(x + dx) - q(x))/h + f(x + dx))| / |dx|:
 *
 * below a half the step is taken and h grows, above one it is repeated with a
 * shorter h, and shortened itself where h does not help (algebraic equations).
 * Norms are relative to nominal values and to x, so units do not matter.  Long
 * steps are drawn to rests that the system itself would leave, so steps first
 * move nothing far; only where that finds no end are they free.
 *
 * The end is judged with C/h = 0: G must be regular, otherwise the rest is not
 * isolated, and the last increment must vanish.
 * Reference: Kelley, Keyes, SIAM J. Numer. Anal. 35 (1998) 508.
 */
#include "step/solve/steady.h"

#include "la/lu.h"
#include "la/pattern.h"
#include "step/policy.h"
#include "sys/system.h"

#include <math.h>
#include <string.h>

typedef struct search {
    yoke_system *system;
    const yoke_system_info *facts;
    double t;
    const double *u;
    double *x, *next, *q, *q_next, *f, *dx, *after, *keep;
    yoke_jacobian jac;
    yoke_pattern *both;
    int *c_at, *g_at;
    double *value;
    yk_lu *lu;
    double calm; /* steps that are longer may be followed by Newton's method */
} search;

static void search_clear(search *s)
{
    yoke_pattern_free(s->both);
    yk_lu_free(s->lu);
    YK_FREE(s->c_at, s->g_at, s->value, s->jac.C, s->next, s->q, s->q_next,
            s->f, s->dx, s->after, s->keep);
}

static yoke_status search_begin(search *s, yoke_err *err)
{
    const size_t n = (size_t)s->facts->n + 1;

    YK_TRY(yk_pattern_union(&s->both, s->facts->C, s->facts->G, &s->c_at,
                            &s->g_at, err));
    YK_TRY(yk_doubles(&s->value, (size_t)yoke_pattern_count(s->both) + 1, err));
    YK_TRY(YK_DOUBLES(n, err, &s->next, &s->q, &s->q_next, &s->f, &s->dx,
                      &s->after, &s->keep));
    YK_TRY(yk_jacobian_create(&s->jac, s->system, err));
    return yk_lu_create(&s->lu, s->both, false, err);
}

static double size_of(const search *s, int i)
{
    return s->facts->nominal[i] + fabs(s->x[i]);
}

/* Largest component over its size, and which. */
static double norm(const search *s, const double *v, int *worst)
{
    double most = 0.0;

    for (int i = 0; i < s->facts->n; i++) {
        const double part = fabs(v[i]) / size_of(s, i);
        if (part <= most) continue;
        most = part;
        if (worst) *worst = i;
    }
    return most;
}

/* C rate + G, factored; YOKE_RETRY: singular. */
static yoke_status factor(search *s, double rate, yoke_err *err)
{
    memset(s->value, 0, (size_t)yoke_pattern_count(s->both) * sizeof *s->value);
    for (int k = 0; k < yoke_pattern_count(s->facts->G); k++)
        s->value[s->g_at[k]] += s->jac.G[k];
    for (int k = 0; k < yoke_pattern_count(s->facts->C); k++)
        s->value[s->c_at[k]] += rate * s->jac.C[k];
    return yk_lu_factor(s->lu, s->value, NULL, err);
}

/* dx from f at x. */
static yoke_status increment(search *s, yoke_err *err)
{
    for (int i = 0; i < s->facts->n; i++) s->dx[i] = -s->f[i];
    return yk_lu_solve(s->lu, s->dx, err);
}

/* *theta of a part of the step dx; YOKE_RETRY: nothing can be computed there. */
static yoke_status try_step(search *s, double rate, double part, double *theta,
                            yoke_err *err)
{
    const int n = s->facts->n;

    for (int i = 0; i < n; i++) s->next[i] = s->x[i] + part * s->dx[i];
    YK_TRY(yoke_system_eval(s->system, s->t, s->next, s->u, s->q_next, s->after,
                            err));
    for (int i = 0; i < n; i++) s->after[i] += rate * (s->q_next[i] - s->q[i]);
    YK_TRY(yk_lu_solve(s->lu, s->after, err));
    const double before = norm(s, s->dx, NULL);
    *theta = before > 0.0 ? norm(s, s->after, NULL) / before : 0.0;
    return isfinite(*theta) ? YOKE_OK : YOKE_RETRY;
}

/* A step of length 1 / rate, or the part of it that is good; *theta: how good,
 * INFINITY: no part is. */
static yoke_status attempt(search *s, double rate, double *theta, yoke_err *err)
{
    enum { PARTS = 3 };
    double part = 1.0;

    *theta = INFINITY;
    for (int k = 0; k < PARTS; k++, part *= 0.25) {
        yoke_err why = { YOKE_OK, "" };
        double found = INFINITY;
        const yoke_status status = try_step(s, rate, part, &found, &why);
        if (status == YOKE_E_MEMORY)
            return yk_fail(err, status, "%s", why.text);
        if (status != YOKE_OK || found > 1.0 - 0.25 * part) continue;
        *theta = part < 1.0 ? 1.0 : found;
        memcpy(s->x, s->next, (size_t)s->facts->n * sizeof *s->x);
        return YOKE_OK;
    }
    return YOKE_OK;
}

static yoke_status look(search *s, yoke_err *err)
{
    YK_TRY(yoke_system_eval(s->system, s->t, s->x, s->u, s->q, s->f, err));
    return yoke_system_jacobian(s->system, s->t, s->x, s->u, &s->jac, err);
}

/* The unknown that moves most in the slowest mode. */
static void name_slowest(search *s, yk_steady *out)
{
    const int n = s->facts->n;
    double rate = 1.0 / YK_STEADY_ENDLESS;

    while (rate < 1e30 && factor(s, rate, NULL) != YOKE_OK) rate *= 10.0;
    for (int i = 0; i < n; i++) s->dx[i] = size_of(s, i);
    for (int round = 0; round < 3; round++) {
        memset(s->after, 0, (size_t)n * sizeof *s->after);
        yk_pattern_multiply(s->facts->C, s->jac.C, 1.0, s->dx, s->after);
        if (yk_lu_solve(s->lu, s->after, NULL) != YOKE_OK) return;
        const double most = norm(s, s->after, &out->worst);
        for (int i = 0; i < n && most > 0.0; i++) s->dx[i] = s->after[i] / most;
    }
}

/* Newton's method for f = 0 from here on. */
static yoke_status finish(search *s, yk_steady *out, bool *done, yoke_err *err)
{
    *done = false;
    memcpy(s->keep, s->x, (size_t)s->facts->n * sizeof *s->x);
    for (int k = 0; k < YK_STEADY_NEWTON; k++) {
        YK_TRY(look(s, err));
        if (factor(s, 0.0, NULL) != YOKE_OK ||
            yk_lu_rcond(s->lu) < YK_STEADY_RCOND)
            break;
        YK_TRY(increment(s, err));
        const double size = norm(s, s->dx, &out->worst);
        if (!(size < YK_STEADY_NEAR)) break;
        for (int i = 0; i < s->facts->n; i++) s->x[i] += s->dx[i];
        if (size > YK_STEADY_SAME) continue;
        *done = true;
        out->end = YK_STEADY_FOUND;
        out->worst = -1;
        return YOKE_OK;
    }
    memcpy(s->x, s->keep, (size_t)s->facts->n * sizeof *s->x);
    return YOKE_OK;
}

/* Newton's method has not ended it although h is endless: does x move? */
static void judge(search *s, double moved, yk_steady *out)
{
    out->end = moved < YK_STEADY_NEAR ? YK_STEADY_MANY : YK_STEADY_NONE;
    if (out->end == YK_STEADY_MANY || out->worst < 0) name_slowest(s, out);
}

/* The next step: as long as it is good and, if `near`, moves nothing far. */
static double next_length(double h, double theta, bool near)
{
    if (theta > 1.0) return 0.1 * h;
    if (theta > YK_STEADY_GOOD) return h;
    return near || theta > 0.1 * YK_STEADY_GOOD ? 2.0 * h : 10.0 * h;
}

/* near: x follows the motion of the system, so that it comes to the rest that
 * the system would come to; otherwise to any. */
static yoke_status follow(search *s, bool near, yk_steady *out, yoke_err *err)
{
    double h = 1.0, moved = INFINITY;
    bool done = false;
    int shorter = 0;

    out->end = YK_STEADY_SLOW;
    for (; out->steps < YK_STEADY_STEPS; out->steps++) {
        double theta = INFINITY;
        YK_TRY(look(s, err));
        if (factor(s, 1.0 / h, NULL) == YOKE_OK) {
            YK_TRY(increment(s, err));
            moved = norm(s, s->dx, &out->worst);
            /* Algebraic unknowns move as far however short h is. */
            if (near && moved > YK_STEADY_STRIDE && shorter++ < 30) {
                h *= 0.3;
                continue;
            }
            YK_TRY(attempt(s, 1.0 / h, &theta, err));
        }
        if (theta <= 1.0) shorter = 0;
        if (theta < YK_STEADY_GOOD && moved < YK_STEADY_NEAR && h > s->calm) {
            YK_TRY(finish(s, out, &done, err));
            if (done) return YOKE_OK;
            s->calm = 100.0 * h; /* too early */
        }
        if (theta < YK_STEADY_GOOD && h > YK_STEADY_ENDLESS) {
            judge(s, moved, out);
            return YOKE_OK;
        }
        h = next_length(h, theta, near);
    }
    return YOKE_OK;
}

yoke_status yk_steady_solve(yoke_system *system, double t, const double *u,
                            double *x, yk_steady *out, yoke_err *err)
{
    search s = { .system = system,
                 .facts = yoke_system_facts(system),
                 .t = t,
                 .u = u,
                 .x = x };
    double *first = NULL;
    yoke_status status = YOKE_OK;

    *out = (yk_steady){ .end = YK_STEADY_FOUND, .worst = -1 };
    if (s.facts->n == 0) return YOKE_OK;
    YK_GO(search_begin(&s, err));
    YK_GO(yk_copy_doubles(&first, x, (size_t)s.facts->n, err));
    YK_GO(follow(&s, true, out, err));
    if (out->end == YK_STEADY_FOUND || out->end == YK_STEADY_MANY) goto done;
    /* It goes away: is there a rest that the system leaves? */
    memcpy(x, first, (size_t)s.facts->n * sizeof *x);
    *out = (yk_steady){ .worst = -1 };
    s.calm = 0.0;
    YK_GO(follow(&s, false, out, err));
done:
    yk_free(first);
    search_clear(&s);
    return status;
}
