/* la/krylov.c -- GMRES without restart. */
#include "la/krylov.h"

#include <math.h>
#include <string.h>

struct yk_krylov {
    int most;
    double **v;    /* most + 1 vectors */
    size_t *room;  /* of each */
    double *h;     /* Hessenberg matrix, (most + 1) by most, by columns */
    double *c, *s; /* its rotations */
    double *rest;  /* the right side, rotated */
};

void yk_krylov_free(yk_krylov *k)
{
    if (!k) return;
    for (int i = 0; k->v && i <= k->most; i++) yk_free(k->v[i]);
    YK_FREE(k->v, k->room, k->h, k->c, k->s, k->rest, k);
}

yoke_status yk_krylov_create(yk_krylov **out, int most, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t m = (size_t)most;
    yk_krylov *k = NULL;

    YK_TRY(YK_NEW(&k, 1, err));
    k->most = most;
    YK_GO(YK_NEW(&k->v, m + 1, err));
    YK_GO(YK_NEW(&k->room, m + 1, err));
    YK_GO(yk_doubles(&k->h, (m + 1) * m + 1, err));
    YK_GO(YK_DOUBLES(m + 2, err, &k->c, &k->s, &k->rest));
    *out = k;
    k = NULL;
done:
    yk_krylov_free(k);
    return status;
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Rotations keep the Hessenberg matrix triangular; what is left of the right
 * side is the residual. */
static void rotate(yk_krylov *k, int j)
{
    double *const h = k->h + j * (k->most + 1);

    for (int i = 0; i < j; i++) {
        const double a = h[i], b = h[i + 1];
        h[i] = k->c[i] * a + k->s[i] * b;
        h[i + 1] = k->c[i] * b - k->s[i] * a;
    }
    const double r = hypot(h[j], h[j + 1]);
    k->c[j] = r > 0.0 ? h[j] / r : 1.0;
    k->s[j] = r > 0.0 ? h[j + 1] / r : 0.0;
    h[j] = r;
    h[j + 1] = 0.0;
    k->rest[j + 1] = -k->s[j] * k->rest[j];
    k->rest[j] *= k->c[j];
}

static yoke_status make_room(yk_krylov *k, int j, size_t n, yoke_err *err)
{
    /* Twice as much: the next problems are about as large, not smaller. */
    return k->room[j] > n ? YOKE_OK
                          : yk_grow((void **)&k->v[j], &k->room[j], 2 * n + 1,
                                    sizeof(double), err);
}

/* Vector j + 1. */
static yoke_status extend(yk_krylov *k, const yk_krylov_problem *p, int j,
                          yoke_err *err)
{
    double *const h = k->h + j * (k->most + 1);

    YK_TRY(make_room(k, j + 1, p->n, err));
    double *const new = k->v[j + 1];
    if (j == 0 && p->first)
        for (size_t i = 0; i < p->n; i++) new[i] = p->first[i] / k->rest[0];
    else
        YK_TRY(p->map(p->self, k->v[j], new, err));
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i <= j; i++) {
            const double a = dot(p->n, new, k->v[i]);
            h[i] = pass == 0 ? a : h[i] + a;
            for (size_t l = 0; l < p->n; l++) new[l] -= a * k->v[i][l];
        }
    h[j + 1] = sqrt(dot(p->n, new, new));
    for (size_t i = 0; i < p->n && h[j + 1] > 0.0; i++) new[i] /= h[j + 1];
    rotate(k, j);
    return YOKE_OK;
}

/* x = V y, y from the triangular system, in place of the right side. */
static void combine(yk_krylov *k, const yk_krylov_problem *p, int count,
                    double *x)
{
    memset(x, 0, p->n * sizeof *x);
    for (int i = count - 1; i >= 0; i--) {
        for (int j = i + 1; j < count; j++)
            k->rest[i] -= k->h[j * (k->most + 1) + i] * k->rest[j];
        const double pivot = k->h[i * (k->most + 1) + i];
        k->rest[i] = pivot != 0.0 ? k->rest[i] / pivot : 0.0;
        for (size_t l = 0; l < p->n; l++) x[l] += k->rest[i] * k->v[i][l];
    }
}

yoke_status yk_krylov_solve(yk_krylov *k, const yk_krylov_problem *p, double *x,
                            int *count, double *rest, yoke_err *err)
{
    const int most = p->most < k->most ? p->most : k->most;
    const double size = sqrt(dot(p->n, p->b, p->b));

    *count = 0;
    *rest = size;
    memset(x, 0, p->n * sizeof *x);
    if (!(size > p->limit)) return YOKE_OK;
    YK_TRY(make_room(k, 0, p->n, err));
    for (size_t i = 0; i < p->n; i++) k->v[0][i] = p->b[i] / size;
    k->rest[0] = size;
    while (*count<most && * rest> p->limit) {
        YK_TRY(extend(k, p, *count, err));
        *rest = fabs(k->rest[++*count]);
        if (k->h[(*count - 1) * (k->most + 1) + *count - 1] == 0.0) break;
    }
    combine(k, p, *count, x);
    return YOKE_OK;
}
