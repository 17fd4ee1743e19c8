/* graph/contract.c -- how fast the window iteration contracts.
 *
 * Over one implicit step of length h a cluster answers a change of its inputs,
 * linearised, by
 *
 *     dy = Z(h) du,    Z(h) = Hu - Hx (C/h + G)^-1 (Cu/h + Gu).
 *
 * A sweep replaces, stage by stage, the outputs of the clusters by Z K y; as a
 * map of all coupled outputs it is the matrix S(h), made column by column by
 * sweeping unit vectors.  Its spectral radius is the contraction per sweep on
 * one step.  For h -> 0 it tends to the alpha of the papers, whatever the
 * index: R2^-1 R1 for index 1, ratios of capacitances, and (G2 M2^-1 G2')^-1
 * (G1 M1^-1 G1') for mechanisms.
 *
 * With many coupled outputs S is not formed.  Its radius is found by products
 * with it (la/arnoldi.h), loop by loop of the coupling, so that what merely
 * follows a loop does not count.  A sweep with |Z| and |K| gives two bounds: its
 * sums of rows bound the norm, and for any v > 0
 *
 *     rho(S) <= rho(|S|) <= max_i (|S| v)_i / v_i     (Collatz, Wielandt).
 *
 * Limits: groups (yk_contract_merged) and gains are dense.
 */
#include "graph/contract.h"
#include "graph/cost.h"

#include "graph/graph.h"
#include "graph/policy.h"
#include "la/arnoldi.h"
#include "la/dense.h"
#include "sys/response.h"

#include <math.h>
#include <string.h>

typedef struct response {
    const yk_cluster *cluster;
    yk_response *of;
    int *out_at;    /* of each output: its place in the interface, or -1 */
    int *source_at; /* of each source: its place in the interface */
    bool *around;   /* of each source: it is in the same loop */
} response;

struct yk_contract {
    const yoke_schedule *schedule;
    const yoke_graph *graph;
    yk_cluster *cluster;
    int size;
    const yoke_schedule *sweeps; /* of the products below */
    bool loops, moduli;          /* inside loops only; with |Z| and |K| */
    response *response;          /* of each cluster */
    double *s;                   /* sweep matrix */
    double *jacobi;              /* that of all clusters at once */
    bool jacobi_made;            /* for the present responses */
    double *y, *u;               /* one vector of it; inputs of a cluster */
    double *staged;       /* outputs of a stage before they are put in place */
    int *maker;           /* of each place: the cluster */
    double *block, *side; /* of a group: I - its part of jacobi; its sides */
    int *row, *pivot;     /* places of a group */
    double *coarse;       /* answers of unknowns over another step */
    size_t coarse_room;
};

static void response_clear(response *r)
{
    yk_response_free(r->of);
    YK_FREE(r->out_at, r->source_at, r->around);
}

void yk_contract_free(yk_contract *c)
{
    if (!c) return;
    const int clusters = c->schedule->clusters;
    for (int i = 0; c->response && i < clusters; i++)
        response_clear(&c->response[i]);
    yk_free(c->response);
    yk_clusters_free(c->cluster, clusters);
    YK_FREE(c->s, c->jacobi, c->maker, c->block, c->side, c->row, c->pivot,
            c->coarse, c->y, c->u, c->staged, c);
}

/* ---- the point ----------------------------------------------------------- */

static yoke_status linearise(response *r, const yoke_graph *g, double t,
                             const double *const *x, const double *const *u,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_system *s = r->cluster->system;
    const yoke_system_info *f = yoke_system_facts(s);
    double *point = NULL, *input = NULL;

    YK_GO(yk_doubles(&point, (size_t)f->n, err));
    YK_GO(yk_doubles(&input, (size_t)f->m, err));
    yk_cluster_gather(r->cluster, g, x, u, point);
    for (int k = 0; k < r->cluster->ins; k++)
        input[k] = u[r->cluster->in[k][0]][r->cluster->in[k][1]];
    YK_GO(yk_response_create(&r->of, s, err));
    YK_GO(yk_response_linearise(r->of, t, point, input, err));
done:
    YK_FREE(point, input);
    return status;
}

/* ---- places in the interface --------------------------------------------- */

/* Outputs that some cluster reads from outside get a place. */
static yoke_status number_interface(yk_contract *c, const yoke_graph *g,
                                    yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int clusters = c->schedule->clusters;
    int *first = NULL, *place = NULL;

    YK_GO(yk_ints(&first, (size_t)g->nodes + 1, err));
    for (int i = 0; i < g->nodes; i++)
        first[i + 1] = first[i] + yoke_system_facts(g->node[i].system)->p;
    YK_GO(yk_ints(&place, (size_t)first[g->nodes], err));
    for (int k = 0; k < clusters; k++)
        for (int s = 0; s < c->cluster[k].sources; s++) {
            const yk_cluster_source *from = &c->cluster[k].source[s];
            int *at = &place[first[from->node] + from->output];
            if (*at == 0 && !from->delayed) *at = ++c->size;
        }
    for (int k = 0; k < clusters; k++) {
        const yk_cluster *cl = &c->cluster[k];
        response *r = &c->response[k];
        YK_GO(yk_ints(&r->out_at, (size_t)cl->outs, err));
        YK_GO(yk_ints(&r->source_at, (size_t)cl->sources, err));
        for (int o = 0; o < cl->outs; o++)
            r->out_at[o] = place[first[cl->out[o][0]] + cl->out[o][1]] - 1;
        for (int s = 0; s < cl->sources; s++)
            r->source_at[s] =
                place[first[cl->source[s].node] + cl->source[s].output] - 1;
    }
done:
    YK_FREE(first, place);
    return status;
}

static yoke_status build(yk_contract *c, const yoke_graph *g, double t,
                         const double *const *x, const double *const *u,
                         yoke_err *err)
{
    int most_in = 0, most_out = 0;

    YK_TRY(yk_clusters_create(&c->cluster, g, c->schedule, NULL, err));
    YK_TRY(YK_NEW(&c->response, c->schedule->clusters, err));
    for (int k = 0; k < c->schedule->clusters; k++) {
        response *r = &c->response[k];
        r->cluster = &c->cluster[k];
        YK_TRY(linearise(r, g, t, x, u, err));
        if (r->cluster->ins > most_in) most_in = r->cluster->ins;
        most_out += r->cluster->outs;
    }
    YK_TRY(number_interface(c, g, err));
    YK_TRY(yk_doubles(&c->y, (size_t)c->size, err));
    YK_TRY(yk_doubles(&c->u, (size_t)most_in, err));
    return yk_doubles(&c->staged, (size_t)most_out, err);
}

yoke_status yk_contract_create(yk_contract **out, const yoke_graph *graph,
                               const yoke_schedule *schedule, double t,
                               const double *const *x, const double *const *u,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_contract *c = NULL;

    YK_TRY(YK_NEW(&c, 1, err));
    c->schedule = schedule;
    c->graph = graph;
    YK_GO(build(c, graph, t, x, u, err));
    *out = c;
    c = NULL;
done:
    yk_contract_free(c);
    return status;
}

yoke_status yk_contract_respond(yk_contract *c, double h, yoke_err *err)
{
    c->jacobi_made = false;
    for (int k = 0; k < c->schedule->clusters; k++)
        YK_TRY(yk_response_factor(c->response[k].of, 1.0 / h, err));
    return YOKE_OK;
}

bool yk_contract_alike(const yk_contract *c, double factor)
{
    double least = INFINITY, most = 0.0;

    for (int k = 0; k < c->schedule->clusters; k++) {
        const double rate = yk_response_rate(c->response[k].of);
        if (!(rate > 0.0)) continue;
        least = fmin(least, rate);
        most = fmax(most, rate);
    }
    return most <= factor * least;
}

double yk_contract_price(const yk_contract *c)
{
    double apart = 0.0, inside = 0.0, most = 0.0;

    for (int k = 0; k < c->schedule->clusters; k++) {
        const yoke_system_info *f = yoke_system_facts(c->cluster[k].system);
        const double weight =
            yk_cost_weight(f->n, f->G ? yoke_pattern_count(f->G) : 0);
        const double rate = yk_response_rate(c->response[k].of);
        most = fmax(most, rate);
        apart += rate * yk_cost_apart(weight);
        inside += yk_cost_inside(weight);
    }
    return most > 0.0 ? apart / (most * inside) : 0.0;
}

const yk_cluster *yk_contract_clusters(const yk_contract *contract)
{
    return contract->cluster;
}

/* ---- one sweep ----------------------------------------------------------- */

/* The number or its modulus. */
static double part(const yk_contract *c, double x)
{
    return c->moduli ? fabs(x) : x;
}

/* New outputs of a cluster from the interface y, into `staged`. */
static void apply(yk_contract *c, const response *r, double *staged)
{
    const yk_cluster *cl = r->cluster;
    const double *z = yk_response_matrix(r->of);

    for (int k = 0; k < cl->ins; k++) c->u[k] = 0.0;
    for (int s = 0; s < cl->sources; s++)
        if (!cl->source[s].delayed && (!c->loops || r->around[s]))
            c->u[cl->source[s].to] +=
                part(c, cl->source[s].weight) * c->y[r->source_at[s]];
    for (int o = 0; o < cl->outs; o++) {
        double sum = 0.0;
        if (r->out_at[o] < 0) continue;
        for (int k = 0; k < cl->ins; k++)
            sum += part(c, z[o * cl->ins + k]) * c->u[k];
        staged[o] = sum;
    }
}

static void put(yk_contract *c, const response *r, const double *staged)
{
    for (int o = 0; o < r->cluster->outs; o++)
        if (r->out_at[o] >= 0) c->y[r->out_at[o]] = staged[o];
}

static void sweep(yk_contract *c, const yoke_schedule *s)
{
    for (int stage = 0; stage < s->stages; stage++) {
        double *staged = c->staged;
        for (int k = s->stage[stage]; k < s->stage[stage + 1]; k++) {
            apply(c, &c->response[s->member[k]], staged);
            staged += c->response[s->member[k]].cluster->outs;
        }
        staged = c->staged;
        for (int k = s->stage[stage]; k < s->stage[stage + 1]; k++) {
            put(c, &c->response[s->member[k]], staged);
            staged += c->response[s->member[k]].cluster->outs;
        }
    }
}

static yoke_status sweep_whole(yk_contract *c, const yoke_schedule *schedule,
                               double *rho, double *norm, yoke_err *err)
{
    const int n = c->size;

    if (!c->s) YK_TRY(yk_doubles(&c->s, (size_t)n * (size_t)n, err));
    for (int j = 0; j < n; j++) {
        memset(c->y, 0, (size_t)n * sizeof *c->y);
        c->y[j] = 1.0;
        sweep(c, schedule);
        for (int i = 0; i < n; i++) c->s[i * n + j] = c->y[i];
    }
    *norm = yk_max_norm(n, c->s);
    return yk_spectral_radius(n, c->s, rho, err);
}

static void product(void *context, const double *v, double *out)
{
    yk_contract *c = context;

    memcpy(c->y, v, (size_t)c->size * sizeof *v);
    sweep(c, c->sweeps);
    memcpy(out, c->y, (size_t)c->size * sizeof *v);
}

static yoke_status find_loops(yk_contract *c, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_schedule *s = c->schedule;
    int *loop = NULL, loops = 0;

    if (s->clusters == 0 || c->response[0].around) return YOKE_OK;
    YK_GO(yk_ints(&loop, (size_t)s->clusters, err));
    YK_GO(yk_schedule_loops(c->graph, s, loop, &loops, err));
    for (int k = s->clusters - 1; k >= 0; k--) {
        const yk_cluster *cl = &c->cluster[k];
        YK_GO(YK_NEW(&c->response[k].around, cl->sources, err));
        for (int i = 0; i < cl->sources; i++)
            c->response[k].around[i] =
                loop[s->cluster[cl->source[i].node]] == loop[k];
    }
done:
    yk_free(loop);
    return status;
}

/* Bounds of the norm and of the radius.  v stays positive: unknowns that no loop
 * reaches keep a part of what they had. */
static void bound(yk_contract *c, double *v, double *w, double *norm,
                  double *most)
{
    const int n = c->size;

    c->moduli = true;
    for (int i = 0; i < n; i++) v[i] = 1.0;
    product(c, v, w);
    *norm = 0.0;
    for (int i = 0; i < n; i++) *norm = fmax(*norm, w[i]);
    c->loops = true;
    *most = INFINITY;
    for (int step = 0; step < YK_GRAPH_BOUND_STEPS; step++) {
        double ratio = 0.0, peak = 0.0;
        product(c, v, w);
        for (int i = 0; i < n; i++) ratio = fmax(ratio, w[i] / v[i]);
        *most = fmin(*most, ratio);
        for (int i = 0; i < n; i++) v[i] = 0.5 * w[i] + 0.5 * ratio * v[i];
        for (int i = 0; i < n; i++) peak = fmax(peak, v[i]);
        for (int i = 0; i < n; i++) v[i] = peak > 0.0 ? v[i] / peak : 1.0;
        for (int i = 0; i < n; i++) v[i] = fmax(v[i], 1e-100);
    }
    c->moduli = c->loops = false;
}

static yoke_status sweep_many(yk_contract *c, double *rho, double *norm,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *v = NULL, *w = NULL, most = 0.0;

    YK_GO(find_loops(c, err));
    YK_GO(YK_DOUBLES((size_t)c->size, err, &v, &w));
    bound(c, v, w, norm, &most);
    if (!isfinite(*norm))
        YK_GO(
            yk_fail(err, YOKE_E_NUMERIC, "the linearised sweep is not finite"));
    c->loops = true;
    status =
        yk_arnoldi_radius(c->size, product, c, YK_GRAPH_RADIUS, rho, NULL, err);
    c->loops = false;
    *rho = fmin(*rho, most);
done:
    YK_FREE(v, w);
    return status;
}

yoke_status yk_contract_sweep(yk_contract *c, const yoke_schedule *schedule,
                              double *rho, double *norm, yoke_err *err)
{
    c->sweeps = schedule ? schedule : c->schedule;
    return c->size <= YK_GRAPH_MOST_SIGNALS
               ? sweep_whole(c, c->sweeps, rho, norm, err)
               : sweep_many(c, rho, norm, err);
}

yoke_status yk_contract_rate(yk_contract *c, double *rho, yoke_err *err)
{
    double norm = 0.0;

    c->sweeps = c->schedule;
    return c->size <= YK_GRAPH_FEW_SIGNALS
               ? sweep_whole(c, c->sweeps, rho, &norm, err)
               : sweep_many(c, rho, &norm, err);
}

/* The place of output o of cluster k among all outputs, or -1: not coupled. */
static int place_of(const yk_contract *c, int k, int o, const int *first_out)
{
    const int *from = c->cluster[k].out[o];

    return c->response[k].out_at[o] < 0 ? -1 : first_out[from[0]] + from[1];
}

static void gather(yk_contract *c, const int *first_out, const double *y)
{
    for (int k = 0; k < c->schedule->clusters; k++)
        for (int o = 0; o < c->cluster[k].outs; o++) {
            const int at = place_of(c, k, o, first_out);
            if (at >= 0) c->y[c->response[k].out_at[o]] = y[at];
        }
}

void yk_contract_carry(yk_contract *c, const yoke_schedule *schedule,
                       const int *first_out, const double *y, double *after)
{
    gather(c, first_out, y);
    sweep(c, schedule ? schedule : c->schedule);
    for (int k = 0; k < c->schedule->clusters; k++)
        for (int o = 0; o < c->cluster[k].outs; o++) {
            const int at = place_of(c, k, o, first_out);
            if (at >= 0) after[at] = c->y[c->response[k].out_at[o]];
        }
}

double yk_contract_answer(yk_contract *c, int cluster, const int *first_out,
                          const double *y)
{
    const response *r = &c->response[cluster];
    double in = 0.0, out = 0.0;

    gather(c, first_out, y);
    apply(c, r, c->staged);
    for (int k = 0; k < r->cluster->ins; k++) in = fmax(in, fabs(c->u[k]));
    for (int o = 0; o < r->cluster->outs; o++)
        if (r->out_at[o] >= 0) out = fmax(out, fabs(c->staged[o]));
    return in > 0.0 ? out / in : NAN;
}

/* ---- groups -------------------------------------------------------------- */

static yoke_status make_group_room(yk_contract *c, yoke_err *err)
{
    const size_t n = (size_t)c->size;

    if (c->pivot) return YOKE_OK;
    if (!c->s) YK_TRY(yk_doubles(&c->s, n * n, err));
    YK_TRY(YK_DOUBLES(n * n, err, &c->jacobi, &c->block, &c->side));
    YK_TRY(YK_INTS(n, err, &c->maker, &c->row));
    for (int k = 0; k < c->schedule->clusters; k++)
        for (int o = 0; o < c->cluster[k].outs; o++)
            if (c->response[k].out_at[o] >= 0)
                c->maker[c->response[k].out_at[o]] = k;
    return yk_ints(&c->pivot, n, err);
}

/* All clusters at once. */
static void make_jacobi(yk_contract *c)
{
    const int n = c->size;

    if (c->jacobi_made) return;
    c->jacobi_made = true;
    for (int j = 0; j < n; j++) {
        memset(c->y, 0, (size_t)n * sizeof *c->y);
        c->y[j] = 1.0;
        for (int k = 0; k < c->schedule->clusters; k++) {
            const response *r = &c->response[k];
            apply(c, r, c->staged);
            for (int o = 0; o < r->cluster->outs; o++)
                if (r->out_at[o] >= 0)
                    c->jacobi[r->out_at[o] * n + j] = c->staged[o];
        }
    }
}

/* The outputs of a group as one system, from those of the others:
 * y_R = (I - J_RR)^-1 J_RO y_O, for all columns of s. */
static yoke_status solve_group(yk_contract *c, const int *group, int g,
                               yoke_err *err)
{
    const int n = c->size;
    int rows = 0;

    for (int i = 0; i < n; i++)
        if (group[c->maker[i]] == g) c->row[rows++] = i;
    for (int a = 0; a < rows; a++) {
        const double *from = &c->jacobi[c->row[a] * n];
        for (int b = 0; b < rows; b++)
            c->block[a * rows + b] = (a == b ? 1.0 : 0.0) - from[c->row[b]];
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++)
                if (group[c->maker[i]] != g) sum += from[i] * c->s[i * n + j];
            c->side[j * rows + a] = sum;
        }
    }
    if (rows == 0) return YOKE_OK;
    YK_TRY(yk_dense_factor(rows, c->block, c->pivot, NULL, err));
    YK_TRY(yk_dense_solve(rows, c->block, c->pivot, n, c->side, err));
    for (int a = 0; a < rows; a++)
        for (int j = 0; j < n; j++)
            c->s[c->row[a] * n + j] = c->side[j * rows + a];
    return YOKE_OK;
}

yoke_status yk_contract_merged(yk_contract *c, const int *group, int groups,
                               const int *order, double *rho, yoke_err *err)
{
    const int n = c->size;

    YK_TRY(make_group_room(c, err));
    make_jacobi(c);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) c->s[i * n + j] = i == j ? 1.0 : 0.0;
    for (int k = 0; k < groups; k++)
        YK_TRY(solve_group(c, group, order[k], err));
    return yk_spectral_radius(n, c->s, rho, err);
}

yoke_status yk_contract_gains(yk_contract *c, double *gain, yoke_err *err)
{
    const int n = c->size, clusters = c->schedule->clusters;
    double *sum = NULL;

    YK_TRY(make_group_room(c, err));
    YK_TRY(yk_doubles(&sum, (size_t)clusters, err));
    make_jacobi(c);
    for (int k = 0; k < clusters * clusters; k++) gain[k] = 0.0;
    for (int i = 0; i < n; i++) {
        double *row = gain + (size_t)c->maker[i] * (size_t)clusters;
        for (int b = 0; b < clusters; b++) sum[b] = 0.0;
        for (int j = 0; j < n; j++)
            sum[c->maker[j]] += fabs(c->jacobi[i * n + j]);
        for (int b = 0; b < clusters; b++) row[b] = fmax(row[b], sum[b]);
    }
    yk_free(sum);
    return YOKE_OK;
}

/* ---- unknowns that ask for derivatives ----------------------------------- */

yoke_status yk_contract_deep(yk_contract *c, int cluster, double h, int after,
                             int *input, int *unknown, yoke_err *err)
{
    yk_response *r = c->response[cluster].of;
    const yoke_system_info *f = yoke_system_facts(c->cluster[cluster].system);
    const size_t size = (size_t)f->n * (size_t)f->m;

    *input = *unknown = -1;
    YK_TRY(YK_GROW(&c->coarse, &c->coarse_room, size + 1, err));
    c->jacobi_made = false;
    YK_TRY(yk_response_factor(r, 1.0 / h, err));
    memcpy(c->coarse, yk_response_unknowns(r), size * sizeof *c->coarse);
    YK_TRY(yk_response_factor(r, 10.0 / h, err));
    for (int j = after + 1; j < f->m && *input < 0; j++) {
        const double *fine = yk_response_unknowns(r) + (size_t)j * (size_t)f->n;
        const double *coarse = c->coarse + (size_t)j * (size_t)f->n;
        double most = 0.0;
        for (int i = 0; i < f->n; i++) most = fmax(most, fabs(fine[i]));
        for (int i = 0; i < f->n && *input < 0; i++) {
            if (!(fabs(fine[i]) > YK_GRAPH_DEEP * fabs(coarse[i])) ||
                !(fabs(fine[i]) > YK_GRAPH_ROUNDING * most))
                continue;
            *input = j;
            *unknown = i;
        }
    }
    return YOKE_OK;
}
