/* comp/netlist/cut/partition_order.c -- directions of signals, loops, order.
 *
 * A signal goes where an element is controlled by what it does not load: from a
 * gate to the channel, from a control to the output.  Loops are the strongly
 * connected components (Tarjan, without recursion).
 */
#include "comp/netlist/cut/cutter.h"

#include <string.h>

/* ---- directions ---------------------------------------------------------- */

static yoke_status add_edge(yk_cutter *k, int from, int to, yoke_err *err)
{
    const int a = from > 0 ? k->cell[from] : -1;
    const int b = to > 0 ? k->cell[to] : -1;

    if (a < 0 || b < 0 || a == b) return YOKE_OK;
    YK_TRY(YK_GROW(&k->edge, &k->edge_room, 2 * (size_t)k->edges + 2, err));
    k->edge[2 * k->edges] = a;
    k->edge[2 * k->edges + 1] = b;
    k->edges++;
    return YOKE_OK;
}

/* Where an element acts: its branch, or its first two nodes. */
static yoke_status add_control(yk_cutter *k, int e, int from, yoke_err *err)
{
    const yk_net_element *el = &k->c->net->element[e];

    if (k->c->branch[e] >= 0) return add_edge(k, from, k->c->branch[e], err);
    YK_TRY(add_edge(k, from, el->node[0], err));
    return add_edge(k, from, el->node[1], err);
}

static yoke_status direct_element(yk_cutter *k, int e, yoke_err *err)
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

yoke_status yk_cutter_edges(yk_cutter *k, yoke_err *err)
{
    for (int e = 0; e < k->c->net->elements; e++)
        YK_TRY(direct_element(k, e, err));
    return YOKE_OK;
}

/* ---- loops --------------------------------------------------------------- */

typedef struct tarjan {
    int *start, *to; /* successors of each cell */
    int *index, *low, *stack, *call, *next;
    bool *on_stack;
    int depth, calls, counter, components;
    int *component; /* of each cell; successors have smaller numbers */
} tarjan;

static yoke_status make_successors(yk_cutter *k, tarjan *t, yoke_err *err)
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

static yoke_status find_loops(yk_cutter *k, tarjan *t, yoke_err *err)
{
    YK_TRY(make_successors(k, t, err));
    for (int v = k->cells - 1; v >= 0; v--)
        if (t->index[v] == 0) visit(t, v);
    return YOKE_OK;
}

/* ---- groups -------------------------------------------------------------- */

/* Components with the largest numbers come first in the signals' order. */
static void number_groups(yk_cutter *k, const tarjan *t, const int *size,
                          const int *members, const int *first, const int *next,
                          int loop, int room)
{
    int filled = 0; /* unknowns of the last group */

    k->groups = 0;
    for (int s = t->components - 1; s >= 0; s--) {
        const bool whole = members[s] == 1 || size[s] <= loop;
        for (int v = first[s]; v >= 0; v = next[v]) {
            const int more =
                whole ? (v == first[s] ? size[s] : 0) : k->weight[v];
            const bool fits = k->groups > 0 && filled + more <= room;
            if (more > 0 && !fits) {
                k->groups++;
                filled = 0;
            }
            filled += more;
            k->group[v] = k->groups - 1;
        }
    }
}

yoke_status yk_cutter_order(yk_cutter *k, int loop, int size, int *loops,
                            yoke_err *err)
{
    yk_arena *arena = &k->c->net->arena;
    tarjan t = { 0 };
    int *unknowns = NULL, *members = NULL, *first = NULL, *next = NULL;

    YK_TRY(find_loops(k, &t, err));
    YK_TRY(YK_TAKE(arena, &unknowns, t.components + 1, err));
    YK_TRY(YK_TAKE(arena, &members, t.components + 1, err));
    YK_TRY(YK_TAKE(arena, &first, t.components + 1, err));
    YK_TRY(YK_TAKE(arena, &next, k->cells + 1, err));
    YK_TRY(YK_TAKE(arena, &k->group, k->cells + 1, err));
    for (int s = 0; s < t.components; s++) first[s] = -1;
    for (int v = k->cells - 1; v >= 0; v--) {
        const int s = t.component[v];
        unknowns[s] += k->weight[v];
        members[s]++;
        next[v] = first[s];
        first[s] = v;
    }
    *loops = 0;
    for (int s = 0; s < t.components; s++) *loops += members[s] > 1;
    number_groups(k, &t, unknowns, members, first, next, loop, size);
    return YOKE_OK;
}
