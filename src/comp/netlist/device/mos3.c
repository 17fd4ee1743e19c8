/* comp/netlist/device/mos3.c -- the MOS transistor, level 3 (semi-empirical).
 *
 * Vladimirescu and Liu's model in the form ngspice 39 has it: short and narrow
 * channels change the body effect (xj, delta), the drain lowers the threshold
 * (eta), mobility falls with the gate voltage (theta), velocity saturates
 * (vmax), the channel shortens in saturation (kappa), and below von the
 * current is exponential (nfs).  It is written with values that carry their
 * derivatives by vgs, vds, vbs, so these are exact; those of ngspice leave
 * terms out (of the saturation voltage in channel shortening, of the narrow
 * channel for vbs > 0), which its iteration can bear and its .ac shows.
 *
 * Where nfs is given, the conductances jump at von, as the model has it.
 *
 * References: Vladimirescu, Liu, UCB/ERL M80/7 (1980); Antognetti, Massobrio,
 * section 4.4; ngspice 39 manual, section 11.2.
 */
#include "comp/netlist/device/mos.h"
#include "comp/netlist/device/mos_dual.h"

enum { VMAX = YK_MOS_LAST, XJ, NFS, ETA, DELTA, THETA, KAPPA, XD, ALPHA };

static const yk_device_name model_names[] = {
    YK_MOS_NAMES(1e-7, 0.33),
    { "vmax", VMAX, 0.0 },
    { "xj", XJ, 0.0 },
    { "nfs", NFS, 0.0 },
    { "eta", ETA, 0.0 },
    { "delta", DELTA, 0.0 },
    { "theta", THETA, 0.0 },
    { "kappa", KAPPA, 0.2 },
    { "xd", XD, 0.0 },
    { "alpha", ALPHA, 0.0 },
    { "xl", YK_MOS_XL, 0.0 },
    { "wd", YK_MOS_WD, 0.0 },
    { "xw", YK_MOS_XW, 0.0 },
    { "delvto", YK_MOS_DELVTO, 0.0 },
    { "delvt0", YK_MOS_DELVTO, 0.0 },
};

typedef struct mos3 {
    yk_mos base;    /* first: devices are cast */
    double length;  /* m */
    double eta;     /* V/V */
    double narrow;  /* body factor of a narrow channel */
    double states;  /* q nfs / cox */
    double theta;   /* 1/V */
    double vmax_mu; /* V, length vmax / mobility, 0: no saturation */
    double kappa_alpha, half_alpha, kappa; /* m2/V, m2/V, 1 */
    bool is_short;
    double xj_l, ld_xj, xd_xj; /* xj/length, ld/xj, xd/xj (1/sqrt V) */
} mos3;

/* ---- equations ----------------------------------------------------------- */

typedef struct body {
    yk_dual root, phi; /* sqrt(phi - vbs), phi - vbs */
    yk_dual charge;    /* of the bulk over that of the oxide, V */
    yk_dual factor;    /* 1 + its share in the channel */
} body;

static body body_of(const mos3 *p, double vbs)
{
    const double least = 0.01;
    body r;

    if (vbs <= 0.0) {
        const double s = sqrt(p->base.phi - vbs);
        r.root = (yk_dual){ s, 0.0, 0.0, -0.5 / s };
        r.phi = (yk_dual){ p->base.phi - vbs, 0.0, 0.0, -1.0 };
    } else {
        const double u = 1.0 + 0.5 * vbs / p->base.phi;
        const double s = p->base.root_phi / u;
        r.root = (yk_dual){ s, 0.0, 0.0, -0.5 * s / (u * p->base.phi) };
        r.phi = yk_dual_mul(r.root, r.root);
    }
    yk_dual gamma = yk_dual_of(p->base.gamma);
    if (p->is_short) {
        const yk_dual w =
            yk_dual_line(0.0, p->xd_xj, r.root); /* depletion width / xj */
        const yk_dual a =
            yk_dual_add(yk_dual_line(0.0631353 + p->ld_xj, 0.8013292, w),
                        -0.01110777, yk_dual_mul(w, w));
        const yk_dual c =
            yk_dual_mul(w, yk_dual_inverse(yk_dual_line(1.0, 1.0, w)));
        const yk_dual s =
            yk_dual_root(yk_dual_line(1.0, -1.0, yk_dual_mul(c, c)));
        const yk_dual f =
            yk_dual_line(1.0 + p->xj_l * p->ld_xj, -p->xj_l, yk_dual_mul(a, s));
        gamma = f.v > least ? yk_dual_line(0.0, p->base.gamma, f)
                            : yk_dual_of(p->base.gamma * least);
    }
    r.factor = yk_dual_line(1.0 + p->narrow, 0.25,
                            yk_dual_mul(gamma, yk_dual_inverse(r.root)));
    r.charge = yk_dual_add(yk_dual_mul(gamma, r.root), p->narrow, r.phi);
    return r;
}

/* Threshold of strong inversion. */
static yk_dual threshold_of(const mos3 *p, const body *r, double vds)
{
    yk_dual vth = yk_dual_line(p->base.vbi - p->eta * vds, 1.0, r->charge);

    vth.d -= p->eta;
    return vth;
}

/* vth plus the thermal voltage times *n where there is weak inversion. */
static yk_dual von_of(const mos3 *p, const body *r, yk_dual vth, yk_dual *n)
{
    if (p->states == 0.0) return vth;
    *n = yk_dual_line(1.0 + p->states, 0.5,
                      yk_dual_mul(r->charge, yk_dual_inverse(r->phi)));
    return yk_dual_add(vth, p->base.vt, *n);
}

/* How much the channel shortens beyond saturation, over its length. */
static yk_dual shortening(const mos3 *p, yk_dual vds, yk_dual vdsat,
                          yk_dual current, yk_dual fd, yk_dual vc)
{
    const double l = p->length;
    yk_dual x;

    if (p->vmax_mu <= 0.0) {
        if (vds.v <= vdsat.v) {
            const yk_dual part = yk_dual_mul(vds, yk_dual_inverse(vdsat));
            const yk_dual square = yk_dual_mul(part, part);
            x = yk_dual_mul(
                yk_dual_root(yk_dual_line(0.0, p->kappa_alpha / 8.0, vdsat)),
                yk_dual_mul(square, square));
        } else {
            x = yk_dual_root(yk_dual_line(0.0, p->kappa_alpha,
                                          yk_dual_add(vds, -0.875, vdsat)));
        }
    } else {
        yk_dual g =
            yk_dual_mul(yk_dual_mul(current, yk_dual_line(1.0, -1.0, fd)),
                        yk_dual_inverse(vc));
        if (g.v < 1e-12) g = yk_dual_of(1e-12);
        const yk_dual field =
            yk_dual_line(0.0, p->kappa * p->half_alpha / l,
                         yk_dual_mul(current, yk_dual_inverse(g)));
        const yk_dual beyond = yk_dual_add(vds, -1.0, vdsat);
        const yk_dual under =
            yk_dual_add(yk_dual_mul(field, field), p->kappa_alpha, beyond);
        /* sqrt(f^2 + u) - f without cancellation */
        x = yk_dual_mul(
            yk_dual_line(0.0, p->kappa_alpha, beyond),
            yk_dual_inverse(yk_dual_add(yk_dual_root(under), 1.0, field)));
    }
    x = yk_dual_line(0.0, 1.0 / l, x);
    return x.v > 0.5 ? yk_dual_line(1.0, -0.25, yk_dual_inverse(x))
                     : x; /* punch through */
}

static yk_dual current_of(const mos3 *p, yk_dual vgs, yk_dual vds,
                          const body *r, yk_dual vth, yk_dual von,
                          yk_dual *vdsat)
{
    const bool is_weak = vgs.v < von.v;
    const yk_dual x = yk_dual_add(is_weak ? von : vgs, -1.0, vth);
    yk_dual fg = yk_dual_line(1.0, p->theta, x); /* mobility falls by this */
    yk_dual vc = yk_dual_of(0.0), fd = yk_dual_of(1.0);

    if (fg.v < 0.05) fg = yk_dual_of(0.05);
    *vdsat = yk_dual_mul(x, yk_dual_inverse(r->factor));
    if (p->vmax_mu > 0.0) {
        const yk_dual a = *vdsat;
        vc = yk_dual_line(0.0, p->vmax_mu, fg);
        const yk_dual h = yk_dual_root(
            yk_dual_add(yk_dual_mul(a, a), 1.0, yk_dual_mul(vc, vc)));
        /* a + vc - h without cancellation */
        *vdsat = yk_dual_mul(
            yk_dual_line(0.0, 2.0, yk_dual_mul(a, vc)),
            yk_dual_inverse(yk_dual_add(yk_dual_add(a, 1.0, vc), 1.0, h)));
    }
    const bool is_linear = vds.v <= vdsat->v;
    const yk_dual vdx = is_linear ? vds : *vdsat;
    yk_dual i =
        yk_dual_mul(yk_dual_add(x, -0.5, yk_dual_mul(r->factor, vdx)), vdx);
    i = yk_dual_line(0.0, p->base.beta, yk_dual_mul(i, yk_dual_inverse(fg)));
    if (p->vmax_mu > 0.0) {
        fd = yk_dual_inverse(
            yk_dual_line(1.0, 1.0, yk_dual_mul(vdx, yk_dual_inverse(vc))));
        i = yk_dual_mul(i, fd);
    }
    if (p->kappa_alpha != 0.0 && !(is_linear && p->vmax_mu > 0.0)) {
        const yk_dual s = shortening(p, vds, *vdsat, i, fd, vc);
        i = yk_dual_mul(i, yk_dual_inverse(yk_dual_line(1.0, -1.0, s)));
    }
    return i;
}

static void channel3(const yk_mos *base, double vgs, double vds, double vbs,
                     yk_mos_channel *c)
{
    const mos3 *p = (const mos3 *)base;
    const body r = body_of(p, vbs);
    const yk_dual g = { vgs, 1.0, 0.0, 0.0 }, d = { vds, 0.0, 1.0, 0.0 };
    const yk_dual vth = threshold_of(p, &r, vds);
    yk_dual n = yk_dual_of(0.0), vdsat = yk_dual_of(0.0), i = yk_dual_of(0.0);
    const yk_dual von = von_of(p, &r, vth, &n);

    if (vgs > von.v || p->states != 0.0)
        i = current_of(p, g, d, &r, vth, von, &vdsat);
    if (vgs < von.v && p->states != 0.0) {
        const yk_dual a = yk_dual_mul(
            yk_dual_line(0.0, 1.0 / base->vt, yk_dual_add(g, -1.0, von)),
            yk_dual_inverse(n));
        const double e = exp(a.v);
        i = yk_dual_mul(i, yk_dual_chain(e, e, a));
    }
    *c = (yk_mos_channel){ .i = i.v,
                           .gm = i.g,
                           .gds = i.d,
                           .gmb = i.b,
                           .von = von.v,
                           .von_d = von.d,
                           .von_b = von.b,
                           .vdsat = vdsat.v,
                           .vdsat_g = vdsat.g,
                           .vdsat_d = vdsat.d,
                           .vdsat_b = vdsat.b };
}

static double threshold3(const yk_mos *base, double vds, double vbs,
                         double *by_vds, double *by_vbs)
{
    const mos3 *p = (const mos3 *)base;
    const body r = body_of(p, vbs);
    yk_dual n;
    const yk_dual von = von_of(p, &r, threshold_of(p, &r, vds), &n);

    *by_vds = von.d;
    *by_vbs = von.b;
    return von.v;
}

static yoke_status mos3_make(yk_device *device, const yk_device_plan *plan,
                             yoke_err *err)
{
    mos3 *t = device->data;
    const yk_given *p = plan->p;
    yk_mos_size size;

    YK_TRY(yk_mos_make(device, plan, 3, &size, err));
    if (p[XJ].v < 0.0 || p[NFS].v < 0.0 || p[VMAX].v < 0.0 ||
        p[KAPPA].v < 0.0 || p[ALPHA].v < 0.0 || p[XD].v < 0.0)
        return yk_device_fail(plan, err,
                              "xj, nfs, vmax, kappa, alpha, xd must not be "
                              "negative");
    const double l = size.l;
    const double alpha =
        p[YK_MOS_NSUB].given
            ? 2.0 * YK_EPS_SILICON / (YK_CHARGE * p[YK_MOS_NSUB].v * 1e6)
            : p[ALPHA].v;
    const double xd = p[YK_MOS_NSUB].given ? sqrt(alpha) : p[XD].v;

    t->length = l;
    t->eta = p[ETA].v * 8.15e-22 / (size.per_area * l * l * l);
    t->narrow = p[DELTA].v * 0.5 * acos(-1.0) * YK_EPS_SILICON /
                (size.per_area * size.w);
    t->states = YK_CHARGE * p[NFS].v * 1e4 / size.per_area;
    t->theta = p[THETA].v;
    t->vmax_mu = l * p[VMAX].v / (size.mobility * 1e-4);
    t->kappa = p[KAPPA].v;
    t->half_alpha = 0.5 * alpha;
    t->kappa_alpha = t->kappa * alpha;
    t->is_short = p[XJ].v != 0.0 && xd != 0.0;
    if (t->is_short) {
        t->xj_l = p[XJ].v / l;
        t->ld_xj = p[YK_MOS_LD].v / p[XJ].v;
        t->xd_xj = xd / p[XJ].v;
    }
    t->base.channel = channel3;
    t->base.threshold = threshold3;
    device->ops = &yk_mos_ops;
    return YOKE_OK;
}

static const yk_device_names model_table = YK_NAMES(model_names);

const yk_device_family yk_mos3_family = {
    .kind = 'm',
    .types = { "nmos", "pmos" },
    .level = 3,
    .model = &model_table,
    .element = &yk_mos_element_names,
    .bytes = sizeof(mos3),
    .make = mos3_make,
};
