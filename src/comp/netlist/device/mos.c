/* comp/netlist/device/mos.c -- parameters of MOS transistors at their
 * temperature.
 *
 * Reference: ngspice 39 manual, chapter 11; Antognetti, Massobrio, chapter 4.
 */
#include "comp/netlist/device/mos.h"

#include <string.h>

#define EPS_OXIDE (3.9 * YK_EPS_0)
#define INTRINSIC 1.45e16 /* 1/m3, at 300 K */

enum { L = YK_E_FIRST, W, AD, AS, PD, PS, NRD, NRS };

static const yk_device_name element_names[] = {
    { "l", L, 1e-4 },
    { "w", W, 1e-4 },
    { "ad", AD, 0.0 },
    { "as", AS, 0.0 },
    { "pd", PD, 0.0 },
    { "ps", PS, 0.0 },
    { "nrd", NRD, 1.0 },
    { "nrs", NRS, 1.0 },
    { "ic", YK_SILENT, 0.0 },
    { "ic2", YK_SILENT, 0.0 },
    { "ic3", YK_SILENT, 0.0 },
    { "icvds", YK_SILENT, 0.0 },
    { "icvgs", YK_SILENT, 0.0 },
    { "icvbs", YK_SILENT, 0.0 },
};
const yk_device_names yk_mos_element_names = YK_NAMES(element_names);

/* Threshold, body effect and surface potential at the nominal temperature,
 * from process parameters where they are not given. */
typedef struct process {
    double vto, gamma, phi, kp, mobility, per_area;
} process;

/* Levels 1 and 2 take the intrinsic density at 300 K, level 3 at `nominal`. */
static double intrinsic(int level, const yk_thermal *th)
{
    const double r = th->nominal / 300.0;

    if (level < 3) return INTRINSIC;
    return INTRINSIC * r * sqrt(r) *
           exp(0.5 * th->gap_nominal * (1.0 / 300.0 - 1.0 / th->nominal) /
               YK_K_OVER_Q);
}

static yoke_status from_process(process *out, const yk_device_plan *plan,
                                int level, double sign, const yk_thermal *th,
                                yoke_err *err)
{
    const double ni = intrinsic(level, th);
    const yk_given *p = plan->p;
    process r = { .vto = p[YK_MOS_VTO].v,
                  .gamma = p[YK_MOS_GAMMA].v,
                  .phi = p[YK_MOS_PHI].v,
                  .kp = p[YK_MOS_KP].v,
                  .mobility = p[YK_MOS_UO].v };

    if (p[YK_MOS_TOX].v != 0.0) {
        const double doping = p[YK_MOS_NSUB].v * 1e6;

        r.per_area = EPS_OXIDE / p[YK_MOS_TOX].v;
        if (!p[YK_MOS_KP].given) r.kp = r.mobility * 1e-4 * r.per_area;
        if (p[YK_MOS_NSUB].given) {
            if (!(doping > ni))
                return yk_device_fail(plan, err,
                                      "nsub = %g must exceed the intrinsic "
                                      "density 1.45e10",
                                      p[YK_MOS_NSUB].v);
            if (!p[YK_MOS_PHI].given)
                r.phi = fmax(0.1, 2.0 * th->vt_nominal * log(doping / ni));

            /* Work function of the gate against that of the bulk. */
            const double gap = th->gap_nominal;
            const double bulk = 3.25 + 0.5 * gap + sign * 0.5 * r.phi;
            const double gate =
                p[YK_MOS_TPG].v != 0.0
                    ? 3.25 + 0.5 * gap - sign * p[YK_MOS_TPG].v * 0.5 * gap
                    : 3.2;
            if (!p[YK_MOS_GAMMA].given)
                r.gamma = sqrt(2.0 * YK_EPS_SILICON * YK_CHARGE * doping) /
                          r.per_area;
            if (!p[YK_MOS_VTO].given)
                r.vto = gate - bulk -
                        p[YK_MOS_NSS].v * 1e4 * YK_CHARGE / r.per_area +
                        sign * (r.gamma * sqrt(r.phi) + r.phi);
        }
    }
    if (!(r.phi > 0.0))
        return yk_device_fail(plan, err, "phi = %g must be positive", r.phi);
    *out = r;
    return YOKE_OK;
}

static void set_side(yk_mos_side *side, const yk_device_plan *plan,
                     const yk_thermal *th, double area, double perimeter,
                     const yk_given *fixed, bool by_area)
{
    const yk_given *p = plan->p;
    const double m = plan->e[YK_E_M].v;
    const double pb = p[YK_MOS_PB].v, vj = yk_thermal_potential(th, pb);
    const double grow =
        exp(th->gap_nominal / th->vt_nominal - th->gap / th->vt);
    const double c = fixed->given ? fixed->v : p[YK_MOS_CJ].v * area;

    side->is = grow * m * (by_area ? p[YK_MOS_JS].v * area : p[YK_MOS_IS].v);
    side->critical = yk_junction_critical(side->is, th->vt);
    side->bottom = yk_depletion_make(
        c * m * yk_thermal_capacitance(th, pb, p[YK_MOS_MJ].v), vj,
        p[YK_MOS_MJ].v, p[YK_MOS_FC].v);
    side->wall =
        yk_depletion_make(p[YK_MOS_CJSW].v * perimeter * m *
                              yk_thermal_capacitance(th, pb, p[YK_MOS_MJSW].v),
                          vj, p[YK_MOS_MJSW].v, p[YK_MOS_FC].v);
    side->has_charge = side->bottom.c0 != 0.0 || side->wall.c0 != 0.0;
}

/* The series conductance, 0 if there is none. */
static double series(const yk_device_plan *plan, const yk_given *r,
                     double squares)
{
    const double m = plan->e[YK_E_M].v;
    const double sheet = plan->p[YK_MOS_RSH].v * squares;

    if (r->given) return r->v != 0.0 ? m / r->v : 0.0;
    return sheet != 0.0 ? m / sheet : 0.0;
}

/* Length or width: that of the element, else of the model, else of .options. */
static double size_of(const yk_device_plan *plan, const yk_given *element,
                      const yk_given *model, const char *option)
{
    const yk_netlist *net = plan->netlist;

    if (element->given) return element->v;
    if (model->given) return model->v;
    return yk_net_value(net->option, net->options, option, element->v, NULL);
}

static yoke_status check(const yk_device_plan *plan, double drawn, double l,
                         double w, yoke_err *err)
{
    const yk_given *p = plan->p, *e = plan->e;

    if (plan->element->nodes != 4)
        return yk_device_fail(plan, err,
                              "a MOS transistor has 4 nodes (drain, gate, "
                              "source, bulk), not %d",
                              plan->element->nodes);
    if (!(l > 0.0) || !(w > 0.0))
        return yk_device_fail(plan, err,
                              "effective width %g and effective length %g (l "
                              "= %g less twice ld = %g) must be positive",
                              w, l, drawn, p[YK_MOS_LD].v);
    if (p[YK_MOS_TOX].v < 0.0 || p[YK_MOS_IS].v < 0.0 || p[YK_MOS_RD].v < 0.0 ||
        p[YK_MOS_RS].v < 0.0 || p[YK_MOS_RSH].v < 0.0 || e[NRD].v < 0.0 ||
        e[NRS].v < 0.0)
        return yk_device_fail(plan, err,
                              "tox, is, rd, rs, rsh, nrd, nrs must not be "
                              "negative");
    if (!(p[YK_MOS_FC].v >= 0.0 && p[YK_MOS_FC].v < 1.0) ||
        !(p[YK_MOS_MJ].v < 1.0) || !(p[YK_MOS_MJSW].v < 1.0))
        return yk_device_fail(plan, err,
                              "fc = %g must be in [0, 1), mj = %g and mjsw = "
                              "%g below 1",
                              p[YK_MOS_FC].v, p[YK_MOS_MJ].v, p[YK_MOS_MJSW].v);
    return YOKE_OK;
}

static void set_nodes(yk_device *device, yk_mos *t)
{
    device->nodes = device->terminals = 4;
    t->drain = 0;
    t->source = 2;
    if (t->d.g != 0.0) t->drain = yk_device_node(device, "drain");
    if (t->s.g != 0.0) t->source = yk_device_node(device, "source");
    yk_device_branch(device, 1, t->source);
    yk_device_branch(device, t->drain, t->source);
    yk_device_branch(device, 3, t->source);
    t->d.branch = t->s.branch = -1;
    if (t->d.g != 0.0) t->d.branch = yk_device_branch(device, 0, t->drain);
    if (t->s.g != 0.0) t->s.branch = yk_device_branch(device, 2, t->source);
    if (t->has_rates) yk_mos_add_rates(device);
}

yoke_status yk_mos_make(yk_device *device, const yk_device_plan *plan,
                        int level, yk_mos_size *size, yoke_err *err)
{
    yk_mos *t = device->data;
    const yk_given *p = plan->p, *e = plan->e;
    const yk_thermal th = yk_thermal_at(plan->t, plan->nominal);
    const double m = e[YK_E_M].v;
    const double drawn = size_of(plan, &e[L], &p[YK_MOS_L], "defl");
    const double l = drawn - 2.0 * p[YK_MOS_LD].v + p[YK_MOS_XL].v;
    const double w = size_of(plan, &e[W], &p[YK_MOS_W], "defw") -
                     2.0 * p[YK_MOS_WD].v + p[YK_MOS_XW].v;
    const double ratio = th.t / th.nominal, slow = ratio * sqrt(ratio);
    const bool by_area =
        p[YK_MOS_JS].v != 0.0 && e[AD].v != 0.0 && e[AS].v != 0.0;
    process r = { 0 };

    t->sign = plan->model->type[0] == 'p' ? -1.0 : 1.0;
    YK_TRY(check(plan, drawn, l, w, err));
    YK_TRY(from_process(&r, plan, level, t->sign, &th, err));

    t->vt = th.vt;
    t->gmin = plan->env->gmin;
    t->off = plan->element->off;
    t->beta = r.kp / slow * m * w / l;
    t->gamma = r.gamma;
    t->lambda = p[YK_MOS_LAMBDA].v;
    t->phi = yk_thermal_potential(&th, r.phi);
    if (!(t->phi > 0.0))
        return yk_device_fail(plan, err,
                              "the surface potential is %g V at %g C; it must "
                              "be positive",
                              t->phi, th.t - YK_ZERO_C);
    t->root_phi = sqrt(t->phi);
    t->is_level_3 = level == 3;
    t->vbi =
        t->sign *
        (p[YK_MOS_DELVTO].v + r.vto - t->sign * r.gamma * sqrt(r.phi) +
         0.5 * (th.gap_nominal - th.gap) + t->sign * 0.5 * (t->phi - r.phi));
    t->vto = t->vbi + r.gamma * t->root_phi;
    t->cox = r.per_area * l * m * w;
    t->overlap = p[YK_MOS_CGBO].v * m * l;

    set_side(&t->d, plan, &th, e[AD].v, e[PD].v, &p[YK_MOS_CBD], by_area);
    set_side(&t->s, plan, &th, e[AS].v, e[PS].v, &p[YK_MOS_CBS], by_area);
    t->d.overlap = p[YK_MOS_CGDO].v * m * w;
    t->s.overlap = p[YK_MOS_CGSO].v * m * w;
    t->d.g = series(plan, &p[YK_MOS_RD], e[NRD].v);
    t->s.g = series(plan, &p[YK_MOS_RS], e[NRS].v);
    t->has_charge = t->cox != 0.0 || t->overlap != 0.0 || t->d.overlap != 0.0 ||
                    t->s.overlap != 0.0 || t->d.has_charge || t->s.has_charge;
    t->has_rates = plan->env->meyer && t->cox != 0.0;
    set_nodes(device, t);
    *size = (yk_mos_size){
        .w = w, .l = l, .per_area = r.per_area, .mobility = r.mobility / slow
    };
    return YOKE_OK;
}
