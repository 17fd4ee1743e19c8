/* comp/field/inductance.c -- windings with an inductance that is an input.
 *
 *     d/dt phi_j + R_j i_j - v_j = 0
 *     phi_j - sum_k L_jk i_k - psi_j = 0
 *
 * Unknowns phi, i; inputs v, then L_jk for j <= k row by row, then psi.  The
 * flux is carried along, so a change of L(t) conserves it.
 */
#include "comp/field/device.h"

#include <math.h>

typedef struct inductance {
    int m, inputs;
    bool offset;
    double *resistance;
    yoke_pattern *C, *G, *Gu;
} inductance;

static void inductance_free(void *self)
{
    inductance *d = self;

    if (!d) return;
    yk_free(d->resistance);
    yoke_pattern_free(d->C);
    yoke_pattern_free(d->G);
    yoke_pattern_free(d->Gu);
    yk_free(d);
}

/* Which input L_jk is. */
static int input_of(const inductance *d, int j, int k)
{
    const int low = j < k ? j : k, high = j < k ? k : j;

    return d->m + low * d->m - low * (low - 1) / 2 + (high - low);
}

static int offset_of(const inductance *d, int j)
{
    return d->m + d->m * (d->m + 1) / 2 + j;
}

static yoke_status inductance_eval(void *self, double t, const double *x,
                                   const double *u, double *q, double *f,
                                   yoke_err *err)
{
    const inductance *d = self;
    const int m = d->m;
    const double *phi = x, *i = x + m;

    (void)t, (void)err;
    for (int j = 0; q && j < m; j++) {
        q[j] = phi[j];
        q[m + j] = 0.0;
    }
    for (int j = 0; f && j < m; j++) {
        f[j] = d->resistance[j] * i[j] - u[j];
        f[m + j] = phi[j] - (d->offset ? u[offset_of(d, j)] : 0.0);
        for (int k = 0; k < m; k++) f[m + j] -= u[input_of(d, j, k)] * i[k];
    }
    return YOKE_OK;
}

static yoke_status inductance_output(void *self, double t, const double *x,
                                     const double *u, double *y, yoke_err *err)
{
    const inductance *d = self;

    (void)t, (void)u, (void)err;
    for (int j = 0; j < d->m; j++) {
        y[j] = x[d->m + j];
        y[d->m + j] = x[j];
    }
    return YOKE_OK;
}

static void set(const yoke_pattern *p, double *to, int row, int col,
                double value)
{
    to[yoke_pattern_find(p, row, col)] = value;
}

static yoke_status inductance_jacobian(void *self, double t, const double *x,
                                       const double *u,
                                       const yoke_jacobian *jac, yoke_err *err)
{
    const inductance *d = self;
    const int m = d->m;
    const double *i = x + m;

    (void)t, (void)err;
    for (int j = 0; j < m; j++) {
        if (jac->C) jac->C[j] = 1.0;
        if (jac->G) {
            set(d->G, jac->G, j, m + j, d->resistance[j]);
            set(d->G, jac->G, m + j, j, 1.0);
        }
        if (jac->Gu) set(d->Gu, jac->Gu, j, j, -1.0);
        if (jac->Gu && d->offset)
            set(d->Gu, jac->Gu, m + j, offset_of(d, j), -1.0);
        for (int k = 0; k < m; k++) {
            const int in = input_of(d, j, k);
            if (jac->G) set(d->G, jac->G, m + j, m + k, -u[in]);
            if (jac->Gu) set(d->Gu, jac->Gu, m + j, in, -i[k]);
        }
        if (jac->Hx) jac->Hx[j] = jac->Hx[m + j] = 1.0;
    }
    return YOKE_OK;
}

static const yoke_system_ops inductance_ops = {
    .kind = "inductance",
    .eval = inductance_eval,
    .output = inductance_output,
    .jacobian = inductance_jacobian,
    .free = inductance_free,
};

static yoke_status make_places(inductance *d, yoke_pattern **hx, yoke_err *err)
{
    enum { MOST = 64 };
    const int m = d->m;
    int row[MOST * MOST + 2 * MOST] = { 0 },
                              col[MOST * MOST + 2 * MOST] = { 0 }, count = 0;

    for (int j = 0; j < m; j++) row[j] = col[j] = j;
    YK_TRY(yoke_pattern_create(&d->C, 2 * m, 2 * m, m, row, col, err));
    for (int j = 0; j < m; j++) {
        row[count] = j, col[count++] = m + j;
        row[count] = m + j, col[count++] = j;
        for (int k = 0; k < m; k++) row[count] = m + j, col[count++] = m + k;
    }
    YK_TRY(yoke_pattern_create(&d->G, 2 * m, 2 * m, count, row, col, err));
    count = 0;
    for (int j = 0; j < m; j++) {
        row[count] = j, col[count++] = j;
        if (d->offset) row[count] = m + j, col[count++] = offset_of(d, j);
        for (int k = 0; k < m; k++)
            row[count] = m + j, col[count++] = input_of(d, j, k);
    }
    YK_TRY(yoke_pattern_create(&d->Gu, 2 * m, d->inputs, count, row, col, err));
    for (int j = 0; j < m; j++) {
        row[j] = m + j, col[j] = j;
        row[m + j] = j, col[m + j] = m + j;
    }
    return yoke_pattern_create(hx, 2 * m, 2 * m, 2 * m, row, col, err);
}

typedef struct facts {
    yk_field_names x, u, y;
    yoke_pattern *Hx;
} facts;

static yoke_status name_all(const inductance *d, const yk_inductance *given,
                            facts *f, yoke_err *err)
{
    for (int j = 0; j < d->m; j++)
        YK_TRY(yk_field_name(&f->x, "Wb", err, "%.200s.phi", given->name[j]));
    for (int j = 0; j < d->m; j++) {
        YK_TRY(yk_field_name(&f->x, "A", err, "%.200s.i", given->name[j]));
        YK_TRY(yk_field_name(&f->y, "A", err, "%.200s.i", given->name[j]));
        YK_TRY(yk_field_name(&f->u, "V", err, "%.200s.v", given->name[j]));
    }
    for (int j = 0; j < d->m; j++)
        YK_TRY(yk_field_name(&f->y, "Wb", err, "%.200s.phi", given->name[j]));
    YK_TRY(yk_field_name_inductances(&f->u, d->m, given->name, err));
    for (int j = 0; d->offset && j < d->m; j++)
        YK_TRY(yk_field_name(&f->u, "Wb", err, "psi.%.200s", given->name[j]));
    return YOKE_OK;
}

static yoke_status describe(inductance **d, yoke_system **out, const char *name,
                            const yk_inductance *given, facts *f, yoke_err *err)
{
    double x0[128] = { 0.0 };
    const int m = (*d)->m;

    YK_TRY(make_places(*d, &f->Hx, err));
    YK_TRY(name_all(*d, given, f, err));
    for (int j = 0; given->flux && j < m; j++) x0[j] = given->flux[j];
    const yoke_system_info info = {
        .n = 2 * m,
        .m = (*d)->inputs,
        .p = 2 * m,
        .flags = YOKE_TIMELESS | YOKE_PARALLEL,
        .x0 = x0,
        .x_name = (const char *const *)f->x.name,
        .x_unit = f->x.unit,
        .u_name = (const char *const *)f->u.name,
        .y_name = (const char *const *)f->y.name,
        .y_unit = f->y.unit,
        .C = (*d)->C,
        .G = (*d)->G,
        .Gu = (*d)->Gu,
        .Hx = f->Hx,
    };
    void *const self = *d;
    *d = NULL;
    return yoke_system_create(out, name, &inductance_ops, self, &info, err);
}

yoke_status yk_inductance_create(yoke_system **out, const char *name,
                                 const yk_inductance *given, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    inductance *d = NULL;
    facts f = { .Hx = NULL };
    const int m = given->windings;

    if (m < 1 || m > 64)
        return yk_fail(err, YOKE_E_MODEL,
                       "inductance \"%.100s\" has %d windings; 1 to 64 are "
                       "possible",
                       name, m);
    for (int j = 0; j < m; j++)
        if (!(given->resistance[j] >= 0.0) || !isfinite(given->resistance[j]))
            return yk_fail(err, YOKE_E_MODEL,
                           "inductance \"%.100s\": winding \"%.100s\" has the "
                           "resistance %g",
                           name, given->name[j], given->resistance[j]);
    YK_GO(YK_NEW(&d, 1, err));
    d->m = m;
    d->offset = given->offset;
    d->inputs = m + m * (m + 1) / 2 + (given->offset ? m : 0);
    YK_GO(yk_copy_doubles(&d->resistance, given->resistance, (size_t)m, err));
    YK_GO(describe(&d, out, name, given, &f, err));
done:
    inductance_free(d);
    yk_field_names_clear(&f.x);
    yk_field_names_clear(&f.u);
    yk_field_names_clear(&f.y);
    yoke_pattern_free(f.Hx);
    return status;
}
