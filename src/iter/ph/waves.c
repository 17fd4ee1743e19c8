/* iter/ph/waves.c -- sweeps of the port-wave exchange. */
#include "iter/ph/waves.h"

#include <math.h>
#include <string.h>

void yk_waves_free(yk_waves *w)
{
    if (!w) return;
    for (int i = 0; w->block && i < w->net->blocks; i++)
        yk_lti_free(w->block[i]);
    for (int k = 0; w->g && k < 2 * w->net->pairs; k++) {
        if (w->next && w->next[k] != w->g[k]) yk_free(w->next[k]);
        yk_free(w->g[k]);
    }
    for (int i = 0; w->u && i < w->net->blocks; i++) YK_FREE(w->y[i], w->u[i]);
    YK_FREE(w->block, w->g, w->next, w->late, w->zeta, w->weight, w->y, w->u,
            w);
}

static yoke_status make_waves(yk_waves *w, yoke_err *err)
{
    const yk_ph_net *net = w->net;
    const size_t points =
        (size_t)w->window->most * (size_t)w->window->rk->stages;

    YK_TRY(YK_NEW(&w->g, 2 * net->pairs + 1, err));
    YK_TRY(YK_NEW(&w->next, 2 * net->pairs + 1, err));
    YK_TRY(YK_NEW(&w->late, 2 * net->pairs + 1, err));
    for (int k = 0; k < 2 * net->pairs; k++) {
        /* wave k enters block[side]; the other block makes it */
        const yk_ph_pair *p = &net->pair[k / 2];
        const int reader = p->block[k % 2], maker = p->block[1 - k % 2];
        w->late[k] = !w->ordered || net->colour[maker] > net->colour[reader];
        w->lates += w->late[k];
        YK_TRY(yk_doubles(&w->g[k], points, err));
        w->next[k] = w->g[k];
        if (w->late[k]) {
            w->next[k] = NULL;
            YK_TRY(yk_doubles(&w->next[k], points, err));
        }
    }
    return YOKE_OK;
}

yoke_status yk_waves_create(yk_waves **out, const yk_ph_net *net,
                            yk_window *window, bool ordered, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_waves *w = NULL;

    YK_GO(YK_NEW(&w, 1, err));
    w->net = net;
    w->window = window;
    w->ordered = ordered;
    YK_GO(YK_NEW(&w->block, net->blocks + 1, err));
    YK_GO(YK_DOUBLES(2 * (size_t)net->pairs + 1, err, &w->zeta, &w->weight));
    YK_GO(make_waves(w, err));
    YK_GO(YK_NEW(&w->y, net->blocks + 1, err));
    YK_GO(YK_NEW(&w->u, net->blocks + 1, err));
    for (int i = 0; i < net->blocks; i++)
        YK_GO(YK_DOUBLES((size_t)net->block[i].ports + 1, err, &w->y[i],
                         &w->u[i]));
    *out = w;
    return YOKE_OK;
done:
    yk_waves_free(w);
    return status;
}

/* ---- the blocks with their ports closed by zeta -------------------------- */

/* A - sum of zeta b b'Q. */
static yoke_status closed_matrix(const yk_waves *w, int i, yk_sparse *out,
                                 yoke_err *err)
{
    const yk_ph_block *b = &w->net->block[i];
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };
    const yoke_pattern *c = b->PQ.pattern, *p = b->P.pattern;

    YK_GO(yk_triplets_add_matrix(&t, 1.0, b->A.pattern, b->A.value, 0, 0, err));
    for (int j = 0; j < c->cols; j++)
        for (int k = c->start[j]; k < c->start[j + 1]; k++) {
            const int port = c->row[k];
            const double z = w->zeta[b->wave[port]];
            for (int l = p->start[port]; l < p->start[port + 1]; l++)
                YK_GO(yk_triplets_add(&t, p->row[l], j,
                                      -z * b->P.value[l] * b->PQ.value[k],
                                      err));
        }
    YK_GO(yk_sparse_create(out, b->n, b->n, &t, err));
done:
    yk_triplets_clear(&t);
    return status;
}

static yoke_status close_blocks(yk_waves *w, yoke_err *err)
{
    for (int i = 0; i < w->net->blocks; i++) {
        yk_sparse A = { NULL, NULL };
        yk_lti_free(w->block[i]);
        w->block[i] = NULL;
        YK_TRY(closed_matrix(w, i, &A, err));
        const yoke_status status = yk_lti_create(
            &w->block[i], w->window->rk, 0.0, &w->net->block[i].E, &A, err);
        yk_sparse_clear(&A);
        YK_TRY(status);
    }
    return YOKE_OK;
}

yoke_status yk_waves_match(yk_waves *w, yk_ports *ports, const yk_guarantee *g,
                           yoke_err *err)
{
    w->omega = g->omega;
    w->rate = g->rate;
    YK_TRY(yk_ports_match(ports, g->mu, w->zeta, w->weight, &w->q, err));
    return close_blocks(w, err);
}

yoke_status yk_waves_plain(yk_waves *w, yoke_err *err)
{
    w->omega = 0.0;
    w->q = w->rate = 1.0;
    for (int k = 0; k < 2 * w->net->pairs; k++) {
        w->zeta[k] = 0.0;
        w->weight[k] = 1.0;
    }
    return close_blocks(w, err);
}

yoke_status yk_waves_ready(yk_waves *w, yoke_err *err)
{
    for (int i = 0; i < w->net->blocks; i++)
        YK_TRY(yk_window_factor(w->window, i, w->block[i], err));
    return YOKE_OK;
}

/* ---- sweeps -------------------------------------------------------------- */

/* What the ports of block i send to their partners at a point. */
static void send(yk_waves *w, int i, int point)
{
    const yk_ph_block *b = &w->net->block[i];
    const double *y = w->y[i];

    for (int p = 0; p < b->ports; p++) {
        const int own = b->wave[p], other = own ^ 1;
        const double u = w->g[own][point] - w->zeta[own] * y[p];
        w->next[other][point] = own % 2 == 1 ? y[p] - w->zeta[other] * u
                                             : -y[p] + w->zeta[other] * u;
    }
}

static void feed(void *self, int i, int point, double *f)
{
    yk_waves *w = self;
    const yk_ph_block *b = &w->net->block[i];

    for (int p = 0; p < b->ports; p++) w->u[i][p] = w->g[b->wave[p]][point];
    if (b->ports > 0) yk_sparse_multiply(&b->P, 1.0, w->u[i], f);
}

/* The outputs of the ports go to `probe`, of each wave, instead of partners;
 * NULL: to these. */
typedef struct sweeping {
    yk_waves *w;
    bool homogeneous;
    double *const *probe;
} sweeping;

static yoke_status solve_block(void *context, int i, yoke_err *err)
{
    const sweeping *now = context;
    yk_waves *w = now->w;
    const yk_ph_block *b = &w->net->block[i];
    const yk_window *v = w->window;
    double *const y = w->y[i];

    YK_TRY(yk_window_solve(w->window, i, w->block[i], now->homogeneous, feed, w,
                           err));
    for (int k = 0; k < v->points && b->ports > 0; k++) {
        memset(y, 0, (size_t)b->ports * sizeof *y);
        yk_sparse_multiply(&b->PQ, 1.0, v->X[i] + (size_t)(k * b->n), y);
        for (int p = 0; now->probe && p < b->ports; p++)
            now->probe[b->wave[p]][k] = y[p];
        if (!now->probe) send(w, i, k);
    }
    return YOKE_OK;
}

/* Blocks of one colour are not coupled, so they run at once. */
yoke_status yk_waves_sweep(yk_waves *w, bool homogeneous, yoke_err *err)
{
    const yk_ph_net *net = w->net;
    sweeping now = { w, homogeneous, NULL };

    if (!w->ordered)
        YK_TRY(yk_window_solve_all(w->window, net->blocks, NULL, solve_block,
                                   &now, err));
    for (int k = 0, end = 0; w->ordered && k < net->blocks; k = end) {
        while (end < net->blocks &&
               net->colour[net->order[end]] == net->colour[net->order[k]])
            end++;
        YK_TRY(yk_window_solve_all(w->window, end - k, net->order + k,
                                   solve_block, &now, err));
    }
    w->window->work.sweeps++;
    return YOKE_OK;
}

yoke_status yk_waves_probe(yk_waves *w, bool homogeneous, double *const *y,
                           yoke_err *err)
{
    sweeping now = { w, homogeneous, y };

    YK_TRY(yk_window_solve_all(w->window, w->net->blocks, NULL, solve_block,
                               &now, err));
    w->window->work.sweeps++;
    return YOKE_OK;
}

void yk_waves_take(yk_waves *w)
{
    for (int k = 0; k < 2 * w->net->pairs; k++) {
        if (!w->late[k]) continue;
        double *old = w->g[k];
        w->g[k] = w->next[k];
        w->next[k] = old;
    }
}

/* Newton's polynomial through the last points, at the next ones.  With several
 * stages only the last one of each step counts. */
void yk_waves_guess(yk_waves *w, int old_points, int degree)
{
    const int s = w->window->rk->stages;
    const int have = old_points / s;

    if (degree > have - 1) degree = have - 1;
    for (int k = 0; k < 2 * w->net->pairs; k++) {
        double d[8] = { 0.0 };
        double *g = w->g[k];
        for (int i = 0; i <= degree; i++) d[i] = g[old_points - 1 - i * s];
        for (int j = 1; j <= degree; j++)
            for (int i = degree; i >= j; i--) d[i] = d[i - 1] - d[i];
        for (int p = 0; p < w->window->points; p++) {
            const double x = (double)(p / s) + w->window->rk->c[p % s] + 1.0 -
                             w->window->rk->c[s - 1];
            double value = 0.0, factor = 1.0;
            for (int i = 0; i <= degree; i++) {
                value += factor * d[i];
                factor *= (x + i) / (i + 1);
            }
            w->next[k][p] = value; /* late ones are taken below */
        }
    }
    yk_waves_take(w);
}

void yk_waves_begin(yk_waves *w, const double *x)
{
    for (int k = 0; k < w->net->pairs; k++) {
        const yk_ph_pair *p = &w->net->pair[k];
        double y[2] = { 0.0, 0.0 };
        for (int side = 0; side < 2; side++) {
            const yk_ph_block *b = &w->net->block[p->block[side]];
            double *const port = w->y[p->block[side]];
            memset(port, 0, (size_t)b->ports * sizeof *port);
            yk_sparse_multiply(&b->PQ, 1.0, x + w->net->first[p->block[side]],
                               port);
            y[side] = port[p->port[side]];
        }
        for (int i = 0; i < w->window->points; i++) {
            w->g[2 * k][i] = y[1] + w->zeta[2 * k] * y[0];
            w->g[2 * k + 1][i] = -y[0] + w->zeta[2 * k + 1] * y[1];
        }
    }
}

/* ---- as a scheme --------------------------------------------------------- */

static yoke_status one_sweep(void *self, int *sweeps, yoke_err *err)
{
    ++*sweeps;
    return yk_waves_sweep(self, false, err);
}

/* Square root of the sum of weight times the squares, over the late waves. */
static double norm(const yk_waves *w, double omega, double *const *other)
{
    double sum = 0.0;

    for (int k = 0; k < 2 * w->net->pairs; k++)
        if (w->late[k])
            sum += w->weight[k] * yk_window_square(w->window, omega, w->next[k],
                                                   other ? other[k] : NULL);
    return sqrt(sum);
}

static double change(void *self, double omega)
{
    return norm(self, omega, ((yk_waves *)self)->g);
}

static double size(void *self, double omega)
{
    return norm(self, omega, NULL);
}

static double unit(void *self)
{
    const yk_waves *w = self;
    double sum = 0.0;

    for (int k = 0; k < 2 * w->net->pairs; k++)
        if (w->late[k]) sum += w->weight[k];
    return sqrt(sum * w->window->h * w->window->steps);
}

static yoke_status take(void *self, yk_scheme_turn *turn, yoke_err *err)
{
    (void)turn, (void)err;
    yk_waves_take(self);
    return YOKE_OK;
}

yk_scheme yk_waves_scheme(yk_waves *w)
{
    return (yk_scheme){ .window = w->window,
                        .omega = w->omega,
                        .rate = w->rate,
                        .plain = true,
                        .iterate = w,
                        .change = change,
                        .size = size,
                        .unit = unit,
                        .solver = w,
                        .sweep = one_sweep,
                        .next = take };
}

yoke_status yk_waves_iterate(yk_waves *w, const yk_wave_test *test,
                             yk_wave_result *out, yoke_err *err)
{
    const yk_scheme scheme = yk_waves_scheme(w);

    return yk_scheme_iterate(&scheme, test, out, err);
}
