/* comp/netlist/device/mos2.c -- the MOS transistor, level 2 (Grove and Frohman).
 *
 * The bulk charge along the channel is not linearised: with s = sqrt(phi - vbs),
 * b = sqrt(phi - vbs + v), v = vds or vdsat,
 *
 *     i = beta ((vgs - vbin - eta v / 2) v - 2/3 gamma (b^3 - s^3)),
 *
 * gamma lowered by the depletion widths at both ends (xj), eta and vbin by a
 * narrow channel (delta), mobility by the gate's field (ucrit, uexp).  vdsat is
 * where the channel ends (Grove and Frohman) or where carriers reach vmax (Baum
 * and Beneking: the smallest positive root of a polynomial of degree 4), and
 * the channel shortens beyond it (lambda, or nsub with neff).  Below von the
 * current is exponential where nfs is given.
 *
 * Values carry their derivatives by vgs, vds, vbs, so these are exact; those of
 * ngspice leave terms out, which its iteration can bear and its .ac shows.
 *
 * References: Vladimirescu, Liu, UCB/ERL M80/7 (1980); Antognetti, Massobrio,
 * section 4.3; ngspice 39 manual, section 11.2.
 */
#include "comp/netlist/device/mos.h"
#include "comp/netlist/device/mos_dual.h"

enum { VMAX = YK_MOS_LAST, XJ, NFS, DELTA, UCRIT, UEXP, NEFF };

static const yk_device_name model_names[] = {
    YK_MOS_NAMES(1e-7, 0.33), { "lambda", YK_MOS_LAMBDA, 0.0 },
    { "vmax", VMAX, 0.0 },    { "xj", XJ, 0.0 },
    { "nfs", NFS, 0.0 },      { "delta", DELTA, 0.0 },
    { "ucrit", UCRIT, 1e4 },  { "uexp", UEXP, 0.0 },
    { "neff", NEFF, 1.0 },    { "utra", YK_SILENT, 0.0 },
};

typedef struct mos2 {
    yk_mos base;   /* first: devices are cast */
    double length; /* m */
    double narrow, eta;
    double states;      /* q nfs / cox */
    double mobility;    /* m2/Vs, at the nominal temperature */
    double ucrit, uexp; /* V, 1 */
    double vmax;        /* m/s, 0: no saturation of velocity */
    double xd, xj;      /* m/sqrt V, m */
    double neff;
    double edge;     /* m, depletion width at the drain without voltage */
    bool has_doping; /* nsub */
} mos2;

/* ---- roots of phi - vbs + v ---------------------------------------------- */

/* sqrt(phi + w), for w < 0 the curve of ngspice, and its derivative by w. */
static yk_dual root_of(const mos2 *p, yk_dual w, yk_dual *slope)
{
    const double phi = p->base.phi, root = p->base.root_phi;

    if (w.v >= 0.0) {
        const yk_dual r = yk_dual_root(yk_dual_line(phi, 1.0, w));
        *slope = yk_dual_line(0.0, 0.5, yk_dual_inverse(r));
        return r;
    }
    const yk_dual r = yk_dual_line(
        0.0, root, yk_dual_inverse(yk_dual_line(1.0, -0.5 / phi, w)));
    *slope = yk_dual_line(0.0, 0.5 / (phi * root), yk_dual_mul(r, r));
    return r;
}

static yk_dual cube(yk_dual a)
{
    return yk_dual_mul(a, yk_dual_mul(a, a));
}

/* ---- the threshold ------------------------------------------------------- */

typedef struct channel {
    yk_dual vgs, vds, phi;    /* phi - vbs */
    yk_dual s, b;             /* roots at source and drain */
    yk_dual gamma, vbin, von; /* von with weak inversion */
    yk_dual n;                /* its slope factor */
} channel;

/* What a depletion width xd r takes of gamma, and its derivative by vbs:
 * r_b is that of the root. */
static yk_dual take(const mos2 *p, yk_dual r, yk_dual r_b, yk_dual *by_vbs)
{
    const double part = 0.5 * p->xj / p->length;
    const yk_dual a = yk_dual_root(yk_dual_line(1.0, 2.0 * p->xd / p->xj, r));

    *by_vbs = yk_dual_line(0.0, 0.5 * p->xd / p->length,
                           yk_dual_mul(r_b, yk_dual_inverse(a)));
    return yk_dual_line(-part, part, a);
}

static channel channel_of(const mos2 *p, double vgs, double vds, double vbs)
{
    const yk_dual b = { vbs, 0.0, 0.0, 1.0 };
    channel c = { .vgs = { vgs, 1.0, 0.0, 0.0 },
                  .vds = { vds, 0.0, 1.0, 0.0 },
                  .phi = yk_dual_line(p->base.phi, -1.0, b) };
    yk_dual s_w, b_w, short_b = yk_dual_of(0.0);

    c.s = root_of(p, yk_dual_line(0.0, -1.0, b), &s_w);
    c.b = root_of(p, yk_dual_add(c.vds, -1.0, b), &b_w);
    const yk_dual s_b = yk_dual_line(0.0, -1.0, s_w);
    const yk_dual b_b = yk_dual_line(0.0, -1.0, b_w);
    c.vbin = yk_dual_line(p->base.vbi, p->narrow, c.phi);
    c.gamma = yk_dual_of(p->base.gamma);
    if (p->xj > 0.0 && (p->base.gamma > 0.0 || p->has_doping)) {
        yk_dual by_s, by_b;
        const yk_dual lost = yk_dual_add(take(p, c.s, s_b, &by_s), 1.0,
                                         take(p, c.b, b_b, &by_b));
        c.gamma = yk_dual_line(p->base.gamma, -p->base.gamma, lost);
        short_b =
            yk_dual_line(0.0, -p->base.gamma, yk_dual_add(by_s, 1.0, by_b));
    }
    c.von = yk_dual_add(c.vbin, 1.0, yk_dual_mul(c.gamma, c.s));
    c.n = yk_dual_of(1.0);
    if (p->states > 0.0) {
        const yk_dual slope = yk_dual_add(yk_dual_mul(c.gamma, s_b), 1.0,
                                          yk_dual_mul(short_b, c.s));
        c.n = yk_dual_line(1.0 + p->states + p->narrow, -1.0, slope);
        c.von = yk_dual_add(c.von, p->base.vt, c.n);
    }
    return c;
}

/* ---- saturation ---------------------------------------------------------- */

/* By how much the gate's field lowers mobility. */
static yk_dual mobility_of(const mos2 *p, const channel *c)
{
    const yk_dual x = yk_dual_add(c->vgs, -1.0, c->von);

    if (p->uexp == 0.0 || x.v <= p->ucrit) return yk_dual_of(1.0);
    const double u = pow(p->ucrit / x.v, p->uexp);
    return yk_dual_chain(u, -p->uexp * u / x.v, x);
}

/* The end of the channel: (vgsx - vbin) / eta as `reach`. */
static yk_dual pinch_off(const channel *c, yk_dual gamma, yk_dual reach)
{
    yk_dual vdsat = reach;

    if (gamma.v > 0.0) {
        const yk_dual g2 = yk_dual_mul(gamma, gamma);
        const yk_dual a = yk_dual_add(reach, 1.0, c->phi);
        if (a.v <= 0.0) return yk_dual_of(0.0);
        const yk_dual r = yk_dual_root(
            yk_dual_line(1.0, 4.0, yk_dual_mul(a, yk_dual_inverse(g2))));
        vdsat = yk_dual_add(reach, 0.5,
                            yk_dual_mul(g2, yk_dual_line(1.0, -1.0, r)));
    }
    return vdsat.v > 0.0 ? vdsat : yk_dual_of(0.0);
}

/* x^4 + k3 x^3 + k2 x^2 + k1 x + k0 */
typedef struct quartic {
    yk_dual k[4];
} quartic;

static double value_at(const quartic *q, double x, double *slope)
{
    const double *k[] = { &q->k[0].v, &q->k[1].v, &q->k[2].v, &q->k[3].v };

    *slope = ((4.0 * x + 3.0 * *k[3]) * x + 2.0 * *k[2]) * x + *k[1];
    return (((x + *k[3]) * x + *k[2]) * x + *k[1]) * x + *k[0];
}

/* The smallest positive root, or a negative number: looked for between zero
 * and `most` in equal parts, then by Newton's method inside the bracket. */
static double smallest_root(const quartic *q, double most)
{
    enum { PARTS = 64, ROUNDS = 60 };
    double slope, low = 0.0, at_low = value_at(q, 0.0, &slope);

    for (int i = 1; i <= PARTS; i++) {
        double high = most * i / PARTS;
        const double at_high = value_at(q, high, &slope);
        if ((at_low < 0.0) == (at_high < 0.0)) {
            low = high;
            at_low = at_high;
            continue;
        }
        double x = 0.5 * (low + high);
        for (int k = 0; k < ROUNDS; k++) {
            const double f = value_at(q, x, &slope);
            if ((f < 0.0) == (at_low < 0.0))
                low = x;
            else
                high = x;
            const double next = x - f / slope;
            const double to =
                next > low && next < high ? next : 0.5 * (low + high);
            if (fabs(to - x) <= 1e-15 * fabs(x)) break;
            x = to;
        }
        return x;
    }
    return -1.0;
}

/* Where carriers reach vmax; `vdsat` where there is no such place. */
static yk_dual saturated(const mos2 *p, const channel *c, yk_dual gamma,
                         yk_dual reach, yk_dual ueff, yk_dual vdsat)
{
    const yk_dual v1 = yk_dual_add(reach, 1.0, c->phi), v2 = c->phi;
    const yk_dual xv =
        yk_dual_line(0.0, p->vmax * p->length, yk_dual_inverse(ueff));
    quartic q;
    double slope;

    q.k[3] = yk_dual_line(0.0, 4.0 / 3.0, gamma);
    q.k[2] = yk_dual_line(0.0, -2.0, yk_dual_add(v1, 1.0, xv));
    q.k[1] = yk_dual_line(0.0, -2.0, yk_dual_mul(gamma, xv));
    q.k[0] = yk_dual_add(
        yk_dual_line(0.0, 2.0, yk_dual_mul(v1, yk_dual_add(v2, 1.0, xv))), -1.0,
        yk_dual_add(yk_dual_mul(v2, v2), 4.0 / 3.0,
                    yk_dual_mul(gamma, cube(c->s))));
    const double x =
        smallest_root(&q, 1.0 + sqrt(fabs(v1.v)) + sqrt(fabs(v2.v)));
    if (x <= 0.0) return vdsat;
    value_at(&q, x, &slope);
    /* dx = -(dk3 x^3 + dk2 x^2 + dk1 x + dk0) / slope */
    yk_dual moved = q.k[3];
    for (int k = 2; k >= 0; k--) moved = yk_dual_add(q.k[k], x, moved);
    const yk_dual root = { x, -moved.g / slope, -moved.d / slope,
                           -moved.b / slope };
    return yk_dual_add(yk_dual_mul(root, root), -1.0, c->phi);
}

/* ---- current ------------------------------------------------------------- */

/* How much of the channel is left beyond saturation, 1 - shortening. */
static yk_dual length_left(const mos2 *p, const channel *c, yk_dual vdsat,
                           yk_dual ueff)
{
    const double l = p->length;
    const yk_dual beyond = yk_dual_add(c->vds, -1.0, vdsat);
    yk_dual lost = yk_dual_line(0.0, p->base.lambda, c->vds); /* over l */

    if (p->has_doping && p->base.lambda <= 0.0 && p->vmax <= 0.0) {
        const yk_dual a = yk_dual_line(0.0, 0.25, beyond);
        const yk_dual r =
            yk_dual_root(yk_dual_line(1.0, 1.0, yk_dual_mul(a, a)));
        lost =
            yk_dual_line(0.0, p->xd / l, yk_dual_root(yk_dual_add(a, 1.0, r)));
    } else if (p->has_doping && p->base.lambda <= 0.0) {
        const double xdv = p->xd / sqrt(p->neff);
        const yk_dual v =
            yk_dual_line(0.0, 0.5 * p->vmax * xdv, yk_dual_inverse(ueff));
        if (beyond.v > 0.0)
            lost = yk_dual_line(
                0.0, xdv / l,
                yk_dual_add(
                    yk_dual_root(yk_dual_add(yk_dual_mul(v, v), 1.0, beyond)),
                    -1.0, v));
        else
            lost = yk_dual_of(0.0);
    }
    if (c->vds.v == 0.0) lost = yk_dual_of(0.0);
    const yk_dual left = yk_dual_line(1.0, -1.0, lost);
    const double least = p->has_doping ? p->edge : 0.25e-6;
    if (l * left.v >= least) return left;
    /* punch through */
    return yk_dual_line(0.0, least / l,
                        yk_dual_inverse(yk_dual_line(
                            1.0 - (l - p->edge) / least, l / least, lost)));
}

static yk_dual current_of(const mos2 *p, const channel *c, yk_dual *vdsat)
{
    const bool weak = p->states > 0.0 && c->vgs.v <= c->von.v;
    const yk_dual vgsx = weak ? c->von : c->vgs;
    const yk_dual reach =
        yk_dual_line(0.0, 1.0 / p->eta, yk_dual_add(vgsx, -1.0, c->vbin));
    const yk_dual gamma = yk_dual_line(0.0, 1.0 / p->eta, c->gamma);
    const yk_dual u = mobility_of(p, c);
    const yk_dual ueff = yk_dual_line(0.0, p->mobility, u);
    yk_dual slope;

    *vdsat = pinch_off(c, gamma, reach);
    if (p->vmax > 0.0) *vdsat = saturated(p, c, gamma, reach, ueff, *vdsat);
    const bool linear = c->vds.v <= vdsat->v;
    if (weak && vdsat->v <= 0.0) return yk_dual_of(0.0);
    const yk_dual v = linear ? c->vds : *vdsat;
    const yk_dual b =
        linear ? c->b
               : root_of(p,
                         yk_dual_line(-p->base.phi, 1.0,
                                      yk_dual_add(*vdsat, 1.0, c->phi)),
                         &slope);
    const yk_dual body =
        yk_dual_mul(c->gamma, yk_dual_add(cube(b), -1.0, cube(c->s)));
    const yk_dual drive =
        yk_dual_add(yk_dual_add(vgsx, -1.0, c->vbin), -0.5 * p->eta, v);
    yk_dual i = yk_dual_add(yk_dual_mul(drive, v), -2.0 / 3.0, body);
    i = yk_dual_line(0.0, p->base.beta, yk_dual_mul(i, u));
    i = yk_dual_mul(i, yk_dual_inverse(length_left(p, c, *vdsat, ueff)));
    if (!weak) return i;
    const yk_dual a = yk_dual_mul(
        yk_dual_line(0.0, 1.0 / p->base.vt, yk_dual_add(c->vgs, -1.0, c->von)),
        yk_dual_inverse(c->n));
    const double e = exp(a.v);
    return yk_dual_mul(i, yk_dual_chain(e, e, a));
}

static void channel2(const yk_mos *base, double vgs, double vds, double vbs,
                     yk_mos_channel *out)
{
    const mos2 *p = (const mos2 *)base;
    const channel c = channel_of(p, vgs, vds, vbs);
    yk_dual vdsat = yk_dual_of(0.0), i = yk_dual_of(0.0);

    if (p->states > 0.0 || vgs > c.vbin.v) i = current_of(p, &c, &vdsat);
    *out = (yk_mos_channel){ .i = i.v,
                             .gm = i.g,
                             .gds = i.d,
                             .gmb = i.b,
                             .von = c.von.v,
                             .von_d = c.von.d,
                             .von_b = c.von.b,
                             .vdsat = vdsat.v,
                             .vdsat_g = vdsat.g,
                             .vdsat_d = vdsat.d,
                             .vdsat_b = vdsat.b };
}

static double threshold2(const yk_mos *base, double vds, double vbs,
                         double *by_vds, double *by_vbs)
{
    const channel c = channel_of((const mos2 *)base, 0.0, vds, vbs);

    *by_vds = c.von.d;
    *by_vbs = c.von.b;
    return c.von.v;
}

static yoke_status mos2_make(yk_device *device, const yk_device_plan *plan,
                             yoke_err *err)
{
    mos2 *t = device->data;
    const yk_given *p = plan->p;
    const yk_thermal th = yk_thermal_at(plan->t, plan->nominal);
    yk_mos_size size;

    YK_TRY(yk_mos_make(device, plan, 2, &size, err));
    if (p[XJ].v < 0.0 || p[NFS].v < 0.0 || p[VMAX].v < 0.0 || p[UEXP].v < 0.0 ||
        !(p[NEFF].v > 0.0) || !(p[UCRIT].v > 0.0))
        return yk_device_fail(plan, err,
                              "xj, nfs, vmax, uexp must not be negative, neff "
                              "and ucrit positive");
    t->length = size.l;
    t->narrow = p[DELTA].v * 0.25 * acos(-1.0) * YK_EPS_SILICON /
                (size.per_area * size.w);
    t->eta = 1.0 + t->narrow;
    t->states = YK_CHARGE * p[NFS].v * 1e4 / size.per_area;
    t->mobility = p[YK_MOS_UO].v * 1e-4;
    t->ucrit = p[UCRIT].v * 100.0 * YK_EPS_SILICON / size.per_area;
    t->uexp = p[UEXP].v;
    t->vmax = p[VMAX].v;
    t->xj = p[XJ].v;
    t->neff = p[NEFF].v;
    t->has_doping = p[YK_MOS_NSUB].given;
    if (t->has_doping)
        t->xd =
            sqrt(2.0 * YK_EPS_SILICON / (YK_CHARGE * p[YK_MOS_NSUB].v * 1e6));
    t->edge = t->xd * sqrt(yk_thermal_potential(&th, p[YK_MOS_PB].v));
    t->base.channel = channel2;
    t->base.threshold = threshold2;
    device->ops = &yk_mos_ops;
    return YOKE_OK;
}

static const yk_device_names model_table = YK_NAMES(model_names);

const yk_device_family yk_mos2_family = {
    .kind = 'm',
    .types = { "nmos", "pmos" },
    .level = 2,
    .model = &model_table,
    .element = &yk_mos_element_names,
    .bytes = sizeof(mos2),
    .make = mos2_make,
};
