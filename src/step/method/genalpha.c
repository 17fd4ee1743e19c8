/* step/method/genalpha.c -- generalised-alpha, order 2, adaptive, in charge
 * form.
 *
 * Beside the charges q a second set r, "derivative-like", is carried along:
 *
 *     am r_{n+1} + (1 - am) r_n = -(af f_{n+1} + (1 - af) f_n)
 *     q_{n+1} = q_n + h ((1 - g) r_n + g r_{n+1}),   algebraic rows f_{n+1} = 0
 *
 *     af = g = 1 / (1 + rho),   am = (3 - rho) / (2 (1 + rho)).
 *
 * As h -> infinity both roots are -rho: rho = 1 is the trapezoidal rule, rho =
 * 0 has the roots of BDF2.  Order 2 because r_n belongs to the time
 * t_n + d h, d = af - am; the error of a step is c h^3 q''', c = g - 1/3 - g^2.
 * Applied to q' = v, v' = a it filters both, and is not Chung and Hulbert's
 * method for second-order systems, with which it shares am, af, g and rho.  The
 * equations hold at the points t_n themselves (as in Arnold and Bruels), so
 * accelerations and multipliers there have order 2 as well.
 *
 * With another step h' the time of r_n changes: r_n gets d (h' - h) q''.
 *
 * Index 3.  Velocities, which the constraint determines through q, are not
 * exact but v + c h^2 v'' in its directions, and r = v + d h v' + (1/6 - g +
 * g^2) h^2 v''.  Beginning with other values would bring errors rho^n h^2 into
 * the velocities and n^2 rho^n h into the multipliers.  So v and r are begun
 * with these, and moved when the step changes: v by -(C/(s h) + G)^-1 of
 * c h^2 v'' in the rows of q', of which only the velocities are taken.
 *
 * It begins with a step of three steps of Radau IIA.
 *
 * Error estimate: c h^3 q''' from the last three f, times (C + s h G)^-1; for
 * unknowns of depth 1 (deep_unknowns.c) c h^2 x''; and the error of the parabola
 * through the last three points, which is the dense output.
 *
 * References: Chung, Hulbert, J. Appl. Mech. 60 (1993) 371; Jansen, Whiting,
 * Hulbert, Comput. Methods Appl. Mech. Eng. 190 (2000) 305; Arnold, Bruels,
 * Multibody Syst. Dyn. 18 (2007) 185; Arnold, Bruels, Cardona, Numer. Math. 129
 * (2015) 149.
 */
#include "step/method.h"
#include "step/method/radau_start.h"
#include "step/policy.h"

#include "base/vector.h"
#include "la/pattern.h"

#include <math.h>
#include <string.h>

enum { PAST = 2 };

/* A step that is more accurate than this part of the tolerance counts as being
 * so: the next one is at most twice as long. */
static const double least_error = 0.092;

/* What the steps before left behind. */
typedef struct past {
    int count; /* points; 0: begin with Radau */
    double h;  /* step that r belongs to; 0: r is -f at the present time */
    double *r; /* n */
    double t[PAST], *x[PAST], *f[PAST]; /* before the present point */
    double *peak;                       /* n: largest |x| so far */
} past;

typedef struct genalpha {
    yk_problem *p;
    yk_newton newton;
    yk_thirds thirds;
    double am, af, g, d, c; /* as above */
    double s;               /* the matrix is C / (s h) + G */
    past now, kept;
    bool *shallow;                    /* rows whose charge is not deep */
    double *r, *r_new, *q, *f, *qhat; /* of the step that is tried */
    double *slope, *bend, *e;         /* derivatives of -f; scratch */
    double *peak;                     /* largest |x|, the trial point too */
    bool starting;
} genalpha;

static void past_free(past *p)
{
    YK_FREE(p->r, p->peak);
    for (int j = 0; j < PAST; j++) {
        YK_FREE(p->x[j], p->f[j]);
    }
}

static void genalpha_free(void *self)
{
    genalpha *s = self;

    if (!s) return;
    yk_newton_free(&s->newton);
    yk_thirds_free(&s->thirds);
    past_free(&s->now);
    past_free(&s->kept);
    YK_FREE(s->r, s->r_new, s->q, s->f, s->qhat, s->slope, s->bend, s->e,
            s->peak);
    YK_FREE(s->shallow, s);
}

static yoke_status past_create(past *p, size_t n, yoke_err *err)
{
    YK_TRY(YK_DOUBLES(n, err, &p->r, &p->peak));
    for (int j = 0; j < PAST; j++) {
        YK_TRY(YK_DOUBLES(n, err, &p->x[j], &p->f[j]));
    }
    return YOKE_OK;
}

static void set_weights(genalpha *s, double rho)
{
    s->g = s->af = 1.0 / (1.0 + rho);
    s->am = 0.5 * (3.0 - rho) / (1.0 + rho);
    s->d = s->af - s->am;
    s->c = s->g - 1.0 / 3.0 - s->g * s->g;
    s->s = s->g * s->af / s->am;
}

static yoke_status genalpha_create(void **out, const yk_method *method,
                                   yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t n = (size_t)p->n + 1;
    genalpha *s = NULL;

    (void)method;
    YK_TRY(YK_NEW(&s, 1, err));
    s->p = p;
    set_weights(s, p->options.rho);
    YK_GO(yk_newton_create(&s->newton, p, err));
    YK_GO(yk_thirds_create(&s->thirds, p, err));
    YK_GO(past_create(&s->now, n, err));
    YK_GO(past_create(&s->kept, n, err));
    YK_GO(YK_NEW(&s->shallow, n, err));
    double **const block[] = { &s->r,     &s->r_new, &s->q, &s->f,   &s->qhat,
                               &s->slope, &s->bend,  &s->e, &s->peak };
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        YK_GO(yk_doubles(block[i], n, err));
    *out = s;
    s = NULL;
done:
    genalpha_free(s);
    return status;
}

static void past_copy(const genalpha *s, past *to, const past *from)
{
    const size_t bytes = (size_t)s->p->n * sizeof(double);

    to->count = from->count;
    to->h = from->h;
    memcpy(to->r, from->r, bytes);
    memcpy(to->peak, from->peak, bytes);
    for (int j = 0; j < PAST; j++) {
        to->t[j] = from->t[j];
        memcpy(to->x[j], from->x[j], bytes);
        memcpy(to->f[j], from->f[j], bytes);
    }
}

static void genalpha_keep(void *self)
{
    genalpha *s = self;

    past_copy(s, &s->kept, &s->now);
}

static void genalpha_back(void *self)
{
    genalpha *s = self;

    past_copy(s, &s->now, &s->kept);
}

static void find_shallow(genalpha *s)
{
    const yk_problem *p = s->p;
    const yoke_pattern *c = p->facts->C;

    for (int i = 0; i < p->n; i++) s->shallow[i] = p->charge[i];
    for (int j = 0; j < p->n; j++)
        for (int k = c->start[j]; p->depth[j] > 0 && k < c->start[j + 1]; k++)
            s->shallow[c->row[k]] = false;
}

static yoke_status genalpha_begin(void *self, bool smooth, yoke_err *err)
{
    genalpha *s = self;
    yk_problem *p = s->p;

    if (p->deep && p->options.rho >= 1.0)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\": with rho = 1 genalpha does not damp "
                       "errors of constraints of index 2 and 3; give rho < 1",
                       p->name);
    find_shallow(s);
    if (!smooth) s->now.count = 0;
    return YOKE_OK;
}

/* ---- Derivatives from the last points ------------------------------------ */

typedef struct jet {
    double first, second;
} jet;

/* Derivatives at t2 of the parabola through three values. */
static jet derive(const double t[3], double v0, double v1, double v2)
{
    const double a = (v1 - v0) / (t[1] - t[0]), b = (v2 - v1) / (t[2] - t[1]);
    const double half = (b - a) / (t[2] - t[0]);

    return (jet){ b + half * (t[2] - t[1]), 2.0 * half };
}

/* Derivatives of q' = -f at the present point. */
static void slopes(genalpha *s)
{
    const yk_problem *p = s->p;
    const past *last = &s->now;
    const double t[] = { last->t[1], last->t[0], p->t };

    for (int i = 0; i < p->n; i++) {
        const jet j = derive(t, -last->f[1][i], -last->f[0][i], -p->f[i]);
        s->slope[i] = j.first;
        s->bend[i] = j.second;
    }
}

/* ---- The step ------------------------------------------------------------ */

/* s->e: how the velocities of index 3 move when the step becomes h. */
static yoke_status find_move(genalpha *s, double h, double more, yoke_err *err)
{
    yk_problem *p = s->p;

    YK_TRY(yk_jacobian_once(p, p->t, p->x, err));
    YK_TRY(
        yk_matrix_factor(p, s->newton.matrix, 1.0 / (s->s * h), 0.0, 1.0, err));
    for (int i = 0; i < p->n; i++)
        s->e[i] = s->shallow[i] ? -s->c * more * s->bend[i] : 0.0;
    YK_TRY(yk_matrix_solve(p, s->newton.matrix, s->e, err));
    for (int j = 0; j < p->n; j++)
        if (p->depth[j] == 0 || p->forgets[j]) s->e[j] = 0.0;
    return YOKE_OK;
}

/* s->q, f and r: the present point for a step of length h. */
static yoke_status seat(genalpha *s, double h, yoke_err *err)
{
    const yk_problem *p = s->p;
    const past *last = &s->now;
    const size_t bytes = (size_t)p->n * sizeof(double);
    const double more = h * h - last->h * last->h,
                 square = 1.0 / 6.0 - s->g + s->g * s->g;

    memcpy(s->q, p->q, bytes);
    memcpy(s->f, p->f, bytes);
    memcpy(s->r, last->r, bytes);
    if (h == last->h) return YOKE_OK;
    slopes(s);
    for (int i = 0; i < p->n; i++) {
        s->r[i] += s->d * (h - last->h) * s->slope[i];
        if (p->handed_on) s->r[i] += square * more * s->bend[i];
    }
    if (!p->handed_on) return YOKE_OK;
    YK_TRY(find_move(s, h, more, err));
    yk_pattern_multiply(p->facts->C, p->C, 1.0, s->e, s->q);
    yk_pattern_multiply(p->facts->G, p->G, 1.0, s->e, s->f);
    return YOKE_OK;
}

static yoke_status running_step(genalpha *s, double t, double h, yoke_err *err)
{
    yk_problem *p = s->p;
    const double w = h * s->g / s->am, kappa = p->kappa;

    YK_TRY(seat(s, h, err));
    for (int i = 0; i < p->n; i++)
        s->qhat[i] =
            p->charge[i]
                ? s->q[i] + h * (1.0 - s->g) * s->r[i] -
                      w * ((1.0 - s->af) * s->f[i] + (1.0 - s->am) * s->r[i])
                : s->q[i];
    yk_step_guess(p, t, p->x_new);
    if (p->handed_on) p->kappa *= YK_STEP_KAPPA_DEEP;
    const yoke_status status =
        yk_newton_solve(&s->newton, p, t, 1.0 / (s->s * h), 1.0, s->qhat,
                        p->x_new, p->q_new, p->f_new, err);
    p->kappa = kappa;
    YK_TRY(status);
    for (int i = 0; i < p->n; i++)
        s->r_new[i] = -(s->af * p->f_new[i] + (1.0 - s->af) * s->f[i] +
                        (1.0 - s->am) * s->r[i]) /
                      s->am;
    return YOKE_OK;
}

/* ---- Error --------------------------------------------------------------- */

/* Largest product of the distances to the three nodes inside the step. */
static double node_peak(const double t[3])
{
    double most = 0.0;

    for (int k = 1; k < 16; k++) {
        const double at = t[1] + (t[2] - t[1]) * k / 16.0;
        most = fmax(most, fabs((at - t[0]) * (at - t[1]) * (at - t[2])));
    }
    return most;
}

/* The last points, the trial point among them, and their times. */
typedef struct tail {
    double before, t[3]; /* the first has no f */
    const double *x[4], *f[3];
} tail;

static tail look_back(const genalpha *s, double t, double h)
{
    const yk_problem *p = s->p;
    const past *last = &s->now;
    double *const *x = s->thirds.x, *const *f = s->thirds.f;

    if (s->starting)
        return (tail){ p->t,
                       { p->t + h / 3.0, p->t + 2.0 * h / 3.0, t },
                       { p->x, x[0], x[1], x[2] },
                       { f[0], f[1], f[2] } };
    return (tail){ last->t[1],
                   { last->t[0], p->t, t },
                   { last->x[1], last->x[0], p->x, p->x_new },
                   { last->f[0], p->f, p->f_new } };
}

/* Third divided difference of unknown i. */
static double third_difference(const tail *w, int i)
{
    const double early[] = { w->before, w->t[0], w->t[1] };
    const jet a = derive(early, w->x[0][i], w->x[1][i], w->x[2][i]);
    const jet b = derive(w->t, w->x[1][i], w->x[2][i], w->x[3][i]);

    return 0.5 * (b.second - a.second) / (w->t[2] - w->before);
}

/* What the move adds to f of the points before. */
static double shift(const genalpha *s, int i)
{
    return s->starting ? 0.0 : s->f[i] - s->p->f[i];
}

/* e = (C / (s h) + G)^-1 c h^2 q''' / s, and the weights of the step. */
static yoke_status filtered(genalpha *s, const tail *w, double h, yoke_err *err)
{
    yk_problem *p = s->p;
    const double rate = 1.0 / (s->s * h), scale = s->c * h * h / s->s;

    for (int i = 0; i < p->n; i++) {
        const jet j =
            derive(w->t, -w->f[0][i], -w->f[1][i], shift(s, i) - w->f[2][i]);
        s->e[i] = p->charge[i] ? scale * j.second : 0.0;
        s->peak[i] =
            fmax(s->now.peak[i], fmax(fabs(p->x[i]), fabs(p->x_new[i])));
    }
    yk_weights_step(p);
    YK_TRY(yk_jacobian_once(p, w->t[2], p->x_new, err));
    YK_TRY(yk_matrix_factor(p, s->newton.matrix, rate, 0.0, 1.0, err));
    YK_TRY(yk_matrix_solve(p, s->newton.matrix, s->e, err));
    if (p->deep)
        YK_TRY(yk_find_noise(p, s->newton.matrix, rate, p->x_new, p->f_new,
                             s->newton.noise, err));
    yk_deepen_weights(p);
    return YOKE_OK;
}

static yoke_status estimate(genalpha *s, double t, double h, double *error,
                            yoke_err *err)
{
    yk_problem *p = s->p;
    const tail w = look_back(s, t, h);
    const double peak = s->starting ? 0.0 : node_peak(w.t);
    double *const e = s->e;

    YK_TRY(filtered(s, &w, h, err));
    for (int i = 0; i < p->n; i++)
        if (p->depth[i] > 0)
            e[i] = (p->depth[i] > 1 ? 0.0 : s->c * h * h) *
                   derive(w.t, w.x[1][i], w.x[2][i], w.x[3][i]).second;
    *error = fmax(yk_norm_sum(p, s->c, s->peak, e), least_error);
    for (int i = 0; i < p->n; i++)
        e[i] = p->depth[i] > 0 ? 0.0 : peak * third_difference(&w, i);
    *error = fmax(*error, yk_norm_rms(p, e));
    return YOKE_OK;
}

static yoke_status genalpha_step(void *self, double t, double h, double *error,
                                 double *t_reached, yoke_err *err)
{
    genalpha *s = self;

    (void)t_reached;
    s->starting = s->now.count < PAST;
    if (s->starting)
        YK_TRY(yk_thirds_step(&s->thirds, s->p, t, h, err));
    else
        YK_TRY(running_step(s, t, h, err));
    return estimate(s, t, h, error, err);
}

/* Its polynomial goes through an earlier point too, so that its charges are no
 * polynomial of these. */
static void genalpha_inside(void *self, double h, yk_stages *out)
{
    const genalpha *s = self;
    const yk_problem *p = s->p;
    double *const *f = s->thirds.f;

    if (s->starting)
        *out = (yk_stages){ .count = 4,
                            .theta = { 0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0 },
                            .f = { p->f, f[0], f[1], f[2] } };
    else
        *out = (yk_stages){ .count = 2,
                            .theta = { 0.0, 1.0 },
                            .f = { p->f, p->f_new } };
    out->matrix = s->newton.matrix;
    out->s = h > 0.0 ? 1.0 / (s->s * h) : 0.0;
}

static void genalpha_shape(void *self, double h)
{
    const genalpha *s = self;
    yk_problem *p = s->p;

    if (s->starting) {
        yk_thirds_poly(&s->thirds, p, h);
        return;
    }
    const double theta[] = { (s->now.t[0] - p->t) / h, 0.0, 1.0 };
    const double *const value[] = { s->now.x[0], p->x, p->x_new };
    yk_poly_through(p, h, 2, theta, value);
}

/* The thirds of the first step are its past. */
static void commit_start(genalpha *s)
{
    const yk_problem *p = s->p;
    const size_t bytes = (size_t)p->n * sizeof(double);
    past *const now = &s->now;

    for (int j = 0; j < PAST; j++) {
        now->t[j] = p->t + (PAST - j) * p->poly.h / 3.0;
        memcpy(now->x[j], s->thirds.x[PAST - 1 - j], bytes);
        memcpy(now->f[j], s->thirds.f[PAST - 1 - j], bytes);
    }
    for (int i = 0; i < p->n; i++) now->r[i] = -p->f_new[i];
    now->count = PAST;
    now->h = 0.0;
}

static void genalpha_commit(void *self)
{
    genalpha *s = self;
    const yk_problem *p = s->p;
    const size_t bytes = (size_t)p->n * sizeof(double);
    past *const now = &s->now;

    memcpy(now->peak, s->peak, bytes);
    if (s->starting) {
        commit_start(s);
        return;
    }
    yk_swap(&now->x[0], &now->x[1]);
    yk_swap(&now->f[0], &now->f[1]);
    now->t[1] = now->t[0];
    now->t[0] = p->t;
    memcpy(now->x[0], p->x, bytes);
    memcpy(now->f[0], s->f, bytes);
    for (int i = 0; i < p->n; i++) now->f[1][i] += shift(s, i);
    yk_swap(&now->r, &s->r_new);
    now->h = p->poly.h;
}

const yk_method yk_genalpha = {
    .name = "genalpha",
    .text = "generalised-alpha, order 2, adaptive, damping rho",
    .stepping = YK_ADAPTIVE,
    .order = 2,
    .degree = 3,
    .needs_f = true,
    .steady = true,
    .create = genalpha_create,
    .begin = genalpha_begin,
    .step = genalpha_step,
    .inside = genalpha_inside,
    .shape = genalpha_shape,
    .commit = genalpha_commit,
    .keep = genalpha_keep,
    .back = genalpha_back,
    .free = genalpha_free,
};
