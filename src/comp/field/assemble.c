/* comp/field/assemble.c -- forces, matrices and their derivatives.
 *
 * With g = G a_e, B = |g|, nu = H/B and c = (dH/dB - nu) / B^2 an element has
 *
 *     force     V G' (nu g - magnet)
 *     chord     V nu G'G                 K(a), K(a) a = force without magnets
 *     tangent   V (nu G'G + c G'g g'G)   d force / da
 *
 * The tangent is positive definite because dH/dB > 0.
 */
#include "comp/field/model.h"

#include "base/crew.h"

#include <math.h>
#include <string.h>

typedef yk_field_local local;

/* Elements that one job looks at, and the price of one (graph/cost.h): a curve
 * with an exponential takes 0.05 to 0.1 microseconds.  Only whether they are given
 * to threads depends on these. */
enum { GROUP = 256 };
static const double look_price = 1.5;

static void flux_density(const yk_field_element *e, const double *a,
                         double g[2])
{
    g[0] = g[1] = 0.0;
    for (int k = 0; k < 3; k++) {
        const double value = e->dof[k] >= 0 ? a[e->dof[k]] : 0.0;
        g[0] += e->grad[0][k] * value;
        g[1] += e->grad[1][k] * value;
    }
}

static local look(const yk_field_model *f, const yk_field_element *e,
                  const double *a)
{
    local l;

    flux_density(e, a, l.g);
    l.b = sqrt(l.g[0] * l.g[0] + l.g[1] * l.g[1]);
    l.p = yk_bh_eval(&f->bh[e->material], l.b);
    l.c = l.b > 1e-30 ? (l.p.slope - l.p.nu) / (l.b * l.b) : 0.0;
    return l;
}

static void add_force(const yk_field_model *f, const yk_field_element *e,
                      const local *l, double *force)
{
    const double *magnet = f->magnet[e->material];
    const double h[2] = { l->p.nu * l->g[0] - magnet[0],
                          l->p.nu * l->g[1] - magnet[1] };

    for (int k = 0; k < 3; k++)
        if (e->dof[k] >= 0)
            force[e->dof[k]] +=
                e->volume * (e->grad[0][k] * h[0] + e->grad[1][k] * h[1]);
}

static void add_matrix(const yk_field_element *e, const local *l, double c,
                       double *matrix)
{
    static const int pairs[6][2] = { { 0, 0 }, { 1, 0 }, { 2, 0 },
                                     { 1, 1 }, { 2, 1 }, { 2, 2 } };
    double along[3];

    for (int k = 0; k < 3; k++)
        along[k] = e->grad[0][k] * l->g[0] + e->grad[1][k] * l->g[1];
    for (int k = 0; k < 6; k++) {
        const int i = pairs[k][0], j = pairs[k][1];
        if (e->place[k] < 0) continue;
        matrix[e->place[k]] +=
            e->volume * (l->p.nu * (e->grad[0][i] * e->grad[0][j] +
                                    e->grad[1][i] * e->grad[1][j]) +
                         c * along[i] * along[j]);
    }
}

/* ---- all elements --------------------------------------------------------- */

yoke_status yk_field_make_groups(yk_field_model *f, yoke_err *err)
{
    f->groups = (f->elements + GROUP - 1) / GROUP;
    YK_TRY(YK_NEW(&f->local, f->elements + 1, err));
    YK_TRY(yk_doubles(&f->price, (size_t)f->groups + 1, err));
    for (int k = 0; k < f->groups; k++) f->price[k] = look_price * GROUP;
    return YOKE_OK;
}

typedef struct looking {
    const yk_field_model *f;
    const double *a;
} looking;

static yoke_status look_at_group(void *context, int group, yoke_err *err)
{
    const looking *l = context;
    const int end = (group + 1) * GROUP;

    (void)err;
    for (int k = group * GROUP; k < end && k < l->f->elements; k++)
        l->f->local[k] = look(l->f, &l->f->element[k], l->a);
    return YOKE_OK;
}

/* At once; what they give is added up in their order afterwards. */
static void look_at_all(const yk_field_model *f, const double *a)
{
    looking all = { f, a };
    const yk_parts parts = { .count = f->groups,
                             .job = look_at_group,
                             .context = &all,
                             .price = f->price };

    if (yk_crew_run(&parts, NULL) != YOKE_OK) /* no memory for helpers */
        (void)yk_crew_alone(&parts, NULL);
}

double yk_field_assemble(const yk_field_model *f, const double *a,
                         double *force, yk_field_matrix which, double *matrix)
{
    double energy = 0.0;

    if (force) memset(force, 0, (size_t)f->n * sizeof *force);
    if (matrix)
        memset(matrix, 0,
               (size_t)yoke_pattern_count(f->lower) * sizeof *matrix);
    look_at_all(f, a);
    for (int k = 0; k < f->elements; k++) {
        const yk_field_element *e = &f->element[k];
        const local *l = &f->local[k];
        const double *magnet = f->magnet[e->material];
        energy += e->volume *
                  (l->p.energy - magnet[0] * l->g[0] - magnet[1] * l->g[1]);
        if (force) add_force(f, e, l, force);
        if (matrix) add_matrix(e, l, which == YK_TANGENT ? l->c : 0.0, matrix);
    }
    return energy;
}

/* The derivative of c in the direction d of g. */
static double vary_c(const local *l, double along)
{
    if (!(l->b > 1e-30)) return 0.0;
    return (l->p.bend - 3.0 * (l->p.slope - l->p.nu) / l->b) / (l->b * l->b) *
           along / l->b;
}

void yk_field_vary(const yk_field_model *f, yk_field_matrix which,
                   const double *a, const double *d, const double *W,
                   double *out)
{
    const size_t n = (size_t)f->n;
    const int m = f->m;

    memset(out, 0, (size_t)(m * m) * sizeof *out);
    for (int k = 0; k < f->elements; k++) {
        const yk_field_element *e = &f->element[k];
        const local l = look(f, e, a);
        double v[2];
        flux_density(e, d, v);
        const double along = l.g[0] * v[0] + l.g[1] * v[1];
        const double dnu = l.c * along;
        const double dc = which == YK_TANGENT ? vary_c(&l, along) : 0.0;
        const double c = which == YK_TANGENT ? l.c : 0.0;
        if (dnu == 0.0 && dc == 0.0 && c == 0.0) continue;
        for (int i = 0; i < m; i++)
            for (int j = 0; j <= i; j++) {
                double p[2], q[2];
                flux_density(e, W + n * (size_t)i, p);
                flux_density(e, W + n * (size_t)j, q);
                const double gp = l.g[0] * p[0] + l.g[1] * p[1],
                             gq = l.g[0] * q[0] + l.g[1] * q[1],
                             vp = v[0] * p[0] + v[1] * p[1],
                             vq = v[0] * q[0] + v[1] * q[1];
                out[i * m + j] +=
                    e->volume * (dnu * (p[0] * q[0] + p[1] * q[1]) +
                                 dc * gp * gq + c * (vp * gq + gp * vq));
            }
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++) out[j * m + i] = out[i * m + j];
}
