/* comp/netlist/device/junction.c -- temperature and depletion charge of
 * junctions.
 *
 * The band gap of silicon in V is 1.16 - 7.02e-4 T^2 / (T + 1108); with the
 * intrinsic density n_i^2 ~ T^3 exp(-gap/kT) a built-in potential changes as
 *
 *     phi(T) = T/T0 phi(T0) - 2 vt (1.5 ln(T/T0) + q/2k (gap0/T0 - gap/T)),
 *
 * where T0 = 300.15 K and gap0 = 1.1150877 V.  The capacitance changes by
 * 1 + m (4e-4 (T - T0) - (phi(T) - phi(T0)) / phi(T0)).
 *
 * Reference: Antognetti, Massobrio, Semiconductor device modeling with SPICE,
 * 2nd ed., section 1.8; Nagel, appendix 3.
 */
#include "comp/netlist/device/junction.h"

static double gap_at(double t)
{
    return 1.16 - 7.02e-4 * t * t / (t + 1108.0);
}

static double shift_at(double t)
{
    const double arg = 1.1150877 / (2.0 * YK_BOLTZMANN * YK_REFERENCE) -
                       gap_at(t) / (2.0 * YK_BOLTZMANN * t);

    return -2.0 * YK_K_OVER_Q * t *
           (1.5 * log(t / YK_REFERENCE) + YK_CHARGE * arg);
}

yk_thermal yk_thermal_at(double t, double nominal)
{
    return (yk_thermal){
        .t = t,
        .nominal = nominal,
        .vt = YK_K_OVER_Q * t,
        .vt_nominal = YK_K_OVER_Q * nominal,
        .gap = gap_at(t),
        .gap_nominal = gap_at(nominal),
        .rise = t / YK_REFERENCE,
        .rise_nominal = nominal / YK_REFERENCE,
        .shift = shift_at(t),
        .shift_nominal = shift_at(nominal),
    };
}

static double potential_at_reference(const yk_thermal *th, double potential)
{
    return (potential - th->shift_nominal) / th->rise_nominal;
}

double yk_thermal_potential(const yk_thermal *th, double potential)
{
    return th->rise * potential_at_reference(th, potential) + th->shift;
}

double yk_thermal_capacitance(const yk_thermal *th, double potential, double m)
{
    const double p0 = potential_at_reference(th, potential);
    const double before = (potential - p0) / p0;
    const double after = (yk_thermal_potential(th, potential) - p0) / p0;

    return (1.0 + m * (4e-4 * (th->t - YK_REFERENCE) - after)) /
           (1.0 + m * (4e-4 * (th->nominal - YK_REFERENCE) - before));
}

yk_depletion yk_depletion_make(double c0, double vj, double m, double fc)
{
    yk_depletion d = { .c0 = c0, .per_vj = 1.0 / vj, .m = m, .edge = fc * vj };
    const double s = pow(1.0 - fc, -1.0 - m);

    d.root = m == 0.5;
    d.scale = c0 * vj / (1.0 - m);
    d.f2 = c0 * s * (1.0 - fc * (1.0 + m));
    d.f3h = 0.5 * c0 * s * m / vj;
    d.f4 = d.scale * (1.0 - pow(1.0 - fc, 1.0 - m)) -
           d.edge * (d.f2 + d.edge * d.f3h);
    return d;
}
