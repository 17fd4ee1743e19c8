/* iter/ph/window.c -- the grid of a window and what drives the blocks on it. */
#include "iter/ph/window.h"

#include "base/lengths.h"
#include "graph/cost.h"

#include <float.h>
#include <math.h>
#include <string.h>

void yk_window_free(yk_window *w)
{
    if (!w) return;
    for (int i = 0; i < w->net->blocks; i++) {
        if (w->X) yk_free(w->X[i]);
        if (w->drive) yk_free(w->drive[i]);
    }
    YK_FREE(w->X, w->drive, w->e0, w->e1, w->t, w->decay, w->r, w->price, w);
}

static int drives(const yk_ph_block *b)
{
    return b->facts->sources + b->outers;
}

yoke_status yk_window_create(yk_window **out, const yk_ph_net *net,
                             const yk_rk *rk, int most, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_window *w = NULL;
    int widest = net->outers;
    const size_t points = (size_t)most * (size_t)rk->stages;

    YK_GO(YK_NEW(&w, 1, err));
    w->net = net;
    w->rk = rk;
    w->most = most;
    YK_GO(YK_DOUBLES((size_t)net->n + 1, err, &w->e0, &w->e1));
    YK_GO(YK_NEW(&w->X, net->blocks + 1, err));
    YK_GO(YK_NEW(&w->drive, net->blocks + 1, err));
    YK_GO(YK_DOUBLES(points, err, &w->t, &w->decay));
    YK_GO(yk_doubles(&w->price, (size_t)net->blocks + 1, err));
    for (int i = 0; i < net->blocks; i++) {
        const yk_ph_block *b = &net->block[i];
        YK_GO(yk_doubles(&w->X[i], points * (size_t)b->n + 1, err));
        YK_GO(yk_doubles(&w->drive[i], points * (size_t)drives(b) + 1, err));
        if (drives(b) > widest) widest = drives(b);
    }
    YK_GO(yk_doubles(&w->r, (size_t)widest + 1, err));
    *out = w;
    return YOKE_OK;
done:
    yk_window_free(w);
    return status;
}

void yk_window_place(yk_window *w, double t0, double t1, int steps,
                     const yk_wave *outer)
{
    const int s = w->rk->stages;
    int cursor = 0;

    w->t0 = t0;
    w->omega = NAN;
    w->steps = steps;
    w->points = steps * s;
    const double h = (t1 - t0) / steps;
    if (!yk_same_length(h, w->h)) w->h = h; /* rounding is no new step */
    for (int k = 0; k < w->points; k++)
        w->t[k] = t0 + w->h * (k / s + w->rk->c[k % s]);
    if (w->end_break && w->rk->c[s - 1] == 1.0)
        w->t[w->points - 1] = t1 - 8.0 * DBL_EPSILON * fmax(fabs(t1), t1 - t0);
    for (int i = 0; i < w->net->blocks; i++) {
        const yk_ph_block *b = &w->net->block[i];
        for (int k = 0; b->facts->sources > 0 && k < w->points; k++)
            b->facts->source(b->facts->self, w->t[k],
                             w->drive[i] + k * drives(b));
    }
    for (int k = 0; outer && k < w->points; k++) {
        yk_wave_eval(outer, w->t[k], &cursor, w->r);
        for (int i = 0; i < w->net->blocks; i++) {
            const yk_ph_block *b = &w->net->block[i];
            for (int o = 0; o < b->outers; o++)
                w->drive[i][k * drives(b) + b->facts->sources + o] =
                    w->r[b->outer[o]];
        }
    }
}

void yk_window_drive(const yk_window *w, int i, int point, double *f)
{
    const yk_ph_block *b = &w->net->block[i];
    const double *r = w->drive[i] + point * drives(b);

    if (b->facts->sources > 0) yk_sparse_multiply(&b->G, 1.0, r, f);
    if (b->outers > 0) yk_sparse_multiply(&b->F, 1.0, r + b->facts->sources, f);
}

yoke_status yk_window_solve(yk_window *w, int i, yk_lti *lti, bool homogeneous,
                            yk_window_feed feed, void *context, yoke_err *err)
{
    const size_t n = (size_t)w->net->block[i].n;
    const int s = w->rk->stages;
    double *e = w->e1 + w->net->first[i];

    if (homogeneous)
        memset(e, 0, n * sizeof *e);
    else
        memcpy(e, w->e0 + w->net->first[i], n * sizeof *e);
    for (int step = 0; step < w->steps; step++) {
        double *X = w->X[i] + (size_t)(step * s) * n;
        memset(X, 0, (size_t)s * n * sizeof *X);
        for (int k = 0; k < s; k++) {
            const int point = step * s + k;
            if (!homogeneous) yk_window_drive(w, i, point, X + (size_t)k * n);
            feed(context, i, point, X + (size_t)k * n);
        }
        YK_TRY(yk_lti_step(lti, e, X, err));
    }
    return YOKE_OK;
}

typedef struct blocks {
    const int *block;
    yk_job solve;
    void *context;
} blocks;

static yoke_status solve_one(void *context, int index, yoke_err *err)
{
    const blocks *b = context;

    return b->solve(b->context, b->block ? b->block[index] : index, err);
}

/* A step with its waves costs what a residual of a part does. */
yoke_status yk_window_solve_all(yk_window *w, int count, const int *block,
                                yk_job solve, void *context, yoke_err *err)
{
    blocks all = { block, solve, context };
    const yk_batch batch = {
        .count = count, .job = solve_one, .context = &all, .price = w->price
    };
    double longest = 0.0;

    for (int k = 0; k < count; k++) {
        const int n = w->net->block[block ? block[k] : k].n;
        w->price[k] = w->steps * yk_cost_inside(n);
        w->spent += w->price[k];
        longest = fmax(longest, w->price[k]);
    }
    w->path += longest;
    w->work.solves += (long)count * w->steps;
    w->work.residuals += (long)count * w->steps;
    w->work.steps += (long)count * w->steps;
    return w->executor ? w->executor->ops->run(w->executor->self, &batch, err)
                       : yk_batch_in_order(&batch, err);
}

yoke_status yk_window_factor(yk_window *w, int i, yk_lti *lti, yoke_err *err)
{
    const yk_ph_block *b = &w->net->block[i];
    const long before = lti->factorizations;
    yoke_err why = { YOKE_OK, "" };
    int column = -1;
    const yoke_status status = yk_lti_step_size(lti, w->h, &column, &why);

    w->work.factorizations += lti->factorizations - before;
    if (status == YOKE_RETRY)
        return yk_fail(err, YOKE_E_MODEL,
                       "\"%s\" alone has not one solution: nothing determines "
                       "%s; couple it through that unknown too, or solve it "
                       "together with its neighbour",
                       b->name,
                       column >= 0 ? b->x_name[column % b->n] : "its unknowns");
    if (status != YOKE_OK && err) *err = why;
    return status;
}

double yk_window_square(yk_window *w, double omega, const double *a,
                        const double *b)
{
    const int s = w->rk->stages;
    double sum = 0.0;

    for (int k = 0; omega != w->omega && k < w->points; k++)
        w->decay[k] = exp(-2.0 * omega * (w->t[k] - w->t0));
    w->omega = omega;
    for (int k = 0; k < w->points; k++) {
        const double d = b ? a[k] - b[k] : a[k];
        sum += w->h * w->rk->b[k % s] * d * d * w->decay[k];
    }
    return sum;
}
