/* comp/netlist/system/ringing.h -- coils that ring with capacitances. */
#ifndef YK_NETLIST_RINGING_H
#define YK_NETLIST_RINGING_H

#include "comp/netlist/circuit/circuit.h"

/* If a coil of the circuit, hardly damped, can turn many times in `length`
 * seconds: how many turns' errors fit into a tolerance (yoke_stepper_options);
 * 0: none can. */
double yk_circuit_turns(const yk_circuit *circuit, double length);

#endif
