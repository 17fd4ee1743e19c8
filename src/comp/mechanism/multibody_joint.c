/* comp/mechanism/multibody_joint.c -- the rows of joints, to third derivatives.
 *
 * A point of a body with centre c and angle th is r = c + p, p = R(th) s, and
 * with n = dp/dth also dn/dth = -p.  Points that stay together, r_b - r_a = 0,
 * are linear but for the angles, each by itself.
 *
 * The distance of r_b from an axis through r_a with the normal e = R(th_a) e_0:
 *
 *     e'(c_b - c_a) + f(th_b - th_a) - e_0's_a,   f = e'p_b,  f'' = -f.
 */
#include "comp/mechanism/multibody.h"

#include <math.h>
#include <string.h>

void yk_arm_at(const yk_plane_point *point, const double *q, const double *v,
               yk_arm *out)
{
    static const double still[3] = { 0.0, 0.0, 0.0 };
    const double *const at = point->body < 0 ? still : q + 3 * point->body;
    const double *const by = point->body < 0 ? still : v + 3 * point->body;
    const double c = cos(at[2]), s = sin(at[2]);

    out->p[0] = c * point->x - s * point->y;
    out->p[1] = s * point->x + c * point->y;
    out->n[0] = -out->p[1];
    out->n[1] = out->p[0];
    for (int i = 0; i < 2; i++) {
        out->r[i] = at[i] + out->p[i];
        out->w[i] = by[i] + by[2] * out->n[i];
    }
}

void yk_gather(int a, int b, const double *z, double local[YK_LOCAL])
{
    for (int i = 0; i < YK_LOCAL; i++) {
        const int j = yk_coordinate(a, b, i);
        local[i] = j < 0 ? 0.0 : z[j];
    }
}

double yk_row_along(const double G[YK_LOCAL], const double z[YK_LOCAL])
{
    double sum = 0.0;

    for (int i = 0; i < YK_LOCAL; i++) sum += G[i] * z[i];
    return sum;
}

bool yk_row_has(yk_multibody_row_kind kind, int i)
{
    if (kind == YK_ROW_ACROSS || i % 3 == 2) return true;
    return (kind == YK_ROW_X && i % 3 == 0) || (kind == YK_ROW_Y && i % 3 == 1);
}

bool yk_row_bends(yk_multibody_row_kind kind, int i, int j)
{
    if (kind == YK_ROW_ANGLE) return false;
    if (i == j && i % 3 == 2) return true;
    return kind == YK_ROW_ACROSS && (i == 2 || j == 2);
}

static void together(const yk_multibody_row *row, int c, const double *q,
                     const double *v, const double w[YK_LOCAL],
                     yk_multibody_row_at *out)
{
    yk_arm a, b;

    yk_arm_at(&row->a, q, v, &a);
    yk_arm_at(&row->b, q, v, &b);
    out->value = b.r[c] - a.r[c];
    out->G[c] = -1.0;
    out->G[3 + c] = 1.0;
    out->G[2] = -a.n[c];
    out->G[5] = b.n[c];
    out->H[2][2] = a.p[c];
    out->H[5][5] = -b.p[c];
    out->K[2] = w[2] * w[2] * a.n[c];
    out->K[5] = -w[5] * w[5] * b.n[c];
}

static void across(const yk_multibody_row *row, const double *q,
                   const double *v, const double l[YK_LOCAL],
                   const double w[YK_LOCAL], yk_multibody_row_at *out)
{
    const double c = cos(l[2]), s = sin(l[2]);
    const double e[2] = { c * row->normal[0] - s * row->normal[1],
                          s * row->normal[0] + c * row->normal[1] };
    const double m[2] = { -e[1], e[0] }; /* de/dangle */
    const double d[2] = { l[3] - l[0], l[4] - l[1] };
    const double speed[2] = { w[3] - w[0], w[4] - w[1] };
    const double turn = w[5] - w[2];
    const double own[2] = { row->a.x, row->a.y };
    yk_arm b;

    yk_arm_at(&row->b, q, v, &b);
    const double f = yk_plane_dot(e, b.p), df = yk_plane_dot(e, b.n);
    out->value = yk_plane_dot(e, d) + f - yk_plane_dot(row->normal, own);
    for (int i = 0; i < 2; i++) {
        out->G[i] = -e[i];
        out->G[3 + i] = e[i];
        out->H[i][2] = out->H[2][i] = -m[i];
        out->H[3 + i][2] = out->H[2][3 + i] = m[i];
        out->K[i] = w[2] * w[2] * e[i];
        out->K[3 + i] = -w[2] * w[2] * e[i];
    }
    out->G[2] = yk_plane_dot(m, d) - df;
    out->G[5] = df;
    out->H[2][2] = -yk_plane_dot(e, d) - f;
    out->H[2][5] = out->H[5][2] = f;
    out->H[5][5] = -f;
    out->K[2] = -2.0 * w[2] * yk_plane_dot(e, speed) -
                w[2] * w[2] * yk_plane_dot(m, d) + turn * turn * df;
    out->K[5] = -turn * turn * df;
}

static void kept(const yk_multibody_row *row, const double l[YK_LOCAL],
                 yk_multibody_row_at *out)
{
    out->value = l[5] - l[2] - row->offset;
    out->G[2] = -1.0;
    out->G[5] = 1.0;
}

void yk_row_evaluate(const yk_multibody *s, int k, const double *q,
                     const double *v, yk_multibody_row_at *out)
{
    const yk_multibody_row *row = &s->row[k];
    double l[YK_LOCAL], w[YK_LOCAL];

    memset(out, 0, sizeof *out);
    yk_gather(row->a.body, row->b.body, q, l);
    yk_gather(row->a.body, row->b.body, v, w);
    switch (row->kind) {
    case YK_ROW_X:
        together(row, 0, q, v, w, out);
        break;
    case YK_ROW_Y:
        together(row, 1, q, v, w, out);
        break;
    case YK_ROW_ACROSS:
        across(row, q, v, l, w, out);
        break;
    case YK_ROW_ANGLE:
        kept(row, l, out);
        break;
    }
    for (int i = 0; i < YK_LOCAL; i++)
        out->bend += w[i] * yk_row_along(out->H[i], w);
    if (row->drive < 0) return;
    const double *const d = s->leads + 3 * row->drive;
    out->value -= d[0];
    out->rate -= d[1];
    out->bend -= d[2];
}

void yk_multibody_drives(yk_multibody *s, double t)
{
    if (s->drives > 0 && s->lead) s->lead(s->lead_context, t, s->leads);
}
