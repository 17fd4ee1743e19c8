/* comp/netlist/device/jfet.c -- the junction field effect transistor, level 1.
 *
 * Shichman and Hodges with the doping tail of Sydney University, as in ngspice:
 * with x = vgs - vto, B = (1 - b) / (pb - vto), in normal mode
 *
 *     i = beta (1 + lambda vds) x^2 (b + B x)                       vds >= x
 *         beta (1 + lambda vds) vds ((B vds - b) vds
 *                                    + x (2 b + 3 B (x - vds)))     vds < x
 *
 * which for b = 1 is Shichman and Hodges' model.  Two junctions from the gate,
 * with depletion charges of grading 1/2.
 *
 * Reference: ngspice 39 manual, chapter 9.
 */
#include "comp/netlist/device/family.h"

#include <string.h>

enum {
    VTO = YK_P_FIRST,
    BETA,
    LAMBDA,
    RD,
    RS,
    CGS,
    CGD,
    PB,
    IS,
    FC,
    B,
    TCV,
    VTOTC,
    BEX,
    BETATCE,
    XTI,
    EG
};
enum { E_AREA = YK_E_FIRST };

static const yk_device_name model_names[] = {
    { "vto", VTO, -2.0 },       { "vt0", VTO, -2.0 },
    { "beta", BETA, 1e-4 },     { "lambda", LAMBDA, 0.0 },
    { "rd", RD, 0.0 },          { "rs", RS, 0.0 },
    { "cgs", CGS, 0.0 },        { "cgd", CGD, 0.0 },
    { "pb", PB, 1.0 },          { "is", IS, 1e-14 },
    { "fc", FC, 0.5 },          { "b", B, 1.0 },
    { "tcv", TCV, 0.0 },        { "vtotc", VTOTC, 0.0 },
    { "bex", BEX, 0.0 },        { "betatce", BETATCE, 0.0 },
    { "xti", XTI, 3.0 },        { "eg", EG, 1.11 },
    { "kf", YK_SILENT, 0.0 },   { "af", YK_SILENT, 0.0 },
    { "nlev", YK_SILENT, 0.0 }, { "gdsnoi", YK_SILENT, 0.0 },
};

static const yk_device_name element_names[] = {
    { "area", E_AREA, 1.0 },      { "ic", YK_SILENT, 0.0 },
    { "ic2", YK_SILENT, 0.0 },    { "ic3", YK_SILENT, 0.0 },
    { "ic-vds", YK_SILENT, 0.0 }, { "ic-vgs", YK_SILENT, 0.0 },
};

typedef struct jfet {
    double sign, vt, gmin;
    double vto, beta, lambda, b, tail;
    double is, critical;
    yk_depletion gs, gd;
    double g_d, g_s;
    bool has_charge, off;
    int drain, source;      /* inner nodes */
    int branch_d, branch_s; /* -1: none */
} jfet;

/* Current from drain to source, normal mode. */
static void channel(const jfet *p, double vgs, double vds, double *i,
                    double *gm, double *gds)
{
    const double x = vgs - p->vto;

    *i = *gm = *gds = 0.0;
    if (x <= 0.0) return;
    const double slope = p->beta * p->lambda, beta = p->beta + slope * vds;
    if (x < vds) {
        const double form = x * x * (p->b + p->tail * x);
        *i = beta * form;
        *gm = beta * x * (2.0 * p->b + 3.0 * p->tail * x);
        *gds = slope * form;
    } else {
        const double a = 2.0 * p->b + 3.0 * p->tail * (x - vds);
        const double form = vds * (vds * (p->tail * vds - p->b) + x * a);
        *i = beta * form;
        *gm = beta * vds * (a + 3.0 * p->tail * x);
        *gds = beta * (x - vds) * a + slope * form;
    }
}

/* In both modes, by vgs and vds. */
static void drain_current(const jfet *p, double vgs, double vds, double *i,
                          double *gm, double *gds)
{
    if (vds >= 0.0) {
        channel(p, vgs, vds, i, gm, gds);
        return;
    }
    channel(p, vgs - vds, -vds, i, gm, gds);
    *i = -*i;
    *gds += *gm;
    *gm = -*gm;
}

static void jfet_charge(const yk_device *device, double vgs, double vgd,
                        double *q, double *dq)
{
    const jfet *p = device->data;
    const int width = device->branches;
    double qs, cs, qd, cd;

    yk_depletion_at(&p->gs, vgs, &qs, &cs);
    yk_depletion_at(&p->gd, vgd, &qd, &cd);
    if (q) {
        q[1] = p->sign * (qs + qd);
        q[p->drain] = -p->sign * qd;
        q[p->source] = -p->sign * qs;
    }
    if (dq) {
        double *d = dq + p->drain * width, *s = dq + p->source * width;
        dq[width] = cs;
        dq[width + 1] = cd;
        d[1] = -cd;
        s[0] = -cs;
    }
}

static void jfet_load(const yk_device *device, const double *b, double *i,
                      double *q, double *di, double *dq)
{
    const jfet *p = device->data;
    const int width = device->branches;
    const double vgs = p->sign * b[0], vgd = p->sign * b[1], vds = vgs - vgd;
    const size_t row = (size_t)device->nodes * sizeof(double);
    const size_t all = row * (size_t)width;
    double id, gm, gds, igs, ggs, igd, ggd;

    if (i) memset(i, 0, row);
    if (di) memset(di, 0, all);
    drain_current(p, vgs, vds, &id, &gm, &gds);
    yk_junction_at(p->is, p->vt, p->gmin, vgs, &igs, &ggs);
    yk_junction_at(p->is, p->vt, p->gmin, vgd, &igd, &ggd);
    if (i) {
        i[1] = p->sign * (igs + igd);
        i[p->drain] = p->sign * (id - igd);
        i[p->source] = -p->sign * (id + igs);
    }
    if (di) {
        double *d = di + p->drain * width, *s = di + p->source * width;
        di[width] = ggs;
        di[width + 1] = ggd;
        d[0] = gm + gds;
        d[1] = -gds - ggd;
        s[0] = -gm - gds - ggs;
        s[1] = gds;
    }
    if (p->branch_d >= 0)
        yk_device_resistor(device, p->branch_d, p->g_d, b, i, di);
    if (p->branch_s >= 0)
        yk_device_resistor(device, p->branch_s, p->g_s, b, i, di);
    if (q) memset(q, 0, row);
    if (dq) memset(dq, 0, all);
    if ((q || dq) && p->has_charge) jfet_charge(device, vgs, vgd, q, dq);
}

static bool jfet_limit(const yk_device *device, const double *old, double *b)
{
    const jfet *p = device->data;
    const double gs = b[0], gd = b[1];

    for (int k = 0; k < 2; k++) {
        const double before = p->sign * old[k];
        bool limited;
        double v = p->sign * b[k];
        v = yk_limit_junction(v, before, p->vt, p->critical, &limited);
        b[k] = p->sign * yk_limit_gate(v, before, p->vto);
    }
    return b[0] != gs || b[1] != gd;
}

static bool jfet_settled(const yk_device *device, const double *b,
                         const double *db, double rtol)
{
    const jfet *p = device->data;

    for (int k = 0; k < 2; k++)
        if (!yk_junction_settled(p->is, p->vt, p->sign * b[k], p->sign * db[k],
                                 rtol))
            return false;
    return true;
}

static void jfet_begin(const yk_device *device, double *b)
{
    const jfet *p = device->data;

    for (int k = 0; k < device->branches; k++) b[k] = 0.0;
    if (!p->off) b[0] = b[1] = -p->sign;
}

static yoke_status check(const yk_device_plan *plan, yoke_err *err)
{
    const yk_given *p = plan->p;

    if (!(plan->e[E_AREA].v > 0.0))
        return yk_device_fail(plan, err, "area = %g must be positive",
                              plan->e[E_AREA].v);
    if (!(p[PB].v > 0.0) || !(p[FC].v >= 0.0 && p[FC].v < 1.0))
        return yk_device_fail(plan, err,
                              "pb = %g must be positive and fc = %g in [0, 1)",
                              p[PB].v, p[FC].v);
    if (p[IS].v < 0.0 || p[RD].v < 0.0 || p[RS].v < 0.0)
        return yk_device_fail(plan, err,
                              "is = %g, rd = %g, rs = %g must not be negative",
                              p[IS].v, p[RD].v, p[RS].v);
    if (p[B].v != 1.0 && !(p[PB].v > p[VTO].v))
        return yk_device_fail(plan, err,
                              "with b = %g, pb = %g must exceed vto = %g",
                              p[B].v, p[PB].v, p[VTO].v);
    return YOKE_OK;
}

static void set_nodes(yk_device *device, jfet *t)
{
    device->nodes = device->terminals = 3;
    t->drain = 0;
    t->source = 2;
    if (t->g_s != 0.0) t->source = yk_device_node(device, "source");
    if (t->g_d != 0.0) t->drain = yk_device_node(device, "drain");
    yk_device_branch(device, 1, t->source);
    yk_device_branch(device, 1, t->drain);
    t->branch_d = t->branch_s = -1;
    if (t->g_d != 0.0) t->branch_d = yk_device_branch(device, 0, t->drain);
    if (t->g_s != 0.0) t->branch_s = yk_device_branch(device, 2, t->source);
}

static const yk_device_ops jfet_ops = {
    .kind = "junction field effect transistor",
    .load = jfet_load,
    .limit = jfet_limit,
    .settled = jfet_settled,
    .begin = jfet_begin,
};

static yoke_status jfet_make(yk_device *device, const yk_device_plan *plan,
                             yoke_err *err)
{
    jfet *t = device->data;
    const yk_given *p = plan->p;
    const yk_thermal th = yk_thermal_at(plan->t, plan->nominal);
    const double dt = th.t - th.nominal, ratio = th.t / th.nominal;
    const double area = plan->e[E_AREA].v * plan->e[YK_E_M].v;
    const double grow = exp((ratio - 1.0) * p[EG].v / th.vt) *
                        (p[XTI].given ? pow(ratio, p[XTI].v) : 1.0);
    const double vj = yk_thermal_potential(&th, p[PB].v);
    const double hot = yk_thermal_capacitance(&th, p[PB].v, 0.5) * area;
    const double fc = fmin(p[FC].v, 0.95);

    YK_TRY(check(plan, err));
    if (!(vj > 0.0))
        return yk_device_fail(plan, err,
                              "the gate junction potential is %g V at %g C; it "
                              "must be positive",
                              vj, th.t - YK_ZERO_C);
    t->sign = plan->model->type[0] == 'p' ? -1.0 : 1.0;
    t->vt = th.vt;
    t->gmin = plan->env->gmin * plan->e[YK_E_M].v; /* of all m */
    t->off = plan->element->off;
    t->vto = p[VTO].v + (p[VTOTC].given ? p[VTOTC].v : -p[TCV].v) * dt;
    t->beta = p[BETA].v * area *
              (p[BETATCE].given ? pow(1.01, p[BETATCE].v * dt)
                                : pow(ratio, p[BEX].v));
    t->lambda = p[LAMBDA].v;
    t->b = p[B].v;
    t->tail = p[B].v == 1.0 ? 0.0 : (1.0 - p[B].v) / (p[PB].v - p[VTO].v);
    t->is = p[IS].v * grow * area;
    t->critical = yk_junction_critical(p[IS].v * grow, th.vt);
    t->gs = yk_depletion_make(p[CGS].v * hot, vj, 0.5, fc);
    t->gd = yk_depletion_make(p[CGD].v * hot, vj, 0.5, fc);
    t->has_charge = t->gs.c0 != 0.0 || t->gd.c0 != 0.0;
    t->g_d = p[RD].v != 0.0 ? area / p[RD].v : 0.0;
    t->g_s = p[RS].v != 0.0 ? area / p[RS].v : 0.0;
    device->ops = &jfet_ops;
    set_nodes(device, t);
    return YOKE_OK;
}

static const yk_device_names model_table = YK_NAMES(model_names);
static const yk_device_names element_table = YK_NAMES(element_names);

const yk_device_family yk_jfet_family = {
    .kind = 'j',
    .types = { "njf", "pjf" },
    .level = 1,
    .model = &model_table,
    .element = &element_table,
    .bytes = sizeof(jfet),
    .make = jfet_make,
};
