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

#include <math.h>
#include <string.h>

struct yk_gmres {
    yk_waves *waves; /* of the window that is being done */
    double last;     /* residual of the sweep before */
    int most;
    size_t length; /* of a vector, at most */
    double **v;    /* most + 1 */
    double *start; /* the waves it begins with */
    double *h;     /* Hessenberg, (most + 1) by most, column by column */
    double *c, *s, *rest, *y;
};

void yk_gmres_free(yk_gmres *k)
{
    if (!k) return;
    for (int i = 0; k->v && i <= k->most; i++) yk_free(k->v[i]);
    YK_FREE(k->v, k->start, k->h, k->c, k->s, k->rest, k->y, k);
}

yoke_status yk_gmres_create(yk_gmres **out, const yk_waves *w, int most,
                            yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_gmres *k = NULL;
    const size_t m = (size_t)most;

    YK_GO(YK_NEW(&k, 1, err));
    k->most = most;
    k->length = (size_t)w->lates * (size_t)w->window->most *
                (size_t)w->window->rk->stages;
    YK_GO(YK_NEW(&k->v, m + 1, err));
    for (size_t i = 0; i <= m; i++)
        YK_GO(yk_doubles(&k->v[i], k->length + 1, err));
    YK_GO(yk_doubles(&k->start, k->length + 1, err));
    YK_GO(yk_doubles(&k->h, (m + 1) * m + 1, err));
    YK_GO(YK_DOUBLES(m + 1, err, &k->c, &k->s));
    YK_GO(yk_doubles(&k->rest, m + 2, err));
    YK_GO(yk_doubles(&k->y, m + 1, err));
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

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Rotations keep the Hessenberg matrix triangular; what is left of the right
 * side is the residual. */
static void rotate(yk_gmres *k, int j)
{
    double *h = k->h + j * (k->most + 1);

    for (int i = 0; i < j; i++) {
        const double a = h[i], b = h[i + 1];
        h[i] = k->c[i] * a + k->s[i] * b;
        h[i + 1] = -k->s[i] * a + k->c[i] * b;
    }
    const double r = hypot(h[j], h[j + 1]);
    k->c[j] = r > 0.0 ? h[j] / r : 1.0;
    k->s[j] = r > 0.0 ? h[j + 1] / r : 0.0;
    h[j] = r;
    h[j + 1] = 0.0;
    k->rest[j + 1] = -k->s[j] * k->rest[j];
    k->rest[j] *= k->c[j];
}

/* v_j+1 from one sweep. */
static yoke_status extend(yk_gmres *k, yk_waves *w, int j, size_t n,
                          yoke_err *err)
{
    double *h = k->h + j * (k->most + 1), *new = k->v[j + 1];

    scatter(w, k->v[j]);
    YK_TRY(yk_waves_sweep(w, true, err));
    gather(w, w->next, new);
    for (size_t i = 0; i < n; i++) new[i] = k->v[j][i] - new[i];
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i <= j; i++) {
            const double a = dot(n, new, k->v[i]);
            h[i] = pass == 0 ? a : h[i] + a;
            for (size_t l = 0; l < n; l++) new[l] -= a * k->v[i][l];
        }
    h[j + 1] = sqrt(dot(n, new, new));
    for (size_t i = 0; i < n && h[j + 1] > 0.0; i++) new[i] /= h[j + 1];
    rotate(k, j);
    return YOKE_OK;
}

/* start + V y, y from the triangular system. */
static void combine(yk_gmres *k, yk_waves *w, int count, size_t n)
{
    for (int i = count - 1; i >= 0; i--) {
        double sum = k->rest[i];
        for (int j = i + 1; j < count; j++)
            sum -= k->h[j * (k->most + 1) + i] * k->y[j];
        const double pivot = k->h[i * (k->most + 1) + i];
        k->y[i] = pivot != 0.0 ? sum / pivot : 0.0;
    }
    for (int j = 0; j < count; j++)
        for (size_t i = 0; i < n; i++) k->start[i] += k->y[j] * k->v[j][i];
    scatter(w, k->start);
}

/* Vectors until the residual is small, and the waves that they give. */
static yoke_status next(void *self, yk_scheme_turn *turn, yoke_err *err)
{
    yk_gmres *k = self;
    yk_waves *w = k->waves;
    const size_t n = gather(w, w->g, k->start);
    int count = 0;

    gather(w, w->next, k->v[0]);
    for (size_t i = 0; i < n; i++) k->v[0][i] -= k->start[i];
    const double size = sqrt(dot(n, k->v[0], k->v[0]));
    /* where it falls no more rounding lets it go no further */
    turn->go_on = turn->go_on && size < 0.5 * k->last && size != 0.0;
    k->last = size;
    if (!turn->go_on) {
        yk_waves_take(w);
        return YOKE_OK;
    }
    for (size_t i = 0; i < n; i++) k->v[0][i] /= size;
    memset(k->rest, 0, (size_t)(k->most + 2) * sizeof *k->rest);
    k->rest[0] = size;
    while (count < k->most && turn->sweeps + 1 < turn->most &&
           fabs(k->rest[count]) > turn->limit) {
        YK_TRY(extend(k, w, count++, n, err));
        turn->sweeps++;
    }
    combine(k, w, count, n);
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
