/* comp/netlist/mos_meyer.c -- Meyer's capacitances of MOS transistors.
 *
 * Meyer's model is no charge of the nodes: the current from gate to source is
 * Cgs(v) dvgs/dt, and so on.  In the charge form the derivatives become
 * unknowns w, internal nodes of the device with
 *
 *     d/dt (tau v) - w = 0,      current C(v) w / tau,      tau = 1 ns
 *
 * (v = vgs, vgd and, unless bulk and source are one node, vgb).  They make the
 * system larger, and where a voltage is given by sources alone its w is a
 * derivative of data; the charges of mos1.c need neither.
 *
 * With x = vgs - von, s = max(vdsat, 25 mV), u = 2 s - vds, in normal mode
 *
 *     Cgb / Cox = 1 for x <= -phi, -x / phi up to 0, then 0
 *     k         = 0 for x <= -phi/2, 2/3 + 4x / 3phi up to 0, then 2/3
 *     Cgs / Cox = k (1 - (s - vds)^2 / u^2), k in saturation
 *     Cgd / Cox = k (1 - s^2 / u^2),         0 in saturation.
 *
 * Reference: Meyer, RCA Review 32 (1971); ngspice 39's form of it.
 */
#include "comp/netlist/mos.h"
#include "comp/netlist/mos_dual.h"

static const double tau = 1e-9;

typedef struct capacitances {
    yk_dual gs, gd, gb; /* over Cox */
} capacitances;

static capacitances normal_mode(const yk_mos *p, const yk_mos_channel *c,
                                double vgs, double vds)
{
    const yk_dual x = { vgs - c->von, 1.0, -c->von_d, -c->von_b };
    const yk_dual d = { vds, 0.0, 1.0, 0.0 };
    const double least = 0.025;
    const yk_dual s = c->vdsat > least ? (yk_dual){ c->vdsat, c->vdsat_g,
                                                    c->vdsat_d, c->vdsat_b }
                                       : yk_dual_of(least);
    yk_dual k = yk_dual_of(0.0);
    capacitances r = { k, k, k };

    if (x.v <= -p->phi)
        r.gb = yk_dual_of(1.0);
    else if (x.v < 0.0)
        r.gb = yk_dual_line(0.0, -1.0 / p->phi, x);
    if (x.v > 0.0)
        k = yk_dual_of(2.0 / 3.0);
    else if (x.v > -0.5 * p->phi)
        k = yk_dual_line(2.0 / 3.0, 4.0 / 3.0 / p->phi, x);
    if (vds >= s.v) {
        r.gs = k;
        return r;
    }
    const yk_dual per_u =
        yk_dual_inverse(yk_dual_add(yk_dual_line(0.0, 2.0, s), -1.0, d));
    const yk_dual a = yk_dual_mul(yk_dual_add(s, -1.0, d), per_u);
    const yk_dual b = yk_dual_mul(s, per_u);
    r.gs = yk_dual_mul(k, yk_dual_line(1.0, -1.0, yk_dual_mul(a, a)));
    r.gd = yk_dual_mul(k, yk_dual_line(1.0, -1.0, yk_dual_mul(b, b)));
    return r;
}

static capacitances capacitances_at(const yk_mos *p, const double *b,
                                    const yk_mos_channel *c, bool is_normal)
{
    const double vgs = p->sign * b[0], vds = p->sign * b[1];

    if (is_normal) return normal_mode(p, c, vgs, vds);
    const capacitances r = normal_mode(p, c, vgs - vds, -vds);
    return (capacitances){ .gs = yk_dual_exchange(r.gd),
                           .gd = yk_dual_exchange(r.gs),
                           .gb = yk_dual_exchange(r.gb) };
}

void yk_mos_meyer(const yk_device *device, const double *b,
                  const yk_mos_channel *c, bool is_normal, double *cgs,
                  double *cgd, double *cgb)
{
    const yk_mos *p = device->data;
    const capacitances r = capacitances_at(p, b, c, is_normal);

    *cgs = p->cox * r.gs.v;
    *cgd = p->cox * r.gd.v;
    *cgb = p->cox * r.gb.v;
}

void yk_mos_add_rates(yk_device *device, bool bulk_is_source)
{
    static const char *const name[] = { "dvgs", "dvgd", "dvgb" };
    yk_mos *p = device->data;
    const int count = bulk_is_source ? 2 : 3;

    device->rates = count;
    p->rate[2] = -1;
    for (int k = 0; k < count; k++)
        p->rate[k] =
            yk_device_branch(device, yk_device_node(device, name[k]), 4);
    if (bulk_is_source) p->rate[2] = p->rate[0];
}

/* Adds the current C w / tau from the gate to node `to`. */
static void add_current(const yk_device *device, const yk_dual *c, double w,
                        int rate, int to, double *i, double *di)
{
    const yk_mos *p = device->data;
    const int width = device->branches;
    const double k = p->cox / tau;

    if (i) {
        i[1] += k * c->v * w;
        i[to] -= k * c->v * w;
    }
    if (di) {
        /* c depends on voltages times the sign. */
        const double s = k * w * p->sign;
        double *gate = di + width, *other = di + to * width;
        gate[0] += s * c->g;
        gate[1] += s * c->d;
        gate[2] += s * c->b;
        gate[rate] += k * c->v;
        other[0] -= s * c->g;
        other[1] -= s * c->d;
        other[2] -= s * c->b;
        other[rate] -= k * c->v;
    }
}

/* Adds the equation of the rate of voltage v = sum of factor[k] b[k]. */
static void add_rate(const yk_device *device, int rate, const double *b,
                     const double *factor, double *i, double *q, double *di,
                     double *dq)
{
    const int width = device->branches, node = device->plus[rate];
    const int ground = device->minus[rate];

    if (i) {
        i[node] -= b[rate];
        i[ground] += b[rate];
    }
    if (di) {
        di[node * width + rate] -= 1.0;
        di[ground * width + rate] += 1.0;
    }
    for (int k = 0; k < 3; k++) {
        if (q) {
            q[node] += tau * factor[k] * b[k];
            q[ground] -= tau * factor[k] * b[k];
        }
        if (dq) {
            dq[node * width + k] += tau * factor[k];
            dq[ground * width + k] -= tau * factor[k];
        }
    }
}

void yk_mos_rates(const yk_device *device, const double *b,
                  const yk_mos_channel *c, bool is_normal, double *i, double *q,
                  double *di, double *dq)
{
    static const double vgs[] = { 1.0, 0.0, 0.0 }, vgd[] = { 1.0, -1.0, 0.0 },
                        vgb[] = { 1.0, 0.0, -1.0 };
    const yk_mos *p = device->data;
    const int *rate = p->rate;

    if (i || di) {
        const capacitances r = capacitances_at(p, b, c, is_normal);
        add_current(device, &r.gs, b[rate[0]], rate[0], p->source, i, di);
        add_current(device, &r.gd, b[rate[1]], rate[1], p->drain, i, di);
        add_current(device, &r.gb, b[rate[2]], rate[2], 3, i, di);
    }
    add_rate(device, rate[0], b, vgs, i, q, di, dq);
    add_rate(device, rate[1], b, vgd, i, q, di, dq);
    if (rate[2] != rate[0]) add_rate(device, rate[2], b, vgb, i, q, di, dq);
}
