/* comp/netlist/device/bjt_make.c -- parameters of bipolar transistors at their
 * temperature.
 *
 * Reference: ngspice 39 manual, section 8.2.
 */
#include "comp/netlist/device/bjt.h"

enum {
    IS = YK_P_FIRST,
    IBE,
    IBC,
    BF,
    NF,
    VAF,
    IKF,
    ISE,
    NE,
    BR,
    NR,
    VAR,
    IKR,
    ISC,
    NC,
    RB,
    IRB,
    RBM,
    RE,
    RC,
    CJE,
    VJE,
    MJE,
    TF,
    XTF,
    VTF,
    ITF,
    CJC,
    VJC,
    MJC,
    XCJC,
    TR,
    CJS,
    VJS,
    MJS,
    XTB,
    EG,
    XTI,
    FC,
    ISS,
    NS,
    NKF,
    SUBS,
    RCO,
    RTH0,
    TLEV,
    TLEVC,
    CTE,
    CTC,
    CTS,
    TVJE,
    TVJC,
    TVJS,
    TBF1,
    TBF2,
    TBR1,
    TBR2,
    POLYNOMIALS, /* pairs of coefficients, see below */
    TIKF = POLYNOMIALS,
    TIKR = TIKF + 2,
    TIRB = TIKR + 2,
    TNC = TIRB + 2,
    TNE = TNC + 2,
    TNF = TNE + 2,
    TNR = TNF + 2,
    TRB = TNR + 2,
    TRC = TRB + 2,
    TRE = TRC + 2,
    TRM = TRE + 2,
    TVAF = TRM + 2,
    TVAR = TVAF + 2,
    TITF = TVAR + 2,
    TTF = TITF + 2,
    TTR = TTF + 2,
    TMJE = TTR + 2,
    TMJC = TMJE + 2,
    TMJS = TMJC + 2,
    TNS = TMJS + 2,
    COUNT = TNS + 2
};
_Static_assert((int)COUNT <= (int)YK_DEVICE_SLOTS, "more room for parameters");
enum { E_AREA = YK_E_FIRST, E_AREAB, E_AREAC };

/* Which parameter a pair of temperature coefficients belongs to. */
static const struct {
    int target, first;
} pairs[] = {
    { IKF, TIKF }, { IKR, TIKR }, { IRB, TIRB }, { NC, TNC },   { NE, TNE },
    { NF, TNF },   { NR, TNR },   { RB, TRB },   { RC, TRC },   { RE, TRE },
    { RBM, TRM },  { VAF, TVAF }, { VAR, TVAR }, { ITF, TITF }, { TF, TTF },
    { TR, TTR },   { MJE, TMJE }, { MJC, TMJC }, { MJS, TMJS }, { NS, TNS },
};

#define PAIR(name, slot)                                                       \
    { name "1", slot, 0.0 },                                                   \
    {                                                                          \
        name "2", slot + 1, 0.0                                                \
    }

static const yk_device_name model_names[] = {
    { "is", IS, 1e-16 },
    { "ibe", IBE, 0.0 },
    { "ibc", IBC, 0.0 },
    { "bf", BF, 100.0 },
    { "nf", NF, 1.0 },
    { "vaf", VAF, 0.0 },
    { "va", VAF, 0.0 },
    { "ikf", IKF, 0.0 },
    { "ik", IKF, 0.0 },
    { "ise", ISE, 0.0 },
    { "c2", ISE, 0.0 },
    { "ne", NE, 1.5 },
    { "br", BR, 1.0 },
    { "nr", NR, 1.0 },
    { "var", VAR, 0.0 },
    { "vb", VAR, 0.0 },
    { "ikr", IKR, 0.0 },
    { "isc", ISC, 0.0 },
    { "c4", ISC, 0.0 },
    { "nc", NC, 2.0 },
    { "rb", RB, 0.0 },
    { "irb", IRB, 0.0 },
    { "rbm", RBM, 0.0 },
    { "re", RE, 0.0 },
    { "rc", RC, 0.0 },
    { "cje", CJE, 0.0 },
    { "vje", VJE, 0.75 },
    { "pe", VJE, 0.75 },
    { "mje", MJE, 0.33 },
    { "me", MJE, 0.33 },
    { "tf", TF, 0.0 },
    { "xtf", XTF, 0.0 },
    { "vtf", VTF, 0.0 },
    { "itf", ITF, 0.0 },
    { "ptf", YK_IGNORED, 0.0 },
    { "cjc", CJC, 0.0 },
    { "vjc", VJC, 0.75 },
    { "pc", VJC, 0.75 },
    { "mjc", MJC, 0.33 },
    { "mc", MJC, 0.33 },
    { "xcjc", XCJC, 1.0 },
    { "tr", TR, 0.0 },
    { "cjs", CJS, 0.0 },
    { "csub", CJS, 0.0 },
    { "ccs", CJS, 0.0 },
    { "vjs", VJS, 0.75 },
    { "ps", VJS, 0.75 },
    { "mjs", MJS, 0.0 },
    { "ms", MJS, 0.0 },
    { "xtb", XTB, 0.0 },
    { "eg", EG, 1.11 },
    { "xti", XTI, 3.0 },
    { "fc", FC, 0.5 },
    { "iss", ISS, 0.0 },
    { "ns", NS, 1.0 },
    { "nkf", NKF, 0.5 },
    { "nk", NKF, 0.5 },
    { "subs", SUBS, 0.0 },
    { "rco", RCO, 0.0 },
    { "rth0", RTH0, 0.0 },
    { "tlev", TLEV, 0.0 },
    { "tlevc", TLEVC, 0.0 },
    { "cte", CTE, 0.0 },
    { "ctc", CTC, 0.0 },
    { "cts", CTS, 0.0 },
    { "tvje", TVJE, 0.0 },
    { "tvjc", TVJC, 0.0 },
    { "tvjs", TVJS, 0.0 },
    { "tbf1", TBF1, 0.0 },
    { "tbf2", TBF2, 0.0 },
    { "tbr1", TBR1, 0.0 },
    { "tbr2", TBR2, 0.0 },
    PAIR("tikf", TIKF),
    PAIR("tikr", TIKR),
    PAIR("tirb", TIRB),
    PAIR("tnc", TNC),
    PAIR("tne", TNE),
    PAIR("tnf", TNF),
    PAIR("tnr", TNR),
    PAIR("trb", TRB),
    { "trb", TRB, 0.0 },
    PAIR("trc", TRC),
    { "trc", TRC, 0.0 },
    PAIR("tre", TRE),
    { "tre", TRE, 0.0 },
    PAIR("trm", TRM),
    PAIR("tvaf", TVAF),
    PAIR("tvar", TVAR),
    PAIR("titf", TITF),
    PAIR("ttf", TTF),
    PAIR("ttr", TTR),
    PAIR("tmje", TMJE),
    PAIR("tmjc", TMJC),
    PAIR("tmjs", TMJS),
    PAIR("tns", TNS),
    { "kf", YK_SILENT, 0.0 },
    { "af", YK_SILENT, 0.0 },
    { "vbe_max", YK_SILENT, 0.0 },
    { "vbc_max", YK_SILENT, 0.0 },
    { "vce_max", YK_SILENT, 0.0 },
    { "pd_max", YK_SILENT, 0.0 },
    { "ic_max", YK_SILENT, 0.0 },
    { "ib_max", YK_SILENT, 0.0 },
    { "te_max", YK_SILENT, 0.0 },
    /* Of the quasi-saturation that rco switches on. */
    { "vo", YK_SILENT, 0.0 },
    { "gamma", YK_SILENT, 0.0 },
    { "qco", YK_SILENT, 0.0 },
    { "quasimod", YK_SILENT, 0.0 },
    { "vg", YK_SILENT, 0.0 },
    { "cn", YK_SILENT, 0.0 },
    { "d", YK_SILENT, 0.0 },
};

static const yk_device_name element_names[] = {
    { "area", E_AREA, 1.0 },     { "areab", E_AREAB, 1.0 },
    { "areac", E_AREAC, 1.0 },   { "ic", YK_SILENT, 0.0 },
    { "ic2", YK_SILENT, 0.0 },   { "ic3", YK_SILENT, 0.0 },
    { "icvbe", YK_SILENT, 0.0 }, { "icvce", YK_SILENT, 0.0 },
};

static yoke_status check(const yk_device_plan *plan, yoke_err *err)
{
    static const struct {
        int slot;
        const char *name;
    } positive[] = { { BF, "bf" },   { BR, "br" },   { NF, "nf" },
                     { NR, "nr" },   { NE, "ne" },   { NC, "nc" },
                     { VJE, "vje" }, { VJC, "vjc" }, { VJS, "vjs" },
                     { NS, "ns" },   { IS, "is" } },
      least[] = { { ISE, "ise" }, { ISC, "isc" }, { RB, "rb" },
                  { RBM, "rbm" }, { RE, "re" },   { RC, "rc" },
                  { IRB, "irb" }, { ITF, "itf" }, { ISS, "iss" } };
    const yk_given *p = plan->p;

    for (size_t k = 0; k < sizeof positive / sizeof positive[0]; k++)
        if (!(p[positive[k].slot].v > 0.0))
            return yk_device_fail(plan, err, "%s = %g must be positive",
                                  positive[k].name, p[positive[k].slot].v);
    for (size_t k = 0; k < sizeof least / sizeof least[0]; k++)
        if (!(p[least[k].slot].v >= 0.0))
            return yk_device_fail(plan, err, "%s = %g must not be negative",
                                  least[k].name, p[least[k].slot].v);
    if (!(p[FC].v >= 0.0 && p[FC].v < 1.0))
        return yk_device_fail(plan, err, "fc = %g must be in [0, 1)", p[FC].v);
    if (p[RCO].given || p[RTH0].given)
        return yk_device_fail(plan, err, "%s is not supported; remove %s",
                              p[RCO].given ? "quasi-saturation (rco)"
                                           : "self-heating (rth0)",
                              p[RCO].given ? "rco" : "rth0");
    if (p[TLEV].v != 0.0 && p[TLEV].v != 1.0)
        return yk_device_fail(plan, err,
                              "tlev = %g is not supported; 0 and 1 "
                              "are",
                              p[TLEV].v);
    if (plan->element->nodes < 3 || plan->element->nodes > 4)
        return yk_device_fail(plan, err,
                              "a bipolar transistor has 3 or 4 nodes "
                              "(collector, base, emitter, substrate), not %d",
                              plan->element->nodes);
    return YOKE_OK;
}

static double over(double v)
{
    return v != 0.0 ? 1.0 / v : 0.0;
}

/* p at the temperature of the device: those with polynomials. */
static void warm(yk_given *p, const yk_given *from, double dt)
{
    for (int k = 0; k < COUNT; k++) p[k] = from[k];
    if (!p[RBM].given) p[RBM] = p[RB];
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        const yk_given *c = &from[pairs[k].first];
        p[pairs[k].target].v *= 1.0 + c[0].v * dt + c[1].v * dt * dt;
    }
    p[MJE].v = fmin(p[MJE].v, 0.999);
    p[MJC].v = fmin(p[MJC].v, 0.999);
    p[MJS].v = fmin(p[MJS].v, 0.999);
}

static double leak(double given, double is)
{
    return given > 1e-4 ? given * is : given; /* older models: a ratio */
}

static void set_currents(yk_bjt *t, const yk_given *p, const yk_given *cold,
                         const yk_thermal *th, const yk_device_plan *plan,
                         double area, double area_c, double area_s)
{
    const double ratio = th->t / th->nominal, dt = th->t - th->nominal;
    const double grow = (ratio - 1.0) * p[EG].v / th->vt +
                        p[XTI].v * log(ratio); /* log of that of is */
    const double beta =
        p[TLEV].v == 0.0 ? pow(ratio, p[XTB].v) : 1.0 + p[XTB].v * dt;
    const bool apart = p[IBE].given && p[IBC].given;
    const double is = area * p[IS].v * exp(grow);

    t->vt = th->vt;
    t->gmin = plan->env->gmin;
    t->vt_f = p[NF].v * th->vt;
    t->vt_r = p[NR].v * th->vt;
    t->vt_e = p[NE].v * th->vt;
    t->vt_c = p[NC].v * th->vt;
    t->vt_s = p[NS].v * th->vt;
    t->is_be = apart ? area * p[IBE].v * exp(grow / cold[NF].v) : is;
    t->is_bc = area_c * (apart ? p[IBC].v * exp(grow / cold[NR].v) : is);
    t->is_e = area * leak(p[ISE].v, p[IS].v) * exp(grow / cold[NE].v) / beta;
    t->is_c = area_c * leak(p[ISC].v, p[IS].v) * exp(grow / cold[NC].v) / beta;
    t->is_s = p[ISS].v * exp(apart ? grow / cold[NR].v : grow) *
              (apart ? area_s : area);
    t->per_beta_f =
        1.0 / (p[BF].v * (p[TBF1].given || p[TBF2].given
                              ? 1.0 + p[TBF1].v * dt + p[TBF2].v * dt * dt
                              : beta));
    t->per_beta_r =
        1.0 / (p[BR].v * (p[TBR1].given || p[TBR2].given
                              ? 1.0 + p[TBR1].v * dt + p[TBR2].v * dt * dt
                              : beta));
    t->per_vaf = over(p[VAF].v);
    t->per_var = over(p[VAR].v);
    t->per_ikf = over(p[IKF].v) / area;
    t->per_ikr = over(p[IKR].v) / area;
    t->has_knee = t->per_ikf != 0.0 || t->per_ikr != 0.0;
    t->has_nkf = p[NKF].given;
    t->nkf = p[NKF].v;
    t->critical = yk_junction_critical(is, th->vt);
    t->critical_s = p[ISS].given ? yk_junction_critical(t->is_s, th->vt) : 50.0;
    t->rb = p[RB].v / area;
    t->rbm = p[RBM].v / area;
    t->irb = p[IRB].v * area;
    t->gc = over(p[RC].v) * area;
    t->ge = over(p[RE].v) * area;
}

static yk_depletion junction(const yk_given *p, const yk_thermal *th, int c,
                             int vj, int m, int tc, int tv, double fc,
                             double area)
{
    const double dt = th->t - th->nominal;

    if (p[TLEVC].v == 0.0)
        return yk_depletion_make(
            area * p[c].v * yk_thermal_capacitance(th, p[vj].v, p[m].v),
            yk_thermal_potential(th, p[vj].v), p[m].v, fc);
    return yk_depletion_make(area * p[c].v * (1.0 + p[tc].v * dt),
                             p[vj].v - p[tv].v * dt, p[m].v, fc);
}

static void set_charges(yk_bjt *t, const yk_given *p, const yk_thermal *th,
                        double area, double area_c, double area_s)
{
    const double fc = fmin(p[FC].v, 0.9999), x = p[XCJC].v;

    t->be = junction(p, th, CJE, VJE, MJE, CTE, TVJE, fc, area);
    t->bc = junction(p, th, CJC, VJC, MJC, CTC, TVJC, fc, area_c * x);
    t->bx = junction(p, th, CJC, VJC, MJC, CTC, TVJC, fc, area_c * (1.0 - x));
    t->s = junction(p, th, CJS, VJS, MJS, CTS, TVJS, 0.0, area_s);
    t->tf = p[TF].v;
    t->tr = p[TR].v;
    t->xtf = p[XTF].v;
    t->per_vtf = over(1.44 * p[VTF].v);
    t->itf = p[ITF].v * area;
    t->has_charge = t->tf != 0.0 || t->tr != 0.0 || t->be.c0 != 0.0 ||
                    t->bc.c0 != 0.0 || t->bx.c0 != 0.0 || t->s.c0 != 0.0;
}

static void set_nodes(yk_device *device, yk_bjt *t, bool is_vertical)
{
    device->nodes = device->terminals = 4;
    t->collector = YK_BJT_C;
    t->base = YK_BJT_B;
    t->emitter = YK_BJT_E;
    if (t->gc != 0.0) t->collector = yk_device_node(device, "collcx");
    if (t->rb != 0.0) t->base = yk_device_node(device, "base");
    if (t->ge != 0.0) t->emitter = yk_device_node(device, "emitter");
    yk_device_branch(device, t->base, t->emitter);
    yk_device_branch(device, t->base, t->collector);
    t->branch_s = yk_device_branch(device, YK_BJT_S,
                                   is_vertical ? t->collector : t->base);
    t->branch_b = t->branch_c = t->branch_e = -1;
    if (t->rb != 0.0) t->branch_b = yk_device_branch(device, YK_BJT_B, t->base);
    if (t->gc != 0.0)
        t->branch_c = yk_device_branch(device, YK_BJT_C, t->collector);
    if (t->ge != 0.0)
        t->branch_e = yk_device_branch(device, YK_BJT_E, t->emitter);
}

static yoke_status bjt_make(yk_device *device, const yk_device_plan *plan,
                            yoke_err *err)
{
    yk_bjt *t = device->data;
    const yk_given *e = plan->e;
    const yk_thermal th = yk_thermal_at(plan->t, plan->nominal);
    const double area = e[E_AREA].v;
    const double area_b = e[E_AREAB].given ? e[E_AREAB].v : area;
    const double area_c = e[E_AREAC].given ? e[E_AREAC].v : area;
    const bool is_pnp = plan->model->type[0] == 'p';
    const double subs = plan->p[SUBS].v;
    const bool is_vertical = subs == 1.0 || (subs != -1.0 && !is_pnp);
    yk_given p[COUNT];

    YK_TRY(check(plan, err));
    if (!(area > 0.0) || !(area_b > 0.0) || !(area_c > 0.0))
        return yk_device_fail(plan, err,
                              "area = %g, areab = %g, areac = %g must be "
                              "positive",
                              area, area_b, area_c);
    warm(p, plan->p, th.t - th.nominal);
    t->sign = is_pnp ? -1.0 : 1.0;
    t->sign_substrate = is_vertical ? t->sign : -t->sign;
    t->m = e[YK_E_M].v;
    t->off = plan->element->off;
    set_currents(t, p, plan->p, &th, plan, area, is_vertical ? area_b : area_c,
                 is_vertical ? area_c : area_b);
    set_charges(t, p, &th, area, is_vertical ? area_b : area_c,
                is_vertical ? area_c : area_b);
    if (!(t->be.per_vj > 0.0) || !(t->bc.per_vj > 0.0) || !(t->s.per_vj > 0.0))
        return yk_device_fail(plan, err,
                              "a junction potential (vje, vjc, vjs) is not "
                              "positive at %g C",
                              th.t - YK_ZERO_C);
    device->ops = &yk_bjt_ops;
    set_nodes(device, t, is_vertical);
    return YOKE_OK;
}

static const yk_device_names model_table = YK_NAMES(model_names);
static const yk_device_names element_table = YK_NAMES(element_names);

const yk_device_family yk_bjt_family = {
    .kind = 'q',
    .types = { "npn", "pnp" },
    .level = 1,
    .model = &model_table,
    .element = &element_table,
    .bytes = sizeof(yk_bjt),
    .make = bjt_make,
};
