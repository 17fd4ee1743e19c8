/* comp/netlist/ngspice/read.h -- netlists that ngspice solves. */
#ifndef YK_NGSPICE_READ_H
#define YK_NGSPICE_READ_H

#include "file/component.h"

/* Does the subsystem ask for ngspice?  Refuses other engines. */
yoke_status yk_ngspice_wanted(const yk_reader *r, const yk_yaml *node,
                              bool *wanted, yoke_err *err);

/* As yk_component_read. */
yoke_status yk_ngspice_read(yk_reader *r, const yk_yaml *node,
                            const yk_yaml *given, yk_entries *parameters,
                            yoke_system **out, yoke_err *err);

#endif
