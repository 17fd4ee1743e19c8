/* step/solve/newton.c -- Newton's method for one stage of an implicit method.
 *
 *     s (q(t, x, u) - qhat) + g f(t, x, u) = 0     on rows with charge
 *                             f(t, x, u)   = 0     on algebraic rows
 *
 * Simplified Newton: the factors of s C + g G are kept as long as s and the
 * Jacobian stay the same, and the Jacobian as long as the increments contract,
 * theta = |dx_k| / |dx_{k-1}| <= 1/10.  The iteration ends when the estimate of
 * the remaining error
 *
 *     theta / (1 - theta) |dx_k| <= kappa
 *
 * in the largest component relative to atol + rtol |x|.  The first iteration
 * has no theta and uses that of the last solve, to the power 0.8.
 * Reference: Hairer and Wanner, Solving Ordinary Differential Equations II,
 * section IV.8.
 *
 * If f and q are linear at each time, one increment with the matrix of that
 * time is the solution.
 *
 * q and f at the solution are not evaluated again: q + C dx and f + G dx differ
 * from them by no more than the remaining error of the iteration, and satisfy
 * the equations of the stage to rounding, so no charge is lost.
 *
 * A system may bound the increments (densities stay positive); a bounded one
 * ends nothing and asks for a new Jacobian.
 *
 * Limits: with index mu the matrix has condition h^-mu, and increments stagnate
 * at that multiple of the rounding error.  This counts as converged.
 */
#include "step/method.h"

#include "la/pattern.h"
#include "sys/call.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double slow = 0.1; /* theta that asks for a new Jacobian */

yoke_status yk_newton_create(yk_newton *newton, const yk_problem *p,
                             yoke_err *err)
{
    YK_TRY(yk_matrix_create(&newton->matrix, p, false, err));
    YK_TRY(yk_doubles(&newton->dx, (size_t)p->n + 1, err));
    YK_TRY(yk_doubles(&newton->noise, (size_t)p->n + 1, err));
    return yk_doubles(&newton->guess, (size_t)p->n + 1, err);
}

void yk_newton_free(yk_newton *newton)
{
    yk_matrix_free(newton->matrix);
    yk_free(newton->dx);
    yk_free(newton->noise);
    yk_free(newton->guess);
}

/* One stage: what stays the same while it is solved. */
typedef struct stage {
    yk_newton *newton;
    yk_problem *p;
    double t, s, g;
    const double *qhat;
    double *x, *q, *f;
} stage;

/* dx = -(s C + g G)^-1 (s (q - qhat) + g f); x += dx, as far as the system
 * lets it. */
static yoke_status move(const stage *z, bool *bounded, yoke_err *err)
{
    yk_problem *p = z->p;
    double *const dx = z->newton->dx;

    for (int i = 0; i < p->n; i++)
        dx[i] = z->g == 0.0 && !p->charge[i]
                    ? -z->f[i]
                    : -(z->s * (z->q[i] - z->qhat[i]) + z->g * z->f[i]);
    YK_TRY(yk_matrix_solve(p, z->newton->matrix, dx, err));
    if (!yk_all_finite(dx, p->n, NULL))
        return yk_fail(err, YOKE_RETRY, "Newton's increment is not finite");
    *bounded = p->facts->help->bound && yk_system_bound(p->system, z->x, dx);
    for (int i = 0; i < p->n; i++) z->x[i] += dx[i];
    return YOKE_OK;
}

static yoke_status increment(const stage *z, bool *bounded, yoke_err *err)
{
    YK_TRY(yk_eval(z->p, z->t, z->x, z->q, z->f, err));
    return move(z, bounded, err);
}

/* q and f at x, which dx has been added to. */
static void update(const stage *z)
{
    yk_problem *p = z->p;

    yk_pattern_multiply(p->facts->C, p->C, 1.0, z->newton->dx, z->q);
    yk_pattern_multiply(p->facts->G, p->G, 1.0, z->newton->dx, z->f);
}

/* The increment that rounding errors in q and f alone cause. */
static yoke_status rounding(const stage *z, double *floor, yoke_err *err)
{
    yk_problem *p = z->p;
    double *const dx = z->newton->noise;

    for (int i = 0; i < p->n; i++) {
        const double size =
            z->s * (fabs(z->q[i]) + fabs(z->qhat[i])) + z->g * fabs(z->f[i]);
        dx[i] = DBL_EPSILON * ((i & 1) ? -size : size);
    }
    YK_TRY(yk_matrix_solve(p, z->newton->matrix, dx, err));
    *floor = yk_norm_max(p, dx);
    return YOKE_OK;
}

/* Increments no longer decrease: is it rounding that stops them? */
static yoke_status stagnated(const stage *z, double norm, bool *converged,
                             yoke_err *err)
{
    double floor = 0.0;

    YK_TRY(rounding(z, &floor, err));
    *converged = norm <= fmax(100.0 * z->p->kappa, 8.0 * floor) &&
                 yk_settled(z->p, z->t, z->x, z->newton->dx);
    if (*converged) update(z);
    return YOKE_OK;
}

static yoke_status refresh(const stage *z, yoke_err *err)
{
    YK_TRY(yk_jacobian(z->p, z->t, z->x, err));
    z->p->oldest = z->p->stamp;
    return yk_matrix_factor(z->p, z->newton->matrix, z->s, 0.0, z->g, err);
}

/* theta / (1 - theta) before it can be measured: that of the last solve, not
 * trusted for more than two digits. */
static double first_eta(const yk_problem *p)
{
    return fmax(pow(p->eta, 0.8), 0.01);
}

static yoke_status too_slow(const stage *z, double norm, yoke_err *err)
{
    const yk_problem *p = z->p;

    return yk_fail(err, YOKE_RETRY,
                   "Newton's method has not converged in %d iterations (last "
                   "change %.2g times the tolerance, in \"%s\")",
                   p->options.max_newton, norm / p->kappa,
                   yk_worst(p, z->newton->dx));
}

/* A measured theta / (1 - theta) is trusted for three digits. */
static double measured_eta(double theta)
{
    return theta < 1.0 ? fmax(theta / (1.0 - theta), 1e-3) : INFINITY;
}

/* Iterates from x with the Jacobian at hand; `fresh`: it was evaluated at the
 * guess.  An increment that grows with an older Jacobian is taken back before a
 * new one is evaluated. */
static yoke_status iterate(const stage *z, bool fresh, yoke_err *err)
{
    yk_problem *p = z->p;
    const int most = p->options.max_newton;
    double old = 0.0, norm = 0.0, eta = first_eta(p);
    /* With the Jacobian of a conducting junction one that blocks hardly moves,
     * and a small first increment tells nothing. */
    const bool guarded = yk_system_limits(p->system);
    bool here = fresh; /* the Jacobian belongs to the present iterate */
    bool bounded = false;

    for (int k = 0; k < most; k++) {
        YK_TRY(increment(z, &bounded, err));
        norm = yk_norm_max(p, z->newton->dx);
        p->effort = fmax(p->effort, (double)(k + 1) / most);
        if (bounded) {
            YK_TRY(refresh(z, err));
            old = 0.0;
            fresh = here = true;
            eta = INFINITY;
            continue;
        }
        const double theta = old > 0.0 ? norm / old : 0.0;
        if (old > 0.0) eta = measured_eta(theta);
        const bool exact =
            p->affine ||
            (p->linear && fresh && yk_matrix_is_current(p, z->newton->matrix));
        const bool known = old > 0.0 || fresh || !guarded;
        if (exact || norm == 0.0 ||
            (known && eta * norm <= p->kappa &&
             yk_settled(p, z->t, z->x, z->newton->dx))) {
            if (norm > 0.0 && !exact) p->eta = eta;
            update(z);
            return YOKE_OK;
        }
        if (theta <= slow) {
            old = norm;
            here = false;
            continue;
        }
        if (fresh && theta > 0.5) {
            bool converged = false;
            YK_TRY(stagnated(z, norm, &converged, err));
            if (converged) return YOKE_OK;
        }
        if (theta >= 1.0 && !here) {
            for (int i = 0; i < p->n; i++) z->x[i] -= z->newton->dx[i];
            norm = old;
        }
        YK_TRY(refresh(z, err));
        old = norm;
        fresh = here = true;
        p->eta = 1.0;
    }
    return too_slow(z, norm, err);
}

/* Newton's method with a new Jacobian in each iteration, in which the system
 * keeps functions from running away. */
static yoke_status approach(const stage *z, yoke_err *err)
{
    yk_problem *p = z->p;
    const int most = 4 * p->options.max_newton;
    yoke_status status = YOKE_OK;
    double old = INFINITY, norm = 0.0;
    bool done = false, bounded = false;

    p->eta = 1.0;
    yk_system_limit(p->system, true, yk_time(p, p->t), p->x, yk_input(p, p->t));
    for (int k = 0; k < most && !done && status == YOKE_OK; k++) {
        status = yk_eval(p, z->t, z->x, z->q, z->f, err);
        if (status == YOKE_OK) status = refresh(z, err);
        if (status == YOKE_OK) status = move(z, &bounded, err);
        if (status != YOKE_OK) break;
        norm = yk_norm_max(p, z->newton->dx);
        const double eta = k > 0 ? measured_eta(norm / old) : 1.0;
        p->effort = fmax(p->effort, fmin(1.0, (double)(k + 1) / most));
        done = !bounded && (norm == 0.0 || eta * norm <= p->kappa) &&
               yk_settled(p, z->t, z->x, z->newton->dx);
        old = norm;
    }
    yk_system_limit(p->system, false, z->t, NULL, NULL);
    if (status != YOKE_OK) return status;
    if (!done) return too_slow(z, norm, err);
    update(z);
    return YOKE_OK;
}

yoke_status yk_newton_solve(yk_newton *newton, yk_problem *p, double t,
                            double s, double g, const double *qhat, double *x,
                            double *q, double *f, yoke_err *err)
{
    const stage z = { newton, p, t, s, g, qhat, x, q, f };
    const size_t bytes = (size_t)p->n * sizeof *x;
    const bool fresh = p->stamp == 0;
    yoke_status status = YOKE_OK;

    p->singular = false;
    yk_weights(p, x);
    if (fresh) YK_TRY(yk_jacobian(p, t, x, err));
    memcpy(newton->guess, x, bytes);
    status = yk_matrix_factor(p, newton->matrix, s, 0.0, g, err);
    if (status == YOKE_OK) status = iterate(&z, fresh, err);
    if (status <= 0 || p->affine) return status;
    if (yk_system_limits(p->system)) {
        memcpy(x, newton->guess, bytes);
        return approach(&z, err);
    }
    if (fresh) return status;

    /* Once more with the Jacobian of the guess. */
    p->singular = false;
    memcpy(x, newton->guess, bytes);
    YK_TRY(refresh(&z, err));
    return iterate(&z, true, err);
}
