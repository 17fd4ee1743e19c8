/* comp/mechanism/check.c -- mass matrices and constraints that cannot be.
 *
 * Mass: Cholesky's method.  If the pivot of coordinate k is not positive then
 * z = (-M11^-1 m_k, 1) has z' M z <= 0, and the coordinates in z are to blame.
 *
 * Constraints: the rows of G are orthogonalised one after the other, each with
 * the combination of rows that it is.  A row that vanishes gives a combination
 * of independent rows and itself, all of which it needs: a smallest dependent
 * set.  If the same combination of the constraints themselves is zero they are
 * redundant, otherwise they contradict each other.
 *
 * Limits: dense, for mechanisms of up to some thousand coordinates.
 */
#include "comp/mechanism/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double vanishing = 1e-10; /* of a row, relative to what it was */
static const double part_of = 1e-8;    /* smaller weights do not count */
static const double consistent = 1e-7; /* of a constraint, relative */

/* ---- mass ---------------------------------------------------------------- */

static double size_of(const double *z, int n)
{
    double most = 0.0;

    for (int i = 0; i < n; i++) most = fmax(most, fabs(z[i]));
    return most;
}

/* "a", "b" and "c": those with a weight that counts. */
static void list_names(char *text, size_t room, int n, const double *weight,
                       const char *const *name)
{
    const double least = part_of * size_of(weight, n);
    size_t used = 0;
    int left = 0;

    for (int i = 0; i < n; i++) left += fabs(weight[i]) > least;
    text[0] = '\0';
    for (int i = 0; i < n && used < room; i++) {
        if (!(fabs(weight[i]) > least)) continue;
        left--;
        const int wrote = snprintf(text + used, room - used, "%s\"%.60s\"",
                                   used == 0   ? ""
                                   : left == 0 ? " and "
                                               : ", ",
                                   name[i]);
        used += (size_t)wrote;
    }
}

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
    list_names(who, sizeof who, n, z, name);
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

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void subtract(int n, double w, const double *from, double *to)
{
    for (int i = 0; i < n; i++) to[i] -= w * from[i];
}

static yoke_status blame_rank(int row, int count, const double *weight,
                              double left, double size, const char *const *name,
                              yoke_err *err)
{
    char who[600];

    list_names(who, sizeof who, count, weight, name);
    if (size_of(weight, count) == fabs(weight[row]) &&
        dot(count, weight, weight) == weight[row] * weight[row])
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

/* Row i minus what the independent rows before make of it, twice for accuracy;
 * `weight` is the same combination of the rows. */
static void reduce(int i, int count, int n, const double *base, int ranked,
                   const double *made_of, double *row, double *weight)
{
    memset(weight, 0, (size_t)count * sizeof *weight);
    weight[i] = 1.0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < ranked; k++) {
            const double w = dot(n, base + (size_t)k * (size_t)n, row);
            subtract(n, w, base + (size_t)k * (size_t)n, row);
            subtract(count, w, made_of + (size_t)k * (size_t)count, weight);
        }
}

yoke_status yk_mechanism_check_rank(int count, int n, const double *G,
                                    const double *gamma,
                                    const char *const *name, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *base = NULL, *made_of = NULL;

    YK_GO(yk_doubles(&base, (size_t)(count + 1) * (size_t)n, err));
    YK_GO(yk_doubles(&made_of, (size_t)(count + 1) * (size_t)count, err));
    for (int i = 0; i < count; i++) {
        double *const row = base + (size_t)i * (size_t)n;
        double *const weight = made_of + (size_t)i * (size_t)count;
        memcpy(row, G + (size_t)i * (size_t)n, (size_t)n * sizeof *row);
        const double before = sqrt(dot(n, row, row));
        reduce(i, count, n, base, i, made_of, row, weight);
        const double after = sqrt(dot(n, row, row));
        if (!(after > vanishing * before)) {
            double size = 1e-12;
            for (int k = 0; k < count; k++)
                size += fabs(weight[k]) * fmax(1.0, fabs(gamma[k]));
            YK_GO(blame_rank(i, count, weight, dot(count, weight, gamma), size,
                             name, err));
        }
        for (int j = 0; j < n; j++) row[j] /= after;
        for (int j = 0; j < count; j++) weight[j] /= after;
    }
done:
    yk_free(base);
    yk_free(made_of);
    return status;
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
                       "it is %g instead of 0; give values that satisfy it",
                       what, name[k], value[k]);
    }
    return YOKE_OK;
}
