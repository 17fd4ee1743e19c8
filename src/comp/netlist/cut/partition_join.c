/* comp/netlist/cut/partition_join.c -- which variables belong together.
 *
 * Strength of an element between nodes i and j: with a = g + c/h its admittance
 * over a step h and A_ii, A_jj those of all elements at the nodes, one
 * Gauss-Seidel sweep across a cut between them contracts by about
 * a^2 / (A_ii A_jj); elements over which an iteration would take too many
 * sweeps (graph/cost.h) are not cut.
 * Reference: White, Sangiovanni-Vincentelli, Relaxation Techniques for the
 * Simulation of VLSI Circuits (1987), chapter 7.
 */
#include "comp/netlist/cut/cutter.h"

#include "graph/cost.h"
#include "graph/policy.h"

#include <math.h>
#include <string.h>

/* ---- union-find ---------------------------------------------------------- */

int yk_cutter_root(yk_cutter *k, int v)
{
    while (k->up[v] != v) v = k->up[v] = k->up[k->up[v]];
    return v;
}

bool yk_cutter_owns(const yk_cutter *k, int v)
{
    return v > 0 && yk_circuit_has(k->c, v);
}

static void join(yk_cutter *k, int a, int b)
{
    if (!yk_cutter_owns(k, a) || !yk_cutter_owns(k, b)) return;
    const int x = yk_cutter_root(k, a), y = yk_cutter_root(k, b);
    if (x < y)
        k->up[y] = x;
    else
        k->up[x] = y;
}

static yk_seam seam_of(const yk_cutter *k, int e)
{
    return k->o->seam ? k->o->seam[e] : YK_SEAM_NONE;
}

/* ---- what can never be apart --------------------------------------------- */

/* Terminals of a device whose nodes are joined: all, but for the gate of a
 * MOSFET, which is terminal 1 (drain, gate, source, bulk).  Some may be
 * driven; the others are joined anyway.  A diode with a seam keeps its
 * inner node at its anode.  Rates go with their nodes (join_rates). */
static void join_device(yk_cutter *k, int e)
{
    const yk_device *d = k->c->device[e];
    const int *pin = k->c->pin[e];
    const bool has_gate = k->c->net->element[e].kind == 'm';
    const bool has_seam = seam_of(k, e) != YK_SEAM_NONE;
    int first = has_seam ? pin[0] : 0;

    for (int j = has_seam ? d->terminals : 0; j < d->nodes - d->rates; j++) {
        if ((has_gate && j == 1) || !yk_cutter_owns(k, pin[j])) continue;
        if (first == 0) first = pin[j];
        join(k, first, pin[j]);
    }
}

/* A derivative belongs to its node; that of a driven one to some node of the
 * device that wants it first. */
static void join_rates(yk_cutter *k)
{
    const yk_circuit *c = k->c;

    for (int v = c->first_rate; v < c->nodes; v++) {
        const int e = c->rate_user[v - c->first_rate];
        int node = c->rate_node[v - c->first_rate];
        const yk_device *d = c->device[e];
        for (int j = 0; !yk_cutter_owns(k, node) && j < d->nodes - d->rates;
             j++)
            if (j != 1) node = c->pin[e][j];
        for (int n = 1; !yk_cutter_owns(k, node) && n < c->first_rate; n++)
            node = n;
        join(k, node, v);
    }
}

/* The ends of a line do not meet within its delay. */
static void join_branch(yk_cutter *k, int e)
{
    const yk_seam seam = seam_of(k, e);
    const int *node = k->c->net->element[e].node, branch = k->c->branch[e];

    if (seam != YK_SEAM_SECOND) join(k, branch, node[0]);
    if (seam != YK_SEAM_FIRST) join(k, branch, node[1]);
    if (k->c->net->element[e].kind == 't')
        for (int j = 2; j < 4; j++) join(k, branch + 1, node[j]);
}

/* A current that is shown belongs to the node that it flows from; that of a driven
 * one to another node of the element.  Elsewhere charges of the element would be
 * waveforms of others, and the current their derivative. */
static void join_mirror(yk_cutter *k, const yk_net_element *el)
{
    const int of = el->control[0];
    const yk_net_element *shown = &k->c->net->element[of];
    const yk_device *d = k->c->device[of];
    const int *pin = d ? k->c->pin[of] : shown->node;
    const int pins = d ? d->nodes - d->rates : shown->nodes;
    const bool has_gate = shown->kind == 'm';
    int node = shown->node[el->terminal];

    for (int j = 0; !yk_cutter_owns(k, node) && j < pins; j++)
        if (!has_gate || j != 1) node = pin[j];
    join(k, el->node[0], node);
}

void yk_cutter_join_hard(yk_cutter *k)
{
    const yk_circuit *c = k->c;

    for (int e = 0; e < c->net->elements; e++) {
        const yk_net_element *el = &c->net->element[e];
        if (c->device[e]) join_device(k, e);
        if (c->branch[e] >= 0) join_branch(k, e);
        if ((el->kind == 's' || el->kind == 'w') &&
            seam_of(k, e) == YK_SEAM_NONE)
            join(k, el->node[0], el->node[1]);
        if (el->kind == 'y') join_mirror(k, el);
        if (el->kind == 'k')
            join(k, c->branch[el->control[0]], c->branch[el->control[1]]);
    }
    join_rates(k);
}

/* ---- strength ------------------------------------------------------------ */

static double admittance(const yk_cutter *k, int e)
{
    const yk_net_element *el = &k->c->net->element[e];
    const double copies = yk_net_value(el->param, el->params, "m", 1.0, NULL);

    if (el->expr || (el->kind != 'r' && el->kind != 'c')) return 0.0;
    const double value = fabs(yk_net_passive(k->c->net, el));
    return fabs(copies) * (el->kind == 'r' ? 1.0 / value : value / k->o->step);
}

/* Sums |dI/db| + |dQ/db| / h of every device at its nodes. */
static void add_device(yk_cutter *k, int e)
{
    const yk_device *d = k->c->device[e];
    const int *pin = k->c->pin[e], nodes = d->nodes - d->rates;
    double b[YK_DEVICE_BRANCHES];
    double di[YK_DEVICE_NODES * YK_DEVICE_BRANCHES];
    double dq[YK_DEVICE_NODES * YK_DEVICE_BRANCHES];

    for (int j = 0; j < d->branches; j++)
        b[j] = k->start[pin[d->plus[j]]] - k->start[pin[d->minus[j]]];
    d->ops->load(d, b, NULL, NULL, di, dq);
    for (int n = 0; n < nodes; n++)
        for (int j = 0; j < d->branches; j++) {
            const double g = fabs(di[n * d->branches + j]);
            const double q = fabs(dq[n * d->branches + j]);
            if (d->plus[j] == n || d->minus[j] == n)
                k->total[pin[n]] += g + q / k->o->step;
            else if (d->plus[j] >= nodes &&
                     (d->rate_of[d->plus[j] - nodes] == n ||
                      d->rate_of[d->minus[j] - nodes] == n))
                k->total[pin[n]] += g * YK_RATE_TIME / k->o->step;
        }
}

void yk_cutter_join_strong(yk_cutter *k)
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
        if (a > 0.0 && seam_of(k, e) == YK_SEAM_NONE &&
            yk_cost_sweeps(a * a / (k->total[node[0]] * k->total[node[1]])) >
                YK_COST_CELL)
            join(k, node[0], node[1]);
    }
}

/* ---- instances ----------------------------------------------------------- */

/* The instance around element e that is no deeper than the depth of parts. */
static int instance_of(const yk_cutter *k, int e)
{
    const yk_net_instance *instance = k->c->net->instance;
    int depth = 0, at = k->c->net->element[e].instance;

    for (int i = at; i; i = instance[i].parent) depth++;
    for (; depth > k->o->depth; depth--) at = instance[at].parent;
    return at;
}

static bool is_inside(const yk_netlist *net, int node, const char *instance)
{
    const size_t length = strlen(instance);

    return node >= net->nodes ||
           (strncmp(net->node[node], instance, length) == 0 &&
            net->node[node][length] == '.');
}

yoke_status yk_cutter_join_instances(yk_cutter *k, yoke_err *err)
{
    const yk_circuit *c = k->c;
    const yk_netlist *net = c->net;
    int *member = NULL; /* of each instance: one of its variables, or 0 */

    YK_TRY(YK_TAKE(&k->c->net->arena, &member, net->instances + 1, err));
    for (int e = 0; e < net->elements; e++) {
        const yk_net_element *el = &net->element[e];
        const int top = instance_of(k, e);
        if (top == 0) continue;
        const int pins = c->device[e] ? c->device[e]->nodes : el->nodes;
        const int *pin = c->device[e] ? c->pin[e] : el->node;
        for (int j = -2; j < pins; j++) {
            const int v = j >= 0 ? pin[j] : yk_circuit_branch(c, e, 2 + j);
            if (!yk_cutter_owns(k, v) ||
                (j >= 0 && !is_inside(net, v, net->instance[top].name)))
                continue;
            if (member[top] == 0) member[top] = v;
            join(k, member[top], v);
        }
    }
    return YOKE_OK;
}

/* ---- by elements --------------------------------------------------------- */

void yk_circuit_each(const yk_circuit *c, int e,
                     void (*take)(void *context, int variable), void *context)
{
    const yk_net_element *el = &c->net->element[e];
    const yk_device *d = c->device[e];
    const int pins = d ? d->nodes - d->rates : el->nodes;
    const int *pin = d ? c->pin[e] : el->node;

    for (int j = 0; j < pins; j++) take(context, pin[j]);
    for (int j = 0; j < 2 && yk_circuit_branch(c, e, j) >= 0; j++)
        take(context, yk_circuit_branch(c, e, j));
    if (el->kind == 'y') yk_circuit_each(c, el->control[0], take, context);
    for (int j = 0; el->kind != 'y' && j < el->controls; j++)
        take(context, c->branch[el->control[j]]);
    for (int j = 0; el->expr && j < el->expr->vars; j++) {
        const yk_net_var *v = &el->expr->var[j];
        take(context, v->is_current ? c->branch[v->a] : v->a);
        if (!v->is_current) take(context, v->b);
    }
}

typedef struct joiner {
    yk_cutter *k;
    int first; /* variable of the element that is no probe, or 0 */
} joiner;

static void find_first(void *context, int variable)
{
    joiner *j = context;

    if (j->first == 0 && yk_cutter_owns(j->k, variable) &&
        !yk_net_is_probe(j->k->c->net, variable))
        j->first = variable;
}

/* What it shows is read and never joined: a probe goes with the first of it, of
 * a mirror with the terminal; where all is driven with any. */
static void join_probe(yk_cutter *k, int probe, int e)
{
    const yk_net_element *el = &k->c->net->element[e];
    joiner j = { .k = k };

    if (el->kind == 'r') return; /* to ground */
    if (el->kind == 'y')
        find_first(&j, k->c->net->element[el->control[0]].node[el->terminal]);
    yk_circuit_each(k->c, e, find_first, &j);
    for (int v = 1; j.first == 0 && v < k->c->variables; v++) find_first(&j, v);
    join(k, j.first, probe);
}

static void join_next(void *context, int variable)
{
    joiner *j = context;

    if (!yk_cutter_owns(j->k, variable)) return;
    if (j->first == 0) j->first = variable;
    join(j->k, j->first, variable);
}

void yk_cutter_join_all(yk_cutter *k)
{
    for (int e = 0; e < k->c->net->elements; e++) {
        const int probe = yk_net_probe_of(k->c->net, e);
        joiner j = { .k = k };
        if (probe > 0)
            join_probe(k, probe, e);
        else if (seam_of(k, e) == YK_SEAM_NONE)
            yk_circuit_each(k->c, e, join_next, &j);
    }
}

/* ---- by hand ------------------------------------------------------------- */

typedef struct hand {
    yk_cutter *k;
    int *member; /* of each part: one of its variables, or 0 */
} hand;

static int part_of(const yk_cutter *k, int node)
{
    const int part = node < k->c->net->nodes ? k->o->hand[node] : -1;

    return part < 0 ? k->o->names : part;
}

static void put(const hand *h, int part, int variable)
{
    if (!yk_cutter_owns(h->k, variable)) return;
    if (h->member[part] == 0) h->member[part] = variable;
    join(h->k, h->member[part], variable);
}

/* Inner nodes of a device go with its first terminal that is an unknown. */
static void put_inner(const hand *h, int e)
{
    const yk_device *d = h->k->c->device[e];
    const int *pin = h->k->c->pin[e];
    int at = 0;

    while (at < d->terminals && !yk_cutter_owns(h->k, pin[at])) at++;
    const int part = part_of(h->k, pin[at < d->terminals ? at : 0]);
    for (int j = d->terminals; j < d->nodes - d->rates; j++)
        put(h, part, pin[j]);
}

/* A branch goes with the end that owns it; without a seam with its first end
 * that is an unknown, and if neither is with its first that has a part. */
static void put_branch(const hand *h, int e, int branch, const int *node)
{
    const yk_cutter *k = h->k;
    const yk_seam seam = seam_of(k, e);
    int end = 0;

    if (seam == YK_SEAM_SECOND)
        end = 1;
    else if (seam == YK_SEAM_NONE && !yk_cutter_owns(k, node[0]))
        end = yk_cutter_owns(k, node[1]) || part_of(k, node[0]) == k->o->names;
    put(h, part_of(k, node[end]), branch);
}

yoke_status yk_cutter_join_hand(yk_cutter *k, yoke_err *err)
{
    const yk_circuit *c = k->c;
    hand h = { .k = k };

    YK_TRY(YK_TAKE(&k->c->net->arena, &h.member, k->o->names + 2, err));
    for (int n = 1; n < c->net->nodes; n++)
        if (!yk_net_is_probe(c->net, n)) put(&h, part_of(k, n), n);
    for (int e = 0; e < c->net->elements; e++) {
        const int probe = yk_net_probe_of(c->net, e);
        if (probe > 0) join_probe(k, probe, e);
        if (c->device[e]) put_inner(&h, e);
        for (int j = 0; j < 2 && yk_circuit_branch(c, e, j) >= 0; j++)
            put_branch(&h, e, yk_circuit_branch(c, e, j),
                       c->net->element[e].node + 2 * j);
    }
    return YOKE_OK;
}
