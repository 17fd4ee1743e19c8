/* tests/papers/ph_problem.h -- the systems of Bartel, Guenther, Jacob and Reis
 * (2022), and the reference: the same Runge-Kutta method for the whole. */
#ifndef YK_TESTS_PH_PROBLEM_H
#define YK_TESTS_PH_PROBLEM_H

#include "check.h"
#include "iter/ph/mercier.h"
#include "yoke/ph.h"

#include <math.h>
#include <string.h>

enum { PH_MOST = 600 };

typedef struct ph_problem {
    int count;
    yoke_system *system[PH_MOST];
    yk_ph_net *net;
    double *x0;
} ph_problem;

static inline void ph_matrix(yk_sparse *out, int rows, int cols,
                             const double *dense)
{
    yk_triplets t = { 0 };

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            if (dense[i * cols + j] != 0.0)
                CHECK_OK(yk_triplets_add(&t, i, j, dense[i * cols + j], NULL),
                         NULL);
    CHECK_OK(yk_sparse_create(out, rows, cols, &t, NULL), NULL);
    yk_triplets_clear(&t);
}

/* NULL matrices as in yoke_ph; dense, row by row. */
static inline yoke_system *ph_dense(const char *name, int n, int m, int sources,
                                    const double *E, const double *J,
                                    const double *R, const double *Q,
                                    const double *B, const double *G,
                                    void (*source)(void *, double, double *),
                                    const double *x0)
{
    const double *const given[6] = { E, J, R, Q, B, G };
    const int cols[6] = { n, n, n, n, m, sources };
    yk_sparse a[6] = { { NULL, NULL } };
    yoke_system *out = NULL;
    yoke_err err = { YOKE_OK, "" };

    for (int k = 0; k < 6; k++)
        if (given[k]) ph_matrix(&a[k], n, cols[k], given[k]);
    const yoke_ph ph = {
        .n = n,
        .m = m,
        .sources = sources,
        .E = { a[0].pattern, a[0].value },
        .J = { a[1].pattern, a[1].value },
        .R = { a[2].pattern, a[2].value },
        .Q = { a[3].pattern, a[3].value },
        .B = { a[4].pattern, a[4].value },
        .G = { a[5].pattern, a[5].value },
        .source = source,
        .x0 = x0,
    };
    CHECK_OK(yoke_ph_create(&out, name, &ph, &err), &err);
    for (int k = 0; k < 6; k++) yk_sparse_clear(&a[k]);
    return out;
}

static inline void ph_net(ph_problem *p, int links, const yk_ph_link *link)
{
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(
        yk_ph_net_create(&p->net, p->count, p->system, links, link, 0, &err),
        &err);
    CHECK_OK(yk_doubles(&p->x0, (size_t)p->net->n, NULL), NULL);
    for (int i = 0; i < p->count; i++)
        memcpy(p->x0 + p->net->first[i], yoke_system_facts(p->system[i])->x0,
               (size_t)p->net->block[i].n * sizeof *p->x0);
}

static inline void ph_clear(ph_problem *p)
{
    yk_ph_net_free(p->net);
    for (int i = 0; i < p->count; i++) yoke_system_free(p->system[i]);
    yk_free(p->x0);
    *p = (ph_problem){ 0 };
}

/* u of the first = y of the second, u of the second = - y of the first. */
static const yk_ph_link ph_cross[2] = { { 0, 0, 1, 0, 1.0 },
                                        { 1, 0, 0, 0, -1.0 } };

/* (12) and (31): x' = (J - R) Q x, J = [0 nu; -nu 0], R = tau I. */
static inline void ph_two(ph_problem *p, double nu, double tau, double q1,
                          double q2)
{
    const double one = 1.0, two = 2.0;

    p->count = 2;
    p->system[0] =
        ph_dense("one", 1, 1, 0, NULL, NULL, &tau, &q1, &one, NULL, NULL, &two);
    p->system[1] =
        ph_dense("two", 1, 1, 0, NULL, NULL, &tau, &q2, &one, NULL, NULL, &two);
    yk_ph_link link[2] = { ph_cross[0], ph_cross[1] };
    link[0].weight *= nu;
    link[1].weight *= nu;
    ph_net(p, nu != 0.0 ? 2 : 0, link);
}

/* Figure 4, (32): two masses and three springs. */
static inline void ph_masses(ph_problem *p)
{
    const double J1[9] = { 0, -1, -1, 1, 0, 0, 1, 0, 0 };
    const double R1[9] = { 0.5, 0, 0, 0, 0, 0, 0, 0, 0 };
    const double Q1[9] = { 0.5, 0, 0, 0, 2, 0, 0, 0, 4 };
    const double B1[3] = { 0, 0, -1 }, x1[3] = { 0, 0, 0 };
    const double J2[4] = { 0, -1, 1, 0 }, R2[4] = { 0.75, 0, 0, 0 };
    const double Q2[4] = { 0.5, 0, 0, 2 };
    const double B2[2] = { 1, 0 }, x2[2] = { 0.1, 0 };

    p->count = 2;
    p->system[0] =
        ph_dense("first", 3, 1, 0, NULL, J1, R1, Q1, B1, NULL, NULL, x1);
    p->system[1] =
        ph_dense("second", 2, 1, 0, NULL, J2, R2, Q2, B2, NULL, NULL, x2);
    ph_net(p, 2, ph_cross);
}

static inline void ph_current(void *context, double t, double *r)
{
    const double pi = acos(-1.0);

    (void)context;
    r[0] = sin(2.0 * pi * 50.0 * t) * sin(2.0 * pi * 500.0 * t);
}

/* Figure 6: the circuit of Figure 5 with the corrected R; `left` unknowns are
 * in the first block, 4 (the line in J) or 3. */
static inline void ph_circuit(ph_problem *p, int left)
{
    const double g = 2.0; /* 1/R1 ... 1/R4 */
    const double R[36] = {
        g, -g, 0, 0, 0, 0, -g, 2 * g, -g, 0, 0, 0,  0, -g, 2 * g, 0, 0,  0,
        0, 0,  0, 0, 0, 0, 0,  0,     0,  0, g, -g, 0, 0,  0,     0, -g, g + 0.2
    };
    const double e[6] = { 0, 5e-4, 0, 20, 0, 5e-4 };
    double J[36] = { 0 };

    J[2 * 6 + 3] = 1.0;
    J[3 * 6 + 2] = -1.0;
    J[3 * 6 + 4] = 1.0;
    J[4 * 6 + 3] = -1.0;
    p->count = 2;
    for (int k = 0; k < 2; k++) {
        const int first = k == 0 ? 0 : left, n = k == 0 ? left : 6 - left;
        double Ek[16] = { 0 }, Jk[16] = { 0 }, Rk[16] = { 0 }, B[4] = { 0 };
        const double G[4] = { 1, 0, 0, 0 }, x0[4] = { 0 };
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                Ek[i * n + j] = i == j ? e[first + i] : 0.0;
                Jk[i * n + j] = J[(first + i) * 6 + first + j];
                Rk[i * n + j] = R[(first + i) * 6 + first + j];
            }
        B[k == 0 ? n - 1 : 0] = 1.0; /* the last unknown with the first */
        p->system[k] =
            ph_dense(k == 0 ? "left" : "right", n, 1, k == 0, Ek, Jk, Rk, NULL,
                     B, k == 0 ? G : NULL, k == 0 ? ph_current : NULL, x0);
    }
    ph_net(p, 2, ph_cross);
}

/* ---- the reference ------------------------------------------------------- */

/* Stages of the whole over the window, block by block as in w->X; e0 moves to
 * *e1 (of all blocks). */
static inline void ph_monolithic(const ph_problem *p, yk_window *w, double **X,
                                 double *e1)
{
    const yk_ph_net *net = p->net;
    const int s = w->rk->stages;
    yk_sparse E = { NULL, NULL }, A = { NULL, NULL };
    yk_lti *lti = NULL;
    double *f = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_ph_net_sum(net, (yk_ph_sum){ .E = 1.0 }, 0.0, &E, &err), &err);
    CHECK_OK(yk_ph_net_sum(net, (yk_ph_sum){ .A = 1.0 }, 1.0, &A, &err), &err);
    CHECK_OK(yk_lti_create(&lti, w->rk, 0.0, &E, &A, &err), &err);
    CHECK_OK(yk_lti_step_size(lti, w->h, NULL, &err), &err);
    CHECK_OK(yk_doubles(&f, (size_t)(s * net->n), &err), &err);
    memcpy(e1, w->e0, (size_t)net->n * sizeof *e1);
    for (int step = 0; step < w->steps; step++) {
        memset(f, 0, (size_t)(s * net->n) * sizeof *f);
        for (int k = 0; k < s; k++)
            for (int i = 0; i < net->blocks; i++)
                yk_window_drive(w, i, step * s + k,
                                f + k * net->n + net->first[i]);
        CHECK_OK(yk_lti_step(lti, e1, f, &err), &err);
        for (int k = 0; k < s; k++)
            for (int i = 0; i < net->blocks; i++)
                memcpy(X[i] + (size_t)(step * s + k) * (size_t)net->block[i].n,
                       f + k * net->n + net->first[i],
                       (size_t)net->block[i].n * sizeof *f);
    }
    yk_free(f);
    yk_lti_free(lti);
    yk_sparse_clear(&E);
    yk_sparse_clear(&A);
}

static inline double **ph_stages(const yk_ph_net *net, int points)
{
    double **X = NULL;

    CHECK_OK(YK_NEW(&X, net->blocks, NULL), NULL);
    for (int i = 0; i < net->blocks; i++)
        CHECK_OK(
            yk_doubles(&X[i], (size_t)points * (size_t)net->block[i].n, NULL),
            NULL);
    return X;
}

static inline void ph_stages_free(const yk_ph_net *net, double **X)
{
    for (int i = 0; i < net->blocks; i++) yk_free(X[i]);
    yk_free(X);
}

/* L2 norm of a - b (b may be NULL) over the window, all blocks. */
static inline double ph_distance(const yk_window *w, double omega,
                                 double *const *a, double *const *b)
{
    double sum = 0.0;

    for (int i = 0; i < w->net->blocks; i++) {
        const int n = w->net->block[i].n;
        for (int k = 0; k < w->points; k++)
            for (int j = 0; j < n; j++) {
                const size_t at = (size_t)k * (size_t)n + (size_t)j;
                const double d = a[i][at] - (b ? b[i][at] : 0.0);
                sum += w->h * w->rk->b[k % w->rk->stages] * d * d *
                       exp(-2.0 * omega * (w->t[k] - w->t0));
            }
    }
    return sqrt(sum);
}

/* E x0 as the state at the start of the window. */
static inline void ph_begin(const ph_problem *p, yk_window *w)
{
    memset(w->e0, 0, (size_t)p->net->n * sizeof *w->e0);
    for (int i = 0; i < p->net->blocks; i++)
        yk_sparse_multiply(&p->net->block[i].E, 1.0, p->x0 + p->net->first[i],
                           w->e0 + p->net->first[i]);
}

#endif
