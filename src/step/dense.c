/* step/dense.c -- the waveforms a step leaves behind.
 *
 * Inside a step x is a polynomial of degree d.  The outputs are sampled at
 * d + 1 equidistant points, y_k = h(t_k, x(t_k), u(t_k)), and interpolated, so
 * that a linear h is represented exactly.  With feedthrough (h depends on u)
 * the step is divided at the knots of u, and the degree is at least that of u.
 * The interpolation is compared with y at 1/6 and 5/6; a part in which it is
 * off by more than the tolerance is halved, up to DEPTH times.
 *
 * Only the unknowns that h depends on, by the pattern of Hx, are evaluated
 * inside a step; the others keep the value of its end.
 *
 * The option `dense` replaces d: constant holds the value at the beginning of
 * the step, linear joins its ends, cubic samples at four points.  The spline is
 * made of straight pieces when the sweep has ended (drive.c).
 */
#include "step/dense.h"

#include "step/look/look.h"
#include "base/vector.h"
#include "step/policy.h"
#include "step/steep.h"
#include "sys/system.h"
#include "wave/waveform.h"

#include <math.h>
#include <string.h>

yoke_status yk_output_create(yk_step_output *out, const yk_problem *p,
                             int watches, const int *watch, yoke_err *err)
{
    const size_t n = (size_t)p->n + 1, rows = YOKE_WAVE_MAX_DEGREE + 1;
    const yoke_pattern *hx = p->facts->Hx;

    out->same = p->system->ops->output == NULL;
    out->y_time = NAN;
    YK_TRY(YK_INTS(n, err, &out->need, &out->all));
    YK_TRY(yk_ints(&out->watch, (size_t)watches + 1, err));
    YK_TRY(yk_doubles(&out->part, rows * (n + (size_t)watches), err));
    YK_TRY(yk_doubles(&out->x, n, err));
    YK_TRY(yk_doubles(&out->y, rows * ((size_t)p->p + 1), err));
    YK_TRY(yk_doubles(&out->y_end, (size_t)p->p + 1, err));
    out->watches = watches;
    for (int j = 0; j < watches; j++) {
        if (watch[j] < 0 || watch[j] >= p->n)
            return yk_fail(err, YOKE_E_ARG,
                           "watched unknown %d is not between 0 and %d",
                           watch[j], p->n - 1);
        out->watch[j] = watch[j];
    }
    for (int j = 0; j < p->n; j++) {
        out->all[j] = j;
        if (hx->start[j + 1] > hx->start[j]) out->need[out->needed++] = j;
    }
    return YOKE_OK;
}

void yk_output_free(yk_step_output *out)
{
    YK_FREE(out->need, out->all, out->watch, out->part, out->x, out->y,
            out->y_end);
}

/* ---- Values and polynomials of some unknowns ----------------------------- */

/* The step being written. */
typedef struct piece {
    yk_step_output *out;
    yk_problem *p;
    const yk_method *method;
    void *self;
    double t; /* its end; it begins at p->t */
    int degree;
} piece;

static void gather(int count, const int *index, const double *x, double *value)
{
    for (int j = 0; j < count; j++) value[j] = x[index[j]];
}

static yoke_status values_at(const piece *s, double t, int count,
                             const int *index, double *value, yoke_err *err)
{
    const yk_poly *poly = &s->p->poly;
    const size_t n = (size_t)s->p->n;

    if (t == s->p->t) {
        gather(count, index, s->p->x, value);
    } else if (t == s->t) {
        gather(count, index, s->p->x_new, value);
    } else if (s->method->dense) {
        return s->method->dense(s->self, t, count, index, value, err);
    } else {
        const double theta = (t - poly->t) / poly->h;
        for (int j = 0; j < count; j++) {
            const double *c = poly->coef + index[j];
            double sum = c[(size_t)poly->degree * n];
            for (int k = poly->degree - 1; k >= 0; k--)
                sum = sum * theta + c[(size_t)k * n];
            value[j] = sum;
        }
    }
    return YOKE_OK;
}

static double sample_time(double a, double b, int k, int degree)
{
    return k == 0 ? a : k == degree ? b : a + (b - a) * k / degree;
}

/* The method's polynomial with its own degree, without sampling. */
static yoke_status append_coefficients(const piece *s, int count,
                                       const int *index, yk_wave *w,
                                       yoke_err *err)
{
    const yk_poly *poly = &s->p->poly;
    double *const part = s->out->part;

    if (index == s->out->all)
        return yk_wave_append(w, s->t, poly->degree, poly->coef, err);
    for (int k = 0; k <= poly->degree; k++)
        gather(count, index, poly->coef + (size_t)k * (size_t)s->p->n,
               part + k * count);
    return yk_wave_append(w, s->t, poly->degree, part, err);
}

static yoke_status append_unknowns(const piece *s, int degree, int count,
                                   const int *index, yk_wave *w, yoke_err *err)
{
    double *const part = s->out->part;

    if (!s->method->dense && degree == s->degree)
        return append_coefficients(s, count, index, w, err);
    for (int k = 0; k <= degree; k++)
        YK_TRY(values_at(s, sample_time(s->p->t, s->t, k, degree), count, index,
                         part + k * count, err));
    return yk_wave_append_samples(w, s->t, degree, part, err);
}

/* ---- Outputs --------------------------------------------------------------
 */

static int chosen_degree(const piece *s, bool nonlinear)
{
    switch (s->p->options.dense) {
    case YOKE_DENSE_CONSTANT:
        return 0;
    case YOKE_DENSE_LINEAR:
    case YOKE_DENSE_SPLINE: /* a sweep ends with the spline */
        return 1;
    case YOKE_DENSE_CUBIC:
        return nonlinear || s->degree > 3 ? 3 : s->degree;
    default:
        return s->degree;
    }
}

/* What an output was made of, for one of the three times of a piece. */
static void keep_arguments(const piece *s, int slot, const double *x,
                           const double *u)
{
    const yk_step_output *out = s->out;
    const yk_problem *p = s->p;
    double *x_at = out->steep->x_at + slot * p->n;

    yk_copy(out->steep->u_at + slot * p->m, u, p->m);
    for (int j = 0; j < out->needed; j++) x_at[out->need[j]] = x[out->need[j]];
}

/* out->x: the unknowns that outputs depend on, inside the step. */
static yoke_status needs_at(const piece *s, double t, yoke_err *err)
{
    const yk_poly *poly = &s->p->poly;
    const size_t n = (size_t)s->p->n;
    yk_step_output *out = s->out;

    if (s->method->dense) {
        YK_TRY(values_at(s, t, out->needed, out->need, out->part, err));
        for (int j = 0; j < out->needed; j++)
            out->x[out->need[j]] = out->part[j];
        return YOKE_OK;
    }
    const double theta = (t - poly->t) / poly->h;
    for (int j = 0; j < out->needed; j++) {
        const double *c = poly->coef + out->need[j] + (size_t)poly->degree * n;
        double sum = *c;
        for (int k = poly->degree; k > 0; k--) {
            c -= n;
            sum = sum * theta + *c;
        }
        out->x[out->need[j]] = sum;
    }
    return YOKE_OK;
}

/* y(t) with the inputs from the right if t begins a part of the step; slot: one
 * of three whose arguments are kept, or -1. */
static yoke_status output_at(const piece *s, double t, bool right, int slot,
                             double *y, yoke_err *err)
{
    yk_step_output *out = s->out;
    yk_problem *p = s->p;
    const double *x = out->x;
    const double *u;

    if (t == out->y_time && !(right && p->feedthrough) && slot < 0) {
        memcpy(y, out->y_end, (size_t)p->p * sizeof *y);
        return YOKE_OK;
    }
    if (t == p->t)
        x = p->x;
    else if (t == s->t)
        x = p->x_new;
    else
        YK_TRY(needs_at(s, t, err));
    if (right && p->m && p->wave) {
        yk_wave_eval_right(p->wave, t, &p->cursor, p->u_now);
        p->u_time = NAN;
        u = p->u_now;
    } else {
        u = yk_input(p, t);
    }
    if (slot >= 0) keep_arguments(s, slot, x, u);
    YK_TRY(yoke_system_output(p->system, yk_time(p, t), x, u, y, err));
    return YOKE_OK;
}

/* Weights of the samples in their interpolation at theta. */
static void weigh(int degree, double theta, double *weight)
{
    for (int k = 0; k <= degree; k++) {
        weight[k] = 1.0;
        for (int j = 0; j <= degree; j++)
            if (j != k) weight[k] *= (theta * degree - j) / (k - j);
    }
}

/* The interpolation of the samples with these weights, less y, in units of the
 * tolerance. */
static double off_by(const piece *s, int degree, const double *weight,
                     const double *y)
{
    const yk_step_output *out = s->out;
    const yk_problem *p = s->p;
    double most = 0.0;

    for (int c = 0; c < p->p; c++) {
        double sum = 0.0, size = fabs(y[c]);
        for (int k = 0; k <= degree; k++) {
            const double v = out->y[k * p->p + c];
            sum += weight[k] * v;
            if (fabs(v) > size) size = fabs(v);
        }
        const double off = fabs(sum - y[c]) / yk_tolerance_u(p, size);
        if (!(off <= most)) most = off;
    }
    return most;
}

/* Is the interpolation of the samples on [a, b] as accurate as the step? */
static yoke_status check_outputs(const piece *s, double a, double b, int degree,
                                 bool *good, yoke_err *err)
{
    static const double theta[] = { 1.0 / 6.0, 5.0 / 6.0 };
    yk_step_output *out = s->out;

    *good = true;
    for (int i = 0; i < 2 && degree != out->checked; i++)
        weigh(degree, theta[i], out->weight[i]);
    out->checked = degree;
    for (int i = 0; i < 2 && *good; i++) {
        const yoke_status status =
            output_at(s, a + (b - a) * theta[i], false, -1, out->y_end, err);
        if (status < 0) return status;
        *good =
            status > 0 || off_by(s, degree, out->weight[i], out->y_end) <= 1.0;
    }
    return YOKE_OK;
}

/* Outputs depend on time alone, too. */
static bool shows_time(const yk_problem *p)
{
    return p->facts->courses && p->facts->courses->shown;
}

/* Outputs bend with unknowns and inputs, along a path that is known. */
static bool shows_curves(const piece *s)
{
    const yoke_curves *c = s->p->facts->curves;

    return c && c->shown && (s->p->n == 0 || !s->method->dense);
}

static yoke_status check_at(const piece *s, double a, double b, int degree,
                            double t, bool *good, yoke_err *err)
{
    double weight[YOKE_WAVE_MAX_DEGREE + 1];
    const yoke_status status = output_at(s, t, false, -1, s->out->y_end, err);

    if (status < 0) return status;
    weigh(degree, (t - a) / (b - a), weight);
    *good = status > 0 || off_by(s, degree, weight, s->out->y_end) <= 1.0;
    return YOKE_OK;
}

/* What courses and outputs do inside [a, b] has to be in the interpolation too.
 */
static yoke_status check_inside(const piece *s, double a, double b, int degree,
                                bool *good, yoke_err *err)
{
    const yk_problem *p = s->p;
    const int courses = shows_time(p) ? p->facts->courses->count : 0;
    const int outputs = shows_curves(s) ? p->p : 0;
    yk_stages nodes = { .count = degree < YK_STAGES ? degree + 1 : YK_STAGES };
    yk_track track = { p, &p->poly };
    double at = 0.0;

    for (int i = 0; i < nodes.count; i++)
        nodes.theta[i] = (double)i / (nodes.count - 1);
    for (int i = 0; i < courses && *good; i++)
        if (yk_course_passes(p, &nodes, i, a, b - a, &at))
            YK_TRY(check_at(s, a, b, degree, at, good, err));
    for (int k = 0; k < outputs && *good; k++)
        if (yk_output_passes(&track, &nodes, k, a, b - a, &at))
            YK_TRY(check_at(s, a, b, degree, at, good, err));
    return YOKE_OK;
}

/* Natural output of a method that controls its error, of a function that is not
 * linear. */
static bool is_checked(const piece *s)
{
    const yk_problem *p = s->p;

    return p->options.dense == YOKE_DENSE_NATURAL &&
           (!p->linear || shows_time(p)) && s->method->stepping != YK_FIXED;
}

/* Which of the three is sample k? */
static int slot_of(const piece *s, int k, int degree)
{
    if (!s->out->steep || degree < 2) return -1;
    return k == 0 ? 0 : k == degree / 2 ? 1 : k == degree ? 2 : -1;
}

static void look_at_slope(const piece *s, double b, int degree)
{
    const int dim = s->p->p, at[3] = { 0, degree / 2, degree };

    if (slot_of(s, 0, degree) < 0) return;
    for (int k = 0; k < 3; k++)
        yk_copy(s->out->steep->y_at + k * dim, s->out->y + at[k] * dim, dim);
    yk_steep_piece(s->out->steep, s->p, b);
}

static yoke_status append_outputs(const piece *s, double a, double b,
                                  int degree, int depth, yk_wave *y,
                                  yoke_err *err)
{
    yk_step_output *out = s->out;
    const int dim = s->p->p;
    bool good = true;

    for (int k = 0; k <= degree; k++)
        YK_TRY(output_at(s, sample_time(a, b, k, degree), k == 0,
                         slot_of(s, k, degree), out->y + k * dim, err));
    out->y_time = NAN;
    const double middle = 0.5 * (a + b);
    if (depth > 0 && degree > 0 && b - a > YK_LOOK_SHORTEST * fabs(b))
        YK_TRY(check_outputs(s, a, b, degree, &good, err));
    if (depth > 0 && degree > 0 && b - a > YK_LOOK_SHORTEST * fabs(b))
        YK_TRY(check_inside(s, a, b, degree, &good, err));
    if (!good) {
        YK_TRY(append_outputs(s, a, middle, degree, depth - 1, y, err));
        return append_outputs(s, middle, b, degree, depth - 1, y, err);
    }
    look_at_slope(s, b, degree);
    if (degree > 0) {
        memcpy(out->y_end, out->y + degree * dim, (size_t)dim * sizeof *out->y);
        out->y_time = b;
    }
    return yk_wave_append_samples(y, b, degree, out->y, err);
}

static int depth_of(const piece *s)
{
    if (!is_checked(s)) return 0;
    return shows_time(s->p) || shows_curves(s) ? YK_LOOK_HALVED_TIME
                                               : YK_LOOK_HALVED;
}

/* Divided at the knots of u; knots at the ends to rounding do not count. */
static yoke_status append_divided(const piece *s, int degree, yk_wave *y,
                                  yoke_err *err)
{
    const yk_wave *u = s->p->wave;
    const double least = 1e-9 * (s->t - s->p->t);
    double a = s->p->t;

    while (a < s->t) {
        const int i = yk_wave_piece(u, a + least, true, NULL);
        const int of_u = yk_wave_degree(u, i);
        double b = s->t;
        if (i + 1 < yk_wave_pieces(u) && yk_wave_knot(u, i + 1) < b - least)
            b = yk_wave_knot(u, i + 1);
        const int most =
            s->p->options.dense == YOKE_DENSE_NATURAL && of_u > degree ? of_u
                                                                       : degree;
        YK_TRY(append_outputs(s, a, b, most, depth_of(s), y, err));
        a = b;
    }
    return YOKE_OK;
}

static piece describe(yk_step_output *out, yk_problem *p,
                      const yk_method *method, void *self, double t)
{
    return (piece){ out, p, method, self, t, p->poly.degree };
}

yoke_status yk_output_step(yk_step_output *out, yk_problem *p,
                           const yk_method *method, void *self, double t,
                           yk_wave *y, yk_wave *watched, yoke_err *err)
{
    const piece s = describe(out, p, method, self, t);

    YK_TRY(append_unknowns(&s, chosen_degree(&s, false), out->watches,
                           out->watch, watched, err));
    if (out->same)
        return append_unknowns(&s, chosen_degree(&s, false), p->n, out->all, y,
                               err);
    const int degree = chosen_degree(&s, true);
    if ((degree > 1 || p->feedthrough) && out->needed < p->n)
        memcpy(out->x, p->x_new, (size_t)p->n * sizeof *out->x);
    if (p->feedthrough && p->wave && p->m)
        return append_divided(&s, degree, y, err);
    return append_outputs(&s, p->t, t, degree, depth_of(&s), y, err);
}

yoke_status yk_output_trace(yk_step_output *out, yk_problem *p,
                            const yk_method *method, void *self, double t,
                            yk_wave *trace, yoke_err *err)
{
    const piece s = describe(out, p, method, self, t);

    return append_unknowns(&s, s.degree, p->n, out->all, trace, err);
}

void yk_poly_rebegin(yk_problem *p, const yk_stages *at)
{
    const size_t n = (size_t)p->n;
    double theta[YK_STAGES];
    int nodes = 0;

    for (int i = 0; i < at->count; i++)
        if (at->theta[i] > 0.0) theta[nodes++] = at->theta[i];
    for (size_t k = 0; k < n && nodes > 0; k++) {
        double value[YK_STAGES], sum[YK_STAGES] = { 0.0 };
        if (!yk_begins_anyhow(p, (int)k)) continue;
        for (int i = 0; i < nodes; i++) {
            value[i] = 0.0;
            for (int j = p->poly.degree; j >= 0; j--)
                value[i] =
                    value[i] * theta[i] + p->poly.coef[(size_t)j * n + k];
        }
        for (int i = 1; i < nodes; i++) /* divided differences */
            for (int j = nodes - 1; j >= i; j--)
                value[j] =
                    (value[j] - value[j - 1]) / (theta[j] - theta[j - i]);
        for (int i = nodes - 1; i >= 0; i--) { /* to powers of theta */
            for (int j = nodes - 1; j > 0; j--)
                sum[j] = sum[j - 1] - theta[i] * sum[j];
            sum[0] = value[i] - theta[i] * sum[0];
        }
        for (int j = 0; j <= p->poly.degree; j++)
            p->poly.coef[(size_t)j * n + k] = j < nodes ? sum[j] : 0.0;
        p->x[k] = sum[0];
    }
}
