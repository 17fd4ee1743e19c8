/* comp/netlist/system/system.h -- a netlist as a whole system. */
#ifndef YK_NETLIST_SYSTEM_H
#define YK_NETLIST_SYSTEM_H

#include "comp/netlist/netlist.h"
#include "file/component.h"
#include "yoke/netlist.h"

/* What a file keeps of the netlist that it was made of (`whole`). */
typedef struct yk_net_system {
    yk_netlist *netlist;
    struct yk_measures *measures; /* its .measure lines, or NULL */
    struct yk_circuit *circuit;   /* in the arena of the netlist */
    int unknowns, cells, parts, findings;
    const char **finding;    /* in that arena, as the next */
    yoke_netlist_part *part; /* of each part */
    int cuts;
    yoke_netlist_cut *cut; /* elements that are cut */
    double rate;           /* predicted */
    const char *text;      /* how and why it was cut, or NULL */
} yk_net_system;

/* That of a file, or NULL: it is no netlist. */
yk_net_system *yk_net_system_of(const yoke_file *file);

/* An empty one becomes that of the file. */
yoke_status yk_net_system_create(yoke_file *file, yk_net_system **out,
                                 yoke_err *err);

/* The files that the netlist was read from are inputs of the run. */
yoke_status yk_net_system_inputs(yoke_file *file, const yk_netlist *net,
                                 yoke_err *err);

/* facts.c: the remarks of comp/netlist/cut/topology.h; where there is no
 * operating point it fails. */
yoke_status yk_net_system_check(yk_net_system *s, struct yk_circuit *c,
                                bool hold, yoke_err *err);

/* subsystem.c: a netlist as one subsystem. */
yk_component_read yk_net_subsystem;
yoke_status yk_net_subsystem_added(yk_reader *r, const yk_yaml *node,
                                   yoke_err *err);

/* ---- .measure (comp/netlist/analyse/measure_run.c) ----------------------- */

typedef struct yk_measures yk_measures;
struct yk_net_rows;

/* NULL if there are none.  Borrows the netlist. */
yoke_status yk_measures_create(yk_measures **out, const struct yk_netlist *net,
                               double begin, yoke_err *err);
void yk_measures_free(yk_measures *measures); /* accepts NULL */

/* Those of "dc", "ac" or "tran" on a table; `measures` may be NULL. */
yoke_status yk_measures_rows(yk_measures *measures, const char *analysis,
                             const struct yk_net_rows *rows, yoke_err *err);

#endif
