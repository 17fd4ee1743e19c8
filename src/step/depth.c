/* step/depth.c -- which unknowns answer to errors like 1/h, 1/h^2.
 *
 * In a system of index 2 the multiplier answers to a residual of its constraint
 * like 1/h, in one of index 3 like 1/h^2 (and the velocities like 1/h).  Such
 * unknowns have an error at the beginning of a step that a shorter step does
 * not make smaller.  It does not act on what follows if no charge depends on
 * them (multipliers, accelerations).  When shorter and shorter steps fail with
 * the same error, estimates take what the stages say about the beginning of the
 * former, and the others, velocities, count less.
 *
 * How deep an unknown lies is measured: (C/h
 * + G) x = b is solved, with b in the equations without charge, for two small
 * h, and log(x2 / x1) is its depth.  Reference: Hairer and Wanner II, section
 * VII.4; RADAU5 weighs the errors of index-2 and index-3 variables by h and
 * h^2.
 */
#include "step/method.h"
#include "sys/system.h"

#include <math.h>

static const double smallness = 1e-3, refine = 10.0;
enum { DEEPEST = 3 };

static double largest(const double *v, int count)
{
    double most = 0.0;

    for (int k = 0; k < count; k++) most = fmax(most, fabs(v[k]));
    return most;
}

typedef struct probe {
    yoke_jacobian jac;
    yk_lu *lu;
    double *value, *coarse, *fine;
} probe;

static yoke_status solve(const yk_problem *p, probe *d, double h, double *x,
                         yoke_err *err)
{
    unsigned long long seed = 1;

    for (int k = 0; k < yoke_pattern_count(p->both); k++) d->value[k] = 0.0;
    for (int k = 0; k < yoke_pattern_count(p->facts->C); k++)
        d->value[p->c_at[k]] += d->jac.C[k] / h;
    for (int k = 0; k < yoke_pattern_count(p->facts->G); k++)
        d->value[p->g_at[k]] += d->jac.G[k];
    for (int i = 0; i < p->n; i++) {
        const double b = 0.5 + yk_random(&seed);
        x[i] = p->charge[i] ? 0.0 : b;
    }
    YK_TRY(yk_lu_factor(d->lu, d->value, NULL, err));
    return yk_lu_solve(d->lu, x, err);
}

static yoke_status measure(yk_problem *p, probe *d, yoke_err *err)
{
    const yoke_system_info *f = p->facts;

    YK_TRY(yoke_system_jacobian(p->system, p->t, p->x, p->u, &d->jac, err));
    const double c = largest(d->jac.C, yoke_pattern_count(f->C));
    const double g = largest(d->jac.G, yoke_pattern_count(f->G));
    if (c == 0.0 || g == 0.0) return YOKE_OK;
    const double h = smallness * c / g;
    YK_TRY(solve(p, d, h, d->coarse, err));
    YK_TRY(solve(p, d, h / refine, d->fine, err));
    for (int i = 0; i < p->n; i++) {
        const double ratio = fabs(d->fine[i] / d->coarse[i]);
        const double depth = isfinite(ratio) && ratio > 0.0
                                 ? round(log(ratio) / log(refine))
                                 : 0.0;
        p->depth[i] = depth <= 0.0       ? 0
                      : depth >= DEEPEST ? DEEPEST
                                         : (int)depth;
        p->forgets[i] = p->depth[i] > 0 && f->C->start[i] == f->C->start[i + 1];
        p->deep = p->deep || p->forgets[i];
    }
    return YOKE_OK;
}

yoke_status yk_find_depth(yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    probe d = { 0 };
    yoke_err why;

    p->deep = false;
    for (int i = 0; i < p->n; i++) p->depth[i] = p->forgets[i] = 0;
    if (p->algebraic == 0 || p->n == 0) return YOKE_OK;
    YK_GO(yk_jacobian_create(&d.jac, p->system, err));
    YK_GO(yk_lu_create(&d.lu, p->both, false, err));
    YK_GO(yk_doubles(&d.value, (size_t)yoke_pattern_count(p->both), err));
    YK_GO(yk_doubles(&d.coarse, (size_t)p->n, err));
    YK_GO(yk_doubles(&d.fine, (size_t)p->n, err));
    status = measure(p, &d, &why);
    if (status == YOKE_RETRY) status = YOKE_OK; /* nothing is known */
    if (status != YOKE_OK && err) *err = why;
done:
    yk_free(d.jac.C);
    yk_lu_free(d.lu);
    yk_free(d.value);
    yk_free(d.coarse);
    yk_free(d.fine);
    return status;
}

bool yk_forgetting(const yk_problem *p, double h)
{
    return p->deep && h < p->h_usual;
}

/* Those that forget are judged anew, the others count less. */
void yk_deepen_weights(yk_problem *p, double h)
{
    if (!(h < p->h_usual)) return;
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->depth[i] && !p->forgets[i]; k++)
            p->weight[i] *= p->h_usual / h;
}
