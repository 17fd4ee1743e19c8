/* comp/mechanism/kernel.c -- the weights of a contact that moves on a grid.
 *
 * The centred quintic B-spline as a sum of truncated powers,
 *
 *     B5(s) = 1/5! sum_k (-1)^k binom(6, k) max(s + 3 - k, 0)^5,  |s| < 3,
 *
 * summed from the nearer end (B5 is even) so that it decays without rounding
 * errors.  It is four times continuously differentiable, so a force that moves
 * with the contact has no kinks when it passes a node.
 */
#include "comp/mechanism/kernel.h"

#include <math.h>

static const double half_support = 3.0;

/* B5, B5' and B5'' at s. */
static void spline(double s, double *b, double *first, double *second)
{
    static const double binomial[] = { 1.0, -6.0, 15.0 };
    const double z0 = half_support - fabs(s), sign = s > 0.0 ? -1.0 : 1.0;

    *b = *first = *second = 0.0;
    for (int k = 0; k < 3 && z0 - k > 0.0; k++) {
        const double z = z0 - k, three = binomial[k] * z * z * z;
        *b += three * z * z / 120.0;
        *first += three * z / 24.0;
        *second += three / 6.0;
    }
    *first *= sign;
}

yoke_status yk_kernel_create(yk_kernel *k, double dx, int nodes, double width,
                             double x0, double speed, yoke_err *err)
{
    const double most = ceil(2.0 * half_support * width / dx) + 2.0;
    const size_t room = (size_t)fmin(most, (double)nodes) + 1;

    k->dx = dx;
    k->nodes = nodes;
    k->width = width;
    k->x0 = x0;
    k->speed = speed;
    k->t = NAN;
    YK_TRY(YK_DOUBLES(room, err, &k->phi, &k->rate));
    return yk_doubles(&k->bend, room, err);
}

void yk_kernel_free(yk_kernel *k)
{
    YK_FREE(k->phi, k->rate, k->bend);
}

static int clip(double j, int nodes)
{
    return (int)fmin(fmax(j, 1.0), (double)nodes + 1.0);
}

void yk_kernel_move(yk_kernel *k, double t)
{
    const double h = k->width, xp = k->x0 + k->speed * t;

    if (t == k->t) return;
    k->t = t;
    k->first = clip(ceil((xp - half_support * h) / k->dx), k->nodes);
    k->count =
        clip(floor((xp + half_support * h) / k->dx) + 1.0, k->nodes) - k->first;
    for (int i = 0; i < k->count; i++) {
        double b, first, second;
        spline(((k->first + i) * k->dx - xp) / h, &b, &first, &second);
        k->phi[i] = b / h;
        k->rate[i] = -k->speed * first / (h * h);
        k->bend[i] = k->speed * k->speed * second / (h * h * h);
    }
}
