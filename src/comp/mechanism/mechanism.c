/* comp/mechanism/mechanism.c -- a mechanism as a system in charge form.
 *
 * Unknowns q, v, a, lambda (and mu), equations
 *
 *     q' = v (- G' mu)
 *     v' = a
 *     0  = M a - phi + G' lambda
 *     0  = the constraints, as the formulation has them  (and 0 = gamma)
 *
 * The accelerations are unknowns so that M is never inverted and so that a
 * stepper's dense output gives them between the points of the grid.
 *
 * If everything is affine with constant matrices, the Jacobians are the
 * differences f(e_j) - f(0), taken once; otherwise those of sys/difference.c.
 * Reference: Gear, Leimkuhler, Gupta, J. Comput. Appl. Math. 12 (1985) 77;
 * Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972) 1.
 */
#include "comp/mechanism/mechanism.h"
#include "comp/mechanism/project.h"
#include "la/pattern.h"
#include "yoke/optional.h"

#include "base/arena.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 3 }; /* outputs of a function: value, .v, .a */

/* The six Jacobians of an affine mechanism. */
typedef enum block { C, G, GU, HX, HU, BLOCKS } block;

typedef struct mechanism {
    const yoke_mechanism_ops *ops;
    void *self;
    int n, m, constraints, outputs;
    int all, p; /* unknowns, outputs of the system */
    yoke_formulation formulation;
    double eta;
    double *M, *phi;
    yoke_motion gamma, y;
    yk_projector projector;
    yoke_pattern *pattern[BLOCKS]; /* affine */
    double *value[BLOCKS];
    yoke_pattern *mass_pattern; /* affine: the constant M, row by row */
    double *mass_value;
} mechanism;

static void motion_free(yoke_motion *m)
{
    YK_FREE(m->value, m->G, m->rate, m->bend);
}

static void mechanism_free(void *self)
{
    mechanism *s = self;

    if (!s) return;
    if (s->ops && s->ops->free) s->ops->free(s->self);
    motion_free(&s->gamma);
    motion_free(&s->y);
    yk_projector_clear(&s->projector);
    YK_FREE(s->M, s->phi);
    for (int b = 0; b < BLOCKS; b++) {
        yoke_pattern_free(s->pattern[b]);
        yk_free(s->value[b]);
    }
    yoke_pattern_free(s->mass_pattern);
    YK_FREE(s->mass_value, s);
}

/* ---- evaluation ---------------------------------------------------------- */

typedef yoke_status (*motion_of)(void *self, double t, const double *q,
                                 const double *v, const yoke_motion *motion,
                                 yoke_err *err);

static yoke_status evaluate(const mechanism *s, motion_of f, int count,
                            const yoke_motion *out, double t, const double *q,
                            const double *v, yoke_err *err)
{
    yk_zero(out->value, count);
    yk_zero(out->rate, count);
    yk_zero(out->bend, count);
    yk_zero(out->G, count * s->n);
    return f(s->self, t, q, v, out, err);
}

static yoke_status constraints_at(mechanism *s, double t, const double *q,
                                  const double *v, yoke_err *err)
{
    if (s->constraints == 0) return YOKE_OK;
    return evaluate(s, s->ops->constrain, s->constraints, &s->gamma, t, q, v,
                    err);
}

/* Row k of G times z. */
static double along(const mechanism *s, const yoke_motion *m, int k,
                    const double *z)
{
    double sum = 0.0;

    for (int j = 0; j < s->n; j++) sum += m->G[k * s->n + j] * z[j];
    return sum;
}

/* to += G' z */
static void push(const mechanism *s, const double *z, double *to)
{
    for (int k = 0; k < s->constraints; k++)
        for (int j = 0; j < s->n; j++) to[j] += s->gamma.G[k * s->n + j] * z[k];
}

static double constraint(const mechanism *s, int k, const double *v,
                         const double *a)
{
    const yoke_motion *c = &s->gamma;
    const double eta = s->eta;

    if (s->formulation == YOKE_POSITION) return c->value[k];
    const double first = along(s, c, k, v) + c->rate[k];
    if (s->formulation == YOKE_VELOCITY || s->formulation == YOKE_GGL)
        return first;
    return along(s, c, k, a) + c->bend[k] + 2.0 * eta * first +
           eta * eta * c->value[k];
}

/* out = M a.  A constant M is not asked for again; most of its entries are
 * zero. */
static yoke_status inertia(mechanism *s, const double *q, const double *a,
                           double *out, yoke_err *err)
{
    const int n = s->n;

    yk_zero(out, n);
    if (s->mass_pattern) {
        yk_pattern_multiply_transposed(s->mass_pattern, s->mass_value, 1.0, a,
                                       out);
        return YOKE_OK;
    }
    yk_zero(s->M, n * n);
    YK_TRY(s->ops->mass(s->self, q, s->M, err));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) out[i] += s->M[i * n + j] * a[j];
    return YOKE_OK;
}

static yoke_status residual(mechanism *s, double t, const double *x,
                            const double *u, double *f, yoke_err *err)
{
    const int n = s->n, c = s->constraints;
    const double *q = x, *v = x + n, *a = x + 2 * n, *lambda = x + 3 * n;

    yk_zero(s->phi, n);
    YK_TRY(inertia(s, q, a, f + 2 * n, err));
    YK_TRY(s->ops->force(s->self, t, q, v, u, s->phi, err));
    YK_TRY(constraints_at(s, t, q, v, err));
    for (int i = 0; i < n; i++) {
        f[i] = -v[i];
        f[n + i] = -a[i];
        f[2 * n + i] -= s->phi[i];
    }
    push(s, lambda, f + 2 * n);
    for (int k = 0; k < c; k++) f[3 * n + k] = constraint(s, k, v, a);
    if (s->formulation != YOKE_GGL) return YOKE_OK;
    push(s, lambda + c, f);
    for (int k = 0; k < c; k++) f[3 * n + c + k] = s->gamma.value[k];
    return YOKE_OK;
}

static yoke_status mechanism_eval(void *self, double t, const double *x,
                                  const double *u, double *q, double *f,
                                  yoke_err *err)
{
    mechanism *s = self;

    for (int i = 0; q && i < s->all; i++) q[i] = i < 2 * s->n ? x[i] : 0.0;
    return f ? residual(s, t, x, u, f, err) : YOKE_OK;
}

static yoke_status mechanism_output(void *self, double t, const double *x,
                                    const double *u, double *y, yoke_err *err)
{
    mechanism *s = self;
    const int n = s->n, drift = LEVELS * s->outputs;
    const double *q = x, *v = x + n, *a = x + 2 * n;

    (void)u;
    if (s->ops->observe)
        YK_TRY(evaluate(s, s->ops->observe, s->outputs, &s->y, t, q, v, err));
    for (int k = 0; k < s->outputs; k++) {
        double *const out = y + LEVELS * k;
        const bool own = !s->ops->observe;
        out[0] = own ? q[k] : s->y.value[k];
        out[1] = own ? v[k] : along(s, &s->y, k, v) + s->y.rate[k];
        out[2] = own ? a[k] : along(s, &s->y, k, a) + s->y.bend[k];
    }
    YK_TRY(constraints_at(s, t, q, v, err));
    for (int k = 0; k < s->constraints; k++) {
        y[drift + 2 * k] = s->gamma.value[k];
        y[drift + 2 * k + 1] = along(s, &s->gamma, k, v) + s->gamma.rate[k];
    }
    return YOKE_OK;
}

/* ---- projection ---------------------------------------------------------- */

static yoke_status project_mass(void *self, const double *q, double *M,
                                yoke_err *err)
{
    mechanism *s = self;

    return s->ops->mass(s->self, q, M, err);
}

static yoke_status project_constrain(void *self, double t, const double *q,
                                     const double *v, double *value,
                                     double *rate, double *gradient,
                                     yoke_err *err)
{
    mechanism *s = self;
    const yoke_motion to = { value, gradient, rate, s->gamma.bend };

    return s->ops->constrain(s->self, t, q, v, &to, err);
}

static yoke_status mechanism_project(void *self, double t, double *x,
                                     double missed[2], yoke_err *err)
{
    mechanism *s = self;

    return yk_project_both(&s->projector, t, x, x + s->n, missed, err);
}

static bool mechanism_explain(void *self, yoke_question *ask, char *text,
                              size_t size)
{
    const mechanism *s = self;

    return yk_project_explain(&s->projector, ask, text, size);
}

/* ---- constant Jacobians -------------------------------------------------- */

static yoke_status mechanism_jacobian(void *self, double t, const double *x,
                                      const double *u, const yoke_jacobian *jac,
                                      yoke_err *err)
{
    const mechanism *s = self;
    double *const to[BLOCKS] = { jac->C, jac->G, jac->Gu, jac->Hx, jac->Hu };

    (void)t, (void)x, (void)u, (void)err;
    for (int b = 0; b < BLOCKS; b++)
        if (to[b])
            memcpy(to[b], s->value[b],
                   (size_t)yoke_pattern_count(s->pattern[b]) * sizeof *to[b]);
    return YOKE_OK;
}

/* Columns of dense matrices, rows by cols. */
typedef struct dense {
    int rows, cols;
    double *value;
} dense;

static yoke_status compress(const dense *d, yoke_pattern **pattern,
                            double **value, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t size = (size_t)d->rows * (size_t)d->cols;
    int *row = NULL, *col = NULL, count = 0;

    YK_GO(YK_INTS(size + 1, err, &row, &col));
    YK_GO(yk_doubles(value, size + 1, err));
    for (int j = 0; j < d->cols; j++)
        for (int i = 0; i < d->rows; i++) {
            const double v = d->value[(size_t)j * (size_t)d->rows + (size_t)i];
            if (v == 0.0) continue;
            (*value)[count] = v;
            row[count] = i;
            col[count++] = j;
        }
    YK_GO(yoke_pattern_create(pattern, d->rows, d->cols, count, row, col, err));
done:
    YK_FREE(row, col);
    return status;
}

/* What a unit of one argument changes in q, f and y; z is that argument. */
static yoke_status unit_change(mechanism *s, double t, const double *x,
                               const double *u, double *z, double *q, double *f,
                               double *y, const double *base, yoke_err *err)
{
    const int n = s->all;

    *z = 1.0;
    yoke_status status = mechanism_eval(s, t, x, u, q, f, err);
    if (status == YOKE_OK) status = mechanism_output(s, t, x, u, y, err);
    *z = 0.0;
    for (int i = 0; i < n; i++) {
        q[i] -= base[i];
        f[i] -= base[n + i];
    }
    for (int i = 0; i < s->p; i++) y[i] -= base[2 * n + i];
    return status;
}

static yoke_status find_columns(mechanism *s, double t, dense d[BLOCKS],
                                double *x, double *u, double *base,
                                yoke_err *err)
{
    const int n = s->all;

    YK_TRY(mechanism_eval(s, t, x, u, base, base + n, err));
    YK_TRY(mechanism_output(s, t, x, u, base + 2 * n, err));
    for (int j = 0; j < n; j++)
        YK_TRY(unit_change(s, t, x, u, &x[j], d[C].value + (size_t)(j * n),
                           d[G].value + (size_t)(j * n),
                           d[HX].value + (size_t)(j * s->p), base, err));
    for (int j = 0; j < s->m; j++)
        YK_TRY(unit_change(s, t, x, u, &u[j], d[C].value + (size_t)(n * n),
                           d[GU].value + (size_t)(j * n),
                           d[HU].value + (size_t)(j * s->p), base, err));
    return YOKE_OK;
}

static yoke_status find_jacobians(mechanism *s, double t, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int n = s->all;
    dense d[BLOCKS] = { [C] = { n, n, NULL },
                        [G] = { n, n, NULL },
                        [GU] = { n, s->m, NULL },
                        [HX] = { s->p, n, NULL },
                        [HU] = { s->p, s->m, NULL } };
    double *x = NULL, *u = NULL, *base = NULL;

    for (int b = 0; b < BLOCKS; b++) /* one column more, for scratch */
        YK_GO(yk_doubles(&d[b].value,
                         (size_t)d[b].rows * (size_t)(d[b].cols + 1) + 1, err));
    YK_GO(yk_doubles(&x, (size_t)n, err));
    YK_GO(yk_doubles(&u, (size_t)s->m + 1, err));
    YK_GO(yk_doubles(&base, (size_t)(2 * n + s->p) + 1, err));
    YK_GO(find_columns(s, t, d, x, u, base, err));
    for (int b = 0; b < BLOCKS; b++)
        YK_GO(compress(&d[b], &s->pattern[b], &s->value[b], err));
    YK_GO(compress(&(dense){ s->n, s->n, s->M }, &s->mass_pattern,
                   &s->mass_value, err));
done:
    for (int b = 0; b < BLOCKS; b++) yk_free(d[b].value);
    YK_FREE(x, u, base);
    return status;
}

/* ---- what the user gives ------------------------------------------------- */

static yoke_status check(const yoke_mechanism_ops *ops, const yoke_mechanism *g,
                         yoke_err *err)
{
    if (!ops->mass || !ops->force || (g->constraints > 0 && !ops->constrain))
        return yk_fail(err, YOKE_E_ARG,
                       "a mechanism needs the callbacks mass, force and, with "
                       "constraints, constrain");
    if (g->n < 1 || g->n > 4000 || g->m < 0 || g->constraints < 0 ||
        g->outputs < 0 || (!ops->observe && g->outputs != 0))
        return yk_fail(err, YOKE_E_ARG,
                       "%d coordinates, %d inputs, %d constraints, %d outputs; "
                       "at least 1, at most 4000 coordinates, and outputs only "
                       "with the callback observe",
                       g->n, g->m, g->constraints, g->outputs);
    if (!isfinite(g->eta) || g->eta < 0.0)
        return yk_fail(err, YOKE_E_ARG, "eta is %g 1/s; it must be at least 0",
                       g->eta);
    if (!isfinite(g->assemble) || g->assemble < 0.0)
        return yk_fail(err, YOKE_E_ARG, "assemble is %g; it must be at least 0",
                       g->assemble);
    return YOKE_OK;
}

static yoke_status motion_create(yoke_motion *m, int count, int n,
                                 yoke_err *err)
{
    YK_TRY(YK_DOUBLES((size_t)count + 1, err, &m->value, &m->rate, &m->bend));
    return yk_doubles(&m->G, (size_t)count * (size_t)n + 1, err);
}

static yoke_status fill(mechanism *s, const yoke_mechanism *g, yoke_err *err)
{
    s->n = g->n;
    s->m = g->m;
    s->constraints = g->constraints;
    s->outputs = s->ops->observe ? g->outputs : g->n;
    s->formulation = g->formulation;
    s->eta = g->eta;
    s->all = 3 * g->n + g->constraints;
    if (g->formulation == YOKE_GGL) s->all += g->constraints;
    s->p = LEVELS * s->outputs + 2 * g->constraints;
    YK_TRY(yk_doubles(&s->M, (size_t)g->n * (size_t)g->n, err));
    YK_TRY(yk_doubles(&s->phi, (size_t)g->n, err));
    YK_TRY(motion_create(&s->gamma, g->constraints, g->n, err));
    s->projector = (yk_projector){ .n = g->n,
                                   .count = g->constraints,
                                   .mass = project_mass,
                                   .constrain = project_constrain,
                                   .self = s };
    YK_TRY(yk_projector_create(&s->projector, err));
    YK_TRY(yk_projector_name(&s->projector, g->constraint_name, err));
    return motion_create(&s->y, s->outputs, g->n, err);
}

/* Corrects what is missed by no more than `assemble`; otherwise refuses it and
 * tells the nearest values. */
static yoke_status settle(mechanism *s, const yoke_mechanism *g, double *x,
                          int level, yoke_err *err)
{
    static const char *const what[] = { "positions", "velocities" };
    const int n = s->n;
    yk_projector *p = &s->projector;
    double *copy = NULL, most = 0.0;

    YK_TRY(yk_missed(p, g->start, x, x + n, level, &most, err));
    if (most <= g->assemble)
        YK_TRY(yk_project(p, g->start, x, x + n, level, err));
    const yoke_status status =
        yk_mechanism_check_zero(p->count, n, p->G, x + level * n, p->value,
                                g->constraint_name, what[level], err);
    if (status == YOKE_OK) return status;
    if (yk_copy_doubles(&copy, x, (size_t)(2 * n), NULL) == YOKE_OK &&
        yk_project(p, g->start, copy, copy + n, level, NULL) == YOKE_OK &&
        yk_mechanism_check_zero(p->count, n, p->G, copy + level * n, p->value,
                                g->constraint_name, what[level],
                                NULL) == YOKE_OK)
        yk_mechanism_tell_nearest(n, x + level * n, copy + level * n, g->q_name,
                                  level, err);
    yk_free(copy);
    return status;
}

/* Everything that can be seen at the initial point x. */
static yoke_status check_start(mechanism *s, const yoke_mechanism *g, double *x,
                               yoke_err *err)
{
    const int n = s->n, c = s->constraints;
    const double *q = x, *v = x + n;
    const yoke_motion *gamma = &s->gamma;

    yk_zero(s->M, n * n);
    YK_TRY(s->ops->mass(s->self, q, s->M, err));
    YK_TRY(yk_mechanism_check_mass(n, s->M, g->q_name, err));
    if (c == 0) return YOKE_OK;
    YK_TRY(constraints_at(s, g->start, q, v, err));
    YK_TRY(yk_mechanism_check_rank(c, n, gamma->G, gamma->value,
                                   g->constraint_name, err));
    YK_TRY(settle(s, g, x, 0, err));
    return settle(s, g, x, 1, err);
}

/* Accelerations and multipliers at the start, without inputs, so that
 * formulations of higher index begin with consistent values. */
static yoke_status first_accelerations(mechanism *s, const yoke_mechanism *g,
                                       double *x, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int n = s->n, c = s->constraints;
    double *b = NULL, *u = NULL;

    YK_GO(yk_doubles(&b, (size_t)(n + c), err));
    YK_GO(yk_doubles(&u, (size_t)s->m + 1, err));
    YK_GO(constraints_at(s, g->start, x, x + n, err));
    YK_GO(s->ops->force(s->self, g->start, x, x + n, u, b, err));
    for (int k = 0; k < c; k++) b[n + k] = -s->gamma.bend[k];
    YK_GO(yk_mechanism_accelerate(c, n, s->M, s->gamma.G, b, err));
    memcpy(x + 2 * n, b, (size_t)(n + c) * sizeof *b);
done:
    YK_FREE(b, u);
    return status;
}

/* ---- names --------------------------------------------------------------- */

typedef struct names {
    const char **x, **y, **eq, **x_unit, **y_unit;
    yk_labels text;
} names;

static void names_clear(names *n)
{
    YK_FREE(n->x, n->y, n->eq, n->x_unit, n->y_unit);
    yk_arena_clear(&n->text.arena);
}

static const char *unit_of(const char *const *list, int k)
{
    return list ? list[k] : NULL;
}

/* The unit of the l-th derivative by time. */
static const char *rate(names *n, const char *unit, int l)
{
    static const char *const per[LEVELS] = { "", "/s", "/s2" };

    return unit && unit[0] ? yk_label(&n->text, "%s%s", unit, per[l]) : NULL;
}

/* Of the multiplier of a constraint: work is force times way. */
static const char *multiplier(const char *unit)
{
    return !unit                      ? NULL
           : strcmp(unit, "m") == 0   ? "N"
           : strcmp(unit, "rad") == 0 ? "N.m"
                                      : NULL;
}

static yoke_status make_units(names *n, const mechanism *s,
                              const yoke_mechanism *g,
                              const char *const *y_unit, yoke_err *err)
{
    YK_TRY(YK_NEW(&n->x_unit, s->all, err));
    YK_TRY(YK_NEW(&n->y_unit, s->p, err));
    for (int l = 0; l < LEVELS; l++) {
        for (int i = 0; i < s->n; i++)
            n->x_unit[l * s->n + i] = rate(n, unit_of(g->q_unit, i), l);
        for (int k = 0; k < s->outputs; k++)
            n->y_unit[LEVELS * k + l] = rate(n, unit_of(y_unit, k), l);
    }
    for (int k = 0; k < s->constraints; k++) {
        const char *unit = unit_of(g->constraint_unit, k);
        const int drift = LEVELS * s->outputs + 2 * k;
        n->x_unit[3 * s->n + k] = multiplier(unit);
        n->y_unit[drift] = rate(n, unit, 0);
        n->y_unit[drift + 1] = rate(n, unit, 1);
    }
    return n->text.status;
}

static void note_constraints(names *n, const mechanism *s,
                             const yoke_mechanism *g)
{
    for (int k = 0; k < s->constraints; k++) {
        const char *name = g->constraint_name[k];
        const int row = 3 * s->n + k, drift = LEVELS * s->outputs + 2 * k;
        n->x[row] = yk_label(&n->text, "lambda.%s", name);
        n->eq[row] = yk_label(&n->text, "constraint %s", name);
        n->y[drift] = yk_label(&n->text, "drift.%s", name);
        n->y[drift + 1] = yk_label(&n->text, "drift.%s.v", name);
        if (s->formulation != YOKE_GGL) continue;
        n->x[row + s->constraints] = yk_label(&n->text, "mu.%s", name);
        n->eq[row + s->constraints] =
            yk_label(&n->text, "position of %s", name);
    }
}

static yoke_status make_names(names *n, const mechanism *s,
                              const yoke_mechanism *g, yoke_err *err)
{
    static const char *const level[LEVELS] = { "", ".v", ".a" };
    static const char *const equation[LEVELS] = { "velocity of ",
                                                  "acceleration of ",
                                                  "motion of " };
    const char *const *y_name = s->ops->observe ? g->y_name : g->q_name;
    const char *const *y_unit = s->ops->observe ? g->y_unit : g->q_unit;

    YK_TRY(YK_NEW(&n->x, s->all, err));
    YK_TRY(YK_NEW(&n->eq, s->all, err));
    YK_TRY(YK_NEW(&n->y, s->p, err));
    for (int l = 0; l < LEVELS; l++) {
        for (int i = 0; i < s->n; i++) {
            n->x[l * s->n + i] =
                yk_label(&n->text, "%s%s", g->q_name[i], level[l]);
            n->eq[l * s->n + i] =
                yk_label(&n->text, "%s%s", equation[l], g->q_name[i]);
        }
        for (int k = 0; k < s->outputs; k++)
            n->y[LEVELS * k + l] =
                yk_label(&n->text, "%s%s", y_name[k], level[l]);
    }
    note_constraints(n, s, g);
    return make_units(n, s, g, y_unit, err);
}

static double mechanism_next_break(void *self, double t)
{
    const mechanism *s = self;

    return s->ops->next_break ? s->ops->next_break(s->self, t) : INFINITY;
}

static const yoke_system_ops mechanism_ops = {
    .kind = "mechanism",
    .eval = mechanism_eval,
    .output = mechanism_output,
    .next_break = mechanism_next_break,
    .free = mechanism_free,
};
static const yoke_system_ops affine_ops = {
    .kind = "mechanism",
    .eval = mechanism_eval,
    .output = mechanism_output,
    .jacobian = mechanism_jacobian,
    .next_break = mechanism_next_break,
    .free = mechanism_free,
};

static const yoke_help_ops mechanism_help = { .explain = mechanism_explain };
static const yoke_help_ops projected_help = { .project = mechanism_project,
                                              .explain = mechanism_explain };

static yoke_status create(yoke_system **out, const char *name, mechanism *s,
                          const yoke_mechanism *g, const double *x0,
                          yoke_err *err)
{
    names n = { .text = { .err = err } };
    yoke_status status = make_names(&n, s, g, err);
    const yoke_system_info info = {
        .n = s->all,
        .m = s->m,
        .p = s->p,
        .flags =
            (g->affine ? YOKE_AFFINE : 0u) | (g->straight ? YOKE_TIMELESS : 0u),
        .positions = s->n,
        .help = s->formulation == YOKE_PROJECTED && s->constraints > 0
                    ? &projected_help
                    : &mechanism_help,
        .x0 = x0,
        .x_name = n.x,
        .x_unit = n.x_unit,
        .u_name = g->u_name,
        .y_name = n.y,
        .y_unit = n.y_unit,
        .eq_name = n.eq,
        .C = s->pattern[C],
        .G = s->pattern[G],
        .Gu = s->pattern[GU],
        .Hx = s->pattern[HX],
        .Hu = s->pattern[HU],
    };

    if (status == YOKE_OK)
        status = yoke_system_create(
            out, name, g->affine ? &affine_ops : &mechanism_ops, s, &info, err);
    else
        mechanism_free(s);
    names_clear(&n);
    return status;
}

static yoke_status first_point(const mechanism *s, const yoke_mechanism *g,
                               double **x0, yoke_err *err)
{
    YK_TRY(yk_doubles(x0, (size_t)s->all, err));
    for (int i = 0; i < s->n; i++) {
        if (g->q0) (*x0)[i] = g->q0[i];
        if (g->v0) (*x0)[s->n + i] = g->v0[i];
    }
    return YOKE_OK;
}

yoke_status yoke_mechanism_create(yoke_system **out, const char *name,
                                  const yoke_mechanism_ops *ops, void *self,
                                  const yoke_mechanism *given, yoke_err *err)
{
    mechanism *s = NULL;
    double *x0 = NULL;
    yoke_status status = YK_NEW(&s, 1, err);

    if (status != YOKE_OK) {
        if (ops->free) ops->free(self);
        return status;
    }
    s->ops = ops;
    s->self = self;
    YK_GO(check(ops, given, err));
    YK_GO(fill(s, given, err));
    YK_GO(first_point(s, given, &x0, err));
    YK_GO(check_start(s, given, x0, err));
    YK_GO(first_accelerations(s, given, x0, err));
    if (given->affine) YK_GO(find_jacobians(s, given->start, err));
    mechanism *const taken = s;
    s = NULL;
    YK_GO(create(out, name, taken, given, x0, err));
done:
    if (s) yk_prefix(err, "subsystem \"%s\"", name ? name : "unnamed");
    mechanism_free(s);
    yk_free(x0);
    return status;
}
