/* graph/ph_bounds.h -- what theory knows of Algorithm 1 of Bartel, Guenther, Jacob
 * and Reis before it runs; equation numbers are theirs.
 */
#ifndef YK_PH_BOUNDS_H
#define YK_PH_BOUNDS_H

#include "graph/ph_net.h"

/* What is known beforehand. */
typedef struct yk_bounds {
    bool all;        /* (19): rank [mu E, (1 - alpha) R] = n */
    bool states;     /* (29): rank [E, alpha R] = n */
    double norm;     /* |K| */
    double inverse;  /* |(K + J_o)^-1|, INFINITY without (19) */
    double q;        /* (21) at lambda; 1: none */
    double lambda;   /* lambda* = 1 / |K| */
    double best;     /* (21) at lambda* */
    double coupling; /* c = |W^-1/2 J_o W^-1/2| */
    double tau;      /* sqrt(1 + c^2) */
    double matrix;   /* q of S = tau W */
} yk_bounds;

/* lambda = 0: q is that of lambda*. */
yoke_status yk_bounds_find(const yk_ph_net *net, double alpha, double mu,
                           double lambda, yk_bounds *out, yoke_err *err);

/* Which statement of Theorems 23 and 26 applies, as a sentence. */
const char *yk_bounds_text(const yk_bounds *bounds, double alpha);

#endif
