/* comp/mechanism/wires.h -- wires under tension with droppers and moving contacts. */
#ifndef YK_WIRES_H
#define YK_WIRES_H

#include "yoke/mechanism.h"

/* Euler-Bernoulli beams under tension between the same two supports, pinned,
 *
 *   rho w_tt + damping rho w_t = -EI w_xxxx + T w_xx + droppers + contacts,
 *
 * by second differences on `nodes` inner points, w_xxxx by two of them.  w is
 * the deviation from the static shape, upwards. */
typedef struct yk_wires_wire {
    const char *name;
    double density; /* rho, kg/m */
    double bending; /* EI, N m^2 */
    double tension; /* T, N */
    double damping; /* 1/s */
} yk_wires_wire;

/* A spring between two wires at x = at, which need not be a node. */
typedef struct yk_wires_dropper {
    int from, to; /* wires */
    double at, stiffness;
} yk_wires_dropper;

/* A force on a wire, spread over |x - xp(t)| < 3 width by the quintic B-spline
 * B5((x - xp)/width)/width, with xp = x0 + speed t.  Input "NAME.force"; output
 * "NAME", the displacement averaged with the same weights, with ".v" and ".a",
 * which contain what the motion of xp adds. */
typedef struct yk_wires_contact {
    const char *name;
    int wire;
    double x0, speed, width;
} yk_wires_contact;

typedef struct yk_wires {
    double span;
    int nodes; /* of each wire, without the supports */
    int wires, droppers, contacts;
    const yk_wires_wire *wire;
    const yk_wires_dropper *dropper;
    const yk_wires_contact *contact;
} yk_wires;

/* Copies `given`.  Unknowns "WIRE[k]" and "WIRE[k].v", k from 1; an explicit
 * right side.  C and G are constant; the rows and columns of contacts depend on
 * time if they move, so the system is YOKE_LINEAR, and YOKE_AFFINE only if none
 * moves. */
yoke_status yk_wires_create(yoke_system **out, const char *name,
                            const yk_wires *given, yoke_err *err);

#endif
