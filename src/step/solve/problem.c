/* step/solve/problem.c -- one subsystem as the methods see it. */
#include "step/method.h"
#include "step/policy.h"

#include "la/pattern.h"
#include "sys/call.h"
#include "sys/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* How far inside the segment a callback is asked at a breakpoint, in roundings
 * of t: more than the error of a time computed as t0 + k * period. */
static const double inside = 8.0 * DBL_EPSILON;

void yk_problem_free(yk_problem *p)
{
    YK_FREE(p->atol, p->tight, p->x, p->q, p->f, p->u, p->x_new, p->q_new,
            p->f_new, p->C, p->G, p->u_now, p->weight, p->noise);
    YK_FREE(p->depth, p->forgets, p->charge, p->read, p->poly.coef, p->c_at,
            p->g_at);
    yoke_pattern_free(p->both);
}

static yoke_status find_charges(yk_problem *p, yoke_err *err)
{
    YK_TRY(YK_NEW(&p->charge, p->n + 1, err));
    yk_system_algebraic_rows(p->system, p->charge);
    for (int i = 0; i < p->n; i++) {
        p->algebraic += p->charge[i];
        p->charge[i] = !p->charge[i];
    }
    return YOKE_OK;
}

static yoke_status find_read(yk_problem *p, yoke_err *err)
{
    const yoke_pattern *hx = p->facts->Hx;

    YK_TRY(YK_NEW(&p->read, p->n + 1, err));
    for (int j = 0; j < p->n; j++) p->read[j] = hx->start[j + 1] > hx->start[j];
    return YOKE_OK;
}

static yoke_status make_vectors(yk_problem *p, yoke_err *err)
{
    const size_t n = (size_t)p->n + 1, m = (size_t)p->m + 1;
    double **const block[] = { &p->atol,   &p->tight, &p->x,     &p->q,
                               &p->f,      &p->x_new, &p->q_new, &p->f_new,
                               &p->weight, &p->noise };

    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        YK_TRY(yk_doubles(block[i], n, err));
    YK_TRY(YK_DOUBLES(m, err, &p->u, &p->u_now));
    YK_TRY(yk_ints(&p->depth, n, err));
    YK_TRY(YK_NEW(&p->forgets, n, err));
    for (int i = 0; i < p->n; i++) p->tight[i] = 1.0;
    for (int i = 0; i < p->n; i++)
        p->atol[i] = p->options.atol * p->facts->nominal[i] /
                     yk_system_weight(p->system, i);
    return YOKE_OK;
}

static yoke_status make_jacobian(yk_problem *p, yoke_err *err)
{
    const yoke_system_info *facts = p->facts;

    YK_TRY(yk_doubles(&p->C, (size_t)yoke_pattern_count(facts->C) + 1, err));
    YK_TRY(yk_doubles(&p->G, (size_t)yoke_pattern_count(facts->G) + 1, err));
    return yk_pattern_union(&p->both, facts->C, facts->G, &p->c_at, &p->g_at,
                            err);
}

yoke_status yk_problem_create(yk_problem *p, yoke_system *system,
                              const yoke_stepper_options *options,
                              yoke_err *err)
{
    p->system = system;
    p->facts = yoke_system_facts(system);
    p->name = yoke_system_name(system);
    p->options = *options;
    p->n = p->facts->n;
    p->m = p->facts->m;
    p->p = p->facts->p;
    /* Differenced Jacobians are not exact: one Newton step would not do. */
    p->affine = (p->facts->flags & YOKE_AFFINE) != 0 && !p->system->differenced;
    p->linear = (p->facts->flags & YOKE_LINEAR) != 0 && !p->system->differenced;
    p->charge_input = yoke_pattern_count(p->facts->Cu) > 0;
    p->feedthrough = yoke_pattern_count(p->facts->Hu) > 0;
    p->u_time = NAN;
    p->eta = 1.0;
    yk_system_accuracy(system, options->rtol);
    YK_TRY(find_charges(p, err));
    YK_TRY(find_read(p, err));
    YK_TRY(make_vectors(p, err));
    return make_jacobian(p, err);
}

bool yk_begins_anyhow(const yk_problem *p, int k)
{
    const yoke_pattern *C = p->facts->C;

    return p->forgets[k] || (p->stale && C->start[k] == C->start[k + 1]);
}

double yk_time(const yk_problem *p, double t)
{
    if (t == p->begin && p->begin_break)
        return t + inside * fmax(fabs(t), p->end - p->begin);
    if (t == p->end && p->end_break)
        return t - inside * fmax(fabs(t), p->end - p->begin);
    return t;
}

const double *yk_input(yk_problem *p, double t)
{
    if (p->m == 0 || t == p->u_time) return p->u_now;
    if (!p->wave) return p->u; /* before the first sweep */
    if (t == p->begin)
        yk_wave_eval_right(p->wave, p->begin_knot, &p->cursor, p->u_now);
    else if (t >= p->end_knot && t <= p->end)
        yk_wave_eval(p->wave, p->end_knot, &p->cursor, p->u_now);
    else
        yk_wave_eval(p->wave, t, &p->cursor, p->u_now);
    p->u_time = t;
    return p->u_now;
}

yoke_status yk_eval(yk_problem *p, double t, const double *x, double *q,
                    double *f, yoke_err *err)
{
    p->work.residuals++;
    return yoke_system_eval(p->system, yk_time(p, t), x, yk_input(p, t), q, f,
                            err);
}

bool yk_step_settled(yk_problem *p, double t, const double *x, const double *dx)
{
    if (!p->facts->help->settled) return true; /* nothing has to be found out */
    return yk_system_settled(p->system, yk_time(p, t), x, dx, yk_input(p, t),
                             NULL);
}

yoke_status yk_jacobian(yk_problem *p, double t, const double *x, yoke_err *err)
{
    const yoke_jacobian want = { .C = p->C, .G = p->G };

    p->work.jacobians++;
    p->stamp = p->values = 0;
    YK_TRY(yoke_system_jacobian(p->system, yk_time(p, t), x, yk_input(p, t),
                                &want, err));
    p->stamp = p->values = ++p->stamps;
    p->stamp_time = t;
    return YOKE_OK;
}

yoke_status yk_jacobian_once(yk_problem *p, double t, const double *x,
                             yoke_err *err)
{
    return p->stamp ? YOKE_OK : yk_jacobian(p, t, x, err);
}

void yk_forget_matrices(yk_problem *p)
{
    if (p->affine) return;
    p->stamp = p->oldest = 0;
}

void yk_poly_eval(const yk_poly *poly, int n, double t, double *x)
{
    const double theta = (t - poly->t) / poly->h;
    const double *row = poly->coef + (size_t)poly->degree * (size_t)n;

    memcpy(x, row, (size_t)n * sizeof *x);
    for (int k = poly->degree - 1; k >= 0; k--) {
        row -= n;
        for (int i = 0; i < n; i++) x[i] = x[i] * theta + row[i];
    }
}

/* An extrapolation may leave what the system permits. */
static void bound_guess(yk_problem *p, double *x)
{
    for (int i = 0; i < p->n; i++) x[i] -= p->x[i];
    yk_system_bound(p->system, p->x, x);
    for (int i = 0; i < p->n; i++) x[i] += p->x[i];
}

void yk_step_guess(yk_problem *p, double t, double *x)
{
    if (p->previous && !p->previous_jumps && t <= yk_wave_end(p->previous))
        yk_wave_eval(p->previous, t, &p->previous_cursor, x);
    else if (p->poly.valid)
        yk_poly_eval(&p->poly, p->n, t, x);
    else
        memcpy(x, p->x, (size_t)p->n * sizeof *x);
    if (p->facts->help->bound) bound_guess(p, x);
}

/* The same for a cubic, unknown by unknown: that of radau5. */
static void cubic_through(double *coef, size_t n, const double *theta,
                          const double *const *value)
{
    const double a = theta[0], b = theta[1], c = theta[2], d = theta[3];
    const double ab = 1.0 / (b - a), bc = 1.0 / (c - b), cd = 1.0 / (d - c);
    const double ac = 1.0 / (c - a), bd = 1.0 / (d - b), ad = 1.0 / (d - a);

    for (size_t i = 0; i < n; i++) {
        double v0 = value[0][i], v1 = value[1][i], v2 = value[2][i],
               v3 = value[3][i];
        v3 = (v3 - v2) * cd;
        v2 = (v2 - v1) * bc;
        v1 = (v1 - v0) * ab;
        v3 = (v3 - v2) * bd;
        v2 = (v2 - v1) * ac;
        v3 = (v3 - v2) * ad;
        v2 -= c * v3;
        v1 -= b * v2;
        v2 -= b * v3;
        if (a != 0.0) {
            v0 -= a * v1;
            v1 -= a * v2;
            v2 -= a * v3;
        }
        coef[i] = v0;
        coef[n + i] = v1;
        coef[2 * n + i] = v2;
        coef[3 * n + i] = v3;
    }
}

/* Newton's divided differences, then expansion of the products: row k of coef
 * is the coefficient of theta^k. */
void yk_poly_through(yk_problem *p, double h, int degree, const double *theta,
                     const double *const *value)
{
    const size_t n = (size_t)p->n;
    double *const coef = p->poly.coef;

    p->poly.t = p->t;
    p->poly.h = h;
    p->poly.degree = degree;
    p->poly.valid = true;
    if (degree == 3 && theta[1] != 0.0 && theta[2] != 0.0) {
        cubic_through(coef, n, theta, value);
        return;
    }
    for (int k = 0; k <= degree; k++)
        memcpy(coef + (size_t)k * n, value[k], n * sizeof *coef);
    for (int level = 1; level <= degree; level++)
        for (int k = degree; k >= level; k--) {
            const double scale = 1.0 / (theta[k] - theta[k - level]);
            double *const row = coef + (size_t)k * n, *const low = row - n;
            for (size_t i = 0; i < n; i++) row[i] = (row[i] - low[i]) * scale;
        }
    for (int level = degree - 1; level >= 0; level--)
        for (int k = level; k < degree; k++) {
            double *const row = coef + (size_t)k * n;
            const double node = theta[level];
            if (node == 0.0) continue;
            for (size_t i = 0; i < n; i++) row[i] -= node * row[i + n];
        }
}

static double node_product(int degree, const double *theta, double at)
{
    double product = 1.0;

    for (int k = 0; k <= degree; k++) product *= at - theta[k];
    return product;
}

/* Largest product |theta - theta_0| ... |theta - theta_degree| in [0, 1].  The
 * nodes of a method are nearly always the same. */
static double node_peak(yk_node_peak *peak, int degree, const double *theta)
{
    const size_t bytes = (size_t)(degree + 1) * sizeof *theta;
    double most = 0.0;

    if (peak->degree == degree && !memcmp(peak->theta, theta, bytes))
        return peak->most;
    for (int k = 1; k < 32; k++)
        most = fmax(most, fabs(node_product(degree, theta, k / 32.0)));
    peak->degree = degree;
    memcpy(peak->theta, theta, bytes);
    peak->most = most;
    return most;
}

/* Steps of equal length have the same weights, and so has a step that is judged
 * once more. */
static const yk_next_weights *weigh_next(yk_next_weights *w, int degree,
                                         const double *theta, double b)
{
    const size_t bytes = (size_t)(degree + 1) * sizeof *theta;

    if (w->degree == degree && w->begin == b && !memcmp(w->theta, theta, bytes))
        return w;
    w->degree = degree;
    w->begin = b;
    memcpy(w->theta, theta, bytes);
    w->scale = 1.0 / node_product(degree, theta, b);
    for (int k = 0; k <= degree; k++) {
        w->lagrange[k] = 1.0;
        for (int j = 0; j <= degree; j++)
            if (j != k)
                w->lagrange[k] *= (b - theta[j]) / (theta[k] - theta[j]);
    }
    return w;
}

/* With omega the product of theta - theta_k and P the polynomial, the next term
 * is omega(theta) (x(b) - P(b)) / omega(b) for any further point b. */
void yk_poly_next(yk_problem *p, double h, int degree, const double *theta,
                  const double *const *value, double *term)
{
    if (!p->poly.valid) {
        memset(term, 0, (size_t)p->n * sizeof *term);
        return;
    }
    const yk_next_weights *const w =
        weigh_next(&p->next, degree, theta, -p->poly.h / h);
    for (int i = 0; i < p->n && degree == 3; i++) {
        const double *const a = w->lagrange;
        const double gap = p->poly.coef[i] - a[0] * value[0][i] -
                           a[1] * value[1][i] - a[2] * value[2][i] -
                           a[3] * value[3][i];
        term[i] = p->depth[i] > 0 ? 0.0 : gap * w->scale;
    }
    for (int i = 0; i < p->n && degree != 3; i++) {
        double gap = p->poly.coef[i];
        for (int k = 0; k <= degree; k++) gap -= w->lagrange[k] * value[k][i];
        term[i] = p->depth[i] > 0 ? 0.0 : gap * w->scale;
    }
}

double yk_poly_error(yk_problem *p, int degree, const double *theta,
                     const double *term)
{
    double most = yk_norm_rms(p, term);

    for (int i = 0; i < p->n; i++) {
        const double size = p->read[i] ? fabs(term[i]) / p->weight[i] : 0.0;
        if (size > most) most = size;
    }
    return most * node_peak(&p->peak, degree, theta);
}

/* G where C has a place. */
static double beside(const yk_problem *p, int row, int column)
{
    const yoke_pattern *G = p->facts->G;

    for (int k = G->start[column]; k < G->start[column + 1]; k++)
        if (G->row[k] == row) return p->G[k];
    return 0.0;
}

bool yk_is_stiff(const yk_problem *p, double s)
{
    const yoke_pattern *C = p->facts->C;

    for (int j = 0; j < p->n; j++)
        for (int k = C->start[j]; k < C->start[j + 1] && p->depth[j] == 0; k++)
            if (fabs(p->C[k]) > 0.0 &&
                fabs(beside(p, C->row[k], j)) > s * fabs(p->C[k]))
                return true;
    return false;
}

void yk_weights(yk_problem *p, const double *x)
{
    for (int i = 0; i < p->n; i++) p->weight[i] = yk_tolerance_x(p, i, x[i]);
}

void yk_weights_step(yk_problem *p)
{
    for (int i = 0; i < p->n; i++)
        p->weight[i] =
            yk_tolerance_x(p, i, fmax(fabs(p->x[i]), fabs(p->x_new[i])));
}

double yk_norm_max(const yk_problem *p, const double *v)
{
    return yk_weighted_max(p->n, v, p->weight, NULL);
}

double yk_norm_rms(const yk_problem *p, const double *v)
{
    double sum = 0.0, most = 0.0;

    for (int i = 0; i < p->n; i++) {
        const double size = fabs(v[i]) / p->weight[i];
        sum += size * size;
        if (size > most) most = size;
    }
    return p->n ? fmax(sqrt(sum / p->n), YK_STEP_DILUTED * most) : 0.0;
}

double yk_norm_sum(const yk_problem *p, double c, const double *peak,
                   const double *e)
{
    static const double g = 0.5;
    const int *const place = p->facts->C->start;
    double sum = 0.0, most = 0.0;

    for (int i = 0; i < p->n; i++) {
        const double w = p->weight[i];
        const bool remembers = place[i + 1] > place[i] && p->depth[i] == 0;
        const double part = g * g * g * w / (fabs(c) * fmax(peak[i], w));
        const double share = remembers ? fmin(1.0, sqrt(part)) : 1.0;
        const double size = fabs(e[i]) / (w * share);
        sum += size * size;
        if (size > most) most = size;
    }
    return p->n ? fmax(sqrt(sum / p->n), YK_STEP_DILUTED * most) : 0.0;
}

const char *yk_worst(const yk_problem *p, const double *v)
{
    int worst = 0;

    yk_weighted_max(p->n, v, p->weight, &worst);
    return p->n ? p->facts->x_name[worst] : "";
}
