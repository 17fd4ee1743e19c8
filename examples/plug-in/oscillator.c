/* oscillator.c -- van der Pol's oscillator with a driving current, as a plug-in.
 *
 *     x' = v,   v' = mu (1 - x^2) v - x + u,   y = x
 *
 *     cc -O2 -shared -fPIC -I PREFIX/include oscillator.c -o oscillator.so
 */
#include <yoke/plugin.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct oscillator {
    double mu, x0[2];
} oscillator;

static yoke_status rhs(void *self, double t, const double *x, const double *u,
                       double *xdot, yoke_err *err)
{
    const oscillator *o = (const oscillator *)self;

    (void)t, (void)err;
    xdot[0] = x[1];
    xdot[1] = o->mu * (1.0 - x[0] * x[0]) * x[1] - x[0] + u[0];
    return YOKE_OK;
}

static yoke_status output(void *self, double t, const double *x,
                          const double *u, double *y, yoke_err *err)
{
    (void)self, (void)t, (void)u, (void)err;
    y[0] = x[0];
    return YOKE_OK;
}

static const yoke_system_ops ops = {
    .kind = "oscillator", .output = output, .rhs = rhs, .free = free
};

static yoke_status create(yoke_plugin_request *request, yoke_plugin_system *out,
                          yoke_err *err)
{
    static const char *const x_name[] = { "x", "v" };
    static const char *const u_name[] = { "u" }, *const y_name[] = { "y" };
    oscillator *o = (oscillator *)malloc(sizeof *o);

    if (!o) return YOKE_E_MEMORY;
    o->mu = yoke_plugin_number(request, "mu", 1.0);
    o->x0[0] = yoke_plugin_number(request, "x0", 2.0);
    o->x0[1] = yoke_plugin_number(request, "v0", 0.0);
    if (!(o->mu >= 0.0)) {
        snprintf(err->text, sizeof err->text, "mu = %g is negative", o->mu);
        free(o);
        return YOKE_E_ARG;
    }
    out->ops = &ops;
    out->self = o;
    out->info.n = 2;
    out->info.m = out->info.p = 1;
    out->info.flags = YOKE_TIMELESS;
    out->info.x0 = o->x0;
    out->info.x_name = x_name;
    out->info.u_name = u_name;
    out->info.y_name = y_name;
    return YOKE_OK;
}

YOKE_PLUGIN("van der Pol's oscillator", create);
