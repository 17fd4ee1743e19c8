/* graph/ph_ports.h -- matched impedances and what they guarantee.
 *
 * With W_i = mu E_i Q_i^-1 + R_i every block obeys, for zero data and in the
 * norm with the weight exp(-2 omega t), omega >= mu,
 *
 *     <u, y> >= <y, P y>,     P = (B_i' W_i^-1 B_i)^-1,
 *
 * and so it does with a diagonal that is nowhere larger.  For a pair with
 * entries Pa, Pb
 *
 *     p = sqrt(1 + Pa Pb) - sqrt(Pa Pb),
 *     zeta_a = sqrt(Pa / Pb) p,    zeta_b = sqrt(Pb / Pa) p,
 *
 * and the exchange of port waves contracts by q, the largest p.
 */
#ifndef YK_PH_PORTS_H
#define YK_PH_PORTS_H

#include "graph/ph_net.h"
#include "la/lti.h"

typedef struct yk_ports yk_ports;

/* Borrows the net. */
yoke_status yk_ports_create(yk_ports **out, const yk_ph_net *net,
                            yoke_err *err);
void yk_ports_free(yk_ports *ports); /* accepts NULL */

/* For each of the 2 * pairs waves: zeta, and the weight of its square in the
 * norm in which the exchange contracts; either may be NULL. */
yoke_status yk_ports_match(yk_ports *ports, double mu, double *zeta,
                           double *weight, double *q, yoke_err *err);

/* A choice of mu for a window. */
typedef struct yk_guarantee {
    double mu, omega; /* omega: that of the norm on the grid */
    double q;         /* per sweep, all blocks at once */
    double rate;      /* per sweep in the order that is used */
    double sweeps;    /* until an error is reduced to `small`, unweighted */
} yk_guarantee;

/* The mu for which the fewest sweeps are guaranteed on windows of this length,
 * with mu * length <= `growth` and as small as the step demands. `ordered`:
 * blocks are solved colour by colour, which squares q if two colours are
 * enough.  With mu > 0 that one is taken. */
yoke_status yk_ports_choose(yk_ports *ports, const yk_rk *rk, double h,
                            double length, double growth, double small,
                            bool ordered, double mu, yk_guarantee *out,
                            yoke_err *err);

/* exp(mu T) eats the digits: this is the most that `small` can do with, at most
 * 30. */
double yk_ports_growth(double small);

#endif
