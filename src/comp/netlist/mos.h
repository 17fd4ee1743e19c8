/* comp/netlist/mos.h -- what the levels of the MOS transistor share.
 *
 * Everything is written for an n-channel transistor in normal mode; mos_load
 * turns signs (p-channel) and exchanges drain and source (vds < 0).
 */
#ifndef YK_MOS_H
#define YK_MOS_H

#include "comp/netlist/family.h"

/* Model parameters; level 3 adds its own behind YK_MOS_LAST. */
enum {
    YK_MOS_VTO = YK_P_FIRST,
    YK_MOS_KP,
    YK_MOS_GAMMA,
    YK_MOS_PHI,
    YK_MOS_LAMBDA,
    YK_MOS_RD,
    YK_MOS_RS,
    YK_MOS_CBD,
    YK_MOS_CBS,
    YK_MOS_IS,
    YK_MOS_PB,
    YK_MOS_CGSO,
    YK_MOS_CGDO,
    YK_MOS_CGBO,
    YK_MOS_RSH,
    YK_MOS_CJ,
    YK_MOS_MJ,
    YK_MOS_CJSW,
    YK_MOS_MJSW,
    YK_MOS_JS,
    YK_MOS_TOX,
    YK_MOS_LD,
    YK_MOS_UO,
    YK_MOS_FC,
    YK_MOS_NSUB,
    YK_MOS_TPG,
    YK_MOS_NSS,
    YK_MOS_LAST
};

/* One side: drain or source. */
typedef struct yk_mos_side {
    double is, critical; /* bulk junction */
    yk_depletion bottom, wall;
    bool has_charge;
    double overlap; /* F, gate overlap */
    int branch;     /* of the series resistance, -1: none */
    double g;       /* S, of the series resistance */
} yk_mos_side;

typedef struct yk_mos yk_mos;

/* Current from drain to source and its derivatives with respect to vgs, vds,
 * vbs; threshold and saturation voltage, with the derivatives of both. */
typedef struct yk_mos_channel {
    double i, gm, gds, gmb;
    double von, von_d, von_b;
    double vdsat, vdsat_g, vdsat_d, vdsat_b;
} yk_mos_channel;

struct yk_mos {
    void (*channel)(const yk_mos *p, double vgs, double vds, double vbs,
                    yk_mos_channel *out); /* NULL: level 1 */
    double (*threshold)(const yk_mos *p, double vds, double vbs, double *by_vds,
                        double *by_vbs); /* NULL: level 1 */
    double sign;                         /* -1: p-channel */
    double vt, gmin;
    double beta, gamma, phi, root_phi, vbi, vto, lambda;
    double cox;     /* F, whole gate */
    double overlap; /* F, gate to bulk */
    bool off, has_charge;
    int drain, source; /* inner nodes */
    yk_mos_side d, s;
    const void *more; /* level 3 */
};

extern const yk_device_ops yk_mos1_ops;

/* Geometry, junctions, threshold: everything that levels share. */
typedef struct yk_mos_size {
    double w, l;     /* m, effective */
    double per_area; /* F/m2, of the oxide */
    double mobility; /* cm2/Vs */
} yk_mos_size;

yoke_status yk_mos_make(yk_device *device, const yk_device_plan *plan,
                        yk_mos_size *size, yoke_err *err);

extern const yk_device_names yk_mos_element_names;

#endif
