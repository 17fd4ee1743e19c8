/* comp/netlist/cut/topology.c -- the graph of a circuit looked at by kinds of
 * elements.
 *
 * - Direct current: nodes joined by what conducts it.  A group without ground
 *   has no determined voltage.  Controlled current sources count as paths,
 *   since feedback through them may determine it.
 * - Loops of voltage sources and inductors: their current is not determined in
 *   the operating point.
 * - Loops of capacitors and at least one voltage source, and cutsets of
 *   inductors and current sources with at least one inductor: the index is 2.
 *
 * Loops are found as elements that join nodes joined before; the elements taken
 * so far are a forest, in which the rest of the loop is a path.
 * Reference: Estevez Schwarz and Tischendorf, Structural analysis of electric
 * circuits and consequences for MNA, Int. J. Circ. Theor. Appl. 28 (2000).
 */
#include "base/text.h"
#include "comp/netlist/cut/topology.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FINDINGS = 50, MOST_NAMES = 8, TEXT = 900 };

/* ---- findings ------------------------------------------------------------ */

void yk_net_findings_clear(yk_net_findings *f)
{
    yk_free(f->finding);
    *f = (yk_net_findings){ 0 };
}

static yoke_status find(const yk_circuit *c, yk_net_findings *out,
                        bool is_error, yk_net_place at, yoke_err *err,
                        const char *format, ...)
    __attribute__((format(printf, 6, 7)));

static yoke_status find(const yk_circuit *c, yk_net_findings *out,
                        bool is_error, yk_net_place at, yoke_err *err,
                        const char *format, ...)
{
    const char *copy = NULL;
    char text[2 * TEXT];
    va_list args;

    if (out->count >= MOST_FINDINGS) {
        out->more++;
        return YOKE_OK;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    YK_TRY(yk_arena_print(&c->net->arena, &copy, err, "%s:%d: %s", at.file,
                          at.line, text));
    YK_TRY(YK_GROW(&out->finding, &out->room, out->count + 1, err));
    out->finding[out->count++] = (yk_net_finding){ is_error, copy };
    return YOKE_OK;
}

/* ---- lists of names ------------------------------------------------------ */

typedef struct names {
    char text[TEXT];
    int count, shown;
} names;

/* place: " (line 3)", or "" */
static void add_name(names *n, const char *name, const char *place)
{
    n->count++;
    if (n->shown >= MOST_NAMES || strlen(n->text) + 240 > sizeof n->text)
        return;
    yk_append(n->text, sizeof n->text, "%s%.60s%.120s", n->shown ? ", " : "",
              name, place);
    n->shown++;
}

static const char *ended(names *n)
{
    if (n->count > n->shown)
        yk_append(n->text, sizeof n->text, " and %d more", n->count - n->shown);
    return n->text;
}

/* Places in included files have their names. */
static void add_element(names *n, const yk_circuit *c, int e)
{
    const yk_net_element *el = &c->net->element[e];
    char place[120];

    if (strcmp(el->at.file, c->net->path) == 0)
        snprintf(place, sizeof place, " (line %d)", el->at.line);
    else
        snprintf(place, sizeof place, " (%.80s:%d)", el->at.file, el->at.line);
    add_name(n, el->name, place);
}

/* last[e] (NULL: all are new): the group for which e was added last. */
static void add_at_node(names *n, const yk_circuit *c, int node, int group,
                        int *last)
{
    for (int k = c->touch_start[node]; k < c->touch_start[node + 1]; k++) {
        const int e = c->touch[k];
        if (last && last[e] == group) continue;
        if (last) last[e] = group;
        add_element(n, c, e);
    }
}

void yk_circuit_at_node(const yk_circuit *c, int node, char *text, size_t room)
{
    names n = { .count = 0 };

    add_at_node(&n, c, node, 0, NULL);
    snprintf(text, room, "%s", ended(&n));
}

/* ---- groups of nodes ----------------------------------------------------- */

static int top_of(int *group, int node)
{
    while (group[node] != node) {
        group[node] = group[group[node]];
        node = group[node];
    }
    return node;
}

/* The smaller number stays, so that ground is 0; false: joined before. */
static bool join(int *group, int a, int b)
{
    a = top_of(group, a);
    b = top_of(group, b);
    if (a == b) return false;
    group[a < b ? b : a] = a < b ? a : b;
    return true;
}

static void begin_groups(const yk_circuit *c, int *group)
{
    for (int n = 0; n < c->nodes; n++)
        group[n] =
            yk_circuit_is_rate(c, n) ? c->rate_node[n - c->first_rate] : n;
}

/* The gate of a MOS transistor takes no direct current. */
static void join_device(const yk_circuit *c, int e, bool gates, int *group)
{
    const bool is_mos = c->net->element[e].kind == 'm';
    const int *pin = c->pin[e];

    for (int k = 1; k < c->device[e]->nodes - c->device[e]->rates; k++)
        if (gates || !is_mos || k != 1) join(group, pin[0], pin[k]);
}

static bool is_current_source(const yk_net_element *el)
{
    return el->kind == 'f' || el->kind == 'g' ||
           (el->kind == 'b' && el->is_current);
}

yoke_status yk_circuit_groups(const yk_circuit *c, int *group, yoke_err *err)
{
    const yk_netlist *net = c->net;

    (void)err;
    begin_groups(c, group);
    for (int e = 0; e < net->elements; e++) {
        const yk_net_element *el = &net->element[e];
        if (c->device[e])
            join_device(c, e, false, group);
        else if (strchr("rlvehsw", el->kind) ||
                 (el->kind == 'b' && !el->is_current))
            join(group, el->node[0], el->node[1]);
        else if (is_current_source(el))
            for (int k = 0; k < 2; k++) join(group, 0, el->node[k]);
        else if (el->kind == 't')
            for (int k = 1; k < el->nodes; k++)
                join(group, el->node[0], el->node[k]);
    }
    for (int n = 0; n < c->nodes; n++) group[n] = top_of(group, n);
    return YOKE_OK;
}

/* ---- direct current ------------------------------------------------------ */

static bool is_held(const yk_circuit *c, const int *group, int which)
{
    for (int k = 0; k < c->net->ics; k++)
        if (group[c->net->ic[k].node] == which) return true;
    return false;
}

static yk_net_place place_of(const yk_circuit *c, int node)
{
    if (node < c->net->nodes) return c->net->node_at[node];
    return c->net->element[c->touch[c->touch_start[node]]].at;
}

/* "v(name)" */
static void add_node(names *n, const yk_circuit *c, int node)
{
    add_name(n, c->name[node], "");
}

/* next[]: the other members of each group, as a list. */
static void link_groups(const yk_circuit *c, const int *group, int *next)
{
    for (int n = 0; n < c->nodes; n++) next[n] = -1;
    for (int n = c->first_rate - 1; n >= 0; n--)
        if (group[n] != n) {
            next[n] = next[group[n]];
            next[group[n]] = n;
        }
}

static bool has_ground(const yk_circuit *c)
{
    for (int e = 0; e < c->net->elements; e++) {
        const yk_net_element *el = &c->net->element[e];
        for (int k = 0; k < el->nodes; k++)
            if (el->node[k] == 0) return true;
    }
    return false;
}

/* last: zeros, one for each element. */
static yoke_status check_paths(const yk_circuit *c, bool hold, int *group,
                               int *next, int *last, yk_net_findings *out,
                               yoke_err *err)
{
    const bool grounded = has_ground(c);

    YK_TRY(yk_circuit_groups(c, group, err));
    link_groups(c, group, next);
    for (int g = 1; g < c->nodes; g++) {
        names nodes = { .count = 0 }, elements = { .count = 0 };
        if (group[g] != g || is_held(c, group, g)) continue;
        for (int n = g; n >= 0; n = next[n]) {
            add_node(&nodes, c, n);
            add_at_node(&elements, c, n, g, last);
        }
        const bool one = nodes.count == 1;
        ended(&nodes);
        if (!grounded)
            return find(c, out, hold, place_of(c, g), err,
                        "nothing is connected to ground: name the node that "
                        "has the voltage zero 0; there are %s",
                        nodes.text);
        YK_TRY(find(c, out, hold, place_of(c, g), err,
                    "the %s of %s %s no path for direct current to ground; "
                    "there: %s; connect a large resistance to ground, or "
                    "begin with .ic %.60s=value",
                    one ? "node" : "nodes", nodes.text, one ? "has" : "have",
                    elements.count ? ended(&elements) : "no element",
                    c->name[g]));
    }
    return YOKE_OK;
}

/* ---- loops --------------------------------------------------------------- */

typedef struct forest {
    int *group, *start, *edge; /* edges of each node, as elements */
    int *queue, *from, *depth; /* from: the element that leads to the root */
    int *taken, *closing;
    int takens, closings;
} forest;

static void forest_clear(forest *f)
{
    YK_FREE(f->group, f->start, f->edge, f->queue, f->from, f->depth, f->taken,
            f->closing);
}

static yoke_status forest_begin(forest *f, const yk_circuit *c, yoke_err *err)
{
    const size_t nodes = (size_t)c->nodes + 2;
    const size_t elements = (size_t)c->net->elements + 1;

    YK_TRY(YK_INTS(nodes, err, &f->group, &f->start, &f->queue, &f->from,
                   &f->depth));
    YK_TRY(yk_ints(&f->edge, 2 * nodes, err));
    YK_TRY(yk_ints(&f->taken, nodes, err));
    YK_TRY(yk_ints(&f->closing, elements, err));
    begin_groups(c, f->group);
    return YOKE_OK;
}

/* All elements of these kinds, b with a voltage for 'b'. */
static void forest_take(forest *f, const yk_circuit *c, const char *kinds)
{
    for (int e = 0; e < c->net->elements; e++) {
        const yk_net_element *el = &c->net->element[e];
        if (!strchr(kinds, el->kind) || (el->kind == 'b' && el->is_current))
            continue;
        if (join(f->group, el->node[0], el->node[1]))
            f->taken[f->takens++] = e;
        else
            f->closing[f->closings++] = e;
    }
}

static int other_end(const yk_circuit *c, int e, int node)
{
    const int *ends = c->net->element[e].node;

    return ends[0] == node ? ends[1] : ends[0];
}

/* Every tree gets its root. */
static void forest_root(forest *f, const yk_circuit *c)
{
    memset(f->start, 0, ((size_t)c->nodes + 2) * sizeof *f->start);
    for (int k = 0; k < f->takens; k++)
        for (int j = 0; j < 2; j++)
            f->start[c->net->element[f->taken[k]].node[j] + 1]++;
    for (int n = 0; n < c->nodes; n++) f->start[n + 1] += f->start[n];
    for (int k = 0; k < f->takens; k++)
        for (int j = 0; j < 2; j++)
            f->edge[f->start[c->net->element[f->taken[k]].node[j]]++] =
                f->taken[k];
    for (int n = c->nodes; n > 0; n--) f->start[n] = f->start[n - 1];
    f->start[0] = 0;
    for (int n = 0; n < c->nodes; n++) f->depth[n] = -1;
    for (int root = 0; root < c->nodes; root++) {
        int count = 0;
        if (f->depth[root] >= 0) continue;
        f->depth[root] = 0;
        f->from[root] = -1;
        f->queue[count++] = root;
        for (int at = 0; at < count; at++) {
            const int n = f->queue[at];
            for (int k = f->start[n]; k < f->start[n + 1]; k++) {
                const int to = other_end(c, f->edge[k], n);
                if (f->depth[to] >= 0) continue;
                f->depth[to] = f->depth[n] + 1;
                f->from[to] = f->edge[k];
                f->queue[count++] = to;
            }
        }
    }
}

/* The elements between the two ends of e; are all of these kinds? */
static bool name_path(const forest *f, const yk_circuit *c, int e,
                      const char *kinds, names *n)
{
    int a = c->net->element[e].node[0], b = c->net->element[e].node[1];
    bool all = true;

    while (a != b) {
        int *const end = f->depth[a] >= f->depth[b] ? &a : &b;
        const int step = f->from[*end];
        add_element(n, c, step);
        all = all && strchr(kinds, c->net->element[step].kind) != NULL;
        *end = other_end(c, step, *end);
    }
    return all;
}

/* In the operating point inductors are voltage sources of 0 V. */
static yoke_status check_source_loops(const yk_circuit *c, bool hold,
                                      yk_net_findings *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    forest f = { 0 };

    YK_GO(forest_begin(&f, c, err));
    forest_take(&f, c, "v");
    forest_take(&f, c, "l");
    forest_take(&f, c, "ehb");
    if (f.closings) forest_root(&f, c);
    for (int k = 0; k < f.closings; k++) {
        const yk_net_element *el = &c->net->element[f.closing[k]];
        names path = { .count = 0 };
        const bool sure = name_path(&f, c, f.closing[k], "vl", &path) &&
                          strchr("vl", el->kind);
        const bool alone = path.count == 0;
        YK_GO(find(c, out, hold && sure, el->at, err,
                   "%s closes a loop of voltage sources and inductors%s%s: "
                   "%s; put a small resistance into the loop",
                   el->name, alone ? ", both its ends are one node" : " with ",
                   alone ? "" : ended(&path),
                   sure ? "the direct current in it is not determined"
                        : "the current in it may not be determined"));
    }
done:
    forest_clear(&f);
    return status;
}

static yoke_status check_capacitor_loops(const yk_circuit *c,
                                         yk_net_findings *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    forest f = { 0 };

    YK_GO(forest_begin(&f, c, err));
    forest_take(&f, c, "c");
    const int capacitors = f.closings;
    forest_take(&f, c, "v");
    if (f.closings > capacitors) forest_root(&f, c);
    for (int k = capacitors; k < f.closings; k++) {
        const yk_net_element *el = &c->net->element[f.closing[k]];
        names path = { .count = 0 };
        if (name_path(&f, c, f.closing[k], "v", &path)) continue;
        YK_GO(find(c, out, false, el->at, err,
                   "%s and %s are a loop of capacitors and voltage sources "
                   "(index 2): the currents in it contain derivatives of the "
                   "sources",
                   el->name, ended(&path)));
    }
done:
    forest_clear(&f);
    return status;
}

/* ---- cutsets ------------------------------------------------------------- */

static void join_others(const yk_circuit *c, int *group)
{
    begin_groups(c, group);
    for (int e = 0; e < c->net->elements; e++) {
        const yk_net_element *el = &c->net->element[e];
        if (c->device[e])
            join_device(c, e, true, group);
        else if (strchr("rcvefghbsw", el->kind))
            join(group, el->node[0], el->node[1]);
        else if (el->kind == 't')
            for (int k = 1; k < el->nodes; k++)
                join(group, el->node[0], el->node[k]);
    }
    for (int n = 0; n < c->nodes; n++) group[n] = top_of(group, n);
}

/* What leads out of a group: only inductors and current sources do. */
static int name_border(const yk_circuit *c, const int *group, const int *next,
                       int g, names *border)
{
    int inductors = 0;

    for (int n = g; n >= 0; n = next[n])
        for (int k = c->touch_start[n]; k < c->touch_start[n + 1]; k++) {
            const yk_net_element *el = &c->net->element[c->touch[k]];
            if (el->kind != 'l' && el->kind != 'i') continue;
            if (group[other_end(c, c->touch[k], n)] == g) continue;
            add_element(border, c, c->touch[k]);
            inductors += el->kind == 'l';
        }
    return inductors;
}

static yoke_status check_cutsets(const yk_circuit *c, int *group, int *next,
                                 yk_net_findings *out, yoke_err *err)
{
    join_others(c, group);
    link_groups(c, group, next);
    for (int g = 1; g < c->nodes; g++) {
        names nodes = { .count = 0 }, border = { .count = 0 };
        if (group[g] != g || !name_border(c, group, next, g, &border)) continue;
        for (int n = g; n >= 0; n = next[n]) add_node(&nodes, c, n);
        ended(&nodes);
        YK_TRY(find(c, out, false, place_of(c, g), err,
                    "only inductors and current sources lead to %s: %s "
                    "(index 2): their voltages contain derivatives of "
                    "currents",
                    nodes.text, ended(&border)));
    }
    return YOKE_OK;
}

/* ---- values -------------------------------------------------------------- */

static yoke_status check_values(const yk_circuit *c, yk_net_findings *out,
                                yoke_err *err)
{
    for (int e = 0; e < c->net->elements; e++) {
        const yk_net_element *el = &c->net->element[e];
        if (!strchr("rcl", el->kind) || el->expr) continue;
        if (yk_net_is_probe(c->net, el->node[0])) continue; /* probe.c */
        const double value = yk_net_passive(c->net, el);
        if (value > 0.0) continue;
        const char *const what = el->kind == 'r'   ? "resistance"
                                 : el->kind == 'c' ? "capacitance"
                                                   : "inductance";
        if (value < 0.0)
            YK_TRY(find(c, out, false, el->at, err,
                        "the %s of %s is negative: %g", what, el->name, value));
        else
            YK_TRY(find(c, out, false, el->at, err, "the %s of %s is zero",
                        what, el->name));
    }
    return YOKE_OK;
}

yoke_status yk_circuit_check(const yk_circuit *c, bool hold,
                             yk_net_findings *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *group = NULL, *next = NULL, *last = NULL;

    YK_GO(YK_INTS((size_t)c->nodes + 1, err, &group, &next));
    YK_GO(YK_INTS((size_t)c->net->elements + 1, err, &last));
    YK_GO(check_paths(c, hold, group, next, last, out, err));
    YK_GO(check_source_loops(c, hold, out, err));
    YK_GO(check_capacitor_loops(c, out, err));
    YK_GO(check_cutsets(c, group, next, out, err));
    YK_GO(check_values(c, out, err));
done:
    YK_FREE(group, next, last);
    return status;
}
