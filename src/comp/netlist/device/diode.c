/* comp/netlist/device/diode.c -- the junction diode, level 1 of ngspice 39.
 *
 *     i(v) = is (exp(v / n vt) - 1)                       v >= -3 n vt
 *            -is (1 + (3 n vt / (e v))^3)                 below
 *            -is exp(-(vb + v) / nbv vt)                  v < -vb
 *
 * plus the recombination current, divided by 1 + sqrt(i / ikf) (high
 * injection), plus gmin v; q = tt i + depletion charge of bottom and sidewall.
 * A series resistance has an internal node.
 *
 * The recombination current isr (exp(v / nr vt) - 1) ((1 - v/vj)^2 +
 * 0.005)^(m/2) is that of ngspice for v >= -3 n vt.  There ngspice drops it at
 * once; here it fades out over the next 3 n vt so that the current stays
 * continuous.  ngspice's conductance of this term is not the derivative of its
 * current; ours is.
 *
 * References: ngspice 39 manual, section 7.2; Antognetti, Massobrio, chapter 1.
 */
#include "comp/netlist/device/family.h"

#include <string.h>

enum {
    IS = YK_P_FIRST,
    RS,
    N,
    TT,
    CJO,
    VJ,
    M,
    EG,
    XTI,
    FC,
    BV,
    IBV,
    NBV,
    IKF,
    IKR,
    ISR,
    NR,
    JSW,
    NS,
    CJSW,
    VJSW,
    MJSW,
    FCS,
    AREA,
    PJ,
    TRS1,
    TRS2,
    TTT1,
    TTT2,
    TM1,
    TM2,
    TLEV,
    TLEVC,
    CTA,
    CTP,
    TPB,
    TPHP,
    TCV,
    JTUN,
    JTUNSW,
    NTUN,
    XTITUN,
    KEG,
    RTH0
};
enum { E_AREA = YK_E_FIRST, E_PJ };

static const yk_device_name model_names[] = {
    { "is", IS, 1e-14 },
    { "js", IS, 1e-14 },
    { "rs", RS, 0.0 },
    { "n", N, 1.0 },
    { "tt", TT, 0.0 },
    { "cjo", CJO, 0.0 },
    { "cj0", CJO, 0.0 },
    { "cj", CJO, 0.0 },
    { "vj", VJ, 1.0 },
    { "pb", VJ, 1.0 },
    { "m", M, 0.5 },
    { "mj", M, 0.5 },
    { "eg", EG, 1.11 },
    { "xti", XTI, 3.0 },
    { "fc", FC, 0.5 },
    { "bv", BV, 0.0 },
    { "ibv", IBV, 1e-3 },
    { "ib", IBV, 1e-3 },
    { "nbv", NBV, 1.0 },
    { "ikf", IKF, 0.0 },
    { "ik", IKF, 0.0 },
    { "ikr", IKR, 0.0 },
    { "isr", ISR, 1e-14 },
    { "nr", NR, 1.0 },
    { "jsw", JSW, 0.0 },
    { "ns", NS, 1.0 },
    { "cjp", CJSW, 0.0 },
    { "cjsw", CJSW, 0.0 },
    { "php", VJSW, 1.0 },
    { "mjsw", MJSW, 0.33 },
    { "fcs", FCS, 0.5 },
    { "area", AREA, 1.0 },
    { "pj", PJ, 0.0 },
    { "trs", TRS1, 0.0 },
    { "trs1", TRS1, 0.0 },
    { "trs2", TRS2, 0.0 },
    { "ttt1", TTT1, 0.0 },
    { "ttt2", TTT2, 0.0 },
    { "tm1", TM1, 0.0 },
    { "tm2", TM2, 0.0 },
    { "tlev", TLEV, 0.0 },
    { "tlevc", TLEVC, 0.0 },
    { "cta", CTA, 0.0 },
    { "ctc", CTA, 0.0 },
    { "ctp", CTP, 0.0 },
    { "tpb", TPB, 0.0 },
    { "tvj", TPB, 0.0 },
    { "tphp", TPHP, 0.0 },
    { "tcv", TCV, 0.0 },
    { "jtun", JTUN, 0.0 },
    { "jtunsw", JTUNSW, 0.0 },
    { "ntun", NTUN, 30.0 },
    { "xtitun", XTITUN, 3.0 },
    { "keg", KEG, 1.0 },
    { "rth0", RTH0, 0.0 },
    { "kf", YK_SILENT, 0.0 },
    { "af", YK_SILENT, 0.0 },
    { "cth0", YK_SILENT, 0.0 },
    { "fv_max", YK_SILENT, 0.0 },
    { "bv_max", YK_SILENT, 0.0 },
    { "id_max", YK_SILENT, 0.0 },
    { "te_max", YK_SILENT, 0.0 },
    { "pd_max", YK_SILENT, 0.0 },
};

static const yk_device_name element_names[] = {
    { "area", E_AREA, 1.0 },
    { "pj", E_PJ, 0.0 },
    { "ic", YK_SILENT, 0.0 },
};

/* is (exp(v / vte) - 1) with its reverse and breakdown parts. */
typedef struct branch {
    double is, vte, per_vte, low; /* low = -3 vte */
} branch;

typedef struct diode {
    branch bottom, side;
    bool has_side, has_breakdown, has_knee, has_reverse_knee, has_rec,
        has_tunnel, has_charge, off;
    double gmin, vb, vt_break, g;
    double knee, reverse_knee;
    double isr, vt_rec, vj, m; /* recombination */
    double i_tunnel, vt_tunnel;
    double tt, critical;
    yk_depletion depletion, depletion_side;
} diode;

static void ideal(const diode *d, const branch *p, double v, double *i,
                  double *g)
{
    if (v >= p->low) {
        double slope;
        const double e = yk_exp(v * p->per_vte, &slope);
        *i = p->is * (e - 1.0);
        *g = p->is * slope * p->per_vte;
    } else if (!d->has_breakdown || v >= -d->vb) {
        const double a = 3.0 * p->vte / (v * YK_EULER), a3 = a * a * a;
        *i = -p->is * (1.0 + a3);
        *g = 3.0 * p->is * a3 / v;
    } else {
        double slope;
        const double e = yk_exp(-(d->vb + v) / d->vt_break, &slope);
        *i = -p->is * e;
        *g = p->is * slope / d->vt_break;
    }
}

static void recombine(const diode *d, double v, double *i, double *g)
{
    if (!d->has_rec) return;

    const double width = -d->bottom.low; /* over which it fades */
    double fade = 1.0, fade_slope = 0.0, slope;

    if (v < d->bottom.low) {
        const double z = (v - d->bottom.low) / width + 1.0;
        if (z <= 0.0) return;
        fade = z * z * (3.0 - 2.0 * z);
        fade_slope = 6.0 * z * (1.0 - z) / width;
    }
    const double e = yk_exp(v / d->vt_rec, &slope);
    const double a = 1.0 - v / d->vj, t = a * a + 0.005;
    const double w = pow(t, 0.5 * d->m);
    const double dw = -d->m * a / d->vj * w / t;
    const double ir = d->isr * (e - 1.0);

    *i += ir * w * fade;
    *g += d->isr * slope / d->vt_rec * w * fade +
          ir * (dw * fade + w * fade_slope);
}

static void high_injection(double knee, double *i, double *g)
{
    const double s = sqrt(fabs(*i) / knee), u = 1.0 + s;

    *g *= (1.0 + 0.5 * s) / (u * u);
    *i /= u;
}

/* Current and conductance of the junction, gmin included. */
static void junction(const diode *d, double v, double *i, double *g)
{
    ideal(d, &d->bottom, v, i, g);
    if (d->has_tunnel) {
        double slope;
        const double e = yk_exp(-v / d->vt_tunnel, &slope);
        *i -= d->i_tunnel * (e - 1.0);
        *g += d->i_tunnel * slope / d->vt_tunnel;
    }
    if (d->has_side) {
        double is, gs;
        ideal(d, &d->side, v, &is, &gs);
        *i += is;
        *g += gs;
    }
    if (v >= d->bottom.low) {
        recombine(d, v, i, g);
        if (d->has_knee && *i > 1e-18) high_injection(d->knee, i, g);
    } else {
        if (d->has_reverse_knee && *i < -1e-18)
            high_injection(d->reverse_knee, i, g);
        recombine(d, v, i, g);
    }
    *i += d->gmin * v;
    *g += d->gmin;
}

static void charge(const diode *d, double v, double i, double g, double *q,
                   double *c)
{
    yk_depletion_at(&d->depletion, v, q, c);
    if (d->depletion_side.c0 != 0.0) {
        double qs, cs;
        yk_depletion_at(&d->depletion_side, v, &qs, &cs);
        *q += qs;
        *c += cs;
    }
    *q += d->tt * i;
    *c += d->tt * g;
}

static void diode_load(const yk_device *device, const double *b, double *i,
                       double *q, double *di, double *dq)
{
    const diode *d = device->data;
    const int inner = device->plus[0], width = device->branches;
    const size_t row = (size_t)device->nodes * sizeof(double);
    double current, g;

    junction(d, b[0], &current, &g);
    if (i) {
        memset(i, 0, row);
        i[inner] = current;
        i[1] = -current;
    }
    if (di) {
        memset(di, 0, row * (size_t)width);
        di[inner * width] = g;
        di[width] = -g;
    }
    if (width > 1) yk_device_resistor(device, 1, d->g, b, i, di);
    if (!q && !dq) return;

    double charge_of = 0.0, c = 0.0;
    if (d->has_charge) charge(d, b[0], current, g, &charge_of, &c);
    if (q) {
        memset(q, 0, row);
        q[inner] = charge_of;
        q[1] = -charge_of;
    }
    if (dq) {
        memset(dq, 0, row * (size_t)width);
        dq[inner * width] = c;
        dq[width] = -c;
    }
}

static bool diode_limit(const yk_device *device, const double *old, double *b)
{
    const diode *d = device->data;
    const double wanted = b[0];
    bool limited;

    if (d->has_breakdown && wanted < fmin(0.0, 10.0 * d->vt_break - d->vb)) {
        b[0] = -d->vb - yk_limit_junction(-(wanted + d->vb), -(old[0] + d->vb),
                                          d->vt_break, d->critical, &limited);
    } else {
        b[0] = yk_limit_junction(wanted, old[0], d->bottom.vte, d->critical,
                                 &limited);
    }
    return b[0] != wanted;
}

static bool diode_settled(const yk_device *device, const double *b,
                          const double *db, double rtol)
{
    const diode *d = device->data;

    if (d->has_breakdown && !yk_junction_settled(d->bottom.is, d->vt_break,
                                                 -(d->vb + b[0]), -db[0], rtol))
        return false;
    return yk_junction_settled(d->bottom.is, d->bottom.vte, b[0], db[0], rtol);
}

static void diode_begin(const yk_device *device, double *b)
{
    const diode *d = device->data;

    b[0] = d->off ? 0.0 : d->critical;
    if (device->branches > 1) b[1] = 0.0;
}

/* ---- parameters at the temperature of the device ------------------------- */

/* How a saturation current grows from the nominal temperature. */
static double growth(const yk_thermal *th, double eg, double xti, double n)
{
    const double ratio = th->t / th->nominal;

    return exp((ratio - 1.0) * eg / (n * th->vt) + xti / n * log(ratio));
}

/* Fixed point of ngspice, stopped where ngspice stops (reltol = 1e-3). */
double yk_breakdown_voltage(double bv, double ibv, double is, double vt,
                            double nvt)
{
    double vb = bv - nvt * log(1.0 + ibv / is);

    if (ibv < is * bv / vt) return bv;
    for (int k = 0; k < 25; k++) {
        vb = bv - nvt * log(ibv / is + 1.0 - vb / vt);
        const double reached = is * (exp((bv - vb) / nvt) - 1.0 + vb / vt);
        if (fabs(reached - ibv) <= 1e-3 * ibv) break;
    }
    return vb;
}

static yoke_status check(const yk_device_plan *plan, yoke_err *err)
{
    const yk_given *p = plan->p;
    static const struct {
        int slot;
        const char *name;
    } positive[] = { { N, "n" },      { VJ, "vj" },    { NBV, "nbv" },
                     { NR, "nr" },    { VJSW, "php" }, { NS, "ns" },
                     { NTUN, "ntun" } };

    for (size_t k = 0; k < sizeof positive / sizeof positive[0]; k++)
        if (!(p[positive[k].slot].v > 0.0))
            return yk_device_fail(plan, err, "%s = %g must be positive",
                                  positive[k].name, p[positive[k].slot].v);
    if (!(p[FC].v >= 0.0 && p[FC].v < 1.0) ||
        !(p[FCS].v >= 0.0 && p[FCS].v < 1.0))
        return yk_device_fail(plan, err, "fc = %g, fcs = %g must be in [0, 1)",
                              p[FC].v, p[FCS].v);
    if (!(p[MJSW].v < 1.0))
        return yk_device_fail(plan, err, "mjsw = %g must be below 1",
                              p[MJSW].v);
    if (p[IS].v < 0.0 || p[RS].v < 0.0)
        return yk_device_fail(plan, err,
                              "is = %g, rs = %g: must not be "
                              "negative",
                              p[IS].v, p[RS].v);
    if (p[BV].given && !(p[BV].v > 0.0 && p[IBV].v >= 0.0))
        return yk_device_fail(plan, err,
                              "bv = %g must be positive, ibv = %g not "
                              "negative",
                              p[BV].v, p[IBV].v);
    if (p[RTH0].given)
        return yk_device_fail(plan, err,
                              "self-heating (rth0) is not "
                              "supported; remove rth0");
    return YOKE_OK;
}

static void set_currents(diode *d, const yk_given *p, const yk_thermal *th,
                         double area, double pj, double ibv_scale)
{
    const double dt = th->t - th->nominal;
    const double eg = p[EG].v, xti = p[XTI].v;
    double is = fmax(p[IS].v, 1e-28) * area * growth(th, eg, xti, p[N].v);
    const double side = p[JSW].v * pj * growth(th, eg, xti, p[NS].v);
    const double at_breakdown = is; /* of the bottom alone */

    d->has_side = p[JSW].given && p[NS].given;
    d->critical = yk_junction_critical(is, p[N].v * th->vt);
    if (p[JSW].given && !p[NS].given) is += side;
    d->bottom = (branch){ .is = is, .vte = p[N].v * th->vt };
    d->side = (branch){ .is = side, .vte = p[NS].v * th->vt };
    d->bottom.per_vte = 1.0 / d->bottom.vte;
    d->side.per_vte = 1.0 / d->side.vte;
    d->bottom.low = -3.0 * d->bottom.vte;
    d->side.low = -3.0 * d->side.vte;

    d->vt_break = (p[NBV].given ? p[NBV].v : p[N].v) * th->vt;
    d->has_breakdown = p[BV].given;
    if (p[BV].given) {
        const double bv = p[TLEV].v == 0.0 ? p[BV].v - p[TCV].v * dt
                                           : p[BV].v * (1.0 - p[TCV].v * dt);
        d->vb = yk_breakdown_voltage(bv, p[IBV].v * ibv_scale, at_breakdown,
                                     th->vt, d->vt_break);
    }
    d->has_rec = p[ISR].given;
    d->isr = p[ISR].v * area * growth(th, eg, xti, p[NR].v);
    d->vt_rec = p[NR].v * th->vt;
    d->has_tunnel = p[JTUN].given || p[JTUNSW].given;
    d->i_tunnel = (p[JTUN].v * area + p[JTUNSW].v * pj) *
                  growth(th, p[KEG].v * eg, p[XTITUN].v, p[NTUN].v);
    d->vt_tunnel = p[NTUN].v * th->vt;
    d->knee = p[IKF].v * area;
    d->reverse_knee = p[IKR].v * area;
    d->has_knee = p[IKF].v >= 1e-28;
    d->has_reverse_knee = p[IKR].v >= 1e-28;
}

/* A junction potential above 1/fc is lowered to it, as ngspice does. */
static double at_most(double vj, double fc)
{
    return fc * vj > 1.0 ? 1.0 / fc : vj;
}

static void set_charges(diode *d, const yk_given *p, const yk_thermal *th,
                        double area, double pj)
{
    const double dt = th->t - th->nominal, dr = th->t - YK_REFERENCE;
    double vj, vjs, c = p[CJO].v * area, cs = p[CJSW].v * pj;

    d->m = fmin(p[M].v * (1.0 + p[TM1].v * dt + p[TM2].v * dt * dt), 0.9);
    if (p[TLEVC].v == 0.0) {
        vj = yk_thermal_potential(th, p[VJ].v);
        vjs = yk_thermal_potential(th, p[VJSW].v);
        c *= yk_thermal_capacitance(th, p[VJ].v, d->m);
        cs *= yk_thermal_capacitance(th, p[VJSW].v, p[MJSW].v);
    } else {
        vj = p[VJ].v - p[TPB].v * dr;
        vjs = p[VJSW].v - p[TPHP].v * dr;
        c *= 1.0 + p[CTA].v * dr;
        cs *= 1.0 + p[CTP].v * dr;
    }
    d->vj = at_most(vj, p[FC].v);
    d->depletion = yk_depletion_make(c, d->vj, d->m, p[FC].v);
    d->depletion_side =
        yk_depletion_make(cs, at_most(vjs, p[FCS].v), p[MJSW].v, p[FCS].v);
    d->tt = p[TT].v * (1.0 + p[TTT1].v * dt + p[TTT2].v * dt * dt);
    d->has_charge = c != 0.0 || cs != 0.0 || d->tt != 0.0;
}

static const yk_device_ops diode_ops = {
    .kind = "diode",
    .load = diode_load,
    .limit = diode_limit,
    .settled = diode_settled,
    .begin = diode_begin,
};

static yoke_status diode_make(yk_device *device, const yk_device_plan *plan,
                              yoke_err *err)
{
    diode *d = device->data;
    const yk_given *p = plan->p, *e = plan->e;
    const yk_thermal th = yk_thermal_at(plan->t, plan->nominal);
    const double dt = th.t - th.nominal, m = e[YK_E_M].v;
    const double area = (e[E_AREA].given ? e[E_AREA] : p[AREA]).v * m;
    const double pj = (e[E_PJ].given ? e[E_PJ] : p[PJ]).v * m;

    YK_TRY(check(plan, err));
    if (!(area > 0.0))
        return yk_device_fail(plan, err, "area = %g must be positive", area);
    set_currents(d, p, &th, area, pj, m);
    set_charges(d, p, &th, area, pj);
    if (!(d->vj > 0.0) || d->depletion_side.per_vj <= 0.0)
        return yk_device_fail(plan, err,
                              "the junction potential is %g V at %g C; it "
                              "must be positive",
                              d->vj, th.t - YK_ZERO_C);
    d->gmin = plan->env->gmin;
    d->off = plan->element->off;

    device->ops = &diode_ops;
    device->nodes = device->terminals = 2;
    if (p[RS].v != 0.0) {
        const int inner = yk_device_node(device, "internal");
        yk_device_branch(device, inner, 1);
        yk_device_branch(device, 0, inner);
        d->g = area / p[RS].v / (1.0 + p[TRS1].v * dt + p[TRS2].v * dt * dt);
    } else {
        yk_device_branch(device, 0, 1);
    }
    return YOKE_OK;
}

static const yk_device_names model_table = YK_NAMES(model_names);
static const yk_device_names element_table = YK_NAMES(element_names);

const yk_device_family yk_diode_family = {
    .kind = 'd',
    .types = { "d" },
    .level = 1,
    .model = &model_table,
    .element = &element_table,
    .bytes = sizeof(diode),
    .make = diode_make,
};
