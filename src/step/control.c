/* step/control.c -- the step size of adaptive methods.
 *
 * With an error estimate e ~ h^(k+1), e <= 1 wanted, the elementary controller
 * proposes h e^(-1/(k+1)).  The predictive one of Gustafsson also extrapolates
 * the change of the error constant over the last two steps,
 *
 *     h_new = h (h / h_old) (e_old / e^2)^(1/(k+1)),
 *
 * and the smaller of both is taken.  A step that would grow by less than 20 per
 * cent stays as it is: the factorisation then serves again.  Methods that a
 * change of the step costs more (genalpha) change it rarely: between errors of
 * 0.37 and 0.9 it stays.
 * Reference: Hairer and Wanner II, section IV.8; Gustafsson, ACM Trans. Math.
 * Softw. 20 (1994) 496.
 */
#include "step/control.h"
#include "step/policy.h"

#include <math.h>

static const double safety = 0.9, most_growth = 8.0, most_cut = 0.2, keep = 1.2;

void yk_control_restart(yk_control *c)
{
    c->h_old = 0.0;
    c->error_old = 0.0;
    c->rejected = false;
}

/* Factor for the next step; slow convergence of Newton's method lowers it. */
static double elementary(const yk_control *c, double error, double effort)
{
    const double careful = safety * 3.0 / (2.0 + fmin(effort, 1.0));
    const double factor =
        fmin(safety, careful) * pow(fmax(error, 1e-10), -1.0 / (c->order + 1));

    return fmin(most_growth, fmax(most_cut, factor));
}

static double predictive(const yk_control *c, double h, double error)
{
    const double ratio = c->error_old / (error * error);

    return safety * (h / c->h_old) * pow(ratio, 1.0 / (c->order + 1));
}

/* Steps of equal length as long as can be: the next is longer, or shorter, by
 * so much that it may stay so for a while. */
static double steadily(double factor)
{
    if (factor > YK_STEP_STEADY_GROW) return factor / YK_STEP_STEADY_ROOM;
    return factor >= YK_STEP_STEADY_SHRINK ? 1.0
                                           : fmin(factor, YK_STEP_STEADY_BY);
}

void yk_control_accept(yk_control *c, double h, double error, double effort)
{
    double factor = elementary(c, error, effort);

    if (c->steady)
        factor = steadily(factor);
    else if (c->h_old > 0.0 && error > 0.0)
        factor = fmin(factor, fmax(most_cut, predictive(c, h, error)));
    if (c->rejected) factor = fmin(factor, 1.0);
    if (factor >= 1.0 && factor <= keep && !c->steady) factor = 1.0;
    c->h = h * factor;
    c->h_old = h;
    c->error_old = fmax(error, 0.01);
    c->rejected = false;
}

void yk_control_reject(yk_control *c, double h, double error, double effort)
{
    const bool first = c->h_old == 0.0;

    c->h = h * (first ? 0.1 : fmin(elementary(c, error, effort), safety));
    c->rejected = true;
}

void yk_control_failed(yk_control *c, double h)
{
    c->h = 0.25 * h;
    c->rejected = true;
}
