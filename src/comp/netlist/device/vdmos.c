/* comp/netlist/device/vdmos.c -- the power MOS transistor (VDMOS).
 *
 * Three terminals: drain, gate, source.  With x = vgs - vto,
 *
 *     u = k ln(1 + exp((x - shift) / k))      weak inversion, k = ksubthres
 *     z = mtriode vds
 *     B = kp (1 + lambda vds) / (1 + theta vgs)
 *     i = B u^2 / 2 for u <= z, else B z (u - z / 2).
 *
 * For vds < 0 drain and source exchange, and lambda and theta go on to multiply
 * vds and vgs of the terminals, as in ngspice 39.  Charges:
 *
 *     Cgs constant,  Cgd = y + s atan(a vgd) below 0, y + s tanh(a vgd) above,
 *     s = (cgdmax - cgdmin) / (1 + pi/2),  y = cgdmax - s,
 *
 * and the body diode from source to drain, with breakdown, depletion charge and
 * transit time, between the outer nodes.  Resistances rd, rs, rg, rb have inner
 * nodes.  With rq and vq the drain's is rd + rq w / (w + vq), w the outer vds
 * (quasi-saturation).
 *
 * Not here: self-heating (`thermal`), soft recovery (vp).
 *
 * References: ngspice 39 manual, section 11.3; D'Alessandro, Frisina, Rinaldi,
 * EPE 2001 (quasi-saturation).
 */
#include "comp/netlist/device/family.h"

#include <string.h>

enum {
    VTO = YK_P_FIRST,
    KP,
    LAMBDA,
    THETA,
    RD,
    RS,
    RG,
    RB,
    RDS,
    RQ,
    VQ,
    MTRIODE,
    SUBSHIFT,
    KSUBTHRES,
    TK1,
    TK2,
    TCVTH,
    MU,
    TEXP0,
    TEXP1,
    TRD1,
    TRD2,
    TRG1,
    TRG2,
    TRS1,
    TRS2,
    TRB1,
    TRB2,
    BV,
    IBV,
    NBV,
    N,
    TT,
    EG,
    XTI,
    IS,
    VJ,
    CJO,
    MJ,
    FC,
    CGDMIN,
    CGDMAX,
    A,
    CGS,
    PCHAN
};

static const yk_device_name model_names[] = {
    { "vto", VTO, 0.0 },
    { "vth0", VTO, 0.0 },
    { "kp", KP, 1.0 },
    { "lambda", LAMBDA, 0.0 },
    { "theta", THETA, 0.0 },
    { "rd", RD, 0.0 },
    { "rs", RS, 0.0 },
    { "rg", RG, 0.0 },
    { "rb", RB, 0.0 },
    { "rds", RDS, 1e15 },
    { "rq", RQ, 0.0 },
    { "vq", VQ, 0.0 },
    { "mtriode", MTRIODE, 1.0 },
    { "subshift", SUBSHIFT, 0.0 },
    { "ksubthres", KSUBTHRES, 0.1 },
    { "tksubthres1", TK1, 0.0 },
    { "tksubthres2", TK2, 0.0 },
    { "tcvth", TCVTH, 0.0 },
    { "vtotc", TCVTH, 0.0 },
    { "mu", MU, -1.5 },
    { "bex", MU, -1.5 },
    { "texp0", TEXP0, 1.5 },
    { "texp1", TEXP1, 0.3 },
    { "trd1", TRD1, 0.0 },
    { "trd2", TRD2, 0.0 },
    { "trg1", TRG1, 0.0 },
    { "trg2", TRG2, 0.0 },
    { "trs1", TRS1, 0.0 },
    { "trs2", TRS2, 0.0 },
    { "trb1", TRB1, 0.0 },
    { "trb2", TRB2, 0.0 },
    { "bv", BV, 0.0 },
    { "ibv", IBV, 1e-10 },
    { "nbv", NBV, 1.0 },
    { "n", N, 1.0 },
    { "tt", TT, 0.0 },
    { "eg", EG, 1.11 },
    { "xti", XTI, 3.0 },
    { "is", IS, 1e-14 },
    { "vj", VJ, 0.8 },
    { "cjo", CJO, 0.0 },
    { "m", MJ, 0.5 },
    { "fc", FC, 0.5 },
    { "cgdmin", CGDMIN, 0.0 },
    { "cgdmax", CGDMAX, 0.0 },
    { "a", A, 1.0 },
    { "cgs", CGS, 0.0 },
    { "pchan", PCHAN, 0.0 },
    { "vp", YK_IGNORED, 0.0 },
    { "nchan", YK_SILENT, 0.0 },
    { "phi", YK_SILENT, 0.0 },
    { "kf", YK_SILENT, 0.0 },
    { "af", YK_SILENT, 0.0 },
    { "rthjc", YK_SILENT, 0.0 },
    { "rthca", YK_SILENT, 0.0 },
    { "cthj", YK_SILENT, 0.0 },
    { "vgs_max", YK_SILENT, 0.0 },
    { "vgd_max", YK_SILENT, 0.0 },
    { "vds_max", YK_SILENT, 0.0 },
    { "vgsr_max", YK_SILENT, 0.0 },
    { "vgdr_max", YK_SILENT, 0.0 },
    { "pd_max", YK_SILENT, 0.0 },
    { "id_max", YK_SILENT, 0.0 },
    { "idr_max", YK_SILENT, 0.0 },
    { "te_max", YK_SILENT, 0.0 },
    { "rth_ext", YK_SILENT, 0.0 },
    { "derating", YK_SILENT, 0.0 },
    { "vds", YK_SILENT, 0.0 }, /* of data sheets */
    { "ron", YK_SILENT, 0.0 },
    { "qg", YK_SILENT, 0.0 },
};

static const yk_device_name element_names[] = {
    { "ic", YK_SILENT, 0.0 },
    { "ic2", YK_SILENT, 0.0 },
    { "icvds", YK_SILENT, 0.0 },
    { "icvgs", YK_SILENT, 0.0 },
};

/* Branches. */
enum { VGS, VDS, BODY };

/* A resistance between an outer and an inner node; branch -1: none. */
typedef struct resistor {
    int branch;
    double g;
} resistor;

typedef struct vdmos {
    double sign; /* -1: p channel */
    double vto, beta, lambda, theta, mtriode, shift, slope;
    double cgs, s, y, a;     /* F, F, F, 1/V */
    int drain, gate, source; /* inner nodes */
    resistor d, g, s_r, b, ds;
    double rd, rq, vq; /* quasi-saturation: rq = 0 is none */
    double gmin;
    /* body diode */
    double is, vte, vt_break, vb, tt, critical;
    bool has_breakdown, off;
    yk_depletion depletion;
} vdmos;

/* ---- equations ----------------------------------------------------------- */

/* Current for vds >= 0 and its derivatives; `side` is 1, or -1 where drain and
 * source are exchanged.  Mobility falls with the vgs of the terminals. */
static double channel(const vdmos *p, double vgs, double vds, double side,
                      double *gm, double *gds)
{
    static const double least = 0.05; /* of what theta leaves; off by then */
    const double x = vgs - p->vto, z = p->mtriode * vds;
    const double e = (x - p->shift) / p->slope;
    const double u = p->slope * (e > 40.0 ? e : log1p(exp(e)));
    const double u_g = 1.0 / (1.0 + exp(-e));
    const double outer = side > 0.0 ? vgs : vgs - vds;
    const double fall = fmax(1.0 + p->theta * outer, least);
    const double theta = fall > least ? p->theta : 0.0;
    const double b = p->beta / fall;
    const double rise = 1.0 + side * p->lambda * vds;
    const bool saturated = u <= z;
    const double form = saturated ? 0.5 * u * u : z * (u - 0.5 * z);
    const double i = b * rise * form;

    *gm = b * rise * (saturated ? u : z) * u_g - i * theta / fall;
    *gds = b * form * side * p->lambda;
    if (!saturated) *gds += b * rise * p->mtriode * (u - z);
    if (side < 0.0) *gds += i * theta / fall;
    return i;
}

static void gate_drain_charge(const vdmos *p, double v, double *q, double *c)
{
    const double av = p->a * v;

    if (p->a == 0.0) {
        *q = p->y * v;
        *c = p->y;
    } else if (v > 0.0) { /* ln cosh without overflow */
        *q = p->y * v +
             p->s / p->a * (fabs(av) + log1p(exp(-2.0 * fabs(av))) - log(2.0));
        *c = p->y + p->s * tanh(av);
    } else {
        *q = p->y * v + p->s / p->a * (av * atan(av) - 0.5 * log1p(av * av));
        *c = p->y + p->s * atan(av);
    }
}

static void body_current(const vdmos *p, double v, double *i, double *g)
{
    if (!p->has_breakdown || v >= -p->vb) {
        yk_junction_at(p->is, p->vte, p->gmin, v, i, g);
    } else {
        double slope;
        const double e = yk_exp(-(p->vb + v) / p->vt_break, &slope);
        *i = p->gmin * v - p->is * e;
        *g = p->gmin + p->is * slope / p->vt_break;
    }
}

/* The conductance of the drain's resistance for the outer vds `w`. */
static double drain_conductance(const vdmos *p, double w, bool normal,
                                double *slope)
{
    *slope = 0.0;
    if (p->rq == 0.0 || !normal || w <= 0.0) return 1.0 / p->rd;
    const double part = w / (w + p->vq);
    const double r = p->rd + p->rq * part;
    *slope = -p->rq * p->vq / ((w + p->vq) * (w + p->vq)) / (r * r);
    return 1.0 / r;
}

/* ---- the device ---------------------------------------------------------- */

static void put(const yk_device *d, int from, int to, int branch, double slope,
                double *m)
{
    m[from * d->branches + branch] += slope;
    m[to * d->branches + branch] -= slope;
}

static double channel_at(const vdmos *p, const double *b, double *by_gs,
                         double *by_ds)
{
    const double vgs = p->sign * b[VGS], vds = p->sign * b[VDS];
    double gm, gds;

    if (vds >= 0.0) return channel(p, vgs, vds, 1.0, by_gs, by_ds);
    const double i = channel(p, vgs - vds, -vds, -1.0, &gm, &gds);
    *by_gs = -gm;
    *by_ds = gm + gds;
    return -i;
}

static void load_current(const yk_device *device, const double *b, double *i,
                         double *di)
{
    const vdmos *p = device->data;
    const int body = device->plus[BODY];
    double gm, gds, ib, gb;

    const double id = channel_at(p, b, &gm, &gds);
    body_current(p, p->sign * b[BODY], &ib, &gb);
    if (i) {
        i[p->drain] += p->sign * id;
        i[p->source] -= p->sign * id;
        i[body] += p->sign * ib;
        i[0] -= p->sign * ib;
    }
    if (di) {
        put(device, p->drain, p->source, VGS, gm, di);
        put(device, p->drain, p->source, VDS, gds, di);
        put(device, body, 0, BODY, gb, di);
    }
    const resistor *r[] = { &p->g, &p->s_r, &p->b, &p->ds };
    for (size_t k = 0; k < sizeof r / sizeof *r; k++)
        if (r[k]->branch >= 0)
            yk_device_resistor(device, r[k]->branch, r[k]->g, b, i, di);
    if (p->d.branch < 0) return;
    double slope;
    const double w = p->sign * b[p->ds.branch];
    const double g = drain_conductance(p, w, p->sign * b[VDS] >= 0.0, &slope);
    yk_device_resistor(device, p->d.branch, g, b, i, di);
    if (di)
        put(device, 0, p->drain, p->ds.branch, p->sign * slope * b[p->d.branch],
            di);
}

static void load_charge(const yk_device *device, const double *b, double *q,
                        double *dq)
{
    const vdmos *p = device->data;
    const int body = device->plus[BODY];
    double qgd, cgd, qb, cb, ib, gb;

    gate_drain_charge(p, p->sign * (b[VGS] - b[VDS]), &qgd, &cgd);
    yk_depletion_at(&p->depletion, p->sign * b[BODY], &qb, &cb);
    if (p->tt != 0.0) {
        body_current(p, p->sign * b[BODY], &ib, &gb);
        qb += p->tt * ib;
        cb += p->tt * gb;
    }
    if (q) {
        q[p->gate] += p->sign * qgd + p->cgs * b[VGS];
        q[p->drain] -= p->sign * qgd;
        q[p->source] -= p->cgs * b[VGS];
        q[body] += p->sign * qb;
        q[0] -= p->sign * qb;
    }
    if (dq) {
        put(device, p->gate, p->source, VGS, p->cgs, dq);
        put(device, p->gate, p->drain, VGS, cgd, dq);
        put(device, p->gate, p->drain, VDS, -cgd, dq);
        put(device, body, 0, BODY, cb, dq);
    }
}

static void vdmos_load(const yk_device *device, const double *b, double *i,
                       double *q, double *di, double *dq)
{
    const size_t row = (size_t)device->nodes * sizeof(double);
    const size_t all = row * (size_t)device->branches;

    if (i) memset(i, 0, row);
    if (q) memset(q, 0, row);
    if (di) memset(di, 0, all);
    if (dq) memset(dq, 0, all);
    if (i || di) load_current(device, b, i, di);
    if (q || dq) load_charge(device, b, q, dq);
}

static bool vdmos_limit(const yk_device *device, const double *old, double *b)
{
    const vdmos *p = device->data;
    const double before[3] = { b[0], b[1], b[2] };
    const double ogs = p->sign * old[VGS], ods = p->sign * old[VDS];
    const double obody = p->sign * old[BODY], body = p->sign * b[BODY];
    double vgs = p->sign * b[VGS], vds = p->sign * b[VDS];
    double vgd = vgs - vds;
    bool limited;

    if (ods >= 0.0) {
        vgs = yk_limit_gate(vgs, ogs, p->vto);
        vds = yk_limit_drain(vgs - vgd, ods);
    } else {
        vgd = yk_limit_gate(vgd, ogs - ods, p->vto);
        vds = -yk_limit_drain(vgd - vgs, -ods);
        vgs = vgd + vds;
    }
    b[VGS] = p->sign * vgs;
    b[VDS] = p->sign * vds;
    if (p->has_breakdown && body < fmin(0.0, 10.0 * p->vt_break - p->vb))
        b[BODY] =
            p->sign *
            (-p->vb - yk_limit_junction(-(body + p->vb), -(obody + p->vb),
                                        p->vt_break, p->critical, &limited));
    else
        b[BODY] = p->sign *
                  yk_limit_junction(body, obody, p->vte, p->critical, &limited);
    return b[0] != before[0] || b[1] != before[1] || b[2] != before[2];
}

static void vdmos_begin(const yk_device *device, double *b)
{
    const vdmos *p = device->data;

    for (int k = 0; k < device->branches; k++) b[k] = 0.0;
    if (!p->off) b[VGS] = p->sign * (p->vto + 0.1);
}

static const yk_device_ops vdmos_ops = {
    .kind = "power MOS transistor",
    .load = vdmos_load,
    .limit = vdmos_limit,
    .begin = vdmos_begin,
};

/* ---- parameters ---------------------------------------------------------- */

/* 1 + a dt + b dt^2 */
static double growth(const yk_given *p, int a, int b, double dt)
{
    return 1.0 + p[a].v * dt + p[b].v * dt * dt;
}

static yoke_status check(const yk_device_plan *plan, yoke_err *err)
{
    const yk_given *p = plan->p;

    if (plan->element->nodes != 3)
        return yk_device_fail(plan, err,
                              "has %d nodes; drain, gate, source are read, "
                              "self-heating with further nodes is not "
                              "supported",
                              plan->element->nodes);
    if (!(p[KSUBTHRES].v > 0.0) || !(p[N].v > 0.0) || !(p[NBV].v > 0.0) ||
        !(p[VJ].v > 0.0) || !(p[IS].v > 0.0))
        return yk_device_fail(plan, err,
                              "ksubthres, n, nbv, vj, is must be positive");
    if (p[RD].v < 0.0 || p[RS].v < 0.0 || p[RG].v < 0.0 || p[RB].v < 0.0 ||
        p[RQ].v < 0.0)
        return yk_device_fail(plan, err,
                              "rd, rs, rg, rb, rq must not be negative");
    if (!(p[FC].v >= 0.0 && p[FC].v <= 0.95) || !(p[MJ].v < 1.0) ||
        p[FC].v * p[VJ].v > 2.5)
        return yk_device_fail(plan, err,
                              "fc = %g must be in [0, 0.95], m = %g below 1, "
                              "fc vj at most 2.5",
                              p[FC].v, p[MJ].v);
    return YOKE_OK;
}

static void set_body(vdmos *t, const yk_given *p, const yk_thermal *th,
                     double m)
{
    const double ratio = th->t / th->nominal;

    t->vte = p[N].v * th->vt;
    t->vt_break = p[NBV].v * th->vt;
    t->is =
        m * p[IS].v *
        exp((ratio - 1.0) * p[EG].v / t->vte + p[XTI].v / p[N].v * log(ratio));
    t->critical = yk_junction_critical(t->is, t->vte);
    t->has_breakdown = p[BV].given;
    if (p[BV].given)
        t->vb = yk_breakdown_voltage(fabs(p[BV].v), p[IBV].v, t->is, th->vt,
                                     t->vt_break);
    t->depletion = yk_depletion_make(
        m * p[CJO].v * yk_thermal_capacitance(th, p[VJ].v, p[MJ].v),
        yk_thermal_potential(th, p[VJ].v), p[MJ].v, p[FC].v);
    t->tt = p[TT].v;
}

static void set_channel(vdmos *t, const yk_given *p, const yk_thermal *th,
                        double m)
{
    const double dt = th->t - th->nominal;

    t->vto = t->sign * p[VTO].v - p[TCVTH].v * dt;
    t->beta = m * p[KP].v * pow(th->t / th->nominal, p[MU].v);
    t->lambda = p[LAMBDA].v;
    t->theta = p[THETA].v;
    t->mtriode = p[MTRIODE].v;
    t->shift = p[SUBSHIFT].v;
    t->slope = p[KSUBTHRES].v * growth(p, TK1, TK2, dt);
    t->s = m * (p[CGDMAX].v - p[CGDMIN].v) / (1.0 + 0.5 * acos(-1.0));
    t->y = m * p[CGDMAX].v - t->s;
    t->a = p[A].v;
    t->cgs = m * p[CGS].v;
}

/* An inner node behind a resistance r at `outer`; that node where r is 0. */
static int inner(yk_device *device, double r, const char *name, int outer)
{
    return r > 0.0 ? yk_device_node(device, name) : outer;
}

static void join(yk_device *device, resistor *r, double g, int outer, int node)
{
    r->branch = outer != node ? yk_device_branch(device, outer, node) : -1;
    r->g = g;
}

static void set_nodes(yk_device *device, vdmos *t, const yk_given *p, double m,
                      double dt, double ratio)
{
    device->terminals = device->nodes = 3;
    t->drain = inner(device, p[RD].v, "drain", 0);
    t->gate = inner(device, p[RG].v, "gate", 1);
    t->source = inner(device, p[RS].v, "source", 2);
    const int body = inner(device, p[RB].v, "body_diode", 2);
    yk_device_branch(device, t->gate, t->source);
    yk_device_branch(device, t->drain, t->source);
    yk_device_branch(device, body, 0);
    t->rd =
        p[RD].v / m *
        (p[TEXP0].given ? pow(ratio, p[TEXP0].v) : growth(p, TRD1, TRD2, dt));
    if (p[RQ].given && p[VQ].given) {
        t->rq = p[RQ].v / m * pow(ratio, p[TEXP1].v);
        t->vq = fabs(p[VQ].v);
    }
    join(device, &t->d, 0.0, 0, t->drain);
    join(device, &t->g, m / p[RG].v / growth(p, TRG1, TRG2, dt), 1, t->gate);
    join(device, &t->s_r, m / p[RS].v / growth(p, TRS1, TRS2, dt), 2,
         t->source);
    join(device, &t->b, m / p[RB].v / growth(p, TRB1, TRB2, dt), 2, body);
    t->ds.branch = yk_device_branch(device, 0, 2);
    t->ds.g = p[RDS].given && p[RDS].v > 0.0 ? m / p[RDS].v : 1e-15;
}

static yoke_status vdmos_make(yk_device *device, const yk_device_plan *plan,
                              yoke_err *err)
{
    vdmos *t = device->data;
    const yk_given *p = plan->p;
    const yk_thermal th = yk_thermal_at(plan->t, plan->nominal);
    const double m = plan->e[YK_E_M].v;

    YK_TRY(check(plan, err));
    t->sign = strcmp(plan->model->type, "vdmosp") == 0 ||
                      (p[PCHAN].given && p[PCHAN].v != 0.0)
                  ? -1.0
                  : 1.0;
    t->gmin = plan->env->gmin;
    t->off = plan->element->off;
    set_channel(t, p, &th, m);
    set_body(t, p, &th, m);
    if (!(t->depletion.c0 == 0.0 || t->depletion.per_vj > 0.0) ||
        !(t->slope > 0.0))
        return yk_device_fail(plan, err,
                              "vj and ksubthres must be positive at %g C",
                              th.t - YK_ZERO_C);
    set_nodes(device, t, p, m, th.t - th.nominal, th.t / th.nominal);
    device->ops = &vdmos_ops;
    return YOKE_OK;
}

static const yk_device_names model_table = YK_NAMES(model_names);
static const yk_device_names element_table = YK_NAMES(element_names);

const yk_device_family yk_vdmos_family = {
    .kind = 'm',
    .types = { "vdmos", "vdmosn", "vdmosp" },
    .level = 1,
    .model = &model_table,
    .element = &element_table,
    .bytes = sizeof(vdmos),
    .make = vdmos_make,
};
