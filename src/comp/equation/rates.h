/* comp/equation/rates.h -- derivatives that go from one model to another.
 *
 * Of an output y the model gets the outputs y.v = der(y) and y.a = der(y.v):
 * two more equations, which the reduction of the index differentiates like any
 * others.  Of an input u it gets the inputs u.v and u.a, which take the place of
 * der(u) and der(der(u)); of an element u[2] those of the whole array, u.v[2].
 */
#ifndef YK_EQUATION_RATES_H
#define YK_EQUATION_RATES_H

#include "comp/equation/flat.h"

enum { YK_RATES = 2 }; /* highest derivative */

typedef struct yk_equation_rate {
    const char *name; /* an output, or an input */
    int order;        /* 1 or 2 */
    bool input;
} yk_equation_rate;

typedef struct yk_equation_rates {
    int count;
    const yk_equation_rate *rate;
    /* Called for each input whose derivatives are unknowns of the model, with
     * the highest order, of arrays for all elements; may be NULL. */
    yoke_status (*used)(void *context, const char *input, int order,
                        yoke_err *err);
    /* Called for each open port whose potential is an input of the model; may
     * be NULL. */
    yoke_status (*driven)(void *context, const char *port,
                          const char *potential, const char *flow,
                          yoke_err *err);
    void *context;
} yk_equation_rates;

/* Names that the model does not have are left out. */
yoke_status yk_flat_add_rates(yk_flat *flat, const yk_equation_rates *rates,
                              yoke_err *err);

#endif
