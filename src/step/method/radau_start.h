/* step/method/radau_start.h -- a step as three steps of Radau IIA, to start
 * methods that need a past. */
#ifndef YK_THIRDS_H
#define YK_THIRDS_H

#include "step/method/radau.h"

typedef struct yk_thirds {
    yk_radau radau;
    double *x[3], *f[3]; /* at 1/3, 2/3 and 1 of the step */
} yk_thirds;

yoke_status yk_thirds_create(yk_thirds *s, const yk_problem *p, yoke_err *err);
void yk_thirds_free(yk_thirds *s);

/* A step of length h from p->t to t; writes p->x_new, q_new and f_new. */
yoke_status yk_thirds_step(yk_thirds *s, yk_problem *p, double t, double h,
                           yoke_err *err);

/* The cubic through its points becomes p->poly. */
void yk_thirds_poly(const yk_thirds *s, yk_problem *p, double h);

#endif
