/* iter/ph/direct.c -- the waves of a window without iteration.
 *
 * On a uniform grid the outputs of the ports of a block are
 *
 *     y_n = sum over j <= n of H_(n-j) g_j + free_n,
 *
 * H from impulses at each port and stage of the first step.  With u = g - zeta
 * y what a port sends is (1 + zeta zeta') y - zeta' g, so the waves at step n
 * solve a linear system whose matrix is the same for all steps:
 *
 *     g_other -+ ((1 + zeta zeta') H_0 g - zeta' g)_own = +- (1 + zeta zeta')
 *                                                   (earlier steps + free).
 */
#include "iter/ph/waves.h"

#include <string.h>

struct yk_direct {
    int pairs, stages, most;
    double h;
    double **y;      /* of each wave, at the points */
    double **answer; /* of each block: see `entry` */
    yk_sparse M;
    yk_lu *lu;
    double *right; /* 2 * pairs * stages */
    const yk_ph_net *net;
    yk_waves *waves; /* of the window that is being done */
};

void yk_direct_free(yk_direct *d)
{
    if (!d) return;
    for (int k = 0; d->y && k < 2 * d->pairs; k++) yk_free(d->y[k]);
    for (int i = 0; d->answer && i < d->net->blocks; i++) yk_free(d->answer[i]);
    YK_FREE(d->y, d->answer);
    yk_sparse_clear(&d->M);
    yk_lu_free(d->lu);
    YK_FREE(d->right, d);
}

yoke_status yk_direct_create(yk_direct **out, const yk_waves *w, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_direct *d = NULL;
    const int s = w->window->rk->stages;
    const size_t points = (size_t)w->window->most * (size_t)s;

    YK_GO(YK_NEW(&d, 1, err));
    d->net = w->net;
    d->pairs = w->net->pairs;
    d->stages = s;
    d->most = w->window->most;
    YK_GO(YK_NEW(&d->y, 2 * d->pairs + 1, err));
    for (int k = 0; k < 2 * d->pairs; k++)
        YK_GO(yk_doubles(&d->y[k], points, err));
    YK_GO(YK_NEW(&d->answer, w->net->blocks + 1, err));
    for (int i = 0; i < w->net->blocks; i++) {
        const size_t p = (size_t)w->net->block[i].ports;
        YK_GO(yk_doubles(&d->answer[i], points * (size_t)s * p * p + 1, err));
    }
    YK_GO(yk_doubles(&d->right, 2 * (size_t)d->pairs * (size_t)s + 1, err));
    *out = d;
    return YOKE_OK;
done:
    yk_direct_free(d);
    return status;
}

/* Output at port `to` and point k, for an impulse at port `from` and stage j of
 * the first step. */
static double *entry(const yk_direct *d, int i, int k, int j, int to, int from)
{
    const int p = d->net->block[i].ports;

    return d->answer[i] +
           (((size_t)k * (size_t)d->stages + (size_t)j) * (size_t)p +
            (size_t)to) *
               (size_t)p +
           from;
}

static void silence(yk_waves *w)
{
    for (int k = 0; k < 2 * w->net->pairs; k++)
        memset(w->g[k], 0, (size_t)w->window->points * sizeof *w->g[k]);
}

/* One impulse in all blocks at once: they do not hear one another. */
static yoke_status impulses(yk_direct *d, yk_waves *w, int *sweeps,
                            yoke_err *err)
{
    int most = 0;

    for (int i = 0; i < w->net->blocks; i++)
        if (w->net->block[i].ports > most) most = w->net->block[i].ports;
    for (int p = 0; p < most; p++)
        for (int j = 0; j < d->stages; j++) {
            silence(w);
            for (int i = 0; i < w->net->blocks; i++)
                if (p < w->net->block[i].ports)
                    w->g[w->net->block[i].wave[p]][j] = 1.0;
            YK_TRY(yk_waves_probe(w, true, d->y, err));
            ++*sweeps;
            for (int i = 0; i < w->net->blocks; i++) {
                const yk_ph_block *b = &w->net->block[i];
                for (int to = 0; p < b->ports && to < b->ports; to++)
                    for (int k = 0; k < w->window->points; k++)
                        *entry(d, i, k, j, to, p) = d->y[b->wave[to]][k];
            }
        }
    return YOKE_OK;
}

static double gain(const yk_waves *w, int own)
{
    const double sign = own % 2 == 1 ? 1.0 : -1.0;

    return sign * (1.0 + w->zeta[own] * w->zeta[own ^ 1]);
}

static yoke_status factor(yk_direct *d, const yk_waves *w, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int s = d->stages, n = 2 * d->pairs * s;
    yk_triplets t = { 0 };

    for (int i = 0; i < w->net->blocks; i++) {
        const yk_ph_block *b = &w->net->block[i];
        for (int p = 0; p < b->ports; p++)
            for (int k = 0; k < s; k++) {
                const int own = b->wave[p], row = (own ^ 1) * s + k;
                const double sign = own % 2 == 1 ? 1.0 : -1.0;
                YK_GO(yk_triplets_add(&t, row, row, 1.0, err));
                YK_GO(yk_triplets_add(&t, row, own * s + k,
                                      sign * w->zeta[own ^ 1], err));
                for (int q = 0; q < b->ports; q++)
                    for (int j = 0; j < s; j++)
                        YK_GO(yk_triplets_add(
                            &t, row, b->wave[q] * s + j,
                            -gain(w, own) * *entry(d, i, k, j, p, q), err));
            }
    }
    yk_lu_free(d->lu);
    d->lu = NULL;
    yk_sparse_clear(&d->M);
    YK_GO(yk_sparse_create(&d->M, n, n, &t, err));
    YK_GO(yk_lu_create(&d->lu, d->M.pattern, false, err));
    YK_GO(yk_lu_factor(d->lu, d->M.value, NULL, err));
done:
    yk_triplets_clear(&t);
    return status;
}

/* What the earlier steps and the free answer send at step n. */
static void right_side(yk_direct *d, const yk_waves *w, int n)
{
    const int s = d->stages;

    for (int i = 0; i < w->net->blocks; i++) {
        const yk_ph_block *b = &w->net->block[i];
        for (int p = 0; p < b->ports; p++)
            for (int k = 0; k < s; k++) {
                const int own = b->wave[p];
                double sum = d->y[own][n * s + k];
                for (int q = 0; q < b->ports; q++) {
                    const double *g = w->g[b->wave[q]];
                    for (int m = 0; m < n; m++)
                        for (int j = 0; j < s; j++)
                            sum += *entry(d, i, (n - m) * s + k, j, p, q) *
                                   g[m * s + j];
                }
                d->right[(own ^ 1) * s + k] = gain(w, own) * sum;
            }
    }
}

yoke_status yk_direct_solve(yk_direct *d, yk_waves *w, yk_wave_result *out,
                            yoke_err *err)
{
    const int s = d->stages;

    *out = (yk_wave_result){ .converged = true };
    if (d->h != w->window->h) {
        const int steps = w->window->steps;
        w->window->steps = d->most; /* answers for the longest window */
        w->window->points = d->most * s;
        const yoke_status status = impulses(d, w, &out->sweeps, err);
        w->window->steps = steps;
        w->window->points = steps * s;
        YK_TRY(status);
        YK_TRY(factor(d, w, err));
        d->h = w->window->h;
    }
    silence(w);
    YK_TRY(yk_waves_probe(w, false, d->y, err));
    for (int n = 0; n < w->window->steps; n++) {
        right_side(d, w, n);
        YK_TRY(yk_lu_solve(d->lu, d->right, err));
        for (int k = 0; k < 2 * d->pairs; k++)
            for (int j = 0; j < s; j++)
                w->g[k][n * s + j] = d->right[k * s + j];
    }
    YK_TRY(yk_waves_sweep(w, false, err));
    out->sweeps += 2;
    out->promised = out->sweeps;
    return YOKE_OK;
}

static yoke_status one_sweep(void *self, int *sweeps, yoke_err *err)
{
    yk_direct *d = self;
    yk_wave_result r;

    YK_TRY(yk_direct_solve(d, d->waves, &r, err));
    *sweeps += r.sweeps;
    return YOKE_OK;
}

/* Nothing is left to another sweep. */
static yoke_status next(void *self, yk_scheme_turn *turn, yoke_err *err)
{
    (void)self, (void)err;
    turn->go_on = false;
    return YOKE_OK;
}

yoke_status yk_direct_iterate(yk_direct *d, yk_waves *w,
                              const yk_wave_test *test, yk_wave_result *out,
                              yoke_err *err)
{
    yk_scheme scheme = yk_waves_scheme(w);

    d->waves = w;
    scheme.omega = scheme.rate = 0.0; /* the change is all that is wrong */
    scheme.plain = false;
    scheme.solver = d;
    scheme.sweep = one_sweep;
    scheme.next = next;
    YK_TRY(yk_scheme_iterate(&scheme, test, out, err));
    out->converged = out->bound <= 1.0;
    out->promised = out->sweeps;
    return YOKE_OK;
}
