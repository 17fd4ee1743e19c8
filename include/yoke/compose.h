/* yoke/compose.h -- subsystems made of matrices, and of other subsystems. */
#ifndef YOKE_COMPOSE_H
#define YOKE_COMPOSE_H

#include "yoke/system.h"

YOKE_BEGIN_C

/* d/dt (E x + F u) = A x + B u + b r(t),   y = H x + D u
 *
 * Dense, row by row; a NULL matrix is zero (E: the identity).  `source`, which
 * may be NULL, writes r[n] with b = 1; `context` is borrowed.  Copies the
 * matrices; zero entries are no places of the patterns.  H = D = NULL: y = x;
 * H = NULL alone is zero. */
typedef struct yoke_linear {
    int n, m, p;
    const double *E, *A, *F, *B, *H, *D;
    void (*source)(void *context, double t, double *r);
    void *context;
    const double *x0;
    const char *const *x_name, *const *u_name, *const *y_name, *const *eq_name;
    /* Breakpoints of the source, as in yoke_system_ops; NULL: none. `straight`:
     * it is linear in t between them. */
    double (*next_break)(void *context, double t);
    bool straight;
} yoke_linear;

YOKE_API yoke_status yoke_linear_create(yoke_system **out, const char *name,
                                        const yoke_linear *linear,
                                        yoke_err *err);

/* A part of a system: some of its equations with as many of its unknowns.  The
 * other unknowns that occur in these equations become inputs, under their own
 * names, followed by the inputs of `whole`; the outputs are the part's
 * unknowns.  Borrows `whole`, which must outlive it and must have no events.
 *
 * Each evaluation evaluates all of `whole`: meant for cutting up small systems
 * by hand, not for large ones. */
YOKE_API yoke_status yoke_part_create(yoke_system **out, const char *name,
                                      yoke_system *whole, int count,
                                      const int *unknown, const int *equation,
                                      yoke_err *err);

/* One entry of u = K y: u[to.input] += weight * y[from.output]. */
typedef struct yoke_link {
    int to, input;    /* subsystem and its input */
    int from, output; /* subsystem and its output */
    double weight;
} yoke_link;

/* Several subsystems and their inner links as one system of the same form, with
 * assembled Jacobians.  Unknowns: those of the members in order, then one for
 * each inner input whose sources depend on their own inputs (an algebraic loop
 * is solved, not refused).  Names get the member's name and a dot in front.
 * Events: those of the members in order.
 *
 * `open` lists the inputs of the whole as pairs (member, input); an open input
 * is added to its inner links.  Every other input must have a link.  `out`
 * lists the outputs of the whole as pairs (member, output); NULL: all outputs
 * of all members in order.  Borrows the members, copies the lists. */
typedef struct yoke_composition {
    int members, links, opens, outs;
    yoke_system *const *member;
    const yoke_link *link;
    const int (*open)[2];
    const int (*out)[2];
} yoke_composition;

YOKE_API yoke_status yoke_compose(yoke_system **out, const char *name,
                                  const yoke_composition *parts, yoke_err *err);

YOKE_END_C

#endif
