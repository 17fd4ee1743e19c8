/* comp/netlist/ngspice/engine.h -- ngspice as an engine of closed parts.
 *
 * The settings of the part: `netlist`, its path; inputs `in:NAME` and outputs
 * `out:NAME` in their order, with what they are:
 *
 *     in:   source ELEMENT | into NODE | v NODE
 *     out:  vector NAME | into NODE       (of a port that is driven by a voltage)
 *
 * `set:NAME`, values of elements and .param; `tolerance`, `span`.
 */
#ifndef YK_NGSPICE_ENGINE_H
#define YK_NGSPICE_ENGINE_H

#include "part/part.h"

yoke_status yk_ngspice_make(const yk_part_spec *spec, yk_part_engine *out,
                            yoke_err *err);

#endif
