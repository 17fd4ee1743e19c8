/* split/waves.c -- sweeps of the port-wave exchange, and when to stop.
 *
 * The change of the late waves between two sweeps, d = |g_new - g|, bounds the
 * error of g in the same norm: |g - g*| <= d / (1 - rate), with the rate proven
 * beforehand.  The weight exp(-2 omega t) is at least exp(-2 omega T), so
 *
 *     |g - g*| without the weight  <=  exp(omega T) d / (1 - rate).
 *
 * The stages of the sweep were made from g, so this is their error too, times
 * what a block makes of the error of its waves.
 */
#include "split/waves.h"

#include <math.h>
#include <string.h>

/* Changes below this part of the waves are rounding: no rate is measured. */
static const double rounding = 1e-13;

void yk_waves_free(yk_waves *w)
{
    if (!w) return;
    for (int i = 0; w->block && i < w->net->blocks; i++)
        yk_lti_free(w->block[i]);
    for (int k = 0; w->g && k < 2 * w->net->pairs; k++) {
        if (w->next && w->next[k] != w->g[k]) yk_free(w->next[k]);
        yk_free(w->g[k]);
    }
    yk_free(w->block);
    yk_free(w->g);
    yk_free(w->next);
    yk_free(w->late);
    yk_free(w->zeta);
    yk_free(w->weight);
    yk_free(w->y);
    yk_free(w->u);
    yk_free(w->e);
    yk_free(w);
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
    size_t ports = 1, n = 1;

    YK_GO(YK_NEW(&w, 1, err));
    w->net = net;
    w->window = window;
    w->ordered = ordered;
    YK_GO(YK_NEW(&w->block, net->blocks + 1, err));
    YK_GO(yk_doubles(&w->zeta, 2 * (size_t)net->pairs + 1, err));
    YK_GO(yk_doubles(&w->weight, 2 * (size_t)net->pairs + 1, err));
    YK_GO(make_waves(w, err));
    for (int i = 0; i < net->blocks; i++) {
        if ((size_t)net->block[i].ports > ports)
            ports = (size_t)net->block[i].ports;
        if ((size_t)net->block[i].n > n) n = (size_t)net->block[i].n;
    }
    YK_GO(yk_doubles(&w->y, ports, err));
    YK_GO(yk_doubles(&w->u, ports, err));
    YK_GO(yk_doubles(&w->e, n, err));
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
    w->mu = g->mu;
    w->omega = g->omega;
    w->rate = g->rate;
    YK_TRY(yk_ports_match(ports, g->mu, w->zeta, w->weight, &w->q, err));
    return close_blocks(w, err);
}

yoke_status yk_waves_plain(yk_waves *w, yoke_err *err)
{
    w->mu = w->omega = 0.0;
    w->q = w->rate = 1.0;
    for (int k = 0; k < 2 * w->net->pairs; k++) {
        w->zeta[k] = 0.0;
        w->weight[k] = 1.0;
    }
    return close_blocks(w, err);
}

yoke_status yk_waves_ready(yk_waves *w, yoke_err *err)
{
    for (int i = 0; i < w->net->blocks; i++) {
        const yk_ph_block *b = &w->net->block[i];
        const long before = w->block[i]->factorizations;
        yoke_err why = { YOKE_OK, "" };
        int column = -1;
        const yoke_status status =
            yk_lti_step_size(w->block[i], w->window->h, &column, &why);
        w->window->work.factorizations += w->block[i]->factorizations - before;
        if (status == YOKE_RETRY)
            return yk_fail(err, YOKE_E_MODEL,
                           "\"%s\" alone has not one solution: nothing "
                           "determines %s%s",
                           b->name,
                           column >= 0 ? b->x_name[column % b->n]
                                       : "its unknowns",
                           "; couple it through that unknown too, or solve it "
                           "together with its neighbour");
        if (status != YOKE_OK) {
            if (err) *err = why;
            return status;
        }
    }
    return YOKE_OK;
}

/* ---- sweeps -------------------------------------------------------------- */

/* What the ports of block i send to their partners at a point. */
static void send(yk_waves *w, int i, int point)
{
    const yk_ph_block *b = &w->net->block[i];

    for (int p = 0; p < b->ports; p++) {
        const int own = b->wave[p], other = own ^ 1;
        const double u = w->g[own][point] - w->zeta[own] * w->y[p];
        w->next[other][point] = own % 2 == 1 ? w->y[p] - w->zeta[other] * u
                                             : -w->y[p] + w->zeta[other] * u;
    }
}

/* The outputs of the ports go to `probe`, of each wave, instead of partners. */
static yoke_status solve_block(yk_waves *w, int i, bool homogeneous,
                               double *const *probe, yoke_err *err)
{
    const yk_ph_block *b = &w->net->block[i];
    yk_window *v = w->window;
    const int s = v->rk->stages;
    const size_t n = (size_t)b->n;

    if (homogeneous)
        memset(w->e, 0, n * sizeof *w->e);
    else
        memcpy(w->e, v->e0 + w->net->first[i], n * sizeof *w->e);
    for (int step = 0; step < v->steps; step++) {
        double *X = v->X[i] + (size_t)(step * s) * n;
        memset(X, 0, (size_t)s * n * sizeof *X);
        for (int k = 0; k < s; k++) {
            const int point = step * s + k;
            if (!homogeneous) yk_window_drive(v, i, point, X + (size_t)k * n);
            for (int p = 0; p < b->ports; p++)
                w->u[p] = w->g[b->wave[p]][point];
            if (b->ports > 0)
                yk_sparse_multiply(&b->P, 1.0, w->u, X + (size_t)k * n);
        }
        YK_TRY(yk_lti_step(w->block[i], w->e, X, err));
        for (int k = 0; k < s && b->ports > 0; k++) {
            memset(w->y, 0, (size_t)b->ports * sizeof *w->y);
            yk_sparse_multiply(&b->PQ, 1.0, X + (size_t)k * n, w->y);
            for (int p = 0; probe && p < b->ports; p++)
                probe[b->wave[p]][step * s + k] = w->y[p];
            if (!probe) send(w, i, step * s + k);
        }
    }
    memcpy(v->e1 + w->net->first[i], w->e, n * sizeof *w->e);
    v->work.solves += v->steps;
    v->work.residuals += v->steps;
    v->work.steps += v->steps;
    return YOKE_OK;
}

yoke_status yk_waves_sweep(yk_waves *w, bool homogeneous, yoke_err *err)
{
    for (int k = 0; k < w->net->blocks; k++)
        YK_TRY(solve_block(w, w->ordered ? w->net->order[k] : k, homogeneous,
                           NULL, err));
    w->window->work.sweeps++;
    return YOKE_OK;
}

yoke_status yk_waves_probe(yk_waves *w, bool homogeneous, double *const *y,
                           yoke_err *err)
{
    for (int i = 0; i < w->net->blocks; i++)
        YK_TRY(solve_block(w, i, homogeneous, y, err));
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

double yk_waves_change(const yk_waves *w, double omega)
{
    double sum = 0.0;

    for (int k = 0; k < 2 * w->net->pairs; k++)
        if (w->late[k])
            sum += w->weight[k] *
                   yk_window_square(w->window, omega, w->next[k], w->g[k]);
    return sqrt(sum);
}

double yk_waves_size(const yk_waves *w, double omega)
{
    double sum = 0.0;

    for (int k = 0; k < 2 * w->net->pairs; k++)
        if (w->late[k])
            sum += w->weight[k] *
                   yk_window_square(w->window, omega, w->next[k], NULL);
    return sqrt(sum);
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
            memset(w->y, 0, (size_t)b->ports * sizeof *w->y);
            yk_sparse_multiply(&b->PQ, 1.0, x + w->net->first[p->block[side]],
                               w->y);
            y[side] = w->y[p->port[side]];
        }
        for (int i = 0; i < w->window->points; i++) {
            w->g[2 * k][i] = y[1] + w->zeta[2 * k] * y[0];
            w->g[2 * k + 1][i] = -y[0] + w->zeta[2 * k + 1] * y[1];
        }
    }
}

double yk_waves_promise(double bound, double fraction, double rate)
{
    if (bound <= fraction) return 1.0;
    if (!(rate < 1.0)) return INFINITY;
    return rate == 0.0 ? 2.0 : 1.0 + ceil(log(bound / fraction) / -log(rate));
}

bool yk_waves_ends(const yk_wave_test *test, const yk_wave_sweep *s,
                   double size)
{
    switch (test->stop) {
    case YK_WAVE_CHANGE:
        return s->plain <= size;
    case YK_WAVE_COUNT:
        return s->sweep >= test->max_sweeps;
    default:
        return s->bound <= test->fraction;
    }
}

/* ---- the iteration ------------------------------------------------------- */

double yk_waves_tolerance(const yk_waves *w, const yk_wave_test *test)
{
    double unit = 0.0;

    for (int k = 0; k < 2 * w->net->pairs; k++)
        if (w->late[k]) unit += w->weight[k];
    return test->rtol * yk_waves_size(w, 0.0) +
           test->atol * sqrt(unit * w->window->h * w->window->steps);
}

yoke_status yk_waves_iterate(yk_waves *w, const yk_wave_test *test,
                             yk_wave_result *out, yoke_err *err)
{
    const double length = w->window->h * w->window->steps;
    double before = NAN;

    *out = (yk_wave_result){ .rate = 0.0 };
    if (w->net->pairs == 0) {
        YK_TRY(yk_waves_sweep(w, false, err));
        *out = (yk_wave_result){ .sweeps = 1, .converged = true };
        return YOKE_OK;
    }
    while (out->sweeps < test->max_sweeps && !out->converged) {
        YK_TRY(yk_waves_sweep(w, false, err));
        yk_wave_sweep s = { .sweep = ++out->sweeps };
        s.change = yk_waves_change(w, w->omega);
        s.plain = yk_waves_change(w, 0.0);
        if (!isfinite(s.plain))
            return yk_fail(err, YOKE_RETRY,
                           "the waves of the ports are not finite after %d "
                           "sweeps",
                           out->sweeps);
        if (s.change > rounding * yk_waves_size(w, w->omega) && before > 0.0)
            out->rate = fmax(out->rate, s.change / before);
        before = s.change;
        const double size = yk_waves_tolerance(w, test);
        out->last = s.plain == 0.0 ? 0.0 : s.plain / size;
        out->bound = s.bound =
            s.plain == 0.0
                ? 0.0
                : exp(w->omega * length) * s.change / (1.0 - w->rate) / size;
        if (out->sweeps == 1)
            out->promised = yk_waves_promise(s.bound, test->fraction, w->rate);
        out->converged = s.last = yk_waves_ends(test, &s, size);
        yk_waves_take(w);
        if (test->watch && test->watch(test->context, &s)) break;
    }
    return YOKE_OK;
}
