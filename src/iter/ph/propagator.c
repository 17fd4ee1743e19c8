/* iter/ph/propagator.c -- windows of the port-Hamiltonian iteration, one after
 * the other, as a propagator.
 *
 * Values between the stages.  The midpoint rule knows x only at the middles of
 * the steps.  At a grid point x is the cubic through the four nearest middles
 * (at the ends of a window the quadratic through three, and what E x tells is
 * taken from it), and within a step the quadratic through both ends and the
 * middle: of third order, one more than the method.  The other two have a stage
 * at the end of each step.
 *
 * Steps end at the breakpoints of the sources: the steps between two of them
 * are equal, and not longer than the grid's.
 */
#include "iter/ph/split.h"
#include "iter/policy.h"

#include "base/lengths.h"
#include "sys/call.h"
#include "wave/wave.h"

#include <math.h>
#include <string.h>

enum { MOST_VECTORS = 60 }; /* of GMRES */

typedef struct split {
    yk_ph_net *net;
    yk_split_options options;
    yk_split_plan plan;
    yk_window *window;
    yk_waves *waves;
    yk_ports *ports;
    yk_gmres *gmres;
    yk_direct *direct;
    yk_mercier *mercier;
    yk_energy *energy;
    yk_split_sums sums, last; /* accepted; at the end of the last sweep */

    int outs, watches;
    int (*out)[2];
    int *watch;

    /* The accepted point, and the end of the last sweep. */
    double t, t_end;
    double *e, *x, *x_end; /* of all blocks; e = E x */
    double **memory;       /* the last middle or end values of each wave */
    int remembered;        /* points in the waves that may be continued */

    int instants; /* breakpoints of the last sweep */
    size_t instant_room;
    double *instant;
    double **node; /* of each block: x at the grid points of a window */
    bool *shown;   /* of each block: something of it is watched or read */
    yk_wave *watched;
    double *piece, *value;
    double *port; /* outputs of a block */
    bool leapt;   /* the window begins at a breakpoint: x may jump there */
    yoke_status (*report)(void *context, const yoke_sweep *sweep,
                          yoke_err *err);
    void *context;
    const yk_executor *executor;
    double begin; /* of the window that is being done */
    yoke_status reported;
    yoke_err *report_err;
} split;

/* ---- the plan ------------------------------------------------------------ */

static yoke_status check_options(const yk_split_options *o, yoke_err *err)
{
    if (!(o->stop > o->start))
        return yk_fail(err, YOKE_E_ARG, "T = %g; the time must be more than 0",
                       o->stop - o->start);
    if (!(o->step > 0.0) || !isfinite(o->step))
        return yk_fail(
            err, YOKE_E_ARG,
            "step = %g; the port-Hamiltonian schemes have a uniform "
            "grid and need a step > 0, at most %g; it is that of the run, "
            "run: {step: ...}, not of the subsystems",
            o->step, o->stop - o->start);
    if (!(o->lambda >= 0.0))
        return yk_fail(err, YOKE_E_ARG,
                       "lambda = %g; permitted: more than 0, or 0 for the "
                       "matrix-valued lambda",
                       o->lambda);
    if (!(o->alpha >= 0.0 && o->alpha <= 1.0))
        return yk_fail(err, YOKE_E_ARG, "alpha = %g; permitted: 0 to 1",
                       o->alpha);
    if (!(o->mu >= 0.0))
        return yk_fail(err, YOKE_E_ARG,
                       "mu = %g; permitted: more than 0, or 0: chosen", o->mu);
    if (o->omega != 0.0 && o->mu > o->omega)
        return yk_fail(err, YOKE_E_ARG,
                       "mu = %g is more than omega = %g; permitted: 0 <= mu <= "
                       "omega",
                       o->mu, o->omega);
    const double most = yk_rk_omega(o->rk, o->mu, o->step);
    if (isinf(most))
        return yk_fail(err, YOKE_E_ARG,
                       "mu = %g: with %s and step = %g the sweeps are monotone "
                       "only for mu h < %g",
                       o->mu, o->rk->name, o->step,
                       o->rk->order == 2   ? 2.0
                       : o->rk->order == 1 ? 1.0
                                           : 0.25);
    return YOKE_OK;
}

/* The longest window for which few sweeps are guaranteed, of at least some
 * steps. */
static yoke_status choose_window(yk_ports *ports, const yk_split_options *o,
                                 yk_split_plan *p, double small, yoke_err *err)
{
    const double span = o->stop - o->start;
    const double all = yk_whole_steps(span / p->h);
    double steps = fmin(all, YK_ITER_PH_MOST_STEPS);

    if (o->window > 0.0) {
        steps = fmax(1.0, yk_steps_inside(fmin(o->window, span) / p->h));
        p->steps = (int)fmin(steps, 1e8);
        return yk_ports_choose(ports, o->rk, p->h, p->steps * p->h,
                               yk_ports_growth(small), small, o->ordered, o->mu,
                               &p->promise, err);
    }
    for (;;) {
        p->steps = (int)steps;
        YK_TRY(yk_ports_choose(ports, o->rk, p->h, steps * p->h,
                               yk_ports_growth(small), small, o->ordered, o->mu,
                               &p->promise, err));
        if (p->promise.sweeps <= YK_ITER_PH_AIM ||
            steps <= YK_ITER_PH_LEAST_STEPS)
            return YOKE_OK;
        steps =
            fmax(fmin((double)YK_ITER_PH_LEAST_STEPS, all), floor(0.6 * steps));
    }
}

/* Algorithm 1: mu so that few sweeps are guaranteed, as for the waves, but by
 * the bound of the chosen lambda. */
static yoke_status choose_mercier(const yk_ph_net *net,
                                  const yk_split_options *o, yk_split_plan *p,
                                  double small, yoke_err *err)
{
    const double mu = o->mu > 0.0 ? o->mu : p->promise.mu;
    const double length = p->steps * p->h;

    p->promise.mu = mu;
    p->promise.omega =
        fmax(o->omega > 0.0 ? o->omega : 0.0, yk_rk_omega(o->rk, mu, p->h));
    YK_TRY(yk_bounds_find(net, o->alpha, mu, o->lambda, &p->bounds, err));
    p->q = o->lambda > 0.0 ? p->bounds.q : p->bounds.matrix;
    p->sweeps =
        p->q < 1.0 ? (p->promise.omega * length + log(1.0 / small)) / -log(p->q)
                   : INFINITY;
    return YOKE_OK;
}

yoke_status yk_split_foresee(const yk_ph_net *net, const yk_split_options *o,
                             yk_split_plan *p, yoke_err *err)
{
    const double span = o->stop - o->start;
    const double small = fmax(o->fraction * fmax(o->rtol, 1e-14), 1e-15);
    yk_ports *ports = NULL;

    YK_TRY(check_options(o, err));
    *p = (yk_split_plan){ .blocks = net->blocks,
                          .pairs = net->pairs,
                          .n = net->n,
                          .mercier = o->mercier };
    p->h = span / ceil(span / o->step - 1e-9);
    YK_TRY(yk_ports_create(&ports, net, err));
    const yoke_status status = choose_window(ports, o, p, small, err);
    yk_ports_free(ports);
    YK_TRY(status);
    p->window = p->steps * p->h;
    if (o->mercier) return choose_mercier(net, o, p, small, err);
    p->gmres = o->way == YK_SPLIT_GMRES ||
               (o->way == YK_SPLIT_AUTO && p->promise.q > YK_ITER_PH_GMRES);
    p->direct = o->way == YK_SPLIT_DIRECT;
    p->q = p->promise.rate;
    p->sweeps = p->direct ? 2.0 : p->promise.sweeps;
    return YOKE_OK;
}

/* ---- life ---------------------------------------------------------------- */

static void split_free(void *self)
{
    split *s = self;

    if (!s) return;
    for (int i = 0; s->node && i < s->net->blocks; i++) yk_free(s->node[i]);
    for (int k = 0; s->memory && k < 2 * s->net->pairs; k++)
        yk_free(s->memory[k]);
    YK_FREE(s->node, s->memory);
    yk_mercier_free(s->mercier);
    yk_direct_free(s->direct);
    yk_gmres_free(s->gmres);
    yk_waves_free(s->waves);
    yk_ports_free(s->ports);
    yk_energy_free(s->energy);
    yk_window_free(s->window);
    yk_ph_net_free(s->net);
    yk_wave_free(s->watched);
    YK_FREE(s->shown, s->out, s->watch, s->e, s->x, s->x_end, s->piece,
            s->value, s->port, s->instant, s);
}

static yoke_status make_method(split *s, yoke_err *err)
{
    const yk_split_options *o = &s->options;

    YK_TRY(yk_window_create(&s->window, s->net, o->rk, s->plan.steps, err));
    s->window->executor = s->executor;
    YK_TRY(yk_energy_create(&s->energy, s->net, err));
    if (o->mercier) {
        const yk_mercier_options m = { .alpha = o->alpha,
                                       .mu = s->plan.promise.mu,
                                       .omega = s->plan.promise.omega,
                                       .lambda = o->lambda };
        return yk_mercier_create(&s->mercier, s->net, s->window, &m, err);
    }
    YK_TRY(yk_waves_create(&s->waves, s->net, s->window, o->ordered, err));
    YK_TRY(yk_ports_create(&s->ports, s->net, err));
    YK_TRY(yk_waves_match(s->waves, s->ports, &s->plan.promise, err));
    if (s->plan.gmres)
        YK_TRY(yk_gmres_create(&s->gmres, s->waves, MOST_VECTORS, err));
    if (s->plan.direct) YK_TRY(yk_direct_create(&s->direct, s->waves, err));
    YK_TRY(YK_NEW(&s->memory, 2 * s->net->pairs + 1, err));
    const size_t points = (size_t)s->plan.steps * (size_t)o->rk->stages;
    for (int k = 0; k < 2 * s->net->pairs; k++)
        YK_TRY(yk_doubles(&s->memory[k], points, err));
    return YOKE_OK;
}

/* Block and output of each output of the cluster. */
static yoke_status place_outputs(split *s, const yk_cluster *c, yoke_err *err)
{
    s->outs = c->outs;
    YK_TRY(YK_NEW(&s->out, s->outs + 1, err));
    for (int k = 0; k < c->outs; k++)
        for (int i = 0; i < c->nodes; i++)
            if (c->node[i] == c->out[k][0]) {
                s->out[k][0] = i;
                s->out[k][1] = c->out[k][1];
            }
    return YOKE_OK;
}

static void mark_shown(split *s)
{
    for (int k = 0; k < s->outs; k++) s->shown[s->out[k][0]] = true;
    for (int k = 0; k < s->watches; k++) {
        int i = 0;
        while (i + 1 < s->net->blocks && s->net->first[i + 1] <= s->watch[k])
            i++;
        s->shown[i] = true;
    }
}

static yoke_status make_room(split *s, const yk_split_setup *setup,
                             yoke_err *err)
{
    const size_t n = (size_t)s->net->n + 1;
    const size_t widest =
        (size_t)(s->outs > setup->watches ? s->outs : setup->watches) + 1;

    s->watches = setup->watches;
    YK_TRY(yk_ints(&s->watch, (size_t)s->watches + 1, err));
    for (int k = 0; k < s->watches; k++) s->watch[k] = setup->watch[k];
    YK_TRY(YK_DOUBLES(n, err, &s->e, &s->x, &s->x_end));
    YK_TRY(YK_NEW(&s->node, s->net->blocks + 1, err));
    for (int i = 0; i < s->net->blocks; i++)
        YK_TRY(yk_doubles(
            &s->node[i],
            ((size_t)s->plan.steps + 1) * (size_t)s->net->block[i].n, err));
    YK_TRY(yk_wave_create(&s->watched, s->watches, err));
    YK_TRY(yk_doubles(&s->piece, 3 * widest, err));
    YK_TRY(yk_doubles(&s->value, n, err));
    YK_TRY(YK_NEW(&s->shown, s->net->blocks + 1, err));
    mark_shown(s);
    size_t ports = 1;
    for (int i = 0; i < s->net->blocks; i++)
        if ((size_t)s->net->block[i].H.pattern->rows > ports)
            ports = (size_t)s->net->block[i].H.pattern->rows;
    return yk_doubles(&s->port, ports, err);
}

/* ---- start --------------------------------------------------------------- */

static void outputs(const split *s, const double *x, double *y)
{
    int last = -1;

    for (int k = 0; k < s->outs; k++) {
        const int i = s->out[k][0];
        const yk_sparse *m = &s->net->block[i].H;
        if (i != last) {
            memset(s->port, 0, (size_t)m->pattern->rows * sizeof *s->port);
            yk_sparse_multiply(m, 1.0, x + s->net->first[i], s->port);
            last = i;
        }
        y[k] = s->port[s->out[k][1]];
    }
}

static yoke_status split_start(void *self, double t0, const double *x0,
                               const double *u0, double *y0, yoke_err *err)
{
    split *s = self;
    const yk_ph_net *net = s->net;

    if (!x0)
        return yk_fail(err, YOKE_E_ARG,
                       "port-Hamiltonian iteration: initial values are needed");
    YK_TRY(yk_ph_net_check(net, t0, s->options.stop - s->options.start, x0, u0,
                           err));
    memcpy(s->x, x0, (size_t)net->n * sizeof *s->x);
    memset(s->e, 0, (size_t)net->n * sizeof *s->e);
    for (int i = 0; i < net->blocks; i++)
        yk_sparse_multiply(&net->block[i].E, 1.0, x0 + net->first[i],
                           s->e + net->first[i]);
    s->t = s->t_end = t0;
    s->remembered = 0;
    s->sums = s->last = (yk_split_sums){ 0 };
    outputs(s, x0, y0);
    return YOKE_OK;
}

/* ---- from stages to waveforms -------------------------------------------- */

/* x at grid point k of a window of the midpoint rule, component j; first = NAN:
 * not known at the start. */
static double at_grid(const double *X, int n, int steps, int k, double first,
                      int j)
{
#define MIDDLE(i) X[(size_t)(i) * (size_t)n + (size_t)j]
    if (k == 0 && !isnan(first)) return first;
    if (k == 0 && steps == 1) return MIDDLE(0);
    if (k == 0 && steps == 2) return 1.5 * MIDDLE(0) - 0.5 * MIDDLE(1);
    if (k == 0)
        return (15.0 * MIDDLE(0) - 10.0 * MIDDLE(1) + 3.0 * MIDDLE(2)) / 8.0;
    if (k == steps) {
        if (steps == 1)
            return isnan(first) ? MIDDLE(0) : 2.0 * MIDDLE(0) - first;
        if (steps == 2) return 1.5 * MIDDLE(1) - 0.5 * MIDDLE(0);
        return (15.0 * MIDDLE(k - 1) - 10.0 * MIDDLE(k - 2) +
                3.0 * MIDDLE(k - 3)) /
               8.0;
    }
    if (k > 1 && k < steps - 1)
        return (9.0 * (MIDDLE(k - 1) + MIDDLE(k)) - MIDDLE(k - 2) -
                MIDDLE(k + 1)) /
               16.0;
    if (steps == 2) return 0.5 * (MIDDLE(0) + MIDDLE(1));
    if (k == 1) return (3.0 * MIDDLE(0) + 6.0 * MIDDLE(1) - MIDDLE(2)) / 8.0;
    return (3.0 * MIDDLE(k) + 6.0 * MIDDLE(k - 1) - MIDDLE(k - 2)) / 8.0;
#undef MIDDLE
}

/* x at the start of a window, component j of a block: continued from the stages
 * of the first step, where it may have jumped. */
static double at_start(const yk_rk *rk, const double *X, int n, int j)
{
    if (rk->stages == 1) return X[j];
    const double c0 = rk->c[0], c1 = rk->c[1];
    return (c1 * X[j] - c0 * X[n + j]) / (c1 - c0);
}

typedef struct nodes {
    split *s;
    const double *x0;
} nodes;

static yoke_status grid_of_block(void *context, int i, yoke_err *err)
{
    const nodes *all = context;
    split *s = all->s;
    const double *x0 = all->x0;
    const yk_window *w = s->window;
    const int stages = w->rk->stages, n = s->net->block[i].n;

    for (int k = 0; k <= w->steps; k++)
        for (int j = 0; j < n; j++) {
            const double first = s->leapt ? NAN : x0[s->net->first[i] + j];
            s->node[i][k * n + j] =
                w->rk->order == 2 ? at_grid(w->X[i], n, w->steps, k, first, j)
                : k == 0 && s->leapt ? at_start(w->rk, w->X[i], n, j)
                : k == 0
                    ? first
                    : w->X[i][(size_t)(k * stages - 1) * (size_t)n + (size_t)j];
        }
    if (s->leapt)
        YK_TRY(yk_energy_state(s->energy, i, w->e0 + s->net->first[i],
                               s->node[i], err));
    return yk_energy_state(s->energy, i, w->e1 + s->net->first[i],
                           s->node[i] + w->steps * n, err);
}

/* The blocks at once; x0 may be x_end, which is written afterwards. */
static yoke_status grid_values(split *s, const double *x0, yoke_err *err)
{
    nodes all = { s, x0 };
    const yk_window *w = s->window;
    const yk_batch batch = { .count = s->net->blocks,
                             .job = grid_of_block,
                             .context = &all,
                             .price = w->price };

    for (int i = 0; i < s->net->blocks; i++)
        w->price[i] = YK_ITER_PH_ENERGY * w->steps * s->net->block[i].n;
    YK_TRY(w->executor ? w->executor->ops->run(w->executor->self, &batch, err)
                       : yk_batch_in_order(&batch, err));
    for (int i = 0; i < s->net->blocks; i++) {
        const int n = s->net->block[i].n;
        memcpy(s->x_end + s->net->first[i], s->node[i] + w->steps * n,
               (size_t)n * sizeof *s->x_end);
    }
    return YOKE_OK;
}

/* x of the blocks that are shown at the start (which 0), inner stage (1) or end (2) of a step.
 */
static void at_step(const split *s, int step, int which, double *x)
{
    const yk_window *w = s->window;

    for (int i = 0; i < s->net->blocks; i++) {
        const int n = s->net->block[i].n;
        if (!s->shown[i]) continue;
        const double *from =
            which == 1 ? w->X[i] + (size_t)(step * w->rk->stages) * (size_t)n
                       : s->node[i] + (step + which / 2) * n;
        memcpy(x + s->net->first[i], from, (size_t)n * sizeof *x);
    }
}

/* Rows left, inner (at theta), right become coefficients. */
static void quadratic(double *row, int dim, double theta)
{
    for (int c = 0; c < dim; c++) {
        const double l = row[c], m = row[dim + c], r = row[2 * dim + c];
        const double a = (m - l) / theta, d = r - l;
        const double second = (d - a) / (1.0 - theta);
        row[dim + c] = a - theta * second;
        row[2 * dim + c] = second;
    }
}

static yoke_status append(split *s, yk_wave *y, yoke_err *err)
{
    const yk_window *w = s->window;
    const bool line = w->rk->order == 1;

    for (int step = 0; step < w->steps; step++) {
        const double t1 =
            step + 1 == w->steps ? s->t_end : w->t0 + (step + 1) * w->h;
        for (int pass = 0; pass < 2; pass++) {
            const int dim = pass == 0 ? s->outs : s->watches;
            for (int which = 0; which < 3; which++) {
                double *row = s->piece + which * dim;
                at_step(s, step, line && which == 1 ? 0 : which, s->value);
                if (pass == 0)
                    outputs(s, s->value, row);
                else
                    for (int k = 0; k < dim; k++)
                        row[k] = s->value[s->watch[k]];
            }
            if (line)
                for (int c = 0; c < dim; c++)
                    s->piece[dim + c] = s->piece[2 * dim + c] - s->piece[c];
            else
                quadratic(s->piece, dim, w->rk->c[0]);
            YK_TRY(yk_wave_append(pass == 0 ? y : s->watched, t1, line ? 1 : 2,
                                  s->piece, err));
        }
    }
    return YOKE_OK;
}

/* ---- a window ------------------------------------------------------------ */

static bool on_sweep(void *context, const yk_wave_sweep *sweep)
{
    split *s = context;
    yoke_sweep row = *sweep;

    if (!s->report) return false;
    row.window = s->last.done.windows + 1;
    row.t0 = s->begin;
    row.t1 = s->t_end;
    row.solved = s->net->blocks;
    s->reported = s->report(s->context, &row, s->report_err);
    return s->reported != YOKE_OK;
}

static yoke_status solve(split *s, const double *x0, yk_wave_result *r,
                         yoke_err *err)
{
    const yk_split_options *o = &s->options;
    const yk_wave_test test = { .rtol = o->rtol,
                                .atol = o->atol,
                                .fraction = o->fraction,
                                .max_sweeps = o->max_sweeps,
                                .stop = o->test,
                                .watch = on_sweep,
                                .context = s };

    if (s->mercier) {
        YK_TRY(yk_mercier_ready(s->mercier, err));
        yk_mercier_guess(s->mercier, x0);
        return yk_mercier_iterate(s->mercier, &test, r, err);
    }
    YK_TRY(yk_waves_ready(s->waves, err));
    if (s->remembered > 0)
        yk_waves_guess(s->waves, s->remembered, 2);
    else
        yk_waves_begin(s->waves, x0);
    if (s->direct) return yk_direct_iterate(s->direct, s->waves, &test, r, err);
    if (s->gmres) return yk_gmres_iterate(s->gmres, s->waves, &test, r, err);
    return yk_waves_iterate(s->waves, &test, r, err);
}

/* The window is done. */
static void add_up(yk_split_sums *l, const yk_wave_result *r,
                   const yk_balance *b)
{
    if (l->done.windows++ == 0) l->energy.start = b->start;
    if (r->sweeps > l->worst) l->worst = r->sweeps;
    l->done.estimate = fmax(l->done.estimate, r->bound);
    l->done.residual = fmax(l->done.residual, r->last);
    l->done.rate = fmax(l->done.rate, r->rate);
    l->promised = fmax(l->promised, r->promised);
    l->energy.end = b->end;
    l->energy.dissipated += b->dissipated;
    l->energy.supplied += b->supplied;
    l->energy.defect += b->defect;
}

static yoke_status one_window(split *s, double t0, double t1, int steps,
                              const double *x0, const yk_wave *u, yoke_err *err)
{
    yk_wave_result r;
    yk_balance balance;

    yk_window_place(s->window, t0, t1, steps, u);
    s->begin = t0;
    s->reported = YOKE_OK;
    s->report_err = err;
    YK_TRY(solve(s, x0, &r, err));
    s->last.done.sweeps += r.sweeps;
    s->last.done.solves += r.sweeps * (long)s->net->blocks;
    YK_TRY(s->reported);
    if (!r.converged)
        return yk_fail(err, YOKE_NOT_CONVERGED,
                       "[%.9g, %.9g]: the bound of the error is %.3g times "
                       "the tolerance after %d sweeps (guaranteed: %.3g); "
                       "max_sweeps is %d%s",
                       t0, t1, r.bound / s->options.fraction, r.sweeps,
                       s->plan.sweeps, s->options.max_sweeps,
                       r.sweeps < s->options.max_sweeps
                           ? "; rounding lets it go no further: a shorter "
                             "window or a larger tolerance is needed"
                           : "");
    YK_TRY(yk_energy_window(s->energy, s->window, &balance, err));
    add_up(&s->last, &r, &balance);
    s->remembered = s->waves ? s->window->points : 0;
    return YOKE_OK;
}

static void recall(split *s)
{
    for (int k = 0; s->waves && k < 2 * s->net->pairs; k++)
        memcpy(s->waves->g[k], s->memory[k],
               (size_t)s->plan.steps * (size_t)s->options.rk->stages *
                   sizeof *s->memory[k]);
}

static double next_break(const split *s, double t)
{
    double next = INFINITY;

    for (int i = 0; i < s->net->blocks; i++)
        next = fmin(next, yk_system_next_break(s->net->block[i].system, t));
    return next;
}

/* From t0 to t1, between which no source jumps; x: where it begins, unless the
 * segment is the first one. */
static yoke_status one_segment(split *s, double t0, double t1, bool first,
                               const yk_wave *u, yk_wave *y, yoke_err *err)
{
    const double h = s->plan.h, begin = t0;
    const double count = fmax(1.0, yk_whole_steps((t1 - t0) / h));

    if (count > 1e8)
        return yk_fail(err, YOKE_E_ARG, "%g steps are too many", count);
    for (int left = (int)count; left > 0;) {
        const int steps = left > s->plan.steps ? s->plan.steps : left;
        const double *x0 = first && t0 == begin ? s->x : s->x_end;
        left -= steps;
        s->t_end =
            left == 0 ? t1 : begin + (t1 - begin) * ((count - left) / count);
        YK_TRY(one_window(s, t0, s->t_end, steps, x0, u, err));
        YK_TRY(grid_values(s, x0, err));
        YK_TRY(append(s, y, err));
        memcpy(s->window->e0, s->window->e1, (size_t)s->net->n * sizeof *s->e);
        s->leapt = false;
        t0 = s->t_end;
    }
    return YOKE_OK;
}

/* What was guessed from before it is worth nothing. */
static yoke_status note_instant(split *s, double t, yoke_err *err)
{
    YK_TRY(YK_GROW(&s->instant, &s->instant_room, s->instants + 1, err));
    s->instant[s->instants++] = t;
    s->remembered = 0;
    return YOKE_OK;
}

static yoke_status segments(split *s, double t1, const yk_wave *u, yk_wave *y,
                            yoke_err *err)
{
    const double tiny = yk_rounding_beside(t1, t1 - s->t);
    double t0 = s->t;

    s->instants = 0;
    for (bool first = true; t0 < t1; first = false) {
        const double stop = next_break(s, t0 + tiny);
        const double end = stop < t1 - tiny ? stop : t1;
        s->window->end_break = stop <= t1 + tiny;
        s->leapt = next_break(s, t0 - tiny) <= t0 + tiny;
        if (s->leapt) YK_TRY(note_instant(s, t0, err));
        YK_TRY(one_segment(s, t0, end, first, u, y, err));
        t0 = end;
    }
    return YOKE_OK;
}

static yoke_status split_sweep(void *self, double t1, const yk_wave *u,
                               yk_wave *y, yoke_err *err)
{
    split *s = self;
    const int kept = s->remembered;

    recall(s);
    s->last = s->sums;
    memcpy(s->window->e0, s->e, (size_t)s->net->n * sizeof *s->e);
    memcpy(s->value, s->x, (size_t)s->net->n * sizeof *s->x);
    yk_wave_clear(y, s->t);
    yk_wave_clear(s->watched, s->t);
    const yoke_status status = segments(s, t1, u, y, err);
    if (status != YOKE_OK) s->remembered = kept;
    return status;
}

static int split_instants(void *self, const double **t)
{
    const split *s = self;

    *t = s->instant;
    return s->instants;
}

static double split_next_break(void *self, double t)
{
    return next_break(self, t);
}

static yoke_status split_accept(void *self, yoke_err *err)
{
    split *s = self;

    (void)err;
    s->t = s->t_end;
    s->sums = s->last;
    s->sums.done.work = s->window->spent;
    s->sums.done.path = s->window->path;
    memcpy(s->e, s->window->e0, (size_t)s->net->n * sizeof *s->e);
    memcpy(s->x, s->x_end, (size_t)s->net->n * sizeof *s->x);
    for (int k = 0; s->waves && k < 2 * s->net->pairs; k++)
        memcpy(s->memory[k], s->waves->g[k],
               (size_t)s->plan.steps * (size_t)s->options.rk->stages *
                   sizeof *s->memory[k]);
    return YOKE_OK;
}

/* ---- the rest of a propagator -------------------------------------------- */

static const yk_wave *split_watched(void *self)
{
    return ((split *)self)->watched;
}

static double split_step(void *self)
{
    return ((split *)self)->plan.h;
}

static void split_work(void *self, yoke_work *work)
{
    *work = ((split *)self)->window->work;
}

static void split_give(void *self, double *x)
{
    const split *s = self;

    memcpy(x, s->x, (size_t)s->net->n * sizeof *x);
}

static const yk_handover_ops handover = {
    .give = split_give,
    .take = split_start,
};

static const yk_propagator_ops split_ops = {
    .kind = "port-Hamiltonian iteration",
    .start = split_start,
    .sweep = split_sweep,
    .accept = split_accept,
    .watched = split_watched,
    .step = split_step,
    .instants = split_instants,
    .next_break = split_next_break,
    .handover = &handover,
    .work = split_work,
    .free = split_free,
};

bool yk_split_is(const yk_propagator *p)
{
    return p->ops == &split_ops;
}

const yk_propagator *yk_split_alone(const yk_units *units)
{
    const yk_unit_plan *p = units->plan;

    return p && units->count == 1 && p->schedule && p->propagator &&
                   p->schedule->clusters == 1 && p->propagator[0].ops &&
                   yk_split_is(&p->propagator[0])
               ? &p->propagator[0]
               : NULL;
}

const yk_split_plan *yk_split_planned(const yk_propagator *p)
{
    return &((const split *)p->self)->plan;
}

const yk_split_sums *yk_split_done(const yk_propagator *p)
{
    return &((const split *)p->self)->last;
}

yoke_status yk_split_create(yk_propagator *out, const yk_split_setup *setup,
                            yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_cluster *c = setup->cluster;
    split *s = NULL;

    YK_GO(YK_NEW(&s, 1, err));
    s->options = setup->options;
    s->report = setup->report;
    s->context = setup->context;
    s->executor = setup->executor;
    YK_GO(yk_ph_net_of(&s->net, setup->graph, c->nodes, c->node, c->ins,
                       (const int(*)[2])c->in, err));
    YK_GO(yk_split_foresee(s->net, &s->options, &s->plan, err));
    YK_GO(make_method(s, err));
    YK_GO(place_outputs(s, c, err));
    YK_GO(make_room(s, setup, err));
    *out = (yk_propagator){ &split_ops,     s,    c->ins, c->outs,
                            setup->watches, false };
    return YOKE_OK;
done:
    split_free(s);
    return status;
}
