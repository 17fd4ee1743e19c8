/* step/method/radau.c -- Radau IIA of order 5, adaptive, in charge form.
 *
 * The three stages X_i = x(t_n + c_i h) satisfy
 *
 *     sum_j w_ij (q(X_j) - q_n) / h + f(t_i, X_i, u_i) = 0,   W = A^-1,
 *
 * and x_{n+1} = X_3.  L-stable and stiffly accurate: algebraic equations hold
 * at every step.  W has the eigenvalues gamma and alpha +- i beta; with
 * T^-1 W T = diag(gamma, alpha + i beta) the simplified Newton iteration splits
 * into a real system gamma/h C + G and a complex one (alpha + i beta)/h C + G.
 *
 * Error estimate: the difference to an embedded formula of order 3 that also
 * uses f_n,
 *
 *     e = (gamma/h C + G)^-1 ( sum_i d_i (q(X_i) - q_n) / h - f_n ),
 *
 * again with f(x_n + e) for f_n in the first step and after a rejection,
 * when it is too large.  On algebraic rows f_n = 0 is used.  Deep unknowns
 * (deep_unknowns.c) enter with what the stages say about their beginning.
 *
 * Between the ends x is the collocation polynomial of degree 3.  Other
 * subsystems read it, so its error is estimated too: e says nothing about
 * components that follow an input stiffly or algebraically.  For the same
 * reason the tolerance is not relaxed to the order 5 of the end values.
 * Order 5; algebraic unknowns: 5 for index 1, 3 for index 2, 2 for index 3
 * (velocities 3).
 * Reference: Hairer and Wanner II, section IV.8 (RADAU5).  Differences: charges
 * instead of a mass matrix; control of the polynomial; affine systems take one
 * Newton step and no further evaluation.
 */
#include "step/method/radau.h"
#include "step/policy.h"
#include "sys/system.h"

#include "la/newton.h"
#include "la/pattern.h"

#include <math.h>
#include <string.h>

static const double T[3][3] = {
    { 9.1232394870892942792e-02, -0.14125529502095420843,
      -3.0029194105147424492e-02 },
    { 0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779 },
    { 0.96604818261509293619, 1.0, 0.0 },
};
static const double T_inverse[3][3] = {
    { 4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119 },
    { -4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196 },
    { -0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497 },
};
static const double gamma_ = 3.6378342527444957322; /* eigenvalues of W */
static const double alpha = 2.6810828736277521339;
static const double beta = 3.0504301992474105694;
static const double sqrt6 = 2.4494897427831780982;

/* Of the embedded formula: -(13 + 7 sqrt 6)/3, (-13 + 7 sqrt 6)/3, -1/3. */
static const double embedded[3] = { -10.048809399827415562,
                                    1.3821427331607488958,
                                    -0.33333333333333333333 };

/* ---- The stages ---------------------------------------------------------- */

static void nodes(double c[3])
{
    c[0] = (4.0 - sqrt6) / 10.0;
    c[1] = (4.0 + sqrt6) / 10.0;
    c[2] = 1.0;
}

/* w_ij = l_j'(c_i), l_j the Lagrange polynomials of the nodes 0, c1, c2, 1. */
static void make_w(double w[3][3])
{
    double c[4] = { 0.0 };

    nodes(c + 1);
    for (int i = 1; i < 4; i++)
        for (int j = 1; j < 4; j++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++) {
                double product = 1.0;
                if (k == j) continue;
                for (int l = 0; l < 4; l++)
                    if (l != j && l != k)
                        product *= (c[i] - c[l]) / (c[j] - c[l]);
                sum += product / (c[j] - c[k]);
            }
            w[i - 1][j - 1] = sum;
        }
}

void yk_radau_free(yk_radau *r)
{
    yk_matrix_free(r->real);
    yk_matrix_free(r->complex);
    for (int i = 0; i < 3; i++) {
        YK_FREE(r->x[i], r->q[i], r->f[i], r->dx[i]);
    }
    YK_FREE(r->pair, r->e);
}

yoke_status yk_radau_create(yk_radau *r, const yk_problem *p, yoke_err *err)
{
    const size_t n = (size_t)p->n + 1;

    make_w(r->w);
    YK_TRY(yk_matrix_create(&r->real, p, false, err));
    YK_TRY(yk_matrix_create(&r->complex, p, true, err));
    for (int i = 0; i < 3; i++) {
        YK_TRY(YK_DOUBLES(n, err, &r->x[i], &r->q[i], &r->f[i], &r->dx[i]));
    }
    YK_TRY(yk_doubles(&r->pair, 2 * n, err));
    return yk_doubles(&r->e, n, err);
}

static double stage_time(const yk_problem *p, double t, double h, int i)
{
    double c[3];

    nodes(c);
    return i == 2 ? t : p->t + c[i] * h;
}

/* dx_i = -(sum_j w_ij (q_j - q_n) / h + f_i), multiplied by T^-1. */
static void transformed_residual(yk_radau *r, const yk_problem *p, double h)
{
    for (int k = 0; k < p->n; k++) {
        const double z[3] = { (r->q[0][k] - p->q[k]) / h,
                              (r->q[1][k] - p->q[k]) / h,
                              (r->q[2][k] - p->q[k]) / h };
        double a[3];
        for (int i = 0; i < 3; i++)
            a[i] = r->w[i][0] * z[0] + r->w[i][1] * z[1] + r->w[i][2] * z[2] +
                   r->f[i][k];
        for (int i = 0; i < 3; i++)
            r->dx[i][k] = -(T_inverse[i][0] * a[0] + T_inverse[i][1] * a[1] +
                            T_inverse[i][2] * a[2]);
    }
}

static yoke_status solve_transformed(yk_radau *r, yk_problem *p, yoke_err *err)
{
    for (int k = 0; k < p->n; k++) {
        r->pair[2 * k] = r->dx[1][k];
        r->pair[2 * k + 1] = r->dx[2][k];
    }
    YK_TRY(yk_matrix_solve(p, r->real, r->dx[0], err));
    YK_TRY(yk_matrix_solve(p, r->complex, r->pair, err));
    for (int k = 0; k < p->n; k++) {
        const double v[3] = { r->dx[0][k], r->pair[2 * k], r->pair[2 * k + 1] };
        for (int i = 0; i < 3; i++)
            r->dx[i][k] = T[i][0] * v[0] + T[i][1] * v[1] + T[i][2] * v[2];
    }
    return YOKE_OK;
}

/* q and f of stage i at its iterate. */
static yoke_status evaluate(yk_radau *r, yk_problem *p, double t, double h,
                            int i, yoke_err *err)
{
    return yk_eval(p, stage_time(p, t, h, i), r->x[i], r->q[i], r->f[i], err);
}

/* One iteration; *norm is the size of the increments, r->farthest the stage
 * with the largest.  Stage `known` (-1: none) has its q and f already. */
static yoke_status increment(yk_radau *r, yk_problem *p, double t, double h,
                             int known, double *norm, yoke_err *err)
{
    double sum = 0.0;

    for (int i = 0; i < 3; i++)
        if (i != known) YK_TRY(evaluate(r, p, t, h, i, err));
    transformed_residual(r, p, h);
    YK_TRY(solve_transformed(r, p, err));
    r->largest = 0.0;
    r->farthest = 2;
    for (int i = 2; i >= 0; i--) {
        const double size = yk_norm_rms(p, r->dx[i]);
        if (size > r->largest) {
            r->largest = size;
            r->farthest = i;
        }
        sum += size * size;
        for (int k = 0; k < p->n; k++) r->x[i][k] += r->dx[i][k];
    }
    *norm = sqrt(sum / 3.0);
    if (!isfinite(*norm))
        return yk_fail(err, YOKE_RETRY, "Newton's increment is not finite");
    return YOKE_OK;
}

static bool settled(const yk_radau *r, yk_problem *p, double t, double h)
{
    for (int i = 0; i < 3; i++)
        if (!yk_step_settled(p, stage_time(p, t, h, i), r->x[i], r->dx[i]))
            return false;
    return true;
}

/* q and f at the stages after the last increment. */
static void update(yk_radau *r, const yk_problem *p)
{
    for (int i = 0; i < 3; i++) {
        yk_pattern_multiply(p->facts->C, p->C, 1.0, r->dx[i], r->q[i]);
        yk_pattern_multiply(p->facts->G, p->G, 1.0, r->dx[i], r->f[i]);
    }
}

/* The iteration does not get on: by rounding errors alone, whose effect on the
 * solution is h^-index times their size?  Then it has converged. */
static yoke_status stagnated(yk_radau *r, yk_problem *p, double t, double h,
                             double theta, double norm, yoke_err *err)
{
    YK_TRY(yk_find_noise(p, r->real, gamma_ / h, r->x[2], r->f[2], r->e, err));
    if (norm <= YK_STEP_RADAU_ROUNDING * yk_norm_rms(p, p->noise) &&
        settled(r, p, t, h))
        return YOKE_OK;
    return yk_fail(err, YOKE_RETRY,
                   "Newton's method does not converge (contraction %.2g, last "
                   "change %.2g times the tolerance, in \"%s\"%s)",
                   theta, norm / p->kappa, yk_worst(p, r->dx[2]),
                   fabs(theta - 1.0) < YK_STEP_TO_AND_FRO
                       ? "; to and fro, as at a corner or a jump of the "
                         "equations that is no event: make it one, or round it"
                       : "");
}

/* What is left of the error in the stage that moved most, by one evaluation
 * there, which the next iteration needs anyway: *left, in tolerances.  q and f
 * of the other stages are those after the last increment; this one's, too, if
 * little is left. */
static yoke_status verify(yk_radau *r, yk_problem *p, double t, double h,
                          double *left, yoke_err *err)
{
    const int i = r->farthest;
    const size_t n = (size_t)p->n, bytes = n * sizeof *r->pair;

    update(r, p);
    memcpy(r->pair, r->q[i], bytes);
    memcpy(r->pair + n, r->f[i], bytes);
    YK_TRY(evaluate(r, p, t, h, i, err));
    for (int k = 0; k < p->n; k++) {
        r->e[k] = r->f[i][k];
        for (int j = 0; j < 3; j++)
            r->e[k] += r->w[i][j] * (r->q[j][k] - p->q[k]) / h;
    }
    YK_TRY(yk_matrix_solve(p, r->real, r->e, err));
    *left = yk_norm_rms(p, r->e);
    if (!isfinite(*left))
        return yk_fail(err, YOKE_RETRY, "Newton's residual is not finite");
    if (*left > p->kappa) return YOKE_OK;
    memcpy(r->q[i], r->pair, bytes);
    memcpy(r->f[i], r->pair + n, bytes);
    return YOKE_OK;
}

/* The iteration of one step. */
typedef struct iteration {
    yk_radau *r;
    yk_problem *p;
    double t, h;
    double eta, ratio; /* theta / (1 - theta), the last ratio of increments */
    int known;         /* the stage whose q and f are there, or -1 */
    int sure;          /* is eta believed down to SURE only? -1: not known */
} iteration;

/* What eta is believed down to.  It is asked for where it matters alone. */
static double floor_of(iteration *i)
{
    const yk_problem *p = i->p;

    if (i->eta >= YK_STEP_RADAU_SURE) return i->eta;
    if (i->sure < 0)
        i->sure =
            p->algebraic > 0 || !p->poly.valid || yk_is_stiff(p, gamma_ / i->h);
    return i->sure ? YK_STEP_RADAU_SURE : YK_STEP_RADAU_LEAST;
}

static double eta_of(double theta)
{
    return fmax(theta / fmax(1.0 - theta, 0.01), YK_STEP_RADAU_LEAST);
}

/* Convergence that rests on a theta of earlier steps. */
static yoke_status confirm(iteration *i, yk_newton_run *run, yoke_err *err)
{
    double left = 0.0;

    YK_TRY(verify(i->r, i->p, i->t, i->h, &left, err));
    run->done = left <= i->p->kappa;
    i->known = i->r->farthest;
    if (!run->done) return YOKE_OK;
    i->r->theta = left / run->size;
    i->p->eta = eta_of(i->r->theta);
    return YOKE_OK;
}

static yoke_status step_on(void *self, yk_newton_run *run, yoke_err *err)
{
    iteration *i = self;
    yk_radau *r = i->r;
    yk_problem *p = i->p;
    const int k = run->iterations - 1;

    YK_TRY(increment(r, p, i->t, i->h, i->known, &run->size, err));
    i->known = -1;
    p->effort = (double)(k + 1) / run->most;
    run->done = p->affine || run->size == 0.0;
    if (k == 0) r->first = run->size;
    if (!run->done && k > 0) {
        const double ratio = run->size / run->before;
        r->theta = k == 1 ? ratio : sqrt(ratio * i->ratio);
        i->ratio = ratio;
        i->eta = eta_of(r->theta);
    }
    const bool calm = !run->done && settled(r, p, i->t, i->h);
    const double left = i->eta * run->size;
    run->done = run->done ||
                (calm && fmax(i->eta, floor_of(i)) * run->size <= p->kappa);
    /* Are the iterations left enough?  The first two increments may be of
     * different unknowns: their ratio alone does not tell. */
    const double last = k > 1 ? pow(r->theta, run->most - 1 - k) : 0.0;
    if (!run->done && (k + 1 == run->most || left * last > p->kappa)) {
        YK_TRY(stagnated(r, p, i->t, i->h, r->theta, run->size, err));
        run->done = true;
    }
    if (!run->done)
        return left <= p->kappa && calm ? confirm(i, run, err) : YOKE_OK;
    p->eta = i->eta;
    update(r, p);
    return YOKE_OK;
}

static yoke_status iterate(yk_radau *r, yk_problem *p, double t, double h,
                           yoke_err *err)
{
    iteration i = { r,
                    p,
                    t,
                    h,
                    .eta = fmax(pow(p->eta, 0.8), YK_STEP_RADAU_LEAST),
                    .known = -1,
                    .sure = -1 };
    yk_newton_run run = { &i, step_on, .most = p->options.max_newton };

    r->theta = 0.0;
    return yk_newton_iterate(&run, err);
}

static yoke_status factor(yk_radau *r, yk_problem *p, double h, yoke_err *err)
{
    YK_TRY(yk_matrix_factor(p, r->real, gamma_ / h, 0.0, 1.0, err));
    return yk_matrix_factor(p, r->complex, alpha / h, beta / h, 1.0, err);
}

static yoke_status attempt(yk_radau *r, yk_problem *p, double t, double h,
                           yoke_err *err)
{
    YK_TRY(factor(r, p, h, err));
    for (int i = 0; i < 3; i++)
        yk_step_guess(p, stage_time(p, t, h, i), r->x[i]);
    yk_weights(p, p->x);
    return iterate(r, p, t, h, err);
}

static yoke_status jacobian_here(yk_radau *r, yk_problem *p, yoke_err *err)
{
    YK_TRY(yk_jacobian(p, p->t, p->x, err));
    p->oldest = r->stamp = p->stamp;
    r->jac_t = p->t;
    r->jac_steps = p->work.steps;
    return YOKE_OK;
}

/* Convergence is looked at in one stage; what an old Jacobian leaves of
 * algebraic unknowns in the others the guess of the next step inherits. */
static bool too_old(const yk_radau *r, const yk_problem *p)
{
    return p->algebraic > 0 && !p->affine &&
           p->work.steps - r->jac_steps >= YK_STEP_RADAU_AGE;
}

yoke_status yk_radau_solve(yk_radau *r, yk_problem *p, double t, double h,
                           yoke_err *err)
{
    yoke_status status;

    if (!p->stamp || too_old(r, p)) YK_TRY(jacobian_here(r, p, err));
    status = attempt(r, p, t, h, err);
    if (status <= 0 || p->affine) return status;
    p->eta = 1.0;
    if (r->stamp == p->stamp && r->jac_t == p->t) return status;
    YK_TRY(jacobian_here(r, p, err));
    return attempt(r, p, t, h, err);
}

/* ---- The method ---------------------------------------------------------- */

typedef struct radau {
    yk_problem *p;
    yk_radau r;
    bool first, committed;
    double *x, *f, *more; /* the beginning as the stages see it */
} radau;

static void radau_free(void *self)
{
    radau *s = self;

    if (!s) return;
    yk_radau_free(&s->r);
    YK_FREE(s->x, s->f, s->more, s);
}

static yoke_status radau_create(void **out, const yk_method *method,
                                yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    radau *s = NULL;

    (void)method;
    YK_TRY(YK_NEW(&s, 1, err));
    s->p = p;
    YK_GO(yk_radau_create(&s->r, p, err));
    YK_GO(YK_DOUBLES((size_t)p->n + 1, err, &s->x, &s->f, &s->more));
    *out = s;
    s = NULL;
done:
    radau_free(s);
    return status;
}

static yoke_status radau_begin(void *self, bool smooth, yoke_err *err)
{
    radau *s = self;

    (void)err;
    s->first = !smooth;
    s->committed = true;
    return YOKE_OK;
}

/* e := (gamma/h C + G)^-1 (sum_i d_i (q_i - q_n) / h - f), with `more` added
 * to sum_i d_i (q_i - q_n). */
static yoke_status filtered(radau *s, double h, const double *f,
                            const double *more, yoke_err *err)
{
    yk_problem *p = s->p;
    yk_radau *r = &s->r;

    for (int k = 0; k < p->n; k++) {
        r->e[k] = 0.0;
        if (!p->charge[k]) continue;
        if (more) r->e[k] = more[k] / h;
        for (int i = 0; i < 3; i++)
            r->e[k] += embedded[i] * (r->q[i][k] - p->q[k]) / h;
        r->e[k] -= f[k];
    }
    return yk_matrix_solve(p, r->real, r->e, err);
}

/* What the parabola through the stages says about the beginning. */
static double backwards(double *const x[3], int k)
{
    double c[3], sum = 0.0;

    nodes(c);
    for (int i = 0; i < 3; i++) {
        const double a = c[(i + 1) % 3], b = c[(i + 2) % 3];
        sum += a * b / ((c[i] - a) * (c[i] - b)) * x[i][k];
    }
    return sum;
}

/* The stages with another beginning of the deep unknowns that charges depend
 * on: dx is their change, s->more that of sum_i d_i (q_i - q_n). */
static yoke_status rebegin(radau *s, double h, yoke_err *err)
{
    yk_problem *p = s->p;
    yk_radau *r = &s->r;
    double *const dq = s->more;

    for (int k = 0; k < p->n; k++) {
        const bool replaced = p->depth[k] > 0 && !p->forgets[k];
        r->e[k] = replaced ? backwards(r->x, k) - p->x[k] : 0.0;
        s->x[k] = p->x[k] + r->e[k];
        dq[k] = 0.0;
    }
    yk_pattern_multiply(p->facts->C, p->C, 1.0, r->e, dq);
    for (int k = 0; k < p->n; k++) {
        double a[3];
        for (int i = 0; i < 3; i++)
            a[i] = (r->w[i][0] + r->w[i][1] + r->w[i][2]) * dq[k] / h;
        for (int i = 0; i < 3; i++)
            r->dx[i][k] = T_inverse[i][0] * a[0] + T_inverse[i][1] * a[1] +
                          T_inverse[i][2] * a[2];
    }
    YK_TRY(solve_transformed(r, p, err));
    for (int k = 0; k < p->n; k++) {
        dq[k] *= -(embedded[0] + embedded[1] + embedded[2]);
        r->e[k] = 0.0;
        for (int i = 0; i < 3; i++) r->e[k] += embedded[i] * r->dx[i][k];
    }
    yk_pattern_multiply(p->facts->C, p->C, 1.0, r->e, dq);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < p->n; k++) r->dx[i][k] += r->x[i][k];
    return YOKE_OK;
}

/* The beginning s->x as the stages see it, and f there. */
static yoke_status beginning(radau *s, double h, const double **f,
                             const double **more, yoke_err *err)
{
    yk_problem *p = s->p;
    yk_radau *r = &s->r;

    memcpy(s->x, p->x, (size_t)p->n * sizeof *s->x);
    *f = p->f;
    *more = NULL;
    const bool deep = p->deep && (p->poly.valid || h < p->h_stuck);
    if (!deep && !p->stale) return YOKE_OK;
    const bool handed_on = deep && p->handed_on;
    if (handed_on) {
        YK_TRY(rebegin(s, h, err));
        *more = s->more;
    }
    for (int k = 0; k < p->n; k++)
        if (yk_begins_anyhow(p, k))
            s->x[k] = backwards(handed_on ? r->dx : r->x, k);
    *f = s->f;
    return yk_eval(p, p->t, s->x, NULL, s->f, err);
}

static yoke_status estimate(radau *s, double h, bool rejected, double *error,
                            yoke_err *err)
{
    yk_problem *p = s->p;
    yk_radau *r = &s->r;
    const double *f = NULL, *more = NULL;

    YK_TRY(beginning(s, h, &f, &more, err));
    YK_TRY(filtered(s, h, f, more, err));
    *error = yk_norm_rms(p, r->e);
    if (*error < 1.0 || !(s->first || rejected)) return YOKE_OK;
    /* Deep unknowns would take up the whole error. */
    for (int k = 0; k < p->n; k++)
        r->e[k] = p->depth[k] > 0 ? s->x[k] : s->x[k] + r->e[k];
    YK_TRY(yk_eval(p, p->t, r->e, NULL, r->dx[0], err));
    YK_TRY(filtered(s, h, r->dx[0], more, err));
    *error = yk_norm_rms(p, r->e);
    return YOKE_OK;
}

/* The next term of the collocation polynomial: its size inside the step, and
 * what the error of its derivative, omega'(1) / h times that term, does to deep
 * unknowns.  They lie in x' of the others. */
static yoke_status next_term(radau *s, double h, double *error, yoke_err *err)
{
    yk_problem *p = s->p;
    yk_radau *r = &s->r;
    const double *const value[] = { p->x, r->x[0], r->x[1], r->x[2] };
    double theta[4] = { 0.0 }, *const term = r->dx[0];

    nodes(theta + 1);
    yk_poly_next(p, h, 3, theta, value, term);
    *error = fmax(*error, yk_poly_error(p, 3, theta, term));
    if (!p->deep || !p->poly.valid) return YOKE_OK;
    const double slope = (1.0 - theta[1]) * (1.0 - theta[2]);
    memset(r->e, 0, (size_t)p->n * sizeof *r->e);
    yk_pattern_multiply(p->facts->C, p->C, slope / h, term, r->e);
    YK_TRY(yk_matrix_solve(p, r->real, r->e, err));
    *error = fmax(*error, yk_norm_rms(p, r->e));
    return YOKE_OK;
}

/* Index 3: what the stages leave of the constraint is divided by h^2 in the
 * multiplier of the next step, and by the derivatives of an old Jacobian the
 * beginning is not told well; no shorter step is better then. */
static yoke_status solve_stages(radau *s, double t, double h, bool rejected,
                                yoke_err *err)
{
    yk_problem *p = s->p;
    const double kappa = p->kappa;
    const bool anew = rejected || (p->handed_on && !p->system->differenced);

    if (anew && p->deep && !p->affine && s->r.jac_t != p->t) p->stamp = 0;
    if (p->handed_on && !p->affine) p->kappa *= YK_STEP_RADAU_DEEP;
    const yoke_status status = yk_radau_solve(&s->r, p, t, h, err);
    p->kappa = kappa;
    return status;
}

static yoke_status radau_step(void *self, double t, double h, double *error,
                              double *t_reached, yoke_err *err)
{
    radau *s = self;
    yk_problem *p = s->p;
    const size_t bytes = (size_t)p->n * sizeof *p->x;
    const bool rejected = !s->committed;

    (void)t_reached;
    s->committed = false;
    YK_TRY(solve_stages(s, t, h, rejected, err));
    if (p->deep) {
        YK_TRY(yk_find_noise(p, s->r.real, gamma_ / h, s->r.x[2], s->r.f[2],
                             s->r.e, err));
        yk_deepen_weights(p);
    }
    YK_TRY(estimate(s, h, rejected, error, err));
    YK_TRY(next_term(s, h, error, err));
    memcpy(p->x_new, s->r.x[2], bytes);
    memcpy(p->q_new, s->r.q[2], bytes);
    memcpy(p->f_new, s->r.f[2], bytes);
    return YOKE_OK;
}

static void radau_inside(void *self, double h, yk_stages *out)
{
    radau *s = self;
    const yk_radau *r = &s->r;

    *out = (yk_stages){ .count = 4,
                        .q = { s->p->q, r->q[0], r->q[1], r->q[2] },
                        .f = { NULL, r->f[0], r->f[1], r->f[2] },
                        .matrix = r->real,
                        .s = h > 0.0 ? gamma_ / h : 0.0 };
    nodes(out->theta + 1);
}

static void radau_shape(void *self, double h)
{
    radau *s = self;
    yk_problem *p = s->p;
    const double *const value[] = { p->x, s->r.x[0], s->r.x[1], p->x_new };
    double theta[4] = { 0.0 };

    nodes(theta + 1);
    yk_poly_through(p, h, 3, theta, value);
}

static void radau_commit(void *self)
{
    radau *s = self;

    s->first = false;
    s->committed = true;
    if (!s->p->affine && s->r.theta > YK_STEP_RADAU_RENEW) s->p->stamp = 0;
}

/* ---- Steps that are corrected -------------------------------------------- */

static void radau_rate(void *self, double *theta, double *first)
{
    const radau *s = self;

    /* One iteration tells no contraction: that of the steps before. */
    *theta = s->r.theta > 0.0 ? s->r.theta : s->p->eta / (1.0 + s->p->eta);
    if (!isfinite(*theta)) *theta = 1.0;
    *first = s->r.first;
}

static void radau_store(void *self, double *const *x, double *const *q,
                        double *const *f)
{
    const radau *s = self;
    const size_t bytes = (size_t)s->p->n * sizeof(double);

    for (int i = 0; i < 3; i++) {
        memcpy(x[i], s->r.x[i], bytes);
        memcpy(q[i], s->r.q[i], bytes);
        memcpy(f[i], s->r.f[i], bytes);
    }
}

static void radau_load(void *self, const double *const *x,
                       const double *const *q, const double *const *f)
{
    const radau *s = self;
    const size_t bytes = (size_t)s->p->n * sizeof(double);

    for (int i = 0; i < 3; i++) {
        memcpy(s->r.x[i], x[i], bytes);
        memcpy(s->r.q[i], q[i], bytes);
        memcpy(s->r.f[i], f[i], bytes);
    }
}

static yoke_status radau_correct(void *self, double h, const double *df0,
                                 const double *const *dq,
                                 const double *const *df, double *const *dx,
                                 yoke_err *err)
{
    radau *s = self;
    yk_radau *r = &s->r;
    yk_problem *p = s->p;

    (void)df0;
    YK_TRY(factor(r, p, h, err));
    for (int k = 0; k < p->n; k++) {
        double a[3];
        for (int i = 0; i < 3; i++) {
            a[i] = df[i][k];
            for (int j = 0; j < 3; j++) a[i] += r->w[i][j] * dq[j][k] / h;
        }
        for (int i = 0; i < 3; i++)
            r->dx[i][k] = -(T_inverse[i][0] * a[0] + T_inverse[i][1] * a[1] +
                            T_inverse[i][2] * a[2]);
    }
    YK_TRY(solve_transformed(r, p, err));
    for (int i = 0; i < 3; i++)
        memcpy(dx[i], r->dx[i], (size_t)p->n * sizeof(double));
    return YOKE_OK;
}

static yoke_status radau_judge(void *self, double h, double *error,
                               yoke_err *err)
{
    radau *s = self;
    const bool first = s->first;

    YK_TRY(factor(&s->r, s->p, h, err));
    s->first = false;
    const yoke_status status = estimate(s, h, false, error, err);
    s->first = first;
    if (status != YOKE_OK) return status;
    return next_term(s, h, error, err);
}

static const yk_tape_method radau_tape = {
    .stages = 3,
    .theta = { 0.15505102572168219018, 0.64494897427831780982, 1.0 },
    .rate = radau_rate,
    .store = radau_store,
    .load = radau_load,
    .solve = radau_correct,
    .judge = radau_judge,
};

const yk_method yk_radau5 = {
    .name = "radau5",
    .text = "Radau IIA, order 5, adaptive, L-stable",
    .stepping = YK_ADAPTIVE,
    .order = 3,
    .degree = 3,
    .needs_f = true,
    .tape = &radau_tape,
    .create = radau_create,
    .begin = radau_begin,
    .step = radau_step,
    .inside = radau_inside,
    .shape = radau_shape,
    .commit = radau_commit,
    .free = radau_free,
};
