/* step/solve/slopes.c -- time derivatives and algebraic unknowns at a point.
 *
 * With the differential unknowns x_d given, Newton's method for
 *
 *     C xdot_d + qdot + f(t, x_d, x_a, u) = 0      in  z = (xdot_d, x_a)
 *
 * has the matrix [C_d, G_a]: columns of C for differential unknowns, of G for
 * algebraic ones.  It is regular for index 1 if C_d has full column rank.  The
 * dependence of C on x_a is left out of the matrix.
 *
 * Increments are halved until the simplified increment that follows is shorter
 * (natural monotonicity test of Deuflhard, which does not depend on how the
 * equations are scaled).
 * Few algebraic unknowns.  If f is linear at each time and the charges are
 * unknowns themselves, q_i = x_j (a mechanism held by one multiplier), then the
 * algebraic rows alone determine x_a, and xdot = -f.  The columns of G_a are
 * f(x + s e_j) - f(x) over s, exact but for rounding: for up to eight of them
 * that is many times cheaper than the Jacobian of a large system and its
 * factors.  That the charges are unknowns is looked at in every evaluation.
 *
 * Reference: Brown, Hindmarsh, Petzold, SIAM J. Sci. Comput. 19 (1998) 1495.
 */
#include "step/policy.h"
#include "step/solve/slopes.h"

#include "la/newton.h"
#include "la/pattern.h"

#include <math.h>
#include <string.h>

void yk_slopes_free(yk_slopes *s)
{
    yk_lu_free(s->lu);
    yoke_pattern_free(s->pattern);
    YK_FREE(s->differential, s->value, s->f, s->r, s->dz, s->old, s->old_dot,
            s->weight);
    yk_lu_free(s->small);
    yoke_pattern_free(s->full);
    YK_FREE(s->unknown, s->row, s->charge_of, s->q, s->column, s->block,
            s->increment, s->step);
}

static bool in_charge(const yk_problem *p, int j)
{
    return p->facts->C->start[j + 1] > p->facts->C->start[j];
}

static yoke_status make_pattern(yk_slopes *s, const yk_problem *p,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *row = NULL, *col = NULL;
    const size_t room = (size_t)yoke_pattern_count(p->facts->C) +
                        (size_t)yoke_pattern_count(p->facts->G) + 1;
    int count = 0;

    YK_GO(YK_INTS(room, err, &row, &col));
    for (int j = 0; j < p->n; j++) {
        const yoke_pattern *a = in_charge(p, j) ? p->facts->C : p->facts->G;
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            row[count] = a->row[k];
            col[count++] = j;
        }
    }
    YK_GO(yoke_pattern_create(&s->pattern, p->n, p->n, count, row, col, err));
    YK_GO(yk_doubles(&s->value, (size_t)count + 1, err));
done:
    YK_FREE(row, col);
    return status;
}

/* ---- Few algebraic unknowns ---------------------------------------------- */

/* One place in each row with charge and in each column of a differential
 * unknown. */
static bool single_charges(const yk_slopes *s, const yk_problem *p)
{
    const yoke_pattern *c = p->facts->C;

    for (int i = 0; i < p->n; i++) s->charge_of[i] = -1;
    for (int j = 0; j < p->n; j++) {
        const int count = c->start[j + 1] - c->start[j];
        if (count > 1) return false;
        if (count == 0) continue;
        if (s->charge_of[c->row[c->start[j]]] >= 0) return false;
        s->charge_of[c->row[c->start[j]]] = j;
    }
    for (int i = 0; i < p->n; i++)
        if (p->charge[i] != (s->charge_of[i] >= 0)) return false;
    return true;
}

static yoke_status make_few(yk_slopes *s, const yk_problem *p, yoke_err *err)
{
    const size_t n = (size_t)p->n, few = (size_t)p->algebraic;
    int unknowns = 0, rows = 0;

    if (!p->linear || p->affine || p->charge_input || p->algebraic < 1 ||
        p->algebraic > YK_STEP_FEW || p->n <= YK_LU_DENSE)
        return YOKE_OK;
    YK_TRY(yk_ints(&s->charge_of, n, err));
    if (!single_charges(s, p)) return YOKE_OK;
    YK_TRY(YK_INTS(few, err, &s->unknown, &s->row));
    YK_TRY(yk_doubles(&s->q, n, err));
    YK_TRY(yk_doubles(&s->column, few * n, err));
    YK_TRY(yk_doubles(&s->block, few * few, err));
    YK_TRY(YK_DOUBLES(few, err, &s->increment, &s->step));
    YK_TRY(yk_pattern_full(&s->full, p->algebraic, p->algebraic, err));
    YK_TRY(yk_lu_create(&s->small, s->full, false, err));
    for (int j = 0; j < p->n; j++) {
        if (!s->differential[j]) s->unknown[unknowns++] = j;
        if (!p->charge[j]) s->row[rows++] = j;
    }
    s->few = p->algebraic;
    return YOKE_OK;
}

/* f(x), and also whether the charges are the unknowns. */
static yoke_status few_base(yk_slopes *s, yk_problem *p, double t,
                            const double *x, yoke_err *err)
{
    YK_TRY(yk_eval(p, t, x, s->q, s->f, err));
    for (int i = 0; i < p->n; i++)
        if (s->charge_of[i] >= 0 && s->q[i] != x[s->charge_of[i]]) {
            s->few = 0;
            break;
        }
    return YOKE_OK;
}

/* Column k of G_a times s; x is as before afterwards. */
static yoke_status few_column(yk_slopes *s, yk_problem *p, double t, double *x,
                              int k, yoke_err *err)
{
    const int j = s->unknown[k];
    const double before = x[j];
    double *const column = s->column + (size_t)k * (size_t)p->n;

    x[j] = before + fabs(before) + p->facts->nominal[j]; /* of f's size too */
    const double step = x[j] - before;
    const yoke_status status = yk_eval(p, t, x, NULL, column, err);
    x[j] = before;
    YK_TRY(status);
    for (int i = 0; i < p->n; i++) column[i] -= s->f[i];
    for (int i = 0; i < s->few; i++)
        s->block[k * s->few + i] = column[s->row[i]];
    s->step[k] = step;
    return YOKE_OK;
}

/* *done is false if the charges turn out to be something else, or if the
 * matrix looks singular: then the Jacobian decides. */
static yoke_status few_solve(yk_slopes *s, yk_problem *p, double t,
                             const double *qdot, double *x, double *xdot,
                             bool *done, yoke_err *err)
{
    YK_TRY(few_base(s, p, t, x, err));
    *done = s->few > 0;
    if (!*done) return YOKE_OK;
    for (int k = 0; k < s->few; k++) {
        YK_TRY(few_column(s, p, t, x, k, err));
        s->increment[k] = -s->f[s->row[k]];
    }
    const yoke_status status = yk_lu_factor(s->small, s->block, NULL, err);
    *done = status == YOKE_OK;
    if (status > 0) return YOKE_OK;
    YK_TRY(status);
    YK_TRY(yk_lu_solve(s->small, s->increment, err));
    for (int k = 0; k < s->few; k++) {
        const double *const column = s->column + (size_t)k * (size_t)p->n;
        x[s->unknown[k]] += s->step[k] * s->increment[k];
        for (int i = 0; i < p->n; i++) s->f[i] += s->increment[k] * column[i];
    }
    for (int i = 0; i < p->n; i++)
        if (s->charge_of[i] >= 0)
            xdot[s->charge_of[i]] = -s->f[i] - (qdot ? qdot[i] : 0.0);
    return YOKE_OK;
}

bool yk_slopes_charges(const yk_slopes *s, int n, const double *x, double *q)
{
    if (s->few == 0) return false;
    for (int i = 0; i < n; i++)
        q[i] = s->charge_of[i] >= 0 ? x[s->charge_of[i]] : 0.0;
    return true;
}

/* ---- Newton's method ----------------------------------------------------- */

yoke_status yk_slopes_create(yk_slopes *s, const yk_problem *p, yoke_err *err)
{
    const size_t n = (size_t)p->n + 1;

    YK_TRY(YK_NEW(&s->differential, n, err));
    for (int j = 0; j < p->n; j++) s->differential[j] = in_charge(p, j);
    YK_TRY(make_pattern(s, p, err));
    YK_TRY(make_few(s, p, err));
    YK_TRY(YK_DOUBLES(n, err, &s->f, &s->r, &s->dz, &s->old, &s->old_dot));
    return yk_doubles(&s->weight, n, err);
}

/* Both patterns list a column's rows in the same order, so values are copied
 * column by column. */
static yoke_status factor(yk_slopes *s, yk_problem *p, yoke_err *err)
{
    int column = -1, at = 0;

    for (int j = 0; j < p->n; j++) {
        const bool d = s->differential[j];
        const yoke_pattern *a = d ? p->facts->C : p->facts->G;
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            s->value[at++] = d ? p->C[k] : p->G[k];
    }
    if (!s->lu) YK_TRY(yk_lu_create(&s->lu, s->pattern, false, err));
    p->work.factorizations++;
    const yoke_status status = yk_lu_factor(s->lu, s->value, &column, err);
    if (status > 0) p->singular = true;
    return status;
}

/* The equations at one time, and where Newton's method is. */
typedef struct point {
    yk_slopes *s;
    yk_problem *p;
    double t;
    const double *qdot;
    double *x, *xdot;
    double size; /* of the last increment */
} point;

/* r = -[C_d, G_a]^-1 (C xdot + qdot + f). */
static yoke_status solve(const point *z, double *r, yoke_err *err)
{
    yk_problem *p = z->p;

    YK_TRY(yk_eval(p, z->t, z->x, NULL, z->s->f, err));
    for (int i = 0; i < p->n; i++)
        r[i] = z->s->f[i] + (z->qdot ? z->qdot[i] : 0.0);
    yk_pattern_multiply(p->facts->C, p->C, 1.0, z->xdot, r);
    for (int i = 0; i < p->n; i++) r[i] = -r[i];
    p->work.solves++;
    return yk_lu_solve(z->s->lu, r, err);
}

/* Derivatives are measured by their own size. */
static void set_weights(const point *z)
{
    yk_problem *p = z->p;

    yk_weights(p, z->x);
    for (int i = 0; i < p->n; i++)
        z->s->weight[i] =
            z->s->differential[i]
                ? p->options.rtol * (fabs(z->xdot[i]) + p->facts->nominal[i])
                : p->weight[i];
}

static yoke_status increment(void *self, yk_newton_run *run, yoke_err *err)
{
    point *z = self;
    yk_problem *p = z->p;
    const size_t bytes = (size_t)p->n * sizeof *z->x;

    if (!p->affine || !p->stamp) YK_TRY(yk_jacobian(p, z->t, z->x, err));
    if (!p->affine || !z->s->lu) YK_TRY(factor(z->s, p, err));
    set_weights(z);
    memcpy(z->s->old, z->x, bytes);
    memcpy(z->s->old_dot, z->xdot, bytes);
    YK_TRY(solve(z, z->s->dz, err));
    run->size = z->size = yk_weighted_max(p->n, z->s->dz, z->s->weight, NULL);
    return YOKE_OK;
}

static yoke_status move(void *self, double lambda, bool *good, yoke_err *err)
{
    const point *z = self;
    const yk_slopes *s = z->s;

    for (int i = 0; i < z->p->n; i++)
        if (s->differential[i])
            z->xdot[i] = s->old_dot[i] + lambda * s->dz[i];
        else
            z->x[i] = s->old[i] + lambda * s->dz[i];
    if (!good) return YOKE_OK;
    YK_TRY(solve(z, s->r, err));
    *good = yk_weighted_max(z->p->n, s->r, s->weight, NULL) <= z->size;
    return YOKE_OK;
}

yoke_status yk_slopes_solve(yk_slopes *s, yk_problem *p, double t,
                            const double *qdot, double *x, double *xdot,
                            yoke_err *err)
{
    point z = { s, p, t, qdot, x, xdot, 0.0 };
    yk_newton_run run = {
        .self = &z,
        .increment = increment,
        .move = move,
        .most = YK_STEP_MOST_NEWTON,
        .lengths = YK_STEP_SLOPE_LENGTHS,
        .tolerance = p->linear ? INFINITY : YK_STEP_VISIBLE,
    };
    bool done = false;

    p->singular = false;
    if (s->few > 0) YK_TRY(few_solve(s, p, t, qdot, x, xdot, &done, err));
    if (done) return YOKE_OK;
    const yoke_status status = yk_newton_iterate(&run, err);
    if (run.end == YK_NEWTON_SLOW || run.end == YK_NEWTON_UNDEFINED)
        yk_prefix(err, "algebraic unknowns");
    return status;
}
