/* comp/netlist/device/mos.h -- what the levels of the MOS transistor share.
 *
 * Everything is written for an n-channel transistor in normal mode; mos_load
 * turns signs (p-channel) and exchanges drain and source (vds < 0).
 */
#ifndef YK_MOS_H
#define YK_MOS_H

#include "comp/netlist/device/family.h"

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
    YK_MOS_XL, /* these four: level 3 */
    YK_MOS_WD,
    YK_MOS_XW,
    YK_MOS_DELVTO,
    YK_MOS_L, /* of elements that do not tell theirs */
    YK_MOS_W,
    YK_MOS_LAST
};

/* Their names; thickness of the oxide and mjsw have different presets. */
#define YK_MOS_NAMES(tox, mjsw)                                                \
    { "l", YK_MOS_L, 0.0 }, { "w", YK_MOS_W, 0.0 },                            \
        { "vto", YK_MOS_VTO, 0.0 }, { "vt0", YK_MOS_VTO, 0.0 },                \
        { "kp", YK_MOS_KP, 2e-5 }, { "gamma", YK_MOS_GAMMA, 0.0 },             \
        { "phi", YK_MOS_PHI, 0.6 }, { "rd", YK_MOS_RD, 0.0 },                  \
        { "rs", YK_MOS_RS, 0.0 }, { "cbd", YK_MOS_CBD, 0.0 },                  \
        { "cbs", YK_MOS_CBS, 0.0 }, { "is", YK_MOS_IS, 1e-14 },                \
        { "pb", YK_MOS_PB, 0.8 }, { "cgso", YK_MOS_CGSO, 0.0 },                \
        { "cgdo", YK_MOS_CGDO, 0.0 }, { "cgbo", YK_MOS_CGBO, 0.0 },            \
        { "rsh", YK_MOS_RSH, 0.0 }, { "cj", YK_MOS_CJ, 0.0 },                  \
        { "mj", YK_MOS_MJ, 0.5 }, { "cjsw", YK_MOS_CJSW, 0.0 },                \
        { "mjsw", YK_MOS_MJSW, mjsw }, { "js", YK_MOS_JS, 0.0 },               \
        { "tox", YK_MOS_TOX, tox }, { "ld", YK_MOS_LD, 0.0 },                  \
        { "u0", YK_MOS_UO, 600.0 }, { "uo", YK_MOS_UO, 600.0 },                \
        { "fc", YK_MOS_FC, 0.5 }, { "nsub", YK_MOS_NSUB, 0.0 },                \
        { "tpg", YK_MOS_TPG, 1.0 }, { "nss", YK_MOS_NSS, 0.0 },                \
        { "kf", YK_SILENT, 0.0 },                                              \
    {                                                                          \
        "af", YK_SILENT, 0.0                                                   \
    }

/* As ngspice has them for these models, F/m. */
#define YK_EPS_0       8.854214871e-12
#define YK_EPS_SILICON (11.7 * YK_EPS_0)

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
 * vbs; threshold and saturation voltage with theirs. */
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
    bool off, has_charge, is_level_3;
    int drain, source; /* inner nodes */
    bool has_rates;    /* Meyer's capacitances, see mos_meyer.c */
    int rate[3];       /* branches: of vgs, vgd, vgb */
    yk_mos_side d, s;
};

extern const yk_device_ops yk_mos_ops;

/* Geometry, junctions, threshold: everything that levels share. */
typedef struct yk_mos_size {
    double w, l;     /* m, effective */
    double per_area; /* F/m2, of the oxide */
    double mobility; /* cm2/Vs */
} yk_mos_size;

yoke_status yk_mos_make(yk_device *device, const yk_device_plan *plan,
                        int level, yk_mos_size *size, yoke_err *err);

/* Adds nodes and branches for Meyer's capacitances, and their currents. */
void yk_mos_add_rates(yk_device *device);
void yk_mos_rates(const yk_device *device, const double *b,
                  const yk_mos_channel *c, bool is_normal, double *i,
                  double *di);

extern const yk_device_names yk_mos_element_names;

#endif
