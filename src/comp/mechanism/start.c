/* comp/mechanism/start.c -- values at the start that satisfy constraints.
 *
 * Dense, for mechanisms of up to some thousand coordinates.
 */
#include "comp/mechanism/mechanism.h"
#include "la/dense.h"

#include <string.h>

yoke_status yk_mechanism_accelerate(int count, int n, const double *M,
                                    const double *G, double *b, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int all = n + count;
    double *a = NULL;
    int *pivot = NULL;

    YK_GO(yk_doubles(&a, (size_t)all * (size_t)all, err));
    YK_GO(yk_ints(&pivot, (size_t)all, err));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * all + j] = M[i * n + j];
    for (int k = 0; k < count; k++)
        for (int j = 0; j < n; j++)
            a[(n + k) * all + j] = a[j * all + n + k] = G[k * n + j];
    status = yk_dense_factor(all, a, pivot, NULL, err);
    if (status == YOKE_RETRY)
        status = yk_fail(err, YOKE_E_MODEL,
                         "the accelerations at the start cannot be computed: "
                         "a constraint nearly follows from others, or masses "
                         "or constraints are too far from each other in size");
    if (status == YOKE_OK) status = yk_dense_solve(all, a, pivot, 1, b, err);
done:
    YK_FREE(a, pivot);
    return status;
}

static bool is_free(const bool *fixed, int j)
{
    return !fixed || !fixed[j];
}

/* z = W G' w with (G W G') w = r, W the inverse masses of those not fixed. */
yoke_status yk_mechanism_correct(int count, int n, const double *mass,
                                 const double *G, const bool *fixed,
                                 const double *r, double *z, yoke_err *err)
{
    static const double dependent = 1e-10;
    yoke_status status = YOKE_OK;
    double *a = NULL, *w = NULL;

    memset(z, 0, (size_t)n * sizeof *z);
    if (count == 0) return YOKE_OK;
    YK_GO(yk_doubles(&a, (size_t)count * (size_t)count, err));
    YK_GO(yk_doubles(&w, (size_t)count, err));
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++)
            for (int j = 0; j < n; j++)
                if (is_free(fixed, j))
                    a[k * count + l] += G[k * n + j] * G[l * n + j] / mass[j];
    YK_GO(yk_least_squares(count, count, a, r, dependent, w, NULL, err));
    for (int k = 0; k < count; k++)
        for (int j = 0; j < n; j++)
            if (is_free(fixed, j)) z[j] += G[k * n + j] * w[k] / mass[j];
done:
    YK_FREE(a, w);
    return status;
}
