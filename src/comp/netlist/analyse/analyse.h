/* comp/netlist/analyse/analyse.h -- .op, .dc and .ac of a netlist as tables. */
#ifndef YK_ANALYSE_H
#define YK_ANALYSE_H

#include "comp/netlist/circuit/circuit.h"

/* Rows of numbers; complex ones are pairs (real, imaginary) in every column but
 * the first. */
typedef struct yk_net_rows {
    bool is_complex;
    int columns, rows;
    const char **name; /* columns; the first is the scale of the sweep */
    size_t room;
    double *value;
} yk_net_rows;

void yk_net_rows_clear(yk_net_rows *table);

/* The analysis that `task` asks for, on a netlist that stays as it is.  Its
 * columns are all voltages of nodes and all currents of branches. */
yoke_status yk_net_analyse(yk_net_rows *out, yk_netlist *net,
                           const yk_net_task *task, yoke_err *err);

#endif
