/* iter/ph/gmres.c -- GMRES on the late waves of a window.
 *
 * One sweep is an affine map F of the late waves.  Solves g - F(g) = 0 in the
 * inner product of the norm that contracts, but with omega = 0: with exp(-2
 * omega t) the end of the window would drop below rounding.  Each vector costs
 * one sweep with nothing that drives; at the end one true sweep gives the
 * stages and the residual, by which it is judged as any other sweep is.
 * Not restarted: a restart would lose what was learned (port-hamiltonian.md).
 */
#include "iter/ph/waves.h"
#include "la/krylov.h"

#include <math.h>

struct yk_gmres {
    yk_waves *waves; /* of the window that is being done */
    double last;     /* residual of the sweep before */
    yk_krylov *krylov;
    double *start, *rest,
        *change; /* the waves it begins with; what they miss */
};

void yk_gmres_free(yk_gmres *k)
{
    if (!k) return;
    yk_krylov_free(k->krylov);
    YK_FREE(k->start, k->rest, k->change, k);
}

yoke_status yk_gmres_create(yk_gmres **out, const yk_waves *w, int most,
                            yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_gmres *k = NULL;
    const size_t length = (size_t)w->lates * (size_t)w->window->most *
                          (size_t)w->window->rk->stages;

    YK_GO(YK_NEW(&k, 1, err));
    YK_GO(yk_krylov_create(&k->krylov, most, err));
    YK_GO(YK_DOUBLES(length + 1, err, &k->start, &k->rest, &k->change));
    *out = k;
    return YOKE_OK;
done:
    yk_gmres_free(k);
    return status;
}

static double scale(const yk_waves *w, int wave, int point)
{
    return sqrt(w->weight[wave] * w->window->h *
                w->window->rk->b[point % w->window->rk->stages]);
}

/* The late waves as a vector whose Euclidean norm is theirs. */
static size_t gather(const yk_waves *w, double *const *from, double *to)
{
    size_t at = 0;

    for (int k = 0; k < 2 * w->net->pairs; k++)
        for (int p = 0; w->late[k] && p < w->window->points; p++)
            to[at++] = scale(w, k, p) * from[k][p];
    return at;
}

static void scatter(yk_waves *w, const double *from)
{
    size_t at = 0;

    for (int k = 0; k < 2 * w->net->pairs; k++)
        for (int p = 0; w->late[k] && p < w->window->points; p++)
            w->g[k][p] = from[at++] / scale(w, k, p);
}

/* v less what a sweep with nothing that drives makes of it. */
static yoke_status map(void *self, const double *v, double *out, yoke_err *err)
{
    yk_waves *w = ((yk_gmres *)self)->waves;

    scatter(w, v);
    YK_TRY(yk_waves_sweep(w, true, err));
    const size_t n = gather(w, w->next, out);
    for (size_t i = 0; i < n; i++) out[i] = v[i] - out[i];
    return YOKE_OK;
}

/* Vectors until the residual is small, and the waves that they give. */
static yoke_status next(void *self, yk_scheme_turn *turn, yoke_err *err)
{
    yk_gmres *k = self;
    yk_waves *w = k->waves;
    const size_t n = gather(w, w->g, k->start);
    double size = 0.0;
    int count = 0;

    gather(w, w->next, k->rest);
    for (size_t i = 0; i < n; i++) {
        k->rest[i] -= k->start[i];
        size += k->rest[i] * k->rest[i];
    }
    size = sqrt(size);
    /* where it falls no more rounding lets it go no further */
    turn->go_on = turn->go_on && size < 0.5 * k->last && size != 0.0;
    k->last = size;
    if (!turn->go_on) {
        yk_waves_take(w);
        return YOKE_OK;
    }
    const yk_krylov_problem problem = { .n = n,
                                        .b = k->rest,
                                        .map = map,
                                        .self = k,
                                        .limit = turn->limit,
                                        .most = turn->most - turn->sweeps - 1 };
    YK_TRY(yk_krylov_solve(k->krylov, &problem, k->change, &count, &size, err));
    turn->sweeps += count;
    for (size_t i = 0; i < n; i++) k->start[i] += k->change[i];
    scatter(w, k->start);
    return YOKE_OK;
}

static yoke_status one_sweep(void *self, int *sweeps, yoke_err *err)
{
    ++*sweeps;
    return yk_waves_sweep(((yk_gmres *)self)->waves, false, err);
}

yoke_status yk_gmres_iterate(yk_gmres *k, yk_waves *w, const yk_wave_test *test,
                             yk_wave_result *out, yoke_err *err)
{
    yk_scheme scheme = yk_waves_scheme(w);

    k->waves = w;
    k->last = INFINITY;
    scheme.plain = false;
    scheme.solver = k;
    scheme.sweep = one_sweep;
    scheme.next = next;
    return yk_scheme_iterate(&scheme, test, out, err);
}
