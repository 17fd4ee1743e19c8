/* step/method/bdf.c -- backward differentiation, orders 1 to 6, fixed steps.
 *
 *     (1/h) sum_{j=0}^{k} alpha_j q_{n+1-j} + f(t_{n+1}, x_{n+1}, u_{n+1}) = 0
 *
 * with sum_j alpha_j q_{n+1-j} = sum_{i=1}^{k} (1/i) nabla^i q_{n+1}.  The
 * history of charges is kept across windows as long as the step stays the same
 * and no breakpoint lies between; otherwise the method starts again: k - 1
 * steps, each three steps of Radau IIA of length h/3.
 *
 * Order k for index 0, 1 and, after k - 1 steps, for index 2 and (linear in the
 * multipliers, constant steps) 3.  The matrix alpha_0/h C + G has condition
 * h^-index; Newton's method allows for it.  A(theta)-stable with theta = 90,
 * 90, 86, 73, 52, 18 degrees.
 *
 * Between the ends: linear for orders 1 and 2, as other methods of these
 * orders; otherwise the polynomial of degree k through the last k + 1 points.
 * Reference: Hairer and Wanner II, sections V.1 and VII.3; Brenan, Campbell,
 * Petzold, Numerical Solution of Initial-Value Problems in DAEs, chapter 3.
 */
#include "step/method.h"
#include "step/method/radau_start.h"

#include "base/lengths.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

enum { MAX_ORDER = 6 };

/* Points before the present one, the latest first. */
typedef struct history {
    int count;
    double h;
    double *x[MAX_ORDER], *q[MAX_ORDER];
} history;

typedef struct bdf {
    yk_problem *p;
    int order;
    double alpha[MAX_ORDER + 1];
    yk_newton newton;
    yk_thirds thirds;
    history now, kept;
    double *qhat;
    bool starting; /* the step just made was one of Radau's */
} bdf;

static void history_free(history *past)
{
    for (int j = 0; j < MAX_ORDER; j++) {
        YK_FREE(past->x[j], past->q[j]);
    }
}

static void bdf_free(void *self)
{
    bdf *s = self;

    if (!s) return;
    yk_newton_free(&s->newton);
    yk_thirds_free(&s->thirds);
    history_free(&s->now);
    history_free(&s->kept);
    YK_FREE(s->qhat, s);
}

/* alpha_j = (-1)^j sum_{i >= j, i >= 1} binomial(i, j) / i. */
static void make_alpha(int order, double *alpha)
{
    for (int i = 1; i <= order; i++) {
        double binomial = 1.0;
        for (int j = 0; j <= i; j++) {
            alpha[j] += ((j & 1) ? -1.0 : 1.0) * binomial / i;
            binomial = binomial * (i - j) / (j + 1);
        }
    }
}

static yoke_status make_history(history *past, int count, size_t n,
                                yoke_err *err)
{
    for (int j = 0; j < count; j++) {
        YK_TRY(YK_DOUBLES(n, err, &past->x[j], &past->q[j]));
    }
    return YOKE_OK;
}

static yoke_status bdf_create(void **out, const yk_method *method,
                              yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t n = (size_t)p->n + 1;
    bdf *s = NULL;

    YK_TRY(YK_NEW(&s, 1, err));
    s->p = p;
    s->order = method->order;
    make_alpha(s->order, s->alpha);
    YK_GO(yk_newton_create(&s->newton, p, err));
    if (s->order > 1) YK_GO(yk_thirds_create(&s->thirds, p, err));
    YK_GO(make_history(&s->now, s->order - 1, n, err));
    YK_GO(make_history(&s->kept, s->order - 1, n, err));
    YK_GO(yk_doubles(&s->qhat, n, err));
    *out = s;
    s = NULL;
done:
    bdf_free(s);
    return status;
}

static void copy_history(const bdf *s, history *to, const history *from)
{
    const size_t bytes = (size_t)s->p->n * sizeof(double);

    to->count = from->count;
    to->h = from->h;
    for (int j = 0; j < from->count; j++) {
        memcpy(to->x[j], from->x[j], bytes);
        memcpy(to->q[j], from->q[j], bytes);
    }
}

static void bdf_keep(void *self)
{
    bdf *s = self;

    copy_history(s, &s->kept, &s->now);
}

static void bdf_back(void *self)
{
    bdf *s = self;

    copy_history(s, &s->now, &s->kept);
}

static void bdf_shift(void *self, const double *dx, const double *dq)
{
    const bdf *s = self;

    for (int j = 0; j < s->now.count; j++)
        for (int i = 0; i < s->p->n; i++) {
            s->now.x[j][i] += dx[i];
            s->now.q[j][i] += dq[i];
        }
}

static yoke_status bdf_begin(void *self, bool smooth, yoke_err *err)
{
    bdf *s = self;

    (void)err;
    if (!smooth) s->now.count = 0;
    return YOKE_OK;
}

static yoke_status bdf_step(void *self, double t, double h, double *error,
                            double *t_reached, yoke_err *err)
{
    bdf *s = self;
    yk_problem *p = s->p;
    const double *alpha = s->alpha;

    (void)error, (void)t_reached;
    if (!yk_same_length(h, s->now.h)) s->now.count = 0;
    s->now.h = h;
    s->starting = s->now.count < s->order - 1;
    if (s->starting) return yk_thirds_step(&s->thirds, p, t, h, err);

    yk_newton_watch(&s->newton);
    for (int i = 0; i < p->n; i++) {
        double sum = alpha[1] * p->q[i];
        for (int j = 2; j <= s->order; j++)
            sum += alpha[j] * s->now.q[j - 2][i];
        s->qhat[i] = -sum / alpha[0];
    }
    yk_step_guess(p, t, p->x_new);
    return yk_newton_solve(&s->newton, p, t, alpha[0] / h, 1.0, s->qhat,
                           p->x_new, p->q_new, p->f_new, err);
}

static void running_poly(const bdf *s, double h)
{
    double theta[MAX_ORDER + 1] = { 0.0, 1.0 };
    const double *value[MAX_ORDER + 1] = { s->p->x, s->p->x_new };
    const int degree = s->order > 2 ? s->order : 1;

    for (int j = 2; j <= degree; j++) {
        theta[j] = 1.0 - j;
        value[j] = s->now.x[j - 2];
    }
    yk_poly_through(s->p, h, degree, theta, value);
}

/* The present point joins the history. */
static void bdf_commit(void *self)
{
    bdf *s = self;
    history *past = &s->now;
    const size_t bytes = (size_t)s->p->n * sizeof(double);
    const int room = s->order - 1;

    if (room == 0) return;
    double *const x = past->x[room - 1], *const q = past->q[room - 1];
    for (int j = room - 1; j > 0; j--) {
        past->x[j] = past->x[j - 1];
        past->q[j] = past->q[j - 1];
    }
    past->x[0] = x;
    past->q[0] = q;
    memcpy(x, s->p->x, bytes);
    memcpy(q, s->p->q, bytes);
    if (past->count < room) past->count++;
}

static void bdf_shape(void *self, double h)
{
    const bdf *s = self;

    if (s->starting)
        yk_thirds_poly(&s->thirds, s->p, h);
    else
        running_poly(s, h);
}

/* ---- Steps that are corrected (tape.h) ----------------------------------- */

/* Those of Radau, where the past begins, are not. */
static bool bdf_able(const void *self)
{
    return !((const bdf *)self)->starting;
}

static double bdf_weigh(const void *self, int j)
{
    return ((const bdf *)self)->alpha[j + 1];
}

static const double *bdf_charge(const void *self, int j)
{
    return ((const bdf *)self)->kept.q[j - 1];
}

static void bdf_rate(void *self, double *theta, double *first)
{
    const bdf *s = self;

    yk_newton_rate(&s->newton, s->p, theta, first);
}

static void bdf_store(void *self, double *const *x, double *const *q,
                      double *const *f)
{
    const yk_problem *p = ((const bdf *)self)->p;

    yk_copy(x[0], p->x_new, p->n);
    yk_copy(q[0], p->q_new, p->n);
    yk_copy(f[0], p->f_new, p->n);
}

static void bdf_load(void *self, const double *const *x, const double *const *q,
                     const double *const *f)
{
    const yk_problem *p = ((const bdf *)self)->p;

    yk_copy(p->x_new, x[0], p->n);
    yk_copy(p->q_new, q[0], p->n);
    yk_copy(p->f_new, f[0], p->n);
}

/* alpha_0 (q_{n+1} - q_n) + sum alpha_{j+1} (q_{n-j} - q_n) + h f = 0. */
static yoke_status bdf_correct(void *self, double h, const double *past,
                               const double *const *dq, const double *const *df,
                               double *const *dx, yoke_err *err)
{
    bdf *s = self;
    yk_problem *p = s->p;
    const double rate = s->alpha[0] / h;

    YK_TRY(yk_matrix_factor(p, s->newton.matrix, rate, 0.0, 1.0, err));
    for (int i = 0; i < p->n; i++) {
        dx[0][i] = -(rate * dq[0][i] + df[0][i]);
        if (s->order > 1) dx[0][i] -= past[i] / h;
    }
    return yk_matrix_solve(p, s->newton.matrix, dx[0], err);
}

#define TAPE(PAST, THROUGH)                                                    \
    {                                                                          \
        .stages = 1, .theta = { 1.0 }, .past = PAST, .through = THROUGH,       \
        .weigh = bdf_weigh, .charge = bdf_charge, .able = bdf_able,            \
        .rate = bdf_rate, .store = bdf_store, .load = bdf_load,                \
        .solve = bdf_correct                                                   \
    }

static const yk_tape_method bdf_tape[MAX_ORDER] = {
    TAPE(0, 0), TAPE(1, 0), TAPE(2, 2), TAPE(3, 3), TAPE(4, 4), TAPE(5, 5),
};

#define BDF(K, DEGREE, TEXT)                                                   \
    {                                                                          \
        .name = "bdf" #K, .text = TEXT, .stepping = YK_FIXED, .order = K,      \
        .degree = DEGREE, .create = bdf_create, .begin = bdf_begin,            \
        .step = bdf_step, .shape = bdf_shape, .commit = bdf_commit,            \
        .keep = bdf_keep, .back = bdf_back, .tape = &bdf_tape[(K)-1],          \
        .shift = bdf_shift, .free = bdf_free                                   \
    }

const yk_method yk_bdf[MAX_ORDER] = {
    BDF(1, 1, "backward differentiation, order 1, fixed step"),
    BDF(2, 3, "backward differentiation, order 2, fixed step"),
    BDF(3, 3, "backward differentiation, order 3, fixed step"),
    BDF(4, 4, "backward differentiation, order 4, fixed step"),
    BDF(5, 5, "backward differentiation, order 5, fixed step"),
    BDF(6, 6, "backward differentiation, order 6, fixed step"),
};
