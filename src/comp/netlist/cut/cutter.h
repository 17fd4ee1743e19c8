/* comp/netlist/cut/cutter.h -- a circuit while it is cut. */
#ifndef YK_CUTTER_H
#define YK_CUTTER_H

#include "comp/netlist/cut/partition.h"

typedef struct yk_cutter {
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
} yk_cutter;

/* ---- what belongs together (partition_join.c) ---------------------------- */

bool yk_cutter_owns(const yk_cutter *k, int variable);
int yk_cutter_root(yk_cutter *k, int variable);

/* Branches, devices, switches; not across seams. */
void yk_cutter_join_hard(yk_cutter *k);
/* Resistors and capacitors that are strong. */
void yk_cutter_join_strong(yk_cutter *k);
/* Everything inside an instance. */
yoke_status yk_cutter_join_instances(yk_cutter *k, yoke_err *err);
/* All that occur in an element, but for seams. */
void yk_cutter_join_all(yk_cutter *k);
/* What `hand` puts together. */
yoke_status yk_cutter_join_hand(yk_cutter *k, yoke_err *err);

/* All variables that occur in element e: calls `take` for each, ground and
 * driven nodes too. */
void yk_circuit_each(const yk_circuit *c, int e,
                     void (*take)(void *context, int variable), void *context);

/* ---- order of the signals (partition_order.c) ---------------------------- */

/* Cells of a loop of at most `loop` unknowns get one group, cells that follow
 * each other up to `size` unknowns too; groups are numbered in the order of the
 * signals.  *loops: how many of several cells there are. */
yoke_status yk_cutter_edges(yk_cutter *k, yoke_err *err);
yoke_status yk_cutter_order(yk_cutter *k, int loop, int size, int *loops,
                            yoke_err *err);

/* ---- by METIS (partition_auto.c) ----------------------------------------- */

/* Groups of cells; then the groups are the cells. */
yoke_status yk_cutter_gather(yk_cutter *k, yoke_err *err);

#endif
