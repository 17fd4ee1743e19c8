/* step/method/trbdf2.c -- TR-BDF2 with local extrapolation, order 3, adaptive,
 * L-stable, in charge form.
 *
 * Trapezoidal rule over gamma h, then BDF2 through t_n, t_n + gamma h, t_n + h:
 *
 *     q_g     = q_n - (gamma h / 2) (f_n + f_g),      f_g = 0 on algebraic rows
 *     q_{n+1} = (q_g - (1 - gamma)^2 q_n) / (gamma (2 - gamma)) - d h f_{n+1}
 *
 * With gamma = 2 - sqrt 2 both stages have d = gamma / 2, hence the same matrix
 * C / (d h) + G.  As a Runge-Kutta method it has the weights (w, w, d), w =
 * sqrt(2) / 4, and an embedded formula of order 3; their difference
 *
 *     e = -h ( (4 w - 1)/3 f_n - 1/3 f_g + 2 d / 3 f_{n+1} )
 *
 * is multiplied by F = (C + d h G)^-1 C, which keeps it small for stiff
 * components: |F e| is the error estimate.  What goes on is the solution less
 * F^2 e.  It has order 3, and its stability function
 *
 *     R(z) - e(z) / (1 - d z)^2
 *
 * is 0 at infinity and at most 1 on the imaginary axis, so it is L-stable too;
 * with F e it would be 1.6 at infinity.  Going on with order 2 the error of a
 * run would be tol^(2/3), a hundred tolerances at 1e-6.  Charge is conserved:
 * F^2 e leaves every sum of charges unchanged that f leaves unchanged.  With
 * deep unknowns (deep_unknowns.c) there is no extrapolation, and steps are
 * shorter instead (yk_norm_sum).
 *
 * Between the ends: the parabola through the three points, at which algebraic
 * equations hold too.  Its error is estimated as well and controlled.
 * Reference: Hosea and Shampine, Appl. Numer. Math. 20 (1996) 21.
 */
#include "step/method.h"
#include "step/policy.h"

#include "base/vector.h"
#include "la/pattern.h"

#include <math.h>
#include <string.h>

static const double gamma_ = 0.58578643762690495120; /* 2 - sqrt 2 */
static const double weight = 0.35355339059327376220; /* sqrt 2 / 4 */

/* The error of a step without extrapolation is this times h^3 q'''. */
static const double order_two = 0.0404;

/* F^2 e over h^3 of the last two steps, the latest first. */
typedef struct past {
    int count;
    double h[2], *e[2];
} past;

typedef struct trbdf2 {
    yk_problem *p;
    yk_newton newton;
    double *qhat, *x, *q, *f; /* of the stage at t_n + gamma h */
    double *e, *shift;        /* F e and F^2 e of the step just tried */
    double shift_h;           /* its length */
    past now, kept;
    double *seen;             /* x where the Jacobian is from */
    double *peak, *kept_peak; /* largest |x| so far; at the accepted point */
    long stamp;               /* of that Jacobian */
} trbdf2;

static void trbdf2_free(void *self)
{
    trbdf2 *s = self;

    if (!s) return;
    yk_newton_free(&s->newton);
    YK_FREE(s->qhat, s->x, s->q, s->f, s->e, s->shift);
    for (int i = 0; i < 2; i++) {
        YK_FREE(s->now.e[i], s->kept.e[i]);
    }
    YK_FREE(s->seen, s->peak, s->kept_peak, s);
}

static yoke_status trbdf2_create(void **out, const yk_method *method,
                                 yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t n = (size_t)p->n + 1;
    trbdf2 *s = NULL;

    (void)method;
    YK_TRY(YK_NEW(&s, 1, err));
    s->p = p;
    YK_GO(yk_newton_create(&s->newton, p, err));
    YK_GO(YK_DOUBLES(n, err, &s->qhat, &s->x, &s->q, &s->f, &s->e, &s->shift));
    for (int i = 0; i < 2; i++) {
        YK_GO(YK_DOUBLES(n, err, &s->now.e[i], &s->kept.e[i]));
    }
    YK_GO(YK_DOUBLES(n, err, &s->seen, &s->peak, &s->kept_peak));
    *out = s;
    s = NULL;
done:
    trbdf2_free(s);
    return status;
}

static yoke_status trapezoidal_stage(trbdf2 *s, double h, yoke_err *err)
{
    yk_problem *p = s->p;
    const double half = 0.5 * gamma_ * h, t = p->t + gamma_ * h;

    for (int i = 0; i < p->n; i++)
        s->qhat[i] = p->charge[i] ? p->q[i] - half * p->f[i] : p->q[i];
    yk_step_guess(p, t, s->x);
    return yk_newton_solve(&s->newton, p, t, 1.0 / half, 1.0, s->qhat, s->x,
                           s->q, s->f, err);
}

/* Guesses are of the extrapolated solution; Newton's is the one before that.
 * F^2 e / h^3 is continued along a line. */
static void guess_end(trbdf2 *s, double t, double h)
{
    yk_problem *p = s->p;
    const past *last = &s->now;

    yk_step_guess(p, t, p->x_new);
    if (last->count < 2 || h > 2.0 * last->h[0]) return;
    const double r = (h + last->h[0]) / (last->h[0] + last->h[1]);
    for (int i = 0; i < p->n; i++)
        p->x_new[i] +=
            h * h * h * ((1.0 + r) * last->e[0][i] - r * last->e[1][i]);
}

static yoke_status bdf2_stage(trbdf2 *s, double t, double h, yoke_err *err)
{
    yk_problem *p = s->p;
    const double a = 1.0 / (gamma_ * (2.0 - gamma_)),
                 b = (1.0 - gamma_) * (1.0 - gamma_) * a;

    for (int i = 0; i < p->n; i++) s->qhat[i] = a * s->q[i] - b * p->q[i];
    guess_end(s, t, h);
    return yk_newton_solve(&s->newton, p, t, 1.0 / (0.5 * gamma_ * h), 1.0,
                           s->qhat, p->x_new, p->q_new, p->f_new, err);
}

/* s->e = F e, of f at the beginning, the stage and the end before
 * extrapolation. */
static yoke_status local_error(trbdf2 *s, const double *f0, const double *fg,
                               const double *f1, yoke_err *err)
{
    yk_problem *p = s->p;
    const double d = 0.5 * gamma_;

    for (int i = 0; i < p->n; i++)
        s->e[i] = p->charge[i] ? -((4.0 * weight - 1.0) / 3.0 * f0[i] -
                                   fg[i] / 3.0 + 2.0 * d / 3.0 * f1[i]) /
                                     d
                               : 0.0;
    return yk_matrix_solve(p, s->newton.matrix, s->e, err);
}

/* F^2 e of F e. */
static yoke_status find_shift(trbdf2 *s, double h, double *shift, yoke_err *err)
{
    yk_problem *p = s->p;

    memset(shift, 0, (size_t)p->n * sizeof *shift);
    yk_pattern_multiply(p->facts->C, p->C, 2.0 / (gamma_ * h), s->e, shift);
    return yk_matrix_solve(p, s->newton.matrix, shift, err);
}

/* The new point less F^2 e. */
static yoke_status extrapolate(trbdf2 *s, double h, yoke_err *err)
{
    yk_problem *p = s->p;
    double *const e = s->shift;

    YK_TRY(find_shift(s, h, e, err));
    for (int i = 0; i < p->n; i++) p->x_new[i] -= e[i];
    yk_pattern_multiply(p->facts->C, p->C, -1.0, e, p->q_new);
    yk_pattern_multiply(p->facts->G, p->G, -1.0, e, p->f_new);
    return YOKE_OK;
}

static yoke_status estimate(trbdf2 *s, double h, double *error, yoke_err *err)
{
    yk_problem *p = s->p;
    const double theta[] = { 0.0, gamma_, 1.0 };
    const double *const value[] = { p->x, s->x, p->x_new };

    yk_weights_step(p);
    if (p->deep)
        YK_TRY(yk_find_noise(p, s->newton.matrix, 2.0 / (gamma_ * h), p->x_new,
                             p->f_new, s->newton.noise, err));
    yk_deepen_weights(p);
    *error = p->deep ? yk_norm_sum(p, order_two, s->peak, s->e)
                     : yk_norm_rms(p, s->e);
    yk_poly_next(p, h, 2, theta, value, s->qhat);
    *error = fmax(*error, yk_poly_error(p, 2, theta, s->qhat));
    return YOKE_OK;
}

static void note_peaks(trbdf2 *s)
{
    const yk_problem *p = s->p;

    for (int i = 0; i < p->n; i++) {
        const double least = p->atol[i] / p->options.rtol;
        s->peak[i] = fmax(fmax(s->peak[i], least), fabs(p->x[i]));
    }
}

static void note_jacobian(trbdf2 *s)
{
    const yk_problem *p = s->p;

    if (s->stamp == p->stamp) return;
    s->stamp = p->stamp;
    memcpy(s->seen, p->x, (size_t)p->n * sizeof *s->seen);
}

/* The extrapolated solution depends on the Jacobian, by h (G - G_old) e: a new
 * one when the solution has moved by a part of its size.  A repeated sweep that
 * still has the factors of the one before has them for each time. */
static void renew_jacobian(trbdf2 *s)
{
    yk_problem *p = s->p;
    bool moved = false;

    if (p->affine || !p->stamp) return;
    note_jacobian(s);
    for (int i = 0; i < p->n; i++) {
        if (fabs(p->x[i] - s->seen[i]) > YK_STEP_TRBDF2_RENEW * s->peak[i])
            moved = true;
    }
    if (!moved || (p->oldest && p->oldest < p->stamp)) return;
    p->stamp = p->oldest = 0;
}

static yoke_status trbdf2_step(void *self, double t, double h, double *error,
                               double *t_reached, yoke_err *err)
{
    trbdf2 *s = self;
    const yk_problem *p = s->p;

    (void)t_reached;
    note_peaks(s);
    renew_jacobian(s);
    yk_newton_watch(&s->newton);
    YK_TRY(trapezoidal_stage(s, h, err));
    note_jacobian(s);
    YK_TRY(bdf2_stage(s, t, h, err));
    YK_TRY(local_error(s, p->f, s->f, p->f_new, err));
    s->shift_h = h;
    if (!p->deep) YK_TRY(extrapolate(s, h, err));
    return estimate(s, h, error, err);
}

static void trbdf2_inside(void *self, double h, yk_stages *out)
{
    const trbdf2 *s = self;
    const yk_problem *p = s->p;

    *out = (yk_stages){ .count = 3,
                        .theta = { 0.0, gamma_, 1.0 },
                        .q = { p->q, s->q, p->q_new },
                        .f = { p->f, s->f, p->f_new },
                        .matrix = s->newton.matrix,
                        .s = h > 0.0 ? 2.0 / (gamma_ * h) : 0.0 };
}

static void trbdf2_shape(void *self, double h)
{
    trbdf2 *s = self;
    const double theta[] = { 0.0, gamma_, 1.0 };
    const double *const value[] = { s->p->x, s->x, s->p->x_new };

    yk_poly_through(s->p, h, 2, theta, value);
}

static yoke_status trbdf2_begin(void *self, bool smooth, yoke_err *err)
{
    (void)err;
    if (!smooth) ((trbdf2 *)self)->now.count = 0;
    return YOKE_OK;
}

static void trbdf2_commit(void *self)
{
    trbdf2 *s = self;
    past *const last = &s->now;
    double *const e = last->e[1];
    const double h = s->shift_h;

    for (int i = 0; i < s->p->n; i++) e[i] = s->shift[i] / (h * h * h);
    last->e[1] = last->e[0];
    last->e[0] = e;
    last->h[1] = last->h[0];
    last->h[0] = h;
    if (last->count < 2) last->count++;
}

static void copy_past(const trbdf2 *s, past *to, const past *from)
{
    const size_t bytes = (size_t)s->p->n * sizeof(double);

    to->count = from->count;
    for (int i = 0; i < 2; i++) {
        to->h[i] = from->h[i];
        memcpy(to->e[i], from->e[i], bytes);
    }
}

static void trbdf2_keep(void *self)
{
    trbdf2 *s = self;

    copy_past(s, &s->kept, &s->now);
    memcpy(s->kept_peak, s->peak, (size_t)s->p->n * sizeof *s->peak);
}

static void trbdf2_back(void *self)
{
    trbdf2 *s = self;

    copy_past(s, &s->now, &s->kept);
    memcpy(s->peak, s->kept_peak, (size_t)s->p->n * sizeof *s->peak);
}

/* ---- Steps that are corrected ---------------------------------------------
 *
 * Their stages are the one at gamma h and the extrapolated end; F^2 e is a
 * vector of the method's own.  With it q, f and x of the end are those before
 * extrapolation, for which the equation of the second stage holds:
 *
 *     q_{n+1} + C F^2 e,   f_{n+1} + G F^2 e,   x_{n+1} + F^2 e.
 */

static void trbdf2_rate(void *self, double *theta, double *first)
{
    const trbdf2 *s = self;

    yk_newton_rate(&s->newton, s->p, theta, first);
}

static void trbdf2_store(void *self, double *const *x, double *const *q,
                         double *const *f)
{
    const trbdf2 *s = self;
    const yk_problem *p = s->p;

    yk_copy(x[0], s->x, p->n);
    yk_copy(q[0], s->q, p->n);
    yk_copy(f[0], s->f, p->n);
    yk_copy(x[1], p->x_new, p->n);
    yk_copy(q[1], p->q_new, p->n);
    yk_copy(f[1], p->f_new, p->n);
    yk_copy(x[2], s->shift, p->n);
}

static void trbdf2_load(void *self, const double *const *x,
                        const double *const *q, const double *const *f)
{
    const trbdf2 *s = self;
    const yk_problem *p = s->p;

    yk_copy(s->x, x[0], p->n);
    yk_copy(s->q, q[0], p->n);
    yk_copy(s->f, f[0], p->n);
    yk_copy(p->x_new, x[1], p->n);
    yk_copy(p->q_new, q[1], p->n);
    yk_copy(p->f_new, f[1], p->n);
    yk_copy(s->shift, x[2], p->n);
}

static yoke_status factor(trbdf2 *s, double h, yoke_err *err)
{
    return yk_matrix_factor(s->p, s->newton.matrix, 1.0 / (0.5 * gamma_ * h),
                            0.0, 1.0, err);
}

/* sum = a + A v. */
static void add_product(const yk_problem *p, const yoke_pattern *pattern,
                        const double *A, const double *a, const double *v,
                        double *sum)
{
    yk_copy(sum, a, p->n);
    yk_pattern_multiply(pattern, A, 1.0, v, sum);
}

/* x, of the stage at gamma h; s->q and s->f, its charge and f with it. */
static yoke_status correct_stage(trbdf2 *s, double h, const double *f0,
                                 const double *dq, const double *df, double *x,
                                 yoke_err *err)
{
    yk_problem *p = s->p;
    const double rate = 1.0 / (0.5 * gamma_ * h);

    for (int i = 0; i < p->n; i++)
        x[i] = p->charge[i] ? -(rate * dq[i] + f0[i] + df[i])
                            : -(rate * dq[i] + df[i]);
    YK_TRY(yk_matrix_solve(p, s->newton.matrix, x, err));
    add_product(p, p->facts->C, p->C, dq, x, s->q);
    add_product(p, p->facts->G, p->G, df, x, s->f);
    return YOKE_OK;
}

/* The same of the end, before extrapolation: x, and s->qhat its f. */
static yoke_status correct_end(trbdf2 *s, double h, const double *dq,
                               const double *df, const double *shift, double *x,
                               yoke_err *err)
{
    yk_problem *p = s->p;
    const double rate = 1.0 / (0.5 * gamma_ * h),
                 a = 1.0 / (gamma_ * (2.0 - gamma_));

    add_product(p, p->facts->C, p->C, dq, shift, s->e);
    add_product(p, p->facts->G, p->G, df, shift, s->qhat);
    for (int i = 0; i < p->n; i++)
        x[i] = -(rate * (s->e[i] - a * s->q[i]) + s->qhat[i]);
    YK_TRY(yk_matrix_solve(p, s->newton.matrix, x, err));
    yk_pattern_multiply(p->facts->G, p->G, 1.0, x, s->qhat);
    return YOKE_OK;
}

static yoke_status trbdf2_correct(void *self, double h, const double *df0,
                                  const double *const *dq,
                                  const double *const *df, double *const *dx,
                                  yoke_err *err)
{
    trbdf2 *s = self;
    const yk_problem *p = s->p;

    YK_TRY(factor(s, h, err));
    YK_TRY(correct_stage(s, h, df0, dq[0], df[0], dx[0], err));
    YK_TRY(correct_end(s, h, dq[1], df[1], dx[2], dx[1], err));
    YK_TRY(local_error(s, df0, s->f, s->qhat, err));
    YK_TRY(find_shift(s, h, s->shift, err));
    for (int i = 0; i < p->n; i++) {
        const double moved = s->shift[i] - dx[2][i];
        dx[1][i] -= moved;
        dx[2][i] = moved;
    }
    return YOKE_OK;
}

static yoke_status trbdf2_judge(void *self, double h, double *error,
                                yoke_err *err)
{
    trbdf2 *s = self;
    const yk_problem *p = s->p;

    YK_TRY(factor(s, h, err));
    add_product(p, p->facts->G, p->G, p->f_new, s->shift, s->qhat);
    YK_TRY(local_error(s, p->f, s->f, s->qhat, err));
    return estimate(s, h, error, err);
}

static const yk_tape_method trbdf2_tape = {
    .stages = 2,
    .theta = { 0.58578643762690495120, 1.0 },
    .extra = 1,
    .rate = trbdf2_rate,
    .store = trbdf2_store,
    .load = trbdf2_load,
    .solve = trbdf2_correct,
    .judge = trbdf2_judge,
};

const yk_method yk_trbdf2 = {
    .name = "trbdf2",
    .text = "TR-BDF2, order 3, adaptive, L-stable",
    .stepping = YK_ADAPTIVE,
    .order = 2,
    .degree = 2,
    .needs_f = true,
    .tape = &trbdf2_tape,
    .create = trbdf2_create,
    .begin = trbdf2_begin,
    .step = trbdf2_step,
    .inside = trbdf2_inside,
    .shape = trbdf2_shape,
    .commit = trbdf2_commit,
    .keep = trbdf2_keep,
    .back = trbdf2_back,
    .free = trbdf2_free,
};
