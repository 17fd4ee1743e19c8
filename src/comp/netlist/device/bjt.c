/* comp/netlist/device/bjt.c -- the bipolar transistor of Gummel and Poon.
 *
 *     ic = (if - ir) / qb - ir / br - leak(vbc)
 *     ib = if / bf + leak(vbe) + ir / br + leak(vbc)
 *     qb = q1 (1 + (1 + 4 q2)^nkf) / 2,  q1 = 1 / (1 - vbc/vaf - vbe/var),
 *                                        q2 = if/ikf + ir/ikr
 *
 * with if = is (exp(vbe / nf vt) - 1), ir likewise in vbc.  The base resistance
 * depends on qb or, with irb, on ib.  Charges: tf' if / qb + depletion at the
 * emitter, tr ir + xcjc of the depletion charge at the collector, the rest of
 * it between the outer base and the collector, and the substrate junction.
 *
 * Beyond 1 - vbc/vaf - vbe/var = 0.01, where ngspice runs into a pole, q1 is
 * continued by its tangent.  The derivative of the base resistance is exact
 * here; ngspice leaves it out, which changes its iteration and its .ac, not
 * its dc.
 *
 * References: Gummel, Poon, BSTJ 49 (1970); ngspice 39 manual, chapter 8;
 * Antognetti, Massobrio, chapter 2.
 */
#include "comp/netlist/device/bjt.h"

#include <string.h>

/* A value and its derivatives by vbe and vbc. */
typedef struct jet {
    double v, e, c;
} jet;

/* Currents of a transistor and the base charge. */
typedef struct point {
    double i_f, g_f, i_r, g_r;
    jet qb, ic, ib, rb;
} point;

static jet early(const yk_bjt *p, double vbe, double vbc)
{
    const double least = 0.01;
    const double d = 1.0 - vbc * p->per_vaf - vbe * p->per_var;
    double q, slope; /* -dq/dd */

    if (d >= least) {
        q = 1.0 / d;
        slope = q * q;
    } else {
        slope = 1.0 / (least * least);
        q = (2.0 * least - d) * slope;
    }
    return (jet){ q, slope * p->per_var, slope * p->per_vaf };
}

static jet base_charge(const yk_bjt *p, double vbe, double vbc, const point *x)
{
    const jet q1 = early(p, vbe, vbc);
    double arg, root, slope; /* root = (1 + 4 q2)^nkf, slope by q2 */

    if (!p->has_knee) return q1;
    arg = 1.0 + 4.0 * (x->i_f * p->per_ikf + x->i_r * p->per_ikr);
    if (arg <= 1e-6) {
        root = p->has_nkf ? pow(1e-6, p->nkf) : 1e-3;
        slope = 0.0;
    } else if (p->has_nkf) {
        root = pow(arg, p->nkf);
        slope = 4.0 * p->nkf * root / arg;
    } else {
        root = sqrt(arg);
        slope = 2.0 / root;
    }
    const double half = 0.5 * (1.0 + root), k = 0.5 * q1.v * slope;
    return (jet){ q1.v * half, q1.e * half + k * x->g_f * p->per_ikf,
                  q1.c * half + k * x->g_r * p->per_ikr };
}

/* (tan z - z) / (z tan^2 z), by its series where that would cancel. */
static double crowding(double z, double *slope)
{
    if (z < 0.03) {
        const double z2 = z * z;
        *slope = -z * (8.0 / 45.0 + 16.0 / 315.0 * z2);
        return 1.0 / 3.0 - z2 * (4.0 / 45.0 + 4.0 / 315.0 * z2);
    }
    const double t = tan(z), dt = 1.0 + t * t;
    *slope = -1.0 / (z * z * t) - dt / (z * t * t) + 2.0 * dt / (t * t * t);
    return (t - z) / (z * t * t);
}

/* The base resistance. */
static jet base_resistance(const yk_bjt *p, const jet *qb, const jet *ib)
{
    const double span = p->rb - p->rbm;
    jet r = { p->rbm, 0.0, 0.0 };

    if (span == 0.0) return r;
    if (p->irb == 0.0) {
        const double k = -span / (qb->v * qb->v);
        r.v += span / qb->v;
        r.e = k * qb->e;
        r.c = k * qb->c;
        return r;
    }
    /* z reaches pi/2 at 7e9. */
    const double least = 1e-9, most = 1e8;
    const double a = fmin(fmax(ib->v / p->irb, least), most);
    const double u = sqrt(1.0 + 14.59025 * a), s = sqrt(a);
    const double z = 14.59025 * s / (2.4317 * (u + 1.0));
    double slope;
    r.v += 3.0 * span * crowding(z, &slope);
    if (a > least && a < most) {
        const double dz = 0.5 * z / (a * u);
        const double k = 3.0 * span * slope * dz / p->irb;
        r.e = k * ib->e;
        r.c = k * ib->c;
    }
    return r;
}

static void currents(const yk_bjt *p, double vbe, double vbc, point *x)
{
    double i_e = p->gmin * vbe, g_e = p->gmin;
    double i_c = p->gmin * vbc, g_c = p->gmin;

    yk_junction_at(p->is_be, p->vt_f, 0.0, vbe, &x->i_f, &x->g_f);
    yk_junction_at(p->is_bc, p->vt_r, 0.0, vbc, &x->i_r, &x->g_r);
    if (p->is_e != 0.0)
        yk_junction_at(p->is_e, p->vt_e, p->gmin, vbe, &i_e, &g_e);
    if (p->is_c != 0.0)
        yk_junction_at(p->is_c, p->vt_c, p->gmin, vbc, &i_c, &g_c);

    x->qb = base_charge(p, vbe, vbc, x);
    const double per_qb = 1.0 / x->qb.v;
    const double link = (x->i_f - x->i_r) * per_qb;
    i_c += x->i_r * p->per_beta_r;
    g_c += x->g_r * p->per_beta_r;
    x->ic = (jet){ link - i_c, (x->g_f - link * x->qb.e) * per_qb,
                   -(x->g_r + link * x->qb.c) * per_qb - g_c };
    x->ib = (jet){ x->i_f * p->per_beta_f + i_e + i_c,
                   x->g_f * p->per_beta_f + g_e, g_c };
    if (p->branch_b >= 0) x->rb = base_resistance(p, &x->qb, &x->ib);
}

/* Charge of the emitter junction with the forward diffusion charge. */
static jet emitter_charge(const yk_bjt *p, double vbe, double vbc,
                          const point *x)
{
    jet q = { 0 };

    yk_depletion_at(&p->be, vbe, &q.v, &q.e);
    if (p->tf == 0.0) return q;
    if (vbe <= 0.0) {
        q.v += p->tf * x->i_f;
        q.e += p->tf * x->g_f;
        return q;
    }
    /* i = if (1 + a) / qb, a = xtf exp(vbc/1.44vtf) (if / (if + itf))^2 */
    double a = p->xtf, a_e = p->xtf, i_c = 0.0;
    if (p->xtf != 0.0) {
        double slope = 1.0;
        if (p->per_vtf != 0.0) {
            a *= yk_exp(vbc * p->per_vtf, &slope);
            slope *= p->xtf * p->per_vtf;
        } else {
            slope = 0.0;
        }
        a_e = a;
        if (p->itf != 0.0) {
            const double z = x->i_f / (x->i_f + p->itf);
            a *= z * z;
            slope *= z * z;
            a_e = a * (3.0 - 2.0 * z);
        }
        i_c = x->i_f * slope;
    }
    const double per_qb = 1.0 / x->qb.v;
    const double i = x->i_f * (1.0 + a) * per_qb;
    q.v += p->tf * i;
    q.e += p->tf * (x->g_f * (1.0 + a_e) - i * x->qb.e) * per_qb;
    q.c += p->tf * (i_c - i * x->qb.c) * per_qb;
    return q;
}

/* ---- the device ---------------------------------------------------------- */

/* Adds `f` (derivatives by vbe, vbc) at node `plus`, less at `minus`. */
static void add(int width, int plus, int minus, double sign, double m,
                const jet *f, double *value, double *slope)
{
    if (value) {
        value[plus] += sign * m * f->v;
        value[minus] -= sign * m * f->v;
    }
    if (slope) {
        slope[plus * width] += m * f->e;
        slope[plus * width + 1] += m * f->c;
        slope[minus * width] -= m * f->e;
        slope[minus * width + 1] -= m * f->c;
    }
}

/* Adds a function of one branch voltage between its nodes. */
static void add_branch(const yk_device *d, int branch, double sign, double m,
                       double f, double g, double *value, double *slope)
{
    const int plus = d->plus[branch], minus = d->minus[branch];

    if (value) {
        value[plus] += sign * m * f;
        value[minus] -= sign * m * f;
    }
    if (slope) {
        slope[plus * d->branches + branch] += m * g;
        slope[minus * d->branches + branch] -= m * g;
    }
}

static void bjt_current(const yk_device *device, const double *b,
                        const point *x, double *i, double *di)
{
    const yk_bjt *p = device->data;
    const int width = device->branches;
    const double v = p->sign_substrate * b[p->branch_s];
    double is = p->gmin * v, gs = p->gmin;

    add(width, p->collector, p->emitter, p->sign, p->m, &x->ic, i, di);
    add(width, p->base, p->emitter, p->sign, p->m, &x->ib, i, di);
    if (p->is_s != 0.0) yk_junction_at(p->is_s, p->vt_s, p->gmin, v, &is, &gs);
    add_branch(device, p->branch_s, p->sign_substrate, p->m, is, gs, i, di);
    if (p->branch_b >= 0) {
        const double g = 1.0 / x->rb.v, current = g * p->sign * b[p->branch_b];
        const jet by_r = { 0.0, -g * current * x->rb.e,
                           -g * current * x->rb.c };
        add_branch(device, p->branch_b, p->sign, p->m, current, g, i, di);
        add(width, YK_BJT_B, p->base, p->sign, p->m, &by_r, NULL, di);
    }
    if (p->branch_c >= 0)
        yk_device_resistor(device, p->branch_c, p->m * p->gc, b, i, di);
    if (p->branch_e >= 0)
        yk_device_resistor(device, p->branch_e, p->m * p->ge, b, i, di);
}

static void bjt_charge(const yk_device *device, const double *b, const point *x,
                       double *q, double *dq)
{
    const yk_bjt *p = device->data;
    const int width = device->branches;
    const double vbe = p->sign * b[0], vbc = p->sign * b[1];
    const jet qe = emitter_charge(p, vbe, vbc, x);
    jet qc = { 0 };
    double qs, cs;

    yk_depletion_at(&p->bc, vbc, &qc.v, &qc.c);
    qc.v += p->tr * x->i_r;
    qc.c += p->tr * x->g_r;
    add(width, p->base, p->emitter, p->sign, p->m, &qe, q, dq);
    add(width, p->base, p->collector, p->sign, p->m, &qc, q, dq);
    if (p->s.c0 != 0.0) {
        yk_depletion_at(&p->s, p->sign_substrate * b[p->branch_s], &qs, &cs);
        add_branch(device, p->branch_s, p->sign_substrate, p->m, qs, cs, q, dq);
    }
    if (p->bx.c0 != 0.0) { /* outer base to inner collector */
        const int k = p->branch_b;
        const double vx = vbc + (k >= 0 ? p->sign * b[k] : 0.0);
        jet qx = { 0 };
        yk_depletion_at(&p->bx, vx, &qx.v, &qx.c);
        add(width, YK_BJT_B, p->collector, p->sign, p->m, &qx, q, dq);
        if (dq && k >= 0) {
            dq[YK_BJT_B * width + k] += p->m * qx.c;
            dq[p->collector * width + k] -= p->m * qx.c;
        }
    }
}

static void bjt_load(const yk_device *device, const double *b, double *i,
                     double *q, double *di, double *dq)
{
    const yk_bjt *p = device->data;
    const size_t row = (size_t)device->nodes * sizeof(double);
    const size_t all = row * (size_t)device->branches;
    point x;

    if (i) memset(i, 0, row);
    if (q) memset(q, 0, row);
    if (di) memset(di, 0, all);
    if (dq) memset(dq, 0, all);
    currents(p, p->sign * b[0], p->sign * b[1], &x);
    bjt_current(device, b, &x, i, di);
    if ((q || dq) && p->has_charge) bjt_charge(device, b, &x, q, dq);
}

static bool bjt_limit(const yk_device *device, const double *old, double *b)
{
    const yk_bjt *p = device->data;
    const double e = b[0], c = b[1], s = b[p->branch_s];
    const double so = p->sign_substrate * old[p->branch_s];
    bool limited;

    b[0] = p->sign * yk_limit_junction(p->sign * e, p->sign * old[0], p->vt,
                                       p->critical, &limited);
    b[1] = p->sign * yk_limit_junction(p->sign * c, p->sign * old[1], p->vt,
                                       p->critical, &limited);
    b[p->branch_s] =
        p->sign_substrate * yk_limit_junction(p->sign_substrate * s, so, p->vt,
                                              p->critical_s, &limited);
    return b[0] != e || b[1] != c || b[p->branch_s] != s;
}

static bool bjt_settled(const yk_device *device, const double *b,
                        const double *db, double rtol)
{
    const yk_bjt *p = device->data;
    const int s = p->branch_s;

    return yk_junction_settled(p->is_be, p->vt_f, p->sign * b[0],
                               p->sign * db[0], rtol) &&
           yk_junction_settled(p->is_bc, p->vt_r, p->sign * b[1],
                               p->sign * db[1], rtol) &&
           yk_junction_settled(p->is_s, p->vt_s, p->sign_substrate * b[s],
                               p->sign_substrate * db[s], rtol);
}

static void bjt_begin(const yk_device *device, double *b)
{
    const yk_bjt *p = device->data;

    for (int k = 0; k < device->branches; k++) b[k] = 0.0;
    if (!p->off) b[0] = p->sign * p->critical;
}

const yk_device_ops yk_bjt_ops = {
    .kind = "bipolar transistor",
    .load = bjt_load,
    .limit = bjt_limit,
    .settled = bjt_settled,
    .begin = bjt_begin,
};
