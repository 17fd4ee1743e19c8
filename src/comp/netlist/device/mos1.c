/* comp/netlist/device/mos1.c -- the MOS transistor: level 1, and the load of
 * all levels.
 *
 * Level 1 (Shichman, Hodges 1968), with x = vgs - von the overdrive,
 *
 *     i = beta (1 + lambda vds) x^2 / 2               vds >= x   saturation
 *         beta (1 + lambda vds) vds (x - vds / 2)     vds < x    linear
 *     von = vbi + gamma sqrt(phi - vbs), its tangent at 0 for vbs > 0.
 *
 * Charges.  ngspice integrates Meyer's capacitances Cgs(v) dvgs/dt,
 * Cgd(v) dvgd/dt, Cgb(v) dvgb/dt, which are not derivatives of charges of the
 * nodes: going round a loop of voltages moves charge from drain to source.
 * Here the gate charge is Meyer's,
 *
 *     Qg = 2/3 Cox (x~^2 + x~ y~ + y~^2) / (x~ + y~),
 *
 * y = vgd - von, where x~ = 0 below -phi/2, (x + phi/2)^2 / phi up to 0 and
 * x + phi/4 above (Meyer's weak inversion), and the drain gets the part
 *
 *     Qd = -Cox x~ (r^2 - r^3 / 2),  r = y~ / x~,
 *
 * the polynomial of lowest degree that has Meyer's capacitance in saturation
 * (none) and for vds = 0 (a half each), where drain and source exchange.  The
 * source has the rest.  Gate to bulk: dQ/dvgb = Cox for vgb - vto < -phi, then
 * falling linearly to 0 at 0, which is Meyer's for vbs = 0.
 * See docs/methods/devices-spice.md for what this changes.
 */
#include "comp/netlist/device/mos.h"
#include "comp/netlist/device/mos_dual.h"

#include <string.h>

static const yk_device_name model_names[] = {
    YK_MOS_NAMES(0.0, 0.5),
    { "lambda", YK_MOS_LAMBDA, 0.0 },
};

/* von of level 1 and its derivative by vbs. */
static double threshold1(const yk_mos *p, double vbs, double *slope)
{
    double root, root_b;

    if (vbs <= 0.0) {
        root = sqrt(p->phi - vbs);
        root_b = -0.5 / root;
    } else {
        root = p->root_phi - 0.5 * vbs / p->root_phi;
        root_b = -0.5 / p->root_phi;
        if (root <= 0.0) root = root_b = 0.0;
    }
    *slope = p->gamma * root_b;
    return p->vbi + p->gamma * root;
}

static void channel1(const yk_mos *p, double vgs, double vds, double vbs,
                     yk_mos_channel *c)
{
    memset(c, 0, sizeof *c);
    c->von = threshold1(p, vbs, &c->von_b);
    const double x = vgs - c->von;
    if (x <= 0.0) return;

    c->vdsat = x;
    c->vdsat_g = 1.0;
    c->vdsat_b = -c->von_b;
    const double slope = p->beta * p->lambda;
    const double beta = p->beta + slope * vds;
    if (x <= vds) {
        c->i = 0.5 * beta * x * x;
        c->gm = beta * x;
        c->gds = 0.5 * slope * x * x;
    } else {
        const double form = vds * (x - 0.5 * vds);
        c->i = beta * form;
        c->gm = beta * vds;
        c->gds = beta * (x - vds) + slope * form;
    }
    c->gmb = -c->gm * c->von_b;
}

/* ---- charges ------------------------------------------------------------- */

/* x~ of the head comment; *slope is its derivative. */
static double soften(double x, double phi, double *slope)
{
    if (x >= 0.0) {
        *slope = 1.0;
        return x + 0.25 * phi;
    }
    if (x <= -0.5 * phi) return *slope = 0.0;
    const double z = x + 0.5 * phi;
    *slope = 2.0 * z / phi;
    return z * z / phi;
}

/* The threshold for charges.  That of the current depends on the bulk voltage
 * against the lower of drain and source, which has a kink where they exchange;
 * charges need a smooth one.  With d = 0.1 V, |vds| < d is replaced by
 * (vds^2/d + d)/2 and vbs by vbs + (d - vds)^2 / 4d. */
static yk_dual charge_threshold(const yk_mos *p, const yk_mos_channel *c,
                                double vds, double vbs)
{
    const double d = 0.1, z = d - vds;
    double von_b;

    if (z <= 0.0 || (!p->threshold && p->gamma == 0.0))
        return (yk_dual){ c->von, 0.0, c->von_d, c->von_b };
    const double vb = vbs + 0.25 * z * z / d;
    if (p->threshold) {
        double von_d;
        const double von =
            p->threshold(p, 0.5 * (vds * vds / d + d), vb, &von_d, &von_b);
        return (yk_dual){ von, 0.0, von_d * vds / d - 0.5 * von_b * z / d,
                          von_b };
    }
    const double von = threshold1(p, vb, &von_b);
    return (yk_dual){ von, 0.0, -0.5 * von_b * z / d, von_b };
}

/* Gate charge (without that to the bulk) and drain charge, normal mode. */
static void gate_charge(const yk_mos *p, const yk_mos_channel *c, double vgs,
                        double vds, double vbs, yk_dual *gate, yk_dual *drain)
{
    const yk_dual von = charge_threshold(p, c, vds, vbs);
    const double x = vgs - von.v;
    double xs, ys;
    const double xt = soften(x, p->phi, &xs);

    memset(gate, 0, sizeof *gate);
    memset(drain, 0, sizeof *drain);
    if (xt <= 0.0) return;

    const double yt = soften(x - vds, p->phi, &ys);
    const double sum = xt + yt, r = yt / xt;
    const double cgs = p->cox * (2.0 / 3.0) * (1.0 - yt * yt / (sum * sum));
    const double cgd = p->cox * (2.0 / 3.0) * (1.0 - xt * xt / (sum * sum));
    const double hy = -p->cox * r * (2.0 - 1.5 * r); /* dQd / dy~ */
    const double hx = p->cox * r * r * (1.0 - r);    /* dQd / dx~ */

    gate->v = p->cox * (2.0 / 3.0) * (xt * xt + xt * yt + yt * yt) / sum;
    drain->v = -p->cox * xt * r * r * (1.0 - 0.5 * r);

    /* dx = dvgs - dvon, dy = dx - dvds */
    const double ay = cgd * ys, ax = cgs * xs + ay;
    const double by = hy * ys, bx = hx * xs + by;
    gate->g = ax;
    gate->d = -ax * von.d - ay;
    gate->b = -ax * von.b;
    drain->g = bx;
    drain->d = -bx * von.d - by;
    drain->b = -bx * von.b;
}

/* Charge between gate and bulk. */
static void bulk_charge(const yk_mos *p, double vgb, double *q, double *c)
{
    const double u = vgb - p->vto;

    if (u <= -p->phi) {
        *q = p->cox * (u + 0.5 * p->phi);
        *c = p->cox;
    } else if (u < 0.0) {
        *q = -0.5 * p->cox * u * u / p->phi;
        *c = -p->cox * u / p->phi;
    } else {
        *q = *c = 0.0;
    }
}

static void side_charge(const yk_mos_side *side, double v, double *q, double *c)
{
    double qw, cw;

    *q = *c = 0.0;
    if (!side->has_charge) return;
    yk_depletion_at(&side->bottom, v, q, c);
    yk_depletion_at(&side->wall, v, &qw, &cw);
    *q += qw;
    *c += cw;
}

/* ---- the device ---------------------------------------------------------- */

/* b is (vgs, vds, vbs) times the sign. */
static bool channel_at(const yk_mos *p, const double *v, yk_mos_channel *c)
{
    const bool normal = v[1] >= 0.0;
    const double vgs = normal ? v[0] : v[0] - v[1];
    const double vds = fabs(v[1]);
    const double vbs = normal ? v[2] : v[2] - v[1];

    if (p->channel)
        p->channel(p, vgs, vds, vbs, c);
    else
        channel1(p, vgs, vds, vbs, c);
    return normal;
}

/* In reverse the levels of ngspice differ. */
static void bulk_junction(const yk_mos *p, const yk_mos_side *side, double v,
                          double *i, double *g)
{
    if (p->is_level_3)
        yk_junction_at(side->is, p->vt, p->gmin, v, i, g);
    else
        yk_bulk_junction_at(side->is, p->vt, p->gmin, v, i, g);
}

static void put(double *row, double g, double d, double b)
{
    row[0] = g;
    row[1] = d;
    row[2] = b;
}

static void mos_charge(const yk_device *device, const double *v,
                       const yk_mos_channel *c, bool normal, double *q,
                       double *dq)
{
    const yk_mos *p = device->data;
    const int width = device->branches;
    const double vgd = v[0] - v[1], vgb = v[0] - v[2], vbd = v[2] - v[1];
    const size_t row = (size_t)device->nodes * sizeof(double);
    yk_dual gate = { 0 }, drain = { 0 };
    double qgb = 0.0, cgb = 0.0, qbs, cbs, qbd, cbd;

    if (p->cox != 0.0 && !p->has_rates) {
        if (normal) {
            gate_charge(p, c, v[0], v[1], v[2], &gate, &drain);
        } else {
            /* The part of the drain belongs to the node of the source. */
            gate_charge(p, c, vgd, -v[1], vbd, &gate, &drain);
            gate = yk_dual_exchange(gate);
            drain = yk_dual_exchange(drain);
            drain = (yk_dual){ -gate.v - drain.v, -gate.g - drain.g,
                               -gate.d - drain.d, -gate.b - drain.b };
        }
        bulk_charge(p, vgb, &qgb, &cgb);
    }
    qgb += p->overlap * vgb;
    cgb += p->overlap;
    side_charge(&p->s, v[2], &qbs, &cbs);
    side_charge(&p->d, vbd, &qbd, &cbd);
    const double cgs = p->s.overlap, cgd = p->d.overlap;
    const double qgs = cgs * v[0], qgd = cgd * vgd;

    if (q) {
        const double qg = gate.v + qgb + qgs + qgd;
        const double qb = qbs + qbd - qgb;
        const double qd = drain.v - qgd - qbd;
        memset(q, 0, row);
        q[1] = p->sign * qg;
        q[3] = p->sign * qb;
        q[p->drain] = p->sign * qd;
        q[p->source] = -p->sign * (qg + qb + qd);
    }
    if (dq) {
        double *g = dq + width, *b = dq + 3 * width;
        double *d = dq + p->drain * width, *s = dq + p->source * width;
        memset(dq, 0, row * (size_t)width);
        put(g, gate.g + cgb + cgs + cgd, gate.d - cgd, gate.b - cgb);
        put(b, -cgb, -cbd, cbs + cbd + cgb);
        put(d, drain.g - cgd, drain.d + cgd + cbd, drain.b - cbd);
        for (int k = 0; k < 3; k++) s[k] = -(g[k] + b[k] + d[k]);
    }
}

static void mos_load(const yk_device *device, const double *b, double *i,
                     double *q, double *di, double *dq)
{
    const yk_mos *p = device->data;
    const int width = device->branches;
    const double v[3] = { p->sign * b[0], p->sign * b[1], p->sign * b[2] };
    const size_t row = (size_t)device->nodes * sizeof(double);
    yk_mos_channel c;
    double ibs, gbs, ibd, gbd;

    const bool normal = channel_at(p, v, &c);
    bulk_junction(p, &p->s, v[2], &ibs, &gbs);
    bulk_junction(p, &p->d, v[2] - v[1], &ibd, &gbd);
    if (i) {
        const double id = normal ? c.i : -c.i;
        memset(i, 0, row);
        i[3] = p->sign * (ibs + ibd);
        i[p->drain] = p->sign * (id - ibd);
        i[p->source] = -p->sign * (id + ibs);
    }
    if (di) {
        double *d = di + p->drain * width, *s = di + p->source * width;
        const double gm = normal ? c.gm : -c.gm;
        const double gmb = normal ? c.gmb : -c.gmb;
        const double gds = normal ? c.gds : c.gm + c.gds + c.gmb;
        memset(di, 0, row * (size_t)width);
        put(d, gm, gds + gbd, gmb - gbd);
        put(s, -gm, -gds, -gmb - gbs);
        put(di + 3 * width, 0.0, -gbd, gbs + gbd);
    }
    if (p->d.branch >= 0)
        yk_device_resistor(device, p->d.branch, p->d.g, b, i, di);
    if (p->s.branch >= 0)
        yk_device_resistor(device, p->s.branch, p->s.g, b, i, di);
    if (p->has_charge) {
        if (q || dq) mos_charge(device, v, &c, normal, q, dq);
        if (p->has_rates) yk_mos_rates(device, b, &c, normal, i, di);
    } else {
        if (q) memset(q, 0, row);
        if (dq) memset(dq, 0, row * (size_t)width);
    }
}

static bool mos_limit(const yk_device *device, const double *old, double *b)
{
    const yk_mos *p = device->data;
    const double o[3] = { p->sign * old[0], p->sign * old[1],
                          p->sign * old[2] };
    double vgs = p->sign * b[0], vds = p->sign * b[1], vbs = p->sign * b[2];
    double vgd = vgs - vds;
    const double before[3] = { b[0], b[1], b[2] };
    bool limited;
    yk_mos_channel c;

    channel_at(p, o, &c);
    if (o[1] >= 0.0) {
        vgs = yk_limit_gate(vgs, o[0], c.von);
        vds = yk_limit_drain(vgs - vgd, o[1]);
    } else {
        vgd = yk_limit_gate(vgd, o[0] - o[1], c.von);
        vds = -yk_limit_drain(vgd - vgs, -o[1]);
        vgs = vgd + vds;
    }
    if (vds >= 0.0)
        vbs = yk_limit_junction(vbs, o[2], p->vt, p->s.critical, &limited);
    else
        vbs = vds + yk_limit_junction(vbs - vds, o[2] - o[1], p->vt,
                                      p->d.critical, &limited);
    b[0] = p->sign * vgs;
    b[1] = p->sign * vds;
    b[2] = p->sign * vbs;
    return b[0] != before[0] || b[1] != before[1] || b[2] != before[2];
}

static void mos_begin(const yk_device *device, double *b)
{
    const yk_mos *p = device->data;

    for (int k = 0; k < device->branches; k++) b[k] = 0.0;
    if (p->off) return;
    b[0] = p->sign * p->vto;
    b[2] = -p->sign;
}

const yk_device_ops yk_mos_ops = {
    .kind = "MOS transistor",
    .load = mos_load,
    .limit = mos_limit,
    .begin = mos_begin,
};

static yoke_status mos1_make(yk_device *device, const yk_device_plan *plan,
                             yoke_err *err)
{
    yk_mos_size size;

    YK_TRY(yk_mos_make(device, plan, 1, &size, err));
    device->ops = &yk_mos_ops;
    return YOKE_OK;
}

static const yk_device_names model_table = YK_NAMES(model_names);

const yk_device_family yk_mos1_family = {
    .kind = 'm',
    .types = { "nmos", "pmos" },
    .level = 1,
    .model = &model_table,
    .element = &yk_mos_element_names,
    .bytes = sizeof(yk_mos),
    .make = mos1_make,
};
