/* part.c -- a subsystem whose exact solution is known. */
#include "part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the exact solution -------------------------------------------------- */

static void basis_at(const basis *b, double t, double value[BASIS])
{
    value[0] = 1.0;
    value[1] = cos(b->slow * t);
    value[2] = sin(b->slow * t);
    value[3] = cos(b->fast * t);
    value[4] = sin(b->fast * t);
    value[5] = exp(-b->decay * t);
}

static double combine(const course *f, const double value[BASIS])
{
    double sum = 0.0;

    for (int k = 0; k < BASIS; k++) sum += f->c[k] * value[k];
    return sum;
}

double course_at(const basis *b, const course *f, double t)
{
    double value[BASIS];

    basis_at(b, t, value);
    return combine(f, value);
}

course course_derivative(const basis *b, const course *f)
{
    return (course){ { 0.0, b->slow * f->c[2], -b->slow * f->c[1],
                       b->fast * f->c[4], -b->fast * f->c[3],
                       -b->decay * f->c[5] } };
}

void course_add(course *to, double factor, const course *from)
{
    for (int k = 0; k < BASIS; k++) to->c[k] += factor * from->c[k];
}

/* Values and first derivatives of everything at one time. */
typedef struct exact {
    double x[MOST_X], u[MOST_U], y[MOST_Y];
    double x_dot[MOST_X], u_dot[MOST_U];
} exact;

static void exact_at(const part *p, double t, exact *e)
{
    double value[BASIS];

    basis_at(p->basis, t, value);
    for (int i = 0; i < p->n; i++) {
        const course dot = course_derivative(p->basis, &p->x[i]);
        e->x[i] = combine(&p->x[i], value);
        e->x_dot[i] = combine(&dot, value);
    }
    for (int i = 0; i < p->m; i++) {
        const course dot = course_derivative(p->basis, &p->u[i]);
        e->u[i] = combine(&p->u[i], value);
        e->u_dot[i] = combine(&dot, value);
    }
    for (int i = 0; i < p->p; i++) e->y[i] = combine(&p->y[i], value);
}

/* ---- terms --------------------------------------------------------------- */

void part_add_term(part *p, term_place place, int row, term_kind kind,
                   bool of_input, int index, double coefficient)
{
    if (p->terms == MOST_TERMS) return;
    p->term[p->terms++] = (term){ .place = place,
                                  .kind = kind,
                                  .row = row,
                                  .index = index,
                                  .of_input = of_input,
                                  .coefficient = coefficient };
}

static double kind_value(term_kind kind, double z)
{
    switch (kind) {
    case CUBE:
        return z * z * z;
    case SINE:
        return sin(z);
    case DIODE:
        return expm1(z);
    }
    return 0.0;
}

static double kind_slope(term_kind kind, double z)
{
    switch (kind) {
    case CUBE:
        return 3.0 * z * z;
    case SINE:
        return cos(z);
    case DIODE:
        return exp(z);
    }
    return 0.0;
}

static double term_value(const term *a, const double *x, const double *u)
{
    return a->coefficient *
           kind_value(a->kind, a->of_input ? u[a->index] : x[a->index]);
}

static double term_slope(const term *a, const double *x, const double *u)
{
    return a->coefficient *
           kind_slope(a->kind, a->of_input ? u[a->index] : x[a->index]);
}

static void add_terms(const part *p, term_place place, const double *x,
                      const double *u, double *sum)
{
    for (int k = 0; k < p->terms; k++)
        if (p->term[k].place == place)
            sum[p->term[k].row] += term_value(&p->term[k], x, u);
}

/* ---- the equations without their sources --------------------------------- */

static void charges(const part *p, const double *x, const double *u, double *q)
{
    for (int i = 0; i < p->n; i++) {
        q[i] = 0.0;
        for (int j = 0; j < p->n; j++) q[i] += p->E[i][j] * x[j];
        for (int j = 0; j < p->m; j++) q[i] += p->F[i][j] * u[j];
    }
    add_terms(p, IN_CHARGE, x, u, q);
}

static void flows(const part *p, const double *x, const double *u, double *f)
{
    for (int i = 0; i < p->n; i++) {
        f[i] = 0.0;
        for (int j = 0; j < p->n; j++) f[i] += p->A[i][j] * x[j];
        for (int j = 0; j < p->m; j++) f[i] -= p->B[i][j] * u[j];
    }
    add_terms(p, IN_FLOW, x, u, f);
}

static void outputs(const part *p, const double *x, const double *u, double *y)
{
    for (int i = 0; i < p->p; i++) {
        y[i] = 0.0;
        for (int j = 0; j < p->n; j++) y[i] += p->H[i][j] * x[j];
        for (int j = 0; j < p->m; j++) y[i] += p->D[i][j] * u[j];
    }
    add_terms(p, IN_OUTPUT, x, u, y);
}

/* s = d/dt q + f along the exact solution. */
static void source(const part *p, double t, double *s)
{
    exact e;

    exact_at(p, t, &e);
    flows(p, e.x, e.u, s);
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) s[i] += p->E[i][j] * e.x_dot[j];
        for (int j = 0; j < p->m; j++) s[i] += p->F[i][j] * e.u_dot[j];
    }
    for (int k = 0; k < p->terms; k++) {
        const term *a = &p->term[k];
        if (a->place != IN_CHARGE) continue;
        s[a->row] += term_slope(a, e.x, e.u) *
                     (a->of_input ? e.u_dot[a->index] : e.x_dot[a->index]);
    }
}

/* ---- callbacks ----------------------------------------------------------- */

static yoke_status eval(void *self, double t, const double *x, const double *u,
                        double *q, double *f, yoke_err *err)
{
    const part *p = self;
    double s[MOST_X];

    (void)err;
    if (q) charges(p, x, u, q);
    if (!f) return YOKE_OK;
    flows(p, x, u, f);
    source(p, t, s);
    for (int i = 0; i < p->n; i++) f[i] -= s[i];
    return YOKE_OK;
}

static yoke_status output(void *self, double t, const double *x,
                          const double *u, double *y, yoke_err *err)
{
    const part *p = self;
    double made[MOST_Y];
    exact e;

    (void)err;
    exact_at(p, t, &e);
    outputs(p, x, u, y);
    outputs(p, e.x, e.u, made);
    for (int i = 0; i < p->p; i++) y[i] += e.y[i] - made[i];
    return YOKE_OK;
}

typedef struct matrices {
    double C[MOST_X][MOST_X], G[MOST_X][MOST_X];
    double Cu[MOST_X][MOST_U], Gu[MOST_X][MOST_U];
    double Hx[MOST_Y][MOST_X], Hu[MOST_Y][MOST_U];
} matrices;

static void linear_matrices(const part *p, matrices *a)
{
    memset(a, 0, sizeof *a);
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) a->C[i][j] = p->E[i][j];
        for (int j = 0; j < p->n; j++) a->G[i][j] = p->A[i][j];
        for (int j = 0; j < p->m; j++) a->Cu[i][j] = p->F[i][j];
        for (int j = 0; j < p->m; j++) a->Gu[i][j] = -p->B[i][j];
    }
    for (int i = 0; i < p->p; i++) {
        for (int j = 0; j < p->n; j++) a->Hx[i][j] = p->H[i][j];
        for (int j = 0; j < p->m; j++) a->Hu[i][j] = p->D[i][j];
    }
}

static double *place_of(matrices *a, const term *at)
{
    const int i = at->row, j = at->index;

    if (at->place == IN_CHARGE)
        return at->of_input ? &a->Cu[i][j] : &a->C[i][j];
    if (at->place == IN_FLOW) return at->of_input ? &a->Gu[i][j] : &a->G[i][j];
    return at->of_input ? &a->Hu[i][j] : &a->Hx[i][j];
}

/* The entries that may differ from zero, in the order of the patterns. */
typedef struct places {
    int rows, cols, count;
    int row[MOST_X * MOST_X], col[MOST_X * MOST_X];
} places;

static void find_places(places *a, int rows, int cols, int width,
                        const double *value)
{
    a->rows = rows;
    a->cols = cols;
    a->count = 0;
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            if (value[i * width + j] == 0.0) continue;
            a->row[a->count] = i;
            a->col[a->count++] = j;
        }
}

enum { SIX = 6 };

static void places_of(const part *p, places at[SIX])
{
    matrices a;

    linear_matrices(p, &a);
    for (int k = 0; k < p->terms; k++) {
        double *entry = place_of(&a, &p->term[k]);
        if (*entry == 0.0) *entry = 1.0;
    }
    find_places(&at[0], p->n, p->n, MOST_X, &a.C[0][0]);
    find_places(&at[1], p->n, p->n, MOST_X, &a.G[0][0]);
    find_places(&at[2], p->n, p->m, MOST_U, &a.Cu[0][0]);
    find_places(&at[3], p->n, p->m, MOST_U, &a.Gu[0][0]);
    find_places(&at[4], p->p, p->n, MOST_X, &a.Hx[0][0]);
    find_places(&at[5], p->p, p->m, MOST_U, &a.Hu[0][0]);
}

static void gather(const places *at, int width, const double *value,
                   double *entries)
{
    if (!entries) return;
    for (int k = 0; k < at->count; k++)
        entries[k] = value[at->row[k] * width + at->col[k]];
}

static yoke_status jacobian(void *self, double t, const double *x,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err)
{
    const part *p = self;
    places at[SIX];
    matrices a;

    (void)t, (void)err;
    places_of(p, at);
    linear_matrices(p, &a);
    for (int k = 0; k < p->terms; k++)
        *place_of(&a, &p->term[k]) += term_slope(&p->term[k], x, u);
    gather(&at[0], MOST_X, &a.C[0][0], jac->C);
    gather(&at[1], MOST_X, &a.G[0][0], jac->G);
    gather(&at[2], MOST_U, &a.Cu[0][0], jac->Cu);
    gather(&at[3], MOST_U, &a.Gu[0][0], jac->Gu);
    gather(&at[4], MOST_X, &a.Hx[0][0], jac->Hx);
    gather(&at[5], MOST_U, &a.Hu[0][0], jac->Hu);
    return YOKE_OK;
}

void part_input_slope(const part *p, term_place place, double t,
                      double slope[MOST_Y][MOST_U])
{
    matrices a;
    exact e;

    exact_at(p, t, &e);
    linear_matrices(p, &a);
    for (int k = 0; k < p->terms; k++)
        *place_of(&a, &p->term[k]) += term_slope(&p->term[k], e.x, e.u);
    memset(slope, 0, sizeof(double[MOST_Y][MOST_U]));
    if (place == IN_OUTPUT) memcpy(slope, a.Hu, sizeof a.Hu);
    if (place == IN_CHARGE) memcpy(slope, a.Cu, sizeof a.Cu);
    if (place == IN_FLOW) memcpy(slope, a.Gu, sizeof a.Gu);
}

/* ---- the system ---------------------------------------------------------- */

static yoke_status create(yoke_system **out, part *p,
                          yoke_pattern *const pattern[SIX], yoke_err *err)
{
    static const yoke_system_ops ops = {
        .kind = "part", .eval = eval, .output = output, .jacobian = jacobian
    };
    char number[MOST_Y][16];
    const char *name[MOST_Y];
    exact e;

    exact_at(p, 0.0, &e);
    for (int i = 0; i < p->p; i++) {
        snprintf(number[i], sizeof number[i], "y%d", i + 1);
        name[i] = p->y_name[i][0] ? p->y_name[i] : number[i];
    }
    const yoke_system_info info = {
        .n = p->n,
        .m = p->m,
        .p = p->p,
        .flags = p->terms == 0 ? YOKE_AFFINE : 0u,
        .x0 = e.x,
        .y_name = name,
        .C = pattern[0],
        .G = pattern[1],
        .Cu = pattern[2],
        .Gu = pattern[3],
        .Hx = pattern[4],
        .Hu = pattern[5],
    };
    return yoke_system_create(out, p->name, &ops, p, &info, err);
}

yoke_status part_system(yoke_system **out, part *p, yoke_err *err)
{
    places at[SIX];
    yoke_pattern *pattern[SIX] = { NULL };
    yoke_status status = YOKE_OK;

    places_of(p, at);
    for (int k = 0; k < SIX && status == YOKE_OK; k++)
        status = yoke_pattern_create(&pattern[k], at[k].rows, at[k].cols,
                                     at[k].count, at[k].row, at[k].col, err);
    if (status == YOKE_OK) status = create(out, p, pattern, err);
    for (int k = 0; k < SIX; k++) yoke_pattern_free(pattern[k]);
    return status;
}
