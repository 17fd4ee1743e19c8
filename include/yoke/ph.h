/* yoke/ph.h -- linear port-Hamiltonian systems.
 *
 *     d/dt (E x) = (J - R) Q x + B u + G r(t),     y = B' Q x
 *
 * E may be singular.  With J = -J', R = R' >= 0, E'Q = Q'E >= 0 and Q
 * invertible the energy H = x'Q'E x / 2 obeys
 *
 *     dH/dt = - (Qx)' R (Qx) + u'y + r' G'Qx.
 */
#ifndef YOKE_PH_H
#define YOKE_PH_H

#include "yoke/system.h"

YOKE_BEGIN_C

/* Zero-initialise it.  Copies everything but `context`. */
typedef struct yoke_ph {
    int n, m, sources;
    yoke_matrix E, Q; /* n by n; no pattern: the identity */
    yoke_matrix J, R; /* n by n; no pattern: zero */
    yoke_matrix B;    /* n by m */
    yoke_matrix G;    /* n by sources */
    void (*source)(void *context, double t, double *r); /* r[sources] */
    void *context;                                      /* borrowed */
    const double *x0;
    const char *const *x_name, *const *u_name, *const *y_name;
    /* Breakpoints of the source, as in yoke_system_ops; NULL: none. `straight`:
     * it is linear in t between them. */
    double (*next_break)(void *context, double t);
    bool straight;
} yoke_ph;

/* Refuses what does not have the structure, with the matrix, the entry and by
 * how much it is violated. */
YOKE_API yoke_status yoke_ph_create(yoke_system **out, const char *name,
                                    const yoke_ph *given, yoke_err *err);

YOKE_END_C

#endif
