/* comp/mechanism/check.c -- mass matrices and constraints that cannot be.
 *
 * Mass: Cholesky's method.  If the pivot of coordinate k is not positive then
 * z = (-M11^-1 m_k, 1) has z' M z <= 0, and the coordinates in z cause it.
 *
 * Constraints: a smallest set of rows of G that depend on each other
 * (la/depend.c).  If the same combination of the constraints themselves is zero
 * they are redundant, otherwise they contradict each other.
 *
 * Limits: dense, for mechanisms of up to some thousand coordinates.
 */
#include "base/text.h"
#include "comp/mechanism/mechanism.h"
#include "la/depend.h"

#include <math.h>
#include <string.h>

static const double vanishing = 1e-10; /* of a row, relative to what it was */
static const double consistent = 1e-7; /* of a constraint, relative */

/* ---- mass ---------------------------------------------------------------- */

/* z = (-M11^-1 m_k, 1) from the factor L of the leading part. */
static void direction(int k, int n, const double *L, double *z)
{
    memset(z, 0, (size_t)n * sizeof *z);
    z[k] = 1.0;
    for (int i = k - 1; i >= 0; i--) {
        double sum = -L[k * n + i];
        for (int j = i + 1; j < k; j++) sum -= L[j * n + i] * z[j];
        z[i] = sum / L[i * n + i];
    }
}

static yoke_status blame_mass(int k, int n, const double *L, double pivot,
                              double mass, const char *const *name,
                              yoke_err *err)
{
    char who[600];
    double *z = NULL;

    if (!(mass > 0.0))
        return yk_fail(err, YOKE_E_MODEL,
                       "the mass of coordinate \"%s\" is %g; it must be more "
                       "than zero",
                       name[k], mass);
    YK_TRY(yk_doubles(&z, (size_t)n, err));
    direction(k, n, L, z);
    yk_list_weighted(who, sizeof who, n, z, name);
    yk_free(z);
    return yk_fail(err, YOKE_E_MODEL,
                   "the mass matrix is not positive definite: a motion of %s "
                   "alone has the kinetic energy %g; correct their masses",
                   who, 0.5 * pivot);
}

static yoke_status check_symmetric(int n, const double *M,
                                   const char *const *name, yoke_err *err)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const double a = M[i * n + j], b = M[j * n + i];
            if (!isfinite(a) || !isfinite(b) ||
                fabs(a - b) > 1e-9 * (fabs(a) + fabs(b)))
                return yk_fail(err, YOKE_E_MODEL,
                               "the mass matrix is not symmetric: its entries "
                               "of \"%s\" and \"%s\" are %g and %g",
                               name[i], name[j], a, b);
        }
    return YOKE_OK;
}

yoke_status yk_mechanism_check_mass(int n, const double *M,
                                    const char *const *name, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *L = NULL;

    YK_TRY(check_symmetric(n, M, name, err));
    YK_TRY(yk_doubles(&L, (size_t)n * (size_t)n, err));
    for (int k = 0; k < n; k++) {
        double pivot = M[k * n + k];
        for (int i = 0; i < k; i++) {
            double sum = M[k * n + i];
            for (int j = 0; j < i; j++) sum -= L[k * n + j] * L[i * n + j];
            L[k * n + i] = sum / L[i * n + i];
            pivot -= L[k * n + i] * L[k * n + i];
        }
        if (!(pivot > 1e-13 * M[k * n + k])) {
            status = blame_mass(k, n, L, pivot, M[k * n + k], name, err);
            break;
        }
        L[k * n + k] = sqrt(pivot);
    }
    yk_free(L);
    return status;
}

/* ---- constraints --------------------------------------------------------- */

yoke_status yk_mechanism_check_rank(int count, int n, const double *G,
                                    const double *gamma,
                                    const char *const *name, yoke_err *err)
{
    double *weight = NULL, left = 0.0, size = 1e-12;
    char who[600];
    int row = -1, involved = 0;

    YK_TRY(yk_doubles(&weight, (size_t)count + 1, err));
    const yoke_status status =
        yk_dependent_row(count, n, G, vanishing, &row, weight, err);
    for (int k = 0; k < count; k++) {
        left += weight[k] * gamma[k];
        size += fabs(weight[k]) * fmax(1.0, fabs(gamma[k]));
    }
    if (row >= 0)
        involved = yk_list_weighted(who, sizeof who, count, weight, name);
    yk_free(weight);
    if (row < 0 || status != YOKE_OK) return status;
    if (involved == 1)
        return yk_fail(err, YOKE_E_MODEL,
                       "the constraint %s touches no coordinate where it is "
                       "(its derivative is zero): no force can hold it",
                       who);
    if (fabs(left) > consistent * size)
        return yk_fail(err, YOKE_E_MODEL,
                       "the constraints %s contradict each other: they hold "
                       "the same motion at places that differ by %g",
                       who, fabs(left));
    return yk_fail(err, YOKE_E_MODEL,
                   "the constraints %s are redundant: each of them follows "
                   "from the others; leave one out",
                   who);
}

yoke_status yk_mechanism_check_zero(int count, int n, const double *G,
                                    const double *x, const double *value,
                                    const char *const *name, const char *what,
                                    yoke_err *err)
{
    for (int k = 0; k < count; k++) {
        double size = 1.0;
        for (int j = 0; j < n; j++) size += fabs(G[k * n + j] * x[j]);
        if (fabs(value[k]) <= consistent * size) continue;
        return yk_fail(err, YOKE_E_MODEL,
                       "the initial %s do not satisfy the constraint \"%s\": "
                       "it is %g instead of 0",
                       what, name[k], value[k]);
    }
    return YOKE_OK;
}

void yk_mechanism_tell_nearest(int n, const double *x, const double *nearest,
                               const char *const *name, int level,
                               yoke_err *err)
{
    char text[400] = "";

    for (int i = 0; i < n && strlen(text) < sizeof text - 100; i++) {
        if (fabs(nearest[i] - x[i]) <= 1e-9 * (1.0 + fabs(x[i]))) continue;
        yk_append(text, sizeof text, "%s%.60s%s = %.9g", text[0] ? ", " : "",
                  name[i], level ? ".v" : "", nearest[i]);
    }
    yk_suffix(err,
              "; the nearest that do have %s; give those, or let \"assemble\" "
              "correct what is off by less",
              text);
}
