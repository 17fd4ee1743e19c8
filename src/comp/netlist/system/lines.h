/* comp/netlist/system/lines.h -- lossless lines of a netlist as signals with a
 * delay.  A partition NULL: the circuit is one part. */
#ifndef YK_FILE_NETLIST_LINES_H
#define YK_FILE_NETLIST_LINES_H

#include "comp/netlist/cut/partition.h"
#include "yoke/graph.h"

/* Marks the variables of the circuit that lines read. */
void yk_lines_read(const yk_circuit *circuit, bool *read);

/* The waves that arrive at line ends in part p become value inputs. */
yoke_status yk_lines_inputs(const yk_circuit *circuit, const yk_partition *cut,
                            int p, yk_net_part_spec *spec, yoke_err *err);

/* The signals.  `whole`: name of the part if there is one; `uic`: before the
 * start the ends had the voltages and currents that the lines say. */
yoke_status yk_lines_connect(yoke_graph *graph, const yk_circuit *circuit,
                             const yk_partition *cut, const char *whole,
                             bool uic, yoke_err *err);

#endif
