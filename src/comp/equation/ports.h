/* comp/equation/ports.h -- open ports of a model. */
#ifndef YK_EQUATION_PORTS_H
#define YK_EQUATION_PORTS_H

#include "comp/equation/rates.h"

/* Of each open port of the model one variable becomes an input, the other an
 * output (ports.c); `rates`, which may be NULL, is told of those whose potential
 * is the input.  *none: whatever is given, the equations have no structure. */
yoke_status yk_flat_open_ports(yk_flat *flat, const yk_equation_rates *rates,
                               bool *none, yoke_err *err);

#endif
