/* step/method/radau.h -- one step of Radau IIA, order 5; also starts other
 * methods. */
#ifndef YK_RADAU_H
#define YK_RADAU_H

#include "step/method.h"

typedef struct yk_radau {
    yk_matrix *real, *complex;
    double w[3][3];             /* inverse of the Runge-Kutta matrix */
    double *x[3], *q[3], *f[3]; /* the stages; x[2] is the end */
    double *dx[3], *pair, *e;   /* scratch */
    double theta;               /* contraction of the last step */
    double first;               /* size of its first increment, in tolerances */
    int farthest;               /* stage with the largest increment */
    double largest;
    long stamp; /* Jacobian evaluated at time jac_t, after so many steps */
    double jac_t;
    long jac_steps;
} yk_radau;

yoke_status yk_radau_create(yk_radau *r, const yk_problem *p, yoke_err *err);
void yk_radau_free(yk_radau *r);

/* Solves the stages of a step from (p->t, p->x, p->q) to t; x[i], q[i], f[i]
 * are then those of the stages. */
yoke_status yk_radau_solve(yk_radau *r, yk_problem *p, double t, double h,
                           yoke_err *err);

#endif
