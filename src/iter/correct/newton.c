/* iter/correct/newton.c -- Newton's method on the late waveforms: dw - F' dw = r
 * along the grid, with the sweep linearised at the end of the last one
 * (iter/correct/interface.h).
 */
#include "iter/correct/acceleration.h"

static yoke_status prepare(void *self, yk_grid *g, double step, yoke_err *err)
{
    (void)self;
    YK_TRY(yk_interface_linearise(g->interface, step, g->name, err));
    return yk_interface_rows(g->interface, g->options->atol, g->options->rtol,
                             &g->m, err);
}

static yoke_status apply(void *self, yk_grid *g, yoke_err *err)
{
    (void)self;
    return yk_interface_march(g->interface, g->steps + 1, g->r, g->dw, err);
}

const yk_acceleration yk_accelerate_newton = {
    .answers = true,
    .history = true,
    .prepare = prepare,
    .apply = apply,
};
