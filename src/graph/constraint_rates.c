/* graph/constraint_rates.c -- derivatives of a constraint along a motion.
 *
 * Linear, g = W u - d(t):   g^(l) = W u^(l) - d^(l).
 *
 * A function with slopes D(t, u):
 *
 *     g'  = D u' + g_t,
 *     g'' = D u'' + d/ds (D u' + g_t)(t + s, u + s u'),
 *
 * told by the formulas of a system file, else by a central difference.  Without slopes g(t + s, u + s u' + ...) is
 * differentiated as it stands, less accurately.
 */
#include "graph/constraint.h"
#include "graph/graph.h"
#include "sys/system.h"

#include <math.h>
#include <string.h>

/* Differences in time reach so far, relative to the scale of the motion: the
 * error of five points is about the fourth power of it over the time scale of d,
 * rounding is divided by its square. */
static const double reach = 0.05;

/* Those along u' move the inputs by this part of their size. */
static const double part_of_u = 1e-5;

/* First and second derivative of a function from five values, e apart. */
static double slope5(const double v[5], double e)
{
    return (v[0] - 8.0 * v[1] + 8.0 * v[3] - v[4]) / (12.0 * e);
}

static double bend5(const double v[5], double e)
{
    return (-v[0] + 16.0 * v[1] - 30.0 * v[2] + 16.0 * v[3] - v[4]) /
           (12.0 * e * e);
}

/* ---- linear -------------------------------------------------------------- */

/* c->d = d, d', d''. */
static yoke_status offsets(const yk_constraint *c, double t, double scale,
                           yoke_err *err)
{
    const double e = reach * scale;
    const int n = c->count;
    double *five = NULL;

    memset(c->d, 0, YK_LEVELS * (size_t)n * sizeof *c->d);
    if (!c->offset) return YOKE_OK;
    if (c->rates || c->form != YOKE_FORM_POSITION) {
        c->offset(c->context, t, c->d);
        return YOKE_OK;
    }
    YK_TRY(yk_doubles(&five, 5 * (size_t)n, err));
    for (int k = 0; k < 5; k++)
        c->offset(c->context, t + (k - 2) * e, five + k * n);
    for (int i = 0; i < n; i++) {
        double v[5];
        for (int k = 0; k < 5; k++) v[k] = five[k * n + i];
        c->d[i] = v[2];
        c->d[n + i] = slope5(v, e);
        c->d[2 * n + i] = bend5(v, e);
    }
    yk_free(five);
    return YOKE_OK;
}

static yoke_status linear(const yk_constraint *c, const yk_constraint_motion *m,
                          double *g, int g_stride, yoke_err *err)
{
    YK_TRY(offsets(c, m->t, m->scale, err));
    for (int l = 0; l <= m->level; l++)
        for (int i = 0; i < c->count; i++) {
            double sum = 0.0;
            for (int j = 0; j < c->inputs; j++)
                sum += c->weight[i * c->inputs + j] * m->u[l * m->stride + j];
            for (int k = 0; k + l < YK_LEVELS; k++)
                sum -= c->part[k] * c->d[(k + l) * c->count + i];
            g[l * g_stride + i] = sum;
        }
    return YOKE_OK;
}

/* ---- functions ----------------------------------------------------------- */

typedef struct room {
    double *u, *g, *five;
} room;

/* g_t at (t, u) of all rows, to out. */
static void in_time(const yk_constraint *c, double t, double scale,
                    const double *u, room *r, double *out)
{
    const double e = reach * scale;
    const int n = c->count;

    for (int k = 0; k < 5; k++)
        c->function(c->context, t + (k - 2) * e, u, r->five + k * n);
    for (int i = 0; i < n; i++) {
        double v[5];
        for (int k = 0; k < 5; k++) v[k] = r->five[k * n + i];
        out[i] = slope5(v, e);
    }
}

/* r->g = D u' + g_t at (t + s, u + s u'). */
static void first(const yk_constraint *c, const yk_constraint_motion *m,
                  double s, room *r)
{
    const double *const rate = m->u + m->stride;

    for (int j = 0; j < c->inputs; j++) r->u[j] = m->u[j] + s * rate[j];
    in_time(c, m->t + s, m->scale, r->u, r, r->g);
    c->slopes(c->context, m->t + s, r->u, c->weight);
    for (int i = 0; i < c->count; i++)
        for (int j = 0; j < c->inputs; j++)
            r->g[i] += c->weight[i * c->inputs + j] * rate[j];
}

static double along(const yk_constraint *c, const yk_constraint_motion *m)
{
    double rate = 0.0, size = 0.0;

    for (int j = 0; j < c->inputs; j++) {
        rate = fmax(rate, fabs(m->u[m->stride + j]));
        size = fmax(size, fabs(m->u[j]));
    }
    const double e = rate > 0.0 && size > 0.0 ? part_of_u * size / rate : 1.0;
    return fmin(e, reach * m->scale);
}

/* g' and g'' without D u'' as the function tells them. */
static void as_told(const yk_constraint *c, const yk_constraint_motion *m,
                    room *r, double *g, int g_stride)
{
    const double *const rate = m->u + m->stride;

    c->along(c->context, m->t, m->u, rate, r->five);
    for (int l = 1; l <= m->level; l++)
        for (int i = 0; i < c->count; i++)
            g[l * g_stride + i] = r->five[(l - 1) * c->count + i];
    c->slopes(c->context, m->t, m->u, c->weight);
}

static void by_slopes(const yk_constraint *c, const yk_constraint_motion *m,
                      room *r, double *g, int g_stride)
{
    const double e = along(c, m);

    if (m->level > 1) {
        double *const bend = g + 2 * g_stride;
        first(c, m, e, r);
        for (int i = 0; i < c->count; i++) bend[i] = r->g[i] / (2.0 * e);
        first(c, m, -e, r);
        for (int i = 0; i < c->count; i++) bend[i] -= r->g[i] / (2.0 * e);
    }
    if (m->level > 0) {
        first(c, m, 0.0, r);
        for (int i = 0; i < c->count; i++) g[g_stride + i] = r->g[i];
    } else
        c->slopes(c->context, m->t, m->u, c->weight);
}

static void with_slopes(const yk_constraint *c, const yk_constraint_motion *m,
                        room *r, double *g, int g_stride)
{
    if (c->along && m->level > 0)
        as_told(c, m, r, g, g_stride);
    else
        by_slopes(c, m, r, g, g_stride);
    for (int i = 0; m->level > 1 && i < c->count; i++)
        for (int j = 0; j < c->inputs; j++)
            g[2 * g_stride + i] +=
                c->weight[i * c->inputs + j] * m->u[2 * m->stride + j];
}

static void as_it_stands(const yk_constraint *c, const yk_constraint_motion *m,
                         room *r, double *g, int g_stride)
{
    const double e = reach * m->scale;
    const int n = c->count;

    for (int k = 0; k < 5; k++) {
        const double s = (k - 2) * e;
        for (int j = 0; j < c->inputs; j++) {
            r->u[j] = m->u[j];
            if (m->level > 0) r->u[j] += s * m->u[m->stride + j];
            if (m->level > 1) r->u[j] += 0.5 * s * s * m->u[2 * m->stride + j];
        }
        c->function(c->context, m->t + s, r->u, r->five + k * n);
    }
    for (int i = 0; i < n; i++) {
        double v[5];
        for (int k = 0; k < 5; k++) v[k] = r->five[k * n + i];
        if (m->level > 0) g[g_stride + i] = slope5(v, e);
        if (m->level > 1) g[2 * g_stride + i] = bend5(v, e);
    }
}

/* D by differences. */
static void slopes(const yk_constraint *c, const yk_constraint_motion *m,
                   room *r, double *D, int D_stride)
{
    memcpy(r->u, m->u, (size_t)c->inputs * sizeof *r->u);
    for (int j = 0; j < c->inputs; j++) {
        const double e = 1e-6 * fmax(fabs(m->u[j]), 1e-3);
        r->u[j] = m->u[j] + e;
        c->function(c->context, m->t, r->u, r->five);
        r->u[j] = m->u[j] - e;
        c->function(c->context, m->t, r->u, r->g);
        r->u[j] = m->u[j];
        for (int i = 0; i < c->count; i++)
            D[i * D_stride + j] = (r->five[i] - r->g[i]) / (2.0 * e);
    }
}

bool yk_constraint_is_linear(const yoke_system *constraint)
{
    return !((const yk_constraint *)constraint->self)->function;
}

yoke_status yk_constraint_rates(const yoke_system *system,
                                const yk_constraint_motion *m, double *g,
                                int g_stride, double *D, int D_stride,
                                yoke_err *err)
{
    const yk_constraint *c = system->self;
    yoke_status status = YOKE_OK;
    room r = { 0 };

    if (!c->function)
        YK_GO(linear(c, m, g, g_stride, err));
    else {
        YK_GO(yk_doubles(&r.u, (size_t)c->inputs, err));
        YK_GO(yk_doubles(&r.g, (size_t)c->count, err));
        YK_GO(yk_doubles(&r.five, 5 * (size_t)c->count, err));
        c->function(c->context, m->t, m->u, g);
        if (c->slopes)
            with_slopes(c, m, &r, g, g_stride);
        else {
            as_it_stands(c, m, &r, g, g_stride);
            slopes(c, m, &r, D, D_stride);
        }
    }
    for (int i = 0; c->weight && i < c->count; i++)
        for (int j = 0; j < c->inputs; j++)
            D[i * D_stride + j] = c->weight[i * c->inputs + j];
done:
    YK_FREE(r.u, r.g, r.five);
    return status;
}
