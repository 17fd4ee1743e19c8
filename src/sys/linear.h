/* sys/linear.h -- linear systems with sparse matrices.
 *
 *     d/dt (E x + F u) = A x + B u + G r(t),   y = H x + D u
 */
#ifndef YK_LINEAR_H
#define YK_LINEAR_H

#include "la/sparse.h"
#include "yoke/system.h"

typedef struct yk_linear {
    int n, m, p;
    yk_sparse E, A, F, B, G, H, D; /* F, G, D without a pattern: zero */
    void (*source)(void *context, double t, double *r); /* NULL: none */
    double (*next_break)(void *context, double t);      /* NULL: none */
    void *context;
    double *r; /* values of the source */
} yk_linear;

void yk_linear_clear(yk_linear *l);

/* Callbacks of systems whose `self` is a yk_linear or begins with one. */
yoke_status yk_linear_eval(void *self, double t, const double *x,
                           const double *u, double *q, double *f,
                           yoke_err *err);
yoke_status yk_linear_output(void *self, double t, const double *x,
                             const double *u, double *y, yoke_err *err);
yoke_status yk_linear_jacobian(void *self, double t, const double *x,
                               const double *u, const yoke_jacobian *jac,
                               yoke_err *err);
double yk_linear_next_break(void *self, double t);

#endif
