/* comp/mechanism/project.c -- the nearest positions and velocities that satisfy
 * the constraints.
 *
 *     [ M  G' ] [ z ]   [  0   ]
 *     [ G  0  ] [ w ] = [ -gap ],    gap = gamma(t, q)  or  G v + gamma_t
 *
 * moves q (repeatedly) or v by z, the least in the norm of M: what is projected
 * in the directions that the constraints leave free stays as it is.
 *
 * Limits: dense, for mechanisms of up to some hundred coordinates.
 * Reference: Hairer, Lubich, Wanner, Geometric Numerical Integration, section
 * IV.4; Lubich, Numer. Math. 59 (1991) 197.
 */
#include "comp/mechanism/project.h"
#include "la/dense.h"
#include "la/depend.h"

#include "base/texts.h"
#include "base/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 30 };

yoke_status yk_projector_create(yk_projector *p, yoke_err *err)
{
    const size_t n = (size_t)p->n, c = (size_t)p->count, all = n + c;

    YK_TRY(yk_doubles(&p->M, n * n, err));
    YK_TRY(yk_doubles(&p->G, c * n + 1, err));
    YK_TRY(YK_DOUBLES(c + 1, err, &p->value, &p->rate));
    YK_TRY(yk_doubles(&p->saddle, all * all, err));
    YK_TRY(yk_doubles(&p->b, all, err));
    return yk_ints(&p->pivot, all, err);
}

yoke_status yk_projector_name(yk_projector *p, const char *const *name,
                              yoke_err *err)
{
    YK_TRY(YK_NEW(&p->name, p->count, err));
    for (int k = 0; k < p->count; k++)
        YK_TRY(yk_copy_text(&p->name[k], name[k], err));
    return YOKE_OK;
}

void yk_projector_clear(yk_projector *p)
{
    yk_texts_free(p->name, p->count);
    YK_FREE(p->M, p->G, p->value, p->rate, p->saddle, p->b, p->pivot);
}

yoke_status yk_missed(yk_projector *p, double t, const double *q,
                      const double *v, int level, double *most, yoke_err *err)
{
    yk_zero(p->value, p->count);
    yk_zero(p->rate, p->count);
    yk_zero(p->G, p->count * p->n);
    YK_TRY(p->constrain(p->self, t, q, v, p->value, p->rate, p->G, err));
    *most = 0.0;
    for (int k = 0; k < p->count; k++) {
        if (level > 0) {
            p->value[k] = p->rate[k];
            for (int j = 0; j < p->n; j++)
                p->value[k] += p->G[k * p->n + j] * v[j];
        }
        *most = fmax(*most, fabs(p->value[k]));
    }
    return YOKE_OK;
}

/* b = (z, w) for the gap p->value. */
static yoke_status solve(yk_projector *p, yoke_err *err)
{
    const int n = p->n, all = n + p->count;

    yk_zero(p->saddle, all * all);
    yk_zero(p->b, n);
    for (int i = 0; i < n; i++)
        memcpy(p->saddle + i * all, p->M + i * n, (size_t)n * sizeof *p->M);
    for (int k = 0; k < p->count; k++) {
        p->b[n + k] = -p->value[k];
        for (int j = 0; j < n; j++)
            p->saddle[(n + k) * all + j] = p->saddle[j * all + n + k] =
                p->G[k * n + j];
    }
    const yoke_status status =
        yk_dense_factor(all, p->saddle, p->pivot, NULL, err);
    if (status > 0)
        return yk_fail(err, YOKE_RETRY,
                       "the constraints depend on each other here: positions "
                       "and velocities cannot be projected");
    YK_TRY(status);
    return yk_dense_solve(all, p->saddle, p->pivot, 1, p->b, err);
}

yoke_status yk_project(yk_projector *p, double t, double *q, double *v,
                       int level, yoke_err *err)
{
    double *const to = level > 0 ? v : q, left = 0.0, now = 0.0;

    if (p->count == 0) return YOKE_OK;
    yk_zero(p->M, p->n * p->n);
    YK_TRY(p->mass(p->self, q, p->M, err));
    YK_TRY(yk_missed(p, t, q, v, level, &left, err));
    for (int step = 0; step < STEPS && left > 0.0; step++) {
        YK_TRY(solve(p, err));
        for (int i = 0; i < p->n; i++) to[i] += p->b[i];
        YK_TRY(yk_missed(p, t, q, v, level, &now, err));
        if (now < left) {
            left = now;
            continue;
        }
        for (int i = 0; i < p->n; i++) to[i] -= p->b[i];
        return yk_missed(p, t, q, v, level, &now, err);
    }
    return YOKE_OK;
}

yoke_status yk_project_both(yk_projector *p, double t, double *q, double *v,
                            double missed[2], yoke_err *err)
{
    for (int level = 0; level < 2; level++)
        YK_TRY(yk_missed(p, t, q, v, level, &missed[level], err));
    YK_TRY(yk_project(p, t, q, v, 0, err));
    return yk_project(p, t, q, v, 1, err);
}

/* ---- where they depend on each other ------------------------------------- */

static bool tell(const yk_projector *p, const double *G, double *weight,
                 char *text, size_t size)
{
    static const double hardly = 1e-3; /* of a row, relative to what it was */
    static const double counts = 0.01; /* of a weight, to the largest */
    double most = 0.0;
    char who[300];
    int row = -1;

    if (yk_dependent_row(p->count, p->n, G, hardly, &row, weight, NULL) ||
        row < 0)
        return false;
    for (int k = 0; k < p->count; k++) most = fmax(most, fabs(weight[k]));
    for (int k = 0; k < p->count; k++)
        if (fabs(weight[k]) < counts * most) weight[k] = 0.0;
    yk_list_weighted(who, sizeof who, p->count, weight,
                     (const char *const *)p->name);
    snprintf(text, size,
             "the constraints %s nearly follow from each other at this place, "
             "as where all bars are in one line, so that the motion behind it "
             "is not determined",
             who);
    return true;
}

bool yk_project_explain(const yk_projector *p, const yoke_question *ask,
                        char *text, size_t size)
{
    const size_t count = (size_t)p->count;
    double *G = NULL, *value = NULL, *rate = NULL;
    bool told = false;

    if (ask->row >= 0 || p->count == 0) return false;
    if (yk_doubles(&G, count * (size_t)p->n, NULL) == YOKE_OK &&
        YK_DOUBLES(count, NULL, &value, &rate) == YOKE_OK &&
        p->constrain(p->self, ask->t, ask->x, ask->x + p->n, value, rate, G,
                     NULL) == YOKE_OK)
        told = tell(p, G, value, text, size);
    YK_FREE(G, value, rate);
    return told;
}
