/* iter/correct/aitken.c -- relaxation dw = omega r, with Aitken's omega from the
 * last two residuals.
 */
#include "iter/correct/acceleration.h"

#include <math.h>
#include <string.h>

typedef struct aitken {
    double omega;
    double *before; /* r of the last sweep */
    bool first;     /* in this window */
} aitken;

static void aitken_free(void *self)
{
    aitken *a = self;

    if (!a) return;
    YK_FREE(a->before, a);
}

static yoke_status create(void **self, const yk_grid *grid, yoke_err *err)
{
    const size_t most = (size_t)grid->size * (YK_MOST_STEPS + 1);
    aitken *a = NULL;

    YK_TRY(YK_NEW(&a, 1, err));
    a->omega = 1.0;
    *self = a;
    return yk_doubles(&a->before, most, err);
}

static void begin(void *self)
{
    ((aitken *)self)->first = true;
}

static yoke_status apply(void *self, yk_grid *g, yoke_err *err)
{
    aitken *a = self;
    const int count = g->size * (g->steps + 1);
    double above = 0.0, below = 0.0;

    for (int i = 0; i < count && !a->first; i++) {
        const double scale = g->scale[i % g->size];
        const double change = (g->r[i] - a->before[i]) / scale;
        above += a->before[i] / scale * change;
        below += change * change;
    }
    a->first = false;
    if (below > 0.0) a->omega *= -above / below;
    if (!(fabs(a->omega) < 1e6) || a->omega == 0.0) a->omega = 1.0;
    memcpy(a->before, g->r, (size_t)count * sizeof *g->r);
    for (int i = 0; i < count; i++) g->dw[i] = a->omega * g->r[i];
    return yk_rows_diagonal(&g->m, g->size, a->omega - 1.0, err);
}

const yk_acceleration yk_accelerate_aitken = {
    .learns = true,
    .create = create,
    .begin = begin,
    .apply = apply,
    .free = aitken_free,
};
