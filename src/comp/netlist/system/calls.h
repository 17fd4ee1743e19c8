/* comp/netlist/system/calls.h -- what couplings read of a netlist. */
#ifndef YK_NETLIST_CALLS_H
#define YK_NETLIST_CALLS_H

#include "file/component.h"

/* One `name.v(...)` or `name.i(...)`: `call` is v(...) or i(...), `at` its place
 * in the text of the node. */
typedef yoke_status yk_net_found(void *context, const yk_yaml *node, size_t at,
                                 const char *call, yoke_err *err);

/* All of them in the node and below; the name with or without quotes. */
yoke_status yk_net_find_calls(const yk_yaml *node, const char *name,
                              yk_net_found *found, void *context,
                              yoke_err *err);

#endif
