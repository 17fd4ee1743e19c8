/* iter/ph/mercier.h -- Algorithm 1 of Bartel, Guenther, Jacob and Reis.
 *
 * Written for x instead of v = Q x, so that no inverse of Q is needed.  With
 * z = Q w and
 *
 *     S = Q / lambda,  or  S = tau W,  W = (1 - alpha) R Q + mu E,
 *     K = W - J_o Q,
 *
 * one sweep solves in every block
 *
 *     d/dt (E x) = ((J - alpha R) Q + mu E - S) x + S w + what drives,
 *
 * and then at every point (S + K) xi = S (2 x - w), w_new = 2 xi - (2 x - w).
 */
#ifndef YK_PH_MERCIER_H
#define YK_PH_MERCIER_H

#include "graph/ph_bounds.h"
#include "iter/ph/waves.h"

typedef struct yk_mercier_options {
    double alpha, mu, omega;
    double lambda; /* 0: the matrix */
    double fitted; /* 0, or the omega to which the method is fitted */
} yk_mercier_options;

typedef struct yk_mercier {
    const yk_ph_net *net;
    yk_window *window; /* borrowed */
    yk_mercier_options options;
    yk_bounds bounds;
    double q; /* that of the choice */
    yk_lti **block;
    yk_sparse S, M; /* of all blocks; S + K */
    yk_lu *lu;
    double **w;    /* of each block: points by n; z = Q w */
    double **old;  /* those of the last sweep */
    double *r, *f; /* n of all */
    yk_sparse Q;   /* of all blocks */
} yk_mercier;

yoke_status yk_mercier_create(yk_mercier **out, const yk_ph_net *net,
                              yk_window *window,
                              const yk_mercier_options *options, yoke_err *err);
void yk_mercier_free(yk_mercier *m); /* accepts NULL */

/* Factors the blocks for the step of the window. */
yoke_status yk_mercier_ready(yk_mercier *m, yoke_err *err);

/* z = Q x constant: the first guess.  x of all blocks. */
void yk_mercier_guess(yk_mercier *m, const double *x);

/* One iteration; homogeneous: from zero, with nothing that drives. */
yoke_status yk_mercier_sweep(yk_mercier *m, bool homogeneous, yoke_err *err);

/* The norm in which it contracts (that of z, or of S^(1/2) z), of w - other;
 * other NULL: of w. */
double yk_mercier_norm(yk_mercier *m, double omega, double *const *w,
                       double *const *other);

yoke_status yk_mercier_iterate(yk_mercier *m, const yk_wave_test *test,
                               yk_wave_result *out, yoke_err *err);

#endif
