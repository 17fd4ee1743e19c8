/* file/connect.c -- physical ports joined at a point.
 *
 * The port p of a subsystem is an output p.<potential> and an input p.<flow>;
 * of a netlist, v(p) and into(p).
 * Of N ports joined, N - 1 have the potential of the last one, and the flows
 * sum to zero:
 *
 *     0 = v_k - v_N,   i_k = lambda_k  (k < N),   i_N = -sum lambda_k.
 *
 * Each of these is a constraint of its own, owned by the subsystem of port k:
 * it finds the flow for which its potential is that of the last port, which
 * then gets the sum of the flows.  (All in one cluster with the last subsystem
 * would not be solvable: only the sum of the multipliers acts there.)  Two
 * ports may be owned from either side.
 *
 * A port may also be driven: p.<potential> is its input, p.<flow> its output.
 * Such ports follow the last one that gives a potential, by signals alone.  If
 * there is none, the potential is the multiplier of 0 = sum of the flows.
 */
#include "file/reader.h"

#include "graph/graph.h"
#include "model/waves.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PORTS = 1000 };

typedef struct port {
    const yk_yaml *node;
    char *potential, *flow; /* "subsystem.port.variable" */
    char *subsystem;
    bool closed, driven; /* see yk_file_terminal */
    double sign;
} port;

typedef struct joint {
    const char *name, *owner;
    char own_name[YK_COUPLING_NAME];
    int count;
    const yk_yaml **item;
    port *port;
} joint;

static void joint_clear(joint *j)
{
    for (int i = 0; j->port && i < j->count; i++) {
        YK_FREE(j->port[i].potential, j->port[i].flow, j->port[i].subsystem);
    }
    YK_FREE(j->item, j->port);
}

/* ---- ports --------------------------------------------------------------- */

/* The only name that begins with "prefix."; counts them. */
static const char *find_variable(const char *prefix, int names,
                                 const char *const *name, int *count)
{
    const size_t length = strlen(prefix);
    const char *found = NULL;

    *count = 0;
    for (int i = 0; i < names; i++)
        if (strncmp(name[i], prefix, length) == 0 && name[i][length] == '.') {
            found = name[i];
            ++*count;
        }
    return found;
}

/* Is `name` "sub.kind(node)" and `inner` "sub.node"? */
static bool is_of_node(const char *name, const char *kind, const char *inner)
{
    const size_t head = strlen(kind);

    for (const char *at = name; (at = strstr(at, kind)); at++) {
        const size_t before = (size_t)(at - name);
        if (at[head] != '(' || (before && at[-1] != '.')) continue;
        if (strncmp(name, inner, before) != 0) return false;
        const size_t length = strlen(inner + before);
        return strncmp(at + head + 1, inner + before, length) == 0 &&
               strcmp(at + head + 1 + length, ")") == 0;
    }
    return false;
}

/* The port of a netlist is a node: output v(node), input into(node). */
static const char *find_of_node(const char *kind, const char *inner, int names,
                                const char *const *name, int *count)
{
    for (int i = 0; i < names; i++)
        if (is_of_node(name[i], kind, inner)) {
            *count = 1;
            return name[i];
        }
    return NULL;
}

static yoke_status address(char **out, const char *subsystem, const char *name,
                           yoke_err *err)
{
    return yk_print(out, err, "%s.%s", subsystem, name);
}

static yoke_status split(const yoke_graph *graph, port *p, const char **inner,
                         yoke_err *err)
{
    const char *text = p->node->text;
    const char *dot = text + yk_graph_split(graph, text);

    if (!*dot || dot == text || !dot[1])
        return yk_fail(err, YOKE_E_FILE,
                       "a port is written subsystem.port, not \"%.100s\"",
                       text);
    YK_TRY(yk_copy_text(&p->subsystem, text, err));
    p->subsystem[dot - text] = '\0';
    *inner = dot + 1;
    return YOKE_OK;
}

static yoke_status resolve(const yoke_file *file, const yoke_graph *graph,
                           port *p, yoke_err *err)
{
    const yk_file_terminal *t = yk_file_find_terminal(file, p->node->text);
    const char *inner = NULL;
    int potentials = 0, flows = 0;

    YK_TRY(split(graph, p, &inner, err));
    const int node = yoke_graph_find(graph, p->subsystem);
    if (node < 0)
        return yk_fail(err, YOKE_E_FILE, "there is no subsystem \"%.100s\"",
                       p->subsystem);
    const yoke_system_info *f =
        yoke_system_facts(yoke_graph_system(graph, node));
    p->closed = f->closed != NULL;
    p->driven = t && t->driven;
    p->sign = t ? t->sign : 1.0;
    if (t) {
        YK_TRY(address(&p->potential, p->subsystem, t->potential, err));
        return address(&p->flow, p->subsystem, t->flow, err);
    }
    const char *potential = find_variable(inner, f->p, f->y_name, &potentials);
    const char *flow = find_variable(inner, f->m, f->u_name, &flows);
    if (!potential && !flow) {
        potential = find_of_node("v", inner, f->p, f->y_name, &potentials);
        flow = find_of_node("into", inner, f->m, f->u_name, &flows);
    }
    if (potentials != 1 || flows != 1)
        return yk_fail(err, YOKE_E_FILE,
                       "\"%.100s\" is not a port of \"%.100s\": a port has one "
                       "output (its potential) and one input (its flow), here "
                       "there are %d and %d named \"%.100s.*\"",
                       inner, p->subsystem, potentials, flows, inner);
    YK_TRY(address(&p->potential, p->subsystem, potential, err));
    return address(&p->flow, p->subsystem, flow, err);
}

static yoke_status check_units(const yoke_file *file, const port *a,
                               const port *b, yoke_err *err)
{
    YK_TRY(yk_file_same_units(file, a->potential, b->potential, err));
    return yk_file_same_units(file, a->flow, b->flow, err);
}

static yoke_status read_ports(const yk_reader *r, const yk_yaml *node, joint *j,
                              yoke_err *err)
{
    const yoke_graph *graph = yoke_model_graph(r->file->model);

    YK_TRY(yk_file_want(r, node, YK_YAML_LIST, err));
    YK_TRY(yk_file_texts(r, node, &j->item, &j->count, err));
    if (j->count < 2 || j->count > MOST_PORTS)
        return yk_file_fail(r, node, err,
                            "2 to %d ports are joined, [a.p, b.p], not %d",
                            MOST_PORTS, j->count);
    YK_TRY(YK_NEW(&j->port, j->count, err));
    for (int i = 0; i < j->count; i++) {
        j->port[i].node = j->item[i];
        YK_TRY(yk_file_place(r, j->item[i], 0,
                             resolve(r->file, graph, &j->port[i], err), err));
        for (int k = 0; k < i; k++)
            if (strcmp(j->port[k].flow, j->port[i].flow) == 0)
                return yk_file_fail(r, j->item[i], err,
                                    "\"%.100s\" occurs twice",
                                    j->item[i]->text);
        YK_TRY(yk_file_place(
            r, j->item[i], 0,
            check_units(r->file, &j->port[0], &j->port[i], err), err));
    }
    return YOKE_OK;
}

/* ---- constraint ---------------------------------------------------------- */

/* "name", or "name_k" if there are several. */
static void constraint_name(const joint *j, int k, char *name, size_t room)
{
    if (j->count == 2)
        snprintf(name, room, "%.300s", j->name);
    else
        snprintf(name, room, "%.300s_%d", j->name, k + 1);
}

static yoke_status join_pair(yoke_graph *graph, const joint *j, int k,
                             yoke_err *err)
{
    static const double weight[] = { 1.0, -1.0 };
    const port *own = &j->port[k], *last = &j->port[j->count - 1];
    const char *const output[] = { own->potential, last->potential };
    const char *const standard =
        j->count == 2 && !last->closed ? last->subsystem : own->subsystem;
    char name[320], flow[340];
    const yoke_constraint equal = {
        .count = 1,
        .outputs = 2,
        .output = output,
        .weight = weight,
        .owner = j->owner ? j->owner : standard,
        .may_stay = !j->owner,
    };

    constraint_name(j, k, name, sizeof name);
    snprintf(flow, sizeof flow, "%s.lambda", name);
    YK_TRY(yoke_graph_constraint(graph, name, &equal, err));
    YK_TRY(yoke_graph_signal(graph, own->flow, flow, own->sign, err));
    return yoke_graph_signal(graph, last->flow, flow, -last->sign, err);
}

/* Ports that take a potential have that of the leader, which gets their flows.
 * No constraint is needed for them. */
static yoke_status join_driven(yoke_graph *graph, const port *leader,
                               const port *driven, yoke_err *err)
{
    YK_TRY(yoke_graph_signal(graph, driven->potential, leader->potential, 1.0,
                             err));
    return yoke_graph_signal(graph, leader->flow, driven->flow,
                             -driven->sign * leader->sign, err);
}

/* Nobody gives a potential: it is the multiplier, and the flows sum to zero. */
static yoke_status join_flows(yoke_graph *graph, const joint *j, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const char **flow = NULL;
    double *weight = NULL;
    char potential[340];
    const port *last = &j->port[j->count - 1];

    for (int k = 0; k < j->count; k++)
        if (j->port[k].closed)
            return yk_fail(err, YOKE_E_FILE,
                           "\"%.100s\" is a port of a closed part that takes a "
                           "potential and gives a flow: it is joined with one "
                           "port that gives a potential",
                           j->port[k].node->text);
    YK_GO(YK_NEW(&flow, j->count, err));
    YK_GO(yk_doubles(&weight, (size_t)j->count, err));
    for (int k = 0; k < j->count; k++) {
        flow[k] = j->port[k].flow;
        weight[k] = j->port[k].sign;
    }
    const yoke_constraint sum = {
        .count = 1,
        .outputs = j->count,
        .output = flow,
        .weight = weight,
        .owner = j->owner ? j->owner : last->subsystem,
        .may_stay = !j->owner,
    };
    snprintf(potential, sizeof potential, "%.300s.lambda", j->name);
    YK_GO(yoke_graph_constraint(graph, j->name, &sum, err));
    for (int k = 0; k < j->count; k++)
        YK_GO(yoke_graph_signal(graph, j->port[k].potential, potential, 1.0,
                                err));
done:
    YK_FREE((void *)flow, weight);
    return status;
}

/* Ports that give a potential first, in their order; returns how many. */
static int sort_driven(joint *j)
{
    int given = 0;

    for (int k = 0; k < j->count; k++) {
        const port p = j->port[k];
        if (p.driven) continue;
        for (int i = k; i > given; i--) j->port[i] = j->port[i - 1];
        j->port[given++] = p;
    }
    return given;
}

static yoke_status join(yoke_graph *graph, joint *j, yoke_err *err)
{
    const int all = j->count, given = sort_driven(j);
    yoke_status status = YOKE_OK;

    if (j->owner && j->count > 2)
        return yk_fail(err, YOKE_E_FILE,
                       "\"owner\" is for two ports; of %d ports each but the "
                       "last owns its own constraint: put the subsystem whose "
                       "potential is to lead last in the list",
                       j->count);
    if (given == 0) return join_flows(graph, j, err);
    j->count = given;
    for (int k = 0; k < given - 1 && status == YOKE_OK; k++)
        status = join_pair(graph, j, k, err);
    j->count = all;
    for (int k = given; k < all && status == YOKE_OK; k++)
        status = join_driven(graph, &j->port[given - 1], &j->port[k], err);
    return status;
}

/* ---- waves --------------------------------------------------------------- */

static yoke_status read_transmission(const yk_reader *r, const yk_yaml *node,
                                     bool *waves, yoke_err *err)
{
    static const char *const word[] = { "constraint", "waves" };
    const yk_yaml *given =
        node->kind == YK_YAML_MAP ? yk_yaml_find(node, "transmission") : NULL;
    const char *text = NULL;

    if (!given) return YOKE_OK;
    YK_TRY(yk_file_text(r, given, &text, err));
    *waves = strcmp(text, word[1]) == 0;
    if (*waves || strcmp(text, word[0]) == 0) return YOKE_OK;
    yk_fail(err, YOKE_E_FILE, "there is no transmission \"%.100s\"", text);
    yk_file_suggest(err, text, 2, word);
    return yk_file_place(r, given, 0, YOKE_E_FILE, err);
}

static yoke_status join_waves(yk_reader *r, const yk_yaml *node, joint *j,
                              yoke_err *err)
{
    const yk_yaml *impedance = yk_yaml_find(node, "impedance");
    yk_wave_port end[2];
    char text[YK_WAVES_TEXT];
    double z = 0.0;

    for (int k = 0; k < j->count; k++)
        if (j->port[k].closed || j->port[k].driven)
            return yk_file_fail(
                r, j->port[k].node, err,
                "\"%.100s\" is a port %s, "
                "which waves cannot be exchanged with%s",
                j->port[k].node->text,
                j->port[k].closed ? "of a closed part"
                                  : "that takes a potential and gives a flow",
                j->port[k].closed ? "; leave \"transmission\" out: the ports "
                                    "are then joined by a constraint"
                                  : "");
    if (j->owner)
        return yk_file_fail(r, node, err,
                            "waves need no owner: each port is closed on its "
                            "own side");
    if (j->count != 2)
        return yk_file_fail(r, node, err,
                            "waves are exchanged by two ports, not by %d; join "
                            "further ones inside a subsystem",
                            j->count);
    if (impedance) {
        YK_TRY(yk_file_number(r, impedance, NULL, &z, err));
        if (!(z > 0.0))
            return yk_file_fail(r, impedance, err,
                                "impedance = %g; it must be more than 0", z);
    }
    for (int k = 0; k < 2; k++)
        end[k] = (yk_wave_port){ j->port[k].potential, j->port[k].flow,
                                 j->port[k].subsystem };
    YK_TRY(yk_file_place(r, node, 0,
                         yk_model_waves(r->file->model, &r->file->run, j->name,
                                        end, z, text, err),
                         err));
    return yk_file_report(r->file, err, "%s: %s", j->name, text);
}

static yoke_status read_joint(yk_reader *r, const yk_yaml *node, joint *j,
                              yoke_err *err)
{
    static const char *const key[] = { "ports", "owner", "name", "transmission",
                                       "impedance" };
    yoke_graph *graph = yoke_model_graph(r->file->model);
    const yk_yaml *ports = node, *owner = yk_yaml_find(node, "owner");
    bool waves = false;

    if (node->kind == YK_YAML_MAP) {
        YK_TRY(yk_file_keys(r, node, 5, key, err));
        ports = yk_yaml_find(node, "ports");
        if (!ports)
            return yk_file_fail(r, node, err,
                                "\"ports\" is missing: the "
                                "list of ports to join");
    }
    YK_TRY(yk_file_coupling_name(r, node, j->own_name, &j->name, err));
    if (owner) YK_TRY(yk_file_text(r, owner, &j->owner, err));
    YK_TRY(read_ports(r, ports, j, err));
    YK_TRY(read_transmission(r, node, &waves, err));
    if (waves) {
        YK_TRY(join_waves(r, node, j, err));
        return yk_facts_coupling(&r->file->facts, "connect", j->name, node,
                                 err);
    }
    YK_TRY(yk_file_place(r, owner ? owner : node, 0, join(graph, j, err), err));
    return yk_facts_coupling(&r->file->facts, "connect", j->name, node, err);
}

yoke_status yk_file_connect(yk_reader *r, const yk_yaml *node, yoke_err *err)
{
    joint j = { 0 };
    const yoke_status status = read_joint(r, node, &j, err);

    joint_clear(&j);
    return status;
}
