/* sys/response.c -- the answer of a system to small changes of its inputs. */
#include "sys/response.h"
#include "sys/closed.h"
#include "yoke/optional.h"
#include "la/lu.h"
#include "la/pattern.h"

#include <math.h>
#include <string.h>

struct yk_response {
    yoke_system *system;
    const yoke_system_info *f;
    yoke_jacobian jac;
    bool linearised, factored;
    yoke_pattern *both; /* of c C + G */
    int *c_at, *g_at;
    double *value;
    yk_lu *lu;
    double c;
    double *x_of_u; /* m columns of n: -(c C + G)^-1 (c Cu + Gu) */
    double *z;      /* p by m, row by row */
    double *dq, *dq_before, *dx;
    bool moved;   /* dq or dq_before is not zero */
    double t, *u; /* of a closed system */
};

void yk_response_free(yk_response *r)
{
    if (!r) return;
    yk_free(r->jac.C);
    yoke_pattern_free(r->both);
    YK_FREE(r->c_at, r->g_at, r->value);
    yk_lu_free(r->lu);
    YK_FREE(r->x_of_u, r->z, r->dq, r->dq_before, r->dx, r->u, r);
}

static yoke_status build(yk_response *r, yoke_err *err)
{
    const yoke_system_info *f = r->f;
    const size_t n = (size_t)f->n, m = (size_t)f->m;

    YK_TRY(yk_jacobian_create(&r->jac, r->system, err));
    YK_TRY(yk_pattern_union(&r->both, f->C, f->G, &r->c_at, &r->g_at, err));
    YK_TRY(yk_doubles(&r->value, (size_t)yoke_pattern_count(r->both), err));
    if (n > 0) YK_TRY(yk_lu_create(&r->lu, r->both, false, err));
    YK_TRY(yk_doubles(&r->x_of_u, n * m, err));
    YK_TRY(yk_doubles(&r->z, (size_t)f->p * m, err));
    YK_TRY(YK_DOUBLES(n, err, &r->dq, &r->dq_before));
    return yk_doubles(&r->dx, n, err);
}

yoke_status yk_response_create(yk_response **out, yoke_system *system,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_response *r = NULL;

    YK_TRY(YK_NEW(&r, 1, err));
    r->system = system;
    r->f = yoke_system_facts(system);
    YK_GO(build(r, err));
    *out = r;
    r = NULL;
done:
    yk_response_free(r);
    return status;
}

/* Of a closed system there is nothing but its answers. */
static yoke_status keep_point(yk_response *r, double t, const double *u,
                              yoke_err *err)
{
    if (!r->u) YK_TRY(yk_doubles(&r->u, (size_t)r->f->m + 1, err));
    for (int j = 0; j < r->f->m; j++) r->u[j] = u[j];
    r->t = t;
    r->linearised = true;
    return YOKE_OK;
}

yoke_status yk_response_linearise(yk_response *r, double t, const double *x,
                                  const double *u, yoke_err *err)
{
    if (r->linearised && r->f->flags & YOKE_AFFINE) return YOKE_OK;
    r->linearised = r->factored = false;
    if (r->f->closed) return keep_point(r, t, u, err);
    YK_TRY(yoke_system_jacobian(r->system, t, x, u, &r->jac, err));
    r->linearised = true;
    return YOKE_OK;
}

/* ---- Z ------------------------------------------------------------------- */

static yoke_status factor_matrix(yk_response *r, double c, yoke_err *err)
{
    const yoke_system_info *f = r->f;

    if (f->n == 0) return YOKE_OK;
    memset(r->value, 0, (size_t)yoke_pattern_count(r->both) * sizeof *r->value);
    for (int k = 0; k < yoke_pattern_count(f->C); k++)
        r->value[r->c_at[k]] += c * r->jac.C[k];
    for (int k = 0; k < yoke_pattern_count(f->G); k++)
        r->value[r->g_at[k]] += r->jac.G[k];
    return yk_lu_factor(r->lu, r->value, NULL, err);
}

/* What a unit change of input j does at once. */
static yoke_status make_column(yk_response *r, int j, yoke_err *err)
{
    const yoke_system_info *f = r->f;
    double *x = r->x_of_u + (size_t)j * (size_t)f->n;

    for (int i = 0; i < f->n; i++) x[i] = 0.0;
    yk_pattern_add_column(f->Cu, r->jac.Cu, j, -r->c, x);
    yk_pattern_add_column(f->Gu, r->jac.Gu, j, -1.0, x);
    if (f->n > 0) YK_TRY(yk_lu_solve(r->lu, x, err));
    for (int o = 0; o < f->p; o++) r->z[o * f->m + j] = 0.0;
    for (int k = f->Hu->start[j]; k < f->Hu->start[j + 1]; k++)
        r->z[f->Hu->row[k] * f->m + j] += r->jac.Hu[k];
    for (int i = 0; i < f->n; i++)
        for (int k = f->Hx->start[i]; k < f->Hx->start[i + 1]; k++)
            r->z[f->Hx->row[k] * f->m + j] += r->jac.Hx[k] * x[i];
    return YOKE_OK;
}

bool yk_response_ready(const yk_response *r, double c)
{
    return r->factored && r->c == c;
}

static yoke_status ask_closed(yk_response *r, yoke_err *err)
{
    const yk_closed *closed = r->f->closed;

    if (!closed->answer)
        return yk_fail(err, YOKE_RETRY, "\"%s\" is closed and tells nothing",
                       yoke_system_name(r->system));
    const yk_elsewhere *there = r->system->elsewhere;
    if (there)
        return there->answer(there->self, r->t, r->u, 1.0 / r->c, r->z, err);
    return closed->answer(closed->self, r->t, r->u, 1.0 / r->c, r->z, err);
}

yoke_status yk_response_factor(yk_response *r, double c, yoke_err *err)
{
    if (yk_response_ready(r, c)) return YOKE_OK;
    r->factored = false;
    r->c = c;
    if (r->f->closed) {
        YK_TRY(ask_closed(r, err));
        r->factored = true;
        return YOKE_OK;
    }
    YK_TRY(factor_matrix(r, c, err));
    for (int j = 0; j < r->f->m; j++) YK_TRY(make_column(r, j, err));
    r->factored = true;
    return YOKE_OK;
}

const double *yk_response_matrix(const yk_response *r)
{
    return r->z;
}

const double *yk_response_unknowns(const yk_response *r)
{
    return r->x_of_u;
}

static double largest(const yoke_pattern *p, const double *value, int column)
{
    double most = 0.0;

    for (int k = p->start[column]; k < p->start[column + 1]; k++)
        most = fmax(most, fabs(value[k]));
    return most;
}

double yk_response_rate(const yk_response *r)
{
    double rate = 0.0;

    if (!r->linearised || !r->jac.C || !r->jac.G) return 0.0;
    for (int j = 0; j < r->f->n; j++) {
        const double c = largest(r->f->C, r->jac.C, j);
        if (c > 0.0) rate = fmax(rate, largest(r->f->G, r->jac.G, j) / c);
    }
    return rate;
}

/* ---- march --------------------------------------------------------------- */

void yk_response_begin(yk_response *r)
{
    const size_t bytes = (size_t)r->f->n * sizeof *r->dq;

    memset(r->dq, 0, bytes);
    memset(r->dq_before, 0, bytes);
    r->moved = false;
}

/* c = 3 / (2 h): the older charges enter with 2 / h and -1 / (2 h). */
yoke_status yk_response_history(yk_response *r, double *dy, yoke_err *err)
{
    const int n = r->f->n, p = r->f->p;

    for (int o = 0; o < p; o++) dy[o] = 0.0;
    for (int i = 0; i < n; i++)
        r->dx[i] = r->c * (4.0 * r->dq[i] - r->dq_before[i]) / 3.0;
    if (!r->moved || n == 0) return YOKE_OK;
    YK_TRY(yk_lu_solve(r->lu, r->dx, err));
    yk_pattern_multiply(r->f->Hx, r->jac.Hx, 1.0, r->dx, dy);
    return YOKE_OK;
}

void yk_response_follow(yk_response *r, const double *du)
{
    const int n = r->f->n, m = r->f->m;
    double *const dq = r->dq_before;

    for (int j = 0; j < m; j++) {
        const double *x = r->x_of_u + (size_t)j * (size_t)n;
        if (du[j] == 0.0) continue;
        r->moved = true;
        for (int i = 0; i < n; i++) r->dx[i] += du[j] * x[i];
    }
    memset(dq, 0, (size_t)n * sizeof *dq);
    yk_pattern_multiply(r->f->C, r->jac.C, 1.0, r->dx, dq);
    yk_pattern_multiply(r->f->Cu, r->jac.Cu, 1.0, du, dq);
    r->dq_before = r->dq;
    r->dq = dq;
}
