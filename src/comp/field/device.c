/* comp/field/device.c -- a static field as a subsystem of its windings.
 *
 * Without conductors the potentials follow from the fluxes at each instant, so
 * they are eliminated: i = i(phi) is found inside (solve.c), with the exact
 * derivative di/dphi = G = (X'K^-1 X)^-1.  What is left has one unknown per
 * winding:
 *
 *     voltage   d/dt phi + R i(phi) - v = 0
 *     flux      phi - phi_in = 0
 *     current   d/dt Phi(i_in) + R i_in - v = 0,   unknown v
 *
 * The fluxes, not the currents, are the unknowns: they are what is conserved,
 * and i(phi) is the solution of a convex problem from any start, whereas
 * Newton's method for phi(i) = c over long steps jumps between the two
 * saturated ends.
 */
#include "comp/field/device.h"

#include "sys/system.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Relative accuracy of tangents in Jacobians and in outputs. */
static const double for_jacobian = 1e-6, for_output = 1e-11;

/* What a solution of the field costs, for each of its unknowns, in prices of
 * graph/cost.h: 1.3 ms for 1,500 of them in bench/16_parallel. */
static const double solve_price = 15.0;

typedef struct device {
    yk_field_solver *solver, *other; /* other: see device_aside */
    yoke_mesh *mesh;                 /* for pictures */
    yk_field_drive drive;
    yk_field_extract extract;
    int m, pairs; /* pairs: inductances */
    double *vary; /* m * m */
    double *da;   /* n: a direction */
} device;

/* ---- names --------------------------------------------------------------- */

yoke_status yk_field_name(yk_field_names *list, const char *unit, yoke_err *err,
                          const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    YK_TRY(YK_GROW(&list->name, &list->room, list->count + 1, err));
    YK_TRY(YK_GROW(&list->unit, &list->unit_room, list->count + 1, err));
    YK_TRY(yk_copy_text(&list->name[list->count], text, err));
    list->unit[list->count] = unit;
    list->count++;
    return YOKE_OK;
}

void yk_field_names_clear(yk_field_names *list)
{
    for (int k = 0; k < list->count; k++) yk_free(list->name[k]);
    YK_FREE(list->name, list->unit);
}

yoke_status yk_field_name_inductances(yk_field_names *list, int count,
                                      const char *const *winding, yoke_err *err)
{
    for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++)
            YK_TRY(i == j
                       ? yk_field_name(list, "H", err, "L.%.200s", winding[i])
                       : yk_field_name(list, "H", err, "L.%.200s.%.200s",
                                       winding[i], winding[j]));
    return YOKE_OK;
}

/* ---- equations ----------------------------------------------------------- */

static yoke_status solve(device *d, const double *x, const double *u,
                         yoke_err *err)
{
    return d->drive == YK_DRIVE_CURRENT
               ? yk_field_solve_current(d->solver, u, err)
               : yk_field_solve_flux(d->solver, x, err);
}

static yoke_status device_eval(void *self, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    device *d = self;
    const yk_field_solver *s = d->solver;
    const double *R = s->model.resistance;

    (void)t;
    if (d->drive == YK_DRIVE_CURRENT) {
        if (q) YK_TRY(solve(d, x, u, err));
        for (int j = 0; j < d->m; j++) {
            if (q) q[j] = s->phi[j];
            if (f) f[j] = R[j] * u[j] - x[j];
        }
        return YOKE_OK;
    }
    const bool is_flux = d->drive == YK_DRIVE_FLUX;
    if (f && !is_flux) YK_TRY(solve(d, x, u, err));
    for (int j = 0; j < d->m; j++) {
        if (q) q[j] = is_flux ? 0.0 : x[j];
        if (f) f[j] = is_flux ? x[j] - u[j] : R[j] * s->i[j] - u[j];
    }
    return YOKE_OK;
}

/* y: currents (of them, if they are given, voltages), fluxes, energy,
 * inductances, offsets. */
static int output_count(const device *d)
{
    const int fluxes = d->drive == YK_DRIVE_FLUX ? 0 : d->m;
    const int inductances = d->extract == YK_EXTRACT_NONE ? 0 : d->pairs;
    const int offsets = d->extract == YK_EXTRACT_TANGENT ? d->m : 0;

    return d->m + fluxes + 1 + inductances + offsets;
}

static yoke_status device_output(void *self, double t, const double *x,
                                 const double *u, double *y, yoke_err *err)
{
    device *d = self;
    yk_field_solver *s = d->solver;
    const int m = d->m;

    (void)t;
    YK_TRY(solve(d, x, u, err));
    for (int j = 0; j < m; j++)
        *y++ = d->drive == YK_DRIVE_CURRENT ? x[j] : s->i[j];
    for (int j = 0; d->drive != YK_DRIVE_FLUX && j < m; j++) *y++ = s->phi[j];
    *y++ = s->energy;
    if (d->extract == YK_EXTRACT_NONE) return YOKE_OK;
    const bool is_chord = d->extract == YK_EXTRACT_CHORD;
    YK_TRY(is_chord ? yk_field_chord(s, err)
                    : yk_field_tangent(s, for_output, err));
    const double *L = is_chord ? s->L_chord : s->L;
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) *y++ = L[i * m + j];
    for (int i = 0; !is_chord && i < m; i++) {
        *y = s->phi[i];
        for (int j = 0; j < m; j++) *y -= L[i * m + j] * s->i[j];
        y++;
    }
    return YOKE_OK;
}

/* ---- derivatives --------------------------------------------------------- */

/* da of a change of variable k (flux, or current) by one. */
static void direction(device *d, int k)
{
    const yk_field_solver *s = d->solver;
    const int m = d->m, n = s->model.n;

    memset(d->da, 0, (size_t)n * sizeof *d->da);
    for (int j = 0; j < m; j++) {
        const double weight =
            d->drive == YK_DRIVE_CURRENT ? (double)(j == k) : s->G[j * m + k];
        const double *W = s->W + (size_t)j * (size_t)n;
        for (int r = 0; r < n; r++) d->da[r] += weight * W[r];
    }
}

/* d y / d variable k, in the order of the outputs; they are full. */
static yoke_status output_column(device *d, int k, double *y, yoke_err *err)
{
    yk_field_solver *s = d->solver;
    const int m = d->m;
    const bool given_i = d->drive == YK_DRIVE_CURRENT;
    double power = 0.0;

    for (int j = 0; j < m; j++) *y++ = given_i ? 0.0 : s->G[j * m + k];
    for (int j = 0; d->drive != YK_DRIVE_FLUX && j < m; j++)
        *y++ = given_i ? s->L[j * m + k] : (double)(j == k);
    for (int j = 0; j < m; j++)
        power += s->i[j] * (given_i ? s->L[j * m + k] : (double)(j == k));
    *y++ = power; /* dW = i' dphi */
    if (d->extract == YK_EXTRACT_NONE) return YOKE_OK;
    const bool is_chord = d->extract == YK_EXTRACT_CHORD;
    if (is_chord) YK_TRY(yk_field_chord(s, err));
    direction(d, k);
    yk_field_vary(&s->model, is_chord ? YK_CHORD : YK_TANGENT, s->a, d->da,
                  is_chord ? s->W_chord : s->W, d->vary);
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) *y++ = -d->vary[i * m + j];
    for (int i = 0; !is_chord && i < m; i++) {
        /* psi = phi - L i, dphi = L di: what is left is -dL i */
        *y = 0.0;
        for (int j = 0; j < m; j++) *y += d->vary[i * m + j] * s->i[j];
        y++;
    }
    return YOKE_OK;
}

static yoke_status fill_outputs(device *d, const yoke_jacobian *jac,
                                yoke_err *err)
{
    const int p = output_count(d);
    double *to = d->drive == YK_DRIVE_CURRENT ? jac->Hu : jac->Hx;

    for (int k = 0; to && k < d->m; k++)
        YK_TRY(output_column(d, k, to + k * p, err));
    for (int j = 0; d->drive == YK_DRIVE_CURRENT && jac->Hx && j < d->m; j++)
        jac->Hx[j] = 1.0;
    return YOKE_OK;
}

static yoke_status device_jacobian(void *self, double t, const double *x,
                                   const double *u, const yoke_jacobian *jac,
                                   yoke_err *err)
{
    device *d = self;
    yk_field_solver *s = d->solver;
    const double *R = s->model.resistance;
    const int m = d->m;

    (void)t;
    YK_TRY(solve(d, x, u, err));
    YK_TRY(yk_field_tangent(s, for_jacobian, err));
    for (int j = 0; j < m; j++) {
        if (d->drive == YK_DRIVE_CURRENT) {
            if (jac->G) jac->G[j] = -1.0;
            if (jac->Gu) jac->Gu[j] = R[j];
            for (int k = 0; jac->Cu && k < m; k++)
                jac->Cu[j * m + k] = s->L[j * m + k];
            continue;
        }
        if (jac->Gu) jac->Gu[j] = -1.0;
        if (d->drive == YK_DRIVE_FLUX) {
            if (jac->G) jac->G[j] = 1.0;
            continue;
        }
        if (jac->C) jac->C[j] = 1.0;
        for (int k = 0; jac->G && k < m; k++)
            jac->G[j * m + k] = R[k] * s->G[k * m + j];
    }
    return fill_outputs(d, jac, err);
}

/* ---- the system ---------------------------------------------------------- */

/* The solution begins at the last one, and shows it in its last digits: somebody else
 * has one of his own, and factored matrices. */
static void device_aside(void *self, bool on)
{
    device *d = self;
    yk_field_solver *was = d->solver;

    (void)on;
    d->solver = d->other;
    d->other = was;
}

static void device_free(void *self)
{
    device *d = self;

    if (!d) return;
    yk_field_solver_free(d->solver);
    yk_field_solver_free(d->other);
    yoke_mesh_free(d->mesh);
    YK_FREE(d->vary, d->da, d);
}

static const yoke_system_ops device_ops = {
    .kind = "field",
    .eval = device_eval,
    .output = device_output,
    .jacobian = device_jacobian,
    .free = device_free,
};

static const yoke_help_ops device_help = { .aside = device_aside };

typedef struct facts {
    yk_field_names x, u, y;
    yoke_pattern *diagonal, *full, *outputs, *first;
} facts;

static void facts_clear(facts *f)
{
    yk_field_names_clear(&f->x);
    yk_field_names_clear(&f->u);
    yk_field_names_clear(&f->y);
    yoke_pattern_free(f->diagonal);
    yoke_pattern_free(f->full);
    yoke_pattern_free(f->outputs);
    yoke_pattern_free(f->first);
}

static yoke_status name_all(const device *d, const yk_field *given, facts *f,
                            yoke_err *err)
{
    static const char *const unknown[] = { "phi", "phi", "v" };
    static const char *const input[] = { "v", "phi", "i" };
    static const char *const unknown_unit[] = { "Wb", "Wb", "V" };
    static const char *const input_unit[] = { "V", "Wb", "A" };
    const char *names[64];
    const int m = given->windings;

    for (int j = 0; j < m; j++) {
        const char *name = given->winding[j].name;
        names[j] = name;
        YK_TRY(yk_field_name(&f->x, unknown_unit[d->drive], err, "%.200s.%s",
                             name, unknown[d->drive]));
        YK_TRY(yk_field_name(&f->u, input_unit[d->drive], err, "%.200s.%s",
                             name, input[d->drive]));
        YK_TRY(yk_field_name(&f->y, d->drive == YK_DRIVE_CURRENT ? "V" : "A",
                             err, "%.200s.%s", name,
                             d->drive == YK_DRIVE_CURRENT ? "v" : "i"));
    }
    for (int j = 0; d->drive != YK_DRIVE_FLUX && j < m; j++)
        YK_TRY(yk_field_name(&f->y, "Wb", err, "%.200s.phi", names[j]));
    YK_TRY(yk_field_name(&f->y, "J", err, "energy"));
    if (d->extract != YK_EXTRACT_NONE)
        YK_TRY(yk_field_name_inductances(&f->y, m, names, err));
    for (int j = 0; d->extract == YK_EXTRACT_TANGENT && j < m; j++)
        YK_TRY(yk_field_name(&f->y, "Wb", err, "psi.%.200s", names[j]));
    return YOKE_OK;
}

static yoke_status make_patterns(const device *d, facts *f, yoke_err *err)
{
    const int m = d->m, p = output_count(d);
    int row[64], col[64];

    YK_TRY(yk_pattern_identity(&f->diagonal, m, err));
    YK_TRY(yk_pattern_full(&f->full, m, m, err));
    YK_TRY(yk_pattern_full(&f->outputs, p, m, err));
    for (int j = 0; j < m; j++) row[j] = col[j] = j;
    return yoke_pattern_create(&f->first, p, m, m, row, col, err);
}

/* Fluxes of magnets alone: the field without currents. */
static yoke_status find_start(device *d, double *x0, yoke_err *err)
{
    double none[64] = { 0.0 };

    YK_TRY(yk_field_solve_current(d->solver, none, err));
    for (int j = 0; d->drive != YK_DRIVE_CURRENT && j < d->m; j++)
        x0[j] = d->solver->phi[j];
    return YOKE_OK;
}

static yoke_status describe(device **d, yoke_system **out, const char *name,
                            const yk_field *given, facts *f, yoke_err *err)
{
    double x0[64] = { 0.0 };
    const yk_field_drive drive = (*d)->drive;
    const bool voltage = drive == YK_DRIVE_VOLTAGE,
               current = drive == YK_DRIVE_CURRENT;

    YK_TRY(name_all(*d, given, f, err));
    YK_TRY(make_patterns(*d, f, err));
    YK_TRY(find_start(*d, x0, err));
    const yoke_system_info info = {
        .n = (*d)->m,
        .m = (*d)->m,
        .p = output_count(*d),
        .flags = YOKE_ITERATED | YOKE_TIMELESS | YOKE_PARALLEL,
        .x0 = x0,
        .x_name = (const char *const *)f->x.name,
        .x_unit = f->x.unit,
        .u_name = (const char *const *)f->u.name,
        .y_name = (const char *const *)f->y.name,
        .y_unit = f->y.unit,
        .C = voltage ? f->diagonal : NULL,
        .G = voltage ? f->full : f->diagonal,
        .Cu = current ? f->full : NULL,
        .Gu = f->diagonal,
        .Hx = current ? f->first : f->outputs,
        .Hu = current ? f->outputs : NULL,
        .help = &device_help,
    };
    const double inside = solve_price * (*d)->solver->model.n;
    void *const self = *d;
    *d = NULL;
    YK_TRY(yoke_system_create(out, name, &device_ops, self, &info, err));
    yk_system_solves(*out, inside);
    return YOKE_OK;
}

static yoke_status copy_mesh_parts(yoke_mesh *m, const yoke_mesh *from,
                                   yoke_err *err)
{
    const size_t triangles = (size_t)from->triangles;

    YK_TRY(yk_copy_text(&m->path, from->path, err));
    YK_TRY(yk_copy_doubles(&m->x, from->x, (size_t)from->nodes, err));
    YK_TRY(yk_copy_doubles(&m->y, from->y, (size_t)from->nodes, err));
    YK_TRY(YK_NEW(&m->triangle, triangles, err));
    memcpy(m->triangle, from->triangle, triangles * sizeof *m->triangle);
    YK_TRY(yk_copy_ints(&m->region_of, from->region_of, triangles, err));
    YK_TRY(YK_NEW(&m->region, from->regions, err));
    for (; m->regions < from->regions; m->regions++)
        YK_TRY(yk_copy_text(&m->region[m->regions], from->region[m->regions],
                            err));
    m->nodes = from->nodes;
    m->triangles = from->triangles;
    return YOKE_OK;
}

/* Its nodes, triangles and regions, without the lines. */
static yoke_status copy_mesh(yoke_mesh **out, const yoke_mesh *from,
                             yoke_err *err)
{
    yoke_mesh *m = NULL;

    YK_TRY(YK_NEW(&m, 1, err));
    const yoke_status status = copy_mesh_parts(m, from, err);
    if (status == YOKE_OK)
        *out = m;
    else
        yoke_mesh_free(m);
    return status;
}

static yoke_status make_device(yoke_system **out, const char *name,
                               yk_field_solver **solver, const yk_field *given,
                               yoke_err *err)
{
    const size_t m = (size_t)given->windings;
    yoke_status status = YOKE_OK;
    device *d = NULL;
    facts f = { .diagonal = NULL };

    YK_GO(YK_NEW(&d, 1, err));
    d->solver = *solver;
    *solver = NULL;
    YK_GO(yk_field_solver_create(&d->other, given, err));
    d->drive = given->drive;
    d->extract = given->extract;
    d->m = given->windings;
    d->pairs = d->m * (d->m + 1) / 2;
    YK_GO(copy_mesh(&d->mesh, given->mesh, err));
    YK_GO(yk_doubles(&d->vary, m * m, err));
    YK_GO(yk_doubles(&d->da, (size_t)d->solver->model.n, err));
    YK_GO(describe(&d, out, name, given, &f, err));
done:
    device_free(d);
    facts_clear(&f);
    return status;
}

static yoke_status check_names(const yk_field *given, yoke_err *err)
{
    for (int j = 0; j < given->windings; j++)
        for (int k = 0; k < j; k++)
            if (strcmp(given->winding[j].name, given->winding[k].name) == 0)
                return yk_fail(err, YOKE_E_MODEL,
                               "there are two windings \"%.100s\"",
                               given->winding[j].name);
    if (given->windings > 64)
        return yk_fail(err, YOKE_E_MODEL,
                       "%d windings; at most 64 are possible", given->windings);
    return YOKE_OK;
}

yoke_status yk_field_create(yoke_system **out, const char *name,
                            const yk_field *given, yoke_err *err)
{
    yk_field_solver *solver = NULL;
    yoke_status status = check_names(given, err);

    if (status == YOKE_OK) status = yk_field_solver_create(&solver, given, err);
    if (status == YOKE_OK && solver->model.has_eddies) {
        status = yk_field_eddy_create(out, name, solver, given, err);
        solver = NULL;
    } else if (status == YOKE_OK) {
        status = make_device(out, name, &solver, given, err);
    }
    yk_field_solver_free(solver);
    if (status != YOKE_OK) yk_prefix(err, "field \"%.100s\"", name);
    return status;
}

yoke_status yoke_field_draw(yoke_system *system, const double *current,
                            const char *title, const char *path, yoke_err *err)
{
    YK_POINT;

    if (system->ops != &device_ops)
        return yk_fail(
            err, YOKE_E_ARG,
            "\"%.100s\" is not a field that follows from its currents",
            system->name);
    device *d = system->self;
    YK_TRY(yk_field_solve_current(d->solver, current, err));
    return yk_field_draw(d->solver, d->mesh, title, path, err);
}
