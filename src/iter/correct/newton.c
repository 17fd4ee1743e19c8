/* iter/correct/newton.c -- Newton's method on the late waveforms: dw - F' dw = r
 * along the grid, with the sweep linearised at the end of the last one
 * (iter/correct/interface.h).
 */
#include "iter/correct/acceleration.h"

#include <string.h>

static yoke_status prepare(void *self, yk_grid *g, double step, yoke_err *err)
{
    (void)self;
    YK_TRY(yk_interface_linearise(g->interface, step, g->name, err));
    memcpy(g->m, yk_interface_inverse(g->interface),
           (size_t)(g->size * g->size) * sizeof *g->m);
    return YOKE_OK;
}

static yoke_status apply(void *self, yk_grid *g, yoke_err *err)
{
    (void)self;
    return yk_interface_march(g->interface, g->steps + 1, g->r, g->dw,
                              g->smooth, err);
}

const yk_acceleration yk_accelerate_newton = {
    .answers = true,
    .history = true,
    .prepare = prepare,
    .apply = apply,
};
