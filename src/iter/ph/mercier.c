/* iter/ph/mercier.c -- the Lions-Mercier-type iteration over one window. */
#include "iter/ph/mercier.h"

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
    YK_FREE(m->block, m->w, m->old);
    yk_sparse_clear(&m->S);
    yk_sparse_clear(&m->M);
    yk_sparse_clear(&m->Q);
    yk_lu_free(m->lu);
    YK_FREE(m->r, m->f, m);
}

/* factor S + shift W, of a block. */
static yk_ph_sum scaling(const yk_mercier *m, double factor, double shift)
{
    const yk_mercier_options *o = &m->options;
    const double tau = shift + (o->lambda > 0.0 ? 0.0 : factor * m->bounds.tau);

    return (yk_ph_sum){ .RQ = tau * (1.0 - o->alpha),
                        .E = tau * o->mu,
                        .Q = o->lambda > 0.0 ? factor / o->lambda : 0.0 };
}

static yoke_status make_block(yk_mercier *m, int i, yoke_err *err)
{
    const yk_ph_block *b = &m->net->block[i];
    yk_ph_sum sum = scaling(m, -1.0, 1.0); /* W - S + A */
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };
    yk_sparse A = { NULL, NULL };

    sum.A = 1.0;
    YK_GO(yk_ph_block_add(b, sum, 0, &t, err));
    YK_GO(yk_sparse_create(&A, b->n, b->n, &t, err));
    YK_GO(yk_lti_create(&m->block[i], m->window->rk, m->options.fitted, &b->E,
                        &A, err));
done:
    yk_triplets_clear(&t);
    yk_sparse_clear(&A);
    return status;
}

/* S, and S + K = S + W - J_o Q factored. */
static yoke_status make_whole(yk_mercier *m, yoke_err *err)
{
    const yk_ph_net *net = m->net;

    YK_TRY(yk_ph_net_sum(net, scaling(m, 1.0, 0.0), 0.0, &m->S, err));
    YK_TRY(yk_ph_net_sum(net, (yk_ph_sum){ .Q = 1.0 }, 0.0, &m->Q, err));
    YK_TRY(yk_ph_net_sum(net, scaling(m, 1.0, 1.0), -1.0, &m->M, err));
    YK_TRY(yk_lu_create(&m->lu, m->M.pattern, false, err));
    YK_TRY(yk_lu_factor(m->lu, m->M.value, NULL, err));
    m->window->work.factorizations++;
    return YOKE_OK;
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
        YK_GO(YK_DOUBLES(size, err, &m->w[i], &m->old[i]));
    }
    YK_GO(YK_DOUBLES((size_t)net->n, err, &m->r, &m->f));
    YK_GO(make_whole(m, err));
    *out = m;
    return YOKE_OK;
done:
    yk_mercier_free(m);
    return status;
}

yoke_status yk_mercier_ready(yk_mercier *m, yoke_err *err)
{
    for (int i = 0; i < m->net->blocks; i++)
        YK_TRY(yk_window_factor(m->window, i, m->block[i], err));
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

static void feed(void *self, int i, int point, double *f)
{
    const yk_mercier *m = self;
    const yoke_pattern *p = m->S.pattern; /* block diagonal */
    const int at = m->net->first[i], n = m->net->block[i].n;
    const double *w = m->w[i] + (size_t)point * (size_t)n;

    for (int j = 0; j < n; j++)
        for (int l = p->start[at + j]; l < p->start[at + j + 1]; l++)
            f[p->row[l] - at] += m->S.value[l] * w[j];
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

/* The resolvent of one block. */
typedef struct resolvents {
    yk_mercier *m;
    bool homogeneous;
} resolvents;

static yoke_status resolve(void *context, int i, yoke_err *err)
{
    const resolvents *r = context;

    return yk_window_solve(r->m->window, i, r->m->block[i], r->homogeneous,
                           feed, r->m, err);
}

yoke_status yk_mercier_sweep(yk_mercier *m, bool homogeneous, yoke_err *err)
{
    resolvents r = { m, homogeneous };

    YK_TRY(
        yk_window_solve_all(m->window, m->net->blocks, NULL, resolve, &r, err));
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

/* ---- as a scheme --------------------------------------------------------- */

static yoke_status one_sweep(void *self, int *sweeps, yoke_err *err)
{
    ++*sweeps;
    return yk_mercier_sweep(self, false, err);
}

static double change(void *self, double omega)
{
    yk_mercier *m = self;

    return yk_mercier_norm(m, omega, m->w, m->old);
}

static double size(void *self, double omega)
{
    yk_mercier *m = self;

    return yk_mercier_norm(m, omega, m->w, NULL);
}

static double unit(void *self)
{
    const yk_mercier *m = self;

    return sqrt(m->window->h * m->window->steps * m->net->n);
}

yoke_status yk_mercier_iterate(yk_mercier *m, const yk_wave_test *test,
                               yk_wave_result *out, yoke_err *err)
{
    const yk_scheme scheme = { .window = m->window,
                               .omega = m->options.omega,
                               .rate = m->q,
                               .plain = true,
                               .iterate = m,
                               .change = change,
                               .size = size,
                               .unit = unit,
                               .solver = m,
                               .sweep = one_sweep };

    return yk_scheme_iterate(&scheme, test, out, err);
}
