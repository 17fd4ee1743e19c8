/* comp/field/material.c -- the curve H(B) of an isotropic material.
 *
 * Tables are interpolated as H(B) by the monotone cubic spline of Fritsch and
 * Butland: at inner points the weighted harmonic mean of the slopes on both
 * sides, at the ends the three-point formula, limited.  Behind the last point,
 * and for Brauer's law (Brauer 1975) from the point on where dH/dB has grown to
 * 1/mu_0, H continues with that slope: iron that is full behaves like air.
 *
 * H increases strictly with B, so the energy is strictly convex and the field
 * has one solution.
 */
#include "comp/field/material.h"
#include "base/vector.h"

#include <math.h>

static const double nu0 = 1.0 / YK_MU0;

void yk_bh_clear(yk_bh *bh)
{
    YK_FREE(bh->b, bh->coef, bh->energy);
    *bh = (yk_bh){ .nu = 0.0 };
}

/* ---- linear and Brauer --------------------------------------------------- */

static yoke_status make_linear(yk_bh *bh, const yk_field_material *m,
                               yoke_err *err)
{
    const double mu_r = m->mu_r == 0.0 ? 1.0 : m->mu_r;

    if (!(mu_r >= 1e-3 && mu_r <= 1e7))
        return yk_fail(err, YOKE_E_MODEL,
                       "material \"%.100s\": mu_r = %g is not between 1e-3 and "
                       "1e7",
                       m->name, mu_r);
    bh->nu = nu0 / mu_r;
    return YOKE_OK;
}

static double brauer_slope(const double k[3], double b)
{
    const double b2 = b * b;

    return k[0] * exp(k[1] * b2) * (1.0 + 2.0 * k[1] * b2) + k[2];
}

static yoke_status make_brauer(yk_bh *bh, const yk_field_material *m,
                               yoke_err *err)
{
    const double *k = m->brauer;
    double low = 0.0, high = 1.0;

    if (!(k[0] >= 0.0 && k[1] > 0.0 && k[2] > 0.0 && k[0] + k[2] < nu0) ||
        !isfinite(k[1]))
        return yk_fail(err, YOKE_E_MODEL,
                       "material \"%.100s\": Brauer's law with k1 = %g, k2 = "
                       "%g, k3 = %g; it needs k1 >= 0, k2 > 0, k3 > 0 and k1 + "
                       "k3 < 1/mu_0 = %.6g",
                       m->name, k[0], k[1], k[2], nu0);
    while (brauer_slope(k, high) < nu0 && high < 100.0) high *= 2.0;
    for (int step = 0; step < 200; step++) {
        const double middle = 0.5 * (low + high);
        if (brauer_slope(k, middle) < nu0)
            low = middle;
        else
            high = middle;
    }
    for (int j = 0; j < 3; j++) bh->brauer[j] = k[j];
    const double b2 = low * low;
    bh->b_end = low;
    bh->h_end = (k[0] * exp(k[1] * b2) + k[2]) * low;
    bh->w_end = 0.5 * (k[0] * expm1(k[1] * b2) / k[1] + k[2] * b2);
    return YOKE_OK;
}

/* ---- tables -------------------------------------------------------------- */

static yoke_status check_table(const yk_field_material *m, yoke_err *err)
{
    const double(*p)[2] = m->point;

    if (m->points < 3)
        return yk_fail(err, YOKE_E_MODEL,
                       "material \"%.100s\": the table has %d points; it needs "
                       "3",
                       m->name, m->points);
    if (p[0][0] != 0.0 || p[0][1] != 0.0)
        return yk_fail(err, YOKE_E_MODEL,
                       "material \"%.100s\": the table begins with B = %g, H = "
                       "%g; it must begin with 0, 0",
                       m->name, p[0][0], p[0][1]);
    for (int k = 1; k < m->points; k++) {
        if (!(p[k][0] > p[k - 1][0] && p[k][1] > p[k - 1][1]) ||
            !isfinite(p[k][0]) || !isfinite(p[k][1]))
            return yk_fail(err, YOKE_E_MODEL,
                           "material \"%.100s\": point %d of the table, B = "
                           "%g, H = %g, does not lie above point %d, B = %g, "
                           "H = %g: both must increase",
                           m->name, k + 1, p[k][0], p[k][1], k, p[k - 1][0],
                           p[k - 1][1]);
        if (p[k][0] > 10.0)
            return yk_fail(err, YOKE_E_MODEL,
                           "material \"%.100s\": point %d of the table has B = "
                           "%g T; the table is pairs of B in T and H in A/m",
                           m->name, k + 1, p[k][0]);
    }
    return YOKE_OK;
}

/* Slope at an end from the two intervals next to it, limited so that the curve
 * stays monotone and nowhere flat. */
static double end_slope(double h0, double h1, double d0, double d1)
{
    const double d = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);

    return fmin(fmax(d, 0.1 * d0), 3.0 * d0);
}

static double slope_at(const yk_field_material *m, int k)
{
    const double(*p)[2] = m->point;
    const int last = m->points - 1;
    const int a = k == 0 ? 0 : k == last ? last - 1 : k - 1;
    const int b = k == 0 ? 1 : k == last ? last - 2 : k;
    const double ha = p[a + 1][0] - p[a][0], hb = p[b + 1][0] - p[b][0];
    const double da = (p[a + 1][1] - p[a][1]) / ha,
                 db = (p[b + 1][1] - p[b][1]) / hb;

    if (k == 0 || k == last) return end_slope(ha, hb, da, db);
    const double wa = 2.0 * hb + ha, wb = hb + 2.0 * ha;
    return (wa + wb) / (wa / da + wb / db);
}

static double piece_energy(const double *c, double s)
{
    return s * (c[0] + s * (c[1] / 2.0 + s * (c[2] / 3.0 + s * c[3] / 4.0)));
}

static yoke_status make_table(yk_bh *bh, const yk_field_material *m,
                              yoke_err *err)
{
    const double(*p)[2] = m->point;
    const int last = m->points - 1;

    YK_TRY(check_table(m, err));
    YK_TRY(yk_doubles(&bh->b, (size_t)m->points, err));
    YK_TRY(yk_doubles(&bh->coef, 4 * (size_t)m->points, err));
    YK_TRY(yk_doubles(&bh->energy, (size_t)m->points, err));
    bh->points = m->points;
    for (int k = 0; k <= last; k++) {
        double *c = &bh->coef[4 * k];
        bh->b[k] = p[k][0];
        c[0] = p[k][1];
        c[1] = k < last ? slope_at(m, k) : nu0;
        if (k == last) break;
        const double h = p[k + 1][0] - p[k][0];
        const double d = (p[k + 1][1] - p[k][1]) / h, next = slope_at(m, k + 1);
        c[2] = (3.0 * d - 2.0 * c[1] - next) / h;
        c[3] = (c[1] + next - 2.0 * d) / (h * h);
        bh->energy[k + 1] = bh->energy[k] + piece_energy(c, h);
    }
    return YOKE_OK;
}

yoke_status yk_bh_create(yk_bh *out, const yk_field_material *m, yoke_err *err)
{
    out->kind = m->bh;
    if (m->bh == YK_BH_LINEAR) return make_linear(out, m, err);
    if (m->remanence[0] != 0.0 || m->remanence[1] != 0.0)
        return yk_fail(err, YOKE_E_MODEL,
                       "material \"%.100s\" has a remanence and a curve; a "
                       "magnet has mu_r",
                       m->name);
    return m->bh == YK_BH_BRAUER ? make_brauer(out, m, err)
                                 : make_table(out, m, err);
}

/* ---- values -------------------------------------------------------------- */

static yk_bh_point straight(double b, double b_end, double h_end, double w_end)
{
    const double s = b - b_end, h = h_end + nu0 * s;

    return (yk_bh_point){ h / b, nu0, 0.0,
                          w_end + s * (h_end + 0.5 * nu0 * s) };
}

static yk_bh_point brauer(const yk_bh *bh, double b)
{
    const double *k = bh->brauer, b2 = b * b;

    if (b > bh->b_end) return straight(b, bh->b_end, bh->h_end, bh->w_end);
    const double e = k[0] * exp(k[1] * b2);
    return (yk_bh_point){
        .nu = e + k[2],
        .slope = e * (1.0 + 2.0 * k[1] * b2) + k[2],
        .bend = e * k[1] * b * (6.0 + 4.0 * k[1] * b2),
        .energy = 0.5 * (k[0] * expm1(k[1] * b2) / k[1] + k[2] * b2),
    };
}

static yk_bh_point table(const yk_bh *bh, double b)
{
    const int k = yk_last_below(bh->b, bh->points, 1, b), low = k < 0 ? 0 : k;
    const double *c = &bh->coef[4 * low];
    const double s = b - bh->b[low];
    const double h = c[0] + s * (c[1] + s * (c[2] + s * c[3]));
    return (yk_bh_point){
        .nu = b > 0.0 ? h / b : c[1],
        .slope = c[1] + s * (2.0 * c[2] + s * 3.0 * c[3]),
        .bend = 2.0 * c[2] + s * 6.0 * c[3],
        .energy = bh->energy[low] + piece_energy(c, s),
    };
}

yk_bh_point yk_bh_eval(const yk_bh *bh, double b)
{
    if (bh->kind == YK_BH_BRAUER) return brauer(bh, b);
    if (bh->kind == YK_BH_TABLE) return table(bh, b);
    return (yk_bh_point){ bh->nu, bh->nu, 0.0, 0.5 * bh->nu * b * b };
}
