/* graph/graph.h -- nodes and links of a graph. */
#ifndef YK_GRAPH_H
#define YK_GRAPH_H

#include "base/base.h"
#include "base/names.h"
#include "yoke/graph.h"

typedef struct yk_node {
    yoke_system *system;
    int owner;          /* node it is clustered with, or -1 */
    bool is_constraint; /* cannot be solved alone */
} yk_node;

struct yoke_graph {
    int nodes, links;
    size_t node_room, link_room;
    yk_node *node;
    yoke_link *link;
    yk_names names; /* of the nodes */
};

/* Refuses a graph with an input that nothing feeds. */
yoke_status yk_graph_complete(const yoke_graph *graph, yoke_err *err);

/* The node whose name is text[0 .. length); says what there is otherwise. */
yoke_status yk_graph_find_part(const yoke_graph *graph, const char *text,
                               size_t length, int *node, yoke_err *err);

/* Splits "node.port" and finds the node and its input or output. */
yoke_status yk_graph_port(const yoke_graph *graph, const char *address,
                          bool input, int *node, int *port, yoke_err *err);

#endif
