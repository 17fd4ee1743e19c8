/* graph/graph.c -- subsystems, signals and constraints. */
#include "graph/graph.h"

#include "base/quoted.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

yoke_status yk_graph_create(yoke_graph **out, yoke_err *err)
{
    return YK_NEW(out, 1, err);
}

void yk_graph_free(yoke_graph *graph)
{
    if (!graph) return;
    for (int i = graph->nodes - 1; i >= 0; i--)
        yoke_system_free(graph->node[i].system);
    yk_names_clear(&graph->names);
    YK_FREE(graph->node, graph->link, graph->delay, graph);
}

int yoke_graph_count(const yoke_graph *graph)
{
    return graph->nodes;
}

yoke_system *yoke_graph_system(const yoke_graph *graph, int i)
{
    return graph->node[i].system;
}

int yoke_graph_find(const yoke_graph *graph, const char *name)
{
    const int i = yk_names_find(&graph->names, name);

    return i < graph->nodes ? i : -1;
}

int yoke_graph_links(const yoke_graph *graph, const yoke_link **link)
{
    if (link) *link = graph->link;
    return graph->links;
}

/* Of "a.b.c" with a length that ends before a dot, the node a.b or a. */
static int find_begin(const yoke_graph *graph, const char *text, size_t length,
                      yoke_err *err, yoke_status *status)
{
    char *copy = NULL;

    *status = yk_print(&copy, err, "%.*s", (int)length, text);
    if (*status != YOKE_OK) return -1;
    const int node = yoke_graph_find(graph, copy);
    yk_free(copy);
    return node;
}

/* "a" and "a.b" at once would make "a.b.y" ambiguous. */
static yoke_status check_paths(yoke_graph *graph, const char *name,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;

    for (size_t end = yk_quoted_span(name, "."); name[end];
         end += 1 + yk_quoted_span(name + end + 1, ".")) {
        graph->dotted = true;
        if (find_begin(graph, name, end, err, &status) >= 0)
            return yk_fail(err, YOKE_E_ARG,
                           "subsystems \"%s\" and \"%.*s\": a name with a dot "
                           "could mean either; rename one",
                           name, (int)end, name);
        YK_TRY(status);
    }
    const size_t length = strlen(name);
    for (int i = 0; graph->dotted && i < graph->nodes; i++) {
        const char *other = yoke_system_name(graph->node[i].system);
        if (strncmp(other, name, length) == 0 && other[length] == '.')
            return yk_fail(err, YOKE_E_ARG,
                           "subsystems \"%s\" and \"%s\": a name with a dot "
                           "could mean either; rename one",
                           name, other);
    }
    return YOKE_OK;
}

static yoke_status check_name(yoke_graph *graph, const char *name,
                              yoke_err *err)
{
    if (!yk_is_path(name, " +>,;*"))
        return yk_fail(err, YOKE_E_ARG,
                       "\"%s\" is not a name for a subsystem: it must not be "
                       "empty nor contain any of \". + > , ; *\" or spaces, "
                       "unless these stand between single quotes",
                       name);
    if (yoke_graph_find(graph, name) >= 0)
        return yk_fail(err, YOKE_E_ARG, "there are two subsystems named \"%s\"",
                       name);
    return check_paths(graph, name, err);
}

yoke_status yk_graph_add(yoke_graph *graph, yoke_system *system, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    YK_GO(check_name(graph, yoke_system_name(system), err));
    YK_GO(YK_GROW(&graph->node, &graph->node_room, graph->nodes + 1, err));
    YK_GO(yk_names_add(&graph->names, yoke_system_name(system), graph->nodes,
                       err));
    graph->node[graph->nodes++] =
        (yk_graph_node){ .system = system, .owner = -1 };
    return YOKE_OK;
done:
    yoke_system_free(system);
    return status;
}

/* "a, b, c, ..."; at most eight names. */
enum { LISTED = 8, LIST_SIZE = 400 };

static void list_one(char *text, int i, const char *name)
{
    if (i == 0) text[0] = '\0';
    if (i <= LISTED)
        yk_append(text, LIST_SIZE, "%s%s", i ? ", " : "",
                  i == LISTED ? "..." : name);
}

static void list_ports(char *text, const char *const *name, int count)
{
    snprintf(text, LIST_SIZE, "none");
    for (int i = 0; i < count && i <= LISTED; i++) list_one(text, i, name[i]);
}

static void list_nodes(char *text, const yoke_graph *graph)
{
    snprintf(text, LIST_SIZE, "none");
    for (int i = 0; i < graph->nodes && i <= LISTED; i++)
        list_one(text, i, yoke_system_name(graph->node[i].system));
}

static yoke_status find_named(const yoke_graph *graph, const char *name,
                              int *node, yoke_err *err)
{
    char known[LIST_SIZE];

    *node = yoke_graph_find(graph, name);
    if (*node >= 0) return YOKE_OK;
    list_nodes(known, graph);
    return yk_fail(err, YOKE_E_ARG,
                   "there is no subsystem \"%.400s\"; there are: %s", name,
                   known);
}

yoke_status yk_graph_find_part(const yoke_graph *graph, const char *text,
                               size_t length, int *node, yoke_err *err)
{
    char *name = NULL;

    YK_TRY(yk_print(&name, err, "%.*s", (int)length, text));
    const yoke_status status = find_named(graph, name, node, err);
    yk_free(name);
    return status;
}

size_t yk_graph_split(const yoke_graph *graph, const char *address)
{
    const size_t first = yk_quoted_span(address, ".");
    yoke_status status = YOKE_OK;

    for (size_t end = first; graph->dotted && address[end];
         end += 1 + yk_quoted_span(address + end + 1, "."))
        if (find_begin(graph, address, end, NULL, &status) >= 0) return end;
    return first;
}

static bool has_port(const yoke_system_info *info, bool input, const char *name)
{
    const int count = input ? info->m : info->p;

    for (int i = 0; i < count; i++)
        if (yk_quoted_is(name, input ? info->u_name[i] : info->y_name[i]))
            return true;
    return false;
}

yoke_status yk_graph_port(const yoke_graph *graph, const char *address,
                          bool input, int *node, int *port, yoke_err *err)
{
    char known[LIST_SIZE];
    const char *dot = address + yk_graph_split(graph, address);
    const char *kind = input ? "input" : "output";

    if (!*dot || dot == address || !dot[1])
        return yk_fail(
            err, YOKE_E_ARG, "\"%s\" does not have the form subsystem.%s%s",
            address, kind,
            strcmp(address, "t") == 0 ? "; the time is called \"time\"" : "");
    YK_TRY(
        yk_graph_find_part(graph, address, (size_t)(dot - address), node, err));
    const yoke_system_info *info = yoke_system_facts(graph->node[*node].system);
    const int count = input ? info->m : info->p;
    const char *const *names = input ? info->u_name : info->y_name;
    for (*port = 0; *port < count; ++*port)
        if (yk_quoted_is(dot + 1, names[*port])) return YOKE_OK;
    list_ports(known, names, count);
    yk_fail(err, YOKE_E_ARG,
            "subsystem \"%.*s\" has no %s \"%.200s\"; it has: %s",
            (int)(dot - address), address, kind, dot + 1, known);
    if (has_port(info, !input, dot + 1))
        yk_suffix(err, "; \"%.200s\" is an %s: a signal is INPUT = OUTPUT",
                  dot + 1, input ? "output" : "input");
    return YOKE_E_ARG;
}

static yoke_status add_link(yoke_graph *graph, const yoke_link *link,
                            yoke_err *err)
{
    YK_TRY(YK_GROW(&graph->link, &graph->link_room, graph->links + 1, err));
    graph->link[graph->links++] = *link;
    return YOKE_OK;
}

yoke_status yoke_graph_signal(yoke_graph *graph, const char *input,
                              const char *output, double weight, yoke_err *err)
{
    yoke_link link = { .weight = weight };

    if (!isfinite(weight))
        return yk_fail(err, YOKE_E_ARG,
                       "signal %s = %g * %s: the weight is "
                       "not finite",
                       input, weight, output);
    YK_TRY(yk_graph_port(graph, input, true, &link.to, &link.input, err));
    YK_TRY(yk_graph_port(graph, output, false, &link.from, &link.output, err));
    return add_link(graph, &link, err);
}

yoke_status yoke_graph_delay(yoke_graph *graph, const char *input,
                             const char *output, double weight, double delay,
                             const double *past, yoke_err *err)
{
    if (!(delay > 0.0 && isfinite(delay)) || (past && !isfinite(*past)))
        return yk_fail(err, YOKE_E_ARG,
                       "signal %s = %g * %s: the delay %g is not positive and "
                       "finite, or the past %g is not finite",
                       input, weight, output, delay, past ? *past : 0.0);
    YK_TRY(yoke_graph_signal(graph, input, output, weight, err));
    YK_TRY(YK_GROW(&graph->delay, &graph->delay_room, graph->links, err));
    while (graph->delays < graph->links)
        graph->delay[graph->delays++] = (yoke_delay){ 0.0, false, 0.0 };
    graph->delay[graph->links - 1] =
        (yoke_delay){ delay, past != NULL, past ? *past : 0.0 };
    return YOKE_OK;
}

yoke_delay yoke_graph_delay_of(const yoke_graph *graph, int l)
{
    return l < graph->delays ? graph->delay[l]
                             : (yoke_delay){ 0.0, false, 0.0 };
}

yoke_status yk_graph_own(yoke_graph *graph, const char *name, const char *owner,
                         yoke_err *err)
{
    int node = 0, with = 0;

    YK_TRY(find_named(graph, name, &node, err));
    YK_TRY(find_named(graph, owner, &with, err));
    for (int i = with; i >= 0; i = graph->node[i].owner)
        if (i == node)
            return yk_fail(err, YOKE_E_ARG,
                           "\"%s\" cannot be owned by \"%s\": "
                           "the owners would form a circle",
                           name, owner);
    graph->node[node].owner = with;
    return YOKE_OK;
}

yoke_status yk_graph_complete(const yoke_graph *graph, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *first = NULL, total = 0;
    bool *fed = NULL;

    if (graph->nodes == 0)
        return yk_fail(err, YOKE_E_MODEL, "the model has no subsystem");
    YK_GO(yk_ints(&first, (size_t)graph->nodes, err));
    for (int i = 0; i < graph->nodes; i++) {
        first[i] = total;
        total += yoke_system_facts(graph->node[i].system)->m;
    }
    YK_GO(YK_NEW(&fed, total, err));
    for (int l = 0; l < graph->links; l++)
        fed[first[graph->link[l].to] + graph->link[l].input] = true;
    for (int i = 0; i < graph->nodes; i++) {
        const yoke_system_info *info = yoke_system_facts(graph->node[i].system);
        for (int k = 0; k < info->m; k++)
            if (!fed[first[i] + k])
                YK_GO(yk_fail(err, YOKE_E_MODEL,
                              "input \"%s.%s\" is not "
                              "connected; connect it with a signal, "
                              "or declare an input of the system (inputs:) "
                              "and connect that",
                              yoke_system_name(graph->node[i].system),
                              info->u_name[k]));
    }
done:
    YK_FREE(first, fed);
    return status;
}
