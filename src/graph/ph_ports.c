/* graph/ph_ports.c -- impedances of ports, and mu by the guaranteed sweeps. */
#include "graph/ph_ports.h"

#include <math.h>
#include <string.h>

double yk_ports_growth(double small)
{
    return fmin(30.0, fmax(1.0, log(small * 1e14)));
}

typedef struct answer {
    yk_sparse M;       /* mu E + R Q + shift Q */
    double *e, *r, *q; /* the three, at the places of M */
    double size_e, size_r, size_q;
    yk_lu *lu;
    double *S; /* ports by ports: B' W^-1 B */
    double *x;
} answer;

struct yk_ports {
    const yk_ph_net *net;
    answer *block;
    double *limit; /* of each wave: P */
};

void yk_ports_free(yk_ports *p)
{
    if (!p) return;
    for (int i = 0; p->block && i < p->net->blocks; i++) {
        yk_sparse_clear(&p->block[i].M);
        YK_FREE(p->block[i].e, p->block[i].r, p->block[i].q);
        yk_lu_free(p->block[i].lu);
        YK_FREE(p->block[i].S, p->block[i].x);
    }
    YK_FREE(p->block, p->limit, p);
}

static yoke_status spread(const yk_sparse *from, const yoke_pattern *to,
                          double **out, yoke_err *err)
{
    const yoke_pattern *p = from->pattern;

    YK_TRY(yk_doubles(out, (size_t)yoke_pattern_count(to) + 1, err));
    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            (*out)[yoke_pattern_find(to, p->row[k], j)] += from->value[k];
    return YOKE_OK;
}

static yoke_status prepare(const yk_ph_block *b, answer *a, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };
    const yk_ph_sum all = { .RQ = 1.0, .E = 1.0, .Q = 1.0 };

    YK_GO(yk_ph_block_add(b, all, 0, &t, err));
    YK_GO(yk_sparse_create(&a->M, b->n, b->n, &t, err));
    YK_GO(spread(&b->E, a->M.pattern, &a->e, err));
    YK_GO(spread(&b->RQ, a->M.pattern, &a->r, err));
    YK_GO(spread(&b->Q, a->M.pattern, &a->q, err));
    a->size_e = yk_sparse_largest(&b->E);
    a->size_r = yk_sparse_largest(&b->RQ);
    a->size_q = yk_sparse_largest(&b->Q);
done:
    yk_triplets_clear(&t);
    return status;
}

/* mu E + R Q, with so little of Q that it is regular where nothing is stored
 * and nothing dissipated: there the answer is then as good as infinite. */
static void assemble(answer *a, double mu)
{
    const double size = mu * a->size_e + a->size_r;
    const double shift = 1e-14 * (size > 0.0 ? size / a->size_q : 1.0);

    for (int k = 0; k < yoke_pattern_count(a->M.pattern); k++)
        a->M.value[k] = mu * a->e[k] + a->r[k] + shift * a->q[k];
}

yoke_status yk_ports_create(yk_ports **out, const yk_ph_net *net, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_ports *p = NULL;

    YK_GO(YK_NEW(&p, 1, err));
    p->net = net;
    YK_GO(YK_NEW(&p->block, net->blocks + 1, err));
    YK_GO(yk_doubles(&p->limit, 2 * (size_t)net->pairs + 1, err));
    for (int i = 0; i < net->blocks; i++) {
        const yk_ph_block *b = &net->block[i];
        answer *a = &p->block[i];
        YK_GO(prepare(b, a, err));
        YK_GO(yk_lu_create(&a->lu, a->M.pattern, false, err));
        YK_GO(yk_doubles(&a->S, (size_t)b->ports * (size_t)b->ports + 1, err));
        YK_GO(yk_doubles(&a->x, (size_t)b->n + 1, err));
    }
    *out = p;
    return YOKE_OK;
done:
    yk_ports_free(p);
    return status;
}

/* S = P'Q (mu E + R Q)^-1 P, and from it the diagonal: a matrix is at most the
 * diagonal of the sums of its rows. */
static yoke_status limits(yk_ports *p, int i, double mu, yoke_err *err)
{
    const yk_ph_block *b = &p->net->block[i];
    answer *a = &p->block[i];
    yoke_err why = { YOKE_OK, "" };

    assemble(a, mu);
    const yoke_status status = yk_lu_factor(a->lu, a->M.value, NULL, &why);
    if (status < 0 && err) *err = why;
    if (status < 0) return status;
    for (int k = 0; k < b->ports; k++) {
        double *column = a->S + k * b->ports;
        const yoke_pattern *c = b->P.pattern;
        if (status == YOKE_RETRY) {
            p->limit[b->wave[k]] = 1e-14;
            continue;
        }
        memset(a->x, 0, (size_t)b->n * sizeof *a->x);
        memset(column, 0, (size_t)b->ports * sizeof *column);
        for (int l = c->start[k]; l < c->start[k + 1]; l++)
            a->x[c->row[l]] = b->P.value[l];
        YK_TRY(yk_lu_solve(a->lu, a->x, err));
        yk_sparse_multiply(&b->PQ, 1.0, a->x, column);
        double sum = 0.0;
        for (int l = 0; l < b->ports; l++) sum += fabs(column[l]);
        p->limit[b->wave[k]] = isfinite(sum) && sum > 0.0
                                   ? fmin(fmax(1.0 / sum, 1e-14), 1e14)
                               : sum == 0.0 ? 1e14
                                            : 1e-14;
    }
    return YOKE_OK;
}

yoke_status yk_ports_match(yk_ports *p, double mu, double *zeta, double *weight,
                           double *q, yoke_err *err)
{
    *q = 0.0;
    for (int i = 0; i < p->net->blocks; i++) YK_TRY(limits(p, i, mu, err));
    for (int k = 0; k < p->net->pairs; k++) {
        const double a = p->limit[2 * k], b = p->limit[2 * k + 1];
        const double mean = sqrt(a * b);
        const double wave = 1.0 / (sqrt(1.0 + mean * mean) + mean);
        const double ratio = sqrt(a / b);
        const double both = 2.0 * wave * (1.0 + wave * wave);
        if (zeta) {
            zeta[2 * k] = ratio * wave;
            zeta[2 * k + 1] = wave / ratio;
        }
        if (weight) {
            weight[2 * k] = 1.0 / (ratio * both);
            weight[2 * k + 1] = ratio / both;
        }
        *q = fmax(*q, wave);
    }
    return YOKE_OK;
}

static yoke_status judge(yk_ports *p, const yk_rk *rk, double h, double length,
                         double small, bool ordered, double mu,
                         yk_guarantee *out, yoke_err *err)
{
    out->mu = mu;
    YK_TRY(yk_ports_match(p, mu, NULL, NULL, &out->q, err));
    out->omega = yk_rk_omega(rk, mu, h);
    out->rate = ordered && p->net->colours <= 2 ? out->q * out->q : out->q;
    out->sweeps =
        out->rate > 0.0 && out->rate < 1.0
            ? (out->omega * length + log(1.0 / small)) / -log(out->rate)
            : (out->rate == 0.0 ? 1.0 : INFINITY);
    return YOKE_OK;
}

/* The count has one valley in log mu: a grid, then sections of golden ratio. */
yoke_status yk_ports_choose(yk_ports *p, const yk_rk *rk, double h,
                            double length, double growth, double small,
                            bool ordered, double mu, yk_guarantee *out,
                            yoke_err *err)
{
    enum { GRID = 17, SECTIONS = 20 };
    const double golden = 0.6180339887498949;
    const double step_limit = (rk->order == 3 ? 0.08 : 0.5) / h;
    const double high = log(fmin(growth / length, step_limit));
    const double low =
        log(1e-3 / length) < high ? log(1e-3 / length) : high - 1.0;
    yk_guarantee g;
    double best = high;

    if (mu > 0.0) return judge(p, rk, h, length, small, ordered, mu, out, err);
    YK_TRY(judge(p, rk, h, length, small, ordered, exp(high), out, err));
    for (int k = 0; k < GRID - 1; k++) {
        const double at = low + (high - low) * k / (GRID - 1);
        YK_TRY(judge(p, rk, h, length, small, ordered, exp(at), &g, err));
        if (!(g.sweeps < out->sweeps)) continue;
        *out = g;
        best = at;
    }
    double a = fmax(low, best - (high - low) / (GRID - 1));
    double b = fmin(high, best + (high - low) / (GRID - 1));
    for (int k = 0; k < SECTIONS; k++) {
        const double left = b - golden * (b - a), right = a + golden * (b - a);
        yk_guarantee l, r;
        YK_TRY(judge(p, rk, h, length, small, ordered, exp(left), &l, err));
        YK_TRY(judge(p, rk, h, length, small, ordered, exp(right), &r, err));
        if (l.sweeps < r.sweeps)
            b = right;
        else
            a = left;
        if (l.sweeps < out->sweeps) *out = l;
        if (r.sweeps < out->sweeps) *out = r;
    }
    return YOKE_OK;
}
