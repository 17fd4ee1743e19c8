/* comp/netlist/cut/topology.h -- what can be seen of a circuit before it is
 * solved, in the names of its elements: nodes without a path for direct
 * current, loops and cutsets that raise the index, values that are not
 * positive. */
#ifndef YK_NETLIST_TOPOLOGY_H
#define YK_NETLIST_TOPOLOGY_H

#include "comp/netlist/circuit/circuit.h"

typedef struct yk_net_finding {
    bool is_error;    /* there is no operating point */
    const char *text; /* "file:line: ...", in the arena of the netlist */
} yk_net_finding;

/* Zero-initialise it; `finding` is the caller's. */
typedef struct yk_net_findings {
    int count, more; /* more: not listed */
    size_t room;
    yk_net_finding *finding;
} yk_net_findings;

/* `hold`: an operating point is wanted, in which the levels of .ic hold;
 * without it nothing is an error. */
yoke_status yk_circuit_check(const yk_circuit *circuit, bool hold,
                             yk_net_findings *out, yoke_err *err);
void yk_net_findings_clear(yk_net_findings *findings);

/* group[nodes]: nodes that direct current can join have the same number, which
 * is that of one of them; 0: with ground. */
yoke_status yk_circuit_groups(const yk_circuit *circuit, int *group,
                              yoke_err *err);

/* The elements at a node as text: "r1 (line 3), c2 (line 4) and 4 more". */
void yk_circuit_at_node(const yk_circuit *circuit, int node, char *text,
                        size_t room);

#endif
