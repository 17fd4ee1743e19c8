/* comp/netlist/partition.h -- cuts a circuit into parts.
 *
 * Cuts lie between nodes: every variable belongs to one part, an element
 * between two parts is known to both, and each sees the voltages of the other
 * as inputs.  What conducts directly is never cut: drain and source of a
 * transistor, the ends of a branch, and resistors or capacitors that are strong
 * against everything else at their two nodes.  What remains joined is a *cell*;
 * a logic gate is one.  Cells that wait for each other (a latch) become one
 * part; the others are sorted by the direction of the signals.
 */
#ifndef YK_PARTITION_H
#define YK_PARTITION_H

#include "comp/netlist/circuit.h"

typedef enum yk_cut {
    YK_CUT_NONE,     /* one part */
    YK_CUT_CELLS,    /* as above */
    YK_CUT_HIERARCHY /* by the instances at the top */
} yk_cut;

typedef struct yk_partition_options {
    yk_cut cut;
    double step;   /* s, at which capacitors are compared with resistors */
    double strong; /* join if the product of the two ratios is larger; 0.05 */
    int loop;      /* largest feedback loop, in unknowns, that becomes a part */
    int size;      /* cells that follow each other are put together up to this
                      many unknowns */
} yk_partition_options;

yk_partition_options yk_partition_defaults(void);

typedef struct yk_partition {
    int parts;
    int *part;  /* of each variable; -1: it is none of the whole */
    int *cell;  /* the same */
    int *first; /* parts + 1, into `list` */
    int *list;  /* variables, part by part, each part in increasing order */
    const char **name;
    int cells, loops; /* how many cells, and feedback loops of several */
} yk_partition;

/* In the arena of the netlist.  `start` are the values of all variables. */
yoke_status yk_circuit_cut(yk_circuit *circuit, const double *start,
                           const yk_partition_options *options,
                           yk_partition *out, yoke_err *err);

#endif
