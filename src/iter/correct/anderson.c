/* iter/correct/anderson.c -- quasi-Newton steps from differences of past iterates. */
#include "iter/correct/anderson.h"
#include "iter/correct/acceleration.h"
#include "iter/policy.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 10 };

struct yk_anderson {
    int columns;   /* kept; newest first */
    bool has_last; /* of this window */
    double *f, *g; /* columns: differences of f and of w + f */
    double *last_f, *last_g;
    double *work;  /* scaled columns, and the scaled residual */
    double *scale; /* of each entry */
    double x[COLUMNS];
    size_t most;
};

void yk_anderson_free(void *self)
{
    yk_anderson *a = self;

    if (!a) return;
    YK_FREE(a->f, a->g, a->last_f, a->last_g, a->work, a->scale, a);
}

yoke_status yk_anderson_create(yk_anderson **out, yoke_err *err)
{
    return YK_NEW(out, 1, err);
}

/* Room for vectors of n entries.  Only those of the same length are compared, so
 * nothing is lost. */
static yoke_status make_room(yk_anderson *a, size_t n, yoke_err *err)
{
    if (n <= a->most) return YOKE_OK;
    YK_FREE(a->f, a->g, a->last_f, a->last_g, a->work, a->scale);
    *a = (yk_anderson){ .most = 0 };
    YK_TRY(YK_DOUBLES(n * COLUMNS, err, &a->f, &a->g));
    YK_TRY(YK_DOUBLES(n, err, &a->last_f, &a->last_g, &a->scale));
    YK_TRY(yk_doubles(&a->work, n * (COLUMNS + 1), err));
    a->most = n;
    return YOKE_OK;
}

void yk_anderson_reset(void *self)
{
    yk_anderson *a = self;

    a->columns = 0;
    a->has_last = false;
}

void yk_anderson_begin(void *self)
{
    ((yk_anderson *)self)->has_last = false;
}

/* The newest differences become column 0. */
static void add_column(yk_anderson *a, int n, const double *w, const double *f,
                       const double *scale)
{
    double largest = 0.0;

    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(f[i] - a->last_f[i]) / scale[i]);
    if (!(largest > YK_ITER_DIFFERENCE)) return;
    const size_t kept = a->most * (COLUMNS - 1);
    memmove(a->f + a->most, a->f, kept * sizeof *a->f);
    memmove(a->g + a->most, a->g, kept * sizeof *a->g);
    for (int i = 0; i < n; i++) {
        a->f[i] = f[i] - a->last_f[i];
        a->g[i] = w[i] + f[i] - a->last_g[i];
    }
    if (a->columns < COLUMNS) a->columns++;
}

yoke_status yk_anderson_step(yk_anderson *a, int n, const double *w,
                             const double *f, const double *scale,
                             double *extra, yoke_err *err)
{
    YK_TRY(make_room(a, (size_t)n, err));
    if (a->has_last) add_column(a, n, w, f, scale);
    for (int i = 0; i < n; i++) {
        a->last_f[i] = f[i];
        a->last_g[i] = w[i] + f[i];
        extra[i] = 0.0;
    }
    a->has_last = true;
    if (a->columns == 0) return YOKE_OK;
    double *right = a->work + (size_t)a->columns * (size_t)n;
    for (int c = 0; c < a->columns; c++)
        for (int i = 0; i < n; i++)
            a->work[c * n + i] =
                a->f[(size_t)c * a->most + (size_t)i] / scale[i];
    for (int i = 0; i < n; i++) right[i] = f[i] / scale[i];
    YK_TRY(yk_least_squares(n, a->columns, a->work, right, YK_ITER_DEPENDENT,
                            a->x, NULL, err));
    for (int c = 0; c < a->columns; c++)
        for (int i = 0; i < n; i++)
            extra[i] -= a->x[c] * a->g[(size_t)c * a->most + (size_t)i];
    return YOKE_OK;
}

/* ---- as an acceleration -------------------------------------------------- */

static yoke_status create(void **self, const yk_grid *grid, yoke_err *err)
{
    yk_anderson *a = NULL;

    (void)grid;
    YK_TRY(yk_anderson_create(&a, err));
    *self = a;
    return YOKE_OK;
}

static yoke_status apply(void *self, yk_grid *g, yoke_err *err)
{
    const int count = g->size * (g->steps + 1);
    yk_anderson *a = self;

    YK_TRY(make_room(a, (size_t)count, err));
    for (int i = 0; i < count; i++) a->scale[i] = g->scale[i % g->size];
    YK_TRY(yk_anderson_step(a, count, g->w, g->dw, a->scale, g->smooth, err));
    for (int i = 0; i < count; i++) g->dw[i] += g->smooth[i];
    return YOKE_OK;
}

const yk_acceleration yk_accelerate_anderson = {
    .after = true,
    .learns = true,
    .create = create,
    .begin = yk_anderson_begin,
    .reset = yk_anderson_reset,
    .apply = apply,
    .free = yk_anderson_free,
};
