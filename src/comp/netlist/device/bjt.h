/* comp/netlist/device/bjt.h -- the bipolar transistor between bjt.c (equations)
 * and bjt_make.c (parameters).
 *
 * Everything is written for an npn transistor and for one of `m` in parallel.
 */
#ifndef YK_BJT_H
#define YK_BJT_H

#include "comp/netlist/device/family.h"

typedef struct yk_bjt {
    double sign, sign_substrate; /* -1: pnp; substrate on an n region */
    double m;
    double vt, gmin;
    double is_be, vt_f, is_bc, vt_r; /* transport */
    double is_e, vt_e, is_c, vt_c;   /* leakage */
    double is_s, vt_s;               /* substrate */
    double per_beta_f, per_beta_r;
    double per_vaf, per_var, per_ikf, per_ikr, nkf;
    bool has_knee, has_nkf;
    double critical, critical_s;
    double rb, rbm, irb, gc, ge; /* ohm, ohm, A, S, S */
    double tf, xtf, per_vtf, itf, tr;
    yk_depletion be, bc, bx, s;
    bool has_charge, off;
    int collector, base, emitter;               /* inner nodes */
    int branch_b, branch_c, branch_e, branch_s; /* -1: none */
} yk_bjt;

enum { YK_BJT_C, YK_BJT_B, YK_BJT_E, YK_BJT_S };

extern const yk_device_ops yk_bjt_ops;

#endif
