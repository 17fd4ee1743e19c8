/* comp/netlist/partition.c -- cells, their directions, and parts.
 *
 * Strength of an element between nodes i and j: with a = g + c/h its admittance
 * over a step h and A_ii, A_jj those of all elements at the nodes, one
 * Gauss-Seidel sweep across a cut between them contracts by about
 * a^2 / (A_ii A_jj); elements for which that is more than `strong` are not cut.
 * Reference: White, Sangiovanni-Vincentelli, Relaxation Techniques for the
 * Simulation of VLSI Circuits (1987), chapter 7.
 */
#include "comp/netlist/partition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

yk_partition_options yk_partition_defaults(void)
{
    return (yk_partition_options){
        .cut = YK_CUT_NONE,
        .step = 1e-9,
        .strong = 0.05,
        .loop = 200,
        .size = 1,
    };
}

typedef struct cutter {
    yk_circuit *c;
    const yk_partition_options *o;
    const double *start;
    int *up;       /* union-find over variables */
    double *total; /* admittance at each node */
    int cells;
    int *cell;   /* of each variable, -1: none */
    int *weight; /* unknowns of each cell */
    int edges;
    size_t edge_room;
    int *edge;  /* pairs of cells: signals go from the first to the
                   second */
    int *group; /* of each cell, numbered in the order of the signals */
    int groups;
} cutter;

/* ---- union-find ------------------------------------------------------------
 */

static int root(cutter *k, int v)
{
    while (k->up[v] != v) v = k->up[v] = k->up[k->up[v]];
    return v;
}

static bool is_own(const cutter *k, int v)
{
    return v > 0 && yk_circuit_has(k->c, v);
}

static void join(cutter *k, int a, int b)
{
    if (!is_own(k, a) || !is_own(k, b)) return;
    const int x = root(k, a), y = root(k, b);
    if (x < y)
        k->up[y] = x;
    else
        k->up[x] = y;
}

/* ---- what is never cut
 * ------------------------------------------------------- */

static double value_of(const yk_net_element *el)
{
    return yk_net_value(el->param, el->params, "value", 0.0, NULL) *
           (el->kind == 'c'
                ? yk_net_value(el->param, el->params, "m", 1.0, NULL)
                : 1.0);
}

/* Terminals of a device whose nodes are joined: all, but for the gate of a
 * MOSFET, which is terminal 1 (drain, gate, source, bulk).  With Meyer's
 * capacitances the current of the gate depends on unknowns inside the device,
 * and a cut there would lag behind by a sweep: it is joined too. */
static void join_device(cutter *k, int e)
{
    const yk_device *d = k->c->device[e];
    const int *pin = k->c->pin[e];
    const bool has_gate = k->c->net->element[e].kind == 'm' && d->rates == 0;

    for (int j = 1; j < d->nodes; j++)
        if (!(has_gate && j == 1)) join(k, pin[0], pin[j]);
}

static void join_element(cutter *k, int e)
{
    const yk_net_element *el = &k->c->net->element[e];
    const int branch = k->c->branch[e];

    if (k->c->device[e]) join_device(k, e);
    if (branch >= 0)
        for (int j = 0; j < 2; j++) join(k, branch, el->node[j]);
    if (el->kind == 't') /* its ends do not meet within its delay */
        for (int j = 2; j < 4; j++) join(k, branch + 1, el->node[j]);
    if (el->kind == 's' || el->kind == 'w') join(k, el->node[0], el->node[1]);
    if (el->kind == 'y')
        join(k, el->node[0],
             k->c->net->element[el->control[0]].node[el->terminal]);
    if (el->kind == 'k')
        join(k, k->c->branch[el->control[0]], k->c->branch[el->control[1]]);
}

static double admittance(const cutter *k, int e)
{
    const yk_net_element *el = &k->c->net->element[e];

    if (el->expr) return 0.0;
    if (el->kind == 'r') return 1.0 / fabs(value_of(el));
    return el->kind == 'c' ? fabs(value_of(el)) / k->o->step : 0.0;
}

/* Sums |dI/db| + |dQ/db| / h of every device at its nodes. */
static void add_device(cutter *k, int e)
{
    const yk_device *d = k->c->device[e];
    const int *pin = k->c->pin[e];
    double b[YK_DEVICE_BRANCHES];
    double di[YK_DEVICE_NODES * YK_DEVICE_BRANCHES];
    double dq[YK_DEVICE_NODES * YK_DEVICE_BRANCHES];

    for (int j = 0; j < d->branches; j++)
        b[j] = k->start[pin[d->plus[j]]] - k->start[pin[d->minus[j]]];
    d->ops->load(d, b, NULL, NULL, di, dq);
    for (int n = 0; n < d->nodes; n++)
        for (int j = 0; j < d->branches; j++)
            if (d->plus[j] == n || d->minus[j] == n)
                k->total[pin[n]] += fabs(di[n * d->branches + j]) +
                                    fabs(dq[n * d->branches + j]) / k->o->step;
}

static void join_strong(cutter *k)
{
    const yk_netlist *net = k->c->net;

    for (int e = 0; e < net->elements; e++) {
        const double a = admittance(k, e);
        if (a > 0.0)
            for (int j = 0; j < 2; j++) k->total[net->element[e].node[j]] += a;
        if (k->c->device[e]) add_device(k, e);
    }
    for (int e = 0; e < net->elements; e++) {
        const double a = admittance(k, e);
        const int *node = net->element[e].node;
        if (a > 0.0 &&
            a * a > k->o->strong * k->total[node[0]] * k->total[node[1]])
            join(k, node[0], node[1]);
    }
}

/* Everything inside an instance at the top is one cell. */
static void join_instances(cutter *k)
{
    const yk_netlist *net = k->c->net;

    for (int e = 0; e < net->elements; e++) {
        const yk_net_element *el = &net->element[e];
        int top = el->instance;
        if (top == 0) continue;
        while (net->instance[top].parent) top = net->instance[top].parent;
        const int pins = k->c->device[e] ? k->c->device[e]->nodes : el->nodes;
        const int *pin = k->c->device[e] ? k->c->pin[e] : el->node;
        const size_t length = strlen(net->instance[top].name);
        for (int j = 0; j < pins; j++) {
            const bool inner = pin[j] >= net->nodes ||
                               (strncmp(net->node[pin[j]],
                                        net->instance[top].name, length) == 0 &&
                                net->node[pin[j]][length] == '.');
            if (!inner || !is_own(k, pin[j])) continue;
            if (k->cell[top] < 0) k->cell[top] = pin[j];
            join(k, k->cell[top], pin[j]);
        }
        for (int v = k->c->branch[e]; v >= 0 && is_own(k, v); v++) {
            if (k->cell[top] < 0) k->cell[top] = v;
            join(k, k->cell[top], v);
            if (el->kind != 't' || v > k->c->branch[e]) break;
        }
    }
}

static yoke_status number_cells(cutter *k, yoke_err *err)
{
    yk_arena *arena = &k->c->net->arena;
    const int variables = k->c->variables;

    for (int v = 0; v < variables; v++) k->cell[v] = -1;
    for (int v = 1; v < variables; v++)
        if (is_own(k, v)) {
            const int r = root(k, v);
            if (k->cell[r] < 0) k->cell[r] = k->cells++;
            k->cell[v] = k->cell[r];
        }
    YK_TRY(YK_TAKE(arena, &k->weight, k->cells + 1, err));
    for (int v = 1; v < variables; v++)
        if (k->cell[v] >= 0) k->weight[k->cell[v]]++;
    return YOKE_OK;
}

/* ---- directions
 * -------------------------------------------------------------- */

static yoke_status add_edge(cutter *k, int from, int to, yoke_err *err)
{
    const int a = from > 0 ? k->cell[from] : -1;
    const int b = to > 0 ? k->cell[to] : -1;

    if (a < 0 || b < 0 || a == b) return YOKE_OK;
    YK_TRY(yk_grow((void **)&k->edge, &k->edge_room, 2 * (size_t)k->edges + 2,
                   sizeof *k->edge, err));
    k->edge[2 * k->edges] = a;
    k->edge[2 * k->edges + 1] = b;
    k->edges++;
    return YOKE_OK;
}

/* Where an element acts: its branch, or its first two nodes. */
static yoke_status add_control(cutter *k, int e, int from, yoke_err *err)
{
    const yk_net_element *el = &k->c->net->element[e];

    if (k->c->branch[e] >= 0) return add_edge(k, from, k->c->branch[e], err);
    YK_TRY(add_edge(k, from, el->node[0], err));
    return add_edge(k, from, el->node[1], err);
}

static yoke_status direct_element(cutter *k, int e, yoke_err *err)
{
    const yk_net_element *el = &k->c->net->element[e];

    if (el->kind == 'm') {
        const int *pin = k->c->pin[e];
        YK_TRY(add_edge(k, pin[1], pin[0], err));
        return add_edge(k, pin[1], pin[2], err);
    }
    for (int j = 0; el->expr && j < el->expr->vars; j++) {
        const yk_net_var *v = &el->expr->var[j];
        YK_TRY(
            add_control(k, e, v->is_current ? k->c->branch[v->a] : v->a, err));
        if (!v->is_current) YK_TRY(add_control(k, e, v->b, err));
    }
    for (int j = 0; !strchr("ky", el->kind) && j < el->controls; j++)
        YK_TRY(add_control(k, e, k->c->branch[el->control[j]], err));
    for (int j = 2; strchr("egs", el->kind) && j < el->nodes; j++)
        YK_TRY(add_control(k, e, el->node[j], err));
    return YOKE_OK;
}

/* ---- loops and order (Tarjan, without recursion)
 * -------------------------------- */

typedef struct tarjan {
    int *start, *to; /* successors of each cell */
    int *index, *low, *stack, *call, *next;
    bool *on_stack;
    int depth, calls, counter, components;
    int *component; /* of each cell; successors have smaller numbers */
} tarjan;

static yoke_status make_successors(cutter *k, tarjan *t, yoke_err *err)
{
    yk_arena *arena = &k->c->net->arena;

    YK_TRY(YK_TAKE(arena, &t->start, k->cells + 2, err));
    YK_TRY(YK_TAKE(arena, &t->to, k->edges + 1, err));
    for (int e = 0; e < k->edges; e++) t->start[k->edge[2 * e] + 1]++;
    for (int v = 0; v < k->cells; v++) t->start[v + 1] += t->start[v];
    for (int e = 0; e < k->edges; e++)
        t->to[t->start[k->edge[2 * e]]++] = k->edge[2 * e + 1];
    for (int v = k->cells; v > 0; v--) t->start[v] = t->start[v - 1];
    t->start[0] = 0;
    YK_TRY(YK_TAKE(arena, &t->index, k->cells + 1, err));
    YK_TRY(YK_TAKE(arena, &t->low, k->cells + 1, err));
    YK_TRY(YK_TAKE(arena, &t->stack, k->cells + 1, err));
    YK_TRY(YK_TAKE(arena, &t->call, k->cells + 1, err));
    YK_TRY(YK_TAKE(arena, &t->next, k->cells + 1, err));
    YK_TRY(YK_TAKE(arena, &t->on_stack, k->cells + 1, err));
    return YK_TAKE(arena, &t->component, k->cells + 1, err);
}

static void enter(tarjan *t, int v)
{
    t->index[v] = t->low[v] = ++t->counter;
    t->next[v] = t->start[v];
    t->stack[t->depth++] = v;
    t->on_stack[v] = true;
    t->call[t->calls++] = v;
}

static void leave(tarjan *t, int v)
{
    t->calls--;
    if (t->low[v] == t->index[v]) {
        int w = -1;
        do {
            w = t->stack[--t->depth];
            t->on_stack[w] = false;
            t->component[w] = t->components;
        } while (w != v);
        t->components++;
    }
    if (t->calls > 0) {
        const int caller = t->call[t->calls - 1];
        if (t->low[v] < t->low[caller]) t->low[caller] = t->low[v];
    }
}

static void visit(tarjan *t, int first)
{
    enter(t, first);
    while (t->calls > 0) {
        const int v = t->call[t->calls - 1];
        if (t->next[v] == t->start[v + 1]) {
            leave(t, v);
            continue;
        }
        const int w = t->to[t->next[v]++];
        if (t->index[w] == 0)
            enter(t, w);
        else if (t->on_stack[w] && t->index[w] < t->low[v])
            t->low[v] = t->index[w];
    }
}

/* Cells of a loop get one group if it is small; groups are numbered in the
 * order of the signals. */
static yoke_status make_groups(cutter *k, yk_partition *out, yoke_err *err)
{
    yk_arena *arena = &k->c->net->arena;
    tarjan t = { 0 };
    int *size = NULL, *members = NULL, *group = NULL;

    YK_TRY(make_successors(k, &t, err));
    for (int v = k->cells - 1; v >= 0; v--)
        if (t.index[v] == 0) visit(&t, v);
    YK_TRY(YK_TAKE(arena, &size, t.components + 1, err));
    YK_TRY(YK_TAKE(arena, &members, t.components + 1, err));
    YK_TRY(YK_TAKE(arena, &group, t.components + 1, err));
    YK_TRY(YK_TAKE(arena, &k->group, k->cells + 1, err));
    for (int v = 0; v < k->cells; v++) {
        size[t.component[v]] += k->weight[v];
        members[t.component[v]]++;
    }
    for (int s = 0; s < t.components; s++) {
        group[s] = -1;
        out->loops += members[s] > 1;
    }
    /* Components with the largest numbers come first in the signals' order. */
    int *first = NULL, *next = NULL;
    YK_TRY(YK_TAKE(arena, &first, t.components + 1, err));
    YK_TRY(YK_TAKE(arena, &next, k->cells + 1, err));
    for (int s = 0; s < t.components; s++) first[s] = -1;
    for (int v = k->cells - 1; v >= 0; v--) {
        next[v] = first[t.component[v]];
        first[t.component[v]] = v;
    }
    int filled = 0; /* unknowns of the last group */
    for (int s = t.components - 1; s >= 0; s--) {
        const bool whole = members[s] == 1 || size[s] <= k->o->loop;
        for (int v = first[s]; v >= 0; v = next[v]) {
            const int more =
                whole ? (v == first[s] ? size[s] : 0) : k->weight[v];
            const bool fits = k->groups > 0 && filled + more <= k->o->size;
            if (more > 0 && !fits) {
                k->groups++;
                filled = 0;
            }
            filled += more;
            k->group[v] = k->groups - 1;
        }
    }
    return YOKE_OK;
}

/* ---- parts
 * -------------------------------------------------------------------- */

static yoke_status make_parts(cutter *k, yk_partition *out, yoke_err *err)
{
    yk_circuit *c = k->c;
    yk_arena *arena = &c->net->arena;

    out->cells = k->cells;
    out->cell = k->cell;
    out->parts = k->groups;
    YK_TRY(YK_TAKE(arena, &out->part, c->variables + 1, err));
    YK_TRY(YK_TAKE(arena, &out->first, out->parts + 2, err));
    for (int v = 0; v < c->variables; v++) {
        out->part[v] = k->cell[v] >= 0 ? k->group[k->cell[v]] : -1;
        if (out->part[v] >= 0) out->first[out->part[v] + 1]++;
    }
    for (int p = 0; p < out->parts; p++) out->first[p + 1] += out->first[p];
    YK_TRY(YK_TAKE(arena, &out->list, out->first[out->parts] + 1, err));
    for (int v = 0; v < c->variables; v++)
        if (out->part[v] >= 0) out->list[out->first[out->part[v]]++] = v;
    for (int p = out->parts; p > 0; p--) out->first[p] = out->first[p - 1];
    out->first[0] = 0;
    YK_TRY(YK_TAKE(arena, &out->name, out->parts + 1, err));
    for (int p = 0; p < out->parts; p++) {
        char *text = NULL;
        YK_TRY(YK_TAKE(arena, &text, 24, err));
        if (out->parts == 1)
            snprintf(text, 24, "circuit");
        else
            snprintf(text, 24, "part%d", p + 1);
        out->name[p] = text;
    }
    return YOKE_OK;
}

static yoke_status cut(cutter *k, yk_partition *out, yoke_err *err)
{
    yk_circuit *c = k->c;
    yk_arena *arena = &c->net->arena;
    const int elements = c->net->elements;

    YK_TRY(YK_TAKE(arena, &k->up, c->variables + 1, err));
    YK_TRY(YK_TAKE(arena, &k->total, c->nodes + 1, err));
    YK_TRY(YK_TAKE(arena, &k->cell, c->variables + c->net->instances + 1, err));
    for (int v = 0; v < c->variables; v++) k->up[v] = v;
    for (int v = 0; v < c->variables + c->net->instances; v++) k->cell[v] = -1;
    if (k->o->cut == YK_CUT_HIERARCHY) join_instances(k);
    for (int e = 0; e < elements; e++) join_element(k, e);
    join_strong(k);
    YK_TRY(number_cells(k, err));
    for (int e = 0; e < elements; e++) YK_TRY(direct_element(k, e, err));
    YK_TRY(make_groups(k, out, err));
    if (k->o->cut == YK_CUT_NONE) {
        for (int v = 0; v < k->cells; v++) k->group[v] = 0;
        k->groups = k->cells > 0;
    }
    return make_parts(k, out, err);
}

yoke_status yk_circuit_cut(yk_circuit *circuit, const double *start,
                           const yk_partition_options *options,
                           yk_partition *out, yoke_err *err)
{
    cutter k = { .c = circuit, .o = options, .start = start };

    *out = (yk_partition){ 0 };
    const yoke_status status = cut(&k, out, err);
    yk_free(k.edge);
    return status;
}
