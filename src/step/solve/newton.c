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
#include "step/policy.h"

#include "la/newton.h"
#include "la/pattern.h"
#include "sys/call.h"

#include <float.h>
#include <math.h>
#include <string.h>

yoke_status yk_newton_create(yk_newton *newton, const yk_problem *p,
                             yoke_err *err)
{
    YK_TRY(yk_matrix_create(&newton->matrix, p, false, err));
    YK_TRY(YK_DOUBLES((size_t)p->n + 1, err, &newton->dx, &newton->noise));
    return yk_doubles(&newton->guess, (size_t)p->n + 1, err);
}

void yk_newton_free(yk_newton *newton)
{
    yk_matrix_free(newton->matrix);
    YK_FREE(newton->dx, newton->noise, newton->guess);
}

void yk_newton_watch(yk_newton *newton)
{
    newton->theta = 0.0;
    newton->first = INFINITY;
}

/* One iteration tells no contraction: that of the solves before. */
void yk_newton_rate(const yk_newton *newton, const yk_problem *p, double *theta,
                    double *first)
{
    *theta = newton->theta > 0.0 ? newton->theta : p->eta / (1.0 + p->eta);
    if (!isfinite(*theta)) *theta = 1.0;
    *first = isfinite(newton->first) ? newton->first : 0.0;
}

/* One stage: what stays the same while it is solved. */
typedef struct stage {
    yk_newton *newton;
    yk_problem *p;
    double t, s, g;
    const double *qhat;
    double *x, *q, *f;

    double old; /* size of the last increment with this Jacobian; 0: none */
    double eta; /* theta / (1 - theta) */
    bool fresh; /* the Jacobian belongs to an iterate of this solve, */
    bool here;  /* to the present one */
    /* With the Jacobian of a conducting junction one that blocks hardly moves,
     * and a small first increment tells nothing. */
    bool guarded;
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

/* The increment that rounding errors in q and f alone cause, with the signs that
 * `alike` says: alternating ones move the two ends of a large capacitor apart,
 * which it hardly lets them, and equal ones both to the same side. */
static yoke_status rounding(const stage *z, bool alike, double *floor,
                            yoke_err *err)
{
    yk_problem *p = z->p;
    double *const dx = z->newton->noise;

    for (int i = 0; i < p->n; i++) {
        const double size =
            z->s * (fabs(z->q[i]) + fabs(z->qhat[i])) + z->g * fabs(z->f[i]);
        dx[i] = DBL_EPSILON * (!alike && (i & 1) ? -size : size);
    }
    YK_TRY(yk_matrix_solve(p, z->newton->matrix, dx, err));
    *floor = fmax(*floor, yk_norm_max(p, dx));
    return YOKE_OK;
}

/* Increments no longer decrease: is it rounding that stops them? */
static yoke_status stagnated(const stage *z, double norm, bool *converged,
                             yoke_err *err)
{
    double floor = 0.0;

    YK_TRY(rounding(z, false, &floor, err));
    YK_TRY(rounding(z, true, &floor, err));
    *converged = norm <= fmax(YK_STEP_ROUNDING_KAPPA * z->p->kappa,
                              YK_STEP_ROUNDING * floor) &&
                 yk_step_settled(z->p, z->t, z->x, z->newton->dx);
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
    return fmax(pow(p->eta, 0.8), YK_STEP_ETA_FIRST);
}

static yoke_status too_slow(const stage *z, double norm, yoke_err *err)
{
    const yk_problem *p = z->p;
    bool converged = false;

    YK_TRY(stagnated(z, norm, &converged, err));
    if (converged) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY,
                   "Newton's method has not converged in %d iterations (last "
                   "change %.2g times the tolerance, in \"%s\")",
                   p->options.max_newton, norm / p->kappa,
                   yk_worst(p, z->newton->dx));
}

/* A measured theta / (1 - theta) is trusted for three digits. */
static double measured_eta(double theta)
{
    return theta < 1.0 ? fmax(theta / (1.0 - theta), YK_STEP_ETA) : INFINITY;
}

static yoke_status renew(stage *z, double size, yoke_err *err)
{
    YK_TRY(refresh(z, err));
    z->old = size;
    z->fresh = z->here = true;
    return YOKE_OK;
}

/* ---- With the Jacobian at hand -------------------------------------------
 */

/* Is x, after this increment, the solution? */
static bool is_near(stage *z, double size)
{
    yk_problem *p = z->p;
    const bool exact =
        p->affine ||
        (p->linear && z->fresh && yk_matrix_is_current(p, z->newton->matrix));
    const bool known = z->old > 0.0 || z->fresh || !z->guarded;

    if (!exact && size > 0.0 &&
        !(known && z->eta * size <= p->kappa &&
          yk_step_settled(p, z->t, z->x, z->newton->dx)))
        return false;
    if (size > 0.0 && !exact) p->eta = z->eta;
    update(z);
    return true;
}

/* Where functions run away, as those of junctions, the Jacobian at an iterate far
 * out is so large that nothing moves any more, and no movement is no
 * solution.  So iterates may not come there. */
static bool runs_away(const stage *z, double size)
{
    return z->guarded && z->p->options.rtol * size > YK_STEP_WILD;
}

/* An increment that grows with an older Jacobian is taken back before a new one
 * is evaluated. */
static yoke_status old_increment(void *self, yk_newton_run *run, yoke_err *err)
{
    stage *z = self;
    yk_problem *p = z->p;
    bool bounded = false;

    YK_TRY(increment(z, &bounded, err));
    run->size = yk_norm_max(p, z->newton->dx);
    p->effort = fmax(p->effort, (double)run->iterations / run->most);
    if (runs_away(z, run->size))
        return yk_fail(err, YOKE_RETRY, "Newton's method runs away");
    if (bounded) {
        z->eta = INFINITY;
        return renew(z, 0.0, err);
    }
    const double theta = z->old > 0.0 ? run->size / z->old : 0.0;
    if (z->old > 0.0) z->eta = measured_eta(theta);
    z->newton->theta = fmax(z->newton->theta, theta);
    if (run->iterations == 1)
        z->newton->first = fmin(z->newton->first, run->size);
    run->done = is_near(z, run->size);
    if (run->done) return YOKE_OK;
    if (theta <= YK_STEP_SLOW) {
        z->old = run->size;
        z->here = false;
        return YOKE_OK;
    }
    if (z->fresh && theta > YK_STEP_STAGNANT)
        YK_TRY(stagnated(z, run->size, &run->done, err));
    if (run->done) return YOKE_OK;
    if (theta >= 1.0 && !z->here) {
        for (int i = 0; i < p->n; i++) z->x[i] -= z->newton->dx[i];
        run->size = z->old;
    }
    YK_TRY(renew(z, run->size, err));
    p->eta = 1.0;
    return YOKE_OK;
}

/* `fresh`: the Jacobian was evaluated at the guess. */
static yoke_status iterate(stage *z, bool fresh, yoke_err *err)
{
    yk_newton_run run = { z, old_increment, .most = z->p->options.max_newton };

    z->fresh = z->here = fresh;
    z->old = 0.0;
    z->eta = first_eta(z->p);
    z->guarded = yk_system_limits(z->p->system);
    const yoke_status status = yk_newton_iterate(&run, err);
    return run.end == YK_NEWTON_SLOW ? too_slow(z, run.size, err) : status;
}

/* ---- With a new Jacobian in each iteration ------------------------------- */

static yoke_status new_increment(void *self, yk_newton_run *run, yoke_err *err)
{
    const stage *z = self;
    yk_problem *p = z->p;
    bool bounded = false;

    YK_TRY(yk_eval(p, z->t, z->x, z->q, z->f, err));
    YK_TRY(refresh(z, err));
    YK_TRY(move(z, &bounded, err));
    run->size = yk_norm_max(p, z->newton->dx);
    const double eta =
        run->iterations > 1 ? measured_eta(run->size / run->before) : 1.0;
    p->effort = fmax(p->effort, fmin(1.0, (double)run->iterations / run->most));
    if (run->iterations > 1)
        z->newton->theta = fmax(z->newton->theta, run->size / run->before);
    run->done = !bounded && (run->size == 0.0 || eta * run->size <= p->kappa) &&
                yk_step_settled(p, z->t, z->x, z->newton->dx);
    return YOKE_OK;
}

/* The system keeps functions from running away. */
static yoke_status approach(stage *z, yoke_err *err)
{
    yk_problem *p = z->p;
    yk_newton_run run = { z, new_increment, .most = 4 * p->options.max_newton };

    p->eta = 1.0;
    yk_system_limit(p->system, true, yk_time(p, p->t), p->x, yk_input(p, p->t));
    const yoke_status status = yk_newton_iterate(&run, err);
    yk_system_limit(p->system, false, z->t, NULL, NULL);
    if (status == YOKE_OK) update(z);
    return run.end == YK_NEWTON_SLOW ? too_slow(z, run.size, err) : status;
}

yoke_status yk_newton_solve(yk_newton *newton, yk_problem *p, double t,
                            double s, double g, const double *qhat, double *x,
                            double *q, double *f, yoke_err *err)
{
    stage z = { newton, p, t, s, g, qhat, x, q, f, .old = 0.0 };
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
