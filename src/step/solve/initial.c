/* step/solve/initial.c -- consistent values, at the start and after a jump.
 *
 * For index 1 the charges q(t0, x, u0) may be chosen freely and the equations
 * determine the rest.  Three ways, the first that applies:
 *
 * 1. Newton's method for  q(t0, x, u0) = q0  on rows with charge and
 *    f(t0, x, u0) = 0  on algebraic rows, with the matrix [C; G].  If it moves
 *    nothing by more than the tolerance, x is left untouched.
 * 2. That matrix is singular if the charges of several rows depend on each
 *    other.  Then x_d, the unknowns that q depends on, are kept and (xdot_d,
 *    x_a) solved for (slopes.c).
 * 3. If the columns of C depend on each other too (a floating capacitor), or
 *    rounding leaves slopes of any size (very fast unknowns at rest), short
 *    implicit Euler steps with t and u held,  q(x) - q0 + h f(x) = 0,  with h
 *    and h/2, extrapolated to h = 0.
 *
 * Rows whose charge depends on inputs alone determine a rate of those, such as
 * the displacement current of a device.  No value keeps that charge when an
 * input jumps: the rate would be infinite at this instant.  They count as
 * algebraic here, as if the inputs were at rest; the next step has all of the
 * charge.
 *
 * Index 2 and higher have hidden constraints: hidden_constraints.c.
 * Reference: Brown, Hindmarsh, Petzold, SIAM J. Sci. Comput. 19 (1998) 1495.
 */
#include "step/policy.h"
#include "step/solve/initial.h"

#include "step/solve/exact.h"
#include "step/solve/hidden_constraints.h"
#include "step/solve/slopes.h"
#include "step/steppers.h"
#include "sys/call.h"
#include "sys/solvable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The largest entry of each row. */
static void row_sizes(const yoke_pattern *pattern, const double *value, int n,
                      double *size)
{
    memset(size, 0, (size_t)n * sizeof *size);
    for (int k = 0; k < yoke_pattern_count(pattern); k++) {
        double *s = &size[pattern->row[k]];
        *s = fmax(*s, fabs(value[k]));
    }
}

/* The shortest |C| / |G| of a row: rows may differ by many powers of ten, as
 * those of a coil and of a junction do. */
static double shortest_time(yk_rejoin *r, const yk_problem *p)
{
    double time = INFINITY;

    row_sizes(p->facts->C, p->C, p->n, r->q);
    row_sizes(p->facts->G, p->G, p->n, r->f);
    for (int i = 0; i < p->n; i++)
        if (r->q[i] > 0.0 && r->f[i] > 0.0)
            time = fmin(time, r->q[i] / r->f[i]);
    return isfinite(time) ? time : 1.0;
}

static bool moved(yk_problem *p, const double *x, double *dx)
{
    yk_weights(p, p->x);
    for (int i = 0; i < p->n; i++) dx[i] = x[i] - p->x[i];
    return yk_norm_max(p, dx) > YK_STEP_VISIBLE;
}

/* 1: charges kept, matrix [C; G], from r->x.  Matrices of earlier attempts at
 * this instant are not used: one that is much too large makes increments small,
 * not solutions good. */
static yoke_status solve_charges(yk_rejoin *r, yk_problem *p, yoke_err *err)
{
    const long oldest = p->oldest;

    p->oldest = 0;
    p->stamp = p->affine ? p->stamp : 0;
    for (int k = 0; k < r->rates; k++) p->charge[r->rate[k]] = false;
    const yoke_status status = yk_newton_solve(&r->newton, p, p->t, 1.0, 0.0,
                                               p->q, r->x, r->q, r->f, err);
    for (int k = 0; k < r->rates; k++) p->charge[r->rate[k]] = true;
    p->oldest = oldest;
    if (status > 0) yk_forget_matrices(p);
    return status;
}

static yoke_status keep_charges(yk_rejoin *r, yk_problem *p, yoke_err *err)
{
    memcpy(r->x, p->x, (size_t)p->n * sizeof *r->x);
    return solve_charges(r, p, err);
}

/* After a jump of the inputs Newton's method may begin too far away: they go
 * from their old values, which x belongs to, to the new ones along a straight
 * line, in parts as long as it converges. */
static yoke_status follow_inputs(yk_rejoin *r, yk_problem *p, yoke_err *err)
{
    const size_t bytes = (size_t)p->n * sizeof *r->x;
    yoke_status status = YOKE_OK;
    double part = 0.25;

    memcpy(r->u, yk_input(p, p->t), (size_t)p->m * sizeof *r->u);
    memcpy(p->x_new, p->x, bytes);
    for (double done = 0.0; done < 1.0;) {
        const double next = fmin(1.0, done + part);
        for (int c = 0; c < p->m; c++)
            p->u_now[c] =
                next == 1.0 ? r->u[c] : (1.0 - next) * p->u[c] + next * r->u[c];
        memcpy(r->x, p->x_new, bytes);
        status = solve_charges(r, p, err);
        if (status < 0 || (status > 0 && part < YK_STEP_LEAST_PART)) break;
        part *= status > 0 ? 0.25 : 2.0;
        if (status > 0) continue;
        done = next;
        memcpy(p->x_new, r->x, bytes);
    }
    memcpy(p->u_now, r->u, (size_t)p->m * sizeof *r->u);
    return status;
}

/* 2: unknowns of the charges kept. */
static yoke_status keep_differential(yk_rejoin *r, yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_slopes s = { 0 };

    memcpy(r->x, p->x, (size_t)p->n * sizeof *r->x);
    memset(r->q, 0, (size_t)p->n * sizeof *r->q);
    YK_GO(yk_slopes_create(&s, p, err));
    YK_GO(yk_slopes_solve(&s, p, p->t, NULL, r->x, r->q, err));
done:
    yk_slopes_free(&s);
    return status;
}

/* Nothing bounds how far a jump goes, so there are more iterations than in a
 * step, and where they do not converge other ways to come near. */
static yoke_status keep_charges_afar(yk_rejoin *r, yk_problem *p, yoke_err *err)
{
    const int most = p->options.max_newton;

    p->options.max_newton =
        most > YK_STEP_MOST_NEWTON ? most : YK_STEP_MOST_NEWTON;
    yoke_status status = keep_charges(r, p, err);
    if (status > 0 && !p->singular && p->m > 0 && p->wave)
        status = follow_inputs(r, p, err);
    if (status > 0 && !p->singular && keep_differential(r, p, err) == YOKE_OK)
        status = solve_charges(r, p, err);
    p->options.max_newton = most;
    return status;
}

/* 3: q(x) - q0 + h f(x) = 0 for h, into r->x, and h/2, into x_new, from what is
 * there. */
static yoke_status two_steps(yk_rejoin *r, yk_problem *p, double h,
                             yoke_err *err)
{
    const size_t bytes = (size_t)p->n * sizeof *r->x;

    YK_TRY(yk_newton_solve(&r->newton, p, p->t, 1.0 / h, 1.0, r->q0, r->x, r->q,
                           r->f, err));
    memcpy(p->x_new, r->x, bytes);
    return yk_newton_solve(&r->newton, p, p->t, 2.0 / h, 1.0, r->q0, p->x_new,
                           r->q, r->f, err);
}

/* The first length, at least *h, whose matrix is regular: beside the charges of
 * a very short one nothing is left of what else ties unknowns together. */
static yoke_status regular_steps(yk_rejoin *r, yk_problem *p, double *h,
                                 yoke_err *err)
{
    const size_t bytes = (size_t)p->n * sizeof *r->x;
    yoke_status status = YOKE_RETRY;

    for (int k = 0; k < YK_STEP_SHORT_LENGTHS; k++) {
        memcpy(r->x, p->x, bytes);
        status = two_steps(r, p, *h, err);
        if (status <= 0 || !p->singular) return status;
        *h *= YK_STEP_SHORT_RATIO;
    }
    return status;
}

/* What halving the step still changes, in tolerances. */
static double change_of_halving(yk_rejoin *r, yk_problem *p)
{
    yk_weights(p, r->x);
    for (int i = 0; i < p->n; i++) r->f[i] = p->x_new[i] - r->x[i];
    return yk_norm_max(p, r->f);
}

/* Small against every |C| / |G|, and then as small as it takes for h and h/2 to
 * agree: the current of a coil grows like h, the voltage of a junction that
 * carries it like log h, which no line leads to h = 0. */
static yoke_status short_steps(yk_rejoin *r, yk_problem *p, yoke_err *err)
{
    double h = 1e-5 * shortest_time(r, p), before = INFINITY;

    memcpy(r->q0, p->q, (size_t)p->n * sizeof *r->q0);
    memcpy(r->x, p->x, (size_t)p->n * sizeof *r->x);
    if (r->rates > 0) YK_TRY(yk_eval(p, p->t, r->x, r->q, NULL, err));
    for (int k = 0; k < r->rates; k++) r->q0[r->rate[k]] = r->q[r->rate[k]];
    YK_TRY(regular_steps(r, p, &h, err));
    for (int k = 0; k < YK_STEP_SHORT_LENGTHS; k++) {
        const double change = change_of_halving(r, p);
        if (change <= 1.0 || change > 2.0 * before) break;
        before = change;
        if (two_steps(r, p, h / YK_STEP_SHORT_RATIO, err) != YOKE_OK) {
            YK_TRY(regular_steps(r, p, &h, err));
            break;
        }
        h /= YK_STEP_SHORT_RATIO;
    }
    for (int i = 0; i < p->n; i++) r->x[i] = 2.0 * p->x_new[i] - r->x[i];
    return YOKE_OK;
}

static yoke_status find_index(yk_rejoin *r, yk_problem *p, yoke_err *err)
{
    if (r->index > -2) return YOKE_OK;
    return yk_index(p->system, yk_time(p, p->t), p->x, yk_input(p, p->t),
                    &r->index, err);
}

/* The equations do not determine all unknowns: which. */
static yoke_status refuse_singular(yk_problem *p, yoke_err *err)
{
    yoke_solvability s;

    YK_TRY(yoke_solvable(p->system, yk_time(p, p->t), p->x, yk_input(p, p->t),
                         &s, err));
    return yk_fail(err, YOKE_E_MODEL,
                   "no initial values, the equations do not determine all "
                   "unknowns: %s (two equations say the same there, or a loop "
                   "of signals has the gain 1)",
                   s.text[0] ? s.text : p->name);
}

/* Rows with a charge that no unknown enters. */
static void find_rates(yk_rejoin *r, const yk_problem *p)
{
    const yoke_pattern *C = p->facts->C;

    for (int i = 0; i < p->n; i++) r->q[i] = 0.0;
    for (int k = 0; k < yoke_pattern_count(C); k++) r->q[C->row[k]] = 1.0;
    for (int i = 0; i < p->n; i++)
        if (p->charge[i] && r->q[i] == 0.0) r->rate[r->rates++] = i;
}

yoke_status yk_rejoin_create(yk_rejoin *r, const yk_problem *p, yoke_err *err)
{
    const size_t n = (size_t)p->n + 1;

    r->index = -2;
    r->rates = 0;
    YK_TRY(yk_ints(&r->rate, n, err));
    YK_TRY(yk_doubles(&r->q0, n, err));
    YK_TRY(yk_doubles(&r->u, (size_t)p->m + 1, err));
    YK_TRY(yk_newton_create(&r->newton, p, err));
    YK_TRY(YK_DOUBLES(n, err, &r->x, &r->q, &r->f));
    find_rates(r, p);
    return YOKE_OK;
}

void yk_rejoin_free(yk_rejoin *r)
{
    yk_newton_free(&r->newton);
    YK_FREE(r->rate, r->q0, r->u, r->x, r->q, r->f);
}

/* Capacitors between nodes keep their charges if all their voltages move by the
 * same, and only rounding lets the matrix say otherwise. */
static bool may_shift(const yk_rejoin *r)
{
    return r->index < 2 && yk_matrix_is_doubtful(r->newton.matrix);
}

yoke_status yk_rejoin_solve(yk_rejoin *r, yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_RETRY;

    if (r->index < 2) status = keep_charges_afar(r, p, err);
    if (status > 0 ? p->singular : status == YOKE_OK && may_shift(r)) {
        YK_TRY(find_index(r, p, err));
        if (r->index == 1) status = short_steps(r, p, err);
    }
    if (status < 0) return status;
    r->stale = status > 0;
    if (!r->stale) memcpy(p->x, r->x, (size_t)p->n * sizeof *p->x);
    return YOKE_OK;
}

static yoke_status first_that_applies(yk_rejoin *r, yk_problem *p,
                                      yoke_err *err)
{
    yoke_err why = { .status = YOKE_OK };
    yoke_status status = keep_charges(r, p, err);

    if (status == YOKE_OK && may_shift(r)) {
        YK_TRY(find_index(r, p, err));
        if (r->index == 1) return short_steps(r, p, err);
    }
    if (status <= 0) return status;
    if (!p->singular) {
        memcpy(r->x, p->x, (size_t)p->n * sizeof *r->x);
        status = yk_initial_blocks(p->system, yk_time(p, p->t),
                                   yk_input(p, p->t), r->x, &why);
        if (status <= 0) return status;
    }
    status = keep_differential(r, p, err);
    if (status <= 0) return status;
    YK_TRY(find_index(r, p, err));
    if (r->index < 0) return refuse_singular(p, err);
    if (r->index > 1) return yk_hidden_values(p, r->index, r->x, err);
    status = short_steps(r, p, err);
    r->told = status > 0 && why.status > 0;
    return r->told ? yk_fail(err, YOKE_RETRY, "%s", why.text) : status;
}

/* Where Newton's method ended: the algebraic equation that is left with the
 * largest residual, measured by its largest slope. */
static int worst_equation(yk_rejoin *r, yk_problem *p, double *residual)
{
    double most = -1.0;
    int worst = -1;

    if (yk_jacobian(p, p->t, r->x, NULL) != YOKE_OK ||
        yk_eval(p, p->t, r->x, NULL, r->f, NULL) != YOKE_OK)
        return -1;
    row_sizes(p->facts->G, p->G, p->n, r->q);
    for (int i = 0; i < p->n; i++) {
        const double size = fabs(r->f[i]) / (r->q[i] > 0.0 ? r->q[i] : 1.0);
        if (p->charge[i] || !(size > most)) continue;
        most = size;
        worst = i;
    }
    if (worst >= 0) *residual = r->f[worst];
    return worst;
}

static void blame(yk_rejoin *r, yk_problem *p, yoke_err *err)
{
    double residual = 0.0;
    const int worst = worst_equation(r, p, &residual);

    if (worst >= 0)
        yk_suffix(err,
                  "; equation \"%s\" is left with the residual %g (give start "
                  "values near the solution; maybe there is none)",
                  p->facts->eq_name[worst], residual);
}

static yoke_status solve_once(yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_rejoin r = { .index = -2 };
    const int most = p->options.max_newton;

    if (p->n == 0) return YOKE_OK;
    YK_GO(yk_rejoin_create(&r, p, err));
    YK_GO(yk_eval(p, p->t, p->x, p->q, NULL, err));
    p->options.max_newton = YK_STEP_MOST_NEWTON;
    YK_GO(first_that_applies(&r, p, err));
    if (moved(p, r.x, r.q)) memcpy(p->x, r.x, (size_t)p->n * sizeof *p->x);
    if (r.index > 1) YK_GO(yk_eval(p, p->t, p->x, p->q, NULL, err));
done:
    if (status > 0) {
        if (!r.told) blame(&r, p, err);
        yk_prefix(err, "subsystem \"%s\": initial values at t = %g", p->name,
                  p->t);
        status = YOKE_E_NUMERIC;
        if (err) err->status = status;
    }
    p->options.max_newton = most;
    yk_rejoin_free(&r);
    return status;
}

/* What is held between events may depend on the unknowns that are found here.
 */
yoke_status yk_initial(yk_problem *p, yoke_err *err)
{
    enum { ROUNDS = 30 };
    bool changed = true;

    for (int i = 0; i < ROUNDS && changed; i++) {
        YK_TRY(solve_once(p, err));
        if (p->facts->events == 0) return YOKE_OK;
        YK_TRY(yk_system_settle(p->system, p->t, p->x, yk_input(p, p->t),
                                p->x_new, &changed, err));
        memcpy(p->x, p->x_new, (size_t)p->n * sizeof *p->x);
        if (!p->affine) p->stamp = 0;
    }
    return YOKE_OK;
}

/* rtol: changes of a thousandth of that are none. */
static yoke_status values(yoke_system *system, double rtol, double t0,
                          const double *u0, double *x, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_stepper_options options = yoke_stepper_defaults();
    yk_problem p = { 0 };

    if (rtol > 0.0) {
        options.atol *= rtol / options.rtol;
        options.rtol = rtol;
    }
    YK_GO(yk_problem_create(&p, system, &options, err));
    p.kappa = 1e-10 / options.rtol;
    p.t = p.begin = p.end = t0;
    memcpy(p.x, x, (size_t)p.n * sizeof *x);
    if (p.m) memcpy(p.u, u0, (size_t)p.m * sizeof *u0);
    YK_GO(yk_initial(&p, err));
    memcpy(x, p.x, (size_t)p.n * sizeof *x);
done:
    yk_problem_free(&p);
    return status;
}

yoke_status yk_initial_values(yoke_system *system, double t0, const double *u0,
                              double *x, yoke_err *err)
{
    return values(system, 0.0, t0, u0, x, err);
}

yoke_status yk_initial_exact(yoke_system *system, double t0, const double *u0,
                             double *x, yoke_err *err)
{
    return values(system, 1e-10, t0, u0, x, err);
}
