/* step/stormer.c -- Stoermer's method (leapfrog, velocity Verlet), fixed steps.
 *
 * For second-order systems: x[0..k) are positions r, x[k..2k) their velocities
 * v, further unknowns algebraic.
 *
 *     v_{n+1/2} = v_n + h/2 a(t_n, r_n, v_n)
 *     r_{n+1}   = r_n + h v_{n+1/2}
 *     v_{n+1}   = v_{n+1/2} + h/2 a(t_{n+1}, r_{n+1}, v_{n+1/2})
 *
 * Order 2, symplectic and reversible if the accelerations do not depend on the
 * velocities; with such a dependence the order drops to 1.  Stable for h omega
 * <= 2.
 *
 * The accelerations are the derivatives of the velocities in C x' + f = 0,
 * solved together with the algebraic unknowns (slopes.c), or come from the
 * explicit right side.  q must not depend on t and u.  Between the ends:
 * linear.
 * Reference: Hairer, Lubich, Wanner, Geometric Numerical Integration, chapter
 * I.
 */
#include "step/method.h"
#include "step/slopes.h"

#include <string.h>

typedef struct stormer {
    yk_problem *p;
    int k;
    bool classical; /* the system has an explicit right side */
    yk_slopes slopes;
    double *xdot, *xdot_new; /* at the present and at the trial point */
} stormer;

static void stormer_free(void *self)
{
    stormer *s = self;

    if (!s) return;
    yk_slopes_free(&s->slopes);
    yk_free(s->xdot);
    yk_free(s->xdot_new);
    yk_free(s);
}

static yoke_status refuse(const yk_problem *p, yoke_err *err)
{
    const int k = p->facts->positions;

    if (k <= 0 || 2 * k > p->n)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\": stormer is for second-order systems "
                       "and needs to know which unknowns are positions and "
                       "velocities; this one has n = %d, positions = %d",
                       p->name, p->n, k);
    if (p->charge_input)
        return yk_fail(err, YOKE_E_ARG,
                       "subsystem \"%s\": stormer does not allow inputs under "
                       "d/dt",
                       p->name);
    for (int j = 0; j < p->n; j++) {
        const bool under = p->facts->C->start[j + 1] > p->facts->C->start[j];
        if (under != (j < 2 * k))
            return yk_fail(err, YOKE_E_ARG,
                           "subsystem \"%s\": with stormer the unknowns under "
                           "d/dt must be the %d positions and velocities; "
                           "\"%s\" is %s",
                           p->name, 2 * k, p->facts->x_name[j],
                           under ? "another" : "not under d/dt");
    }
    return YOKE_OK;
}

static yoke_status stormer_create(void **out, const yk_method *method,
                                  yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    stormer *s = NULL;

    (void)method;
    YK_TRY(refuse(p, err));
    YK_TRY(YK_NEW(&s, 1, err));
    s->p = p;
    s->k = p->facts->positions;
    s->classical = yoke_system_has_rhs(p->system) && p->n == 2 * s->k;
    if (!s->classical) YK_GO(yk_slopes_create(&s->slopes, p, err));
    YK_GO(yk_doubles(&s->xdot, (size_t)p->n + 1, err));
    YK_GO(yk_doubles(&s->xdot_new, (size_t)p->n + 1, err));
    *out = s;
    s = NULL;
done:
    stormer_free(s);
    return status;
}

/* xdot, and the algebraic unknowns in x. */
static yoke_status slope(stormer *s, double t, double *x, double *xdot,
                         yoke_err *err)
{
    yk_problem *p = s->p;

    if (!s->classical) {
        const yoke_status status =
            yk_slopes_solve(&s->slopes, p, t, NULL, x, xdot, err);
        if (status <= 0 || !p->singular) return status;
        return yk_fail(err, YOKE_E_MODEL,
                       "subsystem \"%s\", t = %g: stormer needs index 1, but "
                       "the accelerations are not determined; use an implicit "
                       "method",
                       p->name, t);
    }
    p->work.residuals++;
    return yoke_system_rhs(p->system, yk_time(p, t), x, yk_input(p, t), xdot,
                           err);
}

static yoke_status stormer_begin(void *self, bool smooth, yoke_err *err)
{
    stormer *s = self;

    (void)smooth;
    return slope(s, s->p->t, s->p->x, s->xdot, err);
}

static yoke_status stormer_step(void *self, double t, double h, double *error,
                                double *t_reached, yoke_err *err)
{
    stormer *s = self;
    yk_problem *p = s->p;
    const int k = s->k;
    double *const x = p->x_new;

    (void)error;
    (void)t_reached;
    memcpy(x, p->x, (size_t)p->n * sizeof *x);
    memcpy(s->xdot_new, s->xdot, (size_t)p->n * sizeof *x);
    for (int i = 0; i < k; i++) {
        x[k + i] += 0.5 * h * s->xdot[k + i];
        x[i] += h * x[k + i];
    }
    YK_TRY(slope(s, t, x, s->xdot_new, err));
    for (int i = 0; i < k; i++) x[k + i] += 0.5 * h * s->xdot_new[k + i];
    YK_TRY(slope(s, t, x, s->xdot_new, err));
    if (s->classical) {
        memcpy(p->q_new, x, (size_t)p->n * sizeof *x);
        return YOKE_OK;
    }
    return yk_eval(p, t, x, p->q_new, NULL, err);
}

static void stormer_shape(void *self, double h)
{
    stormer *s = self;
    const double theta[] = { 0.0, 1.0 };
    const double *const value[] = { s->p->x, s->p->x_new };

    yk_poly_through(s->p, h, 1, theta, value);
}

static void stormer_commit(void *self)
{
    stormer *s = self;
    double *const swap = s->xdot;

    s->xdot = s->xdot_new;
    s->xdot_new = swap;
}

const yk_method yk_stormer = {
    .name = "stormer",
    .text = "leapfrog for positions and velocities, order 2, fixed step",
    .stepping = YK_FIXED,
    .order = 2,
    .degree = 1,
    .create = stormer_create,
    .begin = stormer_begin,
    .step = stormer_step,
    .shape = stormer_shape,
    .commit = stormer_commit,
    .free = stormer_free,
};
