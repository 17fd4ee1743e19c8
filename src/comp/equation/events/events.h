/* comp/equation/events/events.h -- what happens at events.
 *
 * Three kinds of rules (flat.h): when-equations, equations of variables that
 * change at events only, and assertions.  Their conditions are made of
 * relations that are held between events (relation.h) and of such variables.
 *
 * The events of the subsystem are the relations, one by one, the instants of
 * sample(), and the start.
 */
#ifndef YK_EQUATION_EVENTS_H
#define YK_EQUATION_EVENTS_H

#include "comp/equation/code/layout.h"
#include "comp/equation/events/relation.h"
#include "yoke/event.h"

typedef struct yk_whens yk_whens;

/* *out stays NULL if there is nothing to watch.  Refuses, with the line of the
 * expression, new values for what is no state and derivatives that are no
 * unknowns.  Borrows the layout. */
yoke_status yk_whens_create(yk_whens **out, yk_model *model,
                            const yk_layout *layout, yoke_err *err);
void yk_whens_free(yk_whens *events);       /* accepts NULL */
int yk_whens_count(const yk_whens *events); /* accepts NULL */
void yk_whens_about(const yk_whens *events, int k, yoke_event_about *out);

/* Algebraic unknowns are solved for with the equations of s, which is borrowed.
 * Accepts NULL. */
struct yk_subsystem;
void yk_whens_use(yk_whens *events, struct yk_subsystem *s);

/* The relations; NULL: none. */
const yk_relations *yk_whens_relations(const yk_whens *events);

/* The times since when the assertions that warn do not hold; NAN: they do.
 * Part of the memory of the subsystem.  Returns how many; accepts NULL. */
int yk_whens_since(const yk_whens *events, double **since);

/* Text of one of them, with file and line. */
const char *yk_whens_warning(const yk_whens *events, int number);

/* g[events], from w. */
void yk_whens_indicate(const yk_whens *events, double t, const double *w,
                       double *g);

/* What is held in w, and the values of equations of discrete variables in
 * x_new, become those that belong to w, as at the start.  True: one was
 * another. */
yoke_status yk_whens_settle(yk_whens *events, double t, double *w,
                            double *x_new, bool *changed, yoke_err *err);

/* Does something wait for initial()?  Accepts NULL. */
bool yk_whens_wait(const yk_whens *events);

/* What conditions with initial() will make of w at the start: x_new, which comes
 * as x.  Nothing else changes. */
yoke_status yk_whens_preview(yk_whens *events, double t, const double *w,
                             double *x_new, yoke_err *err);

/* Which events happen at the start. */
void yk_whens_begin(yk_whens *events, double t, const double *w,
                    bool *happened);

/* New values in x_new, which comes as x, and in w, which comes with the values
 * before the event: there only what is held changes.  If several when-equations
 * that are active give a value to the same unknown, the last one in the text
 * wins.  YOKE_RETRY if an assertion fails. */
yoke_status yk_whens_apply(yk_whens *events, const yoke_instant *at, double *w,
                           double *x_new, yoke_err *err);

/* Sets given[column of x] for what the last call of apply gave a value. */
void yk_whens_given(const yk_whens *events, bool *given);

#endif
