/* comp/semiconductor/mobility.c -- mobilities in silicon at 300 K, low field.
 *
 *   Arora     N. D. Arora, J. R. Hauser, D. J. Roulston, Electron and hole
 *             mobilities in silicon as a function of concentration and
 *             temperature, IEEE Trans. Electron Devices 29 (1982) 292-295
 *   Masetti   G. Masetti, M. Severi, S. Solmi, Modeling of carrier mobility
 *             against carrier concentration in arsenic-, phosphorus-, and
 *             boron-doped silicon, IEEE Trans. Electron Devices 30 (1983)
 *             764-769; arsenic and boron
 *
 * Numbers are in the units of the papers, cm^2/(V s) and 1/cm^3.
 */
#include "comp/semiconductor/device.h"

#include <math.h>

static const double square_cm = 1e-4, per_cubic_cm = 1e6;

/* mu = low + span / (1 + (N / reference)^0.88) */
static double arora(bool holes, double doping)
{
    const double low = holes ? 54.3 : 88.0, span = holes ? 407.0 : 1252.0;
    const double reference = holes ? 2.35e17 : 1.26e17;

    return low + span / (1.0 + pow(doping / reference, 0.88));
}

typedef struct masetti {
    double low, low2, fall, most, pc, cr, cs, alpha, beta;
} masetti;

static double masetti_mobility(bool holes, double doping)
{
    static const masetti of[] = {
        { 52.2, 52.2, 43.4, 1417.0, 0.0, 9.68e16, 3.43e20, 0.680, 2.0 },
        { 44.9, 0.0, 29.0, 470.5, 9.23e16, 2.23e17, 6.10e20, 0.719, 2.0 },
    };
    const masetti *m = &of[holes];

    if (doping <= 0.0) return m->most - m->low2 + (m->pc > 0.0 ? 0.0 : m->low);
    return m->low * exp(-m->pc / doping) +
           (m->most - m->low2) / (1.0 + pow(doping / m->cr, m->alpha)) -
           m->fall / (1.0 + pow(m->cs / doping, m->beta));
}

double yk_mobility(yk_diode_mobility model, const yk_diode_carrier *carrier,
                   bool holes, double doping)
{
    const double n = fabs(doping) / per_cubic_cm;

    if (model == YK_MOBILITY_ARORA) return arora(holes, n) * square_cm;
    if (model == YK_MOBILITY_MASETTI)
        return masetti_mobility(holes, n) * square_cm;
    return carrier->mobility;
}
