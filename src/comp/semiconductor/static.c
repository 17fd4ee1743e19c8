/* comp/semiconductor/static.c -- thermal equilibrium and the static
 * characteristic.
 *
 * Equilibrium: n = ni e^(psi/UT), p = ni e^(-psi/UT) and Poisson's equation,
 * which is then monotone in psi; Newton's method with increments bounded by a
 * few UT.  These densities make the currents of Scharfetter and Gummel zero to
 * rounding.
 *
 * Static state at a voltage: Newton's method for all three fields from a
 * neighbouring voltage; densities are not let below a tenth of what they were,
 * so that they stay positive.  Steps in the voltage grow while they succeed.
 */
#include "comp/semiconductor/device.h"

#include "la/lu.h"
#include "la/newton.h"

#include <math.h>
#include <string.h>

enum { MOST_NEWTON = 60, EQUILIBRIUM_NEWTON = 400 };

/* ---- equilibrium --------------------------------------------------------- */

/* psi of a neutral region. */
static double neutral(const yk_dd *d, double doping)
{
    return d->ut * asinh(0.5 * doping / d->ni);
}

/* Poisson's equation alone, psi at all nodes. */
typedef struct balance {
    const yk_dd *d;
    yoke_pattern *pattern;
    yk_lu *lu;
    double *value, *r, *psi;
} balance;

static void balance_clear(balance *b)
{
    yoke_pattern_free(b->pattern);
    yk_lu_free(b->lu);
    YK_FREE(b->value, b->r, b->psi);
}

static yoke_status balance_create(balance *b, const yk_dd *d, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t room = 2 * (size_t)d->edges + (size_t)d->inner;
    int *row = NULL, *col = NULL, count = 0;

    YK_GO(YK_INTS(room, err, &row, &col));
    for (int k = 0; k < d->inner; k++, count++) row[count] = col[count] = k;
    for (int k = 0; k < d->edges; k++) {
        const int i = d->number[d->edge[k].a], j = d->number[d->edge[k].b];
        if (i < 0 || j < 0) continue;
        row[count] = col[count + 1] = i;
        col[count] = row[count + 1] = j;
        count += 2;
    }
    YK_GO(yoke_pattern_create(&b->pattern, d->inner, d->inner, count, row, col,
                              err));
    YK_GO(yk_doubles(&b->value, (size_t)yoke_pattern_count(b->pattern), err));
    YK_GO(yk_doubles(&b->r, (size_t)d->inner, err));
    YK_GO(yk_doubles(&b->psi, (size_t)d->nodes, err));
    YK_GO(yk_lu_create(&b->lu, b->pattern, false, err));
done:
    YK_FREE(row, col);
    return status;
}

static void put(const balance *b, int row, int col, double v)
{
    b->value[yoke_pattern_find(b->pattern, row, col)] += v;
}

static void balance_fill(const balance *b, const yk_dd *d)
{
    memset(b->value, 0,
           (size_t)yoke_pattern_count(b->pattern) * sizeof *b->value);
    for (int k = 0; k < d->nodes; k++) {
        if (d->number[k] < 0) continue;
        const double w = d->volume[k] * d->charge / d->eps;
        const double n = d->ni * exp(b->psi[k] / d->ut);
        const double p = d->ni * exp(-b->psi[k] / d->ut);
        b->r[d->number[k]] = w * (p - n + d->doping[k]);
        put(b, d->number[k], d->number[k], w * (n + p) / d->ut);
    }
    for (int k = 0; k < d->edges; k++) {
        const yk_edge *e = &d->edge[k];
        const int i = d->number[e->a], j = d->number[e->b];
        const double c = e->s / e->h, pull = c * (b->psi[e->b] - b->psi[e->a]);
        if (i >= 0) b->r[i] += pull;
        if (j >= 0) b->r[j] -= pull;
        if (i >= 0) put(b, i, i, c);
        if (j >= 0) put(b, j, j, c);
        if (i < 0 || j < 0) continue;
        put(b, i, j, -c);
        put(b, j, i, -c);
    }
}

/* No increment is longer than 2 UT.  After a small one there is one more, to
 * rounding. */
static yoke_status balance_step(void *self, yk_newton_run *run, yoke_err *err)
{
    const balance *b = self;
    const yk_dd *d = b->d;

    balance_fill(b, d);
    YK_TRY(yk_lu_factor(b->lu, b->value, NULL, err));
    YK_TRY(yk_lu_solve(b->lu, b->r, err));
    run->size = yk_all_finite(b->r, d->inner, NULL) ? 0.0 : NAN;
    for (int k = 0; k < d->inner; k++)
        run->size = fmax(run->size, fabs(b->r[k]) / d->ut);
    const double damp = run->size > 2.0 ? 2.0 / run->size : 1.0;
    for (int k = 0; k < d->nodes; k++)
        if (d->number[k] >= 0) b->psi[k] += damp * b->r[d->number[k]];
    run->done = run->before <= 1e-9;
    return YOKE_OK;
}

static yoke_status balance_solve(balance *b, const yk_dd *d, yoke_err *err)
{
    yk_newton_run run = { b, balance_step, .most = EQUILIBRIUM_NEWTON };

    for (int k = 0; k < d->nodes; k++)
        b->psi[k] =
            d->number[k] < 0 ? d->fixed[k][YK_PSI] : neutral(d, d->doping[k]);
    const yoke_status status = yk_newton_iterate(&run, err);
    if (run.end != YK_NEWTON_SLOW && run.end != YK_NEWTON_UNDEFINED)
        return status;
    return yk_fail(err, YOKE_E_MODEL,
                   "thermal equilibrium was not found: Newton's method still "
                   "moves the potential by %.2g UT after %d iterations; check "
                   "doping, length and grid",
                   run.size, run.iterations);
}

yoke_status yk_dd_equilibrium(const yk_dd *d, double *x, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    balance b = { .d = d };

    YK_GO(balance_create(&b, d, err));
    YK_GO(balance_solve(&b, d, err));
    for (int k = 0; k < d->nodes; k++) {
        if (d->number[k] < 0) continue;
        double *const at = x + YK_FIELDS * d->number[k];
        at[YK_PSI] = b.psi[k];
        at[YK_ELECTRONS] = d->ni * exp(b.psi[k] / d->ut);
        at[YK_HOLES] = d->ni * exp(-b.psi[k] / d->ut);
    }
done:
    balance_clear(&b);
    return status;
}

/* ---- other voltages ------------------------------------------------------ */

typedef struct solver {
    const yk_dd *d;
    int n;
    yk_dd alone; /* the same device with that pattern */
    yk_lu *lu;
    double *G, *f, *trial;
    double v; /* at which the trial is to be static */
} solver;

static void solver_clear(solver *s)
{
    yk_lu_free(s->lu);
    YK_FREE(s->G, s->f, s->trial, s->alone.place);
    yoke_pattern_free(s->alone.G);
}

static yoke_status solver_create(solver *s, const yk_dd *d, yoke_err *err)
{
    const yk_more none = { YK_FIELDS * d->inner, 0, NULL, NULL };

    s->d = &s->alone;
    s->n = YK_FIELDS * d->inner;
    s->alone = *d;
    s->alone.G = NULL;
    s->alone.place = NULL;
    YK_TRY(yk_dd_pattern(&s->alone, &none, err));
    YK_TRY(yk_doubles(&s->G, (size_t)yoke_pattern_count(s->alone.G), err));
    YK_TRY(YK_DOUBLES((size_t)s->n, err, &s->f, &s->trial));
    return yk_lu_create(&s->lu, s->alone.G, false, err);
}

/* Adds the increment with bounds; returns its size relative to UT and to the
 * densities. */
static double advance(const solver *s)
{
    const yk_dd *d = s->d;
    double most = 0.0;

    for (int k = 0; k < s->n; k++) {
        double *const x = &s->trial[k];
        const double dx = -s->f[k];
        if (k % YK_FIELDS == YK_PSI) {
            most = fmax(most, fabs(dx) / d->ut);
            *x += copysign(fmin(fabs(dx), 10.0 * d->ut), dx);
            continue;
        }
        most = fmax(most, fabs(dx) / (fabs(*x) + 1e-16 * d->scale));
        *x = fmax(*x + dx, 0.1 * *x);
    }
    return most;
}

/* From s->trial towards the static state at s->v. */
static yoke_status increment(void *self, yk_newton_run *run, yoke_err *err)
{
    const solver *s = self;

    memset(s->G, 0, (size_t)yoke_pattern_count(s->alone.G) * sizeof *s->G);
    yk_dd_eval(s->d, s->trial, s->v, NULL, s->f);
    yk_dd_jacobian(s->d, s->trial, s->v, s->G, NULL);
    YK_TRY(yk_lu_factor(s->lu, s->G, NULL, err));
    YK_TRY(yk_lu_solve(s->lu, s->f, err));
    run->size = yk_all_finite(s->f, s->n, NULL) ? advance(s) : NAN;
    /* or quadratic convergence has ended in rounding */
    run->done = run->size < 1e-10 ||
                (run->size < 1e-6 && run->size > 0.1 * run->before);
    return YOKE_OK;
}

static yoke_status walk(solver *s, double *x, double *v, double to,
                        yoke_err *err)
{
    const double ut = s->d->ut;
    double step = 2.0 * ut;

    while (*v != to) {
        const double left = to - *v;
        const double next = fabs(left) <= step ? to : *v + copysign(step, left);
        memcpy(s->trial, x, (size_t)s->n * sizeof *x);
        yk_newton_run run = { s, increment, .most = MOST_NEWTON };
        s->v = next;
        const yoke_status status = yk_newton_iterate(&run, err);
        if (status < 0) return status;
        if (status == YOKE_OK) {
            memcpy(x, s->trial, (size_t)s->n * sizeof *x);
            *v = next;
            step *= 1.5;
            continue;
        }
        step *= 0.25;
        if (step < 1e-6 * ut)
            return yk_fail(err, YOKE_E_MODEL,
                           "no static state was found beyond %g V on the way "
                           "to %g V; check doping, mobilities and grid",
                           *v, to);
    }
    return YOKE_OK;
}

yoke_status yk_dd_move(const yk_dd *d, double *x, double *v, double to,
                       yoke_err *err)
{
    yoke_status status = YOKE_OK;
    solver s = { 0 };

    if (*v == to) return YOKE_OK;
    YK_GO(solver_create(&s, d, err));
    YK_GO(walk(&s, x, v, to, err));
done:
    solver_clear(&s);
    return status;
}
