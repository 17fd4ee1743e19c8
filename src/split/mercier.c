/* split/mercier.c -- the Lions-Mercier-type iteration over one window. */
#include "split/mercier.h"

#include <math.h>
#include <string.h>

void yk_mercier_free(yk_mercier *m)
{
    if (!m) return;
    for (int i = 0; i < m->net->blocks; i++) {
        if (m->block) yk_lti_free(m->block[i]);
        if (m->w) yk_free(m->w[i]);
        if (m->old) yk_free(m->old[i]);
    }
    yk_free(m->block);
    yk_free(m->w);
    yk_free(m->old);
    yk_sparse_clear(&m->S);
    yk_sparse_clear(&m->M);
    yk_sparse_clear(&m->Q);
    yk_lu_free(m->lu);
    yk_free(m->r);
    yk_free(m->f);
    yk_free(m);
}

/* S of block i, its place at (at, at). */
static yoke_status add_scaling(const yk_mercier *m, int i, double factor,
                               yk_triplets *t, int at, yoke_err *err)
{
    const yk_ph_block *b = &m->net->block[i];
    const yk_mercier_options *o = &m->options;
    const double tau = factor * m->bounds.tau;

    if (o->lambda > 0.0)
        return yk_triplets_add_matrix(t, factor / o->lambda, b->Q.pattern,
                                      b->Q.value, at, at, err);
    YK_TRY(yk_triplets_add_matrix(t, tau * (1.0 - o->alpha), b->RQ.pattern,
                                  b->RQ.value, at, at, err));
    return yk_triplets_add_matrix(t, tau * o->mu, b->E.pattern, b->E.value, at,
                                  at, err);
}

static yoke_status make_block(yk_mercier *m, int i, yoke_err *err)
{
    const yk_ph_block *b = &m->net->block[i];
    const yk_mercier_options *o = &m->options;
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };
    yk_sparse A = { NULL, NULL };

    YK_GO(yk_triplets_add_matrix(&t, 1.0, b->A.pattern, b->A.value, 0, 0, err));
    YK_GO(yk_triplets_add_matrix(&t, 1.0 - o->alpha, b->RQ.pattern, b->RQ.value,
                                 0, 0, err));
    YK_GO(
        yk_triplets_add_matrix(&t, o->mu, b->E.pattern, b->E.value, 0, 0, err));
    YK_GO(add_scaling(m, i, -1.0, &t, 0, err));
    YK_GO(yk_sparse_create(&A, b->n, b->n, &t, err));
    YK_GO(
        yk_lti_create(&m->block[i], m->window->rk, o->fitted, &b->E, &A, err));
done:
    yk_triplets_clear(&t);
    yk_sparse_clear(&A);
    return status;
}

/* S, and S + K factored. */
static yoke_status make_whole(yk_mercier *m, yoke_err *err)
{
    const yk_ph_net *net = m->net;
    const yk_mercier_options *o = &m->options;
    yoke_status status = YOKE_OK;
    yk_triplets s = { 0 }, k = { 0 }, q = { 0 };
    yk_sparse between = { NULL, NULL };

    for (int i = 0; i < net->blocks; i++) {
        const yk_ph_block *b = &net->block[i];
        const int at = net->first[i];
        YK_GO(add_scaling(m, i, 1.0, &s, at, err));
        YK_GO(yk_triplets_add_matrix(&k, 1.0 - o->alpha, b->RQ.pattern,
                                     b->RQ.value, at, at, err));
        YK_GO(yk_triplets_add_matrix(&k, o->mu, b->E.pattern, b->E.value, at,
                                     at, err));
        YK_GO(yk_triplets_add_matrix(&q, 1.0, b->Q.pattern, b->Q.value, at, at,
                                     err));
    }
    YK_GO(yk_ph_net_coupling(net, &between, err));
    YK_GO(yk_sparse_create(&m->S, net->n, net->n, &s, err));
    YK_GO(yk_sparse_create(&m->Q, net->n, net->n, &q, err));
    YK_GO(yk_triplets_add_matrix(&k, 1.0, m->S.pattern, m->S.value, 0, 0, err));
    YK_GO(yk_triplets_add_matrix(&k, -1.0, between.pattern, between.value, 0, 0,
                                 err));
    YK_GO(yk_sparse_create(&m->M, net->n, net->n, &k, err));
    YK_GO(yk_lu_create(&m->lu, m->M.pattern, false, err));
    YK_GO(yk_lu_factor(m->lu, m->M.value, NULL, err));
    m->window->work.factorizations++;
done:
    yk_triplets_clear(&s);
    yk_triplets_clear(&k);
    yk_triplets_clear(&q);
    yk_sparse_clear(&between);
    return status;
}

yoke_status yk_mercier_create(yk_mercier **out, const yk_ph_net *net,
                              yk_window *window,
                              const yk_mercier_options *options, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_mercier *m = NULL;
    const size_t points = (size_t)window->most * (size_t)window->rk->stages;

    YK_GO(YK_NEW(&m, 1, err));
    m->net = net;
    m->window = window;
    m->options = *options;
    YK_GO(yk_bounds_find(net, options->alpha, options->mu, options->lambda,
                         &m->bounds, err));
    m->q = options->lambda > 0.0 ? m->bounds.q : m->bounds.matrix;
    if (options->lambda == 0.0 && !m->bounds.all)
        YK_GO(yk_fail(err, YOKE_E_MODEL,
                      "a matrix-valued lambda needs rank [mu E, (1 - alpha) R] "
                      "= n, which does not hold; give lambda > 0"));
    YK_GO(YK_NEW(&m->block, net->blocks + 1, err));
    YK_GO(YK_NEW(&m->w, net->blocks + 1, err));
    YK_GO(YK_NEW(&m->old, net->blocks + 1, err));
    for (int i = 0; i < net->blocks; i++) {
        const size_t size = points * (size_t)net->block[i].n;
        YK_GO(make_block(m, i, err));
        YK_GO(yk_doubles(&m->w[i], size, err));
        YK_GO(yk_doubles(&m->old[i], size, err));
    }
    YK_GO(yk_doubles(&m->r, (size_t)net->n, err));
    YK_GO(yk_doubles(&m->f, (size_t)net->n, err));
    YK_GO(make_whole(m, err));
    *out = m;
    return YOKE_OK;
done:
    yk_mercier_free(m);
    return status;
}

yoke_status yk_mercier_ready(yk_mercier *m, yoke_err *err)
{
    for (int i = 0; i < m->net->blocks; i++) {
        const long before = m->block[i]->factorizations;
        YK_TRY(yk_lti_step_size(m->block[i], m->window->h, NULL, err));
        m->window->work.factorizations += m->block[i]->factorizations - before;
    }
    return YOKE_OK;
}

void yk_mercier_guess(yk_mercier *m, const double *x)
{
    for (int i = 0; i < m->net->blocks; i++) {
        const size_t n = (size_t)m->net->block[i].n;
        for (int k = 0; k < m->window->points; k++)
            memcpy(m->w[i] + (size_t)k * n, x + m->net->first[i],
                   n * sizeof *x);
    }
}

static yoke_status solve_block(yk_mercier *m, int i, bool homogeneous,
                               yoke_err *err)
{
    const yk_ph_block *b = &m->net->block[i];
    yk_window *v = m->window;
    const int s = v->rk->stages;
    const size_t n = (size_t)b->n;
    double *e = m->f + m->net->first[i];

    if (homogeneous)
        memset(e, 0, n * sizeof *e);
    else
        memcpy(e, v->e0 + m->net->first[i], n * sizeof *e);
    for (int step = 0; step < v->steps; step++) {
        double *X = v->X[i] + (size_t)(step * s) * n;
        memset(X, 0, (size_t)s * n * sizeof *X);
        for (int k = 0; k < s; k++) {
            const int point = step * s + k;
            const double *w = m->w[i] + (size_t)point * n;
            const yoke_pattern *p = m->S.pattern; /* block diagonal */
            const int at = m->net->first[i];
            for (int j = 0; j < b->n; j++)
                for (int l = p->start[at + j]; l < p->start[at + j + 1]; l++)
                    X[(size_t)k * n + (size_t)(p->row[l] - at)] +=
                        m->S.value[l] * w[j];
            if (!homogeneous) yk_window_drive(v, i, point, X + (size_t)k * n);
        }
        YK_TRY(yk_lti_step(m->block[i], e, X, err));
    }
    memcpy(v->e1 + m->net->first[i], e, n * sizeof *e);
    v->work.solves += v->steps;
    v->work.residuals += v->steps;
    v->work.steps += v->steps;
    return YOKE_OK;
}

/* The resolvent of the coupling, at one point. */
static yoke_status couple(yk_mercier *m, int point, yoke_err *err)
{
    const yk_ph_net *net = m->net;

    memset(m->f, 0, (size_t)net->n * sizeof *m->f);
    for (int i = 0; i < net->blocks; i++) {
        const int n = net->block[i].n;
        for (int k = 0; k < n; k++) {
            const size_t at = (size_t)point * (size_t)n + (size_t)k;
            m->old[i][at] = m->w[i][at];
            m->r[net->first[i] + k] = 2.0 * m->window->X[i][at] - m->w[i][at];
        }
    }
    yk_sparse_multiply(&m->S, 1.0, m->r, m->f);
    YK_TRY(yk_lu_solve(m->lu, m->f, err));
    for (int i = 0; i < net->blocks; i++) {
        const int n = net->block[i].n;
        for (int k = 0; k < n; k++)
            m->w[i][(size_t)point * (size_t)n + (size_t)k] =
                2.0 * m->f[net->first[i] + k] - m->r[net->first[i] + k];
    }
    m->window->work.solves++;
    return YOKE_OK;
}

yoke_status yk_mercier_sweep(yk_mercier *m, bool homogeneous, yoke_err *err)
{
    for (int i = 0; i < m->net->blocks; i++)
        YK_TRY(solve_block(m, i, homogeneous, err));
    for (int k = 0; k < m->window->points; k++) YK_TRY(couple(m, k, err));
    m->window->work.sweeps++;
    return YOKE_OK;
}

double yk_mercier_norm(yk_mercier *m, double omega, double *const *w,
                       double *const *other)
{
    const yk_ph_net *net = m->net;
    const yk_window *v = m->window;
    const int s = v->rk->stages;
    double sum = 0.0;

    for (int k = 0; k < v->points; k++) {
        double here = 0.0;
        for (int i = 0; i < net->blocks; i++)
            for (int j = 0; j < net->block[i].n; j++) {
                const size_t at =
                    (size_t)k * (size_t)net->block[i].n + (size_t)j;
                m->r[net->first[i] + j] =
                    w[i][at] - (other ? other[i][at] : 0.0);
            }
        memset(m->f, 0, (size_t)net->n * sizeof *m->f);
        yk_sparse_multiply(&m->Q, 1.0, m->r, m->f);
        if (m->options.lambda > 0.0) {
            for (int j = 0; j < net->n; j++) here += m->f[j] * m->f[j];
        } else {
            const yoke_pattern *p = m->S.pattern;
            for (int j = 0; j < net->n; j++)
                for (int l = p->start[j]; l < p->start[j + 1]; l++)
                    here += m->f[p->row[l]] * m->S.value[l] * m->r[j];
        }
        sum += v->h * v->rk->b[k % s] * here *
               exp(-2.0 * omega * (v->t[k] - v->t0));
    }
    return sqrt(fmax(sum, 0.0));
}

yoke_status yk_mercier_iterate(yk_mercier *m, const yk_wave_test *test,
                               yk_wave_result *out, yoke_err *err)
{
    const double length = m->window->h * m->window->steps;
    const double omega = m->options.omega;
    double before = NAN;

    *out = (yk_wave_result){ .rate = 0.0 };
    while (out->sweeps < test->max_sweeps && !out->converged) {
        YK_TRY(yk_mercier_sweep(m, false, err));
        yk_wave_sweep s = { .sweep = ++out->sweeps };
        s.change = yk_mercier_norm(m, omega, m->w, m->old);
        s.plain = yk_mercier_norm(m, 0.0, m->w, m->old);
        if (!isfinite(s.plain))
            return yk_fail(err, YOKE_RETRY,
                           "z is not finite after %d sweeps; a shorter window "
                           "or a smaller mu keeps exp(mu T) within range",
                           out->sweeps);
        if (before > 0.0 &&
            s.change > 1e-13 * yk_mercier_norm(m, omega, m->w, NULL))
            out->rate = fmax(out->rate, s.change / before);
        before = s.change;
        const double size = test->rtol * yk_mercier_norm(m, 0.0, m->w, NULL) +
                            test->atol * sqrt(length * m->net->n);
        out->bound = s.bound = s.plain == 0.0 ? 0.0
                                              : exp(omega * length) * s.change /
                                                    (1.0 - m->q) / size;
        if (out->sweeps == 1)
            out->promised = yk_waves_promise(s.bound, test->fraction, m->q);
        out->last = s.plain == 0.0 ? 0.0 : s.plain / size;
        out->converged = s.last = yk_waves_ends(test, &s, size);
        if (test->watch && test->watch(test->context, &s)) break;
    }
    return YOKE_OK;
}
