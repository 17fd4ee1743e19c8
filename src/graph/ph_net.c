/* graph/ph_net.c -- from subsystems and signals to blocks and pairs of ports. */
#include "graph/ph_net.h"

#include "la/dense.h"
#include "la/lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void block_clear(yk_ph_block *b)
{
    yk_sparse_clear(&b->E);
    yk_sparse_clear(&b->Q);
    yk_sparse_clear(&b->RQ);
    yk_sparse_clear(&b->A);
    yk_sparse_clear(&b->P);
    yk_sparse_clear(&b->PQ);
    yk_sparse_clear(&b->F);
    yk_sparse_clear(&b->H);
    yk_sparse_clear(&b->G);
    YK_FREE(b->wave, b->outer);
}

void yk_ph_net_free(yk_ph_net *net)
{
    if (!net) return;
    for (int i = 0; net->block && i < net->blocks; i++)
        block_clear(&net->block[i]);
    YK_FREE(net->block, net->pair, net->first, net->order, net->colour, net);
}

/* ---- couplings ----------------------------------------------------------- */

/* Links sorted by (smaller block, larger block). */
typedef struct sorted {
    yk_ph_link link;
    int i, j;
} sorted;

static int compare(const void *a, const void *b)
{
    const sorted *x = a, *y = b;

    if (x->i != y->i) return x->i < y->i ? -1 : 1;
    if (x->j != y->j) return x->j < y->j ? -1 : 1;
    return 0;
}

static yoke_status sort_links(int links, const yk_ph_link *link, sorted **out,
                              int *count, yoke_err *err)
{
    YK_TRY(YK_NEW(out, links + 1, err));
    *count = 0;
    for (int k = 0; k < links; k++) {
        const yk_ph_link *l = &link[k];
        if (l->from < 0 || l->weight == 0.0) continue;
        (*out)[(*count)++] = (sorted){
            *l,
            l->to < l->from ? l->to : l->from,
            l->to < l->from ? l->from : l->to,
        };
    }
    qsort(*out, (size_t)*count, sizeof **out, compare);
    return YOKE_OK;
}

/* K_ij as a small dense matrix over the ports that take part. */
typedef struct small {
    int rows, cols; /* ports of i, of j */
    int *row, *col; /* which */
    double *to_i;   /* rows by cols: u_i = to_i y_j */
    double *to_j;   /* rows by cols: u_j = to_j' y_i */
} small;

static void small_clear(small *s)
{
    YK_FREE(s->row, s->col, s->to_i, s->to_j);
    *s = (small){ 0 };
}

static int place(int *list, int *count, int value)
{
    for (int k = 0; k < *count; k++)
        if (list[k] == value) return k;
    list[*count] = value;
    return (*count)++;
}

static yoke_status gather(const sorted *s, int count, small *out, yoke_err *err)
{
    YK_TRY(YK_INTS((size_t)count + 1, err, &out->row, &out->col));
    for (int k = 0; k < count; k++) {
        const bool into_i = s[k].link.to == s[k].i;
        place(out->row, &out->rows,
              into_i ? s[k].link.input : s[k].link.output);
        place(out->col, &out->cols,
              into_i ? s[k].link.output : s[k].link.input);
    }
    const size_t size = (size_t)out->rows * (size_t)out->cols;
    YK_TRY(YK_DOUBLES(size + 1, err, &out->to_i, &out->to_j));
    for (int k = 0; k < count; k++) {
        const bool into_i = s[k].link.to == s[k].i;
        const int r = place(out->row, &out->rows,
                            into_i ? s[k].link.input : s[k].link.output);
        const int c = place(out->col, &out->cols,
                            into_i ? s[k].link.output : s[k].link.input);
        (into_i ? out->to_i : out->to_j)[r * out->cols + c] += s[k].link.weight;
    }
    return YOKE_OK;
}

static const char *port_name(yoke_system *const *system, int block, int port,
                             bool input)
{
    const yoke_system_info *f = yoke_system_facts(system[block]);

    return input ? f->u_name[port] : f->y_name[port];
}

/* K_ji = - K_ij', or power is made or lost between the subsystems. */
static yoke_status check_skew(const small *s, int i, int j,
                              yoke_system *const *system, yoke_err *err)
{
    for (int r = 0; r < s->rows; r++)
        for (int c = 0; c < s->cols; c++) {
            const double a = s->to_i[r * s->cols + c];
            const double b = s->to_j[r * s->cols + c];
            if (fabs(a + b) <= 1e-12 * (fabs(a) + fabs(b))) continue;
            return yk_fail(
                err, YOKE_E_MODEL,
                "the coupling of \"%s\" and \"%s\" does not conserve power: "
                "%s.%s has %g times %s.%s, so %s.%s must have %g times %s.%s, "
                "but has %g",
                yoke_system_name(system[i]), yoke_system_name(system[j]),
                yoke_system_name(system[i]),
                port_name(system, i, s->row[r], true), a,
                yoke_system_name(system[j]),
                port_name(system, j, s->col[c], false),
                yoke_system_name(system[j]),
                port_name(system, j, s->col[c], true), -a,
                yoke_system_name(system[i]),
                port_name(system, i, s->row[r], false), b);
        }
    return YOKE_OK;
}

/* ---- pairs --------------------------------------------------------------- */

/* What is being made: pairs, and for each block the columns of its ports as
 * combinations of the columns of B. */
typedef struct maker {
    yk_ph_net *net;
    yoke_system *const *system;
    yk_triplets *mix; /* of each block: (port of the subsystem, new port) */
    size_t pair_room;
} maker;

static yoke_status new_pair(maker *m, int i, int j, yoke_err *err)
{
    yk_ph_net *net = m->net;

    YK_TRY(YK_GROW(&net->pair, &m->pair_room, net->pairs + 1, err));
    net->pair[net->pairs++] =
        (yk_ph_pair){ { i, j },
                      { net->block[i].ports++, net->block[j].ports++ } };
    return YOKE_OK;
}

/* Each port has one partner: no singular vectors are needed. */
static bool is_matching(const small *s)
{
    for (int r = 0; r < s->rows; r++) {
        int count = 0;
        for (int c = 0; c < s->cols; c++)
            count += s->to_i[r * s->cols + c] != 0.0;
        if (count > 1) return false;
    }
    for (int c = 0; c < s->cols; c++) {
        int count = 0;
        for (int r = 0; r < s->rows; r++)
            count += s->to_i[r * s->cols + c] != 0.0;
        if (count > 1) return false;
    }
    return true;
}

static yoke_status pair_matching(maker *m, const small *s, int i, int j,
                                 yoke_err *err)
{
    for (int r = 0; r < s->rows; r++)
        for (int c = 0; c < s->cols; c++) {
            const double k = s->to_i[r * s->cols + c];
            if (k == 0.0) continue;
            const double half = sqrt(fabs(k));
            YK_TRY(new_pair(m, i, j, err));
            YK_TRY(yk_triplets_add(&m->mix[i], s->row[r],
                                   m->net->block[i].ports - 1, half, err));
            YK_TRY(yk_triplets_add(&m->mix[j], s->col[c],
                                   m->net->block[j].ports - 1,
                                   k > 0.0 ? half : -half, err));
        }
    return YOKE_OK;
}

/* K = sum sigma u v': one pair for each singular value that is not zero. */
static yoke_status pair_singular(maker *m, const small *s, int i, int j,
                                 yoke_err *err)
{
    const int least = s->rows < s->cols ? s->rows : s->cols;
    yoke_status status = YOKE_OK;
    double *sigma = NULL, *u = NULL, *v = NULL;

    YK_GO(yk_doubles(&sigma, (size_t)least + 1, err));
    YK_GO(yk_doubles(&u, (size_t)s->rows * (size_t)least + 1, err));
    YK_GO(yk_doubles(&v, (size_t)s->cols * (size_t)least + 1, err));
    YK_GO(yk_singular_values(s->rows, s->cols, s->to_i, sigma, u, v, err));
    for (int k = 0; k < least && sigma[k] > 1e-13 * sigma[0]; k++) {
        const double half = sqrt(sigma[k]);
        YK_GO(new_pair(m, i, j, err));
        for (int r = 0; r < s->rows; r++)
            YK_GO(yk_triplets_add(&m->mix[i], s->row[r],
                                  m->net->block[i].ports - 1,
                                  half * u[k * s->rows + r], err));
        for (int c = 0; c < s->cols; c++)
            YK_GO(yk_triplets_add(&m->mix[j], s->col[c],
                                  m->net->block[j].ports - 1,
                                  half * v[k * s->cols + c], err));
    }
done:
    YK_FREE(sigma, u, v);
    return status;
}

/* A block coupled with itself: B K B' is a part of its J. */
static yoke_status join_self(maker *m, const sorted *s, int count,
                             yk_triplets *inner, yoke_err *err)
{
    const yoke_ports *f = m->net->block[s->i].facts;
    const yoke_pattern *b = f->B.pattern;

    for (int k = 0; k < count; k++) {
        const yk_ph_link *l = &s[k].link;
        double back = 0.0, there = 0.0;
        for (int q = 0; q < count; q++) {
            const yk_ph_link *o = &s[q].link;
            if (o->input == l->output && o->output == l->input)
                back += o->weight;
            if (o->input == l->input && o->output == l->output)
                there += o->weight;
        }
        if (fabs(there + back) > 1e-12 * (fabs(there) + fabs(back)))
            return yk_fail(err, YOKE_E_MODEL,
                           "\"%s\" is coupled with itself, input %s with %g "
                           "times output %s, which does not conserve power",
                           yoke_system_name(m->system[s->i]),
                           port_name(m->system, s->i, l->input, true), there,
                           port_name(m->system, s->i, l->output, false));
        for (int p = b->start[l->input]; p < b->start[l->input + 1]; p++)
            for (int q = b->start[l->output]; q < b->start[l->output + 1]; q++)
                YK_TRY(yk_triplets_add(
                    inner, b->row[p], b->row[q],
                    l->weight * f->B.value[p] * f->B.value[q], err));
    }
    return YOKE_OK;
}

static yoke_status make_pairs(maker *m, int links, const yk_ph_link *link,
                              yk_triplets *inner, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    sorted *list = NULL;
    small s = { 0 };
    int count = 0;

    YK_GO(sort_links(links, link, &list, &count, err));
    for (int a = 0, b = 0; a < count; a = b) {
        while (b < count && list[b].i == list[a].i && list[b].j == list[a].j)
            b++;
        const int i = list[a].i, j = list[a].j;
        if (i == j) {
            YK_GO(join_self(m, list + a, b - a, &inner[i], err));
            continue;
        }
        YK_GO(gather(list + a, b - a, &s, err));
        YK_GO(check_skew(&s, i, j, m->system, err));
        YK_GO(is_matching(&s) ? pair_matching(m, &s, i, j, err)
                              : pair_singular(m, &s, i, j, err));
        small_clear(&s);
    }
done:
    small_clear(&s);
    yk_free(list);
    return status;
}

/* ---- blocks -------------------------------------------------------------- */

static yoke_status make_outer(yk_ph_block *b, int index, int links,
                              const yk_ph_link *link, yoke_err *err)
{
    const yoke_matrix *B = &b->facts->B;
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };

    for (int k = 0; k < links; k++)
        b->outers += link[k].to == index && link[k].from < 0;
    YK_GO(yk_ints(&b->outer, (size_t)b->outers + 1, err));
    int col = 0;
    for (int k = 0; k < links; k++) {
        if (link[k].to != index || link[k].from >= 0) continue;
        const int in = link[k].input;
        for (int p = B->pattern->start[in]; p < B->pattern->start[in + 1]; p++)
            YK_GO(yk_triplets_add(&t, B->pattern->row[p], col,
                                  link[k].weight * B->value[p], err));
        b->outer[col++] = link[k].output;
    }
    YK_GO(yk_sparse_create(&b->F, b->n, b->outers, &t, err));
done:
    yk_triplets_clear(&t);
    return status;
}

static yoke_status make_matrices(yk_ph_block *b, yk_triplets *inner,
                                 yoke_err *err)
{
    const yoke_ports *f = b->facts;
    yoke_status status = YOKE_OK;
    yk_sparse R = { NULL, NULL }, D = { NULL, NULL };

    YK_GO(yk_sparse_copy(&b->E, f->E.pattern, f->E.value, err));
    YK_GO(yk_sparse_copy(&b->Q, f->Q.pattern, f->Q.value, err));
    YK_GO(yk_sparse_copy(&b->G, f->G.pattern, f->G.value, err));
    YK_GO(yk_sparse_copy(&R, f->R.pattern, f->R.value, err));
    YK_GO(yk_sparse_product(&b->RQ, &R, &b->Q, err));
    YK_GO(yk_triplets_add_matrix(inner, 1.0, f->J.pattern, f->J.value, 0, 0,
                                 err));
    YK_GO(yk_triplets_add_matrix(inner, -1.0, f->R.pattern, f->R.value, 0, 0,
                                 err));
    YK_GO(yk_sparse_create(&D, b->n, b->n, inner, err));
    YK_GO(yk_sparse_product(&b->A, &D, &b->Q, err));
done:
    yk_sparse_clear(&R);
    yk_sparse_clear(&D);
    return status;
}

/* All outputs, those behind the ports too; constant, for it is linear. */
static yoke_status read_outputs(yk_ph_block *b, yoke_system *system,
                                yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(system);
    yoke_status status = YOKE_OK;
    double *value = NULL, *u = NULL;

    YK_GO(yk_doubles(&value, (size_t)yoke_pattern_count(f->Hx) + 1, err));
    YK_GO(yk_doubles(&u, (size_t)f->m + 1, err));
    const yoke_jacobian jac = { .Hx = value };
    YK_GO(yoke_system_jacobian(system, 0.0, f->x0, u, &jac, err));
    YK_GO(yk_sparse_copy(&b->H, f->Hx, value, err));
done:
    YK_FREE(value, u);
    return status;
}

static yoke_status make_ports(yk_ph_block *b, int m, const yk_triplets *mix,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_sparse B = { NULL, NULL }, M = { NULL, NULL };

    YK_GO(yk_sparse_copy(&B, b->facts->B.pattern, b->facts->B.value, err));
    YK_GO(yk_sparse_create(&M, m, b->ports, mix, err));
    YK_GO(yk_sparse_product(&b->P, &B, &M, err));
    YK_GO(yk_sparse_product_transposed(&b->PQ, &b->P, &b->Q, err));
    YK_GO(yk_ints(&b->wave, (size_t)b->ports + 1, err));
done:
    yk_sparse_clear(&B);
    yk_sparse_clear(&M);
    return status;
}

/* Greedy: each block the least colour that no neighbour has. */
static yoke_status colour_blocks(yk_ph_net *net, yoke_err *err)
{
    bool *taken = NULL;
    int at = 0;

    YK_TRY(YK_INTS((size_t)net->blocks + 1, err, &net->colour, &net->order));
    YK_TRY(YK_NEW(&taken, net->blocks + 1, err));
    for (int i = 0; i < net->blocks; i++) net->colour[i] = -1;
    for (int i = 0; i < net->blocks; i++) {
        memset(taken, 0, (size_t)(net->blocks + 1) * sizeof *taken);
        for (int p = 0; p < net->block[i].ports; p++) {
            const int w = net->block[i].wave[p];
            const int other = net->pair[w / 2].block[1 - w % 2];
            if (net->colour[other] >= 0) taken[net->colour[other]] = true;
        }
        while (taken[net->colour[i] = net->colour[i] + 1]) {
        }
        if (net->colour[i] >= net->colours) net->colours = net->colour[i] + 1;
    }
    for (int c = 0; c < net->colours; c++)
        for (int i = 0; i < net->blocks; i++)
            if (net->colour[i] == c) net->order[at++] = i;
    yk_free(taken);
    return YOKE_OK;
}

static yoke_status build(maker *m, int links, const yk_ph_link *link,
                         yk_triplets *inner, yoke_err *err)
{
    yk_ph_net *net = m->net;

    YK_TRY(yk_ints(&net->first, (size_t)net->blocks + 1, err));
    for (int i = 0; i < net->blocks; i++) {
        const yoke_system_info *f = yoke_system_facts(m->system[i]);
        net->block[i].name = yoke_system_name(m->system[i]);
        net->block[i].x_name = f->x_name;
        net->block[i].n = f->n;
        net->block[i].facts = f->ports;
        net->block[i].system = m->system[i];
        net->first[i + 1] = net->first[i] + f->n;
    }
    net->n = net->first[net->blocks];
    for (int k = 0; k < links; k++) {
        const yk_ph_link *l = &link[k];
        if (l->from < 0 || l->output < yoke_system_facts(m->system[l->from])->m)
            continue;
        return yk_fail(err, YOKE_E_MODEL,
                       "output %s of \"%s\" belongs to no input, so it is not "
                       "a port; \"%s\" cannot be coupled to it here",
                       port_name(m->system, l->from, l->output, false),
                       yoke_system_name(m->system[l->from]),
                       yoke_system_name(m->system[l->to]));
    }
    YK_TRY(make_pairs(m, links, link, inner, err));
    for (int i = 0; i < net->blocks; i++) {
        yk_ph_block *b = &net->block[i];
        YK_TRY(make_matrices(b, &inner[i], err));
        YK_TRY(read_outputs(b, m->system[i], err));
        YK_TRY(
            make_ports(b, yoke_system_facts(m->system[i])->m, &m->mix[i], err));
        YK_TRY(make_outer(b, i, links, link, err));
    }
    for (int p = 0; p < net->pairs; p++)
        for (int side = 0; side < 2; side++)
            net->block[net->pair[p].block[side]].wave[net->pair[p].port[side]] =
                2 * p + side;
    return colour_blocks(net, err);
}

yoke_status yk_ph_net_create(yk_ph_net **out, int count,
                             yoke_system *const *system, int links,
                             const yk_ph_link *link, int outers, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_ph_net *net = NULL;
    yk_triplets *inner = NULL;
    maker m = { .system = system };

    YK_GO(YK_NEW(&net, 1, err));
    m.net = net;
    net->blocks = count;
    net->outers = outers;
    YK_GO(YK_NEW(&net->block, count + 1, err));
    YK_GO(YK_NEW(&m.mix, count + 1, err));
    YK_GO(YK_NEW(&inner, count + 1, err));
    YK_GO(build(&m, links, link, inner, err));
    *out = net;
    net = NULL;
done:
    for (int i = 0; m.mix && i < count; i++) yk_triplets_clear(&m.mix[i]);
    for (int i = 0; inner && i < count; i++) yk_triplets_clear(&inner[i]);
    YK_FREE(m.mix, inner);
    yk_ph_net_free(net);
    return status;
}

yoke_status yk_ph_net_of(yk_ph_net **out, const yoke_graph *graph, int count,
                         const int *node, int ins, const int (*in)[2],
                         yoke_err *err)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);
    yoke_status status = YOKE_OK;
    yoke_system **system = NULL;
    yk_ph_link *list = NULL;
    int *place = NULL, used = 0;

    YK_GO(YK_NEW(&system, count + 1, err));
    YK_GO(YK_NEW(&list, links + ins + 1, err));
    YK_GO(yk_ints(&place, (size_t)yoke_graph_count(graph) + 1, err));
    for (int i = 0; i < yoke_graph_count(graph); i++) place[i] = -1;
    for (int k = 0; k < count; k++) {
        place[node[k]] = k;
        system[k] = yoke_graph_system(graph, node[k]);
    }
    for (int l = 0; l < links; l++)
        if (place[link[l].to] >= 0 && place[link[l].from] >= 0 &&
            !(yoke_graph_delay_of(graph, l).time > 0.0))
            list[used++] = (yk_ph_link){ place[link[l].to], link[l].input,
                                         place[link[l].from], link[l].output,
                                         link[l].weight };
    for (int k = 0; k < ins; k++)
        list[used++] = (yk_ph_link){ place[in[k][0]], in[k][1], -1, k, 1.0 };
    YK_GO(yk_ph_net_create(out, count, system, used, list, ins, err));
done:
    YK_FREE(system, list, place);
    return status;
}

/* ---- the whole ----------------------------------------------------------- */

/* factor J_o Q. */
static yoke_status add_coupling(const yk_ph_net *net, double factor,
                                yk_triplets *t, yoke_err *err)
{
    for (int k = 0; k < 2 * net->pairs; k++) {
        const yk_ph_pair *p = &net->pair[k / 2];
        const int side = k % 2, to = p->block[side], from = p->block[1 - side];
        const yk_sparse *b = &net->block[to].P, *c = &net->block[from].PQ;
        const double sign = side == 0 ? factor : -factor;
        const int col = p->port[side], row = p->port[1 - side];
        for (int j = 0; j < c->pattern->cols; j++) {
            const int at = yoke_pattern_find(c->pattern, row, j);
            for (int l = b->pattern->start[col];
                 at >= 0 && l < b->pattern->start[col + 1]; l++)
                YK_TRY(yk_triplets_add(t, net->first[to] + b->pattern->row[l],
                                       net->first[from] + j,
                                       sign * b->value[l] * c->value[at], err));
        }
    }
    return YOKE_OK;
}

yoke_status yk_ph_block_add(const yk_ph_block *b, yk_ph_sum sum, int at,
                            yk_triplets *t, yoke_err *err)
{
    const yk_sparse *const part[4] = { &b->RQ, &b->E, &b->Q, &b->A };
    const double factor[4] = { sum.RQ, sum.E, sum.Q, sum.A };

    for (int k = 0; k < 4; k++)
        if (factor[k] != 0.0)
            YK_TRY(yk_triplets_add_matrix(t, factor[k], part[k]->pattern,
                                          part[k]->value, at, at, err));
    return YOKE_OK;
}

yoke_status yk_ph_net_sum(const yk_ph_net *net, yk_ph_sum sum, double coupling,
                          yk_sparse *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };

    for (int i = 0; i < net->blocks; i++)
        YK_GO(yk_ph_block_add(&net->block[i], sum, net->first[i], &t, err));
    if (coupling != 0.0) YK_GO(add_coupling(net, coupling, &t, err));
    YK_GO(yk_sparse_create(out, net->n, net->n, &t, err));
done:
    yk_triplets_clear(&t);
    return status;
}

yoke_status yk_ph_net_coupling(const yk_ph_net *net, yk_sparse *out,
                               yoke_err *err)
{
    return yk_ph_net_sum(net, (yk_ph_sum){ .A = 0.0 }, 1.0, out, err);
}

static int block_of(const yk_ph_net *net, int unknown)
{
    int i = 0;

    while (net->first[i + 1] <= unknown) i++;
    return i;
}

static void forces(const yk_ph_net *net, double t, const double *v, double *f,
                   double *r)
{
    for (int i = 0; i < net->blocks; i++) {
        const yk_ph_block *b = &net->block[i];
        double *at = f + net->first[i];
        if (b->facts->sources > 0) {
            b->facts->source(b->facts->self, t, r);
            yk_sparse_multiply(&b->G, 1.0, r, at);
        }
        for (int k = 0; k < b->outers; k++) r[k] = v[b->outer[k]];
        if (b->outers > 0) yk_sparse_multiply(&b->F, 1.0, r, at);
    }
}

/* One implicit Euler step so short that E x cannot change by it, unless no
 * solution begins at these values: index 2 with a constraint that they do not
 * meet. */
static yoke_status check_start(const yk_ph_net *net, const yk_sparse *E,
                               yk_lu *lu, double t, double h, const double *x,
                               const double *v, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *e = NULL, *y = NULL, *r = NULL, size = 0.0, worst = 0.0;
    int most = 1, at = -1;

    for (int i = 0; i < net->blocks; i++) {
        const yk_ph_block *b = &net->block[i];
        if (b->facts->sources > most) most = b->facts->sources;
        if (b->outers > most) most = b->outers;
    }
    YK_GO(YK_DOUBLES((size_t)net->n, err, &e, &y));
    YK_GO(yk_doubles(&r, (size_t)most, err));
    yk_sparse_multiply(E, 1.0, x, e);
    forces(net, t, v, y, r);
    for (int i = 0; i < net->n; i++) y[i] += e[i] / h;
    YK_GO(yk_lu_solve(lu, y, err));
    for (int i = 0; i < net->n; i++) size = fmax(size, fabs(e[i]));
    yk_sparse_multiply(E, -1.0, y, e);
    for (int i = 0; i < net->n; i++)
        if (fabs(e[i]) > worst) {
            worst = fabs(e[i]);
            at = i;
        }
    if (worst > 1e-4 * size + 1e-12 && at >= 0) {
        const yk_ph_block *b = &net->block[block_of(net, at)];
        status = yk_fail(
            err, YOKE_E_MODEL,
            "no solution begins at the initial values: \"%s\", equation %d "
            "(%s): E x would jump by %.3g at t = %g, because a constraint on "
            "the states (index 2) does not hold there",
            b->name, at - net->first[block_of(net, at)] + 1,
            b->x_name[at - net->first[block_of(net, at)]], worst, t);
    }
done:
    YK_FREE(e, y, r);
    return status;
}

yoke_status yk_ph_net_check(const yk_ph_net *net, double t, double span,
                            const double *x, const double *v, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const double h = 1e-7 * span;
    yk_sparse E = { NULL, NULL }, M = { NULL, NULL };
    yoke_err why = { YOKE_OK, "" };
    yk_lu *lu = NULL;
    int column = -1;

    YK_GO(yk_ph_net_sum(net, (yk_ph_sum){ .E = 1.0 }, 0.0, &E, err));
    YK_GO(yk_ph_net_sum(net, (yk_ph_sum){ .E = 1.0 / h, .A = -1.0 }, -1.0, &M,
                        err));
    YK_GO(yk_lu_create(&lu, M.pattern, false, err));
    status = yk_lu_factor(lu, M.value, &column, &why);
    if (status == YOKE_RETRY) {
        const int k = column < 0 ? 0 : block_of(net, column);
        status = yk_fail(
            err, YOKE_E_MODEL,
            "rank [E R J] is less than the number of unknowns, %d: %s%s%s%s%s",
            net->n,
            column < 0 ? "the solution is not unique" : "nothing determines ",
            column < 0 ? "" : net->block[k].x_name[column - net->first[k]],
            column < 0 ? "" : " of \"", column < 0 ? "" : net->block[k].name,
            column < 0 ? "" : "\"");
        goto done;
    }
    if (status != YOKE_OK && err) *err = why;
    if (status == YOKE_OK && x)
        status = check_start(net, &E, lu, t, h, x, v, err);
done:
    yk_lu_free(lu);
    yk_sparse_clear(&E);
    yk_sparse_clear(&M);
    return status;
}
