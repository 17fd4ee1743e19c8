/* comp/netlist/device/mos_meyer.c -- Meyer's capacitances of MOS transistors.
 *
 * Meyer's model is no charge of the nodes: the current from gate to source is
 * Cgs(v) dvgs/dt, and so on.  In the charge form the derivatives of the
 * voltages of gate, drain, source and bulk are unknowns of their own,
 *
 *     d/dt (tau v) - w = 0,      current C(v) (wg - ws) / tau,
 *
 * with tau = YK_RATE_TIME, one for each node of the circuit whatever the number
 * of transistors there (circuit.c).
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
#include "comp/netlist/device/mos.h"
#include "comp/netlist/device/mos_dual.h"

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

void yk_mos_add_rates(yk_device *device)
{
    yk_mos *p = device->data;
    const int of[] = { 1, p->source, p->drain, 3 };
    const int first = device->nodes;

    device->rates = YK_DEVICE_RATES;
    device->nodes += YK_DEVICE_RATES;
    for (int k = 0; k < YK_DEVICE_RATES; k++) device->rate_of[k] = of[k];
    for (int k = 0; k < 3; k++)
        p->rate[k] = yk_device_branch(device, first, first + 1 + k);
}

/* Adds the current C w / tau from the gate to node `to`. */
static void add_current(const yk_device *device, const yk_dual *c, double w,
                        int rate, int to, double *i, double *di)
{
    const yk_mos *p = device->data;
    const int width = device->branches;
    const double k = p->cox / YK_RATE_TIME;

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

void yk_mos_rates(const yk_device *device, const double *b,
                  const yk_mos_channel *c, bool is_normal, double *i,
                  double *di)
{
    const yk_mos *p = device->data;
    const int *rate = p->rate;

    if (!i && !di) return;
    const capacitances r = capacitances_at(p, b, c, is_normal);
    add_current(device, &r.gs, b[rate[0]], rate[0], p->source, i, di);
    add_current(device, &r.gd, b[rate[1]], rate[1], p->drain, i, di);
    add_current(device, &r.gb, b[rate[2]], rate[2], 3, i, di);
}
