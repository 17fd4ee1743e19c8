/* comp/netlist/device/junction.h -- what all junctions have in common: thermal
 * voltage, temperature, the exponential, depletion charge.
 *
 * Numbers are those of ngspice 39, so that results agree with it.
 */
#ifndef YK_JUNCTION_H
#define YK_JUNCTION_H

#include <math.h>
#include <stdbool.h>

#define YK_CHARGE    1.6021766208e-19 /* C */
#define YK_BOLTZMANN 1.38064852e-23   /* J/K */
#define YK_K_OVER_Q  (YK_BOLTZMANN / YK_CHARGE)
#define YK_ZERO_C    273.15
#define YK_REFERENCE (27.0 + YK_ZERO_C) /* K, of the fits for silicon */
#define YK_EULER     2.7182818284590452353602874713527

/* Everything that depends on the temperature T of the device and the
 * temperature at which its parameters were measured, and on nothing else. */
typedef struct yk_thermal {
    double t, nominal;         /* K */
    double vt, vt_nominal;     /* kT/q */
    double gap, gap_nominal;   /* V, band gap of silicon */
    double rise, rise_nominal; /* T / 300.15 K */
    double shift, shift_nominal;
} yk_thermal;

yk_thermal yk_thermal_at(double t, double nominal);

/* A junction potential at T, from the one at the nominal temperature. */
double yk_thermal_potential(const yk_thermal *th, double potential);

/* Factor of a junction capacitance with grading coefficient m. */
double yk_thermal_capacitance(const yk_thermal *th, double potential, double m);

/* Charge of a junction with capacitance c0 (1 - v/vj)^-m below v = fc vj and
 * the tangent of that curve above. */
typedef struct yk_depletion {
    double c0, per_vj, m, edge;
    double scale;       /* c0 vj / (1 - m) */
    double f2, f3h, f4; /* above the edge: q = f4 + v (f2 + v f3h) */
    bool root;          /* m = 1/2 */
} yk_depletion;

yk_depletion yk_depletion_make(double c0, double vj, double m, double fc);

static inline void yk_depletion_at(const yk_depletion *d, double v, double *q,
                                   double *c)
{
    if (d->c0 == 0.0) {
        *q = *c = 0.0;
    } else if (v < d->edge) {
        const double arg = 1.0 - v * d->per_vj;
        if (d->root) {
            const double s = sqrt(arg);
            *q = d->scale * (1.0 - s);
            *c = d->c0 / s;
        } else {
            const double s = pow(arg, -d->m);
            *q = d->scale * (1.0 - arg * s);
            *c = d->c0 * s;
        }
    } else {
        *q = d->f4 + v * (d->f2 + v * d->f3h);
        *c = d->f2 + 2.0 * v * d->f3h;
    }
}

/* exp, continued by its tangent above 200 (1e86: no current of a junction gets
 * there), so that nothing overflows for 1000 V. */
static inline double yk_exp(double x, double *slope)
{
    const double top = 200.0;
    if (x < top) return *slope = exp(x);
    const double e = 7.22597376812574925817747704219e86; /* exp(200) */
    *slope = e;
    return e * (1.0 + (x - top));
}

/* Current is (exp(v/vt) - 1) + gmin v, below -3 vt with the tail
 * -is (1 + (3 vt / (e v))^3), which has the same value and slope there. */
static inline void yk_junction_at(double is, double vt, double gmin, double v,
                                  double *i, double *g)
{
    if (v >= -3.0 * vt) {
        double slope;
        const double e = yk_exp(v / vt, &slope);
        *i = is * (e - 1.0) + gmin * v;
        *g = is * slope / vt + gmin;
    } else {
        const double a = 3.0 * vt / (v * YK_EULER), a3 = a * a * a;
        *i = gmin * v - is * (1.0 + a3);
        *g = gmin + 3.0 * is * a3 / v;
    }
}

/* The same for the bulk junctions of MOS transistors, where ngspice lets the
 * exponential end at -3 vt with a jump of 0.05 is; here it fades out as
 * is e^-3 ((v + 6 vt) / 3 vt)^3, of the same value and slope at -3 vt. */
static inline void yk_bulk_junction_at(double is, double vt, double gmin,
                                       double v, double *i, double *g)
{
    if (v >= -3.0 * vt) {
        yk_junction_at(is, vt, gmin, v, i, g);
    } else {
        const double e3 = 0.049787068367863942979; /* exp(-3) */
        const double z = fmax(v / (3.0 * vt) + 2.0, 0.0), z2 = is * e3 * z * z;
        *i = gmin * v - is + z2 * z;
        *g = gmin + z2 / vt;
    }
}

/* Is the current of a junction linear over the last move dv to v, to the part
 * rtol or 1 pA?  The remainder is i (dv/vt)^2 / 2 at most. */
static inline bool yk_junction_settled(double is, double vt, double v,
                                       double dv, double rtol)
{
    const double z = 0.5 * (dv / vt) * (dv / vt);
    double slope;

    if (z <= rtol) return true;
    const double bend = is * yk_exp(fmax(v, v - dv) / vt, &slope) * z;
    return bend <= 1e-12 + rtol * is * yk_exp(v / vt, &slope);
}

/* The voltage above which pnjlim acts. */
static inline double yk_junction_critical(double is, double vt)
{
    return vt * log(vt / (sqrt(2.0) * is));
}

#endif
