/* comp/field/eddy.c -- a field with conductors as a differential-algebraic
 * system in the potentials.
 *
 *     d/dt (M a) + force(a) - X i - sum_r c_r E_r = 0
 *     d/dt (c_r'a) - s_r E_r = 0           of each region without net current
 *     d/dt (X'a) + R i - v = 0
 *
 * In a conductor J = sigma (-dA/dt + E).  E, a voltage per length, is zero
 * where the ends of a planar conductor are joined, and in rings around an axis;
 * in a region without net current it is what makes the integral of J vanish:
 * s_r is the integral of sigma and c_r that of sigma times the shape functions.
 * M is zero outside conductors, where the first row is algebraic: index 1.  If
 * the currents are given the last row, which would only differentiate the
 * fluxes, is left out.
 */
#include "comp/field/device.h"

#include "base/vector.h"
#include "la/sparse.h"

#include <string.h>

typedef struct eddy {
    yk_field_solver *solver;
    bool given_i; /* the currents are inputs */
    int n, r, m;  /* potentials, regions, windings */
    int own;      /* currents that are unknowns: m or none */
    int *lower;   /* of each place of C and G in the block of potentials: its
                     place in the lower part */
    double *value;
    yoke_pattern *C, *G, *Gu, *Cu, *Hx, *Hu;
} eddy;

static void eddy_free(void *self)
{
    eddy *d = self;

    if (!d) return;
    yk_field_solver_free(d->solver);
    YK_FREE(d->lower, d->value);
    yoke_pattern_free(d->C);
    yoke_pattern_free(d->G);
    yoke_pattern_free(d->Gu);
    yoke_pattern_free(d->Cu);
    yoke_pattern_free(d->Hx);
    yoke_pattern_free(d->Hu);
    yk_free(d);
}

static const double *winding(const eddy *d, int j)
{
    return d->solver->model.X + (size_t)j * (size_t)d->n;
}

static const double *band(const eddy *d, int k)
{
    return d->solver->model.band + (size_t)k * (size_t)d->n;
}

/* ---- equations ----------------------------------------------------------- */

static void charges(const eddy *d, const double *x, double *q)
{
    const yk_field_model *f = &d->solver->model;
    const yoke_pattern *p = f->lower;

    memset(q, 0, (size_t)(d->n + d->r + d->own) * sizeof *q);
    for (int j = 0; j < d->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            const int i = p->row[k];
            q[i] += f->M[k] * x[j];
            if (i != j) q[j] += f->M[k] * x[i];
        }
    for (int k = 0; k < d->r; k++) q[d->n + k] = yk_dot(d->n, band(d, k), x);
    for (int j = 0; j < d->own; j++)
        q[d->n + d->r + j] = yk_dot(d->n, winding(d, j), x);
}

static yoke_status eddy_eval(void *self, double t, const double *x,
                             const double *u, double *q, double *f,
                             yoke_err *err)
{
    const eddy *d = self;
    const yk_field_model *model = &d->solver->model;
    const double *E = x + d->n, *own = E + d->r;

    (void)t, (void)err;
    if (q) charges(d, x, q);
    if (!f) return YOKE_OK;
    yk_field_assemble(model, x, f, YK_CHORD, NULL);
    for (int k = 0; k < d->r; k++) {
        const double *c = band(d, k);
        for (int j = 0; j < d->n; j++) f[j] -= c[j] * E[k];
        f[d->n + k] = -model->band_sigma[k] * E[k];
    }
    for (int j = 0; j < d->m; j++) {
        const double i = d->given_i ? u[j] : own[j];
        const double *X = winding(d, j);
        for (int k = 0; k < d->n; k++) f[k] -= X[k] * i;
        if (!d->given_i) f[d->n + d->r + j] = model->resistance[j] * i - u[j];
    }
    return YOKE_OK;
}

static yoke_status eddy_output(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    const eddy *d = self;

    (void)t, (void)u, (void)err;
    for (int j = 0; j < d->own; j++) y[j] = x[d->n + d->r + j];
    for (int j = 0; j < d->m; j++)
        y[d->own + j] = yk_dot(d->n, winding(d, j), x);
    y[d->own + d->m] =
        yk_field_assemble(&d->solver->model, x, NULL, YK_CHORD, NULL);
    return YOKE_OK;
}

/* ---- derivatives --------------------------------------------------------- */

/* Value of (row, col) outside the block of potentials. */
static double border_C(const eddy *d, int row, int col)
{
    if (row < d->n || col >= d->n) return 0.0;
    return row < d->n + d->r ? band(d, row - d->n)[col]
                             : winding(d, row - d->n - d->r)[col];
}

static double border_G(const eddy *d, int row, int col)
{
    const yk_field_model *f = &d->solver->model;

    if (col < d->n) return 0.0;
    if (col < d->n + d->r)
        return row < d->n ? -band(d, col - d->n)[row]
                          : -f->band_sigma[col - d->n];
    const int j = col - d->n - d->r;
    return row < d->n ? -winding(d, j)[row] : f->resistance[j];
}

static void fill(const eddy *d, const yoke_pattern *p, const int *lower,
                 const double *inside,
                 double (*border)(const eddy *d, int row, int col), double *to)
{
    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            to[k] = lower && lower[k] >= 0 ? inside[lower[k]]
                                           : border(d, p->row[k], j);
}

static double border_Gu(const eddy *d, int row, int j)
{
    return d->given_i ? -winding(d, j)[row] : -1.0;
}

static yoke_status eddy_jacobian(void *self, double t, const double *x,
                                 const double *u, const yoke_jacobian *jac,
                                 yoke_err *err)
{
    eddy *d = self;
    const yk_field_model *f = &d->solver->model;
    const int places = yoke_pattern_count(d->G);

    (void)t, (void)u, (void)err;
    if (jac->C) fill(d, d->C, d->lower + places, f->M, border_C, jac->C);
    if (jac->G) {
        yk_field_assemble(f, x, NULL, YK_TANGENT, d->value);
        fill(d, d->G, d->lower, d->value, border_G, jac->G);
    }
    if (jac->Gu) fill(d, d->Gu, NULL, NULL, border_Gu, jac->Gu);
    if (!jac->Hx) return YOKE_OK;
    double *force = d->value + yoke_pattern_count(f->lower);
    yk_field_assemble(f, x, force, YK_CHORD, NULL);
    for (int j = 0; j < d->Hx->cols; j++)
        for (int k = d->Hx->start[j]; k < d->Hx->start[j + 1]; k++) {
            const int row = d->Hx->row[k];
            jac->Hx[k] = row < d->own          ? 1.0
                         : row < d->own + d->m ? winding(d, row - d->own)[j]
                                               : force[j];
        }
    return YOKE_OK;
}

/* ---- places -------------------------------------------------------------- */

static yoke_status take(yk_triplets *p, yoke_pattern **out, int rows, int cols,
                        yoke_err *err)
{
    const yoke_status status =
        yoke_pattern_create(out, rows, cols, p->count, p->row, p->col, err);

    p->count = 0;
    return status;
}

/* The block of potentials, of conductors alone or of all. */
static yoke_status place_block(const eddy *d, yk_triplets *p, bool conductors,
                               yoke_err *err)
{
    const yk_field_model *f = &d->solver->model;

    for (int j = 0; j < d->n; j++)
        for (int k = f->lower->start[j]; k < f->lower->start[j + 1]; k++) {
            const int i = f->lower->row[k];
            if (conductors && f->M[k] == 0.0) continue;
            YK_TRY(yk_triplets_add(p, i, j, 0.0, err));
            if (i != j) YK_TRY(yk_triplets_add(p, j, i, 0.0, err));
        }
    return YOKE_OK;
}

static yoke_status place_column(const eddy *d, yk_triplets *p, const double *c,
                                int number, bool as_row, yoke_err *err)
{
    for (int k = 0; k < d->n; k++)
        if (c[k] != 0.0)
            YK_TRY(yk_triplets_add(p, as_row ? number : k, as_row ? k : number,
                                   0.0, err));
    return YOKE_OK;
}

static yoke_status make_C(eddy *d, yk_triplets *p, yoke_err *err)
{
    const int all = d->n + d->r + d->own;

    YK_TRY(place_block(d, p, true, err));
    for (int k = 0; k < d->r; k++)
        YK_TRY(place_column(d, p, band(d, k), d->n + k, true, err));
    for (int j = 0; j < d->own; j++)
        YK_TRY(place_column(d, p, winding(d, j), d->n + d->r + j, true, err));
    return take(p, &d->C, all, all, err);
}

static yoke_status make_G(eddy *d, yk_triplets *p, yoke_err *err)
{
    const int all = d->n + d->r + d->own;

    YK_TRY(place_block(d, p, false, err));
    for (int k = 0; k < d->r; k++) {
        YK_TRY(place_column(d, p, band(d, k), d->n + k, false, err));
        YK_TRY(yk_triplets_add(p, d->n + k, d->n + k, 0.0, err));
    }
    for (int j = 0; j < d->own; j++) {
        const int at = d->n + d->r + j;
        YK_TRY(place_column(d, p, winding(d, j), at, false, err));
        YK_TRY(yk_triplets_add(p, at, at, 0.0, err));
    }
    return take(p, &d->G, all, all, err);
}

static yoke_status make_others(eddy *d, yk_triplets *p, yoke_err *err)
{
    const int all = d->n + d->r + d->own;

    for (int j = 0; j < d->m; j++)
        YK_TRY(d->given_i ? place_column(d, p, winding(d, j), j, false, err)
                          : yk_triplets_add(p, d->n + d->r + j, j, 0.0, err));
    YK_TRY(take(p, &d->Gu, all, d->m, err));
    for (int j = 0; j < d->own; j++)
        YK_TRY(yk_triplets_add(p, j, d->n + d->r + j, 0.0, err));
    for (int j = 0; j < d->m; j++)
        YK_TRY(place_column(d, p, winding(d, j), d->own + j, true, err));
    for (int k = 0; k < d->n; k++)
        YK_TRY(yk_triplets_add(p, d->own + d->m, k, 0.0, err));
    return take(p, &d->Hx, d->own + d->m + 1, all, err);
}

static void find_lower(const eddy *d, const yoke_pattern *p, int *to)
{
    const yoke_pattern *lower = d->solver->model.lower;

    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            const int i = p->row[k];
            to[k] = i < d->n && j < d->n
                        ? yoke_pattern_find(lower, i > j ? i : j, i > j ? j : i)
                        : -1;
        }
}

static yoke_status make_places(eddy *d, yoke_err *err)
{
    yk_triplets p = { 0 };
    yoke_status status = YOKE_OK;

    YK_GO(make_C(d, &p, err));
    YK_GO(make_G(d, &p, err));
    YK_GO(make_others(d, &p, err));
    const size_t g = (size_t)yoke_pattern_count(d->G),
                 c = (size_t)yoke_pattern_count(d->C);
    YK_GO(yk_ints(&d->lower, g + c, err));
    find_lower(d, d->G, d->lower);
    find_lower(d, d->C, d->lower + g);
    YK_GO(yk_doubles(&d->value,
                     (size_t)yoke_pattern_count(d->solver->model.lower) +
                         (size_t)d->n,
                     err));
done:
    yk_triplets_clear(&p);
    return status;
}

/* ---- the system ---------------------------------------------------------- */

static const yoke_system_ops eddy_ops = {
    .kind = "field",
    .eval = eddy_eval,
    .output = eddy_output,
    .jacobian = eddy_jacobian,
    .free = eddy_free,
};

static yoke_status name_all(const eddy *d, const yk_field *given,
                            yk_field_names *x, yk_field_names *u,
                            yk_field_names *y, yoke_err *err)
{
    for (int k = 0; k < d->n; k++)
        YK_TRY(yk_field_name(x, "Wb/m", err, "a[%d]", k + 1));
    for (int k = 0; k < d->r; k++)
        YK_TRY(yk_field_name(x, "V/m", err, "E[%d]", k + 1));
    for (int j = 0; j < d->m; j++) {
        const char *name = given->winding[j].name;
        YK_TRY(yk_field_name(u, d->given_i ? "A" : "V", err, "%.200s.%s", name,
                             d->given_i ? "i" : "v"));
        if (d->given_i) continue;
        YK_TRY(yk_field_name(x, "A", err, "%.200s.i", name));
        YK_TRY(yk_field_name(y, "A", err, "%.200s.i", name));
    }
    for (int j = 0; j < d->m; j++)
        YK_TRY(
            yk_field_name(y, "Wb", err, "%.200s.phi", given->winding[j].name));
    return yk_field_name(y, "J", err, "energy");
}

/* The potentials of magnets alone. */
static yoke_status find_start(eddy *d, double **x0, yoke_err *err)
{
    double none[64] = { 0.0 };

    YK_TRY(yk_doubles(x0, (size_t)(d->n + d->r + d->own), err));
    YK_TRY(yk_field_solve_current(d->solver, none, err));
    memcpy(*x0, d->solver->a, (size_t)d->n * sizeof **x0);
    return YOKE_OK;
}

static yoke_status create(yoke_system **out, const char *name, eddy **d,
                          const yk_field *given, yoke_err *err)
{
    yk_field_names x = { 0 }, u = { 0 }, y = { 0 };
    yoke_status status = YOKE_OK;
    double *x0 = NULL;

    YK_GO(make_places(*d, err));
    YK_GO(name_all(*d, given, &x, &u, &y, err));
    YK_GO(find_start(*d, &x0, err));
    const yoke_system_info info = {
        .n = (*d)->n + (*d)->r + (*d)->own,
        .m = (*d)->m,
        .p = (*d)->own + (*d)->m + 1,
        .flags = YOKE_TIMELESS | YOKE_PARALLEL,
        .x0 = x0,
        .x_name = (const char *const *)x.name,
        .x_unit = x.unit,
        .u_name = (const char *const *)u.name,
        .y_name = (const char *const *)y.name,
        .y_unit = y.unit,
        .C = (*d)->C,
        .G = (*d)->G,
        .Gu = (*d)->Gu,
        .Hx = (*d)->Hx,
    };
    void *const self = *d;
    *d = NULL;
    YK_GO(yoke_system_create(out, name, &eddy_ops, self, &info, err));
done:
    yk_free(x0);
    yk_field_names_clear(&x);
    yk_field_names_clear(&u);
    yk_field_names_clear(&y);
    return status;
}

yoke_status yk_field_eddy_create(yoke_system **out, const char *name,
                                 yk_field_solver *solver, const yk_field *given,
                                 yoke_err *err)
{
    eddy *d = NULL;
    yoke_status status = YK_NEW(&d, 1, err);

    if (status != YOKE_OK) {
        yk_field_solver_free(solver);
        return status;
    }
    d->solver = solver;
    d->given_i = given->drive == YK_DRIVE_CURRENT;
    d->n = solver->model.n;
    d->r = solver->model.insulated;
    d->m = solver->model.m;
    d->own = d->given_i ? 0 : d->m;
    if (given->extract != YK_EXTRACT_NONE || given->drive == YK_DRIVE_FLUX)
        status = yk_fail(err, YOKE_E_MODEL,
                         "with conducting regions the fluxes do not follow "
                         "from the currents: no inductances, and no drive by "
                         "fluxes");
    if (status == YOKE_OK) status = create(out, name, &d, given, err);
    eddy_free(d);
    return status;
}
