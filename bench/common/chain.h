/* bench/common/chain.h -- a chain of RC cells, whole or one block of it.
 *
 *     c v_k' = g_{k-1} (v_{k-1} - v_k) + g_k (v_{k+1} - v_k) - leak v_k
 *              + a_k sin(omega t) + b_k cos(omega t)
 *
 * Inside a block g_k = g.  At its ends the conductances are g_left and g_right;
 * they lead to the neighbouring block, whose last or first voltage is an input,
 * or, if there is none, to ground.  Outputs: the first and the last voltage.
 */
#ifndef BENCH_CHAIN_H
#define BENCH_CHAIN_H

#include <yoke/yoke.h>

#include <stdbool.h>

typedef struct chain {
    int n;
    double c, g, g_left, g_right, leak, omega;
    bool has_left, has_right; /* neighbours: inputs "left" and "right" */
    double *a, *b;            /* n */
} chain;

/* Zeroed sources. */
chain *chain_create(int n);
void chain_free(chain *chain);

/* Conductance to the left of cell k, 0 <= k <= n. */
double chain_conductance(const chain *chain, int k);

/* f[n] of  c v' + f = 0. */
void chain_currents(const chain *chain, double t, const double *v,
                    const double *u, double *f);

/* A Yoke system with all patterns and Jacobians given.  Takes `chain`.  `v0`
 * may be NULL: zero. */
yoke_status chain_system(yoke_system **out, const char *name, chain *chain,
                         unsigned flags, const double *v0, yoke_err *err);

#endif
