/* comp/mechanism/multibody_write.c -- Jacobians and outputs of bodies.
 *
 * With H of each row of the joints, and K = d/dq (v' H v):
 *
 *     d/dq (G' lambda) = lambda H,     d/dq (G v) = H v,
 *     d/dq (G a + v' H v) = H a + K,   d/dv (v' H v) = 2 H v.
 */
#include "comp/mechanism/multibody.h"

/* The unknowns by kind. */
typedef struct parts {
    const double *q, *v, *a, *lambda, *mu;
} parts;

static parts split(const yk_multibody *s, const double *x)
{
    return (parts){ x, x + s->n, x + 2 * s->n, x + 3 * s->n,
                    x + 3 * s->n + s->rows };
}

/* ---- joints -------------------------------------------------------------- */

/* Rows of the constraint k itself. */
static void put_constraint(yk_multibody *s, int k, const yk_multibody_row_at *c,
                           const parts *x)
{
    yk_multibody_places *const J = &s->places[YK_BLOCK_G];
    const yk_multibody_row *const row = &s->row[k];
    const int n = s->n, at = 3 * n + k;
    const double eta = s->eta;
    double w[YK_LOCAL], z[YK_LOCAL];

    yk_gather(row->a.body, row->b.body, x->v, w);
    yk_gather(row->a.body, row->b.body, x->a, z);
    for (int i = 0; i < YK_LOCAL; i++) {
        const int j = yk_coordinate(row->a.body, row->b.body, i);
        if (j < 0 || !yk_row_has(row->kind, i)) continue;
        const double G = c->G[i], Hv = yk_row_along(c->H[i], w);
        switch (s->formulation) {
        case YOKE_POSITION:
            yk_put(J, at, j, G);
            break;
        case YOKE_GGL:
            yk_put(J, at + s->rows, j, G); /* fall through */
        case YOKE_VELOCITY:
            yk_put(J, at, j, Hv);
            yk_put(J, at, n + j, G);
            break;
        case YOKE_STABILISED:
        case YOKE_PROJECTED:
            yk_put(J, at, j,
                   yk_row_along(c->H[i], z) + c->K[i] + 2.0 * eta * Hv +
                       eta * eta * G);
            yk_put(J, at, n + j, 2.0 * Hv + 2.0 * eta * G);
            yk_put(J, at, 2 * n + j, G);
            break;
        }
    }
}

/* A multiplier z of row k, unknown number `unknown`, pushes G' z into the
 * equations from `first` on. */
static void put_multiplier(yk_multibody *s, int k, const yk_multibody_row_at *c,
                           double z, int unknown, int first)
{
    yk_multibody_places *const J = &s->places[YK_BLOCK_G];
    const yk_multibody_row *const row = &s->row[k];

    for (int i = 0; i < YK_LOCAL; i++) {
        const int to = yk_coordinate(row->a.body, row->b.body, i);
        if (to < 0 || !yk_row_has(row->kind, i)) continue;
        yk_put(J, first + to, unknown, c->G[i]);
        for (int j = 0; j < YK_LOCAL; j++) {
            const int by = yk_coordinate(row->a.body, row->b.body, j);
            if (by >= 0 && yk_row_bends(row->kind, i, j))
                yk_put(J, first + to, by, z * c->H[i][j]);
        }
    }
}

static void put_joints(yk_multibody *s, const parts *x)
{
    yk_multibody_row_at c;

    for (int k = 0; k < s->rows; k++) {
        const int lambda = 3 * s->n + k;
        yk_row_evaluate(s, k, x->q, x->v, &c);
        put_constraint(s, k, &c, x);
        put_multiplier(s, k, &c, x->lambda[k], lambda, 2 * s->n);
        if (s->formulation == YOKE_GGL)
            put_multiplier(s, k, &c, x->mu[k], lambda + s->rows, 0);
    }
}

/* ---- forces -------------------------------------------------------------- */

static void put_pull(yk_multibody *s, int a, int b,
                     const yk_multibody_pull *pull, int every, bool damped)
{
    yk_multibody_places *const J = &s->places[YK_BLOCK_G];
    const int n = s->n;

    for (int i = every - 1; i < YK_LOCAL; i += every)
        for (int j = every - 1; j < YK_LOCAL; j += every) {
            const int to = yk_coordinate(a, b, i), by = yk_coordinate(a, b, j);
            if (to < 0 || by < 0) continue;
            yk_put(J, 2 * n + to, by, -pull->Kq[i][j]);
            if (damped) yk_put(J, 2 * n + to, n + by, -pull->Kv[i][j]);
        }
}

static void put_load(yk_multibody *s, int k, const parts *x, const double *u)
{
    yk_multibody_places *const J = &s->places[YK_BLOCK_G];
    yk_multibody_places *const U = &s->places[YK_BLOCK_GU];
    const yk_plane_point *at = &s->point[s->load[k].point];
    const int first = 2 * s->n + 3 * at->body, in = s->input[k];
    double value[2];
    yk_arm arm;

    if (at->body < 0) return;
    if (s->load[k].torque) {
        if (in >= 0) yk_put(U, first + 2, in, -1.0);
        return;
    }
    yk_load_value(s, k, u, value);
    yk_arm_at(at, x->q, x->v, &arm);
    yk_put(J, first + 2, 3 * at->body + 2,
           arm.p[0] * value[0] + arm.p[1] * value[1]);
    for (int i = 0; i < 2 && in >= 0; i++) {
        yk_put(U, first + i, in + i, -1.0);
        yk_put(U, first + 2, in + i, -arm.n[i]);
    }
}

static yoke_status put_forces(yk_multibody *s, const parts *x, const double *u,
                              yoke_err *err)
{
    yk_multibody_pull pull;

    for (int k = 0; k < s->struts; k++) {
        const yk_plane_strut *c = &s->strut[k];
        YK_TRY(yk_strut_evaluate(s, k, x->q, x->v, &pull, err));
        put_pull(s, s->point[c->a].body, s->point[c->b].body, &pull, 1,
                 c->damping != 0.0);
    }
    for (int k = 0; k < s->torsions; k++) {
        const yk_plane_torsion *c = &s->torsion[k];
        yk_torsion_evaluate(s, k, x->q, x->v, &pull);
        put_pull(s, c->a, c->b, &pull, 3, c->damping != 0.0);
    }
    for (int k = 0; k < s->loads; k++) put_load(s, k, x, u);
    return YOKE_OK;
}

/* ---- outputs ------------------------------------------------------------- */

static void put_point(yk_multibody *s, int first, const yk_plane_point *point,
                      const parts *x)
{
    yk_multibody_places *const J = &s->places[YK_BLOCK_HX];
    const int n = s->n, b = 3 * point->body;
    const double w = x->v[b + 2], z = x->a[b + 2];
    yk_arm arm;

    yk_arm_at(point, x->q, x->v, &arm);
    for (int i = 0; i < 2; i++) {
        const int at = first + YK_BODY_LEVELS * i, turn = b + 2;
        const double p = arm.p[i], nn = arm.n[i];
        for (int l = 0; l < YK_BODY_LEVELS; l++) {
            yk_put(J, at + l, l * n + b + i, 1.0);
            yk_put(J, at + l, l * n + turn, nn);
        }
        yk_put(J, at + 1, turn, -w * p);
        yk_put(J, at + 2, turn, -z * p - w * w * nn);
        yk_put(J, at + 2, n + turn, -2.0 * w * p);
    }
}

static void put_drift(yk_multibody *s, int first, int k, const parts *x)
{
    yk_multibody_places *const J = &s->places[YK_BLOCK_HX];
    const yk_multibody_row *const row = &s->row[k];
    double w[YK_LOCAL];
    yk_multibody_row_at c;

    yk_row_evaluate(s, k, x->q, x->v, &c);
    yk_gather(row->a.body, row->b.body, x->v, w);
    for (int i = 0; i < YK_LOCAL; i++) {
        const int j = yk_coordinate(row->a.body, row->b.body, i);
        if (j < 0 || !yk_row_has(row->kind, i)) continue;
        yk_put(J, first, j, c.G[i]);
        yk_put(J, first + 1, j, yk_row_along(c.H[i], w));
        yk_put(J, first + 1, s->n + j, c.G[i]);
    }
}

static void put_slope(yk_multibody *s, int first, int a, int b,
                      const yk_multibody_pull *pull)
{
    yk_multibody_places *const J = &s->places[YK_BLOCK_HX];

    for (int i = 0; i < YK_LOCAL; i++) {
        const int j = yk_coordinate(a, b, i);
        if (j < 0) continue;
        yk_put(J, first + 1, j, pull->slope[i]);
        yk_put(J, first + 2, j, pull->slope[i]);
    }
}

static yoke_status put_energies(yk_multibody *s, int first, const parts *x,
                                yoke_err *err)
{
    yk_multibody_places *const J = &s->places[YK_BLOCK_HX];
    yk_multibody_pull pull;

    for (int i = 0; i < s->n; i++) {
        yk_put(J, first, s->n + i, s->mass[i] * x->v[i]);
        yk_put(J, first + 2, s->n + i, s->mass[i] * x->v[i]);
        if (i % 3 == 2) continue;
        yk_put(J, first + 1, i, -s->mass[i] * s->gravity[i % 3]);
        yk_put(J, first + 2, i, -s->mass[i] * s->gravity[i % 3]);
    }
    for (int k = 0; k < s->struts; k++) {
        const yk_plane_strut *c = &s->strut[k];
        YK_TRY(yk_strut_evaluate(s, k, x->q, x->v, &pull, err));
        put_slope(s, first, s->point[c->a].body, s->point[c->b].body, &pull);
    }
    for (int k = 0; k < s->torsions; k++) {
        yk_torsion_evaluate(s, k, x->q, x->v, &pull);
        put_slope(s, first, s->torsion[k].a, s->torsion[k].b, &pull);
    }
    return YOKE_OK;
}

static yoke_status put_outputs(yk_multibody *s, const parts *x, yoke_err *err)
{
    yk_multibody_places *const J = &s->places[YK_BLOCK_HX];
    int at = 0;

    for (int i = 0; i < s->n; i++)
        for (int l = 0; l < YK_BODY_LEVELS; l++)
            yk_put(J, at++, l * s->n + i, 1.0);
    for (int k = 0; k < s->points; k++) {
        if (!s->point[k].watched) continue;
        put_point(s, at, &s->point[k], x);
        at += 2 * YK_BODY_LEVELS;
    }
    for (int k = 0; k < s->rows; k++) yk_put(J, at++, 3 * s->n + k, -1.0);
    for (int k = 0; k < s->rows; k++, at += 2) put_drift(s, at, k, x);
    return put_energies(s, at, x, err);
}

yoke_status yk_multibody_write(yk_multibody *s, double t, const double *x,
                               const double *u, yoke_err *err)
{
    yk_multibody_places *const J = &s->places[YK_BLOCK_G];
    const parts part = split(s, x);
    const int n = s->n;

    yk_multibody_drives(s, t);
    if (s->act) s->act(s->act_context, t, s->acts);
    for (int i = 0; i < n; i++) {
        yk_put(&s->places[YK_BLOCK_C], i, i, 1.0);
        yk_put(&s->places[YK_BLOCK_C], n + i, n + i, 1.0);
        yk_put(J, i, n + i, -1.0);
        yk_put(J, n + i, 2 * n + i, -1.0);
        yk_put(J, 2 * n + i, 2 * n + i, s->mass[i]);
    }
    put_joints(s, &part);
    YK_TRY(put_forces(s, &part, u, err));
    return put_outputs(s, &part, err);
}

/* ---- values of the outputs ----------------------------------------------- */

static void write_point(const yk_plane_point *point, const parts *x, double *y)
{
    const int b = 3 * point->body;
    const double w = x->v[b + 2], z = x->a[b + 2];
    yk_arm arm;

    yk_arm_at(point, x->q, x->v, &arm);
    for (int i = 0; i < 2; i++) {
        y[YK_BODY_LEVELS * i] = arm.r[i];
        y[YK_BODY_LEVELS * i + 1] = arm.w[i];
        y[YK_BODY_LEVELS * i + 2] =
            x->a[b + i] + z * arm.n[i] - w * w * arm.p[i];
    }
}

static yoke_status write_energies(const yk_multibody *s, const parts *x,
                                  double *y, yoke_err *err)
{
    yk_multibody_pull pull;

    y[0] = y[1] = 0.0;
    for (int i = 0; i < s->n; i++) {
        y[0] += 0.5 * s->mass[i] * x->v[i] * x->v[i];
        if (i % 3 < 2) y[1] -= s->mass[i] * s->gravity[i % 3] * x->q[i];
    }
    for (int k = 0; k < s->struts; k++) {
        YK_TRY(yk_strut_evaluate(s, k, x->q, x->v, &pull, err));
        y[1] += pull.energy;
    }
    for (int k = 0; k < s->torsions; k++) {
        yk_torsion_evaluate(s, k, x->q, x->v, &pull);
        y[1] += pull.energy;
    }
    y[2] = y[0] + y[1];
    return YOKE_OK;
}

yoke_status yk_multibody_output(void *self, double t, const double *x,
                                const double *u, double *y, yoke_err *err)
{
    yk_multibody *s = self;
    const parts part = split(s, x);
    yk_multibody_row_at c;

    (void)u;
    yk_multibody_drives(s, t);
    for (int i = 0; i < s->n; i++)
        for (int l = 0; l < YK_BODY_LEVELS; l++) *y++ = x[l * s->n + i];
    for (int k = 0; k < s->points; k++) {
        if (!s->point[k].watched) continue;
        write_point(&s->point[k], &part, y);
        y += 2 * YK_BODY_LEVELS;
    }
    for (int k = 0; k < s->rows; k++) *y++ = -part.lambda[k];
    for (int k = 0; k < s->rows; k++) {
        double w[YK_LOCAL];
        yk_row_evaluate(s, k, part.q, part.v, &c);
        yk_gather(s->row[k].a.body, s->row[k].b.body, part.v, w);
        *y++ = c.value;
        *y++ = yk_row_along(c.G, w) + c.rate;
    }
    return write_energies(s, &part, y, err);
}
