/* graph/constraint.h -- what a constraint is made of. */
#ifndef YK_CONSTRAINT_H
#define YK_CONSTRAINT_H

#include "yoke/event.h"
#include "yoke/graph.h"

enum { YK_LEVELS = 3 }; /* y, y', y'' */

typedef struct yk_constraint {
    int count, inputs;
    double *weight;       /* of a function: its slopes, or NULL */
    yoke_pattern *places; /* of them; NULL: differences */
    yoke_form form;
    double part[YK_LEVELS]; /* weights of d, d', d'' */
    double *d;              /* d, d', d'' */
    bool rates;             /* offset writes all of them in any form */
    void (*offset)(void *context, double t, double *d);
    void (*function)(void *context, double t, const double *y, double *g);
    void (*slopes)(void *context, double t, const double *y, double *slope);
    /* g' and g'' along y + s rate, g[2 count]; NULL: differences */
    void (*along)(void *context, double t, const double *y, const double *rate,
                  double *g);
    void *context;
    double (*next_break)(void *context, double t);
    const struct yk_constraint_events *events; /* or NULL */
} yk_constraint;

/* State events of a function, and what it holds between them.  `ops`, `save` and
 * `restore` get its context; there are no unknowns. */
typedef struct yk_constraint_events {
    int count;
    const yoke_event_ops *ops; /* indicate, apply, settle, about */
    size_t memory_bytes;
    void (*save)(void *context, void *bytes);
    void (*restore)(void *context, const void *bytes);
} yk_constraint_events;

/* yoke_graph_constraint with events, which are borrowed; NULL: none.  They need
 * `slopes`.  Such a constraint is solved with its owner: apart from it no unit
 * would look for them. */
yoke_status yk_graph_constraint(yoke_graph *graph, const char *name,
                                const yoke_constraint *given,
                                const yk_constraint_events *events,
                                yoke_err *err);

/* Gives it `along`. */
void yk_constraint_along(yoke_system *system,
                         void (*along)(void *context, double t, const double *y,
                                       const double *rate, double *g));

#endif
