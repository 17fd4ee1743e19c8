/* step/method/radau_start.c -- a step as three steps of Radau IIA. */
#include "step/method/radau_start.h"

#include <string.h>

yoke_status yk_thirds_create(yk_thirds *s, const yk_problem *p, yoke_err *err)
{
    const size_t n = (size_t)p->n + 1;

    YK_TRY(yk_radau_create(&s->radau, p, err));
    for (int i = 0; i < 3; i++) {
        YK_TRY(YK_DOUBLES(n, err, &s->x[i], &s->f[i]));
    }
    return YOKE_OK;
}

void yk_thirds_free(yk_thirds *s)
{
    yk_radau_free(&s->radau);
    for (int i = 0; i < 3; i++) {
        YK_FREE(s->x[i], s->f[i]);
    }
}

static yoke_status substeps(yk_thirds *s, yk_problem *p, double t, double h,
                            yoke_err *err)
{
    const size_t bytes = (size_t)p->n * sizeof *p->x;
    const double begin = p->t;

    for (int i = 0; i < 3; i++) {
        const double end = i == 2 ? t : begin + (i + 1) * (h / 3.0);
        YK_TRY(yk_radau_solve(&s->radau, p, end, h / 3.0, err));
        memcpy(s->x[i], s->radau.x[2], bytes);
        memcpy(s->f[i], s->radau.f[2], bytes);
        memcpy(p->q_new, s->radau.q[2], bytes);
        p->t = end;
        p->x = s->x[i];
        p->q = p->q_new;
    }
    return YOKE_OK;
}

yoke_status yk_thirds_step(yk_thirds *s, yk_problem *p, double t, double h,
                           yoke_err *err)
{
    const size_t bytes = (size_t)p->n * sizeof *p->x;
    const double begin = p->t;
    double *const x = p->x, *const q = p->q;

    const yoke_status status = substeps(s, p, t, h, err);
    p->t = begin;
    p->x = x;
    p->q = q;
    if (status != YOKE_OK) return status;
    memcpy(p->x_new, s->x[2], bytes);
    memcpy(p->f_new, s->f[2], bytes);
    return YOKE_OK;
}

void yk_thirds_poly(const yk_thirds *s, yk_problem *p, double h)
{
    const double theta[] = { 0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0 };
    const double *const value[] = { p->x, s->x[0], s->x[1], p->x_new };

    yk_poly_through(p, h, 3, theta, value);
}
