/* comp/equation/events.h -- when-equations as state events.
 *
 *     g_k = left_k - right_k          indicator of event k
 *     x_j = sign value(t, w)          actions
 *
 * Events without actions change nothing and are left out.  Assertions are
 * events whose actions fail.  Those that only warn happen once: the time is
 * remembered, and the event is quiet from then on.
 */
#ifndef YK_EQUATION_EVENTS_H
#define YK_EQUATION_EVENTS_H

#include "comp/equation/layout.h"

typedef struct yk_whens yk_whens;

/* *out stays NULL if the flat model has no events with actions.  Refuses, with
 * the line of the expression, new values for what is no state and derivatives
 * that are no unknowns.  Borrows the layout. */
yoke_status yk_whens_create(yk_whens **out, yk_model *model,
                            const yk_layout *layout, yoke_err *err);
void yk_whens_free(yk_whens *events);       /* accepts NULL */
int yk_whens_count(const yk_whens *events); /* accepts NULL */

/* The times since when the assertions that warn do not hold; NAN: they do.
 * Part of the memory of the subsystem.  Returns how many; accepts NULL. */
int yk_whens_since(const yk_whens *events, double **since);

/* Text of one of them, with file and line. */
const char *yk_whens_warning(const yk_whens *events, int number);

/* g[events], from w. */
void yk_whens_indicate(const yk_whens *events, double t, const double *w,
                       double *g);

/* Which events happen at the start. */
void yk_whens_begin(const yk_whens *events, double t, const double *w,
                    bool *happened);

/* New values in x_new, which comes as x; w are the values before the event.  If
 * several events that happened give a value to the same unknown, the last one
 * in the text wins.  YOKE_RETRY if an assertion fails. */
yoke_status yk_whens_apply(const yk_whens *events, double t, const double *w,
                           const bool *happened, double *x_new, yoke_err *err);

/* Sets given[column of x] for what the last call of apply gave a value. */
void yk_whens_given(const yk_whens *events, bool *given);

#endif
