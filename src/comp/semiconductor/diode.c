/* comp/semiconductor/diode.c -- the device as a subsystem.
 *
 * The three fields of the boxes, and by the coupling, with i(x, v) the mean
 * current of the carriers and C = eps A/L:
 *
 *   source        d/dt (C v) + i(x, v) - i = 0      unknown i, input v,
 *                 y = i, 0
 *   capacitance   y = i(x, v), C                    input v
 *   port          d/dt (C v) + i(x, v) - u = 0      unknown v, input u
 *
 * Densities are unknowns as they are, not their logarithms: the currents are
 * linear in them, so that Newton's method hardly sees a nonlinearity, and
 * carriers too few to matter do not choose the steps.  Implicit Euler keeps
 * them positive, methods of higher order within their errors; what is left
 * below a least positive density after a step is lifted to it.
 */
#include "comp/semiconductor/device.h"

#include "la/pattern.h"
#include "yoke/optional.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct diode {
    yk_dd device;
    yk_diode_coupling coupling;
    int n;                 /* of the three fields */
    double least;          /* density */
    double *row;           /* n: derivatives of the current */
    double *weight, *by_v; /* of the charges; dF/dv beside the anode */
    yoke_pattern *C, *Cu, *Gu, *Hx, *Hu;
    int *place; /* of the row's entries in G, or in Hx */
    int own;    /* of the last unknown's in G */
} diode;

static void diode_free(void *self)
{
    diode *s = self;

    if (!s) return;
    yk_dd_clear(&s->device);
    YK_FREE(s->row, s->weight, s->by_v, s->place);
    yoke_pattern_free(s->C);
    yoke_pattern_free(s->Cu);
    yoke_pattern_free(s->Gu);
    yoke_pattern_free(s->Hx);
    yoke_pattern_free(s->Hu);
    yk_free(s);
}

static bool has_row(const diode *s)
{
    return s->coupling != YK_DIODE_CAPACITANCE;
}

static int outputs(const diode *s)
{
    return s->coupling == YK_DIODE_PORT ? 1 : 2;
}

static double voltage(const diode *s, const double *x, const double *u)
{
    return s->coupling == YK_DIODE_PORT ? x[s->n] : u[0];
}

/* ---- callbacks ----------------------------------------------------------- */

static yoke_status diode_eval(void *self, double t, const double *x,
                              const double *u, double *q, double *f,
                              yoke_err *err)
{
    const diode *s = self;
    const yk_dd *d = &s->device;
    const double v = voltage(s, x, u);

    (void)t, (void)err;
    yk_dd_eval(d, x, v, q, f);
    if (!has_row(s)) return YOKE_OK;
    if (q) q[s->n] = d->capacitance * v;
    if (f)
        f[s->n] = yk_dd_current(d, x, v, NULL, NULL) -
                  (s->coupling == YK_DIODE_PORT ? u[0] : x[s->n]);
    return YOKE_OK;
}

static yoke_status diode_output(void *self, double t, const double *x,
                                const double *u, double *y, yoke_err *err)
{
    const diode *s = self;

    (void)t, (void)err;
    if (has_row(s)) {
        y[0] = x[s->n];
        if (s->coupling == YK_DIODE_SOURCE) y[1] = 0.0;
        return YOKE_OK;
    }
    y[0] = yk_dd_current(&s->device, x, u[0], NULL, NULL);
    y[1] = s->device.capacitance;
    return YOKE_OK;
}

/* dF/dv of the rows beside the anode: a column of G or of Gu. */
static void put_voltage(const diode *s, double *G, double *Gu)
{
    const yk_dd *d = &s->device;
    const bool inside = s->coupling == YK_DIODE_PORT;
    double *const to = inside ? G : Gu;
    const yoke_pattern *p = inside ? d->G : s->Gu;

    for (int k = 0; to && k < YK_FIELDS * d->beside; k++) {
        const int row = YK_FIELDS * d->beside_anode[k / YK_FIELDS];
        to[yoke_pattern_find(p, row + k % YK_FIELDS, inside ? s->n : 0)] +=
            s->by_v[k];
    }
}

/* Derivatives of i(x, v). */
static void put_current(const diode *s, const double *x, double v,
                        const yoke_jacobian *jac)
{
    double *const to = has_row(s) ? jac->G : jac->Hx;
    double dv = 0.0;

    yk_dd_current(&s->device, x, v, s->row, &dv);
    for (int k = 0; to && k < s->n; k++) to[s->place[k]] += s->row[k];
    if (s->coupling == YK_DIODE_CAPACITANCE && jac->Hu) jac->Hu[0] = dv;
    if (s->coupling == YK_DIODE_SOURCE && jac->Gu)
        jac->Gu[yoke_pattern_find(s->Gu, s->n, 0)] += dv;
    if (s->coupling == YK_DIODE_SOURCE && jac->G) jac->G[s->own] -= 1.0;
    if (s->coupling == YK_DIODE_PORT && jac->G) jac->G[s->own] += dv;
    if (s->coupling == YK_DIODE_PORT && jac->Gu) jac->Gu[0] = -1.0;
}

static yoke_status diode_jacobian(void *self, double t, const double *x,
                                  const double *u, const yoke_jacobian *jac,
                                  yoke_err *err)
{
    diode *s = self;
    const yk_dd *d = &s->device;
    const double v = voltage(s, x, u);

    (void)t, (void)err;
    for (int k = 0, at = 0; jac->C && k < s->n; k++)
        if (k % YK_FIELDS != YK_PSI) jac->C[at++] = s->weight[k];
    if (jac->C && s->coupling == YK_DIODE_PORT)
        jac->C[yoke_pattern_find(s->C, s->n, s->n)] = d->capacitance;
    if (jac->Cu && s->coupling == YK_DIODE_SOURCE) jac->Cu[0] = d->capacitance;
    if (jac->G || jac->Gu) {
        yk_dd_jacobian(d, x, v, jac->G, s->by_v);
        put_voltage(s, jac->G, jac->Gu);
    }
    if (jac->G || jac->Gu || jac->Hx || jac->Hu) put_current(s, x, v, jac);
    if (jac->Hx && has_row(s)) jac->Hx[0] = 1.0;
    return YOKE_OK;
}

/* A density falls to a tenth at most, so that it stays positive, and the
 * potential moves by some UT.  Bounds on carriers too few to matter do not
 * count. */
static bool diode_bound(void *self, const double *x, double *dx)
{
    const diode *s = self;
    const double most = 10.0 * s->device.ut, little = 1e-12 * s->device.scale;
    bool bounded = false;

    for (int k = 0; k < s->n; k++) {
        const bool is_psi = k % YK_FIELDS == YK_PSI;
        const double old = dx[k];
        if (is_psi)
            dx[k] = copysign(fmin(fabs(old), most), old);
        else
            dx[k] = fmax(old, -0.9 * fmax(x[k], s->least));
        if (fabs(dx[k] - old) > (is_psi ? 0.0 : little)) bounded = true;
    }
    return bounded;
}

static yoke_status diode_project(void *self, double t, double *x,
                                 double missed[2], yoke_err *err)
{
    const diode *s = self;

    (void)t, (void)err;
    missed[0] = missed[1] = 0.0;
    for (int k = 0; k < s->n; k++)
        if (k % YK_FIELDS != YK_PSI && x[k] < s->least) x[k] = s->least;
    return YOKE_OK;
}

/* ---- patterns ------------------------------------------------------------ */

/* Rows that contain the voltage. */
static int list_voltage(const diode *s, int *row)
{
    const yk_dd *d = &s->device;

    for (int k = 0; k < YK_FIELDS * d->beside; k++)
        row[k] = YK_FIELDS * d->beside_anode[k / YK_FIELDS] + k % YK_FIELDS;
    return YK_FIELDS * d->beside;
}

/* The row of the current, and the column of the voltage if it is an unknown. */
static yoke_status make_G(diode *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *row = NULL, *col = NULL, count = 0;

    YK_GO(YK_INTS(2 * (size_t)s->n + 1, err, &row, &col));
    if (s->coupling == YK_DIODE_PORT) count = list_voltage(s, row);
    for (int k = 0; k < count; k++) col[k] = s->n;
    for (int k = 0; has_row(s) && k <= s->n; k++) {
        row[count] = s->n;
        col[count++] = k;
    }
    const yk_more more = { s->n + has_row(s), count, row, col };
    YK_GO(yk_dd_pattern(&s->device, &more, err));
done:
    YK_FREE(row, col);
    return status;
}

static yoke_status make_C(diode *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int rows = s->n + has_row(s);
    int *at = NULL, count = 0;

    YK_GO(yk_ints(&at, (size_t)rows, err));
    for (int k = 0; k < s->n; k++)
        if (k % YK_FIELDS != YK_PSI) at[count++] = k;
    if (s->coupling == YK_DIODE_PORT) at[count++] = s->n;
    YK_GO(yoke_pattern_create(&s->C, rows, rows, count, at, at, err));
    const int with = s->coupling == YK_DIODE_SOURCE;
    YK_GO(yoke_pattern_create(&s->Cu, rows, 1, with, &s->n, &(int){ 0 }, err));
done:
    yk_free(at);
    return status;
}

static yoke_status make_Gu(diode *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *row = NULL, *col = NULL, count = 0;

    YK_GO(YK_INTS((size_t)s->n + 1, err, &row, &col));
    if (s->coupling != YK_DIODE_PORT) count = list_voltage(s, row);
    if (has_row(s)) row[count++] = s->n;
    YK_GO(yoke_pattern_create(&s->Gu, s->n + has_row(s), 1, count, row, col,
                              err));
done:
    YK_FREE(row, col);
    return status;
}

static yoke_status make_H(diode *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int zero = 0, p = outputs(s);
    int *row = NULL, *col = NULL;

    if (has_row(s)) {
        YK_TRY(yk_pattern_empty(&s->Hu, p, 1, err));
        return yoke_pattern_create(&s->Hx, p, s->n + 1, 1, &zero, &s->n, err);
    }
    YK_TRY(yoke_pattern_create(&s->Hu, p, 1, 1, &zero, &zero, err));
    YK_GO(YK_INTS((size_t)s->n, err, &row, &col));
    for (int k = 0; k < s->n; k++) col[k] = k;
    YK_GO(yoke_pattern_create(&s->Hx, p, s->n, s->n, row, col, err));
done:
    YK_FREE(row, col);
    return status;
}

static yoke_status make_patterns(diode *s, yoke_err *err)
{
    YK_TRY(make_G(s, err));
    YK_TRY(make_C(s, err));
    YK_TRY(make_Gu(s, err));
    YK_TRY(make_H(s, err));
    YK_TRY(yk_ints(&s->place, (size_t)s->n, err));
    const yoke_pattern *in = has_row(s) ? s->device.G : s->Hx;
    for (int k = 0; k < s->n; k++)
        s->place[k] = yoke_pattern_find(in, has_row(s) ? s->n : 0, k);
    s->own = has_row(s) ? yoke_pattern_find(in, s->n, s->n) : -1;
    return YOKE_OK;
}

/* ---- names, sizes, profiles ---------------------------------------------- */

enum { NAME_SIZE = 24 };

typedef struct about {
    const char **x, **unit, **eq;
    char (*name)[NAME_SIZE];
    double *nominal, *x0;
} about;

static void about_clear(about *f)
{
    YK_FREE(f->x, f->unit, f->eq, f->name, f->nominal, f->x0);
}

/* A size of the current: carriers of a thousandth of the doping, drifting in
 * the field of UT over the device; 1 A at most. */
static double current_size(const yk_dd *d)
{
    const double size = 1e-3 * d->charge * d->scale * d->electrons.mobility[0] *
                        d->ut * d->capacitance / d->eps;

    return fmin(1.0, fmax(size, 1e-12));
}

static yoke_status name_fields(about *f, const diode *s, yoke_err *err)
{
    static const char *const field[] = { "psi", "n", "p" };
    static const char *const row[] = { "poisson", "electrons", "holes" };
    const int all = s->n + 1;

    YK_TRY(YK_NEW(&f->x, all, err));
    YK_TRY(YK_NEW(&f->unit, all, err));
    YK_TRY(YK_NEW(&f->eq, all, err));
    YK_TRY(YK_NEW(&f->name, 2 * all, err));
    for (int k = 0; k < s->n; k++) {
        const int c = k % YK_FIELDS, node = k / YK_FIELDS + 1;
        snprintf(f->name[k], NAME_SIZE, "%s[%d]", field[c], node);
        snprintf(f->name[all + k], NAME_SIZE, "%s[%d]", row[c], node);
        f->x[k] = f->name[k];
        f->unit[k] = c == YK_PSI ? "V" : "1/m3";
        f->eq[k] = f->name[all + k];
    }
    f->x[s->n] = s->coupling == YK_DIODE_PORT ? "anode.v" : "i";
    f->unit[s->n] = s->coupling == YK_DIODE_PORT ? "V" : "A";
    f->eq[s->n] = "current";
    return YOKE_OK;
}

static yoke_status make_about(about *f, const diode *s, double bias,
                              yoke_err *err)
{
    const yk_dd *d = &s->device;
    double v = 0.0;

    YK_TRY(name_fields(f, s, err));
    YK_TRY(YK_DOUBLES((size_t)s->n + 1, err, &f->nominal, &f->x0));
    for (int k = 0; k < s->n; k++)
        f->nominal[k] = k % YK_FIELDS == YK_PSI ? 1.0 : d->scale;
    f->nominal[s->n] = s->coupling == YK_DIODE_PORT ? 1.0 : current_size(d);
    YK_TRY(yk_dd_equilibrium(d, f->x0, err));
    YK_TRY(yk_dd_move(d, f->x0, &v, bias, err));
    f->x0[s->n] = s->coupling == YK_DIODE_PORT
                      ? bias
                      : yk_dd_current(d, f->x0, v, NULL, NULL);
    return YOKE_OK;
}

/* The three fields over x, without the contacts. */
static yoke_status add_profiles(yoke_system *system, const yk_dd *d,
                                const about *f, yoke_err *err)
{
    static const char *const name[] = { "psi", "n", "p" };
    static const char *const label[] = { "potential", "density", "density" };
    yoke_status status = YOKE_OK;
    const char **variable = NULL;

    YK_GO(YK_NEW(&variable, d->inner, err));
    for (int c = 0; c < YK_FIELDS; c++) {
        for (int k = 0; k < d->inner; k++)
            variable[k] = f->x[YK_FIELDS * k + c];
        const yoke_profile p = { .name = name[c],
                                 .label = label[c],
                                 .unit = c == YK_PSI ? "V" : "1/m^3",
                                 .along = "x",
                                 .along_unit = "m",
                                 .points = d->inner,
                                 .at = d->x + 1,
                                 .variable = variable };
        YK_GO(yoke_system_add_profile(system, &p, err));
    }
done:
    yk_free(variable);
    return status;
}

/* ---- life ---------------------------------------------------------------- */

static const yoke_help_ops diode_help = { .bound = diode_bound,
                                          .project = diode_project };

static const yoke_system_ops diode_ops = {
    .kind = "diode",
    .eval = diode_eval,
    .output = diode_output,
    .jacobian = diode_jacobian,
    .free = diode_free,
};

static yoke_status diode_make(diode *s, const yk_diode *given, yoke_err *err)
{
    YK_TRY(yk_dd_create(&s->device, given, err));
    const yk_dd *d = &s->device;
    s->coupling = given->coupling;
    s->n = YK_FIELDS * d->inner;
    s->least = 1e-12 * d->ni * d->ni / d->scale;
    YK_TRY(YK_DOUBLES((size_t)s->n, err, &s->row, &s->weight));
    YK_TRY(yk_doubles(&s->by_v, (size_t)(YK_FIELDS * d->beside), err));
    yk_dd_weights(d, s->weight);
    return make_patterns(s, err);
}

yoke_status yk_diode_create(yoke_system **out, const char *name,
                            const yk_diode *given, yoke_err *err)
{
    static const char *const v_name[] = { "v" }, *const i_name[] = { "i", "c" };
    static const char *const port_u[] = { "anode.i" };
    static const char *const port_y[] = { "anode.v" };
    static const char *const v_unit[] = { "V" }, *const i_unit[] = { "A", "F" };
    const bool is_port = given->coupling == YK_DIODE_PORT;
    yoke_status status = YOKE_OK;
    yoke_system *made = NULL;
    diode *s = NULL;
    about f = { 0 };
    bool taken = false;

    YK_GO(YK_NEW(&s, 1, err));
    YK_GO(diode_make(s, given, err));
    YK_GO(make_about(&f, s, given->bias, err));
    const yoke_system_info info = {
        .n = s->n + has_row(s),
        .m = 1,
        .p = outputs(s),
        .flags = YOKE_TIMELESS | YOKE_PARALLEL,
        .help = &diode_help,
        .x0 = f.x0,
        .nominal = f.nominal,
        .x_name = f.x,
        .x_unit = f.unit,
        .eq_name = f.eq,
        .u_name = is_port ? port_u : v_name,
        .y_name = is_port ? port_y : i_name,
        .y_unit = is_port ? v_unit : i_unit,
        .C = s->C,
        .G = s->device.G,
        .Cu = s->Cu,
        .Gu = s->Gu,
        .Hx = s->Hx,
        .Hu = s->Hu,
    };
    taken = true;
    YK_GO(yoke_system_create(&made, name, &diode_ops, s, &info, err));
    if (!given->mesh) YK_GO(add_profiles(made, &s->device, &f, err));
    *out = made;
    made = NULL;
done:
    yoke_system_free(made);
    if (!taken) diode_free(s);
    if (!taken) yk_prefix(err, "subsystem \"%s\"", name ? name : "unnamed");
    about_clear(&f);
    return status;
}

yk_diode yk_diode_defaults(void)
{
    return (yk_diode){
        .copies = 1.0,
        .cells = 200,
        .permittivity = 11.7 * 8.8541878128e-12,
        .thermal_voltage = 1.380649e-23 * 300.0 / 1.602176634e-19,
        .charge = 1.602176634e-19,
        .intrinsic = 1e16,
        /* exponents: Caughey and Thomas, Proc. IEEE 55 (1967) 2192 */
        .electrons = { .mobility = 0.14, .exponent = 2.0 },
        .holes = { .mobility = 0.045, .exponent = 1.0 },
    };
}

yoke_status yk_diode_look(const yk_diode *given, yk_diode_facts *facts,
                          yoke_err *err)
{
    yk_dd d = { 0 };

    YK_TRY(yk_dd_create(&d, given, err));
    facts->cells = d.edges;
    facts->built_in = d.built_in;
    facts->capacitance = d.capacitance;
    yk_dd_clear(&d);
    return YOKE_OK;
}

yoke_status yk_diode_sweep(const yk_diode *given, int count, const double *v,
                           double *i, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_dd d = { 0 };
    double *x = NULL, at = 0.0;

    YK_TRY(yk_dd_create(&d, given, err));
    YK_GO(yk_doubles(&x, (size_t)(YK_FIELDS * d.inner), err));
    YK_GO(yk_dd_equilibrium(&d, x, err));
    for (int k = 0; k < count; k++) {
        YK_GO(yk_dd_move(&d, x, &at, v[k], err));
        i[k] = d.x ? yk_dd_edge_current(&d, x, v[k], yk_dd_quiet_edge(&d, x))
                   : yk_dd_current(&d, x, v[k], NULL, NULL);
    }
done:
    yk_free(x);
    yk_dd_clear(&d);
    return status;
}
