/* tests/papers/ph_chain.h -- chains of masses and ladders of R, L and C, cut
 * into blocks. */
#ifndef YK_TESTS_PH_CHAIN_H
#define YK_TESTS_PH_CHAIN_H

#include "ph_problem.h"

#include <stdio.h>

/* Block k of a chain: masses p and springs s, s_1 between the last mass of the
 * block before and the first one here.  m = 1, K = 2, damping 0.1.  Ports: left
 * at s_1 (but not in the first block, where it is fixed to a wall), right at
 * the last p. */
static inline yoke_system *chain_block(int k, int blocks, int masses)
{
    const int n = 2 * masses;
    yk_triplets J = { 0 }, R = { 0 }, Q = { 0 }, B = { 0 };
    yk_sparse a[4] = { { NULL, NULL } };
    yoke_system *out = NULL;
    yoke_err err = { YOKE_OK, "" };
    double *x0 = NULL;
    char name[32];
    int m = 0;
    unsigned long long seed = 17 + (unsigned)k;

    for (int i = 0; i < masses; i++) {
        yk_triplets_add(&R, i, i, 0.1, NULL);
        yk_triplets_add(&Q, i, i, 1.0, NULL);
        yk_triplets_add(&Q, masses + i, masses + i, 2.0, NULL);
        yk_triplets_add(&J, i, masses + i, -1.0, NULL);
        yk_triplets_add(&J, masses + i, i, 1.0, NULL);
        if (i == 0) continue;
        yk_triplets_add(&J, i - 1, masses + i, 1.0, NULL);
        yk_triplets_add(&J, masses + i, i - 1, -1.0, NULL);
    }
    if (k > 0) yk_triplets_add(&B, masses, m++, 1.0, NULL);
    if (k < blocks - 1) yk_triplets_add(&B, masses - 1, m++, 1.0, NULL);
    CHECK_OK(yk_sparse_create(&a[0], n, n, &J, &err), &err);
    CHECK_OK(yk_sparse_create(&a[1], n, n, &R, &err), &err);
    CHECK_OK(yk_sparse_create(&a[2], n, n, &Q, &err), &err);
    CHECK_OK(yk_sparse_create(&a[3], n, m, &B, &err), &err);
    CHECK_OK(yk_doubles(&x0, (size_t)n, &err), &err);
    for (int i = 0; i < n; i++) x0[i] = yk_random(&seed) - 0.5;
    const yoke_ph ph = { .n = n,
                         .m = m,
                         .J = { a[0].pattern, a[0].value },
                         .R = { a[1].pattern, a[1].value },
                         .Q = { a[2].pattern, a[2].value },
                         .B = { a[3].pattern, a[3].value },
                         .x0 = x0 };
    snprintf(name, sizeof name, "b%d", k + 1);
    CHECK_OK(yoke_ph_create(&out, name, &ph, &err), &err);
    for (int i = 0; i < 4; i++) yk_sparse_clear(&a[i]);
    yk_triplets_clear(&J);
    yk_triplets_clear(&R);
    yk_triplets_clear(&Q);
    yk_triplets_clear(&B);
    yk_free(x0);
    return out;
}

static inline void ladder_current(void *context, double t, double *r)
{
    (void)context;
    r[0] = sin(1.3 * t) + (t > 0.0 ? 0.5 * sin(5.0 * t) : 0.0);
}

/* Block k of a ladder: cells of C (with a leak) at a node u, R to a node a
 * without a capacitor, L from there on.  C = 1, R = 0.5, L = 1, leak 0.05.  The
 * last inductor leads to the node of the next block; at the very end there is a
 * resistor to ground. */
static inline yoke_system *ladder_block(int k, int blocks, int cells)
{
    const int n = 3 * cells; /* u, a, j of each cell */
    yk_triplets E = { 0 }, J = { 0 }, R = { 0 }, B = { 0 }, G = { 0 };
    yk_sparse a[5] = { { NULL, NULL } };
    yoke_system *out = NULL;
    yoke_err err = { YOKE_OK, "" };
    double *x0 = NULL;
    char name[32];
    int m = 0;
    unsigned long long seed = 23 + (unsigned)k;

    for (int i = 0; i < cells; i++) {
        const int u = 3 * i, node = u + 1, j = u + 2;
        yk_triplets_add(&E, u, u, 1.0, NULL);
        yk_triplets_add(&E, j, j, 1.0, NULL);
        yk_triplets_add(&R, u, u, 2.05, NULL);
        yk_triplets_add(&R, u, node, -2.0, NULL);
        yk_triplets_add(&R, node, u, -2.0, NULL);
        yk_triplets_add(&R, node, node, 2.0, NULL);
        yk_triplets_add(&J, node, j, -1.0, NULL);
        yk_triplets_add(&J, j, node, 1.0, NULL);
        if (i == 0) continue;
        yk_triplets_add(&J, j - 3, u, -1.0, NULL);
        yk_triplets_add(&J, u, j - 3, 1.0, NULL);
    }
    if (k == blocks - 1) yk_triplets_add(&R, n - 1, n - 1, 1.0, NULL);
    if (k == 0) yk_triplets_add(&G, 0, 0, 1.0, NULL);
    if (k > 0) yk_triplets_add(&B, 0, m++, 1.0, NULL);
    if (k < blocks - 1) yk_triplets_add(&B, n - 1, m++, 1.0, NULL);
    CHECK_OK(yk_sparse_create(&a[0], n, n, &J, &err), &err);
    CHECK_OK(yk_sparse_create(&a[1], n, n, &R, &err), &err);
    CHECK_OK(yk_sparse_create(&a[2], n, n, &E, &err), &err);
    CHECK_OK(yk_sparse_create(&a[3], n, m, &B, &err), &err);
    CHECK_OK(yk_sparse_create(&a[4], n, k == 0, &G, &err), &err);
    CHECK_OK(yk_doubles(&x0, (size_t)n, &err), &err);
    for (int i = 0; i < n; i++) x0[i] = yk_random(&seed) - 0.5;
    const yoke_ph ph = { .n = n,
                         .m = m,
                         .sources = k == 0,
                         .J = { a[0].pattern, a[0].value },
                         .R = { a[1].pattern, a[1].value },
                         .E = { a[2].pattern, a[2].value },
                         .B = { a[3].pattern, a[3].value },
                         .G = { a[4].pattern, a[4].value },
                         .source = k == 0 ? ladder_current : NULL,
                         .x0 = x0 };
    snprintf(name, sizeof name, "b%d", k + 1);
    CHECK_OK(yoke_ph_create(&out, name, &ph, &err), &err);
    for (int i = 0; i < 5; i++) yk_sparse_clear(&a[i]);
    yk_triplets_clear(&E);
    yk_triplets_clear(&J);
    yk_triplets_clear(&R);
    yk_triplets_clear(&B);
    yk_triplets_clear(&G);
    yk_free(x0);
    return out;
}

/* The right port of block k with the left one of block k + 1: what the left one
 * gives is a force (a voltage with a minus sign). */
static inline void chain_links(ph_problem *p, double sign)
{
    yk_ph_link *link = NULL;

    CHECK_OK(YK_NEW(&link, 2 * p->count + 1, NULL), NULL);
    for (int k = 0; k + 1 < p->count; k++) {
        const int right = k > 0; /* the first block has no left port */
        link[2 * k] = (yk_ph_link){ k, right, k + 1, 0, sign };
        link[2 * k + 1] = (yk_ph_link){ k + 1, 0, k, right, -sign };
    }
    ph_net(p, 2 * (p->count - 1), link);
    yk_free(link);
}

static inline void ph_chain(ph_problem *p, int blocks, int masses)
{
    p->count = blocks;
    for (int k = 0; k < blocks; k++)
        p->system[k] = chain_block(k, blocks, masses);
    chain_links(p, 1.0);
}

static inline void ph_ladder(ph_problem *p, int blocks, int cells)
{
    p->count = blocks;
    for (int k = 0; k < blocks; k++)
        p->system[k] = ladder_block(k, blocks, cells);
    chain_links(p, -1.0);
}

#endif
