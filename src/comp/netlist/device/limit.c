/* comp/netlist/device/limit.c -- how far a voltage may move in one Newton step.
 *
 * The functions of SPICE2 in the form that ngspice 39 has.
 * Reference: Nagel, SPICE2, sections 4.2 and 4.3.
 */
#include "comp/netlist/device/device.h"

#include <math.h>

double yk_limit_junction(double v, double old, double vt, double critical,
                         bool *limited)
{
    const double step = v - old;

    *limited = true;
    if (v > critical && fabs(step) > 2.0 * vt) {
        /* Follow the current rather than the voltage. */
        if (old <= 0.0) return vt * log(v / vt);
        if (step > 0.0) return old + vt * (2.0 + log(step / vt - 2.0));
        return old - vt * (2.0 + log(2.0 - step / vt));
    }
    if (v < 0.0) {
        const double least = old > 0.0 ? -old - 1.0 : 2.0 * old - 1.0;
        if (v < least) return least;
    }
    *limited = false;
    return v;
}

double yk_limit_gate(double v, double old, double threshold)
{
    const double far = 2.0 * fabs(old - threshold) + 2.0;
    const double near = fabs(old - threshold) + 1.0;
    const double strong = threshold + 3.5;
    const double step = v - old;

    if (old >= strong) { /* well on */
        if (step > 0.0) return fmin(v, old + far);
        if (v >= strong) return fmax(v, old - near);
        return fmax(v, threshold + 2.0);
    }
    if (old >= threshold) {
        if (step > 0.0) return fmin(v, threshold + 4.0);
        return fmax(v, threshold - 0.5);
    }
    if (step <= 0.0) return fmax(v, old - far); /* off */
    if (v <= threshold + 0.5) return fmin(v, old + near);
    return threshold + 0.5;
}

double yk_limit_drain(double v, double old)
{
    if (old >= 3.5) {
        if (v > old) return fmin(v, 3.0 * old + 2.0);
        return v < 3.5 ? fmax(v, 2.0) : v;
    }
    return v > old ? fmin(v, 4.0) : fmax(v, -0.5);
}
