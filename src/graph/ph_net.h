/* graph/ph_net.h -- coupled port-Hamiltonian systems, block by block.
 *
 *     d/dt (E_i x_i) = (J_i - R_i) Q_i x_i + sum_j J_ij Q_j x_j
 *                      + F_i v(t) + G_i r_i(t)
 *
 * J_ij = B_i K_ij B_j' comes from signals u_i = K_ij y_j between the ports of
 * the subsystems, K skew.  K_ij is factored into pairs of ports: a pair (a, b)
 * has a column b_a in one block and b_b in the other,
 *
 *     u_a = y_b,    u_b = -y_a,    y = b' Q x,    J_ij = sum of b_a b_b'.
 */
#ifndef YK_PH_NET_H
#define YK_PH_NET_H

#include "la/sparse.h"
#include "yoke/graph.h"
#include "yoke/optional.h"
#include "yoke/system.h"

typedef struct yk_ph_block {
    const char *name;
    const char *const *x_name;
    int n, ports, outers;
    yk_sparse E, Q, RQ; /* n by n */
    yk_sparse A;        /* (J - R) Q */
    yk_sparse P;        /* n by ports: the columns of the pairs */
    yk_sparse PQ;       /* P'Q */
    yk_sparse F;        /* n by outers: inputs from outside */
    yk_sparse H;        /* all outputs of the subsystem; B'Q first */
    yk_sparse G;        /* n by sources */
    int *wave;          /* of each port: 2 * pair + side */
    int *outer;         /* of each column of F: number of the outer input */
    const yoke_ports *facts;
    yoke_system *system;
} yk_ph_block;

/* Side 0 has u = y of side 1; side 1 has u = - y of side 0. */
typedef struct yk_ph_pair {
    int block[2], port[2];
} yk_ph_pair;

typedef struct yk_ph_net {
    int blocks, pairs, n, outers;
    yk_ph_block *block;
    yk_ph_pair *pair;
    int *first;  /* of each block: its first unknown among all; blocks + 1 */
    int *order;  /* blocks by colour: those of one colour are not coupled */
    int *colour; /* of each block */
    int colours;
} yk_ph_net;

/* input of block `to` += weight * output of block `from`; from = -1: the outer
 * input number `output`. */
typedef struct yk_ph_link {
    int to, input, from, output;
    double weight;
} yk_ph_link;

/* Borrows the systems, which all have `ports`.  Refuses couplings that do not
 * conserve power, naming them. */
yoke_status yk_ph_net_create(yk_ph_net **out, int count,
                             yoke_system *const *system, int links,
                             const yk_ph_link *link, int outers, yoke_err *err);

/* The net of some nodes of a graph, each with `ports`.  `in`, (node, input) of
 * each, are the outer inputs; delayed links come from outside. */
yoke_status yk_ph_net_of(yk_ph_net **out, const yoke_graph *graph, int count,
                         const int *node, int ins, const int (*in)[2],
                         yoke_err *err);
void yk_ph_net_free(yk_ph_net *net); /* accepts NULL */

/* Assumption 5 (b) and (c) of Bartel, Guenther, Jacob and Reis for the whole:
 * rank [E R J] = n, and values at the start t that some solution has.  `x` is
 * that of all blocks, `v` the outer inputs.  Names the unknown and the size. */
yoke_status yk_ph_net_check(const yk_ph_net *net, double t, double span,
                            const double *x, const double *v, yoke_err *err);

/* Factors of the matrices of a block. */
typedef struct yk_ph_sum {
    double RQ, E, Q, A;
} yk_ph_sum;

/* Adds their sum at (at, at).  The sum of all blocks, each at its place, and of
 * `coupling` times J_o Q. */
yoke_status yk_ph_block_add(const yk_ph_block *b, yk_ph_sum sum, int at,
                            yk_triplets *t, yoke_err *err);
yoke_status yk_ph_net_sum(const yk_ph_net *net, yk_ph_sum sum, double coupling,
                          yk_sparse *out, yoke_err *err);

/* J_o Q: only what couples the blocks. */
yoke_status yk_ph_net_coupling(const yk_ph_net *net, yk_sparse *out,
                               yoke_err *err);

#endif
