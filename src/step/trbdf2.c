/* step/trbdf2.c -- TR-BDF2, order 2, adaptive, L-stable, in charge form.
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
 * is multiplied by (C + d h G)^-1, which keeps it small for stiff components.
 *
 * Between the ends: the parabola through the three points, at which algebraic
 * equations hold too.  Its error is estimated as well and controlled.
 * Reference: Hosea and Shampine, Appl. Numer. Math. 20 (1996) 21.
 */
#include "step/method.h"

#include <math.h>

static const double gamma_ = 0.58578643762690495120; /* 2 - sqrt 2 */
static const double weight = 0.35355339059327376220; /* sqrt 2 / 4 */

typedef struct trbdf2 {
    yk_problem *p;
    yk_newton newton;
    double *qhat, *x, *q, *f; /* of the stage at t_n + gamma h */
} trbdf2;

static void trbdf2_free(void *self)
{
    trbdf2 *s = self;

    if (!s) return;
    yk_newton_free(&s->newton);
    yk_free(s->qhat);
    yk_free(s->x);
    yk_free(s->q);
    yk_free(s->f);
    yk_free(s);
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
    YK_GO(yk_doubles(&s->qhat, n, err));
    YK_GO(yk_doubles(&s->x, n, err));
    YK_GO(yk_doubles(&s->q, n, err));
    YK_GO(yk_doubles(&s->f, n, err));
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
    yk_guess(p, t, s->x);
    return yk_newton_solve(&s->newton, p, t, 1.0 / half, 1.0, s->qhat, s->x,
                           s->q, s->f, err);
}

static yoke_status bdf2_stage(trbdf2 *s, double t, double h, yoke_err *err)
{
    yk_problem *p = s->p;
    const double a = 1.0 / (gamma_ * (2.0 - gamma_)),
                 b = (1.0 - gamma_) * (1.0 - gamma_) * a;

    for (int i = 0; i < p->n; i++) s->qhat[i] = a * s->q[i] - b * p->q[i];
    yk_guess(p, t, p->x_new);
    return yk_newton_solve(&s->newton, p, t, 1.0 / (0.5 * gamma_ * h), 1.0,
                           s->qhat, p->x_new, p->q_new, p->f_new, err);
}

/* (C / (d h) + G)^-1 e / (d h). */
static yoke_status estimate(trbdf2 *s, double h, double *error, yoke_err *err)
{
    yk_problem *p = s->p;
    const double d = 0.5 * gamma_;
    double *const e = s->qhat;

    for (int i = 0; i < p->n; i++)
        e[i] = p->charge[i] ? -((4.0 * weight - 1.0) / 3.0 * p->f[i] -
                                s->f[i] / 3.0 + 2.0 * d / 3.0 * p->f_new[i]) /
                                  d
                            : 0.0;
    YK_TRY(yk_matrix_solve(p, s->newton.matrix, e, err));
    for (int i = 0; i < p->n; i++)
        p->weight[i] = p->atol[i] +
                       p->options.rtol * fmax(fabs(p->x[i]), fabs(p->x_new[i]));
    if (p->deep)
        YK_TRY(yk_find_noise(p, s->newton.matrix, 1.0 / (d * h), p->x_new,
                             p->f_new, s->newton.noise, err));
    yk_deepen_weights(p);
    const double theta[] = { 0.0, gamma_, 1.0 };
    const double *const value[] = { p->x, s->x, p->x_new };
    *error = yk_norm_rms(p, e);
    yk_poly_next(p, h, 2, theta, value, e);
    *error = fmax(*error, yk_poly_error(p, 2, theta, e));
    return YOKE_OK;
}

static yoke_status trbdf2_step(void *self, double t, double h, double *error,
                               double *t_reached, yoke_err *err)
{
    trbdf2 *s = self;

    (void)t_reached;
    YK_TRY(trapezoidal_stage(s, h, err));
    YK_TRY(bdf2_stage(s, t, h, err));
    return estimate(s, h, error, err);
}

static void trbdf2_shape(void *self, double h)
{
    trbdf2 *s = self;
    const double theta[] = { 0.0, gamma_, 1.0 };
    const double *const value[] = { s->p->x, s->x, s->p->x_new };

    yk_poly_through(s->p, h, 2, theta, value);
}

const yk_method yk_trbdf2 = {
    .name = "trbdf2",
    .text = "TR-BDF2, order 2, adaptive, L-stable",
    .stepping = YK_ADAPTIVE,
    .order = 2,
    .degree = 2,
    .needs_f = true,
    .create = trbdf2_create,
    .step = trbdf2_step,
    .shape = trbdf2_shape,
    .free = trbdf2_free,
};
