/* comp/mechanism/multibody_force.c -- springs, loads and gravity.
 *
 * A spring between two points: with d = r_b - r_a, l = |d|, e = d/l, w = d'
 *
 *     f = k (1 - l0/l) d + c (e'w) e
 *
 * pulls at a, and -f at b: Q = -B'f with d' = B v.  Its derivatives are
 *
 *     df/dd = k (1 - l0/l) I + k (l0/l) e e' + c/l (e w'P + (e'w) P)
 *     df/dw = c e e',   P = I - e e',
 *
 * and B depends on the angles.
 */
#include "comp/mechanism/multibody.h"

#include <math.h>
#include <string.h>

typedef struct line {
    yk_arm a, b;
    double d[2], w[2], e[2], l, speed;
    double f[2], by_d[2][2], by_w[2][2];
} line;

static void law(const yk_plane_strut *c, line *z)
{
    /* A spring without length and damping needs no direction. */
    const double far = z->l > 0.0 ? 1.0 / z->l : 0.0;
    const double stiff = c->stiffness, rest = c->length * far;
    double cross[2];

    for (int i = 0; i < 2; i++) z->e[i] = z->d[i] * far;
    z->speed = yk_plane_dot(z->e, z->w);
    for (int i = 0; i < 2; i++) {
        z->f[i] =
            stiff * (1.0 - rest) * z->d[i] + c->damping * z->speed * z->e[i];
        cross[i] = z->w[i] - z->speed * z->e[i];
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const double one = i == j ? 1.0 : 0.0, ee = z->e[i] * z->e[j];
            z->by_d[i][j] =
                stiff * (1.0 - rest) * one + stiff * rest * ee +
                c->damping * far * (z->e[i] * cross[j] + z->speed * (one - ee));
            z->by_w[i][j] = c->damping * ee;
        }
}

/* B and dw/dq, two rows each. */
static void levers(const line *z, double wa, double wb, double B[2][YK_LOCAL],
                   double W[2][YK_LOCAL])
{
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < YK_LOCAL; j++) B[i][j] = W[i][j] = 0.0;
        B[i][i] = -1.0;
        B[i][3 + i] = 1.0;
        B[i][2] = -z->a.n[i];
        B[i][5] = z->b.n[i];
        W[i][2] = wa * z->a.p[i];
        W[i][5] = -wb * z->b.p[i];
    }
}

static void apply(const yk_plane_strut *c, const line *z, double wa, double wb,
                  yk_multibody_pull *out)
{
    const double stretch = z->l - c->length;
    double B[2][YK_LOCAL], W[2][YK_LOCAL];

    levers(z, wa, wb, B, W);
    for (int i = 0; i < YK_LOCAL; i++) {
        out->Q[i] = -(B[0][i] * z->f[0] + B[1][i] * z->f[1]);
        out->slope[i] =
            c->stiffness * stretch * (B[0][i] * z->e[0] + B[1][i] * z->e[1]);
        for (int k = 0; k < 2; k++)
            for (int m = 0; m < 2; m++)
                for (int j = 0; j < YK_LOCAL; j++) {
                    out->Kq[i][j] -= B[k][i] * (z->by_d[k][m] * B[m][j] +
                                                z->by_w[k][m] * W[m][j]);
                    out->Kv[i][j] -= B[k][i] * z->by_w[k][m] * B[m][j];
                }
    }
    out->Kq[2][2] -= yk_plane_dot(z->a.p, z->f);
    out->Kq[5][5] += yk_plane_dot(z->b.p, z->f);
    out->energy = 0.5 * c->stiffness * stretch * stretch;
}

yoke_status yk_strut_evaluate(const yk_multibody *s, int k, const double *q,
                              const double *v, yk_multibody_pull *out,
                              yoke_err *err)
{
    const yk_plane_strut *c = &s->strut[k];
    const yk_plane_point *a = &s->point[c->a], *b = &s->point[c->b];
    line z;

    memset(out, 0, sizeof *out);
    yk_arm_at(a, q, v, &z.a);
    yk_arm_at(b, q, v, &z.b);
    for (int i = 0; i < 2; i++) {
        z.d[i] = z.b.r[i] - z.a.r[i];
        z.w[i] = z.b.w[i] - z.a.w[i];
    }
    z.l = hypot(z.d[0], z.d[1]);
    if (!(z.l > 0.0) && (c->length != 0.0 || c->damping != 0.0))
        return yk_fail(err, YOKE_RETRY,
                       "the ends \"%s\" and \"%s\" of a spring are at the same "
                       "place: it has no direction there",
                       a->name, b->name);
    law(c, &z);
    apply(c, &z, a->body < 0 ? 0.0 : v[3 * a->body + 2],
          b->body < 0 ? 0.0 : v[3 * b->body + 2], out);
    return YOKE_OK;
}

void yk_torsion_evaluate(const yk_multibody *s, int k, const double *q,
                         const double *v, yk_multibody_pull *out)
{
    const yk_plane_torsion *c = &s->torsion[k];
    double l[YK_LOCAL], w[YK_LOCAL];

    memset(out, 0, sizeof *out);
    yk_gather(c->a, c->b, q, l);
    yk_gather(c->a, c->b, v, w);
    const double bent = l[5] - l[2] - c->angle;
    out->energy = 0.5 * c->stiffness * bent * bent;
    for (int i = 2; i < YK_LOCAL; i += 3) {
        const double sign = i == 2 ? -1.0 : 1.0;
        out->slope[i] = sign * c->stiffness * bent;
        out->Q[i] = -out->slope[i] - sign * c->damping * (w[5] - w[2]);
        for (int j = 2; j < YK_LOCAL; j += 3) {
            const double both = i == j ? 1.0 : -1.0;
            out->Kq[i][j] = -both * c->stiffness;
            out->Kv[i][j] = -both * c->damping;
        }
    }
}

void yk_load_value(const yk_multibody *s, int k, const double *u,
                   double value[2])
{
    const double *const from =
        s->input[k] >= 0 ? u + s->input[k] : s->acts + 2 * k;

    value[0] = from[0];
    value[1] = s->load[k].torque ? 0.0 : from[1];
}

static void add_load(const yk_multibody *s, int k, const double *q,
                     const double *v, const double *u, double *phi)
{
    const yk_plane_point *at = &s->point[s->load[k].point];
    double value[2];
    yk_arm arm;

    if (at->body < 0) return;
    yk_load_value(s, k, u, value);
    double *const to = phi + 3 * at->body;
    if (s->load[k].torque) {
        to[2] += value[0];
        return;
    }
    yk_arm_at(at, q, v, &arm);
    to[0] += value[0];
    to[1] += value[1];
    to[2] += yk_plane_dot(arm.n, value);
}

static void add_pull(int a, int b, const yk_multibody_pull *pull, double *phi)
{
    for (int i = 0; i < YK_LOCAL; i++) {
        const int j = yk_coordinate(a, b, i);
        if (j >= 0) phi[j] += pull->Q[i];
    }
}

yoke_status yk_forces(yk_multibody *s, double t, const double *q,
                      const double *v, const double *u, double *phi,
                      yoke_err *err)
{
    yk_multibody_pull pull;

    if (s->act) s->act(s->act_context, t, s->acts);
    for (int i = 0; i < s->bodies; i++)
        for (int j = 0; j < 2; j++)
            phi[3 * i + j] += s->mass[3 * i + j] * s->gravity[j];
    for (int k = 0; k < s->loads; k++) add_load(s, k, q, v, u, phi);
    for (int k = 0; k < s->struts; k++) {
        const yk_plane_strut *c = &s->strut[k];
        YK_TRY(yk_strut_evaluate(s, k, q, v, &pull, err));
        add_pull(s->point[c->a].body, s->point[c->b].body, &pull, phi);
    }
    for (int k = 0; k < s->torsions; k++) {
        yk_torsion_evaluate(s, k, q, v, &pull);
        add_pull(s->torsion[k].a, s->torsion[k].b, &pull, phi);
    }
    return YOKE_OK;
}
