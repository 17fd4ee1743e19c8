/* comp/netlist/cut/partition_auto.c -- cells put together by METIS.
 *
 * The equations of the whole circuit, linearised at the start: with
 * A = |C|/h + |G| and s_ij = A_ij / A_ii, what an error of variable j does to
 * variable i at once, the errors that come back across a cut between the cells
 * a and b are about
 *
 *     w_ab = sqrt(sum s_ij * sum s_ji),     i in a, j in b,
 *
 * which is small where a signal goes one way only.  METIS looks for parts of
 * equal work with a small sum of w between them.
 */
#include "comp/netlist/cut/cutter.h"
#include "comp/netlist/circuit/part.h"
#include "la/bisect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEVICE_WORK = 5,    /* a device over a linear unknown */
    WORK_OF_PART = 150, /* where the number of parts is not given */
    MOST_PARTS = 32,
    WEIGHTS = 1000 /* the weight of a coupling of strength 1 */
};

/* What cell `b` does to cell `a`. */
typedef struct influence {
    int a, b;
    double strength;
} influence;

typedef struct linear {
    yk_net_part *part; /* the whole circuit */
    double *x, *u, *G, *C, *diagonal;
    int influences;
    influence *influence;
} linear;

static void linear_clear(linear *l)
{
    yk_part_free(l->part);
    YK_FREE(l->x, l->u, l->G, l->C, l->diagonal, l->influence);
}

/* ---- the equations ------------------------------------------------------- */

static yoke_status make_whole(yk_cutter *k, linear *l, yoke_err *err)
{
    yk_circuit *c = k->c;
    int *list = NULL, count = 0;

    YK_TRY(YK_TAKE(&c->net->arena, &list, c->variables + 1, err));
    for (int v = 1; v < c->variables; v++)
        if (yk_cutter_owns(k, v)) list[count++] = v;
    const yk_net_part_spec spec = { .count = count,
                                    .variable = list,
                                    .values = 2 * c->lines,
                                    .value = c->wave };
    return yk_net_part_create(&l->part, c, &spec, err);
}

static yoke_status linearise(yk_cutter *k, linear *l, yoke_err *err)
{
    YK_TRY(make_whole(k, l, err));
    const yk_net_part *p = l->part;
    const size_t g = (size_t)yoke_pattern_count(p->pattern_G);
    const size_t c = (size_t)yoke_pattern_count(p->pattern_C);
    YK_TRY(yk_doubles(&l->x, (size_t)p->n + 1, err));
    YK_TRY(yk_doubles(&l->u, (size_t)p->m + 1, err)); /* waves: linear */
    YK_TRY(yk_doubles(&l->diagonal, (size_t)p->n + 1, err));
    YK_TRY(yk_doubles(&l->G, g + 1, err));
    YK_TRY(yk_doubles(&l->C, c + 1, err));
    YK_TRY(YK_NEW(&l->influence, 2 * (g + c) + 1, err));
    for (int i = 0; i < p->n; i++) l->x[i] = k->start[p->variable[i]];
    const yoke_jacobian jac = { .G = l->G, .C = l->C };
    const yoke_status status =
        yk_part_jacobian(l->part, 0.0, l->x, l->u, &jac, err);
    /* Entries that are not finite count as strong. */
    return status > 0 ? YOKE_OK : status;
}

/* Calls for each entry of |G| + |C| / h: the diagonal first, then the rest. */
static void add_entries(const yk_cutter *k, linear *l,
                        const yoke_pattern *pattern, const double *value,
                        double factor, bool diagonal)
{
    const int *variable = l->part->variable;

    for (int j = 0; j < pattern->cols; j++)
        for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++) {
            const int i = pattern->row[e];
            const double size = fabs(value[e]) * factor;
            if (diagonal) {
                if (i == j) l->diagonal[i] += size;
                continue;
            }
            const int a = k->cell[variable[i]], b = k->cell[variable[j]];
            if (a == b) continue;
            const double s =
                l->diagonal[i] > 0.0 ? fmin(size / l->diagonal[i], 1.0) : 1.0;
            l->influence[l->influences++] = (influence){ a, b, s };
            l->influence[l->influences++] = (influence){ b, a, 0.0 };
        }
}

static void find_entries(const yk_cutter *k, linear *l)
{
    const double factor = 1.0 / k->o->step;

    l->influences = 0;
    for (int i = 0; i < l->part->n; i++) l->diagonal[i] = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        add_entries(k, l, l->part->pattern_G, l->G, 1.0, pass == 0);
        add_entries(k, l, l->part->pattern_C, l->C, factor, pass == 0);
    }
}

static int by_cells(const void *a, const void *b)
{
    const influence *x = a, *y = b;

    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* One for each pair, both directions present; sorted. */
static void sum_influences(linear *l)
{
    int count = 0;

    qsort(l->influence, (size_t)l->influences, sizeof *l->influence, by_cells);
    for (int k = 0; k < l->influences; k++)
        if (count > 0 &&
            by_cells(&l->influence[count - 1], &l->influence[k]) == 0)
            l->influence[count - 1].strength += l->influence[k].strength;
        else
            l->influence[count++] = l->influence[k];
    l->influences = count;
}

static void find_influences(const yk_cutter *k, linear *l)
{
    find_entries(k, l);
    sum_influences(l);
}

static int weight_of(const linear *l, const influence *one)
{
    const influence key = { one->b, one->a, 0.0 };
    const influence *other = bsearch(&key, l->influence, (size_t)l->influences,
                                     sizeof key, by_cells);
    const double w = sqrt(one->strength * (other ? other->strength : 0.0));

    return 1 + (int)(WEIGHTS * fmin(w, 1.0));
}

/* ---- observers ----------------------------------------------------------- */

/* Nothing but probes and currents of sources that drive nodes: they read, and
 * nobody reads them. */
static void find_observers(const yk_cutter *k, const linear *l, bool *observes)
{
    const yk_circuit *c = k->c;

    for (int v = 0; v < k->cells; v++) observes[v] = true;
    for (int v = 1; v < c->variables; v++)
        if (k->cell[v] >= 0 &&
            (v < c->nodes
                 ? !yk_net_is_probe(c->net, v)
                 : c->net->element[c->owner[v - c->nodes]].kind != 'v'))
            observes[k->cell[v]] = false;
    for (int e = 0; e < l->influences; e++)
        if (l->influence[e].strength > 0.0) observes[l->influence[e].b] = false;
}

/* Each goes to the cell that does most to it. */
static yoke_status absorb_observers(yk_cutter *k, linear *l, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_circuit *c = k->c;
    bool *observes = NULL;
    int *to = NULL, *cell = NULL, count = 0;
    double *most = NULL;

    YK_GO(YK_NEW(&observes, k->cells + 1, err));
    YK_GO(yk_ints(&to, (size_t)k->cells + 1, err));
    YK_GO(yk_doubles(&most, (size_t)k->cells + 1, err));
    YK_GO(YK_TAKE(&c->net->arena, &cell, c->variables + 1, err));
    find_observers(k, l, observes);
    for (int v = 0; v < k->cells; v++) to[v] = v;
    for (int e = 0; e < l->influences; e++) {
        const influence *i = &l->influence[e];
        if (!observes[i->a] || observes[i->b] || i->strength <= most[i->a])
            continue;
        most[i->a] = i->strength;
        to[i->a] = i->b;
    }
    /* Numbers without gaps, -1 - number, of those that stay. */
    for (int v = 0; v < k->cells; v++)
        if (to[v] == v) to[v] = -1 - count++;
    for (int v = 0; v < c->variables; v++) {
        int at = k->cell[v];
        if (at >= 0 && to[at] >= 0) at = to[at];
        cell[v] = at < 0 ? -1 : -1 - to[at];
    }
    k->cell = cell;
    k->cells = count;
    memset(k->weight, 0, (size_t)count * sizeof *k->weight);
    for (int v = 0; v < c->variables; v++)
        if (cell[v] >= 0) k->weight[cell[v]]++;
done:
    YK_FREE(observes, to, most);
    return status;
}

/* ---- work ---------------------------------------------------------------- */

static void count_work(const yk_cutter *k, int *work)
{
    const yk_circuit *c = k->c;

    for (int v = 0; v < k->cells; v++) work[v] = k->weight[v];
    for (int e = 0; e < c->net->elements; e++) {
        if (!c->device[e]) continue;
        int at = 0;
        const int nodes = c->device[e]->nodes - c->device[e]->rates;
        while (at < nodes && k->cell[c->pin[e][at]] < 0) at++;
        if (at < nodes) work[k->cell[c->pin[e][at]]] += DEVICE_WORK;
    }
}

static int choose_parts(const yk_cutter *k, const int *work)
{
    double total = 0.0;

    for (int v = 0; v < k->cells; v++) total += work[v];
    const double parts = k->o->parts > 0
                             ? k->o->parts
                             : fmin(MOST_PARTS, floor(total / WORK_OF_PART));
    return (int)fmax(1.0, fmin(parts, k->cells));
}

/* ---- the graph ----------------------------------------------------------- */

static yoke_status divide(yk_cutter *k, const linear *l, int *part, int *parts,
                          yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *start = NULL, *to = NULL, *weight = NULL, *work = NULL;

    YK_GO(yk_ints(&start, (size_t)k->cells + 2, err));
    YK_GO(yk_ints(&work, (size_t)k->cells + 1, err));
    YK_GO(YK_INTS((size_t)l->influences + 1, err, &to, &weight));
    for (int e = 0; e < l->influences; e++) {
        start[l->influence[e].a + 1]++;
        to[e] = l->influence[e].b;
        weight[e] = weight_of(l, &l->influence[e]);
    }
    for (int v = 0; v < k->cells; v++) start[v + 1] += start[v];
    count_work(k, work);
    const yk_weighted graph = { k->cells, work, start, to, weight };
    YK_GO(yk_bisect(&graph, choose_parts(k, work), part, parts, err));
done:
    YK_FREE(start, work, to, weight);
    return status;
}

/* In the order of the first variables. */
static yoke_status number_parts(const yk_cutter *k, int *part, int parts,
                                yoke_err *err)
{
    int *number = NULL, count = 0;

    YK_TRY(yk_ints(&number, (size_t)parts + 1, err));
    for (int v = 1; v < k->c->variables; v++)
        if (k->cell[v] >= 0 && number[part[k->cell[v]]] == 0)
            number[part[k->cell[v]]] = ++count;
    for (int i = 0; i < k->cells; i++) part[i] = number[part[i]] - 1;
    yk_free(number);
    return YOKE_OK;
}

yoke_status yk_cutter_gather(yk_cutter *k, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_circuit *c = k->c;
    linear l = { 0 };
    int *part = NULL, *cell = NULL, parts = 0;

    if (k->cells == 0) return YOKE_OK;
    YK_GO(yk_ints(&part, (size_t)k->cells + 1, err));
    YK_GO(linearise(k, &l, err));
    find_influences(k, &l);
    YK_GO(absorb_observers(k, &l, err));
    find_influences(k, &l);
    YK_GO(divide(k, &l, part, &parts, err));
    YK_GO(number_parts(k, part, parts, err));
    YK_GO(YK_TAKE(&c->net->arena, &cell, c->variables + 1, err));
    memset(k->weight, 0, (size_t)k->cells * sizeof *k->weight);
    for (int v = 0; v < c->variables; v++) {
        cell[v] = k->cell[v] < 0 ? -1 : part[k->cell[v]];
        if (cell[v] >= 0) k->weight[cell[v]]++;
    }
    k->cell = cell;
    k->cells = parts;
done:
    yk_free(part);
    linear_clear(&l);
    return status;
}
