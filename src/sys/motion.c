/* sys/motion.c -- derivatives of outputs at a point, from the equations. */
#include "sys/motion.h"

#include "la/lu.h"
#include "la/pattern.h"
#include "sys/call.h"
#include "sys/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Unknowns are not smaller than this part of their nominal values. */
static const double small = 1e-3;

/* Differences along x' reach this part of the time in which x changes: the error
 * of a central difference is about its square, and rounding over it. */
static const double part_of_time = 1e-4;

/* Those of five points, whose error is its fourth power. */
static const double part_of_path = 0.01;

/* Those in time, relative to the scale of the caller; what changes by no more
 * than rounding over it does not. */
static const double part_of_scale = 1e-3;
static const double round_off = 8.0 * DBL_EPSILON;

/* Newton's method on the equations without charge: increments relative to the
 * size of the unknowns. */
static const double settled = 1e-13, rounding = 1e-10;
enum { MOST_ITERATIONS = 8 };

/* Where the equations are known already an increment below this changes them by
 * what the Jacobian says: the rest is its square. */
static const double near = 1e-6;

/* What changes in time by less, relative to its size, does not. */
static const double constant = 1e-12;

/* Rounding in a rate that was found by differences in time. */
static const double noise = 1e-9;

/* What is left of a sum of terms this much larger is rounding. */
static const double nothing = 1e-10;

/* The point around which slopes are taken. */
typedef struct yk_motion_base {
    double *x, *r, *G, *y; /* y: LEVELS times p */
    double *way;           /* n by n: how the unknowns move with each */
} yk_motion_base;

struct yk_motion {
    yoke_system *system;
    const yoke_system_info *f;
    bool affine;
    bool *algebraic;          /* rows without charge */
    bool *wanted;             /* outputs */
    yoke_jacobian jac, ahead; /* at the point; beside it */
    yoke_pattern *both;
    int *c_at, *g_at;
    double *value;
    yk_lu *lu;
    bool factored;
    yk_motion_point at;
    double *x, *u, *q, *r, *dot, *dot2;
    double *side, *q_side[2], *r_side[2]; /* before and behind */
    double *column[YK_MOTION_LEVELS], *y_side[2], *y_now;
    double *size;                      /* p: of the terms of one column */
    double *in_time[2], *right, *left; /* n */
    double *other;                     /* LEVELS times p */
    bool timed, bent; /* explicit time, curvature have played a part */
    bool known;       /* q and r at the point are, but by no evaluation */
    double looked;    /* when time was looked for last; NAN: never */
    yk_motion_base base;
    long residuals, jacobians, factorizations;
};

void yk_motion_free(yk_motion *m)
{
    if (!m) return;
    YK_FREE(m->algebraic, m->wanted, m->jac.C, m->ahead.C, m->c_at, m->g_at,
            m->value);
    yoke_pattern_free(m->both);
    yk_lu_free(m->lu);
    YK_FREE(m->x, m->u, m->q, m->r, m->dot, m->dot2, m->side, m->y_now,
            m->size);
    for (int k = 0; k < 2; k++)
        YK_FREE(m->q_side[k], m->r_side[k], m->y_side[k]);
    for (int k = 0; k < YK_MOTION_LEVELS; k++) yk_free(m->column[k]);
    YK_FREE(m->in_time[0], m->in_time[1], m->right, m->left, m->other);
    YK_FREE(m->base.x, m->base.r, m->base.G, m->base.y, m->base.way);
    yk_free(m);
}

static yoke_status build(yk_motion *m, yoke_err *err)
{
    const size_t n = (size_t)m->f->n + 1, p = (size_t)m->f->p + 1;

    YK_TRY(YK_NEW(&m->algebraic, n, err));
    yk_system_algebraic_rows(m->system, m->algebraic);
    YK_TRY(YK_NEW(&m->wanted, p, err));
    YK_TRY(yk_jacobian_create(&m->jac, m->system, err));
    YK_TRY(yk_jacobian_create(&m->ahead, m->system, err));
    YK_TRY(
        yk_pattern_union(&m->both, m->f->C, m->f->G, &m->c_at, &m->g_at, err));
    YK_TRY(yk_doubles(&m->value, (size_t)yoke_pattern_count(m->both) + 1, err));
    if (m->f->n > 0) YK_TRY(yk_lu_create(&m->lu, m->both, false, err));
    YK_TRY(
        YK_DOUBLES(n, err, &m->x, &m->q, &m->r, &m->dot, &m->dot2, &m->side));
    YK_TRY(yk_doubles(&m->u, (size_t)m->f->m + 1, err));
    YK_TRY(YK_DOUBLES(p, err, &m->y_now, &m->size));
    YK_TRY(YK_DOUBLES(n, err, &m->in_time[0], &m->in_time[1], &m->right,
                      &m->left));
    YK_TRY(yk_doubles(&m->other, YK_MOTION_LEVELS * p, err));
    for (int k = 0; k < 2; k++) {
        YK_TRY(YK_DOUBLES(n, err, &m->q_side[k], &m->r_side[k]));
        YK_TRY(yk_doubles(&m->y_side[k], p, err));
    }
    for (int k = 0; k < YK_MOTION_LEVELS; k++)
        YK_TRY(yk_doubles(&m->column[k], n, err));
    return YOKE_OK;
}

yoke_status yk_motion_create(yk_motion **out, yoke_system *system,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_motion *m = NULL;

    YK_TRY(YK_NEW(&m, 1, err));
    m->system = system;
    m->f = yoke_system_facts(system);
    m->affine = m->f->flags & YOKE_AFFINE;
    m->looked = NAN;
    YK_GO(build(m, err));
    *out = m;
    m = NULL;
done:
    yk_motion_free(m);
    return status;
}

void yk_motion_want(yk_motion *m, int output)
{
    m->wanted[output] = true;
}

/* ---- the point ----------------------------------------------------------- */

static yoke_status evaluate(yk_motion *m, double t, const double *x, double *q,
                            double *r, yoke_err *err)
{
    m->residuals++;
    return yoke_system_eval(m->system, t, x, m->u, q, r, err);
}

static yoke_status factor(yk_motion *m, yoke_err *err)
{
    const yoke_system_info *f = m->f;

    if (m->affine && m->factored) return YOKE_OK;
    m->factored = false;
    m->jacobians++;
    m->factorizations++;
    YK_TRY(yoke_system_jacobian(m->system, m->at.t, m->x, m->u, &m->jac, err));
    memset(m->value, 0, (size_t)yoke_pattern_count(m->both) * sizeof *m->value);
    for (int k = 0; k < yoke_pattern_count(f->C); k++)
        m->value[m->c_at[k]] += m->jac.C[k];
    for (int k = 0; k < yoke_pattern_count(f->G); k++)
        if (m->algebraic[f->G->row[k]]) m->value[m->g_at[k]] += m->jac.G[k];
    if (m->lu) {
        yoke_err why = { YOKE_OK, "" };
        const yoke_status status = yk_lu_factor(m->lu, m->value, NULL, &why);
        if (status == YOKE_RETRY)
            return yk_fail(err, YOKE_RETRY,
                           "\"%s\" at t = %.9g: its equations do not determine "
                           "the derivatives of its unknowns (index above 1, or "
                           "charges that depend on each other)",
                           m->system->name, m->at.t);
        if (status != YOKE_OK && err) *err = why;
        YK_TRY(status);
    }
    m->factored = true;
    return YOKE_OK;
}

static yoke_status solve(yk_motion *m, double *b, yoke_err *err)
{
    return m->lu ? yk_lu_solve(m->lu, b, err) : YOKE_OK;
}

/* m->x += dx, with the equations as the Jacobian has them. */
static void go_on(yk_motion *m, const double *dx)
{
    for (int i = 0; i < m->f->n; i++) m->x[i] += dx[i];
    yk_pattern_multiply(m->f->C, m->jac.C, 1.0, dx, m->q);
    yk_pattern_multiply(m->f->G, m->jac.G, 1.0, dx, m->r);
}

/* m->dot: the increment of Newton's method for the rows without charge, the
 * charges held, and its size; 0: they are solved. */
static yoke_status algebraic_increment(yk_motion *m, double *most,
                                       yoke_err *err)
{
    bool any = false;

    *most = 0.0;
    for (int i = 0; i < m->f->n; i++) {
        m->dot[i] = m->algebraic[i] ? -m->r[i] : 0.0;
        any = any || m->dot[i] != 0.0;
    }
    if (!any) return YOKE_OK;
    YK_TRY(solve(m, m->dot, err));
    for (int i = 0; i < m->f->n; i++) {
        const double size = fabs(m->x[i]) + small * m->f->nominal[i];
        *most = fmax(*most, fabs(m->dot[i]) / size);
    }
    return YOKE_OK;
}

/* known: m->q and m->r are those of m->x. */
static yoke_status solve_algebraic(yk_motion *m, bool known, yoke_err *err)
{
    const bool exact = m->affine && !m->system->differenced;

    for (int k = 0; k < MOST_ITERATIONS; k++) {
        double most = 0.0;
        if (!known) YK_TRY(evaluate(m, m->at.t, m->x, m->q, m->r, err));
        YK_TRY(algebraic_increment(m, &most, err));
        /* m->q and m->r stay those of m->x. */
        if (!(most > settled) || (m->affine && k > 0)) return YOKE_OK;
        if (k > 1 && most < rounding) return YOKE_OK;
        if (exact || most < near) {
            go_on(m, m->dot);
            return YOKE_OK;
        }
        m->known = known = false;
        for (int i = 0; i < m->f->n; i++) m->x[i] += m->dot[i];
    }
    return yk_fail(err, YOKE_RETRY,
                   "\"%s\" at t = %.9g: the equations without charge have no "
                   "solution near that of the sweep",
                   m->system->name, m->at.t);
}

/* m->r, which is that of the inputs u, becomes that of m->u. */
static void follow_inputs(yk_motion *m, const double *u)
{
    for (int j = 0; j < m->f->m; j++)
        yk_pattern_add_column(m->f->Gu, m->jac.Gu, j, m->u[j] - u[j], m->r);
}

yoke_status yk_motion_at(yk_motion *m, const yk_motion_point *point,
                         yoke_err *err)
{
    m->at = *point;
    if (m->f->n) memcpy(m->x, point->x, (size_t)m->f->n * sizeof *m->x);
    if (m->f->m) memcpy(m->u, point->u, (size_t)m->f->m * sizeof *m->u);
    m->at.x = m->x;
    m->at.u = m->u;
    YK_TRY(factor(m, err));
    const bool known = point->q && point->f;
    m->known = known;
    if (known && m->f->n) {
        memcpy(m->q, point->q, (size_t)m->f->n * sizeof *m->q);
        memcpy(m->r, point->f, (size_t)m->f->n * sizeof *m->r);
        if (point->u_of) follow_inputs(m, point->u_of);
    }
    return solve_algebraic(m, known, err);
}

void yk_motion_anew(yk_motion *m)
{
    m->looked = NAN;
}

const double *yk_motion_x(const yk_motion *m)
{
    return m->x;
}

/* a[i * count + c] = (Hx x)_i, zero where only rounding is left. */
static void project(yk_motion *m, const double *x, int count, int c,
                    const double *direct, double *a)
{
    const yoke_system_info *f = m->f;

    for (int i = 0; i < f->p; i++) {
        a[i * count + c] = direct ? direct[i] : 0.0;
        m->size[i] = fabs(a[i * count + c]);
    }
    for (int j = 0; j < f->n; j++)
        for (int k = f->Hx->start[j]; k < f->Hx->start[j + 1]; k++) {
            const double term = m->jac.Hx[k] * x[j];
            a[f->Hx->row[k] * count + c] += term;
            m->size[f->Hx->row[k]] += fabs(term);
        }
    for (int i = 0; i < f->p; i++)
        if (fabs(a[i * count + c]) <= nothing * m->size[i])
            a[i * count + c] = 0.0;
}

/* ---- rates --------------------------------------------------------------- */

/* Two times within the smooth interval, and the weights with which f(t0) - f(t)
 * and f(t1) - f(t) give the derivative at t. */
typedef struct stencil {
    double time[2], weight[2];
} stencil;

static bool is_same(double a, double b)
{
    return fabs(a - b) <= round_off * fmax(fabs(a), fabs(b));
}

/* Exactly zero for what does not change. */
static double rate(const stencil *s, double before, double now, double behind)
{
    if (is_same(before, now) && is_same(behind, now)) return 0.0;
    return s->weight[0] * (before - now) + s->weight[1] * (behind - now);
}

static stencil around(const yk_motion *m)
{
    const double e = part_of_scale * m->at.scale, t = m->at.t;

    if (t - e < m->at.from && t + 2.0 * e <= m->at.to)
        return (stencil){ { t + e, t + 2.0 * e }, { 2.0 / e, -0.5 / e } };
    if (t + e > m->at.to && t - 2.0 * e >= m->at.from)
        return (stencil){ { t - 2.0 * e, t - e }, { 0.5 / e, -2.0 / e } };
    return (stencil){ { t - e, t + e }, { -0.5 / e, 0.5 / e } };
}

/* Does anything differ between the two sides? */
static bool sides_differ(const yk_motion *m)
{
    for (int i = 0; i < m->f->n; i++)
        if (!is_same(m->q_side[0][i], m->q_side[1][i]) ||
            !is_same(m->r_side[0][i], m->r_side[1][i]))
            return true;
    return false;
}

/* r_side[0] = q_t in rows with charge, f_t in those without; r_side[1] = f_t
 * of all.  dot2 and left are free here. */
static yoke_status rates_in_time(yk_motion *m, yoke_err *err)
{
    const stencil s = around(m);
    const double *q = m->q, *r = m->r;

    for (int k = 0; k < 2; k++)
        YK_TRY(evaluate(m, s.time[k], m->x, m->q_side[k], m->r_side[k], err));
    /* Equations that are known but not evaluated are those of other times by
     * what Newton's method has left. */
    if (m->known && sides_differ(m)) {
        YK_TRY(evaluate(m, m->at.t, m->x, m->dot2, m->left, err));
        q = m->dot2;
        r = m->left;
    } else if (m->known) {
        memset(m->r_side[0], 0, (size_t)m->f->n * sizeof **m->r_side);
        memset(m->r_side[1], 0, (size_t)m->f->n * sizeof **m->r_side);
        return YOKE_OK;
    }
    for (int i = 0; i < m->f->n; i++) {
        const double charge = rate(&s, m->q_side[0][i], q[i], m->q_side[1][i]);
        const double flow = rate(&s, m->r_side[0][i], r[i], m->r_side[1][i]);
        m->r_side[0][i] = m->algebraic[i] ? flow : charge;
        m->r_side[1][i] = flow;
    }
    return YOKE_OK;
}

/* The time in which v changes the unknowns by their size. */
static double time_of(const yk_motion *m, const double *v)
{
    double size = 0.0, rate = 0.0;

    for (int i = 0; i < m->f->n; i++) {
        size += pow(m->x[i] / m->f->nominal[i], 2.0);
        rate += pow(v[i] / m->f->nominal[i], 2.0);
    }
    return rate > 0.0 && size > 0.0 ? sqrt(size / rate) : m->at.scale;
}

static void add_row(const yk_motion *m, double weight, double *to)
{
    for (int i = 0; i < m->f->n; i++)
        to[i] += weight * (m->algebraic[i] ? m->r_side[1][i] : m->q_side[1][i]);
}

/* Along x + s v, by five points: slope = (C_d v, G_a v), bend its derivative,
 * flow = G v, y1 = Hx v and y2 its derivative; each may be NULL.  q_side[1] and
 * r_side[1] are overwritten. */
typedef struct path {
    double *slope, *bend, *flow, *y1, *y2;
} path;

static yoke_status five_points(yk_motion *m, const double *v, const path *p,
                               yoke_err *err)
{
    static const double first[5] = { 1.0, -8.0, 0.0, 8.0, -1.0 };
    static const double second[5] = { -1.0, 16.0, -30.0, 16.0, -1.0 };
    const double e = part_of_path * time_of(m, v);

    for (int k = 0; k < 5; k++) {
        const double a = first[k] / (12.0 * e), b = second[k] / (12.0 * e * e);
        if (k == 2 && !p->bend && !p->y2) continue;
        for (int i = 0; i < m->f->n; i++)
            m->side[i] = m->x[i] + (k - 2) * e * v[i];
        YK_TRY(evaluate(m, m->at.t, m->side, m->q_side[1], m->r_side[1], err));
        if (p->slope) add_row(m, a, p->slope);
        if (p->bend) add_row(m, b, p->bend);
        for (int i = 0; p->flow && i < m->f->n; i++)
            p->flow[i] += a * m->r_side[1][i];
        if (!p->y1 && !p->y2) continue;
        YK_TRY(yoke_system_output(m->system, m->at.t, m->side, m->u,
                                  m->y_side[1], err));
        for (int i = 0; i < m->f->p; i++) {
            if (p->y1) p->y1[i] += a * m->y_side[1][i];
            if (p->y2) p->y2[i] += b * m->y_side[1][i];
        }
    }
    return YOKE_OK;
}

/* x := M^-1 b; where the matrix is made of differences once more with what is
 * left of the equations. */
static yoke_status solve_well(yk_motion *m, const double *b, double *x,
                              yoke_err *err)
{
    memcpy(x, b, (size_t)m->f->n * sizeof *x);
    YK_TRY(solve(m, x, err));
    if (!m->system->differenced || m->affine) return YOKE_OK;
    memset(m->left, 0, (size_t)m->f->n * sizeof *x);
    YK_TRY(five_points(m, x, &(path){ .slope = m->left }, err));
    for (int i = 0; i < m->f->n; i++) m->left[i] = b[i] - m->left[i];
    YK_TRY(solve(m, m->left, err));
    for (int i = 0; i < m->f->n; i++) x[i] += m->left[i];
    return YOKE_OK;
}

/* m->dot = x'; with `timed` what depends on time explicitly: m->in_time[0] in x',
 * m->in_time[1] in x''. */
static yoke_status first_rates(yk_motion *m, bool timed, yoke_err *err)
{
    const int n = m->f->n;

    if (timed) YK_TRY(rates_in_time(m, err));
    for (int i = 0; i < n; i++) {
        m->in_time[0][i] = timed ? m->r_side[0][i] : 0.0;
        m->in_time[1][i] = timed ? m->r_side[1][i] : 0.0;
        m->right[i] = -m->in_time[0][i] - (m->algebraic[i] ? 0.0 : m->r[i]);
    }
    return solve_well(m, m->right, m->dot, err);
}

/* y += Hx x. */
static yoke_status add_output(yk_motion *m, const double *x, double *y,
                              yoke_err *err)
{
    if (m->system->differenced && !m->affine)
        return five_points(m, x, &(path){ .y1 = y }, err);
    yk_pattern_multiply(m->f->Hx, m->jac.Hx, 1.0, x, y);
    return YOKE_OK;
}

/* m->size = |Hx| |x|, with unknowns of a least size. */
static void sizes(yk_motion *m, const double *x)
{
    const yoke_pattern *h = m->f->Hx;

    memset(m->size, 0, (size_t)m->f->p * sizeof *m->size);
    for (int j = 0; j < m->f->n; j++)
        for (int k = h->start[j]; k < h->start[j + 1]; k++)
            m->size[h->row[k]] +=
                fabs(m->jac.Hx[k]) * (fabs(x[j]) + small * m->f->nominal[j]);
}

/* h_t; *moves: it is not zero. */
static yoke_status output_in_time(yk_motion *m, double *y, bool *moves,
                                  yoke_err *err)
{
    const stencil s = around(m);

    *moves = false;
    sizes(m, m->x);
    for (int k = 0; k < 2; k++)
        YK_TRY(yoke_system_output(m->system, s.time[k], m->x, m->u,
                                  m->y_side[k], err));
    for (int i = 0; i < m->f->p; i++) {
        y[i] = rate(&s, m->y_side[0][i], m->y_now[i], m->y_side[1][i]);
        if (fabs(m->y_side[0][i] - m->y_side[1][i]) <=
            constant * (fabs(m->y_now[i]) + m->size[i]))
            y[i] = 0.0;
        *moves = *moves || (m->wanted[i] && y[i] != 0.0);
    }
    return YOKE_OK;
}

/* The parts of C_d' x', G_a' x' and Hx' x' that come from the curvature of the
 * equations: from Jacobians at x + e x' and x - e x'. */
static yoke_status curvature(yk_motion *m, double *right, double *y,
                             yoke_err *err)
{
    const yoke_system_info *f = m->f;
    const double e = part_of_time * time_of(m, m->dot);

    for (int k = 0; k < 2; k++) {
        const double by = k ? e : -e, weight = k ? 0.5 / e : -0.5 / e;
        for (int i = 0; i < f->n; i++) m->side[i] = m->x[i] + by * m->dot[i];
        m->jacobians++;
        YK_TRY(yoke_system_jacobian(m->system, m->at.t, m->side, m->u,
                                    &m->ahead, err));
        memset(m->q_side[1], 0, (size_t)f->n * sizeof(double));
        memset(m->r_side[1], 0, (size_t)f->n * sizeof(double));
        yk_pattern_multiply(f->C, m->ahead.C, 1.0, m->dot, m->q_side[1]);
        yk_pattern_multiply(f->G, m->ahead.G, 1.0, m->dot, m->r_side[1]);
        add_row(m, weight, right);
        yk_pattern_multiply(f->Hx, m->ahead.Hx, weight, m->dot, y);
    }
    return YOKE_OK;
}

/* y += y'' without h_tt. */
static yoke_status second_rates(yk_motion *m, bool bent, double *y,
                                yoke_err *err)
{
    const yoke_system_info *f = m->f;
    double *const flow = m->left;

    memset(flow, 0, (size_t)f->n * sizeof *flow);
    memset(m->right, 0, (size_t)f->n * sizeof *flow);
    if (m->system->differenced && !m->affine)
        YK_TRY(five_points(m, m->dot,
                           &(path){ .flow = flow, .bend = m->right, .y2 = y },
                           err));
    else {
        yk_pattern_multiply(f->G, m->jac.G, 1.0, m->dot, flow);
        if (bent) YK_TRY(curvature(m, m->right, y, err));
    }
    for (int i = 0; i < f->n; i++)
        m->right[i] =
            -m->right[i] - (m->algebraic[i] ? 0.0 : flow[i] + m->in_time[1][i]);
    YK_TRY(solve_well(m, m->right, m->dot2, err));
    return add_output(m, m->dot2, y, err);
}

/* Second derivatives of explicit functions of time are not known: they must not
 * be in y''.  column[0] is free here. */
static yoke_status check_second(yk_motion *m, bool moves, const double *y1,
                                yoke_err *err)
{
    const yoke_system_info *f = m->f;
    double *const x = m->column[0];
    bool any = false;

    for (int i = 0; i < f->n; i++) {
        x[i] = m->in_time[0][i];
        any = any || x[i] != 0.0;
    }
    if (any) {
        YK_TRY(solve(m, x, err));
        project(m, x, 1, 0, NULL, m->y_side[0]);
        sizes(m, m->x);
        for (int i = 0; i < f->p; i++)
            moves =
                moves || (m->wanted[i] &&
                          fabs(m->y_side[0][i]) >
                              noise * (fabs(y1[i]) + m->size[i] / m->at.scale));
    }
    if (!moves) return YOKE_OK;
    return yk_fail(err, YOKE_E_MODEL,
                   "\"%s\": an output that a constraint reads depends on time "
                   "itself; its second derivative is not known",
                   m->system->name);
}

static yoke_status rates(yk_motion *m, int level, bool timed, bool bent,
                         double *y, yoke_err *err)
{
    const int p = m->f->p;
    bool moves = false;

    YK_TRY(yoke_system_output(m->system, m->at.t, m->x, m->u, m->y_now, err));
    memset(y, 0, (size_t)(level + 1) * (size_t)p * sizeof *y);
    for (int i = 0; i < p; i++) y[i] = m->y_now[i];
    if (level < 1) return YOKE_OK;
    YK_TRY(first_rates(m, timed, err));
    if (timed) YK_TRY(output_in_time(m, y + p, &moves, err));
    YK_TRY(add_output(m, m->dot, y + p, err));
    if (level < 2) return YOKE_OK;
    if (timed) YK_TRY(check_second(m, moves, y + p, err));
    return second_rates(m, bent, y + 2 * p, err);
}

/* Do the wanted derivatives of y and z differ? */
static bool differ(const yk_motion *m, int level, const double *y,
                   const double *z)
{
    for (int l = 1; l <= level; l++)
        for (int i = 0; i < m->f->p; i++) {
            const int k = l * m->f->p + i;
            if (m->wanted[i] &&
                fabs(y[k] - z[k]) > constant * (fabs(y[k]) + fabs(z[k])))
                return true;
        }
    return false;
}

/* Straight lines in time change their slopes at breakpoints alone. */
static bool must_look(const yk_motion *m)
{
    return !m->timed &&
           !((m->f->flags & YOKE_TIMELESS) && m->looked <= m->at.t &&
             yk_system_next_break(m->system, m->looked) > m->at.t);
}

/* With everything, and then without one thing after the other. */
static yoke_status rates_and_look(yk_motion *m, int level, double *y,
                                  yoke_err *err)
{
    const bool look = must_look(m);

    YK_TRY(rates(m, level, m->timed || look, true, y, err));
    if (look) {
        YK_TRY(rates(m, level, false, true, m->other, err));
        m->timed = differ(m, level, y, m->other);
        m->looked = m->at.t;
    }
    if (m->bent || level < 2 || m->system->differenced) return YOKE_OK;
    YK_TRY(rates(m, level, false, true, m->other, err));
    memcpy(m->y_side[1], m->other + 2 * m->f->p,
           (size_t)m->f->p * sizeof *m->other);
    YK_TRY(rates(m, level, false, false, m->other, err));
    for (int i = 0; i < m->f->p; i++) {
        const double a = m->y_side[1][i], b = m->other[2 * m->f->p + i];
        m->bent = m->bent || (m->wanted[i] &&
                              fabs(a - b) > constant * (fabs(a) + fabs(b)));
    }
    return YOKE_OK;
}

yoke_status yk_motion_rates(yk_motion *m, int level, double *y, yoke_err *err)
{
    if (level > 0 && m->at.careful && !(m->timed && (m->bent || level < 2)))
        return rates_and_look(m, level, y, err);
    return rates(m, level, m->timed, m->bent, y, err);
}

/* ---- inputs -------------------------------------------------------------- */

/* column[0 .. level] = X0, X1, X2 of input j. */
static yoke_status answer(yk_motion *m, int level, int j, yoke_err *err)
{
    const yoke_system_info *f = m->f;
    double *const *x = m->column;

    if (f->Cu->start[j] < f->Cu->start[j + 1])
        return yk_fail(err, YOKE_E_MODEL,
                       "\"%s\": charges depend on the input \"%s\"",
                       m->system->name, f->u_name[j]);
    for (int l = 0; l <= level; l++) {
        memset(x[l], 0, (size_t)f->n * sizeof **x);
        if (l < 2) yk_pattern_add_column(f->Gu, m->jac.Gu, j, -1.0, x[l]);
        if (l > 0) yk_pattern_multiply(f->G, m->jac.G, -1.0, x[l - 1], x[l]);
        for (int i = 0; i < f->n; i++)
            if (m->algebraic[i] != (l == 0)) x[l][i] = 0.0;
        YK_TRY(solve(m, x[l], err));
    }
    return YOKE_OK;
}

yoke_status yk_motion_mobility(yk_motion *m, int level, int count,
                               const int *input, double *a, yoke_err *err)
{
    const yoke_system_info *f = m->f;

    for (int c = 0; c < count; c++) {
        YK_TRY(answer(m, level, input[c], err));
        memset(m->y_side[0], 0, (size_t)f->p * sizeof(double));
        yk_pattern_add_column(f->Hu, m->jac.Hu, input[c], 1.0, m->y_side[0]);
        for (int l = 0; l <= level; l++)
            project(m, m->column[l], count, c, l ? NULL : m->y_side[0],
                    a + (size_t)l * (size_t)(f->p * count));
    }
    return YOKE_OK;
}

yoke_status yk_motion_kick(yk_motion *m, int level, int count, const int *input,
                           const double *mu, double *x, yoke_err *err)
{
    for (int c = 0; c < count; c++) {
        if (mu[c] == 0.0) continue;
        YK_TRY(answer(m, level, input[c], err));
        for (int i = 0; i < m->f->n; i++) x[i] += mu[c] * m->column[level][i];
    }
    return YOKE_OK;
}

yoke_status yk_motion_shake(yk_motion *m, int level, const double *dx,
                            double *y, yoke_err *err)
{
    const yoke_system_info *f = m->f;

    for (int l = 0; l <= level; l++) {
        double *const x = m->column[l];
        memset(x, 0, (size_t)f->n * sizeof *x);
        if (l == 0)
            yk_pattern_multiply(f->C, m->jac.C, 1.0, dx, x);
        else
            yk_pattern_multiply(f->G, m->jac.G, -1.0, m->column[l - 1], x);
        for (int i = 0; i < f->n; i++)
            if (m->algebraic[i]) x[i] = 0.0;
        YK_TRY(solve(m, x, err));
        memset(y + l * f->p, 0, (size_t)f->p * sizeof *y);
        yk_pattern_multiply(f->Hx, m->jac.Hx, 1.0, x, y + l * f->p);
    }
    return YOKE_OK;
}

/* ---- slopes -------------------------------------------------------------- */

/* Differences move the unknowns by this part of their size; larger systems do
 * with coefficients that are held. */
static const double part_of_x = 1e-5;
enum { MOST_SLOPES = 40 };

void yk_motion_moved(const yk_motion *m, const double *dx, double *q, double *f)
{
    memcpy(q, m->q, (size_t)m->f->n * sizeof *q);
    memcpy(f, m->r, (size_t)m->f->n * sizeof *f);
    yk_pattern_multiply(m->f->C, m->jac.C, 1.0, dx, q);
    yk_pattern_multiply(m->f->G, m->jac.G, 1.0, dx, f);
}

static yoke_status make_base(yk_motion *m, yoke_err *err)
{
    const size_t n = (size_t)m->f->n + 1, p = (size_t)m->f->p + 1;
    yk_motion_base *b = &m->base;

    if (b->way) return YOKE_OK;
    const size_t in_g = (size_t)yoke_pattern_count(m->f->G);
    if (!b->x) YK_TRY(yk_doubles(&b->x, n, err));
    if (!b->r) YK_TRY(yk_doubles(&b->r, n, err));
    if (!b->G) YK_TRY(yk_doubles(&b->G, in_g + 1, err));
    if (!b->y) YK_TRY(yk_doubles(&b->y, YK_MOTION_LEVELS * p, err));
    return yk_doubles(&b->way, n * n, err);
}

/* Keeps the point; how the unknowns move with each of them, its charges changed
 * and the others held. */
static yoke_status keep_base(yk_motion *m, int level, yoke_err *err)
{
    const yoke_system_info *f = m->f;
    const size_t n = (size_t)f->n;
    yk_motion_base *b = &m->base;

    YK_TRY(make_base(m, err));
    memcpy(b->x, m->x, n * sizeof *b->x);
    memcpy(b->r, m->r, n * sizeof *b->r);
    memcpy(b->G, m->jac.G, (size_t)yoke_pattern_count(f->G) * sizeof *b->G);
    for (size_t i = 0; i < n; i++) {
        double *const way = b->way + i * n;
        memset(way, 0, n * sizeof *way);
        for (int k = f->C->start[i]; k < f->C->start[i + 1]; k++)
            if (!m->algebraic[f->C->row[k]]) way[f->C->row[k]] = m->jac.C[k];
        YK_TRY(solve(m, way, err));
    }
    return rates(m, level, false, m->bent, b->y, err);
}

/* How far the unknowns may move along a way. */
static double reach_along(const yk_motion *m, const double *way)
{
    double least = INFINITY;

    for (int k = 0; k < m->f->n; k++)
        if (way[k] != 0.0)
            least = fmin(least, (fabs(m->base.x[k]) + m->f->nominal[k]) /
                                    fabs(way[k]));
    return part_of_x * least;
}

yoke_status yk_motion_slope(yk_motion *m, int level, int i, double *y,
                            yoke_err *err)
{
    const int n = m->f->n, size = (level + 1) * m->f->p;
    yk_motion_base *b = &m->base;

    if (n > MOST_SLOPES || m->affine || m->system->differenced) {
        memset(m->side, 0, (size_t)n * sizeof *m->side);
        m->side[i] = 1.0;
        return yk_motion_shake(m, level, m->side, y, err);
    }
    if (i == 0) YK_TRY(keep_base(m, level, err));
    const double *way = b->way + (size_t)i * (size_t)n;
    const double e = reach_along(m, way);
    memset(y, 0, (size_t)size * sizeof *y);
    if (!isfinite(e)) return YOKE_OK;
    memcpy(m->r, b->r, (size_t)n * sizeof *m->r);
    for (int k = 0; k < n; k++) {
        m->x[k] = b->x[k] + e * way[k];
        m->side[k] = e * way[k];
    }
    yk_pattern_multiply(m->f->G, b->G, 1.0, m->side, m->r);
    YK_TRY(factor(m, err));
    YK_TRY(rates(m, level, false, m->bent, y, err));
    for (int k = 0; k < size; k++) y[k] = (y[k] - b->y[k]) / e;
    return YOKE_OK;
}

void yk_motion_work(const yk_motion *m, long *residuals, long *jacobians,
                    long *factorizations)
{
    *residuals = m->residuals;
    *jacobians = m->jacobians;
    *factorizations = m->factorizations;
}
