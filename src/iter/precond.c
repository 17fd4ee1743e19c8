/* iter/precond.c -- matrices at instants: the preconditioner of Arnold and
 * Guenther (2001), equations (2.12) to (2.14).
 */
#include "iter/correction.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

bool yk_precond_given(const yk_correct *c)
{
    return c->options->accelerate == YOKE_ACCELERATE_PRECONDITION &&
           c->options->preconditioner;
}

/* I - A of the user at time t, factored. */
static yoke_status factor_given(yk_correct *c, double t, yoke_err *err)
{
    const int n = c->size;
    int row = -1;

    memset(c->a, 0, (size_t)(n * n) * sizeof *c->a);
    YK_TRY(c->options->preconditioner(c->options->preconditioner_context, t, n,
                                      c->name, c->a, err));
    if (!yk_all_finite(c->a, n * n, &row))
        return yk_fail(
            err, YOKE_E_ARG,
            "preconditioner: A is not finite at t = %g in the row of "
            "\"%.300s\"",
            t, c->name[row / n]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c->a[i * n + j] = (i == j) - c->a[i * n + j];
    const yoke_status status = yk_dense_factor(n, c->a, c->pivot, &row, NULL);
    if (status <= 0) return status;
    return yk_fail(err, YOKE_E_ARG,
                   "preconditioner: I - A is singular at t = %g, in the row of "
                   "\"%.300s\"",
                   t, c->name[row]);
}

/* M at the end of the window. */
yoke_status yk_precond_take_given(yk_correct *c, yoke_err *err)
{
    const int n = c->size;

    YK_TRY(factor_given(c, c->t1, err));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) c->column[i] = i == j;
        YK_TRY(yk_dense_solve(n, c->a, c->pivot, 1, c->column, err));
        for (int i = 0; i < n; i++) c->m[i * n + j] = c->column[i];
    }
    return YOKE_OK;
}
/* dw = (I - A(t))^-1 r. */
yoke_status yk_precond_solve_given(yk_correct *c, yoke_err *err)
{
    const int n = c->size;

    memcpy(c->dw, c->r, (size_t)(n * (c->steps + 1)) * sizeof *c->dw);
    for (int k = 0; k <= c->steps; k++) {
        const double t = c->t0 + k * (c->t1 - c->t0) / c->steps;
        YK_TRY(factor_given(c, k == c->steps ? c->t1 : t, err));
        YK_TRY(yk_dense_solve(n, c->a, c->pivot, 1, c->dw + k * n, err));
    }
    return YOKE_OK;
}

/* ---- (2.14) along the window ----------------------------------------------
 */

/* Entries that change by more than `apart` of the matrix over the window are
 * looked at inside; M is linear between two instants to this part. */
static const double apart = 1e-2, linear = 1e-3;

/* M at instant k of `parts` into its place. */
static yoke_status take_node(yk_correct *c, int k, int parts, double h,
                             yoke_err *err)
{
    const size_t size = (size_t)(c->size * c->size);
    const double t = c->t0 + k * (c->t1 - c->t0) / parts;

    if (k == parts)
        YK_TRY(yk_interface_linearise(c->interface, h, c->name, err));
    else
        YK_TRY(yk_interface_linearise_at(c->interface, t, h, c->name, err));
    memcpy(c->node + (size_t)k * size, yk_interface_inverse(c->interface),
           size * sizeof *c->node);
    return YOKE_OK;
}

/* Largest entry of weight_a A + weight_b B - C, over that of C. */
static double distance(int size, const double *a, double weight_a,
                       const double *b, double weight_b, const double *from)
{
    double most = 0.0, largest = 0.0;

    for (int i = 0; i < size; i++) {
        most = fmax(most, fabs(weight_a * a[i] + weight_b * b[i] - from[i]));
        largest = fmax(largest, fabs(from[i]));
    }
    return largest > 0.0 ? most / largest : 0.0;
}

/* Twice as many instants.  *curved: the new ones are not on the line between
 * their neighbours. */
static yoke_status halve_parts(yk_correct *c, double h, bool *curved,
                               yoke_err *err)
{
    const int size = c->size * c->size;
    const size_t bytes = (size_t)size * sizeof *c->node;

    for (int k = c->parts; k > 0; k--)
        memmove(c->node + 2 * k * size, c->node + k * size, bytes);
    c->parts *= 2;
    *curved = false;
    for (int k = 1; k < c->parts; k += 2) {
        const double *now = c->node + k * size;
        YK_TRY(take_node(c, k, c->parts, h, err));
        if (distance(size, now - size, 0.5, now + size, 0.5, now) > linear)
            *curved = true;
    }
    return YOKE_OK;
}

yoke_status yk_precond_take_along(yk_correct *c, double h, yoke_err *err)
{
    const int size = c->size * c->size;
    const size_t bytes = (size_t)size * sizeof *c->node;
    const bool follows = c->node_step == h && c->node_time == c->t0;
    bool curved = true;

    if (follows) memcpy(c->node, c->node + c->parts * size, bytes);
    c->node_step = 0.0;
    c->parts = 1;
    if (!follows) YK_TRY(take_node(c, 0, 1, h, err));
    YK_TRY(take_node(c, 1, 1, h, err));
    if (distance(size, c->node, 1.0, c->node, 0.0, c->node + size) <= apart)
        curved = false;
    while (curved && c->parts < YK_MOST_PARTS)
        YK_TRY(halve_parts(c, h, &curved, err));
    memcpy(c->m, c->node + c->parts * size, bytes);
    return YOKE_OK;
}

void yk_precond_solve_along(yk_correct *c)
{
    const int n = c->size;

    for (int k = 0; k <= c->steps; k++) {
        const double place = (double)k / c->steps * c->parts;
        const int part = place < c->parts ? (int)place : c->parts - 1;
        const double right = place - part, left = 1.0 - right;
        const double *a = c->node + part * n * n, *b = a + n * n;
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += (left * a[i * n + j] + right * b[i * n + j]) *
                       c->r[k * n + j];
            c->dw[k * n + i] = sum;
        }
    }
}
