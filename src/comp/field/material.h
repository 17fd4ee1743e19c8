/* comp/field/material.h -- the curve H(B) of an isotropic material. */
#ifndef YK_FIELD_MATERIAL_H
#define YK_FIELD_MATERIAL_H

#include "base/base.h"
#include "comp/field/field.h"

#define YK_MU0 1.25663706212e-6 /* H/m, CODATA 2018 */

/* H = H_k + d_k s + c_k s^2 + e_k s^3 with s = B - B_k, after the last point
 * with c = e = 0. */
typedef struct yk_bh {
    yk_field_bh kind;
    double nu;           /* linear */
    double brauer[3];    /* k1, k2, k3 */
    double b_end, h_end; /* the straight part begins here */
    double w_end;        /* energy density there */
    int points;
    double *b, *coef, *energy; /* coef: four per piece; energy at B_k */
} yk_bh;

/* At |B|: the reluctivity H/B, the slope dH/dB, its derivative, and the energy
 * density, the integral of H dB. */
typedef struct yk_bh_point {
    double nu, slope, bend, energy;
} yk_bh_point;

/* Refuses curves that are no function of a material, naming it. */
yoke_status yk_bh_create(yk_bh *out, const yk_field_material *material,
                         yoke_err *err);
void yk_bh_clear(yk_bh *bh);

yk_bh_point yk_bh_eval(const yk_bh *bh, double b);

#endif
