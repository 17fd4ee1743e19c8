/* comp/netlist/cut/partition.h -- cuts a circuit into parts.
 *
 * Cuts lie between nodes: every variable belongs to one part, an element
 * between two parts is known to both, and each sees the voltages of the other
 * as inputs.  What conducts directly is never cut: drain and source of a
 * transistor, the ends of a branch, and resistors or capacitors that are strong
 * compared with everything else at their two nodes.  What remains joined is a
 * *cell*; a logic gate is one.  Cells that wait for each other (a latch) become
 * one part; the others are sorted by the direction of the signals.
 *
 * An element with a current of its own (a source, an inductor) is cut by that
 * current: one side has it among its unknowns, with the law of the element as
 * the equation, and reads the voltage of the other; the other reads the
 * current.
 */
#ifndef YK_PARTITION_H
#define YK_PARTITION_H

#include "comp/netlist/circuit/circuit.h"

typedef enum yk_cut {
    YK_CUT_NONE,      /* one part */
    YK_CUT_CELLS,     /* as above */
    YK_CUT_HIERARCHY, /* by the instances down to a depth */
    YK_CUT_AUTO,      /* cells put together by METIS */
    YK_CUT_HAND,      /* as `hand` says */
    YK_CUT_SEAMS      /* at the elements with a seam and nowhere else */
} yk_cut;

/* How an element is cut although it joins its nodes. */
typedef enum yk_seam {
    YK_SEAM_NONE,
    YK_SEAM_VOLTAGE, /* both sides read the voltage of the other */
    YK_SEAM_FIRST,   /* by its current, which the side of node 0 owns */
    YK_SEAM_SECOND   /* the same, node 1 */
} yk_seam;

typedef struct yk_partition_options {
    yk_cut cut;
    double step; /* s, at which capacitors are compared with resistors */
    int loop;    /* largest feedback loop, in unknowns, that becomes a part */
    int size;    /* cells that follow each other are put together up to this
                    many unknowns */
    int depth;   /* of instances that are parts; 1: those at the top */
    int parts;   /* of AUTO, at most; 0: chosen by the work */
    int overlap; /* layers of nodes that neighbours solve too */
    int names;   /* of HAND */
    const char *const *name;
    const int *hand;     /* of each node of the netlist: its part, or -1 */
    const yk_seam *seam; /* of each element; NULL: none */
} yk_partition_options;

yk_partition_options yk_partition_defaults(void);

typedef struct yk_partition {
    int parts;
    int *part;  /* of each variable; -1: it is none of the whole */
    int *cell;  /* the same */
    int *hard;  /* the same: what can never be apart, such as a branch and its
                   ends */
    int *first; /* parts + 1, into `list` */
    int *list;  /* variables, part by part: its own in increasing order, then
                   copies of others */
    int *owned; /* of each part: how many of its list are its own */
    const char **name;
    int cells, loops; /* how many cells, and feedback loops of several */
} yk_partition;

/* In the arena of the netlist.  `start` are the values of all variables. */
yoke_status yk_circuit_cut(yk_circuit *circuit, const double *start,
                           const yk_partition_options *options,
                           yk_partition *out, yoke_err *err);

/* Parts with the same group, numbered from 0 without gaps, become one; they are
 * named part1, part2, ... */
yoke_status yk_partition_merge(yk_circuit *circuit, yk_partition *partition,
                               const int *group, int groups, yoke_err *err);

/* So many times everything that a part reads is added to its list, with what
 * can never be apart from it. */
yoke_status yk_partition_overlap(yk_circuit *circuit, yk_partition *partition,
                                 int times, yoke_err *err);

/* The first `room` parts with variables that occur in element e, increasing,
 * and how many these are.  More than one: the element is cut. */
int yk_partition_of(const yk_circuit *circuit, const yk_partition *partition,
                    int e, int room, int *part);

/* Does element e join variables directly that are in different parts? */
bool yk_partition_tears(const yk_circuit *circuit,
                        const yk_partition *partition, int e);

#endif
