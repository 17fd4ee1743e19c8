/* sys/absent.c -- a system that another process has: here it has ports, so that
 * others can be connected to it, and nothing else. */
#include "sys/system.h"

static yoke_status no_eval(void *self, double t, const double *x,
                           const double *u, double *q, double *f, yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)q, (void)f;
    return yk_fail(err, YOKE_E_CALLBACK, "it is in another process");
}

static yoke_status no_output(void *self, double t, const double *x,
                             const double *u, double *y, yoke_err *err)
{
    return no_eval(self, t, x, u, y, NULL, err);
}

static yoke_status no_jacobian(void *self, double t, const double *x,
                               const double *u, const yoke_jacobian *jac,
                               yoke_err *err)
{
    (void)jac;
    return no_eval(self, t, x, u, NULL, NULL, err);
}

static const yoke_system_ops absent = {
    .kind = "absent",
    .eval = no_eval,
    .output = no_output,
    .jacobian = no_jacobian,
};

yoke_status yk_system_absent(yoke_system **out, const char *name, int m,
                             const char *const *u_name, int p,
                             const char *const *y_name, yoke_err *err)
{
    const yoke_system_info info = {
        .m = m, .p = p, .u_name = u_name, .y_name = y_name
    };

    return yoke_system_create(out, name, &absent, NULL, &info, err);
}

bool yk_system_is_absent(const yoke_system *s)
{
    return s->ops == &absent;
}
