/* comp/equation/events.h -- when-equations as state events.
 *
 *     g_k = left_k - right_k          indicator of event k
 *     x_j = sign value(t, w)          actions, w being the values before it
 *
 * Events without actions change nothing and are left out.
 */
#ifndef YK_EQUATION_EVENTS_H
#define YK_EQUATION_EVENTS_H

#include "comp/equation/layout.h"

typedef struct yk_whens yk_whens;

/* *out stays NULL if the flat model has no events with actions.  Refuses, with
 * the line of the event, new values for what is no state and derivatives that
 * are no unknowns. */
yoke_status yk_whens_create(yk_whens **out, yk_model *model,
                            const yk_layout *layout, yoke_err *err);
void yk_whens_free(yk_whens *events);       /* accepts NULL */
int yk_whens_count(const yk_whens *events); /* accepts NULL */

/* g[events], from w. */
void yk_whens_indicate(const yk_whens *events, double t, const double *w,
                       double *g);

/* New values in x_new; w stays as before the event.  If several events that
 * happened give a value to the same unknown, the last one in the text wins. */
void yk_whens_apply(const yk_whens *events, double t, const double *w,
                    const bool *happened, double *x_new);

#endif
