/* step/look/look_error.c -- the error of a step at one time inside it.
 *
 *     e(s) = (sigma C + G)^-1 ( g(s) + sigma (q(s, X(s), u(s)) - Q(s)) )
 *
 * with g = f - F; see look.c.  One evaluation, none for constant matrices, the
 * residual of its own polynomial for a method that shows no stages.  For fixed
 * steps, which are never rejected, f and q with the inputs less those with their
 * interpolation.
 */
#include "step/drive.h"
#include "step/look/look.h"

#include "la/pattern.h"
#include "sys/call.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Values at theta of the polynomial through v at the points that have it. */
static bool weights_of(const yk_stages *s, const double *const *v, double theta,
                       double *weight)
{
    bool any = false;

    for (int i = 0; i < s->count; i++) {
        weight[i] = v[i] ? 1.0 : 0.0;
        any = any || v[i];
        for (int j = 0; v[i] && j < s->count; j++)
            if (j != i && v[j])
                weight[i] *=
                    (theta - s->theta[j]) / (s->theta[i] - s->theta[j]);
    }
    return any;
}

/* The values that such a polynomial takes, for each unknown. */
typedef struct mixture {
    int count;
    const double *v[YK_STAGES];
    double weight[YK_STAGES];
} mixture;

static bool mix(mixture *out, const yk_stages *s, const double *const *v,
                double theta)
{
    double weight[YK_STAGES];
    const bool any = weights_of(s, v, theta, weight);

    out->count = 0;
    for (int k = 0; k < s->count; k++) {
        if (!v[k]) continue;
        out->v[out->count] = v[k];
        out->weight[out->count++] = weight[k];
    }
    return any;
}

static double mixed(const mixture *m, int i)
{
    double sum = 0.0;

    for (int k = 0; k < m->count; k++) sum += m->weight[k] * m->v[k][i];
    return sum;
}

/* a - b, 0 if that is rounding. */
static double apart(double a, double b)
{
    const double size = fabs(a) + fabs(b);

    return fabs(a - b) > 64.0 * DBL_EPSILON * size ? a - b : 0.0;
}

/* A charge that depends on time alone has no place in C and Cu: its row is
 * known by its value. */
static yoke_status know_charges(yk_step_look *k, const yk_problem *p,
                                yoke_err *err)
{
    bool more = false;

    for (int i = 0; i < p->n; i++) {
        if (k->charge[i] || k->q[i] == 0.0) continue;
        k->charge[i] = more = true;
    }
    return more ? yk_find_rates(p, k->charge, k->rate, err) : YOKE_OK;
}

/* e = g + s (q - Q) at theta, by evaluation; YOKE_RETRY: not defined there. */
static yoke_status evaluate(yk_step_look *k, yk_problem *p, double t,
                            double theta, const double *u, yoke_err *err)
{
    const yk_stages *s = &k->stages;
    mixture of_f, of_q;

    mix(&of_f, s, s->f, theta);
    const bool charges = mix(&of_q, s, s->q, theta);
    yk_poly_eval(&k->poly, p->n, t, k->x);
    p->work.residuals++;
    YK_TRY(
        yoke_system_eval(p->system, yk_time(p, t), k->x, u, k->q, k->f, err));
    YK_TRY(know_charges(k, p, err));
    for (int i = 0; i < p->n; i++) {
        k->e[i] = k->f[i];
        if (!k->charge[i]) continue;
        k->e[i] = apart(k->f[i], mixed(&of_f, i));
        if (charges) k->e[i] += s->s * apart(k->q[i], mixed(&of_q, i));
    }
    return YOKE_OK;
}

static yoke_status know_matrices(yk_step_look *k, yk_problem *p, yoke_err *err)
{
    const yoke_jacobian want = { .Cu = k->Cu, .Gu = k->Gu };

    if (k->known) return YOKE_OK;
    YK_TRY(yoke_system_jacobian(p->system, yk_time(p, p->t), p->x,
                                yk_input(p, p->t), &want, err));
    k->known = true;
    return YOKE_OK;
}

/* factor J (u - I) in the rows with charge, or in the others; I is the
 * polynomial through the inputs at the points that have a weight. */
static void add_unseen(yk_step_look *k, const yk_problem *p, const double *u,
                       const double *weight, const yoke_pattern *pattern,
                       const double *J, double factor, bool charged)
{
    for (int j = 0; j < p->m; j++) {
        double unseen = u[j];
        for (int i = 0; i < k->stages.count; i++)
            unseen -= weight[i] * k->points.node[i * p->m + j];
        for (int at = pattern->start[j]; at < pattern->start[j + 1]; at++)
            if (k->charge[pattern->row[at]] == charged)
                k->e[pattern->row[at]] += factor * J[at] * unseen;
    }
}

/* The same for constant matrices: what u adds to the interpolations.  Rows
 * without charge hold at all points that X goes through. */
static yoke_status difference(yk_step_look *k, yk_problem *p, double theta,
                              const double *u, yoke_err *err)
{
    const yk_stages *s = &k->stages;
    const yoke_pattern *Cu = p->facts->Cu, *Gu = p->facts->Gu;
    double weight[YK_STAGES];

    YK_TRY(know_matrices(k, p, err));
    memset(k->e, 0, (size_t)p->n * sizeof *k->e);
    yk_points_weights(s, theta, weight);
    add_unseen(k, p, u, weight, Gu, k->Gu, 1.0, false);
    weights_of(s, s->f, theta, weight);
    add_unseen(k, p, u, weight, Gu, k->Gu, 1.0, true);
    if (weights_of(s, s->q, theta, weight))
        add_unseen(k, p, u, weight, Cu, k->Cu, s->s, true);
    return YOKE_OK;
}

bool yk_look_is_stale(const yk_driver *d, int j)
{
    const yoke_pattern *C = d->p.facts->C;

    if (!d->look.first) return false;
    return d->look.rate[j] ||
           (d->rejoin.stale && C->start[j + 1] == C->start[j]);
}

/* |e| as the estimate of the step is measured; deep unknowns are left out, and
 * those whose beginning is not believed. */
static double measure(yk_driver *d, int *at)
{
    yk_step_look *k = &d->look;
    yk_problem *p = &d->p;
    double most = 0.0;

    yk_weights_step(p);
    for (int i = 0; i < p->n; i++) {
        if (p->depth[i] > 0 || k->rate[i] || yk_look_is_stale(d, i))
            k->e[i] = 0.0;
        if (!(fabs(k->e[i]) > most * p->weight[i])) continue;
        most = fabs(k->e[i]) / p->weight[i];
        *at = i;
    }
    return yk_norm_rms(p, k->e);
}

void yk_look_stages(const yk_driver *d, double h, yk_stages *out)
{
    const bool halved = d->method->stepping == YK_FIXED && d->method->order > 2;

    if (d->method->inside) {
        d->method->inside(d->self, h, out);
        return;
    }
    *out = (yk_stages){ .count = halved ? 3 : 2,
                        .theta = { 0.0, halved ? 0.5 : 1.0, 1.0 },
                        .matrix = d->look.matrix,
                        .s = h > 0.0 ? 1.5 / h : 0.0 };
}

/* X inside the step, whatever the method calls its polynomial. */
static yoke_status state_at(yk_driver *d, double t, double *x, yoke_err *err)
{
    const yk_method *method = d->method;

    if (method->dense)
        return method->dense(d->self, t, d->p.n, d->events.all, x, err);
    yk_poly_eval(&d->look.poly, d->p.n, t, x);
    return YOKE_OK;
}

/* For methods that show no stages: f and q with u less those with I. */
static yoke_status compare(yk_driver *d, double t, double theta,
                           const double *u, yoke_err *err)
{
    yk_step_look *k = &d->look;
    yk_problem *p = &d->p;
    yk_points *c = &k->points;
    double weight[YK_STAGES];

    yk_points_weights(&k->stages, theta, weight);
    for (int j = 0; j < p->m; j++) {
        c->drift[j] = 0.0;
        for (int i = 0; i < k->stages.count; i++)
            c->drift[j] += weight[i] * c->node[i * p->m + j];
    }
    YK_TRY(state_at(d, t, k->x, err));
    p->work.residuals += 2;
    YK_TRY(
        yoke_system_eval(p->system, yk_time(p, t), k->x, u, k->q, k->f, err));
    for (int i = 0; i < p->n; i++) k->e[i] = k->f[i] + k->stages.s * k->q[i];
    YK_TRY(yoke_system_eval(p->system, yk_time(p, t), k->x, c->drift, k->q,
                            k->f, err));
    for (int i = 0; i < p->n; i++) k->e[i] -= k->f[i] + k->stages.s * k->q[i];
    return YOKE_OK;
}

/* e before it is weighed. */
static yoke_status residual(yk_driver *d, double t, double theta,
                            const double *u, yoke_err *err)
{
    yk_step_look *k = &d->look;
    yk_problem *p = &d->p;

    if (d->method->defect) return d->method->defect(d->self, t, k->e, err);
    if (d->method->stepping == YK_FIXED) return compare(d, t, theta, u, err);
    if (k->by_inputs) return difference(k, p, theta, u, err);
    return evaluate(k, p, t, theta, u, err);
}

static yoke_status weigh(yk_driver *d, yoke_err *err)
{
    yk_step_look *k = &d->look;
    yk_problem *p = &d->p;

    if (k->matrix) {
        if (yk_system_has_rhs(p->system)) { /* C is the identity */
            for (int i = 0; i < p->n; i++) k->e[i] /= k->stages.s;
            return YOKE_OK;
        }
        YK_TRY(yk_jacobian_once(p, p->t, p->x, err));
        YK_TRY(yk_matrix_factor(p, k->matrix, k->stages.s, 0.0, 1.0, err));
    }
    return yk_matrix_solve(p, k->stages.matrix, k->e, err);
}

yoke_status yk_look_weigh(yk_driver *d, double h, double *size, yoke_err *err)
{
    int at = 0;

    yk_look_stages(d, h, &d->look.stages);
    YK_TRY(weigh(d, err));
    *size = measure(d, &at);
    if (isnan(*size)) *size = INFINITY;
    return YOKE_OK;
}

yoke_status yk_look_test(yk_driver *d, double t, const double *u, yoke_err *err)
{
    yk_step_look *k = &d->look;
    const double begin = d->p.t;
    double size = 0.0;
    int at = 0;

    yoke_status status = residual(d, t, (t - begin) / k->h, u, err);
    if (status == YOKE_OK) status = weigh(d, err);
    if (status < 0) return status;
    if (status == YOKE_OK)
        size = measure(d, &at);
    else if (isfinite(k->bound))
        size = 10.0 * k->bound;
    if (isnan(size)) size = INFINITY;
    k->tests++;
    if (size > k->worst) {
        k->worst = size;
        k->worst_time = t;
        k->worst_of = at;
    }
    return YOKE_OK;
}

/* factor (f + s q) at t with the unknowns at the end of the step is added. */
static yoke_status add_residual(yk_driver *d, double t, double factor,
                                yoke_err *err)
{
    yk_step_look *k = &d->look;
    yk_problem *p = &d->p;

    p->work.residuals++;
    YK_TRY(yoke_system_eval(p->system, yk_time(p, t), p->x_new, yk_input(p, t),
                            k->q, k->f, err));
    for (int i = 0; i < p->n; i++)
        k->e[i] += factor * (k->f[i] + k->stages.s * k->q[i]);
    return YOKE_OK;
}

yoke_status yk_look_test_fixed(yk_driver *d, double begin, double h, double t,
                               yoke_err *err)
{
    yk_step_look *k = &d->look;
    double weight[YK_STAGES];
    int at = 0;

    memset(k->e, 0, (size_t)d->p.n * sizeof *k->e);
    yk_points_weights(&k->stages, (t - begin) / h, weight);
    yoke_status status = add_residual(d, t, 1.0, err);
    for (int i = 0; i < k->stages.count && status == YOKE_OK; i++)
        status =
            add_residual(d, begin + k->stages.theta[i] * h, -weight[i], err);
    if (status == YOKE_OK) status = weigh(d, err);
    if (status != YOKE_OK) return status < 0 ? status : YOKE_OK;
    const double size = measure(d, &at);
    if (!(size > k->worst)) return YOKE_OK;
    k->worst = size;
    k->worst_time = t;
    k->worst_of = at;
    return YOKE_OK;
}
