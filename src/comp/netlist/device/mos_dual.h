/* comp/netlist/device/mos_dual.h -- values that carry their derivatives by vgs,
 * vds, vbs. */
#ifndef YK_MOS_DUAL_H
#define YK_MOS_DUAL_H

#include <math.h>

typedef struct yk_dual {
    double v, g, d, b;
} yk_dual;

static inline yk_dual yk_dual_of(double v)
{
    return (yk_dual){ v, 0.0, 0.0, 0.0 };
}

/* a + k b */
static inline yk_dual yk_dual_add(yk_dual a, double k, yk_dual b)
{
    return (yk_dual){ a.v + k * b.v, a.g + k * b.g, a.d + k * b.d,
                      a.b + k * b.b };
}

/* c + k a */
static inline yk_dual yk_dual_line(double c, double k, yk_dual a)
{
    return (yk_dual){ c + k * a.v, k * a.g, k * a.d, k * a.b };
}

static inline yk_dual yk_dual_mul(yk_dual a, yk_dual b)
{
    return (yk_dual){ a.v * b.v, a.g * b.v + a.v * b.g, a.d * b.v + a.v * b.d,
                      a.b * b.v + a.v * b.b };
}

/* f(a) with derivative s */
static inline yk_dual yk_dual_chain(double f, double s, yk_dual a)
{
    return (yk_dual){ f, s * a.g, s * a.d, s * a.b };
}

static inline yk_dual yk_dual_inverse(yk_dual a)
{
    const double r = 1.0 / a.v;
    return yk_dual_chain(r, -r * r, a);
}

static inline yk_dual yk_dual_root(yk_dual a)
{
    const double r = sqrt(a.v);
    return yk_dual_chain(r, 0.5 / r, a);
}

/* From derivatives by (vgd, -vds, vbd) to those by (vgs, vds, vbs). */
static inline yk_dual yk_dual_exchange(yk_dual a)
{
    return (yk_dual){ a.v, a.g, -(a.g + a.d + a.b), a.b };
}

#endif
