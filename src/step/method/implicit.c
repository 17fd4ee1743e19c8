/* step/method/implicit.c -- implicit Euler and trapezoidal rule, fixed steps.
 *
 *     implicit Euler   q_{n+1} - q_n + h f_{n+1} = 0
 *     trapezoidal      q_{n+1} - q_n + h/2 (f_n + f_{n+1}) = 0  on rows with
 *                      charge, f_{n+1} = 0 on algebraic rows
 *
 * Order 1 and 2.  Implicit Euler is L-stable; the trapezoidal rule is A-stable
 * but does not damp, so its algebraic rows are collocated: averaging them would
 * let an inconsistent f_n oscillate forever.
 * Reference: Hairer and Wanner II, sections IV.3 and VI.1.
 */
#include "step/method.h"

#include "base/vector.h"

typedef struct implicit {
    yk_problem *p;
    yk_newton newton;
    bool trapezoidal;
    double *qhat;
} implicit;

static void implicit_free(void *self)
{
    implicit *s = self;

    if (!s) return;
    yk_newton_free(&s->newton);
    YK_FREE(s->qhat, s);
}

static yoke_status implicit_create(void **out, const yk_method *method,
                                   yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    implicit *s = NULL;

    YK_TRY(YK_NEW(&s, 1, err));
    s->p = p;
    s->trapezoidal = method->order == 2;
    YK_GO(yk_newton_create(&s->newton, p, err));
    YK_GO(yk_doubles(&s->qhat, (size_t)p->n + 1, err));
    *out = s;
    s = NULL;
done:
    implicit_free(s);
    return status;
}

static yoke_status implicit_step(void *self, double t, double h, double *error,
                                 double *t_reached, yoke_err *err)
{
    implicit *s = self;
    yk_problem *p = s->p;
    const double half = s->trapezoidal ? 0.5 * h : h;
    const double *qhat = p->q;

    (void)error, (void)t_reached;
    yk_newton_watch(&s->newton);
    if (s->trapezoidal) {
        for (int i = 0; i < p->n; i++)
            s->qhat[i] = p->charge[i] ? p->q[i] - half * p->f[i] : p->q[i];
        qhat = s->qhat;
    }
    yk_step_guess(p, t, p->x_new);
    return yk_newton_solve(&s->newton, p, t, 1.0 / half, 1.0, qhat, p->x_new,
                           p->q_new, p->f_new, err);
}

static void implicit_shape(void *self, double h)
{
    yk_problem *p = ((implicit *)self)->p;
    const double theta[] = { 0.0, 1.0 };
    const double *const value[] = { p->x, p->x_new };

    yk_poly_through(p, h, 1, theta, value);
}

/* ---- Steps that are corrected -------------------------------------------- */

static void implicit_rate(void *self, double *theta, double *first)
{
    const implicit *s = self;

    yk_newton_rate(&s->newton, s->p, theta, first);
}

static void implicit_store(void *self, double *const *x, double *const *q,
                           double *const *f)
{
    const yk_problem *p = ((const implicit *)self)->p;

    yk_copy(x[0], p->x_new, p->n);
    yk_copy(q[0], p->q_new, p->n);
    yk_copy(f[0], p->f_new, p->n);
}

static void implicit_load(void *self, const double *const *x,
                          const double *const *q, const double *const *f)
{
    const yk_problem *p = ((const implicit *)self)->p;

    yk_copy(p->x_new, x[0], p->n);
    yk_copy(p->q_new, q[0], p->n);
    yk_copy(p->f_new, f[0], p->n);
}

static yoke_status implicit_correct(void *self, double h, const double *df0,
                                    const double *const *dq,
                                    const double *const *df, double *const *dx,
                                    yoke_err *err)
{
    implicit *s = self;
    yk_problem *p = s->p;
    const double rate = 1.0 / (s->trapezoidal ? 0.5 * h : h);

    YK_TRY(yk_matrix_factor(p, s->newton.matrix, rate, 0.0, 1.0, err));
    for (int i = 0; i < p->n; i++) {
        dx[0][i] = -(rate * dq[0][i] + df[0][i]);
        if (s->trapezoidal && p->charge[i]) dx[0][i] -= df0[i];
    }
    return yk_matrix_solve(p, s->newton.matrix, dx[0], err);
}

static const yk_tape_method implicit_tape = {
    .stages = 1,
    .theta = { 1.0 },
    .rate = implicit_rate,
    .store = implicit_store,
    .load = implicit_load,
    .solve = implicit_correct,
};

const yk_method yk_implicit_euler = {
    .name = "implicit-euler",
    .text = "implicit Euler, order 1, fixed step, L-stable",
    .stepping = YK_FIXED,
    .order = 1,
    .degree = 1,
    .tape = &implicit_tape,
    .create = implicit_create,
    .step = implicit_step,
    .shape = implicit_shape,
    .free = implicit_free,
};

const yk_method yk_trapezoidal = {
    .name = "trapezoidal",
    .text = "trapezoidal rule, order 2, fixed step, A-stable",
    .stepping = YK_FIXED,
    .order = 2,
    .degree = 1,
    .needs_f = true,
    .tape = &implicit_tape,
    .create = implicit_create,
    .step = implicit_step,
    .shape = implicit_shape,
    .free = implicit_free,
};
