/* step/method/erk.c -- explicit Runge-Kutta methods, fixed steps,
 * half-explicit.
 *
 *     q(t_i, X_i, u_i) = q_n - h sum_{j<i} a_ij f(t_j, X_j, u_j)
 *
 * on rows with charge and f(t_i, X_i, u_i) = 0 on algebraic rows; the end of
 * the step likewise with the weights b.  For a system with an explicit right
 * side this is the classical method; otherwise each X_i costs a Newton
 * iteration with the matrix [C; G], rows of C where there is charge and of G
 * elsewhere.  It is regular for semi-explicit index 1, and the order of the
 * method is kept there.
 *
 * Between the ends: linear, except for rk4.  There q is the cubic Hermite
 * polynomial (q' = -f is known at both ends), and x is solved from it at 1/3
 * and 2/3 of the step; with an explicit right side x is that polynomial.  With
 * `dense: stages` q is the cubic formula q_n - h sum b_i(theta) f_i of the
 * stages, and what is not under d/dt is sum b_i'(theta) times its values in the
 * stages, up to the end of the step.
 *
 * Where a segment begins the algebraic unknowns are solved for again: the
 * inputs may be others than at the end of the one before.
 *
 * Each step tells its h |lambda|, |df| / |dq| times h with the df of two stages
 * whose q differ by dq, at the same time for rk4 and heun: that of the modes
 * that the solution really has, as in DOPRI5 (Hairer, Norsett, Wanner I,
 * section II.4; Hairer, Wanner II, section IV.2).
 * Reference: Hairer, Lubich, Roche, The Numerical Solution of
 * Differential-Algebraic Systems by Runge-Kutta Methods, 1989, section 2.
 */
#include "step/method.h"
#include "step/policy.h"
#include "sys/call.h"

#include <math.h>
#include <string.h>

enum { MAX_STAGES = 4 };

typedef struct tableau {
    int stages;
    double c[MAX_STAGES], b[MAX_STAGES], a[MAX_STAGES][MAX_STAGES];
} tableau;

static const tableau euler = { 1, { 0.0 }, { 1.0 }, { { 0.0 } } };
static const tableau midpoint = {
    2, { 0.0, 0.5 }, { 0.0, 1.0 }, { { 0.0 }, { 0.5 } }
};
static const tableau heun = {
    2, { 0.0, 1.0 }, { 0.5, 0.5 }, { { 0.0 }, { 1.0 } }
};
static const tableau rk4 = {
    4,
    { 0.0, 0.5, 0.5, 1.0 },
    { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 },
    { { 0.0 }, { 0.5 }, { 0.0, 0.5 }, { 0.0, 0.0, 1.0 } }
};

typedef struct erk {
    yk_problem *p;
    const tableau *tab;
    const char *name;
    bool classical; /* the system has an explicit right side */
    yk_newton newton;
    bool by_stages;            /* dense output from the stages alone */
    double *f[MAX_STAGES];     /* f of the stages, in the classical case -x' */
    double *stage[MAX_STAGES]; /* x of the stages but the first; by_stages */
    double *x, *q, *qhat;
    double *inner[2]; /* x at 1/3 and 2/3 of the step */
    double *size;     /* tolerances of the charges */
    double *apart;    /* how far those of two stages are apart, over h */
    double *probe;
    double *mode[3]; /* three such differences in a row */
} erk;

static void erk_free(void *self)
{
    erk *s = self;

    if (!s) return;
    yk_newton_free(&s->newton);
    for (int i = 0; i < MAX_STAGES; i++) {
        YK_FREE(s->f[i], s->stage[i]);
    }
    YK_FREE(s->x, s->q, s->qhat, s->inner[0], s->inner[1], s->size, s->apart,
            s->probe);
    for (int k = 0; k < 3; k++) yk_free(s->mode[k]);
    yk_free(s);
}

static yoke_status erk_create(void **out, const yk_method *method,
                              yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t n = (size_t)p->n + 1;
    erk *s = NULL;

    YK_TRY(YK_NEW(&s, 1, err));
    s->p = p;
    s->tab = method->data;
    s->name = method->name;
    s->classical = yk_system_has_rhs(p->system);
    if (!s->classical) YK_GO(yk_newton_create(&s->newton, p, err));
    for (int i = 0; i < s->tab->stages; i++)
        YK_GO(yk_doubles(&s->f[i], n, err));
    s->by_stages = p->options.dense == YOKE_DENSE_STAGES;
    for (int i = 1; s->by_stages && i < s->tab->stages; i++)
        YK_GO(yk_doubles(&s->stage[i], n, err));
    YK_GO(YK_DOUBLES(n, err, &s->x, &s->q, &s->qhat, &s->inner[0], &s->inner[1],
                     &s->size, &s->apart, &s->probe));
    for (int k = 0; k < 3; k++) YK_GO(yk_doubles(&s->mode[k], n, err));
    *out = s;
    s = NULL;
done:
    erk_free(s);
    return status;
}

/* f = -x' of a system with an explicit right side. */
static yoke_status slope(yk_problem *p, double t, const double *x, double *f,
                         yoke_err *err)
{
    p->work.residuals++;
    YK_TRY(yk_system_rhs(p->system, yk_time(p, t), x, yk_input(p, t), f, err));
    for (int i = 0; i < p->n; i++) f[i] = -f[i];
    return YOKE_OK;
}

/* The algebraic unknowns at the beginning that belong to the inputs there. */
static yoke_status consistent(erk *s, yoke_err *err)
{
    yk_problem *p = s->p;

    if (p->algebraic == 0 || p->m == 0) return YOKE_OK;
    memcpy(s->x, p->x, (size_t)p->n * sizeof *s->x);
    memcpy(s->qhat, p->q, (size_t)p->n * sizeof *s->qhat);
    YK_TRY(yk_newton_solve(&s->newton, p, p->t, 1.0, 0.0, s->qhat, s->x, s->q,
                           p->f, err));
    memcpy(p->x, s->x, (size_t)p->n * sizeof *s->x);
    return YOKE_OK;
}

static yoke_status erk_begin(void *self, bool smooth, yoke_err *err)
{
    erk *s = self;
    yk_problem *p = s->p;

    (void)smooth;
    if (s->classical) return slope(p, p->t, p->x, p->f, err);
    YK_TRY(yk_eval(p, p->t, p->x, NULL, p->f, err));
    YK_TRY(yk_jacobian_once(p, p->t, p->x, err));
    const yoke_status status =
        yk_matrix_factor(p, s->newton.matrix, 1.0, 0.0, 0.0, err);
    if (status < 0) return status;
    if (status == YOKE_OK) return consistent(s, err);
    return yk_fail(err, YOKE_E_MODEL,
                   "subsystem \"%s\", t = %g: the explicit method %s needs "
                   "index 1 with independent charges, but [C; G] is singular; "
                   "use an implicit method",
                   p->name, p->t, s->name);
}

/* (q - h sum_j w_j f_j) of the charges, or of x in the classical case. */
static void advance(const erk *s, double h, int count, const double *w,
                    const double *from, double *to)
{
    const yk_problem *p = s->p;

    memcpy(to, from, (size_t)p->n * sizeof *to);
    for (int j = 0; j < count; j++) {
        const double *f = j == 0 ? p->f : s->f[j];
        const double a = h * w[j];
        if (a == 0.0) continue;
        for (int i = 0; i < p->n; i++) to[i] -= a * f[i];
    }
}

/* x with the charges qhat at time t; also q and f there. */
static yoke_status solve_charges(erk *s, double t, double *x, double *q,
                                 double *f, yoke_err *err)
{
    yk_step_guess(s->p, t, x);
    return yk_newton_solve(&s->newton, s->p, t, 1.0, 0.0, s->qhat, x, q, f,
                           err);
}

static yoke_status classical_step(erk *s, double t, double h, yoke_err *err)
{
    yk_problem *p = s->p;
    const tableau *tab = s->tab;

    for (int i = 1; i < tab->stages; i++) {
        advance(s, h, i, tab->a[i], p->x, s->x);
        const double ti = tab->c[i] == 1.0 ? t : p->t + tab->c[i] * h;
        YK_TRY(slope(p, ti, s->x, s->f[i], err));
    }
    advance(s, h, tab->stages, tab->b, p->x, p->x_new);
    YK_TRY(slope(p, t, p->x_new, p->f_new, err));
    memcpy(p->q_new, p->x_new, (size_t)p->n * sizeof *p->q_new);
    return YOKE_OK;
}

static yoke_status charge_step(erk *s, double t, double h, yoke_err *err)
{
    yk_problem *p = s->p;
    const tableau *tab = s->tab;

    for (int i = 1; i < tab->stages; i++) {
        const double ti = tab->c[i] == 1.0 ? t : p->t + tab->c[i] * h;
        advance(s, h, i, tab->a[i], p->q, s->qhat);
        double *const x = s->by_stages ? s->stage[i] : s->x;
        YK_TRY(solve_charges(s, ti, x, s->q, s->f[i], err));
    }
    advance(s, h, tab->stages, tab->b, p->q, s->qhat);
    return solve_charges(s, t, p->x_new, p->q_new, p->f_new, err);
}

/* ---- Between the ends ---------------------------------------------------- */

/* b_i(theta) of the cubic formula of rk4, and their derivatives. */
static void continuous(double theta, double b[MAX_STAGES],
                       double slope_of[MAX_STAGES])
{
    const double two = theta * theta, three = two * theta;

    b[0] = theta - 1.5 * two + 2.0 / 3.0 * three;
    b[1] = b[2] = two - 2.0 / 3.0 * three;
    b[3] = -0.5 * two + 2.0 / 3.0 * three;
    slope_of[0] = 1.0 - 3.0 * theta + 2.0 * two;
    slope_of[1] = slope_of[2] = 2.0 * theta - 2.0 * two;
    slope_of[3] = -theta + 2.0 * two;
}

/* Unknowns that are not under d/dt: the sum of w_i times their values in the
 * stages. */
static void blend_algebraic(const erk *s, const double *w, double *x)
{
    const yk_problem *p = s->p;

    for (int j = 0; j < p->n; j++) {
        if (p->facts->C->start[j + 1] > p->facts->C->start[j]) continue;
        x[j] = w[0] * p->x[j];
        for (int i = 1; i < s->tab->stages; i++) x[j] += w[i] * s->stage[i][j];
    }
}

/* x at theta from the stages alone, t being its time. */
static yoke_status stage_value(erk *s, double theta, double h, double *x,
                               yoke_err *err)
{
    yk_problem *p = s->p;
    double b[MAX_STAGES], w[MAX_STAGES];

    continuous(theta, b, w);
    if (s->classical) {
        advance(s, h, s->tab->stages, b, p->x, x);
        return YOKE_OK;
    }
    advance(s, h, s->tab->stages, b, p->q, s->qhat);
    YK_TRY(solve_charges(s, p->t + theta * h, x, s->q, s->x, err));
    blend_algebraic(s, w, x);
    return YOKE_OK;
}

static yoke_status stage_values(erk *s, double h, yoke_err *err)
{
    static const double last[MAX_STAGES] = { 0.0, 0.0, 0.0, 1.0 };

    for (int k = 0; k < 2; k++)
        YK_TRY(stage_value(s, (k + 1) / 3.0, h, s->inner[k], err));
    if (!s->classical) blend_algebraic(s, last, s->p->x_new);
    return YOKE_OK;
}

/* Cubic Hermite values at theta from v, v' = -f at both ends. */
static void hermite(int n, double h, double theta, const double *v0,
                    const double *f0, const double *v1, const double *f1,
                    double *value)
{
    const double r = 1.0 - theta;
    const double a0 = r * r * (1.0 + 2.0 * theta), b0 = -h * theta * r * r;
    const double a1 = theta * theta * (3.0 - 2.0 * theta),
                 b1 = h * theta * theta * r;

    for (int i = 0; i < n; i++)
        value[i] = a0 * v0[i] + b0 * f0[i] + a1 * v1[i] + b1 * f1[i];
}

static yoke_status inner_values(erk *s, double h, yoke_err *err)
{
    yk_problem *p = s->p;

    for (int k = 0; k < 2; k++) {
        const double theta = (k + 1) / 3.0;
        if (s->classical) {
            hermite(p->n, h, theta, p->x, p->f, p->x_new, p->f_new,
                    s->inner[k]);
            continue;
        }
        hermite(p->n, h, theta, p->q, p->f, p->q_new, p->f_new, s->qhat);
        YK_TRY(solve_charges(s, p->t + theta * h, s->inner[k], s->q, s->f[1],
                             err));
    }
    return YOKE_OK;
}

/* ---- h |lambda| ---------------------------------------------------------- */

/* Tolerances of x, or what changes of x of that size do to the charges. */
static void charge_sizes(erk *s)
{
    yk_problem *p = s->p;
    const yoke_pattern *c = p->facts->C;

    memset(s->size, 0, (size_t)p->n * sizeof *s->size);
    for (int j = 0; j < p->n; j++) {
        const double size = yk_size_x(p, j, p->x[j]);
        if (s->classical) s->size[j] = size;
        for (int k = c->start[j]; !s->classical && k < c->start[j + 1]; k++)
            s->size[c->row[k]] += fabs(p->C[k]) * size;
    }
}

/* Largest |v| / size; *at is where. */
static double extent(const erk *s, const double *v, int *at)
{
    double most = 0.0;

    for (int i = 0; i < s->p->n; i++) {
        if (!(s->size[i] > 0.0)) continue;
        const double size = fabs(v[i]) / s->size[i];
        if (size <= most) continue;
        most = size;
        *at = i;
    }
    return most;
}

/* The charges of two stages differ by part h (f2 - f1). */
typedef struct stages {
    const double *f1, *f2; /* f1 = NULL: zero */
    const double *f3;      /* its difference from f2 is what that does to f */
    double part;
} stages;

static stages compared(const erk *s)
{
    const yk_problem *p = s->p;

    if (s->tab == &euler) return (stages){ NULL, p->f, p->f_new, 1.0 };
    if (s->tab == &midpoint) return (stages){ NULL, p->f, s->f[1], 0.5 };
    if (s->tab == &heun) return (stages){ p->f, s->f[1], p->f_new, 0.5 };
    return (stages){ p->f, s->f[1], s->f[2], 0.5 };
}

static void tell_rate(erk *s, double h)
{
    yk_problem *p = s->p;
    const stages z = compared(s);
    int at = 0;

    p->rate = 0.0;
    charge_sizes(s);
    for (int i = 0; i < p->n; i++) {
        s->apart[i] = z.part * (z.f2[i] - (z.f1 ? z.f1[i] : 0.0));
        s->probe[i] = z.f3[i] - z.f2[i];
    }
    const double apart = extent(s, s->apart, &at);
    if (!(h * apart > YK_STEP_VISIBLE)) return;
    p->rate = extent(s, s->probe, &at) / apart;
    p->rate_of = at;
}

/* f at the end of the step with the charges there and `more`. */
static yoke_status slope_beside(erk *s, double t, double h, const double *more,
                                double *f, yoke_err *err)
{
    yk_problem *p = s->p;
    const double *const from = s->classical ? p->x_new : p->q_new;
    double *const to = s->classical ? s->x : s->qhat;

    for (int i = 0; i < p->n; i++) to[i] = from[i] + h * more[i];
    if (s->classical) return slope(p, t, s->x, f, err);
    memcpy(s->x, p->x_new, (size_t)p->n * sizeof *s->x);
    return yk_newton_solve(&s->newton, p, t, 1.0, 0.0, s->qhat, s->x, s->q, f,
                           err);
}

/* How large h d may be for the equations to be linear along it: a small part of
 * the charges themselves, or of what is nominal. */
static double small_size(erk *s, double h)
{
    static const double small = 1e-4;
    const yk_problem *p = s->p;
    const double *const at = s->classical ? p->x_new : p->q_new;
    double size = 0.0;
    int where = 0;

    for (int i = 0; i < p->n; i++)
        if (s->size[i] > 0.0) size = fmax(size, fabs(at[i]) / s->size[i]);
    size = fmax(size, 1.0 / p->options.rtol);
    return fmin(small * size / h, extent(s, s->apart, &where));
}

/* d := f(q + h d) - f(q) at the end of the step, which is -h J d, brought back
 * to the extent `size`: the equations need not be linear.  *by: the factor. */
static yoke_status multiply(erk *s, double t, double h, double size, double *by,
                            yoke_err *err)
{
    const yk_problem *p = s->p;
    double *const d = s->apart;
    int at = 0;

    for (int i = 0; i < p->n; i++)
        if (!(s->size[i] > 0.0)) d[i] = 0.0;
    YK_TRY(slope_beside(s, t, h, d, s->probe, err));
    for (int i = 0; i < p->n; i++) d[i] = s->probe[i] - p->f_new[i];
    const double now = extent(s, d, &at);
    s->p->rate_of = at;
    *by = now / size;
    for (int i = 0; now > 0.0 && i < p->n; i++) d[i] *= size / now;
    return YOKE_OK;
}

static double inner(const erk *s, const double *a, const double *b)
{
    double sum = 0.0;

    for (int i = 0; i < s->p->n; i++)
        if (s->size[i] > 0.0) sum += a[i] / s->size[i] * (b[i] / s->size[i]);
    return sum;
}

/* |R(z)| of the method, R(z) = 1 + z + ... + z^order / order!. */
static double amplification(const tableau *tab, double re, double im)
{
    double a = 1.0, b = 0.0, sum_a = 1.0, sum_b = 0.0;
    const int order = tab->stages;

    for (int k = 1; k <= order; k++) {
        const double c = (a * re - b * im) / k;
        b = (a * im + b * re) / k;
        a = c;
        sum_a += a;
        sum_b += b;
    }
    return hypot(sum_a, sum_b);
}

/* Takes a mode z = h lambda into p->growth unless the solution itself grows
 * with it. */
static void judge_mode(erk *s, double re, double im)
{
    static const double growing = 0.1;
    yk_problem *p = s->p;

    if (re > growing * hypot(re, im)) return;
    p->growth = fmax(p->growth, amplification(s->tab, re, im));
}

/* The modes w, in units of `rate`, with v2 = a v1 + b v0, w^2 = a w + b, of
 * v1 = w v0, v2 = w v1. */
static void judge_modes(erk *s, double rate, const double *v0, const double *v1,
                        const double *v2)
{
    static const double parallel = 1e-6;
    const double n00 = inner(s, v0, v0), n01 = inner(s, v0, v1),
                 n11 = inner(s, v1, v1);
    const double r0 = inner(s, v0, v2), r1 = inner(s, v1, v2);
    const double det = n00 * n11 - n01 * n01;

    if (!(det > parallel * n00 * n11)) {
        judge_mode(s, rate * (r1 / n11), 0.0);
        return;
    }
    const double a = (r1 * n00 - r0 * n01) / det;
    const double b = (r0 * n11 - r1 * n01) / det;
    const double inside = 0.25 * a * a + b;
    if (inside < 0.0) {
        judge_mode(s, rate * 0.5 * a, rate * sqrt(-inside));
        return;
    }
    judge_mode(s, rate * (0.5 * a + sqrt(inside)), 0.0);
    judge_mode(s, rate * (0.5 * a - sqrt(inside)), 0.0);
}

/* Does a difference of a quarter do a quarter?  Not beside a kink. */
static yoke_status is_linear(erk *s, double t, double h, double size, double by,
                             bool *linear, yoke_err *err)
{
    static const double alike = 0.01, part = 0.25;
    double less = 0.0;

    for (int i = 0; i < s->p->n; i++) s->apart[i] *= part;
    YK_TRY(multiply(s, t, h, part * size, &less, err));
    *linear = fabs(less - by) <= alike * by;
    return YOKE_OK;
}

/* |J^2 d| / |d| is lambda^2 whatever the norm if d belongs to one mode, also if
 * it oscillates; |J d| / |d| is not.  Where that is near the bound, further
 * products leave the fastest modes alone, and the last three tell them. */
static yoke_status erk_confirm(void *self, double t, double h, yoke_err *err)
{
    erk *s = self;
    yk_problem *p = s->p;
    double *const v0 = s->mode[0], *const v1 = s->mode[1],
                  *const v2 = s->mode[2];
    const double stable = s->tab == &rk4 ? 2.8 : 2.0;
    double by[2] = { 0.0, 0.0 };
    bool linear = false;
    int at = 0;

    p->growth = 0.0;
    const double size = small_size(s, h), far = extent(s, s->apart, &at);
    const bool whole = !isfinite(p->rate);
    if (!(far > 0.0)) return YOKE_OK;
    for (int i = 0; i < p->n; i++) s->apart[i] *= size / far;
    for (int k = 0; k < 2; k++) YK_TRY(multiply(s, t, h, size, &by[k], err));
    if (!whole) p->rate = sqrt(by[0] * by[1]);
    if (!(p->rate > YK_STEP_MODE_NEAR * stable)) return YOKE_OK;
    for (int k = 0; k < YK_STEP_MODE_PRODUCTS - 2; k++)
        YK_TRY(multiply(s, t, h, size, &by[0], err));
    for (int i = 0; i < p->n; i++) v0[i] = s->apart[i] / size;
    YK_TRY(multiply(s, t, h, size, &by[0], err));
    for (int i = 0; i < p->n; i++) v1[i] = -s->apart[i] / size;
    YK_TRY(multiply(s, t, h, size, &by[1], err));
    const double rate = sqrt(by[0] * by[1]);
    if (!(rate > YK_STEP_MODE_NEAR * stable)) return YOKE_OK;
    for (int i = 0; i < p->n; i++) {
        v2[i] = s->apart[i] / size;
        s->apart[i] = v1[i] * size;
        v1[i] *= by[0] / rate;
    }
    YK_TRY(is_linear(s, t, h, size, by[1], &linear, err));
    if (!linear) return YOKE_OK;
    p->rate = rate;
    judge_modes(s, rate, v0, v1, v2);
    return YOKE_OK;
}

static yoke_status erk_step(void *self, double t, double h, double *error,
                            double *t_reached, yoke_err *err)
{
    erk *s = self;

    (void)error, (void)t_reached;
    YK_TRY(s->classical ? classical_step(s, t, h, err)
                        : charge_step(s, t, h, err));
    tell_rate(s, h);
    if (s->by_stages) return stage_values(s, h, err);
    return s->tab == &rk4 ? inner_values(s, h, err) : YOKE_OK;
}

static void erk_shape(void *self, double h)
{
    erk *s = self;
    yk_problem *p = s->p;
    const double ends[] = { 0.0, 1.0 };
    const double four[] = { 0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0 };
    const double *const line[] = { p->x, p->x_new };
    const double *const cubic[] = { p->x, s->inner[0], s->inner[1], p->x_new };

    if (s->tab == &rk4)
        yk_poly_through(p, h, 3, four, cubic);
    else
        yk_poly_through(p, h, 1, ends, line);
}

#define EXPLICIT_METHOD(NAME, TEXT, ORDER, DEGREE, STABLE, TABLEAU)            \
    {                                                                          \
        .name = NAME, .text = TEXT, .stepping = YK_FIXED, .order = ORDER,      \
        .degree = DEGREE, .stable = STABLE, .rejoins = true,                   \
        .stages = ORDER == 4, .data = &TABLEAU, .create = erk_create,          \
        .begin = erk_begin, .confirm = erk_confirm, .step = erk_step,          \
        .shape = erk_shape, .free = erk_free                                   \
    }

const yk_method yk_euler = EXPLICIT_METHOD(
    "euler", "explicit Euler, order 1, fixed step", 1, 1, 2.0, euler);
const yk_method yk_midpoint =
    EXPLICIT_METHOD("midpoint", "explicit midpoint rule, order 2, fixed step",
                    2, 1, 2.0, midpoint);
const yk_method yk_heun = EXPLICIT_METHOD(
    "heun", "Heun's method, order 2, fixed step", 2, 1, 2.0, heun);
const yk_method yk_rk4 = EXPLICIT_METHOD(
    "rk4", "classical Runge-Kutta, order 4, fixed step", 4, 3, 2.8, rk4);
